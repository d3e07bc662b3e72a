"""Notebooks saved as scripts, read as the cells that they stand for: jupytext's percent and light forms (and the cells
of editors), nbconvert's scripts, Databricks' source, marimo's and knitr's spin. Nothing is run, and none of them holds
outputs.
"""

import ast
import re
from collections.abc import Callable, Iterator, Sequence
from inspect import cleandoc
from itertools import groupby, islice
from pathlib import PurePosixPath
from typing import Final

from grader.intake.submission import SubmittedFile
from grader.reading.bytes_in import lines_of, text_of
from grader.reading.notebook import Cell, CellKind, Notebook, versions_in
from grader.reading.notebook_file import MOST_CELLS

_DATABRICKS: Final = "# Databricks notebook source"
_COMMAND: Final = "# COMMAND ----------"
_MAGIC: Final = "# MAGIC"
_WORDS_MAGIC: Final = "%md"
_HEADER: Final = "# ---"
_SPIN: Final = "#'"
_OPTIONS: Final = "#+"
_PROMPT: Final = r"^# In\[[ \d]*\]:$"
_HEAD: Final = 50_000
_MOST_BYTES: Final = 2_000_000
_REMARK: Final = r"(?:[ \t]+#.*|[ \t]*)"
"""A line within a cell of marimo that holds a remark, or nothing."""
_QUOTES: Final = ('"""', "'''", 'r"""', "r'''")

_Part = tuple[CellKind, str]
"""The kind and the source of a cell."""
_Form = Callable[[str], Iterator[_Part]]


def form_of(file: SubmittedFile) -> _Form | None:
    """Return how to read the cells of a script with words in it, by its beginning; None if it is only a program."""
    suffix = PurePosixPath(file.path).suffix.lower()
    if suffix not in (".py", ".r"):
        return None
    head = "\n".join(lines_of(text_of(file.location, _HEAD).text))
    if suffix == ".r":
        return _spin if head.lstrip().startswith(_SPIN) else None
    if head.startswith(_DATABRICKS):
        return _databricks
    if re.search(r"^app = marimo\.App\(", head, re.MULTILINE):
        return _marimo
    is_light = re.search(r"^#\s+format_name: (?:light|bare)\s*$", head, re.MULTILINE)
    # Without jupytext's header, signs around code and headings in remarks tell the light form.
    is_marked = all(re.search(mark, head, re.MULTILINE) for mark in (r"^# \+$", r"^# -$", r"^# #{1,6} \S"))
    if (head.startswith(_HEADER) and is_light) or is_marked:
        return _light
    if re.search(_PROMPT, head, re.MULTILINE):
        return _exported
    return _percent if re.search(r"^# ?%%.*\[(?:markdown|md)\]|^# ?%% ?(?:markdown|md)\b", head, re.MULTILINE) else None


def read_notebook_script(file: SubmittedFile, cells_in: _Form) -> Notebook:
    """The cells of a script. Never raises for any content."""
    text, problems = text_of(file.location, _MOST_BYTES)
    parts = ((kind, source.strip("\n")) for kind, source in cells_in("\n".join(lines_of(text))))
    filled = (part for part in parts if part[1].strip())
    cells = tuple(
        Cell(index=index, kind=kind, source=source) for index, (kind, source) in enumerate(islice(filled, MOST_CELLS))
    )
    return Notebook(file=file.path, cells=cells, versions=versions_in(cells), problems=problems, holds_outputs=False)


def _uncommented(lines: Sequence[str]) -> str:
    """Lines without the remark's sign before them."""
    return "\n".join(line.removeprefix("#").removeprefix(" ") for line in lines)


def _with_magic(source: str) -> str:
    """Code with the commands and magic that jupytext puts into remarks: those of a notebook's own begin with two signs.
    A command goes on in the next line after a backslash."""
    lines: list[str] = []
    goes_on = False
    for line in source.split("\n"):
        bare = line.removeprefix("# ")
        is_magic = bare != line and (bare.startswith(("!", "%")) or goes_on)
        lines.append(bare if is_magic else line)
        goes_on = is_magic and bare.rstrip().endswith("\\")
    return "\n".join(lines)


def _percent(text: str) -> Iterator[_Part]:
    header, *marks = re.split(r"^(# ?%%(?!\w).*)$", _without_header(text), flags=re.MULTILINE)
    yield CellKind.CODE, _with_magic(header)
    for mark, source in zip(marks[::2], marks[1::2], strict=True):
        kind = re.search(r"\[(markdown|md|raw)\]|%% ?(markdown|md)\b", mark)
        language = re.search(r"language=[\"'](\w+)[\"']", mark)
        if kind is None:
            magic = f"%%{language[1]}\n{_uncommented(source.strip().splitlines())}" if language else _with_magic(source)
            yield CellKind.CODE, magic
            continue
        body = source.strip("\n")
        quote = next((candidate for candidate in _QUOTES if body.startswith(candidate)), "")
        words = body.removeprefix(quote).rstrip().removesuffix(quote[-3:]) if quote else _uncommented(body.split("\n"))
        yield CellKind.RAW if kind[1] == "raw" else CellKind.MARKDOWN, words


def _without_header(text: str) -> str:
    """The text without jupytext's description of the notebook."""
    found = re.match(r"# ---\n(?:#.*\n)*?# ---\n", text)
    return text[found.end() :] if found else text


def _light(text: str) -> Iterator[_Part]:
    """Paragraphs of remarks are words; `# +` and `# -` enclose code with blank lines or remarks in it."""
    code: list[str] | None = None
    for paragraph in re.split(r"\n\s*\n|^(?=# [+-](?:\s|$))", _without_header(text), flags=re.MULTILINE):
        lines = paragraph.strip("\n").split("\n")
        if re.match(r"# \+(?:\s|$)", lines[0]):
            code = lines[1:]
        elif re.match(r"# -\s*$", lines[0]) and code is not None:
            yield CellKind.CODE, _with_magic("\n".join(code))
            code, lines = None, lines[1:]
        elif code is not None:
            code += ["", *lines]
        if code is None and lines:
            is_words = all(line.startswith("#") for line in lines) and not lines[0].startswith(("# !", "# %"))
            yield (
                (CellKind.MARKDOWN, _uncommented(lines)) if is_words else (CellKind.CODE, _with_magic("\n".join(lines)))
            )
    if code:
        yield CellKind.CODE, _with_magic("\n".join(code))


def _exported(text: str) -> Iterator[_Part]:
    """Yield the parts of a script that nbconvert wrote: code stands under `# In[1]:`, and words are remarks between
    blank lines, two of them after code. Commands became `get_ipython().system('…')`."""
    words, *cells = re.split(_PROMPT, text, flags=re.MULTILINE)
    yield from _remarks(words)
    for cell in cells:
        code, *after = re.split(r"\n\n\n(?=(?:#.*(?:\n|\Z)|\n)+\Z)", cell.strip("\n"), maxsplit=1)
        yield CellKind.CODE, _commands(code)
        for words in after:
            yield from _remarks(words)


def _remarks(text: str) -> Iterator[_Part]:
    for paragraph in re.split(r"\n\n+", text.strip("\n")):
        lines = paragraph.split("\n")
        if not lines[0].startswith(("#!", "# coding:")):
            yield CellKind.MARKDOWN, _uncommented(lines)


def _commands(code: str) -> str:
    """Code with the magic that nbconvert wrote as calls."""
    whole = re.fullmatch(r"get_ipython\(\)\.run_cell_magic\((.*)\)\s*", code, re.DOTALL)
    lines = re.sub(r"get_ipython\(\)\.(system|run_line_magic)\((.*)\)$", _command, code, flags=re.MULTILINE)
    return _command(whole) if whole else lines


def _command(call: re.Match[str]) -> str:
    try:
        values = ast.literal_eval(f"({call[call.re.groups]},)")
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return call.group()
    if call.re.groups == 1:  # of a whole cell: its name, what stands behind it, and the lines below
        return "%%{} {}\n{}".format(*values) if len(values) == 3 else call.group()
    return f"!{values[0]}" if call[1] == "system" else "%" + " ".join(map(str, values))


def _databricks(text: str) -> Iterator[_Part]:
    for part in text.removeprefix(_DATABRICKS).split(_COMMAND):
        lines = [line for line in part.strip("\n").split("\n") if not line.startswith("# DBTITLE")]
        magic = [line.removeprefix(_MAGIC).removeprefix(" ") for line in lines if line.startswith(_MAGIC)]
        if magic and magic[0].startswith(_WORDS_MAGIC):
            yield CellKind.MARKDOWN, "\n".join(magic).removeprefix(_WORDS_MAGIC).removeprefix("-sandbox").lstrip(" ")
        else:
            yield CellKind.CODE, "\n".join(magic or lines)


def _spin(text: str) -> Iterator[_Part]:
    """Lines behind `#'` are words. A line of options begins a chunk of code."""
    chunk = 0
    parts: list[tuple[int, bool, str]] = []
    for line in text.split("\n"):
        is_options = line.startswith(_OPTIONS)
        chunk += is_options
        parts.append((chunk, line.startswith(_SPIN), "" if is_options else line))
    for (_, is_words), group in groupby(parts, key=lambda part: part[:2]):
        kept = [line for _, _, line in group]
        words = "\n".join(line.removeprefix(_SPIN).removeprefix(" ") for line in kept)
        yield (CellKind.MARKDOWN, words) if is_words else (CellKind.CODE, "\n".join(kept))


def _marimo(text: str) -> Iterator[_Part]:
    """Each statement that marimo marks is a cell. Its words are the argument of `mo.md`; the names that it takes and
    gives back are marimo's own."""
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        yield CellKind.CODE, text
        return
    lines = text.split("\n")
    for node in tree.body:
        statements = _marked(node)
        imported = [
            statement
            for statement in statements
            if isinstance(statement, ast.Import) and statement.names[0].name == "marimo"
        ]
        kept = [
            statement for statement in statements if not isinstance(statement, ast.Return) and statement not in imported
        ]
        paragraphs = list(_words_shown(kept[0])) if len(kept) == 1 else []
        if paragraphs:
            yield CellKind.MARKDOWN, "\n\n".join(paragraphs)
        elif statements:
            yield CellKind.CODE, _source(kept, statements, lines)
        else:
            yield CellKind.CODE, _unparsable(node)


def _source(kept: Sequence[ast.stmt], statements: Sequence[ast.stmt], lines: Sequence[str]) -> str:
    """The source of some of a cell's statements, with the remarks before and behind them."""
    first = (*kept, *statements)[0]
    marks = getattr(first, "decorator_list", ()) if len(statements) > 1 else ()
    begin = min(mark.lineno for mark in (first, *marks)) - 1
    end = (kept[-1].end_lineno or begin) if kept else begin
    while begin > 0 and re.fullmatch(_REMARK, lines[begin - 1]):
        begin -= 1
    while end < len(lines) and re.fullmatch(_REMARK, lines[end]):
        end += 1
    return cleandoc("\n" + "\n".join(lines[begin:end]))


def _marked(node: ast.stmt) -> Sequence[ast.stmt]:
    """The statements of a cell: what stands in a function under `@app.cell` or below `with app.setup`, and a function
    or class of its own under another mark."""
    match node:
        case ast.With():
            return node.body
        case ast.FunctionDef(decorator_list=[first, *_]) | ast.AsyncFunctionDef(decorator_list=[first, *_]):
            mark = first.func if isinstance(first, ast.Call) else first
            return node.body if isinstance(mark, ast.Attribute) and mark.attr == "cell" else [node]
        case ast.ClassDef(decorator_list=[_, *_]):
            return [node]
    return ()


def _unparsable(node: ast.stmt) -> str:
    """The source of a cell that is no Python: marimo keeps it as the text of a call."""
    match node:
        case ast.Expr(
            value=ast.Call(func=ast.Attribute(attr="_unparsable_cell"), args=[ast.Constant(value=str(source)), *_])
        ):
            return cleandoc(source)
    return ""


def _words_shown(statement: ast.stmt) -> Iterator[str]:
    """The constant arguments of `mo.md` in an expression that stands alone."""
    for node in ast.walk(statement) if isinstance(statement, ast.Expr) else ():
        is_words = isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "md"
        if isinstance(node, ast.Call) and is_words and node.args and isinstance(node.args[0], ast.Constant):
            yield cleandoc(str(node.args[0].value))

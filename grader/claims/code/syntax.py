"""Read the syntax of code in cells and texts.

It separates Python from shell lines and magics, parses even broken cells, and finds the gaps that a handout leaves
open. A comment such as `# fill me` often stays when a gap is filled, so it counts only if no code was added to it. Code
in a PDF or a word processor has lost underscores, quotes, line breaks and indentation. So a call in a text is not
parsed, but read from its name to the closing bracket.
"""

import ast
import re
from collections.abc import Collection, Iterator, Sequence, Set
from itertools import islice, pairwise, takewhile
from keyword import iskeyword
from typing import Final, NamedTuple

from grader.claims.code.model import Call
from grader.claims.passage import Passage
from grader.language.shapes import IDENTIFIER

SHELL: Final = "__shell__"
"""The name of the function whose call replaces a shell line. Its argument is the line's number in `Prepared.shell`."""

_CELL_MAGIC: Final = re.compile(r"%%\s?(!|\w+)[ \t]*(.*)")
_SHELLS: Final = frozenset({"bash", "sh", "shell", "!", "sx", "system"})
_PYTHON: Final = frozenset({"time", "timeit", "capture", "prun", "python", "python3", "debug", "skip", "run_and_save"})
_SHOWING: Final = frozenset({"javascript", "js", "html", "markdown", "md", "latex", "svg", "css"})
"""Cell magics that only show the content of the cell."""

_IDLE_PROGRAMS: Final = (["false"], ["true"], [":"], ["cat"], ["echo"])
_LINE: Final = re.compile(r"([^\S\n]*)((?:[A-Za-z_][\w., ]{0,60}=\s?)?)(!!?|%{1,2}|\?)(.*)")
_PROMPT: Final = re.compile(r"(?:>>> ?|\.\.\. ?|In ?\[[\d ]{0,5}\]: ?)")
_HELP: Final = re.compile(r"[\w.]+\?\??\s*")
_STATEMENT: Final = frozenset({"time", "timeit", "prun"})


class PreparedCell(NamedTuple):
    """A cell's Python code, with a call in place of each shell line, and the shell lines.

    `shell_cell` is the whole text of a shell cell. `is_written`: the cell only writes a file. `is_shown`: it runs
    nothing of its content.
    """

    python: str = ""
    shell: tuple[str, ...] = ()
    shell_cell: str | None = None
    is_written: bool = False
    is_shown: bool = False


def prepare_cell(source: str) -> PreparedCell:
    """Return a cell divided into Python and shell lines."""
    first, _, rest = source.lstrip("\n").partition("\n")
    magic = _CELL_MAGIC.match(first.strip())
    if magic is None:
        return _with_shell_lines(source)
    name, argument = magic[1].lower(), magic[2]
    blank = "\n" * source.removesuffix(rest).count("\n")
    if name in _SHELLS or (name == "script" and re.search(r"\b(?:ba|z)?sh\b", argument)):
        return PreparedCell(shell_cell=blank + rest)
    if name in ("writefile", "file"):
        if argument.strip().endswith((".sh", ".bash")):
            return PreparedCell(shell_cell=blank + rest, is_written=True)
        is_python = argument.strip().endswith(".py")
        return PreparedCell(python=blank + rest, is_written=True) if is_python else PreparedCell(is_written=True)
    if name in _SHOWING or (name == "script" and argument.split(maxsplit=1)[:1] in _IDLE_PROGRAMS):
        return PreparedCell(is_shown=True)
    return _with_shell_lines(blank + rest) if name in _PYTHON else PreparedCell()


def _with_shell_lines(source: str) -> PreparedCell:
    python: list[str] = []
    shell: list[str] = []
    lines = iter(source.split("\n"))
    for line in lines:
        plain = _PROMPT.sub("", line, count=1) if line.startswith((">", ".", "I")) else line
        match = _LINE.match(plain)
        if not match:
            python.append("" if _HELP.fullmatch(plain) else plain)
            continue
        texts = [match[4]]
        while texts[-1].rstrip().endswith("\\") and (following := next(lines, None)) is not None:
            texts.append(following)
        python += [_replaced(match, texts, shell), *("" for _ in texts[1:])]
    return PreparedCell("\n".join(python), tuple(shell))


def _replaced(match: re.Match[str], texts: list[str], shell: list[str]) -> str:
    """Return the Python code that replaces a shell line or magic. The text of a shell line is appended to `shell`."""
    indent, target, mark = match[1], match[2], match[3]
    text = "\n".join(texts)
    if mark.startswith("%"):
        magic = re.match(r"\s?(\w+)(.*)", text, re.DOTALL)
        name, argument = (magic[1], magic[2].strip()) if magic else ("", "")
        if name in _STATEMENT:
            return indent + re.sub(r"^(?:-\w+\s?\w*\s)+", "", argument).replace("\\\n", " ")
        if name in ("env", "set_env"):
            text = re.sub(r"^(\w+)[ =]+", r"\1=", argument)
        elif name in ("pip", "conda", "sx", "system", "sc"):
            text = argument if name in ("sx", "system", "sc") else f"{name} {argument}"
        elif name == "run":
            text = f"python {argument}"
        else:
            return f"{indent}{target}None" if target else f"{indent}pass"
    elif mark == "?":
        return f"{indent}pass"
    shell.append(text)
    return f"{indent}{target}{SHELL}({len(shell) - 1})"


_UNCOMMENTED: Final = "# Commented out IPython magic"
_PERCENT: Final = re.compile(r"# %%(?!\w)[ \t]*(.*)")
_PERCENT_SHELL: Final = re.compile(r"language=[\"'](?:ba|z)?sh[\"']")
_MARKED_WORDS: Final = ("[markdown]", "[md]", "[raw]")
_HIDDEN: Final = re.compile(r"# (?=[%!][A-Za-z./])")


def exported_pieces(text: str, first: int = 1) -> list[tuple[int, str]]:
    """Yield the pieces of a program that was exported from a notebook (Colab, jupytext), with their first lines.

    Shell lines and magics, which the export commented out, are restored, and each shell cell is a piece.
    """
    lines = text.split("\n")
    kept = [*lines]
    cells: list[tuple[int, int]] = []
    index = 0
    is_percent = any(_PERCENT.match(line) for line in lines)
    while index < len(lines):
        marked = _PERCENT.match(lines[index])
        is_shell = bool(marked and _PERCENT_SHELL.search(marked[1]))
        if is_shell or lines[index].startswith(_UNCOMMENTED):
            end = next((at for at in range(index + 1, len(lines)) if not lines[at].startswith("#")), len(lines))
            kept[index] = "%%bash" if is_shell else ""
            kept[index + 1 : end] = [line.removeprefix("#").removeprefix(" ") for line in lines[index + 1 : end]]
            if is_shell or "".join(kept[index + 1 : index + 2]).startswith("%%"):
                cells.append((index + (not is_shell), end))
            index = end
        elif marked and any(map(marked[1].__contains__, _MARKED_WORDS)):
            index = next((at for at in range(index + 1, len(lines)) if _PERCENT.match(lines[at])), len(lines))
        else:
            kept[index] = _HIDDEN.sub("", lines[index]) if is_percent and not marked else lines[index]
            index += 1
    bounds = sorted({0, len(lines), *(bound for cell in cells for bound in cell)})
    pieces = [(first + start, "\n".join(kept[start:end])) for start, end in pairwise(bounds)]
    return [piece for piece in pieces if piece[1].strip()] or [(first, text)]


_FURTHER: Final = re.compile(r"\s*\.\.\.")


def session(text: str) -> list[tuple[int, str, str]]:
    """Return the inputs of an interpreter session, each with its first line, numbered from 0, and its output.

    Return None if the text does not begin with a prompt.
    """
    lines = text.split("\n")
    prompts = [at for at, line in enumerate(lines) if _PROMPT.match(line) and not _FURTHER.match(line)]
    if not prompts or "".join(lines[: prompts[0]]).strip():
        return []
    found = []
    for start, end in pairwise([*prompts, len(lines)]):
        further = list(takewhile(_FURTHER.match, lines[start + 1 : end]))
        source = "\n".join([lines[start], *map(str.strip, further)])
        found.append((start, source, "\n".join(lines[start + 1 + len(further) : end])))
    return found


LONGEST: Final = 100_000
"""Longer sources, in characters, are not parsed, because they are data."""

_MOST_CHUNKS: Final = 1_000
_MOST_NODES: Final = 30_000
_CONTINUES: Final = re.compile(r"\s|[)\]}]|(?:elif|else|except|finally)\b|#|$")
_OLD_PRINT: Final = re.compile(r"(?m)^([^\S\n]*)print (?![=(])([^\n]+)$")


class Tree(NamedTuple):
    """The statements of a cell, its shell lines, whether all of it could be parsed, and its number of lines."""

    statements: tuple[ast.stmt, ...]
    prepared: PreparedCell
    whole: bool
    lines: int = 0

    def nodes(self) -> list[ast.AST]:
        """All nodes, up to a limit."""
        every = (node for statement in self.statements for node in ast.walk(statement))
        return list(islice(every, _MOST_NODES))


def tree_of(source: str) -> Tree:
    """Return the syntax of a cell; nothing for text that is not Python."""
    if len(source) > LONGEST:
        return Tree((), PreparedCell(), whole=False)
    lines = source.count("\n") + 1
    plain = parse_statements(source)
    if plain is not None:
        return Tree(plain, PreparedCell(python=source), whole=True, lines=lines)
    cell = prepare_cell(source)
    statements = parse_statements(cell.python)
    if statements is None:  # perhaps Python 2
        statements = parse_statements(_OLD_PRINT.sub(r"\1print(\2)", cell.python))
    if statements is not None:
        return Tree(statements, cell, whole=True, lines=lines)
    return Tree(tuple(_piecewise(cell.python)), cell, whole=False, lines=lines)


def parse_statements(text: str) -> tuple[ast.stmt, ...] | None:
    """Return the statements of a text in Python, or None for other texts."""
    try:
        return tuple(ast.parse(text).body)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def is_command(line: str) -> bool:
    """Whether a line is a Python statement that begins with a keyword: `assert a > b + 12.8`."""
    if len(line) > _LONGEST_LINE or not iskeyword(re.split(r"[ (]", line, maxsplit=1)[0]):
        return False
    made = parse_statements(f"{line} pass" if line.endswith(":") else line)
    return made is not None and not all(isinstance(statement, ast.Expr) for statement in made)


_LONGEST_LINE: Final = 500


def _piecewise(text: str) -> Iterator[ast.stmt]:
    """Return the statements that can be parsed separately. The print statement of Python 2 counts as a call."""
    for first, chunk in _chunks(text):
        found = parse_statements(chunk)
        if found is None:
            found = parse_statements(_OLD_PRINT.sub(r"\1print(\2)", chunk)) or ()
        for statement in found:
            yield ast.increment_lineno(statement, first)


def _chunks(text: str) -> Iterator[tuple[int, str]]:
    """Yield pieces that begin at the left margin, with the number of lines before each. Triple-quoted text stays
    whole."""
    lines = text.split("\n")
    starts = []
    quotes = 0
    for number, line in enumerate(lines):
        if not quotes % 2 and not _CONTINUES.match(line):
            starts.append(number)
        quotes += line.count('"""') + line.count("'''")
    for start, end in list(pairwise([*starts, len(lines)]))[:_MOST_CHUNKS]:
        yield start, "\n".join(lines[start:end])


MARK: Final = re.compile(
    r"\bfill(?:[ _-]?(?:me|in|this|here|up)\b|[ _-]?(?:the[ _-])?(?:gaps?|blanks?)\b)"
    r"|\b(?:your|put|write|insert|add)(?: your)? (?:code|answer|solution|prompt)s?(?: goes)?(?: here)?\b"
    r"|\bto[ _-]?do\b|\bcomplete (?:me|this|here|the)\b|<\s?(?:gap|fill|blank)\s?>"
    r"|\b(?:à|a) (?:compléter|completer|remplir)\b|\b(?:compléter|complétez|remplir|remplissez)\b"
    r"|\bvotre (?:code|réponse|solution)\b|\bà vous de jouer\b|\b(?:start|begin) (?:your )?(?:code|solution)\b",
    re.IGNORECASE,
)
_END_OF_GAP: Final = re.compile(
    r"\bends?\b.{0,20}\b(?:code|solution|answer)\b|\b(?:code|solution|answer)\b.{0,10}\bends?\b", re.IGNORECASE
)
"""A comment that closes an earlier one: `### END CODE HERE ###`."""
_BLANK: Final = re.compile(r"(?<![\w'\"])_{3,}(?![\w'\"])|(?<=['\"])_{3,}(?=['\"])")
_OPEN_END: Final = re.compile(
    r"(?:=\s*,?|\breturn(?: None)?|\bpass|\braise NotImplementedError(?:\(.*\))?|\.\.\."
    r"|=\s?None,?|=\s?(?:\"\"|''|\[\]|\{\}),?|--[\w-]+)\s*\\?$"
)
_OPENING: Final = ("(", "[", "{", ":")
_NO_VALUE: Final = re.compile(r"(?<![=!<>])=\s*(?:,|\)|$)")
_BARE_RETURN: Final = re.compile(r"\s*return\s*#")
_ELLIPSIS: Final = re.compile(r"(?:=|\breturn|[(,])\s*\.\.\.\s*(?:,|\)|$)|^\.\.\.\s*$")
_NOTHING: Final = re.compile(r"\s*(?:pass|\.\.\.|return|return None|raise NotImplementedError.*)?\s*$")
_MOST_LINES: Final = 5_000
_LONGEST: Final = 1_000


def gap_lines(source: str, *, whole: bool) -> Iterator[int]:
    """Return the lines, numbered from 1, that contain a gap.

    `whole`: the source is complete Python, so it has no assignment without a value.
    """
    lines = [line[:_LONGEST] for line in source.split("\n")[:_MOST_LINES]]
    filled = _filled_names(lines) if MARK.search(source) else frozenset()
    for index, line in enumerate(lines):
        code, comment = _parted(line)
        code = IDENTIFIER.sub(lambda name: "_" if name.group() in filled else name.group(), code) if filled else code
        if (
            _in_code(code, whole or _goes_on(code, lines[index + 1 : index + 2]))
            or _BARE_RETURN.match(line)
            or (_opens_gap(comment) and _stayed_open(code, lines, index))
        ):
            yield index + 1


_NAMED: Final = re.compile(
    r"(?<![\w.])(?P<name>[^\W\d]\w*)\s*(?::[^=:]+)?=(?![=])"
    r"(?!\s*(?:None|\.\.\.|\"\"|''|\[\]|\{\})?\s*[,)]?\s*$)\s*"
)


def _filled_names(lines: Sequence[str]) -> Set[str]:
    """Return names that look like a gap and have a value: `fill_me = 3`."""
    codes = [_parted(line)[0] for line in lines if MARK.search(line)]
    named = (match for code in codes for match in _NAMED.finditer(code) if MARK.fullmatch(match["name"]))
    return {match["name"] for match in named if not _is_mark(match.string[match.end() :])}


def _is_mark(value: str) -> bool:
    return MARK.match(value) is not None or _BLANK.match(value) is not None


def _goes_on(code: str, below: Sequence[str]) -> bool:
    """Whether a line ends with the sign before a value that the next, further indented line gives."""
    is_value = any(_indent(line) > _indent(code) and not re.match(r"\s*(?:#|\w+\s*=|[)\],]|$)", line) for line in below)
    return is_value and code.rstrip().endswith("=")


def _in_code(code: str, whole: bool) -> bool:
    part = _assigned_part(code)
    if (
        any(set(word) == {"?"} and len(word) > len("??") for word in re.split(r"[\s=(),]", part))
        or MARK.search(part)
        or _BLANK.search(part)
        or _ELLIPSIS.search(part)
    ):
        return True
    return not whole and bool(_NO_VALUE.search(code)) and "--" not in code


def _assigned_part(code: str) -> str:
    """Return the part of a line that may hold a gap: values, texts and options, but no names of functions or texts that
    are printed."""
    return "" if re.match(r"\s*(?:def|class|import|from|print|#)\b", code) else code


_CODE: Final = re.compile(r"""\A(?:[^#"']|"[^"]*"?|'[^']*'?)*""")


def _parted(line: str) -> tuple[str, str]:
    """Return a line's code and its comment. A `#` within quotes does not begin one."""
    comment = _CODE.sub("", line, count=1)
    return line.removesuffix(comment), comment


def _opens_gap(comment: str) -> bool:
    return bool(MARK.search(comment)) and not _END_OF_GAP.search(comment)


def _stayed_open(code: str, lines: Sequence[str], index: int) -> bool:
    """Whether no code was added to a comment: its line ends before a value, or no code follows it."""
    if code.rstrip().endswith(_OPENING):
        return not _follows(lines, index, _indent(code) + 1)
    if code.strip():
        return bool(_OPEN_END.search(code.rstrip()))
    return not _follows(lines, index, _indent(lines[index]))


def _follows(lines: Sequence[str], index: int, indent: int) -> bool:
    """Whether code with at least the same indentation stands below a line in its block."""
    for line in lines[index + 1 :]:
        code, comment = _parted(line)
        if not code.strip():
            if MARK.search(comment) or _END_OF_GAP.search(comment):
                return False
            continue
        is_closing = code.lstrip()[:4].rstrip(".,)]") in ('"""', "'''")
        return _indent(code) >= indent and not (_NOTHING.fullmatch(code) or is_closing or _lacks(code, lines[:index]))
    return False


def _lacks(code: str, before: Sequence[str]) -> bool:
    """Whether a line only returns a name that no line before it contains."""
    words = code.split()
    is_name = len(words) == len(("return", "name")) and words[0] == "return" and words[1].isidentifier()
    return is_name and not any(re.search(rf"\b{words[1]}\b", line) for line in before)


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


_SHOWN_LONGEST: Final = 2_000
_MOST: Final = 50
_MOST_WORDS: Final = 4
_EQUALS: Final = re.compile(r"(?<![=!<>])\s*=(?!=)")
_OPEN: Final = "([{"
_CLOSE: Final = ")]}"
_SIGNS: Final = r"\"[^\"\n]*[\"\n]?|'[^'\n]*['\n]?|#[^\n]*|."
_TOKEN: Final = re.compile(_SIGNS, re.DOTALL)
_TOKEN_OF_REMARK: Final = re.compile(rf"^[^\S\n]*#|{_SIGNS}", re.DOTALL | re.MULTILINE)
"""A quoted text, a comment or a sign. In commented code, the comment sign of a line does not belong to it."""

_SHOWN_ELLIPSIS: Final = ("...", "…")
_HELD: Final = re.compile(r"[\"'](\w+)[\"']\s?:\s?(.+)", re.DOTALL)
_PRINTED: Final = {"true": "True", "false": "False", "null": "None"}


def calls_shown(passage: Passage, name: str, arguments: Collection[str] = ()) -> Iterator[Call]:
    """Return the calls of a name in a text, also in comments, and printed objects of that name: `Name {"a": true}`.

    `arguments` are the library's. They show whether an underscore was lost, and which entries of a printed object are
    arguments. A call that the text does not close is `open`.
    """
    spelled = r"[\s_]?".join(re.escape(part) for part in name.split("_"))
    pattern = re.compile(rf"(?<!\w){spelled}\s?[({{]")
    arguments_by_letters = {_letters(candidate): candidate for candidate in arguments}
    text = passage.text
    for match in islice(pattern.finditer(text), _MOST):
        parts, end = _parts(text, match.end())
        if match.group()[-1] == "{":
            held = {
                held_match[1]: _PRINTED.get(held_match[2], held_match[2])
                for part in parts
                if (held_match := _HELD.match(part))
            }
            given = {entry_name: value for entry_name, value in held.items() if entry_name in arguments}
            if given:
                yield Call(
                    name=name,
                    keywords=given,
                    open=end is None,
                    evidence=passage.evidence(match.start(), end or match.end()),
                )
            continue
        keywords: dict[str, str] = {}
        placed: list[str] = []
        is_open = end is None
        for part in (_from_argument(candidate, arguments_by_letters) for candidate in parts):
            equals = _EQUALS.search(part)
            if equals is None:
                is_open = is_open or part.startswith(("**", "×")) or part in _SHOWN_ELLIPSIS
                placed.append(part)
                continue
            argument = _argument(part[: equals.start()], arguments_by_letters, exact=passage.exact)
            if argument is None:
                is_open = True
            else:
                value = part[equals.end() :].strip()
                if not passage.exact and value[:1] in _QUOTES and value.endswith(value[:1]):
                    value = value[:1] + value[1:-1].strip() + value[:1]  # a listing may add spaces inside the quotes
                keywords[argument] = value
                is_open = is_open or value.strip("[]\"'") in ("", *_SHOWN_ELLIPSIS)
        if placed and not keywords and not is_open and not _are_arguments(placed):
            continue  # a bracket in a sentence
        yield Call(
            name=name,
            keywords=keywords,
            arguments=tuple(candidate for candidate in placed if candidate not in _SHOWN_ELLIPSIS),
            open=is_open,
            evidence=passage.evidence(match.start(), end or match.end()),
        )


_QUOTES: Final = ('"', "'")
_KEYWORD: Final = re.compile(r"(?:^|\s)([A-Za-z_]\w*)\s?=(?!=)")


def _from_argument(part: str, argument_letters: Collection[str]) -> str:
    """Return the text between two commas from the last known argument on, without the end of a wrapped comment before
    it."""
    begins = [match.start(1) for match in _KEYWORD.finditer(part) if _letters(match[1]) in argument_letters]
    return part[begins[-1] if begins else 0 :]


_FEWEST_PLACED: Final = 2
_VALUE_PLACED: Final = re.compile(r"[-+]?[\d.]+(?:e-?\d+)?|True|False|None|[\"'\[(].*", re.DOTALL)


def _are_arguments(placed: Sequence[str]) -> bool:
    """Whether the text in a bracket consists of at least two positional arguments, the first of which is code.

    A reference such as `(Robbins, 1951)` does not.
    """
    is_code = bool(placed) and re.search(r"[._(\[]", placed[0]) is not None
    return is_code and len(placed) >= _FEWEST_PLACED and all(_VALUE_PLACED.fullmatch(text) for text in placed[1:])


def _parts(text: str, start: int) -> tuple[list[str], int | None]:
    """Return the parts between commas from a bracket on, without comments, and the end of the bracket if it is
    closed."""
    in_remark = "#" in text[:start].rpartition("\n")[2]
    parts, depth = [""], 0
    for token in (_TOKEN_OF_REMARK if in_remark else _TOKEN).finditer(text, start, start + _SHOWN_LONGEST):
        sign = token.group()
        depth += (sign in _OPEN) - (sign in _CLOSE)
        if depth < 0:
            return _without_spaces(parts), token.end()
        if sign.lstrip().startswith("#"):
            continue
        if depth == 0 and sign in (",",):
            parts.append("")
        else:
            parts[-1] += sign
    return _without_spaces(parts[:-1]), None


def _without_spaces(parts: Sequence[str]) -> list[str]:
    return [text for part in parts if (text := " ".join(part.replace("\u2423", " ").split()))]


def _argument(text: str, arguments_by_letters: dict[str, str], *, exact: bool) -> str | None:
    """Return an argument's name as intended, or None. Words of a wrapped comment may stand before it."""
    words = text.split()
    for count in range(len(words)):
        tail = " ".join(words[count:])
        if tail.replace(" ", "_") in arguments_by_letters.values():
            return tail.replace(" ", "_")
        if (not exact or " " in tail) and _letters(tail) in arguments_by_letters:
            return arguments_by_letters[_letters(tail)]
    written = "_".join(words)
    return written if written.isidentifier() and len(words) <= _MOST_WORDS else None


def _letters(text: str) -> str:
    return re.sub(r"[\W_]", "", text)

"""Jupyter notebooks: sources and outputs as they were saved, also as a report, and the versions of libraries that
they tell. Nothing is run.

The lines are those of pip (`Successfully installed`, `Requirement already satisfied`, `pip list`, `pip freeze`,
`pip show`), of uv and of conda.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from enum import Enum, StrEnum
from itertools import chain, islice, pairwise
from typing import Final

from grader.frozen import Frozen
from grader.message import Words
from grader.reading.bytes_in import lines_of
from grader.reading.document import Block, BlockKind, Document


class CellKind(Enum):
    """A cell's type in the notebook format."""

    MARKDOWN = "markdown"
    CODE = "code"
    RAW = "raw"


class OutputKind(Enum):
    """The kind of a piece of output. Progress bars and warnings go to `stderr`."""

    STDOUT = "stdout"
    STDERR = "stderr"
    RESULT = "result"
    TABLE = "table"
    PICTURE = "picture"
    ERROR = "error"


class Output(Frozen):
    """A piece of what a cell put out. Its text is `lines` lines of the cell's `output`, beginning with line `line` from
    1; a table has the texts of its cells in `rows` as well, and a picture nothing but its place and the `digest` of its
    content."""

    kind: OutputKind
    line: int
    lines: int
    rows: tuple[tuple[str, ...], ...] = ()
    digest: str = ""


CELL_PROMPT: Final = re.compile(r"In ?\[([\d*]{0,9}) ?\]:?")
"""What stands beside the code of a cell where a notebook is shown as a page."""


class Cell(Frozen):
    """One cell. `output` joins its text outputs, and `outputs` says what each part of it is; `error` is the name and
    message of an exception that it ended in; `attachments` counts the pictures kept with its source, and `shown` is
    what OCR reads in its pictures. `assigned` are the lines of the source from which on it answers a question, by what
    a person said (`reading/assigned.py`)."""

    index: int
    kind: CellKind
    source: str
    execution_count: int | None = None
    output: str = ""
    outputs: tuple[Output, ...] = ()
    error: str | None = None
    attachments: int = 0
    shown: tuple[Block, ...] = ()
    assigned: tuple[tuple[int, str], ...] | None = None


class VersionSource(StrEnum):
    """The source of a version, the surest first: the code printed it, an installer installed it or found it there, or a
    command asks for it."""

    PRINTED = "printed"
    INSTALLED = "installed"
    PRESENT = "present"
    ASKED = "asked"


class LibraryVersion(Frozen):
    """A version of a library (its name as in the package index, lower case), and the cell that states it."""

    name: str
    version: str
    source: VersionSource
    cell: int


class Notebook(Frozen):
    """A notebook's cells in order, and the versions of libraries that they tell; `hidden` are texts that the cells and
    their outputs do not show, and `problems` say what could not be read. One saved as a script `holds_outputs` of none,
    and cannot show that a cell was run."""

    file: str
    cells: tuple[Cell, ...] = ()
    versions: tuple[LibraryVersion, ...] = ()
    hidden: tuple[Block, ...] = ()
    problems: tuple[Words, ...] = ()
    holds_outputs: bool = True

    @property
    def never_run(self) -> tuple[int, ...]:
        """The indexes of code cells without any sign of execution. Clearing the outputs removes the signs."""
        code = (cell for cell in self.cells if cell.kind is CellKind.CODE and cell.source.strip())
        return tuple(cell.index for cell in code if cell.execution_count is None and not (cell.output or cell.outputs))

    @property
    def out_of_order(self) -> tuple[int, ...]:
        """The indexes of cells that were run before the one that stands above them."""
        run = [(cell.index, cell.execution_count) for cell in self.cells if cell.execution_count]
        return tuple(index for (_, before), (index, count) in pairwise(run) if count <= before)


def notebook_document(notebook: Notebook, output_lines: int | None = None) -> Document:
    """The notebook's cells as one text: each block with its cell from 0, and its line within the cell's source or, for
    an output block, within the cell's output. The rows of a table that a cell put out are output blocks with cells.
    With `output_lines`, the middle of a longer output is left out: so many lines from its beginning and end are kept.
    """
    blocks = tuple(_assigned(block, cell) for cell in notebook.cells for block in _blocks(cell, output_lines))
    return Document(file=notebook.file, exact=True, blocks=blocks, hidden=notebook.hidden, problems=notebook.problems)


def _assigned(block: Block, cell: Cell) -> Block:
    """A block with the question to which a person assigned its line, or the end of the cell that put it out."""
    if not cell.assigned:
        return block
    is_source = block.line is not None and block.kind is not BlockKind.OUTPUT
    questions = [question for line, question in cell.assigned if not is_source or line <= (block.line or 0)]
    return block.model_copy(update={"assigned": questions[-1]})


def _blocks(cell: Cell, most: int | None) -> Iterator[Block]:
    from grader.reading.markdown import markdown_blocks  # takes long to load, which who only looks at results need not

    source = lines_of(cell.source)
    if cell.kind is CellKind.MARKDOWN:
        for block in markdown_blocks(source):
            yield block.model_copy(update={"cell": cell.index, "quoted": block.kind is BlockKind.CODE})
    else:
        kind = BlockKind.CODE if cell.kind is CellKind.CODE else BlockKind.LINE
        lines = ((number, line.rstrip()) for number, line in enumerate(source, start=1))
        yield from (Block(kind=kind, text=text, line=number, cell=cell.index) for number, text in lines if text)
    for _ in range(cell.attachments):
        yield Block(kind=BlockKind.FIGURE, text="", cell=cell.index)
    shown = list(_shown(cell))
    places = [number for number, block in enumerate(shown) if block.kind is BlockKind.OUTPUT]
    dropped = set() if most is None else set(places[most:-most])
    yield from (block for number, block in enumerate(shown) if number not in dropped)
    yield from cell.shown


_BAR: Final = re.compile(r"\d{1,3}%\|[^|\n]{0,200}\|\s{0,20}[^\s/]{1,20}/\S{1,20}(?:\s{0,20}\[[^\]\n]{0,300}\]?)?")
"""A progress bar of tqdm."""


def _shown(cell: Cell) -> Iterator[Block]:
    """Yield the output of a cell: lines, rows of tables, and places of pictures."""
    from grader.reading.structure import row_text

    lines = lines_of(cell.output)
    for output in cell.outputs or (Output(kind=OutputKind.STDOUT, line=1, lines=len(lines)),):
        if output.kind is OutputKind.PICTURE:
            yield Block(kind=BlockKind.FIGURE, text="", cell=cell.index, digest=output.digest)
            continue
        last = output.line + max(output.lines, 1) - 1
        for number, cells in enumerate(output.rows, start=output.line):
            place = min(number, last)
            yield Block(kind=BlockKind.OUTPUT, text=row_text(cells), cells=cells, line=place, cell=cell.index)
        plain_lines = () if output.rows else lines[output.line - 1 : output.line - 1 + output.lines]
        for number, line in enumerate(plain_lines, start=output.line):
            text = _BAR.sub("", line).rstrip()  # logs are read with their bars; as words these say nothing
            if text:
                yield Block(kind=BlockKind.OUTPUT, text=text, line=number, cell=cell.index)


_ERROR: Final = re.compile(r"(?m)^((?:\w{1,60}\.){0,5}\w{0,60}(?:Error|Exception|Interrupt|Exit)(?:: [^\n]{0,500})?)$")
_TRACEBACK: Final = "Traceback (most recent call last)"
_MOST_SKIPPED: Final = 50


def exported_notebook(document: Document) -> Notebook | None:
    """The code cells of a notebook that was saved as a page, with what they put out; None where the document shows
    none. The number under which a cell was run stands in its prompt, which is furniture of the page."""
    found: dict[int, tuple[list[Block], list[Block]]] = {}
    for block in document.blocks:
        if block.cell is not None and block.kind in (BlockKind.CODE, BlockKind.OUTPUT):
            found.setdefault(block.cell, ([], []))[block.kind is BlockKind.OUTPUT].append(block)
    prompts = [(block.cell, CELL_PROMPT.fullmatch(block.text)) for block in document.furniture]
    counts = {cell: match[1] for cell, match in prompts if cell is not None and match}
    # Where cells have prompts, code without one is a listing within words.
    shown = {cell: parts for cell, parts in found.items() if cell in counts or parts[1] or not counts}
    cells = [
        _exported_cell(cell, listed_text(code), listed_text(printed), counts.get(cell, ""))
        for cell, (code, printed) in sorted(shown.items())
    ]
    return Notebook(file=document.file, cells=tuple(cells)) if any(cell.source for cell in cells) else None


def _exported_cell(index: int, source: str, output: str, count: str) -> Cell:
    errors = _ERROR.findall(output) if _TRACEBACK in output else []
    return Cell(
        index=index,
        kind=CellKind.CODE,
        source=source,
        execution_count=int(count) if count.isdecimal() else None,
        output=output,
        error=errors[-1] if errors else None,
    )


def listed_text(blocks: Sequence[Block]) -> str:
    """The lines of code or of output as they stood, with the blank ones between them."""
    lines = [block.text for block in blocks[:1]]
    for before, block in pairwise(blocks):
        skipped = (block.line or 0) - (before.line or 0) - 1
        lines += [""] * min(max(skipped, 0), _MOST_SKIPPED)
        lines.append(block.text)
    return "\n".join(lines)


MOST_VERSIONS: Final = 2_000
_LONGEST: Final = 20_000
_VERSION: Final = r"\d[\w.!+]{0,40}"
_NAME: Final = r"[A-Za-z0-9][\w.-]{0,80}"
_INSTALLED: Final = re.compile(rf"Successfully installed ([^\n]{{1,{_LONGEST}}})")
_PRESENT: Final = re.compile(
    rf"Requirement already satisfied: ({_NAME})[^\n]{{0,600}}?\(({_VERSION})\)[ \t]*$", re.MULTILINE
)
_ADDED: Final = re.compile(rf"^ ?\+ ({_NAME})==({_VERSION})", re.MULTILINE)
_CONDA: Final = re.compile(rf"\S{{1,60}}::({_NAME}?)-({_VERSION})-\w{{1,60}}(?=\s|$)")
_SHOWN: Final = re.compile(rf"^Name: ({_NAME})\nVersion: ({_VERSION})", re.MULTILINE)
_LISTED: Final = re.compile(rf"^({_NAME})(?:==|[ \t]{{1,60}})({_VERSION})[ \t]*$", re.MULTILINE)
_LISTS: Final = re.compile(r"\b(?:pip3?|conda|uv)\b[^\n]{0,40}\b(?:list|freeze)\b")
_COMMAND: Final = re.compile(r"\b(?:pip3?|uv|conda|mamba)\b[^\n;&|]{0,40}?\binstall\b([^\n;&|]{1,2000})")
_PINNED: Final = re.compile(rf"(?<![\w./-])({_NAME}?)(?:\[[\w, -]{{0,60}}\])?\s?={{1,3}}\s?({_VERSION})")
_TAGGED: Final = re.compile(rf"([\w-]{{1,60}}?)(?:\.git)?@v?({_VERSION})")
_PRINTS: Final = re.compile(rf"\b([A-Za-z_]\w{{0,60}})\.__version__|\bversion\(\s?['\"]({_NAME})['\"]\s?\)")
_ALIAS: Final = re.compile(r"\bimport (\w{1,60}) as (\w{1,60})")
_BARE: Final = re.compile(r"(?<![\w.])(\d{1,4}\.\d{1,6}(?:\.\w{1,20}){0,4}(?:\+\w{1,20})?)(?![\w.]\d)")


def versions_in(cells: Iterable[Cell]) -> tuple[LibraryVersion, ...]:
    """The versions that the code cells state, in order; names in the form of the package index, `-` between words."""
    found = (version for cell in cells if cell.kind is CellKind.CODE for version in _of_cell(cell))
    return tuple(dict.fromkeys(islice(found, MOST_VERSIONS)))


def versions_told(text: str, *, is_list: bool = False) -> tuple[LibraryVersion, ...]:
    """The versions that a text without cells tells: what commands in it ask for, what an installer printed, and the
    lines of a list of requirements."""
    whole = Cell(index=0, kind=CellKind.CODE, source=text[:_LONGEST], output=text[:_LONGEST])
    lines = (line.partition("#")[0] for line in whole.source.split("\n") if is_list)
    pairs = (match.group(1, 2) for line in lines for match in _PINNED.finditer(line))
    pinned = (_made(name, version, VersionSource.ASKED, whole) for name, version in pairs)
    return tuple(dict.fromkeys(islice(chain(pinned, _asked(whole), _printed_versions(whole)), MOST_VERSIONS)))


def normal_name(name: str) -> str:
    """A distribution's name as the package index compares it (PEP 503)."""
    return re.sub(r"[-_.]+", "-", name).lower()


def _of_cell(cell: Cell) -> Iterator[LibraryVersion]:
    if "install" in cell.source:
        yield from _asked(cell)
    yield from _printed_versions(cell)
    if "version" in cell.source:
        yield from _printed(cell)


def _asked(cell: Cell) -> Iterator[LibraryVersion]:
    source = cell.source[:_LONGEST].replace("\\\n", " ").split("\n")
    lines = (line for line in source if not line.lstrip().startswith("#"))
    for command in (match[1] for line in lines for match in _COMMAND.finditer(line)):
        words = command.partition(" #")[0].replace("'", " ").replace('"', " ")
        for pattern in (_PINNED, _TAGGED):
            yield from (_made(match[1], match[2], VersionSource.ASKED, cell) for match in pattern.finditer(words))


def _printed_versions(cell: Cell) -> Iterator[LibraryVersion]:
    """Yield the versions that an installer printed."""
    text = cell.output
    if "Requirement already satisfied" in text:
        yield from (_made(name, version, VersionSource.PRESENT, cell) for name, version in _PRESENT.findall(text))
    installed: list[tuple[str, str]] = []
    for match in _INSTALLED.finditer(text) if "Successfully installed" in text else ():
        pairs = (word.rpartition("-")[::2] for word in match[1].split() if len(word) < 100)
        installed += [(name, version) for name, version in pairs if name and version[:1].isdigit()]
    for mark, pattern in (("+ ", _ADDED), ("::", _CONDA), ("Name: ", _SHOWN)):
        if mark in text and (pattern is not _ADDED or "==" in text):
            installed += pattern.findall(text[:200_000])
    if _LISTS.search(cell.source[:_LONGEST]):
        installed += _LISTED.findall(text[:200_000])
    yield from (_made(name, version, VersionSource.INSTALLED, cell) for name, version in installed)


def _printed(cell: Cell) -> Iterator[LibraryVersion]:
    """Yield the versions that the code printed with `library.__version__`, if it is clear which number belongs to which
    library."""
    source = "\n".join(line.partition("#")[0] for line in cell.source[:_LONGEST].split("\n"))
    aliases = {short: name for name, short in _ALIAS.findall(source)}
    names = [str(match[1] or match[2]) for match in _PRINTS.finditer(source)]
    lines = cell.output[:_LONGEST].split("\n")
    kept = [output for output in cell.outputs if output.kind in (OutputKind.STDOUT, OutputKind.RESULT)]
    output_lines = (
        [line for output in kept for line in lines[output.line - 1 : output.line - 1 + output.lines]]
        if cell.outputs
        else lines
    )
    numbers = [number for line in output_lines for number in _BARE.findall(line[:300])]
    names = list(dict.fromkeys(names)) if len(set(names)) == len(numbers) else names
    if len(names) == len(numbers):
        for name, number in zip(names, numbers, strict=True):
            yield _made(aliases.get(name, name), number, VersionSource.PRINTED, cell)


def _made(name: str, version: str, source: VersionSource, cell: Cell) -> LibraryVersion:
    return LibraryVersion(name=normal_name(name), version=version.rstrip("."), source=source, cell=cell.index)

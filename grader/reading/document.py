"""One model for all texts: blocks in reading order, each with its place."""

from enum import StrEnum

from grader.frozen import Frozen
from grader.message import Words
from grader.reading.evidence import Box, Evidence
from grader.reading.maths.formula import Formula


class BlockKind(StrEnum):
    """What a block is."""

    HEADING = "heading"
    LINE = "line"
    LIST_ITEM = "list-item"
    ROW = "row"
    CODE = "code"
    OUTPUT = "output"
    MATH = "math"
    CAPTION = "caption"
    FIGURE = "figure"


class RepairKind(StrEnum):
    """Why characters of a block were inferred rather than read."""

    POWER = "power"
    INDEX = "index"
    FRACTION = "fraction"
    UNDERSCORE = "underscore"
    ACCENT = "accent"
    LIGATURE = "ligature"
    JOINED = "joined"
    HYPHEN = "hyphen"


class Repair(Frozen):
    """`text[start:end]` of a block was inferred from how it stands on the page. For something left out, such as a
    hyphen at a line's end, start and end are equal."""

    kind: RepairKind
    start: int
    end: int


class Block(Frozen):
    """One line of text. `cells` holds the texts of a table row's cells; `level` is a heading's depth from 1; a figure's
    text is empty or what describes it. `repairs` mark the characters that were inferred; `formulas` are those within
    the text. `file` is set where a block stands in another file than its document, one that the document includes."""

    kind: BlockKind
    text: str
    level: int | None = None
    cells: tuple[str, ...] = ()
    page: int | None = None
    box: Box | None = None
    line: int | None = None
    cell: int | None = None
    repairs: tuple[Repair, ...] = ()
    formulas: tuple[Formula, ...] = ()
    file: str | None = None


class Document(Frozen):
    """A text as read. `exact` is false where characters may have been lost or joined on the way (text out of a PDF):
    then an equation that does not hold may be the reader's fault. `furniture` are running heads, feet and page numbers.
    `problems` say what could not be read."""

    file: str
    exact: bool
    blocks: tuple[Block, ...] = ()
    furniture: tuple[Block, ...] = ()
    pages: int | None = None
    problems: tuple[Words, ...] = ()

    def evidence(self, block: Block, quote: str | None = None) -> Evidence:
        """The place of a block; `quote` defaults to its whole text."""
        return Evidence(
            file=block.file or self.file,
            page=block.page,
            box=block.box,
            line=block.line,
            cell=block.cell,
            quote=block.text if quote is None else quote,
        )

"""One model for all texts: blocks in reading order, each with its place, and the formulas in them, within bounds for
the whole document.
"""

from collections.abc import Callable, Iterable, Iterator
from enum import Enum
from typing import Annotated, Final

from pydantic import Field

from grader.frozen import Frozen
from grader.message import Words
from grader.reading.evidence import Box as Box
from grader.reading.evidence import Evidence as Evidence
from grader.reading.maths.formula import Formula, formulas_in, formulas_of


class BlockKind(Enum):
    """The kind of a block."""

    HEADING = "heading"
    LINE = "line"
    LIST_ITEM = "list-item"
    ROW = "row"
    CODE = "code"
    OUTPUT = "output"
    MATH = "math"
    CAPTION = "caption"
    FIGURE = "figure"


class Voice(Enum):
    """The speaker in a line of code or of an output, and the kind of that line; all other lines are the student's
    words.

    `CODE` is the student's, `TYPED` such of it as holds data, and `PRINT` what it prints in words of its own. `FIGURES`
    are printed by a program: they are measured, but the words beside them state nothing. The others yield nothing:
    bars of progress, lines of a logger or an installer, settings, modules of a model, and rows of data or arrays.
    """

    CODE = "code"
    TYPED = "typed"
    PRINT = "print"
    FIGURES = "figures"
    BAR = "bar"
    LOG = "log"
    SETTINGS = "settings"
    MODULES = "modules"
    DATA = "data"

    @property
    def is_heard(self) -> bool:
        """Whether it may yield anything."""
        return self.is_code or self in (Voice.PRINT, Voice.FIGURES)

    @property
    def is_code(self) -> bool:
        """Whether it is a line of code."""
        return self in (Voice.CODE, Voice.TYPED)


class RepairKind(Enum):
    """The reason why characters of a block were inferred rather than read."""

    POWER = "power"
    INDEX = "index"
    FRACTION = "fraction"
    UNDERSCORE = "underscore"
    ACCENT = "accent"
    LIGATURE = "ligature"
    JOINED = "joined"
    HYPHEN = "hyphen"
    RECOGNISED = "recognised"


class Repair(Frozen):
    """`text[start:end]` of a block was inferred from the layout of the page, or is `RECOGNISED` in a picture and
    uncertain. For an omission, such as a hyphen at a line's end, start and end are equal."""

    kind: RepairKind
    start: int
    end: int


class ReadingDoubt(Enum):
    """A reason to doubt that some lines hold what was read there.

    `DRAWN`: formulas or words are drawn instead of written. `LOST`: the program that made the file left formulas out.
    `GARBLED`: signs of a formula mean nothing in the file, or it stands twice. `MISALIGNED`: the columns of a table do
    not stand below each other. `OVERLAPPING`: words are printed over each other. `CUT`: the page's edge, or that of a
    column, cuts a formula.
    """

    DRAWN = "drawn"
    LOST = "lost"
    GARBLED = "garbled"
    MISALIGNED = "misaligned"
    OVERLAPPING = "overlapping"
    CUT = "cut"


class Block(Frozen):
    """One line of text. `cells` holds the texts of a table row's cells; `level` is a heading's depth from 1; a figure's
    text is empty or what describes it. `repairs` mark the characters that were inferred; `formulas` are those within
    the text. `file` is set where a block stands in another file than its document, one that the document includes.
    `starts_paragraph`: a line begins a paragraph, by the marks of its format; false where the lines themselves tell.
    `in_line`: a figure that stands within lines of text, where it shows words or a formula, or what is read there is
    `unsure` for a reason. `quoted`: a listing within
    a text cell of a notebook, which is no code that was run. `recognised`: OCR read it in a picture. `beyond` is how a
    line goes on beyond the edge of its page, where nobody sees it. `voice` tells who speaks in code and in an output,
    once that is decided (`claims/voice.py`). `digest`: of a figure's content, if it is known.
    `assigned`: the question whose answer a person said this to be, empty for
    none (`reading/assigned.py`)."""

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
    starts_paragraph: bool = False
    in_line: bool = False
    unsure: ReadingDoubt | None = None
    quoted: bool = False
    recognised: bool = False
    beyond: str = ""
    voice: Voice | None = None
    digest: str = ""
    assigned: str | None = None

    def evidence(self, file: str, quote: str) -> Evidence:
        """The place of the block, which stands in a file unless it names another one, with words of it."""
        return Evidence(
            file=self.file or file,
            page=self.page,
            box=self.box,
            line=self.line,
            cell=self.cell,
            quote=quote,
            recognised=self.recognised,
        )


class Document(Frozen):
    """A text as read. `exact` is false where characters may have been lost or joined on the way (text out of a PDF):
    then an equation that does not hold may be the reader's fault. `furniture` are running heads, feet and page numbers.
    `hidden` are lines that cannot be seen in the file and count for nothing. `problems` say what could not be read."""

    file: str
    exact: bool
    blocks: tuple[Block, ...] = ()
    furniture: tuple[Block, ...] = ()
    hidden: tuple[Block, ...] = ()
    pages: int | None = None
    problems: tuple[Words, ...] = ()

    def evidence(self, block: Block, quote: str | None = None) -> Evidence:
        """The place of a block; `quote` defaults to its whole text."""
        return block.evidence(self.file, block.text if quote is None else quote)


MOST_FORMULAS: Final = 5_000
"""Number of formulas that are parsed in one document; a report has a few hundred."""

MOST_CHARACTERS: Final = 400_000
"""Characters of formulas that are parsed in one document."""

_NO_MATHS: Final = (BlockKind.CODE, BlockKind.OUTPUT, BlockKind.FIGURE)


def with_formulas(blocks: Iterable[Block]) -> list[Block]:
    """The blocks with the parsed formulas that `$…$` and the like mark in their texts; code and output have none."""

    def found(block: Block) -> tuple[Formula, ...]:
        return _marked_formulas(block) if block.formulas else formulas_in(block.text)

    return list(_bounded(blocks, found, lambda block: bool(block.formulas) or "$" in block.text or "\\" in block.text))


def with_parsed_formulas(blocks: Iterable[Block]) -> list[Block]:
    """The blocks with those formulas parsed whose places are known."""
    return list(_bounded(blocks, _marked_formulas, lambda block: bool(block.formulas)))


def _marked_formulas(block: Block) -> tuple[Formula, ...]:
    return tuple(found for place in block.formulas for found in formulas_of(block.text, place.start, place.end))


def _bounded(
    blocks: Iterable[Block], read: Callable[[Block], tuple[Formula, ...]], may_hold: Callable[[Block], bool]
) -> Iterator[Block]:
    formulas, characters = MOST_FORMULAS, MOST_CHARACTERS
    for block in blocks:
        if block.kind in _NO_MATHS or formulas <= 0 or characters <= 0 or not may_hold(block):
            yield block
            continue
        found = read(block)
        formulas -= max(len(found), len(block.formulas))
        characters -= sum(formula.end - formula.start for formula in found)
        yield block.model_copy(update={"formulas": found}) if found or block.formulas else block


SECTIONS: Final = "(sections)"
"""Stands for the sections of a hand-in where else the id of an item stands: no item is called so."""


class Part(Frozen):
    """The beginning of the answer to a question: at the unit `at`, counted from 0 in its file, which begins with
    `words`. The answer ends where the next part of the file begins. Without a question, the text belongs to none."""

    file: str
    at: Annotated[int, Field(ge=0)]
    words: str
    question: str = ""

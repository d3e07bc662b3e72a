"""View model of a file of a hand-in as it looks: a page of a PDF with the boxes of the evidence, or the blocks that
were read of another file, laid out as text with its pictures. Nothing of the file itself reaches the browser.
"""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import chain, groupby
from pathlib import PurePosixPath
from typing import Final, NamedTuple
from urllib.parse import quote, urlencode

from grader.frozen import Frozen
from grader.intake.submission import REPORT_FORMATS
from grader.message import Language, say, say_number
from grader.pipeline.sheets import Drawing, SheetError, Sheets, Spot, is_pdf
from grader.reading.document import Block, BlockKind
from grader.reading.notebook import notebook_document
from grader.reading.pictures import PICTURES
from grader.reading.reading import Reading
from grader.report.views.wording import clip, clip_middle, place, printable
from grader.result import Evidence, Result
from grader.serve.sources import MOST_LINES, holds, is_near

MOST_FILES: Final = 40
_MARKED: Final = (*REPORT_FORMATS["markdown"], ".ipynb")
_LONGEST: Final = 2_000
_MOST_ROWS: Final = 400
_LISTED: Final = (BlockKind.CODE, BlockKind.OUTPUT)
_END: Final = Block(kind=BlockKind.FIGURE, text="")
"""Stands behind all blocks of a file, for the pictures whose place is not known."""
_MOST_GAP: Final = 3
"""Blank lines that are shown between two lines of code."""


class Frame(Frozen):
    """The place of a piece of evidence on a page, in points as SVG takes them; `is_meant`: it is the one asked for."""

    x: str
    y: str
    width: str
    height: str
    is_meant: bool


class Span(NamedTuple):
    """A part of a line, `style` is `strong`, `code` or empty."""

    text: str
    style: str = ""


class Words(Frozen):
    """A line, and whether it holds what was asked for."""

    spans: tuple[Span, ...] = ()
    is_meant: bool = False


class Piece(Frozen):
    """Neighbouring blocks of one kind: lines, the rows of a table, or pictures by their addresses. `cell` is set where
    a cell of a notebook begins; `is_meant`: the piece that holds the first of what was asked for."""

    kind: str
    level: int = 0
    lines: tuple[Words, ...] = ()
    rows: tuple[tuple[str, ...], ...] = ()
    pictures: tuple[str, ...] = ()
    cell: str = ""
    is_meant: bool = False


class Tab(Frozen):
    """A file that can be shown."""

    name: str
    link: str
    is_shown: bool


class SheetPage(Frozen):
    """A file of a hand-in. A page of a PDF has an `image` and its size in points; `problem` says why something is not
    shown."""

    student: str
    name: str
    file: str
    place: str
    tabs: tuple[Tab, ...]
    image: str = ""
    width: str = ""
    height: str = ""
    frames: tuple[Frame, ...] = ()
    page: int = 0
    pages: int = 0
    previous: str = ""
    next: str = ""
    pieces: tuple[Piece, ...] = ()
    problem: str = ""


def sheet_link(student: str, item: str = "", number: int | None = None, file: str = "", page: int = 0) -> str:
    """The address of a file of a hand-in, at a piece of an item's evidence where there is one."""
    asked = {"item": item, "evidence": number, "file": file, "page": page or None}
    query = urlencode({name: value for name, value in asked.items() if value not in (None, "")})
    return f"/students/{quote(student, safe='')}/sheet{'?' * bool(query)}{query}"


def picture_link(student: str, file: str, page: int, number: int) -> str:
    """The address of a picture of `Sheets`."""
    return f"/pages/{quote(student, safe='')}/{page}/{number}.png?{urlencode({'file': file})}"


class RequestedPlace(Frozen):
    """The place that somebody wants to see: a piece of an item's evidence, or another place of the hand-in."""

    item: str = ""
    evidence: int | None = None
    file: str = ""
    page: int = 0


def sheet_page(
    sheets: Sheets, reading: Reading | None, result: Result, asked: RequestedPlace, language: Language, as_of: object
) -> SheetPage:
    """A file of a hand-in where the asked evidence stands, or at the asked place. Raises LookupError for a file that
    the hand-in does not have."""
    evidence, number, file = _resolved(result, asked)
    meant = None if number is None else evidence[number]
    here = meant if meant and meant.file == file else None
    link = partial(sheet_link, result.student.id, asked.item, number)
    in_order = sorted(
        result.submission.files, key=lambda candidate: (candidate.path != file, candidate.state == "ignored")
    )
    shown = SheetPage(
        student=result.student.id,
        name=clip(result.student.name or result.student.id, 60),
        file=file,
        place=place(here, language) if here else clip_middle(file),
        tabs=tuple(
            Tab(name=clip_middle(candidate.path), link=link(candidate.path), is_shown=candidate.path == file)
            for candidate in in_order[:MOST_FILES]
        ),
    )
    try:
        if is_pdf(file):
            page = asked.page or (here.page if here else None) or 1
            drawn = sheets.draw_page(result, file, page, as_of)
            return _printed(shown, drawn, page, tuple(_frames(evidence, here, file, page)), link)
        return _laid_out(shown, sheets, reading, result, here, language, as_of)
    except SheetError as error:
        return shown.model_copy(update={"problem": language.say(error.reason)})


def _resolved(result: Result, asked: RequestedPlace) -> tuple[Sequence[Evidence], int | None, str]:
    """The evidence of the asked item, the number of the piece that is meant, and the file to show."""
    evidence = next((item.evidence for item in result.items if item.id == asked.item), ())
    number = asked.evidence if asked.evidence is not None and asked.evidence < len(evidence) else None
    names = [candidate.path for candidate in result.submission.files]
    report = result.submission.report or next(iter(names), "")
    file = asked.file or (report if number is None else evidence[number].file)
    if file not in names:
        raise LookupError(file)
    return evidence, number, file


def _printed(
    shown: SheetPage, drawn: Drawing, page: int, frames: tuple[Frame, ...], link: Callable[[str, int], str]
) -> SheetPage:
    """A page of a PDF, between its neighbours."""
    return shown.model_copy(
        update={
            "image": picture_link(shown.student, shown.file, page, 0),
            "width": f"{drawn.width:g}",
            "height": f"{drawn.height:g}",
            "frames": frames,
            "page": page,
            "pages": drawn.pages,
            "previous": link(shown.file, page - 1) if page > 1 else "",
            "next": link(shown.file, page + 1) if page < drawn.pages else "",
        }
    )


def _laid_out(
    shown: SheetPage,
    sheets: Sheets,
    reading: Reading | None,
    result: Result,
    meant: Evidence | None,
    language: Language,
    as_of: object,
) -> SheetPage:
    """Return the page with the reading of a file without pages, with its pictures as far as they can be drawn."""
    blocks, drawn, problem = _blocks(reading, shown.file), Drawing(), ""
    suffix = PurePosixPath(shown.file).suffix.lower()
    if suffix in PICTURES or any(block.kind is BlockKind.FIGURE for block in blocks):
        try:
            drawn = sheets.draw_page(result, shown.file, 1, as_of)
        except SheetError as error:
            problem = language.say(error.reason)
    if drawn.unseen:
        message = say_number("{number} picture cannot be shown.", "{number} pictures cannot be shown.", drawn.unseen)
        problem = language.say(message)
    pictures = [picture_link(shown.student, shown.file, 1, number) for number in range(len(drawn.spots))]
    if not (blocks or pictures or problem):
        problem = language.say(say("Nothing was read of this file."))
    pieces = _pieces((*blocks, _END), meant, _placed(blocks, drawn), pictures, language, is_marked=suffix in _MARKED)
    return shown.model_copy(update={"pieces": tuple(pieces), "problem": problem})


def _frames(evidence: Sequence[Evidence], meant: Evidence | None, file: str, page: int) -> Iterator[Frame]:
    """The boxes of evidence on a page, each once and a little larger than its words."""
    for box in dict.fromkeys(
        candidate.box for candidate in evidence if (candidate.file, candidate.page) == (file, page)
    ):
        if box:
            left, top, right, bottom = box
            yield Frame(
                x=f"{left - 2:.2f}",
                y=f"{top - 2:.2f}",
                width=f"{max(right - left, 1) + 4:.2f}",
                height=f"{max(bottom - top, 1) + 4:.2f}",
                is_meant=meant is not None and box == meant.box,
            )


def _blocks(reading: Reading | None, file: str) -> tuple[Block, ...]:
    """Return the blocks that were read of a file, a notebook cell by cell."""
    documents = chain(map(notebook_document, reading.notebooks), reading.documents) if reading else ()
    for document in documents:
        if own_blocks := [block for block in document.blocks if (block.file or document.file) == file]:
            return tuple(own_blocks[:MOST_LINES])
    return ()


def _placed(blocks: Sequence[Block], drawn: Drawing) -> list[int]:
    """For each picture the number of the block that it stands at; the number of blocks where that is not known."""
    figures = [number for number, block in enumerate(blocks) if block.kind is BlockKind.FIGURE]
    if len(figures) == len(drawn.spots):
        return figures
    found = []
    for spot in drawn.spots:
        at = (spot.cell, spot.line or MOST_LINES)
        before = [number for number, block in enumerate(blocks) if block.cell == at[0] and (block.line or 0) <= at[1]]
        found.append(before[-1] if before and spot != Spot() else len(blocks))
    return found


def _pieces(
    blocks: Sequence[Block],
    meant: Evidence | None,
    placed: Sequence[int],
    pictures: Sequence[str],
    language: Language,
    *,
    is_marked: bool,
) -> Iterator[Piece]:
    """The blocks as pieces, each picture behind what stands at its place."""
    first = next((number for number, block in enumerate(blocks) if _is_meant(block, meant)), -1)
    cell: int | None = None
    at = 0
    for _, group in groupby(blocks, key=_together):
        own_blocks = list(group)
        number = own_blocks[0].cell
        changed = {
            "cell": "" if number in (cell, None) else language.say(say("cell {cell}", cell=number)),
            "is_meant": at <= first < at + len(own_blocks),
        }
        if own_blocks[0].text or own_blocks[0].cells:
            yield _piece(own_blocks, meant, is_marked=is_marked).model_copy(update=changed)
        here = tuple(url for url, place in zip(pictures, placed, strict=True) if at <= place < at + len(own_blocks))
        if here:
            yield Piece(kind="pictures", pictures=here)
        at += len(own_blocks)
        cell = number


def _is_row(block: Block) -> bool:
    return bool(block.cells) and block.kind in (BlockKind.ROW, BlockKind.OUTPUT)


def _together(block: Block) -> tuple[object, ...]:
    """Blocks with the same key that follow each other make one piece."""
    if _is_row(block) or block.kind in _LISTED:
        return block.kind, _is_row(block), block.cell
    return block.kind, block.cell, block.line, block.text


def _piece(own_blocks: Sequence[Block], meant: Evidence | None, *, is_marked: bool) -> Piece:
    if _is_row(own_blocks[0]):
        rows = (tuple(printable(text[:_LONGEST]) for text in block.cells) for block in own_blocks[:_MOST_ROWS])
        return Piece(kind="table", rows=tuple(rows))
    lines: list[Words] = []
    for before, block in zip((own_blocks[0], *own_blocks), own_blocks, strict=False):
        gap = (block.line or 0) - (before.line or 0) - 1
        text = printable(block.text[:_LONGEST])
        is_set = is_marked and block.kind not in (*_LISTED, BlockKind.MATH)
        spans = tuple(_spans(text)) if is_set else (Span(text),)
        lines += [*[Words()] * min(max(gap, 0), _MOST_GAP), Words(spans=spans, is_meant=_is_meant(block, meant))]
    return Piece(kind=own_blocks[0].kind.value, level=min(own_blocks[0].level or 0, 4), lines=tuple(lines))


def _spans(text: str) -> Iterator[Span]:
    """A line of Markdown with what it sets as code and in bold; marks without a partner stand as they are."""
    listed = text.split("`")
    for number, part in enumerate(listed if len(listed) % 2 else [text]):
        bold = part.split("**")
        if number % 2:
            yield Span(part, "code")
        elif len(bold) % 2:
            yield from (Span(candidate, "strong" if at % 2 else "") for at, candidate in enumerate(bold) if candidate)
        elif part:
            yield Span(part)


def _is_meant(block: Block, meant: Evidence | None) -> bool:
    if meant is None or block.cell != meant.cell:
        return False
    return is_near(block.page, block.line, meant) and holds(block.text, meant.quote)

"""View model of a file of a hand-in as it looks: a page of a PDF with the boxes of the evidence, or the blocks that
were read of another file, laid out as text with its pictures. Nothing of the file itself reaches the browser.
"""

from collections.abc import Iterator, Sequence
from functools import partial
from itertools import groupby
from pathlib import PurePosixPath
from typing import Final, NamedTuple
from urllib.parse import quote, urlencode

from grader.frozen import Frozen
from grader.intake.submission import REPORT_FORMATS
from grader.message import Language, say
from grader.pipeline.sheets import PICTURES, Drawn, SheetError, Sheets, is_pdf
from grader.reading.document import Block, BlockKind
from grader.reading.log import Reading
from grader.reading.notebook import notebook_document
from grader.report.views.wording import clip, clip_middle, place, printable
from grader.result import Evidence, ItemResult, Result
from grader.serve.sources import MOST_LINES, holds, is_near

MOST_FILES: Final = 40
_MARKED: Final = (*REPORT_FORMATS["markdown"], ".ipynb")
_LONGEST: Final = 2_000
_MOST_ROWS: Final = 400
_LISTED: Final = (BlockKind.CODE, BlockKind.OUTPUT)
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
    a cell of a notebook begins; `is_meant`: the first piece that holds what was asked for."""

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


class Asked(Frozen):
    """What somebody wants to see: a piece of an item's evidence, or another place of the hand-in."""

    item: str = ""
    evidence: int | None = None
    file: str = ""
    page: int = 0


def sheet_page(
    sheets: Sheets, reading: Reading | None, result: Result, asked: Asked, language: Language, as_of: object
) -> SheetPage:
    """A file of a hand-in where the asked evidence stands, or at the asked place. Raises LookupError for a file that
    the hand-in does not have."""
    item = next((one for one in result.items if one.id == asked.item), None)
    number = asked.evidence if item and asked.evidence is not None and asked.evidence < len(item.evidence) else None
    meant = item.evidence[number] if item and number is not None else None
    names = [one.path for one in result.submission.files]
    file = asked.file or (meant.file if meant else "") or result.submission.report or next(iter(names), "")
    if file not in names:
        raise LookupError(file)
    student = result.student.id
    link = partial(sheet_link, student, asked.item, number)
    shown = SheetPage(
        student=student,
        name=clip(result.student.name or student, 60),
        file=file,
        place=place(meant, language) if meant and meant.file == file else clip_middle(file),
        tabs=tuple(
            Tab(name=clip_middle(one), link=link(one), is_shown=one == file)
            for one in _seen_first(names, file, result)[:MOST_FILES]
        ),
    )
    here = meant if meant and meant.file == file else None
    if not is_pdf(file):
        return shown.model_copy(update=_laid_out(sheets, reading, result, file, here, language, as_of))
    page = asked.page or (here.page if here else None) or 1
    try:
        drawn = sheets.drawn(result, file, page, as_of)
    except SheetError as error:
        return shown.model_copy(update={"problem": language.say(error.reason)})
    links = [link(file, beside) for beside in (page - 1, page + 1)]
    return shown.model_copy(
        update={
            "image": picture_link(student, file, page, 0),
            "width": f"{drawn.width:g}",
            "height": f"{drawn.height:g}",
            "frames": tuple(_frames(item, here, file, page)),
            "page": page,
            "pages": drawn.pages,
            "previous": links[0] if page > 1 else "",
            "next": links[1] if page < drawn.pages else "",
        }
    )


def _laid_out(
    sheets: Sheets,
    reading: Reading | None,
    result: Result,
    file: str,
    meant: Evidence | None,
    language: Language,
    as_of: object,
) -> dict[str, object]:
    """What is shown of a file that has no pages."""
    blocks, drawn, problem = _blocks(reading, file), Drawn(), ""
    has_pictures = any(block.kind is BlockKind.FIGURE for block in blocks)
    if has_pictures or PurePosixPath(file).suffix.lower() in PICTURES:
        try:
            drawn = sheets.drawn(result, file, 1, as_of)
        except SheetError as error:
            problem = language.say(error.reason)
    if drawn.unseen:
        problem = language.say(say("{count} pictures of this file cannot be shown.", count=drawn.unseen))
    pictures = [picture_link(result.student.id, file, 1, number) for number in range(len(drawn.spots))]
    if not blocks and not pictures and not problem:
        problem = language.say(say("Nothing was read of this file."))
    is_marked = PurePosixPath(file).suffix.lower() in _MARKED
    pieces = _pieces(blocks, meant, drawn, pictures, language, is_marked=is_marked)
    return {"pieces": tuple(pieces), "problem": problem}


def _seen_first(names: Sequence[str], file: str, result: Result) -> list[str]:
    """The files with the report first, then those that were read."""
    states = {one.path: one.state for one in result.submission.files}
    report = result.submission.report
    return sorted(names, key=lambda one: (one != file, one != report, states[one] == "ignored"))


def _frames(item: ItemResult | None, meant: Evidence | None, file: str, page: int) -> Iterator[Frame]:
    """The boxes of an item's evidence on a page, each once and a little larger than its words."""
    boxes = {one.box: one for one in (item.evidence if item else ()) if (one.file, one.page) == (file, page)}
    for box in boxes:
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
    """What was read of a file, a notebook cell by cell."""
    if reading is None:
        return ()
    notebooks = [notebook_document(one) for one in reading.notebooks if one.file == file]
    documents = notebooks or [
        one for one in reading.documents if one.file == file or any(block.file == file for block in one.blocks)
    ]
    own = [block for one in documents[:1] for block in one.blocks if (block.file or one.file) == file]
    return tuple(own[:MOST_LINES])


def _pieces(
    blocks: Sequence[Block],
    meant: Evidence | None,
    drawn: Drawn,
    pictures: Sequence[str],
    language: Language,
    *,
    is_marked: bool,
) -> Iterator[Piece]:
    """The blocks as pieces, each picture behind what stands at its place, and the others at the end."""
    placed = _placed(blocks, drawn)
    cell: int | None = None
    is_found = False
    at = 0
    for _, group in groupby(blocks, key=_together):
        own = list(group)
        piece = _piece(own, meant, is_marked=is_marked)
        if own[0].cell != cell and own[0].cell is not None:
            piece = piece.model_copy(update={"cell": language.say(say("cell {cell}", cell=own[0].cell))})
        cell = own[0].cell
        if piece.is_meant and is_found:
            piece = piece.model_copy(update={"is_meant": False})
        is_found = is_found or piece.is_meant
        if piece.lines or piece.rows:
            yield piece
        here = tuple(pictures[number] for number in range(len(pictures)) if at <= placed[number] < at + len(own))
        if here:
            yield Piece(kind="pictures", pictures=here, is_meant=False)
        at += len(own)
    if rest := tuple(pictures[number] for number in range(len(pictures)) if placed[number] >= len(blocks)):
        yield Piece(kind="pictures", pictures=rest)


def _placed(blocks: Sequence[Block], drawn: Drawn) -> list[int]:
    """For each picture the number of the block that it stands at; the number of blocks where that is not known."""
    figures = [number for number, block in enumerate(blocks) if block.kind is BlockKind.FIGURE]
    if len(figures) == len(drawn.spots):
        return figures
    found = []
    for spot in drawn.spots:
        before = [
            number
            for number, block in enumerate(blocks)
            if block.cell == spot.cell and (spot.line is None or (block.line or 0) <= spot.line)
        ]
        is_known = spot.cell is not None or spot.line is not None
        found.append(before[-1] if before and is_known else len(blocks))
    return found


def _together(block: Block) -> tuple[object, ...]:
    """Blocks with the same key that follow each other make one piece."""
    is_row = bool(block.cells) and block.kind in (BlockKind.ROW, BlockKind.OUTPUT)
    if is_row or block.kind in _LISTED:
        return block.kind, is_row, block.cell
    return block.kind, block.cell, block.line, block.text


def _piece(own: Sequence[Block], meant: Evidence | None, *, is_marked: bool) -> Piece:
    first = own[0]
    quoted = [_is_meant(block, meant) for block in own]
    if first.cells and first.kind in (BlockKind.ROW, BlockKind.OUTPUT):
        rows = tuple(tuple(printable(text[:_LONGEST]) for text in block.cells) for block in own[:_MOST_ROWS])
        return Piece(kind="table", rows=rows, is_meant=any(quoted))
    lines: list[Words] = []
    for number, (block, is_quoted) in enumerate(zip(own, quoted, strict=True)):
        gap = (block.line or 0) - (own[number - 1].line or 0) - 1 if number else 0
        lines += [Words()] * min(max(gap, 0), _MOST_GAP)
        text = printable(block.text[:_LONGEST])
        is_set = is_marked and block.kind not in (*_LISTED, BlockKind.MATH)
        spans = tuple(_spans(text)) if is_set else (Span(text),) if text else ()
        lines.append(Words(spans=spans, is_meant=is_quoted))
    kept = tuple(lines) if first.kind in _LISTED else tuple(line for line in lines if line.spans)
    return Piece(kind=first.kind.value, level=min(first.level or 0, 4), lines=kept, is_meant=any(quoted))


def _spans(text: str) -> Iterator[Span]:
    """A line of Markdown with what it sets as code and in bold; marks without a partner stand as they are."""
    listed = text.split("`")
    for number, part in enumerate(listed if len(listed) % 2 else [text]):
        bold = part.split("**")
        if number % 2:
            yield Span(part, "code")
        elif len(bold) % 2:
            yield from (Span(one, "strong" if at % 2 else "") for at, one in enumerate(bold) if one)
        elif part:
            yield Span(part)


def _is_meant(block: Block, meant: Evidence | None) -> bool:
    if meant is None or not is_near(block.page, block.line, meant) or block.cell != meant.cell:
        return False
    return holds(block.text, meant.quote)

"""Reads PDF files: rebuilds lines, tables and formulas from positioned characters, separates running heads and feet,
and joins words and numbers that are split at a line's end.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from itertools import groupby, pairwise, takewhile
from pathlib import Path
from statistics import median
from typing import Any, Final, NamedTuple

from grader.intake.archive import ENCRYPTED
from grader.intake.submission import SubmittedFile
from grader.message import Message, Words, label_text, say
from grader.reading.bytes_in import read_up_to
from grader.reading.document import Block, BlockKind, Box, Document, ReadingDoubt, Repair, RepairKind
from grader.reading.pdf.blocks import blocks_of, body_of, plain_blocks
from grader.reading.pdf.characters import LOST, THIN
from grader.reading.pdf.drawings import with_figures
from grader.reading.pdf.glyphs import Turn, rounded_box
from grader.reading.pdf.marks import PageLine
from grader.reading.pdf.page import Page, page_lines, scan_lines
from grader.reading.pdf.repeats import repairs_within, without_repeats
from grader.reading.pdf.scans import MOST_SCANNED, Scan
from grader.reading.pdf.shapes import Fonts
from grader.reading.structure import with_notes_in_place
from grader.reading.tesseract import Failure, is_there
from grader.reading.visibility import HIDDEN_TEXT

_HEAD, _FOOT = 0.16, 0.81
"""In heights of the page: running heads end above the first, feet begin below the second. In LaTeX's article feet
begin at 0.87 on letter paper, and at 0.82 where its text is set for letter paper and the page is A4, as it often is."""

_MARGIN: Final = 0.05
"""In heights of the page: what repeats so close to its edge is furniture however close the text comes, as in pages
that a browser prints."""

_DEEP_FOOT: Final = 0.88
"""Below this height a number that stands alone is a page's number whichever page it counts."""

_APART: Final = 1.7
"""In em, from baseline to baseline: what stands closer to the text belongs to it."""

_UNUSUAL: Final = 1.4
"""In the page's usual distances between lines."""

_FEW_LINES: Final = 4
_MOST_LINES: Final = 4
_MOST_COMPARED: Final = 400
_NUMBER: Final = re.compile(r"\d+")
_PAGE_NUMBER: Final = re.compile(
    r"[-–—\s]*(?:page\s*)?(\d{1,3})(?:\s*(?:/|of|sur|de)\s*\d{1,3})?[-–—\s]*", re.IGNORECASE
)


class PageText(NamedTuple):
    """A page's number from 1, its height in points, and its lines in reading order."""

    number: int
    height: float
    lines: list[PageLine]


_Places = dict[tuple[str, int], list[tuple[PageText, tuple[int, ...]]]]
"""By the words and height of a line: the pages on which it stands there, with its numbers on each."""


def split_furniture(pages: Sequence[PageText], count: int) -> tuple[list[PageLine], list[PageLine]]:
    """The lines that say something, and the furniture. A line is furniture when it stands apart at the edge of its page
    and is a page number at the foot, or stands at the same place on another page with the same words and numbers, page
    numbers aside. `count` is that of all pages."""
    edges = [(page, *_edges(page)) for page in pages]
    places: _Places = {}
    for page, head, foot in edges:
        for line in {id(line): line for line in (*head, *foot, *_in_margin(page))}.values():
            places.setdefault(_place(line), []).append((page, _numbers(line)))
    body: list[PageLine] = []
    furniture: list[PageLine] = []
    for page, head, foot in edges:
        bare = len({id(line) for line in (*head, *foot)}) == len(page.lines)
        gone = {id(line) for line in _gone(page, head, foot, {} if bare else places, count)}
        for line in page.lines:
            (furniture if id(line) in gone else body).append(line)
    return body, furniture


def _gone(
    page: PageText, head: list[PageLine], foot: list[PageLine], places: _Places, count: int
) -> Iterator[PageLine]:
    """The lines at an edge, when all of them are furniture, and in the margin each that is."""
    yield from (line for line in _in_margin(page) if _repeats(line, page, places))
    if all(_repeats(line, page, places) for line in head):
        yield from head
    if all(_is_page_number(line, page, count) or _repeats(line, page, places) for line in foot):
        yield from foot


def _edges(page: PageText) -> tuple[list[PageLine], list[PageLine]]:
    """Return the lines that stand apart at the head of a page, and at its foot."""
    ordered = sorted(page.lines, key=lambda line: line.box[1])
    upwards = sorted(page.lines, key=lambda line: line.box[1], reverse=True)
    head = sum(line.box[3] < _HEAD * page.height for line in ordered)
    foot = sum(line.box[1] > _FOOT * page.height for line in ordered)
    return _apart(ordered, head), _apart(upwards, foot)


def _in_margin(page: PageText) -> list[PageLine]:
    """The lines at the very edge of a page."""
    low, high = _MARGIN * page.height, (1 - _MARGIN) * page.height
    return [line for line in page.lines if line.box[3] < low or line.box[1] > high][: 2 * _MOST_LINES]


def _apart(ordered: list[PageLine], count: int) -> list[PageLine]:
    """The first lines from an edge inwards, `count` at most, up to the first wide gap; none where none parts them. On
    a page of several lines only a gap is wide that is so for the page, unless a page number stands alone."""
    steps = [abs(inner.box[3] - outer.box[3]) for outer, inner in pairwise(ordered)]
    usual = median(steps) if len(steps) > _FEW_LINES else 0.0
    for reach in range(1, min(count, _MOST_LINES) + 1):
        if reach == len(ordered):
            return ordered
        em = max(ordered[reach - 1].size, ordered[reach].size)
        alone = reach == 1 and _PAGE_NUMBER.fullmatch(ordered[0].text) is not None
        if steps[reach - 1] > max(_APART * em, 0.0 if alone else _UNUSUAL * usual):
            return ordered[:reach]
    return []


def _is_page_number(line: PageLine, page: PageText, count: int) -> bool:
    match = _PAGE_NUMBER.fullmatch(line.text)
    number = int(match[1]) if match else None
    is_deep = line.box[1] > _DEEP_FOOT * page.height
    return number is not None and (number == page.number or (is_deep and number <= count + 20))


def _repeats(line: PageLine, page: PageText, places: _Places) -> bool:
    """Whether another page has the same line, each number equal or as much greater as the page's own."""
    numbers = _numbers(line)
    for other, theirs in places.get(_place(line), ())[:_MOST_COMPARED]:
        step = other.number - page.number
        if step and all(b - a in (0, step) for a, b in zip(numbers, theirs, strict=True)):
            return True
    return False


def _place(line: PageLine) -> tuple[str, int]:
    return _NUMBER.sub("#", line.text), round(line.box[3])


def _numbers(line: PageLine) -> tuple[int, ...]:
    return tuple(int(digits[:18]) for digits in _NUMBER.findall(line.text))


_BROKEN: Final = re.compile(r"[(\[\"“«'‘]*((?:[^\W\d_]+-)*([^\W\d_]+))-")
_REST: Final = re.compile(r"([a-zß-öø-ÿœ]{2,})(?:-[^\W\d_]+)*[^\w\s-]*(?=\s|$)")
_WORD: Final = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*")

_SUSPENDED: Final = frozenset(("and", "or", "to", "nor", "et", "ou", "und", "oder", "bis"))
"""In `pre- and post-training` the hyphen stands for a word left out."""

_FIRST_PARTS: Final = frozenset(
    """
    all anti auto bi case co cross cutting data down drop end ex feed fine fixed four full half hand hidden high
    hyper in inter intra layer left long low macro mean mid micro mini multi near non off on one open out over
    per post pre quasi rank re real right self semi short single state step sub super task test three time token
    top two ultra un under up well wide word zero
    """.split()  # noqa: SIM905 - a list of words reads better
)
"""What stands before a hyphen that belongs to the word, in this field's language; a break alone is likelier else."""


def with_hyphens_undone(blocks: list[Block]) -> list[Block]:
    """The blocks with each word that two neighbouring lines share put on the upper one.

    The hyphen goes where the whole document shows that the word has none, or where nothing speaks for one. That a word
    was put together is marked: as a hyphen left out, or as a join behind the hyphen that was kept.
    """
    ends = [index for index in range(len(blocks) - 1) if _parts_a_word(blocks[index], blocks[index + 1])]
    if not ends:
        return blocks
    words = _words(blocks, ends)
    result: list[Block] = list(blocks)
    for index in reversed(ends):
        result[index], result[index + 1] = _mended(result[index], result[index + 1], words)
    return [block for block in result if block.text or block.kind is BlockKind.FIGURE]


def _parts_a_word(upper: Block, lower: Block) -> bool:
    runs_on = (lower.kind is BlockKind.LINE and upper.kind in (BlockKind.LINE, BlockKind.LIST_ITEM)) or (
        lower.kind is upper.kind is BlockKind.CAPTION
    )
    if not runs_on or upper.page != lower.page or not upper.text.endswith("-"):
        return False
    rest = _REST.match(lower.text)
    return bool(rest and rest[1] not in _SUSPENDED and _broken(upper))


def _broken(upper: Block) -> re.Match[str] | None:
    """The word before the hyphen: whole in group 1, what follows its own hyphens in group 2."""
    return _BROKEN.fullmatch(upper.text.rsplit(maxsplit=1)[-1])


def _words(blocks: list[Block], ends: list[int]) -> frozenset[str]:
    """The words of the document in lower case, without those that the ends of these lines part."""
    upper, lower = set(ends), {index + 1 for index in ends}
    words: set[str] = set()
    for index, block in enumerate(blocks):
        found = _WORD.findall(block.text)
        words.update(word.casefold() for word in found[index in lower : len(found) - (index in upper)])
    return frozenset(words)


def _mended(upper: Block, lower: Block, words: frozenset[str]) -> tuple[Block, Block]:
    """Both lines with the lower one's first word moved up."""
    rest = _REST.match(lower.text)
    if rest is None:
        return upper, lower
    keeps = _keeps_hyphen(upper, rest[1], words)
    text = upper.text if keeps else upper.text[:-1]
    place = len(text)
    repair = Repair(kind=RepairKind.JOINED if keeps else RepairKind.HYPHEN, start=place, end=place)
    return _moved_up(upper, lower, text, rest.end(), repair)


def _moved_up(upper: Block, lower: Block, text: str, length: int, repair: Repair) -> tuple[Block, Block]:
    """Two lines with the first characters of the lower one behind `text` on the upper one, and the repair marked."""
    gone = length + lower.text[length : length + 1].isspace()
    repairs = (*upper.repairs, repair, *repairs_within(lower, 0, length, len(text)))
    return (
        upper.model_copy(update={"text": text + lower.text[:length], "repairs": repairs}),
        lower.model_copy(
            update={"text": lower.text[gone:], "repairs": repairs_within(lower, gone, len(lower.text), -gone)}
        ),
    )


def _keeps_hyphen(upper: Block, rest: str, words: frozenset[str]) -> bool:
    broken = _broken(upper)
    if broken is None:
        return True
    whole, last = broken[1].casefold(), broken[2].casefold()
    if {f"{whole}-{rest}", f"{last}-{rest}"} & words:
        return True
    if {whole + rest, last + rest} & words:
        return False
    return last in _FIRST_PARTS or len(last) == 1 or {last, rest} <= words


_SPACES: Final = " \u00a0\u2009\u202f"
_END: Final = re.compile(rf"(?<![\w.,'/-])\d{{1,3}}(?P<groups>(?:[{_SPACES}]\d{{3}})*)$")
_START: Final = re.compile(rf"\d{{3}}(?P<groups>(?:[{_SPACES}]\d{{3}})*)(?![\w'/-]|[.,]\d)")
_GROUPED: Final = re.compile(rf"(?<![\d.,])\d{{1,3}}(?:[{_SPACES}]\d{{3}})+(?![\d])")
_UNGROUPED: Final = re.compile(r"(?<![\d.,])\d{5,}(?![\d])|\d,\d{3}(?!\d)")
_AFTER_OPERATOR: Final = re.compile(r"[=+×*·−–/:]\s*\d{1,3}$")
_BEFORE_OPERATOR: Final = re.compile(r"\s*[×*·x^]")


def with_numbers_joined(blocks: list[Block]) -> list[Block]:
    """The blocks with each number that the end of a full line parts put on the upper one. What was put together is
    marked as a join.

    Where one group stands on each line, they are one number only where the document sets its groups apart by spaces
    and the upper one follows an operator: two numbers in one place would be no formula.
    """
    spaced = any(_GROUPED.search(block.text) for block in blocks)
    spaced = spaced and not any(_UNGROUPED.search(block.text) for block in blocks)
    rights = _rights(blocks)
    result = list(blocks)
    for index in reversed(range(len(result) - 1)):
        upper, lower = result[index], result[index + 1]
        end, start = _END.search(upper.text), _START.match(lower.text)
        if not (end and start and _runs_on(upper, lower, rights)):
            continue
        grouped = end["groups"] or start["groups"]
        formula = (
            spaced and _AFTER_OPERATOR.search(upper.text) and not _BEFORE_OPERATOR.match(lower.text[start.end() :])
        )
        if grouped or formula:
            join = Repair(kind=RepairKind.JOINED, start=len(upper.text), end=len(upper.text) + 1)
            result[index], result[index + 1] = _moved_up(upper, lower, f"{upper.text} ", start.end(), join)
    return [block for block in result if block.text or block.kind is not BlockKind.LINE or block in blocks]


def _rights(blocks: Sequence[Block]) -> dict[tuple[int | None, int], float]:
    """The right end of the lines of a page that begin at about the same place."""
    rights: dict[tuple[int | None, int], float] = {}
    for block in blocks:
        if block.box and block.kind in (BlockKind.LINE, BlockKind.LIST_ITEM):
            for place in _places(block):
                rights[place] = max(rights.get(place, 0.0), block.box[2])
    return rights


def _places(block: Block) -> list[tuple[int | None, int]]:
    left = int(block.box[0] // 30) if block.box else 0
    return [(block.page, left + step) for step in (-1, 0, 1)]


def _runs_on(upper: Block, lower: Block, rights: dict[tuple[int | None, int], float]) -> bool:
    """Whether two lines are neighbours in a paragraph and the lower one's first digits had no room on the upper one."""
    if lower.kind is not BlockKind.LINE or upper.kind not in (BlockKind.LINE, BlockKind.LIST_ITEM):
        return False
    if upper.page != lower.page or not upper.box or not lower.box or "\t" in upper.text + lower.text:
        return False
    height = upper.box[3] - upper.box[1]
    if not 0 < lower.box[3] - upper.box[3] < 2 * height:
        return False
    digits = 3 * (lower.box[2] - lower.box[0]) / max(len(lower.text), 1)
    return upper.box[2] + digits > rights.get(_places(upper)[1], 0.0)


_COMMA: Final = re.compile(rf"(?<![\d.,])\d{{2}},(?:\d{{1,2}}(?![\d,])|{THIN}\d{{1,2}}\s?[%±])")
_POINT: Final = re.compile(r"(?<![\d.,])\d{2}\.\d{1,2}(?![\d.])")


def with_decimals_joined(blocks: Sequence[Block]) -> list[Block]:
    """The blocks without the thin spaces that mathematics sets behind the commas of decimal numbers, where the document
    writes decimals with commas; elsewhere they are spaces."""
    if not any(THIN in block.text for block in blocks):
        return list(blocks)
    commas, points = (sum(len(sign.findall(block.text)) for block in blocks) for sign in (_COMMA, _POINT))
    return [_with_thin_spaces(block, joined=commas > points) if THIN in block.text else block for block in blocks]


def _with_thin_spaces(block: Block, *, joined: bool) -> Block:
    """A block with its thin spaces left out, each marked as a join, or as spaces."""
    texts = (block.text, *block.cells)
    text, *cells = (candidate.replace(THIN, "" if joined else " ") for candidate in texts)
    places = [at for at, character in enumerate(block.text) if character == THIN] if joined else []

    def moved(offset: int) -> int:
        return offset - sum(at < offset for at in places)

    kept_repairs = (
        Repair(kind=repair.kind, start=moved(repair.start), end=moved(repair.end)) for repair in block.repairs
    )
    left_out = (Repair(kind=RepairKind.JOINED, start=moved(at), end=moved(at)) for at in places)
    return block.model_copy(update={"text": text, "cells": tuple(cells), "repairs": (*kept_repairs, *left_out)})


_HEADER_ROWS: Final = 3
_LETTER: Final = re.compile(r"[^\W\d_]")


def with_tables_joined(blocks: Sequence[Block]) -> list[Block]:
    """The blocks with each table that the end of a page parts put together: the header that stands again on the next
    page is left out, and a row that goes on there is one."""
    result: list[Block] = []
    table: list[Block] = []
    for (is_row, page), run in groupby(blocks, key=lambda block: (block.kind is BlockKind.ROW, block.page)):
        rows = list(run)
        if not is_row:
            table = [] if any(block.text for block in rows) else table
            result += rows
            continue
        if not (table and page and table[-1].page == page - 1 and len(table[-1].cells) == len(rows[0].cells)):
            table = []
        if repeated := _repeated(table, rows):
            rows = rows[repeated:]
            while not result[-1].text:
                result.pop()
        if rows and table and result[-1] is table[-1] and _is_rest(table[-1], rows[0]):
            result[-1] = table[-1] = _whole_row(table[-1], rows.pop(0))
        table += rows
        result += rows
    return result


def _repeated(table: Sequence[Block], rows: Sequence[Block]) -> int:
    """Return how many rows at the top of a page are the header of the table that the page before ends with."""
    alike = takewhile(lambda pair: pair[0].cells == pair[1].cells, zip(table[:_HEADER_ROWS], rows, strict=False))
    same = [row.cells for row, _ in alike]
    return len(same) if same and sum(bool(_LETTER.search(cell)) for cell in same[0]) > 1 else 0


def _is_rest(upper: Block, lower: Block) -> bool:
    """Whether a row without a name only goes on with words of the cells above."""
    filled = [(above, cell) for above, cell in zip(upper.cells, lower.cells, strict=True) if cell]
    words = all(above and _LETTER.search(cell) for above, cell in filled)
    return not lower.cells[0] and bool(filled) and words and any(" " in cell for _, cell in filled)


def _whole_row(upper: Block, lower: Block) -> Block:
    """Two parts of a row as one, cell by cell."""
    cells: list[str] = []
    repairs: list[Repair] = []
    length = 0
    starts = [0, 0]
    for pair in zip(upper.cells, lower.cells, strict=True):
        for index, (part, cell) in enumerate(zip((upper, lower), pair, strict=True)):
            start = starts[index]
            by = length + (len(pair[0]) + bool(pair[0]) if index else 0) - start
            repairs += repairs_within(part, start, start + len(cell), by)
            starts[index] = start + len(cell) + 1
        cells.append(" ".join(filter(None, pair)))
        length += len(cells[-1]) + 1
    return upper.model_copy(update={"text": "\t".join(cells), "cells": tuple(cells), "repairs": tuple(repairs)})


_SUMS: Final = frozenset("∑∏")
_MOST_OF_LIMIT: Final = 12
"""Characters of a limit of a sum."""


def with_limits(blocks: Sequence[Block]) -> list[Block]:
    """The blocks with the limits of a sum, which stand as lines of their own below and above it, behind its sign. The
    sign of a root beside them goes with them: what it covers is not known."""
    result = list(blocks)
    for at in reversed(range(1, len(blocks) - 1)):
        line = blocks[at]
        if sum(sign in _SUMS for sign in line.text) == 1 and _is_limit(blocks[at + 1], line):
            first = at - _is_limit(blocks[at - 1], line)
            result[first : at + 2] = [_with_limits(line, blocks[at + 1], blocks[first] if first < at else None)]
    return result


def _with_limits(line: Block, below: Block, above: Block | None) -> Block:
    """A line with a sum, with its limits."""
    start = next(at for at, sign in enumerate(line.text, 1) if sign in _SUMS)
    limits = [("_", RepairKind.INDEX, below), *([("^", RepairKind.POWER, above)] if above else ())]
    head, repairs = line.text[:start], [*repairs_within(line, 0, start, 0)]
    for sign, kind, limit in limits:
        text = f"{sign}{{{limit.text.strip(_BESIDE_LIMIT)}}}"
        repairs.append(Repair(kind=kind, start=len(head), end=len(head) + len(text)))
        head += text
    repairs += repairs_within(line, start, len(line.text), len(head) - start)
    return line.model_copy(update={"text": head + line.text[start:], "repairs": tuple(repairs)})


_BESIDE_LIMIT: Final = "√ \t"


def _is_limit(limit: Block, line: Block) -> bool:
    """Whether a short line without words stands in the room of another one."""
    if not (limit.kind is line.kind is BlockKind.LINE and limit.page == line.page and limit.box and line.box):
        return False
    room = (line.box[3] - line.box[1]) / 2
    is_beside = line.box[0] < limit.box[0] and limit.box[2] < line.box[2]
    is_near = limit.box[1] < line.box[3] + room and line.box[1] - room < limit.box[3]
    has_words = any(before.isalpha() and after.isalpha() for before, after in pairwise(limit.text))
    is_short = 0 < len(limit.text.strip(_BESIDE_LIMIT)) <= _MOST_OF_LIMIT
    return is_beside and is_near and is_short and not has_words


MOST_PAGES: Final = 300
MOST_TEXT: Final = 1_500_000
"""Characters in one file."""

_MUCH_LOST: Final = 0.05
_MOST_HIDDEN: Final = 200
"""Lines; further ones are not kept."""
_ROOM_BEFORE_HEADER: Final = 1024
"""In bytes: within so many from the start a PDF calls itself one."""


def read_pdf(file: SubmittedFile) -> Document:
    """The text of a PDF, one block per visual line, with page and box. What cannot be read becomes a problem; never
    raises for any content of the file."""
    import pypdfium2

    try:
        with closing(pypdfium2.PdfDocument(file.location)) as pdf, Fonts() as fonts:
            return _document(file.path, pdf, fonts)
    except pypdfium2.PdfiumError as error:
        return Document(file=file.path, exact=False, problems=(_refusal(error, file.location),))
    except OSError as error:
        problem = say("it cannot be opened ({error})", error=error.strerror)
        return Document(file=file.path, exact=False, problems=(problem,))


def _refusal(error: Any, location: Path) -> str:
    import pypdfium2.raw as pdfium

    code = getattr(error, "err_code", None)
    if code in (pdfium.FPDF_ERR_PASSWORD, pdfium.FPDF_ERR_SECURITY):
        return ENCRYPTED
    with location.open("rb") as file:
        if b"%PDF" not in file.read(_ROOM_BEFORE_HEADER):
            return say("it is damaged or not a PDF: export it again and check that it opens")
    return say("it is damaged or not a PDF: export it again and check that it opens")


def _document(path: str, pdf: Any, fonts: Fonts) -> Document:
    count = len(pdf)
    problems: list[Words] = []
    if count > MOST_PAGES:
        problems.append(read_up_to(say("page {page}", page=MOST_PAGES)))
    pages: list[PageText] = []
    figures: list[tuple[int, Box, ReadingDoubt | None]] = []
    hidden: list[PageLine] = []
    cut: list[PageLine] = []
    broken: list[int] = []
    scans = _Scans(pdf)
    turns: dict[int, Turn] = {}
    length = 0
    for number in range(1, min(count, MOST_PAGES) + 1):
        try:
            page = page_lines(pdf, number, fonts)
            lines = [*page.lines, *scans.lines(number, page)]
        except Exception:  # a broken page must not hide the others
            broken.append(number)
            continue
        pages.append(PageText(number, page.height, lines))
        figures.extend((number, box, page.unsure.get(box)) for box in dict.fromkeys((*page.figures, *page.unsure)))
        turns |= {number: page.turn} if page.turn else {}
        problems.extend(page.problems)
        hidden.extend(page.hidden)
        cut.extend(page.cut)
        length += sum(len(line.text) for line in lines)
        if length > MOST_TEXT:
            problems.append(read_up_to(say("page {page}", page=number)))
            break
    if broken:
        problems.append(say("{pages} cannot be read: the PDF is damaged there", pages=_pages(broken)))
    body, furniture = split_furniture(pages, count)
    filled = {line.page for line in body}
    hidden.extend(line for line in cut if line.page not in filled)  # no line of the page goes on in it
    if hidden:
        where = _pages(sorted({line.page for line in hidden}))
        problems.append(label_text(where, HIDDEN_TEXT))
    problems.extend(_about_text(body, [page.number for page in pages if page.number not in filled]))
    if scans.read:
        problems.append(
            say("what pictures show on {pages} was read by OCR, which may be wrong", pages=_pages([*scans.read]))
        )
    read = without_repeats(with_limits(with_decimals_joined(blocks_of(body, body_of(body)))))
    written = with_numbers_joined(with_hyphens_undone(read))
    blocks = with_notes_in_place(_with_cuts(with_tables_joined(written), cut))
    shown = with_figures(blocks, figures) if blocks else ()
    return Document(
        file=path,
        exact=False,
        blocks=tuple(map(scans.mark_recognised, _turned_back(shown, turns))),
        furniture=tuple(with_decimals_joined(_turned_back(plain_blocks(furniture), turns))),
        hidden=tuple(with_decimals_joined(_turned_back(plain_blocks(hidden[:_MOST_HIDDEN]), turns))),
        pages=count,
        problems=tuple(problems),
    )


def _turned_back(blocks: Sequence[Block], turns: Mapping[int, Turn]) -> Sequence[Block]:
    """The blocks with their places on the pages as these are shown, of which some were turned to be read."""
    if not turns:
        return blocks
    turned = [(block, turns.get(block.page or 0)) for block in blocks]
    return [
        block.model_copy(update={"box": rounded_box(turn.to_shown(block.box))}) if turn and block.box else block
        for block, turn in turned
    ]


class _Scans:
    """Reads the pages of one PDF that are pictures, as far as there is a program for it and there are not too many."""

    def __init__(self, pdf: Any) -> None:
        self._pdf = pdf
        self._left = MOST_SCANNED if is_there() else 0
        self.read: dict[int, Scan] = {}

    def lines(self, number: int, page: Page) -> list[PageLine]:
        """The lines that are read on a page; none where it is no picture, or nothing could be read."""
        if not page.is_picture or self._left <= 0:
            return []
        self._left -= 1
        found = scan_lines(self._pdf, number, page)
        if isinstance(found, Failure):
            self._left = 0 if found is not Failure.DAMAGED else self._left
            return []
        lines, scan = found
        if lines:
            self.read[number] = scan
        return lines

    def mark_recognised(self, block: Block) -> Block:
        """A block, marked where it was read in a picture, with its place on the page as that is shown."""
        scan = self.read.get(block.page or 0)
        if scan is None or block.kind is BlockKind.FIGURE:
            return block
        box = rounded_box(scan.on_page(block.box)) if block.box else None
        return block.model_copy(update={"recognised": True, "box": box})


def _with_cuts(blocks: Sequence[Block], cut: Sequence[PageLine]) -> list[Block]:
    """The blocks, with what the edge of the page cuts off from lines given to those that are nearest in height."""
    result = list(blocks)
    for line in cut:
        middle = (line.box[1] + line.box[3]) / 2
        boxes = [(at, block.box) for at, block in enumerate(result) if block.page == line.page and block.box]
        if boxes:
            at, _ = min(boxes, key=lambda entry: (max(entry[1][1] - middle, middle - entry[1][3], 0.0), -entry[1][2]))
            result[at] = result[at].model_copy(update={"beyond": f"{result[at].beyond} {line.text}".strip()})
    return result


def _about_text(found: list[PageLine], empty: list[int]) -> Iterator[str]:
    if not found and empty:
        yield say("the PDF holds no text, only pictures (a scan?): hand in a PDF whose text can be selected")
    elif empty:
        yield say("there is no text on {pages}, and what the pictures show is not read", pages=_pages(empty))
    text = "".join(line.text for line in found)
    lost = text.count(LOST)
    if lost > _MUCH_LOST * len(text) > 0:
        yield say(
            "{lost} of {count} characters have no meaning in the PDF's fonts: export it again",
            lost=lost,
            count=len(text),
        )


def _pages(numbers: list[int]) -> Message:
    which = ", ".join(map(str, numbers[:20])) + (", …" if len(numbers) > 20 else "")
    return say("pages {numbers}", numbers=which) if len(numbers) > 1 else say("page {page}", page=which)

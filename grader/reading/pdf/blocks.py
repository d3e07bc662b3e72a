"""Lines of a PDF as blocks: titles, items, rows of tables, plain lines."""

import re
from collections import Counter
from collections.abc import Sequence
from typing import Final, NamedTuple

from grader.reading.document import Block, BlockKind
from grader.reading.evidence import Box
from grader.reading.items import begins_item, has_bullet, is_marker
from grader.reading.pdf.marks import Piece
from grader.reading.titles import could_be_title, names_task, title_level

_CELL_GAP: Final = 2.0
"""In em: a gap from here on parts cells by itself; a narrower one needs a like gap in a neighbouring line."""

_MOST_CELLS: Final = 100

_EQUATION_NUMBER: Final = re.compile(r"\(\d{1,3}(?:\.\d{1,3})?[a-z]?\)")
_PAGE_NUMBER: Final = re.compile(r"[-–—\s]*(?:page\s*)?(\d{1,3})(?:\s*(?:/|of|sur)\s*\d{1,3})?[-–—\s]*", re.IGNORECASE)


class PageLine(NamedTuple):
    """A visual line: its page from 1, its box, its size in points, the texts between its wide gaps."""

    page: int
    box: Box
    size: float
    pieces: tuple[Piece, ...]

    @property
    def text(self) -> str:
        """The whole line."""
        return " ".join(piece.text for piece in self.pieces)

    @property
    def bold(self) -> bool:
        """Whether all of it is bold."""
        return all(piece.bold for piece in self.pieces)


class Body(NamedTuple):
    """How the running text of a document is set: the commonest size, and whether that is bold."""

    size: float
    bold: bool


def body_of(lines: Sequence[PageLine]) -> Body:
    """The commonest setting, weighed by characters."""
    weights: Counter[tuple[float, bool]] = Counter()
    for line in lines:
        weights[(round(line.size, 1), line.bold)] += len(line.text)
    return Body(*weights.most_common(1)[0][0]) if weights else Body(10.0, False)


def without_page_number(lines: list[PageLine], height: float, pages: int) -> list[PageLine]:
    """One page's lines less a page number that stands alone at its foot."""
    if not lines:
        return lines
    last = max(lines, key=lambda line: line.box[1])
    number = _PAGE_NUMBER.fullmatch(last.text)
    at_foot = last.box[1] > 0.88 * height
    if number and at_foot and int(number[1]) <= pages + 20:
        return [line for line in lines if line is not last]
    return lines


def blocks_of(lines: Sequence[PageLine], body: Body) -> list[Block]:
    """The blocks of a document whose lines stand in reading order."""
    result: list[Block] = []
    for index, line in enumerate(lines):
        neighbours = [*lines[max(index - 1, 0) : index], *lines[index + 1 : index + 2]]
        result.extend(_blocks(line, [n for n in neighbours if n.page == line.page], body))
    return result


def _blocks(line: PageLine, neighbours: list[PageLine], body: Body) -> list[Block]:
    cells = _cells(line, neighbours)
    if len(cells) == 1 and _runs_in(line, body):
        title, rest = line.pieces[0], line.pieces[1:]
        return [
            _block(BlockKind.HEADING, title.text, line, (title,), level=title_level(title.text) or 3),
            _block(BlockKind.LINE, " ".join(piece.text for piece in rest), line, rest),
        ]
    level = _title_level(line, body) if len(cells) == 1 or _is_number(cells[0]) else None
    if level is not None:
        return [_block(BlockKind.HEADING, line.text, line, line.pieces, level=level)]
    text = "\t".join(cells)
    if len(cells) == 1:
        return [_block(BlockKind.LIST_ITEM if begins_item(text) else BlockKind.LINE, text, line, line.pieces)]
    if len(cells) == 2 and _EQUATION_NUMBER.fullmatch(cells[1]):
        return [_block(BlockKind.LINE, text, line, line.pieces)]
    return [_block(BlockKind.ROW, text, line, line.pieces, cells=tuple(cells))]


def _block(
    kind: BlockKind,
    text: str,
    line: PageLine,
    pieces: Sequence[Piece],
    level: int | None = None,
    cells: tuple[str, ...] = (),
) -> Block:
    left, top, right, bottom = line.box
    if len(pieces) < len(line.pieces) and left <= pieces[0].left <= pieces[-1].right <= right:
        left, right = pieces[0].left, pieces[-1].right
    box = (round(left, 1), round(top, 1), round(right, 1), round(bottom, 1))
    return Block(kind=kind, text=text, level=level, cells=cells, page=line.page, box=box)


def _is_number(text: str) -> bool:
    """Whether a text is a section's number."""
    return bool(re.fullmatch(r"\d{1,2}(\.\d{1,2})*\.?", text))


def _cells(line: PageLine, neighbours: list[PageLine]) -> list[str]:
    """The cells of a line; one where no gap parts it."""
    gaps = [gap for neighbour in neighbours for gap in _gaps(neighbour)[:_MOST_CELLS]]
    cells = [line.pieces[0].text]
    for index, (left, right) in enumerate(_gaps(line)):
        em = line.size
        shared = any(min(right, gap[1]) - max(left, gap[0]) > 0.4 * em for gap in gaps)
        parted = (right - left >= _CELL_GAP * em or shared) and not is_marker(cells[-1])
        following = line.pieces[index + 1].text
        if parted:
            cells.append(following)
        else:
            cells[-1] += " " + following
    return cells


def _gaps(line: PageLine) -> list[tuple[float, float]]:
    return [(a.right, b.left) for a, b in zip(line.pieces, line.pieces[1:], strict=False)]


def _runs_in(line: PageLine, body: Body) -> bool:
    """Whether a bold title is followed by text on its own line, as `\\paragraph` sets it."""
    first, rest = line.pieces[0], line.pieces[1:]
    apart = bool(rest) and first.bold and not any(piece.bold for piece in rest)
    return apart and not body.bold and could_be_title(first.text) and not begins_item(first.text)


def _title_level(line: PageLine, body: Body) -> int | None:
    """The depth of a title: by its number, else by its size; None for what is no title."""
    text = line.text
    larger = line.size / body.size
    stands_out = larger >= 1.1 or (line.bold and not body.bold)
    told = title_level(text)
    if told is not None and (stands_out or names_task(text)):
        return told
    if not stands_out or not could_be_title(text) or has_bullet(text):
        return None
    if larger < 1.1 and begins_item(text):
        return None
    return 1 if larger >= 1.35 else 2 if larger >= 1.1 else 3

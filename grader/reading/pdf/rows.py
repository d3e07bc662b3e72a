"""Rows of tables: cells that wrap put together between their rules, blank cells put back by what stands above them."""

from collections.abc import Sequence
from itertools import pairwise
from typing import Final, NamedTuple

from grader.reading.evidence import Box
from grader.reading.pdf.marked import Marked, joined
from grader.reading.pdf.marks import Piece
from grader.reading.pdf.page_line import PageLine

_SHORTEST: Final = 40.0
"""In points: the width from which a rule may part rows."""

_HIGHEST: Final = 200.0
"""In points: the height up to which two rules may hold one row."""

_SLACK: Final = 6.0
_MOST_WIDTHS: Final = 4
_MOST_RULES: Final = 400
_MOST_BANDS: Final = 100
_MOST_CELLS: Final = 60
_MOST_BETWEEN: Final = 12
"""Rules of other columns, or of fractions, may stand between two of one table."""


class Cell(NamedTuple):
    """The text of a cell with its first and last edge."""

    marked: Marked
    left: float
    right: float


def with_whole_rows(lines: list[PageLine], rules: Sequence[Box]) -> list[PageLine]:
    """A page's lines with those between two rules made one where only one of them fills several columns: then the
    others are the rest of wrapped cells."""
    result = lines
    for upper, lower in _bands(rules):
        inside = [line for line in result if _between(line, upper, lower)]
        row = _row(inside) if len(inside) > 1 else None
        if row is not None:
            gone = {id(line) for line in inside[1:]}
            result = [row if line is inside[0] else line for line in result if id(line) not in gone]
    return result


def _bands(rules: Sequence[Box]) -> list[tuple[Box, Box]]:
    """Rules of one length above each other, from the top down; those drawn cell by cell are put together first."""
    whole: list[Box] = []
    for rule in sorted(rules[:_MOST_RULES], key=lambda rule: (round(rule[1]), rule[0])):
        last = whole[-1] if whole else None
        if last and abs(rule[1] - last[1]) < 1.5 and rule[0] - last[2] < 3.0:
            whole[-1] = (last[0], last[1], max(last[2], rule[2]), last[3])
        else:
            whole.append(rule)
    long = [rule for rule in whole if rule[2] - rule[0] >= _SHORTEST]
    below = [next((b for b in long[i + 1 : i + _MOST_BETWEEN] if _alike(a, b)), None) for i, a in enumerate(long)]
    return [(a, b) for a, b in zip(long, below, strict=True) if b and 0 < b[1] - a[1] <= _HIGHEST][:_MOST_BANDS]


def _alike(a: Box, b: Box) -> bool:
    return abs(a[0] - b[0]) <= _SLACK and abs(a[2] - b[2]) <= _SLACK


def _between(line: PageLine, upper: Box, lower: Box) -> bool:
    left, top, right, bottom = line.box
    across = left >= upper[0] - _SLACK and right <= upper[2] + _SLACK
    return across and upper[1] < (top + bottom) / 2 < lower[1]


def _row(lines: list[PageLine]) -> PageLine | None:
    """One row of several lines, None when they are rows themselves or no table."""
    columns = _columns([(piece.left, piece.right) for line in lines for piece in line.pieces])
    filled = [len({_column(piece.left, columns) for piece in line.pieces}) for line in lines]
    if len(columns) < 2 or sum(count > 1 for count in filled) > 1:
        return None
    parts: list[list[Piece]] = [[] for _ in columns]
    for line in lines:
        for piece in line.pieces:
            parts[_column(piece.left, columns)].append(piece)
    pieces = tuple(
        Piece(joined(" ", [p.marked for p in part]), left, right, all(p.bold for p in part))
        for part, (left, right) in zip(parts, columns, strict=True)
    )
    lefts, tops, rights, bottoms = zip(*(line.box for line in lines), strict=True)
    box = (min(lefts), min(tops), max(rights), max(bottoms))
    return PageLine(lines[0].page, box, max(line.size for line in lines), pieces, is_row=True)


def _columns(spans: list[tuple[float, float]]) -> list[tuple[float, float]]:
    """Spans that overlap put together, from left to right."""
    columns: list[tuple[float, float]] = []
    for left, right in sorted(spans):
        if columns and left < columns[-1][1]:
            columns[-1] = (columns[-1][0], max(columns[-1][1], right))
        else:
            columns.append((left, right))
    return columns


def _column(x: float, columns: list[tuple[float, float]]) -> int:
    return max((index for index, (left, _) in enumerate(columns) if left <= x), default=0)


def aligned(rows: Sequence[Sequence[Cell]]) -> list[tuple[Marked, ...]]:
    """The cells of neighbouring rows with empty ones where a row leaves a column blank: as many columns as the longest
    row that all shorter ones fit. A cell above that row that reaches over several columns stands over each of them."""
    widths = sorted({len(row) for row in rows}, reverse=True)
    for width in widths[:_MOST_WIDTHS] if widths[0] <= _MOST_CELLS else ():
        fitted = _fitted(rows, width)
        if fitted is not None:
            return fitted
    return [tuple(cell.marked for cell in row) for row in rows]


def _fitted(rows: Sequence[Sequence[Cell]], width: int) -> list[tuple[Marked, ...]] | None:
    full = [row for row in rows if len(row) == width]
    spans = [(min(c.left for c in column), max(c.right for c in column)) for column in zip(*full, strict=True)]
    if any(a[1] > b[0] for a, b in pairwise(spans)):
        return None
    first = rows.index(full[0])
    result = []
    for index, row in enumerate(rows):
        plain = tuple(cell.marked for cell in row)
        cells = _placed(row, spans, spread=index < first) if len(row) < width else plain
        if cells is None:
            return None
        result.append(cells)
    return result


def _placed(row: Sequence[Cell], spans: list[tuple[float, float]], *, spread: bool) -> tuple[Marked, ...] | None:
    """A short row's cells in their columns, None where two fall into one or one falls beside all."""
    cells: list[Marked] = [Marked("")] * len(spans)
    for cell in row:
        over = [i for i, (left, right) in enumerate(spans) if cell.left < right and left < cell.right]
        if not over or any(cells[i].text for i in over) or (len(over) > 1 and not spread):
            return None
        for i in over:
            cells[i] = cell.marked
    return tuple(cells)

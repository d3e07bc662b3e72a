"""Rows of tables without rules: blank cells put back by what stands above them."""

from collections.abc import Sequence
from itertools import pairwise
from typing import Final, NamedTuple

from grader.reading.pdf.marked import Marked

_MOST_WIDTHS: Final = 4
_MOST_CELLS: Final = 60


class Cell(NamedTuple):
    """The text of a cell with its first and last edge."""

    marked: Marked
    left: float
    right: float


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

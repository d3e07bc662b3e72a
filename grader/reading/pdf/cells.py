"""Where the gaps of a line part cells of a table."""

from collections.abc import Sequence
from typing import Final

from grader.reading.items import is_marker
from grader.reading.pdf.marked import joined
from grader.reading.pdf.marks import Piece
from grader.reading.pdf.page_line import PageLine
from grader.reading.pdf.rows import Cell

_CELL_GAP: Final = 2.0
"""In em: a gap from here on parts cells by itself; a narrower one needs a like gap in a neighbouring line."""

_MOST_CELLS: Final = 100


def cells_of(line: PageLine, neighbours: Sequence[PageLine]) -> list[Cell]:
    """The cells of a line; one where no gap parts it."""
    if len(line.pieces) == 1 or line.table:
        return [Cell(piece.marked, piece.left, piece.right) for piece in line.pieces]
    gaps = [gap for neighbour in neighbours for gap in _gaps(neighbour)[:_MOST_CELLS]]
    cells = [[line.pieces[0]]]
    for (left, right), piece in zip(_gaps(line), line.pieces[1:], strict=True):
        em = line.size
        shared = any(min(right, gap[1]) - max(left, gap[0]) > 0.4 * em for gap in gaps)
        if (right - left >= _CELL_GAP * em or shared) and not is_marker(cells[-1][-1].text):
            cells.append([piece])
        else:
            cells[-1].append(piece)
    return [_cell(cell) for cell in cells]


def _cell(pieces: Sequence[Piece]) -> Cell:
    return Cell(joined(" ", [piece.marked for piece in pieces]), pieces[0].left, pieces[-1].right)


def _gaps(line: PageLine) -> list[tuple[float, float]]:
    return [(a.right, b.left) for a, b in zip(line.pieces, line.pieces[1:], strict=False)]

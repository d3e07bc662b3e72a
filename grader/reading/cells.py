"""Cells of a table with what they hold, and whether a table only serves the layout."""

from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

from grader.reading.document import Block, BlockKind
from grader.reading.grid import Spanned

_MOST_IN_CELL: Final = 12


class CellContent(NamedTuple):
    """What a cell holds, a group for each paragraph or table in it, and over how much it reaches."""

    groups: list[list[Block]]
    columns: int
    rows: int

    def spanned(self) -> Spanned:
        """The cell with its content as one text."""
        texts = (block.text for group in self.groups for block in group if block.kind is not BlockKind.FIGURE)
        return Spanned(" ".join(text for text in texts if text), self.columns, self.rows)

    def figures(self) -> list[Block]:
        """The pictures in the cell."""
        return [block for group in self.groups for block in group if block.kind is BlockKind.FIGURE]


def is_layout(rows: Iterable[Sequence[CellContent]]) -> bool:
    """Whether a table only arranges the page: it has one column, or titles, tables, code or long texts in cells."""
    rows = list(rows)
    if max((len(row) for row in rows), default=0) <= 1:
        return True
    return any(_is_rich(cell) for row in rows for cell in row)


def _is_rich(cell: CellContent) -> bool:
    blocks = [block for group in cell.groups for block in group]
    return len(blocks) > _MOST_IN_CELL or any(
        block.cells
        or block.kind in (BlockKind.CODE, BlockKind.ROW)
        or (block.kind is BlockKind.HEADING and (block.level or 0) < 6 and len(blocks) > 1)
        for block in blocks
    )

"""Cells of a table with what they hold, and whether a table only serves the layout."""

from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

from grader.reading.document import Block, BlockKind
from grader.reading.grid import Spanned

_MOST_IN_CELL: Final = 12
_BOLD_LEVEL: Final = 6
"""The level of a line that only its bold type makes a title."""


class CellContent(NamedTuple):
    """What a cell holds, a group for each paragraph or table in it, and over how much it reaches."""

    groups: list[list[Block]]
    columns: int
    rows: int

    def spanned(self) -> Spanned:
        """The cell with its content as one text."""
        texts = (block.text for group in self.groups for block in group if block.kind is not BlockKind.FIGURE)
        return Spanned(" ".join(text.replace("\t", " ") for text in texts if text), self.columns, self.rows)

    def figures(self) -> list[Block]:
        """The pictures in the cell."""
        return [block for group in self.groups for block in group if block.kind is BlockKind.FIGURE]


def is_layout(rows: Iterable[Sequence[CellContent]]) -> bool:
    """Whether a table only arranges the page: it has one column, titles or long texts in cells, or tables and code in
    cells that name their row or column."""
    rows = list(rows)
    if max((len(row) for row in rows), default=0) <= 1:
        return True
    if any(_holds_a_part(cell) for row in rows for cell in row):
        return True
    names = [*(rows[0] if rows else ()), *(row[0] for row in rows if row and len(row) > 1)]
    return any(_holds_table_or_code(cell) for cell in names)


def _holds_a_part(cell: CellContent) -> bool:
    """Whether a cell holds a part of the text rather than a value."""
    blocks = [block for group in cell.groups for block in group]
    return len(blocks) > _MOST_IN_CELL or any(
        block.kind is BlockKind.HEADING and (block.level or 0) < _BOLD_LEVEL and len(blocks) > 1 for block in blocks
    )


def _holds_table_or_code(cell: CellContent) -> bool:
    """A line with tabs is one of words here, not a row."""
    blocks = [block for group in cell.groups for block in group if "\t" not in block.text]
    return any(block.cells or block.kind in (BlockKind.CODE, BlockKind.ROW) for block in blocks)

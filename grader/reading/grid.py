"""Tables with cells over several columns or rows as plain rows."""

import re
from collections.abc import Sequence
from typing import Final, NamedTuple

MOST_COLUMNS: Final = 200
MOST_ROWS: Final = 20_000
_WIDEST: Final = 30
_LONGEST_LABEL: Final = 80

_LETTER: Final = re.compile(r"[^\W\d_]")
_FIGURE: Final = re.compile(r"\d[.,]\d|\d\s?%|\d{3}|±")


class Spanned(NamedTuple):
    """A cell's text and over how many columns and rows it reaches."""

    text: str
    columns: int = 1
    rows: int = 1


def plain_rows(rows: Sequence[Sequence[Spanned]]) -> list[tuple[str, ...]]:
    """The rows with a text for each column. A label stands in every column and row that its cell reaches over, so that
    it applies to what is beside and below; a figure stands in the first only, so that it counts once."""
    hanging: dict[int, tuple[int, str]] = {}
    found = [_laid_out(cells, hanging) for cells in rows[:MOST_ROWS]]
    width = max((len(row) for row in found), default=0)
    return [(*row, *[""] * (width - len(row))) for row in found]


def row_text(cells: Sequence[str]) -> str:
    """A row as one line of text."""
    return " | ".join(cells)


def _laid_out(cells: Sequence[Spanned], hanging: dict[int, tuple[int, str]]) -> list[str]:
    """One row; `hanging` maps columns to the rows still to come of a cell above, and the text it has there."""
    row: list[str] = []
    waiting = list(cells)[::-1]
    while len(row) < MOST_COLUMNS and (waiting or any(column >= len(row) for column in hanging)):
        if len(row) in hanging:
            left, text = hanging.pop(len(row))
            if left > 1:
                hanging[len(row)] = (left - 1, text)
            row.append(text)
        elif waiting:
            _place(waiting.pop(), row, hanging)
        else:
            row.append("")
    return row


def _place(cell: Spanned, row: list[str], hanging: dict[int, tuple[int, str]]) -> None:
    repeated = cell.text if is_label(cell.text) else ""
    for number in range(min(max(cell.columns, 1), _WIDEST)):
        if cell.rows > 1:
            hanging[len(row)] = (min(cell.rows, MOST_ROWS) - 1, repeated)
        row.append(repeated if number else cell.text)


def is_label(text: str) -> bool:
    """Whether a cell names something and holds no figure."""
    return len(text) <= _LONGEST_LABEL and bool(_LETTER.search(text)) and not _FIGURE.search(text)

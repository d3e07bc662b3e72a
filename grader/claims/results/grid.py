"""A table as rows of labels over columns, with the lines of text beside it."""

import re
from collections.abc import Sequence
from typing import Final, NamedTuple

from grader.claims.normal import normalise
from grader.reading.document import Block

_LETTERS: Final = re.compile(r"[^\W\d_]")
_VALUE: Final = re.compile(r"\d\s?(?:%|±)|\d[.,]\d|±\s?\d|^\W*\d{2,}\W*$")


class Row(NamedTuple):
    """A row's cells, normalised, with its block."""

    texts: tuple[str, ...]
    block: Block


class Grid(NamedTuple):
    """A table: rows of labels over its columns, the body, and the lines of text right before and behind it, the
    nearest first."""

    header: tuple[tuple[str, ...], ...]
    rows: tuple[Row, ...]
    beside: tuple[str, ...]


def rows_of(blocks: Sequence[Block]) -> list[Row]:
    """Rows of one width; a shorter one misses cells at the left, as a header over row labels does."""
    width = max(len(block.cells) or 1 for block in blocks)
    rows = []
    for block in blocks:
        texts = [normalise(cell).text.strip() for cell in block.cells or (block.text,)]
        rows.append(Row((*[""] * (width - len(texts)), *texts), block))
    return rows


def headed(
    rows: Sequence[Row], inherited: tuple[tuple[str, ...], ...]
) -> tuple[tuple[tuple[str, ...], ...], list[Row]]:
    """The rows of labels at the top and the others; a table without labels goes on from one of its width above."""
    header: list[tuple[str, ...]] = []
    rest = list(rows)
    while rest and is_header(rest[0].texts, first=not header):
        header.append(rest.pop(0).texts)
    if not header and inherited and rows and len(inherited[0]) == len(rows[0].texts):
        return inherited, rest
    return tuple(header), rest


def is_header(texts: Sequence[str], *, first: bool) -> bool:
    """Whether a row holds labels only; in the first row small whole numbers are labels, too, such as those of seeds."""
    filled = [text for text in texts[1:] if text] or [text for text in texts if text]
    numbered = first and bool(_LETTERS.search("".join(texts)))
    return bool(filled) and all(
        is_label(text) or re.fullmatch(r"\d{1,2}%", text) or (numbered and re.fullmatch(r"\d{1,2}", text))
        for text in filled
    )


def is_label(text: str) -> bool:
    """Whether a cell's text names rather than reports."""
    return bool(_LETTERS.search(text)) and not _VALUE.search(text)


def lowest_label(grid: Grid, index: int) -> str:
    """The label right over a column's values."""
    return next((header[index] for header in reversed(grid.header) if index < len(header) and header[index]), "")


def column_label(grid: Grid, index: int) -> str:
    """The labels over a column, each once."""
    return " ".join(dict.fromkeys(header[index] for header in grid.header if index < len(header) and header[index]))

"""Tables in a passage, each cell with the words of its row and its columns."""

import re
from collections.abc import Iterator
from itertools import groupby

from grader.claims.normal import normalise
from grader.claims.passage import Passage
from grader.frozen import Frozen
from grader.reading.document import Block, BlockKind
from grader.reading.evidence import Evidence

_HAS_DIGIT = re.compile(r"\d")
_LETTERS = re.compile(r"[^\W\d_]")
_VALUE = re.compile(r"\d\s?(?:%|±)|\d[.,]\d|±\s?\d")
_SMALL_NUMBER = re.compile(r"\d{1,2}")


class Cell(Frozen):
    """A cell of a table with the labels that apply to it: those of its row and those above it, normalised."""

    text: str
    row: str
    column: str
    evidence: Evidence

    @property
    def labels(self) -> str:
        """Row and column labels together, in lower case."""
        return f"{self.row} {self.column}".casefold()


class Table(Frozen):
    """The body cells of a table, and the lines just before it, which may be its caption or say what it shows."""

    caption: str
    cells: tuple[Cell, ...]


def tables(passage: Passage) -> Iterator[Table]:
    """All tables of a passage: runs of neighbouring row blocks."""
    before = ""
    for is_row, group in groupby(passage.blocks, key=lambda block: block.kind is BlockKind.ROW):
        blocks = list(group)
        if is_row:
            for rows in _apart(blocks):
                yield Table(caption=normalise(before).text, cells=tuple(_cells(passage.file, rows)))
        else:
            before = "\n".join(block.text for block in blocks[-3:])


def _apart(rows: list[Block]) -> Iterator[list[Block]]:
    """Tables with only blank lines between them are two; the rule under a header takes a line as well."""
    table: list[Block] = []
    for row in rows:
        last = table[-1].line if table else None
        step = 2 if len(table) == 1 else 1
        if last is not None and row.line is not None and row.line - last > step:
            yield table
            table = []
        table.append(row)
    yield table


def _cells(file: str, rows: list[Block]) -> Iterator[Cell]:
    width = max(len(row.cells) for row in rows)
    above: list[list[str]] = []
    in_header = False
    for number, row in enumerate(rows):
        texts = _padded(row, width)
        if _is_header(texts, first=number == 0):
            above = [*above, texts] if in_header else [texts]
            in_header = True
            continue
        in_header = False
        place = Evidence(
            file=row.file or file, page=row.page, box=row.box, line=row.line, cell=row.cell, quote=" | ".join(row.cells)
        )
        for index, text in enumerate(texts):
            if _HAS_DIGIT.search(text):
                yield Cell(
                    text=text, row=_row_label(texts, index, above), column=_column_label(index, above), evidence=place
                )


def _is_header(texts: list[str], *, first: bool) -> bool:
    """A row of labels. In the first row small whole numbers are labels as well, such as those of seeds or epochs."""
    filled = [text for text in texts[1:] if text] or texts
    return all(_is_label(text) or (first and _SMALL_NUMBER.fullmatch(text)) for text in filled)


def _is_label(text: str) -> bool:
    return bool(_LETTERS.search(text)) and not _VALUE.search(text)


def _padded(row: Block, width: int) -> list[str]:
    """The normalised cells. A row shorter than the table misses cells at the left, as a header over row labels does."""
    return [""] * (width - len(row.cells)) + [normalise(cell).text.strip() for cell in row.cells]


def _row_label(texts: list[str], index: int, above: list[list[str]]) -> str:
    """The labels to the left of a cell; a bare number in the first column is named by that column's header."""
    labels = [text for position, text in enumerate(texts[:index]) if position == 0 or _is_label(text)]
    if labels and not _LETTERS.search(labels[0]):
        labels.insert(0, _column_label(0, above))
    return " ".join(labels)


def _column_label(index: int, above: list[list[str]]) -> str:
    """The headers over a column. A bare number there is named by the first column's header: `Seed | 0 | 1 | 2`."""
    labels = [header[index] for header in above if header[index]]
    if labels and index and not any(_LETTERS.search(label) for label in labels):
        labels = [header[0] for header in above] + labels
    return " ".join(labels)

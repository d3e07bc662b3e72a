"""CSV files of other systems, edited in place: everything that is not changed is written back byte for byte.

Encoding (UTF-8, UTF-16 with a byte order mark, Windows-1252), delimiter, quotes and line ends are detected and kept.
"""

import codecs
import csv
import io
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final, NamedTuple

from grader.gradebook import GradebookError

LARGEST: Final = 64 * 2**20
"""Bytes; a table of 100,000 students is far smaller."""

_MARKS: Final = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_DELIMITERS: Final = ",;\t"
_CELL: Final = r'("[^"]*(?:""[^"]*)*"[^{0}\r\n]*|[^{0}\r\n]*)({0}|\r\n|\r|\n|\Z)'


class Table(NamedTuple):
    """The raw cells of each row, quotes included, and the file's format."""

    path: Path
    rows: tuple[tuple[str, ...], ...]
    ends: tuple[str, ...]
    lines: tuple[int, ...]
    delimiter: str
    encoding: str
    mark: bytes

    @property
    def header(self) -> int:
        """The first row that is not blank."""
        return next(row for row, cells in enumerate(self.rows) if any(cell.strip() for cell in cells))

    @property
    def data_rows(self) -> list[int]:
        """The rows below the header that are not blank, in order."""
        return [row for row in range(self.header + 1, len(self.rows)) if any(cell.strip() for cell in self.rows[row])]

    def texts(self, row: int) -> list[str]:
        """The values of a row's cells, without quotes."""
        return [_unquoted(cell) for cell in self.rows[row]]

    def text(self, row: int, column: int | None) -> str:
        """The value of a cell; empty if the row is too short, or there is no such column."""
        cells = self.rows[row]
        return _unquoted(cells[column]) if column is not None and column < len(cells) else ""

    def place_of_row(self, row: int) -> str:
        """A place for messages."""
        return f"{self.path}, line {self.lines[row]}"


def read_table(path: Path) -> Table:
    """The table in a file, blank lines kept. Raises GradebookError when the file is not text, empty, or too large."""
    text, encoding, mark = _text(path)
    delimiter = _delimiter(text)
    rows: list[tuple[str, ...]] = []
    ends: list[str] = []
    lines: list[int] = []
    line = 1
    for cells, end, breaks in _records(text, delimiter):
        rows.append(cells)
        ends.append(end)
        lines.append(line)
        line += breaks
    if not any(any(row) for row in rows):
        raise GradebookError(f"{path}: it is empty; name a CSV file with a header row.")
    return Table(path, tuple(rows), tuple(ends), tuple(lines), delimiter, encoding, mark)


def fill_cells(table: Table, changes: Mapping[tuple[int, int], str]) -> Table:
    """The table with new text in some cells, given by (row, column)."""
    by_row: dict[int, dict[int, str]] = {}
    for (row, column), text in changes.items():
        by_row.setdefault(row, {})[column] = csv_cell(text, table.delimiter)
    rows = list(table.rows)
    for row, cells in by_row.items():
        wide = [*rows[row], *[""] * (1 + max(cells) - len(rows[row]))]
        rows[row] = tuple(cells.get(column, cell) for column, cell in enumerate(wide))
    return table._replace(rows=tuple(rows))


def to_bytes(table: Table) -> bytes:
    """The bytes of the file; UTF-8 with a byte order mark if its encoding cannot represent the text."""
    lines = zip(table.rows, table.ends, strict=True)
    text = "".join(table.delimiter.join(cells) + end for cells, end in lines)
    try:
        return table.mark + text.encode(table.encoding)
    except UnicodeEncodeError:
        return codecs.BOM_UTF8 + text.encode("utf-8", errors="replace")


def csv_cell(text: str, delimiter: str) -> str:
    """Text as a CSV cell, quoted if necessary."""
    if any(sign in text for sign in (delimiter, '"', "\n", "\r")):
        doubled = text.replace('"', '""')
        return f'"{doubled}"'
    return text


def csv_text(rows: list[list[str]]) -> str:
    """A new table: comma-separated, one line feed at the end of each row."""
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(rows)
    return text.getvalue()


def _text(path: Path) -> tuple[str, str, bytes]:
    try:
        with path.open("rb") as file:
            content = file.read(LARGEST + 1)
    except OSError as error:
        raise GradebookError(f"{path}: it cannot be read ({error.strerror}); check the path.") from error
    if len(content) > LARGEST:
        raise GradebookError(f"{path}: it is larger than {LARGEST >> 20} MiB; name the CSV file of one class.")
    mark, encoding = next(((mark, name) for mark, name in _MARKS if content.startswith(mark)), (b"", "utf-8"))
    body = content[len(mark) :]
    for attempt in (encoding, "cp1252"):
        try:
            text = body.decode(attempt)
        except UnicodeDecodeError:
            continue
        if "\0" not in text:
            return text, attempt, mark
    raise GradebookError(f"{path}: it is no CSV file; save the table as CSV (UTF-8) and name that.")


def _delimiter(text: str) -> str:
    for line in text.splitlines():
        unquoted = re.sub(r'"[^"]*"', "", line)
        counts = Counter(sign for sign in unquoted if sign in _DELIMITERS)
        if counts:
            return max(_DELIMITERS, key=lambda sign: counts[sign])
    return ","


def _records(text: str, delimiter: str) -> Iterator[tuple[tuple[str, ...], str, int]]:
    """Each row's raw cells, its line end, and the number of line breaks in it."""
    pattern = re.compile(_CELL.format(re.escape(delimiter)))
    cells: list[str] = []
    position, breaks = 0, 0
    while position < len(text) or cells:
        found = pattern.match(text, position)
        if found is None:  # a cell always matches; this is for the type checker
            break
        cell, end = found.groups()
        position = found.end()
        cells.append(cell)
        breaks += cell.count("\n") if cell.startswith('"') else 0
        if end != delimiter:
            yield tuple(cells), end, breaks + 1
            cells, breaks = [], 0


def _unquoted(cell: str) -> str:
    if not cell.startswith('"'):
        return cell.strip()
    body, _, rest = cell[1:].rpartition('"')
    return (body.replace('""', '"') + rest if body or cell.endswith('"') else cell).strip()

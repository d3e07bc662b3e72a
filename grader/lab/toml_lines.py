"""On which line of a TOML file a key stands, so that a mistake can be told with its place."""

import re
from collections.abc import Iterator
from typing import Final

Key = tuple[str | int, ...]
"""Where a value stands: names of tables and keys, and places in arrays of tables."""

_PIECE: Final = re.compile(
    r'"""(?:\\.|[^\\])*?"""'
    r"|'''.*?'''"
    r'|"(?:\\.|[^"\\\n])*"'
    r"|'[^'\n]*'"
    r"|\#[^\n]*"
    r"|\n|[^\S\n]+|[\[\]{}=.,]|[^\s\[\]{}=.,\"'\#]+|.",
    re.DOTALL,
)
_OPEN, _CLOSE = frozenset("[{"), frozenset("]}")


class TomlLines:
    """The lines, counted from 1, of all keys and headings of a valid TOML text. Keys of inline tables are not known by
    themselves; they stand with the key that holds them."""

    def __init__(self, text: str) -> None:
        self._lines: dict[Key, int] = {}
        self._sizes: dict[Key, int] = {}
        table: Key = ()
        for line, pieces in _statements(text):
            if pieces[0] == "[":
                table = self._headed(_names(pieces), is_array=pieces[1:2] == ["["], line=line)
            else:
                self._known((*table, *_names(pieces[: pieces.index("=")])), line, above=len(table))

    def of(self, *place: str | int) -> int | None:
        """The line of a place, or of the nearest thing around it that has one."""
        return next((self._lines[place[:end]] for end in range(len(place), 0, -1) if place[:end] in self._lines), None)

    def _headed(self, names: list[str], *, is_array: bool, line: int) -> Key:
        """The table that a heading opens; a name on its way that is an array of tables means the array's last one."""
        table: Key = ()
        for name in names:
            table = (*table, name)
            if table in self._sizes and not (is_array and table == self._path(names)):
                table = (*table, self._sizes[table] - 1)
        if is_array:
            self._lines.setdefault(table, line)
            number = self._sizes.get(table, 0)
            self._sizes[table] = number + 1
            table = (*table, number)
        self._known(table, line)
        return table

    def _path(self, names: list[str]) -> Key:
        """Where an array of tables stands, before one more is put into it."""
        place: Key = ()
        for name in names[:-1]:
            place = (*place, name)
            if place in self._sizes:
                place = (*place, self._sizes[place] - 1)
        return (*place, names[-1])

    def _known(self, place: Key, line: int, above: int = 0) -> None:
        for end in range(above + 1, len(place) + 1):
            self._lines.setdefault(place[:end], line)


def _statements(text: str) -> Iterator[tuple[int, list[str]]]:
    """Headings and `key = value` pairs as pieces, each with the line that it begins on."""
    line, depth, start = 1, 0, 1
    pieces: list[str] = []
    for match in _PIECE.finditer(text + "\n"):
        piece = match.group()
        if piece == "\n" and not depth:
            if pieces:
                yield start, pieces
            pieces = []
        elif not piece.isspace() and not piece.startswith("#"):
            start = start if pieces else line
            depth += (piece in _OPEN) - (piece in _CLOSE)
            pieces.append(piece)
        line += piece.count("\n")


def _names(pieces: list[str]) -> list[str]:
    """The parts of a dotted key."""
    return [piece[1:-1] if piece[0] in "\"'" else piece for piece in pieces if piece not in (*"[].",)]

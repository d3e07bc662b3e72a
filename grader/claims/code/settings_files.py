"""Files of settings that a notebook writes itself, so that what a program is given in them is known."""

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Final

from grader.claims.code.piece import Piece
from grader.claims.code.values import Hole, is_known, written
from grader.claims.code.ways import Called

Settings = Mapping[str, tuple[str, ...]]
"""By the name of a file the options that it holds, as words of a command line."""

_KINDS: Final = (".json", ".yaml", ".yml")
_MAGIC: Final = re.compile(r"\s*%%\s?(?:writefile|file)[ \t]+(?:-a[ \t]+)?(\S{1,200})[ \t]*\n")
_OPENED: Final = re.compile(r"open\('([^']{1,200})'")
_LINE: Final = re.compile(r"(?m)^([A-Za-z_]\w{0,60}):[ \t]{0,20}([^\s#][^\n#]{0,200})")
_LONGEST: Final = 20_000
_MOST: Final = 200
_UNKNOWN: Final = "⟨…⟩"


def settings_files(pieces: Iterable[Piece], calls: Iterable[Sequence[Called]]) -> Settings:
    """The files written by `%%writefile`, or by `dump` of a table whose values are known."""
    found: dict[str, dict[str, str]] = {}
    for piece in pieces:
        magic = _MAGIC.match(piece.source[:_LONGEST])
        if magic and magic[1].endswith(_KINDS):
            _add(found, magic[1], _parsed(piece.source[magic.end() : _LONGEST]))
    for called in (one for some in calls for one in some if one.name in ("dump", "safe_dump") and len(one.given) > 1):
        table, file = called.given[:2]
        opened = _OPENED.search(file.source) if isinstance(file, Hole) else None
        if opened and isinstance(table, dict):
            _add(found, opened[1], table)
    return {name: tuple(word for pair in options.items() for word in pair if word) for name, options in found.items()}


def _add(found: dict[str, dict[str, str]], path: str, table: Mapping[object, object]) -> None:
    """A file's options. What is written differently another time is not known."""
    options = found.setdefault(_base(path), {})
    for name, value in _options(table):
        options[name] = value if options.get(name, value) == value else _UNKNOWN


def with_settings(words: tuple[str, ...], settings: Settings) -> tuple[str, ...]:
    """The words of a command, followed by what the files of settings among them hold."""
    if not settings:
        return words
    return (*words, *(more for word in words if word.endswith(_KINDS) for more in settings.get(_base(word), ())))


def _base(path: str) -> str:
    return path.replace("\\", "/").rpartition("/")[2]


def _parsed(text: str) -> Mapping[object, object]:
    """A table in JSON, or the plain lines of one in YAML."""
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return {match[1]: match[2].strip().strip("'\"") for match in _LINE.finditer(text)}
    return found if isinstance(found, dict) else {}


def _options(table: Mapping[object, object]) -> Iterator[tuple[str, str]]:
    for name, value in islice(table.items(), _MOST):
        if isinstance(value, bool):
            yield from ((f"--{name}", ""),) if value else ()
        elif isinstance(value, str | int | float | Hole):
            yield f"--{name}", written(value) if is_known(value) else _UNKNOWN

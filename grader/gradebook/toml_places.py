"""Where the entries of a TOML array of tables stand, so that a mistake can be told with its line."""

import re
import tomllib
from pathlib import Path
from typing import Any, Final, NamedTuple

from grader.gradebook.errors import GradebookError

_LARGEST: Final = 16 * 2**20
_MOST_TRIED: Final = 1_000


class Entry(NamedTuple):
    """One `[[table]]`: its values, and the lines of the file from its heading to the next one, counted from 1."""

    path: Path
    values: dict[str, Any]
    lines: dict[int, str]

    def at(self, key: str = "") -> str:
        """A place for messages: the line of a key, or of the entry."""
        pattern = re.compile(rf"\s*[\"']?{re.escape(key)}[\"']?\s*=")
        line = next((number for number, text in self.lines.items() if key and pattern.match(text)), None)
        first = line or next(iter(self.lines), None)
        return f"{self.path}, line {first}" if first else str(self.path)


def read_entries(path: Path, table: str) -> tuple[Entry, ...]:
    """The entries of the array `table`. Raises GradebookError for what is no TOML, or holds anything else."""
    text = _text(path)
    try:
        data = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise GradebookError(f"{path}: it is not valid TOML: {error}. Mend that place and try again.") from error
    others = [key for key in data if key != table]
    if others:
        line = _line_of(text, others[0])
        raise GradebookError(f"{path}{line}: `{others[0]}` is unknown; entries begin with [[{table}]].")
    entries = data.get(table, [])
    if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
        raise GradebookError(f"{path}: each entry begins with [[{table}]] in double brackets.")
    starts = _starts(text, table, len(entries))
    return tuple(Entry(path, entry, lines) for entry, lines in zip(entries, starts, strict=True))


def _text(path: Path) -> str:
    try:
        with path.open("rb") as file:
            content = file.read(_LARGEST + 1)
        if len(content) > _LARGEST:
            raise GradebookError(f"{path}: it is larger than {_LARGEST >> 20} MiB.")
        return content.decode("utf-8-sig").replace("\r\n", "\n")
    except OSError as error:
        raise GradebookError(f"{path}: it cannot be read ({error.strerror}); check the path.") from error
    except UnicodeDecodeError as error:
        raise GradebookError(f"{path}: it is not UTF-8 text; save it as UTF-8.") from error


def _line_of(text: str, key: str) -> str:
    pattern = re.compile(rf"\s*(\[\[?\s*)?[\"']?{re.escape(key)}[\"']?\s*[=\].]")
    return next((f", line {number}" for number, line in enumerate(text.split("\n"), 1) if pattern.match(line)), "")


def _starts(text: str, table: str, count: int) -> list[dict[int, str]]:
    """The lines of each entry; none where headings cannot be told from text that looks like them."""
    heading = re.compile(rf"\s*\[\[\s*[\"']?{re.escape(table)}[\"']?\s*\]\]")
    lines = text.split("\n")
    starts = [number for number, line in enumerate(lines) if heading.match(line)]
    if len(starts) > count:  # some stand within texts of several lines
        starts = [number for number in starts[:_MOST_TRIED] if _is_toml("\n".join(lines[:number]))]
    if len(starts) != count:
        return [{} for _ in range(count)]
    ends = [*starts[1:], len(lines)][: len(starts)]
    return [
        {number + 1: lines[number] for number in range(start, end)} for start, end in zip(starts, ends, strict=True)
    ]


def _is_toml(text: str) -> bool:
    try:
        tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        return False
    return True

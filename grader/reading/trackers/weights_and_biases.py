"""Offline runs of Weights & Biases (`run-<id>.wandb`).

A file header, then LevelDB's log format: blocks of 32 KiB with records that may go on in the next one, each with its
CRC-32, length and type. A record is a Protocol Buffers message; what was logged stands in it as JSON. Sources:
https://github.com/google/leveldb/blob/main/doc/log_format.md and wandb_internal.proto.
"""

import json
import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from itertools import chain
from pathlib import PurePosixPath
from struct import Struct
from typing import Final
from zlib import crc32

from grader.intake.submission import SubmittedFile
from grader.message import say, say_number
from grader.reading.bytes_in import read_bytes
from grader.reading.events import BYTES, MalformedError, fields, key_of, messages
from grader.reading.log import Log
from grader.reading.logs.files import leaves
from grader.reading.trackers.tracked import LONGEST_NAME, MOST_COLUMNS, MOST_POINTS, Column, Tracked, log_of

TITLE: Final = "Weights & Biases"
MAGIC: Final = b":W&B"
MOST_BYTES: Final = 64_000_000
_FILE_HEADER: Final = 7
_BLOCK: Final = 32_768
_RECORD: Final = Struct("<IHB")
_HEADER: Final = _RECORD.size
_WHOLE, _FIRST, _LAST = 1, 2, 4
_MOST_RECORD: Final = 2_000_000
_LONGEST_SETTING: Final = 100_000

_HISTORY, _SUMMARY, _CONFIG, _RUN = (key_of(number, BYTES) for number in (2, 3, 5, 17))
_ITEM, _RUN_CONFIG, _RUN_NAME = (key_of(number, BYTES) for number in (1, 4, 8))
_USUAL: Final = re.compile(rb"\n[^\x80-\xff]\x12[^\x80-\xff]([^\0-\x1f\x82]*)\x82\x01[^\x80-\xff]([^\0-\x1f]*)")
_USUAL_FRAME: Final = 7
_USUAL_HISTORY: Final = re.compile(rb"\x08[\x80-\xff]{0,4}[\0-\x7f]\x12[\x80-\xff]{0,3}[\0-\x7f](?=\n)")
"""The number of a record, and the beginning of what was logged."""
_MOST_WAITING: Final = 2_000
_STEP_FIELD: Final = b"\x12"
_STEP: Final = b"_step"
_LONGEST_STEP: Final = 12
_KEY, _NESTED_KEY, _JSON = (key_of(number, BYTES) for number in (1, 2, 16))


def read_wandb(file: SubmittedFile) -> Log:
    """The run in a file, up to its last whole record. Never raises for any content."""
    data, problems = read_bytes(file.location, MOST_BYTES)
    run = _Gathered()
    lost = 0
    for record in _records(data):
        try:
            if record is None:
                raise MalformedError
            run.add(record)
        except MalformedError:
            lost += 1
    if lost:
        problems = (*problems, say_number("{number} record is damaged", "{number} records are damaged", lost))
    if run.left < 0:
        problems = (*problems, say("it holds more than {most:,} values; only the first are read", most=MOST_POINTS))
    tracked = Tracked(run.name, run.settings, run.columns)
    log = log_of(file.path, str(PurePosixPath(file.path).parent), TITLE, tracked)
    return log.model_copy(update={"problems": problems})


class _Gathered:
    """What the records so far tell of a run. `left` is how many more values it may have."""

    def __init__(self) -> None:
        self.name = ""
        self.settings: dict[str, str] = {}
        self.left = MOST_POINTS
        self._columns: dict[bytes, Column] = {}
        self._rows: dict[tuple[bytes, ...], list[tuple[bytes, ...]]] = {}
        self._waiting = 0
        self._results: dict[bytes, float] = {}

    def add(self, record: bytes) -> None:
        """Take in a record. Raises MalformedError."""
        begun = _USUAL_HISTORY.match(record)
        if begun and (items := _usual_items(record, begun.end(), len(record))):
            self._log(items)
            return
        for key, begin, end in fields(record):
            if key == _HISTORY:
                self._log(_items(record, begin, end))
                return
            if key == _SUMMARY:
                self._conclude(record, begin, end)
            elif key == _CONFIG:
                self._set(record, begin, end)
            elif key == _RUN:
                for config in messages(record, _RUN_CONFIG, begin, end):
                    self._set(config, 0, len(config))
                named = messages(record, _RUN_NAME, begin, end)
                self.name = named[-1].decode("utf-8", "replace") if named else self.name

    @property
    def columns(self) -> dict[str, Column]:
        """The columns, and beside them what was only set as a result of the run, at its end."""
        self._take_in()
        end = max((max(column) for column in self._columns.values() if column), default=0)
        results = {name: {end: value} for name, value in self._results.items() if name not in self._columns}
        found = list((results | self._columns).items())[-MOST_COLUMNS:]
        return {name.decode("utf-8", "replace")[:LONGEST_NAME]: column for name, column in found}

    def _log(self, items: Sequence[tuple[bytes, bytes]]) -> None:
        """Keep what was logged together. Rows with the same names are read together, later."""
        self.left -= len(items)
        if self.left < 0 or not items:
            return
        names, texts = zip(*items, strict=True)
        self._rows.setdefault(names, []).append(texts)
        self._waiting += 1
        if self._waiting == _MOST_WAITING:
            self._take_in()

    def _take_in(self) -> None:
        """Put the values of the rows that wait into their columns."""
        for names, rows in self._rows.items():
            rows = [row for row in rows if _is_count(row[names.index(_STEP)])] if _STEP in names else []
            by_name = dict(zip(names, zip(*rows, strict=True), strict=False))
            steps = list(map(int, by_name.pop(_STEP, ())))
            for name, texts in by_name.items():
                if name.startswith(b"_") or (name not in self._columns and len(self._columns) == MOST_COLUMNS):
                    continue
                column = self._columns.setdefault(name, {})
                try:
                    column.update(zip(steps, map(float, texts), strict=True))
                except ValueError:  # a text or a picture among them
                    pairs = zip(steps, texts, strict=True)
                    column.update((step, float(text)) for step, text in pairs if _is_number(text))
        self._rows, self._waiting = {}, 0

    def _conclude(self, record: bytes, begin: int, end: int) -> None:
        """Keep the results of the run that have no column. Raises MalformedError."""
        self._take_in()
        alone = (item for item in _items(record, begin, end) if item[0] not in self._columns)
        self._results |= {name: float(text) for name, text in alone if _is_number(text)}

    def _set(self, record: bytes, begin: int, end: int) -> None:
        for name, text in _items(record, begin, end):
            with suppress(ValueError, RecursionError):
                content = json.loads(text[:_LONGEST_SETTING])
                self.settings |= dict(leaves({name.decode("utf-8", "replace"): content}))


def _is_count(text: bytes) -> bool:
    return text.isdigit() and len(text) <= _LONGEST_STEP


def _is_number(text: bytes) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _usual_items(record: bytes, begin: int, end: int) -> list[tuple[bytes, bytes]]:
    """The items where all are usual: of one name and a short value; none elsewhere. JSON holds no byte below a blank,
    so that these are found at once; they are right where they fill the record up to the step."""
    found = _USUAL.findall(record, begin, end)
    filled = begin + sum(map(len, chain.from_iterable(found))) + _USUAL_FRAME * len(found)
    return found if filled == end or record[filled : filled + 1] == _STEP_FIELD else []


def _items(record: bytes, begin: int, end: int) -> list[tuple[bytes, bytes]]:
    """The name and the JSON of each item."""
    usual = _usual_items(record, begin, end)
    if usual:
        return usual
    items = []
    for key, at, after in fields(record, begin, end):
        if key == _ITEM:
            inner = list(fields(record, at, after))
            parts = (record[first:last] for part, first, last in inner if part in (_KEY, _NESTED_KEY))
            text = next((record[first:last] for part, first, last in inner if part == _JSON), b"")
            items.append((b"/".join(parts), text))
    return items


def _records(data: bytes) -> Iterator[bytes | None]:
    """The whole records of a file in order, None for each damaged one. Behind damage reading goes on with the next
    block; a record that the end of the file cuts off is no damage, for a run may have been killed."""
    at, end, begun = _FILE_HEADER, len(data), b""
    while at + _HEADER <= end:
        rest = _BLOCK - at % _BLOCK
        if rest < _HEADER:
            at += rest
            continue
        checksum, length, kind = _RECORD.unpack_from(data, at)
        after = at + _HEADER + length
        if kind == 0 and length == 0:  # the block was not filled
            at += rest
        elif after > end:
            return
        elif not _WHOLE <= kind <= _LAST or length > rest - _HEADER or crc32(data[at + 6 : after]) != checksum:
            yield None
            at, begun = at + rest, b""
        else:
            payload = data[at + _HEADER : after]
            at = after
            begun = payload if kind in (_WHOLE, _FIRST) else begun + payload
            if kind in (_WHOLE, _LAST) and len(begun) <= _MOST_RECORD:
                yield begun

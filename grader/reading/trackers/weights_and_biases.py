"""Offline runs of Weights & Biases (`run-<id>.wandb`).

A file header, then LevelDB's log format: blocks of 32 KiB with records that may go on in the next one, each with its
CRC-32, length and type. A record is a Protocol Buffers message; what was logged stands in it as JSON. Sources:
https://github.com/google/leveldb/blob/main/doc/log_format.md and wandb_internal.proto.

For each call of the program the file holds a row of values and one or two summaries that repeat it, with the names in
any order. So a file is read block by block; one regular expression of the names that are known so far takes a row
apart, another one passes summaries that tell nothing new, and only other records are read field by field.
"""

import json
import os
import re
from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import chain, islice
from operator import lt
from pathlib import PurePosixPath
from struct import Struct
from time import process_time
from typing import BinaryIO, Final, TypeGuard
from zlib import crc32

from pydantic import ConfigDict, TypeAdapter

from grader.intake.submission import SubmittedFile
from grader.message import Words, say_number
from grader.reading.bytes_in import TOO_LONG, cannot_open
from grader.reading.events import BYTES, MalformedError, fields, key_of, messages, varint_of
from grader.reading.log import Log
from grader.reading.logs.draft import MOST_SETTINGS
from grader.reading.logs.files import leaves
from grader.reading.trackers.tracked import (
    LONGEST_NAME,
    MOST_COLUMNS,
    MOST_POINTS,
    Column,
    TrackedRun,
    log_of,
    read_in_part,
)

TITLE: Final = "Weights & Biases"
MAGIC: Final = b":W&B"
MOST_BYTES: Final = 128_000_000
_SECONDS: Final = 3.5
"""Of processor time: a file that was made to be slow is read in part."""
_FILE_HEADER: Final = 7
_BLOCK: Final = 32_768
_RECORD: Final = Struct("<IHB")
_HEADER: Final = _RECORD.size
_WHOLE, _FIRST, _LAST = 1, 2, 4
_CHECKSUMS: Final = tuple(crc32(bytes([kind])) for kind in range(256))
"""Of the kinds of records, which begin what a checksum is of."""
_MOST_RECORD: Final = 2_000_000
_LONGEST_SETTING: Final = 100_000
_LONGEST_ROW: Final = 16_000
"""Bytes of a row that is read by a pattern."""

_HISTORY, _SUMMARY, _CONFIG, _RUN = (key_of(number, BYTES) for number in (2, 3, 5, 17))
_ITEM, _RUN_CONFIG, _RUN_NAME = (key_of(number, BYTES) for number in (1, 4, 8))
_KEY, _NESTED_KEY, _JSON = (key_of(number, BYTES) for number in (1, 2, 16))
_STEP: Final = b"_step"
_LONGEST_STEP: Final = 12
_MOST_ROWS: Final = 1_000
"""Rows that wait until they are taken in together."""
_MOST_WAITING: Final = 8_000
"""Texts that wait until they are read as numbers; long ones stand for several."""
_USUAL_TEXT: Final = 64
"""Bytes of a row for each of its texts."""
_MOST_KNOWN: Final = 100
"""Names in a pattern: where there are more, it is no faster than reading field by field."""

_USUAL: Final = re.compile(
    rb"\n[\0-\x7f]((?:[\n\x12][\0-\x7f][^\0-\x1f\x82]*)+)\x82\x01[\0-\x7f]([^\0-\x1f]*)"  # the name's fields, the JSON
)
_USUAL_FRAME: Final = 5
_NUMBERED: Final = rb"\x08[\x80-\xff]{0,4}[\0-\x7f]"
_LENGTH: Final = rb"[\x80-\xff]{0,3}[\0-\x7f]"
_ROW: Final = _NUMBERED + rb"\x12" + _LENGTH + rb"(?:\n.(?:%b))++\n?"
_CELL: Final = rb"%b\x82\x01[\0-\x7f]([^\n]*)"
_QUIET: Final = _NUMBERED + rb"\x1a" + _LENGTH + rb"(?:\n.(?:[\n\x12]._[^\x82]*|(?:%b))\x82\x01.[^\n]*)*+"
"""A summary of names that are known or W&B's own."""
_CONTINUED: Final = 0x80
"""From here on a length takes more than one byte."""
_BEHIND: Final = b"\x12"
"""What follows the items of a row: its step, again, which may end with any byte."""
_PLAIN: Final = b"+-.0123456789eE,"
_NUMBERS: Final = TypeAdapter(list[float], config=ConfigDict(defer_build=True))

_Texts = Sequence[bytes | None]
"""JSON of a row by the names that are known, or of a name by the rows."""


def read_wandb(file: SubmittedFile) -> Log:
    """The run in a file, up to its last whole record. Never raises for any content."""
    run = _Gathered()
    problems: list[Words] = []
    lost = 0
    try:
        with file.location.open("rb") as opened:
            size = os.fstat(opened.fileno()).st_size
            end = min(size, MOST_BYTES)
            for record in _records(opened, end):
                try:
                    if record is None:
                        raise MalformedError
                    run.add(record)
                except MalformedError:
                    lost += 1
            problems += [TOO_LONG] if end < size else []
            problems += [TOO_LONG] if opened.tell() < end else []
    except OSError as error:
        problems.append(cannot_open(error))
    if lost:
        problems.append(say_number("{number} record is damaged", "{number} records are damaged", lost))
    if run.left < 0:
        problems.append(TOO_LONG)
    tracked = TrackedRun(run.name, run.settings, run.columns())
    log = log_of(file.path, str(PurePosixPath(file.path).parent), TITLE, tracked)
    return read_in_part(log, file.path, problems) if problems else log


class _Cells:
    """The values of a name; texts wait until many of them are read at once. No `rows` are kept while each row has a
    value."""

    def __init__(self) -> None:
        self.rows: array[int] | None = None
        self.values = array("d")
        self.texts: list[bytes] = []

    def add(self, first: int, texts: _Texts) -> None:
        """Keep the texts of some rows, of which the first one has that number."""
        count = len(self.values) + len(self.texts)
        present = [text for text in texts if text is not None]
        if self.rows is None and (count < first or len(present) < len(texts)):
            self.rows = array("I", range(count))
        if self.rows is not None:
            self.rows.extend(row for row, text in enumerate(texts, first) if text is not None)
        self.texts += present

    def take_in(self) -> None:
        """Read the texts that wait. Those that are no numbers, such as pictures, are left out with their rows."""
        texts, self.texts = self.texts, []
        numbers = _plain_numbers(texts)
        if numbers is None:
            rows = array("I", range(len(self.values) + len(texts))) if self.rows is None else self.rows
            read = [
                (row, float(text))
                for row, text in zip(rows[len(self.values) :], texts, strict=True)
                if _is_number(text)
            ]
            if len(read) < len(texts):
                self.rows = rows[: len(self.values)] + array("I", (row for row, _ in read))
            numbers = [number for _, number in read]
        self.values.extend(numbers)


class _Gathered:
    """The facts about a run in the records so far. `left` is how many more values it may have."""

    def __init__(self) -> None:
        self.name = ""
        self.settings: dict[str, str] = {}
        self.left = MOST_POINTS
        self._steps = array("q")  # by row
        self._columns: dict[bytes, _Cells] = {}
        self._known: dict[bytes, _Cells | None] = {}  # by the name's fields, the step first; no cells for W&B's own
        self._row = self._quiet = re.compile(b"(?!)")
        self._rows: list[_Texts] = []
        self._waiting = 0
        self._results: dict[bytes, float] = {}

    def add(self, record: bytes) -> None:
        """Take in a record. Raises MalformedError."""
        if self._quiet.fullmatch(record):
            return
        row = self._row.fullmatch(record) if len(record) < _LONGEST_ROW else None
        if row is None:
            self._read(record)
            return
        texts = [*row.groups()]
        last = (row.lastindex or 1) - 1
        texts[last] = texts[last].partition(_BEHIND)[0]
        self.left -= len(texts) - texts.count(None)
        if self.left >= 0:
            self._rows.append(texts)
            if len(self._rows) == _MOST_ROWS:
                self._take_in_rows()

    def _read(self, record: bytes) -> None:
        """Take in a record field by field. Raises MalformedError."""
        for key, begin, end in fields(record):
            if key == _HISTORY:
                self._log(_items(record, begin, end))
                return
            if key == _SUMMARY:
                for item, text in _items(record, begin, end):
                    name = _name(item)
                    if (len(self._results) < MOST_COLUMNS or name in self._results) and _is_number(text):
                        self._results[name] = float(text)
            elif key == _CONFIG:
                self._set(record, begin, end)
            elif key == _RUN:
                for config in messages(record, _RUN_CONFIG, begin, end):
                    self._set(config, 0, len(config))
                named = messages(record, _RUN_NAME, begin, end)
                self.name = named[-1].decode("utf-8", "replace") if named else self.name

    def columns(self) -> dict[str, Column]:
        """The columns, and beside them what was only set as a result of the run, at its end."""
        self._take_in_rows()
        self._take_in_texts()
        logged = dict(zip(self._columns, _columns(self._steps, self._columns.values()), strict=True))
        end = max((max(column.steps) for column in logged.values() if column.steps), default=0)
        results = {
            name: Column.from_points({end: value}) for name, value in self._results.items() if name not in logged
        }
        found = list((results | logged).items())[-MOST_COLUMNS:]
        return {name.decode("utf-8", "replace")[:LONGEST_NAME]: column for name, column in found}

    def _log(self, items: Sequence[tuple[bytes, bytes]]) -> None:
        """Keep a row, and learn its names. Raises MalformedError."""
        named = {item: _name(item) for item, _ in items}
        texts = {named[item]: text for item, text in items}
        self.left -= len(items)
        step = texts.get(_STEP)
        if self.left < 0 or not _is_count(step):
            return
        self._take_in_rows()
        for name, text in texts.items():
            cells = self._columns.get(name)
            if cells is None and name[:1] != b"_" and len(self._columns) < MOST_COLUMNS:
                cells = self._columns[name] = _Cells()
            if cells:
                cells.add(len(self._steps), (text,))
        self._steps.append(int(step))
        self._wait(max(len(items), sum(map(len, texts.values())) // _USUAL_TEXT))
        self._learn(named)

    def _learn(self, named: Mapping[bytes, bytes]) -> None:
        unknown = named.keys() - self._known.keys()
        if not unknown or len(self._known) + len(unknown) > _MOST_KNOWN:
            return
        in_order = sorted(unknown, key=lambda item: (named[item] != _STEP, item))
        self._known |= {item: self._columns.get(named[item]) for item in in_order}
        cells = (_CELL % re.escape(item) for item in self._known)
        columns = (re.escape(item) for item, column in self._known.items() if column)
        self._row = re.compile(_ROW % b"|".join(cells), re.DOTALL)
        self._quiet = re.compile(_QUIET % b"|".join(columns), re.DOTALL)

    def _take_in_rows(self) -> None:
        """Put the texts of the rows that wait to those of their columns."""
        rows, self._rows = [row for row in self._rows if _is_count(row[0])], []
        if rows:
            steps, *columns = zip(*rows, strict=True)
            for cells, texts in zip(islice(self._known.values(), 1, None), columns, strict=True):
                if cells:
                    cells.add(len(self._steps), texts)
            self._steps.extend(map(int, steps))
            self._wait(len(rows) * len(columns))

    def _wait(self, texts: int) -> None:
        self._waiting += texts
        if self._waiting >= _MOST_WAITING:
            self._take_in_texts()

    def _take_in_texts(self) -> None:
        self._waiting = 0
        for cells in self._columns.values():
            cells.take_in()

    def _set(self, record: bytes, begin: int, end: int) -> None:
        for item, text in _items(record, begin, end) if len(self.settings) < MOST_SETTINGS else ():
            with suppress(ValueError, RecursionError):
                content = json.loads(text[:_LONGEST_SETTING])
                self.settings |= dict(leaves({_name(item).decode("utf-8", "replace"): content}))


def _columns(steps: "array[int]", columns: Iterable[_Cells]) -> Iterator[Column]:
    """The columns, given the step of each row. Those that have values in the same rows share their steps."""
    ascend = all(map(lt, steps, islice(steps, 1, None)))
    shared: dict[bytes, array[int]] = {}
    for cells in columns:
        rows = cells.rows
        if rows is None:
            column_steps = steps if len(steps) == len(cells.values) else steps[: len(cells.values)]
        else:
            column_steps = shared.setdefault(rows.tobytes(), array("q", map(steps.__getitem__, rows)))
        yield (
            Column(column_steps, cells.values)
            if ascend
            else Column.from_points(dict(zip(column_steps, cells.values, strict=True)))
        )


def _is_count(text: bytes | None) -> TypeGuard[bytes]:
    return text is not None and text.isdigit() and len(text) <= _LONGEST_STEP


def _is_number(text: bytes) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _plain_numbers(texts: Sequence[bytes]) -> Sequence[float] | None:
    """The numbers that all these texts are, read at once; None where one of them is anything else, or minus zero."""
    joined = b",".join(texts)
    if joined.translate(None, _PLAIN) or b"-0," in joined + b",":
        return None
    try:
        numbers = _NUMBERS.validate_json(b"[%b]" % joined)
    except ValueError:
        return None
    return numbers if len(numbers) == len(texts) else None


def _name(item: bytes) -> bytes:
    """The name whose fields these are. Raises MalformedError."""
    if len(item) > 1 and item[1] == len(item) - 2:
        return item[2:]
    return b"/".join(item[begin:end] for _, begin, end in fields(item))


def _items(record: bytes, begin: int, end: int) -> Sequence[tuple[bytes, bytes]]:
    """The name of each item, as its fields stand in the file, and its JSON. Raises MalformedError.

    JSON holds no byte below a blank, so that usual items are found at once; they are right where they fill the message,
    but for the step behind those of a row.
    """
    usual: list[tuple[bytes, bytes]] = _USUAL.findall(record, begin, end)
    after = begin + sum(map(len, chain.from_iterable(usual))) + _USUAL_FRAME * len(usual)
    behind = end - after - 2
    if behind == -2 or (0 <= behind < _CONTINUED and record[after : after + 2] == _BEHIND + bytes([behind])):
        return usual
    items = []
    for key, at, after in fields(record, begin, end):
        if key == _ITEM:
            inner = [(part, record[first:last]) for part, first, last in fields(record, at, after)]
            named = (bytes([part]) + varint_of(len(name)) + name for part, name in inner if part in (_KEY, _NESTED_KEY))
            items.append((b"".join(named), next((text for part, text in inner if part == _JSON), b"")))
    return items


def _blocks(file: BinaryIO, end: int) -> Iterator[tuple[int, bytes]]:
    """The blocks of a file up to an offset, each with its own offset, as long as there is time."""
    deadline = process_time() + _SECONDS
    for start in range(0, end, _BLOCK):
        if process_time() > deadline:
            return
        yield start, file.read(min(_BLOCK, end - start))


def _records(file: BinaryIO, end: int) -> Iterator[bytes | None]:
    """The whole records of a file up to an offset, in order, None for each damaged one, as long as there is time.
    Behind damage reading goes on with the next block; a record that the end of the file cuts off is no damage, for a
    run may have been killed."""
    header_at = _RECORD.unpack_from
    at, begun = _FILE_HEADER, b""
    for start, block in _blocks(file, end):
        size = len(block)
        while at + _HEADER <= size:
            checksum, length, kind = header_at(block, at)
            payload = block[at + _HEADER : at + _HEADER + length]
            at += _HEADER + length
            if at <= size and _WHOLE <= kind <= _LAST and crc32(payload, _CHECKSUMS[kind]) == checksum:
                if kind == _WHOLE:
                    yield payload
                    continue
                begun = payload if kind == _FIRST else begun + payload[: _MOST_RECORD + 1 - len(begun)]
                if kind == _LAST and len(begun) <= _MOST_RECORD:
                    yield begun
            elif start + at > end:
                return
            elif kind == 0 == length:  # the block was not filled
                break
            else:
                yield None
                begun = b""
                break
        at = 0

"""TensorBoard event files: the scalar series and texts in them, read in one pass that accounts for every byte; who
wrote them, and what is wrong with them in words for their student.

A file is a list of records: the length (8 bytes), a checksum of the length (4), the data, a checksum of the data (4);
little-endian. The checksum is a masked CRC-32C. Damage loses only the bytes it affects, and is reported with its place.
Source: TensorFlow's record_writer.h. A record's data is a Protocol Buffers message, an event; its fields are read
whatever its definition. Sources: https://protobuf.dev/programming-guides/encoding/, and for the numbers and types of
fields TensorFlow's event.proto, summary.proto, tensor.proto and types.proto.
"""

import re
import struct
from array import array
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from enum import Enum, auto
from itertools import islice, pairwise
from math import isnan
from operator import lt
from pathlib import PurePosixPath
from struct import Struct
from time import process_time
from typing import TYPE_CHECKING, Final, NamedTuple

from google_crc32c import value as crc32c

from grader.intake.submission import SubmittedFile
from grader.message import Message, Words, join_messages, say, say_number, say_values
from grader.reading.bytes_in import TOO_LONG, read_bytes
from grader.reading.log import Log, LoggedText, Origin, Series, Subset, run_name
from grader.reading.numbers import Numbers

if TYPE_CHECKING:
    from grader.reading.alike import EventBatch, Layout, Layouts

_LENGTH: Final = struct.Struct("<Q")
_CHECKSUM: Final = struct.Struct("<I")
_HEADER: Final = _LENGTH.size + _CHECKSUM.size
FRAME: Final = _HEADER + _CHECKSUM.size
"""The bytes of a record beside its data."""
_MOST_TOGETHER: Final = 2_000_000
"""Bytes of records that are read together."""
_GOES_ON: Final = -1
_MASK: Final = 0xFFFF_FFFF
_MASK_DELTA: Final = 0xA282_EAD8
_HIGH_BYTES: Final = bytes(4)
"""The upper half of every length, as no file that is read has 4 GiB."""
_NOT_ZERO: Final = re.compile(rb"[^\0]")
_MOST_EFFORT: Final = 2_000_000_000
"""Effort for all searches in a file together: about two seconds."""
_TRY_EFFORT: Final = 1000
"""The effort of trying one offset, in bytes that could be checked in the same time."""
_MOST_PLACES: Final = 3


class Kind(Enum):
    """The kinds of damage to records."""

    DATA = auto()
    """The data of one record does not fit its checksum; its length does."""
    LOST = auto()
    """These bytes are no records; behind them, records go on."""
    CUT = auto()
    """The data ends within a record."""
    REST = auto()
    """From here to the end, these bytes are no records."""


@dataclass
class Damage:
    """The number of occurrences of one kind of damage, the bytes lost in all, and the first offsets, in bytes."""

    count: int = 0
    size: int = 0
    places: list[int] = field(default_factory=list)

    def add(self, at: int, size: int) -> None:
        """Count one more."""
        self.count += 1
        self.size += size
        if len(self.places) < _MOST_PLACES:
            self.places.append(at)


class Records:
    """Iterates once over the whole records: the offset and the data of each. `damage` is complete after that."""

    def __init__(self, data: bytes) -> None:
        self.damage: defaultdict[Kind, Damage] = defaultdict(Damage)
        self.data = data
        self._lengths: dict[bytes, int] = {}
        self._effort = _MOST_EFFORT

    def __iter__(self) -> Iterator[tuple[int, bytes]]:
        for offsets in self.rows():
            for at, end in pairwise(offsets):
                if (payload := self.intact_payload(at, end)) is not None:
                    yield at, payload

    def rows(self) -> Iterator[list[int]]:
        """The offsets of records that follow one another, and of their end. Their headers are right; whoever asks for
        the data of one that is not `whole` has this damage recorded."""
        at, file_size = 0, len(self.data)
        while at < file_size:
            offsets, length = self._row(at)
            at = offsets[-1]
            if length == _GOES_ON:
                yield offsets
                continue
            # Only where a header follows is it certain that damage to the data of a record ends with it.
            if len(offsets) > 1 and not self._fits_checksum(offsets[-2], at):
                at, length = offsets[-2], at - offsets[-2] - FRAME
                del offsets[-1]
            yield offsets
            at = self._skip(at, length) if at < file_size else at

    def _row(self, at: int) -> tuple[list[int], int | None]:
        """The offsets from one on, and the length in the header at the last one, None where there is none."""
        data, file_size = self.data, len(self.data)
        lengths = self._lengths  # equal lengths have equal headers, so that few are ever checked
        offsets, most = [at], at + _MOST_TOGETHER
        add = offsets.append
        while True:
            header = data[at : at + _HEADER]
            length = lengths.get(header)
            if length is None:
                if (length := _length(header)) is None:
                    return offsets, None
                lengths[header] = length
            end = at + length + FRAME
            if end > file_size:
                return offsets, length
            if at >= most:
                return offsets, _GOES_ON
            add(end)
            at = end

    def intact_payload(self, at: int, end: int) -> bytes | None:
        """The data of a record; None where it is damaged, which is recorded."""
        if self._fits_checksum(at, end):
            return self.data[at + _HEADER : end - _CHECKSUM.size]
        self.damage[Kind.DATA].add(at, end - at)
        return None

    def _fits_checksum(self, at: int, end: int) -> bool:
        behind = end - _CHECKSUM.size
        stored: int = _CHECKSUM.unpack_from(self.data, behind)[0]
        return _masked(self.data[at + _HEADER : behind]) == stored

    def _skip(self, at: int, length: int | None) -> int:
        """Records the damage at an offset; returns the offset at which reading goes on."""
        file_size = len(self.data)
        after = at + _HEADER + length + _CHECKSUM.size if length is not None else at
        fits = length is not None and after <= file_size
        if fits and (len(self.data) - after < _HEADER or _length(self.data[after : after + _HEADER]) is not None):
            kind, found = Kind.DATA, after
        elif (next_record := self._next_record(at + 1, effort=after - at if fits else 0)) is not None:
            kind, found = Kind.LOST, next_record
        else:
            cut = after > file_size or (at > 0 and file_size - at < _HEADER)
            kind, found = Kind.CUT if cut else Kind.REST, file_size
        self.damage[kind].add(at, found - at)
        return found

    def _next_record(self, at: int, effort: int) -> int | None:
        """The next offset with a whole record that is not empty; None too when the search takes too long."""
        data = self.data
        self._effort -= effort
        while self._effort > 0 and (high := data.find(_HIGH_BYTES, at + 4)) >= 0:
            at = high - 4
            if data[at:high] == _HIGH_BYTES:
                not_zero = _NOT_ZERO.search(data, high)
                at = not_zero.start() - 3 if not_zero else len(data)
                continue
            if self._is_whole(at):
                return at
            at += 1
        return None

    def _is_whole(self, at: int) -> bool:
        length = _length(self.data[at : at + _HEADER])
        self._effort -= _TRY_EFFORT
        if length is None or (end := at + _HEADER + length) + _CHECKSUM.size > len(self.data):
            return False
        self._effort -= length
        return self._effort > 0 and _masked(self.data[at + _HEADER : end]) == _CHECKSUM.unpack_from(self.data, end)[0]


def _length(header: bytes) -> int | None:
    """The length in a header, in bytes; None when the header is damaged."""
    if len(header) < _HEADER or _masked(header[: _LENGTH.size]) != _CHECKSUM.unpack_from(header, _LENGTH.size)[0]:
        return None
    length: int = _LENGTH.unpack_from(header)[0]
    return length


def _masked(data: bytes) -> int:
    checksum: int = crc32c(data)
    return ((checksum >> 15 | checksum << 17) + _MASK_DELTA) & _MASK


VARINT: Final = 0
FIXED64: Final = 1
BYTES: Final = 2
"""The kind of a field that holds bytes, a string, a message or packed numbers."""
FIXED32: Final = 5
_MOST_VARINT_BYTES: Final = 10


class MalformedError(ValueError):
    """These bytes are no message."""


def key_of(number: int, kind: int) -> int:
    """The key of a field by its number and kind."""
    return number << 3 | kind


def fields(message: bytes, begin: int = 0, end: int | None = None) -> Iterator[tuple[int, int, int]]:
    """Key, begin and end of each field's value in `message[begin:end]`. Raises MalformedError when it is reached."""
    last = len(message) if end is None else end
    at = begin
    while at < last:
        key, at = (message[at], at + 1) if message[at] < 0x80 else varint(message, at, last)
        kind = key & 7
        if kind == BYTES:
            length, at = varint(message, at, last)
            after = at + length
        elif kind == VARINT:
            after = varint(message, at, last)[1]
        elif kind == FIXED32:
            after = at + 4
        elif kind == FIXED64:
            after = at + 8
        else:
            raise MalformedError
        if after > last or key < 8:
            raise MalformedError
        yield key, at, after
        at = after


def messages(message: bytes, key: int, begin: int, end: int) -> list[bytes]:
    """All values of a field that holds bytes, in `message[begin:end]`. Raises MalformedError."""
    found = []
    at = begin
    while at + 1 < end and message[at] == key and (length := message[at + 1]) < 0x80:  # fast path for the usual case
        found.append(message[at + 2 : at + 2 + length])
        at += 2 + length
    if at > end:
        raise MalformedError
    if at < end:
        found += (message[first:last] for part, first, last in fields(message, at, end) if part == key)
    return found


def varint(message: bytes, at: int, end: int) -> tuple[int, int]:
    """The unsigned integer at an offset, and the offset behind it. Raises MalformedError when it does not end."""
    if at < end and message[at] < 0x80:
        return message[at], at + 1
    value = 0
    for place, offset in enumerate(range(at, min(at + _MOST_VARINT_BYTES, end))):
        byte = message[offset]
        value |= (byte & 0x7F) << 7 * place
        if byte < 0x80:
            return value & 0xFFFF_FFFF_FFFF_FFFF, offset + 1
    raise MalformedError


def varint_of(value: int) -> bytes:
    """An unsigned integer on the wire."""
    encoded = bytearray()
    while value > 0x7F:
        encoded.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*encoded, value])


def signed_integer(value: int) -> int:
    """The integer with these 64 bits in two's complement."""
    return value - (1 << 64) if value >> 63 else value


WALL_TIME: Final = key_of(1, FIXED64)
STEP: Final = key_of(2, VARINT)
STEP_AT: Final = 10
"""The step's offset in an event that begins with wall time and step; the preceding byte is its key."""
_SUMMARY: Final = key_of(5, BYTES)
_VALUE: Final = key_of(1, BYTES)

_TAG: Final = key_of(1, BYTES)
_SIMPLE_VALUE: Final = key_of(2, FIXED32)
_NODE_NAME: Final = key_of(7, BYTES)
_TENSOR: Final = key_of(8, BYTES)
_METADATA: Final = key_of(9, BYTES)
_OTHER_CONTENT: Final = frozenset(key_of(number, BYTES) for number in (3, 4, 5, 6))
"""Histograms, images and sounds."""

_PLUGIN: Final = key_of(1, BYTES)
_PLUGIN_NAME: Final = key_of(1, BYTES)

DOUBLE: Final = struct.Struct("<d")
FLOAT: Final = struct.Struct("<f")
_LONGEST_TAG: Final = 1_000
"""In bytes; it is shown to people."""
_MOST_VALUES: Final = 100_000
"""Values in one event; writers put one into each, or a few hundred."""


class Value(NamedTuple):
    """One value of a summary: a number, or a tensor, or neither when it is something else, such as an image.

    `metadata` says what the tag's values mean; it may be present in the first of them only.
    """

    tag: str
    number: float | None
    tensor: bytes | None
    metadata: bytes


def event_of(payload: bytes) -> tuple[float, int, list[bytes]]:
    """The wall time (in Unix seconds, 0 if unknown) and the step of the event that a record holds, and the bytes of
    each value of its summary. Raises MalformedError."""
    wall_time, step = 0.0, 0
    values: list[bytes] = []
    for key, begin, end in fields(payload):
        if key == WALL_TIME:
            wall_time = DOUBLE.unpack_from(payload, begin)[0]
        elif key == STEP:
            step = signed_integer(varint(payload, begin, end)[0])
        elif key == _SUMMARY:
            values += messages(payload, _VALUE, begin, end)
    if len(values) > _MOST_VALUES:
        raise MalformedError
    return wall_time, step, values


def value_of(message: bytes) -> Value:
    """A value of a summary. Raises MalformedError."""
    tag, node_name, metadata = b"", b"", b""
    number, tensor = None, None
    for key, begin, end in fields(message):
        if key == _TAG:
            tag = message[begin:end]
        elif key == _SIMPLE_VALUE:
            number, tensor = FLOAT.unpack_from(message, begin)[0], None
        elif key == _TENSOR:
            number, tensor = None, message[begin:end]
        elif key in _OTHER_CONTENT:
            number, tensor = None, None
        elif key == _NODE_NAME:
            node_name = message[begin:end]
        elif key == _METADATA:
            metadata = message[begin:end]
    name = tag or node_name
    if len(name) > _LONGEST_TAG:
        raise MalformedError
    return Value(name.decode("utf-8", "replace"), number, tensor, metadata)


def plugin_of(metadata: bytes) -> str:
    """The name of the plugin that a value's metadata tell; empty where they tell none. Raises MalformedError."""
    for key, begin, end in fields(metadata):
        if key == _PLUGIN:
            for part, at, after in fields(metadata, begin, end):
                if part == _PLUGIN_NAME:
                    return metadata[at:after].decode("utf-8", "replace")
    return ""


class Points(NamedTuple):
    """Steps (optimiser updates), values, wall times (Unix seconds) and numbers of records; compact, and growing."""

    steps: "array[int]"
    values: "array[float]"
    wall_times: "array[float]"
    records: "array[int]"


def series_of(tag: str, subset: Subset | None, points: Points) -> tuple[Series, int]:
    """The series by ascending steps, of a repeated step the last point, and how many points were replaced by a later
    one with another value."""
    steps, values, wall_times, _ = points
    repeated = 0
    if not all(map(lt, steps, islice(steps, 1, None))):
        last = {step: index for index, step in enumerate(steps)}
        order = [last[step] for step in sorted(last)]
        kept = [values[last[step]] for step in steps]
        repeated = sum(a != b and not (isnan(a) and isnan(b)) for a, b in zip(values, kept, strict=True))
        steps = array("q", [steps[index] for index in order])
        values, wall_times = (array("d", [column[index] for index in order]) for column in (values, wall_times))
    times = () if 0.0 in wall_times else Numbers(wall_times)
    series = Series(tag=tag, subset=subset, steps=Numbers(steps), values=Numbers(values), wall_times=times)
    return series, repeated


_TYPE: Final = key_of(1, VARINT)
_SHAPE: Final = key_of(2, BYTES)
_DIMENSION: Final = key_of(2, BYTES)
_UNKNOWN_RANK: Final = key_of(3, VARINT)
_CONTENT: Final = key_of(4, BYTES)
_STRING: Final = 7
_STRINGS: Final = key_of(8, BYTES)
_MOST_STRINGS: Final = 10_000
_MOST_LISTS: Final = 8


class _Number(NamedTuple):
    """A type of number: its `size` bytes are the end of `layout`. A tensor's list of them is field `field`."""

    size: int
    layout: Struct
    field: int
    as_varint: bool = True


_NUMBERS: Final = {
    1: _Number(4, Struct("<f"), field=5, as_varint=False),
    2: _Number(8, Struct("<d"), field=6, as_varint=False),
    3: _Number(4, Struct("<i"), field=7),
    4: _Number(1, Struct("<B"), field=7),
    5: _Number(2, Struct("<h"), field=7),
    6: _Number(1, Struct("<b"), field=7),
    9: _Number(8, Struct("<q"), field=10),
    10: _Number(1, Struct("<?"), field=11),
    14: _Number(2, Struct("<f"), field=13),
    17: _Number(2, Struct("<H"), field=7),
    19: _Number(2, Struct("<e"), field=13),
    22: _Number(4, Struct("<I"), field=16),
    23: _Number(8, Struct("<Q"), field=17),
}
"""By DataType. 14 is bfloat16: the upper half of a 32-bit number."""


def number_of(tensor: bytes) -> float | None:
    """The number of a tensor without dimensions; None for any other tensor. Raises MalformedError."""
    kind, content = 0, b""
    lists: list[tuple[int, int, int]] = []
    for key, begin, end in fields(tensor):
        if key == _TYPE:
            kind = varint(tensor, begin, end)[0]
        elif key == _CONTENT:
            content = tensor[begin:end]
        elif key == _SHAPE:
            if begin < end and any(key in (_DIMENSION, _UNKNOWN_RANK) for key, *_ in fields(tensor, begin, end)):
                return None
        elif len(lists) < _MOST_LISTS:
            lists.append((key >> 3, begin, end))
    number = _NUMBERS.get(kind)
    if number is None:
        return None
    spans = [(begin, end) for field, begin, end in lists if field == number.field]
    raw = content or _single_item(tensor, spans, number)
    if len(raw) != number.size:
        raise MalformedError
    return float(number.layout.unpack(raw.rjust(number.layout.size, b"\0"))[0])


def _single_item(tensor: bytes, lists: list[tuple[int, int]], number: _Number) -> bytes:
    """The bytes of the only number in lists, packed or not; too many bytes where a list is longer."""
    if len(lists) != 1:
        raise MalformedError
    begin, end = lists[0]
    if not number.as_varint:
        return tensor[begin:end]
    value, after = varint(tensor, begin, end)
    if after != end:
        raise MalformedError
    return value.to_bytes(8, "little")[: number.size]


def strings_of(tensor: bytes) -> list[bytes] | None:
    """The strings of a tensor of strings; None for any other tensor. Raises MalformedError."""
    kind, strings = 0, []
    for key, begin, end in fields(tensor):
        if key == _TYPE:
            kind = varint(tensor, begin, end)[0]
        elif key == _STRINGS:
            strings.append(tensor[begin:end])
            if len(strings) > _MOST_STRINGS:
                raise MalformedError
    return strings if kind == _STRING else None


_OTHER: Final = 0.375
_BEGINNING: Final = bytes([WALL_TIME, STEP])
_FEW: Final = 4_000
"""Events of a file that are read one by one in less time than it takes to import NumPy."""
_SECONDS: Final = 3.0
"""Of processor time: a file that was made to be slow is read in part."""
_FEW_IN_A_ROW: Final = 100
"""Records between damaged ones that are read one by one."""
_TEXT: Final = "text"
_TEXT_SUFFIX: Final = "/text_summary"
"""PyTorch's `add_text` and tensorboardX append it to the tag."""
_MOST_TAGS: Final = 10_000
_MOST_POINTS: Final = 2_000_000
_MOST_TEXTS: Final = 10_000
_MOST_CHARACTERS: Final = 4_000_000
"""Of all texts together."""


def _numbers(event: bytes) -> tuple[float, int, list[tuple[str, float]]] | None:
    """The wall time and step of an event, and the tag and number of each value; None where one is no number."""
    with suppress(MalformedError):
        wall_time, step, messages = event_of(event)
        values = list(map(value_of, messages))
        numbers = (number_of(value.tensor or b"") if value.number is None else value.number for value in values)
        tagged_numbers = [
            (value.tag, number) for value, number in zip(values, numbers, strict=True) if number is not None
        ]
        return (wall_time, step, tagged_numbers) if len(tagged_numbers) == len(values) else None
    return None


def _layout_of(event: bytes) -> "Layout | None":
    """The layout of an event of numbers, if the same event with others in their places is read alike."""
    from grader.reading.alike import Layout

    numbers = _numbers(event)
    if numbers is None or event[:1] + event[STEP_AT - 1 : STEP_AT] != _BEGINNING:
        return None
    step = range(STEP_AT, varint(event, STEP_AT, len(event))[1])
    places: list[int] = []
    for _, number in reversed(numbers[2]):
        with suppress(OverflowError):
            places.insert(0, event.rfind(FLOAT.pack(number), step.stop, *places[:1]))
    if len(places) < len(numbers[2]) or -1 in places:
        return None
    other = bytearray(event)
    DOUBLE.pack_into(other, 1, _OTHER)
    other[step.start : step.stop] = bytes(byte ^ 1 for byte in event[step.start : step.stop])
    others = [(tag, _OTHER + index) for index, (tag, _) in enumerate(numbers[2])]
    for place, (_, number) in zip(places, others, strict=True):
        FLOAT.pack_into(other, place, number)
    changed = bytes(other)
    expected = _OTHER, signed_integer(varint(changed, STEP_AT, len(changed))[0]), others
    return Layout(event, 1, step, places, [tag for tag, _ in others]) if _numbers(changed) == expected else None


class Collector:
    """Collects the content of events; `left_out` counts the points and texts beyond the limits."""

    def __init__(self) -> None:
        self.events = 0
        self.points: dict[str, Points] = {}
        self.texts: list[LoggedText] = []
        self.malformed = Damage()
        self.left_out = 0
        self.takes_too_long = False
        self._records = 0
        self._layouts: Layouts | None = None
        self._plugins: dict[str, str] = {}
        self._points = 0
        self._characters = 0

    def take(self, records: Records) -> None:
        """Take in the events of records, as long as there is time. Malformed ones are counted."""
        deadline = process_time() + _SECONDS
        for offsets in records.rows():
            if process_time() > deadline:
                self.takes_too_long = True
                return
            count = len(offsets) - 1
            is_worth_it = self._records + count > _FEW and count > _FEW_IN_A_ROW
            alike = list(self._alike(records.data, offsets)) if is_worth_it else []
            others = set(range(count)).difference(*(together.records.tolist() for together in alike))
            for number in sorted(others):
                at, end = offsets[number : number + 2]
                if (payload := records.intact_payload(at, end)) is not None:
                    self._take_event(self._records + number, at, payload)
            for together in alike:
                self.events += len(together.records)
                for tag, numbers in together.columns:
                    if points := self._points_of(tag, len(numbers)):
                        points.steps.frombytes(together.steps.tobytes())
                        points.values.frombytes(numbers.tobytes())
                        points.wall_times.frombytes(together.wall_times.tobytes())
                        points.records.frombytes((together.records + self._records).tobytes())
            self._records += count

    def _alike(self, data: bytes, offsets: Sequence[int]) -> "Iterator[EventBatch]":
        """Events that are read together, as long as there is room for their points."""
        from grader.reading.alike import Layouts

        self._layouts = self._layouts or Layouts(_layout_of)
        for together in self._layouts.read(data, offsets, FRAME):
            points = len(together.records) * len(together.columns)
            if self._points + points <= _MOST_POINTS:
                self._points += points
                yield together

    def _take_event(self, record: int, at: int, payload: bytes) -> None:
        """Take in the event of a record at an offset, up to a value that is malformed."""
        self.events += 1
        try:
            wall_time, step, messages = event_of(payload)
            self._points += len(messages)
            if self._points > _MOST_POINTS:
                self.left_out += len(messages)
                return
            for message in messages:
                self._take_value(value_of(message), record, step, wall_time)
        except MalformedError:
            self.malformed.add(at, len(payload))

    def _take_value(self, value: Value, record: int, step: int, wall_time: float) -> None:
        """Raises MalformedError."""
        number = value.number
        if number is None and value.tensor is not None:
            number = number_of(value.tensor)
            if number is None and self._plugin(value) == _TEXT:
                self._take_text(value.tag, step, strings_of(value.tensor) or [])
        if number is not None and (points := self._points_of(value.tag)):
            points.steps.append(step)
            points.values.append(number)
            points.wall_times.append(wall_time)
            points.records.append(record)

    def _points_of(self, tag: str, count: int = 1) -> Points | None:
        """The points of a tag, to add so many to them; None where there are too many tags."""
        points = self.points.get(tag)
        if points is None and len(self.points) < _MOST_TAGS:
            points = self.points[tag] = Points(array("q"), array("d"), array("d"), array("q"))
        self.left_out += count if points is None else 0
        return points

    def points_in_order(self, tag: str) -> Points:
        """The points of a tag in the order of logging, which are released."""
        points = self.points.pop(tag)
        if not self._layouts:
            return points
        from grader.reading.alike import in_order

        return Points(*in_order(points.records, points))

    def _plugin(self, value: Value) -> str:
        """The plugin name of a tag's values; the metadata may be present in the first of them only."""
        plugin = plugin_of(value.metadata)
        if plugin and len(self._plugins) < _MOST_TAGS:
            self._plugins.setdefault(value.tag, plugin)
        return self._plugins.get(value.tag, plugin)

    def _take_text(self, tag: str, step: int, strings: list[bytes]) -> None:
        text = "\n".join(string.decode("utf-8", "replace") for string in strings)
        self._characters += len(text)
        if len(self.texts) < _MOST_TEXTS and self._characters <= _MOST_CHARACTERS:
            self.texts.append(LoggedText(tag=tag.removesuffix(_TEXT_SUFFIX), step=step, text=text))
        else:
            self.left_out += 1


_LONGEST_NAME: Final = 255
_NAME: Final = re.compile(r"tfevents\.([0-9]{1,12})(?:\.(.*))?$", re.DOTALL)
_PROCESS: Final = re.compile(r"(.+)\.([0-9]{1,10})\.([0-9]{1,10})(?:[^0-9].*)?", re.DOTALL)
_PROCESS_ALONE: Final = re.compile(r"(.+)\.([0-9]{1,10})", re.DOTALL)
_SUFFIX: Final = re.compile(r"(?:\.v2| ?\([0-9]{1,4}\))$")


def origin_of(path: str) -> Origin | None:
    """Read `events.out.tfevents.<seconds>.<host>.<pid>.<number>`; what a name lacks is None, or an empty host.

    A host may hold dots. TensorFlow 1 and tensorboardX tell no process id, and what stands behind the number, such as
    the `.v2` of TensorFlow 2 or the ` (1)` of a second download, says nothing.
    """
    named = _NAME.search(PurePosixPath(path).name[-_LONGEST_NAME:])
    if named is None:
        return None
    started_at, rest = float(named[1]), named[2] or ""
    if process := _PROCESS.fullmatch(rest):
        return Origin(started_at=started_at, host=process[1], pid=int(process[2]), number=int(process[3]))
    rest = _SUFFIX.sub("", rest)
    if process := _PROCESS_ALONE.fullmatch(rest):
        return Origin(started_at=started_at, host=process[1], pid=int(process[2]))
    return Origin(started_at=started_at, host=rest)


_NO_EVENTS: Final = say("this is no TensorBoard event file")
_PACKED: Final = say("it is compressed; unpack it and hand in what is inside")
_SIGNS: Final = (
    *(
        (sign, _PACKED)
        for sign in (b"\x1f\x8b", b"PK\x03\x04", b"BZh", b"\xfd7zXZ", b"\x28\xb5\x2f\xfd", b"7z\xbc\xaf")
    ),
    *((sign, _NO_EVENTS) for sign in (b"%PDF", b"\x89PNG", b"\xff\xd8\xff")),
    (
        b"version https://git-lfs",
        say("this is a Git LFS pointer and not the file itself: get that with `git lfs pull`"),
    ),
)
_ADVICE: Final = say("(a fresh copy of the file may be whole)")
_HTML: Final = (b"<!doctype html", b"<html")
_HEAD: Final = 1024


def what_it_is(data: bytes) -> str:
    """The reason why a file without any whole event is not an event file, judging by its first bytes."""
    for sign, sentence in _SIGNS:
        if data.startswith(sign):
            return sentence
    head = data[:_HEAD]
    if head.lstrip().lower().startswith(_HTML):
        return say("{none}: it is a web page (was the page saved instead of the file?)", none=_NO_EVENTS)
    if not head.strip(b"\0"):
        return say(
            "{none}: it begins with {count:,} zero bytes (was a download interrupted?)",
            none=_NO_EVENTS,
            count=len(head),
        )
    text = head.decode("utf-8", "ignore")
    if len(text.encode()) >= len(head) - 3 and all(sign.isprintable() or sign.isspace() for sign in text):
        return _NO_EVENTS
    return say(
        "{none}, or damaged throughout: none of its {size:,} bytes can be read (was it copied as text?)",
        none=_NO_EVENTS,
        size=len(data),
    )


def damage_problems(events: int, damage: Mapping[Kind, Damage], malformed: Damage) -> Iterator[Message]:
    """A sentence for each kind of damage: how much, and where. `events` counts the records that are whole."""
    if Kind.DATA in damage:
        lone = damage[Kind.DATA]
        yield say_number(
            "{number:,} of {all:,} events is damaged and left out, {places} {advice}",
            "{number:,} of {all:,} events are damaged and left out, {places} {advice}",
            lone.count,
            all=events + lone.count,
            places=_places(lone),
            advice=_ADVICE,
        )
    if Kind.LOST in damage:
        yield say(
            "{bytes} are damaged and left out, {places}; what follows is read again {advice}",
            bytes=_bytes(damage[Kind.LOST]),
            places=_places(damage[Kind.LOST]),
            advice=_ADVICE,
        )
    if Kind.CUT in damage:
        yield say(
            "the file is cut off in the middle of an event: the last {bytes}, {places}, are lost, after {events} (was "
            "it copied while the training ran?)",
            bytes=_bytes(damage[Kind.CUT]),
            places=_places(damage[Kind.CUT]),
            events=_events(events),
        )
    if Kind.REST in damage:
        yield say(
            "the last {bytes}, {places}, are damaged or no events, and left out, after {events} {advice}",
            bytes=_bytes(damage[Kind.REST]),
            places=_places(damage[Kind.REST]),
            events=_events(events),
            advice=_ADVICE,
        )
    if malformed.count:
        yield say(
            "{count:,} of {all:,} events cannot be understood wholly, {places}",
            count=malformed.count,
            all=events,
            places=_places(malformed),
        )


def _events(count: int) -> Message:
    return say_number("{number:,} event", "{number:,} events", count)


def _bytes(damage: Damage) -> Message:
    return say_number("{number:,} byte", "{number:,} bytes", damage.size)


def _places(damage: Damage) -> Message:
    """The places where the damage begins."""
    places = [say_values("{place:,}", place=place) for place in damage.places]
    if damage.count == 1:
        return say("from byte {place} on", place=places[0])
    if damage.count > len(places):
        more = damage.count - len(places)
        return say("from bytes {places} on, and {more:,} more", places=join_messages(", ", places), more=more)
    return say("from bytes {places} and {last} on", places=join_messages(", ", places[:-1]), last=places[-1])


MOST_BYTES: Final = 100_000_000


_Content = tuple[tuple[Series, ...], tuple[LoggedText, ...], tuple[Words, ...], tuple[Words, ...]]
"""What was logged, the problems, and why only the beginning was read."""


def read_event_file(file: SubmittedFile) -> Log:
    """The scalars and texts of an event file, steps ascending; of a step logged twice the last value counts. Where a
    file has a single step, each of its values is a series of its own: several evaluations of the last step.

    Another value for a step, and any damage with its place, becomes a problem. A file without scalars is none: programs
    log hyper-parameters alone, too. Never raises for any content of the file.
    """
    name = run_name(file.path)
    data, trouble = read_bytes(file.location, MOST_BYTES)
    series, texts, problems, late = _content(data, name.subset, whole=not trouble)
    log = Log(
        file=file.path,
        name=name.folder,
        seed=name.seed,
        series=series,
        texts=texts,
        origin=origin_of(file.path),
        problems=problems,
    )
    if not trouble and not late:
        return log
    from grader.reading.trackers.tracked import read_in_part

    return read_in_part(log, file.path, (*trouble, *late))


def _content(data: bytes, subset: Subset | None, whole: bool) -> _Content:
    """The content of a file's bytes. If they are not the `whole` file, a truncated end is not reported as damage."""
    if not data:
        return (), (), (say("the file is empty"),) if whole else (), ()
    records, collector = Records(data), Collector()
    collector.take(records)
    late = (TOO_LONG,) if collector.takes_too_long else ()
    if not whole:
        records.damage.pop(Kind.CUT, None)
    if not collector.events and records.damage.keys() == {Kind.REST}:
        return (), (), (what_it_is(data),), late
    series, repeated = _series(collector, subset)
    problems = tuple(damage_problems(collector.events, records.damage, collector.malformed))
    return series, tuple(collector.texts), (*problems, *_other_problems(repeated, collector.left_out)), late


def _series(collector: Collector, subset: Subset | None) -> tuple[tuple[Series, ...], int]:
    """The series by tag, and how many points were replaced by a later one. The collector's points are released on the
    way."""
    series, replaced = [], 0
    is_of_one_step = all(min(points.steps) == max(points.steps) for points in collector.points.values())
    is_of_one_step = is_of_one_step and len({points.steps[0] for points in collector.points.values()}) == 1
    for tag in sorted(collector.points):
        points = collector.points_in_order(tag)
        parts = [points]
        if is_of_one_step and len(points.steps) <= _MOST_EVALUATIONS and len(set(points.values)) > 1:
            places = range(len(points.steps))
            parts = [
                Points(*(column[at : at + 1] for column in points))  # type: ignore[arg-type]
                for at in places
            ]
        for part in parts:
            part_series, repeated = series_of(tag, subset, part)
            series.append(part_series)
            replaced += repeated
    return tuple(series), replaced


_MOST_EVALUATIONS: Final = 50
"""Evaluations that a process makes after training."""


def _other_problems(repeated: int, left_out: int) -> Iterator[str]:
    if repeated:
        yield say_number(
            "{number:,} value was logged again for the same step (a restart?): of each step the last value counts",
            "{number:,} values were logged again for the same step (a restart?): of each step the last value counts",
            repeated,
        )
    if left_out:
        yield TOO_LONG

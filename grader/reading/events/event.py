"""What the events of a file hold: when each was logged, at which step, and the points and texts of its summaries.

Source of the field numbers and types: TensorFlow's event.proto, summary.proto, tensor.proto and types.proto.
"""

import struct
from array import array
from collections.abc import Iterable
from itertools import islice
from math import isnan
from operator import lt
from struct import Struct
from typing import Final, NamedTuple

from grader.reading.events.records import (
    BYTES,
    FIXED32,
    FIXED64,
    VARINT,
    Damage,
    MalformedError,
    fields,
    key_of,
    messages,
    signed,
    varint,
    varint_of,
)
from grader.reading.log import LoggedText, Series, Subset

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
            step = signed(varint(payload, begin, end)[0])
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


def scalar_event_head(tag: str) -> bytes:
    """The constant bytes of an event with a tag and a simple value, between its step and its last four bytes."""
    name = tag.encode()
    value = bytes([_TAG]) + varint_of(len(name)) + name + bytes([_SIMPLE_VALUE])
    summary = bytes([_VALUE]) + varint_of(len(value) + FLOAT.size) + value
    return bytes([_SUMMARY]) + varint_of(len(summary) + FLOAT.size) + summary


class Points(NamedTuple):
    """Steps (optimiser updates), values and wall times (Unix seconds) in the order of logging; compact, and growing."""

    steps: "array[int]"
    values: "array[float]"
    wall_times: "array[float]"


def series_of(tag: str, subset: Subset | None, points: Points) -> tuple[Series, int]:
    """The series by ascending steps, of a repeated step the last point, and how many points were replaced by a later
    one with another value."""
    steps, values, wall_times = points
    repeated = 0
    if not all(map(lt, steps, islice(steps, 1, None))):
        last = {step: index for index, step in enumerate(steps)}
        order = [last[step] for step in sorted(last)]
        kept = [values[last[step]] for step in steps]
        repeated = sum(a != b and not (isnan(a) and isnan(b)) for a, b in zip(values, kept, strict=True))
        steps = array("q", [steps[index] for index in order])
        values, wall_times = (array("d", [column[index] for index in order]) for column in (values, wall_times))
    times = () if 0.0 in wall_times else tuple(wall_times)
    return Series(tag=tag, subset=subset, steps=tuple(steps), values=tuple(values), wall_times=times), repeated


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
    own = [(begin, end) for field, begin, end in lists if field == number.field]
    raw = content or _single_item(tensor, own, number)
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


_SHORTEST: Final = 24
"""In bytes, less than any event with a wall time, a step and a scalar."""
_TEXT: Final = "text"
_TEXT_SUFFIX: Final = "/text_summary"
"""PyTorch's `add_text` and tensorboardX append it to the tag."""
_MOST_TAGS: Final = 10_000
_MOST_POINTS: Final = 4_000_000
_MOST_TEXTS: Final = 10_000
_MOST_CHARACTERS: Final = 4_000_000
"""Of all texts together."""


class Collector:
    """Collects the content of events one by one; `left_out` counts the points and texts beyond the limits."""

    def __init__(self) -> None:
        self.events = 0
        self.points: dict[str, Points] = {}
        self.texts: list[LoggedText] = []
        self.malformed = Damage()
        self.left_out = 0
        self._by_event_head: dict[bytes, Points] = {}
        self._plugins: dict[str, str] = {}
        self._points = 0
        self._characters = 0

    def take(self, records: Iterable[tuple[int, bytes]]) -> None:
        """Take in the events of some records, each an offset and data. Malformed ones are counted.

        Almost every event is a wall time, a step, and one scalar under a known tag: its other bytes are known then.
        """
        known, wall_time_of, number_of_bytes = self._by_event_head.get, DOUBLE.unpack_from, FLOAT.unpack_from
        count = 0
        for at, payload in records:
            count += 1
            if len(payload) > _SHORTEST and payload[0] == WALL_TIME and payload[STEP_AT - 1] == STEP:
                step, begin = payload[STEP_AT], STEP_AT + 1
                if step > 0x7F:
                    step, begin = step & 0x7F | payload[begin] << 7, begin + 1
                if step > 0x3FFF:
                    step, begin = step & 0x3FFF | payload[begin] << 14, begin + 1
                if step <= 0x1F_FFFF and (points := known(payload[begin : -FLOAT.size])) is not None:
                    points.steps.append(step)
                    points.values.append(number_of_bytes(payload, len(payload) - FLOAT.size)[0])
                    points.wall_times.append(wall_time_of(payload, 1)[0])
                    continue
            try:
                self._take_event(*event_of(payload))
            except MalformedError:
                self.malformed.add(at, len(payload))
        self.events += count

    def _take_event(self, wall_time: float, step: int, messages: list[bytes]) -> None:
        """Raises MalformedError when one of its values is malformed."""
        self._points += len(messages)
        if self._points > _MOST_POINTS:
            self.left_out += len(messages)
            return
        for message in messages:
            self._take_value(value_of(message), step, wall_time)

    def _take_value(self, value: Value, step: int, wall_time: float) -> None:
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

    def _points_of(self, tag: str) -> Points | None:
        points = self.points.get(tag)
        if points is None and len(self.points) < _MOST_TAGS:
            points = self.points[tag] = Points(array("q"), array("d"), array("d"))
            self._by_event_head[scalar_event_head(tag)] = points
        self.left_out += points is None
        return points

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

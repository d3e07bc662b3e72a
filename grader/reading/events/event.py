"""What one event holds: when it was logged, at which step, and the summaries.

Source of the field numbers: TensorFlow's event.proto and summary.proto.
"""

import struct
from typing import Final, NamedTuple

from grader.reading.events.wire import (
    MalformedError,
    bytes_key,
    fields,
    fixed32_key,
    fixed64_key,
    messages,
    signed,
    varint,
    varint_key,
    varint_of,
)

WALL_TIME: Final = fixed64_key(1)
STEP: Final = varint_key(2)
STEP_AT: Final = 10
"""The step's offset in an event that begins with wall time and step; the byte before is its key."""
_SUMMARY: Final = bytes_key(5)
_VALUE: Final = bytes_key(1)

_TAG: Final = bytes_key(1)
_SIMPLE_VALUE: Final = fixed32_key(2)
_NODE_NAME: Final = bytes_key(7)
_TENSOR: Final = bytes_key(8)
_METADATA: Final = bytes_key(9)
_OTHER_CONTENT: Final = frozenset(bytes_key(number) for number in (3, 4, 5, 6))
"""Histograms, images and sounds."""

_PLUGIN: Final = bytes_key(1)
_PLUGIN_NAME: Final = bytes_key(1)

DOUBLE: Final = struct.Struct("<d")
FLOAT: Final = struct.Struct("<f")
_LONGEST_TAG: Final = 1_000
"""In bytes; it is shown to people."""
_MOST_VALUES: Final = 100_000
"""In one event; writers put one into each, or some hundred."""


class Event(NamedTuple):
    """`wall_time` in Unix seconds (0 where there is none), and the bytes of each value of the summary."""

    wall_time: float
    step: int
    values: list[bytes]


class Value(NamedTuple):
    """One value of a summary: a number, or a tensor, or neither when it is something else, such as an image.

    `metadata` say what the tag's values mean. They may be told with the first of them only.
    """

    tag: str
    number: float | None
    tensor: bytes | None
    metadata: bytes


def event_of(payload: bytes) -> Event:
    """The event that a record holds. Raises MalformedError."""
    event = _usual_event(payload) or _any_event(payload)
    if len(event.values) > _MOST_VALUES:
        raise MalformedError
    return event


def _usual_event(payload: bytes) -> Event | None:
    """An event that is a wall time, a step and a summary, as almost all are; None for any other."""
    size = len(payload)
    if size <= STEP_AT or payload[0] != WALL_TIME or payload[STEP_AT - 1] != STEP:
        return None
    step, at = varint(payload, STEP_AT, size)
    if at == size or payload[at] != _SUMMARY:
        return None
    length, at = varint(payload, at + 1, size)
    if at + length != size:
        return None
    return Event(DOUBLE.unpack_from(payload, 1)[0], signed(step), messages(payload, _VALUE, at, size))


def _any_event(payload: bytes) -> Event:
    wall_time, step = 0.0, 0
    values: list[bytes] = []
    for key, begin, end in fields(payload):
        if key == WALL_TIME:
            wall_time = DOUBLE.unpack_from(payload, begin)[0]
        elif key == STEP:
            step = signed(varint(payload, begin, end)[0])
        elif key == _SUMMARY:
            values += messages(payload, _VALUE, begin, end)
    return Event(wall_time, step, values)


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


def scalar_head(tag: str) -> bytes:
    """The bytes of a value before its four last ones, where it is a tag and a simple value: the same each time."""
    name = tag.encode()
    return bytes([_TAG]) + varint_of(len(name)) + name + bytes([_SIMPLE_VALUE])


def scalar_event_head(tag: str) -> bytes:
    """The bytes of an event between its step and its four last ones, where it holds a tag and a simple value."""
    value = scalar_head(tag)
    summary = bytes([_VALUE]) + varint_of(len(value) + FLOAT.size) + value
    return bytes([_SUMMARY]) + varint_of(len(summary) + FLOAT.size) + summary

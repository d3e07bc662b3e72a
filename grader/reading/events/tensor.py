"""Tensors in summaries: TensorFlow 2 logs a scalar as a tensor without dimensions, and a text as one of strings.

Source of the field numbers and types: TensorFlow's tensor.proto and types.proto.
"""

from struct import Struct
from typing import Final, NamedTuple

from grader.reading.events.wire import MalformedError, bytes_key, fields, varint, varint_key

_TYPE: Final = varint_key(1)
_SHAPE: Final = bytes_key(2)
_DIMENSION: Final = bytes_key(2)
_UNKNOWN_RANK: Final = varint_key(3)
_CONTENT: Final = bytes_key(4)
_STRING: Final = 7
_STRINGS: Final = bytes_key(8)
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
            if _has_dimensions(tensor, begin, end):
                return None
        elif len(lists) < _MOST_LISTS:
            lists.append((key >> 3, begin, end))
    number = _NUMBERS.get(kind)
    if number is None:
        return None
    raw = content or _only_one(tensor, [(begin, end) for field, begin, end in lists if field == number.field], number)
    if len(raw) != number.size:
        raise MalformedError
    return float(number.layout.unpack(raw.rjust(number.layout.size, b"\0"))[0])


def _has_dimensions(tensor: bytes, begin: int, end: int) -> bool:
    return begin < end and any(key in (_DIMENSION, _UNKNOWN_RANK) for key, *_ in fields(tensor, begin, end))


def _only_one(tensor: bytes, lists: list[tuple[int, int]], number: _Number) -> bytes:
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

"""Protocol buffers on the wire: the fields of a message, whatever its definition.

Source: the encoding guide of Protocol Buffers, https://protobuf.dev/programming-guides/encoding/.
"""

from collections.abc import Iterator
from typing import Final

_VARINT: Final = 0
_FIXED64: Final = 1
_BYTES: Final = 2
_FIXED32: Final = 5
_MOST_VARINT_BYTES: Final = 10


class MalformedError(ValueError):
    """These bytes are no message."""


def varint_key(number: int) -> int:
    """The key of a field that holds a variable-length integer."""
    return number << 3 | _VARINT


def fixed64_key(number: int) -> int:
    """The key of a field of 8 bytes."""
    return number << 3 | _FIXED64


def bytes_key(number: int) -> int:
    """The key of a field that holds bytes, a string, a message or packed numbers."""
    return number << 3 | _BYTES


def fixed32_key(number: int) -> int:
    """The key of a field of 4 bytes."""
    return number << 3 | _FIXED32


def fields(message: bytes, begin: int = 0, end: int | None = None) -> Iterator[tuple[int, int, int]]:
    """Key, begin and end of each field's value in `message[begin:end]`. Raises MalformedError when it is reached."""
    last = len(message) if end is None else end
    at = begin
    while at < last:
        key, at = (message[at], at + 1) if message[at] < 0x80 else varint(message, at, last)
        kind = key & 7
        if kind == _BYTES:
            length, at = varint(message, at, last)
            after = at + length
        elif kind == _VARINT:
            after = varint(message, at, last)[1]
        elif kind == _FIXED32:
            after = at + 4
        elif kind == _FIXED64:
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
    while at + 1 < end and message[at] == key and (length := message[at + 1]) < 0x80:  # the usual case, quickly
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


def signed(value: int, bits: int = 64) -> int:
    """The integer with these low bits in two's complement."""
    value &= (1 << bits) - 1
    return value - (1 << bits) if value >> bits - 1 else value

"""The bytes of an event file: its records, each checked, and the fields of the messages within.

A record is its length (8 bytes), a checksum of the length (4), the data, a checksum of the data (4); little-endian.
The checksum is a masked CRC-32C. Damage loses only the bytes it affects, and is reported with its place. Source:
TensorFlow's record_writer.h. A record's data is a Protocol Buffers message; its fields are read whatever its
definition. Source: https://protobuf.dev/programming-guides/encoding/.
"""

import re
import struct
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import Enum, auto
from typing import Final

from google_crc32c import value as crc32c

_LENGTH: Final = struct.Struct("<Q")
_CHECKSUM: Final = struct.Struct("<I")
_HEADER: Final = _LENGTH.size + _CHECKSUM.size
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
    """How records are damaged."""

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
        self._data = data
        self._effort = _MOST_EFFORT

    def __iter__(self) -> Iterator[tuple[int, bytes]]:
        data, file_size = self._data, len(self._data)
        stored_checksum = _CHECKSUM.unpack_from
        lengths: dict[bytes, int] = {}  # equal lengths have equal headers, so that few are ever checked
        at = 0
        while at < file_size:
            header = data[at : at + _HEADER]
            length = lengths.get(header)
            if length is None and (length := _length(header)) is not None:
                lengths[header] = length
            if length is None or (end := at + _HEADER + length) + _CHECKSUM.size > file_size:
                at = self._skip(at, length)
                continue
            payload = data[at + _HEADER : end]
            checksum = crc32c(payload)
            if ((checksum >> 15 | checksum << 17) + _MASK_DELTA) & _MASK == stored_checksum(data, end)[0]:
                yield at, payload
                at = end + _CHECKSUM.size
            else:
                at = self._skip(at, length)

    def _skip(self, at: int, length: int | None) -> int:
        """Records the damage at an offset; returns the offset at which reading goes on."""
        file_size = len(self._data)
        after = at + _HEADER + length + _CHECKSUM.size if length is not None else at
        fits = length is not None and after <= file_size
        if fits and (len(self._data) - after < _HEADER or _length(self._data[after : after + _HEADER]) is not None):
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
        data = self._data
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
        length = _length(self._data[at : at + _HEADER])
        self._effort -= _TRY_EFFORT
        if length is None or (end := at + _HEADER + length) + _CHECKSUM.size > len(self._data):
            return False
        self._effort -= length
        return self._effort > 0 and _masked(self._data[at + _HEADER : end]) == _CHECKSUM.unpack_from(self._data, end)[0]


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


def signed(value: int) -> int:
    """The integer with these 64 bits in two's complement."""
    return value - (1 << 64) if value >> 63 else value

"""Events of one layout, read together.

Almost every event of a file equals an earlier one but for its wall time, its step and its numbers, which stand at the
same offsets. A `Layout` is learned from such an event; all records of its size are compared with it at once, and what
differs is read as columns. Checksums are verified without reading what is equal: a CRC is linear, so that each byte
adds to it what depends on that byte and on its distance from the end alone.
"""

from array import array
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from typing import Any, Final, NamedTuple

import numpy as np
from google_crc32c import value as crc32c
from numpy.typing import NDArray

Bytes = NDArray[np.uint8]
Integers = NDArray[np.int64]
Reals = NDArray[np.float64]
Words = NDArray[np.uint64]
"""The data of records of one size and what follows, by record."""

LONGEST: Final = 2_048
"""In bytes; each distance from the end takes a kilobyte."""
_FEWEST: Final = 8
"""Records of a size."""
_MOST_LAYOUTS: Final = 64
"""Layouts of a size: where there are more, the other events are read one by one."""
_MOST_FAILURES: Final = 8
"""Events of a size in a row of records of which no layout is learned, before the others are read one by one."""
_WORD: Final = 8
_CHECKSUM: Final = 4
_ANY, _VARINT, _EQUAL = 0x00, 0x80, 0xFF
"""The bits of a byte that all events of a layout share; the highest one of a varint's tells whether it goes on."""


class EventBatch(NamedTuple):
    """Undamaged events that were read together: the numbers of their records, and by record the steps, the wall times,
    and for each tag the numbers, in the order of the tags in an event."""

    records: Integers
    steps: Integers
    wall_times: Reals
    columns: Sequence[tuple[str, Reals]]


class Layout:
    """The layout of an event with its wall time, step and numbers at the places given; `tags` name the numbers."""

    def __init__(self, event: bytes, wall_time: int, step: range, numbers: Sequence[int], tags: Sequence[str]) -> None:
        self.tags = tuple(tags)
        self._wall_time, self._step, self._numbers, self._size = wall_time, step, numbers, len(event)
        same = bytearray([_EQUAL]) * len(event)
        for begin, size in ((wall_time, 8), *((at, 4) for at in numbers)):
            same[begin : begin + size] = bytes([_ANY]) * size
        same[step.start : step.stop] = bytes([_VARINT]) * len(step)
        self._differ = [at for at, bits in enumerate(same) if bits != _EQUAL]
        width = _width(len(event))
        self._same = np.frombuffer(same.ljust(width, b"\0"), "<u8")
        self._event = np.frombuffer(event.ljust(width, b"\0"), "<u8") & self._same
        self._checksum = crc32c(event)
        for at in self._differ:
            self._checksum ^= int(_added(1 << len(event).bit_length())[len(event) - 1 - at][event[at]])

    def matching_rows(self, words: Words, left: Integers) -> Integers:
        """The events of this layout among the rows that are left."""
        for at, (same, word) in enumerate(zip(self._same, self._event, strict=True)):
            if same:
                left = left[words[left, at] & same == word]
        return left

    def read(self, words: Words, records: Integers) -> EventBatch:
        """The content of events of this layout."""
        rows = words.view(np.uint8)
        checksums = np.full(len(rows), self._checksum, np.uint32)
        added = _added(1 << self._size.bit_length())
        for at in self._differ:
            checksums ^= added[self._size - 1 - at].take(rows[:, at])
        masked = (checksums >> np.uint32(15) | checksums << np.uint32(17)) + np.uint32(0xA282_EAD8)
        is_whole = masked == _column(rows, self._size, "<u4")
        rows = rows[is_whole]
        steps = np.zeros(len(rows), np.uint64)
        for place, at in enumerate(self._step):
            steps |= (rows[:, at] & 0x7F).astype(np.uint64) << np.uint64(7 * place)
        columns = [
            (tag, _column(rows, at, "<f4").astype(np.float64)) for tag, at in zip(self.tags, self._numbers, strict=True)
        ]
        return EventBatch(records[is_whole], steps.view(np.int64), _column(rows, self._wall_time, "<f8"), columns)


class Layouts:
    """The layouts of a file's events by their sizes, as they are learned from its events."""

    def __init__(self, learned: Callable[[bytes], Layout | None]) -> None:
        self._learned = learned
        self._known: defaultdict[int, list[Layout]] = defaultdict(list)

    def read(self, data: bytes, offsets: Sequence[int], frame: int) -> Iterator[EventBatch]:
        """Read those of some records together that are alike and undamaged. The `frame` is what a record holds beside
        its data; the last of that is its checksum."""
        at = np.array(offsets)
        sizes = np.diff(at) - frame
        by_size = np.argsort(sizes, kind="stable")
        for records in np.split(by_size, np.flatnonzero(np.diff(sizes[by_size])) + 1):
            size = int(sizes[records[0]])
            width = _width(size)
            begins = at[records] + frame - _CHECKSUM
            records = records[begins + width <= len(data)]
            begins = begins[: len(records)]
            if size <= LONGEST and len(records) >= _FEWEST:
                every = np.ndarray(len(data) - width + 1, f"V{width}", data, strides=(1,))
                words = every[begins].view("<u8").reshape(len(records), -1)
                yield from self._read(size, words, records)

    def _read(self, size: int, words: Words, records: Integers) -> Iterator[EventBatch]:
        layouts = self._known[size]
        left = np.arange(len(records))
        tried = failed = 0
        while len(left) and tried < _MOST_LAYOUTS and failed < _MOST_FAILURES:
            if tried == len(layouts):
                layout = self._learned(words[left[0]].tobytes()[:size])
                if layout is None:
                    left = left[1:]
                    failed += 1
                    continue
                layouts.append(layout)
            found = layouts[tried].matching_rows(words, left)
            if len(found):
                together = layouts[tried].read(words[found], records[found])
                if len(together.records):
                    yield together
                left = np.setdiff1d(left, found, assume_unique=True)
            tried += 1


def _width(size: int) -> int:
    """The bytes of the words that hold data and its checksum."""
    return -(-(size + _CHECKSUM) // _WORD) * _WORD


def _column(rows: Bytes, at: int, form: str) -> NDArray[Any]:
    kind = np.dtype(form)
    return np.ascontiguousarray(rows[:, at : at + kind.itemsize]).view(kind)[:, 0]


def in_order(records: "array[int]", columns: Iterable["array[Any]"]) -> Iterator["array[Any]"]:
    """The columns sorted by the number of the record that each of their values is from."""
    order = np.argsort(np.asarray(records), kind="stable")
    for column in columns:
        yield array(column.typecode, np.asarray(column)[order].tobytes())


@cache
def _added(size: int) -> NDArray[np.uint32]:
    """The value that each byte adds to the checksum of data of so many bytes, by its distance from the end."""
    zero = crc32c(b"\0")
    last = np.array([crc32c(bytes([byte])) ^ zero for byte in range(256)], np.uint32)
    added = np.empty((size, 256), np.uint32)
    added[:1] = last
    for distance in range(1, size):
        before = added[distance - 1]
        added[distance] = last[before & 0xFF] ^ before >> np.uint32(8)
    return added

"""The records of a TensorBoard event file, checked one by one: readers for Python stop silently at the first damage.

A record is its length (8 bytes), a checksum of the length (4), the data, a checksum of the data (4); little-endian.
Source: TensorFlow's record_writer.h. The checksum is a masked CRC-32C.
"""

import struct
from typing import Final, NamedTuple

_HEADER: Final = struct.Struct("<QI")
_CHECKSUM: Final = struct.Struct("<I")
_MOST_CHECKED: Final = 4_000_000
"""In bytes: the data of larger files is not checked, because a checksum in Python costs about 0.3 s per MB."""


class Records(NamedTuple):
    """The whole records as (begin, end) in bytes, how many of the others are skipped, and what is wrong in words."""

    whole: list[tuple[int, int]]
    damaged: int
    problems: tuple[str, ...]


def records_of(data: bytes) -> Records:
    """Walk the records of a file. Damaged data costs one record; a damaged length or a cut end costs the rest."""
    from tensorboard.compat.tensorflow_stub.pywrap_tensorflow import masked_crc32c

    check_data = len(data) <= _MOST_CHECKED
    whole: list[tuple[int, int]] = []
    damaged, at = 0, 0
    end_problem: tuple[str, ...] = ()
    while at < len(data):
        begin = at + _HEADER.size
        if begin > len(data):
            end_problem = (_cut(whole),)
            break
        length, checksum = _HEADER.unpack_from(data, at)
        if masked_crc32c(data[at : at + 8]) != checksum:
            end_problem = (_broken(whole, at, len(data)),)
            break
        end = begin + length
        if end + _CHECKSUM.size > len(data):
            end_problem = (_cut(whole),)
            break
        if check_data and masked_crc32c(data[begin:end]) != _CHECKSUM.unpack_from(data, end)[0]:
            damaged += 1
        else:
            whole.append((at, end + _CHECKSUM.size))
        at = end + _CHECKSUM.size
    skipped = (f"{damaged} of {len(whole) + damaged} records are damaged and left out",) if damaged else ()
    return Records(whole, damaged, (*skipped, *end_problem))


def _cut(whole: list[tuple[int, int]]) -> str:
    return f"the file ends in the middle of a record after {len(whole)} events"


def _broken(whole: list[tuple[int, int]], at: int, size: int) -> str:
    if at == 0:
        return "the file is not a TensorBoard event file, or its beginning is damaged"
    return f"the file is damaged at byte {at}, after {len(whole)} events; the last {size - at} bytes are not read"

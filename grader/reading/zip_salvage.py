"""The files in a zip archive whose table of contents is lost, by the headers before each of them."""

import re
import struct
import zlib
from collections.abc import Iterator
from typing import Final, NamedTuple

_HEADER: Final = struct.Struct("<4sHHHHHLLLHH")
_SIGNATURE: Final = re.compile(rb"PK\x03\x04")
_STORED, _DEFLATED = 0, 8
_ENCRYPTED: Final = 0x1
_MOST_FILES: Final = 2_000


class Salvaged(NamedTuple):
    """A file's name and where its packed bytes begin."""

    name: str
    start: int
    packed: int
    method: int


def salvaged(data: bytes) -> Iterator[Salvaged]:
    """The files that headers in these bytes announce."""
    for count, match in enumerate(_SIGNATURE.finditer(data)):
        if count >= _MOST_FILES or match.start() + _HEADER.size > len(data):
            return
        _, _, flags, method, _, _, _, packed, _, name_length, extra = _HEADER.unpack_from(data, match.start())
        start = match.start() + _HEADER.size
        name = data[start : start + name_length].decode("utf-8", "replace")
        if method in (_STORED, _DEFLATED) and not flags & _ENCRYPTED:
            yield Salvaged(name, start + name_length + extra, packed, method)


def unpacked(data: bytes, file: Salvaged, limit: int) -> bytes:
    """As many of a file's bytes as can be unpacked, at most `limit`."""
    if file.method == _STORED:
        return data[file.start : file.start + min(file.packed, limit)]
    inflate = zlib.decompressobj(-zlib.MAX_WBITS)
    found = bytearray()
    chunk = 65_536
    for position in range(file.start, len(data), chunk):
        try:
            found += inflate.decompress(data[position : position + chunk], limit - len(found))
        except zlib.error:
            break
        if inflate.eof or len(found) >= limit or inflate.unconsumed_tail:
            break
    return bytes(found)

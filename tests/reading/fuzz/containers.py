"""Formats with checksums and lengths, taken apart and put together again, so that a change gets past the door."""

import io
import re
import struct
import warnings
import zipfile
import zlib
from collections.abc import Callable
from typing import Final, NamedTuple

from tests.reading.making import record

MOST_PART: Final = 2_000_000
PACKED: Final = "packed.pdf"
_STREAM: Final = re.compile(rb"stream\r?\n(.*?)\r?\n?endstream", re.DOTALL)


class Parts(NamedTuple):
    """The parts by name, and how they are put together."""

    parts: list[tuple[str, bytes]]
    joined: Callable[[list[tuple[str, bytes]]], bytes]


def taken_apart(data: bytes) -> Parts | None:
    """The parts of a zip archive, a PDF or an event file; None for what is none, or damaged."""
    for attempt in (_zip, _pdf, _events):
        try:
            parts = attempt(data)
        except (ValueError, KeyError, OSError, RuntimeError, struct.error, zipfile.BadZipFile, zlib.error, EOFError):
            continue
        if parts and parts.parts:
            return parts
    return None


def zipped(parts: list[tuple[str, bytes]]) -> bytes:
    """An archive with these members, whose names may be equal."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name, content in parts:
            info = zipfile.ZipInfo(name or "x")
            info.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(info, content)
    return out.getvalue()


def _zip(data: bytes) -> Parts | None:
    if not data.startswith(b"PK"):
        return None
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        infos = [info for info in archive.infolist() if info.file_size < MOST_PART]
        return Parts([(info.filename, archive.read(info)) for info in infos], zipped)


def _pdf(data: bytes) -> Parts | None:
    """Compressed streams, each unpacked, and what stands between them. A reader finds objects that have moved."""
    if not data.startswith(b"%PDF"):
        return None
    parts: list[tuple[str, bytes]] = []
    at = 0
    for found in _STREAM.finditer(data):
        unpacked = zlib.decompressobj().decompress(found[1], MOST_PART) if found[1][:1] == b"x" else b""
        if unpacked:
            parts += [("between", data[at : found.start(1)]), (PACKED, unpacked)]
            at = found.end(1)
    return Parts([*parts, ("between", data[at:])], _pdf_of)


def _pdf_of(parts: list[tuple[str, bytes]]) -> bytes:
    out = b""
    for name, content in parts:
        packed = zlib.compress(content) if name == PACKED else content
        if name == PACKED:
            begin, found, end = out.rpartition(b"/Length ")
            out = begin + found + str(len(packed)).encode() + end.lstrip(b"0123456789") if found else out
        out += packed
    return out


def _events(data: bytes) -> Parts | None:
    """Records by number; a record is length, checksum, payload, checksum."""
    payloads: list[tuple[str, bytes]] = []
    at = 0
    while at + 16 <= len(data):
        (length,) = struct.unpack_from("<Q", data, at)
        if length > len(data) - at - 16:
            return None
        payloads.append((str(len(payloads)), data[at + 12 : at + 12 + length]))
        at += 16 + length
    return Parts(payloads, lambda parts: b"".join(record(payload) for _, payload in parts)) if payloads else None

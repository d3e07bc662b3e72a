"""The XML parts of an office document, which is a zip archive: bounded, and as far as it is whole."""

import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Final, NamedTuple

from grader.intake.errors import NotLetInError
from grader.intake.zip_table import BAD_ARCHIVE, open_archive
from grader.message import say
from grader.reading.bytes_in import read_bytes
from grader.reading.zip_salvage import salvaged, unpacked

MOST_BYTES: Final = 200_000_000
"""Of the file: pictures are kept inside."""

MOST_PART: Final = 40_000_000
"""Of one part, unpacked."""

_MOST_TOTAL: Final = 100_000_000
_MOST_PARTS: Final = 5_000
_CHUNK: Final = 1_048_576
_OLE: Final = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_LOCKED: Final = "EncryptedPackage".encode("utf-16-le")
AS_PDF: Final = say("export the report as PDF and hand that in")
"""What helps with most office documents."""


class Parts(NamedTuple):
    """The contents of the parts that were asked for, by name, and the names of all. `problems` say what is missing."""

    content: Mapping[str, bytes] = {}
    names: frozenset[str] = frozenset()
    problems: tuple[str, ...] = ()


def office_parts(path: Path, *, folders: tuple[str, ...]) -> Parts:
    """The XML parts at the top of an office document and in folders whose names begin as given. Never raises."""
    data, trouble = read_bytes(path, MOST_BYTES)
    refusal = _no_zip(data)
    if refusal:
        return Parts(problems=(*trouble, refusal))
    try:
        with open_archive(path, _MOST_PARTS) as archive:
            return _read(archive, folders)
    except (NotLetInError, *BAD_ARCHIVE):
        return _salvage(data, folders)


def _no_zip(data: bytes) -> str | None:
    """Why a file is no zip archive, in words for the student; None where it may be one."""
    if data.startswith(_OLE):
        if _LOCKED in data:
            return say("it is protected by a password: hand it in without one, or {otherwise}", otherwise=AS_PDF)
        return say("it is in the old Word format (.doc): save it as .docx, or {otherwise}", otherwise=AS_PDF)
    if data.startswith(b"{\\rtf"):
        return say("it is rich text (RTF): save it as .docx, or {otherwise}", otherwise=AS_PDF)
    if b"PK\x03\x04" not in data:
        if not data:
            return say("the file is empty")
        return say("it is no office document, or a damaged one: {remedy}", remedy=AS_PDF)
    return None


def _is_wanted(name: str, folders: tuple[str, ...]) -> bool:
    return name.endswith((".xml", ".rels")) and ("/" not in name or name.startswith(folders))


def _read(archive: zipfile.ZipFile, folders: tuple[str, ...]) -> Parts:
    content: dict[str, bytes] = {}
    problems: list[str] = []
    left = _MOST_TOTAL
    for entry in archive.infolist():
        if not _is_wanted(entry.filename, folders):
            continue
        data, problem = _unpacked(archive, entry, min(left, MOST_PART))
        left -= len(data)
        content[entry.filename] = data
        if problem:
            problems.append(problem)
    return Parts(content, frozenset(archive.namelist()), tuple(problems))


def _unpacked(archive: zipfile.ZipFile, entry: zipfile.ZipInfo, limit: int) -> tuple[bytes, str | None]:
    """A part's bytes as far as they can be unpacked, and what is wrong with it."""
    if entry.flag_bits & 0x1:
        return b"", say(
            "its part {part} is protected by a password: hand it in without one, or {otherwise}",
            part=entry.filename,
            otherwise=AS_PDF,
        )
    found = bytearray()
    try:
        with archive.open(entry) as part:
            while chunk := part.read(_CHUNK):
                found += chunk
                if len(found) > limit:
                    return bytes(found[:limit]), say(
                        "its part {part} is very large; only its beginning is read", part=entry.filename
                    )
    except BAD_ARCHIVE:
        return bytes(found), say("its part {part} is damaged; what can be unpacked of it is read", part=entry.filename)
    return bytes(found), None


def _salvage(data: bytes, folders: tuple[str, ...]) -> Parts:
    content: dict[str, bytes] = {}
    names: set[str] = set()
    left = _MOST_TOTAL
    for file in salvaged(data):
        names.add(file.name)
        if _is_wanted(file.name, folders) and file.name not in content and left > 0:
            content[file.name] = unpacked(data, file, min(left, MOST_PART))
            left -= len(content[file.name])
    return Parts(
        content, frozenset(names), (say("the file is damaged; what is left of it is read; {remedy}", remedy=AS_PDF),)
    )

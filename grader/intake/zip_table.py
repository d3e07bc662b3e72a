"""The table of contents of a zip archive: what it says is inside, without unpacking anything."""

import stat
import struct
import zipfile
import zlib
from pathlib import Path
from typing import Final, NamedTuple

from grader.intake.errors import NotLetInError
from grader.intake.names import entry_name, inner_path, shown
from grader.intake.submission import Refusal
from grader.message import Message, say

BAD_ARCHIVE: Final = (zipfile.BadZipFile, zlib.error, EOFError, OSError, RuntimeError, ValueError, struct.error)
"""All that `zipfile` raises for damaged, hostile, encrypted or unsupported archives (NotImplementedError included)."""

MOST_ENTRIES: Final = 1_000_000
"""In the archive of a whole class."""
ENCRYPTED: Final = say("it is protected by a password; hand it in again without one")

_ENTRY: Final = b"PK\x01\x02"
_LARGEST_TABLE: Final = 128 * 2**20
"""In bytes: room for a million entries."""
_BEFORE_END: Final = 76
"""Bytes that may lie between the table and the end record: those of large archives."""
_KINDS: Final = {
    b"Rar!": say("a RAR archive"),
    b"7z\xbc\xaf": say("a 7-Zip archive"),
    b"\x1f\x8b": say("a gzip file"),
}
_FLAG_ENCRYPTED: Final = 0x1


class Member(NamedTuple):
    """An entry under the path it stands for (see `inner_path`)."""

    path: str
    entry: zipfile.ZipInfo

    @property
    def is_folder(self) -> bool:
        """Whether it stands for a folder, also where it is written with backslashes."""
        return self.entry.orig_filename.endswith(("/", "\\")) or stat.S_ISDIR(self.entry.external_attr >> 16)

    @property
    def is_encrypted(self) -> bool:
        """Whether a password is needed."""
        return bool(self.entry.flag_bits & _FLAG_ENCRYPTED)


def open_archive(path: Path, most_entries: int = MOST_ENTRIES) -> zipfile.ZipFile:
    """The archive, opened for reading. Raises NotLetInError when it is damaged, no zip, or has too many entries.

    The entries are counted before the table is parsed: what the archive itself says of their number proves nothing.
    """
    if not path.is_file():
        raise NotLetInError(say("it is not there or not a file; check the path"))
    try:
        if _more_entries_than(most_entries, path):
            raise NotLetInError(
                say("it lists more than {most:,} files; hand in only what the lab asks for", most=most_entries)
            )
        return zipfile.ZipFile(path)
    except BAD_ARCHIVE as error:
        raise NotLetInError(_why_not_opened(path, error)) from error


def members(archive: zipfile.ZipFile) -> tuple[tuple[Member, ...], tuple[Refusal, ...]]:
    """The entries in the archive's order, and those whose names are refused, with the reason."""
    let_in: list[Member] = []
    refused: list[Refusal] = []
    for entry in archive.infolist():
        name = entry_name(entry)
        try:
            let_in.append(Member(inner_path(name), entry))
        except NotLetInError as error:
            refused.append(Refusal(path=shown(name), reason=error.reason))
    return tuple(let_in), tuple(refused)


def _more_entries_than(most: int, path: Path) -> bool:
    """Whether the table lists more. Of the archive nothing else is read, however large it is.

    The end record is found by the very function that `zipfile` finds it by, so that both mean the same table.
    """
    with path.open("rb") as file:
        end = zipfile._EndRecData(file)  # type: ignore[attr-defined]
        if end is None:
            raise zipfile.BadZipFile("there is no table")
        size, at = end[5], end[9]
        if size > _LARGEST_TABLE:
            return True
        file.seek(max(0, at - size - _BEFORE_END))
        return bool(file.read(size + _BEFORE_END).count(_ENTRY) > most)


def _why_not_opened(path: Path, error: Exception) -> Message:
    if isinstance(error, PermissionError):
        return say("it cannot be opened (permission denied); change its permissions")
    kind = _kind(path)
    if kind:
        return say("it is {kind} and not a zip archive; hand in a zip archive", kind=kind)
    return say("it is damaged or not a zip archive; make the archive again, open it once to check, and hand that in")


def _kind(path: Path) -> Message | None:
    try:
        with path.open("rb") as file:
            head = file.read(8)
    except OSError:
        return None
    return next((kind for magic, kind in _KINDS.items() if head.startswith(magic)), None)

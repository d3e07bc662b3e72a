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

ENCRYPTED: Final = say("it is protected by a password; hand it in again without one")

_ENTRY: Final = b"PK\x01\x02"
_CHUNK: Final = 2**20
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


def open_archive(path: Path, most_entries: int | None = None) -> zipfile.ZipFile:
    """The archive, opened for reading. Raises NotLetInError when it is damaged, no zip, or has too many entries.

    The entries are counted before the table is parsed: what the archive itself says of their number proves nothing.
    None stands for an archive whose entries were counted before.
    """
    if not path.is_file():
        raise NotLetInError(say("it is not there or not a file; check the path"))
    try:
        if most_entries is not None and _more_entries_than(most_entries, path):
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
    count, tail = 0, b""
    with path.open("rb") as file:
        while chunk := file.read(_CHUNK):
            count += (tail + chunk).count(_ENTRY)
            if count > most:
                return True
            tail = chunk[1 - len(_ENTRY) :]
    return False


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

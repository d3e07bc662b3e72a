"""Zip archives: their central directory, and unpacking of single files under limits. Bad content never raises out of
intake: the reason becomes data.
"""

import re
import stat
import struct
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final, NamedTuple

from pydantic import Field

from grader.frozen import Frozen
from grader.intake import NotLetInError
from grader.intake.names import entry_name, inner_path, printable_name
from grader.intake.submission import Refusal
from grader.message import Message, say

BAD_ARCHIVE: Final = (zipfile.BadZipFile, zlib.error, EOFError, OSError, RuntimeError, ValueError, struct.error)
"""Everything that `zipfile` raises for damaged, hostile, encrypted or unsupported archives."""

MOST_ENTRIES: Final = 1_000_000
"""Entries in the archive of a whole class."""
ENCRYPTED: Final = say("it is protected by a password; hand it in again without one")

_ENTRY: Final = b"PK\x01\x02"
_LARGEST_TABLE: Final = 128 * 2**20
"""Bytes of a central directory: enough for a million entries."""
_BEFORE_END: Final = 76
"""Bytes between the central directory and the end record: the ZIP64 records."""
_KINDS: Final = {
    b"Rar!": "RAR",
    b"7z\xbc\xaf": "7-Zip",
    b"\x1f\x8b": "gzip",
}
_FLAG_ENCRYPTED: Final = 0x1


class Member(NamedTuple):
    """An entry of an archive with its safe path (see `inner_path`)."""

    path: str
    entry: zipfile.ZipInfo

    @property
    def is_folder(self) -> bool:
        """Whether the entry is a folder, also if its name uses backslashes."""
        return self.entry.orig_filename.endswith(("/", "\\")) or stat.S_ISDIR(self.entry.external_attr >> 16)

    @property
    def is_encrypted(self) -> bool:
        """Whether a password is needed."""
        return bool(self.entry.flag_bits & _FLAG_ENCRYPTED)


def open_archive(path: Path, most_entries: int = MOST_ENTRIES) -> zipfile.ZipFile:
    """The archive, opened for reading. Raises NotLetInError when it is damaged, no zip, or has too many entries.

    The entries are counted before the directory is parsed, as the number stated in the archive cannot be trusted.
    """
    if not path.is_file():
        raise NotLetInError(say("it is not there or not a file; check the path"))
    try:
        if _more_entries_than(most_entries, path):
            raise _too_many(most_entries)
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
            refused.append(Refusal(path=printable_name(name), reason=error.reason))
    return tuple(let_in), tuple(refused)


def _more_entries_than(most: int, path: Path) -> bool:
    """Whether the central directory has more than `most` entries. Nothing else of the archive is read.

    The end record is located by `zipfile`'s own function, so that both use the same directory.
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
    head = b""
    with suppress(OSError), path.open("rb") as file:
        head = file.read(8)
    for magic, kind in _KINDS.items():
        if head.startswith(magic):
            return say("it is an archive of another kind ({kind}); hand in a zip archive", kind=kind)
    return say("it is damaged or not a zip archive; make the archive again, open it once to check, and hand that in")


class Limits(Frozen):
    """Limits for one hand-in, far above what a lab needs; files beyond them are refused with a reason.

    The most important files (reports, then notebooks, logs and code; shallow paths before deep ones) are admitted
    first, so that a forgotten data set cannot displace the report.
    """

    files: int = Field(default=5_000, ge=0, description="Files let in, those within archives included.")
    total_bytes: int = Field(default=2**30, ge=0, description="Of all files together, after unpacking.")
    file_bytes: int = Field(default=200 * 2**20, ge=0, description="Of one file, after unpacking.")
    depth: int = Field(default=20, ge=0, le=200, description="Folders and archives above a file.")
    nesting: int = Field(default=2, ge=0, description="Archives within the submission that lie one in another.")
    ratio: int = Field(default=200, ge=1, description="Size after unpacking over size before, for files above 10 MiB.")


DEFAULT_LIMITS: Final = Limits()


_LONGEST: Final = 120


class Workroom:
    """Counts admitted files and stores them under numbered names, so that no submitted name can lead out of the
    folder."""

    def __init__(self, folder: Path, limits: Limits) -> None:
        self.limits = limits
        self._folder = folder
        self._files = 0
        self._bytes = 0

    def check_archive(self, path: Path) -> None:
        """Raises NotLetInError when the hand-in's own archive is larger than a hand-in may be."""
        with suppress(OSError):
            if path.stat().st_size > self.limits.total_bytes:
                raise _too_large_in_all(self.limits)

    def admit(self, path: str, size: int) -> None:
        """Count a file of `size` bytes as let in. Raises NotLetInError when that would go beyond a limit."""
        limits = self.limits
        if path.count("/") > limits.depth:
            raise NotLetInError(
                say("it lies more than {depth} folders deep; hand it in closer to the top", depth=limits.depth)
            )
        if size > limits.file_bytes:
            raise NotLetInError(
                say("it is larger than {size}; hand in only what the lab asks for", size=mebibytes(limits.file_bytes))
            )
        if self._files >= limits.files:
            raise _too_many(limits.files)
        if self._bytes + size > limits.total_bytes:
            raise _too_large_in_all(limits)
        self._files += 1
        self._bytes += size

    def store(self, path: str, chunks: Iterable[bytes], size: int) -> Path:
        """Writes at most the admitted `size` in bytes; returns the location. After an error no partial file remains:
        raises what `chunks` raises, and NotLetInError when there is more.
        """
        self._folder.mkdir(parents=True, exist_ok=True)
        name = re.sub(r"[^A-Za-z0-9._-]", "_", path.rsplit("/", 1)[-1])
        location, written = self._folder / f"{self._files:05}-{name[-_LONGEST:]}", 0
        try:
            with location.open("xb") as file:
                for chunk in chunks:
                    written += len(chunk)
                    if written > size:
                        raise NotLetInError(say("it unpacks to more than its archive says; make the archive again"))
                    file.write(chunk)
        except BaseException:
            location.unlink(missing_ok=True)
            raise
        return location


def _too_large_in_all(limits: Limits) -> NotLetInError:
    size = mebibytes(limits.total_bytes)
    return NotLetInError(
        say("the submission is larger than {size} in all; hand in only what the lab asks for", size=size)
    )


def _too_many(most: int) -> NotLetInError:
    return NotLetInError(
        say("the submission holds more than {most:,} files; hand in only what the lab asks for", most=most)
    )


def mebibytes(size: int) -> Message:
    """A size in bytes, for people."""
    return say("{size:,.4g} MiB", size=size / 2**20)


ENTRIES_PER_FILE: Final = 20
"""Entries that an archive may list per admitted file; ignored content such as a `.git` folder counts as entries
only."""

_CHUNK: Final = 2**18
_SMALL: Final = 10 * 2**20
_METHODS: Final = frozenset({zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED})


@dataclass(frozen=True)
class Entry:
    """A file that may be admitted. `fetch` admits it: returns the location of its bytes, raises NotLetInError with the
    reason."""

    path: str
    fetch: Callable[[], Path]


def archive_entries(
    archive: zipfile.ZipFile, found: tuple[Member, ...], room: Workroom, prefix: str = ""
) -> Iterator[Entry]:
    """The files among an archive's members as entries whose paths begin with `prefix`."""
    size = Path(archive.filename or "").stat().st_size
    for member in found:
        if not member.is_folder:
            path = prefix + member.path
            yield Entry(path, _fetch(archive, Member(path, member.entry), room, size))


def members_in_folder(found: tuple[Member, ...], inside: str) -> tuple[Member, ...]:
    """The members in the folder `inside` of an archive, under their paths from there; all of them for ''."""
    if not inside:
        return found
    start = f"{inside}/"
    return tuple(
        Member(member.path.removeprefix(start), member.entry) for member in found if member.path.startswith(start)
    )


def _fetch(archive: zipfile.ZipFile, member: Member, room: Workroom, archive_size: int) -> Callable[[], Path]:
    def fetch() -> Path:
        _check(member, archive_size, room.limits.ratio)
        room.admit(member.path, member.entry.file_size)
        return room.store(member.path, _chunks(archive, member.entry), member.entry.file_size)

    return fetch


def _check(member: Member, archive_size: int, ratio: int) -> None:
    entry = member.entry
    kind = stat.S_IFMT(entry.external_attr >> 16)
    if kind == stat.S_IFLNK:
        raise NotLetInError(say("it is a symbolic link, which may point anywhere; put the file itself in its place"))
    if kind not in (0, stat.S_IFREG):
        raise NotLetInError(say("it is neither a file nor a folder (a device, a pipe); leave it out"))
    if member.is_encrypted:
        raise NotLetInError(ENCRYPTED)
    if entry.compress_type not in _METHODS:
        raise NotLetInError(
            say("it is compressed by a rare method; make the archive again with the system's own program")
        )
    packed = max(1, min(entry.compress_size, archive_size))
    if entry.file_size > _SMALL and entry.file_size > ratio * packed:
        raise NotLetInError(
            say("it unpacks to more than {ratio} times its size, as harmful archives do; leave it out", ratio=ratio)
        )


def _chunks(archive: zipfile.ZipFile, entry: zipfile.ZipInfo) -> Iterator[bytes]:
    try:
        with archive.open(entry) as opened:
            while chunk := opened.read(_CHUNK):
                yield chunk
    except BAD_ARCHIVE as error:
        raise NotLetInError(say("it is damaged within the archive; make the archive again and hand that in")) from error

"""Zip archives, unpacked file by file under limits. Never raises for what is in them: the reason becomes data."""

import stat
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from grader.intake.errors import NotLetInError
from grader.intake.workroom import Workroom
from grader.intake.zip_table import BAD_ARCHIVE, ENCRYPTED, Member
from grader.message import say

ENTRIES_PER_FILE: Final = 20
"""How many entries an archive may list per file let in; litter such as a `.git` folder counts as entries only."""

_CHUNK: Final = 2**18
_SMALL: Final = 10 * 2**20
_METHODS: Final = frozenset({zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED})


@dataclass(frozen=True)
class Entry:
    """A file that may be let in. `fetch` does it: returns where the bytes lie, raises NotLetInError with the reason."""

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


def within(found: tuple[Member, ...], inside: str) -> tuple[Member, ...]:
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

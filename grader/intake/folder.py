"""A hand-in that is a folder on disk, read where it lies."""

import stat
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

from grader.intake.archive import Entry
from grader.intake.errors import NotLetInError
from grader.intake.names import printable, shown
from grader.intake.places import DiskFolder
from grader.intake.submission import Refusal
from grader.intake.workroom import Workroom
from grader.message import say

_CHUNK: Final = 2**20


def folder_entries(folder: DiskFolder, room: Workroom, prefix: str = "") -> Iterator[Entry | Refusal]:
    """All files under a folder in natural order, and what is refused: links, devices, folders too deep or locked."""
    try:
        contents = folder.contents()
    except OSError as error:
        reason = say("the folder cannot be opened ({error})", error=error.strerror)
        yield Refusal(path=prefix or ".", reason=reason, is_many=True)
        return
    for refusal in contents.refused:
        yield refusal.model_copy(update={"path": prefix + refusal.path})
    for name in contents.files:
        yield file_entry(folder.path / name, prefix + printable(name), room)
    for name in contents.folders:
        yield from _deeper(folder.enter(name), room, f"{prefix}{printable(name)}/")


def file_entry(location: Path, path: str, room: Workroom) -> Entry:
    """A file on disk, called `path` in the hand-in."""
    return Entry(path, _fetch(location, path, room))


def _deeper(folder: DiskFolder, room: Workroom, prefix: str) -> Iterator[Entry | Refusal]:
    if prefix.count("/") > room.limits.depth:
        reason = say("it lies more than {depth} folders deep; hand it in closer to the top", depth=room.limits.depth)
        yield Refusal(path=shown(prefix), reason=reason, is_many=True)
    else:
        yield from folder_entries(folder, room, prefix)


def _fetch(location: Path, path: str, room: Workroom) -> Callable[[], Path]:
    def fetch() -> Path:
        try:
            status = location.stat()
        except OSError as error:
            raise NotLetInError(say("it cannot be opened ({error})", error=error.strerror)) from error
        if not stat.S_ISREG(status.st_mode):
            raise NotLetInError(say("it is not a file (a device, a pipe); leave it out"))
        room.admit(path, status.st_size)
        return location if _is_text(location) else room.store(path, _chunks(location), status.st_size)

    return fetch


def _is_text(location: Path) -> bool:
    """Whether the name is valid text. One that is not could be written into no JSON file, so the file is copied."""
    try:
        str(location).encode()
    except UnicodeEncodeError:
        return False
    return True


def _chunks(location: Path) -> Iterator[bytes]:
    try:
        with location.open("rb") as file:
            while chunk := file.read(_CHUNK):
                yield chunk
    except OSError as error:
        raise NotLetInError(say("it cannot be read ({error})", error=error.strerror)) from error

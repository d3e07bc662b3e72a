"""A hand-in whose pieces lie apart in a download, brought together."""

import zipfile
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from pathlib import Path

from grader.intake.archive import Entry, archive_entries, within
from grader.intake.folder import file_entry, folder_entries
from grader.intake.places import DiskFolder
from grader.intake.submission import Part, Refusal
from grader.intake.taking import Taken, take
from grader.intake.workroom import Workroom
from grader.intake.zip_table import Member, members, open_archive

_Opened = dict[Path, tuple[zipfile.ZipFile, tuple[Member, ...], tuple[Refusal, ...]]]


def take_parts(parts: tuple[Part, ...], room: Workroom) -> Iterator[Taken | Refusal]:
    """What becomes of all files of the pieces. Raises NotLetInError when an archive cannot be opened."""
    with ExitStack() as stack:
        opened: _Opened = {}
        for path in dict.fromkeys(part.path for part in parts if part.inside):
            archive = stack.enter_context(open_archive(path))
            opened[path] = (archive, *members(archive))
        found = [one for part in parts for one in _entries(part, opened, room)]
        yield from (one for one in found if isinstance(one, Refusal))
        yield from take((one for one in found if isinstance(one, Entry)), room)


def _entries(part: Part, opened: _Opened, room: Workroom) -> Iterator[Entry | Refusal]:
    if part.inside:
        yield from _in_archive(part, opened, room)
    elif part.path.is_dir():
        below = f"{part.name}/" if part.name else ""
        for one in folder_entries(DiskFolder(part.path), room):
            path = below + one.path
            yield Entry(path, one.fetch) if isinstance(one, Entry) else one.model_copy(update={"path": path})
    else:
        yield file_entry(part.path, part.name or part.path.name, room)


def _in_archive(part: Part, opened: _Opened, room: Workroom) -> Iterator[Entry | Refusal]:
    archive, found, refused = opened[part.path]
    files = [Member(part.name or one.path.rsplit("/", 1)[-1], one.entry) for one in found if _is(one, part)]
    if files:
        yield from archive_entries(archive, tuple(files), room)
        return
    yield from under(f"{part.inside}/", refused)
    yield from archive_entries(archive, within(found, part.inside), room)


def _is(member: Member, part: Part) -> bool:
    return member.path == part.inside and not member.is_folder


def under(prefix: str, refused: Iterable[Refusal]) -> Iterator[Refusal]:
    """The refusals in a folder of an archive, under their paths from there."""
    for refusal in refused:
        if refusal.path.startswith(prefix):
            yield refusal.model_copy(update={"path": refusal.path.removeprefix(prefix)})

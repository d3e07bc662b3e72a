"""Files let into a hand-in one by one, the most telling first; archives among them are unpacked in place."""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final, NamedTuple

from grader.intake.archive import ENTRIES_PER_FILE, Entry, archive_entries
from grader.intake.errors import NotLetInError
from grader.intake.litter import is_litter
from grader.intake.names import is_archive, is_zip, shown
from grader.intake.order import NaturalKey, natural
from grader.intake.roles import role_of
from grader.intake.submission import Refusal, Role
from grader.intake.workroom import Workroom
from grader.intake.zip_table import members, open_archive
from grader.message import say

_ORDER: Final = (Role.REPORT, Role.NOTEBOOK, Role.LOG, Role.CODE, Role.MODEL)


class Taken(NamedTuple):
    """A file that was let in: its path in the hand-in, and where its bytes lie."""

    path: str
    location: Path


def take(entries: Iterable[Entry], room: Workroom, level: int = 0) -> Iterator[Taken | Refusal]:
    """What becomes of each entry. `level` counts the archives of the hand-in that are open already."""
    for entry in sorted(entries, key=_importance):
        try:
            if not is_litter(entry.path):
                yield from _taken(entry, room, level)
        except NotLetInError as error:
            yield Refusal(path=shown(entry.path), reason=error.reason)


def take_archive(path: Path, room: Workroom, prefix: str = "", level: int = 0) -> Iterator[Taken | Refusal]:
    """What becomes of all files of a zip archive. Raises NotLetInError when the archive itself cannot be opened."""
    with open_archive(path, ENTRIES_PER_FILE * room.limits.files) as archive:
        found, refused = members(archive)
        for refusal in refused:
            yield refusal.model_copy(update={"path": prefix + refusal.path})
        yield from take(archive_entries(archive, found, room, prefix), room, level)


def _taken(entry: Entry, room: Workroom, level: int) -> Iterator[Taken | Refusal]:
    if is_zip(entry.path):
        if level >= room.limits.nesting:
            raise NotLetInError(
                say("it is an archive within an archive within the hand-in; unpack it before handing in")
            )
        yield from take_archive(entry.fetch(), room, f"{entry.path}/", level + 1)
    elif is_archive(entry.path):
        raise NotLetInError(say("archives of this kind are not unpacked; hand in its files, or a zip archive of them"))
    else:
        yield Taken(entry.path, entry.fetch())


def _importance(entry: Entry) -> tuple[int, int, NaturalKey]:
    role = role_of(entry.path, b"")
    rank = _ORDER.index(role) if role in _ORDER else len(_ORDER) + (not is_zip(entry.path))
    return rank, entry.path.count("/"), natural(entry.path)

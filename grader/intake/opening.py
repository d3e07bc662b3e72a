"""Opens a hand-in from a folder, an archive or pieces of a download: every file is admitted or refused with a reason,
hashed, and given its role; the most important files come first.
"""

import hashlib
import stat
import zipfile
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from itertools import groupby
from pathlib import Path
from typing import Final, NamedTuple

from grader.intake import NotLetInError
from grader.intake.archive import (
    DEFAULT_LIMITS,
    ENTRIES_PER_FILE,
    Entry,
    Limits,
    Member,
    Workroom,
    archive_entries,
    members,
    members_in_folder,
    open_archive,
)
from grader.intake.names import (
    NaturalKey,
    is_archive,
    is_litter,
    is_of_tracker,
    is_zip,
    natural,
    packed_name,
    printable,
    printable_name,
)
from grader.intake.places import DiskFolder
from grader.intake.submission import HEAD_BYTES, Part, Refusal, Role, Source, Submission, SubmittedFile, role_of
from grader.message import say

_ORDER: Final = (Role.REPORT, Role.NOTEBOOK, Role.LOG, Role.CODE, Role.MODEL)


class AdmittedFile(NamedTuple):
    """An admitted file: its path in the hand-in, and the location of its bytes."""

    path: str
    location: Path


def take(entries: Iterable[Entry], room: Workroom, level: int = 0) -> Iterator[AdmittedFile | Refusal]:
    """Admits or refuses each entry. `level` is the number of the hand-in's archives that are open already."""
    for entry in sorted(entries, key=_importance):
        try:
            if not is_litter(entry.path):
                if is_zip(entry.path):
                    if level >= room.limits.nesting:
                        raise NotLetInError(
                            say("it is an archive within an archive within the submission; unpack it before handing in")
                        )
                    yield from take_archive(entry.fetch(), room, f"{entry.path}/", level + 1)
                elif is_archive(entry.path):
                    raise NotLetInError(
                        say("archives of this kind are not unpacked; hand in its files, or a zip archive of them")
                    )
                else:
                    yield AdmittedFile(entry.path, entry.fetch())
        except NotLetInError as error:
            yield Refusal(path=printable_name(entry.path), reason=error.reason)


def take_archive(path: Path, room: Workroom, prefix: str = "", level: int = 0) -> Iterator[AdmittedFile | Refusal]:
    """Admits or refuses each file of a zip archive. Raises NotLetInError when the archive itself cannot be opened."""
    with open_archive(path, ENTRIES_PER_FILE * room.limits.files) as archive:
        found, refused = members(archive)
        for refusal in refused:
            yield refusal.model_copy(update={"path": prefix + refusal.path})
        yield from take(archive_entries(archive, found, room, prefix), room, level)


def _importance(entry: Entry) -> tuple[int, int, NaturalKey]:
    role = role_of(entry.path, b"")
    rank = _ORDER.index(role) if role in _ORDER else len(_ORDER) + (not is_zip(entry.path))
    return rank, entry.path.count("/"), natural(entry.path)


_CHUNK: Final = 2**20


def folder_entries(folder: DiskFolder, room: Workroom, prefix: str = "") -> Iterator[Entry | Refusal]:
    """All files under a folder in natural order, and refusals of links, devices, and folders that are too deep or
    locked."""
    try:
        contents = folder.contents()
    except OSError as error:
        reason = say("it cannot be opened ({error})", error=error.strerror)
        yield Refusal(path=prefix or ".", reason=reason, is_many=True)
        return
    for refusal in contents.refused:
        yield refusal.model_copy(update={"path": prefix + refusal.path})
    for name in contents.files:
        yield file_entry(folder.path / name, prefix + printable(name), room)
    for name in contents.folders:
        below = f"{prefix}{printable(name)}/"
        if below.count("/") <= room.limits.depth:
            yield from folder_entries(folder.enter(name), room, below)
        else:
            depth = room.limits.depth
            reason = say("it lies more than {depth} folders deep; hand it in closer to the top", depth=depth)
            yield Refusal(path=printable_name(below), reason=reason, is_many=True)


def file_entry(location: Path, path: str, room: Workroom) -> Entry:
    """The entry of a file on disk, with the path `path` in the hand-in."""

    def fetch() -> Path:
        try:
            status = location.stat()
        except OSError as error:
            raise NotLetInError(say("it cannot be opened ({error})", error=error.strerror)) from error
        if not stat.S_ISREG(status.st_mode):
            raise NotLetInError(say("it is neither a file nor a folder (a device, a pipe); leave it out"))
        room.admit(path, status.st_size)
        try:
            str(location).encode()
        except UnicodeEncodeError:  # a name that is no text cannot be written into JSON
            return room.store(path, _chunks(location), status.st_size)
        return location

    return Entry(path, fetch)


def _chunks(location: Path) -> Iterator[bytes]:
    try:
        with location.open("rb") as file:
            while chunk := file.read(_CHUNK):
                yield chunk
    except OSError as error:
        raise NotLetInError(say("it cannot be opened ({error})", error=error.strerror)) from error


_Opened = dict[Path, tuple[zipfile.ZipFile, tuple[Member, ...], tuple[Refusal, ...]]]


def take_parts(parts: tuple[Part, ...], room: Workroom) -> Iterator[AdmittedFile | Refusal]:
    """Admits or refuses each file of the pieces. Raises NotLetInError when an archive cannot be opened."""
    with ExitStack() as stack:
        opened: _Opened = {}
        for path in dict.fromkeys(part.path for part in parts if part.inside):
            archive = stack.enter_context(open_archive(path))
            opened[path] = (archive, *members(archive))
        found = [entry for part in parts for entry in _entries(part, opened, room)]
        yield from (entry for entry in found if isinstance(entry, Refusal))
        yield from take((entry for entry in found if isinstance(entry, Entry)), room)


def _entries(part: Part, opened: _Opened, room: Workroom) -> Iterator[Entry | Refusal]:
    if part.inside:
        archive, found, refused = opened[part.path]
        alone = [member.entry for member in found if member.path == part.inside and not member.is_folder]
        if alone:
            name = part.name or part.inside.rsplit("/", 1)[-1]
            yield from archive_entries(archive, tuple(Member(name, entry) for entry in alone), room)
        else:
            yield from refusals_below(f"{part.inside}/", refused)
            yield from archive_entries(archive, members_in_folder(found, part.inside), room)
    elif part.path.is_dir():
        below = f"{part.name}/" if part.name else ""
        for folder_entry in folder_entries(DiskFolder(part.path), room):
            path = below + folder_entry.path
            yield (
                Entry(path, folder_entry.fetch)
                if isinstance(folder_entry, Entry)
                else folder_entry.model_copy(update={"path": path})
            )
    else:
        yield file_entry(part.path, part.name or part.path.name, room)


def refusals_below(prefix: str, refused: Iterable[Refusal]) -> Iterator[Refusal]:
    """The refusals in a folder of an archive, with paths relative to that folder."""
    for refusal in refused:
        if refusal.path.startswith(prefix):
            yield refusal.model_copy(update={"path": refusal.path.removeprefix(prefix)})


MOST_ALIKE: Final = 20
"""Refusals with the same reason that are listed individually."""


def condense_refusals(refused: Iterable[Refusal]) -> tuple[Refusal, ...]:
    """The refusals by path; of many with the same reason, only the first ones and the number of the others."""
    by_reason = groupby(
        sorted(refused, key=lambda refusal: (refusal.reason, natural(refusal.path))), lambda refusal: refusal.reason
    )
    listed: list[Refusal] = []
    for reason, group in by_reason:
        alike = list(group)
        more = len(alike) - MOST_ALIKE
        if more > 1:
            alike.sort(key=lambda refusal: not may_hold_answers(refusal))
            rest = any(may_hold_answers(refusal) for refusal in alike[MOST_ALIKE:])
            alike[MOST_ALIKE:] = [Refusal(path=f"… and {more:,} more", reason=reason, is_many=rest)]
        listed += alike
    return tuple(sorted(listed, key=lambda refusal: natural(refusal.path)))


def may_hold_answers(refusal: Refusal) -> bool:
    """Whether a refusal may concern answers: it covers many files, or the name is that of a report, code, log or
    archive. The links that a tracker leaves in its own folder lead to files that are there, or to logs of its own."""
    if is_of_tracker(refusal.path):
        return False
    path = packed_name(refusal.path) or refusal.path
    return refusal.is_many or is_archive(path) or role_of(path, b"") is not Role.OTHER


def open_submission(source: Source, work: Path, limits: Limits = DEFAULT_LIMITS) -> Submission:
    """Opens one student's hand-in; its files are in the order of their paths.

    Folders are read in place; archives are unpacked into the folder `work`, which must be empty or missing and has to
    exist as long as the files are read. Never raises for submitted content; an empty hand-in has no files. Raises
    OSError when `work` cannot be written.
    """
    outcomes = list(_admitted(_opening_taken(source, Workroom(work, limits), work)))
    files = sorted((outcome for outcome in outcomes if isinstance(outcome, SubmittedFile)), key=lambda file: file.path)
    refused = (outcome for outcome in outcomes if isinstance(outcome, Refusal))
    if not files:  # then any refused file may have been the whole hand-in
        refused = (refusal.model_copy(update={"is_many": True}) for refusal in refused)
    listed = "".join(f"{file.path}\0{file.sha256}\n" for file in files)
    opened = source.submission(hashlib.sha256(listed.encode()).hexdigest())
    return opened.model_copy(update={"files": tuple(files), "refused": condense_refusals(refused)})


def _opening_taken(source: Source, room: Workroom, work: Path) -> Iterator[AdmittedFile | Refusal]:
    try:
        if source.parts:
            yield from take_parts(source.parts, room)
        elif source.inside:
            yield from _part_of_archive(source, room, work)
        elif source.path.is_dir():
            yield from _folder(DiskFolder(source.path), room)
        elif is_zip(source.path.name):
            room.check_archive(source.path)
            yield from take_archive(source.path, room)
        else:
            yield from take([file_entry(source.path, source.path.name, room)], room)
    except NotLetInError as error:
        yield Refusal(path=source.inside or source.path.name, reason=error.reason, is_many=True)


def _folder(folder: DiskFolder, room: Workroom) -> Iterator[AdmittedFile | Refusal]:
    found = list(folder_entries(folder, room))
    yield from (entry for entry in found if isinstance(entry, Refusal))
    yield from take((entry for entry in found if isinstance(entry, Entry)), room)


def _part_of_archive(source: Source, room: Workroom, work: Path) -> Iterator[AdmittedFile | Refusal]:
    """A student's folder, archive or single file in the archive of a class."""
    with open_archive(source.path) as archive:
        found, refused = members(archive)
        whole = next((member for member in found if member.path == source.inside and not member.is_folder), None)
        if whole and is_zip(whole.path):
            # A hand-in's own archive may be as large as a hand-in.
            limits = room.limits.model_copy(update={"files": 1, "file_bytes": room.limits.total_bytes})
            aside = Workroom(work / "archive", limits)
            yield from take_archive(next(archive_entries(archive, (whole,), aside)).fetch(), room)
        elif whole:
            alone = Member(whole.path.rsplit("/", 1)[-1], whole.entry)
            yield from take(archive_entries(archive, (alone,), room), room)
        else:
            yield from refusals_below(f"{source.inside}/", refused)
            yield from take(archive_entries(archive, members_in_folder(found, source.inside), room), room)


def _admitted(outcomes: Iterable[AdmittedFile | Refusal]) -> Iterator[SubmittedFile | Refusal]:
    seen: set[str] = set()
    for outcome in outcomes:
        if isinstance(outcome, Refusal):
            yield outcome
        elif outcome.path in seen:
            yield Refusal(
                path=outcome.path, reason=say("another file of the submission has the same name; rename one of them")
            )
        else:
            seen.add(outcome.path)
            yield _submitted(outcome)


def _submitted(taken: AdmittedFile) -> SubmittedFile | Refusal:
    try:
        with taken.location.open("rb") as file:
            head = file.read(HEAD_BYTES)
            file.seek(0)
            digest = hashlib.file_digest(file, "sha256").hexdigest()
            size = file.tell()
    except OSError as error:
        return Refusal(path=taken.path, reason=say("it cannot be opened ({error})", error=error.strerror))
    role = role_of(taken.path, head)
    return SubmittedFile(path=taken.path, role=role, size=size, sha256=digest, location=taken.location)

"""A hand-in opened: every file let in or refused with a reason, hashed, and given its role."""

import hashlib
from collections.abc import Iterable, Iterator
from pathlib import Path

from grader.intake.archive import Entry, archive_entries, within
from grader.intake.errors import NotLetInError
from grader.intake.folder import file_entry, folder_entries
from grader.intake.limits import DEFAULT_LIMITS, Limits
from grader.intake.names import is_zip
from grader.intake.parts import take_parts, under
from grader.intake.places import DiskFolder
from grader.intake.refusals import condensed
from grader.intake.roles import HEAD_BYTES, role_of
from grader.intake.submission import Refusal, Source, Submission, SubmittedFile
from grader.intake.taking import Taken, take, take_archive
from grader.intake.workroom import Workroom
from grader.intake.zip_table import Member, members, open_archive
from grader.message import say


def open_submission(source: Source, work: Path, limits: Limits = DEFAULT_LIMITS) -> Submission:
    """One student's hand-in, its files in the order of their paths.

    Folders are read in place; archives are unpacked into the folder `work`, which must be empty or missing, and must
    live as long as the files are read. Never raises for anything handed in; an empty hand-in has no files. Raises
    OSError when `work` cannot be written.
    """
    outcomes = list(_admitted(_taken(source, Workroom(work, limits), work)))
    files = sorted((one for one in outcomes if isinstance(one, SubmittedFile)), key=lambda file: file.path)
    refused = (one for one in outcomes if isinstance(one, Refusal))
    if not files:  # then anything that was refused may have been all of it
        refused = (one.model_copy(update={"is_many": True}) for one in refused)
    return Submission(
        student_id=source.student_id,
        student_name=source.student_name,
        identity=source.identity,
        submitted_at=source.submitted_at,
        files=tuple(files),
        refused=condensed(refused),
        sha256=_digest(files),
    )


def _taken(source: Source, room: Workroom, work: Path) -> Iterator[Taken | Refusal]:
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


def _folder(folder: DiskFolder, room: Workroom) -> Iterator[Taken | Refusal]:
    found = list(folder_entries(folder, room))
    yield from (one for one in found if isinstance(one, Refusal))
    yield from take((one for one in found if isinstance(one, Entry)), room)


def _part_of_archive(source: Source, room: Workroom, work: Path) -> Iterator[Taken | Refusal]:
    """A student's folder, archive or single file in the archive of a class."""
    with open_archive(source.path) as archive:
        found, refused = members(archive)
        whole = next((one for one in found if one.path == source.inside and not one.is_folder), None)
        if whole and is_zip(whole.path):
            aside = Workroom(work / "archive", _for_archive(room.limits))
            yield from take_archive(next(archive_entries(archive, (whole,), aside)).fetch(), room)
        elif whole:
            alone = Member(whole.path.rsplit("/", 1)[-1], whole.entry)
            yield from take(archive_entries(archive, (alone,), room), room)
        else:
            yield from under(f"{source.inside}/", refused)
            yield from take(archive_entries(archive, within(found, source.inside), room), room)


def _for_archive(limits: Limits) -> Limits:
    """A hand-in's own archive may be as large as a hand-in."""
    return limits.model_copy(update={"files": 1, "file_bytes": limits.total_bytes})


def _admitted(outcomes: Iterable[Taken | Refusal]) -> Iterator[SubmittedFile | Refusal]:
    seen: set[str] = set()
    for one in outcomes:
        if isinstance(one, Refusal):
            yield one
        elif one.path in seen:
            yield Refusal(
                path=one.path, reason=say("another file of the hand-in has the same name; rename one of them")
            )
        else:
            seen.add(one.path)
            yield _submitted(one)


def _submitted(taken: Taken) -> SubmittedFile | Refusal:
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


def _digest(files: Iterable[SubmittedFile]) -> str:
    listed = "".join(f"{file.path}\0{file.sha256}\n" for file in files)
    return hashlib.sha256(listed.encode()).hexdigest()

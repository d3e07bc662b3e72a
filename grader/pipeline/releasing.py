"""Releases of reports: copies of the released files under their hashes, so that students see what was released and
nothing else until the next release, whatever is graded meanwhile.
"""

import contextlib
import hashlib
import os
import time
from collections.abc import Iterable, Mapping
from datetime import datetime
from pathlib import Path
from typing import Final, NamedTuple

from grader.gradebook.outline import Outline, outline_of
from grader.gradebook.releases import release, released_files, releases
from grader.gradebook.store import Database, Standing, standings
from grader.pipeline.outputs import RESULT, STUDENT_FILES, write_atomically
from grader.result import Result

FOLDER: Final = ".released"
"""In the folder of graded submissions."""
_UNUSED_SECONDS: Final = 3600.0
"""After so long a copy that nothing names is removed: another process may be about to name a younger one."""


class ReleaseOutcome(NamedTuple):
    """The students whose reports are released now, how many of these are other files than before, and the students who
    were left out: because a person has yet to decide, because decisions are not in the report, or because files are not
    those of the last run."""

    students: tuple[str, ...]
    new: int
    pending: tuple[str, ...]
    unfinished: tuple[str, ...]
    changed: tuple[str, ...]


def release_reports(
    out: Path,
    database: Database,
    lab: str,
    wanted: Iterable[Outline],
    released_by: str,
    until: datetime | None,
    usual: datetime,
) -> ReleaseOutcome:
    """Release the reports of students, given by their outlines with all decisions in force. `until` is the time until
    which they may ask; None leaves that of an earlier release and is `usual` for the first."""
    ready, left = _copied(out, wanted, standings(database, lab))
    before = releases(database, lab)
    earlier = {student: (before[student].files, before[student].until) for student in ready if student in before}
    ends = {student: until or earlier.get(student, ({}, usual))[1] for student in ready}
    for end in set(ends.values()):
        changed = {
            student: ready[student]
            for student in ready
            if ends[student] == end and earlier.get(student) != (ready[student], end)
        }
        release(database, lab, changed, released_by, end)
    _remove_unused(out / FOLDER, database)
    new = sum(earlier.get(student, ({}, usual))[0] != files for student, files in ready.items())
    return ReleaseOutcome(tuple(ready), new, *map(tuple, left.values()))


def _copied(
    out: Path, wanted: Iterable[Outline], known_standings: Mapping[str, Standing]
) -> tuple[dict[str, dict[str, str]], dict[str, list[str]]]:
    """Copy the files of whoever can be released; their hashes by student and name, and who was left out by the field of
    `ReleaseOutcome`."""
    ready: dict[str, dict[str, str]] = {}
    left: dict[str, list[str]] = {"pending": [], "unfinished": [], "changed": []}
    for outline in wanted:
        student = outline.student
        contents = {name: path.read_bytes() for name in STUDENT_FILES if (path := out / student / name).is_file()}
        hashes = {name: hashlib.sha256(content).hexdigest() for name, content in contents.items()}
        problem = _problem(
            outline, contents[RESULT], hashes, known_standings[student].files if student in known_standings else {}
        )
        if problem:
            left[problem].append(student)
            continue
        for name, content in contents.items():
            _keep(out / FOLDER / hashes[name], content)
        ready[student] = hashes
    return ready, left


def _problem(outline: Outline, result: bytes, hashes: Mapping[str, str], written: Mapping[str, str]) -> str:
    """Return the reason why a student is left out, as the field of `ReleaseOutcome`; empty for one who is not.
    `written` are the hashes of the files that the last run left."""
    if any(written.get(name, sha256) != sha256 for name, sha256 in hashes.items()):
        return "changed"
    if outline != outline_of(Result.from_json(result)):
        return "unfinished"
    return "pending" if outline.pending or outline.error else ""


def withdraw(out: Path, database: Database, lab: str, students: Iterable[str], withdrawn_by: str) -> tuple[str, ...]:
    """Show students nothing any more; returns those who saw something."""
    before = releases(database, lab)
    some = [student for student in students if student in before]
    for student in some:
        release(database, lab, {student: {}}, withdrawn_by, before[student].until)
    _remove_unused(out / FOLDER, database)
    return tuple(some)


def _keep(path: Path, content: bytes) -> None:
    try:
        os.utime(path)
    except FileNotFoundError:
        write_atomically(path, content, mode=0o600)


def _remove_unused(folder: Path, database: Database) -> None:
    used, old = released_files(database), time.time() - _UNUSED_SECONDS
    with contextlib.suppress(FileNotFoundError):
        for path in list(folder.iterdir()):
            if path.name not in used and path.stat().st_mtime < old:
                path.unlink(missing_ok=True)

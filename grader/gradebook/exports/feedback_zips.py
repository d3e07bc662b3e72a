"""Reports as files that Moodle and Canvas give back to students: zips whose names keep the ids of the download.

Moodle (*Upload multiple feedback files in a zip*) looks for a part of the path such as
`Full name_12_assignsubmission_file`; Canvas (*Upload submissions*) for the first two numbers between underscores.
"""

import re
import zipfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import BinaryIO, Final

from grader.gradebook import GradebookError
from grader.gradebook.csv_table import read_table
from grader.gradebook.exports.outcome import Content, Exported, Pending, Wanted, gradable, rows_of
from grader.gradebook.people import Person, apart, header_row, persons_of
from grader.result import Result

REPORT: Final = "report"
FEEDBACK: Final = "feedback"
_MOODLE: Final = re.compile(r"[^_.~/\\][^_/\\]*_\d+_assignsubmission_file_?")
_CANVAS: Final = re.compile(r"(?P<head>[^\d/\\][^/\\]*?_\d+_\d+_.*?)(?:\.[^.]*)?", re.DOTALL)
_LONGEST: Final = 120
_IN_MOODLE: Final = "in Moodle: the assignment, Submissions, Upload multiple feedback files in a zip."
_IN_CANVAS: Final = "in Canvas: the assignment, SpeedGrader's assignment page, Re-upload submissions; once only."
_LARGEST: Final = 200_000
"""Bytes; larger PDFs are listed in the notes, since course systems limit uploads."""


def moodle_feedback(results: Sequence[Result], wanted: Wanted) -> Exported:
    """One folder for each student, or member of a team, with the report; `--into` may name a grading worksheet."""
    ready = gradable(results, wanted, Pending.SCORE)
    found = dict(_participants(ready.results, wanted))
    files, missing = [], []
    for result in ready.results:
        reports = _reports(result, wanted)
        people = [found.get((result.student.id, place), one) for place, one in enumerate(persons_of(result))]
        folders = [_folder(person, result) for person in people if person.participant]
        if not reports or len(folders) < len(people):
            missing.append(result.student.id)
        files += [(f"{folder}/{FEEDBACK}{one.suffix}", one) for folder in folders for one in reports]
    notes = (*_notes(files, missing, wanted, "participant id"), *ready.notes)
    return Exported((("moodle-feedback.zip", _zipped(files)),), notes, len(files), len(files), _IN_MOODLE)


def canvas_feedback(results: Sequence[Result], wanted: Wanted) -> Exported:
    """One file for each student, named like the downloaded file. Uploading it twice adds two comments."""
    ready = gradable(results, wanted, Pending.SCORE)
    files, missing = [], []
    for result in ready.results:
        reports = _reports(result, wanted)
        identity = result.student.identity
        named = _CANVAS.fullmatch(identity.entry) if identity and identity.canvas_user else None
        if named and reports:
            files += [(f"{named['head']}{one.suffix}", one) for one in reports]
        else:
            missing.append(result.student.id)
    notes = (*_notes(files, missing, wanted, "name in the download"), *ready.notes)
    return Exported((("canvas-feedback.zip", _zipped(files)),), notes, len(files), len(files), _IN_CANVAS)


def _reports(result: Result, wanted: Wanted) -> list[Path]:
    """The student's reports in all requested formats; empty if one of them is missing."""
    paths = [wanted.folder / result.student.id / f"{REPORT}.{ending}" for ending in wanted.reports]
    return paths if all(path.is_file() for path in paths) else []


def _participants(results: Sequence[Result], wanted: Wanted) -> Iterator[tuple[tuple[str, int], Person]]:
    """The people of a worksheet, each with the student id of the result and the place in the team."""
    if wanted.into is None:
        return
    table = read_table(wanted.into)
    rows = rows_of(table, header_row(table), results)
    for row, result in rows.rows.items():
        person_in_file = rows.people[row]
        for place, person in enumerate(persons_of(result)):
            if (
                len(persons_of(result)) == 1
                or person_in_file.name == person.name
                or person_in_file.email == person.email
            ):
                yield (result.student.id, place), person_in_file


def _folder(person: Person, result: Result) -> str:
    entry = result.student.identity.entry if result.student.identity else ""
    is_own = len(persons_of(result)) == 1 and f"_{person.participant}_" in entry
    if is_own and _MOODLE.fullmatch(entry):
        return entry
    name = re.sub(r"[_/\\\x00-\x1f]+", " ", person.name).strip(" .~")[:_LONGEST] or "Participant"
    return f"{name}_{person.participant}_assignsubmission_file_"


def _notes(files: list[tuple[str, Path]], missing: list[str], wanted: Wanted, what: str) -> tuple[str, ...]:
    if not files:
        named = " and a ".join(f"{REPORT}.{ending}" for ending in wanted.reports)
        raise GradebookError(
            f"there is no report to give back: each needs a {named} and the student's {what} "
            "(grade the download of the system itself; for Moodle --into may name its grading worksheet)."
        )
    notes: tuple[str, ...] = (f"{len(files)} reports",)
    large = [path.parent.name for _, path in files if path.suffix == ".pdf" and path.stat().st_size > _LARGEST]
    if large:
        notes = (*notes, f"larger than {_LARGEST // 1000} kB (grade them again to make them smaller): {apart(large)}")
    return (*notes, f"without a report or a {what}, so left out: {apart(missing)}") if missing else notes


def _zipped(files: list[tuple[str, Path]]) -> Content:
    """A zip archive, of which one report at a time is in memory; the same files always give the same bytes."""

    def write(into: BinaryIO) -> None:
        with zipfile.ZipFile(into, "w") as archive:
            for name, path in files:
                archive.writestr(zipfile.ZipInfo(name), path.read_bytes())

    return write

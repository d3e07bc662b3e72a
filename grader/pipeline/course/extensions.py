"""More time for some students: a CSV file or a TOML file.

student,until,hours,reason                [[extension]]
ada,2023-11-23T23:59+01:00,,illness       student = "ada"
bob@example.org,,48,                      hours = 48
"""

from collections.abc import Iterator, Sequence
from datetime import date, datetime, time
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import Any, Final, NamedTuple

from grader.gradebook.columns import data_rows, header_row, heading_key, who_columns
from grader.gradebook.csv_table import read_table
from grader.gradebook.errors import GradebookError
from grader.gradebook.matching import match
from grader.gradebook.person import Person
from grader.gradebook.toml_places import Entry, read_entries
from grader.intake.submission import Source
from grader.intake.times import read_time
from grader.lateness import Extension
from grader.pipeline.course.people import named, people_of

_UNTIL: Final = ("until", "deadline", "new deadline", "extended to", "extension", "jusqu au", "nouvelle date")
_HOURS: Final = ("hours", "extra hours", "heures")
_REASON: Final = ("reason", "note", "comment", "raison", "motif")
_MOST_HOURS: Final = 24 * 3660
_HOW: Final = "write `until` as 2023-11-23T23:59+01:00, or `hours` as a number"


class _Row(NamedTuple):
    person: Person
    extension: Extension
    place: str


def read_extensions(path: Path, sources: Sequence[Source]) -> tuple[dict[str, Extension], tuple[str, ...]]:
    """The extensions by student id, and what staff should be told. Raises GradebookError with the line."""
    rows = list(_of_toml(path) if path.suffix.lower() == ".toml" else _of_csv(path))
    people, places = people_of(sources)
    matching = match([row.person for row in rows], people, several=True)
    extensions: dict[str, Extension] = {}
    for place, owner in matching.found.items():
        student = sources[places[owner]].student_id
        if extensions.get(student, rows[place].extension) != rows[place].extension:
            raise GradebookError(f"{rows[place].place}: a second extension of {student}; keep one of them.")
        extensions[student] = rows[place].extension
    doubts = [f"extensions: in doubt, so not used: {rows[p].place} ({rows[p].person.label})" for p in matching.doubtful]
    others = [f"{rows[place].person.label} ({rows[place].place})" for place in matching.unmatched]
    return extensions, (*doubts, *([f"extensions: no hand-in of: {named(others)}"] if others else []))


def _of_csv(path: Path) -> Iterator[_Row]:
    table = read_table(path)
    header = header_row(table)
    columns = who_columns(table, header)
    headings = [heading_key(heading) for heading in table.texts(header)]
    places = [
        next((headings.index(name) for name in names if name in headings), None) for names in (_UNTIL, _HOURS, _REASON)
    ]
    if places[0] is None and places[1] is None:
        raise GradebookError(f"{table.where(header)}: no column `until` or `hours` says how much more time there is.")
    for row in data_rows(table, header):
        texts = table.texts(row)
        until, hours, reason = (texts[at] if at is not None and at < len(texts) else "" for at in places)
        place = table.where(row)
        yield _Row(columns.person(texts, place), _extension(until or None, hours or None, reason, place), place)


def _of_toml(path: Path) -> Iterator[_Row]:
    for entry in read_entries(path, "extension"):
        values = entry.values
        unknown = next((key for key in values if key not in ("student", "until", "hours", "reason")), None)
        if unknown:
            raise GradebookError(f"{entry.at(unknown)}: `{unknown}` is unknown; {_HOW}.")
        student = str(values.get("student", "")).strip()
        if not student:
            raise GradebookError(f"{entry.at()}: this extension names no `student`.")
        yield _Row(Person(label=student, unsaid=student), _toml_extension(entry), entry.at())


def _toml_extension(entry: Entry) -> Extension:
    values = entry.values
    where = entry.at("until" if "until" in values else "hours")
    return _extension(values.get("until"), values.get("hours"), str(values.get("reason", "")), where)


def _extension(until: Any, hours: Any, reason: str, where: str) -> Extension:
    if (until is None) == (hours is None):
        raise GradebookError(f"{where}: give either `until` or `hours`; {_HOW}.")
    more = Extension(_time(until), _hours(hours), reason.strip())
    if more.until is None and more.hours is None:
        raise GradebookError(f"{where}: {until or hours!r} is not understood; {_HOW}.")
    return more


def _time(value: Any) -> datetime | None:
    """A bare day lasts until its end."""
    if isinstance(value, datetime):
        return value
    if isinstance(value, date):
        return datetime.combine(value, time(23, 59, 59))
    if isinstance(value, str):
        try:
            return datetime.combine(date.fromisoformat(value.strip()), time(23, 59, 59))
        except ValueError:
            return read_time(value)
    return None


def _hours(value: Any) -> Decimal | None:
    if value is None or isinstance(value, bool):
        return None
    try:
        hours = Decimal(str(value).strip().replace(",", "."))
    except InvalidOperation:
        return None
    return hours if hours.is_finite() and 0 < hours <= _MOST_HOURS else None

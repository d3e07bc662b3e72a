"""Hand-ins and the people of a roster brought together, with times of submission and more time for some, from CSV or
TOML files.

More time, in either form:

student,until,hours,reason                [[extension]]
ada,2023-11-23T23:59+01:00,,illness       student = "ada"
bob@example.org,,48,                      hours = 48
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import date, datetime, time
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import Any, Final, NamedTuple

from grader.gradebook import GradebookError
from grader.gradebook.csv_table import read_table
from grader.gradebook.overrides import read_entries
from grader.gradebook.people import (
    Matching,
    Person,
    apart,
    column_called,
    keys_of,
    known_as,
    match,
    name_keys,
    who_columns,
)
from grader.intake.names import day_comes_first, read_time
from grader.intake.submission import Identity, Member, Source
from grader.scoring import Extension

MOST_NAMED = 10


class RosterMatch(NamedTuple):
    """The hand-ins with what a roster knows of their students, what staff should be told, who on the roster handed in
    nothing, and what may be told without naming anybody."""

    sources: tuple[Source, ...]
    notes: tuple[str, ...] = ()
    absent: tuple[Person, ...] = ()
    summary: tuple[str, ...] = ()


def person_of(source: Source) -> Person:
    """The person of a hand-in."""
    return known_as(source.identity, source.student_id, source.student_name)


def people_of(sources: Sequence[Source]) -> tuple[list[Person], list[int]]:
    """The people of the hand-ins, and the place of each one's hand-in: of a team, itself and its members."""
    people, places = [], []
    for place, source in enumerate(sources):
        members = source.identity.members if source.identity else ()
        people += [person_of(source), *(known_as(one, "", one.name) for one in members)]
        places += [place] * (1 + len(members))
    return people, places


def identified(sources: Sequence[Source], roster: Sequence[Person]) -> RosterMatch:
    """Each hand-in with the identity of its student on the roster. Nobody who is in doubt gets one."""
    teams = _teams(sources, roster)
    alone = [source for source in sources if source.student_id not in teams]
    matching = match([person_of(source) for source in alone], roster, several=True)
    owners = {alone[place].student_id: owner for place, owner in matching.found.items()}
    times = Counter(owners.values())
    known = []
    for source in sources:
        if source.student_id in teams:
            members = tuple(Member(**_fields(roster[owner])) for owner in teams[source.student_id])
            identity = (source.identity or Identity()).model_copy(update={"members": members})
            known.append(replace(source, identity=identity))
        else:
            known.append(_with_person(source, roster, owners, times))
    present = {*owners.values(), *(owner for members in teams.values() for owner in members)}
    absent = tuple(person for place, person in enumerate(roster) if place not in present)
    notes, summary = tuple(_notes(alone, roster, matching, absent)), _summary(matching, len(alone), len(teams))
    return RosterMatch(tuple(known), notes, absent, (summary,))


def named(names: Iterable[str]) -> str:
    """Names in a message: the first ones, and how many more there are."""
    listed = list(names)
    more = len(listed) - MOST_NAMED
    return apart(listed[:MOST_NAMED]) + (f" and {more} more" if more > 0 else "")


def _teams(sources: Sequence[Source], roster: Sequence[Person]) -> dict[str, list[int]]:
    """The members, by places in the roster, of hand-ins that are called like a group and like nobody."""
    groups: dict[object, list[int]] = defaultdict(list)
    for place, person in enumerate(roster):
        for key in name_keys(person.group).sorted_words if person.group else ():
            groups[key].append(place)
    people = {key for person in roster for name in person.names for key in name_keys(name).sorted_words}
    found: dict[str, list[int]] = {}
    for source in sources:
        keys = name_keys(source.student_name).sorted_words
        members = sorted({place for key in keys for place in groups.get(key, ())})
        if members and not keys & people:
            found[source.student_id] = members
    return found


def _with_person(
    source: Source, roster: Sequence[Person], owners: Mapping[str, int], times: Mapping[int, int]
) -> Source:
    if source.student_id not in owners:
        return source
    owner = owners[source.student_id]
    person, known = roster[owner], source.identity or Identity()
    fields = {**_fields(person), **{key: value for key, value in dict(known).items() if value}}
    fields["name"] = person.name or known.name
    return replace(
        source,
        identity=Identity(**fields),
        student_name=person.name or source.student_name,
        series=f"roster {owner}" if times[owner] > 1 else source.series,
    )


def _fields(person: Person) -> dict[str, str]:
    return {
        "name": person.name,
        "email": person.email,
        "number": person.number or (person.unsaid if "@" not in person.unsaid else ""),
        "login": person.login,
        "moodle_participant": person.participant,
        "canvas_user": person.canvas,
    }


def _summary(matching: Matching, alone: int, teams: int) -> str:
    how = Counter(matching.how.values())
    ways = ", ".join(f"{how[way]} by {way}" for way in ("id", "e-mail", "name") if how[way])
    teams_told = f", {teams} as teams" if teams else ""
    matched, all_ = len(matching.found) + teams, alone + teams
    return f"roster: {matched} of {all_} hand-ins matched ({ways or 'none alone'}{teams_told})"


def _notes(
    sources: Sequence[Source], roster: Sequence[Person], matching: Matching, absent: Sequence[Person]
) -> Iterable[str]:
    for place, owners in sorted(matching.doubtful.items()):
        who = named(roster[owner].label for owner in owners)
        yield f"roster: in doubt, so left as it is: {sources[place].student_id} (perhaps {who})"
    if matching.unmatched:
        yield f"roster: not on it: {named(sources[place].student_id for place in matching.unmatched)}"
    if absent:
        yield f"roster: no hand-in of: {named(person.label for person in absent)}"


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
    columns, keys = who_columns(table), keys_of(table)
    places = [column_called(keys, names) for names in (_UNTIL, _HOURS, _REASON)]
    if places[0] is None and places[1] is None:
        where = table.where(table.header)
        raise GradebookError(f"{where}: no column `until` or `hours` says how much more time there is.")
    for row in table.data_rows:
        until, hours, reason = (table.text(row, at) for at in places)
        place = table.where(row)
        more = _extension(until or None, hours or None, reason, place)
        yield _Row(columns.person(table.texts(row), place), more, place)


def _of_toml(path: Path) -> Iterator[_Row]:
    for entry in read_entries(path, "extension"):
        values = entry.values
        unknown = next((key for key in values if key not in ("student", "until", "hours", "reason")), None)
        if unknown:
            raise GradebookError(f"{entry.at(unknown)}: `{unknown}` is unknown; {_HOW}.")
        student = str(values.get("student", "")).strip()
        if not student:
            raise GradebookError(f"{entry.at()}: this extension names no `student`.")
        where = entry.at("until" if "until" in values else "hours")
        more = _extension(values.get("until"), values.get("hours"), str(values.get("reason", "")), where)
        yield _Row(Person(label=student, unsaid=student), more, entry.at())


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


_HEADINGS: Final = (
    *("submitted at", "submitted", "submitted on", "submission time", "submission date", "time submitted"),
    *("last modified submission", "derniere modification travail remis", "derniere modification soumission"),
    *("derniere modification remise", "date de remise", "heure de remise", "remis le"),
    *("time", "timestamp", "date", "heure", "created at"),
)
"""The surest first."""

_NONE: Final = ("", "-", "–", "n/a")


class _TimeRow(NamedTuple):
    person: Person
    time: datetime
    place: str


def with_times(sources: Sequence[Source], path: Path) -> tuple[tuple[Source, ...], tuple[str, ...]]:
    """The hand-ins with the times that a file gives, and what staff should be told. Raises GradebookError."""
    rows = _rows(path)
    people, places = people_of(sources)
    matching = match([row.person for row in rows], people, several=True)
    times: dict[int, list[_TimeRow]] = defaultdict(list)
    for place, owner in matching.found.items():
        times[places[owner]].append(rows[place])
    timed = list(sources)
    for place, found in times.items():
        if len({row.time for row in found}) > 1:
            written, student = " and ".join(row.place for row in found), sources[place].student_id
            raise GradebookError(f"{written}: two times of one hand-in ({student}); keep the one of its files.")
        timed[place] = replace(sources[place], submitted_at=found[0].time, time_from=found[0].place)
    doubts = (
        f"times: in doubt, so not used: {rows[place].place} ({rows[place].person.label})" for place in matching.doubtful
    )
    others = [rows[place].person.label for place in matching.unmatched]
    return tuple(timed), (*doubts, *([f"times: no hand-in of: {named(others)}"] if others else []))


def tells_times(path: Path) -> bool:
    """Whether a file has a column of times. Raises GradebookError when it is no table."""
    return column_called(keys_of(read_table(path)), _HEADINGS) is not None


def _rows(path: Path) -> list[_TimeRow]:
    table = read_table(path)
    columns, column = who_columns(table), column_called(keys_of(table), _HEADINGS)
    if column is None:
        raise GradebookError(f"{table.where(table.header)}: no column of times; name it `submitted_at`.")
    cells = {row: table.text(row, column) for row in table.data_rows}
    written = {row: cell for row, cell in cells.items() if cell.casefold() not in _NONE}
    day_first = day_comes_first(written.values())
    rows = []
    for row, cell in written.items():
        where, time = table.where(row), read_time(cell, day_first=day_first)
        if time is None:
            raise GradebookError(f"{where}: {cell!r} is no time that is certain; write it as 2023-11-21T22:58+01:00.")
        person = columns.person(table.texts(row), where)
        rows.append(_TimeRow(person, time, f"{path.name}, line {table.lines[row]}"))
    return rows

"""Everything that a course gives beside the hand-ins, brought to each of them: the people of a roster, times of
submission, more time for some; and which of a student's attempts counts.

More time, as CSV or TOML:

student,until,hours,reason                [[extension]]
ada,2023-11-23T23:59+01:00,,illness       student = "ada"
bob@example.org,,48,                      hours = 48
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import replace
from datetime import UTC, date, datetime, time
from decimal import Decimal, InvalidOperation
from enum import StrEnum
from functools import lru_cache
from pathlib import Path
from typing import Any, Final, NamedTuple

from pydantic import ValidationError

from grader.checks.outcomes import Outcomes
from grader.cohort.attention import Absent
from grader.gradebook import GradebookError
from grader.gradebook.csv_table import read_table
from grader.gradebook.decisions import Bindings, DecisionVersion, Key
from grader.gradebook.overrides import FILE, Contradiction, in_force, overrides_by_student, read_entries, read_overrides
from grader.gradebook.people import (
    Matching,
    Person,
    column_called,
    join_names,
    keys_of,
    known_as,
    match,
    name_keys,
    people_in,
    read_roster,
    shortened_ids,
    similar_person,
    unused_columns,
    who_columns,
    with_participant_ids,
)
from grader.intake.layouts import base_id, base_name
from grader.intake.names import day_comes_first, natural, origin_of, read_time, remembered_ids
from grader.intake.submission import Identity, Member, Source
from grader.lab.definition import Lab, LatePolicy, rubrics_of
from grader.pipeline.blind import Blind, ids_in, under_pseudonyms
from grader.pipeline.order import Circumstances
from grader.pipeline.tool_tests import results_of_tests
from grader.result import Lateness, LookedAgain, Override
from grader.scoring import Extension, due_for, lateness

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
        people += [person_of(source), *(known_as(member, "", member.name) for member in members)]
        places += [place] * (1 + len(members))
    return people, places


def identify_students(
    sources: Sequence[Source], roster: Sequence[Person], *, with_groups: bool = True, unused: Sequence[str] = ()
) -> RosterMatch:
    """Each hand-in with the identity of its student on the roster. Nobody who is in doubt gets one.

    A hand-in of a team is that of all its members: those whom the course system names, those of the group that it is
    called like, or the partners of the student who handed it in (see `_partners`). `with_groups` is False where the
    roster's groups are no teams. `unused` columns are named where somebody was not found, as one may be the reason.
    """
    named_members = {
        candidate.student_id: candidate.identity.members
        for candidate in sources
        if candidate.identity and candidate.identity.members
    }
    called = (
        _teams([candidate for candidate in sources if candidate.student_id not in named_members], roster)
        if with_groups
        else {}
    )
    alone = [source for source in sources if source.student_id not in {*named_members, *called}]
    matching = match([person_of(source) for source in alone], roster, several=True)
    owners = {alone[place].student_id: owner for place, owner in matching.found.items()}
    people = [(student, member) for student, members in named_members.items() for member in members]
    matched_members = match([known_as(member, "", member.name) for _, member in people], roster, several=True)
    teams = {
        student: [_on_roster(Member(), roster[owner]) for owner in roster_places]
        for student, roster_places in called.items()
    }
    for place, (student, member) in enumerate(people):
        owner = matched_members.found.get(place)
        teams.setdefault(student, []).append(member if owner is None else _on_roster(member, roster[owner]))
    present = {
        *owners.values(),
        *matched_members.found.values(),
        *(number for roster_places in called.values() for number in roster_places),
    }
    # Who may have handed in alone shares nobody's hand-in.
    perhaps = {owner for roster_places in matching.doubtful.values() for owner in roster_places}
    partners, group_notes = _partners(roster, set(owners.values()), present | perhaps) if with_groups else ({}, ())
    times = Counter(owners.values())
    matched_sources = []
    for source in sources:
        if source.student_id in teams:
            matched_sources.append(_of_team(source, teams[source.student_id]))
            continue
        matched = _with_person(source, roster, owners, times)
        if roster_places := partners.get(owners.get(source.student_id, -1)):
            members = [_on_roster(Member(), roster[place]) for place in (owners[source.student_id], *roster_places)]
            name = " + ".join(filter(None, (member.name for member in members)))
            matched = replace(_of_team(matched, members), student_name=name or matched.student_name)
        matched_sources.append(matched)
    present |= {place for roster_places in partners.values() for place in roster_places}
    absent = tuple(person for place, person in enumerate(roster) if place not in present)
    strangers = [people[place][1].name or people[place][0] for place in matched_members.unmatched]
    notes = (*_notes(alone, roster, matching, absent, strangers, unused), *group_notes)
    return RosterMatch(tuple(matched_sources), notes, absent, (_summary(matching, len(alone), len(teams)),))


def _of_team(source: Source, members: Sequence[Member]) -> Source:
    return replace(source, identity=(source.identity or Identity()).model_copy(update={"members": tuple(members)}))


def _on_roster(member: Member, person: Person) -> Member:
    """A member with what the roster knows besides."""
    return Member(**{key: getattr(member, key) or value for key, value in _fields(person).items()})


_LARGEST_TEAM: Final = 8
"""Members; a group of more is a class that meets at one hour."""


class _Group(NamedTuple):
    """Several people of one group, and those of them who handed in, by places in the roster."""

    members: list[int]
    present: set[int]


def _partners(
    roster: Sequence[Person], owners: Set[int], present: Set[int]
) -> tuple[dict[int, list[int]], tuple[str, ...]]:
    """The partners of everybody whose group handed in once, by places in the roster, and what staff should be told.

    A column of groups may name teams, or the hours at which students meet. It names teams if no group is large and most
    groups of several people handed in once. Then a second hand-in of one group stays with its owner.
    """
    groups = _possible_teams(roster, present)
    once = [group for group in groups if len(group.present) == 1]
    # Who is named as a member of somebody else's hand-in is present, but owns none that partners could share.
    found = {owner: sorted({*group.members} - {owner}) for group in once for owner in group.present & owners}
    if not found:
        return {}, ()
    if 2 * len(once) <= len(groups):
        who = abridged_names(roster[owner].group for owner in found)
        return {}, (
            f"roster: in doubt, so each is graded alone: whether the groups are teams; one submission of: {who}",
        )
    return found, tuple(_team_notes(roster, found, groups))


def _possible_teams(roster: Sequence[Person], present: Set[int]) -> list[_Group]:
    """The groups of which somebody handed in; none if one group is so large that they all are classes."""
    groups: dict[str, list[int]] = defaultdict(list)
    for place, person in enumerate(roster):
        groups[person.group.casefold()].append(place)
    groups.pop("", None)
    if max(map(len, groups.values()), default=0) > _LARGEST_TEAM:
        return []
    several = (_Group(members, {*members} & present) for members in groups.values() if len(members) > 1)
    return [group for group in several if group.present]


def _team_notes(roster: Sequence[Person], found: Mapping[int, list[int]], groups: Sequence[_Group]) -> Iterator[str]:
    team_names = abridged_names(
        " + ".join(roster[place].label for place in (owner, *partners)) for owner, partners in found.items()
    )
    yield f"roster: one submission for all of a group (--no-groups grades each alone): {team_names}"
    twice = [group for group in groups if 1 < len(group.present) < len(group.members)]
    if twice:
        who = abridged_names(roster[group.members[0]].group for group in twice)
        yield f"roster: in doubt, so without a grade for who handed in nothing: several submissions of {who}"


def abridged_names(names: Iterable[str]) -> str:
    """Names in a message: the first ones, and how many more there are."""
    listed = list(names)
    more = len(listed) - MOST_NAMED
    return join_names(listed[:MOST_NAMED]) + (f" and {more} more" if more > 0 else "")


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
    person, identity = roster[owner], source.identity or Identity()
    fields = {**_fields(person), **{key: value for key, value in dict(identity).items() if value}}
    fields["name"] = person.name or identity.name
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
    return f"roster: {matched} of {all_} submissions matched ({ways or 'none alone'}{teams_told})"


def _with_similar(student: str, name: str, absent: Sequence[Person]) -> str:
    """A student who is not on the roster, with the absent person of it who has a similar name."""
    similar = similar_person(name, absent)
    return f"{student} (perhaps {similar})" if similar else student


def _notes(
    sources: Sequence[Source],
    roster: Sequence[Person],
    matching: Matching,
    absent: Sequence[Person],
    strangers: Sequence[str],
    unused: Sequence[str],
) -> Iterable[str]:
    for place, owners in sorted(matching.doubtful.items()):
        who = abridged_names(roster[owner].label for owner in owners)
        yield f"roster: in doubt, so left as it is: {sources[place].student_id} (perhaps {who})"
    lost = [(sources[place].student_id, sources[place].student_name) for place in matching.unmatched]
    lost += [(stranger, stranger) for stranger in strangers]
    if lost:
        yield f"roster: not on it: {abridged_names(_with_similar(student, name, absent) for student, name in lost)}"
    if lost and unused:
        yield f"roster: columns that say nothing of who it is: {abridged_names(unused)}"
    if absent:
        yield f"roster: no submission of: {abridged_names(person.label for person in absent)}"


_UNTIL: Final = ("until", "deadline", "new deadline", "extended to", "extension", "jusqu au", "nouvelle date")
_HOURS: Final = ("hours", "extra hours", "heures")
_REASON: Final = ("reason", "note", "comment", "raison", "motif")
_MOST_HOURS: Final = 24 * 3660
_HOW: Final = "write `until` as 2023-11-23T23:59+01:00, or `hours` as a number"


class _Row(NamedTuple):
    person: Person
    extension: Extension
    place: str


def read_extensions(
    path: Path, sources: Sequence[Source], policy: LatePolicy
) -> tuple[dict[str, Extension], tuple[str, ...]]:
    """The extensions by student id, and what staff should be told. An extension of one member holds for the whole team,
    so of several the longest does. Raises GradebookError with the line."""
    rows = list(_of_toml(path) if path.suffix.lower() == ".toml" else _of_csv(path))
    people, places = people_of(sources)
    matching = match([row.person for row in rows], people, several=True)
    extensions: dict[str, Extension] = {}
    owners: dict[int, Extension] = {}
    unequal: dict[str, None] = {}
    for place, owner in matching.found.items():
        student, more = sources[places[owner]].student_id, rows[place].extension
        if owners.setdefault(owner, more) != more:
            raise GradebookError(f"{rows[place].place}: a second extension of {student}; keep one of them.")
        before = extensions.setdefault(student, more)
        if before != more:
            unequal[student] = None
            dues = due_for(policy, before), due_for(policy, more)
            extensions[student] = more if dues[0] and dues[1] and dues[1] > dues[0] else before
    doubts = [f"extensions: members of one team have several, so the longest counts: {abridged_names(unequal)}"] * bool(
        unequal
    )
    doubts += [
        f"extensions: in doubt, so not used: {rows[p].place} ({rows[p].person.label})" for p in matching.doubtful
    ]
    others = [f"{rows[place].person.label} ({rows[place].place})" for place in matching.unmatched]
    return extensions, (*doubts, *([f"extensions: no submission of: {abridged_names(others)}"] if others else []))


def _of_csv(path: Path) -> Iterator[_Row]:
    table = read_table(path)
    columns, keys = who_columns(table), keys_of(table)
    places = [column_called(keys, names) for names in (_UNTIL, _HOURS, _REASON)]
    if places[0] is None and places[1] is None:
        where = table.place_of_row(table.header)
        raise GradebookError(f"{where}: no column `until` or `hours` says how much more time there is.")
    for row in table.data_rows:
        until, hours, reason = (table.text(row, at) for at in places)
        place = table.place_of_row(row)
        more = _extension(until or None, hours or None, reason, place)
        yield _Row(columns.person(table.texts(row), place), more, place)


def _of_toml(path: Path) -> Iterator[_Row]:
    for entry in read_entries(path, "extension"):
        values = entry.values
        unknown = next((key for key in values if key not in ("student", "until", "hours", "reason")), None)
        if unknown:
            raise GradebookError(f"{entry.place_of(unknown)}: `{unknown}` is unknown; {_HOW}.")
        student = str(values.get("student", "")).strip()
        if not student:
            raise GradebookError(f"{entry.place_of()}: this extension names no `student`.")
        where = entry.place_of("until" if "until" in values else "hours")
        more = _extension(values.get("until"), values.get("hours"), str(values.get("reason", "")), where)
        yield _Row(Person(label=student, unsaid=student), more, entry.place_of())


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
    *("zuletzt geandert abgabe", "abgabezeit", "abgegeben am", "ultima modificacion entrega", "fecha de entrega"),
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
            raise GradebookError(f"{written}: two times of one submission ({student}); keep the one of its files.")
        timed[place] = replace(sources[place], submitted_at=found[0].time, time_from=found[0].place)
    doubts = (
        f"times: in doubt, so not used: {rows[place].place} ({rows[place].person.label})" for place in matching.doubtful
    )
    others = [rows[place].person.label for place in matching.unmatched]
    return tuple(timed), (*doubts, *([f"times: no submission of: {abridged_names(others)}"] if others else []))


def tells_times(path: Path) -> bool:
    """Whether a file has a column of times. Raises GradebookError when it is no table."""
    return column_called(keys_of(read_table(path)), _HEADINGS) is not None


def _rows(path: Path) -> list[_TimeRow]:
    table = read_table(path)
    columns, column = who_columns(table), column_called(keys_of(table), _HEADINGS)
    if column is None:
        raise GradebookError(f"{table.place_of_row(table.header)}: no column of times; name it `submitted_at`.")
    cells = {row: table.text(row, column) for row in table.data_rows}
    written = {row: cell for row, cell in cells.items() if cell.casefold() not in _NONE}
    day_first = day_comes_first(written.values())
    rows = []
    for row, cell in written.items():
        where, time = table.place_of_row(row), read_time(cell, day_first=day_first)
        if time is None:
            raise GradebookError(f"{where}: {cell!r} is no time that is certain; write it as 2023-11-21T22:58+01:00.")
        person = columns.person(table.texts(row), where)
        rows.append(_TimeRow(person, time, f"{path.name}, line {table.lines[row]}"))
    return rows


class Attempt(StrEnum):
    """The last one before the deadline (where none is in time, the last of those that lose least), the first one, or
    the latest of all."""

    LAST = "last"
    FIRST = "first"
    LATEST = "latest"


Cost = Callable[[Source], Decimal | None]
"""The points that lateness takes from an attempt; None: it would not be graded."""


def choose_attempts(
    sources: Sequence[Source], which: Attempt, cost: Cost
) -> tuple[tuple[Source, ...], tuple[str, ...]]:
    """One attempt of each student, in the order of the sources, and what staff should be told.

    Attempts whose order cannot be told are all kept, each as a hand-in of its own.
    """
    series: dict[str, list[Source]] = defaultdict(list)
    for source in sources:
        if source.series:
            series[source.series].append(source)
    taken: dict[str, Source] = {}
    notes: list[str] = []
    left: set[str] = set()
    used = {source.student_id for source in sources}
    for attempts in series.values():
        ordered = _ordered(attempts) if len(attempts) > 1 else None
        if len(attempts) > 1 and ordered is None:
            names = join_names(source.student_id for source in attempts)
            notes.append(
                f"attempts: {names} are one student's, but their times are unknown: each is graded; give --times"
            )
        if ordered:
            attempt = _choice(ordered, which, cost)
            taken[attempt.student_id] = _as_student(attempt, ordered, used)
            left |= {source.student_id for source in ordered}
            notes.append(_note(taken[attempt.student_id], attempt, ordered))
    kept = (
        taken.get(source.student_id, source)
        for source in sources
        if source.student_id in taken or source.student_id not in left
    )
    return tuple(kept), tuple(notes)


def students(sources: Sequence[Source]) -> tuple[Source, ...]:
    """One source for each student, called without the attempt, for files that name students and not attempts."""
    series: dict[str, list[Source]] = defaultdict(list)
    for source in sources:
        series[source.series or source.student_id].append(source)
    return tuple(_as_student(attempts[0], attempts, set()) for attempts in series.values())


def _ordered(attempts: Sequence[Source]) -> list[Source] | None:
    times = [attempt.submitted_at for attempt in attempts if attempt.submitted_at]
    if len(times) == len(attempts):
        moments = [time if time.tzinfo else time.replace(tzinfo=UTC) for time in times]
        order = sorted(zip(moments, attempts, strict=True), key=lambda pair: (pair[0], natural(pair[1].attempt)))
        return [source for _, source in order]
    if all(source.attempt for source in attempts) and len({source.attempt for source in attempts}) == len(attempts):
        return sorted(attempts, key=lambda source: natural(source.attempt))
    return None


def _choice(ordered: Sequence[Source], which: Attempt, cost: Cost) -> Source:
    if which is Attempt.FIRST:
        return ordered[0]
    if which is Attempt.LATEST:
        return ordered[-1]

    def lost(source: Source) -> Decimal:
        points = cost(source)
        return Decimal("Infinity") if points is None else points

    return min(reversed(ordered), key=lost)


def _as_student(attempt: Source, attempts: Sequence[Source], used: set[str]) -> Source:
    id_ = base_id(attempts)
    free = id_ not in used or any(id_ == source.student_id for source in attempts)
    name = base_name(attempt)
    # As of a single hand-in: who sends a second attempt is the same student as before.
    origin = origin_of(name) if attempt.series.startswith("name ") else attempt.series
    return replace(attempt, student_id=id_ if free else attempt.student_id, student_name=name, origin=origin)


def _note(student: Source, attempt: Source, ordered: Sequence[Source]) -> str:
    others = ", ".join(_called(source) for source in ordered if source is not attempt)
    graded = _called(attempt)
    return f"attempts: of {len(ordered)} by {student.student_id} the one of {graded} is graded, left aside: {others}"


def _called(source: Source) -> str:
    return source.submitted_at.isoformat(" ", "minutes") if source.submitted_at else f"attempt {source.attempt}"


_Extensions = Mapping[tuple[Path, str], Extension]


Recorded = Callable[[str], Mapping[Key, DecisionVersion]]
"""What a gradebook has decided about a lab, by its id."""
Answered = Callable[[str], Mapping[str, Mapping[str, tuple[LookedAgain, ...]]]]
"""The requests that a gradebook has answered about a lab, by student and item."""
Names = Callable[[str], Mapping[str, str]]
"""The ids that a gradebook knows of a lab's hand-ins, by the names that these were found under."""


def empty_records(lab: str) -> Mapping[Any, Any]:
    """Return the empty set of decisions and answers about a lab, for use without a gradebook."""
    return {}


class CourseOptions(NamedTuple):
    """The files and settings named on the command line; everything may be missing."""

    roster: Path | None = None
    times: Path | None = None
    extensions: Path | None = None
    overrides: Path | None = None
    deadline: str | None = None
    timezone: str | None = None
    grace_minutes: float | None = None
    attempt: Attempt = Attempt.LAST
    groups: bool = True
    key: Path | None = None
    tests: tuple[str, ...] = ()
    recorded: Recorded = empty_records
    answered: Answered = empty_records
    bound: Callable[[str], Bindings] = empty_records
    names: Names = empty_records


class Course(NamedTuple):
    """The hand-ins that count, their circumstances by student id, what staff should be told, and of whom there is no
    hand-in; in blind grading nobody is named."""

    sources: tuple[Source, ...]
    circumstances: dict[str, Circumstances]
    notes: tuple[str, ...]
    missing: tuple[Absent, ...] = ()


def prepare(sources: Sequence[Source], lab: Lab, given: CourseOptions, out: Path) -> Course:
    """The course around some hand-ins. Overrides lie in `out` unless given. Raises GradebookError."""
    policy = _policy(lab.late, given)
    all_, notes, absent, summary = _matched(sources, given)
    granted, extension_notes = (
        read_extensions(given.extensions, students(all_), policy) if given.extensions else ({}, ())
    )
    extensions = _by_source(granted, all_)
    kept, attempt_notes = choose_attempts(all_, given.attempt, lambda source: _cost(policy, source, extensions))
    kept = with_earlier_ids(kept, ids_in(given.key) if given.key else given.names(lab.id))
    tests, test_notes = results_of_tests(given.tests, kept, people_of(kept), sources, lab)
    places = {(source.path, source.inside): tests.get(source.student_id) for source in kept}
    kept, names = under_pseudonyms(kept, given.key) if given.key else Blind(kept, {})
    graded_before = [result.parent.name for result in out.glob("*/result.json")]
    written = overrides_in(given.overrides or out / FILE, lab, [source.student_id for source in kept], graded_before)
    overrides = in_force(written, given.recorded(lab.id), given.bound(lab.id))
    answers = given.answered(lab.id)
    circumstances = {
        source.student_id: _circumstances(
            _lateness(policy, source, extensions),
            overrides.overrides_for(source.student_id),
            answers.get(source.student_id, {}),
            names.get(source.student_id),
            places.get((source.path, source.inside)),
        )
        for source in kept
    }
    later = (*_late_notes(policy, kept, circumstances), *told_of(overrides.contradictions))
    remarks: Sequence[str] = (*notes, *extension_notes, *attempt_notes, *test_notes)
    if given.key and remarks:
        about = ", ".join(dict.fromkeys(note.partition(":")[0] for note in remarks))
        remarks = (
            f"{len(remarks)} remarks about {about} name people, so they are not shown in blind grading; to read them, "
            "grade into another folder without --anonymous",
        )
    missing = (
        () if given.key else tuple(Absent(name=person.name or person.label, id=person.number) for person in absent)
    )
    return Course(kept, circumstances, (*summary, *remarks, *later), missing)


def _circumstances(
    late: Lateness | None,
    overrides: dict[str, Override],
    answers: Mapping[str, tuple[LookedAgain, ...]],
    blind: frozenset[str] | None,
    tests: Outcomes | None,
) -> Circumstances:
    """A student's circumstances; of a class most have the same, which is in memory once."""
    if overrides or answers or blind is not None or tests is not None:
        return Circumstances(lateness=late, overrides=overrides, answers=dict(answers), blind=blind, tests=tests)
    return _only_late(late)


@lru_cache(maxsize=8192)
def _only_late(late: Lateness | None) -> Circumstances:
    return Circumstances(lateness=late)


def _matched(sources: Sequence[Source], given: CourseOptions) -> RosterMatch:
    """The hand-ins with what the roster and the file of times say of them."""
    matching = RosterMatch(tuple(sources))
    if given.roster:
        roster = read_roster(given.roster)
        if given.times:
            roster = with_participant_ids(roster, people_in(given.times))
        matching = identify_students(sources, roster, with_groups=given.groups, unused=unused_columns(given.roster))
        if spoilt := shortened_ids(given.roster):
            note = "roster: a spreadsheet dropped the last digits of ids (format them as text, export the roster again)"
            matching = matching._replace(notes=(*matching.notes, f"{note}: {abridged_names(spoilt)}"))
    if given.times is None:
        return matching
    if given.roster and not tells_times(given.times) and any(person.participant for person in people_in(given.times)):
        note = f"times: {given.times} has no times of submission; only its participant ids are used"
        return matching._replace(notes=(*matching.notes, note))
    timed, notes = with_times(matching.sources, given.times)
    return matching._replace(sources=timed, notes=(*matching.notes, *notes))


def _policy(late: LatePolicy, given: CourseOptions) -> LatePolicy:
    """The lab's rule, with what the command line says instead. Raises GradebookError."""
    changes: dict[str, Any] = {}
    if given.deadline is not None:
        changes["deadline"] = read_time(given.deadline)
        if changes["deadline"] is None:
            raise GradebookError(f"--deadline {given.deadline}: it is no time; write it as 2023-11-21T23:59+01:00.")
    if given.timezone is not None:
        changes["timezone"] = given.timezone
    if given.grace_minutes is not None:
        changes["grace_minutes"] = Decimal(str(given.grace_minutes))
    try:
        return LatePolicy.model_validate({**dict(late), **changes}) if changes else late
    except ValidationError as error:
        what = error.errors(include_url=False)[0]["msg"].removeprefix("Value error, ")
        raise GradebookError(f"{what}.") from error


def _lateness(policy: LatePolicy, source: Source, extensions: _Extensions) -> Lateness | None:
    return lateness(
        policy, source.submitted_at, time_from=source.time_from, extension=extensions.get((source.path, source.inside))
    )


def _cost(policy: LatePolicy, source: Source, extensions: _Extensions) -> Decimal | None:
    late = _lateness(policy, source, extensions)
    if late is None:
        return Decimal(0)
    return late.penalty if late.percent is None else late.percent


def _by_source(granted: Mapping[str, Extension], sources: Sequence[Source]) -> dict[tuple[Path, str], Extension]:
    """The extensions by where a hand-in lies; one of a student holds for all attempts."""
    by_series = {
        source.series or source.student_id: granted[source.student_id]
        for source in students(sources)
        if source.student_id in granted
    }
    found = ((source, by_series.get(source.series or source.student_id)) for source in sources)
    return {(source.path, source.inside): extension for source, extension in found if extension}


def overrides_in(
    path: Path, lab: Lab, students: Collection[str], elsewhere: Collection[str] = ()
) -> dict[str, dict[str, Override]]:
    """The overrides in a file about a lab, by student and item; none where there is no such file. For the rest see
    `read_overrides` and `overrides_by_student`."""
    if not path.is_file():
        return {}
    maxima = {item.id: item.points for item in lab.items}
    return overrides_by_student(read_overrides(path, maxima, rubrics_of(lab.items), lab.id), students, elsewhere)


def with_earlier_ids(sources: Sequence[Source], earlier_ids: Mapping[str, str]) -> tuple[Source, ...]:
    """The hand-ins with the ids that they were given before, so that no newcomer with a like name takes the decisions
    about another one."""
    ids = remembered_ids([(source.origin, source.student_id) for source in sources], earlier_ids)
    return tuple(
        source if source.student_id == id_ else replace(source, student_id=id_)
        for source, id_ in zip(sources, ids, strict=True)
    )


def _late_notes(
    policy: LatePolicy, sources: Sequence[Source], circumstances: Mapping[str, Circumstances]
) -> Iterator[str]:
    unknown: list[str] = []
    marked: list[str] = []
    once_in_time: list[str] = []
    for source in sources:
        late = circumstances[source.student_id].lateness
        if source.submitted_at is None:
            unknown.append(source.student_id)
            marked += [source.student_id] * source.marked_late
        elif late and late.late_by and any(policy.with_zone(time) <= late.deadline for time in source.earlier):
            once_in_time.append(source.student_id)
    if policy.due and unknown:
        yield f"lateness: time unknown, so nothing is taken off (give --times): {abridged_names(unknown)}"
    if marked:
        yield f"lateness: Canvas marks as late, without the time (give --times): {abridged_names(marked)}"
    for student in once_in_time:
        yield f"lateness: {student} is late, but an earlier attempt, not in the download, is in time"


def told_of(contradictions: Sequence[Contradiction]) -> Sequence[str]:
    """Return sentences for staff about decisions on which overrides.toml and the gradebook disagree."""
    return [
        f"{FILE} and the gradebook decide {item} of {student} otherwise "
        f"({contradiction.file.author} and {contradiction.decided.author}); "
        f"{FILE} counts. Take the entry out of the file, or decide again in the review page."
        for contradiction in contradictions
        for student, item in (contradiction.key,)
    ]

"""Everything that a course gives beside the hand-ins, brought to each of them, and which of a student's attempts
counts.
"""

from collections import defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from datetime import UTC
from decimal import Decimal
from enum import StrEnum
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from pydantic import ValidationError

from grader.cohort.attention import Absent
from grader.gradebook import GradebookError
from grader.gradebook.decisions import Bindings, Decided, Key
from grader.gradebook.overrides import FILE, Contradiction, in_force, overrides_by_student, read_overrides
from grader.gradebook.people import apart, joined, people_in, read_roster
from grader.intake.layouts import base_id, base_name
from grader.intake.names import natural, origin_of, read_time, remembered_ids
from grader.intake.submission import Source
from grader.lab.definition import Lab, LatePolicy, rubrics_of
from grader.pipeline.blind import Blind, ids_in, under_pseudonyms
from grader.pipeline.course_people import RosterMatch, identified, named, read_extensions, tells_times, with_times
from grader.pipeline.order import Circumstances
from grader.result import Lateness, LookedAgain, Override
from grader.scoring import Extension, lateness


class Attempt(StrEnum):
    """The last one before the deadline (where none is in time, the last of those that lose least), the first one, or
    the latest of all."""

    LAST = "last"
    FIRST = "first"
    LATEST = "latest"


Cost = Callable[[Source], Decimal | None]
"""The points that lateness takes from an attempt; None: it would not be graded."""


def chosen(sources: Sequence[Source], which: Attempt, cost: Cost) -> tuple[tuple[Source, ...], tuple[str, ...]]:
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
            names = apart(source.student_id for source in attempts)
            notes.append(
                f"attempts: {names} are one student's, but their times are unknown: each is graded; give --times"
            )
        if ordered:
            one = _choice(ordered, which, cost)
            taken[one.student_id] = _as_student(one, ordered, used)
            left |= {source.student_id for source in ordered}
            notes.append(_note(taken[one.student_id], one, ordered))
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
    return tuple(_as_student(own[0], own, set()) for own in series.values())


def _ordered(attempts: Sequence[Source]) -> list[Source] | None:
    times = [one.submitted_at for one in attempts if one.submitted_at]
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


def _as_student(one: Source, attempts: Sequence[Source], used: set[str]) -> Source:
    id_ = base_id(attempts)
    free = id_ not in used or any(id_ == source.student_id for source in attempts)
    name = base_name(one)
    # As of a single hand-in: who sends a second attempt is the same student as before.
    origin = origin_of(name) if one.series.startswith("name ") else one.series
    return replace(one, student_id=id_ if free else one.student_id, student_name=name, origin=origin)


def _note(student: Source, one: Source, ordered: Sequence[Source]) -> str:
    others = ", ".join(_called(source) for source in ordered if source is not one)
    return (
        f"attempts: of {len(ordered)} by {student.student_id} the one of {_called(one)} is graded, left aside: {others}"
    )


def _called(source: Source) -> str:
    return source.submitted_at.isoformat(" ", "minutes") if source.submitted_at else f"attempt {source.attempt}"


_Extensions = Mapping[tuple[Path, str], Extension]


Recorded = Callable[[str], Mapping[Key, Decided]]
"""What a gradebook has decided about a lab, by its id."""
Answered = Callable[[str], Mapping[str, Mapping[str, tuple[LookedAgain, ...]]]]
"""The requests that a gradebook has answered about a lab, by student and item."""
Names = Callable[[str], Mapping[str, str]]
"""The ids that a gradebook knows of a lab's hand-ins, by the names that these were found under."""


def nothing(lab: str) -> Mapping[Any, Any]:
    """What is decided and answered about a lab where there is no gradebook."""
    return {}


class Given(NamedTuple):
    """What the command line names; everything may be missing."""

    roster: Path | None = None
    times: Path | None = None
    extensions: Path | None = None
    overrides: Path | None = None
    deadline: str | None = None
    timezone: str | None = None
    grace_minutes: float | None = None
    attempt: Attempt = Attempt.LAST
    key: Path | None = None
    recorded: Recorded = nothing
    answered: Answered = nothing
    bound: Callable[[str], Bindings] = nothing
    names: Names = nothing


class Course(NamedTuple):
    """The hand-ins that count, their circumstances by student id, what staff should be told, and of whom there is no
    hand-in; in blind grading nobody is named."""

    sources: tuple[Source, ...]
    circumstances: dict[str, Circumstances]
    notes: tuple[str, ...]
    missing: tuple[Absent, ...] = ()


def prepare(sources: Sequence[Source], lab: Lab, given: Given, out: Path) -> Course:
    """The course around some hand-ins. Overrides lie in `out` unless given. Raises GradebookError."""
    policy = _policy(lab.late, given)
    all_, notes, absent, summary = _matched(sources, given)
    granted, extension_notes = read_extensions(given.extensions, students(all_)) if given.extensions else ({}, ())
    extensions = _by_source(granted, all_)
    kept, attempt_notes = chosen(all_, given.attempt, lambda source: _cost(policy, source, extensions))
    kept = remembered(kept, ids_in(given.key) if given.key else given.names(lab.id))
    kept, names = under_pseudonyms(kept, given.key) if given.key else Blind(kept, {})
    graded_before = [result.parent.name for result in out.glob("*/result.json")]
    written = overrides_in(given.overrides or out / FILE, lab, [one.student_id for one in kept], graded_before)
    overrides, contradictions = in_force(written, given.recorded(lab.id), given.bound(lab.id))
    answers = given.answered(lab.id)
    circumstances = {
        source.student_id: _circumstances(
            _lateness(policy, source, extensions),
            overrides.get(source.student_id, {}),
            answers.get(source.student_id, {}),
            names.get(source.student_id),
        )
        for source in kept
    }
    later = (*_late_notes(policy, kept, circumstances), *told_of(contradictions))
    told: Sequence[str] = (*notes, *extension_notes, *attempt_notes)
    if given.key and told:
        about = ", ".join(dict.fromkeys(note.partition(":")[0] for note in told))
        told = (
            f"{len(told)} remarks about {about} name people, so they are not shown in blind grading; to read them, "
            "grade into another folder without --anonymous",
        )
    missing = () if given.key else tuple(Absent(name=one.name or one.label, id=one.number) for one in absent)
    return Course(kept, circumstances, (*summary, *told, *later), missing)


def _circumstances(
    late: Lateness | None,
    overrides: dict[str, Override],
    answers: Mapping[str, tuple[LookedAgain, ...]],
    blind: frozenset[str] | None,
) -> Circumstances:
    """A student's circumstances; of a class most have the same, which is in memory once."""
    if overrides or answers or blind is not None:
        return Circumstances(lateness=late, overrides=overrides, answers=dict(answers), blind=blind)
    return _only_late(late)


@lru_cache(maxsize=8192)
def _only_late(late: Lateness | None) -> Circumstances:
    return Circumstances(lateness=late)


def _matched(sources: Sequence[Source], given: Given) -> RosterMatch:
    """The hand-ins with what the roster and the file of times say of them."""
    known = RosterMatch(tuple(sources))
    if given.roster:
        roster = read_roster(given.roster)
        known = identified(sources, joined(roster, people_in(given.times)) if given.times else roster)
    if given.times is None:
        return known
    if given.roster and not tells_times(given.times) and any(one.participant for one in people_in(given.times)):
        note = f"times: {given.times} has no times of submission; only its participant ids are used"
        return known._replace(notes=(*known.notes, note))
    timed, notes = with_times(known.sources, given.times)
    return known._replace(sources=timed, notes=(*known.notes, *notes))


def _policy(late: LatePolicy, given: Given) -> LatePolicy:
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


def remembered(sources: Sequence[Source], known: Mapping[str, str]) -> tuple[Source, ...]:
    """The hand-ins with the ids that they were given before, so that no newcomer with a like name takes the decisions
    about another one."""
    ids = remembered_ids([(one.origin, one.student_id) for one in sources], known)
    return tuple(
        one if one.student_id == id_ else replace(one, student_id=id_) for one, id_ in zip(sources, ids, strict=True)
    )


def _late_notes(
    policy: LatePolicy, sources: Sequence[Source], circumstances: Mapping[str, Circumstances]
) -> Sequence[str]:
    notes = []
    if policy.due:
        unknown = [source.student_id for source in sources if source.submitted_at is None]
        if unknown:
            notes.append(f"lateness: time unknown, so nothing is taken off (give --times): {named(unknown)}")
    for source in sources:
        late = circumstances[source.student_id].lateness
        if late and late.late_by and any(policy.zoned(time) <= late.deadline for time in source.earlier):
            notes.append(
                f"lateness: {source.student_id} is late, but an earlier attempt, not in the download, is in time"
            )
    return notes


def told_of(contradictions: Sequence[Contradiction]) -> Sequence[str]:
    """What overrides.toml and the gradebook say otherwise, for staff."""
    return [
        f"{FILE} and the gradebook decide {item} of {student} otherwise ({one.file.author} and {one.decided.author}); "
        f"{FILE} counts. Take the entry out of the file, or decide again in the review page."
        for one in contradictions
        for student, item in (one.key,)
    ]

"""Which of a student's attempts counts."""

from collections import defaultdict
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from decimal import Decimal
from enum import StrEnum

from grader.gradebook.person import apart
from grader.intake.attempts import base_id, base_name
from grader.intake.order import natural
from grader.intake.submission import Source


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
    if all(source.submitted_at for source in attempts):
        return sorted(attempts, key=lambda source: (_moment(source), natural(source.attempt)))
    if all(source.attempt for source in attempts) and len({source.attempt for source in attempts}) == len(attempts):
        return sorted(attempts, key=lambda source: natural(source.attempt))
    return None


def _moment(source: Source) -> datetime:
    time = source.submitted_at or datetime.min.replace(tzinfo=UTC)
    return time if time.tzinfo else time.replace(tzinfo=UTC)


def _choice(ordered: Sequence[Source], which: Attempt, cost: Cost) -> Source:
    if which is Attempt.FIRST:
        return ordered[0]
    if which is Attempt.LATEST:
        return ordered[-1]
    costs = [cost(source) for source in ordered]
    least = min((Decimal("Infinity") if one is None else one) for one in costs)
    return [s for s, one in zip(ordered, costs, strict=True) if (Decimal("Infinity") if one is None else one) == least][
        -1
    ]


def _as_student(one: Source, attempts: Sequence[Source], used: set[str]) -> Source:
    id_ = base_id(attempts)
    free = id_ not in used - {source.student_id for source in attempts}
    return one.model_copy(update={"student_id": id_ if free else one.student_id, "student_name": base_name(one)})


def _note(student: Source, one: Source, ordered: Sequence[Source]) -> str:
    others = ", ".join(_called(source) for source in ordered if source is not one)
    return (
        f"attempts: of {len(ordered)} by {student.student_id} the one of {_called(one)} is graded, left aside: {others}"
    )


def _called(source: Source) -> str:
    return source.submitted_at.isoformat(" ", "minutes") if source.submitted_at else f"attempt {source.attempt}"

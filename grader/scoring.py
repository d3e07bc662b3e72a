"""Points: of findings and a rubric, and what a late hand-in loses, always computed from the inputs anew. Here, and only
here, a status is worth something.
"""

import math
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime, timedelta
from decimal import ROUND_HALF_DOWN, ROUND_HALF_UP, Decimal
from types import MappingProxyType
from typing import NamedTuple

from grader.checks.finding import UNDECIDED, Finding, Flag, Severity, Status
from grader.frozen import Frozen
from grader.lab.definition import CENT, Base, Item, Lab, LatePolicy, Tier
from grader.message import Message, Words, join_messages, plural_of, say, say_number
from grader.result import Lateness, Override, Subject

_HOUR = 3600
_NOTHING = Tier(hours=Decimal(1), points=Decimal(0))


class Extension(NamedTuple):
    """More time for one student: a deadline of their own, or so many hours more; and why."""

    until: datetime | None = None
    hours: Decimal | None = None
    reason: str = ""


def lateness(
    policy: LatePolicy, submitted_at: datetime | None, *, time_from: Words = "", extension: Extension | None = None
) -> Lateness | None:
    """Return how a hand-in stands to its deadline; None if there is no deadline.

    An unknown time costs nothing. An extension never shortens the time that everyone has.
    """
    due = due_for(policy, extension)
    if due is None:
        return None
    late_by = None if submitted_at is None else _late_by(policy, due, policy.with_zone(submitted_at))
    tier = _tier(policy, late_by or 0)
    percent = tier.percent if tier else None
    return Lateness(
        deadline=due,
        extension=(extension.reason or say("extension")) if extension else "",
        late_by=late_by,
        penalty=tier.points if tier else None,
        percent=percent,
        percent_of=policy.percent_of.value,
        text=_text(policy, due, late_by, tier),
        rule=_rule(policy) if late_by else "",
        time_from=time_from,
    )


def late_flags(late: Lateness | None) -> tuple[Flag, ...]:
    """The flag of a hand-in that is late, or whose time is not known."""
    if late is None or late.late_by == 0:
        return ()
    if late.late_by is None:
        return (Flag(id="time-unknown", severity=Severity.INFO, message=late.text),)
    return (Flag(id="late", severity=Severity.WARNING, message=late.text),)


def rounded_points(points: Decimal, step: Decimal | None, rounding: str = ROUND_HALF_UP) -> Decimal:
    """The nearest multiple of a step to some points, by default of a cent."""
    if step in (None, CENT):
        return points.quantize(CENT, rounding)
    return (points / step).quantize(Decimal(1), rounding) * step


def deduction(late: Lateness | None, earned: Decimal, maximum: Decimal, step: Decimal = CENT) -> Decimal:
    """The points that lateness takes from those earned: never more than there are, and all where it is not graded. A
    percentage is of them or of the maximum, in steps; half a step is left to the student."""
    if late is None:
        return Decimal(0)
    if late.penalty is None:
        return earned
    if late.percent is None:
        return min(late.penalty, earned)
    base = maximum if late.percent_of == "maximum" else earned
    return min(rounded_points(base * late.percent / 100, step, ROUND_HALF_DOWN), earned)


def duration(seconds: int) -> Message:
    """`5 h 12 min`, `40 s`: rounded down to minutes from one minute on."""
    if seconds < 60:
        return say("{seconds} s", seconds=seconds)
    hours, minutes = divmod(seconds // 60, 60)
    if hours and minutes:
        return say("{hours} h {minutes} min", hours=hours, minutes=minutes)
    return say("{hours} h", hours=hours) if hours else say("{minutes} min", minutes=minutes)


def due_for(policy: LatePolicy, extension: Extension | None) -> datetime | None:
    """The deadline with an extension; None where there is no deadline."""
    due = policy.due
    if extension is None:
        return due
    if extension.until is not None:
        until = policy.with_zone(extension.until)
        return max(due, until) if due else until
    if due is None:
        return None
    return (due.astimezone(UTC) + timedelta(hours=float(extension.hours or 0))).astimezone(due.tzinfo)


def _late_by(policy: LatePolicy, due: datetime, submitted_at: datetime) -> int:
    late = submitted_at.astimezone(UTC) - due.astimezone(UTC)  # within one zone, clocks would be subtracted
    return 0 if late <= policy.grace else math.ceil(late.total_seconds())


def _tier(policy: LatePolicy, late_by: int) -> Tier | None:
    """Return the tier that applies to a late hand-in; None if it is too late to be graded."""
    if not (late_by and policy.steps):
        return _NOTHING
    return next((tier for tier in policy.steps if late_by <= tier.hours * _HOUR), None)


_MOST_TIERS = 8


def _rule(policy: LatePolicy) -> Words:
    """The rule for late hand-ins, in a list."""
    if policy.rate:
        every, until = (hours.normalize() for hours in (policy.rate.every, policy.rate.until))
        percent = _plain(policy.rate.percent)
        return say(
            "{percent:f} % for each {every:f} hours that begin, up to {until:f} hours",
            percent=percent,
            every=every,
            until=until,
        )
    steps = [
        say("up to {hours:f} hours {percent:f} %", hours=tier.hours.normalize(), percent=_plain(tier.percent))
        if tier.percent is not None
        else say("up to {hours:f} hours {points:f} points", hours=tier.hours.normalize(), points=_plain(tier.points))
        for tier in policy.tiers[:_MOST_TIERS]
    ]
    return join_messages(say("; "), steps) if steps else ""


def _text(policy: LatePolicy, due: datetime, late_by: int | None, tier: Tier | None) -> Message:
    zoned_deadline = say("the deadline, {due:%Y-%m-%d %H:%M %Z}", due=due)
    deadline = zoned_deadline if due.tzname() else say("the deadline, {due:%Y-%m-%d %H:%M}", due=due)
    if late_by is None:
        return say(
            "It is not known when this was handed in, so nothing is taken off for lateness ({deadline}).",
            deadline=deadline,
        )
    if not late_by:
        return say("Handed in before {deadline}, or within its grace.", deadline=deadline)
    late = {"duration": duration(late_by), "deadline": deadline}
    if tier is None:
        hours = policy.steps[-1].hours.normalize()
        return say(
            "Handed in {duration} after {deadline}: later than {hours:f} hours is not graded.", hours=hours, **late
        )
    if tier.percent is not None:
        percent = _plain(tier.percent)
        if policy.percent_of is Base.MAXIMUM:
            return say(
                "Handed in {duration} after {deadline}: {percent:f} % of all points off.", percent=percent, **late
            )
        return say(
            "Handed in {duration} after {deadline}: {percent:f} % of the points earned off.", percent=percent, **late
        )
    return say_number(
        "Handed in {duration} after {deadline}: {points:f} point off.",
        "Handed in {duration} after {deadline}: {points:f} points off.",
        plural_of(tier.points),
        points=_plain(tier.points),
        **late,
    )


def _plain(value: Decimal) -> Decimal:
    """Without trailing zeros."""
    return value.normalize() if value else Decimal(0)


NO_OVERRIDES: Mapping[str, Override] = MappingProxyType({})


class Score(Frozen):
    """Points: those decided, those that a person has yet to decide, and the most that could be earned."""

    score: Decimal
    pending: Decimal
    max_score: Decimal


class Grade(Frozen):
    """The points of one submission: in all, for each question, and for each item.

    The total is what the questions earned less `late_penalty`; its pending points are what it can still rise by.
    """

    total: Score
    late_penalty: Decimal
    questions: dict[str, Score]
    items: dict[str, Score]

    @property
    def needs_review(self) -> bool:
        """Whether points await a person."""
        return bool(self.total.pending)


def grade(
    findings: Iterable[Finding],
    lab: Lab,
    overrides: Mapping[str, Override] = NO_OVERRIDES,
    lateness: Lateness | None = None,
) -> Grade:
    """Score every item of a lab. An item without a finding counts as not decided, so the maximum never changes.

    `overrides`, by item, go before the findings; lateness comes last.
    """
    found = {finding.item: finding for finding in findings}
    items = {item.id: _scored(item, found.get(item.id), overrides.get(item.id)) for item in lab.items}
    questions = {question.id: _sum(items[item.id] for item in question.items) for question in lab.questions}
    earned = _sum(items.values())
    total = after_lateness(earned, lateness, lab.rounding)
    return Grade(total=total, late_penalty=earned.score - total.score, questions=questions, items=items)


def still_judges(decision: Override, finding: str, subject: str) -> bool:
    """Whether a decision is about an item with this `finding` and `subject`.

    It is about the same answer of the same student, wherever that stands now, and about all of the same hand-in, as
    long as the lab asks the same. So another version of the grader, which may read an answer otherwise, takes back no
    decision. Where nothing was read, only the hand-in tells one answer from another.
    """
    given, now = (
        Subject.from_text(decision.bound.subject if decision.bound else decision.subject),
        Subject.from_text(subject),
    )
    same_finding = bool(decision.finding) and decision.finding == finding
    if not subject:  # a result that an earlier version wrote
        return same_finding or not decision.finding
    if given.owner and now.owner and given.owner != now.owner:
        return False
    if given.hand_in and _same_hand_in(given.hand_in, now.hand_in):
        return same_finding or given.asked in ("", now.asked) or given.answer == now.answer != ""
    if given.answer:
        return given.answer == now.answer
    if given.hand_in:
        return same_finding and bool(now.answer)
    return same_finding or not decision.finding


def _same_hand_in(given: str, now: str) -> bool:
    """Whether two hashes stand for the same hand-in. A star at the end of a decision's hash says that an earlier
    version made it, for which it is not known what could not be opened."""
    return now.startswith(given[:-1]) if given.endswith("*") else now == given


def decided_status(item: Item, given: Override) -> Status:
    """The status that a person gave to an item, or the one that follows from the points they gave."""
    if given.status is not None and given.rows is None:
        return given.status
    worth = given_points(item, given)
    if worth == item.points:
        return Status.CORRECT
    return Status.PARTIAL if worth else Status.INCORRECT


def given_points(item: Item, given: Override) -> Decimal:
    """Return the worth of a person's decision in points. Rows of a rubric are together worth between nothing and the
    item's points."""
    if given.rows is not None:
        worth = sum((item.rubric[row - 1] for row in set(given.rows) if 0 < row <= len(item.rubric)), Decimal(0))
        return min(max(worth, Decimal(0)), item.points)
    if given.points is not None:
        return min(given.points, item.points)
    return _earned(item, Finding(item=item.id, status=decided_status(item, given)))


def after_lateness(earned: Score, lateness: Lateness | None, step: Decimal = CENT) -> Score:
    """Return the points that remain of those the questions earned, and the points that can still be added."""
    best = earned.score + earned.pending
    most = earned.max_score
    score = earned.score - deduction(lateness, earned.score, most, step)
    highest = best - deduction(lateness, best, most, step)
    return Score(score=score, pending=highest - score, max_score=earned.max_score)


def _scored(item: Item, finding: Finding | None, given: Override | None) -> Score:
    if given is not None:
        return Score(score=given_points(item, given), pending=Decimal(0), max_score=item.points)
    if finding is None or finding.status in UNDECIDED:
        return Score(score=Decimal(0), pending=item.points, max_score=item.points)
    return Score(score=_earned(item, finding), pending=Decimal(0), max_score=item.points)


def _earned(item: Item, finding: Finding) -> Decimal:
    if finding.status is Status.CORRECT:
        return item.points
    if finding.status is Status.PARTIAL:
        share = item.partial if finding.share is None else finding.share
        return rounded_points(item.points * share, item.rounding)
    return Decimal(0)


def _sum(scores: Iterable[Score]) -> Score:
    parts = list(scores)
    return Score(
        score=sum((part.score for part in parts), Decimal(0)),
        pending=sum((part.pending for part in parts), Decimal(0)),
        max_score=sum((part.max_score for part in parts), Decimal(0)),
    )

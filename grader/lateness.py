"""When a hand-in came, held against its deadline: what the rule takes off, always computed from the inputs anew."""

import math
from datetime import UTC, datetime, timedelta
from decimal import ROUND_HALF_DOWN, Decimal
from typing import NamedTuple

from grader.checks.finding import Flag, Severity
from grader.lab.definition import Base, LatePolicy, Tier
from grader.message import Message, Words, plural_of, say, say_number
from grader.result import Lateness

_HOUR = 3600
_CENT = Decimal("0.01")
_NOTHING = Tier(hours=Decimal(1), points=Decimal(0))


class Extension(NamedTuple):
    """More time for one student: a deadline of their own, or so many hours more; and why."""

    until: datetime | None = None
    hours: Decimal | None = None
    reason: str = ""


def lateness(
    policy: LatePolicy, submitted_at: datetime | None, *, time_from: Words = "", extension: Extension | None = None
) -> Lateness | None:
    """How a hand-in stands to its deadline; None where there is no deadline.

    An unknown time costs nothing. An extension never shortens the time that everyone has.
    """
    due = _due(policy, extension)
    if due is None:
        return None
    late_by = None if submitted_at is None else _late_by(policy, due, policy.zoned(submitted_at))
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
        time_from=time_from,
    )


def late_flags(late: Lateness | None) -> tuple[Flag, ...]:
    """The flag of a hand-in that is late, or whose time is not known."""
    if late is None or late.late_by == 0:
        return ()
    if late.late_by is None:
        return (Flag(id="time-unknown", severity=Severity.INFO, message=late.text),)
    return (Flag(id="late", severity=Severity.WARNING, message=late.text),)


def deducted(late: Lateness | None, earned: Decimal, maximum: Decimal) -> Decimal:
    """The points that lateness takes from those earned: never more than there are, and all where it is not graded. A
    percentage is of them or of the maximum; half a cent is left to the student."""
    if late is None:
        return Decimal(0)
    if late.penalty is None:
        return earned
    if late.percent is None:
        return min(late.penalty, earned)
    base = maximum if late.percent_of == "maximum" else earned
    return min((base * late.percent / 100).quantize(_CENT, ROUND_HALF_DOWN), earned)


def duration(seconds: int) -> Message:
    """`5 h 12 min`, `40 s`: rounded down to minutes from one minute on."""
    if seconds < 60:
        return say("{seconds} s", seconds=seconds)
    hours, minutes = divmod(seconds // 60, 60)
    if hours and minutes:
        return say("{hours} h {minutes} min", hours=hours, minutes=minutes)
    return say("{hours} h", hours=hours) if hours else say("{minutes} min", minutes=minutes)


def _due(policy: LatePolicy, extension: Extension | None) -> datetime | None:
    due = policy.due
    if extension is None:
        return due
    if extension.until is not None:
        until = policy.zoned(extension.until)
        return max(due, until) if due else until
    if due is None:
        return None
    return (due.astimezone(UTC) + timedelta(hours=float(extension.hours or 0))).astimezone(due.tzinfo)


def _late_by(policy: LatePolicy, due: datetime, submitted_at: datetime) -> int:
    late = submitted_at.astimezone(UTC) - due.astimezone(UTC)  # within one zone, clocks would be subtracted
    return 0 if late <= policy.grace else math.ceil(late.total_seconds())


def _tier(policy: LatePolicy, late_by: int) -> Tier | None:
    """What is taken off; None where it is not graded."""
    if late_by <= 0 or not policy.steps:
        return _NOTHING
    return next((tier for tier in policy.steps if late_by <= tier.hours * _HOUR), None)


def _text(policy: LatePolicy, due: datetime, late_by: int | None, tier: Tier | None) -> Message:
    known = say("the deadline, {due:%Y-%m-%d %H:%M %Z}", due=due)
    deadline = known if due.tzname() else say("the deadline, {due:%Y-%m-%d %H:%M}", due=due)
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

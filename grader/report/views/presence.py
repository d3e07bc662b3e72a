"""Who is late, who is missing, and what changed since the last time."""

from collections.abc import Sequence
from typing import Final

from grader.cohort.absence import Absent, LateStudent
from grader.cohort.changes import Change
from grader.cohort.statistics import ClassSummary
from grader.frozen import Frozen
from grader.language import ENGLISH, Language
from grader.message import Message, say, say_number
from grader.report.views.people import names
from grader.report.views.wording import clip, counted_points, left_out

MOST_LATE: Final = 30
MOST_CHANGES: Final = 40
_MINUTE, _HOUR, _DAY = 60, 3600, 86400


class LateLine(Frozen):
    """A late student, by how much, and what it costs."""

    student: str
    late: str
    cost: str


class Presence(Frozen):
    """`told` sums it up for the first page, None where all are there in time; `missing` and `empty` are names."""

    told: str | None
    late: tuple[LateLine, ...]
    more_late: str | None
    missing: str | None
    empty: str | None


class ChangeLine(Frozen):
    """A student, with the item where it is one, and what changed."""

    student: str
    item: str
    change: str
    why: str


class Changes(Frozen):
    """What changed; `more` tells of lines that are left out."""

    lines: tuple[ChangeLine, ...]
    more: str | None


def presence(summary: ClassSummary, language: Language = ENGLISH) -> Presence:
    """The late and the missing of a class."""
    missing = [_name(one) for one in summary.missing]
    told = [language.say(part) for part in _parts(summary)]
    return Presence(
        told=", ".join(told) or None,
        late=tuple(_late(one, language) for one in summary.late[:MOST_LATE]),
        more_late=left_out(len(summary.late) - MOST_LATE, "class.json", language),
        missing=names(missing, language) if missing else None,
        empty=names(summary.empty, language) if summary.empty else None,
    )


def changes(found: Sequence[Change], language: Language = ENGLISH) -> Changes:
    """The changes since the last time, as they were given."""
    return Changes(
        lines=tuple(_change(one, language) for one in found[:MOST_CHANGES]),
        more=left_out(len(found) - MOST_CHANGES, "class.json", language),
    )


def _parts(summary: ClassSummary) -> list[Message]:
    late, missing, empty = len(summary.late), len(summary.missing), len(summary.empty)
    ungraded = sum(not one.graded for one in summary.late)
    counts = (
        (say_number("{number} hand-in is late", "{number} hand-ins are late", late), late),
        (say("{number} of them too late to be graded", number=ungraded), ungraded),
        (say_number("{number} student is missing", "{number} students are missing", missing), missing),
        (say_number("{number} hand-in is empty", "{number} hand-ins are empty", empty), empty),
    )
    return [told for told, any_ in counts if any_]


def _name(absent: Absent) -> str:
    return f"{absent.name} ({absent.id})" if absent.id and absent.name else absent.name or absent.id


def _late(one: LateStudent, language: Language) -> LateLine:
    lost = say("−{points} for lateness", points=counted_points(one.penalty))
    cost = lost if one.graded else say("too late: not graded")
    extension = say("{cost}; extension: {reason}", cost=cost, reason=clip(one.extension, 60)) if one.extension else cost
    return LateLine(
        student=clip(one.student, 40), late=language.say(_duration(one.late_by)), cost=language.say(extension)
    )


def _duration(seconds: int) -> Message:
    if seconds < _HOUR:
        return say("{minutes} min", minutes=max(seconds // _MINUTE, 1))
    if seconds < 2 * _DAY:
        return say("{hours} h {minutes} min", hours=seconds // _HOUR, minutes=seconds % _HOUR // _MINUTE)
    return say("{days} d {hours} h", days=seconds // _DAY, hours=seconds % _DAY // _HOUR)


def _change(one: Change, language: Language) -> ChangeLine:
    before, after = (clip(language.say(text), 60) for text in (one.before, one.after))
    return ChangeLine(
        student=clip(one.student, 40),
        item=clip(one.item or "", 40),
        change=f"{before or '–'} → {after or '–'}",
        why=clip(language.say(one.why), 200),
    )

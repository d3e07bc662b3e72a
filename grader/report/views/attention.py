"""What the instructor should look at: the review queue, flags, likeness, and what could not be read or graded."""

from collections.abc import Sequence

from grader.cohort.notices import FlagTally, UnreadFile
from grader.cohort.review_queue import ReviewEntry, ReviewGroup
from grader.cohort.series import SharedSeries
from grader.cohort.statistics import ClassSummary
from grader.frozen import Frozen
from grader.report.views.marks import MARKS
from grader.report.views.wording import clip, clip_middle, counted

MOST_ENTRIES = 6
MOST_NAMES = 12
MOST_FILES = 30
MOST_SHARED = 20


class EntryView(Frozen):
    """A student in the queue: what is at stake, why a person is asked, what they might decide, what was read."""

    student: str
    points: str
    reason: str
    suggestion: str | None
    quote: str | None


class GroupView(Frozen):
    """An item in the queue; `more` tells of students who are left out."""

    id: str
    title: str
    stake: str
    entries: tuple[EntryView, ...]
    more: str | None


class FlagView(Frozen):
    """A kind of flag, how many have it, and who."""

    id: str
    severity: str
    count: str
    students: str
    example: str


class Trouble(Frozen):
    """Something that could not be read or graded, and why."""

    student: str
    what: str
    reason: str


class SharedLogs(Frozen):
    """Students whose logs hold the same curves, which, and what that shows and does not show."""

    students: str
    series: str
    meaning: str


class Attention(Frozen):
    """All of it; `more_unread` tells of files that are left out."""

    queue: tuple[GroupView, ...]
    flags: tuple[FlagView, ...]
    identical: tuple[str, ...]
    shared: tuple[SharedLogs, ...]
    failures: tuple[Trouble, ...]
    unread: tuple[Trouble, ...]
    more_unread: str | None


def attention(summary: ClassSummary) -> Attention:
    """What of a class calls for a person."""
    return Attention(
        queue=tuple(map(_group, summary.review_queue)),
        flags=tuple(map(_flag, summary.flags)),
        identical=tuple(_names(group.students) for group in summary.similarity.identical_submissions),
        shared=tuple(map(_shared, summary.shared_series[:MOST_SHARED])),
        failures=tuple(
            Trouble(student=clip(failure.student, 40), what=clip(failure.name, 40), reason=clip(failure.reason, 300))
            for failure in summary.failures
        ),
        unread=tuple(map(_unread, summary.unread_files[:MOST_FILES])),
        more_unread=_more(len(summary.unread_files) - MOST_FILES),
    )


def _group(group: ReviewGroup) -> GroupView:
    return GroupView(
        id=clip(group.item, 40),
        title=clip(group.title, 110),
        stake=f"{counted(len(group.entries), 'student')}, {counted(group.points, 'point')} at stake",
        entries=tuple(map(_entry, group.entries[:MOST_ENTRIES])),
        more=_more(len(group.entries) - MOST_ENTRIES),
    )


def _entry(entry: ReviewEntry) -> EntryView:
    return EntryView(
        student=clip(entry.student, 40),
        points=counted(entry.points, "point"),
        reason=clip(entry.reason, 220),
        suggestion=MARKS[entry.suggestion].word.lower() if entry.suggestion else None,
        quote=clip(entry.quote, 160) if entry.quote else None,
    )


def _flag(flag: FlagTally) -> FlagView:
    return FlagView(
        id=clip(flag.id, 40),
        severity=flag.severity.value.capitalize(),
        count=counted(len(flag.students), "student"),
        students=_names([flagged.student for flagged in flag.students]),
        example=clip(flag.students[0].messages[0], 200),
    )


def _shared(shared: SharedSeries) -> SharedLogs:
    return SharedLogs(
        students=_names(shared.students), series=clip(", ".join(shared.series), 160), meaning=clip(shared.meaning, 300)
    )


def _unread(file: UnreadFile) -> Trouble:
    reason = clip(file.reason or "no reason was recorded", 200)
    return Trouble(student=clip(file.student, 40), what=clip_middle(file.path), reason=reason)


def _names(students: Sequence[str]) -> str:
    named = ", ".join(clip(student, 40) for student in students[:MOST_NAMES])
    left_out = len(students) - MOST_NAMES
    return f"{named} and {left_out} more" if left_out > 0 else named


def _more(left_out: int) -> str | None:
    return f"+ {left_out} more in class.json" if left_out > 0 else None

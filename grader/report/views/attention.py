"""What the instructor should look at: the review queue, flags, and what could not be read or graded."""

from collections.abc import Iterator

from grader.cohort.notices import FlagTally, UnreadFile
from grader.cohort.review_queue import ReviewEntry, ReviewGroup
from grader.cohort.statistics import ClassSummary
from grader.frozen import Frozen
from grader.language import ENGLISH, Language
from grader.message import say
from grader.report.views.marks import MARKS
from grader.report.views.people import names, students
from grader.report.views.wording import clip, clip_middle, counted_points, left_out
from grader.result import Severity

MOST_ENTRIES = 6
MOST_FILES = 30
SEVERITIES = {Severity.WARNING: say("Warning"), Severity.INFO: say("Info")}


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


class Attention(Frozen):
    """All of it; `more_unread` tells of files that are left out."""

    queue: tuple[GroupView, ...]
    flags: tuple[FlagView, ...]
    failures: tuple[Trouble, ...]
    unread: tuple[Trouble, ...]
    more_unread: str | None
    audits: tuple[str, ...] = ()


def attention(summary: ClassSummary, language: Language = ENGLISH) -> Attention:
    """What of a class calls for a person."""
    return Attention(
        queue=tuple(_group(group, language) for group in summary.review_queue),
        flags=tuple(_flag(flag, language) for flag in summary.flags),
        failures=tuple(
            Trouble(
                student=clip(failure.student, 40),
                what=clip(failure.name, 40),
                reason=clip(language.say(failure.reason), 300),
            )
            for failure in summary.failures
        ),
        unread=tuple(_unread(file, language) for file in summary.unread_files[:MOST_FILES]),
        audits=tuple(_audits(summary, language)),
        more_unread=left_out(len(summary.unread_files) - MOST_FILES, "class.json", language),
    )


def _audits(summary: ClassSummary, language: Language) -> Iterator[str]:
    """What is to be audited, and what audits have found."""
    if summary.audits:
        yield language.say(
            say(
                "{count} of the automatic verdicts are to be looked at by a person all the same; `grade review` lists "
                "them as audits.",
                count=len(summary.audits),
            )
        )
    for one in summary.audit_results:
        yield language.say(
            say(
                "{item}: of {audited} audited verdicts {overruled} were overruled; with 95 % certainty at most "
                "{bound:.0%} of this class's are wrong.",
                item=one.item,
                audited=one.audited,
                overruled=one.overruled,
                bound=one.bound,
            )
        )


def _group(group: ReviewGroup, language: Language) -> GroupView:
    stake = {"students": students(len(group.entries)), "points": counted_points(group.points)}
    return GroupView(
        id=clip(group.item, 40),
        title=clip(language.say(group.title), 110),
        stake=language.say(say("{students}, {points} at stake", **stake)),
        entries=tuple(_entry(entry, language) for entry in group.entries[:MOST_ENTRIES]),
        more=left_out(len(group.entries) - MOST_ENTRIES, "class.json", language),
    )


def _entry(entry: ReviewEntry, language: Language) -> EntryView:
    return EntryView(
        student=clip(entry.student, 40),
        points=language.say(counted_points(entry.points)),
        reason=clip(language.say(entry.reason), 220),
        suggestion=language.say(MARKS[entry.suggestion].word).lower() if entry.suggestion else None,
        quote=clip(entry.quote, 160) if entry.quote else None,
    )


def _flag(flag: FlagTally, language: Language) -> FlagView:
    return FlagView(
        id=clip(flag.id, 40),
        severity=language.say(SEVERITIES[flag.severity]),
        count=language.say(students(len(flag.students))),
        students=names([flagged.student for flagged in flag.students], language),
        example=clip(language.say(flag.students[0].messages[0]), 200),
    )


def _unread(file: UnreadFile, language: Language) -> Trouble:
    reason = clip(language.say(file.reason or say("no reason was recorded")), 200)
    return Trouble(student=clip(file.student, 40), what=clip_middle(file.path), reason=reason)

"""What the instructor should look at: the review queue, flags, and what could not be read or graded."""

import re
from collections.abc import Iterator, Sequence
from typing import Final

from grader.cohort.notices import FlagTally, UnreadFile
from grader.cohort.review_queue import ReviewEntry, ReviewGroup
from grader.cohort.statistics import ClassSummary
from grader.frozen import Frozen
from grader.language import ENGLISH, Language
from grader.message import say, say_number
from grader.report.views.marks import MARKS
from grader.report.views.people import names, students
from grader.report.views.wording import clip, clip_middle, counted_points, left_out
from grader.result import Severity

MOST_LIKES = 3
_MOST_QUEUED = 4
MOST_FILES = 20
_SENTENCE_END: Final = re.compile(r"(?<=[.!?])\s+(?=[^\W\d_a-z])")
_OWN: Final = re.compile(r"[\d.,%  ]+|“[^”]*”")
SEVERITIES = {Severity.WARNING: say("Warning"), Severity.INFO: say("Info")}


class LikeView(Frozen):
    """Answers in the queue for which a person is asked the same: how many, why, what is suggested, who gave them, and
    the words of one."""

    count: str
    reason: str
    suggestion: str | None
    students: str
    quote: str | None


class GroupView(Frozen):
    """An item in the queue; `more` tells of answers that are left out."""

    id: str
    title: str
    question: str
    stake: str
    likes: tuple[LikeView, ...]
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
    titles = {question.id: language.say(question.title) for question in summary.questions}
    questions = {item.id: titles.get(item.question, "") for item in summary.items}
    return Attention(
        queue=tuple(_group(group, questions.get(group.item, ""), language) for group in summary.review_queue),
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


def _group(group: ReviewGroup, question: str, language: Language) -> GroupView:
    """An item's answers by what is asked about them, the most frequent first."""
    stake = {"students": students(len(group.entries)), "points": counted_points(group.points)}
    alike: dict[tuple[str, str], list[ReviewEntry]] = {}
    for entry in group.entries:
        alike.setdefault((entry.suggestion or "", _bare(entry)), []).append(entry)
    ordered = sorted(alike.values(), key=len, reverse=True)
    shown, rest = ordered[:MOST_LIKES], ordered[MOST_LIKES:]
    left = sum(map(len, rest))
    more = say_number("+ {number} answer for other reasons", "+ {number} answers for other reasons", left)
    return GroupView(
        id=clip(group.item, 40),
        title=clip(language.say(group.title), 110),
        question=clip(question, 90),
        stake=language.say(say("{students}, {points} at stake", **stake)),
        likes=tuple(_like(entries, language) for entries in shown),
        more=language.say(more) if left else None,
    )


def _asked(entry: ReviewEntry, language: Language) -> str:
    """Why a person is asked: the first sentence of the reason."""
    return _SENTENCE_END.split(language.say(entry.reason), maxsplit=1)[0]


def _bare(entry: ReviewEntry) -> str:
    """What is asked without the student's own figures and words, so that like reasons meet."""
    return _OWN.sub("", _SENTENCE_END.split(entry.reason, maxsplit=1)[0])


def _like(entries: Sequence[ReviewEntry], language: Language) -> LikeView:
    first = entries[0]
    return LikeView(
        count=language.number(len(entries)),
        reason=clip(_asked(first, language), 200),
        suggestion=language.say(MARKS[first.suggestion].word).lower() if first.suggestion else None,
        students=names([entry.student for entry in entries], language, _MOST_QUEUED),
        quote=clip(first.quote, 110) if first.quote else None,
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

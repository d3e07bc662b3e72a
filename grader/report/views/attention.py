"""The matters that the instructor should look at: the review queue, flags, files that could not be read or graded,
students who are late or missing, decisions of persons, and hand-ins that are alike."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final
from urllib.parse import quote

from grader.cohort.attention import (
    MOST_CHANGES,
    Change,
    FlagTally,
    LateStudent,
    ReviewEntry,
    ReviewGroup,
)
from grader.cohort.likeness import LikeTexts, SharedSeries
from grader.cohort.statistics import ClassSummary, ForClass, Overridden
from grader.frozen import Frozen
from grader.message import ENGLISH, Language, Message, join_messages, say, say_number, say_values
from grader.report.views.wording import (
    MARKS,
    clip,
    clip_middle,
    counted_points,
    fraction,
    left_out,
    percent,
    points,
    printable,
)
from grader.result import Scope, Severity

MOST_NAMES: Final = 12
FEW_NAMES: Final = 4


def report_link(student: str) -> str:
    """The relative address of a student's report, as seen from that of the class."""
    return f"{quote(printable(student), safe='')}/report.html"


def students(count: int) -> Message:
    """`1 student`, `23 students`."""
    return say_number("{number} student", "{number} students", count)


def names(ids: Sequence[str], language: Language, most: int = MOST_NAMES, count: int | None = None) -> str:
    """The first ids of a list, and how many more there are; `count` is the length of the list, if it is longer than
    `ids`."""
    named = ", ".join(clip(student, 40) for student in ids[:most])
    left_out = (len(ids) if count is None else count) - most
    return language.say(say("{names} and {count} more", names=named, count=left_out)) if left_out > 0 else named


def few_names(ids: Sequence[str], language: Language, count: int | None = None) -> str:
    """All ids of a small group, and the first few of a group too large to be looked at one by one."""
    length = len(ids) if count is None else count
    return names(ids, language, MOST_NAMES if length <= MOST_NAMES else FEW_NAMES, length)


MOST_LIKES = 3
MOST_FILES = 20
MOST_FAILED: Final = 100
MOST_IDENTICAL: Final = 40
_SENTENCE_END: Final = re.compile(r"(?<=[.!?])\s+(?=[^\W\d_a-z])")
_OWN: Final = re.compile(r"[\d.,%  ]+|“[^”]*”")
SEVERITIES = {Severity.WARNING: say("Warning"), Severity.INFO: say("Info")}


class LikeView(Frozen):
    """Queued answers with the same reason, and the words of one of them."""

    count: str
    reason: str
    suggestion: str | None
    students: str
    quote: str | None


class GroupView(Frozen):
    """An item in the queue."""

    id: str
    title: str
    question: str
    stake: str
    likes: tuple[LikeView, ...]
    more: str | None


class FlagView(Frozen):
    """A kind of flag."""

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
    """Everything that needs attention."""

    queue: tuple[GroupView, ...]
    flags: tuple[FlagView, ...]
    failures: tuple[Trouble, ...]
    more_failures: str | None
    unread: tuple[Trouble, ...]
    more_unread: str | None
    audits: tuple[str, ...] = ()


def attention(summary: ClassSummary, language: Language = ENGLISH) -> Attention:
    """Return the matters in a class that need a person's attention."""
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
            for failure in summary.failures[:MOST_FAILED]
        ),
        more_failures=left_out(len(summary.failures) - MOST_FAILED, "class.json", language),
        unread=tuple(
            Trouble(
                student=clip(file.student, 40),
                what=clip_middle(file.path),
                reason=clip(language.say(file.reason or say("no reason was recorded")), 200),
            )
            for file in summary.unread_files[:MOST_FILES]
        ),
        audits=tuple(_audits(summary, language)),
        more_unread=left_out(len(summary.unread_files) - MOST_FILES, "class.json", language),
    )


_TELLING_BOUND: Final = 0.5
"""A higher bound on the share of wrong verdicts, from few spot checks, tells nothing."""


def _audits(summary: ClassSummary, language: Language) -> Iterator[str]:
    """Sentences on the verdicts to audit, and on what audits have found."""
    if summary.audits:
        message = say_number(
            "{number} automatic verdict is shown to markers as a spot check.",
            "{number} automatic verdicts are shown to markers as spot checks.",
            len(summary.audits),
        )
        yield language.say(message)
    for result in summary.audit_results:
        message = say("{item}: markers overruled {overruled} of {audited} spot-checked verdicts.", **dict(result))
        if result.bound <= _TELLING_BOUND:
            bound = say("With 95 % certainty, at most {bound:.0%} of the verdicts are wrong.", bound=result.bound)
            message = join_messages(" ", (message, bound))
        yield language.say(message)


@dataclass
class _Like:
    """Queued answers with the same question to a person: the first, how many, and the first students."""

    first: ReviewEntry
    count: int = 0
    students: list[str] = field(default_factory=list)


def _group(group: ReviewGroup, question: str, language: Language) -> GroupView:
    """An item's queued answers grouped by the question to the person, the most frequent first."""
    stake = {"students": students(len(group.entries)), "points": counted_points(group.points)}
    alike: dict[tuple[str, str], _Like] = {}
    for entry in group.entries:
        # Reasons are equal but for the student's own figures and words.
        reason = _OWN.sub("", _SENTENCE_END.split(entry.reason, maxsplit=1)[0])
        same = alike.setdefault((entry.suggestion or "", reason), _Like(entry))
        same.count += 1
        if len(same.students) < FEW_NAMES:
            same.students.append(entry.student)
    ordered = sorted(alike.values(), key=lambda like_group: -like_group.count)
    shown, rest = ordered[:MOST_LIKES], ordered[MOST_LIKES:]
    left = sum(like_group.count for like_group in rest)
    more = say_number("+ {number} answer for other reasons", "+ {number} answers for other reasons", left)
    return GroupView(
        id=clip(group.item, 40),
        title=clip(language.say(group.title), 110),
        question=clip(question, 90),
        stake=language.say(say("{students}, {points} at stake", **stake)),
        likes=tuple(_like(like_group, language) for like_group in shown),
        more=language.say(more) if left else None,
    )


def _like(like_group: _Like, language: Language) -> LikeView:
    first = like_group.first
    return LikeView(
        count=language.number(like_group.count),
        reason=clip(_SENTENCE_END.split(language.say(first.reason), maxsplit=1)[0], 200),
        suggestion=language.say(MARKS[first.suggestion].word).lower() if first.suggestion else None,
        students=names(like_group.students, language, FEW_NAMES, like_group.count),
        quote=clip(first.quote, 110) if first.quote else None,
    )


def _flag(flag: FlagTally, language: Language) -> FlagView:
    return FlagView(
        id=clip(flag.id, 40),
        severity=language.say(SEVERITIES[flag.severity]),
        count=language.say(students(len(flag.students))),
        students=few_names([student.student for student in flag.students[:MOST_NAMES]], language, len(flag.students)),
        example=clip(language.say(flag.students[0].messages[0]), 200),
    )


def decided_for_class(found: Sequence[tuple[ForClass, int]], language: Language = ENGLISH) -> Iterator[Trouble]:
    """One line for each decision for the whole class."""
    for decision, number in found:
        scope = Scope.from_text(decision.scope) or Scope()
        whom = say("everyone")
        if scope.is_maximum:
            whom = say("what it is worth")
        elif scope.answer:
            whom = say("the answer “{answer}”", answer=scope.answer)
        elif scope.slip:
            whom = say("the slip {slip}", slip=scope.slip)
        worth = (
            points(decision.max_score, language)
            if scope.is_maximum
            else fraction(decision.score, decision.max_score, language)
        )
        message = say_values(
            "{reason} ({author}, {day})", reason=decision.reason, author=decision.author, day=language.day(decision.day)
        )
        yield Trouble(
            student=language.say(students(number)),
            what=clip(f"{decision.item}, {language.say(whom)}: {worth}", 90),
            reason=clip(language.say(message), 300),
        )


def overridden(found: Sequence[Overridden], language: Language = ENGLISH) -> tuple[Trouble, ...]:
    """One line for each override."""
    lines = []
    for override in found:
        values = {"reason": override.put.reason, "author": override.put.author, "day": language.day(override.put.date)}
        message = say_values("{reason} ({author}, {day})", **values)
        if override.put.stale:
            message = say(
                "Decided about another answer, so it does not count: look again. {reason} ({author}, {day})", **values
            )
        what = clip(f"{override.item}: {fraction(override.score, override.max_score, language)}", 60)
        lines.append(
            Trouble(student=clip(override.student, 40), what=what, reason=clip(language.say(message), 300).strip())
        )
    return tuple(lines)


MOST_LATE: Final = 30
_MINUTE, _HOUR, _DAY = 60, 3600, 86400


class LateLine(Frozen):
    """A late student."""

    student: str
    late: str
    cost: str


class Presence(Frozen):
    """Late and missing students. `told` is the summary for the first page; `missing` and `empty` are names."""

    told: str | None
    late: tuple[LateLine, ...]
    more_late: str | None
    missing: str | None
    empty: str | None


class ChangeLine(Frozen):
    """A change for a student, or for one of the student's items."""

    student: str
    item: str
    change: str
    why: str


class Changes(Frozen):
    """The changes."""

    lines: tuple[ChangeLine, ...]
    more: str | None


def presence(summary: ClassSummary, language: Language = ENGLISH) -> Presence:
    """The late and the missing of a class."""
    missing = [
        f"{absent_student.name} ({absent_student.id})"
        if absent_student.id and absent_student.name
        else absent_student.name or absent_student.id
        for absent_student in summary.missing
    ]
    parts = [language.say(part) for part in _presence_parts(summary)]
    return Presence(
        told=", ".join(parts) or None,
        late=tuple(_late_line(student, language) for student in summary.late[:MOST_LATE]),
        more_late=left_out(len(summary.late) - MOST_LATE, "class.json", language),
        missing=names(missing, language) if missing else None,
        empty=names(summary.empty, language) if summary.empty else None,
    )


def changes(found: Sequence[Change], more: int, language: Language = ENGLISH) -> Changes:
    """The view of the changes since the previous run, in the given order; `more` are not shown."""
    lines = []
    for change in found[:MOST_CHANGES]:
        before, after = (clip(language.say(text), 60) or "–" for text in (change.before, change.after))
        names_ = {"student": clip(change.student, 40), "item": clip(change.item or "", 40)}
        lines.append(ChangeLine(**names_, change=f"{before} → {after}", why=clip(language.say(change.why), 200)))
    return Changes(lines=tuple(lines), more=left_out(more, "grade export diff", language))


def _presence_parts(summary: ClassSummary) -> list[Message]:
    late, missing, empty = len(summary.late), len(summary.missing), len(summary.empty)
    ungraded = sum(not student.graded for student in summary.late)
    counts = (
        (say_number("{number} submission is late", "{number} submissions are late", late), late),
        (say("{number} of them too late to be graded", number=ungraded), ungraded),
        (say_number("{number} student is missing", "{number} students are missing", missing), missing),
        (say_number("{number} submission is empty", "{number} submissions are empty", empty), empty),
    )
    return [words for words, any_ in counts if any_]


def _late_line(student: LateStudent, language: Language) -> LateLine:
    lost = say("−{points} for lateness", points=counted_points(student.penalty))
    cost = lost if student.graded else say("too late: not graded")
    extension = (
        say("{cost}; extension: {reason}", cost=cost, reason=clip(student.extension, 60)) if student.extension else cost
    )
    return LateLine(
        student=clip(student.student, 40), late=language.say(_duration(student.late_by)), cost=language.say(extension)
    )


def _duration(seconds: int) -> Message:
    if seconds < _HOUR:
        return say("{minutes} min", minutes=max(seconds // _MINUTE, 1))
    if seconds < 2 * _DAY:
        return say("{hours} h {minutes} min", hours=seconds // _HOUR, minutes=seconds % _HOUR // _MINUTE)
    return say("{days} d {hours} h", days=seconds // _DAY, hours=seconds % _DAY // _HOUR)


MOST_SHARED: Final = 20
MOST_TEXTS: Final = 25


class SharedCurves(Frozen):
    """Students whose logs hold the same curves."""

    students: str
    series: str


class SharedLogs(Frozen):
    """Groups of students with common curves, and what that means."""

    meaning: str
    groups: tuple[SharedCurves, ...]


class TextGroup(Frozen):
    """Students with similar texts. `share` says how much of the shorter text of a pair is also in the other text.
    `runs` gives the lengths of the texts, and `length` is the width of the bar in CSS."""

    students: str
    share: str
    length: str
    runs: str


class Similarities(Frozen):
    """All similarities."""

    identical: tuple[str, ...]
    more_identical: str | None
    shared: tuple[SharedLogs, ...]
    more_shared: str | None
    texts: tuple[TextGroup, ...]
    more_texts: str | None


def similarities(summary: ClassSummary, language: Language = ENGLISH) -> Similarities:
    """The view of the similarities in a class."""
    texts, identical = summary.similarity.texts, summary.similarity.identical_submissions
    return Similarities(
        identical=tuple(names(group.students, language) for group in identical[:MOST_IDENTICAL]),
        more_identical=left_out(len(identical) - MOST_IDENTICAL, "class.json", language),
        shared=tuple(_shared(summary.shared_series[:MOST_SHARED], language)),
        more_shared=left_out(len(summary.shared_series) - MOST_SHARED, "class.json", language),
        texts=tuple(_alike_group(text, language) for text in texts[:MOST_TEXTS]),
        more_texts=left_out(len(texts) - MOST_TEXTS, "class.json", language),
    )


def _shared(found: Sequence[SharedSeries], language: Language) -> Iterator[SharedLogs]:
    """The groups by what they mean, which is said once for all of them."""
    for meaning in dict.fromkeys(series.meaning for series in found):
        groups = tuple(
            SharedCurves(
                students=few_names(series.students, language),
                series=clip(", ".join(map(language.say, series.series)), 160),
            )
            for series in found
            if series.meaning == meaning
        )
        yield SharedLogs(meaning=clip(language.say(meaning), 300), groups=groups)


def _alike_group(group: LikeTexts, language: Language) -> TextGroup:
    least, most = (percent(share, language) for share in (group.least, group.most))
    shortest, longest = min(group.runs), max(group.runs)
    return TextGroup(
        students=names(group.students, language),
        share=most if least == most else language.say(say("{low} to {high}", low=least, high=most)),
        length=f"{group.most * 100:.2f}%",
        runs=language.say(
            say("{count:,} runs", count=longest)
            if shortest == longest
            else say(
                "{low} to {high}",
                low=say_values("{count:,}", count=shortest),
                high=say("{count:,} runs", count=longest),
            )
        ),
    )

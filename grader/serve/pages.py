"""What the pages of the queue show."""

from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Final
from urllib.parse import quote

from grader.frozen import Frozen
from grader.gradebook.decisions import Conflict
from grader.gradebook.review import AnswerGroup, Likeness, is_audit
from grader.language import Language
from grader.message import Message, say, say_number
from grader.report.views.marks import MARKS, Mark, mark
from grader.report.views.wording import clip, points
from grader.result import Status
from grader.serve.standing import Standing

MOST_ROWS: Final = 400
_SECONDS_IN_MINUTE: Final = 60


class Progress(Frozen):
    """How far a class is: answers that were left to persons, and those decided; what is left, and how long it takes."""

    decided: int
    all: int
    groups: int
    points: str
    estimate: str
    width: str


class GroupLine(Frozen):
    """A line of the queue."""

    id: str
    reason: str
    likeness: str
    sample: str
    suggestion: Mark | None
    count: int
    points: str
    audit: bool
    looked_at_by: tuple[str, ...]


class ItemSection(Frozen):
    """An item with its groups."""

    item: str
    title: str
    count: int
    points: str
    groups: tuple[GroupLine, ...]


class ConflictLine(Frozen):
    """What somebody else decided meanwhile, and what was wanted."""

    student: str
    item: str
    theirs: str
    who: str
    mine: str
    same: bool
    link: str


LIKENESS: Final[Mapping[Likeness, Message]] = {
    Likeness.WORDS: say("same words"),
    Likeness.NEAR: say("near words"),
    Likeness.REASON: say("same reason"),
}


def progress(standing: Standing, queue: Sequence[AnswerGroup], language: Language) -> Progress:
    """How far the class is."""
    all_ = len(standing.answers)
    left = sum(len(one.answers) for one in queue)
    pace = standing.pace()
    minutes = max(round(len(queue) * pace.seconds / _SECONDS_IN_MINUTE), 1)
    if not queue:
        told = say("Nothing is left.")
    elif pace.measured:
        told = say("about {time} at your pace of {seconds:.0f} s a group", time=_time(minutes), seconds=pace.seconds)
    else:
        told = say("about {time}, if a group takes {seconds:.0f} s", time=_time(minutes), seconds=pace.seconds)
    worth = sum((one.points for one in queue), Decimal(0))
    return Progress(
        decided=all_ - left,
        all=all_,
        groups=len(queue),
        points=points(worth, language),
        estimate=language.say(told),
        width=f"{100 * (all_ - left) / all_ if all_ else 100:.1f}",
    )


def sections(
    standing: Standing, queue: Sequence[AnswerGroup], others: Mapping[str, Sequence[str]], language: Language
) -> tuple[ItemSection, ...]:
    """The queue by item, the most points first, and in it the groups of most points."""
    by_item: dict[str, list[AnswerGroup]] = {}
    for group in queue:
        by_item.setdefault(group.item, []).append(group)
    ordered = sorted(by_item.values(), key=lambda own: -sum((one.points for one in own), Decimal(0)))
    return tuple(
        ItemSection(
            item=own[0].item,
            title=clip(language.say(own[0].title), 120),
            count=sum(len(one.answers) for one in own),
            points=points(sum((one.points for one in own), Decimal(0)), language),
            groups=tuple(_line(one, others, language) for one in own[:MOST_ROWS]),
        )
        for own in ordered
    )


def ordered(queue: Sequence[AnswerGroup]) -> list[AnswerGroup]:
    """The groups in the order in which the queue lists them."""
    worth: dict[str, Decimal] = {}
    for group in queue:
        worth[group.item] = worth.get(group.item, Decimal(0)) + group.points
    return sorted(queue, key=lambda one: (-worth[one.item], one.item))


def conflict_line(standing: Standing, conflict: Conflict, language: Language) -> ConflictLine:
    """A conflict for people: what stands and what was wanted."""
    theirs = conflict.theirs
    return ConflictLine(
        student=conflict.target.student,
        item=conflict.target.item,
        theirs=outcome_words(theirs.after, language),
        who=theirs.actor,
        mine=outcome_words(conflict.target.after, language),
        same=theirs.after == conflict.target.after,
        link=student_link(conflict.target.student, conflict.target.item),
    )


def outcome_words(told: str, language: Language) -> str:
    """An outcome of the history in words: `Correct, 2.5 / 2.5`."""
    status, _, worth = told.partition(" ")
    if status not in {one.value for one in Status}:
        return told
    word = language.say(MARKS[Status(status)].word)
    return f"{word}, {worth}" if worth else word


def student_link(student: str, item: str = "") -> str:
    """Where a student's page is."""
    anchor = f"#{quote(item, safe='')}" if item else ""
    return f"/students/{quote(student, safe='')}{anchor}"


def _line(group: AnswerGroup, others: Mapping[str, Sequence[str]], language: Language) -> GroupLine:
    first = group.answers[0].result_item
    words = first.found or (first.evidence[0].quote if first.evidence else "")
    return GroupLine(
        id=group.id,
        reason=clip(language.say(group.reason), 220),
        likeness=language.say(LIKENESS[group.likeness]) if len(group.answers) > 1 else "",
        sample=clip(words, 160),
        suggestion=mark(group.suggestion, language) if group.suggestion else None,
        count=len(group.answers),
        points=points(group.points, language),
        audit=is_audit(first),
        looked_at_by=tuple(others.get(group.id, ())),
    )


def _time(minutes: int) -> Message:
    if minutes < _SECONDS_IN_MINUTE:
        return say("{minutes} min", minutes=minutes)
    return say("{hours} h {minutes} min", hours=minutes // _SECONDS_IN_MINUTE, minutes=minutes % _SECONDS_IN_MINUTE)


def counted_answers(number: int) -> Message:
    """`1 answer`, `12 answers`."""
    return say_number("{number} answer", "{number} answers", number)

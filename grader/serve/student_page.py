"""What the page of one student shows: every item with its proof, and what persons decided."""

from collections.abc import Iterator
from datetime import datetime

from grader.frozen import Frozen
from grader.gradebook.decisions import Decided
from grader.gradebook.requests import Asked
from grader.language import Language
from grader.message import Message, say
from grader.report.views.item import ItemView, item_view
from grader.report.views.marks import Mark, mark
from grader.report.views.wording import clip, points, width
from grader.result import Result
from grader.serve.group_page import Choice, CropLinks, choices
from grader.serve.pages import outcome_words, student_link
from grader.serve.sources import Sources
from grader.serve.standing import Standing

WHOLE: dict[str, tuple[Message, Message]] = {
    "blank": (say("Blank"), say("The hand-in holds no answers.")),
    "unreadable": (say("Unreadable"), say("The hand-in cannot be read.")),
    "other-lab": (say("Another lab"), say("The hand-in answers another lab.")),
}
"""What can be said of a hand-in as a whole: what it is called, and what the student is told."""


class Event(Frozen):
    """A line of the history."""

    id: int
    when: str
    actor: str
    student: str
    item: str
    before: str
    after: str
    reason: str
    action: str


class Entry(Frozen):
    """An item with what can be done about it."""

    view: ItemView
    choices: tuple[Choice, ...]
    status: str
    maximum: str
    note: str
    suggestion: Mark | None
    waits: bool
    decided_by: str
    can_take_back: bool
    comment: str


class FileLine(Frozen):
    """A file and how much of it was read."""

    path: str
    state: str
    reason: str


class RequestLine(Frozen):
    """A request to look again, with its answer."""

    id: int
    item: str
    text: str
    who: str
    answer: str
    answered: str


class StudentPage(Frozen):
    """A student with everything about the hand-in."""

    student: str
    name: str
    link: str
    score: str
    maximum: str
    pending: str
    earned: str
    open: str
    late: str
    error: str
    entries: tuple[Entry, ...]
    files: tuple[FileLine, ...]
    history: tuple[Event, ...]
    requests: tuple[RequestLine, ...]
    flags: tuple[str, ...]
    whole: tuple[tuple[str, str], ...]
    previous: str
    next: str
    seen: int


def student_page(
    standing: Standing,
    sources: Sources,
    result: Result,
    decided: tuple[Decided, ...],
    asked: tuple[Asked, ...],
    language: Language,
) -> StudentPage:
    """The page of one student."""
    names = sorted(standing.results)
    at = names.index(result.student.id)
    return StudentPage(
        student=result.student.id,
        name=clip(result.student.name or result.student.id, 80),
        link=student_link(result.student.id),
        score=points(result.score, language),
        maximum=points(result.max_score, language),
        pending=points(result.pending, language) if result.pending else "",
        earned=width(result.score, result.max_score).rstrip("%"),
        open=width(result.pending, result.max_score).rstrip("%"),
        late=clip(language.say(result.lateness.text), 300) if result.lateness else "",
        error=clip(language.say(result.error), 500) if result.error else "",
        entries=tuple(_entry(standing, sources, result, number, language) for number in range(len(result.items))),
        files=tuple(_files(result, language)),
        history=tuple(event(one, language) for one in decided),
        requests=tuple(request_line(one) for one in asked),
        flags=tuple(clip(language.say(flag.message), 300) for flag in result.flags[:20]),
        whole=tuple((id_, language.say(title)) for id_, (title, _) in WHOLE.items()),
        previous=student_link(names[at - 1]) if at else "",
        next=student_link(names[at + 1]) if at + 1 < len(names) else "",
        seen=standing.seen,
    )


def event(decided: Decided, language: Language) -> Event:
    """A version of a decision for people."""
    return Event(
        id=decided.id,
        when=moment(decided.decided),
        actor=decided.actor,
        student=decided.student,
        item=decided.item,
        before=outcome_words(decided.before, language),
        after=outcome_words(decided.after, language),
        reason=clip(decided.verdict.reason, 300),
        action=decided.action,
    )


def moment(when: datetime) -> str:
    """A time of this machine."""
    return f"{when.astimezone():%Y-%m-%d %H:%M}"


def _entry(standing: Standing, sources: Sources, result: Result, number: int, language: Language) -> Entry:
    item = result.items[number]
    key = (result.student.id, item.id)
    decided = standing.decided(key)
    return Entry(
        view=item_view(item, CropLinks(sources, result.student.id, item), language),
        choices=choices(standing, item.id, language) if item.id in standing.items else (),
        status=item.status.value,
        maximum=points(item.max_score, language),
        note=clip(language.say(item.note), 500),
        suggestion=mark(item.suggestion, language) if item.suggestion and not item.override else None,
        waits=standing.waits(key),
        decided_by=item.override.author if item.override else "",
        can_take_back=decided is not None,
        comment=decided.verdict.reason if decided else "",
    )


def _files(result: Result, language: Language) -> Iterator[FileLine]:
    for file in result.submission.files:
        yield FileLine(path=clip(file.path, 120), state=file.state, reason=clip(language.say(file.reason or ""), 200))


def request_line(asked: Asked) -> RequestLine:
    """A request for people."""
    return RequestLine(
        id=asked.id,
        item=asked.item,
        text=asked.text,
        who=f"{asked.entered_by}, {moment(asked.entered)}",
        answer=asked.answer or "",
        answered=f"{asked.answered_by}, {moment(asked.answered)}" if asked.answered else "",
    )

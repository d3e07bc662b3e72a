"""The page of a group of whole hand-ins: those that cannot be opened, that seem to be for another lab, or that hold
nothing of several items. One decision settles all items of a hand-in."""

from decimal import Decimal
from typing import Final

from starlette.datastructures import FormData
from starlette.requests import Request
from starlette.responses import Response

from grader.frozen import Frozen
from grader.gradebook.decisions import Verdict
from grader.gradebook.review import Answer, AnswerGroup
from grader.message import Message, say
from grader.report.views.wording import clip, points
from grader.result import Result, Status
from grader.serve.group_page import MOST_CARDS, following, ordered, student_link
from grader.serve.review import BadRequestError, Review, text_of

WHOLE: Final[dict[str, tuple[Message, Message]]] = {
    "unreadable": (say("Unreadable"), say("We could not open your file; send it again.")),
    "blank": (say("Blank"), say("The hand-in holds no answers.")),
    "other-lab": (say("Another lab"), say("The hand-in answers another lab.")),
}
"""Decisions about a hand-in as a whole: the label, and the text for the student."""
NOTHING: Final = "nothing"
_NOTHING: Final = (say("Missing"), say("Nothing about this was found in the hand-in."))


class FileLine(Frozen):
    """A file and how much of it was read."""

    path: str
    state: str
    reason: str


class HandInCard(Frozen):
    """A hand-in: its files and flags, and the items that a decision settles."""

    student: str
    name: str
    link: str
    files: tuple[FileLine, ...]
    flags: tuple[str, ...]
    items: tuple[str, ...]
    points: str


class HandInsPage(Frozen):
    """A group of hand-ins to decide. `choices` are verdicts with their titles and keys."""

    id: str
    reason: str
    count: int
    points: str
    cards: tuple[HandInCard, ...]
    more: int
    choices: tuple[tuple[str, str, str], ...]
    position: int
    of: int
    next: str
    seen: int
    loaded: int


def hand_ins_response(
    review: Review, request: Request, group: AnswerGroup, said: str, found: tuple[object, ...]
) -> Response:
    """The page of a group of hand-ins."""
    standing, language = review.standing, review.language
    queue = ordered(standing.queue())
    ids = [one.id for one in queue]
    by_student: dict[str, list[Answer]] = {}
    waiting = standing.waiting(group)
    for one in waiting:
        by_student.setdefault(one.student, []).append(one)
    shown = list(by_student.items())[:MOST_CARDS]
    offered = WHOLE if group.answers[0].group else {NOTHING: _NOTHING}
    page = HandInsPage(
        id=group.id,
        reason=clip(language.say(group.reason), 400),
        count=len(shown),
        points=points(group._replace(answers=waiting).points, language),
        cards=tuple(_card(review, standing.results[student], own) for student, own in shown),
        more=len(by_student) - len(shown),
        choices=tuple(
            (id_, language.say(title), str(number)) for number, (id_, (title, _)) in enumerate(offered.items(), 1)
        ),
        position=ids.index(group.id) + 1 if group.id in ids else 0,
        of=len(queue),
        next=following(queue, group.id, review.presence.others(request.state.grader)),
        seen=standing.seen,
        loaded=standing.loaded,
    )
    return review.page(
        request, "hand_ins", address=f"/groups/{group.id}", group=page, toast=said, conflicts=found, queue=queue
    )


def _card(review: Review, result: Result, own: list[Answer]) -> HandInCard:
    say_ = review.language.say
    return HandInCard(
        student=result.student.id,
        name=clip(result.student.name or result.student.id, 60),
        link=student_link(result.student.id),
        files=file_lines(review, result),
        flags=tuple(clip(say_(flag.message), 300) for flag in result.flags[:4] if flag.id != "unreadable"),
        items=tuple(clip(say_(one.title), 80) for one in own),
        points=points(sum((one.max_score for one in own), Decimal(0)), review.language),
    )


def file_lines(review: Review, result: Result) -> tuple[FileLine, ...]:
    """The files of a hand-in, with why they were not read, where they were not."""
    say_ = review.language.say
    return tuple(
        FileLine(path=clip(one.path, 120), state=one.state, reason=clip(say_(one.reason or ""), 200))
        for one in result.submission.files[:20]
    )


def whole_verdict(review: Review, given: str, form: FormData) -> Verdict:
    """The verdict on all items of a hand-in that a form gives, with what the student is told."""
    said = {**WHOLE, NOTHING: _NOTHING}.get(given)
    if said is None:
        raise BadRequestError(review.say(say("Say what the hand-in is.")))
    return Verdict(Status.MISSING, None, " ".join([review.say(said[1]), text_of(form, "comment")]).strip())

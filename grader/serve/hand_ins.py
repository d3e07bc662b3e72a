"""The page of a group of whole hand-ins: those that cannot be opened, that seem to be for another lab, or that hold
nothing of several items. One decision settles all items of a hand-in."""

from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Final

from starlette.datastructures import FormData
from starlette.requests import Request
from starlette.responses import Response

from grader.frozen import Frozen
from grader.gradebook.decisions import Verdict
from grader.gradebook.review import Answer, AnswerGroup
from grader.message import Language, Message, say
from grader.report.views.student import STATES
from grader.report.views.wording import clip, points
from grader.result import Result, Status
from grader.serve.group_page import MOST_CARDS, following, order_groups, student_link
from grader.serve.review import BadRequestError, Review, text_of
from grader.serve.sheets import sheet_link
from grader.serve.standing import Standing

WHOLE: Final[dict[str, tuple[Message, Message]]] = {
    "unreadable": (say("Unreadable"), say("We could not open your file; send it again.")),
    "blank": (say("Blank"), say("The submission holds no answers.")),
    "other-lab": (say("Another lab"), say("The submission answers another lab.")),
}
"""Decisions about a hand-in as a whole: the label, and the text for the student."""
_SEVERAL: Final[dict[str, tuple[Message, Message | None]]] = {
    "nothing": (say("Missing"), say("No answer to this was found in the submission.")),
    "full": (say("Correct, all points"), None),
}
"""Decisions about several items at once."""


class FileLine(Frozen):
    """A file and how much of it was read."""

    path: str
    state: str
    reason: str


class HandInCard(Frozen):
    """A hand-in: its files, the items that a decision settles, and `quotes` of where they may be answered.

    `flags` are shown where the hand-in is judged as a whole. Whether several items are answered, none of them tells.
    """

    student: str
    name: str
    link: str
    files: tuple[FileLine, ...]
    flags: tuple[str, ...]
    quotes: tuple[str, ...]
    look: str
    items: tuple[str, ...]
    points: str


class HandInsPage(Frozen):
    """A group of hand-ins to decide. `choices` are verdicts with their titles, their points where
    these are none, and their keys."""

    id: str
    reason: str
    count: int
    points: str
    cards: tuple[HandInCard, ...]
    more: int
    choices: tuple[tuple[str, str, str, str], ...]
    position: int
    of: int
    next: str
    seen: int
    loaded: int


def hand_ins_response(
    review: Review, request: Request, group: AnswerGroup, message: str, found: tuple[object, ...]
) -> Response:
    """The answer to a request for a group of hand-ins."""
    others = review.presence.other_graders(request.state.grader)
    page = hand_ins_page(review.standing, group, others, review.language)
    queue = order_groups(review.standing.queue())
    return review.page(
        request, "hand_ins", address=f"/groups/{group.id}", group=page, toast=message, conflicts=found, queue=queue
    )


def hand_ins_page(
    standing: Standing, group: AnswerGroup, others: Mapping[str, Sequence[str]], language: Language
) -> HandInsPage:
    """The page of a group of hand-ins; `others` look at the groups with these ids."""
    queue = order_groups(standing.queue())
    ids = [entry.id for entry in queue]
    by_student: dict[str, list[Answer]] = {}
    waiting = standing.waiting(group)
    for entry in waiting:
        by_student.setdefault(entry.student, []).append(entry)
    shown = list(by_student.items())[:MOST_CARDS]
    offered = WHOLE if group.doubts_hand_ins else _SEVERAL
    return HandInsPage(
        id=group.id,
        reason=clip(language.say(group.reason), 400),
        count=len(shown),
        points=points(group._replace(answers=waiting).points, language),
        cards=tuple(_card(standing, group, student_answers, language) for _, student_answers in shown),
        more=len(by_student) - len(shown),
        choices=tuple(
            (id_, language.say(title), "0" if text else "", str(number))
            for number, (id_, (title, text)) in enumerate(offered.items(), 1)
        ),
        position=ids.index(group.id) + 1 if group.id in ids else 0,
        of=len(queue),
        next=following(queue, group.id, others),
        seen=standing.seen,
        loaded=standing.loaded,
    )


def _card(standing: Standing, group: AnswerGroup, student_answers: list[Answer], language: Language) -> HandInCard:
    say_, result = language.say, standing.results[student_answers[0].student]
    quotes = dict.fromkeys(
        place.quote for answer in student_answers for place in standing.stored_item(answer).evidence[:1]
    )
    flags = [flag for flag in result.flags[:4] if flag.id != "unreadable"] if group.doubts_hand_ins else []
    return HandInCard(
        student=result.student.id,
        name=clip(result.student.name or result.student.id, 60),
        link=student_link(result.student.id),
        files=file_lines(result, language),
        flags=tuple(clip(say_(flag.message), 300) for flag in flags),
        quotes=tuple(clip(quote, 200) for quote in quotes if quote.strip()),
        look=sheet_link(result.student.id, student_answers[0].item),
        items=tuple(clip(say_(answer.title), 80) for answer in student_answers),
        points=points(sum((answer.max_score for answer in student_answers), Decimal(0)), language),
    )


def file_lines(result: Result, language: Language) -> tuple[FileLine, ...]:
    """The files of a hand-in, with why they were not read, where they were not."""
    return tuple(
        FileLine(
            path=clip(file.path, 120),
            state=language.say(STATES[file.state]),
            reason=clip(language.say(file.reason or ""), 200),
        )
        for file in result.submission.files[:20]
    )


def whole_verdict(review: Review, given: str, form: FormData) -> Verdict:
    """The verdict on all items of a hand-in that a form gives, with what the student is told."""
    if given not in WHOLE and given not in _SEVERAL:
        raise BadRequestError(review.say(say("Choose what the submission is.")))
    _, text = {**WHOLE, **_SEVERAL}[given]
    comment = text_of(form, "comment")
    if text is None:
        return Verdict(Status.CORRECT, None, comment)
    return Verdict(Status.MISSING, None, f"{review.say(text)} {comment}".strip())

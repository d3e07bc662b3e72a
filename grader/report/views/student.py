"""The student's report and the things most worth fixing. Notes and suggestions for staff are never part of it."""

from collections.abc import Mapping, Sequence
from decimal import Decimal

from grader.frozen import Frozen
from grader.message import ENGLISH, Language, joined, plural_of, say, say_number
from grader.report.pictures import Place, Shown
from grader.report.views.curves import Line, Panel, keys_of_all, panels
from grader.report.views.item import (
    NO_PICTURES,
    ItemView,
    Provenance,
    anchor_of,
    is_brief,
    item_view,
    pictured_once,
    provenance,
)
from grader.report.views.wording import (
    MARKS,
    Mark,
    clip,
    clip_to_sentence,
    fraction,
    mark,
    place,
    points,
    width,
)
from grader.result import ItemResult, QuestionScore, Result, Status


class Call(Frozen):
    """The sentence beside the score, what it means for the student, and the shape printed before it."""

    shape: str
    claim: str
    explanation: str


def call(result: Result, language: Language = ENGLISH) -> Call | None:
    """The most important message to the student, or None."""
    explanation: str = ""
    if result.error is not None:
        status, claim = Status.ERROR, say("This hand-in could not be graded automatically.")
        explanation = say("That is not your fault: a person will look at it and decide.")
    elif result.pending:
        status = Status.REVIEW
        claim = say_number(
            "{points:f} point awaits a person.",
            "{points:f} points await a person.",
            plural_of(result.pending),
            points=result.pending.normalize(),
        )
        explanation = say("The score above counts decided points only and may still rise.")
    elif not result.submission.files:
        status, claim = Status.MISSING, say("No file was found in this hand-in.")
        explanation = say("If you did hand something in, tell the teaching staff.")
    elif result.score == result.max_score:
        status, claim = Status.CORRECT, say("Every point was earned.")
    else:
        return None
    return Call(shape=MARKS[status].shape, claim=language.say(claim), explanation=language.say(explanation))


MOST_FIXES = 3


class Fix(Frozen):
    """One of the things most worth fixing: what it cost or keeps open, what is wrong, and what would be right.

    `item` and `title` name all items with the same problem, `question` their questions; `anchor` links to the first of
    them.
    """

    item: str
    anchor: str
    title: str
    question: str
    mark: Mark
    cost: str
    open: bool
    advice: str
    right: str | None


def fixes(result: Result, language: Language) -> tuple[Fix, ...]:
    """The items that cost the most points, then those with the most pending points and a reason for the student.

    Items that were not assessed are left out: something else that is missing explains them.
    """
    lost = [item for item in result.items if _points_at_stake(item) > 0 and item.status is not Status.NOT_RUN]
    alike: dict[tuple[str, ...], list[ItemResult]] = {}
    for item in lost:
        alike.setdefault(_kind(item), []).append(item)
    ordered = sorted(alike.values(), key=lambda items: (items[0].pending > 0, -sum(map(_points_at_stake, items))))
    return tuple(_fix(items, result, language) for items in ordered[:MOST_FIXES])


def _kind(item: ItemResult) -> tuple[str, ...]:
    """A key that is equal for items with the same messages; an item without any message has its own key."""
    advice = _advice(item)
    own = () if advice and item.status is not Status.MISSING else (item.id,)
    return (item.status, advice, item.expected or "", *own) if item.pending == 0 else (item.status, advice, *own)


def _points_at_stake(item: ItemResult) -> Decimal:
    has_reason = item.status is Status.REVIEW and (item.diagnoses or item.feedback)
    return item.max_score - item.score - (0 if has_reason else item.pending)


def _fix(items: Sequence[ItemResult], result: Result, language: Language) -> Fix:
    first = items[0]
    titles = {one.id: language.say(one.title) for one in result.questions}
    stake = sum(map(_points_at_stake, items), Decimal(0))
    is_open = first.pending > 0
    apart = language.say(say("; "))
    return Fix(
        item=clip(", ".join(item.id for item in items), 60),
        anchor=anchor_of(next(number for number, item in enumerate(result.items) if item is first)),
        title=clip(apart.join(dict.fromkeys(language.say(item.title) for item in items)), 120),
        question=clip(apart.join(dict.fromkeys(titles.get(item.question, "") for item in items)), 120),
        mark=mark(first.status, language),
        cost=points(stake if is_open else -stake, language),
        open=is_open,
        advice=clip(language.say(_advice(first)), 300),
        right=clip_to_sentence(language.say(first.expected), 160) if first.expected and not is_open else None,
    )


def _advice(item: ItemResult) -> str:
    """The most precise known description of what is wrong."""
    if item.override:
        return item.override.reason
    missing = say("No answer to this was found in what was handed in.") if item.status is Status.MISSING else ""
    return item.feedback or joined(" ", (one.text for one in item.diagnoses)) or missing


MOST_FLAGS = 10
TOLD_FLAGS = frozenset(
    {
        "arithmetic",
        "blank-handout",
        "claim-contradicts-log",
        "hyperparameter-mismatch",
        "log-damaged",
        "notebook-state",
        "other-language",
        "outside-band",
        "repeated-seed",
        "statistics-mismatch",
        "std-unit",
        "table-contradiction",
        "time-unknown",
        "unreadable",
        "validation-reported-as-test",
        "wrong-lab",
    }
)
"""Flags shown to students. All others are for staff: they concern other students, raise a suspicion, or are unknown.
Lateness is reported with the points."""


class QuestionView(Frozen):
    """A line of the table of questions. `mark` is None where the question is worth no points; `earned` and `pending`
    are lengths in CSS percent of the question's maximum. `anchor` is the target of links."""

    id: str
    anchor: str
    title: str
    mark: Mark | None
    points: str
    awaiting: str
    earned: str
    pending: str


class Notice(Frozen):
    """A remark that costs no points, and its place."""

    message: str
    place: str | None


class Section(Frozen):
    """A question with its items."""

    question: QuestionView
    items: tuple[ItemView, ...]


class StudentView(Frozen):
    """The whole report of one student, without sections when grading failed.

    `earned` and `pending` are lengths in CSS percent of the maximum. `call` is the sentence beside the score,
    `pending_column` whether any question awaits a person, `late_penalty` the points lost to lateness, `legend` the
    statuses that occur, `example_item` an item id that shows how to ask about a grade.
    """

    lab: str
    name: str
    id: str
    score: str
    max_score: str
    earned: str
    pending: str
    call: Call | None
    pending_column: bool
    late_penalty: str | None
    lateness: str | None
    questions: tuple[QuestionView, ...]
    fixes: tuple[Fix, ...]
    legend: tuple[Mark, ...]
    sections: tuple[Section, ...]
    curves: tuple[Panel, ...]
    curve_keys: tuple[Line, ...]
    notices: tuple[Notice, ...]
    provenance: Provenance
    example_item: str | None


def student_view(
    result: Result, pictures: Mapping[Place, Shown] = NO_PICTURES, language: Language = ENGLISH
) -> StudentView:
    """The view of any result, including one whose grading failed and one of an empty hand-in."""
    curves = panels(result, language)
    questions = tuple(
        _question(question, f"question-{number}", result.items, language)
        for number, question in enumerate(result.questions, 1)
    )
    is_late = bool(result.lateness and result.lateness.late_by)
    return StudentView(
        lab=clip(language.say(result.lab.title), 120),
        name=clip(result.student.name, 60) or clip(result.student.id, 60),
        id=clip(result.student.id, 80),
        score="–" if result.error else points(result.score, language),
        max_score=points(result.max_score, language),
        earned=width(result.score, result.max_score),
        pending=width(result.pending, result.max_score),
        call=call(result, language),
        pending_column=result.pending > 0,
        late_penalty=points(-result.late_penalty, language) if result.late_penalty or is_late else None,
        lateness=clip(language.say(result.lateness.text), 200) if result.lateness else None,
        questions=questions,
        fixes=fixes(result, language) if result.submission.files else (),
        legend=tuple(mark(status, language) for status in MARKS if any(item.status is status for item in result.items)),
        sections=()
        if result.error
        else tuple(_section(result, question, pictures, language) for question in questions),
        curves=curves,
        curve_keys=keys_of_all(curves),
        notices=_notices(result, language),
        provenance=provenance(result, language),
        example_item=clip(result.items[0].id, 40) if result.items else None,
    )


def _question(question: QuestionScore, anchor: str, items: Sequence[ItemResult], language: Language) -> QuestionView:
    status = _status(question, items)
    return QuestionView(
        id=question.id,
        anchor=anchor,
        title=clip(language.say(question.title), 120),
        mark=mark(status, language) if status else None,
        points=fraction(question.score, question.max_score, language),
        awaiting=points(question.pending, language) if question.pending else "",
        earned=width(question.score, question.max_score),
        pending=width(question.pending, question.max_score),
    )


def _status(question: QuestionScore, items: Sequence[ItemResult]) -> Status | None:
    """One status for a question: pending and lost points weigh more than correct answers."""
    statuses = {item.status for item in items if item.question == question.id}
    if not question.max_score:
        return None
    if len(statuses) == 1:
        return statuses.pop()
    if question.pending:
        return Status.REVIEW
    if question.score == question.max_score:
        return Status.CORRECT
    return Status.PARTIAL if question.score else Status.INCORRECT


def _section(result: Result, question: QuestionView, pictures: Mapping[Place, Shown], language: Language) -> Section:
    numbered = ((anchor_of(number), item) for number, item in enumerate(result.items) if item.question == question.id)
    views = (item_view(item, pictures, language, anchor) for anchor, item in numbered)
    return Section(question=question, items=tuple(pictured_once(views)))


def _notices(result: Result, language: Language) -> tuple[Notice, ...]:
    items = (item for item in result.items if not is_brief(item))
    texts = {text for item in items for text in (item.feedback, *(one.text for one in item.diagnoses))}
    shown = [flag for flag in result.flags if flag.id in TOLD_FLAGS and flag.message not in texts]
    return tuple(
        Notice(
            message=clip(language.say(flag.message), 300),
            place=place(flag.evidence[0], language) if flag.evidence else None,
        )
        for flag in shown[:MOST_FLAGS]
    )

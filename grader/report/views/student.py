"""What the student's report shows. Notes and suggestions for staff never get here."""

from collections.abc import Mapping, Sequence
from decimal import Decimal

from grader.frozen import Frozen
from grader.report.pictures import Place, Shown
from grader.report.views.call import Call, call
from grader.report.views.curves import Panel, panels
from grader.report.views.item import NO_PICTURES, ItemView, item_view
from grader.report.views.marks import MARKS, Mark
from grader.report.views.provenance import Provenance, provenance
from grader.report.views.wording import clip, fraction, place, points, width
from grader.result import Flag, ItemResult, QuestionScore, Result, Status

MOST_FIXES = 3
MOST_FLAGS = 10
STAFF_FLAGS = frozenset({"identical-series", "copied-documentation"})
"""Flags that concern other students or raise a suspicion: a person follows them up, not a report."""
TOLD_FLAGS = frozenset({"late"})
"""Flags that cost points and are told with the points."""


class QuestionView(Frozen):
    """A line of the table of questions. `mark` is None where the question is worth nothing; `earned` and `pending` are
    lengths in CSS percent of the question's maximum."""

    id: str
    title: str
    mark: Mark | None
    points: str
    awaiting: str
    earned: str
    pending: str


class Fix(Frozen):
    """One of the things most worth fixing: what it cost or keeps open, what is wrong, and what would be right."""

    item: str
    title: str
    mark: Mark
    cost: str
    open: bool
    advice: str
    right: str | None


class Notice(Frozen):
    """Something worth a look that costs no points, and where it stands."""

    message: str
    place: str | None


class Section(Frozen):
    """A question with its items."""

    question: QuestionView
    items: tuple[ItemView, ...]


class StudentView(Frozen):
    """The whole report of one student, without sections when grading failed.

    `earned` and `pending` are lengths in CSS percent of the maximum.
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
    notices: tuple[Notice, ...]
    provenance: Provenance
    example_item: str | None


def student_view(result: Result, pictures: Mapping[Place, Shown] = NO_PICTURES) -> StudentView:
    """The view of any result: also of one whose grading failed, or of a hand-in without a file."""
    questions = tuple(_question(question, result.items) for question in result.questions)
    return StudentView(
        lab=clip(result.lab.title, 120),
        name=clip(result.student.name, 60) or clip(result.student.id, 60),
        id=clip(result.student.id, 80),
        score="–" if result.error else points(result.score),
        max_score=points(result.max_score),
        earned=width(result.score, result.max_score),
        pending=width(result.pending, result.max_score),
        call=call(result),
        pending_column=result.pending > 0,
        late_penalty=points(-result.late_penalty) if result.late_penalty or _is_late(result) else None,
        lateness=clip(result.lateness.text, 200) if result.lateness else None,
        questions=questions,
        fixes=_fixes(result) if result.submission.files else (),
        legend=tuple(mark for status, mark in MARKS.items() if any(item.status is status for item in result.items)),
        sections=() if result.error else tuple(_section(result, question, pictures) for question in questions),
        curves=panels(result),
        notices=_notices(result),
        provenance=provenance(result),
        example_item=clip(result.items[0].id, 40) if result.items else None,
    )


def _is_late(result: Result) -> bool:
    """Also where there is nothing to take off."""
    return bool(result.lateness and result.lateness.late_by)


def _question(question: QuestionScore, items: Sequence[ItemResult]) -> QuestionView:
    return QuestionView(
        id=question.id,
        title=clip(question.title, 120),
        mark=_mark(question, items),
        points=fraction(question.score, question.max_score),
        awaiting=points(question.pending) if question.pending else "",
        earned=width(question.score, question.max_score),
        pending=width(question.pending, question.max_score),
    )


def _mark(question: QuestionScore, items: Sequence[ItemResult]) -> Mark | None:
    """The question as one status: what is open or lost counts more than what is right."""
    statuses = {item.status for item in items if item.question == question.id}
    if not question.max_score:
        return None
    if len(statuses) == 1:
        return MARKS[statuses.pop()]
    if question.pending:
        return MARKS[Status.REVIEW]
    if question.score == question.max_score:
        return MARKS[Status.CORRECT]
    return MARKS[Status.PARTIAL if question.score else Status.INCORRECT]


def _section(result: Result, question: QuestionView, pictures: Mapping[Place, Shown]) -> Section:
    items = (item for item in result.items if item.question == question.id)
    return Section(question=question, items=tuple(item_view(item, pictures) for item in items))


def _fixes(result: Result) -> tuple[Fix, ...]:
    """The items with most points lost, or kept open where the student can be told why.

    What was not assessed is left out: it follows from something else missing.
    """
    lost = [item for item in result.items if _stake(item) > 0 and item.status is not Status.NOT_RUN]
    return tuple(map(_fix, sorted(lost, key=_stake, reverse=True)[:MOST_FIXES]))


def _stake(item: ItemResult) -> Decimal:
    told = item.status is Status.REVIEW and (item.diagnoses or item.feedback)
    return item.max_score - item.score - (0 if told else item.pending)


def _fix(item: ItemResult) -> Fix:
    advice = item.override.reason if item.override else _advice(item)
    is_open = item.pending > 0
    right = clip(item.expected, 200) if item.expected and not is_open else None
    return Fix(
        item=clip(item.id, 40),
        title=clip(item.title, 120),
        mark=MARKS[item.status],
        cost=points(_stake(item)) if is_open else points(-_stake(item)),
        open=is_open,
        advice=clip(advice, 260),
        right=right,
    )


def _advice(item: ItemResult) -> str:
    """What is wrong, as precisely as is known."""
    missing = "No answer to this was found in what was handed in." if item.status is Status.MISSING else ""
    diagnosis = item.diagnoses[0].text if item.diagnoses else ""
    return diagnosis or item.feedback or missing


def _notices(result: Result) -> tuple[Notice, ...]:
    shown = [flag for flag in result.flags if flag.id not in STAFF_FLAGS | TOLD_FLAGS]
    return tuple(map(_notice, shown[:MOST_FLAGS]))


def _notice(flag: Flag) -> Notice:
    return Notice(message=clip(flag.message, 300), place=place(flag.evidence[0]) if flag.evidence else None)

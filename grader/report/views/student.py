"""What the student's report shows. Notes and suggestions for staff never get here."""

from decimal import Decimal

from grader.frozen import Frozen
from grader.report.views.call import Call, call
from grader.report.views.item import ItemView, item_view
from grader.report.views.marks import MARKS, Mark
from grader.report.views.provenance import Provenance, provenance
from grader.report.views.wording import clip, fraction, place, points, width
from grader.result import Flag, ItemResult, QuestionScore, Result, Status

MOST_FIXES = 3
MOST_FLAGS = 10
STAFF_FLAGS = frozenset({"identical-series", "copied-documentation"})
"""Flags that concern other students or raise a suspicion: a person follows them up, not a report."""


class QuestionView(Frozen):
    """A line of the table of questions; `earned` and `pending` are lengths in CSS percent of the question's maximum."""

    id: str
    title: str
    points: str
    awaiting: str
    earned: str
    pending: str


class Fix(Frozen):
    """One of the things most worth fixing, and what it cost."""

    item: str
    title: str
    cost: str
    advice: str


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
    questions: tuple[QuestionView, ...]
    fixes: tuple[Fix, ...]
    legend: tuple[Mark, ...]
    sections: tuple[Section, ...]
    notices: tuple[Notice, ...]
    provenance: Provenance
    example_item: str | None


def student_view(result: Result) -> StudentView:
    """The view of any result: also of one whose grading failed, or of a hand-in without a file."""
    questions = tuple(map(_question, result.questions))
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
        late_penalty=points(-result.late_penalty) if result.late_penalty else None,
        questions=questions,
        fixes=_fixes(result) if result.submission.files else (),
        legend=tuple(mark for status, mark in MARKS.items() if any(item.status is status for item in result.items)),
        sections=() if result.error else tuple(_section(result, question) for question in questions),
        notices=_notices(result),
        provenance=provenance(result),
        example_item=clip(result.items[0].id, 40) if result.items else None,
    )


def _question(question: QuestionScore) -> QuestionView:
    return QuestionView(
        id=question.id,
        title=clip(question.title, 120),
        points=fraction(question.score, question.max_score),
        awaiting=points(question.pending) if question.pending else "",
        earned=width(question.score, question.max_score),
        pending=width(question.pending, question.max_score),
    )


def _section(result: Result, question: QuestionView) -> Section:
    items = (item for item in result.items if item.question == question.id)
    return Section(question=question, items=tuple(map(item_view, items)))


def _fixes(result: Result) -> tuple[Fix, ...]:
    """The items that lost most for good. What was not assessed is left out: it follows from something else missing."""
    lost = [item for item in result.items if _lost(item) > 0 and item.status is not Status.NOT_RUN]
    return tuple(
        Fix(
            item=clip(item.id, 40),
            title=clip(item.title, 120),
            cost=points(-_lost(item)),
            advice=_advice(item),
        )
        for item in sorted(lost, key=_lost, reverse=True)[:MOST_FIXES]
    )


def _lost(item: ItemResult) -> Decimal:
    return item.max_score - item.score - item.pending


def _advice(item: ItemResult) -> str:
    candidates = (
        item.diagnoses[0].text if item.diagnoses else "",
        item.feedback,
        f"Right would be: {item.expected}" if item.expected else "",
        "No answer to this was found in what was handed in.",
    )
    return clip(next(filter(None, candidates)), 200)


def _notices(result: Result) -> tuple[Notice, ...]:
    return tuple(map(_notice, [flag for flag in result.flags if flag.id not in STAFF_FLAGS][:MOST_FLAGS]))


def _notice(flag: Flag) -> Notice:
    return Notice(message=clip(flag.message, 300), place=place(flag.evidence[0]) if flag.evidence else None)

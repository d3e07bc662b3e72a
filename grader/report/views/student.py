"""What the student's report shows. Notes and suggestions for staff never get here."""

from collections.abc import Mapping, Sequence

from grader.frozen import Frozen
from grader.language import ENGLISH, Language
from grader.report.pictures import Place, Shown
from grader.report.views.call import Call, call
from grader.report.views.curves import Panel, panels
from grader.report.views.fixes import Fix, fixes
from grader.report.views.item import NO_PICTURES, ItemView, anchor_of, is_brief, item_view
from grader.report.views.marks import MARKS, Mark, mark
from grader.report.views.provenance import Provenance, provenance
from grader.report.views.wording import clip, fraction, place, points, width
from grader.result import Flag, ItemResult, QuestionScore, Result, Status

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
"""Flags that help a student. All others are for staff: they concern other students, raise a suspicion, or are unknown.
That a hand-in is late is told with the points."""


class QuestionView(Frozen):
    """A line of the table of questions. `mark` is None where the question is worth nothing; `earned` and `pending` are
    lengths in CSS percent of the question's maximum. `anchor` is what links lead to."""

    id: str
    anchor: str
    title: str
    mark: Mark | None
    points: str
    awaiting: str
    earned: str
    pending: str


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

    `earned` and `pending` are lengths in CSS percent of the maximum. `call` is the sentence beside the score,
    `pending_column` whether any question awaits a person, `late_penalty` what lateness took off, `legend` the statuses
    that occur, `example_item` an id to name in a question about the grade.
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


def student_view(
    result: Result, pictures: Mapping[Place, Shown] = NO_PICTURES, language: Language = ENGLISH
) -> StudentView:
    """The view of any result: also of one whose grading failed, or of a hand-in without a file."""
    questions = tuple(
        _question(question, f"question-{number}", result.items, language)
        for number, question in enumerate(result.questions, 1)
    )
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
        late_penalty=points(-result.late_penalty, language) if result.late_penalty or _is_late(result) else None,
        lateness=clip(language.say(result.lateness.text), 200) if result.lateness else None,
        questions=questions,
        fixes=fixes(result, language) if result.submission.files else (),
        legend=tuple(mark(status, language) for status in MARKS if any(item.status is status for item in result.items)),
        sections=()
        if result.error
        else tuple(_section(result, question, pictures, language) for question in questions),
        curves=panels(result, language),
        notices=_notices(result, language),
        provenance=provenance(result, language),
        example_item=clip(result.items[0].id, 40) if result.items else None,
    )


def _is_late(result: Result) -> bool:
    """Also where there is nothing to take off."""
    return bool(result.lateness and result.lateness.late_by)


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
    """The question as one status: what is open or lost counts more than what is right."""
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
    return Section(
        question=question, items=tuple(item_view(item, pictures, language, anchor) for anchor, item in numbered)
    )


def _notices(result: Result, language: Language) -> tuple[Notice, ...]:
    told = (item for item in result.items if not is_brief(item))
    said = {text for item in told for text in (item.feedback, *(one.text for one in item.diagnoses))}
    shown = [flag for flag in result.flags if flag.id in TOLD_FLAGS and flag.message not in said]
    return tuple(_notice(flag, language) for flag in shown[:MOST_FLAGS])


def _notice(flag: Flag, language: Language) -> Notice:
    return Notice(
        message=clip(language.say(flag.message), 300),
        place=place(flag.evidence[0], language) if flag.evidence else None,
    )

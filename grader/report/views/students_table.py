"""The table of students × questions."""

from collections.abc import Sequence

from grader.frozen import Frozen
from grader.language import ENGLISH, Language
from grader.report.views.people import report_link
from grader.report.views.wording import clip, points
from grader.result import QuestionScore, Result

MOST_UPRIGHT = 12
"""As many questions fit on an upright page; with more, the table is laid across."""


class Cell(Frozen):
    """The points of one question; `open` when some of them await a person."""

    points: str
    open: bool


class StudentRow(Frozen):
    """One student. `link` leads to the student's own report; `total` and `pending` are points; those whose grading
    failed have neither cells nor total."""

    name: str
    id: str | None
    link: str
    cells: tuple[Cell, ...]
    total: str
    pending: str


class StudentsTable(Frozen):
    """`columns` are ids of questions; every row of a graded student has a cell for each."""

    columns: tuple[str, ...]
    rows: tuple[StudentRow, ...]
    upright: bool


def students_table(results: Sequence[Result], questions: Sequence[str], language: Language = ENGLISH) -> StudentsTable:
    """The table, sorted by student id."""
    ordered = sorted(results, key=lambda result: result.student.id)
    return StudentsTable(
        columns=tuple(clip(question, 8) for question in questions),
        rows=tuple(_row(result, questions, language) for result in ordered),
        upright=len(questions) <= MOST_UPRIGHT,
    )


def _row(result: Result, questions: Sequence[str], language: Language) -> StudentRow:
    scores = {question.id: question for question in result.questions}
    failed = result.error is not None
    name, id_ = clip(result.student.name, 40), clip(result.student.id, 40)
    return StudentRow(
        name=name or id_,
        id=id_ if name and name != id_ else None,
        link=report_link(result.student.id),
        cells=() if failed else tuple(_cell(scores.get(question), language) for question in questions),
        total="" if failed else points(result.score, language),
        pending=points(result.pending, language) if result.pending and not failed else "",
    )


def _cell(score: QuestionScore | None, language: Language) -> Cell:
    if score is None:
        return Cell(points="–", open=False)
    return Cell(points=points(score.score, language), open=score.pending > 0)

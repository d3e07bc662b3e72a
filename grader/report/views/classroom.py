"""What the instructor's report of a class shows."""

from collections.abc import Sequence
from decimal import Decimal

from grader.cohort.distribution import Distribution
from grader.cohort.statistics import ClassSummary
from grader.cohort.tallies import ItemTally, QuestionTally
from grader.frozen import Frozen
from grader.report.views.attention import Attention, Trouble, attention
from grader.report.views.discrimination import discrimination
from grader.report.views.glance import Glance, glance
from grader.report.views.marks import MARKS, Mark
from grader.report.views.overridden import overridden
from grader.report.views.students_table import StudentsTable, students_table
from grader.report.views.wording import clip, counted, percent, points, width
from grader.result import Result


class Figure(Frozen):
    """A number and what it counts."""

    value: str
    label: str


class Bar(Frozen):
    """A bar of the histogram: the scores it stands for, how many there are, its height in CSS percent."""

    label: str
    count: str
    height: str


class QuestionLine(Frozen):
    """A question's mean share of the decided points, in words and as a length in CSS percent."""

    id: str
    title: str
    max_score: str
    share: str
    length: str
    discrimination: str
    pending: str


class ItemLine(Frozen):
    """An item's mean share and how many students have each status, in the order of `ClassView.marks`."""

    id: str
    title: str
    share: str
    counts: tuple[str, ...]


class ClassView(Frozen):
    """The whole report of a class."""

    lab: str
    figures: tuple[Figure, ...]
    spread: tuple[Figure, ...]
    pending: str | None
    glance: Glance
    bars: tuple[Bar, ...]
    questions: tuple[QuestionLine, ...]
    marks: tuple[Mark, ...]
    items: tuple[ItemLine, ...]
    table: StudentsTable
    attention: Attention
    overrides: tuple[Trouble, ...]


def class_view(results: Sequence[Result], summary: ClassSummary) -> ClassView:
    """The view of a class of any size, also an empty one."""
    return ClassView(
        lab=clip(summary.lab.title, 120) if summary.lab else "No submissions",
        figures=_figures(summary),
        spread=_spread(summary.scores),
        pending=_pending(summary.scores),
        glance=glance(results, summary),
        bars=_bars(summary.scores),
        questions=tuple(_question(tally, results) for tally in summary.questions),
        marks=tuple(MARKS.values()),
        items=tuple(map(_item, summary.items)),
        table=students_table(results, [question.id for question in summary.questions]),
        attention=attention(summary),
        overrides=overridden(results),
    )


def _figures(summary: ClassSummary) -> tuple[Figure, ...]:
    counts = summary.counts
    return (
        Figure(value=str(counts.students), label="student" if counts.students == 1 else "students"),
        Figure(value=str(counts.graded), label="graded"),
        Figure(value=str(counts.needing_review), label="to review"),
        Figure(value=str(counts.failed), label="not graded"),
    )


def _spread(scores: Distribution) -> tuple[Figure, ...]:
    named = (("lowest", scores.min), ("median", scores.median), ("mean", scores.mean), ("highest", scores.max))
    return tuple(Figure(value="–" if value is None else points(value), label=label) for label, value in named)


def _pending(scores: Distribution) -> str | None:
    if not scores.pending:
        return None
    return (
        f"Scores count decided points only: {counted(scores.pending, 'point')} of "
        f"{counted(scores.students_pending, 'student')} await a person and may still raise them."
    )


def _bars(scores: Distribution) -> tuple[Bar, ...]:
    highest = max((one.count for one in scores.bins), default=0)
    return tuple(
        Bar(
            label=f"{points(one.low)}–{points(one.high)}",
            count=str(one.count) if one.count else "",
            height=width(Decimal(one.count), Decimal(highest)),
        )
        for one in scores.bins
    )


def _question(tally: QuestionTally, results: Sequence[Result]) -> QuestionLine:
    return QuestionLine(
        id=clip(tally.id, 12),
        title=clip(tally.title, 90),
        max_score=points(tally.max_score),
        share=percent(tally.share),
        length=width(Decimal(str(tally.share or 0)), Decimal(1)),
        discrimination=_discrimination(discrimination(results, tally.id)),
        pending=points(tally.pending) if tally.pending else "",
    )


def _discrimination(value: float | None) -> str:
    return "–" if value is None else f"{value:.2f}".replace("-", "−")


def _item(tally: ItemTally) -> ItemLine:
    counts = tuple(str(tally.statuses[status] or "·") for status in MARKS)
    return ItemLine(id=clip(tally.id, 40), title=clip(tally.title, 100), share=percent(tally.share), counts=counts)

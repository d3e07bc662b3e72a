"""What the instructor's report of a class shows."""

from collections.abc import Mapping, Sequence
from decimal import Decimal
from types import MappingProxyType

from grader.cohort.distribution import Distribution
from grader.cohort.statistics import ClassSummary
from grader.cohort.tallies import ItemTally, QuestionTally
from grader.frozen import Frozen
from grader.language import ENGLISH, Language
from grader.message import Message, say, say_number
from grader.report.pictures import Place, Shown
from grader.report.views.alike import Alike, alike
from grader.report.views.attention import Attention, Trouble, attention
from grader.report.views.glance import Glance, glance
from grader.report.views.marks import MARKS, Mark, mark
from grader.report.views.matrix import Matrix, Sign, legend, matrices
from grader.report.views.misconceptions import Misconceptions, misconceptions_view
from grader.report.views.overridden import overridden
from grader.report.views.people import students
from grader.report.views.presence import Changes, Presence, changes, presence
from grader.report.views.scatter import Scatter, scatters
from grader.report.views.wording import clip, counted_points, percent, points, width
from grader.result import Result

NO_PICTURES: Mapping[Place, Shown] = MappingProxyType({})


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
    """An item's mean share, its discrimination, and how many students have each status, in the order of
    `ClassView.marks`."""

    id: str
    title: str
    question: str
    share: str
    discrimination: str
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
    legend: tuple[Sign, ...]
    matrices: tuple[Matrix, ...]
    presence: Presence
    changes: Changes
    misconceptions: Misconceptions
    scatters: tuple[Scatter, ...]
    attention: Attention
    alike: Alike
    overrides: tuple[Trouble, ...]


def class_view(
    results: Sequence[Result],
    summary: ClassSummary,
    language: Language = ENGLISH,
    pictures: Mapping[Place, Shown] = NO_PICTURES,
) -> ClassView:
    """The view of a class of any size, also an empty one. `pictures` are by `misconceptions.class_place`."""
    graded = [result for result in results if result.error is None]
    titles = {question.id: language.say(question.title) for question in summary.questions}
    return ClassView(
        lab=clip(language.say(summary.lab.title if summary.lab else say("No submissions")), 120),
        figures=_figures(summary, language),
        spread=_spread(summary.scores, language),
        pending=language.say(_pending(summary.scores)) if summary.scores.pending else None,
        glance=glance(results, summary, language),
        bars=_bars(summary.scores, language),
        questions=tuple(_question(tally, language) for tally in summary.questions),
        marks=tuple(mark(status, language) for status in MARKS),
        items=tuple(_item(tally, titles.get(tally.question, ""), language) for tally in summary.items),
        legend=legend(language),
        matrices=matrices(results, summary.items, language),
        presence=presence(summary, language),
        changes=changes(summary.changes, language),
        misconceptions=misconceptions_view(summary.misconceptions, graded, len(graded), pictures, language),
        scatters=scatters(summary.accuracies, language),
        attention=attention(summary, language),
        alike=alike(summary, language),
        overrides=overridden(results, language),
    )


def _figures(summary: ClassSummary, language: Language) -> tuple[Figure, ...]:
    counts = summary.counts
    labelled = (
        (counts.students, say_number("student", "students", counts.students)),
        (counts.graded, say("graded")),
        (counts.needing_review, say("to review")),
        (counts.failed, say("not graded")),
        (len(summary.late), say("late")),
        (len(summary.missing), say("missing")),
    )
    shown = labelled if summary.late or summary.missing else labelled[:4]
    return tuple(Figure(value=language.number(count), label=language.say(label)) for count, label in shown)


def _spread(scores: Distribution, language: Language) -> tuple[Figure, ...]:
    named = (
        (say("lowest"), scores.min),
        (say("median"), scores.median),
        (say("mean"), scores.mean),
        (say("highest"), scores.max),
    )
    return tuple(
        Figure(value="–" if value is None else points(value, language), label=language.say(label))
        for label, value in named
    )


def _pending(scores: Distribution) -> Message:
    return say(
        "Scores count decided points only: {points} of {students} await a person and may still raise them.",
        points=counted_points(scores.pending),
        students=students(scores.students_pending),
    )


def _bars(scores: Distribution, language: Language) -> tuple[Bar, ...]:
    highest = max((one.count for one in scores.bins), default=0)
    return tuple(
        Bar(
            label=f"{points(one.low, language)}–{points(one.high, language)}",
            count=language.number(one.count) if one.count else "",
            height=width(Decimal(one.count), Decimal(highest)),
        )
        for one in scores.bins
    )


def _question(tally: QuestionTally, language: Language) -> QuestionLine:
    return QuestionLine(
        id=clip(tally.id, 12),
        title=clip(language.say(tally.title), 90),
        max_score=points(tally.max_score, language),
        share=percent(tally.share, language),
        length=width(Decimal(str(tally.share or 0)), Decimal(1)),
        discrimination=_discrimination(tally.discrimination, language),
        pending=points(tally.pending, language) if tally.pending else "",
    )


def _discrimination(value: float | None, language: Language) -> str:
    return "–" if value is None else language.number(value, ".2f").replace("-", "−")


def _item(tally: ItemTally, question: str, language: Language) -> ItemLine:
    return ItemLine(
        id=clip(tally.id, 40),
        title=clip(language.say(tally.title), 100),
        question=clip(question, 60),
        share=percent(tally.share, language),
        discrimination=_discrimination(tally.discrimination, language),
        counts=tuple(language.number(tally.statuses[status]) if tally.statuses[status] else "·" for status in MARKS),
    )

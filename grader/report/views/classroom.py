"""The instructor's report of a class; it begins with the work that is left and with doubts about the key."""

from collections.abc import Mapping, Sequence
from decimal import Decimal
from types import MappingProxyType
from typing import Final

from grader.cohort.attention import SECONDS_A_DECISION, OpenWork
from grader.cohort.likeness import SharedAnswer
from grader.cohort.statistics import Class, ClassSummary, Distribution, Example, ItemTally, Misconception, QuestionTally
from grader.frozen import Frozen
from grader.message import ENGLISH, Language, Message, say, say_number
from grader.report.pictures import PagePicture, Place, place_of
from grader.report.views.attention import (
    Attention,
    Changes,
    Presence,
    Similarities,
    Trouble,
    attention,
    changes,
    decided_for_class,
    names,
    overridden,
    presence,
    similarities,
    students,
)
from grader.report.views.class_charts import Matrix, Scatter, Sign, legend, matrices, scatters
from grader.report.views.wording import MARKS, Mark, clip, counted_points, left_out, mark, percent, place, points, width
from grader.result import Evidence

MOST_DOUBTS: Final = 3


class Doubt(Frozen):
    """An answer that many students gave and that did not earn full points: the lab may be wrong."""

    item: str
    title: str
    text: str


class Glance(Frozen):
    """The overview at the top. `work`: what a person has to decide and how long it takes; `caution`: how far the
    numbers can be trusted."""

    work: str
    doubts: tuple[Doubt, ...]
    more_doubts: str | None
    caution: str | None


def glance(of: Class, language: Language = ENGLISH) -> Glance:
    """The overview at the top of the report."""
    summary = of.summary
    return Glance(
        work=language.say(_work(of.shown.work, summary.counts.graded)),
        doubts=tuple(
            _doubt(answer, summary.counts.graded, language) for answer in summary.shared_answers[:MOST_DOUBTS]
        ),
        more_doubts=left_out(len(summary.shared_answers) - MOST_DOUBTS, "class.json", language),
        caution=language.say(summary.caution) if summary.caution else None,
    )


def _work(open_: OpenWork, graded: int) -> Message:
    if not open_.answers:
        return say("Every point is decided.") if graded else say("Nothing was graded.")
    minutes = max(round(open_.decisions * SECONDS_A_DECISION / 60), 1)
    if minutes < 90:
        duration = say_number("{number} minute", "{number} minutes", minutes)
    else:
        duration = say_number("{number} hour", "{number} hours", round(minutes / 60))
    return say(
        "{answers}, of {students}. Similar answers are decided together: about {decisions}, {time}. The review "
        "queue below begins with the most points.",
        answers=say_number("{number} answer to decide", "{number} answers to decide", open_.answers),
        students=students(open_.students),
        decisions=say_number("{number} decision", "{number} decisions", open_.decisions),
        time=duration,
    )


def _doubt(shared: SharedAnswer, graded: int, language: Language) -> Doubt:
    values = {"count": len(shared.students), "graded": graded, "answer": clip(language.say(shared.found), 90)}
    text = say("{count} of {graded} answered {answer}.", **values)
    if shared.expected:
        expected = clip(language.say(shared.expected), 90)
        text = say("{count} of {graded} answered {answer}, where {expected} is expected.", expected=expected, **values)
    return Doubt(item=clip(shared.item, 40), title=clip(language.say(shared.title), 80), text=language.say(text))


MOST: Final = 10
MOST_NAMES: Final = 6
_QUOTED: Final = 200


class MisconceptionView(Frozen):
    """A misconception. `share` is relative to the graded students; `open_` says how many of the answers are pending
    review. The example is a picture or a quote, with its place."""

    id: str
    text: str
    count: str
    share: str
    length: str
    items: str
    students: str
    open_: str | None
    picture: PagePicture | None
    quote: str | None
    place: str | None


class Misconceptions(Frozen):
    """The most frequent misconceptions."""

    shown: tuple[MisconceptionView, ...]
    more: str | None


def class_place(student: str, place: Place) -> Place:
    """The key of a student's picture among those of the class."""
    item, file, page, box = place
    return item, f"{student}/{file}", page, box


def misconceptions_view(
    of: Class, pictures: Mapping[Place, PagePicture], language: Language = ENGLISH
) -> Misconceptions:
    """The view; `pictures` are by `class_place`."""
    found, graded = of.summary.misconceptions, of.summary.counts.graded
    pictured = {
        misconception.id: _pictured(of.shown.examples.get(misconception.id, ()), pictures)
        for misconception in found[:MOST]
    }
    return Misconceptions(
        shown=tuple(
            _misconception_view(misconception, graded, pictured[misconception.id], language)
            for misconception in found[:MOST]
        ),
        more=left_out(len(found) - MOST, "class.json", language),
    )


def _pictured(
    examples: Sequence[Example], pictures: Mapping[Place, PagePicture]
) -> tuple[str, Evidence, PagePicture] | None:
    """The first example with a picture."""
    for example in examples:
        for evidence in example.evidence:
            at = place_of(example.item, evidence)
            picture = pictures.get(class_place(example.student, at)) if at else None
            if picture:
                return example.student, evidence, picture
    return None


def _misconception_view(
    misconception: Misconception, graded: int, pictured: tuple[str, Evidence, PagePicture] | None, language: Language
) -> MisconceptionView:
    student, evidence = (
        (pictured[0], pictured[1]) if pictured else (misconception.example_student, misconception.example)
    )
    share = len(misconception.students) / graded if graded else 0.0
    awaiting = say_number(
        "{number} of them is pending review", "{number} of them are pending review", misconception.undecided
    )
    return MisconceptionView(
        id=clip(misconception.id, 40),
        text=clip(language.say(misconception.text), 300),
        count=language.say(students(len(misconception.students))),
        share=percent(share, language),
        length=f"{min(share, 1.0) * 100:.2f}%",
        items=clip(", ".join(misconception.items), 90),
        students=names(misconception.students, language, MOST_NAMES),
        open_=language.say(awaiting) if misconception.undecided else None,
        picture=pictured[2] if pictured else None,
        quote=clip(evidence.quote, _QUOTED) if evidence and evidence.quote else None,
        place=f"{clip(student, 40)}, {place(evidence, language)}" if evidence else None,
    )


NO_PICTURES: Mapping[Place, PagePicture] = MappingProxyType({})


class Figure(Frozen):
    """A number and what it counts."""

    value: str
    label: str


class Bar(Frozen):
    """A bar of the histogram."""

    label: str
    count: str
    height: str


class QuestionLine(Frozen):
    """A question's mean share of the decided points, in words and as a length."""

    id: str
    title: str
    max_score: str
    share: str
    length: str
    discrimination: str
    pending: str


class ItemLine(Frozen):
    """An item's mean share, and how many students have each status, in the order of `ClassView.marks`."""

    id: str
    title: str
    question: str
    share: str
    discrimination: str
    counts: tuple[str, ...]


class ClassView(Frozen):
    """The whole report of a class. `not_in_matrices` says who is left out of them, if anybody is."""

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
    not_in_matrices: str | None
    presence: Presence
    changes: Changes
    misconceptions: Misconceptions
    scatters: tuple[Scatter, ...]
    attention: Attention
    alike: Similarities
    overrides: tuple[Trouble, ...]


def class_view(
    of: Class, language: Language = ENGLISH, pictures: Mapping[Place, PagePicture] = NO_PICTURES
) -> ClassView:
    """The view of a class of any size, also an empty one; it holds no more of a large class than of one of
    `ALL_SHOWN`. `pictures` are by `class_place`."""
    summary = of.summary
    titles = {question.id: language.say(question.title) for question in summary.questions}
    rest = summary.counts.students - len(of.shown.rows)
    not_shown = say(
        "This table shows {shown:,} students: first those with the most points pending review, then those with "
        "the fewest points. The other {rest:,} are in grades.csv; each has a report in a folder of its own.",
        shown=len(of.shown.rows),
        rest=rest,
    )
    scores = summary.scores
    pending = say(
        "Scores count decided points only; {points} of {students} are pending review and may still raise them.",
        points=counted_points(scores.pending),
        students=students(scores.students_pending),
    )
    named = (
        (say("lowest"), scores.min),
        (say("median"), scores.median),
        (say("mean"), scores.mean),
        (say("highest"), scores.max),
    )
    spread = tuple(
        Figure(value="–" if value is None else points(value, language), label=language.say(label))
        for label, value in named
    )
    return ClassView(
        lab=clip(language.say(summary.lab.title if summary.lab else say("No submissions")), 120),
        figures=_figures(summary, language),
        spread=spread,
        pending=language.say(pending) if summary.scores.pending else None,
        glance=glance(of, language),
        bars=_bars(summary.scores, language),
        questions=tuple(_question(tally, language) for tally in summary.questions),
        marks=tuple(mark(status, language) for status in MARKS),
        items=tuple(_item(tally, titles.get(tally.question, ""), language) for tally in summary.items),
        legend=legend(language),
        matrices=matrices(of.shown.rows, summary.items, language),
        not_in_matrices=language.say(not_shown) if rest else None,
        presence=presence(summary, language),
        changes=changes(summary.changes, of.shown.more_changes, language),
        misconceptions=misconceptions_view(of, pictures, language),
        scatters=scatters(summary.accuracies, language),
        attention=attention(summary, language),
        alike=similarities(summary, language),
        overrides=(
            *decided_for_class(of.shown.for_class, language),
            *overridden(of.shown.overridden, language),
        ),
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


def _bars(scores: Distribution, language: Language) -> tuple[Bar, ...]:
    highest = max((bar.count for bar in scores.bins), default=0)
    return tuple(
        Bar(
            label=f"{points(bar.low, language)}–{points(bar.high, language)}",
            count=language.number(bar.count) if bar.count else "",
            height=width(Decimal(bar.count), Decimal(highest)),
        )
        for bar in scores.bins
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

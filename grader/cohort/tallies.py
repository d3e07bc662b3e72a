"""Results of a class: each question and item, the distribution of scores, the reported averages beside the bands, and
mistakes and rejected answers that many students share.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from decimal import Decimal
from math import ceil
from statistics import StatisticsError, correlation, mean, median
from typing import Final, NamedTuple, TypeVar

from pydantic import Field

from grader.frozen import Frozen
from grader.message import Message, Words, say
from grader.result import Average, CurveBand, Diagnosis, Evidence, ItemResult, Points, QuestionScore, Result, Status

FEWEST: Final = 10
"""With fewer students, chance decides the figure, so none is given."""
CAUTION: Final = 30
"""With fewer students, the figure is shaky: its standard error is about 1 / √n, here 0.18."""


def discrimination(results: Sequence[Result], question: str) -> float | None:
    """The correlation between a question's points and those of all other questions: the corrected item–total
    correlation of classical test theory (Henrysson 1963, Psychometrika 28:211).

    Over graded students for whom the question is decided; None for fewer than `FEWEST`, or where all earned the same.
    """
    return _correlation([(result, score) for result in results for score in result.questions if score.id == question])


def item_discrimination(results: Sequence[Result], item: str) -> float | None:
    """The correlation of an item's points with those of all other items; see `discrimination`."""
    return _correlation([(result, score) for result in results for score in result.items if score.id == item])


def caution(graded: int) -> Message:
    """How far these figures can be trusted with this number of graded students."""
    if graded < FEWEST:
        return say(
            "Discrimination is not given for fewer than {fewest} students: chance would decide it.", fewest=FEWEST
        )
    if graded < CAUTION:
        return say(
            "Discrimination is the correlation of a question's points with those of all others; below 0.2, or "
            "negative, the question or its key deserves a look. With fewer than {few} students these figures are "
            "shaky.",
            few=CAUTION,
        )
    return say(
        "Discrimination is the correlation of a question's points with those of all others; below 0.2, or negative, "
        "the question or its key deserves a look."
    )


def _correlation(scored: Sequence[tuple[Result, QuestionScore | ItemResult]]) -> float | None:
    pairs = [_points(result, score) for result, score in scored if result.error is None and not score.pending]
    if len(pairs) < FEWEST:
        return None
    try:
        return correlation([own for own, _ in pairs], [rest for _, rest in pairs])
    except StatisticsError:
        return None


def _points(result: Result, score: QuestionScore | ItemResult) -> tuple[float, float]:
    everything = sum(one.score for one in result.questions)
    return float(score.score), float(everything - score.score)


Scored = TypeVar("Scored", ItemResult, QuestionScore)


class QuestionTally(Frozen):
    """One question across the class. `share` is points earned / points decided (0 to 1), None while none is decided."""

    id: str
    title: Words
    max_score: Points
    share: float | None
    pending: Points = Field(description="Points of all students together that await a person.")
    discrimination: float | None = Field(
        default=None, description="Correlation of its points with those of all others; None for small classes."
    )


class ItemTally(QuestionTally):
    """One rubric item across the class; `statuses` names every status, also those that no student has."""

    question: str
    statuses: dict[Status, int]


def question_tallies(results: Sequence[Result]) -> tuple[QuestionTally, ...]:
    """One tally per question, in the order of the lab."""
    grouped = _grouped(score for result in results for score in result.questions)
    return tuple(
        QuestionTally(
            id=id_,
            title=scores[0].title,
            max_score=scores[0].max_score,
            share=_share(scores),
            pending=_pending(scores),
            discrimination=_rounded(discrimination(results, id_)),
        )
        for id_, scores in grouped.items()
    )


def item_tallies(results: Sequence[Result]) -> tuple[ItemTally, ...]:
    """One tally per rubric item, in the order of the lab."""
    grouped = _grouped(item for result in results for item in result.items)
    return tuple(_item_tally(items, item_discrimination(results, id_)) for id_, items in grouped.items())


def _item_tally(items: Sequence[ItemResult], told_apart: float | None) -> ItemTally:
    counts = Counter(item.status for item in items)
    return ItemTally(
        id=items[0].id,
        title=items[0].title,
        question=items[0].question,
        max_score=items[0].max_score,
        share=_share(items),
        pending=_pending(items),
        discrimination=_rounded(told_apart),
        statuses={status: counts[status] for status in Status},
    )


def _grouped(scored: Iterable[Scored]) -> dict[str, list[Scored]]:
    groups: dict[str, list[Scored]] = {}
    for one in scored:
        groups.setdefault(one.id, []).append(one)
    return groups


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 3)


def _pending(scored: Sequence[ItemResult] | Sequence[QuestionScore]) -> Decimal:
    return sum((one.pending for one in scored), Decimal(0))


def _share(scored: Sequence[ItemResult] | Sequence[QuestionScore]) -> float | None:
    decided = sum((one.max_score - one.pending for one in scored), Decimal(0))
    earned = sum((one.score for one in scored), Decimal(0))
    return round(float(earned / decided), 4) if decided > 0 else None


BINS = 10
CENT = Decimal("0.01")


class Bin(Frozen):
    """How many scores lie in [low, high); the last bin holds the maximum too. Bounds in points."""

    low: Points
    high: Points
    count: int


class Distribution(Frozen):
    """The decided scores, in points; mean and median are rounded to cents and None when nothing was graded.

    `pending` are all points that await a person, and `students_pending` the students whose score they may still raise.
    """

    max_score: Points
    min: Points | None
    median: Points | None
    mean: Points | None
    max: Points | None
    bins: tuple[Bin, ...]
    pending: Points
    students_pending: int


def distribution(results: Sequence[Result]) -> Distribution:
    """The spread of the decided scores over [0, the highest maximum of all results]."""
    scores = [result.score for result in results]
    max_score = max((result.max_score for result in results), default=Decimal(0))
    return Distribution(
        max_score=max_score,
        min=min(scores, default=None),
        median=median(scores).quantize(CENT) if scores else None,
        mean=mean(scores).quantize(CENT) if scores else None,
        max=max(scores, default=None),
        bins=_bins(scores, max_score),
        pending=sum((result.pending for result in results), Decimal(0)),
        students_pending=sum(result.pending > 0 for result in results),
    )


def _bins(scores: Sequence[Decimal], max_score: Decimal) -> tuple[Bin, ...]:
    if max_score <= 0:
        return ()
    places = [_bin_index(score, max_score) for score in scores]
    width = max_score / BINS
    return tuple(Bin(low=width * i, high=width * (i + 1), count=places.count(i)) for i in range(BINS))


def _bin_index(score: Decimal, max_score: Decimal) -> int:
    """The index of a score's bin; scores outside the range count in the outermost bins."""
    return min(max(int(score * BINS / max_score), 0), BINS - 1)


UNSAID = "test"
"""The split assumed for an average whose report names none: the one that the lab asks for."""


class ReportedAverage(Frozen):
    """One student's average in percent. `split_said`: the report names the split; `stated`: the report states the
    average, rather than only the seeds' accuracies; `inside`: it lies in one of the bands."""

    student: str
    value: float
    split_said: bool
    stated: bool
    inside: bool


class ReportedAverages(Frozen):
    """All averages of one experiment on one split, by student, and the expected bands."""

    experiment: str
    title: str
    split: str
    bands: tuple[CurveBand, ...]
    averages: tuple[ReportedAverage, ...]


def reported_averages(results: Sequence[Result]) -> tuple[ReportedAverages, ...]:
    """The averages of each experiment and split with bands or averages, in the order of first occurrence."""
    bands = {band.id: band for result in results for band in result.average_bands}
    groups: dict[tuple[str, str], list[ReportedAverage]] = {}
    for result in results:
        for average in _deduplicated(result.averages):
            key = average.experiment, average.split or UNSAID
            own = _bands_of(bands.values(), *key)
            groups.setdefault(key, []).append(_reported(result.student.id, average, own))
    order = {experiment: place for place, (experiment, _) in reversed(list(enumerate(groups)))}
    return tuple(
        ReportedAverages(
            experiment=key[0],
            title=results[0].lab.called(key[0]),
            split=key[1],
            bands=_bands_of(bands.values(), *key),
            averages=tuple(groups[key]),
        )
        for key in sorted(groups, key=lambda key: (order[key[0]], key[1] != UNSAID, key[1]))
    )


def _reported(student: str, average: Average, bands: Sequence[CurveBand]) -> ReportedAverage:
    return ReportedAverage(
        student=student,
        value=average.value,
        split_said=average.split is not None,
        stated=average.stated,
        inside=any(band.low <= round(average.value, 2) <= band.high for band in bands),
    )


def _bands_of(bands: Iterable[CurveBand], experiment: str, split: str) -> tuple[CurveBand, ...]:
    """The bands of the known schedules, else those for any schedule."""
    own = [band for band in bands if (band.experiment, band.split) == (experiment, split)]
    scheduled = [band for band in own if band.schedule]
    return tuple(sorted(scheduled or own, key=lambda band: (band.schedule or 0, band.id)))


def _deduplicated(averages: Sequence[Average]) -> list[Average]:
    """One average for each experiment and split. An average without a split is left out where the report gives one with
    a split."""
    said = {(one.experiment, one.split) for one in averages if one.split}
    return [one for one in averages if one.split or (one.experiment, UNSAID) not in said]


class Misconception(Frozen):
    """A diagnosis and who has it, the most frequent of its sentences, and one place where it shows.

    `undecided` of the students' answers await a person. `example_student` is empty where no place is known.
    """

    id: str
    text: Words
    items: tuple[str, ...]
    students: tuple[str, ...]
    undecided: int
    example_student: str = ""
    example: Evidence | None = None


class Case(NamedTuple):
    """A diagnosis of one student's item that did not earn all its points."""

    result: Result
    item: ItemResult
    diagnosis: Diagnosis


def misconceptions(results: Sequence[Result]) -> tuple[Misconception, ...]:
    """All misconceptions, the most frequent first. A diagnosis of a correct answer is not one."""
    groups: dict[str, list[Case]] = {}
    for case in cases(results):
        groups.setdefault(case.diagnosis.id, []).append(case)
    found = [_misconception(id_, group) for id_, group in groups.items()]
    return tuple(sorted(found, key=lambda one: (-len(one.students), one.id)))


def telling_first(group: Iterable[Case]) -> list[Case]:
    """The cases, the clearest examples first: answers with no other diagnosis, then by student."""
    return sorted(group, key=lambda case: (len(case.item.diagnoses), case.result.student.id, case.item.id))


def cases(results: Iterable[Result]) -> Iterator[Case]:
    """The diagnoses of all answers that did not earn all their points, in the order of the results."""
    for result in results:
        for item in result.items:
            if item.status is not Status.CORRECT:
                yield from (Case(result, item, diagnosis) for diagnosis in item.diagnoses)


def _misconception(id_: str, group: Sequence[Case]) -> Misconception:
    texts = Counter(case.diagnosis.text for case in group)
    usual = max(texts, key=lambda text: texts[text])
    placed = telling_first(case for case in group if case.item.evidence)
    shown = next((case for case in placed if case.diagnosis.text == usual), placed[0] if placed else None)
    return Misconception(
        id=id_,
        text=usual,
        items=tuple(dict.fromkeys(case.item.id for case in group)),
        students=tuple(dict.fromkeys(case.result.student.id for case in group)),
        undecided=len({case.result.student.id for case in group if case.item.pending > 0}),
        example_student=shown.result.student.id if shown else "",
        example=shown.item.evidence[0] if shown else None,
    )


_FEWEST: Final = 3
_SHARE: Final = 0.2
"""Least share of the class: fewer students may make the same mistake by chance, or copy it from each other."""

_LOST: Final = (Status.INCORRECT, Status.PARTIAL)


class SharedAnswer(Frozen):
    """An answer to one rubric item that several students gave and that did not earn full points."""

    item: str
    title: Words
    found: Words
    expected: Words | None
    students: tuple[str, ...]
    meaning: Words


def shared_answers(results: Sequence[Result]) -> tuple[SharedAnswer, ...]:
    """The shared answers, the most frequent first. Pending answers count unless full points are suggested."""
    groups: dict[tuple[str, str], list[str]] = {}
    titles: dict[str, tuple[str, str | None]] = {}
    for result in results:
        for item in result.items:
            verdict = item.suggestion if item.status is Status.REVIEW else item.status
            if item.found and verdict in _LOST:
                groups.setdefault((item.id, item.found), []).append(result.student.id)
                titles.setdefault(item.id, (item.title, item.expected))
    fewest = max(_FEWEST, ceil(_SHARE * len(results)))
    found = [
        SharedAnswer(
            item=item,
            title=titles[item][0],
            found=answer,
            expected=titles[item][1],
            students=tuple(students),
            meaning=say(
                "{count} of {students} students gave this answer. Before grades go out, see whether the key or the "
                "wording of the question is wrong.",
                count=len(students),
                students=len(results),
            ),
        )
        for (item, answer), students in groups.items()
        if len(students) >= fewest
    ]
    return tuple(sorted(found, key=lambda one: (-len(one.students), one.item, one.found)))

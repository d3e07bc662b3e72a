"""The summary of a class, as `class.json` holds it: each question and item, the distribution of scores, the reported
averages beside the bands, and mistakes that many students share; each summed up one result after the other. Keys are
stable; additions are allowed.
"""

import heapq
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date
from decimal import Decimal
from itertools import accumulate
from typing import Any, Final, Literal, NamedTuple

from pydantic import Field

from grader.cohort.attention import (
    MOST_CHANGES,
    Absent,
    Audit,
    AuditResult,
    Audits,
    Change,
    Failure,
    Flags,
    FlagTally,
    LateStudent,
    OpenWork,
    Queue,
    ReviewGroup,
    UnreadFile,
    is_too_late,
    late_student,
    unread_files,
)
from grader.cohort.likeness import Answers, HandIns, Series, SharedAnswer, SharedSeries, Similarity, Texts
from grader.cohort.rows import Many, MappedSequence, Rows, Store, json_pieces
from grader.frozen import Frozen
from grader.message import Message, Words, say
from grader.result import (
    MAXIMUM,
    AppliedOverride,
    CurveBand,
    Evidence,
    ItemResult,
    LabReference,
    Points,
    Quantity,
    QuestionScore,
    Result,
    Status,
    is_confirmed,
)

FEWEST: Final = 10
"""With fewer students, chance decides the figure, so none is given."""
CAUTION: Final = 30
"""With fewer students, the figure is shaky: its standard error is about 1 / √n, here 0.18."""


class _Moments:
    """The sums from which the correlation of an item's points with all others follows. Points are decimals, so that the
    sums are exact, however many there are."""

    def __init__(self) -> None:
        self._count = 0
        self._own = self._rest = self._own_squared = self._rest_squared = self._both = Decimal(0)

    def add(self, own_value: Decimal, rest: Decimal) -> None:
        """One more student."""
        self._count += 1
        self._own += own_value
        self._rest += rest
        self._own_squared += own_value * own_value
        self._rest_squared += rest * rest
        self._both += own_value * rest

    @property
    def correlation(self) -> float | None:
        """None for few students, or where all earned the same."""
        own_value = self._count * self._own_squared - self._own**2
        rest = self._count * self._rest_squared - self._rest**2
        if self._count < FEWEST or own_value <= 0 or rest <= 0:
            return None
        return float((self._count * self._both - self._own * self._rest) / (own_value.sqrt() * rest.sqrt()))


def caution(graded: int) -> Message:
    """Return a message that says how far these figures can be trusted with this number of graded students."""
    if graded < FEWEST:
        return say(
            "Discrimination is not given for fewer than {fewest} students: chance would decide it.", fewest=FEWEST
        )
    if graded < CAUTION:
        return say(
            "Discrimination is the correlation between the points of a question and those of all others. If it is "
            "below 0.2, check the question and its right answer. With fewer than {few} students, it is unreliable.",
            few=CAUTION,
        )
    return say(
        "Discrimination is the correlation between the points of a question and those of all others. If it is below "
        "0.2, check the question and its right answer."
    )


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


class _Score:
    """One question or item, its points summed up over the class."""

    def __init__(self, first: QuestionScore | ItemResult) -> None:
        self.title, self.max_score = first.title, first.max_score
        self.question = first.question if isinstance(first, ItemResult) else ""
        self.pending = self._decided = self._earned = Decimal(0)
        self.statuses: Counter[Status] = Counter()
        self._moments = _Moments()

    def add(self, result: QuestionScore | ItemResult, all_points: Decimal) -> None:
        """One more student, who earned `all_points` in all questions."""
        self.pending += result.pending
        self._decided += result.max_score - result.pending
        self._earned += result.score
        if isinstance(result, ItemResult):
            self.statuses[result.status] += 1
        if not result.pending:
            self._moments.add(result.score, all_points - result.score)

    def figures(self) -> dict[str, Any]:
        """Return the figures of a tally. Discrimination is the correlation of its points with the points of all others,
        over the students for whom it is decided; the corrected item–total correlation of classical test theory
        (Henrysson 1963, Psychometrika 28:211)."""
        discrimination = self._moments.correlation
        return {
            "title": self.title,
            "max_score": self.max_score,
            "share": round(float(self._earned / self._decided), 4) if self._decided > 0 else None,
            "pending": self.pending,
            "discrimination": None if discrimination is None else round(discrimination, 3),
        }


class Scores:
    """The questions and the items of a class, summed up one graded result after the other."""

    def __init__(self) -> None:
        self._questions: dict[str, _Score] = {}
        self._items: dict[str, _Score] = {}

    def add(self, result: Result) -> None:
        """One more graded student."""
        all_points = sum((candidate.score for candidate in result.questions), Decimal(0))
        for question in result.questions:
            self._questions.setdefault(question.id, _Score(question)).add(question, all_points)
        for item in result.items:
            self._items.setdefault(item.id, _Score(item)).add(item, all_points)

    def questions(self) -> tuple[QuestionTally, ...]:
        """One tally per question, in the order of the lab."""
        return tuple(QuestionTally(id=id_, **score.figures()) for id_, score in self._questions.items())

    def items(self) -> tuple[ItemTally, ...]:
        """One tally per rubric item, in the order of the lab."""
        return tuple(
            ItemTally(
                id=id_,
                question=score.question,
                statuses={status: score.statuses[status] for status in Status},
                **score.figures(),
            )
            for id_, score in self._items.items()
        )


BINS = 10
CENT = Decimal("0.01")


class Bin(Frozen):
    """The number of scores in [low, high); the last bin includes the maximum. Bounds are in points."""

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


class Spread:
    """The spread of the decided scores over [0, the highest maximum of all results], one result after the other."""

    def __init__(self) -> None:
        self._scores: Counter[Decimal] = Counter()
        self._highest = self._pending = Decimal(0)
        self._students_pending = 0

    def add(self, result: Result) -> None:
        """One more graded student."""
        self._scores[result.score] += 1
        self._highest = max(self._highest, result.max_score)
        self._pending += result.pending
        self._students_pending += result.pending > 0

    def distribution(self) -> Distribution:
        """The whole."""
        scores, count = sorted(self._scores), self._scores.total()
        total = sum((score * times for score, times in self._scores.items()), Decimal(0))
        return Distribution(
            max_score=self._highest,
            min=scores[0] if scores else None,
            median=self._median(scores).quantize(CENT) if scores else None,
            mean=(total / count).quantize(CENT) if scores else None,
            max=scores[-1] if scores else None,
            bins=_bins(self._scores, self._highest),
            pending=self._pending,
            students_pending=self._students_pending,
        )

    def _median(self, ordered: Sequence[Decimal]) -> Decimal:
        upto = list(accumulate(self._scores[score] for score in ordered))
        lower, upper = ((upto[-1] - 1) // 2, upto[-1] // 2)
        return (ordered[bisect_right(upto, lower)] + ordered[bisect_right(upto, upper)]) / 2


def _bins(scores: Mapping[Decimal, int], max_score: Decimal) -> tuple[Bin, ...]:
    if max_score <= 0:
        return ()
    counts: Counter[int] = Counter()
    for score, times in scores.items():
        counts[min(max(int(score * BINS / max_score), 0), BINS - 1)] += times
    width = max_score / BINS
    return tuple(Bin(low=width * i, high=width * (i + 1), count=counts[i]) for i in range(BINS))


class ReportedAverage(Frozen):
    """One student's average. `split_said`: the report names the split; `stated`: the report states the average, rather
    than only the single values; `inside`: it lies in one of the bands."""

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
    quantity: Quantity = Quantity()
    bands: tuple[CurveBand, ...]
    averages: Many[ReportedAverage]


class Averages:
    """The reported averages, one result after the other."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._groups: dict[tuple[str, str], Rows[ReportedAverage]] = {}
        self._bands: dict[str, CurveBand] = {}
        self._titles: dict[str, str] = {}
        self._asked: dict[str, tuple[str, Quantity]] = {}

    def add(self, result: Result) -> None:
        """One more graded student."""
        for band in result.average_bands:
            self._bands.setdefault(band.id, band)
        # An average without a split is left out where the report gives one with a split.
        split_averages = {(candidate.experiment, candidate.split) for candidate in result.averages if candidate.split}
        for average in result.averages:
            if not average.split and (average.experiment, average.asked) in split_averages:
                continue
            key = average.experiment, average.split or average.asked
            self._asked.setdefault(average.experiment, (average.asked, average.quantity))
            self._titles.setdefault(average.experiment, result.lab.experiment_title(average.experiment))
            if key not in self._groups:
                self._groups[key] = self._store.rows(ReportedAverage)
            row = ReportedAverage(
                student=result.student.id,
                value=average.value,
                split_said=average.split is not None,
                stated=average.stated,
                inside=False,
            )
            self._groups[key].add(row)

    def reported_averages(self) -> tuple[ReportedAverages, ...]:
        """All of them, in the order of first occurrence."""
        order = {experiment: place for place, (experiment, _) in reversed(list(enumerate(self._groups)))}
        ordered = sorted(self._groups, key=lambda key: (order[key[0]], key[1] != self._asked[key[0]][0], key[1]))
        return tuple(self._of(key) for key in ordered)

    def _of(self, key: tuple[str, str]) -> ReportedAverages:
        # The bands of the known schedules, else those for any schedule.
        own_curve_bands = [band for band in self._bands.values() if (band.experiment, band.split) == key]
        scheduled = [band for band in own_curve_bands if band.schedule]
        bands = tuple(sorted(scheduled or own_curve_bands, key=lambda band: (band.schedule or 0, band.id)))

        def held_against(average: ReportedAverage) -> ReportedAverage:
            inside = any(band.low <= round(average.value, 2) <= band.high for band in bands)
            return average.model_copy(update={"inside": inside})

        held = MappedSequence(self._groups[key], held_against)
        return ReportedAverages(
            experiment=key[0],
            title=self._titles[key[0]],
            split=key[1],
            quantity=self._asked[key[0]][1],
            bands=bands,
            averages=held if self._store.database else tuple(held),
        )


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


class Example(NamedTuple):
    """A place where a diagnosis shows: the clearer, the fewer `others` the answer has."""

    others: int
    student: str
    item: str
    evidence: tuple[Evidence, ...]

    @property
    def rank(self) -> tuple[int, str, str]:
        """The clearest example is the lowest: an answer with no other diagnosis, then by student."""
        return self[:3]


MOST_EXAMPLES: Final = 3
_MOST_SENTENCES: Final = 200
"""Different sentences of one diagnosis that are counted: they hold students' own figures, so a large class has as many
as students."""


class _Diagnosed:
    """All answers with one diagnosis."""

    def __init__(self) -> None:
        self.texts: Counter[str] = Counter()
        self.items: dict[str, None] = {}
        self.students: list[str] = []
        self.undecided = 0
        self.on_pages: list[Example] = []
        self._first: Example | None = None
        self._of_text: dict[str, Example] = {}
        self._last_undecided = ""

    def add(self, student: str, item: ItemResult, text: str) -> None:
        """One more answer; those of one student come one after the other."""
        counts = text in self.texts or len(self.texts) < _MOST_SENTENCES
        self.texts[text] += counts
        self.items.setdefault(item.id)
        if not self.students or self.students[-1] != student:
            self.students.append(student)
        if item.pending > 0 and self._last_undecided != student:
            self._last_undecided = student
            self.undecided += 1
        if not item.evidence:
            return
        new_example = Example(len(item.diagnoses), student, item.id, item.evidence)
        self._first = _clearer(self._first, new_example)
        if counts:
            self._of_text[text] = _clearer(self._of_text.get(text), new_example)
        if item.evidence[0].page is not None and item.evidence[0].box is not None:
            self.on_pages = sorted([*self.on_pages, new_example], key=lambda example: example.rank)[:MOST_EXAMPLES]

    def misconception(self, id_: str) -> Misconception:
        """The misconception, with the sentence that most have."""
        usual = max(self.texts, key=lambda text: self.texts[text])
        shown = self._of_text.get(usual, self._first)
        return Misconception(
            id=id_,
            text=usual,
            items=tuple(self.items),
            students=tuple(self.students),
            undecided=self.undecided,
            example_student=shown.student if shown else "",
            example=shown.evidence[0] if shown else None,
        )


def _clearer(example: Example | None, other: Example) -> Example:
    return other if example is None or other.rank < example.rank else example


class Diagnoses:
    """The diagnoses of all answers that did not earn all their points, one result after the other. Results of one
    student come one after the other."""

    def __init__(self) -> None:
        self._found: dict[str, _Diagnosed] = {}

    def add(self, result: Result) -> None:
        """One more graded student."""
        for item in result.items:
            if item.status is not Status.CORRECT:
                for diagnosis in item.diagnoses:
                    self._found.setdefault(diagnosis.id, _Diagnosed()).add(result.student.id, item, diagnosis.text)

    def misconceptions(self) -> tuple[Misconception, ...]:
        """All misconceptions, the most frequent first. A diagnosis of a correct answer is not one."""
        found = [tally.misconception(id_) for id_, tally in self._found.items()]
        return tuple(sorted(found, key=lambda misconception: (-len(misconception.students), misconception.id)))

    def on_pages(self) -> dict[str, tuple[Example, ...]]:
        """The clearest places on pages, by diagnosis."""
        return {id_: tuple(tally.on_pages) for id_, tally in self._found.items()}


class Counts(Frozen):
    """The numbers of students. Each student is either graded or failed; a graded one may also need review."""

    students: int
    graded: int
    failed: int
    needing_review: int


class ClassSummary(Frozen):
    """The summary of a class. Submissions whose grading failed are listed under `failures` and left out of scores,
    tallies and review queue; everything else covers every student.
    """

    schema_version: Literal[1] = Field(default=1, alias="schema")
    lab: LabReference | None
    counts: Counts
    scores: Distribution
    questions: tuple[QuestionTally, ...]
    items: tuple[ItemTally, ...]
    review_queue: tuple[ReviewGroup, ...]
    audits: tuple[Audit, ...] = Field(default=(), description="Automatic verdicts that a person looks at all the same.")
    audit_results: tuple[AuditResult, ...] = Field(default=(), description="What such looks have found.")
    flags: tuple[FlagTally, ...]
    unread_files: Many[UnreadFile]
    failures: Many[Failure]
    similarity: Similarity
    shared_series: tuple[SharedSeries, ...] = ()
    shared_answers: tuple[SharedAnswer, ...] = ()
    misconceptions: tuple[Misconception, ...] = ()
    accuracies: tuple[ReportedAverages, ...] = ()
    caution: Words = Field(default="", description="How far the figures of discrimination can be trusted.")
    late: Many[LateStudent] = ()
    missing: tuple[Absent, ...] = Field(default=(), description="Students on the roster without a submission.")
    empty: tuple[str, ...] = Field(default=(), description="Students whose submission holds no file.")
    changes: Many[Change] = Field(default=(), description="Since the class was graded last.")
    unprotected: tuple[str, ...] = Field(
        default=(),
        description="What was not kept from the processes that read the submissions, where something was not.",
    )

    def to_json(self) -> str:
        """The text of `class.json`: the same results, in any order, always give the same bytes."""
        return "".join(self.pieces())

    def pieces(self) -> Iterator[str]:
        """The same text in pieces: that of a large class does not fit into memory."""
        yield from json_pieces(self)
        yield "\n"


class StudentRow(NamedTuple):
    """A student in short: the status of each item by its id, none where the grader `failed`."""

    student: str
    name: str
    failed: bool
    score: Decimal
    pending: Decimal
    statuses: Mapping[str, Status]


class Overridden(NamedTuple):
    """An item that a person decided."""

    student: str
    item: str
    score: Decimal
    max_score: Decimal
    put: AppliedOverride


class ForClass(NamedTuple):
    """A decision for the whole class as an item shows it; where it says what the item is worth, `score` is 0."""

    item: str
    scope: str
    score: Decimal
    max_score: Decimal
    reason: str
    author: str
    day: date


def for_class_in(result: Result) -> Iterator[ForClass]:
    """Yield the decisions for the whole class that show in a result."""
    for item in result.items:
        if put := item.worth:
            by = (put.reason, put.author, put.date)
            yield ForClass(item.id, MAXIMUM, Decimal(0), item.max_score, *by)
        if (own_override := item.override) and own_override.scope:
            yield ForClass(
                item.id,
                own_override.scope,
                item.score,
                item.max_score,
                own_override.reason,
                own_override.author,
                own_override.date,
            )


class ReportParts(NamedTuple):
    """The parts of a class report beside the summary. `rows` are all students, or, for a large class, the `MOST_SHOWN`
    with the most points that await a person, then those with the fewest points; ordered by student. `overridden` are
    the first overrides, outdated ones before others; `for_class` pairs each decision for the whole class with the
    number of students that it changes; `more_changes` is the number of changes beyond the first `MOST_CHANGES`.
    `examples` are places on pages, by diagnosis, the clearest first."""

    rows: tuple[StudentRow, ...]
    work: OpenWork
    overridden: tuple[Overridden, ...]
    for_class: tuple[tuple[ForClass, int], ...]
    more_changes: int
    examples: Mapping[str, tuple[Example, ...]]


class Class(NamedTuple):
    """The summary of a class, and what a report shows beside it."""

    summary: ClassSummary
    shown: ReportParts


ALL_SHOWN: Final = 2_500
"""Up to so many students a report shows all of them."""
MOST_SHOWN: Final = 500
MOST_OVERRIDDEN: Final = 20


def of_class(results: Iterable[Result], **more: Any) -> Class:
    """Return the data of a class report, from results in any order; see `summarise_results`."""
    return summarise_results(sorted(results, key=lambda result: (result.student.id, result.submission.sha256)), **more)


def summarise_results(
    results: Iterable[Result],
    *,
    missing: Sequence[Absent] = (),
    changes: Sequence[Change] = (),
    unprotected: Iterable[str] = (),
) -> Class:
    """The summary of any number of results, also none, each of which is looked at once and then forgotten; they come
    by student.

    `missing` are students on the roster without a hand-in, `changes` the differences from the previous run,
    `unprotected` the layers of protection that were unavailable while hand-ins were read.
    """
    parts = _Gathering()
    for result in results:
        parts.add(result)
    return parts.build_class(missing, changes, unprotected)


class _Gathering:
    """All that is counted, one result after the other."""

    def __init__(self) -> None:
        self._store = store = Store()
        self._lab: LabReference | None = None
        self._students = self._graded = self._needing_review = 0
        self._spread, self._scores, self._diagnoses, self._answers = Spread(), Scores(), Diagnoses(), Answers()
        self._queue, self._audits, self._averages = Queue(store), Audits(store), Averages(store)
        self._hand_ins, self._texts, self._series, self._flags = HandIns(), Texts(), Series(), Flags(store)
        self._unread, self._failures = store.rows(UnreadFile), store.rows(Failure)
        self._late = store.rows(LateStudent)
        self._empty: list[str] = []
        self._rows: list[StudentRow] = []
        self._overridden: list[Overridden] = []
        self._for_class: Counter[ForClass] = Counter()
        self._is_large = False

    def add(self, result: Result) -> None:
        """One more student."""
        self._students += 1
        self._lab = self._lab or result.lab
        for tally in (self._hand_ins, self._texts, self._series, self._flags):
            tally.add(result)
        for file in unread_files(result):
            self._unread.add(file)
        if late := late_student(result):
            self._late.add(late, f"{_LATEST - late.late_by:015}\0{late.student}")
        if result.error is None:
            self._add_graded(result)
        else:
            self._failures.add(Failure(student=result.student.id, name=result.student.name, reason=result.error))
        self._rows.append(_student_row(result))
        self._overridden += [
            Overridden(result.student.id, item.id, item.score, item.max_score, put)
            for item in result.items
            if not is_confirmed(item) and (put := item.override or item.earlier) and not put.scope
        ]
        self._for_class.update(for_class_in(result))
        self._keep_few()

    def _add_graded(self, result: Result) -> None:
        self._graded += 1
        self._needing_review += result.needs_review
        for tally in (self._spread, self._scores, self._diagnoses, self._answers, self._audits, self._averages):
            tally.add(result)
        if not is_too_late(result):
            self._queue.add(result)
        if not result.submission.files:
            self._empty.append(result.student.id)

    def _keep_few(self) -> None:
        if len(self._rows) > (ALL_SHOWN + MOST_SHOWN if not self._is_large else 2 * MOST_SHOWN):
            self._is_large = True
            self._rows = _most_urgent(self._rows)
        if len(self._overridden) > 10 * MOST_OVERRIDDEN:
            self._overridden = _first_overridden(self._overridden)

    def build_class(self, missing: Sequence[Absent], changes: Sequence[Change], unprotected: Iterable[str]) -> Class:
        """The class."""
        summary = ClassSummary(
            lab=self._lab,
            counts=Counts(
                students=self._students,
                graded=self._graded,
                failed=self._students - self._graded,
                needing_review=self._needing_review,
            ),
            scores=self._spread.distribution(),
            questions=self._scores.questions(),
            items=self._scores.items(),
            review_queue=self._queue.groups(),
            audits=tuple(audit for audit in self._audits.sample() if not audit.is_done),
            audit_results=self._audits.results(),
            flags=self._flags.tallies(),
            unread_files=self._unread.as_sequence(),
            failures=self._failures.as_sequence(),
            similarity=Similarity(identical_submissions=self._hand_ins.identical(), texts=self._texts.similar_groups()),
            shared_series=self._series.shared_series(),
            shared_answers=self._answers.shared_answers(),
            misconceptions=self._diagnoses.misconceptions(),
            accuracies=self._averages.reported_averages(),
            caution=caution(self._graded),
            late=self._late.as_sequence(),
            missing=tuple(sorted(missing, key=lambda entry: (entry.name, entry.id))),
            empty=tuple(self._empty),
            changes=tuple(changes),
            unprotected=tuple(sorted(unprotected)),
        )
        rows = _most_urgent(self._rows) if self._students > ALL_SHOWN else self._rows
        shown = ReportParts(
            rows=tuple(_told_apart(rows, Counter(row.name for row in self._rows))),
            work=self._queue.work(),
            overridden=tuple(_first_overridden(self._overridden)),
            for_class=tuple(sorted(self._for_class.items())),
            more_changes=max(len(changes) - MOST_CHANGES, 0),
            examples=self._diagnoses.on_pages(),
        )
        return Class(summary, shown)


_LATEST: Final = 10**14


def _student_row(result: Result) -> StudentRow:
    return StudentRow(
        student=result.student.id,
        name=result.student.name or result.student.id,
        failed=result.error is not None,
        score=result.score,
        pending=result.pending,
        statuses={item.id: item.status for item in result.items},
    )


def _told_apart(rows: Iterable[StudentRow], names: Mapping[str, int]) -> Iterator[StudentRow]:
    """The rows; a name that several students have is followed by the student's id."""
    return (row._replace(name=f"{row.name} ({row.student})") if names[row.name] > 1 else row for row in rows)


def _most_urgent(rows: Sequence[StudentRow]) -> list[StudentRow]:
    urgent = heapq.nsmallest(
        MOST_SHOWN, rows, key=lambda candidate: (-candidate.pending, candidate.score, candidate.student)
    )
    return sorted(urgent, key=lambda row: row.student)


def _first_overridden(found: Sequence[Overridden]) -> list[Overridden]:
    return sorted(found, key=lambda override: (not override.put.stale, override.student))[:MOST_OVERRIDDEN]

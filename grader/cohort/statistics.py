"""The summary of a class, as `class.json` holds it. Keys are stable; additions are allowed."""

import heapq
from collections.abc import Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
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
from grader.cohort.rows import Many, Store, json_pieces
from grader.cohort.tallies import (
    Averages,
    Diagnoses,
    Distribution,
    Example,
    ItemTally,
    Misconception,
    QuestionTally,
    ReportedAverages,
    Scores,
    Spread,
    caution,
)
from grader.frozen import Frozen
from grader.message import Words
from grader.result import AppliedOverride, LabReference, Result, Status


class Counts(Frozen):
    """How many students there are. Each is either graded or failed; a graded one may also need review."""

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
    missing: tuple[Absent, ...] = Field(default=(), description="Students on the roster without a hand-in.")
    empty: tuple[str, ...] = Field(default=(), description="Students whose hand-in holds no file.")
    changes: Many[Change] = Field(default=(), description="Since the class was graded last.")
    unprotected: tuple[str, ...] = Field(
        default=(), description="What was not kept from the processes that read the hand-ins, where something was not."
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


class Shown(NamedTuple):
    """What a report of the class shows beside the summary. `rows` are all students, or of a large class the
    `MOST_SHOWN` for whom most points await a person, then those with the fewest points; by student. `overridden` are
    the first, outdated ones before others; `more_changes` are those beyond the first `MOST_CHANGES`. `examples` are
    places on pages, by diagnosis, the clearest first."""

    rows: tuple[StudentRow, ...]
    work: OpenWork
    overridden: tuple[Overridden, ...]
    more_changes: int
    examples: Mapping[str, tuple[Example, ...]]


class Class(NamedTuple):
    """The summary of a class, and what a report shows beside it."""

    summary: ClassSummary
    shown: Shown


ALL_SHOWN: Final = 2_500
"""Up to so many students a report shows all of them."""
MOST_SHOWN: Final = 500
MOST_OVERRIDDEN: Final = 20


def of_class(results: Iterable[Result], **more: Any) -> Class:
    """What a report is made from, for results in any order; see `gathered`."""
    return gathered(sorted(results, key=lambda result: (result.student.id, result.submission.sha256)), **more)


def gathered(
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
    return parts.whole(missing, changes, unprotected)


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
        self._is_large = False

    def add(self, result: Result) -> None:
        """One more student."""
        self._students += 1
        self._lab = self._lab or result.lab
        for one in (self._hand_ins, self._texts, self._series, self._flags):
            one.add(result)
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
            if (put := item.override or item.earlier)
        ]
        self._keep_few()

    def _add_graded(self, result: Result) -> None:
        self._graded += 1
        self._needing_review += result.needs_review
        for one in (self._spread, self._scores, self._diagnoses, self._answers, self._audits, self._averages):
            one.add(result)
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

    def whole(self, missing: Sequence[Absent], changes: Sequence[Change], unprotected: Iterable[str]) -> Class:
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
            audits=tuple(one for one in self._audits.drawn() if not one.is_done),
            audit_results=self._audits.results(),
            flags=self._flags.tallies(),
            unread_files=self._unread.settled(),
            failures=self._failures.settled(),
            similarity=Similarity(identical_submissions=self._hand_ins.identical(), texts=self._texts.alike()),
            shared_series=self._series.shared(),
            shared_answers=self._answers.shared(),
            misconceptions=self._diagnoses.misconceptions(),
            accuracies=self._averages.reported(),
            caution=caution(self._graded),
            late=self._late.settled(),
            missing=tuple(sorted(missing, key=lambda one: (one.name, one.id))),
            empty=tuple(self._empty),
            changes=tuple(changes),
            unprotected=tuple(sorted(unprotected)),
        )
        rows = _most_urgent(self._rows) if self._students > ALL_SHOWN else self._rows
        shown = Shown(
            rows=tuple(rows),
            work=self._queue.work(),
            overridden=tuple(_first_overridden(self._overridden)),
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


def _most_urgent(rows: Sequence[StudentRow]) -> list[StudentRow]:
    urgent = heapq.nsmallest(MOST_SHOWN, rows, key=lambda one: (-one.pending, one.score, one.student))
    return sorted(urgent, key=lambda one: one.student)


def _first_overridden(found: Sequence[Overridden]) -> list[Overridden]:
    return sorted(found, key=lambda one: (not one.put.stale, one.student))[:MOST_OVERRIDDEN]

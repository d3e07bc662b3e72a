"""The summary of a class, as `class.json` holds it. Keys are stable; additions are allowed."""

from collections.abc import Iterable, Sequence
from typing import Literal

from pydantic import Field

from grader.cohort.attention import (
    Absent,
    Audit,
    AuditResult,
    Change,
    Failure,
    FlagTally,
    LateStudent,
    ReviewGroup,
    UnreadFile,
    audit_results,
    audits,
    empty_hand_ins,
    failures,
    flag_tallies,
    is_too_late,
    late_students,
    review_queue,
    unread_files,
)
from grader.cohort.likeness import SharedSeries, Similarity, shared_series, similarity
from grader.cohort.tallies import (
    Distribution,
    ItemTally,
    Misconception,
    QuestionTally,
    ReportedAverages,
    SharedAnswer,
    caution,
    distribution,
    item_tallies,
    misconceptions,
    question_tallies,
    reported_averages,
    shared_answers,
)
from grader.frozen import Frozen
from grader.message import Words
from grader.result import LabReference, Result


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
    unread_files: tuple[UnreadFile, ...]
    failures: tuple[Failure, ...]
    similarity: Similarity
    shared_series: tuple[SharedSeries, ...] = ()
    shared_answers: tuple[SharedAnswer, ...] = ()
    misconceptions: tuple[Misconception, ...] = ()
    accuracies: tuple[ReportedAverages, ...] = ()
    caution: Words = Field(default="", description="How far the figures of discrimination can be trusted.")
    late: tuple[LateStudent, ...] = ()
    missing: tuple[Absent, ...] = Field(default=(), description="Students on the roster without a hand-in.")
    empty: tuple[str, ...] = Field(default=(), description="Students whose hand-in holds no file.")
    changes: tuple[Change, ...] = Field(default=(), description="Since the class was graded last.")
    unprotected: tuple[str, ...] = Field(
        default=(), description="What was not kept from the processes that read the hand-ins, where something was not."
    )

    def to_json(self) -> str:
        """The text of `class.json`: the same results, in any order, always give the same bytes."""
        return self.model_dump_json(indent=2, by_alias=True) + "\n"


def summarise(
    results: Sequence[Result],
    *,
    missing: Sequence[Absent] = (),
    changes: Sequence[Change] = (),
    unprotected: Iterable[str] = (),
) -> ClassSummary:
    """The summary of any number of results, also none. Students are listed by id, whatever the order of the results.

    `missing` are students on the roster without a hand-in, `changes` the differences from the previous run,
    `unprotected` the layers of protection that were unavailable while hand-ins were read.
    """
    everyone = sorted(results, key=lambda result: (result.student.id, result.submission.sha256))
    graded = [result for result in everyone if result.error is None]
    return ClassSummary(
        lab=everyone[0].lab if everyone else None,
        counts=_counts(everyone, graded),
        scores=distribution(graded),
        questions=question_tallies(graded),
        items=item_tallies(graded),
        review_queue=review_queue([result for result in graded if not is_too_late(result)]),
        audits=tuple(one for one in audits(graded) if not one.is_done),
        audit_results=audit_results(graded),
        flags=flag_tallies(everyone),
        unread_files=unread_files(everyone),
        failures=failures(everyone),
        similarity=similarity(everyone),
        shared_series=shared_series(everyone),
        shared_answers=shared_answers(graded),
        misconceptions=misconceptions(graded),
        accuracies=reported_averages(graded),
        caution=caution(len(graded)),
        late=late_students(everyone),
        missing=tuple(sorted(missing, key=lambda one: (one.name, one.id))),
        empty=empty_hand_ins(everyone),
        changes=tuple(changes),
        unprotected=tuple(sorted(unprotected)),
    )


def _counts(everyone: Sequence[Result], graded: Sequence[Result]) -> Counts:
    return Counts(
        students=len(everyone),
        graded=len(graded),
        failed=len(everyone) - len(graded),
        needing_review=sum(result.needs_review for result in graded),
    )

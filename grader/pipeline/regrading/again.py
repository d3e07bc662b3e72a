"""Results once more: from kept findings, from stored readings, or from the hand-ins."""

import shutil
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final, NamedTuple

from grader.intake.submission import Source
from grader.language import language_of
from grader.message import say
from grader.pipeline.classroom import warmth_of
from grader.pipeline.isolation import Outcome, run_isolated
from grader.pipeline.one import result_of
from grader.pipeline.order import Order
from grader.pipeline.readings import Maker
from grader.pipeline.regrading.jobs import MAKER, RenderJob, ReplayJob, bounds_of_any, regrade_job
from grader.pipeline.regrading.targets import unopened
from grader.pipeline.replay import Basis, kept_findings
from grader.pipeline.temporary import temporary_folder
from grader.pipeline.worker import SENT_PAGE, SENT_PROBLEM, SENT_REPORT, SENT_RESULT, STAGES, Job, anew
from grader.report.pictures import NONE, Pictures
from grader.result import Result

NO_PICTURES: Final[Mapping[str, Pictures]] = MappingProxyType({})


class Expected(NamedTuple):
    """A hand-in to grade once more: the folder of what was kept of it, and the hash of the submission, if known."""

    source: Source
    folder: Path
    submission_sha256: str


@dataclass(frozen=True)
class Again:
    """What was made once more of a student's hand-in: the bytes of a result and of reports, and files of stages that
    are new. `maker` made the reading, where one was used; `problem` is why something is lacking."""

    student: str
    result: bytes | None = None
    problem: str = ""
    maker: Maker | None = None
    stages: Mapping[str, bytes] = field(default_factory=dict)
    report: bytes | None = None
    page: bytes | None = None


def by_findings(one: Expected, order: Order, basis: Basis) -> Result | None:
    """The result where nothing that its findings follow from has changed; else None."""
    record = order.circumstances_of(one.source).reader
    found = kept_findings(one.folder, one.submission_sha256, basis, record) if one.submission_sha256 else None
    if found is None:
        return None
    submission = unopened(one.source, one.submission_sha256)
    language = language_of(order.presentation.language)
    return result_of(submission, found, order.lab, order.truth, order.circumstances_of(one.source), language)


def by_readings(
    some: Sequence[Expected], order: Order, basis: Basis, *, workers: int, use_claims: bool = True
) -> Iterator[Again]:
    """Results from stored readings, as they come."""
    jobs = [_replay(one, order, basis, use_claims=use_claims) for one in some]
    students = [one.source.student_id for one in some]
    return _made(students, jobs, workers, order)


def by_submissions(
    some: Sequence[Source], order: Order, basis: Basis | None, *, workers: int, with_reports: bool
) -> Iterator[Again]:
    """Results from the hand-ins themselves, as `grade` makes them, as they come."""
    with _folders(len(some)) as folders:
        jobs = [
            _grade(source, order, work, basis, with_reports=with_reports)
            for source, work in zip(some, folders, strict=True)
        ]
        yield from _made([one.student_id for one in some], jobs, workers, order)


def rendered(
    results: Sequence[Result],
    sources: Mapping[str, Source],
    order: Order,
    *,
    workers: int,
    pictures: Mapping[str, Pictures] = NO_PICTURES,
) -> Iterator[Again]:
    """Reports of results, as they come: with pictures for those whose hand-in is among the sources, or who have some
    among the `pictures`."""
    students = [one.student.id for one in results]
    with _folders(len(results)) as folders:
        jobs = [
            RenderJob(
                one,
                sources.get(one.student.id),
                work,
                order.presentation,
                order.debug,
                dict(pictures.get(one.student.id, NONE)),
            )
            for one, work in zip(results, folders, strict=True)
        ]
        yield from _made(students, jobs, workers, order)


def _replay(one: Expected, order: Order, basis: Basis, *, use_claims: bool) -> ReplayJob:
    return ReplayJob(
        one.folder,
        unopened(one.source, one.submission_sha256),
        order.lab,
        order.truth,
        order.circumstances_of(one.source),
        order.presentation.language,
        basis,
        use_claims,
        order.debug,
    )


def _grade(source: Source, order: Order, work: Path, basis: Basis | None, *, with_reports: bool) -> Job:
    circumstances = order.circumstances_of(source)
    return Job(
        source, order.lab, order.truth, work, with_reports, order.debug, circumstances, order.presentation, basis
    )


@contextmanager
def _folders(number: int) -> Iterator[list[Path]]:
    """So many empty folders, until they are done with."""
    with tempfile.TemporaryDirectory(dir=temporary_folder(), ignore_cleanup_errors=True) as folder:
        found = [Path(folder) / str(index) for index in range(number)]
        for one in found:
            one.mkdir()
        yield found


def _made(students: Sequence[str], jobs: Sequence[Any], workers: int, order: Order) -> Iterator[Again]:
    """Every job in a process of its own."""
    whose = {id(job): student for job, student in zip(jobs, students, strict=True)}
    for outcome in _outcomes(jobs, workers, order):
        if isinstance(outcome.job, Job | RenderJob):
            shutil.rmtree(outcome.job.work, ignore_errors=True)
        yield _again(whose[id(outcome.job)], outcome)


def _outcomes(jobs: Sequence[Any], workers: int, order: Order) -> Iterator[Outcome]:
    if jobs:
        preload, warmth = ("grader.pipeline.warm",), warmth_of(order, jobs)
        yield from run_isolated(
            regrade_job, jobs, workers=workers, preload=preload, bounds=bounds_of_any, anew=anew, warmth=warmth
        )


def _again(student: str, outcome: Outcome) -> Again:
    """What a worker sent. It has handled what a stranger wrote, so nothing is taken for granted."""
    sent = {message[:1]: message[1:] for message in outcome.messages}
    problem = sent[SENT_PROBLEM].decode(errors="replace") if SENT_PROBLEM in sent else outcome.failure
    try:
        maker = Maker.model_validate_json(sent[MAKER]) if MAKER in sent else None
        if SENT_RESULT in sent and Result.from_json(sent[SENT_RESULT]).student.id != student:
            raise ValueError("it is another student's")
    except (ValueError, RecursionError):
        return Again(student=student, problem=say("its process sent what is no result"))
    return Again(
        student=student,
        result=sent.get(SENT_RESULT),
        problem=problem or "",
        maker=maker,
        stages={name: sent[tag] for name, tag in STAGES.items() if tag in sent},
        report=sent.get(SENT_REPORT),
        page=sent.get(SENT_PAGE),
    )

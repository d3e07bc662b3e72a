"""Results once more: from kept findings, from stored readings, or from the hand-ins, each in a process of its own."""

import os
import shutil
import tempfile
import traceback
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import chain, count, islice
from pathlib import Path
from typing import Any, Final, NamedTuple

from pydantic import ValidationError

from grader.cohort.rows import ReadOnDemand
from grader.intake.opening import open_submission
from grader.intake.submission import Source, Submission
from grader.lab.definition import Lab
from grader.lab.truth import GroundTruth
from grader.message import language_of, say
from grader.pipeline.cage import Bounds, temporary_folder
from grader.pipeline.classroom import warmth_of
from grader.pipeline.isolation import Outcome, Send, run_isolated
from grader.pipeline.order import Circumstances, Order, result_of
from grader.pipeline.outputs import RESULT
from grader.pipeline.pictures import evidence_pictures
from grader.pipeline.stages import FINDINGS, READING, Basis, Maker, StoredReadingError, kept_findings, replayed
from grader.pipeline.worker import (
    SENT_PAGE,
    SENT_PROBLEM,
    SENT_REPORT,
    SENT_RESULT,
    STAGES,
    Job,
    anew,
    bounds_of,
    files_of,
    grade_job,
    own_templates,
    ready,
)
from grader.report.pictures import NONE, Pictures
from grader.report.resources import Presentation
from grader.result import Result

MAKER = b"M"
"""The tag of who made the reading, as JSON."""


@dataclass(frozen=True)
class ReplayJob:
    """A hand-in to grade from the reading in `folder`; `submission` says who, when, and which hand-in is expected."""

    folder: Path
    submission: Submission
    lab: Lab
    truth: GroundTruth
    circumstances: Circumstances
    language: str
    basis: Basis
    debug: bool = False


@dataclass(frozen=True)
class RenderJob:
    """A report to render; with pictures where the hand-in is at hand, else with those that are given. `work` is an
    empty folder of its own."""

    result: Result
    source: Source | None
    work: Path
    presentation: Presentation
    debug: bool = False
    pictures: Pictures = field(default_factory=dict)


def bounds_of_any(job: Any) -> Bounds:
    """What a job of any of the kinds may touch."""
    match job:
        case ReplayJob():
            return Bounds((job.folder, *job.lab.files), talks=job.debug)
        case RenderJob():
            hand_in = files_of(job.source) if job.source else ()
            return Bounds((*hand_in, *own_templates(job.presentation)), job.work, talks=job.debug)
    return bounds_of(job)


def regrade_job(job: Any, send: Send) -> None:
    """Do a job of any of the kinds."""
    if isinstance(job, Job):
        grade_job(job, send)
        return
    try:
        if isinstance(job, ReplayJob):
            _replay(job, send)
        else:
            _render(job, send)
    except StoredReadingError as error:
        send(SENT_PROBLEM + f"the stored reading {error}".encode())
    except Exception as error:  # what was graded before must not suffer
        if job.debug:
            traceback.print_exc()
        send(SENT_PROBLEM + f"{type(error).__name__}: {error}".encode())


def _replay(job: ReplayJob, send: Send) -> None:
    job = replace(job, **ready(job.lab, job.truth))
    expected = job.submission.sha256
    done = replayed(job.folder, expected, job.lab, job.truth, job.basis, job.circumstances.reader)
    language = language_of(job.language)
    result = result_of(job.submission, done.found, job.lab, job.truth, job.circumstances, language)
    send(SENT_RESULT + result.to_json().encode())
    send(MAKER + done.maker.model_dump_json().encode())
    if done.findings is not None:
        send(STAGES[FINDINGS] + done.findings)


def _render(job: RenderJob, send: Send) -> None:
    from grader.pipeline.worker import light_report
    from grader.report.render import student_page

    submission = open_submission(job.source, job.work) if job.source else None
    is_same = submission is not None and submission.sha256 == job.result.submission.sha256
    pictures = evidence_pictures(job.result, submission) if submission and is_same else job.pictures
    send(SENT_REPORT + light_report(job.result, pictures, job.presentation))
    send(SENT_PAGE + student_page(job.result, pictures, job.presentation).encode())


class Graded(NamedTuple):
    """A student's folder of graded submissions: the result there, or why it cannot be read."""

    folder: Path
    content: bytes
    result: Result | None
    problem: str = ""


def graded_in(out: Path) -> Mapping[str, Graded]:
    """Everybody who has a result or a stored reading in a folder of graded submissions, by id, in order; nobody where
    there is no such folder. A student is read when asked for; one result stays in memory."""
    if not out.is_dir():
        return {}
    with os.scandir(out) as entries:
        found = sorted(entry.name for entry in entries if entry.is_dir())
    students = [name for name in found if any(os.path.lexists(out / name / kept) for kept in (RESULT, READING))]
    return ReadOnDemand(students, lru_cache(maxsize=1)(lambda student: _graded(out / student)))


def _graded(folder: Path) -> Graded:
    try:
        content = (folder / RESULT).read_bytes()
    except OSError as error:
        return Graded(folder, b"", None, f"{RESULT} cannot be read ({error.strerror})")
    try:
        result = Result.from_json(content)
    except ValidationError as error:
        return Graded(folder, content, None, f"{RESULT} is no result: {_first(error)}")
    if result.student.id != folder.name:
        return Graded(folder, content, None, f"{RESULT} is that of {result.student.id}")
    return Graded(folder, content, result)


def _first(error: ValidationError) -> str:
    what = error.errors(include_url=False, include_input=False)[0]
    place = ".".join(str(part) for part in what["loc"])
    return f"{place}: {what['msg']}" if place else what["msg"]


def sources_of(graded: Mapping[str, Graded]) -> Iterator[Source]:
    """A hand-in for each student, as far as its result tells of it. There is nothing to open at its path."""
    for student, one in graded.items():
        yield Source(
            student_id=student,
            student_name=one.result.student.name if one.result else student,
            path=one.folder,
            identity=one.result.student.identity if one.result else None,
            submitted_at=one.result.submission.submitted_at if one.result else None,
            time_from=one.result.lateness.time_from if one.result and one.result.lateness else "",
            origin=one.result.student.origin if one.result else "",
        )


class Expected(NamedTuple):
    """A hand-in to grade once more: the folder of what was kept of it, and the hashes of the submission, if known."""

    source: Source
    folder: Path
    submission_sha256: str
    unopened_sha256: str = ""

    @property
    def submission(self) -> Submission:
        """Who handed in, when, and what, without any files."""
        return self.source.submission(self.submission_sha256, self.unopened_sha256)


def expected(source: Source, one: Graded) -> Expected:
    """The hand-in to grade once more whose result lies in a folder."""
    if one.result is None:
        return Expected(source, one.folder, "")
    return Expected(source, one.folder, one.result.submission.sha256, one.result.submission.unopened_sha256)


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
    language = language_of(order.presentation.language)
    return result_of(one.submission, found, order.lab, order.truth, order.circumstances_of(one.source), language)


def by_readings(some: Iterable[Expected], order: Order, basis: Basis, *, workers: int) -> Iterator[Again]:
    """Results from stored readings, as they come."""
    jobs = (
        ReplayJob(
            one.folder,
            one.submission,
            order.lab,
            order.truth,
            order.circumstances_of(one.source),
            order.presentation.language,
            basis,
            order.debug,
        )
        for one in some
    )
    return _made(jobs, workers, order)


def by_submissions(
    some: Iterable[Source], order: Order, basis: Basis | None, *, workers: int, with_reports: bool
) -> Iterator[Again]:
    """Results from the hand-ins themselves, as `grade` makes them, as they come."""
    with _folders() as folders:
        jobs = (
            Job(
                source,
                order.lab,
                order.truth,
                next(folders),
                with_reports,
                order.debug,
                order.circumstances_of(source),
                order.presentation,
                basis,
            )
            for source in some
        )
        yield from _made(jobs, workers, order)


def rendered(
    results: Iterable[Result | None],
    sources: Mapping[str, Source],
    order: Order,
    *,
    workers: int,
    pictures: Callable[[Result], Pictures] = lambda _: NONE,
) -> Iterator[Again]:
    """Reports of results, as they come: with pictures for those whose hand-in is among the sources, or of whom there
    are some in `pictures`. None among the results says that there is none just now, as for `run_isolated`."""
    with _folders() as folders:
        jobs = (
            RenderJob(
                one,
                sources.get(one.student.id),
                next(folders),
                order.presentation,
                order.debug,
                dict(pictures(one)),
            )
            if one
            else None
            for one in results
        )
        yield from _made(jobs, workers, order)


@contextmanager
def _folders() -> Iterator[Iterator[Path]]:
    """Empty folders, as many as are asked for, until they are done with."""

    def made(folder: str) -> Iterator[Path]:
        for number in count():
            one = Path(folder, str(number))
            one.mkdir()
            yield one

    with tempfile.TemporaryDirectory(dir=temporary_folder(), ignore_cleanup_errors=True) as folder:
        yield made(folder)


_LOOKED_AT: Final = 21
"""So many jobs are made before the first is done, to know how far it is worth making the server ready."""


def _made(jobs: Iterable[Any], workers: int, order: Order) -> Iterator[Again]:
    """Every job in a process of its own."""
    waiting = iter(jobs)
    first = list(islice((job for job in waiting if job), _LOOKED_AT))
    if not first:
        return
    outcomes = run_isolated(
        regrade_job,
        chain(first, waiting),
        workers=workers,
        preload=("grader.pipeline.warm",),
        bounds=bounds_of_any,
        anew=anew,
        warmth=warmth_of(order, first, again=True, only_reports=all(isinstance(job, RenderJob) for job in first)),
    )
    for outcome in outcomes:
        if isinstance(outcome.job, Job | RenderJob):
            shutil.rmtree(outcome.job.work, ignore_errors=True)
        yield _again(_student_of(outcome.job), outcome)


def _student_of(job: Any) -> str:
    match job:
        case ReplayJob():
            return job.submission.student_id
        case RenderJob():
            return job.result.student.id
    return str(job.source.student_id)


def _again(student: str, outcome: Outcome) -> Again:
    """What a worker sent. It has handled what a stranger wrote, so nothing is taken for granted."""
    sent = outcome.sent
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

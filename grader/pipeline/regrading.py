"""Results once more: from kept findings, from stored readings, or from the hand-ins, each in a process of its own.

A class, or some of its items, is graded again after a change of lab, truth, overrides or lateness; what is new is
written, entered in the gradebook, and told. Or results are held against the same results computed once more.
"""

import contextlib
import hashlib
import json
import os
import shutil
import tempfile
import traceback
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from enum import StrEnum
from fnmatch import fnmatchcase
from functools import cached_property, lru_cache
from itertools import chain, count, islice
from pathlib import Path
from random import Random
from types import MappingProxyType
from typing import Any, Final, NamedTuple

from pydantic import ValidationError

from grader.checks.finding import HAND_IN, OVERRULED, UNREADABLE, is_automatic, is_withdrawn
from grader.cohort.rows import ReadOnDemand
from grader.frozen import Frozen
from grader.gradebook.history import GradeChange, changes
from grader.gradebook.keeper import Keeper
from grader.gradebook.store import Files, Inputs, Standing, StoredGrade, new_grade
from grader.intake.opening import open_submission
from grader.intake.submission import Source, Submission
from grader.lab.definition import Lab
from grader.lab.truth import GroundTruth
from grader.message import language_of
from grader.pipeline.assigning import key_of_sections, sections_in
from grader.pipeline.cage import Bounds, temporary_folder
from grader.pipeline.class_files import ClassRun
from grader.pipeline.classroom import job_of, shared_by, warmth_of
from grader.pipeline.hashes import hash_of, source_hashes
from grader.pipeline.isolation import Send, run_isolated
from grader.pipeline.order import Circumstances, Order, in_short, result_of, with_items
from grader.pipeline.outputs import PAGE, REPORT, RESULT, Reports, files_in, write_atomically, write_student
from grader.pipeline.pictures import MOST_BYTES, MOST_PICTURES, evidence_pictures, page_text, pictures_of
from grader.pipeline.session import inputs_by, run_by, same_but_decisions
from grader.pipeline.stages import (
    FINDINGS,
    READING,
    Basis,
    Maker,
    StoredReadingError,
    basis_of,
    findings_hold,
    kept_findings,
    kept_in,
    replay_findings,
)
from grader.pipeline.worker import (
    MAKER,
    SENT_PAGE,
    SENT_PROBLEM,
    SENT_REPORT,
    SENT_RESULT,
    STAGES,
    Job,
    WorkerOutput,
    bounds_of,
    files_of,
    follow_up_job,
    grade_job,
    own_templates,
    read_output,
    ready,
)
from grader.reading.reading import Reading
from grader.report.pictures import NONE, Pictures, place_of
from grader.report.resources import Presentation
from grader.result import ItemResult, Result, Status, Versions
from grader.scoring import late_flags


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
    """Return the limits of a job of any kind."""
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
    put = sections_in(job.circumstances.overrides)
    done = replay_findings(job.folder, expected, job.lab, job.truth, job.basis, job.circumstances.reader, put)
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


class GradedFolder(NamedTuple):
    """A student's folder of graded submissions: the result there, or why it cannot be read."""

    folder: Path
    content: bytes
    result: Result | None
    problem: str = ""


def graded_in(out: Path) -> Mapping[str, GradedFolder]:
    """Everybody who has a result or a stored reading in a folder of graded submissions, by id, in order; nobody where
    there is no such folder. A student is read when asked for; one result stays in memory."""
    if not out.is_dir():
        return {}
    with os.scandir(out) as entries:
        found = sorted(entry.name for entry in entries if entry.is_dir())
    students = [name for name in found if any(os.path.lexists(out / name / kept) for kept in (RESULT, READING))]
    return ReadOnDemand(students, lru_cache(maxsize=1)(lambda student: _graded(out / student)))


def _graded(folder: Path) -> GradedFolder:
    try:
        content = (folder / RESULT).read_bytes()
    except OSError as error:
        return GradedFolder(folder, b"", None, f"{RESULT} cannot be read ({error.strerror})")
    try:
        result = Result.from_json(content)
    except ValidationError as error:
        # The first error names the key that is wrong.
        what = error.errors(include_url=False, include_input=False)[0]
        place = ".".join(str(part) for part in what["loc"])
        first = f"{place}: {what['msg']}" if place else what["msg"]
        return GradedFolder(folder, content, None, f"{RESULT} is no result: {first}")
    if result.student.id != folder.name:
        return GradedFolder(folder, content, None, f"{RESULT} is that of {result.student.id}")
    return GradedFolder(folder, content, result)


def sources_of(graded: Mapping[str, GradedFolder]) -> Iterator[Source]:
    """A hand-in for each student, as far as its result tells of it. There is nothing to open at its path."""
    for student, graded_folder in graded.items():
        yield Source(
            student_id=student,
            student_name=graded_folder.result.student.name if graded_folder.result else student,
            path=graded_folder.folder,
            identity=graded_folder.result.student.identity if graded_folder.result else None,
            submitted_at=graded_folder.result.submission.submitted_at if graded_folder.result else None,
            time_from=graded_folder.result.lateness.time_from
            if graded_folder.result and graded_folder.result.lateness
            else "",
            origin=graded_folder.result.student.origin if graded_folder.result else "",
        )


class StoredHandIn(NamedTuple):
    """A hand-in to grade once more: the folder of what was kept of it, and the hashes of the submission, if known."""

    source: Source
    folder: Path
    submission_sha256: str
    unopened_sha256: str = ""

    @property
    def submission(self) -> Submission:
        """The student, time and hashes of the submission, without any files."""
        return self.source.submission(self.submission_sha256, self.unopened_sha256)


def stored_hand_in(source: Source, graded_folder: GradedFolder) -> StoredHandIn:
    """The hand-in to grade once more whose result lies in a folder."""
    if graded_folder.result is None:
        return StoredHandIn(source, graded_folder.folder, "")
    return StoredHandIn(
        source,
        graded_folder.folder,
        graded_folder.result.submission.sha256,
        graded_folder.result.submission.unopened_sha256,
    )


def by_findings(hand_in: StoredHandIn, order: Order, basis: Basis) -> Result | None:
    """The result where nothing that its findings follow from has changed; else None."""
    if not hand_in.submission_sha256:
        return None
    circumstances = order.circumstances_of(hand_in.source)
    sections = key_of_sections(sections_in(circumstances.overrides))
    found = kept_findings(hand_in.folder, hand_in.submission_sha256, basis, circumstances.reader, sections)
    if found is None:
        return None
    language = language_of(order.presentation.language)
    return result_of(
        hand_in.submission, found, order.lab, order.truth, order.circumstances_of(hand_in.source), language
    )


def by_readings(some: Iterable[StoredHandIn], order: Order, basis: Basis, *, workers: int) -> Iterator[WorkerOutput]:
    """Results from stored readings, as they come."""
    jobs = (
        ReplayJob(
            hand_in.folder,
            hand_in.submission,
            order.lab,
            order.truth,
            order.circumstances_of(hand_in.source),
            order.presentation.language,
            basis,
            order.debug,
        )
        for hand_in in some
    )
    return _made(jobs, workers, order)


def by_submissions(
    some: Iterable[Source], order: Order, basis: Basis | None, *, workers: int, with_reports: bool
) -> Iterator[WorkerOutput]:
    """Results from the hand-ins themselves, as `grade` makes them, as they come."""
    shared = replace(shared_by(order), with_report=with_reports, basis=basis)
    with _folders() as folders:
        jobs = (job_of(shared, source, order.circumstances_of(source), next(folders)) for source in some)
        yield from _made(jobs, workers, order)


def render_reports(
    results: Iterable[Result | None],
    sources: Mapping[str, Source],
    order: Order,
    *,
    workers: int,
    pictures: Callable[[Result], Pictures] = lambda _: NONE,
) -> Iterator[WorkerOutput]:
    """Reports of results, as they come: with pictures for those whose hand-in is among the sources, or of whom there
    are some in `pictures`. None among the results says that there is none just now, as for `run_isolated`."""
    with _folders() as folders:
        jobs = (
            RenderJob(
                result,
                sources.get(result.student.id),
                next(folders),
                order.presentation,
                order.debug,
                dict(pictures(result)),
            )
            if result
            else None
            for result in results
        )
        yield from _made(jobs, workers, order)


@contextmanager
def _folders() -> Iterator[Iterator[Path]]:
    """Empty folders, as many as are asked for, until they are done with."""

    def made(folder: str) -> Iterator[Path]:
        for number in count():
            path = Path(folder, str(number))
            path.mkdir()
            yield path

    with tempfile.TemporaryDirectory(dir=temporary_folder(), ignore_cleanup_errors=True) as folder:
        yield made(folder)


_LOOKED_AT: Final = 21
"""So many jobs are made before the first is done, to know how far it is worth making the server ready."""


def _made(jobs: Iterable[Any], workers: int, order: Order) -> Iterator[WorkerOutput]:
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
        anew=follow_up_job,
        warmth=warmth_of(order, first, again=True, only_reports=all(isinstance(job, RenderJob) for job in first)),
    )
    for outcome in outcomes:
        if isinstance(outcome.job, Job | RenderJob):
            shutil.rmtree(outcome.job.work, ignore_errors=True)
        yield read_output(_student_of(outcome.job), outcome)


def _student_of(job: Any) -> str:
    match job:
        case ReplayJob():
            return job.submission.student_id
        case RenderJob():
            return job.result.student.id
    return str(job.source.student_id)


class KeptItem(NamedTuple):
    """An item that was kept as it was, although it would be otherwise now."""

    before: ItemResult
    now: ItemResult


class MergedResult(NamedTuple):
    """The result in force, and what was kept in it."""

    result: Result
    kept: tuple[KeptItem, ...]


def is_named(item: str, only: Collection[str]) -> bool:
    """Whether an item is meant by one of some names, in which `*` stands for anything. No names mean all items."""
    return not only or any(fnmatchcase(item, name) for name in only)


def merge_results(before: Result | None, now: Result, only: Collection[str]) -> MergedResult:
    """The new result, in which the items that `only` does not name are as they were before. Points are summed anew and
    lateness is taken off anew. An item without a past is taken as it is now."""
    if before is None or not only or before.error:
        return MergedResult(now, ())
    past = {item.id: item for item in before.items}
    pairs = [(past.get(item.id), item) for item in now.items]
    kept = tuple(
        KeptItem(old, new)
        for old, new in pairs
        if old and not is_named(new.id, only) and old.model_copy(update={"kept_from": None}) != new
    )
    if not kept:
        return MergedResult(now, ())
    versions = Versions(
        lab_sha256=before.lab.sha256, truth_sha256=before.truth_sha256, grader_version=before.grader_version
    )
    stay = {old.id: old.model_copy(update={"kept_from": old.kept_from or versions}) for old, _ in kept}
    items = tuple(stay.get(item.id, item) for item in now.items)
    return MergedResult(with_items(now, items).model_copy(update={"flags": tuple(_flags(before, now))}), kept)


def _flags(before: Result, now: Result) -> Iterator[object]:
    """A flag may belong to an item that was kept, so those of before stay; but lateness is of now."""
    late = late_flags(now.lateness)
    old = late_flags(before.lateness)
    yield from (flag for flag in before.flags if flag.id not in {candidate.id for candidate in old})
    yield from (flag for flag in now.flags if flag.id in {candidate.id for candidate in late})


class Way(StrEnum):
    """The source from which a new result was made."""

    FINDINGS = "findings"
    READING = "reading"
    OLD_READING = "old-reading"
    SUBMISSION = "submission"


@dataclass(frozen=True)
class RegradedStudent:
    """A student before, as the folder tells, and after. `after` is None where nothing could be made, for the reason in
    `problem`; `kept` are items that would be otherwise, had they been named; `stages` are files of stages that are
    new."""

    source: Source
    was: GradedFolder
    after: Result | None
    way: Way | None = None
    kept: tuple[KeptItem, ...] = ()
    stages: Mapping[str, bytes] | None = None
    problem: str = ""

    @property
    def before(self) -> Result | None:
        """The result of before, if there is one."""
        return self.was.result

    @cached_property
    def content(self) -> bytes:
        """The content for `result.json`."""
        return self.after.to_json().encode() if self.after else b""

    @cached_property
    def changed(self) -> bool:
        """Whether `result.json` is to be another."""
        return self.after is not None and self.content != self.was.content

    @cached_property
    def shows(self) -> bool:
        """Whether more is otherwise than the versions of grader, lab and truth."""
        if not self.changed or self.before is None or self.after is None:
            return self.changed
        return _plain(self.before) != _plain(self.after)


def regrade_hand_ins(
    order: Order,
    graded: Mapping[str, GradedFolder],
    opened: Mapping[str, Source],
    basis: Basis,
    *,
    only: Collection[str] = (),
    workers: int = 1,
    still: Callable[[Source, GradedFolder], Result | None] = lambda source, graded_folder: None,
) -> Iterator[RegradedStudent]:
    """Every hand-in of the order once more, as they come. Those in `opened` can be read anew, and are where their
    reading cannot be used or is by another grader. `still` is the result of one that need not be made, if it knows.
    Nothing is written."""
    waiting: list[Source] = []
    for source in order.sources:
        graded_folder = graded[source.student_id]
        result = still(source, graded_folder) or by_findings(stored_hand_in(source, graded_folder), order, basis)
        if result:
            yield _regraded(source, graded, result, Way.FINDINGS, only)
        else:
            waiting.append(source)
    yield from _from_readings(waiting, order, graded, opened, basis, only, workers)


def write(
    out: Path, student: RegradedStudent, report: WorkerOutput | None, before: Files, *, keep_report: bool
) -> Files:
    """Write what is new about a student; returns the hashes of result and reports, by name. Reports of before stay only
    where they are to; `before` are the hashes of those that were written, as far as that is known. Raises OSError."""
    folder = out / student.source.student_id
    for name, content in (student.stages or {}).items():
        write_atomically(folder / name, content)
    if student.after is not None and student.changed and not keep_report:
        return write_student(out, student.after, Reports(report.report, report.page) if report else Reports())
    if student.after is not None and student.changed:
        write_atomically(folder / RESULT, student.content)
    if student.after is None or REPORT not in before or PAGE not in before:
        return files_in(folder)
    reports = {name: before[name] for name in (REPORT, PAGE) if (folder / name).is_file()}
    return {RESULT: hashlib.sha256(student.content).hexdigest(), **reports}


def _from_readings(
    waiting: Sequence[Source],
    order: Order,
    graded: Mapping[str, GradedFolder],
    opened: Mapping[str, Source],
    basis: Basis,
    only: Collection[str],
    workers: int,
) -> Iterator[RegradedStudent]:
    sources = {source.student_id: source for source in waiting}
    anew: list[Source] = []
    some = (stored_hand_in(source, graded[source.student_id]) for source in waiting)
    for again in by_readings(some, order, basis, workers=workers):
        source = sources[again.student]
        same = again.maker is not None and again.maker.read_as(basis.maker)
        if again.student in opened and (again.result is None or not same):
            anew.append(opened[again.student])
        elif again.result is None:
            yield RegradedStudent(source, graded[again.student], None, problem=again.problem)
        else:
            way = Way.READING if same else Way.OLD_READING
            yield _regraded(source, graded, again.result, way, only, again.stages)
    for again in by_submissions(anew, order, basis, workers=workers, with_reports=False):
        source = sources[again.student]
        result = again.result
        if result is None or result.error:
            problem = (result.error if result else None) or again.problem
            yield RegradedStudent(source, graded[again.student], None, problem=problem)
        else:
            yield _regraded(source, graded, result, Way.SUBMISSION, only, again.stages)


def _regraded(
    source: Source,
    graded: Mapping[str, GradedFolder],
    result: Result,
    way: Way,
    only: Collection[str],
    stages: Mapping[str, bytes] | None = None,
) -> RegradedStudent:
    was = graded[source.student_id]
    now = merge_results(was.result, result, only)
    return RegradedStudent(source, was, now.result, way, now.kept, stages)


def _plain(result: Result) -> Result:
    """A result without the versions of what it was graded by."""
    lab = result.lab.model_copy(update={"sha256": ""})
    return result.model_copy(update={"lab": lab, "truth_sha256": "", "grader_version": ""})


class RegradeOptions(NamedTuple):
    """The options of a regrade: the items (none named: all), whether reports are made even if only versions changed,
    and the options that the gradebook lists with the run."""

    only: tuple[str, ...] = ()
    all_reports: bool = False
    workers: int = 1
    options: Mapping[str, object] = MappingProxyType({})


class StudentOutcome(NamedTuple):
    """The outcome of one student; `change` is None if there was no grade before, or if there is none now."""

    regraded: RegradedStudent
    change: GradeChange | None
    report_problem: str = ""


_AT_A_TIME: Final = 48
"""So many students are graded once more, then reported and written, before the next: no more are in memory."""


def regrade_class(
    order: Order,
    out: Path,
    graded: Mapping[str, GradedFolder],
    opened: Mapping[str, Source],
    keeper: Keeper,
    wanted: RegradeOptions,
    done: Callable[[str, int, int], None] = lambda step, made, of: None,
) -> Iterator[StudentOutcome]:
    """Grade once more what was graded into `out`, write what is new, and yield what became of each student. `opened`
    are hand-ins that are at hand. `done` is told of each step how many of how many hand-ins it has made. A run that is
    stopped leaves whole results, old ones and new ones; another one goes on from there.

    Raises OSError when something cannot be written, GradebookError when the gradebook cannot be used.
    """
    basis = basis_of(order.lab, order.truth)
    known_lab_standings = keeper.standings_for(order.lab.id)
    given = inputs_by(order, basis.maker.grader)
    keeper.begin(run_by(basis.maker.grader, order, wanted.options))
    run = ClassRun(out, order, keeper, known_lab_standings)
    done("grading", 0, len(order.sources))

    def still(source: Source, graded_folder: GradedFolder) -> Result | None:
        standing = known_lab_standings.standings.get(source.student_id)
        if standing is None or not findings_hold(graded_folder.folder, standing.grade.submission_sha256, basis):
            return None
        return restate_result(graded_folder, standing, given(source, standing.grade.inputs.source), order.lab)

    found = regrade_hand_ins(order, graded, opened, basis, only=wanted.only, workers=wanted.workers, still=still)
    made = 0
    while some := list(islice(found, _AT_A_TIME)):
        ready = {}
        for again in _rendered(out, some, opened, order, wanted):
            ready[again.student] = again
            done("grading", made + len(ready), len(order.sources))
        outcomes: list[StudentOutcome] = []
        for regrade in some:
            student = regrade.source.student_id
            standing = known_lab_standings.standings.get(student)
            inputs = _inputs(regrade, given, order, opened, standing)
            old = standing.grade if standing else _before(regrade.before, inputs)
            if regrade.after is None:
                keeper.hold([standing] if standing else [])
                run.made += [in_short(old, unchanged=True)] if old and regrade.before else []
                outcomes.append(StudentOutcome(regrade, None))
                continue
            report = ready.get(student)
            before = standing.files if standing else {}
            files = write(out, regrade, report, before, keep_report=report is None and not regrade.shows)
            grade = run.add(regrade.after, inputs, files, order.circumstances_of(regrade.source).overrides)
            problem = report.problem if report else ""
            outcomes.append(StudentOutcome(regrade, changes(old, grade) if old else None, problem))
        run.enter()
        yield from outcomes
        made += len(some)
        done("grading", made, len(order.sources))
    done("report of the class", 0, 1)
    run.finish(run.files())


def preview_regrade(
    order: Order,
    graded: Mapping[str, GradedFolder],
    opened: Mapping[str, Source],
    keeper: Keeper,
    wanted: RegradeOptions,
) -> Iterator[StudentOutcome]:
    """Yield the outcome that `regrade_class` would give each student. Nothing is written."""
    basis = basis_of(order.lab, order.truth)
    standings = keeper.standings_for(order.lab.id).standings
    given = inputs_by(order, basis.maker.grader)
    for student in regrade_hand_ins(order, graded, opened, basis, only=wanted.only, workers=wanted.workers):
        standing = standings.get(student.source.student_id)
        inputs = _inputs(student, given, order, opened, standing)
        old = standing.grade if standing else _before(student.before, inputs)
        new = new_grade(student.after, inputs, "") if student.after else None
        yield StudentOutcome(student, changes(old, new) if old and new else None)


def restate_result(graded_folder: GradedFolder, standing: Standing, inputs: Inputs, lab: Lab) -> Result | None:
    """The result of before with the version of the lab that it is graded by now, where it follows from the gradebook
    that nothing else of it is new: the file is as it was written, its inputs are those of now but for the lab's stored
    decisions, and these are not about it. None where that does not follow, as where a reader was consulted."""
    if (
        graded_folder.result is None
        or graded_folder.result.reader
        or not same_but_decisions(standing.grade.inputs, inputs)
    ):
        return None
    if hashlib.sha256(graded_folder.content).hexdigest() != standing.grade.result_sha256:
        return None
    if any(_may_be_decided(item, lab) for item in graded_folder.result.items):
        return None
    return graded_folder.result.model_copy(
        update={"lab": graded_folder.result.lab.model_copy(update={"sha256": lab.sha256})}
    )


def _may_be_decided(item: ItemResult, lab: Lab) -> bool:
    """Whether stored decisions are about an item, or were."""
    if item.decided_by or item.group.startswith((HAND_IN, UNREADABLE)) or lab.decisions.decision_for(item.group):
        return True
    return OVERRULED in item.tags or (is_automatic(item.tags) and is_withdrawn(lab, item.group.partition(":")[0]))


def _rendered(
    out: Path, found: Sequence[RegradedStudent], opened: Mapping[str, Source], order: Order, wanted: RegradeOptions
) -> Iterator[WorkerOutput]:
    """The reports of those who have another outcome, or of all that are written, if they are wanted. Where the evidence
    is as it was, its pictures are those of the report of before, and the hand-in is not opened."""
    results = [
        student.after
        for student in found
        if order.with_reports and student.after and (student.shows or (wanted.all_reports and student.changed))
    ]
    visible = {student: source for student, source in opened.items() if order.circumstances[student].blind is None}
    pictured: set[str] = set()
    for regrade in found:
        if regrade.source.student_id in visible and _has_its_pictures(out, regrade):
            del visible[regrade.source.student_id]
            pictured.add(regrade.source.student_id)

    def pictures(result: Result) -> Pictures:
        return pictures_of(page_text(_page(out, result)), result) if result.student.id in pictured else NONE

    yield from render_reports(results, visible, order, workers=wanted.workers, pictures=pictures)


def _has_its_pictures(out: Path, student: RegradedStudent) -> bool:
    """Whether the report of before has pictures, and those that there would be now. They are of the same evidence; of
    an item that is not correct there is a second one, if it has several places. Where there are as many as a report may
    have, those of items that are not correct come first."""
    if student.before is None or student.after is None or not student.shows:
        return False
    pairs = list(zip(student.before.items, student.after.items, strict=False))
    if [(old.id, old.evidence) for old, _ in pairs] != [(item.id, item.evidence) for item in student.after.items]:
        return False
    turned = [now for old, now in pairs if (old.status is Status.CORRECT) is not (now.status is Status.CORRECT)]
    if any(len({place_of(item.id, place) for place in item.evidence} - {None}) > 1 for item in turned):
        return False
    pictures = {picture.png for picture in pictures_of(page_text(_page(out, student.after)), student.after).values()}
    is_full = len(pictures) >= MOST_PICTURES or sum(map(len, pictures)) >= MOST_BYTES
    return bool(pictures) and not (turned and is_full)


def _page(out: Path, result: Result) -> Path:
    return out / result.student.id / PAGE


def _inputs(
    student: RegradedStudent,
    given: Callable[[Source, str], Inputs],
    order: Order,
    opened: Mapping[str, Source],
    standing: Standing | None,
) -> Inputs:
    """Return the inputs of a grade. A hand-in that was not opened counts as unchanged; data kept from other versions
    gives other inputs than those of a grade that is made anew."""
    if student.way is Way.SUBMISSION:
        source = opened[student.source.student_id]
        inputs = given(source, source_hashes([source], order.listings)[0])
    else:
        inputs = given(student.source, standing.grade.inputs.source if standing else "")
    if student.kept:
        inputs = inputs._replace(lab=hash_of([inputs.lab, [item.before.id for item in student.kept]]))
    if student.way is Way.OLD_READING:
        inputs = inputs._replace(grader=f"{inputs.grader}, from an older reading")
    return inputs


def _before(result: Result | None, inputs: Inputs) -> StoredGrade | None:
    """The grade of before, as its file tells it."""
    if result is None:
        return None
    was = inputs._replace(lab=result.lab.sha256, truth=result.truth_sha256)
    return new_grade(result, was, "")


class Cause(StrEnum):
    """The reason why a kept result differs from what is computed now."""

    UNREADABLE = "result unreadable"
    NO_SUBMISSION = "no submission"
    NO_READING = "no reading"
    FAILED = "grading failed"
    GRADER = "grader"
    LIBRARIES = "libraries"
    LAB = "lab"
    TRUTH = "truth"
    SUBMISSION = "submission"
    OVERRIDES = "overrides"
    LATENESS = "lateness"
    STUDENT = "student"
    LANGUAGE = "language"
    CHANGED = "changed after it was written"
    DEFECT = "defect"
    REPORT = "report"


class CauseChange(Frozen):
    """A cause, with what it was then and is now."""

    cause: Cause
    then: str = ""
    now: str = ""


class Key(Frozen):
    """The first key, such as `items[3].score`, at which two results differ, and both values as JSON."""

    key: str
    stored: str
    computed: str


def causes(stored: Result, now: Result, maker: Maker | None, current: Maker) -> Iterator[CauseChange]:
    """All that differs of what a result follows from. `maker` is what read the hand-in then, if that is known."""
    pairs: tuple[tuple[Cause, Callable[[Result], Any]], ...] = (
        (Cause.GRADER, lambda result: result.grader_version),
        (Cause.LAB, lambda result: result.lab.sha256),
        (Cause.TRUTH, lambda result: result.truth_sha256),
        (Cause.SUBMISSION, lambda result: result.submission.sha256),
        (Cause.OVERRIDES, _overrides),
        (Cause.LATENESS, _lateness),
        (Cause.STUDENT, lambda result: result.student.model_dump_json()),
        (Cause.LANGUAGE, lambda result: result.language),
    )
    values_by_cause = {cause: (part(stored), part(now)) for cause, part in pairs}
    differing = {cause: both for cause, both in values_by_cause.items() if both[0] != both[1]}
    if maker and maker.grader != current.grader and Cause.GRADER not in differing:
        yield from _maker_causes(maker, current)
    yield from (CauseChange(cause=cause, then=then, now=after) for cause, (then, after) in differing.items())


def _maker_causes(then: Maker, now: Maker) -> Iterator[CauseChange]:
    """Another grader under the same version: by its libraries, or by its code."""
    names = [name for name in now.libraries if then.libraries.get(name) != now.libraries[name]]
    for name in names:
        yield CauseChange(
            cause=Cause.LIBRARIES, then=f"{name} {then.libraries.get(name, '')}", now=f"{name} {now.libraries[name]}"
        )
    if not names:
        yield CauseChange(cause=Cause.GRADER, then=then.grader, now=now.grader)


def _overrides(result: Result) -> str:
    """The decisions themselves, not what the grader concluded before them."""
    decided = {
        item.id: put.model_dump(mode="json", exclude={"before", "score_before", "suggestion_before", "stale"})
        for item in result.items
        if (put := item.override or item.earlier)
    }
    return json.dumps(decided, sort_keys=True, ensure_ascii=False)


def _lateness(result: Result) -> str:
    late = result.lateness.model_dump_json() if result.lateness else "none"
    return f"{late}, handed in {result.submission.submitted_at or 'at an unknown time'}"


def first_difference(stored: Any, computed: Any, key: str = "") -> Key | None:
    """The first difference, in the order of the keys as they are written."""
    if isinstance(stored, dict) and isinstance(computed, dict):
        for name in dict.fromkeys((*computed, *stored)):
            if name not in stored or name not in computed:
                return _key(f"{key}.{name}", stored.get(name), computed.get(name))
            if found := first_difference(stored[name], computed[name], f"{key}.{name}"):
                return found
        return None
    if isinstance(stored, list) and isinstance(computed, list) and len(stored) == len(computed):
        pairs = enumerate(zip(stored, computed, strict=True))
        return next((found for n, pair in pairs if (found := first_difference(*pair, f"{key}[{n}]"))), None)
    return None if type(stored) is type(computed) and stored == computed else _key(key, stored, computed)


def _key(key: str, stored: Any, computed: Any) -> Key:
    return Key(key=key.removeprefix("."), stored=_shown(stored), computed=_shown(computed))


def _shown(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 200 else f"{text[:199]}…"


class Verdict(Frozen):
    """Whether a student's result, and reports if they were asked for, are byte for byte what is computed. `kept` are
    items that a regrade left as they were: what they were graded by is not at hand, so they are not computed again."""

    student: str
    same: bool
    why: tuple[CauseChange, ...] = ()
    first: Key | None = None
    kept: tuple[str, ...] = ()


Recorded = Mapping[str, str]
"""The hashes under which a gradebook has the students' results."""


def sample_order(order: Order, number: int | None, seed: int) -> Order:
    """The order for some of its students, the same for the same seed; for all where no number is given."""
    if number is None or number >= len(order.sources):
        return order
    picked = Random(seed).sample(sorted(order.sources, key=lambda source: source.student_id), number)  # noqa: S311  # no secret
    return replace(order, sources=tuple(picked))


def verify_results(
    order: Order,
    graded: Mapping[str, GradedFolder],
    opened: Mapping[str, Source] | None,
    *,
    recorded: Recorded,
    workers: int = 1,
    with_reports: bool = False,
) -> Iterator[Verdict]:
    """A verdict on every hand-in of the order, as they come: from the hand-ins in `opened`, or where that is None from
    the stored readings; never from kept findings."""
    basis = basis_of(order.lab, order.truth)
    waiting = []
    for source in order.sources:
        graded_folder = graded[source.student_id]
        if graded_folder.result is None:
            yield Verdict(
                student=source.student_id,
                same=False,
                why=(CauseChange(cause=Cause.UNREADABLE, now=graded_folder.problem),),
            )
        elif opened is not None and source.student_id not in opened:
            yield Verdict(student=source.student_id, same=False, why=(CauseChange(cause=Cause.NO_SUBMISSION),))
        else:
            waiting.append(source)
    if opened is not None:
        sources = [opened[source.student_id] for source in waiting]
        made = by_submissions(sources, order, None, workers=workers, with_reports=with_reports)
    else:
        some = [stored_hand_in(source, graded[source.student_id]) for source in waiting]
        made = by_readings(some, order, basis, workers=workers)
    for again in made:
        yield _verdict(graded[again.student], again, basis, recorded, with_reports=with_reports)


def _verdict(
    graded_folder: GradedFolder, again: WorkerOutput, basis: Basis, recorded: Recorded, *, with_reports: bool
) -> Verdict:
    stored = graded_folder.result
    if again.result is None or stored is None:
        cause = Cause.NO_READING if "stored reading" in again.problem else Cause.FAILED
        return Verdict(student=again.student, same=False, why=(CauseChange(cause=cause, now=again.problem),))
    computed, kept = _with_kept(stored, again.result)
    if computed.to_json().encode() == graded_folder.content:
        reports = _reports(graded_folder.folder, again) if with_reports else ()
        return Verdict(student=again.student, same=not reports, why=reports, kept=kept)
    written, hash_ = recorded.get(again.student, ""), hashlib.sha256(graded_folder.content).hexdigest()
    why: list[CauseChange] = []
    if written and written != hash_:
        why.append(CauseChange(cause=Cause.CHANGED, then=written, now=hash_))
    maker = None
    with contextlib.suppress(StoredReadingError):  # what read the hand-in when it was graded is known then
        maker = kept_in(graded_folder.folder / READING, Reading).maker
    why += causes(stored, computed, maker, basis.maker)
    if not why:  # the grader contradicts itself; unless the file was changed, and no gradebook can tell
        unknown = "" if written else "no gradebook tells whether the file was changed by hand"
        why = [CauseChange(cause=Cause.DEFECT, then=unknown)]
    first = first_difference(json.loads(graded_folder.content), json.loads(computed.to_json()))
    return Verdict(student=again.student, same=False, why=tuple(why), first=first, kept=kept)


def _with_kept(stored: Result, computed: Result) -> tuple[Result, tuple[str, ...]]:
    """The computed result with the items that a regrade left as they were, and which these are."""
    kept = tuple(item.id for item in stored.items if item.kept_from)
    if not kept:
        return computed, ()
    return merge_results(stored, computed, [item.id for item in computed.items if item.id not in kept]).result, kept


def _reports(folder: Path, again: WorkerOutput) -> tuple[CauseChange, ...]:
    if again.report is None:
        return (CauseChange(cause=Cause.REPORT, now=again.problem or "no report was made"),)
    made = {REPORT: again.report, PAGE: again.page}
    return tuple(
        CauseChange(cause=Cause.REPORT, then=name) for name, new in made.items() if _bytes(folder / name) != new
    )


def _bytes(path: Path) -> bytes | None:
    try:
        return path.read_bytes()
    except OSError:
        return None

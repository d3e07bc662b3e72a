"""A class of submissions: graded side by side on this machine or on those of a Dask cluster, each on its own, written
as they come.

Every machine isolates its jobs as a single one does, so a hand-in can touch no other there either. The machines see the
hand-ins under the same paths.
"""

import json
import shutil
import tempfile
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence, Sized
from dataclasses import replace
from pathlib import Path

from grader.gradebook.history import ClassChanges
from grader.gradebook.keeper import Keeper
from grader.gradebook.store import NO_INPUTS
from grader.intake.submission import Source
from grader.message import joined, language_of, say
from grader.pipeline import ClusterError
from grader.pipeline.cage import LAYERS, Layer
from grader.pipeline.class_files import class_files, unprotected_in
from grader.pipeline.isolation import Outcome, run_isolated
from grader.pipeline.order import Graded, Order, in_short, new_grade
from grader.pipeline.outputs import RESULT, Reports, write_atomically, write_student
from grader.pipeline.session import ALL, Plan
from grader.pipeline.temporary import temporary_folder
from grader.pipeline.worker import Job, anew, bounds_of, grade_job
from grader.result import Result

_Report = tuple[Result, Reports, str | None]


def grade_class(
    order: Order,
    out: Path,
    *,
    workers: int,
    done: Callable[[Graded], None],
    cluster: str | None = None,
    plan: Plan = ALL,
    keeper: Keeper | None = None,
    unprotected: Callable[[str], None] = lambda told: None,
) -> list[Graded]:
    """Grade into `out` what the plan leaves to do, and call `done` for each as it comes; the list holds everybody, in
    the order of the sources. The `keeper`, whose run has begun, is told of every grade.

    `cluster` is the address of a Dask scheduler, whose machines then do the work. `unprotected` is told once where
    something is not kept from the processes that read hand-ins; the class's file says it too.

    Raises OSError when `out` cannot be written, ClusterError when the cluster cannot be used.
    """
    out.mkdir(parents=True, exist_ok=True)
    _hold(out, plan, keeper)
    found = {student: in_short(one.grade, unchanged=True) for student, one in plan.unchanged.items()}
    changed = ClassChanges(plan.known.before)
    waiting = [source for source in order.sources if source.student_id not in found]
    before = unprotected_in(out) if found else frozenset[str]()
    lacking: set[Layer] = set()
    for (result, report, problem), layers in _outcomes(order, waiting, workers, cluster):
        if not lacking.issuperset(layers):
            unprotected(_unprotected(layers))
            lacking.update(layers)
        one = _kept(out, result, report, problem, plan, keeper, changed)
        found[result.student.id] = one
        done(one)
    ordered = [found[source.student_id] for source in order.sources]
    of_class = class_files(out, ordered, order, plan, before | lacking, changed.shown())
    if keeper:
        keeper.finish(*of_class)
    return ordered


def grade_alone(order: Order) -> Result:
    """The result of the only hand-in of an order, which is written nowhere. Whatever happens to its process, there is
    one."""
    (((result, _, _), _),) = _outcomes(order, list(order.sources), 1, None)
    return result


def _unprotected(layers: Sequence[Layer]) -> str:
    what = joined(say("; "), (LAYERS[layer] for layer in layers))
    return say(
        "A hand-in that takes over the process that reads it is not held back as it could be: {what}. `grade doctor` "
        "tells what that means here.",
        what=what,
    )


def _kept(
    out: Path,
    result: Result,
    report: Reports,
    problem: str | None,
    plan: Plan,
    keeper: Keeper | None,
    changed: ClassChanges,
) -> Graded:
    """A result that is written and entered. Where something else lies in its place, only this hand-in is without."""
    inputs = plan.inputs.get(result.student.id, NO_INPUTS)
    if _is_taken(out / result.student.id):
        reason = say("{path} is in the way; move it elsewhere, then grade again", path=out / result.student.id)
        failed = result.model_copy(update={"error": reason})
        return replace(in_short(new_grade(failed, inputs, ""), report_problem=reason), result=failed)
    files = write_student(out, result, report)
    if keeper:
        keeper.keep(result, inputs, files)
    grade = new_grade(result, inputs, files[RESULT])
    changed.add(grade)
    return in_short(grade, report_problem=problem)


def _is_taken(folder: Path) -> bool:
    """Whether a file lies where a student's folder is to be."""
    return folder.is_symlink() or (folder.exists() and not folder.is_dir())


def _hold(out: Path, plan: Plan, keeper: Keeper | None) -> None:
    for student, content in plan.restored.items():
        write_atomically(out / student / RESULT, content)
    if keeper:
        keeper.hold(plan.unchanged.values())


def _outcomes(
    order: Order, waiting: list[Source], workers: int, cluster: str | None
) -> Iterator[tuple[_Report, tuple[Layer, ...]]]:
    """Results and reports as they come, why there is no report, if there is none, and what was lacking to protect from
    the hand-in."""
    if not waiting:
        return
    from grader.pipeline.isolation import run_isolated
    from grader.pipeline.temporary import temporary_folder
    from grader.pipeline.worker import anew, bounds_of, grade_job

    preload = ("grader.pipeline.warm",)
    with tempfile.TemporaryDirectory(dir=temporary_folder(), ignore_cleanup_errors=True) as folder:
        jobs = _jobs(order, waiting, Path(folder))
        outcomes: Iterable[Outcome] = (
            run_on_cluster(cluster, jobs, preload=preload)
            if cluster
            else run_isolated(
                grade_job,
                jobs,
                workers=workers,
                preload=preload,
                bounds=bounds_of,
                anew=anew,
                warmth=warmth_of(order, waiting),
            )
        )
        for outcome in outcomes:
            shutil.rmtree(outcome.job.work, ignore_errors=True)
            yield _report(outcome), outcome.lacking


def warmth_of(order: Order, waiting: Sized) -> bytes:
    """What the server that workers are forked from is made ready by."""
    if len(waiting) <= 1:
        return b""
    model = order.lab.short_answers.model if order.lab.short_answers else None
    told = {
        "lab": order.lab.model_dump(mode="json"),
        "model": str(model.path) if model else "",
        "truth": order.truth.model_dump(mode="json"),
        "presentation": order.presentation.model_dump(mode="json") if order.with_reports else None,
        "hand_ins": len(waiting),
    }
    return json.dumps(told).encode()


def _jobs(order: Order, waiting: list[Source], folder: Path) -> "Iterator[Job]":
    from grader.pipeline.regrading.replay import basis_of
    from grader.pipeline.worker import Job

    basis = basis_of(order.lab, order.truth) if order.with_readings else None
    for number, source in enumerate(waiting):
        work = folder / str(number)
        work.mkdir()
        yield Job(
            source,
            order.lab,
            order.truth,
            work,
            order.with_reports,
            order.debug,
            order.circumstances_of(source),
            order.presentation,
            basis,
        )


def _report(outcome: "Outcome") -> _Report:
    """What a worker sent; where it ended before its result, or sent something else, a result that says so. It has
    handled what a stranger wrote, so nothing is taken for granted."""
    from grader.pipeline.worker import SENT_PAGE, SENT_PROBLEM, SENT_REPORT, SENT_RESULT, STAGES

    job: Job = outcome.job
    sent = {message[:1]: message[1:] for message in outcome.messages}
    if SENT_RESULT not in sent:
        return _failed(job, outcome.failure or say("its process sent no result"))
    try:
        result = Result.from_json(sent[SENT_RESULT])
    except (ValueError, RecursionError):
        return _failed(job, say("its process sent what is no result"))
    if result.student.id != job.source.student_id:
        return _failed(job, say("its process sent what is no result"))
    problem = sent[SENT_PROBLEM].decode(errors="replace") if SENT_PROBLEM in sent else outcome.failure
    stages = {name: sent[tag] for name, tag in STAGES.items() if tag in sent} | _answered(job)
    return result, Reports(sent.get(SENT_REPORT), sent.get(SENT_PAGE), stages), problem


def _failed(job: "Job", failure: str) -> _Report:
    from grader.pipeline.one import failed_result

    reason = say("Grading stopped: {failure}.", failure=failure)
    language = language_of(job.presentation.language)
    failed = failed_result(job.source, job.lab, job.truth, reason, job.circumstances, language)
    return failed, Reports(stages=_answered(job)), None


def _answered(job: "Job") -> dict[str, bytes]:
    """The file that keeps what a reader answered, where one was asked."""
    from grader.reader.answer import FILE, packed

    record = job.circumstances.reader
    return {FILE: packed(record)} if record else {}


def run_on_cluster(
    address: str, jobs: Iterable[Job], *, preload: tuple[str, ...] = ()
) -> Generator[Outcome, None, None]:
    """Run jobs on the cluster whose scheduler is at an address, and yield the outcomes as they come.

    Raises ClusterError when Dask is not installed or no scheduler answers.
    """
    try:
        from distributed import Client, as_completed
    except ImportError as error:
        raise ClusterError("Dask is needed for --cluster: pip install 'lab-grader[cluster]'.") from error
    try:
        client = Client(address, timeout="10s")  # type: ignore[no-untyped-call]
    except (OSError, ValueError) as error:
        raise ClusterError(f"no Dask scheduler answers at {address}: start one with `dask scheduler`.") from error
    with client:
        waiting = {client.submit(_run_there, job, preload, pure=False): job for job in jobs}
        for future in as_completed(waiting):  # type: ignore[no-untyped-call]
            try:
                messages, failure, lacking = future.result()
            except Exception as error:  # a worker that is lost must not cost the other hand-ins
                messages, failure, lacking = (), f"the cluster lost it ({type(error).__name__})", ()
            yield Outcome(waiting[future], messages, failure, lacking)


def _run_there(job: Job, preload: tuple[str, ...]) -> tuple[tuple[bytes, ...], str | None, tuple[Layer, ...]]:
    """One job, on the machine of a worker."""
    with tempfile.TemporaryDirectory(dir=temporary_folder(), ignore_cleanup_errors=True) as folder:
        work = Path(folder) / "work"
        work.mkdir()
        (outcome,) = run_isolated(
            grade_job, [replace(job, work=work)], workers=1, preload=preload, bounds=bounds_of, anew=anew
        )
    return outcome.messages, outcome.failure, outcome.lacking

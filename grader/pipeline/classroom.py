"""A class of submissions: graded side by side, each on its own, written as they come."""

import shutil
import tempfile
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from grader.gradebook.inputs import NO_INPUTS
from grader.gradebook.keeper import Keeper
from grader.intake.submission import Source
from grader.language import language_of
from grader.message import say
from grader.pipeline.class_files import class_files
from grader.pipeline.graded import Graded, graded
from grader.pipeline.order import Order
from grader.pipeline.outputs import RESULT, Reports, write_atomically, write_student
from grader.pipeline.plan import ALL, Plan
from grader.result import Result

if TYPE_CHECKING:
    from grader.pipeline.isolation import Outcome
    from grader.pipeline.worker import Job

__all__ = ["Graded", "grade_class"]

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
) -> list[Graded]:
    """Grade into `out` what the plan leaves to do, and call `done` for each as it comes; the list holds everybody, in
    the order of the sources. The `keeper`, whose run has begun, is told of every grade.

    `cluster` is the address of a Dask scheduler, whose machines then do the work.

    Raises OSError when `out` cannot be written, ClusterError when the cluster cannot be used.
    """
    out.mkdir(parents=True, exist_ok=True)
    _hold(out, plan, keeper)
    found = {student: Graded(one.grade) for student, one in plan.unchanged.items()}
    waiting = [source for source in order.sources if source.student_id not in found]
    for result, report, problem in _outcomes(order, waiting, workers, cluster):
        files = write_student(out, result, report)
        one = graded(result, plan.inputs.get(result.student.id, NO_INPUTS), files[RESULT], problem)
        if keeper:
            keeper.keep(result, one.grade.inputs, files)
        found[result.student.id] = one
        done(one)
    ordered = [found[source.student_id] for source in order.sources]
    of_class = class_files(out, ordered, order, plan)
    if keeper:
        keeper.finish(*of_class)
    return ordered


def _hold(out: Path, plan: Plan, keeper: Keeper | None) -> None:
    for student, content in plan.restored.items():
        write_atomically(out / student / RESULT, content)
    if keeper:
        keeper.hold(plan.unchanged.values())


def _outcomes(order: Order, waiting: list[Source], workers: int, cluster: str | None) -> Iterator[_Report]:
    """Results and reports as they come, and why there is no report, if there is none."""
    if not waiting:
        return
    from grader.pipeline.cluster import run_on_cluster
    from grader.pipeline.isolation import run_isolated
    from grader.pipeline.worker import grade_job

    preload = ("grader.pipeline.warm" if order.with_reports else "grader.pipeline.worker",)
    with tempfile.TemporaryDirectory(prefix="grade-", ignore_cleanup_errors=True) as folder:
        jobs = _jobs(order, waiting, Path(folder))
        outcomes: Iterable[Outcome] = (
            run_on_cluster(cluster, jobs, preload=preload)
            if cluster
            else run_isolated(grade_job, jobs, workers=workers, preload=preload)
        )
        for outcome in outcomes:
            shutil.rmtree(outcome.job.work, ignore_errors=True)
            yield _report(outcome)


def _jobs(order: Order, waiting: list[Source], folder: Path) -> "Iterator[Job]":
    from grader.pipeline.replay import basis_of
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
    """What a worker sent; where it ended before its result, a result that says so."""
    from grader.pipeline.one import failed_result
    from grader.pipeline.worker import PAGE, PROBLEM, REPORT, STAGES
    from grader.pipeline.worker import RESULT as SENT

    job: Job = outcome.job
    sent = {message[:1]: message[1:] for message in outcome.messages}
    if SENT not in sent:
        reason = say("Grading stopped: {failure}.", failure=outcome.failure or say("its process sent no result"))
        language = language_of(job.presentation.language)
        return (
            failed_result(job.source, job.lab, job.truth, reason, job.circumstances, language),
            Reports(stages={}),
            None,
        )
    problem = sent[PROBLEM].decode() if PROBLEM in sent else outcome.failure
    stages = {name: sent[tag] for name, tag in STAGES.items() if tag in sent}
    return Result.from_json(sent[SENT]), Reports(sent.get(REPORT), sent.get(PAGE), stages), problem

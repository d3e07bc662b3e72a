"""A class of submissions: graded side by side on this machine or on those of a Dask cluster, each on its own, written
as they come.

Every machine isolates its jobs as a single one does, so a hand-in can touch no other there either.
"""

import json
import shutil
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sized
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final, NamedTuple

from grader.gradebook.keeper import Keeper
from grader.gradebook.store import NO_INPUTS, new_grade
from grader.intake.store import Store, StoreError, fetch_source
from grader.intake.submission import Source
from grader.lab.definition import Lab
from grader.lab.truth import GroundTruth
from grader.message import join_messages, language_of, say
from grader.pipeline import ClusterError
from grader.pipeline.cage import LAYERS, Layer, temporary_folder
from grader.pipeline.class_files import ClassRun, unprotected_in
from grader.pipeline.isolation import Outcome, run_isolated
from grader.pipeline.order import ORDINARY, Circumstances, GradeSummary, Order, failed_result, in_short
from grader.pipeline.outputs import (
    CLASS_FILES,
    RESULT,
    Reports,
    StoreOutput,
    put_report,
    write_atomically,
    write_student,
)
from grader.pipeline.session import ALL, Plan
from grader.pipeline.stages import Basis, basis_of
from grader.pipeline.worker import Job, bounds_of, follow_up_job, grade_job, read_output
from grader.reader.answer import FILE as ANSWERS
from grader.reader.answer import pack_record
from grader.report.resources import Presentation
from grader.result import Override, Result

PRELOAD: Final = ("grader.pipeline.warm",)
"""What the server that workers are forked from imports."""
_MOST_UNFETCHED: Final = 10
"""After so many hand-ins, one after the other, that cannot be fetched, the store is taken for lost."""


@dataclass(frozen=True)
class SharedSettings:
    """The settings that all hand-ins of a run share; the same on every machine. `stores` are those in which hand-ins
    lie, `out` the one that receives their reports, if any."""

    lab: Lab
    truth: GroundTruth
    with_report: bool
    debug: bool
    presentation: Presentation
    basis: Basis | None
    stores: tuple[Store, ...] = ()
    out: Store | None = None


class Delivery(NamedTuple):
    """A hand-in's result, its reports, why there are none, if there are none, and the layers that were lacking to
    protect from it. Reports that were put into a store already are `stored`: their hashes, by name. `unfetched` is why
    the hand-in could not be had from its store."""

    result: Result
    report: Reports
    problem: str | None = None
    lacking: tuple[Layer, ...] = ()
    stored: Mapping[str, str] | None = None
    unfetched: str | None = None


def shared_by(order: Order, elsewhere: StoreOutput | None = None) -> SharedSettings:
    """Return the settings that the hand-ins of an order share."""
    return SharedSettings(
        lab=order.lab,
        truth=order.truth,
        with_report=order.with_reports,
        debug=order.debug,
        presentation=order.presentation,
        basis=basis_of(order.lab, order.truth) if order.with_readings else None,
        stores=tuple(listing.store for listing in order.listings),
        out=elsewhere.store if elsewhere else None,
    )


def job_of(shared: SharedSettings, source: Source, circumstances: Circumstances, folder: Path) -> Job:
    """The job of grading a hand-in on this machine, fetched if it lies in a store; `folder` is a new one, for it
    alone. Raises OSError, StoreError."""
    work = folder / "work"
    work.mkdir(parents=True)
    return Job(
        fetch_source(source, shared.stores, folder / "hand-in", temporary_folder() / "archives"),
        shared.lab,
        shared.truth,
        work,
        shared.with_report,
        shared.debug,
        circumstances,
        shared.presentation,
        shared.basis,
    )


def delivery_of(outcome: Outcome, shared: SharedSettings) -> Delivery:
    """Return the delivery of a worker; if the worker ended before its result, or sent something else, a result that
    says so. The worker has handled a stranger's files, so nothing is taken for granted. Raises StoreError if the
    reports cannot be put where they belong."""
    job: Job = outcome.job
    made = read_output(job.source.student_id, outcome)
    if made.result is None:
        failure = made.problem or say("its process sent no valid result")
        return failure_of(shared, job.source, job.circumstances, failure)._replace(lacking=outcome.lacking)
    report = Reports(made.report, made.page, {**made.stages, **_answered(job.circumstances)})
    if shared.out is None:
        return Delivery(made.result, report, made.problem or None, outcome.lacking)
    stored = put_report(shared.out, made.student, report)
    return Delivery(made.result, Reports(), made.problem or None, outcome.lacking, stored)


def failure_of(shared: SharedSettings, source: Source, circumstances: Circumstances, failure: str) -> Delivery:
    """The delivery of a hand-in that could not be graded: all of it awaits a person."""
    reason = say("Grading stopped: {failure}.", failure=failure)
    language = language_of(shared.presentation.language)
    failed = failed_result(source, shared.lab, shared.truth, reason, circumstances, language)
    return Delivery(failed, Reports(stages=_answered(circumstances)))


def _answered(circumstances: Circumstances) -> dict[str, bytes]:
    """The file that keeps what a reader answered, where one was asked."""
    return {ANSWERS: pack_record(circumstances.reader)} if circumstances.reader else {}


def grade_class(
    order: Order,
    out: Path,
    *,
    workers: int,
    done: Callable[[GradeSummary], None],
    cluster: str | None = None,
    plan: Plan = ALL,
    keeper: Keeper | None = None,
    notify: Callable[[str], None] = lambda message: None,
    elsewhere: StoreOutput | None = None,
) -> list[GradeSummary]:
    """Grade into `out` what the plan leaves to do, and call `done` for each as it comes; the list holds everybody, in
    the order of the sources. The `keeper`, whose run has begun, is told of every grade.

    `cluster` is the address of a Dask scheduler, or the file that describes a cluster (`pipeline/cluster.py`); its
    machines then do the work. `notify` hears once where something is not kept from the processes that read hand-ins
    (the class's file says it too), and what staff should know of the cluster. With `elsewhere` results go to a store;
    `out` is then the folder that holds what this machine needs of them.

    Raises OSError when `out` cannot be written, ClusterError when the cluster cannot be used, StoreError when a store
    cannot.
    """
    out.mkdir(parents=True, exist_ok=True)
    if keeper:
        for student, content in keeper.stored_contents(plan.unchanged[student] for student in plan.restored):
            write_atomically(out / student / RESULT, content)
            if elsewhere:
                elsewhere.put_back([f"{student}/{RESULT}"])
        keeper.hold(plan.unchanged.values())
    run = ClassRun(out, order, keeper, plan.known)
    run.made += [in_short(standing.grade, unchanged=True) for standing in plan.unchanged.values()]
    waiting = [source for source in order.sources if source.student_id not in plan.unchanged]
    before = unprotected_in(out) if plan.unchanged else frozenset[str]()
    lacking: set[Layer] = set()
    for delivery in _deliveries(order, waiting, workers, cluster, notify, elsewhere):
        if not lacking.issuperset(delivery.lacking):
            what = join_messages(say("; "), (LAYERS[layer] for layer in delivery.lacking))
            notify(
                say(
                    "This machine lacks a protection against submissions that take over the process that reads them: "
                    "{what}. `grade doctor` explains it.",
                    what=what,
                )
            )
            lacking.update(delivery.lacking)
        student = delivery.result.student.id
        decided = order.circumstances.get(student, ORDINARY).overrides
        _keep(run, out, delivery, plan, elsewhere, decided)
        done(run.made[-1])
    of_class = run.files(before | lacking)
    if elsewhere:
        elsewhere.put_back(CLASS_FILES)
    run.finish(of_class)
    found = {grade.student: grade for grade in run.made}
    return [found[source.student_id] for source in order.sources]


def grade_alone(order: Order) -> Result:
    """The result of the only hand-in of an order, which is written nowhere. Whatever happens to its process, there is
    one."""
    (delivery,) = _here(shared_by(order), order, list(order.sources), 1)
    return delivery.result


def _keep(
    run: ClassRun,
    out: Path,
    delivery: Delivery,
    plan: Plan,
    elsewhere: StoreOutput | None,
    overrides: Mapping[str, Override],
) -> None:
    """Write and enter a result. Where something else lies in its place, only this hand-in is without."""
    result = delivery.result
    inputs = plan.inputs.get(result.student.id, NO_INPUTS)
    folder = out / result.student.id
    if folder.is_symlink() or (folder.exists() and not folder.is_dir()):
        reason = say("{path} is in the way; move it elsewhere, then grade again", path=folder)
        failed = result.model_copy(update={"error": reason})
        run.made.append(replace(in_short(new_grade(failed, inputs, ""), report_problem=reason), result=failed))
        return
    if elsewhere:
        stored = delivery.stored
        if stored is None:
            stored = put_report(elsewhere.store, result.student.id, delivery.report)
        files = elsewhere.put_student(result, stored)
    else:
        files = write_student(out, result, delivery.report)
    run.add(result, inputs, files, overrides, delivery.problem)
    run.enter()


def _deliveries(
    order: Order,
    waiting: list[Source],
    workers: int,
    cluster: str | None,
    notify: Callable[[str], None],
    elsewhere: StoreOutput | None,
) -> Iterator[Delivery]:
    """Results and reports as they come. Raises StoreError where one hand-in after the other cannot be fetched."""
    if not waiting:
        return
    shared = shared_by(order, elsewhere)
    if cluster is None:
        found = _here(shared, order, waiting, workers)
    else:
        try:
            from grader.pipeline.cluster import run_on_cluster
        except ImportError as error:
            raise ClusterError("Dask is needed for --cluster: pip install 'lab-grader[cluster]'.") from error
        hand_ins = ((source, order.circumstances_of(source)) for source in waiting)
        found = run_on_cluster(cluster, shared, warmth_of(order, waiting), hand_ins, notify)
    in_a_row = 0
    for delivery in found:
        yield delivery
        in_a_row = in_a_row + 1 if delivery.unfetched else 0
        if delivery.unfetched and in_a_row == _MOST_UNFETCHED:
            raise StoreError(f"{in_a_row} submissions, one after the other, could not be fetched. {delivery.unfetched}")


def _here(shared: SharedSettings, order: Order, waiting: list[Source], workers: int) -> Iterator[Delivery]:
    """Yield the deliveries of hand-ins that are graded on this machine. Hand-ins that could not be fetched come with
    the next graded one."""
    unfetched: list[Delivery] = []

    def jobs() -> Iterator[Job]:
        for number, source in enumerate(waiting):
            circumstances = order.circumstances_of(source)
            try:
                yield job_of(shared, source, circumstances, Path(folder, str(number)))
            except StoreError as error:
                unfetched.append(unfetched_of(shared, source, circumstances, error))

    with tempfile.TemporaryDirectory(dir=temporary_folder(), ignore_cleanup_errors=True) as folder:
        outcomes = run_isolated(
            grade_job,
            jobs(),
            workers=workers,
            preload=PRELOAD,
            bounds=bounds_of,
            anew=follow_up_job,
            warmth=warmth_of(order, waiting),
        )
        for outcome in outcomes:
            shutil.rmtree(outcome.job.work.parent, ignore_errors=True)
            yield from unfetched
            unfetched.clear()
            yield delivery_of(outcome, shared)
    yield from unfetched


def unfetched_of(shared: SharedSettings, source: Source, circumstances: Circumstances, error: StoreError) -> Delivery:
    """The delivery of a hand-in that could not be had from its store."""
    return failure_of(shared, source, circumstances, str(error).rstrip("."))._replace(unfetched=str(error))


def warmth_of(order: Order, waiting: Sized, *, again: bool = False, only_reports: bool = False) -> bytes:
    """Return the message that prepares the server from which workers are forked: whether a hand-in is graded `alone`,
    whether results are made once `again`, and whether `only_reports` are made of what is graded."""
    if len(waiting) <= 1:
        return json.dumps({"alone": True, "with_reports": order.with_reports}).encode()
    model = order.lab.short_answers.model if order.lab.short_answers else None
    settings = {
        "alone": False,
        "lab": order.lab.model_dump(mode="json"),
        "model": str(model.path) if model else "",
        "truth": order.truth.model_dump(mode="json"),
        "presentation": order.presentation.model_dump(mode="json") if order.with_reports else None,
        "again": again,
        "only_reports": only_reports,
    }
    return json.dumps(settings).encode()

"""A class of submissions: graded side by side, each on its own, written as they come."""

import shutil
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

from grader.cohort.statistics import summarise
from grader.intake.submission import Source
from grader.lab.definition import Lab
from grader.lab.truth import GroundTruth
from grader.pipeline.circumstances import ORDINARY, Circumstances
from grader.pipeline.cluster import run_on_cluster
from grader.pipeline.isolation import Outcome, run_isolated
from grader.pipeline.one import failed_result
from grader.pipeline.outputs import Reports, write_class, write_student
from grader.pipeline.worker import PAGE, PROBLEM, REPORT, RESULT, Job, grade_job
from grader.report.presentation import PLAIN, Presentation
from grader.result import Result


@dataclass(frozen=True)
class Graded:
    """A graded submission, and why its report could not be made, if it could not."""

    result: Result
    report_problem: str | None = None


def grade_class(
    sources: Sequence[Source],
    lab: Lab,
    truth: GroundTruth,
    out: Path,
    *,
    workers: int,
    with_reports: bool,
    done: Callable[[Graded], None],
    debug: bool = False,
    circumstances: Mapping[str, Circumstances] = MappingProxyType({}),
    cluster: str | None = None,
    presentation: Presentation = PLAIN,
) -> list[Graded]:
    """Grade all sources into `out` and call `done` for each as it comes; the list is in the order of the sources.
    `debug` has the workers print where in the program an error happened. `circumstances` are by student id. `cluster`
    is the address of a Dask scheduler, whose machines then do the work.

    Raises OSError when `out` cannot be written, ClusterError when the cluster cannot be used.
    """
    out.mkdir(parents=True, exist_ok=True)
    graded: dict[str, Graded] = {}
    with tempfile.TemporaryDirectory(prefix="grade-", ignore_cleanup_errors=True) as folder:
        jobs = (
            Job(
                source,
                lab,
                truth,
                _empty(Path(folder) / str(number)),
                with_reports,
                debug,
                circumstances.get(source.student_id, ORDINARY),
                presentation,
            )
            for number, source in enumerate(sources)
        )
        preload = _preload(with_reports=with_reports)
        if cluster:
            outcomes = run_on_cluster(cluster, jobs, preload=preload)
        else:
            outcomes = run_isolated(grade_job, jobs, workers=workers, preload=preload)
        for outcome in outcomes:
            shutil.rmtree(outcome.job.work, ignore_errors=True)
            one, report = _graded(outcome)
            write_student(out, one.result, report)
            graded[one.result.student.id] = one
            done(one)
    ordered = [graded[source.student_id] for source in sources]
    _write_class(out, [one.result for one in ordered], with_report=with_reports, presentation=presentation)
    return ordered


def _preload(*, with_reports: bool) -> tuple[str, ...]:
    return ("grader.pipeline.warm" if with_reports else "grader.pipeline.worker",)


def _empty(folder: Path) -> Path:
    folder.mkdir()
    return folder


def _graded(outcome: Outcome) -> tuple[Graded, Reports]:
    """The result and reports that a worker sent; where it ended before its result, a result that says so."""
    job: Job = outcome.job
    sent = {message[:1]: message[1:] for message in outcome.messages}
    if RESULT not in sent:
        reason = f"Grading stopped: {outcome.failure or 'its process sent no result'}."
        return Graded(failed_result(job.source, job.lab, job.truth, reason, job.circumstances)), Reports()
    problem = sent[PROBLEM].decode() if PROBLEM in sent else outcome.failure
    return Graded(Result.from_json(sent[RESULT]), problem), Reports(sent.get(REPORT), sent.get(PAGE))


def _write_class(out: Path, results: list[Result], *, with_report: bool, presentation: Presentation) -> None:
    summary = summarise(results)
    report = Reports()
    if with_report:
        from grader.report.render import class_page, class_report

        report = Reports(
            class_report(results, summary, presentation), class_page(results, summary, presentation).encode()
        )
    write_class(out, results, summary, report)

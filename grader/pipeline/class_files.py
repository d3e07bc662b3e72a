"""The files about a class as a whole, its report among them, made anew only where something about them is new."""

import json
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, NamedTuple

from grader.cohort.statistics import ClassSummary
from grader.gradebook.store import Files, Run
from grader.message import say
from grader.pipeline.cage import Bounds, Layer
from grader.pipeline.hashes import hash_of
from grader.pipeline.isolation import MEMORY, SECONDS, Send, run_isolated
from grader.pipeline.order import Graded, Order
from grader.pipeline.outputs import CLASS, CLASS_FILES, GRADES, RESULT, Reports, files_in, write_class
from grader.pipeline.session import Plan
from grader.pipeline.temporary import temporary_folder
from grader.pipeline.worker import SENT_PAGE, SENT_PROBLEM, SENT_REPORT, own_templates
from grader.report.pictures import Pictures
from grader.report.resources import Presentation
from grader.result import Result


class ClassFiles(NamedTuple):
    """What the files were made from, as a hash, and the hashes of the files by name."""

    made_from: str
    files: Files


def class_files(
    out: Path, graded: Sequence[Graded], order: Order, plan: Plan, lacking: frozenset[str] | None = None
) -> ClassFiles:
    """Those that lie in `out` if they are still true, else new ones. `lacking` are the layers of protection that were
    not there for some hand-in of the class; where that is not given, what those files said of it. Raises OSError."""
    lacking = unprotected_in(out) if lacking is None else lacking
    hash_ = _made_from(graded, order, lacking)
    return _still_true(out, plan.known.last, hash_, with_report=order.with_reports) or ClassFiles(
        hash_, _written(out, graded, order, plan, lacking)
    )


def unprotected_in(out: Path) -> frozenset[str]:
    """What the class file in `out` says of layers of protection that were lacking; nothing where there is none."""
    try:
        found = json.loads((out / CLASS).read_bytes())["unprotected"]
        return frozenset(found) & frozenset(Layer)
    except (OSError, ValueError, LookupError, TypeError):
        return frozenset()


def _made_from(graded: Sequence[Graded], order: Order, lacking: frozenset[str]) -> str:
    grades = sorted((one.grade.student, one.grade.result_sha256) for one in graded)
    shown = sorted({(one.grade.inputs.grader, one.grade.inputs.presentation) for one in graded})
    return hash_of([grades, shown, [one.model_dump() for one in order.missing], sorted(lacking)])


def _still_true(out: Path, last: Run | None, made_from: str, *, with_report: bool) -> ClassFiles | None:
    """The files in `out`, if the last run wrote them from the same grades and they lie there as written; reports may
    be missing where they are not wanted."""
    if last is None or last.class_sha256 != made_from:
        return None
    there = files_in(out, CLASS_FILES)
    needed = CLASS_FILES if with_report else (GRADES, CLASS)
    as_written = all(last.files.get(name) == content for name, content in there.items())
    return ClassFiles(made_from, there) if as_written and all(name in there for name in needed) else None


def _written(out: Path, graded: Sequence[Graded], order: Order, plan: Plan, lacking: frozenset[str]) -> Files:
    """Made from the results of this run and those that lie in `out` unchanged.

    The report tells what became of the grades before; the other files do not, so that they depend on nothing but the
    grades.
    """
    from grader.cohort.statistics import summarise
    from grader.gradebook.history import class_changes, differences

    results = [one.result or Result.from_json((out / one.grade.student / RESULT).read_bytes()) for one in graded]
    summary = summarise(results, missing=order.missing, unprotected=lacking)
    report, failure = Reports(), None
    if order.with_reports:
        from grader.pipeline.pictures import example_pictures

        before = {student: one.grade for student, one in plan.known.before.items()}
        found = differences(before, {one.grade.student: one.grade for one in graded})
        told = summary.model_copy(update={"changes": class_changes(found)})
        pictures = example_pictures(out, results, told)
        report, failure = rendered_apart(results, told, order.presentation, pictures, debug=order.debug)
    files = write_class(out, results, summary, report)
    if failure:
        raise RuntimeError(say("there is no report of the class: {failure}", failure=failure))
    return files


_SECONDS_EACH: Final = 1.0
_BYTES_EACH: Final = 4 * 2**20
"""What each student adds to the limits."""


@dataclass(frozen=True)
class _ClassJob:
    results: Sequence[Result]
    summary: ClassSummary
    presentation: Presentation
    pictures: Pictures
    work: Path
    debug: bool


def rendered_apart(
    results: Sequence[Result], summary: ClassSummary, presentation: Presentation, pictures: Pictures, *, debug: bool
) -> tuple[Reports, str | None]:
    """The report as PDF and as HTML, and why it is not there, if it is not. `pictures` are by `class_place`."""
    with tempfile.TemporaryDirectory(dir=temporary_folder(), ignore_cleanup_errors=True) as folder:
        (outcome,) = run_isolated(
            _render,
            [_ClassJob(results, summary, presentation, dict(pictures), Path(folder), debug)],
            workers=1,
            preload=("grader.pipeline.warm",),
            seconds=SECONDS + _SECONDS_EACH * len(results),
            memory=MEMORY + _BYTES_EACH * len(results),
            bounds=_bounds,
        )
    sent = {message[:1]: message[1:] for message in outcome.messages}
    failure = sent[SENT_PROBLEM].decode(errors="replace") if SENT_PROBLEM in sent else outcome.failure
    return Reports(sent.get(SENT_REPORT), sent.get(SENT_PAGE)), failure


def _bounds(job: _ClassJob) -> Bounds:
    return Bounds(own_templates(job.presentation), job.work, talks=job.debug)


def _render(job: _ClassJob, send: Send) -> None:
    from grader.report.render import class_page, class_report

    try:
        send(SENT_REPORT + class_report(job.results, job.summary, job.presentation, job.pictures))
        send(SENT_PAGE + class_page(job.results, job.summary, job.presentation, job.pictures).encode())
    except Exception as error:
        send(SENT_PROBLEM + f"{type(error).__name__}: {error}".encode())
        if job.debug:
            raise

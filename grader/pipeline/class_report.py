"""The report of a class, rendered like those of students: in a caged process, as it shows what students wrote."""

import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from grader.cohort.statistics import ClassSummary
from grader.pipeline.cage import Bounds
from grader.pipeline.isolation import MEMORY, SECONDS, Send, run_isolated
from grader.pipeline.outputs import Reports
from grader.pipeline.temporary import temporary_folder
from grader.pipeline.worker import SENT_PAGE, SENT_PROBLEM, SENT_REPORT, own_templates
from grader.report.pictures import Pictures
from grader.report.presentation import Presentation
from grader.result import Result

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

"""Reports made in processes of their own."""

import statistics
import time
from collections.abc import Callable
from hashlib import sha256
from multiprocessing import get_context
from typing import Any, NamedTuple

from grader.pipeline.isolation import Send, run_isolated
from grader.report.pdf import html_to_pdf
from grader.report.render import student_report
from grader.report.resources import templates_folder
from grader.result import Result

PRELOAD = ("weasyprint", "grader.report.render")
PAIRS = 3
EACH = 6
"""Reports that each of two jobs makes."""


class Job(NamedTuple):
    """A result as JSON, and its report as HTML."""

    result: str
    html: str


class ClassSeconds(NamedTuple):
    """CPU seconds of a process that makes reports: all, to come up, and for each by bare WeasyPrint once warm."""

    whole: float
    start_up: float
    warm: float


def bare(html: str) -> bytes:
    """A PDF by WeasyPrint alone."""
    from weasyprint import HTML

    base = f"{templates_folder().resolve().as_uri()}/"
    pdf: bytes = HTML(string=html, base_url=base).write_pdf(pdf_variant="pdf/ua-1")
    return pdf


def class_seconds(job: Job, students: int) -> ClassSeconds:
    """What a fresh process takes for a class."""
    return ClassSeconds(*_fresh(_class, job, students))


def two_jobs(job: Job) -> float:
    """How many times faster two processes make reports than one, by the wall clock: the median of some pairs of runs.

    It says little where the machine has other work.
    """
    jobs = [job] * (2 * EACH)
    return statistics.median(_wall(jobs, 1) / _wall(jobs, 2) for _ in range(PAIRS))


def same_bytes(job: Job) -> bool:
    """Whether reports from two processes are the same."""
    return len({outcome.messages for outcome in run_isolated(_hash, [job] * 2, workers=2, preload=PRELOAD)}) == 1


def memory_after(job: Job, counts: tuple[int, ...]) -> list[float]:
    """The resident memory, in MiB, of one process after so many reports."""
    measured: list[float] = _fresh(_many, job, counts)
    return measured


def _wall(jobs: list[Job], workers: int) -> float:
    started = time.perf_counter()
    for outcome in run_isolated(_hash, jobs, workers=workers, preload=PRELOAD):
        if outcome.failure:
            raise ValueError(outcome.failure)
    return time.perf_counter() - started


def _hash(job: Job, send: Send) -> None:
    send(sha256(student_report(Result.from_json(job.result))).digest())


def _fresh(action: Callable[..., Any], *arguments: Any) -> Any:
    """What an action returns in a process that starts from nothing."""
    with get_context("spawn").Pool(1) as pool:
        return pool.apply(action, arguments)


def _class(job: Job, students: int) -> tuple[float, float, float]:
    result = Result.from_json(job.result)
    html_to_pdf("<html lang='en'><title>t</title><p>x")
    start_up = time.process_time()
    for _ in range(students):
        student_report(result)
    whole = time.process_time()
    for _ in range(students):
        bare(job.html)
    return whole, start_up, (time.process_time() - whole) / students


def _many(job: Job, counts: tuple[int, ...]) -> list[float]:
    result, made, measured = Result.from_json(job.result), 0, []
    for count in counts:
        for _ in range(count - made):
            student_report(result)
        made = count
        measured.append(_resident())
    return measured


def _resident() -> float:
    """Memory of this process now, in MiB (Linux)."""
    with open("/proc/self/statm", encoding="ascii") as file:  # noqa: PTH123  no file of the project
        pages = int(file.read().split()[1])
    return pages * 4096 / 2**20

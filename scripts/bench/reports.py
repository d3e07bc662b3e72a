"""Making reports: against bare WeasyPrint on the same page, in processes of their own, and over a thousand of them,
which takes some minutes.
"""

import statistics
import time
from collections.abc import Callable, Iterator
from functools import partial
from hashlib import sha256
from multiprocessing import get_context
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

from grader.intake.layouts import find_all_sources
from grader.intake.opening import open_submission
from grader.intake.submission import Submission
from grader.lab.files import lab_folder, load_lab, load_truth
from grader.pipeline.isolation import Send, run_isolated
from grader.pipeline.one import grade_submission
from grader.pipeline.pictures import evidence_pictures
from grader.report.pdf import html_to_pdf
from grader.report.render import student_html, student_page, student_report
from grader.report.resources import templates_folder
from grader.report.specimen import specimens
from grader.result import Result, Status
from scripts.bench.figure import Figure, median_ratio, median_seconds

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


def bare_pdf(html: str) -> bytes:
    """A PDF by WeasyPrint alone."""
    from weasyprint import HTML

    base = f"{templates_folder().resolve().as_uri()}/"
    pdf: bytes = HTML(string=html, base_url=base).write_pdf(pdf_variant="pdf/ua-1")
    return pdf


def class_seconds(job: Job, students: int) -> ClassSeconds:
    """Return the time that a fresh process takes for a class."""
    return ClassSeconds(*_fresh(_class, job, students))


def two_jobs(job: Job) -> float:
    """Return how many times faster two processes make reports than one, by the wall clock: the median of some pairs of
    runs.

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
    """Return an action's result from a process that starts from nothing."""
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
        bare_pdf(job.html)
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


COUNTS = (200, 1000)


def memory_figures() -> Iterator[Figure]:
    """Resident memory of one process over many short reports, which must not grow with their number."""
    empty = specimens()[2]
    early, late = memory_after(Job(empty.to_json(), student_html(empty)), COUNTS)
    yield Figure(f"Report: memory after {COUNTS[0]} reports in one process", early, "MiB")
    yield Figure(f"Report: after {COUNTS[1]}, as many times that", late / early, "times", 1.1)


SUBMISSIONS = Path(__file__).parents[2] / "submissions"
SHOWN = "student-07"
MANY = 20


def figures() -> Iterator[Figure]:
    """CPU seconds for a student's report, its pictures, and a class of them. Ratios are of runs side by side."""
    with TemporaryDirectory() as folder:
        submission, result = _graded(Path(folder))
        html = student_html(result)
        alone = median_seconds(partial(bare_pdf, html))
        ours = median_ratio(partial(student_report, result), partial(bare_pdf, html))
        crops = _with_many_places(result)
        plain = median_seconds(partial(student_report, crops))
        pictured = median_seconds(partial(_pictured, crops, submission))
        page = median_seconds(partial(student_page, result))
    yield Figure("Report: bare WeasyPrint on the same HTML", alone, "s")
    yield Figure("Report: context to PDF, as many times bare WeasyPrint", ours, "times", 1.15)
    yield Figure(f"Report: {MANY} crops of the student's pages add", pictured - plain, "s", 1.5)
    yield Figure("Report: the same as HTML", page * 1e3, "ms")
    job = Job(result.to_json(), student_html(result))
    taken = class_seconds(job, MANY)
    ratio = taken.whole / (taken.start_up + MANY * taken.warm)
    yield Figure(f"Report: {MANY} students, as many times start-up + {MANY} × warm", ratio, "times", 1.2)
    yield Figure("Report: two jobs, as many times faster than one", two_jobs(job), "times", 1.8, at_least=True)
    yield Figure("Report: the same bytes in other processes", float(same_bytes(job)), "", 1.0, at_least=True)
    yield from memory_figures()


def _graded(folder: Path) -> tuple[Submission, Result]:
    (source,), _ = find_all_sources([SUBMISSIONS / SHOWN])
    lab = lab_folder("nlp-frameworks")
    submission = open_submission(source, folder)
    return submission, grade_submission(submission, load_lab(lab), load_truth(lab))


def _with_many_places(result: Result) -> Result:
    """The result with its evidence spread so that twenty different places are shown."""
    places = [place for item in result.items for place in item.evidence if place.box]
    spread = {(place.page, place.box): place for place in places}
    if len(spread) < MANY:
        raise ValueError(f"the sample has only {len(spread)} places in its PDF")
    chosen = list(spread.values())[:MANY]
    halves = list(zip(chosen[::2], chosen[1::2], strict=True))
    pairs = zip(result.items, halves, strict=False)
    items = [item.model_copy(update={"evidence": pair, "status": Status.PARTIAL}) for item, pair in pairs]
    rest = tuple(item.model_copy(update={"evidence": ()}) for item in result.items[len(items) :])
    return result.model_copy(update={"items": (*items, *rest)})


def _pictured(result: Result, submission: Submission) -> None:
    pictures = evidence_pictures(result, submission)
    if len(pictures) != MANY:
        raise ValueError(f"{len(pictures)} pictures were made, not {MANY}")
    student_report(result, pictures)

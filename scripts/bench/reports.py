"""Making reports, against bare WeasyPrint on the same page."""

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

from grader.intake.layouts import find_all_sources
from grader.intake.opening import open_submission
from grader.intake.submission import Submission
from grader.lab.files import lab_folder, load_lab, load_truth
from grader.pipeline.one import grade_submission
from grader.pipeline.pictures import evidence_pictures
from grader.report.render import student_html, student_page, student_report
from grader.result import Result, Status
from scripts.bench.figure import Figure, median_ratio, median_seconds
from scripts.bench.report_processes import Job, bare, class_seconds, same_bytes, two_jobs

SUBMISSIONS = Path(__file__).parents[2] / "submissions"
SHOWN = "student-07"
MANY = 20


def figures() -> Iterator[Figure]:
    """CPU seconds for a student's report, its pictures, and a class of them. Ratios are of runs side by side."""
    with TemporaryDirectory() as folder:
        submission, result = _graded(Path(folder))
        html = student_html(result)
        alone = median_seconds(partial(bare, html))
        ours = median_ratio(partial(student_report, result), partial(bare, html))
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


def _graded(folder: Path) -> tuple[Submission, Result]:
    (source,), _ = find_all_sources([SUBMISSIONS / SHOWN])
    lab = lab_folder("nlp-frameworks")
    submission = open_submission(source, folder)
    return submission, grade_submission(submission, load_lab(lab), load_truth(lab))


def _with_many_places(result: Result) -> Result:
    """The result with its evidence spread so that twenty different places are shown."""
    places = [one for item in result.items for one in item.evidence if one.box]
    spread = {(one.page, one.box): one for one in places}
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

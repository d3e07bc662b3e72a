"""Grading from stored readings, against grading from the hand-ins."""

import shutil
from collections.abc import Callable, Iterator, Mapping
from decimal import Decimal
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter

from grader.intake.layouts import find_all_sources
from grader.intake.opening import open_submission
from grader.intake.submission import Submission
from grader.lab.definition import Lab
from grader.lab.files import lab_folder, load_lab, load_truth
from grader.lab.truth import GroundTruth
from grader.message import ENGLISH
from grader.pipeline.classroom import grade_class
from grader.pipeline.one import grade_submission, stages
from grader.pipeline.order import Order, result_of
from grader.pipeline.pictures import evidence_pictures
from grader.pipeline.regrading.again import Expected, Graded, by_findings, graded_in, sources_of
from grader.pipeline.regrading.regrade import regraded
from grader.pipeline.regrading.replay import Basis, basis_of, kept_stages, replayed
from grader.pipeline.stages import READING
from grader.report.render import student_page, student_report
from scripts.bench.figure import Figure, median_seconds

SUBMISSIONS = Path(__file__).parents[2] / "submissions"
SHOWN = "student-01"
"""Its report is a PDF."""
COPIES = 100


def figures() -> Iterator[Figure]:
    """CPU milliseconds for a student, graded and graded again after changes of less or more; and a class of copies."""
    lab, truth = load_lab(lab_folder("nlp-frameworks")), load_truth(lab_folder("nlp-frameworks"))
    basis = basis_of(lab, truth)
    with TemporaryDirectory() as folder:
        submission = _opened(Path(folder) / "work")
        order = Order(sources=(), lab=_with_points(lab), truth=truth)
        graded = median_seconds(partial(grade_submission, submission, lab, truth))
        found = stages(submission, lab, truth)
        keeping = median_seconds(partial(kept_stages, found, submission.sha256, basis))
        kept = kept_stages(found, submission.sha256, basis)
        _write(Path(folder) / SHOWN, kept)
        source = next(sources_of(graded_in(Path(folder))))
        expected = Expected(source, Path(folder) / SHOWN, submission.sha256)
        points = median_seconds(partial(by_findings, expected, order, basis))
        checks = median_seconds(partial(_replay, expected, lab, truth, basis))
        pictures = evidence_pictures(result := grade_submission(submission, lab, truth), submission)
        report = median_seconds(lambda: (student_report(result, pictures), student_page(result, pictures)), runs=3)
    size = len(kept[READING])
    yield Figure("Replay: a student graded from the hand-in", graded * 1e3, "ms")
    yield Figure("Replay: a stored reading", size / 1e3, "kB", 100)
    yield Figure("Replay: keeping the stages, of grading", keeping / graded, "times", 0.1)
    yield Figure("Replay: after a change of points, times faster", graded / points, "times", 5, at_least=True)
    yield Figure("Replay: after a change for checks, times faster", graded / checks, "times")
    yield Figure("Replay: the same, of one whose report stays", (graded + report) / checks, "times", 5, at_least=True)
    yield from _class(lab, truth)


def _class(lab: Lab, truth: GroundTruth) -> Iterator[Figure]:
    """Wall-clock milliseconds a student, of copies of one hand-in."""
    with TemporaryDirectory() as folder:
        out = Path(folder) / "graded"
        for number in range(COPIES):
            shutil.copytree(SUBMISSIONS / SHOWN, Path(folder) / "class" / f"student-{number:03}")
        sources, _ = find_all_sources([Path(folder) / "class"])
        order = Order(sources=sources, lab=lab, truth=truth, with_reports=False)
        anew = _seconds(partial(grade_class, order, out, workers=2, done=lambda _: None))
        graded = graded_in(out)
        for name, changed in (("points", _with_points(lab)), ("a convention", _with_convention(lab))):
            again = Order(sources=tuple(sources_of(graded)), lab=changed, truth=truth, with_reports=False)
            basis = basis_of(changed, truth)
            seconds = _seconds(partial(_regrade, again, graded, basis))
            yield Figure(f"Replay: {COPIES} students after a change of {name}, each", seconds * 1e3 / COPIES, "ms")
            yield Figure(f"Replay: {COPIES} students after a change of {name}, times faster", anew / seconds, "times")


def _regrade(order: Order, graded: Mapping[str, Graded], basis: Basis) -> None:
    for _ in regraded(order, graded, {}, basis, workers=2):
        pass


def _opened(work: Path) -> Submission:
    (source,), _ = find_all_sources([SUBMISSIONS / SHOWN])
    return open_submission(source, work)


def _write(folder: Path, files: Mapping[str, bytes]) -> None:
    folder.mkdir()
    for name, content in files.items():
        (folder / name).write_bytes(content)


def _replay(one: Expected, lab: Lab, truth: GroundTruth, basis: Basis) -> None:
    done = replayed(one.folder, one.submission_sha256, lab, truth, basis)
    submission = Submission(student_id="a", student_name="a", sha256=one.submission_sha256)
    result_of(submission, done.found, lab, truth, language=ENGLISH)


def _with_points(lab: Lab) -> Lab:
    return _changed(lab, {"points": Decimal(3)})


def _with_convention(lab: Lab) -> Lab:
    options = {**next(lab.items).options, "accept": ["weights-only"]}
    return _changed(lab, {"options": options})


def _changed(lab: Lab, changes: Mapping[str, object]) -> Lab:
    """The lab with its first item changed."""
    head, *rest = lab.questions
    item, *others = head.items
    first = head.model_copy(update={"items": (item.model_copy(update=dict(changes)), *others)})
    return lab.model_copy(update={"questions": (first, *rest), "sha256": "0" * 64})


def _seconds(action: Callable[[], object]) -> float:
    started = perf_counter()
    action()
    return perf_counter() - started

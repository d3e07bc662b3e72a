"""A class of real files through real workers."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from grader.intake.layouts import Layout, find_all_sources
from grader.lab.files import lab_folder, load_lab, load_truth
from grader.pipeline.classroom import GradeSummary, grade_class
from grader.pipeline.order import Order, failed_result
from tests.conftest import ROOT

FOLDER = lab_folder("nlp-frameworks")


def nothing(_: GradeSummary) -> None:
    """Where a test does not care for what comes when."""


def graded(
    path: Path, out: Path, *, with_reports: bool = False, done: Callable[[GradeSummary], None] = nothing
) -> list[GradeSummary]:
    sources, _ = find_all_sources([path], Layout.AUTO)
    order = Order(sources, load_lab(FOLDER), load_truth(FOLDER), with_reports=with_reports, with_readings=False)
    return grade_class(order, out, workers=2, done=done)


def test_a_failed_submission_keeps_every_item_and_the_maximum() -> None:
    (source,), _ = find_all_sources([ROOT / "submissions" / "student-01" / "report.md"])
    result = failed_result(source, load_lab(FOLDER), load_truth(FOLDER), "Grading stopped: it hung.")
    assert (result.score, result.pending, result.max_score) == (0, 20, 20)
    assert len(result.items) == 25
    assert {item.status for item in result.items} == {"error"}
    assert result.needs_review


def test_the_same_class_gives_the_same_bytes(tmp_path: Path) -> None:
    (tmp_path / "class").mkdir()
    for student in ("student-02", "student-08", "student-09", "student-11"):
        shutil.copytree(ROOT / "submissions" / student, tmp_path / "class" / student)
    for out in ("one", "two"):
        graded(tmp_path / "class", tmp_path / out)
    one, two = (
        {path.relative_to(tmp_path / out): path.read_bytes() for path in (tmp_path / out).rglob("*") if path.is_file()}
        for out in ("one", "two")
    )
    assert len(one) == 4 + 2
    assert one == two


def test_reports_are_written_with_results(tmp_path: Path) -> None:
    pytest.importorskip("weasyprint", reason="needs Pango", exc_type=OSError)
    for student in ("student-02", "student-08"):
        shutil.copytree(ROOT / "submissions" / student, tmp_path / "class" / student)
    out = tmp_path / "graded"
    assert [one.report_problem for one in graded(tmp_path / "class", out, with_reports=True)] == [None, None]
    assert (out / "student-02" / "report.pdf").read_bytes().startswith(b"%PDF")
    assert (out / "class.pdf").read_bytes().startswith(b"%PDF")
    for page in (out / "student-02" / "report.html", out / "class.html"):
        assert page.read_text(encoding="utf-8").startswith("<!DOCTYPE html>")


def test_a_single_hand_in_gets_no_report_of_the_class(tmp_path: Path) -> None:
    pytest.importorskip("weasyprint", reason="needs Pango", exc_type=OSError)
    graded(ROOT / "submissions" / "student-02", tmp_path, with_reports=True)
    assert (tmp_path / "student-02" / "report.pdf").exists()
    assert {path.name for path in tmp_path.iterdir()} == {"student-02", "class.json", "grades.csv"}


def test_interrupting_leaves_whole_results(tmp_path: Path) -> None:
    def stop(_: GradeSummary) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        graded(ROOT / "submissions", tmp_path, done=stop)
    written = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert [path.name for path in written] == ["result.json"]
    assert not (tmp_path / "grades.csv").exists()

"""What a document beside the answer sheet says counts alone only when a person decides so."""

from pathlib import Path

import pytest

from grader.checks.finding import Status
from grader.intake.layouts import Layout, find_sources
from grader.lab.files import lab_folder, load_truth
from grader.pipeline.one import grade_source
from grader.result import Result
from tests.claims.making import lab
from tests.conftest import ROOT

RIGHT = (ROOT / "submissions" / "student-01" / "report.md").read_text(encoding="utf-8")
COUNT = RIGHT[RIGHT.index("## Question 1") : RIGHT.index("## Task 1")]
SILENT = RIGHT.replace(COUNT, "## Question 1\n\nSee the code.\n\n").replace("22,807,552", "").replace("22807552", "")
WRONG = SILENT.replace("See the code.", "The model has 21,000,000 parameters in total.")


def graded(tmp_path: Path, **files: str) -> Result:
    folder, work = tmp_path / "student", tmp_path / "work"
    folder.mkdir()
    work.mkdir()
    for name, text in files.items():
        place = folder / name.replace("__", "/").replace("_dot_", ".")
        place.parent.mkdir(exist_ok=True)
        place.write_text(text, encoding="utf-8")
    (source,), _ = find_sources(folder, Layout.STUDENT)
    return grade_source(source, lab(), load_truth(lab_folder("nlp-frameworks")), work)


def status(result: Result, item: str) -> tuple[Status, Status | None]:
    found = next(one for one in result.items if one.id == item)
    return found.status, found.suggestion


@pytest.mark.parametrize("name", ["draft_dot_md", "old__report_dot_md", "notes_dot_txt"])
def test_what_only_a_document_beside_the_answer_sheet_says_is_for_a_person(tmp_path: Path, name: str) -> None:
    result = graded(tmp_path, report_dot_md=SILENT, **{name: f"# Lab 4\n\n{COUNT}"})
    assert result.submission.report == "report.md"
    assert status(result, "q1.derivation") == (Status.REVIEW, Status.CORRECT)
    (flag,) = [one for one in result.flags if one.id == "several-reports"]
    assert "q1.derivation" in flag.message
    assert status(result, "t3.statistics")[0] is Status.CORRECT, "what they do not differ on is decided"


def test_nothing_is_missing_that_a_document_beside_the_answer_sheet_may_say(tmp_path: Path) -> None:
    task = RIGHT[RIGHT.index("## Task 6 and Task 7") : RIGHT.index("## Question 2")]
    result = graded(tmp_path, report_dot_md=RIGHT.replace(task, ""), notes_dot_txt="We quantised BLOOM, somehow.\n")
    assert status(result, "t6.quantization")[0] is Status.REVIEW


def test_a_right_draft_makes_no_wrong_report_right(tmp_path: Path) -> None:
    result = graded(tmp_path, report_dot_md=WRONG, draft_dot_md=RIGHT)
    assert result.submission.report == "report.md"
    assert status(result, "q1.total")[0] is not Status.CORRECT


def test_where_nothing_tells_the_answer_sheet_a_person_decides_what_differs(tmp_path: Path) -> None:
    result = graded(tmp_path, version_1_dot_md=WRONG, version_2_dot_md=RIGHT)
    assert status(result, "q1.total")[0] is Status.REVIEW
    assert status(result, "t4.statistics")[0] is Status.CORRECT
    assert "several-reports" in {one.id for one in result.flags}


def test_one_text_in_two_files_is_one_answer(tmp_path: Path) -> None:
    once = graded(tmp_path, report_dot_md=RIGHT)
    (tmp_path / "twice").mkdir()
    twice = graded(tmp_path / "twice", report_dot_md=RIGHT, Report_final_dot_md=RIGHT + "\n\nThank you for reading.\n")
    assert [one.status for one in twice.items] == [one.status for one in once.items]
    assert not any(one.id == "several-reports" for one in twice.flags)


def test_an_answer_sheet_in_several_files_is_read_as_one(tmp_path: Path) -> None:
    middle, last = RIGHT.index("## Task 3"), RIGHT.index("## Question 2")
    parts = {"q1_dot_md": RIGHT[:middle], "tasks_dot_md": RIGHT[middle:last], "q2_dot_md": RIGHT[last:]}
    result = graded(tmp_path, **parts)
    for item in ("q1.total", "q1.derivation", "t3.statistics", "t5.statistics", "q2.r", "q2.bias"):
        assert status(result, item)[0] is Status.CORRECT, item
    assert "several-reports" not in {one.id for one in result.flags}


@pytest.mark.parametrize("name", ["chatgpt_dot_md", "solution_dot_md"])
def test_what_somebody_else_wrote_is_no_part_of_the_answer_sheet(tmp_path: Path, name: str) -> None:
    result = graded(tmp_path, report_dot_md=SILENT, **{name: f"# Lab 4\n\n{COUNT}"})
    assert status(result, "q1.derivation")[0] is Status.REVIEW


def test_another_report_in_plain_text_shows_no_run(tmp_path: Path) -> None:
    plain = (ROOT / "submissions" / "student-11" / "report.txt").read_text(encoding="utf-8")
    result = graded(tmp_path, report_dot_txt=plain, report_v2_dot_txt=plain.replace("22,819,840", "22,807,552"))
    flags = {flag.id for flag in result.flags}
    assert {"several-reports", "no-run-shown"} <= flags
    told = next(str(one.feedback) for one in result.items if one.id == "q1.total")
    assert "report_v2.txt" in told

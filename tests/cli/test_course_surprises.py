"""What used to surprise those who bring grades into a course system."""

import csv
import zipfile
from pathlib import Path

import pytest

from grader.pipeline.worker import LARGEST
from tests.conftest import ROOT, results_in, run_grade
from tests.gradebook.test_absent import CANVAS, WORKSHEET

MOODLE = ("Jan Novak_101_assignsubmission_file_", "Jan Novak_102_assignsubmission_file_")


@pytest.fixture(scope="module")
def twins(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two students of one name, in a download of Moodle, with the school's own list of the class."""
    folder = tmp_path_factory.mktemp("twins")
    for name, sample in zip(MOODLE, ("student-11", "student-07"), strict=True):
        (folder / "download" / name).mkdir(parents=True)
        source = ROOT / "submissions" / sample
        for path in source.glob("report.*"):
            (folder / "download" / name / path.name).write_bytes(path.read_bytes())
    (folder / "worksheet.csv").write_text(WORKSHEET, encoding="utf-8")
    (folder / "class.csv").write_text(
        "name,number,email\nJan Novak,9001,jan1@example.org\nJan Novak,9002,jan2@example.org\n", encoding="utf-8"
    )
    done = run_grade("download", "--roster", "class.csv", "--times", "worksheet.csv", cwd=folder)
    assert done.returncode == 0, done.stderr + done.stdout
    assert "in doubt" not in done.stdout
    return folder


def test_the_worksheets_ids_join_the_roster(twins: Path) -> None:
    found = {
        result.student.identity.moodle_participant: (result.student.identity.number, result.student.identity.email)
        for result in results_in(twins / "graded").values()
        if result.student.identity
    }
    assert found == {"101": ("9001", "jan1@example.org"), "102": ("9002", "jan2@example.org")}


def test_each_gets_their_own_grade_back(twins: Path) -> None:
    done = run_grade("export", "moodle-worksheet", "graded", "--into", "worksheet.csv", "--pending", "score", cwd=twins)
    assert done.returncode == 0, done.stderr
    rows = list(csv.DictReader((twins / "graded" / "moodle-worksheet.csv").open(encoding="utf-8")))
    by_id = {
        one.student.identity.moodle_participant: one
        for one in results_in(twins / "graded").values()
        if one.student.identity
    }
    for row in rows[:2]:
        assert float(row["Grade"]) == float(by_id[row["Identifier"].split()[-1]].score)
    assert "2 grades are new in it." in done.stdout
    assert "Next: in Moodle" in done.stderr
    again = run_grade(
        "export", "moodle-worksheet", "graded", "--into", "graded/moodle-worksheet.csv", "--pending", "score", "--out",
        "again.csv", cwd=twins,
    )  # fmt: skip
    assert "No grade is new in it" in again.stdout


def test_an_export_that_writes_no_row_says_so_and_writes_nothing(twins: Path, tmp_path: Path) -> None:
    (tmp_path / "canvas.csv").write_text(CANVAS, encoding="utf-8")
    done = run_grade("export", "canvas", twins / "graded", "--into", "canvas.csv", "--out", "out.csv", cwd=tmp_path)
    assert done.returncode == 2
    assert "no grade would be in the file" in done.stderr
    assert "0 of" in done.stderr
    assert not (tmp_path / "out.csv").exists()


def test_pdfs_given_back_are_small(twins: Path) -> None:
    done = run_grade("export", "moodle-feedback", "graded", cwd=twins)
    assert done.returncode == 0, done.stderr
    with zipfile.ZipFile(twins / "graded" / "moodle-feedback.zip") as archive:
        sizes = {entry.filename: entry.file_size for entry in archive.infolist()}
    assert len(sizes) == 2
    assert max(sizes.values()) <= LARGEST == 200_000
    with_pictures = next(one for one in results_in(twins / "graded").values() if one.submission.report == "report.pdf")
    page = (twins / "graded" / with_pictures.student.id / "report.html").read_text(encoding="utf-8")
    assert page.count("data:image/png") > 3, "the page for the browser shows all of them"
    pdf = (twins / "graded" / with_pictures.student.id / "report.pdf").read_bytes()
    assert b"/Subtype /Image" in pdf or b"/Image" in pdf, "and the PDF as many as fit"

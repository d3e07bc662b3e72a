"""`grade` as its users meet it: what it writes, what it says, and how it ends."""

import json
import zipfile
from pathlib import Path

import pytest

from tests.conftest import ROOT, results_in, run_grade

REPORT = ROOT / "submissions" / "student-11" / "report.txt"


def test_a_class_ends_with_a_table_and_the_files_of_the_contract(graded_samples: Path) -> None:
    names = {path.name for path in graded_samples.iterdir()}
    assert {"class.json", "grades.csv", "student-01", "Lab4_exemple_dix"} <= names
    rows = (graded_samples / "grades.csv").read_text(encoding="utf-8").splitlines()
    assert len(rows) == 1 + len(results_in(graded_samples))
    assert json.loads((graded_samples / "class.json").read_text(encoding="utf-8"))["schema"] == 1


def test_one_file_is_one_student(tmp_path: Path) -> None:
    done = run_grade(REPORT, "--out", tmp_path / "out", "--no-reports")
    assert done.returncode == 0, done.stderr
    assert list(results_in(tmp_path / "out")) == ["report"]
    assert "report" in done.stdout
    assert "/ 20" in done.stdout


def test_a_zip_of_a_class_with_a_zip_in_it(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "class.zip", "w") as archive:
        archive.write(REPORT, "Lab4/zoe/report.txt")
        archive.write(ROOT / "submissions" / "Lab4_exemple_dix.zip", "Lab4/adam.zip")
    done = run_grade(tmp_path / "class.zip", "--out", tmp_path / "out", "--no-reports")
    assert done.returncode == 0, done.stderr
    results = results_in(tmp_path / "out")
    assert sorted(results) == ["adam", "zoe"]
    assert results["adam"].score > 10


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["nowhere"], ["nowhere", "no such"]),
        (["submissions", "--lab", "nowhere"], ["nowhere", "lab.toml", "nlp-frameworks"]),
        (["submissions", "--jobs", "0"], ["--jobs"]),
        (["submissions", "--frobnicate"], ["--frobnicate"]),
    ],
)
def test_mistakes_are_explained(arguments: list[str], words: list[str]) -> None:
    done = run_grade(*arguments)
    assert done.returncode == 2
    assert [word for word in words if word.casefold() not in done.stderr.casefold()] == []
    assert "Traceback" not in done.stderr


def test_an_output_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "taken").write_text("a file")
    done = run_grade(REPORT, "--out", tmp_path / "taken", "--no-reports")
    assert done.returncode == 2
    assert "taken" in done.stderr
    assert "Traceback" not in done.stderr


def test_what_the_grader_itself_fails_on_is_told_by_the_exit_status(tmp_path: Path) -> None:
    """A lab with a check that does not exist is refused before anything is graded."""
    lab = tmp_path / "lab"
    lab.mkdir()
    shipped = ROOT / "reference" / "labs" / "nlp_frameworks"
    (lab / "truth.json").write_bytes((shipped / "truth.json").read_bytes())
    text = (shipped / "lab.toml").read_text(encoding="utf-8")
    (lab / "lab.toml").write_text(text.replace('check = "prompt-format"', 'check = "telepathy"'), encoding="utf-8")
    done = run_grade(REPORT, "--lab", lab, "--out", tmp_path / "out")
    assert done.returncode == 2
    assert "t8.prompt" in done.stderr
    assert "telepathy" in done.stderr
    assert not (tmp_path / "out").exists()


def test_what_a_folder_was_taken_for_is_told_with_the_option_that_changes_it(tmp_path: Path) -> None:
    folder = tmp_path / "drafts"
    for name in ("ada", "bob"):
        (folder / name).mkdir(parents=True)
        (folder / name / "report.md").write_text("# Task 6\n\nNothing.\n", encoding="utf-8")
    told = {
        name: run_grade(folder, "--as", name, "--out", tmp_path / name, "--no-reports") for name in ("auto", "class")
    }
    assert "graded as a class of 2 submissions; --as student" in told["auto"].stderr + told["auto"].stdout
    assert "taken for" not in told["class"].stderr + told["class"].stdout
    alone = run_grade(folder / "ada", "--out", tmp_path / "alone", "--no-reports")
    assert "graded as one student's submission; --as class" in alone.stderr + alone.stdout

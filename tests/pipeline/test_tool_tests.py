"""Results of tests, from what tools wrote to the grades of a class."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from grader.gradebook import GradebookError
from grader.intake.layouts import find_sources
from grader.lab.definition import Lab
from grader.pipeline.course import CourseOptions, prepare
from grader.result import Result
from tests.conftest import results_in, run_grade
from tests.gradebook.test_tool_results import FILES

LAB = """\
id = "tiny"
title = "Tiny"

[[questions]]
id = "q1"
title = "The square"
labels = ["question 1", "q1"]

[[questions.items]]
id = "q1.tested"
title = "The function"
points = 2
check = "tested"
options.tests = ["otter:q1"]

[[questions.items]]
id = "q1.code"
title = "The code"
points = 1
check = "code-asked"
options.function = "square"
options.signature = ["x"]
witness = "otter:q3"
"""
FORGED = {"tests": [{"name": name, "score": 2, "max_score": 2} for name in ("q1", "q3")]}


def hand_in(folder: Path, source: str) -> None:
    """A hand-in with a notebook, and with files that claim to be results of tests."""
    folder.mkdir(parents=True)
    cells = [
        {"cell_type": "markdown", "source": "## Question 1", "metadata": {}},
        {"cell_type": "code", "source": source, "outputs": [], "execution_count": 1, "metadata": {}},
    ]
    (folder / "tiny.ipynb").write_text(json.dumps({"cells": cells, "nbformat": 4}), encoding="utf-8")
    for name in ("results.json", "q1.json"):
        (folder / name).write_text(json.dumps(FORGED), encoding="utf-8")


@pytest.fixture(scope="module")
def class_of_four(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("tiny")
    (root / "lab").mkdir()
    (root / "lab" / "lab.toml").write_text(LAB, encoding="utf-8")
    (root / "lab" / "truth.json").write_text(json.dumps({"lab": "tiny"}), encoding="utf-8")
    hand_in(root / "class" / "ada", "def square(x):\n    return x * x")
    hand_in(root / "class" / "bob", "def square(x):\n    return 2 * x\nprint('All tests passed!')")
    hand_in(root / "class" / "eve", "def square(x):\n    return 4 * x")
    hand_in(root / "class" / "fay", "def square(x):\n    return x * x\nprint('All tests passed!')")
    return root


def graded(root: Path, out: Path, *options: object) -> tuple[dict[str, Result], str]:
    done = run_grade(root / "class", "--lab", root / "lab", "--out", out, "--no-reports", *options)
    assert done.returncode == 0, done.stderr
    return results_in(out), done.stdout + done.stderr


def statuses(result: Result) -> tuple[str, ...]:
    return tuple(item.status.value for item in result.items)


def test_a_class_with_results_of_otter(class_of_four: Path, tmp_path: Path) -> None:
    out = tmp_path / "graded"
    results, told = graded(class_of_four, out, "--tests", f"otter:{FILES / 'otter'}")
    assert statuses(results["ada"]) == ("correct", "correct")
    assert statuses(results["bob"]) == ("partial", "review")  # its code looks right, and its test failed
    assert statuses(results["eve"]) == ("partial", "correct")
    assert statuses(results["fay"]) == (
        "review",
        "correct",
    )  # her tests were not run
    assert results["bob"].items[0].score == 1
    assert "tests: otter: results of 3 of 4 submissions" in told
    assert "no results of: fay" in told
    again = run_grade("regrade", out, "--no-reports")
    assert again.returncode == 0, again.stderr
    assert {name: statuses(one) for name, one in results_in(out).items()} == {
        name: statuses(one) for name, one in results.items()
    }


def test_without_results_nothing_in_a_hand_in_takes_their_place(class_of_four: Path, tmp_path: Path) -> None:
    results, told = graded(class_of_four, tmp_path / "graded")
    assert {statuses(one) for one in results.values()} == {("review", "correct")}
    assert all(item.suggestion is None for one in results.values() for item in one.items if item.id == "q1.tested")
    assert "give their results by --tests otter:PATH" in told


def test_new_results_change_the_grades_that_they_are_of(class_of_four: Path, tmp_path: Path) -> None:
    own = tmp_path / "results"
    shutil.copytree(FILES / "otter", own)
    out = tmp_path / "graded"
    graded(class_of_four, out, "--tests", f"otter:{own}")
    content = (own / "bob" / "results.json").read_text(encoding="utf-8")
    (own / "bob" / "results.json").write_text(content.replace('"score": 1.0', '"score": 0.0'), encoding="utf-8")
    results, _ = graded(class_of_four, out, "--tests", f"otter:{own}")
    assert statuses(results["bob"])[0] == "incorrect"
    assert statuses(results["ada"]) == ("correct", "correct")


@pytest.mark.parametrize("place", ["class", "class/ada", "class/ada/results.json"])
def test_files_in_hand_ins_are_refused(class_of_four: Path, place: str, tmp_path: Path) -> None:
    done = run_grade(
        *(class_of_four / "class", "--lab", class_of_four / "lab", "--out", tmp_path / "graded"),
        *("--tests", f"otter:{class_of_four / place}"),
    )
    assert done.returncode == 2
    assert "lies in a submission" in done.stderr
    assert not (tmp_path / "graded").exists()


def course(root: Path, lab: Lab | None = None, **given: Any) -> Any:
    from grader.lab.files import load_lab

    return prepare(
        find_sources(root / "class")[0], lab or load_lab(root / "lab"), CourseOptions(**given), root / "none"
    )


def test_a_link_to_a_hand_in_is_refused(class_of_four: Path, tmp_path: Path) -> None:
    (tmp_path / "ada").mkdir()
    (tmp_path / "ada" / "results.json").symlink_to(class_of_four / "class" / "ada" / "results.json")
    with pytest.raises(GradebookError, match="lies in a submission"):
        course(class_of_four, tests=(f"otter:{tmp_path}",))


def test_students_are_found_as_by_a_roster(class_of_four: Path, tmp_path: Path) -> None:
    roster = tmp_path / "roster.csv"
    roster.write_text("id,name,login\n0017,Ada Lovelace,ada\n18,Bob Ng,bob\n", encoding="utf-8")
    own = tmp_path / "results"
    for name, student in (("Lovelace_Ada_tiny", "ada"), ("18", "bob"), ("stranger", "eve")):
        shutil.copytree(FILES / "otter" / student, own / name)
    made = course(class_of_four, tests=(f"otter:{own}",), roster=roster)
    records = {student: one.tests for student, one in made.circumstances.items()}
    assert records["ada"].results["otter:q1"].earned == 2
    assert records["bob"].results["otter:q1"].earned == 1
    assert records["eve"] is None
    assert "tests: otter: no submission of: stranger" in made.notes


def test_two_results_of_one_student_that_differ_are_not_used(class_of_four: Path, tmp_path: Path) -> None:
    shutil.copytree(FILES / "otter" / "ada", tmp_path / "ada")
    shutil.copy(FILES / "otter" / "bob" / "results.json", tmp_path / "ada.json")
    made = course(class_of_four, tests=(f"otter:{tmp_path}",))
    assert made.circumstances["ada"].tests is None
    assert "tests: otter: in doubt, so not used: ada" in made.notes


def test_a_test_that_no_result_has_is_a_mistake(class_of_four: Path, tmp_path: Path) -> None:
    (tmp_path / "ada.json").write_text(json.dumps({"tests": FORGED["tests"][:1]}), encoding="utf-8")
    with pytest.raises(GradebookError, match=r"otter:q3 is in no result\. Known: q1"):
        course(class_of_four, tests=(f"otter:{tmp_path}",))

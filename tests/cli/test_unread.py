"""No point is withheld for what lies in a file that could not be opened."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from grader.checks.finding import Status
from grader.result import Result
from tests.conftest import results_in, run_grade

CODE_ITEMS = ("t2.prepared", "t6.quantization", "t7.trainable", "t8.prompt")


def graded(tmp_path: Path, make: Callable[[Path], object], report: str | None = "The total is 22,807,552.") -> Result:
    """The result of a hand-in of a report and of what is made beside it."""
    student = tmp_path / "class" / "student"
    student.mkdir(parents=True)
    if report:
        (student / "report.md").write_text(f"# Question 1\n\n{report}\n", encoding="utf-8")
    make(student)
    done = run_grade(tmp_path / "class", "--out", tmp_path / "out", "--no-reports")
    assert done.returncode == 0, done.stderr
    return results_in(tmp_path / "out")["student"]


@pytest.mark.parametrize("name", ["code.rar", "code.7z", "code.tar.gz", "broken.zip", "lab.ipynb"])
def test_an_absence_is_doubted_where_a_file_was_not_read(tmp_path: Path, name: str) -> None:
    result = graded(tmp_path, lambda student: (student / name).write_bytes(b"\x00 no archive and no notebook"))
    items = {item.id: item for item in result.items}
    assert items["q1.total"].status is Status.CORRECT
    assert [items[name].status for name in CODE_ITEMS] == [Status.REVIEW] * len(CODE_ITEMS)
    assert name in items["t8.prompt"].note + items["t8.prompt"].feedback
    assert "unreadable" in {flag.id for flag in result.flags}


AS_ROOT = pytest.mark.skipif(os.geteuid() == 0, reason="the superuser may read everything")


@pytest.mark.parametrize(
    "make",
    [
        pytest.param(lambda student: (student / "code").mkdir(mode=0), marks=AS_ROOT, id="locked"),
        pytest.param(lambda student: (student / "code").symlink_to("/nowhere/code"), id="linked"),
        pytest.param(lambda student: (student / "code" / "/".join("d" * 80)).mkdir(parents=True), id="too deep"),
    ],
)
def test_an_absence_is_doubted_where_a_folder_was_not_read(tmp_path: Path, make: Callable[[Path], object]) -> None:
    items = {item.id: item for item in graded(tmp_path, make).items}
    assert [items[name].status for name in CODE_ITEMS] == [Status.REVIEW] * len(CODE_ITEMS)
    assert "code" in items["t8.prompt"].note + items["t8.prompt"].feedback


def test_nothing_is_missing_where_nothing_was_let_in(tmp_path: Path) -> None:
    result = graded(tmp_path, lambda student: (student / "all").symlink_to("/nowhere/all.d"), report=None)
    assert {item.status for item in result.items} == {Status.REVIEW}


def test_what_cannot_hold_an_answer_raises_no_doubt(tmp_path: Path) -> None:
    result = graded(tmp_path, lambda student: (student / "model.safetensors").write_bytes(b"\x00" * 64))
    assert {item.id: item for item in result.items}["t8.prompt"].status is Status.MISSING

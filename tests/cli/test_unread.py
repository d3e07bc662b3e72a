"""No point is withheld for what lies in a file that could not be opened."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from grader.checks.finding import Status
from tests.conftest import results_in, run_grade

CODE_ITEMS = ("t2.prepared", "t6.quantization", "t7.trainable", "t8.prompt")


@pytest.mark.parametrize("name", ["code.rar", "code.7z", "code.tar.gz", "broken.zip", "lab.ipynb"])
def test_an_absence_is_doubted_where_a_file_was_not_read(tmp_path: Path, name: str) -> None:
    student = tmp_path / "class" / "student"
    student.mkdir(parents=True)
    (student / "report.md").write_text("# Question 1\n\nThe total is 22,807,552.\n", encoding="utf-8")
    (student / name).write_bytes(b"\x00 no archive and no notebook")
    done = run_grade(tmp_path / "class", "--out", tmp_path / "out", "--no-reports")
    assert done.returncode == 0, done.stderr
    result = results_in(tmp_path / "out")["student"]
    items = {item.id: item for item in result.items}
    assert items["q1.total"].status is Status.CORRECT
    assert [items[name].status for name in CODE_ITEMS] == [Status.REVIEW] * len(CODE_ITEMS)
    assert name in items["t8.prompt"].note + items["t8.prompt"].feedback
    assert "unreadable" in {flag.id for flag in result.flags}


def _locked(student: Path) -> None:
    (student / "code").mkdir(mode=0)


def _linked(student: Path) -> None:
    (student / "code").symlink_to("/nowhere/code")


def _too_deep(student: Path) -> None:
    (student / "code" / "/".join("d" * 80)).mkdir(parents=True)


AS_ROOT = pytest.mark.skipif(os.geteuid() == 0, reason="the superuser may read everything")


@pytest.mark.parametrize("make", [pytest.param(_locked, marks=AS_ROOT), _linked, _too_deep])
def test_an_absence_is_doubted_where_a_folder_was_not_read(tmp_path: Path, make: Callable[[Path], None]) -> None:
    student = tmp_path / "class" / "student"
    student.mkdir(parents=True)
    (student / "report.md").write_text("# Question 1\n\nThe total is 22,807,552.\n", encoding="utf-8")
    make(student)
    done = run_grade(tmp_path / "class", "--out", tmp_path / "out", "--no-reports")
    assert done.returncode == 0, done.stderr
    items = {item.id: item for item in results_in(tmp_path / "out")["student"].items}
    assert [items[name].status for name in CODE_ITEMS] == [Status.REVIEW] * len(CODE_ITEMS)
    assert "code" in items["t8.prompt"].note + items["t8.prompt"].feedback


def test_nothing_is_missing_where_nothing_was_let_in(tmp_path: Path) -> None:
    student = tmp_path / "class" / "student"
    student.mkdir(parents=True)
    (student / "all").symlink_to("/nowhere/all.d")
    done = run_grade(tmp_path / "class", "--out", tmp_path / "out", "--no-reports")
    assert done.returncode == 0, done.stderr
    result = results_in(tmp_path / "out")["student"]
    assert {item.status for item in result.items} == {Status.REVIEW}


def test_what_cannot_hold_an_answer_raises_no_doubt(tmp_path: Path) -> None:
    student = tmp_path / "class" / "student"
    student.mkdir(parents=True)
    (student / "report.md").write_text("# Question 1\n\nThe total is 22,807,552.\n", encoding="utf-8")
    (student / "model.safetensors").write_bytes(b"\x00" * 64)
    run_grade(tmp_path / "class", "--out", tmp_path / "out", "--no-reports")
    items = {item.id: item for item in results_in(tmp_path / "out")["student"].items}
    assert items["t8.prompt"].status is Status.MISSING

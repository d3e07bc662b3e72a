"""Several attempts of one student, told from names."""

from pathlib import Path

from grader.intake.layouts import find_sources
from tests.intake.making import plant


def attempts(path: Path) -> dict[str, tuple[str, str]]:
    return {one.student_id: (one.series, one.attempt) for one in find_sources(path)[0]}


def test_attempts_beside_each_other(tmp_path: Path) -> None:
    folder = plant(tmp_path / "c", ["ada_attempt_1/a.md", "ada_attempt_2/a.md", "bob_attempt_1/a.md", "eve/a.md"])
    assert attempts(folder) == {
        "ada_attempt_1": ("name ada", "1"),
        "ada_attempt_2": ("name ada", "2"),
        "bob_attempt_1": ("", ""),
        "eve": ("", ""),
    }


def test_attempts_within_a_students_folder(tmp_path: Path) -> None:
    inner = ["ada/attempt-1/a.md", "ada/attempt-2/a.md", "bob/attempt-1/a.md", "bob/notes.md", "eve/attempt 1/a.md"]
    found = attempts(plant(tmp_path / "c", inner))
    assert list(found) == ["ada attempt 1", "ada attempt 2", "bob", "eve"]
    assert found["ada attempt 2"] == ("name ada", "2")
    assert list(attempts(tmp_path / "c" / "ada")) == ["ada attempt 1", "ada attempt 2"]


def test_parts_of_a_hand_in_are_no_attempts(tmp_path: Path) -> None:
    folder = plant(tmp_path / "ada", ["report.md", "run 1/a.log", "run 2/a.log", "submission 1/x.py"])
    assert attempts(folder) == {"ada": ("", "")}

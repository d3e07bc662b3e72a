"""Several attempts of one student, told from names."""

from pathlib import Path

from grader.intake.layouts import find_sources
from tests.intake.making import plant, zipped


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


def run(user: str, time: int) -> str:
    return f"{user}/course::lab4::{user}::{time}"


def test_the_runs_of_autograder_py_are_attempts_and_only_their_input_was_handed_in(tmp_path: Path) -> None:
    runs = [run("ada@x.org", 1763130001), run("ada@x.org", 1763130402), run("bo", 1763130003)]
    files = {f"{one}/{file}": b"x" for one in runs for file in ("stdout.txt", "stderr.txt", "info.json", "input/a.md")}
    (tmp_path / "c.zip").write_bytes(zipped(files))
    ada, again, bo = find_sources(tmp_path / "c.zip")[0]
    assert ada.series == again.series != bo.series
    assert [one.inside for one in (ada, again, bo)] == [f"{one}/input" for one in runs]
    assert ada.submitted_at
    assert again.submitted_at
    assert ada.submitted_at < again.submitted_at


def test_submittys_active_version_counts_and_a_cancelled_hand_in_is_told(tmp_path: Path) -> None:
    versions = {f"{user}/{number}/report.md": b"x" for user in ("ada", "bo", "eve") for number in (1, 2, 10)}
    active = {
        "ada": b'{"active_version": 2, "history": []}',
        "bo": b'{"active_version": 10}',
        "eve": b'{"active_version": 0}',
    }
    settings = {f"{user}/user_assignment_settings.json": content for user, content in active.items()}
    sources, refused = find_sources(plant(tmp_path / "lab4", versions | settings))
    assert {one.student_id: one.path.name for one in sources} == {"ada": "2", "bo": "10"}
    assert [one.path for one in refused] == ["eve"]

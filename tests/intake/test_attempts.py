"""Several attempts of one student, told from names."""

from pathlib import Path

import pytest

from grader.intake import IntakeError
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


def times(path: Path) -> dict[str, list[str]]:
    """The times of the attempts of each student."""
    found: dict[str, list[str]] = {}
    for one in find_sources(path)[0]:
        assert one.submitted_at
        found.setdefault(one.series, []).append(f"{one.submitted_at:%d %H:%M}")
    return found


def test_blackboards_attempts(tmp_path: Path) -> None:
    names = [
        "Lab_4_a_lee_attempt_2026-11-20-09-00-00.txt",
        "Lab_4_a_lee_attempt_2026-11-20-09-00-00_report_2.md",
        "Lab_4_a_lee_attempt_2026-11-21-22-58-10.txt",
        "Lab_4_a_lee_attempt_2026-11-21-22-58-10_report_2.md",
        "Lab_4_b_lee_attempt_2026-11-21-10-00-00.txt",
        "gc.csv",
    ]
    path = plant(tmp_path / "c", names)
    assert times(path) == {"blackboard a_lee": ["20 09:00", "21 22:58"], "blackboard b_lee": ["21 10:00"]}
    sources, refused = find_sources(path)
    assert [[part.name for part in one.parts] for one in sources] == [["report_2.md"], ["report_2.md"], ["text.txt"]]
    assert [one.path for one in refused] == ["gc.csv"]


def test_brightspaces_attempts(tmp_path: Path) -> None:
    names = [
        "1201-77 - Ana Dupont - Nov 20, 2026 900 AM/report.md",
        "1201-77 - Ana Dupont - Nov 21, 2026 1058 PM/report.md",
        "1302-77 - Ben - Ode - Nov 21, 2026 1200 PM/report.md",
        "index.html",
    ]
    found = times(plant(tmp_path / "c", names))
    assert found == {
        "brightspace Ana Dupont_1201-77": ["20 09:00", "21 22:58"],
        "brightspace Ben - Ode_1302-77": ["21 12:00"],
    }


def test_nbgraders_exchange(tmp_path: Path) -> None:
    names = [
        "ada+lab4+2026-11-20 09:00:00.123456 UTC+c2Vj/lab4.ipynb",
        "ada+lab4+2026-11-21 22:58:10.5 UTC+c2Vk/lab4.ipynb",
        "bo+lab4+2026-11-21 10:00:00 UTC/lab4.ipynb",
    ]
    found = times(plant(tmp_path / "inbound", names))
    assert found == {"nbgrader ada": ["20 09:00", "21 22:58"], "nbgrader bo": ["21 10:00"]}


NBGRADER = [
    *(f"{step}/{student}/{name}/lab.ipynb" for step in ("submitted", "autograded") for student in ("ada", "bo")
      for name in ("ps1", "ps2")),
    *(f"{step}/ps1/lab.ipynb" for step in ("source", "release")),
    "feedback/ada/ps1/lab.html", "gradebook.db", "nbgrader_config.py",
]  # fmt: skip


def test_nbgraders_course_folder(tmp_path: Path) -> None:
    """Of several assignments none is guessed, and the other steps are no students."""
    course = plant(tmp_path / "course", NBGRADER)
    (course / "submitted" / "ada" / "ps1" / "timestamp.txt").write_text("2026-11-21 22:58:10.948203 UTC\n")
    for folder in (course, course / "submitted"):
        with pytest.raises(IntakeError, match="several assignments"):
            find_sources(folder)
    for folder, name in ((course / "ps1", "submitted"), (course / "submitted" / "ps1", "submitted")):
        sources, _ = find_sources(folder)
        assert {one.student_id: one.parts[0].path for one in sources} == {
            who: course / name / who / "ps1" / "lab.ipynb" for who in ("ada", "bo")
        }
        assert [f"{one.submitted_at:%d %H:%M}" if one.submitted_at else "" for one in sources] == ["21 22:58", ""]
        assert all(part.name != "timestamp.txt" for one in sources for part in one.parts)
    with pytest.raises(IntakeError, match="no such file"):
        find_sources(course / "submitted" / "ps9")


def test_nbgraders_course_folder_with_one_assignment(tmp_path: Path) -> None:
    course = plant(tmp_path / "course", [name for name in NBGRADER if "ps2" not in name])
    sources, refused = find_sources(course)
    assert [one.student_id for one in sources] == ["ada", "bo"]
    assert not refused
    assert [one.identity.login for one in sources if one.identity] == ["ada", "bo"]


def test_assignments_in_nbgraders_exchange_are_not_attempts_of_each_other(tmp_path: Path) -> None:
    names = ["ada+ps1+2026-11-20 09:00:00 UTC/lab.ipynb", "ada+ps2+2026-11-21 09:00:00 UTC/lab.ipynb"]
    exchange = plant(tmp_path / "exchange", [f"inbound/{name}" for name in names] + ["outbound/ps1/lab.ipynb"])
    with pytest.raises(IntakeError, match=r"several assignments \(ps1, ps2\)"):
        find_sources(exchange)
    ((one,), _) = find_sources(exchange / "inbound" / "ps1")
    assert one.path.name == "ada+ps1+2026-11-20 09:00:00 UTC"


def test_a_class_of_folders_in_folders_is_no_course_of_nbgraders(tmp_path: Path) -> None:
    names = [f"{who}/{name}/report.md" for who, name in (("ann", "lab4"), ("bo", "Lab 4 final"), ("cy", "mine"))]
    sources, _ = find_sources(plant(tmp_path / "submitted", names))
    assert [one.student_id for one in sources] == ["ann", "bo", "cy"]


def test_github_classrooms_checkouts(tmp_path: Path) -> None:
    names = [f"ml-lab4-{login}/report.md" for login in ("ada-l", "ml-bo", "cy")]
    sources, _ = find_sources(plant(tmp_path / "ml-lab4-submissions", names))
    assert [(one.student_id, one.identity.login) for one in sources if one.identity] == [
        (login, login) for login in ("ada-l", "cy", "ml-bo")
    ]

"""A gradebook keeps every grade, whatever happens to it."""

import os
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from grader.gradebook import GradebookError
from grader.gradebook.database import DamagedGradebookError, Database, open_database
from grader.gradebook.history import all_runs, history_of
from grader.gradebook.keeper import Keeper
from grader.gradebook.store import Standing, begin_run, keep, keep_standing, standings, stored_bytes
from tests.conftest import ROOT
from tests.factories import item, result
from tests.gradebook.keeping import INPUTS, LAB, gradebook, kept_run, new_run


def test_a_result_comes_back_to_the_byte(tmp_path: Path) -> None:
    made = result("zoé", [item(feedback="“naïve” ≠ naive\u2028")])
    database = gradebook(tmp_path)
    kept_run(database, [made])
    standing = standings(database, LAB)["zoé"]
    ((_, content),) = stored_bytes(database, [standing.grade.id])
    assert content == made.to_json().encode()
    assert standing.grade.outline.score == made.score
    assert standing.grade.inputs == INPUTS


def test_what_did_not_change_is_not_copied(tmp_path: Path) -> None:
    database = gradebook(tmp_path)
    kept_run(database, [result("ada"), result("bob")])
    first = standings(database, LAB)
    again = kept_run(database, [result("ada")])
    keep_standing(database, again, [first["bob"]])
    assert {student: one.grade.id for student, one in standings(database, LAB).items()} == {
        student: one.grade.id for student, one in first.items()
    }
    (_, second) = all_runs(database)
    assert (second.students, second.graded) == (2, 0)


def test_a_new_result_from_the_same_inputs_is_a_new_grade(tmp_path: Path) -> None:
    database = gradebook(tmp_path)
    kept_run(database, [result("ada", [item(points="2")])])
    kept_run(database, [result("ada", [item(points="3")])])
    assert [float(entry.grade.outline.score) for entry in history_of(database, "ada")] == [2, 3]


def test_grades_of_another_lab_are_apart(tmp_path: Path) -> None:
    database = gradebook(tmp_path)
    kept_run(database, [result("ada")])
    kept_run(database, [result("ada", lab=result().lab.model_copy(update={"id": "other"}))], lab="other")
    assert list(standings(database, LAB)) == list(standings(database, "other")) == ["ada"]
    assert standings(database, LAB)["ada"].grade.id != standings(database, "other")["ada"].grade.id


def test_a_run_that_was_cut_off_still_counts(tmp_path: Path) -> None:
    database = gradebook(tmp_path)
    kept_run(database, [result("ada")], finished=False)
    assert all_runs(database)[0].finished is None
    assert "ada" in standings(database, LAB)


def test_a_newer_gradebook_is_left_alone(tmp_path: Path) -> None:
    gradebook(tmp_path).close()
    path = tmp_path / "gradebook.sqlite"
    with sqlite3.connect(path) as connection:
        connection.execute("UPDATE gradebook SET schema_version = 99")
    before = path.read_bytes()
    with pytest.raises(GradebookError, match=r"newer version.*99"):
        open_database(path, create=True)
    with Keeper(path) as keeper, pytest.raises(GradebookError, match="newer"):
        keeper.known(LAB)
    assert path.read_bytes() == before


@pytest.mark.parametrize(
    "content", [b"not a database, but long enough for one" * 100, b"SQLite format 3\0" + b"\1" * 9000]
)
def test_a_damaged_file_is_set_aside_and_told(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "gradebook.sqlite"
    path.write_bytes(content)
    with pytest.raises(DamagedGradebookError, match="set aside"):
        open_database(path, create=False).close()
    with Keeper(path) as keeper:
        assert keeper.known(LAB).standings == {}
        keeper.begin(new_run())
        keeper.keep(result("ada"), INPUTS, {})
        assert "gradebook.damaged-1.sqlite" in keeper.notes[0]
    assert (tmp_path / "gradebook.damaged-1.sqlite").read_bytes() == content
    assert "ada" in standings(gradebook(tmp_path), LAB)


def test_pages_that_are_damaged_later_in_the_file_are_noticed(tmp_path: Path) -> None:
    database = gradebook(tmp_path)
    kept_run(database, [result(f"student {number}") for number in range(200)])
    database.close()
    path = tmp_path / "gradebook.sqlite"
    content = path.read_bytes()
    path.write_bytes(content[:4096] + b"\xff" * (len(content) - 4096))
    with Keeper(path) as keeper:
        assert keeper.known(LAB).standings == {}
        assert "damaged" in keeper.notes[0]
        keeper.begin(new_run())
    assert len(list(tmp_path.glob("*.damaged-*"))) == 1


def test_a_locked_gradebook_is_told_and_costs_no_grade(tmp_path: Path) -> None:
    path = tmp_path / "gradebook.sqlite"
    with Keeper(path, patience=0.2) as keeper:
        keeper.begin(new_run())
        other = sqlite3.connect(path, isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        keeper.keep(result("ada"), INPUTS, {})
        assert keeper.problem
        assert "another program" in keeper.problem
        keeper.keep(result("bob"), INPUTS, {})  # is not tried: it would wait for every student
        other.execute("ROLLBACK")
        with Keeper(path) as second:
            assert second.known(LAB).standings == {}


@pytest.mark.parametrize(
    ("where", "words"),
    [
        ("nonsense://x", "no database"),
        ("postgresql+nodriver://u:secret@h/x", "no database"),
        ("sqlite:////nowhere/at/all.db", "cannot be used"),
    ],
)
def test_what_is_no_gradebook_is_explained(where: str, words: str) -> None:
    with pytest.raises(GradebookError, match=words) as caught:
        open_database(where, create=True)
    assert "secret" not in str(caught.value)


def test_a_url_and_a_path_name_the_same_file(tmp_path: Path) -> None:
    kept_run(gradebook(tmp_path), [result("ada")])
    other = open_database(f"sqlite:///{tmp_path / 'gradebook.sqlite'}", create=False)
    assert "ada" in standings(other, LAB)


def test_nobody_asks_a_gradebook_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(GradebookError, match="no gradebook"):
        open_database(tmp_path / "gradebook.sqlite", create=False)
    assert list(tmp_path.iterdir()) == []


_WRITER = """
import sys
from pathlib import Path
from tests.factories import result
from tests.gradebook.keeping import gradebook, kept_run
database = gradebook(Path(sys.argv[1]))
while True:
    kept_run(database, [result(f"{sys.argv[2]} {number}") for number in range(int(sys.argv[3]))])
    print("run", flush=True)
    if sys.argv[4:] == ["once"]:
        break
"""


def _writer(folder: Path, *arguments: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", _WRITER, str(folder), *arguments], cwd=ROOT, stdout=subprocess.PIPE, text=True
    )


def test_two_processes_write_at_once(tmp_path: Path) -> None:
    """Also when both of them make the file."""
    writers = [_writer(tmp_path, name, "40", "once") for name in ("ada", "bob")]
    assert [writer.wait(timeout=120) for writer in writers] == [0, 0]
    found = standings(gradebook(tmp_path), LAB)
    assert len(found) == 80


def test_a_kill_at_any_moment_leaves_a_whole_gradebook(tmp_path: Path) -> None:
    for number in range(4):
        writer = _writer(tmp_path, f"writer {number}", "300")
        assert writer.stdout
        if number % 2:
            writer.stdout.readline()
        else:
            _wait_for(tmp_path / "gradebook.sqlite-wal")
        time.sleep(0.013 * number)
        os.kill(writer.pid, signal.SIGKILL)
        writer.wait()
        writer.stdout.close()
        database = gradebook(tmp_path)
        for standing in standings(database, LAB).values():
            ((_, content),) = stored_bytes(database, [standing.grade.id])
            assert result(standing.grade.student).to_json().encode() == content
        database.close()
    with sqlite3.connect(tmp_path / "gradebook.sqlite") as connection:
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        assert connection.execute("PRAGMA foreign_key_check").fetchall() == []


def _wait_for(path: Path) -> None:
    for _ in range(600):
        if path.exists():
            return
        time.sleep(0.05)


def test_readers_are_not_kept_waiting(tmp_path: Path) -> None:
    database = gradebook(tmp_path)
    kept_run(database, [result("ada")])
    with database.writing():
        found: list[Standing] = []
        reader = threading.Thread(target=lambda: found.extend(standings(gradebook_for_reading(tmp_path), LAB).values()))
        reader.start()
        reader.join(timeout=10)
        assert [one.grade.student for one in found] == ["ada"]


def gradebook_for_reading(folder: Path) -> Database:
    return open_database(folder / "gradebook.sqlite", create=False)


def test_a_run_is_begun_before_it_is_kept(tmp_path: Path) -> None:
    database = gradebook(tmp_path)
    run = begin_run(database, new_run())
    keep(database, run, result("ada"), INPUTS, {})
    with pytest.raises(GradebookError):
        keep(database, run + 1, result("bob"), INPUTS, {})

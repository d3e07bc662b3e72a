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

from grader.cohort import rows
from grader.gradebook import GradebookError
from grader.gradebook.decisions import Target, Verdict, decide
from grader.gradebook.history import all_runs, history_of
from grader.gradebook.keeper import Keeper
from grader.gradebook.store import (
    FILE,
    DamagedGradebookError,
    Standing,
    _engine,
    begin_run,
    grade_to_store,
    keep,
    keep_standing,
    open_database,
    standings,
    stored_bytes,
    students,
    tables,
)
from grader.result import Status
from tests.conftest import ROOT
from tests.factories import item, result
from tests.gradebook.keeping import INPUTS, LAB, gradebook, kept_run, new_run, where

VERDICT = Verdict(Status.CORRECT, None, "It is there.")


def test_a_result_comes_back_to_the_byte(place: Path | str) -> None:
    made = result("zoé", [item(feedback="“naïve” ≠ naive\u2028")])
    database = gradebook(place)
    kept_run(database, [made])
    standing = standings(database, LAB)["zoé"]
    content = stored_bytes(database, standing.grade.id)
    assert content == made.to_json().encode()
    assert standing.grade.outline.score == made.score
    assert standing.grade.inputs == INPUTS


def test_what_did_not_change_is_not_copied(place: Path | str) -> None:
    database = gradebook(place)
    kept_run(database, [result("ada"), result("bob")])
    first = standings(database, LAB)
    again = kept_run(database, [result("ada")])
    keep_standing(database, again, [first["bob"]])
    assert {student: one.grade.id for student, one in standings(database, LAB).items()} == {
        student: one.grade.id for student, one in first.items()
    }
    (_, second) = all_runs(database)
    assert (second.students, second.graded) == (2, 0)


def test_a_new_result_from_the_same_inputs_is_a_new_grade(place: Path | str) -> None:
    database = gradebook(place)
    kept_run(database, [result("ada", [item(points="2")])])
    kept_run(database, [result("ada", [item(points="3")])])
    assert [float(entry.grade.outline.score) for entry in history_of(database, "ada")] == [2, 3]


def test_grades_of_another_lab_are_apart(place: Path | str) -> None:
    database = gradebook(place)
    kept_run(database, [result("ada")])
    kept_run(database, [result("ada", lab=result().lab.model_copy(update={"id": "other"}))], lab="other")
    assert list(standings(database, LAB)) == list(standings(database, "other")) == ["ada"]
    assert standings(database, LAB)["ada"].grade.id != standings(database, "other")["ada"].grade.id


def test_a_run_that_was_cut_off_still_counts(place: Path | str) -> None:
    database = gradebook(place)
    kept_run(database, [result("ada")], finished=False)
    assert all_runs(database)[0].finished is None
    assert "ada" in standings(database, LAB)


def test_standings_are_read_as_they_are_asked_for(place: Path | str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Those of a class of any size, in blocks, the same as all at once; also of two runs of some students each."""
    monkeypatch.setattr(rows, "_BLOCK", 10)
    database = gradebook(place)
    kept_run(database, [result(f"student {number}") for number in range(65)])
    kept_run(database, [result(f"student {number}", [item(points="3")]) for number in range(15, 42)])
    all_ = standings(database, LAB)
    with Keeper(where(place)) as keeper:
        known = keeper.standings_for(LAB)
        assert dict(known.standings) == all_
        assert len(known.standings) == 65
        assert known.standings.get("student 65") is None
        assert known.standings["student 31"].grade.outline.score == 3
        decide(database, LAB, "ana", [(Target("student 7", "q1", "", "", ""), VERDICT)], seen=0)
        assert set(keeper.decided_about(LAB, ["student 6", "student 7"])) == {("student 7", "q1")}
        assert not keeper.decided_about(LAB, ["student 8"])


def test_a_standing_that_can_no_longer_be_read_is_unknown_and_ends_no_run(tmp_path: Path) -> None:
    kept_run(gradebook(tmp_path), [result("ada")])
    with Keeper(tmp_path / FILE) as keeper:
        known = keeper.standings_for(LAB).standings
        keeper.begin(new_run())
        with sqlite3.connect(tmp_path / FILE) as connection:
            connection.execute("ALTER TABLE grades RENAME TO gone")
        assert known.get("ada") is None
        assert keeper.problem is not None
        with pytest.raises(GradebookError, match="no longer be read"):
            known["ada"]


def test_a_newer_gradebook_is_left_alone(place: Path | str) -> None:
    database = gradebook(place)
    kept_run(database, [result("ada")])
    known = tables()
    with database.writing() as connection:
        connection.execute(known.version.update().values(version_num="0099"))
    database.close()
    with pytest.raises(GradebookError, match=r"newer version.*0099"):
        gradebook(place)
    with Keeper(where(place)) as keeper, pytest.raises(GradebookError, match="newer"):
        keeper.standings_for(LAB)


@pytest.mark.parametrize(
    "content", [b"not a database, but long enough for one" * 100, b"SQLite format 3\0" + b"\1" * 9000, b""]
)
def test_a_damaged_file_is_refused_and_stays_as_it_is(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "gradebook.sqlite"
    path.write_bytes(content)
    with pytest.raises(DamagedGradebookError, match="--restore"):
        open_database(path, create=False).close()
    with Keeper(path) as keeper, pytest.raises(DamagedGradebookError, match=r"gradebook\.decisions\.toml"):
        keeper.standings_for(LAB)
    assert path.read_bytes() == content


def test_pages_that_are_damaged_later_in_the_file_are_noticed(tmp_path: Path) -> None:
    database = gradebook(tmp_path)
    kept_run(database, [result(f"student {number}") for number in range(200)])
    database.close()
    path = tmp_path / "gradebook.sqlite"
    content = path.read_bytes()
    path.write_bytes(content[:4096] + b"\xff" * (len(content) - 4096))
    with Keeper(path) as keeper, pytest.raises(DamagedGradebookError):
        keeper.standings_for(LAB)


def test_a_locked_gradebook_is_told_and_costs_no_grade(place: Path | str) -> None:
    other = gradebook(place)
    with Keeper(where(place), patience=0.2) as keeper:
        keeper.begin(new_run())
        with other.writing():
            keeper.keep(result("ada"), INPUTS, {})
            assert keeper.problem
            assert "another program" in keeper.problem
            keeper.keep(result("bob"), INPUTS, {})  # is not tried: it would wait for every student
        with Keeper(where(place)) as second:
            assert second.standings_for(LAB).standings == {}


@pytest.mark.parametrize(
    ("url", "words"),
    [
        ("nonsense://x", "no database"),
        ("postgresql+nodriver://u:secret@h/x", "no database"),
        ("sqlite:////nowhere/at/all.db", "cannot be used"),
        ("postgresql://u:secret@127.0.0.1:1/x", "cannot be used"),
    ],
)
def test_what_is_no_gradebook_is_explained(url: str, words: str) -> None:
    with pytest.raises(GradebookError, match=words) as caught:
        open_database(url, create=True)
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
place = sys.argv[1]
database = gradebook(place if "://" in place else Path(place))
while True:
    kept_run(database, [result(f"{sys.argv[2]} {number}") for number in range(int(sys.argv[3]))])
    print("run", flush=True)
    if sys.argv[4:] == ["once"]:
        break
"""


def _writer(place: Path | str, *arguments: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", _WRITER, str(place), *arguments], cwd=ROOT, stdout=subprocess.PIPE, text=True
    )


def test_two_processes_write_at_once(place: Path | str) -> None:
    """Also when both of them make the tables."""
    writers = [_writer(place, name, "40", "once") for name in ("ada", "bob")]
    assert [writer.wait(timeout=120) for writer in writers] == [0, 0]
    found = standings(gradebook(place), LAB)
    assert len(found) == 80


def test_a_kill_at_any_moment_leaves_a_whole_gradebook(place: Path | str) -> None:
    # A client that is killed is nothing but an open transaction to a server; a file it may leave half written.
    for number in range(4 if isinstance(place, Path) else 2):
        writer = _writer(place, f"writer {number}", "60")
        assert writer.stdout
        if number % 2 or isinstance(place, str):
            writer.stdout.readline()
        else:
            _wait_for(place / "gradebook.sqlite-wal")
        time.sleep(0.013 * number)
        os.kill(writer.pid, signal.SIGKILL)
        writer.wait()
        writer.stdout.close()
        database = gradebook(place)
        for standing in standings(database, LAB).values():
            content = stored_bytes(database, standing.grade.id)
            assert result(standing.grade.student).to_json().encode() == content
        database.close()
    if isinstance(place, Path):
        with sqlite3.connect(place / "gradebook.sqlite") as connection:
            assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
            assert connection.execute("PRAGMA foreign_key_check").fetchall() == []


def _wait_for(path: Path) -> None:
    for _ in range(600):
        if path.exists():
            return
        time.sleep(0.05)


def test_readers_are_not_kept_waiting(place: Path | str) -> None:
    database = gradebook(place)
    kept_run(database, [result("ada")])
    with database.writing():
        found: list[Standing] = []
        reader = threading.Thread(
            target=lambda: found.extend(standings(gradebook(place, create=False), LAB).values()), daemon=True
        )
        reader.start()
        reader.join(timeout=10)
        assert [one.grade.student for one in found] == ["ada"]


def test_a_reader_sees_one_moment(place: Path | str) -> None:
    database = gradebook(place)
    kept_run(database, [result("ada")])
    with database.reading() as connection:
        assert students(connection) == ["ada"]
        kept_run(gradebook(place), [result("bob")])
        assert students(connection) == ["ada"]
    with database.reading() as connection:
        assert students(connection) == ["ada", "bob"]


def test_a_run_is_begun_before_it_is_kept(place: Path | str) -> None:
    database = gradebook(place)
    run = begin_run(database, new_run())
    keep(database, run, "lab", [grade_to_store(result("ada"), INPUTS, {})])
    with pytest.raises(GradebookError):
        keep(database, run + 1, "lab", [grade_to_store(result("bob"), INPUTS, {})])


def test_a_password_may_stand_in_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PGPASSWORD", "hidden")
    for url, password in (("postgresql://u@h/x", "hidden"), ("postgresql://u:own@h/x", "own"), ("sqlite://", None)):
        engine, shown = _engine(url, 1.0, durable=False)
        assert (engine.url.password, "hidden" in shown) == (password, False)
        engine.dispose()

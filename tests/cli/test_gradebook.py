"""The gradebook as users of the command meet it."""

import json
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import pytest

from grader.gradebook.store import FILE
from grader.result import Status
from tests.conftest import ROOT, results_in, run_grade
from tests.factories import item, result
from tests.gradebook.keeping import INPUTS, gradebook, kept_run

REPORT = ROOT / "submissions" / "student-11" / "report.txt"
RESULTS_ONLY = ("--no-reports", "--jobs", "1")


def class_of(folder: Path, *students: str) -> Path:
    for student in students:
        (folder / student).mkdir(parents=True)
        shutil.copy(REPORT, folder / student / "report.txt")
    return folder


def test_history_and_diff_tell_who_changed_and_why(tmp_path: Path) -> None:
    database = gradebook(tmp_path)
    kept_run(database, [result("ada", [item("q1.total")]), result("bob")])
    changed = result("ada", [item("q1.total", Status.PARTIAL)])
    kept_run(database, [changed, result("bob")], INPUTS._replace(truth="other"))
    database.close()

    history = run_grade("export", "history", "ada", "--out", tmp_path).stdout
    assert [words in history for words in ("2 / 2", "1 / 2", "first grade", "the truth changed")] == [True] * 4
    diff = run_grade("export", "diff", "--out", tmp_path).stdout
    assert "1 of 2 students have other points or new decisions" in diff
    assert "ada  −1  2 / 2 → 1 / 2  (the truth changed)" in diff
    assert "correct, 2 / 2 → partly correct, 1 / 2" in diff
    data = json.loads(run_grade("export", "diff", "1", "2", "--json", "--out", tmp_path).stdout)
    assert [(one["student"], one["points"], one["why"]) for one in data["changed"]] == [
        ("ada", -1.0, ["truth"]),
        ("bob", 0.0, ["truth"]),
    ]
    assert len(json.loads(run_grade("export", "history", "bob", "--json", "--out", tmp_path).stdout)) == 2
    assert run_grade("export", "history", "--out", tmp_path).stdout.count("run ") == 2
    assert run_grade("export", "diff", tmp_path, "1", "2").stdout == diff
    assert run_grade("export", "diff", tmp_path).stdout == diff
    assert run_grade("export", "history", tmp_path, "ada").stdout == history
    assert run_grade("export", "history", tmp_path).stdout.count("run ") == 2


def test_the_name_of_one_student_is_enough(tmp_path: Path) -> None:
    database = gradebook(tmp_path)
    for id_, name in (("2023-1", "Zoé Martin"), ("2023-2", "Ana Martin")):
        graded = result(id_, name=name)
        kept_run(database, [graded])
        (tmp_path / id_).mkdir()
        (tmp_path / id_ / "result.json").write_text(graded.to_json(), encoding="utf-8")
    database.close()
    assert run_grade("export", "history", "zoe", "--out", tmp_path).stdout.startswith("2023-1\n")
    assert run_grade("export", "history", "Martin", "--out", tmp_path).returncode == 2


def test_a_part_of_an_id_is_enough_where_it_is_nobody_elses(tmp_path: Path) -> None:
    database = gradebook(tmp_path)
    kept_run(database, [result("Zoé Été_12"), result("Ann Lee_7"), result("Ann Xu_8")])
    database.close()
    assert run_grade("export", "history", tmp_path, "ete").stdout.startswith("Zoé Été_12\n")
    ended = run_grade("export", "history", tmp_path, "ann")
    assert "'Ann Lee_7' or 'Ann Xu_8'" in ended.stderr


def test_a_misspelt_verb_is_told(tmp_path: Path) -> None:
    ended = run_grade("sevre", tmp_path)
    assert (ended.returncode, "did you mean `serve`?" in ended.stderr) == (2, True)
    assert "no such file or folder" in run_grade("submisions", cwd=tmp_path).stderr


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["export", "history"], "no gradebook"),
        (["export", "diff"], "no gradebook"),
        (["export", "diff", "1"], "two runs"),
        (["export", "diff", "--gradebook", "nonsense://x"], "no database"),
    ],
)
def test_questions_without_an_answer(tmp_path: Path, arguments: list[str], words: str) -> None:
    done = run_grade(*arguments, "--out", tmp_path)
    assert done.returncode == 2
    assert words in done.stderr
    assert "Traceback" not in done.stderr
    assert list(tmp_path.iterdir()) == []


def test_a_class_is_graded_once_and_a_damaged_gradebook_ends_the_run(tmp_path: Path) -> None:
    submissions, out = class_of(tmp_path / "class", "ada", "bob"), tmp_path / "graded"
    assert run_grade(submissions, "--out", out, *RESULTS_ONLY).returncode == 0
    before = {path.name: path.read_bytes() for path in (out / "ada").iterdir()}
    (out / FILE).write_bytes(b"This is no database. " * 1_000)
    again = run_grade(submissions, "--out", out, *RESULTS_ONLY)
    assert again.returncode == 2
    assert "this gradebook is damaged" in again.stderr
    assert {path.name: path.read_bytes() for path in (out / "ada").iterdir()} == before


def _started(submissions: Path, out: Path) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        [sys.executable, "-m", "grader", str(submissions), "--out", str(out), *RESULTS_ONLY],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


@pytest.mark.slow
def test_a_killed_class_goes_on_where_it_stopped(tmp_path: Path) -> None:
    students = [f"student-{number}" for number in range(6)]
    submissions, out = class_of(tmp_path / "class", *students), tmp_path / "graded"
    killed = _started(submissions, out)
    for _ in range(600):
        if len(list(out.glob("*/result.json"))) >= 2:
            break
        time.sleep(0.05)
    os.killpg(killed.pid, signal.SIGKILL)
    killed.communicate()
    done = run_grade(submissions, "--out", out, *RESULTS_ONLY)
    assert done.returncode == 0, done.stderr
    assert "submissions are unchanged" in done.stdout
    assert sorted(results_in(out)) == students
    with sqlite3.connect(out / FILE) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        assert connection.execute("SELECT count(*) FROM runs WHERE finished IS NOT NULL").fetchone() == (1,)


@pytest.mark.slow
def test_two_graders_in_one_folder(tmp_path: Path) -> None:
    students = [f"student-{number}" for number in range(4)]
    submissions, out = class_of(tmp_path / "class", *students), tmp_path / "graded"
    both = [_started(submissions, out) for _ in range(2)]
    for one in both:
        told, _ = one.communicate(timeout=300)
        assert one.returncode == 0, told
    assert sorted(results_in(out)) == students
    done = run_grade(submissions, "--out", out, *RESULTS_ONLY)
    assert "4 of 4 submissions are unchanged" in done.stdout
    assert [path.name for path in out.rglob(".*")] == []


@pytest.mark.slow
@pytest.mark.skipif(os.geteuid() != 0, reason="only the superuser may mount the small disk that is to fill up")
def test_a_full_disk_is_told(tmp_path: Path) -> None:
    disk = tmp_path / "disk"
    disk.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=200k", "none", disk], check=False, capture_output=True
    )
    if mounted.returncode:
        pytest.skip("a container may forbid mounting: then there is no small disk to fill up")
    try:
        submissions = class_of(tmp_path / "class", *[f"student-{number}" for number in range(6)])
        done = run_grade(submissions, "--out", disk / "graded", *RESULTS_ONLY)
        assert done.returncode == 1
        assert "Traceback" not in done.stderr + done.stdout
        assert "disk is full" in done.stdout + done.stderr or "No space left" in done.stdout + done.stderr
        assert all(one.items for one in results_in(disk / "graded").values())
    finally:
        subprocess.run(["umount", disk], check=True)


def test_history_knows_a_student_by_a_part_of_the_id(tmp_path: Path) -> None:
    out = tmp_path / "graded"
    assert run_grade(class_of(tmp_path / "class", "Ada Été", "bob"), "--out", out, *RESULTS_ONLY).returncode == 0
    assert run_grade("export", "history", "été", "--out", out).stdout.startswith("Ada Été\n")
    done = run_grade("export", "history", "eve", "--out", out)
    assert (done.returncode, "'eve' has no grades" in done.stderr) == (2, True)

"""Kill -9 at any moment: no grade is lost, the database is whole, and nothing stays behind."""

import json
import os
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from tests.conftest import ROOT

STUDENTS = ("student-02", "student-08", "student-11", "student-12")
LONGEST = 6.0
"""In seconds: until when a process is killed. A run takes about as long."""


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    for student in STUDENTS:
        shutil.copytree(ROOT / "submissions" / student, tmp_path / "class" / student)
    yield tmp_path
    shutil.rmtree(_temporary(tmp_path))


def _temporary(folder: Path) -> Path:
    """A folder for temporary files with a short path."""
    place = Path(tempfile.gettempdir()) / f"t-{folder.name[-1]}{os.getpid()}"
    place.mkdir(exist_ok=True)
    return place


def start(folder: Path, out: str, *options: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-m", "grader", folder / "class", "--out", folder / out, "--no-reports", *options],
        cwd=ROOT,
        env={**os.environ, "TMPDIR": str(_temporary(folder))},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
    )


def finish(folder: Path, out: str, *options: str) -> None:
    process = start(folder, out, *options)
    _, errors = process.communicate(timeout=300)
    assert process.returncode == 0, errors.decode()


def children(process: int) -> Iterator[int]:
    """All processes below one."""
    with suppress(OSError):
        for task in Path(f"/proc/{process}/task").iterdir():
            for child in map(int, (task / "children").read_text().split()):
                yield child
                yield from children(child)


def alive(processes: list[int]) -> list[int]:
    return [one for one in processes if Path(f"/proc/{one}").exists() and " Z " not in _status(one)]


def _status(process: int) -> str:
    try:
        return Path(f"/proc/{process}/stat").read_text()
    except OSError:
        return " Z "


def results(out: Path) -> dict[str, bytes]:
    return {path.parent.name: path.read_bytes() for path in out.glob("*/result.json")}


# Only Linux lists a process's children in /proc; without them nothing shows that none goes on alone.
@pytest.mark.skipif(sys.platform != "linux", reason="looks for processes in /proc")
@pytest.mark.parametrize("kills", [2, pytest.param(200, marks=pytest.mark.slow)])
def test_nothing_is_lost_whenever_processes_are_killed(folder: Path, kills: int) -> None:
    finish(folder, "undisturbed")
    whole = results(folder / "undisturbed")
    rng = random.Random(kills)
    for number in range(kills):
        process = start(folder, "out", *(["--again"] if number % 3 else []))
        time.sleep(rng.uniform(0.0, LONGEST))
        family = [process.pid, *children(process.pid)]
        target = rng.choice(family) if number % 2 else process.pid
        with suppress(ProcessLookupError):
            os.kill(target, signal.SIGKILL)
        process.communicate(timeout=300)
        until = time.monotonic() + 15
        while alive(family) and time.monotonic() < until:
            time.sleep(0.1)
        assert not alive(family), "something goes on without its parent"
        for student, content in results(folder / "out").items():
            result = json.loads(content)
            assert result["student"]["id"] == student
        check_gradebook(folder / "out" / "gradebook.sqlite")
    finish(folder, "out")
    finish(folder, "out", "--again")
    assert results(folder / "out") == whole
    assert [path.name for path in _temporary(folder).iterdir()] == []


def check_gradebook(path: Path) -> None:
    if not path.exists() or not path.stat().st_size:
        return
    with sqlite3.connect(path) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]

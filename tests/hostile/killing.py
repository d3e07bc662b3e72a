"""Kill -9 at random moments, in batches: `python -m tests.hostile.killing FOLDER --kills 20`.

What is graded and decided in FOLDER stays there, so that the next batch goes on with it, and `kills.jsonl` counts them.
Every third one is of the review page while somebody decides there; of the others one half is of the whole run, the
other of any one of its processes.
"""

import argparse
import hashlib
import http.client
import json
import os
import random
import re
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from tests.conftest import ROOT
from tests.serve.serving import Client, Served, seen_of, serving

STUDENTS = ("student-02", "student-08", "student-11", "student-12")
MADE = 12
"""Students whose answers are decided on the review page."""
ITEM = re.compile(r'id="((?:q|t)\d\.\w+)"')
CONFIRMED = re.compile(r"(\d+) answers?: ")
_ODD, _EVERY, _PAGE = 2, 3, 2


class Campaign:
    """A class that is graded again and again, and what was killed so far."""

    def __init__(self, folder: Path) -> None:
        """Begin in an empty folder, or go on in one of before."""
        self.folder = folder
        self.log = folder / "kills.jsonl"
        self.confirmed = 0
        for student in STUDENTS:
            if not (folder / "class" / student).exists():
                shutil.copytree(ROOT / "submissions" / student, folder / "class" / student)
        started = time.monotonic()
        finish(folder, "undisturbed", "--again")
        self.longest = time.monotonic() - started
        self.whole = results(folder / "undisturbed")

    @property
    def done(self) -> Counter[str]:
        """How many were killed, by what they were."""
        lines = self.log.read_text().splitlines() if self.log.exists() else []
        return Counter(json.loads(line)["killed"] for line in lines)

    def batch(self, kills: int) -> None:
        """Kill so many; then look whether all is there as if nothing had happened."""
        for _ in range(kills):
            number = self.done.total()
            rng = random.Random(number)
            self._count(self._kill_page(rng) if number % _EVERY == _PAGE else self._kill_run(rng, number))
        finish(self.folder, "out")
        finish(self.folder, "out", "--again")
        assert results(self.folder / "out") == self.whole
        left = [path.name for path in temporary(self.folder).iterdir()]
        assert left == [], left

    def _count(self, killed: str) -> None:
        with self.log.open("a") as log:
            log.write(json.dumps({"killed": killed}) + "\n")

    def _kill_run(self, rng: random.Random, number: int) -> str:
        process = start(self.folder, "out", *(["--again"] if number % _EVERY else []))
        if number % _ODD:
            _await_children(process)
        time.sleep(rng.uniform(0.0, self.longest))
        below = list(children(process.pid))
        family = [process.pid, *below]
        target = rng.choice(below) if number % _ODD and below else process.pid
        with suppress(ProcessLookupError):
            os.kill(target, signal.SIGKILL)
        process.communicate(timeout=600)
        until = time.monotonic() + 30
        while alive(family) and time.monotonic() < until:
            time.sleep(0.1)
        assert not alive(family), "something goes on without its parent"
        for student, content in results(self.folder / "out").items():
            assert json.loads(content)["student"]["id"] == student
        check_gradebook(self.folder / "out" / "gradebook.sqlite")
        return "the run" if target == process.pid else "a process of it"

    def _kill_page(self, rng: random.Random) -> str:
        """What was confirmed to the grader is in the gradebook, whatever was under way."""
        graded = self.folder / "page"
        if not graded.exists():
            from scripts.made_class import made_class

            made_class(graded, MADE, pages=MADE)
        before = self._decisions(graded)
        confirmed = []
        with serving(graded) as served:
            decider = threading.Thread(target=_decide, args=(served, rng, confirmed), daemon=True)
            decider.start()
            time.sleep(rng.uniform(0.1, 3.0))
            served.kill()
            decider.join(timeout=60)
        check_gradebook(graded / "gradebook.sqlite")
        kept = self._decisions(graded) - before
        assert kept >= sum(confirmed), f"{sum(confirmed)} confirmed, {kept} kept"
        self.confirmed += sum(confirmed)
        return "the review page"

    def _decisions(self, graded: Path) -> int:
        from grader.gradebook.decisions import decided_since
        from grader.gradebook.store import FILE, open_database
        from scripts.made_class import LAB

        if not (graded / FILE).exists():
            return 0
        database = open_database(graded / FILE, create=False)
        try:
            return len(decided_since(database, LAB))
        finally:
            database.close()


def _await_children(process: subprocess.Popen[bytes]) -> None:
    while process.poll() is None and not list(children(process.pid)):
        time.sleep(0.02)


def _decide(served: Served, rng: random.Random, confirmed: list[int]) -> None:
    """Decide one answer after the other, and change one's mind, until the page is gone."""
    with suppress(OSError, http.client.HTTPException, KeyError, IndexError):
        ana = Client(served, "ana")
        while True:
            student = f"made-{rng.randrange(MADE):04}"
            page = ana.get(f"/students/{student}")[2]
            item, verdict = rng.choice(ITEM.findall(page)), rng.choice(("correct", "partial", "incorrect"))
            fields = {"seen": seen_of(page), "verdict": verdict}
            told = CONFIRMED.search(ana.post(f"/students/{student}/items/{item}/decide", fields)[2])
            confirmed.append(int(told[1]) if told else 0)


def temporary(folder: Path) -> Path:
    """A folder for temporary files with a short path."""
    place = Path(tempfile.gettempdir()) / f"t-{hashlib.sha256(bytes(folder)).hexdigest()[:8]}"
    place.mkdir(exist_ok=True)
    return place


def start(folder: Path, out: str, *options: str) -> subprocess.Popen[bytes]:
    """A run over the class."""
    return subprocess.Popen(
        [sys.executable, "-m", "grader", folder / "class", "--out", folder / out, "--no-reports", *options],
        cwd=ROOT,
        env={**os.environ, "TMPDIR": str(temporary(folder))},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
    )


def finish(folder: Path, out: str, *options: str) -> None:
    """A run to its end."""
    process = start(folder, out, *options)
    _, errors = process.communicate(timeout=600)
    assert process.returncode == 0, errors.decode()


def children(process: int) -> Iterator[int]:
    """All processes below one."""
    with suppress(OSError):
        for task in Path(f"/proc/{process}/task").iterdir():
            for child in map(int, (task / "children").read_text().split()):
                yield child
                yield from children(child)


def alive(processes: list[int]) -> list[int]:
    """Those that have not ended."""
    return [one for one in processes if Path(f"/proc/{one}").exists() and " Z " not in _status(one)]


def _status(process: int) -> str:
    try:
        return Path(f"/proc/{process}/stat").read_text()
    except OSError:
        return " Z "


def results(out: Path) -> dict[str, bytes]:
    """By student."""
    return {path.parent.name: path.read_bytes() for path in out.glob("*/result.json")}


def check_gradebook(path: Path) -> None:
    """The database is whole, where there is one."""
    if not path.exists() or not path.stat().st_size:
        return
    with sqlite3.connect(path) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]


def main() -> None:
    """One batch."""
    parser = argparse.ArgumentParser(description="Kill -9 at random moments.")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--kills", type=int, default=20)
    given = parser.parse_args()
    given.folder.mkdir(parents=True, exist_ok=True)
    campaign = Campaign(given.folder)
    campaign.batch(given.kills)
    print(f"{campaign.done.total()} so far, nothing lost: {dict(campaign.done)}; "
          f"in this batch {campaign.confirmed} decisions were confirmed", flush=True)  # fmt: skip


if __name__ == "__main__":
    main()

"""A class that was graded before, and questions to a gradebook, in CPU seconds; and what a regrade after decisions
costs beside the grading."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from datetime import date
from functools import partial
from pathlib import Path

from grader.checks.finding import AUTOMATIC
from grader.gradebook.history import compare_runs, history_of
from grader.gradebook.keeper import Keeper
from grader.gradebook.store import FILE, Inputs, NewRun, open_database
from grader.intake.layouts import find_all_sources
from grader.lab.files import lab_folder, load_lab, load_truth
from grader.lab.short_answers import Decision, decisions_toml
from grader.pipeline.class_files import ClassRun
from grader.pipeline.order import Order
from grader.pipeline.outputs import RESULT, Reports, write_student
from grader.pipeline.session import new_run, session
from grader.result import Result, Status
from scripts.bench.figure import Figure, median_seconds
from scripts.measured import measure_command
from tests.factories import item, result

ROOT = Path(__file__).parents[2]
UNCHANGED = 1_000
ROWS = 10_000
BAR = 2.0

_ITEMS = 25
_REPORT, _PAGE, _LOG = 150_000, 300_000, 100_000
"""Bytes of a usual report as PDF and as HTML, and of the logs that lie in a hand-in."""
_WORDS = "What was found, what is expected, and what follows from it. " * 20
_HASH = "0" * 64


def figures(students: int = UNCHANGED, rows: int = ROWS) -> Iterator[Figure]:
    """A run in which nothing has changed, and the two questions."""
    with tempfile.TemporaryDirectory() as folder:
        yield _unchanged(Path(folder), students)
    with tempfile.TemporaryDirectory() as folder:
        yield from _questions(Path(folder) / FILE, rows)
    with tempfile.TemporaryDirectory() as folder:
        yield from _decided(Path(folder))


def _unchanged(folder: Path, students: int) -> Figure:
    submissions, out = folder / "class", folder / "graded"
    for number in range(students):
        _hand_in(submissions / f"student-{number:04}")
    _grade_all(submissions, out)
    command = [sys.executable, "-m", "grader", str(submissions), "--out", str(out)]
    seconds = median_seconds(partial(_run, command, students), runs=3, clock=_seconds_of_children)
    return Figure(f"grade, {students:,} unchanged students, whole process", seconds, "s", BAR)


def _hand_in(folder: Path) -> None:
    (folder / "logs").mkdir(parents=True)
    (folder / "report.md").write_text(f"# Lab 4\n\nI am {folder.name}.\n{_WORDS}", encoding="utf-8")
    (folder / "lab.ipynb").write_text(f'{{"cells": [], "of": "{folder.name}"}}', encoding="utf-8")
    (folder / "logs" / "train.log").write_bytes(folder.name.encode() * (_LOG // len(folder.name)))


def _grade_all(submissions: Path, out: Path) -> None:
    """As `grade` does it, but with results made up."""
    lab_files = lab_folder("nlp-frameworks")
    sources, _ = find_all_sources([submissions])
    order = Order(sources, load_lab(lab_files), load_truth(lab_files))
    with Keeper(out / FILE) as keeper:
        found = session(order, out, keeper, again=False)
        out.mkdir()
        keeper.begin(new_run(found, {}))
        run = ClassRun(out, order, keeper, found.plan.known)
        for source in sources:
            made = _result(source.student_id)
            files = write_student(out, made, Reports(b"%" * _REPORT, b"<" * _PAGE))
            run.add(made, found.plan.inputs[source.student_id], files, {})
            run.enter()
        run.finish(run.files())


def _result(student: str, status: Status = Status.CORRECT) -> Result:
    """With that status in the first question."""
    return result(
        student,
        [
            item(f"q{number // 4}.i{number}", Status.CORRECT if number >= 4 else status, "0.8", feedback=_WORDS)
            for number in range(_ITEMS)
        ],
    )


def _run(command: list[str], students: int) -> None:
    done = subprocess.run(command, cwd=ROOT, capture_output=True, check=True, text=True)
    if f"{students:,} of {students:,} submissions are unchanged" not in done.stdout:
        sys.exit(f"not all were unchanged:\n{done.stdout[-1000:]}")


def _seconds_of_children() -> float:
    """CPU seconds of all processes that came to their end, in the program and for it in the system."""
    times = os.times()
    return times.children_user + times.children_system


COPIES = 4
"""Of each sample."""
_DECISIONS = 1


def _decided(folder: Path) -> Iterator[Figure]:
    """A class of samples, graded and then graded again after decisions about the rarest of its answers."""
    submissions, lab, graded = folder / "class", folder / "lab", folder / "graded"
    for number in range(COPIES):
        for sample in sorted((ROOT / "submissions").glob("student-*")):
            shutil.copytree(sample, submissions / f"{sample.name}-{number}")
    shutil.copytree(lab_folder("nlp-frameworks"), lab)
    grading = _seconds_of(str(submissions), "--lab", str(lab), "--out", str(graded))
    settled: dict[str, str] = {}
    number_of: Counter[str] = Counter()
    for path in sorted(graded.glob(f"*/{RESULT}")):
        for entry in json.loads(path.read_bytes())["items"]:
            if any(tag.startswith(AUTOMATIC) for tag in entry["tags"]):
                settled[entry["group"]] = entry["status"]
                number_of[entry["group"]] += 1
    groups = sorted(settled, key=lambda group: (number_of[group], group))[:_DECISIONS]
    decisions = [
        Decision(
            group=group,
            label="correct" if settled[group] == "partial" else "partial",
            text="-",
            why="For the measurement.",
            author="bench",
            date=date(2026, 1, 1),
        )
        for group in groups
    ]
    (lab / "decisions.toml").write_text(decisions_toml(decisions), encoding="utf-8")
    again = _seconds_of("regrade", str(graded), "--lab", str(lab))
    changed = sum(number_of[group] for group in groups)
    yield Figure(
        f"regrade after decisions on {changed} of {number_of.total()} answers, to grading", again / grading, "×"
    )


def _seconds_of(*arguments: str) -> float:
    """CPU seconds of a command of the grader with all of its processes."""
    found = measure_command([sys.executable, "-m", "grader", *arguments])
    found.done.check_returncode()
    return found.processor


def _questions(path: Path, rows: int) -> Iterator[Figure]:
    runs = NewRun("counting", _HASH, _HASH, "0.1.0+0", "en", {})
    with Keeper(path) as keeper:
        for number, status in enumerate((Status.CORRECT, Status.PARTIAL)):
            inputs = Inputs("s", str(number), "t", "g", "o", "l", "i", "p")
            keeper.begin(runs)
            for student in range(rows):
                keeper.keep(_result(f"student {student}", status), inputs, {})
            keeper.finish(str(number), {})
    database = open_database(path, create=False)
    seconds = median_seconds(partial(history_of, database, "student 77"), runs=3)
    yield Figure(f"history of one of {rows:,} students", seconds, "s", BAR)
    seconds = median_seconds(partial(compare_runs, database), runs=3)
    yield Figure(f"diff of two runs in which all of {rows:,} grades changed", seconds, "s", BAR)
    database.close()

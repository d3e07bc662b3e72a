"""What grading a class of any size would need on this machine, from a sample that is graded for it."""

import contextlib
import os
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Final, NamedTuple

from grader.gradebook.database import FILE
from grader.gradebook.keeper import Keeper
from grader.pipeline.classroom import grade_class
from grader.pipeline.isolation import workers_that_fit
from grader.pipeline.order import Order
from grader.pipeline.outputs import CLASS_FILES
from grader.pipeline.session import new_run, session

STEERING: Final = 110 * 2**20
STEERING_EACH: Final = 1_450
STEERING_LEAST: Final = 185 * 2**20
"""Bytes of the process that steers: for itself, for each student, and with the files of a class that it makes itself
(docs/scale.md)."""
CLASS_SECONDS_EACH: Final = 0.0015
"""Seconds of a core for the files of the class, for each student (docs/scale.md)."""
_MEMORY_READ_EVERY: Final = 0.02


class Sample(NamedTuple):
    """A class that was graded to measure. `seconds` are by the clock, `processor` those of all cores together, without
    the start; `memory` is the most that one worker had, in bytes, 0 where this system does not tell; `stored` and
    `gradebook` are the bytes that were written."""

    hand_ins: int
    workers: int
    with_reports: bool
    seconds: float
    processor: float
    memory: int
    stored: int
    gradebook: int


class Forecast(NamedTuple):
    """What a class needs: `seconds` by the clock while the machine is as busy as it was for the sample, `seconds_alone`
    while it does nothing else, `core_seconds` of one core, memory and storage in bytes."""

    students: int
    seconds: float
    seconds_alone: float
    core_seconds: float
    steering_memory: int
    storage: int


def measured(order: Order, workers: int, done: Callable[[int], None]) -> Sample:
    """Grades an order's hand-ins, at least two, into a folder that is removed, and measures. The first is graded ahead,
    so that no start is measured. `done` is told how many are graded. Raises OSError, GradebookError, LabError."""
    workers = workers_that_fit() if workers <= 0 else min(workers, workers_that_fit())
    with tempfile.TemporaryDirectory() as folder, _most_memory_of_children() as most:
        _graded(replace(order, sources=order.sources[:1]), Path(folder) / "first", 1, done=lambda: None)
        out, begun, ended = Path(folder) / "graded", _now(), []

        def one_more() -> None:
            ended.append(_now())
            done(len(ended))

        _graded(order, out, workers, done=one_more)
        last = ended[-1]
        students = [path for path in out.iterdir() if path.is_dir()]
        return Sample(
            hand_ins=len(order.sources),
            workers=workers,
            with_reports=order.with_reports,
            seconds=last[0] - begun[0],
            processor=last[1] - begun[1],
            memory=most(),
            stored=sum(path.stat().st_size for student in students for path in student.iterdir()),
            gradebook=sum(path.stat().st_size for path in out.glob(f"{FILE}*") if path.name not in CLASS_FILES),
        )


def _graded(order: Order, out: Path, workers: int, done: Callable[[], None]) -> None:
    out.mkdir()
    with Keeper(out / FILE) as keeper:
        found = session(order, out, keeper, again=True)
        keeper.begin(new_run(found, {}))
        grade_class(found.order, out, workers=workers, done=lambda _: done(), plan=found.plan, keeper=keeper)


def forecast(sample: Sample, students: int) -> Forecast:
    """A class of so many students like those of the sample: what each takes, that many times. The files of the class
    come on top; what the steering process needs was measured once."""
    of_class = CLASS_SECONDS_EACH * students
    of_cores = sample.processor / sample.hand_ins * students
    each = sample.stored / sample.hand_ins + sample.gradebook / sample.hand_ins
    return Forecast(
        students=students,
        seconds=sample.seconds / sample.hand_ins * students + of_class,
        seconds_alone=of_cores / min(sample.workers, os.cpu_count() or 1) + of_class,
        core_seconds=of_cores + of_class,
        steering_memory=max(STEERING_LEAST, STEERING + STEERING_EACH * students),
        storage=round(each * students),
    )


def _now() -> tuple[float, float]:
    """Seconds by the clock, and seconds of processor time of this process and all that it has started."""
    return time.perf_counter(), time.process_time() + sum(map(_seconds_of, _children()))


def _children() -> Iterator[Path]:
    """The processes that this one has started, as folders of `/proc`; none where the system has no such folder."""
    for task in Path("/proc/self/task").glob("*/children"):
        with contextlib.suppress(OSError):
            yield from (Path("/proc") / pid for pid in task.read_text(encoding="ascii").split())


def _seconds_of(process: Path) -> float:
    """Processor time of a process, its threads, and those of its children that have ended."""
    with contextlib.suppress(OSError, ValueError, IndexError):
        fields = (process / "stat").read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()
        return sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")
    return 0.0


@contextlib.contextmanager
def _most_memory_of_children() -> Iterator[Callable[[], int]]:
    """A function that tells the most memory, in bytes, that a process had that one of this one's children started."""
    most, stop = [0], threading.Event()

    def look() -> None:
        while not stop.wait(_MEMORY_READ_EVERY):
            for child in _children():
                for worker in _children_of(child):
                    most[0] = max(most[0], _memory_of(worker))

    watching = threading.Thread(target=look, daemon=True)
    watching.start()
    try:
        yield lambda: most[0]
    finally:
        stop.set()
        watching.join()


def _children_of(process: Path) -> list[Path]:
    with contextlib.suppress(OSError):
        pids = [pid for task in (process / "task").iterdir() for pid in (task / "children").read_text().split()]
        return [Path("/proc") / pid for pid in pids]
    return []


def _memory_of(process: Path) -> int:
    """The most memory that a process has had: its own and what it shares with the server that it was forked from."""
    with contextlib.suppress(OSError, ValueError, IndexError):
        lines = (process / "status").read_text(encoding="utf-8", errors="replace").splitlines()
        return next((int(line.split()[1]) * 1024 for line in lines if line.startswith("VmHWM:")), 0)
    return 0

"""A class on a Dask cluster of this machine: what it costs against `--jobs`, and what a second worker brings.

The cost is processor time: of the processes that lead, schedule and hand out, on which other work on the machine weighs
little; and of all, since those that grade might do more on a worker than here. By the clock it is told too, and so is
what a second worker brings; both are right on a quiet machine only. On a busy one it is told for which share of a run
both workers have a hand-in: twice that share is what they bring where each has a core. The class is long enough that
what each run does once does not decide (`python -m scripts.bench.cluster COPIES PAIRS` takes another one).
"""

import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from distributed import Client, get_task_stream

from grader.intake.layouts import find_all_sources
from grader.lab.files import lab_folder, load_lab, load_truth
from grader.pipeline.classroom import grade_class
from grader.pipeline.order import Order
from scripts.bench.figure import Figure

ROOT = Path(__file__).parents[2]
STUDENTS = ("student-01", "student-03", "student-05", "student-07")
COPIES = 8
PAIRS = 3
MOST_OVERHEAD = 1.10
LEAST_SPEED_UP = 1.8
QUIET = {
    "DASK_DISTRIBUTED__ADMIN__TICK__INTERVAL": "2s",
    "DASK_DISTRIBUTED__ADMIN__SYSTEM_MONITOR__INTERVAL": "5s",
    "DASK_DISTRIBUTED__WORKER__PROFILE__ENABLED": "False",
}
"""What docs/scale.md proposes: Dask looks after itself many times in a second otherwise, also with nothing to do."""
_TICKS = os.sysconf("SC_CLK_TCK")


class Spent(NamedTuple):
    """Seconds by the clock, and of processor time: of all processes, and of those that grade nothing."""

    clock: float
    processor: float
    leading: float


def figures(copies: int = COPIES, pairs: int = PAIRS) -> Iterator[Figure]:
    """Pairs of runs, one after the other, each over the same class; the median of the ratios."""
    with tempfile.TemporaryDirectory() as folder:
        order = _order(Path(folder), copies)
        hand_ins = len(order.sources)
        first, second = _Machines(Path(folder), 1), _Machines(Path(folder), 2)
        try:
            runs = {
                "two": lambda: _graded(order, second.address),
                "jobs": lambda: _graded(order, None),
                "one": lambda: _graded(order, first.address),
            }
            for run in runs.values():
                run()  # the servers of workers are warm then
            families = {"two": second.processes, "jobs": (), "one": first.processes}
            spent = [{name: _spent(run, families[name]) for name, run in runs.items()} for _ in range(pairs)]
            busy = _median(_busy(second.address, runs["two"], 2) for _ in range(pairs))
        finally:
            first.close()
            second.close()
    yield Figure(
        f"a hand-in by --jobs 2, of {hand_ins}", _median(s["jobs"].processor for s in spent) / hand_ins, "CPU s"
    )
    yield Figure(
        "two Dask workers against --jobs 2, processor time of what leads, schedules and hands out",
        _median(1 + (s["two"].leading - s["jobs"].leading) / s["jobs"].processor for s in spent),
        "times",
        MOST_OVERHEAD,
    )
    yield Figure(
        "two Dask workers against --jobs 2, processor time of all",
        _median(s["two"].processor / s["jobs"].processor for s in spent),
        "times",
        MOST_OVERHEAD,
    )
    yield Figure(
        "two Dask workers against --jobs 2, by the clock",
        _median(s["two"].clock / s["jobs"].clock for s in spent),
        "times",
        MOST_OVERHEAD,
    )
    yield Figure("two workers have a hand-in, of the time", busy, "share", LEAST_SPEED_UP / 2, at_least=True)
    yield Figure(
        f"two workers against one, by the clock (load {os.getloadavg()[0]:.1f})",
        _median(s["one"].clock / s["two"].clock for s in spent),
        "times",
        LEAST_SPEED_UP,
        at_least=True,
    )


def _busy(address: str, run: Callable[[], None], workers: int) -> float:
    """The share of a run's time, from its first hand-in to its last, in which workers have a hand-in."""
    with Client(address, set_as_default=False) as client, get_task_stream(client) as stream:
        run()
    times = [interval for task in stream.data for interval in task["startstops"] if interval["action"] == "compute"]
    begun, ended = min(interval["start"] for interval in times), max(interval["stop"] for interval in times)
    return float(sum(interval["stop"] - interval["start"] for interval in times) / (workers * (ended - begun)))


def _median(ratios: Iterator[float]) -> float:
    return statistics.median(ratios)


def _order(folder: Path, copies: int) -> Order:
    for number in range(copies):
        for student in STUDENTS:
            shutil.copytree(ROOT / "submissions" / student, folder / "class" / f"{student}-{number}")
    sources, _ = find_all_sources([folder / "class"])
    lab = lab_folder("nlp-frameworks")
    return Order(sources, load_lab(lab), load_truth(lab), with_reports=False)


def _graded(order: Order, cluster: str | None) -> None:
    with tempfile.TemporaryDirectory() as out:
        graded = grade_class(order, Path(out), workers=2, done=lambda grade: None, cluster=cluster)
    if any(grade.error for grade in graded):
        sys.exit(f"not all were graded: {[grade.error for grade in graded if grade.error]}")


class _Machines:
    """A scheduler and workers in processes of their own."""

    def __init__(self, folder: Path, workers: int) -> None:
        file = folder / f"scheduler-{workers}.json"
        where = ("--scheduler-file", str(file))
        started = [_started("dask_scheduler", "--port", "0", "--no-dashboard", "--host", "127.0.0.1", *where)]
        started += [
            _started("dask_worker", "--nthreads", "1", "--no-dashboard", "--no-nanny", *where) for _ in range(workers)
        ]
        self._started = started
        self.processes = tuple(process.pid for process in started)
        until = time.monotonic() + 120
        while not file.exists() and time.monotonic() < until:
            time.sleep(0.1)
        with Client(scheduler_file=str(file), set_as_default=False) as client:
            client.wait_for_workers(workers, timeout=120)
            self.address = str(client.scheduler.address) if client.scheduler else ""

    def close(self) -> None:
        for process in self._started:
            process.kill()
            process.wait()


def _started(program: str, *options: str) -> "subprocess.Popen[bytes]":
    command = [sys.executable, "-m", f"distributed.cli.{program}", *options]
    environment = {**QUIET, **os.environ}
    return subprocess.Popen(command, cwd=ROOT, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def _spent(action: Callable[[], None], processes: Sequence[int]) -> Spent:
    family = (os.getpid(), *processes)
    clock, processor, leading = time.perf_counter(), _processor(family), sum(map(_used, family))
    action()
    return Spent(time.perf_counter() - clock, _processor(family) - processor, sum(map(_used, family)) - leading)


def _processor(family: Sequence[int]) -> float:
    """Seconds of processor time of processes, of all below them, and of those below them that have ended. The
    benchmark's own clusters are below this process; they count by their own names."""
    this_process = os.getpid()
    return sum(
        _used(process) + sum(map(_used, _below(process))) for process in family if process != this_process
    ) + _own(this_process)


def _own(process: int) -> float:
    """Return the CPU seconds of this process and of the server of its workers."""
    below = [
        child for child in _children(process) if b"distributed.cli" not in Path(f"/proc/{child}/cmdline").read_bytes()
    ]
    return _used(process) + sum(_used(candidate) + sum(map(_used, _below(candidate))) for candidate in below)


def _below(process: int) -> Iterator[int]:
    for child in _children(process):
        yield child
        yield from _below(child)


def _children(process: int) -> list[int]:
    found: list[int] = []
    for task in Path(f"/proc/{process}/task").iterdir():
        found.extend(map(int, (task / "children").read_text().split()))
    return found


def _used(process: int) -> float:
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return sum(map(int, fields[11:15])) / _TICKS


if __name__ == "__main__":
    for found in figures(*map(int, sys.argv[1:])):
        print(found, flush=True)

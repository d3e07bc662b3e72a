"""What a machine has of what grading needs, and what grading a class of any size would need on it, from a sample that
is graded for it. Whether workers are confined is tried from within one: what somebody would try who has taken it over
must fail.
"""

import contextlib
import os
import platform
import shutil
import signal
import socket
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path
from types import MappingProxyType
from typing import Final, NamedTuple

from grader.frozen import Frozen
from grader.gradebook.database import FILE
from grader.gradebook.keeper import Keeper
from grader.message import Words, say
from grader.pipeline import kernel
from grader.pipeline.cage import Bounds, temporary_folder
from grader.pipeline.classroom import grade_class
from grader.pipeline.isolation import MEMORY, Send, memory_for_all, run_isolated, workers_that_fit
from grader.pipeline.order import Order
from grader.pipeline.outputs import CLASS_FILES
from grader.pipeline.session import new_run, session


@dataclass(frozen=True)
class Try:
    """A file that the worker must not read, a folder that it must neither list nor write to, and its own."""

    secret: Path
    outside: Path
    work: Path


def _fork(_: Try) -> None:
    if os.fork() == 0:
        os._exit(0)


def _see_environment(_: Try) -> None:
    if not os.environ:
        raise OSError("it is empty")


def _be_root(_: Try) -> None:
    if os.geteuid() != 0:
        raise OSError("it is not root")


ATTEMPTS: Mapping[str, tuple[Words, Callable[[Try], object]]] = MappingProxyType(
    {
        "read": (say("read other files than its hand-in"), lambda given: given.secret.read_bytes()),
        "list": (say("see which other hand-ins there are"), lambda given: list(given.outside.iterdir())),
        "write": (say("write outside its own folder"), lambda given: (given.outside / "written").write_bytes(b"x")),
        "connect": (say("open network connections"), lambda _: socket.create_connection(("127.0.0.1", 9), timeout=1)),
        "execute": (say("run programs"), lambda _: os.posix_spawn(sys.executable, [sys.executable, "-c", ""], {})),
        "fork": (say("make further processes"), _fork),
        "signal": (say("send signals to other processes"), lambda _: os.kill(os.getppid(), signal.SIGCONT)),
        "trace": (say("look into other processes"), lambda _: Path(f"/proc/{os.getppid()}/mem").open("rb").close()),
        "environment": (say("see environment variables"), _see_environment),
        "root": (say("act as root"), _be_root),
    }
)
"""By name, in words that follow 'a worker cannot', and what is done."""


def make_attempts(given: Try, send: Send) -> None:
    """Make every attempt, and send the names of those that succeeded."""
    for name, (_, attempt) in ATTEMPTS.items():
        try:
            attempt(given)
        except (OSError, RuntimeError):
            continue
        send(name.encode())
    threading.Thread(target=int).start()  # what libraries need must still be possible
    (given.work / "kept").write_bytes(b"x")


def possible(given: Try) -> tuple[tuple[str, ...], str | None]:
    """The names of the attempts that succeed in a worker on this machine, and why it ended early, if it did."""
    (outcome,) = run_isolated(
        make_attempts, [given], workers=1, bounds=lambda given: Bounds(work=given.work), seconds=30
    )
    return tuple(message.decode() for message in outcome.messages), outcome.failure


class State(StrEnum):
    """Whether something is there, in one word."""

    GOOD = "good"
    LACKING = "lacking"
    OPTIONAL = "optional"


class Remark(Frozen):
    """One thing that was examined; `remedy` says what to do, or what follows."""

    what: str
    state: State
    remedy: str = ""

    @property
    def is_well(self) -> bool:
        """Whether nothing needs to be done."""
        return self.state is not State.LACKING


def examined() -> list[Remark]:
    """All that can be said of this machine."""
    return [*_resources(), *_libraries(), *_confinement()]


def _resources() -> Iterator[Remark]:
    yield Remark(what=say("Python {version}", version=platform.python_version()), state=State.GOOD)
    whole = memory_for_all()
    told = {"memory": f"{whole / 2**30:.1f}", "workers": workers_that_fit(), "each": f"{MEMORY / 2**30:.1f}"}
    what = say("memory for workers: {memory} GiB, so at most {workers} of {each} GiB at a time", **told)
    if whole >= MEMORY:
        yield Remark(what=what, state=State.GOOD)
    else:
        yield Remark(what=what, state=State.LACKING, remedy=say("large reports may fail; use a machine with 2 GiB"))


def _libraries() -> Iterator[Remark]:
    from grader.report.pdf import missing_libraries

    problem = missing_libraries()
    subset = None
    if problem is None:
        from weasyprint.text import ffi

        subset = getattr(ffi, "harfbuzz_subset", None)
    yield _remark(say("Pango, for reports as PDF"), there=problem is None, remedy=problem or "")
    yield _remark(
        say("HarfBuzz's subsetter, for fast and small PDFs"),
        there=subset is not None,
        remedy=say("sudo apt-get install libharfbuzz-subset0"),
        optional=True,
    )
    yield _remark(
        say("fonts of the system, for scripts that the reports' own fonts lack"),
        there=any(Path(folder).expanduser().is_dir() for folder in _FONTS),
        remedy=say("sudo apt-get install fonts-noto"),
        optional=True,
    )
    for names, purpose in (
        (("chromium", "chromium-browser", "google-chrome"), say("Chromium, for tests of pages")),
        (("pandoc",), say("pandoc, for hand-ins in Typst, reStructuredText, Org, RTF and EPUB")),
    ):
        found = any(map(shutil.which, names))
        remedy = say("sudo apt-get install pandoc") if names == ("pandoc",) else say("only development needs it")
        yield _remark(purpose, there=found, remedy=remedy, optional=True)


_FONTS: Final = ("/usr/share/fonts", "/usr/local/share/fonts", "/Library/Fonts", "~/.fonts")


def _confinement() -> Iterator[Remark]:
    """What the system offers, then what somebody who took over a worker could do with it."""
    version = kernel.landlock_version()
    yield _remark(
        say("Landlock {version}, which keeps files from workers", version=version or ""),
        there=version > 0,
        remedy=say("needs Linux 5.13 with Landlock switched on (lsm=landlock,…)"),
    )
    yield _remark(
        say("seccomp, which keeps system calls from workers"),
        there=kernel.has_seccomp(),
        remedy=say(
            "needs Linux on x86_64 or 64-bit ARM; this is {system}", system=f"{sys.platform} {platform.machine()}"
        ),
    )
    with tempfile.TemporaryDirectory(dir=temporary_folder()) as folder:
        given = Try(Path(folder) / "others" / "file", Path(folder) / "others", Path(folder) / "work")
        given.outside.mkdir()
        given.work.mkdir()
        given.secret.write_text("secret")
        succeeded, failure = possible(given)
    if failure:
        yield Remark(what=say("no worker could be started"), state=State.LACKING, remedy=failure)
        return
    for name, (words, _) in ATTEMPTS.items():
        if name in succeeded:
            what = say("a hand-in that takes over its worker can {act}", act=words)
            remedy = say("grade on Linux with Landlock and seccomp, and not as root")
            yield Remark(what=what, state=State.LACKING, remedy=remedy)
        else:
            yield Remark(what=say("a hand-in that takes over its worker cannot {act}", act=words), state=State.GOOD)


def _remark(what: str, *, there: bool, remedy: str, optional: bool = False) -> Remark:
    if there:
        return Remark(what=what, state=State.GOOD)
    return Remark(what=what, state=State.OPTIONAL if optional else State.LACKING, remedy=remedy)


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


def _children(process: Path = Path("/proc/self")) -> Iterator[Path]:
    """The processes that one has started, as folders of `/proc`; none where the system has no such folder."""
    with contextlib.suppress(OSError):
        for task in (process / "task").glob("*/children"):
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
                for worker in _children(child):
                    most[0] = max(most[0], _memory_of(worker))

    watching = threading.Thread(target=look, daemon=True)
    watching.start()
    try:
        yield lambda: most[0]
    finally:
        stop.set()
        watching.join()


def _memory_of(process: Path) -> int:
    """The most memory that a process has had: its own and what it shares with the server that it was forked from."""
    with contextlib.suppress(OSError, ValueError, IndexError):
        lines = (process / "status").read_text(encoding="utf-8", errors="replace").splitlines()
        return next((int(line.split()[1]) * 1024 for line in lines if line.startswith("VmHWM:")), 0)
    return 0

"""The state of a machine: what it has for grading, and what it lacks. Confinement is tested from within a worker:
everything that somebody who has taken it over would try must fail."""

import os
import platform
import shutil
import signal
import socket
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from types import MappingProxyType
from typing import Final

from grader.frozen import Frozen
from grader.message import Words, say
from grader.pipeline import kernel
from grader.pipeline.cage import Bounds, temporary_folder
from grader.pipeline.isolation import MEMORY, Send, memory_for_all, run_isolated, workers_that_fit


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
        "read": (say("read other files than its submission"), lambda given: given.secret.read_bytes()),
        "list": (say("see which other submissions there are"), lambda given: list(given.outside.iterdir())),
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


def examine_machine() -> list[Remark]:
    """All that can be said of this machine."""
    return [*_resources(), *_libraries(), *_confinement()]


def _resources() -> Iterator[Remark]:
    yield Remark(what=say("Python {version}", version=platform.python_version()), state=State.GOOD)
    whole = memory_for_all()
    figures = {"memory": f"{whole / 2**30:.1f}", "workers": workers_that_fit(), "each": f"{MEMORY / 2**30:.1f}"}
    what = say("memory for workers: {memory} GiB, so at most {workers} of {each} GiB at a time", **figures)
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
        (("pandoc",), say("pandoc, for submissions in Typst, reStructuredText, Org, RTF and EPUB")),
        (("tesseract",), say("Tesseract, for scans and pictures of answers")),
    ):
        remedy = _REMEDIES.get(names[0], say("only development needs it"))
        yield _remark(purpose, there=any(map(shutil.which, names)), remedy=remedy, optional=True)


_REMEDIES: Final = {
    "pandoc": say("sudo apt-get install pandoc"),
    "tesseract": say("sudo apt-get install tesseract-ocr tesseract-ocr-fra"),
}
_FONTS: Final = ("/usr/share/fonts", "/usr/local/share/fonts", "/Library/Fonts", "~/.fonts")


def _confinement() -> Iterator[Remark]:
    """Yield remarks on the protection that the system offers, then on what somebody who took over a worker could do
    with it."""
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
            what = say("a submission that takes over its worker can {act}", act=words)
            remedy = say("grade on Linux with Landlock and seccomp, and not as root")
            yield Remark(what=what, state=State.LACKING, remedy=remedy)
        else:
            yield Remark(what=say("a submission that takes over its worker cannot {act}", act=words), state=State.GOOD)


def _remark(what: str, *, there: bool, remedy: str, optional: bool = False) -> Remark:
    if there:
        return Remark(what=what, state=State.GOOD)
    return Remark(what=what, state=State.OPTIONAL if optional else State.LACKING, remedy=remedy)

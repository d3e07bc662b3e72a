"""What somebody would try who has taken over a worker: each attempt is made from within one, and must fail."""

import os
import signal
import socket
import sys
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

from grader.message import Words, say
from grader.pipeline.cage import Bounds
from grader.pipeline.isolation import Send, run_isolated


@dataclass(frozen=True)
class Try:
    """A file that the worker must not read, a folder that it must neither list nor write to, and its own."""

    secret: Path
    outside: Path
    work: Path


def _read_outside(given: Try) -> None:
    given.secret.read_bytes()


def _list_outside(given: Try) -> None:
    list(given.outside.iterdir())


def _write_outside(given: Try) -> None:
    (given.outside / "written").write_bytes(b"x")


def _connect(_: Try) -> None:
    socket.create_connection(("127.0.0.1", 9), timeout=1)


def _execute(_: Try) -> None:
    os.posix_spawn(sys.executable, [sys.executable, "-c", ""], {})


def _fork(_: Try) -> None:
    if os.fork() == 0:
        os._exit(0)


def _signal(_: Try) -> None:
    os.kill(os.getppid(), signal.SIGCONT)


def _trace(_: Try) -> None:
    Path(f"/proc/{os.getppid()}/mem").open("rb").close()


def _see_environment(_: Try) -> None:
    if not os.environ:
        raise OSError("it is empty")


def _be_root(_: Try) -> None:
    if os.geteuid() != 0:
        raise OSError("it is not root")


ATTEMPTS: Mapping[str, tuple[Words, Callable[[Try], None]]] = MappingProxyType(
    {
        "read": (say("read other files than its hand-in"), _read_outside),
        "list": (say("see which other hand-ins there are"), _list_outside),
        "write": (say("write outside its own folder"), _write_outside),
        "connect": (say("open network connections"), _connect),
        "execute": (say("run programs"), _execute),
        "fork": (say("make further processes"), _fork),
        "signal": (say("send signals to other processes"), _signal),
        "trace": (say("look into other processes"), _trace),
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
    (outcome,) = run_isolated(make_attempts, [given], workers=1, bounds=_bounds, seconds=30)
    return tuple(message.decode() for message in outcome.messages), outcome.failure


def _bounds(given: Try) -> Bounds:
    return Bounds(work=given.work)

"""Each job in a process of its own, with a time and a memory limit, so that no hand-in can touch another.

The processes are forked from one server that has the heavy libraries loaded, so that a fresh process costs
milliseconds. A worker reports by tagged bytes: what comes from a process that handles untrusted files is never
unpickled.
"""

import contextlib
import multiprocessing
import signal
import time
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from dataclasses import dataclass, field
from multiprocessing.connection import Connection, wait
from multiprocessing.context import BaseContext
from typing import Any

from grader.message import say

SECONDS = 120.0
"""How long one job may take, by the wall clock."""
MEMORY = 4 * 2**30
"""How much address space, in bytes, one job may take."""
_LONGEST_MESSAGE = 256 * 2**20

Send = Callable[[bytes], None]
Work = Callable[[Any, Send], None]


@dataclass(frozen=True)
class Outcome:
    """What a job reported before it ended, and why it ended early, if it did."""

    job: Any
    messages: tuple[bytes, ...]
    failure: str | None = None


@dataclass
class _Running:
    job: Any
    process: multiprocessing.process.BaseProcess
    connection: Connection
    deadline: float
    messages: list[bytes] = field(default_factory=list)


def run_isolated(
    work: Work,
    jobs: Iterable[Any],
    *,
    workers: int,
    preload: tuple[str, ...] = (),
    seconds: float = SECONDS,
    memory: int = MEMORY,
) -> Generator[Outcome, None, None]:
    """Run `work(job, send)` for every job, `workers` at a time, and yield the outcomes as they come.

    When the caller stops early, or on Ctrl-C, all running processes are killed. `preload` names modules that the
    server imports once for all workers.
    """
    context = _context(preload)
    waiting = deque(jobs)
    running: dict[Connection, _Running] = {}
    try:
        while waiting or running:
            while waiting and len(running) < workers:
                started = _start(context, work, waiting.popleft(), seconds, memory)
                running[started.connection] = started
            yield from _finished(running, seconds)
    finally:
        for one in running.values():
            _end(one)


def _context(preload: tuple[str, ...]) -> BaseContext:
    """Forked from a warm server where the system can do that; elsewhere each worker starts anew."""
    if "forkserver" not in multiprocessing.get_all_start_methods():
        return multiprocessing.get_context("spawn")
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload([__name__, *preload])
    return context


def _start(context: BaseContext, work: Work, job: Any, seconds: float, memory: int) -> _Running:
    receiver, sender = context.Pipe(duplex=False)
    process = context.Process(target=_worker, args=(sender, work, job, memory), daemon=True)  # type: ignore[attr-defined]
    process.start()
    sender.close()
    return _Running(job, process, receiver, time.monotonic() + seconds)


def _worker(sender: Connection, work: Work, job: Any, memory: int) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _limit_memory(memory)
    work(job, sender.send_bytes)
    sender.close()


def _limit_memory(memory: int) -> None:
    """Set the address space limit where the system has one (not on Windows)."""
    with contextlib.suppress(ImportError, ValueError, OSError):
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (memory, memory))


def _finished(running: dict[Connection, _Running], seconds: float) -> Iterator[Outcome]:
    """Wait until something happens; yield the jobs that ended by it."""
    patience = min(one.deadline for one in running.values()) - time.monotonic()
    for connection in wait(list(running), timeout=max(0.0, patience)):
        one = running[connection]  # type: ignore[index]
        try:
            one.messages.append(one.connection.recv_bytes(_LONGEST_MESSAGE))
        except (EOFError, OSError):
            one.process.join(timeout=5)
            yield _outcome(running, one, _death(one.process.exitcode))
    for one in list(running.values()):
        if time.monotonic() > one.deadline:
            yield _outcome(running, one, say("it took longer than {seconds:g} seconds", seconds=seconds))


def _outcome(running: dict[Connection, _Running], one: _Running, failure: str | None) -> Outcome:
    del running[one.connection]
    _end(one)
    return Outcome(one.job, tuple(one.messages), failure)


def _end(one: _Running) -> None:
    one.process.kill()
    one.process.join()
    one.connection.close()


def _death(exit_code: int | None) -> str | None:
    if exit_code == 0:
        return None
    if exit_code is None or exit_code < 0:
        name = signal.Signals(-exit_code).name if exit_code else say("closing its pipe")
        return say("its process was ended by {signal}; it may have run out of memory", signal=name)
    return say("its process failed with exit status {status}", status=exit_code)

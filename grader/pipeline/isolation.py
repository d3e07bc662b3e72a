"""Each job in a process of its own, with limits on time and memory and in a cage, so that no hand-in can touch
another.

The processes are forked from one server that has the heavy libraries loaded, so that a fresh process costs
milliseconds. A worker reports by tagged bytes: what comes from a process that handles untrusted files is never
unpickled, and never waited for beyond its deadline.

A helper runs the programs that a worker may not run. It is forked before the first byte of a hand-in is read, knows no
hand-in, and may run one program alone: pandoc, or Tesseract. What it gets comes from the worker and goes to the
program's input unread.
"""

import contextlib
import multiprocessing
import multiprocessing.forkserver
import os
import shutil
import signal
import struct
import sys
import tempfile
import threading
import time
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from dataclasses import dataclass, field, replace
from multiprocessing.connection import Connection, wait
from multiprocessing.context import BaseContext
from pathlib import Path
from types import ModuleType
from typing import Any, BinaryIO, Final, NamedTuple

from grader.message import say
from grader.pipeline.cage import (
    MOST_DISK,
    MOST_FILES,
    Bounds,
    Layer,
    confine,
    program_files,
    temporary_files_there,
    temporary_folder,
)
from grader.reading import tesseract
from grader.reading.pandoc import (
    CONVERSION_SECONDS,
    FORMATS,
    MOST_BYTES,
    Convert,
    Failure,
    converted_by,
    converting_by,
)
from grader.reading.tesseract import Recognise, Wish, recognised_by, recognising_by

SECONDS = 120.0
"""How long one job may take, by the wall clock."""
MEMORY = 3 * 2**29
"""How much address space, in bytes, one job may take: 1.5 GiB."""
_MOST_BYTES: Final = 256 * 2**20
"""How much one job may report in all."""
_CHUNK: Final = 2**20
_LOOK: Final = 0.5
"""In seconds: how often it is looked at how much the jobs have written."""
_SHARE_OF_MEMORY: Final = 0.75
"""Of the machine's memory, for all jobs together."""
_KEPT_VARIABLES: Final = (
    *("PYTHON", "LC_", "LD_LIBRARY_PATH", "DYLD_", "FONTCONFIG_", "COV_"),
    *("LANG", "TZ", "HOME", "VIRTUAL_ENV", "SYSTEMROOT", "XDG_DATA_"),
)
"""Beginnings of the names of variables that the server needs to start; those who work have none."""

_NO_MORE: Final = object()
WARM: Final = "LAB_GRADER_WARM"
"""The variable that names the file with what `grader.pipeline.warm` warms the server by."""

Send = Callable[[bytes], None]
Work = Callable[[Any, Send], None]


@dataclass(frozen=True)
class Outcome:
    """The messages that a job sent before it ended, the reason if it ended early, and the layers of its cage that were
    lacking."""

    job: Any
    messages: tuple[bytes, ...]
    failure: str | None = None
    lacking: tuple[Layer, ...] = ()

    @property
    def sent(self) -> dict[bytes, bytes]:
        """The messages without their tags, by these; of several with one tag the last."""
        return {message[:1]: message[1:] for message in self.messages}


@dataclass
class _Running:
    asked: Any
    job: Any
    bounds: Bounds
    process: multiprocessing.process.BaseProcess
    connection: Connection
    deadline: float
    borrowed: Path | None = None
    messages: list[bytes] = field(default_factory=list)
    pending: bytearray = field(default_factory=bytearray)
    received: int = 0
    lacking: tuple[Layer, ...] | None = None


class _NoMessageError(Exception):
    """The bytes that a worker sent are no message."""


class _Waiting:
    """Jobs that wait, each as it was asked for, as it is to be done, and with its time; those to be done anew first."""

    def __init__(self, jobs: Iterable[Any], seconds: float) -> None:
        self._jobs, self._seconds = iter(jobs), seconds
        self._anew: deque[tuple[Any, Any, float]] = deque()
        self._ended = False

    @property
    def more(self) -> bool:
        """Whether there may be another one."""
        return bool(self._anew) or not self._ended

    def put_first(self, asked: Any, job: Any, left: float) -> None:
        """Put a job before all others."""
        self._anew.appendleft((asked, job, left))

    def take_next(self) -> tuple[Any, Any, float] | None:
        """The next one; None where there is none, or none just now."""
        if self._anew:
            return self._anew.popleft()
        job = None if self._ended else next(self._jobs, _NO_MORE)
        self._ended = self._ended or job is _NO_MORE
        return None if job is None or job is _NO_MORE else (job, job, self._seconds)


def run_isolated(
    work: Work,
    jobs: Iterable[Any],
    *,
    workers: int,
    preload: tuple[str, ...] = (),
    seconds: float = SECONDS,
    memory: int = MEMORY,
    bounds: Callable[[Any], Bounds] = lambda job: Bounds(),
    anew: Callable[[Any, Outcome], Any] = lambda job, outcome: None,
    warmth: bytes = b"",
) -> Generator[Outcome, None, None]:
    """Run `work(job, send)` for every job, at most `workers` at a time and as many as the machine's memory is enough
    for, and yield the outcomes as they come. `bounds` says what a job may touch, beside a folder of its own for
    temporary files; `anew` which job is to be done in the place of one that ended so, None for none; both share the
    time. The outcome has the job that was asked for.

    Jobs are taken as workers become free; None among them says that there is none just now, and is to come no sooner
    than it is worth asking again where nothing runs. When the caller stops early, or on Ctrl-C, all running processes
    are killed. `preload` names modules that the server imports once for all workers; `warmth` is what
    `grader.pipeline.warm` makes it ready by, where it has not been started before.
    """
    workers = min(workers, workers_that_fit(memory))
    memory = min(memory, memory_for_all())
    context = _context(preload, warmth)
    waiting = _Waiting(jobs, seconds)
    running: dict[Connection, _Running] = {}
    try:
        while waiting.more or running:
            while len(running) < workers and (found := waiting.take_next()) is not None:
                asked, job, left = found
                started = _start(context, work, asked, job, bounds(job), left, memory)
                running[started.connection] = started
            for worker, outcome in _finished(running, seconds) if running else ():
                left = worker.deadline - time.monotonic()
                another = anew(worker.job, outcome) if left > 0 else None
                if another is None:
                    paused = time.monotonic()
                    yield outcome
                    for other in running.values():  # what the caller does meanwhile is not their time
                        other.deadline += time.monotonic() - paused
                else:
                    waiting.put_first(outcome.job, another, left)
    finally:
        for worker in running.values():
            _end(worker)


def workers_that_fit(memory: int = MEMORY) -> int:
    """Return how many workers of this much memory may run at the same time; at least one."""
    return max(1, memory_for_all() // memory)


def memory_for_all() -> int:
    """Return the number of bytes that all workers together may use on this machine, or in this container."""
    whole = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") if hasattr(os, "sysconf") else 2**34
    for limit in ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"):
        with contextlib.suppress(OSError, ValueError):
            whole = min(whole, int(Path(limit).read_text()))
    return int(whole * _SHARE_OF_MEMORY)


def _context(preload: tuple[str, ...], warmth: bytes) -> BaseContext:
    """Forked from a warm server where the system can do that; elsewhere each worker starts anew."""
    if "forkserver" not in multiprocessing.get_all_start_methods():
        return multiprocessing.get_context("spawn")
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload([__name__, *preload])
    with _bare_environment(warmth), temporary_files_there():
        multiprocessing.forkserver.ensure_running()
    return context


@contextlib.contextmanager
def _bare_environment(warmth: bytes) -> Iterator[None]:
    """Meanwhile what is started sees no passwords and tokens that lie in the environment."""
    before = dict(os.environ)
    for name in before:
        if not name.startswith(_KEPT_VARIABLES):
            del os.environ[name]
    os.environ["TMPDIR"] = str(_files_of_server())
    if warmth:
        file = temporary_folder() / "warmth"
        file.write_bytes(warmth)
        os.environ[WARM] = str(file)
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)


def _files_of_server() -> Path:
    """Return the folder of the server's temporary files, such as the fonts of reports, which all workers read."""
    folder = temporary_folder() / "server"
    folder.mkdir(mode=0o755, exist_ok=True)
    return folder


def _start(
    context: BaseContext, work: Work, asked: Any, job: Any, bounds: Bounds, seconds: float, memory: int
) -> _Running:
    borrowed = None if bounds.work else Path(tempfile.mkdtemp(dir=temporary_folder()))
    bounds = replace(bounds, work=bounds.work or borrowed)
    receiver, sender = context.Pipe(duplex=False)
    program = (*program_files(), _files_of_server())
    helpers = Programs(*map(shutil.which, Programs._fields))
    arguments = (sender, work, job, bounds, seconds, memory, program, helpers)
    process = context.Process(target=_worker, args=arguments, daemon=True)  # type: ignore[attr-defined]
    with _starting, _without_main(work):
        process.start()
    sender.close()
    os.set_blocking(receiver.fileno(), False)
    return _Running(asked, job, bounds, process, receiver, time.monotonic() + seconds, borrowed)


class Programs(NamedTuple):
    """The paths of the programs that helpers run; None for one that is not installed."""

    pandoc: str | None
    tesseract: str | None


_starting: Final = threading.Lock()


@contextlib.contextmanager
def _without_main(work: Work) -> Iterator[None]:
    """Meanwhile a process that is started does not import the main program, as `multiprocessing` has it do before its
    work begins: the commands, or those of a Dask worker, which take a fifth of a second, as long as some hand-ins. Only
    what is defined in the main program needs it."""
    main = sys.modules["__main__"]
    if work.__module__ != "__main__":
        sys.modules["__main__"] = ModuleType("__main__")
    try:
        yield
    finally:
        sys.modules["__main__"] = main


def _worker(
    sender: Connection,
    work: Work,
    job: Any,
    bounds: Bounds,
    seconds: float,
    memory: int,
    program: tuple[Path, ...],
    helpers: Programs,
) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    convert: Convert | None = None
    recognise: Recognise = Wish() if helpers.tesseract else _not_there
    kept: list[int] = []
    if bounds.converts:
        with contextlib.suppress(OSError):
            os.setsid()  # the helpers are in the group of this process
        with contextlib.suppress(OSError):
            if helpers.pandoc:
                convert, files = helper(Path(helpers.pandoc))
                kept += files
            if helpers.tesseract:
                recognise, files = recogniser(Path(helpers.tesseract))
                kept += files
    lacking = confine(bounds, (sender.fileno(), *kept), seconds=seconds, memory=memory, program=program)
    sender.send_bytes(",".join(lacking).encode())
    with converting_by(convert), recognising_by(recognise):
        _with_room(work, job, sender.send_bytes)
    sender.close()


def _not_there(_picture: bytes, _in_columns: bool) -> tesseract.Failure:
    return tesseract.Failure.ABSENT


def _with_room(work: Work, job: Any, send: Send) -> None:
    work(job, send)


# CPython keeps the frames of calls in pieces of 16 KB. Where a loop at the end of a piece calls a function, each call
# maps a new piece and gives it back, which took a fortieth of a worker's time. A frame that asks for a large stack gets
# a large piece, whose untouched rest is for the calls within; it costs no memory until it is used.
_with_room.__code__ = _with_room.__code__.replace(co_stacksize=140_000)


def _finished(running: dict[Connection, _Running], seconds: float) -> Iterator[tuple[_Running, Outcome]]:
    """Wait until something happens, or it is time to look; yield what ended by it, and how."""
    patience = min(running_worker.deadline for running_worker in running.values()) - time.monotonic()
    for connection in wait(list(running), timeout=min(_LOOK, max(0.0, patience))):
        worker = running[connection]  # type: ignore[index]
        try:
            if not _receive(worker):
                worker.process.join(timeout=5)
                yield _outcome(running, worker, _death(worker.process.exitcode))
        except _NoMessageError as error:
            yield _outcome(running, worker, str(error))
    for worker in list(running.values()):
        if time.monotonic() > worker.deadline:
            yield _outcome(running, worker, say("it took longer than {seconds:g} seconds", seconds=seconds))
        elif worker.bounds.work and _fills(worker.bounds.work):
            yield _outcome(running, worker, say("it wrote more files than one submission may"))


def _receive(worker: _Running) -> bool:
    """Take what lies ready and no more, so that nobody can make this process wait; False at the end.

    Raises _NoMessageError. The form is that of `Connection.send_bytes`: the length in 4 bytes, or -1 and it in 8.
    """
    try:
        chunk = os.read(worker.connection.fileno(), _CHUNK)
    except BlockingIOError:
        return True
    except OSError:
        return False
    worker.received += len(chunk)
    if worker.received > _MOST_BYTES:
        raise _NoMessageError(say("its process sent no valid result"))
    worker.pending += chunk
    while (message := _message(worker.pending)) is not None:
        if worker.lacking is None:  # the first is sent before anything of a stranger is opened
            worker.lacking = tuple(Layer(name) for name in message.decode().split(",") if name)
        else:
            worker.messages.append(message)
    return bool(chunk)


def _message(pending: bytearray) -> bytes | None:
    """The first whole message, taken off; None where there is none yet."""
    start = 4
    if len(pending) < start:
        return None
    (length,) = struct.unpack_from("!i", pending)
    if length == -1:
        start = 12
        if len(pending) < start:
            return None
        (length,) = struct.unpack_from("!Q", pending, 4)
    if not 0 <= length <= _MOST_BYTES:
        raise _NoMessageError(say("its process sent no valid result"))
    if len(pending) < start + length:
        return None
    message = bytes(pending[start : start + length])
    del pending[: start + length]
    return message


def _fills(folder: Path) -> bool:
    """Whether there is more in a folder than one job may write."""
    files = size = 0
    waiting = [folder]
    while waiting and files <= MOST_FILES:
        with contextlib.suppress(OSError), os.scandir(waiting.pop()) as entries:
            for entry in entries:
                files += 1
                with contextlib.suppress(OSError):
                    size += entry.stat(follow_symlinks=False).st_blocks * 512
                    if entry.is_dir(follow_symlinks=False):
                        waiting.append(Path(entry.path))
                if files > MOST_FILES:
                    break
    return files > MOST_FILES or size > MOST_DISK


def _outcome(running: dict[Connection, _Running], worker: _Running, failure: str | None) -> tuple[_Running, Outcome]:
    del running[worker.connection]
    _end(worker)
    return worker, Outcome(worker.asked, tuple(worker.messages), failure, worker.lacking or ())


def _end(worker: _Running) -> None:
    """Kill the process and whatever it may have started, which is in its group."""
    if worker.process.pid and hasattr(os, "killpg"):
        with contextlib.suppress(OSError):
            os.killpg(worker.process.pid, signal.SIGKILL)
    worker.process.kill()
    worker.process.join(timeout=5)
    worker.connection.close()
    if worker.borrowed:
        shutil.rmtree(worker.borrowed, ignore_errors=True)


def _death(exit_code: int | None) -> str | None:
    if exit_code == 0:
        return None
    if exit_code is not None and exit_code > 0:
        return say("its process failed with exit status {status}", status=exit_code)
    name: str = say("closing its pipe")
    if exit_code:
        name = signal.Signals(-exit_code).name if -exit_code in list(signal.Signals) else str(-exit_code)
    return say("its process was ended by {signal}; it may have run out of memory", signal=name)


_MEMORY: Final = 3 * 2**29
_NAMES: Final = tuple(sorted(FORMATS))
_REQUEST: Final = struct.Struct("!BI")
"""What is wanted, and how many bytes follow."""
_ANSWER: Final = struct.Struct("!i")
"""How many bytes follow; the number of a `Failure` where there is no answer."""
_LOADERS: Final = ("/lib*/ld-*.so*", "/lib/*/ld-*.so*", "/usr/lib*/ld-*.so*", "/usr/lib/*/ld-*.so*")
"""Where the programs lie that start others."""


def helper(pandoc: Path) -> tuple[Convert, tuple[int, ...]]:
    """Start a helper that converts documents; returns what asks it, and the open files that this takes. It stays in the
    worker's group, keeps none of its files, and ends with it. Raises OSError."""

    def answer(data: bytes, name: int) -> bytes | Failure:
        return converted_by(str(pandoc.resolve()), data, _NAMES[name], seconds=None)

    ask, files = _helper(pandoc, answer, len(_NAMES), CONVERSION_SECONDS)

    def convert(data: bytes, wanted: str) -> bytes | Failure:
        answered = ask(data, _NAMES.index(wanted))
        return Failure(answered) if isinstance(answered, int) else answered

    return convert, files


def recogniser(program: Path) -> tuple[Recognise, tuple[int, ...]]:
    """Start a helper that reads pictures, as `helper` does. Once this took it long enough, it reads no more."""
    import resource

    def answer(data: bytes, in_columns: int) -> bytes | tesseract.Failure:
        if resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime > tesseract.SECONDS_FOR_ALL:
            return tesseract.Failure.TOO_MUCH
        return recognised_by(str(program.resolve()), data, bool(in_columns), seconds=None)

    ask, files = _helper(program, answer, 2, tesseract.SECONDS)

    def recognise(picture: bytes, in_columns: bool) -> bytes | tesseract.Failure:
        answered = ask(picture, int(in_columns))
        return tesseract.Failure(answered) if isinstance(answered, int) else answered

    return recognise, files


_Ask = Callable[[bytes, int], bytes | int]
"""From bytes and a number that says what to do with them to an answer, or the number of a failure."""
_DAMAGED: Final = -1
"""The number of a failure that says no more."""


def _helper(program: Path, answer: _Ask, kinds: int, seconds: float) -> tuple[_Ask, tuple[int, ...]]:
    to_read, to_ask = os.pipe()
    to_hear, to_answer = os.pipe()
    if os.fork() == 0:
        status = 1
        try:
            signal.signal(signal.SIGINT, signal.SIG_IGN)
            _serve(to_read, to_answer, program.resolve(), answer, kinds, seconds)
            status = 0
        finally:
            os._exit(status)
    os.close(to_read)
    os.close(to_answer)
    asking, hearing = os.fdopen(to_ask, "wb"), os.fdopen(to_hear, "rb")

    def ask(data: bytes, kind: int) -> bytes | int:
        try:
            asking.write(_REQUEST.pack(kind, len(data)) + data)
            asking.flush()
            (size,) = _ANSWER.unpack(hearing.read(_ANSWER.size))
            return int(size) if size < 0 else hearing.read(size)
        except (OSError, ValueError, struct.error):
            return _DAMAGED

    return ask, (to_ask, to_hear)


def _serve(to_read: int, to_answer: int, program: Path, answer: _Ask, kinds: int, seconds: float) -> None:
    """Answer what is asked, one after the other, until nobody is there to ask."""
    loaders = tuple(path for pattern in _LOADERS for path in Path("/").glob(pattern.lstrip("/")))
    runs = (program, *loaders)
    confine(Bounds((program,)), (to_read, to_answer), seconds=seconds, memory=_MEMORY, program=(), runs=runs)
    with os.fdopen(to_read, "rb") as asked, os.fdopen(to_answer, "wb") as answers:
        for data, kind in _requests(asked, kinds):
            answered = answer(data, kind)
            answers.write(
                _ANSWER.pack(answered) if isinstance(answered, int) else _ANSWER.pack(len(answered)) + answered
            )
            answers.flush()


def _requests(asked: BinaryIO, kinds: int) -> Iterator[tuple[bytes, int]]:
    while len(head := asked.read(_REQUEST.size)) == _REQUEST.size:
        kind, size = _REQUEST.unpack(head)
        if kind >= kinds or size > MOST_BYTES:
            return
        yield asked.read(size), kind

"""The confinement of a process that handles untrusted bytes. The process may still read its input and the program
itself, write into one folder, compute for a while, and answer. The module also provides the one folder for all
temporary files of a process and its children, and removes what killed processes left there.

Each layer stands for itself: where the system lacks one, the others are put up all the same, and it is told which.
"""

import contextlib
import math
import os
import shutil
import signal
import socket
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from itertools import chain
from multiprocessing.util import Finalize
from pathlib import Path
from typing import IO, Final

from grader.intake.submission import SubmittedFile
from grader.message import say
from grader.pipeline import kernel

LARGEST_FILE: Final = 2**30
"""In bytes: no file that is written may grow beyond it. A hand-in's own archive may be as large."""
MOST_DISK: Final = 3 * 2**30
"""In bytes: of all files that one process writes. Its parent looks."""
MOST_FILES: Final = 20_000
"""That one process may write."""
OPENED: Final = b"O"
"""The tag of a worker's message with the path of the file that is being read, empty after it."""
_MOST_LEFT_OUT: Final = 3
_OVERTIME: Final = 3.0
"""In seconds of processor time: how long a library may go on after the time for a file is over."""
_OPEN_FILES: Final = 256
_THREADS: Final = 64
_USERS: Final[range] = range(61_184, 65_520)
"""Ids for services without an account, as systemd gives them out."""

_SYSTEM: Final = tuple(
    map(
        Path,
        (
            *("/lib", "/lib64", "/usr/lib", "/usr/lib64", "/usr/local/lib", "/nix/store", "/gnu/store"),
            *("/usr/share", "/usr/local/share", "/etc/fonts", "/var/cache/fontconfig", "/etc/mime.types"),
            *("/etc/ld.so.cache", "/etc/localtime", "/sys/devices/system/cpu"),
            *("/dev/null", "/dev/zero", "/dev/random", "/dev/urandom"),
        ),
    )
)
_OWN_FONTS: Final = (".fonts", ".local/share/fonts", ".config/fontconfig", ".cache/fontconfig")


@dataclass(frozen=True)
class Bounds:
    """The limits of one job: the paths that it may read beside the program itself, the one folder that it may write to,
    whether its prints are shown, and whether it has helpers that convert documents and read pictures."""

    readable: tuple[Path, ...] = ()
    work: Path | None = None
    talks: bool = False
    converts: bool = False


class Layer(StrEnum):
    """The layers of protection that keep a process from doing harm, each on its own."""

    FILES = "files"
    CALLS = "system calls"
    USER = "user"
    PRIVILEGES = "privileges"
    LIMITS = "limits"


LAYERS: Final = {
    Layer.FILES: say("other files are not kept from it (Landlock)"),
    Layer.CALLS: say("the network and other system calls are not kept from it (seccomp)"),
    Layer.USER: say("it acts as root"),
    Layer.PRIVILEGES: say("it may gain privileges"),
    Layer.LIMITS: say("memory, computing time or the size of files is not limited"),
}
"""What follows where a layer is lacking."""


def confine(
    bounds: Bounds,
    keep: tuple[int, ...],
    *,
    seconds: float,
    memory: int,
    program: tuple[Path, ...],
    runs: tuple[Path, ...] = (),
) -> tuple[Layer, ...]:
    """Put the calling process into its cage, for good; returns the layers that are lacking. Of its open files it keeps
    `keep`, to answer by. A process that `runs` programs can start those and no others.

    What the system does not offer, or an outer cage does not let through, is passed over.
    """
    _cut_ties(keep, talks=bounds.talks, leaves=not runs)
    # In bytes and seconds; nothing is written when it crashes.
    wanted = {"AS": memory, "CPU": int(seconds) + 5, "FSIZE": LARGEST_FILE, "NOFILE": _OPEN_FILES, "CORE": 0}
    held = [_set_limit(name, value) for name, value in wanted.items()]
    if not runs and not kernel.has_seccomp() and os.geteuid() != 0:
        _set_limit("NPROC", 0)
    _shut_in(bounds, program, runs)
    return tuple(_lacking(limited=all(held)))


def _shut_in(bounds: Bounds, program: tuple[Path, ...], runs: tuple[Path, ...]) -> None:
    user = _own_user() if os.name == "posix" and os.geteuid() == 0 else None
    if bounds.work:
        tempfile.tempdir = str(bounds.work)
        if user is not None:
            os.chown(bounds.work, user, user)
    if sys.platform != "linux":
        return
    parent = os.getppid()
    with contextlib.suppress(OSError):
        if user is not None:
            kernel.become(user)
            _set_limit("NPROC", _THREADS)
    with contextlib.suppress(OSError):
        kernel.die_with_parent(signal.SIGKILL)
    if os.getppid() != parent:
        os._exit(1)
    with contextlib.suppress(OSError):
        kernel.no_new_privileges()
        if kernel.landlock_version():
            readable = (*_SYSTEM, *program, *bounds.readable)
            kernel.restrict_files(readable, (bounds.work,) if bounds.work else (), runs)
    with contextlib.suppress(OSError):
        if kernel.has_seccomp():
            kernel.restrict_calls(runs=bool(runs))


def _lacking(*, limited: bool) -> Iterator[Layer]:
    """The layers that do not hold, each tried where that is possible."""
    with contextlib.suppress(OSError):
        next(Path(os.sep).iterdir(), None)
        yield Layer.FILES
    with contextlib.suppress(OSError):
        socket.socket().close()
        yield Layer.CALLS
    if hasattr(os, "geteuid") and os.geteuid() == 0:
        yield Layer.USER
    if sys.platform == "linux" and not kernel.has_no_new_privileges():
        yield Layer.PRIVILEGES
    if not limited:
        yield Layer.LIMITS


@contextlib.contextmanager
def computing(seconds: float) -> Iterator[None]:
    """Meanwhile the process is ended once it has used so much more processor time, also within a library that no
    exception can interrupt. Where the system has no such limit, there is none."""
    try:
        import resource

        before = resource.getrlimit(resource.RLIMIT_CPU)
        hard = before[1]
        soft = math.ceil(time.process_time() + seconds)
        resource.setrlimit(resource.RLIMIT_CPU, (soft if hard == resource.RLIM_INFINITY else min(soft, hard), hard))
    except (ImportError, ValueError, OSError):
        yield
        return
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_CPU, before)


@contextlib.contextmanager
def watch_file(send: Callable[[bytes], None], file: SubmittedFile, seconds: float) -> Iterator[None]:
    """Tell which file is read, and end the process where a library takes far longer for it than it may."""
    send(OPENED + file.path.encode("utf-8", "surrogateescape"))
    try:
        with computing(seconds + _OVERTIME):
            yield
    finally:
        send(OPENED)


def with_last_opened(left_out: tuple[str, ...], messages: Sequence[bytes]) -> tuple[str, ...]:
    """The files to leave out, by their paths, when a hand-in is opened once more: those of before and the one that was
    being read when a process ended. Empty where another try is not worth it: none was being read, or there were enough
    tries."""
    opened = [message for message in messages if message.startswith(OPENED)]
    path = opened[-1].removeprefix(OPENED).decode("utf-8", "surrogateescape") if opened else ""
    return (*left_out, path) if path and path not in left_out and len(left_out) < _MOST_LEFT_OUT else ()


def _cut_ties(keep: tuple[int, ...], *, talks: bool, leaves: bool) -> None:
    """Leave the parent's terminal, its environment, all open files but some, and, if it `leaves`, its session."""
    import resource

    with contextlib.suppress(OSError):
        if leaves:
            os.setsid()
    nothing = os.open(os.devnull, os.O_RDWR)
    for number in (0,) if talks else (0, 1, 2):
        os.dup2(nothing, number)
    first = 3
    for kept in sorted(keep):
        os.closerange(first, kept)
        first = kept + 1
    most = int(resource.getrlimit(resource.RLIMIT_NOFILE)[0])
    os.closerange(first, most if 0 < most < 65_536 else 65_536)
    os.environ.clear()


def _set_limit(name: str, value: int) -> bool:
    """Lower a limit; whether it holds: not where the system has none of that name, or it cannot be set."""
    with contextlib.suppress(ImportError, AttributeError, ValueError, OSError):
        import resource

        kind = getattr(resource, f"RLIMIT_{name}")
        _, hard = resource.getrlimit(kind)
        bound = value if hard == resource.RLIM_INFINITY else min(value, hard)
        resource.setrlimit(kind, (bound, bound))
        return True
    return False


def _own_user() -> int:
    """The id of a user that is nobody's and, most likely, no other worker's."""
    import pwd

    wanted = _USERS.start + os.getpid() % len(_USERS)
    for user in chain(range(wanted, _USERS.stop), range(_USERS.start, wanted)):
        try:
            pwd.getpwuid(user)
        except KeyError:
            return user
    return wanted


@cache
def program_files() -> tuple[Path, ...]:
    """Return the paths of the program: the interpreter, its packages, those of a lab's own checks, templates and fonts.

    A folder from which single packages are imported is not among them, only the packages: hand-ins may lie there too.
    """
    from grader.report.resources import templates_folder

    prefixes = {Path(prefix).resolve() for prefix in (sys.prefix, sys.base_prefix, sys.exec_prefix)} - {
        Path("/"),
        Path.home(),
    }
    if Path("/usr") in prefixes:
        prefixes = {*(prefixes - {Path("/usr")}), Path("/usr/lib")}
    # A lab's own checks may be installed from any folder; the current one may hold the hand-ins of others.
    packages = {Path(folder).resolve() for folder in sys.path if folder and Path(folder).is_dir()}
    packages -= {Path("/"), Path.home(), Path.cwd()}
    libraries = {Path(folder) for folder in os.environ.get("LD_LIBRARY_PATH", "").split(":") if folder}
    fonts = {Path.home() / folder for folder in _OWN_FONTS}
    known_paths = {*prefixes, *packages}
    # Of packages that are in use the folders, of modules that are in none the files.
    modules = [module for name, module in tuple(sys.modules.items()) if "." not in name and name != "__main__"]
    places = [getattr(module, "__path__", None) or [getattr(module, "__file__", None)] for module in modules]
    imported = {Path(place).resolve() for some in places for place in some if place}
    others = {path for path in imported if not any(path.is_relative_to(place) for place in known_paths)}
    return tuple(sorted({*known_paths, *others, *libraries, *fonts, templates_folder().resolve()}))


try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

_PREFIX: Final = "grade-"
_LOCK: Final = ".in-use"
_YOUNG: Final = 3600.0
"""In seconds: a folder without a lock may be about to get one."""
_LONGEST: Final = 68
"""In bytes, of the folder's path: the server's address lies below it, and the system takes about a hundred."""
_AFTER_ALL_ELSE: Final = -1000


@cache
def temporary_folder() -> Path:
    """The folder of this process, which goes when it ends. It is locked as long as the process lives, however that
    ends; folders of the same user that nobody has locked are removed."""
    base = Path(tempfile.gettempdir())
    for left in _left_behind(base):
        shutil.rmtree(left, ignore_errors=True)
    folder = Path(tempfile.mkdtemp(prefix=_PREFIX, dir=base))
    lock = (folder / _LOCK).open("w")
    _locked(lock)
    Finalize(None, _remove, args=(folder, lock, os.getpid()), exitpriority=_AFTER_ALL_ELSE)
    return folder


@contextmanager
def temporary_files_there() -> Iterator[None]:
    """Meanwhile what asks for a temporary file gets one in the folder of this process, unless its path is too long for
    the address of a server."""
    before, folder = tempfile.tempdir, str(temporary_folder())
    tempfile.tempdir = folder if len(os.fsencode(folder)) <= _LONGEST else before
    try:
        yield
    finally:
        tempfile.tempdir = before


def _left_behind(base: Path) -> Iterator[Path]:
    for folder in base.glob(f"{_PREFIX}*"):
        with suppress(OSError):
            status = folder.lstat()
            if folder.is_symlink() or not folder.is_dir() or status.st_uid != os.getuid():
                continue
            if not (folder / _LOCK).exists():
                if time.time() - status.st_mtime > _YOUNG:
                    yield folder
                continue
            with (folder / _LOCK).open("a") as lock:
                if _locked(lock):
                    yield folder


def _locked(lock: IO[str]) -> bool:
    """Whether the lock could be had."""
    if fcntl is None:
        return False
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def _remove(folder: Path, lock: IO[str], owner: int) -> None:
    if os.getpid() == owner:
        shutil.rmtree(folder, ignore_errors=True)
        lock.close()

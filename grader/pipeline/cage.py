"""What a process that handles untrusted bytes may still do: read what it was given and the program itself, write into
one folder, compute for a while, and answer.

Each layer stands for itself: where the system lacks one, the others are put up all the same, and `grade doctor` tells.
"""

import contextlib
import os
import pwd
import signal
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import chain
from pathlib import Path
from typing import Final

from grader.pipeline import kernel

LARGEST_FILE: Final = 2**30
"""In bytes: no file that is written may grow beyond it. A hand-in's own archive may be as large."""
MOST_DISK: Final = 3 * 2**30
"""In bytes: of all files that one process writes. Its parent looks."""
MOST_FILES: Final = 20_000
"""That one process may write."""
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
    """What one job may read beside the program itself, the one folder that it may write to, and whether what it prints
    is shown."""

    readable: tuple[Path, ...] = ()
    work: Path | None = None
    talks: bool = False


def confine(bounds: Bounds, keep: int, *, seconds: float, memory: int, program: tuple[Path, ...]) -> None:
    """Put the calling process into its cage, for good. Of its open files it keeps `keep`, to answer by.

    What the system does not offer, or an outer cage does not let through, is passed over.
    """
    _cut_ties(keep, talks=bounds.talks)
    _limit(seconds, memory)
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
            kernel.restrict_files(readable, (bounds.work,) if bounds.work else ())
    with contextlib.suppress(OSError):
        if kernel.has_seccomp():
            kernel.restrict_calls()


def _cut_ties(keep: int, *, talks: bool) -> None:
    """Leave the parent's session, its terminal, its environment and all open files but one."""
    with contextlib.suppress(OSError):
        os.setsid()
    nothing = os.open(os.devnull, os.O_RDWR)
    for number in (0,) if talks else (0, 1, 2):
        os.dup2(nothing, number)
    os.closerange(3, keep)
    os.closerange(keep + 1, _most_open())
    os.environ.clear()


def _most_open() -> int:
    import resource

    most = int(resource.getrlimit(resource.RLIMIT_NOFILE)[0])
    return most if 0 < most < 65_536 else 65_536


def _limit(seconds: float, memory: int) -> None:
    """Memory and size of files in bytes, computing time in seconds, open files; nothing is written when it crashes."""
    _set_limit("AS", memory)
    _set_limit("CPU", int(seconds) + 5)
    _set_limit("FSIZE", LARGEST_FILE)
    _set_limit("NOFILE", _OPEN_FILES)
    _set_limit("CORE", 0)
    if not kernel.has_seccomp() and os.geteuid() != 0:
        _set_limit("NPROC", 0)


def _set_limit(name: str, value: int) -> None:
    """Lower a limit, where the system has one of that name."""
    with contextlib.suppress(ImportError, AttributeError, ValueError, OSError):
        import resource

        kind = getattr(resource, f"RLIMIT_{name}")
        _, hard = resource.getrlimit(kind)
        bound = value if hard == resource.RLIM_INFINITY else min(value, hard)
        resource.setrlimit(kind, (bound, bound))


def _own_user() -> int:
    """The id of a user that is nobody's and, most likely, no other worker's."""
    wanted = _USERS.start + os.getpid() % len(_USERS)
    for user in chain(range(wanted, _USERS.stop), range(_USERS.start, wanted)):
        try:
            pwd.getpwuid(user)
        except KeyError:
            return user
    return wanted


@cache
def program_files() -> tuple[Path, ...]:
    """Where the program lies: the interpreter, its packages, those of a lab's own checks, templates and fonts.

    A folder from which single packages are imported is not among them, only the packages: hand-ins may lie there too.
    """
    from grader.report.resources import templates_folder

    prefixes = {Path(one).resolve() for one in (sys.prefix, sys.base_prefix, sys.exec_prefix)} - {
        Path("/"),
        Path.home(),
    }
    if Path("/usr") in prefixes:
        prefixes = {*(prefixes - {Path("/usr")}), Path("/usr/lib")}
    # A lab's own checks may be installed from any folder; the current one may hold the hand-ins of others.
    packages = {Path(one).resolve() for one in sys.path if one and Path(one).is_dir()}
    packages -= {Path("/"), Path.home(), Path.cwd()}
    libraries = {Path(one) for one in os.environ.get("LD_LIBRARY_PATH", "").split(":") if one}
    fonts = {Path.home() / one for one in _OWN_FONTS}
    known = {*prefixes, *packages}
    others = {one for one in _imported() if not any(one.is_relative_to(place) for place in known)}
    return tuple(sorted({*known, *others, *libraries, *fonts, templates_folder().resolve()}))


def _imported() -> Iterator[Path]:
    """The folders of the packages that are in use, and the files of modules that are in none."""
    for name, module in tuple(sys.modules.items()):
        if "." in name or name == "__main__":
            continue
        for place in getattr(module, "__path__", None) or [getattr(module, "__file__", None)]:
            if place:
                yield Path(place).resolve()

"""One folder for all temporary files of this process and of those that it starts; what killed ones left is removed."""

import os
import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache
from multiprocessing.util import Finalize
from pathlib import Path
from typing import IO, Final

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

"""Runs pandoc, which turns texts in formats that only it reads into web pages.

pandoc is a program of its own and need not be installed. It is given the bytes of the file alone, without access to
files or the network (`--sandbox`), with a limit on memory and time. A process that may run no program asks another to
convert: see `converting_by`.
"""

import shutil
import subprocess
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from enum import IntEnum
from functools import cache
from pathlib import PurePosixPath
from typing import Final

from grader.intake.submission import REPORT_FORMATS, SubmittedFile

FORMATS: Final = ("typst", "rst", "org", "rtf", "epub", "mediawiki", "textile")
"""Those that pandoc converts, by its names."""
_FORMAT: Final = {suffix: name for name in FORMATS for suffix in REPORT_FORMATS[name]}

CONVERSION_SECONDS: Final = 5.0
"""Seconds of processor time for one file where pandoc is confined; elsewhere the wall-clock limit below applies."""
MOST_BYTES: Final = 20_000_000
_MOST_SECONDS: Final = 30.0
_HEAP: Final = "-M640M"
_TOO_MUCH: Final = (2, 251)
"""The status with which pandoc ends where its stack or its heap is used up."""
_UNKNOWN_FORMAT: Final = 21


class Failure(IntEnum):
    """The reason why there is no web page."""

    DAMAGED = -1
    UNKNOWN = -2
    TOO_MUCH = -3


Convert = Callable[[bytes, str], bytes | Failure]
"""From a text and pandoc's name for its format to a web page."""
_CONVERT: Final[ContextVar[Convert | None]] = ContextVar("convert", default=None)


@contextmanager
def converting_by(convert: Convert | None) -> Iterator[None]:
    """Within this context, documents are converted by `convert`, if given, instead of by a program run in this
    process."""
    before = _CONVERT.set(convert)
    try:
        yield
    finally:
        _CONVERT.reset(before)


def asks_for_help(files: Iterable[SubmittedFile]) -> bool:
    """Whether a file needs conversion and this process has no means of converting it."""
    wanted = map(format_of, files)
    return any(entry and entry not in _formats() for entry in wanted) and _CONVERT.get() is None


def format_of(file: SubmittedFile) -> str | None:
    """pandoc's name for the format of a file; None for one that is not converted."""
    return _FORMAT.get(PurePosixPath(file.path).suffix.lower())


def web_page(data: bytes, wanted: str) -> bytes | Failure:
    """The web page that pandoc makes of a text in its format `wanted`."""
    convert = _CONVERT.get()
    if convert is not None:
        return convert(data, wanted)
    if wanted not in _formats():
        return Failure.UNKNOWN
    return converted_by(shutil.which("pandoc") or "pandoc", data, wanted, seconds=_MOST_SECONDS)


def converted_by(program: str, data: bytes, wanted: str, *, seconds: float | None) -> bytes | Failure:
    """The web page that pandoc (at the path `program`) makes of a text in pandoc's format `wanted`. `seconds` is the
    wall-clock limit; None where something else limits the time."""
    command = [program, "--sandbox", "--from", wanted, "--to", "html5", "--mathjax", "+RTS", _HEAP, "-RTS"]
    try:
        done = subprocess.run(  # noqa: S603 - a fixed program; the file is only its input
            command,
            input=data,
            capture_output=True,
            timeout=seconds,
            check=False,
            env={"LANG": "C.UTF-8", "HOME": "/"},
            cwd="/",
        )
    except subprocess.TimeoutExpired:
        return Failure.TOO_MUCH
    except OSError:
        return Failure.DAMAGED
    if done.returncode == 0:
        return done.stdout[:MOST_BYTES]
    if done.returncode < 0 or done.returncode in _TOO_MUCH:
        return Failure.TOO_MUCH
    return Failure.UNKNOWN if done.returncode == _UNKNOWN_FORMAT else Failure.DAMAGED


@cache
def _formats() -> frozenset[str]:
    """The formats that the installed pandoc reads; none where there is no pandoc, or one without a sandbox."""
    program = shutil.which("pandoc")
    if program is None:
        return frozenset()
    try:
        listed = subprocess.run(  # noqa: S603 - a fixed program without any input
            [program, "--sandbox", "--list-input-formats"], capture_output=True, timeout=_MOST_SECONDS, check=True
        )
    except (OSError, subprocess.SubprocessError):
        return frozenset()
    return frozenset(listed.stdout.decode("ascii", "ignore").split())

"""A helper beside a worker that may start no program: it converts documents by pandoc, in a cage of its own.

It is forked before the first byte of a hand-in is read, knows no hand-in, and may run pandoc alone. What it gets to
convert comes from the worker and goes to pandoc's input unread.
"""

import os
import signal
import struct
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO, Final

from grader.pipeline.cage import Bounds, confine
from grader.reading.converted import CONVERSION_SECONDS, FORMATS, MOST_BYTES, Convert, converted_by

_MEMORY: Final = 3 * 2**29
_NAMES: Final = tuple(sorted(FORMATS.values()))
_REQUEST: Final = struct.Struct("!BI")
"""Which format, and how many bytes follow."""
_ANSWER: Final = struct.Struct("!i")
"""How many bytes follow; -1 where it could not be converted."""
_LOADERS: Final = ("/lib*/ld-*.so*", "/lib/*/ld-*.so*", "/usr/lib*/ld-*.so*", "/usr/lib/*/ld-*.so*")
"""Where the programs lie that start others."""


def helper(pandoc: Path) -> tuple[Convert, tuple[int, ...]]:
    """Start a helper; returns what asks it, and the open files that this takes. It stays in the worker's group, keeps
    none of its files, and ends with it. Raises OSError."""
    to_read, to_ask = os.pipe()
    to_hear, to_answer = os.pipe()
    if os.fork() == 0:
        status = 1
        try:
            signal.signal(signal.SIGINT, signal.SIG_IGN)
            _serve(to_read, to_answer, pandoc)
            status = 0
        finally:
            os._exit(status)
    os.close(to_read)
    os.close(to_answer)
    asking, hearing = os.fdopen(to_ask, "wb"), os.fdopen(to_hear, "rb")

    def convert(data: bytes, wanted: str) -> bytes | None:
        try:
            asking.write(_REQUEST.pack(_NAMES.index(wanted), len(data)) + data)
            asking.flush()
            (size,) = _ANSWER.unpack(hearing.read(_ANSWER.size))
            return None if size < 0 else hearing.read(size)
        except (OSError, struct.error):
            return None

    return convert, (to_ask, to_hear)


def _serve(to_read: int, to_answer: int, pandoc: Path) -> None:
    """Convert what is asked for, one after the other, until nobody is there to ask."""
    program = pandoc.resolve()
    loaders = tuple(path for pattern in _LOADERS for path in Path("/").glob(pattern.lstrip("/")))
    runs = (program, *loaders)
    confine(Bounds((program,)), (to_read, to_answer), seconds=CONVERSION_SECONDS, memory=_MEMORY, program=(), runs=runs)
    with os.fdopen(to_read, "rb") as asked, os.fdopen(to_answer, "wb") as answers:
        for data, wanted in _requests(asked):
            page = converted_by(str(program), data, wanted, seconds=None)
            answers.write(_ANSWER.pack(-1) if page is None else _ANSWER.pack(len(page)) + page)
            answers.flush()


def _requests(asked: BinaryIO) -> Iterator[tuple[bytes, str]]:
    while len(head := asked.read(_REQUEST.size)) == _REQUEST.size:
        name, size = _REQUEST.unpack(head)
        if name >= len(_NAMES) or size > MOST_BYTES:
            return
        yield asked.read(size), _NAMES[name]

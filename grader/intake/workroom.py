"""Where one hand-in is unpacked, and what it may still use of its limits."""

import re
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import Final

from grader.intake.errors import NotLetInError
from grader.intake.limits import Limits
from grader.message import Message, say

_LONGEST: Final = 120
_LESS: Final = say("hand in only what the lab asks for")


class Workroom:
    """The one place that counts. Files get numbered names of our own, so that no name of theirs can lead elsewhere."""

    def __init__(self, folder: Path, limits: Limits) -> None:
        self.limits = limits
        self._folder = folder
        self._files = 0
        self._bytes = 0

    def check_archive(self, path: Path) -> None:
        """Raises NotLetInError when the hand-in's own archive is larger than a hand-in may be."""
        with suppress(OSError):
            if path.stat().st_size > self.limits.total_bytes:
                raise NotLetInError(
                    say("it is larger than {size}; {remedy}", size=mebibytes(self.limits.total_bytes), remedy=_LESS)
                )

    def admit(self, path: str, size: int) -> None:
        """Count a file of `size` bytes as let in. Raises NotLetInError when that would go beyond a limit."""
        limits = self.limits
        if path.count("/") > limits.depth:
            raise NotLetInError(
                say("it lies more than {depth} folders deep; hand it in closer to the top", depth=limits.depth)
            )
        if size > limits.file_bytes:
            raise NotLetInError(
                say("it is larger than {size}; {remedy}", size=mebibytes(limits.file_bytes), remedy=_LESS)
            )
        if self._files >= limits.files:
            raise NotLetInError(
                say("the hand-in holds more than {most:,} files; {remedy}", most=limits.files, remedy=_LESS)
            )
        if self._bytes + size > limits.total_bytes:
            raise NotLetInError(
                say(
                    "the hand-in is larger than {size} in all; {remedy}",
                    size=mebibytes(limits.total_bytes),
                    remedy=_LESS,
                )
            )
        self._files += 1
        self._bytes += size

    def store(self, path: str, chunks: Iterable[bytes], size: int) -> Path:
        """Write at most the admitted `size` in bytes; returns where. Whole or not at all: raises what `chunks` raises,
        and NotLetInError when there is more.
        """
        location = self._location(path)
        try:
            self._write(location, chunks, size)
        except BaseException:
            location.unlink(missing_ok=True)
            raise
        return location

    def _write(self, location: Path, chunks: Iterable[bytes], size: int) -> None:
        written = 0
        with location.open("xb") as file:
            for chunk in chunks:
                written += len(chunk)
                if written > size:
                    raise NotLetInError(say("it unpacks to more than its archive says; make the archive again"))
                file.write(chunk)

    def _location(self, path: str) -> Path:
        self._folder.mkdir(parents=True, exist_ok=True)
        name = re.sub(r"[^A-Za-z0-9._-]", "_", path.rsplit("/", 1)[-1])
        return self._folder / f"{self._files:05}-{name[-_LONGEST:]}"


def mebibytes(size: int) -> Message:
    """A size in bytes, for people."""
    return say("{size:,.4g} MiB", size=size / 2**20)

"""The least of a file that still breaks the reader in the same way."""

import time
from collections.abc import Callable

from tests.reading.fuzz.containers import taken_apart

Breaks = Callable[[bytes], bool]


def shrunk(data: bytes, breaks: Breaks, seconds: float = 30) -> bytes:
    """The file with all cut out that is not needed, as far as the time goes. `breaks(data)` must hold."""
    until = time.monotonic() + seconds
    for _ in range(2):
        parts = taken_apart(data)
        if parts is None:
            break
        kept = _shrunk_parts(parts.parts, lambda some, join=parts.joined: breaks(join(some)), until)  # type: ignore[misc]
        data = min((data, parts.joined(kept)), key=len) if breaks(parts.joined(kept)) else data
    return _shrunk_bytes(data, breaks, until)


def _shrunk_parts(
    parts: list[tuple[str, bytes]], breaks: Callable[[list[tuple[str, bytes]]], bool], until: float
) -> list[tuple[str, bytes]]:
    if not breaks(parts):
        return parts
    for at in reversed(range(len(parts))):
        fewer = parts[:at] + parts[at + 1 :]
        if time.monotonic() < until and fewer and breaks(fewer):
            parts = fewer
    for at, (name, content) in enumerate(parts):
        before, after = parts[:at], parts[at + 1 :]
        small = _shrunk_bytes(content, lambda some: breaks([*before, (name, some), *after]), until)  # noqa: B023
        parts = [*before, (name, small), *after]
    return parts


def _shrunk_bytes(data: bytes, breaks: Breaks, until: float) -> bytes:
    """Cut out halves, quarters and so on, down to single bytes (delta debugging)."""
    size = len(data) // 2
    while size and time.monotonic() < until:
        at = 0
        while at < len(data) and time.monotonic() < until:
            fewer = data[:at] + data[at + size :]
            if breaks(fewer):
                data = fewer
            else:
                at += size
        size //= 2
    return data

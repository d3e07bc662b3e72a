"""A damaged file out of the way, and kept."""

import contextlib
from itertools import count
from pathlib import Path
from typing import Final

_BESIDE: Final = ("-wal", "-shm")
"""What SQLite writes beside a file; they belong to it."""


def set_aside(path: Path) -> str:
    """Rename a database to the first free name like `gradebook.damaged-1.sqlite`, and say which. Raises OSError."""
    aside = next(name for number in count(1) if not (name := _called(path, number)).exists())
    with contextlib.suppress(FileNotFoundError):  # another process was quicker
        path.rename(aside)
    for ending in _BESIDE:
        with contextlib.suppress(FileNotFoundError):
            path.with_name(path.name + ending).rename(aside.with_name(aside.name + ending))
    return aside.name


def _called(path: Path, number: int) -> Path:
    return path.with_name(f"{path.stem}.damaged-{number}{path.suffix}")

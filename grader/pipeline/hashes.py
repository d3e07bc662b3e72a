"""Hashes of values, files and folders, the same on every machine."""

import hashlib
import json
from collections.abc import Iterable
from datetime import date
from pathlib import Path
from typing import Any


def hash_of(value: Any) -> str:
    """SHA-256 of a value made of mappings, sequences, sets, numbers, text and days; of models, their `model_dump`."""
    return hashlib.sha256(json.dumps(value, sort_keys=True, default=_plain).encode()).hexdigest()


def hash_of_file(path: Path) -> str:
    """SHA-256 of a file's content, read in pieces. Raises OSError."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def hash_of_folder(folder: Path, suffixes: Iterable[str] = ()) -> str:
    """SHA-256 over the paths and contents of all files below a folder; only those with one of the suffixes, if there
    are any. Raises OSError."""
    wanted = frozenset(suffixes)
    paths = (path for path in sorted(folder.rglob("*")) if not wanted or path.suffix in wanted)
    return hash_of([(path.relative_to(folder).as_posix(), hash_of_file(path)) for path in paths if path.is_file()])


def _plain(value: Any) -> Any:
    if isinstance(value, set | frozenset):
        return sorted(value)
    if isinstance(value, date):  # and times
        return value.isoformat()
    return str(value)

"""Results that were written before."""

from collections.abc import Iterator
from pathlib import Path

from pydantic import ValidationError

from grader.result import Result


class StoredResultError(ValueError):
    """A file is no result of this version; the message says which file and what to do."""


def stored_results(folder: Path) -> Iterator[Result]:
    """The results in a folder of graded submissions, by student. Raises StoredResultError."""
    for path in sorted(folder.glob("*/result.json")):
        try:
            yield Result.from_json(path.read_bytes())
        except (ValidationError, OSError) as error:
            raise StoredResultError(f"{path} cannot be read as a result; grade the submissions again.") from error

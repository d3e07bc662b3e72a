"""What of a result is enough to list, compare and explain grades without reading it whole; results that were written
before.
"""

import json
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any, NamedTuple

from pydantic import ValidationError

from grader.result import AppliedOverride, ItemResult, Result


class ItemOutline(NamedTuple):
    """An item's outcome; `override` says who decided it and why, where a person did. Points are as JSON has them."""

    status: str
    score: float
    pending: float
    max_score: float
    override: str = ""


class Outline(NamedTuple):
    """A result in short. `flags` are ids; `stale` are the items whose override was decided on another finding.

    `items` are the fields of an `ItemOutline` by item: a class has too many of them to make them all.
    """

    student: str
    score: Decimal
    pending: Decimal
    max_score: Decimal
    late_penalty: Decimal
    needs_review: bool
    error: str | None
    flags: tuple[str, ...]
    stale: tuple[str, ...]
    items: dict[str, list[Any]]

    def item(self, id_: str) -> ItemOutline | None:
        """One item, if there is one of that name."""
        return ItemOutline(*self.items[id_]) if id_ in self.items else None

    def to_json(self) -> str:
        """Short text, for a column of a table."""
        return json.dumps(self._asdict(), ensure_ascii=False, separators=(",", ":"), default=str)

    @classmethod
    def from_json(cls, text: str) -> "Outline":
        """The outline in a text that `to_json` made. Raises ValueError, TypeError or LookupError for any other."""
        fields = json.loads(text)
        for name in ("score", "pending", "max_score", "late_penalty"):
            fields[name] = Decimal(fields[name])
        fields["flags"], fields["stale"] = tuple(fields["flags"]), tuple(fields["stale"])
        return cls(**fields)


def outline_of(result: Result) -> Outline:
    """A result in short."""
    return Outline(
        student=result.student.id,
        score=result.score,
        pending=result.pending,
        max_score=result.max_score,
        late_penalty=result.late_penalty,
        needs_review=result.needs_review,
        error=result.error,
        flags=tuple(dict.fromkeys(flag.id for flag in result.flags)),
        stale=tuple(item.id for item in result.items if item.override and item.override.stale),
        items={item.id: list(_item(item)) for item in result.items},
    )


def _item(item: ItemResult) -> ItemOutline:
    return ItemOutline(
        status=item.status.value,
        score=float(item.score),
        pending=float(item.pending),
        max_score=float(item.max_score),
        override=_decided(item.override),
    )


def _decided(override: AppliedOverride | None) -> str:
    return f"{override.author}, {override.date}: {override.reason}" if override else ""


class StoredResultError(ValueError):
    """A file is no result of this version; the message says which file and what to do."""


def stored_results(folder: Path) -> Iterator[Result]:
    """The results in a folder of graded submissions, by student. Raises StoredResultError."""
    for path in sorted(folder.glob("*/result.json")):
        try:
            yield Result.from_json(path.read_bytes())
        except (ValidationError, OSError) as error:
            raise StoredResultError(f"{path} cannot be read as a result; grade the submissions again.") from error

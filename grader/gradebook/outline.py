"""Short forms of results, enough to list, compare and explain grades; and reading of stored results."""

import json
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any, NamedTuple

from pydantic import ValidationError

from grader.result import AppliedOverride, ItemResult, Result


class ItemOutline(NamedTuple):
    """An item's outcome; `override` says which person decided it and why, if any. Points are strings as in JSON."""

    status: str
    score: float
    pending: float
    max_score: float
    override: str = ""


class Outline(NamedTuple):
    """A result in short form. `flags` are ids; `stale` are the items whose override was based on an earlier finding.

    `items` holds the fields of each `ItemOutline` as plain values: a class has too many to create all the objects.
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
        """The item with this id, or None."""
        return ItemOutline(*self.items[id_]) if id_ in self.items else None

    def to_json(self) -> str:
        """The outline as compact JSON for a column of a table."""
        return json.dumps(self._asdict(), ensure_ascii=False, separators=(",", ":"), default=str)

    @classmethod
    def from_json(cls, text: str) -> "Outline":
        """The outline from the text of `to_json`. Raises ValueError, TypeError or LookupError for any other text."""
        fields = json.loads(text)
        for name in ("score", "pending", "max_score", "late_penalty"):
            fields[name] = Decimal(fields[name])
        fields["flags"], fields["stale"] = tuple(fields["flags"]), tuple(fields["stale"])
        return cls(**fields)


def outline_of(result: Result) -> Outline:
    """The outline of a result."""
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
    """A file is not a result of this version; the message says which file and what to do."""


def stored_results(folder: Path) -> Iterator[Result]:
    """The results in a folder of graded submissions, by student. Raises StoredResultError."""
    for path in sorted(folder.glob("*/result.json")):
        try:
            yield Result.from_json(path.read_bytes())
        except (ValidationError, OSError) as error:
            raise StoredResultError(f"{path} cannot be read as a result; grade the submissions again.") from error

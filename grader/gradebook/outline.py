"""Short forms of results, enough to list, compare and explain grades; and reading of stored results."""

import csv
import json
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import nullcontext
from decimal import Decimal
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from pydantic import ValidationError

from grader.cohort.rows import MappedSequence
from grader.result import ItemResult, Result


class ItemOutline(NamedTuple):
    """An item's outcome; `override` says which person decided it and why, if any. Points are strings as in JSON."""

    status: str
    score: float
    pending: float
    max_score: float
    override: str = ""


class ItemOutlines(Mapping[str, ItemOutline]):
    """The items of a result by id. A class has many equal ones, of which each is in memory once."""

    __slots__ = ("_ids", "_items")

    def __init__(self, items: Mapping[str, ItemOutline]) -> None:
        self._ids: tuple[str, ...] = one_of_equal(tuple(items))
        self._items: tuple[ItemOutline, ...] = tuple(map(one_of_equal, items.values()))

    def __getitem__(self, id_: str) -> ItemOutline:
        try:
            return self._items[self._ids.index(id_)]
        except ValueError:
            raise KeyError(id_) from None

    def __iter__(self) -> Iterator[str]:
        return iter(self._ids)

    def __len__(self) -> int:
        return len(self._ids)

    def __hash__(self) -> int:
        return hash((self._ids, self._items))


@lru_cache(maxsize=8192, typed=True)
def one_of_equal(value: Any) -> Any:
    """The same object for equal values of one type: of most values a class has few."""
    return value


class Outline(NamedTuple):
    """A result in short form. `flags` are ids; `stale` are the items about which a person decided
    when there was another answer."""

    student: str
    score: Decimal
    pending: Decimal
    max_score: Decimal
    late_penalty: Decimal
    needs_review: bool
    error: str | None
    flags: tuple[str, ...]
    stale: tuple[str, ...]
    items: ItemOutlines

    def item(self, id_: str) -> ItemOutline | None:
        """The item with this id, or None."""
        return self.items.get(id_)

    def to_json(self) -> str:
        """The outline as compact JSON for a column of a table."""
        return json.dumps(
            {**self._asdict(), "items": dict(self.items)}, ensure_ascii=False, separators=(",", ":"), default=str
        )

    @classmethod
    def from_json(cls, text: str) -> "Outline":
        """The outline from the text of `to_json`. Raises ValueError, TypeError or LookupError for any other text."""
        fields = json.loads(text)
        for name in ("score", "pending", "max_score", "late_penalty"):
            fields[name] = one_of_equal(Decimal(fields[name]))
        for name in ("flags", "stale"):
            fields[name] = one_of_equal(tuple(fields[name]))
        fields["items"] = ItemOutlines({id_: ItemOutline(*values) for id_, values in fields["items"].items()})
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
        stale=tuple(item.id for item in result.items if item.earlier),
        items=ItemOutlines({item.id: outline_of_item(item) for item in result.items}),
    )


def outline_of_item(item: ItemResult) -> ItemOutline:
    """The outline of an item of a result."""
    return ItemOutline(
        status=item.status.value,
        score=float(item.score),
        pending=float(item.pending),
        max_score=float(item.max_score),
        override=f"{decided.author}, {decided.date}: {decided.reason}" if (decided := item.override) else "",
    )


class StoredResultError(ValueError):
    """A file is not a result of this version; the message says which file and what to do."""


def stored_results(folder: Path) -> Sequence[Result]:
    """The results in a folder of graded submissions, by student, each read from its file when it is asked for, so that
    a class of any size fits into memory. Raises StoredResultError when one is read that is none."""
    with os.scandir(folder) if folder.is_dir() else nullcontext(()) as entries:
        students = sorted(entry.name for entry in entries if Path(entry, "result.json").is_file())
    return MappedSequence(students, lambda student: stored_result(folder, student))


def not_in_last_run(folder: Path) -> list[str]:
    """The students in a folder of graded submissions whose hand-ins were not among those of its last run: results that
    are left of a hand-in that was renamed or taken away. Empty where no list of the last run is there."""
    listed = folder / "grades.csv"
    if not listed.is_file():
        return []
    with listed.open(encoding="utf-8-sig", newline="") as lines:
        now = {row.get("student_id") for row in csv.DictReader(lines)}
    return sorted(name for path in folder.glob("*/result.json") if (name := path.parent.name) not in now)


def stored_result(folder: Path, student: str) -> Result:
    """A student's result in a folder of graded submissions. Raises StoredResultError."""
    path = folder / student / "result.json"
    try:
        return Result.from_json(path.read_bytes())
    except (ValidationError, OSError) as error:
        raise StoredResultError(f"{path} cannot be read as a result; grade the submissions again.") from error

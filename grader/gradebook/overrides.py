"""`overrides.toml`: what persons decided in place of the grader. People write and review it; no program changes it.
Decisions of the review page are kept in the gradebook and can be written in the same form.

[[override]]
student = "student-01"      # as in grades.csv
item = "q1.total"
points = 2                  # or: status = "correct"
reason = "The total is in the figure on page 2."
author = "M. Dupont"
date = 2024-01-12
finding = "3f0c…"           # the item's `finding` in result.json, so that a change of it is noticed
"""

import difflib
from collections.abc import Collection, Iterable, Mapping
from datetime import date, datetime
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import Any, Final, NamedTuple, NoReturn

from grader.gradebook.errors import GradebookError
from grader.gradebook.toml_places import Entry, read_entries
from grader.result import ItemResult, Override, Result, Status

TABLE: Final = "override"
FILE: Final = "overrides.toml"
STATUSES: Final = (Status.CORRECT, Status.PARTIAL, Status.INCORRECT, Status.MISSING)
"""What a person may decide."""

_TEXTS: Final = ("student", "item", "reason", "author")
_KEYS: Final = (*_TEXTS, "status", "points", "date", "finding")


class OverrideEntry(NamedTuple):
    """A decision about one item of one student, and where it is written."""

    student: str
    item: str
    override: Override
    place: str


def read_overrides(path: Path, maxima: Mapping[str, Decimal]) -> tuple[OverrideEntry, ...]:
    """All overrides in a file. `maxima` are the lab's items with their points.

    Raises GradebookError with the line for unknown keys, items and statuses, what is missing, points beyond the
    maximum, and a second override of one item.
    """
    entries = tuple(_override(entry, maxima) for entry in read_entries(path, TABLE))
    first: dict[tuple[str, str], OverrideEntry] = {}
    for entry in entries:
        other = first.setdefault((entry.student, entry.item), entry)
        if other is not entry:
            raise GradebookError(
                f"{entry.place}: {entry.item} of {entry.student} has an override already ({other.place}); keep one."
            )
    return entries


def overrides_by_student(
    entries: Iterable[OverrideEntry], students: Collection[str], elsewhere: Collection[str] = ()
) -> dict[str, dict[str, Override]]:
    """The overrides of each student, by item. `elsewhere` are students who are known but not graded now.

    Raises GradebookError with the line for a student who is neither.
    """
    overrides: dict[str, dict[str, Override]] = {}
    for entry in entries:
        if entry.student in students:
            overrides.setdefault(entry.student, {})[entry.item] = entry.override
        elif entry.student not in elsewhere:
            hint = _hint(entry.student, [*students, *elsewhere])
            raise GradebookError(f"{entry.place}: no hand-in of {entry.student!r} is graded here{hint}")
    return overrides


def stale_overrides(result: Result) -> tuple[ItemResult, ...]:
    """The items whose override was decided on a finding that has changed since."""
    return tuple(item for item in result.items if item.override and item.override.stale)


def override_text(student: str, item: str, override: Override) -> str:
    """An entry as it is written into the file, for programs that help people to decide."""
    given = override.points is None and override.status
    lines = {
        "student": _quoted(student),
        "item": _quoted(item),
        **({"status": _quoted(override.status or "")} if given else {"points": format(override.points or 0, "f")}),
        "reason": _quoted(override.reason),
        "author": _quoted(override.author),
        "date": override.date.isoformat(),
        "finding": _quoted(override.finding),
    }
    told = {key: value for key, value in lines.items() if key != "finding" or override.finding}
    return "\n".join([f"[[{TABLE}]]", *(f"{key} = {value}" for key, value in told.items()), ""])


def _override(entry: Entry, maxima: Mapping[str, Decimal]) -> OverrideEntry:
    values = entry.values
    for key in values:
        if key not in _KEYS:
            _refuse(entry, key, f"`{key}` is no key of an override{_hint(key, _KEYS)}")
    texts = {key: _text(entry, key) for key in _TEXTS}
    item = texts["item"]
    if item not in maxima:
        _refuse(entry, "item", f"the lab has no item {item!r}{_hint(item, maxima)}")
    override = Override(
        status=_status(entry),
        points=_points(entry, maxima[item]),
        reason=texts["reason"],
        author=texts["author"],
        date=_date(entry),
        finding=_text(entry, "finding") if "finding" in values else "",
    )
    return OverrideEntry(texts["student"], item, override, entry.at())


def _text(entry: Entry, key: str) -> str:
    value = entry.values.get(key)
    if value is None:
        _refuse(entry, "", f"this override has no `{key}`.")
    if not isinstance(value, str) or not value.strip():
        _refuse(entry, key, f"`{key}` must be text in quotes.")
    return " ".join(value.split())


def _status(entry: Entry) -> Status | None:
    value = entry.values.get("status")
    if ("points" in entry.values) == (value is not None):
        _refuse(entry, "status", "give either `points` or `status`, and not both.")
    if value is None or value in STATUSES:
        return Status(value) if value else None
    return _refuse(entry, "status", f"{value!r} is no status to decide; there are {', '.join(STATUSES)}.")


def _points(entry: Entry, maximum: Decimal) -> Decimal | None:
    value = entry.values.get("points")
    if value is None:
        return None
    points = _decimal(value)
    if points is None:
        _refuse(entry, "points", "`points` must be a number.")
    if not 0 <= points <= maximum:
        _refuse(entry, "points", f"{value} points are not between 0 and the item's {maximum.normalize():f}.")
    if points != round(points, 2):
        _refuse(entry, "points", "points have at most two decimals.")
    return points


def _decimal(value: Any) -> Decimal | None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        points = Decimal(str(value))
    except InvalidOperation:
        return None
    return points if points.is_finite() else None


def _date(entry: Entry) -> date:
    value = entry.values.get("date")
    if isinstance(value, datetime):
        return value.date()
    if isinstance(value, date):
        return value
    try:
        return date.fromisoformat(str(value))
    except ValueError:
        return _refuse(entry, "date", "`date` is the day of the decision, such as 2024-01-12.")


def _refuse(entry: Entry, key: str, what: str) -> NoReturn:
    raise GradebookError(f"{entry.at(key)}: {what}")


def _hint(text: str, known: Iterable[str]) -> str:
    close = difflib.get_close_matches(text, list(known), n=1)
    return f"; did you mean {close[0]!r}?" if close else "."


def _quoted(text: str) -> str:
    import json

    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")

"""The grades of one student over time."""

from collections.abc import Iterable
from typing import NamedTuple

from grader.gradebook.diff import GradeChange, changes
from grader.gradebook.kept import Kept


class Entry(NamedTuple):
    """One grade of a student in a lab, and what it changed; None for the first one of that lab."""

    lab: str
    grade: Kept
    change: GradeChange | None


def history(grades: Iterable[tuple[Kept, str]]) -> tuple[Entry, ...]:
    """The grades of one student, the oldest first, each with its lab, and what became of the one before."""
    last: dict[str, Kept] = {}
    entries = []
    for kept, lab in grades:
        entries.append(Entry(lab, kept, changes(last[lab], kept) if lab in last else None))
        last[lab] = kept
    return tuple(entries)

"""Answers from a gradebook: its runs, a student's history, and what differs between two runs."""

import difflib
from collections.abc import Collection
from typing import Final, NamedTuple

from grader.gradebook import queries
from grader.gradebook.database import Database
from grader.gradebook.diff import Differences, differences
from grader.gradebook.errors import GradebookError
from grader.gradebook.history import Entry, history
from grader.gradebook.kept import Run
from grader.gradebook.person_names import words

_MOST_MEANT: Final = 3


class Compared(NamedTuple):
    """Two runs, and what became of the grades that held after the first."""

    before: Run
    after: Run
    found: Differences


def all_runs(database: Database) -> tuple[Run, ...]:
    """The runs, the oldest first. Raises GradebookError."""
    with database.reading() as connection:
        return queries.runs(connection)


def history_of(database: Database, student: str) -> tuple[Entry, ...]:
    """The grades of a student, the oldest first. Raises GradebookError for a student without any."""
    with database.reading() as connection:
        entries = history(queries.grades_of(connection, student))
        if not entries:
            hint = _meant(student, queries.students(connection))
            raise GradebookError(f"{database.place}: {student!r} has no grades.{hint}")
        return entries


def _meant(student: str, known: Collection[str]) -> str:
    """Ids that hold all the words, or else one that is spelled much the same."""
    sought = words(student)
    holding = [one for one in sorted(known) if sought and sought <= words(one)]
    close = holding[:_MOST_MEANT] or difflib.get_close_matches(student, known, n=1)
    return f" Did you mean {' or '.join(repr(one) for one in close)}?" if close else ""


def compared(database: Database, first: int | None = None, second: int | None = None) -> Compared:
    """Two runs compared; those left out are the last one, and the last that came to its end before that.

    Of the students whom the second run covered, the grades are compared that held when each of the two ended. Raises
    GradebookError for runs that there are not, or that are of two labs.
    """
    with database.reading() as connection:
        runs = queries.runs(connection)
        after = _run(database, runs, second) if second else _last(database, runs)
        before = _run(database, runs, first) if first else _before(database, runs, after)
        if before.lab != after.lab:
            raise GradebookError(f"runs {before.id} and {after.id} are of two labs: {before.lab} and {after.lab}.")
        students = queries.covered(connection, after.id)
        then, now = (queries.latest(connection, run.lab, until=run.id) for run in (before, after))
        found = differences(
            {student: one.grade for student, one in then.items()},
            {student: one.grade for student, one in now.items() if student in students},
            queries.covered(connection, before.id),
        )
    return Compared(before, after, found)


def _last(database: Database, runs: tuple[Run, ...]) -> Run:
    if not runs:
        raise GradebookError(f"{database.place}: nothing was graded so far.")
    return runs[-1]


def _before(database: Database, runs: tuple[Run, ...], after: Run) -> Run:
    earlier = [run for run in runs if run.id < after.id and run.lab == after.lab and run.finished]
    if not earlier:
        raise GradebookError(f"{database.place}: run {after.id} is the first of {after.lab}; grade again to compare.")
    return earlier[-1]


def _run(database: Database, runs: tuple[Run, ...], number: int) -> Run:
    found = next((run for run in runs if run.id == number), None)
    if found is None:
        raise GradebookError(f"{database.place}: there is no run {number}; `grade history` lists them.")
    return found

"""Questions to a gradebook."""

import json
from collections.abc import Iterator
from datetime import datetime
from typing import TYPE_CHECKING, Any, Final

from grader.gradebook.errors import GradebookError
from grader.gradebook.inputs import Inputs
from grader.gradebook.kept import Kept, Run, Standing
from grader.gradebook.outline import Outline
from grader.gradebook.tables import tables

if TYPE_CHECKING:
    from sqlalchemy import Connection, Row, Select


_OWN: Final = ("id", "run", "student", "graded", "submission_sha256", "result_sha256", "outline")
"""The columns of a grade, after those of its inputs, without its result, which is large."""


def runs(connection: "Connection") -> tuple[Run, ...]:
    """All runs, the oldest first."""
    from sqlalchemy import func, select

    known = tables()
    held = known.standings
    covered = select(held.c.run, func.count().label("students")).group_by(held.c.run).subquery()
    made = select(known.grades.c.run, func.count().label("graded")).group_by(known.grades.c.run).subquery()
    query = (
        select(known.runs, covered.c.students, made.c.graded)
        .outerjoin(covered, covered.c.run == known.runs.c.id)
        .outerjoin(made, made.c.run == known.runs.c.id)
        .order_by(known.runs.c.id)
    )
    return tuple(_run(row) for row in connection.execute(query))


def latest(
    connection: "Connection", lab: str, *, until: int | None = None, student: str | None = None
) -> dict[str, Standing]:
    """The grades that hold, by student: each student's as of the last run for a lab that covered them, no later than
    `until`."""
    from sqlalchemy import and_, func, select

    known = tables()
    held = known.standings
    which = select(held.c.student, func.max(held.c.run).label("run")).join(known.runs).where(known.runs.c.lab == lab)
    if until is not None:
        which = which.where(held.c.run <= until)
    if student is not None:
        which = which.where(held.c.student == student)
    last = which.group_by(held.c.student).subquery()
    query = (
        _grades()
        .add_columns(held.c.files)
        .join(held, held.c.grade == known.grades.c.id)
        .join(last, and_(last.c.student == held.c.student, last.c.run == held.c.run))
    )
    found = (standing_of(row) for row in connection.execute(query))
    return {one.grade.student: one for one in found}


def covered(connection: "Connection", run: int) -> set[str]:
    """The students of a run."""
    from sqlalchemy import select

    held = tables().standings
    return set(connection.execute(select(held.c.student).where(held.c.run == run)).scalars())


def grades_of(connection: "Connection", student: str) -> Iterator[tuple[Kept, str]]:
    """All grades that a student ever had, the oldest first, each with its lab."""

    known = tables()
    query = (
        _grades()
        .add_columns(known.runs.c.lab)
        .join(known.runs, known.runs.c.id == known.grades.c.run)
        .where(known.grades.c.student == student)
        .order_by(known.grades.c.id)
    )
    for row in connection.execute(query):
        yield _kept(row), row.lab


def students(connection: "Connection") -> list[str]:
    """Everybody who has a grade."""
    from sqlalchemy import select

    return sorted(connection.execute(select(tables().grades.c.student).distinct()).scalars())


def standing_of(row: "Row[Any]") -> Standing:
    """A row of a grade and its files."""
    return Standing(_kept(row), json.loads(row.files))


def _grades() -> "Select[Any]":
    """All of a grade but its result, which is large."""
    from sqlalchemy import select

    table = tables().grades
    return select(*(table.c[f"{name}_input"] for name in Inputs._fields), *(table.c[name] for name in _OWN))


def _kept(row: "Row[Any]") -> Kept:
    try:
        outline = Outline.from_json(row.outline)
    except (ValueError, TypeError, LookupError) as error:
        raise GradebookError(f"grade {row.id} in the gradebook is not as this program writes it.") from error
    return Kept(
        id=row.id,
        run=row.run,
        student=row.student,
        graded=datetime.fromisoformat(row.graded),
        submission_sha256=row.submission_sha256,
        inputs=Inputs(*row[: len(Inputs._fields)]),
        result_sha256=row.result_sha256,
        outline=outline,
    )


def _run(row: "Row[Any]") -> Run:
    fields = dict(row._mapping)
    fields |= {name: json.loads(fields[name]) for name in ("options", "files")}
    fields |= {name: fields[name] or 0 for name in ("students", "graded")}
    fields |= {name: datetime.fromisoformat(fields[name]) if fields[name] else None for name in ("started", "finished")}
    return Run(**fields)

"""Grades kept: every run, every grade, and which grade held when. All of it in short transactions."""

import hashlib
import json
import zlib
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from grader.gradebook.database import Database
from grader.gradebook.errors import GradebookError
from grader.gradebook.inputs import Inputs
from grader.gradebook.kept import Files, NewRun, Standing
from grader.gradebook.outline import outline_of
from grader.gradebook.queries import latest
from grader.gradebook.tables import tables
from grader.result import Result

if TYPE_CHECKING:
    from sqlalchemy import Connection, Table


def begin_run(database: Database, run: NewRun) -> int:
    """Enter a run that begins now; returns its number."""
    row = run._asdict() | {"options": _json(run.options), "started": _now()}
    with database.writing() as connection:
        return _inserted(connection, tables().runs, row)


def keep(database: Database, run: int, result: Result, inputs: Inputs, files: Files) -> None:
    """Enter what a run found for a student: a new grade, or the one before where it has the same inputs and bytes."""
    row = _grade_row(run, result, inputs)
    with database.writing() as connection:
        known = latest(connection, result.lab.id, student=result.student.id).get(result.student.id)
        if known and (known.grade.inputs, known.grade.result_sha256) == (inputs, row["result_sha256"]):
            grade = known.grade.id
        else:
            grade = _inserted(connection, tables().grades, row)
        _stand(connection, run, [(result.student.id, grade, files)])


def keep_standing(database: Database, run: int, standings: Iterable[Standing]) -> None:
    """Enter that grades still hold in a run."""
    with database.writing() as connection:
        _stand(connection, run, [(one.grade.student, one.grade.id, one.files) for one in standings])


def finish_run(database: Database, run: int, class_sha256: str, files: Files) -> None:
    """Enter that a run has ended, and the files of the class in which it left its grades."""
    runs = tables().runs
    values = {"finished": _now(), "class_sha256": class_sha256, "files": _json(files)}
    with database.writing() as connection:
        connection.execute(runs.update().where(runs.c.id == run).values(**values))


def stored_bytes(database: Database, grades: Iterable[int]) -> Iterator[tuple[int, bytes]]:
    """The bytes of `result.json` of some grades, by their ids."""
    from sqlalchemy import select

    table = tables().grades
    with database.reading() as connection:
        for grade in grades:
            packed = connection.execute(select(table.c.result).where(table.c.id == grade)).scalar_one()
            yield grade, zlib.decompress(packed)


def standings(database: Database, lab: str) -> dict[str, Standing]:
    """The grades that hold now, by student."""
    with database.reading() as connection:
        return latest(connection, lab)


def _inserted(connection: "Connection", table: "Table", row: Mapping[str, Any]) -> int:
    """The number that a row got."""
    key = connection.execute(table.insert().values(**row)).inserted_primary_key
    if key is None:  # every supported database tells it
        raise GradebookError("the database does not tell the number of a new row.")
    return int(key[0])


def _stand(connection: "Connection", run: int, rows: list[tuple[str, int, Files]]) -> None:
    table = tables().standings
    values = [{"run": run, "student": student, "grade": grade, "files": _json(files)} for student, grade, files in rows]
    if values:
        connection.execute(table.insert(), values)


def _grade_row(run: int, result: Result, inputs: Inputs) -> dict[str, Any]:
    content = result.to_json().encode()
    outline = outline_of(result)
    return {
        "run": run,
        "student": result.student.id,
        "graded": _now(),
        "submission_sha256": result.submission.sha256,
        **{f"{name}_input": value for name, value in inputs._asdict().items()},
        "result_sha256": hashlib.sha256(content).hexdigest(),
        "score": float(outline.score),
        "pending": float(outline.pending),
        "max_score": float(outline.max_score),
        "late_penalty": float(outline.late_penalty),
        "needs_review": outline.needs_review,
        "outline": outline.to_json(),
        "result": zlib.compress(content),
    }


def _json(values: Mapping[str, object]) -> str:
    return json.dumps(values, ensure_ascii=False, sort_keys=True, default=str)


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")

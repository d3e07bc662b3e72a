"""The tables of a gradebook, in words that every database of SQLAlchemy understands."""

from functools import cache
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from sqlalchemy import MetaData, Table

SCHEMA: Final = 1
"""The version of these tables. A gradebook of a higher one was written by a newer grader."""


class Tables(NamedTuple):
    """`version` holds one row. A standing is the grade that a run found or made for a student: grades that still hold
    are not copied. Decisions and requests are only ever added to, but for a request's answer. Times are UTC in ISO
    8601; hashes are SHA-256 in hexadecimal; `result` is zlib over JSON."""

    metadata: "MetaData"
    version: "Table"
    runs: "Table"
    grades: "Table"
    standings: "Table"
    decisions: "Table"
    requests: "Table"


@cache
def tables() -> Tables:
    """The tables; made once, as SQLAlchemy is loaded for it."""
    from sqlalchemy import MetaData

    metadata = MetaData()
    made = (_version, _runs, _grades, _standings, _decisions, _requests)
    return Tables(metadata, *(make(metadata) for make in made))


def _version(metadata: "MetaData") -> "Table":
    from sqlalchemy import Column, Integer, Table

    return Table("gradebook", metadata, Column("schema_version", Integer, primary_key=True, autoincrement=False))


def _runs(metadata: "MetaData") -> "Table":
    from sqlalchemy import Column, Integer, String, Table, Text

    return Table(
        "runs",
        metadata,
        Column("id", Integer, primary_key=True),
        Column("started", String(40), nullable=False),
        Column("finished", String(40)),
        Column("lab", String(200), nullable=False),
        Column("lab_sha256", String(64), nullable=False),
        Column("truth_sha256", String(64), nullable=False),
        Column("grader", String(200), nullable=False),
        Column("language", String(20), nullable=False),
        Column("options", Text, nullable=False),
        Column("class_sha256", String(64), nullable=False, default=""),
        Column("files", Text, nullable=False, default="{}"),
        sqlite_autoincrement=True,
    )


def _grades(metadata: "MetaData") -> "Table":
    from sqlalchemy import Boolean, Column, Float, ForeignKey, Index, Integer, LargeBinary, String, Table, Text

    from grader.gradebook.inputs import Inputs

    return Table(
        "grades",
        metadata,
        Column("id", Integer, primary_key=True),
        Column("run", Integer, ForeignKey("runs.id"), nullable=False),
        Column("student", String(300), nullable=False),
        Column("graded", String(40), nullable=False),
        Column("submission_sha256", String(64), nullable=False),
        *(Column(f"{name}_input", String(200), nullable=False) for name in Inputs._fields),
        Column("result_sha256", String(64), nullable=False),
        Column("score", Float, nullable=False),
        Column("pending", Float, nullable=False),
        Column("max_score", Float, nullable=False),
        Column("late_penalty", Float, nullable=False),
        Column("needs_review", Boolean, nullable=False),
        Column("outline", Text, nullable=False),
        Column("result", LargeBinary, nullable=False),
        Index("grades_of_a_student", "student"),
        sqlite_autoincrement=True,
    )


def _standings(metadata: "MetaData") -> "Table":
    from sqlalchemy import Column, ForeignKey, Index, Integer, String, Table, Text

    return Table(
        "standings",
        metadata,
        Column("run", Integer, ForeignKey("runs.id"), primary_key=True, autoincrement=False),
        Column("student", String(300), primary_key=True),
        Column("grade", Integer, ForeignKey("grades.id"), nullable=False),
        Column("files", Text, nullable=False),
        Index("standings_of_a_student", "student", "run"),
    )


def _decisions(metadata: "MetaData") -> "Table":
    """What persons decided about items: the last version of a student's item is in force. One that holds neither
    status nor points takes the ones before it back."""
    from sqlalchemy import Column, Index, Integer, String, Table, Text, UniqueConstraint

    return Table(
        "decisions",
        metadata,
        Column("id", Integer, primary_key=True),
        Column("lab", String(200), nullable=False),
        Column("student", String(300), nullable=False),
        Column("item", String(200), nullable=False),
        Column("version", Integer, nullable=False),
        Column("action", String(20), nullable=False),
        Column("batch", String(40), nullable=False),
        Column("undoes", String(40), nullable=False, default=""),
        Column("status", String(20)),
        Column("points", String(20)),
        Column("reason", Text, nullable=False),
        Column("author", String(200), nullable=False),
        Column("actor", String(200), nullable=False),
        Column("decided", String(40), nullable=False),
        Column("finding", String(64), nullable=False),
        Column("replaces", String(64), nullable=False, default=""),
        Column("before", Text, nullable=False),
        Column("after", Text, nullable=False),
        UniqueConstraint("lab", "student", "item", "version"),
        Index("decisions_of_a_batch", "batch"),
        sqlite_autoincrement=True,
    )


def _requests(metadata: "MetaData") -> "Table":
    """What students asked to be looked at again, and the answers."""
    from sqlalchemy import Column, Integer, String, Table, Text

    return Table(
        "requests",
        metadata,
        Column("id", Integer, primary_key=True),
        Column("lab", String(200), nullable=False),
        Column("student", String(300), nullable=False),
        Column("item", String(200), nullable=False),
        Column("text", Text, nullable=False),
        Column("entered", String(40), nullable=False),
        Column("entered_by", String(200), nullable=False),
        Column("answer", Text),
        Column("answered", String(40)),
        Column("answered_by", String(200)),
        sqlite_autoincrement=True,
    )

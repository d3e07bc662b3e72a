"""Runs, grades and standings, as the first gradebooks had them beside a table with their version."""

from alembic import op
from sqlalchemy import Boolean, Column, Float, ForeignKey, Integer, LargeBinary

from grader.gradebook.store import columns

revision = "0001"
down_revision = None

_INPUTS = ("source", "lab", "truth", "grader", "overrides", "lateness", "identity", "presentation")


def upgrade() -> None:
    """Create the first tables."""
    op.create_table("gradebook", Column("schema_version", Integer, primary_key=True, autoincrement=False))
    op.create_table(
        "runs",
        Column("id", Integer, primary_key=True),
        *columns("started 40, finished? 40, lab 200, lab_sha256 64, truth_sha256 64, grader 200, language 20, options"),
        *columns("class_sha256 64, files"),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "grades",
        Column("id", Integer, primary_key=True),
        Column("run", Integer, ForeignKey("runs.id"), nullable=False),
        *columns("student 300, graded 40, submission_sha256 64"),
        *columns(", ".join(f"{name}_input 200" for name in _INPUTS)),
        *columns("result_sha256 64"),
        *(Column(name, Float, nullable=False) for name in ("score", "pending", "max_score", "late_penalty")),
        Column("needs_review", Boolean, nullable=False),
        *columns("outline"),
        Column("result", LargeBinary, nullable=False),
        sqlite_autoincrement=True,
    )
    op.create_index("grades_of_a_student", "grades", ["student"])
    op.create_table(
        "standings",
        Column("run", Integer, ForeignKey("runs.id"), primary_key=True, autoincrement=False),
        *columns("student 300", primary_key=True),
        Column("grade", Integer, ForeignKey("grades.id"), nullable=False),
        *columns("files"),
    )
    op.create_index("standings_of_a_student", "standings", ["student", "run"])

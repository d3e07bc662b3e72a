"""Runs, grades and standings, as the first gradebooks had them beside a table with their version."""

from alembic import op
from sqlalchemy import Boolean, Column, Float, ForeignKey, Integer, LargeBinary, String, Text

revision = "0001"
down_revision = None

_INPUTS = ("source", "lab", "truth", "grader", "overrides", "lateness", "identity", "presentation")


def upgrade() -> None:
    """From nothing."""
    op.create_table("gradebook", Column("schema_version", Integer, primary_key=True, autoincrement=False))
    op.create_table(
        "runs",
        Column("id", Integer, primary_key=True),
        Column("started", String(40), nullable=False),
        Column("finished", String(40)),
        Column("lab", String(200), nullable=False),
        Column("lab_sha256", String(64), nullable=False),
        Column("truth_sha256", String(64), nullable=False),
        Column("grader", String(200), nullable=False),
        Column("language", String(20), nullable=False),
        Column("options", Text, nullable=False),
        Column("class_sha256", String(64), nullable=False),
        Column("files", Text, nullable=False),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "grades",
        Column("id", Integer, primary_key=True),
        Column("run", Integer, ForeignKey("runs.id"), nullable=False),
        Column("student", String(300), nullable=False),
        Column("graded", String(40), nullable=False),
        Column("submission_sha256", String(64), nullable=False),
        *(Column(f"{name}_input", String(200), nullable=False) for name in _INPUTS),
        Column("result_sha256", String(64), nullable=False),
        Column("score", Float, nullable=False),
        Column("pending", Float, nullable=False),
        Column("max_score", Float, nullable=False),
        Column("late_penalty", Float, nullable=False),
        Column("needs_review", Boolean, nullable=False),
        Column("outline", Text, nullable=False),
        Column("result", LargeBinary, nullable=False),
        sqlite_autoincrement=True,
    )
    op.create_index("grades_of_a_student", "grades", ["student"])
    op.create_table(
        "standings",
        Column("run", Integer, ForeignKey("runs.id"), primary_key=True, autoincrement=False),
        Column("student", String(300), primary_key=True),
        Column("grade", Integer, ForeignKey("grades.id"), nullable=False),
        Column("files", Text, nullable=False),
    )
    op.create_index("standings_of_a_student", "standings", ["student", "run"])

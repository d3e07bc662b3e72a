"""Persons' decisions and students' requests."""

from alembic import op
from sqlalchemy import Column, Integer, UniqueConstraint

from grader.gradebook.store import columns

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    """Add tables to a gradebook that has runs and grades alone."""
    op.create_table(
        "decisions",
        Column("id", Integer, primary_key=True),
        *columns("lab 200, student 300, item 200"),
        Column("version", Integer, nullable=False),
        *columns("action 20, batch 40, undoes 40, status? 20, points? 20, reason, author 200, actor 200, decided 40"),
        *columns("finding 64, replaces 64, before, after"),
        UniqueConstraint("lab", "student", "item", "version"),
        sqlite_autoincrement=True,
    )
    op.create_index("decisions_of_a_batch", "decisions", ["batch"])
    op.create_table(
        "requests",
        Column("id", Integer, primary_key=True),
        *columns("lab 200, student 300, item 200, text, entered 40, entered_by 200"),
        *columns("answer?, answered? 40, answered_by? 200"),
        sqlite_autoincrement=True,
    )

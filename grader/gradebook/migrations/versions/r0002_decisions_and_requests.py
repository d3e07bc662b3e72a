"""Persons' decisions and students' requests."""

from alembic import op
from sqlalchemy import Column, Integer, String, Text, UniqueConstraint

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    """From runs and grades alone."""
    op.create_table(
        "decisions",
        Column("id", Integer, primary_key=True),
        Column("lab", String(200), nullable=False),
        Column("student", String(300), nullable=False),
        Column("item", String(200), nullable=False),
        Column("version", Integer, nullable=False),
        Column("action", String(20), nullable=False),
        Column("batch", String(40), nullable=False),
        Column("undoes", String(40), nullable=False),
        Column("status", String(20)),
        Column("points", String(20)),
        Column("reason", Text, nullable=False),
        Column("author", String(200), nullable=False),
        Column("actor", String(200), nullable=False),
        Column("decided", String(40), nullable=False),
        Column("finding", String(64), nullable=False),
        Column("replaces", String(64), nullable=False),
        Column("before", Text, nullable=False),
        Column("after", Text, nullable=False),
        UniqueConstraint("lab", "student", "item", "version"),
        sqlite_autoincrement=True,
    )
    op.create_index("decisions_of_a_batch", "decisions", ["batch"])
    op.create_table(
        "requests",
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

"""Students read released reports by links, and markers share out the work and look at each other's decisions."""

from alembic import op
from sqlalchemy import Column, Float, ForeignKey, Integer

from grader.gradebook.store import columns

revision = "0006"
down_revision = "0005"


def upgrade() -> None:
    """Add the tables."""
    op.create_table(
        "links",
        Column("id", Integer, primary_key=True),
        *columns("lab 200, student 300, person 300, name 300, email 300"),
        *columns("selector 24", unique=True),
        *columns("verifier 64, issued 40, issued_by 200, revoked? 40, revoked_by? 200"),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "releases",
        Column("id", Integer, primary_key=True),
        *columns("lab 200, student 300, files, released 40, released_by 200, until 40"),
        sqlite_autoincrement=True,
    )
    op.create_index("releases_of_a_student", "releases", ["lab", "student"])
    op.create_table(
        "shares",
        *columns("lab 200, kind 20, subject 300", primary_key=True),
        *columns("marker 200"),
    )
    op.create_table(
        "looks",
        Column("decision", Integer, ForeignKey("decisions.id"), primary_key=True, autoincrement=False),
        *columns("marker 200, outcome, looked 40"),
        Column("share", Float, nullable=False),
    )

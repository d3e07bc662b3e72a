"""Persons assign the sections of hand-ins to questions."""

from alembic import op

from grader.gradebook.store import columns

revision = "0007"
down_revision = "0006"


def upgrade() -> None:
    """Add the column."""
    for column in columns("sections?"):
        op.add_column("decisions", column)

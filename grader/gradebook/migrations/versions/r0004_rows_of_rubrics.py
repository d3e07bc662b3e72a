"""Decisions by rows of a rubric."""

from alembic import op
from sqlalchemy import Column, Text

revision = "0004"
down_revision = "0003"


def upgrade() -> None:
    """Add rows of a rubric to decisions that are a status or points."""
    op.add_column("decisions", Column("rows", Text))

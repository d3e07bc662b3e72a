"""The table with the version of the first gradebooks goes: Alembic keeps the version."""

from alembic import op

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    """Drop the table that held the version before Alembic did."""
    op.drop_table("gradebook")

"""The table with the version of the first gradebooks goes: Alembic keeps the version."""

from alembic import op

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    """From tables whose version stood in a table of their own."""
    op.drop_table("gradebook")

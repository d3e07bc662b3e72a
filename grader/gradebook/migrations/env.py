"""Brings the tables of an open gradebook up to date; Alembic runs this file."""

from alembic import context

context.configure(connection=context.config.attributes["connection"])
context.run_migrations()

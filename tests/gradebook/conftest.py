"""Where gradebooks of tests lie: the same tests run on SQLite and on PostgreSQL."""

import secrets
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.gradebook.servers import new_database, postgresql


@pytest.fixture(scope="session")
def server() -> Iterator[str]:
    """A PostgreSQL server of this process; see `postgresql`."""
    with postgresql() as url:
        yield url


@pytest.fixture(params=["sqlite", "postgresql"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Path | str:
    """A folder for a gradebook in a file, or the URL of an empty database."""
    if request.param == "sqlite":
        return tmp_path
    return new_database(request.getfixturevalue("server"), f"test_{secrets.token_hex(6)}")

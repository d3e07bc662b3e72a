"""A gradebook of each released version is brought up to date, and nothing in it is lost."""

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import inspect, text

from grader.gradebook.decisions import decided_since
from grader.gradebook.keeper import Keeper
from grader.gradebook.store import FILE, MIGRATIONS, REVISION, Database, open_database, standings, stored_bytes, tables
from grader.pipeline.hashes import hash_of
from grader.result import Subject
from tests.factories import result
from tests.gradebook.keeping import LAB, gradebook, kept_run, where

RELEASED = Path(__file__).parent / "released"
"""Gradebooks as released versions wrote them, dumped as SQL, by the migration that describes their tables."""


def differences(database: Database) -> list[Any]:
    """Between the tables that are there and those that this version makes."""
    with database.reading() as connection:
        context = MigrationContext.configure(connection, opts={"compare_type": True})
        return [one for one in compare_metadata(context, tables().metadata) if one]


def revision_of(database: Database) -> str:
    with database.reading() as connection:
        return str(connection.execute(tables().version.select()).scalar_one())


def test_the_last_migration_is_the_version_of_the_tables() -> None:
    scripts = ScriptDirectory(str(MIGRATIONS))
    assert scripts.get_heads() == [REVISION]
    assert {path.stem for path in RELEASED.iterdir()} == {"0001", "0002"}


@pytest.mark.parametrize("version", ["0001", "0002"])
@pytest.mark.parametrize("create", [True, False], ids=["for grading", "for reading"])
def test_a_released_gradebook_is_brought_up_to_date(tmp_path: Path, version: str, create: bool) -> None:
    with closing(sqlite3.connect(tmp_path / FILE)) as connection:
        connection.executescript((RELEASED / f"{version}.sql").read_text(encoding="utf-8"))
    with closing(open_database(tmp_path / FILE, create=create)) as database:
        assert (revision_of(database), differences(database)) == (REVISION, [])
        found = standings(database, LAB)
        assert sorted(found) == ["ada", "zoé"]
        content = stored_bytes(database, found["zoé"].grade.id)
        assert content
        assert b'"id": "zo\xc3\xa9"' in content
        decided = [(one.student, one.verdict.reason) for one in decided_since(database, LAB)]
        assert decided == ([("ada", "It is on page 2.")] if version == "0002" else [])
        for one in decided_since(database, LAB):  # it is bound to the hand-in that was graded then
            sha256 = found[one.student].grade.submission_sha256
            assert Subject.from_text(one.subject).hand_in == f"{hash_of(sha256)[:16]}*"
        kept_run(database, [result("bob")])
        assert sorted(standings(database, LAB)) == ["ada", "bob", "zoé"]


@pytest.mark.parametrize("version", ["0001", "0002"])
def test_a_dry_run_reads_an_older_gradebook_and_leaves_it_as_it_is(tmp_path: Path, version: str) -> None:
    path = tmp_path / FILE
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA journal_mode=WAL")  # as the grader opens it
        connection.executescript((RELEASED / f"{version}.sql").read_text(encoding="utf-8"))
    before = path.read_bytes()
    with Keeper(path, migrate=False) as keeper:
        assert sorted(keeper.standings_for(LAB).standings) == ["ada", "zoé"]
        assert len(keeper.decisions_for(LAB)) == (version == "0002")
    assert path.read_bytes() == before
    assert [entry.name for entry in tmp_path.iterdir()] == [FILE]
    with Keeper(path) as keeper:
        assert sorted(keeper.standings_for(LAB).standings) == ["ada", "zoé"]
    assert path.read_bytes() != before


def steps_to(place: Path | str, version: str) -> None:
    """The tables as the migrations up to one make them."""
    database = gradebook(place)
    with database.writing() as connection:
        tables().metadata.drop_all(connection)
        config = Config(attributes={"connection": connection})
        config.set_main_option("script_location", str(MIGRATIONS))
        command.upgrade(config, version)
        if version != REVISION:  # as it was before Alembic kept the version
            connection.execute(text("INSERT INTO gradebook VALUES (1)"))
            connection.execute(text("DROP TABLE alembic_version"))
    database.close()


@pytest.mark.parametrize("version", ["0001", "0002", REVISION])
def test_all_steps_lead_to_the_tables_of_this_version(place: Path | str, version: str) -> None:
    steps_to(place, version)
    with closing(open_database(where(place), create=False)) as database:
        assert (revision_of(database), differences(database)) == (REVISION, [])
        kept_run(database, [result("ada")])
        assert list(standings(database, LAB)) == ["ada"]


def test_a_step_that_fails_leaves_the_gradebook_as_it_was(place: Path | str) -> None:
    steps_to(place, "0001")
    database = open_without_tables(place)
    with database.writing() as connection:
        connection.execute(text("CREATE TABLE requests (id INTEGER)"))
    with pytest.raises(Exception, match="requests"):
        gradebook(place)
    with database.reading() as connection:
        there = set(inspect(connection).get_table_names())
    assert {"gradebook", "requests"} <= there
    assert not there & {"decisions", "alembic_version"}
    database.close()


def open_without_tables(place: Path | str) -> Database:
    from grader.gradebook.store import _engine

    return Database(*_engine(where(place), 5.0, durable=False))

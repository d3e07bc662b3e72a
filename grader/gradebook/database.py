"""The gradebook's database: tables, concurrent access, error messages. A damaged file is renamed and kept."""

import contextlib
import os
import shutil
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from grader.gradebook import GradebookError

if TYPE_CHECKING:
    from sqlalchemy import Connection, Engine, MetaData, Row, Select, Table

REVISION: Final = "0005"
"""The last of the migrations, which these tables are the outcome of."""
MIGRATIONS: Final = Path(__file__).parent / "migrations"


class Tables(NamedTuple):
    """The tables. `version` is that of Alembic and holds one row, the revision. A standing links a run to the grade
    that held for a student at its end, so that unchanged grades are not copied. Decisions and requests are append-only,
    except for a request's answer. Times are UTC in ISO 8601; hashes are SHA-256 in hexadecimal; `result` is JSON
    compressed with zlib."""

    metadata: "MetaData"
    version: "Table"
    runs: "Table"
    grades: "Table"
    standings: "Table"
    decisions: "Table"
    requests: "Table"
    bindings: "Table"
    names: "Table"


@cache
def tables() -> Tables:
    """The tables, created at the first call because that loads SQLAlchemy."""
    from sqlalchemy import (
        Boolean,
        Column,
        Float,
        ForeignKey,
        Index,
        Integer,
        LargeBinary,
        MetaData,
        PrimaryKeyConstraint,
        String,
        Table,
        Text,
        UniqueConstraint,
    )

    from grader.gradebook.store import Inputs

    metadata = MetaData()
    version = Table(
        "alembic_version",
        metadata,
        Column("version_num", String(32), nullable=False),
        PrimaryKeyConstraint("version_num", name="alembic_version_pkc"),
    )
    runs = Table(
        "runs",
        metadata,
        Column("id", Integer, primary_key=True),
        Column("started", String(40), nullable=False),
        Column("finished", String(40)),
        Column("lab", String(200), nullable=False),
        Column("lab_sha256", String(64), nullable=False),
        Column("truth_sha256", String(64), nullable=False),
        Column("grader", String(200), nullable=False),
        Column("language", String(20), nullable=False),
        Column("options", Text, nullable=False),
        Column("class_sha256", String(64), nullable=False, default=""),
        Column("files", Text, nullable=False, default="{}"),
        sqlite_autoincrement=True,
    )
    grades = Table(
        "grades",
        metadata,
        Column("id", Integer, primary_key=True),
        Column("run", Integer, ForeignKey("runs.id"), nullable=False),
        Column("student", String(300), nullable=False),
        Column("graded", String(40), nullable=False),
        Column("submission_sha256", String(64), nullable=False),
        *(Column(f"{name}_input", String(200), nullable=False) for name in Inputs._fields),
        Column("result_sha256", String(64), nullable=False),
        *(Column(name, Float, nullable=False) for name in ("score", "pending", "max_score", "late_penalty")),
        Column("needs_review", Boolean, nullable=False),
        Column("outline", Text, nullable=False),
        Column("result", LargeBinary, nullable=False),
        Index("grades_of_a_student", "student"),
        sqlite_autoincrement=True,
    )
    standings = Table(
        "standings",
        metadata,
        Column("run", Integer, ForeignKey("runs.id"), primary_key=True, autoincrement=False),
        Column("student", String(300), primary_key=True),
        Column("grade", Integer, ForeignKey("grades.id"), nullable=False),
        Column("files", Text, nullable=False),
        Index("standings_of_a_student", "student", "run"),
    )
    # Persons' decisions about items. The last version for a student's item is in force; one with neither status,
    # points nor rows of a rubric revokes the earlier ones. Rows are their numbers with commas between them.
    decisions = Table(
        "decisions",
        metadata,
        Column("id", Integer, primary_key=True),
        Column("lab", String(200), nullable=False),
        Column("student", String(300), nullable=False),
        Column("item", String(200), nullable=False),
        Column("version", Integer, nullable=False),
        Column("action", String(20), nullable=False),
        Column("batch", String(40), nullable=False),
        Column("undoes", String(40), nullable=False, default=""),
        Column("status", String(20)),
        Column("points", String(20)),
        Column("reason", Text, nullable=False),
        Column("author", String(200), nullable=False),
        Column("actor", String(200), nullable=False),
        Column("decided", String(40), nullable=False),
        Column("finding", String(64), nullable=False),
        Column("replaces", String(64), nullable=False, default=""),
        Column("before", Text, nullable=False),
        Column("after", Text, nullable=False),
        Column("rows", Text),
        Column("subject", String(200), nullable=False, server_default=""),
        Column("about", Text, nullable=False, server_default=""),
        UniqueConstraint("lab", "student", "item", "version"),
        Index("decisions_of_a_batch", "batch"),
        sqlite_autoincrement=True,
    )
    # What entries of overrides.toml, by their marks, were decided on: the answers to which they were first applied.
    bindings = Table(
        "bindings",
        metadata,
        Column("lab", String(200), primary_key=True),
        Column("student", String(300), primary_key=True),
        Column("item", String(200), primary_key=True),
        Column("mark", String(64), primary_key=True),
        Column("subject", String(200), nullable=False),
        Column("about", Text, nullable=False),
    )
    # The id that each hand-in was given, by the name that it was found under.
    names = Table(
        "names",
        metadata,
        Column("lab", String(200), primary_key=True),
        Column("origin", String(1000), primary_key=True),
        Column("student", String(300), nullable=False),
    )
    # Students' requests to look again, and the answers.
    requests = Table(
        "requests",
        metadata,
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
    return Tables(metadata, version, runs, grades, standings, decisions, requests, bindings, names)


FILE: Final = "gradebook.sqlite"
PATIENCE: Final = 30.0
"""Seconds to wait for another process that writes."""

_READING: Final = "grader_reading"
_LOCKED: Final = frozenset({sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED})
_DAMAGED: Final = frozenset({sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB})
_FULL: Final = sqlite3.SQLITE_FULL
_READ_ONLY: Final = sqlite3.SQLITE_READONLY
_UNCLEAR: Final = frozenset({sqlite3.SQLITE_IOERR, sqlite3.SQLITE_CANTOPEN})
"""What SQLite also says where it cannot write the files that it has beside a database."""
_LEAST_ROOM: Final = 64 * 1024
_PRIMARY: Final = 0xFF
_LOCK_NOT_AVAILABLE, _DISK_FULL = "55P03", "53100"
"""Error codes of PostgreSQL (https://www.postgresql.org/docs/current/errcodes-appendix.html)."""
_ONE_WRITER: Final = 7_201_934
"""The number of the lock that writers to a gradebook in PostgreSQL take, in the database of the gradebook."""
_DRIVERS: Final = {"postgresql": "postgresql+pg8000", "postgres": "postgresql+pg8000"}
"""The drivers that are used where a URL names none."""


def way_back(place: str) -> str:
    """What to do where a gradebook cannot be used any more."""
    path = Path(place)
    if path.suffix == "" and "://" in place:
        return "Restore the database from its backup. Nothing was changed."
    named = f"{path.parent}" if path.name == FILE else f"GRADED --gradebook {path}"
    return (
        f"Put a backup of {path.name} back, or run `grade review {named} --restore`: it begins a new gradebook "
        f"with the decisions in {copy_beside(path).name}, or where that is gone with those in the results, and keeps "
        "the old file. Nothing was changed."
    )


def copy_beside(gradebook: Path) -> Path:
    """Where the second copy of the decisions in a gradebook lies."""
    return gradebook.with_name(f"{gradebook.stem}.decisions.toml")


class DamagedGradebookError(GradebookError):
    """A gradebook's file is not a database or is corrupt; `cause` is the database's own message."""

    def __init__(self, place: str, cause: str) -> None:
        super().__init__(f"{place}: this gradebook is damaged ({cause.strip()}). {way_back(place)}")
        self.cause = cause


class Database:
    """An open gradebook. `place` names it in messages, without a password."""

    def __init__(self, engine: "Engine", place: str) -> None:
        self._engine = engine
        self._is_sqlite = engine.dialect.name == "sqlite"
        self._is_postgresql = engine.dialect.name == "postgresql"
        # SQLite reads a snapshot in any transaction.
        self._snapshots = engine if self._is_sqlite else engine.execution_options(isolation_level="REPEATABLE READ")
        self.place = place

    @contextmanager
    def reading(self) -> "Iterator[Connection]":
        """A read transaction on a consistent snapshot. Raises GradebookError."""
        with errors_explained(self.place), self._snapshots.connect() as connection:
            yield connection.execution_options(**{_READING: True})

    def rows(self, query: "Select[Any]") -> "Sequence[Row[Any]]":
        """The rows that a query finds. Raises GradebookError."""
        with self.reading() as connection:
            return connection.execute(query).all()

    @contextmanager
    def writing(self) -> "Iterator[Connection]":
        """An atomic write transaction. Keep it short: other writers wait until it ends, so that what one has read stays
        true, and numbers of rows grow in the order in which others can see them. Raises GradebookError."""
        from sqlalchemy import func, select

        with errors_explained(self.place), self._engine.begin() as connection:
            if self._is_postgresql:
                connection.execute(select(func.pg_advisory_xact_lock(_ONE_WRITER)))
            yield connection

    def close(self) -> None:
        """Close all connections."""
        self._engine.dispose()


def open_database(where: str | Path, *, create: bool, patience: float = PATIENCE, durable: bool = False) -> Database:
    """Opens the gradebook in a file or at an SQLAlchemy URL; an empty one gets its tables if `create` is set, one of an
    older version is brought up to date. Writes to a `durable` gradebook survive a power cut, not only the end of the
    process.

    Raises DamagedGradebookError for a corrupt file, GradebookError for any other problem.
    """
    if isinstance(where, Path) and not create and not where.is_file():
        raise GradebookError(f"{where}: there is no gradebook; grade first, or name the folder of grades with --out.")
    if isinstance(where, Path) and where.is_file() and not where.stat().st_size:
        raise DamagedGradebookError(str(where), "the file is empty")  # SQLite would take it for a new one
    engine, place = _engine(where, patience, durable=durable)
    database = Database(engine, place)
    try:
        _prepare(database, create=create)
    except BaseException:
        database.close()
        raise
    return database


def _engine(where: str | Path, patience: float, *, durable: bool) -> "tuple[Engine, str]":
    from sqlalchemy import URL, create_engine, event, make_url
    from sqlalchemy.exc import ArgumentError, NoSuchModuleError

    try:
        url = URL.create("sqlite", database=str(where)) if isinstance(where, Path) else make_url(where)
        url = url.set(drivername=_DRIVERS.get(url.drivername, url.drivername))
        is_sqlite = url.get_backend_name() == "sqlite"
        if url.get_backend_name() == "postgresql" and url.password is None:  # not every driver looks there itself
            url = url.set(password=os.environ.get("PGPASSWORD"))
        engine = create_engine(
            url, connect_args={"timeout": patience} if is_sqlite else {}, pool_pre_ping=not is_sqlite
        )
    except (ArgumentError, NoSuchModuleError, ValueError) as error:
        raise GradebookError(
            f"--gradebook: this is no database: {error}. Write it as sqlite:///grades.db or "
            "postgresql://user@host/database."
        ) from error
    except ImportError as error:
        raise GradebookError(
            f"--gradebook: the driver of this database is not installed: {error}. For PostgreSQL: "
            "pip install 'lab-grader[postgresql]'."
        ) from error

    def set_up(connection: Any, _: object) -> None:
        """SQLite: a write-ahead log, so that readers do not wait for a writer, and no implicit transactions besides
        those of `_begin`. PostgreSQL: whoever waits for a writer gives up after a while."""
        if is_sqlite:
            connection.isolation_level = None
            for pragma in ("journal_mode=WAL", f"synchronous={'FULL' if durable else 'NORMAL'}", "foreign_keys=ON"):
                connection.execute(f"PRAGMA {pragma}")
        elif url.get_backend_name() == "postgresql":
            with contextlib.closing(connection.cursor()) as cursor:
                cursor.execute(f"SET lock_timeout = {round(patience * 1000)}")
            connection.commit()

    event.listen(engine, "connect", set_up)
    if is_sqlite:
        event.listen(engine, "begin", _begin)
    return engine, str(where) if isinstance(where, Path) else url.render_as_string(hide_password=True)


def _begin(connection: "Connection") -> None:
    """Begins a transaction. A writer takes the lock at once and waits for it: a reader that became a writer later would
    fail without waiting."""
    reading = connection.get_execution_options().get(_READING)
    connection.exec_driver_sql("BEGIN" if reading else "BEGIN IMMEDIATE")


def _prepare(database: Database, *, create: bool) -> None:
    with database.reading() as connection:
        version = _version_in(connection)
    if version == REVISION:
        return
    if not version and not create:
        raise GradebookError(f"{database.place}: it holds no grades; grade first.")
    with database.writing() as connection:
        version = _version_in(connection)  # another process may have been quicker
        if not version:
            known = tables()
            known.metadata.create_all(connection)
            connection.execute(known.version.insert().values(version_num=REVISION))
        elif version != REVISION:
            _bring_up_to_date(connection, database.place, version)


def _version_in(connection: "Connection") -> str:
    """The revision of the tables; empty where there are none. The first gradebooks had a number in a table of their
    own, and no decisions."""
    from sqlalchemy import inspect, select, text

    known, there = tables(), set(inspect(connection).get_table_names())
    if known.version.name in there:
        found = connection.execute(select(known.version.c.version_num)).scalar()
        if found:
            return str(found)
    if "gradebook" not in there:
        return ""
    number = connection.execute(text("SELECT schema_version FROM gradebook")).scalar()
    if number is not None and number > 1:
        return f"{number}"
    return "0002" if known.decisions.name in there else "0001"


def _bring_up_to_date(connection: "Connection", place: str, version: str) -> None:
    """Runs the migrations from a revision on, in the transaction that is open."""
    from alembic import command
    from alembic.config import Config
    from alembic.script import ScriptDirectory

    config = Config(attributes={"connection": connection})
    config.set_main_option("script_location", str(MIGRATIONS).replace("%", "%%"))
    if version not in {one.revision for one in ScriptDirectory.from_config(config).walk_revisions()}:
        raise GradebookError(
            f"{place}: this gradebook was written by a newer version of the grader (its tables are of "
            f"version {version}, this program knows {REVISION}). Update the grader, or choose another --gradebook."
        )
    command.stamp(config, version)
    command.upgrade(config, REVISION)


@contextmanager
def errors_explained(place: str) -> Iterator[None]:
    """Turns errors of the database into GradebookError with a remedy."""
    from sqlalchemy.exc import DBAPIError, SQLAlchemyError

    try:
        yield
    except DBAPIError as error:
        code = (getattr(error.orig, "sqlite_errorcode", None) or 0) & _PRIMARY
        # Each driver of PostgreSQL has the code in another place.
        told = getattr(error.orig, "args", ())
        fields = told[0] if told and isinstance(told[0], dict) else {}
        state = getattr(error.orig, "sqlstate", None) or getattr(error.orig, "pgcode", None) or fields.get("C")
        if code in _DAMAGED:
            raise DamagedGradebookError(place, str(error.orig)) from error
        if code in _LOCKED or state == _LOCK_NOT_AVAILABLE:
            what = "another program is writing to it and does not end; let that finish, then run this again"
        elif code == _READ_ONLY or (code in _UNCLEAR and not os.access(Path(place).parent, os.W_OK)):
            what = "it is read-only; make the file and its folder writable, then run this again"
        elif code == _FULL or state == _DISK_FULL or (code in _UNCLEAR and _is_full(Path(place).parent)):
            what = "the disk is full; make room, then run this again"
        else:
            what = str(fields.get("M", error.orig)).rstrip(".")
        raise GradebookError(f"{place}: the gradebook cannot be used: {what}.") from error
    except SQLAlchemyError as error:
        raise GradebookError(f"{place}: the gradebook cannot be used: {error}.") from error


def _is_full(folder: Path) -> bool:
    """Whether there is no room for the files that SQLite needs beside a database."""
    try:
        return shutil.disk_usage(folder).free < _LEAST_ROOM
    except OSError:
        return False


_BESIDE: Final = ("-wal", "-shm")
"""Suffixes of the files that SQLite writes beside a database."""


def set_aside(path: Path) -> str:
    """Renames a database to the first free name like `gradebook.damaged-1.sqlite`; returns the new name. Raises
    OSError."""
    names = (path.with_name(f"{path.stem}.damaged-{number}{path.suffix}") for number in count(1))
    aside = next(name for name in names if not name.exists())
    with contextlib.suppress(FileNotFoundError):  # another process has renamed it already
        path.rename(aside)
    for ending in _BESIDE:
        with contextlib.suppress(FileNotFoundError):
            path.with_name(path.name + ending).rename(aside.with_name(aside.name + ending))
    return aside.name

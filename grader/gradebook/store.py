"""The gradebook's database: tables, concurrent access, error messages; every run, every grade, which grade held when,
and the hashes of its inputs, in short transactions. A damaged file is renamed and kept.
"""

import contextlib
import hashlib
import json
import os
import shutil
import sqlite3
import tempfile
import zlib
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from enum import StrEnum
from functools import cache
from itertools import count, islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from grader.frozen import Frozen
from grader.gradebook import GradebookError
from grader.gradebook.outline import Outline, outline_of
from grader.result import Result

if TYPE_CHECKING:
    from sqlalchemy import Column, Connection, Engine, MetaData, Row, Select, Table

REVISION: Final = "0007"
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
    links: "Table"
    releases: "Table"
    shares: "Table"
    looks: "Table"


def columns(specification: str, **more: Any) -> "Iterator[Column[str]]":
    """Columns of text from their names, each with its greatest length, if there is one: `lab 200, options`. One with a
    question mark may be empty. `more` are further properties of all of them."""
    from sqlalchemy import Column, String, Text

    for column in specification.split(", "):
        name, _, length = column.partition(" ")
        kind = String(int(length)) if length else Text
        yield Column(name.rstrip("?"), kind, **{"nullable": name.endswith("?"), **more})


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
        Table,
        UniqueConstraint,
    )

    metadata = MetaData()
    version = Table(
        "alembic_version",
        metadata,
        *columns("version_num 32"),
        PrimaryKeyConstraint("version_num", name="alembic_version_pkc"),
    )
    runs = Table(
        "runs",
        metadata,
        Column("id", Integer, primary_key=True),
        *columns("started 40, finished? 40, lab 200, lab_sha256 64, truth_sha256 64, grader 200, language 20, options"),
        *columns("class_sha256 64", default=""),
        *columns("files", default="{}"),
        sqlite_autoincrement=True,
    )
    grades = Table(
        "grades",
        metadata,
        Column("id", Integer, primary_key=True),
        Column("run", Integer, ForeignKey("runs.id"), nullable=False),
        *columns("student 300, graded 40, submission_sha256 64"),
        *columns(", ".join(f"{name}_input 200" for name in Inputs._fields)),
        *columns("result_sha256 64"),
        *(Column(name, Float, nullable=False) for name in ("score", "pending", "max_score", "late_penalty")),
        Column("needs_review", Boolean, nullable=False),
        *columns("outline"),
        Column("result", LargeBinary, nullable=False),
        Index("grades_of_a_student", "student"),
        sqlite_autoincrement=True,
    )
    standings = Table(
        "standings",
        metadata,
        Column("run", Integer, ForeignKey("runs.id"), primary_key=True, autoincrement=False),
        *columns("student 300", primary_key=True),
        Column("grade", Integer, ForeignKey("grades.id"), nullable=False),
        *columns("files"),
        Index("standings_of_a_student", "student", "run"),
    )
    # Persons' decisions about items. The last version for a student's item is in force; one with neither status,
    # points, rows of a rubric nor sections revokes the earlier ones. Rows are their numbers with commas between them,
    # sections JSON.
    decisions = Table(
        "decisions",
        metadata,
        Column("id", Integer, primary_key=True),
        *columns("lab 200, student 300, item 200"),
        Column("version", Integer, nullable=False),
        *columns("action 20, batch 40"),
        *columns("undoes 40", default=""),
        *columns("status? 20, points? 20, reason, author 200, actor 200, decided 40, finding 64"),
        *columns("replaces 64", default=""),
        *columns("before, after, rows?"),
        *columns("subject 200, about", server_default=""),
        *columns("sections?"),
        UniqueConstraint("lab", "student", "item", "version"),
        Index("decisions_of_a_batch", "batch"),
        sqlite_autoincrement=True,
    )
    # What entries of overrides.toml, by their marks, were decided on: the answers to which they were first applied.
    bindings = Table(
        "bindings",
        metadata,
        *columns("lab 200, student 300, item 200, mark 64", primary_key=True),
        *columns("subject 200, about"),
    )
    # The id that each hand-in was given, by the name that it was found under.
    names = Table("names", metadata, *columns("lab 200, origin 1000", primary_key=True), *columns("student 300"))
    # Students' requests to look again, and the answers.
    requests = Table(
        "requests",
        metadata,
        Column("id", Integer, primary_key=True),
        *columns("lab 200, student 300, item 200, text, entered 40, entered_by 200"),
        *columns("answer?, answered? 40, answered_by? 200"),
        sqlite_autoincrement=True,
    )
    # Students' links to their reports. Of the token only `selector` and a hash of the rest are kept.
    links = Table(
        "links",
        metadata,
        Column("id", Integer, primary_key=True),
        *columns("lab 200, student 300, person 300, name 300, email 300"),
        *columns("selector 24", unique=True),
        *columns("verifier 64, issued 40, issued_by 200, revoked? 40, revoked_by? 200"),
        sqlite_autoincrement=True,
    )
    # What students may see. The last row of a student is in force; one without files withdraws the earlier ones.
    releases = Table(
        "releases",
        metadata,
        Column("id", Integer, primary_key=True),
        *columns("lab 200, student 300, files, released 40, released_by 200, until 40"),
        Index("releases_of_a_student", "lab", "student"),
        sqlite_autoincrement=True,
    )
    # Who marks what: `kind` is that of `subject`, an item or a student.
    shares = Table(
        "shares",
        metadata,
        *columns("lab 200, kind 20, subject 300", primary_key=True),
        *columns("marker 200"),
    )
    # Second looks of a moderation at decisions: the share of the points that the first and the second marker give.
    looks = Table(
        "looks",
        metadata,
        Column("decision", Integer, ForeignKey("decisions.id"), primary_key=True, autoincrement=False),
        *columns("marker 200, outcome, looked 40"),
        Column("share", Float, nullable=False),
    )
    return Tables(
        metadata, version, runs, grades, standings, decisions, requests, bindings, names, links, releases, shares, looks
    )


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
    """Return advice for a gradebook that cannot be used any more."""
    path = Path(place)
    if path.suffix == "" and "://" in place:
        return "Restore the database from its backup. Nothing was changed."
    named = f"{path.parent}" if path.name == FILE else f"GRADED --gradebook {path}"
    return (
        f"Restore {path.name} and {copy_beside(path).name} from the same backup, or run `grade serve review {named} "
        f"--restore`: it begins a new gradebook with the decisions in {copy_beside(path).name}, or where that is gone "
        "with those in the results, and keeps the old file. Nothing was changed."
    )


def copy_beside(gradebook: Path) -> Path:
    """Return the path of the second copy of the decisions in a gradebook."""
    return gradebook.with_name(f"{gradebook.stem}.decisions.toml")


class DamagedGradebookError(GradebookError):
    """A gradebook's file is not a database or is corrupt; `cause` is the database's own message."""

    def __init__(self, place: str, cause: str) -> None:
        super().__init__(f"{place}: this gradebook is damaged ({cause.strip()}). {way_back(place)}")
        self.cause = cause


class Database:
    """An open gradebook. `place` names it in messages, without a password. `folder` is removed with it."""

    def __init__(self, engine: "Engine", place: str, folder: tempfile.TemporaryDirectory[str] | None = None) -> None:
        self._engine, self._folder = engine, folder
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
        if self._folder:
            self._folder.cleanup()


def open_database(
    where: str | Path, *, create: bool, patience: float = PATIENCE, durable: bool = False, migrate: bool = True
) -> Database:
    """Opens the gradebook in a file or at an SQLAlchemy URL; an empty one gets its tables if `create` is set, one of an
    older version is brought up to date. Without `migrate`, that happens in a temporary copy of the file, and an older
    database on a server is refused. Writes to a `durable` gradebook survive a power cut, not only the end of the
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
        if not migrate:
            database = _copy_if_older(database, where, patience)
        _prepare(database, create=create)
    except BaseException:
        database.close()
        raise
    return database


def _copy_if_older(database: Database, where: str | Path, patience: float) -> Database:
    """The database itself, if its tables are of this version; otherwise a copy of its file."""
    with database.reading() as connection:
        version = _version_in(connection)
    if version in ("", REVISION):
        return database
    if not isinstance(where, Path):
        raise GradebookError(
            f"{database.place}: this gradebook is of an older version, and a dry run does not migrate it. Back the "
            "database up, then run the command without --dry-run."
        )
    database.close()
    folder = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
    copy = Path(folder.name, where.name)
    with contextlib.closing(sqlite3.connect(where)) as source, contextlib.closing(sqlite3.connect(copy)) as target:
        source.backup(target)
    return Database(_engine(copy, patience, durable=False)[0], database.place, folder)


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
            known_tables = tables()
            known_tables.metadata.create_all(connection)
            connection.execute(known_tables.version.insert().values(version_num=REVISION))
        elif version != REVISION:
            _bring_up_to_date(connection, database.place, version)


def _version_in(connection: "Connection") -> str:
    """The revision of the tables; empty where there are none. The first gradebooks had a number in a table of their
    own, and no decisions."""
    from sqlalchemy import inspect, select, text

    known_tables, there = tables(), set(inspect(connection).get_table_names())
    if known_tables.version.name in there:
        found = connection.execute(select(known_tables.version.c.version_num)).scalar()
        if found:
            return str(found)
    if "gradebook" not in there:
        return ""
    number = connection.execute(text("SELECT schema_version FROM gradebook")).scalar()
    if number is not None and number > 1:
        return f"{number}"
    return "0002" if known_tables.decisions.name in there else "0001"


def _bring_up_to_date(connection: "Connection", place: str, version: str) -> None:
    """Runs the migrations from a revision on, in the transaction that is open."""
    from alembic import command
    from alembic.config import Config
    from alembic.script import ScriptDirectory

    config = Config(attributes={"connection": connection})
    config.set_main_option("script_location", str(MIGRATIONS).replace("%", "%%"))
    if version not in {revision.revision for revision in ScriptDirectory.from_config(config).walk_revisions()}:
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
        arguments = getattr(error.orig, "args", ())
        fields = arguments[0] if arguments and isinstance(arguments[0], dict) else {}
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


if TYPE_CHECKING:
    from sqlalchemy import ColumnElement, Connection, Row, Select, Subquery, Table


class Inputs(NamedTuple):
    """Hashes of all that goes into a student's result and reports.

    `source` covers the names and bytes of the unopened hand-in; `lateness` its time and the resulting penalty;
    `identity` the student's identity; `presentation` language and templates. `lab` is the hash of the lab's files, a
    space, and that of the lab without its stored decisions; a lab of which more is told is another text.
    """

    source: str
    lab: str
    truth: str
    grader: str
    overrides: str
    lateness: str
    identity: str
    presentation: str

    @property
    def digest(self) -> str:
        """One hash of all inputs: a result with an equal digest need not be computed again."""
        return hashlib.sha256("\n".join(self).encode()).hexdigest()


NO_INPUTS = Inputs(*[""] * len(Inputs._fields))
"""The value of an input that was not requested."""


class Reason(StrEnum):
    """The reason why a grade differs from the previous one."""

    SUBMISSION = "submission"
    LAB = "lab"
    TRUTH = "truth"
    GRADER = "grader"
    OVERRIDES = "overrides"
    LATENESS = "lateness"
    ROSTER = "roster"
    REPORTS = "reports"
    FAILURE = "failure"
    AGAIN = "again"


_REASONS = {
    Reason.LAB: "lab",
    Reason.TRUTH: "truth",
    Reason.GRADER: "grader",
    Reason.OVERRIDES: "overrides",
    Reason.LATENESS: "lateness",
    Reason.ROSTER: "identity",
    Reason.REPORTS: "presentation",
}


class Origin(NamedTuple):
    """The inputs of a grade. `submission` is the hash of the accepted files, so that the same files in another archive
    are the same submission; it is empty where grading failed."""

    inputs: Inputs
    submission: str
    failed: bool = False


def reasons(before: Origin, after: Origin) -> tuple[Reason, ...]:
    """Return the differences between the inputs of two grades of a student. `FAILURE`: the grader failed in one of
    them; `AGAIN`: nothing differs."""
    changed = [name for name, field in _REASONS.items() if _version(before, field) != _version(after, field)]
    if before.failed != after.failed:
        changed.append(Reason.FAILURE)
    other_bytes = before.inputs.source != after.inputs.source
    other_files = before.submission != after.submission and not (before.failed or after.failed)
    if other_files or (other_bytes and not changed):
        changed.insert(0, Reason.SUBMISSION)
    return tuple(changed) or (Reason.AGAIN,)


def _version(origin: Origin, field: str) -> str:
    value = getattr(origin.inputs, field)
    return str(value).partition(" ")[0] if field == "lab" else str(value)


Files = Mapping[str, str]
"""SHA-256 of files by name."""


class NewRun(NamedTuple):
    """A new run: the lab, the versions used for grading, and the options."""

    lab: str
    lab_sha256: str
    truth_sha256: str
    grader: str
    language: str
    options: Mapping[str, object]


class Run(Frozen):
    """A run of grading. `finished` is None where it was interrupted or is still in progress.

    `class_sha256` is the hash of the inputs of the class's files, `files`. `students` is the number of students
    covered, `graded` the number of those with a new grade.
    """

    id: int
    started: datetime
    finished: datetime | None
    lab: str
    lab_sha256: str
    truth_sha256: str
    grader: str
    language: str
    options: dict[str, object]
    class_sha256: str = ""
    files: dict[str, str]
    students: int = 0
    graded: int = 0


class StoredGrade(NamedTuple):
    """A stored grade, made by `run` at the time `graded` (UTC)."""

    id: int
    run: int
    student: str
    graded: datetime
    submission_sha256: str
    inputs: Inputs
    result_sha256: str
    outline: Outline

    @property
    def origin(self) -> Origin:
        """The inputs of the grade."""
        return Origin(self.inputs, self.submission_sha256, failed=self.outline.error is not None)


def new_grade(result: Result, inputs: Inputs, result_sha256: str) -> StoredGrade:
    """A submission that was graded now; the gradebook gives its grade a number of its own."""
    return StoredGrade(
        id=0,
        run=0,
        student=result.student.id,
        graded=datetime.now(UTC),
        submission_sha256=result.submission.sha256,
        inputs=inputs,
        result_sha256=result_sha256,
        outline=outline_of(result),
    )


class Standing(NamedTuple):
    """The grade that held for a student at the end of a run, and the files that the run left."""

    grade: StoredGrade
    files: Files


_OWN: Final = ("id", "run", "student", "graded", "submission_sha256", "result_sha256", "outline")
"""The columns of a grade that follow those of its inputs, without the large `result`."""


def runs(connection: "Connection") -> tuple[Run, ...]:
    """All runs, the oldest first."""
    from sqlalchemy import func, select

    known_tables = tables()
    held = known_tables.standings
    covered = select(held.c.run, func.count().label("students")).group_by(held.c.run).subquery()
    made = (
        select(known_tables.grades.c.run, func.count().label("graded")).group_by(known_tables.grades.c.run).subquery()
    )
    query = (
        select(known_tables.runs, covered.c.students, made.c.graded)
        .outerjoin(covered, covered.c.run == known_tables.runs.c.id)
        .outerjoin(made, made.c.run == known_tables.runs.c.id)
        .order_by(known_tables.runs.c.id)
    )
    return tuple(_run(row) for row in connection.execute(query))


def latest(
    connection: "Connection", lab: str, *, until: int | None = None, some: Collection[str] | None = None
) -> dict[str, Standing]:
    """The grades in force by student, of all or of `some`: each from the last run for the lab that covered the student,
    up to run `until`."""
    held = tables().standings
    query = _grades().add_columns(held.c.files).join(held, held.c.grade == tables().grades.c.id)
    found = (standing_of(row) for row in connection.execute(query.join(*_last_runs(lab, until, some))))
    return {standing.grade.student: standing for standing in found}


def _last_runs(
    lab: str, until: int | None, some: Collection[str] | None = None
) -> "tuple[Subquery, ColumnElement[bool]]":
    """The last run of each student, and how it is joined to the standings."""
    from sqlalchemy import and_, func, select

    known_tables = tables()
    held = known_tables.standings
    which = (
        select(held.c.student, func.max(held.c.run).label("run"))
        .join(known_tables.runs)
        .where(known_tables.runs.c.lab == lab)
    )
    if until is not None:
        which = which.where(held.c.run <= until)
    if some is not None:
        which = which.where(held.c.student.in_(some))
    last = which.group_by(held.c.student).subquery()
    return last, and_(last.c.student == held.c.student, last.c.run == held.c.run)


class Place(NamedTuple):
    """The position of a student's grade in force: the number of the run that covered the student last, and that of the
    grade."""

    run: int
    grade: int


def places(connection: "Connection", lab: str, *, until: int | None = None) -> dict[str, Place]:
    """Return the positions of the grades in force, by student; as `latest`, of which a class of any size fits into
    memory."""
    from sqlalchemy import select

    held = tables().standings
    query = select(held.c.student, held.c.run, held.c.grade).join(*_last_runs(lab, until))
    return {row.student: Place(row.run, row.grade) for row in connection.execute(query)}


def standings_at(connection: "Connection", some: Mapping[str, Place]) -> Iterator[Standing]:
    """The standings of a few students, in no order."""
    held = tables().standings
    query = _grades().add_columns(held.c.files).join(held, held.c.grade == tables().grades.c.id)
    for run in sorted({place.run for place in some.values()}):
        run_students = [student for student, place in some.items() if place.run == run]
        found = connection.execute(query.where(held.c.run == run, held.c.student.in_(run_students)))
        yield from map(standing_of, found)


_ASKED_TOGETHER: Final = 500


def grades_by_id(connection: "Connection", ids: Iterable[int]) -> Iterator[StoredGrade]:
    """Grades by their numbers, in no order."""
    wanted = list(ids)
    for start in range(0, len(wanted), _ASKED_TOGETHER):
        some = wanted[start : start + _ASKED_TOGETHER]
        yield from map(_kept, connection.execute(_grades().where(tables().grades.c.id.in_(some))))


def students_of_run(connection: "Connection", run: int) -> set[str]:
    """The students of a run."""
    from sqlalchemy import select

    held = tables().standings
    return set(connection.execute(select(held.c.student).where(held.c.run == run)).scalars())


def grades_of(connection: "Connection", student: str) -> Iterator[tuple[StoredGrade, str]]:
    """All grades of a student, the oldest first, each with its lab."""

    known_tables = tables()
    query = (
        _grades()
        .add_columns(known_tables.runs.c.lab)
        .join(known_tables.runs, known_tables.runs.c.id == known_tables.grades.c.run)
        .where(known_tables.grades.c.student == student)
        .order_by(known_tables.grades.c.id)
    )
    for row in connection.execute(query):
        yield _kept(row), row.lab


def students(connection: "Connection") -> list[str]:
    """Everybody who has a grade."""
    from sqlalchemy import select

    return sorted(connection.execute(select(tables().grades.c.student).distinct()).scalars())


def standing_of(row: "Row[Any]") -> Standing:
    """The standing in a row with a grade and its files."""
    return Standing(_kept(row), json.loads(row.files))


def _grades() -> "Select[Any]":
    """A query of all columns of grades except the large `result`."""
    from sqlalchemy import select

    table = tables().grades
    return select(*(table.c[f"{name}_input"] for name in Inputs._fields), *(table.c[name] for name in _OWN))


def _kept(row: "Row[Any]") -> StoredGrade:
    try:
        outline = Outline.from_json(row.outline)
    except (ValueError, TypeError, LookupError) as error:
        raise GradebookError(f"grade {row.id} in the gradebook is not as this program writes it.") from error
    return StoredGrade(
        id=row.id,
        run=row.run,
        student=row.student,
        graded=datetime.fromisoformat(row.graded),
        submission_sha256=row.submission_sha256,
        inputs=Inputs(*row[: len(Inputs._fields)]),
        result_sha256=row.result_sha256,
        outline=outline,
    )


def _run(row: "Row[Any]") -> Run:
    fields = dict(row._mapping)
    fields |= {name: json.loads(fields[name]) for name in ("options", "files")}
    fields |= {name: fields[name] or 0 for name in ("students", "graded")}
    fields |= {name: datetime.fromisoformat(fields[name]) if fields[name] else None for name in ("started", "finished")}
    return Run(**fields)


def begin_run(database: Database, run: NewRun) -> int:
    """Records a run that begins now; returns its number."""
    row = run._asdict() | {"options": _json(run.options), "started": _now()}
    with database.writing() as connection:
        return _inserted(connection, tables().runs, row)


class GradeToStore(NamedTuple):
    """A grade to be stored: what is known of it, the content of its `result.json`, and its files."""

    grade: StoredGrade
    content: bytes
    files: Files


def grade_to_store(result: Result, inputs: Inputs, files: Files) -> GradeToStore:
    """A result's grade, to be stored."""
    content = result.to_json().encode()
    return GradeToStore(new_grade(result, inputs, hashlib.sha256(content).hexdigest()), content, files)


def keep(database: Database, run: int, lab: str, some: Iterable[GradeToStore]) -> None:
    """Stores grades of a run, some of them at a time; reuses a student's previous grade if its inputs and bytes are the
    same."""
    waiting = iter(some)
    while new := list(islice(waiting, _ASKED_TOGETHER)):
        rows = [(candidate, _grade_row(run, candidate)) for candidate in new]
        with database.writing() as connection:
            known_standings = latest(connection, lab, some=[candidate.grade.student for candidate in new])
            held = []
            for entry, row in rows:
                grade, before = entry.grade, known_standings.get(entry.grade.student)
                if before and (before.grade.inputs, before.grade.result_sha256) == (grade.inputs, grade.result_sha256):
                    number = before.grade.id
                else:
                    number = _inserted(connection, tables().grades, row)
                held.append((grade.student, number, entry.files))
            _insert_standings(connection, run, held)


def keep_standing(database: Database, run: int, standings: Iterable[Standing]) -> None:
    """Records that grades still hold in a run, some of them at a time."""
    waiting = iter(standings)
    while some := [
        (standing.grade.student, standing.grade.id, standing.files) for standing in islice(waiting, _ASKED_TOGETHER)
    ]:
        with database.writing() as connection:
            _insert_standings(connection, run, some)


def finish_run(database: Database, run: int, class_sha256: str, files: Files) -> None:
    """Records the end of a run and the files of the class that it left."""
    runs = tables().runs
    values = {"finished": _now(), "class_sha256": class_sha256, "files": _json(files)}
    with database.writing() as connection:
        connection.execute(runs.update().where(runs.c.id == run).values(**values))


def stored_bytes(database: Database, grade: int) -> bytes | None:
    """The bytes of the `result.json` of a grade; None where there is no such grade."""
    from sqlalchemy import select

    table = tables().grades
    with database.reading() as connection:
        packed = connection.execute(select(table.c.result).where(table.c.id == grade)).scalar()
    return zlib.decompress(packed) if packed else None


def standings(database: Database, lab: str) -> dict[str, Standing]:
    """The grades now in force, by student."""
    with database.reading() as connection:
        return latest(connection, lab)


def names_of(database: Database, lab: str) -> dict[str, str]:
    """The ids that hand-ins were given, by the names that they were found under."""
    table = tables().names
    return {row.origin: row.student for row in database.rows(table.select().where(table.c.lab == lab))}


def keep_names(database: Database, lab: str, names: Mapping[str, str]) -> None:
    """Stores the ids that hand-ins were given; one that is known keeps its id."""
    table = tables().names
    with database.writing() as connection:
        there = set(
            connection.execute(table.select().where(table.c.lab == lab).with_only_columns(table.c.origin)).scalars()
        )
        rows = [{"lab": lab, "origin": name, "student": names[name]} for name in names if name not in there]
        if rows:
            connection.execute(table.insert(), rows)


def _inserted(connection: "Connection", table: "Table", row: Mapping[str, Any]) -> int:
    """Inserts a row; returns its number."""
    key = connection.execute(table.insert().values(**row)).inserted_primary_key
    if key is None:  # every supported database returns it
        raise GradebookError("the database does not tell the number of a new row.")
    return int(key[0])


def _insert_standings(connection: "Connection", run: int, rows: list[tuple[str, int, Files]]) -> None:
    table = tables().standings
    values = [{"run": run, "student": student, "grade": grade, "files": _json(files)} for student, grade, files in rows]
    if values:
        connection.execute(table.insert(), values)


_LEVEL: Final = 3
"""Of compression: results take a tenth more room than at most effort, and half the time."""


def _grade_row(run: int, new: GradeToStore) -> dict[str, Any]:
    grade, outline = new.grade, new.grade.outline
    return {
        "run": run,
        "student": grade.student,
        "graded": _now(),
        "submission_sha256": grade.submission_sha256,
        **{f"{name}_input": value for name, value in grade.inputs._asdict().items()},
        "result_sha256": grade.result_sha256,
        "score": float(outline.score),
        "pending": float(outline.pending),
        "max_score": float(outline.max_score),
        "late_penalty": float(outline.late_penalty),
        "needs_review": outline.needs_review,
        "outline": outline.to_json(),
        "result": zlib.compress(new.content, _LEVEL),
    }


def _json(values: Mapping[str, object]) -> str:
    return json.dumps(values, ensure_ascii=False, sort_keys=True, default=str)


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")

"""Runs in SQLite databases: those of MLflow and of trackio.

A database may be made to harm: its schema can hold views, virtual tables, and columns and conditions that call
functions. It is opened as a file that never changes, only ordinary tables are read, with one plain query each, and an
authorizer refuses whatever that query was not meant to do.
"""

import json
import sqlite3
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import closing, suppress
from itertools import islice
from pathlib import PurePosixPath
from time import process_time
from typing import Any, Final
from urllib.parse import quote

from grader.intake.submission import SubmittedFile
from grader.message import Words, say
from grader.reading.bytes_in import DAMAGED, TOO_LONG
from grader.reading.log import Log
from grader.reading.logs.draft import MOST_SETTINGS
from grader.reading.logs.files import leaves
from grader.reading.logs.written import LONGEST_VALUE, number
from grader.reading.trackers.tracked import (
    LONGEST_NAME,
    MOST_POINTS,
    MOST_RUNS,
    Column,
    TrackedRun,
    column_to_fill,
    columns_of,
    log_of,
    read_in_part,
)

MAGIC: Final = b"SQLite format 3\0"
_LONGEST: Final = 1_000_000
"""Bytes of a value or a row."""
_SECONDS: Final = 4.0
"""Of processor time for all queries."""
_STEPS_BETWEEN: Final = 100_000
_MOST_STEPS: Final = 1e12
_DEEPEST: Final = 5
"""Groups in each other."""
_NAN: Final = float("nan")
_ALLOWED: Final = (sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ)

_Runs = dict[str, TrackedRun]
"""The runs of a database, by what tells them apart there."""


def read_database(file: SubmittedFile, others: Sequence[SubmittedFile] = ()) -> tuple[Log, ...]:
    """The runs in a database, one log each. A write-ahead log among the other files is not read: its records are not in
    the database yet. Never raises for any content."""
    address = f"file:{quote(str(file.location))}?mode=ro&immutable=1"
    problems: tuple[Words, ...] = ()
    tracker, is_cut = "", False
    runs: _Runs = {}
    try:
        with closing(sqlite3.connect(address, uri=True)) as database:
            tracker, runs, is_cut = _kept_in(database)
    except sqlite3.Error:
        problems = (DAMAGED,)
    if len(runs) > MOST_RUNS:
        problems = (*problems, TOO_LONG)
    if not tracker and not problems:
        problems = (say("it is a database of no tracker that the grader knows: export its runs as CSV"),)
    folder = str(PurePosixPath(file.path))
    logs = [log_of(file.path, f"{folder}/{key}", tracker, run) for key, run in list(runs.items())[:MOST_RUNS]]
    logs = logs or [Log(file=file.path, name=folder)]
    logs[0] = logs[0].model_copy(update={"problems": problems})
    for path, reason in _unread(file, others, is_cut=is_cut):
        logs = [read_in_part(log, path, (reason,) if log is logs[0] else ()) for log in logs]
    return tuple(logs)


def _unread(file: SubmittedFile, others: Sequence[SubmittedFile], *, is_cut: bool) -> Iterator[tuple[str, Words]]:
    """The files whose records are not all read, with the reason."""
    if is_cut:
        yield file.path, TOO_LONG
    ahead = next((other.path for other in others if other.path == f"{file.path}-wal" and other.size), None)
    if ahead:
        newest = say(
            "its newest records, in {name}, are not read: export its runs as CSV, and hand that in",
            name=PurePosixPath(ahead).name,
        )
        yield ahead, newest


class _Tables:
    """The tables of a database. `is_cut` once one of them held more rows than are read."""

    def __init__(self, database: sqlite3.Connection) -> None:
        self._database = database
        self.is_cut = False

    def rows(self, table: str, *columns: str) -> Iterator[tuple[Any, ...]]:
        """The rows of a table, with their bytes as text. Raises sqlite3.Error when it is reached."""
        query = f"SELECT {', '.join(columns)} FROM {table}"  # noqa: S608 - both are words of this module
        found = self._database.execute(query)
        for row in islice(found, MOST_POINTS):
            yield tuple(entry.decode("utf-8", "replace") if isinstance(entry, bytes) else entry for entry in row)
        self.is_cut |= found.fetchone() is not None


def _kept_in(database: sqlite3.Connection) -> tuple[str, _Runs, bool]:
    """The tracker whose tables a database holds, the runs in them, and whether some rows are not read; an empty name
    where it is of none. Raises sqlite3.Error."""
    made, tables = _made(database), _Tables(database)
    if {"runs", "metrics", "params", "tags"} <= made.keys():
        return "MLflow", _mlflow(tables), tables.is_cut
    if {"configs", "metrics"} <= made.keys():
        key = "run_id" if "run_id" in made["metrics"] else "run_name"
        return "trackio", _trackio(tables, key), tables.is_cut
    return "", {}, False


def _made(database: sqlite3.Connection) -> dict[str, str]:
    """The ordinary tables by name, each as it was made. From here on, nothing but reading tables is allowed."""
    database.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _LONGEST)
    database.execute("PRAGMA trusted_schema = OFF")
    database.execute("PRAGMA cell_size_check = ON")
    found = database.execute("SELECT name, sql FROM sqlite_master WHERE type = 'table' LIMIT 1000").fetchall()
    database.set_authorizer(lambda action, *_: sqlite3.SQLITE_OK if action in _ALLOWED else sqlite3.SQLITE_DENY)
    deadline = process_time() + _SECONDS
    database.set_progress_handler(lambda: process_time() > deadline, _STEPS_BETWEEN)
    named = ((name, sql) for name, sql in found if isinstance(name, str) and isinstance(sql, str))
    return {name: sql for name, sql in named if sql.upper().startswith("CREATE TABLE ")}


def _mlflow(tables: _Tables) -> _Runs:
    """The runs that were not deleted. Of a name without steps the values are in the order of their times."""
    names = _mlflow_names(tables)
    settings: dict[str, dict[str, str]] = {key: {} for key in names}
    for key, name, value in tables.rows("params", "run_uuid", "key", "value"):
        run_settings = settings.get(str(key))
        if run_settings is not None and len(run_settings) < MOST_SETTINGS:
            run_settings[str(name)[:LONGEST_NAME]] = str(value)[:LONGEST_VALUE]
    columns = _mlflow_columns(tables, names)
    return {key: TrackedRun(name, settings[key], columns[key]) for key, name in names.items()}


def _mlflow_names(tables: _Tables) -> dict[str, str]:
    """The names of the runs that were not deleted."""
    names: dict[str, str] = {}
    for key, name, stage in tables.rows("runs", "run_uuid", "name", "lifecycle_stage"):
        if stage != "deleted" and len(names) <= MOST_RUNS:
            names[str(key)] = str(name or "")
    for key, tag, name in tables.rows("tags", "run_uuid", "key", "value"):
        if str(key) in names and tag == "mlflow.runName" and name:
            names[str(key)] = str(name)
    return names


def _mlflow_columns(tables: _Tables, runs: Collection[str]) -> dict[str, dict[str, Column]]:
    """The columns of each run."""
    points: dict[str, dict[str, list[tuple[float, int, float]]]] = {key: {} for key in runs}
    logged = tables.rows("metrics", "run_uuid", "key", "timestamp", "step", "value", "is_nan")
    for key, name, time, step, value, is_nan in logged:
        is_number = isinstance(value, int | float) and isinstance(time, int | float) and isinstance(step, int)
        of_run = points.get(str(key))
        if of_run is not None and is_number and abs(step) < _MOST_STEPS:
            column = column_to_fill(of_run, str(name), list)
            if column is not None:
                column.append((time, step, _NAN if is_nan else float(value)))
    return {key: {name: column_of(found) for name, found in of_run.items()} for key, of_run in points.items()}


def column_of(points: list[tuple[float, int, float]]) -> Column:
    """A column by MLflow's times, steps and values. Values that were all logged without a step are counted."""
    points.sort(key=lambda point: point[0])
    if len(points) > 1 and all(step == 0 for _, step, _ in points):
        return Column.from_points({number: value for number, (_, _, value) in enumerate(points)})
    return Column.from_points({step: value for _, step, value in points})


def _trackio(tables: _Tables, key: str) -> _Runs:
    """The runs, which a column tells apart. Each row holds in JSON what was logged together."""
    logged: dict[str, dict[str, dict[int, float]]] = {}
    settings: dict[str, tuple[str, dict[str, str]]] = {}
    for run, name, config in tables.rows("configs", key, "run_name", "config"):
        details = {candidate: text for candidate, text in leaves(object_in(config)) if not candidate.startswith("_")}
        settings[str(run)] = str(name), details
    values = 0
    for run, name, step, metrics in tables.rows("metrics", key, "run_name", "step", "metrics"):
        settings.setdefault(str(run), (str(name), {}))
        columns = logged.setdefault(str(run), {})
        content = object_in(metrics)
        found = list(numbers_in(content))
        values += max(1, len(found))
        tables.is_cut |= values > MOST_POINTS
        if tables.is_cut or not isinstance(step, int) or abs(step) >= _MOST_STEPS:
            continue
        for metric, value in found:
            column = column_to_fill(columns, metric, dict)
            if column is not None:
                column[step] = value
    return {run: TrackedRun(*details, columns_of(logged.get(run, {}))) for run, details in settings.items()}


def numbers_in(content: Mapping[str, object], group: str = "", depth: int = 0) -> Iterator[tuple[str, float]]:
    """The numbers in an object by their names, behind those of the groups that they stand in. Trackio keeps not a
    number and infinite as texts."""
    for name, given in content.items():
        value = number(given) if isinstance(given, str) else given
        if isinstance(value, int | float) and not isinstance(value, bool):
            yield f"{group}{name}", float(value)
        elif isinstance(value, dict) and depth < _DEEPEST:
            yield from numbers_in(value, f"{group}{name}/"[:LONGEST_NAME], depth + 1)


def object_in(text: Any) -> dict[str, Any]:
    """The JSON object in a text; empty where there is none."""
    with suppress(ValueError, TypeError, RecursionError):
        content = json.loads(text)
        if isinstance(content, dict):
            return content
    return {}

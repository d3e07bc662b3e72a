"""Runs in SQLite databases: those of MLflow and of trackio.

A database may be made to harm: its schema can hold views, virtual tables, and columns and conditions that call
functions. It is opened as a file that never changes, only ordinary tables are read, with one plain query each, and an
authorizer refuses whatever that query was not meant to do.
"""

import json
import sqlite3
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import closing, suppress
from itertools import islice
from pathlib import PurePosixPath
from time import process_time
from typing import Any, Final
from urllib.parse import quote

from grader.intake.submission import SubmittedFile
from grader.message import Words, say
from grader.reading.bytes_in import storable
from grader.reading.document import Evidence
from grader.reading.log import Log, Setting
from grader.reading.logs.files import leaves
from grader.reading.logs.written import CUT, number
from grader.reading.trackers.tracked import (
    LONGEST_NAME,
    MOST_COLUMNS,
    MOST_POINTS,
    MOST_RUNS,
    Column,
    Tracked,
    columns_of,
    log_of,
)

MAGIC: Final = b"SQLite format 3\0"
_LONGEST: Final = 1_000_000
"""Bytes of a value or a row."""
_SECONDS: Final = 4.0
"""Of processor time for all queries."""
_STEPS_BETWEEN: Final = 100_000
_MOST_STEPS: Final = 1e12
_NAN: Final = float("nan")
_ALLOWED: Final = (sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ)

_Runs = dict[str, Tracked]
"""The runs of a database, by what tells them apart there."""


def read_database(file: SubmittedFile, others: Sequence[SubmittedFile] = ()) -> tuple[Log, ...]:
    """The runs in a database, one log each. A write-ahead log among the other files is not read: its records are not in
    the database yet. Never raises for any content."""
    address = f"file:{quote(str(file.location))}?mode=ro&immutable=1"
    problems: tuple[Words, ...] = ()
    tracker = ""
    runs: _Runs = {}
    try:
        with closing(sqlite3.connect(address, uri=True)) as database:
            tracker, runs = _kept_in(database)
    except sqlite3.Error as error:
        problems = (say("the database is damaged: {error}", error=storable(str(error))[:120]),)
    if len(runs) > MOST_RUNS:
        problems = (*problems, say("it holds more than {most:,} runs; only the first are read", most=MOST_RUNS))
    if not tracker and not problems:
        problems = (say("it is a database of no tracker that the grader knows: export its runs as CSV"),)
    folder = str(PurePosixPath(file.path))
    logs = [log_of(file.path, f"{folder}/{key}", tracker, run) for key, run in list(runs.items())[:MOST_RUNS]]
    logs = logs or [Log(file=file.path, name=folder)]
    ahead = next((one.path for one in others if one.path == f"{file.path}-wal" and one.size), None)
    if ahead:
        place = Evidence(file=ahead, quote=PurePosixPath(ahead).name)
        cut = Setting(name=CUT, value=place.quote, evidence=place)
        logs = [log.model_copy(update={"settings": (*log.settings, cut)}) for log in logs]
        problems = (
            *problems,
            say(
                "its newest records, in {name}, are not read: export its runs as CSV, and hand that in",
                name=place.quote,
            ),
        )
    return (logs[0].model_copy(update={"problems": problems}), *logs[1:])


def _kept_in(database: sqlite3.Connection) -> tuple[str, _Runs]:
    """The tracker whose tables a database holds, and the runs in them; an empty name where it is of none. Raises
    sqlite3.Error."""
    tables = _tables(database)
    if {"runs", "metrics", "params", "tags"} <= tables.keys():
        return "MLflow", _mlflow(database)
    if {"configs", "metrics"} <= tables.keys():
        return "trackio", _trackio(database, "run_id" if "run_id" in tables["metrics"] else "run_name")
    return "", {}


def _tables(database: sqlite3.Connection) -> dict[str, str]:
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


def _rows(database: sqlite3.Connection, table: str, *columns: str) -> Iterator[tuple[Any, ...]]:
    """The rows of a table, with their bytes as text; an error ends them."""
    query = f"SELECT {', '.join(columns)} FROM {table}"  # noqa: S608 - both are words of this module
    for row in islice(database.execute(query), MOST_POINTS):
        yield tuple(one.decode("utf-8", "replace") if isinstance(one, bytes) else one for one in row)


def _mlflow(database: sqlite3.Connection) -> _Runs:
    """The runs that were not deleted. Of a name without steps the values are in the order of their times."""
    names: dict[str, str] = {
        str(key): str(name or "")
        for key, name, stage in _rows(database, "runs", "run_uuid", "name", "lifecycle_stage")
        if stage != "deleted"
    }
    for key, tag, name in _rows(database, "tags", "run_uuid", "key", "value"):
        if str(key) in names and tag == "mlflow.runName" and name:
            names[str(key)] = str(name)
    settings: defaultdict[str, dict[str, str]] = defaultdict(dict)
    for key, name, value in _rows(database, "params", "run_uuid", "key", "value"):
        settings[str(key)][str(name)[:LONGEST_NAME]] = str(value)
    columns = _mlflow_columns(database)
    return {key: Tracked(name, settings[key], columns[key]) for key, name in names.items()}


def _mlflow_columns(database: sqlite3.Connection) -> defaultdict[str, dict[str, Column]]:
    """The columns of each run."""
    points: defaultdict[tuple[str, str], list[tuple[float, int, float]]] = defaultdict(list)
    logged = _rows(database, "metrics", "run_uuid", "key", "timestamp", "step", "value", "is_nan")
    for key, name, time, step, value, is_nan in logged:
        is_number = isinstance(value, int | float) and isinstance(time, int | float) and isinstance(step, int)
        if is_number and abs(step) < _MOST_STEPS:
            points[str(key), str(name)[:LONGEST_NAME]].append((time, step, _NAN if is_nan else float(value)))
    columns: defaultdict[str, dict[str, Column]] = defaultdict(dict)
    for (key, name), found in points.items():
        if len(columns[key]) < MOST_COLUMNS:
            columns[key][name] = column_of(found)
    return columns


def column_of(points: list[tuple[float, int, float]]) -> Column:
    """A column by MLflow's times, steps and values. Values that were all logged without a step are counted."""
    points.sort(key=lambda point: point[0])
    if len(points) > 1 and all(step == 0 for _, step, _ in points):
        return Column.of({number: value for number, (_, _, value) in enumerate(points)})
    return Column.of({step: value for _, step, value in points})


def _trackio(database: sqlite3.Connection, key: str) -> _Runs:
    """The runs, which a column tells apart. Each row holds in JSON what was logged together."""
    logged: dict[str, dict[str, dict[int, float]]] = {}
    settings: dict[str, tuple[str, dict[str, str]]] = {}
    for run, name, config in _rows(database, "configs", key, "run_name", "config"):
        told = {one: text for one, text in leaves(_object(config)) if not one.startswith("_")}
        settings[str(run)] = str(name), told
    values = 0
    for run, name, step, metrics in _rows(database, "metrics", key, "run_name", "step", "metrics"):
        settings.setdefault(str(run), (str(name), {}))
        columns = logged.setdefault(str(run), {})
        content = _object(metrics)
        values += len(content)
        if values > MOST_POINTS or not isinstance(step, int) or abs(step) >= _MOST_STEPS:
            continue
        for one, given in content.items():
            if (value := _number(given)) is not None:
                columns.setdefault(one[:LONGEST_NAME], {})[step] = value
    return {run: Tracked(*told, columns_of(logged.get(run, {}))) for run, told in settings.items()}


def _number(given: object) -> float | None:
    """The number that trackio keeps: not a number and infinite are texts."""
    if isinstance(given, str):
        return number(given)
    return float(given) if isinstance(given, int | float) and not isinstance(given, bool) else None


def _object(text: Any) -> dict[str, Any]:
    """The JSON object in a text; empty where there is none."""
    with suppress(ValueError, TypeError, RecursionError):
        content = json.loads(text)
        if isinstance(content, dict):
            return content
    return {}

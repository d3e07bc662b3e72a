"""Runs that are a folder of small files each: of MLflow's file store, DVCLive, sacred, Lightning's CSV logger and
Ultralytics."""

import csv
from collections.abc import Callable, Mapping
from itertools import islice
from typing import Final

from grader.message import Words
from grader.reading.bytes_in import TOO_LONG, lines_of, text_of
from grader.reading.log import Log
from grader.reading.logs.draft import EPOCHS
from grader.reading.logs.files import leaves, settings_in
from grader.reading.logs.written import number, whole_number
from grader.reading.trackers.databases import column_of, numbers_in, object_in
from grader.reading.trackers.kept import DVCLIVE, LIGHTNING, MLFLOW, SACRED, ULTRALYTICS, RunFolder
from grader.reading.trackers.tracked import (
    MOST_COLUMNS,
    MOST_POINTS,
    Column,
    TrackedRun,
    columns_of,
    log_of,
    read_in_part,
)

_MOST_BYTES: Final = 10_000_000
"""Bytes of all files of a run together."""
_MOST_LINES: Final = 20_000
"""Lines of settings."""

_MEASURED: Final = ("metrics", "results.csv")
"""In the paths of files that hold values, beside those with settings."""

_Texts = Mapping[str, str]
"""The texts of a run's files by their paths in its folder."""


def read_run_folder(folder: RunFolder) -> Log:
    """The run in a folder. Never raises for any content."""
    problems: list[Words] = []
    texts: dict[str, str] = {}
    left = _MOST_BYTES
    for file in folder.files:
        if file.size > left:
            problems.append(TOO_LONG)
            break
        left -= file.size
        text, trouble = text_of(file.location)
        problems += trouble
        texts[file.path[len(folder.path) :].lstrip("/")] = text
    run = _READERS[folder.tracker](texts)
    name = run.name or folder.path
    # The evidence of a value is a file that holds values, not the settings beside it.
    measured = (file.path for file in folder.files if any(part in file.path[len(folder.path) :] for part in _MEASURED))
    path = next(measured, folder.files[0].path)
    log = log_of(path, folder.path, folder.tracker, run._replace(name=name))
    return read_in_part(log, folder.path, problems) if problems else log


def _mlflow(texts: _Texts) -> TrackedRun:
    settings: dict[str, str] = {}
    columns: dict[str, Column] = {}
    for path, text in texts.items():
        kind, _, name = path.partition("/")
        if kind == "params":
            settings[name] = text
        elif kind == "metrics" and len(columns) < MOST_COLUMNS:
            points = []
            for line in lines_of(text)[:MOST_POINTS]:
                time, value, step = map(number, (*line.split(), "", "", "")[:3])
                at = whole_number(str(step if step is not None else 0))
                if time is not None and value is not None and at is not None:
                    points.append((time, at, value))
            columns[name] = column_of(points)
    return TrackedRun(texts.get("tags/mlflow.runName", "").strip(), settings, columns)


def _dvclive(texts: _Texts) -> TrackedRun:
    """Return the values logged for each step, and beside them those that were only set as a result, at the end."""
    curves = [path for path in texts if path.endswith(".tsv")][:MOST_COLUMNS]
    columns = {path.removeprefix("plots/metrics/").removesuffix(".tsv"): _curve(texts[path]) for path in curves}
    end = max((max(column.steps) for column in columns.values() if column.steps), default=0)
    results = {
        name: Column.from_points({end: value})
        for name, value in numbers_in(object_in(texts.get("metrics.json", "")))
        if name != "step"
    }
    return TrackedRun("", _yaml(texts, "params.yaml"), results | columns)


def _curve(text: str) -> Column:
    """The values of a table whose last column holds them."""
    header, *rows = (line.split("\t") for line in lines_of(text)[:MOST_POINTS])
    at = header.index("step") if "step" in header else 0
    points = ((whole_number(row[at]), number(row[-1])) for row in rows if len(row) == len(header))
    return Column.from_points({step: value for step, value in points if step is not None and value is not None})


def _sacred(texts: _Texts) -> TrackedRun:
    experiment = object_in(texts.get("run.json", "")).get("experiment")
    name = experiment.get("name") if isinstance(experiment, dict) else None
    columns: dict[str, Column] = {}
    for metric, content in list(object_in(texts.get("metrics.json", "")).items())[:MOST_COLUMNS]:
        steps, values = (content.get(key) if isinstance(content, dict) else None for key in ("steps", "values"))
        if isinstance(steps, list) and isinstance(values, list):
            points = ((whole_number(str(step)), number(str(value))) for step, value in zip(steps, values, strict=False))
            found = {step: value for step, value in points if step is not None and value is not None}
            columns[metric] = Column.from_points(found)
    return TrackedRun(str(name or ""), dict(leaves(object_in(texts.get("config.json", "")))), columns)


def _lightning(texts: _Texts) -> TrackedRun:
    """The table of the CSV logger. Training and validation stand in different rows of one step."""
    columns = _table(texts.get("metrics.csv", ""), "step")
    return TrackedRun("", _yaml(texts, "hparams.yaml"), columns_of(columns))


def _ultralytics(texts: _Texts) -> TrackedRun:
    """The table with a row for each epoch. Its `metrics` are of validation, `accuracy_top1` is the accuracy."""
    columns = _table(texts.get("results.csv", ""), "epoch")
    columns.pop("time", None)
    curves = {name.replace("metrics/", "val/").removesuffix("_top1"): points for name, points in columns.items()}
    return TrackedRun("", _yaml(texts, "args.yaml") | {"steps_count": EPOCHS}, columns_of(curves))


def _table(text: str, counting: str) -> dict[str, dict[int, float]]:
    """The columns of a table, by name and by what one of them counts."""
    columns: dict[str, dict[int, float]] = {}
    for row in islice(csv.DictReader(lines_of(text), skipinitialspace=True), MOST_POINTS):
        named = {name.strip(): cell for name, cell in row.items() if isinstance(name, str) and isinstance(cell, str)}
        at = whole_number(named.pop(counting, None))
        for name, cell in named.items() if at is not None else ():
            value = number(cell)
            if value is not None and at is not None and (name in columns or len(columns) < MOST_COLUMNS):
                columns.setdefault(name, {})[at] = value
    return columns


def _yaml(texts: _Texts, name: str) -> dict[str, str]:
    settings = settings_in(name, lines_of(texts.get(name, ""))[:_MOST_LINES])
    return {setting.name: setting.value for setting in settings}


_READERS: Final[Mapping[str, Callable[[_Texts], TrackedRun]]] = {
    MLFLOW: _mlflow,
    DVCLIVE: _dvclive,
    SACRED: _sacred,
    LIGHTNING: _lightning,
    ULTRALYTICS: _ultralytics,
}

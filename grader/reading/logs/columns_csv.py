"""Logs as tables with a column for each scalar, as Keras, Lightning and scripts of one's own write them."""

import csv
import re
from collections.abc import Sequence
from pathlib import PurePosixPath
from typing import Final

from grader.intake.submission import SubmittedFile
from grader.message import say
from grader.reading.bytes_in import decoded, lines_of, read_bytes
from grader.reading.evidence import Evidence
from grader.reading.log import Log, Series, Setting, Subset
from grader.reading.logs.epochs import EPOCHS
from grader.reading.logs.written import number, subset_named, whole
from grader.reading.run_names import run_name

MOST_ROWS: Final = 50_000
_MOST_COLUMNS: Final = 60
_STEPS: Final = ("step", "global_step", "update", "num_updates", "iteration", "iter")
_PART: Final = re.compile(
    r"(?:^|[_/. -])(train|training|valid|validation|val|dev|eval|test)(?=$|[_/. -])", re.IGNORECASE
)
_SEPARATORS: Final = "_/. -"


def is_column_log(header: str) -> bool:
    """Whether the first line of a table names a count of steps or epochs, and something else."""
    names = _names(header)
    return (
        len(names) > 1 and names != ["wall time", "step", "value"] and any(name in (*_STEPS, "epoch") for name in names)
    )


def read_column_csv(file: SubmittedFile) -> Log:
    """The series of a table, a column each. Rows without a step are counted. Never raises for any content."""
    data, trouble = read_bytes(file.location)
    text, problems = decoded(data)
    lines = lines_of(text)
    header = lines[0] if lines else ""
    names = _names(header)
    at = next((names.index(name) for name in (*_STEPS, "epoch") if name in names), None)
    rows = list(csv.reader(lines[1 : MOST_ROWS + 1], delimiter=_delimiter(header)))
    series: list[Series] = []
    if at is not None:
        for column, name in enumerate(names[:_MOST_COLUMNS]):
            if column != at and name not in (*_STEPS, "epoch"):
                series += _series(name, names, rows, at, column)
    if not series:
        problems = (*problems, say("the file holds no points"))
    path = PurePosixPath(file.path)
    told = run_name(file.path)
    by_epoch = at is not None and names[at] == "epoch"
    place = Evidence(file=file.path, line=1, quote=header[:120])
    return Log(
        file=file.path,
        name=path.with_suffix("").as_posix(),
        seed=told.seed,
        series=tuple(series),
        settings=(Setting(name="steps_count", value=EPOCHS, evidence=place),) if by_epoch else (),
        problems=(*trouble, *problems),
    )


def _delimiter(header: str) -> str:
    return max(",;\t", key=header.count)


def _names(header: str) -> list[str]:
    return [name.strip().strip("\"'").lower() for name in header.lstrip("\ufeff").split(_delimiter(header))]


def _series(name: str, names: Sequence[str], rows: Sequence[Sequence[str]], at: int, column: int) -> list[Series]:
    """The one series of a column; none where it holds no numbers."""
    points: dict[int, tuple[float, int]] = {}
    for line, row in enumerate(rows, start=2):
        step = whole(row[at]) if len(row) > max(at, column) else None
        value = number(row[column]) if step is not None else None
        if step is not None and value is not None:
            points[step] = (value, line)
    if not points:
        return []
    part = _PART.search(name)
    measure = (name[: part.start()] + name[part.end() :]).strip(_SEPARATORS) if part else name
    subset = subset_named(part[1]) if part else _subset_beside(measure, names)
    tag = f"{subset.value}/{measure}" if subset else measure
    steps = sorted(points)
    return [
        Series(
            tag=tag,
            subset=subset,
            steps=tuple(steps),
            values=tuple(points[step][0] for step in steps),
            lines=tuple(points[step][1] for step in steps),
        )
    ]


def _subset_beside(measure: str, names: Sequence[str]) -> Subset | None:
    """A column that names no part of the data is of training where another one has its name with `val`."""
    beside = any(name != measure and name.endswith(measure) and _PART.search(name) for name in names)
    return Subset.TRAIN if beside else None

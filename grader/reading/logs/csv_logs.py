"""Logs as tables with a column for each scalar, as Keras, Lightning and scripts of one's own write them, and series
that TensorBoard's web page saved as CSV.
"""

import csv
import re
from collections.abc import Callable, Sequence
from pathlib import PurePosixPath
from typing import Final, NamedTuple

from grader.intake.submission import SubmittedFile
from grader.lab.experiments import LogFormat, measured_in
from grader.message import Words, say
from grader.reading.bytes_in import decoded, lines_of, read_bytes
from grader.reading.document import Evidence
from grader.reading.log import Log, Series, Setting, Subset, run_name
from grader.reading.logs.draft import EPOCHS
from grader.reading.logs.written import EXPERIMENT, number, split_called, subset_named, subset_of_split, whole

MOST_ROWS: Final = 50_000
MOST_RUNS: Final = 200
_MOST_COLUMNS: Final = 60
_STEPS: Final = ("step", "global_step", "update", "num_updates", "iteration", "iter")
_EPOCH: Final = "epoch"
_SEEDS: Final = ("seed", "random_seed")
_PART: Final = re.compile(
    r"(?:^|[_/. -])(train|training|valid|validation|val|dev|eval|test)(?=$|[_/. -])", re.IGNORECASE
)
_SEPARATORS: Final = "_/. -"


class _Measured(NamedTuple):
    """A column that holds something measured, on one part of the data or on the part that its row names."""

    column: int
    split: str
    name: str


class Columns(NamedTuple):
    """What the columns of a table hold, by their places from 0. Without steps and epochs each row is measured once,
    after training."""

    measured: tuple[_Measured, ...]
    step: int | None = None
    epoch: int | None = None
    seed: int | None = None
    run: int | None = None
    split: int | None = None
    split_called: Callable[[str], str] = lambda _: ""
    experiment: str = ""

    @property
    def at(self) -> int | None:
        """The index of the column that counts steps or epochs."""
        return self.epoch if self.step is None else self.step


class _Row(NamedTuple):
    line: int
    cells: list[str]


def columns_in(header: str, formats: Sequence[LogFormat] = ()) -> Columns | None:
    """What the columns of a table hold by its first line: as a lab says, else by their own names, of which one must
    count steps or epochs. None for other lines."""
    names = _names(header)
    if len(names) < 2:
        return None
    return next((found for one in formats if (found := _given(names, one))), None) or _inferred(names)


def read_column_csv(file: SubmittedFile, columns: Columns) -> tuple[Log, ...]:
    """The series of a table, a column each: a log for each run where a column names runs or seeds. Rows without a
    step are left out. Never raises for any content."""
    data, trouble = read_bytes(file.location)
    text, problems = decoded(data)
    lines = lines_of(text)
    header = lines[0] if lines else ""
    rows = csv.reader(lines[1 : MOST_ROWS + 1], delimiter=_delimiter(header))
    runs: dict[tuple[str, str], list[_Row]] = {}
    for line, cells in enumerate(rows, start=2):
        key = _cell(cells, columns.run), _cell(cells, columns.seed)
        if key in runs or len(runs) < MOST_RUNS:
            runs.setdefault(key, []).append(_Row(line, cells))
    made = (_log(file.path, header, columns, key, run, alone=len(runs) == 1) for key, run in runs.items())
    logs = [log for log in made if log.series]
    found: tuple[Words, ...] = (*trouble, *problems)
    if not logs:
        empty = Log(file=file.path, name=PurePosixPath(file.path).with_suffix("").as_posix())
        return (empty.model_copy(update={"problems": (*found, say("the file holds no points"))}),)
    return (logs[0].model_copy(update={"problems": found}), *logs[1:])


def _log(path: str, header: str, columns: Columns, key: tuple[str, str], rows: Sequence[_Row], *, alone: bool) -> Log:
    named, seed = key
    title = PurePosixPath(path).with_suffix("").as_posix()
    parts = (title, named, f"seed {seed}" if seed and not alone else "")
    by_epoch = columns.at is not None and columns.step is None
    place = Evidence(file=path, line=1, quote=header[:120])
    told = {"steps_count": EPOCHS if by_epoch else "", EXPERIMENT: columns.experiment}
    return Log(
        file=path,
        name=" ".join(part for part in parts if part),
        seed=whole(seed) if whole(seed) is not None else run_name(path).seed,
        series=tuple(one for measured in columns.measured for one in _series(columns, measured, rows)),
        settings=tuple(Setting(name=name, value=value, evidence=place) for name, value in told.items() if value),
    )


def _series(columns: Columns, measured: _Measured, rows: Sequence[_Row]) -> list[Series]:
    """The series of a column, one for each part of the data; none where it holds no numbers."""
    points: dict[str, dict[int, tuple[float, int]]] = {}
    for line, cells in rows:
        step = whole(_cell(cells, columns.at)) if columns.at is not None else 0
        value = number(_cell(cells, measured.column).strip().removesuffix("%")) if step is not None else None
        if step is not None and value is not None:
            split = measured.split or columns.split_called(_cell(cells, columns.split).strip())
            points.setdefault(split, {})[step] = (value, line)
    return [
        Series(
            tag=f"{split}/{measured.name}" if split else measured.name,
            subset=subset_of_split(split),
            steps=tuple(sorted(of_split)),
            values=tuple(of_split[step][0] for step in sorted(of_split)),
            lines=tuple(of_split[step][1] for step in sorted(of_split)),
        )
        for split, of_split in points.items()
    ]


def _given(names: Sequence[str], one: LogFormat) -> Columns | None:
    """The columns as a lab describes them, where the table has them all."""
    wanted = {name: header.strip().lower() for name, header in one.columns.items()}
    if not wanted or not all(header in names for header in wanted.values()):
        return None
    places = {name: names.index(header) for name, header in wanted.items()}
    measures = [(places[name], measured_in(name, one)) for name in one.measures]
    return Columns(
        measured=tuple(_Measured(at, what.part or "", what.name) for at, what in measures),
        step=None if one.final else places.get("step"),
        epoch=None if one.final else places.get("epoch"),
        seed=places.get("seed"),
        run=places.get("run"),
        split=places.get("split"),
        split_called=lambda name: split_called(name, one),
        experiment=one.experiment,
    )


def _inferred(names: Sequence[str]) -> Columns | None:
    """The columns by their names; None where no column counts, and for what TensorBoard's page writes."""
    steps = next((names.index(name) for name in _STEPS if name in names), None)
    epoch = names.index(_EPOCH) if _EPOCH in names else None
    if (steps is None and epoch is None) or list(names) == ["wall time", "step", "value"]:
        return None
    seed = next((names.index(name) for name in _SEEDS if name in names), None)
    counted = (*_STEPS, *_SEEDS, _EPOCH)
    measured = tuple(
        _measured(name, place, names) for place, name in enumerate(names[:_MOST_COLUMNS]) if name not in counted
    )
    return Columns(measured, steps, epoch, seed)


def _measured(name: str, place: int, names: Sequence[str]) -> _Measured:
    part = _PART.search(name)
    measure = (name[: part.start()] + name[part.end() :]).strip(_SEPARATORS) if part else name
    subset = subset_named(part[1]) if part else _subset_beside(measure, names)
    return _Measured(place, subset.value if subset else "", measure)


def _subset_beside(measure: str, names: Sequence[str]) -> Subset | None:
    """A column that names no part of the data is of training where another one has its name with `val`."""
    beside = any(name != measure and name.endswith(measure) and _PART.search(name) for name in names)
    return Subset.TRAIN if beside else None


def _cell(cells: Sequence[str], column: int | None) -> str:
    return cells[column] if column is not None and column < len(cells) else ""


def _delimiter(header: str) -> str:
    return max(",;\t", key=header.count)


def _names(header: str) -> list[str]:
    return [name.strip().strip("\"'").lower() for name in header.lstrip("\ufeff").split(_delimiter(header))]


HEADER: Final = "Wall time,Step,Value"
MOST_POINTS: Final = 200_000

_SAVED: Final = re.compile(r"run-(.{0,200}?)-tag-(.{1,100}?)(?: ?\(\d{1,3}\))?")
_SUBSET: Final = re.compile(r"(?:^|[._ /-])(train_inner|train|valid|validation|val|dev|eval|test)", re.IGNORECASE)
_TAG: Final = re.compile(r"(?:^|[^a-z])(best_accuracy|accuracy|acc|nll_loss|loss|learning_rate|lr)(?![a-z])")
_TRAINER: Final = re.compile(r"(train|eval|test)_(?=.)")


class _Named(NamedTuple):
    run: str
    subset: Subset | None
    tag: str


class _TensorboardRow(NamedTuple):
    wall_time: float
    value: float
    line: int


def read_tensorboard_csv(file: SubmittedFile) -> Log:
    """The one series of a file. Run, subset and tag are in its name, as far as it is still the one that TensorBoard
    gave it (`run-<run>-tag-<tag>.csv`). Lines that are no points are counted. Never raises for any content."""
    named, told = _named(file.path), run_name(file.path)
    data, trouble = read_bytes(file.location)
    text, problems = decoded(data)
    rows, lost = _rows(lines_of(text))
    if lost:
        problems = (*problems, say("{count} lines are not of the form {form}", count=lost, form=HEADER))
    folder = PurePosixPath(told.folder)
    name = named.run if folder.as_posix() == "." else (folder / named.run).as_posix() if named.run else told.folder
    series = (_tensorboard_series(named, told.subset, rows),) if rows else ()
    if not rows:
        problems = (*problems, say("the file holds no points"))
    seed = told.seed if told.seed is not None else run_name(f"{named.run}/x").seed
    return Log(file=file.path, name=name or ".", seed=seed, series=series, problems=(*trouble, *problems))


def _tensorboard_series(named: _Named, subset: Subset | None, rows: dict[int, _TensorboardRow]) -> Series:
    steps = sorted(rows)
    return Series(
        tag=named.tag,
        subset=named.subset or subset,
        steps=tuple(steps),
        values=tuple(rows[step].value for step in steps),
        wall_times=tuple(rows[step].wall_time for step in steps),
        lines=tuple(rows[step].line for step in steps),
    )


def _named(path: str) -> _Named:
    stem = PurePosixPath(path).name.removesuffix(".csv").removesuffix(".CSV")
    saved = _SAVED.fullmatch(stem)
    run, tag = (saved[1], saved[2]) if saved else (stem, "")
    if not tag:
        found = _TAG.search(path.lower().replace("train_inner", "")[-300:])
        tag = found[1] if found else "value"
    trainer = _TRAINER.match(tag)
    if trainer:
        return _Named(run, subset_named(trainer[1]), f"{trainer[1]}/{tag[trainer.end() :]}")
    ends = [match for match in _SUBSET.finditer(run[-200:]) if match.end() == len(run[-200:])]
    if not ends:
        return _Named(run, None, tag)
    subset = Subset.TRAIN if ends[0][1].lower() == "train_inner" else subset_named(ends[0][1])
    return _Named(run[: len(run) - len(ends[0].group())], subset, tag)


def _rows(lines: list[str]) -> tuple[dict[int, _TensorboardRow], int]:
    """The points by step, and the number of lines that are not points. Of two points of one step, the last one
    counts."""
    rows: dict[int, _TensorboardRow] = {}
    lost = 0
    for line, text in enumerate(lines[1 : MOST_POINTS + 1], start=2):
        cells = text[:200].split(",")
        step = whole(cells[1]) if len(cells) == 3 else None
        time, value = (number(cells[0]), number(cells[2])) if step is not None else (None, None)
        if step is not None and time is not None and value is not None:
            rows[step] = _TensorboardRow(time, value, line)
        else:
            lost += bool(text.strip())
    return rows, lost

"""Any log that is a text file, by what stands in it: printed lines, JSON that training leaves beside a model, settings
in YAML such as hydra's, or tables with a column for each scalar, as Keras, Lightning and scripts of one's own write
them and TensorBoard's web page saves them.
"""

import csv
import json
import re
from collections.abc import Callable, Iterator, Sequence
from itertools import islice, pairwise
from pathlib import PurePosixPath
from typing import Any, Final, NamedTuple

from grader.intake.submission import SubmittedFile
from grader.lab.experiments import LogFormat, measured_in
from grader.message import Message, say, say_number
from grader.reading.bytes_in import TOO_DEEP, invalid_json, lines_of, read_bytes, storable, text_of
from grader.reading.document import Evidence
from grader.reading.log import Log, Series, Setting, Subset, run_name, subset_in
from grader.reading.logs.draft import EPOCHS, MOST_SETTINGS, Draft, Place, Point, series_of
from grader.reading.logs.frameworks import scalars_said
from grader.reading.logs.text import logs_in_text
from grader.reading.logs.written import (
    EXPERIMENT,
    LONGEST_VALUE,
    LoggedSetting,
    Said,
    Statistics,
    number,
    plain_value,
    split_called,
    subset_named,
    subset_of_split,
    whole_number,
)
from grader.reading.terminal import as_shown, from_streams

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


class MeasuredColumn(NamedTuple):
    """A column that holds something measured, on one part of the data or on the part that its row names."""

    column: int
    split: str
    name: str


class Columns(NamedTuple):
    """The meaning of a table's columns, by their places from 0. Without steps and epochs each row is measured once,
    after training. `from_zero`: epochs are counted from 0, and elsewhere from 1."""

    measured: tuple[MeasuredColumn, ...]
    step: int | None = None
    epoch: int | None = None
    seed: int | None = None
    run: int | None = None
    split: int | None = None
    split_called: Callable[[str], str] = lambda _: ""
    experiment: str = ""
    from_zero: bool = False

    @property
    def at(self) -> int | None:
        """The index of the column that counts steps or epochs."""
        return self.epoch if self.step is None else self.step


_Row = tuple[int, list[str]]
"""The number of a line and its cells."""


def columns_in(header: str, formats: Sequence[LogFormat] = ()) -> Columns | None:
    """Return the meaning of a table's columns by its first line: as a lab says, else by their own names, of which one
    must count steps or epochs. None for other lines."""
    names = _names(header)
    if len(names) < 2:
        return None
    return next((found for log_format in formats if (found := _given(names, log_format))), None) or _inferred(names)


def read_column_csv(file: SubmittedFile, columns: Columns) -> tuple[Log, ...]:
    """The series of a table, a column each: a log for each run where a column names runs or seeds. Rows without a
    step are left out. Never raises for any content."""
    text, problems = text_of(file.location)
    lines = lines_of(text)
    header = lines[0] if lines else ""
    rows = list(_rows_below(header, lines[1 : MOST_ROWS + 1]))
    columns = columns._replace(from_zero=_counts_from_zero(_names(header), rows))
    runs: dict[tuple[str, str], list[_Row]] = {}
    for line, cells in enumerate(rows, start=2):
        key = _cell(cells, columns.run), _cell(cells, columns.seed)
        if key in runs or len(runs) < MOST_RUNS:
            runs.setdefault(key, []).append((line, cells))
    made = (_log(file.path, header, columns, key, run, alone=len(runs) == 1) for key, run in runs.items())
    logs = [log for log in made if log.series]
    if not logs:
        name = PurePosixPath(file.path).with_suffix("").as_posix()
        return (Log(file=file.path, name=name, problems=(*problems, say("the file holds no points"))),)
    return (logs[0].model_copy(update={"problems": problems}), *logs[1:])


def _counts_from_zero(names: Sequence[str], rows: Sequence[Sequence[str]]) -> bool:
    """Whether a table is one of Keras's logger: epochs from 0, then all measures by name, those of validation too."""
    _, *measures = names
    are_keras = measures == sorted(measures) and all(name.removeprefix("val_") in measures for name in measures)
    return names[0] == _EPOCH and are_keras and bool(rows) and rows[0][:1] == ["0"]


def _log(path: str, header: str, columns: Columns, key: tuple[str, str], rows: Sequence[_Row], *, alone: bool) -> Log:
    named, seed = key
    title = PurePosixPath(path).with_suffix("").as_posix()
    parts = (title, named, f"seed {seed}" if seed and not alone else "")
    by_epoch = columns.at is not None and columns.step is None
    place = Evidence(file=path, line=1, quote=header[:120])
    settings = {"steps_count": EPOCHS if by_epoch else "", EXPERIMENT: columns.experiment}
    return Log(
        file=path,
        name=" ".join(part for part in parts if part),
        seed=whole_number(seed) if whole_number(seed) is not None else run_name(path).seed,
        series=tuple(series for measured in columns.measured for series in _series(columns, measured, rows)),
        settings=tuple(Setting(name=name, value=value, evidence=place) for name, value in settings.items() if value),
    )


def _series(columns: Columns, measured: MeasuredColumn, rows: Sequence[_Row]) -> list[Series]:
    """The series of a column, one for each part of the data; none where it holds no numbers."""
    points: dict[str, dict[int, Point]] = {}
    for line, cells in rows:
        step = whole_number(_cell(cells, columns.at)) if columns.at is not None else 0
        step = step + 1 if columns.from_zero and step is not None else step
        value = number(_cell(cells, measured.column).strip().removesuffix("%")) if step is not None else None
        if step is not None and value is not None:
            split = measured.split or columns.split_called(_cell(cells, columns.split).strip())
            points.setdefault(split, {})[step] = Point(value, line)
    return [
        series_of(f"{split}/{measured.name}" if split else measured.name, subset_of_split(split), of_split)
        for split, of_split in points.items()
    ]


def _given(names: Sequence[str], log_format: LogFormat) -> Columns | None:
    """The columns as a lab describes them, where the table has them all."""
    wanted = {name: header.strip().lower() for name, header in log_format.columns.items()}
    if not wanted or not all(header in names for header in wanted.values()):
        return None
    places = {name: names.index(header) for name, header in wanted.items()}
    measures = [(places[name], measured_in(name, log_format)) for name in log_format.measures]
    return Columns(
        measured=tuple(MeasuredColumn(at, what.part or "", what.name) for at, what in measures),
        step=None if log_format.final else places.get("step"),
        epoch=None if log_format.final else places.get("epoch"),
        seed=places.get("seed"),
        run=places.get("run"),
        split=places.get("split"),
        split_called=lambda name: split_called(name, log_format),
        experiment=log_format.experiment,
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
        measured_by(name, place, names) for place, name in enumerate(names[:_MOST_COLUMNS]) if name not in counted
    )
    return Columns(measured, steps, epoch, seed)


def measured_by(name: str, place: int, names: Sequence[str]) -> MeasuredColumn:
    """A column by its name in small letters, one of `names`. One that names no part of the data is of training where
    another one has its name with `val`."""
    part = _PART.search(name)
    measure = (name[: part.start()] + name[part.end() :]).strip(_SEPARATORS) if part else name
    # Lightning: `val_acc/dataloader_idx_0` is of the first of several sets, `train_loss_epoch` stands beside its steps.
    measure = measure.removesuffix("/dataloader_idx_0").removesuffix("_epoch")
    if part:
        subset = subset_named(part[1])
    else:
        is_beside = any(other != name and other.endswith(name) and _PART.search(other) for other in names)
        subset = Subset.TRAIN if is_beside else None
    return MeasuredColumn(place, subset.value if subset else "", measure)


def _cell(cells: Sequence[str], column: int | None) -> str:
    return cells[column] if column is not None and column < len(cells) else ""


def _delimiter(header: str) -> str | None:
    """Return the sign between the cells; None if only spaces separate them."""
    most = max(",;\t", key=header.count)
    return most if most in header else None


def _rows_below(header: str, lines: Sequence[str]) -> Iterator[list[str]]:
    """The cells of each line. Where commas do not part them and no point stands in them, a comma is a decimal comma."""
    delimiter = _delimiter(header)
    rows = csv.reader(lines, delimiter=delimiter) if delimiter else (line.split() for line in lines)
    if delimiter == "," or any("." in line for line in lines):
        return iter(rows)
    return ([cell.replace(",", ".") for cell in cells] for cells in rows)


def _names(header: str) -> list[str]:
    return [name.strip().strip("\"'").lower() for name in header.strip().lstrip("\ufeff").split(_delimiter(header))]


HEADER: Final = "Wall time,Step,Value"
MOST_POINTS: Final = 200_000

_SAVED: Final = re.compile(r"run-(.{0,200}?)-tag-(.{1,100}?)(?: ?\(\d{1,3}\))?")
_SUBSET: Final = re.compile(r"(?:^|[._ /-])(train_inner|train|valid|validation|val|dev|eval|test)", re.IGNORECASE)
_TAG: Final = re.compile(r"(?:^|[^a-z])(best_accuracy|accuracy|acc|nll_loss|loss|learning_rate|lr)(?![a-z])")
_TRAINER: Final = re.compile(r"(train|eval|test)_(?=.)")


_Point = tuple[float, float, int]
"""A wall time, a value and the number of its line."""


def read_tensorboard_csv(file: SubmittedFile) -> Log:
    """The one series of a file. Run, subset and tag are in its name, as far as it is still the one that TensorBoard
    gave it (`run-<run>-tag-<tag>.csv`). Lines that are no points are counted. Never raises for any content."""
    (run, subset, tag), name_parts = _named(file.path), run_name(file.path)
    text, problems = text_of(file.location)
    points, lost = _points(lines_of(text))
    if lost:
        problems = (
            *problems,
            say_number(
                "{number} line is not of the form {form}",
                "{number} lines are not of the form {form}",
                lost,
                form=HEADER,
            ),
        )
    folder = PurePosixPath(name_parts.folder)
    name = run if folder.as_posix() == "." else (folder / run).as_posix() if run else name_parts.folder
    series = (_tensorboard_series(tag, subset or name_parts.subset, points),) if points else ()
    if not points:
        problems = (*problems, say("the file holds no points"))
    seed = name_parts.seed if name_parts.seed is not None else run_name(f"{run}/x").seed
    return Log(file=file.path, name=name or ".", seed=seed, series=series, problems=problems)


def _tensorboard_series(tag: str, subset: Subset | None, points: dict[int, _Point]) -> Series:
    steps = sorted(points)
    times, values, lines = zip(*(points[step] for step in steps), strict=True)
    return Series(tag=tag, subset=subset, steps=tuple(steps), values=values, wall_times=times, lines=lines)


def _named(path: str) -> tuple[str, Subset | None, str]:
    """The run, the part of the data and the tag that a file's name tells."""
    stem = PurePosixPath(path).name.removesuffix(".csv").removesuffix(".CSV")
    saved = _SAVED.fullmatch(stem)
    run, tag = (saved[1], saved[2]) if saved else (stem, "")
    if not tag:
        found = _TAG.search(path.lower().replace("train_inner", "")[-300:])
        tag = found[1] if found else "value"
    trainer = _TRAINER.match(tag)
    if trainer:
        return run, subset_named(trainer[1]), f"{trainer[1]}/{tag[trainer.end() :]}"
    ends = [match for match in _SUBSET.finditer(run[-200:]) if match.end() == len(run[-200:])]
    if not ends:
        return run, None, tag
    subset = Subset.TRAIN if ends[0][1].lower() == "train_inner" else subset_named(ends[0][1])
    return run[: len(run) - len(ends[0].group())], subset, tag


def _points(lines: list[str]) -> tuple[dict[int, _Point], int]:
    """The points by step, and the number of lines that are not points. Of two points of one step, the last one
    counts."""
    points: dict[int, _Point] = {}
    lost = 0
    for line, text in enumerate(lines[1 : MOST_POINTS + 1], start=2):
        cells = text[:200].split(",")
        step = whole_number(cells[1]) if len(cells) == 3 else None
        time, value = (number(cells[0]), number(cells[2])) if step is not None else (None, None)
        if step is not None and time is not None and value is not None:
            points[step] = time, value, line
        else:
            lost += bool(text.strip())
    return points, lost


MOST_ENTRIES: Final = 100_000
_MOST_VALUES: Final = 5000
_EVALUATED: Final = "_evaluate_version"
"""What the library `evaluate` writes beside a result."""
_STATE: Final = (
    *("max_steps", "num_train_epochs", "train_batch_size", "global_step", "best_metric", "best_model_checkpoint"),
    *("logging_steps", "eval_steps"),
)
"""What the Trainer's state tells of a run."""


def read_json_log(file: SubmittedFile) -> Log:
    """`trainer_state.json`, `all_results.json` and their like, or a file of arguments. Never raises for any content."""
    name = run_name(file.path)
    text, problems = text_of(file.location)
    try:
        content = json.loads(text)
    except RecursionError:
        content, problems = None, (*problems, TOO_DEEP)
    except ValueError as error:
        problem = invalid_json(error)
        content, problems = None, (*problems, problem)
    names, rows = _table_in(content)
    columns = _inferred(names) if len(names) > 1 else None
    if columns:
        log = _log(file.path, ", ".join(names), columns, ("", ""), [(0, row) for row in rows], alone=True)
        return log.model_copy(update={"problems": problems})
    draft = Draft(Place(file.path))
    title = name.folder
    if isinstance(content, dict):
        _read(draft, content, name.subset or subset_in(PurePosixPath(file.path).stem))
        is_of_own = _EVALUATED in content and bool(_parameters(content))
        title = PurePosixPath(file.path).with_suffix("").as_posix() if is_of_own else title
    log = next(iter(draft.logs(title)), Log(file=file.path, name=title))
    return log.model_copy(update={"seed": name.seed, "problems": problems})


def _table_in(content: Any) -> tuple[list[str], list[list[str]]]:
    """The names and the rows of a course over training: a list of values for each scalar, or an object for each epoch.
    Both empty where JSON holds no such table."""
    entries = _entries_by_epoch(content) if isinstance(content, dict) else content
    if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries[:MOST_ROWS]):
        return [], []
    entries = entries[:MOST_ROWS]
    names = list(dict.fromkeys(name for entry in entries for name in entry))[:_MOST_COLUMNS]
    rows = [[str(entry.get(name, ""))[:LONGEST_VALUE] for name in names] for entry in entries]
    return [storable(name).strip().lower() for name in names], rows


def _entries_by_epoch(scalars: dict[str, Any]) -> list[dict[str, Any]]:
    """An object for each epoch, from a list of values for each scalar; none unless all are lists of one length."""
    columns = [list(scalar.values()) if isinstance(scalar, dict) else scalar for scalar in scalars.values()]
    if not all(isinstance(column, list) for column in columns) or len(set(map(len, columns))) != 1:
        return []
    counted = {_EPOCH: range(1, len(columns[0]) + 1)} | dict(zip(scalars, columns, strict=True))
    return [dict(zip(counted, row, strict=True)) for row in zip(*counted.values(), strict=True)]


def _read(draft: Draft, content: dict[str, Any], subset: Subset | None) -> None:
    """Take in an object: a state of the Trainer, results, or settings. `subset` is the part of the data that the
    file's folder or name tells."""
    history = content.get("log_history")
    if isinstance(history, list):
        _read_state(draft, content, history)
        return
    scalars = _scalars(content)
    statements: list[Said] = list(scalars_said(scalars, final=True))
    if _EVALUATED in content:
        parameters = _parameters(content)
        values = {name: value for name, value in scalars.items() if not name.startswith("_") and name not in parameters}
        statements = [LoggedSetting(name, value, f'"{name}": {value}'[:120]) for name, value in parameters.items()]
        statements += [Statistics("all", subset, values, final=True)] if values else []
    draft.samples = whole_number(str(scalars["eval_samples"])) if "eval_samples" in scalars else None
    for ending in statements:
        draft.add(ending, 0)
    if not statements:
        for path, value in leaves(content):
            draft.add(LoggedSetting(path, value, f'"{path}": {value}'[:120]), 0)


def _parameters(content: dict[str, Any]) -> dict[str, str]:
    """The texts and the seed that are saved beside the measures of a result."""
    return {
        storable(name)[:60]: storable(str(value))[:LONGEST_VALUE]
        for name, value in content.items()
        if not name.startswith("_") and (isinstance(value, str) or name in _SEEDS)
    }


def _read_state(draft: Draft, content: dict[str, Any], history: list[Any]) -> None:
    for key in _STATE:
        value = content.get(key)
        if isinstance(value, str | int | float) and not isinstance(value, bool):
            text = storable(str(value))[:LONGEST_VALUE]
            name = "total_optimization_steps" if key == "max_steps" else key
            draft.add(LoggedSetting(name, text, f'"{key}": {text}'[:120]), 0)
    for entry in history[:MOST_ENTRIES]:
        if isinstance(entry, dict):
            for statement in scalars_said(_scalars(entry)):
                draft.add(statement, 0)


def _scalars(entry: dict[str, Any]) -> dict[str, float]:
    return {
        storable(name)[:60]: float(value)
        for name, value in entry.items()
        if isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < 1e300
    }


def leaves(content: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Names and values at any depth, in order."""
    waiting: list[tuple[str, Any]] = [("", content)]
    for _ in range(_MOST_VALUES):
        if not waiting:
            return
        name, value = waiting.pop()
        if isinstance(value, dict):
            waiting.extend((storable(str(key))[:60], inner) for key, inner in reversed(value.items()))
        elif isinstance(value, list) and len(value) == 1:
            waiting.append((name, value[0]))
        elif isinstance(value, str | int | float) and name and value != "":
            yield name.replace("-", "_"), storable(str(value))[:LONGEST_VALUE]


MOST_BYTES: Final = 1_000_000
_LINE: Final = re.compile(r"\s*(?:- )?([\w./-]{1,100})\s?(?:: |=)\s{0,20}([^\s#].*)")
_KEY: Final = re.compile(r"\s*([\w./-]{1,100}):\s*")
_ITEM: Final = re.compile(r"\s*- +([^\s:=#][^:=#]*)")
_NOTHING: Final = frozenset({"null", "~", "None", "???", "''", '""', "[]", "{}"})


def read_settings_file(file: SubmittedFile) -> Log:
    """The settings in a file, line by line, at any depth by the last part of their name. A list of one value is that
    value. Anchors, block texts and whatever else YAML knows are not read. Never raises for any content."""
    name = run_name(file.path)
    text, problems = text_of(file.location, MOST_BYTES)
    settings = tuple(islice(settings_in(file.path, lines_of(text)), MOST_SETTINGS))
    return Log(file=file.path, name=name.folder, seed=name.seed, settings=settings, problems=problems)


def settings_in(file: str, lines: list[str]) -> Iterator[Setting]:
    """The settings that the lines of a file tell."""
    key = ""
    for row, line in enumerate(lines, start=1):
        line = line[:1000]
        item = _ITEM.fullmatch(line)
        found = _LINE.fullmatch(line)
        name, value = (key, item[1]) if item and key else (found[1], found[2]) if found else ("", "")
        opened = _KEY.fullmatch(line)
        key = opened[1] if opened else ""
        value = value.strip()
        if name and value not in _NOTHING:
            yield Setting(
                name=re.split(r"[./]", name)[-1].replace("-", "_"),
                value=plain_value(value)[:LONGEST_VALUE],
                evidence=Evidence(file=file, line=row, quote=line.strip()[:120]),
            )


_ANSI: Final = re.compile(r"\x1b\[[0-?]{0,30}[ -/]{0,8}[@-~]")
_SETTINGS: Final = (".yaml", ".yml")
_DIGIT: Final = re.compile(r"\d")
_LOOKED_AT: Final = 1_000_000
_FIGURE: Final = re.compile(r"\d+(?:\.\d+)?")
_COUNTED: Final = re.compile(r"\D{0,20}(\d{1,7})(?![\d.:-]).{1,80}?\d\.\d")
_FEWEST_LINES: Final = 3
"""So many lines with an epoch and a measure make a text a training log."""


def read_log_file(file: SubmittedFile, formats: Sequence[LogFormat] = ()) -> tuple[Log, ...]:
    """The logs in a text file: the Trainer's JSON, a table from TensorBoard or a logger, settings in YAML, or what a
    script printed, where several runs may follow each other. `formats` are further ones that the lab describes, for
    this file. Problems are in the first log; a file without any run gives one log without series. Never raises for any
    content."""
    suffix = PurePosixPath(file.path).suffix.lower()
    header, below, *_ = (*lines_of(text_of(file.location, 4_000).text)[:2], "", "")
    if suffix == ".csv" or any(log_format.columns for log_format in formats) or _is_table(header, below):
        columns = columns_in(header, formats)
        if columns:
            return read_column_csv(file, columns)
        if suffix == ".csv":
            return (read_tensorboard_csv(file),)
    if suffix in _SETTINGS:
        return (read_settings_file(file),)
    if suffix == ".json" and not _has_entries(file):
        return (read_json_log(file),)
    text, problems = text_of(file.location)
    name = PurePosixPath(file.path).with_suffix("").as_posix()
    text = from_streams(text)
    shown = as_shown(text) if "\n" in text else _ANSI.sub("", text)
    found = logs_in_text(lines_of(shown), file.path, name, formats=formats)
    first = found[0] if found else Log(file=file.path, name=name, problems=_nothing_found(text))
    return (first.model_copy(update={"problems": (*problems, *first.problems)}), *found[1:])


def _has_entries(file: SubmittedFile) -> bool:
    """Whether each line is an object of its own."""
    data, _ = read_bytes(file.location, 20_000)
    lines = [line.strip() for line in data.split(b"\n")[:2]]
    return len(lines) == 2 and all(line.startswith(b"{") and line.endswith(b"}") for line in lines)


def _nothing_found(text: str) -> tuple[Message, ...]:
    """Return the remark that a text speaks of epochs and losses, or counts and measures line by line, and yet no run
    was found in it."""
    lines = [line.lower() for line in text[:_LOOKED_AT].split("\n")]
    speaking = sum(
        "epoch" in line and ("loss" in line or "acc" in line) and bool(_DIGIT.search(line)) for line in lines
    )
    if speaking < _FEWEST_LINES and not _counts(lines):
        return ()
    return (say("it looks like a training log, but no figures by step or epoch were recognised in it"),)


def _counts(lines: list[str]) -> bool:
    """Whether some lines differ in their figures only: a whole number that grows evenly, then one with a point."""
    alike: dict[str, list[int]] = {}
    for line in lines:
        figures = _COUNTED.match(line)
        if figures:
            alike.setdefault(_FIGURE.sub("0", line), []).append(int(figures[1]))
    steps = ({b - a for a, b in pairwise(counted)} for counted in alike.values() if len(counted) >= _FEWEST_LINES)
    return any(len(step) == 1 and min(step) > 0 for step in steps)


def _is_table(header: str, below: str) -> bool:
    """Whether a line names columns, and the next one holds a number for the first of them and a cell for each."""
    names, cells = _names(header), next(_rows_below(header, [below]), [])
    return len(names) == len(cells) > 1 and number(cells[0]) is not None and not any(map(_DIGIT.search, names))

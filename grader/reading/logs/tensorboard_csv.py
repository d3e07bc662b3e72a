"""Series that TensorBoard's web page saved as CSV: `Wall time,Step,Value` and a line for each point."""

import re
from pathlib import PurePosixPath
from typing import Final, NamedTuple

from grader.intake.submission import SubmittedFile
from grader.message import say
from grader.reading.bytes_in import decoded, lines_of, read_bytes
from grader.reading.log import Log, Series, Subset
from grader.reading.logs.written import number, subset_named, whole
from grader.reading.run_names import run_name

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


class _Row(NamedTuple):
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
    series = (_series(named, told.subset, rows),) if rows else ()
    if not rows:
        problems = (*problems, say("the file holds no points"))
    seed = told.seed if told.seed is not None else run_name(f"{named.run}/x").seed
    return Log(file=file.path, name=name or ".", seed=seed, series=series, problems=(*trouble, *problems))


def _series(named: _Named, subset: Subset | None, rows: dict[int, _Row]) -> Series:
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


def _rows(lines: list[str]) -> tuple[dict[int, _Row], int]:
    """The points by step, and how many lines are none. Of two points of one step the last counts."""
    rows: dict[int, _Row] = {}
    lost = 0
    for line, text in enumerate(lines[1 : MOST_POINTS + 1], start=2):
        cells = text[:200].split(",")
        step = whole(cells[1]) if len(cells) == 3 else None
        time, value = (number(cells[0]), number(cells[2])) if step is not None else (None, None)
        if step is not None and time is not None and value is not None:
            rows[step] = _Row(time, value, line)
        else:
            lost += bool(text.strip())
    return rows, lost

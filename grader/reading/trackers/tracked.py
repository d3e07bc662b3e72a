"""A run as a tracker keeps it, and the log that it is for the rest of the grader."""

from bisect import bisect_right
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import PurePosixPath
from typing import Final, NamedTuple

from grader.reading.bytes_in import storable
from grader.reading.document import Evidence
from grader.reading.log import Log, Series, Setting, Subset, run_name, subset_of_tag
from grader.reading.logs.draft import EPOCHS, MOST_SETTINGS
from grader.reading.logs.files import measured_by
from grader.reading.logs.written import LONGEST_VALUE, plain, subset_of_split

MOST_POINTS: Final = 1_000_000
"""Values of one file; a run of the lab has some hundreds."""
MOST_COLUMNS: Final = 1_000
LONGEST_NAME: Final = 200
MOST_RUNS: Final = 300

_UPDATES: Final = ("train/global_step", "trainer/global_step", "global_step", "num_updates", "update", "step")
_EPOCH: Final = ("epoch", "train/epoch", "trainer/epoch")
_SEEDS: Final = ("random_seed", "global_seed", "manual_seed")
_MOST_COUNTED: Final = 1e12
_FEWEST: Final = 2

Column = dict[int, float]
"""The values of one name by the tracker's own step."""


class Tracked(NamedTuple):
    """A run as a tracker keeps it: its name there, its settings, and a column of values for each name. Some trackers
    count calls where a program gives them no step."""

    name: str
    settings: Mapping[str, str]
    columns: Mapping[str, Column]


def log_of(file: str, folder: str, tracker: str, run: Tracked) -> Log:
    """The log of a run, whose `folder` tells it from any other."""
    columns = {name: column for name, column in run.columns.items() if column and not name.startswith("_")}
    counting = {
        name.lower(): {step: value for step, value in column.items() if abs(value) < _MOST_COUNTED}
        for name, column in columns.items()
        if name.lower() in (*_UPDATES, *_EPOCH)
    }
    measured = {name: column for name, column in columns.items() if name.lower() not in counting}
    step_of, by_epoch = _counted(measured, counting, counts_calls=_counts_calls(columns.values()))
    names = [name.lower() for name in measured]
    series = (_series(name, column, names, step_of(column)) for name, column in measured.items())
    told = {_setting(name): value for name, value in run.settings.items()}
    if by_epoch:
        told["steps_count"] = EPOCHS
    place = f"{tracker}, {run.name}" if run.name else tracker
    settings = (
        Setting(name=name, value=value, evidence=Evidence(file=file, tag=place, quote=f"{name}: {value}"[:120]))
        for name, text in list(told.items())[:MOST_SETTINGS]
        if name and (value := plain(storable(text))[:LONGEST_VALUE])
    )
    return Log(
        file=file,
        name=folder,
        seed=run_name(f"{run.name}/x").seed,
        series=tuple(series),
        settings=tuple(settings),
        tracker=tracker,
        run=storable(run.name)[:LONGEST_NAME],
    )


def _setting(name: str) -> str:
    """A setting's name without the groups that it lies in."""
    last = PurePosixPath(storable(name).replace(".", "/")).name.replace("-", "_")[:LONGEST_NAME]
    return "seed" if last.lower() in (*_SEEDS, "seed") else last


def _counted(
    measured: Mapping[str, Column], counting: Mapping[str, Column], *, counts_calls: bool
) -> tuple[Callable[[Column], Sequence[int]], bool]:
    """How the steps of a column are counted: by the updates that were logged beside it or before, else as the tracker
    was told; and whether epochs stand for updates. Where calls were counted and evaluations of one epoch have a call
    each, they are put together by the epoch, or else by their order."""
    evaluated = [column for name, column in measured.items() if _evaluates(name)]
    is_parted = counts_calls and len({tuple(column) for column in evaluated}) > 1
    named = (name for name in (*_UPDATES, *(_EPOCH if is_parted else ())) if name in counting)
    found = ((name, counted) for name in named if (counted := _counts(counting[name])))
    name, counted = next(found, ("", []))
    if counted:
        at = sorted(counting[name])
        return lambda column: [counted[max(0, bisect_right(at, step) - 1)] for step in column], name in _EPOCH
    if is_parted and len({len(column) for column in evaluated}) == 1:
        return lambda column: range(1, len(column) + 1), True
    last = max((max(column) for column in measured.values()), default=0)
    # A value without a step, beside others that have theirs, was logged at the end.
    return lambda column: [last] if list(column) == [0] else list(column), False


def _counts(column: Column) -> list[int]:
    """What a column that only grows counts, in hundredths where epochs are fractions; empty for any other one."""
    values = [column[step] for step in sorted(column)]
    scale = 1 if all(value % 1 == 0 for value in values) else 100
    return [round(value * scale) for value in values] if len(values) >= _FEWEST and values == sorted(values) else []


def _counts_calls(columns: Iterable[Column]) -> bool:
    """Whether steps are numbers of calls: then each from the first to the last is there."""
    steps = set().union(*columns)
    return bool(steps) and len(steps) == max(steps) - min(steps) + 1


def _evaluates(name: str) -> bool:
    return measured_by(name.lower(), 0, ()).split in (Subset.VALID, Subset.TEST)


def _series(name: str, column: Column, names: Sequence[str], steps: Sequence[int]) -> Series:
    """The series of a column. Names that begin with a part of the data stay as they are; of several values of one step
    the last counts."""
    points = dict(sorted(zip(steps, column.values(), strict=True), key=lambda point: point[0]))
    subset, tag = subset_of_tag(name), storable(name)[:LONGEST_NAME]
    if subset is None:
        measured = measured_by(name.lower(), 0, names)
        subset = subset_of_split(measured.split)
        tag = f"{measured.split}/{measured.name}" if subset else tag
    return Series(tag=tag, subset=subset, steps=tuple(points), values=tuple(points.values()))

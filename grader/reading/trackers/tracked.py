"""A run as a tracker keeps it, and the log that it is for the rest of the grader."""

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import PurePosixPath
from typing import Final, NamedTuple

from grader.reading.bytes_in import storable
from grader.reading.document import Evidence
from grader.reading.log import Log, Series, Setting, Subset, run_name, subset_of_tag
from grader.reading.logs.draft import EPOCHS, HUNDREDTHS, MOST_SETTINGS
from grader.reading.logs.files import measured_by
from grader.reading.logs.written import LONGEST_VALUE, plain, subset_of_split

MOST_POINTS: Final = 1_000_000
"""Values of one file; a run of the lab has some hundreds."""
MOST_COLUMNS: Final = 1_000
LONGEST_NAME: Final = 200
MOST_RUNS: Final = 300

_UPDATES: Final = ("train/global_step", "trainer/global_step", "global_step", "num_updates", "update", "step")
_EPOCH: Final = ("epoch", "train/epoch", "trainer/epoch")
_SEEDS: Final = ("seed", "random_seed", "global_seed", "manual_seed")
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
    # Keras groups by when: `epoch/val_accuracy` is measured after an epoch.
    columns = {
        name.removeprefix("epoch/"): column for name, column in run.columns.items() if column and name[:1] != "_"
    }
    counting = {name.lower(): column for name, column in columns.items() if name.lower() in (*_UPDATES, *_EPOCH)}
    measured = {name: column for name, column in columns.items() if name.lower() not in counting}
    step_of, by_epoch = _counted(measured, counting, counts_calls=_counts_calls(columns.values()))
    names = list(map(str.lower, measured))
    told = {**run.settings, "steps_count": _unit_of_epochs(counting)} if by_epoch else run.settings
    place = Evidence(file=file, tag=f"{tracker}, {run.name}" if run.name else tracker, quote="")
    return Log(
        file=file,
        name=folder,
        seed=run_name(f"{run.name}/x").seed,
        series=tuple(_series(name, column, names, step_of(column)) for name, column in measured.items()),
        settings=tuple(islice(_settings(told, place), MOST_SETTINGS)),
        tracker=tracker,
        run=storable(run.name)[:LONGEST_NAME],
    )


def _unit_of_epochs(counting: Mapping[str, Column]) -> str:
    """What steps count where epochs stand for updates: hundredths where any epoch is a fraction."""
    is_fraction = any(value % 1 for name in _EPOCH for value in counting.get(name, {}).values())
    return HUNDREDTHS if is_fraction else EPOCHS


def _settings(told: Mapping[str, str], place: Evidence) -> Iterator[Setting]:
    """The settings, each under its name without the groups that it lies in."""
    for path, text in told.items():
        name = PurePosixPath(storable(path).replace(".", "/")).name.replace("-", "_")[:LONGEST_NAME]
        value = plain(storable(text))[:LONGEST_VALUE]
        if name and value:
            known = "seed" if name.lower() in _SEEDS else name
            yield Setting(
                name=known, value=value, evidence=place.model_copy(update={"quote": f"{name}: {value}"[:120]})
            )


def _counted(
    measured: Mapping[str, Column], counting: Mapping[str, Column], *, counts_calls: bool
) -> tuple[Callable[[Column], Sequence[int]], bool]:
    """How the steps of a column are counted: by the updates that were logged beside it or before, else as the tracker
    was told; and whether epochs stand for updates. Where calls were counted and evaluations of one epoch have a call
    each, they are put together by the epoch, or else by their order."""
    evaluated = [tuple(column) for name, column in measured.items() if _evaluates(name)]
    is_parted = counts_calls and len(set(evaluated)) > 1
    names = (*_UPDATES, *_EPOCH) if is_parted else _UPDATES
    name = next((one for one in names if _counts(counting.get(one, {}))), None)
    if name is not None:
        at, counted = sorted(counting[name]), _counts(counting[name])
        return lambda column: [counted[max(0, bisect_right(at, step) - 1)] for step in column], name in _EPOCH
    if is_parted and len(set(map(len, evaluated))) == 1:
        return lambda column: range(1, len(column) + 1), True
    last = max(map(max, measured.values()), default=0)
    # A value without a step, beside others that have theirs, was logged at the end.
    return lambda column: [last] if list(column) == [0] else list(column), False


def _counts(column: Column) -> list[int]:
    """What a column that only grows counts, in hundredths where epochs are fractions; empty for any other one."""
    values = [column[step] for step in sorted(column)]
    if len(values) < _FEWEST or values != sorted(values) or not all(abs(value) < _MOST_COUNTED for value in values):
        return []
    scale = 1 if all(value % 1 == 0 for value in values) else 100
    return [round(value * scale) for value in values]


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

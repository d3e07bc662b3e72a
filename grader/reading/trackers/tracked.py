"""A run as a tracker keeps it, and the log that it is for the rest of the grader."""

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import islice
from operator import itemgetter, le, lt
from pathlib import PurePosixPath
from typing import Final, NamedTuple, Self, TypeVar

from grader.message import Words
from grader.reading.bytes_in import storable
from grader.reading.document import Evidence
from grader.reading.log import Log, Series, Setting, Subset, run_name, subset_of_tag
from grader.reading.logs.draft import EPOCHS, HUNDREDTHS, MOST_SETTINGS
from grader.reading.logs.files import measured_by
from grader.reading.logs.written import CUT, LONGEST_VALUE, plain_value, subset_of_split
from grader.reading.numbers import Numbers

Filled = TypeVar("Filled")

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


class Column(NamedTuple):
    """The values of one name by the tracker's own steps, each of which stands once, in the order of logging. Columns
    that were logged together may share their steps."""

    steps: "array[int]"
    values: "array[float]"

    @classmethod
    def from_points(cls, points: Mapping[int, float]) -> Self:
        """The column of values by step."""
        return cls(array("q", points), array("d", points.values()))


def columns_of(points: Mapping[str, Mapping[int, float]]) -> dict[str, Column]:
    """The columns of values by name and step."""
    return {name: Column.from_points(by_step) for name, by_step in points.items()}


def column_to_fill(columns: dict[str, Filled], name: str, empty: Callable[[], Filled]) -> Filled | None:
    """The column with a name, which is made where there is none yet; None where there are as many as are kept."""
    name = name[:LONGEST_NAME]
    if name not in columns and len(columns) < MOST_COLUMNS:
        columns[name] = empty()
    return columns.get(name)


class TrackedRun(NamedTuple):
    """A run as a tracker keeps it: its name there, its settings, and a column of values for each name. Some trackers
    count calls where a program gives them no step."""

    name: str
    settings: Mapping[str, str]
    columns: Mapping[str, Column]


def log_of(file: str, folder: str, tracker: str, run: TrackedRun) -> Log:
    """The log of a run, whose `folder` tells it from any other."""
    # Keras groups by when: `epoch/val_accuracy` is measured after an epoch.
    columns = {
        name.removeprefix("epoch/"): column for name, column in run.columns.items() if column.steps and name[:1] != "_"
    }
    counting = {name.lower(): column for name, column in columns.items() if name.lower() in (*_UPDATES, *_EPOCH)}
    measured = {name: column for name, column in columns.items() if name.lower() not in counting}
    step_of, by_epoch = _counted(measured, counting)
    names = list(map(str.lower, measured))
    settings = {**run.settings, "steps_count": _unit_of_epochs(counting)} if by_epoch else run.settings
    place = Evidence(file=file, tag=f"{tracker}, {run.name}" if run.name else tracker, quote="")
    counted = {id(steps): _Counted.from_steps(step_of(steps)) for steps in _distinct(measured.values())}
    return Log(
        file=file,
        name=folder,
        seed=run_name(f"{run.name}/x").seed,
        series=tuple(_series(name, column, names, counted[id(column.steps)]) for name, column in measured.items()),
        settings=tuple(islice(_settings(settings, place), MOST_SETTINGS)),
        tracker=tracker,
        run=storable(run.name)[:LONGEST_NAME],
    )


def read_in_part(log: Log, file: str, problems: Iterable[Words]) -> Log:
    """A log with the problems for which something of its run was not read, in a file that is named as the evidence:
    what is missing there contradicts nothing."""
    name = PurePosixPath(file).name
    cut = Setting(name=CUT, value=name, evidence=Evidence(file=file, quote=name))
    return log.model_copy(update={"settings": (*log.settings, cut), "problems": (*log.problems, *problems)})


class _Counted(NamedTuple):
    """The steps of columns as the grader counts them."""

    steps: "array[int]"
    ascend: bool

    @classmethod
    def from_steps(cls, steps: "array[int]") -> Self:
        return cls(steps, all(map(lt, steps, islice(steps, 1, None))))


def _distinct(columns: Iterable[Column]) -> list["array[int]"]:
    """The steps of some columns; those that several share, once."""
    return list({id(column.steps): column.steps for column in columns}.values())


def _unit_of_epochs(counting: Mapping[str, Column]) -> str:
    """Return the unit of steps if epochs stand for updates: hundredths if any epoch is a fraction."""
    is_fraction = any(value % 1 for name in _EPOCH if name in counting for value in counting[name].values)
    return HUNDREDTHS if is_fraction else EPOCHS


def _settings(settings: Mapping[str, str], place: Evidence) -> Iterator[Setting]:
    """The settings, each under its name without the groups that it lies in."""
    for path, text in settings.items():
        name = PurePosixPath(storable(path).replace(".", "/")).name.replace("-", "_")[:LONGEST_NAME]
        value = plain_value(storable(text))[:LONGEST_VALUE]
        if name and value:
            setting_name = "seed" if name.lower() in _SEEDS else name
            yield Setting(
                name=setting_name, value=value, evidence=place.model_copy(update={"quote": f"{name}: {value}"[:120]})
            )


def _counted(
    measured: Mapping[str, Column], counting: Mapping[str, Column]
) -> tuple[Callable[["array[int]"], "array[int]"], bool]:
    """Return how the steps of a column are counted: by the updates that were logged beside it or before, else as the
    tracker was told; and whether epochs stand for updates. If calls were counted and evaluations of one epoch have a
    call each, they are put together by the epoch, or else by their order."""
    evaluated = [column.steps for name, column in measured.items() if _evaluates(name)]
    is_parted = any(steps != evaluated[0] for steps in evaluated) and _counts_calls(
        (*measured.values(), *counting.values())
    )
    for name in (*_UPDATES, *_EPOCH) if is_parted else _UPDATES:
        if name in counting and (counts := _counts(counting[name])):
            return partial(_counted_by, counts), name in _EPOCH
    if is_parted and len(set(map(len, evaluated))) == 1:
        return lambda steps: array("q", range(1, len(steps) + 1)), True
    last = max(map(max, _distinct(measured.values())), default=0)
    # A value without a step, beside others that have theirs, was logged at the end.
    return lambda steps: array("q", [last]) if list(steps[:2]) == [0] else steps, False


def _counts(column: Column) -> tuple["array[int]", "array[int]"] | None:
    """The steps of a column that only grows, and what it counts there, in hundredths where epochs are fractions; None
    for any other one."""
    steps, values = column
    if not all(map(lt, steps, islice(steps, 1, None))):
        steps = array("q", sorted(steps))
        by_step = dict(zip(*column, strict=True))
        values = array("d", map(by_step.__getitem__, steps))
    grows = len(values) >= _FEWEST and all(map(le, values, islice(values, 1, None)))
    if not grows or not -_MOST_COUNTED < values[0] <= values[-1] < _MOST_COUNTED:
        return None
    if all(map(float.is_integer, values)):
        return steps, array("q", map(int, values))
    return steps, array("q", (round(value * 100) for value in values))


def _counted_by(counts: tuple["array[int]", "array[int]"], steps: "array[int]") -> "array[int]":
    """Return the counts at some steps, or the last ones before them; where a count is told at the end of what it
    counts, such as an epoch, the next ones behind them."""
    at, counted = counts
    if steps == at:
        return counted
    is_told_at_end = min(steps, default=at[0]) < at[0]
    places = (bisect_left(at, step) if is_told_at_end else bisect_right(at, step) - 1 for step in steps)
    return array("q", (counted[min(place, len(at) - 1)] for place in places))


def _counts_calls(columns: Iterable[Column]) -> bool:
    """Whether steps are numbers of calls: then each from the first to the last is there."""
    every = _distinct(columns)
    count = max(map(max, every)) - min(map(min, every)) + 1
    if any(len(steps) == count for steps in every):
        return True
    return sum(map(len, every)) >= count and len(set().union(*every)) == count


def _evaluates(name: str) -> bool:
    return measured_by(name.lower(), 0, ()).split in (Subset.VALID, Subset.TEST)


def _series(name: str, column: Column, names: Sequence[str], counted: _Counted) -> Series:
    """The series of a column. Names that begin with a part of the data stay as they are; of several values of one step
    the last counts."""
    steps, values = counted.steps, column.values
    if not counted.ascend:
        points = sorted(zip(steps, values, strict=True), key=itemgetter(0))
        steps, values = Column.from_points(dict(points))
    subset, tag = subset_of_tag(name), storable(name)[:LONGEST_NAME]
    if subset is None:
        measured = measured_by(name.lower(), 0, names)
        subset = subset_of_split(measured.split)
        tag = f"{measured.split}/{measured.name}" if subset else tag
    return Series(tag=tag, subset=subset, steps=Numbers(steps), values=Numbers(values))

"""One training run's part of a text, while it is being read: its points by step or epoch, the evaluations after it,
and its name.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import groupby
from math import ceil
from typing import Final, NamedTuple

from grader.reading.document import Evidence
from grader.reading.log import Log, Series, Setting, Subset, run_name, subset_in
from grader.reading.logs.code import EVALUATED_DATA, names_evaluated
from grader.reading.logs.written import (
    BEGINS,
    CUT,
    SCORED,
    SHOWN_FILE,
    TABLE,
    LoggedSetting,
    Opening,
    Said,
    Statistics,
    TrainingEnd,
    number,
    whole_number,
)


class Curve(NamedTuple):
    """The identity of one series. `samples` is the number of examples that were evaluated, if the text says it."""

    source: str
    tag: str
    subset: Subset | None
    samples: int | None = None


class Position(NamedTuple):
    """The moment at which something was logged: after so many updates or, if no update was stated, so many epochs."""

    step: int | None
    epoch: float | None


class Point(NamedTuple):
    """A value and the line that says it, 0 where no line does; whether it is a progress bar's."""

    value: float
    line: int
    running: bool = False


Points = dict[Position, Point]
StepOf = Callable[[Position], int]


def series_of(tag: str, subset: Subset | None, points: Mapping[int, Point], cell: int | None = None) -> Series:
    """Points by step as a series; one of which not all have lines has none."""
    steps = sorted(points)
    values, lines = zip(*(points[step][:2] for step in steps), strict=True)
    lines = lines if all(lines) else ()
    return Series(tag=tag, subset=subset, steps=tuple(steps), values=values, lines=lines, cell=cell)


EPOCHS = "epoch"
"""The value of the setting `steps_count` where epochs had to stand for updates."""
HUNDREDTHS: Final = "epoch / 100"
"""Its value where these are counted in hundredths, since some are fractions."""


def counting(settings: Mapping[str, str], positions: set[Position]) -> tuple[StepOf, bool]:
    """Return how to count updates in a log with these settings and positions; false if the log does not tell them and
    epochs stand for them."""
    both = [at.step / at.epoch for at in positions if at.step and at.epoch]
    seen = max(both) if both and max(both) - min(both) < 0.01 * max(both) else None
    each = _updates_per_epoch(settings) or seen
    grid = next((step for name in ("eval_steps", "logging_steps") if (step := whole_number(settings.get(name)))), 1)
    if each is None:
        scale = 1 if all(at.step is not None or (at.epoch or 0) % 1 == 0 for at in positions) else 100
        return lambda at: at.step if at.step is not None else round((at.epoch or 0) * scale), False
    return lambda at: at.step if at.step is not None else _snapped((at.epoch or 0) * each, grid), True


def _snapped(step: float, grid: int) -> int:
    """The Trainer rounds epochs to two digits: a step close to one at which it logs is that one."""
    near = round(step / grid) * grid
    return near if grid > 1 and abs(near - step) <= 0.006 * max(step, 300) and near else round(step)


def _updates_per_epoch(settings: Mapping[str, str]) -> float | None:
    updates = whole_number(settings.get("num_update_steps_per_epoch"))
    if updates:
        return updates
    examples, batch = whole_number(settings.get("num_examples")), whole_number(settings.get("total_train_batch_size"))
    batch = batch or whole_number(settings.get("per_device_train_batch_size"))
    if examples and batch and batch > 0:
        return ceil(examples / batch)
    total, epochs = whole_number(settings.get("total_optimization_steps")), number(settings.get("num_train_epochs", ""))
    return total / epochs if total and epochs else None


_CHECKPOINT: Final = re.compile(r"checkpoint(?:-|_\d{1,6}_)(\d{1,9})(?!\d)")
_OF_EPOCH: Final = re.compile(r"checkpoint(\d{1,6})\.pt$")


def step_in_path(path: str) -> int | None:
    """The updates in a checkpoint's name: `out/checkpoint-675` of the Trainer, `checkpoint_3_675.pt` of fairseq."""
    found = _CHECKPOINT.findall(path)
    return int(found[-1]) if found else None


def step_of_weights(path: str, settings: Mapping[str, str], during: Sequence[Series]) -> int:
    """The updates of saved weights, by their name and what was logged in training: `checkpoint_best.pt` of fairseq is
    the last one that was best by its metric (the loss if no other is told), `checkpoint3.pt` that of epoch 3."""
    step = step_in_path(path)
    if step is not None:
        return step
    metric = settings.get("best_checkpoint_metric", "loss")
    curve = next((series for series in during if series.tag == metric and series.subset is Subset.VALID), None)
    epoch = _OF_EPOCH.search(path)
    if curve and epoch and 0 < int(epoch[1]) <= len(curve.steps):
        return curve.steps[int(epoch[1]) - 1]
    if curve and path.endswith("checkpoint_best.pt"):
        sign = 1 if settings.get("maximize_best_checkpoint_metric") == "True" else -1
        return max(zip(curve.steps, curve.values, strict=True), key=lambda point: (sign * point[1], point[0]))[0]
    return chosen_step(settings, during)


def chosen_step(settings: Mapping[str, str], during: Sequence[Series]) -> int:
    """The updates of the weights that training leaves: the best ones where they are loaded at the end, else the last.
    0 where nothing was logged in training."""
    loaded = step_in_path(settings.get("loaded_best", "")) or step_in_path(settings.get("best_model_checkpoint", ""))
    if loaded is not None:
        return loaded
    last = max(
        (series.steps[-1] for series in during if series.steps), default=whole_number(settings.get("global_step")) or 0
    )
    if settings.get("load_best_model_at_end", "").lower() != "true":
        return last
    metric = settings.get("metric_for_best_model", "loss").removeprefix("eval_")
    curve = next((series for series in during if series.tag == f"eval/{metric}"), None)
    if curve is None:
        return last
    sign = -1 if metric.endswith("loss") else 1
    return max(zip(curve.steps, curve.values, strict=True), key=lambda point: (sign * point[1], -point[0]))[0]


MOST_SETTINGS: Final = 1000
MOST_FINALS: Final = 50
MOST_EPOCHS: Final = 1e6
"""Evaluations after one training."""

_ROUNDED: Final = 6e-5
"""Tables are rounded to four digits."""

_ONCE: Final = frozenset({Opening.COMMAND, Opening.CONFIGURATION, Opening.MODEL, Opening.CHECKPOINT, Opening.TRAINING})
_RUNNING: Final = frozenset({"train_inner", "train"})


class Place(NamedTuple):
    """The place of a text."""

    file: str
    cell: int | None = None


class _Final(NamedTuple):
    said: Statistics
    line: int
    samples: int | None


class Draft:
    """The content of a run that was read so far. `samples` is the number of examples of the evaluation that goes on."""

    def __init__(self, place: Place) -> None:
        self.place = place
        self.samples: int | None = None
        self.closed = False
        self.points = 0
        self._settings: dict[tuple[str, str], Setting] = {}
        self._openings: set[Opening] = set()
        self._curves: dict[Curve, Points] = {}
        self._by_tag: dict[str, tuple[Subset | None, int | None, dict[str, Points]]] = {}
        self._finals: list[_Final] = []
        self._ended = False
        self._step, self._epoch = -1, -1.0

    def is_over_at(self, statement: Said) -> bool:
        """Whether a statement can only belong to the next run."""
        match statement:
            case LoggedSetting(opening=None) | TrainingEnd():
                return False
            case LoggedSetting(opening=Opening.EVALUATION):
                return self.closed and Opening.CONFIGURATION not in self._openings
            case LoggedSetting(opening=opening):
                return bool(self._curves or self._finals) or (opening in _ONCE and opening in self._openings)
            case Statistics(final=True):
                return self._concludes_otherwise(statement)
        by_step = statement.step is not None and statement.step < self._step
        by_epoch = statement.step is None and statement.epoch is not None and statement.epoch < self._epoch
        ended_before = (self._ended or self.closed) and statement.source not in ("eval", "test")
        return ended_before or by_step or by_epoch or self._says_otherwise(statement)

    def _says_otherwise(self, statistics: Statistics) -> bool:
        """Whether an evaluation that was logged already comes again with another result."""
        if statistics.source in _RUNNING or self._is_final(statistics):
            return False
        at, samples = _position(statistics), self._samples_of(statistics)
        for tag, value in statistics.values.items():
            known_point = self._curves.get(Curve(statistics.source, tag, statistics.subset, samples), {}).get(at)
            is_printed_below_bar = known_point and known_point.running and not statistics.running
            if known_point and known_point.value != value and "accuracy" in tag and not is_printed_below_bar:
                return True
        return False

    def _concludes_otherwise(self, statistics: Statistics) -> bool:
        """Whether another result of the same evaluation after training is already there."""
        samples = self._samples_of(statistics)
        return any(
            tag in final.said.values and abs(final.said.values[tag] - value) > _ROUNDED and final.samples == samples
            for final in self._finals
            for tag, value in statistics.values.items()
            if tag.endswith(("accuracy", "loss"))
        )

    def _is_final(self, statistics: Statistics) -> bool:
        if statistics.final or statistics.source not in ("eval", "test"):
            return statistics.final
        is_placed = statistics.step is not None or statistics.epoch is not None or not (self._curves or self._finals)
        return self._ended or not is_placed or self._is_beside_table(statistics)

    def _is_beside_table(self, statistics: Statistics) -> bool:
        """Whether an evaluation was made after the training that a table shows. It tells its number of examples, of the
        table's last epoch, which tells none; or it is of the last epoch of all, of which the table has its value."""
        is_table = any(name == TABLE for name, _ in self._settings) and not any(curve.samples for curve in self._curves)
        is_counted = self._samples_of(statistics) is not None and statistics.epoch == self._epoch
        return is_table and (is_counted or self._is_behind_last(statistics))

    def _is_behind_last(self, statistics: Statistics) -> bool:
        """Whether an evaluation is of the last epoch of all, of which there is a value already."""
        evaluated = [at for curve, points in self._curves.items() if curve.source == statistics.source for at in points]
        is_there = _position(statistics) in evaluated or (bool(evaluated) and all(at.epoch is None for at in evaluated))
        return is_there and statistics.step is None and ("num_train_epochs", f"{statistics.epoch:g}") in self._settings

    def add(self, statement: Said, line: int) -> None:
        """Take in what a line says. Lines count from 1; 0 stands for no line."""
        match statement:
            case LoggedSetting():
                self._tell(statement, line)
            case Statistics():
                self._log(statement, line)
            case TrainingEnd():
                self._ended = True

    def _tell(self, setting: LoggedSetting, line: int) -> None:
        if setting.opening:
            self._openings.add(setting.opening)
        key = (setting.name, setting.value)
        if setting.name and key not in self._settings and len(self._settings) < MOST_SETTINGS:
            evidence = Evidence(file=self.place.file, line=line or None, cell=self.place.cell, quote=setting.quote)
            self._settings[key] = Setting(name=setting.name, value=setting.value, evidence=evidence)

    def add_unless_told(self, settings: Sequence[LoggedSetting]) -> None:
        """Take in the settings that the text itself does not tell."""
        names = {setting.name for setting in self._settings.values()}
        for new_setting in settings:
            if new_setting.name not in names:
                self._tell(new_setting, 0)
        is_named = any(setting.name == EVALUATED_DATA for setting in settings)
        if is_named and all(curve.source in ("eval", "test") for curve in self._curves):
            evaluations: dict[tuple[Curve, int, Position], dict[str, float]] = {}  # nothing was trained here
            for curve, points in self._curves.items():
                for at, point in points.items():
                    evaluations.setdefault((curve._replace(tag=""), point.line, at), {})[curve.tag] = point.value
            for (curve, line, at), values in evaluations.items():
                statistics = Statistics(curve.source, curve.subset, values, at.step, at.epoch, final=True)
                self._finals.append(_Final(statistics, line, curve.samples))
            self._curves = {}

    def _log(self, statistics: Statistics, line: int) -> None:
        samples = self._samples_of(statistics)
        if self._is_final(statistics):
            is_known = any(
                _repeats(statistics.values, final.said.values) and final.samples == samples for final in self._finals
            )
            if not is_known and len(self._finals) < MOST_FINALS:
                self._finals.append(_Final(statistics, line, samples))
            return
        at = _position(statistics)
        self._tell_beginning(statistics, line)
        curves = self._curves_of(statistics, samples)
        for tag, value in statistics.values.items():
            points = curves.get(tag)
            if points is None:
                points = curves[tag] = self._curves.setdefault(
                    Curve(statistics.source, tag, statistics.subset, samples), {}
                )
            self.points += at not in points
            points[at] = Point(value, line, statistics.running)  # of several states of one epoch the last counts
        self._step = max(self._step, statistics.step if statistics.step is not None else -1)
        self._epoch = max(self._epoch, statistics.epoch if statistics.epoch is not None else -1)

    def _tell_beginning(self, statistics: Statistics, line: int) -> None:
        """Note where the log begins if its first epoch is a later one than the program's first."""
        if statistics.numbered and self._epoch < 0 and (statistics.epoch or 0) > 1:
            self._tell(LoggedSetting(BEGINS, f"{statistics.epoch:g}", f"epoch {statistics.epoch:g}"), line)

    def _curves_of(self, statistics: Statistics, samples: int | None) -> dict[str, Points]:
        """The curves that such statistics belong to, by tag: most lines of a log are of one kind."""
        entry = self._by_tag.get(statistics.source)
        if entry is None or entry[0] is not statistics.subset or entry[1] != samples:
            entry = self._by_tag[statistics.source] = (statistics.subset, samples, {})
        return entry[2]

    def _samples_of(self, statistics: Statistics) -> int | None:
        """The number of examples that an evaluation of the Trainer went over."""
        if statistics.source not in ("eval", "test"):
            return None
        logged_samples = samples_in(statistics.values, f"{statistics.source}/")
        return (
            logged_samples
            if f"{statistics.source}/samples" in statistics.values or self.samples is None
            else self.samples
        )

    def goes_on_from(self, other: "Draft") -> bool:
        """Whether another draft is a table of this run that the text holds as well, whole or only begun."""
        are_tables = all(any(name == TABLE for name, _ in draft._settings) for draft in (self, other))
        return (
            are_tables
            and not other._finals
            and all(
                at in self._curves.get(curve, {}) and self._curves[curve][at].value == point.value
                for curve, points in other._curves.items()
                for at, point in points.items()
            )
        )

    def take_over(self, other: "Draft") -> None:
        """Keep what another draft of this run tells of it, but that it is not whole."""
        names = {setting.name for setting in self._settings.values()}
        self._settings |= {
            key: setting
            for key, setting in other._settings.items()
            if setting.name not in names and setting.name != CUT
        }

    def logs(self, name: str) -> Iterator[Log]:
        """The run as one log, and one more for each further set of examples that it was evaluated on."""
        settings = {setting.name: setting.value for setting in reversed(self._settings.values())}
        self._place_scores(settings.get("best_checkpoint_metric", "loss"))
        step_of, is_exact = counting(settings, {at for points in self._curves.values() for at in points})
        lengths: dict[int, int] = {}
        for curve, points in self._curves.items():
            if curve.samples is not None:
                lengths[curve.samples] = max(lengths.get(curve.samples, 0), len(points))
        main = max(sorted(lengths), key=lambda samples: lengths[samples], default=None)
        self._count_as(main)
        parts: dict[int | None, list[Series]] = {}
        for counted, group in groupby(sorted(self._curves.items(), key=_by_samples), key=_by_samples):
            kept = None if counted in (main, -1) else counted
            for curve, points in group:  # of two values of one step the last counts
                by_step = {step_of(position): point for position, point in points.items()}
                parts.setdefault(kept, []).append(series_of(curve.tag, curve.subset, by_step, self.place.cell))
        for samples, final_series in self._final_series(settings, parts.get(None, []), main, step_of):
            parts.setdefault(samples, []).append(final_series)
        for samples, series in (parts or {None: []}).items():
            yield self._log_of(name, samples or main, series, is_exact=is_exact)

    def _count_as(self, main: int | None) -> None:
        """Put evaluations that do not tell their number of examples exactly enough to the others of their curve."""
        for curve, points in list(self._curves.items()):
            others = self._curves.get(curve._replace(samples=main))
            if curve.samples is None and others and others is not points and others.keys().isdisjoint(points):
                others.update(self._curves.pop(curve))

    def _place_scores(self, measure: str) -> None:
        """Take the scores of saved checkpoints as the first evaluation's measure, where the log has no value of it."""
        scores = self._curves.pop(Curve(SCORED, SCORED, Subset.VALID), {})
        known_curve = next(
            (candidate for candidate in self._curves if candidate.subset is Subset.VALID and candidate.tag == measure),
            None,
        )
        curve = known_curve or Curve("valid", measure, Subset.VALID)
        if scores:
            steps = {at.step for at in self._curves.get(curve, {})}
            missing = {at: point for at, point in scores.items() if at.step not in steps}
            self._curves[curve] = self._curves.get(curve, {}) | missing

    def _final_series(
        self, settings: dict[str, str], during: list[Series], main: int | None, step_of: StepOf
    ) -> Iterator[tuple[int | None, Series]]:
        """Evaluations after training. One of the same examples as during training repeats what is known."""
        chosen = chosen_step(settings, during)
        known_values: dict[tuple[str, int | None], list[float]] = {}
        for series in during:
            known_values[series.tag, main] = known_values[series.tag, None] = list(series.values)
        data = names_evaluated(settings.get(EVALUATED_DATA, ""))
        evaluated = [candidate for candidate in self._finals if candidate.said.source == "eval"]
        named = dict(zip(map(id, evaluated), map(subset_in, data), strict=True)) if len(data) == len(evaluated) else {}
        for final in self._finals:
            (statistics, line, samples), at, own_subset = final, _position(final.said), named.get(id(final))
            if own_subset and own_subset is not statistics.subset:
                yield from self._of_named(final, own_subset, chosen)
                continue
            step = step_of(at) if statistics.of_weights and at != _NOWHERE else chosen
            for tag, value in statistics.values.items():
                values = known_values.setdefault((tag, samples), [])
                if any(abs(value - other) < _ROUNDED for other in values) or (during and samples == main and samples):
                    continue
                doubtful = bool(values) and samples is None and statistics.subset is Subset.VALID
                values.append(value)
                subset = None if doubtful else statistics.subset
                yield samples, series_of(tag, subset, {step: Point(value, line)}, self.place.cell)

    def _of_named(self, final: _Final, subset: Subset, step: int) -> Iterator[tuple[int | None, Series]]:
        """An evaluation of other data than the Trainer was given for it, as the code names it."""
        for tag, value in final.said.values.items():
            points = {step: Point(value, final.line)}
            yield final.samples, series_of(tag.replace("eval/", f"{subset}/"), subset, points, self.place.cell)

    def _log_of(self, name: str, samples: int | None, series: list[Series], *, is_exact: bool) -> Log:
        settings = [*self._settings.values()]
        if samples:
            settings.append(self._said_of_all("eval_samples", str(samples)))
        if self._curves and not is_exact and self._step < 0:
            epochs = (at.epoch or 0 for points in self._curves.values() for at in points)
            settings.append(self._said_of_all("steps_count", HUNDREDTHS if any(at % 1 for at in epochs) else EPOCHS))
        return Log(file=self.place.file, name=name, series=tuple(series), settings=tuple(settings))

    def _said_of_all(self, name: str, value: str) -> Setting:
        evidence = Evidence(file=self.place.file, cell=self.place.cell, quote=f"{name} {value}")
        return Setting(name=name, value=value, evidence=evidence)

    @property
    def length(self) -> int:
        """At how many steps or epochs the longest curve has a value."""
        return max(map(len, self._curves.values()), default=0)

    @property
    def says_something(self) -> bool:
        """Whether there is a scalar. Settings alone are no run."""
        return bool(self._curves or self._finals)


def _repeats(values: Mapping[str, float], known_values: Mapping[str, float]) -> bool:
    """Whether values are those that are known, as far as both tell; tables round."""
    common = values.keys() & known_values.keys()
    return bool(common) and all(abs(values[tag] - known_values[tag]) <= _ROUNDED for tag in common)


def _by_samples(item: tuple[Curve, Points]) -> int:
    return item[0].samples if item[0].samples is not None else -1


def samples_in(values: Mapping[str, float], prefix: str) -> int | None:
    """The examples of an evaluation by its time and speed, where those are given exactly enough."""
    samples = values.get(f"{prefix}samples")
    if samples is not None:
        return whole_number(f"{samples:.0f}")
    seconds = values.get(f"{prefix}runtime", 0.0)
    speed = values.get(f"{prefix}samples_per_second", 0.0)
    if not (0 < seconds < 1e6 and 0 < speed < 1e9):
        return None
    count = seconds * speed
    doubt = count * (5e-5 / seconds + 5e-4 / speed)
    return round(count) if doubt < 0.3 and abs(count - round(count)) <= doubt else None


_NOWHERE: Final = Position(None, None)


def _position(statistics: Statistics) -> Position:
    """The position at which something was logged; an epoch that no training reaches is ignored."""
    is_plausible = statistics.epoch is not None and abs(statistics.epoch) <= MOST_EPOCHS
    return Position(statistics.step, statistics.epoch if is_plausible else None)


_FOLDERS: Final = ("tensorboard_logdir", "save_dir", "output_dir")
TELLS_NOTHING: Final = frozenset({"checkpoints", ".", "out", "output", "outputs", "results", "tmp"})
"""Folders that any run may have, such as a program's default."""


def name_logs(drafts: Sequence[Draft], name: str) -> tuple[Log, ...]:
    """The logs of some drafts. Their names are different for different runs, and tell the folder where it is known."""
    found: list[Log] = []
    for part, draft in enumerate(drafts, start=1):
        logs = list(draft.logs(name))
        settings = {
            setting.name: setting.value for setting in reversed([setting for log in logs for setting in log.settings])
        }
        folders = (settings.get(name, "").strip().rstrip("/") for name in _FOLDERS)
        evaluated = settings.get("evaluated_weights", "").rpartition("/")[0]
        shown = settings.get(SHOWN_FILE, "")
        folder = next(
            (
                candidate
                for candidate in (*folders, evaluated, shown)
                if candidate and candidate.lower().strip("/") not in TELLS_NOTHING
            ),
            None,
        )
        place = "" if draft.place.cell is None else f" cell {draft.place.cell}"
        which = f" part {part}" if len(drafts) > 1 else ""
        title = f"{folder or name}{place}{which}"
        seed = run_name(f"{folder}/log").seed if folder else None
        found += [log.model_copy(update={"name": title, "seed": seed}) for log in logs]
    return tuple(found)

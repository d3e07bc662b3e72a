"""Logs put together into runs, and what is known of each: from which weights it began, its learning rate's course,
and evaluations by a process of their own.

What libraries call `polynomial_decay` (power 1) and `linear` is this curve: after `step` updates the rate is
peak · step / warmup during the warm-up, then peak · (total - step) / (total - warmup), and 0 from `total` on.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from itertools import chain
from math import ceil, isclose, nan
from pathlib import PurePosixPath
from typing import Final, NamedTuple

from grader.message import Words, join_messages, say, say_number
from grader.reading.document import Evidence
from grader.reading.log import (
    Log,
    Run,
    RunFact,
    Schedule,
    Series,
    Setting,
    Start,
    Subset,
    programs,
    subset_of_tag,
    telling_name,
)
from grader.reading.logs.draft import chosen_step, samples_in, step_of_weights
from grader.reading.logs.files import measured_by
from grader.reading.logs.written import CUT, number, subset_of_split, whole_number
from grader.reading.run_parts import (
    FactFound,
    Logs,
    Settings,
    adapter_of,
    by_name,
    first_setting,
    framework_of,
    is_text,
    put_together,
    seed_of,
    settings_of,
    start_named,
)


def with_evaluations(runs: Sequence[Logs]) -> list[Logs]:
    """Evaluations that a process of its own made of a run's saved weights, put to that run at those weights' step; and
    what a console shows of a run only at its end, put to the run whose last values it shows."""
    alone = [run for run in runs if _evaluates_only(run)]
    trained = [run for run in runs if not _evaluates_only(run)]
    for run in alone:
        place = _trainer_of(run, trained)
        if place is None:
            place, part = _showing(run, trained)
        else:
            part = _at_weights(run, trained[place])
        if place is None:
            trained.append(run)
        else:
            trained[place] += part
    return trained


def _at_weights(run: Logs, training: Logs) -> Logs:
    """An evaluation at the step of the weights that it loaded, which a training saved."""
    during = [series for log in training for series in log.series]
    return tuple(_at_step(run, step_of_weights(_weights(run) or "", _told(training), during)))


def _showing(console: Logs, trained: Sequence[Logs]) -> tuple[int | None, Logs]:
    """The one run whose last values a console shows, and what the console tells beside them."""
    found = [index for index, run in enumerate(trained) if _shows(console, run)]
    rest = tuple(log.model_copy(update={"series": ()}) for log in console)
    return (found[0] if len(found) == 1 else None), rest


def _told(logs: Logs) -> dict[str, str]:
    """The first value of each setting."""
    return {name: values[0].value for name, values in settings_of(logs).items()}


def _evaluates_only(logs: Logs) -> bool:
    series = [candidate for log in logs for candidate in log.series]
    return bool(series) and all(
        candidate.subset is not Subset.TRAIN and candidate.steps == (0,) for candidate in series
    )


def _weights(logs: Logs) -> str | None:
    setting = first_setting(
        settings_of(logs), "evaluated_weights", "model_name_or_path", "loaded_weights", "resumed_from"
    )
    return setting.value.strip().rstrip("/") if setting else None


def _trainer_of(logs: Logs, trained: Sequence[Logs]) -> int | None:
    """The run that saved the weights; of several that wrote to one folder, the last one above in the notebook."""
    weights = _weights(logs)
    if not weights:
        return None
    found = []
    for index, run in enumerate(trained):
        settings = [setting for name in ("output_dir", "save_dir") for setting in settings_of(run).get(name, ())]
        if any(_is_in(PurePosixPath(weights), PurePosixPath(setting.value.rstrip("/") or "/")) for setting in settings):
            found.append(index)
    if len(found) < 2:
        return found[0] if found else None
    own_cell = _cell(logs)
    cells = ((_cell(trained[index]), index) for index in found if trained[index][0].file == logs[0].file)
    above = [(cell, index) for cell, index in cells if cell is not None and own_cell is not None and cell < own_cell]
    return max(above)[1] if above else None


_FEWEST_SHOWN: Final = 3
_SAME: Final = 1e-6
"""Two logs of one value differ by less of it, as one of them rounds to a float of 32 bits."""


def _shows(logs: Logs, run: Logs) -> bool:
    """Whether all values of a console, several different ones, are the last ones of a run."""
    last = {(series.tag, series.subset): series.values[-1] for log in run for series in log.series}
    shown = {(series.tag, series.subset): series.values[-1] for log in logs for series in log.series}
    return len(set(shown.values())) >= _FEWEST_SHOWN and all(
        isclose(value, last.get(at, nan), rel_tol=_SAME) for at, value in shown.items()
    )


def _is_in(weights: PurePosixPath, folder: PurePosixPath) -> bool:
    """Whether saved weights lie in a folder, which may be told by the end of its path only."""
    return weights.is_relative_to(folder) or weights.parent.parts[-len(folder.parts) :] == folder.parts


def _cell(logs: Logs) -> int | None:
    return next((series.cell for log in logs for series in log.series), None)


_OF_EVALUATION: Final = ("validation_file", "test_file", "eval_samples", "evaluated_weights")
"""The settings of an evaluation that say what was evaluated. Others, its seed among them, say nothing of training."""


def _at_step(logs: Logs, step: int) -> Iterator[Log]:
    for log in logs:
        series = tuple(candidate.model_copy(update={"steps": (step,)}) for candidate in log.series)
        settings = tuple(setting for setting in log.settings if setting.name in _OF_EVALUATION)
        yield log.model_copy(update={"series": series, "settings": settings, "texts": (), "seed": None})


def with_later_evaluations(logs: Logs) -> Logs:
    """The logs of a run, with what its process evaluated after training put to the weights that were evaluated. The
    Trainer opens an event file of its own for that, and counts it as the last step."""
    training = [
        log for log in logs if any(series.subset is Subset.TRAIN and len(series.steps) > 1 for series in log.series)
    ]
    during = tuple(chain.from_iterable(log.series for log in training))
    end = max((series.steps[-1] for series in during), default=0)
    if not end:
        return logs
    settings = _told(logs)
    began = max(log.origin.started_at if log.origin else 0.0 for log in training)
    chosen = chosen_step(settings, during)
    parts = (_evaluations(log, during, chosen) if _is_later(log, began, end) else (log,) for log in logs)
    return tuple(chain.from_iterable(parts))


def _evaluations(log: Log, during: Sequence[Series], chosen: int) -> Iterator[Log]:
    """A log of evaluations after training as one log for each: where several follow each other, a tag has as many
    series."""
    by_tag: dict[str, list[Series]] = {}
    for logged_series in log.series:
        by_tag.setdefault(logged_series.tag, []).append(logged_series)
    number = max(map(len, by_tag.values()), default=1)
    for at in range(number):
        series = tuple(each[at] if len(each) == number else each[-1] for each in by_tag.values())
        yield _of_chosen_weights(log.model_copy(update={"series": series}), during, chosen)


def _is_later(log: Log, began: float, end: int) -> bool:
    """Whether a log was begun after those of training, and holds nothing but their last step."""
    return bool(log.origin and log.origin.started_at > began and all(series.steps == (end,) for series in log.series))


def _of_chosen_weights(log: Log, during: Sequence[Series], chosen: int) -> Log:
    """An evaluation after training. The one that repeats a value of training is of the weights of that step; another
    one is of other examples, of which their number tells where it is known."""
    evaluated = [series for series in log.series if series.subset is not Subset.TRAIN]
    values = {series.tag: series.values[0] for series in evaluated}
    same = _same_step(values, during, chosen)
    update: dict[str, object] = {"steps": (chosen if same is None else same,)}
    settings = log.settings
    if same is None:
        examples = samples_in(values, "eval/")
        if examples is None:
            update["subset"] = None
        elif examples:
            place = Evidence(file=log.file, quote=f"eval_samples {examples}")
            settings += (Setting(name="eval_samples", value=str(examples), evidence=place),)
    series = tuple(candidate.model_copy(update=update) for candidate in evaluated)
    return log.model_copy(update={"series": series, "settings": settings})


def _same_step(values: Mapping[str, float], during: Sequence[Series], chosen: int) -> int | None:
    """The step at which training had the same accuracies and losses, the chosen one if there are none to compare."""
    curves = {
        series.tag: dict(zip(series.steps, series.values, strict=True))
        for series in during
        if series.tag in values and series.tag.endswith(("accuracy", "loss"))
    }
    steps = (chosen, *sorted(set().union(*curves.values())))
    return next((step for step in steps if all(curves[tag].get(step) == values[tag] for tag in curves)), None)


_TOLERANCE: Final = 2e-3
"""How far a rate may lie off the line, relative to the highest: logs round rates to four digits or more."""

_FEWEST: Final = 3
"""Points that show a fall to be straight. Two points always lie on a line."""

_LEAST: Final = 1e-30
_MOST: Final = 1e6
_MOST_STEPS: Final = 10**12


class Rate(NamedTuple):
    """The learning rate after so many updates."""

    step: int
    rate: float


class Fall(NamedTuple):
    """A straight fall: the rate is `slope` · (`total` - step)."""

    slope: float
    total: int


class Fit(NamedTuple):
    """The schedule that the rates show; `peak` and `warmup` are None if too little of the rise was logged."""

    total: int
    peak: float | None
    warmup: int | None


def fit_rates(rates: Iterable[Rate], peak: float | None = None, warmup: int | None = None) -> Fit | None:
    """The curve through logged rates, `peak` and `warmup` as the settings tell them; None where the rates lie on no
    such curve or are too few."""
    peak = peak if peak is not None and _is_rate(peak) else None
    points = sorted(
        {rate for rate in rates if 0 <= rate.step < _MOST_STEPS and (rate.rate == 0 or _is_rate(rate.rate))}
    )
    highest = max(points, key=lambda rate: rate.rate, default=None)
    if highest is None or highest.rate <= 0:
        return None
    falling = [point for point in points if point.step >= highest.step]
    fall = _fall(falling, highest, None if peak is None or warmup is None else (peak, warmup))
    if fall is None:
        return None
    rising = [point for point in points if 0 < point.step < highest.step and point.rate > 0]
    found = _rise(rising, fall) if rising else _by_settings(fall, highest, peak, warmup)
    return Fit(fall.total, *found)


def _is_rate(value: float) -> bool:
    """Whether a number can be a learning rate; NaN cannot."""
    return _LEAST <= value <= _MOST


def _fall(points: Sequence[Rate], highest: Rate, known_peak: tuple[float, int] | None) -> Fall | None:
    """The line through the falling points. The highest one need not lie on it, for it may stand on the rise."""
    above = [point for point in points if point.rate > 0]
    for line in (above, above[1:]):
        fall = _through(line, known_peak if line is above else None)
        if fall and _holds(fall, line, points, highest.rate) and (known_peak or _shown(fall, line, points)):
            return fall
    return None


def _through(line: Sequence[Rate], known_peak: tuple[float, int] | None) -> Fall | None:
    """The line through the first and the last point, or from the known peak at the warm-up's end through the only
    one."""
    if len(line) == 1 and known_peak:
        line = [Rate(known_peak[1], known_peak[0]), *line]
    if len(line) < 2 or line[0].rate <= line[-1].rate or line[0].step >= line[-1].step:
        return None
    first, last = line[0], line[-1]
    slope = (first.rate - last.rate) / (last.step - first.step)
    return Fall(slope, round(last.step + last.rate / slope))


def _shown(fall: Fall, line: Sequence[Rate], points: Sequence[Rate]) -> bool:
    """Whether there are enough points to tell a line from a curve: three, or two and the zero where it ends."""
    zero = next((point.step for point in points if point.rate == 0), None)
    return len(line) >= _FEWEST or (len(line) == 2 and zero is not None and zero >= fall.total)


def _holds(fall: Fall, line: Sequence[Rate], points: Sequence[Rate], highest: float) -> bool:
    """Whether all points lie on the line, and the zeros behind its end."""
    on_it = all(abs(fall.slope * (fall.total - rate.step) - rate.rate) <= _TOLERANCE * highest for rate in line)
    return on_it and all(point.step >= fall.total - 1 for point in points if point.rate == 0)


def _rise(rising: Sequence[Rate], fall: Fall) -> tuple[float | None, int | None]:
    """Return the point at which the rise from zero meets the fall."""
    slope = max(rate.rate / rate.step for rate in rising)
    if any(abs(rate.rate - slope * rate.step) > _TOLERANCE * slope * rising[-1].step for rate in rising):
        return None, None
    warmup = round(fall.slope * fall.total / (slope + fall.slope))
    return fall.slope * (fall.total - warmup), warmup


def _by_settings(fall: Fall, highest: Rate, peak: float | None, warmup: int | None) -> tuple[float | None, int | None]:
    """Peak and warm-up, where the settings give one of them and it agrees with the fall."""
    if peak is not None and peak >= highest.rate * (1 - _TOLERANCE):
        by_peak = round(fall.total - peak / fall.slope)
        return (peak, by_peak) if 0 <= by_peak <= highest.step else (None, None)
    if warmup is not None and 0 <= warmup <= highest.step:
        return fall.slope * (fall.total - warmup), warmup
    return None, None


_RATES: Final = frozenset({"lr", "learning_rate", "train/learning_rate", "train/lr"})
_TOTALS: Final = ("total_num_update", "total_optimization_steps", "max_steps", "max_update")
_LINEAR: Final = ("linear", "polynomial_decay")
_MANY_RATES: Final = 3


def schedule_of(logs: Sequence[Log], settings: Settings) -> tuple[Schedule | None, Words | None]:
    """The schedule, and a problem where logged rates and settings disagree. What was logged counts for more than what
    was asked for: a script may compute its own number of updates."""
    peak = _number(settings, "lr", "learning_rate")
    warmup = whole_number(_value(settings, "warmup_updates", "warmup_steps")) or None
    curves = list(_rates(logs))
    rates = {point for _, series in curves for point in map(Rate, series.steps, series.values)}
    asked = _asked(settings, peak, warmup)
    if _number(settings, "end_learning_rate"):
        return None, None
    last = max((series.steps[-1] for _, series in curves), default=0)
    fit = _fit_to_end(rates, asked.total_updates if asked else last, peak, warmup)
    if fit is None:
        return asked if len({rate.rate for rate in rates}) < _MANY_RATES else None, None
    schedule = _as_logged(fit, curves)
    if asked and asked.total_updates != fit.total:
        problem = say(
            "its settings ask for {total_updates} updates, but the logged rates reach zero at {total}",
            total_updates=asked.total_updates,
            total=fit.total,
        )
        return schedule, problem
    return schedule, None


def _fit_to_end(rates: Set[Rate], end: int, peak: float | None, warmup: int | None) -> Fit | None:
    """The curve through logged rates of a training with `end` updates. Newer Trainers log with each update the rate
    that it was made with, older ones that of the next one."""
    fit = fit_rates(rates, peak, warmup)
    if fit and fit.total == end + 1:
        return fit_rates((Rate(rate.step - 1, rate.rate) for rate in rates), peak, warmup) or fit
    return fit


def _rates(logs: Iterable[Log]) -> Iterator[tuple[Log, Series]]:
    """The logged rates, of logs that count updates."""
    for log in logs:
        if not any(setting.name == "steps_count" for setting in log.settings):
            yield from ((log, series) for series in log.series if series.tag in _RATES and series.steps)


def _as_logged(fit: Fit, curves: Sequence[tuple[Log, Series]]) -> Schedule:
    log, series = max(curves, key=lambda curve: len(curve[1].steps))
    at = max(range(len(series.steps)), key=lambda index: series.values[index])
    evidence = Evidence(
        file=log.file,
        line=series.lines[at] if series.lines else None,
        cell=series.cell,
        tag=series.tag,
        step=series.steps[at],
        quote=f"{series.values[at]:g}",
    )
    return Schedule(total_updates=fit.total, peak=fit.peak, warmup_updates=fit.warmup, evidence=evidence)


def _asked(settings: Settings, peak: float | None, warmup: int | None) -> Schedule | None:
    """The schedule that the settings ask for, where it is linear. `max_update` is where training stops; its rate falls
    to zero there only where no other number is given."""
    kind = _value(settings, "lr_scheduler", "lr_scheduler_type")
    if kind is not None and kind.split(".")[-1].lower() not in _LINEAR:
        return None
    for name in _TOTALS:
        setting = first_setting(settings, name)
        total = whole_number(setting.value) if setting else None
        if setting and total and total > 0:
            ratio = _number(settings, "warmup_ratio")
            warmup = ceil(total * ratio) if warmup is None and ratio and 0 < ratio < 1 else warmup
            return Schedule(total_updates=total, peak=peak, warmup_updates=warmup, evidence=setting.evidence)
    return None


def _value(settings: Settings, *names: str) -> str | None:
    setting = first_setting(settings, *names)
    return setting.value if setting else None


def _number(settings: Settings, *names: str) -> float | None:
    value = _value(settings, *names)
    return number(value) if value is not None else None


def start_of(name: str, logs: Sequence[Log], settings: Settings) -> FactFound:
    """Return the weights that were loaded, as the log says; else those that the settings ask for; else those that the
    folder's name says. If these contradict each other, nothing is known. A file that was asked for but not found is no
    contradiction."""
    facts = list(_facts(settings))
    asked = list(_start_asked(settings)) or ([] if facts else list(_nothing_asked(settings)))
    missing = _missing(settings)
    if missing:
        asked = []
    named = start_named(telling_name(name, logs))
    by_name = [RunFact(value=named, evidence=Evidence(file=logs[0].file, quote=name))] if named else []
    signs = [*facts, *asked, *by_name]
    starts = {sign.value for sign in signs}
    if len(starts) > 1:
        quotes = (next(s for s in signs if s.value == start).evidence.quote for start in sorted(starts))
        places = join_messages(say(" and "), (say("“{words}”", words=quote) for quote in quotes))
        return FactFound(
            problem=say(
                "it is not clear whether it began from pretrained or from random weights: {places}", places=places
            )
        )
    if not signs:
        return FactFound(problem=missing)
    return FactFound(signs[0], missing)


def _of_path(setting: Setting) -> RunFact:
    """A file of weights is a pretrained one unless its name says that they are random."""
    return RunFact(value=start_named(setting.value) or Start.PRETRAINED, evidence=setting.evidence)


def _is_own(path: str, settings: Settings) -> bool:
    """Whether a checkpoint is one that the run itself saved before it was interrupted."""
    folder = first_setting(settings, "save_dir", "output_dir")
    inside = folder is not None and PurePosixPath(path).is_relative_to(PurePosixPath(folder.value))
    return _is_own_state(path) or inside


def _is_own_state(path: str) -> bool:
    """Whether a file is what some program looks for when no other is named: the run's own last state."""
    return PurePosixPath(path).name in programs().own_states


def _facts(settings: Settings) -> Iterator[RunFact]:
    """Yield the facts that the log states. The Trainer loads its model from where the settings say."""
    for setting in (*settings.get("checkpoint_not_found", ()), *settings.get("trained_from_scratch", ())):
        yield RunFact(value=Start.RANDOM, evidence=setting.evidence)
    for setting in (*settings.get("loaded_checkpoint", ()), *settings.get("loaded_weights", ())):
        if not _is_own(setting.value, settings):
            yield _of_path(setting)


def _start_asked(settings: Settings) -> Iterator[RunFact]:
    """Yield the weights that the settings ask for."""
    for name in programs().weights:
        for setting in settings.get(name, ()):
            if setting.value.strip("'\" ") and not _is_own_state(setting.value):
                yield _of_path(setting)
    for framework in programs().frameworks:
        untrained = first_setting(settings, framework.untrained) if framework.untrained else None
        if untrained and not first_setting(settings, *framework.weights):
            yield RunFact(value=Start.RANDOM, evidence=untrained.evidence)


def _nothing_asked(settings: Settings) -> Iterator[RunFact]:
    """Training starts from random weights where whole settings name no file, unless it goes on with its own."""
    resumed = any(_is_own(setting.value, settings) for setting in settings.get("loaded_checkpoint", ()))
    for framework in programs().frameworks:
        complete = [settings[name][0] for name in framework.complete if name in settings]
        shown = (
            [setting for name in framework.weights for setting in settings.get(name, ())] if framework.complete else []
        )
        if (shown or len(complete) > 1) and not resumed:
            yield RunFact(value=Start.RANDOM, evidence=(shown or complete)[0].evidence)


def _missing(settings: Settings) -> str | None:
    """A problem where weights were asked for that were not there."""
    absent = {setting.value for setting in settings.get("checkpoint_not_found", ())}
    wanted = (setting.value for name in programs().resumed for setting in settings.get(name, ()))
    asked = next((text for text in wanted if text in absent and not _is_own_state(text)), None)
    if asked is None:
        return None
    return say("the weights {asked} were asked for but not found, so training began from random weights", asked=asked)


def runs_of(logs: Iterable[Log]) -> tuple[Run, ...]:
    """The training runs that some logs are of, by name. A run that was logged in several ways is one run; of a step
    that was logged again after a restart, the later log comes last and counts."""
    parts = by_name(_with_subsets(log) for log in logs)
    runs = (_run(with_later_evaluations(part)) for part in with_evaluations(put_together(parts)))
    return tuple(sorted(runs, key=lambda run: (run.name, run.logs[0].file)))


def _with_subsets(log: Log) -> Log:
    """The log, with the part of the data from its tags where its path names none. Those that a known program writes
    stay as they are; of any other tag the part of the data comes first: `val_acc` is `valid/acc`."""
    if any(series.subset for series in log.series):
        return log
    names = [candidate.tag.lower() for candidate in log.series]
    is_known = framework_of([log], {}).known is not None
    series = tuple(
        _of_tag(candidate, names)
        if not is_known
        else candidate.model_copy(update={"subset": subset_of_tag(candidate.tag)})
        for candidate in log.series
    )
    return log.model_copy(update={"series": series})


def _of_tag(series: Series, names: Sequence[str]) -> Series:
    """A series with the part of the data that its tag names."""
    subset = subset_of_tag(series.tag)
    if subset is None:
        split, name = measured_by(series.tag.lower(), 0, names)[1:]
        subset = subset_of_split(split)
        if subset:
            return series.model_copy(update={"subset": subset, "tag": f"{split}/{name}"})
    return series.model_copy(update={"subset": subset})


def _run(logs: Sequence[Log]) -> Run:
    # The folder of a log, with the name that a tracker gives the run.
    names = (f"{log.name}/{log.run}" if log.run not in ("", log.name) else log.name for log in logs if not is_text(log))
    name, settings = next(names, logs[0].name), settings_of(logs)
    framework, seed = framework_of(logs, settings), seed_of(logs, settings)
    start, (schedule, unclear_schedule) = start_of(name, logs, settings), schedule_of(logs, settings)
    facts = {"framework": framework, "start": start, "seed": seed}
    cut = first_setting(settings, CUT)
    missing = say("part of its log is missing (“{mark}”), so it proves nothing", mark=cut.value) if cut else None
    found = (framework.problem, start.problem, seed.problem, unclear_schedule, missing, *_restarts(logs))
    return Run(
        name=name,
        logs=tuple(logs),
        framework=framework.known,
        start=start.known,
        adapter=adapter_of(settings),
        seed=seed.known,
        schedule=schedule,
        unclear=tuple(what for what, fact in facts.items() if fact.problem and not fact.known),
        problems=tuple(problem for problem in found if problem),
    )


def _restarts(logs: Sequence[Log]) -> Iterator[str]:
    """Steps that several event files of one folder hold with different values."""
    seen: dict[tuple[str, str, Subset | None, str, int], float] = {}
    again: set[int] = set()
    for log in logs:
        if log.origin:
            folder = log.file.rpartition("/")[0]
            examples = next((setting.value for setting in log.settings if setting.name == "eval_samples"), "")
            for series in log.series:
                is_time = series.tag.endswith(("runtime", "per_second"))
                for step, value in () if is_time else zip(series.steps, series.values, strict=True):
                    if seen.setdefault((folder, series.tag, series.subset, examples, step), value) != value:
                        again.add(step)
    if again:
        yield say_number(
            "{number} step was logged again with another value (a restart?): the later one counts",
            "{number} steps were logged again with other values (a restart?): the later ones count",
            len(again),
        )

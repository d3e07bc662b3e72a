"""The learning rate's course in a run: as it was logged, else as the settings ask for it."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Final, NamedTuple

from grader.message import Words, say
from grader.reading.evidence import Evidence
from grader.reading.log import Log, Series
from grader.reading.logs.schedule import Fit, Rate, fitted
from grader.reading.logs.written import number, whole
from grader.reading.run import Schedule
from grader.reading.run_facts import Settings, first

_RATES: Final = frozenset({"lr", "learning_rate", "train/learning_rate", "train/lr"})
_TOTALS: Final = ("total_num_update", "total_optimization_steps", "max_steps", "max_update")
_LINEAR: Final = ("linear", "polynomial_decay")
_MANY_RATES: Final = 3


class Scheduled(NamedTuple):
    """The schedule, and a problem where logged rates and settings disagree."""

    schedule: Schedule | None = None
    problem: Words | None = None


def schedule_of(logs: Sequence[Log], settings: Settings) -> Scheduled:
    """What was logged counts for more than what was asked for: a script may compute its own number of updates."""
    peak = _number(settings, "lr", "learning_rate")
    warmup = whole(_value(settings, "warmup_updates", "warmup_steps")) or None
    curves = list(_rates(logs))
    rates = {point for _, series in curves for point in map(Rate, series.steps, series.values)}
    asked = _asked(settings, peak, warmup)
    if _number(settings, "end_learning_rate"):
        return Scheduled()
    fit = fitted(rates, peak, warmup)
    if fit is None:
        return Scheduled(asked if len({one.rate for one in rates}) < _MANY_RATES else None)
    schedule = _as_logged(fit, curves)
    if asked and asked.total_updates != fit.total:
        problem = say(
            "its settings ask for {total_updates} updates, but the logged rates reach zero at {total}",
            total_updates=asked.total_updates,
            total=fit.total,
        )
        return Scheduled(schedule, problem)
    return Scheduled(schedule)


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
    """The schedule that the settings ask for, where it is linear. `max_update` is where fairseq stops; its rate falls
    to zero there only where no other number is given."""
    kind = _value(settings, "lr_scheduler", "lr_scheduler_type")
    if kind is not None and kind.split(".")[-1].lower() not in _LINEAR:
        return None
    for name in _TOTALS:
        setting = first(settings, name)
        total = whole(setting.value) if setting else None
        if setting and total and total > 0:
            return Schedule(total_updates=total, peak=peak, warmup_updates=warmup, evidence=setting.evidence)
    return None


def _value(settings: Settings, *names: str) -> str | None:
    setting = first(settings, *names)
    return setting.value if setting else None


def _number(settings: Settings, *names: str) -> float | None:
    value = _value(settings, *names)
    return number(value) if value is not None else None

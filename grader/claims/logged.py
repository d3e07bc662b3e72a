"""What the training logs show: for each run of an experiment with a seed, accuracy by step on each split."""

from collections import defaultdict
from collections.abc import Iterable
from math import isfinite

from grader.claims.wording import experiments_named
from grader.frozen import Frozen
from grader.lab.definition import Lab
from grader.reading.evidence import Evidence
from grader.reading.run import Run, Series, Subset

_ACCURACY_TAGS = ("accuracy", "eval/accuracy", "eval_accuracy", "test/accuracy", "valid/accuracy")


class LoggedAccuracy(Frozen):
    """An accuracy in percent that a log holds, and where."""

    step: int
    value: float
    evidence: Evidence


class LoggedRun(Frozen):
    """One training run as logged. Experiment and seed are None where the names of its files do not tell."""

    name: str
    experiment: str | None
    seed: int | None
    valid: tuple[LoggedAccuracy, ...] = ()
    test: tuple[LoggedAccuracy, ...] = ()

    @property
    def at_best_valid(self) -> tuple[LoggedAccuracy, ...]:
        """The test accuracies at the steps of the best validation accuracy; several when epochs tie."""
        best = max((point.value for point in self.valid), default=None)
        steps = {point.step for point in self.valid if point.value == best}
        return tuple(point for point in self.test if point.step in steps)


def logged_runs(runs: Iterable[Run], lab: Lab) -> tuple[LoggedRun, ...]:
    """Runs with an accuracy curve; the log files of one run's splits are put together by their folder's name."""
    grouped: dict[str, list[Run]] = defaultdict(list)
    for run in runs:
        grouped[run.name].append(run)
    found = (_logged(name, parts, lab) for name, parts in sorted(grouped.items()))
    return tuple(run for run in found if run.valid or run.test)


def _logged(name: str, parts: list[Run], lab: Lab) -> LoggedRun:
    named = experiments_named(name.replace("_", " ").replace("/", " ").replace("-", " "), lab)
    seeds = {run.seed for run in parts if run.seed is not None}
    return LoggedRun(
        name=name,
        experiment=named[0] if len(named) == 1 else None,
        seed=seeds.pop() if len(seeds) == 1 else None,
        valid=_accuracies(parts, Subset.VALID),
        test=_accuracies(parts, Subset.TEST),
    )


def _accuracies(parts: list[Run], subset: Subset) -> tuple[LoggedAccuracy, ...]:
    return tuple(
        LoggedAccuracy(
            step=step,
            value=_percent(value, series),
            evidence=Evidence(file=run.file, tag=series.tag, step=step, quote=f"{value:g}"),
        )
        for run in parts
        if run.subset is subset
        for series in run.series
        if series.tag in _ACCURACY_TAGS
        for step, value in zip(series.steps, series.values, strict=True)
        if isfinite(value)
    )


def _percent(value: float, series: Series) -> float:
    """Trainer logs fractions, fairseq percentages; a whole series tells which."""
    return round(value * 100, 6) if all(other <= 1 for other in series.values if isfinite(other)) else round(value, 6)

"""What the training logs show: for each run of an experiment with a seed, accuracy by step on each split."""

from collections.abc import Iterable
from math import isfinite

from grader.claims.wording import experiments_named
from grader.frozen import Frozen
from grader.lab.definition import Lab
from grader.reading.evidence import Evidence
from grader.reading.log import Series, Subset
from grader.reading.run import Run

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
    """Runs with an accuracy curve."""
    found = (_logged(run, lab) for run in runs)
    return tuple(run for run in found if run.valid or run.test)


def _logged(run: Run, lab: Lab) -> LoggedRun:
    named = experiments_named(run.name.replace("_", " ").replace("/", " ").replace("-", " "), lab)
    return LoggedRun(
        name=run.name,
        experiment=named[0] if len(named) == 1 else None,
        seed=int(run.seed.value) if run.seed else None,
        valid=_accuracies(run, Subset.VALID),
        test=_accuracies(run, Subset.TEST),
    )


def _accuracies(run: Run, subset: Subset) -> tuple[LoggedAccuracy, ...]:
    return tuple(
        LoggedAccuracy(
            step=step,
            value=_percent(value, series),
            evidence=Evidence(file=log.file, tag=series.tag, step=step, quote=f"{value:g}"),
        )
        for log in run.logs
        for series in log.series
        if series.subset is subset and series.tag in _ACCURACY_TAGS
        for step, value in zip(series.steps, series.values, strict=True)
        if isfinite(value)
    )


def _percent(value: float, series: Series) -> float:
    """Trainer logs fractions, fairseq percentages; a whole series tells which."""
    return round(value * 100, 6) if all(other <= 1 for other in series.values if isfinite(other)) else round(value, 6)

"""What the training logs show: for each run of an experiment with a seed, accuracy by step on each split."""

from collections.abc import Iterable, Iterator
from math import isfinite

from grader.claims.logged_experiment import experiment_of
from grader.claims.logged_subset import subset_of
from grader.frozen import Frozen
from grader.lab.definition import Lab
from grader.reading.evidence import Evidence
from grader.reading.log import Log, Series, Subset
from grader.reading.run import Run, Schedule

_ACCURACY_TAGS = ("accuracy", "acc")
_OF_SUBSET = ("eval/", "eval_", "test/", "test_", "valid/", "valid_")

_ROUNDED = 0.01
"""In percent: by less than this, two logs of one value may differ."""


class LoggedAccuracy(Frozen):
    """An accuracy in percent that a log holds, and where."""

    step: int
    value: float
    evidence: Evidence


class LoggedRun(Frozen):
    """One training run as logged. Experiment, seed and schedule are None where its logs do not tell, or contradict
    themselves."""

    name: str
    experiment: str | None
    seed: int | None
    schedule: Schedule | None = None
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
    return LoggedRun(
        name=run.name,
        experiment=experiment_of(run, lab),
        seed=int(run.seed.value) if run.seed else None,
        schedule=run.schedule,
        valid=_accuracies(run, Subset.VALID, lab),
        test=_accuracies(run, Subset.TEST, lab),
    )


def _accuracies(run: Run, subset: Subset, lab: Lab) -> tuple[LoggedAccuracy, ...]:
    """One accuracy for each step. Of several the last counts, unless it only repeats what an earlier log says."""
    by_step: dict[int, LoggedAccuracy] = {}
    for log in run.logs:
        for series in log.series:
            if _is_accuracy(series.tag) and subset_of(series, log, run, lab) is subset:
                for point in _points(log, series):
                    known = by_step.get(point.step)
                    if known is None or abs(known.value - point.value) > _ROUNDED:
                        by_step[point.step] = point
    return tuple(point for _, point in sorted(by_step.items()))


def _is_accuracy(tag: str) -> bool:
    return any(tag.removeprefix(prefix) in _ACCURACY_TAGS for prefix in ("", *_OF_SUBSET))


def _points(log: Log, series: Series) -> Iterator[LoggedAccuracy]:
    lines = series.lines or (None,) * len(series.steps)
    for step, value, line in zip(series.steps, series.values, lines, strict=True):
        if isfinite(value):
            place = Evidence(file=log.file, line=line, cell=series.cell, tag=series.tag, step=step, quote=f"{value:g}")
            yield LoggedAccuracy(step=step, value=_percent(value, series), evidence=place)


def _percent(value: float, series: Series) -> float:
    """Trainer logs fractions, fairseq percentages; a whole series tells which."""
    return round(value * 100, 6) if all(other <= 1 for other in series.values if isfinite(other)) else round(value, 6)

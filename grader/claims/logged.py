"""What the training logs show: for each run of an experiment with a seed, accuracy by step on each split."""

from collections.abc import Iterable, Iterator
from math import isfinite

from grader.claims.logged_experiment import experiment_of
from grader.claims.logged_subset import subset_of
from grader.frozen import Frozen
from grader.lab.definition import Lab
from grader.reading.evidence import Evidence
from grader.reading.log import Log, Series, Setting, Subset
from grader.reading.run import Known, Run, Schedule
from grader.reading.run_facts import settings_of

_ACCURACY_TAGS = ("accuracy", "acc")
_OF_SUBSET = ("eval/", "eval_", "test/", "test_", "valid/", "valid_")

TOLD = frozenset(
    [
        "arch",
        "batch_size",
        "checkpoint_not_found",
        "data",
        "gradient_accumulation_steps",
        "learning_rate",
        "lr",
        "lr_scheduler",
        "lr_scheduler_type",
        "max_epoch",
        "max_positions",
        "max_sentences",
        "max_seq_length",
        "model_name_or_path",
        "num_train_epochs",
        "per_device_train_batch_size",
        "restore_file",
        "seed",
        "task_name",
        "total_train_batch_size",
        "train_file",
        "update_freq",
        "warmup_ratio",
        "warmup_steps",
        "warmup_updates",
    ]
)
"""The settings that say how a run was trained and on what."""

_FEW = 3

_ROUNDED = 0.01
"""In percent: by less than this, two logs of one value may differ."""


class LoggedAccuracy(Frozen):
    """An accuracy in percent that a log holds, and where."""

    step: int
    value: float
    evidence: Evidence


class LoggedRun(Frozen):
    """One training run as logged. Experiment, seed, schedule and start are None where its logs do not tell, or
    contradict themselves. `settings` are all that they tell of how it was trained."""

    name: str
    experiment: str | None
    seed: int | None
    schedule: Schedule | None = None
    start: Known | None = None
    settings: tuple[Setting, ...] = ()
    valid: tuple[LoggedAccuracy, ...] = ()
    test: tuple[LoggedAccuracy, ...] = ()

    @property
    def at_best_valid(self) -> tuple[LoggedAccuracy, ...]:
        """The test accuracies at the steps of the best validation accuracy; several when epochs tie."""
        best = max((point.value for point in self.valid), default=None)
        steps = {point.step for point in self.valid if point.value == best}
        return tuple(point for point in self.test if point.step in steps)

    @property
    def best_valid(self) -> tuple[LoggedAccuracy, ...]:
        """The points of the best validation accuracy; several when epochs tie."""
        best = max((point.value for point in self.valid), default=None)
        return tuple(point for point in self.valid if point.value == best)


def logged_runs(runs: Iterable[Run], lab: Lab) -> tuple[LoggedRun, ...]:
    """Runs with an accuracy curve."""
    found = (_by_grid(_logged(run, lab), lab) for run in runs)
    return tuple(run for run in found if run.valid or run.test)


def _logged(run: Run, lab: Lab) -> LoggedRun:
    return LoggedRun(
        name=run.name,
        experiment=experiment_of(run, lab),
        seed=int(run.seed.value) if run.seed else None,
        schedule=run.schedule,
        start=run.start,
        settings=tuple(one for values in settings_of(run.logs).values() for one in values if one.name in TOLD),
        valid=_accuracies(run, Subset.VALID, lab),
        test=_accuracies(run, Subset.TEST, lab),
    )


def _by_grid(run: LoggedRun, lab: Lab) -> LoggedRun:
    """A run whose only accuracies, said to be of validation, are not possible there but on the test set, which a
    script was then given as its validation file."""
    if run.test or len(run.valid) < _FEW or _possible(run.valid, Subset.VALID, lab):
        return run
    moved = _possible(run.valid, Subset.TEST, lab)
    return run.model_copy(update={"valid": (), "test": run.valid}) if moved else run


def _possible(points: tuple[LoggedAccuracy, ...], subset: Subset, lab: Lab) -> bool:
    steps = [100 / split.examples for split in lab.splits if split.id == subset]
    return all(abs(p.value / step - round(p.value / step)) * step <= _ROUNDED for p in points for step in steps)


def _accuracies(run: Run, subset: Subset, lab: Lab) -> tuple[LoggedAccuracy, ...]:
    """One accuracy for each step. Of several the last counts, unless it only repeats what an earlier log says."""
    by_step: dict[int, LoggedAccuracy] = {}
    for log, series, measured_on in accuracy_curves(run, lab):
        if measured_on is subset:
            for point in _points(log, series):
                known = by_step.get(point.step)
                if known is None or abs(known.value - point.value) > _ROUNDED:
                    by_step[point.step] = point
    return tuple(point for _, point in sorted(by_step.items()))


def accuracy_curves(run: Run, lab: Lab) -> Iterator[tuple[Log, Series, Subset]]:
    """The accuracy series of a run with the part of the data they were measured on, where that is known."""
    for log in run.logs:
        for series in log.series:
            subset = subset_of(series, log, run, lab) if _is_accuracy(series.tag) else None
            if subset:
                yield log, series, subset


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

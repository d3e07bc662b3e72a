"""What the training logs show: for each run of an experiment with a seed, accuracy by step on each split.

The Trainer evaluates what it was given as the validation file under `eval/`, and a script is often given the test
file there.
"""

from collections.abc import Iterable, Iterator
from math import isfinite
from pathlib import PurePosixPath

from grader.claims.results.roles import split_in
from grader.claims.results.vocabulary import experiments_in
from grader.frozen import Frozen
from grader.lab.definition import Lab
from grader.reading.document import Evidence
from grader.reading.log import Framework, Log, Run, RunFact, Schedule, Series, Setting, Subset, telling_name
from grader.reading.logs.written import EXPERIMENT
from grader.reading.run_parts import settings_of

_FRAMEWORKS = {Framework.FAIRSEQ: "fairseq", Framework.TRAINER: "hugging face transformers trainer"}
"""The words by which labs name them."""


def experiment_of(run: Run, lab: Lab) -> str | None:
    """The id of the experiment that the lab says logs so; else of the one that the run's facts describe; where they do
    not tell, the one that its folder's name does. None where that is none or several, and where facts and name
    contradict each other."""
    given = {one.value for log in run.logs for one in log.settings if one.name == EXPERIMENT}
    if given:
        return given.pop() if len(given) == 1 else None
    if "framework" in run.unclear or "start" in run.unclear:
        return None
    name = telling_name(run.name, run.logs)
    named = experiments_in(name.replace("_", " ").replace("/", " ").replace("-", " "), lab)
    facts = experiments_in(_words(run), lab)
    if not facts:
        return named[0] if len(named) == 1 else None
    if len(facts) > 1:
        return None
    alike = {
        facts[0],
        *(other for experiment in lab.experiments if experiment.id == facts[0] for other in experiment.like),
    }
    return facts[0] if len(named) != 1 or named[0] in alike else None


def _words(run: Run) -> str:
    """What is known of the run in words. Framework and weights belong together: one alone may fit two experiments."""
    framework = _FRAMEWORKS[Framework(run.framework.value)] if run.framework else ""
    if not framework:
        return ""
    return " ".join([framework, run.start.value if run.start else "", run.adapter.value if run.adapter else ""])


def subset_of(series: Series, log: Log, run: Run, lab: Lab) -> Subset | None:
    """The part of the data: by the number of examples that were evaluated, else by the name of the evaluated file,
    else as the log says. None where number and name contradict each other."""
    if series.subset is not Subset.VALID or not series.tag.startswith("eval"):
        return series.subset
    by_count = _by_count(log, lab)
    by_file = _by_file([log] if _file(log.settings) else run.logs, lab)
    if by_count and by_file and by_count is not by_file:
        return None
    return by_count or by_file or series.subset


def _by_count(log: Log, lab: Lab) -> Subset | None:
    """The one split of as many examples as were evaluated."""
    counts = {setting.value for setting in log.settings if setting.name == "eval_samples"}
    splits = [split.id for split in lab.splits if str(split.examples) in counts]
    return _subset(splits[0]) if len(splits) == 1 else None


def _by_file(logs: Iterable[Log], lab: Lab) -> Subset | None:
    """The split that the name of the validation file speaks of."""
    files = {file for log in logs if (file := _file(log.settings))}
    if len(files) != 1:
        return None
    stem = PurePosixPath(files.pop()).name.replace("_", " ").replace(".", " ").replace("-", " ")
    split = split_in(stem, lab)
    return _subset(split) if split else None


def _file(settings: Iterable[Setting]) -> str | None:
    return next((setting.value for setting in settings if setting.name == "validation_file"), None)


def _subset(split: str) -> Subset | None:
    return Subset(split) if split in (Subset.VALID, Subset.TEST) else None


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
    start: RunFact | None = None
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
    size = lab.sizes.get(subset)
    steps = [100 / size] if size else []
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

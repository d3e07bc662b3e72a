"""The results in training logs: for each run and measure, the value at each step on each split.

The Trainer of `transformers` names values on its validation file `eval/`. Students often pass the test file as the
validation file, so `split_of` uses the number of examples and the name of the file as well.
"""

import re
from bisect import bisect_right
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import groupby, pairwise
from math import isclose, isfinite, prod
from pathlib import PurePosixPath
from statistics import median_low
from typing import Final

from grader.claims.results.claimed import ResultClaims, RunResult, Summary, mean_fits, result_claims
from grader.claims.results.roles import split_in
from grader.claims.results.runs import run_words, runs_named
from grader.claims.results.vocabulary import experiments_in
from grader.claims.sections import Section
from grader.frozen import Frozen, memoise
from grader.lab.definition import Lab
from grader.lab.experiments import ACCURACY, PARTS, Measure
from grader.message import Message, say
from grader.reading.document import Block, Evidence, Voice
from grader.reading.log import SUBSETS, Log, Run, RunFact, Schedule, Series, Setting, Subset, programs, telling_name
from grader.reading.logs.draft import EPOCHS
from grader.reading.logs.written import BEGINS, CUT, EXPERIMENT, number, whole_number
from grader.reading.run_parts import settings_of

Place = tuple[str, int]
"""The file and the number of a cell."""

_FRAMEWORKS: Final = {framework.id: framework.named for framework in programs().frameworks}
"""The words by which labs name frameworks."""


def experiment_of(run: Run, lab: Lab) -> str | None:
    """Return the id of a run's experiment, or None if it is unknown or contradictory.

    A setting in the log counts first, then the facts that the logs state about the run, then the name of its folder.
    """
    given = {setting.value for log in run.logs for setting in log.settings if setting.name == EXPERIMENT}
    if given:
        return _only(given)
    if not {"framework", "start"}.isdisjoint(run.unclear):
        return None
    name = telling_name(run.name, run.logs)
    # The reader adds ` part N` to the name if a file has several trainings. Questions may be called parts, too.
    named = experiments_in(_without_runs(re.sub(r"[_/-]| part \d+$", " ", name), lab), lab)
    facts = experiments_in(_words(run), lab)
    by_name, by_facts = _only(named), _only(facts)
    if not facts or by_name is None:
        return by_facts or by_name
    alike = [{experiment.id, *experiment.like} for experiment in lab.experiments if experiment.id == by_facts]
    return by_facts if any(by_name in ids for ids in alike) else None


def _without_runs(name: str, lab: Lab) -> str:
    """Return a run's name without its repetition: `random_seed1` names random weights, but `random seed` does not."""
    for mark in sorted(runs_named(name, run_words(lab)), key=lambda candidate: -candidate.start):
        name = f"{name[: mark.start]}{name[mark.end :]}"
    return name


def _only(ids: Collection[str | None]) -> str | None:
    """Return the only element, or None if there are several or none."""
    return next(iter(ids)) if len(ids) == 1 else None


def _words(run: Run) -> str:
    """Return the framework and the weights of a run in words. Each alone may fit two experiments, so both are
    needed."""
    if run.framework is None:
        return ""
    return " ".join([_FRAMEWORKS[run.framework.value], *(fact.value for fact in (run.start, run.adapter) if fact)])


def split_of(series: Series, log: Log, run: Run, lab: Lab) -> str | None:
    """Return the lab's split on which a series was measured, or None if it is unknown or contradictory.

    The split in the tag counts first, then the part of the data. For the Trainer's validation file, the number of
    examples and the name of the file decide.
    """
    named = next((split.id for split in lab.splits if split.id not in PARTS and _rest(series.tag, split.id)), None)
    if named or series.subset is None:
        return named or _only([split.id for split in lab.splits])
    subset_split = _split_of_subset(series.subset, lab)
    if series.subset is not Subset.VALID or not series.tag.startswith("eval"):
        return subset_split
    by_count = _by_count(log, lab)
    return _only({by_count, _by_file(log, run, lab)} - {None} or {subset_split})


def _rest(tag: str, split: str) -> str | None:
    """Return the text after a split's name in a tag such as `ood/accuracy`, or None."""
    match = re.match(rf"{re.escape(split)}[/_](.*)", tag, re.IGNORECASE)
    return match[1].casefold() if match else None


def _split_of_subset(subset: Subset, lab: Lab) -> str | None:
    """Return the lab's split for a usual part of the data, by its id or by its role."""
    usual = {Subset.VALID: lab.selecting, Subset.TEST: next(iter(lab.reported), None)}
    return subset.value if subset in {split.id for split in lab.splits} else usual.get(subset, subset.value)


def _by_count(log: Log, lab: Lab) -> str | None:
    """Return the only split with as many examples as were evaluated, or None."""
    counts = {setting.value for setting in log.settings if setting.name == "eval_samples"}
    return _only([split for split, examples in lab.sizes.items() if str(examples) in counts])


def _by_file(log: Log, run: Run, lab: Lab) -> str | None:
    """Return the split that the name of the validation file mentions, or None.

    The file is named in this log or in the run's training logs.
    """
    trained = (
        candidate
        for candidate in run.logs
        if not candidate.series or any(len(each.steps) > 1 for each in candidate.series)
    )
    own_file = _file(log.settings)
    file = own_file or _only({file for candidate in trained if (file := _file(candidate.settings))})
    return split_in(re.sub(r"[_.-]", " ", PurePosixPath(file).name), lab) if file else None


def _file(settings: Iterable[Setting]) -> str | None:
    return next((setting.value for setting in settings if setting.name == "validation_file"), None)


_OF_SUBSET: Final = tuple(
    f"{name}{sign}" for name, subset in SUBSETS.items() if subset is not Subset.TRAIN for sign in "/_"
)

TRAINING_SETTINGS = frozenset(
    [
        *programs().weights,
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
        "num_train_epochs",
        "per_device_train_batch_size",
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
"""The names of the settings that state how and on what a run was trained."""


_FEW = 3

_ROUNDED = 0.01
"""The largest difference, in percent, between two logs of the same value."""


class LoggedValue(Frozen):
    """A value in a log, with its place. A share is in percent. `step` counts updates, or epochs if `by_epoch`."""

    step: int
    value: float
    evidence: Evidence
    by_epoch: bool = False

    @property
    def moment(self) -> Message:
        """The epoch or step for messages."""
        return say("epoch {epoch}", epoch=self.step) if self.by_epoch else say("step {step}", step=self.step)


class LoggedRun(Frozen):
    """One training run by one measure, as logged.

    `experiment`, `seed`, `schedule` and `start` are None if the logs do not state them or contradict each other.
    """

    name: str
    experiment: str | None
    seed: int | None
    schedule: Schedule | None = None
    start: RunFact | None = None
    settings: tuple[Setting, ...] = ()
    """All settings that state how the run was trained."""
    measure: str = ACCURACY.id
    is_lower_better: bool = False
    is_selected: bool = True
    """Whether the lab has a split that selects checkpoints. Otherwise the last value counts."""
    split: str | None = None
    """A split whose results the lab asks for."""
    selecting: tuple[LoggedValue, ...] = ()
    """The values on the split that selects checkpoints."""
    reported: tuple[LoggedValue, ...] = ()
    """The values on `split`."""
    is_whole: bool = True
    """Whether the log seems to contain all evaluations of the run. An incomplete log may lack the best value, so it
    contradicts nothing."""

    @property
    def points(self) -> tuple[LoggedValue, ...]:
        """The values on both splits."""
        return (*self.selecting, *self.reported)

    @property
    def at_best(self) -> tuple[LoggedValue, ...]:
        """The reported values at the steps with the best value on the split that selects; several if epochs tie.

        A single value measured after training counts only if the last checkpoint is also the best one.
        """
        if not self.is_selected:
            return self.reported[-1:]
        steps = {point.step for point in self.best_selecting}
        if len(self.reported) == 1 and self.selecting and self.selecting[-1].step in steps:
            (only,), last = self.reported, self.selecting[-1]
            return self.reported if only.step >= last.step and only.by_epoch == last.by_epoch else ()
        return tuple(point for point in self.reported if point.step in steps)

    @property
    def best_selecting(self) -> tuple[LoggedValue, ...]:
        """The best values on the split that selects; several if epochs tie."""
        best = self.best((point.value for point in self.selecting), default=None)
        return tuple(point for point in self.selecting if point.value == best)

    def best(self, values: Iterable[float], default: float | None = None) -> float | None:
        """Return the best of some values of the measure, or the default if there are none."""
        return (min if self.is_lower_better else max)(values, default=default)


def logged_runs(runs: Iterable[Run], lab: Lab) -> tuple[LoggedRun, ...]:
    """Return the logged values of each run, one `LoggedRun` per measure and split whose results the lab asks for."""
    found = (
        _by_grid(_logged(run, measure, split, lab), measure, lab)
        for run in runs
        for measure in _measures_of(run, lab)
        for split in lab.reported or (None,)
    )
    return tuple(run for run in found if run.selecting or run.reported)


def _measures_of(run: Run, lab: Lab) -> tuple[Measure, ...]:
    experiment = experiment_of(run, lab)
    return lab.measures_of(experiment) if experiment else lab.measured


@memoise
def _logged(run: Run, measure: Measure, split: str | None, lab: Lab) -> LoggedRun:
    return LoggedRun(
        name=run.name,
        experiment=experiment_of(run, lab),
        seed=int(run.seed.value) if run.seed else _seed_named(run, lab),
        schedule=run.schedule,
        start=run.start,
        settings=tuple(
            value for values in settings_of(run.logs).values() for value in values if value.name in TRAINING_SETTINGS
        ),
        measure=measure.id,
        is_lower_better=measure.is_lower_better,
        is_selected=lab.selecting is not None,
        split=split,
        selecting=(selecting := _values(run, measure, lab.selecting, lab)),
        reported=_values(run, measure, split, lab),
        is_whole=_is_whole(run, [point.step for point in selecting]),
    )


_APART: Final = 1.5
"""If two evaluations are further apart than the usual distance times this factor, one between them is missing."""
_ENDS: Final = ("max_update", "total_optimization_steps", "max_steps")
_EPOCHS: Final = ("max_epoch", "num_train_epochs")


def _is_whole(run: Run, steps: Sequence[int]) -> bool:
    """Whether the log seems to contain all evaluations of a run on the split that selects.

    The log is not cut off, the evaluations begin with the first, their distances are even, and they reach the end that
    the settings state.
    """
    settings = settings_of(run.logs)
    holding = [log for log in run.logs if log.series]
    is_late = bool(holding) and all(any(setting.name == BEGINS for setting in log.settings) for log in holding)
    if CUT in settings or is_late:
        return False
    epochs = (
        number(first.value) if (first := next((settings[text][0] for text in _EPOCHS if text in settings), None)) else 0
    )
    if len(steps) < 2:
        return not steps or _is_logged_whole(holding, epochs or 0)
    apart = [after - before for before, after in pairwise(steps)]
    usual = median_low(apart[:-1] or apart) * _APART
    if steps[0] > usual or max(apart) > usual:
        return False
    ends = [
        end for text in _ENDS for setting in settings.get(text, ()) if (end := whole_number(setting.value)) and end > 0
    ]
    is_early = steps[-1] + usual < min(ends) if ends else len(steps) < (epochs or 0)
    patience = [setting.value for name, entries in settings.items() if "patience" in name for setting in entries]
    return not is_early or len(steps) == epochs or any((number(setting) or 0) > 0 for setting in patience)


def _is_logged_whole(logs: Sequence[Log], epochs: float) -> bool:
    """Whether a single evaluation may be the only one, because the whole training was logged."""
    trained = [series.steps for log in logs for series in log.series if series.subset is Subset.TRAIN and series.steps]
    longest = max(trained, key=len, default=())
    if len(longest) < 2:
        return not trained or epochs <= 1
    pace = median_low([after - before for before, after in pairwise(longest)])
    return min(steps[0] for steps in trained) <= pace * _APART


def _seed_named(run: Run, lab: Lab) -> int | None:
    """Return the seed or fold in a run's name, such as `out/fold3`, or None."""
    marks = [] if "seed" in run.unclear else runs_named(re.sub(r"[_/-]", " ", run.name), run_words(lab))
    named = _only({mark.value for mark in marks})
    return int(named) if named else None


def _by_grid(run: LoggedRun, measure: Measure, lab: Lab) -> LoggedRun:
    """Return the run with its values moved to the split that is asked for, if they are impossible on the split that
    selects.

    This happens if a script got the test file as its validation file.
    """
    if not measure.is_counted or run.reported or len(run.selecting) < _FEW:
        return run
    if _possible(run.selecting, lab.selecting, lab):
        return run
    moved = _possible(run.selecting, run.split, lab)
    return run.model_copy(update={"selecting": (), "reported": run.selecting}) if moved else run


def _possible(points: tuple[LoggedValue, ...], split: str | None, lab: Lab) -> bool:
    """Whether each value is a whole number of right examples on a split, apart from rounding."""
    size = lab.sizes.get(split or "")
    shares = (100 * round(point.value * size / 100) / size for point in points if size)
    return all(
        isclose(point.value, share, abs_tol=_ROUNDED / 100 if _is_fine(point) else _ROUNDED)
        for point, share in zip(points, shares, strict=False)
    )


def _is_fine(point: LoggedValue) -> bool:
    """Whether a value is logged with more digits than two decimals of a percentage."""
    return not isclose(point.value, round(point.value, 2), rel_tol=1e-7)


def of_the_lab(runs: Sequence[LoggedRun], sections: tuple[Section, ...], lab: Lab) -> tuple[LoggedRun, ...]:
    """Return the runs on the lab's data.

    A run is on other data if most of its values are impossible on every split that it measured, unless the text states
    its result.
    """
    strange = [run for run in runs if not _may_be_of_the_lab(run, lab)]
    stated = {float(result.value) for result in result_claims(sections, lab).seeds} if strange else set()
    own_runs = [run for run in strange if any(point.value in stated for point in (*run.best_selecting, *run.at_best))]
    return tuple(run for run in runs if run not in strange or run in own_runs)


def _may_be_of_the_lab(run: LoggedRun, lab: Lab) -> bool:
    if not all(measure.is_counted for measure in lab.measured if measure.id == run.measure):
        return True
    measured = [
        (points, split) for points, split in ((run.selecting, lab.selecting), (run.reported, run.split)) if points
    ]
    return any(
        2 * sum(_possible((point,), split, lab) for point in points) >= len(points)
        or (len(points) == 1 and not _is_fine(points[0]))  # a single rounded value proves little
        for points, split in measured
    )


def trainings(runs: Iterable[Run], logged: Iterable[LoggedRun], own_runs: Collection[LoggedRun]) -> dict[Place, bool]:
    """Return the cells that log trainings, by file and number, each with whether a training in it is the lab's own.

    These cells log a known program, or any program on data of another size.
    """
    shown: list[LoggedValue | Setting] = [point for run in own_runs for point in run.points]
    shown += [setting for run in own_runs for setting in run.settings]
    owned = {(entry.evidence.file, entry.evidence.cell) for entry in shown}
    found = {(log.file, series.cell) for run in runs if run.framework for log in run.logs for series in log.series}
    found |= set(_on_other_data(point for run in logged if run not in own_runs for point in run.points))
    return {(file, cell): (file, cell) in owned for file, cell in found | owned if cell is not None}


def _on_other_data(points: Iterable[LoggedValue]) -> Iterator[tuple[str, int | None]]:
    """Yield the cells that log values on data of another size.

    The values in one file are impossible on the lab's data and possible on another number of examples.
    """
    for file, group in groupby(
        sorted(points, key=lambda value: value.evidence.file), lambda value: value.evidence.file
    ):
        strange = list(group)
        if _have_one_size(strange):
            yield from ((file, point.evidence.cell) for point in strange)


_MOST_EXAMPLES: Final = 2_000
_BY_CHANCE: Final = 1e-6


def _have_one_size(points: Iterable[LoggedValue]) -> bool:
    """Whether all values are shares of one number of examples, and not by chance.

    Values that are means over batches are not.
    """
    values = {point.value: _ROUNDED / 100 if _is_fine(point) else _ROUNDED for point in points}
    expected = 0.0
    for size in range(2, _MOST_EXAMPLES):
        expected += prod(min(1.0, 2 * width * size / 100) for width in values.values())
        if expected > _BY_CHANCE:
            return False
        shares = ((value, 100 * round(value * size / 100) / size, width) for value, width in values.items())
        if all(isclose(value, share, abs_tol=width) for value, share, width in shares):
            return True
    return False


def less_figures_of_others(sections: Iterable[Section], trained: Mapping[Place, bool]) -> Iterator[Section]:
    """Yield the sections without results of other trainings.

    Cells that train something else, and the numbers after them up to the next training of the lab, are left out.
    """
    for section in sections:
        file = section.passage.file
        cells = sorted(cell for name, cell in trained if name == file)

        def is_anothers(block: Block, file: str = file, cells: Sequence[int] = cells) -> bool:
            before = bisect_right(cells, block.cell) if block.cell is not None else 0
            if not before or trained[file, cells[before - 1]]:
                return False
            return block.voice is Voice.FIGURES or (block.voice is Voice.PRINT and block.cell == cells[before - 1])

        kept = [block for block in section.passage.blocks if not is_anothers(block)]
        is_whole = len(kept) == len(section.passage.blocks)
        yield section if is_whole else section.model_copy(update={"passage": section.passage.of_blocks(kept)})


def _values(run: Run, measure: Measure, split: str | None, lab: Lab) -> tuple[LoggedValue, ...]:
    """Return one value per step, in order. The last value of a step counts, unless it only repeats an earlier log."""
    by_step: dict[int, LoggedValue] = {}
    for log, series, measured_on in curves_of(run, measure, lab) if split else ():
        if measured_on == split:
            for point in _points(log, series, measure):
                known_value = by_step.get(point.step)
                if known_value is None or not isclose(
                    known_value.value, point.value, abs_tol=_ROUNDED if measure.is_share else 0
                ):
                    by_step[point.step] = point
    return tuple(point for _, point in sorted(by_step.items()))


def curves_of(run: Run, measure: Measure, lab: Lab) -> Iterator[tuple[Log, Series, str]]:
    """Yield each series of a run with its log and the split on which it was measured, if known.

    If a log has several validation sets, such as fairseq's `valid` and `valid1`, the first selects checkpoints. A later
    one is of a reported split if its values are possible only there.
    """
    for log in run.logs:
        chosen: set[str] = set()
        for series in log.series:
            split = split_of(series, log, run, lab) if _is_of(series.tag, measure, lab) else None
            if split == lab.selecting is not None and series.tag in chosen:
                points = tuple(_points(log, series, measure))
                is_other = measure.is_counted and not _possible(points, lab.selecting, lab)
                split = _only([text for text in lab.reported if is_other and _possible(points, text, lab)])
            elif split == lab.selecting:
                chosen.add(series.tag)
            if split:
                yield log, series, split


@memoise
def _is_of(tag: str, measure: Measure, lab: Lab) -> bool:
    """Whether a tag names a measure, with or without a split before it."""
    tag_rests = (rest for split in lab.splits if (rest := _rest(tag, split.id)) is not None)
    return any(
        name in measure.tags
        for name in (*(tag.casefold().removeprefix(text) for text in ("", *_OF_SUBSET)), *tag_rests)
    )


def _points(log: Log, series: Series, measure: Measure) -> Iterator[LoggedValue]:
    lines = series.lines or (None,) * len(series.steps)
    tag = ", ".join((*filter(None, (log.tracker, log.run)), series.tag))
    by_epoch = any((setting.name, setting.value) == ("steps_count", EPOCHS) for setting in log.settings)
    for step, value, line in zip(series.steps, series.values, lines, strict=True):
        if isfinite(value):
            at = {"tag": f"{tag}, epoch {step}"} if by_epoch and step else {"tag": tag, "step": step}
            place = Evidence(file=log.file, line=line, cell=series.cell, quote=f"{value:g}", **at)
            kept = _kept(value, series, measure)
            yield LoggedValue(step=step, value=kept, evidence=place, by_epoch=by_epoch and step > 0)


def _kept(value: float, series: Series, measure: Measure) -> float:
    """Return a value in the stored unit. Programs log shares as fractions or percentages; the whole series shows
    which."""
    is_fraction = measure.is_share and all(other <= 1 for other in series.values if isfinite(other))
    return round(value * 100 if is_fraction else value, 6)


def with_logged_experiments(shown: ResultClaims, runs: Iterable[LoggedRun]) -> ResultClaims:
    """Return the results of notebooks, with experiments from logs for claims that name none.

    The experiment is the only one logged in the notebook, or the only one whose logs contain all values of a series. An
    average belongs to the series from which it follows.
    """
    logged = list(runs)
    series: dict[tuple[str, str | None, str], list[RunResult]] = {}
    for claim in shown.seeds:
        if claim.experiment is None:
            series.setdefault((claim.evidence.file, claim.split, claim.measure), []).append(claim)
    placed: dict[RunResult, str] = {}
    averaged: dict[Summary, str] = {}
    for (file, split, measure), claims in series.items():
        values = [float(claim.value) for claim in claims]
        experiment = _experiment_of(values, file, [run for run in logged if run.measure == measure])
        if experiment is None:
            continue
        placed |= dict.fromkeys(claims, experiment)
        averaged |= {
            summary: experiment
            for summary in shown.summaries
            if summary.experiment is None
            and summary.mean is not None
            and (summary.split, summary.measure) == (split, measure)
            if mean_fits(summary.mean, summary.mean_resolution, values)
        }
    return shown.model_copy(
        update={
            "seeds": tuple(
                result.model_copy(update={"experiment": placed.get(result, result.experiment)})
                for result in shown.seeds
            ),
            "summaries": tuple(
                summary.model_copy(update={"experiment": averaged.get(summary, summary.experiment)})
                for summary in shown.summaries
            ),
        }
    )


def _experiment_of(values: Sequence[float], file: str, runs: Sequence[LoggedRun]) -> str | None:
    here = {run.experiment for run in runs if any(point.evidence.file == file for point in _all_points(run))}
    if len(here) == 1:
        return here.pop()
    logged: dict[str | None, list[float]] = {}
    for run in runs:
        logged.setdefault(run.experiment, []).extend(point.value for point in _all_points(run))
    holding = [
        experiment
        for experiment, logged_values in logged.items()
        if all(any(isclose(value, other, abs_tol=_ROUNDED) for other in logged_values) for value in values)
    ]
    return _only(holding)


def _all_points(run: LoggedRun) -> tuple[LoggedValue, ...]:
    return (*run.selecting, *run.reported)

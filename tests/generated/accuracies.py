"""Hand-ins about the three experiments, made at random, in the ways students report them, each with known faults.

Runs are drawn first: accuracies by epoch on the grids of 200 and 2,000 examples, as fairseq and the Trainer log them.
What is reported follows from the runs, unless a fault says otherwise.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from random import Random
from statistics import fmean, pstdev, stdev

from grader.reading.document import Evidence
from grader.reading.log import Log, Series, Setting, Subset
from tests.generated.accuracy_formats import FORMATS, Result, Shown

_WIDE = 0.15
"""Deviations below this, in percent, are no matter of units."""

EPOCHS, UPDATES = 5, 225
FAULTS = (
    "validation-reported-as-test",
    "std-unit",
    "statistics-mismatch",
    "table-contradiction",
    "claim-contradicts-log",
    "hyperparameter-mismatch",
    "outside-band",
)
NEED_LOGS = ("claim-contradicts-log", "hyperparameter-mismatch")
NEED_SEEDS = ("statistics-mismatch", "table-contradiction", "claim-contradicts-log")

CENTRES: Mapping[str, Mapping[int, tuple[float, float]]] = {
    "pretrained": {1125: (81.3, 79.5), 3125: (84.3, 80.6)},
    "random": {1125: (63.4, 66.7), 3125: (69.3, 73.5)},
    "huggingface": {1125: (81.5, 80.0), 3125: (82.0, 80.2)},
}
"""Best validation and test accuracy by schedule."""


@dataclass(frozen=True)
class Run:
    """One seed's accuracies by epoch, in percent."""

    seed: int
    valid: tuple[float, ...]
    test: tuple[float, ...]

    @property
    def best(self) -> int:
        """The index of the first epoch with the best validation accuracy."""
        return self.valid.index(max(self.valid))


@dataclass(frozen=True)
class HandIn:
    """A report as Markdown, logs if there are any, and the flags that it deserves. `way` names the format."""

    text: str
    logs: tuple[Log, ...]
    faults: frozenset[str]
    way: str


def hand_in(random: Random) -> HandIn:
    """A hand-in; about half of them have one fault, in one experiment or in all."""
    way = random.choice(sorted(FORMATS))
    logged = random.random() < 0.4
    fault = random.choice(FAULTS) if random.random() < 0.55 else None
    if fault in NEED_LOGS:
        logged = True
    if fault in NEED_SEEDS:
        way = random.choice(sorted(name for name, one in FORMATS.items() if one.shows_seeds))
    where = random.choice(tuple(CENTRES)) if fault != "validation-reported-as-test" else ""
    schedule = 3125 if random.random() < 0.2 else 1125
    first = random.choice((0, 0, 1))
    parts: list[str] = []
    logs: list[Log] = []
    means: dict[str, float] = {}
    for number, experiment in enumerate(CENTRES, start=3):
        own = fault if where in (experiment, "") else None
        runs = _runs(random, experiment, schedule, first, off=own == "outside-band")
        while own == "std-unit" and pstdev(run.test[run.best] for run in runs) < _WIDE:
            runs = _runs(random, experiment, schedule, first, off=False)
        shown = reported(random, runs, own, FORMATS[way].shows_seeds)
        means[experiment] = shown.mean
        more = _besides(experiment, means, random)
        parts.append(f"# Task {number}\n\n{FORMATS[way].write(experiment, shown, random)}\n\n{more}\n")
        if logged:
            logs += _logs(experiment, runs, schedule, own, random)
    return HandIn("\n".join(parts), tuple(logs), frozenset({fault} if fault else ()), way)


def _besides(experiment: str, means: Mapping[str, float], random: Random) -> str:
    """What students write besides: comparisons, with the other experiment's figures, and how training went."""
    if experiment == "random":
        pretrained, own = f"{means['pretrained']:.2f}", f"{means['random']:.2f}"
        return random.choice(
            (
                f"The pretrained model is better than the random one: {pretrained}% against {own}% on test.",
                f"With random weights the average is lower: {own}%, against an average of {pretrained}% for the "
                "pretrained model.",
                "The pretrained model clearly outperforms the one that starts from random weights.",
                f"Pretraining helps: the pretrained model has a higher accuracy by "
                f"{means['pretrained'] - means['random']:.1f} points than the random one.",
            )
        )
    return random.choice(
        (
            "",
            "Training took 86 seconds per seed on a T4, with batch size 8 and 5 epochs of 225 steps.",
            "There are 1,800 training, 200 validation and 2,000 test reviews.",
            "The accuracy grows fast in the first two epochs and is stable after epoch 3.",
            "The learning rate rises to 1e-5 over 67 updates and falls to zero at step 1125.",
        )
    )


def _runs(random: Random, experiment: str, schedule: int, first: int, *, off: bool) -> list[Run]:
    valid, test = CENTRES[experiment][schedule]
    shift = random.uniform(-0.5, 0.5)
    if off:
        shift = random.choice((52.0, 88.0) if experiment == "random" else (64.0, 92.0)) - test
    fine = 0.05 if experiment == "huggingface" else 0.1
    return [
        _run(random, first + n, valid + shift + random.gauss(0, 0.8), test + shift + random.gauss(0, 0.5), fine)
        for n in range(3)
    ]


def _run(random: Random, seed: int, valid: float, test: float, fine: float) -> Run:
    """A run whose validation accuracy is best at one epoch, or at two."""
    best = random.choice((2, 3, 3, 4, 4))
    top = _on(valid, 0.5)
    below = [top - 0.5 * random.randint(1, 8) - (6 if epoch == 0 else 0) for epoch in range(EPOCHS)]
    below[best] = top
    if random.random() < 0.15:
        below[best - 1] = top
    tests = [_on(test - random.uniform(0.3, 1.2) - (8 if epoch == 0 else 0), fine) for epoch in range(EPOCHS)]
    tests[best] = _on(test, fine)
    if below[best - 1] == top:
        tests[best - 1] = _on(test + random.choice((-0.4, 0.5)), fine)
    if best < EPOCHS - 1:
        tests[-1] = _on(test + random.choice((-0.6, 0.4, 0.7)), fine)
    return Run(seed, tuple(below), tuple(tests))


def _on(value: float, step: float) -> float:
    return round(round(value / step) * step, 2)


def reported(random: Random, runs: Sequence[Run], fault: str | None, shows_seeds: bool) -> Result:
    """What a student reports of three runs."""
    if fault == "validation-reported-as-test":
        values = [max(run.valid) for run in runs]
    elif fault == "claim-contradicts-log":
        values = [_wrong_test(run, random) for run in runs]
    else:
        values = [run.test[run.best] for run in runs]
    population = random.random() < 0.7
    std = pstdev(values) if population else stdev(values)
    result = Result(
        test=tuple(Shown(run.seed, value, epoch=run.best + 1) for run, value in zip(runs, values, strict=True)),
        valid=() if fault == "validation-reported-as-test" else tuple(Shown(r.seed, max(r.valid)) for r in runs),
        mean=fmean(values),
        std=std,
        courses=tuple((run.seed, run.test) for run in runs),
    )
    if fault == "std-unit":
        return replace(result, std=result.std / 100, std_digits=4)
    if fault == "statistics-mismatch":
        off = random.choice((-1, 1)) * random.uniform(0.25, 1.0)
        return replace(result, mean=result.mean + off) if random.random() < 0.5 else replace(result, std=std + abs(off))
    if fault == "table-contradiction":
        return replace(result, again=round(result.test[0].value + random.choice((-0.8, -0.5, 0.4, 1.2)), 2))
    return result


def _wrong_test(run: Run, random: Random) -> float:
    """A figure that is not the test accuracy at the best validation accuracy: another epoch's, or none of the run's."""
    tied = {value for value, valid in zip(run.test, run.valid, strict=True) if valid == max(run.valid)}
    others = [value for value in run.test[1:] if value not in tied]
    other = random.choice(others) if others and random.random() < 0.5 else run.test[run.best] + 0.75
    return _on(other if other not in tied else other + 0.75, 0.05)


def _logs(experiment: str, runs: Sequence[Run], schedule: int, fault: str | None, random: Random) -> list[Log]:
    told = {"batch_size": "8", "max_epoch": "5", "lr": "1e-05", "total_num_update": str(schedule), "seed": ""}
    if experiment == "huggingface":
        told = {"per_device_train_batch_size": "8", "num_train_epochs": "5.0", "learning_rate": "1e-05", "seed": ""}
    if fault == "hyperparameter-mismatch":
        wrong = random.choice(sorted(set(told) - {"total_num_update", "seed"}))
        told[wrong] = {"8": "32", "5": "12", "5.0": "12.0", "1e-05": "5e-05"}[told[wrong]]
    return [log for run in runs for log in _run_logs(experiment, run, told)]


def _run_logs(experiment: str, run: Run, told: Mapping[str, str]) -> tuple[Log, Log]:
    name, steps = f"{experiment}/seed_{run.seed}", tuple(UPDATES * (n + 1) for n in range(EPOCHS))
    settings = tuple(
        Setting(name=key, value=value or str(run.seed), evidence=Evidence(file=f"{name}/log", quote=f"{key}={value}"))
        for key, value in told.items()
    )

    def log(subset: Subset, values: Sequence[float]) -> Log:
        series = Series(tag="accuracy", subset=subset, steps=steps, values=tuple(values))
        return Log(
            file=f"{name}/{subset}/events", name=name, seed=run.seed, series=(series,),
            settings=settings if subset is Subset.VALID else (),
        )  # fmt: skip

    return log(Subset.VALID, run.valid), log(Subset.TEST, run.test)

"""Bands for the mean accuracy of new seeds, from the runs that are known.

A band is a prediction interval for the mean of the lab's seeds in one more set-up (machine, framework, version). Known
set-ups are put together by experiment, split and schedule. The variance between seeds is pooled over all set-ups of an
experiment and a split, that between set-ups over all of the split. Where a set-up was measured on other examples than
the lab's, the sampling error of both sets is added to what it says.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from statistics import fmean
from typing import NamedTuple

from grader.lab.definition import Lab
from grader.lab.truth import Band, BandEvidence, Provenance
from reference.evidence import BandRecipe, Evidence, KnownRun
from reference.variance import (
    Prediction,
    Setup,
    Variance,
    drift_variance,
    predict,
    review_variance,
    seed_variance,
)

SPLITS = ("test", "valid")
NEAR = 1.1
"""Schedules whose lengths differ by no more than this factor are one: 1125 and 1200 updates move the mean by less than
seeds do, 3125 by several points."""

INNER, OUTER = 0.95, 0.99


class Cell(NamedTuple):
    """Set-ups that should agree: one experiment, one split, schedules that are near each other. `schedule` is the one
    that most of them have."""

    experiment: str
    split: str
    schedule: int
    runs: tuple[KnownRun, ...]

    def own(self) -> list[tuple[float, ...]]:
        """The accuracies of the set-ups that were measured on the lab's own examples."""
        return [run.of(self.split) for run in self.runs if self.split not in run.other_reviews]


def bands(evidence: Evidence, lab: Lab, date: str) -> tuple[Band, ...]:
    """All bands that the evidence gives, in the order of their ids."""
    made = [band for split in SPLITS for band in _of_split(cells(evidence.runs, split), lab, date)]
    runs = {run.id: run for run in evidence.runs}
    by_hand = [_by_hand(recipe, [runs[name] for name in recipe.runs], date) for recipe in evidence.bands]
    chosen = {band.id: band for band in (*made, *by_hand)}
    return tuple(chosen[name] for name in sorted(chosen))


def cells(runs: Iterable[KnownRun], split: str) -> tuple[Cell, ...]:
    """The set-ups that have figures of a split, put together by experiment and schedule."""
    by_experiment: dict[str, list[KnownRun]] = defaultdict(list)
    for run in runs:
        if run.of(split):
            by_experiment[run.experiment].append(run)
    return tuple(
        Cell(name, split, _usual(near), tuple(near))
        for name, known in sorted(by_experiment.items())
        for near in _near_schedules(known)
    )


def _near_schedules(runs: list[KnownRun]) -> list[list[KnownRun]]:
    groups: list[list[KnownRun]] = []
    for run in sorted(runs, key=lambda run: run.schedule):
        if groups and run.schedule <= NEAR * groups[-1][0].schedule:
            groups[-1].append(run)
        else:
            groups.append([run])
    return groups


def _usual(runs: list[KnownRun]) -> int:
    schedules = [run.schedule for run in runs]
    return max(sorted(set(schedules)), key=schedules.count)


def _of_split(known: tuple[Cell, ...], lab: Lab, date: str) -> list[Band]:
    spreads = seed_variances(known)
    usable = [cell for cell in known if cell.experiment in spreads]
    drift = drift_variance((cell.own(), spreads[cell.experiment]) for cell in usable)
    found = [_band(cell, spreads[cell.experiment], drift, lab, date) for cell in usable]
    for experiment in dict.fromkeys(cell.experiment for cell in usable):
        found.append(_whatever_the_schedule([band for band in found if band.experiment == experiment], date))
    return found


def seed_variances(known: tuple[Cell, ...]) -> Mapping[str, Variance]:
    """By experiment. One with a single seed for every set-up has none, nor has one whose seeds all came to the same
    figure: that tells nothing about how much seeds differ."""
    groups: dict[str, list[tuple[float, ...]]] = defaultdict(list)
    for cell in known:
        groups[cell.experiment] += [run.of(cell.split) for run in cell.runs]
    found = {name: seed_variance(of) for name, of in groups.items() if any(len(group) > 1 for group in of)}
    return {name: spread for name, spread in found.items() if spread.value > 0}


def prediction(cell: Cell, seeds: Variance, drift: Variance, lab: Lab) -> Prediction:
    """What a cell predicts for the mean of the lab's seeds."""
    return predict([_setup(run, cell.split, lab) for run in cell.runs], seeds, drift, lab.seeds)


def _setup(run: KnownRun, split: str, lab: Lab) -> Setup:
    values = run.of(split)
    others = run.other_reviews.get(split)
    own = next((known.examples for known in lab.splits if known.id == split), None)
    if others is None or own is None:
        return Setup(values)
    return Setup(values, review_variance(fmean(values), others, own))


def _band(cell: Cell, seeds: Variance, drift: Variance, lab: Lab, date: str) -> Band:
    predicted = prediction(cell, seeds, drift, lab)
    return Band(
        id=f"band/{cell.experiment}/{cell.split}/{cell.schedule}",
        experiment=cell.experiment,
        split=cell.split,
        schedule=cell.schedule,
        mean=round(predicted.mean, 2),
        inner=_rounded(predicted.interval(INNER)),
        outer=_rounded(predicted.interval(OUTER)),
        seed_deviation=round(seeds.value**0.5, 3),
        drift_deviation=round(drift.value**0.5, 3),
        degrees=round(predicted.degrees, 1),
        evidence=tuple(_reference(run, cell.split) for run in cell.runs),
        provenance=Provenance(
            how=f"prediction interval (Student's t) for the mean of {lab.seeds} new seeds in a new set-up, from: "
            + "; ".join(run.source for run in cell.runs),
            date=date,
        ),
    )


def _whatever_the_schedule(known: list[Band], date: str) -> Band:
    """The range of the bands of all known schedules: it holds a mean at least as often as that of its own schedule."""
    inner = [band.inner for band in known if band.inner]
    return Band(
        id=f"band/{known[0].experiment}/{known[0].split}/any",
        experiment=known[0].experiment,
        split=known[0].split,
        inner=(min(low for low, _ in inner), max(high for _, high in inner)),
        outer=(min(band.outer[0] for band in known), max(band.outer[1] for band in known)),
        evidence=tuple(dict.fromkeys(one for band in known for one in band.evidence)),
        provenance=Provenance(
            how="the range of the bands of the known schedules: " + ", ".join(str(band.schedule) for band in known),
            date=date,
        ),
    )


def _by_hand(recipe: BandRecipe, runs: list[KnownRun], date: str) -> Band:
    sources = "; ".join(run.source for run in runs)
    mean, inner, how = None, None, recipe.why
    outer = recipe.plausible or (0.0, 100.0)
    if recipe.plausible is None:
        means = [fmean(run.of(recipe.split)) for run in runs]
        predicted = predict([Setup(tuple(means))], seed_variance([means]), Variance(0.0, 0), 1)
        mean = round(predicted.mean, 2)
        inner, outer = _rounded(predicted.interval(INNER)), _rounded(predicted.interval(OUTER))
        how = f"prediction interval (Student's t) for the mean of a new set-up, from the means of: {sources}"
    return Band(
        id=f"band/{recipe.id}",
        experiment=recipe.experiment,
        split=recipe.split,
        mean=mean,
        inner=inner,
        outer=outer,
        evidence=tuple(_reference(run, recipe.split) for run in runs),
        provenance=Provenance(how=how, date=date),
    )


def _reference(run: KnownRun, split: str) -> BandEvidence:
    return BandEvidence(id=run.id, kind=run.kind, source=run.source, values=run.of(split))


def _rounded(interval: tuple[float, float]) -> tuple[float, float]:
    return round(max(0.0, interval[0]), 1), round(min(100.0, interval[1]), 1)

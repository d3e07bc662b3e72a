"""Bands for the mean of new repetitions, of any measure on any split, from the runs that are known.

A band is a prediction interval for the mean of the lab's repetitions in one more set-up (machine, framework, version).
Known set-ups are put together by experiment, measure, split and schedule. The variance between repetitions is pooled
over all set-ups of an experiment, a measure and a split, that between set-ups over all of a measure and a split. Where
a share of examples was measured on other examples than the lab's, the sampling error of both sets is added to what it
says.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from math import floor, log10
from statistics import fmean
from typing import NamedTuple

from grader.lab.definition import Lab
from grader.lab.experiments import HUNDRED, Measure
from grader.lab.files import LabError
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

NEAR = 1.1
"""Schedules whose lengths differ by no more than this factor are one: 1125 and 1200 updates move the mean by less than
seeds do, 3125 by several points."""

INNER, OUTER = 0.95, 0.99


class Cell(NamedTuple):
    """Set-ups that should agree: one experiment, measure and split, schedules that are near each other. `schedule` is
    the one that most of them have, None where they have none."""

    experiment: str
    split: str
    schedule: int | None
    runs: tuple[KnownRun, ...]
    measure: str | None = None

    def own(self) -> list[tuple[float, ...]]:
        """The values of the set-ups that were measured on the lab's own examples."""
        return [run.values_on(self.split) for run in self.runs if self.split not in run.other_reviews]


def bands(evidence: Evidence, lab: Lab, date: str) -> tuple[Band, ...]:
    """All bands that the evidence gives, in the order of their ids. Raises LabError for a run or a band of a measure or
    a split that the lab does not have."""
    evidence = _in_terms_of(lab, evidence)
    made = [
        band
        for split in splits_of(evidence)
        for group in _by_measure(evidence.runs, split)
        for band in _of_split(group, lab, date)
    ]
    runs = {run.id: run for run in evidence.runs}
    by_hand = [_by_hand(recipe, [runs[name] for name in recipe.runs], lab, date) for recipe in evidence.bands]
    chosen = {band.id: band for band in (*made, *by_hand)}
    return tuple(chosen[name] for name in sorted(chosen))


def _in_terms_of(lab: Lab, evidence: Evidence) -> Evidence:
    """The evidence, in which no measure is named where it is the usual one of its experiment."""
    splits = {candidate.id for candidate in lab.splits}
    for split in (*splits_of(evidence), *(recipe.split for recipe in evidence.bands)):
        if splits and split not in splits:
            raise LabError(f"The evidence names the split {split!r}, but the lab has {', '.join(sorted(splits))}.")
    named: tuple[KnownRun | BandRecipe, ...] = (*evidence.runs, *evidence.bands)
    for entry in named:
        measure_ids = [measure.id for measure in lab.measures_of(entry.experiment)]
        if entry.measure is not None and entry.measure not in measure_ids:
            raise LabError(
                f"The evidence {entry.id!r} names the measure {entry.measure!r}, but {entry.experiment!r} is "
                "measured by "
                f"{', '.join(measure_ids)}."
            )
    return evidence.model_copy(
        update={
            "runs": tuple(run.model_copy(update={"measure": _further(run, lab)}) for run in evidence.runs),
            "bands": tuple(band.model_copy(update={"measure": _further(band, lab)}) for band in evidence.bands),
        }
    )


def _further(entry: KnownRun | BandRecipe, lab: Lab) -> str | None:
    usual = lab.measure(None, entry.experiment).id
    return None if entry.measure == usual else entry.measure


def splits_of(evidence: Evidence) -> tuple[str, ...]:
    """The splits of which some run has values."""
    return tuple(dict.fromkeys(split for run in evidence.runs for split in run.splits))


def cells(runs: Iterable[KnownRun], split: str) -> tuple[Cell, ...]:
    """The set-ups that have values of a split, put together by experiment, measure and schedule."""
    groups: dict[tuple[str, str], list[KnownRun]] = defaultdict(list)
    for run in runs:
        if run.values_on(split):
            groups[run.experiment, run.measure or ""].append(run)
    return tuple(
        Cell(experiment, split, _usual(near), tuple(near), measure or None)
        for (experiment, measure), known_runs in sorted(groups.items())
        for near in _near_schedules(known_runs)
    )


def _by_measure(runs: Iterable[KnownRun], split: str) -> list[tuple[Cell, ...]]:
    """The cells of a split that share a unit: those of one measure."""
    groups: dict[str | None, list[Cell]] = defaultdict(list)
    for cell in cells(runs, split):
        groups[cell.measure].append(cell)
    return [tuple(group) for group in groups.values()]


def _near_schedules(runs: list[KnownRun]) -> list[list[KnownRun]]:
    groups: list[list[KnownRun]] = []
    for run in sorted(runs, key=lambda run: run.schedule or 0):
        first = groups[-1][0].schedule if groups else None
        if groups and ((run.schedule is None and first is None) or (run.schedule or 0) <= NEAR * (first or 0)):
            groups[-1].append(run)
        else:
            groups.append([run])
    return groups


def _usual(runs: list[KnownRun]) -> int | None:
    schedules = [run.schedule for run in runs if run.schedule is not None]
    return max(sorted(set(schedules)), key=schedules.count, default=None)


def _of_split(known_cells: tuple[Cell, ...], lab: Lab, date: str) -> list[Band]:
    spreads = seed_variances(known_cells)
    usable = [cell for cell in known_cells if cell.experiment in spreads]
    drift = drift_variance((cell.own(), spreads[cell.experiment]) for cell in usable)
    found = [_band(cell, spreads[cell.experiment], drift, lab, date) for cell in usable]
    for experiment in dict.fromkeys(cell.experiment for cell in usable):
        own_bands = [band for band in found if band.experiment == experiment]
        if any(band.schedule for band in own_bands):
            found.append(_whatever_the_schedule(own_bands, date))
    return found


def seed_variances(known_cells: tuple[Cell, ...]) -> Mapping[str, Variance]:
    """Return the variance over seeds by experiment. An experiment with a single repetition in every set-up has none,
    nor has one whose repetitions all gave the same value: that does not show how much they differ."""
    groups: dict[str, list[tuple[float, ...]]] = defaultdict(list)
    for cell in known_cells:
        groups[cell.experiment] += [run.values_on(cell.split) for run in cell.runs]
    found = {name: seed_variance(of) for name, of in groups.items() if any(len(group) > 1 for group in of)}
    return {name: spread for name, spread in found.items() if spread.value > 0}


def prediction(cell: Cell, seeds: Variance, drift: Variance, lab: Lab) -> Prediction:
    """Return the prediction of a cell for the mean of the lab's repetitions."""
    number = lab.repetition_of(cell.experiment).number
    return predict([_setup(run, cell.split, lab) for run in cell.runs], seeds, drift, number)


def _setup(run: KnownRun, split: str, lab: Lab) -> Setup:
    values = run.values_on(split)
    others = run.other_reviews.get(split)
    examples = next((known_split.examples for known_split in lab.splits if known_split.id == split), None)
    if others is None or examples is None or not lab.measure(run.measure, run.experiment).is_counted:
        return Setup(values)
    return Setup(values, review_variance(fmean(values), others, examples))


def _band(cell: Cell, seeds: Variance, drift: Variance, lab: Lab, date: str) -> Band:
    predicted = prediction(cell, seeds, drift, lab)
    measure, repeated = lab.measure(cell.measure, cell.experiment), lab.repetition_of(cell.experiment)
    digits = _digits(predicted.deviation, measure)
    return Band(
        id=f"band/{cell.experiment}/{_place(cell)}/{cell.schedule or 'any'}",
        experiment=cell.experiment,
        split=cell.split,
        measure=cell.measure,
        schedule=cell.schedule,
        mean=round(predicted.mean, digits + 1),
        inner=_rounded(predicted.interval(INNER), digits, measure),
        outer=_rounded(predicted.interval(OUTER), digits, measure),
        seed_deviation=round(seeds.value**0.5, 3),
        drift_deviation=round(drift.value**0.5, 3),
        degrees=round(predicted.degrees, 1),
        evidence=tuple(_reference(run, cell.split) for run in cell.runs),
        provenance=Provenance(
            how=f"prediction interval (Student's t) for the mean of {repeated.number} new {repeated.titles} in a new "
            "set-up, from: " + "; ".join(run.source for run in cell.runs),
            date=date,
        ),
    )


def _whatever_the_schedule(known_bands: list[Band], date: str) -> Band:
    """The range of the bands of all known schedules: it holds a mean at least as often as that of its own schedule."""
    inner = [band.inner for band in known_bands if band.inner]
    return Band(
        id=f"band/{known_bands[0].experiment}/{_place(known_bands[0])}/any",
        experiment=known_bands[0].experiment,
        split=known_bands[0].split,
        measure=known_bands[0].measure,
        inner=(min(low for low, _ in inner), max(high for _, high in inner)),
        outer=(min(band.outer[0] for band in known_bands), max(band.outer[1] for band in known_bands)),
        evidence=tuple(dict.fromkeys(evidence for band in known_bands for evidence in band.evidence)),
        provenance=Provenance(
            how="the range of the bands of the known schedules: "
            + ", ".join(str(band.schedule) for band in known_bands),
            date=date,
        ),
    )


def _place(entry: Cell | Band) -> str:
    """A split, and a measure that is not the usual one, in the id of a band."""
    return f"{entry.split}/{entry.measure}" if entry.measure else entry.split


def _by_hand(recipe: BandRecipe, runs: list[KnownRun], lab: Lab, date: str) -> Band:
    sources = "; ".join(run.source for run in runs)
    measure = lab.measure(recipe.measure, recipe.experiment)
    mean, inner, how = None, None, recipe.why
    outer = recipe.plausible or (0.0, 100.0)
    if recipe.plausible is None:
        means = [fmean(run.values_on(recipe.split)) for run in runs]
        predicted = predict([Setup(tuple(means))], seed_variance([means]), Variance(0.0, 0), 1)
        digits = _digits(predicted.deviation, measure)
        mean = round(predicted.mean, digits + 1)
        inner, outer = (_rounded(predicted.interval(coverage), digits, measure) for coverage in (INNER, OUTER))
        how = f"prediction interval (Student's t) for the mean of a new set-up, from the means of: {sources}"
    return Band(
        id=f"band/{recipe.id}",
        experiment=recipe.experiment,
        split=recipe.split,
        measure=recipe.measure,
        mean=mean,
        inner=inner,
        outer=outer,
        evidence=tuple(_reference(run, recipe.split) for run in runs),
        provenance=Provenance(how=how, date=date),
    )


def _reference(run: KnownRun, split: str) -> BandEvidence:
    return BandEvidence(id=run.id, kind=run.kind, source=run.source, values=run.values_on(split))


def _digits(deviation: float, measure: Measure) -> int:
    """The decimals of a band's ends: one of shares, else so many that rounding moves an end by less than a twentieth of
    the standard deviation."""
    return 1 if measure.is_share or deviation <= 0 else max(0, 1 - floor(log10(deviation)))


def _rounded(interval: tuple[float, float], digits: int, measure: Measure) -> tuple[float, float]:
    """The ends of an interval, within what the measure can be."""
    least, most = (0, HUNDRED) if measure.is_share else measure.range or (None, None)
    low = interval[0] if least is None else max(float(least), interval[0])
    high = interval[1] if most is None else min(float(most), interval[1])
    return round(low, digits), round(high, digits)

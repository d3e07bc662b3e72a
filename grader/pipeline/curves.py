"""The logged accuracies and the bands they are held against, small enough to keep with a result."""

from collections.abc import Iterator, Sequence
from typing import Final

from grader.checks.experiment import TEST, VALID
from grader.checks.run_hyperparameters import is_near
from grader.claims.logged import LoggedAccuracy, LoggedRun
from grader.lab.truth import Band, GroundTruth
from grader.result import Curve, CurveBand

MOST_CURVES: Final = 48
MOST_POINTS: Final = 120


def curves(runs: Sequence[LoggedRun]) -> tuple[Curve, ...]:
    """The curves of the runs whose experiment is known, by experiment, split and seed.

    At most `MOST_CURVES`; of long ones `MOST_POINTS` points, first and last among them.
    """
    drawn = [curve for run in runs if run.experiment for curve in _of_run(run, run.experiment)]
    drawn.sort(key=lambda one: (one.experiment, one.split, one.seed is None, one.seed or 0, one.steps, one.values))
    return tuple(drawn[:MOST_CURVES])


def curve_bands(runs: Sequence[LoggedRun], truth: GroundTruth) -> tuple[CurveBand, ...]:
    """The bands of the experiments that were logged: those of their schedules, and where these are unknown all."""
    experiments = sorted({run.experiment for run in runs if run.experiment})
    return tuple(
        shown_band(band)
        for experiment in experiments
        for split in (VALID, TEST)
        for band in _fitting(truth.bands_of(experiment, split), [run for run in runs if run.experiment == experiment])
    )


def _of_run(run: LoggedRun, experiment: str) -> Iterator[Curve]:
    for split, points in ((VALID, run.valid), (TEST, run.test)):
        if points:
            kept = _thinned(sorted(points, key=lambda point: point.step))
            yield Curve(
                experiment=experiment,
                split=split,
                seed=run.seed,
                steps=tuple(point.step for point in kept),
                values=tuple(round(point.value, 4) for point in kept),
            )


def _thinned(points: Sequence[LoggedAccuracy]) -> list[LoggedAccuracy]:
    if len(points) <= MOST_POINTS:
        return list(points)
    last = len(points) - 1
    return [points[number * last // (MOST_POINTS - 1)] for number in range(MOST_POINTS)]


def _fitting(bands: Sequence[Band], runs: Sequence[LoggedRun]) -> list[Band]:
    totals = [run.schedule.total_updates for run in runs if run.schedule]
    logged = [band for band in bands if band.schedule and any(is_near(total, band.schedule) for total in totals)]
    return logged or [band for band in bands if band.inner]


def shown_band(band: Band) -> CurveBand:
    """A band as a result holds it: the inner interval where there is one."""
    low, high = band.inner or band.outer
    share = 95 if band.inner else 99
    return CurveBand(
        id=band.id,
        experiment=band.experiment,
        split=band.split,
        schedule=band.schedule,
        low=low,
        high=high,
        share=share,
    )

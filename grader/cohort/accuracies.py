"""The averages that students report, experiment by experiment, held against the bands."""

from collections.abc import Iterable, Sequence

from grader.frozen import Frozen
from grader.result import Average, CurveBand, Result

UNSAID = "test"
"""What an average is held against whose split the report does not say: the set that is asked for."""


class ReportedAverage(Frozen):
    """One student's average in percent. `split_said`: the report says which set it is of; `stated`: it is written
    there, not only computed from the seeds' accuracies; `inside`: it lies in one of the bands."""

    student: str
    value: float
    split_said: bool
    stated: bool
    inside: bool


class ReportedAverages(Frozen):
    """All averages of one experiment on one split, by student, and the bands they are held against."""

    experiment: str
    title: str
    split: str
    bands: tuple[CurveBand, ...]
    averages: tuple[ReportedAverage, ...]


def reported_averages(results: Sequence[Result]) -> tuple[ReportedAverages, ...]:
    """One for each experiment and split of which there are bands or averages, in the order of the first hand-ins."""
    bands = {band.id: band for result in results for band in result.average_bands}
    groups: dict[tuple[str, str], list[ReportedAverage]] = {}
    for result in results:
        for average in _one_each(result.averages):
            key = average.experiment, average.split or UNSAID
            own = _bands_of(bands.values(), *key)
            groups.setdefault(key, []).append(_reported(result.student.id, average, own))
    order = {experiment: place for place, (experiment, _) in reversed(list(enumerate(groups)))}
    return tuple(
        ReportedAverages(
            experiment=key[0],
            title=results[0].lab.called(key[0]),
            split=key[1],
            bands=_bands_of(bands.values(), *key),
            averages=tuple(groups[key]),
        )
        for key in sorted(groups, key=lambda key: (order[key[0]], key[1] != UNSAID, key[1]))
    )


def _reported(student: str, average: Average, bands: Sequence[CurveBand]) -> ReportedAverage:
    return ReportedAverage(
        student=student,
        value=average.value,
        split_said=average.split is not None,
        stated=average.stated,
        inside=any(band.low <= round(average.value, 2) <= band.high for band in bands),
    )


def _bands_of(bands: Iterable[CurveBand], experiment: str, split: str) -> tuple[CurveBand, ...]:
    """Those of the known schedules, else those of any."""
    own = [band for band in bands if (band.experiment, band.split) == (experiment, split)]
    scheduled = [band for band in own if band.schedule]
    return tuple(sorted(scheduled or own, key=lambda band: (band.schedule or 0, band.id)))


def _one_each(averages: Sequence[Average]) -> list[Average]:
    """One for each experiment and split; where the report says the split, the average that does not is left out."""
    said = {(one.experiment, one.split) for one in averages if one.split}
    return [one for one in averages if one.split or (one.experiment, UNSAID) not in said]

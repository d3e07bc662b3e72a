"""What of a hand-in is kept for comparing it with those of other students: averages and a fingerprint of its prose."""

from collections.abc import Iterator
from statistics import fmean
from typing import Any

from grader.checks.experiment import TEST, VALID, Report, report_of, values
from grader.claims.answer import Answer
from grader.claims.text_print import text_print
from grader.lab.definition import Lab
from grader.lab.truth import GroundTruth
from grader.pipeline.curves import shown_band
from grader.result import Average, CurveBand


def compared(answer: Answer, truth: GroundTruth, lab: Lab) -> dict[str, Any]:
    """The fields of a result by which a class is compared."""
    averages = tuple(
        average for experiment in lab.experiments for average in _averages(report_of(experiment.id, answer, lab), lab)
    )
    sheet = [section for section in answer.sections if section.passage.file == answer.report]
    return {
        "averages": averages,
        "average_bands": tuple(_bands(averages, truth)),
        "prose": text_print(sheet, lab),
    }


def _averages(report: Report, lab: Lab) -> Iterator[Average]:
    """One for each split: the stated one that tells most, else the mean of as many seeds as the lab asks for."""
    for split in (TEST, VALID, None):
        stated = [one for one in report.summaries if one.split == split and one.mean is not None]
        if stated:
            mean = next((one.mean for one in reversed(stated) if one.std is not None), stated[-1].mean)
            yield Average(experiment=report.experiment, split=split, value=round(float(mean or 0), 4))
            continue
        for group in report.series():
            if group[0].split == split and len(group) >= lab.seeds:
                mean_of_seeds = round(fmean(values(group)), 4)
                yield Average(experiment=report.experiment, split=split, value=mean_of_seeds, stated=False)


def _bands(averages: tuple[Average, ...], truth: GroundTruth) -> Iterator[CurveBand]:
    """Those of the averages' experiments and splits; an average that does not say its split is held against test."""
    for experiment, split in dict.fromkeys((one.experiment, one.split or TEST) for one in averages):
        yield from map(shown_band, truth.bands_of(experiment, split))

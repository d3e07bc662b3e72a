"""Averages and deviations by epoch, held against the seeds' accuracies in the same table."""

from collections.abc import Iterator, Sequence
from decimal import Decimal

from grader.checks.experiment import mean_fits, percent, std_fits
from grader.checks.finding import Flag, Severity
from grader.claims.accuracy import CourseAccuracy, SummaryStatistic
from grader.claims.answer import Answer
from grader.lab.definition import Lab
from grader.message import Message, joined, say

_SLIPS = (Decimal(1), Decimal(100))
"""A deviation may be a fraction, as the accuracies may."""


def course_mismatches(experiment: str, answer: Answer, lab: Lab) -> Iterator[Flag]:
    """One flag for all averages and deviations of single epochs that do not follow from the accuracies shown there."""
    course = [point for point in answer.accuracies.course if point.experiment == experiment]
    wrong = [point for point in course if not _follows(point, course, lab)]
    if wrong:
        shown = joined(say("; "), (_shown(point) for point in wrong))
        message = say("These do not follow from the accuracies of the seeds in the table: {figures}.", figures=shown)
        if any(_is_copied(point, course) for point in wrong):
            copied = say("A deviation is the same as that of the epoch before: it may have been copied.")
            message = joined(" ", (message, copied))
        places = tuple(dict.fromkeys(point.evidence for point in wrong))
        yield Flag(id="statistics-mismatch", severity=Severity.WARNING, message=message, evidence=places)


def _follows(point: CourseAccuracy, course: Sequence[CourseAccuracy], lab: Lab) -> bool:
    """Whether a figure is no statistic, or follows from the seeds' accuracies, or these are not all there."""
    if point.statistic is SummaryStatistic.VALUE:
        return True
    own = [
        one
        for one in course
        if one.statistic is SummaryStatistic.VALUE and one.seed is not None and _beside(one, point)
    ]
    numbers = [float(one.value) for one in own]
    if len({one.seed for one in own}) != len(own) or len(own) < lab.seeds:
        return True
    if point.statistic is SummaryStatistic.MEAN:
        return mean_fits(point.value, point.resolution, numbers)
    return any(std_fits(point.value * factor, point.resolution * factor, numbers) for factor in _SLIPS)


def _beside(one: CourseAccuracy, other: CourseAccuracy) -> bool:
    return one.split == other.split and one.moment.agrees(other.moment)


def _is_copied(point: CourseAccuracy, course: Sequence[CourseAccuracy]) -> bool:
    return point.statistic is SummaryStatistic.STD and any(
        other is not point and other.statistic is SummaryStatistic.STD and other.value == point.value
        for other in course
    )


def _shown(point: CourseAccuracy) -> Message:
    figure = {"when": _when(point), "value": percent(point.value, point.resolution)}
    if point.statistic is SummaryStatistic.MEAN:
        return say("{when}: average {value}", **figure)
    return say("{when}: deviation {value}", **figure)


def _when(point: CourseAccuracy) -> Message:
    if point.moment.epoch is not None:
        return say("epoch {epoch}", epoch=point.moment.epoch)
    return say("step {step}", step=point.moment.step)

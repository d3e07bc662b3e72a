"""Averages over seeds as the logs give them, by the checkpoint that is taken of each run."""

from collections.abc import Iterator, Mapping, Sequence
from enum import StrEnum
from itertools import islice, product
from typing import Final

from grader.checks.experiment import Report, mean_fits, std_fits
from grader.claims.accuracy import Summary
from grader.claims.logged import LoggedAccuracy
from grader.lab.definition import Lab
from grader.message import Message, say

_MOST_TIES = 64


class Selection(StrEnum):
    """Which accuracy of each run is taken, the right one first."""

    BEST = "best"
    LAST = "last"
    BEST_TEST = "best-test"
    VALID = "valid"


SELECTED: Final[Mapping[Selection, Message]] = {
    Selection.BEST: say("the test accuracies at the best validation accuracy"),
    Selection.LAST: say("the test accuracies at the last evaluation"),
    Selection.BEST_TEST: say("the best test accuracies"),
    Selection.VALID: say("the best validation accuracies"),
}
"""Each selection in words."""


def logged_series(report: Report, lab: Lab) -> Iterator[tuple[Selection, tuple[float, ...]]]:
    """The seeds' accuracies for each selection, several where epochs tie; none where a seed is not logged, or logged
    more than once with different results."""
    by_seed = {run.seed: run for run in report.runs if run.seed is not None}
    runs = [by_seed[seed] for seed in sorted(by_seed)]
    if len(runs) < lab.seeds or len(runs) != len(report.runs):
        return
    chosen: dict[Selection, list[Sequence[LoggedAccuracy]]] = {
        Selection.BEST: [run.at_best_valid for run in runs],
        Selection.LAST: [run.test[-1:] for run in runs],
        Selection.BEST_TEST: [[max(run.test, key=lambda point: point.value)] if run.test else [] for run in runs],
        Selection.VALID: [run.best_valid[:1] for run in runs],
    }
    for selection, points in chosen.items():
        for combination in islice(product(*points), _MOST_TIES):
            yield selection, tuple(point.value for point in combination)


def selection_of(summary: Summary, report: Report, lab: Lab) -> Selection | None:
    """The first selection that a stated average, with its deviation where there is one, follows from."""
    for selection, accuracies in logged_series(report, lab):
        numbers = list(accuracies)
        fits = summary.mean is not None and mean_fits(summary.mean, summary.mean_resolution, numbers)
        if fits and (summary.std is None or std_fits(summary.std, summary.std_resolution, numbers)):
            return selection
    return None

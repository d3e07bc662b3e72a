"""Averages are looked up in the logs by the checkpoint that they take."""

import pytest

from grader.checks.experiment import report_of
from grader.checks.finding import Status
from grader.checks.log_agreement import Selection, selection_of
from grader.reading.log import Log
from tests.checks.experiments import CHOSEN, task
from tests.checks.making import answer, decide, run
from tests.claims.making import lab

LOGS = [
    *run("pretrained", 0, [64, 81.5, 81], [67.7, 79.3, 79.9]),
    *run("pretrained", 1, [65.5, 80, 79], [72.0, 78.5, 79.5]),
    *run("pretrained", 2, [71, 83.5, 82], [71.5, 80.1, 79.7]),
]
BEST, LAST = "On test we obtain 79.30 ± 0.65 %.", "On test we obtain 79.70 ± 0.16 %."
TOP, VALIDATION = "On test we obtain 79.83 ± 0.25 %.", "We obtain 81.67 ± 1.43 %."


def found(said: str, logs: list[Log]) -> Selection | None:
    report = report_of("pretrained", answer(task(3, CHOSEN, said), logs=logs), lab())
    return selection_of(report.summaries[0], report)


@pytest.mark.parametrize(
    ("said", "selection"),
    [
        (BEST, Selection.BEST),
        (LAST, Selection.LAST),
        (TOP, Selection.BEST_TEST),
        (VALIDATION, Selection.VALID),
        ("On test the average is 79.3 %.", Selection.BEST),
        ("On test we obtain 75.00 ± 0.65 %.", None),
    ],
)
def test_which_checkpoints_an_average_is_of(said: str, selection: Selection | None) -> None:
    assert found(said, LOGS) is selection


def test_any_epoch_of_a_tie_will_do() -> None:
    tied = [*run("pretrained", 0, [64, 81.5, 81.5], [67.7, 79.3, 79.9]), *LOGS[2:]]
    assert found(BEST, tied) is Selection.BEST
    assert found("On test we obtain 79.50 ± 0.71 %.", tied) is Selection.BEST


@pytest.mark.parametrize("logs", [[], LOGS[:4]])
def test_a_seed_without_a_log_leaves_it_open(logs: list[Log]) -> None:
    assert found(BEST, logs) is None


def test_the_selection_is_judged_by_it() -> None:
    right, _ = decide("t3.selection", answer(task(3, BEST), logs=LOGS))
    assert right.status is Status.CORRECT
    assert any(place.tag for place in right.evidence)
    last, _ = decide("t3.selection", answer(task(3, CHOSEN, LAST), logs=LOGS))
    assert (last.status, last.suggestion) == (Status.REVIEW, Status.PARTIAL)
    assert "last evaluation" in last.feedback
    for said in (BEST, LAST):
        assert decide("t3.statistics", answer(task(3, said), logs=LOGS))[0].status is Status.CORRECT

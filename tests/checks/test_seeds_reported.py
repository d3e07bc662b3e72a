import pytest

from grader.checks.finding import Status
from tests.checks.experiments import BOTH, RANDOM, SEEDS, VALID_ONLY, task
from tests.checks.making import answer, decide, run


@pytest.mark.parametrize("table", [SEEDS, BOTH, VALID_ONLY])
def test_three_seeds_are_enough_on_any_split(table: str) -> None:
    finding, _ = decide("t3.seeds", answer(task(3, table)))
    assert (finding.status, finding.found) == (Status.CORRECT, "3 seeds")
    assert len(finding.evidence) == 3


def test_the_logs_may_hold_the_seeds() -> None:
    runs = [log for seed in (0, 1, 2) for log in run("pretrained", seed, [64, 81.5], [67.7, 79.3])]
    finding, _ = decide("t3.seeds", answer(task(3, "See the figure."), logs=runs))
    assert finding.status is Status.CORRECT
    assert finding.evidence[0].tag == "accuracy"


def test_two_seeds_are_for_a_person() -> None:
    finding, _ = decide("t3.seeds", answer(task(3, SEEDS.replace("| 2 | 80.1 |\n", ""))))
    assert (finding.status, finding.suggestion) == (Status.REVIEW, Status.PARTIAL)
    assert "2 of 3" in finding.feedback


def test_an_answer_without_figures_is_for_a_person() -> None:
    finding, _ = decide("t3.seeds", answer(task(3, "![curves](seeds.png)")))
    assert (finding.status, finding.suggestion) == (Status.REVIEW, Status.INCORRECT)


def test_nothing_is_missing() -> None:
    assert decide("t4.seeds", answer(task(3, SEEDS)))[0].status is Status.MISSING


def test_the_seeds_of_another_experiment_do_not_count() -> None:
    finding, _ = decide("t3.seeds", answer(task(3, "x") + "\n\n" + task(4, RANDOM)))
    assert finding.status is Status.REVIEW

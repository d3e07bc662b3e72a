"""Two places about one thing."""

import pytest

from grader.checks.experiment import report_of
from grader.checks.finding import Flag
from grader.checks.seeds_reported import table_contradictions
from tests.checks.experiments import BOTH, CHOSEN, RANDOM, SEEDS, STATISTICS, task
from tests.checks.making import answer, concluded
from tests.claims.making import lab

EPOCHS = (
    "| Epoch | Seed 0 | Seed 1 | Seed 2 |\n|---|---|---|---|\n| 1 | 67.7 | 72.0 | 71.5 |\n| 2 | 73.9 | 76.4 | 75.9 |\n"
    "| 3 | 79.3 | 78.5 | 79.6 |\n| 4 | 78.9 | 78.7 | 80.1 |\n"
)
SELECTED = (
    "| Seed | Best epoch | Test accuracy |\n|---|---|---|\n| 0 | 3 | 79.3 |\n| 1 | 3 | 78.5 |\n| 2 | 4 | 80.1 |\n"
)


def flags(*parts: str, experiment: str = "pretrained", number: int = 3) -> list[Flag]:
    given = answer(task(number, *parts))
    return concluded(table_contradictions(report_of(experiment, given, lab()), given, lab()))


@pytest.mark.parametrize(
    "parts",
    [
        (SEEDS, "On test seed 0 reaches 79.8%."),
        (SEEDS, "On the test set:\n- Seed 0: 79.8%\n- Seed 1: 78.5%\n- Seed 2: 80.1%"),
        (SEEDS, STATISTICS, "The average on test is 79.9%."),
        ("Test accuracy by epoch:\n\n" + EPOCHS, "Selected:\n\n" + SELECTED.replace("| 79.3", "| 79.8")),
    ],
)
def test_two_places_that_cannot_both_be_right(parts: tuple[str, ...]) -> None:
    (flag,) = flags(CHOSEN, *parts)
    assert flag.id == "table-contradiction"
    assert len(flag.evidence) == 2


@pytest.mark.parametrize(
    "parts",
    [
        (SEEDS, SEEDS),
        (SEEDS, STATISTICS, "On average we reach 79% on test."),
        (SEEDS, "On test seed 0 reaches 79%."),
        (SEEDS, "At the last epoch, seed 0 has a test accuracy of 79.9%."),
        (SEEDS, "On test seed 0 has 67.7% at epoch 1."),
        (SEEDS, "On validation seed 0 reaches 81.5%."),
        (SEEDS, STATISTICS, "At the last epoch the average test accuracy is 79.93%."),
        (BOTH, STATISTICS),
        ("Test accuracy by epoch:\n\n" + EPOCHS, "Selected:\n\n" + SELECTED),
        (SEEDS, STATISTICS, "The random model reaches only 66.5% on average on test."),
    ],
)
def test_places_that_may_both_be_right(parts: tuple[str, ...]) -> None:
    assert flags(CHOSEN, *parts) == []


def test_a_row_that_was_copied() -> None:
    text = task(3, SEEDS) + "\n\n" + task(4, SEEDS)
    given = answer(text)
    raised = [
        list(table_contradictions(report_of(one, given, lab()), given, lab())) for one in ("pretrained", "random")
    ]
    assert [len(one) for one in raised] == [0, 1]
    assert "two experiments" in raised[1][0].message
    both = BOTH.replace("81.5", "79.3").replace("80 |", "78.5 |").replace("83.5", "80.1")
    assert ["for validation and for test" in flag.message for flag in flags(both)] == [True]
    assert flags(RANDOM, experiment="random", number=4) == []

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


def rows(*values: str) -> str:
    told = "".join(f"| {seed} | {value} |\n" for seed, value in enumerate(values))
    return f"| Seed | Test accuracy |\n|---|---|\n{told}"


@pytest.mark.parametrize(
    ("parts", "number"),
    [
        ((SEEDS, "The average on test is 79.6 %.", "On test the average is 79.9 %."), 0),  # neither follows
        ((SEEDS, "The average on test is 79.3 %.", "On test the average is 79.30 %."), 0),  # both do
        ((SEEDS, "The average on test is 79.3 %.", "On test the average is 79.9 %."), 1),
        ((SEEDS, "The average on test is 79.3 %.", "On validation the average is 79.9 %."), 0),
        ((SEEDS, "The average on test is 79.3 %.", "On test the average is 84.3 %."), 1),
        ((SEEDS, "The average on test is 79.3 %.", "On test the average is 84.4 %."), 0),  # of something else
        ((SEEDS.replace("| 2 | 80.1 |\n", ""), "The average is 79.3 %.", "On test the average is 79.9 %."), 0),
        ((SEEDS, "On test seed 1 reaches 83.5 %."), 1),
        ((SEEDS, "On test seed 1 reaches 83.6 %."), 0),
        ((SEEDS, "On test seed 1 reaches 78.50 %."), 0),
        ((SEEDS, "On test seed 1 reaches 78.54 %."), 0),
        ((SEEDS, "On test seed 1 reaches 78.6 %."), 1),
        ((SEEDS, "On test seed 1 reaches 78.6 %.", "On test seed 2 reaches 80.3 %."), 2),
        ((rows("79.35", "78.5", "80.1"), "On test seed 0 reaches 79.3 %."), 0),
        ((rows("79.35", "78.5", "80.1"), "On test seed 0 reaches 79.4 %."), 0),
        ((rows("79.35", "78.5", "80.1"), "On test seed 0 reaches 79.2 %."), 1),
        ((rows("79.34", "78.5", "80.1"), "On test seed 0 reaches 79.4 %."), 1),
    ],
)
def test_figures_disagree_where_they_are_near_and_no_rounding_joins_them(parts: tuple[str, ...], number: int) -> None:
    assert len(flags(*parts)) == number


@pytest.mark.parametrize(
    ("values", "severities"),
    [
        (("79.35", "78.55", "80.15"), ["warning"]),  # possible on the test set alone
        (("79.5", "78.5", "80.0"), ["info"]),  # possible on the smallest set, where like figures are common
        (("79.5", "78.5", "80.05"), ["warning"]),
    ],
)
def test_figures_that_may_agree_by_chance_are_a_remark(values: tuple[str, ...], severities: list[str]) -> None:
    given = answer(task(3, rows(*values)) + "\n\n" + task(4, rows(*values)))
    found = concluded(table_contradictions(report_of("random", given, lab()), given, lab()))
    assert [str(one.severity) for one in found] == severities
    assert all(len(one.evidence) == 6 for one in found)
    other = answer(task(3, rows(*values)) + "\n\n" + task(4, rows(*values[:2], "66.5")))
    assert concluded(table_contradictions(report_of("random", other, lab()), other, lab())) == []

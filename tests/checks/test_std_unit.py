from decimal import Decimal

import pytest

from grader.checks.experiment import report_of
from grader.checks.finding import Severity, Status
from grader.checks.seed_statistics import is_impossible, is_unit_slip
from grader.claims.results.claimed import Summary
from grader.reading.document import Evidence
from tests.checks.experiments import task
from tests.checks.making import answer, decide
from tests.claims.making import lab


def stated(mean: str, std: str) -> Summary:
    unit = Decimal(1).scaleb(int(Decimal(std).as_tuple().exponent))
    return Summary(
        experiment="pretrained",
        split="test",
        mean=Decimal(mean),
        mean_resolution=Decimal("0.01"),
        std=Decimal(std),
        std_resolution=unit,
        evidence=(Evidence(file="r", quote="q"),),
    )


@pytest.mark.parametrize(
    ("mean", "std", "slip", "impossible"),
    [
        ("79.30", "0.65", False, False),
        ("79.30", "0.0065", True, True),
        ("79.30", "0.02", True, True),
        ("79.52", "0.02", True, False),
        ("71.39", "0.82", False, True),
        ("79.30", "12.5", False, False),
    ],
)
def test_what_is_too_small_for_a_percentage(mean: str, std: str, *, slip: bool, impossible: bool) -> None:
    report = report_of("pretrained", answer(""), lab())
    assert is_unit_slip(stated(mean, std), report) is slip
    assert is_impossible(stated(mean, std), report, lab()) is impossible


def test_the_seeds_need_not_be_shown() -> None:
    finding, flags = decide("t3.statistics", answer(task(3, "On test we obtain 79.30 % ± 0.0065 %.")))
    assert finding.status is Status.CORRECT
    assert [(flag.id, flag.severity) for flag in flags] == [("std-unit", Severity.WARNING)]


def test_what_is_possible_is_a_remark_only() -> None:
    finding, flags = decide("t3.statistics", answer(task(3, "On test we obtain 79.52 % ± 0.02 %.")))
    assert finding.status is Status.CORRECT
    assert [(flag.id, flag.severity) for flag in flags] == [("std-unit", Severity.INFO)]


def test_a_percentage_beside_a_fraction_is_named() -> None:
    table = "| Seed | Test accuracy |\n|---|---|\n| 0 | 0.793 |\n| 1 | 0.785 |\n| 2 | 0.801 |\n"
    _, flags = decide("t3.statistics", answer(task(3, table, "On test the mean is 0.793 and the std 0.65.")))
    assert [flag.id for flag in flags] == ["std-unit"]
    _, flags = decide("t3.statistics", answer(task(3, table, "On test the mean is 0.793 and the std 0.65 %.")))
    assert flags == []


def test_the_same_figures_are_stated_with_the_right_unit_and_a_wrong_one() -> None:
    values = "On test seed 0 gives 80.5, seed 1 gives 79.15, seed 2 gives 80.05."
    text = f"{values}\n\n(0.799, 0.00561)\n\nSo test is 0.799 % with std 0.0056 %."
    finding, flags = decide("t3.statistics", answer(task(3, text)))
    assert finding.status is Status.CORRECT
    assert [flag.id for flag in flags] == ["std-unit"]


def test_a_table_in_fractions_does_not_hide_the_slip_beside_percentages() -> None:
    table = "| Seed | Test accuracy |\n|---|---|\n| 1 | 0.8045 |\n| 2 | 0.7915 |\n| 3 | 0.8005 |\n"
    stated = "| mean | 0.7988 |\n| std | 0.0067 |\n\nIt has 79.88% on average, with a standard deviation of {std}%."
    for std, flagged in (("0.0067", ["std-unit"]), ("0.67", [])):
        finding, flags = decide("t3.statistics", answer(task(3, table + stated.format(std=std))))
        assert finding.status is Status.CORRECT
        assert [flag.id for flag in flags] == flagged

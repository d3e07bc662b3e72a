"""Which averages and deviations follow from which values."""

from decimal import Decimal

import pytest

from grader.claims.numerals import Numeral, percentages
from grader.claims.results.claimed import mean_fits, std_fits
from grader.claims.results.fact import deviation_follows, follows
from grader.claims.results.series import is_fine

VALUES = [78.5, 79.3, 80.1]
"""Their average is 79.3; their deviation 0.653 in population form, 0.8 in sample form."""


def number(text: str) -> Numeral:
    return next(percentages(text))


@pytest.mark.parametrize(
    "mean", ["79.3", "79.30", "79", "79.4", "79.2", "79.31", "0.793", "0.79", "79,3", "79.3 %", "80"]
)
def test_an_average_that_follows_rounded_or_cut(mean: str) -> None:
    assert follows(number(mean), None, VALUES)


@pytest.mark.parametrize("mean", ["79.5", "79.1", "79.33", "79.27", "81", "78", "0.795", "7.93", "0.3"])
def test_an_average_that_does_not(mean: str) -> None:
    assert not follows(number(mean), None, VALUES)


def test_nothing_follows_from_nothing() -> None:
    assert not follows(number("0.0"), None, [])


@pytest.mark.parametrize("deviation", ["0.65", "0.653", "0.7", "0.6", "0.8", "0.80", "1", "0.0065", "0.008"])
def test_a_deviation_in_either_form_and_a_hundred_times_too_small(deviation: str) -> None:
    assert deviation_follows(number("79.3"), number(deviation), VALUES)
    assert follows(number("79.3"), number(deviation), VALUES)


@pytest.mark.parametrize("deviation", ["0.55", "0.95", "0.67", "0.63", "2", "0.0100", "0.0045", "6.53"])
def test_a_deviation_that_does_not(deviation: str) -> None:
    assert not deviation_follows(number("79.3"), number(deviation), VALUES)
    assert not follows(number("79.3"), number(deviation), VALUES)


def test_a_deviation_is_in_the_unit_of_its_average() -> None:
    assert deviation_follows(number("0.793"), number("0.0065"), VALUES)
    assert deviation_follows(number("0.793"), number("0.65"), VALUES)
    assert not deviation_follows(number("0.793"), number("65.3"), VALUES)


def test_a_value_alone_has_no_spread() -> None:
    assert deviation_follows(number("79.3"), number("0.0"), [79.3])
    assert not deviation_follows(number("79.3"), number("0.65"), [79.3])


@pytest.mark.parametrize(
    ("mean", "rounding", "fits"),
    [
        ("79.3", 0, True), ("79.4", 0, True), ("79.5", 0, False), ("79.1", 0, False),
        ("79.5", 0.2, True), ("79.1", 0.2, True), ("79.6", 0.2, False), ("79.4", 0.01, True),
    ],
)  # fmt: skip
def test_a_stated_average_fits_values_that_may_have_been_rounded(mean: str, rounding: float, fits: bool) -> None:
    assert mean_fits(Decimal(mean), Decimal("0.1"), VALUES, rounding) is fits


@pytest.mark.parametrize(
    ("deviation", "rounding", "fits"),
    [
        ("0.65", 0, True), ("0.66", 0, True), ("0.67", 0, False), ("0.80", 0, True), ("0.82", 0, False),
        ("0.70", 0.05, True), ("0.72", 0.05, False), ("0.74", 0.05, True), ("0.86", 0.05, True), ("0.87", 0.05, False),
    ],
)  # fmt: skip
def test_a_stated_deviation_fits_in_either_form(deviation: str, rounding: float, fits: bool) -> None:
    """Rounding by 0.05 changes the population form by 0.05 at most, the sample form by 0.061."""
    assert std_fits(Decimal(deviation), Decimal("0.01"), VALUES, rounding) is fits


def test_the_deviation_of_one_value_is_nought() -> None:
    assert std_fits(Decimal("0.00"), Decimal("0.01"), [79.3])
    assert not std_fits(Decimal("0.02"), Decimal("0.01"), [79.3])


@pytest.mark.parametrize(("written", "fine"), [("79.33", True), ("79.3", False), ("0.7933", True), ("0.793", False)])
def test_whether_an_average_is_hardly_one_by_chance(written: str, fine: bool) -> None:
    assert is_fine(number(written)) is fine


@pytest.mark.parametrize(("written", "fine"), [("3.21", True), ("1.49", False), ("1.50", True), ("15.1", True)])
def test_whether_one_that_is_no_share_is_hardly_one_by_chance(written: str, fine: bool) -> None:
    plain = number(written)._replace(is_plain=True)
    assert is_fine(plain) is fine
    below = plain._replace(readings=(-plain.value,))
    assert is_fine(below) is fine

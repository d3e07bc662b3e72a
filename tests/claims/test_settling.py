"""Which averages and deviations follow from which values."""

import pytest

from grader.claims.numerals import Numeral, percentages
from grader.claims.results.proofs import deviation_follows, follows

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

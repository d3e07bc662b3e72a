"""Whether a sentence gives the difference of two averages, and what several statements say together."""

import pytest

from grader.checks.stated_comparison import (
    Averages,
    Stand,
    StatedComparison,
    misses_difference,
    states_difference,
    told_by,
)
from grader.lab.experiments import Measure
from grader.reading.document import Evidence
from tests.checks.test_measured_labs import lab_of
from tests.claims.making import lab

ACCURACY = lab().measure(None, "pretrained")
PERPLEXITY = lab_of("language").measure(None, "transformer")


def averages(better: float, worse: float, measure: Measure = ACCURACY) -> Averages:
    return Averages(better, worse, measure)


@pytest.mark.parametrize(
    ("text", "states"),
    [
        ("It gains 12.8 points.", True),
        ("It gains 12.80 points.", True),
        ("It gains 12.7 points.", True),
        ("It gains 12.9 points.", True),
        ("It gains 12.6 points.", False),
        ("It gains 13 points.", True),
        ("It gains 12 points.", True),
        ("It gains 11 points.", False),
        ("It gains 15 points.", False),
        ("It gains 12.8 %.", True),
        ("It gains 12,8 %.", True),
        ("It gains 0.128.", True),
        ("It gains 0.15.", False),
        ("It gains 12.8 minutes.", False),
        ("It gains 0.128 points.", False),
        ("It gains 0.128 %.", False),
        ("It gains thirteen points.", True),
        ("Elle gagne treize points.", True),
        ("It gains twelve points.", True),
        ("It gains ten points.", False),
        ("It gains fifteen points.", False),
        ("It has thirteen layers.", False),
        ("It gets 256 more reviews right.", True),
        ("It gets 257 more reviews right.", True),
        ("It gets 258 more reviews right.", False),
        ("It gets 254 more reviews right.", False),
        ("It gets 26 more of the validation reviews right.", True),
        ("It gets 25 more of the validation reviews right.", True),
        ("It gets 24 more of the validation reviews right.", False),
        ("It gets 28 more of the validation reviews right.", False),
        ("It is better.", False),
    ],
)
def test_a_difference_in_points_or_examples(text: str, *, states: bool) -> None:
    assert states_difference(text, averages(79.3, 66.5), (200, 2000)) is states


@pytest.mark.parametrize("text", ["It gains 12.8 points.", "It gains 13 points.", "It gains thirteen points."])
def test_a_gain_is_not_that_of_the_other_one(text: str) -> None:
    assert not states_difference(text, averages(66.5, 79.3), ())


@pytest.mark.parametrize(
    ("text", "states"),
    [
        ("It falls by 18.2.", True),
        ("It falls by 18.", True),
        ("It falls by 18.4.", False),
        ("It falls by 16.", False),
        ("It falls by 20.", False),
        ("It falls by 18.24.", False),
        ("It falls.", False),
    ],
)
def test_a_difference_of_another_measure_is_met_to_its_last_digit(text: str, *, states: bool) -> None:
    for pair in ((113.4, 131.6), (131.6, 113.4)):
        assert states_difference(text, averages(*pair, PERPLEXITY), ()) is states


@pytest.mark.parametrize(
    ("text", "misses"),
    [
        ("It gains 12.8 points.", False),
        ("It gains 25 points.", True),
        ("It gains 25 percentage points.", True),
        ("It is better by 14.3 points in the best run.", False),
        ("It is better by 19 % in relative terms.", False),
        ("It is better by 26 %.", True),
        ("It is ahead by 16 % of its own figure.", False),
        ("It lowers the errors by 38 %.", False),
        ("Otherwise the errors rise by 62 %.", False),
        ("It gains three points.", True),
        ("The two starting points differ.", False),
        ("It gets 400 more right.", True),
        ("It needs 400 more steps.", False),
        ("It rises from 66.5 to 79.3, by 25 points at the first step.", False),
        ("It is better.", False),
    ],
)
def test_a_difference_that_no_values_have(text: str, *, misses: bool) -> None:
    both = averages(79.3, 66.5)._replace(pairs=((80.1, 65.8), (78.5, 67.2)))
    assert misses_difference(text, both, (200, 2000)) is misses


@pytest.mark.parametrize(
    ("text", "misses"), [("It falls by 18.2.", False), ("It falls by 5.", True), ("5 seeds.", False)]
)
def test_a_difference_of_another_measure_that_no_values_have(text: str, *, misses: bool) -> None:
    assert misses_difference(text, averages(113.4, 131.6, PERPLEXITY), ()) is misses


def test_what_has_no_errors_is_no_trouble() -> None:
    assert misses_difference("It is better by 28 %.", averages(100.0, 50.0), ())


def test_one_point_is_no_other_thing() -> None:
    for text, states in (("It gains 1 point.", True), ("It gains one point.", True), ("It needs 1 more seed.", False)):
        assert states_difference(text, averages(80.3, 79.3), ()) is states


def test_the_lead_is_that_of_the_better_one_by_the_measure() -> None:
    assert averages(79.3, 66.5).lead == pytest.approx(12.8)
    assert averages(113.4, 131.6, PERPLEXITY).lead == pytest.approx(18.2)
    assert averages(131.6, 113.4, PERPLEXITY).lead == pytest.approx(-18.2)
    assert averages(79.3, 66.5).both == (79.3, 66.5)
    assert [averages(79.3, other).is_clear for other in (66.5, 79.3)] == [True, False]


def said(stand: Stand, sure: float, line: int = 1, **words: float) -> StatedComparison:
    by_words = {one: words.get(one.value, sure if one is stand else 0.0) for one in Stand}
    return StatedComparison(stand, sure, by_words, Evidence(file="a.md", line=line, quote="x"))


BETTER, WORSE, NEITHER = Stand


@pytest.mark.parametrize(
    ("heard", "told"),
    [
        ([], set()),
        ([said(BETTER, 0.95)], {BETTER}),
        ([said(WORSE, 0.95)], {WORSE}),
        ([said(NEITHER, 0.95)], {NEITHER}),
        ([said(BETTER, 0.2)], set()),
        ([said(BETTER, 0.39, line) for line in range(9)], set()),
        ([said(BETTER, 0.95), said(WORSE, 0.95, 2)], {BETTER, WORSE}),
        ([said(BETTER, 0.95), said(WORSE, 0.3, 2)], {BETTER}),
        ([said(WORSE, 0.95), said(NEITHER, 0.95, 2)], {WORSE, NEITHER}),
        ([said(BETTER, 0.6, 1), said(BETTER, 0.6, 1)], set()),
        ([said(BETTER, 0.7, line) for line in (1, 2, 3, 4)], {BETTER}),
        ([said(WORSE, 0.7, line) for line in (1, 2, 3, 4)], {WORSE}),
        ([said(BETTER, 0.76)], {BETTER}),
        ([said(BETTER, 0.74)], set()),
        ([said(BETTER, 0.76, worse=0.04)], {BETTER}),
        ([said(BETTER, 0.76, worse=0.06)], set()),
        ([said(WORSE, 0.76)], set()),
        ([said(BETTER, 0.8), said(WORSE, 0.3, 2, worse=0.72)], {BETTER, WORSE}),
        ([said(BETTER, 0.8), said(WORSE, 0.3, 2, worse=0.68)], {BETTER}),
        ([said(BETTER, 0.9, neither=0.3)], set()),
        ([said(BETTER, 0.9, neither=0.1)], {BETTER}),
        ([said(BETTER, 0.9, neither=0.3), said(BETTER, 0.9, 2, neither=0.1)], {BETTER}),
        ([said(BETTER, 0.9, neither=0.3), said(BETTER, 0.6, 2, neither=0.1)], set()),
        ([said(WORSE, 0.6, worse=0.92)], {WORSE}),
        ([said(WORSE, 0.6, worse=0.88)], set()),
        ([said(WORSE, 0.84)], set()),
        ([said(WORSE, 0.86)], {WORSE}),
        ([said(WORSE, 0.86), said(NEITHER, 0.6, 2, neither=0.72)], {WORSE, NEITHER}),
        ([said(WORSE, 0.86), said(NEITHER, 0.6, 2, neither=0.68)], {WORSE}),
    ],
)
def test_what_a_text_says_of_the_two(heard: list[StatedComparison], told: set[Stand]) -> None:
    found = told_by(heard)
    assert set(found) == told
    assert all(0.5 < sure <= 1 for sure in found.values())


def test_the_order_of_statements_makes_no_difference() -> None:
    heard = [said(BETTER, 0.9, 1), said(WORSE, 0.7, 2), said(NEITHER, 0.5, 3), said(BETTER, 0.6, 4)]
    assert told_by(heard) == told_by(heard[::-1])

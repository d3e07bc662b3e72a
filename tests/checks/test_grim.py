from itertools import combinations_with_replacement, pairwise
from statistics import fmean, pstdev, stdev

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from grader.checks.experiment import StatedMean, chance, is_possible_mean, triples

counts = st.lists(st.integers(100, 190), min_size=3, max_size=3)


@settings(deadline=None, max_examples=40)
@given(counts, st.sampled_from([pstdev, stdev]), st.booleans())
def test_what_three_accuracies_give_is_possible_for_them(right: list[int], form: object, cut: bool) -> None:
    values = [one / 2 for one in sorted(right)]
    mean, std = fmean(values), form(values)
    written = [int(one * 100 + 1e-6) / 100 if cut else round(one, 2) for one in (mean, std)]
    stated = StatedMean(mean=written[0], mean_unit=0.01, std=written[1], std_unit=0.01)
    assert is_possible_mean(stated, 200, 3)
    assert is_possible_mean(stated, 2000, 3)
    assert tuple(values) in triples(stated, 200)


@settings(deadline=None, max_examples=20)
@given(st.integers(7000, 9000))
def test_a_mean_is_possible_just_where_some_sum_of_counts_gives_it(hundredths: int) -> None:
    mean = hundredths / 100
    near = [total / 6 for total in range(600) if -0.005 - 1e-9 <= total / 6 - mean < 0.01 - 1e-9]
    assert is_possible_mean(StatedMean(mean=mean, mean_unit=0.01), 200, 3) is bool(near)


def test_mean_and_deviation_together_leave_few_triples() -> None:
    assert triples(StatedMean(mean=81.67, mean_unit=0.01, std=1.43, std_unit=0.01), 200) == ((80.0, 81.5, 83.5),)
    assert triples(StatedMean(mean=79.3, mean_unit=0.01, std=0.65, std_unit=0.01), 200) == ()
    assert triples(StatedMean(mean=79.3, mean_unit=0.01), 200) == ()


@pytest.mark.parametrize(("examples", "possible"), [(200, False), (2000, False), (100_000, True)])
def test_a_mean_between_the_grid_lines_is_impossible(examples: int, *, possible: bool) -> None:
    assert is_possible_mean(StatedMean(mean=71.39, mean_unit=0.01), examples, 3) is possible


def test_how_often_test_figures_are_possible_on_validation_as_well() -> None:
    all_values = [(78.0 + first / 20, 80.0 + second / 20, 81.1) for first in range(20) for second in range(8)]
    stated = [(round(fmean(values), 2), round(pstdev(values), 2)) for values in all_values]
    found = [bool(triples(StatedMean(mean=m, mean_unit=0.01, std=s, std_unit=0.01), 200)) for m, s in stated]
    told = chance(StatedMean(mean=80.0, mean_unit=0.01, std=1.2, std_unit=0.01), 200, 2000)
    assert told == pytest.approx(sum(found) / len(found), abs=0.05)


@pytest.mark.parametrize("mean", [0.0, 0.01, 99.99, 100.0])
@pytest.mark.parametrize("std", [0.0, 50.0])
def test_the_ends_of_the_scale_are_no_trouble(mean: float, std: float) -> None:
    stated = StatedMean(mean=mean, mean_unit=0.01, std=std, std_unit=0.01)
    for triple in triples(stated, 200):
        assert 0 <= triple[0] <= triple[1] <= triple[2] <= 100


@pytest.mark.parametrize("unit", [1.0, 0.1, 0.01])
@pytest.mark.parametrize(
    ("mean", "std"),
    [
        (70.0, 0.0),
        (75.0, 0.0),
        (5.0, 0.0),
        (76.67, 2.36),
        (75.0, 4.1),
        (81.67, 2.4),
        (98.33, 2.36),
        (3.33, 2.89),
        (50, 35),
    ],
)
def test_all_triples_and_no_others(mean: float, std: float, unit: float) -> None:
    """Of all that there are on a set of 20 examples: those whose mean and deviation are written so, rounded or cut."""

    def is_written(stated: float, value: float) -> bool:
        return stated - unit / 2 - 1e-9 <= value < stated + unit - 1e-9

    every = combinations_with_replacement((5.0 * right for right in range(21)), 3)
    fits = [
        t for t in every if is_written(mean, fmean(t)) and any(is_written(std, form(t)) for form in (pstdev, stdev))
    ]
    stated = StatedMean(mean=mean, mean_unit=unit, std=std, std_unit=unit)
    assert {tuple(map(round, one)) for one in triples(stated, 20)} == {tuple(map(round, one)) for one in fits}


@pytest.mark.parametrize("seeds", [2, 3, 5])
@pytest.mark.parametrize("mean", [0.0, 62.5, 66.7, 71.3, 99.5, 100.0])
def test_means_of_any_number_of_seeds(mean: float, seeds: int) -> None:
    every = [100 * total / (20 * seeds) for total in range(20 * seeds + 1)]
    possible = any(mean - 0.05 - 1e-9 <= one < mean + 0.1 - 1e-9 for one in every)
    assert is_possible_mean(StatedMean(mean=mean, mean_unit=0.1), 20, seeds) is possible


@pytest.mark.parametrize(
    ("mean", "std", "unit"), [(80.0, 1.2, 0.01), (80.0, 0.1, 0.01), (79.5, 2.0, 0.1), (66.67, 0.8, 0.01)]
)
def test_the_share_of_deviations_that_are_possible(mean: float, std: float, unit: float) -> None:
    """Of the deviations around the stated one the part near which some three values have theirs, where the mean itself
    is possible."""
    least, most = max(0.0, std - 0.25), std + 0.25
    by_mean = min(1.0, 1.5 * max(unit, 100 / 6000) / (100 / 600))
    near = {
        form(values)
        for total in range(600)
        if mean - unit / 2 - 1e-9 <= total / 6 < mean + unit - 1e-9
        for low in range(max(0, total // 3 - 12), total // 3 + 1)
        for middle in range(low, (total - low) // 2 + 1)
        for values in [[low / 2, middle / 2, (total - low - middle) / 2]]
        for form in (pstdev, stdev)
    }
    ends = sorted(
        {least, most, *(end for form in near for end in (form - unit, form + unit / 2) if least < end < most)}
    )
    covered = sum(
        right - left
        for left, right in pairwise(ends)
        if any(form - unit <= (left + right) / 2 < form + unit / 2 for form in near)
    ) / (most - least)
    stated = StatedMean(mean=mean, mean_unit=unit, std=std, std_unit=unit)
    assert chance(stated, 200, 2000) == pytest.approx(by_mean * covered, abs=1e-9)


def test_a_mean_alone_is_possible_as_often_as_its_digits_are_coarse() -> None:
    told = [chance(StatedMean(mean=80.0, mean_unit=unit), 200, 2000) for unit in (1.0, 0.1, 0.01, 0.001)]
    assert told == pytest.approx([1.0, 0.9, 0.15, 0.15])


@pytest.mark.parametrize(
    ("mean", "std", "examples", "found"),
    [
        (81.67, 1.43, 200, [(80.0, 81.5, 83.5)]),
        (81.67, 1.76, 200, [(80.0, 81.5, 83.5)]),
        (79.3, 0.65, 200, []),
        (81.50, 1.22, 200, [(80.0, 81.5, 83.0)]),
        (80.0, 0.0, 200, [(80.0, 80.0, 80.0)]),
        (79.3, 0.65, 2000, [(78.5, 79.3, 80.1)]),
        (0.17, 0.24, 200, [(0.0, 0.0, 0.5)]),
        (99.83, 0.24, 200, [(99.5, 100.0, 100.0)]),
    ],
)
def test_the_three_values_behind_an_average_and_a_deviation(
    mean: float, std: float, examples: int, found: list[tuple[float, float, float]]
) -> None:
    told = triples(StatedMean(mean=mean, mean_unit=0.01, std=std, std_unit=0.01), examples)
    assert {tuple(round(value, 6) for value in one) for one in told} >= set(found)
    assert bool(told) is bool(found)
    for one in told:
        assert mean - 0.005 - 1e-9 <= fmean(one) < mean + 0.01
        assert any(std - 0.005 - 1e-9 <= form(one) < std + 0.01 for form in (pstdev, stdev))
        assert all(round(value * examples / 100, 6) % 1 == 0 for value in one)

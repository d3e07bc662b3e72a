from statistics import fmean, pstdev, stdev

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from grader.checks.grim import Stated, chance, is_possible_mean, triples

counts = st.lists(st.integers(100, 190), min_size=3, max_size=3)


@settings(deadline=None, max_examples=40)
@given(counts, st.sampled_from([pstdev, stdev]), st.booleans())
def test_what_three_accuracies_give_is_possible_for_them(right: list[int], form: object, cut: bool) -> None:
    values = [one / 2 for one in sorted(right)]
    mean, std = fmean(values), form(values)
    written = [int(one * 100 + 1e-6) / 100 if cut else round(one, 2) for one in (mean, std)]
    stated = Stated(mean=written[0], mean_unit=0.01, std=written[1], std_unit=0.01)
    assert is_possible_mean(stated, 200, 3)
    assert is_possible_mean(stated, 2000, 3)
    assert tuple(values) in triples(stated, 200)


@settings(deadline=None, max_examples=20)
@given(st.integers(7000, 9000))
def test_a_mean_is_possible_just_where_some_sum_of_counts_gives_it(hundredths: int) -> None:
    mean = hundredths / 100
    near = [total / 6 for total in range(600) if -0.005 - 1e-9 <= total / 6 - mean < 0.01 - 1e-9]
    assert is_possible_mean(Stated(mean=mean, mean_unit=0.01), 200, 3) is bool(near)


def test_mean_and_deviation_together_leave_few_triples() -> None:
    assert triples(Stated(mean=81.67, mean_unit=0.01, std=1.43, std_unit=0.01), 200) == ((80.0, 81.5, 83.5),)
    assert triples(Stated(mean=79.3, mean_unit=0.01, std=0.65, std_unit=0.01), 200) == ()
    assert triples(Stated(mean=79.3, mean_unit=0.01), 200) == ()


@pytest.mark.parametrize(("examples", "possible"), [(200, False), (2000, False), (100_000, True)])
def test_a_mean_between_the_grid_lines_is_impossible(examples: int, *, possible: bool) -> None:
    assert is_possible_mean(Stated(mean=71.39, mean_unit=0.01), examples, 3) is possible


def test_how_often_test_figures_are_possible_on_validation_as_well() -> None:
    all_values = [(78.0 + first / 20, 80.0 + second / 20, 81.1) for first in range(20) for second in range(8)]
    stated = [(round(fmean(values), 2), round(pstdev(values), 2)) for values in all_values]
    found = [bool(triples(Stated(mean=m, mean_unit=0.01, std=s, std_unit=0.01), 200)) for m, s in stated]
    told = chance(Stated(mean=80.0, mean_unit=0.01, std=1.2, std_unit=0.01), 200, 2000)
    assert told == pytest.approx(sum(found) / len(found), abs=0.05)


@pytest.mark.parametrize("mean", [0.0, 0.01, 99.99, 100.0])
@pytest.mark.parametrize("std", [0.0, 50.0])
def test_the_ends_of_the_scale_are_no_trouble(mean: float, std: float) -> None:
    stated = Stated(mean=mean, mean_unit=0.01, std=std, std_unit=0.01)
    for triple in triples(stated, 200):
        assert 0 <= triple[0] <= triple[1] <= triple[2] <= 100

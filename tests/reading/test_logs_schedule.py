"""The learning rate's course from logged rates."""

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from grader.reading.runs import Fit, Rate, fit_rates
from tests.reading.making_logs import rate


@pytest.mark.parametrize(
    ("first", "total", "warmup"),
    [(8.5066e-06, 1125, 67), (8.6436e-06, 1200, 72), (8.7234e-06, 1250, 75), (9.8707e-06, 3125, 187)],
)
def test_the_rate_after_the_first_epoch_tells_the_schedule(first: float, total: int, warmup: int) -> None:
    """One rate is enough where peak and warm-up are told."""
    found = fit_rates([Rate(225, first)], 1e-5, warmup)
    assert found is not None
    assert abs(found.total - total) <= total * 0.002


@given(
    total=st.integers(500, 10_000),
    share=st.floats(0.0, 0.2),
    peak=st.floats(1e-6, 1e-2),
    every=st.integers(20, 200),
    digits=st.integers(5, 8),
)
@settings(deadline=None)
def test_rounded_rates_give_the_curve_back(total: int, share: float, peak: float, every: int, digits: int) -> None:
    warmup = round(total * share)
    steps = range(every, total + 1, every)
    assume(sum(step > warmup for step in steps) > 4 and sum(0 < step < warmup for step in steps) != 1)
    rates = [Rate(step, float(f"{rate(step, total, warmup, peak):.{digits}g}")) for step in steps]
    found = fit_rates(rates, float(f"{peak:g}"), warmup)
    assert found is not None
    assert abs(found.total - total) <= 1
    assert found.warmup is None or abs(found.warmup - warmup) <= max(1, total // 500)
    assert found.peak is None or abs(found.peak - peak) <= 2e-3 * peak


def test_peak_and_warm_up_where_the_rise_was_logged() -> None:
    found = fit_rates([Rate(step, rate(step)) for step in range(10, 1126, 10)])
    assert found is not None
    assert found == Fit(1125, found.peak, 67)
    assert found.peak == pytest.approx(1e-5)


@pytest.mark.parametrize(
    "rates",
    [
        [],
        [(225, 1e-5)],
        [(225, 8e-6), (450, 6e-6)],
        [(225, 1e-5), (450, 1e-5), (675, 1e-5), (900, 1e-5)],
        [(225, 9.8e-6), (450, 9e-6), (675, 7e-6), (900, 3e-6)],
        [(225, 1e-5), (450, 5e-6), (675, 3.3e-6), (900, 2.5e-6)],
        [(225, float("nan")), (450, float("inf")), (675, -1.0)],
        [(0, 0.0), (225, 0.0)],
    ],
)
def test_too_few_points_or_another_curve_give_nothing(rates: list[tuple[int, float]]) -> None:
    assert fit_rates([Rate(*one) for one in rates]) is None


@given(
    st.lists(st.builds(Rate, st.integers(), st.floats()), max_size=8),
    st.none() | st.floats(),
    st.none() | st.integers(),
)
@settings(deadline=None)
def test_any_rates_do_no_harm(rates: list[Rate], peak: float | None, warmup: int | None) -> None:
    fit_rates(rates, peak, warmup)

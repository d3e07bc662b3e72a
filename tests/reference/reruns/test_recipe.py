"""The learning rate is the one that the frameworks log."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from reference.reruns.run_record import Recipe, Sizes


@pytest.mark.parametrize(
    ("schedule", "rate"), [(1125, 8.5066e-06), (1200, 8.6436e-06), (1250, 8.7234e-06), (3125, 9.8707e-06)]
)
def test_the_rate_after_an_epoch_is_the_logged_one(schedule: int, rate: float) -> None:
    assert Recipe(schedule=schedule).rate(225) == pytest.approx(rate, rel=1e-4)


def test_the_warm_up_is_rounded_as_each_framework_does() -> None:
    assert Recipe(schedule=1125).warm_up_updates == 67
    assert Recipe(schedule=1125, rounding="up").warm_up_updates == 68
    assert Recipe(schedule=1200, rounding="up").warm_up_updates == 72, "6 % of 1200 is whole, whatever floats say"


@given(st.integers(1, 5000), st.floats(0, 0.99), st.integers(0, 6000))
def test_the_rate_stays_between_zero_and_its_peak(schedule: int, warm_up: float, done: int) -> None:
    recipe = Recipe(schedule=schedule, warm_up=warm_up)
    assert 0 <= recipe.rate(done) <= recipe.peak_rate
    assert recipe.rate(max(schedule, recipe.warm_up_updates + 1)) == 0


def test_a_width_that_heads_cannot_share_is_refused() -> None:
    with pytest.raises(ValidationError, match="choose a multiple"):
        Sizes(layers=1, width=10, feed_forward=8, heads=3, positions=8, vocabulary=10)

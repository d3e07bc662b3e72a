"""The variance of accuracies from seed to seed and from set-up to set-up, and its prediction for one more set-up, by
quantiles of Student's t, for which no statistics library is needed."""

from collections.abc import Iterable, Sequence
from functools import cache
from math import atan, cos, exp, lgamma, pi, sqrt
from statistics import fmean, variance
from typing import NamedTuple

_STEPS = 400


@cache
def two_sided(degrees: float, coverage: float) -> float:
    """The t that a share `coverage` of the distribution lies within, on both sides of 0; by bisection.

    Fractional degrees are fine, but at least 1.
    """
    low, high = 0.0, 1.0
    while share_within(high, degrees) < coverage:
        low, high = high, 2 * high
    for _ in range(50):
        middle = (low + high) / 2
        low, high = (middle, high) if share_within(middle, degrees) < coverage else (low, middle)
    return high


def share_within(bound: float, degrees: float) -> float:
    """The share of the distribution between -bound and bound.

    By Simpson's rule on T = sqrt(degrees) tan(a), where the density of a is proportional to cos(a) ** (degrees - 1).
    """
    step = atan(bound / sqrt(degrees)) / _STEPS
    weights = (1 if place in (0, _STEPS) else 4 if place % 2 else 2 for place in range(_STEPS + 1))
    total: float = sum(weight * cos(place * step) ** (degrees - 1) for place, weight in enumerate(weights))
    return 2 * exp(lgamma((degrees + 1) / 2) - lgamma(degrees / 2)) / sqrt(pi) * total * step / 3


Values = Sequence[float]


class Variance(NamedTuple):
    """An estimated variance and its degrees of freedom."""

    value: float
    degrees: float


class Setup(NamedTuple):
    """One set-up's accuracies by seed, in percent; `extra` is the variance of its mean due to other reviews."""

    values: tuple[float, ...]
    extra: float = 0.0


class Prediction(NamedTuple):
    """The expected position of the mean of new seeds: the centre, the standard deviation of what is predicted about it,
    and its degrees of freedom."""

    mean: float
    deviation: float
    degrees: float

    def interval(self, coverage: float) -> tuple[float, float]:
        """The interval that holds a new mean with a probability."""
        width = two_sided(self.degrees, coverage) * self.deviation
        return self.mean - width, self.mean + width

    def reach(self, value: float) -> float:
        """The coverage of the narrowest interval that holds a value: 0 at the centre, near 1 far off."""
        return share_within(abs(value - self.mean) / self.deviation, self.degrees)


def seed_variance(groups: Iterable[Values]) -> Variance:
    """The variance between seeds of one set-up, pooled over set-ups. Raises ValueError when no group has two seeds."""
    useful = [group for group in groups if len(group) > 1]
    degrees = sum(len(group) - 1 for group in useful)
    if not degrees:
        raise ValueError("no set-up has two seeds")
    return Variance(sum((len(group) - 1) * variance(group) for group in useful) / degrees, degrees)


def drift_variance(cells: Iterable[tuple[Sequence[Values], Variance]]) -> Variance:
    """The variance between set-ups that should agree, pooled over cells of such set-ups, each with its seed variance.

    The moment estimate of the one-way random model: the mean square between set-ups is the seed variance plus n times
    that of set-ups. It is 0 where set-ups differ no more than seeds do, or no cell has two.
    """
    excess, degrees, weight = 0.0, 0, 0.0
    for groups, seeds in cells:
        useful = [group for group in groups if group]
        if len(useful) < 2:
            continue
        size = len(useful) / sum(1 / len(group) for group in useful)
        excess += (len(useful) - 1) * (size * variance([fmean(group) for group in useful]) - seeds.value)
        weight += (len(useful) - 1) * size
        degrees += len(useful) - 1
    return Variance(max(0.0, excess / weight), degrees) if degrees else Variance(0.0, 0)


def predict(setups: Sequence[Setup], seeds: Variance, drift: Variance, new: int) -> Prediction:
    """Predict the mean of `new` seeds in a set-up that is not known, from those that are.

    Set-ups are weighted by how well their mean is known. With the drift d and the seed variance s, a set-up of n seeds
    has the variance d + s / n + extra, and the new mean d + s / new about the true centre. Degrees of freedom by
    Satterthwaite's approximation: those of the two estimates, by what each contributes.
    """
    used = [setup for setup in setups if setup.values]

    def spread(s: float, d: float) -> float:
        return 1 / sum(1 / (d + s / len(setup.values) + setup.extra) for setup in used) + d + s / new

    weights = [1 / (drift.value + seeds.value / len(setup.values) + setup.extra) for setup in used]
    mean = sum(weight * fmean(setup.values) for weight, setup in zip(weights, used, strict=True)) / sum(weights)
    total = spread(seeds.value, drift.value)
    if not drift.value:
        return Prediction(mean, sqrt(total), seeds.degrees)
    step = 1e-4 * seeds.value
    by_seeds = (spread(seeds.value + step, drift.value) - total) / step
    by_drift = (spread(seeds.value, drift.value + step) - total) / step
    size = fmean(len(setup.values) for setup in used)
    between = seeds.value + size * drift.value
    # The drift is (between - seeds) / size, and the two mean squares are independent.
    doubt = (by_drift / size * between) ** 2 / drift.degrees
    doubt += ((by_seeds - by_drift / size) * seeds.value) ** 2 / seeds.degrees
    return Prediction(mean, sqrt(total), max(1.0, total**2 / doubt))


def review_variance(accuracy: float, reviews: int, others: int) -> float:
    """The variance, in squared points, of the difference between the accuracies on two unrelated sets of reviews."""
    share = accuracy / 100
    return 1e4 * share * (1 - share) * (1 / reviews + 1 / others)

"""Quantiles of Student's t for any degrees of freedom, without a statistics library."""

from functools import cache
from math import atan, cos, exp, lgamma, pi, sqrt

_STEPS = 400


@cache
def two_sided(degrees: float, coverage: float) -> float:
    """The t that a share `coverage` of the distribution lies within, on both sides of 0; by bisection.

    Fractional degrees are fine, but at least 1.
    """
    low, high = 0.0, 1.0
    while within(high, degrees) < coverage:
        low, high = high, 2 * high
    for _ in range(50):
        middle = (low + high) / 2
        low, high = (middle, high) if within(middle, degrees) < coverage else (low, middle)
    return high


def within(bound: float, degrees: float) -> float:
    """The share of the distribution between -bound and bound.

    By Simpson's rule on T = sqrt(degrees) tan(a), where the density of a is proportional to cos(a) ** (degrees - 1).
    """
    step = atan(bound / sqrt(degrees)) / _STEPS
    weights = (1 if place in (0, _STEPS) else 4 if place % 2 else 2 for place in range(_STEPS + 1))
    total: float = sum(weight * cos(place * step) ** (degrees - 1) for place, weight in enumerate(weights))
    return 2 * exp(lgamma((degrees + 1) / 2) - lgamma(degrees / 2)) / sqrt(pi) * total * step / 3

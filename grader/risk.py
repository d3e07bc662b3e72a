"""Bounds on a rate of errors, given the number of errors among a number of cases."""

from math import exp, lgamma, log
from typing import Final

SURE: Final = 0.95


def upper_bound(wrong: int, of: int) -> float:
    """The one-sided 95 % upper bound of a share of which `wrong` of so many were seen (Clopper and Pearson)."""
    return 1.0 if wrong >= of else _solved(wrong, of, 1 - SURE)


def lower_bound(wrong: int, of: int) -> float:
    """The one-sided 95 % lower bound of such a share."""
    return 0.0 if wrong <= 0 else _solved(wrong - 1, of, SURE)


def _solved(most: int, of: int, chance: float) -> float:
    """The share at which no more than `most` of so many are wrong with a given chance."""
    low, high = 0.0, 1.0
    while high - low > 1e-6:
        middle = (low + high) / 2
        low, high = (middle, high) if _at_most(most, of, middle) > chance else (low, middle)
    return high


def _at_most(most: int, of: int, share: float) -> float:
    """The chance of no more than `most` wrong ones of so many."""
    every = lgamma(of + 1)
    return sum(
        exp(every - lgamma(k + 1) - lgamma(of - k + 1) + k * log(share) + (of - k) * log(1 - share))
        for k in range(most + 1)
    )

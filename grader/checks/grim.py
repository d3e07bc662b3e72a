"""Which accuracies can have a stated mean and deviation: on a set of N examples only multiples of 100/N % occur.

The test of the mean is GRIM (Brown and Heathers, "The GRIM test", 2017). With the deviation of three accuracies, few
triples remain, often one.
"""

from collections.abc import Iterator
from math import ceil, floor, sqrt
from typing import NamedTuple

from grader.frozen import Frozen

_TINY = 1e-9
_MOST_APART = 400
"""Grid steps between the least and the greatest of three accuracies, at most."""


class Stated(Frozen):
    """A mean over seeds and its standard deviation in percent, each with the unit of its last digit."""

    mean: float
    mean_unit: float
    std: float | None = None
    std_unit: float = 1.0


class _Interval(NamedTuple):
    low: float
    high: float

    def holds(self, value: float) -> bool:
        return self.low - _TINY <= value < self.high - _TINY


def _written(value: float, unit: float) -> _Interval:
    """What is written as `value` when it is rounded or cut at the last digit."""
    return _Interval(value - unit / 2, value + unit)


def is_possible_mean(stated: Stated, examples: int, seeds: int) -> bool:
    """Whether some accuracies on a set of `examples` have the mean."""
    return next(_sums(stated, examples, seeds), None) is not None


def triples(stated: Stated, examples: int) -> tuple[tuple[float, float, float], ...]:
    """All three accuracies in percent, ascending, on a set of `examples` that have the mean and the deviation, in
    population or sample form; none where no deviation is stated."""
    if stated.std is None:
        return ()
    step, std = 100 / examples, _written(stated.std, stated.std_unit)
    return tuple(
        (low * step, middle * step, high * step)
        for total in _sums(stated, examples, 3)
        for low, middle, high in _parts(total, (std.high + _TINY) / step)
        if high <= examples and any(std.holds(form * step) for form in _deviations(low, middle, high))
    )


def chance(stated: Stated, examples: int, finer: int) -> float:
    """How often three accuracies on a larger set of `finer` examples, near the stated ones, have a mean and deviation
    that are possible on the smaller set as well: the share of the means written so that are, times that of the
    deviations within a quarter of a point."""
    by_mean = min(1.0, 1.5 * max(stated.mean_unit, 100 / (3 * finer)) / (100 / (3 * examples)))
    return by_mean * (1.0 if stated.std is None else _covered(stated, examples))


def _covered(stated: Stated, examples: int) -> float:
    """The share of deviations near the stated one that accuracies with the stated mean can have."""
    assert stated.std is not None  # noqa: S101
    window = _Interval(max(0.0, stated.std - 0.25), stated.std + 0.25)
    step = 100 / examples
    forms = sorted(
        form * step
        for total in _sums(stated, examples, 3)
        for parts in _parts(total, (window.high + stated.std_unit) / step)
        for form in _deviations(*parts)
    )
    covered, reached = 0.0, window.low
    for form in forms:
        low, high = max(form - stated.std_unit, reached), min(form + stated.std_unit / 2, window.high)
        covered += max(0.0, high - low)
        reached = max(reached, high)
    return min(1.0, covered / (window.high - window.low))


def _sums(stated: Stated, examples: int, seeds: int) -> Iterator[int]:
    """How many right answers all seeds together may have."""
    mean, factor = _written(stated.mean, stated.mean_unit), seeds * examples / 100
    for total in range(max(0, ceil(mean.low * factor - _TINY)), floor(mean.high * factor) + 1):
        if mean.holds(total / factor):
            yield total


def _parts(total: int, std: float) -> Iterator[tuple[int, int, int]]:
    """Three counts, ascending, with a sum, whose deviation in population form may be as large as `std` counts."""
    widest = min(_MOST_APART, ceil(std * sqrt(6)) + 1)
    for low in range(max(0, floor(total / 3) - widest), total // 3 + 1):
        for middle in range(low, (total - low) // 2 + 1):
            high = total - low - middle
            if high - low <= widest:
                yield low, middle, high


def _deviations(low: int, middle: int, high: int) -> tuple[float, float]:
    """The standard deviation of three counts in population and in sample form. Their squared distances from the mean
    are whole thirds, so nothing is lost before the root."""
    thirds = 3 * (low * low + middle * middle + high * high) - (low + middle + high) ** 2
    return sqrt(thirds / 9), sqrt(thirds / 6)

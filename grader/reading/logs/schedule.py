"""The learning rate's course, from the rates that were logged: a rise to the peak, and a straight fall to zero.

fairseq's `polynomial_decay` (power 1) and transformers' `linear` are this curve: after `step` updates the rate is
peak · step / warmup during the warm-up, then peak · (total - step) / (total - warmup), and 0 from `total` on.
"""

from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

_TOLERANCE: Final = 2e-3
"""How far a rate may lie off the line, relative to the highest: logs round rates to four digits or more."""

_FEWEST: Final = 3
"""Points that show a fall to be straight. Two points always lie on a line."""

_LEAST: Final = 1e-30
_MOST: Final = 1e6
_MOST_STEPS: Final = 10**12


class Rate(NamedTuple):
    """The learning rate after so many updates."""

    step: int
    rate: float


class Fall(NamedTuple):
    """A straight fall: the rate is `slope` · (`total` - step)."""

    slope: float
    total: int


class Fit(NamedTuple):
    """What the rates tell; `peak` and `warmup` are None where too little of the rise was logged."""

    total: int
    peak: float | None
    warmup: int | None


def fitted(rates: Iterable[Rate], peak: float | None = None, warmup: int | None = None) -> Fit | None:
    """The curve through logged rates, `peak` and `warmup` as the settings tell them; None where the rates lie on no
    such curve or are too few."""
    peak = peak if peak is not None and _is_rate(peak) else None
    points = sorted({one for one in rates if 0 <= one.step < _MOST_STEPS and (one.rate == 0 or _is_rate(one.rate))})
    highest = max(points, key=lambda one: one.rate, default=None)
    if highest is None or highest.rate <= 0:
        return None
    falling = [one for one in points if one.step >= highest.step]
    fall = _fall(falling, highest, None if peak is None or warmup is None else (peak, warmup))
    if fall is None:
        return None
    rising = [one for one in points if 0 < one.step < highest.step and one.rate > 0]
    found = _rise(rising, fall) if rising else _by_settings(fall, highest, peak, warmup)
    return Fit(fall.total, *found)


def _is_rate(value: float) -> bool:
    """Whether a number can be a learning rate; not a number is none."""
    return _LEAST <= value <= _MOST


def _fall(points: Sequence[Rate], highest: Rate, told: tuple[float, int] | None) -> Fall | None:
    """The line through the falling points. The highest one need not lie on it, for it may stand on the rise."""
    above = [one for one in points if one.rate > 0]
    for line in (above, above[1:]):
        fall = _through(line, told if line is above else None)
        if fall and _holds(fall, line, points, highest.rate) and (told or _shown(fall, line, points)):
            return fall
    return None


def _through(line: Sequence[Rate], told: tuple[float, int] | None) -> Fall | None:
    if len(line) == 1 and told:
        return _through_peak(line[0], *told)
    if len(line) < 2 or line[0].rate <= line[-1].rate or line[0].step == line[-1].step:
        return None
    first, last = line[0], line[-1]
    slope = (first.rate - last.rate) / (last.step - first.step)
    return Fall(slope, round(first.step + first.rate / slope))


def _through_peak(point: Rate, peak: float, warmup: int) -> Fall | None:
    """The line from the peak at the end of the warm-up through a point."""
    if point.step <= warmup or point.rate >= peak:
        return None
    slope = (peak - point.rate) / (point.step - warmup)
    return Fall(slope, round(point.step + point.rate / slope))


def _shown(fall: Fall, line: Sequence[Rate], points: Sequence[Rate]) -> bool:
    """Whether there are enough points to tell a line from a curve: three, or two and the zero where it ends."""
    zero = next((one.step for one in points if one.rate == 0), None)
    return len(line) >= _FEWEST or (len(line) == 2 and zero is not None and zero >= fall.total)


def _holds(fall: Fall, line: Sequence[Rate], points: Sequence[Rate], highest: float) -> bool:
    """Whether all points lie on the line, and the zeros behind its end."""
    on_it = all(abs(fall.slope * (fall.total - one.step) - one.rate) <= _TOLERANCE * highest for one in line)
    return on_it and all(one.step >= fall.total - 1 for one in points if one.rate == 0)


def _rise(rising: Sequence[Rate], fall: Fall) -> tuple[float | None, int | None]:
    """Where the rise from zero meets the fall."""
    slope = max(one.rate / one.step for one in rising)
    if any(abs(one.rate - slope * one.step) > _TOLERANCE * slope * rising[-1].step for one in rising):
        return None, None
    warmup = round(fall.slope * fall.total / (slope + fall.slope))
    return fall.slope * (fall.total - warmup), warmup


def _by_settings(fall: Fall, highest: Rate, peak: float | None, warmup: int | None) -> tuple[float | None, int | None]:
    """Peak and warm-up where one of them is told and agrees with the fall."""
    if peak is not None and peak >= highest.rate * (1 - _TOLERANCE):
        by_peak = round(fall.total - peak / fall.slope)
        return (peak, by_peak) if 0 <= by_peak <= highest.step else (None, None)
    if warmup is not None and 0 <= warmup <= highest.step:
        return fall.slope * (fall.total - warmup), warmup
    return None, None

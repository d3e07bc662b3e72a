"""The coordinates of a small line chart: ticks at round values, and the place of a point."""

from collections.abc import Sequence
from math import floor, log10
from typing import Final, NamedTuple

from grader.frozen import Frozen

LEFT, RIGHT, TOP, BOTTOM = 20.0, 158.0, 6.0, 84.0
"""In units of the chart, which is 162 wide."""
_STEPS: Final = (1.0, 2.0, 2.5, 5.0, 10.0)


class Tick(Frozen):
    """A tick: its coordinate along its axis, and its label."""

    at: str
    label: str


class Axes(NamedTuple):
    """The ranges that a chart shows."""

    least_x: float
    most_x: float
    least_y: float
    most_y: float

    def x(self, value: float) -> float:
        """The horizontal coordinate of a value."""
        return LEFT + 6 + (value - self.least_x) / (self.most_x - self.least_x) * (RIGHT - LEFT - 12)

    def y(self, value: float) -> float:
        """The vertical coordinate of a value; it grows downwards."""
        return BOTTOM - (value - self.least_y) / (self.most_y - self.least_y) * (BOTTOM - TOP)


def axes_of(xs: Sequence[float], ys: Sequence[float]) -> Axes:
    """Axes that show all of at least one point, with some air above and below."""
    least_x, most_x = min(xs), max(xs)
    least_y, most_y = min(ys), max(ys)
    air = max(1.0, (most_y - least_y) * 0.08)
    one_step = most_x == least_x
    return Axes(least_x - one_step, most_x + one_step, least_y - air, most_y + air)


def ticks(least: float, most: float, most_ticks: int) -> list[float]:
    """Round values between two others, at most so many."""
    raw = (most - least) / most_ticks
    power = 10.0 ** floor(log10(raw))
    step = next(one * power for one in _STEPS if one * power >= raw * 0.999)
    first = -(-least // step)
    return [round((first + number) * step, 10) for number in range(most_ticks + 1) if (first + number) * step <= most]


def coordinate(value: float) -> str:
    """A coordinate as SVG wants it, to a twentieth of a point."""
    return f"{value:.1f}"

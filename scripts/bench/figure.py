"""A measured figure and the bar it has to clear."""

import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass

Clock = Callable[[], float]


@dataclass(frozen=True)
class Figure:
    """A measurement for people; `bar` is the most it may be, or with `at_least` the least. No bar: for information."""

    name: str
    value: float
    unit: str
    bar: float | None = None
    at_least: bool = False

    @property
    def holds(self) -> bool:
        """Whether the bar is cleared."""
        if self.bar is None:
            return True
        return self.value >= self.bar if self.at_least else self.value <= self.bar

    def __str__(self) -> str:
        line = f"{self.name:64}{self.value:10.3g} {self.unit:8}"
        if self.bar is None:
            return line.rstrip()
        return f"{line} bar {'≥' if self.at_least else '≤'} {self.bar:g} {'' if self.holds else 'MISSED'}".rstrip()


def median_seconds(action: Callable[[], object], runs: int = 5, clock: Clock = time.process_time) -> float:
    """The median over some runs, after one to warm up, of the seconds that an action takes; CPU seconds by default."""
    action()
    return statistics.median(_seconds(action, clock) for _ in range(runs))


def median_ratio(action: Callable[[], object], other: Callable[[], object], runs: int = 7) -> float:
    """Return how many times the CPU seconds of another action one action takes: the median over pairs of runs, one
    after the other, so that the machine's other work affects both."""
    action()
    other()
    pairs = [(_seconds(action, time.process_time), _seconds(other, time.process_time)) for _ in range(runs)]
    return statistics.median(first / second for first, second in pairs)


def _seconds(action: Callable[[], object], clock: Clock) -> float:
    started = clock()
    action()
    return clock() - started

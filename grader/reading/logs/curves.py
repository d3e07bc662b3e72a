"""Points of scalars as they are read from a text, and the series that they make."""

from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from grader.reading.log import Series, Subset


class Curve(NamedTuple):
    """What one series holds. `samples` is the number of examples that were evaluated, where the text says it."""

    source: str
    tag: str
    subset: Subset | None
    samples: int | None = None


class Position(NamedTuple):
    """When something was logged: after so many updates or, where no update was said, so many epochs."""

    step: int | None
    epoch: float | None


class Point(NamedTuple):
    """A value and the line that says it, 0 where no line does."""

    value: float
    line: int


Points = dict[Position, Point]
StepOf = Callable[[Position], int]


def series_of(curves: Iterable[tuple[Curve, Points]], step_of: StepOf, cell: int | None) -> Iterator[Series]:
    """The curves as series by ascending steps. Of two values of one step the last counts."""
    for curve, points in curves:
        by_step: dict[int, Point] = {}
        for position, point in points.items():
            by_step[step_of(position)] = point
        steps = sorted(by_step)
        yield Series(
            tag=curve.tag,
            subset=curve.subset,
            steps=tuple(steps),
            values=tuple(by_step[step].value for step in steps),
            lines=tuple(lines) if all(lines := [by_step[step].line for step in steps]) else (),
            cell=cell,
        )

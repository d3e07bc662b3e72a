"""The points of one series, as they are logged."""

from array import array
from itertools import islice
from operator import lt
from typing import NamedTuple

from grader.reading.log import Series, Subset


class Points(NamedTuple):
    """Steps (optimiser updates), values and wall times (Unix seconds) in the order of logging; compact, and growing."""

    steps: "array[int]"
    values: "array[float]"
    wall_times: "array[float]"


def no_points() -> Points:
    """Points to add to."""
    return Points(array("q"), array("d"), array("d"))


def series_of(tag: str, subset: Subset | None, points: Points) -> tuple[Series, int]:
    """The series by ascending steps, of a repeated step the last point, and how many points a later one replaced."""
    steps, values, wall_times = points
    repeated = 0
    if not all(map(lt, steps, islice(steps, 1, None))):
        last = {step: index for index, step in enumerate(steps)}
        order = [last[step] for step in sorted(last)]
        repeated = len(steps) - len(order)
        steps = array("q", [steps[index] for index in order])
        values, wall_times = (array("d", [column[index] for index in order]) for column in (values, wall_times))
    told = 0.0 not in wall_times
    series = Series(
        tag=tag,
        subset=subset,
        steps=tuple(steps),
        values=tuple(values),
        wall_times=tuple(wall_times) if told else (),
    )
    return series, repeated

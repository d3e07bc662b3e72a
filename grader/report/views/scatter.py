"""Scatter charts of all students' reported averages of an experiment over the expected bands."""

import hashlib
import heapq
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from typing import Final, NamedTuple

from grader.cohort.tallies import ReportedAverage, ReportedAverages
from grader.frozen import Frozen
from grader.message import ENGLISH, Language, Message, joined, say, say_data, say_number
from grader.report.views.curves import Tick, coordinate, ticks, with_unit
from grader.report.views.wording import clip
from grader.result import CurveBand

WIDTH, HEIGHT = 480.0, 92.0
LEFT, RIGHT, TOP, BOTTOM = 8.0, 472.0, 26.0, 76.0
MOST_LABELS: Final = 8
MOST_DRAWN: Final = 2_500
"""Dots of one chart; more of them would be one blot."""
_AIR: Final = 6.0
"""How far the axis extends beyond the bands, in points of a percentage; values farther away are drawn at its end."""
_CROWD: Final = 24
"""From this number of neighbouring dots the whole height is used; fewer dots stay closer to the middle."""
_HATCH: Final = 5.0
_ROWS = (6.0, 13.0, 20.0)
_LETTER: Final = 3.3


class Strip(Frozen):
    """A band: where it begins, how wide it is, and the path of its hatching."""

    left: str
    width: str
    hatching: str


class Note(Frozen):
    """A student's name above a dot: the start of the text, its line and width, and the thin line to the dot."""

    text: str
    x: str
    y: str
    width: str
    leader: str


class Scatter(Frozen):
    """One chart. `dots`, `rings` and `crosses` are SVG paths, `told` describes the chart in words, `keys` explains
    strips and shapes."""

    title: str
    strips: tuple[Strip, ...]
    dots: str
    rings: str
    crosses: str
    notes: tuple[Note, ...]
    ticks: tuple[Tick, ...]
    told: str
    keys: tuple[str, ...]


def scatters(averages: Sequence[ReportedAverages], language: Language = ENGLISH) -> tuple[Scatter, ...]:
    """A chart for each experiment and split for which a student reports an average."""
    return tuple(_scatter(one, language) for one in averages if one.averages)


class _Counts(NamedTuple):
    """What is said of all averages, drawn or not: how many lie outside the bands, and whether a report does not say
    of which set its average is."""

    outside: int
    has_unsaid: bool


def _scatter(of: ReportedAverages, language: Language) -> Scatter:
    counts = _Counts(
        sum(bool(of.bands) and not one.inside for one in of.averages), any(not one.split_said for one in of.averages)
    )
    (least, most), unit = _range(of), with_unit(of.quantity)
    placed = _positioned(_drawn(of.averages), least, most)
    inside = [(x, y) for average, x, y in placed if average.inside or not of.bands]
    outside = [(average, x, y) for average, x, y in placed if of.bands and not average.inside]
    unsaid = [(x, y) for average, x, y in placed if not average.split_said]
    return Scatter(
        title=language.say(_title(of)),
        strips=tuple(_strip(band, least, most) for band in of.bands),
        dots=" ".join(_dot(x, y) for x, y in inside),
        rings=" ".join(_dot(x, y) for x, y in unsaid),
        crosses=" ".join(_cross(x, y) for _, x, y in outside),
        notes=_notes(outside, language),
        ticks=tuple(
            Tick(at=coordinate(_x(at, least, most)), label=language.say(say("{value:g}{unit}", value=at, unit=unit)))
            for at in ticks(least, most, 9)
        ),
        told=language.say(_caption(of, counts.outside)),
        keys=tuple(map(language.say, _keys(of, counts))),
    )


def _title(of: ReportedAverages) -> Message:
    return say(
        "{experiment:capital}: {measure} on {split}",
        experiment=say_data(clip(of.title, 80)),
        measure=say_data(clip(of.quantity.title, 40)),
        split=say_data("validation" if of.split == "valid" else clip(of.split, 20)),
    )


def _drawn(averages: Sequence[ReportedAverage]) -> Sequence[ReportedAverage]:
    """All of them; of very many a sample, which depends on the students' ids alone."""
    if len(averages) <= MOST_DRAWN:
        return averages
    return heapq.nsmallest(MOST_DRAWN, averages, key=lambda one: (_number(one.student), one.student))


def _range(of: ReportedAverages) -> tuple[float, float]:
    """The range of the axis: the bands and the values near them; without bands, all values, of percentages those that
    can be."""
    ends = [end for band in of.bands for end in (band.low, band.high)]
    is_percent = of.quantity.unit == "%"
    values = [one.value for one in of.averages if 0 <= one.value <= 100 or not is_percent]
    low, high = (min(ends), max(ends)) if ends else (min(values, default=0), max(values, default=100))
    air = _AIR if is_percent else (high - low) / 2 or abs(high) / 10 or 1.0
    near = [value for value in values if low - air <= value <= high + air]
    edge = 0.8 if is_percent else air / 8
    return min([low, *near]) - edge, max([high, *near]) + edge


def _positioned(
    averages: Sequence[ReportedAverage], least: float, most: float
) -> list[tuple[ReportedAverage, float, float]]:
    """Every average with its coordinates. The height means nothing: it is derived from the student's id, so that it
    never changes."""
    ordered = sorted(averages, key=lambda one: (one.value, one.student))
    xs = [_x(min(max(one.value, least), most), least, most) for one in ordered]
    middle, reach = (TOP + BOTTOM) / 2, (BOTTOM - TOP) / 2 - 4
    placed = []
    for one, x in zip(ordered, xs, strict=True):
        crowd = bisect_right(xs, x + 4) - bisect_left(xs, x - 4) - 1
        # Moved up or down by a number from −1 to 1 that depends on the student alone.
        placed.append((one, x, middle + (_number(one.student) / 2**31 - 1) * reach * min(1.0, crowd / _CROWD)))
    return placed


def _x(value: float, least: float, most: float) -> float:
    return LEFT + 6 + (value - least) / (most - least) * (RIGHT - LEFT - 12)


def _number(student: str) -> int:
    """A number of 32 bits that depends on the student alone."""
    return int.from_bytes(hashlib.sha256(student.encode("utf-8", "replace")).digest()[:4], "big")


def _dot(x: float, y: float) -> str:
    """An SVG path of length zero, which round line caps draw as a dot."""
    return f"M{coordinate(x)} {coordinate(y)}h0.01"


def _cross(x: float, y: float) -> str:
    return f"M{coordinate(x - 2)} {coordinate(y - 2)}l4 4m0-4l-4 4"


def _notes(outside: Sequence[tuple[ReportedAverage, float, float]], language: Language) -> tuple[Note, ...]:
    """Names of students outside the bands where there is room, the farthest outliers on each side first."""
    ends = [0.0] * len(_ROWS)
    notes: list[Note] = []
    for average, x, y in outside:
        text = language.say(say("{name} {value:.1f}", name=clip(average.student, 22), value=average.value))
        length = len(text) * _LETTER
        start = min(max(x - length / 2, 2.0), WIDTH - 2 - length)
        row = next((row for row, end in enumerate(ends) if start > end + 4), None)
        if row is None or len(notes) == MOST_LABELS:
            continue
        ends[row] = start + length
        leader = f"M{coordinate(x)} {coordinate(_ROWS[row] + 1.5)}V{coordinate(max(y - 3, _ROWS[row] + 1.5))}"
        notes.append(
            Note(text=text, x=coordinate(start), y=coordinate(_ROWS[row]), width=coordinate(length), leader=leader)
        )
    return tuple(notes)


def _strip(band: CurveBand, least: float, most: float) -> Strip:
    left, right = (_x(min(max(end, least), most), least, most) for end in (band.low, band.high))
    height = BOTTOM - TOP
    first = -int(height / _HATCH)
    starts = [left + number * _HATCH for number in range(first, int((right - left) / _HATCH) + 1)]
    return Strip(
        left=coordinate(left),
        width=coordinate(max(right - left, 1.0)),
        hatching=" ".join(_stroke(at, left, right) for at in starts),
    )


def _stroke(at: float, left: float, right: float) -> str:
    """A diagonal of the hatching that starts at the bottom of the chart, clipped to its band."""
    begin, end = max(at, left), min(at + BOTTOM - TOP, right)
    return (
        f"M{coordinate(begin)} {coordinate(BOTTOM - (begin - at))}L{coordinate(end)} {coordinate(BOTTOM - (end - at))}"
    )


def _caption(of: ReportedAverages, outside: int) -> Message:
    count = say_number("{number} average", "{number} averages", len(of.averages))
    if not of.bands:
        return say("{title}: {averages}; no band is known.", title=_title(of), averages=count)
    return say("{title}: {averages}, {outside} outside the bands.", title=_title(of), averages=count, outside=outside)


def _keys(of: ReportedAverages, counts: _Counts) -> list[Message]:
    keys = [say_number("{number} student", "{number} students", len(of.averages))]
    if len(of.averages) > MOST_DRAWN:
        keys.append(say("{drawn:,} of them drawn, chosen by chance", drawn=MOST_DRAWN))
    if of.bands:
        keys.append(say("hatched: {bands}", bands=joined(say("; "), map(_band, of.bands))))
    if counts.outside:
        keys.append(say("cross: outside ({count})", count=counts.outside))
    if counts.has_unsaid:
        keys.append(say("ring: the report does not say which set"))
    return keys


def _band(band: CurveBand) -> Message:
    interval = {"low": band.low, "high": band.high, "unit": with_unit(band.quantity)}
    if band.schedule:
        return say(
            "{low:g} to {high:g}{unit}, learning rate to zero at {updates} updates", updates=band.schedule, **interval
        )
    return say("{low:g} to {high:g}{unit}", **interval)

"""Charts of a student's training curves over the expected bands; runs differ by dashes and markers, ticks are at round
values.
"""

from collections.abc import Sequence
from itertools import groupby
from math import floor, log10
from typing import Final, NamedTuple

from grader.frozen import Frozen
from grader.message import ENGLISH, Language, Message, join_messages, say, say_data, say_values
from grader.report.views.wording import clip, left_out
from grader.result import Curve, CurveBand, Quantity, Result

LEFT, RIGHT, TOP, BOTTOM = 20.0, 158.0, 6.0, 84.0
"""In chart units; the chart is 162 units wide."""
_STEPS: Final = (1.0, 2.0, 2.5, 5.0, 10.0)


class Tick(Frozen):
    """A tick of an axis."""

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


def axes_of(xs: Sequence[float], ys: Sequence[float], least_air: float = 1.0) -> Axes:
    """Axes that show all the points (at least one), with some space above and below, `least_air` at least."""
    least_x, most_x = min(xs), max(xs)
    least_y, most_y = min(ys), max(ys)
    air = max(least_air, (most_y - least_y) * 0.08)
    one_step = most_x == least_x
    return Axes(least_x - one_step, most_x + one_step, least_y - air, most_y + air)


def ticks(least: float, most: float, most_ticks: int) -> list[float]:
    """At most `most_ticks` round values between `least` and `most`."""
    raw = (most - least) / most_ticks
    power = 10.0 ** floor(log10(raw))
    step = next(candidate * power for candidate in _STEPS if candidate * power >= raw * 0.999)
    first = -(-least // step)
    return [round((first + number) * step, 10) for number in range(most_ticks + 1) if (first + number) * step <= most]


def coordinate(value: float) -> str:
    """A coordinate as SVG wants it, to a twentieth of a point."""
    return f"{value:.1f}"


MOST_PANELS = 8
MOST_LINES = 6
DASHES = ("", "5 2", "1.5 1.5", "7 2 1.5 2", "3 3", "9 2")
MARKERS = (
    "m-2.1 0a2.1 2.1 0 1 0 4.2 0a2.1 2.1 0 1 0-4.2 0z",
    "m-2-2h4v4h-4z",
    "m0-2.6l2.5 4.6h-5z",
    "m-1.8 0a1.8 1.8 0 1 0 3.6 0a1.8 1.8 0 1 0-3.6 0z",
    "m-1.7-1.7h3.4v3.4h-3.4z",
    "m-2-2l4 4m-4 0l4-4",
)
"""Marker shapes around a point, as the tail of an SVG path."""
_FILLED: Final = 3
"""How many of the first markers are filled."""
_HATCH = 7.0


class Line(Frozen):
    """One run, with SVG paths of its markers and of the marker in the key."""

    label: str
    dash: str
    polyline: str
    markers: str
    key: str
    filled: bool


class Strip(Frozen):
    """A band as a hatched strip."""

    top: str
    height: str
    hatching: str


class Panel(Frozen):
    """One chart. `title` says what is drawn upwards, `bands` names the strips."""

    title: str
    lines: tuple[Line, ...]
    strips: tuple[Strip, ...]
    across: tuple[Tick, ...]
    up: tuple[Tick, ...]
    told: str
    bands: str
    more: str | None


def panels(result: Result, language: Language = ENGLISH) -> tuple[Panel, ...]:
    """A chart for each experiment and split with logs."""
    curves_ = sorted(
        map(_drawable, result.curves),
        key=lambda curve: (curve.experiment, not (curve.is_selecting or curve.split == "valid"), curve.split),
    )
    drawn = []
    for key, group in groupby(curves_, key=lambda curve: (curve.experiment, curve.split)):
        if curves := [curve for curve in group if curve.steps]:
            bands = [band for band in result.curve_bands if (band.experiment, band.split) == key]
            drawn.append(_panel(_title(result.lab.experiment_title(key[0]), curves[0]), curves, bands[:2], language))
    return tuple(drawn[:MOST_PANELS])


def keys_of_all(shown: Sequence[Panel]) -> tuple[Line, ...]:
    """A line for each run, where a run is drawn the same in all panels, so that one key is enough for them; else
    none."""
    lines = {(line.label, line.dash, line.key): line for panel in shown for line in panel.lines}
    labels = {label for label, _, _ in lines}
    looks = {(dash, key) for _, dash, key in lines}
    return tuple(lines.values()) if len(labels) == len(looks) == len(lines) else ()


def _drawable(curve: Curve) -> Curve:
    """The curve without percentages outside 0 to 100, which would compress the axis, and what no axis can hold."""
    most = 100.0 if curve.quantity.unit == _PERCENT else _MOST
    least = 0.0 if curve.quantity.unit == _PERCENT else -_MOST
    pairs = list(zip(curve.steps, curve.values, strict=False))
    kept = [(step, value) for step, value in pairs if least <= value <= most and 0 <= step < 1e9]
    return curve.model_copy(
        update={"steps": tuple(step for step, _ in kept), "values": tuple(value for _, value in kept)}
    )


def _panel(title: Message, curves: Sequence[Curve], bands: Sequence[CurveBand], language: Language) -> Panel:
    shown = curves[:MOST_LINES]
    ys = [value for curve in shown for value in curve.values] + [end for band in bands for end in (band.low, band.high)]
    is_percent = shown[0].quantity.unit == _PERCENT
    air = 1.0 if is_percent else max(map(abs, ys)) / 100 or 1.0
    steps = [float(step) for curve in shown for step in curve.steps]
    axes = axes_of(steps, ys, air)
    # The logged steps have ticks where they are few (one per epoch), else round values.
    logged = sorted(set(steps))
    across = logged if len(logged) <= MOST_LINES else ticks(logged[0], logged[-1], 5)
    return Panel(
        title=language.say(title),
        lines=tuple(_line(number, curve, axes, language) for number, curve in enumerate(shown)),
        strips=tuple(_strip(band, axes) for band in bands),
        across=tuple(Tick(at=coordinate(axes.x(at)), label=language.number(at, "g")) for at in across),
        up=tuple(
            Tick(at=coordinate(axes.y(at)), label=language.number(at, "g"))
            for at in ticks(axes.least_y, axes.most_y, 5)
        ),
        told=language.say(
            say("{title} by update. {runs}.", title=title, runs=join_messages(say("; "), map(_caption, shown)))
        ),
        bands=language.say(join_messages(say("; "), map(band_words, bands))),
        more=left_out(len(curves) - MOST_LINES, "result.json", language),
    )


def _line(number: int, curve: Curve, axes: Axes, language: Language) -> Line:
    at = [
        (coordinate(axes.x(step)), coordinate(axes.y(value)))
        for step, value in zip(curve.steps, curve.values, strict=True)
    ]
    few = len(at) <= 20
    return Line(
        label=language.say(_label(curve)),
        dash=DASHES[number],
        polyline=" ".join(f"{x},{y}" for x, y in at),
        markers="".join(f"M{x} {y}{MARKERS[number]}" for x, y in (at if few else at[:: len(at) // 8])),
        key=f"M13 4{MARKERS[number]}",
        filled=number < _FILLED,
    )


def _title(experiment: str, curve: Curve) -> Message:
    split = "validation" if curve.split == "valid" else clip(curve.split, 20)
    # The unit stands behind the name, in brackets.
    return say(
        "{experiment:capital}: {measure}{unit} on {split}",
        experiment=say_data(clip(experiment, 80)),
        measure=say_data(clip(curve.quantity.title, 40)),
        unit=f" ({clip(curve.quantity.unit, 20)})" if curve.quantity.unit else "",
        split=say_data(split),
    )


_PERCENT: Final = "%"
_MOST: Final = 1e12


def with_unit(quantity: Quantity) -> str:
    """Return the text after a value."""
    return f" {clip(quantity.unit, 20)}" if quantity.unit else ""


def _label(curve: Curve) -> Message:
    return say("seed unknown") if curve.seed is None else say("seed {seed}", seed=curve.seed)


def _caption(curve: Curve) -> Message:
    """The best and the last value of a run."""
    best = (min if curve.quantity.is_lower_better else max)(curve.values)
    step = curve.steps[curve.values.index(best)]
    moment = say("epoch {epoch}", epoch=step) if curve.by_epoch else say("step {step}", step=step)
    return say(
        "{run}: best {best:g} at {moment}, last {last:g}",
        run=_label(curve),
        best=best,
        moment=moment,
        last=curve.values[-1],
    )


def band_words(band: CurveBand) -> Message:
    """The interval of a band, the share of averages in it, and the schedule that it is of."""
    bounds = say("{low:g} to {high:g}{unit}", low=band.low, high=band.high, unit=with_unit(band.quantity))
    share = say("{share} % of averages", share=band.share)
    interval = say_values("{interval} ({share})", interval=bounds, share=share)
    if not band.schedule:
        return interval
    schedule = say("if the learning rate reaches zero after {updates} updates", updates=band.schedule)
    return say_values("{interval}, {schedule}", interval=interval, schedule=schedule)


def _strip(band: CurveBand, axes: Axes) -> Strip:
    top, bottom = max(axes.y(band.high), TOP), min(axes.y(band.low), BOTTOM)
    height = max(bottom - top, 1.0)
    first = int(height / _HATCH) + 1
    starts = [LEFT + number * _HATCH for number in range(-first, int((RIGHT - LEFT) / _HATCH) + 1)]
    hatching = " ".join(_stroke(at, top, top + height) for at in starts if at + height > LEFT)
    return Strip(top=coordinate(top), height=coordinate(height), hatching=hatching)


def _stroke(at: float, top: float, bottom: float) -> str:
    """A diagonal of the hatching that starts at the bottom of the strip, clipped to the chart."""
    begin, end = max(at, LEFT), min(at + bottom - top, RIGHT)
    return (
        f"M{coordinate(begin)} {coordinate(bottom - (begin - at))}L{coordinate(end)} {coordinate(bottom - (end - at))}"
    )

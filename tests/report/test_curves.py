"""Charts of logged accuracies."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from grader.report.pdf import missing_libraries
from grader.report.render import student_html, student_report
from grader.report.views.curves import BOTTOM, LEFT, RIGHT, TOP, axes_of, keys_of_all, panels, ticks
from grader.result import Curve, CurveBand, Result
from tests.factories import result
from tests.report.pdf_text import pdf_text


def curve(seed: int | None = 3, split: str = "valid", **more: object) -> Curve:
    fields = {"experiment": "pretrained", "steps": (225, 450, 675), "values": (70.0, 77.5, 82.0)}
    return Curve(**(fields | {"seed": seed, "split": split} | more))


def band(split: str = "valid", low: float = 78.0, high: float = 84.0) -> CurveBand:
    return CurveBand(id="b", experiment="pretrained", split=split, schedule=1125, low=low, high=high, share=95)


def drawn(*curves: Curve, bands: tuple[CurveBand, ...] = ()) -> Result:
    return result(curves=curves, curve_bands=bands)


def test_each_split_has_a_chart_with_its_own_band() -> None:
    shown = panels(drawn(curve(split="test"), curve(), curve(5), bands=(band(), band("test", 70, 71))))
    assert [panel.title for panel in shown] == [
        "Pretrained: accuracy (%) on validation",
        "Pretrained: accuracy (%) on test",
    ]
    assert [len(panel.lines) for panel in shown] == [2, 1]
    assert [panel.bands for panel in shown] == [
        f"{text} % (95 % of averages), if the learning rate reaches zero after 1125 updates"
        for text in ("78 to 84", "70 to 71")
    ]


def test_runs_differ_in_more_than_colour() -> None:
    (panel,) = panels(drawn(*(curve(seed) for seed in range(6))))
    assert len({(line.dash, line.key) for line in panel.lines}) == 6
    assert len({(line.key, line.filled) for line in panel.lines}) == 6


def test_a_chart_is_told_in_words() -> None:
    (panel,) = panels(drawn(curve()))
    assert panel.told.endswith("seed 3: best 82 at step 675, last 82.")
    (panel,) = panels(drawn(curve().model_copy(update={"steps": (1, 2, 3), "by_epoch": True})))
    assert panel.told.endswith("seed 3: best 82 at epoch 3, last 82.")


def test_more_runs_than_can_be_told_apart_are_counted() -> None:
    (panel,) = panels(drawn(*(curve(seed) for seed in range(9))))
    assert (len(panel.lines), panel.more) == (6, "+ 3 more in result.json")


@pytest.mark.parametrize("values", [(1e300, -1e300, float("nan")), (101.0, -1.0, 500.0)])
def test_what_is_no_accuracy_is_not_drawn(values: tuple[float, ...]) -> None:
    assert panels(drawn(curve(values=values))) == ()


@settings(deadline=None)
@given(
    st.lists(st.tuples(st.integers(0, 10**8), st.floats(0, 100)), min_size=1, max_size=150),
    st.floats(0, 100),
    st.floats(0, 20),
)
def test_everything_lies_within_the_chart(points: list[tuple[int, float]], low: float, height: float) -> None:
    steps, values = zip(*sorted(points), strict=True)
    (panel,) = panels(drawn(curve(steps=steps, values=values), bands=(band(low=low, high=low + height),)))
    pairs = [tuple(map(float, pair.split(","))) for line in panel.lines for pair in line.polyline.split()]
    strokes = [tuple(map(float, pair)) for pair in re.findall(r"[ML]([\d.-]+) ([\d.-]+)", panel.strips[0].hatching)]
    for x, y in (*pairs, *strokes):
        assert LEFT - 0.1 <= x <= RIGHT + 0.1
        assert TOP - 0.1 <= y <= BOTTOM + 1.1
    assert len(panel.up) <= 6
    assert len(panel.across) <= 6


@settings(deadline=None)
@given(st.floats(0, 1e6), st.floats(1e-3, 1e6))
def test_ticks_lie_in_the_range(least: float, length: float) -> None:
    for tick in ticks(least, least + length, 5):
        assert least - length * 1e-6 - 1e-6 <= tick <= least + length + 1e-6


def test_a_single_point_has_axes() -> None:
    axes = axes_of([5.0], [80.0])
    assert LEFT < axes.x(5.0) < RIGHT
    assert TOP < axes.y(80.0) < BOTTOM


@pytest.mark.skipif(missing_libraries() is not None, reason="WeasyPrint's libraries are missing")
def test_charts_are_in_the_report() -> None:
    graded = drawn(curve(), curve(5), bands=(band(),))
    assert "best 82 at step 675" in student_html(graded)
    text = pdf_text(student_report(graded))
    for words in ("Your training curves", "seed 5", "hatched: 78 to 84 %", "by update"):
        assert words in text


def test_every_drawing_has_a_text_alternative() -> None:
    """A title within it becomes the alternative in the PDF."""
    titles = re.findall(r"<svg[^>]*>\s*(?:<title>([^<]+)</title>)?", student_html(drawn(curve(), bands=(band(),))))
    assert len(titles) == 2  # the chart and its key
    assert all(titles)


def test_one_key_is_enough_where_runs_look_alike_in_all_charts() -> None:
    same = panels(drawn(curve(3), curve(5), curve(3, "test"), curve(5, "test")))
    other = panels(drawn(curve(3), curve(5), curve(5, "test")))
    assert [line.label for line in keys_of_all(same)] == ["seed 3", "seed 5"]
    assert keys_of_all(other) == ()

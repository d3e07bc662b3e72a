"""The charts of all students' averages."""

import re

from hypothesis import given, settings
from hypothesis import strategies as st

from grader.cohort.statistics import ReportedAverage, ReportedAverages
from grader.report.views.class_charts import BOTTOM, MOST_LABELS, TOP, WIDTH, Scatter, scatters
from grader.result import CurveBand

BAND = CurveBand(id="b", experiment="pretrained", split="test", schedule=1125, low=78.2, high=80.9, share=95)


def drawn(*values: float, bands: tuple[CurveBand, ...] = (BAND,), split_said: bool = True) -> Scatter:
    averages = tuple(
        ReportedAverage(
            student=f"student-{number:03}",
            value=value,
            split_said=split_said,
            stated=True,
            inside=any(band.low <= value <= band.high for band in bands),
        )
        for number, value in enumerate(values)
    )
    (chart,) = scatters(
        [ReportedAverages(experiment="pretrained", title="pretrained", split="test", bands=bands, averages=averages)]
    )
    return chart


def test_what_lies_outside_is_crossed_and_named_with_its_value() -> None:
    chart = drawn(79.0, 80.0, 82.4)
    assert (chart.dots.count("M"), chart.crosses.count("M")) == (2, 1)
    assert [note.text for note in chart.notes] == ["student-002 82.4"]
    assert chart.told == "Pretrained: accuracy on test: 3 averages, 1 outside the bands."
    assert (
        "hatched: 78.2 to 80.9 % (95 % of averages), if the learning rate reaches zero after 1125 updates" in chart.keys
    )


def test_an_average_whose_set_is_not_said_has_a_ring() -> None:
    chart = drawn(79.0, split_said=False)
    assert chart.rings == chart.dots
    assert "ring: the report does not say which set" in chart.keys


def test_without_bands_nothing_is_outside() -> None:
    chart = drawn(79.0, 12.0, bands=())
    assert (chart.strips, chart.crosses, chart.notes) == ((), "", ())
    assert chart.told.endswith("2 averages; no band is known.")


def test_a_large_class_fits_and_few_are_named() -> None:
    chart = drawn(*(79.5 + (number % 7) / 10 for number in range(480)), *(60 + number for number in range(18)))
    assert chart.dots.count("M") == 480
    assert 0 < len(chart.notes) <= MOST_LABELS
    assert chart == drawn(*(79.5 + (number % 7) / 10 for number in range(480)), *(60 + number for number in range(18)))


def test_nobody_s_averages_are_no_chart() -> None:
    assert scatters([ReportedAverages(experiment="x", title="x", split="test", bands=(), averages=())]) == ()


@settings(deadline=None, max_examples=60)
@given(
    st.lists(st.floats(-1e9, 1e9, allow_nan=False), min_size=1, max_size=30),
    st.lists(st.tuples(st.floats(-1e6, 1e6), st.floats(-1e6, 1e6)), max_size=3),
)
def test_everything_stays_on_the_chart(values: list[float], ends: list[tuple[float, float]]) -> None:
    bands = tuple(BAND.model_copy(update={"low": min(pair), "high": max(pair)}) for pair in ends)
    chart = drawn(*values, bands=bands)
    for x, y in re.findall(r"M(-?[\d.]+) (-?[\d.]+)", f"{chart.dots} {chart.crosses}"):
        assert 0 <= float(x) <= WIDTH
        assert TOP - 3 <= float(y) <= BOTTOM + 3
    assert all(0 <= float(note.x) <= WIDTH for note in chart.notes)

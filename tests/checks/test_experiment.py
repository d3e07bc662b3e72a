from decimal import Decimal
from statistics import fmean, pstdev, stdev

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grader.checks.experiment import mean_fits, report_of, std_fits
from grader.checks.finding import Status
from grader.lab.definition import Split
from grader.pipeline.one import compared
from tests.checks.making import answer, decide, truth
from tests.claims.making import lab

accuracies = st.lists(st.integers(0, 1000).map(lambda n: n / 10), min_size=2, max_size=5)
places = st.integers(0, 3)


def cut(value: float, digits: int) -> Decimal:
    return Decimal(int(round(value * 10**digits, 9))).scaleb(-digits)


@given(values=accuracies, digits=places)
def test_a_mean_fits_rounded_or_cut(values: list[float], digits: int) -> None:
    unit = Decimal(1).scaleb(-digits)
    for stated in (Decimal(f"{fmean(values):.{digits}f}"), cut(fmean(values), digits)):
        assert mean_fits(stated, unit, values)
    assert not mean_fits(cut(fmean(values), digits) + 3 * unit, unit, values)


@given(values=accuracies, digits=places)
def test_a_deviation_fits_in_both_forms_rounded_or_cut(values: list[float], digits: int) -> None:
    unit = Decimal(1).scaleb(-digits)
    for form in (pstdev(values), stdev(values)):
        for stated in (Decimal(f"{form:.{digits}f}"), cut(form, digits)):
            assert std_fits(stated, unit, values)
    assert not std_fits(cut(stdev(values), digits) + 3 * unit, unit, values)


def test_one_value_alone_has_no_spread() -> None:
    assert std_fits(Decimal("0.0"), Decimal("0.1"), [79.3])
    assert not std_fits(Decimal("0.7"), Decimal("0.1"), [79.3])


def test_a_report_collects_its_own_experiment_and_prefers_the_test_set() -> None:
    text = (
        "# Task 3\n\nOn validation the mean is 81.5 (std 1.4). On test the mean is 79.3 (std 0.7).\n\n"
        "# Task 4\n\nOn test the mean is 66.5 (std 0.8)."
    )
    report = report_of("pretrained", answer(text), lab())
    assert [summary.mean for summary in report.summaries] == [Decimal("81.5"), Decimal("79.3")]
    assert [summary.mean for summary in report.preferred_summaries] == [Decimal("79.3")]


def test_nothing_is_certain_of_an_experiment_where_its_text_points_elsewhere() -> None:
    assert not report_of("random", answer("# Task 3\n\nx"), lab()).loose
    assert report_of("random", answer("# Task 4\n\nSee the figure."), lab()).loose
    assert report_of("random", answer("From random weights: the curves are in the notebook."), lab()).loose
    assert not report_of("random", answer("Words.\n\nFrom random weights the mean is 66.5."), lab()).is_empty


@pytest.mark.parametrize("item", ["t4.seeds", "t4.statistics", "t4.band", "t4.comparison"])
def test_an_experiment_that_is_spoken_of_without_its_heading_is_not_missing(item: str) -> None:
    given = answer("# Results\n\nFigure 2 shows the randomly initialised model for the three seeds.\n")
    assert decide(item, given)[0].status is Status.REVIEW


def test_a_further_split_of_the_lab_is_looked_at_too() -> None:
    hard = Split(id="hard", examples=500, words=("hard",))
    further = lab().model_copy(update={"splits": (*lab().splits, hard)})
    text = "# Task 3\n\n| seed | hard |\n|---|---|\n| 1 | 60.2 |\n| 2 | 61.4 |\n| 3 | 59.8 |\n"
    said = answer(text, the_lab=further)
    report = report_of("pretrained", said, further)
    assert [[claim.split for claim in group] for group in report.series()] == [["hard"] * 3]
    (average,) = compared(said, truth(), further)["averages"]
    assert (average.split, average.value) == ("hard", 60.4667)

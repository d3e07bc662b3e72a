from decimal import Decimal
from statistics import fmean, pstdev, stdev

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grader.checks import experiment
from grader.checks.experiment import format_value, report_of, resolution_of, rounding_of
from grader.checks.finding import Status
from grader.claims.results.claimed import mean_fits, std_fits
from grader.lab.definition import Split
from grader.pipeline.one import averages_of
from tests.checks.making import answer, decide
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


RUNS = [79.3, 78.5, 80.1]


@pytest.mark.parametrize(
    ("mean", "resolution", "rounding", "fits"),
    [
        ("79.30", "0.01", 0, True),
        ("79.31", "0.01", 0, True),
        ("79.32", "0.01", 0, False),
        ("79.29", "0.01", 0, True),
        ("79.28", "0.01", 0, False),
        ("79.35", "0.01", 0.05, True),
        ("79.36", "0.01", 0.05, False),
        ("79.25", "0.01", 0.05, True),
        ("79.24", "0.01", 0.05, False),
        ("79.4", "0.1", 0, True),
        ("79.5", "0.1", 0, False),
        ("79.5", "0.1", 0.15, True),
        ("79.6", "0.1", 0.15, False),
        ("80", "1", 0, True),
        ("78", "1", 0, False),
    ],
)
def test_how_far_an_average_may_be_off(mean: str, resolution: str, rounding: float, *, fits: bool) -> None:
    assert mean_fits(Decimal(mean), Decimal(resolution), RUNS, rounding) is fits


@pytest.mark.parametrize(
    ("std", "resolution", "rounding", "fits"),
    [
        ("0.65", "0.01", 0, True),
        ("0.66", "0.01", 0, True),
        ("0.67", "0.01", 0, False),
        ("0.64", "0.01", 0, False),
        ("0.80", "0.01", 0, True),
        ("0.81", "0.01", 0, True),
        ("0.79", "0.01", 0, True),
        ("0.82", "0.01", 0, False),
        ("0.78", "0.01", 0, False),
        ("0.70", "0.01", 0.05, True),
        ("0.71", "0.01", 0.05, False),
        ("0.59", "0.01", 0.05, False),
        ("0.60", "0.01", 0.05, True),
        ("0.86", "0.01", 0.05, True),
        ("0.87", "0.01", 0.05, False),
        ("0.7", "0.1", 0, True),
        ("0.9", "0.1", 0, True),
        ("1.0", "0.1", 0, False),
        ("1", "1", 0, True),
        ("2", "1", 0, False),
    ],
)
def test_how_far_a_deviation_may_be_off(std: str, resolution: str, rounding: float, *, fits: bool) -> None:
    """The population form changes by no more than each value; the sample form of three by its share more."""
    assert std_fits(Decimal(std), Decimal(resolution), RUNS, rounding) is fits


@pytest.mark.parametrize(
    ("values", "sizes", "resolution", "rounding"),
    [
        (["79.3", "78.5", "80.1"], [2000], 0.1, 0.0),
        (["79.3", "78.5", "80.1"], [200], 0.1, 0.05),
        (["79.3", "78.5", "80.1"], [200, 2000], 0.1, 0.0),
        (["79.3", "78.5", "80.1"], [], 0.1, 0.05),
        (["79.33", "78.5", "80.1"], [2000], 0.01, 0.05),
        (["79.33", "78.51", "80.11"], [2000], 0.01, 0.005),
        (["79", "78.5", "80.1"], [200], 0.1, 0.5),
        (["79", "78", "80"], [200], 1.0, 0.0),
    ],
)
def test_by_how_much_values_may_have_been_rounded(
    values: list[str], sizes: list[int], resolution: float, rounding: float
) -> None:
    rows = "".join(f"| {seed} | {value} |\n" for seed, value in enumerate(values))
    text = f"# Task 3\n\n| Seed | Test accuracy |\n|---|---|\n{rows}"
    claims = report_of("pretrained", answer(text), lab()).of_split("test")
    assert [str(one.value) for one in claims] == values
    assert resolution_of(claims) == resolution
    assert rounding_of(claims, sizes) == rounding


def test_what_was_worked_out_is_shown_with_digits_that_tell() -> None:
    share = report_of("pretrained", answer("# Task 3\n\nx"), lab()).measure
    assert [str(format_value(value, share)) for value in (79.3, 79.305, 0.1234, 100.0)] == [
        "79.30 %",
        "79.31 %",
        "0.12 %",
        "100.00 %",
    ]


def test_an_average_is_given_as_figures_with_the_unit_of_its_last_digit() -> None:
    text = "# Task 3\n\nOn test the mean is 79.30 and the std is 0.7.\n"
    (summary,) = report_of("pretrained", answer(text), lab()).summaries
    figures = experiment.stated_mean(summary)
    assert figures is not None
    assert (figures.mean, figures.mean_unit, figures.std, figures.std_unit) == (79.3, 0.01, 0.7, 0.1)


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
    (average,) = averages_of("pretrained", said, further)
    assert (average.split, average.value) == ("hard", 60.4667)


def test_figures_worked_out_with_single_precision_fit() -> None:
    """`0.79666668`, as a program with 32-bit floats prints the mean; what is further off is another mean."""
    values = [78.95, 80.30, 79.75]
    assert mean_fits(Decimal("79.666668"), Decimal("0.000001"), values)
    assert std_fits(Decimal("0.5542762"), Decimal("0.0000001"), values)
    assert not mean_fits(Decimal("79.667667"), Decimal("0.000001"), values)
    assert not std_fits(Decimal("0.5552762"), Decimal("0.0000001"), values)


def test_an_experiment_is_not_missing_where_another_one_has_two_averages_of_its_own() -> None:
    text = "# Results\n\nTest accuracy with random weights: {} on average, std 0.61.\n\n{}"
    two = text.format("66.92", "Random weights again, on test: 79.43 on average, std 0.58.")
    rounded = text.format("66.92", "Random weights, in short: 66.9 on average, std 0.61.")
    for report, status in ((two, Status.REVIEW), (rounded, Status.MISSING)):
        assert decide("t3.seeds", answer(report))[0].status is status

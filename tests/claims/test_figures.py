"""The numbers of a sentence that may report results, what words make of them, and the forms of cells."""

from collections.abc import Mapping, Sequence
from decimal import Decimal

import pytest

from grader.claims.numerals import Numeral
from grader.claims.results.claimed import unseen
from grader.claims.results.fact import (
    Moment,
    digit_in_unit,
    in_unit,
    is_share,
    moment_of_labels,
    moments_of_columns,
    whole_in,
)
from grader.claims.results.grid import is_header, is_label, rows_of
from grader.claims.results.measures import (
    MeasureSearch,
    counts_in,
    highest,
    is_count,
    lowest,
    may_be_deviation,
    may_be_value,
    most_deviation,
    size_in,
    sizes_of,
)
from grader.claims.results.numbers import figures_in, is_other_measure, numbers_in
from grader.claims.results.roles import Mark, number_lists, split_order
from grader.claims.results.runs import runs_named, seeds_listed
from grader.claims.results.vocabulary import Kind, mentions
from grader.lab.experiments import ACCURACY, Measure
from grader.reading.document import Block, BlockKind
from tests.claims.making import lab

SOUGHT = MeasureSearch(sizes=(1800, 200, 2000))

FIGURES: Mapping[str, str] = {
    "the accuracy is 79.3 %": "79.3 value",
    "the accuracy is 0.793": "0.793 value",
    "the mean is 79.3": "79.3 mean",
    "79.3 on average": "79.3 mean",
    "79,3 % en moyenne": "79.3 mean",
    "a mean of 79.3 and a standard deviation of 0.65": "79.3 mean, 0.65 std+",
    "79.3 ± 0.65": "79.3 mean, 0.65 std+",
    "79.3 (± 0.65) %": "79.3 mean, 0.65 std+",
    "79.3 (0.65)": "79.3 mean, 0.65 std+",
    "79.3 (std 0.65)": "79.3 mean, 0.65 std+",
    "79.3 (16.5)": "79.3 value",
    "words: 32.000 x 512": "",
    "79.3 (0)": "79.3 value",
    "mean and std are 79.3 and 0.65": "79.3 mean, 0.65 std+",
    "80.10 on average, 0.85 std": "80.10 mean, 0.85 std+",
    "80.10 en moyenne (0.85 d'écart-type)": "80.10 mean, 0.85 std+",
    "80.10 en moyenne et 0.85 point d'écart-type": "80.10 mean, 0.85 std+",
    "80.10 on average, 0.85 points of standard deviation": "80.10 mean, 0.85 std+",
    "the std is 0.65": "0.65 std",
    "σ = 0.65, μ = 79.3": "0.65 std, 79.3 mean",
    "79.3 0.65": "79.3 mean, 0.65 std+",
    "79.3 3": "79.3 value",
    "the median is 79.3": "79.3 other",
    "the max is 79.3": "79.3 value",
    "max: 79.3": "79.3 other",
    "seed 1: 79.3, seed 2: 78.5": "79.3 value, 78.5 value",
    "in 5 epochs 79.3": "79.3 value",
    "section 4.1, table 2: 79.3": "79.3 value",
    "79.3 for 3 seeds": "79.3 value",
    "a loss of 0.61 and an accuracy of 79.3": "79.3 value",
    "a loss of 0.61, seed 2 of 0.65": "",
    "12.8 points better": "",
    "less than 79.3": "",
    "a gap of 12.8": "",
    "+12.8 %": "",
    "-12.8 %": "",
    "it takes 43.5 s": "",
    "it takes 43.5 min": "",
    "2.5 GB": "",
    "1e-5": "",
    "12.5%": "12.5 other",
    "1,586 of 2,000 reviews": "79.3 value",
    "1,586/2,000 (79.3 %)": "79.3 value",
    "1,586, 1,571 and 1,603 of 2,000": "79.3 value, 78.55 value, 80.15 value",
    "the error rate is 20.7 %": "79.3 value",
    "a test error of 0.207": "0.793 value",
    "an error rate of 79.3": "79.3 value",
    "(79.3 + 78.5 + 80.1) / 3 = 79.3": "79.3 value, 78.5 value, 80.1 value, 79.3 value",
    "mean([79.3, 78.5, 80.1])": "79.3 value, 78.5 value, 80.1 value",
    "mean 81.3 / 79.5": "81.3 mean, 79.5 mean",
    "mean 79.3, 0.65 %": "79.3 mean, 0.65 other",
    "79": "79 value",
    "seed 79": "",
    "150": "",
    "101.5": "",
    "99.9": "99.9 value",
    "30": "30 value",
    "29": "",
    "0.3": "0.3 other",
    "0.30": "0.30 value",
    "0.29": "0.29 other",
}


def shown(text: str) -> str:
    return ", ".join(
        f"{one.number.value} {one.statistic.value}{'+' if one.attached else ''}" for one in figures_in(text, SOUGHT)
    )


@pytest.mark.parametrize("text", FIGURES)
def test_the_figures_of_a_sentence(text: str) -> None:
    assert shown(text) == FIGURES[text]


PLAIN = Measure(id="rmse", title="RMSE", words=("rmse",), unit="km", range=(Decimal(0), Decimal(500)))
SIGNED = Measure(id="r2", title="R²", words=("r2", "r²"), range=(Decimal(-1), Decimal(1)))
OPEN = Measure(id="time", title="time", words=("time",), unit="s")

OF_MEASURES: Sequence[tuple[Measure, str, list[str]]] = [
    (PLAIN, "the RMSE is 54.03", ["54.03"]),
    (PLAIN, "the RMSE is 54", ["54"]),
    (PLAIN, "we get 54 km", ["54"]),
    (PLAIN, "we get 54 more", []),
    (PLAIN, "the RMSE is 1,234", ["1.234"]),
    (PLAIN, "RMSE 1,234.5", []),
    (PLAIN, "RMSE 501.5", []),
    (PLAIN, "RMSE 2.5e2", ["250"]),
    (PLAIN, "RMSE 2.5 × 10^2", ["250"]),
    (PLAIN, "RMSE 54 %", []),
    (PLAIN, "RMSE .5", ["0.5"]),
    (SIGNED, "R2 = -0.25", ["-0.25"]),
    (SIGNED, "R2 = 0.25", ["0.25"]),
    (SIGNED, "R2 = 0.5 - 0.25", ["0.5", "0.25"]),
    (SIGNED, "R2 = 1.25", []),
    (OPEN, "the time is 1,234.5 s", ["1234.5"]),
    (OPEN, "the time is 12 345 s", ["12345"]),
]


@pytest.mark.parametrize(("measure", "text", "values"), OF_MEASURES)
def test_the_figures_of_a_measure_that_is_no_share(measure: Measure, text: str, values: list[str]) -> None:
    sought = MeasureSearch(measure, is_named=False)
    found = [one.number.value for one in figures_in(text, sought)]
    assert found == [Decimal(value) for value in values]


def numeral(text: str) -> Numeral:
    (one,) = numbers_in(text)
    return one


@pytest.mark.parametrize(
    ("written", "value", "deviation"),
    [("79.3", True, False), ("30", True, False), ("29.9", False, False), ("100", True, False), ("0.65", True, True),
     ("0.6", False, True), ("0.655", True, True), ("0.655 %", True, True), ("14.9", False, True),
     ("15.0", False, False), ("3", False, False), ("3 %", False, False), ("0.25", False, True), ("1.0", False, True)],
)  # fmt: skip
def test_what_a_number_may_be_by_its_form(written: str, value: bool, deviation: bool) -> None:
    number = numeral(written)
    assert (may_be_value(number, ACCURACY), may_be_deviation(number, ACCURACY)) == (value, deviation)


def test_the_bounds_of_measures() -> None:
    assert (lowest(ACCURACY), highest(ACCURACY), most_deviation(ACCURACY)) == (30, 100, 15)
    assert (lowest(PLAIN), highest(PLAIN), most_deviation(PLAIN)) == (0, 500, 250)
    assert (lowest(OPEN), highest(OPEN), most_deviation(OPEN)) == (Decimal("-Infinity"), *[Decimal("Infinity")] * 2)
    assert most_deviation(SIGNED) == 1


def test_a_fraction_is_kept_in_percent() -> None:
    for written, value, digit in (("0.793", "79.3", "0.1"), ("79.3", "79.3", "0.1"), ("1.0", "100", "10")):
        assert (in_unit(numeral(written)), digit_in_unit(numeral(written))) == (Decimal(value), Decimal(digit))


@pytest.mark.parametrize(
    ("written", "size", "holds"),
    [("79.5", 200, True), ("79.3", 200, False), ("79.35", 2000, True), ("79.33", 2000, False), ("79", 200, True),
     ("0.795", 200, True), ("0.7930", 200, False), ("79.4", 200, True), ("79.6", 200, True), ("33.3", 3, True)],
)  # fmt: skip
def test_a_share_is_that_of_a_whole_number_of_examples(written: str, size: int, holds: bool) -> None:
    assert is_share(numeral(written), size) is holds


@pytest.mark.parametrize(
    ("text", "runs"),
    [
        ("79.3, 78.5 and 80.1", [3]),
        ("79.3; 78.5 / 80.1", [3]),
        ("79.3 % et 78.5 %, puis 80.1", [3]),
        ("79.3 for it and 78.5, 80.1", [1, 2]),
        ("79.3 (a), 78.5 (b)", [2]),
        ("79.3", [1]),
        ("nothing", []),
    ],
)
def test_numbers_that_are_joined_are_a_list(text: str, runs: list[int]) -> None:
    assert [len(one) for one in number_lists(text, numbers_in(text))] == runs


@pytest.mark.parametrize(
    ("label", "is_other"),
    [("loss", True), ("test loss", True), ("accuracy", False), ("test", False), ("train accuracy", True),
     ("training", True), ("test error", False), ("time (s)", True), ("F1", True), ("seed", False)],
)  # fmt: skip
def test_labels_of_other_measures(label: str, *, is_other: bool) -> None:
    assert is_other_measure(label, SOUGHT) is is_other


def test_what_was_not_seen_may_be_an_accuracy() -> None:
    text = "pretrained,79.30 and x0.785 but 12.50 and 80.15, 0.13M of 22.81M"
    assert [match.group() for match in unseen(text, set())] == ["79.30", "0.785"]
    assert [match.group() for match in unseen(text, {Decimal("79.3")})] == ["0.785"]
    assert [match.group() for match in unseen(text, {Decimal("79.3"), Decimal("78.5")})] == []


@pytest.mark.parametrize(
    ("text", "size"),
    [("correct, of 2,000", 2000), ("right (of 200)", 200), ("/ 2000", 2000), ("n = 200", 200), ("2000", None),
     ("of 2,000 and of 200", None), ("of 2,001", None), ("of 200.5", None), ("parmi les 2 000", 2000)],
)  # fmt: skip
def test_the_size_that_a_label_tells(text: str, size: int | None) -> None:
    assert size_in(text, SOUGHT.sizes) == size


def test_counts_with_their_whole() -> None:
    (one,) = counts_in("we get 1,586 out of 2,000 right", SOUGHT)
    assert (one.share.value, one.share.resolution, one.size) == (Decimal("79.3"), Decimal("0.05"), 2000)
    assert counts_in("we get 2,100 out of 2,000 right", SOUGHT) == []
    assert counts_in("we get 200 of 2,000 right", SOUGHT) == []
    assert [c.share.value for c in counts_in("159/200, off by 1.5 reviews", SOUGHT)] == [
        Decimal("79.5"),
        Decimal("0.75"),
    ]
    assert sizes_of("159/200 and 1586/2000", SOUGHT) == {0: 200, 12: 2000}
    assert [c.share.value for c in counts_in("1586", SOUGHT._replace(size=2000))] == [Decimal("79.3")]
    assert counts_in("1586 %", SOUGHT._replace(size=2000)) == []
    assert counts_in("2001", SOUGHT._replace(size=2000)) == []


@pytest.mark.parametrize(
    ("text", "counts"), [("1586", True), ("100", False), ("101", True), ("2000", True), ("2001", False),
     ("1586 %", False), ("about 1586", False), ("1,586", True)]
)  # fmt: skip
def test_a_cell_that_counts(text: str, *, counts: bool) -> None:
    assert is_count(text, 2000) is counts


@pytest.mark.parametrize(
    ("texts", "first", "later"),
    [
        (("Seed", "Valid", "Test"), True, True),
        (("Seed", "1", "2"), True, False),
        (("", "1", "2"), False, False),
        (("Seed", "10%", "20%"), True, True),
        (("Test", "79.3", "78.5"), False, False),
        (("Seed 1", "79", "x"), True, False),
        (("Mean ± std",), True, True),
        (("", ""), False, False),
        (("Seed", "", "Test"), True, True),
        (("Seed", "123", "Test"), True, False),
        (("Seed", "123456", "Test"), False, False),
    ],
)
def test_a_row_of_labels(texts: tuple[str, ...], *, first: bool, later: bool) -> None:
    assert (is_header(texts, first=True), is_header(texts, first=False)) == (first, later)


@pytest.mark.parametrize(
    ("text", "label"),
    [("Test", True), ("seed 1", True), ("79.3 %", False), ("79.3", False), ("± 0.65 std", False), ("5 %", False),
     ("12", False), ("3.5 min", False), ("", False), ("T3", True), ("100 s", True)],
)  # fmt: skip
def test_a_cell_that_names(text: str, *, label: bool) -> None:
    assert is_label(text) is label


@pytest.mark.parametrize(
    ("text", "number"),
    [("5", 5), ("#5", 5), ("5 (best)", 5), ("5*", 5), ("5 **", 5), ("5.5", None), ("five", None), ("1234567", None),
     ("123456", 123456), ("", None), ("5 (dernière)", 5), ("(5)", 5)],
)  # fmt: skip
def test_a_whole_number_alone(text: str, number: int | None) -> None:
    assert whole_in(text) == number


def test_the_moments_that_a_row_gives() -> None:
    def chosen(**told: int) -> Moment:
        return Moment.model_validate({**told, "is_chosen": True})

    assert moments_of_columns(("Best epoch", "5", "3")) == {1: chosen(epoch=5), 2: chosen(epoch=3)}
    assert moments_of_columns(("Best epoch", "5", "")) == {1: chosen(epoch=5)}
    assert moments_of_columns(("Step", "225", "99")) == {1: chosen(step=225), 2: chosen(step=99)}
    assert moments_of_columns(("Epoch", "100", "3")) == {1: chosen(step=100), 2: chosen(step=3)}
    assert moments_of_columns(("Epoch", "99", "3")) == {1: chosen(epoch=99), 2: chosen(epoch=3)}
    assert moments_of_columns(("Epoch", "5", "early")) == {}
    assert moments_of_columns(("Test", "5", "3")) == {}
    assert moments_of_columns(("Epoch", "", "")) == {}


@pytest.mark.parametrize(
    ("row", "column", "header", "moment"),
    [
        ("epoch 3", "Test", "", Moment(epoch=3)),
        ("Test", "epoch 3", "", Moment(epoch=3)),
        ("3", "Test", "Epoch", Moment(epoch=3)),
        ("3 ; pretrained", "Test", "Epoch", Moment(epoch=3)),
        ("Test", "3", "Epoch", Moment(epoch=3)),
        ("99", "Test", "Epoch", Moment(epoch=99)),
        ("100", "Test", "Epoch", Moment(step=100)),
        ("225", "Test", "Step", Moment(step=225)),
        ("5", "Test", "Step", Moment(step=5)),
        ("3", "Test", "Seed", Moment()),
        ("Test", "Valid", "Epoch", Moment()),
    ],
)
def test_the_moment_that_labels_give(row: str, column: str, header: str, moment: Moment) -> None:
    assert moment_of_labels(row, column, header) == moment


def test_a_short_row_misses_its_first_cells() -> None:
    rows = rows_of([Block(kind=BlockKind.ROW, text="", cells=cells) for cells in (("a", "b", "c"), ("d", "e"))])
    assert [one.texts for one in rows] == [("a", "b", "c"), ("", "d", "e")]
    assert rows_of([Block(kind=BlockKind.LINE, text=" words ")])[0].texts == ("words",)


@pytest.mark.parametrize(
    ("text", "runs"),
    [
        ("seeds 1 to 3", [1, 2, 3]),
        ("seeds 3-5", [3, 4, 5]),
        ("seeds 5 to 3", [5]),
        ("seeds 1 to 11", [1]),
        ("seeds 1 to 10", list(range(1, 11))),
        ("seeds 42, 43 and 44", [42, 43, 44]),
        ("seeds 42/43", [42, 43]),
        ("les graines 1 et 2", [1, 2]),
        ("the first run, the second run", [0, 1]),
        ("just one run", [1]),
        ("{42: 0.785, 43: 0.79}", [42, 43]),
        ("epoch {42: 0.785, 43: 0.79}", []),
        ("{42: 0.785, 42: 0.79}", []),
        ("σ3: 80.1", [3]),
        ("s1 79.3 s2 78.5", [1, 2]),
        ("nothing", []),
    ],
)
def test_the_runs_that_a_text_names(text: str, runs: list[int]) -> None:
    assert [int(mark.value) for mark in runs_named(text)] == runs


def test_a_labels_last_number_is_its_run() -> None:
    assert [mark.value for mark in runs_named("ft-pre-0", label=True)] == ["0"]
    assert runs_named("ft-pre-0") == []
    assert runs_named("ft-pre-10", label=True) == []
    assert runs_named("pre 2.5", label=True) == []


def test_the_place_of_listed_seeds() -> None:
    text = "for seeds 42, 43 and 44 we get"
    assert [text[mark.start : mark.end] for mark in seeds_listed(text)] == ["42", "43", "44"]
    assert seeds_listed("for seed 42 we get") == []


@pytest.mark.parametrize(
    ("line", "order"),
    [
        ("validation / test", ("valid", "test")),
        ("test | validation", ("test", "valid")),
        ("validation -> test", ("valid", "test")),
        ("validation (test)", ("valid", "test")),
        ("validation and test", ()),
        ("test / test", ()),
        ("validation " + "x" * 40 + " / test", ()),
        ("test", ()),
    ],
)
def test_the_order_of_two_splits(line: str, order: tuple[str, ...]) -> None:
    marks = [Mark(one.value, one.start, one.end) for one in mentions(line, lab()) if one.kind is Kind.SPLIT]
    assert split_order(line, marks) == order


def _row(*cells: str, box: tuple[float, float, float, float] | None = (0, 0, 9, 9)) -> Block:
    return Block(kind=BlockKind.ROW, text=" ".join(cells), cells=cells, page=1, box=box)


BROKEN = (
    ("random", "test", "66.1", ""),
    ("", "", "", "79.38 ±"),
    ("pretrained", "test", "80.1", ""),
    ("", "", "", "0.75"),
)


@pytest.mark.parametrize(
    "rows",
    [
        [_row(*cells, box=None) for cells in BROKEN],
        [_row("a", "1"), _row("b", ""), _row("c", "2")],
        [_row("", "1"), _row("b", "3"), _row("", "2")],
    ],
)
def test_rows_that_hold_something_of_their_own_stay(rows: list[Block]) -> None:
    assert [row.texts for row in rows_of(rows)] == [row.cells for row in rows]

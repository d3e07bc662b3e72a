from decimal import Decimal

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from grader.claims.numerals import numerals, percentages, readings, sentence_bounds, surrounding_text
from grader.claims.passage import normalise
from tests.patience import within

SPACES = {
    "space": " ",
    "no-break": "\u00a0",
    "narrow no-break": "\u202f",
    "thin": "\u2009",
    "figure": "\u2007",
    "LaTeX thin": r"\,",
    "LaTeX tie": "~",
}
MARKS = {
    "none": "",
    "comma": ",",
    "comma and space": ", ",
    "LaTeX comma": "{,}",
    "dot": ".",
    "apostrophe": "'",
    "curly apostrophe": "\u2019",
    **SPACES,
}


def read(text: str) -> list[Decimal]:
    return [numeral.value for numeral in numerals(normalise(text).text)]


def grouped(number: int, mark: str) -> str:
    return f"{number:,}".replace(",", mark)


@pytest.mark.parametrize("mark", MARKS.values(), ids=MARKS)
@given(number=st.integers(min_value=1_000_000, max_value=10**12))
def test_a_large_integer_reads_back_from_every_grouping(mark: str, number: int) -> None:
    if mark == ", ":
        number %= 100_000_000  # with three digits in front it may as well be a list, such as 512, 512, 256
    assume(number >= 1_000_000)
    assert read(f"the total is {grouped(number, mark)} parameters") == [number]


@pytest.mark.parametrize("mark", [mark for name, mark in MARKS.items() if name != "dot"])
@given(number=st.integers(min_value=1_000, max_value=999_999))
def test_a_thousand_reads_back_from_every_grouping_but_the_ambiguous_dot(mark: str, number: int) -> None:
    assert read(grouped(number, mark)) == [number]


@given(number=st.integers(min_value=1_000, max_value=999_999))
def test_a_single_dot_or_comma_before_three_digits_has_both_readings(number: int) -> None:
    as_decimal = Decimal(number) / 1000
    assert readings(grouped(number, ".")) == (as_decimal, number)
    assert readings(grouped(number, ",")) == (number, as_decimal)


@given(value=st.decimals(min_value=0, max_value=100, places=2))
def test_a_percentage_reads_back_with_dot_and_comma(value: Decimal) -> None:
    for text in (f"{value}%", f"{value} %", f"{value}".replace(".", ",") + " %", rf"${value}\%$"):
        (numeral,) = percentages(normalise(text).text)
        assert (numeral.value, numeral.percent, numeral.resolution) == (value, True, Decimal("0.01"))


@pytest.mark.parametrize(
    ("text", "value", "resolution"),
    [
        ("22.8M", 22_800_000, 100_000),
        ("22.8 million", 22_800_000, 100_000),
        ("22,8 millions", 22_800_000, 100_000),
        ("23M", 23_000_000, 1_000_000),
        ("22829k", 22_829_000, 1_000),
        ("0.0228B", 22_800_000, 100_000),
    ],
)
def test_units_multiply_the_value_and_its_resolution(text: str, value: int, resolution: int) -> None:
    (numeral,) = numerals(text)
    assert (numeral.value, numeral.resolution) == (value, resolution)


@pytest.mark.parametrize("text", ["5 models", "3 matrices", "12 ms", "4 km", "8 blocks"])
def test_a_word_that_begins_like_a_unit_is_none(text: str) -> None:
    (numeral,) = numerals(text)
    assert numeral.value < 100


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("22,829,056.00", ["22829056.00"]),
        ("22.829.056,5", ["22829056.5"]),
        ("1,234.5", ["1234.5"]),
        ("79.9, 80.1 and 78.5", ["79.9", "80.1", "78.5"]),
        ("79,9, 80,1 et 78,5", ["79.9", "80.1", "78.5"]),
        ("seeds 1, 2, 3", ["1", "2", "3"]),
        ("16 384 000 + 132 096", ["16384000", "132096"]),
        ("1,572,864 || 409,792,512", ["1572864", "409792512"]),
        ("about 22,829,056.", ["22829056"]),
        ("(22,829,056)", ["22829056"]),
        ("N=22829056,", ["22829056"]),
        ("22829056 params", ["22829056"]),
        ("1. 22,829,056", ["1", "22829056"]),
    ],
)
def test_numbers_are_told_apart(text: str, values: list[str]) -> None:
    assert read(text) == [Decimal(value) for value in values]


def test_digits_inside_a_name_are_no_number() -> None:
    assert read("x1 d_512 W^2 A.3 h_12") == []


def test_the_place_of_a_number_is_that_of_its_text() -> None:
    text = "in all 22 807 552 of them"
    (numeral,) = numerals(text)
    assert text[numeral.start : numeral.end] == numeral.text == "22 807 552"


@pytest.mark.parametrize(
    ("text", "value", "percent"),
    [
        ("79,9%", "79.9", True),
        ("79.9 percent", "79.9", True),
        ("79,9 pour cent", "79.9", True),
        ("0.799", "0.799", False),
        ("80", "80", False),
        ("100 %", "100", True),
    ],
)
def test_accuracies_are_read_in_every_format(text: str, value: str, percent: bool) -> None:
    (numeral,) = percentages(text)
    assert (numeral.value, numeral.percent) == (Decimal(value), percent)


@pytest.mark.parametrize("text", ["2000", "1125", "101", "22,829,056", "22 807 552", "1 125"])
def test_what_exceeds_a_hundred_is_no_accuracy(text: str) -> None:
    assert not list(percentages(text))


@given(st.text(alphabet="0123456789.,' %Mk()x=-\u00a0", max_size=60))
def test_no_row_of_digits_and_marks_fails(text: str) -> None:
    plain = normalise(text).text
    for numeral in (*numerals(plain), *percentages(plain)):
        assert plain[numeral.start : numeral.end].strip()
        assert all(value >= 0 for value in numeral.readings)


def test_a_number_of_a_million_digits_does_no_harm() -> None:
    huge = "9" * 1_000_100
    with within(2):
        assert len(list(numerals(huge + " million"))) <= 1


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("a rate of 5e-4", ["0.0005"]),
        ("1e-1", ["0.1"]),
        ("lr = 0.1, momentum = 0.9, weight decay = 5E-4", ["0.1", "0.9", "0.0005"]),
        ("1,5e-3", ["0.0015"]),
        ("1.2e+6 and 2e5", ["1200000", "200000"]),
        ("5 × 10^-4", ["0.0005"]),
        ("$5\\times 10^{-4}$", ["0.0005"]),
        ("5 × 10^4 of them", ["50000"]),
    ],
)
def test_powers_of_ten_belong_to_their_number(text: str, values: list[str]) -> None:
    assert read(text) == [Decimal(value) for value in values]


def test_a_power_of_ten_is_no_accuracy() -> None:
    found = percentages("with a rate of 5e-4 and 1E-5 the accuracy is 79.9 %")
    assert [numeral.value for numeral in found] == [Decimal("79.9")]


def test_what_stands_far_away_is_no_part_of_a_sentence() -> None:
    text = "a" * 1500 + " 12 " + "b" * 1500
    assert sentence_bounds(text, 1501, 1503) == (501, 2503)
    assert sentence_bounds("One. Two 2 here. Three.", 9, 10) == (5, 17)


def test_what_stands_right_beside_a_place_in_a_text() -> None:
    assert surrounding_text("abcdefgh", 3, 5, 2) == ("bc", "fg")
    assert surrounding_text("abcdefgh", 1, 7, 3) == ("a", "h")
    assert surrounding_text("abcdefgh", 0, 8, 3) == ("", "")

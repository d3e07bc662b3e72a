"""Equalities that hold or not by a sign, in words, in rows and columns, each with what it comes to."""

from collections.abc import Mapping
from fractions import Fraction

import pytest

from grader.claims.equations import equations, holds_as_read, is_slip_of_pen, shown_value
from grader.claims.implied_equations import all_equations
from grader.claims.passage import Passage
from grader.reading.document import Block, BlockKind, Repair, RepairKind
from tests.claims.making import passage


def told(text: str) -> list[tuple[str, str, bool]]:
    return [(one.left, one.right, one.holds) for one in all_equations(passage(text))]


def table(*rows: str) -> str:
    ruler = "|" + "---|" * (rows[0].count("|") + 1)
    return "\n".join([f"|{rows[0]}|", ruler, *(f"|{row}|" for row in rows[1:])])


READ: Mapping[str, list[tuple[str, str, bool]]] = {
    "4 × 512 = 2048": [("4 × 512", "2048", True)],
    "4 × 512 = 2049": [("4 × 512", "2049", False)],
    "a = 4 × 512 = 2048 = 2 × 1024": [("4 × 512", "2048", True), ("2048", "2 × 1024", True)],
    "22807552 = 2.28 × 10^7": [("22807552", "2.28 × 10^7", True)],
    "22807552 = 2.25 × 10^7": [("22807552", "2.25 × 10^7", False)],
    "7 / 3 = 2.33": [("7 / 3", "2.33", True)],
    "7 / 3 = 2.34": [("7 / 3", "2.34", True)],
    "7 / 3 = 2.35": [("7 / 3", "2.35", False)],
    "7 / 3 = 2": [("7 / 3", "2", False)],
    "(79.3 + 78.5 + 80.1) / 3 = 79.3": [("(79.3 + 78.5 + 80.1) / 3", "79.3", True)],
    "79.3 = (79.3 + 78.5 + 80.1) / 3": [("79.3", "(79.3 + 78.5 + 80.1) / 3", True)],
    "79.4 = (79.31 + 78.52 + 80.14) / 3": [("79.4", "(79.31 + 78.52 + 80.14) / 3", True)],
    "79.6 = (79.31 + 78.52 + 80.14) / 3": [("79.6", "(79.31 + 78.52 + 80.14) / 3", False)],
    "24 × 512 = 12,288 (all layers) and more": [("24 × 512", "12,288", True)],
    "258 × 512 gives 132,096": [("258 × 512", "132,096", True)],
    "258 × 512, which is 132,906": [("258 × 512", "132,906", False)],
    "258 × 512 soit 132 906": [("258 × 512", "132 906", False)],
    "258 × 512 → 132,906": [("258 × 512", "132,906", False)],
    "258 × 512: 132,906": [("258 × 512", "132,906", False)],
    "258 × 512 gives 140,000": [],
    "258 × 512 gives 131,584": [],
    "258 × 512 gives 132,906 × 2": [],
    "2 × 3 gives 7": [],
    "4 layers × 1,572,864 = 6,291,456": [("4 × 1,572,864", "6,291,456", True)],
    "4 layers × 1,572,864 = 6,291,465": [("4 × 1,572,864", "6,291,465", False)],
    table("part|formula|number", "places|258 × 512|132,906"): [("258 × 512", "132,906", False)],
    table("part|formula|number", "places|258 × 512|132,096"): [],
    table("part|formula|times|number", "a|512 × 512|4|1,048,567"): [("(512 × 512) × 4", "1,048,567", False)],
    table("part|formula|times|number", "a|512 × 512|4|1,048,576"): [],
    table("part|formula|times|number", "a|512 × 512|4|262,144"): [],
    table("part|number", "a|16384000", "b|132096", "sum|16516069"): [("16384000 + 132096", "16516069", False)],
    table("part|number", "a|16384000", "b|132096", "sum|16516096"): [],
    table("part|number", "a|16384000", "b|132097", "sum|16516069"): [],
    table("part|number", "a|16384000", "sum|16384001"): [],
    table("part|number", "a|16384000", "b|132096", "sum|18516069"): [],
}


@pytest.mark.parametrize("text", READ)
def test_equalities_with_whether_they_hold(text: str) -> None:
    assert told(text) == READ[text]


@pytest.mark.parametrize(
    ("wanted", "stated", "sizes", "slip"),
    [
        (132_096, 132_906, (258, 512), True),
        (132_096, 132_096, (512,), False),
        (132_096, 131_584, (512,), False),
        (132_096, 132_906, (), True),
        (132_096, 132_906, (810,), False),
        (1_000, 1_001, (7,), True),
        (999, 1_000, (7,), False),
        (100_000, 104_999, (7,), True),
        (100_000, 105_000, (7,), False),
        (100_000, 95_001, (7,), True),
    ],
)
def test_a_slip_of_the_pen_is_close_and_no_multiple_of_a_size(
    wanted: int, stated: int, sizes: tuple[int, ...], *, slip: bool
) -> None:
    assert is_slip_of_pen(Fraction(wanted), Fraction(stated), sizes) is slip


def test_two_texts_hold_where_a_reading_is_common() -> None:
    assert holds_as_read("4 × 5122", "1,048,576")
    assert holds_as_read("1,024", "1.024")
    assert not holds_as_read("4 × 512", "2049")
    assert not holds_as_read("words", "2048")


@pytest.mark.parametrize(
    ("side", "shown"), [("4 × 512", "2,048"), ("1 / 3", "0.3333"), ("2 - 5", "-3"), ("7 / 2", "3.5000")]
)
def test_the_value_of_a_side_for_people(side: str, shown: str) -> None:
    assert shown_value(side) == shown


def inferred(text: str, start: int, end: int, kind: RepairKind) -> list[bool]:
    block = Block(kind=BlockKind.LINE, text=text, page=1, repairs=(Repair(start=start, end=end, kind=kind),))
    return [one.is_inferred for one in all_equations(Passage(file="r.pdf", exact=False, blocks=(block,)))]


def test_what_hangs_on_characters_that_were_inferred_is_for_a_person() -> None:
    assert inferred("4 × 512 = 2049", 4, 7, RepairKind.FRACTION) == [True]
    assert inferred("4 × 512 = 2048", 4, 7, RepairKind.FRACTION) == [False]
    assert inferred("4 × 512 = 2049", 4, 7, RepairKind.INDEX) == [True]
    assert inferred("258 × 512 gives 132,906", 0, 3, RepairKind.FRACTION) == [True]
    assert inferred("258 × 512 gives 132,096", 0, 3, RepairKind.FRACTION) == [False]
    assert inferred("2 × 51^2 = 1024", 6, 8, RepairKind.POWER) == [True]
    assert inferred("2 × 51^2 = 1025", 6, 8, RepairKind.POWER) == [False]
    assert inferred("2 × 7^1 = 15", 5, 7, RepairKind.POWER) == [False]


def test_a_line_that_begins_with_the_sign_goes_on_from_all_that_was_said() -> None:
    assert told("The parts are 16384000 and\n132096\n= 16516096") == []
    assert told("16384000\n= 2 × 8192000") == [("16384000", "2 × 8192000", True)]


@pytest.mark.parametrize(
    "text",
    [
        "for 4 layers (2 × 512) = 4096",
        "the 3 (4 + 1) = 15",
        "log 100 = 2",
        "Layer 1 = 1572864",
        "head_2 × 3 = 9",
        "5x = 3",
        "2 × 3 = 7 million",
        "2 × 3 = 7 m",
        "2 × 3 = 7%",
        "16 384\n000 + 1 = 5",
    ],
)
def test_what_belongs_to_more_is_not_called_wrong(text: str) -> None:
    assert [one for one in told(text) if not one[2]] == []


def test_the_largest_number_of_an_equation() -> None:
    (one,) = equations(passage("4 × 1,577,984 = 6311936"))
    assert one.largest == 6_311_936

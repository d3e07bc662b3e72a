"""Numbers that a line's end parts."""

from pathlib import Path

import pytest

from grader.reading.document import RepairKind
from grader.reading.pdf import read_pdf
from tests.reading.making import pdf, submitted, text

FULL = "All parts of the model together, without its head, make a total of"
"""A line of about 300 points."""


def lines(folder: Path, *written: str) -> list[str]:
    page = "".join(text(72, 700 - 12 * row, line) for row, line in enumerate(written))
    document = read_pdf(submitted(folder, "report.pdf", pdf(page)))
    return [block.text for block in document.blocks]


@pytest.mark.parametrize(
    ("upper", "lower", "expected"),
    [
        ("22 819", "840 parameters", "22 819 840"),
        ("22", "819 840 parameters", "22 819 840"),
        ("16 384 000 + 6", "443 456 parameters", "16 384 000 + 6 443 456"),
    ],
)
def test_groups_on_two_lines_are_one_number(tmp_path: Path, upper: str, lower: str, expected: str) -> None:
    first, second = lines(tmp_path, f"{FULL} {upper}", lower)
    assert (first, second) == (f"{FULL} {expected}", "parameters")


def test_the_join_is_marked(tmp_path: Path) -> None:
    page = text(72, 700, f"{FULL} 22 819") + text(72, 688, "840 parameters")
    block = read_pdf(submitted(tmp_path, "report.pdf", pdf(page))).blocks[0]
    (repair,) = block.repairs
    assert repair.kind is RepairKind.JOINED
    assert block.text[repair.start :] == " 840"


def test_a_group_behind_an_operator_goes_on_where_the_text_sets_groups_apart(tmp_path: Path) -> None:
    found = lines(
        tmp_path, "The embedding has 16 384 000 weights.", f"{FULL} 512 × 512 = 262", "144 weights in a matrix"
    )
    assert found[1:] == [f"{FULL} 512 × 512 = 262 144", "weights in a matrix"]


@pytest.mark.parametrize(
    ("upper", "lower"),
    [
        ("22 819", "8400 parameters"),
        ("22 819,", "840 of them"),
        ("22 819", "840.5 of them"),
        ("the 4", "512 × 512 matrices"),
        ("1.5", "840 of them"),
        ("= 4", "512 × 512 matrices"),
    ],
)
def test_two_numbers_stay_two(tmp_path: Path, upper: str, lower: str) -> None:
    written = ["The embedding has 16 384 000 weights.", f"{FULL} {upper}", lower]
    assert lines(tmp_path, *written) == written


def test_a_short_line_parts_nothing(tmp_path: Path) -> None:
    written = [f"{FULL} something", "The total is 22 819", "840 is another number"]
    assert lines(tmp_path, *written) == written

"""Roots and letters that are set apart, as programs draw them in a PDF."""

from pathlib import Path

import pytest

from grader.reading.document import Block, BlockKind
from grader.reading.pdf import read_pdf
from tests.reading.making import pdf, rule, submitted, text


def blocks(folder: Path, page: str) -> tuple[Block, ...]:
    return read_pdf(submitted(folder, "report.pdf", pdf(page))).blocks


def lettered(x: float, y: float, words: str, gap: int, size: int = 10) -> str:
    """Words drawn with a gap behind each letter, in thousandths of an em."""
    return f"BT /F1 {size} Tf {x} {y} Td [{' '.join(f'({letter}) -{gap}' for letter in words)}] TJ ET\n"


@pytest.mark.parametrize("gap", [200, 300])
@pytest.mark.parametrize("words", ["QUESTION 1", "Task 5", "Exercise II"])
def test_a_title_that_is_set_wide_has_its_words(tmp_path: Path, words: str, gap: int) -> None:
    found = blocks(tmp_path, lettered(72, 700, words, gap, 16) + text(72, 660, "The answer to this is 42."))
    assert found[0].text == words


def test_single_letters_stay_apart(tmp_path: Path) -> None:
    (block,) = blocks(tmp_path, text(72, 700, "Let a b c be the sides and A B C the angles."))
    assert block.text == "Let a b c be the sides and A B C the angles."


def test_words_that_a_listing_sets_apart_are_words(tmp_path: Path) -> None:
    drawn = "BT /F1 10 Tf 72 700 Td [(print) -200 (\\() -600 (t) -250 (o) -250 (t) -250 (a) -250 (l)] TJ ET\n"
    (block,) = blocks(tmp_path, drawn)
    assert block.text.endswith("total")


def test_a_root_holds_what_stands_under_its_bar(tmp_path: Path) -> None:
    sign = "BT /F9 10 Tf 90 700 Td (\\326) Tj ET\n"  # the sign in the font Symbol
    drawn = text(72, 700, "s =", size=10) + sign + rule(95.5, 709, 60) + text(97, 700, "0.25 + 0.39", size=10)
    content = pdf(
        drawn + text(160, 700, "= 0.8", size=10), fonts="/F9 << /Type /Font /Subtype /Type1 /BaseFont /Symbol >>"
    )
    (block,) = read_pdf(submitted(tmp_path, "report.pdf", content)).blocks
    assert block.text == "s = √(0.25 + 0.39) = 0.8"


def test_equations_side_by_side_are_one_line(tmp_path: Path) -> None:
    found = blocks(
        tmp_path, text(72, 700, "m = 66.8") + text(200, 700, "s = 0.86") + text(72, 660, "Both are on test.")
    )
    assert found[0].kind is BlockKind.LINE
    assert found[0].text == "m = 66.8\ts = 0.86"


def test_the_last_column_of_a_table_stays_one(tmp_path: Path) -> None:
    rows = [
        ("Seed", "Test accuracy", "Epoch"),
        ("0", "79.5", "1"),
        ("1", "78.0", "2"),
        ("2", "80.1", "3"),
        ("3", "80.2", "4"),
    ]
    page = "".join(
        text(x, 700 - 14 * line, cell, size=10)
        for line, row in enumerate(rows)
        for x, cell in zip((72, 150, 420), row, strict=True)
    )
    assert [block.cells for block in blocks(tmp_path, page)] == rows

"""What a PDF's text had to be inferred from its geometry is marked as such."""

from pathlib import Path

import pytest

from grader.reading.document import Block, Document, RepairKind
from grader.reading.pdf import read_pdf
from grader.reading.pdf.characters import LOST, is_ligature, sign
from tests.reading.making import pdf, rule, submitted, text


def read(folder: Path, *pages: str) -> Document:
    return read_pdf(submitted(folder, "report.pdf", pdf(*pages)))


def repairs(block: Block) -> list[tuple[RepairKind, str]]:
    return [(repair.kind, block.text[repair.start : repair.end]) for repair in block.repairs]


def stacked(x: float, y: float, above: str, below: str, width: float, size: float = 10) -> str:
    """A fraction as TeX sets it in a display, on the line with baseline y."""
    return (
        text(x, y + 6.77, above, size=size)
        + rule(x, y + 2.3, width)
        + text(x + (width - 5.56 * len(below)) / 2, y - 6.86, below, size=size)
    )


def test_what_is_read_as_it_stands_is_not_marked(tmp_path: Path) -> None:
    (block,) = read(tmp_path, text(72, 700, "Plain words, 1,024 and lora_alpha=32.")).blocks
    assert block.repairs == ()


def test_powers_and_indices(tmp_path: Path) -> None:
    page = (
        text(72, 700, "512") + text(88.7, 703.6, "2", size=7) + text(96, 700, "x d") + text(109.6, 698.5, "k", size=7)
    )
    (block,) = read(tmp_path, page).blocks
    assert repairs(block) == [(RepairKind.POWER, "^{2}"), (RepairKind.INDEX, "_{k}")]


def test_drawn_underscores(tmp_path: Path) -> None:
    (block,) = read(tmp_path, text(72, 700, "lora") + rule(89.3, 699.9, 3) + text(92.9, 700, "alpha")).blocks
    assert (block.text, repairs(block)) == ("lora_alpha", [(RepairKind.UNDERSCORE, "_")])


@pytest.mark.parametrize("order", ["[(mod) -100 (´) 445 (ele)] TJ", "[(mode) 445 (´) -112 (le)] TJ"])
def test_accents_before_and_behind_their_letters(tmp_path: Path, order: str) -> None:
    (block,) = read(tmp_path, f"BT /F1 10 Tf 72 700 Td {order} ET\n").blocks
    assert (block.text, repairs(block)) == ("modéle", [(RepairKind.ACCENT, "é")])


def test_a_thin_space_left_out_of_a_number(tmp_path: Path) -> None:
    (block,) = read(tmp_path, "BT /F1 10 Tf 72 700 Td [(1,) -167 (050,) -167 (624  or)] TJ ET\n").blocks
    assert block.text == "1,050,624 or"
    assert [(repair.kind, repair.start, repair.end) for repair in block.repairs] == [
        (RepairKind.JOINED, 2, 2),
        (RepairKind.JOINED, 6, 6),
    ]


@pytest.mark.parametrize(
    ("other", "expected"),
    [("82,5 and 77,5", "s = 0,81 of 5,4"), ("82.5 and 77.5", "s = 0, 81 of 5, 4")],
)
def test_a_thin_space_behind_a_comma_is_left_out_where_decimals_have_commas(
    tmp_path: Path, other: str, expected: str
) -> None:
    thin = "BT /F1 10 Tf 72 700 Td [(s = 0,) -167 (81 of 5,) -167 (4)] TJ ET\n"
    thin += "BT /F1 10 Tf 72 680 Td [(runs 10,) -167 (20,) -167 (30)] TJ ET\n"
    found = read(tmp_path, thin + text(72, 650, other))
    assert [block.text for block in found.blocks] == [expected, "runs 10, 20, 30", other]


def test_letters_that_stand_apart_in_a_word(tmp_path: Path) -> None:
    """Mathematical italics leave gaps that are no spaces."""
    (block,) = read(tmp_path, "BT /F1 10 Tf 72 700 Td [(CAU) -130 (SAL_LM)] TJ ET\n").blocks
    assert block.text == "CAUSAL_LM"
    assert [(repair.kind, repair.start, repair.end) for repair in block.repairs] == [(RepairKind.JOINED, 3, 3)]


def test_a_fraction_in_its_line(tmp_path: Path) -> None:
    page = text(72, 700, "D =") + stacked(92, 700, "512", "8", 16.7) + text(112, 700, "= 64")
    (block,) = read(tmp_path, page).blocks
    assert (block.text, repairs(block)) == ("D = (512)/(8) = 64", [(RepairKind.FRACTION, "(512)/(8)")])


def test_a_fraction_may_hold_powers_and_sums(tmp_path: Path) -> None:
    power = text(108.7, 710.4, "2", size=7)
    page = text(72, 700, "D =") + stacked(92, 700, "512", "8 + 8", 27.8) + power + text(124, 700, "+ 1")
    (block,) = read(tmp_path, page).blocks
    assert block.text == "D = (512^{2})/(8 + 8) + 1"
    assert repairs(block) == [(RepairKind.FRACTION, "(512^{2})/(8 + 8)"), (RepairKind.POWER, "^{2}")]


def test_a_small_fraction_in_running_text(tmp_path: Path) -> None:
    page = (
        text(72, 700, "where a/r or")
        + text(130, 703.94, "32", size=7)
        + rule(130, 702.3, 7.8)
        + text(130, 696.55, "16", size=7)
        + text(140.5, 700, "scales the update")
    )
    assert [block.text for block in read(tmp_path, page).blocks] == ["where a/r or (32)/(16) scales the update"]


def test_two_fractions_side_by_side(tmp_path: Path) -> None:
    page = (
        stacked(72, 700, "96", "12", 11.1) + text(86, 700, "x") + stacked(94, 700, "12", "96", 11.1)
        + text(108, 700, "= 1")
    )  # fmt: skip
    assert [block.text for block in read(tmp_path, page).blocks] == ["(96)/(12) x (12)/(96) = 1"]


def test_a_fraction_over_a_fraction(tmp_path: Path) -> None:
    inner = stacked(92, 712, "12", "34", 11.1) + text(105.1, 712, "+ 1")
    page = text(72, 700, "D =") + inner + rule(92, 702.3, 27) + text(102.7, 691, "8") + text(122, 700, "= 2")
    assert [block.text for block in read(tmp_path, page).blocks] == ["D = ((12)/(34) + 1)/(8) = 2"]


def test_what_only_may_be_a_fraction_stays_and_is_marked(tmp_path: Path) -> None:
    """Nothing stands beside the rule, so it may as well part the rows of a small table."""
    blocks = read(tmp_path, stacked(92, 700, "512", "8", 16.7)).blocks
    assert [block.text for block in blocks] == ["512", "8"]
    assert [(r.kind, r.start, r.end) for r in blocks[0].repairs] == [(RepairKind.FRACTION, 3, 3)]


@pytest.mark.parametrize(
    "page",
    [
        text(72, 700, "A word underlined") + rule(83, 698.6, 22) + text(72, 688, "and the next line"),
        text(72, 700, "Title") + rule(72, 698, 468) + text(72, 686, "Body text below the rule"),
        text(72, 700, "Seed")
        + text(140, 700, "Test")
        + rule(70, 696, 100)
        + text(72, 685, "1")
        + text(140, 685, "79.9"),
    ],
)
def test_rules_that_underline_or_frame_make_no_fraction(tmp_path: Path, page: str) -> None:
    assert not any("/" in block.text for block in read(tmp_path, page).blocks)


PARTED = [
    ("all the para-", "meters are", "all the parameters", "are", (RepairKind.HYPHEN, 12)),
    ("the feed-", "forward network", "the feed-forward", "network", (RepairKind.JOINED, 9)),
    ("fully super-vised posi-", "tions. Next", "fully super-vised positions.", "Next", (RepairKind.HYPHEN, 22)),
]


@pytest.mark.parametrize(("upper", "lower", "mended", "rest", "repair"), PARTED)
def test_words_that_a_line_end_parts(
    tmp_path: Path, upper: str, lower: str, mended: str, rest: str, repair: tuple[RepairKind, int]
) -> None:
    first, second = read(tmp_path, text(72, 700, upper) + text(72, 688, lower)).blocks
    assert (first.text, second.text) == (mended, rest)
    assert [(r.kind, r.start, r.end) for r in first.repairs] == [(repair[0], repair[1], repair[1])]


def test_the_document_decides_about_a_hyphen(tmp_path: Path) -> None:
    page = text(72, 700, "A fine-tuned model is not finetuned. The re-train-") + text(72, 688, "ing of it")
    page += text(72, 660, "Now re-train-ing is a word here, and so we fine-") + text(72, 648, "tune it.")
    first, _, third, _ = read(tmp_path, page).blocks
    assert first.text.endswith("The re-train-ing")
    assert third.text.endswith("so we fine-tune")


@pytest.mark.parametrize(
    ("upper", "lower"),
    [
        ("the seeds 1-", "3 are used"),
        ("both pre- and post-", "and others"),
        ("python run.py --learning-", "rate 1e-5"),
        ("is lower -", "as it is here"),
        ("a new Figure-", "Two is here"),
    ],
)
def test_other_lines_keep_their_ends(tmp_path: Path, upper: str, lower: str) -> None:
    found = read(tmp_path, text(72, 700, upper) + text(72, 688, lower)).blocks
    assert [block.text for block in found] == [upper, lower]


def test_repairs_move_with_their_words(tmp_path: Path) -> None:
    page = text(72, 700, "of the embed-") + text(72, 688, "ding 512") + text(111.2, 691.6, "2", size=7)
    first, second = read(tmp_path, page).blocks
    assert (first.text, second.text) == ("of the embedding", "512^{2}")
    assert repairs(second) == [(RepairKind.POWER, "^{2}")]


@pytest.mark.parametrize(("slot", "text"), [(0x15, "–"), (0x1D, "fl"), (0x1F, "ffl"), (0x88, "•"), (0x07, LOST)])
def test_slots_of_bitmap_fonts_are_read_as_tex_fills_them(slot: int, text: str) -> None:
    """Without a Unicode value pdfium gives the bare slot, which in Unicode is a control character."""
    assert sign(slot) == text
    assert is_ligature(slot) == (len(text) > 1)

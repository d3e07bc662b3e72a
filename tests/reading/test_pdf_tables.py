"""Tables of a PDF: which cell stands in which column."""

import re
from itertools import pairwise
from pathlib import Path

import pytest

from grader.reading.document import Block, BlockKind
from grader.reading.pdf import read_pdf
from tests.reading.making import pdf, rule, submitted, text


def rows(folder: Path, *pages: str) -> list[tuple[str, ...]]:
    return [block.cells for block in blocks(folder, *pages) if block.kind is BlockKind.ROW]


def blocks(folder: Path, *pages: str) -> tuple[Block, ...]:
    return read_pdf(submitted(folder, "report.pdf", pdf(*pages))).blocks


def table(*lines: tuple[str, ...], top: float = 700, left: float = 72, width: float = 80) -> str:
    return "".join(
        text(left + width * column, top - 14 * row, cell)
        for row, cells in enumerate(lines)
        for column, cell in enumerate(cells)
        if cell
    )


def test_blank_cells_keep_their_columns(tmp_path: Path) -> None:
    lines = (("Seed", "Valid", "Test"), ("0", "81.5", "79.9"), ("1", "", "78.5"), ("2", "83.5", ""))
    assert rows(tmp_path, table(*lines)) == list(lines)


def test_a_head_over_several_columns_stands_over_each(tmp_path: Path) -> None:
    page = (
        text(152, 714, "Pretrained model, fairseq")
        + text(312, 714, "Random model, fairseq")
        + table(("Seed", "Valid", "Test", "Valid", "Test"), ("0", "81.5", "79.9", "62.0", "65.4"))
    )
    head, *_ = rows(tmp_path, page)
    assert head == ("", *["Pretrained model, fairseq"] * 2, *["Random model, fairseq"] * 2)


def test_a_cell_that_wraps_between_rules_is_one(tmp_path: Path) -> None:
    wrapped = ("scales the update;", "the product is", "times alpha")
    page = (
        table(("Name", "Meaning"), top=700)
        + rule(70, 694, 300)
        + text(72, 676, "alpha")
        + "".join(text(152, 682 - 12 * line, words) for line, words in enumerate(wrapped))
        + rule(70, 650, 300)
        + table(("r", "the rank"), top=640)
        + rule(70, 634, 300)
    )
    expected = [("Name", "Meaning"), ("alpha", "scales the update; the product is times alpha"), ("r", "the rank")]
    assert rows(tmp_path, page) == expected


def test_lines_across_the_page_around_a_table_are_no_part_of_it(tmp_path: Path) -> None:
    lines = (("Start", "One", "Two"), ("A", "80.1", "66.9"), ("B", "78.5", "65.4"))
    inner = rule(150, 692, 180) + table(*lines, left=155, top=680) + rule(150, 646, 180)
    around = text(70, 700, "Three runs of each start, the best epoch by validation, on the test set.")
    below = text(70, 634, "The second start is thirteen points below the first one in all of the runs.")
    assert rows(tmp_path, rule(70, 716, 420) + around + inner + below + rule(70, 624, 420)) == list(lines)


def test_rows_between_two_rules_stay_apart(tmp_path: Path) -> None:
    """A table with rules at its ends only."""
    lines = (("seed 0", "81.5", "79.9"), ("seed 1", "80.0", "78.5"), ("seed 2", "83.5", "80.1"))
    assert rows(tmp_path, rule(70, 712, 250) + table(*lines) + rule(70, 668, 250)) == list(lines)


def test_groups_of_rows_stay_apart(tmp_path: Path) -> None:
    """The first column names a group of rows and is blank in the others."""
    lines = (("fairseq", "seed 0", "79.9"), ("", "seed 1", "78.5"), ("", "seed 2", "80.1"))
    assert rows(tmp_path, rule(70, 712, 250) + table(*lines) + rule(70, 668, 250)) == list(lines)


def test_a_framed_paragraph_is_no_row(tmp_path: Path) -> None:
    lines = "".join(text(72, 700 - 12 * n, f"line {n} of a text in a frame") for n in range(3))
    found = blocks(tmp_path, rule(70, 712, 250) + lines + rule(70, 670, 250))
    assert [block.kind for block in found] == [BlockKind.LINE] * 3


def test_narrow_columns_of_numbers_stay_apart(tmp_path: Path) -> None:
    """Their gap is wider than a space, and in the same place in every row."""
    lines = (("Seed", "0", "1", "2"), ("Valid", "0.8452", "0.8421", "0.8333"), ("Test", "0.8052", "0.8021", "0.7933"))
    found = rows(tmp_path, rule(70, 712, 150) + table(*lines, width=39) + rule(70, 668, 150))
    assert found == list(lines)


def test_columns_as_near_as_words_are_parted_between_decimals(tmp_path: Path) -> None:
    """A number ends with its decimals; one that is grouped in thousands may go on behind a space."""
    lines = (("s1", "s2", "s3"), ("0.84", "0.85", "0.83"), ("0.65", "0.66", "0.67"))
    names = "".join(text(72, 690 - 14 * row, name) for row, name in enumerate(("with", "without")))
    page = rule(70, 714, 140) + table(*lines, top=704, left=130, width=22.5) + names + rule(70, 672, 140)
    assert rows(tmp_path, page) == [("", *lines[0]), ("with", *lines[1]), ("without", *lines[2])]


def test_columns_as_near_as_words_are_parted_below_their_names(tmp_path: Path) -> None:
    lines = (("Seed", "Valid", "Test"), ("1", "81.5", "79.40"), ("2", "80.5", "78.60"), ("all", "81.0", "79.00"))
    lefts = ((72, 98.5, 124), (72, 101.2, 124), (72, 101.2, 124), (72, 101.2, 124))
    page = "".join(
        text(left, 700 - 14 * row, cell)
        for row, cells in enumerate(lines)
        for left, cell in zip(lefts[row], cells, strict=True)
    )
    assert rows(tmp_path, text(72, 730, "The average 79.0 is of seeds 1 and 2.") + page) == list(lines)


@pytest.mark.parametrize(
    "lines", [("embedding 16 384 000", "positions 16 132 096"), ("of 79.3 and 80.1", "or 65.4 and 66.7")]
)
def test_numbers_below_each_other_are_no_table(tmp_path: Path, lines: tuple[str, ...]) -> None:
    assert rows(tmp_path, "".join(text(72, 700 - 14 * n, line) for n, line in enumerate(lines))) == []


def test_tables_side_by_side_are_two(tmp_path: Path) -> None:
    first = (("Seed", "Test"), ("0", "79.9"), ("1", "78.5"))
    second = (("Seed", "Test"), ("0", "65.4"), ("1", "66.7"))
    page = (
        rule(70, 712, 110) + table(*first, width=60) + rule(70, 668, 110)
        + rule(200, 712, 110) + table(*second, left=202, width=60) + rule(200, 668, 110)
    )  # fmt: skip
    found = blocks(tmp_path, page)
    assert [block.cells for block in found] == [*first, (), *second]


def test_tables_one_below_the_other_are_two(tmp_path: Path) -> None:
    first = (("Pretrained", "Test"), ("seed 0", "79.9"), ("seed 1", "78.5"))
    second = (("Random", "Test"), ("seed 0", "65.4"), ("seed 1", "66.7"))
    page = (
        rule(70, 712, 110) + table(*first) + rule(70, 668, 110)
        + rule(70, 662, 110) + table(*second, top=650) + rule(70, 618, 110)
    )  # fmt: skip
    assert [block.cells for block in blocks(tmp_path, page)] == [*first, (), *second]


def test_a_ruled_table_below_a_wider_one_takes_none_of_its_rows(tmp_path: Path) -> None:
    def ruled(lines: tuple[tuple[str, ...], ...], top: float, width: float) -> str:
        across, height = width * len(lines[0]), 14 * len(lines)
        flat = "".join(rule(70, top + 10 - 14 * row, across) for row in range(len(lines) + 1))
        upright = "".join(rule(70 + width * at, top + 10 - height, 0.4, height) for at in range(len(lines[0]) + 1))
        return flat + upright + table(*lines, top=top, width=width)

    first = (("start", "seed 1", "seed 2", "seed 3", "mean"), ("pretrained", "81.0", "80.0", "83.5", "81.5"))
    second = (("run_glue, seed", "test accuracy"), ("1", "80.35"), ("2", "79.10"))
    page = ruled(first, 700, 70) + text(120, 673, "Table 1. Accuracy.", size=8) + ruled(second, 655, 110)
    assert rows(tmp_path, page) == [*first, *second]


def test_cells_that_touch_are_parted_where_the_next_row_is(tmp_path: Path) -> None:
    page = (
        rule(70, 712, 300)
        + table(("Start", "Test"), ("at random", "0.6760"), width=177)
        + text(72, 672, "pretrained by masked language models")
        + text(249, 672, "0.7960")
        + rule(70, 668, 300)
    )
    expected = [("Start", "Test"), ("at random", "0.6760"), ("pretrained by masked language models", "0.7960")]
    assert rows(tmp_path, page) == expected


def test_a_name_in_the_middle_of_its_rows_stands_in_each(tmp_path: Path) -> None:
    head = rule(70, 712, 300) + table(("Start", "Seed", "Test"), top=700) + rule(70, 694, 300)
    body = (("", "0", "79.9"), ("Pretrained", "1", "78.5"), ("", "2", "80.1"))
    found = rows(tmp_path, head + table(*body, top=680) + rule(70, 646, 300))
    assert found == [("Start", "Seed", "Test"), *(("Pretrained", *cells) for _, *cells in body)]


def test_a_cell_in_the_middle_of_its_row_belongs_to_all_its_lines(tmp_path: Path) -> None:
    """As browsers set cells: without rules between the rows, which stand apart."""
    first = ("the rank of the update, which says", "how much may be learned by it, and", "how much memory it takes")
    second = ("which biases are trained with it,", "if any of them are")
    page = (
        rule(70, 712, 300)
        + text(72, 682, "r")
        + "".join(text(152, 694 - 12 * line, words) for line, words in enumerate(first))
        + text(72, 644, "bias")
        + "".join(text(152, 650 - 12 * line, words) for line, words in enumerate(second))
        + rule(70, 632, 300)
    )
    assert rows(tmp_path, page) == [("r", " ".join(first)), ("bias", " ".join(second))]


def test_narrow_cells_of_one_word_a_line_are_one_row(tmp_path: Path) -> None:
    """As browsers set them: every cell in the middle of its row, a figure parted from its sign."""
    names = (("small-", "model,", "fairseq"), ("random", "weights,", "fairseq"))
    page = rule(70, 730, 250) + table(("run", "seed 0", "std"), top=715) + rule(70, 710, 250)
    for number, (name, value) in enumerate(zip(names, ("79.85", "65.70"), strict=True)):
        top = 698 - 41 * number
        page += "".join(text(72, top - 12 * line, word) for line, word in enumerate(name))
        page += text(152, top - 12, value) + text(232, top - 6, "0.0093") + text(232, top - 18, "%")
    found = rows(tmp_path, page + rule(70, 620, 250))
    wanted = [(" ".join(name), value, "0.0093 %") for name, value in zip(names, ("79.85", "65.70"), strict=True)]
    assert found == [("run", "seed 0", "std"), *wanted]


def test_a_long_cell_without_rules_below_its_rows_is_one(tmp_path: Path) -> None:
    """As LaTeX sets columns of a given width: every line as far from the next."""
    page = (
        rule(70, 712, 300)
        + table(("Name", "Meaning"), ("r", "the rank of the update, which says"), ("", "how much is learned"), width=80)
        + table(("bias", "which biases are trained"), top=658)
        + rule(70, 650, 300)
    )
    expected = [("Name", "Meaning"), ("r", "the rank of the update, which says how much is learned")]
    assert rows(tmp_path, page) == [*expected, ("bias", "which biases are trained")]


def test_narrow_cells_go_on_below(tmp_path: Path) -> None:
    """Behind a sign that needs more, with a single word where other cells of the table go on, and in the head."""
    page = rule(70, 716, 250) + table(("", "seed", "seed"), ("Run", "0", "1"), top=704) + rule(70, 686, 250)
    page += table(("fairseq, given", "81.5 /", "80.0 /"), ("weights as they", "79.85", "78.55"), top=674)
    page += table(("were", "", ""), ("random", "66.5 /", "65.0 /"), ("weights", "65.85", "64.55"), top=646)
    assert rows(tmp_path, page + rule(70, 612, 250)) == [
        ("Run", "seed 0", "seed 1"),
        ("fairseq, given weights as they were", "81.5 / 79.85", "80.0 / 78.55"),
        ("random weights", "66.5 / 65.85", "65.0 / 64.55"),
    ]


def test_values_with_their_names_in_one_cell_are_one_row(tmp_path: Path) -> None:
    page = rule(70, 716, 250) + table(("Run", "given,", "random"), ("", "pretrained", "start"), top=704)
    page += rule(70, 686, 250) + table(("0", "79.85", "66.50"), ("", "M=79.85,", "M=66.50,"), top=674)
    page += table(("", "SD=0.0093", "SD=1.02"), ("", "%", ""), top=646) + rule(70, 628, 250)
    assert rows(tmp_path, page)[-1] == ("", "M=79.85, SD=0.0093 %", "M=66.50, SD=1.02")


def test_a_cell_that_is_drawn_over_the_next_one_is_its_own(tmp_path: Path) -> None:
    lines = (("r", "16", "rank"), ("target_modules_of_it", "[qkv]", "where"), ("bias", "none", "frozen"))
    page = rule(70, 712, 300) + table(*lines, width=70) + rule(70, 666, 300)
    assert rows(tmp_path, page) == list(lines)


def test_a_name_over_several_columns_reaches_as_far_as_its_rule(tmp_path: Path) -> None:
    page = (
        rule(70, 732, 400)
        + text(232, 720, "Valid")
        + rule(150, 716, 190)
        + table(("Seed", "1", "2", "3", "Test"), ("0", "76.0", "75.0", "76.5", "77.9"), top=706)
        + rule(70, 686, 400)
    )
    assert rows(tmp_path, page)[0] == ("", "Valid", "Valid", "Valid", "")


def test_a_table_drawn_with_pipes_has_its_cells(tmp_path: Path) -> None:
    drawn = ("| Seed | Valid | Test |", "|------|-------|------|", "| 0    | 81.5  | 79.9 |", "| 1    |       | 78.5 |")
    page = "".join(text(72, 700 - 12 * row, line, font="F3") for row, line in enumerate(drawn))
    assert [block.cells for block in blocks(tmp_path, page)] == [
        ("Seed", "Valid", "Test"),
        ("0", "81.5", "79.9"),
        ("1", "", "78.5"),
    ]


def test_a_bar_of_a_printed_table_parts_columns(tmp_path: Path) -> None:
    printed = ("           seed0   seed1 | count   mean", "first      79.25   78.50 |     2  78.88")
    printed = (*printed, "second     64.35   67.20 |     2  65.78")
    page = "".join(text(72, 700 - 12 * row, line, font="F3") for row, line in enumerate(printed))
    assert rows(tmp_path, page) == [
        ("", "seed0", "seed1", "count", "mean"),
        ("first", "79.25", "78.50", "2", "78.88"),
        ("second", "64.35", "67.20", "2", "65.78"),
    ]


def test_an_absolute_value_is_no_table(tmp_path: Path) -> None:
    (block,) = blocks(tmp_path, text(72, 700, "|x - y|"))
    assert block.kind is BlockKind.LINE


def test_words_at_both_margins_are_no_table(tmp_path: Path) -> None:
    page = text(72, 750, "Lab 4") + text(500, 750, "Group B") + text(72, 700, "A line of running text. " * 4)
    assert [block.kind for block in blocks(tmp_path, page)] == [BlockKind.LINE] * 2


def test_a_line_drawn_out_to_the_full_width_is_no_table(tmp_path: Path) -> None:
    drawn = ("[(for) -3000 (seed) -3000 (2:) -3400 (80.1) -3000 (%,) -3600 (on) -3000 (average) -3000 (79.3)] TJ",)
    drawn += ("[(and) -5000 (a) -5000 (standard) -5000 (deviation) -5000 (of)] TJ",)
    page = "".join(f"BT /F1 10 Tf 72 {700 - 14 * row} Td {line} ET\n" for row, line in enumerate(drawn))
    found = [(block.kind, block.text) for block in blocks(tmp_path, page)]
    assert found == [
        (BlockKind.LINE, "for seed 2: 80.1 %, on average 79.3"),
        (BlockKind.LINE, "and a standard deviation of"),
    ]


def test_what_is_drawn_through_the_words_of_a_table_parts_no_columns(tmp_path: Path) -> None:
    lines = (("parameter", "lora_alpha", "dropout"), ("value", "32", "0.05"))
    bar = rule(70, 680, 12) + rule(82, 680, 160) + rule(242, 680, 30)
    page = table(*lines) + rule(70, 712, 202) + rule(70, 694, 202) + bar
    assert rows(tmp_path, page) == list(lines)


def test_a_list_of_contents_is_no_table(tmp_path: Path) -> None:
    lines = "".join(
        text(72, 700 - 14 * n, f"2.{n}")
        + text(100, 700 - 14 * n, f"Part {n} {'. ' * 20}")
        + text(350, 700 - 14 * n, "1")
        for n in range(3)
    )
    assert [block.kind for block in blocks(tmp_path, lines)] == [BlockKind.LINE] * 3


@pytest.mark.parametrize(("left", "right"), ["()", "[]", "||"])
def test_a_matrix_between_tall_brackets_is_no_table(tmp_path: Path, left: str, right: str) -> None:
    page = text(150, 712, "1") + text(180, 712, "2") + text(100, 700, f"A = {left}") + text(210, 700, right)
    page += text(150, 688, "3") + text(180, 688, "4")
    assert BlockKind.ROW not in {block.kind for block in blocks(tmp_path, page)}


def test_a_matrix_of_three_rows_is_no_table(tmp_path: Path) -> None:
    """Its bracket stands in the middle row, as TeX sets it."""
    page = text(130, 712, "1") + text(170, 712, "2") + text(100, 700, "A = (4") + text(170, 700, "5) x")
    page += text(130, 688, "7") + text(170, 688, "8")
    assert BlockKind.ROW not in {block.kind for block in blocks(tmp_path, page)}


def test_a_value_that_goes_on_in_the_next_line_is_in_a_table(tmp_path: Path) -> None:
    page = table(("Setting", "Meaning"), ('modules=["query_key_', "what is adapted"), ('value"]', "in attention"))
    assert BlockKind.ROW in {block.kind for block in blocks(tmp_path, page)}


def test_cells_that_touch_are_parted_without_rules_too(tmp_path: Path) -> None:
    page = table(("Start", "Test accuracy"), ("at random", "0.6760 ± 0.0078"), width=177)
    page += text(72, 672, "pretrained by masked language models") + text(249, 672, "0.7960 ± 0.0137")
    expected = [("Start", "Test accuracy"), ("at random", "0.6760 ± 0.0078")]
    assert rows(tmp_path, page) == [*expected, ("pretrained by masked language models", "0.7960 ± 0.0137")]


def test_captions_beside_each_other_stand_with_their_own_tables(tmp_path: Path) -> None:
    lines = (("Seed", "Test"), ("0", "79.3"), ("1", "78.5"))
    page = "".join(
        rule(left - 2, 712, 110) + table(*lines, left=left) + rule(left - 2, 666, 110) + text(left, 650, caption)
        for left, caption in ((72, "Table 1: The pretrained model"), (340, "Table 2: Random weights"))
    )
    found = [(block.kind, block.text) for block in blocks(tmp_path, page)]
    assert [text for kind, text in found if kind is BlockKind.CAPTION] == [
        "Table 1: The pretrained model",
        "Table 2: Random weights",
    ]
    assert [kind for kind, _ in found[:4]] == [*[BlockKind.ROW] * 3, BlockKind.CAPTION]


def test_names_beside_the_middle_of_their_groups_stand_beside_each_row(tmp_path: Path) -> None:
    """As `\\multirow` sets them, in the first column and in the second, with a short rule between the groups."""
    lines = (
        ("", "", "0", "79.3"), ("", "pretrained", "1", "78.5"), ("fairseq", "", "2", "80.1"),
        ("", "", "0", "65.4"), ("", "random", "1", "66.7"), ("", "", "2", "67.4"),
    )  # fmt: skip
    head = ("Framework", "Init", "Seed", "Test")
    rules = rule(70, 726, 330) + rule(70, 710, 330) + rule(150, 668, 250) + rule(70, 624, 330)
    _, *found = rows(tmp_path, rules + table(head, *lines, top=714))
    names = ["pretrained"] * 3 + ["random"] * 3
    assert found == [("fairseq", name, *cells[2:]) for name, cells in zip(names, lines, strict=True)]


def test_a_remark_beside_one_row_is_of_that_row(tmp_path: Path) -> None:
    lines = (("0", "79.3", ""), ("1", "78.5", "restarted"), ("2", "80.1", ""))
    found = rows(tmp_path, rule(70, 712, 250) + table(*lines) + rule(70, 668, 250))
    assert found == list(lines)


def test_rules_that_stand_on_both_sides_of_a_flat_one_part_columns(tmp_path: Path) -> None:
    """LaTeX's `r|rr|rr` with a single `\\hline`, whose cells stand close to each other."""
    lines = (("seed", "0", "1", "mean", "sd"), ("epoch", "4", "2", "", ""), ("test", "65.40", "66.70", "66.05", "0.65"))
    at = (72, 110, 146, 182, 218)
    page = "".join(
        text(x, 700 - 12 * row, cell)
        for row, cells in enumerate(lines)
        for x, cell in zip(at, cells, strict=True)
        if cell
    )
    standing = "".join(rule(x, 697 - 12 * row, 0.4, 12) for row in range(3) for x in (104, 178))
    assert rows(tmp_path, page + standing + rule(70, 697, 180)) == list(lines)


def test_a_name_in_two_words_goes_on_where_another_cell_of_its_row_does(tmp_path: Path) -> None:
    """A narrow first column, in which each line holds one word."""
    page = (
        rule(70, 715, 300)
        + table(("Where", "Answer", "So"), ("Q2 r", "the rank of both", "16"))
        + table(("Q2", "what it is added", "2"), ("lora_alpha", "with", ""), top=672)
        + rule(70, 655, 300)
    )
    assert rows(tmp_path, page)[-1] == ("Q2 lora_alpha", "what it is added with", "2")


def test_a_line_that_names_a_task_and_begins_a_second_sentence_is_text(tmp_path: Path) -> None:
    page = text(72, 700, "Task 3. See A. I looked at the validation accuracy, and the epoch that") + text(
        72, 688, "has the highest was taken for each seed."
    )
    assert [block.kind for block in blocks(tmp_path, page)] == [BlockKind.LINE, BlockKind.LINE]
    assert blocks(tmp_path, text(72, 700, "Task 3. Which epoch is the best one of all"))[0].kind is BlockKind.HEADING


HEAD = ("run", "sense", "accuracy")


def test_a_table_that_goes_on_below_its_header_on_the_next_page_is_one(tmp_path: Path) -> None:
    """As browsers and word processors print it: a row may be parted too."""
    first = table(HEAD, ("one", "the model that", "79.3"), top=90)
    second = table(HEAD, ("", "knows words", "on test"), ("two", "another", "65.4"), top=740)
    read = blocks(tmp_path, first, second)
    whole = ("one", "the model that knows words", "79.3 on test")
    assert [(block.cells, block.text) for block in read] == [
        (cells, "\t".join(cells)) for cells in (HEAD, whole, ("two", "another", "65.4"))
    ]


def test_tables_of_one_header_with_words_between_them_are_two(tmp_path: Path) -> None:
    one, two = (table(HEAD, ("one", "the model", value), top=90) for value in ("79.3", "65.4"))
    read = blocks(tmp_path, one + text(72, 60, "These were runs of the first kind."), two)
    assert [block.cells for block in read].count(HEAD) == 2


def test_a_head_whose_names_almost_touch_stands_in_its_table(tmp_path: Path) -> None:
    """A browser draws every border by itself, so that upright ones begin at each flat one."""
    edges, heights = (72, 95.6, 135), (714, 698, 682, 666)
    flat = "".join(rule(a, y, b - a) for y in heights for a, b in pairwise(edges))
    upright = "".join(rule(x, below, 0.4, above - below + 0.4) for x in edges for above, below in pairwise(heights))
    lines = (("seed", "fairseq"), ("1", "79.3"), ("2", "78.5"))
    assert rows(tmp_path, flat + upright + table(*lines, top=702, left=73, width=24)) == list(lines)


def test_cells_that_almost_touch_are_parted_where_their_rules_meet(tmp_path: Path) -> None:
    """A browser draws the rule below each cell by itself, and sets words close to its ends."""
    widths = (72, 150, 228, 400)

    def line(y: float) -> str:
        return "".join(rule(a, y, b - a) for a, b in pairwise(widths))

    long = ("which of all the layers", "are those that get one", "beside what they are")
    page = line(720) + "".join(text(x + 4, 706, word) for x, word in zip(widths, ("a", "b", "c"), strict=False))
    page += line(700) + text(76, 676, "modules_here") + text(154, 676, "query_or_value")
    page += "".join(text(232, 688 - 12 * number, words) for number, words in enumerate(long)) + line(658)
    assert rows(tmp_path, page) == [("a", "b", "c"), ("modules_here", "query_or_value", " ".join(long))]


def test_code_with_a_comment_behind_a_line_is_no_table(tmp_path: Path) -> None:
    page = text(72, 700, "runs = {1: 79.3, 2: 80.1}", font="F3") + text(260, 700, "# the third broke", font="F3")
    assert not rows(tmp_path, page + table(("mean 79.7", "", "two of them"), top=686, width=94))


def test_a_long_cell_beside_rules_across_is_no_column_of_the_page(tmp_path: Path) -> None:
    """On a page that holds little else, where words of the other columns stand above and below it."""
    rest = [f"words of line {number} of its sense" for number in range(5)]
    head = ("a name that is long", "a value that is long")
    page = "".join(rule(70, y, 420) for y in (740, 720, 700, 634)) + table(head, head[::-1], top=726, width=110)
    page += text(72, 664, head[0]) + text(182, 664, head[1])
    page += "".join(text(330, 688 - 12 * number, words) for number, words in enumerate(rest))
    page += "".join(text(72, y, "some words of text that stands below it") for y in (600, 588, 576, 564))
    assert rows(tmp_path, page)[-1] == (*head, " ".join(rest))


def test_a_table_that_the_file_marks_needs_no_lines_and_no_room(tmp_path: Path) -> None:
    import weasyprint

    page = (
        "<style>td, th { padding: 0 1px; text-align: left } table { border-spacing: 1px }</style><p>Text before.</p>"
        "<table><tr><th rowspan=2>Name<th colspan=2>Of LoRA</tr><tr><th>Value<th>Meaning</tr>"
        "<tr><td>lora_dropout<td>0.05<td>probability of<br>dropout</tr><tr><td>bias<td>none<td>no bias is trained</tr>"
        "</table>"
    )
    tagged: bytes = weasyprint.HTML(string=f"<html lang=en>{page}").write_pdf(pdf_tags=True)
    found = read_pdf(submitted(tmp_path, "report.pdf", tagged)).blocks
    assert [block.cells for block in found if block.kind is BlockKind.ROW] == [
        ("", "Of LoRA", "Of LoRA"),
        ("Name", "Value", "Meaning"),
        ("lora_dropout", "0.05", "probability of dropout"),
        ("bias", "none", "no bias is trained"),
    ]


def printed(folder: Path, html: str) -> list[str | tuple[str, ...]]:
    """The cells of rows and the texts of all other blocks of a web page that was printed, with its tags."""
    import weasyprint

    tagged: bytes = weasyprint.HTML(string=f"<html lang=en>{html}").write_pdf(pdf_tags=True)
    return [block.cells or block.text for block in read_pdf(submitted(folder, "report.pdf", tagged)).blocks]


def test_the_head_of_a_marked_table_is_kept_whose_corner_is_empty_and_whose_rules_begin_below_it(
    tmp_path: Path,
) -> None:
    page = (
        "<style>td { border-top: 1px solid; border-bottom: 1px solid } table { border-collapse: collapse }</style>"
        "<p>Text before.<table><tr><th>run 1<th>run 2<th>mean</tr><tr><td>test, best model on validation"
        "<td>80.15<td>79.30<td>79.73</tr></table>"
    )
    assert printed(tmp_path, page.replace("<tr><th>", "<tr><td style='border: 0'><th>"))[1:] == [
        ("", "run 1", "run 2", "mean"),
        ("test, best model on validation", "80.15", "79.30", "79.73"),
    ]


CARDS = (
    "<style>.row {{ display: flex; gap: 8px }} .row div {{ {border}; padding: 6px; width: 200px }}</style><p>Results."
    "<div class=row><div>Pretrained<ul><li>seed 1: 80.2<li>seed 2: 79.0</ul>mean 79.6</div>"
    "<div>Random<ul><li>seed 1: 66.9<li>seed 2: 65.2</ul>mean 66.05</div></div><p>Pretraining helps."
)


@pytest.mark.parametrize("border", ["border: 1px solid; border-radius: 8px", "background: #eee"])
def test_cards_side_by_side_are_read_one_after_the_other(tmp_path: Path, border: str) -> None:
    found = [
        re.sub(r"\W+", " ", one).strip()
        for one in printed(tmp_path, CARDS.format(border=border))
        if isinstance(one, str)
    ]
    assert found == [
        "Results",
        *("Pretrained", "seed 1 80 2", "seed 2 79 0", "mean 79 6"),
        *("Random", "seed 1 66 9", "seed 2 65 2", "mean 66 05"),
        "Pretraining helps",
    ]


@pytest.mark.parametrize(("words", "is_caption"), [("Accuracy on test", True), ("of the two models", False)])
def test_a_line_below_the_middle_of_a_table_is_its_caption(tmp_path: Path, words: str, is_caption: bool) -> None:
    html = (
        "<style>td { padding: 0 20px } table { margin: auto; text-align: center }</style><p>A paragraph of some words "
        "goes from the left edge to the right one and shows where the margins are, so that the middle can be told."
        "<table><tr><td>seed 1<td>seed 2</tr><tr><td>79.35<td>80.15</tr></table>"
        f"<p style='text-align: center; margin: 2px'>{words}"
    )
    import weasyprint

    plain: bytes = weasyprint.HTML(string=html).write_pdf()
    last = read_pdf(submitted(tmp_path, "report.pdf", plain)).blocks[-1]
    assert (last.text, last.kind is BlockKind.CAPTION) == (words, is_caption)

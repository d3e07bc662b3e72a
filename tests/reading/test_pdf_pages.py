"""What is furniture of a PDF's pages, what is a figure, and in which order a page is read."""

from pathlib import Path

import pytest

from grader.reading.document import BlockKind, Document
from grader.reading.pdf import read_pdf
from tests.reading.making import curve, pdf, picture, rule, submitted, text

BODY = text(72, 680, "Some text in the body,") + text(72, 668, "and a second line of it.")


def read(folder: Path, *pages: str) -> Document:
    return read_pdf(submitted(folder, "report.pdf", pdf(*pages)))


def texts(document: Document) -> list[str]:
    return [block.text for block in document.blocks]


def furniture(document: Document) -> list[tuple[int | None, str]]:
    return [(block.page, block.text) for block in document.furniture]


def test_running_heads_and_feet_are_furniture(tmp_path: Path) -> None:
    pages = [
        text(72, 740, "Lab 4") + text(480, 740, "A student") + BODY + text(280, 40, f"Page {number} of 3")
        for number in (1, 2, 3)
    ]
    document = read(tmp_path, *pages)
    assert furniture(document) == [
        (number, words) for number in (1, 2, 3) for words in ("Lab 4 A student", f"Page {number} of 3")
    ]
    assert texts(document) == ["Some text in the body,", "and a second line of it."] * 3


def test_a_head_on_one_page_is_content(tmp_path: Path) -> None:
    document = read(tmp_path, text(72, 740, "Lab 4") + BODY, BODY)
    assert document.furniture == ()
    assert texts(document)[0] == "Lab 4"


def test_results_at_the_same_place_are_content(tmp_path: Path) -> None:
    """They differ by more than their pages' numbers do."""
    pages = [BODY + text(72, 60, f"Total = {total}") for total in (22807552, 22829056)]
    document = read(tmp_path, *pages)
    assert document.furniture == ()
    assert texts(document)[2::3] == ["Total = 22807552", "Total = 22829056"]


def test_a_table_that_goes_on_keeps_its_head(tmp_path: Path) -> None:
    """The same line at the top of both pages, but close to what stands below it."""
    head = text(72, 720, "Seed") + text(172, 720, "Test")
    rows = [text(72, 706, str(seed)) + text(172, 706, value) for seed, value in ((1, "79.9"), (2, "78.5"))]
    document = read(tmp_path, *(head + row + text(72, 600, "Text.") for row in rows))
    assert document.furniture == ()


def test_the_same_line_in_the_middle_of_pages_is_content(tmp_path: Path) -> None:
    document = read(tmp_path, *(text(72, 400, "Bias: none") for _ in range(3)))
    assert texts(document) == ["Bias: none"] * 3


def test_a_number_next_to_the_text_is_content(tmp_path: Path) -> None:
    document = read(tmp_path, BODY + text(72, 60, "The answer is") + text(72, 48, "16"))
    assert texts(document)[-1] == "16"


def test_a_page_number_may_stand_higher_where_it_counts_the_pages(tmp_path: Path) -> None:
    """As on A4 with LaTeX's text of letter paper; any other number there is content."""
    numbered = read(tmp_path, *(BODY + text(300, 140, str(number)) for number in (1, 2)))
    assert furniture(numbered) == [(1, "1"), (2, "2")]
    answered = read(tmp_path, BODY + text(300, 140, "16"), BODY + text(300, 140, "8"))
    assert answered.furniture == ()


def test_captions_go_on_over_their_lines(tmp_path: Path) -> None:
    page = (
        text(72, 700, "Figure 1: The accuracy of all three of the seeds on")
        + text(72, 688, "the test set.")
        + text(72, 664, "Figure 1 shows that the model learns.")
        + text(72, 640, "Table 2 – Means and deviations", font="F2")
    )
    assert [(block.kind, block.text.split()[0]) for block in read(tmp_path, page).blocks] == [
        (BlockKind.CAPTION, "Figure"),
        (BlockKind.CAPTION, "the"),
        (BlockKind.LINE, "Figure"),
        (BlockKind.CAPTION, "Table"),
    ]


def test_a_caption_may_go_on_further_right_where_a_long_word_found_no_place(tmp_path: Path) -> None:
    def kinds(second: str) -> list[BlockKind]:
        page = text(72, 700, "Table 3. The pretrained model: test", font="F2") + text(72, 688, second, font="F2")
        return [block.kind for block in read(tmp_path, page).blocks]

    assert kinds("accuracies (%) of the best checkpoints") == [BlockKind.CAPTION] * 2
    assert kinds("as it is on all of the checkpoints that we have") != [BlockKind.CAPTION] * 2


def test_a_picture_stands_between_its_lines(tmp_path: Path) -> None:
    page = text(72, 700, "Before.") + picture(100, 400, 300, 200) + text(72, 380, "Figure 1: After.")
    before, figure, after = read(tmp_path, page).blocks
    assert (before.text, after.text) == ("Before.", "Figure 1: After.")
    assert (figure.kind, figure.text, figure.page) == (BlockKind.FIGURE, "", 1)
    assert figure.box == pytest.approx((100, 192, 400, 392), abs=0.5)


def test_a_plot_is_one_figure_and_its_ticks_are_no_table(tmp_path: Path) -> None:
    axes = rule(100, 500, 300) + "100 500 0.4 150 re f\n"
    seeds = curve((100, 510), (180, 560), (300, 600)) + curve((100, 505), (180, 520), (300, 540))
    ticks = text(110, 504, "0", size=7) + text(200, 504, "500", size=7) + text(290, 504, "1000", size=7)
    page = text(72, 700, "Before.") + axes + seeds + ticks + text(72, 450, "After.")
    kinds = [block.kind for block in read(tmp_path, page).blocks]
    assert kinds == [BlockKind.LINE, BlockKind.FIGURE, BlockKind.LINE, BlockKind.LINE]


def test_a_table_with_lines_around_its_cells_is_no_figure(tmp_path: Path) -> None:
    grid = "".join(rule(70, 694 - 14 * row, 140) for row in range(4))
    grid += "".join(f"{70 + 70 * column} 652 0.4 42 re f\n" for column in range(3))
    cells = "".join(
        text(75 + 70 * column, 684 - 14 * row, cell)
        for row, cells in enumerate((("Seed", "Test"), ("1", "79.9"), ("2", "78.5")))
        for column, cell in enumerate(cells)
    )
    blocks = read(tmp_path, grid + cells).blocks
    assert [(block.kind, block.cells) for block in blocks] == [
        (BlockKind.ROW, ("Seed", "Test")),
        (BlockKind.ROW, ("1", "79.9")),
        (BlockKind.ROW, ("2", "78.5")),
    ]


def test_signs_and_backgrounds_are_no_figures(tmp_path: Path) -> None:
    document = read(tmp_path, picture(0, 0, 612, 792) + picture(72, 710, 12, 12) + BODY)
    assert [block.kind for block in document.blocks] == [BlockKind.LINE, BlockKind.LINE]


def test_a_scan_has_no_blocks_at_all(tmp_path: Path) -> None:
    document = read(tmp_path, picture(50, 50, 500, 600))
    assert document.blocks == ()
    assert "no text" in document.problems[0]


def columns(top: float, lines: int) -> str:
    return "".join(
        text(x, top - 12 * line, f"{side} column of the page, line {line}")
        for x, side in ((72, "left"), (320, "right"))
        for line in range(lines)
    )


def test_columns_under_a_running_head(tmp_path: Path) -> None:
    """The head stands left and right of the gutter, and is drawn last."""
    pages = [
        columns(700, 8) + text(72, 750, "Lab 4") + text(500, 750, "A student") + text(300, 40, f"{number}")
        for number in (1, 2)
    ]
    document = read(tmp_path, *pages)
    assert [line.split()[0] for line in texts(document)] == (["left"] * 8 + ["right"] * 8) * 2
    assert {words for _, words in furniture(document)} == {"Lab 4 A student", "1", "2"}


def test_what_is_too_wide_for_its_column_stays_in_it(tmp_path: Path) -> None:
    """Code and a table of the left column are drawn over the right one, which has words of its own there."""
    code = text(72, 640, "config = Config(rank=16, alpha=32, modules=one_long_name)", font="F3")
    rows = "".join(
        text(x, y, words)
        for y, cells in ((616, ("Run", "Valid", "Test")), (600, ("First one", "82.5", "79.9")))
        for x, words in zip((72, 220, 380), cells, strict=True)
    )
    wide = rule(72, 628, 340) + rule(72, 611, 340) + rows + rule(72, 594, 340)
    column = [text(72, 700 - 12 * line, f"left column of the page, line {line}") for line in range(5)]
    column += [code, wide, *(text(72, 570 - 12 * line, f"left column again, line {line}") for line in range(4))]
    other = [text(320, 700 - 12 * line, f"right column of the page, line {line}") for line in range(12)]
    document = read(tmp_path, "".join([*column, *other, text(300, 40, "1")]))
    assert [line.split()[0] for line in texts(document)] == (
        ["left"] * 5 + ["config", "Run", "First"] + ["left"] * 4 + ["right"] * 12
    )
    assert [block.cells for block in document.blocks if block.cells] == [
        ("Run", "Valid", "Test"),
        ("First one", "82.5", "79.9"),
    ]


def test_columns_of_a_table_drawn_one_after_the_other_stay_beside_each_other(tmp_path: Path) -> None:
    """Below text that reaches over both."""
    body = "".join(text(72, 700 - 12 * line, f"This line of text {line} " + "goes on and on " * 5) for line in range(9))
    cells = "".join(text(x, 560 - 14 * row, f"{name}{row}") for x, name in ((72, "r"), (360, "c")) for row in range(5))
    assert texts(read(tmp_path, body + cells))[-5:] == [f"r{row}\tc{row}" for row in range(5)]


def test_what_repeats_at_the_very_edge_is_furniture_beside_the_text(tmp_path: Path) -> None:
    """As a browser prints pages: its address is as near to the last row of a table as the rows are to each other."""
    pages = [
        text(72, 600, "Some text.")
        + text(72, 400, "More.")
        + text(72, 34, f"{seed} 79.9")
        + text(24, 20, f"file:///report.html {number}/2", size=8)
        for number, seed in ((1, 7), (2, 9))
    ]
    document = read(tmp_path, *pages)
    assert furniture(document) == [(number, f"file:///report.html {number}/2") for number in (1, 2)]
    assert texts(document)[2::3] == ["7 79.9", "9 79.9"]


def test_a_drawn_disc_or_square_before_words_is_a_bullet(tmp_path: Path) -> None:
    """Browsers draw the marks of lists. A square behind words is none, nor is one that is as high as a letter."""
    items = ("run one: 79.3", "run two: 80.1")
    page = "".join(
        rule(76, 702 - 14 * number, 3.4, 3.4) + text(86, 700 - 14 * number, item) for number, item in enumerate(items)
    )
    others = text(72, 600, "This is proved.") + rule(150, 602, 3.4, 3.4) + rule(72, 579, 9, 9) + text(86, 580, "a box")
    found = [(block.kind, block.text) for block in read(tmp_path, page + others).blocks]
    assert found == [
        *((BlockKind.LIST_ITEM, f"• {item}") for item in items),
        *((BlockKind.LINE, line) for line in ("This is proved.", "a box")),
    ]

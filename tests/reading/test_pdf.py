"""What comes out of a PDF: lines, formulas, tables and titles, with their places."""

from pathlib import Path

import pytest

from grader.reading.document import BlockKind, Document
from grader.reading.pdf import read_pdf
from tests.reading.making import pdf, submitted, text


def read(folder: Path, *pages: str, page_entries: str = "") -> Document:
    return read_pdf(submitted(folder, "report.pdf", pdf(*pages, page_entries=page_entries)))


def texts(document: Document) -> list[str]:
    return [block.text for block in document.blocks]


def test_lines_have_page_and_box_from_the_top_left(tmp_path: Path) -> None:
    document = read(tmp_path, text(72, 700, "First page"), text(100, 92, "Second page"))

    first, second = document.blocks
    assert (first.text, first.page, second.text, second.page) == ("First page", 1, "Second page", 2)
    assert first.box is not None
    left, top, right, bottom = first.box
    assert left == pytest.approx(72, abs=0.5)
    assert top == pytest.approx(84.5, abs=0.5)
    assert bottom == pytest.approx(94.5, abs=0.5)
    assert 110 < right < 130
    assert not document.exact
    assert (document.pages, document.problems) == (2, ())


def test_a_turned_page_is_read_as_it_is_shown(tmp_path: Path) -> None:
    sideways = "BT /F1 10 Tf 0 1 -1 0 100 72 Tm (Turned with its page) Tj ET\n"
    document = read(tmp_path, sideways, page_entries="/Rotate 90")

    (block,) = document.blocks
    assert block.text == "Turned with its page"
    assert block.box is not None
    assert block.box[0] == pytest.approx(72, abs=1)
    assert block.box[1] == pytest.approx(92.5, abs=1)


def test_the_crop_box_is_the_page(tmp_path: Path) -> None:
    document = read(tmp_path, text(72, 700, "Cropped"), page_entries="/CropBox [50 100 500 750]")

    box = document.blocks[0].box
    assert box is not None
    assert box[:2] == (pytest.approx(22, abs=0.5), pytest.approx(42.5, abs=0.5))


def test_text_written_sideways_comes_after_the_upright(tmp_path: Path) -> None:
    sideways = "BT /F1 10 Tf 0 1 -1 0 40 300 Tm (Axis label) Tj ET\n"
    assert texts(read(tmp_path, sideways + text(72, 700, "Upright"))) == ["Upright", "Axis label"]


def test_powers_and_indices_are_marked(tmp_path: Path) -> None:
    formula = (
        text(72, 700, "512")
        + text(88.7, 703.6, "2", size=7)
        + text(96, 700, "x d")
        + text(109.6, 698.5, "model", size=7)
        + text(132, 700, "= 1")
    )
    assert texts(read(tmp_path, formula)) == ["512^{2} x d_{model} = 1"]


def test_power_above_index_stays_on_its_line(tmp_path: Path) -> None:
    formula = (
        text(72, 700, "Dim")
        + text(90, 704, "2", size=7)
        + text(90, 697.5, "embed", size=7)
        + text(114, 700, "= 262144")
    )
    assert texts(read(tmp_path, formula)) == ["Dim^{2}_{embed} = 262144"]


def test_an_index_may_have_an_index(tmp_path: Path) -> None:
    formula = (
        text(72, 700, "R")
        + text(79.3, 703.6, "d", size=7)
        + text(83.3, 702.6, "k", size=5)
        + text(86, 703.6, "h", size=7)
    )
    assert texts(read(tmp_path, formula)) == ["R^{d_{k}h}"]


def test_smaller_text_on_the_same_baseline_is_no_index(tmp_path: Path) -> None:
    assert texts(read(tmp_path, text(72, 700, "see") + text(91, 700, "train.py", size=8, font="F3"))) == [
        "see train.py"
    ]


def test_a_footnote_is_not_an_index_of_the_line_above(tmp_path: Path) -> None:
    page = text(72, 120, "The last line of the text") + text(72, 110, "a note in small print", size=7)
    assert texts(read(tmp_path, page)) == ["The last line of the text", "a note in small print"]


def test_thin_spaces_in_a_number_are_not_spaces(tmp_path: Path) -> None:
    """TeX sets a comma in a formula with 1/6 em behind it."""
    page = "BT /F1 10 Tf 72 700 Td [(1,) -167 (050,) -167 (624)] TJ ET\n" + text(72, 680, "512, 128 and 64")
    assert texts(read(tmp_path, page)) == ["1,050,624", "512, 128 and 64"]


def test_words_set_with_gaps_instead_of_spaces(tmp_path: Path) -> None:
    page = "BT /F1 10 Tf 72 700 Td [(The) -230 (total) -333 (is) -230 (22829056)] TJ ET\n"
    assert texts(read(tmp_path, page)) == ["The total is 22829056"]


def test_an_underscore_drawn_as_a_rule_is_restored(tmp_path: Path) -> None:
    page = text(72, 700, "lora") + "89.3 699.9 3 0.4 re f\n" + text(92.9, 700, "alpha")
    assert texts(read(tmp_path, page)) == ["lora_alpha"]


def test_a_rule_below_a_word_is_no_underscore(tmp_path: Path) -> None:
    page = text(72, 700, "lora alpha") + "72 698.9 10 0.4 re f\n"
    assert texts(read(tmp_path, page)) == ["lora alpha"]


def test_accents_drawn_over_their_letters_are_composed(tmp_path: Path) -> None:
    """TeX's older fonts draw the accent, step back, and draw the letter."""
    page = "BT /F1 10 Tf 72 700 Td [(mod) -100 (´) 445 (ele)] TJ ET\n"
    assert texts(read(tmp_path, page)) == ["modéle"]


def test_a_table_becomes_rows_with_cells(tmp_path: Path) -> None:
    rows = (("Seed", "Valid", "Test"), ("0", "81.5", "79.9"), ("1", "80.0", "78.5"))
    page = "".join(
        text(72 + 70 * column, 700 - 14 * row, cell)
        for row, cells in enumerate(rows)
        for column, cell in enumerate(cells)
    )
    blocks = read(tmp_path, page).blocks
    assert [block.cells for block in blocks] == list(rows)
    assert {block.kind for block in blocks} == {BlockKind.ROW}
    assert blocks[1].text == "0\t81.5\t79.9"


def test_a_tight_table_is_known_by_its_neighbouring_rows(tmp_path: Path) -> None:
    """A gap of one em parts cells only where the next row has it too."""
    table = text(72, 700, "seed 1") + text(112, 700, "79.9") + text(72, 686, "seed 2") + text(112, 686, "78.5")
    alone = text(72, 600, "seed 1") + text(112, 600, "79.9")
    blocks = read(tmp_path, table + text(72, 640, "Between them a line of running text") + alone).blocks
    assert [block.kind for block in blocks] == [BlockKind.ROW, BlockKind.ROW, BlockKind.LINE, BlockKind.LINE]


def test_the_number_of_an_equation_makes_no_table(tmp_path: Path) -> None:
    (block,) = read(tmp_path, text(150, 700, "= 32000 x 512") + text(520, 700, "(2)")).blocks
    assert (block.kind, block.text, block.cells) == (BlockKind.LINE, "= 32000 x 512\t(2)", ())


def test_two_columns_are_read_one_after_the_other(tmp_path: Path) -> None:
    left = "".join(text(72, 700 - 12 * i, f"left column of the page, line {i}") for i in range(6))
    right = "".join(text(320, 700 - 12 * i, f"right column of the page, line {i}") for i in range(6))
    page = (
        text(72, 740, "A title over both of the columns of this page, from margin to margin, as usual") + left + right
    )
    found = texts(read(tmp_path, page))
    assert found[0].startswith("A title")
    assert [line.split()[0] for line in found[1:]] == ["left"] * 6 + ["right"] * 6


def test_titles_items_and_plain_lines(tmp_path: Path) -> None:
    page = (
        text(72, 740, "1 Question 1", size=14, font="F2")
        + text(72, 720, "We count all the weights of the model in what follows.")
        + text(72, 700, "1.1 Positions", font="F2")
        + text(72, 680, "• the first item")
        + text(72, 660, "2 Task 3 & 4")
        + text(72, 640, "512 is the dimension of all the layers in this model.")
    )
    blocks = read(tmp_path, page).blocks
    assert [(block.kind, block.level) for block in blocks] == [
        (BlockKind.HEADING, 1),
        (BlockKind.LINE, None),
        (BlockKind.HEADING, 2),
        (BlockKind.LIST_ITEM, None),
        (BlockKind.HEADING, 1),
        (BlockKind.LINE, None),
    ]


def test_a_title_may_stand_far_from_its_number(tmp_path: Path) -> None:
    page = (
        text(72, 700, "2", size=14, font="F2")
        + text(110, 700, "Results", size=14, font="F2")
        + text(72, 680, "Here they are, in the running size of this text.")
    )
    title = read(tmp_path, page).blocks[0]
    assert (title.kind, title.text, title.level) == (BlockKind.HEADING, "2 Results", 1)


@pytest.mark.parametrize(("size", "kind"), [(14, BlockKind.HEADING), (10, BlockKind.LINE)])
def test_the_short_name_of_a_question_is_a_title_where_it_is_large(tmp_path: Path, size: int, kind: BlockKind) -> None:
    page = text(72, 700, "3", size=size, font="F2") + text(90, 700, "T3", size=size, font="F2")
    page += text(72, 680, "Here they are, in the running size of this text.")
    block = read(tmp_path, page).blocks[0]
    assert (block.kind, block.text) == (kind, "3 T3")


def test_a_line_amid_a_paragraph_is_no_title_where_tables_are_smaller(tmp_path: Path) -> None:
    lines = [
        "Settings: 5 epochs, batch size 16, Adam, warmup ratio 0.06. The log prints",
        "valid and test after each; we kept the best",
    ]
    page = "".join(text(72, 740 - 13 * index, line, size=11) for index, line in enumerate(lines))
    page += "".join(
        text(72, 680 - 12 * index, f"in run {index} all went as it should, as one sees") for index in range(9)
    )
    assert [block.kind for block in read(tmp_path, page).blocks[:2]] == [BlockKind.LINE, BlockKind.LINE]


def test_a_bold_result_is_no_title(tmp_path: Path) -> None:
    page = text(72, 700, "It adds up to this number in the end:") + text(72, 680, "22,829,056", font="F2")
    assert [block.kind for block in read(tmp_path, page).blocks] == [BlockKind.LINE, BlockKind.LINE]


def test_a_title_that_runs_into_its_text_is_parted_from_it(tmp_path: Path) -> None:
    page = text(72, 700, "1.2 Result", font="F2") + text(129, 700, "In the end the model has this many.")
    heading, line = read(tmp_path, page).blocks
    assert (heading.kind, heading.text) == (BlockKind.HEADING, "1.2 Result")
    assert line.text == "In the end the model has this many."
    assert heading.box is not None
    assert line.box is not None
    assert heading.box[2] < line.box[0]


def test_page_numbers_are_dropped_and_results_are_not(tmp_path: Path) -> None:
    body = text(72, 700, "Some text")
    document = read(tmp_path, body + text(300, 40, "1"), body + text(300, 40, "22829056"))
    assert texts(document) == ["Some text", "Some text", "22829056"]


@pytest.mark.parametrize("content", [b"", b"no pdf at all", b"%PDF-1.7\n", pdf(text(72, 700, "x"))[:180]])
def test_a_damaged_file_is_a_problem(tmp_path: Path, content: bytes) -> None:
    document = read_pdf(submitted(tmp_path, "report.pdf", content))
    assert document.blocks == ()
    assert len(document.problems) == 1
    assert any(words in document.problems[0] for words in ("damaged", "no text", "not a PDF"))


def test_an_encrypted_file_says_so(tmp_path: Path) -> None:
    plain = pdf(text(72, 700, "secret"))
    lock = (
        b"trailer << /Encrypt << /Filter /Standard /V 1 /R 2 /P -4 /O <"
        + b"41" * 32
        + b"> /U <"
        + b"42" * 32
        + b"> >> /ID [<00> <00>]"
    )
    document = read_pdf(submitted(tmp_path, "report.pdf", plain.replace(b"trailer <<", lock, 1)))
    assert document.problems == ("it is protected by a password; hand it in again without one",)


def test_a_scan_says_that_there_is_no_text(tmp_path: Path) -> None:
    document = read(tmp_path, "0.5 g 72 72 400 600 re f\n")
    assert document.pages == 1
    assert "no text" in document.problems[0]


def test_a_page_without_text_is_named(tmp_path: Path) -> None:
    document = read(tmp_path, text(72, 700, "typed"), "0.5 g 72 72 400 600 re f\n")
    assert texts(document) == ["typed"]
    assert document.problems == ("there is no text on page 2, and what the pictures show is not read",)


def test_only_the_first_pages_of_a_very_long_file_are_read(tmp_path: Path) -> None:
    document = read(tmp_path, *(text(72, 700, f"page {n}") for n in range(1, 303)))
    assert document.pages == 302
    assert len(document.blocks) == 300
    assert "up to page 300" in document.problems[0]


@pytest.mark.parametrize(("letter", "read"), [("𝑊", "W"), ("𝛥", "Δ"), ("😀", "😀")])
def test_characters_of_two_units_are_read_whole(tmp_path: Path, letter: str, read: str) -> None:
    content = pdf(text(72, 700, "The update A is small."), letter_a=letter)
    document = read_pdf(submitted(tmp_path, "report.pdf", content))
    assert document.blocks[0].text == f"The update {read} is small."


def test_the_first_line_of_a_paragraph_that_names_a_task_is_no_title(tmp_path: Path) -> None:
    page = text(72, 700, "Task 3. See A. I looked to the validation accuracy, and the epoch which")
    page += text(72, 687, "has the maximum of it was selected for every seed.")
    assert [block.kind for block in read(tmp_path, page).blocks] == [BlockKind.LINE, BlockKind.LINE]
    titled = text(72, 700, "Task 3: Results") + text(72, 687, "Three seeds were used.")
    assert read(tmp_path, titled).blocks[0].kind is BlockKind.HEADING

"""The same words are read whatever program made the PDF: how formula editors, browsers and viewers write them."""

from io import BytesIO
from pathlib import Path

import pytest
from PIL import Image

from grader.intake.submission import SubmittedFile
from grader.reading.document import Block, BlockKind, Document
from grader.reading.pdf import read_pdf
from grader.reading.pdf.crop import opened_pages, page_image
from grader.reading.pdf.repeats import without_repeats
from tests.reading.making import curve, pdf, picture, rule, stream, submitted, text


def read(folder: Path, page: str) -> Document:
    return read_pdf(submitted(folder, "report.pdf", pdf(page)))


@pytest.mark.parametrize(
    ("drawn", "expected"),
    [
        ("(1) -166 (,) -60 (572,) -160 (864)", "1,572,864"),
        ("(524) -220 (,) -110 (288.)", "524,288."),
        ("(6) -120 (291) -166 (456)", "6 291 456"),
        ("(6) -120 (291) -120 (456)", "6291456"),
        ("(79.) -167 (33 \xb1 0.) -170 (45 %)", "79.33 \xb1 0.45 %"),
        ("(0) -190 (.) -170 (05)", "0.05"),
        ("(is 79. 3 seeds)", "is 79. 3 seeds"),
        ("(the 4) -200 (12)", "the 4 12"),
        ("(1,) -167 (2,) -167 (3)", "1, 2, 3"),
    ],
)
def test_narrow_gaps_within_numbers_are_told_by_their_width(tmp_path: Path, drawn: str, expected: str) -> None:
    (block,) = read(tmp_path, f"BT /F1 10 Tf 72 700 Td [{drawn}] TJ ET\n").blocks
    assert block.text == expected


def test_a_power_that_is_drawn_after_its_line_stands_where_it_is(tmp_path: Path) -> None:
    line = "BT /F1 12 Tf 72 700 Td [(4 \xd7 512) -600 (= 1,048,576)] TJ ET\n"
    (block,) = read(tmp_path, line + text(112.5, 705, "2", size=8)).blocks
    assert block.text == "4 \xd7 512^{2} = 1,048,576"


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        (["Let d = 512d = 512 be"], ["Let d = 512 be"]),
        ([r"258×512=132,096258 \times 512 = 132{,}096."], ["258×512=132,096."]),
        (["4×5122=1,048,576", r"4 \times 512^2 = 1{,}048{,}576"], [r"4 \times 512^2 = 1{,}048{,}576"]),
        (["so 2×5122=524,2882 \\", "times 512^2 = 524{,}288."], [r"so 2 \times 512^2 = 524{,}288."]),
        (["x = 2", "x = 2"], ["x = 2", "x = 2"]),
        (["2×512×512 = 524,288"], ["2×512×512 = 524,288"]),
        (["12×12×12 = 1728"], ["12×12×12 = 1728"]),
        (["2 × (512 × 512 + 512) = 525,312"], ["2 × (512 × 512 + 512) = 525,312"]),
    ],
)
def test_a_formula_beside_its_annotation_is_read_once(lines: list[str], expected: list[str]) -> None:
    blocks = [Block(kind=BlockKind.LINE, text=line, page=1) for line in lines]
    assert [block.text for block in without_repeats(blocks)] == expected


_FONT = "/Resources << /Font << /F << /Type /Font /Subtype /Type1 /BaseFont /Helvetica >> >> >>"


def annotated(folder: Path, entries: str, look: str = "") -> SubmittedFile:
    """A page with one annotation; `look` are the operators that draw it."""
    drawn = [stream(look, f"/Type /XObject /Subtype /Form /BBox [0 0 300 24] {_FONT}")] if look else []
    note = f"/Annots [<< /Type /Annot /Rect [72 600 372 624] {entries} {'/AP << /N 5 0 R >>' if look else ''} >>]"
    content = pdf(text(72, 700, "Question 1: the total"), page_entries=note, objects=drawn)
    return submitted(folder, "report.pdf", content)


SHOWN = "BT /F 12 Tf 2 6 Td (Total = 22,807,552) Tj ET"


@pytest.mark.parametrize(
    ("entries", "look"),
    [
        ("/Subtype /Stamp /F 4", SHOWN),
        ("/Subtype /Widget /FT /Tx /T (a) /V (Total = 22,807,552) /F 4", SHOWN),
        ("/Subtype /Widget /FT /Tx /T (a) /V (Total = 22,807,552) /DA (/Helv 12 Tf 0 g)", ""),
        ("/Subtype /FreeText /Contents (Total = 22,807,552) /DA (/Helv 12 Tf 0 0 1 rg)", ""),
        ("/Subtype /FreeText /Contents (Total = 22,807,552) /DA (0 g)", ""),
    ],
)
def test_fields_typed_notes_and_stamps_are_part_of_the_page(tmp_path: Path, entries: str, look: str) -> None:
    file = annotated(tmp_path, entries, look)
    document = read_pdf(file)
    block = document.blocks[-1]
    assert (block.text, document.problems) == ("Total = 22,807,552", ())
    assert block.box
    assert 168 < block.box[1] < block.box[3] < 195
    with opened_pages(file.location) as opened:
        image = page_image(opened, 1)
        shown = Image.open(BytesIO(image.png(image.passage([block.box]), [])))
    assert shown.convert("L").getextrema()[0] < 100


@pytest.mark.parametrize(
    ("entries", "look", "is_told"),
    [
        ("/Subtype /Stamp /F 2", SHOWN, False),
        ("/Subtype /Stamp /F 32", SHOWN, False),
        ("/Subtype /Stamp", f"1 g {SHOWN}", True),
        ("/Subtype /Stamp", f"{SHOWN} 1 g 0 0 300 24 re f", True),
        ("/Subtype /Stamp /OC << /Type /OCG /Name (off) >>", SHOWN, True),
        ("/Subtype /FreeText /Contents (Total = 22,807,552) /DA (/Helv 12 Tf 1 g)", "", True),
        ("/Subtype /Popup /Contents (Total = 22,807,552)", "", False),
    ],
)
def test_annotations_that_do_not_show_are_not_read(tmp_path: Path, entries: str, look: str, is_told: bool) -> None:
    document = read_pdf(annotated(tmp_path, entries, look))
    assert all("22" not in block.text for block in document.blocks)
    assert bool(document.problems) is is_told


def outlined(x: float, y: float, count: int) -> str:
    """Letters as outlines, side by side on one baseline."""
    return "".join(curve((x + 7 * n, y), (x + 7 * n + 2, y + 9), (x + 7 * n + 5, y)) for n in range(count))


def test_formulas_that_are_drawn_stand_in_their_line(tmp_path: Path) -> None:
    page = text(72, 700, "The values are") + outlined(145, 700, 5) + text(190, 700, "and") + picture(212, 698, 20, 10)
    drawn = [block for block in read(tmp_path, page).blocks if block.in_line]
    assert [round(block.box[0]) for block in drawn if block.box] == [144, 212]


def test_plots_rules_and_single_signs_are_no_drawn_formulas(tmp_path: Path) -> None:
    plot = "".join(curve((100 + 20 * n, 400 + 5 * n), (110 + 20 * n, 420 + 5 * n)) for n in range(8))
    page = text(72, 700, "The values") + outlined(150, 700, 2) + plot + rule(72, 650, 300) + picture(72, 200, 200, 100)
    assert not any(block.in_line for block in read(tmp_path, page).blocks)


def test_numbers_of_lines_in_the_margin_are_not_read(tmp_path: Path) -> None:
    page = "".join(
        text(50, 700 - 14 * n, str(n + 7), size=5) + text(72, 700 - 14 * n, words)
        for n, words in enumerate(("The mean is 79.5", "on the test set,", "over three runs", "of one model."))
    )
    found = [block.text for block in read(tmp_path, page).blocks]
    assert found == ["The mean is 79.5", "on the test set,", "over three runs", "of one model."]


WORDS = ("The mean is 79.5", "on the test set,", "over three runs", "of one model.")


@pytest.mark.parametrize("x", [300, 560], ids=["between the columns", "right of the text"])
def test_small_numbers_of_lines_beside_a_column_are_not_read(x: float, tmp_path: Path) -> None:
    """A table in type as small keeps its column of numbers."""
    page = "".join(
        text(x, 750 - 14 * n, str(n + 7), size=5) + text(72, 750 - 14 * n, words) + text(320, 750 - 14 * n, "and more")
        for n, words in enumerate(4 * WORDS)
    )
    table = "".join(
        text(72 + 60 * at, 500 - 9 * row, cell, size=6)
        for row in range(5)
        for at, cell in enumerate((f"run {row}", str(row + 1), "79.5"))
    )
    found = [block.text for block in read(tmp_path, page + table).blocks if block.text]
    assert not {str(n + 7) for n in range(16)} & {word for line in found for word in line.split()}
    assert all(any(words in line for line in found) for words in WORDS)
    assert [line for line in found if line.startswith("run")] == [f"run {row}\t{row + 1}\t79.5" for row in range(5)]


def test_a_note_in_the_margin_stands_before_the_next_title(tmp_path: Path) -> None:
    words = "The accuracy on the test set is the mean of three runs, and that is all of it."
    lines = "".join(text(72, 700 - 14 * n, words) for n in range(4))
    note = "".join(text(460, 690 - 10 * n, said, size=7) for n, said in enumerate(("run again", "on Monday")))
    page = lines + note + text(72, 620, "2 Another part", size=16) + text(72, 600, words)
    found = [block.text for block in read(tmp_path, page).blocks if block.text]
    assert found == [*([words] * 4), "run again", "on Monday", "2 Another part", words]


def test_outlines_on_a_page_with_a_ground_are_drawn_formulas(tmp_path: Path) -> None:
    """The ground of the whole text is no frame of a plot."""
    ground = "0.99 g " + rule(56, 56, 480, 730) + "0 g "
    page = ground + text(72, 700, "The values are") + outlined(145, 700, 5) + text(72, 650, "More")
    drawn = [block for block in read(tmp_path, page).blocks if block.in_line]
    assert [round(block.box[0]) for block in drawn if block.box] == [144]


def test_a_formula_stands_before_the_title_below_it(tmp_path: Path) -> None:
    """The title is short, and does not reach below the formula."""
    page = text(72, 700, "The values are, as is shown in the middle below,") + outlined(200, 670, 6)
    found = read(tmp_path, page + text(72, 640, "2 Title", size=16) + text(72, 620, "Words below the title.")).blocks
    assert [block.text or "drawn" for block in found][:3] == [
        "The values are, as is shown in the middle below,",
        "drawn",
        "2 Title",
    ]


def test_raised_digits_in_the_margin_are_no_numbers_of_lines(tmp_path: Path) -> None:
    page = "".join(text(50, 700 - 14 * n, "²", size=5) + text(72, 700 - 14 * n, "The mean is high") for n in range(5))
    assert "²" in read(tmp_path, page).blocks[0].text


def test_the_first_column_of_a_table_is_read(tmp_path: Path) -> None:
    rows = "".join(text(50, 700 - 14 * n, str(n)) + text(120, 700 - 14 * n, f"79.{n}") for n in range(1, 6))
    assert "1" in read(tmp_path, rows).blocks[0].text.split()
    headed = (
        text(45, 700, "seed") + text(120, 700, "accuracy on the test set") + text(120, 620, "and more words") + rows
    )
    assert "1" in read(tmp_path, headed).blocks[1].text.split()

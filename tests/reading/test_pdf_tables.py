"""Tables of a PDF: which cell stands in which column."""

from pathlib import Path

from grader.reading.document import Block, BlockKind
from grader.reading.pdf import read_pdf
from tests.reading.making import pdf, rule, submitted, text


def rows(folder: Path, page: str) -> list[tuple[str, ...]]:
    return [block.cells for block in blocks(folder, page) if block.kind is BlockKind.ROW]


def blocks(folder: Path, page: str) -> tuple[Block, ...]:
    return read_pdf(submitted(folder, "report.pdf", pdf(page))).blocks


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

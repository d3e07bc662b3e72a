import pytest

from grader.claims.passage import Passage
from grader.claims.tables import Cell, names_of_columns, tables
from grader.reading.document import Block, BlockKind
from tests.claims.making import lab, passage


def cells(markdown: str) -> dict[str, Cell]:
    return {cell.text: cell for table in tables(passage(markdown)) for cell in table.cells}


def test_a_cell_knows_its_row_and_column() -> None:
    found = cells("| Seed | Valid | Test |\n|---|---|---|\n| 1 | 81.0 | 79.3 |\n| mean | 81.5 | 79.9 |")
    assert (found["79.3"].row, found["79.3"].column) == ("Seed 1", "Test")
    assert (found["81.5"].row, found["81.5"].column) == ("mean", "Valid")
    assert found["79.9"].labels == "mean test"


def test_bare_numbers_in_the_header_are_named_by_its_first_cell() -> None:
    found = cells("| Seed | 0 | 1 |\n|---|---|---|\n| Test | 79.3 | 78.5 |")
    assert (found["79.3"].row, found["79.3"].column) == ("Test", "Seed 0")


def test_two_header_rows_are_put_together() -> None:
    found = cells("| | Pretrained | Random |\n|---|---|---|\n| Seed | Test | Test |\n| 1 | 79.3 | 65.4 |")
    assert found["65.4"].column == "Random Test"


def test_a_header_may_hold_a_plus_minus() -> None:
    found = cells("| Model | Seed 1 | Mean ± std |\n|---|---|---|\n| Pretrained | 79.3 | 79.5 ± 0.7 |")
    assert found["79.5 ± 0.7"].column == "Mean ± std"


def test_the_lines_before_a_table_are_its_caption() -> None:
    (table,) = tables(passage("Long ago.\n\nTest accuracies:\n\n| a | b |\n|---|---|\n| x | 1.5 |"))
    assert "Test accuracies:" in table.caption


def test_tables_are_told_apart_by_what_stands_between_them() -> None:
    one = "| a | b |\n|---|---|\n| x | 1.5 |"
    assert len(list(tables(passage(f"{one}\n\nWords.\n\n{one}")))) == 2


def test_a_new_header_begins_a_new_table_where_no_words_stand_between() -> None:
    found = cells("| Seed | Test |\n|---|---|\n| 1 | 79.3 |\n\n| | Mean | Std |\n|---|---|---|\n| Test | 79.5 | 0.7 |")
    assert (found["79.3"].row, found["79.3"].column) == ("Seed 1", "Test")
    assert (found["0.7"].row, found["0.7"].column) == ("Test", "Std")


def test_ragged_and_empty_tables_are_read() -> None:
    assert cells("| | |\n|---|---|\n| | |") == {}
    assert "7.5" in cells("| a | b | c |\n|---|---|---|\n| x | 7.5 |\n| y |\n| z | 1.0 | 2.0 | 3.0 |")


def test_a_row_of_one_name_belongs_to_the_rows_below_it() -> None:
    source = "| Seed | Test |\n|---|---|\n| Pretrained | Pretrained |\n| 1 | 79.3 |\n| Random | Random |\n| 1 | 65.4 |"
    found = cells(source)
    assert (found["79.3"].row, found["79.3"].column) == ("Pretrained Seed 1", "Test")
    assert (found["65.4"].row, found["65.4"].column) == ("Random Seed 1", "Test")


def test_a_row_of_one_sentence_is_the_title_of_the_rows_below_it() -> None:
    title = "From random weights; the figures are accuracies on the test set"
    source = f"| Seed | Acc. |\n|---|---|\n| 1 | 79.3 |\n| {title} | {title} |\n| 2 | 65.4 |"
    first, second = tables(passage(source))
    assert title in second.caption
    assert title not in first.caption
    assert (second.cells[-1].row, second.cells[-1].column) == ("Seed 2", "Acc.")


def row(page: int | None, *cells: str) -> Block:
    return Block(kind=BlockKind.ROW, text=" | ".join(cells), cells=cells, page=page)


@pytest.mark.parametrize(
    ("pages", "goes_on"),
    [((1, 2), True), ((3, 4), True), ((1, 3), False), ((2, 1), False), ((None, None), False), ((None, 1), False)],
)
def test_a_table_goes_on_at_the_top_of_the_next_page(pages: tuple[int | None, int | None], goes_on: bool) -> None:
    first, second = pages
    blocks = (
        row(first, "Seed", "Test"),
        row(first, "1", "79.3"),
        Block(kind=BlockKind.HEADING, text="Page"),
        row(second, "2", "78.5"),
        row(second, "3", "80.1"),
    )
    *_, last = tables(Passage(file="report.pdf", exact=False, blocks=blocks))
    found = last.cells[-1].row.strip(), last.cells[-1].column
    assert found == (("Seed 3", "Test") if goes_on else ("3", ""))


def test_a_wider_table_on_the_next_page_is_another_one() -> None:
    blocks = (
        row(1, "Seed", "Test"),
        row(1, "1", "79.3"),
        Block(kind=BlockKind.HEADING, text="Page"),
        row(2, "2", "78.5", "81.5"),
    )
    *_, last = tables(Passage(file="report.pdf", exact=False, blocks=blocks))
    assert [cell.column for cell in last.cells] == ["", "", ""]


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Init Seed Chosen epoch Valid (%) Test (%)", ("Init", "Seed", "Chosen epoch", "Valid (%)", "Test (%)")),
        ("seed best epoch valid test", ("seed", "best epoch", "valid", "test")),
        ("fairseq pretrained fairseq random T5 HF", ("fairseq pretrained", "fairseq random", "T5 HF")),
        ("mean std", ("mean", "std")),
        ("Mean Test accuracy", None),
        ("Test Accuracy", None),
    ],
)
def test_a_line_of_names_is_cut_where_each_begins(text: str, names: tuple[str, ...] | None) -> None:
    assert names_of_columns(text, len(names or "12"), lab()) == (names or ())


def test_a_line_with_a_word_of_another_kind_is_no_line_of_names() -> None:
    assert names_of_columns("Seed Valid Test", 3, lab()) == ("Seed", "Valid", "Test")
    assert names_of_columns("Seed Hardware Test", 3, lab()) == ()


def test_a_number_in_the_first_column_is_named_before_the_other_labels_of_its_row() -> None:
    found = cells("| Seed | Init | Test |\n|---|---|---|\n| 1 | random | 65.4 |")
    assert found["65.4"].row == "Seed 1 random"

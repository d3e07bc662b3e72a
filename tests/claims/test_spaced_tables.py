"""Tables that are set with blanks, matrices, rows that sentences name, and tables that go on over pages."""

from collections.abc import Mapping

import pytest

from grader.claims.passage import Passage
from grader.claims.tables import Cell, matrices, named_rows, printed_tables, rows_in_line, spaced_tables, tables
from grader.reading.document import Block, BlockKind
from tests.claims.making import passage


def lines(text: str, kind: BlockKind = BlockKind.OUTPUT) -> Passage:
    blocks = tuple(Block(kind=kind, text=one, line=at) for at, one in enumerate(text.split("\n"), start=1))
    return Passage(file="report.md", exact=True, blocks=blocks)


def spaced(text: str, kind: BlockKind = BlockKind.OUTPUT) -> list[dict[str, str]]:
    return [
        {f"{cell.row} {cell.column}": cell.text for cell in table.cells} for table in spaced_tables(lines(text, kind))
    ]


SPACED: Mapping[str, list[dict[str, str]]] = {
    "label precision recall\ncat 0.8 0.7\ndog 0.6 0.5": [
        {"cat precision": "0.8", "cat recall": "0.7", "dog precision": "0.6", "dog recall": "0.5"}
    ],
    "precision recall\ncat 0.8 0.7\ndog 0.6 0.5": [
        {"cat precision": "0.8", "cat recall": "0.7", "dog precision": "0.6", "dog recall": "0.5"}
    ],
    "precision recall\n\ncat 0.8 0.7\n\ndog 0.6 0.5": [
        {"cat precision": "0.8", "cat recall": "0.7", "dog precision": "0.6", "dog recall": "0.5"}
    ],
    "precision recall\nbig cat 80% -7e-1\nsmall dog 60% +5": [
        {
            "big cat precision": "80%",
            "big cat recall": "-7e-1",
            "small dog precision": "60%",
            "small dog recall": "+5",
        }
    ],
    "precision recall\ncat 0.8 0.7": [],
    "precision\ncat 0.8\ndog 0.7": [],
    "precision recall\ncat 0.8 0.7\ndog 0.6": [],
    "precision recall\n0.8 0.7\n0.6 0.5": [],
    "some words\nand no numbers": [],
    "a b\nx 1 2\ny 3 4\nend of it\nc d\nz 5 6\nw 7 8": [
        {"x a": "1", "x b": "2", "y a": "3", "y b": "4"},
        {"z c": "5", "z d": "6", "w c": "7", "w d": "8"},
    ],
    "pred 3    pred 5\ntrue 3    5    1\ntrue 5    2    4": [
        {"true 3 pred 3": "5", "true 3 pred 5": "1", "true 5 pred 3": "2", "true 5 pred 5": "4"}
    ],
    "          first name    second name\ncat       0.8           0.7\ndog       0.6           0.5": [
        {"cat first name": "0.8", "cat second name": "0.7", "dog first name": "0.6", "dog second name": "0.5"}
    ],
    "class 0 1\ncat 5 6\ndog 7 8": [{"cat 0": "5", "cat 1": "6", "dog 0": "7", "dog 1": "8"}],
}


@pytest.mark.parametrize("text", SPACED)
def test_numbers_below_names_are_a_table(text: str) -> None:
    assert spaced(text) == SPACED[text]


def test_only_lines_of_text_code_and_output_make_such_tables() -> None:
    text = "precision recall\ncat 0.8 0.7\ndog 0.6 0.5"
    for kind in (BlockKind.LINE, BlockKind.CODE, BlockKind.OUTPUT):
        assert spaced(text, kind)
    for kind in (BlockKind.HEADING, BlockKind.ROW, BlockKind.LIST_ITEM):
        assert spaced(text, kind) == []


def test_too_many_columns_or_too_long_lines_are_no_table() -> None:
    def wide(width: int) -> str:
        names = " ".join(f"n{'abcdefghijklmnopqrstuvwxyz'[at]}" for at in range(width))
        row = " ".join(map(str, range(width)))
        return f"{names}\nx {row}\ny {row}"

    assert spaced(wide(20))
    assert spaced(wide(21)) == []
    long = "x" * 197
    assert spaced(f"precision recall\n{long} 1 2\ny 3 4") == []


def test_a_cell_of_such_a_table_is_quoted_with_its_line() -> None:
    (table,) = spaced_tables(lines("precision recall\ncat 0.8 0.7\ndog 0.6 0.5"))
    assert [(cell.evidence.line, cell.evidence.quote) for cell in table.cells[::2]] == [
        (2, "cat 0.8 0.7"),
        (3, "dog 0.6 0.5"),
    ]


MATRICES: Mapping[str, list[tuple[tuple[str, ...], ...]]] = {
    "5 1\n2 4": [(("5", "1"), ("2", "4"))],
    "[[5, 1],\n [2, 4]]": [(("5", "1"), ("2", "4"))],
    "[[5, 1], [2, 4]]": [(("5", "1"), ("2", "4"))],
    "((5, 1), (2, 4))": [(("5", "1"), ("2", "4"))],
    "m = [[5, 1], [2, 4]]": [(("5", "1"), ("2", "4"))],
    "array([[5, 1],\n       [2, 4]], dtype=int64)": [(("5", "1"), ("2", "4"))],
    r"$\begin{pmatrix} 5 & 1 \\ 2 & 4 \end{pmatrix}$": [(("5", "1"), ("2", "4"))],
    "5 1 0\n2 4 1\n0 0 9": [(("5", "1", "0"), ("2", "4", "1"), ("0", "0", "9"))],
    "5 1\n2 4\nwords\n3 3\n7 7": [(("5", "1"), ("2", "4")), (("3", "3"), ("7", "7"))],
    "5 1\n2 4\n3 3 3\n7 7 7": [(("5", "1"), ("2", "4")), (("3", "3", "3"), ("7", "7", "7"))],
    "5 1\n\n2 4": [(("5", "1"), ("2", "4"))],
    "5 1": [],
    "5\n2": [],
    "cat 5 1\ndog 2 4": [],
    "words": [],
}


@pytest.mark.parametrize("text", MATRICES)
def test_rows_of_as_many_numbers_are_a_matrix(text: str) -> None:
    assert [one.rows for one in matrices(passage(f"```\n{text}\n```"))] == MATRICES[text]


def test_a_matrix_knows_where_it_stands() -> None:
    whole = lines("before it\n5 1\n2 4\nbehind it")
    (found,) = matrices(whole)
    assert whole.text[found.start : found.end].strip() == "5 1\n2 4"


NAMES = (("cat", "chat"), ("dog", "chien"))
ROWS: Mapping[str, tuple[tuple[str, ...], ...] | None] = {
    "cat: 5, 1; dog: 2, 4": (("5", "1"), ("2", "4")),
    "Cat = [5, 1] and Dog = [2, 4]": (("5", "1"), ("2", "4")),
    "dog: 2 4\nchat: 5 1": (("5", "1"), ("2", "4")),
    "cat row: 5, 1; dog row: 2, 4": (("5", "1"), ("2", "4")),
    "cat: 5, 1": None,
    "cat: 5, 1; dog: 2, 4, 3": None,
    "cat: 5, 1; dog: 2": None,
    "cat: 5, 1; cat: 5, 1; dog: 2, 4": None,
    "cat: 5, 1; chat: 2, 4": None,
    "bobcat: 5, 1; dog: 2, 4": None,
}


@pytest.mark.parametrize("text", ROWS)
def test_rows_may_be_told_by_their_names_in_any_order(text: str) -> None:
    found = list(named_rows(text, 0, NAMES, 2))
    assert [one.rows for one in found] == ([ROWS[text]] if ROWS[text] else [])
    if found:
        assert found[0].start == min(
            text.lower().index(name) for name in ("cat", "chat", "dog") if name in text.lower()
        )
        assert found[0].end == max(text.rindex(number) for number in "14" if number in text) + 1


def test_rows_before_the_start_are_not_looked_at() -> None:
    text = "cat: 5, 1; dog: 2, 4"
    assert not list(named_rows(text, 1, NAMES, 2))


IN_LINE: Mapping[str, list[tuple[tuple[str, ...], ...]]] = {
    "it is 5 1 / 2 4 here": [(("5", "1"), ("2", "4"))],
    "it is 5, 1 ; 2, 4.": [(("5", "1"), ("2", "4"))],
    "it is 5 1|2 4": [(("5", "1"), ("2", "4"))],
    "it is 5 1 / 2 4 / 3 3": [],
    "it is 7 5 1 / 2 4": [],
    "it is 5 1 / 2 4 9": [],
    "it is 5 1 / 2": [],
    "it is 5 1 - 2 4": [],
    "5 1 / 2 4 and 3 3 / 7 7": [(("5", "1"), ("2", "4")), (("3", "3"), ("7", "7"))],
}


@pytest.mark.parametrize("text", IN_LINE)
def test_a_matrix_may_stand_in_a_line(text: str) -> None:
    found = list(rows_in_line(text, 0, 2, 2))
    assert [one.rows for one in found] == IN_LINE[text]
    assert all(text[one.start : one.end].strip("0123456789 ,/;|") == "" for one in found)


def row(*cells: str, page: int | None = None, line: int | None = None) -> Block:
    return Block(kind=BlockKind.ROW, text=" ".join(cells), cells=cells, page=page, line=line)


def cells(*blocks: Block) -> dict[str, Cell]:
    whole = Passage(file="report.pdf", exact=False, blocks=blocks)
    return {cell.text: cell for table in tables(whole) for cell in table.cells}


def test_rows_of_one_width_go_on_on_the_next_page_only() -> None:
    head = (row("Seed", "Test", page=1), row("1", "79.3", page=1))
    number = Block(kind=BlockKind.LINE, text="1", page=1)
    assert cells(*head, number, row("2", "78.5", page=2))["78.5"].column == "Test"
    assert cells(*head, number, row("2", "78.5", page=3))["78.5"].column == ""
    assert cells(*head, number, row("2", "78.5", page=1))["78.5"].column == ""
    assert cells(*head, number, row("2", "9.1", "78.5", page=2))["78.5"].column == ""


def test_a_blank_line_parts_tables_but_not_the_rule_below_a_header() -> None:
    head, first = row("Seed", "Test", line=1), row("1", "79.3", line=3)
    assert cells(head, first, row("2", "78.5", line=4))["78.5"].column == "Test"
    assert cells(head, first, row("2", "78.5", line=5))["78.5"].column == ""
    assert cells(head, row("1", "79.3", line=4))["79.3"].column == ""


def test_a_caption_below_is_the_tables_own_unless_another_table_follows() -> None:
    caption = Block(kind=BlockKind.LINE, text="Table 2: test accuracy")
    words = Block(kind=BlockKind.LINE, text="We see that it is high.")

    def captions(*blocks: Block) -> list[str]:
        return [one.caption for one in tables(Passage(file="r.pdf", exact=False, blocks=blocks))]

    table = (row("Seed", "Test"), row("1", "79.3"))
    assert captions(*table, caption) == ["Table 2: test accuracy"]
    assert captions(*table, words) == [""]
    assert captions(*table, caption, *table) == ["", "Table 2: test accuracy"]
    assert captions(*table, caption, words, *table)[0] == "Table 2: test accuracy"
    title = Block(kind=BlockKind.CAPTION, text="Test accuracy")
    assert captions(*table, title, *table, title) == ["Test accuracy"] * 2
    assert captions(title, *table, title, *table) == ["Test accuracy"] * 2
    assert captions(*table, caption, *table, title, *table) == ["", "Table 2: test accuracy", "Test accuracy"]


def test_a_caption_is_of_the_table_that_is_nearer_on_the_page() -> None:
    def at(block: Block, top: float, page: int = 1) -> Block:
        return block.model_copy(update={"box": (60.0, top, 200.0, top + 10), "page": page})

    def captions(top: float, page: int = 1) -> list[str]:
        upper, lower = (at(row("Seed", "Test", page=1), 100), at(row("1", "79.3", page=1), 115)), row("1", "2", page=1)
        caption = at(Block(kind=BlockKind.CAPTION, text="Table 2: test"), top)
        blocks = (*upper, caption, at(lower, 170, page), Block(kind=BlockKind.CAPTION, text="Table 3: test"))
        return [one.caption for one in tables(Passage(file="r.pdf", exact=False, blocks=blocks))]

    assert captions(128) == ["Table 2: test", "Table 3: test"]
    assert captions(156) == ["", "Table 2: test\nTable 3: test"]
    assert captions(156, page=2) == ["Table 2: test", "Table 3: test"]


def test_a_name_that_is_told_once_holds_for_the_seeds_below() -> None:
    found = cells(row("Model", "Seed", "acc"), row("big", "1", "81.5"), row("", "2", "79.3"), row("small", "1", "70.5"))
    assert [(found[value].row, found[value].column) for value in ("81.5", "79.3", "70.5")] == [
        ("big Seed 1", "acc"),
        ("big Seed 2", "acc"),
        ("small Seed 1", "acc"),
    ]


def test_only_cells_with_digits_are_told_and_a_short_row_misses_its_first_cells() -> None:
    found = cells(row("", "Valid", "Test"), row("mean", "81.5", "high"), row("80.1", "79.3"))
    assert set(found) == {"81.5", "80.1", "79.3"}
    assert (found["80.1"].column, found["79.3"].column) == ("Valid", "Test")
    assert found["81.5"].labels == "mean valid"


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        ("Results\nseed  test\n1  79.3\n2  78.5\nDone", [["seed  test", "1  79.3", "2  78.5"]]),
        ("seed  test\n----  ----\n1  79.3\n2  78.5", [["seed  test", "1  79.3", "2  78.5"]]),
        ("seed  test\n1  79.3", []),
        ("1  79.3\n2  78.5\nnext\n1  65.4\n2  66.7", [["1  79.3", "2  78.5"], ["1  65.4", "2  66.7"]]),
        ("seed,test\n1,79.3\n2,78.5", []),
        ("run,valid,test\na,81.0,79.3\nb,80.0,78.5", [["run,valid,test", "a,81.0,79.3", "b,80.0,78.5"]]),
    ],
)
def test_neighbouring_lines_of_as_many_columns_are_a_printed_table(text: str, rows: list[list[str]]) -> None:
    found = printed_tables(passage(f"```\n{text}\n```"))
    assert [[block.text for _, block in table] for table in found] == rows

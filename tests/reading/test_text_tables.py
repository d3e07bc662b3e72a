"""Tables that are told by lines of dashes, and by pipes in plain text."""

from pathlib import Path

import pytest

from grader.reading.document import BlockKind
from grader.reading.markdown import read_markdown, read_text, text_table
from tests.reading.making import submitted

SIMPLE = """   Seed     Valid     Test
-------- --------- ----------
      0     81.5      79.30
      1               78.50

after"""
FRAMED = """-----------------------------------
Name         Meaning
------------ ----------------------
r            the rank of the
             update

alpha        its scale
-----------------------------------
after"""


def rows(text: str) -> list[tuple[str, ...]]:
    found = text_table(text.split("\n"), 0)
    return [block.cells for block in found[0]] if found else []


def test_columns_are_where_the_dashes_are() -> None:
    assert rows(SIMPLE) == [("Seed", "Valid", "Test"), ("0", "81.5", "79.30"), ("1", "", "78.50")]


def test_rows_in_a_frame_go_over_several_lines() -> None:
    assert rows(FRAMED) == [("Name", "Meaning"), ("r", "the rank of the update"), ("alpha", "its scale")]


@pytest.mark.parametrize(
    "text",
    [
        "A title\n=======\ntext",
        "a\n---\nb",
        "first\n-- --\n\ntext",
        "| a | b |\n|--|--|\n| 1 | 2 |",
        "---------\nx\n\ny",
        "",
    ],
)
def test_other_dashes_are_no_table(text: str) -> None:
    assert rows(text) == []


@pytest.mark.parametrize("reader", [read_text, read_markdown])
def test_readers_take_such_tables(tmp_path: Path, reader: object) -> None:
    text = f"before\n\n{SIMPLE}\n\n| a | b |\n|---|---|\n| 1 | 2 |\n"
    document = reader(submitted(tmp_path, "report.txt", text))  # type: ignore[operator]
    assert [(block.kind, block.cells or block.text, block.line) for block in document.blocks] == [
        (BlockKind.LINE, "before", 1),
        (BlockKind.ROW, ("Seed", "Valid", "Test"), 3),
        (BlockKind.ROW, ("0", "81.5", "79.30"), 5),
        (BlockKind.ROW, ("1", "", "78.50"), 6),
        (BlockKind.LINE, "after", 8),
        (BlockKind.ROW, ("a", "b"), 10),
        (BlockKind.ROW, ("1", "2"), 12),
    ]

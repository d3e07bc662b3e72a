"""Markdown, plain text and code: kinds, lines, cells, and odd bytes."""

from pathlib import Path

import pytest

from grader.reading.document import Block, BlockKind, Document
from grader.reading.markdown import read_lines, read_markdown, read_text
from tests.reading.making import submitted


def markdown(folder: Path, text: str) -> tuple[Block, ...]:
    return read_markdown(submitted(folder, "report.md", text)).blocks


@pytest.mark.parametrize(
    ("source", "title", "level"),
    [
        ("## 2 Task 3", "2 Task 3", 2),
        ("# **Question 1**", "Question 1", 1),
        ("### Results ###", "Results", 3),
        ("**Question 2**", "Question 2", 6),
        ("1 Question 1", "1 Question 1", 1),
        ("1.1 Positional embeddings", "1.1 Positional embeddings", 2),
        ("Task 3: Fairseq results", "Task 3: Fairseq results", 1),
        ("2 Task 3 & Task 4: results", "2 Task 3 & Task 4: results", 1),
    ],
)
def test_titles(tmp_path: Path, source: str, title: str, level: int) -> None:
    (block,) = markdown(tmp_path, source)
    assert (block.kind, block.text, block.level) == (BlockKind.HEADING, title, level)


@pytest.mark.parametrize(
    "source",
    [
        "**22,829,056**",
        "**Total = 4 x 512**",
        "512 Parameters are in each norm.",
        "Task 3 was done with three seeds",
        "The **mean** is 80.1",
        "2 layers, 512 wide",
    ],
)
def test_no_titles(tmp_path: Path, source: str) -> None:
    assert [block.kind for block in markdown(tmp_path, source)] == [BlockKind.LINE]


def test_underlined_titles(tmp_path: Path) -> None:
    blocks = markdown(tmp_path, "Report\n======\n\ntext\n\nPart\n----\n")
    assert [(block.text, block.level, block.line) for block in blocks] == [
        ("Report", 1, 1),
        ("text", None, 4),
        ("Part", 2, 6),
    ]


def test_items_keep_their_text(tmp_path: Path) -> None:
    blocks = markdown(tmp_path, "- **r**: the rank\n  * nested\n1. first\n(a) second\n• third\n")
    assert {block.kind for block in blocks} == {BlockKind.LIST_ITEM}
    assert blocks[0].text == "- **r**: the rank"


def test_pipe_tables(tmp_path: Path) -> None:
    blocks = markdown(tmp_path, "| seed | test |\n|:--|--:|\n| 0 | 79.9 |\n| a\\|b | |\n")
    assert [block.cells for block in blocks] == [("seed", "test"), ("0", "79.9"), ("a|b", "")]
    assert [block.line for block in blocks] == [1, 3, 4]


def test_tables_without_outer_pipes(tmp_path: Path) -> None:
    blocks = markdown(tmp_path, "seed | test\n--- | ---\n0 | 79.9\n\nP(a | b) is no row\n")
    assert [block.kind for block in blocks] == [BlockKind.ROW, BlockKind.ROW, BlockKind.LINE]


def test_tab_separated_rows_keep_empty_cells(tmp_path: Path) -> None:
    (block,) = markdown(tmp_path, "\tValid\tTest")
    assert (block.kind, block.cells) == (BlockKind.ROW, ("", "Valid", "Test"))


def test_fenced_code_is_no_markup(tmp_path: Path) -> None:
    blocks = markdown(tmp_path, "```python\n# not a title\n    x = 1\n```\n# Title\n")
    assert [(block.kind, block.text, block.line) for block in blocks] == [
        (BlockKind.CODE, "# not a title", 2),
        (BlockKind.CODE, "    x = 1", 3),
        (BlockKind.HEADING, "Title", 5),
    ]


def test_a_fence_that_never_closes_ends_with_the_file(tmp_path: Path) -> None:
    assert [block.kind for block in markdown(tmp_path, "```\na\nb")] == [BlockKind.CODE, BlockKind.CODE]


def test_a_displayed_formula_is_one_block(tmp_path: Path) -> None:
    blocks = markdown(tmp_path, "so\n$$\n4 \\times 512^2\n= 1048576\n$$\n$$x = 2$$\nthen $$ y $$ inline\n")
    assert [(block.kind, block.text, block.line) for block in blocks] == [
        (BlockKind.LINE, "so", 1),
        (BlockKind.MATH, "$$ 4 \\times 512^2 = 1048576 $$", 2),
        (BlockKind.MATH, "$$x = 2$$", 6),
        (BlockKind.LINE, "then $$ y $$ inline", 7),
    ]


def test_a_formula_that_never_closes_hides_nothing(tmp_path: Path) -> None:
    blocks = markdown(tmp_path, "$$ a\n# Title\n")
    assert [block.kind for block in blocks] == [BlockKind.LINE, BlockKind.HEADING]


def test_plain_text_knows_no_hashes(tmp_path: Path) -> None:
    document = read_text(submitted(tmp_path, "notes.txt", "# a comment\n1 Question 1\nseed\t79.9\n"))
    kinds = [block.kind for block in document.blocks]
    assert kinds == [BlockKind.LINE, BlockKind.HEADING, BlockKind.ROW]
    assert document.exact


def test_code_keeps_its_indentation(tmp_path: Path) -> None:
    document = read_lines(submitted(tmp_path, "run.py", "def f():\n    return 1\n"), BlockKind.CODE)
    assert [(block.text, block.line) for block in document.blocks] == [("def f():", 1), ("    return 1", 2)]


def one_text(document: Document) -> str:
    (block,) = document.blocks
    return block.text


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_unicode_files_are_read_without_remark(tmp_path: Path, encoding: str) -> None:
    document = read_text(submitted(tmp_path, "a.txt", "modèle à 512²".encode(encoding)))
    assert one_text(document) == "modèle à 512²"
    assert document.problems == ()


def test_windows_files_are_read_with_a_remark(tmp_path: Path) -> None:
    document = read_text(submitted(tmp_path, "a.txt", "modèle – précis et entier".encode("cp1252")))
    assert one_text(document) == "modèle – précis et entier"
    assert "Windows-1252" in document.problems[0]


def test_stray_nuls_are_left_out_and_binary_files_refused(tmp_path: Path) -> None:
    stray = read_text(submitted(tmp_path, "a.txt", b"x" * 500 + b"\0"))
    assert one_text(stray) == "x" * 500
    assert "NUL" in stray.problems[0]
    binary = read_text(submitted(tmp_path, "a.txt", b"\x00\x01\x02\x03" * 100))
    assert binary.blocks == ()
    assert "binary" in binary.problems[0]


def test_line_numbers_are_an_editors(tmp_path: Path) -> None:
    document = read_text(submitted(tmp_path, "a.txt", "one\r\ntwo\x0bstill two\u2028and still\r\n\r\nfour"))
    assert [block.line for block in document.blocks] == [1, 2, 4]


def test_a_very_large_file_is_cut_with_a_remark(tmp_path: Path) -> None:
    document = read_text(submitted(tmp_path, "a.txt", b"x" * 21_000_000))
    assert len(one_text(document)) == 20_000_000
    assert "too long" in document.problems[0]


def test_a_missing_file_is_a_problem(tmp_path: Path) -> None:
    file = submitted(tmp_path, "a.txt", "x")
    file.location.unlink()
    assert read_text(file).problems == ("it cannot be opened (No such file or directory)",)

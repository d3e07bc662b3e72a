"""OpenDocument texts: titles, lists, tables, formulas, changes."""

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from grader.reading.document import BlockKind, Document
from grader.reading.odt import read_odt
from tests.reading.making import submitted
from tests.reading.making_docx import zipped
from tests.reading.making_odt import odt


def read(folder: Path, body: str) -> Document:
    return read_odt(submitted(folder, "report.odt", odt(body)))


def test_titles_lists_scripts_and_code(tmp_path: Path) -> None:
    document = read(
        tmp_path,
        '<text:h text:outline-level="1">Lab</text:h><text:p text:style-name="P1">Question 1</text:p><text:p/>'
        '<text:p text:style-name="P2">Question 2</text:p>'
        '<text:p>512<text:span text:style-name="T1">2</text:span><text:s text:c="3"/>d<text:span text:style-name="T2">m'
        "</text:span><text:line-break/>next</text:p>"
        "<text:list><text:list-item><text:p>bullet</text:p></text:list-item></text:list>"
        '<text:list text:style-name="L1"><text:list-item><text:p>one</text:p></text:list-item><text:list-item>'
        "<text:p>two</text:p></text:list-item></text:list>"
        '<text:p text:style-name="Preformatted_20_Text"><text:s text:c="2"/>x = 1</text:p>',
    )
    assert [(block.kind, block.text, block.level, block.line) for block in document.blocks if block.text] == [
        (BlockKind.HEADING, "Lab", 1, 1),
        (BlockKind.HEADING, "Question 1", 2, 2),
        (BlockKind.HEADING, "Question 2", 6, 3),
        (BlockKind.LINE, "512^{2} d_{m}", None, 4),
        (BlockKind.LINE, "next", None, 4),
        (BlockKind.LIST_ITEM, "• bullet", None, 5),
        (BlockKind.LIST_ITEM, "1. one", None, 6),
        (BlockKind.LIST_ITEM, "2. two", None, 7),
        (BlockKind.CODE, "  x = 1", None, 8),
    ]
    assert document.problems == ()


def test_tables_formulas_notes_and_pictures(tmp_path: Path) -> None:
    document = read(
        tmp_path,
        "<table:table><table:table-header-rows><table:table-row><table:table-cell><text:p>seed</text:p></table:table-cell>"
        '<table:table-cell table:number-columns-spanned="2"><text:p>Test</text:p></table:table-cell>'
        "<table:covered-table-cell/></table:table-row></table:table-header-rows>"
        '<table:table-row><table:table-cell table:number-columns-repeated="3"><text:p>7</text:p></table:table-cell>'
        "</table:table-row></table:table>"
        '<text:p>So <drawing:frame><drawing:object xlink:href="./Object 1"/><drawing:image/></drawing:frame> holds'
        "<text:note><text:note-citation>1</text:note-citation><text:note-body><text:p>a note</text:p></text:note-body>"
        "</text:note><drawing:frame><drawing:image/></drawing:frame></text:p>",
    )
    assert [block.cells for block in document.blocks[:2]] == [("seed", "Test", "Test"), ("7", "7", "7")]
    assert [
        (block.kind, block.text) for block in document.blocks[2:] if block.kind is BlockKind.FIGURE or block.text
    ] == [
        (BlockKind.LINE, "So $512^{2}$ holds"),
        (BlockKind.FIGURE, ""),
        (BlockKind.LINE, "a note"),
    ]


def test_deletions_and_lists_of_contents_do_not_count(tmp_path: Path) -> None:
    document = read(
        tmp_path,
        "<text:tracked-changes><text:changed-region><text:deletion><text:p>gone</text:p></text:deletion>"
        "</text:changed-region></text:tracked-changes>"
        "<text:table-of-content><text:index-body><text:p>Question 1</text:p></text:index-body></text:table-of-content>"
        "<text:section><text:p>text</text:p></text:section>",
    )
    assert [block.text for block in document.blocks] == ["text"]
    assert [block.text for block in document.furniture] == ["Question 1"]


def test_what_is_no_text_document_says_what_to_do(tmp_path: Path) -> None:
    document = read_odt(submitted(tmp_path, "a.odt", zipped({"a": b""})))
    assert document.blocks == ()
    assert "export the report as PDF" in document.problems[0]


WHOLE = odt("<text:h>Title</text:h><text:p>Some words</text:p>")


@given(cut=st.integers(0, len(WHOLE)), at=st.integers(0, len(WHOLE) - 1), mask=st.integers(1, 255))
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_no_damage_makes_the_reader_raise(tmp_path: Path, cut: int, at: int, mask: int) -> None:
    data = bytearray(WHOLE)
    data[at] ^= mask
    document = read_odt(submitted(tmp_path, "a.odt", bytes(data[:cut])))
    assert document.blocks or document.problems


@pytest.mark.parametrize("depth", [50, 4_000])
def test_towers_of_lists_are_bounded(tmp_path: Path, depth: int) -> None:
    tower = "<text:list><text:list-item>" * depth + "<text:p>x</text:p>" + "</text:list-item></text:list>" * depth
    assert read(tmp_path, tower + "<text:p>end</text:p>").blocks[-1].text == "end"

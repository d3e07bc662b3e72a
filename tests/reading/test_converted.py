"""Formats that pandoc converts."""

from pathlib import Path

import pytest

from grader.reading import converted
from grader.reading.converted import read_converted
from grader.reading.document import BlockKind
from tests.reading.making import submitted

RST = """
Lab report
==========

Task 3
------

The mean is :math:`79.5`, and the lines go on.

====  =====
Seed  Test
====  =====
0     79.9
1     78.5
====  =====
"""
ORG = "* Task 3\n\nThe mean is 79.5 on the test set.\n\n| Seed | Test |\n|------+------|\n| 0 | 79.9 |\n| 1 | 78.5 |\n"
TYPST = (
    "= Task 3\n\nThe mean is 79.5 on the test set.\n\n#table(columns: 2, [Seed], [Test], [0], [79.9], [1], [78.5])\n"
)
RTF = r"{\rtf1\ansi {\b Task 3}\par The mean is 79.5 on the test set.\par}"


def with_pandoc(name: str) -> pytest.MarkDecorator:
    return pytest.mark.skipif(name not in converted._formats(), reason=f"needs a pandoc that reads {name}")


@pytest.mark.parametrize(
    ("path", "source"),
    [
        pytest.param("report.rst", RST, marks=with_pandoc("rst")),
        pytest.param("report.org", ORG, marks=with_pandoc("org")),
        pytest.param("report.typ", TYPST, marks=with_pandoc("typst")),
    ],
)
def test_text_and_tables_are_read_with_their_lines(tmp_path: Path, path: str, source: str) -> None:
    document = read_converted(submitted(tmp_path, path, source))
    rows = [block.cells for block in document.blocks if block.kind is BlockKind.ROW]
    assert rows == [("Seed", "Test"), ("0", "79.9"), ("1", "78.5")]
    mean = next(block for block in document.blocks if "79.5" in block.text)
    assert mean.line is not None
    assert "79.5" in source.split("\n")[mean.line - 1]


@with_pandoc("rtf")
def test_rich_text_is_read_without_lines(tmp_path: Path) -> None:
    document = read_converted(submitted(tmp_path, "report.rtf", RTF))
    assert any("79.5 on the test set" in block.text for block in document.blocks)
    assert {block.line for block in document.blocks} == {None}


@with_pandoc("rtf")
def test_no_digit_is_lost_behind_a_sign_of_rich_text(tmp_path: Path) -> None:
    source = r"{\rtf1\ansi 258\u215?512 = 132\u8239 ?096, caf\u233e 7\u215\'d79\par}"
    document = read_converted(submitted(tmp_path, "report.rtf", source))
    assert [block.text for block in document.blocks] == ["258×512 = 132\u202f096, café 7×9"]


@with_pandoc("rst")
def test_a_source_includes_no_other_file(tmp_path: Path) -> None:
    (tmp_path / "secret.txt").write_text("a secret of the machine")
    source = f"Title\n=====\n\n.. include:: {tmp_path / 'secret.txt'}\n"
    document = read_converted(submitted(tmp_path, "report.rst", source))
    assert not any("secret of" in block.text for block in document.blocks)


def test_without_pandoc_it_says_what_is_missing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(converted, "_formats", frozenset)
    document = read_converted(submitted(tmp_path, "report.rst", RST))
    assert not document.blocks
    assert "pandoc" in str(document.problems[0])

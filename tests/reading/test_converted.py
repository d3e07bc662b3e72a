"""Formats that pandoc converts."""

from pathlib import Path

import pytest

from grader.reading import pandoc
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
    return pytest.mark.skipif(name not in pandoc._formats(), reason=f"needs a pandoc that reads {name}")


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
@pytest.mark.parametrize(
    ("source", "text"),
    [
        (r"258\u215?512 = 132\u8239 ?096, caf\u233e 7\u215\'d79", "258×512 = 132\u202f096, café 7×9"),
        (r"\uc0 258\u215 512 {\uc1 2\u215?64} 9\u215 7", "258×512 2×64 9×7"),
        (r"{\uc2 258\u215 ??512} 2\u215?64 \u8722-5", "258×512 2×64 −5"),
    ],
)
def test_no_digit_is_lost_behind_a_sign_of_rich_text(tmp_path: Path, source: str, text: str) -> None:
    document = read_converted(submitted(tmp_path, "report.rtf", rf"{{\rtf1\ansi {source}\par}}"))
    assert [block.text for block in document.blocks] == [text]


@with_pandoc("rtf")
@pytest.mark.parametrize(
    ("source", "text"),
    [
        (
            r"{\mmath{\*\moMath{\mr 4}{\mr \u215\'d7}{\msSup{\me{\mr 512}}{\msup{\mr 2}}}}{\mmathPict x}} fits",
            "so $4×512^{2}$ fits",
        ),
        (r"{\mmath{\*\moMath{\mf{\mnum{\mr a}}{\mden{\mr b}}}}}", r"so $\frac{a}{b}$"),
        (r"{\mmath{\*\moMath{\mrad{\mradPr{\mdegHide 1}}{\mdeg}{\me{\mr 5}}}}}", r"so $\sqrt{5}$"),
        (r"{\cf1 {\mmath{\*\moMath{\mr x = 5}}}}", "so"),
    ],
)
def test_formulas_of_rich_text_are_read(tmp_path: Path, source: str, text: str) -> None:
    written = rf"{{\rtf1\ansi{{\colortbl;\red255\green255\blue255;}} so {source}\par}}"
    assert read_converted(submitted(tmp_path, "report.rtf", written)).blocks[0].text == text


@with_pandoc("rtf")
def test_formulas_of_rich_text_that_are_objects_are_told(tmp_path: Path) -> None:
    source = r"{\rtf1\ansi so {\object\objemb{\*\objclass Equation.DSMT4}{\*\objdata 00}}\par}"
    (problem,) = read_converted(submitted(tmp_path, "report.rtf", source)).problems
    assert "formulas cannot be read" in problem


@with_pandoc("rst")
def test_a_source_includes_no_other_file(tmp_path: Path) -> None:
    (tmp_path / "secret.txt").write_text("a secret of the machine")
    source = f"Title\n=====\n\n.. include:: {tmp_path / 'secret.txt'}\n"
    document = read_converted(submitted(tmp_path, "report.rst", source))
    assert not any("secret of" in block.text for block in document.blocks)


def test_without_pandoc_it_says_what_is_missing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pandoc, "_formats", frozenset)
    document = read_converted(submitted(tmp_path, "report.rst", RST))
    assert not document.blocks
    assert "pandoc" in str(document.problems[0])


@pytest.mark.parametrize(
    ("ends", "words"),
    [
        ("exit 251", "too complex"),
        ("kill -9 $$", "too complex"),
        ("exit 21", "missing here or too old"),
        ("exit 64", "damaged"),
    ],
)
def test_it_says_why_pandoc_gave_up(tmp_path: Path, ends: str, words: str) -> None:
    program = tmp_path / "pandoc"
    program.write_text(f"#!/bin/sh\n{ends}\n")
    program.chmod(0o755)

    def convert(data: bytes, wanted: str) -> bytes | pandoc.Failure:
        return pandoc.converted_by(str(program), data, wanted, seconds=9)

    with pandoc.converting_by(convert):
        document = read_converted(submitted(tmp_path, "report.rst", RST))
    assert words in str(document.problems[0])


@with_pandoc("rst")
def test_notes_and_captions_stand_where_the_source_has_them(tmp_path: Path) -> None:
    source = (
        "The mean is 79.50 [#f]_.\n\n.. [#f] The population form of the deviation is used here.\n\nMore text here.\n"
    )
    blocks = read_converted(submitted(tmp_path, "report.rst", source)).blocks
    assert [(block.text, block.line) for block in blocks if block.text] == [
        ("The mean is 79.50.", 1),
        ("More text here.", 5),
        ("1. The population form of the deviation is used here.", 3),
    ]


def test_a_formula_that_pandoc_leaves_out_is_told(tmp_path: Path) -> None:
    with pandoc.converting_by(lambda *_: b'<p>One <span class="math inline">\\(512\\)</span>, two .</p>'):
        document = read_converted(submitted(tmp_path, "report.typ", "One $512$, two $1024$. `$a$` // $b$\n"))
    assert [str(problem) for problem in document.problems] == [
        "pandoc lost 1 formula of the file: export the report as PDF and hand that in"
    ]


COLOURS = r"{\colortbl;\red0\green0\blue0;\red255\green255\blue255;\red31\green56\blue100;}"


@with_pandoc("rtf")
@pytest.mark.parametrize(
    ("source", "is_hidden"),
    [
        (r"a {\cf2 22,807,552} b", True),
        (r"a \cf2 22,807,552\cf0  b", True),
        (r"a {\fs2 22,807,552} b", True),
        (r"a {\charscalex1 22,807,552} b", True),
        (r"a {\cf3\highlight3 22,807,552} b", True),
        (r"a {\v 22,807,552} b", None),
        (r"a {\deleted 22,807,552} b", None),
        (r"a {\cf2\uc1 22,807\u44 ?552} 22,807,552", False),
        (r"\trowd\clcbpat3\cellx3000\cellx6000 {\cf2 22,807,552}\cell b\cell\row", None),
        (r"a {\cf2\highlight3 22,807,552} b", False),
        (r"a {\fs2\plain 22,807,552} b", False),
        (r"a {\cf1\fs16 22,807,552} b", False),
        (r"a {\cf3 22,807,552} b", False),
        (r"{\cf2 } 22,807,552", False),
    ],
)
def test_rich_text_hides_by_colours_and_sizes(tmp_path: Path, source: str, is_hidden: bool | None) -> None:
    document = read_converted(submitted(tmp_path, "report.rtf", rf"{{\rtf1\ansi {COLOURS}\fs24 {source}\par}}"))
    read = " ".join(block.text for block in document.blocks)
    assert ("22,807,552" in read) is (is_hidden is False)
    assert ("22,807,552" in " ".join(block.text for block in document.hidden)) is (is_hidden is True)
    assert bool(document.problems) is (document.hidden != () or "clcbpat" in source)

"""Markdown beyond the simplest: formulas, tables, tags, quotations, notes, escapes."""

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from grader.reading.document import Block, BlockKind, Document
from grader.reading.markdown import MOST_LINES, markdown_blocks, read_markdown, without_markup
from grader.reading.maths.formula import format_expression
from tests.patience import within
from tests.reading.making import submitted


def blocks(source: str) -> list[Block]:
    return markdown_blocks(source.split("\n"))


def shown(source: str) -> list[tuple[str, str, int | None]]:
    return [(block.kind.value, block.text, block.line) for block in blocks(source)]


def formulas(source: str) -> list[str | None]:
    return [
        format_expression(f.expression) if f.expression else None for block in blocks(source) for f in block.formulas
    ]


def test_formulas_within_lines_and_rows_have_their_places() -> None:
    line, row = blocks("so $4d_{model}^2$ for $5 or $6, `$x$`\n\n| $|V| \\times d$ | `a|b` | $\\alpha$ |")
    assert [line.text[f.start : f.end] for f in line.formulas] == ["4d_{model}^2"]
    assert row.cells == (r"$|V| \times d$", "`a|b`", r"$\alpha$")
    assert [row.text[f.start : f.end] for f in row.formulas] == [r"|V| \times d", r"\alpha"]


def test_what_is_struck_out_is_not_said() -> None:
    assert [block.text for block in blocks("Total: ~~22,806,528~~ **22,807,552**, std <s>0.55</s> 0.45")] == [
        "Total:  **22,807,552**, std  0.45"
    ]
    for kept in ("~5 minutes and ~6", "a ~~ b ~~ c", "`~~x~~`", "~~~"):
        assert "".join(block.text for block in blocks(f"so {kept}")) == f"so {kept}"


def test_prices_in_a_table_are_no_formula() -> None:
    (row,) = blocks("| $5 | $6 |")
    assert (row.cells, row.formulas) == (("$5", "$6"), ())


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("$$\n4 \\times 512^2\n= 1048576\n$$", ["4 × 512^2 = 1048576"]),
        ("$$ a = b $$ (3)", ["a = b"]),
        ("> $$\n> a = b\n> $$", ["a = b"]),
        ("\\[\n a = b\n\\].", ["a = b"]),
        ("The total is: $$\na = b\n$$", ["a = b"]),
        ("$$\\begin{aligned}\na &= b \\\\\nc &= d\n\\end{aligned}$$", ["a = b", "c = d"]),
        ("\\begin{align*}\na &= b + \\\\ & c \\nonumber\\\\\n &= d\n\\end{align*}", ["a = b + c", "= d"]),
    ],
)
def test_displays(source: str, expected: list[str]) -> None:
    found = [block for block in blocks(source) if block.kind is BlockKind.MATH]
    assert [format_expression(f.expression) for block in found for f in block.formulas if f.expression] == expected
    assert formulas(source) == expected


def test_rows_of_a_display_keep_their_lines() -> None:
    source = "so\n$$\n\\begin{aligned}\na &= b \\\\\nc &= d\n\\end{aligned}\n$$\nend"
    assert shown(source) == [("line", "so", 1), ("math", "a = b", 4), ("math", "c = d", 5), ("line", "end", 8)]


def test_words_around_a_display_stay() -> None:
    source = "we get: $$\na\n$$ parameters"
    assert shown(source) == [("line", "we get:", 1), ("math", "$$ a $$", 1), ("line", "parameters", 3)]


def test_a_table_without_outer_pipes_goes_on() -> None:
    found = blocks("seed | test\n--- | ---\n0 | 79.9\n1 | 78.5\n\nP(a | b)")
    assert [block.kind.value for block in found] == ["row", "row", "row", "line"]


def test_a_ruler_of_single_dashes_is_no_row_and_empty_cells_are() -> None:
    source = "| seed | test |\n| - | -: |\n| 0 | 79.9 |\n| - | - |"
    assert [block.cells for block in blocks(source)] == [("seed", "test"), ("0", "79.9"), ("-", "-")]


def test_a_ruler_of_single_dashes_needs_no_outer_pipes() -> None:
    found = blocks("seed | test\n-|-\n0 | 79.9\n1 | 78.5")
    assert [block.cells for block in found] == [("seed", "test"), ("0", "79.9"), ("1", "78.5")]


def test_html_tables() -> None:
    source = (
        "<table>\n<tr><th rowspan=2>Model</th><th colspan='2'>Accuracy</th></tr>\n"
        "<tr><td>valid</td><td>test</td></tr>\n"
        "<tr>\n<td>random</td>\n<td>65.4</td><td><b>66.7</b>&nbsp;%</td></tr>\n</table>\nafter"
    )
    found = blocks(source)
    assert [block.cells for block in found[:-1]] == [
        ("Model", "Accuracy", "Accuracy"),
        ("Model", "valid", "test"),
        ("random", "65.4", "**66.7** %"),
    ]
    assert (found[-1].text, found[-1].line) == ("after", 8)


def test_a_table_that_never_closes_hides_nothing() -> None:
    assert [text for _, text, _ in shown("<table>\n79.9\n# Title")] == ["79.9", "Title"]


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("512<sup>2</sup> and d<sub>model</sub>, the 1<sup>st</sup>", "512^{2} and d_{model}, the 1st"),
        ("a &times; b &lt; c &amp; R&D", "a × b < c & R&D"),
        ("<human>: question? <br> <assistant>: answer", "<human>: question?   <assistant>: answer"),
        ("<span style='color:red'>22,807,552</span> <!-- 1 --> in all", "22,807,552  in all"),
        ("22,807,552[^1] parameters", "22,807,552 parameters"),
        ("see [the paper](https://arxiv.org/abs/2106.09685) and [1](#ref)", "see the paper and 1"),
        ('target_modules=["query_key_value"](as given)', 'target_modules=["query_key_value"](as given)'),
        (r"lora\_alpha \* 2 and $a\_b$ and `c\_d`", r"lora_alpha * 2 and $a\_b$ and `c\_d`"),
        (r"1\. first", "1. first"),
        ("> quoted > 0.5", "quoted > 0.5"),
        ("[^1]: Without biases.", "Without biases."),
        ("- [x] done", "- [x] done"),
    ],
)
def test_within_a_line(source: str, expected: str) -> None:
    (block,) = blocks(source)
    assert block.text == expected


def test_comments_over_lines_are_left_out() -> None:
    assert shown("a <!-- x\ny\nz --> b\n<!-- never closed") == [
        ("line", "a", 1), ("line", "b", 3), ("line", "<!-- never closed", 4),
    ]  # fmt: skip


def test_code_keeps_comments_and_quotation_marks() -> None:
    assert shown("- item\n    ```python\n    <!-- x -->\n    > y $z$\n    ```\n```x``` is code") == [
        ("list-item", "- item", 1),
        ("code", "    <!-- x -->", 3),
        ("code", "    > y $z$", 4),
        ("line", "```x``` is code", 6),
    ]


def test_titles_in_tags_and_in_quotations() -> None:
    assert shown("<h2 align='center'>Question <b>1</b></h2>\n> ## Task 3 ##\n\n<b>Results</b>") == [
        ("heading", "Question **1**", 1), ("heading", "Task 3", 2), ("heading", "Results", 4),
    ]  # fmt: skip


def test_settings_before_the_text_are_none_of_it() -> None:
    assert shown('---\ntitle: "The lab"\nauthor: A. Person\n---\ntext\n\n---\nnext') == [
        ("heading", "The lab", 2), ("line", "text", 5), ("line", "next", 8),
    ]  # fmt: skip
    assert [text for _, text, _ in shown("---\nThe total: = 5\nis\n\nno head\n---")] == [
        "The total: = 5",
        "is",
        "no head",
    ]


def test_pictures() -> None:
    assert shown("![Accuracy by step](a.png)\n<img src='b.png' width=3>\nsee ![it](c.png) here") == [
        ("figure", "Accuracy by step", 1), ("figure", "", 2), ("line", "see it here", 3),
    ]  # fmt: skip


def test_nested_items() -> None:
    source = "* a\n    - b\n        1. c\n+ further words\n+ 512"
    assert [kind for kind, _, _ in shown(source)] == ["list-item"] * 4 + ["line"]


def test_formulas_are_one_line_of_json() -> None:
    document = Document(file="a.md", exact=True, blocks=tuple(blocks("so $4d^2$ and $\\foo$")))
    text = document.model_dump_json(exclude_defaults=True)
    assert '"formulas":[{"start":4,"end":8,"expression":"4 × d^2"},{"start":15,"end":19}]' in text
    assert Document.model_validate_json(text) == document


HOSTILE = {
    "spaces": " " * 300_000 + "x",
    "hashes": "# " + "#" * 300_000 + "x",
    "hashes apart": "# " * 150_000 + "x",
    "pipes": "|" * 300_000,
    "dashes": "-|" * 150_000 + "x",
    "dollars": "$" * 300_001,
    "displays": "$$\n" * 50_000,
    "open displays": "\\[\n" * 50_000,
    "fences": "```\n" * 50_000,
    "tables": "<table>\n" * 30_000,
    "cells": "<table>" + "<tr><td colspan=9999 rowspan=9999>a" * 3_000 + "</table>",
    "comments": "<!--\n" * 50_000,
    "comments in a line": "<!-- -->" * 40_000,
    "tags": "<b " * 100_000,
    "links": "[x](" * 100_000,
    "brackets": "[" * 300_000,
    "quotes": "> " * 150_000,
    "titles": "title: a" + " " * 200_000 + "b",
    "head": "---\n" + "a: b\n" * 50_000,
    "bold": "**" * 150_000,
    "backslashes": "\\" * 300_001,
    "formulas": "$a+b$ c\n" * 20_000,
    "rows": "$$\n" + "a \\\\ " * 50_000 + "\n$$",
    "displays with rows": ("$$\n" + "a \\\\ " * 3_000 + "\n$$\n") * 8,
    "row": "$|a|$ | " * 40_000,
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_sources_end_soon(name: str) -> None:
    with within(5):
        blocks(HOSTILE[name])


@pytest.mark.slow
@pytest.mark.parametrize("name", HOSTILE)
def test_large_hostile_sources_end(name: str) -> None:
    with within(60):
        markdown_blocks((HOSTILE[name] * 20).split("\n")[:MOST_LINES])


PIECES = [
    *("$", "$$", "\n", "|", "`", "```", "~~~", "# ", "> ", "- ", "---", "===", "**", "<!--", "-->", "\\[", "\\]", "\\"),
    *("<table>", "</table>", "<tr>", "<td>", "<sup>2</sup>", "\\begin{align}", "\\end{align}", "\\\\", "&", "[^1]"),
    *("[a](b)", "![c](d)", "a", "512", " "),
]


@settings(deadline=None, max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.sampled_from(PIECES), max_size=40).map("".join))
def test_nothing_makes_the_reader_raise(source: str) -> None:
    for block in blocks(source):
        assert block.line is not None
        assert 1 <= block.line <= source.count("\n") + 1
        assert all(0 <= formula.start < formula.end <= len(block.text) for formula in block.formulas)


@settings(deadline=None, max_examples=50, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.binary(max_size=300))
def test_no_bytes_make_the_reader_raise(tmp_path: Path, data: bytes) -> None:
    assert isinstance(read_markdown(submitted(tmp_path, "a.md", data)), Document)


def test_notes_stand_behind_the_paragraph_that_refers_to_them() -> None:
    text = "# A\n\nFirst,[^x] and\nstill first.\n\n# B\n\nSecond.[^2]\n\n"
    source = text + "[^x]: one\n    and more\n\n[^2]: two\n[^3]: three\n"
    assert [(text, line) for _, text, line in shown(source)] == [
        ("A", 1), ("First, and", 3), ("still first.", 4), ("one", 10), ("and more", 11), ("B", 6), ("Second.", 8),
        ("two", 13), ("three", 14),
    ]  # fmt: skip


def test_lines_that_are_only_set_in_are_code_but_not_in_a_list(tmp_path: Path) -> None:
    source = (
        "From the console:\n\n    seed=0 | accuracy 79.6\n    seed=1 | accuracy 78.9\n\n- an item\n\n    its own text\n"
    )
    blocks = read_markdown(submitted(tmp_path, "report.md", source.encode())).blocks
    assert [(one.kind, one.text.strip()) for one in blocks if one.text.strip()] == [
        (BlockKind.LINE, "From the console:"),
        (BlockKind.CODE, "seed=0 | accuracy 79.6"),
        (BlockKind.CODE, "seed=1 | accuracy 78.9"),
        (BlockKind.LIST_ITEM, "- an item"),
        (BlockKind.LINE, "its own text"),
    ]


@pytest.mark.parametrize(
    ("line", "text"),
    [
        ("use ~~`a=1`~~, `b=2`", "use , `b=2`"),
        ("use <del>`a=1`</del> and `b=2`", "use  and `b=2`"),
        ("`~~a~~` and ~~b~~", "`~~a~~` and "),
        ("`~~a` and `b~~`", "`~~a` and `b~~`"),
    ],
)
def test_code_that_is_struck_out_is_no_part_of_the_text(line: str, text: str) -> None:
    assert without_markup(line) == text

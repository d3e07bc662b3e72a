"""HTML within Markdown, in files and in notebooks, hides what it would hide on a page."""

import json
from pathlib import Path

import pytest

from grader.reading.document import Document
from grader.reading.html import read_html
from grader.reading.markdown import read_markdown
from grader.reading.notebook import notebook_document
from grader.reading.notebook_file import read_notebook
from tests.reading.making import submitted
from tests.reading.test_html_visibility import assert_doubtful, assert_hidden, assert_shown
from tests.reading.unseen_ways import ANSWER, DOUBTFUL, HIDING, HIDING_PAGES, SHOWING, SHOWING_PAGES

PLACES = {
    "within a line": 'shown\n\nThe total is <span style="{}">{}</span> in all.\n',
    "alone": 'shown\n\n<div style="{}">\n\nThe total is **{}**.\n\n</div>\n',
    "block": '<p>shown</p>\n<div style="{}">{}</div>\n\nmore\n',
    "class": "<style>\n.quiet {{{}}}\n</style>\n\nshown <i class=quiet>{}</i>\n",
    "item": '- shown\n- a <b style="{}">{}</b>\n',
    "title": '# shown <span style="{}">{}</span>\n\ntext\n',
    "row": '| a | shown |\n|---|---|\n| b | <span style="{}">{}</span> |\n',
    "table": '<table>\n<tr><td>shown<td>b\n<tr><td>c<td><span style="{}">{}</span>\n</table>\n',
    "quotation": '> shown\n> <span style="{}">{}</span>\n',
    "code": 'shown\n\n<pre style="{}">\n{}\n</pre>\n',
    "tag over lines": 'shown\n\n<div\n  style="{}"\n>\n{}\n</div>\n',
    "unclosed": 'shown\n\nthe total <span style="{}">{}\n\nmore\n',
}
SOME = ("display", "white", "variable", "size", "left", "clip", "height", "opacity")


def markdown(folder: Path, text: str) -> Document:
    return read_markdown(submitted(folder, "report.md", text.encode()))


def notebook(folder: Path, *cells: dict[str, object]) -> Document:
    content = {"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": list(cells)}
    return notebook_document(read_notebook(submitted(folder, "lab.ipynb", json.dumps(content).encode())))


def words(text: str) -> dict[str, object]:
    return {"cell_type": "markdown", "metadata": {}, "source": text}


def printing(html: str, plain: str = "<IPython.core.display.HTML object>") -> dict[str, object]:
    output = {"output_type": "display_data", "metadata": {}, "data": {"text/html": html, "text/plain": plain}}
    return {"cell_type": "code", "metadata": {}, "source": "show()", "execution_count": 1, "outputs": [output]}


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("way", SOME)
def test_markdown_hides(tmp_path: Path, way: str, place: str) -> None:
    assert_hidden(markdown(tmp_path, PLACES[place].format(HIDING[way], ANSWER)))


@pytest.mark.parametrize("way", HIDING)
def test_every_way_hides_in_a_cell_of_words(tmp_path: Path, way: str) -> None:
    assert_hidden(notebook(tmp_path, words(PLACES["block"].format(HIDING[way], ANSWER))))


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("way", ["light grey", "blurred"])
def test_markdown_may_hide(tmp_path: Path, way: str, place: str) -> None:
    assert_doubtful(markdown(tmp_path, PLACES[place].format(DOUBTFUL[way], ANSWER)))


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("way", SHOWING)
def test_markdown_shows(tmp_path: Path, way: str, place: str) -> None:
    if place not in ("alone", "block", "code", "tag over lines") or not way.startswith("inline"):
        assert_shown(markdown(tmp_path, PLACES[place].format(SHOWING[way], ANSWER)))


@pytest.mark.parametrize("page", HIDING_PAGES)
def test_pages_hide_in_outputs(tmp_path: Path, page: str) -> None:
    assert_hidden(notebook(tmp_path, printing(HIDING_PAGES[page].replace("{}", ANSWER))))


@pytest.mark.parametrize("page", SHOWING_PAGES)
def test_pages_show_in_outputs(tmp_path: Path, page: str) -> None:
    assert_shown(notebook(tmp_path, printing(SHOWING_PAGES[page].replace("{}", ANSWER))))


def test_a_page_that_hides_is_shown_instead_of_the_plain_form_beside_it(tmp_path: Path) -> None:
    document = notebook(tmp_path, printing(f"<p>shown</p><p hidden>{ANSWER}</p>", f"shown {ANSWER}"))
    assert [block.text for block in document.blocks if block.text] == ["show()", "shown"]
    assert_hidden(notebook(tmp_path, printing(f"<p>shown</p><p style='color:#fff'>{ANSWER}</p>", f"shown {ANSWER}")))


def test_what_a_library_shows_on_a_click_is_in_order(tmp_path: Path) -> None:
    html = "<p>Model</p><div style='display:none'><pre>Model(C=10)</pre>run this cell again to see more of it</div>"
    document = notebook(tmp_path, printing(html, "Model(C=10)"))
    assert (document.hidden, document.problems) == ((), ())


@pytest.mark.parametrize(
    "text",
    [
        "shown\n\n<script type=text/plain>{}</script>\n",
        "shown\n\n<!-- {} -->\n",
        "shown\n\n<template>\n{}\n</template>\n",
        "shown\n\n<template><p>{}</p></template>\n",
        "shown\n\n<iframe srcdoc=x>{}</iframe>\n",
        "shown\n\n<video>{}</video>\n",
    ],
)
def test_what_is_no_text_counts_for_nothing(tmp_path: Path, text: str) -> None:
    document = markdown(tmp_path, text.format(ANSWER))
    assert [block.text for block in document.blocks if block.text] == ["shown"]


def test_words_in_a_drawing_are_for_a_person(tmp_path: Path) -> None:
    assert_doubtful(markdown(tmp_path, f"shown\n\n<svg><text fill=white>{ANSWER}</text></svg>\n"))


def test_folded_text_is_for_a_person_and_what_is_unfolded_counts(tmp_path: Path) -> None:
    folded = "shown\n\n<details><summary>more</summary>\n\n{}\n\n</details>\n"
    assert_doubtful(markdown(tmp_path, folded.format(ANSWER)))
    assert_shown(markdown(tmp_path, folded.replace("<details>", "<details open>").format(ANSWER)))


@pytest.mark.parametrize(
    "text",
    [
        "use `<div hidden>` to hide\n\nshown {}\n",
        "```html\n<div style='display:none'>\n```\n\nshown {}\n",
        "    <div hidden>\n\nshown {}\n",
        "for $a<b$ and List<int> and x <y shown {}\n",
        "a <b and\n\nshown {} > 3\n",
        "an escaped \\<div hidden> shown {}\n",
        "the <title> and <script> tags shown {}\n",
        "<span style='color:white'>white\n\nshown {}\n",
        "shown <br> {} <img src=x.png style='display:none'> <sub>2</sub>\n",
        "shown <a name=x></a> {} <center>b</center>\n",
    ],
)
def test_what_only_looks_like_a_tag_hides_nothing(tmp_path: Path, text: str) -> None:
    assert ANSWER in " ".join(block.text for block in markdown(tmp_path, text.format(ANSWER)).blocks)


def test_hidden_text_has_its_line(tmp_path: Path) -> None:
    document = markdown(tmp_path, f"# Title\n\nshown\n<div hidden>\n\n{ANSWER}\n</div>\n")
    assert [(block.line, block.text) for block in document.hidden] == [(6, ANSWER)]
    cell = notebook(tmp_path, words("shown"), words(f"a\n<p hidden>{ANSWER}</p>"))
    assert [(block.cell, block.line, block.text) for block in cell.hidden] == [(1, 2, ANSWER)]


def test_style_sheets_of_the_hand_in_are_read(tmp_path: Path) -> None:
    page = f'<link rel=stylesheet href="css/../css/a%20b.css?v=1"><p>shown</p><p class=q>{ANSWER}</p>'.encode()
    folders = [tmp_path / name for name in ("page", "sheet", "more")]
    for folder in folders:
        folder.mkdir()
    report = submitted(folders[0], "web/report.html", page)
    sheet = submitted(folders[1], "web/css/a b.css", b"@import 'more.css'; .x {color: red}")
    more = submitted(folders[2], "web/more.css", b".q { display: none }")
    assert_hidden(read_html(report, [report, sheet, more]))
    assert_shown(read_html(report, [report]))


def test_a_style_sheet_in_an_address_is_read(tmp_path: Path) -> None:
    page = f'<link rel=stylesheet href="data:text/css,.q%7Bopacity:0%7D"><p>shown</p><p class=q>{ANSWER}</p>'
    assert_hidden(read_html(submitted(tmp_path, "report.html", page.encode())))

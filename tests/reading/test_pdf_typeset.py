"""A report typeset by a real engine, read back."""

import pytest

from grader.reading.document import BlockKind, Document
from grader.reading.pdf import read_pdf
from tests.reading.making import submitted

REPORT = """
<style>@page { size: A4; @bottom-center { content: counter(page) } } td, th { padding: 0 8pt }</style>
<h1>Lab report</h1>
<h2>1 Question 1</h2>
<p>A fine layer has 2 × 512<sup>2</sup> and 4 × 1,572,864 = 6,291,456.</p>
<p>Les modèles <code>lora_alpha</code> and d<sub>model</sub> stand in a line.</p>
<h3>1.1 Positional part</h3>
<ul><li>r: the rank</li><li>bias: none</li></ul>
<h2>2 Task 3</h2>
<table><tr><th>Seed</th><th>Valid</th><th>Test</th></tr>
<tr><td>seed 0</td><td>81.5</td><td>79.90</td></tr><tr><td>seed 1</td><td>80.0</td><td>78.50</td></tr></table>
"""


@pytest.fixture(scope="module")
def document(tmp_path_factory: pytest.TempPathFactory) -> Document:
    import weasyprint

    content = weasyprint.HTML(string=REPORT).write_pdf()
    return read_pdf(submitted(tmp_path_factory.mktemp("typeset"), "report.pdf", content))


def test_the_text_is_whole(document: Document) -> None:
    texts = [block.text for block in document.blocks]
    assert "A fine layer has 2 × 512^{2} and 4 × 1,572,864 = 6,291,456." in texts
    assert "Les modèles lora_alpha and d_{model} stand in a line." in texts
    assert document.problems == ()


def test_titles_have_their_depths(document: Document) -> None:
    titles = [(block.text, block.level) for block in document.blocks if block.kind is BlockKind.HEADING]
    assert titles == [("Lab report", 1), ("1 Question 1", 1), ("1.1 Positional part", 2), ("2 Task 3", 1)]


def test_items_keep_their_bullets(document: Document) -> None:
    items = [block.text for block in document.blocks if block.kind is BlockKind.LIST_ITEM]
    assert [item.split(maxsplit=1)[1] for item in items] == ["r: the rank", "bias: none"]


def test_rows_have_their_cells(document: Document) -> None:
    rows = [block.cells for block in document.blocks if block.kind is BlockKind.ROW]
    assert rows == [("Seed", "Valid", "Test"), ("seed 0", "81.5", "79.90"), ("seed 1", "80.0", "78.50")]


def test_the_page_number_is_gone(document: Document) -> None:
    assert "1" not in [block.text for block in document.blocks]

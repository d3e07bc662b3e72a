"""The same report as Markdown, as a web page and as a Word document makes the same claims."""

from pathlib import Path
from typing import Any

import pytest

from grader.claims.counts import counts
from grader.claims.definitions import definitions
from grader.claims.equations import equations
from grader.claims.results.claimed import result_claims
from grader.claims.sections import sections
from grader.reading.document import Document
from grader.reading.docx import read_docx
from grader.reading.html import read_html
from grader.reading.markdown import read_markdown
from tests.claims.making import lab
from tests.reading.making import submitted
from tests.reading.making_docx import cell, docx, letters, lowered, math, paragraph, raised, row, run, table

MARKDOWN = r"""
# Lab report

## Question 1

The attention of one layer has 4 × 512² = 1,048,576 weights of $d_{model}$

The feed-forward part has

$$2 \times 512^{2} = 524288$$

Halved: $\frac{524288}{2} = 262144$ in one matrix

Total = 22,829,056 parameters

**Task 3**

Table 1: test accuracy of the pretrained model

| | seed 0 | seed 1 | seed 2 |
|--|--|--|--|
| Pretrained model | 79.3 | 78.5 | 80.1 |

The average test accuracy is 79.3 % and the standard deviation 0.65 %.

## Question 2

- r = 16: the rank of the two matrices
- lora_alpha = 32: the update is scaled by alpha / r
- bias = none: no bias is trained
"""

HTML = """<!doctype html><html><head><meta charset="utf-8"><style>h1 {color: red}</style></head><body>
<h1>Lab report</h1><h2>Question 1</h2>
<p>The attention of one layer has 4 × 512<sup>2</sup> = 1,048,576 weights of d<sub>model</sub>
<p>The feed-forward part has
<math display="block"><mn>2</mn><mo>×</mo><msup><mn>512</mn><mn>2</mn></msup><mo>=</mo><mn>524288</mn></math>
<p>Halved: <math><mfrac><mn>524288</mn><mn>2</mn></mfrac><mo>=</mo><mn>262144</mn></math> in one matrix</p>
<p>Total = 22,829,056 parameters</p>
<p><strong>Task 3</strong></p>
<table><caption>Table 1: test accuracy of the pretrained model</caption>
<tr><td></td><th>seed 0</th>
    <th>seed 1</th>
    <th>seed 2</th></tr>
<tr><td>Pretrained model</td>
    <td>79.3</td><td>78.5</td><td>80.1</td></tr></table>
<p>The average test accuracy is 79.3&nbsp;% and the standard deviation 0.65&nbsp;%.</p>
<h2>Question 2</h2><ul>
<li><code>r = 16</code>: the rank of the two matrices
<li><code>lora_alpha = 32</code>: the update is scaled by alpha / r
<li><code>bias = none</code>: no bias is trained</ul></body></html>"""


def word() -> bytes:
    power = f"<m:sSup><m:e>{letters('512')}</m:e><m:sup>{letters('2')}</m:sup></m:sSup>"
    half = f"<m:f><m:num>{letters('524288')}</m:num><m:den>{letters('2')}</m:den></m:f>"
    listed = '<w:numPr><w:ilvl w:val="0"/><w:numId w:val="1"/></w:numPr>'
    return docx(
        paragraph("Lab report", style="Titre1")
        + paragraph("Question 1", style="Titre2")
        + paragraph(
            run("The attention of one layer has 4 × 512")
            + raised("2")
            + run(" = 1,048,576 weights of d")
            + lowered("model")
        )
        + paragraph("The feed-forward part has")
        + paragraph(math(letters("2×") + power + letters("=524288"), displayed=True))
        + paragraph(run("Halved: ") + math(half + letters("=262144")) + run(" in one matrix"))
        + paragraph("Total = 22,829,056 parameters")
        + paragraph(run("Task 3", "<w:b/>"))
        + paragraph("Table 1: test accuracy of the pretrained model", style="Lgende")
        + table(row("", "seed 0", "seed 1", "seed 2"), row(cell("Pretrained model"), "79.3", "78.5", "80.1"))
        + paragraph("The average test accuracy is 79.3 % and the standard deviation 0.65 %.")
        + paragraph("Question 2", style="Titre2")
        + paragraph("r = 16: the rank of the two matrices", listed)
        + paragraph(run("lora_alpha = 32: the update is ") + run("scaled by alpha / r"), listed)
        + paragraph("bias = none: no bias is trained", listed)
    )


def claims(document: Document) -> dict[str, Any]:
    """What the report claims, without the places."""
    cut = sections(document, lab())
    found = result_claims(cut, lab())
    passages = [section.passage for section in cut]
    return {
        "sections": [section.questions for section in cut],
        "counts": [(count.value, count.is_result, count.is_total) for passage in passages for count in counts(passage)],
        "equations": [
            (equation.left.replace(" ", ""), equation.right.replace(" ", ""), equation.holds)
            for passage in passages
            for equation in equations(passage)
        ],
        "seeds": [claim.model_dump(exclude={"evidence"}) for claim in found.seeds],
        "summaries": [claim.model_dump(exclude={"evidence"}) for claim in found.summaries],
        "definitions": [
            (claim.parameter, claim.text, claim.value)
            for section in cut
            for claim in definitions(section.passage, lab())
            if claim.named
        ],
    }


@pytest.fixture
def expected(tmp_path: Path) -> dict[str, Any]:
    return claims(read_markdown(submitted(tmp_path, "report.md", MARKDOWN)))


def test_the_markdown_claims_what_it_should(expected: dict[str, Any]) -> None:
    assert [value for value, *_ in expected["counts"]] == [1048576, 524288, 524288, 262144, 22829056]
    assert [holds for *_, holds in expected["equations"]] == [True, True, True]
    assert len(expected["seeds"]) == 3
    assert len(expected["summaries"]) == 1
    assert {"r", "lora_alpha", "bias"} <= {parameter for parameter, *_ in expected["definitions"]}


@pytest.mark.parametrize("kind", ["sections", "counts", "equations", "seeds", "summaries", "definitions"])
def test_a_web_page_claims_the_same(tmp_path: Path, expected: dict[str, Any], kind: str) -> None:
    assert claims(read_html(submitted(tmp_path, "report.html", HTML)))[kind] == expected[kind]


@pytest.mark.parametrize("kind", ["sections", "counts", "equations", "seeds", "summaries", "definitions"])
def test_a_word_document_claims_the_same(tmp_path: Path, expected: dict[str, Any], kind: str) -> None:
    assert claims(read_docx(submitted(tmp_path, "report.docx", word())))[kind] == expected[kind]

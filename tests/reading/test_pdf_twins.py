"""A Markdown text and the PDF typeset from it say the same."""

import re
from collections import Counter
from pathlib import Path

import pytest

from grader.claims.passage import normalise
from grader.reading.document import BlockKind, Document, RepairKind
from grader.reading.pdf import read_pdf
from tests.reading.making import submitted
from tests.reading.typeset import typeset

REPORTS = sorted((Path(__file__).parents[2] / "submissions").glob("*/report.md"))
NUMBER = re.compile(r"\d+(?:[.,]\d+)*")

FORMULAS = r"""
# Lab report

The dimension is $d_{model} = 512$, so that $D = \frac{d_{model}}{8} = \frac{512}{8} = 64$.

The mean is $\frac{81.5 + 80.0 + 83.5}{3} = 81.67$ and the layer has $4 \times 512^2 = 1{,}048{,}576$ weights.

- the scaling $\frac{32}{16} = 2$ multiplies the update
- lora_alpha is 32, and $2^{10} = 1024$

| Seed | Validation | Test |
| --- | --- | --- |
| 1 | 81.5 % | 79.90 |
| 2 | 80.0 % | 78.50 ± 0.69 |
"""


def read(folder: Path, markdown: str, columns: bool) -> Document:
    return read_pdf(submitted(folder, "report.pdf", typeset(markdown, columns)))


def numbers(text: str) -> Counter[str]:
    return Counter(NUMBER.findall(normalise(text).text))


def said(document: Document) -> str:
    return "\n".join(block.text for block in document.blocks)


@pytest.mark.parametrize("columns", [False, True])
@pytest.mark.parametrize("report", REPORTS, ids=lambda path: path.parent.name)
def test_all_numbers_agree(tmp_path: Path, report: Path, columns: bool) -> None:
    source = report.read_text()
    assert numbers(said(read(tmp_path, source, columns))) == numbers(source)


@pytest.mark.parametrize("columns", [False, True])
def test_formulas_agree(tmp_path: Path, columns: bool) -> None:
    document = read(tmp_path, FORMULAS, columns)
    lines = " ".join(block.text for block in document.blocks)
    for formula in (
        "D = (d_{model})/(8) = (512)/(8) = 64",
        "(81.5 + 80.0 + 83.5)/(3) = 81.67",
        "4 × 512^{2} = 1,048,576",
        "(32)/(16) = 2",
        "2^{10} = 1024",
    ):
        assert formula in lines
    kinds = {repair.kind for block in document.blocks for repair in block.repairs}
    assert kinds >= {RepairKind.FRACTION, RepairKind.POWER, RepairKind.INDEX}


def test_tables_agree_in_columns_too(tmp_path: Path) -> None:
    document = read(tmp_path, FORMULAS, columns=True)
    rows = [block.cells for block in document.blocks if block.kind is BlockKind.ROW]
    expected = [("Seed", "Validation", "Test"), ("1", "81.5 %", "79.90"), ("2", "80.0 %", "78.50 ± 0.69")]
    assert rows == expected


def test_page_numbers_are_no_content(tmp_path: Path) -> None:
    document = read(tmp_path, FORMULAS + "\n\nWords. " * 400, columns=False)
    assert document.pages is not None
    assert [block.text for block in document.furniture] == [str(n) for n in range(1, document.pages + 1)]

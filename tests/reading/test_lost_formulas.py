"""Formulas that an export left out are noticed by the gaps in its sentences."""

from pathlib import Path

import pytest

from grader.checks.finding import Status, in_force
from grader.lab.files import load_lab, load_truth
from grader.pipeline.one import extract_claims, judge_answer
from grader.reading.formats import read_path
from grader.reading.reading import FileState, Reading
from tests.replay import SHIPPED

GAPS = """Question 1

The vocabulary has 32,000 entries, and there are 258 positions. Attention has a bias, too.

The two linear layers make .

The norms are two in each layer: .

The first layer has parameters, together .

The total is the sum of all of these, and the head is not counted.

Task 5

The test accuracy is % with the script of Hugging Face.
"""


def read(folder: Path, text: str, name: str = "report.txt") -> Reading:
    path = folder / name
    path.write_text(text, "utf-8")
    return read_path(path)


@pytest.mark.parametrize("name", ["report.txt", "report.html", "report.md"])
def test_gaps_in_sentences_are_places_of_formulas(name: str, tmp_path: Path) -> None:
    text = GAPS.replace("\n\n", "\n<p>\n") if name.endswith("html") else GAPS
    reading = read(tmp_path, text, name)
    (document,) = reading.documents
    drawn = [before.text for before, one in zip(document.blocks, document.blocks[1:], strict=False) if one.in_line]
    assert [line[:14] for line in drawn] == ["The two linear", "The norms are ", "The first laye", "The test accur"]
    (file,) = reading.files
    assert file.state is FileState.PARTLY
    assert "formulas cannot be read" in str(file.reason)
    lab, truth = load_lab(SHIPPED), load_truth(SHIPPED)
    found = in_force(judge_answer(reading, extract_claims(reading, lab), lab, truth), lab).findings
    assert {one.status for one in found} <= {Status.CORRECT, Status.REVIEW}


@pytest.mark.parametrize(
    "text",
    [
        "The one , the other , and a third . So it is . And that , too .\n" * 3,  # somebody writes all signs so
        "1 Model . . . . 2\n\n2 Results . . . . 3\n\n3 Prompt . . . . 4\n\nThe mean is 79.5, and all is said.\n",
        "Le taux : 0,05 ; le rang : 16 ; la couche : une.\n\nLe biais : aucun ; la suite : rien.\n",
        "The two layers make 525,312. The mean is 79.5 % and\n\nthe deviation 0.5 %, as the table shows.\n",
    ],
)
def test_other_habits_are_no_gaps(text: str, tmp_path: Path) -> None:
    (document,) = read(tmp_path, text).documents
    assert not any(block.in_line for block in document.blocks)
    assert document.problems == ()


def test_a_report_in_xml_is_not_passed_over(tmp_path: Path) -> None:
    """Beside a notebook such a file is one of settings."""
    (file,) = read(tmp_path, "<article><para>The total is 22,807,552.</para></article>", "report.xml").files
    assert file.state is FileState.UNREADABLE

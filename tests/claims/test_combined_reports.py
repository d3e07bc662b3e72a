"""Of several labs in one report, the answers to the lab that is graded are found."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from scripts.numbering.forms import FORMS, write_sheet
from scripts.numbering.measure import SHARE, found_in
from scripts.numbering.sheets import sheets

SHEETS = {one.id: one for one in sheets()}
LABS = ("filters", "trees", "translation")
NAMES = ("8. text", "# 8. Title", "Question 8 / text", "# Question 8", "Q8) text", "(8) text", "**8** / text")
FORM_OF = {one.name: one for one in FORMS}


def shares(labs: Sequence[str], name: str, suffix: str, folder: Path) -> list[float]:
    """The share of answers found for each of some labs that stand in one report."""
    form = FORM_OF[name]
    report = [block for lab in labs for block in write_sheet(SHEETS[lab], form)]
    found = [list(found_in(report, SHEETS[lab], form, suffix, folder)) for lab in labs]
    return [sum(one.is_found for one in own) / len(own) for own in found]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("suffix", ["md", "docx"])
def test_a_report_of_several_labs_is_cut_to_the_one_that_is_graded(name: str, suffix: str, tmp_path: Path) -> None:
    assert min(shares(LABS, name, suffix, tmp_path)) >= SHARE


@pytest.mark.parametrize("name", ["Q8) text", "# Question 8"])
def test_labs_in_one_pdf_are_told_apart(name: str, tmp_path: Path) -> None:
    assert min(shares(LABS[::-1], name, "pdf", tmp_path)) >= 0.85

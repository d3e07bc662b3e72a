"""Numbers beside the one that is asked for."""

import pytest

from grader.checks.finding import Finding, Status
from grader.checks.registry import check_of
from grader.claims.answer import extract
from grader.intake.submission import Role
from grader.lab.definition import Lab
from grader.reading.reading import FileRecord, FileState, Reading
from tests.checks.making import truth
from tests.checks.test_basic_checks import lab_with
from tests.claims.making import document

LAB = lab_with("numeric-answer", {"least": -0.1, "most": 0.05, "words": ["drift"]}, words=("drift",))


def status(text: str, lab: Lab = LAB) -> Status:
    record = FileRecord(path="report.md", role=Role.REPORT, state=FileState.READ)
    reading = Reading(documents=(document(f"## Problem 1\n\n{text}\n"),), files=(record,))
    (item,) = lab.items
    (finding,) = check_of(item).bind_options(item)(answer=extract(reading, lab), truth=truth(), lab=lab)
    assert isinstance(finding, Finding)
    return finding.status


@pytest.mark.parametrize(
    "text",
    [
        "The smallest drift is 0 and it came late.",  # a joining word is no unit
        "The smallest drift we could reach is 0.0.",
        "The drift is 0.03 with g = 0.7.",
        "The values of the drift after 2000 steps are: drift = 0.02.",
    ],
)
def test_the_number_of_the_name_counts(text: str) -> None:
    assert status(text) is Status.CORRECT


def test_a_count_of_things_is_no_measure() -> None:
    assert status("The drift was measured over 0 steps.") is not Status.CORRECT


def test_other_shapes_of_a_letter_are_the_same() -> None:
    lab = lab_with("numeric-answer", {"least": 0.1, "most": 0.2, "words": ["ε"]}, words=("ε",))
    assert status("We set ϵ = 0.15.", lab) is Status.CORRECT

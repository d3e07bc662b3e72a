"""A number that a sentence chooses, with others in its reasons; and what is said of one of two things."""

from typing import Any

import pytest

from grader.checks.finding import Finding, Status
from grader.checks.runner import run_checks
from grader.claims.answer import extract
from grader.intake.submission import Role
from grader.lab.definition import Lab
from grader.reading.reading import FileRecord, FileState, Reading
from tests.checks.making import truth
from tests.claims.making import document

WIDTH = {"least": 5, "most": 7, "words": ["width", "window"]}
FALLS = {"must": [["fall", "sink", "drop"]], "about": [["noise"]]}
RISES = {"must": [["rise", "grow"]], "about": [["delay"]]}


def judged(text: str, *items: tuple[str, dict[str, Any]]) -> list[Finding]:
    """The findings on an answer to a question with some items."""
    asked = [
        {"id": f"p1.{number}", "title": f"Item {number}", "points": "1", "check": check, "options": options}
        for number, (check, options) in enumerate(items)
    ]
    question = {
        "id": "p1",
        "title": "The window",
        "labels": ["problem 1"],
        "asks": "Which maximum width of the window gives the best signal?",
        "items": asked,
    }
    lab = Lab.model_validate({"id": "small", "title": "Small", "questions": [question]})
    reading = Reading(
        documents=(document(f"# Problem 1\n\n{text}\n"),),
        files=(FileRecord(path="report.md", role=Role.REPORT, state=FileState.READ),),
    )
    return sorted(run_checks(extract(reading, lab), truth(), lab).findings, key=lambda one: one.item)


@pytest.mark.parametrize(
    "text",
    [
        "A window of 6 will give the best signal.",
        "From the plot, I would suggest a width of 6.",
        "A width of 6, because there the curve is close to the value of 1 and higher than at a width of 3.",
        "I think that a maximum width of 6 gives the best signal. It may be either a width of 5 or one of 6.",
    ],
)
def test_a_number_that_is_chosen_counts_whatever_the_reasons_name(text: str) -> None:
    (finding,) = judged(text, ("numeric-answer", WIDTH))
    assert finding.status is Status.CORRECT


@pytest.mark.parametrize(
    "text",
    [
        "A window of 6 would give the best signal if the noise were white.",
        "A window of 12 gives the best signal, not one of 6.",
        "A width of 6, because it is cheap, but the best is a width of 12.",
        "Perhaps a window of 6 gives the best signal.",
        "The best signal is at a width of 6. The width is 12.",
    ],
)
def test_a_doubt_or_another_number_is_not_credited(text: str) -> None:
    (finding,) = judged(text, ("numeric-answer", WIDTH))
    assert finding.status is not Status.CORRECT


@pytest.mark.parametrize(
    ("text", "falls", "rises"),
    [
        ("The noise falls, while the delay grows.", True, True),
        ("The noise rises to the delay, while the delay slowly falls.", False, False),
        ("The delay starts low and rises, and the noise drops.", True, True),
        ("The noise stops falling. The delay rises.", False, True),
        ("When the width grows, the delay stays. The noise sinks.", True, False),
    ],
)
def test_what_must_be_said_is_said_of_its_own_subject(text: str, falls: bool, rises: bool) -> None:
    findings = judged(text, ("contains", FALLS), ("contains", RISES))
    assert [one.status is Status.CORRECT for one in findings] == [falls, rises]
    assert {one.status for one in findings} <= {Status.CORRECT, Status.REVIEW}

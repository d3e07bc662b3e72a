"""What belongs together stays on one page, wherever the page ends."""

import re

import pytest

from grader.cohort.statistics import summarise
from grader.report.render import class_report
from grader.result import Status
from tests.factories import item, result
from tests.report.pdf_text import page_texts


@pytest.mark.parametrize("lines", range(1, 7))
def test_the_points_at_stake_stand_beside_the_student(lines: int) -> None:
    """A first reason of growing length moves the ends of the pages down past the entries of the review queue."""
    reasons = {(number, of): f"Reason {number} " for number in range(5) for of in range(10)}
    reasons[0, 0] += "word " * 30 * lines
    results = [
        result(
            f"ada-{number}",
            items=[item(f"q1.j{of}", Status.REVIEW, "7", feedback=reasons[number, of]) for of in range(10)],
        )
        for number in range(5)
    ]
    queue = [page for page in page_texts(class_report(results, summarise(results))) if "at stake" in page]
    names = [len(re.findall(r"ada-\d", page, re.IGNORECASE)) for page in queue]
    assert sum(names) == 50
    assert names == [len(re.findall(r"^7 points\s*$", page, re.MULTILINE)) for page in queue]

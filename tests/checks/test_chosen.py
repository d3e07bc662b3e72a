"""The option that a student says to choose beside others that the reasons name."""

import pytest

from grader.checks.finding import Status
from tests.checks.test_basic_checks import judged, lab_with

CHOICES = {"a": "ridge regression", "b": "boosted trees"}


@pytest.mark.parametrize(
    ("text", "status"),
    [
        ("I would choose boosted trees. They are better than ridge regression, which is linear.", Status.CORRECT),
        ("I would trust more the boosted trees, since ridge regression is not flexible.", Status.CORRECT),
        ("I would use boosted trees if I had to choose one. In ridge regression no column may fail.", Status.CORRECT),
        (
            "If I had to choose between ridge regression and boosted trees, I would choose boosted trees.",
            Status.CORRECT,
        ),
        ("Je choisirais boosted trees. L'erreur de ridge regression est plus grande.", Status.CORRECT),
        ("I would trust ridge regression more than boosted trees.", Status.INCORRECT),
        ("I would choose boosted trees if the data were large, and else ridge regression.", Status.REVIEW),
        ("I would not choose boosted trees but ridge regression.", Status.REVIEW),
        ("I would choose neither ridge regression nor boosted trees.", Status.REVIEW),
        ("I chose boosted trees first. In the end I would go with ridge regression.", Status.REVIEW),
    ],
)
def test_what_the_student_says_to_choose(text: str, status: Status) -> None:
    lab = lab_with("choice", {"choices": CHOICES, "right": ["b"]})
    assert judged(lab, f"# Problem 1\n\n{text}\n").status is status

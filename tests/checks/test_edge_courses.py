"""Answers near the bounds of the checks for every course: what is decided is what a marker accepts."""

from typing import Final

import pytest

from grader.checks.finding import UNDECIDED, Finding
from grader.lab.definition import Lab
from tests.checks.edge_answers import BESIDE
from tests.checks.edge_courses import COURSES as SOME
from tests.checks.edge_courses import Course
from tests.checks.edge_more_courses import MORE
from tests.checks.test_basic_checks import judged

COURSES: Final = {**SOME, **MORE}
_WORDS: Final = {"c": "correct", "p": "partial", "i": "incorrect", "m": "missing"}


def concluded(name: str) -> tuple[Finding, ...]:
    """What the check of a course concludes of each answer."""
    course = COURSES[name]
    item = {"id": "p1.x", "title": "T", "points": "1", "check": course.check, "options": course.options}
    question = {"id": "p1", "title": "T", "labels": ["problem 1"], "words": course.words, "items": [item]}
    lab = Lab.model_validate({"id": "small", "title": "Small", "seeds": 1, "questions": [question, *BESIDE]})
    return tuple(_concluded(course, lab))


def _concluded(course: Course, lab: Lab) -> list[Finding]:
    found = []
    for _, given in course.answers:
        if isinstance(given, str):
            found.append(judged(lab, given if given.startswith("# ") else f"# Problem 1\n\n{given}\n"))
        else:
            found.append(judged(lab, None, given))
    return found


@pytest.mark.parametrize("name", COURSES)
def test_what_is_decided_is_what_a_marker_accepts(name: str) -> None:
    wrong = [
        (given, found.status.value)
        for (accepted, given), found in zip(COURSES[name].answers, concluded(name), strict=True)
        if found.status not in UNDECIDED and found.status.value not in {_WORDS[one] for one in accepted}
    ]
    assert wrong == []

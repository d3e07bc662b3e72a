"""Answers near the bounds of the checks for every course: what is decided is what a marker accepts."""

from functools import cache
from typing import Final

import pytest

from grader.checks.finding import UNDECIDED, Finding
from grader.lab.definition import Lab
from tests.checks.edge_answers import BESIDE
from tests.checks.edge_courses import COURSES as SOME
from tests.checks.edge_forms import FORMS
from tests.checks.edge_more_courses import MORE
from tests.checks.test_basic_checks import judged

COURSES: Final = {**SOME, **MORE, **FORMS}
_AROUND: Final = "We read the notes, and tried the example of the lecture. {} This was seen by the tutor, too."
_IN_TEXT: Final = ("numeric-answer", "choice", "contains", "table")
_WORDS: Final = {"c": "correct", "p": "partial", "i": "incorrect", "m": "missing"}


@cache
def concluded(name: str) -> list[tuple[str, str, Finding]]:
    """What is accepted of each answer of a course, the answer, and what its check concludes; of one in a single line
    also where other sentences stand around it."""
    course = COURSES[name]
    item = {"id": "p1.x", "title": "T", "points": "1", "check": course.check, "options": course.options}
    question = {"id": "p1", "title": "T", "labels": ["problem 1"], "words": course.words, "items": [item]}
    lab = Lab.model_validate({"id": "small", "title": "Small", "seeds": 1, "questions": [question, *BESIDE]})
    found = []
    for accepted, given in course.answers:
        if not isinstance(given, str):
            code = " ; ".join(f"{one.source} -> {one.output}" for one in given)
            found.append((accepted, code, judged(lab, None, given)))
            continue
        texts = [given if given.startswith("# ") else f"# Problem 1\n\n{given}\n"]
        if given and "\n" not in given and course.check in _IN_TEXT:
            texts.append(f"# Problem 1\n\n{_AROUND.format(given)}\n")
        found += [(accepted, text, judged(lab, text)) for text in texts]
    return found


@pytest.mark.parametrize("name", COURSES)
def test_what_is_decided_is_what_a_marker_accepts(name: str) -> None:
    wrong = [
        (given, found.status.value)
        for accepted, given, found in concluded(name)
        if found.status not in UNDECIDED and found.status.value not in {_WORDS[one] for one in accepted}
    ]
    assert wrong == []

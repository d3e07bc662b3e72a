"""No regular expression takes long for a text that was made to be hard for it."""

import re

import pytest

import grader
from tests.reading.fuzz.patterns import Use, slowest, uses

LIMIT = 1.0
"""In seconds, for 6,000 characters. A harmless search may take time that grows with the square of a line's length."""


@pytest.mark.slow
def test_no_expression_hangs() -> None:
    slow = [found for use in uses(grader) if (found := slowest(use, LIMIT))]
    assert slow == [], "\n".join(map(str, slow))


@pytest.mark.parametrize(
    ("pattern", "method"),
    [
        (r"(a+)+$", "match"),
        (r"#+(?:\s+(.*?))?\s*#*\s*$", "match"),
        (r"\s*\(?\s*±\s*$", "search"),
        (r"x(?:\w|\d\d?)*!", "fullmatch"),
        (r"(?:[a-z]+,?)*;", "search"),
    ],
)
def test_what_hangs_is_found(pattern: str, method: str) -> None:
    assert slowest(Use("module", "NAME", method, re.compile(pattern)), 0.2) is not None


@pytest.mark.parametrize("pattern", [r"\d+(?:\.\d+)*", r"(?:\w+ )*x", r"^[ \t]*#{1,6} ", r"a{2,5}b?"])
def test_what_is_quick_is_let_pass(pattern: str) -> None:
    assert slowest(Use("module", "NAME", "match", re.compile(pattern)), LIMIT) is None

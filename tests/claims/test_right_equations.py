"""Equations that are right are never called wrong, however they are written. `make bench` tries ten times as many."""

from random import Random

import pytest

from grader.claims.equations import equations
from grader.claims.passage import Passage
from tests.claims.making import document
from tests.generated.equations import line

LINES = 1_000
FEWEST_READ = 0.9
"""Share of the lines in which an equation is found at all: silence about everything would be no feat."""


@pytest.mark.parametrize("written_as", ["markdown", "latex"])
def test_right_equations_hold(written_as: str) -> None:
    random = Random(20)
    found = 0
    for _ in range(LINES):
        text = line(random, written_as)
        read = list(equations(Passage.from_document(document(text))))
        assert [equation for equation in read if not equation.holds] == [], text
        found += bool(read)
    print(f"{written_as}: 0 of {LINES} right lines called wrong, {found} read")
    assert found >= FEWEST_READ * LINES


def test_numbers_of_other_lines_are_no_numbers() -> None:
    text = "(3) attention 4*(512*512+512) = 1050624\n\n(4) fc 2*(512*512+512) = 525312\n\nOne layer = (3)+(4) = 1575936"
    assert all(equation.holds for equation in equations(Passage.from_document(document(text))))

"""Counts by hand in the manners of quite different people: nearly all are decided, and all of these rightly."""

import pytest

from grader.checks.finding import UNDECIDED
from tests.checks.count_corpus import Marked, corpus, decided, is_right

OPEN = {
    "the number in millions only": {"total", "derivation"},
    "a screenshot": {"total", "derivation"},
    "nonsense with right-looking numbers": {"derivation"},
    "guesses a product": {"total", "derivation"},
    "big O": {"derivation"},
    "rounding on the way": {"total", "derivation"},
    "two people, two numbers": {"total", "derivation"},
}
"""What may be left to a person; all else is decided."""

each_answer = pytest.mark.parametrize("one", corpus(), ids=lambda one: one.name)


@each_answer
def test_what_is_decided_is_what_a_marker_decides(one: Marked) -> None:
    open_ = {which for which in ("total", "derivation") if getattr(decided(one), which).status in UNDECIDED}
    assert open_ <= OPEN.get(one.name, set())
    for which in {"total", "derivation"} - open_:
        assert is_right(getattr(decided(one), which).status, getattr(one, which))


@each_answer
def test_a_verdict_shows_where_it_comes_from(one: Marked) -> None:
    """A calculation in the text is quoted; only where there is nothing is nothing shown."""
    for finding in (decided(one).total, decided(one).derivation):
        assert finding.evidence or finding.status in ("missing", *UNDECIDED)


@each_answer
def test_equations_are_called_wrong_where_they_are(one: Marked) -> None:
    assert any(flag.id == "arithmetic" for flag in decided(one).flags) == one.has_error

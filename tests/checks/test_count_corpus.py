"""Counts by hand in the manners of quite different people: how many are decided, and how many of these rightly."""

import pytest

from grader.checks.finding import UNDECIDED, Finding
from tests.checks.count_corpus import Marked, corpus, decided, is_right

DECIDED = {"total": 0.92, "derivation": 0.88}


def _verdicts(which: str) -> list[tuple[Marked, Finding, tuple[str, ...]]]:
    return [(one, getattr(decided(one), which), getattr(one, which)) for one in corpus()]


@pytest.mark.parametrize("which", ["total", "derivation"])
def test_what_is_decided_is_what_a_marker_decides(which: str) -> None:
    verdicts = [one for one in _verdicts(which) if one[1].status not in UNDECIDED]
    assert [one.name for one, finding, wanted in verdicts if not is_right(finding.status, wanted)] == []


@pytest.mark.parametrize("which", ["total", "derivation"])
def test_most_are_decided(which: str) -> None:
    verdicts = _verdicts(which)
    done = [finding for _, finding, _ in verdicts if finding.status not in UNDECIDED]
    assert len(done) / len(verdicts) >= DECIDED[which]


@pytest.mark.parametrize("which", ["total", "derivation"])
def test_a_verdict_shows_where_it_comes_from(which: str) -> None:
    """A calculation in the text is quoted; only where there is nothing is nothing shown."""
    for one, finding, _ in _verdicts(which):
        assert finding.evidence or finding.status in ("missing", *UNDECIDED), one.name


def test_equations_are_called_wrong_where_they_are() -> None:
    flagged = {one.name for one in corpus() if any(flag.id == "arithmetic" for flag in decided(one).flags)}
    assert flagged == {one.name for one in corpus() if one.has_error}

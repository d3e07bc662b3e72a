"""Invented counts by hand in many manners: how many verdicts are made, and how many of them as a marker makes them."""

from collections.abc import Iterator

from grader.checks.finding import UNDECIDED
from scripts.bench.figure import Figure
from tests.checks.count_corpus import corpus, decided, is_right


def figures() -> Iterator[Figure]:
    """The shares of verdicts on totals and derivations, and of wrong equations found."""
    answers = corpus()
    for which, least in (("total", 92), ("derivation", 88)):
        verdicts = [(getattr(decided(answer), which).status, getattr(answer, which)) for answer in answers]
        done = [(status, wanted) for status, wanted in verdicts if status not in UNDECIDED]
        right = sum(is_right(status, wanted) for status, wanted in done)
        name = f"counts by hand, {which}, decided of {len(answers)}"
        yield Figure(name, 100 * len(done) / len(answers), "%", least, at_least=True)
        yield Figure("  of these right", 100 * right / len(done), "%", 100, at_least=True)
    flagged = {answer.name for answer in answers if decided(answer).flags}
    wrong = {answer.name for answer in answers if answer.has_error}
    yield Figure("  wrong equations found", 100 * len(flagged & wrong) / len(wrong), "%", 100, at_least=True)
    yield Figure("  right answers flagged", 100 * len(flagged - wrong) / len(answers), "%", 0)

"""Hand-ins of all kinds: which are told as foreign or blank, and that none is given a point by accident."""

import random
from collections import Counter

import pytest

from grader.checks.finding import Severity, Status
from grader.checks.runner import run_checks
from tests.checks.making import truth
from tests.claims.making import lab
from tests.generated.foreign import HandIn, hand_ins

OUTSIDE = ("foreign", "near", "unlisted", "handout")
TOLD = ("wrong-lab", "blank-handout")


def told(hand_in: HandIn) -> tuple[str, list[str]]:
    """What a hand-in is told to be, and the items whose points it is given without a person."""
    found = run_checks(hand_in.answer, truth(), lab())
    flags = [flag.id for flag in found.flags if flag.severity is Severity.WARNING and flag.id in TOLD]
    given = [one.item for one in found.findings if one.status in (Status.CORRECT, Status.PARTIAL)]
    return (flags or ["nothing"])[0], given


def judge(chosen: list[HandIn]) -> Counter[tuple[str, str]]:
    matrix: Counter[tuple[str, str]] = Counter()
    for hand_in in chosen:
        what, given = told(hand_in)
        matrix[hand_in.kind, what] += 1
        if hand_in.kind in OUTSIDE:
            assert not given, f"{hand_in.name} is given {given}"
        else:
            assert what == "nothing", f"{hand_in.name} is told as {what}"
    return matrix


def share_told(matrix: Counter[tuple[str, str]]) -> float:
    known = {kind for kind in OUTSIDE if kind != "unlisted"}
    outside = sum(number for (kind, _), number in matrix.items() if kind in known)
    return 1 - sum(matrix[kind, "nothing"] for kind in known) / outside


def test_a_part_of_the_family() -> None:
    family = list(hand_ins(random.Random(1)))
    outside = [one for one in family if one.kind in OUTSIDE]
    right = [one for one in family if one.kind not in OUTSIDE]
    judge([*random.Random(2).sample(outside, 8), *random.Random(3).sample(right, 8)])


@pytest.mark.slow
def test_the_whole_family() -> None:
    family = list(hand_ins(random.Random(5)))
    assert sum(one.kind in OUTSIDE for one in family) >= 150
    matrix = judge(family)
    print(sorted(matrix.items()))
    assert share_told(matrix) >= 0.95

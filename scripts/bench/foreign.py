"""Hand-ins of other labs: how many are told as such, how many of this lab are wrongly, and points given by accident."""

import random
from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

from grader.checks.finding import Severity, Status
from grader.checks.runner import run_checks
from scripts.bench.figure import Figure
from tests.checks.making import truth
from tests.claims.making import lab
from tests.generated.foreign import HandIn, hand_ins

SEED = 4
KINDS = ("foreign", "near", "unlisted", "handout", "right", "language")
TOLD = ("wrong-lab", "blank-handout", "other-language", "nothing")


class JudgedHandIn(NamedTuple):
    """A hand-in, what it was told to be, and the points that it was given without a person."""

    hand_in: HandIn
    told: str
    points: float


def judge_family() -> list[JudgedHandIn]:
    """The whole family judged."""
    return [_judged(hand_in) for hand_in in hand_ins(random.Random(SEED))]  # noqa: S311 not for secrets


def _judged(hand_in: HandIn) -> JudgedHandIn:
    found = run_checks(hand_in.answer, truth(), lab())
    points = {item.id: item.points for item in lab().items}
    given = sum(
        points[finding.item] * (1 if finding.status is Status.CORRECT else finding.share or 0)
        for finding in found.findings
        if finding.status in (Status.CORRECT, Status.PARTIAL)
    )
    flags = {flag.id for flag in found.flags if flag.severity is Severity.WARNING or flag.id == "other-language"}
    return JudgedHandIn(hand_in, next((kind for kind in TOLD if kind in flags), "nothing"), float(given))


def figures() -> Iterator[Figure]:
    """The confusion matrix, and the points given to hand-ins of other labs."""
    everything = judge_family()
    matrix = Counter((candidate.hand_in.kind, candidate.told) for candidate in everything)
    for kind in KINDS:
        for what in TOLD:
            if matrix[kind, what]:
                yield Figure(f"{kind}: told as {what}", matrix[kind, what], "hand-ins")
    lab_hand_ins = [candidate for candidate in everything if candidate.hand_in.kind in ("right", "language")]
    outside = [candidate for candidate in everything if candidate not in lab_hand_ins]
    listed = [candidate for candidate in outside if candidate.hand_in.kind != "unlisted"]
    wrong = [candidate for candidate in lab_hand_ins if candidate.told in ("wrong-lab", "blank-handout")]
    flagged = [candidate for candidate in listed if candidate.told != "nothing"]
    share = len(flagged) / len(listed)
    yield Figure(f"foreign and blank ones that are told, of {len(listed)}", share, "", 0.95, at_least=True)
    most = max(candidate.points for candidate in outside)
    yield Figure(f"points given to one of these {len(outside)} by accident, the most", most, "points", 0)
    yield Figure(f"of this lab, told as foreign or blank, of {len(lab_hand_ins)}", len(wrong), "", 0)

"""Findings and a rubric in, points out. Here, and only here, a status is worth something."""

from collections.abc import Iterable, Mapping
from decimal import ROUND_HALF_UP, Decimal
from types import MappingProxyType

from grader.checks.finding import UNDECIDED, Finding, Status
from grader.frozen import Frozen
from grader.lab.definition import Item, Lab
from grader.lateness import deducted
from grader.result import Lateness, Override

CENT = Decimal("0.01")
NO_OVERRIDES: Mapping[str, Override] = MappingProxyType({})


class Score(Frozen):
    """Points: those decided, those that a person has yet to decide, and the most that could be earned."""

    score: Decimal
    pending: Decimal
    max_score: Decimal


class Grade(Frozen):
    """The points of one submission: in all, for each question, and for each item.

    The total is what the questions earned less `late_penalty`; its pending points are what it can still rise by.
    """

    total: Score
    late_penalty: Decimal
    questions: dict[str, Score]
    items: dict[str, Score]

    @property
    def needs_review(self) -> bool:
        """Whether points await a person."""
        return self.total.pending > 0


def grade(
    findings: Iterable[Finding],
    lab: Lab,
    overrides: Mapping[str, Override] = NO_OVERRIDES,
    lateness: Lateness | None = None,
) -> Grade:
    """Score every item of a lab. An item without a finding counts as not decided, so the maximum never changes.

    `overrides`, by item, go before the findings; lateness comes last.
    """
    found = {finding.item: finding for finding in findings}
    items = {item.id: _scored(item, found.get(item.id), overrides.get(item.id)) for item in lab.items}
    questions = {question.id: _sum(items[item.id] for item in question.items) for question in lab.questions}
    earned = _sum(items.values())
    total = after_lateness(earned, lateness)
    return Grade(total=total, late_penalty=earned.score - total.score, questions=questions, items=items)


def decided_status(item: Item, given: Override) -> Status:
    """The status that a person gave to an item, or the one that follows from the points they gave."""
    if given.status is not None and given.rows is None:
        return given.status
    worth = given_points(item, given)
    if worth == item.points:
        return Status.CORRECT
    return Status.PARTIAL if worth else Status.INCORRECT


def given_points(item: Item, given: Override) -> Decimal:
    """What a person's decision is worth. Rows of a rubric are together worth between nothing and the item's points."""
    if given.rows is not None:
        worth = sum((item.rubric[row - 1] for row in set(given.rows) if 0 < row <= len(item.rubric)), Decimal(0))
        return min(max(worth, Decimal(0)), item.points)
    if given.points is not None:
        return given.points
    return _earned(item, Finding(item=item.id, status=decided_status(item, given)))


def after_lateness(earned: Score, lateness: Lateness | None) -> Score:
    """What is left of the points that the questions earned, and what can still be added."""
    best = earned.score + earned.pending
    most = earned.max_score
    score, highest = earned.score - deducted(lateness, earned.score, most), best - deducted(lateness, best, most)
    return Score(score=score, pending=highest - score, max_score=earned.max_score)


def _scored(item: Item, finding: Finding | None, given: Override | None) -> Score:
    if given is not None:
        return Score(score=given_points(item, given), pending=Decimal(0), max_score=item.points)
    if finding is None or finding.status in UNDECIDED:
        return Score(score=Decimal(0), pending=item.points, max_score=item.points)
    return Score(score=_earned(item, finding), pending=Decimal(0), max_score=item.points)


def _earned(item: Item, finding: Finding) -> Decimal:
    if finding.status is Status.CORRECT:
        return item.points
    if finding.status is Status.PARTIAL:
        share = item.partial if finding.share is None else finding.share
        return (item.points * share).quantize(CENT, ROUND_HALF_UP)
    return Decimal(0)


def _sum(scores: Iterable[Score]) -> Score:
    parts = list(scores)
    return Score(
        score=sum((part.score for part in parts), Decimal(0)),
        pending=sum((part.pending for part in parts), Decimal(0)),
        max_score=sum((part.max_score for part in parts), Decimal(0)),
    )

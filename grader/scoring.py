"""Findings and a rubric in, points out. Here, and only here, a status is worth something."""

from collections.abc import Iterable
from decimal import ROUND_HALF_UP, Decimal

from grader.checks.finding import UNDECIDED, Finding, Status
from grader.frozen import Frozen
from grader.lab.definition import Item, Lab

CENT = Decimal("0.01")


class Score(Frozen):
    """Points: those decided, those that a person has yet to decide, and the most that could be earned."""

    score: Decimal
    pending: Decimal
    max_score: Decimal


class Grade(Frozen):
    """The points of one submission: in all, for each question, and for each item."""

    total: Score
    questions: dict[str, Score]
    items: dict[str, Score]

    @property
    def needs_review(self) -> bool:
        """Whether points await a person."""
        return self.total.pending > 0


def grade(findings: Iterable[Finding], lab: Lab) -> Grade:
    """Score every item of a lab. An item without a finding counts as not decided, so the maximum never changes."""
    found = {finding.item: finding for finding in findings}
    items = {item.id: _scored(item, found.get(item.id)) for item in lab.items}
    questions = {question.id: _sum(items[item.id] for item in question.items) for question in lab.questions}
    return Grade(total=_sum(items.values()), questions=questions, items=items)


def _scored(item: Item, finding: Finding | None) -> Score:
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

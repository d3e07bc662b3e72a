"""How each question and each item went across a class."""

from collections import Counter
from collections.abc import Iterable, Sequence
from decimal import Decimal
from typing import TypeVar

from pydantic import Field

from grader.cohort.discrimination import discrimination, item_discrimination
from grader.frozen import Frozen
from grader.message import Words
from grader.result import ItemResult, Points, QuestionScore, Result, Status

Scored = TypeVar("Scored", ItemResult, QuestionScore)


class QuestionTally(Frozen):
    """One question across the class. `share` is points earned / points decided (0 to 1), None while none is decided."""

    id: str
    title: Words
    max_score: Points
    share: float | None
    pending: Points = Field(description="Points of all students together that await a person.")
    discrimination: float | None = Field(
        default=None, description="Correlation of its points with those of all others; None for small classes."
    )


class ItemTally(QuestionTally):
    """One rubric item across the class; `statuses` names every status, also those that no student has."""

    question: str
    statuses: dict[Status, int]


def question_tallies(results: Sequence[Result]) -> tuple[QuestionTally, ...]:
    """One tally per question, in the order of the lab."""
    grouped = _grouped(score for result in results for score in result.questions)
    return tuple(
        QuestionTally(
            id=id_,
            title=scores[0].title,
            max_score=scores[0].max_score,
            share=_share(scores),
            pending=_pending(scores),
            discrimination=_rounded(discrimination(results, id_)),
        )
        for id_, scores in grouped.items()
    )


def item_tallies(results: Sequence[Result]) -> tuple[ItemTally, ...]:
    """One tally per rubric item, in the order of the lab."""
    grouped = _grouped(item for result in results for item in result.items)
    return tuple(_item_tally(items, item_discrimination(results, id_)) for id_, items in grouped.items())


def _item_tally(items: Sequence[ItemResult], told_apart: float | None) -> ItemTally:
    counts = Counter(item.status for item in items)
    return ItemTally(
        id=items[0].id,
        title=items[0].title,
        question=items[0].question,
        max_score=items[0].max_score,
        share=_share(items),
        pending=_pending(items),
        discrimination=_rounded(told_apart),
        statuses={status: counts[status] for status in Status},
    )


def _grouped(scored: Iterable[Scored]) -> dict[str, list[Scored]]:
    groups: dict[str, list[Scored]] = {}
    for one in scored:
        groups.setdefault(one.id, []).append(one)
    return groups


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 3)


def _pending(scored: Sequence[ItemResult] | Sequence[QuestionScore]) -> Decimal:
    return sum((one.pending for one in scored), Decimal(0))


def _share(scored: Sequence[ItemResult] | Sequence[QuestionScore]) -> float | None:
    decided = sum((one.max_score - one.pending for one in scored), Decimal(0))
    earned = sum((one.score for one in scored), Decimal(0))
    return round(float(earned / decided), 4) if decided > 0 else None

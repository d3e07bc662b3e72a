"""How the scores of a class are spread."""

from collections.abc import Sequence
from decimal import Decimal
from statistics import mean, median

from grader.frozen import Frozen
from grader.result import Points, Result

BINS = 10
CENT = Decimal("0.01")


class Bin(Frozen):
    """How many scores lie in [low, high); the last bin holds the maximum too. Bounds in points."""

    low: Points
    high: Points
    count: int


class Distribution(Frozen):
    """The decided scores, in points; mean and median are rounded to cents and None when nothing was graded.

    `pending` are all points that await a person, and `students_pending` the students whose score they may still raise.
    """

    max_score: Points
    min: Points | None
    median: Points | None
    mean: Points | None
    max: Points | None
    bins: tuple[Bin, ...]
    pending: Points
    students_pending: int


def distribution(results: Sequence[Result]) -> Distribution:
    """The spread of the decided scores over [0, the highest maximum of all results]."""
    scores = [result.score for result in results]
    max_score = max((result.max_score for result in results), default=Decimal(0))
    return Distribution(
        max_score=max_score,
        min=min(scores, default=None),
        median=median(scores).quantize(CENT) if scores else None,
        mean=mean(scores).quantize(CENT) if scores else None,
        max=max(scores, default=None),
        bins=_bins(scores, max_score),
        pending=sum((result.pending for result in results), Decimal(0)),
        students_pending=sum(result.pending > 0 for result in results),
    )


def _bins(scores: Sequence[Decimal], max_score: Decimal) -> tuple[Bin, ...]:
    if max_score <= 0:
        return ()
    places = [_place(score, max_score) for score in scores]
    width = max_score / BINS
    return tuple(Bin(low=width * i, high=width * (i + 1), count=places.count(i)) for i in range(BINS))


def _place(score: Decimal, max_score: Decimal) -> int:
    """The index of a score's bin; penalties and bonuses beyond the range count in the outermost bins."""
    return min(max(int(score * BINS / max_score), 0), BINS - 1)

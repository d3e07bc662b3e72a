"""How well a question tells strong hand-ins from weak ones."""

from collections.abc import Sequence
from statistics import StatisticsError, correlation
from typing import Final

from grader.message import Message, say
from grader.result import ItemResult, QuestionScore, Result

FEWEST: Final = 10
"""With fewer students, chance decides the figure, so none is given."""
CAUTION: Final = 30
"""With fewer students, the figure is shaky: its standard error is about 1 / √n, here 0.18."""


def discrimination(results: Sequence[Result], question: str) -> float | None:
    """The correlation between a question's points and those of all other questions: the corrected item–total
    correlation of classical test theory (Henrysson 1963, Psychometrika 28:211).

    Over graded students for whom the question is decided; None for fewer than `FEWEST`, or where all earned the same.
    """
    return _correlation([(result, score) for result in results for score in result.questions if score.id == question])


def item_discrimination(results: Sequence[Result], item: str) -> float | None:
    """The same for an item: the correlation of its points with those of all other items."""
    return _correlation([(result, score) for result in results for score in result.items if score.id == item])


def caution(graded: int) -> Message:
    """How far such figures can be trusted in a class of so many graded students."""
    if graded < FEWEST:
        return say(
            "Discrimination is not given for fewer than {fewest} students: chance would decide it.", fewest=FEWEST
        )
    if graded < CAUTION:
        return say(
            "Discrimination is the correlation of a question's points with those of all others; below 0.2, or "
            "negative, the question or its key deserves a look. With fewer than {few} students these figures are "
            "shaky.",
            few=CAUTION,
        )
    return say(
        "Discrimination is the correlation of a question's points with those of all others; below 0.2, or negative, "
        "the question or its key deserves a look."
    )


def _correlation(scored: Sequence[tuple[Result, QuestionScore | ItemResult]]) -> float | None:
    pairs = [_points(result, score) for result, score in scored if result.error is None and not score.pending]
    if len(pairs) < FEWEST:
        return None
    try:
        return correlation([own for own, _ in pairs], [rest for _, rest in pairs])
    except StatisticsError:
        return None


def _points(result: Result, score: QuestionScore | ItemResult) -> tuple[float, float]:
    everything = sum(one.score for one in result.questions)
    return float(score.score), float(everything - score.score)

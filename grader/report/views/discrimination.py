"""How well a question tells strong hand-ins from weak ones."""

from collections.abc import Sequence
from statistics import StatisticsError, correlation
from typing import Final

from grader.result import Result

FEWEST: Final = 10
"""With fewer students, chance decides the figure, so none is given."""
CAUTION: Final = 30
"""With fewer students, the figure is shaky: its standard error is about 1 / √n, here 0.18."""


def discrimination(results: Sequence[Result], question: str) -> float | None:
    """The correlation between a question's points and those of all other questions: the corrected item–total
    correlation of classical test theory (Henrysson 1963, Psychometrika 28:211).

    Over graded students for whom the question is decided; None for fewer than `FEWEST`, or where all earned the same.
    """
    pairs = [pair for result in results if result.error is None for pair in _points(result, question)]
    if len(pairs) < FEWEST:
        return None
    try:
        return correlation([own for own, _ in pairs], [rest for _, rest in pairs])
    except StatisticsError:
        return None


def _points(result: Result, question: str) -> list[tuple[float, float]]:
    decided = [score for score in result.questions if score.id == question and not score.pending]
    everything = sum(score.score for score in result.questions)
    return [(float(score.score), float(everything - score.score)) for score in decided]

"""What persons decided in place of the grader, across a class."""

from collections.abc import Sequence

from grader.report.views.attention import MOST_FILES, Trouble
from grader.report.views.wording import clip, fraction
from grader.result import AppliedOverride, ItemResult, Result


def overridden(results: Sequence[Result]) -> tuple[Trouble, ...]:
    """One line for each override, those whose finding has changed since first."""
    found = [(result, item, item.override) for result in results for item in result.items if item.override]
    ordered = sorted(found, key=lambda one: (not one[2].stale, one[0].student.id))
    return tuple(_line(*one) for one in ordered[:MOST_FILES])


def _line(result: Result, item: ItemResult, put: AppliedOverride) -> Trouble:
    stale = "The finding has changed since: look again. " if put.stale else ""
    return Trouble(
        student=clip(result.student.id, 40),
        what=clip(f"{item.id}: {fraction(item.score, item.max_score)}", 60),
        reason=clip(f"{stale}{put.reason} ({put.author}, {put.date.isoformat()})", 300),
    )

"""The things most worth fixing: what cost most, and how it would be right."""

from decimal import Decimal

from grader.frozen import Frozen
from grader.language import Language
from grader.message import say
from grader.report.views.marks import Mark, mark
from grader.report.views.wording import clip, points
from grader.result import ItemResult, Result, Status

MOST_FIXES = 3


class Fix(Frozen):
    """One of the things most worth fixing: what it cost or keeps open, what is wrong, and what would be right."""

    item: str
    title: str
    mark: Mark
    cost: str
    open: bool
    advice: str
    right: str | None


def fixes(result: Result, language: Language) -> tuple[Fix, ...]:
    """The items with most points lost, or kept open where the student can be told why.

    What was not assessed is left out: it follows from something else missing.
    """
    lost = [item for item in result.items if _stake(item) > 0 and item.status is not Status.NOT_RUN]
    return tuple(_fix(item, language) for item in sorted(lost, key=_stake, reverse=True)[:MOST_FIXES])


def _stake(item: ItemResult) -> Decimal:
    told = item.status is Status.REVIEW and (item.diagnoses or item.feedback)
    return item.max_score - item.score - (0 if told else item.pending)


def _fix(item: ItemResult, language: Language) -> Fix:
    advice = item.override.reason if item.override else _advice(item)
    is_open = item.pending > 0
    right = clip(language.say(item.expected), 200) if item.expected and not is_open else None
    return Fix(
        item=clip(item.id, 40),
        title=clip(language.say(item.title), 120),
        mark=mark(item.status, language),
        cost=points(_stake(item) if is_open else -_stake(item), language),
        open=is_open,
        advice=clip(language.say(advice), 260),
        right=right,
    )


def _advice(item: ItemResult) -> str:
    """What is wrong, as precisely as is known."""
    missing = say("No answer to this was found in what was handed in.") if item.status is Status.MISSING else ""
    diagnosis = item.diagnoses[0].text if item.diagnoses else ""
    return diagnosis or item.feedback or missing

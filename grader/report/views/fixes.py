"""The things most worth fixing: what cost most, and how it would be right."""

from collections.abc import Sequence
from decimal import Decimal

from grader.frozen import Frozen
from grader.language import Language
from grader.message import joined, say
from grader.report.views.item import anchor_of
from grader.report.views.marks import Mark, mark
from grader.report.views.wording import clip, points
from grader.result import ItemResult, Result, Status

MOST_FIXES = 3


class Fix(Frozen):
    """One of the things most worth fixing: what it cost or keeps open, what is wrong, and what would be right.

    `item` and `title` name all items that the same is wrong with, `question` those they belong to; `anchor` leads to
    the first of them.
    """

    item: str
    anchor: str
    title: str
    question: str
    mark: Mark
    cost: str
    open: bool
    advice: str
    right: str | None


def fixes(result: Result, language: Language) -> tuple[Fix, ...]:
    """What cost most points, then what keeps most of them open where the student can be told why.

    What was not assessed is left out: it follows from something else missing.
    """
    lost = [item for item in result.items if _stake(item) > 0 and item.status is not Status.NOT_RUN]
    alike: dict[tuple[str, ...], list[ItemResult]] = {}
    for item in lost:
        alike.setdefault(_kind(item), []).append(item)
    ordered = sorted(alike.values(), key=lambda items: (items[0].pending > 0, -sum(map(_stake, items))))
    return tuple(_fix(items, result, language) for items in ordered[:MOST_FIXES])


def _kind(item: ItemResult) -> tuple[str, ...]:
    """Items of one kind have the same said about them; those without a word are each of their own."""
    advice = _advice(item)
    own = () if advice and item.status is not Status.MISSING else (item.id,)
    return (item.status, advice, item.expected or "", *own) if item.pending == 0 else (item.status, advice, *own)


def _stake(item: ItemResult) -> Decimal:
    told = item.status is Status.REVIEW and (item.diagnoses or item.feedback)
    return item.max_score - item.score - (0 if told else item.pending)


def _fix(items: Sequence[ItemResult], result: Result, language: Language) -> Fix:
    first = items[0]
    titles = {one.id: language.say(one.title) for one in result.questions}
    stake = sum(map(_stake, items), Decimal(0))
    is_open = first.pending > 0
    return Fix(
        item=clip(", ".join(item.id for item in items), 60),
        anchor=anchor_of(next(number for number, item in enumerate(result.items) if item is first)),
        title=clip("; ".join(dict.fromkeys(language.say(item.title) for item in items)), 120),
        question=clip("; ".join(dict.fromkeys(titles.get(item.question, "") for item in items)), 120),
        mark=mark(first.status, language),
        cost=points(stake if is_open else -stake, language),
        open=is_open,
        advice=clip(language.say(_advice(first)), 300),
        right=clip(language.say(first.expected), 160) if first.expected and not is_open else None,
    )


def _advice(item: ItemResult) -> str:
    """What is wrong, as precisely as is known."""
    if item.override:
        return item.override.reason
    missing = say("No answer to this was found in what was handed in.") if item.status is Status.MISSING else ""
    return item.feedback or joined(" ", (one.text for one in item.diagnoses)) or missing

"""Stories in words: the one that stands out, or all that a number leaves open."""

from collections.abc import Sequence
from typing import Final

from grader.checks.diagnosis.stories import Story
from grader.checks.diagnosis.weighing import Weighed

CLOSE: Final = 0.75
"""Stories whose costs differ by less are told side by side; no one can say which it was."""

MOST_TOLD: Final = 3


def likely(found: Sequence[Weighed]) -> tuple[Story, ...]:
    """The stories that are about as likely as the first, at most three."""
    return tuple(one.story for one in found if one.cost - found[0].cost < CLOSE)[:MOST_TOLD]


def told(number: int, near: Sequence[Story]) -> str:
    """One or two sentences for the student. `near` are the likely stories."""
    by_base: dict[str, list[str]] = {}
    for story in near:
        base = f"{story.base.total:,} ({story.base.title})"
        by_base.setdefault(base, []).append(story.sentence)
    lines = [f"{base} when {_either(sentences)}" for base, sentences in by_base.items()]
    more = " The number alone leaves it open." if len(near) > 1 else ""
    return f"{number:,} is what becomes of {'; or of '.join(lines)}.{more}"


def _either(sentences: Sequence[str]) -> str:
    return " — or when ".join(sentences)

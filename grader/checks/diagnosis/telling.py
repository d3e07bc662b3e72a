"""Stories in words: the one that stands out, or all that a number leaves open."""

from collections.abc import Sequence
from typing import Final

from grader.checks.diagnosis.stories import Story
from grader.checks.diagnosis.weighing import Weighed
from grader.message import Message, joined, say, say_data

CLOSE: Final = 0.75
"""Stories whose costs differ by less are told side by side; no one can say which it was."""

MOST_TOLD: Final = 3


def likely(found: Sequence[Weighed]) -> tuple[Story, ...]:
    """The stories that are about as likely as the first, at most three."""
    return tuple(one.story for one in found if one.cost - found[0].cost < CLOSE)[:MOST_TOLD]


def told(number: int, near: Sequence[Story]) -> Message:
    """One or two sentences for the student. `near` are the likely stories."""
    by_base: dict[Message, list[Message]] = {}
    for story in near:
        base = say("{total:,} ({title})", total=story.base.total, title=say_data(story.base.title))
        by_base.setdefault(base, []).append(story.sentence)
    lines = (
        say("{count} when {slips}", count=base, slips=joined(say(" — or when "), sentences))
        for base, sentences in by_base.items()
    )
    words = say("It is what one gets from {stories}.", number=number, stories=joined(say("; or of "), lines))
    return say("{told} The number alone leaves it open.", told=words) if len(near) > 1 else words

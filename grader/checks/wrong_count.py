"""A wrong count explained: what it may be a slip of."""

from collections.abc import Collection, Iterable, Sequence

from grader.checks.diagnosis.stories import Story
from grader.checks.diagnosis.telling import likely
from grader.checks.diagnosis.weighing import Seen, by_derivation
from grader.claims.conventions import Stated
from grader.lab.truth import Count, GroundTruth
from grader.message import Words, joined, say, say_number

MOST_OTHERS = 4


def bases(truth: GroundTruth, model: str, accept: Collection[str]) -> tuple[Count, ...]:
    """The counts that a slip may start from: those by accepted conventions, and those of the same model that count
    nothing which these do not."""
    known = truth.counts_of(model)
    accepted = [count for count in known if count.convention in accept]
    held = [_counted(truth, count) for count in accepted]
    smaller = [one for one in known if one not in accepted and any(_counted(truth, one) < whole for whole in held)]
    return (*accepted, *smaller)


def contradictions(count: Count, truth: GroundTruth, stated: Iterable[Stated]) -> tuple[Stated, ...]:
    """What a text says to count, or to leave out, otherwise than a count does; of what it says both ways, nothing."""
    stated = tuple(stated)
    said = {(one.kind, one.counted) for one in stated}
    parts = truth.components(count.model, count.convention)
    held = {part.kind for part in parts} | {"head" for part in parts if part.part.endswith("head")}
    return tuple(one for one in stated if one.counted != (one.kind in held) and (one.kind, not one.counted) not in said)


def others_told(found: Iterable[Story], near: Sequence[Story]) -> Words:
    """The stories that a number alone allows beside those told, for staff."""
    told = {story.sentence for story in near}
    rest = [story.sentence for story in found if story.sentence not in told]
    if not rest:
        return ""
    fitting = joined(say("; or "), rest[:MOST_OTHERS])
    if len(rest) <= MOST_OTHERS:
        return say("The number alone would also fit: {stories}.", stories=fitting)
    return say_number(
        "The number alone would also fit: {stories} (and {number} less likely one).",
        "The number alone would also fit: {stories} (and {number} less likely ones).",
        len(rest) - MOST_OTHERS,
        stories=fitting,
    )


def explanations(found: Iterable[Story], seen: Seen) -> tuple[Story, ...]:
    """The likely ones of the stories of a wrong number; one alone when the number or its derivation leaves no choice.
    `seen` is what the derivation shows."""
    return likely(by_derivation(found, seen))


def _counted(truth: GroundTruth, count: Count) -> frozenset[str]:
    return frozenset(part.id for part in truth.components(count.model, count.convention))

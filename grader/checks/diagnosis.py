"""What may have gone wrong in a count: which parts, left out or counted besides, would give just this number."""

from collections.abc import Iterable, Iterator
from itertools import combinations

from grader.frozen import Frozen
from grader.lab.truth import Count, GroundTruth

MOST_PARTS = 2
"""A number alone fits too many stories of three and more slips to mean anything."""


class Story(Frozen):
    """One story: the parts left out of a count, or added to it."""

    convention: str
    parts: tuple[str, ...]
    sentence: str


def omissions(total: int, counts: Iterable[Count], truth: GroundTruth) -> tuple[Story, ...]:
    """All stories in which leaving out one or two whole parts of what a count holds gives a total, shortest first."""
    stories = (story for count in counts for story in _of_count(total, count, truth))
    return tuple(sorted(stories, key=lambda story: (len(story.parts), story.convention, story.parts)))


def additions(total: int, counts: Iterable[Count], truth: GroundTruth) -> tuple[Story, ...]:
    """All stories in which one or two parts that a count leaves out, such as heads, were counted besides."""
    stories = (story for count in counts for story in _added_to(total, count, truth))
    return tuple(sorted(stories, key=lambda story: (len(story.parts), story.convention, story.parts)))


def _added_to(total: int, count: Count, truth: GroundTruth) -> Iterator[Story]:
    held = {component.part for component in truth.components(count.model, count.convention)}
    model = truth.model(count.model)
    others = [part for part in model.components if part.part not in held] if model else []
    whole: dict[str, int] = {}
    weights: dict[str, int] = {}
    for part in others:
        whole[part.part] = whole.get(part.part, 0) + part.values * part.times
        if part.kind in ("weight", "embedding"):
            weights[part.part] = weights.get(part.part, 0) + part.values * part.times
    for sizes in (whole, weights):
        for number in range(1, MOST_PARTS + 1):
            for parts in combinations(sizes, number):
                if count.total + sum(sizes[part] for part in parts) == total:
                    yield Story(
                        convention=count.convention,
                        parts=parts,
                        sentence=f"It equals {count.total:,} ({count.title}) and {' and '.join(parts)} besides.",
                    )


def _of_count(total: int, count: Count, truth: GroundTruth) -> Iterator[Story]:
    sizes: dict[str, int] = {}
    for component in truth.components(count.model, count.convention):
        sizes[component.part] = sizes.get(component.part, 0) + component.values * component.times
    for number in range(1, MOST_PARTS + 1):
        for parts in combinations(sizes, number):
            if count.total - sum(sizes[part] for part in parts) == total:
                yield Story(
                    convention=count.convention,
                    parts=parts,
                    sentence=f"It equals {count.total:,} ({count.title}) without {' and '.join(parts)}.",
                )

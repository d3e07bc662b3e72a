"""What may have gone wrong in a count: which omitted parts of the model would give just this number."""

from collections.abc import Iterable, Iterator
from itertools import combinations

from grader.frozen import Frozen
from grader.lab.truth import Count, GroundTruth

MOST_OMITTED = 2
"""A number alone fits too many stories of three and more slips to mean anything."""


class Omission(Frozen):
    """One story: the parts left out of a count."""

    convention: str
    parts: tuple[str, ...]
    sentence: str


def omissions(total: int, counts: Iterable[Count], truth: GroundTruth) -> tuple[Omission, ...]:
    """All stories in which leaving out one or two whole parts of what a count holds gives a total, shortest first."""
    stories = (story for count in counts for story in _of_count(total, count, truth))
    return tuple(sorted(stories, key=lambda story: (len(story.parts), story.convention, story.parts)))


def _of_count(total: int, count: Count, truth: GroundTruth) -> Iterator[Omission]:
    sizes: dict[str, int] = {}
    for component in truth.components(count.model, count.convention):
        sizes[component.part] = sizes.get(component.part, 0) + component.values * component.times
    for number in range(1, MOST_OMITTED + 1):
        for parts in combinations(sizes, number):
            if count.total - sum(sizes[part] for part in parts) == total:
                yield Omission(
                    convention=count.convention,
                    parts=parts,
                    sentence=f"It equals {count.total:,} ({count.title}) without {' and '.join(parts)}.",
                )

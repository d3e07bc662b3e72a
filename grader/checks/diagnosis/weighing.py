"""Which of several stories the derivation speaks for."""

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Final, NamedTuple

from grader.checks.diagnosis.anatomy import Anatomy, Piece, total
from grader.checks.diagnosis.stories import Story

UNEXPLAINED: Final = 2.0
"""What a number that stands there without a reason takes from a story, in units of its cost."""


class Seen(NamedTuple):
    """What a derivation shows: all numbers in it and the values of its products and sums; those that are written out;
    and those, by part, that stand in a line about that part alone."""

    values: frozenset[int] = frozenset()
    written: frozenset[int] = frozenset()
    labelled: Mapping[str, frozenset[int]] = MappingProxyType({})


class Weighed(NamedTuple):
    """A story, and what is left of its cost when the derivation speaks for it."""

    story: Story
    cost: float


def by_derivation(found: Iterable[Story], seen: Seen) -> tuple[Weighed, ...]:
    """The stories, those first that a derivation speaks for; without any the order stays."""
    listed = tuple(found)
    if not seen.values:
        return tuple(Weighed(story, story.cost) for story in listed)
    parts = {part for story in listed for part in _changed(story)}
    telling = frozenset().union(*(_values(story.counted, part) for story in listed for part in parts)) & seen.written
    weighed = (Weighed(story, story.cost - _support(story, parts, seen, telling)) for story in listed)
    return tuple(sorted(weighed, key=lambda one: one.cost))


def _support(story: Story, parts: Iterable[str], seen: Seen, telling: frozenset[int]) -> float:
    """How much of a derivation fits a story: part by part, by the numbers that its slips would have had written, and
    less for each of the `telling` values, which some story has for a part, that this one cannot explain."""
    fits = sum(_fit(story, part, seen) for part in parts)
    written = sum(_telling(slip.written, slip.unwritten, seen.values) for slip in story.slips)
    return fits + written - UNEXPLAINED * len(telling - _explained(story.counted))


def _fit(story: Story, part: str, seen: Seen) -> float:
    """From -2 to 2: what stands in a line about the part weighs most, then what is written out anywhere."""
    expected, otherwise = _values(story.counted, part), _values(story.right, part)
    own = seen.labelled.get(part, frozenset())
    if not expected:
        return -2.0 if otherwise & own else -1.0 if otherwise & seen.written else 1.0
    if own:
        return 2.0 if expected & own else 0.0 if expected & seen.values else -2.0
    return 1.0 if expected & seen.written else 0.5 if expected & seen.values else -1.0


def _telling(written: frozenset[int], unwritten: frozenset[int], shown: frozenset[int]) -> float:
    there = 0.0 if not written else 0.5 if written & shown else -1.0
    return there + (-0.25 if unwritten & shown else 0.0)


def _explained(arrays: Anatomy) -> frozenset[int]:
    """All values that a derivation of some arrays may show: of arrays, parts, and layers, once and in all layers."""
    parts = {piece.part for piece in arrays}
    layered = [piece for piece in arrays if piece.times > 1]
    layers = {sum(piece.once for piece in chosen) for chosen in (layered, [p for p in layered if p.kind == "weight"])}
    times = max((piece.times for piece in arrays), default=1)
    single = {size for piece in arrays for size in (piece.once, piece.values)}
    sums = {total(arrays), *layers, *(size * times for size in layers)}
    return frozenset().union(single, sums, *(_values(arrays, part) for part in parts))


def _changed(story: Story) -> set[str]:
    parts = {piece.part for piece in (*story.right, *story.counted)}
    return {part for part in parts if _values(story.right, part) != _values(story.counted, part)}


def _values(arrays: Iterable[Piece], part: str) -> frozenset[int]:
    """What a derivation may show for a part: its matrices, or all its arrays, in one layer or in all."""
    own = [piece for piece in arrays if piece.part == part]
    heavy = [piece for piece in own if piece.kind in ("weight", "embedding")]
    sums = {sum(p.once for p in chosen) for chosen in (own, heavy)}
    sums |= {sum(p.values for p in chosen) for chosen in (own, heavy)}
    return frozenset(sums - {0})

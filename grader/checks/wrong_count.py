"""Explain a wrong count by slips.

`stories` finds the slips, alone or in pairs, that lead from a right count to the wrong number. `explanations` keeps
those that the derivation supports, and `stories_told` words them for the student.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from types import MappingProxyType
from typing import Final, NamedTuple

from grader.checks.slips import (
    Anatomy,
    Piece,
    Slip,
    anatomy,
    bias_slips,
    identity,
    left_out,
    matrix_slips,
    norm_slips,
    omission,
    size_slips,
    total,
)
from grader.frozen import memoise
from grader.lab.truth import Count, GroundTruth
from grader.message import Message, Words, join_messages, say, say_data, say_number, say_values

SECOND: Final = 0.8
"""The additional cost of a second slip: ten times as many pairs of slips as single slips fit a number."""


@dataclass(frozen=True)
class Story:
    """An explanation of a number: a right count (`base`), and the slips that lead from it to the number.

    `right` are the arrays of the right count, `counted` those that the student counted.
    """

    base: Count
    slips: tuple[Slip, ...]
    right: Anatomy
    counted: Anatomy

    @property
    def cost(self) -> float:
        """The improbability of the story, judged by the number alone. A common slip costs 1."""
        return sum(slip.cost for slip in self.slips) + SECOND * (len(self.slips) - 1)

    @property
    def sentence(self) -> Message:
        """The slips for readers, without the right count."""
        return join_messages(say(", and "), (slip.sentence for slip in self.slips))


def slips(arrays: Anatomy, others: Anatomy, heads: int | None) -> tuple[Slip, ...]:
    """Return the possible slips in counting some arrays.

    `others` are arrays of the model that should not be counted. `heads` is the number of attention heads.
    """
    return (
        *_part_slips(arrays),
        *matrix_slips(arrays),
        *norm_slips(arrays),
        *bias_slips(arrays),
        *size_slips(arrays, heads),
        *_besides(others),
    )


_UNTIED: Final = "token embedding"


def _part_slips(arrays: Anatomy) -> Iterator[Slip]:
    """Yield slips with a part: left out, counted twice, or counted in one layer only."""
    for part in dict.fromkeys(piece.part for piece in arrays):
        own_pieces = [piece for piece in arrays if piece.part == part]
        name = say("the {part}", part=say_data(part))
        yield Slip(
            id=f"without-{_slug(part)}",
            aspect=part,
            cost=1 if own_pieces[0].kind == "embedding" else 1.2,
            sentence=omission(name),
            edit=lambda piece, part=part: None if piece.part == part else piece,  # type: ignore[misc]
        )
        untied = say(" (as a separate output projection would be)") if part == _UNTIED else ""
        yield Slip(
            id=f"twice-{_slug(part)}",
            aspect=part,
            cost=1.5,
            sentence=say("the count has {matrices} twice{untied}", matrices=name, untied=untied),
            edit=lambda piece, part=part: piece._replace(copies=2 * piece.copies) if piece.part == part else piece,  # type: ignore[misc]
        )
        if any(piece.is_layered for piece in own_pieces):
            yield Slip(
                id=f"one-layer-of-{_slug(part)}",
                aspect=part,
                cost=1.5,
                sentence=say("the count has {matrices} in one layer only", matrices=name),
                edit=lambda piece, part=part: piece._replace(times=1) if piece.part == part else piece,  # type: ignore[misc]
            )


def _besides(others: Anatomy) -> Iterator[Slip]:
    """Yield slips that count a part too many: all of it, without norms, its weights alone, or a single matrix."""
    for part, group in groupby(sorted(others, key=lambda piece: piece.part), key=lambda piece: piece.part):
        own_pieces = tuple(group)
        weights = tuple(piece for piece in own_pieces if piece.kind in ("weight", "embedding"))
        linear = tuple(piece for piece in own_pieces if piece.kind != "norm")
        choices: dict[Anatomy, str] = {
            own_pieces: "",
            linear: say(" (without its norm)"),
            weights: say(" (its weights)"),
        }
        choices |= {(p,): say(" (the matrix {name})", name=p.name) for p in weights if len(weights) > 1}
        for counted, how in choices.items():
            if counted:
                yield Slip(
                    id=f"with-{_slug(part)}",
                    aspect=part,
                    cost=1.2 if counted in (own_pieces, weights) else 1.6,
                    sentence=say("the count also has the {part}{how}", part=say_data(part), how=how),
                    edit=identity,
                    besides=counted,
                )


def _slug(part: str) -> str:
    return part.replace(" ", "-")


def stories(number: int, bases: Iterable[Count], truth: GroundTruth) -> tuple[Story, ...]:
    """Return the stories of at most two slips for a number, the most probable first.

    Stories that count the same arrays are reported once, with the base that is given first.
    """
    found = sorted((story for base in bases for story in _from_base(number, base, truth)), key=lambda story: story.cost)
    stories_told: dict[frozenset[Piece], Story] = {}
    for story in found:
        stories_told.setdefault(frozenset(story.counted), story)
    return tuple(stories_told.values())


def _from_base(number: int, base: Count, truth: GroundTruth) -> Iterator[Story]:
    known_slips = _slips_of(base, truth)
    for chosen in _explaining(number, known_slips):
        yield Story(base=base, slips=chosen, right=known_slips.right, counted=_counted(known_slips.right, chosen))


class _Slips(NamedTuple):
    """All slips in counting by one convention, with their effects.

    `by_difference` has single slips by the difference that they make. `entangled` has pairs of slips that change the
    same array, by the difference that they make together.
    """

    right: Anatomy
    whole: int
    effects: Sequence["_Effect"]
    by_difference: Mapping[int, Sequence["_Effect"]]
    entangled: Mapping[int, Sequence[tuple[Slip, Slip]]]


@memoise
def _slips_of(base: Count, truth: GroundTruth) -> _Slips:
    """Return all slips in counting by a convention, with the effects of each slip and each pair."""
    right, model = anatomy(truth, base.model, base.convention), truth.model(base.model)
    whole = total(right)
    others = left_out(truth, base.model, base.convention) if right else ()
    known_slips = slips(right, others, model.heads if model else None)
    effects = tuple(_Effect(slip, place, right, whole) for place, slip in enumerate(known_slips))
    by_difference: dict[int, list[_Effect]] = defaultdict(list)
    for effect in effects:
        by_difference[effect.difference].append(effect)
    values = [piece.values for piece in right]
    entangled: dict[int, list[tuple[Slip, Slip]]] = defaultdict(list)
    for first_effect, other in _entangled(effects):
        together = first_effect.difference + other.difference + _correction(first_effect, other, values)
        entangled[together].append((first_effect.slip, other.slip))
    return _Slips(right, whole, effects, by_difference, entangled)


def _explaining(number: int, known_slips: _Slips) -> Iterator[tuple[Slip, ...]]:
    """Yield the single slips and then the pairs that give the number.

    Slips that change different arrays add up, so the second slip is looked up by the remaining difference.
    """
    missing = number - known_slips.whole
    for effect in known_slips.by_difference.get(missing, ()):
        yield (effect.slip,)
    for first_effect in known_slips.effects:
        for other in known_slips.by_difference.get(missing - first_effect.difference, ()):
            if (
                first_effect.place < other.place
                and first_effect.touched.isdisjoint(other.touched)
                and _go_together(first_effect, other)
            ):
                yield first_effect.slip, other.slip
    yield from known_slips.entangled.get(missing, ())


class _Effect:
    """The effect of one slip: the total difference, the new values of each array, and the arrays that it changes."""

    def __init__(self, slip: Slip, place: int, right: Anatomy, whole: int) -> None:
        self.slip = slip
        self.place = place
        self.edited = [slip.edit(piece) for piece in right]
        self.values = [piece.values if piece else 0 for piece in self.edited]
        self.touched = frozenset(place for place, piece in enumerate(right) if self.edited[place] != piece)
        self.difference = sum(self.values) + total(slip.besides) - whole


def _entangled(effects: Sequence[_Effect]) -> Iterator[tuple[_Effect, _Effect]]:
    """Yield the pairs of slips that change the same array."""
    for place, effect in enumerate(effects):
        for other in effects[place + 1 :]:
            if not effect.touched.isdisjoint(other.touched) and _go_together(effect, other):
                yield effect, other


def _correction(effect: _Effect, other: _Effect, values: list[int]) -> int:
    """Return the difference between the effect of two slips together and the sum of their effects.

    Only arrays that both change matter. `values` are the sizes of the arrays without slips.
    """
    correction = 0
    for place in effect.touched & other.touched:
        first = effect.edited[place]
        edited = other.slip.edit(first) if first else None
        correction += values[place] - effect.values[place] - other.values[place] + (edited.values if edited else 0)
    return correction


def _go_together(effect: _Effect, other: _Effect) -> bool:
    """Whether two slips make a story: they concern different things, and each changes the count."""
    return effect.slip.aspect != other.slip.aspect and effect.difference != 0 != other.difference


def _edited(piece: Piece, chosen: Iterable[Slip]) -> Piece | None:
    """Return an array after some slips, or None if they leave it out."""
    counted: Piece | None = piece
    for slip in chosen:
        counted = slip.edit(counted) if counted else None
    return counted


def _counted(right: Anatomy, chosen: tuple[Slip, ...]) -> Anatomy:
    edited = (_edited(piece, chosen) for piece in right)
    return (*(piece for piece in edited if piece), *(piece for slip in chosen for piece in slip.besides))


UNEXPLAINED: Final = 2.0
"""The penalty of a story for a number in the derivation that it does not explain."""


class SeenNumbers(NamedTuple):
    """The numbers that a derivation shows.

    `values` are all numbers and the values of products and sums. `written` are the numbers written out. `labelled` are,
    for each part, the numbers in lines about this part alone.
    """

    values: frozenset[int] = frozenset()
    written: frozenset[int] = frozenset()
    labelled: Mapping[str, frozenset[int]] = MappingProxyType({})


class WeighedStory(NamedTuple):
    """A story with its cost after the derivation was taken into account."""

    story: Story
    cost: float


def by_derivation(found: Iterable[Story], seen: SeenNumbers) -> tuple[WeighedStory, ...]:
    """Return the stories, those that the derivation supports first."""
    listed = tuple(found)
    if not seen.values:
        return tuple(WeighedStory(story, story.cost) for story in listed)
    parts = {part for story in listed for part in _changed(story)}
    telling = frozenset().union(*(_values(story.counted, part) for story in listed for part in parts)) & seen.written
    weighed = (WeighedStory(story, story.cost - _support(story, parts, seen, telling)) for story in listed)
    return tuple(sorted(weighed, key=lambda candidate: candidate.cost))


def _support(story: Story, parts: Iterable[str], seen: SeenNumbers, telling: frozenset[int]) -> float:
    """Return how well a derivation supports a story.

    Parts and the numbers that its slips show count for it. Each `telling` value that it does not explain counts against
    it.
    """
    fits = sum(_fit(story, part, seen) for part in parts)
    written = sum(_telling(slip.written, slip.unwritten, seen.values) for slip in story.slips)
    return fits + written - UNEXPLAINED * len(telling - _explained(story.counted))


def _fit(story: Story, part: str, seen: SeenNumbers) -> float:
    """Return the fit of a story to a part, from -2 to 2. Numbers in lines about the part weigh most."""
    expected, otherwise = _values(story.counted, part), _values(story.right, part)
    part_numbers = seen.labelled.get(part, frozenset())
    if not expected:
        return -2.0 if otherwise & part_numbers else -1.0 if otherwise & seen.written else 1.0
    if part_numbers:
        return 2.0 if expected & part_numbers else 0.0 if expected & seen.values else -2.0
    return 1.0 if expected & seen.written else 0.5 if expected & seen.values else -1.0


def _telling(written: frozenset[int], unwritten: frozenset[int], shown: frozenset[int]) -> float:
    there = 0.0 if not written else 0.5 if written & shown else -1.0
    return there + (-0.25 if unwritten & shown else 0.0)


def _explained(arrays: Anatomy) -> frozenset[int]:
    """Return all values that a derivation of some arrays may show: arrays, parts and layers, once and in all layers."""
    parts = {piece.part for piece in arrays}
    layered = [piece for piece in arrays if piece.is_layered]
    layers = {sum(piece.once for piece in chosen) for chosen in (layered, [p for p in layered if p.kind == "weight"])}
    times = max((piece.times for piece in arrays), default=1)
    single = {size for piece in arrays for size in (piece.once, piece.values)}
    sums = {total(arrays), *layers, *(size * times for size in layers)}
    return frozenset().union(single, sums, *(_values(arrays, part) for part in parts))


def _changed(story: Story) -> set[str]:
    parts = {piece.part for piece in (*story.right, *story.counted)}
    return {part for part in parts if _values(story.right, part) != _values(story.counted, part)}


def _values(arrays: Iterable[Piece], part: str) -> frozenset[int]:
    """Return the values that a derivation may show for a part: its matrices or all its arrays, in one layer or in
    all."""
    own_pieces = [piece for piece in arrays if piece.part == part]
    heavy = [piece for piece in own_pieces if piece.kind in ("weight", "embedding")]
    sums = {sum(p.once for p in chosen) for chosen in (own_pieces, heavy)}
    sums |= {sum(p.values for p in chosen) for chosen in (own_pieces, heavy)}
    return frozenset(sums - {0})


CLOSE: Final = 0.75
"""Stories whose costs differ by less than this are reported together."""

MOST_TOLD: Final = 3


def likely_stories(found: Sequence[WeighedStory]) -> tuple[Story, ...]:
    """Return the stories that are about as probable as the first, at most three."""
    return tuple(weighed.story for weighed in found if weighed.cost - found[0].cost < CLOSE)[:MOST_TOLD]


def stories_told(number: int, near: Sequence[Story]) -> Message:
    """Return one or two sentences with the likely stories, for the student."""
    by_base: dict[Message, list[Message]] = {}
    for story in near:
        base = say_values("{total:,} ({title})", total=story.base.total, title=say_data(story.base.title))
        by_base.setdefault(base, []).append(story.sentence)
    lines = (
        say("{count} when {slips}", count=base, slips=join_messages(say(" — or when "), sentences))
        for base, sentences in by_base.items()
    )
    words = say("It results from {stories}.", number=number, stories=join_messages(say("; or of "), lines))
    return say("{told} The number alone does not show which.", told=words) if len(near) > 1 else words


MOST_OTHERS = 4


def bases(truth: GroundTruth, model: str, accept: Collection[str]) -> tuple[Count, ...]:
    """Return the counts from which a slip may start: accepted ones, and those of the model that count only a part of
    them."""
    known_counts = truth.counts_of(model)
    accepted = [count for count in known_counts if count.convention in accept]
    held = [_as_counted(truth, count) for count in accepted]
    smaller = [
        count
        for count in known_counts
        if count not in accepted and any(_as_counted(truth, count) < whole for whole in held)
    ]
    return (*accepted, *smaller)


def others_told(found: Iterable[Story], near: Sequence[Story]) -> Words:
    """Return the other stories that fit the number, for staff, or an empty text."""
    stories_told = {story.sentence for story in near}
    rest = [story.sentence for story in found if story.sentence not in stories_told]
    if not rest:
        return ""
    fitting = join_messages(say("; or "), rest[:MOST_OTHERS])
    if len(rest) <= MOST_OTHERS:
        return say("The number alone would also fit: {stories}.", stories=fitting)
    return say_number(
        "The number alone would also fit: {stories} (and {number} less likely one).",
        "The number alone would also fit: {stories} (and {number} less likely ones).",
        len(rest) - MOST_OTHERS,
        stories=fitting,
    )


def explanations(found: Iterable[Story], seen: SeenNumbers) -> tuple[Story, ...]:
    """Return the likely stories of a wrong number.

    A story that changes a part which the derivation shows with its right value is left out as a coincidence.
    """
    return likely_stories(by_derivation((story for story in found if not _is_coincidence(story, seen)), seen))


def _is_coincidence(story: Story, seen: SeenNumbers) -> bool:
    """Whether the derivation shows the right value of a part that the story changes."""
    return any(_is_contradicted(story, part, seen) for part in _changed(story))


def _is_contradicted(story: Story, part: str, seen: SeenNumbers) -> bool:
    """Whether the derivation contradicts a story about one part.

    It does if it shows the right value of the part and no value that the story gives; or if it shows the whole size of
    a part of which the story counts a fraction.
    """
    shown = seen.labelled.get(part, frozenset())
    own_pieces, counted = ([p for p in arrays if p.part == part] for arrays in (story.right, story.counted))
    counted_values, right = _values(counted, part), _values(own_pieces, part)
    if not _forms(counted) <= _forms(own_pieces) and right & shown and not counted_values & seen.values:
        return True
    whole = total(own_pieces) if not any(piece.is_layered for piece in own_pieces) else 0
    # If the story leaves the part out or doubles it, the derivation may still show its right value.
    return bool(whole) and whole in shown and total(counted) % whole != 0


def _forms(arrays: Iterable[Piece]) -> set[tuple[tuple[int, ...], int]]:
    return {(piece.shape, piece.times) for piece in arrays}


def _as_counted(truth: GroundTruth, count: Count) -> frozenset[str]:
    return frozenset(part.id for part in truth.components(count.model, count.convention))

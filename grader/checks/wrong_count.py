"""A wrong count explained: which slips, alone or two at a time, turn a right count into the number that was found,
which of these stories the derivation speaks for, and how it is told.
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
    left_out,
    matrix_slips,
    norm_slips,
    omission,
    same,
    size_slips,
    total,
)
from grader.frozen import remembered
from grader.lab.truth import Count, GroundTruth
from grader.message import Message, Words, joined, say, say_data, say_number, say_values

SECOND: Final = 0.8
"""What a second slip adds beyond its own cost: a number fits ten times as many stories of two slips as of one."""


@dataclass(frozen=True)
class Story:
    """One explanation of a number: a count that is right in itself, and the slips that lead from it to the number.
    `counted` is what was counted then."""

    base: Count
    slips: tuple[Slip, ...]
    right: Anatomy
    counted: Anatomy

    @property
    def cost(self) -> float:
        """The improbability of the story from the number alone; 1 is one common slip."""
        return sum(slip.cost for slip in self.slips) + SECOND * (len(self.slips) - 1)

    @property
    def sentence(self) -> Message:
        """The story for people, without its base."""
        return joined(say(", and "), (slip.sentence for slip in self.slips))


def slips(arrays: Anatomy, others: Anatomy, heads: int | None) -> tuple[Slip, ...]:
    """The slips in counting some arrays. `others` are arrays of the model that should not be counted; `heads` are those
    of one attention."""
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
    """A part left out, counted twice, or counted in one layer only."""
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
    """Parts counted that should not be: whole, without norms and biases, or their matrices alone, one by one."""
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
                    edit=same,
                    besides=counted,
                )


def _slug(part: str) -> str:
    return part.replace(" ", "-")


def stories(number: int, bases: Iterable[Count], truth: GroundTruth) -> tuple[Story, ...]:
    """All stories of at most two slips for a number, the likeliest first: fewer and commoner slips before others, and
    of like ones those from the base that is named first. What is counted in the end is told once."""
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
    """All slips over the arrays that are right to count, with their effects: these by what they add, and the pairs
    that touch common arrays by what they add together."""

    right: Anatomy
    whole: int
    effects: Sequence["_Effect"]
    by_difference: Mapping[int, Sequence["_Effect"]]
    entangled: Mapping[int, Sequence[tuple[Slip, Slip]]]


@remembered
def _slips_of(base: Count, truth: GroundTruth) -> _Slips:
    """All slips in counting by a convention, with what each and each pair changes."""
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
    for one, other in _entangled(effects):
        together = one.difference + other.difference + _correction(one, other, values)
        entangled[together].append((one.slip, other.slip))
    return _Slips(right, whole, effects, by_difference, entangled)


def _explaining(number: int, known_slips: _Slips) -> Iterator[tuple[Slip, ...]]:
    """The slips that alone give the number, then the pairs. Slips that touch no array in common add up, so the partner
    of one is looked up by the difference that is left."""
    missing = number - known_slips.whole
    for effect in known_slips.by_difference.get(missing, ()):
        yield (effect.slip,)
    for one in known_slips.effects:
        for other in known_slips.by_difference.get(missing - one.difference, ()):
            if one.place < other.place and one.touched.isdisjoint(other.touched) and _go_together(one, other):
                yield one.slip, other.slip
    yield from known_slips.entangled.get(missing, ())


class _Effect:
    """The effect of a slip alone on a count: the total difference, the new values of each array, and the places of the
    arrays that it touches."""

    def __init__(self, slip: Slip, place: int, right: Anatomy, whole: int) -> None:
        self.slip = slip
        self.place = place
        self.edited = [slip.edit(piece) for piece in right]
        self.values = [piece.values if piece else 0 for piece in self.edited]
        self.touched = frozenset(place for place, piece in enumerate(right) if self.edited[place] != piece)
        self.difference = sum(self.values) + total(slip.besides) - whole


def _entangled(effects: Sequence[_Effect]) -> Iterator[tuple[_Effect, _Effect]]:
    """The pairs of slips that touch common arrays."""
    for place, effect in enumerate(effects):
        for other in effects[place + 1 :]:
            if not effect.touched.isdisjoint(other.touched) and _go_together(effect, other):
                yield effect, other


def _correction(effect: _Effect, other: _Effect, values: list[int]) -> int:
    """Return by how much two slips together differ from the sum of their single effects: only arrays that both touch
    matter. `values` are those of the arrays without any slip."""
    correction = 0
    for place in effect.touched & other.touched:
        first = effect.edited[place]
        edited = other.slip.edit(first) if first else None
        correction += values[place] - effect.values[place] - other.values[place] + (edited.values if edited else 0)
    return correction


def _go_together(effect: _Effect, other: _Effect) -> bool:
    """Two slips about one thing are no story, nor is one that changes nothing part of a story."""
    return effect.slip.aspect != other.slip.aspect and effect.difference != 0 != other.difference


def _edited(piece: Piece, chosen: Iterable[Slip]) -> Piece | None:
    """An array as it is counted after some slips."""
    counted: Piece | None = piece
    for slip in chosen:
        counted = slip.edit(counted) if counted else None
    return counted


def _counted(right: Anatomy, chosen: tuple[Slip, ...]) -> Anatomy:
    edited = (_edited(piece, chosen) for piece in right)
    return (*(piece for piece in edited if piece), *(piece for slip in chosen for piece in slip.besides))


UNEXPLAINED: Final = 2.0
"""What a number that stands there without a reason takes from a story, in units of its cost."""


class Seen(NamedTuple):
    """The numbers that a derivation shows: all numbers in it and the values of its products and sums; those that are
    written out; and those, by part, that stand in a line about that part alone."""

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
    return tuple(sorted(weighed, key=lambda candidate: candidate.cost))


def _support(story: Story, parts: Iterable[str], seen: Seen, telling: frozenset[int]) -> float:
    """Return how much of a derivation fits a story: part by part, by the numbers that its slips would have had written,
    and less for each of the `telling` values, which some story has for a part, that this one cannot explain."""
    fits = sum(_fit(story, part, seen) for part in parts)
    written = sum(_telling(slip.written, slip.unwritten, seen.values) for slip in story.slips)
    return fits + written - UNEXPLAINED * len(telling - _explained(story.counted))


def _fit(story: Story, part: str, seen: Seen) -> float:
    """Return the fit of a story to a part, from -2 to 2: what stands in a line about the part weighs most, then what is
    written out anywhere."""
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
    """Return the values that a derivation may show for a part: its matrices, or all its arrays, in one layer or in
    all."""
    own_pieces = [piece for piece in arrays if piece.part == part]
    heavy = [piece for piece in own_pieces if piece.kind in ("weight", "embedding")]
    sums = {sum(p.once for p in chosen) for chosen in (own_pieces, heavy)}
    sums |= {sum(p.values for p in chosen) for chosen in (own_pieces, heavy)}
    return frozenset(sums - {0})


CLOSE: Final = 0.75
"""Stories whose costs differ by less are told side by side; no one can say which it was."""

MOST_TOLD: Final = 3


def likely(found: Sequence[Weighed]) -> tuple[Story, ...]:
    """The stories that are about as likely as the first, at most three."""
    return tuple(weighed.story for weighed in found if weighed.cost - found[0].cost < CLOSE)[:MOST_TOLD]


def stories_told(number: int, near: Sequence[Story]) -> Message:
    """One or two sentences for the student. `near` are the likely stories."""
    by_base: dict[Message, list[Message]] = {}
    for story in near:
        base = say_values("{total:,} ({title})", total=story.base.total, title=say_data(story.base.title))
        by_base.setdefault(base, []).append(story.sentence)
    lines = (
        say("{count} when {slips}", count=base, slips=joined(say(" — or when "), sentences))
        for base, sentences in by_base.items()
    )
    words = say("It results from {stories}.", number=number, stories=joined(say("; or of "), lines))
    return say("{told} The number alone does not show which.", told=words) if len(near) > 1 else words


MOST_OTHERS = 4


def bases(truth: GroundTruth, model: str, accept: Collection[str]) -> tuple[Count, ...]:
    """The counts that a slip may start from: those by accepted conventions, and those of the same model that count
    nothing which these do not."""
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
    """The stories that a number alone allows beside those told, for staff."""
    stories_told = {story.sentence for story in near}
    rest = [story.sentence for story in found if story.sentence not in stories_told]
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
    `seen` is what the derivation shows; a story of a part that is shown with its right value, and not with that of the
    story, is a coincidence."""
    return likely(by_derivation((story for story in found if not _is_coincidence(story, seen)), seen))


def _is_coincidence(story: Story, seen: Seen) -> bool:
    """Whether a derivation shows a part as it is that the story counts otherwise."""
    return any(_is_contradicted(story, part, seen) for part in _changed(story))


def _is_contradicted(story: Story, part: str, seen: Seen) -> bool:
    """Whether a derivation shows a part as it is where the story has arrays of it in another size, whose value stands
    nowhere; or shows what a part that is there once comes to, of which the story counts another share."""
    shown = seen.labelled.get(part, frozenset())
    own_pieces, counted = ([p for p in arrays if p.part == part] for arrays in (story.right, story.counted))
    told, right = _values(counted, part), _values(own_pieces, part)
    if not _forms(counted) <= _forms(own_pieces) and right & shown and not told & seen.values:
        return True
    whole = total(own_pieces) if not any(piece.is_layered for piece in own_pieces) else 0
    # A part that the sum leaves out, or has twice, may well be shown as it is.
    return bool(whole) and whole in shown and total(counted) % whole != 0


def _forms(arrays: Iterable[Piece]) -> set[tuple[tuple[int, ...], int]]:
    return {(piece.shape, piece.times) for piece in arrays}


def _as_counted(truth: GroundTruth, count: Count) -> frozenset[str]:
    return frozenset(part.id for part in truth.components(count.model, count.convention))

"""Which slips, alone or two at a time, turn a right count into the number that was found."""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from grader.checks.diagnosis.anatomy import Anatomy, Piece, anatomy, left_out, total
from grader.checks.diagnosis.slip import Slip
from grader.checks.diagnosis.slips import slips
from grader.lab.truth import Count, GroundTruth
from grader.message import Message, joined, say

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
        """How unlikely the story is from the number alone; 1 is one common slip."""
        return sum(slip.cost for slip in self.slips) + SECOND * (len(self.slips) - 1)

    @property
    def sentence(self) -> Message:
        """The story for people, without its base."""
        return joined(say(", and "), (slip.sentence for slip in self.slips))


def stories(number: int, bases: Iterable[Count], truth: GroundTruth) -> tuple[Story, ...]:
    """All stories of at most two slips for a number, the likeliest first: fewer and commoner slips before others, and
    of like ones those from the base that is named first. What is counted in the end is told once."""
    found = sorted((story for base in bases for story in _from_base(number, base, truth)), key=lambda story: story.cost)
    told: dict[frozenset[Piece], Story] = {}
    for story in found:
        told.setdefault(frozenset(story.counted), story)
    return tuple(told.values())


def _from_base(number: int, base: Count, truth: GroundTruth) -> Iterator[Story]:
    right = anatomy(truth, base.model, base.convention)
    if not right:
        return
    model = truth.model(base.model)
    known = slips(right, left_out(truth, base.model, base.convention), model.heads if model else None)
    for chosen in _explaining(number, right, known):
        yield Story(base=base, slips=chosen, right=right, counted=_counted(right, chosen))


def _explaining(number: int, right: Anatomy, known: tuple[Slip, ...]) -> Iterator[tuple[Slip, ...]]:
    """The slips that alone give the number, then the pairs. Slips that touch no array in common add up, so the partner
    of one is looked up by the difference that is left; pairs that touch common arrays are tried out."""
    whole = total(right)
    effects = [_Effect(slip, right, whole) for slip in known]
    by_difference: dict[int, list[_Effect]] = defaultdict(list)
    for place, effect in enumerate(effects):
        effect.place = place
        by_difference[effect.difference].append(effect)
    for effect in by_difference.get(number - whole, ()):
        yield (effect.slip,)
    for one in effects:
        for other in by_difference.get(number - whole - one.difference, ()):
            if one.place < other.place and not one.touched & other.touched and _go_together(one, other):
                yield one.slip, other.slip
    values = [piece.values for piece in right]
    for one, other in _entangled(effects):
        if whole + one.difference + other.difference + _correction(one, other, values) == number:
            yield one.slip, other.slip


class _Effect:
    """What a slip alone does to a count: the difference in all, the values of each array then, and the arrays that it
    touches, one bit each."""

    def __init__(self, slip: Slip, right: Anatomy, whole: int) -> None:
        self.slip = slip
        self.place = 0
        self.edited = [slip.edit(piece) for piece in right]
        self.values = [piece.values if piece else 0 for piece in self.edited]
        self.touched = sum(1 << place for place, piece in enumerate(right) if self.edited[place] != piece)
        self.difference = sum(self.values) + total(slip.besides) - whole


def _entangled(effects: list[_Effect]) -> Iterator[tuple[_Effect, _Effect]]:
    for place, one in enumerate(effects):
        for other in effects[place + 1 :]:
            if one.touched & other.touched and _go_together(one, other):
                yield one, other


def _correction(one: _Effect, other: _Effect, values: list[int]) -> int:
    """By how much two slips together differ from the sum of what each does: only arrays that both touch matter.
    `values` are those of the arrays without any slip."""
    both = one.touched & other.touched
    correction = 0
    while both:
        place = (both & -both).bit_length() - 1
        both &= both - 1
        first = one.edited[place]
        edited = other.slip.edit(first) if first else None
        correction += values[place] - one.values[place] - other.values[place] + (edited.values if edited else 0)
    return correction


def _go_together(one: _Effect, other: _Effect) -> bool:
    """Two slips about one thing are no story, nor is one that changes nothing part of a story."""
    return one.slip.aspect != other.slip.aspect and one.difference != 0 != other.difference


def _edited(piece: Piece, chosen: Iterable[Slip]) -> Piece | None:
    """An array as it is counted after some slips."""
    counted: Piece | None = piece
    for slip in chosen:
        counted = slip.edit(counted) if counted else None
    return counted


def _counted(right: Anatomy, chosen: tuple[Slip, ...]) -> Anatomy:
    edited = (_edited(piece, chosen) for piece in right)
    return (*(piece for piece in edited if piece), *(piece for slip in chosen for piece in slip.besides))

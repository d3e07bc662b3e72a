"""Which parts of a model a derivation shows with a right value, alone or together with others."""

from collections.abc import Iterable, Iterator
from itertools import accumulate
from typing import Final

from grader.checks.derivation_values import Shown
from grader.checks.diagnosis.anatomy import pieces
from grader.frozen import Frozen
from grader.lab.truth import Component, GroundTruth
from grader.reading.evidence import Evidence

_HEAVY: Final = ("weight", "embedding")


class Part(Frozen):
    """A part of the model: its sizes under the conventions, for one layer; the values that a right derivation may show
    for it; the sizes of single arrays of it, and what a whole layer with it comes to; and where it is shown."""

    name: str
    sizes: frozenset[int]
    values: frozenset[int]
    units: frozenset[int]
    layers: frozenset[int]
    evidence: Evidence | None = None


def parts_of(truth: GroundTruth, model: str) -> list[Part]:
    """The parts that every convention counts."""
    counted = [truth.components(model, count.convention) for count in truth.counts_of(model)]
    names = [{component.part for component in components} for components in counted]
    needed = set.intersection(*names) if names else set()
    ordered = dict.fromkeys(component.part for components in counted for component in components)
    return [_part(name, counted) for name in ordered if name in needed]


def located(parts: Iterable[Part], shown: Shown) -> tuple[Part, ...]:
    """The parts with the places where they are shown: by a value of their own, by lines about them that add up to one,
    or as arrays of a layer whose sum is shown."""
    return tuple(part.model_copy(update={"evidence": _place(part, shown)}) for part in parts)


def _place(part: Part, shown: Shown) -> Evidence | None:
    values = [value for value in sorted(part.values) if value in shown.places]
    values += list(_added_up(part, shown))
    if part.units & shown.places.keys():
        values += [value for value in sorted(part.layers) if value in shown.places]
    return shown.places[values[0]] if values else None


def _added_up(part: Part, shown: Shown) -> Iterator[int]:
    """The first of some lines about a part, one after the other, that add up to a right value of it."""
    lines = [line.value for line in shown.lines if line.part == part.name]
    for start in range(len(lines)):
        if part.values & set(accumulate(lines[start:])):
            yield lines[start]


def _part(name: str, counted: list[tuple[Component, ...]]) -> Part:
    """A part's size under each convention; a right derivation may show it for one layer or for all, alone or with a
    norm of its own."""
    sizes: set[int] = set()
    values: set[int] = set()
    units: set[int] = set()
    layers: set[int] = set()
    for components in counted:
        own = [component for component in components if component.part == name]
        times, size = own[0].times, sum(component.values for component in own)
        norms = {c.values for c in components if c.part == "norms" and c.times == times}
        single = {size, *(size + norm for norm in norms)}
        sizes.add(size)
        values |= single | {value * times for value in single}
        arrays = [piece for component in own for piece in pieces(component)]
        biases = {piece.once for piece in arrays if piece.kind not in _HEAVY}
        heavy = {piece.once for piece in arrays if piece.kind in _HEAVY}
        units |= heavy | {array + bias for array in heavy for bias in biases}
        if times > 1:
            layer = sum(component.values for component in components if component.times == times)
            layers |= {layer, layer * times}
    return Part(
        name=name, sizes=frozenset(sizes), values=frozenset(values), units=frozenset(units), layers=frozenset(layers)
    )

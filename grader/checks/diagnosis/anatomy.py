"""A model as the arrays that a person counts by hand."""

from collections.abc import Iterable, Iterator
from math import prod
from typing import Final, NamedTuple

from grader.lab.truth import Component, GroundTruth, Tensor

_FUSED: Final = 3
"""Query, key and value are often one array; people count three."""


class Piece(NamedTuple):
    """One array of a part, present `copies` times in each of `times` places (layers, or one)."""

    part: str
    kind: str
    name: str
    shape: tuple[int, ...]
    times: int
    place: str
    copies: int = 1

    @property
    def once(self) -> int:
        """Values in one place."""
        return prod(self.shape) * self.copies

    @property
    def values(self) -> int:
        """Values in all places."""
        return self.once * self.times


Anatomy = tuple[Piece, ...]


def anatomy(truth: GroundTruth, model: str, convention: str) -> Anatomy:
    """The arrays that a convention counts. Empty when the truth does not hold each of them."""
    components = truth.components(model, convention)
    if any(not component.tensors for component in components):
        return ()
    return tuple(piece for component in components for piece in pieces(component))


def left_out(truth: GroundTruth, model: str, convention: str) -> Anatomy:
    """The arrays of a model that a convention does not count and that stand in parts that it does not know."""
    known = truth.model(model)
    if known is None:
        return ()
    held = {component.part for component in truth.components(model, convention)}
    others = (component for component in known.components if component.part not in held)
    return tuple(piece for component in others for piece in pieces(component))


def pieces(component: Component) -> Iterator[Piece]:
    """The arrays of one component."""
    for tensor in component.tensors:
        for name, shape in _single(tensor, component):
            yield Piece(component.part, component.kind, name, shape, component.times, component.id)


def total(arrays: Iterable[Piece]) -> int:
    """The values of some arrays in all."""
    return sum(piece.values for piece in arrays)


def _single(tensor: Tensor, component: Component) -> list[tuple[str, tuple[int, ...]]]:
    """A tensor, or its thirds where it fuses query, key and value."""
    thrice = component.part == "attention" and component.kind == "weight" and len(tensor.shape) == 2
    if thrice and tensor.shape[0] == _FUSED * tensor.shape[1]:
        return [(name, (tensor.shape[1], tensor.shape[1])) for name in ("query", "key", "value")]
    return [(tensor.name, tensor.shape)]

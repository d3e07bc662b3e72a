"""Slips about single arrays of a layer: matrices left out or counted once more, norms forgotten."""

from collections import Counter
from collections.abc import Iterator
from itertools import product
from typing import Final

from grader.checks.diagnosis.anatomy import Anatomy, Piece
from grader.checks.diagnosis.slip import Slip
from grader.message import Message, joined, say, say_data

_MOST_EQUAL: Final = 16
"""Matrices of one size in a layer; a layer of experts has more, and no one leaves out some of those."""


def matrix_slips(arrays: Anatomy) -> Iterator[Slip]:
    """In each layer some of the matrices of one size are left out, with their biases, or one is counted once more."""
    weights = [piece for piece in arrays if piece.kind == "weight"]
    for shape in dict.fromkeys(piece.shape for piece in weights):
        equal = Counter(piece.part for piece in weights if piece.shape == shape)
        if equal.total() <= _MOST_EQUAL:
            yield from _fewer(arrays, shape, equal)
            yield from _more(arrays, shape, equal)


def _fewer(arrays: Anatomy, shape: tuple[int, ...], equal: Counter[str]) -> Iterator[Slip]:
    """Each way to leave out some, but not all of a part: that is a slip of its own."""
    for numbers in product(*(range(number + 1) for number in equal.values())):
        missing = {part: number for part, number in zip(equal, numbers, strict=True) if number}
        whole = [part for part in missing if missing[part] == sum(p.part == part for p in arrays if p.kind == "weight")]
        if not missing or (len(missing) == 1 and whole):
            continue
        gone = frozenset(place for part, number in missing.items() for place in _last(arrays, part, shape, number))
        what = joined(say(" and "), (_told(part, number, equal[part], shape) for part, number in missing.items()))
        single = sum(missing.values()) == 1
        yield Slip(
            id="-".join(["without", *(f"{number}-{part}" for part, number in missing.items()), "matrices"]),
            aspect=" and ".join(f"matrices of {part}" for part in missing),
            cost=0.3 + 0.9 * len(missing) + 0.4 * (sum(missing.values()) - len(missing)),
            sentence=(
                say("in each layer, {matrices} is left out", matrices=what)
                if single
                else say("in each layer, {matrices} are left out", matrices=what)
            ),
            edit=lambda piece, gone=gone: None if _key(piece) in gone else piece,  # type: ignore[misc]
        )


def _more(arrays: Anatomy, shape: tuple[int, ...], equal: Counter[str]) -> Iterator[Slip]:
    for part in equal:
        again = frozenset(_last(arrays, part, shape, 1))
        yield Slip(
            id=f"one-more-{part}-matrix",
            aspect=f"matrices of {part}",
            cost=1.6,
            sentence=say(
                "one matrix ({size}) more than there is in {part} is counted", size=_size(shape), part=say_data(part)
            ),
            edit=lambda piece, again=again: (  # type: ignore[misc]
                piece._replace(copies=piece.copies + 1) if _key(piece) in again else piece
            ),
        )


def norm_slips(arrays: Anatomy) -> Iterator[Slip]:
    """A norm forgotten: the one outside of the layers, one in each layer; or of each norm the shift."""
    norms = [piece for piece in arrays if piece.kind == "norm"]
    for place in dict.fromkeys(piece.place for piece in norms):
        layered = any(piece.times > 1 for piece in norms if piece.place == place)
        yield Slip(
            id="one-norm-fewer" if layered else f"without-{place}",
            aspect=f"norm {place}",
            cost=1.1,
            sentence=(
                say("in each layer, one norm is left out")
                if layered
                else say("the norm {place} is left out", place=place)
            ),
            edit=lambda piece, place=place: None if piece.place == place else piece,  # type: ignore[misc]
        )
    twofold = [piece for piece in norms if sum(other.place == piece.place for other in norms) > 1]
    if twofold:
        first = {piece.place: piece for piece in reversed(twofold)}
        yield Slip(
            id="norms-without-shift",
            aspect="norms",
            cost=1.4,
            sentence=say("each norm is counted with one vector instead of two (scale and shift)"),
            edit=lambda piece: None if piece in twofold and piece is not first[piece.place] else piece,
        )


def _last(arrays: Anatomy, part: str, shape: tuple[int, ...], number: int) -> Iterator[tuple[str, str, str]]:
    """The last matrices of a size in a part, and their biases."""
    for weight in _weights(arrays, part, shape)[-number:]:
        yield _key(weight)
        yield (part, "bias", weight.name)


def _weights(arrays: Anatomy, part: str, shape: tuple[int, ...]) -> list[Piece]:
    return [piece for piece in arrays if piece.kind == "weight" and piece.part == part and piece.shape == shape]


def _key(piece: Piece) -> tuple[str, str, str]:
    return piece.part, piece.kind, piece.name


def _told(part: str, number: int, of: int, shape: tuple[int, ...]) -> Message:
    size, name = _size(shape), say_data(part)
    if number == of == 1:
        return say("the matrix of {part} ({size})", size=size, part=name)
    if number < of:
        return say("{number} of the {of} matrices of {part} ({size})", number=number, of=of, size=size, part=name)
    return say("all {of} matrices of {part} ({size})", of=of, size=size, part=name)


def _size(shape: tuple[int, ...]) -> str:
    return " × ".join(map(str, shape))

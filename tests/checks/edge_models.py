"""Models that the shipped lab does not have, as the arrays that a person counts by hand: images, one layer only, many
equal matrices, fused ones, tables of other kinds, widths that do not divide. `tests/checks/kept/slips.txt` keeps the
slips that may be made in counting each.
"""

from collections.abc import Iterable, Mapping
from math import prod
from typing import Final, Literal, NamedTuple

from grader.lab.truth import Component, Tensor

Kind = Literal["embedding", "weight", "bias", "norm", "mixed"]


class Made(NamedTuple):
    """What a model is counted of, what else it holds, and the heads of one attention."""

    counted: tuple[Component, ...]
    besides: tuple[Component, ...] = ()
    heads: int | None = None


def _part(part: str, kind: Kind, arrays: Mapping[str, tuple[int, ...]], times: int = 1, place: str = "") -> Component:
    tensors = tuple(Tensor(name=name, shape=shape) for name, shape in arrays.items())
    name = place or f"{part} {kind}"
    values = sum(prod(shape) for shape in arrays.values())
    return Component(
        id=name,
        title=name,
        part=part,
        kind=kind,
        shape="",
        values=values,
        times=times,
        tensors=tensors,
        counted_in=("all",),
    )


def _norm(place: str, width: int, times: int = 1, vectors: Iterable[str] = ("weight", "bias")) -> Component:
    return _part("norms", "norm", dict.fromkeys(vectors, (width,)), times, place)


def _linear(
    part: str, arrays: Mapping[str, tuple[int, ...]], times: int = 1, *, biases: bool = True
) -> tuple[Component, ...]:
    own = (_part(part, "weight", arrays, times),)
    return (*own, _part(part, "bias", {name: shape[:1] for name, shape in arrays.items()}, times)) if biases else own


_ENCODER: Final = (
    _part("token embedding", "embedding", {"tokens": (30_522, 128)}),
    _part("position embedding", "embedding", {"positions": (514, 128)}),
    _part("segment embedding", "embedding", {"segments": (2, 128)}),
    *_linear("attention", dict.fromkeys(("q_proj", "k_proj", "v_proj", "out_proj"), (128, 128)), 12),
    *_linear("feed-forward", {"fc1": (512, 128), "fc2": (128, 512)}, 12),
    _norm("embedding norm", 128),
    _norm("layer norms", 128, 12),
)

MODELS: Final[Mapping[str, Made]] = {
    "images": Made(
        (
            *_linear("first convolution", {"conv": (8, 1, 3, 3)}),
            *_linear("second convolution", {"conv": (16, 8, 5, 5)}),
            _norm("batch norm", 16),
            *_linear("classifier", {"hidden": (32, 784), "out": (10, 32)}),
        )
    ),
    "sound": Made((*_linear("convolution", {"conv": (4, 2, 7)}, biases=False), *_linear("output", {"out": (6, 2)}))),
    "encoder": Made(_ENCODER, heads=12),
    "encoder and head": Made(
        _ENCODER,
        (
            *_linear("head", {"dense": (128, 128), "decoder": (30_522, 128)}),
            _part("head", "norm", {"weight": (128,), "bias": (128,)}),
            _part("pooler", "weight", {"dense": (128, 128)}),
            _part("biases of the output", "bias", {"decoder": (30_522,)}),
        ),
        heads=4,
    ),
    "one layer": Made(
        (
            _part("token embedding", "embedding", {"tokens": (1_000, 64)}),
            _part("attention", "weight", {"qkv": (192, 64), "out": (64, 64)}),
            *_linear("feed-forward", {"up": (64, 64), "down": (64, 64)}),
            _norm("first norm", 64, vectors=("scale",)),
            _norm("second norm", 64, vectors=("scale",)),
        ),
        heads=1,
    ),
    "gated": Made(
        (
            _part("token embedding", "embedding", {"tokens": (50_257, 768)}),
            _part("attention", "weight", {"query_key_value": (2_304, 768), "dense": (768, 768)}, 2),
            *_linear("feed-forward", {"gate": (2_048, 768), "up": (2_048, 768), "down": (768, 2_048)}, 2, biases=False),
            _norm("norms of layers", 768, 2, ("scale",)),
        ),
        heads=8,
    ),
    "two inner widths": Made(
        (
            _part("token embedding", "embedding", {"tokens": (100, 32)}),
            *_linear("feed-forward", {"first": (64, 32), "second": (48, 64), "third": (32, 48)}, 3),
        ),
        heads=5,
    ),
    "no table": Made(_linear("feed-forward", {"first": (20, 10), "second": (10, 20)}, 3), heads=2),
    "many equal matrices": Made(
        (*_linear("experts", {f"expert {number}": (8, 8) for number in range(17)}, 2, biases=False),)
    ),
    "sixteen equal matrices": Made(
        (
            *_linear("experts", {f"expert {number}": (8, 8) for number in range(14)}, 2, biases=False),
            *_linear("router", {"first": (8, 8), "second": (8, 8)}, 2, biases=False),
        )
    ),
}

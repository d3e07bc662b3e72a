"""r: the inner width of the pair A, B."""

import torch

from reference.lora.fact import Experiment, Figures, expect
from reference.lora.measure import (
    adapt,
    adapters,
    factor,
    factors,
    first_adapter,
    largest_value,
    outcome,
    own,
    trained_bloom,
    trained_count,
)
from reference.lora.models import HEADS, WIDTH, attention, bloom

RANKS = (2, 4, 8)


def shapes() -> Figures:
    """A has r rows and as many columns as the layer has inputs; B has r columns and as many rows as it has outputs: for
    r = 8 on a layer from 32 to 96 values, 8 x 32 and 96 x 8."""
    pairs = {r: factors(first_adapter(adapt(bloom(), r=r))) for r in RANKS}
    return expect(
        {f"r = {r}": {"A": list(a.shape), "B": list(b.shape)} for r, (a, b) in pairs.items()},
        {f"r = {r}": {"A": [r, 32], "B": [96, r]} for r in RANKS},
    )


def rank_of_update() -> Figures:
    """r is the rank of the update B A: for r = 2, 4 and 8 the 96 x 32 matrix B A has the rank 2, 4 and 8."""
    pairs = {r: factors(first_adapter(trained_bloom(r=r))) for r in RANKS}
    return expect(
        {f"rank of B A, r = {r}": _rank(b @ a) for r, (a, b) in pairs.items()},
        {f"rank of B A, r = {r}": r for r in RANKS},
    )


def _rank(matrix: torch.Tensor) -> int:
    """The numerical rank of a matrix."""
    return int(torch.linalg.matrix_rank(matrix.detach()))


def not_rank_of_weight() -> Figures:
    """r is not the rank of the model's own matrix W: W keeps its values and its full rank, 32, for every r."""
    before = attention(bloom()).weight
    frozen = {r: own(first_adapter(trained_bloom(r=r))).weight for r in RANKS}
    return expect(
        {
            f"r = {r}": {"rank of W": _rank(w), "largest change of W": largest_value(w - before)}
            for r, w in frozen.items()
        },
        {f"r = {r}": {"rank of W": 32, "largest change of W": 0.0} for r in RANKS},
    )


def count() -> Figures:
    """LoRA trains r x (inputs + outputs) values per adapted layer, in proportion to r: 4 layers from 32 to 96 values
    give 4 x 8 x (32 + 96) = 4096 for r = 8."""
    return expect(
        {f"trained values, r = {r}": trained_count(adapt(bloom(), r=r)) for r in RANKS},
        {f"trained values, r = {r}": 4 * r * (32 + 96) for r in RANKS},
    )


def not_layers() -> Figures:
    """r does not choose how many layers are adapted: a model of 4 layers gets 4 adapters for r = 1, 4 and 16."""
    numbers = {f"adapters, r = {r}": len(adapters(adapt(bloom(), r=r))) for r in (1, 4, 16)}
    return expect(numbers, dict.fromkeys(numbers, 4))


def not_heads() -> Figures:
    """r is not the number of attention heads: the model keeps its 4 heads for r = 1, 4 and 16."""
    heads = {f"attention heads, r = {r}": _heads(r) for r in (1, 4, 16)}
    return expect(heads, dict.fromkeys(heads, HEADS))


def _heads(r: int) -> int:
    block = adapt(bloom(), r=r).get_submodule("base_model.model.transformer.h.0.self_attention")
    return int(block.num_heads)  # type: ignore[arg-type]


def not_bits() -> Figures:
    """r is no number of bits: A and B are stored in the same format as the model's own weight, here 64 bits, for r = 4,
    8 and 16."""
    bits = {f"bits per value of A, r = {r}": _bits(r) for r in (4, 8, 16)}
    return expect(bits, dict.fromkeys(bits, 64))


def _bits(r: int) -> int:
    return 8 * factors(first_adapter(adapt(bloom(), r=r)))[0].element_size()


def divides() -> Figures:
    """With lora_alpha unchanged, doubling r halves the scale: lora_alpha = 32 gives 2 for r = 16 and 1 for r = 32."""
    return expect(
        {f"factor for r = {r}, lora_alpha = 32": factor(r, 32) for r in (16, 32)},
        {"factor for r = 16, lora_alpha = 32": 2.0, "factor for r = 32, lora_alpha = 32": 1.0},
    )


def wider_than_layer() -> Figures:
    """An r larger than the layer is accepted, but useless: with r = 64 on a layer of 32 inputs the rank of B A is still
    32."""
    layer = first_adapter(trained_bloom(r=2 * WIDTH))
    a, b = factors(layer)
    return expect({"rows of A": a.shape[0], "rank of B A": _rank(b @ a)}, {"rows of A": 64, "rank of B A": 32})


def invalid() -> Figures:
    """r must be a whole number of at least 1: 0 and -1 are refused, and so are 16.0 and the text "16"."""
    outcomes = {repr(r): outcome(bloom(), r=r) for r in (0, -1, 16.0, "16")}
    return expect(outcomes, {"0": "ValueError", "-1": "ValueError", "16.0": "TypeError", "'16'": "TypeError"})


EXPERIMENTS = (
    Experiment("lora/r/shapes", shapes),
    Experiment("lora/r/rank-of-update", rank_of_update),
    Experiment("lora/r/not-rank-of-weight", not_rank_of_weight),
    Experiment("lora/r/count", count),
    Experiment("lora/r/not-layers", not_layers),
    Experiment("lora/r/not-heads", not_heads),
    Experiment(
        "lora/r/not-bits",
        not_bits,
        drift="peft 0.4.0 makes A and B in 32 bits whatever the model's format is, for every r alike.",
    ),
    Experiment("lora/r/divides", divides),
    Experiment("lora/r/wider-than-layer", wider_than_layer),
    Experiment(
        "lora/r/invalid",
        invalid,
        drift="peft 0.4.0 accepted 0 and -1 and then made no adapter at all: nothing was trained.",
    ),
)

"""lora_dropout: what is dropped, when, and what is not."""

import torch
from peft.tuners.lora import Linear as AdaptedLinear
from torch import nn

from reference.lora.fact import Experiment, Figures, expect
from reference.lora.measure import (
    adapt,
    adapters,
    dropout,
    factors,
    first_adapter,
    is_close,
    largest_value,
    logits,
    outcome,
    parts,
    trained_bloom,
    trained_count,
)
from reference.lora.models import WIDTH, bloom, roberta

ROWS = 20_000
"""So many that a share is its probability to two decimals, whatever the random numbers."""


def modules() -> Figures:
    """With lora_dropout = 0 the adapter has no dropout layer at all; with 0.05 it has one of probability 0.05."""
    none, some = (dropout(first_adapter(adapt(bloom(), lora_dropout=p))) for p in (0.0, 0.05))
    return expect(
        {"lora_dropout = 0": type(none).__name__, "lora_dropout = 0.05": f"{type(some).__name__}({some.p})"},
        {"lora_dropout = 0": "Identity", "lora_dropout = 0.05": "Dropout(0.05)"},
    )


def branch_only() -> Figures:
    """Only the adapter's branch is dropped, never the model's own path: with lora_dropout = 1 the training model gives
    exactly the logits of the base model."""
    dropped = logits(trained_bloom(lora_dropout=1.0).train())
    return expect(
        {"largest difference from the base model's logits": largest_value(dropped - logits(bloom()))},
        {"largest difference from the base model's logits": 0.0},
    )


def training_only() -> Figures:
    """Nothing is dropped outside training: with lora_dropout = 1 the evaluating model gives exactly the logits that it
    gives with lora_dropout = 0."""
    dropped, whole = (logits(trained_bloom(lora_dropout=p).eval()) for p in (1.0, 0.0))
    return expect(
        {
            "largest difference from lora_dropout = 0": largest_value(dropped - whole),
            "the adapter takes part": not is_close(dropped, logits(bloom())),
        },
        {"largest difference from lora_dropout = 0": 0.0, "the adapter takes part": True},
    )


def share() -> Figures:
    """While training, the share lora_dropout of the inputs of A is set to zero and the others are divided by 1 minus
    it: with 0.3 that is 30 %, the others times 1.4286. Of the layer's outputs none is zeroed."""
    layer = _training_layer(0.3)
    given, output = _pass(layer)
    return expect(
        {
            "share of A's inputs set to zero": _zeros(given),
            "factor of the others": round(float(given.max()), 4),
            "share of the layer's outputs set to zero": _zeros(output),
        },
        {
            "share of A's inputs set to zero": 0.3,
            "factor of the others": 1.4286,
            "share of the layer's outputs set to zero": 0.0,
        },
    )


def five_percent() -> Figures:
    """lora_dropout is the probability of being dropped, not of being kept: with 0.05, 5 % of the inputs of A are set to
    zero and 95 % pass."""
    given, _ = _pass(_training_layer(0.05))
    return expect(
        {"share set to zero": _zeros(given), "share that passes": round(1 - _zeros(given), 2)},
        {"share set to zero": 0.05, "share that passes": 0.95},
    )


def new_draw() -> Figures:
    """Dropped inputs are drawn anew in every forward pass: with 0.3, two passes differ in 2 x 0.3 x 0.7 = 42 % of the
    inputs of A."""
    layer = _training_layer(0.3)
    first, second = (_pass(layer)[0] for _ in range(2))
    differing = round(float((first != second).double().mean()), 2)
    return expect({"share of differing inputs": differing}, {"share of differing inputs": 0.42})


def not_weights() -> Figures:
    """Dropout prunes nothing: it acts on values that flow through the adapter, and after training passes with 0.5 the
    matrices A and B are what they were, without a zero."""
    layer = _training_layer(0.5)
    before = [matrix.detach().clone() for matrix in factors(layer)]
    _pass(layer)
    changes = [largest_value(old - new) for old, new in zip(before, factors(layer), strict=True)]
    return expect(
        {"largest change of A and B": max(changes), "zeros in A and B": sum(int((m == 0).sum()) for m in before)},
        {"largest change of A and B": 0.0, "zeros in A and B": 0},
    )


def not_whole_units() -> Figures:
    """Single entries are dropped, not whole examples and not whole layers: with 0.5, none of 20000 examples and none of
    the 4 adapters loses all its inputs."""
    layers = adapters(trained_bloom(lora_dropout=0.5).train()).values()
    given = [_pass(layer)[0] for layer in layers]
    return expect(
        {
            "adapters": len(given),
            "adapters dropped whole": sum(not bool(x.any()) for x in given),
            "examples dropped whole": sum(int((~x.any(dim=1)).sum()) for x in given),
        },
        {"adapters": 4, "adapters dropped whole": 0, "examples dropped whole": 0},
    )


def same_count() -> Figures:
    """lora_dropout changes no number of parameters and freezes none: with r = 16, 8192 values are trained with 0 as
    with 0.5."""
    counts = {
        f"trained values, lora_dropout = {p}": trained_count(adapt(bloom(), r=16, lora_dropout=p)) for p in (0.0, 0.5)
    }
    return expect(counts, dict.fromkeys(counts, 8192))


def model_keeps_its_own() -> Figures:
    """The model's own dropout is another setting: RoBERTa's layers keep theirs, 0.1, when lora_dropout is 0.5."""
    model = adapt(roberta(), lora_dropout=0.5)
    rates = {
        module.p
        for name, module in model.named_modules()
        if isinstance(module, nn.Dropout) and "lora_dropout" not in name
    }
    return expect({"dropout of the model's own layers": sorted(rates)}, {"dropout of the model's own layers": [0.1]})


def invalid() -> Figures:
    """lora_dropout is a probability: 1.5 is refused, and so is the text "0.05"; -0.1 is accepted but drops nothing."""
    outcomes = {repr(p): outcome(bloom(), lora_dropout=p) for p in (1.5, "0.05", -0.1)}
    negative = dropout(first_adapter(adapt(bloom(), lora_dropout=-0.1)))
    return expect(
        {**outcomes, "dropout layer for -0.1": type(negative).__name__},
        {"1.5": "ValueError", "'0.05'": "TypeError", "-0.1": "accepted", "dropout layer for -0.1": "Identity"},
    )


def _training_layer(p: float) -> AdaptedLinear:
    """An adapted layer in training mode, with B not zero."""
    return first_adapter(trained_bloom(lora_dropout=p).train())


def _pass(layer: AdaptedLinear) -> tuple[torch.Tensor, torch.Tensor]:
    """Return the input of A and the output of the layer when the layer is given ones (ROWS x 32)."""
    seen: list[torch.Tensor] = []
    a, _ = parts(layer)
    hook = a.register_forward_pre_hook(lambda _, given: seen.append(given[0].detach()))
    with torch.no_grad():
        output = layer(torch.ones(ROWS, WIDTH, dtype=torch.float64))
    hook.remove()
    return seen[0], output


def _zeros(tensor: torch.Tensor) -> float:
    """The share of zeros, to two decimals."""
    return round(float((tensor == 0).double().mean()), 2)


EXPERIMENTS = (
    Experiment("lora/lora_dropout/modules", modules),
    Experiment("lora/lora_dropout/branch-only", branch_only),
    Experiment("lora/lora_dropout/training-only", training_only),
    Experiment("lora/lora_dropout/share", share),
    Experiment("lora/lora_dropout/probability-of-dropping", five_percent),
    Experiment("lora/lora_dropout/new-draw", new_draw),
    Experiment("lora/lora_dropout/not-weights", not_weights),
    Experiment("lora/lora_dropout/not-whole-units", not_whole_units),
    Experiment("lora/lora_dropout/same-count", same_count),
    Experiment("lora/lora_dropout/model-keeps-its-own", model_keeps_its_own),
    Experiment("lora/lora_dropout/invalid", invalid),
)

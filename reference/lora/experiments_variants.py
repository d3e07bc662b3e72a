"""Variants of the method: use_rslora, use_dora, fan_in_fan_out."""

import warnings
from typing import cast

import torch
from peft.tuners.lora import Linear as AdaptedLinear
from transformers import PreTrainedModel

from reference.lora.fact import Experiment, Figures, expect
from reference.lora.measure import (
    adapt,
    factor,
    factors,
    first_adapter,
    is_close,
    logits,
    own,
    trained_bloom,
    wrap,
)
from reference.lora.models import bloom, gpt2, inputs


def rslora() -> Figures:
    """use_rslora divides by the square root of r instead of r: lora_alpha = 32 gives 32 / 2 = 16 for r = 4 and 32 / 4 =
    8 for r = 16."""
    return expect(
        {f"factor for r = {r}, lora_alpha = 32": factor(r, 32, use_rslora=True) for r in (4, 16)},
        {"factor for r = 4, lora_alpha = 32": 16.0, "factor for r = 16, lora_alpha = 32": 8.0},
    )


def dora_length() -> Figures:
    """use_dora trains one length for each output of the layer besides A and B, here 96, and changes nothing at the
    start."""
    model = adapt(bloom(), use_dora=True)
    lengths = _lengths(first_adapter(model))
    return expect(
        {"shape of the lengths": list(lengths.shape), "logits unchanged": is_close(logits(model), logits(bloom()))},
        {"shape of the lengths": [96], "logits unchanged": True},
    )


def dora_output() -> Figures:
    """With use_dora each row of W + (lora_alpha / r) B A keeps only its direction; its length is the trained one."""
    layer = first_adapter(trained_bloom(r=16, lora_alpha=32, use_dora=True))
    a, b = factors(layer)
    base = own(layer)
    with torch.no_grad():
        lengths = _lengths(layer).mul_(3)
        moved = base.weight + 2 * b @ a
        weight = lengths[:, None] * moved / moved.norm(dim=1, keepdim=True)
        found = is_close(layer(inputs()), inputs() @ weight.T + base.bias)
    return expect({"output is length x direction": found}, {"output is length x direction": True})


def _lengths(layer: AdaptedLinear) -> torch.Tensor:
    """The lengths that DoRA trains."""
    return cast(torch.Tensor, layer.lora_magnitude_vector["default"].weight)


def fan_in_fan_out() -> Figures:
    """fan_in_fan_out tells that a layer stores its weight as inputs x outputs, as GPT-2's do. A wrong value is
    corrected with a warning: A is r x inputs and B outputs x r all the same, here 8 x 32 and 96 x 8."""
    return expect(
        {
            "False on GPT-2": _shapes_and_warning(gpt2(), fan_in_fan_out=False),
            "True on GPT-2": _shapes_and_warning(gpt2(), fan_in_fan_out=True),
            "True on BLOOM": _shapes_and_warning(bloom(), fan_in_fan_out=True),
        },
        {
            "False on GPT-2": {"A": [8, 32], "B": [96, 8], "warning": True},
            "True on GPT-2": {"A": [8, 32], "B": [96, 8], "warning": False},
            "True on BLOOM": {"A": [8, 32], "B": [96, 8], "warning": True},
        },
    )


def _shapes_and_warning(base: PreTrainedModel, *, fan_in_fan_out: bool) -> dict[str, object]:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model = wrap(base, r=8, fan_in_fan_out=fan_in_fan_out)
    a, b = factors(first_adapter(model))
    warned = any("fan_in_fan_out" in str(warning.message) for warning in caught)
    return {"A": list(a.shape), "B": list(b.shape), "warning": warned}


EXPERIMENTS = (
    Experiment("lora/use_rslora/square-root", rslora, drift="use_rslora exists since peft 0.8.0."),
    Experiment("lora/use_dora/lengths", dora_length, drift="use_dora exists since peft 0.9.0."),
    Experiment("lora/use_dora/output", dora_output, drift="use_dora exists since peft 0.9.0."),
    Experiment("lora/fan_in_fan_out/corrected", fan_in_fan_out),
)

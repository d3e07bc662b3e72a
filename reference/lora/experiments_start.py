"""init_lora_weights: how A and B start, and what the model computes before the first step."""

import torch
from peft import PeftModel

from reference.lora.fact import Experiment, Figures, expect
from reference.lora.measure import (
    adapt,
    factors,
    first_adapter,
    gradient,
    is_close,
    largest_value,
    logits,
    loss,
    outcome,
    own,
)
from reference.lora.models import attention, bloom

SINGLE_PRECISION = 1e-4
"""Equality of logits where the library insists on single precision."""


def b_is_zero() -> Figures:
    """At the start B is zero and A is random, uniform within 1 / sqrt(inputs) either side of zero: for 32 inputs within
    0.1768."""
    a, b = factors(first_adapter(adapt(bloom(), r=16)))
    bound = 32**-0.5
    return expect(
        {
            "largest value of B": largest_value(b),
            "bound of A": round(bound, 4),
            "A stays within the bound": largest_value(a) <= bound,
            "A reaches nine tenths of the bound": largest_value(a) > 0.9 * bound,
        },
        {
            "largest value of B": 0.0,
            "bound of A": 0.1768,
            "A stays within the bound": True,
            "A reaches nine tenths of the bound": True,
        },
    )


def start_unchanged() -> Figures:
    """Adding LoRA changes nothing at first: before training, the logits are exactly those of the base model, since
    B A = 0."""
    change = largest_value(logits(adapt(bloom(), r=16, lora_alpha=32)) - logits(bloom()))
    return expect({"largest change of the logits": change}, {"largest change of the logits": 0.0})


def first_gradient() -> Figures:
    """Only B learns in the first step: A receives the gradient 0, because B is still zero."""
    model = adapt(bloom(), r=16, lora_alpha=32)
    loss(model).backward()  # type: ignore[no-untyped-call]
    a, b = factors(first_adapter(model))
    return expect(
        {"largest gradient of A": largest_value(gradient(a)), "B receives a gradient": largest_value(gradient(b)) > 0},
        {"largest gradient of A": 0.0, "B receives a gradient": True},
    )


def zero_starts() -> Figures:
    """With True, "gaussian" and "eva" B starts at zero, so that the logits are exactly the base model's."""
    starts: tuple[bool | str, ...] = (True, "gaussian", "eva")
    models = {repr(start): adapt(bloom(), init_lora_weights=start) for start in starts}
    return expect(
        {start: _start(model) for start, model in models.items()},
        {start: {"largest value of B": 0.0, "largest change of the logits": 0.0} for start in models},
    )


def _start(model: PeftModel) -> dict[str, float]:
    return {
        "largest value of B": largest_value(factors(first_adapter(model))[1]),
        "largest change of the logits": largest_value(logits(model) - logits(bloom())),
    }


def random_b() -> Figures:
    """With False B starts at random too, so that the logits change before any training."""
    model = adapt(bloom(), init_lora_weights=False)
    return expect(
        {
            "B is zero": largest_value(factors(first_adapter(model))[1]) == 0,
            "logits unchanged": is_close(logits(model), logits(bloom())),
        },
        {"B is zero": False, "logits unchanged": False},
    )


def compensated_start() -> Figures:
    """With "pissa" and "olora" B does not start at zero; the frozen weight W is changed by as much, so that the logits
    stay those of the base model."""
    starts = ("pissa", "olora")
    return expect(
        {start: _compensation(start) for start in starts},
        {start: {"B is zero": False, "W unchanged": False, "logits unchanged": True} for start in starts},
    )


def _compensation(start: str) -> dict[str, bool]:
    base = bloom().type(torch.float32)
    weight, unadapted = attention(base).weight.detach().clone(), logits(base)
    model = adapt(base, init_lora_weights=start)
    layer = first_adapter(model)
    return {
        "B is zero": largest_value(factors(layer)[1]) == 0,
        "W unchanged": largest_value(own(layer).weight - weight) < SINGLE_PRECISION,
        "logits unchanged": largest_value(logits(model) - unadapted) < SINGLE_PRECISION,
    }


def invalid() -> Figures:
    """A start of another name is refused: "foo" fails when the adapters are made. The name "lora_ga" is accepted,
    though it is not among those that the field's own type lists."""
    outcomes = {repr(start): outcome(bloom(), init_lora_weights=start) for start in ("foo", "lora_ga")}
    return expect(outcomes, {"'foo'": "ValueError", "'lora_ga'": "accepted"})


EXPERIMENTS = (
    Experiment("lora/init_lora_weights/b-is-zero", b_is_zero),
    Experiment("lora/init_lora_weights/start-unchanged", start_unchanged),
    Experiment("lora/init_lora_weights/first-gradient", first_gradient),
    Experiment(
        "lora/init_lora_weights/zero-starts",
        zero_starts,
        drift='"gaussian" exists since peft 0.7.0 and "eva" since 0.14.0; before that, any true value was True.',
    ),
    Experiment("lora/init_lora_weights/random-b", random_b),
    Experiment(
        "lora/init_lora_weights/compensated",
        compensated_start,
        drift='"pissa" exists since peft 0.11.0 and "olora" since 0.12.0.',
    ),
    Experiment(
        "lora/init_lora_weights/invalid",
        invalid,
        drift='peft 0.4.0 took any true value for True; "lora_ga" exists since 0.19.0.',
    ),
)

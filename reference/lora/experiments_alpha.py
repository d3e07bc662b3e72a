"""lora_alpha: the numerator of the update's scale, and nothing else."""

import torch
from torch.nn.functional import cross_entropy

from reference.lora.fact import Experiment, Figures, expect
from reference.lora.measure import (
    adapt,
    factors,
    first_adapter,
    largest,
    logits,
    loss,
    multiple,
    outcome,
    parameter_count,
    train,
    trained_bloom,
    trained_names,
    update,
)
from reference.lora.models import bloom, inputs, tokens


def factor(r: int, alpha: float, **fields: object) -> float:
    """How many times B A x an adapter adds to its layer's output."""
    layer = first_adapter(trained_bloom(r=r, lora_alpha=alpha, **fields))
    a, b = factors(layer)
    return multiple(inputs() @ a.T @ b.T, update(layer, inputs()))


def scale() -> Figures:
    """The update B A x is multiplied by lora_alpha / r before it is added: with r = 16 and lora_alpha = 32 the factor
    is 32 / 16 = 2."""
    pairs = ((4, 4), (4, 8), (8, 8), (16, 32), (32, 16), (4, 0))
    return expect(
        {f"factor for r = {r}, lora_alpha = {alpha}": factor(r, alpha) for r, alpha in pairs},
        {f"factor for r = {r}, lora_alpha = {alpha}": alpha / r for r, alpha in pairs},
    )


def doubling() -> Figures:
    """Doubling lora_alpha doubles the update exactly, already in a forward pass without any gradient: 64 instead of 32
    makes it 2 times as large."""
    once, twice = (update(first_adapter(trained_bloom(r=16, lora_alpha=alpha)), inputs()) for alpha in (32, 64))
    return expect({"update at 64 / update at 32": multiple(once, twice)}, {"update at 64 / update at 32": 2.0})


def no_threshold() -> Figures:
    """lora_alpha is no threshold: the update is proportional to it down to the smallest values, so that 0.01 gives a
    hundredth of what 1 gives."""
    one, small = (update(first_adapter(trained_bloom(r=4, lora_alpha=alpha)), inputs()) for alpha in (1, 0.01))
    return expect({"update at 0.01 / update at 1": multiple(one, small)}, {"update at 0.01 / update at 1": 0.01})


def base_coefficient() -> Figures:
    """The layer's own output keeps the coefficient 1 whatever lora_alpha is: with r = 16 and lora_alpha = 0, 32, 320 the
    result is the layer's output plus 0, 2, 20 times B A x."""
    return expect(
        {f"lora_alpha = {alpha}": _coefficients(alpha) for alpha in (0, 32, 320)},
        {f"lora_alpha = {alpha}": {"layer's own output": 1.0, "B A x": alpha / 16} for alpha in (0, 32, 320)},
    )


def _coefficients(alpha: int) -> dict[str, float]:
    """The adapted output as a combination of the layer's own output and of B A x, by least squares."""
    layer = first_adapter(trained_bloom(r=16, lora_alpha=alpha))
    a, b = factors(layer)
    with torch.no_grad():
        terms = torch.stack([layer.get_base_layer()(inputs()).flatten(), (inputs() @ a.T @ b.T).flatten()], dim=1)
        own, branch = torch.linalg.lstsq(terms, layer(inputs()).flatten()).solution.tolist()
    return {"layer's own output": round(own, 6) + 0.0, "B A x": abs(round(branch, 6))}


def not_a_learning_rate() -> Figures:
    """lora_alpha is not a learning rate: one Adam step at 0.001 moves the entries of B by 0.001 at most, with lora_alpha
    4 as with 32; what becomes 8 times larger is the gradient, and the effect of the step on the output."""
    low, high = (adapt(bloom(), r=4, lora_alpha=alpha) for alpha in (4, 32))
    for model in (low, high):
        train(model, steps=1, rate=1e-3)
    (low_b, high_b) = (factors(first_adapter(model))[1] for model in (low, high))
    assert low_b.grad is not None
    assert high_b.grad is not None
    return expect(
        {
            "largest step of B at 4": round(largest(low_b), 6),
            "largest step of B at 32": round(largest(high_b), 6),
            "gradient at 32 / gradient at 4": multiple(low_b.grad, high_b.grad),
            "update after the step, at 32 / at 4": round(_size_of_update(high) / _size_of_update(low), 2),
        },
        {
            "largest step of B at 4": 0.001,
            "largest step of B at 32": 0.001,
            "gradient at 32 / gradient at 4": 8.0,
            "update after the step, at 32 / at 4": 8.0,
        },
    )

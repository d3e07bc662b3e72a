"""lora_alpha: the numerator of the update's scale, and nothing else."""

import torch
from peft.tuners.lora import Linear as AdaptedLinear
from torch.nn.functional import cross_entropy

from reference.lora.fact import Experiment, Figures, expect
from reference.lora.measure import (
    adapt,
    factor,
    factors,
    first_adapter,
    gradient,
    largest_value,
    logits,
    loss,
    multiple,
    outcome,
    own,
    parameter_count,
    train,
    trained_bloom,
    trained_names,
    update,
)
from reference.lora.models import bloom, inputs, tokens


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
    tensor, small = (update(first_adapter(trained_bloom(r=4, lora_alpha=alpha)), inputs()) for alpha in (1, 0.01))
    return expect({"update at 0.01 / update at 1": multiple(tensor, small)}, {"update at 0.01 / update at 1": 0.01})


def base_coefficient() -> Figures:
    """The layer's own output keeps the coefficient 1 whatever lora_alpha is: with r = 16 and lora_alpha = 0, 32, 320
    the result is the layer's output plus 0, 2, 20 times B A x."""
    return expect(
        {f"lora_alpha = {alpha}": _coefficients(alpha) for alpha in (0, 32, 320)},
        {f"lora_alpha = {alpha}": {"layer's own output": 1.0, "B A x": alpha / 16} for alpha in (0, 32, 320)},
    )


def _coefficients(alpha: int) -> dict[str, float]:
    """The adapted output as a combination of the layer's own output and of B A x, by least squares."""
    layer = first_adapter(trained_bloom(r=16, lora_alpha=alpha))
    a, b = factors(layer)
    with torch.no_grad():
        terms = torch.stack([own(layer)(inputs()).flatten(), (inputs() @ a.T @ b.T).flatten()], dim=1)
        base, branch = torch.linalg.lstsq(terms, layer(inputs()).flatten()).solution.tolist()
    return {"layer's own output": round(base, 6) + 0.0, "B A x": abs(round(branch, 6))}


def not_a_learning_rate() -> Figures:
    """lora_alpha is not a learning rate: one Adam step at 0.001 moves the entries of B by 0.001 at most, with
    lora_alpha 4 as with 32; what becomes 8 times larger is the gradient, and the effect of the step on the output."""
    low, high = (_after_one_step(alpha) for alpha in (4, 32))
    low_b, high_b = (factors(layer)[1] for layer in (low, high))
    return expect(
        {
            "largest step of B at 4": round(largest_value(low_b), 6),
            "largest step of B at 32": round(largest_value(high_b), 6),
            "gradient at 32 / gradient at 4": multiple(gradient(low_b), gradient(high_b)),
            "update after the step, at 32 / at 4": round(
                largest_value(update(high, inputs())) / largest_value(update(low, inputs())), 2
            ),
        },
        {
            "largest step of B at 4": 0.001,
            "largest step of B at 32": 0.001,
            "gradient at 32 / gradient at 4": 8.0,
            "update after the step, at 32 / at 4": 8.0,
        },
    )


def _after_one_step(alpha: int) -> AdaptedLinear:
    """The first adapted layer after one Adam step at 0.001; B was zero before it."""
    model = adapt(bloom(), r=4, lora_alpha=alpha)
    train(model, steps=1, rate=1e-3)
    return first_adapter(model)


def no_penalty() -> Figures:
    """lora_alpha adds no penalty to the loss and regularises nothing: the loss minus the cross-entropy of the logits is
    0 for lora_alpha = 4 as for 64."""
    return expect(
        {f"loss - cross-entropy, lora_alpha = {alpha}": _beside_cross_entropy(alpha) for alpha in (4, 64)},
        {"loss - cross-entropy, lora_alpha = 4": 0.0, "loss - cross-entropy, lora_alpha = 64": 0.0},
    )


def _beside_cross_entropy(alpha: int) -> float:
    """Return the part of the training loss beyond the cross-entropy of the next tokens, to 5 decimals: the library
    computes it in single precision."""
    model = trained_bloom(r=4, lora_alpha=alpha).train()
    predicted = logits(model)[:, :-1].float().flatten(0, 1)
    return round(largest_value(loss(model) - cross_entropy(predicted, tokens()[:, 1:].flatten())), 5)


def not_trained() -> Figures:
    """lora_alpha is a constant, not a trained value: no parameter holds it, and 3 steps of training leave the factor
    at 2."""
    model = adapt(bloom(), r=16, lora_alpha=32)
    train(model, steps=3)
    layer = first_adapter(model)
    a, b = factors(layer)
    return expect(
        {
            "trained parameters other than A and B": sum(
                "lora_A" not in name and "lora_B" not in name for name in trained_names(model)
            ),
            "factor after 3 steps": multiple(inputs() @ a.T @ b.T, update(layer, inputs())),
        },
        {"trained parameters other than A and B": 0, "factor after 3 steps": 2.0},
    )


def no_shape() -> Figures:
    """lora_alpha changes no shape and no count: with r = 16 the adapters hold 8192 values for lora_alpha = 1, 32 and
    64. It is not a dimension."""
    counts = {f"trained values, lora_alpha = {alpha}": _adapter_values(alpha) for alpha in (1, 32, 64)}
    return expect(counts, dict.fromkeys(counts, 8192))


def _adapter_values(alpha: int) -> int:
    model = adapt(bloom(), r=16, lora_alpha=alpha)
    return parameter_count(model) - parameter_count(bloom())


def no_attention_scale() -> Figures:
    """lora_alpha is not the scale of the attention: BLOOM divides its attention scores by the square root of the head's
    width, here 1 / sqrt(8) = 0.3536, for every lora_alpha."""
    scales = {f"scale of the attention, lora_alpha = {alpha}": _attention_scale(alpha) for alpha in (1, 32)}
    return expect(scales, dict.fromkeys(scales, 0.3536))


def _attention_scale(alpha: int) -> float:
    block = adapt(bloom(), lora_alpha=alpha).get_submodule("base_model.model.transformer.h.0.self_attention")
    return round(float(block.inv_norm_factor), 4)  # type: ignore[arg-type]


def no_temperature() -> Figures:
    """lora_alpha is no temperature: it does not divide the logits. Before training, when B A is zero, the logits are
    the base model's for every lora_alpha."""
    base = logits(bloom())
    changes = {
        f"largest change of the logits, lora_alpha = {alpha}": largest_value(
            logits(adapt(bloom(), r=4, lora_alpha=alpha)) - base
        )
        for alpha in (1, 64)
    }
    return expect(changes, dict.fromkeys(changes, 0.0))


def invalid() -> Figures:
    """A lora_alpha that is no number cannot be used: the text "32" and None both fail when the adapters are made."""
    outcomes = {repr(alpha): outcome(bloom(), lora_alpha=alpha) for alpha in ("32", None)}
    return expect(outcomes, {"'32'": "TypeError", "None": "TypeError"})


EXPERIMENTS = (
    Experiment("lora/lora_alpha/scale", scale),
    Experiment("lora/lora_alpha/doubling", doubling),
    Experiment("lora/lora_alpha/no-threshold", no_threshold),
    Experiment("lora/lora_alpha/base-coefficient", base_coefficient),
    Experiment("lora/lora_alpha/not-a-learning-rate", not_a_learning_rate),
    Experiment("lora/lora_alpha/no-penalty", no_penalty),
    Experiment("lora/lora_alpha/not-trained", not_trained),
    Experiment("lora/lora_alpha/no-shape", no_shape),
    Experiment("lora/lora_alpha/no-attention-scale", no_attention_scale),
    Experiment("lora/lora_alpha/no-temperature", no_temperature),
    Experiment(
        "lora/lora_alpha/invalid",
        invalid,
        drift="Before peft 0.4.0 the default was None, so that leaving lora_alpha out failed in the same way.",
    ),
)

"""The operations of the experiments on a model: put adapters on it, inspect them, train them, compare outputs."""

import warnings
from typing import cast

import torch
from peft import LoraConfig, PeftModel, get_peft_model
from peft.tuners.lora import Linear as AdaptedLinear
from torch import nn
from transformers import PreTrainedModel

from reference.lora.fact import MismatchError
from reference.lora.models import bloom, inputs, tokens

TINY_DIFFERENCE = 1e-9
"""Below this, two outputs in double precision are the same but for rounding."""


def wrap(model: PreTrainedModel, **fields: object) -> PeftModel:
    """The model under peft with a LoraConfig of these fields; the same fields give the same random A."""
    torch.manual_seed(0)
    return cast(PeftModel, get_peft_model(model, LoraConfig(**fields)))  # type: ignore[arg-type]


def adapt(model: PreTrainedModel, **fields: object) -> PeftModel:
    """The same without the warnings, which are noise where they are not what is shown."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return wrap(model, **fields)


def trained_bloom(**fields: object) -> PeftModel:
    """The tiny BLOOM with adapters of these fields, as after training: with B not zero."""
    return fill(adapt(bloom(), **fields))


def fill(model: PeftModel) -> PeftModel:
    """Give every B random values, as training would; the same shapes get the same values."""
    generator = torch.Generator().manual_seed(2)
    with torch.no_grad():
        for layer in adapters(model).values():
            b = factors(layer)[1]
            b.copy_(torch.randn(b.shape, dtype=torch.float64, generator=generator))
    return model


def adapters(model: PeftModel) -> dict[str, AdaptedLinear]:
    """The adapted layers by their name in the base model."""
    return {
        name.removeprefix("base_model.model."): module
        for name, module in model.named_modules()
        if isinstance(module, AdaptedLinear)
    }


def first_adapter(model: PeftModel) -> AdaptedLinear:
    """The first adapted layer."""
    return next(iter(adapters(model).values()))


def factors(layer: AdaptedLinear) -> tuple[torch.Tensor, torch.Tensor]:
    """An adapter's A (r x in) and B (out x r)."""
    a, b = parts(layer)
    return a.weight, b.weight


def parts(layer: AdaptedLinear) -> tuple[nn.Linear, nn.Linear]:
    """An adapter's two layers, which hold A and B."""
    return cast(nn.Linear, layer.lora_A["default"]), cast(nn.Linear, layer.lora_B["default"])


def own(layer: AdaptedLinear) -> nn.Linear:
    """The model's own layer, beside which the adapter stands."""
    return cast(nn.Linear, layer.get_base_layer())


def dropout(layer: AdaptedLinear) -> nn.Module:
    """The adapter's dropout layer."""
    return layer.lora_dropout["default"]


def update(layer: AdaptedLinear, x: torch.Tensor) -> torch.Tensor:
    """Return the adapter's contribution to its layer's output for the inputs x (rows x in)."""
    with torch.no_grad():
        return cast(torch.Tensor, layer(x) - own(layer)(x))


def multiple(of: torch.Tensor, measured: torch.Tensor) -> float:
    """Return how many times one tensor is another, to 6 decimals. Raises MismatchError when it is no multiple of it."""
    of, measured = of.detach(), measured.detach()
    ratio = float((of * measured).sum() / (of * of).sum())
    if largest_value(measured - ratio * of) > TINY_DIFFERENCE * largest_value(measured):
        raise MismatchError(f"the tensor is not a multiple of the other, {ratio} times being the nearest.")
    return round(ratio, 6) + 0.0


def factor(r: int, alpha: float, **fields: object) -> float:
    """Return how many times B A x an adapter adds to its layer's output."""
    layer = first_adapter(trained_bloom(r=r, lora_alpha=alpha, **fields))
    a, b = factors(layer)
    return multiple(inputs() @ a.T @ b.T, update(layer, inputs()))


def logits(model: nn.Module) -> torch.Tensor:
    """The model's logits for the fixed tokens."""
    with torch.no_grad():
        return cast(torch.Tensor, model(input_ids=tokens()).logits)


def largest_value(tensor: torch.Tensor) -> float:
    """The largest absolute value of a tensor."""
    return float(tensor.detach().abs().max())


def is_close(tensor: torch.Tensor, other: torch.Tensor) -> bool:
    """Whether two tensors are equal up to rounding in double precision."""
    return largest_value(tensor - other) < TINY_DIFFERENCE


def trained_names(model: nn.Module) -> list[str]:
    """The names of the parameters that receive a gradient."""
    return [name for name, parameter in model.named_parameters() if parameter.requires_grad]


def trained_count(model: nn.Module) -> int:
    """Return how many values receive a gradient."""
    return sum(parameter.numel() for parameter in model.parameters() if parameter.requires_grad)


def parameter_count(model: nn.Module) -> int:
    """Return how many values the parameters hold."""
    return sum(parameter.numel() for parameter in model.parameters())


def loss(model: nn.Module) -> torch.Tensor:
    """The language-model loss on the fixed tokens."""
    return cast(torch.Tensor, model(input_ids=tokens(), labels=tokens()).loss)


def train(model: nn.Module, steps: int = 3, rate: float = 1e-3) -> None:
    """Some steps of Adam on whatever is trainable; its epsilon is too small to bend the steps."""
    wanted = [parameter for parameter in model.parameters() if parameter.requires_grad]
    optimizer = torch.optim.Adam(wanted, lr=rate, eps=1e-14)
    for _ in range(steps):
        optimizer.zero_grad()
        loss(model).backward()  # type: ignore[no-untyped-call]
        optimizer.step()


def gradient(parameter: torch.Tensor) -> torch.Tensor:
    """The gradient that a parameter has received. Raises MismatchError when it has none."""
    if parameter.grad is None:
        raise MismatchError("a parameter that should be trained has received no gradient.")
    return parameter.grad


def values(model: nn.Module) -> dict[str, torch.Tensor]:
    """A copy of all parameters by name."""
    return {name: parameter.detach().clone() for name, parameter in model.named_parameters()}


def outcome(model: PreTrainedModel, **fields: object) -> str:
    """Return the outcome of adapting a model with these fields: "accepted", or the built-in exception class nearest to
    the one raised, since libraries rename theirs."""
    try:
        adapt(model, **fields)
    except Exception as error:
        return next(kind.__name__ for kind in type(error).__mro__ if kind.__module__ == "builtins")
    return "accepted"

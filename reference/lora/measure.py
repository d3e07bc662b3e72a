"""What the experiments do with a model: put adapters on it, look at them, train them, compare outputs."""

import warnings
from collections.abc import Callable
from typing import cast

import torch
from peft import LoraConfig, PeftModel, get_peft_model
from peft.tuners.lora import LoraLayer
from transformers import PreTrainedModel

from reference.lora.fact import Mismatch
from reference.lora.models import bloom, tokens

TINY_DIFFERENCE = 1e-9
"""Below this, two outputs in double precision are the same but for rounding."""


def adapt(model: PreTrainedModel, **fields: object) -> PeftModel:
    """The model under peft with a LoraConfig of these fields; the same fields give the same random A."""
    torch.manual_seed(0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return cast(PeftModel, get_peft_model(model, LoraConfig(**fields)))  # type: ignore[arg-type]


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


def adapters(model: PeftModel) -> dict[str, LoraLayer]:
    """The adapted layers by their name in the base model."""
    return {
        name.removeprefix("base_model.model."): module
        for name, module in model.named_modules()
        if isinstance(module, LoraLayer)
    }


def first_adapter(model: PeftModel) -> LoraLayer:
    """The first adapted layer."""
    return next(iter(adapters(model).values()))


def factors(layer: LoraLayer) -> tuple[torch.Tensor, torch.Tensor]:
    """An adapter's A (r x in) and B (out x r)."""
    return layer.lora_A["default"].weight, layer.lora_B["default"].weight


def update(layer: LoraLayer, x: torch.Tensor) -> torch.Tensor:
    """What the adapter adds to its layer's output for the inputs x (rows x in)."""
    with torch.no_grad():
        return cast(torch.Tensor, layer(x) - layer.get_base_layer()(x))


def multiple(of: torch.Tensor, measured: torch.Tensor) -> float:
    """How many times one tensor is another, to 6 decimals. Raises Mismatch when it is no multiple of it."""
    ratio = float((of * measured).sum() / (of * of).sum())
    if largest(measured - ratio * of) > TINY_DIFFERENCE:
        raise Mismatch(f"the tensor is not a multiple of the other, {ratio} times being the nearest.")
    return round(ratio, 6) + 0.0


def logits(model: torch.nn.Module) -> torch.Tensor:
    """The model's logits for the fixed tokens."""
    with torch.no_grad():
        return cast(torch.Tensor, model(input_ids=tokens()).logits)


def largest(tensor: torch.Tensor) -> float:
    """The largest absolute value of a tensor."""
    return float(tensor.detach().abs().max())


def same(one: torch.Tensor, other: torch.Tensor) -> bool:
    """Whether two tensors are equal up to rounding in double precision."""
    return largest(one - other) < TINY_DIFFERENCE


def trained_names(model: torch.nn.Module) -> list[str]:
    """The names of the parameters that receive a gradient."""
    return [name for name, parameter in model.named_parameters() if parameter.requires_grad]


def trained_count(model: torch.nn.Module) -> int:
    """How many values receive a gradient."""
    return sum(parameter.numel() for parameter in model.parameters() if parameter.requires_grad)


def parameter_count(model: torch.nn.Module) -> int:
    """How many values the parameters hold."""
    return sum(parameter.numel() for parameter in model.parameters())


def loss(model: torch.nn.Module) -> torch.Tensor:
    """The language-model loss on the fixed tokens."""
    return cast(torch.Tensor, model(input_ids=tokens(), labels=tokens()).loss)


def train(model: torch.nn.Module, steps: int = 3, rate: float = 1e-3) -> None:
    """Some steps of Adam on whatever is trainable; its epsilon is too small to bend the steps."""
    wanted = [parameter for parameter in model.parameters() if parameter.requires_grad]
    optimizer = torch.optim.Adam(wanted, lr=rate, eps=1e-14)
    for _ in range(steps):
        optimizer.zero_grad()
        loss(model).backward()  # type: ignore[no-untyped-call]
        optimizer.step()


def values(model: torch.nn.Module) -> dict[str, torch.Tensor]:
    """A copy of all parameters by name."""
    return {name: parameter.detach().clone() for name, parameter in model.named_parameters()}


def outcome(attempt: Callable[[], object]) -> str:
    """"accepted", or Python's own exception class nearest to the one that is raised: libraries rename theirs."""
    try:
        attempt()
    except Exception as error:
        return next(kind.__name__ for kind in type(error).__mro__ if kind.__module__ == "builtins")
    return "accepted"

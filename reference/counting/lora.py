"""The changes that peft makes to a model of the meta device: it freezes it, and puts a LoRA adapter into it."""

import warnings
from typing import Final, Literal

from pydantic import Field, ValidationError
from torch import nn

from grader.frozen import Frozen
from reference.counting.configs import CountError


class Lora(Frozen):
    """A LoRA adapter, with the keys of peft's `LoraConfig` that determine the number of parameters."""

    r: int = Field(ge=1, le=2**16, description="The rank.")
    target_modules: tuple[str, ...] = Field(min_length=1, description="Names of modules.")
    lora_alpha: int = Field(default=8, description="It does not change counts.")
    bias: Literal["none", "all", "lora_only"] = Field(default="none", description="Which biases are trained.")
    modules_to_save: tuple[str, ...] = Field(default=(), description="Modules that are trained completely.")
    use_dora: bool = Field(default=False, description="Whether there are DoRA magnitudes.")
    lora_bias: bool = Field(default=False, description="Whether the adapter has biases.")
    use_rslora: bool = Field(default=False, description="It does not change counts.")


_KEYS: Final = {
    "r": "r",
    "target": "target_modules",
    "alpha": "lora_alpha",
    "bias": "bias",
    "save": "modules_to_save",
    "dora": "use_dora",
    "lora_bias": "lora_bias",
    "rslora": "use_rslora",
}
_LISTS: Final = ("target_modules", "modules_to_save")


def parse_lora(text: str) -> Lora:
    """Read `r=16,target=q_proj,target=v_proj[,alpha=32][,bias=all][,save=classifier][,dora=true]`;
    `target=all-linear` means all.

    Raises CountError for an unknown key or a value that is none.
    """
    given: dict[str, str | list[str]] = {}
    for pair in text.split(","):
        key, sign, value = pair.strip().partition("=")
        if not sign or key not in _KEYS or not value:
            raise CountError(
                f"{pair!r} is no setting of an adapter; accepted are {', '.join(f'{k}=…' for k in _KEYS)}."
            )
        field = _KEYS[key]
        given[field] = [*given.get(field, []), value] if field in _LISTS else value
    try:
        return Lora.model_validate(given)
    except ValidationError as error:
        first = error.errors()[0]
        key = {field: key for key, field in _KEYS.items()}[str(first["loc"][0])]
        raise CountError(f"The adapter's {key} is not usable: {first['msg']}.") from error


def add_lora(model: nn.Module, lora: Lora) -> None:
    """Freeze a model and put the adapter into it, in place. Raises CountError when no module matches."""
    import torch
    from peft import LoraConfig, get_peft_model

    targets = list(lora.target_modules)
    config = LoraConfig(
        r=lora.r,
        lora_alpha=lora.lora_alpha,
        target_modules="all-linear" if targets == ["all-linear"] else targets,
        bias=lora.bias,
        modules_to_save=list(lora.modules_to_save) or None,
        use_dora=lora.use_dora,
        lora_bias=lora.lora_bias,
        use_rslora=lora.use_rslora,
    )
    try:
        with torch.device("meta"), warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about names in peft's own code, and about how a target stores its weight
            get_peft_model(model, config)
    except ValueError as error:
        names = sorted({name.rpartition(".")[2] for name, module in model.named_modules() if _is_linear(module)})
        raise CountError(
            f"peft cannot adapt {', '.join(targets)}: {str(error).splitlines()[0][:200]} "
            f"Linear modules of this model: {', '.join(names)}."
        ) from error


def prepare(model: nn.Module) -> None:
    """Have peft prepare a model for the training of packed weights, in place: it freezes all of them."""
    from peft import prepare_model_for_kbit_training

    prepare_model_for_kbit_training(model)  # type: ignore[no-untyped-call]


def _is_linear(module: object) -> bool:
    return type(module).__name__ in ("Linear", "Conv1D")

"""What the name of a saved tensor tells: which module of the base model it belongs to, and as what.

Names are those that peft writes, `base_model.model.<module>.lora_A.weight`, or those of a running model, which have the
adapter's name after `lora_A`.
"""

from collections.abc import Iterator
from enum import StrEnum
from typing import Final, NamedTuple


class Part(StrEnum):
    """What a tensor is to the module it belongs to."""

    A = "A"
    B = "B"
    EMBEDDING_A = "embedding-A"
    EMBEDDING_B = "embedding-B"
    LORA_BIAS = "lora-bias"
    MAGNITUDE = "magnitude"
    TOKENS = "tokens"
    SAVED = "saved"
    FROZEN = "frozen"
    BIAS = "bias"
    WEIGHT = "weight"


class TensorName(NamedTuple):
    """The module without peft's own additions, and the tensor's part in it."""

    module: str
    part: Part


_MARKS: Final = {
    "lora_A": Part.A,
    "lora_B": Part.B,
    "lora_embedding_A": Part.EMBEDDING_A,
    "lora_embedding_B": Part.EMBEDDING_B,
    "lora_magnitude_vector": Part.MAGNITUDE,
    "trainable_tokens_delta": Part.TOKENS,
    "modules_to_save": Part.SAVED,
    "original_module": Part.FROZEN,
}
_WRAPPING: Final = frozenset({"base_layer", "token_adapter"})
_PREFIX: Final = "base_model.model."


def tensor_name(name: str) -> TensorName:
    """Take a tensor's name apart."""
    parts = name.removeprefix(_PREFIX).split(".")
    at = next((index for index, part in enumerate(parts) if part in _MARKS), None)
    if at is not None:
        bias = parts[-1] == "bias" and parts[at].startswith("lora_")
        return TensorName(_module(parts[:at]), Part.LORA_BIAS if bias else _MARKS[parts[at]])
    if parts[-1] == "bias":
        return TensorName(_module(parts[:-1]), Part.BIAS)
    return TensorName(_module(parts[:-1]), Part.FROZEN if "base_layer" in parts else Part.WEIGHT)


def starts_at_zero(name: str) -> bool:
    """Whether a tensor is the matrix that peft starts at zero, so that a fresh adapter changes nothing: B, or A of an
    embedding (`reset_lora_parameters` in peft's layer.py)."""
    return tensor_name(name).part in (Part.B, Part.EMBEDDING_A)


def layer_of(module: str) -> int | None:
    """The number of the layer that a module stands in: the first number in its name."""
    numbers = (part for part in module.split(".") if part.isascii() and part.isdigit() and len(part) < 6)
    return next((int(part) for part in numbers), None)


def last_name(module: str) -> str:
    """The module's own name, with what it is a numbered part of."""
    parts = module.split(".")
    return ".".join(parts[-2:]) if parts[-1].isdigit() else parts[-1]


def endings(module: str) -> Iterator[str]:
    """A module's whole name and its last parts: what an entry of a list of names can be to mean it, as in peft."""
    yield module
    while "." in module:
        module = module.partition(".")[2]
        yield module


def _module(parts: list[str]) -> str:
    return ".".join(part for part in parts if part not in _WRAPPING)

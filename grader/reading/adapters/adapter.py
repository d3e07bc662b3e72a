"""Trained adapters as peft saves them: a configuration, a file of tensors, and what the two say together."""

from math import prod

from pydantic import Field

from grader.frozen import Frozen
from grader.message import Words


class AdapterConfig(Frozen):
    """`adapter_config.json`. What it leaves out, sets to null or gives in a wrong type is None; `others` holds the keys
    that have no field here, each value as JSON. The meaning of each key is that of peft's LoraConfig."""

    file: str
    peft_type: str | None = None
    r: int | None = None
    lora_alpha: float | None = None
    lora_dropout: float | None = None
    bias: str | None = None
    target_modules: tuple[str, ...] | str | None = None
    modules_to_save: tuple[str, ...] | None = None
    layers_to_transform: tuple[int, ...] | None = None
    rank_pattern: dict[str, int] | None = None
    init_lora_weights: bool | str | None = None
    use_dora: bool | None = None
    task_type: str | None = None
    base_model_name_or_path: str | None = None
    peft_version: str | None = None
    others: dict[str, str] = Field(default_factory=dict)
    problems: tuple[Words, ...] = ()


class Tensor(Frozen):
    """One tensor of a file. `zero` tells whether all its values are zero, `norm` is its Frobenius norm; both are None
    where no values were looked at, and `norm` where they are of a kind that is not decoded."""

    name: str
    dtype: str
    shape: tuple[int, ...]
    zero: bool | None = None
    norm: float | None = None

    @property
    def elements(self) -> int:
        """How many values it holds."""
        return prod(self.shape)


class Weights(Frozen):
    """A safetensors file, by its header. `whole` tells that `tensors` are all that it names; `metadata` is what its
    writer noted."""

    file: str
    tensors: tuple[Tensor, ...] = ()
    whole: bool = False
    metadata: dict[str, str] = Field(default_factory=dict)
    problems: tuple[Words, ...] = ()


class AdaptedModule(Frozen):
    """A module of the base model with a pair of low-rank matrices, A (rank x in) and B (out x rank).

    `layer` is the first number in the module's name. `zero` and `norm` are those of the matrix that starts at zero: B,
    or A of an embedding.
    """

    name: str
    layer: int | None
    rank: int
    inputs: int
    outputs: int
    zero: bool | None = None
    norm: float | None = None


class Adapter(Frozen):
    """One adapter: its configuration, its weights, or both, found in one folder of the hand-in.

    `lora_parameters` counts the low-rank matrices; `trainable_parameters` counts all that was trained, and is None
    where a tensor is not accounted for (its name is then in `unexplained`). `trained` is False where every matrix that
    starts at zero still is zero, so that the adapter changes nothing; None where that cannot be told. `disagreements`
    are sentences on what configuration and weights say differently.
    """

    folder: str
    config: AdapterConfig | None = None
    weights: Weights | None = None
    modules: tuple[AdaptedModule, ...] = ()
    ranks: tuple[int, ...] = ()
    targets: tuple[str, ...] = ()
    layers: tuple[int, ...] = ()
    lora_parameters: int | None = None
    trainable_parameters: int | None = None
    unexplained: tuple[str, ...] = ()
    trained: bool | None = None
    disagreements: tuple[Words, ...] = ()

"""The counts that lab.toml asks for: the models, and the conventions of counting, which say which groups of parameters
are left out and what is counted of the rest."""

import json
import tomllib
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Final, Literal, Self

from pydantic import Field, JsonValue, TypeAdapter, ValidationError, model_validator

from grader.frozen import Frozen
from reference.counting import parts
from reference.counting.components import Group, HandWritten
from reference.counting.configs import CountError
from reference.counting.lora import Lora

EXCLUSIONS: Final[Mapping[str, Callable[[Group], bool]]] = {
    "biases": lambda group: group.kind == "bias",
    "norms": lambda group: group.kind == "norm",
    "head": lambda group: group.head,
    "pooler": lambda group: group.part == parts.POOLER,
    "tokens": lambda group: group.part == parts.TOKENS,
    "positions": lambda group: group.part == parts.POSITIONS,
    "token-types": lambda group: group.part == parts.SEGMENTS,
    "embeddings": lambda group: group.kind == "embedding",
    "attention": lambda group: group.part == parts.ATTENTION,
    "feed-forward": lambda group: group.part == parts.FEED_FORWARD,
    "adapters": lambda group: group.part == parts.ADAPTER,
}
"""What can be left out. Biases are those of linear layers, convolutions and heads: a norm's own go with the norms."""


def check_exclusions(names: Iterable[str], groups: Iterable[Group] = ()) -> tuple[str, ...]:
    """The names, once each: of `EXCLUSIONS`, or of a part of the model. Raises CountError for one that is unknown."""
    chosen = tuple(dict.fromkeys(names))
    known_names = tuple(dict.fromkeys((*EXCLUSIONS, *(group.part for group in groups))))
    for name in chosen:
        if name not in known_names:
            raise CountError(f"{name!r} cannot be left out; what can is {', '.join(known_names)}.")
    return chosen


def _is_left_out(group: Group, name: str) -> bool:
    return EXCLUSIONS[name](group) if name in EXCLUSIONS else group.part == name


class Convention(Frozen):
    """A way of counting a model.

    Of linear layers that are packed into `packed_bits`, the stored elements are counted; with 4 bits these are numbers
    of the type `storage`, and `skipped` are modules that stay whole. `each_place` counts a parameter once for each of
    its names, as torchinfo and a state_dict do, and `state` adds what bitsandbytes keeps beside the packed weights,
    with scales that are packed themselves (`"double"`) or not. With `bytes_each`, bytes are counted: so many for each
    element that is not packed, 4 in adapters."""

    id: str = Field(description="Its id.")
    title: str = Field(description="Its name in reports.")
    without: tuple[str, ...] = Field(
        default=(), description="What is left out: `biases`, `norms`, `head`, `pooler` …, or names of parts."
    )
    overrides: dict[str, JsonValue] = Field(
        default_factory=dict, description="Values that replace the configuration's."
    )
    task: str | None = Field(default=None, description="The class of transformers, if it differs from the model's.")
    trainable: bool = Field(default=False, description="Whether only trainable parameters count.")
    packed_bits: Literal[4, 8] | None = Field(
        default=None, description="Linear layers are quantised to this many bits; count the stored elements."
    )
    storage: Literal["uint8", "bfloat16", "float16", "float32"] = Field(
        default="uint8", description="The storage type of 4-bit weights."
    )
    skipped: tuple[str, ...] = Field(default=(), description="Modules that are not quantised.")
    each_place: bool = Field(default=False, description="Whether tied parameters count once for each name.")
    state: Literal["double", "single"] | None = Field(
        default=None,
        description="Also count the scales that bitsandbytes stores beside 4-bit weights, with `single` or `double` "
        "quantisation.",
    )
    bytes_each: Literal[2, 4] | None = Field(default=None, description="Count bytes, with this many for each element.")
    prepared: bool | Literal["last"] = Field(
        default=False,
        description="Count the model after `prepare_model_for_kbit_training` of peft; `last`: it is called after the "
        "adapter is added.",
    )


def counted_groups(groups: Iterable[Group], convention: Convention) -> tuple[Group, ...]:
    """The groups that a convention counts; packed weights are integers, which are not trained."""
    return tuple(
        group
        for group in groups
        if not any(_is_left_out(group, name) for name in convention.without)
        and (not convention.trainable or (group.trainable and not is_packed(group, convention)))
    )


STORED_BYTES: Final = {"uint8": 1, "float16": 2, "bfloat16": 2, "float32": 4}


def elements(group: Group, convention: Convention) -> int:
    """Return how many elements, or bytes, one layer of a group has as it is stored: with 4 bits two weights share a
    byte, and an odd weight has its own (bitsandbytes.functional.quantize_4bit); nothing else changes."""
    whole = 1
    if convention.bytes_each:
        whole = _ADAPTER_BYTES if group.part == parts.ADAPTER else convention.bytes_each
    width = STORED_BYTES[convention.storage]
    per_element = 8 * width // (convention.packed_bits or 8)
    stored = width if convention.bytes_each else 1
    packed = packed_names(group, convention)
    return sum(
        -(-size // per_element) * stored if name in packed else size * whole
        for name, size in zip(group.names, group.sizes, strict=True)
    )


_ADAPTER_BYTES: Final = 4


def packed_names(group: Group, convention: Convention) -> tuple[str, ...]:
    """The parameters of a group that a convention counts as packed ones."""
    if convention.packed_bits is None or not group.packable:
        return ()
    return tuple(name for name in group.names if set(name.split(".")).isdisjoint(convention.skipped))


def is_packed(group: Group, convention: Convention) -> bool:
    """Whether a convention counts some of a group's weights as packed ones."""
    return bool(packed_names(group, convention))


_BLOCK: Final = 64
_BLOCK_OF_SCALES: Final = 256
_LEVELS: Final = 16


def state_elements(group: Group, convention: Convention) -> int:
    """Return how many elements a state_dict keeps beside the packed weights of one layer of a group: a scale for each
    block, the table of levels, and a text as bytes (bitsandbytes.functional.QuantState.as_dict). The text holds a float
    that depends on the weights, here of the usual 17 digits; so the sum differs from model to model by a few
    hundred."""
    found, packed = 0, packed_names(group, convention)
    for name, shape, size in zip(group.names, group.shapes, group.sizes, strict=True):
        if convention.state is None or name not in packed:
            continue
        scales = -(-size // _BLOCK)
        quant_state: dict[str, object] = {"quant_type": "nf4", "blocksize": _BLOCK, "dtype": "float16", "shape": shape}
        found += scales + _LEVELS
        if convention.state == "double":
            quant_state |= {"nested_blocksize": _BLOCK_OF_SCALES, "nested_dtype": "float32"}
            quant_state |= {"nested_offset": _USUAL_OFFSET}
            found += -(-scales // _BLOCK_OF_SCALES) + 2**8
        found += len(json.dumps(quant_state))
    return found


_USUAL_OFFSET: Final = 0.05194729566574097
SPREAD_OF_STATE: Final = 4
"""By so many elements the text beside one packed weight may be longer or shorter."""


def place_elements(group: Group, convention: Convention) -> int:
    """Return how many elements are counted again in all layers of a group because parameters have several names."""
    return sum(tie.values for tie in group.tied) if convention.each_place else 0


def total(groups: Iterable[Group], convention: Convention) -> int:
    """The number of parameters, or of stored elements, under a convention."""
    return sum(
        (elements(group, convention) + state_elements(group, convention)) * group.times
        + place_elements(group, convention)
        for group in counted_groups(groups, convention)
    )


class ModelSpec(Frozen):
    """A model to be counted: give `config`, `reference` or `components`.

    `config` is the path of a Hugging Face `config.json` from the lab's folder on; `overrides` replace some of its
    values, and `task` picks the Auto class (by default the one that the configuration names). `reference` names a
    function of the lab's own code that returns a torch module, such as `models.py:cnn` or `my_lab.models:cnn`;
    `overrides` are its arguments. `components` are written by hand. `parts` say for modules of the first two, given by
    their names with `*` for any signs, which part of the model they are in the words of students. With `modules`, the
    names of all modules are kept, by which a check decides what a choice of modules selects."""

    id: str = Field(description="Its id.")
    title: str = Field(description="Its name in reports.")
    config: str | None = Field(default=None, description="A Hugging Face configuration in the lab's folder.")
    reference: str | None = Field(
        default=None, description="Instead, a function that returns a torch module: `models.py:network`."
    )
    components: tuple[HandWritten, ...] = Field(default=(), description="Instead, its components written by hand.")
    task: str | None = Field(
        default=None,
        description="The class of transformers: `base`, `masked-lm`, `causal-lm`, `seq-classification` …",
    )
    overrides: dict[str, JsonValue] = Field(
        default_factory=dict, description="Values that replace the configuration's, or arguments of the function."
    )
    lora: Lora | None = Field(default=None, description="A LoRA adapter.")
    parts: dict[str, str] = Field(
        default_factory=dict, description="The part that each module belongs to; `*` is a wildcard."
    )
    modules: bool = Field(default=False, description="Whether to store the names of all modules.")
    conventions: tuple[Convention, ...] = Field(min_length=1, description="The ways of counting it.")

    @model_validator(mode="after")
    def _has_one_source(self) -> Self:
        if sum(map(bool, (self.config, self.reference, self.components))) != 1:
            raise ValueError("a model comes from `config`, `reference` or `components`: give one of them")
        if self.task and not self.config:
            raise ValueError("`task` is for a model with a `config`")
        built = self.config or self.reference
        if not built and (self.overrides or self.lora or self.parts):
            raise ValueError("`components` take no `overrides`, `lora` or `parts`")
        if not built and any(c.overrides or c.task or c.prepared or c.packed_bits for c in self.conventions):
            raise ValueError("of `components`, conventions can only leave some out")
        return self


def load_specs(path: Path) -> tuple[ModelSpec, ...]:
    """The `[[models]]` tables of a TOML file. Raises CountError for a file that cannot be read or says too little."""
    try:
        return model_specs(tomllib.loads(path.read_text(encoding="utf-8")).get("models", []), path)
    except OSError as error:
        raise CountError(f"{path} cannot be read: {error.strerror}.") from error
    except ValueError as error:
        raise CountError(f"{path} is not TOML: {error}.") from error


def model_specs(tables: object, path: Path) -> tuple[ModelSpec, ...]:
    """The models that tables of a file describe. Raises CountError where they say too little."""
    try:
        return TypeAdapter(tuple[ModelSpec, ...]).validate_python(tables)
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(str(key) for key in first["loc"])
        raise CountError(f"{path}: `models.{place}`: {first['msg']}.") from error

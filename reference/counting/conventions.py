"""What lab.toml asks to be counted: the models, and the conventions of counting, by which groups of parameters are left
out and what is left is counted.
"""

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
    known = tuple(dict.fromkeys((*EXCLUSIONS, *(group.part for group in groups))))
    for name in chosen:
        if name not in known:
            raise CountError(f"{name!r} cannot be left out; what can is {', '.join(known)}.")
    return chosen


def _is_left_out(group: Group, name: str) -> bool:
    return EXCLUSIONS[name](group) if name in EXCLUSIONS else group.part == name


class Convention(Frozen):
    """One way of counting a model: without some groups or parts, with some of the configuration's values replaced, for
    another task, only what is trained, in stored elements when the linear layers are packed into so many bits, or as
    peft leaves it once it has been `prepared` for the training of packed weights."""

    id: str
    title: str
    without: tuple[str, ...] = ()
    overrides: dict[str, JsonValue] = Field(default_factory=dict)
    task: str | None = None
    trainable: bool = False
    packed_bits: Literal[4, 8] | None = None
    prepared: bool = False


def counted(groups: Iterable[Group], convention: Convention) -> tuple[Group, ...]:
    """The groups that a convention counts; packed weights are integers, which are not trained."""
    return tuple(
        group
        for group in groups
        if not any(_is_left_out(group, name) for name in convention.without)
        and (not convention.trainable or (group.trainable and not is_packed(group, convention)))
    )


def elements(group: Group, convention: Convention) -> int:
    """How many elements one layer of a group has as it is stored: with 4 bits two weights share one, an odd weight
    has its own (bitsandbytes.functional.quantize_4bit); nothing else changes."""
    if not is_packed(group, convention):
        return group.values
    per_element = 8 // (convention.packed_bits or 8)
    return sum(-(-size // per_element) for size in group.sizes)


def is_packed(group: Group, convention: Convention) -> bool:
    """Whether a convention counts a group's weights as packed ones."""
    return convention.packed_bits is not None and group.packable


def total(groups: Iterable[Group], convention: Convention) -> int:
    """The number of parameters, or of stored elements, under a convention."""
    return sum(elements(group, convention) * group.times for group in counted(groups, convention))


class ModelSpec(Frozen):
    """A model to be counted, which comes from one of three places.

    `config` is the path of a Hugging Face `config.json` from the lab's folder on; `overrides` replace some of its
    values, and `task` picks the Auto class (by default the one that the configuration names). `reference` names a
    function of the lab's own code that returns a torch module, such as `models.py:cnn` or `my_lab.models:cnn`;
    `overrides` are its arguments. `components` are written by hand. `parts` say for modules of the first two, given by
    their names with `*` for any signs, which part of the model they are in the words of students."""

    id: str
    title: str
    config: str | None = None
    reference: str | None = None
    components: tuple[HandWritten, ...] = ()
    task: str | None = None
    overrides: dict[str, JsonValue] = Field(default_factory=dict)
    lora: Lora | None = None
    parts: dict[str, str] = Field(default_factory=dict)
    conventions: tuple[Convention, ...] = Field(min_length=1)

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

"""Conventions of counting: which groups of parameters are left out, and how what is left is counted."""

from collections.abc import Callable, Iterable, Mapping
from typing import Final, Literal

from pydantic import Field, JsonValue

from grader.frozen import Frozen
from reference.counting import parts
from reference.counting.components import Group
from reference.counting.errors import CountError

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

"""A model taken apart: its parameters in groups, as one writes them in a table."""

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import chain
from math import prod
from typing import Literal, Self

from pydantic import Field, model_validator

from grader.frozen import Frozen
from reference.counting import parts
from reference.counting.grouping import Bundle, bundles, ids_of, shape_of, slug, titles_of
from reference.counting.lora import Lora, add_lora, prepare
from reference.counting.model import BuiltModel
from reference.counting.parts import Kind, Surroundings
from reference.counting.tensors import Tensor, roles_of, tensors_of


class Tie(Frozen):
    """A further place of a parameter that is counted elsewhere."""

    name: str
    values: int


class Group(Frozen):
    """Parameters of one part and kind that stand together, in `times` equal layers of `stack`, or once in no layer.

    `shape`, `values` and `names` are those of one layer; `tied` are further places of the same parameters."""

    id: str
    title: str
    part: str
    kind: Kind
    head: bool = Field(description="Whether it lies outside of the base model.")
    stack: str
    shape: str
    shapes: tuple[tuple[int, ...], ...] = Field(description="Of each parameter of one layer.")
    times: int
    trainable: bool
    packable: bool = Field(description="Whether bitsandbytes packs these weights.")
    names: tuple[str, ...]
    tied: tuple[Tie, ...]

    @property
    def sizes(self) -> tuple[int, ...]:
        """The number of values of each parameter of one layer."""
        return tuple(prod(shape) for shape in self.shapes)

    @property
    def values(self) -> int:
        """Values in one layer."""
        return sum(self.sizes)

    @property
    def sum(self) -> int:
        """Values in all layers together."""
        return self.values * self.times


class TakenApart(Frozen):
    """A model as groups of parameters, in the order of its tree. `layers` are those that hold attention; in a model
    without attention, the members of its longest list of modules. `heads` are those of one attention, where all have as
    many."""

    class_name: str
    task: str
    layers: int
    heads: int | None
    groups: tuple[Group, ...]
    modules: tuple[str, ...] = ()

    @property
    def total(self) -> int:
        """All parameters, tied ones once."""
        return sum(group.sum for group in self.groups)


def take_apart(
    built: BuiltModel,
    lora: Lora | None = None,
    *,
    prepared: bool | Literal["last"] = False,
    module_names: Mapping[str, str] | None = None,
) -> TakenApart:
    """All parameters of a model in groups; `module_names` are the lab's names for modules. Preparing, before the
    adapter is put in or `"last"`, and an adapter change the model: to count without, build another.

    Raises CountError when the adapter matches no module.
    """
    roles, modules = roles_of(built), tuple(name for name, _ in built.model.named_modules() if name)
    if prepared and prepared != "last":
        prepare(built.model)
    if lora is not None:
        add_lora(built.model, lora)
    if prepared == "last":
        prepare(built.model)
    tensors = tensors_of(built.model, roles)
    attending = parts.attending(tensors)
    around = Surroundings(
        config=built.config, head=built.head, attending=attending, own=tuple((module_names or {}).items())
    )
    found = bundles(tensors, around)
    return TakenApart(
        class_name=type(built.model).__name__,
        task=built.task,
        layers=_layers(tensors, attending),
        heads=_heads(built),
        modules=modules,
        groups=tuple(
            _group(own_id, title, bundle, layers)
            for own_id, title, (bundle, layers) in zip(
                ids_of(list(found)), titles_of(list(found)), found.items(), strict=True
            )
        ),
    )


class HandWritten(Frozen):
    """A component given by the shapes of its arrays. `part` is what students call it."""

    name: str = Field(description="Its id.")
    part: str = Field(description="The part it belongs to, as students call it.")
    times: int = Field(default=1, ge=1, description="The number of identical copies.")
    embedding: tuple[int, ...] | None = Field(default=None, description="Its shape.")
    weight: tuple[int, ...] | None = Field(default=None, description="Its shape.")
    bias: tuple[int, ...] | None = Field(default=None, description="Its shape.")
    norm: tuple[int, ...] | None = Field(default=None, description="Its shape.")

    @property
    def arrays(self) -> dict[Kind, tuple[int, ...]]:
        """The shapes that are given, by kind."""
        shapes: dict[Kind, tuple[int, ...] | None] = {
            "embedding": self.embedding,
            "weight": self.weight,
            "bias": self.bias,
            "norm": self.norm,
        }
        return {kind: shape for kind, shape in shapes.items() if shape}

    @model_validator(mode="after")
    def _has_values(self) -> Self:
        if not self.arrays:
            raise ValueError(f"component {self.name} holds no array; give embedding, weight, bias or norm its shape")
        if any(size < 1 for shape in self.arrays.values() for size in shape):
            raise ValueError(f"component {self.name} has a size below 1")
        return self


def from_table(rows: Sequence[HandWritten]) -> TakenApart:
    """Components that were written down, as groups."""
    groups = []
    for row in rows:
        for kind, shape in row.arrays.items():
            groups.append(
                Group(
                    id=slug(f"{row.name} {kind}"),
                    title=f"{row.part} {kind}: {row.name}",
                    part=row.part,
                    kind=kind,
                    head=False,
                    stack="layers" if row.times > 1 else "",
                    shape=" x ".join(map(str, shape)),
                    shapes=(shape,),
                    times=row.times,
                    trainable=True,
                    packable=False,
                    names=(f"{row.name}.{kind}",),
                    tied=(),
                )
            )
    layers = max((row.times for row in rows), default=1)
    return TakenApart(class_name="", task="", layers=layers if layers > 1 else 0, heads=None, groups=tuple(groups))


def _group(own_id: str, title: str, bundle: Bundle, layers: list[tuple[Tensor, ...]]) -> Group:
    return Group(
        id=own_id,
        title=title,
        part=bundle.part,
        kind=bundle.kind,
        head=bundle.head,
        stack=bundle.stack,
        shape=shape_of(bundle),
        shapes=bundle.shapes,
        times=len(layers),
        trainable=bundle.trainable,
        packable=bundle.packable,
        names=bundle.names,
        tied=tuple(
            Tie(name=name, values=tensor.values) for tensor in chain.from_iterable(layers) for name in tensor.tied
        ),
    )


def _heads(built: BuiltModel) -> int | None:
    """The heads of every layer; None where there are none, or where layers differ, which reading tells by an error."""
    if built.config is None:
        return None
    try:
        heads = getattr(built.config.get_text_config(), "num_attention_heads", None)
    except RuntimeError:
        return None
    return heads if isinstance(heads, int) else None


def _layers(tensors: Sequence[Tensor], attending: frozenset[str]) -> int:
    places = {(tensor.stack, tensor.layer) for tensor in tensors if tensor.layer}
    if attending:
        return sum(stack in attending for stack, _ in places)
    return max(Counter(stack for stack, _ in places).values(), default=0)

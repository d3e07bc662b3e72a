"""Which parameters stand together: those of one part and kind in a layer, and such bundles that are equal in layers."""

import re
from collections.abc import Sequence
from typing import Final

from grader.frozen import Frozen
from reference.counting import parts
from reference.counting.parts import Kind, Surroundings
from reference.counting.tensors import Tensor

_ADAPTER_NAMES: Final = re.compile(r"^lora_|^modules_to_save$")


class Bundle(Frozen):
    """What stands together in one layer (or outside of any). `root` is the module that it is about, and `names` are
    the parameters' names, both from the layer on; equal bundles of several layers are one group."""

    part: str
    kind: Kind
    head: bool
    stack: str
    root: str
    trainable: bool
    packable: bool
    names: tuple[str, ...] = ()
    shapes: tuple[tuple[int, ...], ...] = ()


def bundles(tensors: Sequence[Tensor], around: Surroundings) -> dict[Bundle, list[tuple[Tensor, ...]]]:
    """All bundles in the order of the tree, each with the parameters of every layer that has such a one."""
    together: dict[tuple[Bundle, tuple[int, ...]], list[Tensor]] = {}
    for tensor in tensors:
        together.setdefault((_common(tensor, around), tensor.layer), []).append(tensor)
    equal: dict[Bundle, list[tuple[Tensor, ...]]] = {}
    for (common, _), members in together.items():
        names, shapes = tuple(map(_name, members)), tuple(tensor.shape for tensor in members)
        bundle = common.model_copy(update={"names": names, "shapes": shapes})
        equal.setdefault(bundle, []).append(tuple(members))
    return equal


def _common(tensor: Tensor, around: Surroundings) -> Bundle:
    """What the parameters of a bundle have in common."""
    return Bundle(
        part=parts.part_of(tensor, around),
        kind=parts.kind_of(tensor),
        head=tensor.head,
        stack=tensor.stack,
        root=_root(tensor),
        trainable=tensor.trainable,
        packable=tensor.packable,
    )


def _root(tensor: Tensor) -> str:
    """The module that a bundle is about: an adapted module, a norm, a table, an attention. The rest of a layer, and
    the head, stand together."""
    names = [step.name for step in tensor.inside]
    if tensor.adapter:
        own = next((place for place, name in enumerate(names) if _ADAPTER_NAMES.search(name)), len(names))
        return ".".join(names[:own])
    if tensor.head:
        return ""
    if parts.kind_of(tensor) in ("norm", "embedding"):
        return ".".join(names if tensor.owner != "other" else [*names, tensor.name])
    depth = parts.attention_depth(tensor)
    if depth is not None:
        return ".".join(names[: depth + 1])
    return "" if tensor.layer else ".".join(names)


def _name(tensor: Tensor) -> str:
    return ".".join([*(step.name for step in tensor.inside), tensor.name])

"""A model's module tree → one entry for each of its parameters: where in the tree it stands, and what it is to the
whole model, which is read off the objects before any adapter changes the tree.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final, Literal, NamedTuple

from torch import nn
from transformers import PreTrainedModel
from transformers.pytorch_utils import Conv1D
from transformers.quantizers.base import get_keys_to_not_convert
from transformers.quantizers.quantizers_utils import should_convert_module

from grader.frozen import Frozen
from reference.counting.configs import CountError
from reference.counting.model import BuiltModel, build


@dataclass(frozen=True)
class Roles:
    """The identities of a model's parameters by their role: those that are there at all, those outside of the base
    model (the head), those of input embeddings, and the matrices that bitsandbytes would pack."""

    present: frozenset[int]
    head: frozenset[int]
    inputs: frozenset[int]
    packed: frozenset[int]


def roles_of(built: BuiltModel) -> Roles:
    """The roles of all parameters of a model without adapters."""
    present, model = _ids(built.model), built.model
    if not isinstance(model, PreTrainedModel):
        tables = [module for module in model.modules() if isinstance(module, nn.Embedding)]
        return Roles(present=present, head=frozenset(), inputs=_tables(tables[:1]), packed=frozenset())
    return Roles(
        present=present,
        head=present - _base(built, model),
        inputs=_inputs(model),
        packed=_packed(model),
    )


def _tables(modules: Iterable[nn.Module]) -> frozenset[int]:
    return frozenset().union(*map(_ids, modules))


def _ids(module: nn.Module) -> frozenset[int]:
    return frozenset(id(parameter) for parameter in module.parameters())


def _base(built: BuiltModel, model: PreTrainedModel) -> frozenset[int]:
    """The parameters of the base model. A class that holds its base model says so; in one that extends its base, such
    as T5's, the base is what the base class has as well; tied parameters belong to the base."""
    base = model.base_model
    if built.task == "base":
        return _ids(model)
    if base is not model:
        return _ids(base)
    if not built.task:
        return _ids(model)
    try:
        names = {name for name, _ in build(built.values, "base").model.named_children()}
    except CountError:
        output = model.get_output_embeddings()  # type: ignore[no-untyped-call]
        return _ids(model) - (_ids(output) if output is not None else frozenset()) | _inputs(model)
    return frozenset().union(*(_ids(child) for name, child in model.named_children() if name in names))


def _inputs(model: PreTrainedModel) -> frozenset[int]:
    """The token tables of a model; what embeds images or sound is no table."""
    try:
        inputs = model.get_input_embeddings()
    except (NotImplementedError, AttributeError):
        return frozenset()
    return _ids(inputs) if isinstance(inputs, nn.Embedding) else frozenset()


def _packed(model: PreTrainedModel) -> frozenset[int]:
    """The weights of the modules that transformers replaces when it loads in 4 or 8 bits: linear layers but the output
    layer, what is tied to the embedding, and the last module (transformers.integrations.bitsandbytes)."""
    kept = get_keys_to_not_convert(model)
    return frozenset(
        id(module.weight)
        for name, module in model.named_modules()
        if (type(module) is nn.Linear or isinstance(module, Conv1D)) and should_convert_module(name, kept)
    )


Owner = Literal["embedding", "norm", "linear", "other"]

_LINEAR: Final = (nn.Linear, nn.Bilinear, nn.modules.conv._ConvNd, nn.MultiheadAttention, nn.RNNBase, Conv1D)
_NORM: Final = (nn.LayerNorm, nn.GroupNorm, nn.RMSNorm, nn.modules.batchnorm._NormBase)
_NORM_CLASS: Final = re.compile(r"Norm(?!al)")
_WRAPPERS: Final = frozenset({"base_layer", "original_module"})
"""Names that peft puts between a module and its own parameters."""


class Step(NamedTuple):
    """One module on the way from the root to a parameter: its name in the module before it, and its class."""

    name: str
    class_name: str


class Tensor(Frozen):
    """One parameter, called `name` by the last module of `way`; the first is the one below the root.

    `stack` names the lists of equal modules that it is in (`encoder.layer`), `layer` its places in them, and `depth`
    is the number of steps down to its own member of the last list.
    """

    way: tuple[Step, ...]
    name: str
    owner: Owner
    shape: tuple[int, ...]
    values: int
    stack: str
    layer: tuple[int, ...]
    depth: int
    trainable: bool
    adapter: bool
    head: bool
    input: bool
    packable: bool
    tied: tuple[str, ...]

    @property
    def inside(self) -> tuple[Step, ...]:
        """The modules below the layer, or below the root for a parameter that is in no layer."""
        return self.way[self.depth :]


def tensors_of(model: nn.Module, roles: Roles) -> tuple[Tensor, ...]:
    """All parameters in the order of the tree. A tied parameter comes once, under the name of its table if it has one,
    with its other names; buffers are no parameters."""
    modules = dict(model.named_modules(remove_duplicate=False))
    names: dict[int, list[str]] = {}
    found: dict[int, nn.Parameter] = {}
    for name, parameter in model.named_parameters(remove_duplicate=False):
        names.setdefault(id(parameter), []).append(name)
        found[id(parameter)] = parameter
    hidden = _WRAPPERS
    if isinstance(model, PreTrainedModel) and model.base_model is not model:
        hidden |= {model.base_model_prefix}
    return tuple(_tensor(names[key], found[key], modules, roles, hidden) for key in found)


def _tensor(
    names: list[str], parameter: nn.Parameter, modules: dict[str, nn.Module], roles: Roles, hidden: frozenset[str]
) -> Tensor:
    full = next((name for name in names if isinstance(_owner_of(name, modules), nn.Embedding)), names[0])
    way = _way(full, modules, hidden)
    stack, layer, depth = _place(way)
    return Tensor(
        way=tuple(Step(name, type(module).__name__) for name, module in way),
        name=full.rpartition(".")[2],
        owner=_owner_kind(_owner_of(full, modules)),
        shape=tuple(parameter.shape),
        values=parameter.numel(),
        stack=stack,
        layer=layer,
        depth=depth,
        trainable=parameter.requires_grad,
        adapter=id(parameter) not in roles.present,
        head=id(parameter) in roles.head,
        input=id(parameter) in roles.inputs,
        packable=id(parameter) in roles.packed,
        tied=tuple(name for name in names if name != full),
    )


def _owner_of(full: str, modules: dict[str, nn.Module]) -> nn.Module:
    return modules[full.rpartition(".")[0]]


def _way(full: str, modules: dict[str, nn.Module], hidden: frozenset[str]) -> list[tuple[str, nn.Module]]:
    """The modules below the root, but those between a model and its base, or a layer and its adapted self."""
    parts = full.split(".")[:-1]
    steps = [(part, modules[".".join(parts[: length + 1])]) for length, part in enumerate(parts)]
    return [
        (name, module) for place, (name, module) in enumerate(steps) if not (name in hidden and _may_hide(place, name))
    ]


def _may_hide(place: int, name: str) -> bool:
    """The base model's name counts at the root only; elsewhere a module of that name is one like others."""
    return place == 0 or name in _WRAPPERS


def _place(way: list[tuple[str, nn.Module]]) -> tuple[str, tuple[int, ...], int]:
    """The lists of layers on the way, the places in them, and how many steps lead there."""
    places = [place for place, (_, module) in enumerate(way[:-1]) if _is_stack(module)]
    if not places:
        return "", (), 0
    numbers = {place + 1 for place in places}
    depth = max(numbers) + 1
    stack = ".".join(name for place, (name, _) in enumerate(way[:depth]) if place not in numbers)
    return stack, tuple(int(way[place][0]) for place in sorted(numbers)), depth


def _is_stack(module: nn.Module) -> bool:
    """Whether a module is a list of layers; one whose members are all of different classes holds roles, as T5's do."""
    if not isinstance(module, nn.ModuleList | nn.Sequential):
        return False
    members = list(module)
    if isinstance(module, nn.Sequential) and not all(any(True for _ in member.children()) for member in members):
        return False
    return len(members) == 1 or len({type(member) for member in members}) < len(members)


def _owner_kind(module: nn.Module) -> Owner:
    """Return the kind of module that a parameter belongs to. A norm of an architecture's own is recognised by its
    class's name."""
    if isinstance(module, nn.Embedding):
        return "embedding"
    if isinstance(module, _NORM) or _NORM_CLASS.search(type(module).__name__):
        return "norm"
    return "linear" if isinstance(module, _LINEAR) else "other"

"""What a parameter is to the whole model, read off the objects themselves before any adapter changes the tree."""

from collections.abc import Iterable
from dataclasses import dataclass

from torch import nn
from transformers import PreTrainedModel
from transformers.pytorch_utils import Conv1D
from transformers.quantizers.base import get_keys_to_not_convert
from transformers.quantizers.quantizers_utils import should_convert_module

from reference.counting.errors import CountError
from reference.counting.model import Built, build


@dataclass(frozen=True)
class Roles:
    """The identities of a model's parameters by their role: those that are there at all, those outside of the base
    model (the head), those of input embeddings, and the matrices that bitsandbytes would pack."""

    present: frozenset[int]
    head: frozenset[int]
    inputs: frozenset[int]
    packed: frozenset[int]


def roles_of(built: Built) -> Roles:
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


def _base(built: Built, model: PreTrainedModel) -> frozenset[int]:
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

"""Configurations and weights put together into adapters."""

from collections.abc import Iterable
from pathlib import PurePosixPath
from typing import Final

from grader.message import Words, say
from grader.reading.adapters.adapter import AdaptedModule, Adapter, AdapterConfig, Tensor, Weights
from grader.reading.adapters.agreement import disagreements
from grader.reading.adapters.names import Part, TensorName, last_name, layer_of, tensor_name

_WEIGHTS_NAME: Final = "adapter_model.safetensors"
_PAIRS: Final = ((Part.A, Part.B, Part.B), (Part.EMBEDDING_A, Part.EMBEDDING_B, Part.EMBEDDING_A))
"""The two matrices, and which of them starts at zero."""

_LOW_RANK: Final = frozenset({Part.A, Part.B, Part.EMBEDDING_A, Part.EMBEDDING_B})
_ALWAYS_TRAINED: Final = _LOW_RANK | {Part.LORA_BIAS, Part.MAGNITUDE, Part.TOKENS, Part.SAVED}
_BIASES: Final = frozenset({"all", "lora_only"})
_ZERO_STARTS: Final = frozenset({"gaussian", "eva", "true"})

Named = list[tuple[TensorName, Tensor]]


def adapters_of(configs: Iterable[AdapterConfig], weights: Iterable[Weights]) -> tuple[Adapter, ...]:
    """Adapters by folder: a configuration goes with the weights that lie beside it, and either can be alone. Files of
    tensors that hold no adapter are left out."""
    by_folder = {_folder(config.file): config for config in sorted(configs, key=lambda config: config.file)}
    saved = [one for one in sorted(weights, key=lambda one: one.file) if _is_adapter(one)]
    alone = by_folder.keys() - {_folder(one.file) for one in saved}
    adapters = [_adapter(_folder(one.file), by_folder.get(_folder(one.file)), one) for one in saved]
    adapters += [Adapter(folder=folder, config=by_folder[folder]) for folder in alone]
    return tuple(sorted(adapters, key=lambda adapter: adapter.folder))


def _folder(path: str) -> str:
    return str(PurePosixPath(path).parent)


def _is_adapter(weights: Weights) -> bool:
    by_name = PurePosixPath(weights.file).name == _WEIGHTS_NAME
    return by_name or any(tensor_name(tensor.name).part in _LOW_RANK for tensor in weights.tensors)


def _adapter(folder: str, config: AdapterConfig | None, weights: Weights) -> Adapter:
    named = [(tensor_name(tensor.name), tensor) for tensor in weights.tensors]
    modules, unpaired = _modules(named)
    low_rank = [(tensor, name.part in _LOW_RANK) for name, tensor in named]
    trained = [(tensor, _was_trained(name, config)) for name, tensor in named]
    unexplained = tuple(tensor.name for tensor, known in trained if known is None)
    return Adapter(
        folder=folder,
        config=config,
        weights=weights,
        modules=modules,
        ranks=tuple(sorted({module.rank for module in modules})),
        targets=tuple(sorted({last_name(module.name) for module in modules})),
        layers=tuple(sorted({module.layer for module in modules if module.layer is not None})),
        lora_parameters=_count_of(low_rank) if weights.whole else None,
        trainable_parameters=sum(tensor.elements for tensor, known in trained if known)
        if weights.whole and not unexplained
        else None,
        unexplained=unexplained,
        trained=_trained(modules, config),
        disagreements=disagreements(config, modules, [name.part for name, _ in named], unpaired),
    )


def _modules(named: Named) -> tuple[tuple[AdaptedModule, ...], list[str]]:
    """Modules with both matrices, by layer and name, and sentences on matrices that do not fit together."""
    by_part = {(name.module, name.part): tensor for name, tensor in named if name.part in _LOW_RANK}
    modules: list[AdaptedModule] = []
    wrong: list[Words] = []
    for module in sorted({module for module, _ in by_part}):
        for first, second, zero in _PAIRS:
            a, b = by_part.get((module, first)), by_part.get((module, second))
            if a is None and b is None:
                continue
            if a is None or b is None:
                wrong.append(say("{module} has only one of its two low-rank matrices", module=module))
            elif len(a.shape) < 2 or len(b.shape) < 2 or a.shape[0] != b.shape[1]:
                wrong.append(
                    say(
                        "the matrices of {module} do not fit together: {one} and {other}",
                        module=module,
                        one=_size(a),
                        other=_size(b),
                    )
                )
            else:
                modules.append(_module(module, a, b, by_part[module, zero]))
    return tuple(sorted(modules, key=_by_layer)), wrong


def _module(name: str, a: Tensor, b: Tensor, start: Tensor) -> AdaptedModule:
    return AdaptedModule(
        name=name,
        layer=layer_of(name),
        rank=a.shape[0],
        inputs=a.shape[1],
        outputs=b.shape[0],
        zero=start.zero,
        norm=start.norm,
    )


def _by_layer(module: AdaptedModule) -> tuple[int, str]:
    return -1 if module.layer is None else module.layer, module.name


def _size(tensor: Tensor) -> str:
    return " × ".join(map(str, tensor.shape)) or say("a single number")


def _was_trained(name: TensorName, config: AdapterConfig | None) -> bool | None:
    """Whether a tensor was trained; None where the configuration does not tell. A base model's embedding is saved along
    where it was resized, without having been trained."""
    if name.part in _ALWAYS_TRAINED:
        return True
    if name.part is Part.FROZEN:
        return False
    if config and any(_stands_in(name.module, saved) for saved in config.modules_to_save or ()):
        return True
    return True if name.part is Part.BIAS and config and config.bias in _BIASES else None


def _stands_in(module: str, saved: str) -> bool:
    """Whether a module is the named one or lies within it."""
    return f".{saved}." in f".{module}."


def _count_of(tensors: Iterable[tuple[Tensor, bool | None]]) -> int:
    """The elements of those tensors that are marked."""
    return sum(tensor.elements for tensor, marked in tensors if marked)


def _trained(modules: tuple[AdaptedModule, ...], config: AdapterConfig | None) -> bool | None:
    """Only where peft started the matrices at zero do other values show that they were trained."""
    zeros = {module.zero for module in modules}
    if zeros == {True}:
        return False
    return True if False in zeros and config and _starts_at_zero(config) else None


def _starts_at_zero(config: AdapterConfig) -> bool:
    start = config.init_lora_weights
    return start is None or str(start).lower() in _ZERO_STARTS

"""Where an adapter's configuration and its weights say different things."""

from collections.abc import Iterator, Sequence
from typing import Final

from grader.message import Message, Words, joined, say
from grader.reading.adapters.adapter import AdaptedModule, AdapterConfig
from grader.reading.adapters.names import Part, endings

_MOST_NAMED: Final = 3
_OTHER_SHAPES: Final = ("target_parameters", "use_bdlora")
"""Settings under which a matrix's first size is no longer the rank, or which adapt more than the targets."""

_OFF: Final = frozenset({"null", "false", "[]", "{}"})


def disagreements(
    config: AdapterConfig | None, modules: tuple[AdaptedModule, ...], parts: Sequence[Part], unpaired: Sequence[str]
) -> tuple[Words, ...]:
    """One sentence for each thing that does not fit; `unpaired` are sentences on matrices that do not fit together.

    Names given as a regular expression, and kinds of adapter other than LoRA, are not judged.
    """
    within = _first(unpaired)
    if config is None or not modules or config.peft_type not in (None, "LORA"):
        return tuple(within)
    usual = all(config.others.get(key, "null") in _OFF for key in _OTHER_SHAPES)
    return (
        *within,
        *(_ranks(config, modules) if usual else ()),
        *(_targets(config, modules) if usual else ()),
        *_layers(config, modules),
        *_extras(config, parts),
    )


def _first(sentences: Sequence[str]) -> list[Words]:
    """The first few sentences, and how many more there are."""
    more = len(sentences) - _MOST_NAMED
    return [*sentences[:_MOST_NAMED], *([say("and {more} more of this kind", more=more)] if more > 0 else [])]


def _ranks(config: AdapterConfig, modules: tuple[AdaptedModule, ...]) -> Iterator[Message]:
    """`rank_pattern` makes exceptions to r, by regular expressions: any rank that it names is let pass."""
    if config.r is None:
        return
    allowed = {config.r, *(config.rank_pattern or {}).values()}
    wrong = [module for module in modules if module.rank not in allowed]
    if wrong:
        found = joined(say(" and "), map(str, sorted({module.rank for module in wrong})[:_MOST_NAMED]))
        yield say(
            "the configuration says r = {r}, but the matrices of {names} have rank {ranks}",
            r=config.r,
            names=_names(wrong),
            ranks=found,
        )


def _targets(config: AdapterConfig, modules: tuple[AdaptedModule, ...]) -> Iterator[Message]:
    if not isinstance(config.target_modules, tuple):
        return
    named = frozenset(config.target_modules)
    foreign = [module for module in modules if not any(name in named for name in endings(module.name))]
    if foreign:
        yield say("the weights adapt {names}, which target_modules does not name", names=_names(foreign))
    idle = sorted(named.difference(name for module in modules for name in endings(module.name)))
    if idle:
        yield say("target_modules names {names}, for which the weights hold no matrices", names=_listed(idle))


def _layers(config: AdapterConfig, modules: tuple[AdaptedModule, ...]) -> Iterator[Message]:
    if config.layers_to_transform is None:
        return
    others = sorted({module.layer for module in modules if module.layer is not None} - {*config.layers_to_transform})
    if others:
        yield say(
            "the weights adapt layer {layers}, outside layers_to_transform",
            layers=_listed([str(one) for one in others]),
        )


def _extras(config: AdapterConfig, parts: Sequence[Part]) -> Iterator[Message]:
    if config.use_dora is not None and config.use_dora != (Part.MAGNITUDE in parts):
        value = str(config.use_dora).lower()
        if Part.MAGNITUDE in parts:
            yield say("the configuration says use_dora = {value}, but the weights hold DoRA's vectors", value=value)
        else:
            yield say(
                "the configuration says use_dora = {value}, but the weights do not hold DoRA's vectors", value=value
            )
    if config.bias == "none" and Part.BIAS in parts and not config.modules_to_save:
        yield say('the configuration says bias = "none", but biases of the base model are saved')


def _names(modules: Sequence[AdaptedModule]) -> Words:
    return _listed([module.name for module in modules])


def _listed(names: Sequence[str]) -> Words:
    more = len(names) - _MOST_NAMED
    listed = ", ".join(names[:_MOST_NAMED])
    return say("{names} and {more} more", names=listed, more=more) if more > 0 else listed

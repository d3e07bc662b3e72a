"""The names that the installed libraries accept: the fields of a configuration class, and the arguments of a
callable."""

import ast
import dataclasses
import inspect
from collections.abc import Callable
from enum import Enum
from importlib import import_module
from importlib.metadata import packages_distributions
from typing import Any, Final, Literal, get_args, get_origin, get_type_hints

from grader.lab.truth import ConfigField, Provenance, Signature
from reference.lora.fact import installed_versions

LIBRARIES: Final = ("transformers", "peft")
"""Where a class or function is looked for when its library is not said."""

_NAMED: Final = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)


def fields(name: str, date: str) -> tuple[ConfigField, ...]:
    """The fields of a configuration class in the installed library, by name, such as peft.LoraConfig; of a class that
    is no dataclass, the arguments that it is made with. `date` is today's, as YYYY-MM-DD.

    Raises LookupError where there is no such class, and ImportError for a library that is not installed.
    """
    package, found = _find(name)
    if not dataclasses.is_dataclass(found):
        return _argument_fields(name, found, date)
    hints = get_type_hints(found)
    init_fields = [field for field in dataclasses.fields(found) if field.init]
    provenance = Provenance(how=f"dataclasses.fields of {name}", versions=_versions(package), date=date)
    return tuple(
        ConfigField(
            id=f"{package}/{found.__name__}/{field.name}",
            name=field.name,
            type=field.type if isinstance(field.type, str) else inspect.formatannotation(field.type),
            default=_default(field),
            allowed=_allowed(found, field.name, hints[field.name]),
            provenance=provenance,
        )
        for field in sorted(init_fields, key=lambda field: field.name)
    )


def _argument_fields(name: str, found: Callable[..., object], date: str) -> tuple[ConfigField, ...]:
    provenance = Provenance(how=f"inspect.signature of {name}", versions=_versions(name.partition(".")[0]), date=date)
    return tuple(
        ConfigField(
            id=f"{name.partition('.')[0]}/{name.rpartition('.')[2]}/{parameter.name}",
            name=parameter.name,
            type="" if parameter.annotation is parameter.empty else inspect.formatannotation(parameter.annotation),
            default="" if parameter.default is parameter.empty else repr(parameter.default),
            provenance=provenance,
        )
        for parameter in sorted(_parameters(found), key=lambda parameter: parameter.name)
        if parameter.kind in _NAMED
    )


def signature(name: str, date: str) -> Signature:
    """The arguments that a class or function accepts by name, without its catch-all, in its own order.

    `name` says where it is, as in transformers.BitsAndBytesConfig, torch.optim.SGD or
    transformers.GenerationMixin.generate; without it transformers is asked, then peft.
    Raises LookupError where there is no such thing, and ImportError for a library that is not installed.
    """
    package, found = _find(name)
    place = name if "." in name else f"{found.__module__.partition('.')[0]}.{name}"
    parameters = [parameter for parameter in _parameters(found) if parameter.name != "self"]
    return Signature(
        id=f"{package}/{name.rpartition('.')[2]}",
        callable=name.rpartition(".")[2],
        arguments=tuple(parameter.name for parameter in parameters if parameter.kind in _NAMED),
        defaults={
            parameter.name: text
            for parameter in parameters
            if parameter.kind in _NAMED and (text := _constant(parameter.default))
        },
        by_name=tuple(parameter.name for parameter in parameters if parameter.kind is inspect.Parameter.KEYWORD_ONLY),
        takes_others=not inspect.isclass(found)
        and any(parameter.kind is inspect.Parameter.VAR_KEYWORD for parameter in parameters),
        provenance=Provenance(how=f"inspect.signature of {place}", versions=_versions(package), date=date),
    )


def _parameters(found: Callable[..., object]) -> list[inspect.Parameter]:
    return list(inspect.signature(found).parameters.values())


def _constant(default: object) -> str:
    """A default as source text; empty where there is none, or one that is no constant."""
    try:
        return "" if default is inspect.Parameter.empty or ast.literal_eval(repr(default)) != default else repr(default)
    except (ValueError, SyntaxError):
        return ""


def _find(name: str) -> tuple[str, Callable[..., object]]:
    """The package that has a class or function of this name, and that."""
    module, _, _ = name.rpartition(".")
    places = [name] if module else [f"{library}.{name}" for library in LIBRARIES]
    for place in places:
        found = _reached(place)
        if callable(found):
            return place.partition(".")[0], found
    if module:
        raise LookupError(f"{name.rpartition('.')[2]} is no class or function of {module}")
    raise LookupError(f"{name} is no class or function of {' or '.join(LIBRARIES)}; write it with its module")


def _reached(place: str) -> object:
    """Return the object at a dotted path: the longest beginning that can be imported is the module."""
    steps = place.split(".")
    for length in range(len(steps) - 1, 0, -1):
        module = ".".join(steps[:length])
        try:
            found: object = import_module(module)
        except ModuleNotFoundError as error:
            if error.name is None or not f"{module}.".startswith(f"{error.name}.") or length == 1:
                raise
            continue
        for step in steps[length:]:
            found = getattr(found, step, None)
        return found
    return None


def _versions(package: str) -> dict[str, str]:
    """The version of the distribution that an import comes from: sklearn's is that of scikit-learn."""
    names = packages_distributions().get(package, [])
    return installed_versions(*sorted(set(names))[:1])


def _default(field: dataclasses.Field[Any]) -> str:
    """A field's default as source text."""
    if field.default is not dataclasses.MISSING:
        return repr(field.default)
    return repr(field.default_factory()) if field.default_factory is not dataclasses.MISSING else ""


def _allowed(owner: Callable[..., Any], name: str, hint: object) -> tuple[str, ...]:
    """The values that a type lists, as text, in the order listed; none where it leaves a kind of value open.

    A configuration may overrule its own type: peft_type is always LORA. So a listed member of an enumeration only
    counts if the configuration keeps it.
    """
    literals = [str(value) for part in _parts(hint) if get_origin(part) is Literal for value in get_args(part)]
    members = [
        member.value
        for part in _parts(hint)
        if isinstance(part, type) and issubclass(part, Enum)
        for member in part
        if getattr(owner(**{name: member.value}), name) == member
    ]
    booleans = ["True", "False"] if literals and bool in _parts(hint) else []
    return (*booleans, *literals, *members)


def _parts(hint: object) -> tuple[object, ...]:
    """The alternatives of a union, or the type itself."""
    return get_args(hint) if get_args(hint) and get_origin(hint) is not Literal else (hint,)

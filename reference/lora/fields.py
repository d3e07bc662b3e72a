"""What the installed libraries accept by name: the fields of peft's LoraConfig, and the arguments of a callable."""

import dataclasses
import inspect
from collections.abc import Callable
from enum import Enum
from importlib import import_module
from typing import Any, Literal, get_args, get_origin, get_type_hints

from peft import LoraConfig

from grader.lab.truth import ConfigField, Provenance, Signature
from reference.lora.fact import installed_versions

LIBRARIES = ("transformers", "peft")
"""Where a class or function is looked for when its library is not said."""


def fields(date: str) -> tuple[ConfigField, ...]:
    """The fields of LoraConfig in the installed peft, by name. `date` is today's, as YYYY-MM-DD."""
    hints = get_type_hints(LoraConfig)
    known = [field for field in dataclasses.fields(LoraConfig) if field.init]
    provenance = Provenance(
        how="dataclasses.fields of peft.LoraConfig",
        versions=installed_versions("peft"),
        date=date,
    )
    return tuple(
        ConfigField(
            id=f"peft/LoraConfig/{field.name}",
            name=field.name,
            type=field.type if isinstance(field.type, str) else inspect.formatannotation(field.type),
            default=_default(field),
            allowed=_allowed(field.name, hints[field.name]),
            provenance=provenance,
        )
        for field in sorted(known, key=lambda field: field.name)
    )


def signature(name: str, date: str) -> Signature:
    """The arguments that a class or function accepts by name, without its catch-all, in its own order.

    `name` may say the library, as in transformers.BitsAndBytesConfig; without it transformers is asked, then peft.
    Raises LookupError where neither has it, and ImportError for a library that is not installed.
    """
    asked, _, rest = name.rpartition(".")
    library, found = _find(rest, (asked,) if asked else LIBRARIES)
    root = library.split(".")[0]
    named = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
    return Signature(
        id=f"{root}/{rest}",
        callable=rest,
        arguments=tuple(known.name for known in inspect.signature(found).parameters.values() if known.kind in named),
        provenance=Provenance(
            how=f"inspect.signature of {library}.{rest}", versions=installed_versions(root), date=date
        ),
    )


def _find(name: str, libraries: tuple[str, ...]) -> tuple[str, Callable[..., object]]:
    """The first of the libraries that has a class or function of this name, and that."""
    for library in libraries:
        found = getattr(import_module(library), name, None)
        if callable(found):
            return library, found
    raise LookupError(f"{name} is no class or function of {' or '.join(libraries)}")


def _default(field: dataclasses.Field[Any]) -> str:
    """A field's default as source text."""
    if field.default is not dataclasses.MISSING:
        return repr(field.default)
    return repr(field.default_factory()) if field.default_factory is not dataclasses.MISSING else ""


def _allowed(name: str, hint: object) -> tuple[str, ...]:
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
        if getattr(LoraConfig(**{name: member.value}), name) == member
    ]
    booleans = ["True", "False"] if literals and bool in _parts(hint) else []
    return (*booleans, *literals, *members)


def _parts(hint: object) -> tuple[object, ...]:
    """The alternatives of a union, or the type itself."""
    return get_args(hint) if get_args(hint) and get_origin(hint) is not Literal else (hint,)

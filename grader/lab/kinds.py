"""Describe the kinds of values that the keys of a lab take, and errors in them, for the authors of labs."""

from collections.abc import Mapping
from datetime import date, datetime
from decimal import Decimal
from enum import Enum
from pathlib import Path
from types import NoneType, UnionType
from typing import Annotated, Any, Final, Literal, Union, get_args, get_origin

from pydantic import BaseModel

_PLAIN: Final[Mapping[Any, str]] = {
    str: "text",
    int: "whole number",
    float: "number",
    Decimal: "number",
    bool: "true or false",
    datetime: "date and time",
    date: "date",
    Path: "path",
}


def kind_of(annotation: Any) -> str:
    """Return the kind of value that an annotation allows, such as `list of text`. Choices are quoted as code."""
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        return kind_of(arguments[0])
    if origin in (Union, UnionType):
        return " or ".join(dict.fromkeys(kind_of(argument) for argument in arguments if argument is not NoneType))
    if origin is tuple:
        is_pair = len(arguments) == 2 and arguments[1] is not Ellipsis
        return f"two of {kind_of(arguments[0])}" if is_pair else f"list of {kind_of(arguments[0])}"
    if origin is Literal:
        return " or ".join(f"`{argument}`" for argument in arguments)
    if isinstance(origin, type) and issubclass(origin, Mapping):
        return f"table of {kind_of(arguments[1])}"
    return _kind_of_class(annotation)


def _kind_of_class(annotation: Any) -> str:
    if annotation in _PLAIN:
        return _PLAIN[annotation]
    if isinstance(annotation, type) and issubclass(annotation, Enum):
        return " or ".join(f"`{member.value}`" for member in annotation)
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        fields = (name if field.is_required() else f"{name}?" for name, field in annotation.model_fields.items())
        return "{ " + ", ".join(fields) + " }"
    return "any value" if annotation is Any else str(annotation)


_WANTED: Final = {
    "tuple_type": "a list in square brackets",
    "list_type": "a list in square brackets",
    "string_type": 'text in quotes, such as "text"',
    "bool_type": "true or false, without quotes",
    "bool_parsing": "true or false, without quotes",
    "dict_type": "a table, such as { key = 1 }",
    "mapping_type": "a table, such as { key = 1 }",
    "model_type": "a table, such as { key = 1 }",
    "model_attributes_type": "a table, such as { key = 1 }",
    "finite_number": "a finite number",
    **dict.fromkeys(("datetime_parsing", "datetime_from_date_parsing", "datetime_type"), "a date and time, such as "
                    "2026-11-21T23:59:00+01:00, without quotes"),
    **dict.fromkeys(("decimal_parsing", "decimal_type", "float_parsing", "float_type"), 'a number, such as "1.5"'),
    **dict.fromkeys(("int_parsing", "int_type", "int_from_float"), "a whole number, such as 3"),
}  # fmt: skip
_ABOUT_KEYS: Final = {
    "extra_forbidden": "is no key of this table; take it out",
    "missing": "is missing here; add it",
    "too_short": "is empty; write at least one",
    "string_too_short": "is empty; write something",
}
_LONGEST: Final = 60


def problem_sentence(problem: Mapping[str, Any], name: str = "") -> str:
    """Return a sentence that says what is wrong with a value and what it must be.

    `problem` is an error of pydantic. `name` is the key or option, by default the last name in the error's place.
    """
    kind, given, limits = str(problem["type"]), problem["input"], problem.get("ctx") or {}
    key = name or next((part for part in reversed(problem["loc"]) if isinstance(part, str)), "the whole")
    if kind in _WANTED:
        is_list = kind in ("tuple_type", "list_type")
        example = f": [{_shown(given)}]" if is_list and isinstance(given, str | int | float) else ""
        return f"`{key}` is {_shown(given)}, but has to be {_WANTED[kind]}{example}."
    if kind in _ABOUT_KEYS:
        return f"`{key}` {_ABOUT_KEYS[kind]}."
    if kind in ("literal_error", "enum"):
        return f"`{key}` is {_shown(given)}, but has to be {limits.get('expected', 'another value')}."
    bound = _bound(limits)
    if bound:
        return f"`{key}` is {_shown(given)}, but has to be {bound}."
    return f"`{key}`: {str(problem['msg']).removeprefix('Value error, ').rstrip('.')}."


def _bound(limits: Mapping[str, Any]) -> str:
    """Return the limit of a number in words, or an empty text."""
    bounds = {"ge": "at least", "gt": "more than", "le": "at most", "lt": "less than"}
    return next((f"{words} {limits[limit]}" for limit, words in bounds.items() if limit in limits), "")


def _shown(value: object) -> str:
    """Return a value as TOML writes it, shortened."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        return f'"{value[:_LONGEST]}…"' if len(value) > _LONGEST else f'"{value}"'
    if isinstance(value, dict):
        return "a table"
    return "a list" if isinstance(value, list | tuple) else str(value)

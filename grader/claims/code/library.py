"""The functions of Python, torch and numpy that are needed to follow code."""

import ast
import inspect
import json
import math
import textwrap
from collections.abc import Callable, Mapping, Sequence
from itertools import islice
from typing import Any, Final

from grader.claims.code.values import (
    LARGEST,
    LONGEST_NAME,
    MOST_ITEMS,
    UNKNOWN,
    WEIGHTS,
    Hole,
    Tally,
    Value,
    Weight,
    binary,
    format_value,
    is_known,
    text_method,
    text_of,
)

_PASSED_ON: Final = frozenset({"tensor", "array", "asarray", "Size", "iter", "as_tensor", "deepcopy", "copy", "Path"})
_OF_NUMBER: Final[dict[str, Callable[..., Any]]] = {
    "int": int, "float": float, "round": round, "abs": abs, "floor": math.floor, "ceil": math.ceil,
}  # fmt: skip
_OF_NUMBERS: Final[dict[str, Callable[..., Any]]] = {
    "sum": sum, "prod": math.prod, "max": max, "min": min, "any": any, "all": all,
}  # fmt: skip
_PLACES: Final = range(-20, 20)
"""The most decimal places for rounding. With more, Python may compute for hours."""

_MOST_TURNS: Final = 100


def function_value(  # noqa: C901 a case for each kind of function
    name: str, given: Sequence[Value], named: Mapping[str, Value]
) -> Value:
    """Return the value of a call of a library's function, by the last part of its name."""
    if given and name in _OF_NUMBER:
        return _number(name, given)
    if given and name in _OF_NUMBERS:
        return _of_numbers(name, given)
    match name, given:
        case "str", []:
            return ""
        case "str", [value, *_]:
            return text_of(value)
        case "sorted", [list() | dict() as items, *_]:
            return _sorted(list(items), named)
        case "len", [list() | dict() as items, *_]:
            return len(items)
        case "len", [str(text), *_] if is_known(text):
            return len(text)
        case "reversed", [list(items), *_]:
            return items[::-1]
        case "range" | "arange", _:
            return _range(given)
        case "enumerate", [list(items), *start]:
            number = start[0] if start else named.get("start", 0)
            return [[at, entry] for at, entry in enumerate(items, number)] if isinstance(number, int) else UNKNOWN
        case "zip", _ if all(isinstance(argument, list) for argument in given):
            return [list(row) for row in zip(*given, strict=False)]
        case "list" | "tuple" | "set" | "frozenset", []:
            return []
        case "list" | "tuple" | "set" | "frozenset", [list() | dict() as items, *_]:
            return list(items)
        case ("Counter", []) | ("defaultdict", [] | [Hole("int" | "float"), *_]):
            return Tally()
        case "dict" | "OrderedDict" | "SimpleNamespace" | "Namespace", _:
            return _table(given, named)
        case "dedent", [str(text), *_]:
            return textwrap.dedent(text)
        case "cleandoc", [str(text), *_]:
            return inspect.cleandoc(text)
        case "format", [int() | float() as number, form, *_]:
            return format_value(number, text_of(form))
        case "mul", [argument, other]:
            return binary(ast.Mult(), argument, other)
        case "numel" | "nelement", [Weight(size=size), *_]:
            return size
        case "getattr", [owner, str(attribute), *otherwise]:
            return attribute_of(owner, attribute, otherwise)
        case "chr", [int(code), *_]:
            return chr(code) if code in range(0xD800) else UNKNOWN
        case "loads", [str(text), *_]:
            return _parsed(text)
        case "hasattr", [Weight(), attribute, *_]:
            return attribute in ("numel", "nelement", "requires_grad", "shape", "data", "size")
        case "Template", [str(text), *_]:
            return text
    return given[0] if name in _PASSED_ON and given else UNKNOWN


_OF_MODEL: Final[Mapping[str, Callable[[Mapping[str, Value]], Value]]] = {
    "parameters": lambda _: list(WEIGHTS),
    "named_parameters": lambda _: [[weight.name, weight] for weight in WEIGHTS],
    "num_parameters": lambda named: sum(
        weight.size for weight in WEIGHTS if weight.trainable or not named.get("only_trainable")
    ),
}
"""The values of methods of any model, by name."""


def method_value(base: Value, name: str, given: Sequence[Value], named: Mapping[str, Value]) -> Value:
    """Return the value of a method of a list, a dictionary, a parameter, or a model, which may be any unknown value."""
    match base, name, given:
        case Weight(), _, _:
            return _of_weight(base, name, given)
        case dict(), _, _:
            return _of_table(base, name, given, named)
        case ((int() | float()), ("item" | "tolist" | "cpu" | "detach" | "numpy"), _):
            return base
        case list(), _, _:
            return _of_list(base, name, given)
        case Hole("shlex"), "split", [str(text), *_]:
            return list(text.split()[:MOST_ITEMS])
        case Hole("str"), _, [str(text), *rest]:
            return text_method(text, name, rest, named)
        case Hole(), _, _ if name in _OF_MODEL:
            return _OF_MODEL[name](named)
    return UNKNOWN


def attribute_of(owner: Value, name: str, otherwise: Sequence[Value] = ()) -> Value:
    """Return the value of `getattr`."""
    match owner:
        case Weight():
            return weight_attribute(owner, name)
        case dict():
            return owner.get(name, *otherwise[:1] or [UNKNOWN])
        case Hole(source) if name.isidentifier():
            return Hole(f"{source}.{name}"[:LONGEST_NAME])
    return UNKNOWN


def _table(given: Sequence[Value], named: Mapping[str, Value]) -> Value:
    """Return the value of `dict` for a dictionary or pairs."""
    match given:
        case []:
            return {**named}
        case [dict(table), *_]:
            return {**table, **named}
        case [list(rows), *_] if all(_is_pair(row) for row in rows):
            return {**dict(rows), **named}
    return UNKNOWN


def _is_pair(row: Value) -> bool:
    match row:
        case list([str(), _]):
            return True
    return False


def _parsed(text: str) -> Value:
    """Return a dictionary written as JSON."""
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return UNKNOWN
    values = found.values() if isinstance(found, dict) else ()
    listed = [item for value in values for item in (value if isinstance(value, list) else [value])]
    is_plain = isinstance(found, dict) and all(
        requirement is None or isinstance(requirement, str | bool | int | float) for requirement in listed
    )
    return found if is_plain and len(listed) <= MOST_ITEMS else UNKNOWN


def weight_attribute(weight: Weight, name: str) -> Value:
    """Return an attribute of a parameter."""
    match name:
        case "requires_grad":
            return weight.trainable
        case "shape":
            return weight.shape
        case "ndim":
            return len(weight.shape)
        case "data":
            return weight
    return UNKNOWN


def _of_weight(weight: Weight, name: str, given: Sequence[Value]) -> Value:
    match name, given:
        case "numel" | "nelement", _:
            return weight.size
        case "dim" | "ndimension", _:
            return len(weight.shape)
        case "size", []:
            return weight.shape
        case "size", [int(side), *_]:
            return weight.shape[side % len(weight.shape)]
        case "view" | "flatten" | "detach" | "cpu" | "float" | "reshape" | "clone", _:
            return weight
    return UNKNOWN


def _of_table(table: dict[object, Value], name: str, given: Sequence[Value], named: Mapping[str, Value]) -> Value:
    match name, given:
        case "items", _:
            return [[key, value] for key, value in table.items()]
        case "keys", _:
            return list(table)
        case "values", _:
            return list(table.values())
        case "get", [str() | int() as key, *otherwise]:
            return table.get(key, *otherwise[:1])
        case "update", [] | [dict(), *_]:
            table.update({**dict(*given[:1]), **named})
            return None
        case "update", _:
            table.update({"**": UNKNOWN, **named})
            return None
        case "copy", _:
            return type(table)(table)
    return UNKNOWN


def _of_list(items: list[Value], name: str, given: Sequence[Value]) -> Value:
    match name, given:
        case "append" | "extend" | "insert", _ if len(items) >= MOST_ITEMS:
            return UNKNOWN
        case "insert", [int(place), item]:
            items.insert(place, item)
            return None
        case "extend", [list(more)]:
            items.extend(more)
            return None
        case "append" | "extend" | "insert", [*_, last]:
            items.append(last)
            return None
        case "sum" | "prod" | "max" | "min", _:
            return _of_numbers(name, [items])
        case "numel", _:
            return _of_numbers("prod", [items])
    return UNKNOWN


def _number(name: str, given: Sequence[Value]) -> Value:
    """Return the value of a function of a number, or of a text that is one."""
    if any(isinstance(digits, int) and digits not in _PLACES for digits in given[1:]):
        return UNKNOWN
    try:
        value = _OF_NUMBER[name](*given)
    except (TypeError, ValueError, OverflowError):
        return UNKNOWN
    return value if abs(value) < LARGEST else UNKNOWN


def _of_numbers(name: str, given: Sequence[Value]) -> Value:
    """Return the value of a function of a list of numbers, or of several numbers."""
    numbers, *more = given if isinstance(given[0], list) else [given]
    if not all(isinstance(number, int | float) for number in (*numbers, *more)):  # type: ignore[misc]
        return UNKNOWN
    try:
        value = _OF_NUMBERS[name](numbers, *more)
    except (TypeError, ValueError):
        return UNKNOWN
    return value if abs(value) < LARGEST else UNKNOWN


def _sorted(items: list[Value], named: Mapping[str, Value]) -> Value:
    """Return the items sorted if their order is known, else unchanged."""
    is_reversed = named.get("reverse", False)
    numbers = [item for item in items if isinstance(item, int | float)]
    texts = [item for item in items if isinstance(item, str) and is_known(item)]
    if named.keys() - {"reverse"} or not isinstance(is_reversed, bool) or len(items) not in (len(numbers), len(texts)):
        return items
    return [*sorted(numbers, reverse=is_reversed), *sorted(texts, reverse=is_reversed)]


def _range(given: Sequence[Value]) -> Value:
    try:
        numbers = list(islice(range(*given), _MOST_TURNS + 1))  # type: ignore[call-overload]
    except (TypeError, ValueError):
        return UNKNOWN
    return numbers if len(numbers) <= _MOST_TURNS else UNKNOWN

"""What functions of Python, torch and numpy give, as far as it is needed to follow code."""

import ast
import json
import math
from collections.abc import Mapping, Sequence
from typing import Final

from grader.claims.code.values import (
    MOST_ITEMS,
    UNKNOWN,
    WEIGHTS,
    Hole,
    Tally,
    Value,
    Weight,
    binary,
    dedented,
    formatted,
    is_known,
    text_method,
    written,
)

_PASSED_ON: Final = frozenset({"tensor", "array", "asarray", "Size", "iter", "as_tensor", "deepcopy", "copy", "Path"})
_LISTS: Final = frozenset({"list", "tuple", "set", "frozenset"})
_MOST_TURNS: Final = 100


def function_value(  # noqa: C901 a case for each kind of function
    name: str, given: Sequence[Value], named: Mapping[str, Value]
) -> Value:
    """What a call of a library's function gives, by the last part of its name."""
    first = given[0] if given else UNKNOWN
    if name == "str":
        return written(first) if given else ""
    if name in ("int", "float", "round", "abs", "floor", "ceil"):
        return _number(name, given)
    if name == "sorted":
        return _sorted(first, named)
    if name in ("sum", "prod", "len", "max", "min", "any", "all", "reversed"):
        return _of_list(name, given)
    if name in ("range", "enumerate", "zip", "arange"):
        return _iterable(name, given)
    if name in _LISTS:
        return list(first) if isinstance(first, list | dict) else [] if not given else UNKNOWN
    if name in ("dict", "OrderedDict", "SimpleNamespace", "Namespace", "Counter", "defaultdict"):
        return _made_table(name, given, named)
    if name in ("dedent", "cleandoc") and isinstance(first, str):
        return dedented(first, clean=name == "cleandoc")
    if name == "format" and isinstance(first, int | float) and len(given) > 1:
        return formatted("{:" + written(given[1]) + "}", [first], {})
    if name == "mul" and len(given) == 2:
        return binary(ast.Mult(), *given)
    if name in ("numel", "nelement") and isinstance(first, Weight):
        return first.size
    if name == "getattr" and len(given) > 1 and isinstance(given[1], str):
        return attribute_of(first, given[1], given[2:])
    if name == "chr" and isinstance(first, int) and 0 <= first < 0xD800:
        return chr(first)
    if name == "loads" and isinstance(first, str) and is_known(first):
        return _parsed(first)
    if name == "Template" and isinstance(first, str):
        return first
    if name == "hasattr" and isinstance(first, Weight) and len(given) > 1:
        return given[1] in ("numel", "nelement", "requires_grad", "shape", "data", "size")
    return first if name in _PASSED_ON and given else UNKNOWN


def method_value(base: Value, name: str, given: Sequence[Value], named: Mapping[str, Value]) -> Value:
    """What a method gives of a list, a table, a parameter, or of a model, which may be any unknown value."""
    if isinstance(base, Weight):
        return _of_weight(base, name, given)
    if isinstance(base, dict):
        return _of_table(base, name, given, named)
    if isinstance(base, int | float) and name in ("item", "tolist", "cpu", "detach", "numpy"):
        return base
    if isinstance(base, list):
        return _changed(base, name, given)
    if isinstance(base, Hole):
        if base.source == "shlex" and name == "split" and given and isinstance(given[0], str):
            return list(given[0].split()[:MOST_ITEMS])
        if base.source == "str" and given and isinstance(given[0], str):
            return text_method(given[0], name, given[1:], named)
        return _of_model(name, named)
    return UNKNOWN


def attribute_of(base: Value, name: str, otherwise: Sequence[Value] = ()) -> Value:
    """What `getattr` gives."""
    if isinstance(base, Weight):
        return weight_attribute(base, name)
    if isinstance(base, dict):
        return base.get(name, otherwise[0] if otherwise else UNKNOWN)
    return Hole(f"{base.source}.{name}"[:80]) if isinstance(base, Hole) and name.isidentifier() else UNKNOWN


def _made_table(name: str, given: Sequence[Value], named: Mapping[str, Value]) -> Value:
    first = given[0] if given else {}
    if name in ("Counter", "defaultdict"):
        counts = not given or (name == "defaultdict" and first in (Hole("int"), Hole("float")))
        return Tally() if counts else UNKNOWN
    if isinstance(first, dict):
        return {**first, **named}
    if isinstance(first, list):
        pairs = [one for one in first if isinstance(one, list) and len(one) == 2 and isinstance(one[0], str)]
        return {**{str(key): value for key, value in pairs}, **named} if len(pairs) == len(first) else UNKNOWN
    return UNKNOWN


def _parsed(text: str) -> Value:
    """A table written as JSON."""
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return UNKNOWN
    plain = isinstance(found, dict) and all(isinstance(one, str | bool | int | float) for one in found.values())
    return dict(found) if plain and len(found) <= MOST_ITEMS else UNKNOWN


def _of_model(name: str, named: Mapping[str, Value]) -> Value:
    if name == "parameters":
        return list(WEIGHTS)
    if name == "named_parameters":
        return [[weight.name, weight] for weight in WEIGHTS]
    if name == "num_parameters":
        only = bool(named.get("only_trainable", False))
        return sum(weight.size for weight in WEIGHTS if weight.trainable or not only)
    return UNKNOWN


def weight_attribute(weight: Weight, name: str) -> Value:
    """An attribute of a parameter."""
    if name == "requires_grad":
        return weight.trainable
    if name in ("ndim", "shape"):
        return weight.shape if name == "shape" else len(weight.shape)
    return weight if name == "data" else UNKNOWN


def _of_weight(weight: Weight, name: str, given: Sequence[Value]) -> Value:
    if name in ("numel", "nelement"):
        return weight.size
    if name in ("dim", "ndimension"):
        return len(weight.shape)
    if name == "size":
        return _side(weight, given[0]) if given else weight.shape
    return weight if name in ("view", "flatten", "detach", "cpu", "float", "reshape", "clone") else UNKNOWN


def _side(weight: Weight, place: Value) -> Value:
    """The length of one side."""
    sides = weight.shape
    return sides[place] if isinstance(place, int) and -len(sides) <= place < len(sides) else UNKNOWN


def _of_table(table: dict[object, Value], name: str, given: Sequence[Value], named: Mapping[str, Value]) -> Value:
    if name == "items":
        return [[key, value] for key, value in table.items()]
    if name in ("keys", "values"):
        return list(table if name == "keys" else table.values())
    if name == "get" and given and isinstance(given[0], str | int):
        return table.get(given[0], given[1] if len(given) > 1 else None)
    if name == "update" and len(table) <= MOST_ITEMS:
        more = given[0] if given and isinstance(given[0], dict) else {} if not given else {"**": UNKNOWN}
        table.update({**more, **named})
        return None
    if name == "copy":
        return type(table)(table)
    return UNKNOWN


def _changed(items: list[Value], name: str, given: Sequence[Value]) -> Value:
    if name in ("append", "extend", "insert") and given and len(items) < MOST_ITEMS:
        last = given[-1]
        if name == "insert" and isinstance(given[0], int):
            items.insert(given[0], last)
            return None
        items.extend(last if name == "extend" and isinstance(last, list) else [last])
        return None
    if name in ("sum", "prod", "max", "min"):
        return _of_list(name, [items])
    return math.prod(items) if name == "numel" and all(isinstance(one, int) for one in items) else UNKNOWN  # type: ignore[arg-type]


def _number(name: str, given: Sequence[Value]) -> Value:
    value = given[0] if given else 0
    if isinstance(value, str) and is_known(value) and len(value) < 40:
        try:
            value = float(value) if name == "float" else int(value)
        except ValueError:
            return UNKNOWN
    if not isinstance(value, int | float) or not math.isfinite(value):
        return UNKNOWN
    if name == "round" and len(given) > 1 and isinstance(given[1], int) and abs(given[1]) < 20:
        return round(value, given[1])
    operations = {"int": int, "float": float, "round": round, "abs": abs, "floor": math.floor, "ceil": math.ceil}
    return operations[name](value)  # type: ignore[operator]


def _of_list(name: str, given: Sequence[Value]) -> Value:
    items = list(given[0]) if given and isinstance(given[0], list) else list(given)
    if name == "len":
        known = given and (isinstance(given[0], list | dict) or (isinstance(given[0], str) and is_known(given[0])))
        return len(given[0]) if known else UNKNOWN  # type: ignore[arg-type]
    if name == "reversed":
        return items[::-1]
    if (
        not given
        or (not items and not isinstance(given[0], list))
        or not all(isinstance(one, int | float) for one in items)
    ):
        return UNKNOWN
    if name == "sum":
        start = given[1] if len(given) > 1 and isinstance(given[0], list) and isinstance(given[1], int) else 0
        return sum(items, start)  # type: ignore[arg-type]
    if name == "prod":
        return math.prod(items) if len(items) < 20 else UNKNOWN  # type: ignore[arg-type]
    if name in ("any", "all"):
        return any(items) if name == "any" else all(items)
    return (max if name == "max" else min)(items) if items else UNKNOWN  # type: ignore[type-var]


def _sorted(first: Value, named: Mapping[str, Value]) -> Value:
    """What is sorted: in its order where that is known, else as it is."""
    if not isinstance(first, list | dict):
        return UNKNOWN
    items, is_reversed = list(first), named.get("reverse", False)
    numbers = [one for one in items if isinstance(one, int | float)]
    texts = [one for one in items if isinstance(one, str) and is_known(one)]
    if named.keys() - {"reverse"} or not isinstance(is_reversed, bool) or len(items) not in (len(numbers), len(texts)):
        return items
    return [*sorted(numbers, reverse=is_reversed), *sorted(texts, reverse=is_reversed)]


def _iterable(name: str, given: Sequence[Value]) -> Value:
    if name in ("range", "arange"):
        bounds = [one for one in given[:3] if isinstance(one, int) and abs(one) < 10**9]
        if len(bounds) != len(given) or not bounds or (len(bounds) == 3 and bounds[2] == 0):
            return UNKNOWN
        numbers = range(*bounds)
        return list(numbers) if len(numbers) <= _MOST_TURNS else UNKNOWN
    lists = [one for one in given if isinstance(one, list)]
    if len(lists) < len(given) and not (name == "enumerate" and lists):
        return UNKNOWN
    if name == "enumerate":
        start = given[1] if len(given) > 1 and isinstance(given[1], int) else 0
        return [[number, one] for number, one in enumerate(lists[0], start)]
    return [list(row) for row in zip(*lists, strict=False)]

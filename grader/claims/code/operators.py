"""Arithmetic and comparison on known values, with limits on their size; what cannot be said is None."""

import ast
import operator
from collections.abc import Callable
from typing import Any, Final

from grader.claims.code.values import LARGEST, LONGEST_TEXT, MOST_ITEMS, Bound, Hole, Value, written

UNKNOWN: Final = Hole("…")
_MOST_EXPONENT: Final = 64
_MOST_COMPARED: Final = 2_000
_BINARY: Final[dict[type[ast.operator], Callable[[Any, Any], Any]]] = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv, ast.Mod: operator.mod, ast.Pow: operator.pow,
}  # fmt: skip
_COMPARE: Final[dict[type[ast.cmpop], Callable[[Any, Any], Any]]] = {
    ast.Lt: operator.lt, ast.LtE: operator.le, ast.Gt: operator.gt, ast.GtE: operator.ge,
}  # fmt: skip


def binary(kind: ast.operator, left: Value, right: Value) -> Value:
    """A sum, product and the like."""
    if isinstance(kind, ast.Mod) and isinstance(left, str):
        return percent_formatted(left, right)
    if isinstance(kind, ast.Add) and (isinstance(left, str) or isinstance(right, str)):
        is_text = all(isinstance(one, str | Hole) for one in (left, right))
        return (written(left) + written(right))[:LONGEST_TEXT] if is_text else UNKNOWN
    if isinstance(kind, ast.Add) and isinstance(left, list) and isinstance(right, list):
        return (left + right)[:MOST_ITEMS]
    if isinstance(kind, ast.BitOr) and isinstance(left, dict) and isinstance(right, dict):
        return left | right
    if isinstance(kind, ast.Mult) and isinstance(left, str | list) and isinstance(right, int):
        fits = len(left) * max(right, 0) <= MOST_ITEMS
        return left * right if fits else UNKNOWN
    return _arithmetic(kind, left, right)


def _arithmetic(kind: ast.operator, left: Value, right: Value) -> Value:
    if not (isinstance(left, int | float) and isinstance(right, int | float)) or type(kind) not in _BINARY:
        return UNKNOWN
    if isinstance(kind, ast.Pow) and not (abs(right) <= _MOST_EXPONENT and abs(left) <= LARGEST):
        return UNKNOWN
    try:
        result = _BINARY[type(kind)](left, right)
    except (ArithmeticError, ValueError):
        return UNKNOWN
    return result if isinstance(result, int | float) and abs(result) < LARGEST else UNKNOWN


def compared(kind: ast.cmpop, left: Value, right: Value) -> bool | None:
    """Whether a comparison holds; None where that cannot be said."""
    if isinstance(left, Hole) or isinstance(right, Hole):
        return None
    if isinstance(kind, ast.In | ast.NotIn):
        return _contained(left, right, isinstance(kind, ast.In))
    if "⟨" in written(left) + written(right):
        return None
    if isinstance(kind, ast.Eq | ast.Is | ast.NotEq | ast.IsNot):
        equal = same(left, right)
        return equal if equal is None or isinstance(kind, ast.Eq | ast.Is) else not equal
    if type(kind) not in _COMPARE or isinstance(left, list | dict) or isinstance(right, list | dict):
        return None
    try:
        return bool(_COMPARE[type(kind)](left, right))
    except TypeError:
        return None


def same(left: Value, right: Value) -> bool | None:
    """Whether two values are equal; None where that takes too long to see, as of lists that hold one another."""
    pairs = [(left, right)]
    for _ in range(_MOST_COMPARED):
        if not pairs:
            return True
        one, other = pairs.pop()
        if one is other:
            continue
        if isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
            pairs += zip(one, other, strict=True)
        elif isinstance(one, dict) and isinstance(other, dict) and one.keys() == other.keys():
            pairs += ((one[key], other[key]) for key in one)
        elif isinstance(one, list | dict | Bound) or isinstance(other, list | dict | Bound) or one != other:
            return False
    return None


def _contained(left: Value, right: Value, wanted: bool) -> bool | None:
    if isinstance(right, str):
        known = isinstance(left, str) and "⟨" not in left + right
        return (left in right) is wanted if known and isinstance(left, str) else None
    if isinstance(right, list | dict) and isinstance(left, str | int | float):
        return (left in right) is wanted
    return None


def truth_of(value: Value) -> bool | None:
    """Whether a value is true in a condition; None where that cannot be said."""
    if isinstance(value, str) and "⟨" in value:
        return True if value.replace("⟨", "").strip() and value[0] != "⟨" else None
    if isinstance(value, bool | int | float | str | list | dict) or value is None:
        return bool(value)
    return None


def percent_formatted(template: str, values: Value) -> Value:
    """`template % values`, every placeholder in turn filled with the value as text."""
    given = list(values) if isinstance(values, list) else [values]
    pieces: list[str] = []
    position = 0
    while (found := template.find("%", position)) >= 0:
        pieces.append(template[position:found])
        end = found + 1
        name = None
        if template[end : end + 1] == "(":
            close = template.find(")", end)
            name, end = (template[end + 1 : close], close + 1) if close > 0 else (None, end)
        while template[end : end + 1] and template[end] in "0123456789.+-#, ":
            end += 1
        if template[end : end + 1] == "%":
            pieces.append("%")
        elif name is not None and isinstance(values, dict | Hole):
            unknown = Hole(f"{values.source}[{name!r}]"[:80]) if isinstance(values, Hole) else UNKNOWN
            pieces.append(written(values.get(name, unknown) if isinstance(values, dict) else unknown))
        else:
            pieces.append(written(given.pop(0) if given else UNKNOWN))
        position = end + 1
    return ("".join(pieces) + template[position:])[:LONGEST_TEXT]


def format_value(value: Value, spec: str) -> str:
    """A value in an f-string. The width of a format is not worth its space, so only marks and digits are kept."""
    if not isinstance(value, int | float) or isinstance(value, bool) or not 0 < len(spec) <= 8 or "⟨" in spec:
        return written(value)
    short = spec.lstrip("<>^=+ 0")
    if any(len(part) > 2 for part in short.replace(",", ".").replace("_", ".").split(".")):
        return written(value)
    try:
        return format(value, short)
    except (ValueError, OverflowError):
        return written(value)

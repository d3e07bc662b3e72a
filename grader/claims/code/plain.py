"""The simplest steps of following code: constants, signs, and values given to names."""

import ast

from grader.claims.code.operators import UNKNOWN, truth_of
from grader.claims.code.values import LARGEST, LONGEST_TEXT, MOST_ITEMS, Hole, Value, named

Names = dict[str, Value]


def assign(target: ast.expr, value: Value, names: Names) -> None:
    """Give a value to a name, or to several."""
    match target:
        case ast.Name(identifier):
            names[identifier] = value
        case ast.Tuple(targets) | ast.List(targets):
            fits = isinstance(value, list) and len(value) == len(targets)
            for index, one in enumerate(targets):
                assign(one, value[index] if fits else Hole(named(one)), names)  # type: ignore[index]
        case ast.Starred(inner):
            assign(inner, UNKNOWN, names)


def store(owner: Value, key: Value, value: Value) -> None:
    """Give a value to an entry of a table or of a list."""
    if isinstance(owner, dict) and isinstance(key, str | int | float) and (len(owner) < MOST_ITEMS or key in owner):
        owner[key] = value
    if isinstance(owner, list) and isinstance(key, int) and -len(owner) <= key < len(owner):
        owner[key] = value


def last_name(function: ast.expr) -> str:
    """The last part of the name of what is called."""
    if isinstance(function, ast.Attribute):
        return function.attr
    return function.id if isinstance(function, ast.Name) else ""


def constant_value(constant: object) -> Value:
    """A constant, within limits."""
    if isinstance(constant, str):
        return constant[:LONGEST_TEXT].replace("⟨", "<").replace("⟩", ">")
    if constant is None or isinstance(constant, bool | float):
        return constant
    return constant if isinstance(constant, int) and abs(constant) < LARGEST else UNKNOWN


def unary(operator: ast.unaryop, value: Value) -> Value:
    """`not`, a sign."""
    if isinstance(operator, ast.Not):
        truth = truth_of(value)
        return UNKNOWN if truth is None else not truth
    if isinstance(value, int | float):
        return -value if isinstance(operator, ast.USub) else value if isinstance(operator, ast.UAdd) else UNKNOWN
    return UNKNOWN

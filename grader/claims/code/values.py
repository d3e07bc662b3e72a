"""The values that code is followed with: constants, texts with unknown places, and a small model to be counted."""

import ast
from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import islice
from typing import Final, NamedTuple, TypeAlias

Value: TypeAlias = object
"""None, bool, int, float, str, list, dict, or one of the classes here."""

LONGEST_TEXT: Final = 20_000
MOST_ITEMS: Final = 1_000
LARGEST: Final = 10**24
_LONGEST_NAME: Final = 80
_DEEPEST_NAME: Final = 6
_DEEPEST_VALUE: Final = 12


class Hole(NamedTuple):
    """An unknown value, by the source that makes it; `made` tells the call that makes it where that has a class's name,
    so that what is set on the object later can be told of the call."""

    source: str
    made: int = 0


class Tally(dict[object, Value]):
    """A table that counts: what is not in it is 0."""


class Kind(dict[object, Value]):
    """The names of a class of the student's, or of an object of it."""


class Bound(NamedTuple):
    """A function or class with some of its arguments, as functools.partial makes it."""

    target: "Routine | Hole"
    given: tuple[Value, ...]
    keywords: dict[str, Value]


class Weight(NamedTuple):
    """A parameter of the model that is counted in place of the student's: a vector, or a matrix of so many `rows`."""

    name: str
    size: int
    trainable: bool
    rows: int = 0

    @property
    def shape(self) -> list[Value]:
        """The lengths of its sides; their product is the number of its elements."""
        return [self.rows, self.size // self.rows] if self.rows else [self.size]


@dataclass(frozen=True)
class Routine:
    """A function of the student's, and the number of the cell that it stands in; `owner` are the names of the class
    that it is a method of."""

    name: str
    node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
    home: int
    owner: dict[object, Value] | None = field(default=None, compare=False, repr=False)


WEIGHTS: Final = (
    Weight("transformer.word_embeddings.weight", 971 * 103, False, rows=971),
    Weight("transformer.h.0.attention.weight", 187 * 107, False, rows=187),
    Weight("transformer.h.0.attention.lora_A.default.weight", 31 * 97, True, rows=31),
    Weight("transformer.h.0.attention.lora_B.default.weight", 211 * 19, True, rows=211),
    Weight("transformer.h.0.input_layernorm.bias", 503, False),
)
"""The model for counting: sizes whose sums cannot be mistaken for one another or for other numbers in code."""

TRAINABLE: Final = sum(weight.size for weight in WEIGHTS if weight.trainable)
FROZEN: Final = sum(weight.size for weight in WEIGHTS if not weight.trainable)
ALL: Final = TRAINABLE + FROZEN


def written(value: Value, depth: int = 0) -> str:
    """A value as `str` would give it, unknown values in ⟨…⟩."""
    if depth > _DEEPEST_VALUE:
        return "…"
    match value:
        case Hole(source):
            return f"⟨{source}⟩"
        case Weight(name) | Routine(name):
            return f"⟨{name}⟩"
        case Bound(target):
            return written(target)
        case str():
            return value[:LONGEST_TEXT]
        case list():
            return _joined("[", (shown(item, depth + 1) for item in value[:MOST_ITEMS]), "]")
        case dict():
            pairs = (
                f"{shown(key, depth + 1)}: {shown(item, depth + 1)}" for key, item in islice(value.items(), MOST_ITEMS)
            )
            return _joined("{", pairs, "}")
    return str(value)[:LONGEST_TEXT]


def shown(value: Value, depth: int = 0) -> str:
    """A value as source text; an unknown one by its own source."""
    if isinstance(value, str):
        return repr(value[:LONGEST_TEXT])
    return value.source if isinstance(value, Hole) else written(value, depth)


def is_known(value: Value, depth: int = 0) -> bool:
    """Whether a value is a constant, or holds constants only."""
    if isinstance(value, str):
        return "⟨" not in value
    if isinstance(value, list):
        return depth < _DEEPEST_VALUE and all(is_known(item, depth + 1) for item in value)
    return not isinstance(value, Hole | Weight | Routine | Bound | dict)


def named(node: ast.AST, depth: int = 0) -> str:
    """A short source for an expression, such as `row["question"]`."""
    if depth > _DEEPEST_NAME:
        return "…"
    match node:
        case ast.Name(identifier):
            text = identifier
        case ast.Attribute(base, attribute):
            text = f"{named(base, depth + 1)}.{attribute}"
        case ast.Subscript(base, index):
            text = f"{named(base, depth + 1)}[{named(index, depth + 1)}]"
        case ast.Call(function):
            text = f"{named(function, depth + 1)}({', '.join(named(one, depth + 1) for one in node.args[:3])})"
        case ast.Constant(constant):
            text = repr(constant) if not isinstance(constant, str | bytes | int) else repr(str(constant)[:40])
        case ast.Starred(inner) | ast.Await(inner):
            text = named(inner, depth + 1)
        case _:
            text = "…"
    return text.replace("⟨", "").replace("⟩", "")[:_LONGEST_NAME]


def _joined(before: str, parts: Iterable[str], after: str) -> str:
    text, length = [], 0
    for part in parts:
        text.append(part)
        length += len(part)
        if length > LONGEST_TEXT:
            break
    return before + ", ".join(text)[:LONGEST_TEXT] + after

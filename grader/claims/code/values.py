"""The values that code is followed with (constants, texts with unknown places, a small model to be counted), and
arithmetic, comparison and the methods of strings on them, within limits on their size.
"""

import ast
import inspect
import operator
import re
import string
import textwrap
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, Final, NamedTuple, TypeAlias

from grader.reading.log import programs

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
    *(
        Weight(f"transformer.h.0.attention.{name}.default.weight", rows * width, True, rows=rows)
        for one in programs().adapters
        for name, (rows, width) in zip(one.weights, ((31, 97), (211, 19)), strict=False)
    ),
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

    def inner(one: Value) -> str:
        return shown(one, depth + 1)

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
            return _joined("[", map(inner, value[:MOST_ITEMS]), "]")
        case dict():
            pairs = (f"{inner(key)}: {inner(item)}" for key, item in islice(value.items(), MOST_ITEMS))
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

    def inner(one: ast.AST) -> str:
        return named(one, depth + 1)

    match node:
        case ast.Name(identifier):
            text = identifier
        case ast.Attribute(base, attribute):
            text = f"{inner(base)}.{attribute}"
        case ast.Subscript(base, index):
            text = f"{inner(base)}[{inner(index)}]"
        case ast.Call(function):
            text = f"{inner(function)}({', '.join(map(inner, node.args[:3]))})"
        case ast.Constant(constant):
            text = repr(constant) if not isinstance(constant, str | bytes | int) else repr(str(constant)[:40])
        case ast.Starred(waited) | ast.Await(waited):
            text = inner(waited)
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


_PERCENT_MARK: Final = re.compile(r"%(?:\((?P<name>[^)]{0,200})\))?(?P<spec>[0-9.+\-#, ]*.?)", re.DOTALL)


def percent_formatted(template: str, values: Value) -> Value:
    """`template % values`, every placeholder in turn filled with the value as text."""
    given = list(values) if isinstance(values, list) else [values]

    def filled(mark: re.Match[str]) -> str:
        name, spec = mark["name"], mark["spec"]
        if spec.endswith("%"):
            return "%"
        if name is not None and isinstance(values, dict | Hole):
            unknown = Hole(f"{values.source}[{name!r}]"[:80]) if isinstance(values, Hole) else UNKNOWN
            return _percent(values.get(name, unknown) if isinstance(values, dict) else unknown, spec)
        return _percent(given.pop(0) if given else UNKNOWN, spec)

    return _PERCENT_MARK.sub(filled, template)[:LONGEST_TEXT]


def _percent(value: Value, spec: str) -> str:
    if not isinstance(value, int | float) or spec[-1:] not in ("d", "i", "f", "e", "g"):
        return written(value)
    return written(int(value)) if spec[-1] in "di" else format_value(value, spec.lstrip("+-# 0123456789"))


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


_FIELD: Final = re.compile(r"\w*")
_DOLLAR: Final = re.compile(r"\$(?:(\$)|([A-Za-z_]\w{0,60})|\{([A-Za-z_]\w{0,60})\})")
_BRACES: Final = re.compile(r"\{\{()[ \t]{0,20}(?:([A-Za-z_]\w{0,60}))()[ \t]{0,20}\}\}")
_STRIPS: Final[dict[str, Callable[[str, str | None], str]]] = {
    "strip": str.strip, "lstrip": str.lstrip, "rstrip": str.rstrip,
}  # fmt: skip
_SAME: Final = frozenset({"encode", "decode", "expandtabs"})
_WITHIN: Final = frozenset({"lower", "upper", "title", "capitalize", "casefold", "swapcase"})


def text_method(text: str, name: str, given: Sequence[Value], named: Mapping[str, Value]) -> Value:
    """What a method of a text gives."""
    first = given[0] if given else None
    if name in ("format", "format_map", "substitute", "safe_substitute", "render"):
        return _filled(text, name, given, named)
    if name == "join":
        return (
            text.join(written(one) for one in first[:MOST_ITEMS])[:LONGEST_TEXT] if isinstance(first, list) else UNKNOWN
        )
    if name in _STRIPS:
        return _STRIPS[name](text, first if isinstance(first, str) else None)
    if name == "replace" and len(given) > 1 and isinstance(first, str) and isinstance(given[1], str | Hole):
        new = written(given[1])
        fits = len(text) * max(1, len(new)) <= LONGEST_TEXT * 20
        return text.replace(first, new, _most(given[2:]))[:LONGEST_TEXT] if fits else UNKNOWN
    if name in ("split", "splitlines", "rsplit"):
        return _split(text, name, first, _most([*given[1:2], *([named["maxsplit"]] if "maxsplit" in named else [])]))
    if name in ("startswith", "endswith") and "⟨" not in text and isinstance(first, str):
        return text.startswith(first) if name == "startswith" else text.endswith(first)
    if name in _WITHIN:
        return str(getattr(text, name)()) if "⟨" not in text else UNKNOWN
    if name in ("removeprefix", "removesuffix") and isinstance(first, str):
        return text.removeprefix(first) if name == "removeprefix" else text.removesuffix(first)
    return text if name in _SAME else UNKNOWN


def _filled(text: str, name: str, given: Sequence[Value], named: Mapping[str, Value]) -> Value:
    """A template of one of the kinds in use with its values."""
    if name == "format":
        return formatted(text, given, named)
    first = given[0] if given else {}
    table = {**{str(key): value for key, value in first.items()}, **named} if isinstance(first, dict) else {"**": first}
    if name == "format_map":
        return formatted(text, [], table)
    return substituted(text, table, _BRACES if name == "render" else _DOLLAR)


def dedented(text: str, *, clean: bool = False) -> str:
    """`textwrap.dedent`, or with `clean` `inspect.cleandoc`."""
    return inspect.cleandoc(text) if clean else textwrap.dedent(text)


def formatted(text: str, given: Sequence[Value], named: Mapping[str, Value]) -> Value:
    """`text.format(...)`; a field that is not given stays unknown."""
    pieces: list[str] = []
    try:
        parsed = list(string.Formatter().parse(text))
    except ValueError:
        return UNKNOWN
    for number, (literal, slot, spec, _) in enumerate(parsed[:MOST_ITEMS]):
        pieces.append(literal)
        if slot is not None:
            before = sum(one[1] is not None for one in parsed[:number]) if number < 50 else number
            pieces.append(format_value(_field(slot, before, given, named), spec or ""))
    return "".join(pieces)[:LONGEST_TEXT]


def substituted(text: str, named: Mapping[str, Value], mark: re.Pattern[str]) -> str:
    """A template with `$name` or `{{ name }}` filled in; a name that is not given stays unknown."""

    def filled(match: re.Match[str]) -> str:
        if match[1]:
            return match[1]
        name = match[2] or match[3]
        return written(named[name] if name in named else _unpacked(name, named))

    return mark.sub(filled, text)[:LONGEST_TEXT]


def _unpacked(name: str, named: Mapping[str, Value]) -> Value:
    """What a table that is not known gives for a name."""
    table = named.get("**")
    return Hole(f"{table.source}[{name!r}]"[:80]) if isinstance(table, Hole) else UNKNOWN


def _field(field: str, number: int, given: Sequence[Value], named: Mapping[str, Value]) -> Value:
    name = _FIELD.match(field)
    key = name.group() if name else ""
    rest = field[len(key) :]
    if key in named:
        value = named[key]
    else:
        by_place = {str(at): one for at, one in enumerate(given)}
        value = by_place.get(key or str(number), _unpacked(key, named) if key else UNKNOWN)
    inner = rest.strip("[]'\"")
    if rest.startswith("[") and isinstance(value, dict) and inner in value:
        return value[inner]
    return value if not rest else Hole(f"{written(value).strip('⟨⟩')}{rest}"[:80])


def _most(given: Sequence[Value]) -> int:
    """How often a text is cut or replaced in: as often as is given, else everywhere."""
    return given[0] if given and isinstance(given[0], int) else -1


def _split(text: str, name: str, by: Value, most: int) -> Value:
    if "⟨" in text and not isinstance(by, str):
        return UNKNOWN
    if name == "splitlines":
        return list(text.splitlines()[:MOST_ITEMS])
    split = text.rsplit if name == "rsplit" else text.split
    return list(split(by if isinstance(by, str) and by else None, most)[:MOST_ITEMS])

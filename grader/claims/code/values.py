"""The values with which code is followed, and operations on them within limits on their size.

Values are constants, texts with unknown places, and a small model to be counted.
"""

import ast
import operator
import re
import string
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import count, islice
from typing import Any, Final, NamedTuple, TypeAlias

from grader.reading.log import programs

Value: TypeAlias = object
"""None, bool, int, float, str, list, dict, or one of the classes here."""

LONGEST_TEXT: Final = 20_000
MOST_ITEMS: Final = 1_000
LARGEST: Final = 10**24
LONGEST_NAME: Final = 80


class Hole(NamedTuple):
    """An unknown value, by its source.

    If a call with a class's name makes it, `made` is this call, which records attributes that are set on the object
    later.
    """

    source: str
    made: int = 0


class Tally(dict[object, Value]):
    """A dictionary that counts. Missing keys have the value 0."""


class Kind(dict[object, Value]):
    """The names of a student's class, or of an object of it."""


class PartialCall(NamedTuple):
    """A function or class with some of its arguments, as functools.partial makes it."""

    target: "Routine | Hole"
    given: tuple[Value, ...]
    keywords: dict[str, Value]


class Weight(NamedTuple):
    """A parameter of the model that is counted instead of the student's: a vector, or a matrix with `rows` rows."""

    name: str
    size: int
    trainable: bool
    rows: int = 0

    @property
    def shape(self) -> list[Value]:
        """The lengths of its sides. Their product is the number of its elements."""
        return [self.rows, self.size // self.rows] if self.rows else [self.size]


@dataclass(frozen=True)
class Routine:
    """A student's function, and the number of its cell. `owner` are the names of the class to which a method
    belongs."""

    name: str
    node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
    home: int
    owner: dict[object, Value] | None = field(default=None, compare=False, repr=False)


WEIGHTS: Final = (
    Weight("transformer.word_embeddings.weight", 971 * 103, False, rows=971),
    Weight("transformer.h.0.attention.weight", 187 * 107, False, rows=187),
    *(
        Weight(f"transformer.h.0.attention.{name}.default.weight", rows * width, True, rows=rows)
        for adapter in programs().adapters
        for name, (rows, width) in zip(adapter.weights, ((31, 97), (211, 19)), strict=False)
    ),
    Weight("transformer.h.0.input_layernorm.bias", 503, False),
)
"""The model for counting: sizes whose sums cannot be mistaken for one another or for other numbers in code."""

TRAINABLE: Final = sum(weight.size for weight in WEIGHTS if weight.trainable)
FROZEN: Final = sum(weight.size for weight in WEIGHTS if not weight.trainable)
ALL: Final = TRAINABLE + FROZEN


def text_of(value: Value) -> str:
    """Return a value as `str` would, with unknown values in ⟨…⟩. Lists are limited in depth."""
    match value:
        case Hole(source):
            return f"⟨{source}⟩"
        case Weight(name) | Routine(name):
            return f"⟨{name}⟩"
        case PartialCall(target):
            return text_of(target)
        case str():
            return value[:LONGEST_TEXT]
        case list():
            return _joined("[", map(source_of, value[:MOST_ITEMS]), "]")
        case dict():
            pairs = (f"{source_of(key)}: {source_of(item)}" for key, item in islice(value.items(), MOST_ITEMS))
            return _joined("{", pairs, "}")
    return str(value)[:LONGEST_TEXT]


def source_of(value: Value) -> str:
    """Return a value as source text, an unknown one as its own source."""
    if isinstance(value, str):
        return repr(value[:LONGEST_TEXT])
    try:
        return value.source if isinstance(value, Hole) else text_of(value)
    except RecursionError:
        return "…"


def is_known(value: Value, levels: int = 12) -> bool:
    """Whether a value is a constant, or a list of constants with a limited depth."""
    if isinstance(value, str):
        return "⟨" not in value
    if isinstance(value, list):
        return bool(levels) and all(is_known(item, levels - 1) for item in value)
    return not isinstance(value, Hole | Weight | Routine | PartialCall | dict)


def short_source(node: ast.AST, levels: int = 7) -> str:
    """Return a short source for an expression, such as `row["question"]`, with a limited depth."""
    if not levels:
        return "…"

    def inner(child: ast.AST) -> str:
        return short_source(child, levels - 1)

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
    return text.replace("⟨", "").replace("⟩", "")[:LONGEST_NAME]


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
    ast.LShift: lambda left, right: left * 2**right,
}  # fmt: skip
_COMPARE: Final[dict[type[ast.cmpop], Callable[[Any, Any], Any]]] = {
    ast.Lt: operator.lt, ast.LtE: operator.le, ast.Gt: operator.gt, ast.GtE: operator.ge,
}  # fmt: skip


def binary(kind: ast.operator, left: Value, right: Value) -> Value:
    """Return the result of an arithmetic operation."""
    match kind, left, right:
        case ast.Mod(), str(), _:
            return percent_formatted(left, right)
        case ast.Add(), str() | Hole(), str() | Hole() if isinstance(left, str) or isinstance(right, str):
            return (text_of(left) + text_of(right))[:LONGEST_TEXT]
        case ast.Add(), list(), list():
            return (left + right)[:MOST_ITEMS]
        case ast.BitOr(), dict(), dict():
            return left | right
        case ast.Mult(), str() | list(), int():
            return left * right if len(left) * right <= MOST_ITEMS else UNKNOWN
    return _arithmetic(kind, left, right)


def _arithmetic(kind: ast.operator, left: Value, right: Value) -> Value:
    if not (isinstance(left, int | float) and isinstance(right, int | float)) or type(kind) not in _BINARY:
        return UNKNOWN
    if isinstance(kind, ast.Pow | ast.LShift) and abs(right) > _MOST_EXPONENT:
        return UNKNOWN
    try:
        result = _BINARY[type(kind)](left, right)
    except (ArithmeticError, ValueError):
        return UNKNOWN
    return result if isinstance(result, int | float) and abs(result) < LARGEST else UNKNOWN


def compare_values(kind: ast.cmpop, left: Value, right: Value) -> bool | None:
    """Whether a comparison holds, or None if that is unknown."""
    holds = _holds(kind, left, right)
    return holds if holds is None or not isinstance(kind, ast.NotIn | ast.NotEq | ast.IsNot) else not holds


def _holds(kind: ast.cmpop, left: Value, right: Value) -> bool | None:
    """Whether a comparison without its `not` holds, or None if that is unknown."""
    if isinstance(left, Hole) or isinstance(right, Hole):
        return None
    match kind, left, right:
        case ast.In() | ast.NotIn(), str() | int() | float(), list() | dict():
            return left in right
        case _ if "⟨" in text_of(left) + text_of(right):
            return None
        case ast.In() | ast.NotIn(), str(), str():
            return left in right
        case ast.Eq() | ast.Is() | ast.NotEq() | ast.IsNot(), _, _:
            return are_equal(left, right)
        case (ast.Lt() | ast.LtE() | ast.Gt() | ast.GtE(), int() | float(), int() | float()) | (
            ast.Lt() | ast.LtE() | ast.Gt() | ast.GtE(),
            str(),
            str(),
        ):
            return bool(_COMPARE[type(kind)](left, right))
    return None


def are_equal(left: Value, right: Value) -> bool | None:
    """Whether two values are equal, or None if that takes too long, as for lists that contain each other."""
    pairs = [(left, right)]
    for _ in range(_MOST_COMPARED):
        if not pairs:
            return True
        first, other = pairs.pop()
        if first is other:
            continue
        if isinstance(first, list) and isinstance(other, list) and len(first) == len(other):
            pairs += zip(first, other, strict=True)
        elif isinstance(first, dict) and isinstance(other, dict) and first.keys() == other.keys():
            pairs += ((first[key], other[key]) for key in first)
        elif (
            isinstance(first, list | dict | PartialCall)
            or isinstance(other, list | dict | PartialCall)
            or first != other
        ):
            return False
    return None


def truth_of(value: Value) -> bool | None:
    """Whether a value is true in a condition, or None if that is unknown."""
    if isinstance(value, str) and value.startswith("⟨"):
        return None
    if isinstance(value, bool | int | float | str | list | dict) or value is None:
        return bool(value)
    return None


_PERCENT_MARK: Final = re.compile(
    r"%(?:\((?P<name>[^)]{0,200})\))?[0-9+\-#, ]*(?P<digits>\.\d*)?(?P<kind>.?)", re.DOTALL
)


def percent_formatted(template: str, values: Value) -> Value:
    """Return `template % values`, with each placeholder replaced by a value as text."""
    given = iter(values if isinstance(values, list) else [values])

    def filled(mark: re.Match[str]) -> str:
        digits, kind = mark["digits"] or "", mark["kind"]
        if kind in ("%",):
            return kind
        is_named = mark["name"] is not None and isinstance(values, dict | Hole)
        match kind, _entry(values, mark["name"]) if is_named else next(given, UNKNOWN):
            case "d" | "i", int() | float() as number:
                return text_of(int(number))
            case "f" | "e" | "g", int() | float() as number:
                return format_value(number, digits + kind)
            case _, value:
                return text_of(value)

    return _PERCENT_MARK.sub(filled, template)[:LONGEST_TEXT]


def _entry(table: Value, name: str) -> Value:
    """Return the value of a name in a dictionary, which may be unknown."""
    if isinstance(table, Hole):
        return Hole(f"{table.source}[{name!r}]"[:LONGEST_NAME])
    return table.get(name, UNKNOWN) if isinstance(table, dict) else UNKNOWN


_FORM: Final = re.compile(r"[<>^=+ 0]*(\d{0,2}[,_]?(?:\.\d{1,2})?[a-zA-Z%]?)")


def format_value(value: Value, spec: str) -> str:
    """Return a value in an f-string. Only the separators and the precision of its format count, not the width."""
    form = _FORM.fullmatch(spec)
    if form is None or not isinstance(value, int | float):
        return text_of(value)
    try:
        return format(value, form[1])
    except (ValueError, OverflowError):
        return text_of(value)


_DOLLAR: Final = re.compile(r"\$(?:(\$)|([A-Za-z_]\w{0,60})|\{([A-Za-z_]\w{0,60})\})")
_BRACES: Final = re.compile(r"\{\{()[ \t]{0,20}(?:([A-Za-z_]\w{0,60}))()[ \t]{0,20}\}\}")


def text_method(  # noqa: C901 a case for each kind of method
    text: str, name: str, given: Sequence[Value], named: Mapping[str, Value]
) -> Value:
    """Return the value of a method of a string."""
    method = getattr(text, name, None)
    match name, given:
        case "format" | "format_map" | "substitute" | "safe_substitute" | "render", _:
            return _filled(text, name, given, named)
        case "join", [list(items), *_]:
            return text.join(text_of(item) for item in items[:MOST_ITEMS])[:LONGEST_TEXT]
        case "strip" | "lstrip" | "rstrip", _:
            return method(*(argument for argument in given if isinstance(argument, str)))  # type: ignore[misc]
        case "replace", [str(old), str() | Hole() as new, *most]:
            fits = text.count(old) * len(text_of(new)) <= LONGEST_TEXT
            return text.replace(old, text_of(new), _most(most))[:LONGEST_TEXT] if fits else UNKNOWN
        case "split" | "rsplit", [str(by), *most] if by:
            return method(by, _most([*most, named.get("maxsplit")]))[:MOST_ITEMS]  # type: ignore[misc]
        case "removeprefix" | "removesuffix", [str(part), *_]:
            return method(part)  # type: ignore[misc]
        case "encode" | "decode" | "expandtabs", _:
            return text
        case _ if not is_known(text):
            return UNKNOWN
        case "split" | "rsplit", _:
            return method(None, _most([*given, named.get("maxsplit")]))[:MOST_ITEMS]  # type: ignore[misc]
        case "splitlines", _:
            return list(text.splitlines()[:MOST_ITEMS])
        case "startswith" | "endswith", [str(part), *_]:
            return method(part)  # type: ignore[misc]
        case "lower" | "upper" | "title" | "capitalize" | "casefold" | "swapcase", _:
            return method()  # type: ignore[misc]
    return UNKNOWN


def _filled(text: str, name: str, given: Sequence[Value], named: Mapping[str, Value]) -> Value:
    """Return a template of one of the usual kinds with its values."""
    if name == "format":
        return format_text(text, given, named)
    first = given[0] if given else {}
    table = {**{str(key): value for key, value in first.items()}, **named} if isinstance(first, dict) else {"**": first}
    if name == "format_map":
        return format_text(text, [], table)
    return fill_template(text, table, _BRACES if name == "render" else _DOLLAR)


def format_text(text: str, given: Sequence[Value], named: Mapping[str, Value]) -> Value:
    """Return `text.format(...)`. A missing field stays unknown."""
    pieces: list[str] = []
    places = count()
    try:
        parsed = list(string.Formatter().parse(text))
    except ValueError:
        return UNKNOWN
    for literal, slot, spec, _ in parsed[:MOST_ITEMS]:
        pieces.append(literal)
        if slot is not None:
            pieces.append(format_value(_field(slot, next(places), given, named), spec or ""))
    return "".join(pieces)[:LONGEST_TEXT]


def fill_template(text: str, named: Mapping[str, Value], mark: re.Pattern[str]) -> str:
    """Return a template with `$name` or `{{ name }}` filled in. A missing name stays unknown."""

    def filled(match: re.Match[str]) -> str:
        if match[1]:
            return match[1]
        name = match[2] or match[3]
        return text_of(named[name] if name in named else _entry(named.get("**"), name))

    return mark.sub(filled, text)[:LONGEST_TEXT]


def _field(field: str, number: int, given: Sequence[Value], named: Mapping[str, Value]) -> Value:
    key, *_ = re.split(r"\W", field)
    rest = field.removeprefix(key)
    if key in named:
        value = named[key]
    else:
        by_place = {str(at): argument for at, argument in enumerate(given)}
        value = by_place.get(key or str(number), _entry(named.get("**"), key) if key else UNKNOWN)
    inner = rest.strip("[]'\"")
    if rest.startswith("[") and isinstance(value, dict) and inner in value:
        return value[inner]
    return value if not rest else Hole(f"{text_of(value).strip('⟨⟩')}{rest}"[:LONGEST_NAME])


def _most(given: Iterable[Value]) -> int:
    """Return the limit on splits or replacements: the given number, otherwise none."""
    return next((number for number in given if isinstance(number, int)), LONGEST_TEXT)

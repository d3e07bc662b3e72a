"""Formulas within a text, found by the signs that LaTeX and Markdown put around them, and written out as one line
that `parse_maths` reads back.
"""

import re
from collections.abc import Iterator
from fractions import Fraction
from typing import Annotated, Final

from pydantic import PlainSerializer, PlainValidator, WithJsonSchema

from grader.frozen import Frozen
from grader.reading.maths.expression import (
    Call,
    Expression,
    Negation,
    Number,
    Power,
    Product,
    Quotient,
    Relation,
    Sum,
    Symbol,
)
from grader.reading.maths.parser import LONGEST, parse_maths
from grader.reading.maths.tokens import ROWED

_PLAIN: Final = re.compile(r"[^\W_]+")
_BELOW_PRODUCT: Final = (Sum, Negation, Relation)
_BELOW_POWER: Final = (*_BELOW_PRODUCT, Product, Quotient, Power)


def format_expression(expression: Expression) -> str:
    """`N × (4 × d_model^2 + 2 × d_model × d_ff)`; brackets stand only where they are needed."""
    match expression:
        case Number():
            return _number(expression.value)
        case Symbol():
            return _symbol(expression)
        case Negation():
            return "-" + _within(expression.operand, _BELOW_PRODUCT)
        case Sum():
            return _sum(expression)
        case Product():
            head, *rest = expression.factors
            return " × ".join([_within(head, (*_BELOW_PRODUCT, Product)), *map(_factor, rest)])
        case Quotient():
            return f"{_within(expression.numerator, _BELOW_PRODUCT)} / {_factor(expression.denominator)}"
        case Power():
            exponent = format_expression(expression.exponent)
            is_simple = isinstance(expression.exponent, Symbol | Number) and _PLAIN.fullmatch(exponent)
            return f"{_within(expression.base, _BELOW_POWER)}^{exponent if is_simple else f'{{{exponent}}}'}"
        case Call():
            return _call(expression)
        case Relation():
            sides = [format_expression(side) for side in expression.sides]
            first = "" if expression.goes_on else f"{sides.pop(0)} "
            return first + " ".join(f"{sign} {side}" for sign, side in zip(expression.operators, sides, strict=True))


def _number(value: Fraction) -> str:
    """A decimal fraction in full; written numbers have no other values."""
    if value.denominator == 1:
        return str(value.numerator)
    digits = 0
    while (value * 10**digits).denominator != 1 and digits < 200:
        digits += 1
    whole, rest = divmod(int(value * 10**digits), 10**digits)
    return f"{whole}.{rest:0{digits}}"


def _symbol(symbol: Symbol) -> str:
    name = symbol.name if _PLAIN.fullmatch(symbol.name) else rf"\text{{{symbol.name}}}"
    if not symbol.subscript:
        return name
    return f"{name}_{symbol.subscript}" if _PLAIN.fullmatch(symbol.subscript) else f"{name}_{{{symbol.subscript}}}"


def _sum(expression: Sum) -> str:
    head, *rest = expression.terms
    text = _within(head, (Sum, Relation))
    for term in rest:
        if isinstance(term, Negation):
            text += f" - {_within(term.operand, _BELOW_PRODUCT)}"
        else:
            text += f" + {_within(term, (Sum, Relation))}"
    return text


def _factor(expression: Expression) -> str:
    return _within(expression, (*_BELOW_PRODUCT, Product, Quotient))


def _call(call: Call) -> str:
    if call.function == "root":
        inner, degree = call.arguments
        return rf"\sqrt[{format_expression(degree)}]{{{format_expression(inner)}}}"
    name, _, below = call.function.partition("_")
    head = _symbol(Symbol(name, below))
    return f"{head}({', '.join(format_expression(argument) for argument in call.arguments)})"


def _within(expression: Expression, bracketed: tuple[type, ...]) -> str:
    text = format_expression(expression)
    return f"({text})" if isinstance(expression, bracketed) else text


MOST_FORMULAS: Final = 300
"""Formulas in one text; further ones are not searched."""

_OPENING: Final = re.compile(r"\\.|\$\$|\$|`+", re.DOTALL)
_CLOSED_BY: Final = {"$$": "$$", "\\[": "\\]", "\\(": "\\)"}
_ROW_END: Final = re.compile(r"\\(begin|end)\s*\{([a-zA-Z*]+)\}|\\\\|\\.|[{}]", re.DOTALL)
_NO_FORMULA: Final = ("`", "\\(", "\\[")
_DOLLAR: Final = re.compile(r"\\.|\$|`", re.DOTALL)


class Formula(Frozen):
    """`text[start:end]` of a block is a formula, without the signs around it. `expression` is what it says; None when
    that is not understood. As JSON it is one line of plain characters."""

    start: int
    end: int
    expression: Annotated[
        Expression | None,
        PlainValidator(lambda value: parse_maths(value) if isinstance(value, str) else value),
        PlainSerializer(lambda value: None if value is None else format_expression(value)),
        WithJsonSchema({"anyOf": [{"type": "string"}, {"type": "null"}]}),
    ] = None


def formulas_in(text: str) -> tuple[Formula, ...]:
    """The formulas that `$…$`, `$$…$$`, `\\(…\\)` and `\\[…\\]` mark in a text, in order. Equations that are set below
    each other are several. A dollar sign for money marks none."""
    found: list[Formula] = []
    for start, end, sign in marked_spans(text):
        if not sign.startswith("`"):
            found += formulas_of(text, start, end)
        if len(found) >= MOST_FORMULAS:
            break
    return tuple(found[:MOST_FORMULAS])


def formulas_of(text: str, start: int = 0, end: int | None = None) -> tuple[Formula, ...]:
    """`text[start:end]`, which is mathematics, as formulas: one, unless it has rows that each are an equation."""
    start, end = _trimmed(text, start, len(text) if end is None else end)
    if start >= end:
        return ()
    whole = Formula(start=start, end=end, expression=parse_maths(text[start:end]))
    if whole.expression is not None or end - start > MOST_FORMULAS * LONGEST:
        return (whole,)
    rows = [_trimmed(text, *row) for row in _rows(text, start, end)]
    rows = [(a, b) for a, b in rows if a < b][:MOST_FORMULAS]
    if len(rows) < 2:
        return (whole,)
    return tuple(Formula(start=a, end=b, expression=parse_maths(text[a:b])) for a, b in rows)


def _trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    piece = text[start:end]
    return start + len(piece) - len(piece.lstrip()), start + len(piece.rstrip())


def _rows(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """The rows of a display, cut at line breaks that no brace holds."""
    depth, begin = 0, start
    for match in _ROW_END.finditer(text, start, end):
        sign = match.group()
        if match[2] and match[2] not in ROWED:
            depth += 1 if match[1] == "begin" else -1
        depth += {"{": 1, "}": -1}.get(sign, 0)
        if sign == "\\\\" and depth <= 0:
            yield begin, match.start()
            begin = match.end()
    yield begin, end


def marked_spans(text: str) -> Iterator[tuple[int, int, str]]:
    """Start, end and opening sign of each formula and of each code in backticks, which holds no formulas."""
    position = 0
    closing: dict[str, int] = {}
    while match := _OPENING.search(text, position):
        sign = match.group()
        position = match.end()
        if sign == "$":
            end = _dollar(text, position)
        elif sign in _CLOSED_BY or sign.startswith("`"):
            end = _next(text, _CLOSED_BY.get(sign, sign), position, closing)
        else:
            continue
        if end < 0 or end - position > 2 * LONGEST:
            continue
        yield position, end, sign
        position = end + len(sign)


def _next(text: str, sign: str, position: int, next_places: dict[str, int]) -> int:
    """Return the next place of a sign; -1 if there is none. `next_places` keeps the answers, so that no text is
    searched twice."""
    at = next_places.get(sign, 0)
    if 0 <= at < position:
        at = text.find(sign, position)
        next_places[sign] = at
    return at


def _dollar(text: str, start: int) -> int:
    """Return the place of the dollar sign that closes a formula opened right before `start`; -1 if none does. It has no
    space inside and no digit after it, which distinguishes it from money."""
    if not text[start : start + 1].strip():
        return -1
    for match in _DOLLAR.finditer(text, start, start + LONGEST):
        if match.group() in _NO_FORMULA:
            return -1
        if match.group() == "$":
            end = match.start()
            inside = end > start and not text[end - 1].isspace()
            return end if inside and not text[end + 1 : end + 2].isdigit() else -1
    return -1

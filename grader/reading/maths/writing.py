"""An expression as one line of plain characters, which `parse_maths` reads back."""

import re
from fractions import Fraction
from typing import Final

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

_PLAIN: Final = re.compile(r"[^\W_]+")
_BELOW_PRODUCT: Final = (Sum, Negation, Relation)
_BELOW_POWER: Final = (*_BELOW_PRODUCT, Product, Quotient, Power)


def written(expression: Expression) -> str:
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
            factors = [_within(head, (*_BELOW_PRODUCT, Product)), *(_factor(factor) for factor in rest)]
            return " × ".join(factors)
        case Quotient():
            return f"{_within(expression.numerator, _BELOW_PRODUCT)} / {_factor(expression.denominator)}"
        case Power():
            return f"{_within(expression.base, _BELOW_POWER)}^{_exponent(expression.exponent)}"
        case Call():
            return _call(expression)
        case Relation():
            return _relation(expression)


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
    parts = [_within(head, (Sum, Relation))]
    for term in rest:
        if isinstance(term, Negation):
            parts.append(f" - {_within(term.operand, _BELOW_PRODUCT)}")
        else:
            parts.append(f" + {_within(term, (Sum, Relation))}")
    return "".join(parts)


def _factor(expression: Expression) -> str:
    return _within(expression, (*_BELOW_PRODUCT, Product, Quotient))


def _exponent(expression: Expression) -> str:
    simple = isinstance(expression, Symbol | Number) and _PLAIN.fullmatch(written(expression))
    return written(expression) if simple else f"{{{written(expression)}}}"


def _call(call: Call) -> str:
    if call.function == "root":
        inner, degree = call.arguments
        return rf"\sqrt[{written(degree)}]{{{written(inner)}}}"
    name, _, below = call.function.partition("_")
    head = _symbol(Symbol(name, below))
    return f"{head}({', '.join(written(argument) for argument in call.arguments)})"


def _relation(relation: Relation) -> str:
    sides = [written(side) for side in relation.sides]
    heads = [""] if relation.goes_on else [f"{sides.pop(0)} "]
    return heads[0] + " ".join(f"{sign} {side}" for sign, side in zip(relation.operators, sides, strict=True))


def _within(expression: Expression, bracketed: tuple[type, ...]) -> str:
    text = written(expression)
    return f"({text})" if isinstance(expression, bracketed) else text

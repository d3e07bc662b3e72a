"""The exact value of an expression, within bounds."""

from collections.abc import Callable, Mapping
from fractions import Fraction
from math import isqrt
from typing import Final, NamedTuple, TypeAlias

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
    canonical,
    parts,
    walk,
)
from grader.reading.maths.meaning import meaning as meaning
from grader.reading.maths.meaning import resolved

MOST_BITS: Final = 512
"""Of the numerator or denominator of any value on the way: about 150 decimal digits."""


class NoValue(NamedTuple):
    """Why an expression has no value. `undefined` are the names that have no meaning, as canonical keys in order."""

    reason: str
    undefined: tuple[str, ...] = ()


Value: TypeAlias = Fraction | NoValue


def evaluate(expression: Expression, symbols: Mapping[str, int | Fraction]) -> Value:
    """The value under given meanings of the names, in any spelling of them. A name without a meaning of its own is the
    product of up to three that have one, when it can be cut so in one way only: `Nd`, `hd_v`."""
    known = {canonical(name): Fraction(value) for name, value in symbols.items()}
    expression = resolved(expression, known)
    undefined = sorted({name.key for name in walk(expression) if isinstance(name, Symbol) and name.key not in known})
    if undefined:
        return NoValue("some names have no meaning", tuple(undefined))
    return _value(expression, known)


def _value(expression: Expression, known: Mapping[str, Fraction]) -> Value:
    match expression:
        case Number():
            return expression.value
        case Symbol():
            return known[expression.key]
        case Relation():
            return NoValue("a relation has no value; its sides have")
    values = []
    for part in parts(expression):
        value = _value(part, known)
        if isinstance(value, NoValue):
            return value
        values.append(value)
    return _bounded(_combined(expression, values))


def _combined(expression: Expression, values: list[Fraction]) -> Value:
    match expression:
        case Negation():
            return -values[0]
        case Sum():
            return _folded(values, lambda a, b: a + b)
        case Product():
            return _folded(values, lambda a, b: a * b)
        case Quotient():
            return values[0] / values[1] if values[1] else NoValue("division by zero")
        case Power():
            return _power(*values)
        case Call():
            return _called(expression.function, values)
    return NoValue("not understood")


def _folded(values: list[Fraction], operation: Callable[[Fraction, Fraction], Fraction]) -> Value:
    total = values[0]
    for value in values[1:]:
        bounded = _bounded(operation(total, value))
        if isinstance(bounded, NoValue):
            return bounded
        total = bounded
    return total


def _bits(value: Fraction) -> int:
    return max(value.numerator.bit_length(), value.denominator.bit_length())


def _bounded(value: Value) -> Value:
    if isinstance(value, Fraction) and _bits(value) > MOST_BITS:
        return NoValue("a value is too large")
    return value


def _power(base: Fraction, exponent: Fraction) -> Value:
    if exponent.denominator != 1:
        return _root(base, exponent.denominator, exponent.numerator)
    if not base and exponent < 0:
        return NoValue("division by zero")
    if base in (0, 1, -1):
        return base ** int(exponent % 2 + 2 if exponent else 0)
    if (_bits(base) - 1) * abs(exponent) > MOST_BITS or abs(exponent) > MOST_BITS:
        return NoValue("a value is too large")
    return base ** int(exponent)


def _root(base: Fraction, degree: int, power: int = 1) -> Value:
    """Square roots of squares; other roots are not exact or not needed."""
    if degree != 2 or base < 0:
        return NoValue("a root that is not exact")
    above, below = isqrt(base.numerator), isqrt(base.denominator)
    if above**2 != base.numerator or below**2 != base.denominator:
        return NoValue("a root that is not exact")
    return _power(Fraction(above, below), Fraction(power))


def _called(function: str, values: list[Fraction]) -> Value:
    if function == "abs" and len(values) == 1:
        return abs(values[0])
    if function == "sqrt" and len(values) == 1:
        return _root(values[0], 2)
    if function == "root" and len(values) == 2 and values[1].denominator == 1:
        return _root(values[0], int(values[1]))
    if function in ("max", "min"):
        return max(values) if function == "max" else min(values)
    if function in ("mean", "Mean"):
        return _bounded(sum(values, Fraction(0)) / len(values))
    return NoValue(f"the function {function} is not evaluated")

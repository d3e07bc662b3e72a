"""What a formula works out to on the way: the value of every part of it, whether or not it was written down."""

from collections.abc import Iterable, Mapping
from fractions import Fraction
from math import prod
from typing import Final, NamedTuple

from grader.reading.maths.evaluation import meaning
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

MOST_ADDENDS: Final = 64
MOST_NEIGHBOURS: Final = 4
MOST_EXPONENT: Final = 16
MOST: Final = Fraction(10**30)

Symbols = Mapping[str, Fraction]


class Worked(NamedTuple):
    """A formula multiplied out: `addends` are the terms that remain, and `steps` all values met on the way; of these,
    `terms` are those of its summands as they are written."""

    addends: tuple[Fraction, ...]
    steps: frozenset[Fraction]
    terms: frozenset[Fraction] = frozenset()

    @property
    def value(self) -> Fraction:
        """The formula's value."""
        return sum(self.addends, Fraction(0))


class UnworkableError(ValueError):
    """A formula holds a name without a value, a function, or numbers beyond the bounds."""


def worked(expression: Expression, symbols: Symbols) -> Worked:
    """Work out a formula without relations. Raises UnworkableError."""
    match expression:
        case Number(value=number):
            return Worked((number,), frozenset({number}))
        case Symbol(key=key):
            value = meaning(expression, symbols)
            if value is None:
                raise UnworkableError(key)
            return Worked((value,), frozenset({value}))
        case Negation(operand=operand):
            inner = worked(operand, symbols)
            return Worked(tuple(-addend for addend in inner.addends), inner.steps, inner.terms)
        case Sum(terms=terms):
            return _sum([worked(term, symbols) for term in terms])
        case Product(factors=factors):
            return _product([worked(factor, symbols) for factor in factors])
        case Quotient(numerator=above, denominator=below):
            return _quotient(worked(above, symbols), worked(below, symbols))
        case Power(base=base, exponent=exponent):
            return _power(worked(base, symbols), worked(exponent, symbols))
        case Call(function="abs", arguments=(size,)):  # |V| is the size of a set as well
            return worked(size, symbols)
    raise UnworkableError(type(expression).__name__)


def sides(expression: Expression) -> tuple[Expression, ...]:
    """The sides of a chain of relations, or the formula itself."""
    return expression.sides if isinstance(expression, Relation) else (expression,)


def _sum(terms: list[Worked]) -> Worked:
    addends = tuple(addend for term in terms for addend in term.addends)
    if len(addends) > MOST_ADDENDS:
        raise UnworkableError
    met = frozenset().union(*(term.steps for term in terms), _partial_sums(addends))
    return Worked(addends, met, _terms(terms) | {term.value for term in terms})


def _terms(parts: Iterable[Worked]) -> frozenset[Fraction]:
    return frozenset().union(*(part.terms for part in parts))


def _partial_sums(addends: tuple[Fraction, ...]) -> frozenset[Fraction]:
    """The sums of neighbours: what a part comes to when its terms were not bracketed."""
    ends = range(1, len(addends) + 1)
    sums = (addends[start:end] for end in ends for start in range(max(0, end - MOST_NEIGHBOURS), end))
    return frozenset(_bounded(sum(some, Fraction(0))) for some in sums) | {_bounded(sum(addends, Fraction(0)))}


def _product(factors: list[Worked]) -> Worked:
    """Every addend of each factor times every addend of the others; the steps are those of the terms, and of all the
    products from the left."""
    done = factors[0]
    for factor in factors[1:]:
        if len(done.addends) * len(factor.addends) > MOST_ADDENDS:
            raise UnworkableError
        addends = tuple(_bounded(one * other) for one in done.addends for other in factor.addends)
        met = done.steps | factor.steps | _partial_sums(addends)
        done = Worked(addends, met)
    numbers = [factor.value for factor in factors if len(factor.addends) == 1]
    tails = {_bounded(prod(numbers[at:], start=Fraction(1))) for at in range(len(numbers))}
    return Worked(done.addends, done.steps | tails, _terms(factors))


def _quotient(above: Worked, below: Worked) -> Worked:
    if below.value == 0:
        raise UnworkableError
    addends = tuple(_bounded(addend / below.value) for addend in above.addends)
    return Worked(addends, above.steps | below.steps | {sum(addends, Fraction(0))}, above.terms)


def _power(base: Worked, exponent: Worked) -> Worked:
    number = exponent.value
    if number.denominator != 1 or not 0 <= number <= MOST_EXPONENT:
        raise UnworkableError
    value = _bounded(base.value ** int(number))
    return Worked((value,), base.steps | {value}, base.terms)


def _bounded(value: Fraction) -> Fraction:
    if abs(value) > MOST or value.denominator > 10**12:
        raise UnworkableError
    return value

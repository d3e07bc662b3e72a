"""What names mean: by themselves, or as products of names that are written without a sign between them."""

from collections.abc import Iterator, Mapping
from fractions import Fraction
from functools import reduce
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

_MOST_PIECES: Final = 3


def resolved(expression: Expression, known: Mapping[str, Fraction]) -> Expression:
    """The expression with names that have no meaning of their own put as products of up to three that have, where they
    can be cut in one way only: `Nd` as N × d, `hd_v` as h × d_v, and `Nd^2` as N × d^2, for an exponent belongs to the
    letter before it. `known` maps canonical keys. In a denominator no name is cut: what `1/Nd` divides by is open."""
    match expression:
        case Number():
            return expression
        case Symbol():
            return _product(_pieces(expression, known))
        case Negation(operand=operand):
            return Negation(resolved(operand, known))
        case Sum(terms=terms):
            return Sum(tuple(resolved(term, known) for term in terms))
        case Product(factors=factors):
            return Product(tuple(resolved(factor, known) for factor in factors))
        case Quotient(numerator=above, denominator=below):
            kept = below if isinstance(below, Symbol) else resolved(below, known)
            return Quotient(resolved(above, known), kept)
        case Power(base=base, exponent=exponent):
            return _power(base, resolved(exponent, known), known)
        case Call(function=function, arguments=arguments):
            return Call(function, tuple(resolved(argument, known) for argument in arguments))
        case Relation(operators=operators, sides=sides):
            return Relation(operators, tuple(resolved(side, known) for side in sides))


def meaning(symbol: Symbol, known: Mapping[str, Fraction]) -> Fraction | None:
    """The value of a name that stands by itself, or of the product that it can only be. Before powers are worked out,
    the whole expression wants to be `resolved`."""
    pieces = [known.get(piece.key) for piece in _pieces(symbol, known)]
    values = [value for value in pieces if value is not None]
    return reduce(lambda a, b: a * b, values) if len(values) == len(pieces) else None


def _product(pieces: tuple[Symbol, ...]) -> Expression:
    return pieces[0] if len(pieces) == 1 else Product(pieces)


def _power(base: Expression, exponent: Expression, known: Mapping[str, Fraction]) -> Expression:
    if not isinstance(base, Symbol):
        return Power(resolved(base, known), exponent)
    *before, last = _pieces(base, known)
    return Product((*before, Power(last, exponent))) if before else Power(last, exponent)


def _pieces(symbol: Symbol, known: Mapping[str, Fraction]) -> tuple[Symbol, ...]:
    """The names that a name is made of: itself, unless it can be cut in just one way."""
    if symbol.key in known:
        return (symbol,)
    cuts = list(_cuts(symbol.key, known, _MOST_PIECES))
    return tuple(Symbol(name) for name in cuts[0]) if len(cuts) == 1 else (symbol,)


def _cuts(key: str, known: Mapping[str, Fraction], most: int) -> Iterator[tuple[str, ...]]:
    """All ways to cut a key into at most some known ones."""
    if not key:
        yield ()
    elif most:
        for name in known:
            if name and key.startswith(name):
                for rest in _cuts(key[len(name) :], known, most - 1):
                    yield (name, *rest)

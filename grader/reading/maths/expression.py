"""The meaning of a formula, as a tree of frozen values."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields
from fractions import Fraction
from math import prod
from typing import Final, TypeAlias

_COMMANDS = re.compile(r"\\[a-zA-Z]+(?=\s*\{)")
_NO_NAME = re.compile(r"[\W_]+")


@dataclass(frozen=True, slots=True)
class Number:
    """A number without a sign, in its likeliest reading: `1,024` is 1024 and `1.024` is a decimal. `text` is how it
    was written."""

    value: Fraction
    text: str = field(default="", compare=False)


@dataclass(frozen=True, slots=True)
class Symbol:
    """A name, such as `d` with the subscript `model`, or the words `hidden size`. A run of letters is one name:
    whether `Nd` is a name or a product is only known together with the names that have a meaning."""

    name: str
    subscript: str = ""

    @property
    def key(self) -> str:
        """The one spelling of all ways to write this name: `dmodel` for `d_{model}`, `d_model` and `dmodel`."""
        return canonical(self.name + self.subscript)


@dataclass(frozen=True, slots=True)
class Negation:
    """The operand with the opposite sign. A difference is a sum whose second term is negated."""

    operand: "Expression"


@dataclass(frozen=True, slots=True)
class Sum:
    """Two or more terms."""

    terms: "tuple[Expression, ...]"


@dataclass(frozen=True, slots=True)
class Product:
    """Two or more factors."""

    factors: "tuple[Expression, ...]"


@dataclass(frozen=True, slots=True)
class Quotient:
    """A fraction or a division."""

    numerator: "Expression"
    denominator: "Expression"


@dataclass(frozen=True, slots=True)
class Power:
    """A base raised to an exponent."""

    base: "Expression"
    exponent: "Expression"


@dataclass(frozen=True, slots=True)
class Call:
    """A function of arguments: `sqrt`, `log`, `abs`, `max`; a subscript belongs to the name, as in `log_2`."""

    function: str
    arguments: "tuple[Expression, ...]"


@dataclass(frozen=True, slots=True)
class Relation:
    """A chain such as `a = b ≈ c`: `operators[i]` stands before the last but i sides. A chain that goes on from a
    line above, `= c`, has as many operators as sides; else there is one side more."""

    operators: tuple[str, ...]
    sides: "tuple[Expression, ...]"

    @property
    def goes_on(self) -> bool:
        """Whether the first side stands in a line above."""
        return len(self.sides) == len(self.operators)


Expression: TypeAlias = Number | Symbol | Negation | Sum | Product | Quotient | Power | Call | Relation


def canonical(name: str) -> str:
    """A symbol's name without fonts, braces, underscores and spaces. Case counts: N and n may be two things."""
    return _NO_NAME.sub("", _COMMANDS.sub("", name))


def parts(expression: Expression) -> tuple[Expression, ...]:
    """The direct operands of an expression."""
    values = (getattr(expression, candidate.name) for candidate in fields(expression))
    operands = (entry for value in values for entry in (value if isinstance(value, tuple) else (value,)))
    return tuple(operand for operand in operands if isinstance(operand, Expression))


def walk(expression: Expression) -> Iterator[Expression]:
    """An expression and all its subexpressions."""
    yield expression
    for part in parts(expression):
        yield from walk(part)


_MOST_PIECES: Final = 3


def resolve_names(expression: Expression, known_values: Mapping[str, Fraction]) -> Expression:
    """The expression with names that have no meaning of their own put as products of up to three that have, where they
    can be cut in one way only: `Nd` as N × d, `hd_v` as h × d_v, and `Nd^2` as N × d^2, for an exponent belongs to the
    letter before it. `known` maps canonical keys. In a denominator no name is cut: what `1/Nd` divides by is open."""
    match expression:
        case Symbol():
            pieces = _pieces(expression, known_values)
            return pieces[0] if len(pieces) == 1 else Product(pieces)
        case Negation(operand=operand):
            return Negation(resolve_names(operand, known_values))
        case Sum(terms=terms):
            return Sum(tuple(resolve_names(term, known_values) for term in terms))
        case Product(factors=factors):
            return Product(tuple(resolve_names(factor, known_values) for factor in factors))
        case Quotient(numerator=above, denominator=below):
            kept = below if isinstance(below, Symbol) else resolve_names(below, known_values)
            return Quotient(resolve_names(above, known_values), kept)
        case Power(base=Symbol() as base, exponent=exponent):
            *before, last = _pieces(base, known_values)
            power = Power(last, resolve_names(exponent, known_values))
            return Product((*before, power)) if before else power
        case Power(base=base, exponent=exponent):
            return Power(resolve_names(base, known_values), resolve_names(exponent, known_values))
        case Call(function=function, arguments=arguments):
            return Call(function, tuple(resolve_names(argument, known_values) for argument in arguments))
        case Relation(operators=operators, sides=sides):
            return Relation(operators, tuple(resolve_names(side, known_values) for side in sides))
    return expression


def meaning(symbol: Symbol, known_values: Mapping[str, Fraction]) -> Fraction | None:
    """The value of a name that stands by itself, or of the product that it can only be. Before powers are worked out,
    the whole expression wants to be `resolved`."""
    keys = [piece.key for piece in _pieces(symbol, known_values)]
    return (
        prod((known_values[key] for key in keys), start=Fraction(1))
        if all(key in known_values for key in keys)
        else None
    )


def _pieces(symbol: Symbol, known_values: Mapping[str, Fraction]) -> tuple[Symbol, ...]:
    """The names that a name is made of: itself, unless it can be cut in just one way."""
    if symbol.key in known_values:
        return (symbol,)
    cuts = list(_cuts(symbol.key, known_values, _MOST_PIECES))
    return tuple(Symbol(name) for name in cuts[0]) if len(cuts) == 1 else (symbol,)


def _cuts(key: str, known_values: Mapping[str, Fraction], most: int) -> Iterator[tuple[str, ...]]:
    """All ways to cut a key into at most some known ones."""
    if not key:
        yield ()
    elif most:
        for name in known_values:
            if name and key.startswith(name):
                for rest in _cuts(key[len(name) :], known_values, most - 1):
                    yield (name, *rest)

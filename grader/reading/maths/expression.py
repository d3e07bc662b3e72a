"""What a formula says, as a tree of frozen values."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TypeAlias

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
    """What an expression is made of, one level down."""
    match expression:
        case Negation():
            return (expression.operand,)
        case Sum():
            return expression.terms
        case Product():
            return expression.factors
        case Quotient():
            return expression.numerator, expression.denominator
        case Power():
            return expression.base, expression.exponent
        case Call():
            return expression.arguments
        case Relation():
            return expression.sides
    return ()


def walk(expression: Expression) -> Iterator[Expression]:
    """An expression and all that it is made of."""
    yield expression
    for part in parts(expression):
        yield from walk(part)

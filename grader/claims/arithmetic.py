"""Exact evaluation of written arithmetic, within bounds: no text of a student is ever run.

A written number may have several readings (`1,024`; a flattened power, `5122` for 512²), so an expression has a set of
possible values. Grammar: sums and differences of products and quotients of powers of numbers and brackets; a bracket
that follows a number or a bracket multiplies it.
"""

import re
from collections.abc import Callable
from fractions import Fraction

from grader.claims.numerals import NUMBER, readings

MAX_TOKENS = 200
MAX_DEPTH = 20
MAX_EXPONENT = 16
MAX_VALUES = 64
MAX_MAGNITUDE = 10**30

_TOKEN = re.compile(rf"\s*({NUMBER}|[-+×x/^()\[\]{{}}])")
_OPENING, _CLOSING = "([{", ")]}"
_FLATTENED_POWER = re.compile(r"(\d+)([23])")

Values = frozenset[Fraction]
_Number = Callable[[str], Values]


class NotArithmeticError(ValueError):
    """A text is no complete arithmetic expression, or one beyond the bounds."""


def evaluate(text: str) -> Values:
    """All values that a normalised text may have as arithmetic. Raises NotArithmeticError."""
    return _parsed(text, _all_readings)


def likeliest(text: str) -> Fraction:
    """The value of a normalised text when every number is read in the likeliest way. Raises NotArithmeticError."""
    (value,) = _parsed(text, lambda token: frozenset({Fraction(readings(token)[0])}))
    return value


def _parsed(text: str, number: _Number) -> Values:
    tokens = _tokens(text)
    parser = _Parser(tokens, number)
    values = parser.sum(0)
    if parser.position != len(tokens):
        raise NotArithmeticError(text)
    return values


def _tokens(text: str) -> list[str]:
    tokens: list[str] = []
    position = 0
    while text[position:].strip():
        match = _TOKEN.match(text, position)
        if match is None or len(tokens) == MAX_TOKENS:
            raise NotArithmeticError(text)
        tokens.append("×" if match.group(1) == "x" else match.group(1))
        position = match.end()
    return tokens


class _Parser:
    """Recursive descent over a token list; one use only."""

    def __init__(self, tokens: list[str], number: _Number) -> None:
        self.tokens = tokens
        self.number = number
        self.position = 0

    def sum(self, depth: int) -> Values:
        values = self.product(depth)
        while self.peek() in ("+", "-"):
            sign = 1 if self.take() == "+" else -1
            values = _combined(values, self.product(depth), lambda a, b, sign=sign: a + sign * b)  # type: ignore[misc]
        return values

    def product(self, depth: int) -> Values:
        values = self.power(depth)
        while True:
            symbol = self.peek()
            if symbol in ("×", "/"):
                self.take()
                operation = _quotient if symbol == "/" else _times
            elif symbol and symbol in _OPENING:
                operation = _times
            else:
                return values
            values = _combined(values, self.power(depth), operation)

    def power(self, depth: int) -> Values:
        base = self.atom(depth)
        if self.peek() != "^":
            return base
        self.take()
        return _combined(base, self.atom(depth), _raised)

    def atom(self, depth: int) -> Values:
        symbol = self.take()
        if depth > MAX_DEPTH or not symbol:
            raise NotArithmeticError
        if symbol == "-":
            return frozenset(-value for value in self.power(depth + 1))
        if symbol in _OPENING:
            values = self.sum(depth + 1)
            if self.take() != _CLOSING[_OPENING.index(symbol)]:
                raise NotArithmeticError
            return values
        if not symbol[0].isdigit():
            raise NotArithmeticError
        return self.number(symbol)

    def peek(self) -> str:
        return self.tokens[self.position] if self.position < len(self.tokens) else ""

    def take(self) -> str:
        token = self.peek()
        self.position += 1
        return token


def _all_readings(token: str) -> Values:
    values = {Fraction(value) for value in readings(token)}
    flattened = _FLATTENED_POWER.fullmatch(token)
    if flattened:
        values.add(Fraction(flattened.group(1)) ** int(flattened.group(2)))
    return frozenset(values)


def _combined(left: Values, right: Values, operation: Callable[[Fraction, Fraction], Fraction]) -> Values:
    values = frozenset(operation(a, b) for a in left for b in right)
    if len(values) > MAX_VALUES or any(abs(value) > MAX_MAGNITUDE for value in values):
        raise NotArithmeticError
    return values


def _times(left: Fraction, right: Fraction) -> Fraction:
    return left * right


def _quotient(left: Fraction, right: Fraction) -> Fraction:
    if right == 0:
        raise NotArithmeticError
    return left / right


def _raised(base: Fraction, exponent: Fraction) -> Fraction:
    if exponent.denominator != 1 or not 0 <= exponent <= MAX_EXPONENT:
        raise NotArithmeticError
    return base**exponent.numerator

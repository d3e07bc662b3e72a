"""From tokens to an expression. What is ambiguous is not understood: `1/2d`, or a large number before a bracket,
which may restate it as well as multiply it.
"""

from fractions import Fraction
from functools import lru_cache
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
from grader.reading.maths.scanner import scan
from grader.reading.maths.tokens import FUNCTIONS, Kind, OpaqueError, Token

_END: Final = Token(Kind.END, "")


LONGEST: Final = 2_000
"""A longer text, in characters, is not taken for one formula."""

DEEPEST: Final = 40
"""How far brackets, fractions and exponents may be nested."""

_END_MARKS: Final = tuple(".,;:")
_RESTATED_FROM: Final = 10_000
_WORDY: Final = 3
_OPERANDS: Final = (Kind.NUMBER, Kind.WORD, Kind.TEXT, Kind.OPEN, Kind.FRACTION, Kind.ROOT, Kind.BAR)
_CLOSED_BY: Final = {"(": ")", "[": "]", "{": "}", "lbrace": "rbrace", "lbrack": "rbrack"}


@lru_cache(maxsize=2048)
def parse_maths(text: str) -> Expression | None:
    """What a formula says, written in LaTeX or in plain characters; None when it is not understood as a whole. Marks
    at its end and `$` around it are no part of it."""
    source = text.strip().strip("$").strip()
    if len(source) > LONGEST:
        return None
    while source.endswith(_END_MARKS) and not source[:-1].endswith("\\"):
        source = source[:-1].rstrip()
    if not source:
        return None
    try:
        return _Parser(scan(source)).relation()
    except OpaqueError:
        return None


class _Parser:
    """Recursive descent over tokens; one use only."""

    def __init__(self, tokens: list[Token]) -> None:
        self.tokens = tokens
        self.position = 0
        self.bars = 0

    def peek(self, ahead: int = 0) -> Token:
        """The next token, or one further on; behind the last an END."""
        index = self.position + ahead
        return self.tokens[index] if index < len(self.tokens) else _END

    def take(self, kind: Kind | None = None) -> Token:
        """The next token, which must be of a kind, passing it."""
        token = self.peek()
        if kind is not None and token.kind is not kind:
            raise OpaqueError(f"{kind} is missing")
        self.position += 1
        return token

    def at_end(self) -> bool:
        """Whether nothing but ends of rows is left, which are passed."""
        self.skip_rows()
        return self.position >= len(self.tokens)

    def skip_rows(self) -> None:
        while self.peek().kind is Kind.ROW:
            self.position += 1

    def operator_ahead(self, signs: str) -> bool:
        """Whether an operator comes next; a new row may begin with one or follow one."""
        start = self.position
        self.skip_rows()
        token = self.peek()
        if token.kind is Kind.OPERATOR and token.text in signs:
            return True
        self.position = start
        return False

    def relation(self) -> Expression:
        self.skip_rows()
        sides = [] if self.peek().kind is Kind.RELATION else [self.sum(0)]
        operators = []
        while not self.at_end():
            operators.append(self.take(Kind.RELATION).text)
            self.skip_rows()
            sides.append(self.sum(0))
        return Relation(tuple(operators), tuple(sides)) if operators else sides[0]

    def sum(self, depth: int) -> Expression:
        if depth > DEEPEST:
            raise OpaqueError("too deep")
        terms = [self.term(depth, first=True)]
        while self.operator_ahead("+-"):
            terms.append(self.term(depth, first=False))
        return terms[0] if len(terms) == 1 else Sum(tuple(terms))

    def term(self, depth: int, *, first: bool) -> Expression:
        sign = "+"
        if not first or self.operator_ahead("+-"):
            sign = self.take(Kind.OPERATOR).text
        self.skip_rows()
        value = self.product(depth)
        return Negation(value) if sign == "-" else value

    def product(self, depth: int) -> Expression:
        factors = [self.factor(depth)]
        divided = False
        while True:
            if self.operator_ahead("×/"):
                sign = self.take().text
                self.skip_rows()
                operand = self.signed(depth)
                divided = sign == "/"
                factors = [Quotient(_product(factors), operand)] if divided else [*factors, operand]
            elif self.is_cross():
                self.take()
                factors.append(self.signed(depth))
                divided = False
            elif self.follows_directly():
                if divided:
                    raise OpaqueError("what belongs to the denominator is open")
                factors = self.joined(factors, depth)
            else:
                return _product(factors)

    def signed(self, depth: int) -> Expression:
        """A factor behind an operator, which may have a sign of its own."""
        if self.peek().kind is Kind.OPERATOR and self.peek().text == "-":
            self.take()
            return Negation(self.factor(depth))
        return self.factor(depth)

    def is_cross(self) -> bool:
        """Whether a letter x stands for the sign ×: alone between two operands."""
        token, after = self.peek(), self.peek(1)
        alone = token.kind is Kind.WORD and token.text in ("x", "X") and after.kind in _OPERANDS
        return alone and ((token.spaced and after.spaced) or after.kind in (Kind.NUMBER, Kind.OPEN))

    def follows_directly(self) -> bool:
        kind = self.peek().kind
        return kind in _OPERANDS and not (kind is Kind.BAR and self.bars > 0)

    def joined(self, factors: list[Expression], depth: int) -> list[Expression]:
        """The factors with one more that follows without a sign: words may go on a name or say what was counted."""
        last, token = factors[-1], self.peek()
        if token.kind is Kind.TEXT and not token.text[0].isalnum():
            self.take()
            return factors
        if token.kind is Kind.NUMBER:
            raise OpaqueError("a number without a sign before it")
        if isinstance(last, Symbol) and _is_wordy(last) and self.is_word_ahead():
            return [*factors[:-1], Symbol(f"{last.name} {self.take().text}")]
        if token.kind is Kind.OPEN:
            if isinstance(last, Number) and last.value >= _RESTATED_FROM:
                raise OpaqueError("a bracket that may restate the number before it")
            return self.bracketed(factors, depth)
        return [*factors, self.factor(depth)]

    def is_word_ahead(self) -> bool:
        token = self.peek()
        if token.kind is Kind.TEXT:
            return True
        named = token.kind is Kind.WORD and len(token.text) >= _WORDY and token.text not in FUNCTIONS
        return named and self.peek(1).kind not in (Kind.SUBSCRIPT, Kind.POWER)

    def bracketed(self, factors: list[Expression], depth: int) -> list[Expression]:
        """A bracket behind an operand: a factor, or the arguments of a function when there are several."""
        arguments = self.bracket(depth)
        last = factors[-1]
        if len(arguments) > 1:
            if not isinstance(last, Symbol) or self.peek().kind is Kind.POWER:
                raise OpaqueError("a list of values")
            return [*factors[:-1], Call(_function(last), arguments)]
        if isinstance(last, Symbol) and _is_wordy(last) and isinstance(arguments[0], Number):
            raise OpaqueError("a value in brackets behind a name")
        return [*factors, self.power(arguments[0], depth)]

    def factor(self, depth: int) -> Expression:
        token = self.peek()
        if token.kind is Kind.WORD and token.text in FUNCTIONS:
            return self.power(self.call(depth), depth)
        return self.power(self.operand(depth), depth)

    def power(self, base: Expression, depth: int) -> Expression:
        if self.peek().kind is not Kind.POWER:
            return base
        if depth > DEEPEST:
            raise OpaqueError("too deep")
        self.take()
        grouped = self.peek().kind is Kind.GROUP
        exponent = self.group(depth) if grouped else self.power(self.operand(depth), depth + 1)
        if self.peek().kind is Kind.SUBSCRIPT and isinstance(base, Symbol) and not base.subscript:
            base = Symbol(base.name, self.take().text)
        if self.peek().kind is Kind.POWER:
            exponent = self.power(exponent, depth + 1)
        return Power(base, exponent)

    def operand(self, depth: int) -> Expression:
        token = self.peek()
        match token.kind:
            case Kind.NUMBER:
                self.take()
                return Number(token.value, token.text)
            case Kind.WORD | Kind.TEXT:
                return self.symbol()
            case Kind.OPEN:
                values = self.bracket(depth)
                if len(values) > 1:
                    raise OpaqueError("a list of values")
                return values[0]
            case Kind.BAR:
                return self.absolute(depth)
            case Kind.FRACTION:
                self.take()
                above = self.group(depth)
                return Quotient(above, self.group(depth))
            case Kind.ROOT:
                degree = self.take().text
                inner = self.group(depth)
                if not degree:
                    return Call("sqrt", (inner,))
                if not degree.isascii() or not degree.isdecimal():
                    raise OpaqueError("a degree")
                return Call("root", (inner, Number(Fraction(int(degree)), degree)))
        raise OpaqueError(f"{token.kind} where a value should stand")

    def symbol(self) -> Symbol:
        token = self.take()
        name = token.text.strip("()[] ")
        if not name or not name[0].isalpha():
            raise OpaqueError("a name that is none")
        name, _, tail = name.partition("_") if " " not in name else (name, "", "")
        if self.peek().kind is Kind.SUBSCRIPT:
            tail = self.take().text if not tail else f"{tail}_{self.take().text}"
        return Symbol(name, tail)

    def call(self, depth: int) -> Expression:
        """A function with its arguments in brackets, or with the one factor that follows it."""
        name = self.symbol()
        if self.peek().kind is Kind.OPEN:
            arguments = self.bracket(depth)
            if any(isinstance(value, Number) and ", " in value.text for value in arguments):
                raise OpaqueError("one number or two")
            return Call(_function(name), arguments)
        if self.peek().kind in (Kind.WORD, Kind.NUMBER, Kind.FRACTION, Kind.ROOT):
            if depth > DEEPEST:
                raise OpaqueError("too deep")
            return Call(_function(name), (self.factor(depth + 1),))
        return name

    def bracket(self, depth: int) -> tuple[Expression, ...]:
        opened = self.take(Kind.OPEN)
        bars, self.bars = self.bars, 0
        values: list[Expression] = []
        while not values or self.peek().kind is Kind.COMMA:
            if values:
                self.take(Kind.COMMA)
            self.skip_rows()
            values.append(self.sum(depth + 1))
        self.skip_rows()
        self.bars = bars
        if self.take(Kind.CLOSE).text != _CLOSED_BY[opened.text]:
            raise OpaqueError("brackets that do not match")
        if len(values) > 1 and any(isinstance(value, Number) and ", " in value.text for value in values):
            raise OpaqueError("one number or two")
        return tuple(values)

    def group(self, depth: int) -> Expression:
        self.take(Kind.GROUP)
        bars, self.bars = self.bars, 0
        value = self.sum(depth + 1)
        self.bars = bars
        self.take(Kind.END)
        return value

    def absolute(self, depth: int) -> Expression:
        self.take(Kind.BAR)
        self.bars += 1
        value = self.sum(depth + 1)
        self.bars -= 1
        self.take(Kind.BAR)
        return Call("abs", (value,))


def _product(factors: list[Expression]) -> Expression:
    return factors[0] if len(factors) == 1 else Product(tuple(factors))


def _is_wordy(symbol: Symbol) -> bool:
    return len(symbol.name) >= _WORDY and not symbol.subscript


def _function(name: Symbol) -> str:
    return f"{name.name}_{name.subscript}" if name.subscript else name.name

"""A formula in LaTeX or plain characters cut into tokens, and these put together to an expression. What only changes
the looks is left out. What is ambiguous is not understood: `1/2d`, or a large number before a bracket, which may
restate it as well as multiply it.
"""

import re
from collections.abc import Collection
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
from grader.reading.maths.tokens import (
    ACCENTS,
    BRACKETS,
    DROPPED,
    FONTS,
    FUNCTIONS,
    GREEK,
    NAMES,
    OPERATORS,
    RELATIONS,
    ROWED,
    SPACES,
    SUBSCRIPTS,
    SUPERSCRIPTS,
    TEXTS,
    THIN,
    WITH_COLUMNS,
    Kind,
    OpaqueError,
    Token,
    group_end,
    is_words,
    number_at,
    plain_name,
)

MOST_TOKENS: Final = 600

_SIGNS: Final = {
    **{name: (Kind.WORD, name) for name in NAMES | FUNCTIONS},
    **{name: (Kind.OPERATOR, sign) for name, sign in OPERATORS.items()},
    **{name: (Kind.RELATION, sign) for name, sign in RELATIONS.items()},
    **{name: (Kind(sign), name) for name, sign in BRACKETS.items()},
    "{": (Kind.OPEN, "{"),
    "}": (Kind.CLOSE, "}"),
}
"""Signs and commands that are one token, with its kind and text."""

_WORD: Final = re.compile(r"[^\W\d_]\w*?(?=\W|_|\Z)")
_COMMAND: Final = re.compile(r"\\([a-zA-Z]+\*?|.)", re.DOTALL)
_SPACE: Final = re.compile(r"\s+")
_SUPERSCRIPT: Final = re.compile(f"[{''.join(map(chr, SUPERSCRIPTS))}]+")
_SUBSCRIPT: Final = re.compile(f"[{''.join(map(chr, SUBSCRIPTS))}]+")
_MARK: Final = re.compile(r"(?:\\mathord|\\mathpunct)?\{([,.])\}")
_THIN: Final = re.compile(r"\{?\\(?:,|thinspace(?![a-zA-Z]) ?)\}?|\{~\}|[\u202f\u2009]")
_ENVIRONMENT: Final = re.compile(r"\s*\{([a-zA-Z]+\*?)\}")
_DEGREE: Final = re.compile(r"\s*\[([^\[\]]{1,10})\]")
_PLAIN_ARGUMENT: Final = re.compile(r"\s*(\w|\\[a-zA-Z]+)")
_WORD_TAIL: Final = re.compile(r"(?:\\?_[^\W_]+)+")
_SCRIPT: Final = re.compile(r"\s*[_^]")
_ROW_SPACE: Final = re.compile(r"\*?(?:\s*\[[^\[\]]*\])?")
_TIMES: Final = re.compile(r"[xX](?=\d)")
_FLOOR_DIVISION: Final = "//"
_LONE_LABEL: Final = re.compile(r"\\[a-zA-Z]+|[^\W_]+(?:\\?_[^\W_]+)*|\S")


def scan(text: str) -> list[Token]:
    """The tokens of a formula. Raises OpaqueError for what is not understood."""
    text = _MARK.sub(r"\1", text)
    text = _THIN.sub(THIN, text).replace("\u00a0", " ").replace("**", "^")
    text = _SUPERSCRIPT.sub(lambda match: "^{" + match.group().translate(SUPERSCRIPTS) + "}", text)
    text = _SUBSCRIPT.sub(lambda match: "_{" + match.group().translate(SUBSCRIPTS) + "}", text)
    return _Scanner(text).scan_tokens()


class _Scanner:
    """One pass over a text; one use only. Braces that hold no argument are invisible, as TeX sets them."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.position = 0
        self.spaced = False
        self.tokens: list[Token] = []
        self.wanted = 0
        """How many groups the command just read still takes as arguments."""
        self.open: list[tuple[bool, int, bool]] = []
        """For each open brace: whether it is kept, what its owner wants behind it, and whether scripts behind it are
        labels."""

    def scan_tokens(self) -> list[Token]:
        while self.position < len(self.text):
            self.step()
            if len(self.tokens) > MOST_TOKENS:
                raise OpaqueError("too long")
        if self.open or self.wanted:
            raise OpaqueError("an argument is missing")
        return self.tokens

    def step(self) -> None:
        text, start = self.text, self.position
        space = _SPACE.match(text, start)
        if space:
            self.position, self.spaced = space.end(), True
            return
        sign = text[start]
        if self.wanted and sign not in "{\\":
            self.lone_argument()
        elif sign == "\\":
            self.command()
        elif sign in "{}":
            self.brace(sign)
        elif sign == "√":
            self.position += 1
            self.add(Kind.WORD, "sqrt")
        elif sign == "_":
            self.position += 1
            self.add(Kind.SUBSCRIPT, self.label())
        elif sign == "^":
            self.position += 1
            self.add(Kind.POWER, "^")
            self.wanted = 1
        elif sign.isdecimal():
            self.number(lone=False)
        else:
            self.sign(sign)

    def add(self, kind: Kind, text: str) -> None:
        self.tokens.append(Token(kind, text, self.spaced))
        self.spaced = False

    def number(self, *, lone: bool) -> None:
        if not self.text[self.position].isascii():
            raise OpaqueError("digits of another script")
        token, self.position = number_at(self.text, self.position, spaced=self.spaced, lone=lone)
        self.tokens.append(token)
        self.spaced = False

    def sign(self, sign: str) -> None:
        self.position += 1
        if sign in GREEK:
            self.add(Kind.WORD, GREEK[sign])
        elif sign.isalpha():
            self.word(self.position - 1)
        elif sign == ":" and self.text.startswith("=", self.position):
            self.position += 1
            self.add(Kind.RELATION, "=")
        elif sign == "/" and self.text.startswith("/", self.position):
            self.position += 1
            self.add(Kind.OPERATOR, _FLOOR_DIVISION)
        elif sign in _SIGNS:
            self.add(*_SIGNS[sign])
        elif sign in ",;":
            self.add(Kind.COMMA, ",")
        elif sign not in "&$":
            raise OpaqueError(f"the sign {sign}")

    def word(self, start: int) -> None:
        """A name; `\\_` within it and what follows is its subscript."""
        after_value = bool(self.tokens) and self.tokens[-1].kind in (Kind.NUMBER, Kind.CLOSE)
        if after_value and _TIMES.match(self.text, start):
            self.add(Kind.OPERATOR, "×")
            return
        match = _WORD.match(self.text, start)
        end = match.end() if match else start + 1
        self.position = end
        self.add(Kind.WORD, self.text[start:end])
        tail = _WORD_TAIL.match(self.text, end)
        if tail and self.text.startswith("\\_", end):
            self.position = tail.end()
            self.add(Kind.SUBSCRIPT, tail.group().replace("\\", "")[1:])

    def lone_argument(self) -> None:
        """An argument without braces: one character in LaTeX; behind `^` people write a whole number or name."""
        exponent = bool(self.tokens) and self.tokens[-1].kind is Kind.POWER
        wanted, self.wanted = self.wanted - 1, 0
        sign = self.text[self.position]
        if exponent and sign in "([":
            return
        self.add(Kind.GROUP, "{")
        if sign.isdecimal():
            if exponent:
                self.number(lone=True)
            else:
                self.position += 1
                self.tokens.append(number_at(sign, 0, spaced=False, lone=True)[0])
        elif exponent and sign in "-−–":
            self.position += 1
            self.add(Kind.OPERATOR, "-")
            if not self.text[self.position : self.position + 1].isdecimal():
                raise OpaqueError("an exponent")
            self.number(lone=True)
        else:
            self.sign(sign)
        self.add(Kind.END, "}")
        self.wanted = wanted

    def brace(self, sign: str) -> None:
        self.position += 1
        if sign == "{":
            kept = self.wanted > 0
            self.open.append((kept, max(self.wanted - 1, 0), False))
            self.wanted = 0
            if kept:
                self.add(Kind.GROUP, "{")
            return
        if not self.open or self.wanted:
            raise OpaqueError("a brace that was not opened")
        kept, wanted, labelled = self.open.pop()
        if kept:
            self.add(Kind.END, "}")
            self.wanted = wanted
        if labelled:
            script = _SCRIPT.match(self.text, self.position)
            if script:
                self.position = script.end()
                self.label()

    def command(self) -> None:
        match = _COMMAND.match(self.text, self.position)
        if match is None:
            raise OpaqueError("a lone backslash")
        name, self.position = match[1], match.end()
        if name == "\\":
            skipped = _ROW_SPACE.match(self.text, self.position)
            self.position = skipped.end() if skipped else self.position
            self.add(Kind.ROW, "")
        elif name in SPACES:
            self.spaced = True
            if name in ("left", "right", "middle") and self.text.startswith(".", self.position):
                self.position += 1
        elif name in DROPPED:
            self.argument()
        elif name in ("begin", "end"):
            self.environment(name)
        elif self.wanted:
            self.as_argument(name)
        else:
            self.visible(name)

    def as_argument(self, name: str) -> None:
        """A command that is an argument without braces, as in `x^\\pi`."""
        wanted, self.wanted = self.wanted, 0
        self.add(Kind.GROUP, "{")
        self.visible(name)
        if self.wanted or (self.open and self.open[-1][2]):
            raise OpaqueError("an argument without braces")
        self.add(Kind.END, "}")
        self.wanted = wanted - 1

    def visible(self, name: str) -> None:
        if name in ("frac", "dfrac", "tfrac", "cfrac", "nicefrac", "sfrac"):
            self.add(Kind.FRACTION, name)
            self.wanted = 2
        elif name == "sqrt":
            degree = _DEGREE.match(self.text, self.position)
            self.position = degree.end() if degree else self.position
            self.add(Kind.ROOT, degree[1].strip() if degree else "")
            self.wanted = 1
        elif name in ("underbrace", "overbrace"):
            self.unwrap_argument(labelled=True)
        elif name in FONTS:
            self.unwrap_argument(labelled=False)
        elif name == "textcolor":
            self.argument()
            self.unwrap_argument(labelled=False)
        elif name in TEXTS:
            self.words(self.argument())
        elif name in ACCENTS:
            self.read_accent(name)
        elif name in _SIGNS:
            self.add(*_SIGNS[name])
        else:
            raise OpaqueError(f"the command {name}")

    def unwrap_argument(self, *, labelled: bool) -> None:
        """The argument of a font or of a brace below is read as if it stood there alone."""
        lone = _PLAIN_ARGUMENT.match(self.text, self.position)
        if lone and not labelled:
            return
        start, inner = self.behind_space(), self.argument()
        if not labelled and is_words(inner):
            self.add(Kind.WORD if inner.isalnum() else Kind.TEXT, plain_name(inner))
            return
        self.position = start + 1
        self.open.append((False, 0, labelled))

    def words(self, inner: str) -> None:
        """Words in upright type; where they are numbers and signs they are read as such."""
        plain = plain_name(inner)
        if not plain:
            self.spaced = True
        elif plain.isalnum() and plain[0].isalpha():
            self.add(Kind.WORD, plain)
        elif re.search(r"[^\W\d_]{2}", plain):
            self.add(Kind.TEXT, plain)
        else:
            self.text = self.text[: self.position] + f" {inner} " + self.text[self.position :]

    def read_accent(self, name: str) -> None:
        start = self.position
        if self.text[start : start + 2].strip().startswith("{"):
            inner = self.argument()
        else:
            match = _PLAIN_ARGUMENT.match(self.text, start)
            if match is None:
                raise OpaqueError("an argument is missing")
            inner, self.position = match[1], match.end()
        letters = plain_name(inner)
        if not letters.isalpha():
            raise OpaqueError("an accent over more than a letter")
        self.add(Kind.WORD, letters + name)

    def environment(self, name: str) -> None:
        match = _ENVIRONMENT.match(self.text, self.position)
        if match is None or match[1] not in ROWED:
            raise OpaqueError("an environment")
        self.position = match.end()
        if name == "begin" and match[1] in WITH_COLUMNS:
            self.argument()
        self.spaced = True

    def label(self) -> str:
        """The words of a subscript, or of what stands under a brace."""
        start = self.behind_space()
        command = _COMMAND.match(self.text, start)
        begin = command.end() if command and command[1] in TEXTS | FONTS else start
        if self.text.startswith("{", begin):
            end = group_end(self.text, begin)
            self.position = end + 1
            return plain_name(self.text[begin + 1 : end])
        match = _LONE_LABEL.match(self.text, start)
        if match is None:
            raise OpaqueError("a subscript is missing")
        self.position = match.end()
        # What `d_kd_{model}` has behind its first subscript: where the next name begins is not known here.
        while self.text.startswith("_{", self.position):
            self.position = group_end(self.text, self.position + 1) + 1
        return plain_name(match.group() + self.text[match.end() : self.position])

    def argument(self) -> str:
        """The source of the group that follows."""
        start = self.behind_space()
        if not self.text.startswith("{", start):
            raise OpaqueError("an argument is missing")
        end = group_end(self.text, start)
        self.position = end + 1
        return self.text[start + 1 : end]

    def behind_space(self) -> int:
        space = _SPACE.match(self.text, self.position)
        return space.end() if space else self.position


_END: Final = Token(Kind.END, "")


LONGEST: Final = 2_000
"""A longer text, in characters, is not taken for one formula."""

DEEPEST: Final = 40
"""How far brackets, fractions and exponents may be nested."""

_END_MARKS: Final = tuple(".,;:")
_RESTATED_FROM: Final = 10_000
_WORDY: Final = 3
_OPERANDS: Final = (Kind.NUMBER, Kind.WORD, Kind.TEXT, Kind.OPEN, Kind.FRACTION, Kind.ROOT, Kind.BAR)
_CLOSED_BY: Final = {
    **{"(": ")", "[": "]", "{": "}", "lbrace": "rbrace", "lbrack": "rbrack"},
    **{"lfloor": "rfloor", "⌊": "⌋", "lceil": "rceil", "⌈": "⌉"},
}
_ROUNDED_BY: Final = {"lfloor": "floor", "⌊": "floor", "lceil": "ceil", "⌈": "ceil"}
"""Brackets that round what stands in them, by the functions that do so."""


@lru_cache(maxsize=2048)
def parse_maths(text: str) -> Expression | None:
    """Return the meaning of a formula, written in LaTeX or in plain characters; None when it is not understood as a
    whole. Marks at its end and `$` around it are no part of it."""
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

    def operator_ahead(self, signs: Collection[str]) -> bool:
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
            if self.operator_ahead(("×", "/", _FLOOR_DIVISION)):
                sign = self.take().text
                self.skip_rows()
                operand = self.signed_factor(depth)
                divided = sign != "×"
                factors = [_divided(factors, operand, sign)] if divided else [*factors, operand]
            elif self.is_cross():
                self.take()
                factors.append(self.signed_factor(depth))
                divided = False
            elif self.follows_directly():
                if divided:
                    raise OpaqueError("what belongs to the denominator is open")
                factors = self.with_next_factor(factors, depth)
            else:
                return _product(factors)

    def signed_factor(self, depth: int) -> Expression:
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

    def with_next_factor(self, factors: list[Expression], depth: int) -> list[Expression]:
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
            return self.with_bracket(factors, depth)
        return [*factors, self.factor(depth)]

    def is_word_ahead(self) -> bool:
        token = self.peek()
        if token.kind is Kind.TEXT:
            return True
        named = token.kind is Kind.WORD and len(token.text) >= _WORDY and token.text not in FUNCTIONS
        return named and self.peek(1).kind not in (Kind.SUBSCRIPT, Kind.POWER)

    def with_bracket(self, factors: list[Expression], depth: int) -> list[Expression]:
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
        rounding = _ROUNDED_BY.get(opened.text)
        return (Call(rounding, tuple(values)),) if rounding else tuple(values)

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


def _divided(factors: list[Expression], operand: Expression, sign: str) -> Expression:
    """Some factors over an operand, rounded down where the sign is Python's for that."""
    value = Quotient(_product(factors), operand)
    return Call("floor", (value,)) if sign == _FLOOR_DIVISION else value


def _product(factors: list[Expression]) -> Expression:
    return factors[0] if len(factors) == 1 else Product(tuple(factors))


def _is_wordy(symbol: Symbol) -> bool:
    return len(symbol.name) >= _WORDY and not symbol.subscript


def _function(name: Symbol) -> str:
    return f"{name.name}_{name.subscript}" if name.subscript else name.name

"""Laws of formulas: what is written is read back, and no text makes the parser raise or hang."""

import random
import string
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

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
from grader.reading.maths.formula import Formula, format_expression, formulas_in, formulas_of
from grader.reading.maths.parser import parse_maths
from tests.patience import within

NUMBERS = st.one_of(
    st.integers(0, 10**12).map(lambda value: Number(Fraction(value))),
    st.builds(
        lambda whole, part: Number(Fraction(whole) + Fraction(part, 1000)), st.integers(0, 999), st.integers(1, 999)
    ),
)
NAMES = st.sampled_from(["N", "d", "h", "V", "L", "T", "alpha", "hidden size", "vocab", "dmodel", "W", "r"])
SYMBOLS = st.builds(Symbol, NAMES, st.sampled_from(["", "model", "ff", "k", "1", "i,j"])).filter(
    lambda symbol: not (symbol.subscript and " " in symbol.name)
)
FUNCTIONS = st.sampled_from(["sqrt", "log", "abs", "max", "log_2"])


def grown(parts: st.SearchStrategy[Expression]) -> st.SearchStrategy[Expression]:
    several = st.lists(parts, min_size=2, max_size=4).map(tuple)
    return st.one_of(
        st.builds(Negation, parts),
        st.builds(Sum, several),
        st.builds(Product, several),
        st.builds(Quotient, parts, parts),
        st.builds(Power, parts, parts),
        st.builds(lambda function, argument: Call(function, (argument,)), FUNCTIONS, parts),
    )


EXPRESSIONS: st.SearchStrategy[Expression] = st.recursive(st.one_of(NUMBERS, SYMBOLS), grown, max_leaves=12)
SIGNS = st.sampled_from(["=", "≈", "<", "≤", ">", "≥", "≠"])


@st.composite
def relations(draw: st.DrawFn) -> Relation:
    operators = draw(st.lists(SIGNS, min_size=1, max_size=3))
    sides = len(operators) + draw(st.integers(0, 1))
    return Relation(tuple(operators), tuple(draw(st.lists(EXPRESSIONS, min_size=sides, max_size=sides))))


@settings(deadline=None, max_examples=120)
@given(st.one_of(EXPRESSIONS, relations()))
def test_what_is_written_is_read_back(expression: Expression) -> None:
    assert parse_maths(format_expression(expression)) == expression


@settings(deadline=None)
@given(EXPRESSIONS)
def test_json_is_read_back(expression: Expression) -> None:
    formula = Formula(start=0, end=1, expression=expression)
    assert Formula.model_validate_json(formula.model_dump_json()) == formula


WRITTEN = (
    r"\frac \sqrt \left( \right) \text{a b} \underbrace { } ( ) [ ] | ^ _ + - * / = x d 512 22,807 \\ & $ $$ \( \) \["
    r" \begin{aligned} \end{aligned} \times \cdot \mathbf \boxed \text \_ \, {,} ² ₖ · 1e9 0.5 \alpha \bar \hspace \tag"
)
PIECES = [*WRITTEN.split(" "), " "]


@settings(deadline=None, max_examples=150)
@given(st.one_of(st.text(max_size=60), st.lists(st.sampled_from(PIECES), max_size=30).map("".join)))
def test_nothing_makes_the_parser_raise(text: str) -> None:
    expression = parse_maths(text)
    if expression is not None:
        assert parse_maths(format_expression(expression)) == expression
    for formula in (*formulas_in(text), *formulas_of(text)):
        assert 0 <= formula.start < formula.end <= len(text)
        assert formula.expression == parse_maths(text[formula.start : formula.end])


HOSTILE = {
    "brackets": "(" * 1_999,
    "closed brackets": "(" * 999 + "1" + ")" * 999,
    "powers": "^".join("a" * 999),
    "braces": "{" * 1_999,
    "fractions": r"\frac" * 399,
    "nested fractions": r"\frac{1}{" * 150 + "1" + "}" * 150,
    "minus signs": "-" * 1_999,
    "bars": "|" * 1_999,
    "texts": r"\text{" * 300,
    "words in words": r"\text{(" * 200 + ")}" * 200,
    "functions": r"\log " * 380 + "2",
    "long digits": "9" * 1_999,
    "tower": "9^{9^{9^{9^9}}}",
    "rows": r"\\" * 990 + "1",
    "names": "a" * 1_999,
    "spaces": " " * 1_000_000 + "1",
    "a million": "1 + " * 250_000 + "1",
    "many dollars": "$a$ " * 100_000,
    "open displays": r"\[" * 200_000 + r"\]",
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_texts_end_soon(name: str) -> None:
    text = HOSTILE[name]
    with within(2):
        expression = parse_maths(text)
        if expression is not None:
            format_expression(expression)
        formulas_in(text)
        formulas_of(text)


def test_long_random_texts_are_bounded() -> None:
    chance = random.Random(4)
    with within(5):
        for _ in range(200):
            parse_maths("".join(chance.choices(string.printable + "\\\\{{}}^_$", k=2_000)))

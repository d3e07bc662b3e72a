"""Formulas as people write them: what is understood, what it is worth, and what is left to people."""

from collections.abc import Mapping
from fractions import Fraction
from math import isqrt, prod

import pytest

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
    meaning,
    resolve_names,
)
from grader.reading.maths.formula import format_expression
from grader.reading.maths.parser import parse_maths

SYMBOLS = {
    "N": 4, "d": 512, "d_model": 512, "d_ff": 512, "V": 32_000, "T": 256, "h": 8, "d_k": 64, "d_v": 64,
    "hidden size": 512, "n_tokens": 32_000,
}  # fmt: skip


def parsed(text: str) -> Expression:
    expression = parse_maths(text)
    assert expression is not None, text
    return expression


def value(expression: Expression, known: Mapping[str, Fraction]) -> Fraction:
    """Raises TypeError for a name without a meaning."""
    match expression:
        case Number():
            return expression.value
        case Symbol() if (found := meaning(expression, known)) is not None:
            return found
        case Negation(operand=operand):
            return -value(operand, known)
        case Sum(terms=terms):
            return sum((value(one, known) for one in terms), Fraction(0))
        case Product(factors=factors):
            return prod((value(one, known) for one in factors), start=Fraction(1))
        case Quotient(numerator=above, denominator=below):
            return value(above, known) / value(below, known)
        case Power(base=base, exponent=exponent):
            return value(base, known) ** int(value(exponent, known))
        case Call(function="abs", arguments=(one,)):
            return abs(value(one, known))
        case Call(function="sqrt", arguments=(one,)):
            return Fraction(isqrt(int(value(one, known))))
    raise TypeError(expression)


def test_the_tree() -> None:
    d = Symbol("d", "model")
    four_squares = Product((Number(Fraction(4)), Power(d, Number(Fraction(2)))))
    expected = Relation(("=",), (Symbol("n"), Product((Symbol("N"), Sum((four_squares, Symbol("b")))))))
    assert parse_maths(r"n = N \times (4 d_{model}^2 + b)") == expected


@pytest.mark.parametrize(
    ("text", "worth"),
    [
        (r"N \times (4 d_{model}^2 + 2 d_{model} d_{ff})", 6_291_456),
        (r"N\left[h\left(d_{model}d_k + d_{model}d_k + d_{model}d_v\right) + hd_vd_{model}\right]", 4_194_304),
        (r"\underbrace{3 d_{model}^2}_{\text{attention}} + \overbrace{d^2}^{concat}", 1_048_576),
        (r"4d^2", 1_048_576),
        ("3(d^2+d)", 787_968),
        ("4 × 512^2", 1_048_576),
        ("512² × 4", 1_048_576),
        ("12 · d²", 3_145_728),
        ("4 * 512**2", 1_048_576),
        ("4 x 512 x 512", 1_048_576),
        ("4x512", 2_048),
        ("(32 000 + 258) x 512", 16_516_096),
        (r"|V| \times d", 16_384_000),
        (r"\text{hidden size} \times \text{hidden size}", 262_144),
        ("hidden size × 2", 1_024),
        ("Nd", 2_048),
        ("hd_v", 512),
        ("Nd^2", 1_048_576),
        ("2Nd_k^2 h", 262_144),
        (r"hd_vd_{model}^2", 8 * 64 * 512**2),
        ("4dmodel^2", 1_048_576),
        (r"\frac{N}{2} \cdot d_\text{model}^2", 524_288),
        (r"\frac12", Fraction(1, 2)),
        ("512/8", 64),
        ("512/8/2", 32),
        ("d/h × 2", 128),
        (r"\sqrt{d_k}", 8),
        (r"22{,}807{,}552", 22_807_552),
        (r"22\,807\,552", 22_807_552),
        ("22 807 552", 22_807_552),
        ("22, 807, 552", 22_807_552),
        ("22.807.552", 22_807_552),
        ("1,234.5", Fraction(2_469, 2)),
        ("1,024", 1_024),
        ("1.024", Fraction(128, 125)),
        ("0,799", Fraction(799, 1_000)),
        ("1,5 + 0,25", Fraction(7, 4)),
        (r"\;4 \times 2\,. ", 8),
        ("2e-5", Fraction(1, 50_000)),
        (r"1 \times 10^{-5}", Fraction(1, 100_000)),
        ("-2^2", -4),
        (r"5 \times 3 - 2 \times -1", 17),
        ("2^3^2", 512),
        (r"\boxed{\mathbf{4} + 2}", 6),
        (r"4 \times 512 \text{ (attention)}", 2_048),
    ],
)
def test_values(text: str, worth: int | Fraction) -> None:
    known = {canonical(name): Fraction(number) for name, number in SYMBOLS.items()}
    assert value(resolve_names(parsed(text), known), known) == worth


def test_functions_of_several_arguments() -> None:
    two, four = Number(Fraction(2)), Number(Fraction(4))
    assert parsed(r"\sqrt[2]{4}") == Call("root", (four, two))
    assert parsed("max(2, 4) + mean(4, 2)") == Sum((Call("max", (two, four)), Call("mean", (four, two))))


@pytest.mark.parametrize("name", ["abc", "xyz"])
def test_a_name_that_can_be_cut_in_two_ways_or_none_has_no_meaning(name: str) -> None:
    known = {key: Fraction(number) for key, number in {"a": 2, "bc": 3, "ab": 5, "c": 7}.items()}
    assert meaning(Symbol(name), known) is None


def test_what_is_divided_by_is_not_cut() -> None:
    known = {"N": Fraction(4), "d": Fraction(512)}
    assert resolve_names(parsed("512/Nd"), known) == parsed("512/Nd")


def test_spellings_of_one_name() -> None:
    spellings = [
        "d_{model}",
        r"d_{\text{model}}",
        r"d_\mathrm{model}",
        "d_model",
        "dmodel",
        r"\text{d\_model}",
        "dₘₒdₑₗ",
    ]
    keys = {expression.key for text in spellings[:-1] if isinstance(expression := parsed(text), Symbol)}
    assert keys == {"dmodel"}


@pytest.mark.parametrize(
    "text",
    [
        "1/2d",
        "512/8(3)",
        "16,384,000 (32000 × 512)",
        "hidden (512)",
        "2 d 3",
        "d 2",
        "(1, 2) × 3",
        "max(100, 200)",
        "4 × (512 + 2",
        "4 × 512)",
        "(4 × 512]",
        "a =",
        "a = b \\\\ c = d",
        "4 ± 2",
        "a, b",
        "79.9 %",
        r"\sum_{i=1}^{n} i",
        r"x \in R",
        r"\begin{cases} 1 \\ 2 \end{cases}",
        r"\foo{2}",
        "",
        " ",
        "$$",
        "?",
        "9" * 100,
        "1 + " * 600 + "1",
    ],
)
def test_what_is_ambiguous_or_unknown_is_opaque(text: str) -> None:
    assert parse_maths(text) is None


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("$4 d^{2}$.", "4 × d^2"),
        ("= 3 ≈ 3.1", "= 3 ≈ 3.1"),
        ("a &= b + \\\\ & c", "a = b + c"),
        (r"\begin{aligned} a &= b \\ &= c \end{aligned}", "a = b = c"),
        ("W^Q_i", "W_i^Q"),
        (r"\bar{x} = \frac{1+2}{3}", "xbar = (1 + 2) / 3"),
        (r"\alpha / r", "alpha / r"),
        ("α/r", "alpha / r"),
        (r"\mathrm{FFN}(x, y)", "FFN(x, y)"),
        (r"num\_samples * MAX\_EPOCH", "num_samples × MAX_EPOCH"),
        ("a := b", "a = b"),
        (r"a \le b < c", "a ≤ b < c"),
    ],
)
def test_how_it_is_shown(text: str, shown: str) -> None:
    assert format_expression(parsed(text)) == shown

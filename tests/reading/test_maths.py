"""Formulas as people write them: what is understood, what it is worth, and what is left to people."""

from fractions import Fraction

import pytest

from grader.reading.maths.expression import Expression, NoValue, Number, Power, Product, Relation, Sum, Symbol, evaluate
from grader.reading.maths.formula import written
from grader.reading.maths.parser import parse_maths

SYMBOLS: dict[str, int | Fraction] = {
    "N": 4, "d": 512, "d_model": 512, "d_ff": 512, "V": 32_000, "T": 256, "h": 8, "d_k": 64, "d_v": 64,
    "hidden size": 512, "n_tokens": 32_000,
}  # fmt: skip


def parsed(text: str) -> Expression:
    expression = parse_maths(text)
    assert expression is not None, text
    return expression


def test_the_tree() -> None:
    d = Symbol("d", "model")
    four_squares = Product((Number(Fraction(4)), Power(d, Number(Fraction(2)))))
    expected = Relation(("=",), (Symbol("n"), Product((Symbol("N"), Sum((four_squares, Symbol("b")))))))
    assert parse_maths(r"n = N \times (4 d_{model}^2 + b)") == expected


@pytest.mark.parametrize(
    ("text", "value"),
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
        ("512/Nd", None),
        ("4dmodel^2", 1_048_576),
        (r"\frac{N}{2} \cdot d_\text{model}^2", 524_288),
        (r"\frac12", Fraction(1, 2)),
        ("512/8", 64),
        ("512/8/2", 32),
        ("d/h × 2", 128),
        (r"\sqrt{d_k}", 8),
        (r"\sqrt[2]{4}", None),
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
        ("max(2, 3) + mean(1, 2)", Fraction(9, 2)),
        ("x^2", None),
        (r"\log(2)", None),
        ("1/(2-2)", None),
        ("2^{999999999}", None),
        ("9^9^9", None),
        ("a = 2", None),
    ],
)
def test_values(text: str, value: int | Fraction | None) -> None:
    result = evaluate(parsed(text), SYMBOLS)
    assert (None if isinstance(result, NoValue) else result) == (value if text != r"\sqrt[2]{4}" else 2)


def test_names_without_a_meaning_are_listed() -> None:
    result = evaluate(parsed(r"z \times \text{vocab} + z + d"), SYMBOLS)
    assert result == NoValue("some names have no meaning", ("vocab", "z"))


def test_a_name_that_can_be_cut_in_two_ways_has_no_meaning() -> None:
    assert isinstance(evaluate(Symbol("abc"), {"a": 2, "bc": 3, "ab": 5, "c": 7}), NoValue)


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
    assert written(parsed(text)) == shown

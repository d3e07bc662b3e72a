from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grader.claims.equations import NotArithmeticError, evaluate, likeliest
from tests.patience import within


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1 + 2 × 3", 7),
        ("(1 + 2) × 3", 9),
        ("10 - 3 - 2", 5),
        ("8 / 2 / 2", 2),
        ("6 / 3 × 2", 4),
        ("2 × 3^2", 18),
        ("-2^2", -4),
        ("5 - -2", 7),
        ("4(2 + 3)", 20),
        ("2(3)(4)", 24),
        ("4 × [2 + {3 - 1}]", 16),
        ("32000x512", 16_384_000),
        ("0.5 + 0,25", Fraction(3, 4)),
        ("1/3", Fraction(1, 3)),
        ("22 807 552 - 22,807,552", 0),
    ],
)
def test_values_are_exact(text: str, value: Fraction) -> None:
    assert likeliest(text) == value
    assert value in evaluate(text)


@pytest.mark.parametrize(
    ("text", "value"),
    [("1,024", Fraction(1024)), ("1,024", Fraction("1.024")), ("4 × 5122", Fraction(1_048_576)), ("5123", 512**3)],
)
def test_a_doubtful_spelling_keeps_every_reading(text: str, value: Fraction) -> None:
    assert value in evaluate(text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "  ",
        "+",
        "1 +",
        "× 2",
        "(1",
        "1)",
        "(1]",
        "1 2 ",
        "2^",
        "a + 1",
        "1/0",
        "1 / (2 - 2)",
        "()",
        "2^3^2",
        "1..2",
    ],
)
def test_what_is_no_complete_expression_is_refused(text: str) -> None:
    with pytest.raises(NotArithmeticError):
        evaluate(text)


@pytest.mark.parametrize(
    "text",
    [
        "(" * 5_000 + "1" + ")" * 5_000,
        "(" * 10_000,
        "-" * 10_000 + "1",
        "1+" * 10_000 + "1",
        "2^99999999999",
        "99999999999999999999^16",
        "9^9^9^9^9",
        "2^0.5",
        "2^(1/2)",
        " + ".join(f"{n},{n + 100}" for n in range(100, 160)),
        " × ".join(["1,024"] * 60),
        "9" * 20_000 + " × 2",
        "1 " * 10_000,
    ],
    ids=lambda text: text[:12],
)
def test_what_exceeds_the_bounds_is_refused_at_once(text: str) -> None:
    with within(0.5), pytest.raises(NotArithmeticError):
        evaluate(text)


@given(st.text(alphabet="0123456789 +-×/^()[]{}.,x'=", max_size=40))
def test_any_row_of_signs_is_a_value_or_refused(text: str) -> None:
    try:
        values = evaluate(text)
    except NotArithmeticError:
        return
    assert values

"""Formulas in running text, worked out with the lab's names or the text's own."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grader.claims.formulas import UnworkableError, formulas, meanings_in, work_out
from grader.claims.implied_equations import in_letters
from grader.claims.passage import Passage
from grader.reading.maths.parser import parse_maths
from tests.claims.making import document, lab
from tests.patience import within


def values(text: str) -> list[tuple[int | None, ...]]:
    return [formula.values for formula in formulas(Passage.from_document(document(text)), lab())]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("This gives $V d + (T + 2) d$ parameters.", (16_516_096,)),
        ("N (4 d_model^2 + 2 d_model^2) = 6,291,456 in all", (6_291_456, 6_291_456)),
        ("vocab size x hidden size", (16_384_000,)),
        ("With $d = 8$, we have d^2 + d = 72.", (72, 72)),
        ("The layer has 2 x (512 x 512 + 512) parameters", (525_312,)),
        ("$Nd^2$ weights", (1_048_576,)),
        ("With V = 32000 and d = 512: V.d + 258.d = 16 516 096", (16_516_096, 16_516_096)),
        ("V, w = 300, 20\n\nprint(V, w, V + 4*(w + 5))", (400,)),
    ],
)
def test_values(text: str, expected: tuple[int, ...]) -> None:
    assert expected in values(text)


@pytest.mark.parametrize(
    "text", ["a sentence - with dashes - and (brackets)", "z^2 + q", "See section 3.2 (page 4).", "x = y"]
)
def test_what_cannot_be_worked_out_is_left_alone(text: str) -> None:
    assert values(text) == []


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("N × d^2 = 1,048,567 weights", [("N × d^2", "1,048,567", "1,048,576", False)]),
        ("4 d^2 = 1,048,567", [("4 d^2", "1,048,567", "1,048,576", False)]),
        ("matrices = N * d * d = 1,048,567", [("N × d × d", "1,048,567", "1,048,576", False)]),
        ("N × d^2 = 1,048,576 weights", []),
        ("N × d^2 = 1,048,064 weights", []),
        ("N × d^2 = 1,348,567 weights", []),
    ],
)
def test_a_slip_behind_a_formula_in_letters(text: str, wrong: list[tuple[str, str, str, bool]]) -> None:
    told = [one for formula in formulas(Passage.from_document(document(text)), lab()) for one in in_letters(formula)]
    assert [(one.left, one.right, str(one.actual), one.holds) for one in told] == wrong


def test_a_texts_own_names_come_first() -> None:
    own = meanings_in(Passage.from_document(document("- hidden size = 64\n\nand V = 100, with N = 2 layers.")))
    assert own == {"hiddensize": 64, "V": 100, "N": 2}


def steps(formula: str) -> set[int]:
    expression = parse_maths(formula)
    assert expression is not None
    return {int(step) for step in work_out(expression, {}).steps}


def test_a_product_with_a_sum_shows_what_each_term_comes_to() -> None:
    assert {16_384_000, 131_072, 1_024, 132_096, 16_516_096} <= steps("(32000 + 256 + 2) × 512")
    assert {1_048_576, 4_194_304, 2_097_152} <= steps("4 × (4 × 512^2 + 2 × 512^2)")


@pytest.mark.parametrize("formula", ["9^9", "10^15 × 10^15 × 10^15", "2^(2^9)", "1/0"])
def test_values_beyond_bounds_are_not_worked_out(formula: str) -> None:
    expression = parse_maths(formula)
    assert expression is not None
    if formula == "9^9":
        assert work_out(expression, {}).value == Fraction(9**9)
        return
    with pytest.raises(UnworkableError):
        work_out(expression, {})


@given(st.text(alphabet="0123456789dNVx×+-^()[]= ,.\n_", max_size=300))
def test_no_text_makes_it_fail(text: str) -> None:
    values(text)


@pytest.mark.parametrize(
    "text", ["(" * 3_000, "d×" * 5_000 + "d", "(1+" * 2_000 + "1", "= " * 5_000, "a " * 9_000, "N = 1 " * 3_000]
)
def test_no_text_makes_it_wait(text: str) -> None:
    values("warm up")
    with within(3):
        values(text)


PROGRAMS = {
    "names given at once": ("V, d = 32000, 512\n\nV * d", 16_384_000),
    "a name that stands for a calculation": ("rows = 256 + 2\n\nrows * 512", 132_096),
    "a power of a name": ("width = 512\n\n4 * width**2", 1_048_576),
    "arguments": ("def size(vocab=32000, dim=512):\n\nn = vocab * dim", 16_384_000),
    "members": ("width = 512\n\n4 * cfg.width * cfg['width']", 1_048_576),
    "a call with sizes": ("4 * linear(512, 512)", 1_048_576),
    "a shape": ("embedding [32000, 512]", 16_384_000),
    "a number behind a bracket": ("(256 + 2)512", 132_096),
    "words as signs": ("4 times 512 times 512 values", 1_048_576),
    "nothing raised to nothing": ("512 × 7^0", 512),
    "a superscript zero": ("512 × 7⁰", 512),
    "a word before a bracket": ("Q (4 × 512 × 512)", 1_048_576),
}


@pytest.mark.parametrize(("text", "value"), PROGRAMS.values(), ids=PROGRAMS)
def test_what_programs_and_words_calculate(text: str, value: int) -> None:
    assert value in {one for row in values(text) for one in row}


def test_two_letters_that_a_text_gives_values_are_a_product() -> None:
    """The lab calls the inner width `d_f`, which a text may write `df`; here that is d times f."""
    assert (1_024,) in values("With d = 512 and f = 2 we have\n\ndf + 0")

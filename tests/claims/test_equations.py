from collections.abc import Callable
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grader.claims.equations import Equation, equations, evaluate
from grader.claims.implied_equations import all_equations
from tests.claims.making import passage
from tests.patience import within

Tree = int | tuple[str, "Tree", "Tree"]

STYLES: dict[str, tuple[str, str, Callable[[int], str]]] = {
    "plain": (" × ", "^{}", str),
    "commas": (" x ", "^{}", "{:,}".format),
    "stars": (" * ", "^{}", "{:,}".format),
    "spaces": ("×", "^{}", lambda n: f"{n:,}".replace(",", " ")),
    "thin spaces": (" × ", "^{}", lambda n: f"{n:,}".replace(",", "\u202f")),
    "LaTeX": (r" \times ", "^{{{}}}", lambda n: f"{n:,}".replace(",", "{,}")),
    "LaTeX dots": (r" \cdot ", "^{{{}}}", str),
    "middle dots": (" · ", "^{}", str),
    "dot operators": (" ⋅ ", "^{}", str),
}

trees = st.recursive(
    st.integers(1, 99_999),
    lambda inner: st.tuples(st.sampled_from("+-×"), inner, inner),
    max_leaves=6,
)


def found(text: str) -> list[Equation]:
    return list(equations(passage(text)))


def value(tree: Tree) -> int:
    if isinstance(tree, int):
        return tree
    sign, left, right = tree
    a, b = value(left), value(right)
    return a + b if sign == "+" else a - b if sign == "-" else a * b


def written(tree: Tree, style: str, *, outer: bool = True) -> str:
    times, _, number = STYLES[style]
    if isinstance(tree, int):
        return number(tree)
    sign, left, right = tree
    between = times if sign == "×" else f" {sign} "
    text = written(left, style, outer=False) + between + written(right, style, outer=False)
    return text if outer else f"({text})"


def shown(number: int, style: str) -> str:
    return ("-" if number < 0 else "") + STYLES[style][2](abs(number))


@pytest.mark.parametrize("style", STYLES)
@given(tree=trees)
def test_a_true_equation_is_never_called_wrong(style: str, tree: Tree) -> None:
    text = f"We get {written(tree, style)} = {shown(value(tree), style)}."
    assert all(equation.holds for equation in found(text)), text


@pytest.mark.parametrize("style", STYLES)
@given(trees=st.lists(trees.filter(lambda tree: not isinstance(tree, int)), min_size=2, max_size=3))
def test_true_equations_on_neighbouring_lines_do_not_run_together(style: str, trees: list[Tree]) -> None:
    lines = [f"{written(tree, style)} = {shown(value(tree), style)}" for tree in trees]
    for text in ("\n".join(lines), "\n\n".join(lines), "\n".join(f"$${line}$$" for line in lines)):
        assert all(equation.holds for equation in found(text)), text


@given(a=st.integers(1_000, 99_999), b=st.integers(2, 999), slip=st.integers(1, 999))
def test_a_false_equation_is_found(a: int, b: int, slip: int) -> None:
    (equation,) = found(f"The product is {a} × {b} = {a * b + slip}.")
    assert not equation.holds
    assert equation.actual == f"{a * b:,}"


@pytest.mark.parametrize("before", ["The parts.", "The parts", "Model", "See page 3", "16384000", "(a)", "d = 512"])
def test_a_false_equation_is_found_whatever_the_line_before_it(before: str) -> None:
    wrong = [equation for equation in found(f"{before}\n4 × 1577984 = 6301936\n") if not equation.holds]
    assert [equation.right for equation in wrong] == ["6301936"]


TRUE = r"""
512² = 262144
512^2 = 262144
$512^{2} = 262{,}144$
4 × 5122 = 1048576
2 × 5122 + 4 × 5122 = 1572864
(256 + 2) × 512 = 132096
4(4 × 512 × 512 + 2(512)(512)) = 6291456
E = 32000 × 512 = 16384000
V × d = 32000 × 512 = 16 384 000
E = 32000 × 512 = 16384000 (1)
$$32000 \times 512 = 16384000 \tag{1}$$
22807552 = 16384000 + 132096 + 6291456
2 × 512 × 512 = 2 × 262144 = 524288
\underbrace{32000 \times 512}_{\text{tokens}} + \underbrace{258 \times 512}_{\text{positions}} = 16516096
1/3 = 0.333
2/3 = 0.66
2/3 = 0.67
(79,3 + 78,5 + 80,1) / 3 = 79,3
\frac{79.3 + 78.5 + 80.1}{3} = 79.3
512 × 512 = 262,144 parameters per matrix
- 4 × 512 = 2048
1) 4 × 512 = 2048
(1) 4 × 512 = 2048
Total 16384000 + 132096 + 6291456 = 22807552
4 × 512 = 2048 and 4 × 3 = 12
1125 = 225 × 5
3 × 10^6 = 3000000
2**10 = 1024
512**2 = 262144
16384000 = 16.384 million
16384000 + 132096 + 6291456 = 22807552 = 22.8 million
22807552 = 22.8M
22807552 = 2.28 × 10^7
159/200 = 79.5 %
159/200 = 79.5%
1572864 / 409792512 = 0.3838 %
0.8 = 80 %
8 ÷ 2 = 4
8 : 2 = 4
10% of 200 = 20
10 % of 200 = 20
log 100 = 2
log(100) = 2
\sqrt{4} = 2
|5 - 7| = 2
max(3, 5) = 5
7 % 2 = 1
f(3) = 9
3d^2 = 786432
3 d^2 = 786432
n × 512 × 512 = 262144
emb (16384000) + pos (132096) = 16516096
16,384,000 (32000 × 512) + 132,096 (258 × 512) = 16,516,096
16384000 = 16.384 Mio
16384000 (emb) + 132096 (pos) = 16516096
Layer 1 = 1572864
Seed 1 = 79.3
Head 2 = 262144 parameters
Equation 3 = 4 × 512
4 × 2 ≠ 9
4 × 2 != 9
4 × 2 <= 9
4 × 2 >= 8
lr = 1e-5 = 0.00001
10^{-5} = 0.00001
1 GB = 1024 MB
1 epoch = 225 steps
32000·512 = 16384000
4 · 512² = 1048576
78.40(85) = 78.40 ± 0.85
With the first one it is better by 81.25 - 67.90 = 13.35 points
81.3 - 67.8 = 13.46
80.9 % - 66.4 % = 14.5 %
0.8 - 0.66 = 14 %
258 × 512 = 132096 (258 since two are added)
It is 512 multiplied by 3 × 4 = 6144
heads 4 ( 32 × 32 + 32 ) = 4224
layer 4 (32 × 32 + 32) = 1056
64 (60 rows and 4 more) = 64
""".strip().split("\n")


@pytest.mark.parametrize("text", TRUE)
def test_what_is_true_or_not_understood_is_not_called_wrong(text: str) -> None:
    assert [(e.left, e.right) for e in found(text) if not e.holds] == []


FALSE = [
    ("4 x 1 577 984 = 6 301 936", "6,311,936"),
    ("4 × 1,577,984 = 6,301,936", "6,311,936"),
    (r"$512 \times 512 = 262{,}145$", "262,144"),
    ("7/2 = 3", "3.5000"),
    ("10/3 = 3.5", "3.3333"),
    ("16384000 + 132096 = 16516096 = 16516097", "16,516,096"),
    ("79.3 + 78.5 + 80.1 / 3 = 79.3", "184.5000"),
    ("(80.9 + 78.05 + 82.35)/3 = 80.93", "80.4333"),
    ("Pretraining wins by 81.25 - 67.90 = 14.35 points.", "13.3500"),
    ("80.9 % - 66.4 % = 15.4 %", "14.5000"),
    ("80.9 - 66.4 = 15.4 %", "14.5000"),
    ("and the next part has three more, 3\n× 512 × 512 = 768,432. Together", "786,432"),
    ("258 × 512 = 123,096 (258 since two are added)", "132,096"),
    ("heads 4 ( 32^2 + 32 ) = 4242", "4,224"),
]


@pytest.mark.parametrize(("text", "actual"), FALSE)
def test_what_is_false_is_called_wrong_with_its_real_value(text: str, actual: str) -> None:
    wrong = [equation for equation in found(text) if not equation.holds]
    assert [equation.actual for equation in wrong] == [actual]


@pytest.mark.parametrize(
    "text",
    [
        "16384000 + 132096\n+ 6291456 = 22807552",
        "16384000 + 132096 +\n6291456 = 22807552",
        "16384000 + 132096 + 6291456\n= 22807552",
        "16384000 + 132096 + 6291456 =\n22807552",
        "16, 384, 000 + 132, 096 + 6, 291, 456 = 22, 807,\n552.",
        "4 × (1048576\n+ 524288) = 6291456",
        "32000 × 512 = 16384000\n(256 + 2) × 512 = 132096",
        "32000 × 512 = 16384000 (1)\n(256 + 2) × 512 = 132096 (2)",
        "$$32000 \\times 512 = 16384000$$\n$$(256 + 2) \\times 512 = 132096$$",
        "1. 4 × 512 = 2048\n2. 4 × 3 = 12",
        "- 4 × 512 = 2048\n- 4 × 3 = 12",
        "* 4 × 512 = 2048\n* 4 × 3 = 12",
        "| 32000 × 512 = 16384000 | 258 × 512 = 132096 |\n|---|---|\n| 4 × 512 = 2048 | 16 |",
        "258 × 512 = 132\n096 positions",
        "1 200 × 3 000 000 + 7 = 3\n600 000 007, and more",
        "2 × (1 000 + 49 152) + 1 604 = 2 000 + 98\n304 + 1 604 = 101 908.",
        "```\nlayer   1050624 + 525312 = 1575936\nx4      = 6303744\n```",
        "```\nattn    4 * 512 * 512 = 1048576   x4   4194304\n```",
        "```\nblock   524288+262144   = 786432\n6x      6*786432        = 4718592\n```",
        "```\n2    3*640    = 1920\n3 x  (128 + 2) = 130\n```",
        "4512512 = 1048576",
        "tokens 32000 * 512 + places 258 * 512 = 16516096; rest 4 * 512 = 2048",
    ],
)
def test_line_breaks_make_nothing_wrong(text: str) -> None:
    assert [(e.left, e.right) for e in found(text) if not e.holds] == []


@pytest.mark.parametrize("text", ["```\n6x      6*786432  = 4718593\n```", "```\n6x 6*786432 = 4718592\n```"])
def test_what_holds_from_no_wide_gap_on_is_wrong(text: str) -> None:
    assert [equation.holds for equation in found(text)] == [False]


def test_a_wrong_value_is_found_over_a_line_break_but_left_to_a_person() -> None:
    (equation,) = found("258 × 512 = 132\n196 positions")
    assert (equation.right, equation.holds, equation.is_inferred) == ("132 196", False, True)


@pytest.mark.parametrize("text", ["4512512 = 1048577", "2512512 = 1048576"])
def test_digits_that_no_signs_make_right_are_wrong(text: str) -> None:
    assert [equation.holds for equation in found(text)] == [False]


def test_a_comment_behind_a_value_says_how_it_comes_about() -> None:
    text = "```\nlayers: 6331936  # 4 x 1577984\nffn = 525312  # 2 * 262656\n```"
    assert [(e.right, e.holds) for e in all_equations(passage(text))] == [("6331936", False), ("525312", True)]


def test_a_sum_over_two_lines_is_read_whole() -> None:
    (equation,) = found("16384000 + 132096 +\n6291456 = 22807553")
    assert equation.actual == "22,807,552"


def test_an_equation_is_quoted_with_its_line() -> None:
    (equation,) = found("First.\n\nThen $4 \\times 512 = 2049$ holds.")
    assert equation.evidence.line == 3
    assert r"4 \times 512 = 2049" in equation.evidence.quote


@given(a=st.integers(1, 10**6), b=st.integers(1, 10**4), places=st.integers(0, 6))
def test_a_quotient_may_be_rounded_or_cut_at_any_decimal(a: int, b: int, places: int) -> None:
    scaled = Fraction(a, b) * 10**places
    for digits in (scaled.numerator // scaled.denominator, round(scaled)):
        text = f"{digits / 10**places:.{places}f}" if places else str(digits)
        if places:
            assert all(equation.holds for equation in found(f"So {a} / {b} = {text}."))


@pytest.mark.parametrize(
    "text",
    [
        "9" * 6_000 + " = 5",
        "5 = " + "9" * 6_000,
        "9" * 400 + ".5 = 5",
        "0." + "1" * 5_000 + " × 3 = 1",
        "1=" * 5_000 + "1",
        "1+" * 10_000 + "1 = 3",
        "(1+" * 5_000,
        "1" + " " * 20_000 + "= 1",
        "1x" * 10_000,
        "²³⁵ = ٣ ½ Ⅻ",
    ],
    ids=lambda text: text[:12],
)
def test_no_text_makes_it_fail_or_wait(text: str) -> None:
    with within(0.5):
        assert isinstance(found(text), list)


@given(st.text(alphabet="0123456789 +-×*/^()[]{}.,x'=\n%·$\\²", max_size=60))
def test_any_row_of_signs_is_read(text: str) -> None:
    assert isinstance(found(text), list)


IMPLIED = {
    "in words": "258 × 512 gives 132,906",
    "by an arrow": "2 × 512 × 512 → 524,828",
    "in a row": "| part | formula | number |\n|---|---|---|\n| places | 258 × 512 | 132,906 |",
    "in a row with a multiple": "| a | size | times | number |\n|---|---|---|---|\n| b | 512 × 512 | 4 | 1,048,567 |",
    "in a column": "| part | number |\n|---|---|\n| a | 16384000 |\n| b | 132096 |\n| sum | 16516069 |",
    "with words among the numbers": "4 layers × 1 572 864 = 6 291 654",
    "beside a shape": "| a | shape | number |\n|---|---|---|\n| b | Linear(512, 512) | 262,414 |",
    "before a short word": "2 × 512 × 512 = 524,828 a layer",
    "behind a word": "The places cost (256+2) × 512 = 132,906.",
    "behind a short word": "be it 4 × 512 × 512 = 1 048 567 values",
}


@pytest.mark.parametrize("text", IMPLIED.values(), ids=IMPLIED)
def test_a_slip_is_found_without_a_sign_of_its_own(text: str) -> None:
    assert [equation.holds for equation in all_equations(passage(text))] == [False]


NO_SLIPS = {
    "terms with their values": "4*(8*8+8) = 288\n   + 2*(8*8+8) = 144\n   + 2*(2*8) = 32\n   =  464",
    "another number of layers": "| part | size | number |\n|---|---|---|\n| a | 512 × 512 | 4,194,304 |",
    "with its bias": "| part | size | number |\n|---|---|---|\n| a | 512 × 512 | 262,656 |",
    "a factor in the words": "for 4 layers (3 × 512 × 512) = 3145728",
    "a part left out of the sum": "| part | number |\n|---|---|\n| a | 16384000 |\n| b | 132096 |\n| sum | 16384512 |",
    "another number altogether": "| step | batch × length | tokens |\n|---|---|---|\n| 225 | 8 × 256 | 32000 |",
}


@pytest.mark.parametrize("text", NO_SLIPS.values(), ids=NO_SLIPS)
def test_what_may_be_meant_otherwise_is_no_slip(text: str) -> None:
    assert all(equation.holds for equation in all_equations(passage(text)))


@pytest.mark.parametrize(("text", "value"), [("7^0", 1), ("512^0 + 1", 2), ("2 × 3^1", 6)])
def test_small_exponents(text: str, value: int) -> None:
    assert evaluate(text) == {value}


@pytest.mark.parametrize("text", ["FFN 512 -> 2048 -> 512 = 2 097 152 per layer", "the gap is 9216 = 9 norms * 1024"])
def test_widths_and_products_with_a_word_are_no_slips(text: str) -> None:
    assert not [one for one in equations(passage(text)) if not one.holds]


@pytest.mark.parametrize(
    "text",
    [
        "8 = 4 layers x fc1,fc2",
        "9 = 2 per layer + 1",
        "9 = 2 norms per layer x 4 + 1",
        "ffn 2 x 512 x 512 = 524,288 / 4 layers = 6,291,456",
    ],
)
def test_what_words_go_on_with_is_no_mistake(text: str) -> None:
    assert all(one.holds for one in equations(passage(text)))

"""General formulas: what is equal by algebra is right, whatever its letters are, and nothing else is."""

import pytest

from grader.checks.check import Misuse
from grader.checks.finding import Status
from grader.checks.formula_answer import is_equal
from grader.checks.registry import check_of
from grader.reading.maths.parser import parse_maths
from tests.checks.test_basic_checks import lab_with
from tests.checks.test_sizes_asked import found

SIZE = {
    "formula": "(x - k + 2*p) / s + 1",
    "names": {
        "x": ["W", "n", "input size", "taille de l'entrée"],
        "k": ["F", "kernel size", "filter size", "taille du noyau"],
        "p": ["P", "padding"],
        "s": ["S", "stride"],
    },
    "wrong": [{"formula": "(x - k + p) / s + 1", "why": "The padding is added on both sides.", "share": 0.5}],
}
WEIGHTS = {
    "formula": "k*k*c*o + o",
    "names": {
        "k": ["kernel size", "kernel_size"],
        "c": ["C_in", "in_channels", "input channels"],
        "o": ["C_out", "out_channels", "number of filters"],
    },
    "wrong": [{"formula": "k*k*c*o", "why": "The biases are missing.", "share": 0.5}],
}


@pytest.mark.parametrize(
    "text",
    [
        "(x-k+2p)/s+1",
        "1 + (x - k)/s + 2p/s",
        "(x + 2p - k + s)/s",
        r"$\lfloor \frac{x-k+2p}{s} \rfloor + 1$",
        r"$$\left\lfloor\frac{W-F+2P}{S}\right\rfloor+1$$",
        "⌊(x−k+2p)/s⌋+1",
        "`(x-k+2*p)//s+1`",
        "```python\ndef out(x, k, p, s):\n    return (x - k + 2 * p) // s + 1\n```",
        "output = floor((input size - kernel size + 2 * padding) / stride) + 1",
        "w_out = (W - F + 2P)/S + 1",
        "(x-k+2p)/s+1 = (32-5+2*2)/1+1 = 32",
        "(n - f + 2p)/s + 1 where f is the filter size",
        "(a - b + 2c)/d + 1 where a is the input size, b the kernel size, c the padding and d the stride.",
        r"où $k$ est la taille de l'entrée et $x$ la taille du noyau: $(k-x+2p)/s+1$",
        "Sans padding : (x-k)/s+1. Avec padding : (x-k+2p)/s+1.",
    ],
)
def test_what_is_equal_is_right(text: str) -> None:
    assert found("formula-answer", SIZE, text).status is Status.CORRECT


@pytest.mark.parametrize(
    ("text", "status"),
    [
        ("(x+k+2p)/s+1", Status.INCORRECT),
        ("(x-k+2p)/s", Status.INCORRECT),
        ("((x-k+2p)/s+1)*0", Status.INCORRECT),
        (r"où $k$ est la taille de l'entrée et $x$ la taille du noyau: $(x-k+2p)/s+1$", Status.INCORRECT),
        ("(x-k)/s+1", Status.REVIEW),
        ("(x-k)/s+1 or (x-k+2p)/s+1", Status.REVIEW),
        ("(x-k+2p)/s+1 and also x*k*p*s", Status.REVIEW),
        ("It is not (x-k+2p)/s+1.", Status.REVIEW),
        ("(x-k+2p)/s+1 is wrong", Status.REVIEW),
        ("x-k+2p/s+1", Status.REVIEW),
        ("Is it (x-k+2p)/s+1?", Status.REVIEW),
        ("x y z k p s", Status.REVIEW),
        ("(32-5+4)/1+1 = 32", Status.REVIEW),
        ("All numbers from x to s.", Status.REVIEW),
        (r"$\weird{x}{k}$", Status.REVIEW),
    ],
)
def test_nothing_else_is_right(text: str, status: Status) -> None:
    assert found("formula-answer", SIZE, text).status is status


def test_a_known_slip_earns_its_share_and_unexplained_letters_are_for_a_person() -> None:
    slip = found("formula-answer", SIZE, "Output = (x - k + p)/s + 1")
    assert (slip.status, slip.share) == (Status.PARTIAL, slip.share)
    assert slip.share is not None
    assert "both sides" in str(slip.feedback)
    unexplained = found("formula-answer", SIZE, "(a - b + 2c)/d + 1")
    assert (unexplained.status, unexplained.suggestion) == (Status.REVIEW, Status.CORRECT)
    assert found("formula-answer", SIZE, "(a - b + c)/d + 1").suggestion is None


@pytest.mark.parametrize(
    ("text", "status"),
    [
        ("k*k*c*o+o", Status.CORRECT),
        ("k×k×C_in×C_out + C_out", Status.CORRECT),
        (r"$(k \times k \times C_{in} + 1) \times C_{out}$", Status.CORRECT),
        ("(kernel_size * kernel_size * in_channels + 1) * out_channels", Status.CORRECT),
        ("(k*k*D+1)*K where D is the number of input channels and K the number of filters", Status.CORRECT),
        ("Weights: k²co, biases: o, total k²co + o", Status.CORRECT),
        ("k^2*c*o", Status.PARTIAL),
        ("k*c*o + o", Status.INCORRECT),
    ],
)
def test_the_parameters_of_a_layer(text: str, status: Status) -> None:
    assert found("formula-answer", WEIGHTS, text).status is status


def test_floors_may_be_asked_for() -> None:
    asked = SIZE | {"formula": "floor((x - k + 2*p) / s) + 1", "floors": True}
    assert found("formula-answer", asked, "⌊(x−k+2p)/s⌋+1").status is Status.CORRECT
    assert found("formula-answer", asked, "⌈(x−k+2p)/s⌉+1").status is Status.INCORRECT
    assert found("formula-answer", asked, "(x−k+2p)/s+1").status is Status.INCORRECT


def test_a_lab_cannot_ask_for_what_is_no_formula() -> None:
    (item,) = lab_with("formula-answer", {"formula": "two times ("}).items
    assert [one.option for one in check_of(item).misuses(item) if isinstance(one, Misuse)] == ["formula"]


def test_formulas_are_compared_within_bounds() -> None:
    tower = parse_maths("x^{9^{9^9}}")
    other = parse_maths("x")
    assert tower is not None
    assert other is not None
    assert not is_equal(tower, other)
    assert not is_equal(other, tower)

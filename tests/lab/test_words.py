"""Words are written in one way wherever a lab gives any (docs/lab-reference.md#words)."""

import pytest

from grader.claims.results.vocabulary import mentions
from grader.claims.statements import speaks_of
from grader.lab.files import LABS, load_lab


@pytest.mark.parametrize(
    ("word", "text", "is_there"),
    [
        ("acc*", "Accuracy", True),
        ("fold(s)", "over five folds", True),
        ("fold(s)", "one fold", True),
        ("learning rate", "the learning-rate", True),
        ("param", "parameters", True),
        ("plong*", "le plongement", True),
        ("Conv2d(1", "nn.Conv2d(1, 16)", True),
    ],
)
def test_in_questions_and_options(word: str, text: str, is_there: bool) -> None:
    assert (speaks_of(text, [word]) is not None) is is_there


@pytest.mark.parametrize(
    ("word", "text", "is_there"),
    [
        ("bracket(s)", "training on brackets", True),
        ("brack*", "training on brackets", True),
        ("random brack*", "random bracketing", True),
        ("brack*", "training on crackers", False),
        ("bracket", "training on brackets", True),
    ],
)
def test_in_experiments(word: str, text: str, is_there: bool) -> None:
    lab = load_lab(LABS / "small_gpt2")
    (experiment,) = lab.experiments
    lab = lab.model_copy(update={"experiments": (experiment.model_copy(update={"words": (word,)}),)})
    assert bool(mentions(text, lab)) is is_there

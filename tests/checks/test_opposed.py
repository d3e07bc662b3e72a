"""Which of two opposite options an answer's sentences state."""

import pytest

from grader.checks.opposed import are_opposed, stated_options
from grader.lab.definition import Question
from tests.claims.making import passage

SAME = {"yes": "the same size", "no": "different sizes"}
ITEM = {"id": "q2.a", "title": "It does", "points": 1, "check": "by-hand"}


def asking(asks: str) -> Question:
    return Question.model_validate(
        {"id": "q2", "title": "The tree", "labels": ["question 2"], "asks": asks, "items": [ITEM]}
    )


def told(
    text: str, asks: str = "Draw it. Does the pruned tree shrink on the large data? What is the effect?"
) -> list[tuple[str, bool]]:
    choices = {"yes": "shrinks", "no": "does not shrink"}
    found = stated_options(passage(text), 0, asking(asks), choices)
    return [(one.option, one.is_scoped) for one in found]


@pytest.mark.parametrize(
    "text",
    [
        "The pruned tree shrinks.",
        "We see that the pruned tree clearly shrinks on the large data.",
        "Figure 3: The pruned tree has shrunk. The pruned tree shrinks a lot.",
        "For any depth, the pruned tree shrinks.",
        "The pruned tree first grows and then shrinks.",
    ],
)
def test_a_statement_with_subject_and_verb_says_yes(text: str) -> None:
    assert ("yes", False) in told(text)
    assert all(option == "yes" for option, _ in told(text))


@pytest.mark.parametrize(
    "text",
    ["The pruned tree does not shrink.", "The pruned tree doesn't really shrink on the large data."],
)
def test_a_denial_says_no(text: str) -> None:
    assert told(text) == [("no", False)]


@pytest.mark.parametrize(
    "text",
    [
        "If it is deep, the pruned tree shrinks.",
        "Only the pruned tree shrinks with salt.",
        "The pruned tree shrinks little.",
        "The pruned tree does not shrink much.",
        "With few samples, the pruned tree does not shrink.",
    ],
)
def test_a_restricted_statement_is_scoped(text: str) -> None:
    assert all(is_scoped for _, is_scoped in told(text))


@pytest.mark.parametrize(
    "text",
    [
        "Does the pruned tree shrink?",
        "We wanted to see whether the pruned tree shrinks.",
        "It is unclear if the pruned tree shrinks.",
        "The pruned tree might shrink.",
        "The loss shrinks.",
        "Shrinking is useful.",
        "The pruned tree is drawn above.",
    ],
)
def test_what_is_not_asserted_says_nothing(text: str) -> None:
    assert told(text) == []


def test_an_option_with_words_of_its_own_says_no() -> None:
    asks = "Do the left and the right leaf have the same size?"
    both = asking(asks)
    for text in ("The left and right leaf have different sizes.", "The left and right leaf do not have the same size."):
        assert [one.option for one in stated_options(passage(text), 0, both, SAME)] == ["no"]


def test_options_that_the_question_does_not_name_are_not_opposed() -> None:
    assert are_opposed(asking("Does the tree shrink?"), {"yes": "shrinks", "no": "does not shrink"})
    assert not are_opposed(asking("Which tree is best?"), {"yes": "shrinks", "no": "does not shrink"})
    assert not are_opposed(asking("Does the tree shrink?"), {"a": "oak", "b": "elm"})

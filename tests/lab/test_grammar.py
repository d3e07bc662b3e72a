import pytest
from hypothesis import given
from hypothesis import strategies as st

from grader.lab.grammar import Grammar
from tests.claims.making import lab
from tests.claims.patience import within

SMALL = Grammar.model_validate(
    {
        "words": {"the": ["the", "a"], "matrix": ["matrix", "{the} matrices"]},
        "opening": ["it is"],
        "neutral": ["here"],
        "joining": ["and"],
        "parameters": [
            {"id": "r", "summary": "The rank.", "right": ["({the}) rank (of {matrix})"], "true": ["it is small"]}
        ],
    }
)


@pytest.mark.parametrize(
    "text",
    [
        "rank",
        "The rank",
        "the rank of matrix",
        "The RANK of the matrices.",
        "It is the rank",
        "the rank here",
        "the rank, here",
        "the rank and here",
        "the rank. It is small.",
        "It is small. The rank of matrix.",
        "the 'rank' (of matrix)",
        "the  rank\nof matrix",
    ],
)
def test_a_listed_pattern_is_right_however_it_is_written(text: str) -> None:
    assert SMALL.is_right("r", text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        ".",
        "the",
        "ranks",
        "the rank the rank",
        "not the rank",
        "the rank of a tensor",
        "the rank. It is large.",
        "It is small.",
        "frank",
        "the rank?",
        "the rank! no",
        "rank of the",
        "the rank of matrix matrix",
    ],
)
def test_anything_more_or_less_is_not_right(text: str) -> None:
    assert not SMALL.is_right("r", text)


def test_an_unknown_parameter_has_no_right_definition() -> None:
    assert not SMALL.is_right("x", "the rank")
    assert not SMALL.holds_right("x", "the rank")


def test_a_right_definition_may_stand_among_other_words() -> None:
    assert SMALL.holds_right("r", "Some say the rank of matrix, others not")
    assert not SMALL.holds_right("r", "frank ranks")


WORDS = sorted({word for group in lab().grammar.words.values() for phrase in group for word in phrase.split()})


@given(st.sampled_from([p.id for p in lab().parameters]), st.lists(st.sampled_from(WORDS), max_size=60))
def test_words_in_any_order_are_judged_at_once(parameter: str, words: list[str]) -> None:
    with within(1):
        lab().grammar.is_right(parameter, " ".join(words))
        lab().grammar.holds_right(parameter, " ".join(words))


@pytest.mark.parametrize(
    "text", ["the rank of " * 5_000, "the learned lora weight update " * 20, "a" * 100_000, "²½\0"]
)
def test_no_text_takes_time(text: str) -> None:
    with within(1):
        for parameter in lab().parameters:
            assert not lab().grammar.is_right(parameter.id, text)
            lab().grammar.holds_right(parameter.id, text)

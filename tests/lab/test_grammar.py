"""The interpreter of the grammar, on a small one."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from grader.lab.grammar import Grammar
from tests.claims.making import lab
from tests.claims.patience import within

SMALL = Grammar.model_validate(
    {
        "words": {"the": ["the", "a"], "matrix": ["matrix", "{the} tall matrix"]},
        "spelling": {"matrix": ["matrices"]},
        "opening": ["it is"],
        "neutral": ["here", "set to {value}"],
        "adds": ["of course"],
        "joining": ["and"],
        "parameters": [
            {
                "id": "r",
                "summary": "The rank.",
                "together": ["bare + small"],
                "right": {"rank": ["({the}) rank [of|for] {matrix}"]},
                "partial": [{"id": "bare", "needs": "bare", "missing": "Of what?"}],
                "words": {"value": ["16"], "other_value": ["{number}"]},
                "says": {
                    "bare": ["({the}) rank"],
                    "small": ["it is (very)* small"],
                },
                "adds": {"place": ["in the layer"]},
                "misconceptions": [
                    {"id": "speed", "words": ["speed"], "says": ["the speed"], "fact": "x"},
                ],
            }
        ],
    }
)


@pytest.mark.parametrize(
    "text",
    [
        "rank of matrix",
        "The RANK of the tall matrices.",
        "It is the rank for matrices",
        "the rank of matrix, here",
        "the rank of matrix and here",
        "the rank (here) of matrix",
        "the rank of matrix. It is small.",
        "It is very very small. The rank of matrix.",
        "the rank; it is small",
        "the 'rank' of matrix",
        "the  rank\nof ma- trix",
        "the rank of matrix in the layer",
        "rank of matrix of course, set to 16",
        "rank of matrix (set to 16)",
    ],
)
def test_a_text_that_consists_of_statements_is_right_however_it_is_written(text: str) -> None:
    assert SMALL.is_right("r", text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        ".",
        "the",
        "the rank",
        "ranks of matrix",
        "the rank of matrix the rank of matrix",
        "not the rank of matrix",
        "the rank of a tensor",
        "the rank of matrix. It is large.",
        "It is small.",
        "frank of matrix",
        "the rank of matrix?",
        "the rank of matrix! no",
        "rank of the",
        "the rank of matrix matrix",
        "rank of matrix it is small",
        "rank of matrix, the speed",
        "rank of matrix, set to 8",
        "rank of matrix ≠ 3",
        "rank of matrix, and",
    ],
)
def test_anything_more_or_less_is_not_right(text: str) -> None:
    assert not SMALL.is_right("r", text)


def test_a_right_meaning_with_another_value_is_told() -> None:
    understood = SMALL.understood("r", "rank of matrix, set to 8")
    assert understood.whole
    assert understood.is_right
    assert understood.other_value


def test_a_known_mistake_is_understood_as_one() -> None:
    understood = SMALL.understood("r", "rank of matrix, the speed")
    assert understood.whole
    assert understood.mistakes == {"speed"}
    assert not understood.is_right


def test_what_was_not_understood_is_quoted() -> None:
    text = "the rank of matrix, which is truncated"
    understood = SMALL.understood("r", text)
    assert understood.stuck is not None
    assert text[understood.stuck[0] : understood.stuck[1]] == "which"
    assert [text[place.start : place.end] for place in understood.held if place.name == "rank"] == [
        "the rank of matrix"
    ]
    assert understood.holds_right


def test_what_is_denied_is_not_held() -> None:
    understood = SMALL.understood("r", "it is not the rank of matrix but speed")
    assert not understood.holds_right
    assert {place.name for place in understood.denied} == {"rank", "bare"}


def test_a_list_of_words_is_no_definition() -> None:
    loose = Grammar.model_validate(
        {"parameters": [{"id": "r", "summary": "s", "right": ["matrix rank", "rank of matrix"]}]}
    )
    assert loose.is_right("r", "matrix rank, rank of matrix, rank of matrix")
    assert not loose.is_right("r", "matrix rank, matrix rank, matrix rank")


def test_an_unknown_parameter_has_no_right_definition() -> None:
    assert not SMALL.is_right("x", "the rank")


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        ({"right": ["({the})"]}, "without words"),
        ({"right": ["{unknown} rank"]}, "unknown"),
        ({"right": ["(rank"]}, "nothing closes"),
        ({"right": ["rank)"]}, "nothing opens"),
        ({"right": ["[rank|] of"]}, "empty choice"),
        ({"right": ["* rank"]}, "repeats nothing"),
        ({"right": [""]}, "empty pattern"),
        ({"together": ["other + rank"]}, "no statement named 'other'"),
        ({"right": ["{a}"], "words": {"a": ["{b}"], "b": ["{a}"]}}, "contain each other"),
    ],
)
def test_a_grammar_that_cannot_be_used_is_refused(change: dict[str, object], complaint: str) -> None:
    with pytest.raises(ValidationError, match=complaint):
        Grammar.model_validate({"words": {"the": ["the"]}, "parameters": [{"id": "r", "summary": "s", **change}]})


WORDS = sorted({word for group in lab().grammar.words.values() for phrase in group for word in phrase.split()})


@settings(deadline=None, max_examples=30)
@given(st.sampled_from([p.id for p in lab().parameters]), st.lists(st.sampled_from(WORDS), max_size=150))
def test_words_in_any_order_are_judged_at_once(parameter: str, words: list[str]) -> None:
    with within(2):
        lab().grammar.understood(parameter, " ".join(words))


@settings(deadline=None, max_examples=60)
@given(st.sampled_from([p.id for p in lab().parameters]), st.text(max_size=400))
def test_any_text_can_be_read(parameter: str, text: str) -> None:
    understood = lab().grammar.understood(parameter, text)
    places = [*understood.held, *understood.denied, *understood.suspected]
    assert all(0 <= place.start < place.end <= len(text) for place in places)


@pytest.mark.parametrize(
    "text",
    [
        "the rank of " * 5_000,
        "the learned lora weight update " * 45,
        "two small matrix " * 80,
        "the more the rank the more " * 50,
        "a" * 100_000,
        "(" * 1_400,
        " (a)" * 350,
        "no bias is trained, " * 70,
        "²½\0",
    ],
)
def test_no_text_takes_time(text: str) -> None:
    with within(3):
        for parameter in lab().parameters:
            assert not lab().grammar.is_right(parameter.id, text) or "bias" in text

"""Fingerprints of prose."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from grader.claims.likeness import DIGITS, KEPT, TextPrint, is_word_list, text_print
from grader.claims.sections import sections
from tests.claims.making import document, lab

TEXT = "We trained the model three times and kept the best checkpoint of every run, as the validation set tells."


def printed(markdown: str) -> TextPrint | None:
    return text_print(sections(document(markdown), lab()), lab())


def test_the_same_words_give_the_same_print_whatever_their_looks() -> None:
    plain = printed(TEXT)
    assert plain is not None
    assert plain.runs == len(TEXT.split()) - 4
    assert plain == printed(TEXT.upper()) == printed(TEXT.replace(" ", "  ").replace(",", " –"))


def test_numbers_formulas_code_and_tables_do_not_count() -> None:
    code = "```\nfor seed in one two three four five six\n```"
    more = f"{TEXT}\n\n{code}\n\n| a b c d e f | g |\n|--|--|\n| h i j k l m | n |\n"
    assert printed(more) == printed(TEXT)
    told = "the average accuracy over three seeds is {} on test"
    assert printed(told.format("80.1")) == printed(told.format("79.4"))


def test_a_report_without_prose_has_no_print() -> None:
    assert printed("") is None
    assert printed("Only four words here.") is None


def test_no_word_can_be_read_from_a_print() -> None:
    found = printed(TEXT)
    assert found is not None
    assert not set(found.sketch) - set("0123456789abcdef")


@settings(deadline=None, max_examples=50)
@given(st.lists(st.sampled_from(["alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta"]), max_size=900))
def test_prints_are_bounded_and_in_order(words: list[str]) -> None:
    found = printed(" ".join(words))
    if found:
        assert found.hashes == sorted(set(found.hashes))
        assert len(found.hashes) <= min(KEPT, found.runs)
        assert len(found.sketch) == DIGITS * len(found.hashes)


@pytest.mark.parametrize(
    ("text", "is_list"),
    [
        ("rank, alpha, dropout, bias, modules, task type", True),
        ("rank, alpha, dropout, bias, modules, the type of the task", True),
        ("rank, alpha, the dropout of LoRA, bias, modules, the type of the task", False),
        ("rank, alpha, the scale of the update", False),
        ("the rank of the update", False),
    ],
)
def test_names_without_anything_said_of_them_are_a_list_of_words(text: str, is_list: bool) -> None:
    assert is_word_list(text) is is_list

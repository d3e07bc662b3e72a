import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from grader.lab.wording import sentences, words


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Low-rank", "low rank"),
        ("lora_alpha", "lora alpha"),
        ("l'échelle d’un", "l echelle d un"),
        ("α/r = 32/16", "alpha / r = 32 / 16"),
        ("ΔW ∆W", "δw δw"),
        ("0,05 and .05 and 5 %", "0.05 and 0.05 and 5%"),
        ("d × r, d·r", "d x r d x r"),
        ("i.e. the e.g. c.-à-d.", "ie the eg cad"),
        ("W_q & W0", "w q and w0"),
        ("«Fine-tuning»", "fine tuning"),
        ("𝑟 = ½", "r = 1 2"),
    ],
)
def test_one_spelling(text: str, expected: str) -> None:
    assert " ".join(words(text)).replace("⁄", "").split() == expected.split()


def test_sentences_and_gaps() -> None:
    first, second, third = sentences("The rank (of A), here: 16. It is small; no. 5")[:3]
    assert first.words == ("the", "rank", "of", "a", "here", "16")
    assert first.gaps == {2, 4, 5}
    assert second.words == ("it", "is", "small")
    assert third.words == ("no",)


@pytest.mark.parametrize("text", ["a - b", "a – b", "a -> b", "a → b", "a, b", "a: b", "a (b"])
def test_a_new_statement_may_begin_behind_a_sign(text: str) -> None:
    (sentence,) = sentences(text)
    assert sentence.gaps == {1}


def test_a_word_cut_at_a_line_end_is_mended_only_where_that_gives_a_known_word() -> None:
    known = {"decomposition"}
    assert words_of("the decom- position", known) == ["the", "decomposition"]
    assert words_of("the low- rank", known) == ["the", "low", "rank"]


def words_of(text: str, known: set[str]) -> list[str]:
    return [word for sentence in sentences(text, known) for word in sentence.words]


@settings(deadline=None)
@given(st.text(max_size=200))
def test_every_word_knows_its_place(text: str) -> None:
    for sentence in sentences(text):
        assert len(sentence.words) == len(sentence.places)
        assert all(0 <= start < end <= len(text) for start, end in sentence.places)
        assert list(sentence.places) == sorted(sentence.places)

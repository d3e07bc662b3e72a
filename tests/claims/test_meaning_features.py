"""What the model of sentences sees: tokens with placeholders, features, and how its odds become trust."""

from collections.abc import Mapping
from math import log

import numpy as np
import pytest

from grader.claims.meaning import (
    EXPERIMENT,
    FIRST,
    GROUPS,
    LONGEST,
    SECOND,
    TEST,
    VALID,
    Tokens,
    choice_tokens,
    columns_of,
    comparison_tokens,
    families,
    features,
    settled,
    signals_of,
    together,
    vector,
)
from grader.claims.results.vocabulary import mentions
from grader.lab.experiments import ACCURACY, Better, Measure
from tests.claims.making import lab

TWO = ("pretrained", "random")
PERPLEXITY = Measure(id="perplexity", title="perplexity", words=("perplexity", "ppl"), better=Better.LOWER)


def choice(text: str) -> tuple[str, ...]:
    return choice_tokens(text, mentions(text, lab()), lab(), ACCURACY).words


def compared(text: str, measure: Measure = ACCURACY) -> Tokens:
    return comparison_tokens(text, mentions(text, lab()), TWO, lab(), measure)


NUMBERS: Mapping[str, str] = {
    "0.5": "#fraction", "0.99": "#fraction", "0": "#digit", "1": "#digit", "1.0": "#small", "10": "#digit",
    "10.9": "#small", "11": "#low", "44": "#low", "44.9": "#small", "45": "#percent", "45.0": "#accuracy",
    "79,3": "#accuracy", "100": "#percent", "100.0": "#accuracy", "101": "#large", "100.5": "#large", "2000": "#large",
}  # fmt: skip


@pytest.mark.parametrize("number", NUMBERS)
def test_a_number_is_seen_as_its_kind(number: str) -> None:
    assert choice(f"we get {number} there") == ("we", "get", NUMBERS[number], "there")


def test_names_are_replaced_by_placeholders() -> None:
    text = "The pretrained model has the best validation accuracy: 81 % -> test!"
    assert choice(text) == (
        *("the", EXPERIMENT, "model", "has", "the", "best", VALID, "accuracy", ":", "#percent", "%", "->", TEST, "!"),
    )
    random_first = compared("From scratch it is worse than pretrained, and Pretrained wins.")
    assert random_first.lead == "random"
    assert [word for word in random_first.words if word.startswith("<")] == [FIRST, SECOND, SECOND]
    third = compared("run_glue is better than random")
    assert [word for word in third.words if word.startswith("<")] == [EXPERIMENT, FIRST]
    none = compared("It is better.")
    assert (none.lead, none.words) == ("", ("it", "is", "better", "."))


def test_only_the_beginning_of_a_long_statement_is_read() -> None:
    assert len(choice("a " * LONGEST)) == LONGEST // 2
    late = "x" * LONGEST + " y pretrained"
    assert EXPERIMENT not in choice(late)


def test_of_a_measure_that_is_better_when_lower_the_contrary_is_said() -> None:
    said = compared("The pretrained model has a lower perplexity than the random one.", PERPLEXITY)
    assert "accuracy" in said.words
    assert "higher" in said.words
    assert not {"lower", "perplexity"} & set(said.words)
    assert said.judging is None
    judged = compared("The pretrained model has a lower, so better perplexity than the random one.", PERPLEXITY)
    assert judged.judging is not None
    assert not {"higher", "lower"} & set(judged.judging)
    assert {"better", "accuracy"} <= set(judged.judging)
    silent = compared("The pretrained model is lower.", PERPLEXITY)
    assert "lower" in silent.words


def test_features_are_counted_by_group() -> None:
    found = features(Tokens(("we", "keep", "we", VALID, "best")))
    assert set(found) == set(GROUPS)
    assert found["word"]["we"] == pytest.approx(1 + log(2))
    assert found["word"]["keep"] == 1
    assert found["words"]["keep we"] == 1
    assert f"we {VALID} best" in found["words"]
    assert f"keep we {VALID} best" not in found["words"]
    assert not set(found["word"]) & set(found["words"])
    assert f"{VALID}1 before keep" in found["place"]
    assert f"{VALID}1 between best" in found["place"]
    assert {" ke", "keep "} <= set(found["letters"])
    assert not any(name.startswith("<") for name in found["letters"])
    both = features(Tokens((FIRST, "beats", SECOND, "far"), "random"))
    assert {f"{FIRST}2 between beat", f"{FIRST}2 behind far"} <= set(both["place"])
    assert {"lead random", f"{FIRST} {SECOND}"} <= set(both["names"])
    assert "0" in features(Tokens(("words", "alone")))["names"]


def test_features_stand_in_an_order_that_is_the_same_in_every_process() -> None:
    """As sets would not: sums over them would differ in the last digit."""
    words = ("best", "validation", "accuracy", "random", "better", "worse", "last", "epoch")
    found = features(Tokens(words, "random"))
    told = [family for word in words for family in families(word)]
    assert [one for one in found["family"] if " " not in one] == list(dict.fromkeys(told))
    assert list(found["names"]) == ["0", "lead random", "0 random", ""]
    pairs = [one for one in found["families"] if "~" in one]
    places = [tuple(told.index(family) for family in one.split(" ~ ")) for one in pairs]
    assert places == sorted(places)


def test_families_of_words_hold_their_inflections_in_both_languages() -> None:
    assert set(families("better")) & set(families("meilleur"))
    assert families("zzz") == families("79") == ()
    near = features(Tokens(("better", *["x"] * 7, "best")))
    far = features(Tokens(("better", *["x"] * 8, "best")))
    better, best = families("better")[0], families("best")[0]
    assert f"{better} ~ {best}" in near["families"]
    assert f"{better} ~ {best}" not in far["families"]


def test_known_features_have_a_length_of_their_own_for_each_group() -> None:
    columns = columns_of(["word:best", "names:0", "word:keep"])
    idf = [1.0, 2.0, 1.0]
    found = {"word": {"keep": 3.0, "best": 4.0, "unknown": 1.0}, "names": {"0": 1.0}}
    places, weights, known = vector(found, columns, idf)
    assert dict(zip(places, weights, strict=True)) == pytest.approx({0: 0.8, 2: 0.6, 1: 1.0})
    assert known == pytest.approx(2 / 3)
    assert vector({"word": {"unknown": 1.0}}, columns, idf) == ([], [], 0.0)


def test_the_signals_of_a_decision() -> None:
    odds = np.log(np.array([0.6, 0.3, 0.1]))
    against_all, against_next, is_last, known, length = signals_of(odds, 0.5, 9).tolist()
    assert against_all == pytest.approx(log(0.6 / 0.4))
    assert against_next == pytest.approx(log(0.6 / 0.3))
    assert (is_last, known, length) == (0.0, 0.5, pytest.approx(log(10)))
    assert signals_of(odds[::-1], 0.5, 9)[2] == 1.0


def test_what_the_likeliest_label_leaves_is_shared_as_the_model_would() -> None:
    meaning = settled(("a", "b", "c"), np.log(np.array([0.2, 0.6, 0.2])), 0.9)
    assert (meaning.label, meaning.trust) == ("b", 0.9)
    assert dict(meaning.probabilities) == pytest.approx({"a": 0.05, "b": 0.9, "c": 0.05})


@pytest.mark.parametrize(
    ("shares", "wanted"), [([], 0), ([0.5], 0.5), ([0.5, 0.5], 0.75), ([0.1, 0.5, 0.5, 0.5], 0.875), ([1, 0.2], 1)]
)
def test_several_statements_say_something_together(shares: list[float], wanted: float) -> None:
    assert together(shares) == pytest.approx(wanted)

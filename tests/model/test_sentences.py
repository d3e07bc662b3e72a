"""The frozen models of what sentences say: their features, and how their odds become trust."""

import json
from itertools import islice
from math import log

import numpy as np
import pytest

from grader.claims.meaning import choice_tokens, comparison_tokens
from grader.claims.results.vocabulary import mentions
from grader.lab.experiments import ACCURACY
from grader.lab.files import LABS, load_lab
from grader.model.linear import Vocabulary
from grader.model.sentences import (
    FIRST,
    GROUPS,
    LABELS,
    SECOND,
    TEST,
    VALID,
    Tokens,
    families,
    features,
    likeliest_label,
    probability_of_any,
    signals_of,
    topics,
)
from grader.training.sentences import CARD, inputs, marked_sentences

LAB = load_lab(LABS / "nlp_frameworks")
TWO = ("pretrained", "random")


def test_the_models_are_those_of_their_sentences() -> None:
    """Else: make sentences."""
    assert {one.inputs for one in topics().values()} == {inputs()}
    assert json.loads(CARD.read_text(encoding="utf-8"))["inputs"] == inputs()


@pytest.mark.parametrize("topic", LABELS)
def test_what_is_decided_with_trust_is_seldom_wrong_on_writers_that_were_left_out(topic: str) -> None:
    by_trust = json.loads(CARD.read_text(encoding="utf-8"))[topic]["by trust"]
    assert by_trust["0.9"]["wrong"] <= 0.05
    assert by_trust["0.95"]["wrong"] <= 0.035
    assert by_trust["0.8"]["decided"] >= 0.6


@pytest.mark.parametrize("topic", LABELS)
def test_labels_are_known_and_every_sentence_has_a_source(topic: str) -> None:
    sentences = list(islice(marked_sentences(topic, LAB, TWO), 200))
    assert {one.said for one in sentences} <= set(LABELS[topic])
    assert all(one.source for one in sentences)


@pytest.mark.parametrize("lab", ["nlp_frameworks", "small_gpt2"])
def test_the_splits_of_any_lab_are_placeholders(lab: str) -> None:
    words = load_lab(LABS / lab)
    text = "We keep the epoch with the best dev accuracy and report its accuracy on test."
    tokens = choice_tokens(text, mentions(text, words), words, ACCURACY)
    assert (VALID in tokens.words, TEST in tokens.words) == (True, True)
    assert topics()["choice"].read(tokens).label == "valid"


@pytest.mark.parametrize(("text", "lead"), [("The random model", "random"), ("the pretrained one", "pretrained")])
def test_of_two_experiments_the_one_that_is_named_first_is_told_from_the_other(text: str, lead: str) -> None:
    tokens = comparison_tokens(text, mentions(text, LAB), TWO, LAB, ACCURACY)
    assert tokens.lead == lead
    assert FIRST in tokens.words
    assert SECOND not in tokens.words


def test_names_turned_round_turn_the_meaning_round() -> None:
    """The two experiments are alike to the model but for what students mostly find."""
    topic = topics()["comparison"]
    for text in ("The {} model clearly outperforms the {} one.", "The {} network is far above the {} network."):
        for one, other in (TWO, TWO[::-1]):
            said = text.format(one, other)
            assert topic.read(comparison_tokens(said, mentions(said, LAB), TWO, LAB, ACCURACY)).label == "first"


def test_a_text_of_nothing_known_says_nothing_that_is_sure() -> None:
    for topic in topics().values():
        for text in ("", "zzz", "!!!", "qwx " * 400):
            read = topic.read(choice_tokens(text, [], LAB, ACCURACY))
            assert read.label == "none" or read.trust < 0.8
            assert abs(sum(read.probabilities.values()) - 1) < 1e-6


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


def test_families_of_words_hold_their_inflections_in_both_languages() -> None:
    assert set(families("better")) & set(families("meilleur"))
    assert families("zzz") == families("79") == ()
    near = features(Tokens(("better", *["x"] * 7, "best")))
    far = features(Tokens(("better", *["x"] * 8, "best")))
    better, best = families("better")[0], families("best")[0]
    assert f"{better} ~ {best}" in near["families"]
    assert f"{better} ~ {best}" not in far["families"]


def test_known_features_have_a_length_of_their_own_for_each_group() -> None:
    known = Vocabulary({"word": ["best", "keep"], "names": ["0"]}, [1.0, 1.0, 2.0], {"word": 1.0, "names": 0.5})
    row = known.row({"word": {"keep": 3.0, "best": 4.0, "unknown": 1.0}, "names": {"0": 1.0}})
    assert dict(zip(row.columns, row.weights, strict=True)) == pytest.approx({0: 0.8, 1: 0.6, 2: 0.5})
    assert row.known == {"word": pytest.approx(2 / 3), "names": 1.0}
    assert known.row({"word": {"unknown": 1.0}}).columns == []


def test_a_text_has_the_same_numbers_in_whatever_order_its_features_stand() -> None:
    """Else sums over them would differ in the last digit from process to process."""
    known = Vocabulary({"word": ["a", "b", "c"]}, [1.1, 1.3, 1.7], {"word": 1.0})
    assert known.row({"word": {"a": 1.0, "b": 2.0, "c": 3.0}}) == known.row({"word": {"c": 3.0, "b": 2.0, "a": 1.0}})


def test_the_signals_of_a_decision() -> None:
    odds = np.log(np.array([0.6, 0.3, 0.1]))
    against_all, against_next, is_last, known, length = signals_of(odds, 0.5, 9).tolist()
    assert against_all == pytest.approx(log(0.6 / 0.4))
    assert against_next == pytest.approx(log(0.6 / 0.3))
    assert (is_last, known, length) == (0.0, 0.5, pytest.approx(log(10)))
    assert signals_of(odds[::-1], 0.5, 9)[2] == 1.0


def test_what_the_likeliest_label_leaves_is_shared_as_the_model_would() -> None:
    meaning = likeliest_label(("a", "b", "c"), np.log(np.array([0.2, 0.6, 0.2])), 0.9)
    assert (meaning.label, meaning.trust) == ("b", 0.9)
    assert dict(meaning.probabilities) == pytest.approx({"a": 0.05, "b": 0.9, "c": 0.05})


@pytest.mark.parametrize(
    ("shares", "wanted"), [([], 0), ([0.5], 0.5), ([0.5, 0.5], 0.75), ([0.1, 0.5, 0.5, 0.5], 0.875), ([1, 0.2], 1)]
)
def test_several_statements_say_something_together(shares: list[float], wanted: float) -> None:
    assert probability_of_any(shares) == pytest.approx(wanted)

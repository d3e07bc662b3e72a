"""The frozen model of what sentences say."""

import json
from itertools import islice

import numpy as np
import pytest

from grader.claims.meaning import FIRST, MODEL, SECOND, TEST, VALID, choice_tokens, comparison_tokens, topics
from grader.claims.results.vocabulary import mentions
from grader.lab.experiments import ACCURACY
from grader.lab.files import LABS, load_lab
from grader.training.sentences import CARD, LABELS, inputs, marked_sentences

LAB = load_lab(LABS / "nlp_frameworks")
TWO = ("pretrained", "random")


def test_the_model_is_that_of_its_sentences() -> None:
    """Else: make sentences."""
    with np.load(MODEL, allow_pickle=False) as data:
        assert str(data["inputs"]) == inputs()
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

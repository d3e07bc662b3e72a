"""The models of what sentences say, trained from marked sentences and measured with each writer left out."""

import hashlib
import json
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any, Final, NamedTuple

import numpy as np

from grader.claims.meaning import choice_tokens, comparison_tokens
from grader.claims.passage import normalise
from grader.claims.results.vocabulary import abbreviations_in, mentions
from grader.lab.definition import Lab
from grader.lab.experiments import ACCURACY
from grader.model.linear import FORM, Features
from grader.model.sentences import (
    CHOICE,
    DATA,
    GROUPS,
    LABELS,
    NOTHING,
    SIGNALS,
    Tokens,
    features,
    signals_of,
    trust_of,
)
from grader.training.fit import Array, Fit, by_feature, fit_lesson, frozen, gate_of, lesson, table_of, vocabulary_of

CARD: Final = DATA / "sentences.card.json"
_FIT: Final = Fit(strength=30.0, tolerance=1e-4, iterations=500)
_TRUSTS: Final = (0.7, 0.8, 0.9, 0.95)


class Sentence(NamedTuple):
    """A marked sentence: `found` are its features, `said` one of the labels of its topic, `source` who wrote it."""

    text: str
    tokens: Tokens
    found: Features
    said: str
    source: str


def marked_sentences(topic: str, lab: Lab, two: tuple[str, str]) -> Iterator[Sentence]:
    """Yield the marked sentences of a topic with the names of the lab that they were written for. Those that compare
    are marked with the experiment that they call better."""
    for line in (DATA / f"{topic}.jsonl").read_text(encoding="utf-8").splitlines():
        record = json.loads(line)
        text = normalise(record["text"]).text
        found = mentions(text, lab, abbreviations_in(text, lab))
        tokens = (
            choice_tokens(text, found, lab, ACCURACY)
            if topic == CHOICE
            else comparison_tokens(text, found, two, lab, ACCURACY)
        )
        # The experiment that is called better is the one named first, or the other one.
        label = record["label"]
        placed = label if label not in two else "first" if label == (tokens.lead or two[0]) else "second"
        yield Sentence(text, tokens, features(tokens), placed, record["source"])


class Predictions(NamedTuple):
    """Predictions for sentences by models that have seen nothing of their writers: for each the odds, the signals,
    whether the likeliest label is right, and the trust."""

    odds: Array
    signals: Array
    right: Array
    trust: Array


def cross_validate(sentences: Sequence[Sentence], labels: Sequence[str]) -> Predictions:
    """Return how every sentence is judged by models that have not seen its source, and the trust in that."""
    found, marked_labels = (
        [sentence.found for sentence in sentences],
        np.array([labels.index(sentence.said) for sentence in sentences]),
    )
    odds, signals = np.zeros((len(sentences), len(labels))), np.zeros((len(sentences), SIGNALS))
    sources = np.array([sentence.source for sentence in sentences])
    for source in sorted(set(sources)):
        left = sources == source
        vocabulary = vocabulary_of(
            [sentence_features for sentence_features, is_left in zip(found, left, strict=True) if not is_left], GROUPS
        )
        rows = [vocabulary.row(sentence_features) for sentence_features in found]
        table = table_of(rows, vocabulary)
        training_lesson = lesson(table[~left], marked_labels[~left])
        model = by_feature(
            fit_lesson(training_lesson, np.ones(len(training_lesson.labels), dtype=bool), len(labels), _FIT),
            training_lesson,
            table[~left],
        )
        odds[left] = table[left] @ model.weights.T + model.intercepts
        for at in np.flatnonzero(left).tolist():
            signals[at] = signals_of(odds[at], rows[at].known["word"], len(sentences[at].tokens.words))
    right, trust = odds.argmax(axis=1) == marked_labels, np.zeros(len(sentences))
    for source in set(sources):
        left = sources == source
        trust[left] = trust_of(gate_of(signals[~left], right[~left]), signals[left])
    return Predictions(odds, signals, right, trust)


def card_of(sentences: Sequence[Sentence], labels: Sequence[str], found: Predictions) -> dict[str, Any]:
    """Return what came of the measurement, for people: by trust, the share decided and how often that is wrong; and of
    the sentences that say something, the share that is decided rightly."""
    marked_labels = np.array([sentence.said for sentence in sentences])
    taken = np.array(labels)[found.odds.argmax(axis=1)]
    speaks = marked_labels != NOTHING
    table = {}
    for level in _TRUSTS:
        sure = found.trust >= level
        is_decided = sure & (taken != NOTHING)
        table[str(level)] = {
            "decided": round(float(sure.mean()), 3),
            "wrong": round(float((~found.right)[sure].mean()), 3),
            "speaking, decided": round(float((is_decided & speaks).sum() / speaks.sum()), 3),
            "said to speak, wrong": round(float((~found.right)[is_decided].mean()), 3),
        }
    by_source = {
        source: round(float(found.right[[sentence.source == source for sentence in sentences]].mean()), 3)
        for source in sorted({sentence.source for sentence in sentences})
    }
    counts = dict(sorted(Counter(sentence.said for sentence in sentences).items()))
    return {"sentences": len(sentences), "labels": counts, "right, whatever the trust": by_source, "by trust": table}


def train_topic(topic: str, lab: Lab, two: tuple[str, str]) -> tuple[bytes, dict[str, Any]]:
    """Return the frozen model of a topic and its card."""
    sentences, labels = list(marked_sentences(topic, lab, two)), LABELS[topic]
    predictions = cross_validate(sentences, labels)
    vocabulary = vocabulary_of([sentence.found for sentence in sentences], GROUPS)
    table = table_of([vocabulary.row(sentence.found) for sentence in sentences], vocabulary)
    topic_lesson = lesson(table, np.array([labels.index(sentence.said) for sentence in sentences]))
    model = by_feature(
        fit_lesson(topic_lesson, np.ones(len(sentences), dtype=bool), len(labels), _FIT), topic_lesson, table
    )
    gate = gate_of(predictions.signals, predictions.right)
    return frozen(vocabulary, labels, {topic: model}, inputs(), gate=gate), card_of(sentences, labels, predictions)


def inputs() -> str:
    """Return the hash of all that the models are trained from."""
    files = [DATA / f"{topic}.jsonl" for topic in LABELS] + [DATA / "families.toml"]
    return hashlib.sha256(b"\n".join([str(FORM).encode(), *(file.read_bytes() for file in files)])).hexdigest()

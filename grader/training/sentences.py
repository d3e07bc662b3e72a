"""The model of what sentences say, trained from the marked sentences beside it, measured with each writer left out."""

import hashlib
import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

import numpy as np
from scipy.sparse import csr_matrix
from threadpoolctl import threadpool_limits

from grader.claims.meaning import (
    DATA,
    FORM,
    NOTHING,
    SIGNALS,
    Features,
    Tokens,
    choice_tokens,
    columns_of,
    comparison_tokens,
    features,
    signals_of,
    vector,
)
from grader.claims.passage import normalise
from grader.claims.results.vocabulary import abbreviations_in, mentions
from grader.lab.definition import Lab
from grader.lab.experiments import ACCURACY
from grader.training.train import Array, joined, zipped

CHOICE: Final = "choice"
COMPARISON: Final = "comparison"
CARD: Final = DATA / "sentences.card.json"
LABELS: Final[Mapping[str, tuple[str, ...]]] = {
    CHOICE: ("valid", "test", "last", "other", NOTHING),
    COMPARISON: ("first", "second", "neither", NOTHING),
}
_STRENGTH: Final = 30.0
_RAREST: Final = 2
"""A feature of fewer sentences is left out."""
_TRUST_STRENGTH: Final = 0.3
_TRUSTS: Final = (0.7, 0.8, 0.9, 0.95)


class Sentence(NamedTuple):
    """A marked sentence: `found` are its features, `said` one of the labels of its topic, `source` who wrote it."""

    text: str
    tokens: Tokens
    found: Features
    said: str
    source: str


class Linear(NamedTuple):
    """A trained model of one topic; its features are named `group:name`."""

    names: Sequence[str]
    idf: Array
    weights: Array
    intercepts: Array


def marked_sentences(topic: str, lab: Lab, two: tuple[str, str]) -> Iterator[Sentence]:
    """The marked sentences of a topic with the names of the lab that they were written for. Those that compare are
    marked with the experiment that they call better."""
    for line in (DATA / f"{topic}.jsonl").read_text(encoding="utf-8").splitlines():
        one = json.loads(line)
        text = normalise(one["text"]).text
        found = mentions(text, lab, abbreviations_in(text, lab))
        tokens = (
            choice_tokens(text, found, lab, ACCURACY)
            if topic == CHOICE
            else comparison_tokens(text, found, two, lab, ACCURACY)
        )
        # The experiment that is called better is the one named first, or the other one.
        label = one["label"]
        placed = label if label not in two else "first" if label == (tokens.lead or two[0]) else "second"
        yield Sentence(text, tokens, features(tokens), placed, one["source"])


def trained(sentences: Sequence[Sentence], labels: Sequence[str]) -> Linear:
    """The model of some sentences. The same sentences give the same numbers."""
    found = [one.found for one in sentences]
    number = Counter(f"{group}:{name}" for one in found for group, own in one.items() for name in own)
    kept = sorted(one for one, times in number.items() if times >= _RAREST and "\n" not in one)
    columns = columns_of(kept)
    idf = np.array([np.log((1 + len(found)) / (1 + number[name])) + 1 for name in kept]).astype(np.float32)
    rows = [vector(one, columns, idf.tolist())[:2] for one in found]
    ends = np.cumsum([0, *(len(places) for places, _ in rows)])
    values = np.concatenate([weights for _, weights in rows])
    table = csr_matrix((values, np.concatenate([places for places, _ in rows]), ends), (len(rows), len(kept)))
    with threadpool_limits(1):  # the same sums in the same order, whatever the machine
        return Linear(kept, idf, *_fitted(table, [labels.index(one.said) for one in sentences], len(labels)))


def _fitted(table: Any, said: Sequence[int], size: int) -> tuple[Array, Array]:
    """The logistic regression, worked out in the space that the sentences span."""
    from sklearn.linear_model import LogisticRegression

    values, vectors = np.linalg.eigh((table @ table.T).toarray())
    kept = values > 1e-6
    roots = np.sqrt(values[kept])
    fitted = LogisticRegression(C=_STRENGTH, max_iter=500).fit(vectors[:, kept] * roots, said)
    weights, intercepts = np.zeros((size, table.shape[1])), np.full(size, -30.0)
    back = ((vectors[:, kept] / roots) @ fitted.coef_.T).T @ table
    for row, label in enumerate(fitted.classes_):
        weights[label], intercepts[label] = back[row], fitted.intercept_[row]
    return weights, intercepts


def odds_and_signals(model: Linear, sentences: Sequence[Sentence]) -> tuple[Array, Array]:
    """What a model makes of some sentences: the odds of each label and the signals of trust."""
    odds, signals, idf, known_columns = [], [], model.idf.tolist(), columns_of(model.names)
    for one in sentences:
        columns, values, known = vector(one.found, known_columns, idf)
        odds.append(model.intercepts + model.weights[:, columns] @ values)
        signals.append(signals_of(odds[-1], known, len(one.tokens.words)))
    return np.array(odds), np.array(signals)


class Measured(NamedTuple):
    """Of each sentence, by models that have seen nothing of its writer: the odds, the signals, the trust."""

    odds: Array
    signals: Array
    right: Array
    trust: Array


def measured(sentences: Sequence[Sentence], labels: Sequence[str]) -> Measured:
    """Every sentence judged by models that have not seen its source; so is the trust in it."""
    sources = sorted({one.source for one in sentences})
    inside = {source: np.array([one.source == source for one in sentences]) for source in sources}
    odds, signals = np.zeros((len(sentences), len(labels))), np.zeros((len(sentences), SIGNALS))
    for source in sources:
        model = trained([one for one in sentences if one.source != source], labels)
        found = odds_and_signals(model, [one for one in sentences if one.source == source])
        odds[inside[source]], signals[inside[source]] = found
    right = odds.argmax(axis=1) == np.array([labels.index(one.said) for one in sentences])
    trusted = np.zeros(len(sentences))
    for source in sources:
        own = inside[source]
        trusted[own] = trust(gate(signals[~own], right[~own]), signals[own])
    return Measured(odds, signals, right, trusted)


def card_of(sentences: Sequence[Sentence], labels: Sequence[str], found: Measured) -> dict[str, Any]:
    """What came of the measurement, for people: by trust, the share decided and how often that is wrong; and of the
    sentences that say something, the share that is decided rightly."""
    said = np.array([one.said for one in sentences])
    taken = np.array(labels)[found.odds.argmax(axis=1)]
    speaks = said != NOTHING
    table = {}
    for level in _TRUSTS:
        sure = found.trust >= level
        told = sure & (taken != NOTHING)
        table[str(level)] = {
            "decided": round(float(sure.mean()), 3),
            "wrong": round(float((~found.right)[sure].mean()), 3),
            "speaking, decided": round(float((told & speaks).sum() / speaks.sum()), 3),
            "said to speak, wrong": round(float((~found.right)[told].mean()), 3),
        }
    by_source = {
        source: round(float(found.right[[one.source == source for one in sentences]].mean()), 3)
        for source in sorted({one.source for one in sentences})
    }
    counts = dict(sorted(Counter(one.said for one in sentences).items()))
    return {"sentences": len(sentences), "labels": counts, "right, whatever the trust": by_source, "by trust": table}


def frozen(lab: Lab, two: tuple[str, str]) -> tuple[bytes, str]:
    """The model's bytes and its card as JSON. The same sentences give the same bytes."""
    arrays: dict[str, Array] = {"form": np.array(FORM), "inputs": np.array(inputs()), "topics": np.array(list(LABELS))}
    card: dict[str, Any] = {"inputs": inputs()}
    for topic, labels in LABELS.items():
        sentences = list(marked_sentences(topic, lab, two))
        found = measured(sentences, labels)
        model = trained(sentences, labels)
        scales = np.abs(model.weights).max(axis=1) / 127
        arrays |= {
            f"{topic}.labels": np.array(labels),
            f"{topic}.features": joined(model.names),
            f"{topic}.idf": model.idf.astype(np.float16),
            f"{topic}.weights": np.rint(model.weights / scales[:, None]).astype(np.int8),
            f"{topic}.scales": scales.astype(np.float32),
            f"{topic}.intercepts": model.intercepts,
            f"{topic}.gate": gate(found.signals, found.right),
        }
        card[topic] = card_of(sentences, labels, found)
    return zipped(arrays), json.dumps(card, indent=1) + "\n"


def inputs() -> str:
    """The hash of all that the model is trained from."""
    files = [DATA / f"{topic}.jsonl" for topic in LABELS] + [DATA / "families.toml"]
    return hashlib.sha256(b"\n".join([str(FORM).encode(), *(file.read_bytes() for file in files)])).hexdigest()


def gate(signals: Array, right: Array) -> Array:
    """How signals tell right verdicts from wrong ones: middles, scales and weights, the constant last."""
    from sklearn.linear_model import LogisticRegression

    middle, scale = signals.mean(axis=0), signals.std(axis=0)
    scale[scale == 0] = 1
    if right.all() or not right.any():  # nothing to tell apart: only as sure as the examples are many
        weights, constant = np.zeros(len(middle)), np.log((right.sum() + 1) / ((~right).sum() + 1))
    else:
        fitted = LogisticRegression(C=_TRUST_STRENGTH, max_iter=500).fit((signals - middle) / scale, right)
        weights, constant = fitted.coef_[0], fitted.intercept_[0]
    return np.array([[*middle, 0], [*scale, 1], [*weights, constant]])


def trust(gate_: Array, signals: Array) -> Array:
    """How far verdicts can be trusted, from 0 to 1."""
    middle, scale, weights = gate_
    return np.asarray(1 / (1 + np.exp(-(((signals - middle[:-1]) / scale[:-1]) @ weights[:-1] + weights[-1]))))

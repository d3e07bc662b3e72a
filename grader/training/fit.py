"""The training: one small linear model for each question, and how far its verdicts can be trusted."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, NamedTuple

import numpy as np
from scipy.sparse import csr_matrix, hstack
from sklearn.linear_model import LogisticRegression
from threadpoolctl import threadpool_limits

from grader.lab.scorer import LABELS, Examples, character_grams, signals, weighed, word_grams

Array = np.ndarray[Any, Any]
Row = tuple[Array, Array]
_STRENGTH: Final = 30.0
"""How closely a question's model follows its examples (`C` of the logistic regression)."""
_TRUST_STRENGTH: Final = 0.3
_OTHER: Final = 0.5
"""The weight of a right answer to another question, as a further wrong example."""
_RAREST: Final = 2
"""A gram of fewer examples is left out."""


class Marked(NamedTuple):
    """An example as it is trained on: `text` is plain, `label` the number of its label."""

    topic: str
    label: int
    source: str
    text: str


class Space(NamedTuple):
    """The grams of some texts, with how telling each is."""

    characters: Mapping[str, int]
    words: Mapping[str, int]
    character_idf: Array
    word_idf: Array


class Linear(NamedTuple):
    """The weights of each label, characters before words, and the intercepts."""

    weights: Array
    intercepts: Array


class Model(NamedTuple):
    """The space and the linear model of each question, trained on `marked`, whose word rows stand in `rows`."""

    space: Space
    linear: Mapping[str, Linear]
    marked: Sequence[Marked]
    rows: Sequence[Row]


class Vectors(NamedTuple):
    """Texts as rows of numbers."""

    characters: list[Row]
    words: list[Row]


def trained(marked: Sequence[Marked], topics: Iterable[str]) -> Model:
    """The model of all questions. The same examples give the same numbers."""
    characters = [Counter(character_grams(one.text)) for one in marked]
    words = [Counter(word_grams(one.text)) for one in marked]
    space = _space(characters, words)
    vectors = Vectors(
        [weighed(one.elements(), space.characters, space.character_idf) for one in characters],
        [weighed(one.elements(), space.words, space.word_idf) for one in words],
    )
    width = len(space.characters), len(space.words)
    table = hstack([_table(vectors.characters, width[0]), _table(vectors.words, width[1])]).tocsr()
    likeness = (table @ table.T).toarray()
    with threadpool_limits(1):  # the same sums in the same order, whatever the machine
        linear = {topic: _linear(table, likeness, marked, topic) for topic in topics}
    return Model(space, linear, marked, vectors.words)


def _space(characters: Sequence[Counter[str]], words: Sequence[Counter[str]]) -> Space:
    found = []
    for counted in (characters, words):
        number = Counter(gram for one in counted for gram in one)
        kept = sorted(gram for gram, times in number.items() if times >= _RAREST and "\n" not in gram)
        idf = np.array([np.log((1 + len(counted)) / (1 + number[gram])) + 1 for gram in kept])
        found.append(({gram: place for place, gram in enumerate(kept)}, idf.astype(np.float32).astype(np.float64)))
    return Space(found[0][0], found[1][0], found[0][1], found[1][1])


def _table(rows: Sequence[Row], width: int) -> Any:
    """The rows as a sparse matrix."""
    ends = np.cumsum([0, *(len(columns) for columns, _ in rows)])
    columns = np.concatenate([columns for columns, _ in rows])
    return csr_matrix((np.concatenate([weights for _, weights in rows]), columns, ends), (len(rows), width))


def _linear(table: Any, likeness: Array, marked: Sequence[Marked], topic: str) -> Linear:
    """The logistic regression of a question, worked out among its examples: in the space that they span it is the same
    as in the one of all grams, and much smaller."""
    own = [number for number, one in enumerate(marked) if one.topic == topic]
    other = [number for number, one in enumerate(marked) if one.topic != topic and one.label == 0]
    chosen = np.array([*own, *other])
    labels = np.array([*(marked[number].label for number in own), *(LABELS.index("incorrect") for _ in other)])
    share = np.array([*(1.0 for _ in own), *(_OTHER for _ in other)])
    values, vectors = np.linalg.eigh(likeness[np.ix_(chosen, chosen)].astype(np.float64))
    kept = values > 1e-6
    roots = np.sqrt(values[kept])
    fitted = LogisticRegression(C=_STRENGTH, max_iter=300).fit(vectors[:, kept] * roots, labels, sample_weight=share)
    weights = np.zeros((len(LABELS), table.shape[1]), dtype=np.float32)
    intercepts = np.full(len(LABELS), -30.0)
    back = ((vectors[:, kept] / roots) @ fitted.coef_.T).T @ table[chosen]
    if len(fitted.classes_) == 2:  # a pair has one row, that of the second class
        back, fitted.intercept_ = np.vstack([-back / 2, back / 2]), np.array([-1, 1]) * fitted.intercept_ / 2
    for row, label in enumerate(fitted.classes_):
        weights[label], intercepts[label] = back[row], fitted.intercept_[row]
    return Linear(weights, intercepts)


def judged(model: Model, topic: str, texts: Sequence[str]) -> tuple[Array, Array]:
    """The probabilities of the labels for some texts, and the signals of how far these can be trusted."""
    space, linear = model.space, model.linear[topic]
    own = [number for number, one in enumerate(model.marked) if one.topic == topic]
    labels = np.array([model.marked[number].label for number in own])
    examples = Examples(np.array(own), labels, [model.rows[number] for number in own], len(space.words))
    probabilities, found = [], []
    shift = len(space.characters)
    for text in texts:
        characters = weighed(character_grams(text), space.characters, space.character_idf)
        words = weighed(word_grams(text), space.words, space.word_idf)
        odds = linear.intercepts + linear.weights[:, characters[0]] @ characters[1]
        odds = odds + linear.weights[:, words[0] + shift] @ words[1]
        odds = np.exp(odds - odds.max())
        probabilities.append(odds / odds.sum())
        unknown = len(set(word_grams(text))) - len(words[0])
        found.append(signals(probabilities[-1], words[0], space.word_idf, examples, examples.likeness(*words), unknown))
    return np.array(probabilities), np.array(found)


def gate(signals_: Array, right: Array) -> Array:
    """How signals tell right verdicts from wrong ones: middles, scales and weights, the constant last."""
    middle, scale = signals_.mean(axis=0), signals_.std(axis=0)
    scale[scale == 0] = 1
    if right.all() or not right.any():  # nothing to tell apart: only as sure as the examples are many
        weights, constant = np.zeros(len(middle)), np.log((right.sum() + 1) / ((~right).sum() + 1))
    else:
        fitted = LogisticRegression(C=_TRUST_STRENGTH, max_iter=500).fit((signals_ - middle) / scale, right)
        weights, constant = fitted.coef_[0], fitted.intercept_[0]
    return np.array([[*middle, 0], [*scale, 1], [*weights, constant]])


def trust(gate_: Array, signals_: Array) -> Array:
    """How far verdicts can be trusted, from 0 to 1."""
    middle, scale, weights = gate_
    return np.asarray(1 / (1 + np.exp(-(((signals_ - middle[:-1]) / scale[:-1]) @ weights[:-1] + weights[-1]))))

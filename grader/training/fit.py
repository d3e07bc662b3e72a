"""The training: one small linear model for each question."""

import random
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, NamedTuple

import numpy as np
from scipy.linalg import solve_triangular
from scipy.sparse import csr_matrix, hstack
from sklearn.linear_model import LogisticRegression
from threadpoolctl import threadpool_limits

from grader.lab.scorer import KINDS, LABELS, WORDS, WRONG, grams, tokens, turned, weighed

Array = np.ndarray[Any, Any]
Row = tuple[Array, Array]
_STRENGTH: Final = 10.0
"""How closely a question's model follows its examples (`C` of the logistic regression)."""
_OTHER: Final = 0.5
"""The weight of a right answer to another question, as a further wrong example."""
_EVERY: Final = 3
"""Of the right answers to other questions, one in so many is taken."""
_MADE: Final = 0.15
"""The weight of the contrary of a right answer, or of a list of its words, as a further wrong example."""
_CONTRARY, _LIST = 1, 2
_RAREST: Final = 2
"""A gram of fewer examples is left out."""
_JITTER: Final = 1e-4
"""Keeps the likenesses of nearly equal examples apart."""
_LONG: Final = 4
"""Words from this length on make a list of words."""
_SEPARATORS: Final = (" ", ", ", "; ", " - ", " / ")


class Marked(NamedTuple):
    """An example as it is trained on: `text` is plain, `label` the number of its label."""

    topic: str
    label: int
    source: str
    text: str


class Space(NamedTuple):
    """The grams of some texts, of each kind, with how telling each is."""

    vocabularies: tuple[Mapping[str, int], ...]
    idf: tuple[Array, ...]


class Linear(NamedTuple):
    """The weights of each label, one kind of grams after the other, and the intercepts."""

    weights: Array
    intercepts: Array


class Model(NamedTuple):
    """The space and the linear model of each question, trained on `marked`, whose word rows stand in `rows`."""

    space: Space
    linear: Mapping[str, Linear]
    marked: Sequence[Marked]
    rows: Sequence[Row]


class Material(NamedTuple):
    """Rows to train on: examples, and what was `made` of the right ones (0: an example). Made ones have the source of
    the example."""

    space: Space
    table: Any
    topics: Array
    labels: Array
    sources: Array
    made: Array
    words: Sequence[Row]


class Lesson(NamedTuple):
    """What one question's model learns from: the rows of the material, what each weighs and is marked with, and how
    alike any two are."""

    rows: Array
    labels: Array
    weights: Array
    made: Array
    likeness: Array


def closeness(found: Material, rows: Array) -> Array:
    """How alike the words of any two of some rows are, from 0 to 1."""
    start = sum(len(idf) for idf in found.space.idf[:WORDS])
    table = found.table[rows][:, start : start + len(found.space.idf[WORDS])]
    return np.asarray((table @ table.T).toarray())


class Dual(NamedTuple):
    """A linear model by what each row of a lesson adds, for each label, and the intercepts."""

    rows: Array
    shares: Array
    intercepts: Array


def trained(marked: Sequence[Marked], topics: Iterable[str]) -> Model:
    """The model of all questions. The same examples give the same numbers."""
    found = material(marked)
    linear = {}
    for topic in topics:
        dual = fitted(own := lesson(found, topic), np.ones(len(own.rows), dtype=bool))
        linear[topic] = Linear((found.table[own.rows].T @ dual.shares).T.astype(np.float32), dual.intercepts)
    return Model(found.space, linear, marked, found.words)


def material(marked: Sequence[Marked]) -> Material:
    """All that is learned from some examples, as rows of numbers."""
    counted = [grams(one.text) for one in marked]
    space = _space(counted)
    right = [one for one in marked if one.label == 0]
    made: list[tuple[list[str], list[str], list[str]]] = [
        ([], *grams("", turned(tokens(one.text)))[1:])
        for one in right  # the contrary has the same characters
    ]
    made += [grams(_list_of_words(one.text)) for one in right]
    rows = [_rows(one, space) for one in (*counted, *made)]
    every = (*marked, *right, *right)
    return Material(
        space=space,
        table=hstack(
            [_table(kind, len(idf)) for kind, idf in zip(zip(*rows, strict=True), space.idf, strict=True)]
        ).tocsr(),
        topics=np.array([one.topic for one in every]),
        labels=np.array([*(one.label for one in marked), *(WRONG for _ in made)]),
        sources=np.array([one.source for one in every]),
        made=np.repeat([0, _CONTRARY, _LIST], [len(marked), len(right), len(right)]),
        words=[row[WORDS] for row in rows[: len(marked)]],
    )


def _list_of_words(text: str) -> str:
    """The longer words of a text in another order, which is the same for the same text."""
    found = [token for token in tokens(text) if len(token) >= _LONG]
    draw = random.Random(text)  # noqa: S311 — no secret
    draw.shuffle(found)
    return draw.choice(_SEPARATORS).join(found)


def _space(counted: Sequence[Sequence[Sequence[str]]]) -> Space:
    found = []
    for kind in range(len(KINDS)):
        number = Counter(gram for one in counted for gram in set(one[kind]))
        kept = sorted(gram for gram, times in number.items() if times >= _RAREST and "\n" not in gram)
        idf = np.array([np.log((1 + len(counted)) / (1 + number[gram])) + 1 for gram in kept])
        found.append(({gram: place for place, gram in enumerate(kept)}, idf.astype(np.float32).astype(np.float64)))
    return Space(tuple(one for one, _ in found), tuple(one for _, one in found))


def _rows(found: Sequence[Sequence[str]], space: Space) -> list[Row]:
    return [weighed(*one) for one in zip(found, space.vocabularies, space.idf, strict=True)]


def _table(rows: Sequence[Row], width: int) -> Any:
    """The rows as a sparse matrix."""
    ends = np.cumsum([0, *(len(columns) for columns, _ in rows)])
    columns = np.concatenate([columns for columns, _ in rows])
    return csr_matrix((np.concatenate([weights for _, weights in rows]), columns, ends), (len(rows), width))


def lesson(found: Material, topic: str) -> Lesson:
    """What is learned from about one question: its own examples, what was made of them, and some of the right answers
    to other questions."""
    is_own, is_example = found.topics == topic, found.made == 0
    other = np.flatnonzero(~is_own & is_example & (found.labels == 0))[::_EVERY]
    rows = np.concatenate([np.flatnonzero(is_own), other])
    own = is_own[rows]
    table = found.table[rows]
    return Lesson(
        rows=rows,
        labels=np.where(own, found.labels[rows], WRONG),
        weights=np.where(own, np.where(is_example[rows], 1.0, _MADE), _OTHER),
        made=found.made[rows],
        likeness=(table @ table.T).toarray(),
    )


def fitted(own: Lesson, kept: Array) -> Dual:
    """The mean of two models of some rows of a lesson, of which one learns from contraries and the other from lists of
    words: what only one of them believes counts half."""
    shares, intercepts = np.zeros((len(own.rows), len(LABELS))), np.zeros(len(LABELS))
    for made in (_CONTRARY, _LIST):
        chosen = np.flatnonzero(kept & ((own.made == 0) | (own.made == made)))
        with threadpool_limits(1):  # the same sums in the same order, whatever the machine
            share, intercept = _regression(
                own.likeness[np.ix_(chosen, chosen)], own.labels[chosen], own.weights[chosen]
            )
        shares[chosen] += share / 2
        intercepts += intercept / 2
    return Dual(own.rows, shares, intercepts)


def _regression(likeness: Array, labels: Array, weights: Array) -> tuple[Array, Array]:
    """The logistic regression of some rows, worked out among them: in the space that they span it is the same as in the
    one of all grams, and much smaller."""
    roots = np.linalg.cholesky(likeness + _JITTER * np.eye(len(likeness)))
    found = LogisticRegression(C=_STRENGTH, max_iter=100, tol=1e-3).fit(roots, labels, sample_weight=weights)
    back, constant = solve_triangular(roots.T, found.coef_.T), found.intercept_
    if len(found.classes_) == 2:  # a pair has one row, that of the second class
        back, constant = np.hstack([-back / 2, back / 2]), np.array([-1, 1]) * constant / 2
    shares, intercepts = np.zeros((len(likeness), len(LABELS))), np.full(len(LABELS), -30.0)
    shares[:, found.classes_], intercepts[found.classes_] = back, constant
    return shares, intercepts


def probabilities(odds: Array) -> Array:
    """From the odds of the labels, a row for each answer."""
    powers = np.exp(odds - odds.max(axis=1, keepdims=True))
    return np.asarray(powers / powers.sum(axis=1, keepdims=True))


def judged(model: Model, topic: str, texts: Sequence[str]) -> Array:
    """The probabilities of the labels for some plain texts."""
    linear, found = model.linear[topic], []
    for text in texts:
        odds, shift = linear.intercepts, 0
        for (columns, weights), idf in zip(_rows(grams(text), model.space), model.space.idf, strict=True):
            odds = odds + linear.weights[:, columns + shift] @ weights
            shift += len(idf)
        found.append(odds)
    return probabilities(np.array(found))

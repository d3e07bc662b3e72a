"""Fit linear models of text: the vocabulary of marked texts, regressions in the space that they span, the trust in
verdicts, and the frozen file. The same texts give the same bytes.
"""

import io
import zipfile
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

import numpy as np
from scipy.linalg import solve_triangular
from scipy.sparse import csr_matrix
from threadpoolctl import threadpool_limits

from grader.model.linear import FORM, Features, Row, Vocabulary

Array = np.ndarray[Any, Any]
_RAREST: Final = 2
"""A feature of fewer texts is left out."""
_JITTER: Final = 1e-4
"""Keeps nearly equal texts apart."""
_IMPOSSIBLE: Final = -30.0
"""The intercept of a label that no text has."""
_TRUST_STRENGTH: Final = 0.3


def vocabulary_of(found: Sequence[Features], shares: Mapping[str, float]) -> Vocabulary:
    """Return the features of some texts, how telling each is, and how much each group weighs."""
    names: dict[str, list[str]] = {}
    idf: list[Array] = []
    for group in shares:
        number = Counter(name for text_features in found for name in text_features[group])
        names[group] = sorted(name for name, times in number.items() if times >= _RAREST and "\n" not in name)
        idf.append(np.array([np.log((1 + len(found)) / (1 + number[name])) + 1 for name in names[group]]))
    return Vocabulary(names, np.concatenate(idf).astype(np.float32).tolist(), shares)


def table_of(rows: Sequence[Row], vocabulary: Vocabulary) -> Any:
    """Return texts as a sparse table."""
    ends = np.cumsum([0, *(len(row.columns) for row in rows)])
    columns, weights = (
        np.concatenate(parts) for parts in zip(*((row.columns, row.weights) for row in rows), strict=True)
    )
    return csr_matrix((weights, columns.astype(np.int32), ends), (len(rows), len(vocabulary.idf)))


class Fit(NamedTuple):
    """The closeness of a model's fit to its texts (`C` of the logistic regression), and the conditions for ending the
    fit."""

    strength: float
    tolerance: float
    iterations: int


class Lesson(NamedTuple):
    """The training material of a model: the number of each text's label, the weight of each text, the texts that each
    regression sees, and `roots`: the texts in as many dimensions as there are texts, with the same inner products as in
    the much larger space of features."""

    labels: Array
    weights: Array
    views: Sequence[Array]
    roots: Array


class Weights(NamedTuple):
    """The weights of each label, by root or by feature, and its intercept."""

    weights: Array
    intercepts: Array


def lesson(table: Any, labels: Array, weights: Array | None = None, views: Sequence[Array] = ()) -> Lesson:
    """Return what is learned from a table; without `views`, one regression sees all texts."""
    every = np.ones(len(labels), dtype=bool)
    with threadpool_limits(1):  # the same sums in the same order, whatever the machine
        roots = np.linalg.cholesky((table @ table.T).toarray() + _JITTER * np.eye(len(labels))).astype(np.float32)
    return Lesson(labels, np.ones(len(labels)) if weights is None else weights, views or [every], roots)


def fit_lesson(topic_lesson: Lesson, kept: Array, size: int, fit: Fit) -> Weights:
    """Return the mean of a lesson's regressions on the texts that are kept, by root; `size` is the number of labels.
    What only one of two regressions believes counts half."""
    from sklearn.linear_model import LogisticRegression

    weights, intercepts = np.zeros((topic_lesson.roots.shape[1], size)), np.zeros(size)
    for view in topic_lesson.views:
        chosen = kept & view
        model = LogisticRegression(C=fit.strength, max_iter=fit.iterations, tol=fit.tolerance)
        with threadpool_limits(1):
            found = model.fit(
                topic_lesson.roots[chosen], topic_lesson.labels[chosen], sample_weight=topic_lesson.weights[chosen]
            )
        normals, constant = found.coef_.T, found.intercept_
        if len(found.classes_) == 2:  # a pair has one row, that of the second class
            normals, constant = np.hstack([-normals / 2, normals / 2]), np.array([-1, 1]) * constant / 2
        every = np.full(size, _IMPOSSIBLE)
        every[found.classes_] = constant
        weights[:, found.classes_] += normals / len(topic_lesson.views)
        intercepts += every / len(topic_lesson.views)
    return Weights(weights, intercepts)


def by_feature(model: Weights, own_lesson: Lesson, table: Any) -> Weights:
    """Return a model among the roots of a lesson as one among the features of its table: a row for each label."""
    shares = solve_triangular(own_lesson.roots.T.astype(np.float64), model.weights)
    return Weights((table.T @ shares).T.astype(np.float32), model.intercepts)


def gate_of(signals: Array, right: Array) -> Array:
    """Return how signals tell right verdicts from wrong ones: middles, scales and weights, the constant last."""
    from sklearn.linear_model import LogisticRegression

    middle, scale = signals.mean(axis=0), signals.std(axis=0)
    scale[scale == 0] = 1
    if right.all() or not right.any():  # nothing to tell apart: only as sure as the examples are many
        weights, constant = np.zeros(len(middle)), np.log((right.sum() + 1) / ((~right).sum() + 1))
    else:
        found = LogisticRegression(C=_TRUST_STRENGTH, max_iter=500).fit((signals - middle) / scale, right)
        weights, constant = found.coef_[0], found.intercept_[0]
    return np.array([[*middle, 0], [*scale, 1], [*weights, constant]])


def frozen(
    vocabulary: Vocabulary, labels: Sequence[str], models: Mapping[str, Weights], inputs: str, **further: Array
) -> bytes:
    """Return the models of some topics as a zip of numbers, without the time of day that numpy's writer would put in.
    Weights are rounded to a byte each, which changes no verdict that is not on the edge."""
    weights = np.stack([model.weights for model in models.values()])
    scales = np.abs(weights).max(axis=2) / 127
    scales[scales == 0] = 1
    names = "\n".join(name for group_names in vocabulary.names.values() for name in group_names)
    arrays = {
        "form": np.array(FORM),
        "inputs": np.array(inputs),
        "topics": np.array(list(models)),
        "labels": np.array(labels),
        "groups": np.array(list(vocabulary.names)),
        "shares": np.array(list(vocabulary.shares.values())),
        "sizes": np.array([len(group_names) for group_names in vocabulary.names.values()]),
        "names": np.frombuffer(names.encode(), dtype=np.uint8),
        "idf": np.array(vocabulary.idf, dtype=np.float32),
        "weights": np.rint(weights / scales[:, :, None]).astype(np.int8),
        "scales": scales.astype(np.float32),
        "intercepts": np.stack([model.intercepts for model in models.values()]),
        **further,
    }
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, array in arrays.items():
            content = io.BytesIO()
            np.lib.format.write_array(content, array, allow_pickle=False)
            archive.writestr(zipfile.ZipInfo(f"{name}.npy"), content.getvalue(), zipfile.ZIP_DEFLATED)
    return packed.getvalue()

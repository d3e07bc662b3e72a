"""The training: one small linear model for each question; how often it errs on sources that it has not seen, and from
which probability on it may decide, so that the lab's risks are kept.
"""

import random
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final, NamedTuple

import numpy as np
from scipy.linalg import solve_triangular
from scipy.sparse import csr_matrix
from threadpoolctl import threadpool_limits

from grader.claims.likeness import is_denied, is_word_list
from grader.lab.scorer import KINDS, LABELS, WORDS, WRONG, grams, tokens, turned, weighed
from grader.lab.short_answers import ClassCount, Harm, ShortAnswers, SourceCount
from grader.risk import lower_bound, upper_bound

Array = np.ndarray[Any, Any]
_STRENGTH: Final = 7.0
"""How closely a question's model follows its examples (`C` of the logistic regression)."""
_OTHER: Final = 0.5
"""The weight of a right answer to another question, as a further wrong example."""
_NATURAL: Final = 2.0
"""The weight of an answer as a class gave it, beside one that was written for the purpose."""
_EVERY: Final = 6
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
    """The n-grams of some texts, of each kind, with how telling each is."""

    vocabularies: tuple[Mapping[str, int], ...]
    idf: tuple[Array, ...]

    def row(self, found: Iterable[Sequence[str]]) -> tuple[Array, Array]:
        """The columns of a text's n-grams, one kind after the other, and their weights."""
        parts = [weighed(*one) for one in zip(found, *self, strict=True)]
        shifts = np.cumsum([0, *map(len, self.idf)])
        columns = [columns + shift for (columns, _), shift in zip(parts, shifts, strict=False)]
        return np.concatenate(columns), np.concatenate([weights for _, weights in parts])


class Material(NamedTuple):
    """All that is learned from some examples, as rows in the space of n-grams: first they themselves, then what was
    `made` of the right ones (0: an example), with the same source. The answers of `natural` sources count more."""

    marked: Sequence[Marked]
    space: Space
    table: Any
    topics: Array
    labels: Array
    sources: Array
    natural: Array
    made: Array

    @property
    def words(self) -> Any:
        """The words of the examples alone."""
        start = sum(map(len, self.space.idf[:WORDS]))
        return self.table[: len(self.marked), start : start + len(self.space.idf[WORDS])]


class Lesson(NamedTuple):
    """What one question's model learns from: the rows of the material, what each weighs and is marked with, and
    `roots`: the rows in as many dimensions as they are, with the same products as in the space of all n-grams."""

    rows: Array
    labels: Array
    weights: Array
    made: Array
    roots: Array


class Linear(NamedTuple):
    """A linear model among the roots of a lesson or in the space of all n-grams: the weights and the intercept of each
    label."""

    weights: Array
    intercepts: Array


def material(marked: Sequence[Marked], natural: Iterable[str] = ()) -> Material:
    """The examples, the contraries of right ones, and lists of their words, as rows of numbers."""
    counted = [grams(one.text) for one in marked]
    space = _space(counted)
    right = [one for one in marked if one.label == 0]
    rows: list[tuple[list[str], list[str], list[str]]] = [
        *counted,
        *(([], *grams("", turned(tokens(one.text)))[1:]) for one in right),  # its characters are those of the example
        *(grams(_list_of_words(one.text)) for one in right),
    ]
    columns, weights = zip(*map(space.row, rows), strict=True)
    ends, width = np.cumsum([0, *map(len, columns)]), sum(map(len, space.idf))
    every = (*marked, *right, *right)
    made = np.repeat([0, _CONTRARY, _LIST], [len(marked), len(right), len(right)])
    sources = np.array([one.source for one in every])
    return Material(
        marked=marked,
        space=space,
        table=csr_matrix((np.concatenate(weights), np.concatenate(columns), ends), (len(rows), width)),
        topics=np.array([one.topic for one in every]),
        labels=np.where(made, WRONG, [one.label for one in every]),
        sources=sources,
        natural=np.isin(sources, list(natural)),
        made=made,
    )


def _space(counted: Sequence[Sequence[Sequence[str]]]) -> Space:
    found = []
    for kind in range(len(KINDS)):
        number = Counter(gram for one in counted for gram in set(one[kind]))
        kept = sorted(gram for gram, times in number.items() if times >= _RAREST and "\n" not in gram)
        idf = np.array([np.log((1 + len(counted)) / (1 + number[gram])) + 1 for gram in kept])
        found.append(({gram: place for place, gram in enumerate(kept)}, idf.astype(np.float32).astype(np.float64)))
    return Space(tuple(one for one, _ in found), tuple(one for _, one in found))


def _list_of_words(text: str) -> str:
    """The longer words of a text in another order, which is the same for the same text."""
    found = [token for token in tokens(text) if len(token) >= _LONG]
    draw = random.Random(text)  # noqa: S311 — no secret
    draw.shuffle(found)
    return draw.choice(_SEPARATORS).join(found)


def trained(found: Material, topics: Iterable[str]) -> dict[str, Linear]:
    """The models of all questions. The same examples give the same numbers."""
    models = {}
    for topic in topics:
        model = fitted(own := lesson(found, topic), np.ones(len(own.rows), dtype=bool))
        shares = solve_triangular(own.roots.T.astype(np.float64), model.weights)
        models[topic] = Linear((found.table[own.rows].T @ shares).T.astype(np.float32), model.intercepts)
    return models


def lesson(found: Material, topic: str) -> Lesson:
    """What is learned from about one question: its own examples, what was made of them, and some of the right answers
    to other questions."""
    is_own = found.topics == topic
    other = np.flatnonzero(~is_own & (found.made == 0) & (found.labels == 0))[::_EVERY]
    rows = np.concatenate([np.flatnonzero(is_own), other])
    own = np.where(found.made[rows], _MADE, 1.0)
    table = found.table[rows]
    with threadpool_limits(1):  # the same sums in the same order, whatever the machine
        roots = np.linalg.cholesky((table @ table.T).toarray() + _JITTER * np.eye(len(rows))).astype(np.float32)
    return Lesson(
        rows=rows,
        labels=np.where(is_own[rows], found.labels[rows], WRONG),
        weights=np.where(is_own[rows], own, _OTHER) * np.where(found.natural[rows], _NATURAL, 1.0),
        made=found.made[rows],
        roots=roots,
    )


def fitted(own: Lesson, kept: Array) -> Linear:
    """The mean of two logistic regressions of some rows of a lesson, of which one learns from contraries and the other
    from lists of words: what only one of them believes counts half. Among the roots they are the same as in the much
    larger space of all n-grams."""
    from sklearn.linear_model import LogisticRegression

    weights, intercepts = np.zeros((len(own.rows), len(LABELS))), np.zeros(len(LABELS))
    for made in (_CONTRARY, _LIST):
        chosen = kept & ((own.made == 0) | (own.made == made))
        model = LogisticRegression(C=_STRENGTH, max_iter=100, tol=1e-3)
        with threadpool_limits(1):
            found = model.fit(own.roots[chosen], own.labels[chosen], sample_weight=own.weights[chosen])
        normals, constant = found.coef_.T, found.intercept_
        if len(found.classes_) == 2:  # a pair has one row, that of the second class
            normals, constant = np.hstack([-normals / 2, normals / 2]), np.array([-1, 1]) * constant / 2
        every = np.full(len(LABELS), -30.0)
        every[found.classes_] = constant
        weights[:, found.classes_] += normals / 2
        intercepts += every / 2
    return Linear(weights, intercepts)


def probabilities(odds: Array) -> Array:
    """From the odds of the labels, a row for each answer."""
    powers = np.exp(odds - odds.max(axis=1, keepdims=True))
    return np.asarray(powers / powers.sum(axis=1, keepdims=True))


def judged(space: Space, model: Linear, texts: Sequence[str]) -> Array:
    """The probabilities of the labels for some plain texts."""
    rows = [space.row(grams(text)) for text in texts]
    return probabilities(np.array([model.weights[:, columns] @ values + model.intercepts for columns, values in rows]))


MOST_FOLDS: Final = 5
_UNLIKE: Final = 0.1
"""The share of right verdicts that are given up since the answer is like no example of that label. Points are withheld
only where a person marked a like answer so."""
_NEVER: Final = 1.01
"""A probability that no verdict reaches."""


class Measured(NamedTuple):
    """Of each example, by models that have learned nothing from its source: the label that is `taken`, its probability,
    the `true` label, and whether the two are one. The probability is 0 where the label may not be given: for the form
    of the answer, or since it withholds points and no example of that label is as like as `floors` asks, or as a right
    one is."""

    taken: Array
    probability: Array
    true: Array
    right: Array
    floors: Array


def folds(marked: Iterable[Marked]) -> list[set[str]]:
    """The sources in groups of about the same size, at most five, each to be left out once. Sources with the same name
    before a slash are of one hand and stay together."""
    sizes: dict[str, int] = {}
    sources: dict[str, set[str]] = {}
    for one in marked:
        hand = one.source.partition("/")[0]
        sizes[hand] = sizes.get(hand, 0) + 1
        sources.setdefault(hand, set()).add(one.source)
    groups: list[set[str]] = [set() for _ in range(min(MOST_FOLDS, len(sizes)))]
    load = [0] * len(groups)
    for hand in sorted(sizes, key=lambda name: (-sizes[name], name)):
        least = load.index(min(load))
        groups[least] |= sources[hand]
        load[least] += sizes[hand]
    return groups


def measured(found: Material, topics: Iterable[str]) -> Measured:
    """Every example judged by models that have not learned from its source; only how common its words are was counted
    with it."""
    groups, words = folds(found.marked), found.words
    odds, nearest = np.zeros((2, len(found.marked), len(LABELS)))
    for topic in topics:
        own = lesson(found, topic)
        asked = (found.topics[own.rows] == topic) & (own.made == 0)
        rows = own.rows[asked]
        alike = np.asarray((words[rows] @ words[rows].T).toarray())
        for group in groups:
            left = np.isin(found.sources[own.rows], sorted(group))
            if not (left & asked).any():
                continue
            model = fitted(own, ~left)
            odds[own.rows[left & asked]] = own.roots[left & asked] @ model.weights + model.intercepts
            for label in range(len(LABELS)):
                known = ~left[asked] & (found.labels[rows] == label)
                nearest[rows[left[asked]], label] = alike[np.ix_(left[asked], known)].max(axis=1, initial=0.0)
    every = probabilities(odds)
    taken, true = every.argmax(axis=1), found.labels[: len(every)]
    likeness = nearest[np.arange(len(true)), taken]
    floors = np.array([0.0, *(_floor(likeness[(taken == label) & (true == label)]) for label in (1, WRONG))])
    is_list, is_denial = (np.array([of(one.text) for one in found.marked]) for of in (is_word_list, is_denied))
    is_like = (likeness >= floors[taken]) & ((taken == 0) | (likeness >= nearest[:, 0]))
    may = is_like & ((taken == WRONG) | ~is_list) & ((taken > 0) | ~is_denial)
    return Measured(taken, np.where(may, every.max(axis=1), 0.0), true, taken == true, floors)


def _floor(likeness: Array) -> float:
    """The likeness that nearly all right verdicts reach."""
    return float(np.quantile(likeness, _UNLIKE)) if len(likeness) else 0.0


def thresholds(
    found: Measured, marked: Sequence[Marked], topics: Sequence[str], natural: Array, settings: ShortAnswers
) -> Array:
    """From which probability on a label of a question may be given. Each of the lab's three risks is kept: by what is
    credited to incorrect answers, by what is withheld from correct ones, wherever they come from, and by all verdicts
    on natural answers. Of natural correct ones none is called incorrect. A question's own label that clearly errs more
    often than that is given less often."""
    by_label = np.full(len(LABELS), _NEVER)
    by_label[0] = _harmless(found, found.true == WRONG, 0, settings.credit)
    correct = found.true == 0
    by_label[WRONG] = max(
        _harmless(found, correct, WRONG, settings.withhold / 2), _above(found, natural & correct, WRONG)
    )
    zeroed = int((correct & (found.taken == WRONG) & (found.probability >= by_label[WRONG])).sum())
    by_label[1] = _harmless(found, correct, 1, settings.withhold, zeroed)
    kept = natural & (found.probability >= by_label[found.taken])
    common = _lowest(
        found.probability[kept],
        found.right[kept],
        lambda wrong, of: wrong <= settings.risk * of and upper_bound(wrong, of) <= settings.risk,
    )
    table = np.tile(np.maximum(by_label, common), (len(topics), 1))
    for row, topic in enumerate(topics):
        of_topic = np.array([one.topic == topic for one in marked])
        for label in range(len(LABELS)):
            own = natural & of_topic & (found.taken == label) & (found.probability >= table[row, label])
            if lower_bound(int((~found.right[own]).sum()), int(own.sum())) > settings.risk:
                table[row, label] = _lowest(
                    found.probability[own],
                    found.right[own],
                    lambda wrong, of: lower_bound(wrong, of) <= settings.risk,
                )
    return table


def _harmless(found: Measured, harmed: Array, label: int, allowed: float, already: int = 0) -> float:
    """The lowest probability from which on a label that is wrong for some answers (`harmed`) is given to so few of them
    that the bound is allowed; to some another label is given `already`."""
    number = int(harmed.sum())
    given = np.sort(found.probability[harmed & (found.taken == label)])[::-1]
    if upper_bound(already, number) > allowed:
        return _NEVER
    most = next((at for at in range(len(given)) if upper_bound(already + at + 1, number) > allowed), None)
    return 0.0 if most is None else float(np.nextafter(given[most], 2.0))


def _above(found: Measured, spared: Array, label: int) -> float:
    """The lowest probability from which on a label is given to none of some answers (`spared`)."""
    given = found.probability[spared & (found.taken == label)]
    return float(np.nextafter(given.max(initial=0.0), 2.0))


def harm(decided: Array, harmed: Array, label: Array, allowed: float) -> Harm:
    """How often the answers that a label is wrong for were given it."""
    number, wrong = int(harmed.sum()), int((decided & harmed & label).sum())
    return Harm(answers=number, harmed=wrong, bound=round(upper_bound(wrong, number), 4), allowed=allowed)


def _lowest(probability: Array, right: Array, is_kept: Callable[[int, int], bool]) -> float:
    """The lowest probability from which on the risk is kept."""
    order = np.argsort(-probability, kind="stable")
    best, wrong = _NEVER, 0
    for of, at in enumerate(order, start=1):
        wrong += not right[at]
        last = of == len(order) or probability[order[of]] < probability[at]
        if last and is_kept(wrong, of):
            best = float(probability[at])
    return best


def counted(found: Measured, decided: Array, of: Array) -> SourceCount:
    """What was decided of some of the examples."""
    chosen = decided & of
    return SourceCount(
        answers=int(of.sum()),
        decided=int(chosen.sum()),
        wrong=int((chosen & ~found.right).sum()),
        credited=int((chosen & (found.taken == 0) & (found.true == WRONG)).sum()),
        zeroed=int((chosen & (found.taken == WRONG) & (found.true == 0)).sum()),
    )


def by_class(
    found: Measured, marked: Sequence[Marked], topics: Sequence[str], table: Array, of: Array
) -> dict[str, dict[str, ClassCount]]:
    """What was decided of each question and label."""
    said: dict[str, dict[str, ClassCount]] = {}
    for row, topic in enumerate(topics):
        own = of & np.array([one.topic == topic for one in marked])
        for label, name in enumerate(LABELS):
            chosen = own & (found.taken == label) & (found.probability >= table[row, label])
            said.setdefault(topic, {})[name] = ClassCount(
                threshold=round(float(table[row, label]), 4),
                decided=int(chosen.sum()),
                wrong=int((chosen & ~found.right).sum()),
            )
    return said

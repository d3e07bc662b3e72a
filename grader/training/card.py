"""What a model decides and how often it errs, measured on sources that it has not seen; and from which trust on it may
decide, so that the lab's risk is kept."""

from collections.abc import Callable, Iterable, Sequence
from typing import Final, NamedTuple

import numpy as np

from grader.lab.scorer import LABELS
from grader.lab.short_answers import ClassCount, SourceCount
from grader.risk import lower_bound, upper_bound
from grader.training.fit import Array, Marked, Model, gate, judged, trained, trust

MOST_FOLDS: Final = 8
_NEVER: Final = 1.01
"""A trust that no verdict reaches."""


class Measured(NamedTuple):
    """Of each example, by models that have seen nothing of its source: the probabilities, the signals, the label that
    is taken, whether it is right, and how far it is trusted."""

    signals: Array
    taken: Array
    right: Array
    trust: Array


def folds(marked: Iterable[Marked]) -> list[set[str]]:
    """The sources in groups of about the same size, at most eight, each to be left out once."""
    sizes: dict[str, int] = {}
    for one in marked:
        sizes[one.source] = sizes.get(one.source, 0) + 1
    groups: list[set[str]] = [set() for _ in range(min(MOST_FOLDS, len(sizes)))]
    load = [0] * len(groups)
    for source in sorted(sizes, key=lambda name: (-sizes[name], name)):
        least = load.index(min(load))
        groups[least].add(source)
        load[least] += sizes[source]
    return groups


def measured(
    marked: Sequence[Marked], topics: Sequence[str], train: Callable[[Sequence[Marked], Sequence[str]], Model] = trained
) -> Measured:
    """Every example judged by models that have not seen its source."""
    groups = folds(marked)
    found: list[tuple[Array, Array] | None] = [None] * len(marked)
    for group in groups:
        model = train([one for one in marked if one.source not in group], topics)
        for topic in topics:
            left = [at for at, one in enumerate(marked) if one.source in group and one.topic == topic]
            if left:
                pairs = zip(*judged(model, topic, [marked[at].text for at in left]), strict=True)
                for at, pair in zip(left, pairs, strict=True):
                    found[at] = pair
    probabilities = np.array([one[0] for one in found if one is not None])
    signals = np.array([one[1] for one in found if one is not None])
    taken = probabilities.argmax(axis=1)
    right = taken == np.array([one.label for one in marked])
    trusted = np.zeros(len(marked))
    for group in groups:
        inside = np.array([one.source in group for one in marked])
        for label in range(len(LABELS)):
            learned, asked = ~inside & (taken == label), inside & (taken == label)
            if asked.any() and learned.any():
                trusted[asked] = trust(gate(signals[learned], right[learned]), signals[asked])
    return Measured(signals, taken, right, trusted)


def thresholds(found: Measured, marked: Sequence[Marked], topics: Sequence[str], natural: Array, risk: float) -> Array:
    """From which trust on a label of a question may be given: the lowest at which the bound over all questions keeps
    the risk, and higher where a question's own label clearly errs more often."""
    common = _lowest(
        found.trust[natural],
        found.right[natural],
        lambda wrong, of: wrong <= risk * of and upper_bound(wrong, of) <= risk,
    )
    table = np.full((len(topics), len(LABELS)), common)
    for row, topic in enumerate(topics):
        of_topic = np.array([one.topic == topic for one in marked])
        for label in range(len(LABELS)):
            own = natural & of_topic & (found.taken == label) & (found.trust >= common)
            if lower_bound(int((~found.right[own]).sum()), int(own.sum())) > risk:
                table[row, label] = _lowest(
                    found.trust[own], found.right[own], lambda wrong, of: lower_bound(wrong, of) <= risk
                )
    return table


def _lowest(trusted: Array, right: Array, is_kept: Callable[[int, int], bool]) -> float:
    """The lowest trust from which on the risk is kept."""
    order = np.argsort(-trusted, kind="stable")
    best, wrong = _NEVER, 0
    for of, at in enumerate(order, start=1):
        wrong += not right[at]
        last = of == len(order) or trusted[order[of]] < trusted[at]
        if last and is_kept(wrong, of):
            best = float(trusted[at])
    return best


def counted(found: Measured, marked: Sequence[Marked], decided: Array, of: Array) -> SourceCount:
    """What was decided of some of the examples."""
    labels = np.array([one.label for one in marked])
    chosen = decided & of
    return SourceCount(
        answers=int(of.sum()),
        decided=int(chosen.sum()),
        wrong=int((chosen & ~found.right).sum()),
        credited=int((chosen & (found.taken == 0) & (labels == 2)).sum()),
        zeroed=int((chosen & (found.taken == 2) & (labels == 0)).sum()),
    )


def by_class(
    found: Measured, marked: Sequence[Marked], topics: Sequence[str], table: Array, of: Array
) -> dict[str, dict[str, ClassCount]]:
    """What was decided of each question and label."""
    said: dict[str, dict[str, ClassCount]] = {}
    for row, topic in enumerate(topics):
        own = of & np.array([one.topic == topic for one in marked])
        for label, name in enumerate(LABELS):
            chosen = own & (found.taken == label) & (found.trust >= table[row, label])
            said.setdefault(topic, {})[name] = ClassCount(
                threshold=round(float(table[row, label]), 4),
                decided=int(chosen.sum()),
                wrong=int((chosen & ~found.right).sum()),
            )
    return said

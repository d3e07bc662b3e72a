"""What a model decides and how often it errs, measured on sources that it has not seen; and from which probability on
it may decide, so that the lab's risks are kept."""

from collections.abc import Callable, Iterable, Sequence
from typing import Final, NamedTuple

import numpy as np

from grader.claims.likeness import is_denied, is_word_list
from grader.lab.scorer import LABELS, WRONG
from grader.lab.short_answers import ClassCount, Harm, ShortAnswers, SourceCount
from grader.risk import lower_bound, upper_bound
from grader.training.fit import Array, Marked, closeness, fitted, lesson, material, probabilities

MOST_FOLDS: Final = 8
_UNLIKE: Final = 0.1
"""The share of right verdicts that are given up since the answer is like no example of that label. Points are withheld
only where a person marked a like answer so."""
_NEVER: Final = 1.01
"""A probability that no verdict reaches."""


class Measured(NamedTuple):
    """Of each example, by models that have learned nothing from its source: the label that is `taken`, its probability,
    the `true` label, and whether the two are one. The probability is 0 where the label may not be given: for the form
    of the answer, or since it withholds points and no example of that label is as like as `floors` asks."""

    taken: Array
    probability: Array
    true: Array
    right: Array
    floors: Array


def folds(marked: Iterable[Marked]) -> list[set[str]]:
    """The sources in groups of about the same size, at most eight, each to be left out once. Sources with the same name
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


def measured(marked: Sequence[Marked], topics: Sequence[str]) -> Measured:
    """Every example judged by models that have not learned from its source; only how common its words are was counted
    with it."""
    groups, found = folds(marked), material(marked)
    odds = np.zeros((len(marked), len(LABELS)))
    nearest = np.zeros((len(marked), len(LABELS)))
    for topic in topics:
        own = lesson(found, topic)
        asked = (found.topics[own.rows] == topic) & (own.made == 0)
        rows = own.rows[asked]
        alike = closeness(found, rows)
        for group in groups:
            left = np.isin(found.sources[own.rows], sorted(group))
            if not (left & asked).any():
                continue
            dual = fitted(own, ~left)
            odds[own.rows[left & asked]] = own.likeness[left & asked] @ dual.shares + dual.intercepts
            for label in range(len(LABELS)):
                known = ~left[asked] & (found.labels[rows] == label)
                nearest[rows[left[asked]], label] = alike[np.ix_(left[asked], known)].max(axis=1, initial=0.0)
    every = probabilities(odds)
    taken, true = every.argmax(axis=1), np.array([one.label for one in marked])
    likeness = nearest[np.arange(len(marked)), taken]
    floors = np.array([0.0, *(_floor(likeness[(taken == label) & (true == label)]) for label in (1, WRONG))])
    empty = np.array([is_word_list(one.text) or is_denied(one.text) for one in marked])
    may = (likeness >= floors[taken]) & ((taken == WRONG) | ~empty)
    return Measured(taken, np.where(may, every.max(axis=1), 0.0), true, taken == true, floors)


def _floor(likeness: Array) -> float:
    """The likeness that nearly all right verdicts reach."""
    return float(np.quantile(likeness, _UNLIKE)) if len(likeness) else 0.0


def thresholds(
    found: Measured, marked: Sequence[Marked], topics: Sequence[str], natural: Array, settings: ShortAnswers
) -> Array:
    """From which probability on a label of a question may be given. Each of the lab's three risks is kept: by what is
    credited to incorrect answers, by what is withheld from correct ones, wherever they come from, and by all verdicts
    on natural answers; a question's own label that clearly errs more often than that is given less often."""
    by_label = np.full(len(LABELS), _NEVER)
    by_label[0] = _harmless(found, found.true == WRONG, 0, settings.credit)
    correct = found.true == 0
    by_label[WRONG] = _harmless(found, correct, WRONG, settings.withhold / 2)
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

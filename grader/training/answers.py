"""A lab's model of short answers, trained from its examples and from what people decided, and written beside it: one
small linear model for each question; how often it errs on sources that it has not seen, and from which probability on
it may decide, so that the lab's risks are kept.
"""

import hashlib
import random
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple
from zlib import crc32

import numpy as np

from grader.claims.likeness import is_denied, is_word_list
from grader.claims.passage import normalise
from grader.lab.definition import Lab
from grader.lab.short_answers import (
    CARD,
    MODEL,
    Card,
    ClassCount,
    Example,
    FrozenModel,
    Harm,
    ShortAnswers,
    SourceCount,
    model_inputs,
    read_examples,
    seal,
)
from grader.model.answers import (
    GROUPS,
    LABELS,
    WORDS,
    WRONG,
    features,
    invert_negations,
    model_input,
    tokens,
    word_features,
)
from grader.model.linear import Features, Vocabulary, shares_of, text_features
from grader.risk import lower_bound, upper_bound
from grader.training.fit import (
    Array,
    Fit,
    Lesson,
    Weights,
    by_feature,
    fit_lesson,
    frozen,
    lesson,
    table_of,
    vocabulary_of,
)

_FIT: Final = Fit(strength=7.0, tolerance=1e-3, iterations=100)
_OTHER: Final = 0.5
"""The weight of a right answer to another question, as a further wrong example."""
_NATURAL: Final = 2.0
"""The weight of an answer as a class gave it, beside one that was written for the purpose."""
_EVERY: Final = 6
"""Of the right answers to other questions, one in so many is taken."""
_MADE: Final = 0.15
"""The weight of the contrary of a right answer, or of a list of its words, as a further wrong example."""
_CONTRARY, _LIST = 1, 2
_LONG: Final = 4
"""Words from this length on make a list of words."""
_SEPARATORS: Final = (" ", ", ", "; ", " - ", " / ")


class MarkedExample(NamedTuple):
    """An example as it is trained on: `text` is plain, `label` the number of its label."""

    topic: str
    label: int
    source: str
    text: str


class Material(NamedTuple):
    """All that is learned from some examples, as rows in the space of features: first they themselves, then what was
    `made` of the right ones (0: an example), with the same source. The answers of `natural` sources count more."""

    marked: Sequence[MarkedExample]
    vocabulary: Vocabulary
    table: Any
    topics: Array
    labels: Array
    sources: Array
    natural: Array
    made: Array

    @property
    def words(self) -> Any:
        """The words of the examples alone."""
        start = self.vocabulary.starts[WORDS]
        return self.table[: len(self.marked), start : start + len(self.vocabulary.names[WORDS])]


def material(marked: Sequence[MarkedExample], natural: Iterable[str] = ()) -> Material:
    """Return the examples, the contraries of right ones, and lists of their words, as rows of numbers."""
    found = [features(example.text) for example in marked]
    vocabulary = vocabulary_of(found, GROUPS)
    right = [example for example in marked if example.label == 0]
    rows: list[Features] = [
        *found,
        *(
            text_features(word_features(invert_negations(tokens(example.text)))) for example in right
        ),  # with the characters of no answer
        *(features(_list_of_words(example.text)) for example in right),
    ]
    every = (*marked, *right, *right)
    made = np.repeat([0, _CONTRARY, _LIST], [len(marked), len(right), len(right)])
    sources = np.array([example.source for example in every])
    return Material(
        marked=marked,
        vocabulary=vocabulary,
        table=table_of([vocabulary.row(row) for row in rows], vocabulary),
        topics=np.array([example.topic for example in every]),
        labels=np.where(made, WRONG, [example.label for example in every]),
        sources=sources,
        natural=np.isin(sources, list(natural)),
        made=made,
    )


def _list_of_words(text: str) -> str:
    """The longer words of a text in another order, which is the same for the same text."""
    found = [token for token in tokens(text) if len(token) >= _LONG]
    draw = random.Random(text)  # noqa: S311 — no secret
    draw.shuffle(found)
    return draw.choice(_SEPARATORS).join(found)


def train_models(found: Material, topics: Iterable[str]) -> dict[str, Weights]:
    """Return the models of all questions. The same examples give the same numbers."""
    models = {}
    for topic in topics:
        rows, topic_lesson = lesson_of(found, topic)
        model = fit_lesson(topic_lesson, np.ones(len(rows), dtype=bool), len(LABELS), _FIT)
        models[topic] = by_feature(model, topic_lesson, found.table[rows])
    return models


def lesson_of(found: Material, topic: str) -> tuple[Array, Lesson]:
    """Return what is learned from about one question, with the rows of the material that it is: its own examples, what
    was made of them, and some of the right answers to other questions. One regression learns from contraries and the
    other from lists of words."""
    is_own = found.topics == topic
    other = np.flatnonzero(~is_own & (found.made == 0) & (found.labels == 0))[::_EVERY]
    rows = np.concatenate([np.flatnonzero(is_own), other])
    made = found.made[rows]
    weights = np.where(is_own[rows], np.where(made, _MADE, 1.0), _OTHER) * np.where(found.natural[rows], _NATURAL, 1.0)
    labels = np.where(is_own[rows], found.labels[rows], WRONG)
    views = [(made == 0) | (made == kind) for kind in (_CONTRARY, _LIST)]
    return rows, lesson(found.table[rows], labels, weights, views)


MOST_FOLDS: Final = 5
_UNLIKE: Final = 0.1
"""The share of right verdicts that are given up since the answer is like no example of that label. Points are withheld
only where a person marked a like answer so."""
_NEVER: Final = 1.01
"""A probability that no verdict reaches."""


class Predictions(NamedTuple):
    """Predictions for examples by models that have learned nothing from their sources: for each the label that is
    `taken`, its probability, the `true` label, and whether the two agree. The probability is 0 where the label may not
    be given: because of the form of the answer, or because the label withholds points and no example of that label is
    as similar as `floors` asks, or as a right one is."""

    taken: Array
    probability: Array
    true: Array
    right: Array
    floors: Array


def folds(marked: Iterable[MarkedExample]) -> list[set[str]]:
    """The sources in groups of about the same size, at most five, each to be left out once. Sources with the same name
    before a slash are of one hand and stay together."""
    sizes: dict[str, int] = {}
    sources: dict[str, set[str]] = {}
    for example in marked:
        hand = example.source.partition("/")[0]
        sizes[hand] = sizes.get(hand, 0) + 1
        sources.setdefault(hand, set()).add(example.source)
    groups: list[set[str]] = [set() for _ in range(min(MOST_FOLDS, len(sizes)))]
    load = [0] * len(groups)
    for hand in sorted(sizes, key=lambda name: (-sizes[name], name)):
        least = load.index(min(load))
        groups[least] |= sources[hand]
        load[least] += sizes[hand]
    return groups


def cross_validate(found: Material, topics: Iterable[str]) -> Predictions:
    """Every example judged by models that have not learned from its source; only how common its words are was counted
    with it."""
    groups, words = folds(found.marked), found.words
    odds, nearest = np.zeros((2, len(found.marked), len(LABELS)))
    for topic in topics:
        every, learned = lesson_of(found, topic)
        asked = (found.topics[every] == topic) & (found.made[every] == 0)
        rows = every[asked]
        alike = np.asarray((words[rows] @ words[rows].T).toarray())
        for group in groups:
            left = np.isin(found.sources[every], sorted(group))
            if not (left & asked).any():
                continue
            model = fit_lesson(learned, ~left, len(LABELS), _FIT)
            odds[every[left & asked]] = learned.roots[left & asked] @ model.weights + model.intercepts
            for label in range(len(LABELS)):
                is_seen = ~left[asked] & (found.labels[rows] == label)
                nearest[rows[left[asked]], label] = alike[np.ix_(left[asked], is_seen)].max(axis=1, initial=0.0)
    shares = shares_of(odds)
    taken, true = shares.argmax(axis=1), found.labels[: len(shares)]
    likeness = nearest[np.arange(len(true)), taken]
    floors = np.zeros(len(LABELS))
    for label in (1, WRONG):
        likenesses = likeness[(taken == label) & (true == label)]
        floors[label] = (
            np.quantile(likenesses, _UNLIKE) if len(likenesses) else 0.0
        )  # nearly all right verdicts reach it
    is_list, is_denial = (np.array([of(example.text) for example in found.marked]) for of in (is_word_list, is_denied))
    is_like = (likeness >= floors[taken]) & ((taken == 0) | (likeness >= nearest[:, 0]))
    may = is_like & ((taken == WRONG) | ~is_list) & ((taken > 0) | ~is_denial)
    return Predictions(taken, np.where(may, shares.max(axis=1), 0.0), true, taken == true, floors)


def thresholds(
    found: Predictions, marked: Sequence[MarkedExample], topics: Sequence[str], natural: Array, settings: ShortAnswers
) -> Array:
    """Return the probability from which on each label of each question may be given.

    Each of the lab's three risks is kept: the share credited among incorrect answers, the share withheld among correct
    ones, from any source, and the share of wrong verdicts on natural answers. No natural correct answer is called
    incorrect. A label of one question that clearly errs more often than that is given less often.
    """
    by_label = np.full(len(LABELS), _NEVER)
    by_label[0] = _harmless(found, found.true == WRONG, 0, settings.credit)
    correct = found.true == 0
    spared = found.probability[natural & correct & (found.taken == WRONG)]
    above = float(np.nextafter(spared.max(initial=0.0), 2.0))
    by_label[WRONG] = max(_harmless(found, correct, WRONG, settings.withhold / 2), above)
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
        of_topic = np.array([example.topic == topic for example in marked])
        for label in range(len(LABELS)):
            is_chosen = natural & of_topic & (found.taken == label) & (found.probability >= table[row, label])
            if lower_bound(int((~found.right[is_chosen]).sum()), int(is_chosen.sum())) > settings.risk:
                table[row, label] = _lowest(
                    found.probability[is_chosen],
                    found.right[is_chosen],
                    lambda wrong, of: lower_bound(wrong, of) <= settings.risk,
                )
    return table


def _harmless(found: Predictions, harmed: Array, label: int, allowed: float, already: int = 0) -> float:
    """The lowest probability from which on a label that is wrong for some answers (`harmed`) is given to so few of them
    that the bound is allowed; to some another label is given `already`."""
    number = int(harmed.sum())
    given = np.sort(found.probability[harmed & (found.taken == label)])[::-1]
    if upper_bound(already, number) > allowed:
        return _NEVER
    most = next((at for at in range(len(given)) if upper_bound(already + at + 1, number) > allowed), None)
    return 0.0 if most is None else float(np.nextafter(given[most], 2.0))


def harm(decided: Array, harmed: Array, label: Array, allowed: float) -> Harm:
    """Return how often a label was given to the answers for which it is wrong."""
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


def count_of(found: Predictions, decided: Array, of: Array) -> SourceCount:
    """Return the counts of what was decided of some of the examples."""
    chosen = decided & of
    return SourceCount(
        answers=int(of.sum()),
        decided=int(chosen.sum()),
        wrong=int((chosen & ~found.right).sum()),
        credited=int((chosen & (found.taken == 0) & (found.true == WRONG)).sum()),
        zeroed=int((chosen & (found.taken == WRONG) & (found.true == 0)).sum()),
    )


def by_class(
    found: Predictions, marked: Sequence[MarkedExample], topics: Sequence[str], table: Array, of: Array
) -> dict[str, dict[str, ClassCount]]:
    """Return the counts of what was decided for each question and label."""
    counts: dict[str, dict[str, ClassCount]] = {}
    for row, topic in enumerate(topics):
        is_of_topic = of & np.array([example.topic == topic for example in marked])
        for label, name in enumerate(LABELS):
            chosen = is_of_topic & (found.taken == label) & (found.probability >= table[row, label])
            counts.setdefault(topic, {})[name] = ClassCount(
                threshold=round(float(table[row, label]), 4),
                decided=int(chosen.sum()),
                wrong=int((chosen & ~found.right).sum()),
            )
    return counts


DECISIONS: Final = "decisions"
"""The source of the examples that people's decisions are."""


class TrainedModel(NamedTuple):
    """The frozen model's bytes, and its card."""

    model: bytes
    card: Card


def examples_of(lab: Lab, folder: Path) -> tuple[Example, ...]:
    """A lab's marked examples and the decisions of people about answers of its own. Raises OSError, ValueError."""
    settings = lab.short_answers or ShortAnswers()
    marked = read_examples(folder / settings.examples)
    topics = {example.topic for example in marked} | set(topics_of(lab))
    decided = (
        Example(topic=topic, text=decision.text, label=decision.label, reason=decision.why, source=DECISIONS)
        for decision in lab.decisions.decisions
        if (topic := decision.group.partition(":")[0]) in topics and decision.text.strip()
    )
    return (*marked, *decided)


def topics_of(lab: Lab) -> tuple[str, ...]:
    """The questions of a lab that the check `short-answer` decides."""
    return tuple(str(item.options.get("topic", "")) for item in lab.items if item.check == "short-answer")


def contradictions(marked: Iterable[MarkedExample]) -> set[tuple[str, str]]:
    """The answers, by question and words, that are marked with different labels."""
    labels: dict[tuple[str, str], set[int]] = defaultdict(set)
    for example in marked:
        labels[example.topic, example.text].add(example.label)
    return {key for key, found in labels.items() if len(found) > 1}


def train(examples: Sequence[Example], lab: Lab, settings: ShortAnswers) -> TrainedModel:
    """The model of some examples and its card. The same examples give the same bytes. Raises ValueError where there are
    too few of them."""
    everything = [marked_example(example, lab) for example in examples]
    at_odds = contradictions(everything)
    kept = [
        number
        for number, example in enumerate(everything)
        if (example.topic, example.text) not in at_odds and example.text
    ]
    marked = [everything[number] for number in kept]
    topics = sorted({example.topic for example in marked})
    if len({example.label for example in marked}) < 2 or len({example.source for example in marked}) < 2:
        raise ValueError("mark answers of different worth and of two sources at least: one is measured by the other")
    learned = material(marked, settings.natural)
    found = cross_validate(learned, topics)
    is_natural = np.array([not settings.natural or example.source in settings.natural for example in marked])
    table = thresholds(found, marked, topics, is_natural, settings)
    inputs = model_inputs([example for example in examples if example.source != DECISIONS], settings)
    card = _card(found, marked, topics, table, is_natural, settings, inputs, sorted(at_odds))
    return TrainedModel(_frozen(learned, topics, table, found.floors, inputs, kept), card)


def marked_example(example: Example, lab: Lab) -> MarkedExample:
    """An example as it is trained on. Decisions are about answers of many students, so that they are left out a part at
    a time: equal ones together."""
    text = model_input(normalise(example.text).text, values_of(lab, example.topic))
    source = f"{DECISIONS}-{crc32(text.encode()) % MOST_FOLDS + 1}" if example.source == DECISIONS else example.source
    return MarkedExample(example.topic, LABELS.index(example.label), source, text)


def values_of(lab: Lab, topic: str) -> tuple[str, ...]:
    """Return the ways in which texts write the lab's value of a parameter; empty for a question that is about no
    parameter."""
    return next(((parameter.value, *parameter.spellings) for parameter in lab.parameters if parameter.id == topic), ())


def _card(
    found: Predictions,
    marked: Sequence[MarkedExample],
    topics: Sequence[str],
    table: Array,
    natural: Array,
    settings: ShortAnswers,
    inputs: str,
    at_odds: Sequence[tuple[str, str]],
) -> Card:
    decided = found.probability >= np.array(
        [table[topics.index(example.topic), label] for example, label in zip(marked, found.taken, strict=True)]
    )
    total = count_of(found, decided, natural)
    sources = {
        name: np.array([example.source == name for example in marked])
        for name in sorted({example.source for example in marked})
    }
    return Card(
        inputs=inputs,
        risk=settings.risk,
        examples=len(marked),
        decisions=sum(example.source.startswith(DECISIONS) for example in marked),
        natural=total,
        bound=round(upper_bound(total.wrong, total.decided), 4),
        credit=harm(decided, found.true == WRONG, found.taken == 0, settings.credit),
        withhold=harm(decided, found.true == 0, found.taken > 0, settings.withhold),
        other=count_of(found, decided, ~natural),
        topics=by_class(found, marked, topics, table, natural),
        sources={name: count_of(found, decided, is_of_source) for name, is_of_source in sources.items()},
        contradictions=tuple(at_odds),
    )


def _frozen(
    found: Material, topics: Sequence[str], table: Array, floors: Array, inputs: str, kept: Sequence[int]
) -> bytes:
    """Return the model with its examples, in which it finds the nearest. Those that are not `kept` have no topic and no
    words."""
    kept_rows, words = np.array(kept), found.words
    topic_of, label_of, sizes = np.full((3, kept_rows[-1] + 1), [[-1], [-1], [0]])
    topic_of[kept_rows] = [topics.index(example.topic) for example in found.marked]
    label_of[kept_rows] = [example.label for example in found.marked]
    sizes[kept_rows] = np.diff(words.indptr)
    return frozen(
        found.vocabulary,
        LABELS,
        train_models(found, topics),
        inputs,
        thresholds=table,
        floors=floors,
        example_topics=topic_of.astype(np.int16),
        example_labels=label_of.astype(np.int8),
        example_ends=np.cumsum(sizes).astype(np.int32),
        example_columns=words.indices.astype(np.int32),
        example_weights=words.data.astype(np.float16),
    )


def write_model(done: TrainedModel, settings: ShortAnswers, folder: Path) -> FrozenModel:
    """Write a model and its sealed card beside a lab. Raises OSError."""
    model = FrozenModel(path=folder / MODEL, sha256=hashlib.sha256(done.model).hexdigest())
    card = done.card.model_copy(update={"seal": seal(settings, model)})
    for name, content in ((MODEL, done.model), (CARD, card.model_dump_json(indent=1).encode() + b"\n")):
        partial = folder / f"{name}.part"
        partial.write_bytes(content)
        partial.replace(folder / name)
    return model

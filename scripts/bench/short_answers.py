"""Short answers: what is decided of sources that a model has not seen, what attacks earn, and how long it all takes.

The lab's own marked examples are the material: each source is judged by models that have seen nothing of it.
"""

import random
import time
from collections.abc import Iterator, Sequence
from functools import partial

import numpy as np

from grader.claims.likeness import is_denied, is_word_list
from grader.lab.files import lab_folder, load_lab
from grader.lab.short_answers import Example, ShortAnswers
from grader.model.answers import Scorer, features
from grader.model.linear import Vocabulary, read_arrays, shares_of
from grader.training.answers import (
    DECISIONS,
    MarkedExample,
    cross_validate,
    examples_of,
    folds,
    marked_example,
    material,
    thresholds,
    train,
    train_models,
)
from grader.training.fit import Array, Weights, table_of
from scripts.bench.figure import Figure, median_seconds

NEAR_MISSES = ("first", "second", "third", "fourth", "fifth", "near-a", "near-b")
PLAIN = ("hand-", "near-a/natural", "near-b/natural", "near-c/natural")
"""Sources of answers that nobody wrote to mislead."""
DENIALS = ("not {}", "it is not {}", "this is not {}", "never {}", "ce n'est pas {}", "{}: this is wrong", "unlike {}")
CURVE = (0, 20, 50, 100, 200, 400)


def figures() -> Iterator[Figure]:
    """Decisions on unseen sources, attacks, the curve of learning, and times."""
    folder = lab_folder("nlp-frameworks")
    lab = load_lab(folder)
    settings, examples = lab.short_answers, examples_of(lab, folder)
    if settings is None:
        return
    began = time.process_time()
    done = train(examples, lab, settings)
    yield Figure("training, with its card", time.process_time() - began, "s of CPU", 30)
    natural, other = done.card.natural, [done.card.sources[name] for name in NEAR_MISSES]
    yield Figure("answers of unseen classes decided", 100 * natural.coverage, "%", 75, at_least=True)
    right = 100 * (1 - natural.wrong / max(1, natural.decided))
    yield Figure("  of these right", right, "%", 97.5, at_least=True)
    yield Figure("  incorrect ones called correct, of 150", 150 * natural.credited / natural.answers, "", 1)
    yield Figure("  correct ones called incorrect", natural.zeroed, "", 0)
    decided, wrong = sum(count.decided for count in other), sum(count.wrong for count in other)
    incorrect = sum(example.label == "incorrect" and example.source in NEAR_MISSES for example in examples)
    yield Figure("near misses decided", 100 * decided / sum(count.answers for count in other), "%", 25, at_least=True)
    yield Figure("  of these right", 100 * (1 - wrong / decided), "%", 92, at_least=True)
    yield Figure("  incorrect ones called correct", 100 * sum(count.credited for count in other) / incorrect, "%", 3)
    yield Figure("incorrect ones of any source called correct, bound", 100 * done.card.credit.bound, "%",
                 100 * settings.credit)  # fmt: skip
    yield Figure("correct ones of any source called something else, bound", 100 * done.card.withhold.bound, "%",
                 100 * settings.withhold)  # fmt: skip
    yield from _attacks([marked_example(example, lab) for example in examples if example.source != DECISIONS], settings)
    risks = ShortAnswers(risk=0.2, credit=0.2, withhold=0.2)
    for name, is_hard in (("a new question", False), ("the same, misleading answers among the others", True)):
        for decisions, share, true in learning_curve("lora_alpha", risks, is_hard=is_hard):
            yield Figure(f"{name}, at a risk of 20 %, after {decisions} decisions: decided", 100 * share, "%")
            yield Figure("  of these right", 100 * true, "%")
    yield from _times(examples)


def _attacks(marked: Sequence[MarkedExample], settings: ShortAnswers) -> Iterator[Figure]:
    """Yield how many changed right answers of one fold of sources are called correct by a model of the others."""
    topics = sorted({example.topic for example in marked})
    is_natural = np.array([example.source in settings.natural for example in marked])
    found = cross_validate(material(marked, settings.natural), topics)
    table = thresholds(found, marked, topics, is_natural, settings)
    group = folds(marked)[0]
    known_examples = [example for example in marked if example.source not in group]
    learned = material(known_examples, settings.natural)
    models = train_models(learned, topics)
    draw = random.Random(1)  # noqa: S311 — no secret
    given = [example for example in marked if example.source in group and example.label == 0]

    def credited(topic: str, texts: Sequence[str]) -> int:
        probabilities = label_probabilities(learned.vocabulary, models[topic], texts)
        kept = np.array([not is_denied(text) and not is_word_list(text) for text in texts])
        sure = probabilities[:, 0] >= table[topics.index(topic), 0]
        return int(((probabilities.argmax(axis=1) == 0) & sure & kept).sum())

    swapped = listed = denied = tried = pairs = 0
    for topic in topics:
        own_texts = [example.text for example in given if example.topic == topic]
        foreign = [example.text for example in given if example.topic != topic]
        swapped, pairs = swapped + credited(topic, foreign), pairs + len(foreign)
        denied += credited(topic, [DENIALS[at % len(DENIALS)].format(text) for at, text in enumerate(own_texts)])
        listed += credited(topic, [", ".join(draw.sample(text.split(), len(text.split()))) for text in own_texts])
        tried += len(own_texts)
    yield Figure("definitions of other parameters credited", 100 * swapped / pairs, "%", 0.5)
    yield Figure("denied right definitions credited", 100 * denied / tried, "%", 0.5)
    yield Figure("lists of a definition's words credited", 100 * listed / tried, "%", 0.5)


def label_probabilities(vocabulary: Vocabulary, model: Weights, texts: Sequence[str]) -> Array:
    """Return the probabilities of the labels for some plain texts."""
    table = table_of([vocabulary.row(features(text)) for text in texts], vocabulary)
    return shares_of(table @ model.weights.T + model.intercepts)


def _times(examples: Sequence[Example]) -> Iterator[Figure]:
    lab = load_lab(lab_folder("nlp-frameworks"))
    if lab.short_answers is None or lab.short_answers.model is None:
        return
    path = lab.short_answers.model.path

    yield Figure("loading the model", 1000 * median_seconds(lambda: Scorer(read_arrays(path)), runs=3), "ms", 150)
    scorer = Scorer(read_arrays(path))
    texts = [example.text for example in examples[::40]]
    seconds = median_seconds(partial(_scored, scorer, texts), runs=3)
    yield Figure("a definition judged", 1000 * seconds / len(texts), "ms", 3)


def _scored(scorer: Scorer, texts: Sequence[str]) -> None:
    for text in texts:
        scorer.score("r", text)


def learning_curve(topic: str, settings: ShortAnswers, *, is_hard: bool) -> Iterator[tuple[int, float, float]]:
    """For a question that starts with no example: after so many decisions about answers as a class gives them, the
    shares of the rest that are decided and of these right; `is_hard` where answers written to mislead are among them.
    """
    folder = lab_folder("nlp-frameworks")
    lab = load_lab(folder)
    own_examples = [
        marked_example(example, lab)
        for example in examples_of(lab, folder)
        if example.topic == topic and (is_hard or example.source.startswith(PLAIN))
    ]
    random.Random(0).shuffle(own_examples)  # noqa: S311 — no secret
    own_examples = [example._replace(source=f"person-{at % 8}") for at, example in enumerate(own_examples)]
    for number in CURVE:
        known_examples, rest = own_examples[:number], own_examples[number:]
        if len(rest) < 20:
            return
        if len({example.label for example in known_examples}) < 2:
            yield number, 0.0, 1.0
            continue
        every = np.ones(len(known_examples), dtype=bool)
        learned = material(known_examples)
        table = thresholds(cross_validate(learned, [topic]), known_examples, [topic], every, settings)
        probabilities = label_probabilities(
            learned.vocabulary, train_models(learned, [topic])[topic], [held_out.text for held_out in rest]
        )
        taken = probabilities.argmax(axis=1)
        decided = probabilities.max(axis=1) >= table[0, taken]
        right = taken == np.array([example.label for example in rest])
        yield number, float(decided.mean()), float(right[decided].mean()) if decided.any() else 1.0


if __name__ == "__main__":
    for allowed in (0.1, 0.2, 0.3):
        risks = ShortAnswers(risk=allowed, credit=allowed, withhold=allowed)
        for hard in (False, True):
            for decisions, share, true in learning_curve("lora_alpha", risks, is_hard=hard):
                print(
                    f"risk {allowed:.0%}{', misleading answers, too' if hard else ''}, after {decisions:3} decisions: "
                    f"{share:.0%} decided, {true:.1%} of these right"
                )

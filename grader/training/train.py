"""A lab's model of short answers, trained from its examples and from what people decided, and written beside it."""

import hashlib
import io
import zipfile
from collections import defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Final, NamedTuple
from zlib import crc32

import numpy as np

from grader.claims.passage import normalise
from grader.lab.definition import Lab
from grader.lab.scorer import FORM, KINDS, LABELS, WRONG, plain
from grader.lab.short_answers import (
    CARD,
    MODEL,
    Card,
    Example,
    FrozenModel,
    ShortAnswers,
    model_inputs,
    read_examples,
    seal,
)
from grader.risk import upper_bound
from grader.training.fit import (
    MOST_FOLDS,
    Array,
    Marked,
    Material,
    Measured,
    by_class,
    counted,
    harm,
    material,
    measured,
    thresholds,
    trained,
)

DECISIONS: Final = "decisions"
"""The source of the examples that people's decisions are."""


class Trained(NamedTuple):
    """The frozen model's bytes, and its card."""

    model: bytes
    card: Card


def examples_of(lab: Lab, folder: Path) -> tuple[Example, ...]:
    """A lab's marked examples and the decisions of people about answers of its own. Raises OSError, ValueError."""
    settings = lab.short_answers or ShortAnswers()
    marked = read_examples(folder / settings.examples)
    topics = {one.topic for one in marked} | set(topics_of(lab))
    decided = (
        Example(topic=topic, text=one.text, label=one.label, reason=one.why, source=DECISIONS)
        for one in lab.decisions.decisions
        if (topic := one.group.partition(":")[0]) in topics and one.text.strip()
    )
    return (*marked, *decided)


def topics_of(lab: Lab) -> tuple[str, ...]:
    """The questions of a lab that the check `short-answer` decides."""
    return tuple(str(item.options.get("topic", "")) for item in lab.items if item.check == "short-answer")


def contradictions(marked: Iterable[Marked]) -> set[tuple[str, str]]:
    """The answers, by question and words, that are marked with different labels."""
    labels: dict[tuple[str, str], set[int]] = defaultdict(set)
    for one in marked:
        labels[one.topic, one.text].add(one.label)
    return {key for key, found in labels.items() if len(found) > 1}


def train(examples: Sequence[Example], lab: Lab, settings: ShortAnswers) -> Trained:
    """The model of some examples and its card. The same examples give the same bytes. Raises ValueError where there are
    too few of them."""
    everything = [marked_example(one, lab) for one in examples]
    at_odds = contradictions(everything)
    kept = [number for number, one in enumerate(everything) if (one.topic, one.text) not in at_odds and one.text]
    marked = [everything[number] for number in kept]
    topics = sorted({one.topic for one in marked})
    if len({one.label for one in marked}) < 2 or len({one.source for one in marked}) < 2:
        raise ValueError("mark answers of different worth and of two sources at least: one is measured by the other")
    learned = material(marked, settings.natural)
    found = measured(learned, topics)
    is_natural = np.array([not settings.natural or one.source in settings.natural for one in marked])
    table = thresholds(found, marked, topics, is_natural, settings)
    inputs = model_inputs([one for one in examples if one.source != DECISIONS], settings)
    card = _card(found, marked, topics, table, is_natural, settings, inputs, sorted(at_odds))
    return Trained(_frozen(learned, topics, table, found.floors, inputs, kept), card)


def marked_example(one: Example, lab: Lab) -> Marked:
    """An example as it is trained on. Decisions are about answers of many students, so that they are left out a part at
    a time: equal ones together."""
    text = plain(normalise(one.text).text, values_of(lab, one.topic))
    source = f"{DECISIONS}-{crc32(text.encode()) % MOST_FOLDS + 1}" if one.source == DECISIONS else one.source
    return Marked(one.topic, LABELS.index(one.label), source, text)


def values_of(lab: Lab, topic: str) -> tuple[str, ...]:
    """How texts write the lab's value of a parameter; nothing for a question that is about none."""
    return next(((one.value, *one.spellings) for one in lab.parameters if one.id == topic), ())


def _card(
    found: Measured,
    marked: Sequence[Marked],
    topics: Sequence[str],
    table: Array,
    natural: Array,
    settings: ShortAnswers,
    inputs: str,
    at_odds: Sequence[tuple[str, str]],
) -> Card:
    decided = found.probability >= np.array(
        [table[topics.index(one.topic), label] for one, label in zip(marked, found.taken, strict=True)]
    )
    total = counted(found, decided, natural)
    sources = {
        name: np.array([one.source == name for one in marked]) for name in sorted({one.source for one in marked})
    }
    return Card(
        inputs=inputs,
        risk=settings.risk,
        examples=len(marked),
        decisions=sum(one.source.startswith(DECISIONS) for one in marked),
        natural=total,
        bound=round(upper_bound(total.wrong, total.decided), 4),
        credit=harm(decided, found.true == WRONG, found.taken == 0, settings.credit),
        withhold=harm(decided, found.true == 0, found.taken > 0, settings.withhold),
        other=counted(found, decided, ~natural),
        topics=by_class(found, marked, topics, table, natural),
        sources={name: counted(found, decided, own) for name, own in sources.items()},
        contradictions=tuple(at_odds),
    )


def _frozen(
    found: Material, topics: Sequence[str], table: Array, floors: Array, inputs: str, kept: Sequence[int]
) -> bytes:
    """The model as a zip of numbers; weights are rounded to a byte each, which changes no verdict that is not on the
    edge. Of the examples those that are not `kept` have no topic and no words."""
    models = trained(found, topics)
    weights = np.stack([models[topic].weights for topic in topics])
    scales = np.abs(weights).max(axis=2) / 127
    scales[scales == 0] = 1
    own, words = np.array(kept), found.words
    topic_of, label_of, sizes = np.full((3, own[-1] + 1), [[-1], [-1], [0]])
    topic_of[own] = [topics.index(one.topic) for one in found.marked]
    label_of[own] = [one.label for one in found.marked]
    sizes[own] = np.diff(words.indptr)
    arrays = {
        "form": np.array(FORM),
        "inputs": np.array(inputs),
        "topics": np.array(topics),
        **{kind: joined(one) for kind, one in zip(KINDS, found.space.vocabularies, strict=True)},
        **{f"{kind}_idf": one.astype(np.float32) for kind, one in zip(KINDS, found.space.idf, strict=True)},
        "weights": np.rint(weights / scales[:, :, None]).astype(np.int8),
        "scales": scales.astype(np.float32),
        "intercepts": np.stack([models[topic].intercepts for topic in topics]),
        "thresholds": table,
        "floors": floors,
        "example_topics": topic_of.astype(np.int16),
        "example_labels": label_of.astype(np.int8),
        "example_ends": np.cumsum(sizes).astype(np.int32),
        "example_columns": words.indices.astype(np.int32),
        "example_weights": words.data.astype(np.float16),
    }
    return zipped(arrays)


def joined(vocabulary: Iterable[str]) -> Array:
    """Names as numbers, one a line, as they are frozen."""
    return np.frombuffer("\n".join(vocabulary).encode(), dtype=np.uint8)


def zipped(arrays: dict[str, Array]) -> bytes:
    """The arrays as numpy reads them, without the time of day that its own writer would put in."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, array in arrays.items():
            content = io.BytesIO()
            np.lib.format.write_array(content, array, allow_pickle=False)
            archive.writestr(zipfile.ZipInfo(f"{name}.npy"), content.getvalue(), zipfile.ZIP_DEFLATED)
    return packed.getvalue()


def written(done: Trained, settings: ShortAnswers, folder: Path) -> FrozenModel:
    """Write a model and its sealed card beside a lab. Raises OSError."""
    model = FrozenModel(path=folder / MODEL, sha256=hashlib.sha256(done.model).hexdigest())
    card = done.card.model_copy(update={"seal": seal(settings, model)})
    for name, content in ((MODEL, done.model), (CARD, card.model_dump_json(indent=1).encode() + b"\n")):
        partial = folder / f"{name}.part"
        partial.write_bytes(content)
        partial.replace(folder / name)
    return model

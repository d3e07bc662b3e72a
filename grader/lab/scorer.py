"""A frozen model of marked examples: how likely a short answer is right, and which examples are nearest to it.

The model is a table of numbers (`numpy`, no code): character and word n-grams with their weights for each question and
label, the examples' word n-grams, and how far a verdict can be trusted. `grader.training` makes it.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

if TYPE_CHECKING:
    import numpy as np

LABELS: Final = ("correct", "partial", "incorrect")
FORM: Final = 1
"""Of the frozen file; one of another form has to be trained anew."""
LONGEST: Final = 1_500
_CHARACTERS: Final = range(2, 6)
_WORDS: Final = range(1, 4)
_TOKEN: Final = re.compile(r"[^\W\d_]+(?:_[^\W_]+)*|\d+|[=+/<>≤∈×^;:.,()!?-]")
_COMMAND: Final = re.compile(r"\\([a-zA-Z]+)")
_NUMBER: Final = re.compile(r"(?<!\w)\d+(?:[.,]\d+)?\s?%?")
_UNKNOWN: Final = 1.0
MASKED_VALUE: Final = " thevalue "
_MASKED_NUMBER: Final = " 9 "


class Near(NamedTuple):
    """A marked example (its number in the file) and how alike it is, from 0 to 1."""

    example: int
    label: str
    likeness: float


_LEAST_TRUST: Final = {"correct": 0.0, "partial": 0.85, "incorrect": 0.85}
"""To withhold points from a right answer is worse than to give them for a wrong one, so that asks for more."""


class Score(NamedTuple):
    """What the model makes of one answer: the likeliest label, how far that can be `trusted` (0 to 1) and whether that
    is enough; the nearest example of each label; the words that weigh most, the heaviest first."""

    label: str
    trust: float
    decided: bool
    near: tuple[Near, ...]
    words: tuple[str, ...]


def plain(text: str, values: Iterable[str] = ()) -> str:
    """A normalised text as the model sees it: lower case without accents; the lab's value, in any of its spellings, and
    other numbers are only said to stand there, so that a model serves labs with other values."""
    text = unicodedata.normalize("NFKD", _COMMAND.sub(r" \1 ", text[:LONGEST]).casefold())
    text = "".join(character for character in text if not unicodedata.combining(character))
    for value in values:
        text = re.sub(rf"(?<![\w.]){re.escape(value.casefold())}(?![\w.]*\d)", MASKED_VALUE, text)
    return " ".join(_NUMBER.sub(_MASKED_NUMBER, text).split())


def character_grams(text: str) -> Iterator[str]:
    """Runs of 2 to 5 characters inside words, the spaces around them counted."""
    for word in text.split():
        padded = f" {word} "
        for length in _CHARACTERS:
            if length >= len(padded):
                yield padded
                break
            for start in range(len(padded) - length + 1):
                yield padded[start : start + length]


def word_grams(text: str) -> Iterator[str]:
    """Runs of one to three words and signs."""
    found = _TOKEN.findall(text)
    for length in _WORDS:
        for start in range(len(found) - length + 1):
            yield " ".join(found[start : start + length])


def weighed(
    grams: Iterable[str], vocabulary: Mapping[str, int], idf: "np.ndarray[Any, Any]"
) -> "tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]":
    """The columns and the TF-IDF weights (length 1) of the known ones of some grams."""
    import numpy as np

    counts = Counter(grams)
    pairs = sorted((vocabulary[gram], count) for gram, count in counts.items() if gram in vocabulary)
    columns = np.array([column for column, _ in pairs], dtype=np.int64)
    weights = (1 + np.log(np.array([count for _, count in pairs], dtype=np.float64))) * idf[columns]
    length = float(np.sqrt((weights**2).sum()))
    return columns, weights / length if length else weights


class Examples:
    """The word n-grams of one question's examples, by which an answer's nearest ones are found."""

    def __init__(
        self,
        numbers: "np.ndarray[Any, Any]",
        labels: "np.ndarray[Any, Any]",
        rows: "Sequence[tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]]",
        width: int,
    ) -> None:
        import numpy as np

        self.numbers, self.labels = numbers, labels
        self._columns = np.concatenate([columns for columns, _ in rows]).astype(np.int64)
        self._weights = np.concatenate([weights for _, weights in rows])
        self._row = np.repeat(np.arange(len(rows)), [len(columns) for columns, _ in rows])
        self.seen = np.zeros((len(LABELS), width), dtype=bool)
        self.seen[labels[self._row], self._columns] = True

    def likeness(self, columns: "np.ndarray[Any, Any]", weights: "np.ndarray[Any, Any]") -> "np.ndarray[Any, Any]":
        """How alike an answer is to each example."""
        import numpy as np

        dense = np.zeros(self.seen.shape[1])
        dense[columns] = weights
        return np.bincount(self._row, dense[self._columns] * self._weights, minlength=len(self.labels))


def signals(
    probabilities: "np.ndarray[Any, Any]",
    columns: "np.ndarray[Any, Any]",
    idf: "np.ndarray[Any, Any]",
    examples: Examples,
    likeness: "np.ndarray[Any, Any]",
    unknown: int,
) -> "np.ndarray[Any, Any]":
    """What tells whether a verdict can be trusted: the probabilities, the likeness to the nearest examples of each
    label, the share of the answer's word n-grams that such examples have, and its length. `unknown` n-grams stand in
    no example."""
    import numpy as np

    nearest = [likeness[examples.labels == label].max(initial=0.0) for label in range(len(LABELS))]
    weight = idf[columns]
    known = [float(weight[examples.seen[label, columns]].sum()) for label in range(len(LABELS))]
    whole = float(weight.sum()) + unknown * float(idf.max())
    shares = [one / max(whole, 1e-9) for one in known]
    odds = np.log((probabilities + 1e-4) / (1 - probabilities + 1e-4))
    return np.array([*odds, *nearest, *shares, np.log1p(len(columns) + unknown)])


class Scorer:
    """A frozen model, ready to score answers."""

    def __init__(self, data: "Mapping[str, np.ndarray[Any, Any]]") -> None:
        import numpy as np

        if int(data["form"]) != FORM:
            raise ValueError("the frozen model is of another form")
        self.topics = tuple(str(one) for one in data["topics"])
        self.inputs = str(data["inputs"])
        self._characters = _vocabulary(data["characters"])
        self._words = _vocabulary(data["words"])
        self._idf = [data["character_idf"].astype(np.float64), data["word_idf"].astype(np.float64)]
        self._weights = data["weights"], data["scales"].astype(np.float64)
        self._intercepts = data["intercepts"]
        self._gate = data["gate"]
        self._thresholds = data["thresholds"]
        self._examples = [self._of_topic(data, topic) for topic in range(len(self.topics))]
        self._names = list(self._words)

    def _of_topic(self, data: "Mapping[str, np.ndarray[Any, Any]]", topic: int) -> Examples:
        import numpy as np

        own = np.flatnonzero(data["example_topics"] == topic)
        ends = data["example_ends"]
        rows = []
        for one in own:
            start, end = int(ends[one - 1]) if one else 0, int(ends[one])
            rows.append((data["example_columns"][start:end], data["example_weights"][start:end].astype(np.float64)))
        return Examples(own, data["example_labels"][own], rows, len(self._words))

    def score(self, topic: str, text: str, values: Iterable[str] = ()) -> Score:
        """The verdict on a normalised text as an answer to a question. Raises ValueError for an unknown question."""
        import numpy as np

        number = self.topics.index(topic)
        said = plain(text, values)
        characters = weighed(character_grams(said), self._characters, self._idf[0])
        words = weighed(word_grams(said), self._words, self._idf[1])
        probabilities, heavy = self._probabilities(number, characters, words)
        label = int(probabilities.argmax())
        examples = self._examples[number]
        likeness = examples.likeness(*words)
        unknown = len(set(word_grams(said))) - len(words[0])
        found = signals(probabilities, words[0], self._idf[1], examples, likeness, unknown)
        middle, scale, gate = self._gate[label]
        trust = 1 / (1 + float(np.exp(-(((found - middle[:-1]) / scale[:-1]) @ gate[:-1] + gate[-1]))))
        return Score(
            label=LABELS[label],
            trust=trust,
            decided=trust >= max(self._thresholds[number, label], _LEAST_TRUST[LABELS[label]]),
            near=tuple(_nearest(examples, likeness)),
            words=tuple(self._names[words[0][at]] for at in heavy[label]),
        )

    def about(self, text: str) -> dict[str, float]:
        """How much a normalised text is about each question, right or wrong: the mean likeness to the three nearest
        examples. Words that stand in no example make it less."""
        import numpy as np

        grams = Counter(word_grams(plain(text)))
        columns, weights = weighed(grams.elements(), self._words, self._idf[1])
        idf = self._idf[1]
        unknown = len(grams) - len(columns)
        known = float((idf[columns] ** 2).sum())
        share = float(np.sqrt(known / max(known + unknown * _UNKNOWN * float(idf.max()) ** 2, 1e-9)))
        nearest = (np.sort(one.likeness(columns, weights))[-3:] for one in self._examples)
        return {topic: share * float(one.mean()) for topic, one in zip(self.topics, nearest, strict=True)}

    def _probabilities(
        self,
        topic: int,
        characters: "tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]",
        words: "tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]",
    ) -> "tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]":
        """Of each label; and the places of the word n-grams that weigh most for it, the heaviest first."""
        import numpy as np

        weights, scales = self._weights
        shift = len(self._characters)
        by_word = weights[topic][:, words[0] + shift] * words[1] * scales[topic][:, None]
        by_character = weights[topic][:, characters[0]] * characters[1] * scales[topic][:, None]
        odds = self._intercepts[topic] + by_word.sum(axis=1) + by_character.sum(axis=1)
        odds = np.exp(odds - odds.max())
        return odds / odds.sum(), np.argsort(-by_word, axis=1, kind="stable")[:, :4]


def _vocabulary(joined: "np.ndarray[Any, Any]") -> dict[str, int]:
    return {gram: number for number, gram in enumerate(joined.tobytes().decode().split("\n"))}


def _nearest(examples: Examples, likeness: "np.ndarray[Any, Any]") -> Iterator[Near]:
    for label, name in enumerate(LABELS):
        own = (examples.labels == label).nonzero()[0]
        if len(own):
            best = own[int(likeness[own].argmax())]
            yield Near(int(examples.numbers[best]), name, float(likeness[best]))


@lru_cache(maxsize=4)
def load_scorer(path: Path, sha256: str) -> Scorer:
    """The model in a file, read once for a process; `sha256` tells one state of the file from another. Raises OSError,
    ValueError."""
    import numpy as np

    with np.load(path, allow_pickle=False) as data:
        return Scorer({name: data[name] for name in data.files})

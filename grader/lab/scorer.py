"""A frozen model of marked examples: how likely a short answer is right, and which examples are nearest to it.

The model is a table of numbers (`numpy`, no code): n-grams of characters, of words and pairs of words, with their
weights for each question and label, the examples' word n-grams, and from which probability and likeness on a label is
given. `grader.training` makes it.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from grader.frozen import remembered

if TYPE_CHECKING:
    import numpy as np

LABELS: Final = ("correct", "partial", "incorrect")
WRONG: Final = LABELS.index("incorrect")
FORM: Final = 3
"""Version of the file format; a model in another format has to be trained again."""
KINDS: Final = ("characters", "words", "pairs")
"""The kinds of n-grams, in the order of the weights."""
WORDS: Final = KINDS.index("words")
LONGEST: Final = 1_500
_CHARACTERS: Final = range(2, 6)
_WORDS: Final = range(1, 4)
_NEAR: Final = range(2, 6)
"""Distances between the two words of a pair; adjacent words are an n-gram."""
_GREEK: Final = {letter: f" {unicodedata.name(letter).rpartition(' ')[2].lower()} " for letter in "αβγδεηθλμρσ"}
_TOKEN: Final = re.compile(r"[^\W\d_]+(?:_[^\W_]+)*|\d+|[=+/<>≤∈×^;:.,()!?-]")
_NAME: Final = r"([^\W\d_]+(?:_[^\W\d_]+)*)"
_QUOTIENT: Final = re.compile(
    rf"frac\W*{_NAME}\W+{_NAME}|(?<![^\W_]){_NAME}[^\w/.;,:]*(?:/|over|divided by|divisee? par|sur)[^\w/.;,:]*{_NAME}"
)
_WORD: Final = re.compile(r"[^\W\d_]{2}")
_COMMAND: Final = re.compile(r"\\([a-zA-Z]+)")
_NUMBER: Final = re.compile(r"(?<!\w)\d+(?:[.,]\d+)?\s?%?")
_NEGATIONS: Final = re.compile(
    r"no|not|never|nothing|none|without|cannot|neither|nor|(?:is|are|was|does|do|did|wo)n|"
    r"ne|n|pas|non|jamais|aucune?|rien|sans|ni"
)
"""Words that negate the rest of their clause."""
_OPENING: Final = frozenset(("but", "instead", "mais"))
_ENDING: Final = frozenset(".;:,!?()")
NEGATED: Final = "¬"
"""Prefix of a word in the scope of a negation."""
_UNKNOWN: Final = 1.0
_SAME: Final = 0.9999
"""An answer so like a marked example has its words: a person has decided it, unless others decided otherwise."""
MASKED_VALUE: Final = " thevalue "
_MASKED_NUMBER: Final = " 9 "


class Near(NamedTuple):
    """A marked example (its number in the file) and how alike it is, from 0 to 1."""

    example: int
    label: str
    likeness: float


class Score(NamedTuple):
    """The model's verdict on one answer: the most likely label, its `probability` and whether that suffices; the
    nearest example of each label; the words with the largest weights, in descending order."""

    label: str
    probability: float
    decided: bool
    near: tuple[Near, ...]
    words: tuple[str, ...]


def plain(text: str, values: Iterable[str] = ()) -> str:
    """A normalised text as the model's input: lower case without accents. The lab's value, in any spelling, and other
    numbers become placeholders, so that the model is also valid for labs with other values."""
    text = unicodedata.normalize("NFKD", _COMMAND.sub(r" \1 ", text[:LONGEST]).casefold())
    text = "".join(_GREEK.get(character, character) for character in text if not unicodedata.combining(character))
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


def tokens(text: str) -> list[str]:
    """The words and punctuation of a plain text. A word in the scope of a negation, which ends with the clause, is
    marked."""
    found, is_negated = [], False
    for token in _TOKEN.findall(text):
        if token in _ENDING or token in _OPENING:
            is_negated = False
        denies = bool(_NEGATIONS.fullmatch(token))
        found.append(NEGATED + token if is_negated and not denies and token[0].isalnum() else token)
        is_negated = is_negated or denies
    return found + [f"{above}÷{below}" for above, below in quotients(text)]


def quotients(text: str) -> Iterator[tuple[str, str]]:
    """What a plain text divides by what, however it is written: `alpha` and `r` of `alpha/r`, `lora_alpha divided by r`
    and `frac{alpha}{r}`."""
    for match in _QUOTIENT.finditer(text):
        above, below = (match[1] or match[3]), (match[2] or match[4])
        yield above.rpartition("_")[2], below.rpartition("_")[2]


def turned(found: Iterable[str]) -> list[str]:
    """The tokens with every negation mark inverted."""
    return [
        token.removeprefix(NEGATED) if token.startswith(NEGATED) else NEGATED + token if token[0].isalnum() else token
        for token in found
        if not _NEGATIONS.fullmatch(token)
    ]


def word_grams(found: Sequence[str]) -> Iterator[str]:
    """Runs of one to three tokens."""
    for length in _WORDS:
        for start in range(len(found) - length + 1):
            yield " ".join(found[start : start + length])


def word_pairs(found: Iterable[str]) -> Iterator[str]:
    """Ordered pairs of words with one to four words between them: they capture who does what, despite paraphrase."""
    own = [token for token in found if token[-1].isalnum()]
    for distance in _NEAR:
        for start in range(len(own) - distance):
            yield f"{own[start]}~{own[start + distance]}"


def grams(text: str, found: Sequence[str] | None = None) -> tuple[list[str], list[str], list[str]]:
    """All grams of a plain text, of each of the `KINDS`; `found` are its tokens."""
    found = tokens(text) if found is None else found
    return list(character_grams(text)), list(word_grams(found)), list(word_pairs(found))


def weighed(
    found: Iterable[str], vocabulary: Mapping[str, int], idf: "np.ndarray[Any, Any]"
) -> "tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]":
    """The columns and TF-IDF weights (normalised to length 1) of the n-grams in the vocabulary."""
    import numpy as np

    counts = Counter(found)
    known = ((vocabulary.get(gram), count) for gram, count in counts.items())
    pairs = sorted((column, count) for column, count in known if column is not None)
    columns = np.array([column for column, _ in pairs], dtype=np.int64)
    weights = (1 + np.log(np.array([count for _, count in pairs], dtype=np.float64))) * idf[columns]
    length = float(np.sqrt((weights**2).sum()))
    return columns, weights / length if length else weights


class Examples:
    """The word n-grams of all examples, for finding those nearest to an answer. They are kept by n-gram: an answer has
    few of the many, and only the examples that share one are looked at."""

    def __init__(self, data: "Mapping[str, np.ndarray[Any, Any]]", topics: int, width: int) -> None:
        """`width` is the number of n-grams."""
        import numpy as np

        self.labels = labels = data["example_labels"]
        self.of_topic = [np.flatnonzero(data["example_topics"] == topic) for topic in range(topics)]
        self.telling = [own[labels[own] < WRONG] for own in self.of_topic]
        columns = data["example_columns"]
        by_column = np.argsort(columns, kind="stable")
        self._weights = data["example_weights"][by_column].astype(np.float64)
        self._rows = np.repeat(np.arange(len(labels)), np.diff(data["example_ends"], prepend=0))[by_column]
        self._starts = np.concatenate(([0], np.cumsum(np.bincount(columns, minlength=width))))

    def likeness(self, columns: "np.ndarray[Any, Any]", weights: "np.ndarray[Any, Any]") -> "np.ndarray[Any, Any]":
        """The similarity of an answer to each example, 0 to 1. `columns` ascend."""
        import numpy as np

        starts = self._starts[columns]
        sizes = self._starts[columns + 1] - starts
        before = np.cumsum(sizes) - sizes
        places = np.repeat(starts - before, sizes) + np.arange(int(sizes.sum()))
        products = np.repeat(weights, sizes) * self._weights[places]
        return np.bincount(self._rows[places], products, minlength=len(self.labels))


class Scorer:
    """A frozen model, ready to score answers."""

    def __init__(self, data: "Mapping[str, np.ndarray[Any, Any]]") -> None:
        import numpy as np

        if int(data["form"]) != FORM:
            raise ValueError("the frozen model is of another form")
        self.topics = tuple(str(one) for one in data["topics"])
        self.inputs = str(data["inputs"])
        self._vocabularies = [
            {gram: number for number, gram in enumerate(data[kind].tobytes().decode().split("\n"))} for kind in KINDS
        ]
        self._idf = [data[f"{kind}_idf"].astype(np.float64) for kind in KINDS]
        self._weights = data["weights"], data["scales"].astype(np.float64)
        self._intercepts = data["intercepts"]
        self._thresholds, self._floors = data["thresholds"], data["floors"]
        self._examples = Examples(data, len(self.topics), len(self._idf[WORDS]))
        self._names = list(self._vocabularies[WORDS])

    def score(self, topic: str, text: str, values: Iterable[str] = ()) -> Score:
        """The verdict on a normalised text as an answer to a question. Raises ValueError for an unknown question."""
        number = self.topics.index(topic)
        vectors = [
            weighed(found, vocabulary, idf)
            for found, vocabulary, idf in zip(grams(plain(text, values)), self._vocabularies, self._idf, strict=True)
        ]
        probabilities, heavy = self._probabilities(number, vectors)
        label = int(probabilities.argmax())
        near = tuple(_nearest(self._examples, number, self._examples.likeness(*vectors[WORDS])))
        like = {one.label: one.likeness for one in near}
        own = like.get(LABELS[label], 0.0)
        # Points are withheld only where an example of that label is nearer than any right one.
        is_like = own >= self._floors[label] and (label == 0 or own >= like.get(LABELS[0], 0.0))
        is_marked = [one.label for one in near if one.likeness > _SAME] == [LABELS[label]]
        return Score(
            label=LABELS[label],
            probability=float(probabilities[label]),
            decided=is_like and (is_marked or bool(probabilities[label] >= self._thresholds[number, label])),
            near=near,
            words=tuple(self._names[vectors[WORDS][0][at]] for at in heavy[label]),
        )

    @remembered
    def about(self, text: str) -> Mapping[str, float]:
        """How much a normalised text is about each question: the mean similarity to the three nearest examples, without
        incorrect ones, as these may be about another question. Words that occur in no example reduce it; numbers and
        signs say nothing."""
        import numpy as np

        found = Counter(gram for gram in word_grams(tokens(plain(text))) if _WORD.search(gram))
        idf = self._idf[WORDS]
        columns, weights = weighed(found.elements(), self._vocabularies[WORDS], idf)
        unknown = len(found) - len(columns)
        known = float((idf[columns] ** 2).sum())
        share = float(np.sqrt(known / max(known + unknown * _UNKNOWN * float(idf.max()) ** 2, 1e-9)))
        likeness = self._examples.likeness(columns, weights)
        nearest = (np.sort(likeness[own])[-3:] for own in self._examples.telling)
        return MappingProxyType(
            {topic: share * float(one.mean()) for topic, one in zip(self.topics, nearest, strict=True)}
        )

    def _probabilities(
        self, topic: int, vectors: "Sequence[tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]]"
    ) -> "tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]":
        """The probability of each label, and the indices of the word n-grams with the largest weights for it, in
        descending order."""
        import numpy as np

        weights, scales = self._weights
        odds, heavy, shift = self._intercepts[topic].astype(np.float64), np.zeros((len(LABELS), 0), dtype=np.int64), 0
        for kind, (columns, values) in enumerate(vectors):
            each = weights[topic][:, columns + shift] * values * scales[topic][:, None]
            odds = odds + each.sum(axis=1)
            shift += len(self._idf[kind])
            if kind == WORDS:
                heavy = np.argsort(-each, axis=1, kind="stable")[:, :4]
        odds = np.exp(odds - odds.max())
        return odds / odds.sum(), heavy


def _nearest(examples: Examples, topic: int, likeness: "np.ndarray[Any, Any]") -> Iterator[Near]:
    of_topic = examples.of_topic[topic]
    for label, name in enumerate(LABELS):
        own = of_topic[examples.labels[of_topic] == label]
        if len(own):
            best = int(own[likeness[own].argmax()])
            yield Near(best, name, float(likeness[best]))


@lru_cache(maxsize=4)
def load_scorer(path: Path, sha256: str) -> Scorer:
    """The model in a file, cached per process; `sha256` identifies the version of the file. Raises OSError,
    ValueError."""
    import numpy as np

    with np.load(path, allow_pickle=False) as data:
        return Scorer({name: data[name] for name in data.files})

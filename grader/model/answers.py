"""Short answers: what a model sees of one, how likely it is right, and which marked examples are nearest to it."""

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from grader.frozen import memoise
from grader.language.shapes import LONG_WORD
from grader.message import Message, join_messages, say
from grader.model.linear import Features, Linear, read_arrays, runs, shares_of, text_features

if TYPE_CHECKING:
    import numpy as np

    Array = np.ndarray[Any, Any]

LABELS: Final = ("correct", "partial", "incorrect")
WRONG: Final = LABELS.index("incorrect")
WORDS: Final = "words"
GROUPS: Final = {"characters": 1.0, WORDS: 1.0, "pairs": 1.0}
"""The groups of features with how much each weighs."""
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
_COMMAND: Final = re.compile(r"\\([a-zA-Z]+)")
_NUMBER: Final = re.compile(r"(?<!\w)\d+(?:[.,]\d+)?\s?%?")
_NEGATIONS: Final = (
    frozenset({"no", "not", "never", "nothing", "none", "without", "cannot", "neither", "nor"})
    | {"isn", "aren", "wasn", "doesn", "don", "didn", "won"}
    | {"ne", "n", "pas", "non", "jamais", "aucun", "aucune", "rien", "sans", "ni"}
)
"""Words that negate the rest of their clause. They are part of what the frozen models were trained on."""
_OPENING: Final = frozenset(("but", "instead", "mais"))
_ENDING: Final = frozenset(".;:,!?()")
NEGATED: Final = "¬"
"""Prefix of a word in the scope of a negation."""
_UNKNOWN: Final = 1.0
_SAME: Final = 0.9999
"""An answer so like a marked example has its words: a person has decided it, unless others decided otherwise."""
_FEWEST_WORDS: Final = 4
MASKED_VALUE: Final = " thevalue "
_MASKED_NUMBER: Final = " 9 "


def model_input(text: str, values: Iterable[str] = ()) -> str:
    """Return a normalised text as the model's input: lower case without accents. The lab's value, in any spelling, and
    other numbers become placeholders, so that the model is also valid for labs with other values."""
    text = unicodedata.normalize("NFKD", _COMMAND.sub(r" \1 ", text[:LONGEST]).casefold())
    text = "".join(_GREEK.get(character, character) for character in text if not unicodedata.combining(character))
    for value in values:
        spelling = re.escape(value.casefold()).replace("%", r"\s?%")  # French writes `5 %`
        text = re.sub(rf"(?<![\w.]){spelling}(?![\w.]*\d)", MASKED_VALUE, text)
    return " ".join(_NUMBER.sub(_MASKED_NUMBER, text).split())


def tokens(text: str) -> list[str]:
    """Return the words and punctuation of a plain text, and its quotients. A word in the scope of a negation, which
    ends with the clause, is marked."""
    found, is_negated = [], False
    for token in _TOKEN.findall(text):
        if token in _ENDING or token in _OPENING:
            is_negated = False
        denies = token in _NEGATIONS
        found.append(NEGATED + token if is_negated and not denies and token[0].isalnum() else token)
        is_negated = is_negated or denies
    return found + [f"{above}÷{below}" for above, below in quotients(text)]


def readable(run: str) -> Message | str:
    """Return a run of tokens in words: `not` instead of negation marks, unless the run contains the negation."""
    before, mark, behind = run.replace("÷", " / ").partition(NEGATED)
    words = behind.replace(NEGATED, "")
    if not mark or not _NEGATIONS.isdisjoint(run.split()):
        return before + words
    return join_messages("", (before, say("not {words}", words=words)))


def quotients(text: str) -> Iterator[tuple[str, str]]:
    """Yield what a plain text divides by what, however it is written: `alpha` and `r` of `alpha/r`, `lora_alpha divided
    by r` and `frac{alpha}{r}`."""
    for match in _QUOTIENT.finditer(text):
        above, below = (match[1] or match[3]), (match[2] or match[4])
        yield above.rpartition("_")[2], below.rpartition("_")[2]


def invert_negations(found: Iterable[str]) -> list[str]:
    """Return the tokens with every negation mark inverted."""
    return [
        token.removeprefix(NEGATED) if token.startswith(NEGATED) else NEGATED + token if token[0].isalnum() else token
        for token in found
        if token not in _NEGATIONS
    ]


def word_features(found: Sequence[str]) -> dict[str, Iterable[str]]:
    """Return the runs of one to three tokens, and ordered pairs of words with one to four words between them: these
    capture who does what, despite paraphrase."""
    word_tokens = [token for token in found if token[-1].isalnum()]
    near = [
        f"{first}~{other}"
        for distance in _NEAR
        for first, other in zip(word_tokens, word_tokens[distance:], strict=False)
    ]
    return {WORDS: runs(found, _WORDS), "pairs": near}


def features(text: str) -> Features:
    """Return the features of a plain text: its words, and runs of 2 to 5 characters inside words, the spaces around
    them counted."""
    letters: list[str] = []
    for padded in (f" {word} " for word in text.split()):
        for length in _CHARACTERS:
            if length >= len(padded):
                letters.append(padded)
                break
            letters += [padded[start : start + length] for start in range(len(padded) - length + 1)]
    return text_features({"characters": letters, **word_features(tokens(text))})


class NearExample(NamedTuple):
    """A marked example (its number in the file) and how alike it is, from 0 to 1."""

    example: int
    label: str
    likeness: float


class Score(NamedTuple):
    """The model's verdict on one answer: the most likely label, its `probability` and whether that suffices; the
    nearest example of each label; the words with the largest weights, in descending order; whether most of the answer's
    words occur in the marked examples."""

    label: str
    probability: float
    decided: bool
    near: tuple[NearExample, ...]
    words: tuple[str, ...]
    is_understood: bool = True


class Scorer(Linear):
    """A frozen model, ready to score answers. It keeps the words of all marked examples by feature: an answer has few
    of the many, and only the examples that share one are looked at."""

    def __init__(self, data: "Mapping[str, Array]") -> None:
        import numpy as np

        super().__init__(data)
        self._thresholds, self._floors = data["thresholds"], data["floors"]
        self._example_labels = labels = data["example_labels"]
        self._of_topic = [np.flatnonzero(data["example_topics"] == topic) for topic in range(len(self.topics))]
        self._telling = [topic_rows[labels[topic_rows] < WRONG] for topic_rows in self._of_topic]
        columns = data["example_columns"]
        by_column = np.argsort(columns, kind="stable")
        self._example_weights = data["example_weights"][by_column].astype(np.float64)
        self._rows = np.repeat(np.arange(len(labels)), np.diff(data["example_ends"], prepend=0))[by_column]
        width = len(self.vocabulary.names[WORDS])
        self._starts = np.concatenate(([0], np.cumsum(np.bincount(columns, minlength=width))))
        first = self.vocabulary.starts[WORDS]
        self._word_idf = np.array(self.vocabulary.idf[first : first + width])

    def score(self, topic: str, text: str, values: Iterable[str] = ()) -> Score:
        """Return the verdict on a normalised text as an answer to a question. Raises ValueError for an unknown one."""
        import numpy as np

        plain = model_input(text, values)
        row = self.vocabulary.row(features(plain))
        words = row.places[WORDS]
        columns = np.array(row.columns[words], dtype=np.int64) - self.vocabulary.starts[WORDS]
        parts, number = self.parts(topic, row), self.topics.index(topic)
        probabilities = shares_of(self.odds(topic, parts))
        label = int(probabilities.argmax())
        near = tuple(self._nearest(number, self._likeness(columns, np.array(row.weights[words]))))
        like = {candidate.label: candidate.likeness for candidate in near}
        own_likeness = like.get(LABELS[label], 0.0)
        # Points are withheld only where most words are known and an example of that label is nearer than any right one.
        is_understood = self._knows_most_words(plain)
        may_withhold = own_likeness >= like.get(LABELS[0], 0.0) and is_understood
        is_like = own_likeness >= self._floors[label] and (label == 0 or may_withhold)
        is_marked = [candidate.label for candidate in near if candidate.likeness > _SAME] == [LABELS[label]]
        heavy = columns[np.argsort(-parts[words, label], kind="stable")[:4]].tolist()
        return Score(
            label=LABELS[label],
            probability=float(probabilities[label]),
            decided=is_like and (is_marked or bool(probabilities[label] >= self._thresholds[number, label])),
            near=near,
            words=tuple(self.vocabulary.names[WORDS][column] for column in heavy),
            is_understood=is_understood,
        )

    def _knows_most_words(self, text: str) -> bool:
        """Return whether more than half of the words of a text, if it has several, occur in the marked examples. Those
        of an answer in another language do not."""
        words = [word for token in tokens(text) if LONG_WORD.fullmatch(word := token.removeprefix(NEGATED))]
        known_flags = [any(self.vocabulary.knows(WORDS, sign + word) for sign in ("", NEGATED)) for word in words]
        return len(words) < _FEWEST_WORDS or sum(known_flags) > len(words) / 2

    @memoise
    def topic_likeness(self, text: str) -> Mapping[str, float]:
        """Return how much a normalised text is about each question: the mean similarity to the six nearest examples,
        without incorrect ones, as these may be about another question. Words that occur in no example reduce it;
        numbers and signs say nothing."""
        import numpy as np

        found = text_features({WORDS: filter(LONG_WORD.search, runs(tokens(model_input(text)), _WORDS))})
        row = self.vocabulary.row(found)
        columns = np.array(row.columns, dtype=np.int64) - self.vocabulary.starts[WORDS]
        unknown = len(found[WORDS]) - len(columns)
        known_weight = float((self._word_idf[columns] ** 2).sum())
        share = float(
            np.sqrt(known_weight / max(known_weight + unknown * _UNKNOWN * float(self._word_idf.max()) ** 2, 1e-9))
        )
        likeness = self._likeness(columns, np.array(row.weights))
        nearest = (np.sort(likeness[topic_rows])[-6:] for topic_rows in self._telling)
        return MappingProxyType(
            {
                topic: share * float(top_likeness.mean())
                for topic, top_likeness in zip(self.topics, nearest, strict=True)
            }
        )

    def _likeness(self, columns: "Array", weights: "Array") -> "Array":
        """Return the similarity of an answer, by its words, to each example, from 0 to 1."""
        import numpy as np

        starts = self._starts[columns]
        sizes = self._starts[columns + 1] - starts
        before = np.cumsum(sizes) - sizes
        places = np.repeat(starts - before, sizes) + np.arange(int(sizes.sum()))
        products = np.repeat(weights, sizes) * self._example_weights[places]
        return np.bincount(self._rows[places], products, minlength=len(self._example_labels))

    def _nearest(self, topic: int, likeness: "Array") -> Iterator[NearExample]:
        of_topic = self._of_topic[topic]
        for label, name in enumerate(LABELS):
            label_rows = of_topic[self._example_labels[of_topic] == label]
            if len(label_rows):
                best = int(label_rows[likeness[label_rows].argmax()])
                yield NearExample(best, name, float(likeness[best]))


@lru_cache(maxsize=4)
def load_scorer(path: Path, sha256: str) -> Scorer:
    """Return the model in a file, cached per process; `sha256` identifies the version of the file. Raises OSError,
    ValueError."""
    return Scorer(read_arrays(path))

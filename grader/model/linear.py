"""A frozen linear model of text: features, their weights for the labels of each topic, and the file that holds them.

A text is seen as groups of named features. A feature weighs more the oftener it occurs and the rarer it is in the
marked texts (TF-IDF), and each group has a length of its own, so that many letters do not outvote few words. The file
is a table of numbers (`numpy`, read without pickle, no code); `grader.training` makes it.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import accumulate
from math import log, sqrt
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Final, NamedTuple

if TYPE_CHECKING:
    import numpy as np

    Array = np.ndarray[Any, Any]

FORM: Final = 4
"""Version of the file format and of the features; a model in another format has to be trained again."""

Features = Mapping[str, Mapping[str, float]]
"""By group and name, how much each feature of a text counts: 1 for one occurrence."""


def text_features(groups: Mapping[str, Iterable[str]]) -> Features:
    """Return the features of a text, given the names that occur in each group."""
    return {
        group: {name: 1 + log(times) for name, times in Counter(group_names).items()}
        for group, group_names in groups.items()
    }


def runs(words: Sequence[str], lengths: Iterable[int]) -> list[str]:
    """Return the words that follow each other, so many at a time."""
    return [" ".join(words[start : start + size]) for size in lengths for start in range(len(words) - size + 1)]


class Row(NamedTuple):
    """A text in numbers: the columns of its known features, ascending within each group, and their weights; the place
    of each group among them, and the share of its features that is known."""

    columns: list[int]
    weights: list[float]
    places: dict[str, slice]
    known: dict[str, float]


class Vocabulary:
    """The features that a model knows: by group their names, the first column, and how much the group weighs; by column
    how telling a feature is."""

    def __init__(self, names: Mapping[str, Sequence[str]], idf: Sequence[float], shares: Mapping[str, float]) -> None:
        self.names, self.idf, self.shares = names, idf, shares
        self.starts = dict(zip(names, accumulate(map(len, names.values()), initial=0), strict=False))
        self._columns = {
            group: {name: column for column, name in enumerate(group_names, self.starts[group])}
            for group, group_names in names.items()
        }

    def knows(self, group: str, name: str) -> bool:
        """Return whether a feature occurs in what the model was trained on."""
        return name in self._columns[group]

    def row(self, found: Features) -> Row:
        """Return a text in numbers. Sums go by column, so that they are the same in every process."""
        row = Row([], [], {}, {})
        for group, columns in self._columns.items():
            group_features, start = found.get(group, {}), len(row.columns)
            known_columns = sorted(
                (column, value * self.idf[column])
                for column, value in zip(map(columns.get, group_features), group_features.values(), strict=True)
                if column is not None
            )
            scale = self.shares[group] / (sqrt(sum([weight * weight for _, weight in known_columns])) or 1)
            row.columns.extend([column for column, _ in known_columns])
            row.weights.extend([weight * scale for _, weight in known_columns])
            row.places[group] = slice(start, len(row.columns))
            row.known[group] = len(known_columns) / max(len(group_features), 1)
        return row


class Linear:
    """A frozen model, ready to judge texts: what each feature says for each label, by topic."""

    def __init__(self, data: "Mapping[str, Array]") -> None:
        import numpy as np

        if int(data["form"]) != FORM:
            raise ValueError("the frozen model is of another form")
        self.topics, self.labels, groups = (
            tuple(str(entry) for entry in data[name]) for name in ("topics", "labels", "groups")
        )
        self.inputs = str(data["inputs"])
        names = iter(data["names"].tobytes().decode().split("\n"))
        sizes = zip(groups, data["sizes"].tolist(), strict=True)
        listed = {group: [next(names) for _ in range(size)] for group, size in sizes}
        shares = dict(zip(groups, data["shares"].tolist(), strict=True))
        self.vocabulary = Vocabulary(listed, data["idf"].astype(np.float64).tolist(), shares)
        self._weights = np.ascontiguousarray(data["weights"].transpose(0, 2, 1))
        self._scales, self._intercepts = data["scales"].astype(np.float64), data["intercepts"].astype(np.float64)

    def parts(self, topic: str, row: Row) -> "Array":
        """Return what each feature of a text says for each label. Raises ValueError for an unknown topic."""
        import numpy as np

        number = self.topics.index(topic)
        parts: Array = self._weights[number][row.columns] * np.array(row.weights)[:, None] * self._scales[number]
        return parts

    def odds(self, topic: str, parts: "Array") -> "Array":
        """Return the logarithmic odds of the labels, given what the features say."""
        odds: Array = self._intercepts[self.topics.index(topic)] + parts.sum(axis=0)
        return odds


def shares_of(odds: "Array") -> "Array":
    """Return the probabilities of labels from their odds, for one text or a row of odds for each."""
    import numpy as np

    powers = np.exp(odds - odds.max(axis=-1, keepdims=True))
    return np.asarray(powers / powers.sum(axis=-1, keepdims=True))


def read_arrays(file: Path | IO[bytes]) -> "Mapping[str, Array]":
    """Return what a frozen file holds. Raises OSError, ValueError."""
    import numpy as np

    with np.load(file, allow_pickle=False) as data:
        return {name: data[name] for name in data.files}

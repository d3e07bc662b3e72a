"""The frozen model: of a sentence, how likely it says each of the things that it can say about a matter.

The model is a table of numbers (`numpy`, no code), made by `grader.training.sentences` from the marked sentences that
lie beside it.
"""

from collections.abc import Iterable, Mapping
from functools import lru_cache
from math import prod
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from grader.claims.meaning.features import DATA, GROUPS, features
from grader.claims.meaning.tokens import Tokens

if TYPE_CHECKING:
    import numpy as np

FORM: Final = 1
"""Of the frozen file and of the features; one of another form has to be trained anew."""
MODEL: Final = DATA / "sentences.npz"
NOTHING: Final = "none"
"""The label of a sentence that says nothing about a matter."""
SIGNALS: Final = 5


class Meaning(NamedTuple):
    """What a sentence says: the likeliest label, how far that can be trusted (0 to 1, as measured on sentences of
    other writers), and the probability of every label, which agrees with that."""

    label: str
    trust: float
    probabilities: Mapping[str, float]


class Topic:
    """What the model knows about one matter. `labels` are what a sentence can say, one of them that it says nothing."""

    def __init__(self, data: "Mapping[str, np.ndarray[Any, Any]]", name: str) -> None:
        import numpy as np

        def of(part: str) -> "np.ndarray[Any, Any]":
            return data[f"{name}.{part}"]

        self.labels = tuple(str(one) for one in of("labels"))
        names = of("features").tobytes().decode().split("\n")
        self._columns = {name: column for column, name in enumerate(names)}
        self._idf = of("idf").astype(np.float64)
        self._weights = of("weights").astype(np.float64) * of("scales").astype(np.float64)[:, None]
        self._intercepts = of("intercepts")
        self._gate = of("gate")

    def read(self, tokens: Tokens) -> Meaning:
        """What a sentence says. Of two that are compared the labels `first` and `second` are meant by their place."""
        import numpy as np

        found = features(tokens)
        columns, values, known = vector(found, self._columns, self._idf)
        odds = self._intercepts + self._weights[:, columns] @ values
        signals = signals_of(odds, known, len(tokens.words))
        middle, scale, weights = self._gate
        trust = 1 / (1 + float(np.exp(-(((signals - middle[:-1]) / scale[:-1]) @ weights[:-1] + weights[-1]))))
        return settled(self.labels, odds, trust)


def settled(labels: tuple[str, ...], odds: "np.ndarray[Any, Any]", trust: float) -> Meaning:
    """The likeliest label with the trust that it has, and what is left for the others, shared as the model would."""
    import numpy as np

    shares = np.exp(odds - odds.max())
    best = int(shares.argmax())
    rest = shares.sum() - shares[best]
    shared = shares * ((1 - trust) / max(float(rest), 1e-12))
    shared[best] = trust
    return Meaning(labels[best], trust, dict(zip(labels, map(float, shared), strict=True)))


def vector(
    found: Mapping[tuple[str, str], float], columns: Mapping[str, int], idf: "np.ndarray[Any, Any]"
) -> "tuple[np.ndarray[Any, Any], np.ndarray[Any, Any], float]":
    """The columns of a sentence's known features and their weights, each group of its own length; and the share of its
    words that are known."""
    import numpy as np

    groups: dict[str, list[tuple[int, float]]] = {group: [] for group in GROUPS}
    words = known = 0
    for (group, name), value in found.items():
        column = columns.get(f"{group}:{name}")
        if group == "word":
            words, known = words + 1, known + (column is not None)
        if column is not None:
            groups[group].append((column, value))
    places, weights = [], []
    for group, own in groups.items():
        if own:
            at = np.array(sorted(own))
            weighed = at[:, 1] * idf[at[:, 0].astype(np.int64)]
            places.append(at[:, 0].astype(np.int64))
            weights.append(GROUPS[group] * weighed / np.sqrt((weighed**2).sum()))
    if not places:
        return np.zeros(0, dtype=np.int64), np.zeros(0), 0.0
    return np.concatenate(places), np.concatenate(weights), known / max(words, 1)


def signals_of(odds: "np.ndarray[Any, Any]", known: float, length: int) -> "np.ndarray[Any, Any]":
    """What tells whether the likeliest label is right: its odds against all others and against the next one, whether it
    is the last label (nothing is said), the share of words that are known, and the length."""
    import numpy as np

    order = np.sort(odds)[::-1]
    against_all = order[0] - np.log(np.exp(order[1:] - order[0]).sum()) - order[0]
    return np.array(
        [against_all, order[0] - order[1], float(odds.argmax() == len(odds) - 1), known, float(np.log1p(length))]
    )


def together(shares: Iterable[float]) -> float:
    """How likely one statement at least says something that each of some says with a likelihood; the surest few count,
    since many unlikely ones are no evidence."""
    return 1 - prod(1 - share for share in sorted(shares, reverse=True)[:_MOST])


_MOST: Final = 3


@lru_cache(maxsize=1)
def topics() -> Mapping[str, Topic]:
    """The matters of the shipped model by their names, read once for a process. Raises OSError, ValueError."""
    import numpy as np

    with np.load(MODEL, allow_pickle=False) as data:
        if int(data["form"]) != FORM:
            raise ValueError("the frozen model of sentences is of another form: make it anew (make sentences)")
        arrays = {name: data[name] for name in data.files}
    return {str(name): Topic(arrays, str(name)) for name in arrays["topics"]}

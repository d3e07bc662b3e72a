"""Sentences: what a model sees of one, and what the sentence says of a matter, with how far that can be trusted."""

import tomllib
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from math import exp, log, log1p, prod
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from grader.frozen import memoise
from grader.language.folding import fold_text
from grader.language.stems import stems
from grader.model.linear import Features, Linear, read_arrays, runs, text_features

if TYPE_CHECKING:
    import numpy as np

    Array = np.ndarray[Any, Any]

FIRST: Final = "<first>"
SECOND: Final = "<second>"
EXPERIMENT: Final = "<experiment>"
VALID: Final = "<valid>"
TEST: Final = "<test>"
ACCURACY: Final = "accuracy"
"""The word for any measure."""
PLACEHOLDERS: Final = frozenset({FIRST, SECOND, EXPERIMENT, VALID, TEST})
NOTHING: Final = "none"
"""The label of a sentence that says nothing about a matter."""
CHOICE: Final = "choice"
COMPARISON: Final = "comparison"
LABELS: Final[Mapping[str, tuple[str, ...]]] = {
    CHOICE: ("valid", "test", "last", "other", NOTHING),
    COMPARISON: ("first", "second", "neither", NOTHING),
}
"""The matters, and what a sentence can say about each."""
DATA: Final = Path(__file__).with_name("data")
GROUPS: Final = {"word": 1.0, "words": 0.6, "place": 1.0, "family": 1.0, "families": 0.6, "letters": 1.0, "names": 1.0}
"""The groups of features with how much each weighs."""
_WORDS: Final = range(2, 4)
_LETTERS: Final = range(3, 6)
_REACH: Final = 8
"""Two word families this many tokens apart are a pair."""
_SIGNS: Final = frozenset(",.;:?!<>=()->±→")
_REGIONS: Final = ("before", "between", "behind")


class Tokens(NamedTuple):
    """The tokens of a sentence. `lead` is the experiment that is named first, of two that are compared; "" where none
    is named, or where nothing is compared. `judging` are the words without those of size, where a sentence judges and
    says of the measure that it is higher or lower; `is_at_odds` where it does so of one by the contrary: `better: its
    accuracy is lower`."""

    words: tuple[str, ...]
    lead: str = ""
    judging: tuple[str, ...] | None = None
    is_at_odds: bool = False

    @property
    def is_measured(self) -> bool:
        """Whether it names a measure, which is read as an accuracy."""
        return ACCURACY in self.words


@lru_cache(maxsize=1_000)  # several matters are asked about the same sentence
def features(tokens: Tokens) -> Features:
    """Return the features of a sentence: its words by their stems, their letters, where they stand to the names, and
    the families that they belong to, alone and in pairs."""
    words = tokens.words
    named = {FIRST, SECOND} if tokens.lead else {VALID, TEST}
    places = [place for place, word in enumerate(words) if word in named]
    first = places[0] if places else 0
    other = next((place for place in places if words[place] != words[first]), len(words))
    kind = f"{words[first]}{2 if other < len(words) else 1}" if places else "0"
    regions = [_REGIONS[(place >= first) + (place >= other)] for place in range(len(words))]
    stemmed = [_stem(word) for word in words]
    plain = [place for place, word in enumerate(words) if word not in PLACEHOLDERS]
    signs = [word for word in words if word in PLACEHOLDERS]
    seen = [(word,) if word in PLACEHOLDERS or word in _SIGNS else families(word) for word in words]
    placed_families = [(place, family) for place, word_families in enumerate(seen) for family in word_families]
    near = runs([word_families[0] for word_families in seen if word_families], _WORDS)
    for number, (place, family) in enumerate(placed_families):
        for further, later in placed_families[number + 1 :]:
            if further - place > _REACH:
                break
            near.append(f"{family} ~ {later}")
    return text_features(
        {
            "word": stemmed,
            "words": runs(stemmed, _WORDS),
            "place": [f"{kind} {regions[place]} {stemmed[place]}" for place in plain],
            "family": _once(
                text for at, family in placed_families for text in (family, f"{kind} {regions[at]} {family}")
            ),
            "families": _once(near),
            "letters": [run for place in plain for run in _letter_runs(words[place])],
            "names": _once((kind, f"lead {tokens.lead}", f"{kind} {tokens.lead}", *signs, " ".join(signs)[:60])),
        }
    )


def _once(names: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(names))


@lru_cache(maxsize=20_000)
def _letter_runs(word: str) -> tuple[str, ...]:
    padded = f" {word} "
    ends = ((start, size) for size in _LETTERS for start in range(max(1, len(padded) - size + 1)))
    return tuple(padded[start : start + size] for start, size in ends) if word.isalpha() else ()


@lru_cache(maxsize=20_000)
def _stem(word: str) -> str:
    if word in PLACEHOLDERS or not word.isalpha():
        return word
    return min(stems(word), key=lambda stem: (len(stem), stem))


@lru_cache(maxsize=20_000)
def families(word: str) -> tuple[str, ...]:
    """Return the families of words that mean much the same, in any of the languages, that a word belongs to."""
    if not word.isalpha():
        return ()
    families_by_stem = _families()
    meant = {family for stem in stems(word) for family in families_by_stem.get(stem, ())}
    return tuple(sorted(meant - families_by_stem.get(f"-{fold_text(word)}", set())))


@lru_cache(maxsize=1)
def _families() -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for family, words in tomllib.loads((DATA / "families.toml").read_text(encoding="utf-8")).items():
        for word in words.split():
            for stem in [word] if word.startswith("-") else stems(fold_text(word)):
                found.setdefault(stem, set()).add(family)
    return found


class Meaning(NamedTuple):
    """The meaning of a sentence: the likeliest label, how far it can be trusted (0 to 1, as measured on sentences of
    other writers), and the probability of every label, which agrees with that trust."""

    label: str
    trust: float
    probabilities: Mapping[str, float]


class Topic(Linear):
    """A frozen model of one matter. One of its labels is that a sentence says nothing about it."""

    def __init__(self, data: "Mapping[str, Array]") -> None:
        super().__init__(data)
        self._gate = data["gate"]

    @memoise
    def read(self, tokens: Tokens) -> Meaning:
        """Return what a sentence says. Of two that are compared the labels `first` and `second` are meant by their
        place."""
        row = self.vocabulary.row(features(tokens))
        odds = self.odds(self.topics[0], self.parts(self.topics[0], row))
        trust = float(trust_of(self._gate, signals_of(odds, row.known["word"], len(tokens.words))))
        return likeliest_label(self.labels, odds, trust)


def likeliest_label(labels: Sequence[str], odds: "Array", trust: float) -> Meaning:
    """Return the likeliest label with the trust that it has, and what is left for the others, shared as the model
    would."""
    import numpy as np

    shares = np.exp(odds - odds.max())
    best = int(shares.argmax())
    rest = shares.sum() - shares[best]
    shared = shares * ((1 - trust) / max(float(rest), 1e-12))
    shared[best] = trust
    return Meaning(labels[best], trust, dict(zip(labels, map(float, shared), strict=True)))


SIGNALS: Final = 5


def signals_of(odds: "Array", known_share: float, length: int) -> "Array":
    """Return what tells whether the likeliest label is right: its odds against all others and against the next one,
    whether it is the last label (nothing is said), the share of words that are known, and the length."""
    import numpy as np

    first, *rest = sorted(odds.tolist(), reverse=True)
    against_all = -log(sum(exp(other - first) for other in rest))
    return np.array([against_all, first - rest[0], float(odds[-1] == first), known_share, log1p(length)])


def trust_of(gate: "Array", signals: "Array") -> "Array":
    """Return how far a verdict can be trusted, from 0 to 1, by the signals of one or a row of signals for each; a gate
    holds the middles, scales and weights of signals, the constant last."""
    import numpy as np

    middle, scale, weights = gate
    return np.asarray(1 / (1 + np.exp(-(((signals - middle[:-1]) / scale[:-1]) @ weights[:-1] + weights[-1]))))


def probability_of_any(shares: Iterable[float]) -> float:
    """Return how likely one statement at least says something that each of some says with a likelihood; the surest few
    count, since many unlikely ones are no evidence."""
    return 1 - prod(1 - share for share in sorted(shares, reverse=True)[:_MOST])


_MOST: Final = 3


@lru_cache(maxsize=1)
def topics() -> Mapping[str, Topic]:
    """Return the shipped models by their matters, read once for a process. Raises OSError, ValueError."""
    return {name: Topic(read_arrays(DATA / f"{name}.npz")) for name in LABELS}

"""What a sentence says about a matter, and how likely: a frozen model, and what it sees of a sentence.

The model is a table of numbers (`numpy`, no code), made by `grader.training.sentences` from the marked sentences that
lie beside it.
"""

import re
import tomllib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from functools import lru_cache
from math import exp, log, log1p, prod, sqrt
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from grader.claims.results.vocabulary import Kind, Mention, stems
from grader.frozen import remembered
from grader.lab.definition import Lab
from grader.lab.experiments import Measure
from grader.language.folding import folded

if TYPE_CHECKING:
    import numpy as np

FIRST: Final = "<first>"
SECOND: Final = "<second>"
EXPERIMENT: Final = "<experiment>"
VALID: Final = "<valid>"
TEST: Final = "<test>"
PLACEHOLDERS: Final = frozenset({FIRST, SECOND, EXPERIMENT, VALID, TEST})
LONGEST: Final = 800
"""Characters of a statement that are read."""

_TOKEN: Final = re.compile(r"[^\W\d_]+|\d+(?:[.,]\d+)?|%|->|[<>=≈≤≥±→]|[.;:,!?()]|[+-](?=\s?\d)")


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
        return _ACCURACY in self.words


def choice_tokens(text: str, found: Sequence[Mention], lab: Lab, measure: Measure) -> Tokens:
    """The tokens of a sentence that may tell how a checkpoint was chosen: all experiments are alike."""
    return _said_of_accuracy(Tokens(_tokens(text, found, {}, lab)), measure, lab)


def comparison_tokens(text: str, found: Sequence[Mention], two: tuple[str, str], lab: Lab, measure: Measure) -> Tokens:
    """The tokens of a sentence that may compare two experiments by a measure. The one that is named first is told from
    the other one, whichever it is, so that what is learned of one holds for the other."""
    named = [one.value for one in found if one.kind is Kind.EXPERIMENT and one.value in two]
    if not named:
        return _said_of_accuracy(Tokens(_tokens(text, found, {}, lab)), measure, lab)
    other = two[1] if named[0] == two[0] else two[0]
    tokens = _tokens(text, found, {named[0]: FIRST, other: SECOND}, lab)
    return _said_of_accuracy(Tokens(tokens, named[0]), measure, lab)


def _tokens(text: str, found: Sequence[Mention], names: Mapping[str, str], lab: Lab) -> tuple[str, ...]:
    tokens: list[str] = []
    position = 0
    splits = {**dict.fromkeys(lab.reported, TEST), **({lab.selecting: VALID} if lab.selecting else {})}
    for one in found:
        if one.kind not in (Kind.EXPERIMENT, Kind.SPLIT) or one.start < position or one.start > LONGEST:
            continue
        name = names.get(one.value, EXPERIMENT) if one.kind is Kind.EXPERIMENT else splits.get(one.value)
        if name is not None:
            tokens += [*_plain(text[position : one.start]), name]
            position = one.end
    return (*tokens, *_plain(text[position:LONGEST]))


def _said_of_accuracy(sentence: Tokens, measure: Measure, lab: Lab) -> Tokens:
    """What is said of a measure as it would be said of an accuracy, of which the marked sentences speak: of a
    perplexity that is lower, that the accuracy is higher; of an error that is below another, that it is above."""
    words = sentence.words
    if not measure.is_counted:
        words = _renamed(_turned(words, measure, lab) if measure.is_lower_better else words, measure)
    sizes = {at for at in _near_measure(words, measure) if _opposite(words[at]) != words[at]}
    judging = {at for at, word in enumerate(words) if at not in sizes and not _JUDGING.isdisjoint(families(word))}
    if not sizes or not judging:
        return sentence._replace(words=words)
    judged = tuple(word for at, word in enumerate(words) if at not in sizes)
    return sentence._replace(words=words, judging=judged, is_at_odds=_is_at_odds(words, sizes, judging))


def _is_at_odds(words: Sequence[str], sizes: Set[int], judging: Set[int]) -> bool:
    """Whether a sentence on one experiment alone calls it better and its figures worse, or the contrary."""
    if not {FIRST, SECOND} & set(words) or {FIRST, SECOND} <= set(words) or not _OWN & set(words):
        return False
    if any("not" in families(word) for word in words):
        return False
    called = {"worse" not in families(words[at]) for at in judging}
    figures = {words[at] not in _lows() for at in sizes}
    return len(called) == len(figures) == 1 and called != figures


_OWN: Final = frozenset({"its", "their", "son", "sa", "ses", "leur", "leurs"})


def _near_measure(words: Sequence[str], measure: Measure) -> frozenset[int]:
    """The places near a measure's name."""
    first = [name[0] for name in _names(measure)] if measure.is_counted else [_ACCURACY]
    places = [at for at, word in enumerate(words) if word.startswith(tuple(first))]
    return frozenset(at for at in range(len(words)) if any(abs(at - one) <= _NEAR for one in places))


def is_of_worst(tokens: Tokens, measure: Measure) -> bool:
    """Whether a sentence speaks of the worst value of a measure alone: of the lowest accuracy or the highest error."""
    words = tokens.words
    near = _near_measure(words, measure)
    if any(not _OTHER_FIGURES.isdisjoint(families(word)) for word in words):
        return False
    if any("best" in families(words[at]) for at in near):
        return False
    lows = {at for at in near if words[at] in _lows() and "ckpt" not in families("".join(words[at + 1 : at + 2]))}
    is_least = any("best" in families(_opposite(words[at])) or "plus" in words[at - 1 : at] for at in lows)
    return is_least or any(words[at] in _contraries()["worst"] for at in near)


_OTHER_FIGURES: Final = frozenset({"loss", "spread", "speed", "not"})


@lru_cache(maxsize=1)
def _lows() -> frozenset[str]:
    """The words for less."""
    return frozenset(folded(low) for _, low in _contraries()["pairs"])


def _renamed(words: tuple[str, ...], measure: Measure) -> tuple[str, ...]:
    """Words with `accuracy` for a measure's names; beside one, the contrary words of size where less is better."""
    places = _places(words, _names(measure))
    if not places:
        return words
    said: list[str] = []
    end = 0
    for at, word in enumerate(words):
        if at >= end and at in places:
            end = at + len(places[at])
            said.append(_ACCURACY)
        elif at >= end:
            said.append(_opposite(word) if measure.is_lower_better else word)
    return tuple(said)


def _places(words: tuple[str, ...], names: Iterable[tuple[str, ...]]) -> dict[int, tuple[str, ...]]:
    return {at: name for at in range(len(words)) for name in names if words[at : at + len(name)] == name}


def _names(measure: Measure) -> tuple[tuple[str, ...], ...]:
    """The names of a measure in the words of a sentence."""
    common = _contraries()["measured"] if measure.is_lower_better else ()
    return _in_words((*measure.words, measure.title, *common))


@lru_cache(maxsize=100)
def _in_words(names: tuple[str, ...]) -> tuple[tuple[str, ...], ...]:
    return tuple(tuple(_plain(name.replace("(s)", "").replace("*", ""))) for name in names)


def _turned(words: tuple[str, ...], measure: Measure, lab: Lab) -> tuple[str, ...]:
    """Words with signs that compare turned round, where they stand between two values or names (not in `p < 0.05`) and
    no other measure is named."""
    places = [at for at, word in enumerate(words) if at and word in _TURNED and _is_compared(words[at - 1])]
    others = (name for one in lab.measured if one.id != measure.id for name in _names(one))
    if not places or _ACCURACY in words or _places(words, others):
        return words
    return tuple(_TURNED[word] if at in places else word for at, word in enumerate(words))


def _is_compared(word: str) -> bool:
    return word in PLACEHOLDERS or word[0] in "#)%<>"


_TURNED: Final = {"<": ">", ">": "<", "≤": "≥", "≥": "≤"}
_NEAR: Final = 4
_ACCURACY: Final = "accuracy"
_JUDGING: Final = frozenset({"better", "worse", "best"})
"""The families of words that judge."""


def _opposite(word: str) -> str:
    """The word for the contrary size or direction: `lower` of `higher`; other words as they are."""
    return next((other for stem in stems(word) if (other := _opposites().get(stem))), word) if word.isalpha() else word


@lru_cache(maxsize=1)
def _contraries() -> Mapping[str, Any]:
    return tomllib.loads((DATA / "opposites.toml").read_text(encoding="utf-8"))


@lru_cache(maxsize=1)
def _opposites() -> dict[str, str]:
    """Words of size and direction by the stems of their contrary."""
    both = ((one, other) for pair in _contraries()["pairs"] for one, other in (pair, pair[::-1]))
    return {stem: folded(other) for one, other in both for stem in stems(folded(one))}


def _plain(text: str) -> list[str]:
    return [_number(token) if token[0].isdigit() else folded(token) for token in _TOKEN.findall(text)]


def _number(token: str) -> str:
    """The kind of a number: a fraction, a small or a large one, one that may be an accuracy in percent."""
    value, is_decimal = float(token.replace(",", ".")), not token.isdigit()
    kinds = (
        (1, "#fraction" if is_decimal else "#digit"),
        (11, "#small" if is_decimal else "#digit"),
        (45, "#small" if is_decimal else "#low"),
        (100.01, "#accuracy" if is_decimal else "#percent"),
    )
    return next((name for end, name in kinds if value < end), "#large")


DATA: Final = Path(__file__).with_name("data")
GROUPS: Final = {"word": 1.0, "words": 0.6, "place": 1.0, "family": 1.0, "families": 0.6, "letters": 1.0, "names": 1.0}
"""Kinds of features with how much those of a kind weigh together."""
_WORDS: Final = 3
_LETTERS: Final = range(3, 6)
_REACH: Final = 8
"""Two word families this many tokens apart are a pair."""
_SIGNS: Final = frozenset(",.;:?!<>=()->±→")
_REGIONS: Final = ("before", "between", "behind")


Features = Mapping[str, Mapping[str, float]]
"""By group and name, how much each feature of a sentence counts: 1 for one occurrence."""


@lru_cache(maxsize=1_000)  # several matters are asked about the same sentence
def features(tokens: Tokens) -> Features:
    """The features of a sentence."""
    words = tokens.words
    named = {FIRST, SECOND} if tokens.lead else {VALID, TEST}
    places = [place for place, word in enumerate(words) if word in named]
    first = places[0] if places else 0
    other = next((place for place in places if words[place] != words[first]), len(words))
    kind = f"{words[first]}{2 if other < len(words) else 1}" if places else "0"
    regions = [_REGIONS[(place >= first) + (place >= other)] for place in range(len(words))]
    stemmed = [_stem(word) for word in words]
    family, families_of = _of_families(words, regions, kind)
    signs = [word for word in words if word in PLACEHOLDERS]
    said = [
        (word, f"{kind} {region} {stem}")
        for word, region, stem in zip(words, regions, stemmed, strict=True)
        if word not in PLACEHOLDERS
    ]
    found: dict[str, Iterable[str]] = {
        "word": stemmed,
        "words": _runs(stemmed),
        "place": [place for _, place in said],
        "family": family,
        "families": families_of,
        "letters": [run for word, _ in said for run in _letter_runs(word)],
        "names": _once((kind, f"lead {tokens.lead}", f"{kind} {tokens.lead}", *signs, " ".join(signs)[:60])),
    }
    return {group: {name: 1 + log(times) for name, times in Counter(own).items()} for group, own in found.items()}


def _runs(words: list[str]) -> Iterator[str]:
    """Two or more words that follow each other."""
    for length in range(2, _WORDS + 1):
        for start in range(len(words) - length + 1):
            yield " ".join(words[start : start + length])


@lru_cache(maxsize=20_000)
def _letter_runs(word: str) -> tuple[str, ...]:
    if not word.isalpha():
        return ()
    padded = f" {word} "
    return tuple(
        padded[start : start + length] for length in _LETTERS for start in range(max(1, len(padded) - length + 1))
    )


def _of_families(words: tuple[str, ...], regions: list[str], kind: str) -> tuple[list[str], list[str]]:
    """Families alone and by their region; in runs, and in ordered pairs that stand near each other."""
    seen = [(word,) if word in PLACEHOLDERS or word in _SIGNS else families(word) for word in words]
    told = [(place, family) for place, own in enumerate(seen) for family in own]
    alone = (one for place, family in told for one in (family, f"{kind} {regions[place]} {family}"))
    near = list(_runs([own[0] for own in seen if own]))
    for number, (place, family) in enumerate(told):
        for further, other in told[number + 1 :]:
            if further - place > _REACH:
                break
            near.append(f"{family} ~ {other}")
    return _once(alone), _once(near)


def _once(names: Iterable[str]) -> list[str]:
    """Each name once, in an order that is the same in every process: so are sums over them, to the last digit."""
    return list(dict.fromkeys(names))


@lru_cache(maxsize=20_000)
def _stem(word: str) -> str:
    if word in PLACEHOLDERS or not word.isalpha():
        return word
    return min(stems(word), key=lambda stem: (len(stem), stem))


@lru_cache(maxsize=20_000)
def families(word: str) -> tuple[str, ...]:
    """The families of words that mean much the same, in any of the languages, that a word belongs to."""
    if not word.isalpha():
        return ()
    known = _families()
    return tuple(sorted({family for stem in stems(word) for family in known.get(stem, ())}))


@lru_cache(maxsize=1)
def _families() -> dict[str, frozenset[str]]:
    found: dict[str, set[str]] = {}
    for family, words in tomllib.loads((DATA / "families.toml").read_text(encoding="utf-8")).items():
        for word in words.split():
            for stem in stems(folded(word)):
                found.setdefault(stem, set()).add(family)
    return {stem: frozenset(own) for stem, own in found.items()}


def is_silent(tokens: Tokens) -> bool:
    """Whether a sentence names nothing that chooses, and no word of it is of a known family: it tells no choice."""
    return not any(word in PLACEHOLDERS or families(word) for word in tokens.words)


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
        self._columns = columns_of(of("features").tobytes().decode().split("\n"))
        self._idf = of("idf").astype(np.float64).tolist()
        weights = of("weights").astype(np.float64) * of("scales").astype(np.float64)[:, None]
        self._weights = np.ascontiguousarray(weights.T)
        self._intercepts = of("intercepts")
        self._gate = of("gate")

    @remembered
    def read(self, tokens: Tokens) -> Meaning:
        """What a sentence says. Of two that are compared the labels `first` and `second` are meant by their place."""
        import numpy as np

        found = features(tokens)
        columns, values, known = vector(found, self._columns, self._idf)
        odds = self._intercepts + np.array(values) @ self._weights[columns]
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
    found: Features, columns: Mapping[str, Mapping[str, int]], idf: Sequence[float]
) -> tuple[list[int], list[float], float]:
    """The columns of a sentence's known features and their weights, each group of its own length; and the share of its
    words that are known."""
    places: list[int] = []
    weights: list[float] = []
    known_words = 0
    for group, weight_of_group in GROUPS.items():
        own = found.get(group, {})
        known = [
            (column, value * idf[column])
            for column, value in zip(map(columns.get(group, {}).get, own), own.values(), strict=True)
            if column is not None
        ]
        if known:
            scale = weight_of_group / sqrt(sum([weight * weight for _, weight in known]))
            places += [column for column, _ in known]
            weights += [weight * scale for _, weight in known]
        if group == "word":
            known_words = len(known)
    return places, weights, known_words / max(len(found.get("word", ())), 1)


def columns_of(names: Iterable[str]) -> dict[str, dict[str, int]]:
    """The columns of frozen features, `group:name`, by group and name."""
    found: dict[str, dict[str, int]] = {group: {} for group in GROUPS}
    for column, feature in enumerate(names):
        group, _, name = feature.partition(":")
        found[group][name] = column
    return found


def signals_of(odds: "np.ndarray[Any, Any]", known: float, length: int) -> "np.ndarray[Any, Any]":
    """What tells whether the likeliest label is right: its odds against all others and against the next one, whether it
    is the last label (nothing is said), the share of words that are known, and the length."""
    import numpy as np

    first, *rest = sorted(odds.tolist(), reverse=True)
    against_all = -log(sum(exp(other - first) for other in rest))
    return np.array([against_all, first - rest[0], float(odds[-1] == first), known, log1p(length)])


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

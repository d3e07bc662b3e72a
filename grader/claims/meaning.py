"""Prepare statements for the models of sentences: names become placeholders, and every measure becomes an accuracy."""

import re
import tomllib
from collections.abc import Iterable, Mapping, Sequence, Set
from functools import lru_cache
from itertools import pairwise
from typing import Any, Final

from grader.claims.results.vocabulary import Kind, Mention
from grader.lab.definition import Lab
from grader.lab.experiments import Measure
from grader.language.folding import fold_text
from grader.language.stems import stems
from grader.model.sentences import (
    ACCURACY,
    DATA,
    EXPERIMENT,
    FIRST,
    PLACEHOLDERS,
    SECOND,
    TEST,
    VALID,
    Tokens,
    families,
)

LONGEST: Final = 800
"""The number of characters of a statement that are read."""

_TOKEN: Final = re.compile(r"[^\W\d_]+|\d+(?:[.,]\d+)?|%|->|[<>=≈≤≥±→]|[.;:,!?()]|[+-](?=\s?\d)")


def choice_tokens(text: str, found: Sequence[Mention], lab: Lab, measure: Measure) -> Tokens:
    """Return the tokens of a sentence that may say how a checkpoint was chosen. All experiments have one
    placeholder."""
    return _said_of_accuracy(Tokens(_tokens(text, found, {}, lab)), measure, lab)


def comparison_tokens(text: str, found: Sequence[Mention], two: tuple[str, str], lab: Lab, measure: Measure) -> Tokens:
    """Return the tokens of a sentence that may compare two experiments.

    The experiment that is named first has one placeholder, the other one another, so that the model treats both alike.
    """
    named = [mention.value for mention in found if mention.kind is Kind.EXPERIMENT and mention.value in two]
    if not named:
        return _said_of_accuracy(Tokens(_tokens(text, found, {}, lab)), measure, lab)
    other = two[1] if named[0] == two[0] else two[0]
    tokens = _tokens(text, found, {named[0]: FIRST, other: SECOND}, lab)
    return _said_of_accuracy(Tokens(tokens, named[0]), measure, lab)


def _tokens(text: str, found: Sequence[Mention], names: Mapping[str, str], lab: Lab) -> tuple[str, ...]:
    tokens: list[str] = []
    position = 0
    splits = {**dict.fromkeys(lab.reported, TEST), **({lab.selecting: VALID} if lab.selecting else {})}
    for mention in found:
        if mention.kind not in (Kind.EXPERIMENT, Kind.SPLIT) or mention.start < position or mention.start > LONGEST:
            continue
        name = names.get(mention.value, EXPERIMENT) if mention.kind is Kind.EXPERIMENT else splits.get(mention.value)
        if name is not None:
            tokens += [*_plain(text[position : mention.start]), name]
            position = mention.end
    return (*tokens, *_plain(text[position:LONGEST]))


def _said_of_accuracy(sentence: Tokens, measure: Measure, lab: Lab) -> Tokens:
    """Return a sentence about a measure in the words for an accuracy, because the marked sentences are about
    accuracies.

    A lower perplexity becomes a higher accuracy.
    """
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
    """Whether a sentence about one experiment calls it better and its numbers worse, or the other way round."""
    if not {FIRST, SECOND} & set(words) or {FIRST, SECOND} <= set(words) or not _OWN & set(words):
        return False
    if any("not" in families(word) for word in words):
        return False
    called = {"worse" not in families(words[at]) for at in judging}
    figures = {words[at] not in _lows() for at in sizes}
    return len(called) == len(figures) == 1 and called != figures


_OWN: Final = frozenset({"its", "their", "son", "sa", "ses", "leur", "leurs"})


def _near_measure(words: Sequence[str], measure: Measure) -> frozenset[int]:
    """Return the positions near a measure's name."""
    first = [name[0] for name in _names(measure)] if measure.is_counted else [ACCURACY]
    places = [at for at, word in enumerate(words) if word.startswith(tuple(first))]
    return frozenset(at for at in range(len(words)) if any(abs(at - place) <= _NEAR for place in places))


def is_of_worst(tokens: Tokens, measure: Measure) -> bool:
    """Whether a sentence is only about the worst value of a measure: the lowest accuracy or the highest error."""
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
    """Return the words for less."""
    return frozenset(fold_text(low) for _, low in _contraries()["pairs"])


def _renamed(words: tuple[str, ...], measure: Measure) -> tuple[str, ...]:
    """Return the words with `accuracy` for a measure's names, and with words of size inverted if less is better."""
    places = _places(words, _names(measure))
    if not places:
        return words
    renamed_words: list[str] = []
    end = 0
    for at, word in enumerate(words):
        if at >= end and at in places:
            end = at + len(places[at])
            renamed_words.append(ACCURACY)
        elif at >= end:
            renamed_words.append(_opposite(word) if measure.is_lower_better else word)
    return tuple(renamed_words)


def _places(words: tuple[str, ...], names: Iterable[tuple[str, ...]]) -> dict[int, tuple[str, ...]]:
    return {at: name for at in range(len(words)) for name in names if words[at : at + len(name)] == name}


def _names(measure: Measure) -> tuple[tuple[str, ...], ...]:
    """Return the names of a measure as they occur in sentences."""
    common = _contraries()["measured"] if measure.is_lower_better else ()
    return _in_words((*measure.words, measure.title, *common))


@lru_cache(maxsize=100)
def _in_words(names: tuple[str, ...]) -> tuple[tuple[str, ...], ...]:
    return tuple(tuple(_plain(name.replace("(s)", "").replace("*", ""))) for name in names)


def _turned(words: tuple[str, ...], measure: Measure, lab: Lab) -> tuple[str, ...]:
    """Return the words with comparison signs inverted between two values or names, if no other measure is named."""
    places = [
        at + 1
        for at, (before, word) in enumerate(pairwise(words))
        if word in _TURNED and before[0] in "#)%<>"  # placeholders begin with `<`, and kinds of numbers with `#`
    ]
    others = (name for candidate in lab.measured if candidate.id != measure.id for name in _names(candidate))
    if not places or ACCURACY in words or _places(words, others):
        return words
    return tuple(_TURNED[word] if at in places else word for at, word in enumerate(words))


_TURNED: Final = {"<": ">", ">": "<", "≤": "≥", "≥": "≤"}
_NEAR: Final = 4
_JUDGING: Final = frozenset({"better", "worse", "best"})
"""The families of words that judge."""


def _opposite(word: str) -> str:
    """Return the word for the opposite size or direction, such as `lower` for `higher`. Other words are returned
    unchanged."""
    return next((other for stem in stems(word) if (other := _opposites().get(stem))), word) if word.isalpha() else word


@lru_cache(maxsize=1)
def _contraries() -> Mapping[str, Any]:
    return tomllib.loads((DATA / "opposites.toml").read_text(encoding="utf-8"))


@lru_cache(maxsize=1)
def _opposites() -> dict[str, str]:
    """Return words of size and direction by the stems of their opposites."""
    both = ((first, other) for pair in _contraries()["pairs"] for first, other in (pair, pair[::-1]))
    return {stem: fold_text(other) for first, other in both for stem in stems(fold_text(first))}


def _plain(text: str) -> list[str]:
    return [_number(token) if token[0].isdigit() else fold_text(token) for token in _TOKEN.findall(text)]


def _number(token: str) -> str:
    """Return the kind of a number: a fraction, small, large, or a possible accuracy in percent."""
    value, is_decimal = float(token.replace(",", ".")), not token.isdigit()
    kinds = (
        (1, "#fraction" if is_decimal else "#digit"),
        (11, "#small" if is_decimal else "#digit"),
        (45, "#small" if is_decimal else "#low"),
        (100.01, "#accuracy" if is_decimal else "#percent"),
    )
    return next((name for end, name in kinds if value < end), "#large")


def is_silent(tokens: Tokens) -> bool:
    """Whether a sentence contains no placeholder and no word of a known family, so that it states no choice."""
    return not any(word in PLACEHOLDERS or families(word) for word in tokens.words)

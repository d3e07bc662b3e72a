"""What of a sentence tells its meaning: words, word families and their order, and where they stand to the names."""

import tomllib
from collections import Counter
from collections.abc import Iterator
from functools import lru_cache
from math import log
from pathlib import Path
from typing import Final

from grader.claims.meaning.tokens import FIRST, PLACEHOLDERS, SECOND, TEST, VALID, Tokens
from grader.claims.results.vocabulary import folded, stems

DATA: Final = Path(__file__).with_name("data")
GROUPS: Final = {"word": 1.0, "words": 0.6, "place": 1.0, "family": 1.0, "families": 0.6, "letters": 1.0, "names": 1.0}
"""Kinds of features with how much those of a kind weigh together."""
_WORDS: Final = 3
_LETTERS: Final = range(3, 6)
_REACH: Final = 8
"""Two word families this many tokens apart are a pair."""
_SIGNS: Final = frozenset(",.;:?!<>=()->±→")
_REGIONS: Final = ("before", "between", "behind")


def features(tokens: Tokens) -> dict[tuple[str, str], float]:
    """The features of a sentence, by group and name, with how much they count (1 for one occurrence)."""
    words = tokens.words
    named = {FIRST, SECOND} if tokens.lead else {VALID, TEST}
    places = [place for place, word in enumerate(words) if word in named]
    first = places[0] if places else 0
    other = next((place for place in places if words[place] != words[first]), len(words))
    kind = f"{words[first]}{2 if other < len(words) else 1}" if places else "0"
    regions = [_REGIONS[(place >= first) + (place >= other)] for place in range(len(words))]
    found = Counter(("words" if " " in name else "word", name) for name in _runs([_stem(word) for word in words]))
    for word, region in zip(words, regions, strict=True):
        if word not in PLACEHOLDERS:
            found["place", f"{kind} {region} {_stem(word)}"] += 1
            found.update(("letters", run) for run in _letter_runs(word))
    for feature in _of_families(words, regions, kind):
        found[feature] = 1
    for name in (kind, f"lead {tokens.lead}", f"{kind} {tokens.lead}", *(PLACEHOLDERS & set(words))):
        found["names", name] = 1
    found["names", " ".join(word for word in words if word in PLACEHOLDERS)[:60]] = 1
    return {name: 1 + log(count) for name, count in found.items()}


def _runs(words: list[str]) -> Iterator[str]:
    for length in range(1, _WORDS + 1):
        for start in range(len(words) - length + 1):
            yield " ".join(words[start : start + length])


def _letter_runs(word: str) -> Iterator[str]:
    if word.isalpha():
        padded = f" {word} "
        for length in _LETTERS:
            for start in range(max(1, len(padded) - length + 1)):
                yield padded[start : start + length]


def _of_families(words: tuple[str, ...], regions: list[str], kind: str) -> Iterator[tuple[str, str]]:
    """Families alone and by their region; in runs, and in ordered pairs that stand near each other."""
    seen = [(word,) if word in PLACEHOLDERS or word in _SIGNS else families(word) for word in words]
    told = [(place, family) for place, own in enumerate(seen) for family in own]
    for place, family in told:
        yield "family", family
        yield "family", f"{kind} {regions[place]} {family}"
    yield from (("families", run) for run in _runs([own[0] for own in seen if own]) if " " in run)
    for number, (place, family) in enumerate(told):
        for further, other in told[number + 1 :]:
            if further - place > _REACH:
                break
            yield "families", f"{family} ~ {other}"


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

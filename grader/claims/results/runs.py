"""Find the names of runs in a text: by the number of a seed, by an ordinal, or in a list."""

import re
from functools import lru_cache
from typing import Final, NamedTuple

from grader.claims.results.measures import KEY, START, any_of
from grader.claims.results.roles import Mark
from grader.lab.definition import Lab

_NO_VALUE: Final = r"\b(?![.,]\d|\s?%)"


class _Named(NamedTuple):
    """Patterns for the number of one run, for a list of several, and for a range."""

    single: re.Pattern[str]
    several: re.Pattern[str]
    between: re.Pattern[str]


@lru_cache(maxsize=64)
def _naming(runs: tuple[str, ...]) -> _Named:
    """Return the patterns with a lab's words for repetitions."""
    word = any_of("run", words=runs)
    return _Named(
        re.compile(
            rf"{START}(?:{word}|[sgσ]|sd(?=\s?\d{{1,6}}\s?[:=]))\s*(?:[#=:._-]|n°|no\.?|number|\((?=\s*\d+\s*\)))?[\s#]{{0,3}}(\d{{1,6}}){_NO_VALUE}",
            re.IGNORECASE,
        ),
        re.compile(
            rf"\b{word}(?<=s)\W{{0,3}}(?!\d+,\d+\s?/)"
            rf"((?:\d{{1,6}}(?:\s?/\s?|, ?|,? (?:and|et|&) | ))+\d{{1,6}}){_NO_VALUE}",
            re.IGNORECASE,
        ),
        re.compile(rf"\b{word}(?<=s)\W{{0,3}}(\d{{1,6}})\s?(?:to|à|-|\.\.+)\s?(\d{{1,6}}){_NO_VALUE}", re.IGNORECASE),
    )


def run_words(lab: Lab) -> tuple[str, ...]:
    """Return a lab's words for repetitions."""
    return tuple(dict.fromkeys(word for repetition in lab.repetitions for word in repetition.words))


_RANGES: Final = range(1, 10)
_IN_ORDER: Final = (
    ("first", "1st", "premier", "première"), ("second", "2nd", "deuxième", "seconde"), ("third", "3rd", "troisième"),
    ("fourth",), ("fifth",),
)  # fmt: skip
_ORDINALS: Final = {word: run for run, words in enumerate(_IN_ORDER) for word in words}
_ORDINAL: Final = re.compile(
    rf"\b({'|'.join(_ORDINALS)})\b(?=\s+(?:seed|one|run|graine|essai|trial|and\b|et\b)|\s*[,;.:()=]|\s*$"
    rf"|\s+(?:(?!{any_of('epoch', 'step', 'layer')})[^\W\d_]+\s+){{0,3}}\d{{1,2}}[.,]\d)",
    re.IGNORECASE,
)


ONLY_ONE: Final = re.compile(
    r"\b(?:(?:only|just)(?: [^\W\d_]+){0,3} (?:one|a|1)|(?:one|a|1) single|(?:une? seule?|(?:seulement|qu['’]) ?une?))"
    r" (?:seed|run|graine|essai|trial|training|lancement|entra[îi]nement)\b",
    re.IGNORECASE,
)
"""The statement that there is only one run."""


def runs_named(text: str, runs: tuple[str, ...] = (), *, label: bool = False) -> list[Mark]:
    """Return the runs that a text names by seed or ordinal. `runs` are a lab's words for repetitions.

    In a label, such as the name of a row or folder, a final number is enough: `ft-pre-0`.
    """
    naming = _naming(runs)
    between = naming.between.search(text)
    if between and int(between[2]) - int(between[1]) in _RANGES:
        return [Mark(str(run), *between.span(1)) for run in range(int(between[1]), int(between[2]) + 1)]
    several = seeds_listed(text, runs)
    if several:
        return several
    named = [Mark(match.group(1), match.start(), match.end()) for match in naming.single.finditer(text)]
    if not named:
        keyed = [Mark(match.group(1), match.start(), match.end()) for match in KEY.finditer(text)]
        is_course = re.search(rf"{START}{any_of('epoch', 'step')}", text, re.IGNORECASE)
        named = keyed if not is_course and len({mark.value for mark in keyed}) == len(keyed) > 1 else []
    if not named:
        named = [Mark(str(_ORDINALS[m.group(1).casefold()]), m.start(), m.end()) for m in _ORDINAL.finditer(text)]
    if not named:
        named = [Mark("1", match.start(), match.end()) for match in ONLY_ONE.finditer(text)][:1]
    if not named and label:
        match = re.search(r"(?:^|[^\d.,])(\d)\s*[:)]?\s*$", text)
        named = [Mark(match.group(1), match.start(1), match.end(1))] if match else []
    return named


def seeds_listed(text: str, runs: tuple[str, ...] = ()) -> list[Mark]:
    """Return the runs in the first list of seeds: `seeds 42/43/44`. `runs` are a lab's words for repetitions."""
    several = _naming(runs).several.search(text)
    if several is None:
        return []
    offset = several.start(1)
    return [
        Mark(digits.group(), offset + digits.start(), offset + digits.end())
        for digits in re.finditer(r"\d+", several.group(1))
    ]


@lru_cache(maxsize=64)
def run_header(words: tuple[str, ...]) -> re.Pattern[str]:
    """Return a pattern for the header of a column of run numbers."""
    word = any_of("run", words=words)
    return re.compile(
        rf"\W*(?:random )?(?:{word}|[sgσ]|sigma|random states?)(?: ?(?:#|n°|no\.?|number|id))?\W*", re.IGNORECASE
    )

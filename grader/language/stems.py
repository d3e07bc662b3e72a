"""Stems of words, so that one entry matches all inflections."""

from functools import lru_cache
from typing import Final

import Stemmer

from grader.language.folding import fold_text

_ENGLISH: Final = Stemmer.Stemmer("english")
_FRENCH: Final = Stemmer.Stemmer("french")


@lru_cache(maxsize=20_000)
def stems(word: str) -> frozenset[str]:
    """Return the stems of a word in English and in French, without accents."""
    plain = fold_text(word)
    return frozenset({_ENGLISH.stemWord(plain), _FRENCH.stemWord(plain), fold_text(_FRENCH.stemWord(word.casefold()))})

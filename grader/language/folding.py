"""Lower-case text, with or without accents."""

import unicodedata
from functools import lru_cache
from typing import Final


@lru_cache(maxsize=1024)
def fold_text(text: str) -> str:
    """Return a text in lower case without accents. Offsets stay the same."""
    return text.translate(_FOLDED)


@lru_cache(maxsize=4096)
def lower_text(text: str) -> str:
    """Return a text in lower case. Offsets stay the same."""
    lower = text.lower()
    return lower if len(lower) == len(text) else text.translate(_LOWERED)  # `İ` becomes two characters


class _Lowering(dict[int, str]):
    """A cache of the lower case of each character."""

    def __missing__(self, code: int) -> str:
        self[code] = chr(code).lower()[:1]
        return self[code]


class _Folding(dict[int, str]):
    """A cache of the lower-case letter without accents for each character."""

    def __missing__(self, code: int) -> str:
        letter = chr(code)
        plain = unicodedata.normalize("NFKD", letter)
        if len(plain) > 1 or not plain.isalpha():  # another shape of a letter, such as ϵ and ε, is the same one
            plain = unicodedata.normalize("NFD", letter)
        self[code] = plain[0].lower()[:1] or letter
        return self[code]


_FOLDED: Final = _Folding()
_LOWERED: Final = _Lowering()

"""Text without case and accents."""

import unicodedata
from functools import lru_cache
from typing import Final


@lru_cache(maxsize=1024)
def folded(text: str) -> str:
    """Return a text without case and accents, character by character, so that offsets stay."""
    return text.translate(_FOLDED)


class _Folding(dict[int, str]):
    """What each character is folded to, worked out once."""

    def __missing__(self, code: int) -> str:
        one = chr(code)
        self[code] = unicodedata.normalize("NFD", one)[0].lower()[:1] or one
        return self[code]


_FOLDED: Final = _Folding()

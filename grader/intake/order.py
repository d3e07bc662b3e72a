"""Names in the order a person expects: `student-2` before `student-10`."""

import re
import unicodedata
from typing import Final

_PARTS: Final = re.compile(r"([0-9]+)")

NaturalKey = tuple[tuple[tuple[int, int, str], ...], str]


def natural(name: str) -> NaturalKey:
    """A sort key that compares runs of digits as numbers and letters without case and accents; total, so that order is
    certain."""
    return tuple(_key(part) for part in _PARTS.split(name)), name


def _key(part: str) -> tuple[int, int, str]:
    if part[:1].isascii() and part[:1].isdigit():
        digits = part.lstrip("0")
        return 0, len(digits), digits
    letters = unicodedata.normalize("NFD", part.casefold())
    return 1, 0, "".join(letter for letter in letters if not unicodedata.combining(letter))

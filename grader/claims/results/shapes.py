"""What lines below each other tell by their like shapes."""

import re
from collections.abc import Sequence
from itertools import groupby
from typing import Final

_WRITTEN: Final = re.compile(r"\d+(?P<decimals>[.,]\d+)?(?:\s?%)?")


def exact_lines(texts: Sequence[str]) -> set[int]:
    """The places of lines that differ in their numbers only from those beside them, one of which has decimals: `seed 1:
    79.5` over `seed 2: 80`."""
    shapes = [_WRITTEN.sub("#", one) for one in texts]
    found: set[int] = set()
    for shape, group in groupby(range(len(texts)), key=shapes.__getitem__):
        places = list(group)
        if shape and len(places) > 1 and any(one["decimals"] for at in places for one in _WRITTEN.finditer(texts[at])):
            found.update(places)
    return found

"""Recognise numbers beside a measure's name that are nobody's result.

They stand on a figure's axis, were hoped for or not reached, or are shares of the data.
"""

import re
from collections.abc import Iterable
from typing import Final

from grader.claims.commitment import is_not_reached
from grader.language import lexicon

_WINDOW: Final = 160
_SENTENCE_END: Final = r"[.;!?]\s|\n"
_HOPED: Final = r"(?:<author>|\bon\b)\W+(?:\w+\W+){0,2}?<hoped>\W+(?:(?!<break|reaching>)\w+\W+){0,5}\Z"
_ASKED: Final = r"<threshold>\W+(?:\w+\W+){0,2}\Z"
_ON_AXIS: Final = r"<axis>(?:(?!<reaching>)[^)])*\Z"
_NEXT: Final = r"\s?(?:%|<percent>)?\s?(?:,|/|&|<and>|<or>|,\s<and>)\s*"
_SHARE: Final = r"\s?(?:%|<percent>)?\s?<share_of_data>"


def without_result(text: str, numbers: Iterable[tuple[int, int]]) -> frozenset[int]:
    """Return the starts of the numbers that are no results. `numbers` gives all their starts and ends in order.

    A statement about a number also applies to the numbers listed after it.
    """
    found: set[int] = set()
    last: tuple[int, int] | None = None
    for start, end in numbers:
        before = re.split(_SENTENCE_END, text[max(0, start - _WINDOW) : start])[-1]
        is_next = last is not None and last[0] in found and lexicon.fullmatch(_NEXT, text, last[1], start)
        if (
            is_next
            or is_not_reached(before)
            or any(lexicon.search(candidate, before) for candidate in (_HOPED, _ASKED, _ON_AXIS))
        ):
            found.add(start)
        last = start, end
    return frozenset(found)


def is_share_of_data(text: str, end: int) -> bool:
    """Whether the number that ends at an offset is a share of the data: `20 % of the images`."""
    return lexicon.match(_SHARE, text, end) is not None

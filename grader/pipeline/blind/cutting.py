"""Names cut from a text."""

import re
import unicodedata
from collections.abc import Collection, Iterator
from itertools import pairwise
from typing import Final

from grader.gradebook.person_names import folded

CUT: Final = "███"
"""As long for every name, so that not even its length is told."""

_WORD: Final = re.compile(r"[^\W_]+")
_ADDRESS: Final = re.compile(r"[\w.+-]{1,64}@[\w-]{1,64}(?:\.[\w-]{1,64}){1,5}")
_HOME: Final = re.compile(r"((?:/home/|/Users/|\\Users\\))[^/\\\s'\"]{1,64}")
_SHORT: Final = 2
_INSIDE: Final = 5
"""Letters from which a name is also cut out of a longer word, such as `martindupont` or `TP4Dupont`."""


def without_names(text: str, names: Collection[str]) -> str:
    """The text with every name in it cut. A name of two letters is one only beside another; e-mail addresses and home
    folders are cut whoever's they are. `names` are folded words."""
    text = _HOME.sub(rf"\g<1>{CUT}", _ADDRESS.sub(CUT, unicodedata.normalize("NFC", text)))
    pieces, end = [], 0
    for first, last in _joined(sorted(_named(text, names))):
        pieces += [text[end:first], CUT]
        end = last
    return "".join((*pieces, text[end:]))


def holds_name(text: str, names: Collection[str]) -> bool:
    """Whether something would be cut."""
    return without_names(text, names) != unicodedata.normalize("NFC", text)


def _named(text: str, names: Collection[str]) -> Iterator[tuple[int, int]]:
    """Where names stand."""
    spans = [(match.start(), match.end(), folded(match[0])) for match in _WORD.finditer(text)]
    long = [one for one in names if len(one) >= _INSIDE or not one.isascii()]
    said = [word in names or any(name in word for name in long) for _, _, word in spans]
    for place, (first, last, word) in enumerate(spans):
        beside = (place > 0 and said[place - 1]) or (place + 1 < len(said) and said[place + 1])
        if said[place] and (len(word) > _SHORT or not word.isascii() or beside):
            yield first, last


def _joined(spans: list[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Spans that touch or overlap become one."""
    if not spans:
        return
    start = spans[0][0]
    for (_, end), (following, _) in pairwise(spans):
        if following > end:
            yield start, end
            start = following
    yield start, spans[-1][1]

"""Where a quote stands, word for word, in a text as it was read."""

import unicodedata
from collections.abc import Iterator, Sequence
from decimal import Decimal
from functools import lru_cache
from typing import Final, NamedTuple

from grader.claims.normal import normalise
from grader.claims.numerals import Numeral, numerals, percentages
from grader.claims.passage import Passage
from grader.claims.results.numbers import numbers_in
from grader.reading.evidence import Evidence

_SHORTEST: Final = 2
"""Characters; less than that stands anywhere."""
_ALIKE: Final = {ord(one): "'" for one in "‘’ʼ′`´"} | {ord(one): '"' for one in "“”„«»″"} | {
    ord(one): "-" for one in "‐‑‒–—−"
}  # fmt: skip
_UNSEEN: Final = frozenset("\u00ad\u200b\ufeff_|\u2060")
"""Passed over beside white space: what a document's format adds or loses between the same words."""


class Place(NamedTuple):
    """`text[start:end]` of a passage."""

    passage: Passage
    start: int
    end: int

    @property
    def text(self) -> str:
        """The words that stand there."""
        return self.passage.text[self.start : self.end]

    @property
    def evidence(self) -> Evidence:
        """The place as evidence."""
        return self.passage.evidence(self.start, max(self.end, self.start + 1))


def find(quote: str, passages: Sequence[Passage]) -> Place | None:
    """The first place where a quote stands: the same characters one after the other, white space, line breaks,
    ligatures, forms of quotation marks and dashes aside. None where it stands nowhere."""
    return next(places(quote, passages), None)


def places(quote: str, passages: Sequence[Passage]) -> Iterator[Place]:
    """All such places, in reading order."""
    wanted = "".join(one for one, _ in _squeezed(quote))
    if len(wanted) < _SHORTEST:
        return
    for passage in passages:
        text, origin = _as_read(passage)
        at = text.find(wanted)
        while at >= 0:
            start, end = (passage.offset_of(*origin[place]) for place in (at, at + len(wanted) - 1))
            yield Place(passage, start, min(end + 1, len(passage.text)))
            at = text.find(wanted, at + 1)


def number_in(value: str, place: Place) -> Numeral | None:
    """The number in a quote's place that a value gives, in whatever way it is written; None where it is not there. Of
    several the first one."""
    wanted = _values(value)
    if not wanted:
        return None
    text = place.text
    for found in _numbers(text):
        if wanted.intersection(found.readings) and _is_whole(text, found):
            return found.model_copy(update={"start": found.start + place.start, "end": found.end + place.start})
    return None


def _is_whole(text: str, found: Numeral) -> bool:
    """Whether no digit stands right before or behind a number."""
    return not (text[max(0, found.start - 1) : found.start].isdigit() or text[found.end : found.end + 1].isdigit())


def _values(value: str) -> set[Decimal]:
    text = normalise(value).text.strip(" %")
    whole = (one for one in _numbers(text) if one.start <= 1 and one.end >= len(text))  # a sign or a point before it
    return {reading for one in whole for reading in one.readings}


def _numbers(text: str) -> Iterator[Numeral]:
    yield from percentages(text)
    yield from numerals(text)
    yield from numbers_in(text)


@lru_cache(maxsize=256)
def _as_read(passage: Passage) -> tuple[str, tuple[tuple[int, int], ...]]:
    """The text of a passage as it was read, squeezed, with the block and the offset in it of each character."""
    found = [
        (one, (index, offset)) for index, block in enumerate(passage.blocks) for one, offset in _squeezed(block.text)
    ]
    return "".join(one for one, _ in found), tuple(place for _, place in found)


def _squeezed(text: str) -> Iterator[tuple[str, int]]:
    """The characters of a text without white space and in one spelling, each with its offset."""
    for offset, character in enumerate(text):
        if character.isspace() or character in _UNSEEN:
            continue
        for plain in unicodedata.normalize("NFKC", character.translate(_ALIKE)):
            if not plain.isspace():
                yield plain, offset

"""Closes up letters that are set apart, as in titles that are set wide and in listings with fixed columns.

The gaps between such letters are as wide as those between words, but equal, and no font sets letters so.
"""

from collections.abc import Iterator, Sequence
from itertools import pairwise
from statistics import median
from typing import Final

from grader.reading.pdf.glyphs import Glyph
from grader.reading.pdf.lines import Fragment, fragment_of, runs

_FEWEST: Final = 4
"""Fewer letters in a row may be names of their own: `x y z`."""

_APART: Final = 0.12
"""In em: the least gap between letters that are set apart."""

_UNEVEN: Final = 0.12
"""In em: kerning changes the gaps between such letters by less."""


def _is_spread(glyph: Glyph, other: Glyph) -> bool:
    """Whether two letters stand apart as no letters of a word do."""
    letters = len(glyph.text) == len(other.text) == 1 and glyph.text.isalnum() and other.text.isalnum()
    return letters and other.left - glyph.right >= _APART * glyph.size


def closed_up(fragment: Fragment) -> Fragment:
    """A fragment with no gaps between letters that are set apart."""
    glyphs, size = fragment.glyphs, fragment.size
    if sum([len(glyph.text) == 1 for glyph in glyphs]) < _FEWEST:
        return fragment
    spread = [run for run in runs(glyphs, _is_spread) if len(run) >= _FEWEST]
    if not spread:
        return fragment
    usual = median(b.left - a.right for run in spread for a, b in pairwise(run))
    is_whole = all(len(glyph.text) == 1 for glyph in glyphs)  # then short words are set so, too

    def is_word(glyph: Glyph, other: Glyph) -> bool:
        gap = other.left - glyph.right
        if is_whole:
            return gap <= usual + _UNEVEN * size
        return _is_spread(glyph, other) and abs(gap - usual) <= _UNEVEN * size

    closed: list[Glyph] = []
    for word in runs(glyphs, is_word):
        closed += word if len(word) < _FEWEST and not is_whole else _without_gaps(word)
    return fragment_of(closed)


def _without_gaps(word: Sequence[Glyph]) -> Iterator[Glyph]:
    """The letters of a word, each up to the next one."""
    for number, glyph in enumerate(word):
        right = word[number + 1].left if number + 1 < len(word) else glyph.right
        yield glyph._replace(right=right, spaced=glyph.spaced and not number)

"""The text of a line: spaces from gaps, powers and indices marked, cells parted where the gaps are wide."""

import re
from typing import Final, NamedTuple

from grader.reading.pdf.glyphs import Glyph
from grader.reading.pdf.lines import SMALLER, WIDE_GAP, Fragment, Line

_SPACE: Final = 0.15
"""In em: a gap from here on is a space. TeX's narrowest space between words is 0.19 em (Times, fully shrunk)."""

_THIN_SPACE: Final = 0.185
"""In em: after a comma a gap up to here is the thin space of mathematics, which sets `1,024` as `1, 024`."""

_THIN: Final = "\u2009"
_THOUSANDS: Final = re.compile(rf"(?<=\d),{_THIN}(?=\d{{3}}(?!\d))")

_RAISED: Final = 0.18
_LOWERED: Final = 0.06
"""In em of the larger text: how far a smaller character must leave its baseline to be a power or an index."""

_REACH: Final = 0.4
"""In em of the larger text: a power or index stands at most this far from what it belongs to."""


class Piece(NamedTuple):
    """The text between two wide gaps of a line, with its first and last edge and whether it is bold throughout."""

    text: str
    left: float
    right: float
    bold: bool


class _Level(NamedTuple):
    baseline: float
    size: float

    def holds(self, fragment: Fragment) -> bool:
        """Whether a fragment stands at this level."""
        return (
            abs(fragment.baseline - self.baseline) <= 0.06 * self.size
            and SMALLER * self.size < fragment.size < self.size / SMALLER
        )

    def mark(self, fragment: Fragment) -> str:
        """How a fragment is attached to text of this level: `^`, `_` or nothing."""
        if fragment.size > SMALLER * self.size:
            return ""
        rise = (self.baseline - fragment.baseline) / self.size
        return "^" if rise >= _RAISED else "_" if rise <= -_LOWERED else ""


class _Writer:
    """Writes one line from left to right, opening a brace for each step up or down and closing it on return."""

    def __init__(self, line: Line) -> None:
        self._levels = [_Level(line.baseline, line.size)]
        self._right: float | None = None
        self._last = ""
        self._text: list[str] = []
        self._glyphs: list[Glyph] = []
        self._pieces: list[Piece] = []

    def write(self, fragment: Fragment) -> None:
        """Append a fragment."""
        base = self._levels[0]
        gap = fragment.left - self._right if self._right is not None else 0.0
        if self._right is not None and gap >= WIDE_GAP * base.size:
            self._cut()
        mark = self._step(fragment, gap)
        if not mark and self._right is not None:
            self._space(gap, max(self._levels[-1].size, fragment.size), fragment.glyphs[0])
        self._text.append(mark)
        previous: Glyph | None = None
        for glyph in fragment.glyphs:
            if previous is not None:
                self._space(glyph.left - previous.right, glyph.size, glyph)
            self._text.append(glyph.text)
            self._last = glyph.text
            previous = glyph
        self._glyphs.extend(fragment.glyphs)
        self._right = max(self._right or fragment.right, fragment.right)

    def pieces(self) -> list[Piece]:
        """Everything written."""
        self._cut()
        return self._pieces

    def _step(self, fragment: Fragment, gap: float) -> str:
        """Go to the level of a fragment; what to write first: `^{`, `_{` or nothing."""
        for depth in range(len(self._levels) - 1, -1, -1):
            if self._levels[depth].holds(fragment):
                self._return_to(depth)
                return ""
        if gap > _REACH * self._levels[0].size:
            self._return_to(0)
        mark = self._levels[-1].mark(fragment)
        if not mark:
            self._return_to(0)
            mark = self._levels[0].mark(fragment)
        if not mark:
            return ""
        self._levels.append(_Level(fragment.baseline, fragment.size))
        return mark + "{"

    def _return_to(self, depth: int) -> None:
        self._text.append("}" * (len(self._levels) - 1 - depth))
        del self._levels[depth + 1 :]

    def _space(self, gap: float, size: float, glyph: Glyph) -> None:
        if gap >= _SPACE * size or (glyph.spaced and gap > -0.3 * size):
            thin = self._last == "," and gap < _THIN_SPACE * size and not glyph.spaced
            self._text.append(_THIN if thin else " ")

    def _cut(self) -> None:
        self._return_to(0)
        text = " ".join(_THOUSANDS.sub(",", "".join(self._text)).split())
        if text:
            bold = all(glyph.bold for glyph in self._glyphs)
            left, right = min(g.left for g in self._glyphs), max(g.right for g in self._glyphs)
            self._pieces.append(Piece(text, left, right, bold))
        self._text, self._glyphs, self._right, self._last = [], [], None, ""


def pieces(line: Line) -> list[Piece]:
    """The texts of a line between its wide gaps, from left to right."""
    writer = _Writer(line)
    for fragment in line.fragments:
        writer.write(fragment)
    return writer.pieces()

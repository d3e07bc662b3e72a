"""Decides whether what stands at a place of a page is on the page. Lengths are in points."""

import re
from typing import Final, NamedTuple

from grader.reading.visibility import MIN_FONT_SIZE, READABLE_FONT_SIZE, Visibility

_MUCH: Final = 0.5
"""Share of a box on the page from which its text is taken to be there."""
_RARELY: Final = 0.25
"""Share of the possible places that leave a box on the page, below which it is doubtful."""
_LENGTH: Final = re.compile(r"(-?(?:\d{1,7}(?:\.\d{1,9})?|\.\d{1,9}))(pt|in|cm|mm|pc|px|)")
_POINTS: Final = {"pt": 1.0, "in": 72.0, "cm": 72 / 2.54, "mm": 72 / 25.4, "pc": 12.0, "px": 0.75, "": 1.0}


def points(written: str | None) -> float | None:
    """A length such as `2.5cm` in points; None for any other text."""
    found = _LENGTH.fullmatch((written or "").strip())
    return float(found[1]) * _POINTS[found[2]] if found else None


def of_extent(extent: float) -> Visibility:
    """Whether a text can be seen in a row, line or box of this height or width, by the limits for fonts."""
    if extent >= READABLE_FONT_SIZE:
        return Visibility.SHOWN
    return Visibility.DOUBTFUL if extent >= MIN_FONT_SIZE else Visibility.HIDDEN


class Span(NamedTuple):
    """The extent of a box in one direction: its length, and the first and last place where it may begin, counted from
    the edge of the page."""

    first: float
    last: float
    length: float

    def within(self, page: float) -> Visibility:
        """Whether the box is within a page of this length. It is hidden only if it would be for every beginning."""
        low, high = sorted((0.0, page - self.length))
        best = self.last if self.last < low else self.first if self.first > high else max(self.first, low)
        seen = min(best + self.length, page) - max(best, 0.0)
        if seen <= 0:
            return Visibility.HIDDEN
        reach = min(self.last, page) - max(self.first, -self.length)
        is_likely = seen >= _MUCH * self.length and reach >= _RARELY * (self.last - self.first)
        return max(of_extent(self.length), Visibility.SHOWN if is_likely else Visibility.DOUBTFUL)


class Paper(NamedTuple):
    """The size of a document's pages and where their text stands."""

    width: float = 612.0
    height: float = 792.0
    left: float = 72.0
    right: float = 72.0
    top: float = 72.0
    bottom: float = 72.0

    def shows(self, across: Span, down: Span) -> Visibility:
        """Whether a box is on the page."""
        return max(across.within(self.width), down.within(self.height))

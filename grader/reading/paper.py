"""Decides whether what stands at a place of a page is on the page. Lengths are in points."""

import re
from dataclasses import dataclass
from typing import Final, NamedTuple

from grader.reading.visibility import READABLE_FONT_SIZE, Visibility, of_extent

_MUCH: Final = 0.5
"""Share of a box on the page from which its text is taken to be there."""
_RARELY: Final = 0.25
"""Share of the possible places that leave a box on the page, below which it is doubtful."""
_NARROW: Final = 0.25
"""Width of a narrow letter as a share of the font's size."""
_LENGTH: Final = re.compile(r"(-?(?:\d{1,7}(?:\.\d{1,9})?|\.\d{1,9}))(pt|in|cm|mm|pc|px|)")
_POINTS: Final = {"pt": 1.0, "in": 72.0, "cm": 72 / 2.54, "mm": 72 / 25.4, "pc": 12.0, "px": 0.75, "": 1.0}


def points(written: str | None) -> float | None:
    """A length such as `2.5cm` in points; None for any other text."""
    found = _LENGTH.fullmatch((written or "").strip())
    return float(found[1]) * _POINTS[found[2]] if found else None


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

    def shows_line(
        self, length: float, before: float | None, after: float | None, first: float | None, align: str | None
    ) -> Visibility:
        """Whether the lines of a paragraph begin on the page under its indents, that of its first line included.
        `length` is about that of its text."""
        first = first or 0.0
        left, right = self.left + (before or 0.0) + min(first, 0.0), self.width - self.right - (after or 0.0)
        if align in ("right", "end"):
            begin, is_usual = right - length, 0 < right <= self.width
        else:
            begin = left if left < 0 else left + max(first, 0.0)
            length = min(length, right - left) if right > left else length
            is_usual = 0 <= begin < self.width - READABLE_FONT_SIZE
        if is_usual:
            return Visibility.SHOWN
        return max(Visibility.DOUBTFUL, Span(begin, begin, max(length, 1.0)).within(self.width))


@dataclass
class Room:
    """A row, frame or text box of fixed height: what stands below its edge is cut off. Text is counted as narrow and
    low as it can be; `top` is where the current line begins, `along` how far it reaches."""

    height: float
    width: float | None = None
    top: float = 0.0
    along: float = 0.0

    def visibility(self, text: str, size: float) -> Visibility:
        """Whether the first line of a text is within the edge; the text then takes its room."""
        seen = Visibility.HIDDEN if self.top >= self.height and text.strip() else Visibility.SHOWN
        for character in text:
            self.along += _NARROW * size
            if character == "\n" or (self.width and self.along > self.width):
                self.end_line(size)
        return seen

    def end_line(self, size: float) -> None:
        """Begin another line."""
        self.top += size
        self.along = 0.0

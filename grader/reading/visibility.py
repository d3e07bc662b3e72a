"""Decides whether a person who looks at a page would see a text.

Readers resolve how a text is drawn (its colour, what is behind it, its size) by the rules of their format and ask here.
Hidden text is kept apart in `Document.hidden`, counts for nothing and is flagged. Text whose visibility cannot be
established is left out as well and reported as a problem of the document, so that a person looks at it. Lengths are in
points.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import IntEnum
from math import dist
from typing import Final, NamedTuple

from grader.message import Message, Words, say
from grader.reading.document import Block, BlockKind

Colour = tuple[int, int, int]
"""Red, green and blue, from 0 to 255."""

UNKNOWN: Final[Colour] = (-1, -1, -1)
"""A colour that the file does not determine, such as that of a picture."""
CLEAR: Final[Colour] = (-2, -2, -2)
"""The colour of transparent text: what is behind it shows through."""
BLACK: Final[Colour] = (0, 0, 0)
WHITE: Final[Colour] = (255, 255, 255)

MIN_CONTRAST: Final = 7.0
"""CIE76 colour difference below which text is hidden; #eeeeee on white has 6.2, pure yellow on white 97."""
CLEAR_CONTRAST: Final = 12.0
"""CIE76 colour difference from which text is certainly visible; #dddddd on white has 12.1."""
MIN_FONT_SIZE: Final = 2.0
"""In points: smaller text is hidden. The smallest size of LaTeX is 5 pt."""
READABLE_FONT_SIZE: Final = 3.5
"""In points: text from this size on is certainly readable."""

MOST_HIDDEN: Final = 1_000
"""Maximum number of hidden lines that are kept for one file."""
HIDDEN_TEXT: Final = say("text that cannot be seen in it is not read")

REVERSING: Final = "\u202e"
"""The character from which on a text is shown from right to left, whatever its letters: 12 as 21."""

_QUOTE: Final = 80
_MOST_DOUBTS: Final = 20
_UNSET: Final = frozenset(("transparent", "none", "auto", "inherit", "initial", "unset", "revert"))
_D65: Final = (95.047, 100.0, 108.883)


class Visibility(IntEnum):
    """Whether a text can be seen, ordered so that `max` of several reasons is the strongest one."""

    SHOWN = 0
    DOUBTFUL = 1
    HIDDEN = 2


def doubtful_text(quote: str) -> Message:
    """The problem that a document has with a text whose visibility cannot be established."""
    text = " ".join(quote.split())
    shown = text if len(text) <= _QUOTE else f"{text[:_QUOTE]}…"
    return say("it could not be established whether “{text}” can be seen, so it is not read", text=shown)


def as_written(blocks: Iterable[Block]) -> tuple[list[Block], tuple[Message, ...]]:
    """The blocks that show their characters in the order in which they are stored, and the problems with the others."""
    found = list(blocks)
    reversed_ones = [block.text for block in found if REVERSING in block.text]
    kept = [block for block in found if REVERSING not in block.text] if reversed_ones else found
    return kept, tuple(doubtful_text(text.replace(REVERSING, "")) for text in reversed_ones[:1])


def contrast(first: Colour, other: Colour) -> float:
    """The CIE76 difference of two colours: 0 for equal ones, 100 for black and white; about 2.3 is just noticeable."""
    return dist(_lab(first), _lab(other))


def _lab(colour: Colour) -> tuple[float, float, float]:
    """A colour of sRGB in CIELAB under D65 (IEC 61966-2-1, CIE 15)."""
    red, green, blue = (
        value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4
        for value in (component / 255 for component in colour)
    )
    xyz = (
        41.24 * red + 35.76 * green + 18.05 * blue,
        21.26 * red + 71.52 * green + 7.22 * blue,
        1.93 * red + 11.92 * green + 95.05 * blue,
    )
    x, y, z = (
        ratio ** (1 / 3) if ratio > 216 / 24389 else (24389 / 27 * ratio + 16) / 116
        for ratio in (value / white for value, white in zip(xyz, _D65, strict=True))
    )
    return 116 * y - 16, 500 * (x - y), 200 * (y - z)


def colour_of(written: str | None) -> Colour | None:
    """The colour that a file names, such as `FFFFFF`, `#fff`, `white` or `rgb(255, 255, 255)`; None where it sets none
    of its own, UNKNOWN where it cannot be told."""
    from PIL import ImageColor

    text = (written or "").strip().lower()
    if not text or text in _UNSET:
        return None
    if len(text) == 6 and all(digit in "0123456789abcdef" for digit in text):
        text = f"#{text}"
    try:
        red, green, blue, *opacity = ImageColor.getrgb(text)
    except ValueError:
        return UNKNOWN
    if opacity and opacity[0] < 255:
        return None if opacity[0] == 0 else UNKNOWN
    return red, green, blue


def blended_colour(colour: Colour, ground: Colour | None, opacity: float) -> Colour:
    """Return the look of a transparent colour over a ground, which is the page if it is None; CLEAR from nothing on,
    UNKNOWN if one of the two is."""
    if opacity <= 0:
        return CLEAR
    if opacity >= 1 or colour == CLEAR:
        return colour
    below = WHITE if ground is None else ground
    if min(*colour, *below) < 0:
        return UNKNOWN
    return mixed_colour(colour, below, opacity)


def mixed_colour(colour: Colour, ground: Colour, share: float) -> Colour:
    """A colour mixed with another one, of which it leaves a share."""
    return rounded_colour([share * above + (1 - share) * below for above, below in zip(colour, ground, strict=True)])


def rounded_colour(components: Sequence[float]) -> Colour:
    """The colour of some components, which may be fractions or out of range."""
    red, green, blue = (round(min(max(value, 0), 255)) for value in components)
    return red, green, blue


class Paint(NamedTuple):
    """A colour and its opacity, from 0 for transparent to 1."""

    colour: Colour
    opacity: float = 1.0

    def colour_over(self, ground: Colour) -> Colour:
        """The colour that is seen where it lies over an opaque one."""
        if self.opacity >= 1 or self.colour == UNKNOWN:
            return self.colour
        return UNKNOWN if ground == UNKNOWN else mixed_colour(self.colour, ground, self.opacity)


class LeftOut:
    """Collects the texts of a document's paragraphs that do not show, and those that may not; one use only."""

    def __init__(self) -> None:
        self.hidden: list[Block] = []
        self._doubts: list[str] = []

    def add(self, line: int | None, hidden: str, doubtful: str = "") -> None:
        """Keep apart what a paragraph that begins on a line does not show, or may not."""
        hidden, doubtful = " ".join(hidden.split()), " ".join(doubtful.split())
        self.hidden += [Block(kind=BlockKind.LINE, text=hidden, line=line)] if hidden else []
        self._doubts += [doubtful] if doubtful else []

    def problems(self) -> tuple[Words, ...]:
        """The problems that the document has with them."""
        return (*([HIDDEN_TEXT] if self.hidden else []), *map(doubtful_text, self._doubts[:_MOST_DOUBTS]))


class Ink(NamedTuple):
    """The drawing of a text: its colour, that of the ground behind it, and the size of its font in points. None stands
    for what is not set."""

    colour: Colour | None = None
    ground: Colour | None = None
    size: float | None = None

    def inherit_from(self, below: "Ink") -> "Ink":
        """The ink with what it does not set taken from what surrounds it."""
        return Ink(
            below.colour if self.colour is None else self.colour,
            below.ground if self.ground is None else self.ground,
            below.size if self.size is None else self.size,
        )

    @property
    def visibility(self) -> Visibility:
        """Whether a text in it can be seen. A colour that is not set can be read on its ground; very light text on an
        unknown ground is doubtful, as the ground may be the page."""
        return max(self._by_colour(), of_extent(self.size))

    def _by_colour(self) -> Visibility:
        if self.colour == CLEAR:
            return Visibility.HIDDEN
        if self.colour is None or self.colour == UNKNOWN:
            return Visibility.SHOWN
        difference = contrast(self.colour, WHITE if self.ground in (None, UNKNOWN) else self.ground)
        if difference >= CLEAR_CONTRAST:
            return Visibility.SHOWN
        is_certain = difference < MIN_CONTRAST and self.ground != UNKNOWN
        return Visibility.HIDDEN if is_certain else Visibility.DOUBTFUL


def of_extent(extent: float | None) -> Visibility:
    """Whether a text of this size, or in a row, line or box of this height or width in points, can be seen. None is an
    extent that follows from the text."""
    if extent is None or extent >= READABLE_FONT_SIZE:
        return Visibility.SHOWN
    return Visibility.DOUBTFUL if extent >= MIN_FONT_SIZE else Visibility.HIDDEN


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

    def visibility_within(self, page: float) -> Visibility:
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
        return max(across.visibility_within(self.width), down.visibility_within(self.height))

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
        return max(Visibility.DOUBTFUL, Span(begin, begin, max(length, 1.0)).visibility_within(self.width))


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

"""Decides whether a person who looks at a page would see a text.

Readers resolve how a text is drawn (its colour, what is behind it, its size) by the rules of their format and ask here.
Hidden text is kept apart in `Document.hidden`, counts for nothing and is flagged. Text whose visibility cannot be
established is left out as well and reported as a problem of the document, so that a person looks at it.
"""

from collections.abc import Iterable, Sequence
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


def contrast(one: Colour, other: Colour) -> float:
    """The CIE76 difference of two colours: 0 for equal ones, 100 for black and white; about 2.3 is just noticeable."""
    return dist(_lab(one), _lab(other))


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


def blended(colour: Colour, ground: Colour | None, opacity: float) -> Colour:
    """What a transparent colour looks like over a ground, that is the page where it is None; CLEAR from nothing on,
    UNKNOWN where one of the two is."""
    if opacity <= 0:
        return CLEAR
    if opacity >= 1 or colour == CLEAR:
        return colour
    below = WHITE if ground is None else ground
    if min(*colour, *below) < 0:
        return UNKNOWN
    return mixed(colour, below, opacity)


def mixed(colour: Colour, ground: Colour, share: float) -> Colour:
    """A colour mixed with another one, of which it leaves a share."""
    return rounded([share * above + (1 - share) * below for above, below in zip(colour, ground, strict=True)])


def rounded(components: Sequence[float]) -> Colour:
    """The colour of some components, which may be fractions or out of range."""
    red, green, blue = (round(min(max(value, 0), 255)) for value in components)
    return red, green, blue


class Paint(NamedTuple):
    """A colour and its opacity, from 0 for transparent to 1."""

    colour: Colour
    opacity: float = 1.0

    def over(self, ground: Colour) -> Colour:
        """The colour that is seen where it lies over an opaque one."""
        if self.opacity >= 1 or self.colour == UNKNOWN:
            return self.colour
        return UNKNOWN if ground == UNKNOWN else mixed(self.colour, ground, self.opacity)


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
    """How a text is drawn: its colour, that of the ground behind it, and the size of its font in points. None stands
    for what is not set."""

    colour: Colour | None = None
    ground: Colour | None = None
    size: float | None = None

    def over(self, below: "Ink") -> "Ink":
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

"""Which text cannot be seen by its colour or size, in files that state both: Word, OpenDocument, web pages.

What is not certain is shown: a colour that cannot be told from the file hides nothing.
"""

from typing import Final, NamedTuple

from grader.message import say

Colour = tuple[int, int, int]
"""Red, green and blue, from 0 to 255."""

UNKNOWN: Final[Colour] = (-1, -1, -1)
"""Some colour that the file does not tell, such as that of a picture or a theme."""

CLEAR: Final[Colour] = (-2, -2, -2)
"""The colour of a text that has none: what is behind it shows through."""

BLACK: Final[Colour] = (0, 0, 0)
WHITE: Final[Colour] = (255, 255, 255)
FAINTEST: Final = 10
"""In levels from 0 to 255: text that differs less from what is behind it is not seen."""
SMALLEST_FONT: Final = 2.0
"""In points: text in a smaller font is not for people."""

MOST_HIDDEN: Final = 1_000
"""Of a file, so many lines that cannot be seen are kept."""
HIDDEN_TEXT: Final = say("text that cannot be seen in it is not read")

_UNSET: Final = frozenset(("transparent", "none", "auto", "inherit", "initial", "unset", "revert"))


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


class Ink(NamedTuple):
    """How a text is drawn: its colour, that of the ground behind it, and the size of its font in points. None stands
    for what is not set."""

    colour: Colour | None = None
    ground: Colour | None = None
    size: float | None = None

    def over(self, below: "Ink") -> "Ink":
        """The ink with what it does not set taken from what surrounds it."""
        if self == _NOTHING_SET:
            return below
        return Ink(
            below.colour if self.colour is None else self.colour,
            below.ground if self.ground is None else self.ground,
            below.size if self.size is None else self.size,
        )

    @property
    def is_unseen(self) -> bool:
        """Whether a text in it cannot be seen. A colour that is not set is one that can be read on its ground."""
        if self.size is not None and self.size < SMALLEST_FONT:
            return True
        if self.colour == CLEAR:
            return True
        if self.colour is None or UNKNOWN in (self.colour, self.ground):
            return False
        ground = WHITE if self.ground is None else self.ground
        return max(abs(one - other) for one, other in zip(self.colour, ground, strict=True)) < FAINTEST


_NOTHING_SET: Final = Ink()

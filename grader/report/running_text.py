"""How running text is set: powers and indices, and the side that a script is written from."""

import re
from typing import TYPE_CHECKING, Final
from unicodedata import bidirectional

if TYPE_CHECKING:
    from markupsafe import Markup

_RAISED: Final = re.compile(r"\^\{([\w+−.,/ -]{1,12})\}")
_LOWERED: Final = re.compile(r"_\{([\w+−.,/ -]{1,12})\}")
_SIDES: Final = {"L": "ltr", "R": "rtl", "AL": "rtl"}


def small_characters(text: str, lowered: bool = False) -> "Markup":
    """Text for a page, escaped, with powers set small: `512^{2}`, as the reader of PDFs marks raised characters.

    Indices, as in `d_{model}`, are set small only where `lowered`, as code may hold such braces. Text that is written
    from the right stays as it is: pieces of it would be put in the wrong order.
    """
    from markupsafe import Markup, escape

    plain = escape(text)
    if direction(text) == "rtl":
        return plain
    raised = _RAISED.sub(r"<sup>\1</sup>", str(plain))
    return Markup(_LOWERED.sub(r"<sub>\1</sub>", raised) if lowered else raised)  # noqa: S704  escaped above


def direction(text: str) -> str:
    """`rtl` or `ltr`, by the first letter that has a side (Unicode Standard Annex 9, rules P2 and P3)."""
    return next((_SIDES[side] for side in map(bidirectional, text) if side in _SIDES), "ltr")

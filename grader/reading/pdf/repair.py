"""Characters that were drawn in parts, made whole: accented letters and tall brackets."""

import unicodedata
from collections.abc import Iterable
from typing import Final

from grader.reading.document import RepairKind
from grader.reading.pdf.glyphs import Glyph
from grader.reading.pdf.marked import Mark
from grader.reading.pdf.signs import COMBINING

_DOTLESS: Final = {"ı": "i", "ȷ": "j"}


def repaired(glyphs: Iterable[Glyph]) -> list[Glyph]:
    """The same characters with accents put on their letters and the pieces of a tall bracket joined."""
    whole: list[Glyph] = []
    for glyph in glyphs:
        last = whole[-1] if whole else None
        if last is not None and (glyph.text in COMBINING or last.text in COMBINING):
            accented = _accented(last, glyph)
            if accented:
                whole[-1] = accented
                continue
        if last is not None and glyph.large and last.large and _same_bracket(last, glyph):
            whole[-1] = _stacked(last, glyph)
            continue
        whole.append(glyph)
    return [glyph for glyph in whole if glyph.text]


def _accented(first: Glyph, second: Glyph) -> Glyph | None:
    """Letter and accent as one, when one is drawn over the other and Unicode has the pair."""
    letter, accent = (second, first) if first.text in COMBINING else (first, second)
    middle = (accent.left + accent.right) / 2
    over = letter.left < middle < letter.right or unicodedata.combining(accent.text) > 0
    if not (letter.text.isalpha() and over and not second.spaced):
        return None
    if abs(letter.baseline - accent.baseline) > 0.5 * letter.size:
        return None
    plain = _DOTLESS.get(letter.text, letter.text)
    text = unicodedata.normalize("NFC", plain + COMBINING[accent.text])
    if len(text) != 1:
        return None
    return letter._replace(text=text, spaced=first.spaced, torn=first.torn, marks=(Mark(RepairKind.ACCENT, 0, 1),))


def _same_bracket(upper: Glyph, lower: Glyph) -> bool:
    """Whether one piece hangs under the other: left brackets share their left edge, right ones their right edge."""
    return min(abs(upper.left - lower.left), abs(upper.right - lower.right)) < 0.5


def _stacked(upper: Glyph, lower: Glyph) -> Glyph:
    top, bottom = min(upper.top, lower.top), max(upper.bottom, lower.bottom)
    return upper._replace(
        text=upper.text or lower.text,
        top=top,
        right=max(upper.right, lower.right),
        bottom=bottom,
        baseline=(top + bottom) / 2 + 0.25 * upper.size,
    )

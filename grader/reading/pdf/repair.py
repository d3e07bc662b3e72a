"""Characters that were drawn in parts, made whole: accented letters, tall brackets, underscores."""

import ctypes
import unicodedata
from collections.abc import Iterable
from itertools import zip_longest
from typing import Any, Final

from grader.reading.evidence import Box
from grader.reading.pdf.frame import UPRIGHT, Frame
from grader.reading.pdf.glyphs import Glyph

_COMBINING: Final = {
    "´": "\u0301", "`": "\u0300", "ˆ": "\u0302", "^": "\u0302", "¨": "\u0308", "˜": "\u0303", "~": "\u0303",
    "¸": "\u0327", "˚": "\u030a", "ˇ": "\u030c", "˘": "\u0306", "¯": "\u0304", "˙": "\u0307", "˝": "\u030b",
}  # fmt: skip
_DOTLESS: Final = {"ı": "i", "ȷ": "j"}
_MOST_OBJECTS: Final = 20_000
_MOST_IN_ROW: Final = 100


def repaired(glyphs: Iterable[Glyph]) -> list[Glyph]:
    """The same characters with accents put on their letters and the pieces of a tall bracket joined."""
    whole: list[Glyph] = []
    for glyph in glyphs:
        last = whole[-1] if whole else None
        if last is not None and (glyph.text in _COMBINING or last.text in _COMBINING):
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
    letter, accent = (second, first) if first.text in _COMBINING else (first, second)
    middle = (accent.left + accent.right) / 2
    if not (letter.text.isalpha() and letter.left < middle < letter.right and not second.spaced):
        return None
    if abs(letter.baseline - accent.baseline) > 0.5 * letter.size:
        return None
    plain = _DOTLESS.get(letter.text, letter.text)
    text = unicodedata.normalize("NFC", plain + _COMBINING[accent.text])
    return letter._replace(text=text, spaced=first.spaced) if len(text) == 1 else None


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


def thin_rules(page: Any, frame: Frame) -> list[Box]:
    """Short thin strokes on a page: TeX draws the underscore of its older fonts as a rule of 0.3 em by 0.4 pt."""
    import pypdfium2.raw as pdfium

    sides = [ctypes.c_float() for _ in range(4)]
    rules: list[Box] = []
    for index in range(min(pdfium.FPDFPage_CountObjects(page), _MOST_OBJECTS)):
        drawn = pdfium.FPDFPage_GetObject(page, index)
        if pdfium.FPDFPageObj_GetType(drawn) != pdfium.FPDF_PAGEOBJ_PATH:
            continue
        if pdfium.FPDFPageObj_GetBounds(drawn, *sides):
            left, top, right, bottom = frame.box(*(side.value for side in sides))
            if 1.0 <= right - left <= 12.0 and bottom - top <= 1.2:
                rules.append((left, top, right, bottom))
    return rules


def with_underscores(glyphs: list[Glyph], rules: list[Box]) -> list[Glyph]:
    """The characters with an underscore for each rule that fills the gap behind one of them, on its baseline."""
    if not rules:
        return glyphs
    rows = _rows(rules)
    result: list[Glyph] = []
    for glyph, following in zip_longest(glyphs, glyphs[1:]):
        result.append(glyph)
        for rule in rows.get(int(glyph.baseline), ()):
            if _fills_gap(rule, glyph, following):
                result.append(glyph._replace(text="_", left=rule[0], right=rule[2], spaced=False))
                break
    return result


def _rows(rules: list[Box]) -> dict[int, list[Box]]:
    """The rules by the whole part of a baseline that they may lie on, without the rows of a grid or a plot."""
    rows: dict[int, list[Box]] = {}
    for rule in rules:
        for row in range(int(rule[3]) - 1, int(rule[3]) + 2):
            rows.setdefault(row, []).append(rule)
    return {row: members for row, members in rows.items() if len(members) <= _MOST_IN_ROW}


def _fills_gap(rule: Box, glyph: Glyph, following: Glyph | None) -> bool:
    left, top, right, bottom = rule
    size = glyph.size
    beside = -0.05 * size <= left - glyph.right <= 0.2 * size and 0.2 * size <= right - left <= 0.75 * size
    on_baseline = -0.1 * size <= bottom - glyph.baseline <= 0.2 * size and bottom - top <= 0.1 * size
    if not (beside and on_baseline and glyph.direction == UPRIGHT):
        return False
    below = following is not None and abs(following.baseline - glyph.baseline) < 0.3 * size
    return following is None or not below or following.left >= right - 0.1 * size

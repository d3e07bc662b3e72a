"""Underscores that were drawn as rules: TeX's older fonts have none, so it draws a rule of 0.3 em by 0.4 pt."""

from itertools import zip_longest
from typing import Final

from grader.reading.document import RepairKind
from grader.reading.evidence import Box
from grader.reading.pdf.frame import UPRIGHT
from grader.reading.pdf.glyphs import Glyph
from grader.reading.pdf.marked import Mark

_MOST_IN_ROW: Final = 100
_WIDEST: Final = 12.0


def with_underscores(glyphs: list[Glyph], rules: list[Box]) -> list[Glyph]:
    """The characters with an underscore for each rule that fills the gap behind one of them, on its baseline."""
    rows = _rows(rules)
    if not rows:
        return glyphs
    result: list[Glyph] = []
    for glyph, following in zip_longest(glyphs, glyphs[1:]):
        result.append(glyph)
        for rule in rows.get(int(glyph.baseline), ()):
            if _fills_gap(rule, glyph, following):
                result.append(_underscore(rule, glyph))
                break
    return result


def _underscore(rule: Box, glyph: Glyph) -> Glyph:
    marks = (Mark(RepairKind.UNDERSCORE, 0, 1),)
    return glyph._replace(text="_", left=rule[0], right=rule[2], spaced=False, torn=False, marks=marks)


def _rows(rules: list[Box]) -> dict[int, list[Box]]:
    """Short rules by the whole part of a baseline that they may lie on, without the rows of a grid or a plot."""
    rows: dict[int, list[Box]] = {}
    for rule in rules:
        if 1.0 <= rule[2] - rule[0] <= _WIDEST:
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

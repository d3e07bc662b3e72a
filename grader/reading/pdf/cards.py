"""Cards of a page: boxes drawn side by side with some room between them, each with lines of its own. What stands in one
is read to its end before the next one begins.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Final

from grader.reading.document import Box
from grader.reading.pdf.glyphs import Glyph
from grader.reading.pdf.lines import Fragment

_NARROWEST, _LOWEST = 60.0, 24.0
_ROOM: Final = 4.0
"""In points: cells of a table stand nearer to each other."""
_SAME: Final = 2.0
_FEWEST_LINES: Final = 2
_MOST: Final = 200


def framing(boxes: Sequence[Box], glyphs: Sequence[Glyph]) -> list[Box]:
    """The boxes that characters stand in; of more than 200 none."""
    middles = sorted((glyph.baseline - 0.3 * glyph.size, glyph.left) for glyph in glyphs)
    heights = [height for height, _ in middles]

    def frames(box: Box) -> bool:
        beside = middles[bisect_left(heights, box[1]) : bisect_right(heights, box[3])]
        return any(box[0] <= left <= box[2] for _, left in beside)

    return [box for box in boxes if frames(box)] if len(boxes) <= _MOST else []


def card_rows(boxes: Sequence[Box], fragments: Sequence[Fragment]) -> list[list[Box]]:
    """The cards of a page row by row, each row from left to right."""
    rows: list[list[Box]] = []
    large = {box for box in boxes[:_MOST] if box[2] - box[0] >= _NARROWEST and box[3] - box[1] >= _LOWEST}
    for box in sorted(large, key=lambda one: (round(one[1] / _SAME), one[0])):
        if rows and abs(rows[-1][0][1] - box[1]) <= _SAME:
            rows[-1].append(box)
        elif not any(_holds(card, box) for row in rows if len(row) > 1 for card in row):
            rows.append([box])
    return [
        row
        for row in rows
        if len(row) > 1
        and all(right[0] - left[2] >= _ROOM for left, right in pairwise(row))
        and all(len({round(one.baseline) for one in _within(card, fragments)}) >= _FEWEST_LINES for card in row)
    ]


def card_by_card(fragments: Sequence[Fragment], rows: Sequence[Sequence[Box]]) -> Iterator[list[Fragment]]:
    """What stands above the first row of cards, in each of its cards, between the rows, and below the last one."""
    rest = list(fragments)
    for row in rows:
        held = [_within(card, rest) for card in row]
        taken = {id(one) for own in held for one in own}
        yield [one for one in rest if one.baseline < row[0][1] and id(one) not in taken]
        yield from held
        rest = [one for one in rest if one.baseline >= row[0][1] and id(one) not in taken]
    yield rest


def _within(card: Box, fragments: Sequence[Fragment]) -> list[Fragment]:
    left, top, right, bottom = card
    return [one for one in fragments if left <= one.left <= right and top <= one.baseline - 0.3 * one.size <= bottom]


def _holds(card: Box, box: Box) -> bool:
    return card[0] <= box[0] and card[1] <= box[1] and box[2] <= card[2] and box[3] <= card[3]

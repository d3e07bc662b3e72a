"""Pages set in two columns: which fragments to read before which others."""

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from itertools import pairwise
from statistics import median
from typing import Final

from grader.reading.pdf.lines import Fragment

_STEP: Final = 2.0
_FEWEST_LINES: Final = 4


def regions(fragments: Sequence[Fragment]) -> list[list[Fragment]]:
    """The fragments in the parts of a page that are read one after the other.

    The rows of a table also leave a gap all the way down. What tells columns from a table is the order of drawing: a
    column is drawn to its end before the next one begins, a table row by row.
    """
    gutter = _gutter(fragments)
    if gutter is None:
        return [list(fragments)]
    result: list[list[Fragment]] = [[]]
    for band in _bands(fragments, gutter):
        left = [f for f in band if f.right <= gutter]
        right = [f for f in band if f.left >= gutter]
        if _are_columns(band, left, right, gutter):
            result.extend((left, right, []))
        else:
            result[-1].extend(band)
    return [region for region in result if region]


def _gutter(fragments: Sequence[Fragment]) -> float | None:
    """The x in the middle third of the text that the fewest fragments cross, None when most cross it everywhere."""
    if len(fragments) < 2 * _FEWEST_LINES:
        return None
    left, right = min(f.left for f in fragments), min(max(f.right for f in fragments), 5000.0)
    first, last = left + (right - left) * 0.35, left + (right - left) * 0.65
    candidates = [first + _STEP * i for i in range(int((last - first) / _STEP))]
    if not candidates:
        return None
    begins, ends = sorted(f.left for f in fragments), sorted(f.right for f in fragments)
    crossings = [bisect_left(begins, x) - bisect_left(ends, x) for x in candidates]
    fewest = min(crossings)
    if fewest > len(fragments) // 3:
        return None
    return median([x for x, count in zip(candidates, crossings, strict=True) if count == fewest][:1000])


def _bands(fragments: Sequence[Fragment], gutter: float) -> list[list[Fragment]]:
    """The fragments between the lines that cross the gutter, and those lines, from the top down."""
    edges = sorted(f.baseline for f in fragments if f.left < gutter < f.right)
    bands: list[list[Fragment]] = [[] for _ in range(2 * len(edges) + 1)]
    for fragment in fragments:
        tolerance = 0.3 * fragment.size
        above = bisect_left(edges, fragment.baseline - tolerance)
        beside = bisect_right(edges, fragment.baseline + tolerance) > above
        bands[2 * above + beside].append(fragment)
    return bands


def _are_columns(band: list[Fragment], left: list[Fragment], right: list[Fragment], gutter: float) -> bool:
    if any(len({round(f.baseline) for f in side}) < _FEWEST_LINES for side in (left, right)):
        return False
    switches = sum((a.left < gutter) != (b.left < gutter) for a, b in pairwise(band))
    widths = [sum(f.right - f.left for f in side) / len({round(f.baseline) for f in side}) for side in (left, right)]
    room = min(gutter - min(f.left for f in left), max(f.right for f in right) - gutter)
    return switches <= 2 and min(widths) >= 0.4 * room

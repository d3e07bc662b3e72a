"""Pages set in two columns: which fragments to read before which others."""

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from itertools import pairwise
from math import inf
from statistics import median
from typing import Final

from grader.reading.pdf.lines import Fragment

_HEAD, _FOOT = 0.13, 0.9
"""In heights of the page: where running heads and feet stand."""

_APART: Final = 1.7
"""In em, from baseline to baseline: running heads and feet stand this far from the text."""

_TITLE: Final = 1.2
"""In sizes of the text: so large is a title."""

_FULL, _NARROW = 0.4, 0.2
"""How much of its room the text of a column takes at least, in the mean of its lines: columns of a table take less.
The second holds where one side is drawn to its end before the other one begins."""

_STEP: Final = 2.0
_FARTHEST: Final = 5000.0
"""In points. What is drawn farther off is on no page."""

_FEWEST_LINES: Final = 4


def regions(fragments: Sequence[Fragment], height: float) -> list[list[Fragment]]:
    """The fragments in the parts of a page that are read one after the other; `height` is the page's in points.

    The rows of a table also leave a gap all the way down. What tells columns from a table is the order of drawing: a
    column is drawn to its end before the next one begins, a table row by row.
    """
    head, body, foot = _edges(fragments, height)
    gutter = _gutter(body)
    if gutter is None:
        return [list(fragments)]
    result: list[list[Fragment]] = [head]
    for band in _bands(body, gutter):
        left = [f for f in band if f.right <= gutter]
        right = [f for f in band if f.left >= gutter]
        if _are_columns(band, left, right, gutter):
            result.extend((left, right, []))
        else:
            result[-1].extend(band)
    result[-1].extend(foot)
    return [region for region in result if region]


def _edges(fragments: Sequence[Fragment], height: float) -> tuple[list[Fragment], list[Fragment], list[Fragment]]:
    """What stands apart at the head of a page, the rest, and what stands apart at the foot."""
    baselines = sorted({round(f.baseline, 1) for f in fragments})
    size = median([f.size for f in fragments[:1000]] or [0.0])
    apart = _APART * size
    top = _edge(baselines, _HEAD * height, apart)
    bottom = -_edge([-b for b in reversed(baselines)], -_FOOT * height, apart)
    head = [f for f in fragments if f.baseline <= top + 0.1]
    foot = [f for f in fragments if f.baseline >= bottom - 0.1 and f.baseline > top + 0.1]
    if any(f.size > _TITLE * size for f in (*head, *foot)):
        return [], list(fragments), []
    return head, [f for f in fragments if top + 0.1 < f.baseline < bottom - 0.1], foot


def _edge(baselines: list[float], limit: float, apart: float) -> float:
    """The last of the outermost lines, two at most, that a gap parts from the rest; -inf where there is none."""
    for count in (2, 1):
        if count < len(baselines) and baselines[count - 1] <= limit and baselines[count] - baselines[count - 1] > apart:
            return baselines[count - 1]
    return -inf


def _gutter(fragments: Sequence[Fragment]) -> float | None:
    """The x in the middle third of the text that the fewest fragments cross, None when most cross it everywhere."""
    if len(fragments) < 2 * _FEWEST_LINES:
        return None
    left = max(min(f.left for f in fragments), -_FARTHEST)
    right = min(max(f.right for f in fragments), _FARTHEST)
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
    lines = [len({round(f.baseline) for f in side}) for side in (left, right)]
    if min(lines) < _FEWEST_LINES:
        return False
    switches = sum((a.left < gutter) != (b.left < gutter) for a, b in pairwise(band))
    widths = [sum(f.right - f.left for f in side) / count for side, count in zip((left, right), lines, strict=True)]
    room = min(gutter - min(f.left for f in left), max(f.right for f in right) - gutter)
    if switches == 1:
        return min(widths) >= _NARROW * room
    return switches <= 2 + min(lines) // 4 and min(widths) >= _FULL * room

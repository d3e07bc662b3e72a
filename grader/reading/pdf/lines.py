"""Characters put together to visual lines, in reading order, by where they stand; also on pages set in two columns."""

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import accumulate, pairwise
from math import inf
from operator import itemgetter
from statistics import median
from typing import Final, NamedTuple, TypeVar

from grader.reading.document import Box
from grader.reading.pdf.glyphs import ASCENT, DESCENT, Glyph, bounding_box

WIDE_GAP: Final = 0.9
"""In em: a gap from here on may part two cells of a table; justified text stays below."""

_BETWEEN_SIZES: Final = 0.7
"""In em: a gap from here on between texts of different sizes, as of code and words, may part two cells."""

NARROW: Final = 0.4
"""In em: a gap from here on, in one place on every line of a table, parts columns; words of a cell stand closer."""

SMALLER: Final = 0.92
"""The ratio of sizes below which text is smaller than its neighbour: browsers set powers at 0.83 to 0.89."""

_SAME_LINE: Final = 0.6
"""The part of its height by which a fragment must lie within a line to belong to it. Powers and indices do."""

_MOST_TRIED: Final = 200
_TOUCH: Final = 1.0
"""In points: the slant of a letter reaches so far over the power beside it."""


class Fragment(NamedTuple):
    """Characters drawn one after the other on one baseline in one size, without a wide gap."""

    glyphs: tuple[Glyph, ...]
    left: float
    top: float
    right: float
    bottom: float
    baseline: float
    size: float

    @property
    def text(self) -> str:
        """The characters alone."""
        return "".join([glyph.text for glyph in self.glyphs])

    @property
    def bold(self) -> bool:
        """Whether all of it is bold."""
        return all(glyph.bold for glyph in self.glyphs)

    @property
    def large(self) -> bool:
        """Whether it is nothing but large signs."""
        return self.glyphs[0].large and all(glyph.large for glyph in self.glyphs)


class Line(NamedTuple):
    """Fragments side by side, from left to right. `baseline` and `size` are those of its full-size text."""

    fragments: tuple[Fragment, ...]
    baseline: float
    size: float

    @property
    def box(self) -> Box:
        """The box that the characters cover."""
        return bounding_box([fragment[1:5] for fragment in self.fragments])


def fragments(glyphs: Iterable[Glyph]) -> list[Fragment]:
    """The characters cut wherever baseline or size changes, the pen jumps back, or a wide gap opens."""
    return [fragment_of(run) for run in runs(glyphs, _continues)]


_Item = TypeVar("_Item")


def runs(items: Iterable[_Item], goes_on: Callable[[_Item, _Item], bool]) -> Iterator[list[_Item]]:
    """The items in runs in which each one goes on from the one before it."""
    run: list[_Item] = []
    for item in items:
        if run and not goes_on(run[-1], item):
            yield run
            run = []
        run.append(item)
    if run:
        yield run


def _continues(last: Glyph, glyph: Glyph) -> bool:
    size = last.size
    return (
        abs(glyph.baseline - last.baseline) < 0.04 * size
        and abs(glyph.size - size) < 0.05 * size
        and -0.5 * size < glyph.left - last.right < WIDE_GAP * size
        and glyph.left >= last.left - 0.1 * size
    )


def fragment_of(glyphs: Sequence[Glyph]) -> Fragment:
    """Some characters as one fragment."""
    first = glyphs[0]
    if len(glyphs) == 1:
        return Fragment((first,), first.left, first.top, first.right, first.bottom, first.baseline, first.size)
    _, _, tops, rights, bottoms, *_ = zip(*glyphs, strict=True)
    return Fragment(tuple(glyphs), first.left, min(tops), max(rights), max(bottoms), first.baseline, first.size)


def lines(fragments: Iterable[Fragment]) -> list[Line]:
    """Fragments gathered to lines from the top of the page down; larger text takes in the smaller beside it."""
    gathered = _Gathering()
    for fragment in sorted(fragments, key=lambda f: (-f.size, f.baseline, f.left)):
        gathered.add(fragment)
    return sorted((_line(members) for members in gathered.groups), key=lambda line: line.baseline)


class _Gathering:
    """Groups of fragments on one line; the first of a group is its largest and gives its band."""

    def __init__(self) -> None:
        self.groups: list[list[Fragment]] = []
        self._by_height: dict[int, list[list[Fragment]]] = {}

    def add(self, fragment: Fragment) -> None:
        group = self._home(fragment)
        if group is not None:
            group.append(fragment)
            return
        group = [fragment]
        self.groups.append(group)
        reach = fragment.size
        first, last = int((fragment.baseline - reach) // 8), int((fragment.baseline + 0.4 * reach) // 8)
        for key in range(first, min(last, first + 500) + 1):
            self._by_height.setdefault(key, []).append(group)

    def _home(self, fragment: Fragment) -> list[Fragment] | None:
        """The group that a fragment belongs to: of those that it lies in one that it touches, as a power or an index
        does, else the one it lies in most."""
        key = int((fragment.baseline - 0.25 * fragment.size) // 8)
        homes = [
            (overlap, group)
            for group in self._by_height.get(key, ())
            if (overlap := _overlap(group[0], fragment)) >= _SAME_LINE
        ]
        if len(homes) > 1 and fragment.size < SMALLER * homes[0][1][0].size:
            touched = [
                (overlap, group)
                for overlap, group in homes
                if any(
                    abs(fragment.left - candidate.right) <= 0.15 * group[0].size for candidate in group[:_MOST_TRIED]
                )
            ]
            homes = touched or homes
        return max(homes, key=itemgetter(0))[1] if homes else None


def _overlap(host: Fragment, guest: Fragment) -> float:
    """The share of the guest's height that lies within the host's; a smaller guest may extend beyond it."""
    top, bottom = host.baseline - ASCENT * host.size, host.baseline + DESCENT * host.size
    guest_top, guest_bottom = guest.baseline - ASCENT * guest.size, guest.baseline + DESCENT * guest.size
    if guest.size < SMALLER * host.size:
        top, bottom = top - 0.25 * host.size, bottom + 0.15 * host.size
    return (min(bottom, guest_bottom) - max(top, guest_top)) / guest.size


def _line(members: list[Fragment]) -> Line:
    """The members from left to right, the higher of two that begin together first (a power before an index)."""
    if len(members) == 1:
        return Line((members[0],), members[0].baseline, members[0].size)
    ordered = sorted(_parted_by_guests(members), key=lambda f: (round(f.left, 1), f.baseline))
    plain = [f for f in members if not f.large] or members
    size = max(f.size for f in plain)
    widths: dict[float, float] = {}
    for fragment in plain:
        if fragment.size > SMALLER * size:
            widths[fragment.baseline] = widths.get(fragment.baseline, 0.0) + fragment.right - fragment.left
    baseline = max(widths, key=lambda b: widths[b])
    return Line(tuple(ordered), baseline, size)


def _parted_by_guests(members: Sequence[Fragment]) -> Iterator[Fragment]:
    """The members, with those cut that were drawn to their end before the power or index that fills a gap in them."""
    smallest = min(members, key=lambda f: f.size).size
    for host in members:
        guests = [f.left for f in members if f.size < SMALLER * host.size and host.left < f.left < host.right]
        if smallest >= SMALLER * host.size or not guests:
            yield host
            continue

        def goes_on(glyph: Glyph, other: Glyph, guests: Sequence[float] = guests) -> bool:
            return not any(glyph.right - _TOUCH <= left < other.left for left in guests)

        yield from map(fragment_of, runs(host.glyphs, goes_on))


def leave_room(first: Fragment, gap: float, other: Fragment, size: float) -> bool:
    """Whether the gap between two texts on a line may part two cells of a table."""
    is_other_size = abs(first.size - other.size) > 0.05 * size
    return gap >= (_BETWEEN_SIZES if is_other_size else WIDE_GAP) * size


def is_parted(line: Sequence[Fragment], size: float) -> bool:
    """Whether a gap parts texts of a line: a wide one, or between two numbers one that is wider than a space."""
    if any(leave_room(a, b.left - a.right, b, size) for a, b in pairwise(line)):
        return True
    glyphs = [glyph for fragment in line for glyph in fragment.glyphs]
    return any(
        b.left - a.right >= NARROW * size and a.text[-1:].isdigit() and b.text[:1].isdigit()
        for a, b in pairwise(glyphs)
    )


_HEAD, _FOOT = 0.13, 0.9
"""In heights of the page: where running heads and feet stand."""

_APART: Final = 1.7
"""In em, from baseline to baseline: running heads and feet stand this far from the text."""

_TITLE: Final = 1.2
"""Least size of a title, relative to the size of the text."""

_FULL, _SPARSE = 0.4, 0.2
"""How much of its room the text of a column takes at least, in the mean of its lines: columns of a table take less.
The second holds where one side is drawn to its end before the other one begins."""

_STEP: Final = 2.0
_FARTHEST: Final = 5000.0
"""In points; anything drawn farther away is outside any page."""

_FEWEST_LINES: Final = 4
_SHORT: Final = 20.0
"""In points: what a rule reaches at least into both columns that it crosses."""

_NEAREST: Final = 0.3
"""Of the width of the text: where a second column begins at the earliest."""

_FEWEST_END: Final = 4
"""One in so many lines of a column ends in it; all others may be too wide."""

_MOST_BEGIN: Final = 0.7
"""Of the lines of a column so many begin in it; others go on in a cell of a table that is too wide for it."""


def regions(fragments: Sequence[Fragment], height: float, rules: Iterable[Box] = ()) -> list[list[Fragment]]:
    """The fragments in the parts of a page that are read one after the other; `height` is the page's in points. No
    column goes on over one of the `rules` that cross the room between the columns.

    The rows of a table also leave a gap all the way down. What tells columns from a table is the order of drawing: a
    column is drawn to its end before the next one begins, a table row by row.
    """
    head, body, foot = _edges(fragments, height)
    gutter = _gutter(body)
    if gutter is None:
        return [list(fragments)]
    result: list[list[Fragment]] = [head]
    crossing = [top for left, top, right, _ in rules if left < gutter - _SHORT and right > gutter + _SHORT]
    for band in _bands(body, gutter, crossing):
        left = [f for f in band if f.right <= gutter]
        right = [f for f in band if f.left >= gutter]
        if _are_columns(band, left, right, gutter):
            result.extend((left, right, []))
        else:
            result[-1].extend(band)
    result[-1].extend(foot)
    return [region for region in result if region]


class Column(NamedTuple):
    """The fragments in a column of a page, and the x where it begins; -inf for those that are in none but the first."""

    fragments: list[Fragment]
    left: float = -inf


def drawn_columns(fragments: Sequence[Fragment], width: float, height: float) -> list[Column]:
    """The columns of a page that was drawn column by column, with its head and foot; one for any other page.

    What is too wide for its column is drawn over the next one, and only the order of drawing tells whose it is: a
    column begins where the pen jumps back up, and nothing drawn later stands left of it but what is below all columns.
    """
    head, _, foot = _edges(fragments, height)
    apart = {id(fragment) for fragment in (*head, *foot)}
    end = len(fragments)
    while end and id(fragments[end - 1]) in apart:
        end -= 1
    rest = list(fragments[end:])
    columns = [Column(list(fragments[:end]))]
    while (place := _next_column(columns[-1].fragments, width)) is not None:
        first, last, left = place
        current = columns.pop()
        rest = [*current.fragments[last:], *rest]
        columns += [current._replace(fragments=current.fragments[:first]), Column(current.fragments[first:last], left)]
    if len(columns) == 1:
        return [Column(list(fragments))]
    return [*columns, Column(rest)] if rest else columns


def _next_column(fragments: list[Fragment], width: float) -> tuple[int, int, float] | None:
    """The first index of the column that is drawn after another one, the index behind its last one, and its left end;
    None where there is but one column."""
    if len(fragments) < 2 * _FEWEST_LINES:
        return None
    left, right = min(f.left for f in fragments), min(max(f.right for f in fragments), width)
    least = left + _NEAREST * (right - left)
    lowest = list(accumulate((f.baseline for f in fragments), max))
    highest = list(accumulate((f.baseline for f in reversed(fragments)), min))[::-1]
    for first, (before, begin) in enumerate(pairwise(fragments), 1):
        if begin.left < least or before.baseline - begin.baseline < _FEWEST_LINES * begin.size:
            continue
        start, last = begin.left, first + 1
        while last < len(fragments) and start >= least:
            fragment = fragments[last]
            if fragment.left < start - fragment.size and highest[last] > lowest[last - 1] + _SAME_LINE * fragment.size:
                break
            start, last = min(start, fragment.left), last + 1
        if start >= least and _is_beside(fragments[:first], fragments[first:last], start):
            return first, last, start
    return None


def _is_beside(before: list[Fragment], column: list[Fragment], start: float) -> bool:
    """Whether what was drawn before a column that begins at `start` is a column, too, under what may reach over both:
    it takes at least half of the page's height, its lines begin left of the column, and some end there."""
    top = min(f.baseline - f.size for f in column)
    lines: dict[int, list[Fragment]] = {}
    for fragment in before:
        if fragment.baseline >= top:
            lines.setdefault(round(fragment.baseline), []).append(fragment)
    ending = [line for line in lines.values() if max(f.right for f in line) <= start]
    beginning = sum(min(f.left for f in line) < start for line in lines.values())
    if len(lines) < _FEWEST_LINES or _FEWEST_END * len(ending) < len(lines) or beginning < _MOST_BEGIN * len(lines):
        return False
    written = sum(f.right - f.left for line in ending for f in line) / len(ending)
    whole = max(f.baseline for f in (*before, *column)) - min(f.baseline for f in (*before, *column))
    return written >= _SPARSE * (start - min(f.left for f in before)) and 2 * (max(lines) - top) >= whole


def _edges(fragments: Sequence[Fragment], height: float) -> tuple[list[Fragment], list[Fragment], list[Fragment]]:
    """Return the fragments that stand apart at the head of a page, the rest, and those that stand apart at the foot."""
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
    """The last of the outermost lines (at most two) that a gap separates from the rest; -inf where there is none."""
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


def _bands(fragments: Sequence[Fragment], gutter: float, crossing: Sequence[float]) -> list[list[Fragment]]:
    """The fragments between the lines and rules that cross the gutter, and those lines, from the top down."""
    edges = sorted([*(f.baseline for f in fragments if f.left < gutter < f.right), *crossing])
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
        return min(widths) >= _SPARSE * room
    return switches <= 2 + min(lines) // 4 and min(widths) >= _FULL * room

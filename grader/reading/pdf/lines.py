"""Characters put together to visual lines, in reading order, by where they stand."""

from collections.abc import Iterable, Sequence
from itertools import pairwise
from operator import itemgetter
from typing import Final, NamedTuple

from grader.reading.evidence import Box
from grader.reading.pdf.glyphs import Glyph
from grader.reading.pdf.styles import ASCENT, DESCENT

WIDE_GAP: Final = 0.9
"""In em: a gap from here on may part two cells of a table; justified text stays below."""

NARROW: Final = 0.4
"""In em: a gap from here on, in one place on every line of a table, parts columns; words of a cell stand closer."""

SMALLER: Final = 0.92
"""The ratio of sizes below which text is smaller than its neighbour: browsers set powers at 0.83 to 0.89."""

_SAME_LINE: Final = 0.6
"""The part of its height by which a fragment must lie within a line to belong to it. Powers and indices do."""


_MOST_TRIED: Final = 200


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
        """What the characters cover."""
        if len(self.fragments) == 1:
            return self.fragments[0][1:5]
        lefts, tops, rights, bottoms = zip(*[fragment[1:5] for fragment in self.fragments], strict=True)
        return min(lefts), min(tops), max(rights), max(bottoms)


def fragments(glyphs: Iterable[Glyph]) -> list[Fragment]:
    """The characters cut wherever baseline or size changes, the pen jumps back, or a wide gap opens."""
    result: list[Fragment] = []
    current: list[Glyph] = []
    for glyph in glyphs:
        if current and not _continues(current[-1], glyph):
            result.append(fragment_of(current))
            current = []
        current.append(glyph)
    if current:
        result.append(fragment_of(current))
    return result


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
            homes = [(overlap, group) for overlap, group in homes if _touches(group, fragment)] or homes
        return max(homes, key=itemgetter(0))[1] if homes else None


def _touches(group: list[Fragment], fragment: Fragment) -> bool:
    reach = 0.15 * group[0].size
    return any(abs(fragment.left - member.right) <= reach for member in group[:_MOST_TRIED])


def _overlap(host: Fragment, guest: Fragment) -> float:
    """Which part of the guest's height lies within the host's; what is smaller may stand out."""
    top, bottom = host.baseline - ASCENT * host.size, host.baseline + DESCENT * host.size
    guest_top, guest_bottom = guest.baseline - ASCENT * guest.size, guest.baseline + DESCENT * guest.size
    if guest.size < SMALLER * host.size:
        top, bottom = top - 0.25 * host.size, bottom + 0.15 * host.size
    return (min(bottom, guest_bottom) - max(top, guest_top)) / guest.size


def _line(members: list[Fragment]) -> Line:
    """The members from left to right, the higher of two that begin together first (a power before an index)."""
    if len(members) == 1:
        return Line((members[0],), members[0].baseline, members[0].size)
    ordered = sorted(members, key=lambda f: (round(f.left, 1), f.baseline))
    plain = [f for f in members if not f.large] or members
    size = max(f.size for f in plain)
    widths: dict[float, float] = {}
    for fragment in plain:
        if fragment.size > SMALLER * size:
            widths[fragment.baseline] = widths.get(fragment.baseline, 0.0) + fragment.right - fragment.left
    baseline = max(widths, key=lambda b: widths[b])
    return Line(tuple(ordered), baseline, size)


def is_parted(line: Sequence[Fragment], size: float) -> bool:
    """Whether a gap parts texts of a line: a wide one, or between two numbers one that is wider than a space."""
    if any(b.left - a.right >= WIDE_GAP * size for a, b in pairwise(line)):
        return True
    glyphs = [glyph for fragment in line for glyph in fragment.glyphs]
    return any(
        b.left - a.right >= NARROW * size and a.text[-1:].isdigit() and b.text[:1].isdigit()
        for a, b in pairwise(glyphs)
    )

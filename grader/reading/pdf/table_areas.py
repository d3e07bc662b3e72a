"""Where the rules of a page hold tables: which of them belong together, and the lines of text in between."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby, pairwise
from math import inf
from statistics import median
from typing import Final, NamedTuple

from grader.reading.document import Box
from grader.reading.pdf.drawings import Drawings
from grader.reading.pdf.lines import WIDE_GAP, Fragment, Line, is_parted

_SHORTEST: Final = 40.0
"""In points: the width from which a rule may bound a table."""

_SLACK: Final = 8.0
"""In points: tolerance between the ends of one table's rules, and of its text."""

_DOUBLE: Final = 3.5
"""In points: rules closer together than this are one, drawn twice."""

_TIGHT: Final = 2.2
"""In em: a band between two rules is at most this high where its only line names a group of rows."""

_LOOSE: Final = 2.3
"""In em: what stands further from the next line or rule belongs to no table."""

_BESIDE: Final = 1.0
"""In em, from baseline to baseline: a line so close to another stands beside it, in a cell of two lines."""

_PROSE: Final = 0.4
"""Of the width between the rules: what starts at the left and reaches so far without a gap may be running text."""

MOST_RULES: Final = 600
_MOST_UPRIGHT: Final = 600
_MOST_FRAMES: Final = 1_000
_CELL_ROOM: Final = 0.3
"""In em: cells that touch leave at least so much room, more than a space."""

_THICK: Final = 1.5
"""In points: pieces of rules so close in height are one rule."""

_BORDER: Final = 4.0
"""In points: the room that browsers leave between cells with a border each."""


class Rule(NamedTuple):
    """A flat rule, and the x where the pieces meet that it is drawn from."""

    box: Box
    joints: tuple[float, ...]


class Area(NamedTuple):
    """A table between rules: its box, the heights of the rules that reach from side to side, the shorter rules,
    the x of what is drawn between columns, and whether its rules are drawn cell by cell, so that these are all."""

    box: Box
    whole: tuple[float, ...]
    partial: tuple[Box, ...]
    cuts: tuple[float, ...]
    cell_by_cell: bool


def table_areas(lines: Sequence[Line], drawings: Drawings) -> list[Area]:
    """The tables that rules of one width bound above and below; rules within one make no other. Elsewhere those that
    the file marks."""
    framed = list(_framed(drawings.straight[:_MOST_FRAMES]))
    edges = [(left, y, right, y) for left, top, right, bottom in framed for y in (top, bottom)]
    drawn = rules_of([*drawings.rules[:MOST_RULES], *edges])
    standing = drawings.uprights[:_MOST_UPRIGHT]
    long = [rule for rule in drawn if _width(rule.box) >= _SHORTEST]
    found: list[Area] = []
    for chain in sorted(_chains(long), key=lambda chain: _width(chain[0].box)):
        # The lines that stand in none of the boxes, of those beside which nothing stands.
        boxes = [area.box for area in found]
        own = [
            [(line, within(line, box)) for line in lines if box[1] < line.baseline - 0.3 * line.size < box[3]]
            for box in boxes
        ]
        alone = [one for one in own if all(len(indices) == len(line.fragments) for line, indices in one)]
        inside = {id(line) for one in alone for line, _ in one}
        outside = [line for line in lines if id(line) not in inside]
        found += [_extended(area, lines, long) for area in _areas(chain, lines, outside, drawn, standing)]
    drawn_areas = [
        area
        for area in found
        if not any(_inside(area.box, one.box) and _width(one.box) > _width(area.box) + _SLACK for one in found)
    ]
    named = [Area(table.box, table.heights, (), table.cuts, cell_by_cell=True) for table in drawings.tables]
    # Rules below the head of a table leave its names out.
    drawn_areas = [area for area in drawn_areas if not any(_goes_further_up(one, area) for one in named)]
    return [*drawn_areas, *(area for area in named if not any(_meet(area.box, one.box) for one in drawn_areas))]


def _goes_further_up(named: Area, drawn: Area) -> bool:
    """Whether a table that the file marks has the columns of a drawn one, and rows above it."""
    is_same = len(named.cuts) == len(drawn.cuts) and _meet(named.box, drawn.box)
    return is_same and any(named.box[1] < height <= drawn.box[1] + _THICK for height in named.whole)


def _framed(boxes: Sequence[Box]) -> Iterator[Box]:
    """The boxes that stand side by side with another one of the same height, as cells with a border each do."""
    tops: dict[int, list[Box]] = {}
    for box in boxes:
        if box[2] - box[0] > _SLACK:
            tops.setdefault(round(box[1]), []).append(box)
    for row in tops.values():
        row.sort()
        near = [0 <= b[0] - a[2] < _BORDER and abs(a[3] - b[3]) < 1.0 for a, b in pairwise(row)]
        yield from (
            box for box, before, after in zip(row, [False, *near], [*near, False], strict=True) if before or after
        )


def within(line: Line, box: Box) -> list[int]:
    """The indices of a line's fragments that lie in a box, give or take what sticks out."""
    left, top, right, bottom = box
    middle = line.baseline - 0.3 * line.size
    if not top < middle < bottom:
        return []
    return [i for i, f in enumerate(line.fragments) if f.left >= left - _SLACK and f.right <= right + _SLACK]


def rules_of(boxes: Sequence[Box]) -> list[Rule]:
    """Rules drawn cell by cell put together."""
    heights: list[list[Box]] = []
    for box in sorted(boxes, key=lambda box: box[1]):
        if heights and box[1] - heights[-1][0][1] < _THICK:
            heights[-1].append(box)
        else:
            heights.append([box])
    return [rule for height in heights for rule in _joined(sorted(height))]


def _joined(pieces: list[Box]) -> Iterator[Rule]:
    """Pieces of rules at one height put together where they meet."""
    run: list[Box] = []
    end = -inf
    for piece in [*pieces, (inf,) * 4]:
        if run and piece[0] - end >= _BORDER:
            long = [box for box in run if box[2] - box[0] >= _SLACK]  # shorter ones are dots and dashes
            ends, starts = {box[2] for box in long}, {box[0] for box in long}
            joints = sorted({(a + b) / 2 for a in ends for b in starts if abs(b - a) < _BORDER})
            yield Rule((run[0][0], min(b[1] for b in run), end, max(b[3] for b in run)), tuple(joints))
            run, end = [], -inf
        run.append(piece)
        end = max(end, piece[2])


def _chains(rules: list[Rule]) -> list[list[Rule]]:
    """Chains of rules with about equal ends, each from the top down."""
    chains: list[list[Rule]] = []
    for rule in rules:
        alike = (chain for chain in chains if all(abs(chain[-1].box[i] - rule.box[i]) <= _SLACK for i in (0, 2)))
        chain = next(alike, None)
        if chain is None:
            chains.append([rule])
        elif rule.box[1] - chain[-1].box[3] >= _DOUBLE:
            chain.append(rule)
        else:
            chain[-1] = Rule(rule.box, (*chain[-1].joints, *rule.joints))
    return chains


def _areas(
    chain: list[Rule], lines: Sequence[Line], outside: Sequence[Line], rules: list[Rule], uprights: list[Box]
) -> Iterator[Area]:
    """The runs of bands between neighbouring rules that look like parts of one table, also by what stands `outside` of
    narrower ones: two lines drawn across the page bound none."""
    if len(chain) == 1 and chain[0].joints:
        yield Area(chain[0].box, (chain[0].box[1],), (), tuple(_cuts(chain[0].box, chain, ())), True)
    bands = [(a.box[0], a.box[3], a.box[2], b.box[1]) for a, b in pairwise(chain)]
    joints = [{*a.joints, *b.joints} for a, b in pairwise(chain)]
    looks = [
        "other" if _look(band, outside, uprights, inner) == "other" else _look(band, lines, uprights, inner)
        for band, inner in zip(bands, joints, strict=True)
    ]
    for index, rule in enumerate(chain):
        if "cells" not in looks[max(index - 1, 0) : index + 1]:
            yield from _around(rule, uprights)
    for is_part, run in groupby(range(len(bands)), key=lambda index: looks[index] != "other"):
        inside = list(run)
        while inside and is_part and looks[inside[-1]] == "name":
            inside.pop()
        if not is_part or not inside:
            continue
        ends = chain[inside[0] : inside[-1] + 2]
        box = (ends[0].box[0], ends[0].box[1], ends[0].box[2], ends[-1].box[3])
        own = {id(rule) for rule in ends}
        between = [rule for rule in rules if id(rule) not in own and _inside(rule.box, box)]
        yield Area(
            box,
            tuple((rule.box[1] + rule.box[3]) / 2 for rule in ends),
            tuple(rule.box for rule in between),
            tuple(_cuts(box, ends, uprights)),
            any(rule.joints for rule in ends),
        )


def _around(rule: Rule, uprights: Iterable[Box]) -> Iterator[Area]:
    """The table of a single flat rule, where rules stand on both of its sides: it parts the header from the rows."""
    left, top, right, bottom = rule.box
    inner = [box for box in uprights if left < box[0] < right]
    above = [box for box in inner if top - box[1] > _DOUBLE > top - box[3]]
    below = [box for box in inner if box[3] - bottom > _DOUBLE > box[1] - bottom]
    if above and below:
        standing = [*above, *below]
        box = (left, min(one[1] for one in standing), right, max(one[3] for one in standing))
        if cuts := tuple(_cuts(box, [], standing)):
            yield Area(box, ((top + bottom) / 2,), (), cuts, cell_by_cell=False)


def _extended(area: Area, lines: Sequence[Line], rules: Sequence[Rule]) -> Area:
    """The table with the rows above its first rule and below its last one, up to the next of the `rules`."""
    if not area.cuts:
        return area
    left, top, right, bottom = area.box
    column = (left, -inf, right, inf)
    sizes = [line.fragments[i].size for line in lines for i in within(line, area.box)]
    narrowed = (line._replace(fragments=tuple(line.fragments[i] for i in within(line, column))) for line in lines)
    near = [line for line in narrowed if line.fragments]
    if sizes:
        near = [line for line in near if abs(line.size - median(sizes)) < 0.1 * line.size]
    beside = [rule.box for rule in rules if rule.box[0] < right and rule.box[2] > left]
    upper = max((box[3] for box in beside if box[3] < top - _SLACK), default=-inf)
    lower = min((box[1] for box in beside if box[1] > bottom + _SLACK), default=inf)
    above = [line for line in reversed(near) if upper < line.baseline < top]
    below = [line for line in near if bottom < line.baseline < lower]
    if (first := _last_row(area, above, top, up=True)) is not None:
        top = first.baseline - first.size
    if (last := _last_row(area, below, bottom, up=False)) is not None:
        bottom = last.baseline + 0.5 * last.size
    return area._replace(box=(left, top, right, bottom))


def _last_row(area: Area, lines: list[Line], edge: float, *, up: bool) -> Line | None:
    """The last of the lines next to a table's edge that are rows of it; None where there are none."""
    reached: list[Line] = []
    parted = False
    for line in lines:
        step = abs(line.baseline - edge)
        wide = any(b.left - a.right >= WIDE_GAP * line.size for a, b in pairwise(line.fragments))
        goes_on = line.fragments[0].left > area.cuts[0]
        if step > _LOOSE * line.size or not (wide or (goes_on and (not up or step < _BESIDE * line.size))):
            break
        parted = parted or wide
        reached.append(line)
        edge = line.baseline
    return reached[-1] if parted else None


def _inside(inner: Box, outer: Box) -> bool:
    across = inner[0] >= outer[0] - _SLACK and inner[2] <= outer[2] + _SLACK
    return across and outer[1] < (inner[1] + inner[3]) / 2 < outer[3]


def _meet(one: Box, other: Box) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]


def _width(box: Box) -> float:
    return box[2] - box[0]


def _look(band: Box, lines: Sequence[Line], uprights: list[Box], joints: set[float]) -> str:
    """What stands between two rules: `cells`, the `name` of a group of rows, or something `other`."""
    inside = [[line.fragments[i] for i in indices] for line in lines if (indices := within(line, band))]
    if not inside:
        return "other"
    size = median(fragment.size for fragments in inside for fragment in fragments)
    heights = [band[1], *sorted(line[0].baseline for line in inside), band[3]]
    if any(b - a > _LOOSE * size for a, b in pairwise(heights)):
        return "other"
    parted = sum(is_parted(line, size) for line in inside)
    parted = parted or (len(inside) if _leaves_room(inside, size) else 0)
    prose = sum(
        line[0].left - band[0] < 2 * size
        and line[-1].right - line[0].left > _PROSE * (band[2] - band[0])
        and not is_parted(line, size)
        and (not joints or _runs_over(line, joints, size))
        and sum(c.isalpha() - c.isdigit() for f in line for g in f.glyphs for c in g.text) > 0
        for line in inside
    )
    grid = bool(joints) or any(band[0] + _SLACK < box[0] < band[2] - _SLACK and _inside(box, band) for box in uprights)
    if (parted and 2 * prose <= parted) or (grid and not prose):
        return "cells"
    return "name" if len(inside) == 1 and band[3] - band[1] <= _TIGHT * size else "other"


def _runs_over(line: list[Fragment], joints: set[float], size: float) -> bool:
    """Whether a line's text stands where pieces of rules meet: that of cells leaves room there."""
    glyphs = [glyph for fragment in line for glyph in fragment.glyphs]
    gaps = [(a.right, b.left) for a, b in pairwise(glyphs) if b.left - a.right >= _CELL_ROOM * size]
    within = [joint for joint in joints if line[0].left < joint < line[-1].right]
    return any(not any(left <= joint <= right for left, right in gaps) for joint in within)


def _leaves_room(lines: list[list[Fragment]], size: float) -> bool:
    """Whether a stripe runs down between the texts of some lines and those of others."""
    spans = sorted((fragment.left, fragment.right) for line in lines for fragment in line)
    reached = spans[0][1]
    for left, right in spans:
        if left - reached >= 2 * WIDE_GAP * size:
            return True
        reached = max(reached, right)
    return False


def _cuts(box: Box, rules: list[Rule], uprights: Iterable[Box]) -> Iterator[float]:
    """The x where upright rules stand for at least half of the table's height, or where most rules are joined."""
    left, top, right, bottom = box
    heights: dict[int, float] = defaultdict(float)
    for rule in uprights:
        if _inside(rule, (left, top - _DOUBLE, right, bottom + _DOUBLE)):
            heights[round((rule[0] + rule[2]) / 4)] += rule[3] - rule[1]
    joints = Counter(round(joint / 2) for rule in rules for joint in rule.joints)
    standing = {2.0 * key for key, height in heights.items() if height >= 0.5 * (bottom - top)}
    joined = {2.0 * key for key, count in joints.items() if 2 * count >= len(rules)}
    last = left
    for x in sorted(standing | joined):
        if last + _SLACK < x < right - _SLACK:
            yield x
            last = x

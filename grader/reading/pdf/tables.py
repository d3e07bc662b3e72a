"""Tables of a page. Its rules show where they are; columns are where the lines leave room all the way down or some
cells touch the next; rows are put together where a cell goes on below, with names of groups beside all their rows, and
names over several columns above each.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, groupby, pairwise
from math import inf
from operator import itemgetter
from statistics import median
from typing import Final, NamedTuple

from grader.reading.document import Box, ReadingDoubt
from grader.reading.pdf.blocks import captions_of_tables
from grader.reading.pdf.characters import MarkedText, join_texts
from grader.reading.pdf.drawings import Drawings
from grader.reading.pdf.glyphs import ASCENT, DESCENT, Glyph, bounding_box
from grader.reading.pdf.lines import NARROW, WIDE_GAP, Fragment, Line, fragment_of, is_parted, runs
from grader.reading.pdf.marks import PageLine, Piece, pieces
from grader.reading.structure import is_label, names_task

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
    for linked in sorted(_chains(long), key=lambda linked: _width(linked[0].box)):
        # The lines that stand in none of the boxes, of those beside which nothing stands.
        boxes = [area.box for area in found]
        box_lines = [
            [(line, indices_within(line, box)) for line in lines if box[1] < line.baseline - 0.3 * line.size < box[3]]
            for box in boxes
        ]
        alone = [
            inner_lines
            for inner_lines in box_lines
            if all(len(indices) == len(line.fragments) for line, indices in inner_lines)
        ]
        inside = {id(line) for inner_lines in alone for line, _ in inner_lines}
        outside = [line for line in lines if id(line) not in inside]
        found += [_extended(area, lines, long) for area in _areas(linked, lines, outside, drawn, standing)]
    drawn_areas = [
        area
        for area in found
        if not any(
            _inside(area.box, candidate.box) and _width(candidate.box) > _width(area.box) + _SLACK
            for candidate in found
        )
    ]
    named = [Area(table.box, table.heights, (), table.cuts, cell_by_cell=True) for table in drawings.tables]
    # Rules below the head of a table leave its names out.
    drawn_areas = [area for area in drawn_areas if not any(_goes_further_up(candidate, area) for candidate in named)]
    return [
        *drawn_areas,
        *(area for area in named if not any(_meet(area.box, candidate.box) for candidate in drawn_areas)),
    ]


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


def indices_within(line: Line, box: Box) -> list[int]:
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
        end_ids = {id(rule) for rule in ends}
        between = [rule for rule in rules if id(rule) not in end_ids and _inside(rule.box, box)]
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
        box = (left, min(upright[1] for upright in standing), right, max(upright[3] for upright in standing))
        if cuts := tuple(_cuts(box, [], standing)):
            yield Area(box, ((top + bottom) / 2,), (), cuts, cell_by_cell=False)


def _extended(area: Area, lines: Sequence[Line], rules: Sequence[Rule]) -> Area:
    """The table with the rows above its first rule and below its last one, up to the next of the `rules`."""
    if not area.cuts:
        return area
    left, top, right, bottom = area.box
    column = (left, -inf, right, inf)
    sizes = [line.fragments[i].size for line in lines for i in indices_within(line, area.box)]
    narrowed = (
        line._replace(fragments=tuple(line.fragments[i] for i in indices_within(line, column))) for line in lines
    )
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


def _meet(first: Box, other: Box) -> bool:
    return first[0] < other[2] and other[0] < first[2] and first[1] < other[3] and other[1] < first[3]


def _width(box: Box) -> float:
    return box[2] - box[0]


def _look(band: Box, lines: Sequence[Line], uprights: list[Box], joints: set[float]) -> str:
    """Return the content between two rules: `cells`, the `name` of a group of rows, or something `other`."""
    inside = [[line.fragments[i] for i in indices] for line in lines if (indices := indices_within(line, band))]
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


_MONOSPACED: Final = 0.75
"""The same where all characters are equally wide: their spaces are 0.5 to 0.6 em."""

_TOUCHING: Final = 0.05
_ALIGNED: Final = 0.12
"""In em: so far may the cells of one column begin from each other where no gap parts them from the column before."""

_SPACE: Final = 0.15
"""In em: the least room between two numbers."""

_DECIMAL: Final = re.compile(r"[-+−]?\d{1,4}[.,]\d{1,6} ?%?")

_NUMBER: Final = re.compile(r"[-+−]?\d{1,7}(?:[.,]\d{1,6})? ?%?")
_GROUP: Final = re.compile(r"\d{3}(?!\d)")

_MOST_SPANS: Final = 4_000
_MOST_GAPS: Final = 60
"""Most columns of a table; no person writes more."""


class Gap(NamedTuple):
    """Room between two columns: its ends, where to cut, and where the column behind it ends. One that is `tight` is as
    narrow as a space; the numbers on both sides of it tell that it parts columns."""

    left: float
    right: float
    cut: float
    end: float = 0.0
    tight: bool = False


class CellText(NamedTuple):
    """The text of a line in one column, or in several where it crosses the gaps between them."""

    first: int
    last: int
    marked: MarkedText
    left: float
    right: float
    baseline: float
    size: float
    bold: bool


_OPERATOR: Final = re.compile(r"[-+−–*×·/=<>≈±]|(?<![^\s\d)])x(?![^\s\d(])")


def gaps_between(lines: Sequence[Line], drawn: Sequence[float], *, complete: bool) -> list[Gap]:
    """The gaps between the columns of a table, from left to right; `drawn` are the x of what is drawn between some of
    them, or between all. What is drawn through the words of most lines parts no columns: it belongs to a scroll bar."""
    size = max((line.size for line in lines), default=10.0)
    several = [line for line in lines if is_parted(line.fragments, line.size)]
    rows = [_spans(line) for line in (several if len(several) > 1 else lines)][:_MOST_SPANS]
    texts = [_spans(line) for line in lines]
    through = [sum(any(left + 1 < x < right - 1 for left, right in spans) for spans in texts) for x in drawn]
    found = [Gap(x, x, x) for x, times in zip(drawn, through, strict=True) if complete or 2 * times <= len(lines)]
    if complete and found:
        return found
    for more in (_free(rows, size), _crossed(rows, size), _between_numbers(lines)):
        found += [gap for gap in more if not any(gap.left < other.cut < gap.right for other in found)]
    if len(found) > _MOST_GAPS:
        return []
    glyphs = [_glyphs(line) for line in lines] if found else []
    drawn_or_right = [gap for gap in found if gap.left == gap.right or not _parts_formulas(lines, glyphs, gap)]
    return _with_both_sides(lines, sorted(drawn_or_right, key=lambda gap: gap.cut))


def _with_both_sides(lines: Sequence[Line], gaps: list[Gap]) -> list[Gap]:
    """The gaps without those between two columns that no line fills both of: a centred name over a narrow column."""
    filled = [{cell.first for cell in cells_between(line, gaps) if cell.first == cell.last} for line in lines]
    kept: list[Gap] = []
    since = 0
    for index, gap in enumerate(gaps):
        before, after = range(since, index + 1), index + 1
        if gap.left == gap.right or any(after in columns and columns.intersection(before) for columns in filled):
            kept.append(gap)
            since = index + 1
    return kept


def _parts_formulas(lines: Sequence[Line], characters: Sequence[Sequence[Glyph]], gap: Gap) -> bool:
    """Whether a gap stands beside an operator on most lines that have text close to it on both sides."""
    beside = []
    for line, glyphs in zip(lines, characters, strict=True):
        before = [g for g in glyphs if g.right <= gap.cut]
        after = glyphs[len(before) :]
        if before and after and after[0].left - before[-1].right < 2 * WIDE_GAP * line.size:
            beside.append(bool(_OPERATOR.match(after[0].text) or _OPERATOR.search(before[-1].text[-1:])))
    return 2 * sum(beside) > len(beside) > 0


def cells_between(line: Line, gaps: Sequence[Gap]) -> list[CellText]:
    """The texts of a line's columns; one that leaves no room at a gap reaches over it."""
    glyphs = _glyphs(line)
    overrun = {index: start for index, gap in enumerate(gaps) if (start := _overrun(line, gap)) is not None}
    cuts = [(i, cut) for i, gap in enumerate(gaps) if (cut := overrun.get(i) or _cut(line, glyphs, gap)) is not None]
    within = [cut for index, cut in cuts if index not in overrun]
    parts: dict[int, list[Fragment]] = {}
    for fragment in line.fragments:
        for piece in _parted(fragment, within):
            middle = (piece.left + piece.right) / 2
            passed = sum(cut <= (piece.left if index in overrun else middle) for index, cut in cuts)
            parts.setdefault(passed, []).append(piece)
    found = []
    for passed, part in sorted(parts.items()):
        written = pieces(Line(tuple(part), line.baseline, line.size))
        if not written:
            continue
        left, right = min(f.left for f in part), max(f.right for f in part)
        lowest = cuts[passed - 1][0] + 1 if passed else 0
        highest = cuts[passed][0] if passed < len(cuts) else len(gaps)
        over = [i for i in range(lowest, highest + 1) if reaches(left, right, i, gaps)] or [lowest]
        text = join_texts(" ", [piece.marked for piece in written])
        bold = all(piece.bold for piece in written)
        found.append(CellText(over[0], over[-1], text, left, right, line.baseline, line.size, bold))
    return found


def reaches(left: float, right: float, column: int, gaps: Sequence[Gap]) -> bool:
    """Whether a text lies in a column at least in part."""
    start = gaps[column - 1].cut if column else -inf
    end = gaps[column].cut if column < len(gaps) else inf
    return left < end and start < right


def _glyphs(line: Line) -> list[Glyph]:
    """The characters of a line from left to right."""
    return sorted((glyph for fragment in line.fragments for glyph in fragment.glyphs), key=lambda glyph: glyph.left)


def _narrow(line: Line) -> float:
    """The least gap, in points, that may separate a line's texts into cells."""
    widths = sorted((g.right - g.left) / len(g.text) for f in line.fragments for g in f.glyphs if g.text)
    low, high = (widths[len(widths) // 8], widths[-1 - len(widths) // 8]) if widths else (0.0, 1.0)
    return (_MONOSPACED if len(widths) > 2 and high - low < 0.01 * line.size else NARROW) * line.size


def _spans(line: Line) -> list[tuple[float, float]]:
    """Return the spans that the text of a line covers, its narrower gaps left out."""
    gap = _narrow(line)
    spans: list[tuple[float, float]] = []
    for glyph in _glyphs(line):
        if spans and glyph.left - spans[-1][1] < gap:
            spans[-1] = (spans[-1][0], max(spans[-1][1], glyph.right))
        else:
            spans.append((glyph.left, glyph.right))
    return spans


def _free(rows: Sequence[Sequence[tuple[float, float]]], size: float) -> list[Gap]:
    """The gaps that no line crosses; narrow ones where three lines or more leave them between two of their texts."""
    found = []
    for left, right, crossing in _levels(rows):
        beside = sum(row[0][1] <= left + 0.1 and row[-1][0] >= right - 0.1 for row in rows)
        if not crossing and (right - left >= WIDE_GAP * size or (right - left >= NARROW * size and beside > 2)):
            found.append(Gap(left, right, (left + right) / 2, _end_from(rows, right)))
    return found


def _crossed(rows: Sequence[Sequence[tuple[float, float]]], size: float) -> list[Gap]:
    """The wide gaps that few lines cross: names over several columns, or one long text."""
    few = len(rows) // 4 or int(len(rows) > 2)
    found: list[Gap] = []
    run: list[tuple[float, float, int]] = []
    for level in [*_levels(rows), (0.0, 0.0, len(rows) + 1)]:
        if level[2] <= few:
            run.append(level)
            continue
        ends = (run[0][0], run[-1][1]) if run else (0.0, 0.0)
        both = sum(row[0][0] < ends[0] and row[-1][1] > ends[1] for row in rows)
        if both > 1 and ends[1] - ends[0] >= WIDE_GAP * size:
            least = min(level[2] for level in run)
            left, right, _ = max((level for level in run if level[2] == least), key=lambda level: level[1] - level[0])
            found.append(Gap(*ends, (left + right) / 2, _end_from(rows, ends[1])))
        run = []
    return found


def _between_numbers(lines: Sequence[Line]) -> Iterator[Gap]:
    """The gaps, wide or as narrow as a space, that stand between two numbers with decimals on most lines: no number
    goes on behind its decimals."""
    decimals = ([(word, bool(_DECIMAL.fullmatch(word.text))) for word in _words(line)] for line in lines)
    by_line = [[(a.right, b.left) for (a, first), (b, last) in pairwise(of) if first and last] for of in decimals]
    for left, right in max(by_line, key=len, default=[]):
        for ends in by_line:
            met = [(max(left, a), min(right, b)) for a, b in ends if a < right and left < b]
            left, right = met[0] if met else (left, right)
        shared = sum(any(a <= left and right <= b for a, b in ends) for ends in by_line)
        if left < right and shared > 1 and 2 * shared >= len(lines):
            yield Gap(left, right, (left + right) / 2, tight=True)


class _Word(NamedTuple):
    text: str
    left: float
    right: float


def _words(line: Line) -> list[_Word]:
    """Return the words that spaces separate, from left to right; `79.3 %` is one."""
    glyphs = (glyph for glyph in _glyphs(line) if glyph.text.strip())
    words = runs(glyphs, lambda a, b: b.text == "%" or b.left - a.right < _SPACE * line.size)
    return [_Word("".join(g.text for g in word), word[0].left, word[-1].right) for word in words]


def _end_from(rows: Sequence[Sequence[tuple[float, float]]], left: float) -> float:
    """The right ends of the texts that begin at an x."""
    return max((span[1] for row in rows for span in row if abs(span[0] - left) < 0.1), default=0.0)


def _levels(rows: Sequence[Sequence[tuple[float, float]]]) -> list[tuple[float, float, int]]:
    """The stretches between the first text and the last, each with how many lines cover it."""
    steps: dict[float, int] = defaultdict(int)
    for left, right in chain(*rows):
        steps[left] += 1
        steps[right] -= 1
    levels: list[tuple[float, float, int]] = []
    covering = 0
    for left, right in pairwise(sorted(steps)):
        covering += steps[left]
        if levels and levels[-1][2] == covering:
            levels[-1] = (levels[-1][0], right, covering)
        else:
            levels.append((left, right, covering))
    return levels


def _cut(line: Line, glyphs: Sequence[Glyph], gap: Gap) -> float | None:
    """Return the place where a line of these characters is cut at a gap: where it leaves room, else where a text begins
    right below the others, if that is a number, or without a space in a line that has spaces."""
    before = [g for g in glyphs if g.right <= gap.cut + 0.1]
    after = [g for g in glyphs if g.left >= gap.cut - 0.1]
    if len(before) + len(after) == len(glyphs):
        end = max((g.right for g in before), default=-inf)
        start = min((g.left for g in after), default=inf)
        least = _TOUCHING if gap.left == gap.right else _SPACE if gap.tight else 0.0
        if start - end >= (least * line.size or _narrow(line)):
            return gap.cut
    drawn = any(" " in glyph.text or glyph.spaced for glyph in glyphs)
    for left_glyph, other in pairwise(glyphs):
        starts = abs(other.left - gap.right) <= _ALIGNED * line.size
        if not starts or other.left - left_glyph.right < _TOUCHING * line.size:
            continue
        end = max((g.right for g in glyphs if g.left >= other.left and g.right <= gap.end + line.size), default=0.0)
        is_number = (
            other.text[0].isdigit() and left_glyph.text[-1].isalpha() and abs(end - gap.end) <= _ALIGNED * line.size
        )
        is_other_type = abs(other.size - left_glyph.size) > 0.05 * line.size
        if is_number or is_other_type or (drawn and not other.spaced):
            return (left_glyph.right + other.left) / 2
    return None


def _overrun(line: Line, gap: Gap) -> float | None:
    """Return the place where a text begins right below the others of its column although the one before it, too wide
    for its own, is drawn on over it."""
    for fragment in line.fragments:
        if abs(fragment.left - gap.right) <= _ALIGNED * line.size and any(
            other.left < fragment.left and other.right - fragment.left > _TOUCHING * line.size
            for other in line.fragments
            if other.baseline == fragment.baseline
        ):
            return fragment.left
    return None


def _parted(fragment: Fragment, cuts: Sequence[float]) -> list[Fragment]:
    """A fragment cut between its characters."""
    inner = [cut for cut in cuts if fragment.left < cut < fragment.right]
    if not inner:
        return [fragment]
    groups: dict[int, list[Glyph]] = {}
    for glyph in fragment.glyphs:
        groups.setdefault(sum(cut <= (glyph.left + glyph.right) / 2 for cut in inner), []).append(glyph)
    return [fragment_of(group) for _, group in sorted(groups.items())]


_ROW_STEP: Final = 2.3
"""In em, from baseline to baseline: rows further apart belong to different tables."""

_FEWEST_PARTED: Final = 2
_MOST_WORDS: Final = 3
"""Most words in the name of a narrow column."""


def touching(lines: Sequence[Line]) -> Iterator[tuple[list[Line], Area]]:
    """Runs of lines without rules that are a table all the same, in which some cells touch the next: where the other
    lines leave the same gaps, and a line that leaves none can be cut there."""
    for run in runs(lines, _follows):
        parted = [line for line in run if is_parted(line.fragments, line.size)]
        for start, end in _stretches(run, parted):
            stretch = run[start:end]
            gaps = gaps_between([line for line in stretch if line in parted], (), complete=False)
            cells = [cells_between(line, gaps) for line in stretch] if gaps else []
            if cells and all(len(row) == len(gaps) + 1 for row in cells):
                yield stretch, Area(bounding_box([line.box for line in stretch]), (), (), (), cell_by_cell=False)


def rows_of_numbers(lines: Sequence[Line]) -> Iterator[tuple[list[Line], Area]]:
    """Runs of lines without rules that end with equally many numbers, with spaces between them that stand below each
    other, and the area of their table: with the line of names above and lines below that leave the same room."""
    for run in runs(lines, _follows):
        ends = [_before_numbers(line) for line in run]
        first = 0
        while first < len(run):
            room, end = ends[first], first + 1
            while end < len(run) and len(ends[end]) == len(room) and (shared := _shared(room, ends[end], run[end])):
                room, end = shared, end + 1
            if len(room) < _FEWEST_PARTED or end - first < _FEWEST_PARTED:
                first += 1
                continue
            start = first
            if first and (shared := _left_by(run[first - 1], room, _MOST_WORDS)):
                room, start = shared, first - 1
            while end < len(run) and (shared := _left_by(run[end], room, 1)):
                room, end = shared, end + 1
            stretch = run[start:end]
            if any(right - left < WIDE_GAP * line.size for line in stretch for left, right in _before_numbers(line)):
                cuts = tuple((left + right) / 2 for left, right in room)
                yield stretch, Area(bounding_box([line.box for line in stretch]), (), (), cuts, cell_by_cell=True)
            first = end


_Room = list[tuple[float, float]]


def _before_numbers(line: Line) -> _Room:
    """The room before each of the numbers that a line ends with, back to the first with decimals; none between the
    parts of a number in groups of three, nor where all characters are equally wide."""
    last = next((text for glyph in reversed(_glyphs(line)) if (text := glyph.text.rstrip())), "")
    if not (last.endswith("%") or last[-1:].isdecimal()) or _narrow(line) >= _MONOSPACED * line.size:
        return []
    found: _Room = []
    for word, other in reversed(list(pairwise(_words(line)))):
        is_number = _NUMBER.fullmatch(word.text)
        goes_on = is_number and word.text.isdigit() and _GROUP.match(other.text)
        if goes_on or not (_DECIMAL.fullmatch(other.text) or (is_number and _NUMBER.fullmatch(other.text))):
            break
        found.insert(0, (word.right, other.left))
    return found


def _shared(room: _Room, other: _Room, line: Line) -> _Room:
    """Return the room that two lines both leave free; empty if it is less than a space anywhere."""
    both = [(max(a, c), min(b, d)) for (a, b), (c, d) in zip(room, other, strict=True)]
    return both if all(right - left >= _SPACE * line.size for left, right in both) else []


def _left_by(line: Line, room: _Room, most_words: int) -> _Room:
    """Return the part of the room between columns that a line leaves, if it has text in the last and before, and at
    most so many words in each but the first; else empty."""
    words = _words(line)
    ends = [-inf, *(end for word in words for end in (word.left, word.right)), inf]
    free = [(ends[i], ends[i + 1]) for i in range(0, len(ends), 2)]
    widest = [max(free, key=lambda gap: min(gap[1], right) - max(gap[0], left)) for left, right in room]
    columns = [sum(word.left > (left + right) / 2 for left, right in room) for word in words]
    if len(room) not in columns or len(set(columns)) < _FEWEST_PARTED:
        return []
    if any(columns.count(column) > most_words for column in set(columns) - {0}):
        return []
    return _shared(room, widest, line)


def _follows(above: Line, line: Line) -> bool:
    step = line.baseline - above.baseline
    return 0 < step <= _ROW_STEP * line.size and abs(line.size - above.size) < 0.1 * line.size


def _stretches(run: list[Line], parted: list[Line]) -> Iterator[tuple[int, int]]:
    """Yield the stretches of a run with at least two lines in parts around one that is not."""
    parted_ids = {id(line) for line in parted}
    for index, line in enumerate(run):
        if id(line) in parted_ids:
            continue
        start, end = index, index + 1
        while start and id(run[start - 1]) in parted_ids:
            start -= 1
        while end < len(run) and id(run[end]) in parted_ids:
            end += 1
        if end - start > _FEWEST_PARTED:
            yield start, end


_MOST_TABLES: Final = 60
_MOST_COLUMNS: Final = 60

_LEADING: Final = 1.6
"""In em, from baseline to baseline: lines further apart belong to different rows."""

_LOOSER: Final = 1.2
"""In points: by so much more are the lines of two rows apart than those of one cell."""

_OFF_CENTRE: Final = 0.25
"""In em: the middles of the cells of one row are no further apart."""

_WORD_GAP: Final = 0.25
"""In em: the room between two words."""

_LAST: Final = 100_000
"""Behind all rows of a table."""

_SMALLEST_GROUP: Final = 3
_FIGURE: Final = re.compile(r"\d")
_LETTER: Final = re.compile(r"[^\W\d_]")
_OPEN: Final = re.compile(r"\S\s*[/→±×=+(]$")
_GOES_ON: Final = re.compile(r"[/→±×=)]\s*\S|%")


class _Row(NamedTuple):
    """The texts of one row of a table, which may stand on several lines."""

    texts: tuple[CellText, ...]

    def texts_in_column(self, column: int) -> list[CellText]:
        """Return the texts that stand in this column only, from the top down."""
        return [text for text in self.texts if text.first == column == text.last]

    @property
    def columns(self) -> set[int]:
        """All columns that some text reaches."""
        return {column for text in self.texts for column in range(text.first, text.last + 1)}


def page_rows(lines: Sequence[Line], page: int, drawings: Drawings) -> list[PageLine]:
    """The lines of a part of a page from the top down, the rows of each table between rules as one line each."""
    rest = list(lines)
    placed: list[tuple[tuple[float, float, int], PageLine]] = []
    for area in table_areas(lines, drawings)[:_MOST_TABLES]:
        inside, outside = _inside_and_outside(rest, area.box)
        rows = list(_rows(inside, area, page)) if inside else []
        if rows:
            placed += [((area.box[1], area.box[0], index), row) for index, row in enumerate(rows)]
            rest = outside
    for tables_in in (touching, rows_of_numbers):
        for run, area in list(tables_in(rest)):
            rows = list(_rows(run, area, page))
            placed += [((run[0].baseline - run[0].size, run[0].box[0], index), row) for index, row in enumerate(rows)]
            gone = {id(line) for line in run} if rows else set()
            rest = [line for line in rest if id(line) not in gone]
    tables = _boxes(placed)
    for line in rest:
        written = tuple(pieces(line))
        captions = captions_of_tables(written, line.box, line.size, list(tables.values())) if len(written) > 1 else []
        for caption in captions:
            top, left = list(tables)[caption.table]
            box = (caption.pieces[0].left, line.box[1], caption.pieces[-1].right, line.box[3])
            order = _LAST if caption.is_below else -1
            placed.append(((top, left, order), PageLine(page, box, line.size, caption.pieces, is_caption=True)))
        if written and not captions:
            placed.append(((line.baseline - line.size, line.box[0], 0), PageLine(page, line.box, line.size, written)))
    rows = _with_misaligned([row for _, row in sorted(placed, key=itemgetter(0))], drawings)
    return _with_overlapping(rows, [line.box for line in lines if _is_over_itself(line)])


def _with_overlapping(rows: list[PageLine], places: Sequence[Box]) -> list[PageLine]:
    """The lines, as unsure where words are printed over each other."""

    def is_at(row: PageLine, box: Box) -> bool:
        return _meet(row.box, box) and box[1] < (row.box[1] + row.box[3]) / 2 < box[3]

    return (
        [
            row._replace(unsure=ReadingDoubt.OVERLAPPING) if any(is_at(row, box) for box in places) else row
            for row in rows
        ]
        if places
        else rows
    )


def _is_over_itself(line: Line) -> bool:
    """Whether texts of a line are printed over each other, and are not the same, as in bold type."""
    texts = [fragment for fragment in line.fragments if sum(map(str.isalnum, fragment.text)) >= _WORDS_OVER]
    return any(
        a.right - b.left > max(a.size, b.size)
        for a, b in pairwise(texts)
        if a.text not in b.text and b.text not in a.text
    )


_WORDS_OVER: Final = 3
"""Letters and digits of a text; fewer may be a sign over another one."""


def _with_misaligned(rows: list[PageLine], drawings: Drawings) -> list[PageLine]:
    """The lines of a part of a page, with those of a table as unsure of which the rules are not equally long and cells
    reach beyond the shorter ones: LaTeX sets the head of a long table in other columns than its rows until it has run
    several times."""
    rules = [rule.box for rule in rules_of(drawings.rules[:MOST_RULES]) if _width(rule.box) >= _SHORTEST]
    gone = {
        id(row)
        for upper, lower in pairwise(rules)
        if not _is_partial(min(upper, lower, key=_width), max(upper, lower, key=_width), rules, rows)
        for row in _between_unequal(rows, upper, lower)
    }
    return [row._replace(unsure=ReadingDoubt.MISALIGNED) if id(row) in gone else row for row in rows] if gone else rows


def _is_partial(narrow: Box, wide: Box, rules: Sequence[Box], rows: Sequence[PageLine]) -> bool:
    """Whether a rule stands between two of its table that are as long as a wider one: it is under a head of some
    columns only. The text between two tables is no head."""
    equal = [rule for rule in rules if max(abs(rule[0] - wide[0]), abs(rule[2] - wide[2])) < _DOUBLE]
    above = max((rule[3] for rule in equal if rule[3] < narrow[1]), default=inf)
    head = [row for row in rows if above < (row.box[1] + row.box[3]) / 2 < narrow[1]]
    is_one = len(head) <= _HEADS and not any(_reaches_over(wide, row.box) for row in head)
    return above < narrow[1] and is_one and any(rule[1] > narrow[3] for rule in equal)


_HEADS: Final = 4
"""Lines of a table's head."""


def _between_unequal(rows: Sequence[PageLine], upper: Box, lower: Box) -> Sequence[PageLine]:
    """The lines between two rules of one table of which one is shorter than the lines; none between others."""
    is_centred = abs(upper[0] + upper[2] - lower[0] - lower[2]) < _DOUBLE
    if abs(_width(upper) - _width(lower)) < 2 * _SLACK or not (is_centred or abs(upper[0] - lower[0]) < _DOUBLE):
        return ()
    narrow, wide = sorted((upper, lower), key=_width)
    between = [row for row in rows if upper[3] < (row.box[1] + row.box[3]) / 2 < lower[1]]
    is_one = all(len(row.pieces) > 1 and not _reaches_over(wide, row.box) for row in between)
    return between if is_one and any(_reaches_over(narrow, row.box) for row in between) else ()


def _reaches_over(rule: Box, box: Box) -> bool:
    return box[0] < rule[0] - _SLACK or box[2] > rule[2] + _SLACK


def _boxes(rows: Sequence[tuple[tuple[float, float, int], PageLine]]) -> dict[tuple[float, float], Box]:
    """The boxes of the tables whose rows have been placed, by the place of the table."""
    boxes: dict[tuple[float, float], Box] = {}
    for (top, left, _), row in rows:
        boxes[top, left] = bounding_box([boxes.get((top, left), row.box), row.box])
    return boxes


def _inside_and_outside(lines: Sequence[Line], box: Box) -> tuple[list[Line], list[Line]]:
    """Return the part of the lines in a box, and the rest."""
    inside: list[Line] = []
    outside: list[Line] = []
    for line in lines:
        inner_indices = set(indices_within(line, box))
        for group, wanted in ((inside, True), (outside, False)):
            fragments = tuple(f for i, f in enumerate(line.fragments) if (i in inner_indices) is wanted)
            if fragments:
                group.append(Line(fragments, line.baseline, line.size))
    return inside, outside


def _rows(lines: list[Line], area: Area, page: int) -> Iterator[PageLine]:
    """The rows of one table; none where it has a single column."""
    gaps = gaps_between(lines, area.cuts, complete=area.cell_by_cell)
    width = len(gaps) + 1
    if not 1 < width <= _MOST_COLUMNS:
        return
    parted = [
        _Row(tuple(_over_rules(cells, area.partial, gaps))) for line in lines if (cells := cells_between(line, gaps))
    ]
    starts = [*(gap.right for gap in gaps), inf]
    ends = [
        max((t.right for row in parted for t in row.texts_in_column(column) if t.right < starts[column]), default=0.0)
        for column in range(width)
    ]
    layout = _Layout(width, ends, area.partial)
    bands = [
        list(band) for _, band in groupby(parted, key=lambda row: sum(y < row.texts[0].baseline for y in area.whole))
    ]
    found = [layout.rows(band) for band in bands]
    if len(bands) > 1 and any(len(rows) < len(band) for rows, band in zip(found[1:], bands[1:], strict=True)):
        found[0] = layout.head(bands[0]) or found[0]
    for rows in found:
        for row in _with_centred(_named(rows), area.partial, width):
            yield _page_line(row, page, area.box, width)


def _over_rules(cells: list[CellText], rules: Sequence[Box], gaps: Sequence[Gap]) -> Iterator[CellText]:
    """The cells of a line; one that stands alone right above a short rule stands over all columns that this does."""
    for cell in cells:
        below = [r for r in rules if 0 < r[1] - cell.baseline < cell.size and r[0] < cell.right and cell.left < r[2]]
        if len(below) == 1 and sum(below[0][0] < other.right and other.left < below[0][2] for other in cells) == 1:
            over = [i for i in range(len(gaps) + 1) if reaches(below[0][0], below[0][2], i, gaps)]
            yield cell._replace(first=min(over), last=max(over))
        else:
            yield cell


class _Layout(NamedTuple):
    """A table's number of columns, where the text of each ends, and the rules that part rows in some columns."""

    width: int
    ends: list[float]
    partial: tuple[Box, ...]

    def rows(self, lines: list[_Row]) -> list[_Row]:
        """The rows of a band between two rules."""
        found: list[_Row] = []
        for single, run in groupby(lines, key=lambda row: all(text.first == text.last for text in row.texts)):
            group = list(run)
            found += (self._by_gaps(group) or _as_one(group) or self._from_the_top(group)) if single else group
        return found

    def _by_gaps(self, lines: list[_Row]) -> list[_Row] | None:
        """Rows whose lines stand closer to each other than to the next row, in whatever height of the row its short
        cells stand; None where they do not."""
        columns = [[text for row in lines for text in row.texts_in_column(column)] for column in range(self.width)]
        steps = [b.baseline - a.baseline for column in columns for a, b in pairwise(column)]
        size = lines[0].texts[0].size
        if not steps or min(steps) > _LEADING * size:
            return None
        near = min(steps) + _LOOSER
        groups = [group for column in columns for group in runs(column, lambda a, b: b.baseline - a.baseline <= near)]
        rows = _overlapping(groups)
        links = [self._full(a, b) for group in groups for a, b in pairwise(group)]
        if len(rows) == len(lines) or not all(_is_row(row) for row in rows) or 2 * sum(links) < len(links):
            return None
        return [_Row(tuple(text for group in row for text in group)) for row in rows]

    def head(self, lines: list[_Row]) -> list[_Row] | None:
        """The lines of a table's head as one row, where they are narrow texts broken over several lines, as rows below
        are; None where they are several rows."""
        if len(lines) < 2 or any(text.first != text.last for row in lines for text in row.texts):
            return None
        columns = [[text for row in lines for text in row.texts_in_column(column)] for column in range(self.width)]
        is_broken = all(self._full(a, b) for column in columns for a, b in pairwise(column))
        ends_there = all(row.columns <= lines[-1].columns for row in lines)
        return [_Row(tuple(text for row in lines for text in row.texts))] if is_broken and ends_there else None

    def _from_the_top(self, lines: list[_Row]) -> list[_Row]:
        """Rows that begin with their first cell: a line that only goes on with full cells belongs to the row above.
        Where some cells do, one-word cells may, too."""
        rows = self._put_together(lines, words=2)
        return self._put_together(lines, words=1) if len(rows) < len(lines) else rows

    def _put_together(self, lines: list[_Row], words: int) -> list[_Row]:
        rows: list[_Row] = []
        for line in lines:
            if rows and self._continues(rows[-1], line, words):
                rows[-1] = _Row((*rows[-1].texts, *line.texts))
            else:
                rows.append(line)
        return rows

    def _continues(self, row: _Row, line: _Row, words: int) -> bool:
        """Whether a line goes on with a row: with cells of words, so many on some line, or behind a sign that needs
        more text."""
        step = line.texts[0].baseline - max(text.baseline for text in row.texts)
        if step > _LEADING * line.texts[0].size:
            return False
        cells = [[*row.texts_in_column(text.first), text] for text in line.texts]
        alone = len(cells) == 1 and line.texts[0].first > 0
        linked = [len(cell) > 1 and _is_linked(*cell[-2:]) for cell in cells]
        goes_on = all(
            link or (len(cell) > 1 and _has_words(cell) and (self._full(*cell[-2:]) or (alone and words == 1)))
            for cell, link in zip(cells, linked, strict=True)
        )
        named = all(len(cell) > 1 and _LETTER.search(cell[-2].marked.text) for cell in cells)
        enough = (words == 1 and named) or any(map(_has_phrase, cells))
        listed = all(len(cell) > 1 and cell[-2].marked.text.endswith(",") for cell in cells)
        return listed or (goes_on and (any(linked) or (enough and bool(row.columns - line.columns))))

    def _full(self, upper: CellText, lower: CellText) -> bool:
        """Whether the first word of a line would not have fitted on the one above, in the same cell."""
        parting = (rule for rule in self.partial if upper.baseline < rule[1] < lower.baseline)
        if any(rule[0] < upper.right and upper.left < rule[2] for rule in parting):
            return False
        words = lower.marked.text.split()
        first = (lower.right - lower.left) * len(words[0]) / max(len(lower.marked.text), 1)
        return upper.right + _WORD_GAP * upper.size + first > self.ends[upper.first] + 0.1


def _is_linked(upper: CellText, lower: CellText) -> bool:
    """Whether two lines of a cell are one text by the sign at which the first ends or the second begins, or as a word
    for questions with its number."""
    both = f"{upper.marked.text} {lower.marked.text}"
    if lower.marked.text[:1].isdecimal() and names_task(both) and not names_task(upper.marked.text):
        return True
    is_broken = within_quote(upper.marked.text, lower.marked.text)
    return is_broken or bool(_OPEN.search(upper.marked.text) or _GOES_ON.match(lower.marked.text))


def _as_one(lines: list[_Row]) -> list[_Row] | None:
    """Lines between two rules as one row, where only one of them fills several columns; else None."""
    if len(lines) < 2 or sum(len(row.columns) > 1 for row in lines) > 1:
        return None
    return [_Row(tuple(text for row in lines for text in row.texts))]


def _is_row(groups: list[list[CellText]]) -> bool:
    """Whether groups of texts that overlap in height can be the cells of one row: one in each column."""
    columns = {group[0].first for group in groups}
    if len(columns) < len(groups):
        return False
    return all(len(group) == 1 or (_has_phrase(group) and _has_words(group)) for group in groups) or _is_centred(groups)


def _is_centred(groups: list[list[CellText]]) -> bool:
    """Whether all groups of texts have their middle at one height, that of a figure, and none holds two figures: cells
    of one row, as browsers set them, even where each line is one word. Beside the name of several rows stand figures
    one below the other."""
    middles = [(group[0].baseline + group[-1].baseline) / 2 for group in groups]
    figures = [sum(bool(_FIGURE.search(text.marked.text)) for text in group) for group in groups]
    single = any(len(group) == 1 and number for group, number in zip(groups, figures, strict=True))
    return single and max(figures) == 1 and max(middles) - min(middles) < _OFF_CENTRE * groups[0][0].size


def _has_phrase(texts: Sequence[CellText]) -> bool:
    return any(len(text.marked.text.split()) > 1 for text in texts)


def _has_words(texts: Sequence[CellText]) -> bool:
    """Whether at least half of some texts have letters."""
    return 2 * sum(bool(_LETTER.search(text.marked.text)) for text in texts) >= len(texts)


def _overlapping(groups: list[list[CellText]]) -> list[list[list[CellText]]]:
    """Groups of texts put together where they overlap in height, from the top down."""
    rows: list[list[list[CellText]]] = []
    bottom = -inf
    for group in sorted(groups, key=lambda group: group[0].baseline - ASCENT * group[0].size):
        top = group[0].baseline - ASCENT * group[0].size
        if not rows or top > bottom - 0.2 * group[0].size:
            rows.append([])
        rows[-1].append(group)
        lowest = group[-1].baseline + DESCENT * group[-1].size
        bottom = max(bottom, lowest) if len(rows[-1]) > 1 else lowest
    return rows


def _named(rows: list[_Row]) -> list[_Row]:
    """The rows of a band. The only text of the first column names them all where it stands beside a later one."""
    names = [index for index, row in enumerate(rows) if row.texts_in_column(0)]
    if len(names) != 1 or not names[0] or any(0 in row.columns for row in rows[: names[0]]):
        return rows
    name = [text for text in rows[names[0]].texts if text.first == 0]
    if not is_label(" ".join(text.marked.text for text in name)):
        return rows
    alone = len(rows[names[0]].texts) == len(name)
    return [
        row if index == names[0] else _Row((*name, *row.texts))
        for index, row in enumerate(rows)
        if not (alone and index == names[0])
    ]


def _with_centred(rows: list[_Row], rules: Sequence[Box], width: int) -> list[_Row]:
    """The rows of a band with the names of groups of rows beside each: those that stand beside the middle one of their
    group, in the columns before the first figure."""
    for column in range(width):
        texts = [row.texts_in_column(column) for row in rows]
        if any(_FIGURE.search(text.marked.text) for cell in texts for text in cell):
            break
        rows = [row for group in _between(rows, column, rules) for row in _beside_all(group, column)]
    return rows


def _between(rows: list[_Row], column: int, rules: Sequence[Box]) -> Iterator[list[_Row]]:
    """The rows between those rules that part a column, but not the whole table."""
    spans = [(text.left, text.right) for row in rows for text in row.texts_in_column(column)]
    if not spans:
        yield rows
        return
    left, right = min(span[0] for span in spans), max(span[1] for span in spans)
    heights = [rule[1] for rule in rules if rule[0] < right and left < rule[2]]
    for _, group in groupby(rows, key=lambda row: sum(height < row.texts[-1].baseline for height in heights)):
        yield list(group)


def _beside_all(rows: list[_Row], column: int) -> list[_Row]:
    """The rows, with the names in a column beside each, where they stand in the middle of groups of equal size."""
    names = [index for index, row in enumerate(rows) if row.texts_in_column(column)]
    size, rest = divmod(len(rows), max(len(names), 1))
    middles = [start * size + size // 2 for start in range(len(names))]
    if not names or rest or size < _SMALLEST_GROUP or size % 2 == 0 or names != middles:
        return rows
    return [
        row if index in names else _Row((*rows[names[index // size]].texts_in_column(column), *row.texts))
        for index, row in enumerate(rows)
    ]


def _page_line(row: _Row, page: int, table: Box, width: int) -> PageLine:
    """A row as a line with a piece for each column, empty ones among them."""
    cells = [Piece(MarkedText(""), 0.0, 0.0, True)] * width
    for column in range(width):
        parts = [text for text in row.texts if text.first <= column <= text.last]
        is_broken = len(parts) == 2 and within_quote(parts[0].marked.text, parts[1].marked.text)
        whole = join_texts("" if is_broken else " ", [text.marked for text in parts]) if parts else MarkedText("")
        if parts and (column == parts[0].first or is_label(whole.text)):
            bold = all(text.bold for text in parts)
            cells[column] = Piece(whole, min(t.left for t in parts), max(t.right for t in parts), bold)
    size = max(text.size for text in row.texts)
    box = (
        min(text.left for text in row.texts),
        min(text.baseline - ASCENT * text.size for text in row.texts),
        max(text.right for text in row.texts),
        max(text.baseline + DESCENT * text.size for text in row.texts),
    )
    return PageLine(page, box, size, tuple(cells), table=table)


def with_wrapped_cells(lines: Sequence[PageLine]) -> list[PageLine]:
    """The lines, with each row of which one cell takes two lines, beside the middle of which the others stand, as one
    line: browsers set cells so. Text that is set in one column never overlaps the lines above and below it."""
    found: list[PageLine] = []
    for line in lines:
        if len(found) > 1 and (row := _with_cell_around(found[-2], found[-1], line)):
            found[-2:] = [row]
        elif found and (row := _with_cell_ending(found[-1], line) or _with_cell_below(found[-1], line, lines)):
            found[-1] = row
        else:
            found.append(line)
    return list(_with_centred_cells(found)) if any(len(line.pieces) > 1 for line in found) else found


def _with_centred_cells(lines: Sequence[PageLine]) -> Iterator[PageLine]:
    """The lines, with each run of them as one row that are the last cell of a row, which stands beside one in their
    middle."""
    for column in runs(lines, _has_same_last):
        steps = [_step(*pair) for pair in pairwise(column)] if any(len(line.pieces) > 1 for line in column) else []
        near = _STEP_IN_CELL * min((step for step in steps if step > 0), default=0.0)
        starts = [0, *(at for at, step in enumerate(steps, 1) if not 0 < step <= near), len(column)]
        if len(starts) < _SEVERAL:  # nothing tells where a cell ends
            yield from column
            continue
        for start, end in pairwise(starts):
            yield from _centred_cell(column[start:end])


_SEVERAL: Final = 3


def _centred_cell(cell: Sequence[PageLine]) -> Iterator[PageLine]:
    """The lines of a cell as one row, if the other cells of the row stand beside its middle; else as they are."""
    rows = [at for at, line in enumerate(cell) if len(line.pieces) > 1]
    if len(rows) != 1 or not rows[0] or abs(2 * rows[0] - len(cell) + 1) > 1:
        yield from cell
        return
    row, whole = cell[rows[0]], cell[0].pieces[-1]
    for line in cell[1:]:
        whole = _one_cell((whole, line.pieces[-1]))
    yield row._replace(box=bounding_box([line.box for line in cell]), pieces=(*row.pieces[:-1], whole))


def _step(upper: PageLine, lower: PageLine) -> float:
    """The distance of two lines, about from baseline to baseline."""
    return lower.box[1] - upper.box[3] + upper.size


_STEP_IN_CELL: Final = 1.15
"""Of the least distance of two lines: those of a cell are no further apart."""


def _has_same_last(upper: PageLine, lower: PageLine) -> bool:
    """Whether the last texts of two lines are of one column."""
    first, other = upper.pieces[-1], lower.pieces[-1]
    is_alike = abs(first.left - other.left) < 0.1 * upper.size and upper.table == lower.table
    return is_alike and bool(first.text) and bool(other.text)


_WORD: Final = re.compile(r"[^\W\d_]{3}")
_RAISED: Final = re.compile(r"\^\{([^{}]*)\}")


def _with_cell_around(above: PageLine, row: PageLine, below: PageLine) -> PageLine | None:
    """A row with the cell of which one line stands above and one below its middle."""
    if not _stands_between(above, row, below):
        return None
    upper_cell, other = _only_cell(above), _only_cell(below)
    if upper_cell is None or other is None or abs(upper_cell.left - other.left) > 0.3 * row.size:
        return None
    beside = all(piece.right < upper_cell.left or not piece.text for piece in row.pieces)
    is_row = any(piece.text for piece in row.pieces) and above.box[3] <= below.box[1] + 0.5 * row.size
    return _joined_row(row, row.pieces, (upper_cell, other), (above, below)) if beside and is_row else None


def _stands_between(above: PageLine, row: PageLine, below: PageLine) -> bool:
    """Whether a line stands beside the middle of two others, beside a part of each."""
    overlap = above.box[1] < row.box[1] < above.box[3] and below.box[1] < row.box[3] < below.box[3]
    middles = [(line.box[1] + line.box[3]) / 2 for line in (above, row, below)]
    return overlap and abs((middles[0] + middles[2]) / 2 - middles[1]) < 0.25 * row.size


def _with_cell_ending(above: PageLine, row: PageLine) -> PageLine | None:
    """A row with a cell that begins on the line above and ends in the row itself, where the others seem raised."""
    if len(row.pieces) == 1:
        return None
    upper_cell, last = _only_cell(above), row.pieces[-1]
    raised = [_RAISED.fullmatch(piece.text) for piece in row.pieces[:-1] if piece.text]
    if upper_cell is None or not raised or not all(raised) or abs(upper_cell.left - last.left) > 0.3 * row.size:
        return None
    if not above.box[1] < row.box[1] < above.box[3] + 0.5 * row.size:
        return None
    names = tuple(
        piece._replace(marked=MarkedText(match[1])) if (match := _RAISED.fullmatch(piece.text)) else piece
        for piece in row.pieces[:-1]
    )
    return _joined_row(row, names, (upper_cell, last), (above,))


def _with_cell_below(row: PageLine, below: PageLine, lines: Sequence[PageLine]) -> PageLine | None:
    """A row whose cells go on right below it: the last one in the middle of a sentence, a name beside figures, a value
    within its quotation marks. A word that a cell breaks stands elsewhere in the `lines` as a whole."""
    is_near = len(row.pieces) >= _SEVERAL and -0.1 * row.size <= below.box[1] - row.box[3] < 0.4 * row.size
    found = [(_column_of(piece, row), piece) for piece in below.pieces if piece.text] if is_near else []
    pairs = [(at, piece) for at, piece in found if at is not None]
    if not pairs or len(pairs) < len(found) or not _go_on(row, pairs):
        return None
    pieces = list(row.pieces)
    for at, piece in pairs:
        pieces[at] = _one_cell((pieces[at], piece), lines)
    return row._replace(box=bounding_box([row.box, below.box]), pieces=tuple(pieces))


def _go_on(row: PageLine, pairs: Sequence[tuple[int, Piece]]) -> bool:
    """Whether texts below the cells of a row go on with these."""
    is_broken = any(within_quote(row.pieces[at].text, piece.text) for at, piece in pairs)
    return is_broken or (len(pairs) == 1 and _goes_on_below(row, *pairs[0]))


def _column_of(piece: Piece, row: PageLine) -> int | None:
    """The index of the cell of a row below which a text stands, and ends before the next one; None if there is none."""
    for at, upper in enumerate(row.pieces):
        if upper.text and abs(upper.left - piece.left) < 0.1 * row.size:
            return None if any(piece.right >= other.left > piece.left for other in row.pieces[at + 1 :]) else at
    return None


def _goes_on_below(row: PageLine, at: int, more: Piece) -> bool:
    """Whether a text below a cell of a row goes on with it: in the middle of a sentence, or of a name."""
    cell, behind = row.pieces[at], [piece for piece in row.pieces[at + 1 :] if piece.text]
    is_name = not at and all(_FIGURE.search(piece.text) and not _WORD.search(piece.text) for piece in behind)
    is_sentence = not behind and _WORD.search(more.text) is not None and " " in cell.text
    return more.text[:1].islower() and cell.text[-1:].isalnum() and (is_sentence or (bool(behind) and is_name))


def within_quote(upper: str, lower: str) -> bool:
    """Whether a text without spaces ends within quotation marks which the next line closes: a word processor broke a
    value that is wider than its cell."""
    return upper.count('"') % 2 == 1 == lower.count('"') % 2 and " " not in upper + lower


def _one_cell(parts: Sequence[Piece], lines: Sequence[PageLine] = ()) -> Piece:
    """Two lines of a cell as one."""
    upper, lower = parts[0].text, parts[-1].text
    word = (upper.split()[-1:] + lower.split()[:1]) if upper[-1:].isalpha() and lower[:1].islower() else []
    is_word = len("".join(word)) >= _BROKEN and any("".join(word).casefold() in line.text.casefold() for line in lines)
    separator = "" if is_word or within_quote(upper, lower) else " "
    whole = join_texts(separator, [piece.marked for piece in parts])
    return Piece(whole, parts[0].left, max(piece.right for piece in parts), all(piece.bold for piece in parts))


_BROKEN: Final = 6
"""Letters of a word that a cell breaks."""


def _only_cell(line: PageLine) -> Piece | None:
    """The text of a line that has one alone, of words."""
    texts = [piece for piece in line.pieces if piece.text]
    return texts[0] if len(texts) == 1 and _WORD.search(texts[0].text) else None


def _joined_row(row: PageLine, names: Sequence[Piece], cell: Sequence[Piece], others: Sequence[PageLine]) -> PageLine:
    pieces = (*(piece for piece in names if piece.text), _one_cell(cell))
    return row._replace(box=bounding_box([row.box, *(line.box for line in others)]), pieces=pieces)

"""The columns of a table, where its lines leave room all the way down or some cells touch the next, and the cells of
each line between them.
"""

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import chain, pairwise
from math import inf
from typing import Final, NamedTuple

from grader.reading.pdf.characters import Marked, joined
from grader.reading.pdf.glyphs import Glyph, around
from grader.reading.pdf.lines import NARROW, WIDE_GAP, Fragment, Line, fragment_of, is_parted, runs
from grader.reading.pdf.marks import pieces
from grader.reading.pdf.table_areas import Area

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
    marked: Marked
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
        text = joined(" ", [piece.marked for piece in written])
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
    """What the text of a line covers, its narrower gaps left out."""
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
    """What spaces part, from left to right; `79.3 %` is one."""
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
    """Where a line of these characters is cut at a gap: where it leaves room, else where a text begins right below the
    others, if that is a number, or without a space in a line that has spaces."""
    before = [g for g in glyphs if g.right <= gap.cut + 0.1]
    after = [g for g in glyphs if g.left >= gap.cut - 0.1]
    if len(before) + len(after) == len(glyphs):
        end = max((g.right for g in before), default=-inf)
        start = min((g.left for g in after), default=inf)
        least = _TOUCHING if gap.left == gap.right else _SPACE if gap.tight else 0.0
        if start - end >= (least * line.size or _narrow(line)):
            return gap.cut
    drawn = any(" " in glyph.text or glyph.spaced for glyph in glyphs)
    for one, other in pairwise(glyphs):
        starts = abs(other.left - gap.right) <= _ALIGNED * line.size
        if not starts or other.left - one.right < _TOUCHING * line.size:
            continue
        end = max((g.right for g in glyphs if g.left >= other.left and g.right <= gap.end + line.size), default=0.0)
        is_number = other.text[0].isdigit() and one.text[-1].isalpha() and abs(end - gap.end) <= _ALIGNED * line.size
        if is_number or (drawn and not other.spaced):
            return (one.right + other.left) / 2
    return None


def _overrun(line: Line, gap: Gap) -> float | None:
    """Where a text begins right below the others of its column although the one before it, too wide for its own, is
    drawn on over it."""
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
        parted = [one for one in run if is_parted(one.fragments, one.size)]
        for start, end in _stretches(run, parted):
            stretch = run[start:end]
            gaps = gaps_between([one for one in stretch if one in parted], (), complete=False)
            cells = [cells_between(one, gaps) for one in stretch] if gaps else []
            if cells and all(len(row) == len(gaps) + 1 for row in cells):
                yield stretch, Area(around([one.box for one in stretch]), (), (), (), cell_by_cell=False)


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
                yield stretch, Area(around([line.box for line in stretch]), (), (), cuts, cell_by_cell=True)
            first = end


_Room = list[tuple[float, float]]


def _before_numbers(line: Line) -> _Room:
    """The room before each of the numbers that a line ends with, back to the first with decimals; none between the
    parts of a number in groups of three, nor where all characters are equally wide."""
    last = next((text for glyph in reversed(_glyphs(line)) if (text := glyph.text.rstrip())), "")
    if not (last.endswith("%") or last[-1:].isdecimal()) or _narrow(line) >= _MONOSPACED * line.size:
        return []
    found: _Room = []
    for one, other in reversed(list(pairwise(_words(line)))):
        is_number = _NUMBER.fullmatch(one.text)
        goes_on = is_number and one.text.isdigit() and _GROUP.match(other.text)
        if goes_on or not (_DECIMAL.fullmatch(other.text) or (is_number and _NUMBER.fullmatch(other.text))):
            break
        found.insert(0, (one.right, other.left))
    return found


def _shared(room: _Room, other: _Room, line: Line) -> _Room:
    """What two lines leave free both; nothing where that is less than a space anywhere."""
    both = [(max(a, c), min(b, d)) for (a, b), (c, d) in zip(room, other, strict=True)]
    return both if all(right - left >= _SPACE * line.size for left, right in both) else []


def _left_by(line: Line, room: _Room, most_words: int) -> _Room:
    """What a line leaves of the room between columns, if it has text in the last and before, and at most so many words
    in each but the first; else nothing."""
    words = _words(line)
    ends = [-inf, *(end for word in words for end in (word.left, word.right)), inf]
    free = [(ends[i], ends[i + 1]) for i in range(0, len(ends), 2)]
    widest = [max(free, key=lambda one: min(one[1], right) - max(one[0], left)) for left, right in room]
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
    """Where a run has at least two lines in parts around one that is not."""
    known = {id(line) for line in parted}
    for index, line in enumerate(run):
        if id(line) in known:
            continue
        start, end = index, index + 1
        while start and id(run[start - 1]) in known:
            start -= 1
        while end < len(run) and id(run[end]) in known:
            end += 1
        if end - start > _FEWEST_PARTED:
            yield start, end

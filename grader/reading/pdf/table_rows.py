"""The rows of a table between rules: lines put together where a cell goes on below, names of groups put beside all
their rows, names over several columns above each."""

import re
from collections.abc import Iterator, Sequence
from itertools import groupby, pairwise
from math import inf
from operator import itemgetter
from typing import Final, NamedTuple

from grader.reading.document import Box
from grader.reading.pdf.blocks import captions_of_tables
from grader.reading.pdf.characters import Marked, joined
from grader.reading.pdf.drawings import Drawings
from grader.reading.pdf.glyphs import ASCENT, DESCENT, around
from grader.reading.pdf.lines import Line, runs
from grader.reading.pdf.marks import PageLine, Piece, pieces
from grader.reading.pdf.table_areas import Area, table_areas, within
from grader.reading.pdf.table_columns import (
    CellText,
    Gap,
    cells_between,
    gaps_between,
    reaches,
    rows_of_numbers,
    touching,
)
from grader.reading.structure import is_label

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

    def of(self, column: int) -> list[CellText]:
        """Those that stand in one column only, this one, from the top down."""
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
        inside, outside = _parted(rest, area.box)
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
    return [row for _, row in sorted(placed, key=itemgetter(0))]


def _boxes(rows: Sequence[tuple[tuple[float, float, int], PageLine]]) -> dict[tuple[float, float], Box]:
    """The boxes of the tables whose rows have been placed, by the place of the table."""
    boxes: dict[tuple[float, float], Box] = {}
    for (top, left, _), row in rows:
        boxes[top, left] = around([boxes.get((top, left), row.box), row.box])
    return boxes


def _parted(lines: Sequence[Line], box: Box) -> tuple[list[Line], list[Line]]:
    """What stands in a box, and the rest."""
    inside: list[Line] = []
    outside: list[Line] = []
    for line in lines:
        own = set(within(line, box))
        for group, wanted in ((inside, True), (outside, False)):
            fragments = tuple(f for i, f in enumerate(line.fragments) if (i in own) is wanted)
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
        max((t.right for row in parted for t in row.of(column) if t.right < starts[column]), default=0.0)
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
        columns = [[text for row in lines for text in row.of(column)] for column in range(self.width)]
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
        columns = [[text for row in lines for text in row.of(column)] for column in range(self.width)]
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
        cells = [[*row.of(text.first), text] for text in line.texts]
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
    """Whether two lines of a cell are one text by the sign at which the first ends or the second begins."""
    return bool(_OPEN.search(upper.marked.text) or _GOES_ON.match(lower.marked.text))


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
    names = [index for index, row in enumerate(rows) if row.of(0)]
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
        texts = [row.of(column) for row in rows]
        if any(_FIGURE.search(text.marked.text) for cell in texts for text in cell):
            break
        rows = [row for group in _between(rows, column, rules) for row in _beside_all(group, column)]
    return rows


def _between(rows: list[_Row], column: int, rules: Sequence[Box]) -> Iterator[list[_Row]]:
    """The rows between those rules that part a column, but not the whole table."""
    spans = [(text.left, text.right) for row in rows for text in row.of(column)]
    if not spans:
        yield rows
        return
    left, right = min(span[0] for span in spans), max(span[1] for span in spans)
    heights = [rule[1] for rule in rules if rule[0] < right and left < rule[2]]
    for _, group in groupby(rows, key=lambda row: sum(height < row.texts[-1].baseline for height in heights)):
        yield list(group)


def _beside_all(rows: list[_Row], column: int) -> list[_Row]:
    """The rows, with the names in a column beside each, where they stand in the middle of groups of equal size."""
    names = [index for index, row in enumerate(rows) if row.of(column)]
    size, rest = divmod(len(rows), max(len(names), 1))
    middles = [start * size + size // 2 for start in range(len(names))]
    if not names or rest or size < _SMALLEST_GROUP or size % 2 == 0 or names != middles:
        return rows
    return [
        row if index in names else _Row((*rows[names[index // size]].of(column), *row.texts))
        for index, row in enumerate(rows)
    ]


def _page_line(row: _Row, page: int, table: Box, width: int) -> PageLine:
    """A row as a line with a piece for each column, empty ones among them."""
    cells = [Piece(Marked(""), 0.0, 0.0, True)] * width
    for column in range(width):
        parts = [text for text in row.texts if text.first <= column <= text.last]
        whole = joined(" ", [text.marked for text in parts]) if parts else Marked("")
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

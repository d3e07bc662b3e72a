"""Lines of a PDF as blocks: titles, items, captions, plain lines, and rows of tables without rules or drawn with
characters.
"""

import re
from collections import Counter
from collections.abc import Sequence
from itertools import groupby, pairwise
from typing import Final, NamedTuple

from grader.reading.document import Block, BlockKind, Box
from grader.reading.pdf.characters import MarkedText, cut, join_texts
from grader.reading.pdf.glyphs import rounded_box
from grader.reading.pdf.lines import runs
from grader.reading.pdf.marks import PageLine, Piece
from grader.reading.structure import begins_item, could_be_title, has_bullet, is_marker, names_task, title_level

_CAPTION: Final = re.compile(
    r"(?:fig(?:ure|\.)?|tab(?:le|leau|\.)?|abb(?:ildung|\.)?|listing|algorithme?|graphique|chart|plot)"
    r"\s*(?:\d{1,3}(?:\.\d{1,3})*|[ivx]{1,5})[a-z]?\s*(?:$|[:.–—|]|-\s)",
    re.IGNORECASE,
)

_NEXT_LINE: Final = 1.45
"""In em, from baseline to baseline: what stands further below is another paragraph."""


_SUBCAPTION: Final = re.compile(r"\(?[a-z]\)\s")
_REACH: Final = 4.0
"""In em: a caption stands at most this far from its table."""


class TableCaption(NamedTuple):
    """The texts of one of several captions on a line, the index of the table that it is of, and whether it stands
    below."""

    table: int
    is_below: bool
    pieces: tuple[Piece, ...]


def captions_of_tables(pieces: Sequence[Piece], box: Box, size: float, tables: Sequence[Box]) -> list[TableCaption]:
    """The captions that stand beside each other on a line, each above or below a table of its own; none where the line
    is anything else."""
    starts = [at for at, piece in enumerate(pieces) if begins_caption(piece.text) or _SUBCAPTION.match(piece.text)]
    if len(starts) < 2 or starts[0] != 0:
        return []
    texts = [tuple(pieces[start:end]) for start, end in zip(starts, [*starts[1:], len(pieces)], strict=True)]
    for is_below in (True, False):
        steps = [box[1] - table[3] if is_below else table[1] - box[3] for table in tables]
        near = [at for at, step in enumerate(steps) if -size < step < _REACH * size]
        near.sort(key=lambda at: tables[at][0])
        if len(near) == len(texts) and all(tables[a][2] < tables[b][0] for a, b in pairwise(near)):
            return [TableCaption(at, is_below, text) for at, text in zip(near, texts, strict=True)]
    return []


def begins_caption(text: str) -> bool:
    """Whether a line begins as a caption does: `Figure 1: …`, `Tab. 2 – …`; `Figure 1 shows …` does not."""
    return bool(_CAPTION.match(text))


def continues_caption(above: PageLine, line: PageLine, kind: BlockKind) -> bool:
    """Whether a line goes on with the caption above it (a block of this kind): close below, alike in type, and such
    that its first word found no place any more on the line above."""
    if kind is not BlockKind.CAPTION or len(line.pieces) > 1 or begins_caption(line.text):
        return False
    step = line.box[3] - above.box[3]
    close = 0 < step <= _NEXT_LINE * above.size and abs(line.size - above.size) < 0.05 * above.size
    first = len(line.text.split(maxsplit=1)[0]) / len(line.text) * (line.box[2] - line.box[0])
    return close and line.bold == above.bold and line.box[2] <= above.box[2] + above.size + first


_MOST_WIDTHS: Final = 4
_MOST_CELLS: Final = 60


def align_rows(rows: Sequence[Sequence[Piece]]) -> list[tuple[MarkedText, ...]]:
    """The cells of neighbouring rows with empty ones where a row leaves a column blank: as many columns as the longest
    row that all shorter ones fit. A cell above that row that reaches over several columns stands over each of them."""
    widths = sorted({len(row) for row in rows}, reverse=True)
    for width in widths[:_MOST_WIDTHS] if widths[0] <= _MOST_CELLS else ():
        fitted = _fitted(rows, width)
        if fitted is not None:
            return fitted
    return [tuple(cell.marked for cell in row) for row in rows]


def _fitted(rows: Sequence[Sequence[Piece]], width: int) -> list[tuple[MarkedText, ...]] | None:
    full = [row for row in rows if len(row) == width]
    spans = [(min(c.left for c in column), max(c.right for c in column)) for column in zip(*full, strict=True)]
    if any(a[1] > b[0] for a, b in pairwise(spans)):
        return None
    first = rows.index(full[0])
    result = []
    for index, row in enumerate(rows):
        plain = tuple(cell.marked for cell in row)
        cells = _placed(row, spans, spread=index < first) if len(row) < width else plain
        if cells is None:
            return None
        result.append(cells)
    return result


def _placed(row: Sequence[Piece], spans: list[tuple[float, float]], *, spread: bool) -> tuple[MarkedText, ...] | None:
    """A short row's cells in their columns, None where two fall into one or one falls beside all."""
    cells: list[MarkedText] = [MarkedText("")] * len(spans)
    for cell in row:
        over = [i for i, (left, right) in enumerate(spans) if cell.left < right and left < cell.right]
        if not over or any(cells[i].text for i in over) or (len(over) > 1 and not spread):
            return None
        for i in over:
            cells[i] = cell.marked
    return tuple(cells)


_CELL_GAP: Final = 2.0
"""In em: a gap from here on parts cells by itself; a narrower one needs a like gap in a neighbouring line."""

_MOST_PARTED: Final = 100

_FEWEST_STRETCHED: Final = 3
_UNEVEN: Final = 0.05
"""In em: the gaps of a justified line differ by less."""


def cells_of(line: PageLine, neighbours: Sequence[PageLine]) -> list[Piece]:
    """The cells of a line; one where no gap parts it."""
    if len(line.pieces) == 1 or line.table:
        return list(line.pieces)
    gaps = [gap for neighbour in neighbours for gap in _gaps(neighbour)[:_MOST_PARTED]]
    if _is_stretched(line, neighbours):
        return [_cell(line.pieces)]
    cells = [[line.pieces[0]]]
    for (left, right), piece in zip(_gaps(line), line.pieces[1:], strict=True):
        em = line.size
        shared = any(min(right, gap[1]) - max(left, gap[0]) > 0.4 * em for gap in gaps)
        if (right - left >= _CELL_GAP * em or shared) and not is_marker(cells[-1][-1].text):
            cells.append([piece])
        else:
            cells[-1].append(piece)
    return [_cell(cell) for cell in cells]


def _is_stretched(line: PageLine, neighbours: Sequence[PageLine]) -> bool:
    """Whether a line of text is drawn out to the full width, as justified lines are: its words, long and short, stand
    equally far apart (signs may be followed by more), and not in the columns of a line beside it."""
    gaps = [(a.right, b.left) for a, b in pairwise(line.pieces[:_MOST_PARTED]) if a.text[-1:] not in ",.;:!?"]
    lengths = [piece.right - piece.left for piece in line.pieces]
    words = [piece for piece in line.pieces[1:] if piece.text.isalpha() and piece.text.islower()]
    if len(gaps) < _FEWEST_STRETCHED or len(words) < 2 or max(lengths) < 2 * min(lengths):
        return False
    widths = [right - left for left, right in gaps]
    return max(widths) - min(widths) < _UNEVEN * line.size and not any(
        len(neighbour.pieces) == len(line.pieces)
        and all(min(a[1], b[1]) > max(a[0], b[0]) for a, b in zip(_gaps(neighbour), _gaps(line), strict=True))
        for neighbour in neighbours
    )


def _cell(pieces: Sequence[Piece]) -> Piece:
    text, bold = join_texts(" ", [piece.marked for piece in pieces]), all(piece.bold for piece in pieces)
    return Piece(text, pieces[0].left, pieces[-1].right, bold)


def _gaps(line: PageLine) -> list[tuple[float, float]]:
    return [(a.right, b.left) for a, b in zip(line.pieces, line.pieces[1:], strict=False)]


_SIGN: Final = re.compile(r"[|│┃║]")
_RULER: Final = re.compile(r"[+|├┌└╞╔╚╠╟┠][-=+:|\s─═━┼┬┴╪╤╧╬╦╩╫]*[-=─═━][-=+:|\s─═━┼┬┴╪╤╧╬╦╩╫]*[+|┤┐┘╡╗╝╣╢┨]")
_BAR: Final = re.compile(r"(?:^|\s+)[|│┃║](?:\s+|$)")
_FEWEST: Final = 2


def piped_rows(lines: Sequence[PageLine]) -> dict[int, list[MarkedText]]:
    """For the lines of such tables, by their index, the cells; none for the lines of dashes. A table has two rows of
    equally many cells, or a row and a line of dashes."""
    cells = [_cells(line) for line in lines]
    result: dict[int, list[MarkedText]] = {}
    run: list[int] = []
    width = 0
    for index in range(len(lines) + 1):
        found = cells[index] if index < len(lines) else None
        goes_on = not run or (index < len(lines) and lines[index].page == lines[run[-1]].page)
        if found is not None and goes_on and (not found or not width or len(found) == width):
            run.append(index)
            width = width or len(found)
            continue
        if width > 1 and len(run) >= _FEWEST:
            result |= {number: row for number in run if (row := cells[number]) is not None}
        run, width = ([], 0) if found is None else ([index], len(found))
    return result


def _cells(line: PageLine) -> list[MarkedText] | None:
    """The texts between the signs; an empty list for a line of dashes, None for any other line."""
    whole = join_texts(" ", [piece.marked for piece in line.pieces])
    if _RULER.fullmatch(whole.text):
        return []
    signs = [match.start() for match in _SIGN.finditer(whole.text)]
    if len(signs) < _FEWEST or "||" in whole.text:
        return None
    is_framed = signs[0] == 0 and signs[-1] == len(whole.text) - 1
    edges = signs if is_framed else [-1, *signs, len(whole.text)]
    return [cut(whole, a + 1, b) for a, b in pairwise(edges)]


_SCRIPT: Final = 0.75
"""Of the size of the running text: so small is what labels a formula, unless the lines beside it are too."""

_BRACKET: Final = re.compile(r"=\s?[(\[|]\s?[-−\w.]{0,8}$")
"""A bracket behind an equals sign, and one entry at most: what its own cell does not close is around several lines."""

_CODE: Final = re.compile(r"[={}()\[\]]|[,;:]$")
_LEADERS: Final = re.compile(r"(?:\. ?){6,}")
_WORDS_OF_TEXT: Final = 4
_SAME_SIZE: Final = 0.3
"""Points by which lines of one size may differ."""
_FEW_ROWS: Final = 2
_MARGINS_APART: Final = 8.0
"""In em: words so far apart stand at the margins of a running head."""

_EQUATION_NUMBER: Final = re.compile(r"\(\d{1,3}(?:\.\d{1,3})?[a-z]?\)")
_LARGER: Final = 1.1
_MUCH_LARGER: Final = 1.35
"""In sizes of most text: what is so large is a title, or one of the highest level."""

_TASK_ID: Final = re.compile(r"(?:\d{1,2}(?:\.\d{1,2}){0,3}\.?\s+)?[A-Z]{1,2}\d{1,2}[.:]?")
"""A title that is the short name of a question alone: `Q1`, `3 T3`."""

_SECTION_NUMBER: Final = re.compile(r"\d{1,2}(\.\d{1,2})*\.?")


class Body(NamedTuple):
    """The most common setting of a document's text: its size, and whether it is bold."""

    size: float
    bold: bool


def body_of(lines: Sequence[PageLine]) -> Body:
    """The commonest setting, weighed by characters; or a larger one that is not bold and in which sentences are set,
    as where most of a page is code."""
    weights: Counter[tuple[float, bool]] = Counter()
    sentences: Counter[tuple[float, bool]] = Counter()
    for line in lines:
        setting = round(line.size, 1), line.bold
        weights[setting] += len(line.text)
        if len(line.text.split()) >= _WORDS_OF_SENTENCE:
            sentences[setting] += len(line.text)
    if not weights:
        return Body(10.0, False)
    commonest = weights.most_common(1)[0][0]
    least = _SHARE_OF_SENTENCES * weights.total()
    larger = [
        candidate
        for candidate, number in sentences.items()
        if number >= least and not candidate[1] and candidate[0] > commonest[0]
    ]
    return Body(*max(larger, default=commonest))


_WORDS_OF_SENTENCE: Final = 8
_SHARE_OF_SENTENCES: Final = 0.12
"""Of a document's characters: so many are not set as titles."""


def blocks_of(lines: Sequence[PageLine], body: Body) -> list[Block]:
    """The blocks of a document whose lines stand in reading order."""
    result: list[Block] = []
    rows: dict[int, list[Piece]] = {}
    piped = piped_rows(lines)
    lines = [line if index in piped else _without_bars(line) for index, line in enumerate(lines)]
    for index, line in enumerate(lines):
        if index in piped:
            result.extend([_block(BlockKind.ROW, line, line.pieces, cells=piped[index])] if piped[index] else [])
            continue
        near = [lines[other] for other in (index - 1, index + 1) if 0 <= other < len(lines)]
        neighbours = [other for other in near if other.page == line.page]
        if result and neighbours and near[0] is neighbours[0] and continues_caption(near[0], line, result[-1].kind):
            result.append(_block(BlockKind.CAPTION, line, line.pieces))
            continue
        if line.table:
            if result and near and lines[index - 1].table not in (None, line.table):
                result.append(Block(kind=BlockKind.LINE, text="", page=line.page))
            result.append(_block(BlockKind.ROW, line, line.pieces, cells=[piece.marked for piece in line.pieces]))
            continue
        cells = cells_of(line, [other for other in neighbours if not other.table])
        found = _blocks(line, cells, neighbours, body)
        if found[0].kind is BlockKind.ROW:
            rows[len(result)] = cells
        result.extend(found)
    return _with_centred_captions(_with_aligned(result, rows))


def _with_centred_captions(blocks: list[Block]) -> list[Block]:
    """The blocks, an indented line right above or below a table that has the table's middle as its caption."""
    result = list(blocks)
    at = 0
    margins = _margins(blocks)
    edges = {edge for edge, times in Counter(block.box[0] for block in blocks if block.box).items() if times > _INDENTS}
    for is_row, group in groupby(blocks, key=lambda block: block.kind is BlockKind.ROW):
        own_blocks = list(group)
        first, at = at, at + len(own_blocks)
        boxes = (
            [block.box for block in own_blocks if block.box]
            if is_row and len({block.page for block in own_blocks}) == 1
            else []
        )
        middle = (min(box[0] for box in boxes) + max(box[2] for box in boxes)) / 2 if boxes else 0.0
        for place in (first - 1, at) if boxes else ():
            line = blocks[place] if 0 <= place < len(blocks) else None
            if line and line.box and line.kind is BlockKind.LINE and line.page == own_blocks[0].page:
                is_indented = line.box[0] > margins[line.page][0] + _INDENTED and line.box[0] not in edges
                goes_on = line.text[:1].islower()
                if is_indented and not goes_on and abs((line.box[0] + line.box[2]) / 2 - middle) < _CENTRED:
                    result[place] = line.model_copy(update={"kind": BlockKind.CAPTION})
    return result


_CENTRED: Final = 4.0
_INDENTS: Final = 9
"""So many lines at least begin at the left edge of a text, beside which only marks of a notebook stand."""
_INDENTED: Final = 12.0
"""In points."""


def _margins(blocks: Sequence[Block]) -> dict[int | None, Box]:
    """The left and the right edge of what stands on each page."""
    margins: dict[int | None, Box] = {}
    for block in blocks:
        if block.box:
            edges = margins.get(block.page, block.box)
            margins[block.page] = (min(edges[0], block.box[0]), 0.0, max(edges[2], block.box[2]), 0.0)
    return margins


def _without_bars(line: PageLine) -> PageLine:
    """A line of several texts parted at each bar that stands between two of its columns, as in what a program prints;
    bars of a formula are kept."""
    is_formula = len(line.pieces) < _FEWEST or "=" in line.text
    if is_formula or line.table or not any(_BAR.search(piece.text) for piece in line.pieces):
        return line
    pieces: list[Piece] = []
    for piece in line.pieces:
        step = (piece.right - piece.left) / len(piece.text)
        edges = [0, *(edge for bar in _BAR.finditer(piece.text) for edge in bar.span()), len(piece.text)]
        pieces += [
            Piece(text, piece.left + step * start, piece.left + step * end, piece.bold)
            for start, end in zip(edges[::2], edges[1::2], strict=True)
            if (text := cut(piece.marked, start, end)).text
        ]
    return line._replace(pieces=tuple(pieces)) if pieces else line


def plain_blocks(lines: Sequence[PageLine]) -> list[Block]:
    """Lines as plain blocks, without any interpretation."""
    return [_block(BlockKind.LINE, line, line.pieces) for line in lines]


def _with_aligned(blocks: list[Block], rows: dict[int, list[Piece]]) -> list[Block]:
    """The blocks with the cells of each run of rows on one page put under each other."""
    result = list(blocks)
    margins = _margins(blocks)
    for run in runs(rows, lambda a, b: a == b - 1 and blocks[a].page == blocks[b].page):
        if _is_no_table([rows[index] for index in run], blocks[run[0]], margins[blocks[run[0]].page]):
            for index in run:
                result[index] = blocks[index].model_copy(update={"kind": BlockKind.LINE, "cells": ()})
            continue
        for index, cells in zip(run, align_rows([rows[index] for index in run]), strict=True):
            texts = tuple(cell.text for cell in cells)
            if texts != blocks[index].cells:
                result[index] = blocks[index].model_copy(update={"cells": texts})
    return result


def _is_no_table(rows: Sequence[Sequence[Piece]], first: Block, margins: Box) -> bool:
    """Whether lines with gaps are a matrix between tall brackets, words at both margins, code with a comment behind
    some line, or a list of contents."""
    texts = [cell.text for row in rows for cell in row]
    em = (first.box[3] - first.box[1]) if first.box else 10.0
    apart = all(b.left - a.right > _MARGINS_APART * em for row in rows for a, b in pairwise(row))
    wide = all(row[0].left < margins[0] + 2 * em and row[-1].right > margins[2] - 2 * em for row in rows)
    running = len(rows) <= _FEW_ROWS and apart and wide
    matrix = any(_BRACKET.search(text) for text in texts)
    commented = sum(any(_CODE.search(a.text) and b.text[:1] == "#" for a, b in pairwise(row)) for row in rows)
    has_comment = commented == 1 or 0 < commented < len(rows)
    is_contents = all(_LEADERS.search(" ".join(cell.text for cell in row)) for row in rows)
    return matrix or running or has_comment or is_contents


def _blocks(line: PageLine, cells: list[Piece], neighbours: list[PageLine], body: Body) -> list[Block]:
    if line.in_figure:
        return [_block(BlockKind.LINE, line, line.pieces)]
    if line.is_caption or begins_caption(line.text):
        return [_block(BlockKind.CAPTION, line, line.pieces)]
    if len(cells) == 1 and _runs_in(line, body):
        title, rest = line.pieces[:1], line.pieces[1:]
        depth = title_level(title[0].text) or 3
        return [_block(BlockKind.HEADING, line, title, level=depth), _block(BlockKind.LINE, line, rest)]
    numbered = len(cells) == 1 or _SECTION_NUMBER.fullmatch(cells[0].text)
    level = _title_level(line, body) if numbered else None
    if level is not None and not (_is_amid_text(line, neighbours, body) or _goes_on(line, neighbours, body)):
        return [_block(BlockKind.HEADING, line, line.pieces, level=level)]
    if len(cells) == 1:
        kind = BlockKind.LIST_ITEM if begins_item(cells[0].text) else BlockKind.LINE
        return [_block(kind, line, line.pieces)]
    kind = BlockKind.ROW if _is_row(cells, line, neighbours, body) else BlockKind.LINE
    return [_block(kind, line, line.pieces, cells=[cell.marked for cell in cells])]


def _is_row(cells: list[Piece], line: PageLine, neighbours: list[PageLine], body: Body) -> bool:
    """Whether a line with gaps is a row of a table, and not an equation with its number, several equations, or labels
    below a formula."""
    alike = any(abs(other.size - line.size) < 0.5 and len(other.pieces) > 1 for other in neighbours)
    if len(cells) == 2 and _EQUATION_NUMBER.fullmatch(cells[1].text):
        return False
    if not alike and all("=" in cell.text for cell in cells):
        return False
    return (alike or line.size > _SCRIPT * body.size) and not _is_titled_text(cells, line)


def _is_titled_text(cells: list[Piece], line: PageLine) -> bool:
    """Whether a title in bold type is followed by text, as `\\paragraph` sets it."""
    is_titled = line.pieces[0].bold and not any(piece.bold for piece in line.pieces[1:])
    is_sentence = cells[0].text.endswith((".", ":", "?")) and len(cells[-1].text.split()) >= _WORDS_OF_TEXT
    return len(cells) == 2 and is_titled and is_sentence


def _block(
    kind: BlockKind,
    line: PageLine,
    pieces: Sequence[Piece],
    *,
    level: int | None = None,
    cells: Sequence[MarkedText] = (),
) -> Block:
    left, top, right, bottom = line.box
    if len(pieces) < len(line.pieces) and left <= pieces[0].left <= pieces[-1].right <= right:
        left, right = pieces[0].left, pieces[-1].right
    text = join_texts("\t", cells) if cells else join_texts(" ", [piece.marked for piece in pieces])
    return Block(
        kind=kind,
        text=text.text,
        level=level,
        cells=tuple(cell.text for cell in cells) if kind is BlockKind.ROW else (),
        page=line.page,
        box=rounded_box((left, top, right, bottom)),
        repairs=text.repairs,
    )


def _runs_in(line: PageLine, body: Body) -> bool:
    """Whether a bold title is followed by text on its own line, as `\\paragraph` sets it."""
    first, rest = line.pieces[0], line.pieces[1:]
    apart = bool(rest) and first.bold and not any(piece.bold for piece in rest)
    named = " " not in first.text and ("_" in first.text or "=" in first.text or first.text.islower())
    return apart and not named and not body.bold and could_be_title(first.text) and not begins_item(first.text)


def _is_amid_text(line: PageLine, neighbours: Sequence[PageLine], body: Body) -> bool:
    """Whether a line that is larger than most text is one of a paragraph of that size: the line right above or below it
    is as large, and no title."""
    return title_level(line.text) is None and any(
        abs(other.size - line.size) < _SAME_SIZE
        and other.pieces[0].bold == line.pieces[0].bold
        and max(other.box[1] - line.box[3], line.box[1] - other.box[3]) < line.size / 2
        and len(other.text.split()) >= _WORDS_OF_TEXT
        and _title_level(other, body) is None
        for other in neighbours
        if not (other.table or other.is_caption or other.in_figure)
    )


def _goes_on(line: PageLine, neighbours: list[PageLine], body: Body) -> bool:
    """Whether a line of plain type that opens with a task's name is the first one of a paragraph: the line right below
    begins with a small letter."""
    return not _stands_out(line, body) and any(
        other.text[:1].islower() and 0 <= other.box[1] - line.box[1] < 2 * line.size
        for other in neighbours
        if other.box[1] > line.box[1] and not other.table
    )


def _stands_out(line: PageLine, body: Body) -> bool:
    return line.size / body.size >= _LARGER or (line.bold and not body.bold)


def _title_level(line: PageLine, body: Body) -> int | None:
    """The depth of a title: by its number, else by its size; None for what is no title."""
    text = line.text
    larger = line.size / body.size
    stands_out = _stands_out(line, body)
    level = title_level(text) if stands_out or names_task(text) else None
    if level is not None or not stands_out:
        return level
    if larger >= _LARGER and _TASK_ID.fullmatch(text):
        return 1 if larger >= _MUCH_LARGER else 2
    if not could_be_title(text) or has_bullet(text):
        return None
    if larger < _LARGER and begins_item(text):
        return None
    return 1 if larger >= _MUCH_LARGER else 2 if larger >= _LARGER else 3

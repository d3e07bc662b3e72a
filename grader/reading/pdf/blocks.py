"""Lines of a PDF as blocks: titles, items, captions, rows of tables, plain lines."""

import re
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from typing import Final, NamedTuple

from grader.reading.document import Block, BlockKind
from grader.reading.evidence import Box
from grader.reading.items import begins_item, has_bullet
from grader.reading.pdf.captions import begins_caption, continues_caption
from grader.reading.pdf.cells import cells_of
from grader.reading.pdf.marked import Marked, joined
from grader.reading.pdf.marks import Piece
from grader.reading.pdf.page_line import PageLine
from grader.reading.pdf.piped import piped_rows
from grader.reading.pdf.rows import Cell, aligned
from grader.reading.titles import could_be_title, names_task, title_level

_SCRIPT: Final = 0.75
"""Of the size of the running text: so small is what labels a formula, unless the lines beside it are too."""

_BRACKET: Final = re.compile(r"=\s?[(\[|]\s?[-−\w.]{0,8}$")
"""A bracket behind an equals sign, and one entry at most: what its own cell does not close is around several lines."""

_LEADERS: Final = re.compile(r"(?:\. ?){6,}")
_WORDS_OF_TEXT: Final = 4
_FEW_ROWS: Final = 2
_MARGINS_APART: Final = 8.0
"""In em: words so far apart stand at the margins of a running head."""

_EQUATION_NUMBER: Final = re.compile(r"\(\d{1,3}(?:\.\d{1,3})?[a-z]?\)")
_SECTION_NUMBER: Final = re.compile(r"\d{1,2}(\.\d{1,2})*\.?")


class Body(NamedTuple):
    """How the running text of a document is set: the commonest size, and whether that is bold."""

    size: float
    bold: bool


def body_of(lines: Sequence[PageLine]) -> Body:
    """The commonest setting, weighed by characters."""
    weights: Counter[tuple[float, bool]] = Counter()
    for line in lines:
        weights[(round(line.size, 1), line.bold)] += len(line.text)
    return Body(*weights.most_common(1)[0][0]) if weights else Body(10.0, False)


def blocks_of(lines: Sequence[PageLine], body: Body) -> list[Block]:
    """The blocks of a document whose lines stand in reading order."""
    result: list[Block] = []
    rows: dict[int, list[Cell]] = {}
    piped = piped_rows(lines)
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
    return _with_aligned(result, rows)


def plain_blocks(lines: Sequence[PageLine]) -> list[Block]:
    """Lines as they are, whatever they look like."""
    return [_block(BlockKind.LINE, line, line.pieces) for line in lines]


def _with_aligned(blocks: list[Block], rows: dict[int, list[Cell]]) -> list[Block]:
    """The blocks with the cells of each run of rows on one page put under each other."""
    result = list(blocks)
    margins: dict[int | None, Box] = {}
    for block in blocks:
        if block.box:
            known = margins.get(block.page, block.box)
            margins[block.page] = (min(known[0], block.box[0]), 0.0, max(known[2], block.box[2]), 0.0)
    runs: list[list[int]] = []
    for index in rows:
        if runs and runs[-1][-1] == index - 1 and blocks[index - 1].page == blocks[index].page:
            runs[-1].append(index)
        else:
            runs.append([index])
    for run in runs:
        if _is_no_table([rows[index] for index in run], blocks[run[0]], margins[blocks[run[0]].page]):
            for index in run:
                result[index] = blocks[index].model_copy(update={"kind": BlockKind.LINE, "cells": ()})
            continue
        for index, cells in zip(run, aligned([rows[index] for index in run]), strict=True):
            texts = tuple(cell.text for cell in cells)
            if texts != blocks[index].cells:
                result[index] = blocks[index].model_copy(update={"cells": texts})
    return result


def _is_no_table(rows: Sequence[Sequence[Cell]], first: Block, margins: Box) -> bool:
    """Whether lines with gaps are a matrix between tall brackets, words at both margins, or a list of contents."""
    texts = [cell.marked.text for row in rows for cell in row]
    em = (first.box[3] - first.box[1]) if first.box else 10.0
    apart = all(b.left - a.right > _MARGINS_APART * em for row in rows for a, b in pairwise(row))
    wide = all(row[0].left < margins[0] + 2 * em and row[-1].right > margins[2] - 2 * em for row in rows)
    running = len(rows) <= _FEW_ROWS and apart and wide
    matrix = any(_BRACKET.search(text) for text in texts)
    return matrix or running or all(_LEADERS.search(" ".join(cell.marked.text for cell in row)) for row in rows)


def _blocks(line: PageLine, cells: list[Cell], neighbours: list[PageLine], body: Body) -> list[Block]:
    if line.in_figure:
        return [_block(BlockKind.LINE, line, line.pieces)]
    if line.is_caption or begins_caption(line.text):
        return [_block(BlockKind.CAPTION, line, line.pieces)]
    if len(cells) == 1 and _runs_in(line, body):
        title, rest = line.pieces[:1], line.pieces[1:]
        depth = title_level(title[0].text) or 3
        return [_block(BlockKind.HEADING, line, title, level=depth), _block(BlockKind.LINE, line, rest)]
    numbered = len(cells) == 1 or _SECTION_NUMBER.fullmatch(cells[0].marked.text)
    level = _title_level(line, body) if numbered else None
    if level is not None:
        return [_block(BlockKind.HEADING, line, line.pieces, level=level)]
    if len(cells) == 1:
        kind = BlockKind.LIST_ITEM if begins_item(cells[0].marked.text) else BlockKind.LINE
        return [_block(kind, line, line.pieces)]
    kind = BlockKind.ROW if _is_row(cells, line, neighbours, body) else BlockKind.LINE
    return [_block(kind, line, line.pieces, cells=[cell.marked for cell in cells])]


def _is_row(cells: list[Cell], line: PageLine, neighbours: list[PageLine], body: Body) -> bool:
    """Whether a line with gaps is a row of a table, and not an equation with its number, or labels below a formula."""
    if len(cells) == 2 and _EQUATION_NUMBER.fullmatch(cells[1].marked.text):
        return False
    if line.pieces[0].bold and not any(piece.bold for piece in line.pieces[1:]) and _is_sentence(cells):
        return False
    alike = any(abs(other.size - line.size) < 0.5 and len(other.pieces) > 1 for other in neighbours)
    return alike or line.size > _SCRIPT * body.size


def _is_sentence(cells: list[Cell]) -> bool:
    """Whether a title in bold type is followed by text, as `\\paragraph` sets it."""
    title, rest = cells[0].marked.text, cells[-1].marked.text
    return len(cells) == 2 and title.endswith((".", ":", "?")) and len(rest.split()) >= _WORDS_OF_TEXT


def _block(
    kind: BlockKind,
    line: PageLine,
    pieces: Sequence[Piece],
    *,
    level: int | None = None,
    cells: Sequence[Marked] = (),
) -> Block:
    left, top, right, bottom = line.box
    if len(pieces) < len(line.pieces) and left <= pieces[0].left <= pieces[-1].right <= right:
        left, right = pieces[0].left, pieces[-1].right
    text = joined("\t", cells) if cells else joined(" ", [piece.marked for piece in pieces])
    return Block(
        kind=kind,
        text=text.text,
        level=level,
        cells=tuple(cell.text for cell in cells) if kind is BlockKind.ROW else (),
        page=line.page,
        box=(round(left, 1), round(top, 1), round(right, 1), round(bottom, 1)),
        repairs=text.repairs,
    )


def _runs_in(line: PageLine, body: Body) -> bool:
    """Whether a bold title is followed by text on its own line, as `\\paragraph` sets it."""
    first, rest = line.pieces[0], line.pieces[1:]
    apart = bool(rest) and first.bold and not any(piece.bold for piece in rest)
    named = " " not in first.text and ("_" in first.text or "=" in first.text or first.text.islower())
    return apart and not named and not body.bold and could_be_title(first.text) and not begins_item(first.text)


def _title_level(line: PageLine, body: Body) -> int | None:
    """The depth of a title: by its number, else by its size; None for what is no title."""
    text = line.text
    larger = line.size / body.size
    stands_out = larger >= 1.1 or (line.bold and not body.bold)
    told = title_level(text) if stands_out or names_task(text) else None
    if told is not None or not stands_out:
        return told
    if not could_be_title(text) or has_bullet(text):
        return None
    if larger < 1.1 and begins_item(text):
        return None
    return 1 if larger >= 1.35 else 2 if larger >= 1.1 else 3

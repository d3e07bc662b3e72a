"""Rows and cells of tables."""

from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from typing import Final, NamedTuple

from grader.reading.document import Block, BlockKind
from grader.reading.latex.prose import Line
from grader.reading.latex.stream import Stream, written
from grader.reading.latex.tokens import Kind, Token
from grader.reading.maths.tokens import names
from grader.reading.structure import MOST_COLUMNS, MOST_ROWS, Spanned, plain_rows

Inline = Callable[[Sequence[Token]], Line]

_ROW_ENDS: Final = names("\\ tabularnewline cr crcr endhead endfirsthead endfoot endlastfoot")
_RULES: Final = names("hline toprule midrule bottomrule noalign")
_PARTIAL_RULES: Final = names("cmidrule cline")
_LONGEST_CAPTION: Final = 2_000
_BETWEEN: Final = " | "


class _Cell(NamedTuple):
    line: Line
    columns: int
    rows: int


def table_blocks(tokens: Sequence[Token], inline: Inline, root: str) -> list[Block]:
    """The rows that are not blank. Each has its line; where rules between the rows set these further apart, all have
    the first one's, because they are one table."""
    rows = _without_repeats(_rows(tokens))[:MOST_ROWS]
    shown = _without_held([[_cell(cell, inline) for cell in row] for row in rows])
    lines = [[cell.line for cell in row] for row in shown]
    spanned = [[Spanned(cell.line.text.strip(), cell.columns, cell.rows) for cell in row] for row in shown]
    blocks = [_block(cells, texts, root) for cells, texts in zip(plain_rows(spanned), lines, strict=True) if any(texts)]
    return _together(blocks)


def _block(cells: tuple[str, ...], lines: list[Line], root: str) -> Block:
    """A row. The formulas are those of the cells that stand where they were written."""
    rest = list(lines)
    row = Line()
    begin = next((line.begin for line in lines if line.begin), None)
    for index, text in enumerate(cells):
        if index and begin:
            row.add(_BETWEEN if row else _BETWEEN.lstrip(), begin)
        while rest and not rest[0]:
            rest.pop(0)
        if rest and text and rest[0].text.strip() == text:
            row.append(rest.pop(0))
        elif begin:
            row.add(text, begin)
    return row.block(BlockKind.ROW, root, cells=cells)


def _together(blocks: list[Block]) -> list[Block]:
    """Rows whose lines do not jump, except behind the first, where the rule under a header stands."""
    lines = [block.line or 0 for block in blocks]
    steps = [after - before for before, after in pairwise(lines)]
    if all(0 <= step <= (1 if index else 2) for index, step in enumerate(steps)):
        return blocks
    return [block.model_copy(update={"line": blocks[0].line, "file": blocks[0].file}) for block in blocks]


def _rows(tokens: Sequence[Token]) -> Iterator[tuple[list[list[Token]], str]]:
    """The cells of each row, and the command that ends it."""
    cells: list[list[Token]] = []
    part: list[Token] = []
    depth = 0
    stream = Stream(tokens)
    while (token := stream.take()) is not None:
        depth += {Kind.OPEN: 1, Kind.BEGIN: 1, Kind.CLOSE: -1, Kind.END: -1}.get(token.kind, 0)
        if depth <= 0 and token.kind is Kind.ALIGN and len(cells) < MOST_COLUMNS:
            cells.append(part)
            part = []
        elif depth <= 0 and token.kind is Kind.COMMAND and token.text in _ROW_ENDS:
            if token.text == "\\":
                stream.starred()
                stream.close_option()
            yield [*cells, part], token.text
            cells, part = [], []
        elif token.kind is Kind.COMMAND and token.text in _PARTIAL_RULES:
            _skip_rule(stream)
        elif not (token.kind is Kind.COMMAND and token.text in _RULES):
            part.append(token)
    yield [*cells, part], ""


def _skip_rule(stream: Stream) -> None:
    """Pass the columns of a rule: `(lr){2-3}`."""
    stream.option()
    token = stream.peek()
    if token is not None and token.kind is Kind.TEXT and token.text.startswith("("):
        stream.take()
    stream.argument()


def _without_repeats(rows: Iterator[tuple[list[list[Token]], str]]) -> list[list[list[Token]]]:
    """The rows without those that a long table repeats on further pages: a head behind the first one, and feet."""
    kept: list[list[list[Token]]] = []
    start, has_first = 0, False
    for cells, ending in rows:
        kept.append(cells)
        if ending in ("endfoot", "endlastfoot") or (ending == "endhead" and has_first):
            del kept[start:]
        if ending.startswith("end"):
            start, has_first = len(kept), has_first or ending == "endfirsthead"
    return kept


def _cell(tokens: list[Token], inline: Inline) -> _Cell:
    """A cell, which may be one over several columns or rows, with its own content only."""
    columns = rows = 1
    stream = Stream(tokens)
    content: list[Token] = []
    while (token := stream.take()) is not None:
        if token.kind is Kind.COMMAND and token.text in ("multicolumn", "SetCell"):
            columns = _count(stream)
            stream.argument()
            stream.push(stream.argument())
        elif token.kind is Kind.COMMAND and token.text in ("multirow", "multirowcell"):
            stream.option()
            rows = _count(stream)
            stream.option()
            stream.argument()
            stream.option()
            stream.push(stream.argument())
        else:
            content.append(token)
    return _Cell(inline(content), columns, rows)


def _without_held(rows: list[list[_Cell]]) -> list[list[_Cell]]:
    """The rows without the empty cells that LaTeX wants below a cell over several rows. Such a cell reaches as far as
    these go."""
    kept: list[list[_Cell]] = []
    held: dict[int, tuple[int, int, int]] = {}
    for number, row in enumerate(rows):
        column = 0
        rest: list[_Cell] = []
        for cell in row:
            left, above, place = held.pop(column, (0, 0, 0))
            if left and not cell.line:
                above_cell = kept[above][place]
                kept[above][place] = above_cell._replace(rows=number - above + 1)
                if left > 1:
                    held[column] = (left - 1, above, place)
            else:
                if cell.rows > 1:
                    held[column] = (cell.rows - 1, number, len(rest))
                rest.append(cell._replace(rows=1))
            column += max(cell.columns, 1)
        kept.append(rest)
    return kept


def _count(stream: Stream) -> int:
    text = written(stream.argument()).strip()
    return int(text) if text.isascii() and text.isdecimal() and len(text) < 4 else 1


def parted_captions(tokens: list[Token]) -> tuple[list[list[Token]], list[Token]]:
    """The captions within a table, as arguments of a caption, and the rest."""
    captions: list[list[Token]] = []
    rest: list[Token] = []
    index = 0
    while index < len(tokens):
        token = tokens[index]
        index += 1
        if token.kind is not Kind.COMMAND or token.text != "caption":
            rest.append(token)
            continue
        depth, start = 0, index
        while index < len(tokens) and index - start < _LONGEST_CAPTION:
            depth += {Kind.OPEN: 1, Kind.CLOSE: -1}.get(tokens[index].kind, 0)
            index += 1
            if depth == 0 and tokens[index - 1].kind is Kind.CLOSE:
                break
        captions.append(tokens[start:index])
    return captions, rest

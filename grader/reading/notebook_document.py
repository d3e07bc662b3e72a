"""A notebook read as a report."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from grader.reading.bytes_in import lines_of
from grader.reading.document import Block, BlockKind, Document
from grader.reading.grid import row_text
from grader.reading.markdown_lines import markdown_blocks
from grader.reading.notebook import Cell, CellKind, Notebook, Output, OutputKind


class _Shown(NamedTuple):
    """What becomes an output block."""

    kind: BlockKind
    text: str = ""
    cells: tuple[str, ...] = ()
    line: int | None = None


def notebook_document(notebook: Notebook, output_lines: int | None = None) -> Document:
    """The notebook's cells as one text: each block with its cell from 0, and its line within the cell's source or, for
    an output block, within the cell's output. The rows of a table that a cell put out are output blocks with cells.
    With `output_lines`, the middle of a longer output is left out: so many lines from its beginning and end are kept.
    """
    blocks = tuple(block for cell in notebook.cells for block in _blocks(cell, output_lines))
    return Document(file=notebook.file, exact=True, blocks=blocks, problems=notebook.problems)


def _blocks(cell: Cell, most: int | None) -> Iterator[Block]:
    source = lines_of(cell.source)
    if cell.kind is CellKind.MARKDOWN:
        yield from (block.model_copy(update={"cell": cell.index}) for block in markdown_blocks(source))
    else:
        kind = BlockKind.CODE if cell.kind is CellKind.CODE else BlockKind.LINE
        lines = ((number, line.rstrip()) for number, line in enumerate(source, start=1))
        yield from (Block(kind=kind, text=text, line=number, cell=cell.index) for number, text in lines if text)
    for _ in range(cell.attachments):
        yield Block(kind=BlockKind.FIGURE, text="", cell=cell.index)
    for one in _cut(list(_shown(cell)), most):
        yield Block(kind=one.kind, text=one.text, cells=one.cells, line=one.line, cell=cell.index)


def _cut(shown: Sequence[_Shown], most: int | None) -> Iterator[_Shown]:
    """What is shown without the middle of its lines; pictures stay."""
    places = [number for number, one in enumerate(shown) if one.kind is BlockKind.OUTPUT]
    dropped = set() if most is None else set(places[most:-most])
    return (one for number, one in enumerate(shown) if number not in dropped)


def _shown(cell: Cell) -> Iterator[_Shown]:
    lines = lines_of(cell.output)
    if not cell.outputs:
        yield from _lines(1, len(lines), lines)
    for output in cell.outputs:
        if output.kind is OutputKind.PICTURE:
            yield _Shown(BlockKind.FIGURE)
        else:
            yield from _rows(output) if output.rows else _lines(output.line, output.lines, lines)


def _rows(output: Output) -> Iterator[_Shown]:
    last = output.line + max(output.lines, 1) - 1
    for number, cells in enumerate(output.rows):
        yield _Shown(BlockKind.OUTPUT, row_text(cells), cells, min(output.line + number, last))


def _lines(first: int, count: int, lines: Sequence[str]) -> Iterator[_Shown]:
    for number in range(first, min(first + count, len(lines) + 1)):
        text = lines[number - 1].rstrip()
        if text:
            yield _Shown(BlockKind.OUTPUT, text, (), number)

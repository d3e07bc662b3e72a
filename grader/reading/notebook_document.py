"""A notebook read as a report."""

from collections.abc import Iterator, Sequence

from grader.reading.bytes_in import lines_of
from grader.reading.document import Block, BlockKind, Document
from grader.reading.grid import row_text
from grader.reading.markdown_lines import markdown_blocks
from grader.reading.markup import lines_as
from grader.reading.notebook import Cell, CellKind, Notebook, Output, OutputKind


def notebook_document(notebook: Notebook) -> Document:
    """The notebook's cells as one text: each block with its cell from 0, and its line within the cell's source or, for
    an output block, within the cell's output. The rows of a table that a cell put out are output blocks with cells."""
    blocks = tuple(block for cell in notebook.cells for block in _blocks(cell))
    return Document(file=notebook.file, exact=True, blocks=blocks, problems=notebook.problems)


def _blocks(cell: Cell) -> Iterator[Block]:
    source = lines_of(cell.source)
    written = markdown_blocks(source) if cell.kind is CellKind.MARKDOWN else lines_as(source, _kind(cell))
    attached = [Block(kind=BlockKind.FIGURE, text="")] * cell.attachments
    for block in (*written, *attached, *_output_blocks(cell)):
        yield block.model_copy(update={"cell": cell.index})


def _kind(cell: Cell) -> BlockKind:
    return BlockKind.CODE if cell.kind is CellKind.CODE else BlockKind.LINE


def _output_blocks(cell: Cell) -> Iterator[Block]:
    lines = lines_of(cell.output)
    if not cell.outputs:
        yield from lines_as(lines, BlockKind.OUTPUT)
    for output in cell.outputs:
        if output.kind is OutputKind.PICTURE:
            yield Block(kind=BlockKind.FIGURE, text="")
        else:
            yield from _rows(output) if output.rows else _lines(output, lines)


def _rows(output: Output) -> Iterator[Block]:
    last = output.line + max(output.lines, 1) - 1
    for number, cells in enumerate(output.rows):
        line = min(output.line + number, last)
        yield Block(kind=BlockKind.OUTPUT, text=row_text(cells), cells=cells, line=line)


def _lines(output: Output, lines: Sequence[str]) -> Iterator[Block]:
    for number in range(output.line, min(output.line + output.lines, len(lines) + 1)):
        text = lines[number - 1].rstrip()
        if text:
            yield Block(kind=BlockKind.OUTPUT, text=text, line=number)

"""A notebook read as a report."""

from collections.abc import Iterator

from grader.reading.bytes_in import lines_of
from grader.reading.document import Block, BlockKind, Document
from grader.reading.markdown_lines import markdown_blocks
from grader.reading.markup import lines_as
from grader.reading.notebook import Cell, CellKind, Notebook


def notebook_document(notebook: Notebook) -> Document:
    """The notebook's cells as one text: each block with its cell from 0, and its line within the cell's source or, for
    an output block, within the cell's output."""
    blocks = tuple(block for cell in notebook.cells for block in _blocks(cell))
    return Document(file=notebook.file, exact=True, blocks=blocks, problems=notebook.problems)


def _blocks(cell: Cell) -> Iterator[Block]:
    source = lines_of(cell.source)
    written = markdown_blocks(source) if cell.kind is CellKind.MARKDOWN else lines_as(source, _kind(cell))
    for block in (*written, *lines_as(lines_of(cell.output), BlockKind.OUTPUT)):
        yield block.model_copy(update={"cell": cell.index})


def _kind(cell: Cell) -> BlockKind:
    return BlockKind.CODE if cell.kind is CellKind.CODE else BlockKind.LINE

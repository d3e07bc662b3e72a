"""Markdown and plain text as documents: one block per source line, as written."""

from collections.abc import Callable, Sequence
from typing import Final

from grader.intake.submission import SubmittedFile
from grader.message import say
from grader.reading.bytes_in import decoded, lines_of, read_bytes
from grader.reading.document import Block, BlockKind, Document
from grader.reading.markdown_lines import markdown_blocks, plain_block
from grader.reading.markdown_tables import is_row, is_ruler, is_thin_ruler, pipe_cells
from grader.reading.text_tables import text_table

MOST_LINES: Final = 200_000


def read_markdown(file: SubmittedFile) -> Document:
    """The blocks of a Markdown file, each with its line from 1. LaTeX and emphasis stay as written."""
    return _document(file, markdown_blocks)


def read_text(file: SubmittedFile) -> Document:
    """The blocks of a plain text file; no sign is taken for markup except bullets, tabs, tables
    and numbered titles."""
    return _document(file, _plain_blocks)


def read_lines(file: SubmittedFile, kind: BlockKind) -> Document:
    """Every line as a block of one kind: code, or what a program printed. Indentation stays."""
    return _document(file, lambda lines: lines_as(lines, kind))


def lines_as(lines: Sequence[str], kind: BlockKind) -> list[Block]:
    """Lines that are not blank as blocks of one kind, with their numbers from 1."""
    numbered = enumerate(lines, start=1)
    return [Block(kind=kind, text=line.rstrip(), line=number) for number, line in numbered if line.strip()]


def _plain_blocks(lines: Sequence[str]) -> list[Block]:
    blocks: list[Block] = []
    index = 0
    while index < len(lines):
        table = text_table(lines, index)
        block = None if table else _plain_line(lines, index, in_table=bool(blocks) and _is_row_above(blocks[-1], index))
        blocks += table.blocks if table else [block] if block else []
        index = table.end if table else index + 1
    return blocks


def _plain_line(lines: Sequence[str], index: int, *, in_table: bool) -> Block | None:
    """The block of a line; None where it says nothing. Tables may be drawn with pipes."""
    line = lines[index]
    if not line.strip() or ("|" in line and (is_ruler(line) or is_thin_ruler(lines, index))):
        return None
    before, following = (lines[at] if 0 <= at < len(lines) else "" for at in (index - 1, index + 1))
    if "|" in line and is_row(line, before, following, in_table=in_table):
        return Block(kind=BlockKind.ROW, text=line.strip(), cells=pipe_cells(line.strip()), line=index + 1)
    return plain_block(line, index + 1)


def _is_row_above(block: Block, index: int) -> bool:
    return block.kind is BlockKind.ROW and "|" in block.text and (block.line or 0) >= index - 1


def read_unknown_text(file: SubmittedFile) -> Document:
    """The lines of a text of a kind that is not known: its marks stay as they are, so that it is read in part only."""
    document = read_text(file)
    problem = say("its kind is not known, so it is read as plain text: hand it in as PDF or Markdown")
    return document.model_copy(update={"problems": (*document.problems, problem)})


def _document(file: SubmittedFile, parse: Callable[[Sequence[str]], list[Block]]) -> Document:
    data, trouble = read_bytes(file.location)
    text, problems = decoded(data)
    lines = lines_of(text)
    if len(lines) > MOST_LINES:
        problems = (
            *problems,
            say(
                "the file has {count} lines; only the first {most_lines} are read",
                count=len(lines),
                most_lines=MOST_LINES,
            ),
        )
    blocks = tuple(parse(lines[:MOST_LINES]))
    return Document(file=file.path, exact=True, blocks=blocks, problems=(*trouble, *problems))

"""Markdown and plain text as documents: one block per source line, as written."""

from collections.abc import Callable, Sequence
from typing import Final

from grader.intake.submission import SubmittedFile
from grader.message import say
from grader.reading.bytes_in import decoded, lines_of, read_bytes
from grader.reading.document import Block, BlockKind, Document
from grader.reading.markdown_lines import markdown_blocks, plain_block

MOST_LINES: Final = 200_000


def read_markdown(file: SubmittedFile) -> Document:
    """The blocks of a Markdown file, each with its line from 1. LaTeX and emphasis stay as written."""
    return _document(file, markdown_blocks)


def read_text(file: SubmittedFile) -> Document:
    """The blocks of a plain text file; no sign is taken for markup except bullets, tabs and numbered titles."""
    return _document(file, _plain_blocks)


def read_lines(file: SubmittedFile, kind: BlockKind) -> Document:
    """Every line as a block of one kind: code, or what a program printed. Indentation stays."""
    return _document(file, lambda lines: lines_as(lines, kind))


def lines_as(lines: Sequence[str], kind: BlockKind) -> list[Block]:
    """Lines that are not blank as blocks of one kind, with their numbers from 1."""
    numbered = enumerate(lines, start=1)
    return [Block(kind=kind, text=line.rstrip(), line=number) for number, line in numbered if line.strip()]


def _plain_blocks(lines: Sequence[str]) -> list[Block]:
    return [plain_block(line, number) for number, line in enumerate(lines, start=1) if line.strip()]


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

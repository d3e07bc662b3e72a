"""A passage cut into statements: sentences, list items and equations, over wrapped lines but not over tables."""

import re
from collections.abc import Iterator
from itertools import pairwise

from grader.claims.passage import Passage
from grader.frozen import Frozen
from grader.reading.document import Block, BlockKind

_SENTENCE_END = re.compile(r"(?<=[.!?;])\s+(?=[A-ZÀ-Ý\"(])")
_CAPTION = re.compile(r"\s*(?:fig|tab)\w*\.?\s*\d", re.IGNORECASE)
_LEFT_OUT = (BlockKind.ROW, BlockKind.CODE, BlockKind.OUTPUT)


class Statement(Frozen):
    """`passage.text[start:end]`, with line breaks as spaces. `is_lead`: it announces what follows, as a heading or by
    a colon at its end."""

    text: str
    start: int
    end: int
    is_lead: bool


def statements(passage: Passage) -> Iterator[Statement]:
    """The statements of a passage in order."""
    for first, after in _paragraphs(passage.blocks):
        start = passage.offset_of(first)
        end = passage.offset_of(after) if after < len(passage.blocks) else len(passage.text)
        text = passage.text[start:end].replace("\n", " ").rstrip()
        cuts = [0, *(match.end() for match in _SENTENCE_END.finditer(text)), len(text)]
        for left, right in pairwise(cuts):
            piece = text[left:right].rstrip()
            if piece.strip():
                heading = passage.blocks[first].kind is BlockKind.HEADING
                yield Statement(
                    text=piece,
                    start=start + left,
                    end=start + left + len(piece),
                    is_lead=heading or piece.endswith(":"),
                )


def _paragraphs(blocks: tuple[Block, ...]) -> Iterator[tuple[int, int]]:
    """Ranges of blocks that belong together: wrapped lines of one paragraph or of one list item."""
    first: int | None = None
    for index, block in enumerate(blocks):
        if first is not None and not _continues(blocks[index - 1], block):
            yield first, index
            first = None
        if first is None and block.kind not in _LEFT_OUT and block.text.strip():
            first = index
    if first is not None:
        yield first, len(blocks)


def _continues(previous: Block, block: Block) -> bool:
    if block.kind is previous.kind is BlockKind.CAPTION:
        return block.page == previous.page and not _CAPTION.match(block.text)
    if block.kind is not BlockKind.LINE or previous.kind not in (BlockKind.LINE, BlockKind.LIST_ITEM):
        return False
    if not block.text.strip() or previous.text.rstrip().endswith((".", ":", ";", "!", "?")):
        return False
    return previous.line is None or block.line is None or block.line == previous.line + 1

"""A passage cut into statements: sentences, list items and equations, over wrapped lines but not over tables."""

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from grader.claims.passage import Passage, normalise
from grader.frozen import Frozen, remembered
from grader.reading.document import Block, BlockKind

_SENTENCE_END = re.compile(r"(?<=[.!?;])\s+(?=[A-ZÀ-Ý\"(])")
_CAPTION = re.compile(r"\s*(?:fig|tab)\w*\.?\s*\d", re.IGNORECASE)
_VALUE = re.compile(r"\s*[(≈~]?\s*\d")
_LONG = 50
"""In characters: so long a line may have been broken for its length."""

_LEFT_OUT = (BlockKind.ROW, BlockKind.CODE, BlockKind.OUTPUT)


class Statement(Frozen):
    """`passage.text[start:end]`, with line breaks as spaces. `is_lead`: it announces what follows, as a heading or by
    a colon at its end."""

    text: str
    start: int
    end: int
    is_lead: bool


@remembered
def statements(passage: Passage) -> tuple[Statement, ...]:
    """The statements of a passage in order."""
    return tuple(_statements(passage))


def _statements(passage: Passage) -> Iterator[Statement]:
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
    rights = _rights(blocks)
    for index, block in enumerate(blocks):
        if first is not None and (not _continues(blocks[index - 1], block, rights) or _is_short(blocks, index - 1)):
            yield first, index
            first = None
        if first is None and block.kind not in _LEFT_OUT and block.text.strip():
            first = index
    if first is not None:
        yield first, len(blocks)


def _rights(blocks: tuple[Block, ...]) -> dict[int | None, float]:
    """How far the text of each page reaches to the right."""
    rights: dict[int | None, float] = {}
    for block in blocks:
        if block.box and block.kind in (BlockKind.LINE, BlockKind.LIST_ITEM):
            rights[block.page] = max(rights.get(block.page, 0.0), block.box[2])
    return rights


_FULL = 0.7
"""A line that is wrapped reaches so far into the width of the lines that begin where it does."""
_SAME_LEFT = 24.0
"""Lines that begin within so many points of each other are of one column."""


def _is_short(blocks: tuple[Block, ...], index: int) -> bool:
    """Whether a line on a page is too short to have been wrapped, so that the next one begins something new."""
    line = blocks[index]
    if line.box is None:
        return False
    left, _, right, _ = line.box
    near = blocks[max(0, index - 40) : index + 40]
    edges = [b.box[2] for b in near if b.box and b.page == line.page and abs(b.box[0] - left) <= _SAME_LEFT]
    return right - left < _FULL * (max(edges) - left)


def _continues(previous: Block, block: Block, rights: dict[int | None, float]) -> bool:
    if block.kind is previous.kind is BlockKind.CAPTION:
        return block.page == previous.page and not _CAPTION.match(block.text)
    if block.kind is previous.kind is BlockKind.HEADING:
        return previous.text.rstrip().endswith("-")
    if block.kind is not BlockKind.LINE or previous.kind not in (BlockKind.LINE, BlockKind.LIST_ITEM):
        return False
    if not block.text.strip():
        return False
    if previous.text.rstrip().endswith(":"):
        return _breaks_before_value(previous, block, rights)
    if previous.text.rstrip().endswith((".", ";", "!", "?")):
        return False
    return previous.line is None or block.line is None or block.line == previous.line + 1


def _breaks_before_value(previous: Block, block: Block, rights: dict[int | None, float]) -> bool:
    """Whether a line that ends in a colon is full, and its value stands at the start of the next one: `seed 2:`."""
    if not _VALUE.match(block.text):
        return False
    if not (previous.box and block.box):
        return len(previous.text) >= _LONG and previous.line is not None and block.line == previous.line + 1
    word = block.text.split()[0]
    width = (block.box[2] - block.box[0]) * len(word) / len(block.text)
    return previous.page == block.page and previous.box[2] + width > rights.get(block.page, 0.0)


_COMMENT = re.compile(r"\s*(?:#+|//|--|%|\"\"\"|\^)\s*(?=\S)")
_NO_PROSE = re.compile(r"=|^\W*\w+\s?:")
"""A comment with a value, or one that begins with a label."""
_FEWEST_WORDS = 4
_WORD = re.compile(r"[^\W\d_]{2,}")


def all_statements(passage: Passage) -> Iterator[Statement]:
    """The statements of a passage, then what else may say something: lines of code and of output, of which comments
    over several lines are one, and cells of tables that are sentences."""
    yield from statements(passage)
    blocks = passage.blocks
    index = top = 0
    while index < len(blocks):
        block, first = blocks[index], index
        index += 1
        if block.kind is BlockKind.ROW:
            top = top if first and blocks[first - 1].kind is BlockKind.ROW else first
            yield from _cells(passage, first, blocks[top])
        elif block.kind in _LEFT_OUT:
            index = end_of_comment(blocks, first)
            start = passage.offset_of(first)
            end = passage.offset_of(index) if index < len(blocks) else len(passage.text)
            text = " ".join(_COMMENT.sub("", line) for line in passage.text[start:end].split("\n")).strip()
            for piece in _SENTENCE_END.split(text):
                if len(_WORD.findall(piece)) > 1:
                    yield Statement(text=piece, start=start, end=max(start, end - 1), is_lead=False)


def end_of_comment(blocks: Sequence[Block], first: int) -> int:
    """The index behind the last line of a comment that begins in a line of code; behind this line where it is none."""
    index = first + 1
    while index < len(blocks) and _goes_on(blocks[index - 1], blocks[index]):
        index += 1
    return index


def sentences_of_comment(passage: Passage, first: int, after: int) -> Iterator[tuple[str, int]]:
    """The sentences of a comment over several lines, with their offsets; its line ends and signs are blanks."""
    start = passage.offset_of(first)
    end = passage.offset_of(after) - 1 if after < len(passage.blocks) else len(passage.text)
    lines = passage.text[start:end].split("\n")
    text = " ".join(_COMMENT.sub(lambda match: " " * len(match.group()), line) for line in lines)
    cuts = [0, *(match.end() for match in _SENTENCE_END.finditer(text)), len(text)]
    for left, right in pairwise(cuts):
        piece = text[left:right].rstrip()
        begin = len(piece) - len(piece.lstrip())
        if piece.strip():
            yield piece[begin:], start + left + begin


def _goes_on(line: Block, following: Block) -> bool:
    """Whether a comment goes on in the next line."""
    rest = _COMMENT.match(following.text)
    if line.kind is not following.kind or not rest or not _COMMENT.match(line.text):
        return False
    if line.text.rstrip().endswith((".", "!", "?", ":")) or "=" in line.text:
        return False
    return following.text[rest.end() :][:1].islower() and not _NO_PROSE.search(following.text)


def _cells(passage: Passage, index: int, top: Block) -> Iterator[Statement]:
    """The cells of a row that are sentences, and those of one or two words with their labels, the one in the table's
    first row and that of the row: `pretrained, checkpoint: best`."""
    block = passage.blocks[index]
    cells = [normalise(cell).text.strip() for cell in block.cells]
    label = cells[0] if cells and len(top.cells) == len(cells) and block is not top else ""
    start = passage.offset_of(index)
    told: dict[str, None] = {}
    for column, text in enumerate(cells):
        words = len(_WORD.findall(text))
        if words >= _FEWEST_WORDS:
            told[text] = None
        elif words and column and _WORD.search(label) and not _DIGIT.search(text):
            told[f"{normalise(top.cells[column]).text.strip()}, {label}: {text}"] = None
    for text in told:
        yield Statement(text=text, start=start, end=start + max(1, len(block.text)), is_lead=False)


_DIGIT = re.compile(r"\d")

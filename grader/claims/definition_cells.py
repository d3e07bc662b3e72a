"""The further lines of a table's cell whose words were wrapped: on a page they stand above or below their row."""

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Final

from grader.claims.passage import Passage
from grader.reading.document import Block, BlockKind

_INDENT: Final = 40.0
"""How much further right than its row, in points, a line stands that belongs to another cell than the first."""
_SAME_GAP: Final = 2.0
Places = tuple[tuple[int, int], ...]


def wrapped_cell(passage: Passage, start: int) -> tuple[Places, Places] | None:
    """The places of the lines above and below the row at an offset that belong to its last cell; None where it is no
    row or has none."""
    row = next(
        (number for number in range(len(passage.blocks)) if passage.offset_of(number) >= start), len(passage.blocks)
    )
    if row >= len(passage.blocks) or passage.blocks[row].kind is not BlockKind.ROW or passage.blocks[row].box is None:
        return None
    above = _own_of_between(passage.blocks, list(_lines(passage.blocks, row, -1))[::-1], row, is_below=False)
    below = _own_of_between(passage.blocks, list(_lines(passage.blocks, row, 1)), row, is_below=True)
    if not above and not below:
        return None
    return _places(passage, above), _places(passage, below)


def _lines(blocks: Sequence[Block], row: int, step: int) -> Iterator[int]:
    """The lines next to a row that stand to the right of its first cell."""
    box = blocks[row].box
    at = row + step
    while 0 <= at < len(blocks) and blocks[at].kind is BlockKind.LINE and blocks[at].page == blocks[row].page:
        other = blocks[at].box
        if box is None or other is None or other[0] < box[0] + _INDENT:
            return
        yield at
        at += step


def _own_of_between(blocks: Sequence[Block], lines: Sequence[int], row: int, *, is_below: bool) -> list[int]:
    """Those of the lines between two rows that are this one's: the widest gap parts them, the last of several equal
    ones. Lines above the first row are its own."""
    if not lines:
        return []
    beyond = lines[-1] + 1 if is_below else lines[0] - 1
    has_other = 0 <= beyond < len(blocks) and blocks[beyond].kind is BlockKind.ROW and _is_beside(blocks, row, beyond)
    if not has_other:
        return list(lines)
    if not is_below and not _head(blocks, beyond):
        chain = [beyond, *lines, row]
    elif not is_below:
        return list(lines)
    else:
        chain = [row, *lines, beyond]
    gaps = [_top(blocks[two]) - _top(blocks[one]) for one, two in pairwise(chain)]
    cut = max(at for at, gap in enumerate(gaps) if gap >= max(gaps) - _SAME_GAP)
    return list(lines[:cut]) if is_below else list(lines[cut:])


def _head(blocks: Sequence[Block], row: int) -> bool:
    """Whether a row is the head of its table: no line or row of the table stands above it."""
    return row == 0 or (blocks[row - 1].kind is not BlockKind.ROW and not list(_lines(blocks, row, -1)))


def _is_beside(blocks: Sequence[Block], row: int, other: int) -> bool:
    return blocks[other].page == blocks[row].page and blocks[other].box is not None


def _top(block: Block) -> float:
    return block.box[1] if block.box else 0.0


def _places(passage: Passage, lines: Sequence[int]) -> Places:
    found = []
    for number in lines:
        end = passage.offset_of(number + 1) - 1 if number + 1 < len(passage.blocks) else len(passage.text)
        found.append((passage.offset_of(number), end))
    return tuple(found)

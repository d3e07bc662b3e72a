"""Which caption is of which table: it may stand above or below it, and another table beside it."""

import re
from collections.abc import Sequence
from typing import Final

from grader.reading.document import Block, BlockKind

CAPTION_START: Final = re.compile(r"\W*(?:table|tableau|tab\.|fig\w*\.?)\s*\d", re.IGNORECASE)


def is_caption(block: Block) -> bool:
    """Whether a block is a line of a caption, or begins like one."""
    return block.kind is BlockKind.CAPTION or bool(CAPTION_START.match(block.text))


def lines_above(blocks: Sequence[Block], first: int, most: int) -> Sequence[Block]:
    """At most so many blocks above a table that begins at `first`, without the caption of the table before it."""
    nearest = text_before(blocks, first)
    is_of_other = nearest is not None and is_caption(blocks[nearest]) and not is_captioned_above(blocks, first)
    end = first if nearest is None or not is_of_other else _caption_start(blocks, nearest)
    return blocks[:end][-most:]


def caption_below(blocks: Sequence[Block], end: int) -> Sequence[Block]:
    """The first line of the caption below a table that ends before `end`; none if it is that of the next table."""
    start = _text_behind(blocks, end)
    if start is None or not is_caption(blocks[start]):
        return ()
    behind = _caption_end(blocks, start)
    is_of_next = _is_row(blocks, behind) and is_captioned_above(blocks, behind)
    return () if is_of_next else blocks[start:][:1]


def is_captioned_above(blocks: Sequence[Block], first: int) -> bool:
    """Whether the caption above a table is its own: on a page, if it is nearer to it than to the table before. Where no
    page tells, and tables and captions take turns, it is that of the table before if a caption ends these turns and
    none begins them."""
    table = first
    while (last := text_before(blocks, table)) is not None and is_caption(blocks[last]):
        start = _caption_start(blocks, last)
        before = text_before(blocks, start)
        if before is None or not _is_row(blocks, before):
            return True
        gap_above, gap_below = _gap(blocks[before], blocks[start]), _gap(blocks[last], blocks[table])
        if gap_above is not None and gap_below is not None and gap_above != gap_below:
            return gap_below < gap_above
        table = before
        while table and _is_row(blocks, table - 1):
            table -= 1
    return table < first and not _ends_in_caption(blocks, first)


def _ends_in_caption(blocks: Sequence[Block], first: int) -> bool:
    """Whether the tables and captions that take turns from this table on end in a caption."""
    at = first
    while _is_row(blocks, at):
        while _is_row(blocks, at):
            at += 1
        caption = _text_behind(blocks, at)
        if caption is None or not is_caption(blocks[caption]):
            return False
        at = _caption_end(blocks, caption)
    return True


def text_before(blocks: Sequence[Block], end: int) -> int | None:
    """Where the nearest block with text stands before `end`, with at most one empty one between."""
    return next((at for at in range(end)[:-3:-1] if blocks[at].text.strip()), None)


def _caption_start(blocks: Sequence[Block], last: int) -> int:
    """Where the caption begins that ends with this block."""
    while last and _goes_on(blocks[last]) and is_caption(blocks[last - 1]):
        last -= 1
    return last


def _caption_end(blocks: Sequence[Block], start: int) -> int:
    """Where what follows the caption begins that starts there."""
    return next((at for at in range(len(blocks))[start:][1:] if not _goes_on(blocks[at])), len(blocks))


def _text_behind(blocks: Sequence[Block], start: int) -> int | None:
    return next((at for at in range(len(blocks))[start:][:3] if blocks[at].text.strip()), None)


def _is_row(blocks: Sequence[Block], index: int) -> bool:
    return index in range(len(blocks)) and blocks[index].kind is BlockKind.ROW


def _goes_on(block: Block) -> bool:
    """Whether a block can be a further line of a caption."""
    return not block.text.strip() or (block.kind is BlockKind.CAPTION and not CAPTION_START.match(block.text))


def _gap(upper: Block, lower: Block) -> float | None:
    """The space between two blocks on one page, in points."""
    if upper.box is None or lower.box is None or upper.page != lower.page:
        return None
    return lower.box[1] - upper.box[3]

"""Assign captions to tables. A caption may stand above or below its table, and another table beside it."""

from collections.abc import Iterator, Sequence, Set
from itertools import islice, takewhile
from typing import Final

from grader.claims.passage import Passage
from grader.claims.results.vocabulary import Kind, mentions
from grader.lab.definition import Lab
from grader.language import lexicon
from grader.reading.document import Block, BlockKind

CAPTION_START: Final = lexicon.pattern(r"(?i:\W*<figure|table>\.?\s*\d)")


def is_caption(block: Block) -> bool:
    """Whether a block belongs to a caption, or begins like one."""
    return block.kind is BlockKind.CAPTION or bool(CAPTION_START.match(block.text))


def lines_above(blocks: Sequence[Block], first: int, most: int) -> Sequence[Block]:
    """Return at most `most` blocks above a table that begins at `first`, without the caption of the table before it."""
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
    """Whether the caption above a table belongs to it.

    On a page, it does if it is nearer to this table than to the one before. Elsewhere, tables and captions that
    alternate end or begin with a caption, which decides.
    """
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
    """Whether the alternating tables and captions from this table on end with a caption."""
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
    """Return the position of the nearest block with text before `end`, with at most one empty block between."""
    return next((at for at in range(end)[:-3:-1] if blocks[at].text.strip()), None)


def _caption_start(blocks: Sequence[Block], last: int) -> int:
    """Return the position at which the caption that ends with this block begins."""
    while last and _goes_on(blocks[last]) and is_caption(blocks[last - 1]):
        last -= 1
    return last


def _caption_end(blocks: Sequence[Block], start: int) -> int:
    """Return the position after the end of the caption that begins there."""
    return next((at for at in range(len(blocks))[start:][1:] if not _goes_on(blocks[at])), len(blocks))


def _text_behind(blocks: Sequence[Block], start: int) -> int | None:
    return next((at for at in range(len(blocks))[start:][:3] if blocks[at].text.strip()), None)


def _is_row(blocks: Sequence[Block], index: int) -> bool:
    return index in range(len(blocks)) and blocks[index].kind is BlockKind.ROW


def _goes_on(block: Block) -> bool:
    """Whether a block can be a further line of a caption."""
    return not block.text.strip() or (block.kind is BlockKind.CAPTION and not CAPTION_START.match(block.text))


def _gap(upper: Block, lower: Block) -> float | None:
    """Return the distance between two blocks on one page, in points."""
    if upper.box is None or lower.box is None or upper.page != lower.page:
        return None
    return lower.box[1] - upper.box[3]


def experiments_below(passages: Sequence[tuple[Passage, object]], at: int, start: int, end: int, lab: Lab) -> Set[str]:
    """Return the experiments in the rows of the table that `text[start:end]` of the passage at a place among those of
    a text is about: its caption, or a line right above it. A text may cut the table where rows name questions."""
    own_passage = passages[at][0]
    lead = [block for passage, _ in passages[:at] for block in passage.blocks]
    blocks = [*lead, *(block for passage, _ in passages[at:] for block in passage.blocks)]
    first, last = (len(lead) + own_passage.index_at(place) for place in (start, max(start, end - 1)))
    above = text_before(blocks, first)
    below = next((place for place in range(last + 1, min(last + 4, len(blocks))) if blocks[place].text.strip()), None)
    sides = (above, below) if is_caption(own_passage.block_at(start)) else (below,)
    places = [entry for entry in sides if entry is not None and blocks[entry].kind is BlockKind.ROW]
    if len(places) > 1:
        places = places[1:] if is_captioned_above(blocks, places[1]) else places[:1]
    return {
        found.value
        for place in places
        for row in takewhile(lambda block: block.kind is BlockKind.ROW, blocks[place :: 1 if place > last else -1])
        for found in mentions(row.text, lab)
        if found.kind is Kind.EXPERIMENT
    }


def caption_of_picture(blocks: Sequence[Block], index: int) -> str:
    """Return the captions of a picture. Numbers and names of a plot may stand between."""
    return " ".join(
        text for side in (reversed(blocks[:index]), iter(blocks[index + 1 :])) for text in _beyond_labels(side)
    )


def _beyond_labels(side: Iterator[Block]) -> Iterator[str]:
    """Return the lines of the caption on one side of a picture."""
    near = list(islice(side, _MOST_LABELS))
    first = next((at for at, block in enumerate(near) if is_caption(block)), len(near))
    if all(block.kind in _IN_PLOT and len(block.text.split()) <= _LABEL_WORDS for block in near[:first]):
        yield from (block.text for block in takewhile(is_caption, near[first:]))


_IN_PLOT: Final = (BlockKind.LINE, BlockKind.ROW)
_MOST_LABELS: Final = 30
_LABEL_WORDS: Final = 8
"""The most words in one line of a plot, such as those of a legend."""

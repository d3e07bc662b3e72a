"""Notes at the foot of a page or the end of a text, put behind the paragraph that refers to them."""

import re
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from grader.reading.document import Block, BlockKind

_RAISED: Final = re.compile(r"\^\{(\d{1,2})\}\s*(?=[^\W\d_]{2}|[\"“«(]?\d)")
"""How a note at the foot of a page begins."""
_NUMBERED: Final = re.compile(r"(\d{1,2})\.\s+\S")
_RETURN: Final = re.compile("↩[\ufe0e\ufe0f]?\\s*$")
"""What leads from a note at the end of a text back to its mark."""
_LONGEST: Final = 12
"""Lines of a note."""
_APART: Final = 0.6
"""Of a line's height: so far the lines of two paragraphs are apart."""


class _Note(NamedTuple):
    """`blocks[start:end]` is the note with a number; `page` is where it must be referred to, if it stands at a foot."""

    number: str
    start: int
    end: int
    page: int | None = None


def with_notes_in_place(blocks: Sequence[Block]) -> list[Block]:
    """The blocks with each note that can be told behind the paragraph, list item or title that refers to it first."""
    notes = [*_at_the_end(blocks), *_at_feet(blocks)]
    moved: dict[int, list[Block]] = {}
    taken: set[int] = set()
    for note in notes:
        mark = re.compile(rf"(?:[^\W\d_]{{2}}|[.,;:)!?»”\"%])\s?_?\^\{{{note.number}\}}")
        place = next((at for at in range(note.start) if _refers(blocks[at], mark, note.page)), None)
        if place is None or place in taken:
            continue
        own = range(note.start, note.end)
        moved.setdefault(_paragraph_end(blocks, place), []).extend(blocks[at] for at in own)
        taken.update(own)
    if not taken:
        return list(blocks)
    kept = ((at, block) for at, block in enumerate(blocks) if at not in taken)
    return [one for at, block in kept for one in (block, *moved.get(at, ()))]


def _refers(block: Block, mark: re.Pattern[str], page: int | None) -> bool:
    return page in (None, block.page) and bool(mark.search(block.text))


def _at_the_end(blocks: Sequence[Block]) -> Iterator[_Note]:
    """Numbered notes that end with the sign of return."""
    start: tuple[int, str] | None = None
    for at, block in enumerate(blocks):
        begins = _NUMBERED.match(block.text)
        if begins:
            start = at, begins[1]
        if start and _RETURN.search(block.text) and at - start[0] < _LONGEST:
            yield _Note(start[1], start[0], at + 1)
            start = None


def _at_feet(blocks: Sequence[Block]) -> Iterator[_Note]:
    """Lines at the foot of a page that begin with a raised number, to the next such line or the page's end."""
    first: dict[int, list[int]] = {}
    last: dict[int, int] = {}
    for at, block in enumerate(blocks):
        if block.page is not None:
            last[block.page] = at
            if block.kind is BlockKind.LINE and _RAISED.match(block.text):
                first.setdefault(block.page, []).append(at)
    for page, starts in first.items():
        end = last[page] + 1
        if any(block.kind is not BlockKind.LINE or block.page != page for block in blocks[starts[0] : end]):
            continue
        for start, after in zip(starts, [*starts[1:], end], strict=True):
            number = _RAISED.match(blocks[start].text)
            if number and after - start < _LONGEST:
                yield _Note(number[1], start, after, page)


def _paragraph_end(blocks: Sequence[Block], at: int) -> int:
    """The index of the last block of a paragraph: no title, and no more than a line's distance from one to the next."""
    while at + 1 < len(blocks) and not _is_apart(blocks[at], blocks[at + 1]):
        at += 1
    return at


def _is_apart(above: Block, below: Block) -> bool:
    if below.kind is not BlockKind.LINE or above.kind not in (BlockKind.LINE, BlockKind.LIST_ITEM):
        return True
    if above.box is None or below.box is None or above.page != below.page:
        return True
    return below.box[1] - above.box[3] > _APART * (above.box[3] - above.box[1])

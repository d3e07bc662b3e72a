"""Consecutive lines of one document as one text, with the way back to page, box and line."""

from bisect import bisect_right
from functools import cached_property
from itertools import accumulate

from grader.claims.normal import Normal, normalise
from grader.frozen import Frozen
from grader.reading.document import Block, Document, RepairKind
from grader.reading.evidence import Box, Evidence

QUOTE_MARGIN = 90
"""How many characters of a long line are quoted on either side of what was found."""


class Passage(Frozen):
    """A run of blocks of one document. Offsets are those of `text`, the normalised text of its lines."""

    file: str
    exact: bool
    blocks: tuple[Block, ...]

    @classmethod
    def of(cls, document: Document) -> "Passage":
        """A whole document as one passage."""
        return cls(file=document.file, exact=document.exact, blocks=document.blocks)

    @cached_property
    def _original(self) -> str:
        return "\n".join(block.text for block in self.blocks)

    @cached_property
    def _normal(self) -> Normal:
        return normalise(self._original)

    @cached_property
    def _ends(self) -> tuple[int, ...]:
        return tuple(accumulate(len(block.text) + 1 for block in self.blocks))

    @property
    def text(self) -> str:
        """The normalised text."""
        return self._normal.text

    def block_at(self, offset: int) -> Block:
        """The block that holds the character at an offset of `text`."""
        return self.blocks[self.index_at(offset)]

    def is_inferred(self, start: int, end: int, *kinds: RepairKind) -> bool:
        """Whether some of `text[start:end]` was repaired in one of some ways: inferred from the page, not read."""
        first, last = self.index_at(start), self.index_at(max(start, end - 1))
        return any(
            self.offset_of(index, repair.start) < end
            and start < self.offset_of(index, max(repair.end, repair.start + 1))
            for index in range(first, last + 1)
            for repair in self.blocks[index].repairs
            if repair.kind in kinds
        )

    def offset_of(self, block_index: int, within: int = 0) -> int:
        """The offset in `text` of the character at an offset within a block, or of where the block begins."""
        start = self._ends[block_index - 1] if block_index else 0
        return bisect_right(self._normal.origin, start + within - 1)

    def evidence(self, start: int, end: int) -> Evidence:
        """The place and the original words of `text[start:end]`, with some of the line around them."""
        first, last = self.index_at(start), self.index_at(max(start, end - 1))
        covered = self.blocks[first : last + 1]
        head = covered[0]
        return Evidence(
            file=head.file or self.file,
            page=head.page,
            box=_around([block.box for block in covered if block.page == head.page]),
            line=head.line,
            cell=head.cell,
            quote=self._quote(start, end, first, last),
        )

    def index_at(self, offset: int) -> int:
        """The index of the block that holds the character at an offset of `text`."""
        origin = self._normal.origin
        original = origin[min(offset, len(origin) - 1)] if origin else 0
        return min(bisect_right(self._ends, original), len(self.blocks) - 1)

    def _quote(self, start: int, end: int, first: int, last: int) -> str:
        origin = self._normal.origin
        line_start = self._ends[first - 1] if first else 0
        line_end = self._ends[last] - 1
        left = max(line_start, origin[start] - QUOTE_MARGIN)
        right = min(line_end, origin[max(start, end - 1)] + 1 + QUOTE_MARGIN)
        opening = "…" if left > line_start else ""
        closing = "…" if right < line_end else ""
        return opening + " ".join(self._original[left:right].split()) + closing


def _around(boxes: list[Box | None]) -> Box | None:
    """The smallest box around several, or None when a place is unknown."""
    known = [box for box in boxes if box is not None]
    if not known:
        return None
    lefts, tops, rights, bottoms = zip(*known, strict=True)
    return min(lefts), min(tops), max(rights), max(bottoms)

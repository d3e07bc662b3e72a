"""Captions of figures and tables."""

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import Final, NamedTuple

from grader.reading.document import BlockKind
from grader.reading.evidence import Box
from grader.reading.pdf.marks import Piece
from grader.reading.pdf.page_line import PageLine

_CAPTION: Final = re.compile(
    r"(?:fig(?:ure|\.)?|tab(?:le|leau|\.)?|abb(?:ildung|\.)?|listing|algorithme?|graphique|chart|plot)"
    r"\s*(?:\d{1,3}(?:\.\d{1,3})*|[ivx]{1,5})[a-z]?\s*(?:$|[:.–—|]|-\s)",
    re.IGNORECASE,
)

_NEXT_LINE: Final = 1.45
"""In em, from baseline to baseline: what stands further below is another paragraph."""


_SUBCAPTION: Final = re.compile(r"\(?[a-z]\)\s")
_REACH: Final = 4.0
"""In em: a caption stands at most this far from its table."""


class TableCaption(NamedTuple):
    """The texts of one of several captions on a line, the index of the table that it is of, and whether it stands
    below."""

    table: int
    is_below: bool
    pieces: tuple[Piece, ...]


def captions_of_tables(pieces: Sequence[Piece], box: Box, size: float, tables: Sequence[Box]) -> list[TableCaption]:
    """The captions that stand beside each other on a line, each above or below a table of its own; none where the line
    is anything else."""
    starts = [at for at, piece in enumerate(pieces) if begins_caption(piece.text) or _SUBCAPTION.match(piece.text)]
    if len(starts) < 2 or starts[0] != 0:
        return []
    texts = [tuple(pieces[start:end]) for start, end in zip(starts, [*starts[1:], len(pieces)], strict=True)]
    for is_below in (True, False):
        edge = box[1] if is_below else box[3]
        near = [at for at, one in enumerate(tables) if -size < _step(one, edge, is_below=is_below) < _REACH * size]
        near.sort(key=lambda at: tables[at][0])
        if len(near) == len(texts) and all(tables[a][2] < tables[b][0] for a, b in pairwise(near)):
            return [TableCaption(at, is_below, text) for at, text in zip(near, texts, strict=True)]
    return []


def _step(table: Box, edge: float, *, is_below: bool) -> float:
    return edge - table[3] if is_below else table[1] - edge


def begins_caption(text: str) -> bool:
    """Whether a line begins as a caption does: `Figure 1: …`, `Tab. 2 – …`; `Figure 1 shows …` does not."""
    return bool(_CAPTION.match(text))


def continues_caption(above: PageLine, line: PageLine, kind: BlockKind) -> bool:
    """Whether a line goes on with the caption above it (a block of this kind): close below, alike in type, and begun
    no further right than it, because the line above is full."""
    if kind is not BlockKind.CAPTION or len(line.pieces) > 1 or begins_caption(line.text):
        return False
    step = line.box[3] - above.box[3]
    close = 0 < step <= _NEXT_LINE * above.size and abs(line.size - above.size) < 0.05 * above.size
    return close and line.bold == above.bold and line.box[2] <= above.box[2] + above.size

"""Captions of figures and tables."""

import re
from typing import Final

from grader.reading.document import BlockKind
from grader.reading.pdf.page_line import PageLine

_CAPTION: Final = re.compile(
    r"(?:fig(?:ure|\.)?|tab(?:le|leau|\.)?|abb(?:ildung|\.)?|listing|algorithme?|graphique|chart|plot)"
    r"\s*(?:\d{1,3}(?:\.\d{1,3})*|[ivx]{1,5})[a-z]?\s*(?:$|[:.–—|]|-\s)",
    re.IGNORECASE,
)

_NEXT_LINE: Final = 1.45
"""In em, from baseline to baseline: what stands further below is another paragraph."""


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

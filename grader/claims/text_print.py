"""A fingerprint of a report's prose, by which reports are compared without keeping their words.

The runs of five words of the text are hashed, and the smallest hashes are kept: a fair sample of the runs, and the same
sample for the same text (Broder 1997, "On the resemblance and containment of documents").
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from hashlib import blake2b
from typing import Final

from grader.claims.sections import Section
from grader.frozen import Frozen
from grader.lab.definition import Lab
from grader.reading.document import BlockKind

RUN: Final = 5
KEPT: Final = 256
DIGITS: Final = 8
_MOST_WORDS: Final = 50_000
_WORD: Final = re.compile(r"[^\W\d_]+")
_PROSE: Final = (BlockKind.LINE, BlockKind.LIST_ITEM)


class TextPrint(Frozen):
    """`runs` is how many different runs of words the prose has, `sketch` the smallest of their hashes in order, each of
    `DIGITS` hexadecimal digits; no word can be read from it. For staff only."""

    runs: int
    sketch: str = ""

    @property
    def hashes(self) -> list[int]:
        """The hashes of the sketch, the smallest first."""
        return [int(self.sketch[at : at + DIGITS], 16) for at in range(0, len(self.sketch), DIGITS)]

    @property
    def is_whole(self) -> bool:
        """Whether the sketch holds all runs, not a sample of them."""
        return self.runs <= KEPT


def text_print(sections: Iterable[Section], lab: Lab) -> TextPrint | None:
    """The print of an answer sheet's own prose, given its sections; None where it has none.

    Formulas, tables, code, captions, figures and references do not count, nor numbers, nor runs of words that the lab's
    own titles or the library's documentation hold.
    """
    known = set(_runs(_given(lab)))
    own = {run for run in _runs(_prose(sections)) if run not in known}
    if not own:
        return None
    smallest = sorted({_hash(run) for run in own})[:KEPT]
    return TextPrint(runs=len(own), sketch="".join(f"{one:0{DIGITS}x}" for one in smallest))


def _prose(sections: Iterable[Section]) -> Iterator[str]:
    """One text for each section, as a run of words ends where the section does."""
    for section in sections:
        if not section.is_closing:
            yield "\n".join(block.text for block in section.passage.blocks if block.kind in _PROSE)


def _given(lab: Lab) -> Iterator[str]:
    """Words that everyone may have from the course or the library."""
    yield lab.title
    for question in lab.questions:
        yield question.title
        yield from (item.title for item in question.items)
    for parameter in lab.parameters:
        yield from parameter.documentation


def _runs(texts: Iterable[str]) -> Iterator[tuple[str, ...]]:
    left = _MOST_WORDS
    for text in texts:
        words: Sequence[str] = _WORD.findall(text.casefold())[: max(left, 0)]
        left -= len(words)
        yield from zip(*(words[at:] for at in range(RUN)), strict=False)


def _hash(run: tuple[str, ...]) -> int:
    return int.from_bytes(blake2b(" ".join(run).encode(), digest_size=DIGITS // 2).digest(), "big")

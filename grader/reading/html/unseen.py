"""Which texts that a page does not show are worth a word to people."""

import re
from collections.abc import Iterable
from typing import Final, NamedTuple

from grader.message import Words
from grader.reading.document import Block
from grader.reading.html.walk import Unseen
from grader.reading.visibility import HIDDEN_TEXT, MOST_HIDDEN, Visibility, doubtful_text

_WORD: Final = re.compile(r"\w+(?:[.,]\d+)*")
_LABEL: Final = 6
"""Number of words that the label of a button, or of a link for those who do not see the page, may have."""
_MOST_DOUBTS: Final = 3


class Mattering(NamedTuple):
    """The texts that do not show and could have been meant to count, and the problems with those that may not show."""

    hidden: tuple[Block, ...]
    doubts: tuple[Words, ...]

    @property
    def problems(self) -> tuple[Words, ...]:
        """The problems that a document has with them."""
        return (*([HIDDEN_TEXT] if self.hidden else []), *self.doubts)


def mattering(unseen: Iterable[Unseen], shown: Iterable[Block], *, is_output: bool = False) -> Mattering:
    """The texts of which people are to hear. Programs that make pages take labels of buttons and copies of what is
    shown off the page, and libraries what an output of theirs shows on a click: that is in order."""
    words = {word for block in shown for word in _words(block.text)}
    hidden: list[Block] = []
    doubtful: list[str] = []
    for one in unseen:
        own = _words(one.block.text)
        new = [word for word in own if word not in words]
        has_number = any(any(sign.isdigit() for sign in word) for word in new)
        is_furniture = one.is_off and (is_output or one.in_output or not (has_number or len(new) > _LABEL))
        if own and not is_furniture:
            hidden += [one.block] if one.visibility is Visibility.HIDDEN else []
            doubtful += [one.block.text] if one.visibility is Visibility.DOUBTFUL else []
    texts = dict.fromkeys(doubtful[:_MOST_DOUBTS])
    return Mattering(tuple(hidden[:MOST_HIDDEN]), tuple(map(doubtful_text, texts)))


def _words(text: str) -> list[str]:
    return [word.casefold() for word in _WORD.findall(text)]

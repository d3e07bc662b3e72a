"""Where a text speaks of a matter that a lab names by words, and whether it says it plainly."""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Final

from grader.claims.passage import Passage
from grader.claims.statements import statements
from grader.frozen import Frozen
from grader.reading.document import BlockKind
from grader.reading.evidence import Evidence

_NOT: Final = re.compile(
    r"\b(?:not|no|never|cannot|without|unable|fail\w*|instead|rather|(?:ne|n['’]\w+)\b.{0,40}?\b(?:pas|plus|jamais|rien)"
    r"|pas|jamais|sans|impossible|échou\w*|plutôt)\b|n['’]t\b",
    re.IGNORECASE,
)
_OPEN: Final = re.compile(
    r"\?|\b(?:if|would|could|should|may|might|must|will|si|pourrait|aurait|serait|devrait|doit)\b",
    re.IGNORECASE,
)
_CLAUSE: Final = re.compile(
    r"[,;:()—]\s|\s(?:so|but|because|since|therefore|donc|mais|car|sinon|otherwise)\s", re.IGNORECASE
)


class Saying(Frozen):
    """A sentence, list item or table row about a matter. It is plain where it is stated for a fact: no title, no
    question, no condition; `is_denied` where it holds a word that denies."""

    text: str
    evidence: Evidence
    in_row: bool = False
    is_plain: bool = True
    is_denied: bool = False


def speaks_of(text: str, words: Sequence[str]) -> re.Match[str] | None:
    """Where a text first speaks of a matter: words are whole numbers or beginnings of words, in any case, accented or
    not, and with any space, hyphen or underscore between their parts. Offsets are those of the text."""
    return _pattern(tuple(words)).search(folded(text)) if words else None


def sayings(passage: Passage, words: Sequence[str]) -> Iterator[Saying]:
    """What a passage says about a matter, in sentences first and then in rows of tables."""
    for one in statements(passage):
        match = speaks_of(one.text, words)
        if match:
            heading = passage.block_at(one.start + match.start()).kind is BlockKind.HEADING
            denied = bool(_NOT.search(_clause(one.text, match)))
            yield Saying(
                text=one.text,
                evidence=passage.evidence(one.start + match.start(), one.start + match.end()),
                is_plain=not (heading or denied or _OPEN.search(one.text)),
                is_denied=denied,
            )
    for index, block in enumerate(passage.blocks):
        match = speaks_of(block.text, words) if block.kind is BlockKind.ROW else None
        if match:
            start = passage.offset_of(index)
            place = passage.evidence(start, min(start + len(block.text), len(passage.text)))
            yield Saying(text=block.text, evidence=place, in_row=True)


def plainest(passages: Sequence[Passage], words: Sequence[str]) -> Saying | None:
    """The first plain saying about a matter, or else the first."""
    every = [one for passage in passages for one in sayings(passage, words)]
    return next((one for one in every if one.is_plain), next(iter(every), None))


def _clause(text: str, match: re.Match[str]) -> str:
    """The part of a sentence that a match stands in."""
    before = list(_CLAUSE.finditer(text, 0, match.start()))
    after = _CLAUSE.search(text, match.end())
    return text[before[-1].end() if before else 0 : after.start() if after else len(text)]


def folded(text: str) -> str:
    """A text without case and accents, character by character, so that offsets stay."""
    return text.translate(_FOLDED)


class _Folding(dict[int, str]):
    """What each character is folded to, worked out once."""

    def __missing__(self, code: int) -> str:
        one = chr(code)
        self[code] = unicodedata.normalize("NFD", one)[0].lower()[:1] or one
        return self[code]


_FOLDED: Final = _Folding()


@lru_cache
def _pattern(words: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile(rf"(?<![^\W_])(?:{'|'.join(map(_spelled, words))})")


def _spelled(word: str) -> str:
    """A pattern for the beginning of a word; a number is no beginning of a longer one."""
    spelled = r"[\s_-]*".join(re.escape(part) for part in re.split(r"[\s_-]+", folded(word)))
    return rf"{spelled}(?![.,]?\d)" if word[-1:].isdigit() else spelled

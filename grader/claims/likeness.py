"""Which answers in words are so alike that one decision settles them, and which only list words."""

import hashlib
import re
import unicodedata
from typing import Final

_HASH_LENGTH: Final = 16
_WORD: Final = re.compile(r"\d+(?:[.,]\d+)?|[^\W\d_]+|[=+/<>?≤≥≠∈~≈^%#@$×-]")
_LIST_LENGTH: Final = 4
_SHORTEST_OF_A_LIST: Final = 3


def words(text: str) -> tuple[str, ...]:
    """The words, numbers and signs of a text, without case and accents; the hyphens inside words do not count."""
    plain = unicodedata.normalize("NFKD", text.casefold())
    plain = "".join(character for character in plain if not unicodedata.combining(character))
    return tuple(one for one in _WORD.findall(re.sub(r"(?<=\w)-\s?(?=\w)", "", plain)) if one != "-")


def group_key(topic: str, text: str, other_value: str | None = None) -> str:
    """The key of an answer, in the form that the lab's decisions use. Case, accents and punctuation make no difference;
    a value beside the name that is not the lab's does."""
    said = (*words(text), *(("=", *words(other_value)) if other_value else ()))
    return f"{topic}:{hashlib.sha256(' '.join(said).encode()).hexdigest()[:_HASH_LENGTH]}"


def is_word_list(text: str) -> bool:
    """Whether a text names things without saying anything of them: several pieces between commas, semicolons, slashes
    or dashes, of one or two words each."""
    pieces = [words(piece) for piece in re.split(r"[,;/|•\n–—]|\s-\s", text) if piece.strip()]
    return len(pieces) >= _LIST_LENGTH and all(len(piece) < _SHORTEST_OF_A_LIST for piece in pieces)


_DENIED: Final = re.compile(
    r"^\W*(?:no\W+)?(?:(?:it|this|that|he|she)\s+)?(?:is|are|was|means|ce|c'est|ce n'est|n'est)?\s*"
    r"(?:not|never|unlike|anything but|by no means|rather than|the opposite|the contrary|pas|jamais|le contraire)\b"
    r"|^\W*(?:it is |this is )?(?:wrong|false|faux)\b"
    r"|\b(?:is|are|c'est)\s+(?:wrong|false|not true|faux)\W*$|nothing to do with|rien à voir avec",
    re.IGNORECASE,
)


def is_denied(text: str) -> bool:
    """Whether a text denies as a whole what it says: `not the rank of …`, `…: this is wrong`."""
    return bool(_DENIED.search(text))

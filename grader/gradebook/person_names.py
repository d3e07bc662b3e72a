"""Names of people made comparable: without case and accents, in any order, `Last, First` like `First Last`."""

import re
import unicodedata
from functools import lru_cache
from typing import Final, NamedTuple

_LETTERS: Final = str.maketrans({"ł": "l", "ø": "o", "đ": "d", "ð": "d", "þ": "th", "æ": "ae", "œ": "oe", "ı": "i"})
_SEPARATORS: Final = re.compile(r"[\s,;_/|]+")
_SIGNS: Final = re.compile(r"[\W_]+")
_WORD: Final = re.compile(r"[^\W_]+")
_CAMEL: Final = re.compile(r"(?<=[a-z])(?=[A-Z])|(?<=[^\W\d_])(?=\d)|(?<=\d)(?=[^\W\d_])")


class NameKeys(NamedTuple):
    """What equal names have in common. `sorted_words` hold in any order; `joined` is the name written as one word.

    `joined` of a name of one word (`etezoe`) is compared with those of names of several words (`zoeete`, `etezoe`).
    """

    sorted_words: frozenset[tuple[str, ...]]
    joined: frozenset[str]
    is_one_word: bool


@lru_cache(maxsize=100_000)
def name_keys(name: str) -> NameKeys:
    """The keys of a name; none for a name without letters."""
    parts = [part for part in _SEPARATORS.split(folded(name)) if _SIGNS.sub("", part)]
    whole = [_SIGNS.sub("", part) for part in parts]
    split = [word for part in parts for word in _WORD.findall(part)]
    orders = {tuple(sorted(words)) for words in (whole, split) if words}
    turns = {"".join(whole[turn:] + whole[:turn]) for turn in range(min(len(whole), 8))}
    return NameKeys(frozenset(orders), frozenset(turns), len(whole) == 1)


def same_name(one: str, other: str) -> bool:
    """Whether two names may be one person's."""
    a, b = name_keys(one), name_keys(other)
    return bool(a.sorted_words & b.sorted_words or a.joined & b.joined)


@lru_cache(maxsize=100_000)
def words(text: str) -> frozenset[str]:
    """The words and numbers in a text such as a folder's name, also those run together as in `EteZoe12`."""
    return frozenset(_WORD.findall(folded(text))) | frozenset(_WORD.findall(folded(_CAMEL.sub(" ", text))))


def folded(text: str) -> str:
    """Text in lower case without accents."""
    plain = unicodedata.normalize("NFKD", text.casefold()).translate(_LETTERS)
    return "".join(sign for sign in plain if not unicodedata.combining(sign))

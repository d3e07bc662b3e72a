"""A text as the words and signs that a grammar is written in: one spelling, cut into sentences.

Case, accents, quotes and the hyphens inside words do not count. A comma, a colon, a bracket or a dash is no word but
a gap, at which a new statement may begin. Every word keeps its place in the text, so that it can be quoted.
"""

import re
import unicodedata
from collections.abc import Container, Iterable, Iterator, Mapping
from typing import NamedTuple

_SIGNS = {
    **dict.fromkeys("×✕·⋅", " x "),
    **dict.fromkeys("‐‑−–—", "-"),
    **dict.fromkeys("“”„«»‘’", "'"),
    "∆": "δ",
    "α": " alpha ",
    "&": " and ",
}
"""Signs that stand for a word, or for another sign."""
_TOKEN = re.compile(
    r"(?P<abbreviation>i\.\s?e\.?(?!\w)|e\.\s?g\.?(?!\w)|c\.?\s?-?a\s?-?d\.|(?:resp|etc|cf|vs|approx)\.(?=\s*[a-z,)(]))"
    r"|(?P<identifier>[^\W\d_]+(?:_[^\W_]+)+)"
    r"|(?P<number>(?:\d+(?:[.,]\d+)?|\.\d+)\s?%|\d+[.,]\d+|\.\d+|\d+(?![a-z]))"
    r"|(?P<word>[^\W\d_]+\d*(?![a-z])|[^\W_]+)"
    r"|(?P<end>[.!](?=[\s\"')\]]|$)|;|\.{3,}|…)"
    r"|(?P<gap>[,:()\[\]{}|\n•]|-+>|[→⇒⟶]|-(?=\s)|(?<=\s)-)"
    r"|(?P<sign>[=+/<>?≤≥≠∈~≈^%#@$])"
    r"|(?P<nothing>\s+|[\"'`´_*\-.!\\])"
    r"|(?P<other>.)",
    re.DOTALL,
)
_WRAPPED = re.compile(r"([^\W\d_]+)-\s+([^\W\d_]+)")


class Sentence(NamedTuple):
    """The words of a sentence; `places` are the offsets at which they begin and end in the text, and `gaps` the
    indices of words before which a new statement may begin."""

    words: tuple[str, ...]
    places: tuple[tuple[int, int], ...]
    gaps: frozenset[int]


class _Token(NamedTuple):
    kind: str
    text: str
    start: int
    end: int


def sentences(
    text: str,
    known: Container[str] = (),
    spelling: Mapping[str, str] | None = None,
    whole: Container[str] = (),
) -> tuple[Sentence, ...]:
    """The sentences of a text. `known` words mend what a line's end has cut in two (`decom- position`); `spelling`
    gives one spelling for a word's variants; identifiers that are `whole` are not taken apart at their underscores.
    Takes time linear in the text's length."""
    plain, origin = _plain(text)
    found: list[Sentence] = []
    words: list[str] = []
    places: list[tuple[int, int]] = []
    gaps: set[int] = set()
    for token in (*_mended(plain, known, whole), _Token("end", "", len(plain), len(plain))):
        if token.kind == "end":
            if words:
                found.append(Sentence(tuple(words), tuple(places), frozenset(gaps)))
            words, places, gaps = [], [], set()
        elif token.kind == "gap":
            gaps.add(len(words))
        else:
            words.append((spelling or {}).get(token.text, token.text))
            places.append((origin[token.start], origin[token.end - 1] + 1))
    return tuple(found)


def words(text: str, spelling: Mapping[str, str] | None = None, whole: Container[str] = ()) -> tuple[str, ...]:
    """The words of a phrase, whatever punctuation stands between them."""
    if phrase_is_a_word(text):
        return ((spelling or {}).get(text, text),)
    return tuple(word for sentence in sentences(text, (), spelling, whole) for word in sentence.words)


def phrase_is_a_word(text: str) -> bool:
    """Whether a text is a single word in plain lower-case letters, so that nothing has to be done to it."""
    return text.isascii() and text.isalpha() and text.islower()


def is_number(word: str) -> bool:
    """Whether a word is a numeral, such as `16`, `0.05` or `5%`."""
    return word[0].isdigit()


def _plain(text: str) -> tuple[str, list[int]]:
    """Lower case without accents, and the offset in the text of each character."""
    plain: list[str] = []
    origin: list[int] = []
    for index, character in enumerate(text):
        for piece in _decomposed(character):
            plain.append(piece)
            origin.append(index)
    return "".join(plain), origin


def _decomposed(character: str) -> str:
    if character.isascii():
        return _SIGNS.get(character, character.lower())
    sign = _SIGNS.get(character) or _SIGNS.get(unicodedata.normalize("NFKC", character))
    if sign:
        return sign
    parts = unicodedata.normalize("NFKD", unicodedata.normalize("NFKC", character).casefold())
    return "".join(_SIGNS.get(part, part) for part in parts if not unicodedata.combining(part))


def _mended(plain: str, known: Container[str], whole: Container[str]) -> Iterator[_Token]:
    """The tokens of a text. A word cut by a hyphen and a space is put together where that yields a known word."""
    done = 0
    for match in _WRAPPED.finditer(plain):
        joined = match[1] + match[2]
        if joined in known and match.start() >= done:
            yield from _tokens(plain, done, match.start(), whole)
            yield _Token("word", joined, match.start(), match.end())
            done = match.end()
    yield from _tokens(plain, done, len(plain), whole)


def _tokens(plain: str, start: int, end: int, whole: Container[str]) -> Iterator[_Token]:
    for match in _TOKEN.finditer(plain, start, end):
        kind = match.lastgroup or "other"
        if kind == "identifier" and match.group() not in whole:
            for part in re.finditer(r"[^_]+", match.group()):
                yield from _tokens(plain, match.start() + part.start(), match.start() + part.end(), whole)
        elif kind != "nothing":
            yield _Token(kind, _spelled(kind, match.group()), match.start(), match.end())


def _spelled(kind: str, text: str) -> str:
    if kind == "number":
        plain = text.replace(",", ".").replace(" ", "")
        return f"0{plain}" if plain.startswith(".") else plain
    if kind == "abbreviation":
        return re.sub(r"[\W]", "", text)
    return text


def vocabulary(phrases: Iterable[str]) -> frozenset[str]:
    """All words of some phrases."""
    return frozenset(word for phrase in phrases for word in words(phrase))

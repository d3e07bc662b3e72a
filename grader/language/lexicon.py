r"""Find where a text names a concept, in any of the languages.

The TOML files beside this module list the words of each language by concept, and `en.toml` explains the concepts. To
ask about words alone, name concepts: `names(text, "doubt")`. For words together with signs, use a pattern in which
`<concept>` stands for the concept's words: `search(r"<run>\W{0,3}\Z", text)`. Texts are matched in lower case, and
offsets refer to the given text.
"""

import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from functools import cache, lru_cache
from itertools import groupby
from pathlib import Path
from typing import Final, NamedTuple

from grader.language.folding import fold_text, lower_text

Match = re.Match[str]
_GAP: Final = re.compile(r"(?<!\?P)<(\w+(?:\|\w+)*)>")
_PART: Final = re.compile(r"\(s\)|.", re.DOTALL)
_FIRST_WORD: Final = re.compile(r"(?:[^\W\d_]|\(s\)|\*)+|\d+")
_WORD: Final = re.compile(r"[^\W\d_]+|\d+")
_SIGN: Final = re.compile(r"[,;:.!?]\s|[()\n]")
_REACH: Final = 3
"""The most words between a negation and what it denies."""
_EXACT: Final = 2
"""Words with at most this many letters must have the right accents: `où` is not `ou`."""
_BEFORE, _BEHIND = r"(?<![^\W\d_])", r"(?![^\W\d_])"
"""A word may be next to an underscore, as in `test_acc`, or a digit, as in `seed1` and `5runs`."""


class Mention(NamedTuple):
    """A place, `text[start:end]`, that names a concept. `negated`: a word of the same clause denies it."""

    concept: str
    start: int
    end: int
    negated: bool = False


class Lexicon:
    """The words of some languages by concept. The words of a concept in several files are merged."""

    def __init__(self, *files: Path) -> None:
        words: dict[str, list[str]] = {}
        self._numbers: Final[dict[str, int]] = {}
        for file in files:
            read = tomllib.loads(file.read_text(encoding="utf-8"))
            numbers = read.pop("number", {})
            for concept, entries in (*read.items(), *(("number", entries) for entries in numbers.values())):
                words.setdefault(concept, []).extend(entries)
            self._numbers.update(
                (fold_text(word), int(value)) for value, entries in numbers.items() for word in entries
            )
        self._words: Final = {concept: tuple(dict.fromkeys(entries)) for concept, entries in words.items()}
        self._patterns: Final[dict[str, re.Pattern[str]]] = {}
        self._index: Final = _index(self._words)
        self._known: Final[dict[str, list[tuple[str, re.Pattern[str] | None]]]] = {}

    @property
    def concepts(self) -> frozenset[str]:
        """The names of all concepts."""
        return frozenset(self._words)

    def words(self, *concepts: str) -> tuple[str, ...]:
        """Return the words for some concepts as the files list them. Raises KeyError for an unknown concept."""
        return tuple(word for concept in concepts for word in self._words[concept])

    def stems(self, *concepts: str) -> tuple[str, ...]:
        """Return the words for some concepts without the star for any ending."""
        return tuple(word.strip("*") for word in self.words(*concepts))

    def number(self, word: str) -> int | None:
        """Return the whole number for a word, 3 for `three`, or None."""
        return self._numbers.get(fold_text(word))

    def number_words(self, value: int) -> tuple[str, ...]:
        """Return the words for a whole number, without accents."""
        return tuple(word for word, word_value in self._numbers.items() if word_value == value)

    def pattern(self, form: str) -> re.Pattern[str]:
        """Return the compiled pattern in which `<concept>`, or `<one|other>`, stands for the words of concepts.

        It is for texts in lower case. Raises KeyError for an unknown concept.
        """
        if form not in self._patterns:
            self._patterns[form] = re.compile(_GAP.sub(lambda gap: any_word(self.words(*gap[1].split("|"))), form))
        return self._patterns[form]

    def search(self, form: str, text: str, start: int = 0, end: int | None = None) -> Match | None:
        """Return the first match of a pattern in a text or in `text[start:end]`."""
        return self.pattern(form).search(lower_text(text), start, len(text) if end is None else end)

    def match(self, form: str, text: str, start: int = 0, end: int | None = None) -> Match | None:
        """Return the match of a pattern at `start` of a text."""
        return self.pattern(form).match(lower_text(text), start, len(text) if end is None else end)

    def fullmatch(self, form: str, text: str, start: int = 0, end: int | None = None) -> Match | None:
        """Return the match of a pattern with a whole text, or with a part of it."""
        return self.pattern(form).fullmatch(lower_text(text), start, len(text) if end is None else end)

    def split(self, form: str, text: str) -> list[str]:
        """Return the parts of a text between the matches of a pattern."""
        edges = [0, *(at for place in self.find_all(form, text) for at in place.span()), len(text)]
        return [text[start:end] for start, end in zip(edges[::2], edges[1::2], strict=True)]

    def find_all(self, form: str, text: str, start: int = 0, end: int | None = None) -> Iterator[Match]:
        """Yield every match of a pattern in a text, in order."""
        return self.pattern(form).finditer(lower_text(text), start, len(text) if end is None else end)

    def mentions(self, text: str) -> tuple[Mention, ...]:
        """Return the concepts that a text names, in order.

        Of overlapping mentions of a concept, the first one counts; of those with the same start, the longest.
        """
        plain = lower_text(text)
        ends: dict[str, int] = {}
        found: list[Mention] = []
        for match in _WORD.finditer(plain):
            for concept, pattern in self._beginning_with(match[0]):
                if match.start() >= ends.get(concept, 0):
                    whole = match if pattern is None else pattern.match(plain, match.start())
                    if whole:
                        ends[concept] = whole.end()
                        found.append(Mention(concept, *whole.span()))
        return _with_negation(plain, found)

    def _beginning_with(self, word: str) -> list[tuple[str, re.Pattern[str] | None]]:
        """Return the concepts that a word names (without a pattern) or may begin to name (with the phrase's pattern).

        The longest phrase of each concept comes first. The result is cached by word.
        """
        if word not in self._known:
            if len(self._known) > _MOST_KNOWN:
                self._known.clear()
            plain = fold_text(word)
            self._known[word] = [
                (entry.concept, _compiled(entry.phrase) if entry.phrase else None)
                for entry in (*self._index.get(plain[:1], ()), *self._index.get("", ()))
                if plain.startswith(entry.beginning) and _compiled(entry.first).fullmatch(word)
            ]
        return self._known[word]


_MOST_KNOWN: Final = 50_000
_BEGINNING: Final = re.compile(r"[^\W_]*")


class _Entry(NamedTuple):
    """A word or phrase of a lexicon.

    `first` is the pattern of its first word, `phrase` that of all its words if there are several. Patterns are compiled
    only when a text contains the letters of `beginning`, because there are thousands.
    """

    beginning: str
    first: str
    concept: str
    phrase: str


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)


def _index(words: Mapping[str, Iterable[str]]) -> dict[str, list[_Entry]]:
    """Return the entries of a lexicon by their first letter. Entries that begin with a star are listed under the empty
    text."""
    found: dict[str, list[_Entry]] = {}
    for concept, concept_words in words.items():
        for word in sorted(concept_words, key=len, reverse=True):
            match = _FIRST_WORD.match(word)
            first = match[0] if match else word
            beginning = fold_text(_BEGINNING.match(first)[0])  # type: ignore[index]  # it matches everywhere
            phrase = "" if first == word else any_word([word])
            found.setdefault(beginning[:1], []).append(_Entry(beginning, _spelled(first), concept, phrase))
    return found


def any_word(words: Iterable[str]) -> str:
    """Return a pattern for some words of a lexicon, the longest first.

    The condition for the end of a word is written once for neighbouring words, because patterns of hundreds of words
    are compiled for every submission that is checked alone.
    """
    ordered = sorted(words, key=lambda word: (-len(word), word))
    parts = [
        f"(?:{'|'.join(map(_spelled, same))}){_BEHIND}" if is_whole else "|".join(map(_spelled, same))
        for is_whole, same in groupby(ordered, _ends_in_letter)
    ]
    return f"{_BEFORE}(?:{'|'.join(parts) or '(?!)'})"


@lru_cache(maxsize=4096)
def _spelled(word: str) -> str:
    """Return the pattern for the letters of a word, without a condition for its end."""
    return "".join(_letter(part, is_exact=len(word) <= _EXACT) for part in _PART.findall(word))


def _ends_in_letter(word: str) -> bool:
    """Whether a word must not be followed by a letter."""
    return word[-1].isalnum() or word.endswith("(s)")


def _letter(part: str, *, is_exact: bool) -> str:
    if part in _SPELLED:
        return _SPELLED[part]
    plain = fold_text(part)
    return re.escape(part) if plain == part or is_exact else f"[{plain}{_ACCENTED.get(plain, part)}]"


_SPELLED: Final = {"(s)": "s?", "*": r"\w*", " ": r"[\s-]\s*", "'": "['’]"}
_ACCENTED: Final = {"a": "àâä", "c": "ç", "e": "éèêë", "i": "îï", "o": "ôö", "u": "ùûü"}


def _with_negation(plain: str, found: list[Mention]) -> tuple[Mention, ...]:
    """Return the mentions with those marked that an odd number of negations before them in their clause deny.

    The nearest negation is at most `_REACH` words away.
    """
    spared = [mention for mention in found if mention.concept == "no_negation"]
    denying = [
        mention
        for mention in found
        if mention.concept == "negation" and not any(it.start <= mention.start < it.end for it in spared)
    ]
    if not denying:
        return tuple(found)
    signs = [sign.end() for sign in _SIGN.finditer(plain)]
    edges = [0, *signs, *(mention.end for mention in found if mention.concept == "break")]
    return tuple(mention._replace(negated=_is_negated(plain, mention, denying, edges)) for mention in found)


def _is_negated(plain: str, mention: Mention, denying: Iterable[Mention], edges: Iterable[int]) -> bool:
    clause = max(edge for edge in edges if edge <= mention.start)
    before = [candidate for candidate in denying if clause <= candidate.start and candidate.end <= mention.start]
    near = before and len(_WORD.findall(plain, before[-1].end, mention.start)) <= _REACH
    return bool(near) and len(before) % 2 == 1


LEXICON: Final = Lexicon(*sorted(Path(__file__).parent.glob("*.toml")))


@lru_cache(maxsize=8192)
def mentions(text: str) -> tuple[Mention, ...]:
    """Return the concepts that a text names, in order. The result is cached."""
    return LEXICON.mentions(text)


@lru_cache(maxsize=8192)
def concepts(text: str) -> frozenset[str]:
    """Return the set of concepts that a text names. The result is cached."""
    return frozenset(mention.concept for mention in mentions(text))


def names(text: str, *sought: str) -> bool:
    """Whether a text names one of some concepts."""
    return not concepts(text).isdisjoint(sought)


search, match, fullmatch = LEXICON.search, LEXICON.match, LEXICON.fullmatch
find_all, split, pattern = LEXICON.find_all, LEXICON.split, LEXICON.pattern
words, stems, number, number_words = LEXICON.words, LEXICON.stems, LEXICON.number, LEXICON.number_words

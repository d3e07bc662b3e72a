"""Which part of a document answers which question, and where a text speaks of a matter that a lab names by words."""

import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence, Set
from functools import lru_cache
from itertools import pairwise
from typing import Final

from grader.claims.passage import Passage
from grader.claims.statements import statements
from grader.frozen import Frozen
from grader.lab.definition import Lab
from grader.reading.document import Block, BlockKind, Document, Evidence

_CLOSING = re.compile(r"^[\W\d]*(?:references?|bibliography|bibliographie|références)\W*$", re.IGNORECASE)
_LEAD = re.compile(r"^[#*\s•-]*(?:\d+(?:\.\d+)*[.)]?\s+)?[*\s]*")


class Section(Frozen):
    """A part of a document under one heading. `questions` are those that the heading names; it may name several."""

    title: str
    questions: tuple[str, ...]
    passage: Passage

    @property
    def is_closing(self) -> bool:
        """Whether it is the list of references: only that has a heading of its own without naming a question."""
        return bool(self.title) and not self.questions


def sections(document: Document, lab: Lab) -> tuple[Section, ...]:
    """Cut a document where a heading names questions of the lab, in the lab's words or by bare numbers. Headings that
    name none stay in their section."""
    labels = _labels(lab)
    pattern = _pattern(labels)
    headings = {
        index: named for index, block in enumerate(document.blocks)
        if (named := _named(block, pattern, labels)) is not None
    }  # fmt: skip
    known = {index for index, questions in headings.items() if questions}
    headings = _by_number(document.blocks, labels, known) | headings
    found: list[Section] = []
    title, start = "", 0
    questions: tuple[str, ...] = ()
    for index, named in sorted(headings.items()):
        found += _section(document, title, questions, start, index)
        title, questions, start = document.blocks[index].text, named, index
    found += _section(document, title, questions, start, len(document.blocks))
    return tuple(found)


_NUMBERED = re.compile(
    r"[#*\s]*(?:(?P<word>[^\W\d_]{4,12})\s*(?:n[°o]\s*)?\d{1,2}\s?(?:[-–—:.)*]|$)|\d{1,2}\s?[.:)]?[\s*]*$)",
    re.IGNORECASE,
)
_FEWEST_NUMBERS = 3


def _by_number(
    blocks: Sequence[Block], labels: Mapping[tuple[str, str], str], known_ones: Set[int]
) -> dict[int, tuple[str, ...]]:
    """The questions of headings that are a number alone, or one and the same word with a number: `3`, `Exercise 4`.

    They are the lab's numbers if they rise, are all known to the lab, and leave some out: a writer's own ones do not. A
    number that several questions have names none. Where headings in the lab's own words stand (`known_ones`), only such
    count as are numbered with them.
    """
    found: dict[str, list[tuple[int, int]]] = {}
    for index, block in enumerate(blocks):
        match = _NUMBERED.match(block.text) if block.kind in (BlockKind.HEADING, BlockKind.LINE) else None
        if match:
            own = int(re.findall(r"\d+", match.group())[0])
            found.setdefault((match["word"] or "").casefold(), []).append((index, own))
    known: dict[int, set[str]] = {}
    for (_, number), question in labels.items():
        known.setdefault(int(number), set()).add(question)
    for word, members in found.items():
        numbers = [number for _, number in members]
        rises = all(one < other for one, other in pairwise(numbers))
        has_gap = numbers != list(range(numbers[0], numbers[0] + len(numbers))) or (bool(word) and numbers[0] > 1)
        is_scheme = not known_ones or any(index in known_ones for index, _ in members)
        if is_scheme and len(numbers) >= _FEWEST_NUMBERS and rises and has_gap and set(numbers) <= set(known):
            return {index: tuple(known[number]) for index, number in members if len(known[number]) == 1}
    return {}


def _section(document: Document, title: str, questions: tuple[str, ...], start: int, end: int) -> Iterator[Section]:
    if end > start:
        passage = Passage(file=document.file, exact=document.exact, blocks=document.blocks[start:end])
        yield Section(title=title, questions=questions, passage=passage)


def _labels(lab: Lab) -> dict[tuple[str, str], str]:
    """From (word, number), such as ("task", "3"), to the question's id."""
    found = {}
    for question in lab.questions:
        for label in question.labels:
            word, number = re.fullmatch(r"(.*?)\s*(\d+)", label.casefold()).groups()  # type: ignore[union-attr]
            found[word, number] = question.id
    return found


def _pattern(labels: Mapping[tuple[str, str], str]) -> re.Pattern[str]:
    """A label and those that follow it: `task 3`, `tasks 3, 4 and 5`, `q1 & t1`."""
    one = rf"{_words(labels)}\s*\d+\b"
    further = rf"\s*(?:,|&|and|et|/|-|–)\s*(?:{_words(labels)}\s*)?\d+\b"
    return re.compile(rf"(?<!\w){one}(?:{further})*")


def _words(labels: Mapping[tuple[str, str], str]) -> str:
    words = "|".join(sorted({re.escape(word) for word, _ in labels}, key=len, reverse=True))
    return rf"(?:{words})s?\.?\s*(?:n[°o]\s*)?"


def _named(block: Block, pattern: re.Pattern[str], labels: Mapping[tuple[str, str], str]) -> tuple[str, ...] | None:
    """The questions that a heading names; () for the heading of an appendix part; None when it is no such heading."""
    text = block.text.casefold()
    if block.kind in (BlockKind.CODE, BlockKind.OUTPUT, BlockKind.ROW):
        return None
    if _CLOSING.match(text):
        return ()
    lead = _LEAD.match(text)
    opening = pattern.match(text, lead.end() if lead else 0)
    if block.kind is not BlockKind.HEADING and not (opening and _stands_apart(text, opening)):
        return None
    named = [question for match in pattern.finditer(text) for question in _questions(match, labels)]
    return tuple(dict.fromkeys(named)) or None


def _stands_apart(text: str, label: re.Match[str]) -> bool:
    rest = text[label.end() :].strip(" *")
    return not rest or rest[0] in ":.)-–—"


def _questions(match: re.Match[str], labels: Mapping[tuple[str, str], str]) -> Iterator[str]:
    """The questions of a list of labels; a number without a word has that of the one before it."""
    words = {word for word, _ in labels}
    current = ""
    for word, number in re.findall(r"([^\W\d_]*?)s?\.?\s*(?:n[°o]\s*)?(\d+)", match.group()):
        current = word if word in words else current
        if (current, number) in labels:
            yield labels[current, number]


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
    is_plain: bool = True
    is_denied: bool = False


def speaks_of(text: str, words: Sequence[str]) -> re.Match[str] | None:
    """Where a text first speaks of a matter: words are whole numbers or beginnings of words, in any case, accented or
    not, and with any space, hyphen or underscore between their parts. Offsets are those of the text."""
    return _matter_pattern(tuple(words)).search(folded(text)) if words else None


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
            yield Saying(text=block.text, evidence=place)


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
def _matter_pattern(words: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile(rf"(?<![^\W_])(?:{'|'.join(map(_spelled, words))})")


def _spelled(word: str) -> str:
    """A pattern for the beginning of a word; a number is no beginning of a longer one."""
    spelled = r"[\s_-]*".join(re.escape(part) for part in re.split(r"[\s_-]+", folded(word)))
    return rf"{spelled}(?![.,]?\d)" if word[-1:].isdigit() else spelled

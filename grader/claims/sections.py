"""Which part of a document answers which question."""

import re
from collections.abc import Iterator, Mapping, Sequence, Set
from itertools import pairwise

from grader.claims.passage import Passage
from grader.frozen import Frozen
from grader.lab.definition import Lab
from grader.reading.document import Block, BlockKind, Document

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

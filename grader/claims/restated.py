"""The hand-out's questions as students write them out: those words are nobody's answer.

A question, as the lab's `asks` gives it, is cut into sentences and whole lists. A student's text holds some of it where
the same letters and digits stand there in the same order, whatever breaks the lines, marks the items or quotes the
words. A sentence counts where it begins and ends as one there, too. A list counts as a whole: an item that stands
alone, or that is marked unlike the others, is an answer.
"""

from collections.abc import Collection, Iterator, Sequence
from itertools import accumulate, groupby, pairwise
from typing import Final, NamedTuple

from grader.claims.asking import asks
from grader.claims.passage import Passage
from grader.claims.statements import statements
from grader.frozen import remembered
from grader.lab.definition import Lab
from grader.language.folding import folded
from grader.language.shapes import TOKEN
from grader.reading.bytes_in import lines_of
from grader.reading.document import Block, BlockKind
from grader.reading.markdown import markdown_blocks
from grader.reading.structure import is_marker

_FEWEST_WORDS: Final = 4
"""So few words may be anybody's."""
_MOST_PLACES: Final = 20
_MOST_TEXT: Final = 200_000
_SILENT: Final = (BlockKind.CODE, BlockKind.OUTPUT, BlockKind.FIGURE)
_WHOLE: Final = (BlockKind.LIST_ITEM, BlockKind.ROW)
"""What counts as a whole: the items of a list, the rows of a table."""
_ENDS: Final = frozenset(".?!:;\n")
_PLAIN: Final = frozenset(" \t\r\n.,:;|()[]'\"«»“”‘’`•◦▪·–—-+#")
"""Signs that set words or items apart and mark none of them."""


class Part(NamedTuple):
    """A sentence of a question, or one of its lists with the letters of each item. `asks`: it asks or is an order."""

    items: tuple[str, ...]
    words: int
    signs: tuple[str, ...] = ()
    asks: bool = False

    @property
    def letters(self) -> str:
        """The letters and digits of all of it."""
        return "".join(self.items)


class Restated(NamedTuple):
    """Some blocks without what the hand-out asks; `has_list`: they held a whole list of it, in which a mark may be lost
    that only a page shows."""

    blocks: tuple[Block, ...]
    has_list: bool


def marks_in(text: str) -> str:
    """The signs in an item of a list that may mark it; a star in front of it is no mark."""
    own = text.strip()
    own = own[1:] if own.startswith(("* ", "*\t")) else own
    return "".join(candidate for candidate in own if not candidate.isalnum() and candidate not in _PLAIN)


def first_sentence(text: str) -> str:
    """The first sentence of a question, by which it is found, of some words at least; else all of it."""
    found = (statement.text for statement in statements(_asked(text)))
    return next((candidate for candidate in found if len(TOKEN.findall(candidate)) >= _FEWEST_WORDS), text)


def names_question(text: str, questions: Collection[str], lab: Lab) -> bool:
    """Whether the words behind a label only call a question by its title, or by what it asks."""
    words = list(map(folded, TOKEN.findall(text)))
    asked = (
        f"{question.title} {first_sentence(question.asks)}" for question in lab.questions if question.id in questions
    )
    known = set(map(folded, TOKEN.findall(" ".join(asked))))
    is_plain = len(words) >= _FEWEST_IN_TITLE and not any(map(str.isdigit, text))
    return is_plain and 3 * sum(word in known for word in words) >= 2 * len(words)


_FEWEST_IN_TITLE: Final = 3
"""Fewer words may be an option or a number that is an answer."""


def _asked(text: str) -> Passage:
    blocks = (block for block in markdown_blocks(lines_of(text)) if block.kind not in _SILENT and _letters(block.text))
    return Passage(file="", exact=True, blocks=tuple(blocks))


@remembered
def _parts(lab: Lab) -> tuple[tuple[Part, ...], ...]:
    """The parts of each question of a lab, in order."""
    return tuple(tuple(parts_of(question.asks)) for question in lab.questions if question.asks)


def parts_of(text: str) -> Iterator[Part]:
    """The sentences, lists and tables of a text in Markdown, without its code."""
    before = ""
    for kind, group in groupby(_asked(text).blocks, lambda block: block.kind if block.kind in _WHOLE else None):
        own_blocks = tuple(group)
        items = [block.text for block in own_blocks]
        are_orders = kind is BlockKind.LIST_ITEM and not before.endswith(("?", ":")) and _are_orders(items)
        before = items[-1].rstrip(" *_)")
        if kind is None or are_orders or (kind is BlockKind.LIST_ITEM and len(own_blocks) == 1):
            yield from _sentences(own_blocks, are_orders=are_orders)
        else:
            words = sum(len(TOKEN.findall(item)) for item in items)
            yield Part(tuple(map(_letters, items)), words, tuple(map(marks_in, items)))


def _are_orders(items: Sequence[str]) -> bool:
    return 2 * sum(map(asks, items)) >= len(items)


def _sentences(blocks: tuple[Block, ...], *, are_orders: bool) -> Iterator[Part]:
    for statement in statements(Passage(file="", exact=True, blocks=blocks)):
        if letters := _letters(statement.text):
            is_asking = are_orders or statement.text.rstrip(" *_)").endswith("?")
            yield Part((letters,), len(TOKEN.findall(statement.text)), asks=is_asking)


def _letters(text: str) -> str:
    return "".join(filter(str.isalnum, folded(text[_marker_end(text) :])))


def _marker_end(text: str) -> int:
    """Return the end of the bullet or counter with which a line begins."""
    first, _, rest = text.lstrip().partition(" ")
    return len(text) - len(rest) if rest and is_marker(first) else 0


class Squeezed(NamedTuple):
    """The letters and digits of some blocks, each with its place in their joined text."""

    text: str
    letters: str
    places: tuple[int, ...]

    def is_bound(self, at: int) -> bool:
        """Whether a sentence or a line may begin at a letter, behind the one before it."""
        if at in (0, len(self.letters)):
            return True
        return not _ENDS.isdisjoint(self.text[self.places[at - 1] + 1 : self.places[at]])

    def stretch(self, start: int, end: int) -> str:
        """The text of some letters, with the signs around them up to the ends of the line or the next letters."""
        left = self.places[start - 1] + 1 if start else 0
        right = self.places[end] if end < len(self.places) else len(self.text)
        before = self.text[left : self.places[start]].rpartition("\n")[2]
        behind = self.text[self.places[end - 1] + 1 : right].partition("\n")[0]
        return before + self.text[self.places[start] : self.places[end - 1] + 1] + behind


def less_restated(blocks: Sequence[Block], lab: Lab, label_end: int) -> Restated:
    """Some blocks of a section with what they restate of the lab's questions left blank, but for headings and for the
    label at the beginning of the first block."""
    texts = ["" if block.kind in _SILENT else block.text for block in blocks]
    own = squeeze(texts)
    runs = [run for parts in _parts(lab) for run in _runs(own, parts)]
    blank = {own.places[at] for start, end, _ in runs for at in range(start, end)} - set(range(label_end))
    return Restated(blanked(blocks, texts, blank), has_list=any(has_list for *_, has_list in runs))


def squeeze(texts: Sequence[str]) -> Squeezed:
    """Some lines without their bullets and counters, squeezed."""
    begins = accumulate((len(text) + 1 for text in texts), initial=0)
    markers = {at for begin, text in zip(begins, texts, strict=False) for at in range(begin, begin + _marker_end(text))}
    joined = "\n".join(texts)[:_MOST_TEXT]
    plain = folded(joined)
    places = tuple(index for index, text in enumerate(joined) if text.isalnum() and index not in markers)
    return Squeezed(joined, "".join(plain[at] for at in places), places)


def blanked(blocks: Sequence[Block], texts: Sequence[str], blank: Collection[int]) -> tuple[Block, ...]:
    """Some blocks with letters left blank, which are numbered through their texts, a sign between each two of these."""
    begins = accumulate((len(text) + 1 for text in texts), initial=0)
    return tuple(
        _less(block, {at for at in range(len(text)) if begin + at in blank})
        for block, text, begin in zip(blocks, texts, begins, strict=False)
    )


def _less(block: Block, covered: set[int]) -> Block:
    """A block with some of its letters left blank, and the signs between them; what is empty then holds nothing."""
    if not covered or block.kind is BlockKind.HEADING:
        return block
    if not any(map(str.isalnum, [*_less_letters(block.text, covered)][_marker_end(block.text) :])):
        return block.model_copy(update={"text": "", "cells": ("",) * len(block.cells), "repairs": (), "formulas": ()})
    if block.kind is BlockKind.ROW:  # a row that the student filled in
        return block
    update: dict[str, object] = {
        name: tuple(entry for entry in several if covered.isdisjoint(range(entry.start, entry.end)))
        for name, several in (("repairs", block.repairs), ("formulas", block.formulas))
    }
    return block.model_copy(update={**update, "text": "".join(_less_letters(block.text, covered))})


def _less_letters(text: str, covered: set[int]) -> Iterator[str]:
    is_within = False
    for at, sign in enumerate(text):
        is_within = at in covered or (is_within and not sign.isalnum())
        yield " " if is_within else sign


def _runs(squeezed: Squeezed, parts: Sequence[Part]) -> Iterator[tuple[int, int, bool]]:
    """Yield the places where a text holds parts of one question, one right after the other, and whether a list is among
    them. A single statement that begins no question may be the student's own."""
    done: set[int] = set()
    for number, part in enumerate(parts):
        for start in _found(squeezed, part):
            run = [part, *_following(squeezed, parts[number + 1 :], start + len(part.letters))]
            end = start + sum(len(candidate.letters) for candidate in run)
            is_asked = number == 0 or len(run) > 1 or run[0].asks or len(run[0].items) > 1
            if is_asked and sum(candidate.words for candidate in run) >= _FEWEST_WORDS and start not in done:
                done.update(range(start, end))
                yield start, end, any(len(candidate.items) > 1 for candidate in run)


def _following(squeezed: Squeezed, parts: Sequence[Part], at: int) -> Iterator[Part]:
    """The parts that stand right behind a letter, in order."""
    for part in parts:
        if not _is_at(squeezed, part, at):
            return
        yield part
        at += len(part.letters)


def _found(squeezed: Squeezed, part: Part) -> Iterator[int]:
    at = squeezed.letters.find(part.letters)
    for _ in range(_MOST_PLACES):
        if at < 0:
            return
        if _is_at(squeezed, part, at):
            yield at
        at = squeezed.letters.find(part.letters, at + 1)


def _is_at(squeezed: Squeezed, part: Part, start: int) -> bool:
    """Whether a part stands at a letter, from the beginning of a sentence or line to the end of one; of a list each
    item does, and none is marked unlike the others."""
    end = start + len(part.letters)
    if not (squeezed.letters.startswith(part.letters, start) and squeezed.is_bound(start) and squeezed.is_bound(end)):
        return False
    if len(part.items) == 1:
        return True
    bounds = [start]
    for item in part.items:
        bounds.append(bounds[-1] + len(item))
    stretches = [marks_in(squeezed.stretch(*pair)) for pair in pairwise(bounds)]
    return len(set(stretches)) == 1 or tuple(stretches) == part.signs

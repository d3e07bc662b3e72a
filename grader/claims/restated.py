"""Blank the handout's questions where students copied them, because these words answer nothing.

The text of a question (`asks` in the lab) is divided into sentences and lists. A copy has the same letters and digits
in the same order, whatever the line breaks and marks are. A sentence must be complete in the copy. A list counts only
as a whole: a single item, or one that is marked differently from the others, is an answer.
"""

from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import accumulate, groupby, pairwise
from typing import Final, NamedTuple

from grader.claims.asking import asks
from grader.claims.passage import Passage
from grader.claims.statements import statements
from grader.frozen import memoise
from grader.lab.definition import Lab
from grader.language.folding import fold_text
from grader.language.shapes import TOKEN
from grader.reading.bytes_in import lines_of
from grader.reading.document import Block, BlockKind
from grader.reading.markdown import markdown_blocks
from grader.reading.structure import is_marker

_FEWEST_WORDS: Final = 4
"""Texts with fewer words may be anybody's."""
_MOST_PLACES: Final = 20
_MOST_TEXT: Final = 200_000
_SILENT: Final = (BlockKind.CODE, BlockKind.OUTPUT, BlockKind.FIGURE)
_WHOLE: Final = (BlockKind.LIST_ITEM, BlockKind.ROW)
"""The kinds of blocks that count as a whole: the items of a list, the rows of a table."""
_ENDS: Final = frozenset(".?!:;\n")
_PLAIN: Final = frozenset(" \t\r\n.,:;|()[]'\"«»“”‘’`•◦▪·–—-+#")
"""Signs that separate words or items and mark none of them."""


class Part(NamedTuple):
    """A sentence of a question, or one of its lists with the letters of each item. `asks`: it is a question or an
    order."""

    items: tuple[str, ...]
    words: int
    signs: tuple[str, ...] = ()
    asks: bool = False

    @property
    def letters(self) -> str:
        """The letters and digits of all of it."""
        return "".join(self.items)


class BlankedBlocks(NamedTuple):
    """Some blocks with copied questions blanked. `has_list`: a complete list was among them, in which only a page may
    show a mark."""

    blocks: tuple[Block, ...]
    has_list: bool


def marks_in(text: str) -> str:
    """Return the signs in a list item that may mark it, without a star at its beginning."""
    item_text = text.strip()
    item_text = item_text[1:] if item_text.startswith(("* ", "*\t")) else item_text
    return "".join(candidate for candidate in item_text if not candidate.isalnum() and candidate not in _PLAIN)


def first_sentence(text: str) -> str:
    """Return the first sentence of a question with enough words to identify it, or else the whole text."""
    found = (statement.text for statement in statements(_asked(text)))
    return next((candidate for candidate in found if len(TOKEN.findall(candidate)) >= _FEWEST_WORDS), text)


def names_question(text: str, questions: Collection[str], lab: Lab) -> bool:
    """Whether the words after a label only repeat the question's title or text."""
    words = list(map(fold_text, TOKEN.findall(text)))
    asked = (
        f"{question.title} {first_sentence(question.asks)}" for question in lab.questions if question.id in questions
    )
    question_words = set(map(fold_text, TOKEN.findall(" ".join(asked))))
    is_plain = len(words) >= _FEWEST_IN_TITLE and not any(map(str.isdigit, text))
    return is_plain and 3 * sum(word in question_words for word in words) >= 2 * len(words)


_FEWEST_IN_TITLE: Final = 3
"""Fewer words may be an option or number that is an answer."""


def _asked(text: str) -> Passage:
    blocks = (block for block in markdown_blocks(lines_of(text)) if block.kind not in _SILENT and _letters(block.text))
    return Passage(file="", exact=True, blocks=tuple(blocks))


@memoise
def _parts(lab: Lab) -> tuple[tuple[Part, ...], ...]:
    """Return the parts of each question of a lab, in order."""
    return tuple(tuple(parts_of(question.asks)) for question in lab.questions if question.asks)


def parts_of(text: str) -> Iterator[Part]:
    """Yield the sentences, lists and tables of a Markdown text, without code."""
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
    return "".join(filter(str.isalnum, fold_text(text[_marker_end(text) :])))


def _marker_end(text: str) -> int:
    """Return the end of the bullet or counter with which a line begins."""
    first, _, rest = text.lstrip().partition(" ")
    return len(text) - len(rest) if rest and is_marker(first) else 0


class SqueezedText(NamedTuple):
    """The letters and digits of some blocks, with the position of each in their joined text."""

    text: str
    letters: str
    places: tuple[int, ...]

    def is_bound(self, at: int) -> bool:
        """Whether a sentence or line may begin at a letter."""
        if at in (0, len(self.letters)):
            return True
        return not _ENDS.isdisjoint(self.text[self.places[at - 1] + 1 : self.places[at]])

    def stretch(self, start: int, end: int) -> str:
        """Return the text of some letters, with the signs around them up to the line's ends or the next letters."""
        left = self.places[start - 1] + 1 if start else 0
        right = self.places[end] if end < len(self.places) else len(self.text)
        before = self.text[left : self.places[start]].rpartition("\n")[2]
        behind = self.text[self.places[end - 1] + 1 : right].partition("\n")[0]
        return before + self.text[self.places[start] : self.places[end - 1] + 1] + behind


def questions_copied(blocks: Iterable[Block], lab: Lab) -> tuple[str, ...]:
    """Return the questions of which some blocks contain more than half of the text."""
    squeezed_text = squeeze(["" if block.kind in _SILENT else block.text for block in blocks])
    asked = (question.id for question in lab.questions if question.asks)
    return tuple(
        question for question, parts in zip(asked, _parts(lab), strict=True) if _is_copied(squeezed_text, parts)
    )


def _is_copied(squeezed: SqueezedText, parts: Sequence[Part]) -> bool:
    found = sum(len(part.letters) for part in parts if next(_found(squeezed, part), None) is not None)
    return 2 * found > sum(len(part.letters) for part in parts)


def less_restated(blocks: Sequence[Block], lab: Lab, label_end: int) -> BlankedBlocks:
    """Return some blocks of a section with copied questions blanked, except headings and the label of the first
    block."""
    texts = ["" if block.kind in _SILENT else block.text for block in blocks]
    squeezed_text = squeeze(texts)
    runs = [run for parts in _parts(lab) for run in _runs(squeezed_text, parts)]
    blank = {squeezed_text.places[at] for start, end, _ in runs for at in range(start, end)} - set(range(label_end))
    return BlankedBlocks(blank_letters(blocks, texts, blank), has_list=any(has_list for *_, has_list in runs))


def squeeze(texts: Sequence[str]) -> SqueezedText:
    """Return the letters and digits of some lines, without bullets and counters."""
    begins = accumulate((len(text) + 1 for text in texts), initial=0)
    markers = {at for begin, text in zip(begins, texts, strict=False) for at in range(begin, begin + _marker_end(text))}
    joined = "\n".join(texts)[:_MOST_TEXT]
    plain = fold_text(joined)
    places = tuple(index for index, text in enumerate(joined) if text.isalnum() and index not in markers)
    return SqueezedText(joined, "".join(plain[at] for at in places), places)


def blank_letters(blocks: Sequence[Block], texts: Sequence[str], blank: Collection[int]) -> tuple[Block, ...]:
    """Return some blocks with letters blanked. Letters are numbered through all texts, with a separator between
    them."""
    begins = accumulate((len(text) + 1 for text in texts), initial=0)
    return tuple(
        _less(block, {at for at in range(len(text)) if begin + at in blank})
        for block, text, begin in zip(blocks, texts, begins, strict=False)
    )


def _less(block: Block, covered: set[int]) -> Block:
    """Return a block with some letters, and the signs between them, blanked."""
    if not covered or block.kind is BlockKind.HEADING:
        return block
    if not any(map(str.isalnum, [*_less_letters(block.text, covered)][_marker_end(block.text) :])):
        return block.model_copy(update={"text": "", "cells": ("",) * len(block.cells), "repairs": (), "formulas": ()})
    if block.kind is BlockKind.ROW:  # the student filled in this row
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


def _runs(squeezed: SqueezedText, parts: Sequence[Part]) -> Iterator[tuple[int, int, bool]]:
    """Yield the places where a text contains consecutive parts of a question, and whether they include a list.

    A single statement that does not begin a question may be the student's own.
    """
    done: set[int] = set()
    for number, part in enumerate(parts):
        for start in _found(squeezed, part):
            run = [part, *_following(squeezed, parts[number + 1 :], start + len(part.letters))]
            end = start + sum(len(candidate.letters) for candidate in run)
            is_asked = number == 0 or len(run) > 1 or run[0].asks or len(run[0].items) > 1
            if is_asked and sum(candidate.words for candidate in run) >= _FEWEST_WORDS and start not in done:
                done.update(range(start, end))
                yield start, end, any(len(candidate.items) > 1 for candidate in run)


def _following(squeezed: SqueezedText, parts: Sequence[Part], at: int) -> Iterator[Part]:
    """Yield the parts that directly follow each other after a letter, in order."""
    for part in parts:
        if not _is_at(squeezed, part, at):
            return
        yield part
        at += len(part.letters)


def _found(squeezed: SqueezedText, part: Part) -> Iterator[int]:
    at = squeezed.letters.find(part.letters)
    for _ in range(_MOST_PLACES):
        if at < 0:
            return
        if _is_at(squeezed, part, at):
            yield at
        at = squeezed.letters.find(part.letters, at + 1)


def _is_at(squeezed: SqueezedText, part: Part, start: int) -> bool:
    """Whether a part stands at a letter, as complete sentences or lines. No item of a list may be marked
    differently."""
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

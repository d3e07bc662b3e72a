"""Finds questions by what they ask: where a student writes a question out before the answer, and where the words of the
answers show that the student's own numbers are one off.
"""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from difflib import SequenceMatcher
from itertools import pairwise
from typing import Final

from grader.lab.definition import Lab, Question
from grader.language.folding import folded
from grader.language.shapes import TOKEN
from grader.reading.document import Block, BlockKind

_ALIKE: Final = 0.85
"""Students copy a question nearly word for word, or not at all."""
_FEWEST_WORDS: Final = 4
_FEWEST_VOTES: Final = 3
_BEGINNING: Final = 300
"""In characters: the subject of an answer is named at its beginning."""
_SILENT: Final = (BlockKind.CODE, BlockKind.OUTPUT, BlockKind.ROW, BlockKind.FIGURE)


def written_out(blocks: Sequence[Block], lab: Lab, labels: Mapping[int, int]) -> dict[int, tuple[str, int]]:
    """The question that a block writes out, and where in its text that ends, by block. `labels` says for some blocks
    where in their texts a label ends."""
    asked = {one.id: [*TOKEN.findall(folded(one.asks))] for one in lab.questions}
    asked = {question: words for question, words in asked.items() if len(words) >= _FEWEST_WORDS}
    found: dict[int, tuple[str, int]] = {}
    for index, block in enumerate(blocks if asked else ()):
        if block.kind not in _SILENT:
            own = list(TOKEN.finditer(folded(block.text), labels.get(index, 0)))
            ends = sorted((*_end(block.text, own, words), question) for question, words in asked.items())
            (likeness, end, question), further = ends[-1], ends[:-1]
            if likeness >= _ALIKE and not any(other == likeness for other, *_ in further):
                found[index] = question, end
    return found


_SIGNS_BEHIND: Final = re.compile(r"[.?!:*_)\]\s\"»]*")
_MOST_BEFORE: Final = 3
"""Words before a question: `Question 3 (2 points): …`."""


def _end(text: str, own: Sequence[re.Match[str]], asked: Sequence[str]) -> tuple[float, int]:
    """How much the beginning of a text behind a label is like a question, and where the question ends there."""
    best = (0.0, 0)
    for start in range(min(_MOST_BEFORE + 1, len(own))):
        words = own[start : start + len(asked)]
        likeness = SequenceMatcher(None, [word.group() for word in words], asked, autojunk=False).ratio()
        if likeness > best[0]:
            best = likeness, _SIGNS_BEHIND.match(text, words[-1].end()).end()  # type: ignore[union-attr]  # always
    return best


def shift(blocks: Sequence[Block], named: Mapping[int, str], lab: Lab) -> int:
    """By how much the student's numbers are off: 1 where the first question's answer is called 0, so that what the
    numbers name has to be moved on by one, -1 where it is called 2, and else 0.

    Words that only one question has tell it, in at least three answers and with hardly one against it.
    """
    order = [one.id for one in lab.questions]
    telling = _telling(lab.questions)
    votes: Counter[int] = Counter()
    for start, end in pairwise([*sorted(named), len(blocks)]):
        text = folded(" ".join(block.text for block in blocks[start:end]))[:_BEGINNING]
        place = order.index(named[start])
        spoken = [by for by in (-1, 0, 1) if 0 <= place + by < len(order) and _speaks(text, telling[order[place + by]])]
        votes.update(spoken if len(spoken) == 1 else ())
    (best, count), *_ = votes.most_common(1) or [(0, 0)]
    return best if count >= _FEWEST_VOTES and count >= 3 * (votes.total() - count) else 0


def _telling(questions: Iterable[Question]) -> dict[str, frozenset[str]]:
    """The beginnings of words that one question alone has among its words and in its title."""
    own = {
        one.id: {folded(word) for word in (*one.words, *TOKEN.findall(one.title)) if len(word) >= _FEWEST_WORDS}
        for one in questions
    }
    return {
        question: frozenset(
            word
            for word in words
            if not any(
                word.startswith(other) or other.startswith(word)
                for another, others in own.items()
                if another != question
                for other in others
            )
        )
        for question, words in own.items()
    }


def _speaks(text: str, beginnings: Iterable[str]) -> bool:
    return any(re.search(rf"(?<!\w){re.escape(word)}", text) for word in beginnings)

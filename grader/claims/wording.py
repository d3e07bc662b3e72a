"""Find questions by their text, where students copy it, and detect numbers that are one off by the words of the
answers."""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from difflib import SequenceMatcher
from itertools import pairwise, takewhile
from types import MappingProxyType
from typing import Final, NamedTuple

from grader.claims.restated import first_sentence
from grader.frozen import memoise
from grader.lab.definition import Lab
from grader.language.folding import fold_text
from grader.language.shapes import TOKEN
from grader.reading.document import Block, BlockKind

_ALIKE: Final = 0.85
"""The least similarity of a copied question. Students copy a question nearly word for word, or not at all."""
_FEWEST_WORDS: Final = 4
_FEWEST_VOTES: Final = 3
_BEGINNING: Final = 300
"""The number of characters of an answer in which its subject is named."""
_SILENT: Final = (BlockKind.CODE, BlockKind.OUTPUT, BlockKind.ROW, BlockKind.FIGURE)


class CopiedQuestion(NamedTuple):
    """A copied question, and its end: `further` blocks later, at an offset of that block's text."""

    question: str
    further: int
    end: int


def written_out(
    blocks: Sequence[Block], lab: Lab, labels: Mapping[int, int], listed: Collection[int]
) -> dict[int, CopiedQuestion]:
    """Return the question that each block repeats, alone or with the following lines.

    `labels` gives the end of the label in some blocks. The blocks `listed` belong to a table of contents.
    """
    asked = {
        candidate.id: words
        for candidate in lab.questions
        if len(words := TOKEN.findall(fold_text(first_sentence(candidate.asks)))) >= _FEWEST_WORDS
    }
    found: dict[int, CopiedQuestion] = {}
    covered = -1
    for index in range(len(blocks) if asked else 0):
        if index <= covered or index in listed or not (lines := _lines(blocks, index, labels)):
            continue
        text = "\n".join(lines)
        own_matches = list(TOKEN.finditer(fold_text(text), labels.get(index, 0)))
        ends = ((*_end(text, own_matches, words, len(lines[0])), question) for question, words in asked.items())
        (second, *_), (likeness, end, question) = sorted([(0.0, 0, ""), *ends])[-2:]
        if likeness >= _ALIKE and likeness > second:
            before = text[:end].rstrip("\n").count("\n")
            found[index] = CopiedQuestion(question, before, end - sum(len(line) + 1 for line in lines[:before]))
            covered = index + before
    return found


def _lines(blocks: Sequence[Block], index: int, labels: Collection[int]) -> list[str]:
    """Return the texts of a block and of those below it over which a question may continue."""
    below = takewhile(lambda at: at == index or at not in labels, range(index, min(index + _MOST_LINES, len(blocks))))
    return [block.text for block in takewhile(lambda block: block.kind not in _SILENT, (blocks[at] for at in below))]


_MOST_LINES: Final = 5
_SIGNS_BEHIND: Final = re.compile(r"[.?!:*_)\]\s\"»]*")
_MOST_BEFORE: Final = 3
"""The most words before a question: `Question 3 (2 points): …`."""


def _end(text: str, own_matches: Sequence[re.Match[str]], asked: Sequence[str], line: int) -> tuple[float, int]:
    """Return the similarity of the text after a label to a question, 0 if it is too low, and the end of the question.

    `line` is the length of the first line. A text that extends further must begin with the question's first word.
    """
    best, asked_words = (0.0, 0), frozenset(asked)
    for start in range(min(_MOST_BEFORE + 1, len(own_matches))):
        words = own_matches[start : start + len(asked)]
        if words[-1].end() > line and not (words[0].end() <= line and words[0].group() == asked[0]):
            words = [word for word in words if word.end() <= line] or words[:1]
        copied_words = [word.group() for word in words]
        is_likely = 2 * sum(map(asked_words.__contains__, copied_words)) >= _ALIKE * (len(copied_words) + len(asked))
        if not is_likely or _is_statement([word.group() for word in own_matches[:start]], copied_words, asked):
            continue  # a cheap bound on the similarity, which is slow to compute
        likeness = SequenceMatcher(None, copied_words, asked, autojunk=False).ratio()
        if likeness > best[0]:
            best = likeness, _SIGNS_BEHIND.match(text, words[-1].end()).end()  # type: ignore[union-attr]  # always
    return best


def _is_statement(before: Sequence[str], copied_words: Sequence[str], asked: Sequence[str]) -> bool:
    """Whether a text has the words of a question in the order of an answer: `The model has captured it` for `Has the
    model captured it?`. `before` are the words before those that were `copied_words`."""
    is_turned = asked[0] in copied_words[1:] and copied_words[0] != asked[0]
    return is_turned or (bool(before) and {*before} <= {*asked})


def shift(blocks: Sequence[Block], named: Mapping[int, str], lab: Lab) -> int:
    """Return by how much the student's numbers are off: 1 if the first question is numbered 0, -1 if it is 2, otherwise
    0.

    Words that only one question has must show this in at least three answers, with hardly any against it.
    """
    (best, count), total = _votes(blocks, named, lab)
    return best if count >= _FEWEST_VOTES and count >= 3 * (total - count) else 0


def are_about(blocks: Sequence[Block], named: Mapping[int, str], lab: Lab) -> bool:
    """Whether the words below some blocks match the questions that these are said to name."""
    (best, count), total = _votes(blocks, named, lab)
    return best == 0 and count >= _FEWEST_VOTES and count >= 3 * (total - count)


def speaking(answers: Iterable[tuple[str, str]], lab: Lab) -> frozenset[str]:
    """Return the questions whose supposed answers match them, by words that no other question has."""
    telling = _telling(lab, with_asked=True)
    return frozenset(question for question, text in answers if _speaks(fold_text(text), telling[question]))


def _votes(blocks: Sequence[Block], named: Mapping[int, str], lab: Lab) -> tuple[tuple[int, int], int]:
    """Return the shift that most answers indicate, how many do, and how many indicate any."""
    order = [question.id for question in lab.questions]
    telling = _telling(lab)
    votes: Counter[int] = Counter()
    for start, end in pairwise([*sorted(named), len(blocks)]):
        text = fold_text(" ".join(block.text for block in blocks[start:end]))[:_BEGINNING]
        place = order.index(named[start])
        spoken = [by for by in (-1, 0, 1) if 0 <= place + by < len(order) and _speaks(text, telling[order[place + by]])]
        votes.update(spoken if len(spoken) == 1 else ())
    return (votes.most_common(1) or [(0, 0)])[0], votes.total()


@memoise
def _telling(lab: Lab, *, with_asked: bool = False) -> Mapping[str, frozenset[str]]:
    """Return the beginnings of words that only one question has in its words, its title and its text."""
    question_words = {
        question.id: {
            fold_text(word)
            for word in (*question.words, *TOKEN.findall(f"{question.title} {question.asks if with_asked else ''}"))
            if len(word) >= _FEWEST_WORDS
        }
        for question in lab.questions
    }
    found = {
        question: frozenset(
            word
            for word in words
            if not any(
                word.startswith(other) or other.startswith(word)
                for another, others in question_words.items()
                if another != question
                for other in others
            )
        )
        for question, words in question_words.items()
    }
    return MappingProxyType(found)


def _speaks(text: str, beginnings: Iterable[str]) -> bool:
    return any(re.search(rf"(?<!\w){re.escape(word)}", text) for word in beginnings)

"""Finds the numbers by which a document labels its answers, in whatever form its author writes them: `8.`, `(8)`,
`Q2-1.8`, `Question VIII`, `Answer to question 8`.

One number proves nothing: a list, a chapter or a reference has numbers, too. Numbers written alike are taken together,
and the sequence over the whole document decides whether they are those of the lab's questions.
"""

import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence, Set
from itertools import groupby, pairwise
from typing import Final, NamedTuple, Self

from grader.reading.document import Block, BlockKind

Labels = Mapping[tuple[str, str], str]
"""The lab's questions by the word and the number of their labels."""

_MOST: Final = 400
"""So many numbers of one form are looked at, the last ones: tables of contents stand first."""

_ENOUGH: Final = 200
"""In characters: more text behind a number makes it no likelier that an answer stands there."""

_FEWEST: Final = 3
"""So many numbers do not agree with those of the questions by chance."""

_MARK: Final = re.compile(
    r"[#*_\s•>(\[§-]*"
    r"(?P<words>(?:(?![IVX]+[.-]\d)[^\W\d_]+\.?['’\s]\s*){0,4}(?:[^\W\d_]{1,12}\.?\s*)?(?:n\s?[°ºo]\.?\s?|\#)?)"
    r"(?P<number>(?:\d{1,2}|(?<![^\W\d_])[IVX]{1,5})(?:[.-]\d{1,2})*(?:\.?[a-z]|\s?\([a-z]\)|\s[a-z](?=\)))?)"
    r"(?!\w|[.,]\d|\s?%)"
    r"(?P<sign>(?:[*_]{0,3}\s?(?:[.:)\]/°]|[-–—](?=\s|$)))+|[*_]+|\s{2,}|\t|,?(?=\s|$))[*_]*"
)
_PIECE: Final = re.compile(r"\d+|[IVX]+|[a-z]")
_ROMAN: Final = {"I": 1, "V": 5, "X": 10}
_WORDS: Final = re.compile(r"[^\W\d_]{3,}\s+[^\W\d_]{2,}")
_PLACES: Final = {
    BlockKind.HEADING: "heading",
    BlockKind.LINE: "text",
    BlockKind.LIST_ITEM: "text",
    BlockKind.ROW: "row",
}
"""Where labels stand; a line and an item of a list may look alike."""


class Named(NamedTuple):
    """The questions that a number names, and where in its block's text the label ends."""

    questions: tuple[str, ...]
    end: int


class Mark(NamedTuple):
    """A number at the beginning of a block. `path` holds its parts, `("2", "1", "8")` for `Q2-1.8`; `word` is the one
    before it, and `end` is where in the block's text the label ends. `is_apart`: it stands in a heading, or a
    sign sets it apart from what follows; `is_alone`: nothing follows but, behind a wide gap, what it stands beside."""

    place: int
    word: str
    path: tuple[str, ...]
    end: int
    is_apart: bool
    is_alone: bool
    kind: BlockKind

    @property
    def form(self) -> tuple[str, int, bool, str]:
        """What marks that are written alike have in common."""
        return self.word, len(self.path), self.is_apart, _PLACES[self.kind]


def numbered(
    blocks: Sequence[Block], labels: Labels, order: Sequence[str], named: Mapping[int, Collection[str]]
) -> dict[int, Named]:
    """The blocks whose numbers name questions of the lab. `order` are its questions in their order, and `named` those
    that labels in the lab's own words name, by block. Of all ways in which the document writes numbers, the one counts
    that names most questions."""
    words = {word for word, _ in labels}
    marks = [mark for index, block in enumerate(blocks) if (mark := _mark(index, block, words))]
    forms = groupby(sorted(marks, key=lambda mark: (mark.form, mark.place)), key=lambda mark: mark.form)
    alike = [list(group) for _, group in forms]
    for is_apart in (True, False):
        alike.append([mark for mark in marks if mark.word in words and mark.is_apart is is_apart])
    numbers = _Numbers.of(labels, order)
    elsewhere = {question for several in named.values() for question in several}
    schemes = [_Scheme.of(group, numbers, blocks) for group in alike if group]
    accepted = [scheme.chain for scheme in schemes if scheme.is_the_labs(named)]
    best = max(accepted, key=len, default=())
    found = {
        mark.place: Named(tuple(one for one in asked.questions if one not in elsewhere), mark.end)
        for mark, asked in best
    }
    return {index: one for index, one in found.items() if one.questions and index not in named}


class _Asked(NamedTuple):
    """The questions that the last `depth` parts of a number name, and its `rank` among all numbers. `is_known`: the
    lab has this number with this very word."""

    questions: tuple[str, ...]
    depth: int
    rank: tuple[int, ...]
    is_known: bool


class _Numbers(NamedTuple):
    """The lab's questions by the words and numbers of their labels, and in their order."""

    by_word: Mapping[tuple[str, tuple[int, ...]], tuple[str, ...]]
    by_number: Mapping[tuple[int, ...], tuple[str, ...]]
    order: Sequence[str]

    @classmethod
    def of(cls, labels: Labels, order: Sequence[str]) -> Self:
        """The questions of some labels."""
        by_word: dict[tuple[str, tuple[int, ...]], dict[str, None]] = {}
        by_number: dict[tuple[int, ...], dict[str, None]] = {}
        for (word, number), question in labels.items():
            if question and number:
                rank = _rank(_PIECE.findall(number))
                by_word.setdefault((word, rank), {})[question] = None
                by_number.setdefault(rank, {})[question] = None
        in_order = {rank: tuple(sorted(several)) for rank, several in by_number.items()}
        return cls({key: tuple(several) for key, several in by_word.items()}, in_order, order)

    @property
    def are_unique(self) -> bool:
        """Whether each number has one question."""
        return all(len(several) == 1 for several in self.by_number.values())

    def asked(self, mark: Mark) -> _Asked | None:
        """What a number names: the question of its word, of which it may be the beginning (`quest. 8`), or otherwise
        all that have the number; the most of its last parts that name any count together."""
        for depth in range(len(mark.path), 0, -1):
            rank = _rank(mark.path[-depth:])
            alike = {
                question
                for (word, other), several in self.by_word.items()
                if mark.word and other == rank and word.startswith(mark.word)
                for question in (several if word == mark.word or len(several) == 1 else ())
            }
            known = self.by_word.get((mark.word, rank)) or (tuple(alike) if len(alike) == 1 else ())
            questions = known or self.by_number.get(rank)
            if questions:
                return _Asked(questions, depth, rank, bool(known))
        return None


def _rank(path: Sequence[str]) -> tuple[int, ...]:
    return tuple(int(piece) if piece.isdecimal() else ord(piece) for piece in path)


class _Scheme(NamedTuple):
    """The numbers of a document that are written alike. `chain` are those that rise through the lab's questions,
    `strangers` counts the numbers that no question has and that count no list within an answer."""

    chain: tuple[tuple[Mark, _Asked], ...]
    strangers: int
    numbers: _Numbers

    @classmethod
    def of(cls, marks: Sequence[Mark], numbers: _Numbers, blocks: Sequence[Block]) -> Self:
        """What marks that are written alike name."""
        asked = [numbers.asked(mark) for mark in marks]
        prefixes = Counter(mark.path[: -one.depth] for mark, one in zip(marks, asked, strict=True) if one)
        prefix = max(prefixes, key=lambda one: prefixes[one], default=())
        own = [
            one if one and mark.path[: -one.depth] == prefix else None for mark, one in zip(marks, asked, strict=True)
        ]
        if len({mark.word for mark in marks}) > 1:
            own = [one and one._replace(rank=(numbers.order.index(one.questions[0]),)) for one in own]
        lists = _lists(marks)
        # What goes on counting from a number that no question has is a list of its own.
        counted = {place for places in lists for place in places if any(own[other] is None for other in places)}
        own = [None if place in counted else one for place, one in enumerate(own)]
        strangers = sum(one is None and place not in counted for place, one in enumerate(own))
        chain = _longest_rise(own, _lengths(marks, blocks))
        return cls(tuple((marks[place], one) for place in chain if (one := own[place])), strangers, numbers)

    def is_the_labs(self, named: Collection[int]) -> bool:
        """Whether the numbers are those of the lab's questions, and not a writer's own.

        A word for questions says so. Other numbers must be unlike any count from one on: they leave numbers out as the
        lab's do, begin where the lab's begin, or name every question. Where labels in the lab's words stand, in the
        blocks `named`, only numbers count that are written like these; where several of the lab's questions have one
        number, only those that stand apart from all text, as a count of chapters or items hardly does.
        """
        first = self.chain[0][0] if self.chain else None
        fewest = _FEWEST if first and len(first.path) == 1 else 2
        if first is None or len(self.chain) < fewest or 2 * self.strangers > len(self.chain):
            return False
        if named and not any(mark.place in named for mark, _ in self.chain):
            return False
        found = {question for _, asked in self.chain for question in asked.questions}
        if all(asked.is_known for _, asked in self.chain):
            return first.is_apart or 2 * len(found) >= len(self.numbers.order)
        if not (first.is_alone or first.word or self.numbers.are_unique):
            return False
        ranks = [asked.rank for _, asked in self.chain]
        has_gap = ranks != [(*ranks[0][:-1], ranks[0][-1] + step) for step, _ in enumerate(ranks)]
        begins_so = ranks[0][-1] != 1 and (bool(first.word) or ranks[0] == min(self.numbers.by_number))
        return first.is_apart and (has_gap or begins_so or found == {*self.numbers.order})


def _lengths(marks: Sequence[Mark], blocks: Sequence[Block]) -> list[int]:
    """How many characters stand behind each mark, up to the next one."""
    ends = [*(mark.place for mark in marks[1:]), len(blocks)]
    return [
        sum(len(blocks[index].text) for index in range(mark.place, end)) - mark.end
        for mark, end in zip(marks, ends, strict=True)
    ]


def _lists(marks: Sequence[Mark]) -> list[list[int]]:
    """The places of numbers that count from one on, 1, 2, 3, as a list within an answer does."""
    lists: list[list[int]] = []
    for place, mark in enumerate(marks):
        if mark.path[-1] == "1":
            lists.append([])
        if lists and mark.path[-1] == str(len(lists[-1]) + 1):
            lists[-1].append(place)
    return lists


def _longest_rise(asked: Sequence[_Asked | None], lengths: Sequence[int]) -> list[int]:
    """The places of the numbers that name most questions in rising order; of several such ways that with most text
    behind them."""
    ranks = {place: one.rank for place, one in enumerate(asked) if one}
    best: dict[int, tuple[int, int]] = {}
    before: dict[int, int | None] = {}
    for place in [*ranks][-_MOST:]:
        ways = [(best[other], other) for other in best if ranks[other] < ranks[place]]
        (count, text), before[place] = max(ways, default=((0, 0), None))
        best[place] = (count + 1, text + min(lengths[place], _ENOUGH))
    chain = []
    last = max(best, key=lambda one: best[one], default=None)
    while last is not None:
        chain.append(last)
        last = before[last]
    return chain[::-1]


def _mark(index: int, block: Block, further: Set[str]) -> Mark | None:
    """The number at the beginning of a block; of `Exercise 2, question 8` with the numbers before it."""
    is_row = block.kind is BlockKind.ROW
    text = next(iter(block.cells), "") if is_row else block.text
    if block.kind not in _PLACES or (is_row and not any(_WORDS.search(cell) for cell in block.cells[1:])):
        return None
    word, end, is_signed, is_in_margin = "", 0, False, False
    path: tuple[str, ...] = ()
    while match := _MARK.match(text, end):
        words = re.findall(r"[^\W\d_]+", match["words"].casefold())
        if end and (len(words) != 1 or words[0] not in further):
            break
        word = words[-1] if words else ""
        path += tuple(_arabic(piece) for piece in _PIECE.findall(match["number"]))
        sign = match["sign"]
        is_in_margin = len(sign) > 1 and not sign.strip()
        is_signed = bool(sign.strip(" ,")) or is_in_margin or bool({*")°º#"} & {*match["words"], *match["number"]})
        end = match.end()
    rest = text[end:].strip(" *_")
    if not path or (is_row and rest):
        return None
    start = block.text.find(text) if is_row else 0
    return Mark(
        index,
        word,
        path,
        start + end,
        is_signed or not rest or block.kind is BlockKind.HEADING,
        (not rest and not is_row) or is_in_margin,
        block.kind,
    )


def _arabic(piece: str) -> str:
    """A piece of a number, a Roman numeral in digits."""
    if piece[0] not in _ROMAN:
        return piece
    values = [_ROMAN[letter] for letter in piece]
    return str(sum(-one if one < following else one for one, following in pairwise([*values, 0])))

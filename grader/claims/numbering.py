"""Find the numbers by which a document labels its answers: `8.`, `(8)`, `Q2-1.8`, `Question VIII`, `Answer to question
8`.

A single number proves nothing, because lists, chapters and references are numbered, too. Numbers with the same form are
taken together (a `_Scheme`), and their sequence over the whole document decides whether they are those of the lab's
questions.
"""

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence, Set
from itertools import accumulate, chain, pairwise
from typing import Final, NamedTuple, Self

from grader.language import lexicon
from grader.reading.document import Block, BlockKind
from grader.reading.structure import names_task

Labels = Mapping[tuple[str, str], str]
"""The lab's questions by the word and the number of their labels."""

Subjects = Callable[[Mapping[int, str]], bool]
"""Whether the texts of some blocks match the questions that they are said to name."""

_MOST: Final = 400
"""The most numbers of one form that are examined, from the end, because tables of contents stand at the beginning."""

_ENOUGH: Final = 200
"""More text after a number, in characters, makes an answer no more likely."""

_FEWEST: Final = 3
"""This many numbers do not agree with those of the questions by chance."""

_FEWEST_OF_SOME: Final = 5
"""This many questions' numbers hardly stand in a list within an answer beside numbers that no question has."""
_HIGHEST: Final = 1_000

FULL_LINE: Final = 60
"""The fewest characters of a line that goes on in the next one."""

_MARK: Final = re.compile(
    r"[#*_\s•>(\[§-]*(?:[=~+]{2,}[#*_\s]*)?"
    r"(?P<words>(?:(?![IVX]+[.-]\d)[^\W\d_]+\.?['’\s]\s*){0,4}(?:(?![IVX]+[.-]\d)[^\W\d_]{1,12}\.?\s*)?"
    r"(?:n\s?[°ºo]\.?\s?|\#)?)"
    r"(?P<number>(?:\d{1,2}|(?<![^\W\d_])[IVX]{1,5})(?:[.-]\d{1,2})*(?:\.?[a-z]|\s?\([a-z]\)|\s[a-z](?=\)))?)"
    r"(?!\w(?![^\W\d_]{0,2}\d)|[.,]\d|\s?%)"
    r"(?P<sign>(?:[*_]{0,3}\s?(?:[.:)\]/°]|[-–—](?=\s|$)|[-=#~]{3,}))+|[*_]+|\s{2,}|\t|,?(?=\s|$)|(?=[^\W\d_]{1,3}\d))[*_]*"
)
_PIECE: Final = re.compile(r"\d+|[IVX]+|[a-z]")
_ROMAN: Final = {"I": 1, "V": 5, "X": 10}
_WORD: Final = re.compile(r"[^\W\d_]{3}")
_PLACES: Final = {
    BlockKind.HEADING: "heading",
    BlockKind.LINE: "text",
    BlockKind.LIST_ITEM: "text",
    BlockKind.ROW: "row",
    BlockKind.CODE: "code",
}
"""The places of labels. A line and a list item may look alike. In code, labels stand in comments."""

_COMMENT: Final = ("#", "//", "%", "--")

_PAGE: Final = re.compile(r"(?:[.…·_](?:\s?[.…·_])+|\s{2,}|\t)\s*(?P<page>\d{1,3})\W*\Z")
"""Dots or a gap before a page number."""


class NamedQuestions(NamedTuple):
    """The questions that a number names, and the end of the label in its block's text.

    There are none if the handout has a question with this number and the lab does not. Then the answer before ends
    there.
    """

    questions: tuple[str, ...]
    end: int


class Mark(NamedTuple):
    """A number at the beginning of a block.

    `path` has its parts, `("2", "1", "8")` for `Q2-1.8`; `word` is the word before it, `sign` the sign after it, and
    `end` the end of the label. `is_apart`: it stands in a heading, or punctuation separates it from the text.
    `is_alone`: nothing follows, except text after a wide gap.
    """

    place: int
    word: str
    path: tuple[str, ...]
    end: int
    is_apart: bool
    is_alone: bool
    kind: BlockKind
    sign: str = ""

    @property
    def form(self) -> tuple[str, int, bool, str]:
        """The properties that marks of the same form share."""
        return self.word, self.depth, self.is_apart, _PLACES[self.kind]

    @property
    def depth(self) -> int:
        """The number of parts. With several numbers, a letter does not count: `2.2a` has the form of `2.1`."""
        return max(sum(piece.isdecimal() for piece in self.path), min(len(self.path), 2))


def numbered_blocks(
    blocks: Sequence[Block],
    labels: Labels,
    order: Sequence[str],
    named: Mapping[int, Collection[str]],
    outer: Mapping[int, str],
    are_about: Subjects,
    elsewhere: Set[str] = frozenset(),
) -> dict[int, NamedQuestions]:
    """Return the blocks whose numbers name questions of the lab.

    `order` are the lab's questions in order, and `named` the blocks with the lab's own labels. Below the blocks in
    `outer`, numbers lack their first part: `3)` below `Exercise 2`. Captions name the questions `elsewhere`.
    `are_about` compares answers with questions. The form of number that names most questions counts.
    """
    words = {word for word, _ in labels}
    numbers = _Numbers.from_labels(labels, order)
    marks = marks_in(blocks, words)
    outer = _chapters(marks, numbers) or outer
    marks = list(_of_own_chapters(marks, outer, numbers, are_about))
    marks = [_below(mark, outer, numbers) for mark in marks]
    marks = sorted([*marks, *_letters_below(blocks, outer, numbers)], key=lambda mark: mark.place)
    in_text = [mark for mark in marks if mark.kind is not BlockKind.CODE]
    schemes, accepted = _schemes(in_text, numbers, blocks, words, _by_upper(named, outer), are_about, elsewhere)
    if not (accepted or named or any(map(_Scheme.is_in_margin, schemes))):
        # If nothing else structures the document, numbers in code comments do.
        in_code = [mark for mark in marks if mark.kind is BlockKind.CODE]
        schemes, accepted = _schemes(in_code, numbers, blocks, words, _by_upper(named, outer), are_about, elsewhere)
    return _linked(schemes, accepted, named)


def _of_own_chapters(
    marks: Sequence[Mark], outer: Mapping[int, str], numbers: "_Numbers", are_about: Subjects
) -> Iterator[Mark]:
    """Yield the marks; those below a chapter with a number of its own have the number of its label instead.

    Below `2 Assignment 1`, 2.3 is 1.3, if the answers match the questions. Otherwise it names none.
    """
    chapters = {mark.place: mark.path[0] for mark in marks if mark.path[1:] == (outer.get(mark.place),)}
    moved: dict[int, Mark] = {}
    chapter, label = "", ""
    for mark in marks:
        if mark.place in outer:
            chapter, label = chapters.get(mark.place, ""), outer[mark.place]
        elif mark.path[1:] and mark.path[0] == chapter != label:
            moved[mark.place] = mark._replace(path=(label, *mark.path[1:]))
    asked = {place: found.questions[0] for place, mark in moved.items() if (found := numbers.questions_of(mark))}
    is_meant = are_about(asked)
    for mark in marks:
        if mark.place not in moved or is_meant:
            yield moved.get(mark.place, mark)


def _by_upper(named: Collection[int], outer: Mapping[int, str]) -> dict[int, str]:
    """Return the number that applies above each block that names a question."""
    starts = sorted(outer)
    return {place: outer.get(max((start for start in starts if start < place), default=-1), "") for place in named}


def marks_in(blocks: Sequence[Block], words: Set[str]) -> list[Mark]:
    """Return the numbers at the beginnings of blocks, without those of tables of contents."""
    listed = contents(blocks)
    marks = [mark for place, block in enumerate(blocks) if place not in listed and (mark := _mark(place, block, words))]
    return [mark for mark in marks if not _goes_on(blocks, mark)]


def _goes_on(blocks: Sequence[Block], mark: Mark) -> bool:
    """Whether a number only continues the full line above: `… in the model of / task 3, which`, `… by equation / 2
    into`."""
    if not mark.place or {blocks[mark.place].kind, blocks[mark.place - 1].kind} != {BlockKind.LINE}:
        return False
    above, text = blocks[mark.place - 1].text.rstrip(), blocks[mark.place].text.lstrip()
    is_amid = text[:1].islower() or (
        text[:1].isdigit() and not mark.sign and text[mark.end :].strip(" ,")[:1].islower()
    )
    return is_amid and len(above) >= FULL_LINE and (above[-1].isalnum() or above.endswith(","))


def _linked(
    schemes: "Iterable[_Scheme]", accepted: "Sequence[_Scheme]", named: Mapping[int, Collection[str]]
) -> dict[int, NamedQuestions]:
    """Return the blocks whose numbers name questions, by the accepted scheme and those in the margin."""
    taken = {*chain.from_iterable(named.values())}
    found: dict[int, NamedQuestions] = {}
    # The accepted numbers name most questions. Numbers in the margin such as `T1` or `4a` name the remaining ones.
    in_margin = sorted(filter(_Scheme.is_in_margin, schemes), key=lambda scheme: not scheme.is_lettered)
    for scheme in [*accepted[:1], *in_margin]:
        links = scheme.remaining_marks(taken) if scheme in accepted[:1] or scheme.is_rest(taken) else {}
        links |= dict.fromkeys(scheme.others, ()) if scheme in accepted[:1] else {}
        found |= {
            mark.place: NamedQuestions(questions, mark.end)
            for mark, questions in links.items()
            if mark.place not in named
        }
        taken.update(*links.values())
    return found


def _schemes(
    marks: Sequence[Mark],
    numbers: "_Numbers",
    blocks: Sequence[Block],
    words: Set[str],
    named: Mapping[int, str],
    are_about: Subjects,
    elsewhere: Set[str],
) -> tuple[list["_Scheme"], list["_Scheme"]]:
    """Return the forms of marks, those that name most questions first, that are the lab's."""
    found = [_Scheme.from_marks(alike, numbers, blocks) for alike in _alike(marks, words)]
    found.sort(key=lambda scheme: (-len(scheme.chain), not scheme.is_uniform))
    # In `A.1`, `B.1`, `B.2`, the letters are the author's own chapters if no label of a question has them.
    letters = {mark.word for mark in marks if len(mark.word) == 1 and mark.word.isalpha()} - words
    chapters = letters if len(letters) > 1 else set()
    accepted = [scheme for scheme in found if scheme.is_the_labs(named, are_about, elsewhere)]
    return found, [scheme for scheme in accepted if scheme.chain[0][0].word not in chapters]


def neighbouring_number(
    blocks: Sequence[Block], words: Set[str], named: Collection[int], *, before: bool
) -> tuple[int, int] | None:
    """Return the block with the number directly before the first block in `named` or after the last, and the label's
    end."""
    edge = min(named) if before else max(named)
    mark = _mark(edge, blocks[edge], words)
    if mark is None or not mark.path[-1].isdecimal():
        return None
    wanted = (*mark.path[:-1], str(int(mark.path[-1]) + (-1 if before else 1)))
    for place in range(edge) if before else range(edge + 1, len(blocks)):
        found = _mark(place, blocks[place], words)
        if found and found.path == wanted and found.word == mark.word:
            return place, found.end
    return None


def starts_of_labs(blocks: Sequence[Block], labels: Labels, order: Sequence[str]) -> list[int]:
    """Return the starts of several labs in one document, where the numbers of questions begin again below a title.

    Empty if there is only one lab.
    """
    numbers = _Numbers.from_labels(labels, order)
    forms: dict[tuple[str, int], list[Mark]] = {}
    words = {word for word, _ in labels} | {""}
    marks = marks_in(blocks, words)
    for mark in marks:
        if mark.word or numbers.are_unique:
            forms.setdefault((mark.word, mark.depth), []).append(mark)
    of_questions = {mark.place for mark in marks if mark.word in words}
    titles = [at for at, block in enumerate(blocks) if at not in of_questions and _is_title(block)]
    found = (_starts(alike, numbers, blocks, titles) for alike in forms.values())
    return max(found, key=len, default=[])


def _starts(alike: Sequence[Mark], numbers: "_Numbers", blocks: Sequence[Block], titles: Sequence[int]) -> list[int]:
    """Return the first block and the titles between sequences of numbers that begin again; empty without them."""
    runs = [run for run in _runs(alike) if len(run) >= _FEWEST]
    found = [0]
    for above, below in pairwise(runs):
        title = min(
            (at for at in titles if above[-1].place < at < below[0].place),
            key=lambda at: (blocks[at].level or 1, at),
            default=0,
        )
        before = _known(alike, range(found[-1], title), numbers)
        behind = _known(alike, range(title, len(blocks)), numbers)
        if len(before & behind) >= _FEWEST:
            found.append(title)
    return found if len(found) > 1 else []


def _known(marks: Iterable[Mark], places: range, numbers: "_Numbers") -> set[tuple[int, ...]]:
    """Return the numbers in some blocks that are questions' numbers."""
    return {asked.rank for mark in marks if mark.place in places and (asked := numbers.questions_of(mark))}


def _is_title(block: Block) -> bool:
    """Whether a block is a heading other than that of the references."""
    return block.kind is BlockKind.HEADING and not lexicon.match(r"[\W\d]*<references>\W*\Z", block.text.casefold())


def _runs(marks: Sequence[Mark]) -> list[list[Mark]]:
    """Return the numbers in ascending sequences, without single numbers that interrupt a sequence."""
    runs: list[list[Mark]] = [[]]
    for mark, following in zip(marks, [*marks[1:], None], strict=True):
        last = _rank(runs[-1][-1].path) if runs[-1] else ()
        if _rank(mark.path) > last:
            runs[-1].append(mark)
        elif following is None or _rank(following.path) <= last:
            runs.append([mark])
    return runs


def label_end(block: Block, words: Set[str]) -> int:
    """Return the end of the number that labels a block, after one of some words or before more text; 0 if it has
    none."""
    mark = _mark(0, block, words)
    is_label = mark is not None and mark.is_apart and (mark.word in words if mark.word else not mark.is_alone)
    return mark.end if mark and is_label else 0


def _chapters(marks: Iterable[Mark], numbers: "_Numbers") -> dict[int, str]:
    """Return the headings with single numbers that are the first parts of questions' numbers, all in order.

    For example, `Part I`, `Part II` for questions 1.1 and 2.1.
    """
    first = numbers.first_parts
    alike: dict[str, list[Mark]] = {}
    for mark in marks:
        is_title = mark.kind is BlockKind.HEADING or (mark.is_alone and mark.word)
        is_single = list(map(str.isdecimal, mark.path)) == [True]
        if is_title and is_single and _rank(mark.path) not in numbers.by_number:
            alike.setdefault(mark.word, []).append(mark)
    found = next((own_marks for own_marks in alike.values() if [int(mark.path[0]) for mark in own_marks] == first), [])
    return {mark.place: mark.path[0] for mark in found} if first[1:] else {}


def contents(blocks: Sequence[Block]) -> frozenset[int]:
    """Return the positions of entries in tables of contents and lists of figures.

    They are consecutive lines that end with page numbers in order, or that occur again below as headings.
    """
    filled = {place: block for place, block in enumerate(blocks) if block.text.strip()}
    repeated = _repeated(filled)
    found: list[list[int]] = [[]]
    last = 0
    for place, page in zip(filled, _pages([*filled.values()]), strict=True):
        if place in repeated:
            found[-1].append(place)
            last = last if page is None else page
        elif page is None:
            found.append([])
            last = 0
        else:
            found += [[]] if page < last else []
            found[-1].append(place)
            last = page
    return frozenset(chain.from_iterable(places for places in found if len(places) >= _FEWEST))


def _repeated(blocks: Mapping[int, Block]) -> set[int]:
    """Return the positions of lines that occur again below as headings."""
    titles = {_letters(block.text): place for place, block in blocks.items() if block.kind is BlockKind.HEADING}
    others = {place: block for place, block in blocks.items() if block.kind is not BlockKind.HEADING}
    return {place for place, block in others.items() if titles.get(_letters(block.text), 0) > place}


def _pages(blocks: Sequence[Block]) -> Iterator[int | None]:
    """Return the page number of each block, if any. A long entry begins on the line above its page number."""
    pages = [0, *map(_page, blocks)]
    for at, block in enumerate(blocks):
        above, page, *below = pages[at : at + 3]
        is_begun = page is None and block.kind is BlockKind.LINE and None not in (above, *below)
        yield above if is_begun else page


def _page(block: Block) -> int | None:
    """Return the page number after dots or a gap at the end of an entry, or None."""
    match = _PAGE.search(block.text)
    return int(match["page"]) if match and _WORD.search(block.text[: match.start()]) else None


def _letters(text: str) -> str:
    """Return the letters and digits of a text."""
    return "".join(filter(str.isalnum, text.casefold()))


def _alike(marks: Sequence[Mark], words: Set[str]) -> Iterable[list[Mark]]:
    """Yield the marks with the same form.

    Marks with one of the lab's words, and those with any of them (`Q1`, `T1`, `T3`), are taken together, as are
    headings and lines of the same form that belong to no list.
    """
    forms: dict[tuple[object, ...], list[Mark]] = {}
    for mark in marks:
        forms.setdefault(mark.form, []).append(mark)
        if mark.sign:  # `3)` is not written like the `3.` of a list within an answer
            forms.setdefault((*mark.form, mark.sign), []).append(mark)
    in_lists = {
        alike[place].place for alike in forms.values() for places in _lists(alike) if places[1:] for place in places
    }
    for mark in marks:
        if mark.word in words:
            forms.setdefault((mark.is_apart,), []).append(mark)
            forms.setdefault((mark.word,), []).append(mark)
        if mark.is_apart and (mark.kind is BlockKind.HEADING or mark.place not in in_lists):
            forms.setdefault((mark.word, mark.depth), []).append(mark)
    return forms.values()


class _Asked(NamedTuple):
    """The questions that the last `depth` parts of a number name, and its `rank` among all numbers. `is_known`: the lab
    has this number with this word."""

    questions: tuple[str, ...]
    depth: int
    rank: tuple[int, ...]
    is_known: bool


class _Numbers(NamedTuple):
    """The lab's questions by the words and numbers of their labels, and in order."""

    by_word: Mapping[tuple[str, tuple[int, ...]], tuple[str, ...]]
    by_number: Mapping[tuple[int, ...], tuple[str, ...]]
    order: Sequence[str]

    @property
    def first_parts(self) -> list[int]:
        """The first parts of numbers with several parts, in order."""
        return sorted({rank[0] for rank in self.by_number if len(rank) > 1})

    @classmethod
    def from_labels(cls, labels: Labels, order: Sequence[str]) -> Self:
        """Return the index of some labels."""
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
        """Whether each number belongs to one question."""
        return all(len(several) == 1 for several in self.by_number.values())

    def questions_of(self, mark: Mark) -> _Asked | None:
        """Return the questions that a number names, by its word, which may be abbreviated (`quest. 8`), or otherwise by
        number."""
        for depth in range(len(mark.path), 0, -1):
            rank = _rank(mark.path[-depth:])
            word_questions = self._behind(mark.word, rank)
            questions = word_questions or self.by_number.get(rank)
            if questions:
                return _Asked(questions, depth, rank, bool(word_questions))
        return None

    def _behind(self, word: str, rank: tuple[int, ...]) -> tuple[str, ...]:
        """Return the questions that a number names after a word, or the one that it names after all words with this
        beginning."""
        if not word or (word, rank) in self.by_word:
            return self.by_word.get((word, rank), ())
        longer = (key for key in self.by_word if key[1] == rank and key[0].startswith(word))
        alike = {self.by_word[key] for key in longer if len(self.by_word[key]) == 1}
        return alike.pop() if len(alike) == 1 else ()


def _rank(path: Sequence[str]) -> tuple[int, ...]:
    return tuple(int(piece) if piece.isdecimal() else ord(piece) for piece in path)


class _Scheme(NamedTuple):
    """The numbers of a document with the same form.

    `chain` are those that ascend through the lab's questions. `others` are ascending numbers between them that no
    question has, because the handout asks more than the lab grades. `strangers` is the number of further numbers that
    no question has, outside lists in answers. `is_uniform`: all have the same sign after them. `is_through`: the chain
    extends through what may be a list that begins at one.
    """

    chain: tuple[tuple[Mark, _Asked], ...]
    others: tuple[Mark, ...]
    strangers: int
    numbers: _Numbers
    is_uniform: bool
    is_through: bool

    @classmethod
    def from_marks(cls, marks: Sequence[Mark], numbers: _Numbers, blocks: Sequence[Block]) -> Self:
        """Return the scheme of marks with the same form."""
        own_parameters = _of_one_prefix(marks, numbers)
        lengths = _lengths(marks, blocks)
        counted = _counted(marks, own_parameters)
        listless = [
            None if place in counted else asked_parameter for place, asked_parameter in enumerate(own_parameters)
        ]
        rising, every = _longest_rise(listless, lengths), _longest_rise(own_parameters, lengths)
        # A sequence whose first numbers belong to no question seems to be a list until later numbers name questions.
        is_through = len(every) >= max(len(rising) + 1, _FEWEST_OF_SOME)
        links, between, anew = _through(marks, own_parameters, every if is_through else rising)
        if is_through and not anew.isdisjoint(every):
            is_through, (links, between, anew) = False, _through(marks, own_parameters, rising)
        counted = set() if is_through else counted
        unknown = {place for place, asked_parameter in enumerate(own_parameters) if asked_parameter is None} - counted
        others = tuple(marks[place] for place in between if place in unknown)
        strangers = len(unknown - anew) - len(others)
        return cls(tuple(links), others, strangers, numbers, len({mark.sign for mark in marks}) == 1, is_through)

    def is_the_labs(self, named: Mapping[int, str], are_about: Subjects, elsewhere: Set[str]) -> bool:
        """Whether the numbers are those of the lab's questions instead of the student's own.

        A word for questions shows it. Other numbers must be no simple count, name every question and no other, or stand
        before texts that match their questions. If some blocks below the same upper numbers (`named`) have labels in
        the lab's words, only numbers of the same form count. If several of the lab's questions have one number, only
        numbers that stand apart from all text count.
        """
        if self.is_short:
            return False
        upper = {"", *(mark.path[0] for mark, _ in self.chain)}
        beside = [place for place, number in named.items() if number in upper]
        if beside and not any(mark.place in named for mark, _ in self.chain):
            return False
        first = self.chain[0][0]
        found = {question for _, asked in self.chain for question in asked.questions}
        if all(asked.is_known for _, asked in self.chain):
            return first.is_apart or 2 * len(found | elsewhere) >= len(self.numbers.order)
        if not (first.is_alone or first.word or self.numbers.are_unique):
            return False
        is_every = found == {*self.numbers.order} and not self.is_through
        if first.depth > 1 and not first.is_apart:
            return is_every
        is_told = is_every or self.is_no_count
        return first.is_apart and (
            is_told or are_about({mark.place: asked_parameter.questions[0] for mark, asked_parameter in self.chain})
        )

    def is_in_margin(self) -> bool:
        """Whether the numbers stand alone, or beside the answers."""
        return not (self.is_short or self.is_through) and self.chain[0][0].is_alone

    def is_rest(self, taken: Set[str]) -> bool:
        """Whether the numbers name all questions that nothing else names, or some of them by the letters of parts."""
        left = {*chain.from_iterable(self.remaining_marks(taken).values())}
        return bool(left) and (left == {*self.numbers.order} - taken or self.is_lettered)

    @property
    def is_lettered(self) -> bool:
        """Whether the numbers contain letters of parts, which other numbers rarely do."""
        return bool(self.chain) and self.chain[0][0].path[-1].isalpha()

    def remaining_marks(self, taken: Set[str]) -> dict[Mark, tuple[str, ...]]:
        """Return the numbers of the chain that name questions which are not `taken`, with these questions."""
        named = {
            mark: tuple(question for question in asked.questions if question not in taken) for mark, asked in self.chain
        }
        return {mark: questions for mark, questions in named.items() if questions}

    @property
    def is_short(self) -> bool:
        """Whether there are so few numbers that they may agree with the lab's by chance. Numbers with several parts
        hardly do."""
        fewest = _FEWEST if self.chain and len(self.chain[0][0].path) == 1 else 2
        return len(self.chain) < fewest or 2 * self.strangers > len(self.chain)

    @property
    def is_no_count(self) -> bool:
        """Whether the numbers are no simple count.

        Some are left out; or the first is not one, and has a word before it or is the lab's first number.
        """
        first = self.chain[0][0]
        ranks = sorted([*(asked.rank for _, asked in self.chain), *(_rank(mark.path) for mark in self.others)])
        start = ranks[0]
        if ranks != [(*start[:-1], start[-1] + further) for further, _ in enumerate(ranks)]:
            return True
        return start[-1] != 1 and (bool(first.word) or start == min(self.numbers.by_number))


def _are_mixed(marks: Iterable[Mark]) -> bool:
    """Whether the numbers follow several different words."""
    return len({mark.word for mark in marks}) > 1


def _of_one_prefix(marks: Sequence[Mark], numbers: _Numbers) -> list[_Asked | None]:
    """Return the questions of the marks with the most common prefix, such as `2-1` in `Q2-1.8`.

    After several words, the numbers must ascend in the order of the questions.
    """
    asked = [*map(numbers.questions_of, marks)]
    prefixes = [
        mark.path[: -asked_parameter.depth] if asked_parameter else None
        for mark, asked_parameter in zip(marks, asked, strict=True)
    ]
    [(common, _)] = Counter(filter(lambda entry: entry is not None, prefixes)).most_common(1) or [((), 0)]
    own_parameters = [
        asked_parameter if prefix == common else None for prefix, asked_parameter in zip(prefixes, asked, strict=True)
    ]
    if not _are_mixed(marks):
        return own_parameters
    return [
        asked_parameter and asked_parameter._replace(rank=(numbers.order.index(asked_parameter.questions[0]),))
        for asked_parameter in own_parameters
    ]


def _counted(marks: Sequence[Mark], own_parameters: Sequence[_Asked | None]) -> set[int]:
    """Return the positions of numbers that count from a number that no question has: a separate list. Headings with
    the lab's own word, `Question 1`, are not one."""

    def is_own(place: int) -> bool:
        asked, mark = own_parameters[place], marks[place]
        return asked is not None and asked.is_known and bool(mark.word) and mark.kind is BlockKind.HEADING

    return {
        place
        for places in _lists(marks)
        if any(own_parameters[candidate] is None for candidate in places) and not any(map(is_own, places))
        for place in places
    }


def _through(
    marks: Sequence[Mark], own_parameters: Sequence[_Asked | None], rising: Sequence[int]
) -> tuple[list[tuple[Mark, _Asked]], list[int], set[int]]:
    """Return the chain of some positions, those of other numbers that ascend with it, and those of lists within it."""
    links = [(marks[place], asked_parameter) for place in rising if (asked_parameter := own_parameters[place])]
    if not links or _are_mixed(marks):
        return links, [], set()
    depth, prefix = links[0][1].depth, links[0][0].path[: -links[0][1].depth]
    ranks = {mark.place: asked.rank for mark, asked in links}
    above: tuple[int, ...] = (_HIGHEST,)
    ceilings = [*accumulate(reversed(marks), lambda higher, mark: ranks.get(mark.place, higher), initial=above)]
    runs = {run[0]: run for run in _lists(marks)}
    found: list[int] = []
    anew: set[int] = set()
    floor: tuple[int, ...] = ()
    for place, (mark, ceiling) in enumerate(zip(marks, reversed(ceilings[:-1]), strict=True)):
        rank = _rank(mark.path[-depth:])
        if mark.place in ranks:
            floor = rank
        elif mark.path[:-depth] != prefix or not floor < rank < ceiling:
            anew.update(runs.get(place, ()))
        elif place not in anew:
            found.append(place)
            floor = rank
    return links, found, anew


def _lengths(marks: Sequence[Mark], blocks: Sequence[Block]) -> list[int]:
    """Return the number of characters after each mark, up to the next one."""
    ends = [*(mark.place for mark in marks[1:]), len(blocks)]
    return [
        sum(len(blocks[index].text) for index in range(mark.place, end)) - mark.end
        for mark, end in zip(marks, ends, strict=True)
    ]


def _lists(marks: Sequence[Mark]) -> list[list[int]]:
    """Return the positions of numbers that count 1, 2, 3, like a list in an answer."""
    lists: list[list[int]] = []
    for place, mark in enumerate(marks):
        if mark.path[-1] == "1":
            lists.append([])
        if lists and mark.path[-1] == str(len(lists[-1]) + 1):
            lists[-1].append(place)
    return lists


def _longest_rise(asked: Sequence[_Asked | None], lengths: Sequence[int]) -> list[int]:
    """Return the positions of ascending numbers that name most questions; if several do, those with most text after
    them."""
    ranks = {place: asked_parameter.rank for place, asked_parameter in enumerate(asked) if asked_parameter}
    best: dict[int, tuple[int, int]] = {}
    before: dict[int, int | None] = {}
    for place in [*ranks][-_MOST:]:
        ways = [(best[other], other) for other in best if ranks[other] < ranks[place]]
        (count, text), before[place] = max(ways, default=((0, 0), None))
        best[place] = (count + 1, text + min(lengths[place], _ENOUGH))
    chain = []
    last = max(best, key=lambda number: best[number], default=None)
    while last is not None:
        chain.append(last)
        last = before[last]
    return chain[::-1]


def _mark(place: int, block: Block, further: Set[str]) -> Mark | None:
    """Return the number at the beginning of a block. In `Exercise 2, question 8`, it includes the numbers before it."""
    text = _text_of(block)
    matches = list(_matches(text, further))
    rest = text[matches[-1].end() :].strip(" *_-=#~") if matches else ""
    is_row = block.kind is BlockKind.ROW
    if not matches or (is_row and rest):
        return None
    label, sign = matches[-1], matches[-1]["sign"]
    word = (_words(label) or [""])[-1]
    is_asked = word in further
    if (block.kind is BlockKind.CODE and not (word and is_asked)) or (not is_asked and lexicon.match(r"<run>\Z", word)):
        return None  # steps in comments and runs are numbered, too
    is_in_margin = len(sign) > 1 and not sign.strip()
    is_signed = bool(sign.strip(" ,")) or not {*")°º#"}.isdisjoint(label["words"] + label["number"])
    is_signed = is_signed or lexicon.search(r"<number_sign>\W*\Z", label["words"]) is not None
    return Mark(
        place,
        word=word,
        path=tuple(_arabic(piece) for match in matches for piece in _PIECE.findall(match["number"])),
        end=block.text.find(text) + label.end(),
        is_apart=is_signed or is_in_margin or not rest or block.kind is BlockKind.HEADING,
        is_alone=is_in_margin or not (rest or is_row),
        kind=block.kind,
        sign=sign.strip(" ,*_")[:1],
    )


def _below(mark: Mark, outer: Mapping[int, str], numbers: _Numbers) -> Mark:
    """Return a mark combined with the number of the heading above, if a question has this combination."""
    above = max((place for place in outer if place < mark.place), default=None)
    path = mark.path if above is None else (outer[above], *mark.path)
    return mark._replace(path=path) if _rank(path) in numbers.by_number else mark


def _letters_below(blocks: Sequence[Block], outer: Mapping[int, str], numbers: _Numbers) -> Iterator[Mark]:
    """Return the letters at the beginnings of blocks, `(a)`, `b)` or `c.`, combined with the number of the heading
    above."""
    if not any(len(rank) > 1 and rank[1] >= ord("a") for rank in numbers.by_number):
        return
    above = ""
    for place, block in enumerate(blocks):
        above = outer.get(place, above)
        text = _text_of(block)
        match = lexicon.match(_LETTER, text) if above else None
        if match and place not in outer:
            rest = text[match.end() :].strip()
            end = block.text.find(text) + match.end()
            yield Mark(place, "", (above, match["letter"]), end, True, not rest, block.kind, match["sign"])


_LETTER: Final = r"[#*_\s>•-]*\(?(?P<letter>[a-h])(?P<sign>[)）]|\.(?=[\s*_]|\Z))[*_]*"


def _is_prose(text: str) -> bool:
    """Whether two words of a text stand side by side."""
    return any(
        first.isalpha() and other.isalpha() and len(first) > _SHORT and len(other) > 1
        for first, other in pairwise(text.split())
    )


_SHORT: Final = 2


def _text_of(block: Block) -> str:
    """Return the text in which a label may stand: the first cell of a row if another has words, and comments in
    code."""
    if block.kind is BlockKind.CODE and not block.text.lstrip().startswith(_COMMENT):
        return ""
    if block.kind is BlockKind.ROW and (names_task(block.cells[0]) or any(map(_is_prose, block.cells[1:]))):
        return block.cells[0] if len(_WORD.findall(" ".join(block.cells[1:]))) > 1 else ""
    return block.text if block.kind in _PLACES and block.kind is not BlockKind.ROW else ""


def _matches(text: str, further: Set[str]) -> Iterator[re.Match[str]]:
    """Return the numbers at the beginning of a text, from the first one with a word for questions on."""
    end = 0
    while match := _MARK.match(text, end):
        if end and (len(_words(match)) != 1 or _words(match)[0] not in further):
            return
        yield match
        end = match.end()


def _words(match: re.Match[str]) -> list[str]:
    return re.findall(r"[^\W\d_]+", match["words"].casefold())


def _arabic(piece: str) -> str:
    """Return a part of a number, with a Roman numeral in digits."""
    if piece[0] not in _ROMAN:
        return piece
    values = [_ROMAN[letter] for letter in piece]
    return str(sum(-number if number < following else number for number, following in pairwise([*values, 0])))

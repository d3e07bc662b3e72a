"""Divide a document into sections, and find the questions that each section answers.

`sections` is the entry point. Questions are recognised by the lab's labels, by numbers, by titles, and by the
question's text.
"""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence, Set
from difflib import get_close_matches
from functools import partial
from itertools import chain, groupby, pairwise
from pathlib import PurePosixPath
from typing import Final, NamedTuple, Self

from grader.claims.figures import Caption, Part, captions_of, parts_in, parts_with_figures, with_drawings
from grader.claims.listings import listed_lines
from grader.claims.numbering import FULL_LINE, contents, label_end, neighbouring_number, numbered_blocks, starts_of_labs
from grader.claims.passage import Passage
from grader.claims.restated import BlankedBlocks, less_restated, names_question
from grader.claims.wording import are_about, shift, speaking, written_out
from grader.frozen import Frozen, memoise
from grader.lab.definition import Lab, Question
from grader.language import lexicon
from grader.reading.document import Block, BlockKind, Document

_LETTERED: Final = (
    r"\d+(?:\.\d+)*"
    r"(?:\.?[a-z](?![^\W_])|[\s,.:-]{0,3}(?:part(?:ie)?\s+)?(?:\([a-z]\)|[a-z](?=\s*[):]|\s*$)))?"
    r"|(?:\(|(?<=\s))[a-z]\)?(?![^\W_])"
)
"""Numbers of questions with parts: `1`, `3.2`, `1a`, `1 (a)`, `1, part (a)`, `(b)`."""

_LEAD = re.compile(r"^[#*\s•-]*(?:\d+(?:\.\d+)*[.)]?\s+)?[*\s]*")


class Section(Frozen):
    """A part of a document under one heading."""

    title: str
    questions: tuple[str, ...]
    """The questions that the heading names."""
    passage: Passage
    lead: int = 0
    """The length of the label in the passage's text."""
    is_inline: bool = False
    """Whether the handout has a cell for the answer, with which the section ends."""
    is_blank: bool = False
    """Whether nothing was added to the handout's cells."""
    has_list: bool = False
    """Whether a complete list of the question was blanked, in which only the page may show the marked item."""
    is_beside_code: bool = False
    """Whether it consists of comments in a cell with code, which may be about the code."""

    @property
    def is_closing(self) -> bool:
        """Whether it is the list of references, the only section with a heading of its own that names no question."""
        return bool(self.title) and not self.questions


class _Heading(NamedTuple):
    """The questions that a block names, and the end of the label in its text.

    `is_end`: a table of answers ends here, and the heading above applies again. `outer` is a number that only begins
    the numbers of questions, such as 2 for 2.1 and 2.2, and `word` the word before it. `above` is the word and number
    of the level above if the heading names it: `assignment 2` in `Assignment 2, task 3`, ` 2` in `1.2.3 Question 3`.
    The label ends `further` blocks later.
    """

    questions: tuple[str, ...]
    end: int = 0
    is_end: bool = False
    outer: str = ""
    further: int = 0
    word: str = ""
    above: str = ""


def sections(document: Document, lab: Lab) -> tuple[Section, ...]:
    """Divide a document into sections.

    A section begins at a heading that names questions of the lab, by label or number, and at a line with a part's
    letter, such as `(b)`, under a question's heading. Other headings stay within their section. If a marker assigned
    the text to questions, only that counts.
    """
    lab = lab_of_file(lab, document.file)
    if any(block.assigned is not None for block in document.blocks):
        return tuple(_by_person(document, lab))
    start, end = _own_lab(document, lab)
    return (
        *_aside(document, 0, start, lab),
        *_found(_part_of(document, start, end), lab),
        *_aside(document, end, len(document.blocks), lab),
    )


def _part_of(document: Document, start: int, end: int) -> Document:
    return document if end - start == len(document.blocks) else _with_blocks(document, document.blocks[start:end])


def _with_blocks(document: Document, blocks: Sequence[Block]) -> Document:
    return document.model_copy(update={"blocks": tuple(blocks)})


def _aside(document: Document, start: int, end: int, lab: Lab) -> Iterator[Section]:
    """Yield the section before or after this lab in a report on several labs."""
    if start < end:
        yield _section(document, None, start, end, lab)


def _own_lab(document: Document, lab: Lab) -> tuple[int, int]:
    """Return the bounds of the blocks about this lab in a report on several labs, or of all blocks.

    The part whose answers match the questions that its numbers name is about this lab, if the other parts hardly do.
    """
    blocks = document.blocks
    starts = starts_of_labs(blocks, _labels(lab), [question.id for question in lab.questions])
    bounds = list(pairwise([*starts, len(blocks)]))
    labs = [_Lab.from_sections(_found(_part_of(document, *bound), lab), blocks[bound[0]], lab) for bound in bounds]
    best = max(labs, key=lambda candidate: candidate.votes, default=None)
    if best is None or best.votes < _FEWEST_NUMBERS:
        return 0, len(blocks)
    others = [candidate for candidate in labs if candidate is not best]
    own_bounds = bounds[labs.index(best)]
    is_whole = not _goes_beyond(document, own_bounds, best.named, lab)
    is_clear = is_whole and all(3 * other.votes <= best.votes and other.is_another(best) for other in others)
    return own_bounds if is_clear else (0, len(blocks))


def _goes_beyond(document: Document, own_bounds: tuple[int, int], named: Set[str], lab: Lab) -> bool:
    """Whether the numbers of a part continue outside it: lower ones before it, higher ones after it."""
    order = {question.id: place for place, question in enumerate(lab.questions)}
    first, last = min(order[text] for text in named), max(order[text] for text in named)
    place = 0
    for section in _found(document, lab):
        places = [order[question] for question in section.questions]
        is_before, is_behind = place < own_bounds[0], place >= own_bounds[1]
        if any((is_before and candidate < first) or (is_behind and candidate > last) for candidate in places):
            return True
        place += len(section.passage.blocks)
    return False


class _Lab(NamedTuple):
    """A part of a report that may be about this lab: the questions that it names, those that its answers match, and a
    score."""

    named: frozenset[str]
    speaking: frozenset[str]
    votes: int

    def is_another(self, best: "_Lab") -> bool:
        """Whether it is about another lab than the best part: it names similar numbers, and its answers match no other
        question."""
        further = self.named - best.named
        return not (self.speaking - best.named) and 2 * len(further) <= len(self.named & best.named)

    @classmethod
    def from_sections(cls, cut: Iterable[Section], title: Block, lab: Lab) -> Self:
        """Return the content of a part that begins with a title."""
        answers = [
            (section.questions[0], section.passage.text[section.lead :])
            for section in cut
            if len(section.questions) == 1
        ]
        spoken = speaking(answers, lab)
        is_titled = _plain_title(lab.title) in _plain_title(title.text)
        return cls(frozenset(name for name, _ in answers), spoken, len(spoken) + _TITLE * is_titled)


_TITLE: Final = 3
"""The lab's title counts as much as this many matching answers."""


def _found(document: Document, lab: Lab) -> tuple[Section, ...]:
    """Return the sections of the blocks about this lab."""
    labels = _with_misspelt(document.blocks, _labels(lab))
    pattern = _pattern(labels)
    document = _labels_apart(_with_blocks(document, with_drawings(document.blocks)), pattern)
    document, headings = _parts_apart(document, _named_in(document, pattern, labels, lab), labels)
    blocks = document.blocks
    listed = listed_lines(blocks)
    captions = captions_of(blocks)
    in_captions = _named_in_captions(blocks, captions, pattern, labels)
    headings = _without(headings, in_captions)
    taken = frozenset(chain.from_iterable(questions for questions, _ in in_captions.values()))
    by_number = _by_number(_as_code(blocks, listed), labels, lab, headings, taken)
    in_rows = {index: heading for index, heading in by_number.items() if blocks[index].kind is BlockKind.ROW}
    outer = {index: heading for index, heading in headings.items() if heading.outer}
    by_part = _by_part(blocks, headings, labels)
    within = {} if in_rows else by_number
    headings = within | by_part | headings | (within if outer else {})
    if not any(heading.questions for heading in headings.values()):
        headings = _by_title(blocks, lab) | headings
    within_captions = {*chain.from_iterable(caption.lines for caption in captions)} - {*headings}
    headings = _by_wording(blocks, _less_in_code(headings, listed), labels, lab, within_captions)
    headings = _by_row(blocks, headings, pattern, labels, in_rows) | headings
    headings = _by_chapter(blocks, headings) | headings
    headings = _less_in_code(headings, listed)
    document, headings = _with_figures_placed(document, headings, captions, in_captions)
    bounds = sorted({0, *headings, len(document.blocks)})
    return tuple(_section(document, headings.get(start), start, end, lab) for start, end in pairwise(bounds))


def _without(headings: Mapping[int, _Heading], places: Collection[int]) -> dict[int, _Heading]:
    return {index: heading for index, heading in headings.items() if index not in places}


def _named_in_captions(
    blocks: Sequence[Block],
    captions: Sequence[Caption],
    pattern: re.Pattern[str],
    labels: Mapping[tuple[str, str], str],
) -> dict[int, tuple[tuple[str, ...], int]]:
    """Return the questions that captions name right after their numbers, and the ends of these labels: `Figure 1:
    (Question 2) …`."""
    found: dict[int, tuple[tuple[str, ...], int]] = {}
    for caption in captions:
        text = blocks[caption.start].text.casefold()
        match = pattern.match(text, caption.end)
        named = tuple(dict.fromkeys(filter(None, _questions(match, labels)))) if match else ()
        if match and named and _stands_apart(text, match):
            found[caption.start] = named, match.end()
    return found


def _with_figures_placed(
    document: Document,
    headings: Mapping[int, _Heading],
    captions: Sequence[Caption],
    named: Mapping[int, tuple[tuple[str, ...], int]],
) -> tuple[Document, dict[int, _Heading]]:
    """Return the document with figures and captions under their questions, and its headings."""
    blocks = document.blocks
    if not captions and all(block.kind is not BlockKind.FIGURE for block in blocks):
        return document, dict(headings)
    questions = {index: heading.questions for index, heading in headings.items()}
    parts = parts_with_figures(blocks, list(parts_in(questions, len(blocks))), captions, named)
    moved = _moved_headings(parts, headings)
    order = [index for part in parts for index in part.blocks]
    is_same = order == [*range(len(blocks))]
    return document if is_same else _with_blocks(document, [blocks[index] for index in order]), moved


def _moved_headings(parts: Iterable[Part], headings: Mapping[int, _Heading]) -> dict[int, _Heading]:
    """Return the headings of parts by their positions in a document that has the parts in order."""
    moved: dict[int, _Heading] = {}
    at = 0
    for part in parts:
        if part.heading is not None:
            moved[at] = headings[part.heading]
        elif at or part.questions:
            moved[at] = _Heading(part.questions, part.end, is_end=True)
        at += len(part.blocks)
    return moved


def _as_code(blocks: Sequence[Block], listed: Set[int]) -> list[Block]:
    """Return the blocks with the lines of code as such."""
    return [
        block.model_copy(update={"kind": BlockKind.CODE}) if index in listed else block
        for index, block in enumerate(blocks)
    ]


def _less_in_code(headings: Mapping[int, _Heading], listed: Set[int]) -> dict[int, _Heading]:
    """Return the headings without labels in code that also stand outside it.

    In the answer to the same question they change nothing. Elsewhere, as in an appendix, the answer before ends there.
    """
    outside = {question for index, heading in headings.items() if index not in listed for question in heading.questions}
    found: dict[int, _Heading] = {}
    current: Set[str] = frozenset()
    for index in sorted(headings):
        heading = headings[index]
        named = {*heading.questions}
        if index in listed and named and named <= outside:
            if named <= current:
                continue
            heading = _Heading((), is_end=True)
        found[index], current = heading, {*heading.questions}
    return found


def _by_person(document: Document, lab: Lab) -> Iterator[Section]:
    """Return the sections that a marker assigned. A label at the beginning is no part of the answer."""
    labels = _labels(lab)
    blocks = document.blocks
    named = _named_in(document, _pattern(labels), labels, lab)
    starts = [at for at in range(len(blocks)) if at == 0 or blocks[at].assigned != blocks[at - 1].assigned]
    for start, end in pairwise([*starts, len(blocks)]):
        question = blocks[start].assigned
        label = named[start].end if start in named else label_end(blocks[start], {word for word, _ in labels})
        yield _section(document, _Heading((question,) if question else (), label, is_end=True), start, end, lab)


@memoise
def lab_of_file(lab: Lab, file: str) -> Lab:
    """Return a lab with only the questions that a document may answer: those that name its file, and those that name
    none.

    A document that has the name of none of these files may answer all questions, except those
    whose label occurs more than once.
    """
    named = {question.file for question in lab.questions if question.file}
    if not named:
        return lab
    fits = max((text for text in named if is_called(file, text)), key=len, default=None)
    often = Counter(label.casefold() for question in lab.questions for label in question.labels)
    shared = {label for label, number in often.items() if number > 1}

    def may_answer(question: Question) -> bool:
        is_clear = fits is None and shared.isdisjoint(map(str.casefold, question.labels))
        return not question.file or question.file == fits or is_clear

    kept = filter(may_answer, lab.questions)
    return lab.model_copy(update={"questions": tuple(kept)})


def is_called(file: str, name: str) -> bool:
    """Whether a document has the name of a handout's file with additions: `knn (1).ipynb` and `smith_knn.html` for
    `knn.ipynb`."""
    file_parts, given = (re.findall(r"[a-z]+|\d+", PurePosixPath(text).stem.casefold()) for text in (file, name))
    return bool(given) and any(
        file_parts[at : at + len(given)] == given for at in range(len(file_parts) - len(given) + 1)
    )


def _named_in(
    document: Document, pattern: re.Pattern[str], labels: Mapping[tuple[str, str], str], lab: Lab
) -> dict[int, _Heading]:
    """Return the blocks that name questions by the lab's labels, or by the title of a question without a label."""
    titles = {_plain_title(question.title): question.id for question in lab.questions if not question.labels}
    listed = contents(document.blocks)
    named = {
        index: heading
        for index, block in enumerate(document.blocks)
        if index not in listed and (heading := _named(block, pattern, labels) or _titled(block, titles))
    }
    is_unlabelled = len(titles) == len(lab.questions)
    by_words = _by_words_of_title(document.blocks, titles, named, listed, is_unlabelled=is_unlabelled)
    named = dict(sorted((named | by_words).items()))
    places = {question.id: place for place, question in enumerate(lab.questions)}
    found: dict[int, _Heading] = {}
    last = -1
    for index, heading in named.items():
        place = min((places[question] for question in heading.questions), default=last)
        if not (
            _is_within(document.blocks, index, heading.end, is_back=place < last)
            or _is_amid_sentence(document.blocks, index, is_next=place >= last)
        ):
            found[index], last = heading, place
    return _nested(found, labels)


def _nested(headings: Mapping[int, _Heading], labels: Mapping[tuple[str, str], str]) -> dict[int, _Heading]:
    """Return the headings with the questions that two levels of labels name: `Task 3` below `Assignment 2` is 2.3.

    The first label has the upper word, unless only a number is above it. Numbers of the lower word that begin again
    below the same upper label, as in an appendix, name nothing.
    """
    by_number = {number: question for (_, number), question in labels.items() if question}
    levels = (
        heading.above.partition(" ")[0] if heading.above else heading.word
        for heading in headings.values()
        if heading.outer and heading.word
    )
    upper = next(levels, "")
    found = dict(_below(headings, upper, by_number))
    if any(found[index].questions and found[index] != heading for index, heading in headings.items()):
        return found
    return dict(_of_one_level(headings, by_number))


def _of_one_level(headings: Mapping[int, _Heading], by_number: Mapping[str, str]) -> Iterator[tuple[int, _Heading]]:
    """Yield the headings if there is a single level. A number that begins no question's number is no upper one."""
    firsts = {number.partition(".")[0] for number in by_number if "." in number}
    for index, heading in headings.items():
        if heading.questions or not heading.outer:
            yield index, heading if heading.outer in firsts else heading._replace(outer="")


def _below(
    headings: Mapping[int, _Heading], upper: str, by_number: Mapping[str, str]
) -> Iterator[tuple[int, _Heading]]:
    """Yield the headings; those of a lower word have the question of both numbers."""
    above, last = "", 0
    for index, heading in headings.items():
        word, _, number = heading.above.partition(" ")
        if number and word == upper and number != above:
            above, last = number, 0
        if heading.outer and heading.word not in ("", upper):
            rank = int(heading.outer)
            meant = by_number.get(f"{above}.{rank}", "") if rank >= last else ""
            last = max(rank, last)
            heading = heading._replace(questions=(meant,) if meant else (), outer="", is_end=not meant)
        elif heading.word == upper or not heading.questions:
            above, last = heading.outer, 0
        yield index, heading


def _by_words_of_title(
    blocks: Sequence[Block],
    titles: Mapping[str, str],
    named: Mapping[int, _Heading],
    listed: Collection[int],
    *,
    is_unlabelled: bool,
) -> dict[int, _Heading]:
    """Return the headings with all words of a title in a lab without labels, if nothing else names these questions.

    For example, `2.2 Coarse search for a good rate` for `Coarse search`. A single word is not enough.
    """
    taken = {question for heading in named.values() for question in heading.questions}
    others = {title: question for title, question in titles.items() if question not in taken}
    found: dict[int, _Heading] = {}
    for index in {*range(len(blocks))} - {*named, *listed}:
        block = blocks[index]
        fits = tuple(question for title, question in others.items() if _holds_all(_plain_title(block.text), title))
        if fits and is_unlabelled and block.kind is BlockKind.HEADING:
            found[index] = _Heading(fits, len(block.text))
    return found


def _holds_all(heading: str, title: str) -> bool:
    """Whether a heading has the words of a title, in any form (`check`, `checking`), and few others."""
    words = heading.split()
    sought = [word for word in title.split() if len(word) >= _TELLING]

    def is_there(word: str) -> bool:
        return any(len(other) >= _TELLING and (word.startswith(other) or other.startswith(word)) for other in words)

    return 1 < len(sought) <= len(words) <= len(sought) + _MOST_BESIDE and all(map(is_there, sought))


_TELLING: Final = 4
"""The fewest letters of an informative word in a title."""
_MOST_BESIDE: Final = 9
"""The most additional words in a heading."""


def _is_amid_sentence(blocks: Sequence[Block], index: int, *, is_next: bool) -> bool:
    """Whether a line continues the sentence of the line above: `…, see also / question 1.` If the question is the next
    one, the line above must be full."""
    above = blocks[index - 1].text.rstrip() if index else ""
    is_line = blocks[index].kind is BlockKind.LINE and blocks[index - 1].kind is not BlockKind.HEADING
    is_amid = is_line and blocks[index].text.lstrip()[:1].islower() and (above[-1:].isalnum() or above.endswith(","))
    return is_amid and not (is_next and len(above) < FULL_LINE)


def _is_within(blocks: Sequence[Block], index: int, end: int, *, is_back: bool) -> bool:
    """Whether a label closes the brackets that the line above opens: `(for more, see / Q20), but …`, or names an
    earlier question in an unfinished sentence."""
    if is_back and _is_open(blocks, index):
        return True
    above = blocks[index - 1].text if index else ""
    is_closed = blocks[index].text[end:].lstrip().startswith(")") and "(" not in blocks[index].text[:end]
    return is_closed and above.count("(") > above.count(")")


def _is_open(blocks: Sequence[Block], index: int) -> bool:
    """Whether a line of a page stands below a full, unfinished line: `the second best in / Q3. …`."""
    above = blocks[index - 1] if index else blocks[index]
    is_line = blocks[index].kind is above.kind is BlockKind.LINE and above.page is not None
    return is_line and len(above.text) >= FULL_LINE and above.text.rstrip()[-1:].isalnum()


def _by_number(
    blocks: Sequence[Block],
    labels: Mapping[tuple[str, str], str],
    lab: Lab,
    headings: Mapping[int, _Heading],
    taken: Set[str],
) -> dict[int, _Heading]:
    """Return the headings that name a question only by its number. `taken` are the questions that captions name."""
    order = [question.id for question in lab.questions]
    labelled = {
        index: heading.questions for index, heading in headings.items() if heading.questions and not heading.outer
    }
    outer = {index: heading.outer for index, heading in headings.items() if heading.outer}
    found = numbered_blocks(blocks, labels, order, labelled, outer, partial(are_about, blocks, lab=lab), taken)
    return {index: _Heading(name.questions, name.end, is_end=not name.questions) for index, name in found.items()}


def _by_title(blocks: Sequence[Block], lab: Lab) -> dict[int, _Heading]:
    """Return the questions that at least three titles name, if nothing else names any."""
    titles = {_plain_title(question.title): question.id for question in lab.questions}
    listed = contents(blocks)
    found = {
        index: heading
        for index, block in enumerate(blocks)
        if index not in listed and (heading := _titled(block, titles))
    }
    return found if _are_several({entry.questions for entry in found.values()}) else {}


def _by_wording(
    blocks: Sequence[Block],
    headings: Mapping[int, _Heading],
    labels: Mapping[tuple[str, str], str],
    lab: Lab,
    captions: Set[int],
) -> dict[int, _Heading]:
    """Return the headings together with those that repeat a question's text, and with corrected numbers.

    The lines of `captions` repeat none.
    """
    found = {**headings, **_shifted(blocks, headings, labels, lab)}
    listed = contents(blocks) | captions
    asked = written_out(blocks, lab, {index: heading.end for index, heading in headings.items()}, listed)
    for index, candidate in asked.items():
        # A label directly above belongs to the question that follows it, as where two parts of a handout have one name.
        for at in range(index - 1, -1, -1):
            is_content = blocks[at].text.strip() or blocks[at].kind is BlockKind.FIGURE
            if candidate.question in found.get(at, _Heading(())).questions or (at not in found and is_content):
                break
            if at in found:
                found[at] = found[at]._replace(questions=(candidate.question,), is_end=True)
    return found | {
        index: _Heading((candidate.question,), candidate.end, further=candidate.further)
        for index, candidate in asked.items()
    }


def _shifted(
    blocks: Sequence[Block], headings: Mapping[int, _Heading], labels: Mapping[tuple[str, str], str], lab: Lab
) -> dict[int, _Heading]:
    """Return the headings whose numbers are one off, with the questions that they mean."""
    single = {index: heading.questions[0] for index, heading in headings.items() if len(heading.questions) == 1}
    by = shift(blocks, single, lab)
    if not by:
        return {}
    order = [question.id for question in lab.questions]
    meant = {place - by: question for place, question in enumerate(order)}
    found = {
        index: _Heading(tuple(filter(None, [meant.get(order.index(question))])), headings[index].end, is_end=True)
        for index, question in single.items()
    }
    further = neighbouring_number(blocks, {word for word, _ in labels}, single, before=by > 0)
    if further:
        found[further[0]] = _Heading((order[0] if by > 0 else order[-1],), further[1], is_end=True)
    return found


_CHAPTER: Final = re.compile(r"^[#*\s]*(\d{1,2})(?:\.\d+)*[.)]?\s+[^\W\d]")


def _by_chapter(blocks: Sequence[Block], headings: Mapping[int, _Heading]) -> dict[int, _Heading]:
    """Return the headings that end a chapter with a question's name, because the next number begins another chapter.

    For example, `2 Counting (question 1)` is followed by `3 Training`.
    """
    found, chapter = {}, None
    for index, block in enumerate(blocks):
        if block.kind is BlockKind.HEADING and (match := _CHAPTER.match(block.text)):
            number = int(match[1])
            if index not in headings and chapter is not None and number == chapter + 1:
                found[index] = _Heading((), is_end=True)
            chapter = number if index in headings or index in found or number == chapter else None
        elif index in headings:
            chapter = None
    return found


def _labels_apart(document: Document, pattern: re.Pattern[str]) -> Document:
    """Return the document with lines cut before at least three labels followed by colons: `Q1: 5890048. Q2: 22.65. Q3:
    …`."""
    cuts: dict[int, list[int]] = {}
    for index, block in enumerate(document.blocks):
        found = pattern.finditer(block.text.casefold()) if block.kind in _CUT else ()
        places = [match.start() for match in found if ":" in block.text[match.start() : match.end() + 2]]
        if _are_several(places):
            cuts[index] = [place for place in places if place]
    return _rebuilt(document, {}, cuts, {})[0] if cuts else document


_MARK: Final = re.compile(r"(?<![^\s*:])\(?([a-z])\)(?=[\s*:])")
_CUT: Final = (BlockKind.LINE, BlockKind.LIST_ITEM, BlockKind.HEADING)


def _parts_apart(
    document: Document, headings: Mapping[int, _Heading], labels: Mapping[tuple[str, str], str]
) -> tuple[Document, dict[int, _Heading]]:
    """Return the document with lines cut before the letters of parts, `(a) … (b) …`, and its headings.

    The letters stand under the heading of a question or of its first part, once each, in order, and followed by words.
    """
    cuts: dict[int, list[int]] = {}
    named: dict[tuple[int, int], _Heading] = {}
    for start, end in pairwise([*headings, len(document.blocks)]):
        keys = _keys(labels, headings[start].questions)
        parts = "".join(key[-1] for key in sorted(keys))
        further = _further_parts(keys, labels)
        marks = [
            (index, match)
            for index in range(start, end)
            if document.blocks[index].kind in _CUT
            for match in _MARK.finditer(document.blocks[index].text, headings.get(index, _Heading(())).end)
        ]
        letters = "".join(match[1] for _, match in marks)
        if letters == ("".join(further) or parts) and all(_has_words_behind(document.blocks[i], m) for i, m in marks):
            for index, match in marks:
                text = document.blocks[index].text
                at = match.start() if text[_end_of_word(document.blocks[index]) : match.start()].strip(" \t#*•-") else 0
                if at:
                    cuts.setdefault(index, []).append(at)
                if further:
                    named[index, at] = _Heading((further[match[1]],), len(text[at : match.end()]))
    return _rebuilt(document, headings, cuts, named) if cuts or named else (document, dict(headings))


def _rebuilt(
    document: Document,
    headings: Mapping[int, _Heading],
    cuts: Mapping[int, Sequence[int]],
    named: Mapping[tuple[int, int], _Heading],
) -> tuple[Document, dict[int, _Heading]]:
    """Return the document with blocks cut at some places, and its headings.

    `named` are headings of the pieces, by block and place.
    """
    blocks: list[Block] = []
    moved: dict[int, _Heading] = {}
    for index, block in enumerate(document.blocks):
        if index in headings:
            moved[len(blocks)] = headings[index]
        places = cuts.get(index, ())
        moved |= {
            len(blocks) + at: named[index, start] for at, start in enumerate([0, *places]) if (index, start) in named
        }
        blocks += _cut(block, places)
    return document.model_copy(update={"blocks": tuple(blocks)}), moved


def _further_parts(keys: Mapping[str, str], labels: Mapping[tuple[str, str], str]) -> dict[str, str]:
    """Return the letters of a question's other parts, with their questions, if only its first part is named."""
    first = next(iter(keys), "")
    if len(keys) != 1 or not first.endswith("a"):
        return {}
    parts = {key: text for key, text in _keys(labels, set(labels.values())).items() if key[:-1] == first[:-1]}
    return {key[-1]: parts[key] for key in sorted(parts) if key != first and key[-1].isalpha()}


def _has_words_behind(block: Block, mark: re.Match[str]) -> bool:
    """Whether more than a joining word follows a part's letter in its line."""
    following = _MARK.search(block.text, mark.end())
    between = block.text[mark.end() : following.start() if following else len(block.text)]
    return following is None or bool(re.search(r"\d|[A-Z]\b|[^\W\d_]{4}", between))


def _cut(block: Block, places: Sequence[int]) -> Iterator[Block]:
    """Yield the pieces of a block cut at some places, with the marks of their characters."""
    bounds = [0, *places, len(block.text)]
    for number, (start, end) in enumerate(pairwise(bounds) if places else ()):
        within = {
            name: tuple(
                entry.model_copy(update={"start": entry.start - start, "end": entry.end - start})
                for entry in several
                if start <= entry.start and entry.end <= end
            )
            for name, several in (("repairs", block.repairs), ("formulas", block.formulas))
        }
        kind = BlockKind.LINE if number and block.kind is BlockKind.HEADING else block.kind
        yield block.model_copy(update={**within, "text": block.text[start:end], "kind": kind})
    if not places:
        yield block


def _by_row(
    blocks: Sequence[Block],
    headings: Mapping[int, _Heading],
    pattern: re.Pattern[str],
    labels: Mapping[tuple[str, str], str],
    by_number: Mapping[int, _Heading],
) -> dict[int, _Heading]:
    """Return the questions of table rows that begin with labels, such as `Task 1` or `2b`.

    There must be at least two such rows and no question twice. After the table, the heading above it applies again.
    """
    found: dict[int, _Heading] = {}
    for is_row, group in groupby(range(len(blocks)), key=lambda index: blocks[index].kind is BlockKind.ROW):
        indices = list(group)
        *_, after = (), *(headings[index].questions for index in range(indices[0]) if index in headings)
        parts = {key[-1]: text for key, text in _keys(labels, after).items()}
        named = {
            index: by_number.get(index) or _row(blocks[index], pattern, labels, parts) for index in indices if is_row
        }
        row_headings = {index: heading for index, heading in named.items() if heading}
        every = [question for heading in row_headings.values() for question in heading.questions]
        is_headed = indices[0] not in row_headings and set(every) <= set(after)
        if is_headed and all(len([*filter(_FIGURE.fullmatch, blocks[index].cells)]) > 1 for index in row_headings):
            continue
        if len(row_headings) > 1 and _are_different(every):
            found |= row_headings | {indices[-1] + 1: _Heading(after, is_end=True)}
    return found


def _row(
    block: Block, pattern: re.Pattern[str], labels: Mapping[tuple[str, str], str], parts: Mapping[str, str]
) -> _Heading | None:
    """Return the questions in the first cell of a row: a label alone, or the letter of one of the `parts`; or None."""
    first = next(iter(block.cells), "").casefold().strip(" *:.")
    letter = first.strip("()")
    match = pattern.fullmatch(first)
    named = tuple(filter(None, dict.fromkeys(_questions(match, labels)))) if match else tuple(_bare(first, labels))
    named = named or ((parts[letter],) if letter in parts else ())
    before, label, _ = block.text.casefold().partition(first or " ")
    return _Heading(named, len(before + label)) if named and label else None


def _bare(text: str, labels: Mapping[tuple[str, str], str]) -> Iterator[str]:
    """Yield the question whose number and part a text consists of: `1a`, `2 (b)`."""
    key = _key(text) if re.fullmatch(_LETTERED, text) else ""
    questions = {
        candidate for (_, number), candidate in labels.items() if candidate and number == key and not key.isdecimal()
    }
    if key[:1].isdecimal() and len(questions) == 1:
        yield from questions


_FEWEST_NUMBERS: Final = 3
_FIGURE: Final = re.compile(r"\W*\d+(?:[.,]\d+)?\s?%?\W*")


def _are_several(labels: Collection[object]) -> bool:
    """Whether there are too many labels to be there by chance."""
    return len(labels) >= _FEWEST_NUMBERS


def _are_different(questions: Collection[str]) -> bool:
    """Whether no question is named twice."""
    return len(questions) == len(set(questions))


_PART: Final = re.compile(
    r"[#*\s•-]*(?P<number>\d+(?:\.\d+)*[.\s]?)?(?:\(?(?P<letter>[a-z])(?:\)|[.:](?=[\s*]|$)|(?<=\d[a-z])(?=\*|\s))|(?P<sub>\d+)[).:](?=[\s*]|$))"
    r"[\s*:]*"
)


def _by_part(
    blocks: Sequence[Block], headings: Mapping[int, _Heading], labels: Mapping[tuple[str, str], str]
) -> dict[int, _Heading]:
    """Return the questions of lines that begin with a part's letter or number: `(b)`, `1b)`, `2.`.

    They stand under the heading of several parts or under no heading. At least two must be known and ascending, so a
    list in an answer names none.
    """
    found: dict[int, _Heading] = {}
    covered: set[int] = set()
    for start, end in pairwise([*sorted(headings), len(blocks)]):
        if len(headings[start].questions) == 1:
            continue
        parts = _keys(labels, headings[start].questions)
        end = _end_of_level(blocks, start, end)
        lines = [line for index in range(start + 1, end) if (line := _part(blocks[index], index, parts, is_under=True))]
        lines = _in_small_letters(blocks, lines)
        covered |= set(range(start, end)) if headings[start].questions else set()
        if len(lines) > 1 and _rise([key for _, key, _ in lines]):
            found |= {index: _Heading((parts[key],), within) for index, key, within in lines}
        elif not lines:
            found |= _in_list(blocks, start, end, [parts[key] for key in sorted(parts)])
    parts = _keys(labels, set(labels.values()))
    rest = [index for index in range(len(blocks)) if index not in covered]
    lines = [line for index in rest if (line := _part(blocks[index], index, parts, is_under=False))]
    is_known = len(lines) > 1 and _are_different([key for _, key, _ in lines])
    return found | ({index: _Heading((parts[key],), within) for index, key, within in lines} if is_known else {})


def _end_of_level(blocks: Sequence[Block], start: int, end: int) -> int:
    """Return the first heading of the level of the one at `start`, or of a higher level, before `end`."""
    level = blocks[start].level if blocks[start].kind is BlockKind.HEADING else None
    ends = (
        index
        for index in range(start + 1, end)
        if level and blocks[index].kind is BlockKind.HEADING and (blocks[index].level or level + 1) <= level
    )
    return next(ends, end)


def _in_small_letters(blocks: Sequence[Block], lines: list[tuple[int, str, int]]) -> list[tuple[int, str, int]]:
    """Return the lines whose part is a small letter, if there are any. Capitals beside them are options: `A: yes`."""
    small = [line for line in lines if re.match(r"[^A-Z]*[a-z]", blocks[line[0]].text[: line[2]])]
    return small or lines


def _keys(labels: Mapping[tuple[str, str], str], questions: Collection[str]) -> dict[str, str]:
    """Return the questions among some that are parts, by number and letter."""
    return {key: text for (_, key), text in labels.items() if text and text in questions and not key.isdecimal()}


def _rise(numbers: Sequence[int] | Sequence[str]) -> bool:
    """Whether some numbers or parts are strictly ascending."""
    return list(numbers) == sorted({*numbers})


_NUMBER_OF_LIST: Final = re.compile(r"[#*\s]*(\d{1,2})[.)](?=\s)")


def _in_list(blocks: Sequence[Block], start: int, end: int, questions: Sequence[str]) -> dict[int, _Heading]:
    """Return the parts of a question by the numbers of a list directly below its heading with one item for each."""
    filled = [index for index in range(start + 1, end) if blocks[index].text.strip()]
    lines = {index: match for index in filled if (match := _NUMBER_OF_LIST.match(blocks[index].text))}
    numbers = [int(match[1]) for match in lines.values()]
    parts = list(dict.fromkeys(questions))
    if not parts[1:] or numbers != [number for number, _ in enumerate(parts, 1)] or filled[0] not in lines:
        return {}
    return {index: _Heading((text,), match.end()) for (index, match), text in zip(lines.items(), parts, strict=True)}


def _part(block: Block, index: int, parts: Mapping[str, str], *, is_under: bool) -> tuple[int, str, int] | None:
    """Return the part with which a line begins and the end of its label, or None."""
    if block.kind not in (BlockKind.HEADING, BlockKind.LINE, BlockKind.LIST_ITEM):
        return None
    text = block.text.casefold()
    start = _end_of_word(block)
    is_letter = block.kind is BlockKind.HEADING and re.fullmatch(r"[#*\s]*[a-z][\s*]*", text[start:])
    match = _PART.match(re.sub(r"([a-z])[\s*]*\Z", r"\1)", text[start:]) if is_letter else text[start:])
    if not match:
        return None
    letter = match["letter"] or f".{match['sub']}"
    key = f"{(match['number'] or '').strip(' .')}{letter}" if match["number"] else letter
    fits = [part for part in parts if (part == key if match["number"] else is_under and part.endswith(letter))]
    end = min(start + match.end(), len(block.text))
    return (index, fits[0], end) if len({parts[fit] for fit in fits}) == 1 else None


def _end_of_word(block: Block) -> int:
    """Return the end of the word before a part's letter at the beginning of a heading or line of its own, `Part (b)`,
    or 0."""
    word = lexicon.match(r"[#*\s]*<question_part|question_label>\.?\s*(?P<letter>\([a-z]\)|[a-z]\))", block.text)
    is_alone = word and (block.kind is BlockKind.HEADING or _stands_apart(block.text, word))
    return word.start("letter") if word and is_alone else 0


def _less_asked(blocks: Sequence[Block], lab: Lab, lines: int, label_end: int) -> BlankedBlocks:
    """Return blocks without copied questions, except the label, which ends in the block after some `lines`."""
    if not any(question.asks for question in lab.questions):
        return BlankedBlocks(tuple(blocks), has_list=False)
    return less_restated(blocks, lab, sum(len(block.text) + 1 for block in blocks[:lines]) + label_end)


def _section(document: Document, heading: _Heading | None, start: int, end: int, lab: Lab) -> Section:
    """Return the section of some blocks, the first of which may be a heading."""
    questions, label_end, is_end, _, lines, *_ = heading or _Heading((), is_end=True)
    given = document.blocks[start:end]
    remainder = _less_asked(given, lab, lines, label_end)
    passage = Passage(file=document.file, exact=document.exact, blocks=remainder.blocks)
    first, *further = passage.blocks
    label_end = _end_of_credit(first.text, label_end, lines)
    # Further words in a heading are its title, unless the section is empty otherwise and the title is another one.
    has_more = any(block.text.strip() for block in further)
    is_named = has_more or names_question(first.text[label_end:], questions, lab)
    is_title = label_end and not lines and is_named and _is_title(passage.blocks, label_end)
    lead = passage.offset_of(lines, len(first.text) if is_title else label_end)
    lead = min(lead, passage.end_of(lines))  # the sign after the label may be blank
    title = first.text if questions or not is_end else ""
    return Section(title=title, questions=questions, passage=passage, lead=lead, has_list=remainder.has_list)


def _is_title(blocks: Sequence[Block], label_end: int) -> bool:
    """Whether the text after a label is a title. A sentence that introduces a list or a table, or begins a paragraph,
    is not."""
    rest = blocks[0].text[label_end:].rstrip(" *")
    leads_on = rest.endswith(":") and len(rest.split()) > _LONG_TITLE
    is_next = len(blocks) > 1 and blocks[1].kind is BlockKind.LINE and blocks[1].page is not None
    goes_on = is_next and blocks[1].text[:1].islower() and len(rest.split()) > _LONG_TITLE
    words = rest.split()
    is_cut = is_next and len(words) > _LONG_TITLE and lexicon.fullmatch(_NO_END, words[-1])
    return blocks[0].kind is BlockKind.HEADING and not (leads_on or goes_on or is_cut or _SENTENCES.search(rest))


_NO_END: Final = "<function_word|article|is|has|in|of|and|or|because|condition>"
"""Words with which no title ends."""


_SENTENCES: Final = re.compile(r"[^\W\d_]{2}[.!?] +[^\W\d_a-z]\S* \S")
_LONG_TITLE: Final = 3
"""A longer text, in words, that ends with a colon is a sentence."""

_LABEL: Final = re.compile(r"(.*?)\s*(\d+(?:\.\d+)*[\s.]*(?:\(?[a-z]\)?)?|\([a-z]\)|(?<=\s)[a-z])")


@memoise
def _labels(lab: Lab) -> Mapping[tuple[str, str], str]:
    """Return the question's id for each (word, number), such as ("task", "3") or ("problem", "1a").

    A word may be shortened to its first letter, `T3`, if this means one question and the lab gives it no such label.
    """
    found: dict[tuple[str, str], str] = {}
    short: dict[tuple[str, str], set[str]] = {}
    for question in lab.questions:
        question_labels = [_LABEL.fullmatch(label.casefold()).groups() for label in question.labels]  # type: ignore[union-attr]
        found |= {(word.strip(), _key(number)): question.id for word, number in question_labels}
        for word, number in question_labels:
            short.setdefault((word[:1], _key(number)), set()).add(question.id)
    return _usual(found) | {key: next(iter(ids)) for key, ids in short.items() if len(ids) == 1} | found


def _with_misspelt(blocks: Iterable[Block], labels: Mapping[tuple[str, str], str]) -> Mapping[tuple[str, str], str]:
    """Return the labels, also with those long words that are nearly the word of a label where a numbered line begins:
    `Assignemnt 4`."""
    words = {word for word, _ in labels}
    begun = {match[1] for block in blocks if (match := _WORD_AND_NUMBER.match(block.text.casefold()))} - words
    meant = {other: word for other in begun if (word := _nearest_word(other, words))}
    further = {
        (other, number): question
        for other, word in meant.items()
        for (its, number), question in labels.items()
        if its == word
    }
    return {**further, **labels} if further else labels


def _nearest_word(misspelt: str, words: Iterable[str]) -> str:
    """Return the long word that another one nearly is, except its plural, or an empty text."""
    long = [word for word in words if len(word) >= _LONG_WORD <= len(misspelt)]
    found = get_close_matches(misspelt, long, 1, _ALIKE)
    return found[0] if found and misspelt.rstrip("s") != found[0] else ""


_WORD_AND_NUMBER: Final = re.compile(r"[\s#*_>•-]*([^\W\d_]+) ?\d")
_LONG_WORD: Final = 6
"""The fewest letters of a word that is recognised if it is misspelt."""
_ALIKE: Final = 0.85


def _usual(labels: Mapping[tuple[str, str], str]) -> dict[tuple[str, str], str]:
    """Return the questions that other usual words with a number name, if exactly one question has the number.

    A word that the lab uses itself may stand before a whole number that only one question has.
    """
    usual = frozenset(lexicon.words("question_label"))
    unused = usual - {word for word, _ in labels}
    found: dict[tuple[str, str], str] = {}
    for number in filter(re.compile(r"[\d.]*\d").match, dict.fromkeys(number for _, number in labels)):
        meant = _only_one_with(number, labels)
        found |= {(word, number): meant for word in (usual if meant and number.isdecimal() else unused)}
    return found


def _only_one_with(number: str, labels: Mapping[tuple[str, str], str]) -> str:
    """Return the only question with a number, or an empty text if there are several."""
    named = {question for (_, other), question in labels.items() if other == number}
    parts = {other for _, other in labels if other.startswith(number) and not other.isdecimal()}
    return min(named) if len(named) == 1 and not (number.isdecimal() and parts) else ""


def _key(number: str) -> str:
    """Return a question's number in one spelling: `1a` for `1 (a)`, `1.a` and `1, part (a)`."""
    return re.sub(r"part(?:ie)?|[^\d.a-z]|\.(?=[^\d]|$)", "", number)


def _number(labels: Mapping[tuple[str, str], str]) -> str:
    """Return a pattern for the numbers of questions, with parts if the lab has any."""
    return r"\d+\b" if all(number.isdecimal() for _, number in labels) else rf"(?:{_LETTERED})"


def _pattern(labels: Mapping[tuple[str, str], str]) -> re.Pattern[str]:
    """Return a pattern for a label and those that follow it: `task 3`, `tasks 3, 4 and 5`, `q1 & t1`."""
    single_label = rf"{_words(labels)}\s*{_number(labels)}(?!-\d+[.-]\d)"  # `Q2-1.8` is one number
    further = rf"\s*(?:,|&|and|et|/|{_TO})\s*(?:{_words(labels)}\s*)?{_number(labels)}"
    return re.compile(rf"(?<!\w){single_label}(?:{further})*")


_TO: Final = "-|–|to|à"
_AFTER_WORD: Final = r"s?\.?\s*(?:n[°o]\s*)?"


def _bare_words(labels: Mapping[tuple[str, str], str]) -> str:
    return "|".join(sorted({re.escape(word) for word, _ in labels if word}))


def _words(labels: Mapping[tuple[str, str], str]) -> str:
    return rf"(?:{_bare_words(labels)}){_AFTER_WORD}"


def _named(block: Block, pattern: re.Pattern[str], labels: Mapping[tuple[str, str], str]) -> _Heading | None:
    """Return the questions that a heading names; none for the heading of an appendix; None if it is no such heading."""
    text = _less_credit(block.text.casefold())
    if block.kind in (BlockKind.CODE, BlockKind.OUTPUT, BlockKind.ROW):
        return None
    if lexicon.match(r"[\W\d]*<references>\W*\Z", text):
        return _Heading(())
    lead = _LEAD.match(text)
    opening = pattern.match(text, lead.end() if lead else 0)
    if block.kind is not BlockKind.HEADING and not (opening and _stands_apart(text, opening)):
        return None
    matches = list(_in_a_row(text, pattern.finditer(text, opening.start() if opening else 0)))
    return _heading(text, matches, labels) if matches else None


def _heading(text: str, matches: Sequence[re.Match[str]], labels: Mapping[tuple[str, str], str]) -> _Heading | None:
    """Return the heading with some labels, or None if they name no question and no part of a question's number."""
    named = dict.fromkeys(question for match in matches for question in _questions(match, labels) if question)
    word, outer, above = _levels(text, matches, labels)
    heading = _Heading(tuple(named), matches[-1].end(), outer=outer, word=word, above=above)
    return heading if named or (outer and word) else None


def _levels(text: str, matches: Sequence[re.Match[str]], labels: Mapping[tuple[str, str], str]) -> tuple[str, str, str]:
    """Return the word and the outer number of a heading's lower label, and the label or chapter above it."""
    (word, outer), *others = (_outer(match, labels) for match in matches[:2])
    if outer and others and others[0][1] and others[0][0] != word:
        return (*others[0], f"{word} {outer}")
    before = text[: matches[0].start()]
    numbers = re.fullmatch(rf"[\W_]*(?:\d+\.)*(\d+)\.{outer}[\W_]*", before) if outer else None
    return word, outer, f" {numbers[1]}" if numbers else ""


_CREDIT: Final = r"\s*\d+(?:[.,]\d+)?\s?(?:%|<credit>)"
"""The points of a question."""


def _end_of_credit(text: str, label_end: int, lines: int) -> int:
    """Return the end of a label with the points behind it: `Part (b) - 3 pt`, `Question 2 (2 points):`."""
    match = lexicon.match(rf"\s*[(\[–—:,-]+{_CREDIT}[)\].:]*(?=\s|\Z)", text, label_end)
    return match.end() if match and label_end and not lines else label_end


def _less_credit(text: str) -> str:
    """Return a heading with its points blanked, which are no number of a question: `Part (a) - 2pt`, `(a), 5 %`."""
    for match in lexicon.find_all(rf"(?<=[^\w\s]){_CREDIT}", text):
        text = text[: match.start()] + " " * len(match.group()) + text[match.end() :]
    return text


def _outer(label: re.Match[str], labels: Mapping[tuple[str, str], str]) -> tuple[str, str]:
    """Return the word of a label, and its number if no question has it and it begins or ends the numbers of some: 2 for
    2.1 and 2.2, 3 for 2.3. There is no word before a longer number."""
    [(first, rest)] = re.findall(r"(\d+)((?:\.\d+)*(?:\W{0,2}[a-z]\b)?)", label.group())[:1] or [("", "")]
    numbers = [other.split(".") for _, other in labels]
    is_part = any(parts[1:] and first in (parts[0], "" if rest else parts[-1]) for parts in numbers)
    word = max((word for word, _ in labels if label.group().startswith(word)), key=len, default="")
    return "" if rest else word, first if is_part and [first] not in numbers else ""


def _titled(block: Block, titles: Mapping[str, str]) -> _Heading | None:
    """Return the question that a heading or separate line names by its title alone, or None."""
    if not titles or block.kind in (BlockKind.CODE, BlockKind.OUTPUT, BlockKind.ROW):
        return None
    lead = _LEAD.match(block.text)
    question = titles.get(_plain_title(block.text[lead.end() if lead else 0 :]))
    return _Heading((question,), len(block.text)) if question else None


def _plain_title(text: str) -> str:
    """Return the words of a title without markup and articles."""
    articles = lexicon.words("article")
    return " ".join(word for word in re.findall(r"\w+", text.casefold()) if word not in articles)


_MOST_BETWEEN: Final = 12
_SHORT_LINE: Final = 80
"""A line with at most this many characters is a title."""


def _in_a_row(text: str, labels: Iterable[re.Match[str]]) -> Iterator[re.Match[str]]:
    """Yield the labels at the beginning of a line, or all labels of a short line."""
    last = None
    for label in labels:
        between = text[last.end() : label.start()] if last else ""
        if len(text) > _SHORT_LINE and (len(between) > _MOST_BETWEEN or re.search(r"[.!?]\s", between)):
            return
        yield label
        last = label


def _stands_apart(text: str, label: re.Match[str]) -> bool:
    """Whether a label ends its line, or punctuation or words in brackets separate it from the following text."""
    rest = text[label.end() :].strip(" *")
    is_aside = re.fullmatch(r"\([^()]+\)[\s:.*]*", rest) is not None
    return not rest or rest[0] in ":.)-–—" or label.group().endswith(")") or is_aside


def _questions(match: re.Match[str], labels: Mapping[tuple[str, str], str]) -> Iterator[str]:
    """Yield the questions of a list of labels.

    A number without a word has the word before. The number of a question with parts names all of them, and `3 to 5`
    includes 4.
    """
    current, last, end = "", "", 0
    pattern = rf"(?:(?P<word>{_bare_words(labels)}){_AFTER_WORD})?(?P<number>{_number(labels)})"
    for label_match in re.finditer(pattern, match.group()):
        key, gap = _key(label_match["number"]), match.group()[end : label_match.start()]
        if re.fullmatch(rf"\s*(?:{_TO})\s*", gap) and last.isdecimal() and key.isdecimal() and (current, key) in labels:
            yield from (labels.get((current, str(number)), "") for number in range(int(last) + 1, int(key)))
        current, last, end = label_match["word"] or current, key, label_match.end()
        whole = key.rstrip("abcdefghijklmnopqrstuvwxyz")
        if labels.get((current, key)) == "":  # the word is common, and several questions have this number
            yield from (
                question
                for (_, number), question in labels.items()
                if question and re.fullmatch(rf"{re.escape(key)}[a-z]?", number)
            )
        elif (current, key) in labels:
            yield labels[current, key]
        elif (current, whole) in labels:
            yield labels[current, whole]
        else:
            yield from (
                question
                for (word, number), question in labels.items()
                if word == current and re.fullmatch(rf"{re.escape(key)}(?:[a-z]|\.\d.*)", number)
            )

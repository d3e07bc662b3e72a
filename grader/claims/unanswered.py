"""The parts of a notebook that nobody has answered, where the lab does not list the hand-out that it was begun from.

A hand-out of another edition speaks of all that it asks for: it orders, asks, addresses a reader, gives examples of a
format, and leaves tables, lines and code to be filled in. None of this is an answer. Single sentences do not tell who
wrote them, for students write orders and questions, too; so a question's part of a notebook is taken as a whole. It is
answered as soon as anything in it may be the student's: a figure that only an answer has, a definition, a judgement, a
filled table, a picture, words in a cell of their own, or words behind what is asked. Only a part without any of these
is the hand-out's, and of that nothing but its label is heard.
"""

import re
from collections.abc import Collection, Iterator, Sequence
from enum import Enum
from itertools import groupby
from typing import Final, NamedTuple

from grader.claims.definitions import definitions
from grader.claims.meaning import choice_tokens, comparison_tokens
from grader.claims.numerals import Numeral, numerals
from grader.claims.passage import Passage
from grader.claims.results.vocabulary import mentions
from grader.claims.sections import Section
from grader.claims.statements import speaks_of, statements
from grader.claims.voice import comment
from grader.frozen import remembered
from grader.lab.definition import Lab
from grader.language import lexicon
from grader.language.shapes import DIGIT
from grader.model.sentences import CHOICE, COMPARISON, NOTHING, topics
from grader.reading.document import Block, BlockKind

_LARGE: Final = 100_000
"""Numbers from here on are counts that somebody worked out; sizes of models and data that a hand-out gives are less."""
_FEW_WORDS: Final = 5
"""So few words behind what is asked may be all of an answer: `Yes, it helps.`"""
_LEAST_UNLIKELY: Final = 0.5
"""A sentence that says nothing of a matter with no more than this probability, for the model of that, speaks of it."""
_LABEL: Final = re.compile(r"([^:.?!\d]{1,40}):(?!/)\s*(.*)", re.DOTALL)
_BLANK: Final = re.compile(r"_{3,}|\.{3,}|…|\?{2,}")
_FIGURE_NEXT: Final = re.compile(r"(?<![.\s]\w)[.?!]\s+(?=\W{0,2}\d)")
_CALCULATED: Final = re.compile(r"\d\s?[×+^/]\s?\d|[≈±]\s?\d")
_NAME_OF_FILE: Final = re.compile(r"\S*[/\\_]\S*|--?[a-z]\S*")
_ORDER: Final = r"\A(?:\W*<order_opening>)*\W*(?!<no_order>)<task>|\A\W*<for_each>\W+\w+\W+<task>"
_ADDRESS: Final = (
    r"\A\W*<order_lead>[^:;.]{1,60}[,:]\W+(?:<order_opening>\W+)*(?!<no_order>)<task>|\A\W*<then>"
    r"|<duty>|<answer_form>"
)


class State(Enum):
    """Whether a part of a notebook holds an answer: something of the student's, words behind what is asked that speak
    of the matter, only what asks, or nothing that tells."""

    ANSWERED = "answered"
    MENTIONED = "mentioned"
    ASKED = "asked"
    UNCLEAR = "unclear"


class _Piece(NamedTuple):
    """A sentence, list item or row of a text cell; the label of the part is left out."""

    block: Block
    text: str


def states(cut: Sequence[Section], open_cells: Collection[int | None], lab: Lab) -> tuple[State, ...]:
    """The states of the parts of a notebook, in order; in `open_cells` a gap of its code is open."""
    following = (*(one.passage.blocks[0].cell for one in cut[1:]), None)
    return tuple(_state(one, cell, open_cells, lab) for one, cell in zip(cut, following, strict=True))


def _state(section: Section, following: int | None, open_cells: Collection[int | None], lab: Lab) -> State:
    """The state of a part before one that begins in the cell `following`. What no heading places answers only by what
    it says, and so do words that lead to the next part."""
    blocks = section.passage.blocks
    words = tuple(word for one in lab.questions if one.id in section.questions for word in one.words)
    if section.questions and any(_shows(block, lab) for block in blocks):
        return State.ANSWERED
    asked = [one for one in lab.questions if one.id in section.questions]
    may_define = not asked or any(item.check == "short-answer" for one in asked for item in one.items)
    found = set()
    for cell, group in groupby(_pieces(section), lambda one: one.block.cell):
        pieces = tuple(group)
        is_first = cell == blocks[0].cell
        # A chapter of the hand-out goes on to tell what to do; a cell with a heading of the student's does not.
        is_chapter = pieces[0].block.kind is BlockKind.HEADING and any(asks(one.text) for one in pieces)
        is_leading = not words or (not is_first and (cell == following or is_chapter))
        matter = () if is_leading else words
        found.add(_of_cell(pieces, matter, lab, is_first=is_first or is_leading, may_define=may_define))
        if not (is_first or is_leading) and _is_apart(pieces):
            found.add(State.MENTIONED)
    is_open = any(block.kind is BlockKind.CODE and block.cell in open_cells for block in blocks)
    if is_open and not found:
        return State.ASKED
    return next((one for one in State if one in found), State.UNCLEAR)


def _of_cell(
    pieces: Sequence[_Piece], words: Sequence[str], lab: Lab, *, is_first: bool, may_define: bool
) -> State:
    """The state of a cell of text. Words before what is asked lead to it; without `words` all do."""
    is_asked = is_given = is_mentioned = False
    is_behind = not is_first
    own: dict[bool, list[Block]] = {True: [], False: []}
    for number, piece in enumerate(pieces):
        text, kind = piece.text, piece.block.kind
        if _begins(pieces, number) and not is_given:
            is_given = lexicon.match(r"\W*<hint>\W*[.:]", text) is not None
        is_told = _reports(text, lab) or (words and _is_filled(pieces, number))
        if is_told or (words and not is_given and _judges(text, lab)):
            return State.ANSWERED
        if kind is BlockKind.HEADING:
            is_given = False
            is_mentioned = is_mentioned or (is_behind and speaks_of(text, words) is not None)
        elif kind is BlockKind.ROW or _is_place(text):
            is_asked = is_behind = True
        elif asks(text):
            if is_behind and not _orders(text):
                own[True].append(_block(text, piece))
            is_asked = is_behind = True
            is_given = _leads_to_examples(pieces, number)
        elif _leads_to_examples(pieces, number):
            is_given = True
        elif not (is_given or lexicon.match(r"\W*<for_example>", text)) and (said := _less_names(text, lab)):
            own[is_behind].append(_block(text, piece))
            ends = _asks_no_more(pieces, number)
            if is_behind and words and _may_answer(text, said, lab, is_last=ends):
                return State.ANSWERED
            is_open = speaks_of(said, words) is not None or (ends and not _is_of_tool(text)) or _chooses(text, lab)
            is_mentioned = is_mentioned or (is_behind and is_open)
    if may_define and any(_defines(some, lab, is_named=not (words and late)) for late, some in own.items()):
        return State.ANSWERED
    return State.MENTIONED if is_mentioned else State.ASKED if is_asked else State.UNCLEAR


def _block(text: str, piece: _Piece) -> Block:
    """A block of the words of a piece alone."""
    return piece.block.model_copy(update={"text": text, "formulas": (), "repairs": ()})


def _is_apart(pieces: Sequence[_Piece]) -> bool:
    """Whether a cell holds words below a question that lead to nothing and leave no place for an answer."""
    said = [one for one in pieces if one.block.kind is not BlockKind.ROW and not _is_place(one.text)]
    return bool(said) and said[0].block.kind is not BlockKind.HEADING and not lexicon.match(r"\W*<hint>\W*[.:]", said[0].text)


def _pieces(section: Section) -> Iterator[_Piece]:
    """What the text cells of a part say, in order, without its label."""
    passage = section.passage
    found: list[tuple[int, _Piece]] = []
    for one in statements(passage):
        start = max(one.start, section.lead)
        text = passage.text[start : one.end].strip(" \t\n*_>•:.-–")
        if any(map(str.isalnum, text)) or one.start >= section.lead:
            whole = passage.text[start : one.end].replace("\n", " ")
            found += [(start, _Piece(passage.block_at(one.start), piece)) for piece in _before_figures(whole)]
    for index, block in enumerate(passage.blocks):
        if block.kind is BlockKind.ROW or (block.kind is BlockKind.CODE and block.quoted):
            found.append((passage.offset_of(index), _Piece(block, block.text)))
    yield from (piece for _, piece in sorted(found, key=lambda one: one[0]))


def _before_figures(text: str) -> Iterator[str]:
    """A sentence cut where it ends before a figure: `How do they compare? 79.3 to 66.5`."""
    start = 0
    for pause in _FIGURE_NEXT.finditer(text):
        if text[: pause.start()].rpartition(" ")[2].lower().strip("(") not in lexicon.words("abbreviation"):
            yield text[start : pause.end()]
            start = pause.end()
    yield text[start:]


def _begins(pieces: Sequence[_Piece], number: int) -> bool:
    """Whether a piece begins a paragraph."""
    if number == 0:
        return True
    before, block = pieces[number - 1].block, pieces[number].block
    return before is not block and (block.line or 0) - (before.line or 0) > 1


def _leads_to_examples(pieces: Sequence[_Piece], number: int) -> bool:
    """Whether what follows a sentence are its examples."""
    return lexicon.search(r"<for_example>\W*\Z", pieces[number].text) is not None


def _asks_no_more(pieces: Sequence[_Piece], number: int) -> bool:
    """Whether the paragraph of a piece does not go on to ask."""
    for at in range(number + 1, len(pieces)):
        if _begins(pieces, at):
            return True
        if pieces[at].block.kind is BlockKind.ROW or _is_place(pieces[at].text) or asks(pieces[at].text):
            return False
    return True


def asks(text: str) -> bool:
    """Whether a sentence asks, orders, or tells a reader what to do."""
    label = _LABEL.fullmatch(text)
    if label and not lexicon.search(_ORDER, label[1]):
        text = label[2]  # `Your comparison: it helps` answers
    is_to_reader = lexicon.search("<reader>", text) and not lexicon.search("<reader_sees>", text)
    is_address = lexicon.search(_ADDRESS, text) and not lexicon.search("<author>", text)
    return bool(_orders(text) or is_to_reader or is_address)


def _orders(text: str) -> bool:
    return text.rstrip(" *_)").endswith("?") or lexicon.search(_ORDER, text) is not None


def _is_place(text: str) -> bool:
    """Whether a line is left to be filled in: `seeds: ____`."""
    label = _LABEL.fullmatch(text)
    rest = label[2] if label else text
    if not any(map(str.isalnum, rest)) or (lexicon.search("<answer_place>", text) and not DIGIT.search(text)):
        return True
    return _BLANK.search(rest) is not None and not DIGIT.search(rest) and len(rest.split()) <= _FEW_WORDS


def _is_filled(pieces: Sequence[_Piece], number: int) -> bool:
    """Whether a row says something beside its name; the first row of a table names the columns."""
    is_row = pieces[number].block.kind is BlockKind.ROW
    is_head = number == 0 or pieces[number - 1].block.kind is not BlockKind.ROW
    return is_row and not is_head and any(map(str.isalnum, "".join(pieces[number].block.cells[1:])))


def _less_names(text: str, lab: Lab) -> str:
    """A sentence without names of files, options and parameters; nothing where it only lists these."""
    label = _LABEL.fullmatch(text)
    names = {name for one in lab.parameters for name in one.names}
    said = [word for word in _NAME_OF_FILE.sub(" ", text).split() if word.strip(",.;:()•") not in names]
    listed = [word for word in label[2].split() if word.strip(",.;:()•") not in names] if label else said
    return " ".join(said) if any(map(str.isalnum, "".join(listed))) else ""


def _may_answer(text: str, said: str, lab: Lab, *, is_last: bool) -> bool:
    """Whether a sentence behind what is asked, `said` without names, may be an answer: few words that end a paragraph,
    words of agreement, or a number that is not said to be a setting."""
    is_short = is_last and len(said.split()) <= _FEW_WORDS
    is_own = lexicon.search(r"\A\W*<yes|no>|<agreement>|\bi\b|\bmy\b", said) is not None
    names = [name for one in lab.parameters for name in one.names]
    is_setting = lexicon.names(said, *_SETTINGS) and not (
        lexicon.names(said, "points", "difference") or any(re.search(rf"\b{re.escape(one)}\b", text) for one in names)
    )
    return is_short or is_own or (DIGIT.search(said) is not None and not is_setting)


_SETTINGS: Final = ("other_measure", "epoch", "step", "layer", "counted", "unit")


def _is_of_tool(text: str) -> bool:
    """Whether a sentence is about a program or a file: `The script wants lines of JSON`."""
    return lexicon.match(r"\W*(?:<the>\W+)?(?:\w+\W+)?<tool>", text) is not None


def _judges(text: str, lab: Lab) -> bool:
    """Whether a sentence says how something came out, or which of two experiments is better."""
    if lexicon.search("<asking|answer_form>", text) and asks(text):
        return False
    if lexicon.search("<judgement>", text) and not asks(text):
        return True
    tokens = comparison_tokens(text, mentions(text, lab), ("", ""), lab, lab.measured[0])
    return topics()[COMPARISON].read(tokens).probabilities[NOTHING] <= _LEAST_UNLIKELY


def _chooses(text: str, lab: Lab) -> bool:
    """Whether a sentence says how a checkpoint was chosen."""
    tokens = choice_tokens(text, mentions(text, lab), lab, lab.measured[0])
    return topics()[CHOICE].read(tokens).probabilities[NOTHING] <= _LEAST_UNLIKELY


def _defines(blocks: Sequence[Block], lab: Lab, *, is_named: bool) -> bool:
    """Whether some text defines a parameter, that it names where it has to."""
    passage = Passage(file="", exact=True, blocks=tuple(blocks))
    return bool(blocks) and any((one.named or not is_named) and one.text for one in definitions(passage, lab))


@remembered
def _reports(text: str, lab: Lab) -> bool:
    """Whether a text holds a figure that only an answer has: a large count, a calculation, or a result."""
    example = lexicon.search("<for_example>", text)
    text = text[: example.start()] if example else text
    if _CALCULATED.search(text):
        return True
    return any(one.value >= _LARGE or _is_result(text, one, lab) for one in numerals(text) if not _is_named(text, one))


def _is_named(text: str, number: Numeral) -> bool:
    """Whether a number is part of a name: `BLOOM-560m`."""
    return re.search(r"[^\W\d_]-?\Z", text[: number.start]) is not None


def _is_result(text: str, number: Numeral, lab: Lab) -> bool:
    """Whether a number may be a measured value: one with decimals or in percent, in the range of a measure."""
    is_exact = number.has_decimals or text[number.end : number.end + 2].strip().startswith("%")
    return is_exact and any(low <= number.value <= high for low, high in filter(None, (m.range for m in lab.measured)))


def _shows(block: Block, lab: Lab) -> bool:
    """Whether a block is a picture, or code or its output with a figure that answers and is said to do so."""
    if block.kind is BlockKind.FIGURE:
        return True
    if block.kind is BlockKind.OUTPUT:
        is_told = lexicon.search("<mean|deviation|accuracy|run|parameter>", block.text)
        return bool(is_told or not any(map(str.isalpha, block.text))) and _reports(block.text, lab)
    remark = comment(block.text) if block.kind is BlockKind.CODE and not block.quoted else None
    said = block.model_copy(update={"text": remark.lstrip("# "), "kind": BlockKind.LINE}) if remark else None
    return said is not None and (_reports(said.text, lab) or _judges(said.text, lab) or _defines([said], lab, is_named=True))


FEWEST_GAPS: Final = 3
"""A notebook with so many open gaps was begun from a hand-out."""


class Heard(NamedTuple):
    """The sections of a notebook less what only asks, and what that is. `is_blank`: nothing in it is answered."""

    sections: tuple[Section, ...]
    asked: tuple[Passage, ...] = ()
    is_blank: bool = False


def less_asked(cut: Sequence[Section], open_cells: Collection[int | None], lab: Lab) -> Heard:
    """The sections of a notebook that was begun from a hand-out, less what only asks. Where nothing at all is answered,
    neither is code heard as text, nor what nothing tells to be an answer."""
    found = states(cut, open_cells, lab)
    named = [one for section, one in zip(cut, found, strict=True) if section.questions]
    is_asking = 2 * named.count(State.ASKED) >= len(named) > 0
    is_blank = is_asking and State.ANSWERED not in found
    silent = {State.ASKED, State.UNCLEAR} if is_blank else {State.ASKED}
    heard: list[Section] = []
    asked: list[Passage] = []
    for section, one in zip(cut, found, strict=True):
        is_silent = one in silent if section.questions else is_asking and one is not State.ANSWERED
        heard.append(_label_of(section, open_cells, is_blank=is_blank) if is_silent else section)
        asked += [section.passage] if is_silent else []
    return Heard(tuple(one for one in heard if one.passage.blocks), tuple(asked), is_blank)


def _label_of(section: Section, open_cells: Collection[int | None], *, is_blank: bool) -> Section:
    """A section of which no words but its label are left, and of code none beside an open gap; in a blank notebook none
    at all."""
    passage = section.passage
    first, *further = passage.blocks
    kept = [one for one in further if not is_blank and (one.kind is BlockKind.HEADING or one.voice is not None)]
    kept = [one for one in kept if one.cell not in open_cells]
    if section.questions:
        end = next((at for at in range(len(first.text)) if passage.offset_of(0, at) >= section.lead), len(first.text))
        kept.insert(0, first.model_copy(update={"text": first.text[:end], "formulas": (), "repairs": ()}))
    return section.model_copy(update={"passage": passage.of_blocks(kept)})

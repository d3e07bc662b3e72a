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
from itertools import groupby, takewhile
from typing import Final, NamedTuple

from grader.claims.code.syntax import MARK
from grader.claims.definitions import definitions
from grader.claims.meaning import choice_tokens, comparison_tokens
from grader.claims.numerals import Numeral, numerals
from grader.claims.passage import Passage
from grader.claims.results.vocabulary import mentions
from grader.claims.sections import Section
from grader.claims.statements import mention, speaks_of, statements
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
_BOX: Final = re.compile(r"\W*\[[ x]\]")
_FIGURE_NEXT: Final = re.compile(r"(?<![.\s]\w)[.?!]\s+(?=\W{0,2}\d)")
_CALCULATED: Final = re.compile(r"\d\s?[×+^/]\s?\d|[≈±]\s?\d")
_NAME_OF_FILE: Final = re.compile(r"(?<!\S)(?:[^\s=]*[/\\_][^\s=]*|--?[a-z][^\s=]*)(?!\S)")
_ORDER: Final = r"\A(?:\W*<order_opening>)*\W*(?!<no_order>)<task>|\A\W*<for_each>\W+\w+\W+<task>"
_ADDRESS: Final = (
    r"\A\W*<order_lead>[^:;.]{1,60}[,:]\W+(?:<order_opening>\W+)*(?!<no_order>)<task>|\A\W*<then>"
    r"|<duty>|<answer_form>"
)


_HINT: Final = r"\W*<hint>\W*[.:]"
_TOOL: Final = r"\W*(?:<order_opening>\W+)*(?:<the>\W+)?(?:\w+\W+)?<tool>"
_SETTINGS: Final = ("other_measure", "epoch", "step", "layer", "counted", "unit")


class State(Enum):
    """Whether a part of a notebook holds an answer: something of the student's, words behind what is asked that speak
    of the matter, only what asks, or nothing that tells."""

    ANSWERED = "answered"
    MENTIONED = "mentioned"
    ASKED = "asked"
    UNCLEAR = "unclear"


class _Kind(Enum):
    """What a piece of a text cell is: a title, a place to be filled in, what asks, what the hand-out adds to that
    (hints, settings, examples, lists of names), or other words."""

    TITLE = "title"
    PLACE = "place"
    ASKS = "asks"
    GIVEN = "given"
    WORDS = "words"


class _Piece(NamedTuple):
    """A sentence, list item or row of a text cell; the label of the part is left out."""

    block: Block
    text: str
    kind: _Kind = _Kind.WORDS
    begins: bool = False


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
    cells = [
        tuple(_with_kinds(tuple(group), lab)) for _, group in groupby(_pieces(section), lambda one: one.block.cell)
    ]
    places = [number for number, pieces in enumerate(cells) if any(one.kind is _Kind.PLACE for one in pieces)]
    for number, pieces in enumerate(cells):
        cell = pieces[0].block.cell
        is_first = cell == blocks[0].cell
        # A chapter of the hand-out goes on to tell what to do; a cell with a heading of the student's does not.
        is_chapter = pieces[0].block.kind is BlockKind.HEADING and any(asks(one.text) for one in pieces)
        is_leading = not words or (not is_first and (cell == following or is_chapter))
        matter = () if is_leading else words
        state = _of_cell(pieces, matter, lab, is_first=is_first or is_leading, may_define=may_define)
        # Above a place that is still empty, words that do not speak of the matter lead to it.
        is_led = state is State.MENTIONED and is_first and any(place > number for place in places)
        is_open = any(one.kind is not _Kind.ASKS and _speaks(one, words, lab) for one in pieces)
        found.add(State.ASKED if is_led and not is_open else state)
        if not (is_first or is_leading) and _is_apart(pieces):
            found.add(State.MENTIONED)
    is_open = any(block.kind is BlockKind.CODE and block.cell in open_cells for block in blocks)
    if is_open and not found:
        return State.ASKED
    return next((one for one in State if one in found), State.UNCLEAR)


def _of_cell(pieces: Sequence[_Piece], words: Sequence[str], lab: Lab, *, is_first: bool, may_define: bool) -> State:
    """The state of a cell of text. Words before what is asked lead to it; without `words` all do."""
    asking = [at for at, one in enumerate(pieces) if one.kind in (_Kind.PLACE, _Kind.ASKS)]
    late = (asking[0] if asking else len(pieces)) if is_first else -1
    is_told = any(_reports(one.text, lab, is_answer=bool(words)) for one in pieces)
    if is_told or (words and any(_tells(pieces, at, lab, is_late=at > late) for at in range(len(pieces)))):
        return State.ANSWERED
    said = [at for at, one in enumerate(pieces) if one.kind is _Kind.WORDS]
    ordered = [at for at in asking if pieces[at].kind is _Kind.ASKS and "?" not in pieces[at].text]
    before = [pieces[at] for at in said if at <= late]
    behind = [pieces[at] for at in sorted((*said, *ordered)) if at > late and _less_names(pieces[at].text, lab)]
    if may_define and (_defines(before, lab, is_named=True) or _defines(behind, lab, is_named=not words)):
        return State.ANSWERED
    if any(_mentions(pieces, at, words, lab) for at in range(late + 1, len(pieces))):
        return State.MENTIONED
    return State.ASKED if asking else State.UNCLEAR


def _with_kinds(cell: Sequence[_Piece], lab: Lab) -> Iterator[_Piece]:
    """The pieces of a cell with what they are."""
    is_given = False
    for piece in cell:
        text, kind = piece.text, _Kind.WORDS
        leads = lexicon.search(r"<for_example>\W*\Z", text) is not None
        if piece.begins and not is_given:
            is_given = lexicon.match(_HINT, text) is not None
        if piece.block.kind is BlockKind.HEADING:
            kind, is_given = _Kind.TITLE, False
        elif piece.block.kind is BlockKind.ROW or _is_place(text):
            kind = _Kind.PLACE
        elif asks(text):
            kind, is_given = _Kind.ASKS, leads
        elif is_given or leads or lexicon.match(r"\W*<for_example>", text) or not _less_names(text, lab):
            kind, is_given = _Kind.GIVEN, is_given or leads
        yield piece._replace(kind=kind)


def _tells(pieces: Sequence[_Piece], at: int, lab: Lab, *, is_late: bool) -> bool:
    """Whether a piece says what only an answer says, or may be one where it stands behind what is asked."""
    piece = pieces[at]
    if piece.block.kind is BlockKind.ROW:  # the first row of a table names the columns
        is_head = at == 0 or pieces[at - 1].block.kind is not BlockKind.ROW
        return not is_head and any(map(str.isalnum, "".join(piece.block.cells[1:])))
    if piece.kind is _Kind.WORDS and is_late and _may_answer(piece.text, lab, is_last=_asks_no_more(pieces, at)):
        return True
    return piece.kind is not _Kind.GIVEN and _judges(piece.text, lab)


def _mentions(pieces: Sequence[_Piece], at: int, words: Sequence[str], lab: Lab) -> bool:
    """Whether a piece behind what is asked speaks of the matter, or ends what is asked with words of another kind."""
    piece = pieces[at]
    if piece.kind not in (_Kind.TITLE, _Kind.WORDS):
        return False
    ends = piece.kind is _Kind.WORDS and _asks_no_more(pieces, at) and not lexicon.match(_TOOL, piece.text)
    return ends or _speaks(piece, words, lab)


def _speaks(piece: _Piece, words: Sequence[str], lab: Lab) -> bool:
    """Whether words or a title speak of the matter of the question, or say how a checkpoint was chosen."""
    if speaks_of(_less_names(piece.text, lab), words):
        return piece.kind in (_Kind.TITLE, _Kind.WORDS)
    return piece.kind is _Kind.WORDS and _chooses(piece.text, lab)


def _asks_no_more(pieces: Sequence[_Piece], at: int) -> bool:
    """Whether the paragraph of a piece does not go on to ask."""
    rest = takewhile(lambda one: not one.begins, pieces[at + 1 :])
    return not any(one.kind in (_Kind.PLACE, _Kind.ASKS) for one in rest)


def _is_apart(pieces: Sequence[_Piece]) -> bool:
    """Whether a cell holds words below a question that lead to nothing and leave no place for an answer."""
    said = [one for one in pieces if one.kind is not _Kind.PLACE]
    return bool(said) and said[0].block.kind is not BlockKind.HEADING and not lexicon.match(_HINT, said[0].text)


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
    before: Block | None = None
    for _, piece in sorted(found, key=lambda one: one[0]):
        block = piece.block
        follows = before is not None and before.cell == block.cell and (block.line or 0) - (before.line or 0) <= 1
        yield piece._replace(begins=not follows)
        before = block


def _before_figures(text: str) -> Iterator[str]:
    """A sentence cut where it ends before a figure: `How do they compare? 79.3 to 66.5`."""
    start = 0
    for pause in _FIGURE_NEXT.finditer(text):
        if text[: pause.start()].rpartition(" ")[2].lower().strip("(") not in lexicon.words("abbreviation"):
            yield text[start : pause.end()]
            start = pause.end()
    yield text[start:]


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
    if not any(map(str.isalnum, rest)) or _BOX.match(text):
        return True
    is_short = len(rest.split()) <= _FEW_WORDS and not DIGIT.search(rest)
    is_marked = lexicon.search("<answer_place>", text) and not DIGIT.search(text)
    return bool(is_marked or (is_short and (_BLANK.search(rest) or MARK.search(rest))))


def _less_names(text: str, lab: Lab) -> str:
    """A sentence without names of files, options and parameters; nothing where it only lists these."""
    label = _LABEL.fullmatch(text)
    names = {name for one in lab.parameters for name in one.names}
    said = [word for word in _NAME_OF_FILE.sub(" ", text).split() if word.strip(",.;:()•") not in names]
    listed = [word for word in label[2].split() if word.strip(",.;:()•") not in names] if label else said
    return " ".join(said) if any(map(str.isalnum, "".join(listed))) else ""


def _may_answer(text: str, lab: Lab, *, is_last: bool) -> bool:
    """Whether a sentence behind what is asked may be an answer: few words that end a paragraph, words of agreement, or
    a number that is not said to be a setting."""
    said = _less_names(text, lab)
    is_short = is_last and len(said.split()) <= _FEW_WORDS
    is_own = lexicon.search(r"\A\W*<yes|no>|<agreement>|\bi\b|\bmy\b", said) is not None
    names = [name for one in lab.parameters for name in one.names]
    is_value = lexicon.names(said, "points", "difference") or mention(text, names, 0) is not None
    return is_short or is_own or (bool(DIGIT.search(said)) and (is_value or not lexicon.names(said, *_SETTINGS)))


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


def _defines(pieces: Sequence[_Piece], lab: Lab, *, is_named: bool) -> bool:
    """Whether some text defines a parameter, that it names where it has to."""
    plain = ({"text": one.text, "formulas": (), "repairs": ()} for one in pieces)
    blocks = tuple(one.block.model_copy(update=less) for one, less in zip(pieces, plain, strict=True))
    passage = Passage(file="", exact=True, blocks=blocks)
    return bool(blocks) and any((one.named or not is_named) and one.text for one in definitions(passage, lab))


@remembered
def _reports(text: str, lab: Lab, *, is_answer: bool = True) -> bool:
    """Whether a text holds a figure that only an answer has: a calculation, a result, or a large count where it may be
    an answer; what leads to a question gives the sizes of models."""
    example = lexicon.search("<for_example>", text)
    text = text[: example.start()] if example else text
    if _CALCULATED.search(text):
        return True
    own = [one for one in numerals(text) if not _is_named(text, one)]
    return any((is_answer and one.value >= _LARGE) or _is_result(text, one, lab) for one in own)


def _is_named(text: str, number: Numeral) -> bool:
    """Whether a number is part of a name: `BLOOM-560m`."""
    return re.search(r"[^\W\d_]-?\Z", text[: number.start]) is not None


def _is_result(text: str, number: Numeral, lab: Lab) -> bool:
    """Whether a number may be a measured value: one with decimals or in percent, in the range of a measure."""
    is_exact = number.has_decimals or text[number.end : number.end + 2].strip().startswith("%")
    ranges = [one.range for one in lab.measured]
    return is_exact and any(one is None or one[0] <= number.value <= one[1] for one in ranges)


def _shows(block: Block, lab: Lab) -> bool:
    """Whether a block is a picture, or code or its output with a figure that answers and is said to do so."""
    if block.kind is BlockKind.OUTPUT:
        named = lexicon.any_word(word for one in lab.measured for word in one.words)
        is_told = lexicon.search(f"<mean|deviation|run|parameter>|{named}", block.text)
        return bool(is_told or not any(map(str.isalpha, block.text))) and _reports(block.text, lab)
    remark = comment(block.text) if block.kind is BlockKind.CODE and not block.quoted else None
    if remark is None:
        return block.kind is BlockKind.FIGURE
    said = _Piece(block.model_copy(update={"kind": BlockKind.LINE}), remark.lstrip("# "))
    return _reports(said.text, lab) or _judges(said.text, lab) or _defines([said], lab, is_named=True)


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

"""Find the parts of a notebook that nobody has answered, if the lab does not list its handout.

A handout mentions everything that it asks for: it orders, asks, addresses a reader, gives examples, and leaves tables,
lines and code to be filled in. Students write such sentences, too, so each question's part of a notebook is judged as a
whole. It is answered if anything in it may be the student's: a number that only an answer has, a definition, a
judgement, a completed table, a picture, text in a separate cell, or text after the question. Of the other parts, only
the label is kept.
"""

import re
from collections.abc import Collection, Iterator, Sequence
from enum import Enum
from itertools import groupby, takewhile
from typing import Final, NamedTuple

from grader.claims.asking import asks, split_label
from grader.claims.code.syntax import MARK
from grader.claims.definitions import definitions
from grader.claims.meaning import choice_tokens, comparison_tokens
from grader.claims.numerals import Numeral, numerals
from grader.claims.passage import Passage
from grader.claims.results.vocabulary import mentions
from grader.claims.sections import Section
from grader.claims.statements import mention, speaks_of, statements
from grader.claims.voice import comment
from grader.frozen import memoise
from grader.lab.definition import Lab
from grader.language import lexicon
from grader.language.shapes import DIGIT
from grader.model.sentences import CHOICE, COMPARISON, NOTHING, topics
from grader.reading.document import Block, BlockKind

_LARGE: Final = 100_000
"""Numbers of at least this size are computed counts. The sizes of models and data in a handout are smaller."""
_FEW_WORDS: Final = 5
"""A text with at most this many words after the question may be the whole answer: `Yes, it helps.`"""
_LEAST_UNLIKELY: Final = 0.5
"""A sentence is about a subject if the model's probability that it is not is at most this."""
_BLANKS: Final = ("___", "...", "…", "??")
_CALCULATED: Final = re.compile(r"\d\s?[×+^/]\s?\d|[≈±]\s?\d")
_HINT: Final = r"\W*<hint>\W*[.:]"
_TOOL: Final = r"\W*(?:<order_opening>\W+)*(?:<the>\W+)?(?:\w+\W+)?<tool>"
_SETTINGS: Final = ("other_measure", "epoch", "step", "layer", "counted", "unit")


class State(Enum):
    """Whether a part of a notebook contains an answer, text about the subject after the question, only the question, or
    nothing that decides it."""

    ANSWERED = "answered"
    MENTIONED = "mentioned"
    ASKED = "asked"
    UNCLEAR = "unclear"


class _Kind(Enum):
    """The kind of a piece of text: a title, a place to fill in, a question, an addition to it such as a hint or an
    example, or other text."""

    TITLE = "title"
    PLACE = "place"
    ASKS = "asks"
    GIVEN = "given"
    WORDS = "words"


class _Piece(NamedTuple):
    """A sentence, list item or row of a text cell, without the label of its part."""

    block: Block
    text: str
    kind: _Kind = _Kind.WORDS
    begins: bool = False


def states(cut: Sequence[Section], open_cells: Collection[int | None], lab: Lab) -> tuple[State, ...]:
    """Return the states of the parts of a notebook, in order. `open_cells` are those with an open gap in their code."""
    following = (*(section.passage.blocks[0].cell for section in cut[1:]), None)
    return tuple(_state(section, cell, open_cells, lab) for section, cell in zip(cut, following, strict=True))


def _state(section: Section, following: int | None, open_cells: Collection[int | None], lab: Lab) -> State:
    """Return the state of a part before one that begins in the cell `following`."""
    blocks = section.passage.blocks
    words, may_define = _matter(section, lab)
    if section.questions and any(_shows(block, lab) for block in blocks):
        return State.ANSWERED
    found = {_of_cell(cell, lab, may_define=may_define) for cell in _cells(section, words, following, lab)}
    if not found and any(block.kind is BlockKind.CODE and block.cell in open_cells for block in blocks):
        return State.ASKED
    return next((state for state in State if state in found), State.UNCLEAR)


def _matter(section: Section, lab: Lab) -> tuple[tuple[str, ...], bool]:
    """Return the words of a part's questions, and whether it may contain definitions."""
    asked = [question for question in lab.questions if question.id in section.questions]
    checks = {item.check for question in asked for item in question.items}
    return tuple(word for question in asked for word in question.words), not asked or "short-answer" in checks


class _Cell(NamedTuple):
    """A text cell in a part.

    `words` are those of its subject; none if it introduces the following text. `is_first`: words before the question
    introduce it. `is_led`: a place below it is still empty.
    """

    pieces: tuple[_Piece, ...]
    words: tuple[str, ...]
    is_first: bool
    is_led: bool = False

    @property
    def asking(self) -> list[int]:
        """The positions of the pieces that ask or are to be filled in."""
        return [at for at, piece in enumerate(self.pieces) if piece.kind in (_Kind.PLACE, _Kind.ASKS)]

    @property
    def late(self) -> int:
        """The position from which pieces stand after the question."""
        return next(iter(self.asking), len(self.pieces)) + 1 if self.is_first else 0

    @property
    def is_apart(self) -> bool:
        """Whether it has text below a question that introduces nothing and leaves no place for an answer."""
        pieces = [piece for piece in self.pieces if piece.kind is not _Kind.PLACE]
        is_own = bool(pieces) and not self.is_first and pieces[0].kind is not _Kind.TITLE
        return is_own and not lexicon.match(_HINT, pieces[0].text)


def _cells(section: Section, words: tuple[str, ...], following: int | None, lab: Lab) -> Iterator[_Cell]:
    """Yield the text cells of a part.

    A cell at which the next part begins, or a chapter that asks something, gets no `words`: only its content can make
    it an answer.
    """
    groups = [
        tuple(_with_kinds(tuple(group), lab)) for _, group in groupby(_pieces(section), lambda piece: piece.block.cell)
    ]
    for number, pieces in enumerate(groups):
        cell, kinds = pieces[0].block.cell, {piece.kind for piece in pieces}
        is_first = cell == section.passage.blocks[0].cell
        is_chapter = pieces[0].kind is _Kind.TITLE and _Kind.ASKS in kinds
        if not is_first and (cell == following or is_chapter):
            yield _Cell(pieces, (), is_first=True)
        else:
            is_led = any(process.kind is _Kind.PLACE for below in groups[number + 1 :] for process in below)
            yield _Cell(pieces, words, is_first or not words, is_first and is_led)


def _of_cell(cell: _Cell, lab: Lab, *, may_define: bool) -> State:
    """Return the state of a text cell."""
    if _is_told(cell, lab) or (may_define and _is_defining(cell, lab)):
        return State.ANSWERED
    behind = [at for at in range(cell.late, len(cell.pieces)) if _mentions(cell, at, lab)]
    # Above an answer field that is still empty, a text that does not name the subject introduces the field.
    if cell.is_apart or any(not cell.is_led or _speaks(cell.pieces[at], cell.words, lab) for at in behind):
        return State.MENTIONED
    return State.ASKED if cell.asking else State.UNCLEAR


def _is_told(cell: _Cell, lab: Lab) -> bool:
    """Whether a cell contains something that only an answer contains."""
    if any(_reports(piece.text, lab, is_answer=bool(cell.words)) for piece in cell.pieces):
        return True
    return bool(cell.words) and any(_tells(cell, at, lab) for at in range(len(cell.pieces)))


def _is_defining(cell: _Cell, lab: Lab) -> bool:
    """Whether a cell defines a parameter, by name or after the question."""
    are_words = [piece.kind is _Kind.WORDS for piece in cell.pieces]
    before = [piece for piece, is_said in zip(cell.pieces[: cell.late], are_words, strict=False) if is_said]
    orders = (piece for piece in cell.pieces[cell.late :] if piece.kind is _Kind.WORDS or _is_order(piece))
    behind = [order for order in orders if _less_names(order.text, lab)]
    return _defines(before, lab, is_named=True) or _defines(behind, lab, is_named=not cell.words)


def _is_order(piece: _Piece) -> bool:
    return piece.kind is _Kind.ASKS and "?" not in piece.text


def _with_kinds(cell: Sequence[_Piece], lab: Lab) -> Iterator[_Piece]:
    """Yield the pieces of a cell with their kinds."""
    is_given = False
    for piece in cell:
        if piece.begins and not is_given:
            is_given = lexicon.match(_HINT, piece.text) is not None
        kind = _kind_of(piece, lab)
        if kind in (_Kind.TITLE, _Kind.ASKS):
            is_given = False
        yield piece._replace(kind=_Kind.GIVEN if is_given and kind is _Kind.WORDS else kind)
        # The pieces after a sentence that ends in `for example` are its examples.
        is_given = is_given or lexicon.search(r"<for_example>\W*\Z", piece.text) is not None


def _kind_of(piece: _Piece, lab: Lab) -> _Kind:
    """Return the kind of a piece without its context."""
    if piece.block.kind is BlockKind.HEADING:
        return _Kind.TITLE
    if piece.block.kind is BlockKind.ROW or _is_place(piece.text):
        return _Kind.PLACE
    if asks(piece.text):
        return _Kind.ASKS
    is_example = lexicon.search(r"\A\W*<for_example>|<for_example>\W*\Z", piece.text)
    return _Kind.GIVEN if is_example or not _less_names(piece.text, lab) else _Kind.WORDS


def _tells(cell: _Cell, at: int, lab: Lab) -> bool:
    """Whether a piece contains something that only an answer contains, or may be an answer after the question."""
    piece = cell.pieces[at]
    if piece.block.kind is BlockKind.ROW:  # the first row of a table names the columns
        is_head = at == 0 or cell.pieces[at - 1].block.kind is not BlockKind.ROW
        return not is_head and any(map(str.isalnum, "".join(piece.block.cells[1:])))
    if piece.kind is _Kind.WORDS and at >= cell.late and _may_answer(piece.text, lab, is_last=_asks_no_more(cell, at)):
        return True
    return piece.kind is not _Kind.GIVEN and _judges(piece.text, lab)


def _mentions(cell: _Cell, at: int, lab: Lab) -> bool:
    """Whether a piece after the question mentions the subject, or ends the question with other text."""
    piece = cell.pieces[at]
    ends = piece.kind is _Kind.WORDS and _asks_no_more(cell, at) and not lexicon.match(_TOOL, piece.text)
    return ends or _speaks(piece, cell.words, lab)


def _speaks(piece: _Piece, words: Sequence[str], lab: Lab) -> bool:
    """Whether text or a title mentions the question's subject, or says how a checkpoint was chosen."""
    if speaks_of(_less_names(piece.text, lab), words):
        return piece.kind in (_Kind.TITLE, _Kind.WORDS)
    return piece.kind is _Kind.WORDS and _chooses(piece.text, lab)


def _asks_no_more(cell: _Cell, at: int) -> bool:
    """Whether the paragraph of a piece asks nothing further."""
    rest = takewhile(lambda piece: not piece.begins, cell.pieces[at + 1 :])
    return not any(piece.kind in (_Kind.PLACE, _Kind.ASKS) for piece in rest)


def _pieces(section: Section) -> Iterator[_Piece]:
    """Yield the pieces of a part's text cells, in order, without its label."""
    before: Block | None = None
    for _, block, text in sorted(_said(section), key=lambda entry: entry[0]):
        follows = before is not None and before.cell == block.cell and (block.line or 0) - (before.line or 0) <= 1
        yield _Piece(block, text, begins=not follows)
        before = block


def _said(section: Section) -> Iterator[tuple[int, Block, str]]:
    """Yield the sentences, rows and listings of a part, each with its offset and its block."""
    passage = section.passage
    for statement in statements(passage):
        start = max(statement.start, section.lead)
        text = passage.text[start : statement.end].replace("\n", " ")
        if statement.start >= section.lead or any(map(str.isalnum, text)):
            yield from ((start, passage.block_at(statement.start), piece) for piece in _before_figures(text))
    for index, block in enumerate(passage.blocks):
        if block.kind is BlockKind.ROW or (block.kind is BlockKind.CODE and block.quoted):
            yield passage.offset_of(index), block, block.text


def _before_figures(text: str) -> Iterator[str]:
    """Yield the parts of a sentence divided before a number: `How do they compare? 79.3 to 66.5`."""
    piece: list[str] = []
    for word in text.split():
        ended = piece[-1] if piece else ""
        is_end = ended.endswith((".", "?", "!")) and len(ended) > len("1.") and "." not in ended[:-1]
        if is_end and DIGIT.match(word.lstrip("(-≈~")) and ended[:-1].lower() not in lexicon.words("abbreviation"):
            yield " ".join(piece)
            piece = []
        piece.append(word)
    yield " ".join(piece)


def _is_place(text: str) -> bool:
    """Whether a line is left to be filled in: `seeds: ____`."""
    _, rest = split_label(text)
    if not any(map(str.isalnum, rest)) or text.lstrip(" -•*").startswith(("[ ]", "[x]")):
        return True
    if DIGIT.search(rest):
        return False
    is_marked = any(sign in rest for sign in _BLANKS) or MARK.search(rest)
    return lexicon.search("<answer_place>", text) is not None or (bool(is_marked) and len(rest.split()) <= _FEW_WORDS)


def _less_names(text: str, lab: Lab) -> str:
    """Return a sentence without names of files, options and parameters, or nothing if it only lists these."""
    names = {name for parameter in lab.parameters for name in parameter.names}

    def is_told(word: str) -> bool:
        is_of_file = "=" not in word and (any(sign in word for sign in "/\\_") or word.startswith("--"))
        return not is_of_file and word.strip(",.;:()•") not in names

    listed = filter(is_told, split_label(text)[1].split())
    return " ".join(filter(is_told, text.split())) if any(map(str.isalnum, "".join(listed))) else ""


def _may_answer(text: str, lab: Lab, *, is_last: bool) -> bool:
    """Whether a sentence after the question may be an answer: few words at the end of a paragraph, agreement, or a
    number that is no setting."""
    plain_text = _less_names(text, lab)
    is_short = is_last and len(plain_text.split()) <= _FEW_WORDS
    is_own = lexicon.search(r"\A\W*<yes|no>|<agreement>|\bi\b|\bmy\b", plain_text) is not None
    names = [name for parameter in lab.parameters for name in parameter.names]
    is_value = lexicon.names(plain_text, "points", "difference") or mention(text, names, 0) is not None
    return (
        is_short
        or is_own
        or (bool(DIGIT.search(plain_text)) and (is_value or not lexicon.names(plain_text, *_SETTINGS)))
    )


def _judges(text: str, lab: Lab) -> bool:
    """Whether a sentence describes an outcome, or says which of two experiments is better."""
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
    """Whether some text defines a parameter; with `is_named`, it must name the parameter."""
    plain = ({"text": piece.text, "formulas": (), "repairs": ()} for piece in pieces)
    blocks = tuple(piece.block.model_copy(update=less) for piece, less in zip(pieces, plain, strict=True))
    passage = Passage(file="", exact=True, blocks=blocks)
    return bool(blocks) and any(
        (definition.named or not is_named) and definition.text for definition in definitions(passage, lab)
    )


@memoise
def _reports(text: str, lab: Lab, *, is_answer: bool = True) -> bool:
    """Whether a text contains a number that only an answer contains: a calculation, a result, or a large count in an
    answer.

    Text that introduces a question may give the sizes of models.
    """
    example = lexicon.search("<for_example>", text)
    text = text[: example.start()] if example else text
    if _CALCULATED.search(text):
        return True
    own_numbers = [numeral for numeral in numerals(text) if not _is_named(text, numeral)]
    return any((is_answer and number.value >= _LARGE) or _is_result(text, number, lab) for number in own_numbers)


def _is_named(text: str, number: Numeral) -> bool:
    """Whether a number is part of a name: `BLOOM-560m`."""
    return re.search(r"[^\W\d_]-?\Z", text[: number.start]) is not None


def _is_result(text: str, number: Numeral, lab: Lab) -> bool:
    """Whether a number may be a measured value: with decimals or in percent, within the range of a measure."""
    is_exact = number.has_decimals or text[number.end : number.end + 2].strip().startswith("%")
    ranges = [measure.range for measure in lab.measured]
    return is_exact and any(span is None or span[0] <= number.value <= span[1] for span in ranges)


def _shows(block: Block, lab: Lab) -> bool:
    """Whether a block is a picture, or code or output with a number that answers the question and is named."""
    if block.kind is BlockKind.OUTPUT:
        named = lexicon.any_word(word for measure in lab.measured for word in measure.words)
        is_told = lexicon.search(f"<mean|deviation|run|parameter>|{named}", block.text)
        return bool(is_told or not any(map(str.isalpha, block.text))) and _reports(block.text, lab)
    remark = comment(block.text) if block.kind is BlockKind.CODE and not block.quoted else None
    if remark is None:
        return block.kind is BlockKind.FIGURE
    piece = _Piece(block.model_copy(update={"kind": BlockKind.LINE}), remark.lstrip("# "))
    return _reports(piece.text, lab) or _judges(piece.text, lab) or _defines([piece], lab, is_named=True)


FEWEST_GAPS: Final = 3
"""A notebook with at least this many open gaps was begun with a handout."""


class AnsweredSections(NamedTuple):
    """The sections of a notebook without text that only asks, and that text. `is_blank`: nothing in it is answered."""

    sections: tuple[Section, ...]
    asked: tuple[Passage, ...] = ()
    is_blank: bool = False


def less_asked(cut: Sequence[Section], open_cells: Collection[int | None], lab: Lab) -> AnsweredSections:
    """Return the sections of a notebook that was begun with a handout, without text that only asks.

    If nothing is answered, code and undecided text are removed as well.
    """
    found = states(cut, open_cells, lab)
    named = [section_state for section, section_state in zip(cut, found, strict=True) if section.questions]
    is_asking = 2 * named.count(State.ASKED) >= len(named) > 0
    is_blank = is_asking and State.ANSWERED not in found
    silent = {State.ASKED, State.UNCLEAR} if is_blank else {State.ASKED}
    heard: list[Section] = []
    asked: list[Passage] = []
    for section, state in zip(cut, found, strict=True):
        is_silent = state in silent if section.questions else is_asking and state is not State.ANSWERED
        heard.append(_label_of(section, open_cells, is_blank=is_blank) if is_silent else section)
        asked += [section.passage] if is_silent else []
    return AnsweredSections(tuple(candidate for candidate in heard if candidate.passage.blocks), tuple(asked), is_blank)


def _label_of(section: Section, open_cells: Collection[int | None], *, is_blank: bool) -> Section:
    """Return a section with only its label and its code. Code beside an open gap, or all code of a blank notebook, is
    removed."""
    passage = section.passage
    first, *further = passage.blocks
    kept = [block for block in further if not is_blank and (block.kind is BlockKind.HEADING or block.voice is not None)]
    kept = [block for block in kept if block.cell not in open_cells]
    if section.questions:
        end = next((at for at in range(len(first.text)) if passage.offset_of(0, at) >= section.lead), len(first.text))
        kept.insert(0, first.model_copy(update={"text": first.text[:end], "formulas": (), "repairs": ()}))
    return section.model_copy(update={"passage": passage.of_blocks(kept)})

"""The cells of a notebook that the hand-out leaves for answers in words: which they are in a student's notebook, which
of their words are the student's, and where an answer ends.

A student writes below the question in its cell, replaces the whole cell, or adds cells around it. A cell is that of the
hand-out that keeps a line of it which no other one has, or that stands between the same neighbours.
"""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from grader.claims.sections import Section
from grader.lab.definition import AnswerCell, Template, Templates, line_hash
from grader.language import lexicon
from grader.language.shapes import TOKEN
from grader.reading.bytes_in import lines_of
from grader.reading.document import BlockKind
from grader.reading.notebook import Cell, CellKind, Notebook

_SAYING_NOTHING: Final = " #*_>|:.()[]{}\"'`~+=$\\-\t"
_TEXT: Final = (CellKind.MARKDOWN, CellKind.RAW)
_BLANKS: Final = ("___", "???", "todo", "fill in", "fill me", "fill this")

_FEW_WORDS: Final = 8
"""A line of more words that holds a mark speaks of it."""


class AnswerPlaces(NamedTuple):
    """The cells of a student's notebook, by index: those that the hand-out leaves for answers, each as it was handed
    out, and the `given` ones, which were begun from other cells of it. Those that are `titled` begin something else
    than the cells above them, and to those that are `written` something was added."""

    answers: Mapping[int, AnswerCell]
    given: frozenset[int]
    titled: frozenset[int] = frozenset()
    written: frozenset[int] = frozenset()


def telling_lines(cell: Cell) -> list[str]:
    """The lines of a cell that say something."""
    return [line for line in lines_of(cell.source) if line.strip(_SAYING_NOTHING)]


def answer_cells(notebook: Notebook, marked: frozenset[int] = frozenset()) -> dict[int, AnswerCell]:
    """The text cells of a hand-out that are for answers, by index: those in `marked`, empty ones, and those with a line
    that asks to write there."""
    texts = [cell for cell in notebook.cells if cell.kind in _TEXT]
    asking = {cell.index for cell in texts if _asks_to_write(telling_lines(cell))}
    lines = _hashed(notebook)
    return {cell.index: _answer_cell(cell, lines) for cell in texts if cell.index in asking | marked}


def _hashed(notebook: Notebook) -> dict[int, tuple[str, ...]]:
    """The hashes of the lines of the cells, by index."""
    return {cell.index: tuple(map(line_hash, telling_lines(cell))) for cell in notebook.cells}


def _answer_cell(cell: Cell, lines: Mapping[int, Sequence[str]]) -> AnswerCell:
    after, before = _neighbours(cell.index, lines)
    labels = filter(None, map(_label_of, telling_lines(cell)))
    own = tuple(lines[cell.index])
    return AnswerCell(lines=own, labels=tuple(map(line_hash, labels)), after=after, before=before)


def _neighbours(index: int, lines: Mapping[int, Sequence[str]]) -> tuple[str | None, str | None]:
    """The last line above a cell and the first one below it."""
    above = [own[-1] for at, own in lines.items() if own and at < index]
    below = [own[0] for at, own in lines.items() if own and at > index]
    return next(reversed(above), None), next(iter(below), None)


def _asks_to_write(lines: Sequence[str]) -> bool:
    """Whether the lines of a cell leave a place for an answer: none stands there, one only marks the place, or the last
    one waits for it (`Explain your answer:`)."""
    if not lines or any(map(is_for_answer, lines)):
        return True
    waits = lines[-1].rstrip(" *_").endswith(":") and len(lines[-1].split()) <= _FEW_WORDS
    return waits and lexicon.search("<answer_place>", lines[-1]) is not None


def is_for_answer(line: str) -> bool:
    """Whether a line of a hand-out marks where to write: `**Answer 3:**`, `Your answer`, `_Type your answer here._`.
    One that only speaks of the answer, as in `Justify your answer.`, does not."""
    said = line.casefold()
    is_short = len(said.split()) <= _FEW_WORDS
    if is_short and any(text in said for text in _BLANKS):
        return True
    begins = lexicon.search(r"\A(?:\\[a-z]+(?:\{\w+\})?|[\W_])*<answer_place>", line) is not None
    is_sentence = said.rstrip(" *_)").endswith((".", "?", "!"))
    is_named = is_short and ((begins and not is_sentence) or is_marker_of_answer(line))
    return is_named or lexicon.search("<answer_here>", line) is not None


def is_marker_of_answer(line: str) -> bool:
    """Whether a line only says that an answer follows: `Answer:`, `**Answer to question 3 (b)**`, `Réponse :`."""
    words = TOKEN.findall(line.casefold())
    names, beside = set(lexicon.words("answer_label")), set(lexicon.words("answer_label_beside"))
    others = [word for word in words if word not in names]
    return len(others) < len(words) and all(
        len(other) == 1 or other[-1].isdigit() or other in beside for other in others
    )


def _label_of(line: str) -> str:
    """Return the text before the colon after which an answer is to be written; empty if nothing asks for one."""
    label, colon, _ = line.partition(":")
    return label.strip(_SAYING_NOTHING) if colon and is_for_answer(label) else ""


def answer_places(
    notebook: Notebook, templates: Templates, begun: frozenset[int], is_title: Callable[[str], bool]
) -> AnswerPlaces:
    """The places of answers in a student's notebook. Of its code cells those in `begun` were begun from the
    hand-out's."""
    if not templates.answers:
        return AnswerPlaces({}, frozenset())
    lines = _hashed(notebook)
    every = {line for own in lines.values() for line in own}
    template = max(templates.notebooks, key=lambda candidate: len(candidate.lines & every))
    texts = [cell for cell in notebook.cells if cell.kind in _TEXT]
    answers = _assigned([cell.index for cell in texts], lines, template)
    given = filter(lambda index: not templates.prose.isdisjoint(lines[index]), (cell.index for cell in texts))
    others = set(given) - answers.keys()
    titled = frozenset(cell.index for cell in texts if any(map(is_title, telling_lines(cell))))
    written = frozenset(cell.index for cell in notebook.cells if _is_written(cell, templates))
    return AnswerPlaces(answers, begun | others, titled, written)


def _is_written(cell: Cell, templates: Templates) -> bool:
    """Whether a cell holds a line or a picture that is not the hand-out's."""
    known = templates.code if cell.kind is CellKind.CODE else templates.prose
    own = (line for line in telling_lines(cell) if line_hash(line) not in known)
    return bool(cell.attachments) or not all(map(is_marker_of_answer, own))


class _Fit(NamedTuple):
    """The fit of a cell as the cell of an answer; greater is better. In order of weight: it stands between the same two
    neighbours; it holds what only that cell holds; it has one of the neighbours; it is unchanged; and the number of
    lines that it shares."""

    is_between: bool
    holds: bool
    neighbours: int
    is_same: bool
    shared: int


def _assigned(texts: Sequence[int], lines: Mapping[int, Sequence[str]], template: Template) -> dict[int, AnswerCell]:
    """The cells that are those of answers: a cell may keep what only one answer's cell holds, or all of one, or stand
    in its place. The best fit goes first, so that many cells with the same mark, `Answer:`, keep their order."""
    fits = [
        (fit, -index, -number)
        for index in texts
        for number, cell in enumerate(template.answers)
        if (fit := _fit(index, lines, cell, template))
    ]
    found: dict[int, AnswerCell] = {}
    taken: set[int] = set()
    for _, index, number in sorted(fits, reverse=True):
        if -index not in found and -number not in taken:
            found[-index] = template.answers[-number]
            taken.add(-number)
    return found


def _fit(index: int, lines: Mapping[int, Sequence[str]], cell: AnswerCell, template: Template) -> _Fit | None:
    own = tuple(lines[index])
    around = {*zip(_SIDES, _neighbours(index, lines), strict=True)} - _NOTHING
    neighbours = len(around & {("after", cell.after), ("before", cell.before)})
    holds = _holds(own, cell, template)
    is_given = bool(own) and template.lines.issuperset(own)
    if not holds and (is_given or not neighbours):
        return None
    return _Fit(neighbours == len(_SIDES), holds, neighbours, own == cell.lines, len(set(cell.lines).intersection(own)))


def _holds(own: tuple[str, ...], cell: AnswerCell, template: Template) -> bool:
    """Whether some lines are those of an answer's cell or hold one that is in no other. Where all of them are the
    hand-out's, all have to be that cell's."""
    if own and cell.lines == own:
        return True
    shared = [line for line in own if line in cell.lines]
    is_given = template.lines.issuperset(own) and len(shared) < len(own)
    return not is_given and any(sum(line in answer.lines for answer in template.answers) == 1 for line in shared)


_SIDES: Final = ("after", "before")
_NOTHING: Final = frozenset((side, None) for side in _SIDES)


def own_answer(cell: Cell, given: AnswerCell, keeps: Mapping[str, str]) -> Cell:
    """An answer's cell with no more of the hand-out's lines than `keeps` says, by the line, and without `Your answer:`
    before what the student wrote behind it."""
    own = []
    for line in lines_of(cell.source):
        label, colon, said = line.partition(":")
        if line_hash(line) in given.lines:
            own.append(keeps.get(line, ""))
        elif colon and line_hash(label.strip(_SAYING_NOTHING)) in given.labels:
            own.append(said.lstrip(_SAYING_NOTHING))
        else:
            own.append(line)
    return cell.model_copy(update={"source": "\n".join(own)})


def ended(cut: Sequence[Section], places: AnswerPlaces) -> Iterator[Section]:
    """The sections of a notebook, those with an answer's cell cut behind the answer: at the next cell of the
    hand-out's."""
    begins = [section.passage.blocks[0].cell or 0 for section in cut]
    for section, first, following in zip(cut, begins, [*begins[1:], None], strict=True):
        last = _last_answer(places, first, following) if section.questions else None
        behind = math.inf if following is None else max(following, first + 1)
        if last is None:
            is_blank = _is_as_given(places, first, behind)
            yield section.model_copy(update={"is_blank": True}) if is_blank else section
            continue
        blocks = section.passage.blocks
        end = min(filter(last.__lt__, places.given), default=math.inf)
        own_blocks = [block for block in blocks if (block.cell or 0) < end]
        is_blank = _is_as_given(places, first, min(end, behind))
        update = {"passage": section.passage.of_blocks(own_blocks), "is_inline": True, "is_blank": is_blank}
        yield section.model_copy(update=update)
        if len(own_blocks) < len(blocks):
            rest, is_blank = (
                section.passage.of_blocks(blocks[len(own_blocks) :]),
                _is_as_given(places, int(end), behind),
            )
            yield Section(title="", questions=(), passage=rest, is_blank=is_blank)


def _is_as_given(places: AnswerPlaces, first: int, end: float) -> bool:
    """Whether nothing was added to the cells from the first one up to the end."""
    return bool(places.answers) and not any(first <= number < end for number in places.written)


def _last_answer(places: AnswerPlaces, first: int, following: int | None) -> int | None:
    """The last cell for the answer to a question that begins in a cell, before the cell that begins something else; the
    next question begins in the `following` one."""
    end = math.inf if following is None else max(following, first + 1)
    within = sorted(answer for answer in places.answers if first <= answer < end)
    titled = min((number for number in places.titled if number > min(within, default=0)), default=math.inf)
    return max((number for number in within if number < titled), default=None)


def are_unanswered(sections: Sequence[Section]) -> bool:
    """Whether the answer's cell of some sections is as it was handed out, or empty, and nothing was added to it."""
    return any(section.is_inline for section in sections) and all(map(_is_empty, sections))


def _is_empty(section: Section) -> bool:
    text = section.passage.text[section.lead :]
    shows = any(block.kind is BlockKind.FIGURE for block in section.passage.blocks)
    return section.is_blank or (section.is_inline and not shows and not any(map(str.isalnum, text)))

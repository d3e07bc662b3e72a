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
    than the cells above them."""

    answers: Mapping[int, AnswerCell]
    given: frozenset[int]
    titled: frozenset[int] = frozenset()


def telling_lines(cell: Cell) -> list[str]:
    """The lines of a cell that say something."""
    return [line for line in lines_of(cell.source) if line.strip(_SAYING_NOTHING)]


def answer_cells(notebook: Notebook, marked: frozenset[int] = frozenset()) -> dict[int, AnswerCell]:
    """The text cells of a hand-out that are for answers, by index: those in `marked`, empty ones, and those with a line
    that asks to write there."""
    texts = [cell for cell in notebook.cells if cell.kind in _TEXT]
    asking = {cell.index for cell in texts if not telling_lines(cell) or any(map(is_for_answer, telling_lines(cell)))}
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


def is_for_answer(line: str) -> bool:
    """Whether a line of a hand-out asks to write there."""
    said = line.casefold()
    is_blank = len(said.split()) <= _FEW_WORDS and any(one in said for one in _BLANKS)
    return is_blank or lexicon.search("<answer_place>", line) is not None


def _label_of(line: str) -> str:
    """What stands before the colon behind which an answer is to be written; empty where nothing asks for it."""
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
    template = max(templates.notebooks, key=lambda one: len(one.lines & every))
    texts = [cell for cell in notebook.cells if cell.kind in _TEXT]
    answers = dict(_kept([cell.index for cell in texts], lines, template))
    answers |= dict(_replaced([cell.index for cell in texts], lines, template, answers))
    others = {cell.index for cell in texts if not templates.prose.isdisjoint(lines[cell.index])} - answers.keys()
    titled = frozenset(cell.index for cell in texts if any(map(is_title, telling_lines(cell))))
    return AnswerPlaces(answers, begun | others, titled)


def _kept(
    texts: Sequence[int], lines: Mapping[int, Sequence[str]], template: Template
) -> Iterator[tuple[int, AnswerCell]]:
    """The cells that still hold what only one answer's cell of the hand-out holds, or all of one."""
    waiting = list(template.answers)
    for index in texts:
        own = tuple(lines[index])
        fits = [one for one in waiting if _holds(own, one, template)]
        if fits:
            found = max(fits, key=lambda one: (one.lines == own, len(set(one.lines).intersection(own))))
            waiting.remove(found)
            yield index, found


def _holds(own: tuple[str, ...], cell: AnswerCell, template: Template) -> bool:
    """Whether some lines are those of an answer's cell or hold one that is in no other. Where all of them are the
    hand-out's, all have to be that cell's."""
    if own and cell.lines == own:
        return True
    shared = [line for line in own if line in cell.lines]
    is_given = template.lines.issuperset(own) and len(shared) < len(own)
    return not is_given and any(sum(line in one.lines for one in template.answers) == 1 for line in shared)


_NOTHING: Final = frozenset({("after", None), ("before", None)})


def _replaced(
    texts: Sequence[int],
    lines: Mapping[int, Sequence[str]],
    template: Template,
    kept: Mapping[int, AnswerCell],
) -> Iterator[tuple[int, AnswerCell]]:
    """The cells that stand where an answer's cell stood that is not there any more."""
    waiting = [one for one in template.answers if one not in kept.values()]
    for index in texts:
        around = {*zip(("after", "before"), _neighbours(index, lines), strict=True)} - _NOTHING
        fits = [one for one in waiting if around & {("after", one.after), ("before", one.before)}]
        is_given = bool(lines[index]) and template.lines.issuperset(lines[index])
        if fits and index not in kept and not is_given:
            waiting.remove(fits[0])
            yield index, fits[0]


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
        if last is None:
            yield section
            continue
        blocks = section.passage.blocks
        end = min(filter(last.__lt__, places.given), default=math.inf)
        own = [one for one in blocks if (one.cell or 0) < end]
        yield section.model_copy(update={"passage": section.passage.of_blocks(own), "is_inline": True})
        if len(own) < len(blocks):
            yield Section(title="", questions=(), passage=section.passage.of_blocks(blocks[len(own) :]))


def _last_answer(places: AnswerPlaces, first: int, following: int | None) -> int | None:
    """The last cell for the answer to a question that begins in a cell, before the cell that begins something else; the
    next question begins in the `following` one."""
    end = math.inf if following is None else max(following, first + 1)
    within = sorted(one for one in places.answers if first <= one < end)
    titled = min((one for one in places.titled if one > min(within, default=0)), default=math.inf)
    return max((one for one in within if one < titled), default=None)


def is_unanswered(section: Section) -> bool:
    """Whether an answer's cell is as it was handed out, or empty, and nothing was added to it."""
    text = section.passage.text[section.lead :]
    shows = any(block.kind is BlockKind.FIGURE for block in section.passage.blocks)
    return section.is_inline and not shows and not any(map(str.isalnum, text))

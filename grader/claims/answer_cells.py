"""Find the cells of a notebook that the handout leaves for answers in words, and the student's words in them.

A student writes below the question in its cell, replaces the whole cell, or adds cells around it. A cell is identified
by a line that only one cell of the handout has, or by its neighbours.
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
"""A line with more words that contains a mark is about the mark."""


class AnswerPlaces(NamedTuple):
    """The cells of a student's notebook by index.

    `answers` are those for answers, each with the handout's cell. `given` were begun with other cells of the handout.
    `titled` begin a new subject, and something was added to those that are `written`.
    """

    answers: Mapping[int, AnswerCell]
    given: frozenset[int]
    titled: frozenset[int] = frozenset()
    written: frozenset[int] = frozenset()


def telling_lines(cell: Cell) -> list[str]:
    """Return the lines of a cell with text."""
    return [line for line in lines_of(cell.source) if line.strip(_SAYING_NOTHING)]


def answer_cells(notebook: Notebook, marked: frozenset[int] = frozenset()) -> dict[int, AnswerCell]:
    """Return the text cells of a handout for answers, by index: marked ones, empty ones, and those that ask to write
    there."""
    texts = [cell for cell in notebook.cells if cell.kind in _TEXT]
    asking = {cell.index for cell in texts if _asks_to_write(telling_lines(cell))}
    lines = _hashed(notebook)
    return {cell.index: _answer_cell(cell, lines) for cell in texts if cell.index in asking | marked}


def _hashed(notebook: Notebook) -> dict[int, tuple[str, ...]]:
    """Return the hashes of the lines of the cells, by index."""
    return {cell.index: tuple(map(line_hash, telling_lines(cell))) for cell in notebook.cells}


def _answer_cell(cell: Cell, lines: Mapping[int, Sequence[str]]) -> AnswerCell:
    after, before = _neighbours(cell.index, lines)
    labels = filter(None, map(_label_of, telling_lines(cell)))
    cell_lines = tuple(lines[cell.index])
    return AnswerCell(lines=cell_lines, labels=tuple(map(line_hash, labels)), after=after, before=before)


def _neighbours(index: int, lines: Mapping[int, Sequence[str]]) -> tuple[str | None, str | None]:
    """Return the last line above a cell and the first one below it, or None."""
    above = [cell_lines[-1] for at, cell_lines in lines.items() if cell_lines and at < index]
    below = [cell_lines[0] for at, cell_lines in lines.items() if cell_lines and at > index]
    return next(reversed(above), None), next(iter(below), None)


def _asks_to_write(lines: Sequence[str]) -> bool:
    """Whether the lines of a cell leave a place for an answer.

    There is no text, a line marks the place, or the last line introduces the answer (`Explain your answer:`).
    """
    if not lines or any(map(is_for_answer, lines)):
        return True
    waits = lines[-1].rstrip(" *_").endswith(":") and len(lines[-1].split()) <= _FEW_WORDS
    return waits and lexicon.search("<answer_place>", lines[-1]) is not None


def is_for_answer(line: str) -> bool:
    """Whether a line of a handout marks the place for an answer: `**Answer 3:**`, `Your answer`, `_Type your answer
    here._`.

    A line that only mentions the answer, as in `Justify your answer.`, does not.
    """
    folded_line = line.casefold()
    is_short = len(folded_line.split()) <= _FEW_WORDS
    if is_short and any(text in folded_line for text in _BLANKS):
        return True
    begins = lexicon.search(r"\A(?:\\[a-z]+(?:\{\w+\})?|[\W_])*<answer_place>", line) is not None
    is_sentence = folded_line.rstrip(" *_)").endswith((".", "?", "!"))
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
    """Return the text before the colon after which an answer is written, or an empty text."""
    label, colon, _ = line.partition(":")
    return label.strip(_SAYING_NOTHING) if colon and is_for_answer(label) else ""


def answer_places(
    notebook: Notebook, templates: Templates, begun: frozenset[int], is_title: Callable[[str], bool]
) -> AnswerPlaces:
    """Return the places of answers in a student's notebook. `begun` are the code cells that were begun with the
    handout's."""
    if not templates.answers:
        return AnswerPlaces({}, frozenset())
    lines = _hashed(notebook)
    every = {line for cell_lines in lines.values() for line in cell_lines}
    template = max(templates.notebooks, key=lambda candidate: len(candidate.lines & every))
    texts = [cell for cell in notebook.cells if cell.kind in _TEXT]
    answers = _assigned([cell.index for cell in texts], lines, template)
    given = filter(lambda index: not templates.prose.isdisjoint(lines[index]), (cell.index for cell in texts))
    others = set(given) - answers.keys()
    titled = frozenset(cell.index for cell in texts if any(map(is_title, telling_lines(cell))))
    written = frozenset(cell.index for cell in notebook.cells if _is_written(cell, templates))
    return AnswerPlaces(answers, begun | others, titled, written)


def _is_written(cell: Cell, templates: Templates) -> bool:
    """Whether a cell contains a line or a picture that is not the handout's."""
    handout_lines = templates.code if cell.kind is CellKind.CODE else templates.prose
    own_lines = (line for line in telling_lines(cell) if line_hash(line) not in handout_lines)
    return bool(cell.attachments) or not all(map(is_marker_of_answer, own_lines))


class _Fit(NamedTuple):
    """The fit of a cell as an answer's cell; greater is better.

    By weight: it has the same two neighbours, has text that only that cell has, has one of the neighbours, is
    unchanged, and the number of shared lines.
    """

    is_between: bool
    holds: bool
    neighbours: int
    is_same: bool
    shared: int


def _assigned(texts: Sequence[int], lines: Mapping[int, Sequence[str]], template: Template) -> dict[int, AnswerCell]:
    """Return the answer's cell for each cell. The best fit is assigned first, so cells with the same mark keep their
    order."""
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
    cell_lines = tuple(lines[index])
    around = {*zip(_SIDES, _neighbours(index, lines), strict=True)} - _NOTHING
    neighbours = len(around & {("after", cell.after), ("before", cell.before)})
    holds = _holds(cell_lines, cell, template)
    is_given = bool(cell_lines) and template.lines.issuperset(cell_lines)
    if not holds and (is_given or not neighbours):
        return None
    return _Fit(
        neighbours == len(_SIDES),
        holds,
        neighbours,
        cell_lines == cell.lines,
        len(set(cell.lines).intersection(cell_lines)),
    )


def _holds(cell_lines: tuple[str, ...], cell: AnswerCell, template: Template) -> bool:
    """Whether some lines identify an answer's cell: they are all of its lines, or include one that no other cell has.

    Lines that are all the handout's must all belong to that cell.
    """
    if cell_lines and cell.lines == cell_lines:
        return True
    shared = [line for line in cell_lines if line in cell.lines]
    is_given = template.lines.issuperset(cell_lines) and len(shared) < len(cell_lines)
    return not is_given and any(sum(line in answer.lines for answer in template.answers) == 1 for line in shared)


_SIDES: Final = ("after", "before")
_NOTHING: Final = frozenset((side, None) for side in _SIDES)


def own_answer(cell: Cell, given: AnswerCell, keeps: Mapping[str, str]) -> Cell:
    """Return an answer's cell without the handout's lines, except those in `keeps`, and without `Your answer:`."""
    kept_lines = []
    for line in lines_of(cell.source):
        label, colon, answer = line.partition(":")
        if line_hash(line) in given.lines:
            kept_lines.append(keeps.get(line, ""))
        elif colon and line_hash(label.strip(_SAYING_NOTHING)) in given.labels:
            kept_lines.append(answer.lstrip(_SAYING_NOTHING))
        else:
            kept_lines.append(line)
    return cell.model_copy(update={"source": "\n".join(kept_lines)})


def cut_at_handout(cut: Sequence[Section], places: AnswerPlaces) -> Iterator[Section]:
    """Yield the sections of a notebook. A section with an answer's cell ends at the next cell of the handout."""
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
    """Return the last cell for the answer to a question, before the cell that begins a new subject, or None."""
    end = math.inf if following is None else max(following, first + 1)
    within = sorted(answer for answer in places.answers if first <= answer < end)
    titled = min((number for number in places.titled if number > min(within, default=0)), default=math.inf)
    return max((number for number in within if number < titled), default=None)


def are_unanswered(sections: Sequence[Section]) -> bool:
    """Whether the answer's cell of some sections is unchanged, empty or deleted, and nothing was added to it."""
    return any(section.is_inline or section.is_blank for section in sections) and all(map(_is_empty, sections))


def _is_empty(section: Section) -> bool:
    text = section.passage.text[section.lead :]
    shows = any(block.kind is BlockKind.FIGURE for block in section.passage.blocks)
    return section.is_blank or (section.is_inline and not shows and not any(map(str.isalnum, text)))

"""Are the cells of a table right? They are found by the words of their rows and columns, or by what they hold."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from decimal import Decimal
from enum import Enum
from functools import lru_cache
from itertools import islice
from typing import Final, NamedTuple, Self

from pydantic import model_validator

from grader.checks.absence import absence, concluded_absent, own_sections
from grader.checks.check import Conclusion, check
from grader.checks.finding import Expected, Finding, Status
from grader.claims.answer import Answer, Kind
from grader.claims.numerals import Firmness, Quantity, Target, quantities, sentence_bounds, target
from grader.claims.sections import Section
from grader.claims.statements import mention
from grader.claims.tables import Cell, Table, matrices, named_rows, rows_in_line, spaced_tables, tables
from grader.frozen import Frozen
from grader.lab.definition import Lab
from grader.language.folding import folded
from grader.message import Message, joined, say, say_data, say_number
from grader.reading.document import BlockKind, Evidence

_QUOTE: Final = 300
_FEWEST: Final = 2
_MOST_MATRICES: Final = 50


class AskedCell(Frozen):
    """A cell of a table that is asked for: how its row and its column may be called, in beginnings of words, and what
    it is to hold: a value, or one between two others."""

    row: str | tuple[str, ...]
    column: str | tuple[str, ...]
    value: Decimal | None = None
    between: tuple[Decimal, Decimal] | None = None
    tolerance: Decimal | None = None
    relative: Decimal = Decimal(0)
    unit: str = ""

    @property
    def aim(self) -> Target:
        """What is right."""
        if self.between is not None:
            low, high = self.between
            return Target((low + high) / 2, (high - low) / 2, self.unit)
        return target(self.value or Decimal(0), self.tolerance, self.relative, self.unit)

    @property
    def told(self) -> Message:
        """What is right, for people."""
        if self.between is not None:
            return say("{low} to {high}", low=str(self.between[0]), high=str(self.between[1]))
        return say_data(str(self.value))

    @model_validator(mode="after")
    def _is_one_of_both(self) -> Self:
        if (self.value is None) == (self.between is None):
            raise ValueError("a cell holds either a value or one between two others: give one of them")
        return self


@lru_cache(maxsize=4096)
def _number_in(text: str) -> Quantity | None:
    """The first number of a cell that no calculation takes."""
    return next((one for one in quantities(text) if one.firmness is not Firmness.OPERAND), None)


class _Read(NamedTuple):
    """An asked cell with those that may be meant."""

    asked: AskedCell
    cells: tuple[Cell, ...]

    @property
    def numbers(self) -> list[Quantity]:
        """What stands in them; of a number and its spread the number."""
        return [one for cell in self.cells if (one := _number_in(cell.text)) is not None]

    def verdict(self) -> bool | None:
        """Whether what stands there is right; None where nothing does or it is open what is meant."""
        aim = self.asked.aim
        if not self.numbers or len(self.numbers) < len(self.cells):
            return None
        right = [aim.is_right(one) for one in self.numbers]
        if all(right):
            return True
        if self.asked.between is not None or len(right) > 1 or aim.may_be_right(self.numbers[0]):
            return None
        return False


@check("table", kinds=(Kind.WRITTEN, Kind.CODE))
def table(
    answer: Answer,
    lab: Lab,
    *,
    item: str,
    cells: tuple[AskedCell, ...],
    rows_are: tuple[str, ...] = (),
    columns_are: tuple[str, ...] = (),
    not_of: tuple[str, ...] = (),
) -> Iterator[Conclusion]:
    """The numbers in the table are right.

    - `cells`: what is asked for: `row` and `column`, each one or several beginnings of words by which they may be
      called, the `value`, and how much another may differ: `tolerance`, or `relative` as a share of the value. Where
      neither is set, the value is met to its last digit. Of what students measure themselves no value is known
      beforehand: `between` says where it is to lie, and one that lies elsewhere is for a person. `unit` is that of
      the value; with `"%"`, `0.96` is 96.
    - `rows_are`, `columns_are`: beginnings of words for what the rows and the columns stand for, such as `["true"]` and
      `["predicted"]`. A table whose labels, or the words beside it, tell that it is the other way round is read so.
    - `not_of`: beginnings of words whose rows and columns are of something else, such as `["train"]`.

    Decides: all cells right, none right, or so many of them; rows and columns may be swapped, and further ones may
    stand there. Where all the values stand in the order that was asked for, they are right whatever their rows and
    columns are called, unless a row is called as another one. One row that has another name is the one that is left.
    Numbers without labels, as in a printed matrix, are those that were asked for where there are as many in each row.

    The table may be written as a list or a sentence (`none: 94.5, shifted: 93.7`): where all of it is right, it is
    `correct`; else a person looks.

    Leaves to people: cells that are not found or found twice, numbers that are right but for rounding, a factor of 100
    or a sign, tables that differ, and tables in pictures.

    Example:
        cells = [
            { row = "linear", column = "RMSE", value = 0.72, tolerance = 0.01 },
            { row = ["forest", "trees"], column = "RMSE", value = 0.51, tolerance = 0.01 },
        ]
    """
    expected = joined(
        say("; "),
        (
            say("{row}, {column}: {value}", row=_first(one.row), column=_first(one.column), value=one.told)
            for one in cells
        ),
    )
    finding = Finding(item=item, status=Status.REVIEW, expected=Expected(text=expected))
    question = lab.question_of(item)
    passages = answer.passages(question)
    axes = _Axes(rows_are, columns_are)
    every = [
        _without(one, not_of)
        for passage in passages
        for one in (*tables(passage), *spaced_tables(passage))
        if one.cells
    ]
    beside = " ".join(one.passage.text for one in answer.sections if one.questions == (question,))
    readings = [_turned(_readings(one, cells), axes.order(one, beside)) for one in every]
    best, swapped, order = max(readings, key=lambda read: _found(read[0]), default=((), (), _Order.OPEN))
    if not _found(best)[0]:
        said_order = axes.told(beside)
        otherwise = _in_words(finding, cells, answer, question, not_of) or _as_matrix(
            finding, cells, answer, question, said_order
        )
        yield otherwise or concluded_absent(finding, absence(answer, lab, item))
        return
    verdicts = [one.verdict() for one in best]
    places = [one.cells[0].evidence for one, verdict in zip(best, verdicts, strict=True) if one.cells and not verdict]
    shown = tuple(dict.fromkeys(places or [one.cells[0].evidence for one in best if one.cells]))[:6]
    right, is_all_right = sum(verdict is True for verdict in verdicts), all(verdicts)
    told = say_number("{number} of {all} cells is right.", "{number} of {all} cells are right.", right, all=len(cells))
    finding = finding.changed(evidence=shown, found=told)
    rivals = [read for read, _, _ in readings if read is not best and all(one.cells for one in read)]
    is_other = any(one.verdict() is not is_all_right for read in rivals for one in read)
    is_swapped = not is_all_right and all(one.verdict() for one in swapped)
    is_asked = any(question in one.questions for one in answer.sections)
    if is_all_right and not is_other and order is not _Order.BOTH:
        yield finding.changed(status=Status.CORRECT, feedback=told)
    elif is_all_right and not is_other:
        said = say("Its labels and the words beside it tell different things of its rows; a person looks.")
        yield finding.changed(suggestion=Status.CORRECT, feedback=joined(" ", (told, said)))
    elif None in verdicts or is_other or is_swapped or not is_asked:
        open_ones = [one.asked for one, verdict in zip(best, verdicts, strict=True) if verdict is None]
        names = ", ".join(f"{_first(one.row)}/{_first(one.column)}" for one in open_ones)
        said = (
            say("A person looks at these cells: {names}.", names=names)
            if names
            else say("With rows and columns exchanged all cells are right; a person looks.")
            if is_swapped
            else say("It is open which table is meant.")
        )
        suggestion = Status.CORRECT if is_all_right else Status.PARTIAL if right else None
        yield finding.changed(suggestion=suggestion, feedback=joined(" ", (told, said)))
    elif right:
        yield finding.changed(status=Status.PARTIAL, share=Decimal(right) / len(cells), feedback=told)
    else:
        yield finding.changed(status=Status.INCORRECT, feedback=told)


class _Order(Enum):
    """What is said of a table's rows and columns: nothing, that they are as asked, that they are exchanged, or both."""

    OPEN = "open"
    ASKED = "asked"
    EXCHANGED = "exchanged"
    BOTH = "both"


_LINE_WORDS: Final = re.compile(r"\b(?:(?P<row>rows?|lignes?)|(?P<column>columns?|colonnes?))\b", re.IGNORECASE)
_CLAUSE_END: Final = re.compile(r"[,;.()\n]|\b(?:and|et|while)\b")


class _Axes(NamedTuple):
    """How texts call what the rows and the columns of a table stand for."""

    rows: tuple[str, ...]
    columns: tuple[str, ...]

    def order(self, one: Table, beside: str) -> _Order:
        """What a table's labels say, or else its caption or the text beside it."""
        if not (self.rows and self.columns):
            return _Order.OPEN
        cells = [cell for cell in one.cells if cell.row]
        of_rows, of_columns = (
            {axis for label in labels if (axis := self._axis(label)) is not None}
            for labels in ({cell.row for cell in cells}, {cell.column for cell in cells})
        )
        # What both speak of stands in the corner: of two words there, `true \\ predicted`, the first is the rows'.
        said = of_rows | ({not axis for axis in of_columns} if of_columns != of_rows else set())
        told = {_Order.ASKED: {True}, _Order.EXCHANGED: {False}}.get(self.told(f"{one.caption}\n{beside}"), set())
        return _order(said | told)

    def told(self, text: str) -> _Order:
        """What the sentences of a text say of rows and columns."""
        found: set[bool] = set()
        for match in _LINE_WORDS.finditer(text if self.rows and self.columns else ""):
            end = next((one.start() for one in _CLAUSE_END.finditer(text, match.end())), len(text))
            begin = max((one.end() for one in _CLAUSE_END.finditer(text, 0, match.start())), default=0)
            axis = self._axis(text[match.end() : end])
            axis = self._axis(text[begin : match.start()]) if axis is None else axis
            found |= set() if axis is None else {axis is bool(match["row"])}
        return _order(found)

    def _axis(self, text: str) -> bool | None:
        """Whether a text first speaks of what rows are asked to be, not of what columns are; None of neither."""
        places = [mention(text, words, 0) for words in (self.rows, self.columns)]
        return None if places == [None, None] else places[1] is None or (places[0] or places[1]) < places[1]


def _order(said: set[bool]) -> _Order:
    """The order that is told by whether rows and columns are as asked, which may be said both ways or not at all."""
    if len(said) != 1:
        return _Order.BOTH if said else _Order.OPEN
    return _Order.ASKED if True in said else _Order.EXCHANGED


def _turned(
    readings: tuple[tuple[_Read, ...], tuple[_Read, ...]], order: _Order
) -> tuple[tuple[_Read, ...], tuple[_Read, ...], _Order]:
    """The readings of a table, first the one that its labels tell."""
    best, other = readings
    is_turned = order is _Order.EXCHANGED and _found(other)[0] == _found(best)[0]
    return (other, best, order) if is_turned else (best, other, order)


def _without(one: Table, words: Sequence[str]) -> Table:
    """A table without the cells whose row or column is called by some words."""
    names = tuple(words)
    kept = (cell for cell in one.cells if not (_is_called(cell.row, names) or _is_called(cell.column, names)))
    return one.model_copy(update={"cells": tuple(kept)}) if names else one


def _names(one: str | tuple[str, ...]) -> tuple[str, ...]:
    return (one,) if isinstance(one, str) else one


def _in_words(
    finding: Finding, cells: Sequence[AskedCell], answer: Answer, question: str, not_of: Sequence[str]
) -> Finding | None:
    """What is asked for, stated in words: behind the name of each row, before that of another one, its number, or
    behind the name of its column there; or each number right in front of its row's name. None where it is not all
    there, and right."""
    for section in (*own_sections(answer, question), *(one for one in answer.sections if question in one.questions)):
        places = _each(cells, section, _behind) or _each(cells, section, _before) or _in_order(cells, section)
        if places:
            told = say("Every value is stated, and right.")
            rows = (block.text for block in section.passage.blocks if block.kind is BlockKind.ROW)
            is_other = any(mention(text, not_of, 0) for text in (*rows, *(place.quote for place in places)))
            is_asked = question in section.questions and not is_other
            return finding.changed(
                status=Status.CORRECT if is_asked else Status.REVIEW,
                suggestion=None if is_asked or is_other else Status.CORRECT,
                evidence=tuple(places[:6]),
                found=told,
                feedback=told,
            )
    return None


def _each(
    cells: Sequence[AskedCell],
    section: Section,
    way: Callable[[Section, AskedCell, Sequence[str], Sequence[str]], Evidence | None],
) -> list[Evidence]:
    """Where each asked number stands in a section, in one way; nothing where one does not."""
    rows = dict.fromkeys(_names(one.row) for one in cells)
    columns = dict.fromkeys(_names(one.column) for one in cells)
    if len(rows) * len(columns) < len(cells):
        return []
    places: list[Evidence] = []
    for cell in cells:
        others = [name for row in rows if row != _names(cell.row) for name in row]
        further = [name for one in columns if one != _names(cell.column) for name in one]
        place = way(section, cell, others, further)
        if place is None:
            return []
        places.append(place)
    return places


def _behind(section: Section, cell: AskedCell, others: Sequence[str], columns: Sequence[str]) -> Evidence | None:
    """Where a right number stands behind a name, as the last of a calculation or the first one, of several columns
    behind its column's name there; None where the first mention has another number."""
    text = section.passage.text
    at = mention(text, _names(cell.row), section.lead)
    if at is None:
        return None
    rival = mention(text, others, at[1])
    end = min(rival[0] if rival else len(text), at[1] + _QUOTE)
    if columns:
        own = mention(text, _names(cell.column), at[1], end)
        if own is None:
            return None
        at, next_one = (at[0], own[1]), mention(text, columns, own[1], end)
        end = next_one[0] if next_one else end
    found = [one for one in quantities(text[at[1] : end]) if one.firmness is not Firmness.OPERAND]
    line = text[at[1] :].partition("\n")[0]
    ends = [one for one in found if one.firmness is Firmness.SET and one.start < len(line)]
    stated = ends[-1:] or found[:1]
    if not stated or not cell.aim.is_right(stated[0]):
        return None
    return section.passage.evidence(at[0], at[1] + stated[0].end)


_FEW_WORDS: Final = 3


def _before(section: Section, cell: AskedCell, others: Sequence[str], columns: Sequence[str]) -> Evidence | None:
    """Where a right number stands in front of its row's name, with a few words between."""
    text = section.passage.text
    at = mention(text, _names(cell.row), section.lead)
    if at is None or columns:
        return None
    left, _ = sentence_bounds(text, *at)
    before = [one for one in quantities(text[left : at[0]]) if one.firmness is not Firmness.OPERAND]
    if not before or not cell.aim.is_right(before[-1]):
        return None
    between = text[left + before[-1].end : at[0]]
    is_next = len(between.split()) <= _FEW_WORDS and not re.search(r"[,;:()]", between)
    return section.passage.evidence(left + before[-1].start, at[1]) if is_next else None


def _in_order(cells: Sequence[AskedCell], section: Section) -> list[Evidence]:
    """Where the numbers of one column stand one after the other in the order of the question, none else between them:
    at least three that are all different. Nothing where they do not."""
    values = {cell.value for cell in cells}
    if len({cell.column for cell in cells}) > 1 or None in values or len(values) < max(len(cells), _FEWEST + 1):
        return []
    text = section.passage.text
    found = [one for one in quantities(text[section.lead :]) if one.firmness is not Firmness.OPERAND]
    for first in range(len(found) - len(cells) + 1):
        own = found[first : first + len(cells)]
        if all(cell.aim.is_right(one) for cell, one in zip(cells, own, strict=True)):
            start, end = (section.lead + place for place in (own[0].start, own[-1].end))
            return [section.passage.evidence(start, end)]
    return []


def _as_matrix(
    finding: Finding, cells: Sequence[AskedCell], answer: Answer, question: str, told_order: _Order
) -> Finding | None:
    """The numbers of a matrix without labels, in the order in which they are asked for. None where there is none of
    this size in the answer to the question."""
    rows = list(dict.fromkeys(_names(one.row) for one in cells))
    columns = list(dict.fromkeys(_names(one.column) for one in cells))
    asked = {(rows.index(_names(one.row)), columns.index(_names(one.column))): one.aim for one in cells}
    if len(asked) < len(rows) * len(columns) or any(one.between for one in cells) or len(columns) < _FEWEST:
        return None
    found: list[tuple[Evidence, list[list[Quantity]]]] = []
    in_other_order = False
    for section in (one for one in answer.sections if question in one.questions):
        text, width = section.passage.text, len(columns)
        told_rows = (*named_rows(text, section.lead, rows, width), *rows_in_line(text, section.lead, len(rows), width))
        for one in (*islice(matrices(section.passage), _MOST_MATRICES), *told_rows):
            inner = one.rows[1:] if len(one.rows) == len(rows) + 1 and _heads(one.rows[0], columns) else one.rows
            numbers = [[next(quantities(text)) for text in row] for row in inner]
            if [len(row) for row in numbers] == [len(columns)] * len(rows):
                found.append((section.passage.evidence(one.start, one.end), numbers))
                before = text[max(section.lead, one.start - _QUOTE) : one.start]
                in_other_order = in_other_order or _heads_in_other_order(before, columns)
    if not found:
        return None
    places = tuple(place for place, _ in found[:4])
    verdicts = [_held(asked, numbers) for _, numbers in found]
    right = verdicts[0]
    told = say_number("{number} of {all} cells is right.", "{number} of {all} cells are right.", right, all=len(cells))
    finding = finding.changed(evidence=places, found=told, feedback=told)
    numbers = found[0][1]
    is_turned = told_order is _Order.EXCHANGED and len(rows) == len(columns)
    meant = [_held(asked, _transposed(one)) for _, one in found] if is_turned else verdicts
    if all(one == len(cells) for one in meant) and told_order is not _Order.BOTH and not in_other_order:
        said = say("All cells are right.")
        return finding.changed(status=Status.CORRECT, found=said, feedback=said)
    flipped = [[row[::across] for row in numbers[::down]] for down in (1, -1) for across in (1, -1)]
    turned = (*flipped, *map(_transposed, flipped))
    is_other = any(_held(asked, one) == len(cells) for one in turned if len(one) == len(rows))
    is_open = told_order in (_Order.EXCHANGED, _Order.BOTH) or in_other_order
    if is_other or len(set(verdicts)) > 1 or not right or is_open:
        said = joined(" ", (told, say("It has no labels; a person looks what its rows and columns are.")))
        return finding.changed(feedback=said)
    return finding.changed(status=Status.PARTIAL, share=Decimal(right) / len(cells))


def _heads(row: Sequence[str], columns: Sequence[tuple[str, ...]]) -> bool:
    return all(text in names for text, names in zip(row, columns, strict=False))


def _heads_in_other_order(text: str, columns: Sequence[tuple[str, ...]]) -> bool:
    """Whether a text names the columns one after the other, but not in the order in which they are asked for."""
    names = "|".join(re.escape(name) for names in columns for name in names)
    run = rf"(?<![\w.])(?:{names})(?:(?:[\s,;/|&\"'()\[\]]{{1,4}}|\s(?:and|et|then|puis)\s)(?:{names})(?![\w.]?\w))+"
    runs = [re.findall(names, match.group()) for match in re.finditer(run, text)]
    return any(len(set(one)) == len(columns) == len(one) and not _heads(one, columns) for one in runs)


def _transposed(numbers: Sequence[Sequence[Quantity]]) -> list[list[Quantity]]:
    return [list(column) for column in zip(*numbers, strict=True)]


def _held(asked: Mapping[tuple[int, int], Target], numbers: Sequence[Sequence[Quantity]]) -> int:
    """How many numbers of a matrix are right."""
    return sum(aim.is_right(numbers[row][column]) for (row, column), aim in asked.items())


def _found(read: Sequence[_Read]) -> tuple[int, int]:
    """How many cells are there, and how many of them are right."""
    return sum(bool(one.cells) for one in read), sum(one.verdict() is True for one in read)


def _first(names: str | tuple[str, ...]) -> str:
    return _names(names)[0]


def _readings(one: Table, asked: Sequence[AskedCell]) -> tuple[tuple[_Read, ...], tuple[_Read, ...]]:
    """The table as it stands and with rows and columns swapped; first the way in which more of the cells are there."""
    straight, swapped = (
        tuple(_Read(cell, _meant(one.cells, cell, is_swapped=turned)) for cell in asked) for turned in (False, True)
    )
    is_row = len({cell.evidence for cell in one.cells}) == 1 and len({cell.column for cell in asked}) == 1
    if is_row:
        swapped = tuple(_Read(cell, tuple(o for o in one.cells if _is_called(o.column, cell.row))) for cell in asked)
    straight = _with_the_rest(one, straight, is_swapped=False)
    swapped = _with_the_rest(one, swapped, is_swapped=True, is_row=is_row)
    best, other = (swapped, straight) if _found(swapped)[0] > _found(straight)[0] else (straight, swapped)
    if _found(best)[0] < len(asked) and all(part.verdict() for part in best if part.cells):
        best = _by_values(one, asked, is_swapped=False) or _by_values(one, asked, is_swapped=True) or best
    return best, other


def _with_the_rest(one: Table, read: tuple[_Read, ...], *, is_swapped: bool, is_row: bool = False) -> tuple[_Read, ...]:
    """The cells of the only row that was not found taken from the only one of the table that has no known name, where
    they are right. With `is_row` the table is a single row, whose own name is not asked for."""
    lacking = {part.asked.row for part in read if not part.cells}
    names = [name for part in read for name in _names(part.asked.row)]
    labels = dict.fromkeys(_label(cell, is_swapped) for cell in one.cells)
    unknown = [label for label in labels if label.strip() and not _is_called(label, tuple(names))]
    if len(lacking) != 1 or len(unknown) != 1 or all(not part.cells for part in read):
        return read
    own = [cell for cell in one.cells if _label(cell, is_swapped) == unknown[0]]
    rest = tuple(
        part
        if part.cells
        else _Read(
            part.asked, tuple(c for c in own if is_row or _is_called(_label(c, not is_swapped), part.asked.column))
        )
        for part in read
    )
    return rest if all(part.verdict() for part in rest if part.asked.row in lacking) else read


def _label(cell: Cell, is_swapped: bool) -> str:
    return cell.column if is_swapped else cell.row


def _by_values(one: Table, asked: Sequence[AskedCell], *, is_swapped: bool) -> tuple[_Read, ...]:
    """The cells that hold all that is asked for, row by row in the order of the question, whatever rows and columns are
    called; but none in a row that is called as another one or as a column. Nothing where they do not, or where the
    values tell too little: they are all different."""
    if any(cell.value is None for cell in asked) or len({cell.value for cell in asked}) < max(len(asked), _FEWEST):
        return ()
    rows = list(dict.fromkeys(cell.row for cell in asked))
    labels = list(dict.fromkeys(_label(cell, is_swapped) for cell in one.cells))
    read: list[_Read] = []
    columns: dict[str | tuple[str, ...], str] = {}
    for row in rows:
        called = (*rows, *(cell.column for cell in asked))
        others = tuple(name for other in called if other != row for name in _names(other))
        while labels:
            label = labels.pop(0)
            own = [cell for cell in one.cells if _label(cell, is_swapped) == label]
            fits = [_holding(own, cell, columns, is_swapped) for cell in asked if cell.row == row]
            is_other = _is_called(label, others) and not _is_called(label, row)
            if all(fits) and not is_other:
                read += [part for part in fits if part]
                columns |= {part.asked.column: _label(part.cells[0], not is_swapped) for part in fits if part}
                break
        else:
            return ()
    return tuple(read)


def _holding(
    own: Sequence[Cell], asked: AskedCell, columns: Mapping[str | tuple[str, ...], str], is_swapped: bool
) -> _Read | None:
    """The cell of a row that holds a value, in the column in which those of the rows before stand."""
    for cell in own:
        read = _Read(asked, (cell,))
        if read.verdict() and columns.get(asked.column) in (None, _label(cell, not is_swapped)):
            return read
    return None


def _meant(cells: Sequence[Cell], asked: AskedCell, *, is_swapped: bool) -> tuple[Cell, ...]:
    """The cells whose labels are called as asked: those called just so before those of which it is a part."""
    row, column = (asked.column, asked.row) if is_swapped else (asked.row, asked.column)
    fits = [one for one in cells if _is_called(one.row, row) and _is_called(one.column, column)]
    exact = [one for one in fits if _is_named(one.row, row) and _is_named(one.column, column)]
    return tuple(exact or fits)


def _is_called(label: str, names: str | tuple[str, ...]) -> bool:
    return mention(_one_line(label), _names(names), 0) is not None


def _is_named(label: str, names: str | tuple[str, ...]) -> bool:
    own = _names(names)
    return folded(_one_line(label)).strip() in {folded(name) for name in own}


def _one_line(label: str) -> str:
    return re.sub(r"\^(?=\d)", "", label)

"""The check `table`: the cells of a table are right.

Cells are found by the names of their rows and columns, or by their values. Tables may be written, printed by code,
given as a matrix, or stated in words.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from decimal import Decimal
from functools import lru_cache
from itertools import chain, islice
from typing import Final, NamedTuple, Self

from pydantic import model_validator

from grader.checks.absence import absence, concluded_absent, own_sections
from grader.checks.check import Conclusion, check
from grader.checks.decide import decided_by_parts, with_verdict
from grader.checks.feedback import LIKELY_MEANT, SEVERAL, UNCERTAIN, Reason
from grader.checks.finding import ExpectedAnswer, Finding, Status
from grader.checks.own_numbers import bounds_told
from grader.checks.shown_values import asked_split, is_of_other_split, question_cells
from grader.claims.answer import Answer, Kind
from grader.claims.numerals import Firmness, Quantity, Target, quantities, range_target, sentence_bounds, target
from grader.claims.passage import Passage, normalise
from grader.claims.sections import Section
from grader.claims.shown_tables import shown_tables
from grader.claims.spelt_numbers import spelt_quantities
from grader.claims.statements import mention
from grader.claims.tables import Cell, Matrix, Table, matrices, named_rows, rows_in_line, spaced_tables, tables
from grader.frozen import Frozen
from grader.lab.definition import Lab
from grader.language import lexicon
from grader.language.folding import fold_text
from grader.message import Message, join_messages, label_text, say, say_data, say_number
from grader.reading.document import BlockKind, Evidence

_QUOTE: Final = 300
_FEWEST: Final = 2
_MOST_MATRICES: Final = 50


class AskedCell(Frozen):
    """A required cell: possible names of its row and column, as beginnings of words, and its right content.

    The content is a value, or one of several (`also`); several values in order (`values`); or a value within bounds.
    """

    row: str | tuple[str, ...]
    column: str | tuple[str, ...]
    value: Decimal | None = None
    also: tuple[Decimal, ...] = ()
    values: tuple[Decimal, ...] = ()
    between: tuple[Decimal, Decimal] | None = None
    least: Decimal | None = None
    most: Decimal | None = None
    tolerance: Decimal | None = None
    relative: Decimal = Decimal(0)
    unit: str = ""
    none: tuple[str, ...] = ()

    @property
    def aims(self) -> tuple[Target, ...]:
        """The right numbers: any one of them, or with `values` all in order."""
        if self.between is not None:
            low, high = self.between
            return (Target((low + high) / 2, (high - low) / 2, self.unit),)
        own_values = self.values or (() if self.value is None else (self.value, *self.also))
        if not own_values:
            return (range_target(self.least, self.most, self.unit),)
        return tuple(target(value, self.tolerance, self.relative, self.unit) for value in own_values)

    def is_right(self, quantity: Quantity) -> bool:
        """Whether a number is the cell's value. No single number is right for a cell with several values."""
        return not self.values and any(aim.is_right(quantity) for aim in self.aims)

    def verdict(self, text: str) -> bool | None:
        """Whether the text of a cell is right; None if it contains no number or is open."""
        if self.values:
            return self._verdict_on_several(_numbers(text.replace("/", " , ")))
        found = _numbers(text)[:1] or list(_noughts(text, self.none))
        if not found or self.is_right(found[0]):
            return True if found else None
        is_open = self.between is not None or any(aim.may_be_right(found[0]) for aim in self.aims)
        return None if is_open else False

    def _verdict_on_several(self, found: Sequence[Quantity]) -> bool | None:
        if len(found) != len(self.values):
            return None
        pairs = list(zip(self.aims, found, strict=True))
        if all(aim.is_right(quantity) for aim, quantity in pairs):
            return True
        return (
            None if any(aim.may_be_right(quantity) and not aim.is_right(quantity) for aim, quantity in pairs) else False
        )

    @property
    def rows(self) -> tuple[str, ...]:
        """The possible names of its row."""
        return (self.row,) if isinstance(self.row, str) else self.row

    @property
    def columns(self) -> tuple[str, ...]:
        """The possible names of its column."""
        return (self.column,) if isinstance(self.column, str) else self.column

    @property
    def told(self) -> Message:
        """The right content for messages."""
        if self.between is not None:
            return bounds_told(*self.between)
        if self.values:
            return join_messages(", ", map(say_data, map(str, self.values)))
        if self.value is None:
            return bounds_told(self.least, self.most)
        return (
            join_messages(say(" or "), map(say_data, map(str, (self.value, *self.also))))
            if self.also
            else say_data(str(self.value))
        )

    @model_validator(mode="after")
    def _is_one_of_all(self) -> Self:
        given = (self.value, self.values or None, self.between, self.least if self.most is None else self.most)
        if sum(entry is not None for entry in given) != 1:
            raise ValueError("a cell holds a value, values, one between two others, or one beyond a bound: give one")
        return self


def _noughts(text: str, none: tuple[str, ...]) -> Iterator[Quantity]:
    """Return the zero that a cell states in words or by a sign."""
    spelling = "none" if text.strip().casefold() in {candidate.casefold() for candidate in none} else text
    return (quantity for quantity in spelt_quantities(spelling, (*none, "none") if spelling != text else none) if none)


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
    none: tuple[str, ...] = (),
) -> Iterator[Conclusion]:
    """The numbers in the table are right.

    - `cells`: what is asked for. Each has a `row`, a `column`, and one of the contents below. With `row = ["forest",
      "trees"]`, one of the words is enough.
    - `rows_are`, `columns_are`: words for what rows and columns stand for, such as `["true"]` and `["predicted"]`. They
      show which way round a table is labelled.
    - `not_of`: words of rows and columns to ignore, such as `["train"]`.
    - `none`: words or signs that mean 0 in a cell, such as `["none", "-"]`.

    | a cell in the lab | verdict on another number |
    | --- | --- |
    | `value`, with `tolerance`, `relative` and `also` as for `numeric-answer` | wrong |
    | several numbers: `values = [2, 4]` | wrong |
    | bounds: `least`, `most` or both; set both for shares | wrong |
    | an expected range: `between = [0.4, 0.6]` | review |

    With `unit = "%"` in a cell, `0.96` is 96, and `1.0` is 100. Headers on two levels are joined: the column `RMSE`
    below `test` is called `test RMSE`. Write `column = "test RMSE"`, or `column = "RMSE"` with `not_of = ["train"]`.

    Decides: whether all, some or none of the cells are right. The table may be transposed and have further rows and
    columns. A table with unknown labels is right if all values stand in the expected order. A list, a sentence (`none:
    94.5, shifted: 93.7`) or output of the question's own cells counts only if all values are right.

    Leaves to people: cells that are missing or found twice, numbers that are nearly right, contradictory tables, and
    tables in pictures.

    Example:
        cells = [
            { row = "linear", column = "RMSE", value = 0.72, tolerance = 0.01 },
            { row = ["forest", "trees"], column = "RMSE", value = 0.51, tolerance = 0.01 },
        ]
    """
    cells = tuple(cell.model_copy(update={"none": cell.none or none}) for cell in cells)
    cell_texts = (label_text(f"{c.rows[0]}, {c.columns[0]}", c.told) for c in cells)
    finding = Finding(
        item=item, status=Status.REVIEW, expected=ExpectedAnswer(text=join_messages(say("; "), cell_texts))
    )
    question = lab.question_of(item)
    axes = _Axes(rows_are, columns_are)
    every = [
        candidate.model_copy(update={"cells": own_cells})
        for passage in answer.passages(question)
        for candidate in (*tables(passage, _values_in_words(passage, cells)), *spaced_tables(passage))
        if (
            own_cells := tuple(
                c for c in candidate.cells if not (_is_called(c.row, not_of) or _is_called(c.column, not_of))
            )
        )
    ]
    others = tuple(_other_columns(lab, item, [name for cell in cells for name in cell.columns]))
    named = [name for cell in cells for name in (*cell.rows, *cell.columns)]
    title = next(lab_item.title for lab_item in lab.items if lab_item.id == item)
    telling = [word for word in re.findall(_TITLE_WORD, title) if not _is_called(word, named)]
    beside = " ".join(section.passage.text for section in answer.sections if section.questions == (question,))
    shown = list(_shown_tables(answer, lab, item, cells, not_of))
    readings = [
        _readings(candidate, cells, axes.order(candidate, beside), others, telling)
        for candidate in (*every, *(shown_table.table for shown_table in shown))
    ]
    best, turned, order = max(readings, key=lambda read: _found(read[0]), default=((), (), frozenset()))
    if _found(best)[0]:
        at = next(number for number, read in enumerate(readings) if read[0] is best)
        guessed = [False] * len(every) + [shown_table.is_guessed for shown_table in shown]
        rivals = [
            read
            for (read, _, _), is_guessed in zip(readings, guessed, strict=True)
            if read is not best and not is_guessed and all(candidate.cells for candidate in read)
        ]
        is_asked = any(question in section.questions for section in answer.sections)
        yield _judged(
            finding,
            best,
            rivals,
            turned,
            is_asked=is_asked,
            is_torn=len(order) > 1,
            is_shown=at >= len(every),
        )
    else:
        otherwise = _in_words(finding, cells, answer, question, not_of)
        otherwise = otherwise or _as_matrix(finding, cells, answer, question, axes.stated_order(beside))
        yield otherwise or concluded_absent(finding, absence(answer, lab, item))


class _ShownTable(NamedTuple):
    """A table printed by code. `is_guessed`: its only column has another name than in the lab."""

    table: Table
    is_guessed: bool


def _shown_tables(
    answer: Answer, lab: Lab, item: str, cells: Sequence[AskedCell], not_of: Sequence[str]
) -> Iterator[_ShownTable]:
    """Yield the tables that the question's own cells print.

    A single column of numbers counts whatever its name is, unless it is for another part of the data or another item.
    """
    columns = tuple(dict.fromkeys(cell.columns for cell in cells))
    names = list(chain(*columns))
    split = asked_split(lab, item, names)
    others = list(_other_columns(lab, item, names))
    for shown_table in chain.from_iterable(map(shown_tables, question_cells(answer, lab.question_of(item)).own)):
        own_cells = tuple(
            cell for cell in shown_table.cells if not _is_of_another(cell, shown_table.caption, not_of, split)
        )
        titles = {cell.column for cell in own_cells}
        is_only = len(columns) == 1 == len(titles) == len({cell.column for cell in shown_table.cells})
        is_guessed = is_only and not _is_called(next(iter(titles)), columns[0])
        if is_guessed and _is_called(next(iter(titles)), others):
            continue
        if is_guessed:
            own_cells = tuple(cell.model_copy(update={"column": columns[0][0]}) for cell in own_cells)
        yield _ShownTable(Table(caption=shown_table.caption, cells=own_cells), is_guessed)


def _is_of_another(cell: Cell, caption: str, not_of: Sequence[str], split: str) -> bool:
    """Whether a printed cell is for something else, or for another part of the data."""
    is_called = any(_is_called(text, not_of) for text in (cell.row, cell.column, caption))
    return is_called or is_of_other_split(cell.column or caption, split)


def _other_columns(lab: Lab, item: str, names: Sequence[str]) -> Iterator[str]:
    """Yield the names of columns that other items ask for and this one does not."""
    for lab_item in lab.items:
        for cell in lab_item.options.get("cells", ()) if lab_item.id != item else ():
            column = cell.get("column", ()) if isinstance(cell, dict) else ()
            every = (column,) if isinstance(column, str) else column
            yield from (name for name in every if name not in names)


_JOINED: Final = r"[(\[]?(?:[a-z]\s?=\s?)?\d[\d.,]*(?:\s*(?:[,;/&]|<and>)\s*(?:[a-z]\s?=\s?)?\d[\d.,]*)+[)\]]?"


def _values_in_words(passage: Passage, asked: Sequence[AskedCell]) -> frozenset[str]:
    """Return the texts of a passage's cells that are values although they are words.

    They are words for zero, and several numbers if a cell must contain several.
    """
    none = {fold_text(word) for cell in asked for word in cell.none}
    are_several = any(cell.values for cell in asked)
    texts = (
        {normalise(cell).text.strip() for block in passage.blocks for cell in block.cells}
        if none or are_several
        else ()
    )
    return frozenset(
        text
        for text in texts
        if fold_text(text) in none or (are_several and lexicon.fullmatch(_JOINED, text) is not None)
    )


class _Read(NamedTuple):
    """A required cell with the cells of a table that may be meant."""

    asked: AskedCell
    cells: tuple[Cell, ...]

    def verdict(self) -> bool | None:
        """Whether the cell is right; None if there is none or it is open which one is meant."""
        verdicts = [self.asked.verdict(cell.text) for cell in self.cells]
        if verdicts and all(verdicts):
            return True
        return False if verdicts == [False] else None


@lru_cache(maxsize=4096)
def _numbers(text: str) -> list[Quantity]:
    """Return the numbers of a text that are not operands."""
    return [quantity for quantity in quantities(text) if quantity.firmness is not Firmness.OPERAND]


def _is_called(label: str, names: Sequence[str]) -> bool:
    number = _as_number(label)
    if number is not None and any(_as_number(name) is not None for name in names):
        return any(_as_number(name) == number for name in names)
    return any(_begins_word(_plain(label), name) for name in names)


def _begins_word(label: str, name: str) -> bool:
    """Whether a name is the beginning of a word of a label. A number is only the whole one: 1, but not 10 or 1.5."""
    at = 0
    while match := mention(label, (name,), at):
        if not (name[-1:].isdigit() and re.match(r"[.,]?\d", label[match[1] :])):
            return True
        at = match[1]
    return False


def _as_number(label: str) -> Decimal | None:
    """Return the value of a label that is a number, such as `0.10` or `1e-3`, or None."""
    return Decimal(label) if re.fullmatch(r"-?\d{1,9}(?:\.\d{1,9})?(?:e-?\d{1,2})?", label) else None


def _plain(label: str) -> str:
    """Return a label without the sign for superscript digits."""
    return re.sub(r"\^(?=\d)", "", label)


_Reading = tuple[_Read, ...]
_Order = frozenset[bool]
"""Whether the rows and columns of a table are in the required order (True), exchanged (False), both, or unknown
(empty)."""


def _judged(
    finding: Finding,
    best: _Reading,
    rivals: Sequence[_Reading],
    turned: _Reading,
    *,
    is_asked: bool,
    is_torn: bool,
    is_shown: bool,
) -> Finding:
    """Return the verdict on the best table.

    `rivals` are complete tables beside it; `turned` is the best table with rows and columns exchanged.
    """
    verdicts = [read.verdict() for read in best]
    is_right = all(verdicts)
    open_ones = [read.asked for read, verdict in zip(best, verdicts, strict=True) if verdict is None]
    places = [
        read.cells[0].evidence for read, verdict in zip(best, verdicts, strict=True) if read.cells and not verdict
    ]
    shown = tuple(dict.fromkeys(places or [read.cells[0].evidence for read in best if read.cells]))[:6]
    message = _told(sum(verdict is True for verdict in verdicts), len(best))
    names = ", ".join(f"{cell.rows[0]}/{cell.columns[0]}" for cell in open_ones)
    return decided_by_parts(
        finding.with_changes(evidence=shown, found=message),
        verdicts,
        message,
        Reason(say("These cells are not certain: {names}.", names=names)).keep_if(names),
        SEVERAL.keep_if(any(candidate.verdict() is not is_right for read in rivals for candidate in read)),
        _EXCHANGED.keep_if(not is_right and all(read.verdict() for read in turned)),
        LIKELY_MEANT.keep_if(not is_right and not is_asked),
        _TORN.keep_if(is_right and is_torn),
        UNCERTAIN.keep_if(is_shown and not is_right),
    )


_EXCHANGED: Final = Reason(say("With rows and columns exchanged, all cells are right."))
_TORN: Final = Reason(say("The labels of the table and the words beside it disagree about its rows."))
_UNLABELLED: Final = Reason(say("The table has no labels that say what its rows and columns are."), is_likely=False)


def _told(right: int, every: int) -> Message:
    return say_number("{number} of {all} cells is right.", "{number} of {all} cells are right.", right, all=every)


_CLAUSE_END: Final = r"[,;.()\n]|<and|while>"


class _Axes(NamedTuple):
    """The words for the things that rows and columns of the table stand for."""

    rows: tuple[str, ...]
    columns: tuple[str, ...]

    def order(self, candidate: Table, beside: str) -> _Order:
        """Return the order of rows and columns by a table's labels, or else by its caption or the text beside it."""
        if not all(self):
            return frozenset()
        cells = [cell for cell in candidate.cells if cell.row]
        of_rows, of_columns = (
            {axis for label in labels if (axis := self._axis(label)) is not None}
            for labels in ({cell.row for cell in cells}, {cell.column for cell in cells})
        )
        # The corner names both axes. In `true \\ predicted`, the first word is for the rows.
        label_order = of_rows | ({not axis for axis in of_columns} if of_columns != of_rows else set())
        text_order = self.stated_order(f"{candidate.caption}\n{beside}")
        return frozenset(label_order | text_order) if len(text_order) == 1 else frozenset(label_order)

    def stated_order(self, text: str) -> _Order:
        """Return the order of rows and columns by the sentences of a text."""
        found: set[bool] = set()
        for match in lexicon.find_all("(?P<row><row>)|<column>", text if self.rows and self.columns else ""):
            end = next((candidate.start() for candidate in lexicon.find_all(_CLAUSE_END, text, match.end())), len(text))
            begin = max(
                (candidate.end() for candidate in lexicon.find_all(_CLAUSE_END, text, 0, match.start())), default=0
            )
            axis = self._axis(text[match.end() : end])
            axis = self._axis(text[begin : match.start()]) if axis is None else axis
            found |= set() if axis is None else {axis is bool(match["row"])}
        return frozenset(found)

    def _axis(self, text: str) -> bool | None:
        """Whether a text first mentions the rows' subject (True) or the columns' (False); None if neither."""
        row, column = (mention(text, words, 0) for words in (self.rows, self.columns))
        return None if row is column is None else column is None or (row is not None and row < column)


def _readings(
    candidate: Table, asked: Sequence[AskedCell], order: _Order, others: Sequence[str], telling: Sequence[str]
) -> tuple[_Reading, _Reading, _Order]:
    """Return a table as it stands and with rows and columns exchanged, the better reading first.

    The reading with more cells is better; if both have as many, the labels decide. `others` are the names of other
    items' columns, and `telling` words of the item's title, which decide between several cells.
    """
    turned = tuple(cell.model_copy(update={"row": cell.column, "column": cell.row}) for cell in candidate.cells)
    # If a table has a single row and one column is required, the row's name does not matter.
    is_row = len({cell.evidence for cell in candidate.cells}) == 1 and len({cell.column for cell in asked}) == 1
    is_row = is_row and not any(_is_called(cell.row, others) for cell in candidate.cells)
    best, other = _read(candidate.cells, asked, telling), _read(turned, asked, telling, is_row=is_row)
    if _found(other)[0] > _found(best)[0]:
        best, other = other, best
    if _found(best)[0] < len(asked) and all(part.verdict() for part in best if part.cells):
        best = _by_values(candidate.cells, asked) or _by_values(turned, asked) or best
    is_told = order == {False} and _found(other)[0] == _found(best)[0]
    return (other, best, order) if is_told else (best, other, order)


def _found(read: _Reading) -> tuple[int, int]:
    """Return the number of cells that were found, and the number of right ones."""
    return sum(bool(candidate.cells) for candidate in read), sum(candidate.verdict() is True for candidate in read)


def _read(
    cells: Sequence[Cell], asked: Sequence[AskedCell], telling: Sequence[str], *, is_row: bool = False
) -> _Reading:
    """Return, for each required cell, the cells with its labels. Exact labels count before longer ones that contain
    them.

    If a single row was not found, the only row without a known name is meant, provided that its cells are right. With
    `is_row`, columns may have any name.
    """

    def meant(table_cells: Sequence[Cell], cell: AskedCell, row: Sequence[str]) -> tuple[Cell, ...]:
        fits = [
            c
            for c in table_cells
            if (not row or _is_called(c.row, row)) and (is_row or _is_called(c.column, cell.columns))
        ]
        exact = [c for c in fits if _is_named(c.row, row) and _is_named(c.column, cell.columns)]
        return tuple(fits if is_row else _about(exact or fits, telling))

    read = tuple(_Read(cell, meant(cells, cell, cell.rows)) for cell in asked)
    lacking = {part.asked.row for part in read if not part.cells}
    names = [name for cell in asked for name in cell.rows]
    unknown = [row for row in dict.fromkeys(c.row for c in cells) if row.strip() and not _is_called(row, names)]
    if len(lacking) != 1 or len(unknown) != 1 or not any(part.cells for part in read):
        return read
    own_cells = [cell for cell in cells if cell.row == unknown[0]]
    rest = tuple(part if part.cells else part._replace(cells=meant(own_cells, part.asked, ())) for part in read)
    return rest if all(part.verdict() for part in rest if part.asked.row in lacking) else read


def _about(cells: Sequence[Cell], telling: Sequence[str]) -> Sequence[Cell]:
    """Return the cells whose labels have some words, or all cells."""
    return [cell for cell in cells if telling and mention(f"{cell.row} {cell.column}", telling, 0)] or cells


_TITLE_WORD: Final = r"[A-Z]{2,}|[^\W\d_]{4,}"
"""A long word or an abbreviation in an item's title."""


def _is_named(label: str, names: Sequence[str]) -> bool:
    """Whether a label is exactly one of some names."""
    is_number = _as_number(label) is not None and _is_called(label, names)
    return not names or is_number or fold_text(_plain(label)).strip() in {fold_text(name) for name in names}


def _by_values(cells: Sequence[Cell], asked: Sequence[AskedCell]) -> _Reading:
    """Return the cells that contain all right values row by row in the question's order, whatever their labels are.

    A row with the name of another row or of a column does not count. Return nothing if the values are too few to
    identify the cells, or not all different.
    """
    if any(cell.value is None for cell in asked) or len({cell.value for cell in asked}) < max(len(asked), _FEWEST):
        return ()
    labels = iter(dict.fromkeys(cell.row for cell in cells))
    read: list[_Read] = []
    columns: dict[tuple[str, ...], str] = {}
    for row in dict.fromkeys(cell.rows for cell in asked):
        others = [name for cell in asked for name in (*(cell.rows if cell.rows != row else ()), *cell.columns)]
        wanted = [cell for cell in asked if cell.rows == row]
        for label in labels:
            if _is_called(label, others) and not _is_called(label, row):
                continue
            fits = [
                next((part for c in cells if c.row == label and (part := _Read(cell, (c,))).verdict()
                      and columns.get(cell.columns) in (None, c.column)), None)
                for cell in wanted
            ]  # fmt: skip
            if all(fits):
                read += filter(None, fits)
                columns |= {part.asked.columns: part.cells[0].column for part in fits if part}
                break
        else:
            return ()
    return tuple(read)


def _in_words(
    finding: Finding, cells: Sequence[AskedCell], answer: Answer, question: str, not_of: Sequence[str]
) -> Finding | None:
    """Return the finding for numbers that are stated in words, or None unless all are there and right.

    A number follows its row's name and, if there are several columns, its column's name; or it directly precedes its
    row's name.
    """
    for section in (
        *own_sections(answer, question),
        *(candidate for candidate in answer.sections if question in candidate.questions),
    ):
        places = _each(cells, section, _behind) or _each(cells, section, _before) or _in_order(cells, section)
        if places:
            rows = (block.text for block in section.passage.blocks if block.kind is BlockKind.ROW)
            is_other = any(mention(text, not_of, 0) for text in (*rows, *(place.quote for place in places)))
            message = say("All cells are right.")
            return with_verdict(
                finding.with_changes(evidence=tuple(places[:6]), found=message),
                Status.CORRECT,
                message,
                UNCERTAIN.keep_if(is_other),
                UNCERTAIN.keep_if(any(map(_is_endless, cells))),
                LIKELY_MEANT.keep_if(question not in section.questions),
            )
    return None


def _is_endless(cell: AskedCell) -> bool:
    """Whether any large number is right, so that a right one in a text may be of something else."""
    return cell.most is None and any(aim.is_range for aim in cell.aims)


def _each(
    cells: Sequence[AskedCell],
    section: Section,
    way: Callable[[Section, AskedCell, Sequence[str], Sequence[str]], Evidence | None],
) -> list[Evidence]:
    """Return the place of each required number in a section, found in one way; empty if one is missing."""
    rows, columns = (
        dict.fromkeys(candidate.rows for candidate in cells),
        dict.fromkeys(candidate.columns for candidate in cells),
    )
    if len(rows) * len(columns) < len(cells):
        return []
    every_row, every_column = list(chain(*rows)), list(chain(*columns))
    places: list[Evidence] = []
    for cell in cells:
        others = [name for name in every_row if name not in cell.rows]
        further = [name for name in every_column if name not in cell.columns]
        place = way(section, cell, others, further)
        if place is None:
            return []
        places.append(place)
    return places


def _behind(section: Section, cell: AskedCell, others: Sequence[str], columns: Sequence[str]) -> Evidence | None:
    """Return the place of a right number after its row's name, or None if the first mention has another number.

    It is the result of a calculation, or the first number; with several columns, the number after its column's name.
    """
    text = section.passage.text
    at = mention(text, cell.rows, section.lead)
    if at is None:
        return None
    rival = mention(text, others, at[1])
    begin, end = at[1], min(rival[0] if rival else len(text), at[1] + _QUOTE)
    if columns:
        column_mention = mention(text, cell.columns, begin, end)
        if column_mention is None:
            return None
        following = mention(text, columns, column_mention[1], end)
        begin, end = column_mention[1], following[0] if following else end
    found = _numbers(text[begin:end])
    line = text[begin:].partition("\n")[0]
    ends = [quantity for quantity in found if quantity.firmness is Firmness.SET and quantity.start < len(line)]
    stated = ends[-1:] or found[:1]
    is_right = bool(stated) and cell.is_right(stated[0])
    return section.passage.evidence(at[0], begin + stated[0].end) if is_right else None


def _before(section: Section, cell: AskedCell, others: Sequence[str], columns: Sequence[str]) -> Evidence | None:
    """Return the place of a right number a few words before its row's name, or None."""
    text = section.passage.text
    at = mention(text, cell.rows, section.lead)
    if at is None or columns:
        return None
    left, _ = sentence_bounds(text, *at)
    before = _numbers(text[left : at[0]])
    between = text[left + before[-1].end : at[0]] if before else ""
    is_next = len(between.split()) <= _FEW_WORDS and not re.search(r"[,;:()]", between)
    is_right = bool(before) and is_next and cell.is_right(before[-1])
    return section.passage.evidence(left + before[-1].start, at[1]) if is_right else None


_FEW_WORDS: Final = 3


def _in_order(cells: Sequence[AskedCell], section: Section) -> list[Evidence]:
    """Return the places of one column's numbers if they stand consecutively in the question's order; otherwise empty.

    There must be at least three, all different.
    """
    values = {cell.value for cell in cells}
    if len({cell.column for cell in cells}) > 1 or None in values or len(values) < max(len(cells), _FEWEST + 1):
        return []
    found = _numbers(section.passage.text[section.lead :])
    for first in range(len(found) - len(cells) + 1):
        own_quantities = found[first : first + len(cells)]
        if all(cell.is_right(quantity) for cell, quantity in zip(cells, own_quantities, strict=True)):
            return [
                section.passage.evidence(section.lead + own_quantities[0].start, section.lead + own_quantities[-1].end)
            ]
    return []


_Numbers = Sequence[Sequence[Quantity]]


def _as_matrix(
    finding: Finding, cells: Sequence[AskedCell], answer: Answer, question: str, order: _Order
) -> Finding | None:
    """Return the finding for a matrix without labels in the required order, or None if there is none of this size."""
    rows, columns = (
        list(dict.fromkeys(cell.rows for cell in cells)),
        list(dict.fromkeys(cell.columns for cell in cells)),
    )
    asked = {(rows.index(cell.rows), columns.index(cell.columns)): cell for cell in cells}
    if len(asked) < len(rows) * len(columns) or any(cell.value is None for cell in cells) or len(columns) < _FEWEST:
        return None
    found: list[tuple[Evidence, _Numbers]] = []
    in_other_order = False
    for section in (candidate for candidate in answer.sections if question in candidate.questions):
        for matrix, numbers in _of_size(section, rows, columns):
            found.append((section.passage.evidence(matrix.start, matrix.end), numbers))
            before = section.passage.text[max(section.lead, matrix.start - _QUOTE) : matrix.start]
            in_other_order = in_other_order or _heads_in_other_order(before, columns)
    if not found:
        return None

    def held(numbers: _Numbers) -> int:
        return sum(cell.is_right(numbers[row][column]) for (row, column), cell in asked.items())

    right = [held(numbers) for _, numbers in found]
    is_turned = order == {False} and len(rows) == len(columns)
    meant = [held(list(zip(*grid, strict=True))) for _, grid in found] if is_turned else right
    is_right = all(number == len(cells) for number in meant) and len(order) < 2 and not in_other_order
    message = _told(len(cells) if is_right else right[0], len(cells))
    finding = finding.with_changes(evidence=tuple(place for place, _ in found[:4]), found=message)
    if is_right:
        return with_verdict(finding, Status.CORRECT, message)
    # The rows or columns may be in another order. Then the answer goes to review.
    first = found[0][1]
    flipped = [[row[::across] for row in first[::down]] for down in (1, -1) for across in (1, -1)]
    others: list[_Numbers] = [*flipped, *(list(zip(*grid, strict=True)) for grid in flipped)]
    is_other = any(held(other) == len(cells) for other in others if len(other) == len(rows))
    is_open = is_other or in_other_order or False in order or len(set(right)) > 1
    verdicts = [True] * right[0] + [False] * (len(cells) - right[0])
    return decided_by_parts(finding, verdicts, message, _UNLABELLED.keep_if(is_open or not right[0]))


def _of_size(
    section: Section, rows: Sequence[tuple[str, ...]], columns: Sequence[tuple[str, ...]]
) -> Iterator[tuple[Matrix, _Numbers]]:
    """Yield the matrices of a section with the required size, including those that are written in lines."""
    text, width = section.passage.text, len(columns)
    line_matrices = (*named_rows(text, section.lead, rows, width), *rows_in_line(text, section.lead, len(rows), width))
    for matrix in (*islice(matrices(section.passage), _MOST_MATRICES), *line_matrices):
        inner = (
            matrix.rows[1:] if len(matrix.rows) == len(rows) + 1 and _heads(matrix.rows[0], columns) else matrix.rows
        )
        numbers = [[next(quantities(number)) for number in row] for row in inner]
        if [len(row) for row in numbers] == [width] * len(rows):
            yield matrix, numbers


def _heads(row: Sequence[str], columns: Sequence[tuple[str, ...]]) -> bool:
    return all(text in names for text, names in zip(row, columns, strict=False))


def _heads_in_other_order(text: str, columns: Sequence[tuple[str, ...]]) -> bool:
    """Whether a text lists the columns in another order than the required one."""
    names = "|".join(re.escape(name) for names in columns for name in names)
    run = rf"(?<![\w.])(?:{names})(?:(?:[\s,;/|&\"'()\[\]]{{1,4}}|\s(?:and|et|then|puis)\s)(?:{names})(?![\w.]?\w))+"
    runs = [re.findall(names, match.group()) for match in re.finditer(run, text)]
    return any(
        len(set(candidate)) == len(columns) == len(candidate) and not _heads(candidate, columns) for candidate in runs
    )

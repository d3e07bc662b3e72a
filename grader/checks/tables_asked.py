"""Are the cells of a table right, and is what code printed? Both are found by the words that stand at a number."""

import re
from collections.abc import Iterator, Sequence
from decimal import Decimal
from typing import Final, NamedTuple, Self

from pydantic import model_validator

from grader.checks.absence import absence, concluded_absent
from grader.checks.check import Conclusion, check
from grader.checks.finding import Diagnosis, Expected, Finding, Status
from grader.checks.numbers_asked import Target, Wrong, mention, own_sections, target, true_number
from grader.claims.answer import Answer
from grader.claims.code import CodeCell
from grader.claims.numerals import Firmness, Quantity, quantities
from grader.claims.sections import Section, folded
from grader.claims.tables import Cell, Table, spaced_tables, tables
from grader.frozen import Frozen
from grader.lab.definition import Lab
from grader.lab.truth import GroundTruth
from grader.message import Message, joined, say, say_data
from grader.reading.document import BlockKind, Evidence

_QUOTE: Final = 300
_MOST_OUTPUT: Final = 50_000
_MOST_LINES: Final = 1_000


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


class _Read(NamedTuple):
    """An asked cell with those that may be meant."""

    asked: AskedCell
    cells: tuple[Cell, ...]

    @property
    def numbers(self) -> list[Quantity]:
        """What stands in them; of a number and its spread the number."""
        found = [
            next((q for q in quantities(cell.text) if q.firmness is not Firmness.OPERAND), None) for cell in self.cells
        ]
        return [one for one in found if one is not None]

    def verdict(self) -> bool | None:
        """Whether what stands there is right; None where nothing does or it is open what is meant."""
        aim = self.asked.aim
        if not self.numbers or len(self.numbers) < len(self.cells):
            return None
        right = [aim.is_right(one) for one in self.numbers]
        if all(right):
            return True
        if (
            self.asked.between is not None
            or any(right)
            or any(aim.may_be_right(one) for one in self.numbers)
            or len(self.numbers) > 1
        ):
            return None
        return False


@check("table")
def table(answer: Answer, lab: Lab, *, item: str, cells: tuple[AskedCell, ...]) -> Iterator[Conclusion]:
    """The numbers in the table are right.

    - `cells`: what is asked for: `row` and `column`, each one or several beginnings of words by which they may be
      called, the `value`, and how much another may differ: `tolerance`, or `relative` as a share of the value. Where
      neither is set, the value is met to its last digit. Of what students measure themselves no value is known
      beforehand: `between` says where it is to lie, and one that lies elsewhere is for a person. `unit` is that of
      the value; with `"%"`, `0.96` is 96.

    Decides: all cells right, none right, or so many of them; rows and columns may be swapped, and further ones may
    stand there. Where all that is asked for stands in one column, and none is called so, it is the one that holds all
    the values.

    One column may be written as a list or a sentence (`none: 94.5, shifted: 93.7`): where all of it is right, it is
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
        "; ",
        (
            say("{row}, {column}: {value}", row=_first(one.row), column=_first(one.column), value=one.told)
            for one in cells
        ),
    )
    finding = Finding(item=item, status=Status.REVIEW, expected=Expected(text=expected))
    question = lab.question_of(item)
    passages = answer.passages(question)
    every = [one for passage in passages for one in (*tables(passage), *spaced_tables(passage)) if one.cells]
    readings = [_readings(one, cells) for one in every]
    best, swapped = max(readings, key=lambda pair: _found(pair[0]), default=((), ()))
    if not _found(best)[0]:
        yield _in_words(finding, cells, answer, question) or concluded_absent(finding, absence(answer, lab, item))
        return
    verdicts = [one.verdict() for one in best]
    places = [one.cells[0].evidence for one, verdict in zip(best, verdicts, strict=True) if one.cells and not verdict]
    shown = tuple(dict.fromkeys(places or [one.cells[0].evidence for one in best if one.cells]))[:6]
    right = sum(verdict is True for verdict in verdicts)
    told = say("{right} of {number} cells are right.", right=right, number=len(cells))
    finding = finding.changed(evidence=shown, found=told)
    rivals = [read for read, _ in readings if read is not best and all(one.cells for one in read)]
    is_other = any(one.verdict() is not (right == len(cells)) for read in rivals for one in read)
    is_swapped = right < len(cells) and all(one.verdict() for one in swapped)
    is_asked = any(question in one.questions for one in answer.sections)
    if right == len(cells) and not is_other:
        yield finding.changed(status=Status.CORRECT, feedback=told)
    elif None in verdicts or is_other or is_swapped or not is_asked:
        open_ones = [one.asked for one, verdict in zip(best, verdicts, strict=True) if verdict is None]
        names = ", ".join(f"{_first(one.row)}/{_first(one.column)}" for one in open_ones)
        said = (
            say("A person looks at these cells: {names}.", names=names)
            if names
            else say("It is open which table is meant.")
        )
        suggestion = Status.CORRECT if right == len(cells) else Status.PARTIAL if right else None
        yield finding.changed(suggestion=suggestion, feedback=joined(" ", (told, said)))
    elif right:
        yield finding.changed(status=Status.PARTIAL, share=Decimal(right) / len(cells), feedback=told)
    else:
        yield finding.changed(status=Status.INCORRECT, feedback=told)


def _in_words(finding: Finding, cells: Sequence[AskedCell], answer: Answer, question: str) -> Finding | None:
    """What is asked for in one column, stated in words: behind the name of each row, before that of another one, its
    number. None where it is not all there."""
    names = [(one.row,) if isinstance(one.row, str) else one.row for one in cells]
    if len({one.column for one in cells}) > 1 or len(set(names)) < len(names):
        return None
    places: list[Evidence] = []
    for section in own_sections(answer, question):
        for cell, row in zip(cells, names, strict=True):
            others = tuple(name for other in names if other != row for name in other)
            place = _behind(section, row, others, cell.aim)
            places += [place] if place else []
        if len(places) == len(cells):
            told = say("All {number} values are stated, and right.", number=len(cells))
            is_asked = question in section.questions
            return finding.changed(
                status=Status.CORRECT if is_asked else Status.REVIEW,
                suggestion=None if is_asked else Status.CORRECT,
                evidence=tuple(places[:6]),
                found=told,
                feedback=told,
            )
        places = []
    return None


def _behind(section: Section, names: Sequence[str], others: Sequence[str], aim: Target) -> Evidence | None:
    """Where a right number stands behind a name, as the last of a calculation or the first one; None where the first
    mention has another number."""
    text = section.passage.text
    at = mention(text, names, section.lead)
    if at is None:
        return None
    rival = mention(text, others, at[1])
    end = min(rival[0] if rival else len(text), at[1] + _QUOTE)
    found = [one for one in quantities(text[at[1] : end]) if one.firmness is not Firmness.OPERAND]
    line = text.find("\n", at[1])
    ends = [one for one in found if one.firmness is Firmness.SET and (line < 0 or at[1] + one.start < line)]
    stated = ends[-1:] or found[:1]
    if not stated or not aim.is_right(stated[0]):
        return None
    return section.passage.evidence(at[0], at[1] + stated[0].end)


def _found(read: Sequence[_Read]) -> tuple[int, int]:
    """How many cells are there, and how many of them are right."""
    return sum(bool(one.cells) for one in read), sum(one.verdict() is True for one in read)


def _first(names: str | tuple[str, ...]) -> str:
    return names if isinstance(names, str) else names[0]


def _readings(one: Table, asked: Sequence[AskedCell]) -> tuple[tuple[_Read, ...], tuple[_Read, ...]]:
    """The table as it stands and with rows and columns swapped; first the way in which more of the cells are there."""
    straight, swapped = (
        tuple(_Read(cell, _meant(one.cells, cell, is_swapped=is_swapped)) for cell in asked)
        for is_swapped in (False, True)
    )
    if not (_found(straight)[0] or _found(swapped)[0]):
        return _by_values(one, asked) or straight, swapped
    return (swapped, straight) if _found(swapped)[0] > _found(straight)[0] else (straight, swapped)


def _by_values(one: Table, asked: Sequence[AskedCell]) -> tuple[_Read, ...]:
    """The column that holds all that is asked for in one column, whatever it is called."""
    is_telling = len({cell.value for cell in asked if cell.value is not None}) > 1
    if len({cell.column for cell in asked}) > 1 or not is_telling or any(cell.between for cell in asked):
        return ()
    for column in dict.fromkeys(cell.column for cell in one.cells):
        own = [cell for cell in one.cells if cell.column == column]
        read = tuple(_Read(cell, tuple(o for o in own if _is_called(o.row, cell.row))) for cell in asked)
        if all(part.verdict() for part in read):
            return read
    return ()


def _meant(cells: Sequence[Cell], asked: AskedCell, *, is_swapped: bool) -> tuple[Cell, ...]:
    """The cells whose labels are called as asked: those called just so before those of which it is a part."""
    row, column = (asked.column, asked.row) if is_swapped else (asked.row, asked.column)
    fits = [one for one in cells if _is_called(one.row, row) and _is_called(one.column, column)]
    exact = [one for one in fits if _is_named(one.row, row) and _is_named(one.column, column)]
    return tuple(exact or fits)


def _is_called(label: str, names: str | tuple[str, ...]) -> bool:
    return mention(_one_line(label), (names,) if isinstance(names, str) else names, 0) is not None


def _is_named(label: str, names: str | tuple[str, ...]) -> bool:
    own = (names,) if isinstance(names, str) else names
    return folded(_one_line(label)).strip() in {folded(name) for name in own}


def _one_line(label: str) -> str:
    return re.sub(r"\^(?=\d)", "", label)


class _Line(NamedTuple):
    """A number that code printed behind its label."""

    quantity: Quantity
    cell: CodeCell
    line: str

    @property
    def evidence(self) -> Evidence:
        return Evidence(file=self.cell.file, cell=self.cell.cell, quote=self.line.strip()[:_QUOTE])


@check("printed-value", one_of=("value", "truth_id"))
def printed_value(
    answer: Answer,
    truth: GroundTruth,
    lab: Lab,
    *,
    item: str,
    value: Decimal | None = None,
    truth_id: str = "",
    tolerance: Decimal | None = None,
    relative: Decimal = Decimal(0),
    label: tuple[str, ...] = (),
    code: tuple[str, ...] = (),
    wrong: tuple[Wrong, ...] = (),
) -> Iterator[Conclusion]:
    """What the code printed is right.

    - `value`: the right number; or `truth_id`: the id of a count or of a parameter's value in `truth.json`.
    - `tolerance`, `relative`, `wrong`: as for `numeric-answer`.
    - `label`: beginnings of words that stand before the number in its line, or in the line above it. Of several, the
      first that is found counts: `["test rmse", "rmse"]`.
    - `code`: beginnings of words that stand in the code of the cell, such as the name of a function.

    Decides: the number behind its label, where all cells print the same one there.

    Leaves to people: a right number that stands in the code itself, different numbers behind one label or without a
    label, a number that is right but for rounding, a factor of 100 or a sign, and output without the label.

    Example:
        value = 0.512
        tolerance = 0.005
        label = ["test rmse"]
        code = ["predict"]
    """
    aim = target(true_number(truth, truth_id) if value is None else value, tolerance, relative)
    finding = Finding(
        item=item,
        status=Status.REVIEW,
        expected=Expected(text=str(aim.value), truths=(truth_id,) if truth_id else ()),
    )
    cells = [one for one in answer.code if not code or any(folded(name) in folded(one.source) for name in code)]
    tried = ([line for cell in cells for line in _labelled(cell, own)] for own in ([one] for one in label))
    found = next(filter(None, tried), []) if label else [line for cell in cells for line in _labelled(cell, ())]
    if found:
        listed = [(one, target(one.value, tolerance, relative)) for one in wrong]
        yield _printed(finding, found, aim, listed, is_labelled=bool(label))
    elif any(cell.output.strip() for cell in cells):
        place = next(cell for cell in cells if cell.output.strip())
        quote = Evidence(file=place.file, cell=place.cell, quote=place.output.strip()[:_QUOTE])
        yield finding.changed(
            evidence=(quote,), feedback=say("No output was recognised as the one asked for; a person looks.")
        )
    elif not answer.gaps and not any(one.output.strip() for one in answer.code) and not _is_shown(answer, aim):
        said = say("No output of code was handed in, neither in a notebook nor in the text.")
        yield finding.changed(status=Status.MISSING, feedback=said)
    else:
        yield concluded_absent(finding, absence(answer, lab, item))


def _is_shown(answer: Answer, aim: Target) -> bool:
    """Whether the exact number, or what a program printed, stands in a text."""
    blocks = [block for one in answer.sections for block in one.passage.blocks]
    if any(block.kind in (BlockKind.OUTPUT, BlockKind.FIGURE) for block in blocks):
        return True
    digits = -int(aim.margin.normalize().as_tuple().exponent) if aim.margin else 0
    exact = (one for block in blocks for one in quantities(block.text) if aim.is_right(one))
    return any(-int(one.resolution.normalize().as_tuple().exponent) > digits for one in exact)


def _printed(
    finding: Finding, found: Sequence[_Line], aim: Target, wrong: Sequence[tuple[Wrong, Target]], *, is_labelled: bool
) -> Finding:
    last = found[-1]
    right = [one for one in found if aim.is_right(one.quantity)]
    differ = len({one.quantity.readings[0] for one in found}) > 1
    finding = finding.changed(
        found=last.quantity.text, evidence=tuple(dict.fromkeys((last.evidence, *(one.evidence for one in right[:1]))))
    )
    if aim.is_right(last.quantity):
        if _is_typed(last):
            said = say(
                "{found} is right, but it stands in the code itself; a person looks how it was found.",
                found=last.quantity.text,
            )
            return finding.changed(feedback=said)
        if differ:
            said = say(
                "{found} is right, but other numbers were printed as well; a person looks which one is meant.",
                found=last.quantity.text,
            )
            return finding.changed(suggestion=Status.CORRECT, feedback=said)
        return finding.changed(
            status=Status.CORRECT, feedback=say("The code printed {found}.", found=last.quantity.text)
        )
    if any(aim.may_be_right(one.quantity) for one in found) or not is_labelled:
        return finding.changed(feedback=say("Several numbers were printed, or not the exact one; a person looks."))
    listed = next((one for one, other in wrong if other.is_right(last.quantity)), None)
    said = say("The code printed {found}, which is not right.", found=last.quantity.text)
    if listed:
        known = Diagnosis(id=f"known-wrong:{listed.value}", text=say_data(listed.why))
        finding, said = finding.changed(diagnoses=(known,)), joined(" ", (said, say_data(listed.why)))
    if differ:
        return finding.changed(suggestion=Status.INCORRECT, feedback=said)
    if listed and listed.share:
        return finding.changed(status=Status.PARTIAL, share=listed.share, feedback=said)
    return finding.changed(status=Status.INCORRECT, feedback=said)


def _is_typed(one: _Line) -> bool:
    """Whether the printed number stands in the code that printed it."""
    return re.search(rf"(?<![\w.]){re.escape(one.quantity.text)}(?![\w.])", one.cell.source) is not None


def _labelled(cell: CodeCell, label: Sequence[str]) -> Iterator[_Line]:
    """The numbers behind a label in the lines of an output: the first one there, or else in the next line; without a
    label all numbers."""
    lines = cell.output[-_MOST_OUTPUT:].split("\n")[-_MOST_LINES:]
    for number, line in enumerate(lines):
        if not label:
            yield from (_Line(one, cell, line) for one in quantities(line))
            continue
        at = 0
        while place := mention(line, label, at):
            at = place[1]
            behind = line[at:]
            own = next(iter(quantities(behind)), None)
            if own is None and not behind.strip(" :=-\"'") and number + 1 < len(lines):
                own = next(iter(quantities(lines[number + 1])), None)
            if own is not None:
                yield _Line(own, cell, line if own.text in behind else f"{line} {lines[number + 1]}")

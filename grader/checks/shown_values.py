"""Find the values that the cells of a question print.

`question_cells` finds the cells. `labelled_numbers`, `in_tables`, `named_in_code` and `bare_values` find the numbers.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise, takewhile
from typing import Final, NamedTuple

from grader.claims.answer import Answer
from grader.claims.code import CodeCell, shown_values
from grader.claims.numerals import Form, Quantity, Target, quantities
from grader.claims.passage import Passage
from grader.claims.shown_tables import plain_values, shown_tables
from grader.claims.statements import mention
from grader.lab.definition import Lab
from grader.language import lexicon
from grader.language.folding import fold_text
from grader.language.shapes import TOKEN
from grader.reading.document import Block, BlockKind, Evidence

MOST_OUTPUT: Final = 50_000
_MOST_LINES: Final = 1_000
_LONG_QUOTE: Final = 300
_LONGEST_VALUE: Final = 120


class QuestionCells(NamedTuple):
    """The cells of code that may answer a question.

    `own` are cells under a heading or comment that names it. `others` belong to no other question.
    """

    own: tuple[CodeCell, ...]
    others: tuple[CodeCell, ...]


def question_cells(answer: Answer, question: str) -> QuestionCells:
    """Return the cells that may answer a question. Cells below its answer's cell belong to it, up to a heading."""
    own_cells, taken = set[tuple[str, int]](), set[tuple[str, int]]()
    is_below = False
    for section in answer.sections:
        is_below = is_below and (section.questions, section.title) == ((), "")
        places = _cells_of(section.passage, is_cut=is_below)
        if question in section.questions or is_below:
            own_cells |= places
        elif section.questions:
            taken |= places
        is_below = question in section.questions and section.is_inline
    taken = taken - own_cells if own_cells else set()
    return QuestionCells(
        tuple(cell for cell in answer.code if (cell.file, cell.cell) in own_cells),
        tuple(cell for cell in answer.code if (cell.file, cell.cell) not in own_cells | taken),
    )


def _cells_of(passage: Passage, *, is_cut: bool) -> set[tuple[str, int]]:
    """Return the cells of a passage, by file and number. If `is_cut`, only those before its first heading."""
    blocks: Iterable[Block] = passage.blocks
    if is_cut:
        blocks = takewhile(lambda block: block.kind is not BlockKind.HEADING, blocks)
    return {(block.file or passage.file, block.cell) for block in blocks if block.cell is not None}


class Line(NamedTuple):
    """A printed number. A wrong one is the answer for certain (`is_certain`) only if it has a label of its own."""

    quantity: Quantity
    cell: CodeCell
    line: str
    before: str
    """The text before the number in its line, or its expression if the code shows it."""
    is_certain: bool = True

    @property
    def evidence(self) -> Evidence:
        """The place of the line."""
        return Evidence(file=self.cell.file, cell=self.cell.cell, quote=self.line.strip()[:_LONG_QUOTE])

    def is_of(self, words: Sequence[str]) -> bool:
        """Whether the last name before the number in its line is one of some words."""
        return bool(words) and mention(re.split(r"\d", self.before)[-1], words, 0) is not None


def _lines(cell: CodeCell) -> list[str]:
    """Return the lines of an output without Python's warnings, which quote versions."""
    lines = cell.output[-MOST_OUTPUT:].split("\n")[-_MOST_LINES:]
    return [line for line in lines if not re.search(r"\.py:\d+: \w*Warning\b", line)]


def all_numbers(cell: CodeCell) -> Iterator[Line]:
    """Yield all numbers of an output."""
    for line in _lines(cell):
        yield from (Line(quantity, cell, line, line[: quantity.start]) for quantity in quantities(line))


def labelled_numbers(cell: CodeCell, label: str, *, in_names: bool = False) -> Iterator[Line]:
    """Yield the numbers after a label in an output, in the same line or the next.

    Labels within an identifier, as in `val_rmse: 0.51`, count only with `in_names`, and only at the beginning of the
    line.
    """
    lines = list(_lines(cell))
    for index, (line, below) in enumerate(pairwise((*lines, ""))):
        for at in _label_ends(line, label, in_names=in_names):
            joint = _of_joint(line, at)
            own_quantity = _behind(line, at)
            if joint is not None:
                yield Line(joint, cell, line, line[:at], is_certain=not in_names)
            elif own_quantity is not None:
                is_certain = not (in_names or _is_of_key(line, at, own_quantity))
                yield Line(own_quantity, cell, line, line[: own_quantity.start], is_certain=is_certain)
            elif rows := list(_in_column(line, at, lines[index + 1 :])):
                yield from (Line(number, cell, f"{line} {row}", line, is_certain=not in_names) for number, row in rows)
            elif lexicon.fullmatch(_ONLY_SETS, line[at:]) and (own_quantity := next(iter(quantities(below)), None)):
                yield Line(own_quantity, cell, f"{line} {below}", line, is_certain=not in_names)


def _in_column(header: str, label_end: int, below: Sequence[str]) -> Iterator[tuple[Quantity, str]]:
    """Yield the numbers below a label in a line of column names, each with its row: `epochs  loss` above `10  0.21`."""
    names = [match.span() for match in re.finditer(r"\S+(?: \S+)*", header.replace("|", "  "))]
    place = next((number for number, (_, end) in enumerate(names) if label_end <= end), len(names))
    for row in below if len(names) > 1 else ():
        if not row.strip():
            continue
        numbers = list(quantities(row))
        if len(numbers) != len(names) or re.search(r"[^\W\d_]{2}", row):
            return
        yield numbers[place], row


def _label_ends(line: str, label: str, *, in_names: bool) -> Iterator[int]:
    """Yield the end of each place of a label in a line: as separate words, or with `in_names` of the identifier around
    it."""
    at = 0
    while place := mention(line, [label], at):
        at = place[1]
        name = _identifier(line, *place)
        is_inside = _is_in_number(line, *place) or _is_in_hyphens(line, *place)
        if name is None and not in_names and not is_inside:
            yield at
        elif name and in_names and not line[: name[0]].strip() and re.match(r"\s*[:=]", line[name[1] :]):
            yield name[1]


def _identifier(line: str, start: int, end: int) -> tuple[int, int] | None:
    """Return the start and end of the identifier of several words, such as `lead_score`, around a place, or None."""
    left, right = start, end
    while left and (line[left - 1].isalnum() or line[left - 1] == "_"):
        left -= 1
    while right < len(line) and (line[right].isalnum() or line[right] == "_"):
        right += 1
    return (left, right) if "_" in line[left:start] or "_" in line[end:right] else None


def _is_in_number(line: str, start: int, end: int) -> bool:
    """Whether a place is part of a number, like the 0 of `0.52`."""
    return line[start:end].isdecimal() and bool(
        re.match(r"[.,]?\d", line[end:]) or re.search(r"\d[.,]?\Z", line[:start])
    )


def _is_in_hyphens(line: str, start: int, end: int) -> bool:
    """Whether a place is one letter between hyphens, as in `-r--r--`."""
    return end - start == 1 and line[start - 1 : start] == "-" and line[end : end + 1] == "-"


_SETS: Final = r"(?:[:=]|->|→|≈|~|\b<is>\b)[\s$*`'\"(\[]*"
_ONLY_SETS: Final = r"[\s:=\"'-]*(?:<is>\b)?[\s:=\"'-]*"
_SETS_BEHIND: Final = r"[)\]'\"`]*\s*(?:[:=]|->|→|<is>\b)"


def _behind(line: str, at: int) -> Quantity | None:
    """Return the number that belongs to a label ending at `at`, or None.

    The first number after a colon, an arrow or a verb counts, then one after an equals sign, then any. A number that is
    part of a name (`with seed 9 is: 0.521`) does not count, and one in brackets or in a dictionary only if there is no
    other.
    """
    brackets = [match.span() for match in re.finditer(r"\([^()]*\)", line)]
    return min(
        (quantity for quantity in quantities(line) if quantity.start >= at),
        key=lambda quantity: (
            _is_of_key(line, at, quantity),
            lexicon.match(_SETS_BEHIND, line, quantity.end) is not None,
            any(start < quantity.start < end for start, end in brackets),
            _rank_of_sign(line[at : quantity.start]),
        ),
        default=None,
    )


def _is_of_key(line: str, at: int, quantity: Quantity) -> bool:
    """Whether a number stands in a dictionary behind a label, `Best: 0.81 using {'units': 5}`, so that it is the value
    of a key."""
    opening = line.rfind("{", at, quantity.start)
    return opening >= 0 and "}" not in line[opening : quantity.start]


def _of_joint(line: str, at: int) -> Quantity | None:
    """Return the number of a label in a list of labels that as many numbers follow, `error and loss: 0.31 0.58`, or
    None."""
    head, colon, rest = line.partition(":")
    parts = [part.end() for part in lexicon.find_all(r"\s(?:<and>|&|/)\s|,\s", head)]
    numbers = [quantity for quantity in quantities(line) if quantity.start > len(head)]
    place = sum(end <= at for end in parts)
    is_list = (
        colon and parts and len(numbers) == len(parts) + 1 and at <= len(head) and not re.search(r"[^\W\d_]", rest)
    )
    return numbers[place] if is_list else None


def _rank_of_sign(before: str) -> int:
    """Return the rank of the sign before a number: 0 for a colon, an arrow or a verb, 1 for `=`, 2 for none."""
    match = lexicon.search(rf"{_SETS}[-+]?\Z", before)
    return 2 if match is None else int(match.group()[0] in "=≈~")


def in_tables(cell: CodeCell, labels: Sequence[str]) -> Iterator[Line]:
    """Yield the numbers in a printed table whose row has one label and whose column has another one."""
    for table in shown_tables(cell) if len(labels) > 1 else ():
        for own_cell in table.cells:
            row = {label for label in labels if mention(own_cell.row, [label], 0)}
            column = {label for label in labels if mention(own_cell.column, [label], 0)}
            if row and column and len(row | column) > 1:
                number = next(iter(quantities(own_cell.text)), None)
                if number is not None:
                    yield Line(
                        number, cell, own_cell.evidence.quote, f"{own_cell.row} {own_cell.column}", is_certain=False
                    )


def named_in_code(cell: CodeCell, label: str, returned: Mapping[str, Sequence[str]]) -> Iterator[Line]:
    """Yield the numbers of an output that the code names by a label: `print(rmse)`, or `rmse, r2` in the last line.

    `returned` are the names of the values that functions return together.
    """
    output = cell.output[-MOST_OUTPUT:]
    is_named = mention(cell.source, [label], 0) or any(name in cell.source for name in returned)
    for shown in shown_values(cell.as_handed_in, output, returned) if is_named else ():
        number = next(iter(quantities(output[shown.start : shown.end])), None)
        if number is not None and mention(shown.name, [label], 0):
            before = output[: shown.start].rpartition("\n")[2]
            line = before + output[shown.start :].partition("\n")[0]
            yield Line(number, cell, line, f"{before} {shown.name}")


_VALUES: Final = r"[\s\[(]*(?:[-+]?\d[\d.]*(?:e[-+]?\d+)?\s?%?[,\s]*){1,4}[\])\s]*"


def bare_values(cell: CodeCell) -> list[Line]:
    """Return the numbers with which an output ends without words: `0.74`, `np.float64(0.74)`, `array([0.74])`, a
    tuple."""
    *above, last = ["", *filter(str.strip, _lines(cell))]
    value = plain_values(last)
    is_named = TOKEN.search(above[-1] if above else "") is not None and not any(quantities(above[-1]))
    if is_named or len(last) > _LONGEST_VALUE or not re.fullmatch(_VALUES, value):
        return []
    expression = [line for line in cell.source.split("\n") if line.strip()][-1:]
    return [Line(quantity, cell, last, "".join(expression), is_certain=False) for quantity in quantities(value)]


def sizes(cell: CodeCell) -> Iterator[list[Line]]:
    """Yield the whole numbers of each size that a cell shows: `(159, 16)`, or a few lines with one number each."""
    output = cell.output[-MOST_OUTPUT:].strip()
    for match in re.finditer(r"\(\d+,(?:\s*\d+,)*(?:\s*\d+)?\)|\A\d+(?:\n\d+){1,3}\Z", output):
        yield [Line(quantity, cell, match.group(), "") for quantity in quantities(match.group())]


def splits_named(text: str) -> frozenset[str]:
    """Return the parts of the data that a text or name mentions: training, validation and test."""
    words = re.split(r"[\W_\d]+", fold_text(text))
    return frozenset(
        split
        for split in ("training_part", "validation_part", "test_part")
        for split_word in lexicon.words(split)
        if any(word.startswith(split_word[:-1]) if split_word.endswith("*") else word == split_word for word in words)
    )


def asked_split(lab: Lab, item: str, labels: Sequence[str] = ()) -> str:
    """Return the only part of the data that an item's title, labels or question ask for, or an empty text."""
    question = lab.asking(item)
    title = next(candidate.title for candidate in question.items if candidate.id == item)
    found = splits_named(" ".join((title, *labels))) or splits_named(question.title)
    return next(iter(found)) if len(found) == 1 else ""


def may_be_of_another(line: Line, aim: Target, asked: str) -> bool:
    """Whether a printed number that is not right may be of something else than what was asked for.

    It is whole and the right one is not, or the reverse; it is more than ten times as large or as small, unless the lab
    sets no lower bound; a number that may be the single right one follows without a name of its own; or it is of the
    training or validation part, and the lab asks for no part (`asked`).
    """
    number, value = abs(aim.numbers(line.quantity)[0]), abs(aim.value)
    low, high = (value - aim.margin, value + aim.margin) if aim.is_range else (value, value)
    is_far = low > 0 and not low <= number * _FAR <= high * _FAR**2
    behind = re.split(r"[^\W\d_]{2}", line.line.partition(line.quantity.text)[2])[0]
    is_beside = not aim.is_range and any(map(aim.may_be_right, quantities(behind)))
    is_of_part = not asked and bool(splits_named(line.before) - {"test_part"})
    return is_far or is_beside or is_of_part or _is_of_other_kind(line.quantity, aim)


def _is_of_other_kind(quantity: Quantity, aim: Target) -> bool:
    """Whether a number is not whole although only a whole number is right, or the reverse."""
    if aim.is_range or quantity.form is not Form.DECIMAL:
        return False
    is_whole, is_asked_whole = quantity.resolution >= 1, aim.value == aim.value.to_integral_value()
    return is_whole is not is_asked_whole and (aim.margin == 0 if is_asked_whole else aim.margin < 1)


_FAR: Final = 10


def is_of_other_split(text: str, asked: str) -> bool:
    """Whether a text mentions parts of the data without the one that was asked for."""
    named = splits_named(text) if asked else frozenset()
    return bool(named) and asked not in named

"""Find the options that the cells of a question print: as a last value, or as the extreme row of a table."""

import re
from collections.abc import Iterator, Mapping
from decimal import Decimal
from enum import StrEnum
from typing import Final, NamedTuple

from grader.checks.shown_values import question_cells
from grader.claims.answer import Answer
from grader.claims.code import CodeCell
from grader.claims.numerals import quantities
from grader.claims.shown_tables import plain_values, shown_tables
from grader.claims.statements import mention
from grader.claims.tables import Table
from grader.lab.definition import Question
from grader.language import lexicon
from grader.language.folding import fold_text
from grader.reading.document import Evidence

_LONGEST: Final = 200
_MOST_OUTPUT: Final = 20_000
_TYPE_LINE: Final = ("dtype:", "name:", "length:")
"""The possible beginnings of the last line of a printed Series."""


class Extreme(StrEnum):
    """The row of a printed table that answers the question."""

    LARGEST = "largest"
    SMALLEST = "smallest"


class ShownOption(NamedTuple):
    """An option that a cell prints. It `is_certain` only if the code or the line mentions the question's subject."""

    option: str
    evidence: Evidence
    is_certain: bool


def shown_options(
    answer: Answer, question: Question, choices: Mapping[str, str], printed: Extreme | None
) -> list[ShownOption]:
    """Return the options that the question's own cells print, in order."""
    return [
        shown_option
        for cell in question_cells(answer, question.id).own
        if cell.output.strip()
        for shown_option in (*_last_value(cell, question, choices), *_in_tables(cell, question, choices, printed))
    ]


def _last_value(cell: CodeCell, question: Question, choices: Mapping[str, str]) -> Iterator[ShownOption]:
    """Yield the option with which an output ends.

    It stands alone, first in a pair, after a row number, or after the last colon, equals sign or verb of its line.
    """
    lines = [line for line in cell.output[-_MOST_OUTPUT:].split("\n") if line.strip()]
    lines = [line for line in lines if not line.casefold().startswith(_TYPE_LINE)]
    if not lines or len(lines[-1]) > _LONGEST:
        return
    line = plain_values(lines[-1]).strip()
    behind = list(lexicon.find_all(r"[:=]\s|->|<is>\s", line))
    row = re.sub(r"^\d+\s{2,}", "", line)
    values = {line, row, row.strip("()[]").partition(",")[0], line[behind[-1].end() :] if behind else line}
    found = {name for name, words in choices.items() if any(_is_same(value, words) for value in values)}
    if len(found) == 1:
        place = Evidence(file=cell.file, cell=cell.cell, quote=lines[-1].strip())
        yield ShownOption(next(iter(found)), place, _is_of_matter(cell, question, line))


def _is_of_matter(cell: CodeCell, question: Question, line: str) -> bool:
    """Whether a line, or the expression that prints it, mentions the subject of a question."""
    expression = next((source_line for source_line in reversed(cell.living) if source_line.strip()), "")
    return bool(question.words) and mention(f"{line}\n{expression}", question.words, 0) is not None


def _is_same(value: str, words: str) -> bool:
    """Whether a value is an option's words or number."""
    value, words = (re.sub(r"[\s_-]+", " ", fold_text(text)).strip("'\"`.,;*() ") for text in (value, words))
    number, asked = _number(value), _number(words)
    return value == words if number is None or asked is None else number == asked


def _number(text: str) -> Decimal | None:
    own_quantities = list(quantities(text))
    return own_quantities[0].readings[0] if len(own_quantities) == 1 and not text.strip("-+0123456789.,e ") else None


def _in_tables(
    cell: CodeCell, question: Question, choices: Mapping[str, str], printed: Extreme | None
) -> Iterator[ShownOption]:
    """Yield the option whose row has the extreme number in a table with one column and a row for each option."""
    for table in shown_tables(cell) if printed else ():
        values = _values(table, choices)
        if len(values) < len(choices) or len({candidate.column for candidate in table.cells}) > 1:
            continue
        best = (max if printed is Extreme.LARGEST else min)(values.values())
        best_names = [name for name, value in values.items() if value == best]
        if len(best_names) == 1:
            place = next(
                candidate.evidence for candidate in table.cells if _is_same(candidate.row, choices[best_names[0]])
            )
            yield ShownOption(best_names[0], place, _is_of_matter(cell, question, cell.source))


def _values(table: Table, choices: Mapping[str, str]) -> dict[str, Decimal]:
    """Return the numbers of the options that have one row of their own in a table."""
    found: dict[str, Decimal] = {}
    for name, words in choices.items():
        rows = [cell for cell in table.cells if _is_same(cell.row, words)]
        numbers = list(quantities(rows[0].text)) if len(rows) == 1 else []
        if len(numbers) == 1:
            found[name] = numbers[0].readings[0]
    return found

"""The numbers that code printed, and whether it worked them out."""

import re
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Final, NamedTuple

from grader.claims.code import CodeCell
from grader.claims.numerals import Numeral, numerals
from grader.message import say
from grader.reading.evidence import Evidence

LONGEST_LINE: Final = 400
_MOST_LINES: Final = 2_000
_LARGE: Final = re.compile(r"\d(?:\d{4}|[,._'\u00a0\u202f ]{1,2}\d{3}(?!\d)| ?(?:[MmKkBb]\b|m(?:illion|rd)))")
"""Where a line may hold a large number: most lines of a log are passed over."""

_SMALLEST: Final = 10_000

COUNTS: Final = frozenset(
    {"numel", "nelement", "num_elements", "num_parameters", "num_params", "param_count", "parameter_count"}
    | {"count_params", "count_parameters", "get_num_params", "summary", "prod"}
    | {"get_nb_trainable_parameters", "print_trainable_parameters"}
)
"""Names of calls that count the parameters of a model, or the elements of an array."""


class Printed(NamedTuple):
    """A number of five digits or more in the output of a cell."""

    numeral: Numeral
    cell: CodeCell
    line: str
    number: int

    @property
    def value(self) -> int:
        """The number as an integer."""
        return int(self.numeral.value)

    @property
    def evidence(self) -> Evidence:
        """The line that was printed."""
        return Evidence(file=self.cell.file, cell=self.cell.cell, quote=self.line.strip()[:LONGEST_LINE])


def printed_numbers(cell: CodeCell) -> Iterator[Printed]:
    """The larger numbers in a cell's output, in order."""
    lines = (
        (number, line) for number, line in enumerate(cell.output.split("\n")) if _LARGE.search(line[:LONGEST_LINE])
    )
    for number, line in islice(lines, _MOST_LINES):
        for numeral in numerals(line[:LONGEST_LINE]):
            if numeral.value >= _SMALLEST:
                yield Printed(numeral, cell, line, number)


def is_typed(value: int, cell: CodeCell, code: Sequence[CodeCell]) -> bool:
    """Whether a number that a cell printed stands in the code of its file, and the cell counts nothing, or prints no
    other than the one that stands there."""
    stands = any(value in one.typed for one in code if one.file == cell.file)
    if not stands and not (not cell.whole and str(value) in _digits(cell.source)):
        return False
    return not counts_parameters(cell) or _times(value, cell.output) <= _times(value, cell.prints)


def _times(value: int, text: str) -> int:
    lines = (line[:LONGEST_LINE] for line in text.split("\n")[:_MOST_LINES])
    return sum(one.value == value for line in lines if _LARGE.search(line) for one in numerals(line))


def _digits(text: str) -> str:
    return text.replace(",", "").replace("_", "").replace(" ", "")


def disorder(shown: CodeCell, defined: CodeCell | None) -> str:
    """Why an output cannot come from the code as it stands, in words for staff; else nothing."""
    if defined is None or shown.file != defined.file or not defined.is_notebook or shown.cell == defined.cell:
        return ""
    if not defined.ran:
        return say("The cell that defines what printed this shows no sign of a run.")
    if shown.order and defined.order and shown.order < defined.order:
        return say("The cell that defines what printed this was run after it, so it may have been another one before.")
    return ""


def counts_parameters(cell: CodeCell) -> bool:
    """Whether a cell calls what counts parameters, itself or through a function whose name says so."""
    if cell.counted:
        return True
    names = {call.name for call in cell.calls}
    return bool(names & COUNTS) or any("param" in name and "count" in name.lower() for name in names)


def counting_line(cell: CodeCell) -> Evidence | None:
    """The line with the first call that counts."""
    return next((call.evidence for call in cell.calls if call.name in COUNTS), None)

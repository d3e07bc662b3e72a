"""The numbers that code printed, and whether it worked them out."""

import re
from collections.abc import Iterator
from itertools import islice
from typing import Final, NamedTuple

from grader.claims.code import CodeCell
from grader.claims.numerals import Numeral, numerals
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


def is_typed(value: int, cell: CodeCell) -> bool:
    """Whether a number that a cell printed stands in its source, and the cell counts nothing."""
    digits = cell.source.replace(",", "").replace("_", "").replace(" ", "")
    return str(value) in digits and not counts_parameters(cell)


def counts_parameters(cell: CodeCell) -> bool:
    """Whether a cell calls what counts parameters, itself or through a function whose name says so."""
    if cell.counted:
        return True
    names = {call.name for call in cell.calls}
    return bool(names & COUNTS) or any("param" in name and "count" in name.lower() for name in names)


def counting_line(cell: CodeCell) -> Evidence | None:
    """The line with the first call that counts."""
    return next((call.evidence for call in cell.calls if call.name in COUNTS), None)

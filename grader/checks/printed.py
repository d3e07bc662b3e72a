"""The numbers that code printed, and whether it worked them out."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Final, NamedTuple

from grader.claims.code import Call, CodeCell
from grader.claims.code.model import OPEN
from grader.claims.numerals import Numeral, numerals
from grader.message import say
from grader.reading.evidence import Evidence

LONGEST_LINE: Final = 400
_MOST_LINES: Final = 2_000
_MARK: Final = "[,_'\u00a0\u2009\u202f ]"
_LARGE: Final = re.compile(
    rf"[0-9](?:(?<![\w.,^].)(?:\d{{4}}|\d{{0,2}}(?:{_MARK} ?|\.\d{{3}}[.,_' ])\d{{3}}(?!\d))"
    r"|\s?(?:[MmKkBb](?:\b|illi)|thousand|[×x]\s?10|e\+?\d))"
)
"""Where a line may hold a large number: most lines of a log are passed over, decimals such as `0.990` too."""

_SPACES: Final = str.maketrans({"\u00a0": " ", "\u2009": " ", "\u202f": " "})
_SMALLEST: Final = 10_000

_WHOLE: Final = re.compile(r"(?<!\d)\d{5,15}(?!\d)")
_MAKING: Final = frozenset(
    {"empty", "zeros", "ones", "full", "rand", "randn", "randint", "arange", "range", "linspace", "Parameter"}
    | {"Tensor", "FloatTensor", "Linear", "Embedding", "repeat", "expand"}
)
"""Names of calls that make an array, or a layer, of the size that they are given."""

_LAST_LINES: Final = 50
_STATEMENT: Final = re.compile(r"(?:print\(|import |from |def |class |pass\b|[\w.\[\]'\", ]{1,80}[-+*/]?=(?!=))")

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
    for number, line, numeral in _large(cell.output):
        yield Printed(numeral, cell, line, number)


def _large(text: str) -> Iterator[tuple[int, str, Numeral]]:
    """The larger numbers in a text, with their lines and the numbers of these from 0."""
    lines = ((number, line) for number, line in enumerate(text.split("\n")) if _LARGE.search(line[:LONGEST_LINE]))
    for number, line in islice(lines, _MOST_LINES):
        for numeral in numerals(line[:LONGEST_LINE].translate(_SPACES)):
            if numeral.value >= _SMALLEST:
                yield number, line, numeral


class Typed:
    """The printed numbers that no model was asked for: they stand in the code, or follow from numbers that do."""

    def __init__(self, code: Sequence[CodeCell]) -> None:
        self._stand: dict[str, set[int]] = {}
        self._found: dict[int, frozenset[int]] = {}
        self._numbers: dict[int, list[Printed]] = {}
        self._kept = tuple(code)
        for cell in code:
            self._stand.setdefault(cell.file, set()).update(cell.typed)
        self._sizes = {(cell.file, value) for cell in code for call in cell.calls for value in _sizes(call)}

    def holds(self, number: Printed) -> bool:
        """Whether a number that a cell printed stands in the code of its file and the cell counts nothing, or the code
        prints every such number as it was followed: without the student's model."""
        cell = number.cell
        if id(cell) not in self._found:
            self._found[id(cell)] = frozenset(self._typed(cell))
        return number.value in self._found[id(cell)]

    def numbers(self, cell: CodeCell) -> Sequence[Printed]:
        """The larger numbers in the output of one of the cells, in order; read once."""
        if id(cell) not in self._numbers:
            self._numbers[id(cell)] = list(printed_numbers(cell))
        return self._numbers[id(cell)]

    def _typed(self, cell: CodeCell) -> Iterator[int]:
        shown = Counter(number.value for number in self.numbers(cell))
        made = Counter(int(numeral.value) for _, _, numeral in _large(cell.prints))
        stand = self._stand.get(cell.file, set())
        digits = "" if cell.whole else _digits(cell.source)
        counts = counts_parameters(cell)
        for value, times in shown.items():
            follows = made[value] > 0 and times <= made[value]
            stands = value in stand or str(value) in digits
            if follows or (stands and not counts) or (cell.file, value) in self._sizes:
                yield value


def _sizes(call: Call) -> Iterator[int]:
    """The larger numbers that a call to make an array is given: an array of a size that was chosen has that size."""
    if call.name in _MAKING:
        for one in (*call.arguments, *call.keywords.values()):
            yield from (int(text) for text in _WHOLE.findall(_digits(one[:LONGEST_LINE])))


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


def other_code(number: Printed, code: Sequence[CodeCell]) -> str:
    """Why a number cannot come from the code that it stands under, in words for staff; else nothing."""
    cell = number.cell
    if _is_silent(cell):
        return say("The code above this output cannot have printed it; it may have been another one before.")
    called = {call.name for call in cell.calls}
    defining = [one for one in code if any(function.name in called for function in one.functions)]
    return next(filter(None, (disorder(cell, one) for one in defining[-1:])), "")


def _is_silent(cell: CodeCell) -> bool:
    """Whether a notebook's cell shows nothing but what is known: it is read whole, prints known texts only, calls
    nothing else and ends in no expression."""
    lines = [line for line in cell.source.rstrip().split("\n")[-_LAST_LINES:] if line[:1].strip(" \t#")]
    return (
        cell.is_notebook
        and cell.whole
        and not cell.commands
        and OPEN not in cell.prints
        and all(call.name == "print" for call in cell.calls)
        and bool(lines and _STATEMENT.match(lines[-1]))
    )


def counts_parameters(cell: CodeCell) -> bool:
    """Whether a cell calls what counts parameters, itself or through a function whose name says so."""
    if cell.counted:
        return True
    names = {call.name for call in cell.calls}
    return bool(names & COUNTS) or any("param" in name and "count" in name.lower() for name in names)


def counting_line(cell: CodeCell) -> Evidence | None:
    """The line with the first call that counts."""
    return next((call.evidence for call in cell.calls if call.name in COUNTS), None)

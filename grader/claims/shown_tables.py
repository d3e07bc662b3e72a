"""Read the tables that code prints: a pandas Series or DataFrame, a dictionary, a list of pairs, and lines of a
loop."""

import ast
import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from itertools import accumulate
from typing import Final, NamedTuple

from grader.claims.code import CodeCell
from grader.claims.tables import Cell, Table
from grader.reading.document import Evidence

_MOST_OUTPUT: Final = 20_000
_MOST_LITERAL: Final = 5_000
_MOST_NESTED: Final = 20
_MOST_ROWS: Final = 200
_LONGEST: Final = 200
_FEWEST: Final = 2

_TOKEN: Final = re.compile(
    r"(?P<number>(?<![\w.])[-+]?\d+(?:,\d{3})*(?:\.\d*)?(?:e[-+]?\d+)?%?(?!\w))"
    r"|(?P<word>'[^']*'|\"[^\"]*\"|[^\W\d]\w*(?:[ /.-][^\W\d]\w*)*|\w+)|(?P<sign>\S)"
)


def plain_values(text: str) -> str:
    """Return a text without NumPy's types: `np.float64(0.74)` becomes `0.74`."""
    text = re.sub(r"\bn(?:um)?py?\.(?:float|int|str|bool)\d*_?\(([^()]*)\)", r"\1", text)
    return re.sub(r"\b(?:array|tensor)\((\[.*?\]|[^()]*)\)", r"\1", text)


def shown_tables(cell: CodeCell) -> Iterator[Table]:
    """Yield the tables in a cell's output, in order.

    Tables in lines have at least two rows with different names. A column without a name has an empty name.
    """
    lines = cell.output[-_MOST_OUTPUT:].split("\n")
    yield from _of_literal(cell, lines)
    above = before = ""
    run: list[tuple[str, list[_Token]]] = []
    for line in (*filter(str.strip, lines), ""):
        tokens = _tokens(plain_values(line))
        if run and line and _signs(tokens) == _signs(run[0][1]) and len(run) < _MOST_ROWS:
            run.append((line, tokens))
            continue
        yield from _of_run(cell, run, above)
        above = before if len(run) < _FEWEST else ""
        run = [(line, tokens)] if any(token.is_number for token in tokens) and len(line) <= _LONGEST else []
        before = line


class _Token(NamedTuple):
    text: str
    kind: str

    @property
    def is_number(self) -> bool:
        return self.kind == "number"

    @property
    def plain(self) -> str:
        """Its text without quotation marks."""
        return self.text.strip("'\"")


def _tokens(line: str) -> list[_Token]:
    """Return the words, numbers and signs of a line. A percentage before several numbers is a row's name, as in
    `describe`."""
    found = [_Token(match.group(), match.lastgroup or "") for match in _TOKEN.finditer(line[: _LONGEST + 1])]
    if len(found) > 1 and found[0].text.endswith("%") and all(token.is_number for token in found):
        found[0] = found[0]._replace(kind="word")
    return found


def _signs(tokens: Sequence[_Token]) -> list[str]:
    """Return the form of a table's line: numbers and words in the same places, with the same signs between them."""
    return [token.text if token.kind == "sign" else token.kind for token in tokens]


def _of_run(cell: CodeCell, run: Sequence[tuple[str, list[_Token]]], above: str) -> Iterator[Table]:
    """Yield the table in some lines of one form.

    The rows are named by the words that differ, or else by their first number; the columns by the shared words, or by
    the line above.
    """
    if len(run) < _FEWEST:
        return
    columns = list(zip(*(tokens for _, tokens in run), strict=True))
    naming, numbers = _parts(columns)
    names = [" ".join(columns[at][row].plain for at in naming) for row in range(len(run))]
    if not numbers or len({*names}) < len(names):
        return
    titles = _titles(columns, numbers, naming, above)
    cells = tuple(
        Cell(text=columns[at][row].text, row=name, column=titles[at], evidence=_place(cell, run[row][0]))
        for row, name in enumerate(names)
        for at in numbers
    )
    yield Table(caption=above.strip(), cells=cells)


def _parts(columns: Sequence[Sequence[_Token]]) -> tuple[list[int], list[int]]:
    """Return the positions of the row names and of the numbers in some lines."""
    numbers = [at for at, own_tokens in enumerate(columns) if own_tokens[0].is_number]
    naming = [
        at
        for at, own_tokens in enumerate(columns)
        if own_tokens[0].kind == "word" and len({token.text for token in own_tokens}) > 1
    ]
    if not naming:
        return numbers[:1], numbers[1:]
    is_numbered = len(numbers) > 1 and numbers[0] == 0 < naming[0]
    return naming, numbers[1:] if is_numbered else numbers


def _titles(
    columns: Sequence[Sequence[_Token]], numbers: Sequence[int], naming: Sequence[int], above: str
) -> dict[int, str]:
    """Return the name of each column of numbers: the words before it, or else all shared words, or the names in the
    line above."""
    shared = {
        at: own_tokens[0].plain
        for at, own_tokens in enumerate(columns)
        if own_tokens[0].kind == "word" and at not in naming
    }
    names = _names_above(above)
    if not shared and len(names) in (len(numbers), len(numbers) + len(naming)):
        return dict(zip(numbers, names[-len(numbers) :], strict=True))
    bounds = sorted((-1, *numbers, *naming))
    found: dict[int, str] = {}
    for at in numbers:
        begin = bounds[bisect_left(bounds, at) - 1]
        column_words = [word for place, word in shared.items() if begin < place < at]
        found[at] = " ".join(column_words or [word for place, word in shared.items() if place < at == numbers[0]])
    return found


def _names_above(line: str) -> list[str]:
    """Return the words of a line with only names of columns. Pandas ends the header of a wide table with a sign."""
    line = line.rstrip("\\ ")
    return line.split() if all(token.kind == "word" for token in _tokens(line)) else []


def _place(cell: CodeCell, line: str) -> Evidence:
    return Evidence(file=cell.file, cell=cell.cell, quote=line.strip()[:_LONGEST])


def _of_literal(cell: CodeCell, lines: Sequence[str]) -> Iterator[Table]:
    """Yield the table of a dictionary or list at the end of an output."""
    first = next((at for at in range(len(lines) - 1, -1, -1) if lines[at].startswith(("{", "[", "("))), len(lines))
    text = plain_values("\n".join(lines[first:])).strip()
    value = _value_of(text) if text and _is_flat(text) else None
    rows = list(_rows(value))
    names = [name for name, _ in rows]
    if not rows or len({*names}) < len(names):
        return
    cells = [
        Cell(text=repr(number), row=name, column=column, evidence=_place(cell, " ".join(text.split())))
        for name, row_values in rows
        for column, number in row_values.items()
    ]
    yield Table(caption="", cells=tuple(cells))


def _is_flat(text: str) -> bool:
    """Whether a text is short and its brackets are not deeply nested, so that it can be evaluated safely."""
    depths = list(accumulate((candidate in "[({") - (candidate in "])}") for candidate in text[: _MOST_LITERAL + 1]))
    return len(text) <= _MOST_LITERAL and max(depths) <= _MOST_NESTED


def _value_of(text: str) -> object:
    """Return the value of a Python literal, or None."""
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        return None


def _rows(value: object) -> Iterator[tuple[str, dict[str, int | float]]]:
    """Return the rows of a value, each with its name and its numbers by column; empty if some part is no row."""
    if isinstance(value, dict):
        is_row = any(isinstance(entry, str) for entry in value.values())
        parts: Sequence[object] = [value] if is_row else list(value.items())
    elif isinstance(value, list | tuple):
        parts = [value] if _is_pair(value) else value
    else:
        return
    found = [_row(part) for part in parts]
    yield from (entry for entry in found if entry) if all(found) else ()


def _row(part: object) -> tuple[str, dict[str, int | float]] | None:
    """Return a part of a value as a row, or None. It is a pair, or a dictionary with a name."""
    if isinstance(part, dict):
        name = next((value for value in part.values() if isinstance(value, str)), "")
        return name, {str(key): value for key, value in part.items() if _is_number(value)}
    if isinstance(part, tuple) and _is_pair(part):
        name, value = part
        return str(name), value if isinstance(value, dict) else {"": value}
    return None


def _is_pair(value: Sequence[object]) -> bool:
    """Whether a value is a name with a number, or with numbers by name."""
    if len(value) != 2 or not (isinstance(value[0], str) or _is_number(value[0])):
        return False
    content = value[1]
    return _is_number(content) or (
        isinstance(content, dict) and bool(content) and all(map(_is_number, content.values()))
    )


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)

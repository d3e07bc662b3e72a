"""Tables drawn with characters: `| Seed | Test |`, and lines of dashes between the rows."""

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import Final

from grader.reading.pdf.marked import Marked, cut, joined
from grader.reading.pdf.page_line import PageLine

_SIGN: Final = re.compile(r"[|│┃║]")
_RULER: Final = re.compile(r"[+|├┌└╞╔╚╠╟┠][-=+:|\s─═━┼┬┴╪╤╧╬╦╩╫]*[-=─═━][-=+:|\s─═━┼┬┴╪╤╧╬╦╩╫]*[+|┤┐┘╡╗╝╣╢┨]")
_FEWEST: Final = 2


def piped_rows(lines: Sequence[PageLine]) -> dict[int, list[Marked]]:
    """For the lines of such tables, by their index, the cells; none for the lines of dashes. A table has two rows of
    equally many cells, or a row and a line of dashes."""
    cells = [_cells(line) for line in lines]
    result: dict[int, list[Marked]] = {}
    run: list[int] = []
    width = 0
    for index in range(len(lines) + 1):
        found = cells[index] if index < len(lines) else None
        goes_on = not run or (index < len(lines) and lines[index].page == lines[run[-1]].page)
        if found is not None and goes_on and (not found or not width or len(found) == width):
            run.append(index)
            width = width or len(found)
            continue
        if width > 1 and len(run) >= _FEWEST:
            result |= {number: row for number in run if (row := cells[number]) is not None}
        run, width = ([], 0) if found is None else ([index], len(found))
    return result


def _cells(line: PageLine) -> list[Marked] | None:
    """The texts between the signs; an empty list for a line of dashes, None for any other line."""
    whole = joined(" ", [piece.marked for piece in line.pieces])
    if _RULER.fullmatch(whole.text):
        return []
    signs = [match.start() for match in _SIGN.finditer(whole.text)]
    if len(signs) < _FEWEST or signs[0] != 0 or signs[-1] != len(whole.text) - 1:
        return None
    return [cut(whole, a + 1, b) for a, b in pairwise(signs)]

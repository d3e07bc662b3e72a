"""What the output of a step shows: that it failed, or how many sentences and tokens it went through."""

import re
from collections.abc import Iterator, Sequence
from typing import Final

from grader.claims.code import CodeCell
from grader.reading.evidence import Evidence

_MOST: Final = 200_000
_LOGGED: Final = re.compile(r"(\d{1,9}) sents, (\d{1,12}) tokens, (\d{1,3}(?:\.\d{1,9})?)% replaced")
_FAILED: Final = re.compile(
    r"command not found|No such file or directory|No module named|can't open file|Permission denied"
    r"|error: (?:unrecognized|the following|argument|invalid)|Traceback \(most recent call last\)"
)
_LONGEST: Final = 300


def failure(cell: CodeCell) -> str | None:
    """The line that says that a cell's code ended in an error; None where it did its work."""
    if cell.error:
        return cell.error[:_LONGEST]
    output = cell.output[:_MOST]
    found = _FAILED.search(output)
    if found is None or _LOGGED.search(output):
        return None
    start = output.rfind("\n", 0, found.start()) + 1
    return output[start:].partition("\n")[0].strip()[:_LONGEST]


def printed_log(cells: Sequence[CodeCell]) -> Evidence | None:
    """The first line that tells how many sentences were read."""
    return next((place for _, place in _lines(cells)), None)


def most_replaced(cells: Sequence[CodeCell]) -> float | None:
    """The largest share of unknown tokens that was printed, in percent."""
    return max((share for share, _ in _lines(cells)), default=None)


def _lines(cells: Sequence[CodeCell]) -> Iterator[tuple[float, Evidence]]:
    for cell in cells:
        for line in cell.output[:_MOST].split("\n"):
            found = _LOGGED.search(line[:1_000])
            if found:
                place = Evidence(file=cell.file, cell=cell.cell, quote=line.strip()[:_LONGEST])
                yield float(found[3]), place

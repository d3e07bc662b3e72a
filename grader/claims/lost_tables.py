"""Tables whose columns were lost, as those of a PDF without rules: labels and numbers under a line of names."""

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Final, NamedTuple

from grader.claims.normal import normalise
from grader.claims.passage import Passage
from grader.claims.results.numbers import MEAN, STD
from grader.claims.results.roles import runs_named
from grader.claims.results.vocabulary import Kind, mentions
from grader.lab.definition import Lab
from grader.reading.document import Block, BlockKind

_LONGEST: Final = 200
_NUMBER: Final = re.compile(r"\d{1,4}(?:[.,]\d{1,6})?%?")
_SEED_HEADER: Final = re.compile(r"(?:seeds?|graines?|runs?)\W*", re.IGNORECASE)
_FEWEST: Final = 2
_ENDS_IN_NAME: Final = re.compile(r"\b(?:seeds?|graines?|runs?|epochs?|[ée]poques?|steps?)\W{0,3}$", re.IGNORECASE)
_NAMES: Final = re.compile(
    rf"{MEAN.pattern}|{STD.pattern}|\b(?:epochs?|[ée]poques?|steps?|updates?|it[ée]rations?|loss(?:es)?|perte|time|temps|train)\b",
    re.IGNORECASE,
)
_SKIPPED: Final = 2
"""Blank lines between the names and the first line of numbers."""


class _Line(NamedTuple):
    """A line of a table: the words before its numbers, which may be none."""

    block: Block
    label: str
    numbers: list[str]


class LostTable(NamedTuple):
    """A table without columns: the index of its first line among the passage's blocks, its lines, and the names above
    them, one for each number of a line."""

    first: int
    rows: list[_Line]
    names: list[str]


def lost_tables(passage: Passage, lab: Lab) -> list[LostTable]:
    """Tables of at least two lines, each with as many numbers at its end as the line above them has names."""
    return [LostTable(*found) for found in _found(passage, lab)]


def _found(passage: Passage, lab: Lab) -> Iterator[tuple[int, list[_Line], list[str]]]:
    """For each table the index of its first line, its lines, and the names of its columns."""
    blocks = passage.blocks
    index = 0
    while index < len(blocks):
        lines = _lines(blocks, index)
        if len(lines) >= _FEWEST:
            leading, names = _header(blocks[max(0, index - 1 - _SKIPPED) : index], lab)
            rows = [row for line in lines if (row := _labelled(line, leading)) and len(row.numbers) == len(names)]
            if len(rows) == len(lines):
                yield index, rows, names
        index += max(1, len(lines))


def _lines(blocks: Sequence[Block], start: int) -> list[_Line]:
    """The lines from `start` on that end in numbers."""
    found: list[_Line] = []
    for index in range(start, len(blocks)):
        line = _line(blocks[index])
        if line is None:
            break
        found.append(line)
    return found


def _line(block: Block) -> _Line | None:
    if block.kind is not BlockKind.LINE or not block.text or len(block.text) > _LONGEST:
        return None
    words = re.sub(r"\s%", "%", normalise(block.text).text).replace("|", " ").split()
    at = len(words)
    while at and _NUMBER.fullmatch(words[at - 1]):
        at -= 1
    return _Line(block, " ".join(words[:at]), words[at:]) if len(words) - at > 1 else None


def _labelled(line: _Line, leading: str) -> _Line | None:
    """A line whose label names a seed, an epoch or a statistic. The number of a seed belongs to the label: `SEED 1`, or
    the first number under the name `Seed`."""
    label, first = line.label, f"{line.label} {line.numbers[0]}"
    if not label and _SEED_HEADER.fullmatch(leading) and line.numbers[0].isdecimal():
        return _Line(line.block, f"seed {line.numbers[0]}", line.numbers[1:])
    if _ENDS_IN_NAME.search(label) and line.numbers[0].isdecimal():
        return _Line(line.block, first, line.numbers[1:])
    return line if runs_named(label) or MEAN.search(label) or STD.search(label) else None


def _header(blocks: Sequence[Block], lab: Lab) -> tuple[str, list[str]]:
    """What stands first in the last line that is not blank, and the names in it, each up to the next one."""
    filled = [block for block in blocks if block.text.strip()]
    if not filled or len(filled[-1].text) > _LONGEST:
        return "", []
    text = normalise(filled[-1].text.replace("\t", " ")).text
    starts = sorted(
        {mention.start for mention in mentions(text, lab) if mention.kind is Kind.SPLIT}
        | {match.start() for match in _NAMES.finditer(text)}
    )
    return text[: starts[0] if starts else 0].strip(), [
        text[start:end].strip() for start, end in pairwise([*starts, len(text)])
    ]

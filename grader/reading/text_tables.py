"""Tables in plain text whose columns are told by a line of dashes in groups, as Pandoc and many programs print them."""

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import Final, NamedTuple

from grader.reading.document import Block, BlockKind

_RULER: Final = re.compile(r"\s{0,8}[-=]{2,}(?:\s+[-=]{2,}){1,40}\s*")
_GROUP: Final = re.compile(r"[-=]+")
_LONG: Final = re.compile(r"\s{0,8}-{8,}\s*")
_MOST_ROWS: Final = 500
_MOST_HEADS: Final = 4


class TextTable(NamedTuple):
    """The rows of a table and the index behind its last line."""

    blocks: list[Block]
    end: int


def text_table(lines: Sequence[str], start: int) -> TextTable | None:
    """The table that begins on a line with its header, with a long line of dashes above that, or with its ruler; None
    where none does. Between long lines of dashes rows are parted by blank lines, and go over several lines."""
    is_framed = bool(_LONG.fullmatch(lines[start]))
    first = start + is_framed
    ruler = next((at for at in range(first, min(first + _MOST_HEADS, len(lines))) if _is_ruler(lines[at])), None)
    if ruler is None or any(not line.strip() or "|" in line for line in lines[first:ruler]):
        return None
    if not is_framed and ruler - first != 1:
        return None
    end = _end(lines, ruler + 1, is_framed=is_framed)
    if end is None:
        return None
    starts = [group.start() for group in _GROUP.finditer(lines[ruler])]
    header = [(number, lines[number]) for number in range(first, ruler)]
    body = [(number, lines[number]) for number in range(ruler + 1, end)]
    blocks = [_row(group, starts) for group in (header, *_groups(body, is_framed=is_framed)) if group]
    if len(blocks) < 2 or sum(sum(map(bool, block.cells)) > 1 for block in blocks) < 2:
        return None
    return TextTable(blocks, end + (end < len(lines) and _closes(lines[end])))


def _is_ruler(line: str) -> bool:
    return bool(_RULER.fullmatch(line))


def _closes(line: str) -> bool:
    return bool(_LONG.fullmatch(line)) or _is_ruler(line)


def _end(lines: Sequence[str], start: int, *, is_framed: bool) -> int | None:
    """The index of the line that ends a table: the next dashes in a frame, else also a blank line."""
    last = min(start + _MOST_ROWS, len(lines))
    for at in range(start, last):
        if _closes(lines[at]) or (not is_framed and not lines[at].strip()):
            return at
    return last if last == len(lines) and not is_framed else None


def _groups(lines: Sequence[tuple[int, str]], *, is_framed: bool) -> list[list[tuple[int, str]]]:
    """The lines of each row."""
    if not is_framed or all(line.strip() for _, line in lines):
        return [[one] for one in lines]
    groups: list[list[tuple[int, str]]] = [[]]
    for number, line in lines:
        if line.strip():
            groups[-1].append((number, line))
        elif groups[-1]:
            groups.append([])
    return [group for group in groups if group]


def _row(lines: Sequence[tuple[int, str]], starts: Sequence[int]) -> Block:
    parts = [_cut(line.expandtabs(), starts) for _, line in lines]
    cells = tuple(" ".join(part[column] for part in parts if part[column]) for column in range(len(starts)))
    return Block(kind=BlockKind.ROW, text=" | ".join(cells), cells=cells, line=lines[0][0] + 1)


def _cut(line: str, starts: Sequence[int]) -> list[str]:
    """A line cut where its columns begin, between words: a word that begins before its column belongs to it."""
    cuts = [0]
    for start in starts[1:]:
        cut = min(start, len(line))
        while cut > cuts[-1] and cut < len(line) and line[cut - 1] != " ":
            cut -= 1
        cuts.append(max(cut, cuts[-1]))
    return [line[left:right].strip() for left, right in pairwise([*cuts, len(line)])]

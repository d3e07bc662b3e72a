"""Tables in Markdown: rows between pipes, and simple ones in HTML."""

import re
from bisect import bisect_left
from collections.abc import Sequence
from itertools import pairwise
from typing import Final

from grader.reading.document import Block, BlockKind
from grader.reading.grid import Spanned, plain_rows, row_text
from grader.reading.markdown_inline import protected, unescaped, without_markup

_RULER: Final = re.compile(r"\|?\s*:?-{2,}:?\s*(?:\|\s*:?-{2,}:?\s*)*\|?")
_THIN_RULER: Final = re.compile(r"\|\s*:?-+:?\s*\|?|\|?\s*:?-+:?\s*(?:\|\s*:?-+:?\s*)+\|?")
_PIPE: Final = re.compile(r"\\.|\|")
_OPENING: Final = re.compile(r"\s*<table(?=[\s>])", re.IGNORECASE)
_CLOSING: Final = re.compile(r"</table\s{0,9}>", re.IGNORECASE)
_LONGEST_TABLE: Final = 2_000
_MARK: Final = re.compile(r"<(tr|td|th)(?=[\s>])([^<>]{0,300})>", re.IGNORECASE)


def is_ruler(line: str) -> bool:
    """Whether a line is the rule under a table's header, or one across the page."""
    return bool(_RULER.fullmatch(line.strip()))


def is_thin_ruler(lines: Sequence[str], index: int) -> bool:
    """Whether a line is a ruler with single dashes, below the first row of a table; further down these are cells."""
    above = [lines[number] if number >= 0 else "" for number in (index - 2, index - 1)]
    return bool(_THIN_RULER.fullmatch(lines[index].strip())) and "|" in above[1] and "|" not in above[0]


def pipes(line: str) -> list[int]:
    """Where the signs stand that part cells: not the escaped ones, nor those within formulas and code."""
    if "|" not in line:
        return []
    inside = iter(protected(line))
    start, end = next(inside, (len(line), len(line)))
    found = []
    for match in _PIPE.finditer(line):
        while match.start() >= end:
            start, end = next(inside, (len(line), len(line)))
        if match.group() == "|" and match.start() < start:
            found.append(match.start())
    return found


def is_row(line: str, before: str, following: str, *, in_table: bool) -> bool:
    """Whether a line is a row: between pipes, beside a ruler with pipes, or going on with a table."""
    count = len(pipes(line))
    bordered = line.lstrip().startswith("|") and count >= 2
    by_ruler = any(
        "|" in near and (is_ruler(near) or _THIN_RULER.fullmatch(near.strip())) for near in (before, following)
    )
    return bordered or (count > 0 and (by_ruler or in_table))


def pipe_cells(line: str) -> tuple[str, ...]:
    """The texts between the pipes."""
    edges = [-1, *pipes(line), len(line)]
    texts = [line[left + 1 : right].strip() for left, right in pairwise(edges)]
    if len(texts) > 1 and not texts[0]:
        del texts[0]
    if len(texts) > 1 and not texts[-1]:
        del texts[-1]
    return tuple(unescaped(text).replace("\\|", "|") for text in texts)


def closing_lines(lines: Sequence[str]) -> list[int]:
    """The indices of lines on which an HTML table ends."""
    return [index for index, line in enumerate(lines) if "</" in line and _CLOSING.search(line)]


def html_table(lines: Sequence[str], start: int, ends: Sequence[int]) -> tuple[list[Block], int] | None:
    """The rows of an HTML table that begins on a line, and the index behind it; None where none does. `ends` are the
    `closing_lines`."""
    position = bisect_left(ends, start)
    if position == len(ends) or ends[position] - start > _LONGEST_TABLE or not _OPENING.match(lines[start]):
        return None
    end = ends[position]
    return _table_blocks("\n".join(lines[start : end + 1]), start + 1), end + 1


def _table_blocks(source: str, line: int) -> list[Block]:
    """The rows, all with the line on which the table begins. What stands outside of cells is left out."""
    rows: list[list[Spanned]] = []
    marks = list(_MARK.finditer(source))
    for mark, following in zip(marks, [*marks[1:], None], strict=False):
        if mark[1].lower() == "tr":
            rows.append([])
        elif rows:
            text = source[mark.end() : following.start() if following else len(source)]
            rows[-1].append(Spanned(_text(text), _span(mark[2], "colspan"), _span(mark[2], "rowspan")))
    cells = plain_rows(rows)
    return [Block(kind=BlockKind.ROW, text=row_text(texts), cells=texts, line=line) for texts in cells if any(texts)]


def _span(attributes: str, name: str) -> int:
    match = re.search(rf"{name}\s*=\s*[\"']?(\d{{1,4}})", attributes, re.IGNORECASE)
    return int(match[1]) if match else 1


def _text(written: str) -> str:
    return " ".join(without_markup(written).split())

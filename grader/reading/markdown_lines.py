"""Light parsing of Markdown, line by line: enough to know titles, items, tables, code and formulas."""

import re
from collections.abc import Iterator, Sequence
from typing import Final

from grader.reading.document import Block, BlockKind
from grader.reading.items import begins_item
from grader.reading.titles import could_be_title, title_level

_HASHES: Final = re.compile(r"\s{0,3}(#{1,6})(?:\s+(.*?))?\s*#*\s*$")
_UNDERLINE: Final = re.compile(r"\s{0,3}(=+|-{3,})\s*$")
_BOLD_ONLY: Final = re.compile(r"\s*(\*\*|__)(?!\s)([^*]+?)\1\s*:?\s*$")
_FENCE: Final = re.compile(r"\s{0,3}(`{3,}|~{3,})")
_RULER: Final = re.compile(r"\s*\|?\s*:?-{2,}:?\s*(\|\s*:?-{2,}:?\s*)*\|?\s*$")
_PIPE: Final = re.compile(r"(?<!\\)\|")
_FORMULA_ENDS: Final = {"$$": "$$", "\\[": "\\]"}
_LONGEST_FORMULA: Final = 60
_BOLD_LEVEL: Final = 6
"""A line in bold type alone is below every title with hashes."""


def markdown_blocks(lines: Sequence[str]) -> list[Block]:
    """The blocks of Markdown source, with line numbers from 1."""
    return list(_blocks(lines))


def plain_block(line: str, number: int) -> Block:
    """A line that is not blank, by what plain text shows: numbered titles, bullets, tabs."""
    text = line.strip()
    level = title_level(text)
    if level is not None and "\t" not in text:
        return Block(kind=BlockKind.HEADING, text=text, level=level, line=number)
    if begins_item(text):
        return Block(kind=BlockKind.LIST_ITEM, text=text, line=number)
    if "\t" in text:
        cells = tuple(cell.strip() for cell in line.rstrip().split("\t"))
        return Block(kind=BlockKind.ROW, text=text, cells=cells, line=number)
    return Block(kind=BlockKind.LINE, text=text, line=number)


def _blocks(lines: Sequence[str]) -> Iterator[Block]:
    index = 0
    while index < len(lines):
        line = lines[index]
        fence = _FENCE.match(line)
        formula_end = _formula_end(lines, index)
        if fence:
            end = _fence_end(lines, index, fence[1])
            for number in range(index + 1, end):
                if lines[number].strip():
                    yield Block(kind=BlockKind.CODE, text=lines[number].rstrip(), line=number + 1)
            index = end + 1
        elif formula_end is not None:
            text = " ".join(part.strip() for part in lines[index : formula_end + 1] if part.strip())
            yield Block(kind=BlockKind.MATH, text=text, line=index + 1)
            index = formula_end + 1
        else:
            if line.strip():
                yield from _line_blocks(lines, index)
            index += 1


def _fence_end(lines: Sequence[str], start: int, fence: str) -> int:
    """The index of the line that closes a code block, or of the end of the text."""
    for index in range(start + 1, len(lines)):
        text = lines[index].strip()
        if text.startswith(fence) and not text.strip(fence[0]):
            return index
    return len(lines)


def _formula_end(lines: Sequence[str], start: int) -> int | None:
    """The index of the last line of a displayed formula that begins on this line; None when none does."""
    text = lines[start].strip()
    close = _FORMULA_ENDS.get(text[:2])
    if close is None:
        return None
    if close in text[2:]:
        return start if text.endswith(close) and text.count(close) <= 2 else None
    for index in range(start + 1, min(start + _LONGEST_FORMULA, len(lines))):
        if close in lines[index]:
            return index
    return None


def _line_blocks(lines: Sequence[str], index: int) -> Iterator[Block]:
    line, number = lines[index], index + 1
    following = lines[index + 1] if number < len(lines) else ""
    before = lines[index - 1] if index else ""
    if _RULER.match(line) or (_UNDERLINE.match(line) and before.strip()):
        return
    title = _title(line, before, following)
    if title is not None:
        text, level = title
        if text:
            yield Block(kind=BlockKind.HEADING, text=text, level=level, line=number)
    elif _is_row(line, before, following):
        yield Block(kind=BlockKind.ROW, text=line.strip(), cells=_pipe_cells(line), line=number)
    else:
        yield plain_block(line, number)


def _title(line: str, before: str, following: str) -> tuple[str, int] | None:
    """A title's text and level. Bare numbered titles are left to `plain_block`."""
    hashes = _HASHES.match(line)
    if hashes:
        return _plain(hashes[2] or ""), len(hashes[1])
    bold = _BOLD_ONLY.match(line)
    if bold and could_be_title(bold[2]):
        return bold[2].strip(), _BOLD_LEVEL
    underline = _UNDERLINE.match(following)
    if underline and not before.strip() and could_be_title(line.strip()) and "|" not in line:
        return line.strip(), 1 if underline[1].startswith("=") else 2
    return None


def _plain(title: str) -> str:
    """A title without the emphasis around the whole of it."""
    bold = _BOLD_ONLY.match(title)
    return bold[2].strip() if bold else title.strip()


def _is_row(line: str, before: str, following: str) -> bool:
    pipes = len(_PIPE.findall(line))
    bordered = line.lstrip().startswith("|") and pipes >= 2
    by_ruler = any("|" in near and _RULER.match(near) for near in (before, following))
    return bordered or (pipes > 0 and by_ruler)


def _pipe_cells(line: str) -> tuple[str, ...]:
    inner = line.strip()
    inner = inner.removeprefix("|")
    if inner.endswith("|") and not inner.endswith("\\|"):
        inner = inner[:-1]
    return tuple(cell.strip().replace("\\|", "|") for cell in _PIPE.split(inner))

"""Light parsing of Markdown, line by line: enough to know titles, items, tables, code and formulas."""

import re
from collections.abc import Iterator, Sequence
from typing import Final

from grader.reading.document import Block, BlockKind
from grader.reading.formulas import MOST_FORMULAS, with_formulas
from grader.reading.items import begins_item
from grader.reading.markdown_code import FENCE, fence_end, without_comments
from grader.reading.markdown_displays import display
from grader.reading.markdown_inline import unescaped, without_markup
from grader.reading.markdown_tables import closing_lines, html_table, is_row, is_ruler, is_thin_ruler, pipe_cells
from grader.reading.text_tables import text_table
from grader.reading.titles import could_be_title, title_level

_HASHES: Final = re.compile(r"\s{0,3}(#{1,6})(?=\s|$)")
_UNDERLINE: Final = re.compile(r"\s{0,3}(=+|-{3,})\s*$")
_BOLD_ONLY: Final = re.compile(r"\s*(\*\*|__)(?!\s)([^*]+?)\1\s*:?\s*$")
_QUOTED: Final = re.compile(r"^\s{0,3}(?:>[ \t]?){1,9}")
_TAGGED_TITLE: Final = re.compile(r"\s*<h([1-6])(?:\s[^<>]{0,200})?>(.*)</h\1>\s*$", re.IGNORECASE)
_PICTURE: Final = re.compile(r"\s*(?:!\[([^\[\]]*)\]\((?!attachment:)[^()]*\)|<img\s[^<>]{0,1000}>)\s*$", re.IGNORECASE)
_PLUS_ITEM: Final = re.compile(r"\s*\+\s+(?=[^\W\d_]{2})")
_NOTE_BEGINS: Final = re.compile(r"\s{0,3}\[\^([^\]\s]{1,40})\]:")
_REFERENCE: Final = re.compile(r"\[\^([^\]\s]{1,40})\](?!:)")
_SET_IN: Final = re.compile(r"(?:\t| {2,})\S")
_SETTING: Final = re.compile(r"\s*(?:[\w-]{1,40}\s*:.*|-\s.*|\s+\S.*|#.*|)$")
_LONGEST_HEAD: Final = 60
_BOLD_LEVEL: Final = 6
"""A line in bold type alone is below every title with hashes."""


def markdown_blocks(lines: Sequence[str]) -> list[Block]:
    """The blocks of Markdown source, with line numbers from 1. LaTeX and emphasis stay as written; HTML tags, marks of
    quotations and of notes, and addresses behind links are left out. Notes stand behind the paragraph, list or table
    that refers to them first."""
    return _with_notes(list(with_formulas(_blocks(lines))), lines)


def _with_notes(blocks: list[Block], lines: Sequence[str]) -> list[Block]:
    notes = _notes(lines)
    if not notes:
        return blocks
    inside = {number: name for name, numbers in notes.items() for number in numbers}
    kept = [block for block in blocks if block.line not in inside]
    moved: dict[int, list[Block]] = {}
    placed = set()
    for index, block in enumerate(kept):
        for name in _REFERENCE.findall(lines[(block.line or 1) - 1]):
            if name in notes and name not in placed:
                placed.add(name)
                own = [one for one in blocks if one.line is not None and inside.get(one.line) == name]
                moved.setdefault(_last_of_paragraph(kept, index), []).extend(own)
    left = [block for block in blocks if block.line in inside and inside[block.line] not in placed]
    return [one for index, block in enumerate(kept) for one in (block, *moved.get(index, ()))] + left


def _notes(lines: Sequence[str]) -> dict[str, range]:
    """The numbers of the lines of each note: that where it begins, and those set in behind it."""
    found: dict[str, range] = {}
    for index, line in enumerate(lines):
        begins = _NOTE_BEGINS.match(line)
        if begins:
            end = index + 1
            while end < len(lines) and (_SET_IN.match(lines[end]) or (lines[end].strip() and lines[end - 1].strip())):
                if _NOTE_BEGINS.match(lines[end]) or _HASHES.match(lines[end]):
                    break
                end += 1
            found.setdefault(begins[1], range(index + 1, end + 1))
    return found


def _last_of_paragraph(blocks: Sequence[Block], index: int) -> int:
    """The index of the last block that follows on a block without an empty line between them."""
    while index + 1 < len(blocks) and blocks[index + 1].line == (blocks[index].line or 0) + 1:
        if blocks[index + 1].kind is BlockKind.HEADING or blocks[index].kind is BlockKind.HEADING:
            break
        index += 1
    return index


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
    index = _head_end(lines)
    yield from _head_title(lines[:index])
    plain = [_QUOTED.sub("", line, count=1) if ">" in line[:4] else line for line in lines]
    plain = without_comments(plain)
    table_ends = closing_lines(plain)
    in_table, shown = False, 0
    while index < len(lines):
        found = _several(plain, index, table_ends, cut=shown < MOST_FORMULAS)
        if found is not None:
            blocks, index = found
            yield from blocks
            in_table, shown = False, shown + sum(block.kind is BlockKind.MATH for block in blocks)
            continue
        block = _line_block(plain, index, in_table=in_table)
        in_table = (block is not None and block.kind is BlockKind.ROW) or (in_table and is_ruler(plain[index]))
        if block is not None:
            yield block
        index += 1


def _several(
    lines: Sequence[str], index: int, table_ends: Sequence[int], *, cut: bool
) -> tuple[list[Block], int] | None:
    """The blocks of what goes over several lines, and the index behind it: code, a formula, a table.
    `cut`: the rows of formulas are told apart."""
    fence = FENCE.match(lines[index])
    if fence:
        end = fence_end(lines, index, fence[1])
        inner = ((number, lines[number].rstrip()) for number in range(index + 1, end))
        return [Block(kind=BlockKind.CODE, text=text, line=number + 1) for number, text in inner if text], end + 1
    found = display(lines, index, cut=cut)
    if found is not None:
        before = [plain_block(found.before, index + 1)] if found.before else []
        behind = [plain_block(found.behind, found.end)] if found.behind else []
        return [*before, *found.blocks, *behind], found.end
    return text_table(lines, index) or html_table(lines, index, table_ends)


def _head_end(lines: Sequence[str]) -> int:
    """The index behind the settings that some editors put before a text, between lines of dashes."""
    if not lines or lines[0].rstrip() != "---":
        return 0
    for index in range(1, min(_LONGEST_HEAD, len(lines))):
        if lines[index].rstrip() in ("---", "..."):
            return index + 1 if index > 1 else 0
        if not _SETTING.match(lines[index]):
            return 0
    return 0


def _head_title(lines: Sequence[str]) -> Iterator[Block]:
    for number, line in enumerate(lines, start=1):
        name, _, value = line.partition(":")
        title = value.strip().strip("\"'")
        if name.strip() == "title" and title:
            yield Block(kind=BlockKind.HEADING, text=title, level=1, line=number)


def _line_block(lines: Sequence[str], index: int, *, in_table: bool) -> Block | None:
    """The block of one line; None where it says nothing."""
    number = index + 1
    before = lines[index - 1] if index else ""
    following = lines[index + 1] if number < len(lines) else ""
    picture = _PICTURE.match(lines[index])
    if picture:
        return Block(kind=BlockKind.FIGURE, text=picture[1] or "", line=number)
    tagged = _TAGGED_TITLE.match(lines[index])
    line = without_markup(lines[index])
    if not line.strip() or is_ruler(line) or is_thin_ruler(lines, index) or (_UNDERLINE.match(line) and before.strip()):
        return None
    title = (line.strip(), int(tagged[1])) if tagged else _title(line, before, following)
    if title is not None:
        text, level = title
        return Block(kind=BlockKind.HEADING, text=unescaped(text), level=level, line=number) if text else None
    if is_row(line, before, following, in_table=in_table):
        return Block(kind=BlockKind.ROW, text=line.strip(), cells=pipe_cells(line.strip()), line=number)
    if _PLUS_ITEM.match(line):
        return Block(kind=BlockKind.LIST_ITEM, text=unescaped(line.strip()), line=number)
    return plain_block(unescaped(line), number)


def _title(line: str, before: str, following: str) -> tuple[str, int] | None:
    """A title's text and level. Bare numbered titles are left to `plain_block`."""
    hashes = _HASHES.match(line)
    if hashes:
        return _plain(line[hashes.end() :].rstrip().rstrip("#")), len(hashes[1])
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

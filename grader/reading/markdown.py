"""Markdown and plain text as documents, one block per source line: titles, items, tables, code and displayed
formulas.
"""

import re
from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from typing import Final, NamedTuple

from grader.intake.submission import SubmittedFile
from grader.message import Message, Words, say
from grader.reading.bytes_in import lines_of, text_of
from grader.reading.document import MOST_FORMULAS, Block, BlockKind, Document, with_formulas
from grader.reading.latex.formulas import rows_of
from grader.reading.latex.stream import Stream
from grader.reading.latex.tokens import Kind, Token, tokens
from grader.reading.markdown_tables import (
    closing_lines,
    html_table,
    is_row,
    is_ruler,
    is_thin_ruler,
    pipe_cells,
    text_table,
    unescaped,
    without_markup,
)
from grader.reading.maths.formula import Formula
from grader.reading.maths.tokens import names
from grader.reading.structure import BOLD_LEVEL, begins_item, could_be_title, title_level

FENCE: Final = re.compile(r"\s*(?:(?:[-*+]|\d{1,3}[.)])\s+)?(`{3,}(?=[^`]*$)|~{3,})")
"""A line that opens a block of code; its first group is the fence."""

_BEGIN: Final = "<!--"
_END: Final = "-->"
_COMMENT: Final = re.compile(r"<!--.*?-->")


def fence_end(lines: Sequence[str], start: int, fence: str) -> int:
    """The index of the line that closes a block of code, or of the end of the text."""
    inner = ((index, lines[index].strip()) for index in range(start + 1, len(lines)))
    return next((index for index, text in inner if text.startswith(fence) and not text.strip(fence[0])), len(lines))


def without_comments(lines: Sequence[str]) -> list[str]:
    """The lines without comments. An unclosed comment is kept as text, and so is code that looks like a comment."""
    found = list(lines)
    ends = [index for index, line in enumerate(lines) if _END in line]
    index = 0
    while index < len(found):
        fence = FENCE.match(found[index])
        if fence:
            index = fence_end(found, index, fence[1])
        elif _BEGIN in found[index]:
            closed = found[index].rfind(_END) + len(_END)  # what is behind it is no whole comment
            found[index] = _COMMENT.sub("", found[index][:closed]) + found[index][closed:]
            position = bisect_left(ends, index + 1)
            if _BEGIN in found[index] and position < len(ends):  # it goes on below
                before, end = found[index].partition(_BEGIN)[0], ends[position]
                found[index : end + 1] = [before, *[""] * (end - index - 1), lines[end].partition(_END)[2]]
                index = end - (_BEGIN in found[end])
        index += 1
    return found


LONGEST_DISPLAY: Final = 60
"""In lines."""

_LONGEST_TEXT: Final = 20_000
"""In characters; a longer one is not cut into rows."""

_OPENING: Final = re.compile(
    r"\$\$|\\\[|\\begin\{((?:equation|align|gather|multline|eqnarray|alignat|displaymath|flalign)\*?)\}"
)
_CLOSED_BY: Final = {"$$": "$$", "\\[": "\\]"}
_BEHIND: Final = re.compile(r"[\s.,;:]*(?:\(\d{1,3}[a-z]?\))?[\s.,;:]*")
_ROWS: Final = re.compile(r"\\\\|\\begin\{|&")


def _display(lines: Sequence[str], start: int, *, cut: bool) -> tuple[list[Block], int] | None:
    """The displayed formula that begins on a line, with the words before it and those behind it, and the index behind
    its last line; None when none begins, or one that never ends. One that begins and ends within a line of words is
    part of that line. `cut`: rows are told apart."""
    line = lines[start].strip()
    opening = _OPENING.search(line)
    if opening is None:
        return None
    sign = opening.group()
    close = _CLOSED_BY.get(sign) or f"\\end{{{opening[1]}}}"
    at = line.find(close, opening.end())
    if at >= 0:
        alone = not line[: opening.start()].strip() and _BEHIND.fullmatch(line, at + len(close))
        return (_blocks([line], start, sign if cut else ""), start + 1) if alone else None
    before = line[: opening.start()].strip()
    if before and sign == "$$" and not before.endswith(_LEADS):
        return None
    for index in range(start + 1, min(start + LONGEST_DISPLAY, len(lines))):
        at = lines[index].find(close)
        if at >= 0:
            end = at + len(close)
            behind = "" if _BEHIND.fullmatch(lines[index], end) else lines[index][end:]
            last = lines[index][:end] if behind else lines[index]
            found = _blocks([line[opening.start() :], *lines[start + 1 : index], last], start, sign if cut else "")
            first = [plain_block(before, start + 1)] if before else []
            return [*first, *found, *([plain_block(behind.strip(), index + 1)] if behind.strip() else [])], index + 1
    return None


_LEADS: Final = tuple(names(": = , . is are has get by as have est sont par a à - *"))
"""What words before a formula that begins at the end of their line end in."""


def _blocks(lines: Sequence[str], start: int, sign: str) -> list[Block]:
    """One block for each row that is set by LaTeX's commands, else one for the whole, with its signs."""
    text = " ".join(line.strip() for line in lines if line.strip())
    if not sign or len(text) > _LONGEST_TEXT or (sign in _CLOSED_BY and not _ROWS.search(text)):
        return [Block(kind=BlockKind.MATH, text=text, line=start + 1)]
    rows = ((row, Formula(start=0, end=len(row.source))) for row in rows_of(_inner("\n".join(lines), sign)))
    return [Block(kind=BlockKind.MATH, text=row.source, line=start + row.line, formulas=(one,)) for row, one in rows]


def _inner(source: str, sign: str) -> list[Token]:
    """The tokens between the signs around a display, with environments as one token each."""
    begin = source.find(sign) + len(sign)
    close = _CLOSED_BY.get(sign) or sign.replace("\\begin", "\\end")
    end = source.rfind(close)
    line = source.count("\n", 0, begin)
    found: list[Token] = []
    stream = Stream(list(tokens(source[begin : max(end, begin)], "")))
    while (token := stream.take()) is not None:
        if token.kind is Kind.COMMAND and token.text in ("begin", "end"):
            kind = Kind.BEGIN if token.text == "begin" else Kind.END
            token = token._replace(kind=kind, text=stream.words())
        found.append(token._replace(line=token.line + line))
    return found


_HASHES: Final = re.compile(r"\s{0,3}(#{1,6})(?=\s|$)")
_UNDERLINE: Final = re.compile(r"\s{0,3}(=+|-{3,})\s*$")
_BOLD_ONLY: Final = re.compile(r"\s*(\*\*|__)(?!\s)([^*]+?)\1\s*:?\s*$")
_QUOTED: Final = re.compile(r"^\s{0,3}(?:>[ \t]?){1,9}")
_TAGGED_TITLE: Final = re.compile(r"\s*<h([1-6])(?:\s[^<>]{0,200})?>(.*)</h\1>\s*$", re.IGNORECASE)
_PICTURE: Final = re.compile(r"\s*(?:!\[([^\[\]]*)\]\((?!attachment:)[^()]*\)|<img\s[^<>]{0,1000}>)\s*$", re.IGNORECASE)
_PLUS_ITEM: Final = re.compile(r"\s*\+\s+(?=[^\W\d_]{2})")
_NOTE_BEGINS: Final = re.compile(r"\s{0,3}\[\^([^\]\s]{1,40})\]:")
_REFERENCE: Final = re.compile(r"\[\^([^\]\s]{1,40})\](?!:)")
_HTML: Final = re.compile("<[a-zA-Z]|\u202e")
_SET_IN: Final = re.compile(r"(?:\t| {2,})\S")
_SETTING: Final = re.compile(r"\s*(?:[\w-]{1,40}\s*:.*|-\s.*|\s+\S.*|#.*|)$")
_LONGEST_HEAD: Final = 60


class Rendered(NamedTuple):
    """The blocks of Markdown that a page of it shows, the texts that it hides, and the problems to report."""

    blocks: list[Block]
    hidden: tuple[Block, ...] = ()
    problems: tuple[Words, ...] = ()


def markdown_blocks(lines: Sequence[str]) -> list[Block]:
    """The blocks of Markdown source, with line numbers from 1. LaTeX and emphasis stay as written; HTML tags, marks of
    quotations and of notes, and addresses behind links are left out, and so is what the HTML does not show. Notes stand
    behind the paragraph, list or table that refers to them first."""
    return rendered(lines).blocks


def rendered(lines: Sequence[str]) -> Rendered:
    """The blocks of Markdown source as `markdown_blocks` describes them, and what is hidden by HTML within it."""
    if not any(_HTML.search(line) for line in lines):
        return Rendered(_blocks_of(lines))
    from grader.reading.html.unseen import mattering
    from grader.reading.markdown_html import visible_lines
    from grader.reading.visibility import as_written

    visible, left_out = visible_lines(lines, list(_code(lines)))
    blocks, doubts = as_written(_blocks_of(visible))
    unseen = mattering(left_out, blocks)
    return Rendered(blocks, unseen.hidden, (*unseen.problems, *doubts))


def _blocks_of(lines: Sequence[str]) -> list[Block]:
    return _with_notes(list(with_formulas(_blocks_of_lines(lines))), lines)


def _code(lines: Sequence[str]) -> Iterator[range]:
    """The lines of each block of code."""
    index = 0
    while index < len(lines):
        fence = FENCE.match(lines[index])
        if fence:
            end = fence_end(lines, index, fence[1])
            yield range(index, end + 1)
            index = end
        else:
            indented = _indented(lines, index)
            if indented is not None:
                yield range(index, indented[1])
                index = indented[1] - 1
        index += 1


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


def _blocks_of_lines(lines: Sequence[str]) -> Iterator[Block]:
    index = _head_end(lines)
    yield from _head_title(lines[:index])
    plain = [_QUOTED.sub("", line, count=1) if ">" in line[:4] else line for line in lines]
    plain = without_comments(plain)
    table_ends = closing_lines(plain)
    in_table, shown, columns = False, 0, 0
    while index < len(lines):
        found = _several(plain, index, table_ends, cut=shown < MOST_FORMULAS)
        if found is not None:
            blocks, index = found
            yield from blocks
            in_table, shown, columns = False, shown + sum(block.kind is BlockKind.MATH for block in blocks), 0
            continue
        block = _line_block(plain, index, in_table=in_table)
        is_rule = is_ruler(plain[index]) or is_thin_ruler(plain, index)
        in_table = (block is not None and block.kind is BlockKind.ROW) or (in_table and is_rule)
        columns = len(pipe_cells(plain[index].strip())) if in_table and is_rule else columns if in_table else 0
        if block is not None:  # Markdown shows cells that a row lacks as empty ones at its end
            missing = columns - len(block.cells) if in_table else 0
            yield block.model_copy(update={"cells": (*block.cells, *[""] * missing)}) if missing > 0 else block
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
    found = _display(lines, index, cut=cut) or text_table(lines, index) or html_table(lines, index, table_ends)
    return found or _indented(lines, index)


def _indented(lines: Sequence[str], start: int) -> tuple[list[Block], int] | None:
    """A block of code that is only set in, below a blank line and not in a list."""
    if not _AS_CODE.match(lines[start]) or (start and lines[start - 1].strip()):
        return None
    before = reversed(lines[:start][-_LONGEST_HEAD:])
    above = next((one for one in before if one.strip() and not _AS_CODE.match(one)), "")
    if begins_item(above.strip()) or above.startswith((" ", "[^")):
        return None
    end = start
    while end < len(lines) and _AS_CODE.match(lines[end]):
        end += 1
    inner = ((number, lines[number].rstrip()) for number in range(start, end))
    return [Block(kind=BlockKind.CODE, text=text[4:], line=number + 1) for number, text in inner], end


_AS_CODE: Final = re.compile(r" {4}\s*\S")


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
        title = line[hashes.end() :].rstrip().rstrip("#")
        whole = _BOLD_ONLY.match(title)
        return whole[2].strip() if whole else title.strip(), len(hashes[1])
    bold = _BOLD_ONLY.match(line)
    if bold and could_be_title(bold[2]):
        return bold[2].strip(), BOLD_LEVEL
    underline = _UNDERLINE.match(following)
    if underline and not before.strip() and could_be_title(line.strip()) and "|" not in line:
        return line.strip(), 1 if underline[1].startswith("=") else 2
    return None


MOST_LINES: Final = 200_000


def read_markdown(file: SubmittedFile) -> Document:
    """The blocks of a Markdown file, each with its line from 1. LaTeX and emphasis stay as written."""
    text, problems = text_of(file.location)
    lines = lines_of(text)
    found = rendered(lines[:MOST_LINES])
    problems = (*problems, *_cut(lines), *found.problems)
    return Document(file=file.path, exact=True, blocks=tuple(found.blocks), hidden=found.hidden, problems=problems)


def read_text(file: SubmittedFile) -> Document:
    """The blocks of a plain text file; no sign is taken for markup except bullets, tabs, tables
    and numbered titles."""
    return _document(file, _plain_blocks)


def read_lines(file: SubmittedFile, kind: BlockKind) -> Document:
    """Every line as a block of one kind: code, or what a program printed. Indentation stays."""

    def parse(lines: Sequence[str]) -> list[Block]:
        numbered = enumerate(lines, start=1)
        return [Block(kind=kind, text=line.rstrip(), line=number) for number, line in numbered if line.strip()]

    return _document(file, parse)


def _plain_blocks(lines: Sequence[str]) -> list[Block]:
    blocks: list[Block] = []
    index = 0
    while index < len(lines):
        table = text_table(lines, index)
        if table:
            found, index = table
            blocks += found
            continue
        last = blocks[-1] if blocks else None
        is_row_above = last and last.kind is BlockKind.ROW and "|" in last.text and (last.line or 0) >= index - 1
        block = _plain_line(lines, index, in_table=bool(is_row_above))
        blocks += [block] if block else []
        index += 1
    return blocks


def _plain_line(lines: Sequence[str], index: int, *, in_table: bool) -> Block | None:
    """The block of a line; None where it says nothing. Tables may be drawn with pipes."""
    line = lines[index]
    if not line.strip() or (re.search(r"[|+]", line) and (is_ruler(line) or is_thin_ruler(lines, index))):
        return None
    before, following = (lines[at] if 0 <= at < len(lines) else "" for at in (index - 1, index + 1))
    if "|" in line and is_row(line, before, following, in_table=in_table):
        return Block(kind=BlockKind.ROW, text=line.strip(), cells=pipe_cells(line.strip()), line=index + 1)
    return plain_block(line, index + 1)


def read_unknown_text(file: SubmittedFile) -> Document:
    """The lines of a text of a kind that is not known: its marks stay as they are, so that it is read in part only."""
    document = read_text(file)
    problem = say("its kind is not known, so it is read as plain text: hand it in as PDF or Markdown")
    return document.model_copy(update={"problems": (*document.problems, problem)})


def _document(file: SubmittedFile, parse: Callable[[Sequence[str]], list[Block]]) -> Document:
    text, problems = text_of(file.location)
    lines = lines_of(text)
    problems = (*problems, *_cut(lines))
    return Document(file=file.path, exact=True, blocks=tuple(parse(lines[:MOST_LINES])), problems=problems)


def _cut(lines: Sequence[str]) -> Iterator[Message]:
    if len(lines) > MOST_LINES:
        yield say(
            "the file has {count} lines; only the first {most_lines} are read", count=len(lines), most_lines=MOST_LINES
        )

"""Markdown and plain text as documents, one block per source line: titles, items, tables, code and displayed formulas.
Tables are found in plain text, too.
"""

import html
import re
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import pairwise
from typing import Final, NamedTuple

from grader.intake.submission import SubmittedFile
from grader.message import Message, Words, say
from grader.reading.bytes_in import lines_of, read_up_to, text_of
from grader.reading.document import MOST_FORMULAS, Block, BlockKind, Document, with_formulas
from grader.reading.latex.formulas import rows_of
from grader.reading.latex.tokens import Kind, Stream, Token, tokens
from grader.reading.maths.formula import Formula, marked_spans
from grader.reading.maths.tokens import names
from grader.reading.structure import (
    BOLD_LEVEL,
    ORDINAL,
    SpannedCell,
    begins_item,
    could_be_title,
    plain_rows,
    row_text,
    title_level,
)
from grader.reading.terminal import as_shown, from_streams

_TAGS: Final = (
    "a|abbr|b|big|blockquote|br|center|cite|code|dd|del|details|div|dl|dt|em|figure|figcaption|font|h[1-6]|hr|i|img|ins"
    "|kbd|li|mark|ol|p|pre|s|samp|section|small|span|strike|strong|sub|summary|sup|tt|u|ul|var|tbody|thead|table|tr|td|th"
)
_TAG: Final = re.compile(rf"</?({_TAGS})(?=[\s/>])[^<>]{{0,500}}>", re.IGNORECASE)
_SCRIPT: Final = re.compile(r"<(sup|sub)>([^<>]{1,60})</\1>", re.IGNORECASE)
_ENTITY: Final = re.compile(r"&(?:#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|[a-zA-Z]{2,12}\d{0,2});")
_NOTE: Final = re.compile(r"\[\^[^\]\s]{1,40}\](?P<begins>:?)")
_LINK: Final = re.compile(
    r"(?P<image>!?)\[(?P<text>[^\[\]]{0,500})\]\(\s?(?P<target><?[^()\s<>]{1,1000}>?)(?:\s+[\"'][^\"'\n]{0,200}[\"'])?\s?\)"
)
_ADDRESS: Final = re.compile(r"<?(?:https?:|mailto:|www\.|#|/|\.{1,2}/|[\w%-]+[./])")
_ESCAPE: Final = re.compile(r"\\([_*#.+~`&%-])")
_STRUCK: Final = re.compile(
    r"(?<![~\\])~~(?=[^\s~])[^~\n]{1,500}?(?<=[^\s~])~~(?!~)|<(s|del|strike)>[^<>]{1,500}</\1>", re.IGNORECASE
)
"""What its writer has struck out."""
_BOLD: Final = ("b", "strong")
_SPACING: Final = ("br", "p", "div", "li", "hr", "td", "th", "tr")


def without_markup(text: str) -> str:
    """A line without HTML tags, marks of notes, addresses behind links and what is struck out. Raised and lowered
    text becomes `^{…}` and `_{…}`, bold `**…**`; names in angle brackets that are no tags stay."""
    if not any(sign in text for sign in "<&[~"):
        return text
    kept = protected_spans(text)  # code may be struck out, and hold the signs of that itself
    text = _STRUCK.sub(
        lambda struck: struck.group() if any(start < at < end for at in struck.span() for start, end in kept) else "",
        text,
    )
    return _outside(text, _plain)


def unescape_line(text: str) -> str:
    """A line with the signs that a backslash protects; formulas and code keep theirs."""
    return _outside(text, lambda part: _ESCAPE.sub(r"\1", part)) if "\\" in text else text


def protected_spans(text: str) -> list[tuple[int, int]]:
    """Return the places of formulas and code, with the signs around them."""
    return [(start - len(sign), end + len(sign)) for start, end, sign in marked_spans(text)]


def _outside(text: str, change: Callable[[str], str]) -> str:
    parts, position = [], 0
    for start, end in protected_spans(text):
        parts += [change(text[position:start]), text[start:end]]
        position = end
    return "".join([*parts, change(text[position:])])


def _plain(text: str) -> str:
    text = _LINK.sub(_linked, _NOTE.sub("", text))
    if "<" in text:
        text = _TAG.sub(_untagged, _SCRIPT.sub(_scripted, text))
    return _ENTITY.sub(lambda match: html.unescape(match.group()).replace("\xa0", " "), text)


def _linked(match: re.Match[str]) -> str:
    """The words of a link or picture; brackets that no address follows stay, and so do a notebook's own pictures."""
    attached = match["target"].startswith("attachment:")
    is_link = not attached and (match["image"] or _ADDRESS.match(match["target"]))
    return match["text"] if is_link else match.group()


def _scripted(match: re.Match[str]) -> str:
    sign, text = "^" if match[1].lower() == "sup" else "_", match[2].strip()
    return match[2] if sign == "^" and ORDINAL.fullmatch(text) else f"{sign}{{{text}}}"


def _untagged(match: re.Match[str]) -> str:
    name = match[1].lower()
    return "**" if name in _BOLD else " " if name in _SPACING else ""


_RULER: Final = re.compile(r"\|?\s*:?-{2,}:?\s*(?:[|+]\s*:?-{2,}:?\s*)*\|?")  # with `+` as programs print it
_BOXED_RULER: Final = re.compile(r"\+(?:[-=]{2,}\+)+")
_THIN_RULER: Final = re.compile(r"\|\s*:?-+:?\s*\|?|\|?\s*:?-+:?\s*(?:\|\s*:?-+:?\s*)+\|?")
_PIPE: Final = re.compile(r"\\.|\|")
_TABLE_OPENING: Final = re.compile(r"\s*<table(?=[\s>])", re.IGNORECASE)
_TABLE_CLOSING: Final = re.compile(r"</table\s{0,9}>", re.IGNORECASE)
_LONGEST_TABLE: Final = 2_000
_MARK: Final = re.compile(r"<(tr|td|th)(?=[\s>])([^<>]{0,300})>", re.IGNORECASE)


def is_ruler(line: str) -> bool:
    """Whether a line is the rule under a table's header, or one across the page."""
    text = line.strip()
    return bool(_RULER.fullmatch(text) or _BOXED_RULER.fullmatch(text))


def is_thin_ruler(lines: Sequence[str], index: int) -> bool:
    """Whether a line is a ruler with single dashes, below the first row of a table; further down these are cells."""
    above = [lines[number] if number >= 0 else "" for number in (index - 2, index - 1)]
    return bool(_THIN_RULER.fullmatch(lines[index].strip())) and "|" in above[1] and "|" not in above[0]


def pipes(line: str) -> list[int]:
    """Return the places of the signs that separate cells: not the escaped ones, nor those within formulas and code."""
    if "|" not in line:
        return []
    spans = list(protected_spans(line))
    if not spans and "\\" not in line:
        return [at for at, sign in enumerate(line) if sign == "|"]
    inside = iter(spans)
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
        re.search(r"[|+]", near) and (is_ruler(near) or _THIN_RULER.fullmatch(near.strip()))
        for near in (before, following)
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
    return tuple(unescape_line(text).replace("\\|", "|") for text in texts)


def closing_lines(lines: Sequence[str]) -> list[int]:
    """The indices of lines on which an HTML table ends."""
    return [index for index, line in enumerate(lines) if "</" in line and _TABLE_CLOSING.search(line)]


def html_table(lines: Sequence[str], start: int, ends: Sequence[int]) -> tuple[list[Block], int] | None:
    """The rows of an HTML table that begins on a line, and the index behind it; None where none does. `ends` are the
    `closing_lines`."""
    position = bisect_left(ends, start)
    if position == len(ends) or ends[position] - start > _LONGEST_TABLE or not _TABLE_OPENING.match(lines[start]):
        return None
    end = ends[position]
    # All rows stand on the line on which the table begins; what stands outside of cells is left out.
    source = "\n".join(lines[start : end + 1])
    line = start + 1
    rows: list[list[SpannedCell]] = []
    marks = list(_MARK.finditer(source))
    for mark, following in zip(marks, [*marks[1:], None], strict=False):
        if mark[1].lower() == "tr":
            rows.append([])
        elif rows:
            text = source[mark.end() : following.start() if following else len(source)]
            words = " ".join(without_markup(text).split())
            rows[-1].append(SpannedCell(words, _span(mark[2], "colspan"), _span(mark[2], "rowspan")))
    cells = plain_rows(rows)
    return [
        Block(kind=BlockKind.ROW, text=row_text(texts), cells=texts, line=line) for texts in cells if any(texts)
    ], end + 1


def _span(attributes: str, name: str) -> int:
    match = re.search(rf"{name}\s*=\s*[\"']?(\d{{1,4}})", attributes, re.IGNORECASE)
    return int(match[1]) if match else 1


_COLUMN_RULER: Final = re.compile(r"\s{0,8}[-=]{2,}(?:\s+[-=]{2,}){1,40}\s*")
_GROUP: Final = re.compile(r"[-=]+")
_LONG: Final = re.compile(r"\s{0,8}-{8,}\s*")
_MOST_ROWS: Final = 500
_MOST_HEADS: Final = 4


def text_table(lines: Sequence[str], start: int) -> tuple[list[Block], int] | None:
    """The rows of the table that begins on a line with its header, with a long line of dashes above that, or with its
    ruler, and the index behind its last line; None where none does. Between long lines of dashes rows are parted by
    blank lines, and go over several lines."""
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
    return blocks, end + (end < len(lines) and _closes(lines[end]))


def _is_ruler(line: str) -> bool:
    return bool(_COLUMN_RULER.fullmatch(line))


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
        return [[candidate] for candidate in lines]
    groups: list[list[tuple[int, str]]] = [[]]
    for number, line in lines:
        if line.strip():
            groups[-1].append((number, line))
        elif groups[-1]:
            groups.append([])
    return [group for group in groups if group]


def _row(lines: Sequence[tuple[int, str]], starts: Sequence[int]) -> Block:
    parts = [_cut_at(line.expandtabs(), starts) for _, line in lines]
    cells = tuple(" ".join(part[column] for part in parts if part[column]) for column in range(len(starts)))
    return Block(kind=BlockKind.ROW, text=" | ".join(cells), cells=cells, line=lines[0][0] + 1)


def _cut_at(line: str, starts: Sequence[int]) -> list[str]:
    """A line cut where its columns begin, between words: a word that begins before its column belongs to it."""
    cuts = [0]
    for start in starts[1:]:
        cut = min(start, len(line))
        while cut > cuts[-1] and cut < len(line) and line[cut - 1] != " ":
            cut -= 1
        cuts.append(max(cut, cuts[-1]))
    return [line[left:right].strip() for left, right in pairwise([*cuts, len(line)])]


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
    return [
        Block(kind=BlockKind.MATH, text=row.source, line=start + row.line, formulas=(formula,)) for row, formula in rows
    ]


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


class RenderedMarkdown(NamedTuple):
    """The blocks of Markdown that a page of it shows, the texts that it hides, and the problems to report."""

    blocks: list[Block]
    hidden: tuple[Block, ...] = ()
    problems: tuple[Words, ...] = ()


def markdown_blocks(lines: Sequence[str]) -> list[Block]:
    """The blocks of Markdown source, with line numbers from 1. LaTeX and emphasis stay as written; HTML tags, marks of
    quotations and of notes, and addresses behind links are left out, and so is what the HTML does not show. Notes stand
    behind the paragraph, list or table that refers to them first."""
    return render_markdown(lines).blocks


def render_markdown(lines: Sequence[str]) -> RenderedMarkdown:
    """The blocks of Markdown source as `markdown_blocks` describes them, and what is hidden by HTML within it."""
    if not any(_HTML.search(line) for line in lines):
        return RenderedMarkdown(_blocks_of(lines))
    from grader.reading.html.walk import mattering
    from grader.reading.markdown_html import visible_lines
    from grader.reading.visibility import as_written

    visible, left_out = visible_lines(lines, list(_code(lines)))
    blocks, doubts = as_written(_blocks_of(visible))
    unseen = mattering(left_out, blocks)
    return RenderedMarkdown(blocks, unseen.hidden, (*unseen.problems, *doubts))


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
                own_blocks = [
                    candidate
                    for candidate in blocks
                    if candidate.line is not None and inside.get(candidate.line) == name
                ]
                moved.setdefault(_last_of_paragraph(kept, index), []).extend(own_blocks)
    left = [block for block in blocks if block.line in inside and inside[block.line] not in placed]
    return [entry for index, block in enumerate(kept) for entry in (block, *moved.get(index, ()))] + left


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
    above = next((text for text in before if text.strip() and not _AS_CODE.match(text)), "")
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
        return Block(kind=BlockKind.HEADING, text=unescape_line(text), level=level, line=number) if text else None
    if is_row(line, before, following, in_table=in_table):
        return Block(kind=BlockKind.ROW, text=line.strip(), cells=pipe_cells(line.strip()), line=number)
    if _PLUS_ITEM.match(line):
        return Block(kind=BlockKind.LIST_ITEM, text=unescape_line(line.strip()), line=number)
    return plain_block(unescape_line(line), number)


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
    lines = list(_without_escapes(lines_of(text))) if "$" in text else lines_of(text)
    found = render_markdown(lines[:MOST_LINES])
    problems = (*problems, *_cut(lines), *found.problems)
    return Document(file=file.path, exact=True, blocks=tuple(found.blocks), hidden=found.hidden, problems=problems)


def _without_escapes(lines: Iterable[str]) -> Iterator[str]:
    """The lines, with the formulas as they were before pandoc escaped them for dialects of Markdown that have none:
    `$\\\\frac{1}{2} x\\_{1}$`."""
    is_displayed = False
    for line in lines:
        holds_formula = is_displayed or "$" in line
        commands = re.findall(r"(\\+)[a-zA-Z]{2}", line) if holds_formula else []
        is_escaped = bool(commands) and {*commands} == {"\\\\"}
        yield line.replace("\\\\", "\\").replace("\\_", "_") if is_escaped else line
        is_displayed ^= line.count("$$") % 2 == 1


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
    problem = say("its format is not known, so it is read as plain text: hand it in as PDF or Markdown")
    return document.model_copy(update={"problems": (*document.problems, problem)})


def _document(file: SubmittedFile, parse: Callable[[Sequence[str]], list[Block]]) -> Document:
    text, problems = text_of(file.location)
    # groff writes bold and underlined letters over each other, and the hyphens of books also in commands.
    shown = as_shown(text) if "\b" in text or "\x1b" in text else text
    lines = lines_of(from_streams(shown.replace("\u2010", "-")))
    problems = (*problems, *_cut(lines))
    return Document(file=file.path, exact=True, blocks=tuple(parse(lines[:MOST_LINES])), problems=problems)


def _cut(lines: Sequence[str]) -> Iterator[Message]:
    if len(lines) > MOST_LINES:
        yield read_up_to(say("line {line}", line=MOST_LINES))

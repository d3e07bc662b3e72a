"""Tables in Markdown and in plain text, and what stands within a line besides plain text: tags, links, notes,
escapes.
"""

import html
import re
from bisect import bisect_left
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Final

from grader.reading.document import Block, BlockKind
from grader.reading.maths.formula import marked
from grader.reading.structure import ORDINAL, Spanned, plain_rows, row_text

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
    kept = protected(text)  # code may be struck out, and hold the signs of that itself
    text = _STRUCK.sub(
        lambda struck: struck.group() if any(start < at < end for at in struck.span() for start, end in kept) else "",
        text,
    )
    return _outside(text, _plain)


def unescaped(text: str) -> str:
    """A line with the signs that a backslash protects; formulas and code keep theirs."""
    return _outside(text, lambda part: _ESCAPE.sub(r"\1", part)) if "\\" in text else text


def protected(text: str) -> list[tuple[int, int]]:
    """Where formulas and code stand, with the signs around them."""
    return [(start - len(sign), end + len(sign)) for start, end, sign in marked(text)]


def _outside(text: str, change: Callable[[str], str]) -> str:
    parts, position = [], 0
    for start, end in protected(text):
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
    spans = list(protected(line))
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
            words = " ".join(without_markup(text).split())
            rows[-1].append(Spanned(words, _span(mark[2], "colspan"), _span(mark[2], "rowspan")))
    cells = plain_rows(rows)
    return [Block(kind=BlockKind.ROW, text=row_text(texts), cells=texts, line=line) for texts in cells if any(texts)]


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

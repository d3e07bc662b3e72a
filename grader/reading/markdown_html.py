"""HTML within Markdown: which of the text a rendered page would not show.

A page of Markdown is one page: a style sheet or an open element reaches as far as it does in HTML. Paragraphs end the
elements that were begun in them, as they do in browsers. Code and formulas hold no tags.
"""

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence, Set
from itertools import accumulate
from typing import Final, NamedTuple

from grader.reading.document import Block, BlockKind
from grader.reading.html.cascade import Element, Styles
from grader.reading.html.parse import BLOCKS, LEFT_OUT, LISTS, RAW, TITLES, Token, TokenKind, tokens, tree_of
from grader.reading.html.walk import Unseen
from grader.reading.markdown import pipes, protected_spans
from grader.reading.office import TEXT
from grader.reading.structure import begins_item
from grader.reading.visibility import Visibility

_TAG: Final = re.compile(r"<(?=/?[a-zA-Z]|!--)")
_RAW: Final = re.compile(rf"<({'|'.join(RAW)})(?=[\s/>])", re.IGNORECASE)
_ALONE: Final = re.compile(r"\s{0,3}</?([a-zA-Z][\w-]*)(?:\s[^<>]*)?/?>\s*")
_BEGINS: Final = re.compile(r"\s{0,3}</?([a-zA-Z][\w-]*)(?=[\s/>]|$)")
_OWN_LINE: Final = re.compile(r"\s*(?:#{1,6}\s|>|\|)")
_AS_BLOCKS: Final = (
    BLOCKS | LISTS | {*TITLES, "li", "dt", "dd", "table", "caption", "nav", "iframe", "pre", "style", "script"}
)
_WITHOUT_SHAPE: Final = frozenset((
    "audio", "canvas", "dialog", "iframe", "noembed", "noframes", "noscript", "object", "script", "style", "template",
    "video",
))  # fmt: skip
"""Elements whose tags are no text, although Markdown's own reader does not know them."""
_NOT_AS_TEXT: Final = LEFT_OUT - {"del", "s", "strike"}
_WITHOUT_TEXT: Final = frozenset(("datalist", "head", "script", "style", "template", "title"))
"""Elements of which a page never shows anything."""
_MASK: Final = "\x01"


class _Page(NamedTuple):
    """Markdown with marks of paragraphs put in: at `places` of it, `shifts` characters more than in the source."""

    text: str
    places: list[int]
    shifts: list[int]

    def source_place(self, place: int) -> int:
        """The place in the source."""
        return place - self.shifts[bisect_right(self.places, place) - 1]


def visible_lines(lines: Sequence[str], code: Sequence[range]) -> tuple[list[str], list[Unseen]]:
    """The lines of Markdown as far as a page of them shows their text, and what was left out. `code` are the ranges of
    lines of code."""
    source, inside = "\n".join(lines), {number for numbers in code for number in numbers}
    page = _with_paragraphs([*_masked(lines, inside)], inside)
    found = [*tokens(page.text)]
    spans = {token.start: token.end for token in found if token.kind is TokenKind.TEXT}
    tree = tree_of(token._replace(line=token.start) for token in found)
    starts = [0, *accumulate(len(line) + 1 for line in lines)]
    unseen: list[Unseen] = []
    cuts = [(token.start, token.end) for token in found if _is_no_text(token, page.text)]
    for element, start, holder in _texts(Styles(tree.root).root):
        place = page.source_place(start)
        text = source[place : place + spans[start] - start]
        visibility = max(element.visibility, Visibility.DOUBTFUL) if holder else element.visibility
        if visibility is Visibility.SHOWN or not text.strip():
            continue
        cuts.append((start, spans[start]))
        if holder not in _WITHOUT_TEXT:
            first = place + len(text) - len(text.lstrip())
            block = Block(kind=BlockKind.LINE, text=" ".join(text.split()), line=bisect_right(starts, first))
            unseen.append(Unseen(block, visibility, element.is_off, False))
    return _without(
        source, [(page.source_place(start), page.source_place(start) + end - start) for start, end in cuts]
    ), unseen


def _texts(element: Element, holder: str = "") -> Iterator[tuple[Element, int, str]]:
    """Yield the starts of a page's texts, each with the element that it is in and the name of the outermost one around
    it whose content a page does not show as text, such as a drawing or a template."""
    for child in element.node.children:
        if isinstance(child, str):
            continue
        if child.name == TEXT:
            yield element, child.line, holder
        else:
            yield from _texts(element.child(child), holder or (child.name if child.name in _NOT_AS_TEXT else ""))


def _is_no_text(token: Token, text: str) -> bool:
    is_tag = token.kind in (TokenKind.START, TokenKind.END) and token.end > token.start
    return is_tag and (token.text in _WITHOUT_SHAPE or "\n" in text[token.start : token.end])


def _without(source: str, cuts: Sequence[tuple[int, int]]) -> list[str]:
    """The lines of a text without some parts of it."""
    parts: list[str] = []
    done = 0
    for start, end in sorted(cuts):
        parts += [source[done:start], "\n" * source.count("\n", max(start, done), end)]
        done = max(done, end)
    return "".join([*parts, source[done:]]).split("\n")


def _masked(lines: Sequence[str], code: Set[int]) -> Iterator[str]:
    """The lines, of the same lengths, with a sign in place of what begins no tag; those of `code` hold none."""
    masked = [
        line.replace("<", _MASK).replace("&", _MASK) if at in code else _plain(line) for at, line in enumerate(lines)
    ]
    text = "\n".join(masked)
    blanks = [match.start() for match in re.finditer(r"\n[ \t]*(?=\n|\Z)", text)] + [len(text)]
    closed = {name: text.lower().rfind(f"</{name}") for name in RAW}
    last_comment = text.rfind("-->")
    parts: list[str] = []
    done = 0
    for match in _TAG.finditer(text):
        at = match.start()
        raw = _RAW.match(text, at)
        if text.startswith("<!--", at):
            is_tag = last_comment > at
        else:
            is_tag = text.find(">", at, blanks[bisect_right(blanks, at)]) >= 0 and not text.startswith("\\", at - 1)
            is_tag = is_tag and (raw is None or closed[raw[1].lower()] > at)
        if not is_tag:
            parts += [text[done:at], _MASK]
            done = at + 1
    yield from "".join([*parts, text[done:]]).split("\n")


def _plain(line: str) -> str:
    """A line whose code and formulas hold no tags."""
    if "<" not in line:
        return line
    parts, done = [], 0
    for start, end in protected_spans(line):
        parts += [line[done:start], line[start:end].replace("<", _MASK).replace("&", _MASK)]
        done = end
    return "".join([*parts, line[done:]])


def _with_paragraphs(lines: Sequence[str], code: Set[int]) -> _Page:
    """The lines with marks where a paragraph, an item, a row or a cell begins and ends."""
    parts: list[str] = []
    places, shifts = [0], [0]
    length = shift = 0

    def put(text: str, *, is_mark: bool) -> None:
        nonlocal length, shift
        parts.append(text)
        length += len(text)
        if is_mark:
            shift += len(text)
            places.append(length)
            shifts.append(shift)

    before, is_open = "", False
    for number, line in enumerate(lines):
        begins = not before.strip()
        if is_open and (begins or _OWN_LINE.match(line) or begins_item(line.strip())):
            put("</p>", is_mark=True)
            begins, is_open = True, False
        if begins and line.strip() and number not in code and not _is_html(line):
            put("<p>", is_mark=True)
            is_open = True
        done = 0
        for at in pipes(line) if is_open and line.lstrip().startswith("|") else ():
            put(line[done:at], is_mark=False)
            put("</p><p>", is_mark=True)
            done = at
        put(line[done:] + "\n", is_mark=False)
        before = line
    return _Page("".join(parts)[:-1], places, shifts)


def _is_html(line: str) -> bool:
    """Whether a line at the beginning of a paragraph begins a block of HTML."""
    begins = _BEGINS.match(line)
    return begins is not None and (begins[1].lower() in _AS_BLOCKS or _ALONE.fullmatch(line) is not None)

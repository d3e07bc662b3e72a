"""HTML cut into tags and texts, in one pass whose time grows with the length alone; tags put together to a tree, as a
browser would repair them, within limits.

The standard library's parser is not used: it takes quadratic time on some broken pages (CVE-2025-6069).
"""

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping
from enum import Enum, auto
from html import unescape
from typing import Final, NamedTuple

from grader.reading.office import TEXT, Node

RAW: Final = frozenset({"script", "style", "textarea", "title", "xmp", "iframe", "noembed", "noframes"})
"""Elements whose content is text up to their own end tag."""

_NAME: Final = re.compile(r"[a-zA-Z][^\s/>]*")
_BETWEEN: Final = re.compile(r"[\s/]*")
_ATTRIBUTE: Final = re.compile(r"[^\s/>][^\s/>=]*")
_EQUALS: Final = re.compile(r"\s*=\s*")
_BARE: Final = re.compile(r"[^\s>]*")
_LONG_NUMBER: Final = re.compile(r"&#[0-9]{8,};?")
_MOST_ATTRIBUTES: Final = 60
_LONGEST_VALUE: Final = 4_000
"""Characters of an attribute's value; longer values are pictures or data."""


class TokenKind(Enum):
    """The kind of a token; the page may end within a tag."""

    TEXT = auto()
    START = auto()
    END = auto()
    BROKEN_OFF = auto()


class Token(NamedTuple):
    """A text, or a tag with its name in lower case. `line` counts from 1, `start` and `end` are its place."""

    kind: TokenKind
    text: str
    line: int
    attributes: Mapping[str, str] = {}
    closed: bool = False
    start: int = 0
    end: int = 0


_Tag = tuple[dict[str, str], bool, int]
"""A tag's attributes, whether it closes itself, and where it ends."""


def tokens(source: str) -> Iterator[Token]:
    """The tags and texts of a page whose lines end in line feeds. Comments and declarations are left out. Where the
    page ends within a tag or a comment, BROKEN_OFF is the last token."""
    breaks = [match.start() for match in re.finditer("\n", source)]

    def line_at(offset: int) -> int:
        return bisect_left(breaks, offset) + 1

    position = 0
    while position < len(source):
        found = _MARKUP.search(source, position)
        opening = found.start() if found else len(source)
        if opening > position:
            text = characters(source[position:opening])
            yield Token(TokenKind.TEXT, text, line_at(position), start=position, end=opening)
        if opening == len(source):
            return
        if source[opening + 1] in "!?":
            position = _after_comment(source, opening)
            if position < 0:
                yield Token(TokenKind.BROKEN_OFF, "", line_at(opening))
                return
            continue
        is_end = source[opening + 1] == "/"
        name = _NAME.match(source, opening + 1 + is_end)
        tag = _tag(source, name.end()) if name else None
        if name is None or tag is None:
            yield Token(TokenKind.BROKEN_OFF, "", line_at(opening))
            return
        attributes, is_closed, position = tag
        text = name.group().lower()
        kind = TokenKind.END if is_end else TokenKind.START
        yield Token(kind, text, line_at(opening), attributes, is_closed and text not in RAW, opening, position)
        if not is_end and text in RAW:
            end = re.compile(rf"</{re.escape(text)}(?=[\s/>])", re.IGNORECASE).search(source, position)
            stop = end.start() if end else len(source)
            if stop > position:
                yield Token(TokenKind.TEXT, source[position:stop], line_at(position), start=position, end=stop)
            position = stop


def characters(text: str) -> str:
    """A text with its entities as the characters they stand for."""
    return unescape(_LONG_NUMBER.sub("\ufffd", text)) if "&" in text else text


_MARKUP: Final = re.compile(r"<(?=/?[a-zA-Z]|[!?])")


def _after_comment(source: str, start: int) -> int:
    """The end of a comment, a declaration or a processing instruction; -1 where it has none."""
    if source.startswith("<!--", start):
        if source.startswith((">", "->"), start + 4):
            return source.index(">", start) + 1
        end = source.find("-->", start + 4)
        return end + 3 if end >= 0 else -1
    end = source.find(">", start)
    return end + 1 if end >= 0 else -1


def _tag(source: str, position: int) -> _Tag | None:
    """The attributes behind a tag's name and where the tag ends; None where the page ends first."""
    found: dict[str, str] = {}
    for _ in range(_MOST_ATTRIBUTES):
        gap = _BETWEEN.match(source, position)
        position = gap.end() if gap else position
        if position >= len(source):
            return None
        if source[position] == ">":
            return found, bool(gap and gap.group().endswith("/")), position + 1
        name = _ATTRIBUTE.match(source, position)
        position = name.end() if name else position + 1
        equals = _EQUALS.match(source, position)
        value = ""
        if equals:
            position = equals.end()
            quote = source[position : position + 1]
            if quote in ('"', "'"):
                end = source.find(quote, position + 1)
                if end < 0:
                    return None
                value, position = source[position + 1 : min(end, position + 1 + _LONGEST_VALUE)], end + 1
            else:
                bare = _BARE.match(source, position)
                value, position = (bare.group()[:_LONGEST_VALUE], bare.end()) if bare else ("", position)
        if name:
            found.setdefault(name.group().lower()[:100], characters(value))
    end = source.find(">", position)
    return (found, False, end + 1) if end >= 0 else None


VOID: Final = frozenset((
    "area", "base", "basefont", "bgsound", "br", "col", "embed", "frame", "hr", "img", "input", "keygen", "link",
    "meta", "param", "source", "track", "wbr",
))  # fmt: skip
"""Elements without content or end tag."""

LEFT_OUT: Final = frozenset((
    "audio", "button", "canvas", "datalist", "del", "embed", "head", "iframe", "map", "noembed", "noframes", "noscript",
    "object", "option", "s", "script", "select", "strike", "style", "svg", "template", "textarea", "title", "video",
    "xmp",
))  # fmt: skip
"""Elements whose content is not text of the page, or is struck out."""

LISTS: Final = frozenset(("dir", "menu", "ol", "ul"))
LISTINGS: Final = frozenset(("listing", "plaintext", "pre"))
TITLES: Final = {f"h{level}": level for level in range(1, 7)}

BLOCKS: Final = frozenset((
    "address", "article", "aside", "blockquote", "body", "center", "details", "dialog", "div", "dl", "fieldset",
    "figure", "footer", "form", "header", "hgroup", "hr", "html", "legend", "main", "p", "section", "summary", "tbody",
    "td", "tfoot", "th", "thead", "tr",
))  # fmt: skip
"""Further elements that begin and end a paragraph."""

CLOSING_PARAGRAPHS: Final = (
    (BLOCKS - {"body", "html", "legend", "tbody", "td", "tfoot", "th", "thead", "tr"})
    | LISTS | LISTINGS | {*TITLES, "nav", "table", "li", "dt", "dd", "figcaption"}
)  # fmt: skip
"""Elements that end an open `p`."""

CONTAINERS: Final = frozenset((
    "article", "blockquote", "body", "button", "caption", "dd", "div", "figure", "li", "main", "object", "section",
    "table", "td", "template", "th",
))  # fmt: skip
"""Elements that keep a `p` around them open."""

ROW_GROUPS: Final = frozenset(("tbody", "tfoot", "thead"))


MOST_NODES: Final = 300_000
MOST_DEPTH: Final = 100
"""Deepest level of the tree; deeper content is kept at this level."""

_CLOSES: Final[dict[str, tuple[frozenset[str], frozenset[str]]]] = {
    "li": (frozenset({"li"}), frozenset({"ul", "ol", "menu", "dir"})),
    "dt": (frozenset({"dt", "dd"}), frozenset({"dl"})),
    "dd": (frozenset({"dt", "dd"}), frozenset({"dl"})),
    "td": (frozenset({"td", "th"}), frozenset({"table", "tr"})),
    "th": (frozenset({"td", "th"}), frozenset({"table", "tr"})),
    "tr": (frozenset({"tr", "caption", "colgroup"}), frozenset({"table"})),
    **{rows: (ROW_GROUPS | {"caption", "colgroup"}, frozenset({"table"})) for rows in ROW_GROUPS},
    "option": (frozenset({"option"}), frozenset({"select"})),
}
"""The elements that a start tag closes, and the elements beyond which it closes none."""


class Tree(NamedTuple):
    """The root with all that was read. `cut`: there was more than the limit lets in; `broken_off`: the page ends within
    a tag or a comment."""

    root: Node
    cut: bool = False
    broken_off: bool = False


def parse(source: str, most_nodes: int = MOST_NODES) -> Tree:
    """The tree of a page. Every text is a page; nothing raises."""
    return tree_of(tokens(source), most_nodes)


def tree_of(found: Iterable[Token], most_nodes: int = MOST_NODES) -> Tree:
    """The tree of a page's tokens; the root holds one element, `html`."""
    builder = _Builder(most_nodes)
    broken_off = False
    for token in found:
        broken_off = token.kind is TokenKind.BROKEN_OFF
        if broken_off or builder.left <= 0:
            break
        builder.take(token)
    return Tree(_completed(builder.root), cut=builder.left <= 0, broken_off=broken_off)


def _completed(root: Node) -> Node:
    """The root with the elements `html` and `body` around what stands outside of them, as browsers add them."""
    page = root.child("html") or Node("html", {}, [], 1)
    body = page.child("body") or root.child("body") or Node("body", {}, [], 1)
    head = page.child("head") or root.child("head")
    inner: list[Node | str] = []
    for child in root.children:
        inner += page.children if child is page else [child]
    placed = [body.children if child is body else [child] for child in inner if child is not head]
    found = [child for group in placed for child in group]
    body.children[:] = found
    page.children[:] = [body] if head is None else [head, body]
    root.children[:] = [page]
    return root


class _Builder:
    """Puts a tree together; one use only."""

    def __init__(self, most_nodes: int) -> None:
        self.root = Node("", {}, [], 1)
        self.open = [self.root]
        self.left = most_nodes
        self.flattened = 0

    def take(self, token: Token) -> None:
        self.left -= 1
        if token.kind is TokenKind.TEXT:
            self.open[-1].children.append(Node(TEXT, {}, [token.text], token.line))
        elif token.kind is TokenKind.START:
            self._start(token)
        else:
            self._end(token.text)

    def _start(self, token: Token) -> None:
        name = token.text
        if name in _CLOSES:
            self._close(*_CLOSES[name])
        if name in CLOSING_PARAGRAPHS:
            self._close(frozenset({"p"}), CONTAINERS)
        if len(self.open) >= MOST_DEPTH and name not in VOID and not token.closed:
            self.flattened += 1
            return
        node = Node(name, token.attributes, [], token.line)
        self.open[-1].children.append(node)
        if name not in VOID and not token.closed:
            self.open.append(node)

    def _close(self, names: frozenset[str], beyond: frozenset[str]) -> None:
        """Close the innermost open element with one of `names`, unless one of `beyond` is inside it."""
        for depth in range(len(self.open) - 1, 0, -1):
            name = self.open[depth].name
            if name in names:
                del self.open[depth:]
                return
            if name in beyond:
                return

    def _end(self, name: str) -> None:
        if self.flattened and len(self.open) >= MOST_DEPTH:
            self.flattened -= 1
            return
        is_outer = name in ("table", "tr", "body", "html", *ROW_GROUPS)
        self._close(frozenset({name}), frozenset() if is_outer else frozenset({"td", "th", "table"}) - {name})

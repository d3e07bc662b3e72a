"""HTML cut into tags and texts, in one pass whose time grows with the length alone; tags put together to a tree, as a
browser would repair them, within limits; and what a page's styles say that bears on the meaning: raised, lowered, bold,
not shown, in invisible ink.

The standard library's parser is not used: it takes quadratic time on some broken pages (CVE-2025-6069).

Of styles only rules for one class or one kind of element are followed. What other rules may change is not certain, so
it hides nothing; scripts do not run, so a class that a rule takes off the page may be shown by one.
"""

import re
from bisect import bisect_left
from collections.abc import Iterator, Mapping
from enum import Enum, auto
from html import unescape
from typing import Final, NamedTuple

from grader.reading.office import TEXT, Node
from grader.reading.visibility import BLACK, CLEAR, UNKNOWN, WHITE, Colour, Ink, colour_of

PAGE: Final = Ink(BLACK, WHITE, 12.0)
"""How browsers draw a text of which no style speaks."""

_RULE: Final = re.compile(r"([^{}]{1,2000})\{([^{}]{0,2000})\}")
_COMMENT: Final = re.compile(r"/\*.{0,5000}?\*/", re.DOTALL)
_PLAIN_SELECTOR: Final = re.compile(r"\.?[\w-]{1,80}")
_SELECTOR_NAME: Final = re.compile(r"(?<![\w#:-])\.?[a-z_][\w-]{0,79}", re.IGNORECASE)
_LONGEST_SHEET: Final = 500_000
_RAISED: Final = re.compile(r"vertical-align\s?:\s?(super|sub)\b")
_BOLD: Final = re.compile(r"font-weight\s?:\s?(?:bold|[6-9]00)")
_PLAIN: Final = re.compile(r"font-weight\s?:\s?(?:normal|[1-5]00)")
_NOT_SHOWN: Final = re.compile(r"(?:^|;)\s?(?:display\s?:\s?none|visibility\s?:\s?hidden)")
_FAR_OFF: Final = re.compile(r"(?:^|;)\s?(?:left|right|top|text-indent)\s?:\s?-(?:\d{4,}px|\d{3,}r?em)")
_COLOUR: Final = re.compile(r"(?:^|;)\s?color\s?:\s?([^;!]{1,80})")
_GROUND: Final = re.compile(r"(?:^|;)\s?background(-color|-image|)\s?:\s?([^;!]{1,200})")
_SIZE: Final = re.compile(r"(?:^|;)\s?font-size\s?:\s?(\d{0,4}\.?\d{1,4})\s?(px|pt|em|rem|%|)")
_OPACITY: Final = re.compile(r"(?:^|;)\s?opacity\s?:\s?(\d?\.?\d{1,4})")
_SCRIPTS: Final = {"super": "^", "sub": "_"}
_POINTS: Final = {"px": 0.75, "pt": 1.0, "rem": 12.0, "": 1.0}
_OF_ITS_OWN: Final = frozenset(("mark", "input", "select", "option", "textarea", "button", "svg", "iframe"))
"""Elements for which browsers have colours of their own."""
_INHERITED: Final = frozenset(("inherit", "initial", "unset", "revert", "currentcolor"))


class Look(NamedTuple):
    """The visual style of an element. `bold` and `ink` are None where they are not specified; a size is in points, or,
    if `is_relative`, in sizes of the text around."""

    script: str = ""
    bold: bool | None = None
    hidden: bool = False
    ink: Ink = Ink()
    is_relative: bool = False
    opacity: float = 1.0

    def ink_within(self, around: Ink) -> Ink:
        """The ink of a text in an element of this look."""
        size = self.ink.size
        if size is not None and self.is_relative:
            size *= around.size or 0.0
        return self.ink._replace(size=size).over(around)


_NONE: Final = Look()


class Looks(NamedTuple):
    """What a page's sheets say: looks by kind of element (`p`) and class (`.note`); `recoloured` and `reground` are the
    names whose colour, and whose ground, further rules may set. `has_more`: the page names sheets that it does not
    hold, so that any other class may do so, too."""

    by_name: Mapping[str, Look]
    recoloured: frozenset[str]
    reground: frozenset[str]
    has_more: bool = False

    def of(self, node: Node) -> Look:
        """How an element is shown by its own style, by its attributes, and by what the sheets say."""
        attributes = node.attributes
        own = _look(attributes["style"]) if "style" in attributes else _NONE
        names = [f".{name}" for name in attributes.get("class", "").split()]
        known = [self.by_name[name] for name in (*names, node.name, "*") if name in self.by_name]
        ink = own.ink.over(_by_attributes(node)).over(self._by_sheet(node, names, known))
        if ink == Ink() and not known and own is _NONE:
            return Look(hidden=True) if "hidden" in attributes else _NONE
        sized = next((look for look in (own, *known) if look.ink.size is not None), own)
        return Look(
            script=next((look.script for look in (own, *known) if look.script), ""),
            bold=next((look.bold for look in (own, *known) if look.bold is not None), None),
            hidden=own.hidden or "hidden" in attributes,
            ink=ink,
            is_relative=sized.is_relative,
            opacity=own.opacity,
        )

    def _by_sheet(self, node: Node, names: list[str], known: list[Look]) -> Ink:
        every = {node.name, *names}
        colours: set[Colour] = {look.ink.colour for look in known if look.ink.colour is not None}
        grounds: set[Colour] = {look.ink.ground for look in known if look.ink.ground is not None}
        is_open = node.name in _OF_ITS_OWN or (self.has_more and any(name not in self.by_name for name in names))
        if is_open or node.name == "a" or not every.isdisjoint(self.recoloured):
            colours.add(UNKNOWN)
        if is_open or not every.isdisjoint(self.reground):
            grounds.add(UNKNOWN)
        sizes = [look.ink.size for look in known if look.ink.size is not None]
        return Ink(_settled(colours), _settled(grounds), sizes[0] if sizes else None)


def _settled(colours: set[Colour]) -> Colour | None:
    """The colour that all rules agree on; None where there is no rule."""
    return next(iter(colours)) if len(colours) == 1 else UNKNOWN if colours else None


def _by_attributes(node: Node) -> Ink:
    attributes = node.attributes
    colour = attributes.get({"font": "color", "body": "text"}.get(node.name, ""))
    return Ink(colour_of(colour), UNKNOWN if "background" in attributes else colour_of(attributes.get("bgcolor")))


def read_sheets(page: Node) -> Looks:
    """The looks that a page's `style` elements give. Hiding a class is ignored: scripts and other rules may show it
    again. Of two rules for a name the later one says whether it is raised or bold; colours on which they differ are
    unknown."""
    looks: dict[str, Look] = {}
    recoloured: set[str] = set()
    reground: set[str] = set()
    for style in page.every("style"):
        for selectors, body in _RULE.findall(_COMMENT.sub(" ", style.text()[:_LONGEST_SHEET])):
            look = _look(body)._replace(hidden=False, opacity=1.0)
            if look == _NONE:
                continue
            for name, is_plain in _names(selectors):
                before = looks.get(name, _NONE)
                if not is_plain or before.ink.colour not in (None, look.ink.colour):
                    recoloured.update([name] if look.ink.colour is not None else ())
                if not is_plain or before.ink.ground not in (None, look.ink.ground):
                    reground.update([name] if look.ink.ground is not None else ())
                if is_plain:
                    looks[name] = look._replace(ink=look.ink.over(before.ink))
    has_more = any("stylesheet" in link.attributes.get("rel", "").lower() for link in page.every("link"))
    return Looks(looks, frozenset(recoloured), frozenset(reground), has_more)


def _names(selectors: str) -> Iterator[tuple[str, bool]]:
    """The elements and classes that selectors are about, and whether they are about all of that name."""
    for selector in selectors.rpartition(";")[2].split(","):
        selector = selector.strip()
        if _PLAIN_SELECTOR.fullmatch(selector) or selector == "*":
            yield selector, True
        elif selector and not selector.startswith("@"):
            last = re.split(r"[\s>+~]", selector)[-1]
            yield from ((name, False) for name in _SELECTOR_NAME.findall(last))


def _look(body: str) -> Look:
    body = " ".join(body.lower().split())
    if not body:
        return _NONE
    script = _RAISED.search(body)
    bold = True if _BOLD.search(body) else False if _PLAIN.search(body) else None
    colour, size, opacity = _COLOUR.search(body), _SIZE.search(body), _OPACITY.search(body)
    return Look(
        _SCRIPTS[script[1]] if script else "",
        bold,
        bool(_NOT_SHOWN.search(body) or _FAR_OFF.search(body)),
        Ink(_text_colour(colour[1].strip()) if colour else None, _ground(body), _points(size) if size else None),
        is_relative=bool(size and size[2] in ("em", "%")),
        opacity=float(opacity[1]) if opacity else 1.0,
    )


def _text_colour(value: str) -> Colour | None:
    return None if value in _INHERITED else colour_of(value) or CLEAR


def _points(size: re.Match[str]) -> float:
    number = float(size[1])
    return number / 100 if size[2] == "%" else number * _POINTS.get(size[2], 1.0)


def _ground(body: str) -> Colour | None:
    """The ground of a declaration: a colour, or UNKNOWN where a picture or a gradient may cover it."""
    found: Colour | None = None
    for kind, value in _GROUND.findall(body):
        value = value.strip()
        if kind == "-color" or (not kind and " " not in value):
            found = colour_of(value) if found != UNKNOWN else found
        elif value != "none":
            found = UNKNOWN
    return found


_RAW: Final = frozenset({"script", "style", "textarea", "title", "xmp", "iframe", "noembed", "noframes"})
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
    """What a token is; the page may end within a tag."""

    TEXT = auto()
    START = auto()
    END = auto()
    BROKEN_OFF = auto()


class Token(NamedTuple):
    """A text, or a tag with its name in lower case. `line` counts from 1."""

    kind: TokenKind
    text: str
    line: int
    attributes: Mapping[str, str] = {}
    closed: bool = False


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
            yield Token(TokenKind.TEXT, characters(source[position:opening]), line_at(position))
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
        yield Token(kind, text, line_at(opening), attributes, closed=is_closed and text not in _RAW)
        if not is_end and text in _RAW:
            end = re.compile(rf"</{re.escape(text)}(?=[\s/>])", re.IGNORECASE).search(source, position)
            stop = end.start() if end else len(source)
            if stop > position:
                yield Token(TokenKind.TEXT, source[position:stop], line_at(position))
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
    "article", "blockquote", "body", "caption", "dd", "div", "figure", "li", "main", "section", "table", "td", "th",
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
    builder = _Builder(most_nodes)
    for token in tokens(source):
        if token.kind is TokenKind.BROKEN_OFF:
            return Tree(builder.root, broken_off=True)
        builder.take(token)
        if builder.left <= 0:
            return Tree(builder.root, cut=True)
    return Tree(builder.root)


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

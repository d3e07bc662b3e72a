"""What a Word document says of a paragraph's part, and how its lists are numbered; its equations (OMML) as LaTeX.
Element names are those of ECMA-376, part 1, section 22.1.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from functools import reduce
from typing import Final, NamedTuple

from grader.reading.document import BlockKind
from grader.reading.flow import filled
from grader.reading.latex_out import LARGE, accented, fraction, matrix, over, root, row, scripted, symbols, under, words
from grader.reading.office import Node
from grader.reading.structure import in_style
from grader.reading.visibility import UNKNOWN, WHITE, Colour, Ink, colour_of

_TITLE: Final = re.compile(
    r"(?:heading|titre|[üu]?berschrift|t[íi]tulo|titolo|kop|rubrik|overskrift|otsikko|nag[łl][óo]wek|заголовок|标题|見出し|제목)"
    r"[ _-]?([1-9])",
    re.IGNORECASE,
)
_NAMED: Final = {
    "title": (BlockKind.HEADING, 1), "titre": (BlockKind.HEADING, 1), "titel": (BlockKind.HEADING, 1),
    "subtitle": (BlockKind.HEADING, 2), "sous-titre": (BlockKind.HEADING, 2), "untertitel": (BlockKind.HEADING, 2),
    "caption": (BlockKind.CAPTION, None), "légende": (BlockKind.CAPTION, None),
    "beschriftung": (BlockKind.CAPTION, None),
}  # fmt: skip
_CODE: Final = re.compile(
    r"source ?code|html preformatted|preformatted|macro text|listing|\bcode\b|codeblock", re.IGNORECASE
)
_CONTENTS: Final = re.compile(r"(?:toc|tm|verzeichnis|table of figures|table of contents)[ _]?[1-9]?", re.IGNORECASE)
_MONOSPACED: Final = re.compile(
    r"courier|consolas|menlo|monaco|\bmono|monospace|lucida console|source code|inconsolata|cascadia|fixed",
    re.IGNORECASE,
)
_LONGEST_CHAIN: Final = 20


class Style(NamedTuple):
    """The properties of a style; None or empty where unset. `list_id` and `list_level` name its numbering, `colour`,
    `ground` and `size` are those of `Ink`; `struck` text counts as deleted."""

    kind: BlockKind | None = None
    level: int | None = None
    is_contents: bool | None = None
    bold: bool | None = None
    script: str | None = None
    monospaced: bool | None = None
    hidden: bool | None = None
    struck: bool | None = None
    colour: Colour | None = None
    ground: Colour | None = None
    size: float | None = None
    list_id: str | None = None
    list_level: int | None = None

    @property
    def is_unseen(self) -> bool:
        """Whether a text of this style does not show on the page."""
        return bool(self.hidden) or Ink(self.colour, self.ground, self.size).is_unseen


PLAIN: Final = Style()


class Styles(NamedTuple):
    """Styles by their id, with what they inherit. `shaded` are the styles of tables that colour cells."""

    by_id: Mapping[str, Style]
    default: Style = PLAIN
    shaded: frozenset[str] = frozenset()

    def of(self, style_id: str | None) -> Style:
        """The style of an id; where the document does not define it, it is inferred from the id."""
        if style_id is None:
            return self.default
        return self.by_id.get(style_id) or _by_name(style_id)


def read_styles(root: Node | None) -> Styles:
    """The styles of `word/styles.xml`."""
    every = (node for node in root.nodes() if node.name == "w:style") if root else ()
    nodes = {node.attributes.get("w:styleId", ""): node for node in every}
    by_id = {style_id: reduce(filled, map(_own, _chain(style_id, nodes)), PLAIN) for style_id in nodes}
    standard = (
        style_id
        for style_id, node in nodes.items()
        if node.attributes.get("w:default") in ("1", "true") and node.attributes.get("w:type") == "paragraph"
    )
    shaded = frozenset(style_id for style_id in nodes if any(map(_colours_cells, _chain(style_id, nodes))))
    return Styles(by_id, by_id.get(next(standard, ""), PLAIN), shaded)


def toggle(properties: Node | None, name: str) -> bool | None:
    """An on-off property; None where it is not set."""
    node = properties.child(name) if properties else None
    return None if node is None else node.attributes.get("w:val", "1") not in ("0", "false", "off", "none")


def value(properties: Node | None, name: str) -> str | None:
    """The value of a property."""
    node = properties.child(name) if properties else None
    return node.attributes.get("w:val") if node else None


def run_style(properties: Node | None) -> Style:
    """What a run's own properties say."""
    fonts = properties.child("w:rFonts") if properties else None
    font = fonts.attributes.get("w:ascii") if fonts else None
    placed = value(properties, "w:vertAlign")
    colour = value(properties, "w:color")
    size = whole(value(properties, "w:sz"))
    strikes = [one for name in ("w:strike", "w:dstrike") if (one := toggle(properties, name)) is not None]
    marked = colour_of(value(properties, "w:highlight"))
    return Style(
        bold=toggle(properties, "w:b"),
        script={"superscript": "^", "subscript": "_", None: None}.get(placed, ""),
        monospaced=bool(_MONOSPACED.search(font)) if font else None,
        hidden=toggle(properties, "w:vanish"),
        struck=any(strikes) if strikes else None,
        colour=UNKNOWN if colour == "auto" else colour_of(colour),
        ground=shade(properties) if marked is None else marked,
        size=None if size is None else size / 2,
    )


def shade(properties: Node | None) -> Colour | None:
    """The colour that a paragraph, cell or run has behind its text; None where it has none of its own."""
    node = properties.child("w:shd") if properties else None
    if node is None:
        return None
    pattern = node.attributes.get("w:val", "clear")
    if pattern not in ("clear", "nil", "solid"):
        return UNKNOWN
    return colour_of(node.attributes.get("w:color" if pattern == "solid" else "w:fill"))


def whole(text: str | None) -> int | None:
    """A whole number of at most nine digits, as a list may begin with; None for any other text."""
    return int(text) if text and text.isascii() and text.isdigit() and len(text) <= 9 else None


def _chain(style_id: str, nodes: Mapping[str, Node]) -> Iterator[Node]:
    """A style and those that it is based on, the nearest first."""
    for _ in range(_LONGEST_CHAIN):
        node = nodes.get(style_id)
        if node is None:
            return
        yield node
        style_id = value(node, "w:basedOn") or ""


def _colours_cells(node: Node) -> bool:
    if node.attributes.get("w:type") != "table":
        return False
    parts = (node, *node.every("w:tblPr", "w:tcPr", "w:pPr", "w:rPr", "w:trPr"))
    return any(shade(part) not in (None, WHITE) for part in parts)


def _own(node: Node) -> Style:
    named = _by_name(value(node, "w:name") or "")
    own = paragraph_style(node.child("w:pPr"))
    if named.kind is not None or named.is_contents:
        own = own._replace(kind=None, level=None)
    return filled(filled(named, run_style(node.child("w:rPr"))), own)


def paragraph_style(properties: Node | None) -> Style:
    """What a paragraph's own properties say."""
    numbering = properties.child("w:numPr") if properties else None
    outline = whole(value(properties, "w:outlineLvl"))
    is_title = outline is not None and outline < 9
    return Style(
        kind=BlockKind.HEADING if is_title else None,
        level=outline + 1 if outline is not None and is_title else None,
        list_id=value(numbering, "w:numId"),
        list_level=whole(value(numbering, "w:ilvl")),
        ground=shade(properties),
    )


def _by_name(name: str) -> Style:
    title = _TITLE.match(name)
    if title:
        return Style(BlockKind.HEADING, int(title[1]))
    if _CONTENTS.fullmatch(name):
        return Style(is_contents=True)
    if _CODE.search(name):
        return Style(BlockKind.CODE)
    return Style(*_NAMED.get(name.lower(), (None, None)))


_PLACE: Final = re.compile(r"%([1-9])")
_LOOKS: Final = {"lowerLetter": "alph", "upperLetter": "Alph", "lowerRoman": "roman", "upperRoman": "Roman"}
_BULLET: Final = "•"


class Level(NamedTuple):
    """One level of a list: how its numbers look, the text around them (`%1.%2`), and the first number."""

    look: str
    pattern: str
    start: int


Lists = Mapping[str, Mapping[int, Level]]
"""Levels by the id of a list and their depth from 0."""


def read_lists(root: Node | None) -> Lists:
    """The lists of `word/numbering.xml`."""
    if root is None:
        return {}
    abstract = {
        node.attributes.get("w:abstractNumId", ""): _levels(node)
        for node in root.nodes()
        if node.name == "w:abstractNum"
    }
    return {
        node.attributes.get("w:numId", ""): _overridden(node, abstract.get(value(node, "w:abstractNumId") or "", {}))
        for node in root.nodes()
        if node.name == "w:num"
    }


class Counter:
    """Counts the items of all lists while a document is read from its start; one use only."""

    def __init__(self, lists: Lists) -> None:
        self._lists = lists
        self._counts: dict[str, dict[int, int]] = {}

    def label(self, list_id: str, depth: int) -> str | None:
        """The bullet or number of the next item; None where it has none."""
        if list_id == "0":
            return None
        levels = self._lists.get(list_id)
        level = levels.get(depth) if levels else None
        if levels is None or level is None or level.look == "bullet":
            return _BULLET
        counts = self._counts.setdefault(list_id, {})
        counts[depth] = counts.get(depth, level.start - 1) + 1
        self._counts[list_id] = counts = {other: count for other, count in counts.items() if other <= depth}
        return _PLACE.sub(lambda match: _number(levels, counts, int(match[1]) - 1), level.pattern) or None


def _number(levels: Mapping[int, Level], counts: Mapping[int, int], depth: int) -> str:
    level = levels.get(depth)
    if level is None or level.look == "none":
        return ""
    return in_style(_LOOKS.get(level.look, "arabic"), counts.get(depth, level.start))


def _levels(node: Node) -> dict[int, Level]:
    found = {}
    for level in node.nodes():
        depth = whole(level.attributes.get("w:ilvl"))
        if level.name == "w:lvl" and depth is not None:
            found[depth] = Level(
                look=value(level, "w:numFmt") or "decimal",
                pattern=(value(level, "w:lvlText") or "")[:60],
                start=_start(level, "w:start"),
            )
    return found


def _start(node: Node, name: str) -> int:
    start = whole(value(node, name))
    return 1 if start is None else start


def _overridden(node: Node, levels: Mapping[int, Level]) -> dict[int, Level]:
    """The levels of a list that changes some of those that it is made from."""
    found = dict(levels)
    for change in node.nodes():
        depth = whole(change.attributes.get("w:ilvl"))
        if change.name != "w:lvlOverride" or depth is None:
            continue
        found.update(_levels(change))
        if depth in found and value(change, "w:startOverride") is not None:
            found[depth] = found[depth]._replace(start=_start(change, "w:startOverride"))
    return found


_PROPERTIES: Final = "Pr"
_SIGNS: Final = {"w:br": "\n", "w:cr": "\n", "w:tab": " "}


def equation_lines(node: Node) -> list[str]:
    """An equation as LaTeX, one text for each line that it is written on."""
    arrays = [child for child in node.nodes() if child.name == "m:eqArr"]
    if arrays and all(child.name == "m:eqArr" or child.name.endswith(_PROPERTIES) for child in node.nodes()):
        lines = [entry for array in arrays for entry in _entries(array)]
    else:
        lines = _within(node).split("\n")
    return [text for line in lines if (text := " ".join(line.replace(r"\&", "").split()))]


def _within(node: Node | None) -> str:
    return row(_latex(child) for child in node.nodes()) if node else ""


def _latex(node: Node) -> str:
    if node.name.endswith(_PROPERTIES):
        return ""
    return _WRITERS.get(node.name, _within)(node)


def _part(node: Node, name: str) -> str:
    return _within(node.child(f"m:{name}"))


def _property(node: Node, name: str, default: str = "") -> str:
    """A value among the properties of an element; an empty one counts."""
    properties = node.child(f"{node.name}Pr")
    found = properties.child(f"m:{name}") if properties else None
    return found.attributes.get("m:val", default) if found else default


def _run(node: Node) -> str:
    properties = node.child("m:rPr")
    text = "".join(_SIGNS.get(one.name, one.text() if one.name in ("m:t", "w:t") else "") for one in node.nodes())
    return words(text) if properties is not None and properties.child("m:nor") is not None else symbols(text)


def _fraction(node: Node) -> str:
    look = _property(node, "type")
    above, below = _part(node, "num"), _part(node, "den")
    if look == "lin":
        return f"{above}/{below}"
    return fraction(above, below, "binom" if look == "noBar" else "frac")


def _root(node: Node) -> str:
    hidden = _property(node, "degHide", "0") not in ("0", "off", "false")
    return root(_part(node, "e"), "" if hidden else _part(node, "deg"))


def _large(node: Node) -> str:
    sign = _property(node, "chr", "∫") or "∫"
    return row([scripted(LARGE.get(sign, sign), _part(node, "sub"), _part(node, "sup")), " ", _part(node, "e")])


def _delimited(node: Node) -> str:
    opening, closing = _property(node, "begChr", "("), _property(node, "endChr", ")")
    return row([symbols(opening), _property(node, "sepChr", "|").join(_entries(node)), symbols(closing)])


def _entries(node: Node) -> list[str]:
    return [_within(child) for child in node.nodes() if child.name == "m:e"]


def _bar(node: Node) -> str:
    command = "overline" if _property(node, "pos") == "top" else "underline"
    return rf"\{command}{{{_part(node, 'e')}}}"


def _grouped(node: Node) -> str:
    command = {"⏟": "underbrace", "⏞": "overbrace"}.get(_property(node, "chr", "⏟"))
    return rf"\{command}{{{_part(node, 'e')}}}" if command else _part(node, "e")


_WRITERS: Final[dict[str, Callable[[Node], str]]] = {
    "m:r": _run,
    "m:f": _fraction,
    **dict.fromkeys(
        ("m:sSup", "m:sSub", "m:sSubSup"),
        lambda node: scripted(_part(node, "e"), _part(node, "sub"), _part(node, "sup")),
    ),
    "m:sPre": lambda node: scripted("{}", _part(node, "sub"), _part(node, "sup")) + _part(node, "e"),
    "m:rad": _root,
    "m:nary": _large,
    "m:d": _delimited,
    "m:func": lambda node: row([_part(node, "fName"), " ", _part(node, "e")]),
    "m:acc": lambda node: accented(_part(node, "e"), _property(node, "chr", "\u0302")),
    "m:bar": _bar,
    "m:groupChr": _grouped,
    "m:limLow": lambda node: under(_part(node, "e"), _part(node, "lim")),
    "m:limUpp": lambda node: over(_part(node, "e"), _part(node, "lim")),
    "m:m": lambda node: matrix(_entries(line) for line in node.nodes() if line.name == "m:mr"),
    "m:eqArr": lambda node: r" \\ ".join(entry.strip() for entry in _entries(node)),
    **dict.fromkeys(("w:del", "w:moveFrom"), lambda _: ""),
}

"""What a document's paragraph and character styles say of a paragraph's part."""

import re
from collections.abc import Iterable, Mapping
from typing import Final, NamedTuple

from grader.reading.document import BlockKind
from grader.reading.tree import Node

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
    """What a style says; None or empty where it says nothing. `list_id` and `list_level` name its numbering."""

    kind: BlockKind | None = None
    level: int | None = None
    is_contents: bool | None = None
    bold: bool | None = None
    script: str | None = None
    monospaced: bool | None = None
    hidden: bool | None = None
    list_id: str | None = None
    list_level: int | None = None


PLAIN: Final = Style()


class Styles(NamedTuple):
    """Styles by their id, with what they inherit."""

    by_id: Mapping[str, Style]
    default: Style = PLAIN

    def of(self, style_id: str | None) -> Style:
        """The style of an id. Where the document does not describe it, its id has to tell."""
        if style_id is None:
            return self.default
        return self.by_id.get(style_id) or _by_name(style_id)


def read_styles(root: Node | None) -> Styles:
    """The styles of `word/styles.xml`."""
    nodes = (
        {node.attributes.get("w:styleId", ""): node for node in root.nodes() if node.name == "w:style"} if root else {}
    )
    by_id = {style_id: _resolved(style_id, nodes) for style_id in nodes}
    standard = (
        style_id
        for style_id, node in nodes.items()
        if node.attributes.get("w:default") in ("1", "true") and node.attributes.get("w:type") == "paragraph"
    )
    return Styles(by_id, by_id.get(next(standard, ""), PLAIN))


def filled(style: Style, below: Style) -> Style:
    """A style with what it leaves open taken from the one below it."""
    missing = {name: getattr(below, name) for name in Style._fields if getattr(style, name) is None}
    return style._replace(**missing) if missing else style


def toggle(properties: Node | None, name: str) -> bool | None:
    """An on-off property; None where it is not set."""
    node = properties.child(name) if properties else None
    return None if node is None else node.attributes.get("w:val", "1") not in ("0", "false", "off", "none")


def _any(told: Iterable[bool | None]) -> bool | None:
    """Whether one of some properties is on; None where none of them is set."""
    said = [one for one in told if one is not None]
    return any(said) if said else None


def value(properties: Node | None, name: str) -> str | None:
    """The value of a property."""
    node = properties.child(name) if properties else None
    return node.attributes.get("w:val") if node else None


def run_style(properties: Node | None) -> Style:
    """What a run's own properties say."""
    fonts = properties.child("w:rFonts") if properties else None
    font = fonts.attributes.get("w:ascii") if fonts else None
    placed = value(properties, "w:vertAlign")
    return Style(
        bold=toggle(properties, "w:b"),
        script={"superscript": "^", "subscript": "_", None: None}.get(placed, ""),
        monospaced=bool(_MONOSPACED.search(font)) if font else None,
        hidden=_any(toggle(properties, name) for name in ("w:vanish", "w:strike", "w:dstrike")),
    )


def whole(text: str | None) -> int | None:
    """A whole number of at most nine digits, as a list may begin with; None where the text is none."""
    return int(text) if text and text.isascii() and text.isdigit() and len(text) <= 9 else None


def _resolved(style_id: str, nodes: Mapping[str, Node]) -> Style:
    found = PLAIN
    for _ in range(_LONGEST_CHAIN):
        node = nodes.get(style_id)
        if node is None:
            break
        found = filled(found, _own(node))
        style_id = value(node, "w:basedOn") or ""
    return found


def _own(node: Node) -> Style:
    named = _by_name(value(node, "w:name") or "")
    paragraph = node.child("w:pPr")
    outline = whole(value(paragraph, "w:outlineLvl"))
    if outline is not None and named.kind is None and not named.is_contents:
        is_title = outline < 9
        named = named._replace(kind=BlockKind.HEADING if is_title else None, level=outline + 1 if is_title else None)
    numbering = paragraph.child("w:numPr") if paragraph else None
    numbered = Style(list_id=value(numbering, "w:numId"), list_level=whole(value(numbering, "w:ilvl")))
    return filled(filled(named, run_style(node.child("w:rPr"))), numbered)


def _by_name(name: str) -> Style:
    title = _TITLE.match(name)
    if title:
        return Style(BlockKind.HEADING, int(title[1]))
    if _CONTENTS.fullmatch(name):
        return Style(is_contents=True)
    if _CODE.search(name):
        return Style(BlockKind.CODE)
    kind, level = _NAMED.get(name.lower(), (None, None))
    return Style(kind, level)

"""What the styles of an OpenDocument text say of a paragraph or of a piece of text."""

import re
from collections.abc import Iterable, Mapping
from typing import Final, NamedTuple

from grader.reading.document import BlockKind
from grader.reading.tree import Node

_TITLE: Final = re.compile(r"(?:Heading|Titre|Überschrift)(?:_20_| )(\d)\Z")
_NAMED: Final = {
    "Title": (BlockKind.HEADING, 1), "Subtitle": (BlockKind.HEADING, 2), "Caption": (BlockKind.CAPTION, None),
    "Table": (BlockKind.CAPTION, None), "Illustration": (BlockKind.CAPTION, None), "Figure": (BlockKind.CAPTION, None),
    "Preformatted_20_Text": (BlockKind.CODE, None), "Source_20_Code": (BlockKind.CODE, None),
}  # fmt: skip
_LONGEST_CHAIN: Final = 20


class Style(NamedTuple):
    """What a style says; None where it says nothing. `numbered` gives the levels of a list style from 1 that have
    numbers rather than bullets."""

    kind: BlockKind | None = None
    level: int | None = None
    script: str | None = None
    bold: bool | None = None
    hidden: bool | None = None


class Styles(NamedTuple):
    """Styles by name, with what they inherit, and the levels of list styles that are numbered."""

    by_name: Mapping[str, Style]
    numbered: frozenset[tuple[str, str]]

    def of(self, name: str | None) -> Style:
        """The style of a name."""
        return self.by_name.get(name or "") or _by_name(name or "")


def read_styles(roots: Iterable[Node]) -> Styles:
    """The styles of `styles.xml` and of `content.xml`."""
    roots = list(roots)
    nodes = {style.attributes.get("style:name", ""): style for root in roots for style in root.every("style:style")}
    numbered = frozenset(
        (style.attributes.get("style:name", ""), level.attributes.get("text:level", ""))
        for root in roots
        for style in root.every("text:list-style")
        for level in style.nodes()
        if level.name == "text:list-level-style-number" and level.attributes.get("style:num-format")
    )
    return Styles({name: _resolved(name, nodes) for name in nodes}, numbered)


def filled(style: Style, below: Style) -> Style:
    """A style with what it leaves open taken from the one below it."""
    missing = {name: getattr(below, name) for name in Style._fields if getattr(style, name) is None}
    return style._replace(**missing) if missing else style


def _resolved(name: str, nodes: Mapping[str, Node]) -> Style:
    found = Style()
    for _ in range(_LONGEST_CHAIN):
        node = nodes.get(name)
        if node is None:
            break
        found = filled(filled(found, _own(node)), _by_name(name))
        name = node.attributes.get("style:parent-style-name", "")
    return filled(found, _by_name(name))


def _own(node: Node) -> Style:
    look = node.child("style:text-properties")
    properties = look.attributes if look else {}
    position = properties.get("style:text-position", "")
    weight = properties.get("xsl-fo-compatible:font-weight")
    return Style(
        script="^" if position.startswith("super") else "_" if position.startswith("sub") else None,
        bold=None if weight is None else weight in ("bold", "600", "700", "800", "900"),
        hidden=True if properties.get("text:display") == "none" else None,
    )


def _by_name(name: str) -> Style:
    title = _TITLE.match(name)
    if title:
        return Style(BlockKind.HEADING, int(title[1]))
    kind, level = _NAMED.get(name, (None, None))
    return Style(kind, level)

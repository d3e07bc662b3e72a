"""OpenDocument texts (.odt) as documents of blocks."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import islice
from typing import Final, NamedTuple

from grader.intake.submission import SubmittedFile
from grader.message import say
from grader.reading.document import Block, BlockKind, Document
from grader.reading.flow import (
    MOST_BLOCKS,
    Paragraph,
    apart,
    append_group,
    filled,
    paragraph_blocks,
    table_blocks,
    tables_by_tabs,
)
from grader.reading.latex_out import local, marked_formula
from grader.reading.office import AS_PDF, Node, PartReader, office_parts
from grader.reading.structure import CellContent, Inline, is_layout
from grader.reading.visibility import HIDDEN_TEXT, MOST_HIDDEN, UNKNOWN, Colour, Ink, colour_of

_TITLE: Final = re.compile(r"(?:Heading|Titre|Überschrift)(?:_20_| )(\d)\Z")
_NAMED: Final = {
    "Title": (BlockKind.HEADING, 1), "Subtitle": (BlockKind.HEADING, 2), "Caption": (BlockKind.CAPTION, None),
    "Table": (BlockKind.CAPTION, None), "Illustration": (BlockKind.CAPTION, None), "Figure": (BlockKind.CAPTION, None),
    "Preformatted_20_Text": (BlockKind.CODE, None), "Source_20_Code": (BlockKind.CODE, None),
}  # fmt: skip
_LONGEST_CHAIN: Final = 20
_SIZE: Final = re.compile(r"(\d{1,4}(?:\.\d{1,6})?)pt")


class Style(NamedTuple):
    """What a style says; None where it says nothing. `colour`, `ground` and `size` are those of `Ink`."""

    kind: BlockKind | None = None
    level: int | None = None
    script: str | None = None
    bold: bool | None = None
    hidden: bool | None = None
    colour: Colour | None = None
    ground: Colour | None = None
    size: float | None = None

    @property
    def is_unseen(self) -> bool:
        """Whether a text of this style does not show on the page."""
        return bool(self.hidden) or Ink(self.colour, self.ground, self.size).is_unseen


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
    size = _SIZE.fullmatch(properties.get("xsl-fo-compatible:font-size", ""))
    is_automatic = properties.get("style:use-window-font-color") == "true"
    return Style(
        script="^" if position.startswith("super") else "_" if position.startswith("sub") else None,
        bold=None if weight is None else weight in ("bold", "600", "700", "800", "900"),
        hidden=True if properties.get("text:display") == "none" else None,
        colour=UNKNOWN if is_automatic else colour_of(properties.get("xsl-fo-compatible:color")),
        ground=next(filter(None, map(_ground, node.nodes())), None),
        size=float(size[1]) if size else None,
    )


def _ground(properties: Node) -> Colour | None:
    """The colour behind what has some properties; UNKNOWN where a shape's filling or a picture is there."""
    if properties.attributes.get("drawing:fill", "none") != "none" or properties.child("style:background-image"):
        return UNKNOWN
    return colour_of(properties.attributes.get("xsl-fo-compatible:background-color"))


def _by_name(name: str) -> Style:
    title = _TITLE.match(name)
    return Style(BlockKind.HEADING, int(title[1])) if title else Style(*_NAMED.get(name, (None, None)))


_LEFT_OUT: Final = frozenset((
    "text:tracked-changes", "office:annotation", "office:annotation-end", "text:note-citation", "office:forms",
    "text:sequence-decls", "text:user-field-decls", "text:variable-decls", "text:index-title-template",
))  # fmt: skip
_INDEXES: Final = frozenset((
    "text:table-of-content", "text:illustration-index", "text:table-index", "text:alphabetical-index",
    "text:bibliography-source", "text:table-of-content-source",
))  # fmt: skip
_DESCRIPTIONS: Final = ("svg-compatible:desc", "svg-compatible:title")
_MOST_REPEATED: Final = 100
_LONGEST_DESCRIPTION: Final = 500

Formulas = Callable[[str], str]
"""An embedded formula between dollar signs, by the name of its folder; empty for other objects."""


class Body:
    """Collects the blocks of a part, a group for each paragraph or table; one use only."""

    def __init__(self, styles: Styles, formula: Formulas, line: int = 0, ground: Colour | None = None) -> None:
        self.groups: list[list[Block]] = []
        self.furniture: list[Block] = []
        self.hidden: list[Block] = []
        self.line = line
        self._ground = ground
        self._styles, self._formula = styles, formula
        self._inline = Inline()
        self._label = ""
        self._lists: list[str] = []
        self._after: list[tuple[Node, Colour | None]] = []
        self._unseen: list[str] = []
        self._pictures: list[str] = []

    def walk(self, node: Node) -> None:
        """Take in what the text, a cell or a frame holds."""
        for child in node.nodes():
            if child.name in ("text:p", "text:h"):
                self._paragraph(child)
            elif child.name == "text:list":
                self._list(child)
            elif child.name == "table:table":
                self._table(child)
            elif child.name in _INDEXES:
                self.furniture += [block for group in self._inside(child).groups for block in group]
            elif child.name == "drawing:frame":
                self._frame(child)
                self._end_paragraph()
            elif child.name not in _LEFT_OUT:
                self.walk(child)

    def _inside(self, node: Node, ground: Colour | None = None) -> "Body":
        inner = Body(self._styles, self._formula, self.line, self._ground if ground is None else ground)
        inner.walk(node)
        self.line = inner.line
        self.hidden += inner.hidden
        return inner

    def _paragraph(self, node: Node) -> None:
        style = self._styles.of(node.attributes.get("text:style-name"))
        if node.name == "text:h":
            level = node.attributes.get("text:outline-level", "1")
            style = style._replace(kind=BlockKind.HEADING, level=int(level) if level in "123456789" and level else 1)
        self._read(node, filled(style, Style(ground=self._ground)))
        inline, self._inline = self._inline, Inline()
        unseen, self._unseen = " ".join("".join(self._unseen).split()), []
        if unseen:
            self.hidden.append(Block(kind=BlockKind.LINE, text=unseen, line=self.line + 1))
        kind = style.kind or (BlockKind.LIST_ITEM if self._label else BlockKind.LINE)
        text = inline.text(spaced=kind is BlockKind.CODE)
        if not inline.is_empty or self._pictures:
            self.line += 1
        bold = inline.is_bold and kind is BlockKind.LINE
        blocks = paragraph_blocks(Paragraph(text, self.line, kind, style.level, self._label, bold))
        if blocks:
            self._label = ""
        append_group(self.groups, blocks)
        self._end_paragraph()

    def _end_paragraph(self) -> None:
        """Pictures, text boxes and notes stand behind the paragraph that holds them."""
        pictures, self._pictures = self._pictures, []
        append_group(
            self.groups, [Block(kind=BlockKind.FIGURE, text=text, line=max(self.line, 1)) for text in pictures]
        )
        after, self._after = self._after, []
        for node, ground in after:
            self.groups += self._inside(node, ground).groups

    def _read(self, node: Node, style: Style) -> None:
        for child in node.children:
            if isinstance(child, str):
                self._add(child.replace("\n", " "), style)
            elif child.name == "text:s":
                self._add(" " * _count(child.attributes.get("text:c", "1")), style)
            elif child.name in ("text:tab", "text:line-break"):
                self._add("\t" if child.name == "text:tab" else "\n", style)
            elif child.name == "text:note":
                self._after += [(body, None) for body in child.nodes() if body.name == "text:note-body"]
            elif child.name == "drawing:frame":
                self._frame(child)
            elif child.name not in _LEFT_OUT:
                self._read(child, filled(self._styles.of(child.attributes.get("text:style-name")), style))

    def _add(self, text: str, style: Style) -> None:
        if style.is_unseen:
            self._unseen.append(text)
        else:
            self._inline.add(text, style.script or "", bold=bool(style.bold))

    def _frame(self, node: Node) -> None:
        described = (part.text() for part in node.nodes() if part.name in _DESCRIPTIONS)
        for child in node.nodes():
            if child.name == "drawing:text-box":
                self._after.append((child, self._ground_of(node, "drawing")))
            elif child.name == "drawing:object":
                written = self._formula(child.attributes.get("href", ""))
                self._inline.add(written)
                if written:
                    return
            elif child.name == "drawing:image":
                self._pictures.append(" ".join(next(described, "").split())[:_LONGEST_DESCRIPTION])
                return

    def _list(self, node: Node) -> None:
        self._lists.append(node.attributes.get("text:style-name") or (self._lists[-1] if self._lists else ""))
        is_numbered = (self._lists[-1], str(len(self._lists))) in self._styles.numbered
        number = 0
        for entry in node.nodes():
            is_item = entry.name == "text:list-item"
            number += is_item
            self._label = "" if not is_item else f"{number}." if is_numbered else "•"
            self.walk(entry)
            self._label = ""
        self._lists.pop()

    def _table(self, node: Node) -> None:
        start = self.line
        outside, self._ground = self._ground, self._ground_of(node) or self._ground
        rows = [[self._cell(cell) for cell in _cells(row)] for row in _rows(node)]
        self._ground = outside
        if is_layout(rows):
            self.groups += [group for row in rows for cell in row for group in cell.groups]
            return
        self.line = start + 1
        append_group(self.groups, table_blocks([[cell.spanned() for cell in row] for row in rows], start + 1))
        append_group(self.groups, [figure for row in rows for cell in row for figure in cell.figures()])

    def _cell(self, node: Node) -> CellContent:
        columns, rows = (node.attributes.get(f"table:number-{name}-spanned", "1") for name in ("columns", "rows"))
        return CellContent(self._inside(node, self._ground_of(node)).groups, _count(columns), _count(rows))

    def _ground_of(self, node: Node, room: str = "table") -> Colour | None:
        return self._styles.of(node.attributes.get(f"{room}:style-name")).ground


def _rows(node: Node) -> Iterator[Node]:
    for child in node.nodes():
        if child.name == "table:table-row":
            yield child
        elif child.name in ("table:table-header-rows", "table:table-rows", "table:table-row-group"):
            yield from _rows(child)


def _cells(row: Node) -> Iterator[Node]:
    """The cells of a row, without covered cells; a repeated cell occurs as often as it is repeated."""
    for cell in row.nodes():
        if cell.name == "table:table-cell":
            for _ in range(_count(cell.attributes.get("table:number-columns-repeated", "1"))):
                yield cell


def _count(text: str) -> int:
    number = int(text) if text.isascii() and text.isdigit() and len(text) < 5 else 1
    return min(max(number, 1), _MOST_REPEATED)


def read_odt(file: SubmittedFile) -> Document:
    """The blocks of an OpenDocument text. A block's line is the number of its paragraph from 1, blank ones not counted;
    a table counts as one. Formulas become LaTeX, deletions that are tracked do not count, notes and text boxes stand
    behind their paragraph. Never raises for any content."""
    parts = office_parts(file.location, folders=("",))
    if "content.xml" not in parts.content:
        problems = parts.problems or (say("it holds no OpenDocument text: {remedy}", remedy=AS_PDF),)
        return Document(file=file.path, exact=True, problems=problems)
    reader = PartReader(parts.content)
    content, styles = reader.root("content.xml"), reader.root("styles.xml")

    def formula(name: str) -> str:
        """The formula in a folder of the archive; empty where it holds another kind of object."""
        root = PartReader(parts.content).root(f"{name.removeprefix('./').rstrip('/')}/content.xml")
        return marked_formula(root) if root is not None and local(root) == "math" else ""

    roots = [root for root in (styles, content) if root is not None]
    pages = {_ground(page) for root in roots for page in root.every("style:page-layout-properties")}
    body = Body(read_styles(roots), formula, ground=pages.pop() if len(pages) == 1 else UNKNOWN if pages else None)
    for text in content.every("office:text") if content else ():
        body.walk(text)
    return Document(
        file=file.path,
        exact=True,
        blocks=tuple(islice(apart(tables_by_tabs(body.groups)), MOST_BLOCKS)),
        furniture=tuple(body.furniture),
        hidden=tuple(body.hidden[:MOST_HIDDEN]),
        problems=(*parts.problems, *reader.problems, *([HIDDEN_TEXT] if body.hidden else [])),
    )

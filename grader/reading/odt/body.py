"""From the tree of an OpenDocument text to paragraphs, tables and pictures in reading order."""

from collections.abc import Callable, Iterator
from typing import Final

from grader.reading.cells import CellContent, is_layout
from grader.reading.document import Block, BlockKind
from grader.reading.flow import Paragraph, paragraph_blocks, table_blocks
from grader.reading.inline import Inline
from grader.reading.odt.styles import Style, Styles, filled
from grader.reading.tree import Node

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

    def __init__(self, styles: Styles, formula: Formulas, line: int = 0) -> None:
        self.groups: list[list[Block]] = []
        self.furniture: list[Block] = []
        self.line = line
        self._styles, self._formula = styles, formula
        self._inline = Inline()
        self._label = ""
        self._lists: list[str] = []
        self._after: list[Node] = []
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

    def _inside(self, node: Node) -> "Body":
        inner = Body(self._styles, self._formula, self.line)
        inner.walk(node)
        self.line = inner.line
        return inner

    def _paragraph(self, node: Node) -> None:
        style = self._styles.of(node.attributes.get("text:style-name"))
        if node.name == "text:h":
            level = node.attributes.get("text:outline-level", "1")
            style = style._replace(kind=BlockKind.HEADING, level=int(level) if level in "123456789" and level else 1)
        self._read(node, style)
        inline, self._inline = self._inline, Inline()
        kind = style.kind or (BlockKind.LIST_ITEM if self._label else BlockKind.LINE)
        text = inline.text(spaced=kind is BlockKind.CODE)
        if not inline.is_empty or self._pictures:
            self.line += 1
        bold = inline.is_bold and kind is BlockKind.LINE
        blocks = paragraph_blocks(Paragraph(text, self.line, kind, style.level, self._label, bold))
        if blocks:
            self._label = ""
        self._put(blocks)
        self._end_paragraph()

    def _put(self, blocks: list[Block]) -> None:
        last = self.groups[-1] if self.groups else []
        if blocks and last and all(block.kind is BlockKind.CODE for block in (last[-1], *blocks)):
            last += blocks
        elif blocks:
            self.groups.append(blocks)

    def _end_paragraph(self) -> None:
        """Pictures, text boxes and notes stand behind the paragraph that holds them."""
        pictures, self._pictures = self._pictures, []
        self._put([Block(kind=BlockKind.FIGURE, text=text, line=max(self.line, 1)) for text in pictures])
        after, self._after = self._after, []
        for node in after:
            self.groups += self._inside(node).groups

    def _read(self, node: Node, style: Style) -> None:
        for child in node.children:
            if isinstance(child, str):
                self._add(child.replace("\n", " "), style)
            elif child.name == "text:s":
                self._add(" " * _count(child.attributes.get("text:c", "1")), style)
            elif child.name in ("text:tab", "text:line-break"):
                self._add("\t" if child.name == "text:tab" else "\n", style)
            elif child.name == "text:note":
                self._after += [body for body in child.nodes() if body.name == "text:note-body"]
            elif child.name == "drawing:frame":
                self._frame(child)
            elif child.name not in _LEFT_OUT:
                self._read(child, filled(self._styles.of(child.attributes.get("text:style-name")), style))

    def _add(self, text: str, style: Style) -> None:
        if not style.hidden:
            self._inline.add(text, style.script or "", bold=bool(style.bold))

    def _frame(self, node: Node) -> None:
        described = (part.text() for part in node.nodes() if part.name in _DESCRIPTIONS)
        for child in node.nodes():
            if child.name == "drawing:text-box":
                self._after.append(child)
            elif child.name == "drawing:object":
                written = self._formula(child.attributes.get("href", ""))
                self._inline.add(written)
                if written:
                    return
            elif child.name == "drawing:image":
                text = " ".join(next(described, "").split())
                self._pictures.append(text[:_LONGEST_DESCRIPTION])
                return

    def _list(self, node: Node) -> None:
        self._lists.append(node.attributes.get("text:style-name") or (self._lists[-1] if self._lists else ""))
        is_numbered = (self._lists[-1], str(len(self._lists))) in self._styles.numbered
        number = 0
        for entry in node.nodes():
            number += entry.name == "text:list-item"
            self._label = (f"{number}." if is_numbered else "•") if entry.name == "text:list-item" else ""
            self.walk(entry)
            self._label = ""
        self._lists.pop()

    def _table(self, node: Node) -> None:
        start = self.line
        rows = [[self._cell(cell) for cell in _cells(row)] for row in _rows(node)]
        if is_layout(rows):
            self.groups += [group for row in rows for cell in row for group in cell.groups]
            return
        self.line = start + 1
        self._put(table_blocks([[cell.spanned() for cell in row] for row in rows], start + 1))
        self._put([figure for row in rows for cell in row for figure in cell.figures()])

    def _cell(self, node: Node) -> CellContent:
        columns, rows = (node.attributes.get(f"table:number-{name}-spanned", "1") for name in ("columns", "rows"))
        return CellContent(self._inside(node).groups, _count(columns), _count(rows))


def _rows(node: Node) -> Iterator[Node]:
    for child in node.nodes():
        if child.name == "table:table-row":
            yield child
        elif child.name in ("table:table-header-rows", "table:table-rows", "table:table-row-group"):
            yield from _rows(child)


def _cells(row: Node) -> Iterator[Node]:
    """The cells of a row, less those that another one covers; a repeated cell is there as often as it is repeated."""
    for cell in row.nodes():
        if cell.name == "table:table-cell":
            for _ in range(_count(cell.attributes.get("table:number-columns-repeated", "1"))):
                yield cell


def _count(text: str) -> int:
    number = int(text) if text.isascii() and text.isdigit() and len(text) < 5 else 1
    return min(max(number, 1), _MOST_REPEATED)

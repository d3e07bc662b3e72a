"""From the parts of a Word document to paragraphs, tables and pictures in reading order."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final

from grader.reading.cells import CellContent, is_layout
from grader.reading.document import Block, BlockKind
from grader.reading.docx.content import Content, Fields, is_placeholder, preferred
from grader.reading.docx.numbering import Counter
from grader.reading.docx.styles import PLAIN, Style, Styles, filled, value, whole
from grader.reading.docx.tables import TableCell, table_cells
from grader.reading.flow import Paragraph, paragraph_blocks, table_blocks
from grader.reading.tree import Node

_TRANSPARENT: Final = frozenset(("w:body", "w:sdtContent", "w:customXml", "w:ins", "w:moveTo", "w:txbxContent"))


@dataclass
class State:
    """What goes on through a whole document: counters of lists, open fields, notes not yet shown, the number of the
    paragraph, and what could not be read."""

    styles: Styles
    counter: Counter
    notes: dict[tuple[str, str], Node] = field(default_factory=dict)
    code_by_font: bool = True
    fields: Fields = field(default_factory=Fields)
    due: list[Node] = field(default_factory=list)
    furniture: list[Block] = field(default_factory=list)
    line: int = 0
    lost: int = 0
    embedded: int = 0


class Body:
    """Collects the blocks of a part, a group for each paragraph or table; one use only."""

    def __init__(self, state: State, *, within: bool = False) -> None:
        self.groups: list[list[Block]] = []
        self._state = state
        self._within = within

    def walk(self, node: Node) -> None:
        """Take in what a part, a cell or a text box holds."""
        for child in node.nodes():
            if child.name == "w:p":
                self._paragraph(child)
            elif child.name == "w:tbl":
                self._table(child)
            elif child.name == "m:oMathPara":
                self._paragraph(Node("w:p", {}, [child]))
            elif child.name == "mc:AlternateContent":
                self.walk(preferred(child))
            elif child.name == "w:sdt":
                self._control(child)
            elif child.name == "w:altChunk":
                self._state.embedded += 1
            elif child.name in _TRANSPARENT:
                self.walk(child)
            self._show_notes()

    def _control(self, node: Node) -> None:
        if is_placeholder(node):
            return
        gallery = next(node.every("w:docPartGallery"), None)
        if gallery is not None and gallery.attributes.get("w:val") == "Table of Contents":
            self._state.furniture += _all(self._inside(node).groups)
        else:
            self.walk(node)

    def _show_notes(self) -> None:
        """Notes stand behind the paragraph or table that refers to them."""
        while self._state.due and not self._within:
            self.groups += self._inside(self._state.due.pop(0)).groups

    def _inside(self, node: Node) -> "Body":
        inner = Body(self._state, within=True)
        inner.walk(node)
        return inner

    def _paragraph(self, node: Node) -> None:
        state, properties = self._state, node.child("w:pPr")
        style = filled(_own(properties), state.styles.of(value(properties, "w:pStyle")))
        content = Content(state.styles, style, state.fields)
        content.read(node)
        state.lost += content.lost
        state.due += [state.notes.pop(note) for note in content.notes if note in state.notes]
        label = self._label(style)
        if content.inline.is_empty and not content.pictures and not content.boxes:
            return
        state.line += 1
        blocks = paragraph_blocks(_read(content, style, label or "", state))
        pictures = [Block(kind=BlockKind.FIGURE, text=text, line=state.line) for text in content.pictures]
        if style.is_contents:
            state.furniture += blocks
        else:
            self._put(blocks)
        self._put(pictures)
        for box in content.boxes:
            self.walk(box)

    def _put(self, blocks: list[Block]) -> None:
        """Paragraphs of code that follow each other are one listing."""
        last = self.groups[-1] if self.groups else []
        if blocks and last and all(block.kind is BlockKind.CODE for block in (last[-1], *blocks)):
            last += blocks
        elif blocks:
            self.groups.append(blocks)

    def _label(self, style: Style) -> str | None:
        """The number or bullet that Word sets before a paragraph. A title's is shown only when it has words, such as
        `Question 1`."""
        if style.list_id is None or style.kind not in (None, BlockKind.LINE, BlockKind.HEADING):
            return None
        depth = style.list_level or 0
        if style.kind is BlockKind.HEADING and style.list_level is None:
            depth = (style.level or 1) - 1
        label = self._state.counter.label(style.list_id, depth)
        if style.kind is BlockKind.HEADING:
            return label if label and sum(character.isalpha() for character in label) > 2 else None
        return label

    def _table(self, node: Node) -> None:
        start = self._state.line
        rows = [[self._cell(cell) for cell in row] for row in table_cells(node)]
        if is_layout(rows):
            self.groups += [group for row in rows for cell in row for group in cell.groups]
            return
        self._state.line = start + 1
        self._put(table_blocks([[cell.spanned() for cell in row] for row in rows], start + 1))
        figures = (figure for row in rows for cell in row for figure in cell.figures())
        self._put([figure.model_copy(update={"line": start + 1}) for figure in figures])

    def _cell(self, cell: TableCell) -> CellContent:
        return CellContent(self._inside(cell.node).groups if cell.node else [], cell.columns, cell.rows)


def _own(properties: Node | None) -> Style:
    """What a paragraph says of itself, apart from its style."""
    numbering = properties.child("w:numPr") if properties else None
    outline = whole(value(properties, "w:outlineLvl"))
    is_title = outline is not None and outline < 9
    return PLAIN._replace(
        kind=BlockKind.HEADING if is_title else None,
        level=outline + 1 if is_title and outline is not None else None,
        list_id=value(numbering, "w:numId"),
        list_level=whole(value(numbering, "w:ilvl")),
    )


def _read(content: Content, style: Style, label: str, state: State) -> Paragraph:
    is_code = style.kind is BlockKind.CODE or (
        style.kind is None and not label and state.code_by_font and content.is_monospaced
    )
    if is_code:
        return Paragraph(content.inline.text(spaced=True), state.line, BlockKind.CODE)
    kind = style.kind or (BlockKind.LIST_ITEM if label else BlockKind.LINE)
    text = content.inline.text()
    bold = content.inline.is_bold and kind is BlockKind.LINE
    return Paragraph(text, state.line, kind, style.level, label, bold)


def _all(groups: Iterable[list[Block]]) -> list[Block]:
    return [block for group in groups for block in group]

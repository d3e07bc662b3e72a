"""From the parts of a Word document to paragraphs, tables and pictures in reading order."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import chain
from typing import Final, NamedTuple

from grader.reading.document import Block, BlockKind
from grader.reading.docx.styles import (
    PLAIN,
    Counter,
    Style,
    Styles,
    equation_lines,
    paragraph_style,
    run_style,
    shade,
    value,
    whole,
)
from grader.reading.flow import Paragraph, append_group, filled, paragraph_blocks, table_blocks
from grader.reading.latex_out import between_signs
from grader.reading.office import Node
from grader.reading.structure import CellContent, Inline, is_layout
from grader.reading.visibility import UNKNOWN, Colour, colour_of

_SYMBOL: Final = {
    0x22: "∀", 0x24: "∃", 0x27: "∋", 0x2A: "∗", 0x2D: "−", 0x40: "≅", 0x5C: "∴", 0xA2: "′", 0xA3: "≤", 0xA4: "⁄",
    0xA5: "∞", 0xAB: "↔", 0xAC: "←", 0xAD: "↑", 0xAE: "→", 0xAF: "↓", 0xB0: "°", 0xB1: "±", 0xB3: "≥", 0xB4: "×",
    0xB5: "∝", 0xB6: "∂", 0xB7: "•", 0xB8: "÷", 0xB9: "≠", 0xBA: "≡", 0xBB: "≈", 0xBC: "…", 0xC4: "⊗", 0xC5: "⊕",
    0xC6: "∅", 0xC7: "∩", 0xC8: "∪", 0xCE: "∈", 0xCF: "∉", 0xD1: "∇", 0xD5: "∏", 0xD6: "√", 0xD7: "⋅", 0xD8: "¬",
    0xDB: "⇔", 0xDC: "⇐", 0xDE: "⇒", 0xE5: "∑", 0xF2: "∫",
}  # fmt: skip
_GREEK: Final = dict(zip(b"abcdefghiklmnopqrstuwxyz", "αβχδεφγηικλμνοπθρστυωξψζ", strict=True))
_WINGDINGS: Final = {0xE0: "→", 0xDF: "←", 0xF0: "→", 0xFC: "✓", 0xFB: "✗", 0xA7: "▪", 0xD8: "➢", 0x6C: "●", 0x6E: "■"}


def symbol(font: str, code: str) -> str:
    """The character at a place (in hexadecimal) of a symbol font; `\ufffd` where it is not known. The places follow
    Adobe's Symbol encoding and the Wingdings chart; Word adds F000 to them."""
    try:
        place = int(code[:6], 16)
    except ValueError:
        return "\ufffd"
    place -= 0xF000 if place >= 0xF000 else 0
    if font.lower().startswith("symbol"):
        return _SYMBOL.get(place) or _GREEK.get(place) or (chr(place) if 0x20 <= place < 0x7F else "\ufffd")
    if font.lower().startswith("wingdings"):
        return _WINGDINGS.get(place, "\ufffd")
    return chr(place) if 0x20 <= place < 0xD800 else "\ufffd"


_TRANSPARENT: Final = frozenset((
    "w:hyperlink", "w:ins", "w:moveTo", "w:smartTag", "w:sdt", "w:sdtContent", "w:fldSimple", "w:customXml", "w:bdo",
    "w:dir", "w:ruby", "w:rubyBase",
))  # fmt: skip
_SIGNS: Final = {"w:tab": "\t", "w:br": "\n", "w:cr": "\n", "w:noBreakHyphen": "-"}
_NOTES: Final = {"w:footnoteReference": "footnote", "w:endnoteReference": "endnote"}
_DRAWINGS: Final = frozenset(("w:drawing", "w:pict", "w:object"))
_LONGEST_DESCRIPTION: Final = 500
_DEEPEST_FIELD: Final = 20


class Content:
    """Collects a paragraph; one use only. `boxes` are text boxes with the colour behind them, `pictures` what describes
    each picture, `notes` the kinds and ids of notes, `unseen` the pieces of text that do not show; `lost` counts
    formulas in a form that cannot be read. `fields` are the document's open fields: whether each is in its instruction,
    which is not text, as its result is."""

    def __init__(self, styles: Styles, style: Style, fields: list[bool]) -> None:
        self.inline = Inline()
        self.boxes: list[tuple[Node, Colour | None]] = []
        self.pictures: list[str] = []
        self.notes: list[tuple[str, str]] = []
        self.unseen: list[str] = []
        self.lost = 0
        self._fonts: set[bool] = set()
        self._styles, self._style, self._fields = styles, style, fields

    @property
    def is_monospaced(self) -> bool:
        """Whether all text is in a monospaced font."""
        return self._fonts == {True}

    def read(self, node: Node) -> None:
        """Take in the children of a paragraph, or of what wraps a part of it."""
        for child in node.nodes():
            if child.name == "w:r":
                style = self._style_of(child)
                if not style.struck:
                    self._parts(child, style)
            elif child.name == "m:oMathPara":
                for equation in child.every("m:oMath"):
                    self._formula(equation, displayed=True)
            elif child.name == "m:oMath":
                self._formula(child, displayed=False)
            elif child.name == "mc:AlternateContent":
                self.read(preferred(child))
            elif child.name in _TRANSPARENT and not is_placeholder(child):
                self.read(child)

    def _style_of(self, run: Node) -> Style:
        properties = run.child("w:rPr")
        style = run_style(properties)
        named = value(properties, "w:rStyle")
        if named:
            style = filled(style, self._styles.of(named))
        return filled(style, self._style)

    def _formula(self, node: Node, *, displayed: bool) -> None:
        """A formula is set as formulas are, whatever its signs say; it is unseen if all of them are."""
        runs = list(node.every("m:r"))
        is_unseen = bool(runs) and all(self._style_of(run).is_unseen for run in runs)
        self._add(between_signs(equation_lines(node), displayed), PLAIN._replace(hidden=is_unseen))

    def _parts(self, node: Node, style: Style) -> None:
        for part in node.nodes():
            name = part.name
            if name == "w:fldChar":
                self._field(part.attributes.get("w:fldCharType"))
            elif name == "w:instrText":
                self.lost += part.text().strip().startswith("EQ ")
            elif name in _NOTES:
                self.notes.append((_NOTES[name], part.attributes.get("w:id", "")))
            elif name == "mc:AlternateContent":
                self._parts(preferred(part), style)
            elif name in _DRAWINGS:
                self._drawing(part)
            elif not any(self._fields[-_DEEPEST_FIELD:]):
                self._add(_sign(part), style)

    def _field(self, kind: str | None) -> None:
        """Take in the beginning of a field, the end of its instruction, or its own end."""
        if kind == "begin":
            self._fields.append(True)
        elif self._fields and kind == "separate":
            self._fields[-1] = False
        elif self._fields and kind == "end":
            self._fields.pop()

    def _add(self, text: str, style: Style) -> None:
        if style.is_unseen:
            self.unseen.append(text)
            return
        self.inline.add(text, style.script or "", bold=bool(style.bold))
        if text.strip():
            self._fonts.add(bool(style.monospaced))

    def _drawing(self, node: Node) -> None:
        self.boxes += [(box, _box_ground(node)) for box in _outermost(node)]
        is_formula = any("equation" in part.attributes.get("ProgID", "").lower() for part in node.every("OLEObject"))
        self.lost += is_formula
        if is_formula or next(node.every("blip", "imagedata", "chart", "relIds"), None) is not None:
            described = (part.attributes.get("descr", "") for part in node.every("docPr", "cNvPr"))
            text = " ".join(next((words for words in described if words), "").split())
            self.pictures.append(text[:_LONGEST_DESCRIPTION])


def preferred(node: Node) -> Node:
    """The alternative content that is meant for current programs."""
    return node.child("mc:Choice") or node.child("mc:Fallback") or Node("", {}, [])


def is_placeholder(node: Node) -> bool:
    """Whether a field of a form shows only its prompt."""
    properties = node.child("w:sdtPr")
    return properties is not None and properties.child("w:showingPlcHdr") is not None


def _sign(part: Node) -> str:
    if part.name == "w:t":
        return part.text()
    if part.name == "w:sym":
        return symbol(part.attributes.get("w:font", ""), part.attributes.get("w:char", ""))
    return _SIGNS.get(part.name, "")


def _box_ground(drawing: Node) -> Colour | None:
    """The colour of a drawing's shapes; None where they show the page, UNKNOWN where they differ or have a theme's."""
    grounds = {_fill(shape) for shape in drawing.every("spPr")}
    is_old = next(drawing.every("w:txbxContent"), None) is not None and not grounds
    return grounds.pop() if len(grounds) == 1 and not is_old else UNKNOWN


def _fill(shape: Node) -> Colour | None:
    if shape.child("noFill"):
        return None
    fill = shape.child("solidFill")
    plain = fill.child("srgbClr") if fill else None
    return colour_of(plain.attributes.get("val")) if plain else UNKNOWN


def _outermost(node: Node) -> Iterator[Node]:
    """The text boxes of a drawing; those within a text box belong to it."""
    for child in node.nodes():
        if child.name == "w:txbxContent":
            yield child
        else:
            yield from _outermost(preferred(child) if child.name == "mc:AlternateContent" else child)


_WRAPPERS = ("w:sdt", "w:sdtContent", "w:customXml", "w:ins", "w:moveTo")


class _Placed(NamedTuple):
    node: Node | None
    column: int
    columns: int
    continues: bool


def table_cells(table: Node) -> list[list[tuple[Node | None, int, int]]]:
    """The cells of each row with the columns and rows that they span, without those that continue a cell above; None
    stands for columns that a row leaves empty."""
    every = ((row, row.child("w:trPr")) for row in _inside(table, "w:tr"))
    rows = [_placed(row) for row, properties in every if not (properties and properties.child("w:del"))]
    reach = _reach(rows)
    return [
        [
            (cell.node, cell.columns, reach.get((number, cell.column), 1))
            for cell in row
            if not cell.continues or (number, cell.column) in reach
        ]
        for number, row in enumerate(rows)
    ]


def _reach(rows: list[list[_Placed]]) -> dict[tuple[int, int], int]:
    """The row span of each cell, by the row and column in which it begins."""
    reach: dict[tuple[int, int], int] = {}
    open_at: dict[int, int] = {}
    for number, row in enumerate(rows):
        going_on: dict[int, int] = {}
        for cell in row:
            start = open_at.get(cell.column) if cell.continues else None
            start = number if start is None else start
            reach[start, cell.column] = number - start + 1
            going_on[cell.column] = start
        open_at = going_on
    return reach


def _placed(row: Node) -> list[_Placed]:
    column = _number(row.child("w:trPr"), "w:gridBefore", 0)
    found = [_Placed(None, 0, column, continues=False)] if column else []
    for node in _inside(row, "w:tc"):
        inner = node.child("w:tcPr")
        columns = max(_number(inner, "w:gridSpan", 1), 1)
        merge = inner.child("w:vMerge") if inner else None
        continues = merge is not None and merge.attributes.get("w:val", "continue") == "continue"
        found.append(_Placed(node, column, columns, continues))
        column += columns
    return found


def _inside(node: Node, name: str) -> Iterator[Node]:
    """The children of a name, also where they are wrapped."""
    for child in node.nodes():
        if child.name == name:
            yield child
        elif child.name in _WRAPPERS:
            yield from _inside(child, name)


def _number(properties: Node | None, name: str, default: int) -> int:
    node = properties.child(name) if properties else None
    found = whole(node.attributes.get("w:val")) if node else None
    return default if found is None else min(found, 200)


_TRANSPARENT_BLOCKS: Final = frozenset(("w:body", "w:sdtContent", "w:customXml", "w:ins", "w:moveTo", "w:txbxContent"))


@dataclass
class State:
    """The state that is shared across a whole document: list counters, open fields, pending notes, the paragraph
    number, and what could not be read."""

    styles: Styles
    counter: Counter
    notes: dict[tuple[str, str], Node] = field(default_factory=dict)
    code_by_font: bool = True
    fields: list[bool] = field(default_factory=list)
    due: list[Node] = field(default_factory=list)
    furniture: list[Block] = field(default_factory=list)
    hidden: list[Block] = field(default_factory=list)
    line: int = 0
    lost: int = 0
    embedded: int = 0


class Body:
    """Collects the blocks of a part, a group for each paragraph or table; one use only."""

    def __init__(self, state: State, *, within: bool = False, ground: Colour | None = None) -> None:
        self.groups: list[list[Block]] = []
        self._state = state
        self._within = within
        self._ground = ground

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
            elif child.name in _TRANSPARENT_BLOCKS:
                self.walk(child)
            while self._state.due and not self._within:
                # Notes stand behind the paragraph or table that refers to them.
                self.groups += self._inside(self._state.due.pop(0)).groups

    def _control(self, node: Node) -> None:
        if is_placeholder(node):
            return
        gallery = next(node.every("w:docPartGallery"), None)
        if gallery is not None and gallery.attributes.get("w:val") == "Table of Contents":
            self._state.furniture += chain(*self._inside(node).groups)
        else:
            self.walk(node)

    def _inside(self, node: Node, ground: Colour | None = None) -> "Body":
        inner = Body(self._state, within=True, ground=self._ground if ground is None else ground)
        inner.walk(node)
        return inner

    def _paragraph(self, node: Node) -> None:
        state, properties = self._state, node.child("w:pPr")
        style = filled(paragraph_style(properties), state.styles.of(value(properties, "w:pStyle")))
        style = filled(style, PLAIN._replace(ground=self._ground))
        content = Content(state.styles, style, state.fields)
        content.read(node)
        state.lost += content.lost
        state.due += [state.notes.pop(note) for note in content.notes if note in state.notes]
        label = self._label(style)
        unseen = " ".join("".join(content.unseen).split())
        if unseen:
            state.hidden.append(Block(kind=BlockKind.LINE, text=unseen, line=state.line + 1))
        if content.inline.is_empty and not content.pictures and not content.boxes:
            return
        state.line += 1
        blocks = paragraph_blocks(_read(content, style, label or "", state))
        pictures = [Block(kind=BlockKind.FIGURE, text=text, line=state.line) for text in content.pictures]
        if style.is_contents:
            state.furniture += blocks
        else:
            append_group(self.groups, blocks)
        append_group(self.groups, pictures)
        for box, ground in content.boxes:
            outside, self._ground = self._ground, self._ground if ground is None else ground
            self.walk(box)
            self._ground = outside

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
        start, properties = self._state.line, node.child("w:tblPr")
        # Where the table's style colours some cells, which ones is not worked out.
        is_shaded = value(properties, "w:tblStyle") in self._state.styles.shaded
        ground = UNKNOWN if is_shaded else shade(properties)
        rows = [[self._cell(*cell, ground) for cell in row] for row in table_cells(node)]
        if is_layout(rows):
            self.groups += [group for cell in chain(*rows) for group in cell.groups]
            return
        self._state.line = start + 1
        append_group(self.groups, table_blocks([[cell.spanned() for cell in row] for row in rows], start + 1))
        figures = (figure for cell in chain(*rows) for figure in cell.figures())
        append_group(self.groups, [figure.model_copy(update={"line": start + 1}) for figure in figures])

    def _cell(self, node: Node | None, columns: int, rows: int, ground: Colour | None) -> CellContent:
        if node is None:
            return CellContent([], columns, rows)
        own = shade(node.child("w:tcPr"))
        return CellContent(self._inside(node, ground if own is None else own).groups, columns, rows)


def _read(content: Content, style: Style, label: str, state: State) -> Paragraph:
    is_code = style.kind is BlockKind.CODE or (
        style.kind is None and not label and state.code_by_font and content.is_monospaced
    )
    if is_code:
        return Paragraph(content.inline.text(spaced=True), state.line, BlockKind.CODE)
    kind = style.kind or (BlockKind.LIST_ITEM if label else BlockKind.LINE)
    bold = content.inline.is_bold and kind is BlockKind.LINE
    return Paragraph(content.inline.text(), state.line, kind, style.level, label, bold)

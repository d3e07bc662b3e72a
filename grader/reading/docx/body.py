"""Conversion of the parts of a Word document to paragraphs, tables and pictures in reading order."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import reduce
from itertools import chain
from math import inf
from typing import Final, NamedTuple

from grader.reading.document import Block, BlockKind
from grader.reading.docx.drawings import Drawings, TextBox, preferred_alternative
from grader.reading.docx.styles import (
    PLAIN,
    Counter,
    Style,
    Styles,
    equation_lines,
    measure,
    paragraph_style,
    run_style,
    shade,
    value,
    whole_number,
)
from grader.reading.flow import Paragraph, append_group, inherit_style, paragraph_blocks, table_blocks
from grader.reading.latex_out import between_signs
from grader.reading.office import NOTHING, Node
from grader.reading.structure import CellContent, Inline, is_layout
from grader.reading.visibility import CLEAR, UNKNOWN, Colour, LeftOut, Paper, Room, Span, Visibility, of_extent

_WRAPPERS: Final = ("w:sdt", "w:sdtContent", "w:customXml", "w:ins", "w:moveTo")
_LOOKS: Final = {
    "firstRow": 0x20, "lastRow": 0x40, "firstColumn": 0x80, "lastColumn": 0x100, "noHBand": 0x200, "noVBand": 0x400,
}  # fmt: skip
"""Bits of the number that says which parts of a style a table uses."""
_LINE_HEIGHT: Final = 12.0
"""In points, the extent of a row, a frame or a column that fits its text."""
_TABLE_PLACES: Final = ("w:tblpX", "w:tblpY", "w:horzAnchor", "w:vertAnchor", "w:tblpXSpec", "w:tblpYSpec")
_FRAME_PLACES: Final = ("w:x", "w:y", "w:hAnchor", "w:vAnchor", "w:xAlign", "w:yAlign")
"""Attributes for the place of what floats: its offsets, what these count from, and what it is aligned with."""


class Cell(NamedTuple):
    """A cell with the row and column in which it begins and those that it spans. It has no node where a row leaves
    columns empty."""

    node: Node | None
    row: int
    column: int
    columns: int
    rows: int


def table_rows(table: Node) -> list[tuple[Node, list[Cell]]]:
    """The rows of a table with their cells, without those that continue a cell above."""
    nodes = [row for row in _inside(table, "w:tr") if row.element_at("w:trPr").child("w:del") is None]
    found: list[tuple[Node, list[Cell]]] = []
    above: dict[int, tuple[int, int]] = {}
    for number, row in enumerate(nodes):
        cells: list[Cell] = []
        going_on: dict[int, tuple[int, int]] = {}
        for cell, continues in _cells(row, number):
            start, at = (above.get(cell.column) if continues else None) or (number, len(cells))
            if start == number:
                cells.append(cell)
            else:
                found[start][1][at] = found[start][1][at]._replace(rows=number - start + 1)
            going_on[cell.column] = start, at
        above = going_on
        found.append((row, cells))
    return found


def _cells(row: Node, number: int) -> Iterator[tuple[Cell, bool]]:
    """The cells of a row, each with whether it continues the one above."""
    column = _number(row.element_at("w:trPr"), "w:gridBefore", 0)
    if column:
        yield Cell(None, number, 0, column, 1), False
    for node in _inside(row, "w:tc"):
        columns = max(_number(node.element_at("w:tcPr"), "w:gridSpan", 1), 1)
        merge = node.element_at("w:tcPr").child("w:vMerge")
        yield (
            Cell(node, number, column, columns, 1),
            merge is not None and merge.attributes.get("w:val", "continue") == "continue",
        )
        column += columns


def _inside(node: Node, name: str) -> Iterator[Node]:
    """The children of a name, also where they are wrapped."""
    for child in node.nodes():
        if child.name == name:
            yield child
        elif child.name in _WRAPPERS:
            yield from _inside(child, name)


def _number(properties: Node, name: str, default: int) -> int:
    found = whole_number(value(properties, name))
    return default if found is None else min(found, 200)


class TableLook(NamedTuple):
    """The appearance that a table's style gives to its cells by their places."""

    parts: Mapping[str, Style]
    uses: Mapping[str, bool]
    is_told: bool
    bands: tuple[int, int]
    rows: int
    columns: int

    def style(self, cell: Cell) -> Style:
        """The style of a cell. Where the table does not say which parts of its style it uses, the ground of a cell in
        such a part is unknown."""
        names = list(self._names(cell))
        found = reduce(inherit_style, (self.parts.get(name, PLAIN) for name in names), PLAIN)
        special = (self.parts.get(name, PLAIN).cell for name in self._edges(cell, everything=True))
        if not self.is_told and any(entry is not None for entry in special):
            return found._replace(cell=UNKNOWN)
        return found

    def _names(self, cell: Cell) -> Iterator[str]:
        """The parts of the style that a cell belongs to, the strongest first."""
        yield from self._edges(cell, everything=False)
        for name, place, size, edge in (
            ("Horz", cell.row, self.bands[0], "firstRow"),
            ("Vert", cell.column, self.bands[1], "firstColumn"),
        ):
            if not self.uses[f"no{name[0]}Band"]:
                yield f"band{(place - self.uses[edge]) // size % 2 + 1}{name}"
        yield "wholeTable"

    def _edges(self, cell: Cell, *, everything: bool) -> Iterator[str]:
        uses = dict.fromkeys(self.uses, True) if everything else self.uses
        above, below = cell.row == 0, cell.row + cell.rows >= self.rows
        before, after = cell.column == 0, cell.column + cell.columns >= self.columns
        across = [name for name, is_on in (("firstColumn", before), ("lastColumn", after)) if is_on and uses[name]]
        down = [name for name, is_on in (("firstRow", above), ("lastRow", below)) if is_on and uses[name]]
        for edge in down:
            for side in across:
                yield f"{'n' if edge == 'firstRow' else 's'}{'w' if side == 'firstColumn' else 'e'}Cell"
        yield from (name.replace("Column", "Col") for name in across)
        yield from down


def table_look(properties: Node, styles: Styles, cells: list[list[Cell]]) -> TableLook:
    """The look of a table."""
    node = properties.child("w:tblLook")
    written = node.attributes if node else {}
    try:
        bits = int(written.get("w:val", "0"), 16)
    except ValueError:
        bits = 0
    uses = {
        name: written.get(f"w:{name}", "1" if bits & bit else "0") in ("1", "true", "on")
        for name, bit in _LOOKS.items()
    }
    sizes = (whole_number(value(properties, f"w:tblStyle{name}BandSize")) or 1 for name in ("Row", "Col"))
    columns = max((cell.column + cell.columns for cell in chain(*cells)), default=0)
    parts = styles.tables.get(value(properties, "w:tblStyle") or "", {})
    return TableLook(parts, uses, node is not None, (next(sizes), next(sizes)), len(cells), columns)


def table_shown(table: Node, paper: Paper) -> Visibility:
    """Whether a table is on the page."""
    properties = table.element_at("w:tblPr")
    width = (
        sum(measure(node.attributes.get("w:w"), 20) or 0.0 for node in table.element_at("w:tblGrid").nodes())
        or _LINE_HEIGHT
    )
    places = properties.child("w:tblpPr")
    if places is not None:
        return _floating(places.attributes, _TABLE_PLACES, (width, _LINE_HEIGHT), paper)
    moved = measure(properties.element_at("w:tblInd").attributes.get("w:w"), 20)
    if moved is None or value(properties, "w:jc") in ("center", "right", "end"):
        return Visibility.SHOWN
    return Span(paper.left + moved, paper.left + moved, width).visibility_within(paper.width)


def frame_shown(frame: Mapping[str, str], paper: Paper) -> Visibility:
    """Whether the frame that a paragraph stands in is on the page."""
    lengths = (frame.get("w:w"), frame.get("w:h") if frame.get("w:hRule") == "exact" else None)
    width, height = (_LINE_HEIGHT if (size := measure(length, 20)) is None else size for length in lengths)
    return _floating(frame, _FRAME_PLACES, (width, height), paper)


def _floating(written: Mapping[str, str], names: Sequence[str], size: tuple[float, float], paper: Paper) -> Visibility:
    """Whether a table or a frame that floats is on the page; one that is aligned with something is."""
    x, y = (measure(written.get(name), 20) or 0.0 for name in names[:2])
    x += 0.0 if written.get(names[2]) == "page" else paper.left
    top = {"page": 0.0, "margin": paper.top}.get(written.get(names[3], "text"))
    down = Span(y, y + paper.height, size[1]) if top is None else Span(top + y, top + y, size[1])
    return max(
        Visibility.SHOWN if names[4] in written else Span(x, x, size[0]).visibility_within(paper.width),
        Visibility.SHOWN if names[5] in written else down.visibility_within(paper.height),
    )


def row_height(row: Node) -> float | None:
    """The height of a row where it is fixed."""
    height = row.element_at("w:trPr", "w:trHeight").attributes
    return measure(height.get("w:val"), 20) if height.get("w:hRule") == "exact" else None


def row_shown(row: Node) -> Visibility:
    """Whether the cells of a row have the height to be seen. Programs differ in what they do with the mark of a hidden
    row, which is doubtful alone."""
    is_marked = row.element_at("w:trPr").child("w:hidden") is not None
    return max(of_extent(row_height(row)), Visibility.DOUBTFUL if is_marked else Visibility.SHOWN)


def cell_width(table: Node, cell: Node) -> float | None:
    """The width of a cell where the table does not fit it to its text."""
    layout, width = table.element_at("w:tblPr", "w:tblLayout").attributes, cell.element_at("w:tcPr", "w:tcW").attributes
    is_fixed = layout.get("w:type") == "fixed" and width.get("w:type", "dxa") == "dxa"
    return (measure(width.get("w:w"), 20) or None) if is_fixed else None


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
    "w:hyperlink", "w:ins", "w:moveTo", "w:smartTag", "w:sdt", "w:sdtContent", "w:customXml", "w:bdo", "w:dir",
    "w:ruby", "w:rubyBase",
))  # fmt: skip
_SIGNS: Final = {"w:tab": "\t", "w:br": "\n", "w:cr": "\n", "w:noBreakHyphen": "-"}
_NOTES: Final = {"w:footnoteReference": "footnote", "w:endnoteReference": "endnote"}
_DRAWINGS: Final = frozenset(("w:drawing", "w:pict", "w:object"))
_LONGEST_DESCRIPTION: Final = 500
_DEEPEST_FIELD: Final = 20
_WITHOUT_RESULT: Final = frozenset(("SET", "ASK", "XE", "TC", "TA", "RD", "PRIVATE"))
"""Fields that stand for nothing on the page, whatever result the file stores."""
_PARAGRAPH: Final = 100.0
"""Points that a short paragraph does not fill."""


class Place(NamedTuple):
    """The surroundings of some paragraphs: the colour behind them, the style that a table or shape gives them, and
    whether anything there can be seen. `floats`: in a table, whose place on the page is not worked out."""

    ground: Colour | None = None
    base: Style = PLAIN
    visibility: Visibility = Visibility.SHOWN
    floats: bool = False


@dataclass
class Field:
    """A field whose end has not come: its instruction, and whether that is still going on."""

    instruction: str = ""
    is_open: bool = True

    @property
    def shows_nothing(self) -> bool:
        """Whether its result does not stand on the page."""
        return not _WITHOUT_RESULT.isdisjoint(self.instruction.upper().split()[:1])


class Content:
    """Collects a paragraph; one use only. `boxes` are text boxes, `pictures` what describes each picture, `notes` the
    kinds and ids of notes, `unseen` the pieces of text that do not show, `doubts` those that may not; `lost` counts
    formulas in a form that cannot be read. `fields` are the document's open fields: their instructions are no text, as
    their results are."""

    def __init__(self, state: "State", style: Style, place: Place, room: Room | None) -> None:
        self.inline = Inline()
        self.boxes: list[TextBox] = []
        self.pictures: list[str] = []
        self.notes: list[tuple[str, str]] = []
        self.unseen: list[str] = []
        self.doubts: list[str] = []
        self.lost = 0
        self._fonts: set[bool] = set()
        self._style, self._place, self._room = style, place, room
        self._state, self._styles, self._fields = state, state.styles, state.fields

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
                for equation in child.descendants("m:oMath"):
                    self._formula(equation, displayed=True)
            elif child.name == "m:oMath":
                self._formula(child, displayed=False)
            elif child.name == "mc:AlternateContent":
                self.read(preferred_alternative(child))
            elif child.name == "w:fldSimple":
                self._fields.append(Field(child.attributes.get("w:instr", ""), is_open=False))
                self.read(child)
                self._fields.pop()
            elif child.name in _TRANSPARENT and not is_placeholder(child):
                self.read(child)

    def _style_of(self, run: Node) -> Style:
        properties = run.element_at("w:rPr")
        style, named = run_style(properties, self._styles.theme), value(properties, "w:rStyle")
        return inherit_style(inherit_style(style, self._styles.style_of(named)) if named else style, self._style)

    def _formula(self, node: Node, *, displayed: bool) -> None:
        """A formula is set as formulas are, whatever its signs say; it is as visible as the plainest of them."""
        styles = [self._style_of(run) for run in node.descendants("m:r")] or [self._style]
        seen = min(self._visibility(style) for style in styles)
        self._put(between_signs(equation_lines(node), displayed), PLAIN, seen)

    def _parts(self, node: Node, style: Style) -> None:
        for part in node.nodes():
            name = part.name
            if name == "w:fldChar":
                self._field(part.attributes.get("w:fldCharType"))
            elif name == "w:instrText":
                self.lost += part.text().strip().startswith("EQ ")
                if self._fields and self._fields[-1].is_open:
                    self._fields[-1].instruction += part.text()
            elif name in _NOTES:
                self.notes.append((_NOTES[name], part.attributes.get("w:id", "")))
            elif name == "mc:AlternateContent":
                self._parts(preferred_alternative(part), style)
            elif name in _DRAWINGS:
                self._drawing(part)
            elif not any(field.is_open for field in self._fields[-_DEEPEST_FIELD:]):
                self._put(_sign(part), style, self._visibility(style))

    def _field(self, kind: str | None) -> None:
        """Take in the beginning of a field, the end of its instruction, or its own end."""
        if kind == "begin":
            self._fields.append(Field())
        elif self._fields and kind == "separate":
            self._fields[-1].is_open = False
        elif self._fields and kind == "end":
            self._fields.pop()

    def _visibility(self, style: Style) -> Visibility:
        is_dropped = any(field.shows_nothing for field in self._fields[-_DEEPEST_FIELD:])
        own_visibility = Visibility.HIDDEN if is_dropped else style.visibility(self._place.ground)
        return max(own_visibility, self._place.visibility)

    def _put(self, text: str, style: Style, seen: Visibility) -> None:
        if self._room is not None:
            seen = max(seen, self._room.visibility(text, min(style.height, style.line or inf)))
        if seen is not Visibility.SHOWN:
            (self.unseen if seen is Visibility.HIDDEN else self.doubts).append(text)
            return
        self.inline.add(text, style.script or "", bold=bool(style.bold))
        if text.strip():
            self._fonts.add(bool(style.monospaced))

    def _drawing(self, node: Node) -> None:
        drawings = self._state.drawings._replace(reach=self._state.reach)
        self.boxes += drawings.boxes(node, floating=self._place.floats)
        is_formula = any(
            "equation" in part.attributes.get("ProgID", "").lower() for part in node.descendants("OLEObject")
        )
        self.lost += is_formula
        if is_formula or next(node.descendants("blip", "imagedata", "chart", "relIds"), None) is not None:
            described = (part.attributes.get("descr", "") for part in node.descendants("docPr", "cNvPr"))
            text = " ".join(next((words for words in described if words), "").split())
            self.pictures.append(text[:_LONGEST_DESCRIPTION])


def is_placeholder(node: Node) -> bool:
    """Whether a field of a form shows only its prompt."""
    return node.element_at("w:sdtPr").child("w:showingPlcHdr") is not None


def _sign(part: Node) -> str:
    if part.name == "w:t":
        return part.text()
    if part.name == "w:sym":
        return symbol(part.attributes.get("w:font", ""), part.attributes.get("w:char", ""))
    return _SIGNS.get(part.name, "")


_TRANSPARENT_BLOCKS: Final = frozenset(("w:body", "w:sdtContent", "w:customXml", "w:ins", "w:moveTo", "w:txbxContent"))


@dataclass
class State:
    """The state that is shared across a whole document: list counters, open fields, pending notes, the paragraph
    number, and what could not be read; `reach` is a height of page that its text so far does not fill."""

    styles: Styles
    counter: Counter
    drawings: Drawings
    notes: dict[tuple[str, str], Node] = field(default_factory=dict)
    code_by_font: bool = True
    fields: list[Field] = field(default_factory=list)
    due: list[Node] = field(default_factory=list)
    furniture: list[Block] = field(default_factory=list)
    left_out: LeftOut = field(default_factory=LeftOut)
    reach: float = _PARAGRAPH
    line: int = 0
    lost: int = 0
    embedded: int = 0


class Body:
    """Collects the blocks of a part, a group for each paragraph or table; one use only."""

    def __init__(self, state: State, place: Place, *, within: bool = False, room: Room | None = None) -> None:
        self.groups: list[list[Block]] = []
        self._state = state
        self._within = within
        self._place = place
        self._room = room

    def walk(self, node: Node) -> None:
        """Take in what a part, a cell or a text box holds."""
        for child in _joined(node.nodes()):
            if child.name == "w:p":
                self._paragraph(child)
            elif child.name == "w:tbl":
                self._table(child)
            elif child.name == "m:oMathPara":
                self._paragraph(Node("w:p", {}, [child]))
            elif child.name == "mc:AlternateContent":
                self.walk(preferred_alternative(child))
            elif child.name == "w:sdt":
                self._control(child)
            elif child.name == "w:altChunk":
                self._state.embedded += 1
            elif child.name in _TRANSPARENT_BLOCKS:
                self.walk(child)
            while self._state.due and not self._within:
                # Notes stand behind the paragraph or table that refers to them.
                self.groups += self._inside(self._state.due.pop(0), self._place).groups

    def _control(self, node: Node) -> None:
        if is_placeholder(node):
            return
        gallery = next(node.descendants("w:docPartGallery"), NOTHING)
        if gallery.attributes.get("w:val") == "Table of Contents":
            self._state.furniture += chain(*self._inside(node, self._place).groups)
        else:
            self.walk(node)

    def _inside(self, node: Node, place: Place, room: Room | None = None) -> "Body":
        inner = Body(self._state, place, within=True, room=room)
        inner.walk(node)
        return inner

    def _paragraph(self, node: Node) -> None:
        state, properties, place, paper = self._state, node.element_at("w:pPr"), self._place, self._state.drawings.paper
        style = self._style(properties)
        words = sum(len(part.text()) for part in node.descendants("w:t", "m:t"))
        seen = max(
            place.visibility,
            Visibility.SHOWN if style.frame is None else frame_shown(style.frame.attributes, paper),
            paper.shows_line(words * style.height / 2, style.before, style.after, style.first, style.align),
        )
        content = Content(state, style, place._replace(visibility=seen), self._room)
        content.read(node)
        is_long = next(node.descendants("inline", "w:pict", "w:br", "w:object", "w:pageBreakBefore"), None) is not None
        state.reach += inf if is_long else _PARAGRAPH + words
        if self._room is not None:
            self._room.end_line(min(style.height, style.line or inf))
        state.lost += content.lost
        state.due += [state.notes.pop(note) for note in content.notes if note in state.notes]
        label = self._label(style, properties)
        state.left_out.add(state.line + 1, "".join(content.unseen), "".join(content.doubts))
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
        for box in content.boxes:
            shown = Place(box.ground, Style(colour=box.colour), max(box.visibility, place.visibility), place.floats)
            room = None if box.height is None else Room(box.height, box.width)
            self.groups += self._inside(box.node, shown, room).groups

    def _style(self, properties: Node) -> Style:
        """The style of a paragraph. A table's style is weaker than the paragraph's own, but stronger than one that only
        repeats the document's defaults."""
        styles, base = self._state.styles, self._place.base
        style = inherit_style(paragraph_style(properties, styles.theme), styles.style_of(value(properties, "w:pStyle")))
        repeated = (name for name in ("colour", "size") if getattr(style, name) == getattr(styles.defaults, name))
        style = inherit_style(style._replace(**dict.fromkeys(repeated)), base)
        return inherit_style(style, styles.defaults)

    def _label(self, style: Style, properties: Node) -> str | None:
        """The number or bullet that Word sets before a paragraph. A title's is shown only when it has words, such as
        `Question 1`."""
        if style.list_id is None or style.kind not in (None, BlockKind.LINE, BlockKind.HEADING):
            return None
        state, depth = self._state, style.list_level or 0
        if style.kind is BlockKind.HEADING and style.list_level is None:
            depth = (style.level or 1) - 1
        label = state.counter.label(style.list_id, depth)
        mark = run_style(properties.element_at("w:rPr"), state.styles.theme)
        look = inherit_style(state.counter.style(style.list_id, depth), inherit_style(mark, style))
        if label and look.visibility(self._place.ground) is not Visibility.SHOWN:
            state.left_out.add(state.line + 1, label if any(map(str.isalnum, label)) else "")
            return None
        if style.kind is BlockKind.HEADING:
            return label if label and sum(character.isalpha() for character in label) > 2 else None
        return label

    def _table(self, node: Node) -> None:
        state, outside = self._state, self._place
        start, every = state.line, table_rows(node)
        look = table_look(node.element_at("w:tblPr"), state.styles, [cells for _, cells in every])
        own_visibility = Visibility.SHOWN if outside.floats else table_shown(node, state.drawings.paper)
        seen, rows = max(outside.visibility, own_visibility), []
        for row, cells in every:
            place = outside._replace(visibility=max(seen, row_shown(row)), floats=True)
            rows.append([self._cell(cell, node, row_height(row), look.style(cell), place) for cell in cells])
        if is_layout(rows):
            self.groups += [group for cell in chain(*rows) for group in cell.groups]
            return
        state.line = start + 1
        append_group(self.groups, table_blocks([[cell.spanned_cell() for cell in row] for row in rows], start + 1))
        figures = (figure for cell in chain(*rows) for figure in cell.figures())
        append_group(self.groups, [figure.model_copy(update={"line": start + 1}) for figure in figures])

    def _cell(self, cell: Cell, table: Node, height: float | None, base: Style, place: Place) -> CellContent:
        node = cell.node
        if node is None:
            return CellContent([], cell.columns, cell.rows)
        theme, outer = self._state.styles.theme, shade(table.element_at("w:tblPr"), self._state.styles.theme)
        grounds = (shade(node.element_at("w:tcPr"), theme), base.cell, outer and UNKNOWN)  # programs differ in the last
        ground = next((candidate for candidate in grounds if candidate is not None), CLEAR)
        width = cell_width(table, node)
        place = place._replace(
            ground=place.ground if ground == CLEAR else ground,
            base=inherit_style(base, place.base),
            visibility=max(place.visibility, of_extent(width)),
        )
        room = Room(height, width) if height is not None and cell.rows == 1 else self._room
        return CellContent(self._inside(node, place, room).groups, cell.columns, cell.rows)


def _joined(nodes: Iterable[Node]) -> Iterator[Node]:
    """The parts of a body; a paragraph whose end is deleted under tracked changes goes on in the next one."""
    begun: list[Node | str] = []
    for node in nodes:
        if begun and node.name != "w:p":
            yield Node("w:p", {}, begun)
            begun = []
        if node.name != "w:p":
            yield node
            continue
        mark = node.element_at("w:pPr", "w:rPr")
        inner = [child for child in node.nodes() if child.name != "w:pPr"]
        if mark.child("w:del") or mark.child("w:moveFrom"):
            begun += inner
            continue
        yield Node("w:p", node.attributes, [node.element_at("w:pPr"), *begun, *inner]) if begun else node
        begun = []
    if begun:
        yield Node("w:p", {}, begun)


def _read(content: Content, style: Style, label: str, state: State) -> Paragraph:
    is_code = style.kind is BlockKind.CODE or (
        style.kind is None and not label and state.code_by_font and content.is_monospaced
    )
    if is_code:
        return Paragraph(content.inline.text(spaced=True), state.line, BlockKind.CODE)
    kind = style.kind or (BlockKind.LIST_ITEM if label else BlockKind.LINE)
    bold = content.inline.is_bold and kind is BlockKind.LINE
    return Paragraph(content.inline.text(), state.line, kind, style.level, label, bold)

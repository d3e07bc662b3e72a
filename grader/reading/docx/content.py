"""What one paragraph of a Word document holds: its text, and what hangs on it."""

from collections.abc import Iterator
from typing import Final

from grader.reading.docx.omml import equation_lines
from grader.reading.docx.styles import PLAIN, Style, Styles, filled, run_style, value
from grader.reading.docx.symbols import symbol
from grader.reading.inline import Inline
from grader.reading.tree import Node

_TRANSPARENT: Final = frozenset((
    "w:hyperlink", "w:ins", "w:moveTo", "w:smartTag", "w:sdt", "w:sdtContent", "w:fldSimple", "w:customXml", "w:bdo",
    "w:dir", "w:ruby", "w:rubyBase",
))  # fmt: skip
_SIGNS: Final = {"w:tab": "\t", "w:br": "\n", "w:cr": "\n", "w:noBreakHyphen": "-"}
_NOTES: Final = {"w:footnoteReference": "footnote", "w:endnoteReference": "endnote"}
_DRAWINGS: Final = frozenset(("w:drawing", "w:pict", "w:object"))
_LONGEST_DESCRIPTION: Final = 500


class Fields:
    """Where in the fields of a document its reader stands: a field's instruction is no text, its result is."""

    def __init__(self) -> None:
        self._open: list[bool] = []

    def mark(self, kind: str | None) -> None:
        """Take in a mark: the beginning of a field, the end of its instruction, or its own end."""
        if kind == "begin":
            self._open.append(True)
        elif self._open and kind == "separate":
            self._open[-1] = False
        elif self._open and kind == "end":
            self._open.pop()

    @property
    def in_instruction(self) -> bool:
        """Whether what comes next belongs to an instruction."""
        return any(self._open[-20:])


class Content:
    """Collects a paragraph; one use only. `boxes` are text boxes, `pictures` what describes each picture, `notes` the
    kinds and ids of notes, `lost` counts formulas in a form that cannot be read."""

    def __init__(self, styles: Styles, style: Style, fields: Fields) -> None:
        self.inline = Inline()
        self.boxes: list[Node] = []
        self.pictures: list[str] = []
        self.notes: list[tuple[str, str]] = []
        self.lost = 0
        self._fonts: set[bool] = set()
        self._styles, self._style, self._fields = styles, style, fields

    @property
    def is_monospaced(self) -> bool:
        """Whether all text is set in a typewriter's font."""
        return self._fonts == {True}

    def read(self, node: Node) -> None:
        """Take in the children of a paragraph, or of what wraps a part of it."""
        for child in node.nodes():
            if child.name == "w:r":
                self._run(child)
            elif child.name == "m:oMathPara":
                for equation in child.every("m:oMath"):
                    self._add("".join(f"\n$${line}$$\n" for line in equation_lines(equation)), PLAIN)
            elif child.name == "m:oMath":
                self._add("".join(f"${line}$" for line in equation_lines(child)), PLAIN)
            elif child.name == "mc:AlternateContent":
                self.read(preferred(child))
            elif child.name in _TRANSPARENT and not is_placeholder(child):
                self.read(child)

    def _run(self, node: Node) -> None:
        properties = node.child("w:rPr")
        style = run_style(properties)
        named = value(properties, "w:rStyle")
        if named:
            style = filled(style, self._styles.of(named))
        style = filled(style, self._style)
        if not style.hidden:
            self._parts(node, style)

    def _parts(self, node: Node, style: Style) -> None:
        for part in node.nodes():
            name = part.name
            if name == "w:fldChar":
                self._fields.mark(part.attributes.get("w:fldCharType"))
            elif name == "w:instrText":
                self.lost += part.text().strip().startswith("EQ ")
            elif name in _NOTES:
                self.notes.append((_NOTES[name], part.attributes.get("w:id", "")))
            elif name == "mc:AlternateContent":
                self._parts(preferred(part), style)
            elif name in _DRAWINGS:
                self._drawing(part)
            elif not self._fields.in_instruction:
                self._add(_sign(part), style)

    def _add(self, text: str, style: Style) -> None:
        self.inline.add(text, style.script or "", bold=bool(style.bold))
        if text.strip():
            self._fonts.add(bool(style.monospaced))

    def _drawing(self, node: Node) -> None:
        boxes = list(_outermost(node))
        self.boxes += boxes
        is_formula = any("equation" in part.attributes.get("ProgID", "").lower() for part in node.every("OLEObject"))
        self.lost += is_formula
        if is_formula or next(node.every("blip", "imagedata", "chart", "relIds"), None) is not None:
            described = (part.attributes.get("descr", "") for part in node.every("docPr", "cNvPr"))
            text = " ".join(next((words for words in described if words), "").split())
            self.pictures.append(text[:_LONGEST_DESCRIPTION])


def preferred(node: Node) -> Node:
    """The form of an alternative that is meant for present programs."""
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


def _outermost(node: Node) -> Iterator[Node]:
    """The text boxes of a drawing; those within a text box belong to it."""
    for child in node.nodes():
        if child.name == "w:txbxContent":
            yield child
        else:
            yield from _outermost(preferred(child) if child.name == "mc:AlternateContent" else child)

"""From a page's tree to paragraphs, tables, code and pictures in reading order."""

from collections.abc import Sequence
from typing import Final, NamedTuple

from grader.reading.cells import CellContent, is_layout
from grader.reading.document import Block, BlockKind
from grader.reading.flow import Paragraph, paragraph_blocks, table_blocks
from grader.reading.html.elements import BLOCKS, LEFT_OUT, LISTINGS, LISTS, TITLES
from grader.reading.html.listing import listing
from grader.reading.html.maths import formula, is_drawing, marked
from grader.reading.html.notebook_page import classes, is_cell, is_decoration, is_output
from grader.reading.html.style import Sheet, look_of
from grader.reading.html.table import rows_of, span
from grader.reading.inline import Inline
from grader.reading.tree import TEXT, Node

_CAPTIONS: Final = frozenset({"figcaption", "caption", "MsoCaption", "figure-caption", "wp-caption-text"})
_CONTENTS: Final = frozenset({"toc", "TOC", "table-of-contents"})
_SCRIPTS: Final = {"sup": "^", "sub": "_"}
_LONGEST_DESCRIPTION: Final = 500


class Context(NamedTuple):
    """What holds for everything within an element."""

    script: str = ""
    bold: bool = False
    in_output: bool = False


_OUTERMOST: Final = Context()


class Walker:
    """Collects the blocks of a tree, a group for each paragraph or table; one use only. `cell` counts a notebook's
    cells from 0; `hidden` counts the characters that are not shown, `drawn` the formulas that are only drawn."""

    def __init__(self, looks: Sheet, cell: int = -1) -> None:
        self.groups: list[list[Block]] = []
        self.furniture: list[Block] = []
        self.hidden = 0
        self.drawn = 0
        self.cell = cell
        self._looks = looks
        self._inline = Inline()
        self._line: int | None = None
        self._label = ""
        self._numbers: list[int | None] = []
        self._pictures: list[Block] = []
        self._leads = False

    def walk(self, node: Node, context: Context = _OUTERMOST) -> None:
        """Take in what an element holds."""
        for child in node.children:
            if isinstance(child, str):
                self._text(child, node.line, context)
            elif child.name == TEXT:
                self._text(child.text(), child.line, context)
            else:
                self._element(child, context)

    def flush(self, context: Context = _OUTERMOST, kind: BlockKind = BlockKind.LINE, level: int | None = None) -> None:
        """End the paragraph."""
        inline = self._inline
        if not inline.is_empty:
            kind = BlockKind.LIST_ITEM if kind is BlockKind.LINE and self._label else kind
            kind = BlockKind.OUTPUT if context.in_output else kind
            text = marked(inline.text())
            self._put(paragraph_blocks(Paragraph(text, self._line, kind, level, self._label, inline.is_bold)))
            self._label = ""
        self._inline, self._line, self._leads = Inline(), None, False
        pictures, self._pictures = self._pictures, []
        self._put(pictures)

    def _put(self, blocks: Sequence[Block]) -> None:
        if self.cell >= 0:
            blocks = [block.model_copy(update={"cell": self.cell}) for block in blocks]
        if blocks:
            self.groups.append(list(blocks))

    def _text(self, text: str, line: int, context: Context) -> None:
        if self._line is None and text.strip():
            self._line = line + text[: len(text) - len(text.lstrip())].count("\n")
        self._inline.add(text.replace("\n", " ").replace("\t", " "), context.script, bold=context.bold)

    def _element(self, node: Node, context: Context) -> None:
        look, names = look_of(node, self._looks), classes(node)
        written = formula(node)
        if written is not None:
            self._line = self._line or node.line
            self._inline.add(written.written())
            self.drawn += not written.lines
        elif look.hidden:
            self.hidden += len(node.text().strip()) if node.name not in LEFT_OUT else 0
        elif node.name in LEFT_OUT or is_drawing(node) or is_decoration(names) or _is_reference(node):
            return
        elif node.name == "br":
            self._inline.add("\n")
        elif node.name == "img":
            text = " ".join(node.attributes.get("alt", "").split())[:_LONGEST_DESCRIPTION]
            self._pictures.append(Block(kind=BlockKind.FIGURE, text=text, line=node.line))
        elif node.name == "nav" or not _CONTENTS.isdisjoint({*names, node.attributes.get("id", "")}):
            self._aside(node)
        else:
            bold = look.bold if look.bold is not None else context.bold or node.name in ("b", "strong")
            script = look.script or _SCRIPTS.get(node.name, context.script)
            self._structure(node, names, context._replace(script=script, bold=bold))

    def _structure(self, node: Node, names: frozenset[str], context: Context) -> None:
        name = node.name
        if is_cell(names):
            self.flush(context)
            self.cell += 1
        context = context._replace(in_output=context.in_output or is_output(names))
        level = _title_level(node)
        if level is not None:
            self._apart(node, context, BlockKind.HEADING, level)
        elif name in _CAPTIONS or not _CAPTIONS.isdisjoint(names):
            self._apart(node, context, BlockKind.CAPTION)
        elif name in LISTINGS:
            self.flush(context)
            self._put(listing(node, BlockKind.OUTPUT if context.in_output else BlockKind.CODE))
        elif name == "table":
            self.flush(context)
            self._table(node, context)
        elif name in ("li", "dt", "dd"):
            self._item(node, context)
        elif name in LISTS:
            self.flush(context)
            self._numbers.append(max(span(node, "start"), 1) if name == "ol" else None)
            self.walk(node, context)
            self._numbers.pop()
            self.flush(context)
        elif name in BLOCKS:
            if not self._leads:
                self.flush(context)
            self._leads = False
            self.walk(node, context)
            self.flush(context)
        else:
            self.walk(node, context)

    def _apart(self, node: Node, context: Context, kind: BlockKind, level: int | None = None) -> None:
        self.flush(context)
        self.walk(node, context)
        self.flush(context, kind, level)

    def _item(self, node: Node, context: Context) -> None:
        """An item of a list; the term and the description of a definition list are one item together."""
        self._leads = node.name == "dd" and not self._inline.is_empty
        if self._leads:
            self._inline.add(" " if self._inline.text().endswith(":") else ": ")
        else:
            self.flush(context)
            self._label = self._next_label() if node.name == "li" else "•"
        self.walk(node, context)
        if node.name != "dt":
            self.flush(context)
            self._label = ""

    def _next_label(self) -> str:
        number = self._numbers[-1] if self._numbers else None
        if number is None:
            return "•"
        self._numbers[-1] = number + 1
        return f"{number}."

    def _table(self, table: Node, context: Context) -> None:
        for node in table.nodes():
            if node.name == "caption":
                self._apart(node, context, BlockKind.CAPTION)
        rows = [[self._cell(cell, context) for cell in row.nodes()] for row in rows_of(table)]
        if is_layout(rows):
            self.groups += [group for row in rows for cell in row for group in cell.groups]
            return
        kind = BlockKind.OUTPUT if context.in_output else BlockKind.ROW
        blocks = table_blocks([[cell.spanned() for cell in row] for row in rows], table.line)
        self._put([block.model_copy(update={"kind": kind}) for block in blocks])
        self._put([figure for row in rows for cell in row for figure in cell.figures()])

    def _cell(self, node: Node, context: Context) -> CellContent:
        inner = self._within(node, context)
        return CellContent(inner.groups, span(node, "colspan"), span(node, "rowspan"))

    def _aside(self, node: Node) -> None:
        """A list of contents repeats the titles and says nothing else."""
        self.furniture += [block for group in self._within(node, _OUTERMOST).groups for block in group]

    def _within(self, node: Node, context: Context) -> "Walker":
        inner = Walker(self._looks, self.cell)
        inner.walk(node, context)
        inner.flush(context)
        self.hidden += inner.hidden
        self.drawn += inner.drawn
        return inner


def _title_level(node: Node) -> int | None:
    if node.name in TITLES:
        return TITLES[node.name]
    return span(node, "aria-level") if node.attributes.get("role") == "heading" else None


def _is_reference(node: Node) -> bool:
    """Whether an element only refers to a note."""
    if node.name != "sup":
        return False
    link = next(node.every("a"), None)
    return link is not None and link.attributes.get("href", "").find("#") >= 0

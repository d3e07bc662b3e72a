"""Conversion of a page's tree to paragraphs, tables, listings and pictures in reading order, with formulas in whichever
way the page holds them (MathML, TeX in scripts, KaTeX, MathJax, pictures with TeX), and the cells of exported
notebooks; and the texts that the page does not show but that people should hear of."""

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import Final, NamedTuple

from grader.message import Words
from grader.reading.document import Block, BlockKind
from grader.reading.flow import Paragraph, paragraph_blocks, table_blocks
from grader.reading.html.cascade import Element
from grader.reading.html.parse import BLOCKS, LEFT_OUT, LISTINGS, LISTS, TITLES
from grader.reading.latex_out import between_signs, formula_lines, local
from grader.reading.notebook import CELL_PROMPT
from grader.reading.office import TEXT, Node
from grader.reading.structure import CellContent, Inline, is_layout
from grader.reading.visibility import HIDDEN_TEXT, MOST_HIDDEN, Visibility, doubtful_text

_CELL_TYPES: Final = frozenset({"code_cell", "text_cell"})
_OUTPUT: Final = frozenset({"jp-OutputArea", "jp-Cell-outputWrapper", "output_wrapper", "output_area", "cell-output"})
"""What holds what a cell printed (nbconvert, Quarto)."""

_DECORATION: Final = frozenset((
    "anchor-link", "anchorjs-link", "headerlink", "input_prompt", "jp-InputPrompt", "jp-OutputPrompt", "lineno",
    "linenodiv", "linenos", "out_prompt_overlay", "output_prompt", "prompt",
))  # fmt: skip


def classes(node: Node) -> frozenset[str]:
    """The classes of an element."""
    return frozenset(node.attributes.get("class", "").split())


def is_decoration(names: frozenset[str]) -> bool:
    """Whether an element of these classes is a prompt such as `In [3]:`, the sign of a link to a title, or the number
    of a line of code."""
    return not _DECORATION.isdisjoint(names)


_DRAWN: Final = frozenset(
    ("katex-html", "MathJax_Preview", "MathJax", "MathJax_Display", "MathJax_SVG", "MathJax_CHTML")
)
"""Classes of what MathJax 2 and KaTeX draw; the source stands beside it."""

_KATEX: Final = frozenset({"katex", "katex-display"})

_DISPLAYED: Final = re.compile(r"\\\[((?:(?!\\[\[\]])[^$]){1,2000})\\\]")
_INLINE: Final = re.compile(r"\\\(((?:(?!\\[()])[^$]){1,2000})\\\)")
_TEX_PICTURE: Final = re.compile(r"\\[a-zA-Z]|[\^_]\{|\$")
_TEX_CLASSES: Final = frozenset({"latex", "tex", "texrender", "math", "mwe-math-fallback-image-inline", "equation"})


class Formula(NamedTuple):
    """The lines of a formula as LaTeX; `displayed` when it stands apart from the text. No lines: it is only drawn."""

    lines: tuple[str, ...]
    displayed: bool


def formula(node: Node) -> Formula | None:
    """The formula in an element; None if it is not a formula."""
    name = local(node)
    if name == "math":
        return Formula(tuple(formula_lines(node)), node.attributes.get("display") == "block")
    if name == "script":
        kind, _, mode = node.attributes.get("type", "").partition(";")
        if kind.strip() != "math/tex":
            return None
        source = " ".join(node.text().removeprefix("% <![CDATA[").removesuffix("%]]>").split())
        return Formula((source,) if source else (), "mode=display" in mode.replace(" ", ""))
    if name == "img":
        return _picture(node)
    if name == "mjx-container" or not _KATEX.isdisjoint(classes(node)):
        math = next(node.descendants("math"), None)
        displayed = node.attributes.get("display") in ("true", "block") or "katex-display" in classes(node)
        return Formula(tuple(formula_lines(math)) if math else (), displayed)
    return None


def with_dollar_signs(text: str) -> str:
    """Running text in which the brackets that MathJax knows as marks of a formula are dollar signs."""
    text = _DISPLAYED.sub(r"\n$$\1$$\n", text) if r"\[" in text else text
    return _INLINE.sub(r"$\1$", text) if r"\(" in text else text


def _picture(node: Node) -> Formula | None:
    """A picture of a formula that says its TeX."""
    text = " ".join(node.attributes.get("alt", "").split())
    marked = not _TEX_CLASSES.isdisjoint(node.attributes.get("class", "").lower().split())
    if text and (marked or text.startswith("$")) and _TEX_PICTURE.search(text):
        return Formula((text.strip("$"),), displayed=text.startswith("$$"))
    return None


_GROUPS: Final = {"thead": -1, "tbody": 0, "tfoot": 1}


def rows_of(table: Node) -> Iterator[Node]:
    """The rows, head first and foot last as they are shown."""
    for node in sorted(table.nodes(), key=lambda node: _GROUPS.get(node.name, 0)):
        if node.name == "tr":
            yield node
        elif node.name in _GROUPS:
            yield from (row for row in node.nodes() if row.name == "tr")


def span(node: Node, name: str) -> int:
    """The value of `colspan` or `rowspan`; 1 where it is no sensible number."""
    written = node.attributes.get(name, "").strip()
    return int(written) if written.isascii() and written.isdigit() and 0 < len(written) <= 4 else 1


_CAPTIONS: Final = frozenset({"figcaption", "caption", "MsoCaption", "figure-caption", "wp-caption-text"})
_CONTENTS: Final = frozenset({"toc", "TOC", "table-of-contents"})
_SCRIPT_TAGS: Final = {"sup": "^", "sub": "_"}
_NOTE_LINKS: Final = frozenset({"doc-noteref", "doc-backlink"})
_LONGEST_DESCRIPTION: Final = 500


class Context(NamedTuple):
    """The innermost element, and properties that apply to everything within it."""

    element: Element
    script: str = ""
    bold: bool = False
    in_output: bool = False
    kind: BlockKind = BlockKind.LINE
    level: int | None = None

    def with_element(self, element: Element) -> "Context":
        """The properties within an element."""
        style, name = element.style, element.local_name
        return self._replace(
            element=element,
            script=style.script or _SCRIPT_TAGS.get(name, self.script),
            bold=style.is_bold if style.is_bold is not None else self.bold or name in ("b", "strong"),
        )


class Unseen(NamedTuple):
    """A text that counts for nothing, as it cannot be seen, or not for certain. `is_off`: its element is taken off the
    page, which pages also do with what their buttons and menus show."""

    block: Block
    visibility: Visibility
    is_off: bool
    in_output: bool


_BREAK: Final = "\0"
"""A line break in preformatted text that is none in the page's source. Decoding leaves this sign out of pages."""


class Walker:
    """Collects the blocks of a tree, a group for each paragraph or table; one use only. `cell` counts a notebook's
    cells from 0; `unseen` are texts that do not show, `drawn` counts the formulas that are only drawn."""

    def __init__(self, cell: int = -1) -> None:
        self.groups: list[list[Block]] = []
        self.furniture: list[Block] = []
        self.unseen: list[Unseen] = []
        self.drawn = 0
        self.cell = cell
        self._inline = Inline()
        self._line: int | None = None
        self._label = ""
        self._numbers: list[int | None] = []
        self._pictures: list[Block] = []
        self._places: list[int] = []
        self._leads = False
        self._goes_on = False

    def walk(self, node: Node, context: Context) -> None:
        """Take in what an element, that of the context, holds."""
        for child in node.children:
            if isinstance(child, str):
                self._text(child, node.line, context)
            elif child.name == TEXT:
                self._text(child.text(), child.line, context)
            else:
                self._element(child, context)

    def flush(self, context: Context | None = None) -> None:
        """End the paragraph."""
        inline = self._inline
        if not inline.is_empty:
            kind, level = (context.kind, context.level) if context else (BlockKind.LINE, None)
            kind = BlockKind.LIST_ITEM if kind is BlockKind.LINE and self._label else kind
            kind = BlockKind.OUTPUT if context and context.in_output else kind
            text = with_dollar_signs(inline.text())
            self._append_group(paragraph_blocks(Paragraph(text, self._line, kind, level, self._label, inline.is_bold)))
            self._label = ""
        self._inline, self._line, self._leads, self._goes_on = Inline(), None, False, False
        # A picture amid words that nothing describes stands for words or for a formula.
        amid = zip(self._pictures, inline.is_amid_words(self._places), strict=True)
        self._append_group(
            [block.model_copy(update={"in_line": is_amid and not block.text}) for block, is_amid in amid]
        )
        self._pictures, self._places = [], []

    def _append_group(self, blocks: Sequence[Block]) -> None:
        if self.cell >= 0:
            blocks = [block.model_copy(update={"cell": self.cell}) for block in blocks]
        if blocks:
            self.groups.append(list(blocks))

    def _text(self, text: str, line: int, context: Context) -> None:
        if context.element.visibility is not Visibility.SHOWN:
            self._keep_unseen(text, line, context)
            return
        if text.strip():
            self._goes_on = False
            if self._line is None:
                self._line = line + _lines_before(text)
        self._inline.add(text.replace("\n", " ").replace("\t", " "), context.script, bold=context.bold)

    def _keep_unseen(self, text: str, line: int, context: Context) -> None:
        """Keep a text that does not show, with the one before it where both are of one paragraph."""
        if not text.strip():
            return
        element, cell = context.element, self.cell if self.cell >= 0 else None
        block = Block(kind=BlockKind.LINE, text=" ".join(text.split()), line=line + _lines_before(text), cell=cell)
        found = Unseen(block, element.visibility, element.is_off, context.in_output)
        last = self.unseen[-1] if self.unseen and self._goes_on else None
        if last is not None and last._replace(block=block) == found:
            space = " " if text[0].isspace() else ""
            self.unseen[-1] = last._replace(
                block=last.block.model_copy(update={"text": f"{last.block.text}{space}{block.text}"})
            )
        else:
            self.unseen.append(found)
        self._goes_on = True

    def _element(self, node: Node, context: Context) -> None:
        names, written = classes(node), formula(node)
        is_drawing = not _DRAWN.isdisjoint(names) and "math" not in local(node)
        inner = context.with_element(context.element.child(node))
        if written is not None:
            self._formula(written, node, context if node.name == "script" else inner)
        elif is_decoration(names):
            text = " ".join(node.text().split())
            if self.cell >= 0 and CELL_PROMPT.fullmatch(text):  # which tells whether a cell was run
                self.furniture.append(Block(kind=BlockKind.LINE, text=text, line=node.line, cell=self.cell))
        elif node.name in LEFT_OUT or is_drawing or _is_reference(node):
            return
        elif node.name == "br":
            self._inline.add("\n")
        elif node.name == "img":
            text = " ".join(node.attributes.get("alt", "").split())[:_LONGEST_DESCRIPTION]
            self._pictures.append(Block(kind=BlockKind.FIGURE, text=text, line=node.line))
            self._places.append(len(self._inline))
        elif node.name == "nav" or not _CONTENTS.isdisjoint({*names, node.attributes.get("id", "")}):
            self.furniture += chain(*self._within(node, inner).groups)  # it only repeats the titles
        else:
            self._structure(node, names, inner)

    def _formula(self, written: Formula, node: Node, context: Context) -> None:
        if context.element.visibility is not Visibility.SHOWN:
            self._keep_unseen(between_signs(*written), node.line, context)
            return
        self._line = self._line or node.line
        self._inline.add(between_signs(*written))
        if not written.lines:
            self.drawn += 1
            self._pictures.append(Block(kind=BlockKind.FIGURE, text="", line=node.line))
            self._places.append(len(self._inline))

    def _structure(self, node: Node, names: frozenset[str], context: Context) -> None:
        name = node.name
        if "jp-Cell" in names or ("cell" in names and not _CELL_TYPES.isdisjoint(names)):  # nbconvert, new and old
            self.flush(context)
            self.cell += 1
        context = context._replace(in_output=context.in_output or not _OUTPUT.isdisjoint(names))
        level = TITLES.get(name, span(node, "aria-level") if node.attributes.get("role") == "heading" else None)
        if level is not None:
            self._apart(node, context, BlockKind.HEADING, level)
        elif name in _CAPTIONS or not _CAPTIONS.isdisjoint(names):
            self._apart(node, context, BlockKind.CAPTION)
        elif name in LISTINGS:
            self.flush(context)
            self._append_group(self._listing(node, context))
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

    def _listing(self, node: Node, context: Context) -> list[Block]:
        """The lines of a `pre` element that are not blank, with their lines in the page."""
        kind = BlockKind.OUTPUT if context.in_output else BlockKind.CODE
        lines = enumerate("".join(self._shown(node, context)).split("\n"), start=node.line)
        parts = ((line, part.rstrip()) for line, text in lines for part in text.split(_BREAK))
        return [Block(kind=kind, text=text, line=line) for line, text in parts if text]

    def _shown(self, node: Node, context: Context) -> Iterator[str]:
        for child in node.children:
            if isinstance(child, str) or child.name == TEXT:
                text = child if isinstance(child, str) else child.text()
                if context.element.visibility is not Visibility.SHOWN:
                    self._keep_unseen(text, node.line, context)
                    text = "\n" * text.count("\n")
                yield text
            elif child.name == "br":
                yield _BREAK
            elif child.name not in ("script", "style", "button") and not is_decoration(classes(child)):
                yield from self._shown(child, context.with_element(context.element.child(child)))

    def _apart(self, node: Node, context: Context, kind: BlockKind, level: int | None = None) -> None:
        """The paragraph of a title or caption, and any that are marked within it."""
        self.flush(context)
        within = context._replace(kind=kind, level=level)
        self.walk(node, within if len(node.text()) <= _LONGEST_DESCRIPTION else context)
        self.flush(within)

    def _item(self, node: Node, context: Context) -> None:
        """An item of a list; the term and the description of a definition list are one item together."""
        self._leads = node.name == "dd" and not self._inline.is_empty
        if self._leads:
            self._inline.add(" " if self._inline.text().endswith(":") else ": ")
        else:
            self.flush(context)
            number = self._numbers[-1] if self._numbers and node.name == "li" else None
            self._label = "•" if number is None else f"{number}."
            if number is not None:
                self._numbers[-1] = number + 1
        self.walk(node, context)
        if node.name != "dt":
            self.flush(context)
            self._label = ""

    def _table(self, table: Node, context: Context) -> None:
        for node in table.nodes():
            if node.name == "caption":
                self._apart(node, context.with_element(context.element.child(node)), BlockKind.CAPTION)
        lines = list(rows_of(table))
        around = {id(row): group for group in table.nodes() for row in group.nodes() if group.name in _GROUPS}
        rows = [self._row(row, around.get(id(row)), context) for row in lines]
        has_head = bool(lines) and all(cell.name == "th" for cell in lines[0].nodes())
        if is_layout(rows, has_head=has_head):
            self.groups += [group for cell in chain(*rows) for group in cell.groups]
            return
        kind = BlockKind.OUTPUT if context.in_output else BlockKind.ROW
        blocks = table_blocks([[cell.spanned_cell() for cell in row] for row in rows], table.line)
        self._append_group([block.model_copy(update={"kind": kind}) for block in blocks])
        self._append_group([figure for cell in chain(*rows) for figure in cell.figures()])

    def _row(self, row: Node, group: Node | None, context: Context) -> list[CellContent]:
        inside = context.with_element(context.element.child(group)) if group else context
        inside = inside.with_element(inside.element.child(row))
        cells = ((cell, inside.with_element(inside.element.child(cell))) for cell in row.nodes())
        return [
            CellContent(self._within(cell, within).groups, span(cell, "colspan"), span(cell, "rowspan"))
            for cell, within in cells
        ]

    def _within(self, node: Node, context: Context) -> "Walker":
        inner = Walker(self.cell)
        inner.walk(node, context)
        inner.flush(context)
        self.unseen += inner.unseen
        self.drawn += inner.drawn
        return inner


def _lines_before(text: str) -> int:
    return text[: len(text) - len(text.lstrip())].count("\n")


def _is_reference(node: Node) -> bool:
    """Whether an element only refers to a note, or from a note back to the text."""
    if node.name == "sup":
        return "#" in next((link.attributes.get("href", "") for link in node.descendants("a")), "")
    if node.name != "a" or "#" not in node.attributes.get("href", ""):
        return False
    raised = next(node.descendants("sup"), None)
    is_number = raised is not None and raised.text().strip() == node.text().strip()
    return is_number or node.attributes.get("role") in _NOTE_LINKS


_WORD: Final = re.compile(r"\w+(?:[.,]\d+)*")
_LABEL: Final = 6
"""Number of words that the label of a button, or of a link for those who do not see the page, may have."""
_MOST_DOUBTS: Final = 3


class Mattering(NamedTuple):
    """The texts that do not show and could have been meant to count, and the problems with those that may not show."""

    hidden: tuple[Block, ...]
    doubts: tuple[Words, ...]

    @property
    def problems(self) -> tuple[Words, ...]:
        """The problems that a document has with them."""
        return (*([HIDDEN_TEXT] if self.hidden else []), *self.doubts)


def mattering(unseen: Iterable[Unseen], shown: Iterable[Block], *, is_output: bool = False) -> Mattering:
    """The texts of which people are to hear. Programs that make pages take labels of buttons and copies of what is
    shown off the page, and libraries what an output of theirs shows on a click: that is in order."""
    words = {word for block in shown for word in _words(block.text)}
    hidden: list[Block] = []
    doubtful: list[str] = []
    for entry in unseen:
        entry_words = _words(entry.block.text)
        new = [word for word in entry_words if word not in words]
        has_number = any(any(sign.isdigit() for sign in word) for word in new)
        is_furniture = entry.is_off and (is_output or entry.in_output or not (has_number or len(new) > _LABEL))
        if entry_words and not is_furniture:
            hidden += [entry.block] if entry.visibility is Visibility.HIDDEN else []
            doubtful += [entry.block.text] if entry.visibility is Visibility.DOUBTFUL else []
    texts = dict.fromkeys(doubtful[:_MOST_DOUBTS])
    return Mattering(tuple(hidden[:MOST_HIDDEN]), tuple(map(doubtful_text, texts)))


def _words(text: str) -> list[str]:
    return [word.casefold() for word in _WORD.findall(text)]

"""From a page's tree to paragraphs, tables, code and pictures in reading order.

Notebooks that were exported as a web page: which elements are cells, outputs and prompts.

Preformatted text: code and printed output, line by line.

Formulas of a page, in whichever way it holds them: MathML, TeX in scripts, KaTeX, MathJax, pictures with TeX.

The rows of a page's table, and the numbers in its tags.

What styles say that bears on the meaning: raised, lowered, bold, not shown.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from grader.reading.document import Block, BlockKind
from grader.reading.flow import Paragraph, paragraph_blocks, table_blocks
from grader.reading.html.parse import BLOCKS, LEFT_OUT, LISTINGS, LISTS, TITLES
from grader.reading.latex_out import formula_lines, local
from grader.reading.office import TEXT, Node
from grader.reading.structure import CellContent, Inline, is_layout

_CELL_TYPES: Final = frozenset({"code_cell", "text_cell"})
_OUTPUT: Final = frozenset({"jp-OutputArea", "jp-Cell-outputWrapper", "output_wrapper", "output_area", "cell-output"})
_DECORATION: Final = frozenset((
    "anchor-link", "anchorjs-link", "headerlink", "input_prompt", "jp-InputPrompt", "jp-OutputPrompt", "lineno",
    "linenodiv", "linenos", "out_prompt_overlay", "output_prompt", "prompt",
))  # fmt: skip


def classes(node: Node) -> frozenset[str]:
    """The classes of an element."""
    return frozenset(node.attributes.get("class", "").split())


def is_cell(names: frozenset[str]) -> bool:
    """Whether an element of these classes is a cell (nbconvert's templates, old and new)."""
    return "jp-Cell" in names or ("cell" in names and not _CELL_TYPES.isdisjoint(names))


def is_output(names: frozenset[str]) -> bool:
    """Whether it holds what a cell printed (nbconvert, Quarto)."""
    return not _OUTPUT.isdisjoint(names)


def is_decoration(names: frozenset[str]) -> bool:
    """Whether it is a prompt such as `In [3]:`, the sign of a link to a title, or the number of a line of code."""
    return not _DECORATION.isdisjoint(names)


def listing(node: Node, kind: BlockKind) -> list[Block]:
    """The lines of a `pre` element that are not blank, as blocks of one kind with their lines in the page."""
    lines = enumerate("".join(_shown(node)).split("\n"), start=node.line)
    return [Block(kind=kind, text=text.rstrip(), line=line) for line, text in lines if text.strip()]


def _shown(node: Node) -> Iterator[str]:
    for child in node.children:
        if isinstance(child, str):
            yield child
        elif child.name == TEXT:
            yield child.text()
        elif child.name == "br":
            yield "\n"
        elif child.name not in ("script", "style", "button") and not is_decoration(classes(child)):
            yield from _shown(child)


_DRAWN: Final = frozenset(
    {"katex-html", "MathJax_Preview", "MathJax", "MathJax_Display", "MathJax_SVG", "MathJax_CHTML"}
)
"""Classes of what MathJax 2 and KaTeX draw; the source stands beside it."""

_DISPLAYED: Final = re.compile(r"\\\[((?:(?!\\[\[\]])[^$]){1,2000})\\\]")
_INLINE: Final = re.compile(r"\\\(((?:(?!\\[()])[^$]){1,2000})\\\)")
_TEX_PICTURE: Final = re.compile(r"\\[a-zA-Z]|[\^_]\{|\$")
_TEX_CLASSES: Final = frozenset({"latex", "tex", "texrender", "math", "mwe-math-fallback-image-inline", "equation"})


class Formula(NamedTuple):
    """The lines of a formula as LaTeX; `displayed` when it stands apart from the text. No lines: it is only drawn."""

    lines: tuple[str, ...]
    displayed: bool

    def written(self) -> str:
        """The formula between the signs that mark it in running text."""
        if self.displayed:
            return "".join(f"\n$${line}$$\n" for line in self.lines)
        return "".join(f"${line}$" for line in self.lines)


def formula(node: Node) -> Formula | None:
    """The formula in an element; None if it is not a formula."""
    name = local(node)
    if name == "math":
        return Formula(tuple(formula_lines(node)), node.attributes.get("display") == "block")
    if name == "script":
        return _script(node)
    if name == "mjx-container":
        math = next(node.every("math"), None)
        lines = tuple(formula_lines(math)) if math else ()
        return Formula(lines, node.attributes.get("display") in ("true", "block"))
    if name == "img":
        return _picture(node)
    classes = node.attributes.get("class", "").split()
    if "katex-display" in classes or "katex" in classes:
        math = next(node.every("math"), None)
        lines = tuple(formula_lines(math)) if math else ()
        return Formula(lines, "katex-display" in classes)
    return None


def marked(text: str) -> str:
    """Running text in which the brackets that MathJax knows as marks of a formula are dollar signs."""
    text = _DISPLAYED.sub(r"\n$$\1$$\n", text) if r"\[" in text else text
    return _INLINE.sub(r"$\1$", text) if r"\(" in text else text


def is_drawing(node: Node) -> bool:
    """Whether an element only draws a formula whose source stands elsewhere on the page."""
    return not _DRAWN.isdisjoint(node.attributes.get("class", "").split()) and "math" not in local(node)


def _script(node: Node) -> Formula | None:
    kind, _, mode = node.attributes.get("type", "").partition(";")
    if kind.strip() != "math/tex":
        return None
    source = " ".join(node.text().removeprefix("% <![CDATA[").removesuffix("%]]>").split())
    return Formula((source,) if source else (), "mode=display" in mode.replace(" ", ""))


def _picture(node: Node) -> Formula | None:
    """A picture of a formula that says its TeX."""
    text = " ".join(node.attributes.get("alt", "").split())
    marked = not _TEX_CLASSES.isdisjoint(node.attributes.get("class", "").lower().split())
    if text and (marked or text.startswith("$")) and _TEX_PICTURE.search(text):
        return Formula((text.strip("$"),), displayed=text.startswith("$$"))
    return None


_GROUPS: Final = ("thead", "tbody", "tfoot")


def rows_of(table: Node) -> Iterator[Node]:
    """The rows, head first and foot last as they are shown."""
    groups = {name: [node for node in table.nodes() if node.name == name] for name in _GROUPS}
    yield from (row for group in groups["thead"] for row in group.nodes() if row.name == "tr")
    for node in table.nodes():
        if node.name == "tr":
            yield node
        elif node.name == "tbody":
            yield from (row for row in node.nodes() if row.name == "tr")
    yield from (row for group in groups["tfoot"] for row in group.nodes() if row.name == "tr")


def span(node: Node, name: str) -> int:
    """The value of `colspan` or `rowspan`; 1 where it is no sensible number."""
    written = node.attributes.get(name, "").strip()
    return int(written) if written.isascii() and written.isdigit() and 0 < len(written) <= 4 else 1


_RULE: Final = re.compile(r"(?:\A|(?<=\}))\s*\.([\w-]{1,80})\s?\{([^{}]{0,2000})\}")
_LONGEST_SHEET: Final = 500_000
_RAISED: Final = re.compile(r"vertical-align\s?:\s?(super|sub)\b")
_BOLD: Final = re.compile(r"font-weight\s?:\s?(?:bold|[6-9]00)")
_PLAIN: Final = re.compile(r"font-weight\s?:\s?(?:normal|[1-5]00)")
_NOT_SHOWN: Final = re.compile(r"(?:^|;)\s?(?:display\s?:\s?none|visibility\s?:\s?hidden)")
_SCRIPTS: Final = {"super": "^", "sub": "_"}


class Look(NamedTuple):
    """The visual style of an element. `bold` is None where it is not specified."""

    script: str = ""
    bold: bool | None = None
    hidden: bool = False


Sheet = Mapping[str, Look]
"""The looks of classes."""


def sheet(styles: Iterable[Node]) -> Sheet:
    """The styles that `style` elements give to single classes. Hiding a class is ignored: scripts and other rules may
    show it again."""
    found: dict[str, Look] = {}
    for style in styles:
        for name, body in _RULE.findall(style.text()[:_LONGEST_SHEET]):
            look = _look(body)._replace(hidden=False)
            if look != Look():
                found[name] = look
    return found


def look_of(node: Node, looks: Sheet) -> Look:
    """How an element is shown by its own style and those of its classes."""
    own = _look(node.attributes.get("style", ""))
    classes = [looks[name] for name in node.attributes.get("class", "").split() if name in looks] if looks else []
    return Look(
        script=own.script or next((look.script for look in classes if look.script), ""),
        bold=own.bold if own.bold is not None else next((look.bold for look in classes if look.bold is not None), None),
        hidden=own.hidden or "hidden" in node.attributes,
    )


def _look(body: str) -> Look:
    if not body:
        return Look()
    body = " ".join(body.lower().split())
    script = _RAISED.search(body)
    bold = True if _BOLD.search(body) else False if _PLAIN.search(body) else None
    return Look(_SCRIPTS[script[1]] if script else "", bold, bool(_NOT_SHOWN.search(body)))


_CAPTIONS: Final = frozenset({"figcaption", "caption", "MsoCaption", "figure-caption", "wp-caption-text"})
_CONTENTS: Final = frozenset({"toc", "TOC", "table-of-contents"})
_SCRIPT_TAGS: Final = {"sup": "^", "sub": "_"}
_LONGEST_DESCRIPTION: Final = 500


class Context(NamedTuple):
    """Properties that apply to everything within an element."""

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
            self._append_group(paragraph_blocks(Paragraph(text, self._line, kind, level, self._label, inline.is_bold)))
            self._label = ""
        self._inline, self._line, self._leads = Inline(), None, False
        pictures, self._pictures = self._pictures, []
        self._append_group(pictures)

    def _append_group(self, blocks: Sequence[Block]) -> None:
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
            script = look.script or _SCRIPT_TAGS.get(node.name, context.script)
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
            self._append_group(listing(node, BlockKind.OUTPUT if context.in_output else BlockKind.CODE))
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
        self._append_group([block.model_copy(update={"kind": kind}) for block in blocks])
        self._append_group([figure for row in rows for cell in row for figure in cell.figures()])

    def _cell(self, node: Node, context: Context) -> CellContent:
        inner = self._within(node, context)
        return CellContent(inner.groups, span(node, "colspan"), span(node, "rowspan"))

    def _aside(self, node: Node) -> None:
        """Reads a table of contents as furniture, as it only repeats the titles."""
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

"""OpenDocument texts (.odt) as documents of blocks."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import reduce
from itertools import islice, repeat
from math import inf
from typing import Final, NamedTuple

from grader.intake.submission import SubmittedFile
from grader.message import say
from grader.reading.document import Block, BlockKind, Document
from grader.reading.flow import (
    MOST_BLOCKS,
    Paragraph,
    append_group,
    inherit_style,
    paragraph_blocks,
    separate_groups,
    table_blocks,
    tables_by_tabs,
)
from grader.reading.latex_out import local, marked_formula
from grader.reading.office import AS_PDF, Node, PartReader, office_parts
from grader.reading.structure import CellContent, Inline, is_layout
from grader.reading.visibility import (
    BLACK,
    CLEAR,
    MOST_HIDDEN,
    READABLE_FONT_SIZE,
    UNKNOWN,
    Colour,
    Ink,
    LeftOut,
    Paper,
    Room,
    Span,
    Visibility,
    blended_colour,
    colour_of,
    of_extent,
    points,
)

_TITLE: Final = re.compile(r"(?:Heading|Titre|Überschrift)(?:_20_| )(\d)\Z")
_NAMED: Final = {
    "Title": (BlockKind.HEADING, 1), "Subtitle": (BlockKind.HEADING, 2), "Caption": (BlockKind.CAPTION, None),
    "Table": (BlockKind.CAPTION, None), "Illustration": (BlockKind.CAPTION, None), "Figure": (BlockKind.CAPTION, None),
    "Preformatted_20_Text": (BlockKind.CODE, None), "Source_20_Code": (BlockKind.CODE, None),
}  # fmt: skip
_LONGEST_CHAIN: Final = 20
_USUAL_SIZE: Final = 12.0
_FO: Final = "xsl-fo-compatible:"
_SVG: Final = "svg-compatible:"
_SHARE: Final = re.compile(r"(-?\d{1,5}(?:\.\d{1,6})?)%")


class Style(NamedTuple):
    """The properties that a style sets; None for those that it does not set.

    `colour` and `opacity` are the paint of letters, `mark` and `ground` what a text and a paragraph have behind them,
    CLEAR where nothing. Lengths are in points: `size`; `factor` is a relative one; `scale` is the width of letters
    and `shrunk` the size of raised ones as shares, `spacing` what is added between letters, `line` the height of lines
    where it is fixed; `before`, `after` and `first` are the indents of the paragraph and of its first line."""

    kind: BlockKind | None = None
    level: int | None = None
    script: str | None = None
    bold: bool | None = None
    hidden: bool | None = None
    colour: Colour | None = None
    opacity: float | None = None
    mark: Colour | None = None
    ground: Colour | None = None
    size: float | None = None
    factor: float | None = None
    scale: float | None = None
    shrunk: float | None = None
    spacing: float | None = None
    line: float | None = None
    before: float | None = None
    after: float | None = None
    first: float | None = None
    align: str | None = None

    @property
    def height(self) -> float:
        """The height of its letters."""
        size = _USUAL_SIZE if self.size is None else self.size
        return size * (1.0 if self.shrunk is None else self.shrunk)

    @property
    def extent(self) -> float:
        """The smallest extent of its letters: their height, or their width as a share of the usual one."""
        return self.height * min(1.0, 1.0 if self.scale is None else self.scale)

    @property
    def is_crowded(self) -> bool:
        """Whether its letters are tiny by a relative size, or letters or lines stand upon one another. Programs differ
        in how much of that they show."""
        line = self.height if self.line is None else self.line
        relative = self.height * (1.0 if self.factor is None else self.factor)
        return min(line, relative, self.height + 2 * (self.spacing or 0.0)) < READABLE_FONT_SIZE

    def visibility(self, below: Colour | None) -> Visibility:
        """Whether a text of this style can be seen over the ground of its paragraph's surroundings."""
        if self.hidden:
            return Visibility.HIDDEN
        ground = next((entry for entry in (self.mark, self.ground) if entry not in (None, CLEAR)), below)
        colour = self.colour
        if self.opacity is not None:
            # Some programs show letters that are fully transparent as if they were opaque.
            opacity = self.opacity or 1.0
            colour = blended_colour(BLACK if colour in (None, UNKNOWN) else colour, ground, opacity)
        crowded = Visibility.DOUBTFUL if self.is_crowded or self.opacity == 0 else Visibility.SHOWN
        return max(Ink(colour, ground, self.extent).visibility, crowded)


PLAIN: Final = Style()
Properties = Mapping[str, str]


class Styles(NamedTuple):
    """The styles of a document by family and name, with the pages that they are used on, and the levels of list styles
    that are numbered."""

    by_name: Mapping[tuple[str, str], Style]
    properties: Mapping[tuple[str, str], Properties]
    numbered: frozenset[tuple[str, str]]
    default: Style

    def style_of(self, name: str | None, family: str = "paragraph") -> Style:
        """The style of a name."""
        found = self.by_name.get((family, name or "")) or self.by_name.get(("", name or ""))
        return found or _by_name(name or "")

    def properties_of(self, family: str, name: str | None) -> Properties:
        """Return the properties that a style of tables, rows, sections or frames sets, by name."""
        return self.properties.get((family, name or "")) or self.properties.get(("", name or ""), {})


def read_styles(roots: Iterable[Node]) -> Styles:
    """The styles of `styles.xml` and of `content.xml`."""
    roots = list(roots)
    nodes = {
        (style.attributes.get("style:family", ""), style.attributes.get("style:name", "")): style
        for root in roots
        for style in root.descendants("style:style")
    }
    numbered = frozenset(
        (style.attributes.get("style:name", ""), level.attributes.get("text:level", ""))
        for root in roots
        for style in root.descendants("text:list-style")
        for level in style.nodes()
        if level.name == "text:list-level-style-number" and level.attributes.get("style:num-format")
    )
    defaults = (
        _own(style)
        for root in roots
        for style in root.descendants("style:default-style")
        if style.attributes.get("style:family") == "paragraph"
    )
    chains = {key: list(_chain(key, nodes)) for key in nodes}
    return Styles(
        {key: _resolved(chain) for key, chain in chains.items()},
        {key: _merged(chain) for key, chain in chains.items()},
        numbered,
        reduce(inherit_style, defaults, PLAIN),
    )


def _chain(key: tuple[str, str], nodes: Mapping[tuple[str, str], Node]) -> Iterator[Node]:
    """A style and those that it is based on, the nearest first."""
    for _ in range(_LONGEST_CHAIN):
        node = nodes.get(key)
        if node is None:
            return
        yield node
        key = (key[0], node.attributes.get("style:parent-style-name", ""))


def _resolved(chain: list[Node]) -> Style:
    found = PLAIN
    for node in chain:
        found = inherit_style(inherit_style(found, _own(node)), _by_name(node.attributes.get("style:name", "")))
    return inherit_style(found, _by_name(chain[-1].attributes.get("style:parent-style-name", "")))


def _merged(chain: list[Node]) -> Properties:
    """All that some styles say, the nearest first, except of texts."""
    found: dict[str, str] = {}
    for node in reversed(chain):
        for part in node.nodes():
            if part.name not in ("style:text-properties", "style:paragraph-properties"):
                found.update(part.attributes)
                if _has_picture(part):
                    found["drawing:fill"] = "bitmap"
    return found


def _own(node: Node) -> Style:
    look, shape = node.element_at("style:text-properties"), node.element_at("style:paragraph-properties")
    text, paragraph = look.attributes, shape.attributes
    raised, _, shrunk = text.get("style:text-position", "").partition(" ")
    weight, size = text.get(_FO + "font-weight"), text.get(_FO + "font-size", "")
    is_automatic = text.get("style:use-window-font-color") == "true"
    colour = UNKNOWN if is_automatic else colour_of(text.get(_FO + "color"))
    display = text.get("text:display")
    line = paragraph.get(_FO + "line-height", "")
    share = _share(line)
    return Style(
        script=_script(raised),
        bold=None if weight is None else weight in ("bold", "600", "700", "800", "900"),
        hidden=None if display is None else display == "none" or text.get("text:condition") == "none",
        colour=colour,
        opacity=1.0 if is_automatic or (colour and "opacity" not in text) else _share(text.get("opacity", "")),
        mark=UNKNOWN if _has_picture(look) else _ground(text),
        ground=UNKNOWN if _has_picture(shape) else _ground(paragraph),
        size=points(size) if size else None,
        factor=_share(size),
        scale=_share(text.get("style:text-scale", "")),
        shrunk=_share(shrunk),
        spacing=points(text.get(_FO + "letter-spacing")),
        # A share is one of single spacing, of about 12 points.
        line=inf if line == "normal" else points(line) if share is None else 12 * share if share < _CROWDED else inf,
        before=points(paragraph.get(_FO + "margin-left", paragraph.get(_FO + "margin"))),
        after=points(paragraph.get(_FO + "margin-right", paragraph.get(_FO + "margin"))),
        first=points(paragraph.get(_FO + "text-indent")),
        align=paragraph.get(_FO + "text-align"),
    )


def _has_picture(properties: Node) -> bool:
    """Whether something has a picture behind it; an empty element says that it has none."""
    picture = properties.child("style:background-image")
    return picture is not None and bool("href" in picture.attributes or picture.children)


def _script(raised: str) -> str | None:
    share = _share(raised)
    if raised in ("super", "sub"):
        return "^" if raised == "super" else "_"
    return None if share is None else "^" if share > 0 else "_" if share < 0 else ""


def _share(written: str) -> float | None:
    found = _SHARE.fullmatch(written)
    return float(found[1]) / 100 if found else None


def _ground(properties: Properties) -> Colour | None:
    """The colour behind what has some properties: CLEAR where it says that there is none, None where it says nothing,
    UNKNOWN where a pattern or a picture is there."""
    fill, written = properties.get("drawing:fill"), properties.get(_FO + "background-color")
    if fill not in (None, "none", "solid"):
        return UNKNOWN
    if fill == "solid":
        written = properties.get("drawing:fill-color", written)
    colour = colour_of(written)
    if colour is None or fill == "none":
        return None if fill is None and written is None else CLEAR
    transparency = _share(properties.get("style:background-transparency", ""))
    opacity = (
        _share(properties.get("drawing:opacity", "")) if fill else None if transparency is None else 1 - transparency
    )
    return blended_colour(colour, None, 1.0 if opacity is None else opacity)


def _by_name(name: str) -> Style:
    title = _TITLE.match(name)
    return Style(BlockKind.HEADING, int(title[1])) if title else Style(*_NAMED.get(name, (None, None)))


_LEFT_OUT: Final = frozenset((
    "text:tracked-changes", "office:annotation", "office:annotation-end", "text:note-citation", "office:forms",
    "text:sequence-decls", "text:user-field-decls", "text:variable-decls", "text:index-title-template",
    *(f"{_SVG}{name}" for name in ("desc", "title")),
))  # fmt: skip
_INDEXES: Final = frozenset((
    "text:table-of-content", "text:illustration-index", "text:table-index", "text:alphabetical-index",
    "text:bibliography-source", "text:table-of-content-source",
))  # fmt: skip
_SHAPES: Final = frozenset(
    f"drawing:{name}"
    for name in ("frame", "custom-shape", "rect", "ellipse", "circle", "line", "polygon", "path", "g", "a")
)
_CONDITIONAL: Final = frozenset(("text:hidden-text", "text:hidden-paragraph", "text:conditional-text", "text:script"))
_DESCRIPTIONS: Final = (f"{_SVG}desc", f"{_SVG}title")
_MOST_REPEATED: Final = 100
_LONGEST_DESCRIPTION: Final = 500
_CROWDED: Final = 0.3
"""Share of single spacing below which lines stand upon one another."""

Formulas = Callable[[str], str]
"""An embedded formula between dollar signs, by the name of its folder; empty for other objects."""


class Place(NamedTuple):
    """The surroundings of some paragraphs: the colour behind them, the style that a shape gives them, and whether
    anything there can be seen. `floats`: in a table or box, whose place on the page is not worked out."""

    ground: Colour | None = None
    base: Style = PLAIN
    visibility: Visibility = Visibility.SHOWN
    floats: bool = False

    def with_ground(self, ground: Colour | None, visibility: Visibility = Visibility.SHOWN) -> "Place":
        """The place within another element, with the colour that is behind it there."""
        shown = self.ground if ground is None or ground == CLEAR else ground
        return self._replace(ground=shown, visibility=max(self.visibility, visibility))


@dataclass
class DocumentContext:
    """The properties of a whole document: its styles, the page, whether shapes may lie behind a text box, and what is
    left out of the text; `line` is the number of the last paragraph."""

    styles: Styles
    formula: Formulas
    paper: Paper
    stacked: bool = False
    left_out: LeftOut = field(default_factory=LeftOut)
    furniture: list[Block] = field(default_factory=list)
    line: int = 0


class Body:
    """Collects the blocks of a part, a group for each paragraph or table; one use only."""

    def __init__(self, around: DocumentContext, place: Place, room: Room | None = None) -> None:
        self.groups: list[list[Block]] = []
        self._around, self._place, self._room = around, place, room
        self._styles = around.styles
        self._inline = Inline()
        self._label = ""
        self._lists: list[str] = []
        self._after: list[tuple[Node, Place]] = []
        self._unseen: list[str] = []
        self._doubts: list[str] = []
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
                inner = self._inside(child, self._place)
                self._around.furniture += [block for group in inner.groups for block in group]
            elif child.name in _SHAPES:
                self._frame(child, self._place)
                self._end_paragraph()
            elif child.name == "text:section":
                self._section(child)
            elif child.name not in _LEFT_OUT:
                self.walk(child)

    def _section(self, node: Node) -> None:
        properties = self._styles.properties_of("section", node.attributes.get("text:style-name"))
        outside = self._place
        self._place = outside.with_ground(_ground(properties), _condition(node))
        self.walk(node)
        self._place = outside

    def _inside(self, node: Node, place: Place, room: Room | None = None) -> "Body":
        inner = Body(self._around, place, room)
        inner.walk(node)
        return inner

    def _paragraph(self, node: Node) -> None:
        around, place = self._around, self._place
        style = self._styles.style_of(node.attributes.get("text:style-name"))
        if node.name == "text:h":
            level = node.attributes.get("text:outline-level", "1")
            style = style._replace(kind=BlockKind.HEADING, level=int(level) if level in "123456789" and level else 1)
        style = inherit_style(style, inherit_style(place.base, self._styles.default))
        fields = map(_condition, node.descendants("text:hidden-paragraph"))
        length = len(node.text()) * style.height / 2
        indented = around.paper.shows_line(length, style.before, style.after, style.first, style.align)
        seen = max(place.visibility, *fields, indented)
        self._read(node, style, place._replace(visibility=seen))
        if self._room is not None:
            self._room.end_line(min(style.height, style.line or inf))
        inline, self._inline = self._inline, Inline()
        around.left_out.add(around.line + 1, "".join(self._unseen), "".join(self._doubts))
        self._unseen, self._doubts = [], []
        kind = style.kind or (BlockKind.LIST_ITEM if self._label else BlockKind.LINE)
        text = inline.text(spaced=kind is BlockKind.CODE)
        if not inline.is_empty or self._pictures:
            around.line += 1
        bold = inline.is_bold and kind is BlockKind.LINE
        blocks = paragraph_blocks(Paragraph(text, around.line, kind, style.level, self._label, bold))
        if blocks:
            self._label = ""
        append_group(self.groups, blocks)
        self._end_paragraph()

    def _end_paragraph(self) -> None:
        """Pictures, text boxes and notes stand behind the paragraph that holds them."""
        line = max(self._around.line, 1)
        pictures, self._pictures = self._pictures, []
        append_group(self.groups, [Block(kind=BlockKind.FIGURE, text=text, line=line) for text in pictures])
        after, self._after = self._after, []
        for inner in after:
            self.groups += self._inside(*inner).groups

    def _read(self, node: Node, style: Style, place: Place) -> None:
        for child in node.children:
            if isinstance(child, str):
                self._add(child.replace("\n", " "), style, place)
            elif child.name == "text:s":
                self._add(" " * _count(child.attributes.get("text:c", "1")), style, place)
            elif child.name in ("text:tab", "text:line-break"):
                self._add("\t" if child.name == "text:tab" else "\n", style, place)
            elif child.name == "text:note":
                self._after += [(body, self._place) for body in child.nodes() if body.name == "text:note-body"]
            elif child.name in _SHAPES and child.name != "drawing:a":
                self._frame(child, place)
            elif child.name not in _LEFT_OUT:
                inner = inherit_style(self._styles.style_of(child.attributes.get("text:style-name"), "text"), style)
                self._read(child, inner, place.with_ground(None, _condition(child)))

    def _add(self, text: str, style: Style, place: Place) -> None:
        seen = max(style.visibility(place.ground), place.visibility)
        if self._room is not None:
            seen = max(seen, self._room.visibility(text, min(style.height, style.line or inf)))
        if seen is not Visibility.SHOWN:
            (self._unseen if seen is Visibility.HIDDEN else self._doubts).append(text)
        else:
            self._inline.add(text, style.script or "", bold=bool(style.bold))

    def _frame(self, node: Node, place: Place) -> None:
        described = (part.text() for part in node.nodes() if part.name in _DESCRIPTIONS)
        name = node.attributes.get("drawing:style-name")
        properties = self._styles.properties_of("graphic", name)
        frame_ground = _ground(properties)
        below = UNKNOWN if self._around.stacked and frame_ground in (None, CLEAR) else place.ground
        seen = _frame_shown(node, properties, self._around.paper, floating=place.floats)
        inside = Place(below, self._styles.style_of(name, "graphic"), place.visibility, floats=True).with_ground(
            frame_ground, seen
        )
        for child in node.nodes():
            if child.name == "drawing:text-box":
                self._after.append((child, inside))
            elif child.name == "drawing:object":
                written = self._around.formula(child.attributes.get("href", ""))
                self._add(written, PLAIN, place)
                if written:
                    return
            elif child.name == "drawing:image":
                self._pictures.append(" ".join(next(described, "").split())[:_LONGEST_DESCRIPTION])
                return
            elif child.name in _SHAPES:
                self._frame(child, inside._replace(ground=place.ground))
        if any(child.name in ("text:p", "text:h", "text:list") for child in node.nodes()):
            self._after.append((node, inside))

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
        around, outside = self._around, self._place
        start, properties = around.line, self._properties(node, "table")
        place = outside.with_ground(_ground(properties))
        if not outside.floats:
            place = place.with_ground(None, _table_shown(properties, around.paper))
        columns = [self._column(column) for column in _columns(node)]
        rows = [
            self._row(row, columns, place.with_ground(None, seen)._replace(floats=True)) for row, seen in _rows(node)
        ]
        if is_layout(rows):
            self.groups += [group for row in rows for cell in row for group in cell.groups]
            return
        around.line = start + 1
        append_group(self.groups, table_blocks([[cell.spanned_cell() for cell in row] for row in rows], start + 1))
        append_group(self.groups, [figure for row in rows for cell in row for figure in cell.figures()])

    def _column(self, node: Node) -> Visibility:
        width = points(self._properties(node, "table-column").get("style:column-width"))
        return max(_row_display(node), of_extent(width))

    def _row(self, node: Node, columns: list[Visibility], place: Place) -> list[CellContent]:
        properties = self._properties(node, "table-row")
        is_optimal = properties.get("style:use-optimal-row-height") == "true"
        height = None if is_optimal else points(properties.get("style:row-height"))
        place = place.with_ground(_ground(properties), of_extent(height))
        cells, at = [], 0
        for cell in node.nodes():
            repeated = _count(cell.attributes.get("table:number-columns-repeated", "1"))
            for _ in range(repeated if cell.name in ("table:table-cell", "table:covered-table-cell") else 0):
                seen = columns[at] if at < len(columns) else Visibility.SHOWN
                at += 1
                if cell.name == "table:table-cell":
                    cells.append(self._cell(cell, place.with_ground(None, seen), height))
        return cells

    def _cell(self, node: Node, place: Place, height: float | None) -> CellContent:
        columns, rows = (
            _count(node.attributes.get(f"table:number-{name}-spanned", "1")) for name in ("columns", "rows")
        )
        place = place.with_ground(_ground(self._properties(node, "table-cell")))
        room = Room(height) if height is not None and rows == 1 else self._room
        return CellContent(self._inside(node, place, room).groups, columns, rows)

    def _properties(self, node: Node, family: str) -> Properties:
        return self._styles.properties_of(family, node.attributes.get("table:style-name"))


def _condition(node: Node) -> Visibility:
    """Whether a section, field or paragraph is shown, as far as that does not follow from its style. What depends on a
    condition is doubtful, as word processors evaluate it anew, except of a section that is hidden now."""
    display = node.attributes.get("text:display")
    if display == "none" or (display and node.attributes.get("text:is-hidden") == "true"):
        return Visibility.HIDDEN
    is_doubtful = display == "condition" or node.name in _CONDITIONAL
    return Visibility.DOUBTFUL if is_doubtful else Visibility.SHOWN


def _row_display(node: Node) -> Visibility:
    """Whether a row, a column or a group of them is shown. Some word processors show collapsed ones."""
    is_collapsed = node.attributes.get("table:visibility", "visible") != "visible"
    is_folded = node.attributes.get("table:display") == "false"
    return Visibility.DOUBTFUL if is_collapsed or is_folded else Visibility.SHOWN


def _frame_shown(node: Node, properties: Properties, paper: Paper, *, floating: bool) -> Visibility:
    """Whether a frame or a shape is on the page."""
    written = node.attributes
    sizes = [points(written.get(f"{_SVG}{name}", written.get(f"{_FO}min-{name}"))) for name in ("width", "height")]
    width, height = (_USUAL_SIZE if size is None else size for size in sizes)
    if any(child.name == "drawing:text-box" and f"{_FO}min-height" in child.attributes for child in node.nodes()):
        height = max(height, _USUAL_SIZE)
    x, y = (points(written.get(f"{_SVG}{name}")) for name in ("x", "y"))
    if written.get("text:anchor-type", "paragraph") == "as-char":
        x = y = None
    across, down = Span(0, 0, width), Span(0, 0, height)
    if x is not None and properties.get("style:horizontal-pos", "from-left") in ("from-left", "from-inside"):
        relative = properties.get("style:horizontal-rel", "paragraph")
        low = high = 0.0 if relative == "page" else paper.left
        low, high = (0.0, paper.width) if floating or relative == "char" else (low, high)
        across = Span(low + x, high + x, width)
    if y is not None and properties.get("style:vertical-pos", "from-top") in ("from-top", "below"):
        relative = properties.get("style:vertical-rel", "paragraph")
        low, high = {"page": (0.0, 0.0), "page-content": (paper.top, paper.top)}.get(relative, (0.0, paper.height))
        down = Span(low + y, high + y, height)
    # Some programs move what is beside the page onto it.
    return max(of_extent(width), of_extent(height), min(paper.shows(across, down), Visibility.DOUBTFUL))


def _table_shown(properties: Properties, paper: Paper) -> Visibility:
    """Whether a table is on the page."""
    moved, width = points(properties.get(_FO + "margin-left")), points(properties.get("style:width"))
    if moved is None or properties.get("table:align", "margins") not in ("left", "margins"):
        return Visibility.SHOWN
    return Span(paper.left + moved, paper.left + moved, width or _USUAL_SIZE).visibility_within(paper.width)


def _rows(node: Node, seen: Visibility = Visibility.SHOWN) -> Iterator[tuple[Node, Visibility]]:
    """The rows of a table, and whether they are shown."""
    for child in node.nodes():
        if child.name == "table:table-row":
            yield child, max(seen, _row_display(child))
        elif child.name in ("table:table-header-rows", "table:table-rows", "table:table-row-group"):
            yield from _rows(child, max(seen, _row_display(child)))


def _columns(node: Node) -> Iterator[Node]:
    """The columns of a table; a repeated column occurs as often as it is repeated."""
    for child in node.nodes():
        if child.name == "table:table-column":
            yield from repeat(child, _count(child.attributes.get("table:number-columns-repeated", "1")))
        elif child.name.startswith("table:table-column") or child.name == "table:table-header-columns":
            yield from _columns(child)


def _count(text: str) -> int:
    number = int(text) if text.isascii() and text.isdigit() and len(text) < 5 else 1
    return min(max(number, 1), _MOST_REPEATED)


def read_odt(file: SubmittedFile) -> Document:
    """The blocks of an OpenDocument text. A block's line is the number of its paragraph from 1, blank ones not counted;
    a table counts as one. Formulas become LaTeX, deletions that are tracked do not count, notes and text boxes stand
    behind their paragraph. Never raises for any content."""
    parts = office_parts(file.location, folders=("",))
    if "content.xml" not in parts.content:
        problems = parts.problems or (say("it is damaged or not an office document: {remedy}", remedy=AS_PDF),)
        return Document(file=file.path, exact=True, problems=problems)
    reader = PartReader(parts.content)
    content, styles = reader.root("content.xml"), reader.root("styles.xml")

    def formula(name: str) -> str:
        """The formula in a folder of the archive; empty where it holds another kind of object."""
        root = PartReader(parts.content).root(f"{name.removeprefix('./').rstrip('/')}/content.xml")
        return marked_formula(root) if local(root) == "math" else ""

    roots = [styles, content]
    paper, page = _page(roots)
    known_styles = read_styles(roots)
    shapes = (shape for root in roots for shape in root.descendants(*_SHAPES))
    frames = [
        (shape, known_styles.properties_of("graphic", shape.attributes.get("drawing:style-name"))) for shape in shapes
    ]
    around = DocumentContext(
        known_styles, formula, paper, stacked=any(_is_filled(*frame, behind=False) for frame in frames)
    )
    body = Body(around, Place(UNKNOWN if any(_is_filled(*frame, behind=True) for frame in frames) else page))
    for text in content.descendants("office:text"):
        body.walk(text)
    return Document(
        file=file.path,
        exact=True,
        blocks=tuple(islice(separate_groups(tables_by_tabs(body.groups)), MOST_BLOCKS)),
        furniture=tuple(around.furniture),
        hidden=tuple(around.left_out.hidden[:MOST_HIDDEN]),
        problems=(*parts.problems, *reader.problems, *around.left_out.problems()),
    )


def _is_filled(node: Node, properties: Properties, *, behind: bool) -> bool:
    """Whether a shape that does not stand in the line has a colour or a picture on which a text may lie; `behind`: only
    if it is behind the text of the page."""
    is_in_line = node.attributes.get("text:anchor-type") == "as-char" or node.name == "drawing:a"
    if is_in_line or (behind and properties.get("style:run-through") != "background"):
        return False
    return node.child("drawing:image") is not None or _ground(properties) not in (None, CLEAR)


def _page(roots: list[Node]) -> tuple[Paper, Colour | None]:
    """The largest page that the document uses, and the colour of its pages: UNKNOWN where they differ."""
    layouts, masters = (
        {node.attributes.get("style:name", ""): node for root in roots for node in root.descendants(name)}
        for name in ("style:page-layout", "style:master-page")
    )
    waiting = ["Standard" if "Standard" in masters else next(iter(masters), "")]
    waiting += [
        node.attributes.get("style:master-page-name", "") for root in roots for node in root.descendants("style:style")
    ]
    used: set[str] = set()
    while waiting:
        name = waiting.pop()
        if name in masters and name not in used:
            used.add(name)
            waiting.append(masters[name].attributes.get("style:next-style-name", ""))
    names = {masters[name].attributes.get("style:page-layout-name", "") for name in used} & set(layouts)
    properties = (layouts[name].child("style:page-layout-properties") for name in sorted(names or layouts))
    shown = [entry for entry in properties if entry is not None]
    papers = [_paper(node.attributes) for node in shown] or [Paper()]
    grounds = {
        UNKNOWN if _has_picture(node) else None if (ground := _ground(node.attributes)) == CLEAR else ground
        for node in shown
    }
    paper = max(papers, key=lambda candidate: candidate.width * candidate.height)
    return paper, grounds.pop() if len(grounds) == 1 else UNKNOWN if grounds else None


def _paper(properties: Properties) -> Paper:
    margin = points(properties.get(_FO + "margin"))
    sides = (points(properties.get(f"{_FO}margin-{side}")) for side in ("left", "right", "top", "bottom"))
    usual = 57.0 if margin is None else margin
    width, height = (points(properties.get(f"{_FO}page-{name}")) for name in ("width", "height"))
    return Paper(width or 595.0, height or 842.0, *(usual if side is None else side for side in sides))

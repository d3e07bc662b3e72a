"""The formatting of a Word document: styles, colours with those of the theme, their tints and patterns of two, and the
numbering of lists; and equations (OMML) as LaTeX. Element and attribute names are those of ECMA-376, part 1, sections
17.3 (text), 17.18, 20.1 (themes, drawings) and 22.1 (equations)."""

import re
from collections.abc import Callable, Iterator, Mapping
from colorsys import hls_to_rgb, rgb_to_hls
from functools import reduce
from math import inf
from types import MappingProxyType
from typing import Final, NamedTuple

from grader.reading.document import BlockKind
from grader.reading.flow import inherit_style
from grader.reading.latex_out import (
    LARGE,
    add_above,
    add_accent,
    add_below,
    add_scripts,
    fraction,
    matrix,
    root,
    row,
    symbols,
    words,
)
from grader.reading.office import NOTHING, Node
from grader.reading.structure import in_style
from grader.reading.visibility import (
    BLACK,
    CLEAR,
    READABLE_FONT_SIZE,
    UNKNOWN,
    WHITE,
    Colour,
    Ink,
    Paint,
    Visibility,
    blended_colour,
    colour_of,
    points,
    rounded_colour,
)

_OFFICE: Final = MappingProxyType({
    "dk1": BLACK, "lt1": WHITE, "dk2": (0x44, 0x54, 0x6A), "lt2": (0xE7, 0xE6, 0xE6), "accent1": (0x44, 0x72, 0xC4),
    "accent2": (0xED, 0x7D, 0x31), "accent3": (0xA5, 0xA5, 0xA5), "accent4": (0xFF, 0xC0, 0x00),
    "accent5": (0x5B, 0x9B, 0xD5), "accent6": (0x70, 0xAD, 0x47), "hlink": (0x05, 0x63, 0xC1),
    "folHlink": (0x95, 0x4F, 0x72),
})  # fmt: skip
"""Colours of the Office theme, which a document without a theme uses."""
_SLOTS: Final = MappingProxyType({
    "background1": "bg1", "text1": "t1", "background2": "bg2", "text2": "t2", "tx1": "t1", "tx2": "t2",
    "dark1": "dk1", "light1": "lt1", "dark2": "dk2", "light2": "lt2", "hyperlink": "hlink",
    "followedHyperlink": "folHlink",
})  # fmt: skip
"""The theme's own name for each other name of a colour; `bg1` and the like are mapped once more by the settings."""
_MAPPED: Final = MappingProxyType({"bg1": "lt1", "t1": "dk1", "bg2": "lt2", "t2": "dk2"})
_HIGHLIGHTS: Final = MappingProxyType({
    "black": BLACK, "blue": (0, 0, 255), "cyan": (0, 255, 255), "green": (0, 255, 0), "magenta": (255, 0, 255),
    "red": (255, 0, 0), "yellow": (255, 255, 0), "white": WHITE, "darkBlue": (0, 0, 128), "darkCyan": (0, 128, 128),
    "darkGreen": (0, 128, 0), "darkMagenta": (128, 0, 128), "darkRed": (128, 0, 0), "darkYellow": (128, 128, 0),
    "darkGray": (128, 128, 128), "lightGray": (192, 192, 192),
})  # fmt: skip
_PERCENT: Final = re.compile(r"pct(\d{1,2})")


class Theme(NamedTuple):
    """The colours of a document's theme by their names in it, and which of them the settings use as `bg1` and `t1`."""

    colours: Mapping[str, Colour] = _OFFICE
    mapped: Mapping[str, str] = _MAPPED

    def colour_named(self, name: str) -> Colour:
        """The colour of any of its names; UNKNOWN where the theme has none of that name."""
        slot = _SLOTS.get(name, name)
        return self.colours.get(self.mapped.get(slot, slot), UNKNOWN)

    def attribute_colour(self, node: Node, plain: str = "w:val", role: str = "") -> Colour | None:
        """A colour among the attributes of an element of the text: the theme's that they name, else the one of `plain`;
        None where it is automatic. `role` is `Fill` for the theme's colour of a filling."""
        name = node.attributes.get(f"w:theme{role or 'Color'}", "none")
        if name == "none":
            return colour_of(node.attributes.get(plain))
        tint, shade = (_byte(node.attributes.get(f"w:theme{role}{change}")) for change in ("Tint", "Shade"))
        return _lightened(self.colour_named(name), factor=tint * shade, more=1 - tint)

    def fill(self, node: Node, *, of_text: bool = False) -> Paint | None:
        """The paint of an element that may have a filling (`solidFill`, `gradFill`); None where it sets none. What
        drawings say of opacity, effects of text (`of_text`) say of transparency."""
        for child in node.nodes():
            if child.name == "noFill":
                return Paint(CLEAR, 0)
            if child.name == "solidFill":
                return self.paint_of(child, of_text=of_text) or Paint(UNKNOWN)
            if child.name == "gradFill":
                stops = {self.paint_of(stop, of_text=of_text) for stop in child.descendants("gs")}
                return (stops.pop() if len(stops) == 1 else None) or Paint(UNKNOWN)
            if child.name in ("blipFill", "pattFill", "grpFill"):
                return Paint(UNKNOWN)
        return None

    def paint_of(self, node: Node, *, of_text: bool = False) -> Paint | None:
        """The colour below an element of a drawing, with its changes; None where there is none."""
        for child in node.nodes():
            if child.name in ("srgbClr", "schemeClr", "sysClr", "prstClr"):
                written = child.attributes.get("lastClr") or child.attributes.get("val", "")
                colour = self.colour_named(written) if child.name == "schemeClr" else colour_of(written) or UNKNOWN
                values = ((candidate.name, candidate.attributes.get("val", "")) for candidate in child.nodes())
                changes = {name: int(value) / 100_000 for name, value in values if value.isdigit() and len(value) <= 9}
                factor = changes.get("lumMod", 1.0) * changes.get("shade", 1.0) * changes.get("tint", 1.0)
                more = changes.get("lumOff", 0.0) + 1 - changes.get("tint", 1.0)
                opacity = 1 - changes.get("alpha", 0.0) if of_text else changes.get("alpha", 1.0)
                return Paint(_lightened(colour, factor=factor, more=more), opacity)
        return None


def read_theme(root: Node, settings: Node) -> Theme:
    """The theme of `word/theme/theme1.xml` under the document's settings."""
    found = {
        slot.name: colour_of(colour.attributes.get("lastClr") or colour.attributes.get("val")) or UNKNOWN
        for slot in next(root.descendants("clrScheme"), NOTHING).nodes()
        for colour in slot.nodes()
    }
    mapping = settings.element_at("w:clrSchemeMapping").attributes
    mapped = {name.removeprefix("w:"): _SLOTS.get(slot, slot) for name, slot in mapping.items()}
    return Theme({**_OFFICE, **found}, {**_MAPPED, **mapped})


def shade(properties: Node, theme: Theme) -> Colour | None:
    """The colour that a paragraph, cell or run has behind its text; CLEAR where it has none and says so, None where it
    says nothing."""
    node = properties.child("w:shd")
    if node is None:
        return None
    pattern = node.attributes.get("w:val", "clear")
    fill = theme.attribute_colour(node, "w:fill", "Fill")
    if pattern in ("clear", "nil"):
        return CLEAR if fill is None or pattern == "nil" else fill
    above = theme.attribute_colour(node, "w:color") or BLACK
    share = _PERCENT.fullmatch(pattern)
    if pattern != "solid" and share is None:
        return UNKNOWN
    return blended_colour(above, fill or WHITE, int(share[1]) / 100 if share else 1.0)


def highlight(properties: Node) -> Colour | None:
    """The colour of a highlighter; CLEAR where it is switched off."""
    node = properties.child("w:highlight")
    name = node.attributes.get("w:val", "none") if node else None
    return None if name is None else CLEAR if name == "none" else _HIGHLIGHTS.get(name, UNKNOWN)


def _byte(written: str | None) -> float:
    try:
        return min(max(int(written or "FF", 16), 0), 255) / 255
    except ValueError:
        return 1.0


def _lightened(colour: Colour, *, factor: float, more: float) -> Colour:
    """A colour whose lightness is multiplied and then raised."""
    if min(colour) < 0 or (factor == 1 and more == 0):
        return colour
    hue, lightness, saturation = rgb_to_hls(*(component / 255 for component in colour))
    changed = hls_to_rgb(hue, min(max(lightness * factor + more, 0.0), 1.0), saturation)
    return rounded_colour([component * 255 for component in changed])


_TITLE: Final = re.compile(
    r"(?:heading|titre|[üu]?berschrift|t[íi]tulo|titolo|kop|rubrik|overskrift|otsikko|nag[łl][óo]wek|заголовок|标题|見出し|제목)"
    r"[ _-]?([1-9])",
    re.IGNORECASE,
)
_NAMED: Final = {
    "title": (BlockKind.HEADING, 1), "titre": (BlockKind.HEADING, 1), "titel": (BlockKind.HEADING, 1),
    "subtitle": (BlockKind.HEADING, 2), "sous-titre": (BlockKind.HEADING, 2), "untertitel": (BlockKind.HEADING, 2),
    "caption": (BlockKind.CAPTION, None), "légende": (BlockKind.CAPTION, None),
    "beschriftung": (BlockKind.CAPTION, None),
}  # fmt: skip
_CODE: Final = re.compile(
    r"source ?code|html preformatted|preformatted|macro text|listing|\bcode\b|codeblock", re.IGNORECASE
)
_CONTENTS: Final = re.compile(r"(?:toc|tm|verzeichnis|table of figures|table of contents)[ _]?[1-9]?", re.IGNORECASE)
_MONOSPACED: Final = re.compile(
    r"courier|consolas|menlo|monaco|\bmono|monospace|lucida console|source code|inconsolata|cascadia|fixed",
    re.IGNORECASE,
)
_LONGEST_CHAIN: Final = 20
_USUAL_SIZE: Final = 10.0
"""Size of Word's text where no style sets one."""
_FAINT: Final = 0.1
"""Opacity up to which an outline counts for nothing."""
_FAR: Final = 100.0
"""Points by which letters are raised or lowered beyond what any text needs."""
_CROWDED: Final = 3.5
"""Points of single spacing below which lines stand upon one another."""


class Style(NamedTuple):
    """The properties of a style; None where unset. `list_id` and `list_level` name its numbering; `struck` text counts
    as deleted.

    `colour`, `opacity` and `outline` are the paint of its letters; `mark`, `ground` and `cell` what a run, a paragraph
    and a cell of a table have behind them, CLEAR where nothing. Lengths are in points: `size` and, for complex scripts,
    `complex_size`; `scale` is the width of letters as a share, `spacing` what is added between them, `line` the height
    of lines where it is fixed; `before`, `after` and `first` are the indents of the paragraph and its first line."""

    kind: BlockKind | None = None
    level: int | None = None
    is_contents: bool | None = None
    bold: bool | None = None
    script: str | None = None
    monospaced: bool | None = None
    hidden: bool | None = None
    struck: bool | None = None
    colour: Colour | None = None
    opacity: float | None = None
    outline: Colour | None = None
    mark: Colour | None = None
    ground: Colour | None = None
    cell: Colour | None = None
    size: float | None = None
    complex_size: float | None = None
    is_complex: bool | None = None
    scale: float | None = None
    spacing: float | None = None
    raised: float | None = None
    line: float | None = None
    before: float | None = None
    after: float | None = None
    first: float | None = None
    align: str | None = None
    frame: Node | None = None
    list_id: str | None = None
    list_level: int | None = None

    @property
    def height(self) -> float:
        """The height of its letters."""
        size = self.complex_size if self.is_complex else self.size
        return _USUAL_SIZE if size is None else size

    @property
    def extent(self) -> float:
        """The smallest extent of its letters: their height, their width as a share of the usual one, or the height of
        their line."""
        width = self.height * (1.0 if self.scale is None else self.scale)
        return min(self.height, width, self.height if self.line is None else self.line)

    def visibility(self, below: Colour | None) -> Visibility:
        """Whether a text of this style can be seen over the ground of its paragraph's surroundings."""
        if self.hidden:
            return Visibility.HIDDEN
        ground = next((entry for entry in (self.mark, self.ground) if entry not in (None, CLEAR)), below)
        colour = self.colour
        if self.opacity is not None and self.opacity < 1:
            colour = blended_colour(BLACK if colour in (None, UNKNOWN) else colour, ground, self.opacity)
        seen = Ink(colour, ground, self.extent).visibility
        if self.outline is not None:
            seen = min(seen, Ink(self.outline, ground, self.extent).visibility)
        is_far = self.raised is not None and abs(self.raised) > _FAR
        is_crowded = self.height + 2 * (self.spacing or 0.0) < READABLE_FONT_SIZE <= self.height
        return max(seen, Visibility.DOUBTFUL if is_far or is_crowded else Visibility.SHOWN)


PLAIN: Final = Style()


class Styles(NamedTuple):
    """Styles by their id, with what they inherit, and the document's defaults, which apply last. `tables` are the parts
    of each style of tables (`wholeTable`, `firstRow`)."""

    by_id: Mapping[str, Style]
    default: Style = PLAIN
    defaults: Style = PLAIN
    tables: Mapping[str, Mapping[str, Style]] = MappingProxyType({})
    theme: Theme = Theme()

    def style_of(self, style_id: str | None) -> Style:
        """The style of an id; where the document does not define it, it is inferred from the id."""
        if style_id is None:
            return self.default
        return self.by_id.get(style_id) or _by_name(style_id)


def read_styles(root: Node, theme: Theme) -> Styles:
    """The styles of `word/styles.xml`."""
    nodes = {node.attributes.get("w:styleId", ""): node for node in root.nodes() if node.name == "w:style"}
    by_id = {
        style_id: reduce(inherit_style, (_own(node, theme) for node in _chain(style_id, nodes)), PLAIN)
        for style_id in nodes
    }
    standard = {
        node.attributes.get("w:type"): style_id
        for style_id, node in nodes.items()
        if node.attributes.get("w:default") in ("1", "true")
    }
    defaults = root.element_at("w:docDefaults")
    tables = {
        style_id: _table_parts(_chain(style_id, nodes), theme)
        for style_id, node in nodes.items()
        if node.attributes.get("w:type") == "table"
    }
    tables[""] = tables.get(standard.get("table", ""), {})
    return Styles(
        by_id,
        default=by_id.get(standard.get("paragraph", ""), PLAIN),
        defaults=inherit_style(
            run_style(defaults.element_at("w:rPrDefault", "w:rPr"), theme),
            paragraph_style(defaults.element_at("w:pPrDefault", "w:pPr"), theme),
        ),
        tables=tables,
        theme=theme,
    )


def _table_parts(chain: Iterator[Node], theme: Theme) -> dict[str, Style]:
    """The styles of a table's parts by their names, with what the style is based on."""
    found: dict[str, Style] = {}
    for node in chain:
        for part in (node, *(child for child in node.nodes() if child.name == "w:tblStylePr")):
            name = part.attributes.get("w:type", "") if part is not node else "wholeTable"
            cell = shade(part.element_at("w:tcPr"), theme)
            style = inherit_style(
                run_style(part.element_at("w:rPr"), theme), paragraph_style(part.element_at("w:pPr"), theme)
            )
            style = style._replace(cell=shade(part.element_at("w:tblPr"), theme) if cell is None else cell)
            found[name] = inherit_style(found.get(name, PLAIN), style)
    return found


def toggle(properties: Node, *names: str) -> bool | None:
    """Whether one of some on-off properties is on; None where none of them is set."""
    nodes = [node for name in names if (node := properties.child(name))]
    values = [node.attributes.get("w:val", "1") not in ("0", "false", "off", "none") for node in nodes]
    return any(values) if values else None


def value(properties: Node, name: str) -> str | None:
    """The value of a property."""
    return properties.element_at(name).attributes.get("w:val")


def run_style(properties: Node, theme: Theme) -> Style:
    """Return the style that a run's own properties give."""
    if properties is NOTHING:
        return PLAIN
    font = properties.element_at("w:rFonts").attributes.get("w:ascii")
    placed = value(properties, "w:vertAlign")
    written = properties.child("w:color")
    colour = theme.attribute_colour(written) or UNKNOWN if written else None
    paint = theme.fill(properties.element_at("textFill"), of_text=True)
    outline = theme.fill(properties.element_at("textOutline"), of_text=True)
    scale = (value(properties, "w:w") or "").removesuffix("%")
    marked = highlight(properties)
    return Style(
        bold=toggle(properties, "w:b"),
        script={"superscript": "^", "subscript": "_", None: None}.get(placed, ""),
        monospaced=bool(_MONOSPACED.search(font)) if font else None,
        hidden=toggle(properties, "w:vanish", "w:specVanish"),
        struck=toggle(properties, "w:strike", "w:dstrike"),
        colour=paint.colour if paint else colour,
        opacity=paint.opacity if paint else 1.0 if written else None,
        outline=outline.colour if outline and outline.opacity > _FAINT else None,
        mark=shade(properties, theme) if marked is None else marked,
        size=measure(value(properties, "w:sz"), 2),
        complex_size=measure(value(properties, "w:szCs"), 2),
        is_complex=toggle(properties, "w:rtl", "w:cs"),
        scale=measure(scale, 100),
        spacing=measure(value(properties, "w:spacing"), 20),
        raised=measure(value(properties, "w:position"), 2),
    )


def measure(written: str | None, units: int) -> float | None:
    """A length that is written in parts of a point, such as twentieths, or with its unit."""
    if written and written.removeprefix("-").replace(".", "", 1).isdecimal() and len(written) <= 12:
        return float(written) / units
    return points(written) if written else None


def whole_number(text: str | None) -> int | None:
    """A whole number of at most nine digits, as a list may begin with; None for any other text."""
    return int(text) if text and text.isascii() and text.isdigit() and len(text) <= 9 else None


def _chain(style_id: str, nodes: Mapping[str, Node]) -> Iterator[Node]:
    """A style and those that it is based on, the nearest first."""
    for _ in range(_LONGEST_CHAIN):
        node = nodes.get(style_id)
        if node is None:
            return
        yield node
        style_id = value(node, "w:basedOn") or ""


def _own(node: Node, theme: Theme) -> Style:
    named = _by_name(value(node, "w:name") or "")
    own_style = paragraph_style(node.element_at("w:pPr"), theme)
    if named.kind is not None or named.is_contents:
        own_style = own_style._replace(kind=None, level=None)
    return inherit_style(inherit_style(named, run_style(node.element_at("w:rPr"), theme)), own_style)


def paragraph_style(properties: Node, theme: Theme) -> Style:
    """Return the style that a paragraph's own properties give."""
    if properties is NOTHING:
        return PLAIN
    numbering, moved = properties.element_at("w:numPr"), properties.element_at("w:ind").attributes
    outline = whole_number(value(properties, "w:outlineLvl"))
    is_title = outline is not None and outline < 9
    hanging = measure(moved.get("w:hanging"), 20)
    return Style(
        kind=BlockKind.HEADING if is_title else None,
        level=outline + 1 if outline is not None and is_title else None,
        list_id=value(numbering, "w:numId"),
        list_level=whole_number(value(numbering, "w:ilvl")),
        ground=shade(properties, theme),
        line=_fixed_line(properties.element_at("w:spacing").attributes),
        before=measure(moved.get("w:left", moved.get("w:start")), 20),
        after=measure(moved.get("w:right", moved.get("w:end")), 20),
        first=measure(moved.get("w:firstLine"), 20) if hanging is None else -hanging,
        align=value(properties, "w:jc"),
        frame=properties.child("w:framePr"),
    )


def _fixed_line(spacing: Mapping[str, str]) -> float | None:
    """The height of lines that is fixed whatever they hold; infinite where it is set and follows the text."""
    line, rule = measure(spacing.get("w:line"), 20), spacing.get("w:lineRule", "auto")
    # A share of single spacing is written in 240ths of about 12 points.
    return line if line is None or rule == "exact" or (rule == "auto" and line < _CROWDED) else inf


def _by_name(name: str) -> Style:
    title = _TITLE.match(name)
    if title:
        return Style(BlockKind.HEADING, int(title[1]))
    if _CONTENTS.fullmatch(name):
        return Style(is_contents=True)
    if _CODE.search(name):
        return Style(BlockKind.CODE)
    return Style(*_NAMED.get(name.lower(), (None, None)))


_PLACE: Final = re.compile(r"%([1-9])")
_LOOKS: Final = {"lowerLetter": "alph", "upperLetter": "Alph", "lowerRoman": "roman", "upperRoman": "Roman"}
_BULLET: Final = "•"


class Level(NamedTuple):
    """One level of a list: how its numbers look, the text around them (`%1.%2`), the first number, and their style."""

    look: str
    pattern: str
    start: int
    style: Style = PLAIN


Lists = Mapping[str, Mapping[int, Level]]
"""Levels by the id of a list and their depth from 0."""


def read_lists(root: Node, theme: Theme) -> Lists:
    """The lists of `word/numbering.xml`."""
    abstract = {
        node.attributes.get("w:abstractNumId", ""): _levels(node, theme)
        for node in root.nodes()
        if node.name == "w:abstractNum"
    }
    return {
        node.attributes.get("w:numId", ""): _overridden(
            node, abstract.get(value(node, "w:abstractNumId") or "", {}), theme
        )
        for node in root.nodes()
        if node.name == "w:num"
    }


class Counter:
    """Counts the items of all lists while a document is read from its start; one use only."""

    def __init__(self, lists: Lists) -> None:
        self._lists = lists
        self._counts: dict[str, dict[int, int]] = {}

    def label(self, list_id: str, depth: int) -> str | None:
        """The bullet or number of the next item; None where it has none."""
        if list_id == "0":
            return None
        levels = self._lists.get(list_id)
        level = levels.get(depth) if levels else None
        if levels is None or level is None or level.look == "bullet":
            return _BULLET
        counts = self._counts.setdefault(list_id, {})
        counts[depth] = counts.get(depth, level.start - 1) + 1
        self._counts[list_id] = counts = {other: count for other, count in counts.items() if other <= depth}
        return _PLACE.sub(lambda match: _number(levels, counts, int(match[1]) - 1), level.pattern) or None

    def style(self, list_id: str, depth: int) -> Style:
        """The style of the bullets or numbers of a list."""
        level = self._lists.get(list_id, {}).get(depth)
        return level.style if level else PLAIN


def _number(levels: Mapping[int, Level], counts: Mapping[int, int], depth: int) -> str:
    level = levels.get(depth)
    if level is None or level.look == "none":
        return ""
    return in_style(_LOOKS.get(level.look, "arabic"), counts.get(depth, level.start))


def _levels(node: Node, theme: Theme) -> dict[int, Level]:
    found = {}
    for level in node.nodes():
        depth = whole_number(level.attributes.get("w:ilvl"))
        if level.name == "w:lvl" and depth is not None:
            found[depth] = Level(
                look=value(level, "w:numFmt") or "decimal",
                pattern=(value(level, "w:lvlText") or "")[:60],
                start=_start(level, "w:start"),
                style=run_style(level.element_at("w:rPr"), theme),
            )
    return found


def _start(node: Node, name: str) -> int:
    start = whole_number(value(node, name))
    return 1 if start is None else start


def _overridden(node: Node, levels: Mapping[int, Level], theme: Theme) -> dict[int, Level]:
    """The levels of a list that changes some of those that it is made from."""
    found = dict(levels)
    for change in node.nodes():
        depth = whole_number(change.attributes.get("w:ilvl"))
        if change.name != "w:lvlOverride" or depth is None:
            continue
        found.update(_levels(change, theme))
        if depth in found and value(change, "w:startOverride") is not None:
            found[depth] = found[depth]._replace(start=_start(change, "w:startOverride"))
    return found


_PROPERTIES: Final = "Pr"
_SIGNS: Final = {"w:br": "\n", "w:cr": "\n", "w:tab": " "}


def equation_lines(node: Node) -> list[str]:
    """An equation as LaTeX, one text for each line that it is written on."""
    arrays = [child for child in node.nodes() if child.name == "m:eqArr"]
    if arrays and all(child.name == "m:eqArr" or child.name.endswith(_PROPERTIES) for child in node.nodes()):
        lines = [entry for array in arrays for entry in _entries(array)]
    else:
        lines = _within(node).split("\n")
    return [text for line in lines if (text := " ".join(line.replace(r"\&", "").split()))]


def _within(node: Node | None) -> str:
    return row(_latex(child) for child in node.nodes()) if node else ""


def _latex(node: Node) -> str:
    if node.name.endswith(_PROPERTIES):
        return ""
    return _WRITERS.get(node.name, _within)(node)


def _part(node: Node, name: str) -> str:
    return _within(node.child(f"m:{name}"))


def _property(node: Node, name: str, default: str = "") -> str:
    """A value among the properties of an element; an empty one counts."""
    properties = node.child(f"{node.name}Pr")
    found = properties.child(f"m:{name}") if properties else None
    return found.attributes.get("m:val", default) if found else default


def _run(node: Node) -> str:
    properties = node.child("m:rPr")
    text = "".join(
        _SIGNS.get(candidate.name, candidate.text() if candidate.name in ("m:t", "w:t") else "")
        for candidate in node.nodes()
    )
    return words(text) if properties is not None and properties.child("m:nor") is not None else symbols(text)


def _fraction(node: Node) -> str:
    look = _property(node, "type")
    above, below = _part(node, "num"), _part(node, "den")
    if look == "lin":
        return f"{above}/{below}"
    return fraction(above, below, "binom" if look == "noBar" else "frac")


def _root(node: Node) -> str:
    hidden = _property(node, "degHide", "0") not in ("0", "off", "false")
    return root(_part(node, "e"), "" if hidden else _part(node, "deg"))


def _large(node: Node) -> str:
    sign = _property(node, "chr", "∫") or "∫"
    return row([add_scripts(LARGE.get(sign, sign), _part(node, "sub"), _part(node, "sup")), " ", _part(node, "e")])


def _delimited(node: Node) -> str:
    opening, closing = _property(node, "begChr", "("), _property(node, "endChr", ")")
    return row([symbols(opening), _property(node, "sepChr", "|").join(_entries(node)), symbols(closing)])


def _entries(node: Node) -> list[str]:
    return [_within(child) for child in node.nodes() if child.name == "m:e"]


def _bar(node: Node) -> str:
    command = "overline" if _property(node, "pos") == "top" else "underline"
    return rf"\{command}{{{_part(node, 'e')}}}"


def _grouped(node: Node) -> str:
    command = {"⏟": "underbrace", "⏞": "overbrace"}.get(_property(node, "chr", "⏟"))
    return rf"\{command}{{{_part(node, 'e')}}}" if command else _part(node, "e")


_WRITERS: Final[dict[str, Callable[[Node], str]]] = {
    "m:r": _run,
    "m:f": _fraction,
    **dict.fromkeys(
        ("m:sSup", "m:sSub", "m:sSubSup"),
        lambda node: add_scripts(_part(node, "e"), _part(node, "sub"), _part(node, "sup")),
    ),
    "m:sPre": lambda node: add_scripts("{}", _part(node, "sub"), _part(node, "sup")) + _part(node, "e"),
    "m:rad": _root,
    "m:nary": _large,
    "m:d": _delimited,
    "m:func": lambda node: row([_part(node, "fName"), " ", _part(node, "e")]),
    "m:acc": lambda node: add_accent(_part(node, "e"), _property(node, "chr", "\u0302")),
    "m:bar": _bar,
    "m:groupChr": _grouped,
    "m:limLow": lambda node: add_below(_part(node, "e"), _part(node, "lim")),
    "m:limUpp": lambda node: add_above(_part(node, "e"), _part(node, "lim")),
    "m:m": lambda node: matrix(_entries(line) for line in node.nodes() if line.name == "m:mr"),
    "m:eqArr": lambda node: r" \\ ".join(entry.strip() for entry in _entries(node)),
    **dict.fromkeys(("w:del", "w:moveFrom"), lambda _: ""),
}

"""Text boxes of Word documents: what is behind their text, and whether they are on the page.

Drawings are read in their current form (DrawingML, ECMA-376, part 1, section 20.4) and in the old one (VML, part 4).
"""

from collections.abc import Iterator, Mapping
from math import inf
from typing import Final, NamedTuple

from grader.reading.docx.styles import Theme
from grader.reading.office import Node
from grader.reading.visibility import (
    CLEAR,
    UNKNOWN,
    Colour,
    Paint,
    Paper,
    Span,
    Visibility,
    blended_colour,
    colour_of,
    points,
)

_EMU: Final = 12_700
"""Units of a drawing in one point."""
_KNOWN: Final = frozenset((
    "wps", "wpg", "wpc", "wpi", "wp14", "w14", "w15", "w16", "w16se", "w16cid", "w16cex", "w16sdtdh", "a14", "v", "o",
    "cx", "cx1", "cx2", "cx4", "aink", "am3d", "m", "a16", "pic14", "wne",
))  # fmt: skip
"""Extensions that Word knows by the prefixes that it gives them."""
_OLD_SHAPES: Final = frozenset(("shape", "rect", "roundrect", "oval", "textbox", "line", "polyline"))
_ON: Final = ("1", "true", "on", "t")
_USUAL_LENGTH: Final = 72.0


class TextBox(NamedTuple):
    """A text box: the element with its paragraphs, the colour behind its text, that of its text where nothing else sets
    one, whether it can be seen, and its size where it does not grow with its text."""

    node: Node
    ground: Colour | None = None
    colour: Colour | None = None
    visibility: Visibility = Visibility.SHOWN
    width: float | None = None
    height: float | None = None


class _Frame(NamedTuple):
    """The part of the page that a drawing takes, as far as its place is known, and for a group the origin and scale of
    the coordinates in it."""

    across: Span
    down: Span
    x: tuple[float, float] | None = None
    y: tuple[float, float] | None = None


class Drawings(NamedTuple):
    """Reads the text boxes of drawings. `page` is the colour of the page; it is unknown to a box without a filling
    where another shape may be behind it (`stacked`). `reach` is a height of the page beyond which the drawing's
    paragraph does not begin."""

    theme: Theme
    paper: Paper
    page: Colour | None = None
    stacked: bool = False
    reach: float = inf

    def boxes(self, node: Node, *, floating: bool = False) -> Iterator[TextBox]:
        """The text boxes of a drawing; those within a text box belong to it. `floating`: the drawing stands in a table
        or in columns, whose places are not worked out."""
        yield from self._within(node, TextBox(node), None, floating)

    def _within(self, node: Node, outer: TextBox, frame: _Frame | None, floating: bool) -> Iterator[TextBox]:
        for child in node.nodes():
            inner, place = outer, frame
            if child.name == "w:txbxContent":
                yield outer._replace(node=child)
                continue
            if child.name in ("anchor", "inline"):
                place = self._placed(child, floating=floating)
                inner = outer._replace(visibility=max(_shown(place, self.paper), _switched_off(child)))
            elif child.name in ("wgp", "grpSp"):
                inner = outer._replace(visibility=max(outer.visibility, _switched_off(child)))
                place = _opened(_moved(frame, child.element_at("grpSpPr")), child.element_at("grpSpPr"))
            elif child.name == "wpc":
                place = frame._replace(x=(0.0, 1.0), y=(0.0, 1.0)) if frame else None
            elif child.name == "wsp":
                inner = self._shape(child, outer, frame)
            elif child.name in _OLD_SHAPES or child.name == "group":
                inner = self._old_shape(child, outer, floating=floating)
            elif child.name == "mc:AlternateContent":
                child = preferred_alternative(child)
            yield from self._within(child, inner, place, floating)

    def _shape(self, node: Node, outer: TextBox, frame: _Frame | None) -> TextBox:
        fill = self.theme.fill(node.element_at("spPr")) or self._styled(node, "fillRef")
        font, body = self._styled(node, "fontRef"), node.child("bodyPr")
        grows = body is not None and bool(body.child("spAutoFit") or body.child("normAutofit"))
        own_frame = _moved(frame, node.element_at("spPr"))
        return outer._replace(
            ground=self._ground(fill),
            colour=font.colour if font else None,
            visibility=max(outer.visibility, _switched_off(node), _shown(own_frame, self.paper, grows=grows)),
            width=own_frame.across.length if own_frame else None,
            height=own_frame.down.length if own_frame and body is not None and not grows else None,
        )

    def _styled(self, node: Node, name: str) -> Paint | None:
        """The paint that a shape's style gives it; the theme's fillings count from 1."""
        reference = node.element_at("style", name)
        return None if reference.attributes.get("idx") == "0" else self.theme.paint_of(reference)

    def _ground(self, fill: Paint | None) -> Colour | None:
        below = UNKNOWN if self.stacked else self.page
        if fill is None or fill.colour == CLEAR or fill.opacity <= 0:
            return below
        return blended_colour(fill.colour, below, fill.opacity)

    def _placed(self, node: Node, *, floating: bool) -> _Frame | None:
        """The frame of an anchor or of a drawing in the line."""
        extent = node.child("extent")
        if extent is None:
            return None
        width, height = (_points(extent.attributes.get(name)) or 0.0 for name in ("cx", "cy"))
        if node.name == "inline":
            return _Frame(Span(0, 0, width), Span(0, 0, height))
        across = self._begin(node.element_at("positionH"), width, is_across=True, floating=floating)
        return _Frame(across, self._begin(node.element_at("positionV"), height, is_across=False, floating=floating))

    def _begin(self, position: Node, length: float, *, is_across: bool, floating: bool) -> Span:
        """Return the span in which an anchored drawing may begin; on the page if it is aligned with the page."""
        offset, share = position.child("posOffset"), next(position.descendants("pctPosHOffset", "pctPosVOffset"), None)
        page = self.paper.width if is_across else self.paper.height
        if share is not None:
            moved = (_number(share.text()) or 0.0) / 100_000 * page
        elif offset is not None:
            moved = _points(offset.text()) or 0.0
        else:
            return Span(0.0, max(page - length, 0.0), length)
        relative = position.attributes.get("relativeFrom", "")
        return self._from(relative, moved, length, is_across=is_across, floating=floating)

    def _from(self, relative: str, moved: float, length: float, *, is_across: bool, floating: bool) -> Span:
        """Return the span that begins at an offset from a place of the page."""
        paper = self.paper
        near, far, page = (
            (paper.left, paper.right, paper.width) if is_across else (paper.top, paper.bottom, paper.height)
        )
        if relative in ("page", "leftMargin", "topMargin", "insideMargin"):
            first, last = 0.0, 0.0
        elif relative in ("rightMargin", "bottomMargin", "outsideMargin"):
            first, last = page - far, page - far
        elif relative == "margin" or (is_across and relative in ("column", "text", "") and not floating):
            first, last = near, near
        else:
            first, last = 0.0, page if is_across else min(page, paper.top + self.reach)
        return Span(first + moved, last + moved, length)

    def _old_shape(self, node: Node, outer: TextBox, *, floating: bool) -> TextBox:
        """A shape of VML; a shape in a group has coordinates of its own, which are not worked out."""
        look = _css(node.attributes.get("style", ""))
        width, height = points(look.get("width")), points(look.get("height"))
        shown = max(outer.visibility, Visibility.HIDDEN if look.get("visibility") == "hidden" else Visibility.SHOWN)
        if node.name == "textbox":
            grows = look.get("mso-fit-shape-to-text") in _ON
            return outer._replace(height=None if grows else outer.height, visibility=shown)
        if outer.width is None:
            sides = (("left", width), ("top", height))
            across, down = (self._old_begin(look, *side, floating=floating) for side in sides)
            shown = max(shown, self.paper.shows(across, down))
        if node.name == "group":
            return outer._replace(visibility=shown, width=width or 0.0)
        return outer._replace(visibility=shown, ground=self._ground(_old_fill(node)), width=width, height=height)

    def _old_begin(self, look: Mapping[str, str], side: str, length: float | None, *, floating: bool) -> Span:
        """Return the span in which a shape of VML may begin; a length in no fixed unit counts as one that text fits
        in."""
        is_across, length = side == "left", _USUAL_LENGTH if length is None else length
        name = "horizontal" if is_across else "vertical"
        if look.get("position") != "absolute" or look.get(f"mso-position-{name}", "absolute") != "absolute":
            return Span(0.0, 0.0, length)
        offset = (points(look.get(side)) or 0.0) + (points(look.get(f"margin-{side}")) or 0.0)
        relative = look.get(f"mso-position-{name}-relative", "text").replace("-margin-area", "Margin")
        return self._from(relative, offset, length, is_across=is_across, floating=floating)


def preferred_alternative(node: Node) -> Node:
    """The alternative content that current programs show."""
    for choice in node.nodes():
        if choice.name == "mc:Choice" and set(choice.attributes.get("Requires", "").split()) <= _KNOWN:
            return choice
    return node.element_at("mc:Fallback")


def may_lie_behind(root: Node) -> bool:
    """Whether a part has a shape or a picture behind its text, on which light text can be read."""
    for anchor in _current(root, "anchor"):
        if anchor.attributes.get("behindDoc") in _ON and any(map(_has_filling, _current(anchor, "wsp", "pic"))):
            return True
    shapes = (_css(shape.attributes.get("style", "")) for shape in _current(root, *_OLD_SHAPES, "group"))
    return any(look.get("z-index", "").startswith("-") for look in shapes)


def has_filled_shapes(root: Node) -> bool:
    """Whether a part has floating pictures or shapes with a filling, on which a text box may lie."""
    floating = (node for anchor in _current(root, "anchor", "wgp", "wpc") for node in _current(anchor, "wsp", "pic"))
    old = (shape for shape in _current(root, *_OLD_SHAPES) if shape.name != "textbox")
    return any(map(_has_filling, floating)) or any(_old_fill(shape) for shape in old if "style" in shape.attributes)


def _current(root: Node, *names: str) -> Iterator[Node]:
    """The elements of some names that current programs show, without those within one another."""
    for child in root.nodes():
        if child.name in names:
            yield child
        else:
            yield from _current(preferred_alternative(child) if child.name == "mc:AlternateContent" else child, *names)


def _has_filling(node: Node) -> bool:
    if node.name == "pic":
        return True
    written = {child.name for child in node.element_at("spPr").nodes() if child.name.endswith("Fill")}
    is_styled = (
        node.element_at("style").child("fillRef") is not None
        and node.element_at("style", "fillRef").attributes.get("idx") != "0"
    )
    return bool(written - {"noFill"}) or (is_styled and "noFill" not in written)


def _switched_off(node: Node) -> Visibility:
    """Whether the list of a document's objects hides a drawing or a shape."""
    names = (child for child in node.nodes() if child.name in ("docPr", "cNvPr"))
    is_hidden = any(name.attributes.get("hidden") in _ON for name in names)
    return Visibility.HIDDEN if is_hidden else Visibility.SHOWN


def _shown(frame: _Frame | None, paper: Paper, *, grows: bool = False) -> Visibility:
    if frame is None:
        return Visibility.SHOWN
    if grows and frame.down.length < 1:
        frame = frame._replace(down=frame.down._replace(length=1))
        return max(Visibility.DOUBTFUL, frame.across.visibility_within(paper.width))
    return paper.shows(frame.across, frame.down)


def _moved(frame: _Frame | None, properties: Node) -> _Frame | None:
    """The frame of a shape or group within that of the group that it stands in."""
    rectangle = _rectangle(properties, "off", "ext")
    if frame is None or frame.x is None or frame.y is None or rectangle is None:
        return frame
    (left, top), (width, height) = rectangle
    (x, stretched), (y, heightened) = frame.x, frame.y
    left, top = (left - x) * stretched, (top - y) * heightened
    across = Span(frame.across.first + left, frame.across.last + left, width * stretched)
    return _Frame(across, Span(frame.down.first + top, frame.down.last + top, height * heightened))


def _opened(frame: _Frame | None, properties: Node) -> _Frame | None:
    """The frame of a group with the coordinates that its shapes have in it."""
    rectangle = _rectangle(properties, "chOff", "chExt")
    if frame is None or rectangle is None:
        return frame
    (x, y), (width, height) = rectangle
    return frame._replace(
        x=(x, frame.across.length / width if width else 1.0), y=(y, frame.down.length / height if height else 1.0)
    )


def _rectangle(properties: Node, place: str, size: str) -> tuple[tuple[float, float], tuple[float, float]] | None:
    corner, extent = (properties.element_at("xfrm").child(name) for name in (place, size))
    if corner is None or extent is None:
        return None
    x, y, width, height = (
        _points(end.attributes.get(name)) or 0.0
        for end, names in ((corner, ("x", "y")), (extent, ("cx", "cy")))
        for name in names
    )
    return (x, y), (width, height)


def _old_fill(node: Node) -> Paint | None:
    """The filling of a shape of VML, which is white unless it says otherwise."""
    fill = node.element_at("fill").attributes
    if "f" in (node.attributes.get("filled", "t")[:1], fill.get("on", "t")[:1]):
        return None
    if fill.get("type", "solid") != "solid":
        return Paint(UNKNOWN)
    written = (node.attributes.get("fillcolor") or fill.get("color") or "white").split()
    opacity = fill.get("opacity", "1")
    share = _number(opacity.removesuffix("f"))
    share = 1.0 if share is None else share / 65_536 if opacity.endswith("f") else share
    return Paint(colour_of(written[0] if written else "white") or UNKNOWN, share)


def _css(style: str) -> dict[str, str]:
    declared = (part.partition(":") for part in style.split(";"))
    return {name.strip().lower(): value.strip() for name, _, value in declared}


def _number(written: str | None) -> float | None:
    text = (written or "").strip()
    digits = text.removeprefix("-").replace(".", "", 1)
    return float(text) if digits.isascii() and digits.isdigit() and len(digits) <= 12 else None


def _points(written: str | None) -> float | None:
    number = _number(written)
    return None if number is None else number / _EMU

"""Resolves the colours of Word documents: plain ones, those of the theme with their tints, and patterns of two.

Element and attribute names are those of ECMA-376, part 1, sections 17.3 (text), 17.18 and 20.1 (themes, drawings).
"""

import re
from collections.abc import Mapping
from colorsys import hls_to_rgb, rgb_to_hls
from types import MappingProxyType
from typing import Final, NamedTuple

from grader.reading.office import NOTHING, Node
from grader.reading.visibility import BLACK, CLEAR, UNKNOWN, WHITE, Colour, Paint, blended, colour_of, rounded

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

    def named(self, name: str) -> Colour:
        """The colour of any of its names; UNKNOWN where the theme has none of that name."""
        slot = _SLOTS.get(name, name)
        return self.colours.get(self.mapped.get(slot, slot), UNKNOWN)

    def written(self, node: Node, plain: str = "w:val", role: str = "") -> Colour | None:
        """A colour among the attributes of an element of the text: the theme's that they name, else the one of `plain`;
        None where it is automatic. `role` is `Fill` for the theme's colour of a filling."""
        name = node.attributes.get(f"w:theme{role or 'Color'}", "none")
        if name == "none":
            return colour_of(node.attributes.get(plain))
        tint, shade = (_byte(node.attributes.get(f"w:theme{role}{change}")) for change in ("Tint", "Shade"))
        return _lightened(self.named(name), factor=tint * shade, more=1 - tint)

    def fill(self, node: Node, *, of_text: bool = False) -> Paint | None:
        """The paint of an element that may have a filling (`solidFill`, `gradFill`); None where it sets none. What
        drawings say of opacity, effects of text (`of_text`) say of transparency."""
        for child in node.nodes():
            if child.name == "noFill":
                return Paint(CLEAR, 0)
            if child.name == "solidFill":
                return self.painted(child, of_text=of_text) or Paint(UNKNOWN)
            if child.name == "gradFill":
                stops = {self.painted(stop, of_text=of_text) for stop in child.every("gs")}
                return (stops.pop() if len(stops) == 1 else None) or Paint(UNKNOWN)
            if child.name in ("blipFill", "pattFill", "grpFill"):
                return Paint(UNKNOWN)
        return None

    def painted(self, node: Node, *, of_text: bool = False) -> Paint | None:
        """The colour below an element of a drawing, with its changes; None where there is none."""
        for child in node.nodes():
            if child.name in ("srgbClr", "schemeClr", "sysClr", "prstClr"):
                written = child.attributes.get("lastClr") or child.attributes.get("val", "")
                colour = self.named(written) if child.name == "schemeClr" else colour_of(written) or UNKNOWN
                values = ((one.name, one.attributes.get("val", "")) for one in child.nodes())
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
        for slot in next(root.every("clrScheme"), NOTHING).nodes()
        for colour in slot.nodes()
    }
    mapping = settings.at("w:clrSchemeMapping").attributes
    mapped = {name.removeprefix("w:"): _SLOTS.get(slot, slot) for name, slot in mapping.items()}
    return Theme({**_OFFICE, **found}, {**_MAPPED, **mapped})


def shade(properties: Node, theme: Theme) -> Colour | None:
    """The colour that a paragraph, cell or run has behind its text; CLEAR where it has none and says so, None where it
    says nothing."""
    node = properties.child("w:shd")
    if node is None:
        return None
    pattern = node.attributes.get("w:val", "clear")
    fill = theme.written(node, "w:fill", "Fill")
    if pattern in ("clear", "nil"):
        return CLEAR if fill is None or pattern == "nil" else fill
    above = theme.written(node, "w:color") or BLACK
    share = _PERCENT.fullmatch(pattern)
    if pattern != "solid" and share is None:
        return UNKNOWN
    return blended(above, fill or WHITE, int(share[1]) / 100 if share else 1.0)


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
    return rounded([component * 255 for component in changed])

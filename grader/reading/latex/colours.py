"""Colours as the packages color and xcolor name, define and mix them."""

import colorsys
from collections.abc import Sequence
from typing import Final

from grader.reading.visibility import BLACK, UNKNOWN, WHITE, Colour, colour_of, rounded

MOST_COLOURS: Final = 2_000
"""Maximum number of colours that a document may define."""
_LONGEST: Final = 300

_BASE: Final = {
    "red": "FF0000", "green": "00FF00", "blue": "0000FF", "cyan": "00FFFF", "magenta": "FF00FF", "yellow": "FFFF00",
    "black": "000000", "white": "FFFFFF", "gray": "808080", "darkgray": "404040", "lightgray": "BFBFBF",
    "brown": "BF8040", "lime": "BFFF00", "olive": "808000", "orange": "FF8000", "pink": "FFBFBF", "purple": "BF0040",
    "teal": "008080", "violet": "800080",
    # The palette `dvipsnames`, as far as it differs from the names of CSS.
    "GreenYellow": "D9FF4F", "Dandelion": "FFB529", "Apricot": "FFAD7A", "Peach": "FF804D", "Melon": "FF8A80",
    "YellowOrange": "FF9400", "BurntOrange": "FF7D00", "Bittersweet": "C20300", "RedOrange": "FF3B21",
    "Mahogany": "A60000", "BrickRed": "B80000", "RubineRed": "FF00DE", "WildStrawberry": "FF0A9C",
    "CarnationPink": "FF5EFF", "VioletRed": "FF30FF", "Rhodamine": "FF2EFF", "Mulberry": "A314FA",
    "RedViolet": "9600A8", "Lavender": "FF85FF", "Thistle": "E069FF", "RoyalPurple": "4019FF", "Periwinkle": "6E73FF",
    "NavyBlue": "0F75FF", "Cerulean": "0FE3FF", "ProcessBlue": "0AFFFF", "TealBlue": "1FFAA3", "BlueGreen": "26FFAB",
    "Emerald": "00FF80", "JungleGreen": "03FF7A", "PineGreen": "00BF29", "RawSienna": "8C0000", "Sepia": "4D0000",
    # What beamer calls its main colours; their values are those of a theme.
    "structure": "3333B3", "structure.fg": "3333B3", "alerted text.fg": "FF0000", "example text.fg": "008000",
    "normal text.fg": "000000", "normal text.bg": "FFFFFF", "bg": "FFFFFF", "fg": "000000",
}  # fmt: skip
_X11_SHADES: Final = {"1": 1.0, "2": 0.932, "3": 0.804, "4": 0.548}
_SPREADS: Final = {"rgb": 1.0, "RGB": 255.0, "gray": 1.0, "Gray": 15.0, "cmyk": 1.0, "cmy": 1.0, "hsb": 1.0,
                   "HSB": 240.0, "Hsb": 1.0}  # fmt: skip
"""Models of colours, with the largest value of a component."""


class Palette:
    """The colours that a document knows by name."""

    def __init__(self) -> None:
        self.named: dict[str, Colour] = {}

    def define(self, name: str, colour: Colour) -> None:
        """Give a colour a name."""
        if len(self.named) < MOST_COLOURS:
            self.named[name.strip()] = colour

    def colour(self, written: str, model: str | None = None, current: Colour | None = None) -> Colour:
        """The colour of an expression such as `white!99!black`, or of components in a model; UNKNOWN where it cannot
        be told. `current` is the colour that `.` stands for."""
        written = written.strip()[:_LONGEST]
        try:
            if model and model.strip() != "named":
                return _in_model(model.strip().split(":")[-1], written)
            return self._mixed(written, current or BLACK)
        except ValueError:
            return UNKNOWN

    def _mixed(self, written: str, current: Colour) -> Colour:
        """`-name!percent!name…`, or `rgb:name,weight;name,weight`."""
        if ":" in written:
            parts = (part.partition(",") for part in written.partition(":")[2].split(";"))
            return _mean([(self._mixed(name.strip(), current), float(weight or 1)) for name, _, weight in parts])
        text = written.lstrip("-")
        first, *rest = text.split("!!")[0].split("!")
        colour = self._named(first.strip(), current)
        for place in range(0, len(rest), 2):
            other = self._named(rest[place + 1].strip(), current) if place + 1 < len(rest) else WHITE
            share = float(rest[place] or 100) / 100
            colour = _mean([(colour, share), (other, 1 - share)])
        if (len(written) - len(text)) % 2:
            return rounded([255 - value for value in colour])
        return colour

    def _named(self, name: str, current: Colour) -> Colour:
        """The colour of a name; raises ValueError for an unknown one."""
        if name == ".":
            return current
        found = self.named.get(name) or colour_of(_BASE.get(name)) or _of_css(name)
        if found == UNKNOWN or not name:
            raise ValueError(name)
        return found


def _of_css(name: str) -> Colour:
    """A colour of the palettes `svgnames` and `x11names`, which share their names with CSS."""
    shade = _X11_SHADES.get(name[-1:])
    found = colour_of(name[:-1] if shade else name) if name[:1].isalpha() and len(name) > 2 else UNKNOWN
    return UNKNOWN if found in (None, UNKNOWN) else rounded([value * (shade or 1.0) for value in found or BLACK])


def _in_model(model: str, written: str) -> Colour:
    """A colour by its components; raises ValueError for an unknown model or wrong components."""
    if model == "HTML":
        value = int(written.lstrip("#"), 16)
        return value >> 16 & 255, value >> 8 & 255, value & 255
    spread = _SPREADS.get(model)
    if spread is None:
        raise ValueError(model)
    parts = [float(part) / spread for part in written.replace(",", " ").split()]
    match model.lower(), parts:
        case "rgb", [_, _, _]:
            shares = parts
        case "gray", [level]:
            shares = [level] * 3
        case "cmyk", [_, _, _, black]:
            shares = [1 - min(part + black, 1) for part in parts[:3]]
        case "cmy", [_, _, _]:
            shares = [1 - part for part in parts]
        case "hsb", [hue, saturation, brightness]:
            shares = list(colorsys.hsv_to_rgb(hue / 360 if model == "Hsb" else hue, saturation, brightness))
        case _:
            raise ValueError(written)
    return rounded([255 * share for share in shares])


def _mean(parts: Sequence[tuple[Colour, float]]) -> Colour:
    whole = sum(weight for _, weight in parts)
    if not whole:
        raise ValueError(parts)
    return rounded([sum(colour[place] * weight for colour, weight in parts) / whole for place in range(3)])

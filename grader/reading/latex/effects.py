"""Colours as the packages color and xcolor name and mix them, the look of text at a place of a document,
and the commands that change it, as data: what arguments each one has, and the look that it makes of another one.
"""

import colorsys
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Final, NamedTuple

from grader.reading.latex.arithmetic import keys_of, points
from grader.reading.latex.tokens import Kind, Stream, Token, source_text, tokens
from grader.reading.maths.tokens import names
from grader.reading.visibility import (
    BLACK,
    CLEAR,
    UNKNOWN,
    WHITE,
    Colour,
    Ink,
    Visibility,
    blended_colour,
    colour_of,
    rounded_colour,
)

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
            return rounded_colour([255 - value for value in colour])
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
    return UNKNOWN if found in (None, UNKNOWN) else rounded_colour([value * (shade or 1.0) for value in found or BLACK])


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
    return rounded_colour([255 * share for share in shares])


def _mean(parts: Sequence[tuple[Colour, float]]) -> Colour:
    whole = sum(weight for _, weight in parts)
    if not whole:
        raise ValueError(parts)
    return rounded_colour([sum(colour[place] * weight for colour, weight in parts) / whole for place in range(3)])


SIZES: Final = {"tiny": 5.0, "scriptsize": 7.0, "footnotesize": 8.0, "small": 9.0, "normalsize": 10.0, "large": 12.0,
                "Large": 14.4, "LARGE": 17.3, "huge": 20.7, "Huge": 24.9}  # fmt: skip
NORMAL_SIZE: Final = SIZES["normalsize"]
PAGE_WIDTH: Final = 595.0
PAGE_HEIGHT: Final = 842.0
OFF_PAGE: Final = 600.0
"""In points, a move to the left or the right by which text surely leaves the page."""
MAYBE_OFF_PAGE: Final = 285.0
"""In points, a move to the left by which text may leave the page: it may begin in the middle of a line."""
_OVERLAP: Final = 10.0
"""In points, a move to the left by which a box comes to lie over the text before it."""
_MOST_PAGES: Final = 2_000


class Look(NamedTuple):
    """The appearance of text at a place.

    `scale` is the factor by which the boxes around it enlarge it. `veil` is what these boxes hide, whatever the colour.
    `is_unread` text is not on the page at all; `is_spacer` text only takes up room. `code` is the ink of listings.
    `row` is the colour behind a row or a cell of a table. `is_left`: the text lies over what stands before it.
    `is_boxed`: it stands in a box without line breaks.
    """

    ink: Ink = Ink()
    scale: float = 1.0
    opacity: float = 1.0
    veil: Visibility = Visibility.SHOWN
    is_unread: bool = False
    is_spacer: bool = False
    is_left: bool = False
    is_boxed: bool = False
    code: Ink = Ink()
    row: Colour | None = None

    def with_veil(self, veil: Visibility) -> "Look":
        """The look with a further reason around it to be hidden."""
        return self._replace(veil=max(self.veil, veil))

    def with_colour(self, colour: Colour | None) -> "Look":
        """The look in another colour."""
        return self._replace(ink=self.ink._replace(colour=colour))

    def with_ground(self, ground: Colour | None) -> "Look":
        """The look on another ground."""
        return self._replace(ink=self.ink._replace(ground=ground))

    def with_size(self, size: float | None) -> "Look":
        """The look in another size of the font."""
        return self._replace(ink=self.ink._replace(size=size))

    def visibility(self, page: Colour | None) -> Visibility:
        """Whether text drawn so can be seen on a page of a colour."""
        colour, ground = self.ink.colour, self.row or self.ink.ground or page
        if colour == UNKNOWN and ground != UNKNOWN:
            return max(self.veil, Visibility.DOUBTFUL)
        if self.opacity < 1:
            below = WHITE if ground == UNKNOWN else ground
            colour = blended_colour(colour if colour not in (None, UNKNOWN, CLEAR) else BLACK, below, self.opacity)
        size = self.ink.size
        if self.scale != 1:
            size = (NORMAL_SIZE if size is None else size) * self.scale
        return max(self.veil, Ink(BLACK if colour is None else colour, ground, size).visibility)


class Pages:
    """The colours of a document's pages.

    The last colour that is set on a page is that of the whole page. Text may thus stand on a colour that is set behind
    it, so a first pass over the document finds the colours (`found`) and a second one knows them (`known`). Where LaTeX
    breaks pages by itself is not known: what stands before a change of colour may be on another page than the change.
    """

    def __init__(self, known_pages: list[set[Colour | None]] | None) -> None:
        self.known = known_pages
        self.found: list[set[Colour | None]] = [{None}]
        self.has_text = False
        self._start = 0
        self._next: Colour | None = None

    @property
    def colour(self) -> Colour | None:
        """The colour of the page here, UNKNOWN where it may be one of several."""
        pages = self.known if self.known is not None else self.found
        colours = pages[min(len(self.found), len(pages)) - 1]
        return next(iter(colours)) if len(colours) == 1 else UNKNOWN

    def begin_document(self) -> None:
        """Forget what the preamble did, except for the colour of the page."""
        self.found, self._start = [self.found[-1]], 0

    def set_all(self, colour: Colour) -> None:
        """Give all pages a colour, as a theme does."""
        self.found, self._next = [{colour}], colour

    def set(self, colour: Colour | None) -> None:
        """Give this page and the following ones a colour."""
        if self.has_text:
            for stretch in self.found[self._start :]:
                stretch.add(colour)
            self.found.append({colour})
        else:
            self.found[-1] = {colour}
        self._next = colour

    def turn(self) -> None:
        """Begin a new page."""
        if len(self.found) < _MOST_PAGES:
            self.found.append({self._next})
            self._start = len(self.found) - 1
            self.has_text = False


class Moves:
    """The distance by which text was moved away from its place.

    `shift` is the move to the left in the line, in points. `sunk` text was moved above the page. Text that was moved
    to the right of the page is `stuck` there, as no line break comes before it, until the group at that depth ends.
    """

    def __init__(self) -> None:
        self.shift = 0.0
        self.is_sunk = False
        self.stuck: int | None = None

    def end_line(self) -> None:
        """Go back to the left margin."""
        self.shift, self.stuck = 0.0, None

    def end_page(self) -> None:
        """Go back to the top of a page."""
        self.end_line()
        self.is_sunk = False

    def end_group(self, depth: int, *, breaks: bool = False) -> None:
        """Drop a move to the right whose group has ended; `breaks`: or whose group allows a line break here."""
        if self.stuck is not None and depth < self.stuck + breaks:
            self.stuck = None

    def sink(self, move: float) -> None:
        """Move what follows up or down."""
        self.is_sunk = self.is_sunk or move <= -PAGE_HEIGHT

    def push(self, move: float, depth: int, *, is_stuck: bool) -> None:
        """Move what follows to the left or the right. `is_stuck`: a line break does not drop the move."""
        if move < 0 or self.shift < 0:
            self.shift = min(self.shift + move, 0.0)
        elif move >= OFF_PAGE and is_stuck:
            self.stuck = depth

    @property
    def is_over_text(self) -> bool:
        """Whether what follows lies over the text before it."""
        return self.shift < -_OVERLAP

    @property
    def veil(self) -> Visibility:
        """Whether text can be seen here, whatever its look."""
        if self.stuck is not None or self.is_sunk or self.shift <= -OFF_PAGE:
            return Visibility.HIDDEN
        return Visibility.DOUBTFUL if self.shift < -MAYBE_OFF_PAGE else Visibility.SHOWN


_FAINT: Final = 0.12
_PALE: Final = 0.3
"""Opacities below which text is hidden, and below which it may be."""
_HIGHLIGHT: Final = (255, 255, 0)
_DEEPEST_COLUMN: Final = 3
"""Own column types that stand for each other."""

_GROUND_KEYS: Final = ("colback", "backgroundcolor", "bgcolor", "bg", "interior style")
_TEXT_KEYS: Final = ("coltext", "colupper", "fontcolor", "fg", "fontupper", "basicstyle", "formatcom")
_PUT_AWAY: Final = names("setbox sbox savebox phantom hphantom vphantom @gobble gobble iffalse")
"""Commands before the cells of a column that is not shown."""


class Effect(NamedTuple):
    """The effect of a command on the look of text. `reads` names its arguments: `*` for a star, `o` for an option, `m`
    for an argument in braces. `change` makes the new look from them, each as its source, empty if it is left out.
    `on_argument`: the look is that of a further argument only, not of all that follows in the group."""

    reads: str
    change: Callable[[Look, Sequence[str], Palette], Look]
    on_argument: bool = False

    def apply_to(self, look: Look, stream: Stream, palette: Palette) -> Look:
        """The look that the command makes. Its arguments follow in the stream and are passed."""
        arguments = [
            ("*" if stream.take_star() else "") if kind == "*"
            else source_text(stream.argument() if kind == "m" else stream.option() or [])
            for kind in self.reads
        ]  # fmt: skip
        return self.change(look, arguments, palette)


def run(look: Look, source: str, palette: Palette) -> Look:
    """The look that the commands in a source make, such as those in the value of an option."""
    stream = Stream(list(tokens(source, "")))
    while (token := stream.take()) is not None:
        if token.kind is not Kind.COMMAND:
            continue
        effect = EFFECTS.get(token.text)
        if effect is not None and not effect.on_argument:
            look = effect.apply_to(look, stream, palette)
        elif token.text in _PUT_AWAY:
            look = look._replace(is_unread=True)
    return look


def apply_options(look: Look, keys: Mapping[str, str], palette: Palette) -> Look:
    """The look that options such as `colback=black, coltext=white` ask for."""
    for key, value in keys.items():
        if key in _GROUND_KEYS:
            # `black`, or `\color{black}`.
            look = look.with_ground(
                run(Look(), value, palette).ink.colour or palette.colour("")
                if value.lstrip().startswith("\\color")
                else palette.colour(value)
            )
        elif key in _TEXT_KEYS and "\\" in value:
            look = run(look, value, palette)
        elif key in _TEXT_KEYS:
            look = look.with_colour(palette.colour(value))
        elif key in ("opacitytext", "opacityupper") and value.replace(".", "").isdecimal():
            look = look._replace(opacity=float(value))
    return look


def columns_of(spec: Sequence[Token], column_types: Mapping[str, list[Token]], depth: int = 0) -> Iterator[str]:
    """The source that each column of a table sets before its cells. `column_types` are the column types of the
    document."""
    stream = Stream(spec)
    before = ""
    while (token := stream.take()) is not None:
        for place, sign in enumerate(token.text if token.kind is Kind.TEXT else ""):
            is_last = place == len(token.text) - 1
            if sign in column_types and depth < _DEEPEST_COLUMN:
                yield from (f"{before}{inner}" for inner in columns_of(column_types[sign], column_types, depth + 1))
                before = ""
            elif sign.isalpha():
                yield before
                before = ""
                if is_last and sign in "pmbXSwW":  # followed by a width
                    stream.group()
            elif sign in "><@!" and is_last:
                argument = source_text(stream.argument())
                before = f"{before}{argument}" if sign == ">" else before


def _number(text: str) -> float | None:
    try:
        return float(text.strip().strip("{}"))
    except ValueError:
        return None


# Each of the following functions makes a look, from the one before and the arguments of a command.


def _unchanged(look: Look, _arguments: Sequence[str], _palette: Palette) -> Look:
    return look


def _in_colour(look: Look, arguments: Sequence[str], palette: Palette) -> Look:
    return look.with_colour(palette.colour(arguments[-1], arguments[-2], look.ink.colour))


def _on_colour(look: Look, arguments: Sequence[str], palette: Palette) -> Look:
    """On the ground of `\\colorbox` or `\\fcolorbox`, whose second model is the first one where it is left out."""
    model = arguments[-2] or arguments[0]
    return look._replace(row=None).with_ground(palette.colour(arguments[-1], model, look.ink.colour))


def _on_row(look: Look, arguments: Sequence[str], palette: Palette) -> Look:
    return look._replace(row=palette.colour(arguments[1], arguments[0], look.ink.colour))


def _opaque(look: Look, arguments: Sequence[str], _palette: Palette) -> Look:
    value = _number(arguments[0])
    veil = Visibility.SHOWN
    if value is None or value < _PALE:
        veil = Visibility.HIDDEN if value is not None and value < _FAINT else Visibility.DOUBTFUL
    return look._replace(opacity=1.0 if value is None else value, veil=veil)


def _in_size(size: float, look: Look, _arguments: Sequence[str], _palette: Palette) -> Look:
    return look.with_size(size)


def _relative(look: Look, arguments: Sequence[str], _palette: Palette) -> Look:
    steps = points(arguments[0], "pt") or 0.0
    return look.with_size((look.ink.size or NORMAL_SIZE) * 1.2 ** max(min(steps, 30), -30))


def _scaled(look: Look, arguments: Sequence[str], _palette: Palette) -> Look:
    factors = [_number(factor) for factor in arguments if factor]
    if None in factors or not factors:
        return look.with_veil(Visibility.DOUBTFUL)
    return look._replace(scale=look.scale * min(abs(factor or 0.0) for factor in factors))


def _fitted(look: Look, arguments: Sequence[str], _palette: Palette) -> Look:
    """Return the look in a box that is fitted to a width and a height: a small one cannot be read, whatever it
    holds."""
    sides = [points(side) for side in arguments[-2:] if side.strip() != "!"]
    smallest = min((abs(side) for side in sides if side is not None), default=PAGE_HEIGHT)
    if smallest >= 10:
        return look
    return look.with_veil(Visibility.HIDDEN if smallest < 3 else Visibility.DOUBTFUL)


def apply_adjustbox(look: Look, arguments: Sequence[str], palette: Palette) -> Look:
    """Return the look in a box of the package adjustbox, with its options."""
    keys = keys_of(arguments[-1])
    scale = keys.get("scale") or keys.get("scalebox")
    look = _scaled(look, [scale], palette) if scale else look
    look = _fitted(look, [keys.get("width", "!"), keys.get("height", "!")], palette)
    look = apply_vertical_move(look, points(keys.get("raise", "0pt").strip("{}")))
    return look.with_veil(Visibility.DOUBTFUL) if "phantom" in keys or {"clip", "trim"} <= keys.keys() else look


def apply_vertical_move(look: Look, move: float | None, *, is_flat: bool = False) -> Look:
    """Return the look in a box that is moved up or down. If its height counts, a box that is moved up pushes its line
    down instead."""
    if move is None or abs(move) < PAGE_HEIGHT / 2:
        return look
    is_away = abs(move) >= PAGE_HEIGHT and (move < 0 or is_flat)
    return look.with_veil(Visibility.HIDDEN if is_away else Visibility.DOUBTFUL)


def _clipped(look: Look, arguments: Sequence[str], _palette: Palette) -> Look:
    margins = [points(margin, "pt") for margin in arguments[-1].split()]
    is_cut = any(margin is None or margin > 1 for margin in margins)
    return look.with_veil(Visibility.DOUBTFUL) if is_cut else look


def _rendered(look: Look, arguments: Sequence[str], _palette: Palette) -> Look:
    mode = keys_of(arguments[0]).get("TextRenderingMode", "")
    return look.with_veil(Visibility.HIDDEN) if "nvisible" in mode or mode in ("3", "7") else look


EFFECTS: Final[Mapping[str, Effect]] = {
    "color": Effect("om", _in_colour),
    "normalcolor": Effect("", lambda look, _arguments, _palette: look.with_colour(None)),
    **dict.fromkeys(("textcolor", "mathcolor"), Effect("om", _in_colour, on_argument=True)),
    "colorbox": Effect("om", _on_colour, on_argument=True),
    "fcolorbox": Effect("omom", _on_colour, on_argument=True),
    "hl": Effect("", lambda look, _arguments, _palette: look._replace(row=None).with_ground(_HIGHLIGHT),
                 on_argument=True),
    **dict.fromkeys(("rowcolor", "cellcolor", "columncolor"), Effect("omoo", _on_row)),
    "rowfont": Effect("om", lambda look, arguments, palette: run(look, arguments[1], palette)),
    **dict.fromkeys(("transparent", "opacity", "pgfsetfillopacity"), Effect("m", _opaque)),
    "texttransparent": Effect("m", _opaque, on_argument=True),
    **{name: Effect("", partial(_in_size, size)) for name, size in SIZES.items()},
    "fontsize": Effect("mm", lambda look, arguments, _palette: look.with_size(points(arguments[0], "pt"))),
    "relsize": Effect("m", _relative),
    "nullfont": Effect("", partial(_in_size, 0.0)),
    "scalebox": Effect("mo", _scaled, on_argument=True),
    "resizebox": Effect("*mm", _fitted, on_argument=True),
    "adjustbox": Effect("*m", apply_adjustbox, on_argument=True),
    "raisebox": Effect("moo", lambda look, words, _palette: apply_vertical_move(look, points(words[0]),
                       is_flat=bool(words[1])), on_argument=True),
    "clipbox": Effect("*m", _clipped, on_argument=True),
    "rotatebox": Effect("om", _unchanged, on_argument=True),
    "reflectbox": Effect("", _unchanged, on_argument=True),
    "textpdfrender": Effect("m", _rendered, on_argument=True),
}  # fmt: skip

"""Computation of how a text in an element is drawn, from the declarations that win in the cascade: its colour over what
is behind it, its size and place, and what takes it off the page. Values are computed as numbers: lengths in pixels,
colours with opacity, variables and calculations.

Sizes of boxes are not computed, so what depends on the layout, such as one element over another, is doubtful at most.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice
from math import cos, isfinite, pi, prod
from typing import Any, Final, NamedTuple

from tinycss2 import color5

from grader.reading.html.parse import BLOCKS, LISTINGS, LISTS, TITLES
from grader.reading.html.sheets import SIDES, Tokens, parts, strip_tokens
from grader.reading.visibility import (
    BLACK,
    CLEAR,
    UNKNOWN,
    WHITE,
    Colour,
    Ink,
    Paint,
    Visibility,
    mixed_colour,
    rounded_colour,
)

_MOST_TOKENS: Final = 500
"""That a value may have, so that variables of variables do not grow without end."""
_MOST_NESTED: Final = 8
_PIXELS: Final = {
    "px": 1.0, "pt": 4 / 3, "pc": 16.0, "in": 96.0, "cm": 96 / 2.54, "mm": 96 / 25.4, "q": 96 / 101.6, "rem": 16.0,
    "rlh": 19.0, "vw": 12.8, "svw": 12.8, "lvw": 12.8, "dvw": 12.8, "vi": 12.8, "cqw": 12.8, "cqi": 12.8, "vmax": 12.8,
    "vh": 8.0, "svh": 8.0, "lvh": 8.0, "dvh": 8.0, "vb": 8.0, "cqh": 8.0, "cqb": 8.0, "vmin": 8.0,
}  # fmt: skip
_IN_FONTS: Final = {"em": 1.0, "ex": 0.5, "ch": 0.5, "cap": 0.7, "ic": 1.0, "lh": 1.2}
_SYSTEM: Final = {
    "canvas": (1.0, 1.0, 1.0), "field": (1.0, 1.0, 1.0), "canvastext": (0.0, 0.0, 0.0), "fieldtext": (0.0, 0.0, 0.0),
    "linktext": (0.0, 0.0, 0.93), "-webkit-link": (0.0, 0.0, 0.93), "window": (1.0, 1.0, 1.0),
    "windowtext": (0.0, 0.0, 0.0), "buttontext": (0.0, 0.0, 0.0), "graytext": (0.5, 0.5, 0.5), "white": (1.0, 1.0, 1.0),
    "background": (1.0, 1.0, 1.0), "text": (0.0, 0.0, 0.0), "marktext": (0.0, 0.0, 0.0), "mark": (1.0, 1.0, 0.0),
}  # fmt: skip


def paint(tokens: Sequence[Any], current: Paint) -> Paint | None:
    """The colour that a value is; UNKNOWN where it cannot be told, None where the value is no colour."""
    tokens = strip_tokens(tokens)
    if len(tokens) != 1:
        return None
    token = tokens[0]
    if token.type == "ident" and token.lower_value in _SYSTEM:
        return _of_srgb(_SYSTEM[token.lower_value], 1.0)
    if token.type == "function" and token.lower_name == "color-mix":
        return _mix(token.arguments, current)
    try:
        found = color5.parse_color(token)
    except (ValueError, TypeError, IndexError, AttributeError, NotImplementedError):
        found = None
    if found == "currentcolor":
        return current
    if found is None:
        is_colour = token.type == "function" and token.lower_name not in _NO_COLOURS
        return Paint(UNKNOWN) if is_colour else None
    return _of_srgb(_in_srgb(found), float(found.alpha))


_NO_COLOURS: Final = frozenset((
    "url", "image-set", "-webkit-image-set", "element", "cross-fade", "paint", "image", "calc", "min", "max", "clamp",
    "attr", "env",
))  # fmt: skip


def _in_srgb(colour: Any) -> Sequence[float]:
    """The coordinates in sRGB; those of wider spaces are taken as they are, which keeps white, greys and black."""
    if colour.space in ("hsl", "hwb"):
        return tuple(colour.to("srgb").coordinates)
    if colour.space in ("lab", "lch", "oklab", "oklch", "xyz", "xyz-d50", "xyz-d65"):
        is_warm = colour.space in ("lab", "lch", "xyz-d50")
        x, y, z = colour.to("xyz-d50" if is_warm else "xyz-d65").coordinates
        if is_warm:  # from the white point D50 to D65
            x, z = x * 0.95047 / 0.96422, z * 1.08883 / 0.82521
        return [
            _with_gamma(3.2409699419 * x - 1.5373831776 * y - 0.4986107603 * z),
            _with_gamma(-0.9692436363 * x + 1.8759675015 * y + 0.0415550574 * z),
            _with_gamma(0.0556300797 * x - 0.2039769589 * y + 1.0569715142 * z),
        ]
    found = [coordinate or 0.0 for coordinate in colour.coordinates]
    return [_with_gamma(entry) for entry in found] if colour.space == "srgb-linear" else found


def _with_gamma(linear: float) -> float:
    return 12.92 * linear if linear <= 0.0031308 else 1.055 * linear ** (1 / 2.4) - 0.055


def _mix(arguments: Sequence[Any], current: Paint) -> Paint:
    """The colour between two others, mixed in sRGB."""
    found: list[tuple[Paint, float | None]] = []
    for argument in parts(arguments)[1:]:
        share = next((token.value / 100 for token in argument if token.type == "percentage"), None)
        colours = (colour for token in argument if (colour := paint([token], current)) is not None)
        found += [(colour, share) for colour in islice(colours, 1)]
    if len(found) != 2 or any(candidate.colour == UNKNOWN for candidate, _ in found):
        return Paint(UNKNOWN)
    (first, share), (second, other) = found
    part = share if share is not None else 1 - other if other is not None else 0.5
    total = part + (other if other is not None else 1 - part)
    part = part / total if total > 0 else 0.5
    opacity = part * first.opacity + (1 - part) * second.opacity
    weight = part * first.opacity / opacity if opacity > 0 else part
    return Paint(mixed_colour(first.colour, second.colour, weight), opacity * min(total, 1.0))


def _of_srgb(coordinates: Sequence[float | None], alpha: float) -> Paint:
    components = [255 * float(coordinate or 0.0) for coordinate in coordinates]
    if len(components) != 3 or not all(map(isfinite, components)):
        return Paint(UNKNOWN)
    return Paint(rounded_colour(components), min(max(alpha, 0.0), 1.0))


def substitute_variables(tokens: Sequence[Any], custom: Mapping[str, Tokens], depth: int = 0) -> Tokens | None:
    """A value with its variables replaced; None where one is not set or the value grows too long."""
    found: list[Any] = []
    for token in tokens:
        if token.type == "function" and token.lower_name == "var":
            inner = token.arguments
            named = next((entry for entry in inner if entry.type not in ("whitespace", "comment")), None)
            at = next((at for at, entry in enumerate(inner) if entry.type == "literal" and entry.value == ","), None)
            name = named.value if named is not None and named.type == "ident" else ""
            value = custom.get(name, None if at is None else strip_tokens(inner[at + 1 :]))
            value = None if value is None or depth > _MOST_NESTED else substitute_variables(value, custom, depth + 1)
            if value is None:
                return None
            found += value
        elif token.type == "function" and has_variable(token.arguments):
            arguments = substitute_variables(token.arguments, custom, depth + 1) if depth <= _MOST_NESTED else None
            if arguments is None:
                return None
            found.append(type(token)(token.source_line, token.source_column, token.name, list(arguments)))
        else:
            found.append(token)
        if len(found) > _MOST_TOKENS:
            return None
    return tuple(found)


def has_variable(tokens: Sequence[Any]) -> bool:
    """Whether a value refers to a variable."""
    return any(
        token.type == "function" and (token.lower_name == "var" or has_variable(token.arguments)) for token in tokens
    )


class Basis(NamedTuple):
    """The sizes in pixels that relative lengths refer to: the size of the font, and what 100 % are."""

    font: float = 16.0
    whole: float | None = None


def length(tokens: Sequence[Any], basis: Basis) -> float | None:
    """A length in pixels, or a plain number; None where the value is neither."""
    tokens = [entry for entry in strip_tokens(tokens) if entry.type != "whitespace"]
    value = _operand(tokens[0], basis, 0) if len(tokens) == 1 else None
    return value if value is not None and isfinite(value) else None


def lengths(tokens: Sequence[Any], basis: Basis) -> list[float | None]:
    """The lengths in a list of values; None for a value that is none."""
    return [length([token], basis) for token in tokens if token.type not in ("whitespace", "literal", "comment")]


def _operand(token: Any, basis: Basis, depth: int) -> float | None:
    if token.type == "number":
        return float(token.value)
    if token.type == "percentage":
        return None if basis.whole is None else float(token.value) / 100 * basis.whole
    if token.type == "dimension":
        unit = token.lower_unit
        factor = _PIXELS.get(unit) or (_IN_FONTS[unit] * basis.font if unit in _IN_FONTS else None)
        return None if factor is None else float(token.value) * factor
    if depth > _MOST_NESTED or token.type not in ("() block", "function"):
        return None
    if token.type == "() block":
        return _sum(token.content, basis, depth + 1)
    if token.lower_name in ("calc", "-webkit-calc"):
        return _sum(token.arguments, basis, depth + 1)
    if token.lower_name not in _FUNCTIONS:
        return None
    values = [_sum(part, basis, depth + 1) for part in parts(token.arguments)]
    numbers = [value for value in values if value is not None]
    return _FUNCTIONS[token.lower_name](numbers) if numbers and len(numbers) == len(values) else None


_FUNCTIONS: Final[dict[str, Callable[[list[float]], float]]] = {
    "min": min,
    "max": max,
    "clamp": lambda values: sorted(values[:3])[len(values[:3]) // 2],
    "abs": lambda values: abs(values[0]),
}


def _sum(tokens: Sequence[Any], basis: Basis, depth: int) -> float | None:
    """The value of a calculation: its products added up."""
    total, sign = 0.0, 1.0
    product: float | None = None
    pending = "*"
    for token in tokens:
        if token.type in ("whitespace", "comment"):
            continue
        if token.type == "literal" and token.value in "+-" and product is not None:
            total, sign, product, pending = total + sign * product, 1.0 if token.value == "+" else -1.0, None, "*"
        elif token.type == "literal" and token.value in "*/":
            pending = token.value
        else:
            value = _operand(token, basis, depth)
            if value is None or (pending == "/" and not value):
                return None
            product = value if product is None else product * value if pending == "*" else product / value
    return None if product is None else total + sign * product


class Transformation(NamedTuple):
    """The effect of transformations on an element: the factor by which its area is smaller or larger, and how far it is
    moved."""

    scale: float = 1.0
    x: float = 0.0
    y: float = 0.0


_RADIANS: Final = {"deg": pi / 180, "rad": 1.0, "turn": 2 * pi, "grad": pi / 200}
_OWN_SIZE: Final = 1_000.0
"""What 100 % of an element's own size is taken for, in pixels."""


def transformation_of(tokens: Sequence[Any], basis: Basis) -> Transformation:
    """The effect of a `transform`."""
    scale, x, y = 1.0, 0.0, 0.0
    for token in tokens:
        if token.type != "function":
            continue
        name = token.lower_name
        whole = 1.0 if name.startswith("scale") else _OWN_SIZE
        given = [length(part, basis._replace(whole=whole)) for part in parts(token.arguments)]
        numbers = [0.0 if entry is None else entry for entry in given] or [0.0]
        if name.startswith("scale"):
            scale *= min(abs(number) for number in numbers[:2])
        elif name in ("rotatex", "rotatey"):
            angles = (entry for entry in strip_tokens(token.arguments)[:1] if entry.type == "dimension")
            scale *= next((abs(cos(angle.value * _RADIANS.get(angle.lower_unit, 0.0))) for angle in angles), 1.0)
        elif name.startswith("translate"):
            is_vertical = name == "translatey"
            x += 0.0 if is_vertical else scale * numbers[0]
            y += scale * numbers[0] if is_vertical else scale * numbers[1] if len(numbers) > 1 else 0.0
        elif name == "matrix" and len(numbers) == 6:
            a, b, c, d, right, down = numbers
            scale, x, y = scale * abs(a * d - b * c) ** 0.5, x + scale * right, y + scale * down
    return Transformation(0.0 if scale < 1e-3 else scale, x, y)


def stops(token: Any, current: Paint) -> list[Paint]:
    """The colours of a gradient."""
    found = (paint(strip_tokens(part)[:1], current) for part in parts(token.arguments))
    return [candidate for candidate in found if candidate is not None]


Values = Mapping[str, tuple[str, Tokens]]
"""For each property that is declared: the property or shorthand that was written, and its value."""

WIDTH: Final[float] = 1280
HEIGHT: Final = 800.0
"""Of the window, in pixels."""
FAR: Final = 1_200.0
"""Pixels by which a text is moved off the page wherever it stood."""
ASIDE: Final = 300.0
"""Pixels by which a text may be moved off the page."""
THIN: Final = 4.0
"""Pixels of height or width of a box that shows nothing of what it cuts off."""
NARROW: Final = 9.0
"""Pixels of a box that may show a text."""
_BLURRED: Final = 2.0
_FAINT: Final = 0.05
_POINT: Final = 0.75
"""Of a pixel."""

_CELLS: Final = frozenset(("td", "th", "caption", "tr", "tbody", "thead", "tfoot"))
_AS_BLOCKS: Final = BLOCKS | LISTS | LISTINGS | {*TITLES, "li", "dt", "dd", "figcaption", "nav", "table", "caption"}
_NEVER_SHOWN: Final = frozenset((
    "area", "audio", "base", "basefont", "canvas", "datalist", "head", "iframe", "link", "meta", "noembed", "noframes",
    "noscript", "object", "param", "rp", "script", "style", "template", "title", "video",
))  # fmt: skip
"""Elements whose text browsers do not display."""
_FONTS: Final = {
    "h1": 2.0, "h2": 1.5, "h3": 1.17, "h5": 0.83, "h6": 0.67, "small": 0.83, "sub": 0.83, "sup": 0.83, "big": 1.2,
}  # fmt: skip
_KEYWORDS: Final = {
    "xx-small": 9.0, "x-small": 10.0, "small": 13.0, "medium": 16.0, "large": 18.0, "x-large": 24.0, "xx-large": 32.0,
    "xxx-large": 48.0,
}  # fmt: skip
_RELATIVE: Final = {"smaller": 0.83, "larger": 1.2}
_SCRIPTS: Final = {"super": "^", "sub": "_"}
_RESETTING: Final = frozenset(("initial", "unset", "revert", "revert-layer"))


class Style(NamedTuple):
    """The style of an element as far as it says how the text in it is drawn. Sizes are in pixels.

    `fill` is the colour of glyphs where it is not `colour`; `grounds` are the colours that may be behind the text;
    `behind` are those on which a clipped background was painted. `opacity`, `scale`, `x` and `y` are those of all
    elements around together. `taken` is how far the element, or one around it, is taken off the page, and `is_unlit`
    whether that, or its colour, changes when a person does something on the page, or prints it.
    """

    script: str = ""
    is_bold: bool | None = None
    is_inline: bool = False
    display: str = "block"
    position: str = "static"
    colour: Paint = Paint(BLACK)
    fill: Paint | None = None
    is_outlined: bool = False
    grounds: tuple[Colour, ...] = (WHITE,)
    is_on_ground: bool = False
    is_box: bool = False
    is_clipped: bool = False
    behind: tuple[Colour, ...] = ()
    size: float = 16.0
    line: float | None = None
    spacing: float = 0.0
    indent: float = 0.0
    opacity: float = 1.0
    scale: float = 1.0
    x: float = 0.0
    y: float = 0.0
    is_invisible: bool = False
    taken: Visibility = Visibility.SHOWN
    can_be_lit: bool = False
    custom: Mapping[str, Tokens] = {}

    @property
    def is_off(self) -> bool:
        """Whether the element is taken off the page, whatever its colours."""
        return self.is_invisible or max(self.taken, self._by_place()) is not Visibility.SHOWN

    @property
    def visibility(self) -> Visibility:
        """Whether a text in the element can be seen."""
        invisible = Visibility.HIDDEN if self.is_invisible else Visibility.SHOWN
        squeezed = Visibility.DOUBTFUL if self.spacing < -0.4 * self.size else Visibility.SHOWN
        found = max(self.taken, invisible, squeezed, self._by_place(), self._by_ink())
        return min(found, Visibility.DOUBTFUL) if self.can_be_lit else found

    def _by_place(self) -> Visibility:
        sideways, up = abs(self.x + self.indent), -self.y
        if sideways >= FAR or up >= FAR:
            return Visibility.HIDDEN
        aside = self.x + self.indent <= -ASIDE or up >= ASIDE or self.y >= 4 * FAR
        return Visibility.DOUBTFUL if aside else Visibility.SHOWN

    def _by_ink(self) -> Visibility:
        glyphs = self.fill or self.colour
        glyphs = glyphs._replace(opacity=glyphs.opacity * self.opacity)
        size = self.size * self.scale * _POINT
        if self.is_clipped and glyphs.opacity < 1:
            found = {_seen(Paint(ground), below, size) for ground in self.grounds for below in self.behind}
        else:
            found = {_seen(glyphs, ground, size) for ground in self.grounds}
        visibility = next(iter(found)) if len(found) == 1 else Visibility.DOUBTFUL
        return min(visibility, Visibility.DOUBTFUL) if self.is_outlined else visibility


def _seen(glyphs: Paint, ground: Colour, size: float) -> Visibility:
    """Whether glyphs on a ground can be seen; glyphs of which little is left on an unknown ground are hidden, and those
    of an unknown colour are doubtful."""
    if glyphs.colour == UNKNOWN:
        return Visibility.DOUBTFUL
    if glyphs.opacity < 1 and ground == UNKNOWN:
        colour = CLEAR if glyphs.opacity < _FAINT else glyphs.colour
        faint = Visibility.SHOWN if glyphs.opacity >= 0.3 or colour == CLEAR else Visibility.DOUBTFUL
        return max(faint, Ink(colour, ground, size).visibility)
    return Ink(glyphs.colour_over(ground), ground, size).visibility


class Hints(NamedTuple):
    """The way in which browsers draw an element that no style sheet mentions."""

    is_shown: bool = True
    colour: Paint | None = None
    ground: Paint | None = None


def hints(name: str, attributes: Mapping[str, str], colour: Callable[[str], Paint | None]) -> Hints:
    """The look that an element has by its name and attributes; `colour` reads the colour that an attribute names."""
    is_shown = name not in _NEVER_SHOWN and "hidden" not in attributes and "popover" not in attributes
    if name == "dialog":
        return Hints("open" in attributes and is_shown, Paint(BLACK), Paint(WHITE))
    if name == "mark":
        return Hints(is_shown, Paint(BLACK), Paint((255, 255, 0)))
    own_paint: Paint | None = None
    if name == "a" and "href" in attributes:
        own_paint = Paint((0, 0, 238))
    elif name in ("font", "body", "basefont", "mstyle", "math", "mtext"):
        own_paint = colour(attributes.get({"body": "text"}.get(name, "color"), attributes.get("mathcolor", "")))
    ground = Paint(UNKNOWN) if attributes.get("background") else colour(attributes.get("bgcolor", ""))
    return Hints(is_shown, own_paint, ground)


class Computing:
    """Computes the style of one element within another; one use only."""

    def __init__(self, values: Values, around: Style, custom: Mapping[str, Tokens], moving: frozenset[str]) -> None:
        self._values = values
        self._around = around
        self._custom = custom
        self._moving = moving
        self._font = around.size

    def _written(self, name: str) -> str:
        """The property or shorthand that gives a property its value; empty where none does."""
        return self._values[name][0] if name in self._values else ""

    def _tokens(self, name: str) -> Tokens:
        """The value of a property, with its variables replaced; empty where it has none of its own."""
        tokens = self._values[name][1] if name in self._values else ()
        if tokens and has_variable(tokens):
            tokens = substitute_variables(tokens, self._custom) or ()
        return () if _word(tokens) in _RESETTING else tokens

    def _is_reset(self, name: str) -> bool:
        """Whether a property that is inherited is set back to what browsers begin with."""
        return name in self._values and _word(self._values[name][1]) == "initial"

    def _length(self, name: str, whole: float | None = None) -> float | None:
        """The length that is the value of a property; None where it has none of its own."""
        tokens, written = self._tokens(name), self._written(name)
        return length(_side(tokens, SIDES[written][name]) if written in SIDES else tokens, Basis(self._font, whole))

    def _word(self, name: str) -> str:
        return _word(self._tokens(name))

    def style(self, name: str, own_hints: Hints) -> Style:
        """The style of an element of a name, with what browsers add to it."""
        around = self._around
        self._font = self._size(name)
        display, position = self._display(name, own_hints), self._word("position") or "static"
        is_apart = position in ("absolute", "fixed") or (self._word("float") not in ("", "none"))
        in_flow = around.display in ("flex", "inline-flex", "grid", "inline-grid")
        colour = self._colour(own_hints)
        fill = paint(self._tokens("-webkit-text-fill-color"), colour)
        visible = self._word("visibility")
        unspaced = 0.0 if self._tokens("letter-spacing") else around.spacing
        style = around._replace(
            script=_SCRIPTS.get(self._word("vertical-align"), ""),
            is_bold=self._bold(),
            display=display,
            position=position,
            is_inline=display in ("inline", "contents") and not (is_apart or in_flow),
            colour=colour,
            fill=None if self._is_reset("-webkit-text-fill-color") else fill or around.fill,
            is_outlined=self._outlined(colour),
            size=self._font,
            indent=_or(self._length("text-indent", WIDTH), around.indent),
            spacing=_or(self._length("letter-spacing"), unspaced),
            is_invisible=visible in ("hidden", "collapse") if visible not in ("", "inherit") else around.is_invisible,
            custom=self._custom,
            line=self._line(),
            is_box=False,
        )
        style = self._placed(self._grounded(style, own_hints, name))
        taken = max(self._taken(style, display), around.taken)
        return style._replace(taken=taken, opacity=around.opacity * self._opacity())

    def _size(self, name: str) -> float:
        around = self._around.size
        tokens = self._tokens("font-size")
        if self._written("font-size") == "font":
            tokens = _font_size(tokens)
        if self._is_reset("font-size"):
            return 16.0
        zoom = max(self._length("zoom", 1.0) or 1.0, 0.0) or 1.0
        if not tokens:
            return around * _FONTS.get(name, 1.0) * zoom
        word = _word(tokens)
        if word:
            return zoom * (around * _RELATIVE[word] if word in _RELATIVE else _KEYWORDS.get(word, around))
        return zoom * max(_or(length(tokens, Basis(around, around)), around), 0.0)

    def _display(self, name: str, own_hints: Hints) -> str:
        words: list[str] = [token.lower_value for token in self._tokens("display") if token.type == "ident"]
        if words == ["inherit"]:
            return self._around.display
        if words:
            return next((word for word in words if word in ("flex", "grid", "none", "contents")), words[0])
        if not own_hints.is_shown:
            return "none"
        return "table-cell" if name in _CELLS else "block" if name in _AS_BLOCKS else "inline"

    def _colour(self, own_hints: Hints) -> Paint:
        around, tokens = self._around.colour, self._tokens("color")
        if self._is_reset("color"):
            return Paint(BLACK)
        return (paint(tokens, around) if tokens else own_hints.colour) or around

    def _bold(self) -> bool | None:
        tokens = self._tokens("font-weight")
        if self._written("font-weight") == "font":
            return True if any(_word([token]) in ("bold", "bolder") for token in tokens) else None
        word, number = _word(tokens), length(tokens, Basis())
        if word in ("bold", "bolder") or (number is not None and number >= 600):
            return True
        return False if word in ("normal", "lighter") or number is not None else None

    def _outlined(self, colour: Paint) -> bool:
        shadow, stroke = self._tokens("text-shadow"), self._tokens("-webkit-text-stroke-width")
        if not shadow and not stroke:
            return self._around.is_outlined
        drawn = (paint([token], colour) for token in (*shadow, *stroke))
        has_drawing = any(candidate is not None and candidate.opacity >= _FAINT for candidate in drawn)
        return has_drawing or _word(stroke) not in ("", "none", "0")

    def _line(self) -> float | None:
        """The height of a line; None where it follows from the font."""
        tokens = self._tokens("line-height")
        if not tokens or self._written("line-height") == "font":
            return self._around.line
        found = length(tokens, Basis(self._font, self._font))
        return found * self._font if found is not None and tokens[0].type == "number" else found

    def _opacity(self) -> float:
        filters = (token for token in self._tokens("filter") if token.type == "function")
        values = (self._tokens("opacity"), *(entry.arguments for entry in filters if entry.lower_name == "opacity"))
        return prod(min(max(_or(length(value, Basis(whole=1.0)), 1.0), 0.0), 1.0) for value in values)

    def _grounded(self, style: Style, own_hints: Hints, name: str) -> Style:
        """The style with the colours that are behind its text."""
        layers = [
            candidate for token in self._tokens("background-image") for candidate in _painted(token, style.colour)
        ]
        flat = self._ground(style.colour, own_hints)
        if flat.opacity * style.opacity < _FAINT and not layers:
            return style
        base = tuple(dict.fromkeys(flat.colour_over(ground) for ground in style.grounds))
        images = tuple(dict.fromkeys(layer.colour_over(ground) for layer in layers for ground in base))
        grounds = (images or base)[:8]
        if any(_word([token]) == "text" for token in self._tokens("background-clip")):
            return style._replace(grounds=grounds, is_clipped=True, behind=style.grounds)
        has_size = any(_or(self._length(side, HEIGHT), -1.0) >= 0 for side in ("height", "bottom", "min-height"))
        return style._replace(
            grounds=grounds,
            is_clipped=False,
            is_on_ground=name not in ("html", "body"),
            is_box=has_size and (bool(layers) or flat.opacity * style.opacity > 0.8),
        )

    def _ground(self, current: Paint, own_hints: Hints) -> Paint:
        """The colour of the ground below images and gradients."""
        if self._values.get("background-color") is None and own_hints.ground is not None:
            return own_hints.ground
        if self._word("background-color") == "inherit" and len(self._around.grounds) == 1:
            return Paint(self._around.grounds[0])
        colours = [paint([token], current) for token in self._tokens("background-color") if not _is_image(token)]
        return next((colour for colour in reversed(colours) if colour is not None), Paint(WHITE, 0.0))

    def _placed(self, style: Style) -> Style:
        """The style with how far the element is moved from where it would stand, and how far it is scaled."""
        around = self._around
        right = down = 0.0
        if style.position not in ("static", "sticky"):
            bottom = self._length("bottom", HEIGHT)
            right += _or(self._length("left", WIDTH), -(self._length("right", WIDTH) or 0.0))
            down += _or(self._length("top", HEIGHT), -(bottom or 0.0) if style.position == "relative" else 0.0)
            if style.position == "fixed" and bottom is not None and bottom <= -HEIGHT:
                down -= FAR * 2
        right += self._length("margin-left", WIDTH) or 0.0
        down += 0.0 if style.is_inline else min(self._length("margin-top", WIDTH) or 0.0, 0.0)
        scale, x, y = 1.0, 0.0, 0.0
        if not style.is_inline:
            scale, x, y = transformation_of(self._tokens("transform"), Basis(self._font))
            scales = lengths(self._tokens("scale"), Basis(whole=1.0))
            scale *= min((abs(candidate) for candidate in scales if candidate is not None), default=1.0)
            across, along, *_ = (*lengths(self._tokens("translate"), Basis(self._font, 1_000.0)), None, None)
            x, y = x + (across or 0.0), y + (along or 0.0)
        return style._replace(x=around.x + right + x, y=around.y + down + y, scale=around.scale * scale)

    def _taken(self, style: Style, display: str) -> Visibility:
        """Return how far the element is taken off the page by its own declarations."""
        if display == "none" or self._word("content-visibility") == "hidden":
            return Visibility.HIDDEN
        return max([Visibility.SHOWN, *self._cuts(style), *self._effects(style)])

    def _cuts(self, style: Style) -> Iterator[Visibility]:
        if style.position in ("absolute", "fixed"):
            yield _clipped(self._tokens("clip"))
        if style.is_inline:
            return
        yield _cut(self._tokens("clip-path"), self._font)
        for axis, sizes, least, room in (
            ("overflow-y", ("height", "max-height"), "min-height", ("padding-top", "padding-bottom")),
            ("overflow-x", ("width", "max-width"), "min-width", ()),
        ):
            box_limits = [entry for entry in (self._length(name, HEIGHT) for name in sizes) if entry is not None]
            if axis == "overflow-y" and not box_limits and style.line is not None and style.line <= NARROW:
                box_limits = [style.line]
            if not box_limits or style.display in ("table-cell", "table"):
                continue
            box = max(min(box_limits), self._length(least, HEIGHT) or 0.0)
            padding = sum(self._length(text, WIDTH) or 0.0 for text in room)
            hides = any(_word([token]) in ("hidden", "clip", "auto", "scroll") for token in self._tokens(axis))
            if hides and box <= NARROW:
                yield Visibility.HIDDEN if box + padding <= THIN else Visibility.DOUBTFUL

    def _effects(self, style: Style) -> Iterator[Visibility]:
        for token in self._tokens("filter"):
            if token.type in ("function", "url"):
                yield _filtered(token)
        doubtful = (
            self._word("mask-image") != "none" and bool(self._tokens("mask-image")),
            self._word("mix-blend-mode") not in ("", "normal", "multiply", "darken", "isolate"),
            self._word("-webkit-text-security") not in ("", "none"),
            self._word("unicode-bidi") in ("bidi-override", "isolate-override"),
            any(token.type in ("url", "function") for token in self._tokens("content")),
            any(getattr(token, "value", None) in self._moving for token in self._tokens("animation-name")),
            style.position != "static" and self._around.is_on_ground and (self._length("z-index") or 0.0) < 0,
        )
        if any(doubtful):
            yield Visibility.DOUBTFUL


def _word(tokens: Sequence[Any]) -> str:
    return tokens[0].lower_value if len(tokens) == 1 and tokens[0].type == "ident" else ""


def _or(found: float | None, otherwise: float) -> float:
    return otherwise if found is None else found


def _side(tokens: Sequence[Any], place: int) -> Tokens:
    """The value of one side in a shorthand for all."""
    values = [token for token in tokens if token.type != "whitespace"]
    while values and place >= len(values):
        place = place - 2 if place >= 2 else 0
    return tuple(values[place : place + 1])


def _font_size(tokens: Sequence[Any]) -> Tokens:
    """The size within a `font` shorthand: the first length or word for a size."""
    for token in tokens:
        is_size = token.type in ("dimension", "percentage", "function") or (token.type == "number" and not token.value)
        if is_size or _word([token]) in {*_KEYWORDS, *_RELATIVE}:
            return (token,)
    return ()


def _is_image(token: Any) -> bool:
    return token.type == "url" or (
        token.type == "function" and ("url" in token.lower_name or "image" in token.lower_name)
    )


def _painted(token: Any, current: Paint) -> list[Paint]:
    """The colours of a layer of a background; UNKNOWN for a picture."""
    if token.type == "function" and token.lower_name.endswith("gradient"):
        return stops(token, current)
    return [Paint(UNKNOWN)] if _is_image(token) else []


def _clipped(tokens: Sequence[Any]) -> Visibility:
    """The effect of the old `clip: rect(…)`."""
    if len(tokens) != 1 or tokens[0].type != "function":
        return Visibility.SHOWN
    sides = lengths(tokens[0].arguments, Basis())
    if len(sides) != 4:
        return Visibility.SHOWN
    top, right, bottom, left = sides
    boxes = [end - (start or 0.0) for start, end in ((left, right), (top, bottom)) if end is not None]
    box = min(boxes, default=HEIGHT)
    return Visibility.HIDDEN if box <= THIN else Visibility.DOUBTFUL if box <= NARROW else Visibility.SHOWN


def _cut(tokens: Sequence[Any], font: float) -> Visibility:
    """The effect of a `clip-path`."""
    token = tokens[0] if tokens else None
    if token is None or token.type not in ("function", "url"):
        return Visibility.SHOWN
    name, basis = "" if token.type == "url" else token.lower_name, Basis(font, 100.0)
    if name == "polygon":
        points = [point for point in (lengths(part, basis) for part in parts(token.arguments)) if len(point) == 2]
        axes = ([entry or 0.0 for entry in axis] for axis in zip(*points, strict=True))
        extent = min((max(axis) - min(axis) for axis in axes), default=0.0)
        return Visibility.HIDDEN if extent <= 1 else Visibility.DOUBTFUL
    numbers = [candidate for candidate in lengths(token.arguments, basis) if candidate is not None] if name else []
    if name in ("circle", "ellipse"):
        return Visibility.HIDDEN if numbers and min(numbers[:2]) <= 1 else Visibility.DOUBTFUL
    if name != "inset" or not numbers:
        return Visibility.DOUBTFUL
    top, right, bottom, left = (numbers * 4)[:4] if len(numbers) != 3 else (*numbers, numbers[1])
    if top + bottom >= 100 or left + right >= 100:
        return Visibility.HIDDEN
    return Visibility.SHOWN if max(top, right, bottom, left) <= 0 else Visibility.DOUBTFUL


def _filtered(token: Any) -> Visibility:
    """The effect of a filter, except for its opacity."""
    if token.type == "url":
        return Visibility.DOUBTFUL
    amount = length(token.arguments, Basis(whole=1.0))
    if token.lower_name == "blur":
        return Visibility.DOUBTFUL if (amount or 0.0) >= _BLURRED else Visibility.SHOWN
    if token.lower_name in ("brightness", "contrast") and amount is not None:
        return Visibility.SHOWN if 0.5 <= amount <= 2 else Visibility.DOUBTFUL
    is_even = token.lower_name in ("invert", "sepia") and amount is not None and 0.3 <= amount <= 0.7
    return Visibility.DOUBTFUL if is_even else Visibility.SHOWN

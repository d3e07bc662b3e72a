"""Values of style sheets as numbers: lengths in pixels, colours with opacity, variables and calculations."""

from collections.abc import Callable, Mapping, Sequence
from itertools import islice
from math import cos, isfinite, pi
from typing import Any, Final, NamedTuple

from tinycss2 import color5

from grader.reading.html.sheets import Tokens, parts, stripped
from grader.reading.visibility import UNKNOWN, Paint, mixed, rounded

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
    tokens = stripped(tokens)
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
    found = [one or 0.0 for one in colour.coordinates]
    return [_with_gamma(one) for one in found] if colour.space == "srgb-linear" else found


def _with_gamma(linear: float) -> float:
    return 12.92 * linear if linear <= 0.0031308 else 1.055 * linear ** (1 / 2.4) - 0.055


def _mix(arguments: Sequence[Any], current: Paint) -> Paint:
    """The colour between two others, mixed in sRGB."""
    found: list[tuple[Paint, float | None]] = []
    for one in parts(arguments)[1:]:
        share = next((token.value / 100 for token in one if token.type == "percentage"), None)
        colours = (colour for token in one if (colour := paint([token], current)) is not None)
        found += [(colour, share) for colour in islice(colours, 1)]
    if len(found) != 2 or any(one.colour == UNKNOWN for one, _ in found):
        return Paint(UNKNOWN)
    (first, share), (second, other) = found
    part = share if share is not None else 1 - other if other is not None else 0.5
    total = part + (other if other is not None else 1 - part)
    part = part / total if total > 0 else 0.5
    opacity = part * first.opacity + (1 - part) * second.opacity
    weight = part * first.opacity / opacity if opacity > 0 else part
    return Paint(mixed(first.colour, second.colour, weight), opacity * min(total, 1.0))


def _of_srgb(coordinates: Sequence[float | None], alpha: float) -> Paint:
    known = [255 * float(one or 0.0) for one in coordinates]
    if len(known) != 3 or not all(map(isfinite, known)):
        return Paint(UNKNOWN)
    return Paint(rounded(known), min(max(alpha, 0.0), 1.0))


def substituted(tokens: Sequence[Any], custom: Mapping[str, Tokens], depth: int = 0) -> Tokens | None:
    """A value with its variables replaced; None where one is not set or the value grows too long."""
    found: list[Any] = []
    for token in tokens:
        if token.type == "function" and token.lower_name == "var":
            inner = token.arguments
            named = next((one for one in inner if one.type not in ("whitespace", "comment")), None)
            at = next((at for at, one in enumerate(inner) if one.type == "literal" and one.value == ","), None)
            name = named.value if named is not None and named.type == "ident" else ""
            value = custom.get(name, None if at is None else stripped(inner[at + 1 :]))
            value = None if value is None or depth > _MOST_NESTED else substituted(value, custom, depth + 1)
            if value is None:
                return None
            found += value
        elif token.type == "function" and has_variable(token.arguments):
            arguments = substituted(token.arguments, custom, depth + 1) if depth <= _MOST_NESTED else None
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
    return any(one.type == "function" and (one.lower_name == "var" or has_variable(one.arguments)) for one in tokens)


class Basis(NamedTuple):
    """The sizes in pixels that relative lengths refer to: the size of the font, and what 100 % are."""

    font: float = 16.0
    whole: float | None = None


def length(tokens: Sequence[Any], basis: Basis) -> float | None:
    """A length in pixels, or a plain number; None where the value is neither."""
    tokens = [one for one in stripped(tokens) if one.type != "whitespace"]
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
    values = [_sum(one, basis, depth + 1) for one in parts(token.arguments)]
    known = [one for one in values if one is not None]
    return _FUNCTIONS[token.lower_name](known) if known and len(known) == len(values) else None


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


class Moved(NamedTuple):
    """How transformations change an element: by which factor its area is smaller or larger, and how far it is moved."""

    scale: float = 1.0
    x: float = 0.0
    y: float = 0.0


_RADIANS: Final = {"deg": pi / 180, "rad": 1.0, "turn": 2 * pi, "grad": pi / 200}
_OWN_SIZE: Final = 1_000.0
"""What 100 % of an element's own size is taken for, in pixels."""


def moved(tokens: Sequence[Any], basis: Basis) -> Moved:
    """The effect of a `transform`."""
    scale, x, y = 1.0, 0.0, 0.0
    for token in tokens:
        if token.type != "function":
            continue
        name = token.lower_name
        whole = 1.0 if name.startswith("scale") else _OWN_SIZE
        given = [length(one, basis._replace(whole=whole)) for one in parts(token.arguments)]
        numbers = [0.0 if one is None else one for one in given] or [0.0]
        if name.startswith("scale"):
            scale *= min(abs(number) for number in numbers[:2])
        elif name in ("rotatex", "rotatey"):
            angles = (one for one in stripped(token.arguments)[:1] if one.type == "dimension")
            scale *= next((abs(cos(one.value * _RADIANS.get(one.lower_unit, 0.0))) for one in angles), 1.0)
        elif name.startswith("translate"):
            is_vertical = name == "translatey"
            x += 0.0 if is_vertical else scale * numbers[0]
            y += scale * numbers[0] if is_vertical else scale * numbers[1] if len(numbers) > 1 else 0.0
        elif name == "matrix" and len(numbers) == 6:
            a, b, c, d, right, down = numbers
            scale, x, y = scale * abs(a * d - b * c) ** 0.5, x + scale * right, y + scale * down
    return Moved(0.0 if scale < 1e-3 else scale, x, y)


def stops(token: Any, current: Paint) -> list[Paint]:
    """The colours of a gradient."""
    found = (paint(stripped(one)[:1], current) for one in parts(token.arguments))
    return [one for one in found if one is not None]

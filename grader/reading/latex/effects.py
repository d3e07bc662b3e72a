"""Commands that change how text is drawn, as data: what arguments each one has, and the look that it makes of another
one.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Final, NamedTuple

from grader.reading.latex.colours import Palette
from grader.reading.latex.lengths import keys_of, points
from grader.reading.latex.looks import NORMAL_SIZE, PAGE_HEIGHT, SIZES, Look
from grader.reading.latex.stream import Stream, written
from grader.reading.latex.tokens import Kind, Token, tokens
from grader.reading.maths.tokens import names
from grader.reading.visibility import Colour, Visibility

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
    """What a command does to the look of text. `reads` names its arguments: `*` for a star, `o` for an option, `m` for
    an argument in braces. `change` makes the new look from them, each as its source, empty where it is left out.
    `on_argument`: the look is that of a further argument only, not of all that follows in the group."""

    reads: str
    change: Callable[[Look, Sequence[str], Palette], Look]
    on_argument: bool = False

    def applied(self, look: Look, stream: Stream, palette: Palette) -> Look:
        """The look that the command makes. Its arguments follow in the stream and are passed."""
        arguments = [
            ("*" if stream.starred() else "") if kind == "*"
            else written(stream.argument() if kind == "m" else stream.option() or [])
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
            look = effect.applied(look, stream, palette)
        elif token.text in _PUT_AWAY:
            look = look._replace(is_unread=True)
    return look


def keyed(look: Look, keys: Mapping[str, str], palette: Palette) -> Look:
    """The look that options such as `colback=black, coltext=white` ask for."""
    for key, value in keys.items():
        if key in _GROUND_KEYS:
            look = look.on(_colour_of_value(value, palette))
        elif key in _TEXT_KEYS and "\\" in value:
            look = run(look, value, palette)
        elif key in _TEXT_KEYS:
            look = look.coloured(palette.colour(value))
        elif key in ("opacitytext", "opacityupper") and value.replace(".", "").isdecimal():
            look = look._replace(opacity=float(value))
    return look


def columns_of(spec: Sequence[Token], own: Mapping[str, list[Token]], depth: int = 0) -> Iterator[str]:
    """The source that each column of a table sets before its cells. `own` are the column types of the document."""
    stream = Stream(spec)
    before = ""
    while (token := stream.take()) is not None:
        for place, sign in enumerate(token.text if token.kind is Kind.TEXT else ""):
            is_last = place == len(token.text) - 1
            if sign in own and depth < _DEEPEST_COLUMN:
                yield from (f"{before}{inner}" for inner in columns_of(own[sign], own, depth + 1))
                before = ""
            elif sign.isalpha():
                yield before
                before = ""
                if is_last and sign in "pmbXSwW":  # followed by a width
                    stream.group()
            elif sign in "><@!" and is_last:
                argument = written(stream.argument())
                before = f"{before}{argument}" if sign == ">" else before


def _colour_of_value(value: str, palette: Palette) -> Colour:
    """The colour in the value of an option: `black`, or `\\color{black}`."""
    if value.lstrip().startswith("\\color"):
        return run(Look(), value, palette).ink.colour or palette.colour("")
    return palette.colour(value)


def _number(text: str) -> float | None:
    try:
        return float(text.strip().strip("{}"))
    except ValueError:
        return None


# Each of the following functions makes a look, from the one before and the arguments of a command.


def _unchanged(look: Look, _arguments: Sequence[str], _palette: Palette) -> Look:
    return look


def _in_colour(look: Look, arguments: Sequence[str], palette: Palette) -> Look:
    return look.coloured(palette.colour(arguments[-1], arguments[-2], look.ink.colour))


def _on_colour(look: Look, arguments: Sequence[str], palette: Palette) -> Look:
    """On the ground of `\\colorbox` or `\\fcolorbox`, whose second model is the first one where it is left out."""
    model = arguments[-2] or arguments[0]
    return look._replace(row=None).on(palette.colour(arguments[-1], model, look.ink.colour))


def _on_row(look: Look, arguments: Sequence[str], palette: Palette) -> Look:
    return look._replace(row=palette.colour(arguments[1], arguments[0], look.ink.colour))


def _opaque(look: Look, arguments: Sequence[str], _palette: Palette) -> Look:
    value = _number(arguments[0])
    veil = Visibility.SHOWN
    if value is None or value < _PALE:
        veil = Visibility.HIDDEN if value is not None and value < _FAINT else Visibility.DOUBTFUL
    return look._replace(opacity=1.0 if value is None else value, veil=veil)


def _in_size(size: float, look: Look, _arguments: Sequence[str], _palette: Palette) -> Look:
    return look.sized(size)


def _relative(look: Look, arguments: Sequence[str], _palette: Palette) -> Look:
    steps = points(arguments[0], "pt") or 0.0
    return look.sized((look.ink.size or NORMAL_SIZE) * 1.2 ** max(min(steps, 30), -30))


def _scaled(look: Look, arguments: Sequence[str], _palette: Palette) -> Look:
    factors = [_number(factor) for factor in arguments if factor]
    if None in factors or not factors:
        return look.behind(Visibility.DOUBTFUL)
    return look._replace(scale=look.scale * min(abs(factor or 0.0) for factor in factors))


def _fitted(look: Look, arguments: Sequence[str], _palette: Palette) -> Look:
    """In a box that is fitted to a width and a height: a small one cannot be read, whatever it holds."""
    sides = [points(side) for side in arguments[-2:] if side.strip() != "!"]
    smallest = min((abs(side) for side in sides if side is not None), default=PAGE_HEIGHT)
    if smallest >= 10:
        return look
    return look.behind(Visibility.HIDDEN if smallest < 3 else Visibility.DOUBTFUL)


def adjusted(look: Look, arguments: Sequence[str], palette: Palette) -> Look:
    """In a box of the package adjustbox, with its options."""
    keys = keys_of(arguments[-1])
    scale = keys.get("scale") or keys.get("scalebox")
    look = _scaled(look, [scale], palette) if scale else look
    look = _fitted(look, [keys.get("width", "!"), keys.get("height", "!")], palette)
    look = raised(look, points(keys.get("raise", "0pt").strip("{}")))
    return look.behind(Visibility.DOUBTFUL) if "phantom" in keys or {"clip", "trim"} <= keys.keys() else look


def raised(look: Look, move: float | None, *, is_flat: bool = False) -> Look:
    """In a box that is moved up or down. Where its height counts, a box that is moved up pushes its line down
    instead."""
    if move is None or abs(move) < PAGE_HEIGHT / 2:
        return look
    is_away = abs(move) >= PAGE_HEIGHT and (move < 0 or is_flat)
    return look.behind(Visibility.HIDDEN if is_away else Visibility.DOUBTFUL)


def _clipped(look: Look, arguments: Sequence[str], _palette: Palette) -> Look:
    margins = [points(margin, "pt") for margin in arguments[-1].split()]
    is_cut = any(margin is None or margin > 1 for margin in margins)
    return look.behind(Visibility.DOUBTFUL) if is_cut else look


def _rendered(look: Look, arguments: Sequence[str], _palette: Palette) -> Look:
    mode = keys_of(arguments[0]).get("TextRenderingMode", "")
    return look.behind(Visibility.HIDDEN) if "nvisible" in mode or mode in ("3", "7") else look


EFFECTS: Final[Mapping[str, Effect]] = {
    "color": Effect("om", _in_colour),
    "normalcolor": Effect("", lambda look, _arguments, _palette: look.coloured(None)),
    **dict.fromkeys(("textcolor", "mathcolor"), Effect("om", _in_colour, on_argument=True)),
    "colorbox": Effect("om", _on_colour, on_argument=True),
    "fcolorbox": Effect("omom", _on_colour, on_argument=True),
    "hl": Effect("", lambda look, _arguments, _palette: look._replace(row=None).on(_HIGHLIGHT), on_argument=True),
    **dict.fromkeys(("rowcolor", "cellcolor", "columncolor"), Effect("omoo", _on_row)),
    "rowfont": Effect("om", lambda look, arguments, palette: run(look, arguments[1], palette)),
    **dict.fromkeys(("transparent", "opacity", "pgfsetfillopacity"), Effect("m", _opaque)),
    "texttransparent": Effect("m", _opaque, on_argument=True),
    **{name: Effect("", partial(_in_size, size)) for name, size in SIZES.items()},
    "fontsize": Effect("mm", lambda look, arguments, _palette: look.sized(points(arguments[0], "pt"))),
    "relsize": Effect("m", _relative),
    "nullfont": Effect("", partial(_in_size, 0.0)),
    "scalebox": Effect("mo", _scaled, on_argument=True),
    "resizebox": Effect("*mm", _fitted, on_argument=True),
    "adjustbox": Effect("*m", adjusted, on_argument=True),
    "raisebox": Effect("moo", lambda look, words, _palette: raised(look, points(words[0]), is_flat=bool(words[1])),
                       on_argument=True),
    "clipbox": Effect("*m", _clipped, on_argument=True),
    "rotatebox": Effect("om", _unchanged, on_argument=True),
    "reflectbox": Effect("", _unchanged, on_argument=True),
    "textpdfrender": Effect("m", _rendered, on_argument=True),
}  # fmt: skip

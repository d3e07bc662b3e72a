"""The source of a formula from its tokens: without commands for appearance, cut into rows, with numbers and units as
the package siunitx writes them.
"""

import re
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from grader.reading.latex.tokens import ENVIRONMENT_ARGUMENTS, ROWED, Kind, Stream, Token, source_text
from grader.reading.maths.tokens import names

NUMBERS: Final = {"num": 1, "tablenum": 1, "numlist": 1, "numproduct": 1, "numrange": 2, "ang": 1}
QUANTITIES: Final = {"SI": 1, "qty": 1, "SIlist": 1, "qtylist": 1, "SIrange": 2, "qtyrange": 2, "qtyproduct": 1}
UNITS: Final = frozenset({"si", "unit"})

_POWER: Final = re.compile(r"[eEdD]\s*([+-]?)\s*(\d+)")
_SPACED_DIGITS: Final = re.compile(r"(?<=\d)[ ~]+(?=\d)|\\[,;: ]|~")
_SIGNS: Final = {r"\percent": "%", r"\%": "%", r"\degree": "°", r"\celsius": "°C", r"\per": "/", r"\giga": "G",
                 r"\mega": "M", r"\kilo": "k", r"\milli": "m", r"\micro": "µ", r"\nano": "n", r"\byte": "B",
                 r"\second": "s", r"\minute": "min", r"\hour": "h", r"\meter": "m", r"\metre": "m", r"\gram": "g",
                 r"\hertz": "Hz", r"\watt": "W", r"\bit": "bit", r"\pm": "±", r"\times": "×"}  # fmt: skip
_COMMAND: Final = re.compile(r"\\[a-zA-Z]+|\\%")


def is_quantity(command: str) -> bool:
    """Whether a command writes a number, a unit or both."""
    return command in NUMBERS or command in QUANTITIES or command in UNITS


def quantity(command: str, stream: Stream) -> str:
    """Return the text that the command shows; its arguments follow in the stream."""
    stream.option()
    if command in UNITS:
        return unit(stream.words())
    count = NUMBERS.get(command) or QUANTITIES.get(command, 1)
    figures = "–".join(number(stream.words()) for _ in range(count))
    if command in NUMBERS:
        return f"{figures}°" if command == "ang" else figures
    shown = unit(source_text(stream.argument()))
    return f"{figures} {shown}".strip()


def number(source: str) -> str:
    """`22 807 552` without its spaces, `2.28e7` as 2.28 × 10^7, `80.1 +- 0.7` with ±, lists with their commas."""
    text = source.replace(r"\pm", "±").replace("+-", "±").replace(r"\times", "x")
    text = _SPACED_DIGITS.sub("", text)
    text = _POWER.sub(lambda match: f" × 10^{match[1].replace('+', '')}{match[2]}", text)
    text = re.sub(r"\s*±\s*", " ± ", text)
    text = re.sub(r"\s*x\s*", " × ", text)
    return re.sub(r"\s*;\s*", ", ", text).strip()


def unit(source: str) -> str:
    """`\\percent` as %; other units by their usual signs or their names."""
    shown = _COMMAND.sub(lambda match: _SIGNS.get(match.group(), match.group()[1:]), source)
    return " ".join(re.sub(r"[{}$~]", "", shown).split())


_BLANK: Final = (Kind.SPACE, Kind.NEWLINE, Kind.PARAGRAPH)
LONGEST_ROW: Final = 2_000
"""In characters; further rows are not joined to it."""

_SILENT: Final = names(
    "nonumber notag displaystyle textstyle scriptstyle limits nolimits left right middle big Big bigg Bigg bigl"
    " bigr bigm Bigl Bigr Bigm biggl biggr biggm Biggl Biggr Biggm ! / noindent centering hfill allowbreak"
    " nobreak relax protect hline small footnotesize large footnotemark"
)
_WITH_ARGUMENT: Final = names("label tag hspace vspace color textcolor phantom hphantom vphantom mspace footnote cite")
_SIZES: Final = names("left right middle")
_RENAMED: Final = {"cfrac": "frac", "nicefrac": "frac", "sfrac": "frac", "thinspace": ",", "medspace": ":",
                   "thickspace": ";", "lvert": "vert", "rvert": "vert", "bm": "mathbf", "cdotp": "cdot"}  # fmt: skip
_FONTS: Final = names("mathbf mathrm mathit mathsf mathtt boldsymbol bm")
_TRANSPARENT: Final = _FONTS | names("ensuremath boxed fbox")
"""Commands that are replaced by their argument. Fonts are kept around a plain name, to separate it from its
neighbours."""

_MARK: Final = re.compile(r"\{([,.])\}")
_BEGINS_ON: Final = re.compile(r"\s*(?:[-+−*/×·]|\\(?:times|cdot|div|pm|ast)(?![a-zA-Z]))")
_ENDS_ON: Final = re.compile(r"(?:[-+−*/×·=]|\\(?:times|cdot|div|pm|ast|approx|simeq)(?![a-zA-Z]))\s*\Z")
_ESCAPED_BRACE: Final = re.compile(r"\\[{}]")


class Row(NamedTuple):
    """One row of a display with the place of its first token."""

    source: str
    file: str
    line: int


def formula_source(tokens: Sequence[Token]) -> str:
    """A formula as one line of LaTeX, without labels, sizes of brackets and signs for alignment."""
    parts: list[str] = []
    stream = Stream(tokens)
    while (token := stream.take()) is not None:
        part = _part(token, stream)
        if part.isspace() and (not parts or parts[-1].endswith(" ")):
            continue
        if part[:1].isalnum() and parts and re.search(r"\\[a-zA-Z]+\Z", parts[-1]):
            parts.append(" ")
        if part:
            parts.append(part)
    return _MARK.sub(r"\1", "".join(parts)).strip()


def _part(token: Token, stream: Stream) -> str:
    match token.kind:
        case Kind.COMMAND:
            return _command(token.text, stream)
        case Kind.SPACE | Kind.NEWLINE | Kind.PARAGRAPH | Kind.ALIGN:
            return " "
        case Kind.VERB | Kind.TEXT | Kind.BEGIN | Kind.END | Kind.OPEN | Kind.CLOSE | Kind.BRACKET:
            return token.source
    return ""


def _command(name: str, stream: Stream) -> str:
    if name in _WITH_ARGUMENT:
        stream.take_star()
        if name in ("color", "textcolor"):
            stream.option()
        stream.argument()
        return ""
    if name in _SILENT:
        if name in _SIZES:
            stream.take_sign(".")
        return ""
    if is_quantity(name):
        return quantity(name, stream).replace("%", r"\%")
    if name in _TRANSPARENT:
        inner = stream.argument()
        whole = name in _FONTS and not any(token.kind in (Kind.OPEN, Kind.COMMAND) for token in inner)
        if whole:
            return f"\\{_RENAMED.get(name, name)}{{{source_text(inner)}}}"
        stream.push(inner)
        return ""
    name = _RENAMED.get(name, name)
    return " " if name in ("\n", "quad", "qquad") else f"\\{name}"


def rows_of(tokens: Sequence[Token]) -> list[Row]:
    """The rows of a display that say something. One that begins or ends with an operator, or within brackets, goes on
    from the one before."""
    rows: list[Row] = []
    for part in _cut(tokens):
        source = formula_source(part)
        place = next((token for token in part if token.kind not in _BLANK), None)
        if not source.strip(" .,;") or place is None:
            continue
        last = rows[-1].source if rows else ""
        plain = _ESCAPED_BRACE.sub("", last)
        is_open = plain.count("(") + plain.count("[") > plain.count(")") + plain.count("]")
        goes_on = is_open or _BEGINS_ON.match(source) or _ENDS_ON.search(last[-20:])
        if rows and goes_on and len(last) + len(source) < LONGEST_ROW:
            rows[-1] = rows[-1]._replace(source=f"{last} {source}")
        else:
            rows.append(Row(source, place.file, place.line))
    return rows


def _cut(tokens: Sequence[Token]) -> Iterator[list[Token]]:
    """The tokens of each row. Environments that only set rows are looked into; others, such as cases, stay whole."""
    part: list[Token] = []
    braces = inner = 0
    stream = Stream(tokens)
    started = False
    while (token := stream.take()) is not None:
        name = token.text.rstrip("*")
        if token.kind is Kind.END and inner <= 0:
            continue
        if token.kind is Kind.BEGIN and inner <= 0 and (name in ROWED or (name == "array" and not started)):
            stream.option()
            for _ in range(ENVIRONMENT_ARGUMENTS.get(name, 0)):
                stream.argument()
            continue
        inner += {Kind.BEGIN: 1, Kind.END: -1}.get(token.kind, 0)
        braces += {Kind.OPEN: 1, Kind.CLOSE: -1}.get(token.kind, 0)
        started = started or token.kind not in _BLANK
        if token.kind is Kind.COMMAND and token.text in ("\\", "cr", "newline") and inner <= 0 and braces <= 0:
            stream.take_star()
            stream.close_option()
            yield part
            part = []
        else:
            part.append(token)
    yield part

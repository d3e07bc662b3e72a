"""From the tokens of a formula to its source: what only changes the looks is left out, and rows are told apart."""

import re
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from grader.reading.latex.quantities import is_quantity, quantity
from grader.reading.latex.stream import Stream, written
from grader.reading.latex.tokens import Kind, Token
from grader.reading.latex.vocabulary import ENVIRONMENT_ARGUMENTS, ROWED, names

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
"""Commands whose argument stands for itself. Fonts are kept around a plain name, to tell it from what stands beside."""

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
        case Kind.SPACE | Kind.NEWLINE | Kind.PARAGRAPH:
            return " "
        case Kind.ALIGN | Kind.MATH:
            return " " if token.kind is Kind.ALIGN else ""
        case Kind.VERB | Kind.TEXT | Kind.BEGIN | Kind.END | Kind.OPEN | Kind.CLOSE | Kind.BRACKET:
            return token.source
    return ""


def _command(name: str, stream: Stream) -> str:
    if name in _WITH_ARGUMENT:
        stream.starred()
        if name in ("color", "textcolor"):
            stream.option()
        stream.argument()
        return ""
    if name in _SILENT:
        following = stream.take() if name in _SIZES else None
        if following is not None:
            dotted = following.kind is Kind.TEXT and following.text.startswith(".")
            rest = following._replace(text=following.text[1:]) if dotted else following
            stream.push([rest] if rest.text else [])
        return ""
    if is_quantity(name):
        return quantity(name, stream).replace("%", r"\%")
    if name in _TRANSPARENT:
        inner = stream.argument()
        whole = name in _FONTS and not any(token.kind in (Kind.OPEN, Kind.COMMAND) for token in inner)
        if whole:
            return f"\\{_RENAMED.get(name, name)}{{{written(inner)}}}"
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
        if rows and _goes_on(last, source) and len(last) + len(source) < LONGEST_ROW:
            rows[-1] = rows[-1]._replace(source=f"{last} {source}")
        else:
            rows.append(Row(source, place.file, place.line))
    return rows


def _goes_on(last: str, source: str) -> bool:
    return bool(_BEGINS_ON.match(source) or _ENDS_ON.search(last[-20:])) or _is_open(last)


def _is_open(source: str) -> bool:
    """Whether a bracket is open at the end."""
    plain = _ESCAPED_BRACE.sub("", source)
    return plain.count("(") + plain.count("[") > plain.count(")") + plain.count("]")


def _cut(tokens: Sequence[Token]) -> Iterator[list[Token]]:
    """The tokens of each row. Environments that only set rows are looked into; others, such as cases, stay whole."""
    part: list[Token] = []
    braces = inner = 0
    stream = Stream(tokens)
    started = False
    while (token := stream.take()) is not None:
        if token.kind in (Kind.BEGIN, Kind.END) and _is_rowed(token, inner=inner, first=not started):
            if token.kind is Kind.BEGIN:
                _skip_arguments(token, stream)
            continue
        inner += {Kind.BEGIN: 1, Kind.END: -1}.get(token.kind, 0)
        braces += {Kind.OPEN: 1, Kind.CLOSE: -1}.get(token.kind, 0)
        started = started or token.kind not in _BLANK
        if token.kind is Kind.COMMAND and token.text in ("\\", "cr", "newline") and inner <= 0 and braces <= 0:
            stream.starred()
            stream.close_option()
            yield part
            part = []
        else:
            part.append(token)
    yield part


def _is_rowed(token: Token, *, inner: int, first: bool) -> bool:
    name = token.text.rstrip("*")
    if token.kind is Kind.END:
        return inner <= 0
    return inner <= 0 and (name in ROWED or (name == "array" and first))


def _skip_arguments(token: Token, stream: Stream) -> None:
    stream.option()
    for _ in range(ENVIRONMENT_ARGUMENTS.get(token.text.rstrip("*"), 0)):
        stream.argument()

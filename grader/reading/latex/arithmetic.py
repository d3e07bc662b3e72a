r"""The counters of a document, as LaTeX steps, resets and shows them; integer arithmetic (`\numexpr`) and operations on
counters; what labels stand for, and what references to them show.
"""

import ast
import operator
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Final, NamedTuple

from grader.reading.latex.tokens import Kind, Stream, Token, source_text
from grader.reading.structure import in_style

LEVELS: Final = ("chapter", "section", "subsection", "subsubsection")
MOST_COUNTERS: Final = 1_000

SHOWN: Final = ("arabic", "alph", "Alph", "roman", "Roman")
"""Commands that show a counter."""


class Numbering:
    """The counters of one document in the order of reading; one use only. A counter within another one starts anew
    with it and shows its number first, as `2.1`."""

    def __init__(self) -> None:
        self.values: dict[str, int] = {}
        self._within = {"subsection": "section", "subsubsection": "subsection"}
        self._in_appendix = False

    def put_within(self, counter: str, outer: str) -> None:
        """A counter is reset by another one from now on, as by `\\numberwithin`."""
        if len(self._within) < MOST_COUNTERS and counter not in self._chain(outer):
            self._within[counter] = outer

    def begin_appendix(self) -> None:
        """Chapters or sections are lettered from now on."""
        self._in_appendix = True
        self._reset(self._top)
        self.values[self._top] = 0

    def set(self, counter: str, value: int) -> None:
        """Give a counter a value; nothing starts anew by that."""
        if counter in self.values or len(self.values) < MOST_COUNTERS:
            self.values[counter] = value

    def step(self, counter: str) -> None:
        """Count one more."""
        if counter == "chapter" and "section" not in self._within:
            for inner in ("section", "equation", "figure", "table"):
                self.put_within(inner, "chapter")
        self.set(counter, self.values.get(counter, 0) + 1)
        self._reset(counter)

    def number_of(self, counter: str) -> str:
        """The number of a counter, behind those of the counters that it is within, as far as these have begun."""
        chain = self._chain(counter)
        begun = [text for text in chain if text == counter or self.values.get(text)]
        return ".".join(self._single(text) for text in reversed(begun))

    @property
    def _top(self) -> str:
        return "chapter" if "section" in self._within else "section"

    def _single(self, counter: str) -> str:
        lettered = self._in_appendix and counter == self._top
        return in_style("Alph" if lettered else "arabic", self.values.get(counter, 0))

    def _chain(self, counter: str) -> list[str]:
        """A counter and those that it is within, from the inside out."""
        found = [counter]
        while (outer := self._within.get(found[-1])) is not None and outer not in found:
            found.append(outer)
        return found

    def _reset(self, counter: str) -> None:
        for inner in self._within:
            if inner in self.values and counter in self._chain(inner)[1:]:
                self.values[inner] = 0


_LARGEST: Final = 2**31 - 1
"""What TeX can hold; a larger number is an error there."""

_LONGEST: Final = 500
"""Tokens of one expression."""

_SIGNS: Final = frozenset("0123456789+-*/()")
_NUMBER: Final = re.compile(r"[+-]?[0-9]{1,10}")
_EXPRESSION: Final = re.compile(r"[0-9 +*/()-]{1,2000}")
_LEADING_ZEROS: Final = re.compile(r"(?<![0-9])0+(?=[0-9])")
_CHANGES: Final = {"setcounter": False, "addtocounter": True}
_STEPS: Final = ("stepcounter", "refstepcounter")
_OPERATIONS: Final[dict[str, Callable[[int, int], int]]] = {
    "advance": lambda value, by: value + by,
    "multiply": lambda value, by: value * by,
    "divide": lambda value, by: int(value / by) if by else value,
}


def worked_out(text: str) -> int | None:
    """The value of an expression of whole numbers, rounded where it divides as TeX rounds; None where it has none."""
    if not _EXPRESSION.fullmatch(text):
        return None
    try:
        value = _value_of(ast.parse(_LEADING_ZEROS.sub("", text).strip(), mode="eval").body)
    except (SyntaxError, ValueError, ZeroDivisionError, RecursionError, MemoryError):
        return None
    return value if abs(value) <= _LARGEST else None


def _value_of(node: ast.expr) -> int:
    """The value of an expression's tree. Raises ValueError for what has none, and ZeroDivisionError."""
    match node:
        case ast.Constant(value=int(value)):
            return value
        case ast.UnaryOp(op=ast.UAdd() | ast.USub() as sign, operand=operand):
            return _value_of(operand) if isinstance(sign, ast.UAdd) else -_value_of(operand)
        case ast.BinOp(left=left, op=ast.Add() | ast.Sub() | ast.Mult() | ast.Div() as sign, right=right):
            return _OPERATORS[type(sign)](_value_of(left), _value_of(right))
    raise ValueError(node)


def _divided(value: int, by: int) -> int:
    magnitude = (2 * abs(value) + abs(by)) // (2 * abs(by))
    return magnitude if (value < 0) == (by < 0) else -magnitude


_OPERATORS: Final[dict[type[ast.operator], Callable[[int, int], int]]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: _divided,
}


def execute_counter_command(place: Token, stream: Stream, numbering: Numbering) -> list[Token] | None:
    """Executes a command about counters and returns what it shows; None, without consuming tokens, for any other
    command."""
    name = place.text
    if name in ("the", "number"):
        return _value(place, stream, numbering)
    if name in SHOWN or name == "inteval":
        # `\arabic{counter}` and `\inteval{expression}`.
        argument = stream.argument()
        if place.text == "inteval":
            value = evaluate_expression(argument, numbering)
            return argument if value is None else _text(str(value), place)
        value = numbering.values.get(source_text(argument))
        if value is None:
            stream.push(argument)
            return None
        return _text(in_style(place.text, value), place)
    if name.startswith("the") and name[3:] in numbering.values:
        return _text(numbering.number_of(name[3:]), place)
    if _changed(name, stream, numbering):
        return []
    return None


def _changed(name: str, stream: Stream, numbering: Numbering) -> bool:
    """Executes a command that changes a counter; returns whether it is one."""
    if name in _CHANGES:
        counter, value = stream.words(), evaluate_expression(stream.argument(), numbering)
        if value is not None:
            numbering.set(counter, value + (numbering.values.get(counter, 0) if _CHANGES[name] else 0))
    elif name in _STEPS:
        numbering.step(stream.words())
    elif name == "newcounter":
        numbering.set(stream.words(), 0)
        stream.option()
    elif name in ("numberwithin", "counterwithin"):
        stream.take_star()
        numbering.put_within(stream.words(), stream.words())
    elif name == "appendix":
        numbering.begin_appendix()
    elif name == "newcount":
        numbering.set(_register(stream), 0)
    elif name in _OPERATIONS:
        _operate(name, stream, numbering)
    elif f"\\{name}" in numbering.values:
        return _assigned(f"\\{name}", stream, numbering)
    else:
        return False
    return True


def _value(place: Token, stream: Stream, numbering: Numbering) -> list[Token] | None:
    """Return the tokens that `\\the` or `\\number` shows."""
    stream.skip_blank()
    first = stream.take()
    if first is None:
        return []
    if _is_command(first, "numexpr"):
        found = _expression(stream, numbering)
        shown = evaluate_expression(found, numbering)
        return found if shown is None else _text(str(shown), place)
    known_token = _known(first, stream, numbering)
    if known_token is None:
        stream.push([first])
        return None
    return [known_token._replace(file=place.file, line=place.line)]


def _operate(name: str, stream: Stream, numbering: Numbering) -> None:
    """`\\advance\\register by 3` and the like."""
    register = _register(stream)
    stream.skip_blank()
    stream.take_sign("by")
    by = number(stream, numbering)
    if by is not None and register in numbering.values:
        value = _OPERATIONS[name](numbering.values[register], by)
        numbering.set(register, value if abs(value) <= _LARGEST else 0)


def _assigned(register: str, stream: Stream, numbering: Numbering) -> bool:
    """`\\register=3`; without the sign it is no assignment."""
    stream.skip_blank()
    if not stream.take_sign("="):
        return False
    value = number(stream, numbering)
    if value is not None:
        numbering.set(register, value)
    return True


def _register(stream: Stream) -> str:
    stream.skip_blank()
    token = stream.raw()
    return f"\\{token.text}" if token is not None else ""


def number(stream: Stream, numbering: Numbering) -> int | None:
    """The one number that follows: digits, or what a counter holds."""
    stream.skip_blank()
    token = stream.take()
    if token is None:
        return None
    if _is_command(token, "numexpr"):
        return evaluate_expression(_expression(stream, numbering), numbering)
    token = _known(token, stream, numbering) or token
    match = _NUMBER.match(token.text) if token.kind is Kind.TEXT else None
    rest = token.text[match.end() :] if match else ""
    stream.push([token] if match is None else [token._replace(text=rest)] if rest else [])
    return int(match.group()) if match else None


def _expression(stream: Stream, numbering: Numbering) -> list[Token]:
    """The tokens of an expression that follow, with the values of its counters, up to what belongs to none; a
    `\\relax` behind it is passed."""
    found: list[Token] = []
    depth, is_apart = 0, False
    while len(found) < _LONGEST and (token := stream.take()) is not None:
        if token.kind in (Kind.SPACE, Kind.NEWLINE):
            is_apart = bool(found)
            continue
        if _is_command(token, "relax"):
            break
        token = _known(token, stream, numbering) or token
        end = 0
        if token.kind is Kind.TEXT and not (is_apart and token.text[0].isalnum() and found[-1].text[-1].isalnum()):
            end, depth = _belonging(token.text, depth)
        if end:
            found.append(token._replace(text=token.text[:end]))
        if end < len(token.text) or token.kind is not Kind.TEXT:
            stream.push([token._replace(text=token.text[end:])])
            break
        is_apart = False
    return found


def _belonging(text: str, depth: int) -> tuple[int, int]:
    """Return how many characters belong to an expression in which some brackets are open, and how many are open
    then."""
    for place, sign in enumerate(text):
        if sign not in _SIGNS or (sign == ")" and depth == 0):
            return place, depth
        depth += (sign == "(") - (sign == ")")
    return len(text), depth


def _known(token: Token, stream: Stream, numbering: Numbering) -> Token | None:
    """The value of a counter as a token that replaces its command."""
    if token.kind is not Kind.COMMAND:
        return None
    name = stream.words() if token.text == "value" else f"\\{token.text}"
    value = numbering.values.get(name)
    return None if value is None else token._replace(kind=Kind.TEXT, text=str(value))


def evaluate_expression(tokens: Sequence[Token], numbering: Numbering) -> int | None:
    """The value of an expression; None where something in it is not known."""
    if all(token.kind in (Kind.TEXT, Kind.SPACE, Kind.NEWLINE) for token in tokens):
        return worked_out("".join(token.source for token in tokens))
    stream = Stream(tokens)
    found = _expression(stream, numbering)
    is_whole = stream.take() is None and all(token.kind is Kind.TEXT for token in found)
    return worked_out("".join(token.text for token in found)) if is_whole else None


def _is_command(token: Token, name: str) -> bool:
    return token.kind is Kind.COMMAND and token.text == name


def _text(text: str, place: Token) -> list[Token]:
    return [place._replace(kind=Kind.TEXT, text=text)]


REFERENCES: Final = {
    "ref": "{number}",
    "eqref": "({number})",
    **dict.fromkeys(("autoref", "cref", "Cref", "vref", "fullref"), "{name} {number}"),
    **dict.fromkeys(("nameref", "titleref"), "{title}"),
    "pageref": "",
}
"""Commands that show something of a label, and what. A page's number is known to TeX only."""

UNKNOWN: Final = "??"
"""What TeX prints for a reference that it cannot resolve."""


class Label(NamedTuple):
    """The kind of the thing that is numbered, such as `Table`, its number, and the title of a section."""

    name: str
    number: str
    title: str = ""


def shown_of(command: str, names: str, labels: Mapping[str, Label]) -> str:
    """Return the text that a reference to labels, separated by commas, shows."""
    return ", ".join(_shown(command, labels.get(name.strip())) for name in names.split(","))


def _shown(command: str, label: Label | None) -> str:
    return (REFERENCES[command].format(**label._asdict()).strip() if label else "") or UNKNOWN


_POINTS: Final = {"pt": 1.0, "pc": 12.0, "in": 72.27, "bp": 1.00375, "cm": 28.453, "mm": 2.8453, "dd": 1.07,
                  "cc": 12.84, "sp": 1 / 65536, "em": 10.0, "ex": 4.3, "mu": 10 / 18, "px": 1.00375,
                  r"\textwidth": 345.0, r"\linewidth": 345.0, r"\columnwidth": 345.0, r"\hsize": 345.0,
                  r"\paperwidth": 597.5, r"\paperheight": 845.0, r"\textheight": 550.0, r"\vsize": 550.0,
                  r"\baselineskip": 12.0, r"\parindent": 15.0, r"\width": 100.0, r"\height": 7.0, r"\fboxsep": 3.0,
                  r"\tabcolsep": 6.0, r"\parskip": 0.0, r"\p@": 1.0, r"\z@": 0.0, r"\maxdimen": 16383.0}  # fmt: skip
"""Units, and usual values of the lengths that layouts are built from."""
_TERM: Final = re.compile(
    r"\s{0,9}(?P<sign>[+-]*)\s{0,9}(?P<number>\d{0,9}(?:[.,]\d{0,9})?)\s{0,9}\*?\s{0,9}(?:true\s?)?(?P<unit>[a-z]{2}|\\[a-zA-Z@]+|)"
)
_MOST_TERMS: Final = 10
_WORDS: Final = re.compile(r"\s{1,9}(?:plus|minus)\b.*", re.DOTALL)


def points(written: str, default: str = "") -> float | None:
    """A length such as `-2.5cm` or `0.5\\textwidth+1em` in points; None where it cannot be told. `default` is the unit
    of a bare number."""
    text = _WORDS.sub("", written.replace(r"\dimexpr", "").replace(r"\relax", "")).strip()
    total, place = 0.0, 0
    for _ in range(_MOST_TERMS):
        match = _TERM.match(text, place)
        if match is None or match.end() == place or (place and not match["sign"]):
            return None
        unit = _POINTS.get(match["unit"] or default)
        digits = match["number"].replace(",", ".")
        if unit is None or (not digits and not match["unit"].startswith("\\")) or digits == ".":
            return None
        sign = -1.0 if match["sign"].count("-") % 2 else 1.0
        total += sign * float(digits or 1) * unit
        place = match.end()
        if not text[place:].strip():
            return total
    return None


def length(stream: Stream) -> float | None:
    """The length that follows a command of plain TeX, with a sign of equality or not, which is passed."""
    stream.skip_blank()
    stream.take_sign("=")
    stream.skip_blank()
    token = stream.take()
    text = ""
    while token is not None and token.kind is Kind.TEXT and not set(token.text) - set("+-."):
        text += token.text
        token = stream.take()
    if token is None:
        return None
    if token.kind is Kind.COMMAND and token.text in ("wd", "ht", "dp"):  # of a box
        if not stream.digits():
            stream.take()
        return None
    if token.kind is Kind.COMMAND and f"\\{token.text}" in _POINTS:
        return points(f"{text}\\{token.text}")
    match = _TERM.match(f"{text}{token.text}") if token.kind is Kind.TEXT else None
    if match is None or not match["number"]:
        stream.push([token])
        return None
    rest = f"{text}{token.text}"[match.end() :]
    stream.push([token._replace(text=rest)] if rest else [])
    if not match["unit"]:  # `2 cm`, `2\baselineskip`
        stream.skip_blank()
        following = stream.take()
        unit = following.source if following is not None else ""
        if following is None or not (unit in _POINTS or unit[:2] in _POINTS):
            stream.put_back(following)
            return None
        if unit not in _POINTS:
            stream.push([following._replace(text=unit[2:])])
            unit = unit[:2]
        return points(f"{match.group().strip()}{unit}")
    return points(match.group())


def keys_of(written: str) -> dict[str, str]:
    """The options of a list such as `colback=black, title={a, b}`, without the braces around values."""
    found: dict[str, str] = {}
    depth, part = 0, ""
    for character in f"{written},":
        depth += (character in "{[") - (character in "}]")
        if character == "," and depth <= 0:
            key, _, value = part.partition("=")
            value = value.strip()
            found[" ".join(key.split())] = value[1:-1] if value[:1] == "{" and value[-1:] == "}" else value
            part = ""
        else:
            part += character
    return found

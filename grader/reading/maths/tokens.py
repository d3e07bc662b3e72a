"""The smallest parts of a formula: numbers, names, signs and brackets."""

import re
from enum import StrEnum
from fractions import Fraction
from typing import Final, NamedTuple


class OpaqueError(ValueError):
    """A text is no formula of the kinds that are understood, or one beyond the bounds."""


class Kind(StrEnum):
    """What a token is."""

    NUMBER = "number"
    WORD = "word"
    TEXT = "text"
    SUBSCRIPT = "subscript"
    OPERATOR = "operator"
    RELATION = "relation"
    POWER = "^"
    OPEN = "("
    CLOSE = ")"
    BAR = "|"
    GROUP = "{"
    END = "}"
    COMMA = ","
    FRACTION = "frac"
    ROOT = "sqrt"
    ROW = "row"


class Token(NamedTuple):
    """One token; `spaced` says that white space stands before it, `value` is that of a number."""

    kind: Kind
    text: str
    spaced: bool = False
    value: Fraction = Fraction(0)


THIN: Final = "\u2009"
"""Stands for LaTeX's thin space, which may part groups of digits."""

_LONGEST_NUMBER: Final = 60
_GROUPED: Final = (
    rf"[1-9]\d{{0,2}}(?P<mark>, ?|[ {THIN}'.])\d{{3}}(?:(?P=mark)\d{{3}})*(?!\d)"
    r"(?P<tail>(?!(?P=mark))[.,]\d+)?(?![.,]\d)"
)
_NUMBER: Final = re.compile(rf"(?:{_GROUPED}|\d+(?:[.,]\d+)?)(?:e(?P<power>[+-]?\d{{1,2}})(?![\w.]))?")
_DIGITS: Final = re.compile(r"\d+")


def number_at(text: str, position: int, *, spaced: bool, lone: bool) -> tuple[Token, int]:
    """The number that begins at a position, and where it ends. `lone`: digits only, as behind `^`."""
    match = (_DIGITS if lone else _NUMBER).match(text, position)
    if match is None or len(match.group()) > _LONGEST_NUMBER:
        raise OpaqueError("a number that is too long")
    written = match.group()
    power = None if lone else match["power"]
    plain = written[: match.start("power") - 1 - position] if power else written
    value = number_value(plain) * Fraction(10) ** int(power or 0)
    return Token(Kind.NUMBER, written.replace(THIN, " "), spaced, value), match.end()


def number_value(written: str) -> Fraction:
    """The likeliest value: marks that repeat or stand before three digits part groups, except a single dot."""
    marks = re.findall(r", ?|[^\d]", written)
    if not marks:
        return Fraction(int(written))
    if len(marks) == 1 and _is_decimal_mark(written, marks[0]):
        return Fraction(re.sub(r"[.,]", ".", written))
    if len(marks) > 1 and marks[-1] != marks[0]:
        head, _, tail = written.rpartition(marks[-1])
        return Fraction(f"{re.sub(r'[^0-9]', '', head)}.{tail}")
    return Fraction(int(re.sub(r"\D", "", written)))


def _is_decimal_mark(written: str, mark: str) -> bool:
    head, _, tail = written.partition(mark)
    return mark == "." or (mark == "," and (len(tail) != 3 or len(head) > 3 or head.startswith("0")))

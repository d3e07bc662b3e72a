"""The language in which a lab writes down right and wrong definitions.

A pattern is a row of words. `{name}` stands for any phrase of the word class `name`, `{number}` for any numeral.
`( … )` may be left out; `[ a | b ]` is one of several, and so is `( a | b )`, or none. An asterisk behind any of these
allows it any number of times. A comma stands for any sign at which a new statement may begin; elsewhere such signs may
stand or not. Words are matched as `wording` spells them.
"""

import re
from collections.abc import Callable, Container, Iterator, Mapping
from dataclasses import dataclass
from functools import partial

from grader.lab.wording import words

_PIECE = re.compile(r"[()\[\]|*,]|\{\w+\}|[^\s()\[\]|{}*,]+")
_CLOSING = {"(": ")", "[": "]"}
NUMBER = "number"
"""The word class of all numerals, which is always there."""
VALUE, OTHER_VALUE = "value", "other_value"
"""The word classes of a parameter's right and of its other values."""


@dataclass(frozen=True, slots=True)
class Word:
    """One word."""

    text: str


@dataclass(frozen=True, slots=True)
class Class:
    """Any phrase of a word class."""

    name: str


@dataclass(frozen=True, slots=True)
class Gap:
    """A place where a sign stands at which a new statement may begin."""


@dataclass(frozen=True, slots=True)
class Row:
    """Parts, one behind the other."""

    parts: tuple["Part", ...]


@dataclass(frozen=True, slots=True)
class Choice:
    """One of several; none, too, where it is optional."""

    options: tuple[Row, ...]
    optional: bool


@dataclass(frozen=True, slots=True)
class Repeat:
    """A part, any number of times."""

    part: "Part"


Spelled = Callable[[str], tuple[str, ...]]
Part = Word | Class | Gap | Row | Choice | Repeat


def parsed(pattern: str, spelling: Mapping[str, str] | None = None, whole: Container[str] = ()) -> Row:
    """A pattern as a tree; `spelling` and `whole` as for `wording.sentences`.

    Raises ValueError, naming the pattern, when brackets do not match or a bracket is empty.
    """
    pieces = _PIECE.findall(pattern)
    row, rest = _row(pieces, 0, pattern, partial(words, spelling=spelling, whole=whole))
    if rest < len(pieces):
        raise ValueError(f"the pattern {pattern!r} has a {pieces[rest]!r} that nothing opens")
    if not row.parts:
        raise ValueError("an empty pattern would match everything")
    return row


def _row(pieces: list[str], at: int, pattern: str, spelled: Spelled) -> tuple[Row, int]:
    parts: list[Part] = []
    while at < len(pieces) and pieces[at] not in (")", "]", "|"):
        piece = pieces[at]
        at += 1
        if piece in _CLOSING:
            choice, at = _choice(pieces, at, piece, pattern, spelled)
            parts.append(choice)
        elif piece == "*":
            if not parts:
                raise ValueError(f"the pattern {pattern!r} repeats nothing")
            parts[-1] = Repeat(parts[-1])
        elif piece == ",":
            parts.append(Gap())
        elif piece.startswith("{"):
            parts.append(Class(piece[1:-1]))
        else:
            parts += [Word(word) for word in spelled(piece)]
    return Row(tuple(parts)), at


def _choice(pieces: list[str], at: int, opening: str, pattern: str, spelled: Spelled) -> tuple[Choice, int]:
    options: list[Row] = []
    while True:
        row, at = _row(pieces, at, pattern, spelled)
        if not row.parts:
            raise ValueError(f"the pattern {pattern!r} has an empty choice")
        options.append(row)
        if at >= len(pieces) or pieces[at] not in ("|", _CLOSING[opening]):
            raise ValueError(f"the pattern {pattern!r} has a {opening!r} that nothing closes")
        at += 1
        if pieces[at - 1] != "|":
            return Choice(tuple(options), opening == "("), at


def leaves(part: Part) -> Iterator[Word | Class]:
    """The words and word classes of a tree."""
    if isinstance(part, Word | Class):
        yield part
    elif isinstance(part, Repeat):
        yield from leaves(part.part)
    elif isinstance(part, Row | Choice):
        for one in part.parts if isinstance(part, Row) else part.options:
            yield from leaves(one)

"""Numeric equations in a text, and whether they hold under any plausible reading of their characters."""

import re
from collections.abc import Iterator
from fractions import Fraction
from itertools import pairwise

from grader.claims.arithmetic import NotArithmeticError, evaluate, likeliest
from grader.claims.numerals import NUMBER
from grader.claims.passage import Passage
from grader.frozen import Frozen
from grader.reading.evidence import Evidence

_SPAN = re.compile(rf"(?:{NUMBER}|(?<=[\d)\s])x(?=[\d(\s])|[-+×/^()\[\]{{}}=\s])+")
_TAG = re.compile(r"[^\S\n]*\(\d{1,2}\)(?=[^\S\n]*(?:\n|$))")
_BULLET = re.compile(r"(?m)^(\s*)[-+](?=\s)")
_NUMBER = re.compile(NUMBER)
_ENDS_VALUE = re.compile(r"[\d)\]}]\s+$")
_SYMBOL_BEFORE = re.compile(
    r"(?:[\w}\])]|(?:^|[^\w])(?!a\b|à\b|is\b|of\b|to\b|so\b|en\b|de\b|et\b|or\b|ie\b)[^\W\d]{1,2}\s)$"
)
_SYMBOL_AFTER = re.compile(r"[\w\\%‰≈]|\s+(?:[^\W\d_](?![^\W_])|\w*_|M\b)|[.,]\d")


class Equation(Frozen):
    """Two sides of a written equality that both are arithmetic. `holds` is false only when no plausible reading of
    the characters makes it true; `actual` is then the value of the left side in its likeliest reading."""

    left: str
    right: str
    holds: bool
    actual: str
    evidence: Evidence


def equations(passage: Passage) -> Iterator[Equation]:
    """All numeric equalities of a passage, also those of a chain `a = b = c`, side by side."""
    text = _blanked(passage.text)
    for span in _SPAN.finditer(text):
        for start, end in _pieces(text, span):
            if "=" in text[start:end]:
                yield from _chain(passage, text, start, end)


def _blanked(text: str) -> str:
    """The text with equation tags and bullets blanked out; offsets stay."""
    text = _TAG.sub(lambda match: " " * len(match.group()), text)
    return _BULLET.sub(lambda match: match.group(1) + " ", text)


def _pieces(text: str, span: re.Match[str]) -> Iterator[tuple[int, int]]:
    """A span without letters may still run from one statement into the next: cut where a number follows a value."""
    start = span.start()
    for number in _NUMBER.finditer(text, span.start(), span.end()):
        if _ENDS_VALUE.search(text[start : number.start()]):
            yield start, number.start()
            start = number.start()
    yield start, span.end()


def _chain(passage: Passage, text: str, start: int, end: int) -> Iterator[Equation]:
    sides = _sides(text, start, end)
    known = [(a, b, values) for a, b in sides if (values := _values(text, a, b, (start, end))) is not None]
    for (a, b, left), (c, d, right) in pairwise(known):
        yield Equation(
            left=text[a:b],
            right=text[c:d],
            holds=_agree(left, right, text[c:d]) or _agree(right, left, text[a:b]),
            actual=_shown(text[a:b]),
            evidence=passage.evidence(a, d),
        )


def _sides(text: str, start: int, end: int) -> list[tuple[int, int]]:
    sides, left = [], start
    for mark in [*re.finditer("=", text[start:end]), None]:
        right = end if mark is None else start + mark.start()
        piece = text[left:right]
        sides.append((left + len(piece) - len(piece.lstrip()), left + len(piece.rstrip())))
        left = right + 1
    return sides


def _values(text: str, start: int, end: int, span: tuple[int, int]) -> frozenset[Fraction] | None:
    """The values of one side; None where it is no arithmetic, or where symbols beside it belong to it."""
    opens_span = not text[span[0] : start].strip()
    closes_span = not text[end : span[1]].strip()
    if (
        start >= end
        or (opens_span and _symbol_precedes(text, start))
        or (closes_span and _SYMBOL_AFTER.match(text, end))
    ):
        return None
    try:
        return evaluate(text[start:end])
    except NotArithmeticError:
        return None


def _symbol_precedes(text: str, start: int) -> bool:
    before = text[max(0, start - 40) : start]
    if text[start] in "([{":
        return bool(re.search(r"[\w}\])]$", before))
    return bool(_SYMBOL_BEFORE.search(before))


def _agree(exact: frozenset[Fraction], shown: frozenset[Fraction], written: str) -> bool:
    """Whether a value equals a shown one, allowing the shown one to be rounded or cut at its last decimal."""
    decimals = re.fullmatch(r"\d+[.,](\d+)", written)
    tolerance = Fraction(1, 10 ** len(decimals.group(1))) if decimals else Fraction(0)
    return any(abs(a - b) <= tolerance for a in exact for b in shown)


def _shown(written: str) -> str:
    """The value of a side for people."""
    value = likeliest(written)
    return f"{value.numerator:,}" if value.denominator == 1 else f"{float(value):,.4f}"

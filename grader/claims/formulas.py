"""Formulas of a passage, numeric and symbolic, and what they work out to."""

import re
from collections.abc import Iterable, Iterator, Mapping
from fractions import Fraction
from itertools import pairwise
from typing import Final

from grader.claims.numerals import NUMBER
from grader.claims.passage import Passage
from grader.claims.worked import UnworkableError, Worked, sides, worked
from grader.frozen import Frozen
from grader.lab.definition import Lab
from grader.reading.evidence import Evidence
from grader.reading.maths.expression import Expression, Number, Power, Product, Quotient, Sum, Symbol, walk
from grader.reading.maths.formula import formulas_in
from grader.reading.maths.meaning import resolved
from grader.reading.maths.parser import parse_maths

_SYMBOL: Final = r"(?:[A-Za-z]{1,2}|[A-Za-z]{1,12}_[A-Za-z0-9]{1,12})(?:_[A-Za-z0-9]{1,12})?(?![A-Za-z_])"
_SIGN: Final = r"(?:[-+×/^=≈()\[\]{}]|(?<=\^\d)_[A-Za-z]{1,12})"
_DEFINED: Final = re.compile(
    rf"(?m)^[\s•*-]{{0,20}}(?P<name>[A-Za-z][\w -]{{0,40}}?)\s?(?:=|:=)\s?(?P<value>{NUMBER})[ \t.,;]{{0,9}}$"
)
_GIVEN: Final = re.compile(
    rf"(?<![\w)^×+=/-])(?<![×+=/-]\s)(?P<name>[A-Za-z]{{1,2}}|[A-Za-z]{{1,12}}_[A-Za-z_]{{1,12}})\s?=\s?(?P<value>{NUMBER})"
    r"(?=[.,;:)]?(?:\s(?![×+=/^(*-])|$))"
)
_TIMES: Final = re.compile(r"(?<=[\d)\]\s])x(?=[\s\d(\[])")
_SIDE: Final = re.compile(r"[^=≈\n]+")
_LONGEST: Final = 600
_OPERATION: Final = re.compile(r"[×/^+=(]|(?<=[\d\s])x(?=[\d\s])")
_WORDS: Final = (
    r"(?:a|A|I|so|So|is|Is|of|to|in|In|on|or|at|by|as|we|We|it|It|if|an|be|do|no|us|à|de|et|en|y|un|le|la|du|On|il|se)"
)
_FIRST_WORD: Final = re.compile(rf"\s*(?:{_WORDS}(?![\w^])\s*|[)\]}}]\s*|[+×/^=-]\s*(?=[A-Za-z]{{2}}\s))|\s+")
_LAST_WORD: Final = re.compile(rf"(?:(?<![\w]){_WORDS}|[(\[{{+×/^=-])\s*\Z|\s\Z")
_CLOSES: Final = {"(": ")", "[": "]", "{": "}"}


class Formula(Frozen):
    """A formula of a text: where it starts in its passage, the values of its sides, where they can be worked out, all
    values met on the way, and those of its summands."""

    text: str
    start: int
    values: tuple[int | None, ...]
    symbolic: tuple[bool, ...]
    steps: frozenset[int]
    terms: frozenset[int]
    evidence: Evidence


def meanings_in(passage: Passage) -> dict[str, Fraction]:
    """What a text itself gives as the values of its names: `d_model = 512`, `hidden size = 512`, `N = 4 and h = 8`."""
    found = {}
    for match in (*_GIVEN.finditer(passage.text), *_DEFINED.finditer(passage.text)):
        expression = parse_maths(match["value"])
        if isinstance(expression, Number):
            found[Symbol(match["name"]).key] = expression.value
    for _, expression in _written(passage, ()):
        for left, right in pairwise(sides(expression)):
            if isinstance(left, Symbol) and isinstance(right, Number):
                found[left.key] = right.value
    return found


def formulas(passage: Passage, lab: Lab) -> Iterator[Formula]:
    """The formulas of a passage that can be worked out, with the text's own meanings of names or the lab's."""
    names = tuple(name for symbol in lab.symbols for name in symbol.names)
    symbols = {Symbol(name).key: Fraction(symbol.value) for symbol in lab.symbols for name in symbol.names}
    symbols |= meanings_in(passage)
    for (start, end), expression in _written(passage, names):
        done = [_worked(side, symbols) for side in sides(expression)]
        if not any(done):
            continue
        yield Formula(
            text=passage.text[start:end],
            start=start,
            values=tuple(_whole(one.value) if one else None for one in done),
            symbolic=tuple(_has_symbol(side) for side in sides(expression)),
            steps=_whole_numbers(one.steps for one in done if one),
            terms=_whole_numbers(one.terms for one in done if one),
            evidence=passage.evidence(start, end),
        )


def _whole_numbers(values: Iterable[Iterable[Fraction]]) -> frozenset[int]:
    return frozenset(int(value) for some in values for value in some if value.denominator == 1 and value > 1)


def _worked(side: Expression, symbols: Mapping[str, Fraction]) -> Worked | None:
    try:
        return worked(resolved(side, symbols), symbols)
    except UnworkableError:
        return None


def _whole(value: Fraction) -> int | None:
    return int(value) if value.denominator == 1 else None


def _has_symbol(expression: Expression) -> bool:
    return any(isinstance(part, Symbol) for part in walk(expression))


def _written(passage: Passage, names: Iterable[str]) -> Iterator[tuple[tuple[int, int], Expression]]:
    """Formulas that are marked as such in a block, and what looks like one in running text."""
    marked: list[tuple[int, int]] = []
    for index, block in enumerate(passage.blocks):
        for formula in block.formulas or formulas_in(block.text):
            span = passage.offset_of(index, formula.start), passage.offset_of(index, formula.end)
            marked.append(span)
            if formula.expression is not None and _operates(formula.expression):
                yield span, formula.expression
    text = passage.text
    for match in _span(names).finditer(text):
        if any(start < match.end() and match.start() < end for start, end in marked):
            continue
        yield from _read(text, match.start(), match.end())


def _span(names: Iterable[str]) -> re.Pattern[str]:
    known = sorted((name for name in names if len(name) > 2), key=len, reverse=True)
    words = "|".join(re.escape(name).replace(r"\ ", r"\s") for name in known)
    named = rf"\b(?i:{words})\b|" if words else ""
    return re.compile(rf"(?:{named}{NUMBER}|(?<![A-Za-z_]){_SYMBOL}|{_SIGN}|[ \t]|\n(?=[ \t]*[+×/^=≈)\]}}]))+")


def _read(text: str, start: int, end: int) -> Iterator[tuple[tuple[int, int], Expression]]:
    """A stretch of signs, numbers and names as a formula, without words of the sentence at either end; where it is none
    as a whole, its sides one by one."""
    if end - start > _LONGEST or not _OPERATION.search(text, start, end):
        return
    while match := _FIRST_WORD.match(text, start, end):
        start = match.end()
    while match := _LAST_WORD.search(text, start, end):
        end = match.start()
    expression = parse_maths(_balanced(_TIMES.sub("×", text[start:end]).replace("\n", " ")))
    if expression is not None:
        if _operates(expression):
            yield (start, end), expression
        return
    for side in _SIDE.finditer(text, start, end):
        if side.end() - side.start() < end - start:
            yield from _read(text, side.start(), side.end())


def _operates(expression: Expression) -> bool:
    """Whether there is anything to work out, and a number or a name of a size in it."""
    return any(isinstance(part, (Sum, Product, Power, Quotient)) for part in walk(expression))


def _balanced(text: str) -> str:
    """The text with a closing bracket added where another kind of bracket closes, or the text ends, around an open one:
    a slip of writing that leaves no doubt about what is meant."""
    out: list[str] = []
    open_: list[str] = []
    for sign in text:
        if sign in _CLOSES:
            open_.append(_CLOSES[sign])
        elif sign in _CLOSES.values():
            while open_ and open_[-1] != sign and sign in open_:
                out.append(open_.pop())
            if open_ and open_[-1] == sign:
                open_.pop()
        out.append(sign)
    return "".join(out + open_[::-1])

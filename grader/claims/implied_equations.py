"""Find equalities that a text states without an equals sign between two expressions, and decide whether they hold."""

import re
from collections.abc import Iterator
from fractions import Fraction
from itertools import combinations, groupby, pairwise
from math import gcd
from typing import Final

from grader.claims.equations import (
    SLIP_OF_PEN,
    SYMBOL_AFTER,
    Equation,
    NotArithmeticError,
    as_integer,
    belongs_before,
    equations,
    evaluate,
    holds_as_read,
    is_slip_of_pen,
    likeliest,
    shown_value,
)
from grader.claims.formulas import Formula
from grader.claims.numerals import NUMBER, text_before
from grader.claims.passage import Passage, normalise
from grader.message import say_values
from grader.reading.document import BlockKind, RepairKind

_SIGN: Final = r"(?:[×+^]|(?<=[\s\d])x(?=[\s\d]))"
_PRODUCT: Final = rf"[(\[]{{0,3}}{NUMBER}(?:[ ()\[\]]{{0,4}}{_SIGN}[ ()\[\]]{{0,4}}{NUMBER}[)\]]{{0,3}}){{1,8}}"
_EQUALS: Final = r"(?:that is|which is|is|are|gives?|makes?|equals?|soit|donnent?|font|fait|vaut|i\.e\.),?"
_WORDED: Final = re.compile(
    rf"(?<![\w.,^×+/=-])(?P<left>{_PRODUCT})[^\S\n]?(?:→|⇒|:|,?\s{_EQUALS})[^\S\n](?P<right>{NUMBER})"
)
_COMMENTED: Final = re.compile(
    rf"(?<![\w.,^])(?P<right>{NUMBER})[ \t,]*(?:#|//)[ \t]*(?P<left>{_PRODUCT})[ \t]*$", re.MULTILINE
)
"""A value in code with its calculation in a comment: `layers: 6311936 # 4 x 1577984`."""
_OPERATOR_NEXT: Final = re.compile(r"\s*[×+/^=]|\s?x\s?\d")
_EQUAL: Final = re.compile(rf"=[^\S\n]*(?P<right>{NUMBER})")
_LEFT_ENDS: Final = re.compile(r"[=:;\n]|[.,]\s")
_WORD: Final = re.compile(r"\([^\d()=]*\)|[^\W\d_]{3,}(?:['-][^\W\d_]+)*")
_LEADING_WORDS: Final = re.compile(r"[^\d([]*")
_SHAPE: Final = re.compile(
    r"\A[\w.]{0,30}[(\[]{1,2}(\d{1,7})(?:,|\s?->|\s?→)\s?(\d{1,6})(?:,[^()\[\]]{0,30})?[)\]]{1,2}\Z"
)
_LONGEST_LEFT: Final = 160
_NUMBER: Final = re.compile(NUMBER)
_FACTORS: Final = range(1, 5)
"""The possible numbers of cells with factors in a row."""

_ADDENDS: Final = range(2, 1_000)
_DIVISOR: Final = 16
_LEAST_SIZE: Final = 10
_INFERRED: Final = (RepairKind.FRACTION, RepairKind.INDEX, RepairKind.POWER)


def all_equations(passage: Passage) -> Iterator[Equation]:
    """Yield the equalities of a passage: with an equals sign, in words, with words among the numbers, and in tables."""
    yield from equations(passage)
    yield from _worded(passage)
    yield from _with_words(passage)
    for _, rows in groupby(
        enumerate(passage.blocks), key=lambda numbered_block: numbered_block[1].kind is BlockKind.ROW
    ):
        table = [(index, [_plain(cell) for cell in block.cells]) for index, block in rows]
        for index, cells in table:
            yield from _row(passage, index, [cell.rpartition("=")[2].strip() for cell in cells])
        yield from _column(passage, [(index, cells[-1]) for index, cells in table if cells])


def _plain(cell: str) -> str:
    """Return a cell as arithmetic. The sizes of a shape, `Linear(512, 512)`, are multiplied."""
    return _SHAPE.sub(r"\1 × \2", normalise(cell).text.strip())


def _worded(passage: Passage) -> Iterator[Equation]:
    """Yield the equalities in words, `258 × 512 gives 132,096`, with an arrow or colon, or in a comment."""
    text = passage.text
    for match in (*_WORDED.finditer(text), *_COMMENTED.finditer(text)):
        if not belongs_before(text, *match.span("left")) and not _goes_on(text, match.end()):
            yield from _unless_otherwise(passage, match["left"], match["right"], *match.span())


def _with_words(passage: Passage) -> Iterator[Equation]:
    """Yield the equalities whose left side contains words: `4 layers × 1,572,864 = 6,291,456`."""
    text = passage.text
    for match in _EQUAL.finditer(text):
        before = text_before(text, match.start(), _LONGEST_LEFT)
        ends = [end.end() for end in _LEFT_ENDS.finditer(before)]
        left = _LEADING_WORDS.sub("", before[ends[-1] if ends else 0 :], count=1).strip()
        plain = " ".join(_WORD.sub(" ", left).split())
        if _WORD.search(left) and not _goes_on(text, match.end()):
            yield from _unless_otherwise(passage, plain, match["right"], *match.span())


def _goes_on(text: str, offset: int) -> bool:
    """Whether a number that ends at an offset is followed by a calculation or a unit."""
    return bool(SYMBOL_AFTER.match(text, offset) or _OPERATOR_NEXT.match(text, offset))


def _row(passage: Passage, index: int, cells: list[str]) -> Iterator[Equation]:
    """Yield the equation of a row whose last number is the product of its other cells, except for a slip."""
    numbers = [cell for cell in cells if cell and _calculated(cell)]
    *factors, value = numbers or [""]
    if len(factors) not in _FACTORS or not _NUMBER.fullmatch(value):
        return
    products = [
        " × ".join(f"({cell})" if len(some) > 1 and not _NUMBER.fullmatch(cell) else cell for cell in some)
        for size in _FACTORS
        for some in combinations(factors, size)
        if any("×" in cell or " x " in cell for cell in some)
    ]
    if not any(holds_as_read(product, value) for product in products):
        start = passage.offset_of(index)
        for product in products:
            yield from _unless_otherwise(passage, product, value, start, start)


def _column(passage: Passage, cells: list[tuple[int, str]]) -> Iterator[Equation]:
    """Yield the equation of a table's last number if it cannot be the sum of those above it or of a part of them.

    All of these are multiples of a number that it is no multiple of, and it is close to their sum.
    """
    numbers = [(index, cell) for index, cell in cells if _NUMBER.fullmatch(cell)]
    *addends, total = [as_integer(likeliest(cell)) or 0 for _, cell in numbers] or [0]
    is_sum = len(addends) in _ADDENDS and all((*addends, total)) and abs(sum(addends) - total) < total * SLIP_OF_PEN
    if is_sum and total % _DIVISOR and not gcd(*addends) % _DIVISOR:
        *above, (index, stated) = numbers
        start = passage.offset_of(index)
        yield _equation(passage, " + ".join(cell for _, cell in above), stated, start, start, holds=False)


def in_letters(formula: Formula) -> Iterator[Equation]:
    """Yield the equations between a formula in letters and a number that is its value, except for a slip."""
    texts = [side.strip() for side in formula.text.strip(" =").split("=")]  # a formula after a word begins with `=`
    if len(texts) != len(formula.values):
        return
    sides = list(zip(texts, formula.values, formula.symbolic, strict=True))
    for (left, wanted, in_symbols), (right, stated, _) in pairwise(sides):
        if in_symbols and wanted and stated and _NUMBER.fullmatch(right):
            sizes = (size for size in formula.steps if _DIVISOR <= size < wanted)
            if is_slip_of_pen(Fraction(wanted), Fraction(stated), sizes):
                actual = say_values("{value:,}", value=wanted)
                yield Equation(left=left, right=right, holds=False, actual=actual, evidence=formula.evidence)


def _calculated(cell: str) -> bool:
    try:
        return bool(evaluate(cell))
    except NotArithmeticError:
        return False


def _unless_otherwise(passage: Passage, left: str, right: str, start: int, end: int) -> Iterator[Equation]:
    """Yield an equality as it is understood. A wrong one counts only if its sides differ by a slip of the pen.

    The sides are close, and no multiple of a size on the left is the difference.
    """
    try:
        wanted, stated = likeliest(left), likeliest(right)
        holds = holds_as_read(left, right)
    except NotArithmeticError:
        return
    sizes = (as_integer(likeliest(number)) or 0 for number in _NUMBER.findall(left))
    if holds or is_slip_of_pen(wanted, stated, (size for size in sizes if size >= _LEAST_SIZE)):
        yield _equation(passage, left, right, start, end, holds=holds)


def _equation(passage: Passage, left: str, right: str, start: int, end: int, *, holds: bool) -> Equation:
    return Equation(
        left=left,
        right=right,
        holds=holds,
        actual=shown_value(left),
        is_inferred=not holds and passage.is_inferred(start, end, *_INFERRED),
        evidence=passage.evidence(start, end),
    )

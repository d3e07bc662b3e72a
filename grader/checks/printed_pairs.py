"""Pairs of numbers that code printed together, as trainable and all parameters."""

import re
from collections.abc import Container, Iterator
from typing import Final, NamedTuple

from grader.checks.printed import LONGEST_LINE, Printed, Typed
from grader.claims.answer import Answer
from grader.claims.code import CodeCell
from grader.claims.numerals import numerals
from grader.reading.evidence import Evidence

_LINES_APART: Final = 3
"""Both figures are printed together, at most so many lines apart."""

_MOST_NUMBERS: Final = 2_000
_NONE: Final = re.compile(r"train\w{0,20}[^\d\n]{0,60}(?<![\d.,])0(?![\d.,]*\d)", re.IGNORECASE)
_LABEL: Final = re.compile(r"\b(?:train|entra|all|total|tou)", re.IGNORECASE)
_TRAINED: Final = ("train", "entra")
_NEAR_SHARE: Final = 0.01


class Pair(NamedTuple):
    """Two numbers printed together. `lines` are those that hold them; `swapped` says that the larger one is called
    trainable."""

    trainable: int
    total: int
    lines: tuple[str, ...]
    evidence: tuple[Evidence, ...]
    cell: CodeCell
    swapped: bool = False

    @property
    def shown(self) -> str:
        """The first line, as printed."""
        return self.lines[0].strip()[:200]

    @property
    def is_fraction(self) -> bool:
        """Whether the share that is printed beside is a fraction under the name of a percentage."""
        text = " ".join(self.lines)[: 2 * LONGEST_LINE]
        share = self.trainable / self.total if self.total else 0.0
        read = [float(one.value) for one in numerals(text) if one.value < 1 and not one.percent]
        near = any(share and abs(value - share) <= _NEAR_SHARE * share for value in read)
        return near and ("%" in text or "percent" in text.lower())


def printed_pairs(answer: Answer, bases: Container[int]) -> Iterator[Pair]:
    """The pairs in the outputs of all code. What the code has typed in is none. No trainable parameter at all is told
    from the words before a 0, beside one of the `bases`."""
    typed = Typed(answer.code)
    for cell in answer.code:
        numbers = [one for one in typed.numbers(cell) if not typed.holds(one)]
        for index, one in enumerate(numbers[:_MOST_NUMBERS]):
            for other in numbers[index + 1 : index + 4]:
                words = f"{one.line} {other.line}".lower()
                if other.number - one.number <= _LINES_APART and _speaks_of_it(words, one, other):
                    yield _pair(one, other)
            if one.value in bases:
                yield from _without_any(one)


def _pair(one: Printed, other: Printed) -> Pair:
    small, large = sorted((one, other), key=lambda printed: printed.value)
    evidence = tuple(dict.fromkeys((small.evidence, large.evidence)))
    lines = tuple(dict.fromkeys((one.line, other.line)))
    swapped = small.value < large.value and _is_called_trained(large, small) and not _is_called_trained(small, large)
    return Pair(small.value, large.value, lines, evidence, one.cell, swapped)


def _is_called_trained(number: Printed, other: Printed) -> bool:
    """Whether the last label before a number says that it is trained."""
    begin = other.numeral.end if other.number == number.number and other.numeral.end < number.numeral.start else 0
    labels = _LABEL.findall(number.line[begin : number.numeral.start])
    return bool(labels) and labels[-1].lower().startswith(_TRAINED)


def _without_any(total: Printed) -> Iterator[Pair]:
    lines = total.cell.output.split("\n")[max(0, total.number - _LINES_APART) : total.number + _LINES_APART + 1]
    line = next((line for line in lines if _NONE.search(line[:LONGEST_LINE])), None)
    if line is not None:
        place = Evidence(file=total.cell.file, cell=total.cell.cell, quote=line.strip()[:LONGEST_LINE])
        evidence = tuple(dict.fromkeys((place, total.evidence)))
        yield Pair(0, total.value, tuple(dict.fromkeys((line, total.line))), evidence, total.cell)


def _speaks_of_it(words: str, one: Printed, other: Printed) -> bool:
    same_line = one.number == other.number
    return same_line or any(word in words for word in ("train", "param", "total", "all", "entra"))

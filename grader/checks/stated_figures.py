"""What a report says of trainable and all parameters: the figures of a print, a table or a sentence."""

import re
from collections.abc import Iterator, Sequence
from decimal import Decimal
from typing import Final, NamedTuple

from grader.checks.adapter_figures import Figures
from grader.checks.finding import Status
from grader.checks.printed_pairs import Pair, printed_pairs
from grader.claims.answer import Answer
from grader.claims.code import CodeCell
from grader.claims.matter import plainest, speaks_of
from grader.claims.numerals import Numeral, numerals
from grader.claims.passage import Passage
from grader.message import Words, say
from grader.reading.evidence import Evidence

_TRAINED: Final = ("train", "entrain", "learn", "appren", "gradient", "optimi")
_LABELLED: Final = re.compile(r"(?:train|entra[iî]n)[^:=\d\n]{0,40}[:=]\s?\d", re.IGNORECASE)
_SENTENCE_END: Final = re.compile(r"(?<![.\s]\w)[.!]\s+(?=[A-ZÀ-Ý\d])|\n\n")
_APART: Final = 300
_BESIDE: Final = 120
_SMALLEST: Final = 10_000
_LINES: Final = 3
_ROUNDED_DIGITS: Final = 2


class Stated(NamedTuple):
    """What a report states, and what that is worth; no status where a person must look at it."""

    status: Status | None
    found: str
    feedback: Words
    evidence: tuple[Evidence, ...]
    pair: Pair | None = None


def stated_figures(answer: Answer, figures: Figures, adapter: Sequence[str], ways: Sequence[str]) -> Stated | None:
    """The best of what the report says. `adapter` are words for what is trained, and `ways` those by which a sentence
    tells how it was counted."""
    passages = [section.passage for section in answer.written if not section.is_closing]
    found = [one for passage in passages for one in _of_passage(passage, figures, (*_TRAINED, *adapter))]
    for status in (Status.CORRECT, Status.PARTIAL):
        for one in found:
            if one.status is status:
                return one
    counted = plainest(passages, ways)
    if counted is not None and counted.is_plain:
        text = say("The report says how trainable parameters are counted, but shows neither code nor figures.")
        return Stated(Status.PARTIAL, counted.evidence.quote, text, (counted.evidence,))
    wrong = [pair for passage in passages for pair in _pairs(passage, figures)]
    if wrong:
        pair = wrong[-1]
        return Stated(None, pair.shown, say("The figures in the report are others."), pair.evidence, pair)
    return None


def _of_passage(passage: Passage, figures: Figures, trained: Sequence[str]) -> Iterator[Stated]:
    text = passage.text
    large = [one for one in numerals(text) if one.value >= _SMALLEST]
    trainable, totals = figures.trainable.total, {count.total for count in figures.totals}
    parts = [one for one in large if trainable in one.readings]
    rounded = [one for one in large if one not in parts and _rounds(one, trainable)]
    wholes = [one for one in large if totals.intersection(one.readings)]
    swapped = any(pair.swapped for pair in _pairs(passage, figures))
    for part in (*parts, *rounded):
        named = _says_trained(text, part, trained)
        for whole in wholes:
            near = _APART if part in parts else _BESIDE
            if abs(part.start - whole.start) <= near and (part in parts or named) and not swapped:
                places = tuple(dict.fromkeys(passage.evidence(one.start, one.end) for one in (part, whole)))
                text_ = say("The figures that the report states are right.")
                yield Stated(Status.CORRECT, f"{part.text} / {whole.text}", text_, places)
        if named:
            place = (passage.evidence(part.start, part.end),)
            if part in parts:
                yield Stated(Status.CORRECT, part.text, say("The trainable parameters are stated, and right."), place)
            else:
                said = say(
                    "The number of trainable parameters is stated, but it is rounded, and neither the function nor its "
                    "output is shown."
                )
                yield Stated(Status.PARTIAL, part.text, said, place)


def _says_trained(text: str, number: Numeral, trained: Sequence[str]) -> bool:
    """Whether the words around a number, in its sentence or line, say that so many are trained."""
    before, behind = text[max(0, number.start - _BESIDE) : number.start], text[number.end : number.end + _BESIDE]
    before = before[max((match.end() for match in _SENTENCE_END.finditer(before)), default=0) :]
    end = _SENTENCE_END.search(behind)
    return speaks_of(f"{before} {behind[: end.start() if end else len(behind)]}", trained) is not None


def _rounds(number: Numeral, exact: int) -> bool:
    """Whether a number in thousands or millions, of at least two digits, is another one rounded."""
    unit = number.resolution
    if unit <= 1 or len(str(int(number.value / unit))) < _ROUNDED_DIGITS:
        return False
    return abs(Decimal(exact) - number.value) * 2 <= unit


def _pairs(passage: Passage, figures: Figures) -> list[Pair]:
    """Two figures as a print shows them, behind a label that speaks of training."""
    lines = passage.text.split("\n")
    kept = {
        number + further
        for number, line in enumerate(lines)
        if _LABELLED.search(line)
        for further in range(_LINES)
        if number + further < len(lines)
    }
    shown = "\n".join(line if number in kept else "" for number, line in enumerate(lines))
    cell = CodeCell(file=passage.file, cell=None, source="", output=shown)
    found = printed_pairs(Answer(code=(cell,)), figures.bases)
    return [pair._replace(evidence=_places(passage, pair)) for pair in found]


def _places(passage: Passage, pair: Pair) -> tuple[Evidence, ...]:
    starts = [passage.text.find(line) for line in pair.lines]
    return tuple(passage.evidence(start, start + 1) for start in starts if start >= 0) or pair.evidence

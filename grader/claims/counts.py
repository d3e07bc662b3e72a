"""Find claimed counts of parameters: integers that a text presents as results or totals."""

import re
from collections.abc import Iterator
from decimal import Decimal
from itertools import dropwhile, takewhile

from grader.claims.commitment import Stance, is_bare, stance
from grader.claims.numerals import RESULT, Numeral, numerals, text_before
from grader.claims.passage import Passage
from grader.frozen import Frozen
from grader.language.lexicon import find_all, match, search
from grader.reading.document import BlockKind, Evidence

SMALLEST = 1_000
"""Smaller numbers are dimensions, years and the like, not counts of a model or of its large parts."""

_NUMBER_OF_PARAMETERS = r"<amount> (?:<total> )?<of> ?(?:[a-z]+ ){0,3}<parameter>"
_TOTAL = rf"<total|in_total|model_has>|{_NUMBER_OF_PARAMETERS}"
_TOTAL_OF_PARAMETERS = rf"<total|in_total> {_NUMBER_OF_PARAMETERS}|<amount> <total> <of> ?<parameter>"
_TOTAL_AFTER = r"[^.;\n\d]{0,30}<in_total>"
_IS_COUNT = r"[\s)\]]{0,3}(?:\w+\s)?<parameter>"
_DISOWNED = r"(?:<disowned>|n't)[^\w.;!?]+(?:\w+[^\w.;!?]+){0,2}\Z"
_PROGRAM = r"<program>|(?<![^\W_])parameters\("
_COUNTING = ("numel", "num_parameters", "count_params", "parameters(", "state_dict", "summary(", ".size(", ".shape")
"""Code that counts the arrays of a model."""

_OPERATOR_AFTER = re.compile(r"[^\S\n]*(?:[+×/^]|-(?!-?>)|x\s?\d)|\s*[+×]")
_OPERATOR_BEFORE = re.compile(r"(?:[+×/^]|(?<!^)(?<![\n-])-|\dx|\d\sx)\s*[(\[]?\s*$")
_SENTENCE = re.compile(r"[.!?;](?=\s+[^\W\d_a-zà-ÿ])|\n\s*\n")
_LINES = (BlockKind.ROW, BlockKind.LIST_ITEM, BlockKind.CODE, BlockKind.OUTPUT, BlockKind.HEADING)
_APART = (BlockKind.ROW, BlockKind.CODE, BlockKind.OUTPUT, BlockKind.HEADING)
_WINDOW = 300
"""The distance before a number, in characters, within which words may call it a total."""

_CUT = re.compile(
    r"(?<![\w.,])(?P<head>\d{1,3}(?:(?:, |[ ,.'])\d{3})*)(?P<mark>[ ,.']?)\n(?P<tail>\d{3}(?:[ ,.']\d{3})*)(?![\w])"
)
"""A number whose groups of digits are separated by a line end."""


class CountClaim(Frozen):
    """An integer claimed in a text, at `start` of its passage."""

    value: int
    text: str
    rounded_to: int | None = None
    """The unit to which it is rounded, if it is rounded."""
    is_result: bool
    """Whether it follows an equals sign or a verb, or precedes the word parameters, and is no operand."""
    is_total: bool
    """Whether words in its sentence or line call it a total."""
    is_operand: bool
    """Whether it is part of a calculation."""
    is_of_parameters: bool
    """Whether it is followed by the word parameters, or called their total."""
    is_disowned: bool
    """Whether the text denies it, supposes it, or counts something other than parameters."""
    is_withdrawn: bool = False
    """Whether its sentence describes a first attempt."""
    by_program: bool
    """Whether its sentence mentions code or output."""
    is_torn: bool
    """Whether it was joined over a line end."""
    stance: Stance = Stance.ASSERTED
    """Whether the text asserts it, guesses it, and so on."""
    is_bare: bool = False
    """Whether its line says nothing that distinguishes it from other numbers."""
    start: int
    evidence: Evidence


def counts(passage: Passage, least: int = SMALLEST) -> Iterator[CountClaim]:
    """Yield all integers of at least `least` in a passage, in reading order."""
    text = passage.text
    torn = {numeral.start: numeral for numeral in _torn(passage)}
    for written in numerals(text):
        if any(start < written.start < numeral.end for start, numeral in torn.items()):
            continue
        numeral = torn.get(written.start, written)
        value = next((int(reading) for reading in numeral.readings if reading >= least), None)
        if value is not None and numeral.readings[0] == numeral.readings[0].to_integral_value():
            sentence = _sentence_start(passage, numeral)
            yield CountClaim(
                value=value,
                text=numeral.text,
                rounded_to=int(numeral.resolution) if numeral.resolution > 1 else _rounded_by_unit(numeral),
                is_result=_is_result(text, numeral),
                is_operand=_is_operand(text, numeral),
                is_of_parameters=bool(
                    match(_IS_COUNT, text, numeral.end) or search(_TOTAL_OF_PARAMETERS, text, sentence, numeral.start)
                ),
                is_total=bool(search(_TOTAL, text, sentence, numeral.start) or match(_TOTAL_AFTER, text, numeral.end)),
                is_disowned=bool(
                    search(_DISOWNED, text, numeral.start - 40, numeral.start)
                    or match(r"\s?<other_thing>", text, numeral.end)
                ),
                is_withdrawn=bool(search("<first_attempt>", text, sentence, numeral.start)),
                by_program=_is_by_program(passage, numeral, sentence),
                is_torn=written.start in torn,
                stance=stance(passage, numeral.start, numeral.end),
                is_bare=is_bare(passage, numeral.start),
                start=numeral.start,
                evidence=passage.evidence(numeral.start, numeral.end),
            )


def _torn(passage: Passage) -> Iterator[Numeral]:
    """Yield the numbers that a line end divides between groups of digits, joined."""
    for cut in _CUT.finditer(passage.text):
        head, tail = (passage.block_at(cut.start(group)) for group in ("head", "tail"))
        is_grouped = " " in cut["head"] + cut["tail"] or (cut["mark"] and cut["mark"] in cut["head"])
        if is_grouped and {head.kind, tail.kind} <= {BlockKind.LINE, BlockKind.LIST_ITEM}:
            yield Numeral(
                text=" ".join(cut.group().split()),
                readings=(Decimal(re.sub(r"\D", "", cut.group())),),
                resolution=Decimal(1),
                start=cut.start(),
                end=cut.end(),
            )


def _sentence_start(passage: Passage, numeral: Numeral) -> int:
    """Return the start of a number's sentence, or of its line if lines are independent."""
    text, earliest = passage.text, max(0, numeral.start - _WINDOW)
    line = text.rfind("\n", 0, numeral.start) + 1
    kind = passage.block_at(numeral.start).kind
    while line > earliest and kind not in _LINES:
        kind = passage.block_at(line - 1).kind
        line = line if kind in _APART else text.rfind("\n", 0, line - 1) + 1
    earliest = max(earliest, line)
    ends = [candidate.end() for candidate in _SENTENCE.finditer(text, earliest, numeral.start)]
    return ends[-1] if ends else earliest


def _sentence_end(passage: Passage, numeral: Numeral) -> int:
    """Return the end of a number's sentence, at most up to the next independent line."""
    text, end = passage.text, min(numeral.end + _WINDOW, len(passage.text))
    kind = passage.block_at(numeral.start).kind
    line = text.find("\n", numeral.end, end)
    while line >= 0 and kind not in _APART and not _begins_anew(passage, line + 1):
        kind = passage.block_at(line + 1).kind
        line = text.find("\n", line + 1, end)
    stop = _SENTENCE.search(text, numeral.end, end if line < 0 else line)
    return stop.start() if stop else end if line < 0 else line


def _begins_anew(passage: Passage, start: int) -> bool:
    """Whether the line at an offset is independent, or follows an empty line of a text file."""
    index = passage.index_at(start)
    above, below = passage.blocks[index - 1].line, passage.blocks[index].line
    return passage.blocks[index].kind in _LINES or (above is not None and below is not None and below - above > 1)


def _is_by_program(passage: Passage, numeral: Numeral, sentence: int) -> bool:
    """Whether a number was counted by a program.

    Its sentence mentions a program, and no count by hand directly before; or code that counts the arrays of a model
    printed it. Code that only calculates with sizes is the student's own count.
    """
    if passage.block_at(numeral.start).kind is not BlockKind.OUTPUT:
        hands = [candidate.end() for candidate in find_all("<by_hand>", passage.text, sentence, numeral.start)]
        if hands and not search(_PROGRAM, passage.text, hands[-1], numeral.start):
            return False
        return bool(search(_PROGRAM, passage.text, sentence, _sentence_end(passage, numeral)))
    before = passage.blocks[: passage.blocks.index(passage.block_at(numeral.start))][::-1]
    cell = dropwhile(lambda block: block.kind is BlockKind.OUTPUT, before)
    return any(
        name in block.text
        for block in takewhile(lambda block: block.kind is BlockKind.CODE, cell)
        for name in _COUNTING
    )


def _rounded_by_unit(numeral: Numeral) -> int | None:
    """Return the unit of a number such as `23M`, which is rounded although it has no decimals, or None."""
    digits = re.sub(r"\D", "", numeral.text)
    return int(numeral.value) // int(digits) if numeral.text[-1:].isalpha() and int(digits) else None


def _is_operand(text: str, numeral: Numeral) -> bool:
    before = text_before(text, numeral.start, 8)
    return bool(_OPERATOR_AFTER.match(text, numeral.end) or _OPERATOR_BEFORE.search(before))


def _is_result(text: str, numeral: Numeral) -> bool:
    if _is_operand(text, numeral):
        return False
    return bool(search(RESULT, text, numeral.start - 30, numeral.start) or match(_IS_COUNT, text, numeral.end))

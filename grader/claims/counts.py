"""Claimed counts of parameters: which numbers a text presents as results, and which of them it calls a total."""

import re
from collections.abc import Iterator

from grader.claims.numerals import Numeral, numerals
from grader.claims.passage import Passage
from grader.frozen import Frozen
from grader.reading.evidence import Evidence

SMALLEST = 100_000
"""Smaller numbers are dimensions, not counts of a whole model or of its large parts."""

_TOTAL = re.compile(
    r"(?<![^\W_])(?:in total|totals?|totaux|au total|in all|altogether|overall|final(?:ly|e|ement)?|sum(?:ming)?"
    r"|somme|tot"
    r"|(?:number|nb|amount|count) of (?:[a-z]+ ){0,3}parameters|nombre (?:total )?de param[eè]tres"
    r"|model (?:has|contains|counts|comprises)|le modèle (?:a|compte|contient|possède))(?![^\W_])",
    re.IGNORECASE,
)
_RESULT = re.compile(
    r"(?:=|≈|:|\b(?:is|are|has|have|of|get|obtain|gives?|yields?|equals?|contains|counts|prints?|therefore|so"
    r"|est|sont|donne|obtient|soit|compte|à|de))[\s×(\[\"]*$",
    re.IGNORECASE,
)
_IS_COUNT = re.compile(r"[\s)\]]{0,3}(?:\w+\s)?(?:parameters?|params?|param[eè]tres?)\b", re.IGNORECASE)
_TOTAL_AFTER = re.compile(r"[^.;\n\d]{0,30}\b(?:in total|in all|altogether|overall|au total|en tout)\b", re.IGNORECASE)
_DISOWNED = re.compile(
    r"(?:\bnot|n't|\bpas|\binstead of|\brather than|\bplutôt que|\bwould (?:be|have|give|get)|\bserait|\baurait"
    r"|\bwrongly)"
    r"\W+(?:\w+\W+){0,2}\Z",
    re.IGNORECASE,
)
_OPERATOR_AFTER = re.compile(r"\s*(?:[-+×/^]|x\s?\d)")
_OPERATOR_BEFORE = re.compile(r"(?:[-+×/^]|\dx|\d\sx)\s*[(\[]?\s*$")
_WINDOW = 200
"""How far before a number, in characters, the words may stand that call it a total."""


class CountClaim(Frozen):
    """An integer claimed in a text. `is_result`: it stands after an equals sign or a verb, or before the word
    parameters, and is no operand there. `is_total`: words near it call it a total. `is_disowned`: the text denies it or
    speaks of what would be. `rounded_to` is the unit it is rounded to, if it is."""

    value: int
    text: str
    rounded_to: int | None = None
    is_result: bool
    is_total: bool
    is_disowned: bool = False
    evidence: Evidence


def counts(passage: Passage) -> Iterator[CountClaim]:
    """All large integers of a passage, in reading order."""
    text = passage.text
    for numeral in numerals(text):
        value = next((int(reading) for reading in numeral.readings if reading >= SMALLEST), None)
        if value is not None and numeral.readings[0] == numeral.readings[0].to_integral_value():
            yield CountClaim(
                value=value,
                text=numeral.text,
                rounded_to=int(numeral.resolution) if numeral.resolution > 1 else _rounded_by_unit(numeral),
                is_result=_is_result(text, numeral),
                is_total=bool(
                    _TOTAL.search(text, max(0, numeral.start - _WINDOW), numeral.start)
                    or _TOTAL_AFTER.match(text, numeral.end)
                ),
                is_disowned=bool(_DISOWNED.search(text, max(0, numeral.start - 40), numeral.start)),
                evidence=passage.evidence(numeral.start, numeral.end),
            )


def _rounded_by_unit(numeral: Numeral) -> int | None:
    """`23M` is rounded to a million although its digits show no decimals."""
    digits = re.sub(r"\D", "", numeral.text)
    return int(numeral.value) // int(digits) if numeral.text[-1:].isalpha() and int(digits) else None


def _is_result(text: str, numeral: Numeral) -> bool:
    if _OPERATOR_AFTER.match(text, numeral.end) or _OPERATOR_BEFORE.search(
        text, max(0, numeral.start - 8), numeral.start
    ):
        return False
    return bool(_RESULT.search(text, max(0, numeral.start - 30), numeral.start) or _IS_COUNT.match(text, numeral.end))

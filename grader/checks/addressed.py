"""Find sentences that ask whoever marks the submission for marks.

A sentence counts if it orders (`give`, `please mark … as correct`) or wishes (`I deserve`) marks or a verdict, or
orders to ignore rules. Words that only guide a reader do not count: `the reader sees in Table 1`, `note to the marker:
the code is in folder X`, `thank you for reading`.
"""

from collections.abc import Iterable, Iterator
from typing import Final

from grader.checks.finding import Flag, Severity
from grader.claims.answer import Answer
from grader.claims.passage import normalise
from grader.claims.statements import all_statements
from grader.language.lexicon import search as _found
from grader.message import say
from grader.reading.document import BlockKind, Evidence

FLAG: Final = "speaks-to-reader"
_MOST_PLACES: Final = 6
_LONGEST: Final = 600
"""The number of characters of a sentence that are examined."""
_MOST_LINES: Final = 2_000


def addressed_flag(places: Iterable[Evidence]) -> Flag:
    """Return the flag for sentences that address the marker. It changes no verdict."""
    message = say("The text addresses the grader or imitates the answer of a language model.")
    return Flag(id=FLAG, severity=Severity.WARNING, message=message, evidence=tuple(places)[:_MOST_PLACES])


def addressed_flags(answer: Answer) -> Iterator[Flag]:
    """Yield a flag if a report, a notebook or a comment in code asks the marker for marks."""
    places = list(dict.fromkeys((*_in_text(answer), *_in_code(answer))))
    if places:
        yield addressed_flag(places)


def _in_text(answer: Answer) -> Iterator[Evidence]:
    for section in (*answer.sections, *answer.noted):
        passage = section.passage
        for statement in all_statements(passage):
            if passage.block_at(statement.start).kind is not BlockKind.OUTPUT and asks_for_marks(statement.text):
                yield passage.evidence(statement.start, statement.end)


def _in_code(answer: Answer) -> Iterator[Evidence]:
    for cell in answer.code:
        for number, line in enumerate(cell.source.split("\n")[:_MOST_LINES], start=1):
            comment = line.partition("#")[2]
            if comment.strip() and asks_for_marks(normalise(comment).text):
                yield Evidence(file=cell.file, cell=cell.cell, line=number, quote=line.strip()[:_LONGEST])


def asks_for_marks(text: str) -> bool:
    """Whether a sentence asks the marker for marks or a verdict, or to ignore the rules."""
    plain = text[:_LONGEST]
    is_told = _found("<marker>", plain) or _found("<graded>", plain)
    return bool(_found(rf"{_BEGUN}<ignoring>\W+(?:\w+\W+){{0,4}}?<rule>", plain)) or any(
        _found(form, plain) for form in (*_ORDERS, *(_ORDERS_TO_A_MARKER if is_told else ()))
    )


_BEGUN: Final = r"(?:\A|[:,;.(>]|<polite>|<marker>)\W*(?:<polite>\W+){0,2}"
"""The possible beginnings of an order. `we ignore` is none, because the verb follows its subject."""
_MARK: Final = (
    r"(?<![\d/])(?:20|100|19|18|10)(?![\w/]|[.,]\d|\s?%|\s(?!s'il|svp|please|for|pour|a\b|to\b|sur\b|out\b|at\b)[a-z])"
)
_OUT_OF: Final = r"\d{1,3}\s?/\s?(?:20|100|10)\b(?!\s(?!s'il|svp|please|for|pour|a\b|to\b|at\b|and\b|et\b)[a-z])"
_ORDERS: Final = (
    r"<order>\W+(?:\S+\s+){0,6}?<marks>",
    rf"{_BEGUN}<order>\W+(?:\S+\s+){{0,6}}?{_OUT_OF}",
    rf"<wish>\W+(?:\S+\s+){{0,4}}?(?:<marks>|{_OUT_OF})",
    rf"{_BEGUN}<giving>\W+(?:me|us|moi|nous|myself)\W+(?:\w+\W+){{0,2}}?{_MARK}",
)
_ORDERS_TO_A_MARKER: Final = (
    rf"{_BEGUN}<order>\W+(?:\S+\s+){{0,6}}?(?:<verdict>|<perhaps_marks>)",
    rf"{_BEGUN}<giving>\W+(?:\w+\W+){{0,3}}?{_MARK}",
    r"<wish>\W+(?:\S+\s+){0,4}?<perhaps_marks>",
)

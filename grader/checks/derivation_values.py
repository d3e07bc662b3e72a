"""The values that a derivation shows: every number in it, and what its formulas work out to on the way."""

import re
from collections import defaultdict
from typing import Final

from grader.checks.diagnosis.weighing import Seen
from grader.claims.answer import Answer
from grader.claims.formulas import formulas
from grader.claims.numerals import numerals
from grader.claims.passage import Passage
from grader.frozen import Frozen
from grader.lab.definition import Lab
from grader.reading.evidence import Evidence

PART_WORDS: Final = {
    "position embedding": r"position",
    "token-type embedding": r"(?:token|segment)[- ]type|segment",
    "token embedding": r"(?:token|word|vocab\w*|input|lexical)[- ]?embed|embedding (?:of|for) (?:the )?(?:token|word)"
    r"|vocabular|plongement",
    "attention": r"attention|\bQ,? ?K|quer(?:y|ies)|\bqkv|projection",
    "feed-forward": r"feed[- ]?forward|\bffn?\b|\bmlp\b|intermediate|\bfc ?[12]|perceptron",
    "norms": r"norm",
    "language-model head": r"\b(?:lm|language[- ]model\w*|mlm|output)[- ]head",
}
"""Words by which students call the parts of a model."""

_WORDS: Final = {part: re.compile(words, re.IGNORECASE) for part, words in PART_WORDS.items()}


class Shown(Frozen):
    """Whole numbers with the place where each is written first or, else, where a formula holds it. `written` are
    those that are spelt out, or summands; `labelled` are those, by part, that stand in
    a line which speaks of that part alone."""

    places: dict[int, Evidence]
    written: frozenset[int]
    labelled: dict[str, frozenset[int]]

    @property
    def seen(self) -> Seen:
        """The values without their places."""
        return Seen(frozenset(self.places), self.written, self.labelled)


def shown_values(answer: Answer, lab: Lab, question: str) -> Shown:
    """All values in the answers to a question."""
    written: dict[int, Evidence] = {}
    worked: dict[int, Evidence] = {}
    terms: set[int] = set()
    labelled: dict[str, set[int]] = defaultdict(set)
    parts: dict[str, str] = {}
    for passage in answer.passages(question):
        for numeral in numerals(passage.text):
            whole = [int(value) for value in numeral.readings if value == value.to_integral_value()]
            part = _part_at(passage, numeral.start, parts)
            for value in whole:
                written.setdefault(value, passage.evidence(numeral.start, numeral.end))
                labelled[part].add(value)
        for formula in formulas(passage, lab):
            results = formula.terms | {value for value in formula.values if value}
            labelled[_part_at(passage, formula.start, parts)] |= results
            terms |= results
            for step in formula.steps:
                worked.setdefault(step, formula.evidence)
    own = {part: frozenset(values) for part, values in labelled.items() if part}
    return Shown(places=worked | written, written=frozenset(written) | terms, labelled=own)


def _part_at(passage: Passage, offset: int, known: dict[str, str]) -> str:
    """The one part that the line at an offset speaks of; empty where it speaks of none or of several. `known` are the
    lines looked at so far: one may hold thousands of numbers."""
    text = passage.block_at(offset).text
    if text not in known:
        parts = [part for part, words in _WORDS.items() if words.search(text)]
        known[text] = parts[0] if len(parts) == 1 else ""
    return known[text]

"""The values that a derivation shows: every number in it, and what its formulas work out to on the way."""

import re
from collections import defaultdict
from typing import Final

from grader.checks.diagnosis.weighing import Seen
from grader.claims.answer import Answer
from grader.claims.counts import SMALLEST
from grader.claims.equations import Equation
from grader.claims.formulas import formulas
from grader.claims.implied_equations import in_letters
from grader.claims.numerals import numerals
from grader.claims.passage import Passage
from grader.frozen import Frozen
from grader.lab.definition import Lab
from grader.reading.evidence import Evidence

PART_WORDS: Final = {
    "position embedding": r"position",
    "token-type embedding": r"(?:token|segment)[- ]type|segment",
    "token embedding": r"(?:token|word|vocab\w*|input|lexical)[- ]?embed|embedding (?:of|for) (?:the )?(?:token|word)"
    r"|vocabular|plongement|embed_tokens|jetons",
    "attention": r"attention|\bQ,? ?K|quer(?:y|ies)|\bqkv|projection|self_attn|\b(?:[qkvo]|out)_proj|\bW_?[QKVOqkvo]\b",
    "feed-forward": r"feed[- ]?forward|\bffn?\b|\bmlp\b|intermediate|\bfc ?[12]|perceptron|\bW_?[12]\b",
    "norms": r"norm",
    "language-model head": r"\b(?:lm|language[- ]model\w*|mlm|output)[- ]head",
}
"""Words by which students call the parts of a model."""

_WORDS: Final = {part: re.compile(words, re.IGNORECASE) for part, words in PART_WORDS.items()}


class Line(Frozen):
    """A line that speaks of one part of a model, and the number that it comes to."""

    part: str
    value: int


class Shown(Frozen):
    """Whole numbers with the place where each is written first or, else, where a formula holds it. `written` are
    those that are spelt out, or summands; `labelled` are those, by part, that stand in
    a line which speaks of that part alone, and `lines` what such lines come to. `sums` are what the sums of several
    terms come to, and `summands` the terms of those that come to more; `wrong` are formulas in letters that are set
    equal to another number than their value."""

    places: dict[int, Evidence]
    written: frozenset[int]
    labelled: dict[str, frozenset[int]]
    lines: tuple[Line, ...] = ()
    sums: frozenset[int] = frozenset()
    summands: frozenset[int] = frozenset()
    wrong: tuple[Equation, ...] = ()

    @property
    def seen(self) -> Seen:
        """The values without their places."""
        return Seen(frozenset(self.places), self.written, self.labelled)


def shown_values(answer: Answer, lab: Lab, question: str) -> Shown:
    """All values in the answers to a question."""
    written: dict[int, Evidence] = {}
    worked: dict[int, Evidence] = {}
    terms: set[int] = set()
    sums: set[int] = set()
    summands: set[int] = set()
    labelled: dict[str, set[int]] = defaultdict(set)
    lines: list[Line] = []
    wrong: list[Equation] = []
    parts: dict[str, str] = {}
    for passage in answer.passages(question):
        by_line: dict[int, tuple[int, int]] = {}
        covered: set[int] = set()
        for formula in formulas(passage, lab):
            results = formula.terms | {value for value in formula.values if value}
            labelled[_part_at(passage, formula.start, parts)] |= results
            terms |= results
            sums |= formula.sums
            wrong += in_letters(formula)
            summands |= {term for term in formula.terms if any(term < value for value in formula.sums)}
            for step in formula.steps:
                worked.setdefault(step, formula.evidence)
            if formula.values[-1]:
                by_line[_line(passage, formula.start)] = formula.start, formula.values[-1]
            covered.update(range(formula.start, formula.start + len(formula.text)))
        for numeral in numerals(passage.text):
            whole = [int(value) for value in numeral.readings if value == value.to_integral_value()]
            part = _part_at(passage, numeral.start, parts)
            for value in whole:
                written.setdefault(value, passage.evidence(numeral.start, numeral.end))
                labelled[part].add(value)
            if whole and whole[0] >= SMALLEST and numeral.start not in covered:
                by_line[_line(passage, numeral.start)] = numeral.start, whole[0]
        lines += (Line(part=_part_at(passage, start, parts), value=value) for start, value in by_line.values())
    own = {part: frozenset(values) for part, values in labelled.items() if part}
    return Shown(
        places=worked | written,
        written=frozenset(written) | terms,
        labelled=own,
        lines=tuple(line for line in lines if line.part),
        sums=frozenset(sums),
        summands=frozenset(summands),
        wrong=tuple(wrong),
    )


def speaks_of_a_part(text: str) -> bool:
    """Whether a text names a part of a model."""
    return bool(parts_named(text))


def parts_named(text: str) -> frozenset[str]:
    """The parts of a model that a text names."""
    return frozenset(part for part, words in _WORDS.items() if words.search(text))


def _line(passage: Passage, offset: int) -> int:
    return passage.text.rfind("\n", 0, offset)


def _part_at(passage: Passage, offset: int, known: dict[str, str]) -> str:
    """The one part that the line at an offset speaks of; empty where it speaks of none or of several. `known` are the
    lines looked at so far: one may hold thousands of numbers."""
    text = passage.block_at(offset).text
    if text not in known:
        parts = [part for part, words in _WORDS.items() if words.search(text)]
        known[text] = parts[0] if len(parts) == 1 else ""
    return known[text]

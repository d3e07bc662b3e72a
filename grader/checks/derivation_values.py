"""The values that a derivation shows: every number in it, and what its formulas work out to on the way."""

from grader.claims.answer import Answer
from grader.claims.formulas import formulas
from grader.claims.numerals import numerals
from grader.lab.definition import Lab
from grader.reading.evidence import Evidence


def shown_values(answer: Answer, lab: Lab, question: str) -> dict[int, Evidence]:
    """Each whole number with the place where it is written first or, else, where a formula holds it."""
    written: dict[int, Evidence] = {}
    worked: dict[int, Evidence] = {}
    for passage in answer.passages(question):
        for numeral in numerals(passage.text):
            for reading in numeral.readings:
                if reading == reading.to_integral_value():
                    written.setdefault(int(reading), passage.evidence(numeral.start, numeral.end))
        for formula in formulas(passage, lab):
            for step in formula.steps:
                worked.setdefault(step, formula.evidence)
    return worked | written

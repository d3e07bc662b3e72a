"""Are the parts of a count there and right, and does the arithmetic hold?"""

from collections.abc import Iterator

from grader.checks.check import Conclusion, check
from grader.checks.finding import Diagnosis, Expected, Finding, Flag, Severity, Status
from grader.checks.totals import committed_totals
from grader.claims.answer import Answer
from grader.claims.equations import Equation
from grader.claims.numerals import numerals
from grader.frozen import Frozen
from grader.lab.definition import Lab
from grader.lab.truth import Component, GroundTruth
from grader.reading.evidence import Evidence


class _Part(Frozen):
    """A part of the model: its sizes under the conventions, for one layer; the values that a right derivation may show
    for it; and where one of them stands."""

    name: str
    sizes: frozenset[int]
    values: frozenset[int]
    evidence: Evidence | None = None


@check("count-derivation")
def count_derivation(answer: Answer, truth: GroundTruth, lab: Lab, *, item: str, model: str) -> Iterator[Conclusion]:
    """The count is derived part by part, and its arithmetic holds."""
    question = lab.question_of(item)
    parts = [_located(part, answer, question) for part in _parts(truth, model)]
    wrong = [equation for equation in answer.equations(question) if not equation.holds]
    if wrong:
        yield Flag(
            id="arithmetic",
            severity=Severity.WARNING,
            message=" ".join(_sentence(equation) for equation in wrong),
            evidence=tuple(equation.evidence for equation in wrong),
        )
    shown = [part for part in parts if part.evidence]
    absent = [part.name for part in parts if not part.evidence]
    finding = Finding(
        item=item,
        status=Status.REVIEW,
        found=", ".join(part.name for part in shown) or None,
        expected=Expected(
            text="; ".join(f"{part.name}: {_shown(part.sizes)}" for part in parts),
            truths=(model,),
        ),
        evidence=tuple(dict.fromkeys(part.evidence for part in shown if part.evidence)),
    )
    totals = committed_totals(answer.counts(question), truth, model)
    right_total = bool(totals) and any(count.total == totals[-1].value for count in truth.counts_of(model))
    yield _concluded(finding, absent, wrong, right_total=right_total, anything=bool(shown or totals))


def _concluded(
    finding: Finding, absent: list[str], wrong: list[Equation], *, right_total: bool, anything: bool
) -> Finding:
    missing = f"These parts were not found with a right value: {', '.join(absent)}. " if absent else ""
    if not anything:
        return finding.but(status=Status.MISSING, feedback="No derivation was found in the answer to this question.")
    if wrong:
        doubt = Diagnosis(id="arithmetic", text=" ".join(_sentence(equation) for equation in wrong))
        return finding.but(
            diagnoses=(doubt,),
            evidence=tuple(dict.fromkeys((*(equation.evidence for equation in wrong), *finding.evidence))),
            suggestion=Status.PARTIAL,
            feedback=f"{missing}An equation does not hold as it was read.",
        )
    if absent or not right_total:
        total = "" if right_total else "The total that they lead to is none of the known counts. "
        return finding.but(suggestion=Status.PARTIAL, feedback=f"{missing}{total}A person looks at the derivation.")
    return finding.but(
        status=Status.CORRECT, feedback="Every part is there with a right value, and the arithmetic holds."
    )


def _sentence(equation: Equation) -> str:
    return f"{equation.left} = {equation.right} does not hold: the left side is {equation.actual}."


def _parts(truth: GroundTruth, model: str) -> list[_Part]:
    """The parts that every convention counts."""
    counted = [truth.components(model, count.convention) for count in truth.counts_of(model)]
    names = [{component.part for component in components} for components in counted]
    needed = set.intersection(*names) if names else set()
    ordered = dict.fromkeys(component.part for components in counted for component in components)
    return [_part(name, counted) for name in ordered if name in needed]


def _part(name: str, counted: list[tuple[Component, ...]]) -> _Part:
    """A part's size under each convention; a right derivation may show it for one layer or for all, alone or with a
    norm of its own."""
    sizes: set[int] = set()
    values: set[int] = set()
    for components in counted:
        own = [component for component in components if component.part == name]
        times, size = own[0].times, sum(component.values for component in own)
        norms = {c.values for c in components if c.part == "norms" and c.times == times}
        single = {size, *(size + norm for norm in norms)}
        sizes.add(size)
        values |= single | {value * times for value in single}
    return _Part(name=name, sizes=frozenset(sizes), values=frozenset(values))


def _located(part: _Part, answer: Answer, question: str) -> _Part:
    for passage in answer.passages(question):
        for numeral in numerals(passage.text):
            if any(reading in part.values for reading in numeral.readings):
                return part.model_copy(update={"evidence": passage.evidence(numeral.start, numeral.end)})
    return part


def _shown(values: frozenset[int]) -> str:
    return " or ".join(f"{value:,}" for value in sorted(values))

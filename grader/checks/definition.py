"""Is a parameter's definition right? Only a definition that is understood word for word is decided without a person."""

import re
from collections.abc import Iterator

from grader.checks.check import Conclusion, check
from grader.checks.finding import Expected, Finding, Status
from grader.checks.values import same_value
from grader.claims.answer import Answer
from grader.claims.definitions import DefinitionClaim
from grader.lab.definition import Lab, Parameter
from grader.lab.grammar import Grammar
from grader.lab.truth import GroundTruth


@check("definition")
def definition(answer: Answer, truth: GroundTruth, lab: Lab, *, item: str, parameter: str) -> Iterator[Conclusion]:
    """The parameter is defined in the student's own words."""
    asked = next(one for one in lab.parameters if one.id == parameter)
    value = truth.value_of(parameter)
    expected = Expected(text=lab.grammar.summary(parameter), truths=(value.id,))
    claims = [claim for claim in answer.definitions if claim.parameter == parameter]
    if not claims:
        yield _not_found(item, answer, asked, expected)
        return
    claim = max(claims, key=lambda one: len(one.text))
    finding = Finding(
        item=item,
        status=Status.REVIEW,
        found=claim.text or claim.value,
        expected=expected,
        evidence=tuple(dict.fromkeys(one.evidence for one in claims)),
    )
    yield _judged(finding, claims, claim, asked, lab.grammar)


def _judged(
    finding: Finding, claims: list[DefinitionClaim], claim: DefinitionClaim, asked: Parameter, grammar: Grammar
) -> Finding:
    understood = grammar.is_right(asked.id, claim.text)
    wrong_value = claim.value is not None and not same_value(claim.value, asked)
    if not claim.text:
        return finding.but(
            status=Status.INCORRECT, feedback=f"{asked.id} is given a value, but what it does is not said."
        )
    if len([one for one in claims if one.text]) == 1 and understood:
        if wrong_value:
            return finding.but(
                status=Status.PARTIAL,
                feedback=f"The meaning is right; the lab's value is {asked.value}, not {claim.value}.",
            )
        return finding.but(status=Status.CORRECT, feedback="The definition is right.")
    return finding.but(
        suggestion=Status.CORRECT if grammar.holds_right(asked.id, claim.text) else None,
        feedback="The definition was not understood word for word.",
        note="A right definition stands in it, with other words around it."
        if grammar.holds_right(asked.id, claim.text)
        else "",
    )


def _not_found(item: str, answer: Answer, asked: Parameter, expected: Expected) -> Finding:
    """Missing only when the name stands nowhere, the whole report was read, and other definitions were found."""
    spelled = re.compile(
        "|".join(re.escape(name).replace("_", r"[_ ]?") for name in asked.names if len(name) > 1) or "$^", re.I
    )
    named = next(
        (
            section.passage.evidence(match.start(), match.end())
            for section in answer.sections
            if (match := spelled.search(section.passage.text))
        ),
        None,
    )
    if answer.report is None or (answer.definitions and named is None):
        return Finding(
            item=item, status=Status.MISSING, expected=expected, feedback=f"No definition of {asked.id} was found."
        )
    return Finding(
        item=item,
        status=Status.REVIEW,
        expected=expected,
        evidence=(named,) if named else (),
        feedback=f"No sentence that begins by naming {asked.id} was found; a person looks for its definition.",
    )

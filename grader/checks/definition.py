"""Is a parameter's definition right? Only a definition that is understood word for word is decided without a person."""

import re
from collections.abc import Iterator

from grader.checks.check import Conclusion, check
from grader.checks.finding import Diagnosis, Expected, Finding, Status
from grader.checks.values import same_value
from grader.claims.answer import Answer
from grader.claims.definitions import DefinitionClaim
from grader.lab.definition import Lab, Parameter
from grader.lab.truth import GroundTruth
from grader.reading.evidence import Evidence


@check("definition")
def definition(answer: Answer, truth: GroundTruth, lab: Lab, *, item: str, parameter: str) -> Iterator[Conclusion]:
    """The parameter is defined in the student's own words."""
    asked = next(one for one in lab.parameters if one.id == parameter)
    value = truth.value_of(parameter)
    known = lab.grammar.of(parameter)
    facts = [fact for name in (known.facts if known else ()) if (fact := truth.fact(name))]
    expected = Expected(
        text=" ".join([known.summary if known else "", *(fact.sentence for fact in facts[:1])]).strip(),
        truths=(value.id, *(fact.id for fact in facts)),
    )
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
    judged = _judged(finding, claims, claim, asked, lab, answer)
    yield _suspected(judged, asked, claim, lab, truth) if judged.status is Status.REVIEW else judged


def _judged(
    finding: Finding, claims: list[DefinitionClaim], claim: DefinitionClaim, asked: Parameter, lab: Lab, answer: Answer
) -> Finding:
    grammar = lab.grammar
    understood = grammar.is_right(asked.id, claim.text)
    wrong_value = claim.value is not None and not same_value(claim.value, asked)
    if not claim.text and len(_mentions(answer, asked)) > len(claims):
        return finding.but(feedback=f"{asked.id} is given a value; its definition may stand where it is named again.")
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


def _suspected(finding: Finding, asked: Parameter, claim: DefinitionClaim, lab: Lab, truth: GroundTruth) -> Finding:
    """An undecided definition with the experiments that refute the mistakes which its words suggest."""
    suspicions = [(one, fact) for one in lab.grammar.suspected(asked.id, claim.text) if (fact := truth.fact(one.fact))]
    if not suspicions:
        return finding
    return finding.but(
        diagnoses=tuple(Diagnosis(id=one.id, text=f"{fact.sentence} ({fact.id})") for one, fact in suspicions),
        suggestion=finding.suggestion or Status.INCORRECT,
    )


def _not_found(item: str, answer: Answer, asked: Parameter, expected: Expected) -> Finding:
    """Missing only when the name stands nowhere, the whole report was read, and other definitions were found."""
    named = _mentions(answer, asked)
    if answer.report is None or (answer.definitions and not named):
        return Finding(
            item=item, status=Status.MISSING, expected=expected, feedback=f"No definition of {asked.id} was found."
        )
    return Finding(
        item=item,
        status=Status.REVIEW,
        expected=expected,
        evidence=named[:1],
        feedback=f"No sentence that begins by naming {asked.id} was found; a person looks for its definition.",
    )


def _mentions(answer: Answer, asked: Parameter) -> tuple[Evidence, ...]:
    """Where the report names a parameter. A name of one letter counts only in answers that define parameters."""
    long_names = [name for name in asked.names if len(name) > 1]
    passages = [section.passage for section in answer.sections] if long_names else answer.defining
    spelled = "|".join(re.escape(name).replace("_", r"[_ ]?") for name in long_names or asked.names)
    pattern = re.compile(rf"(?<!\w)(?:{spelled})(?!\w)", re.IGNORECASE)
    return tuple(
        passage.evidence(match.start(), match.end()) for passage in passages for match in pattern.finditer(passage.text)
    )

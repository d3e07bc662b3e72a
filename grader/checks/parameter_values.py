"""Are the lab's values of the parameters stated?"""

from collections.abc import Iterator

from grader.checks.check import Conclusion, check
from grader.checks.definition_copying import copied_documentation
from grader.checks.finding import Diagnosis, Expected, Finding, Status
from grader.checks.values import same_value
from grader.claims.answer import Answer
from grader.claims.definitions import DefinitionClaim
from grader.lab.definition import Lab, Parameter
from grader.lab.truth import GroundTruth
from grader.message import joined, say


@check("parameter-values")
def parameter_values(answer: Answer, truth: GroundTruth, lab: Lab, *, item: str) -> Iterator[Conclusion]:
    """The values that the lab uses are stated."""
    copied = copied_documentation(answer, truth, lab)
    if copied is not None:
        yield copied
    stated = {p.id: [c for c in answer.definitions if c.parameter == p.id and c.value] for p in lab.parameters}
    wrong = [(p, claim) for p in lab.parameters for claim in stated[p.id] if not same_value(claim.value or "", p)]
    absent = [p.id for p in lab.parameters if not stated[p.id]]
    finding = Finding(
        item=item,
        status=Status.REVIEW,
        found=", ".join(f"{name}={claims[0].value}" for name, claims in stated.items() if claims) or None,
        expected=Expected(
            text=", ".join(f"{p.id}={p.value}" for p in lab.parameters),
            truths=tuple(truth.value_of(p.id).id for p in lab.parameters),
        ),
        evidence=tuple(claim.evidence for claims in stated.values() for claim in claims[:1]),
    )
    if not wrong and not absent:
        yield finding.but(status=Status.CORRECT, feedback=say("All values are stated and right."))
    elif not answer.definitions and answer.report is None:
        yield finding.but(status=Status.MISSING, feedback=say("No values were found."))
    else:
        yield finding.but(
            diagnoses=tuple(_diagnosis(parameter, claim, truth) for parameter, claim in wrong),
            suggestion=Status.PARTIAL if len(absent) < len(lab.parameters) else Status.MISSING,
            feedback=joined(
                " ",
                [_diagnosis(parameter, claim, truth).text for parameter, claim in wrong]
                + ([say("Not found in the text: {names}.", names=", ".join(absent))] if absent else []),
            ),
        )


def _diagnosis(parameter: Parameter, claim: DefinitionClaim, truth: GroundTruth) -> Diagnosis:
    """A value that merely differs is told from one that the library does not have."""
    said = say(
        "{name} is said to be {stated}; the lab's value is {value}.",
        name=parameter.id,
        stated=claim.value,
        value=parameter.value,
    )
    allowed = truth.allowed_values(parameter.id)
    if allowed and claim.value not in allowed:
        only = say("The library accepts only: {names}.", names=", ".join(allowed))
        return Diagnosis(id="impossible-value", text=joined(" ", (said, only)))
    return Diagnosis(id="wrong-value", text=said)

"""Is a library's class configured as asked, with arguments that exist?"""

from collections.abc import Iterator

from grader.checks.absence import without_code
from grader.checks.check import Conclusion, check
from grader.checks.finding import Diagnosis, Expected, Finding, Status
from grader.claims.answer import Answer
from grader.claims.code import Call
from grader.lab.truth import GroundTruth, Signature


@check("configured-call")
def configured_call(
    answer: Answer, truth: GroundTruth, *, item: str, call: str, required: dict[str, str]
) -> Iterator[Conclusion]:
    """The class is configured as asked, with arguments that exist."""
    signature = truth.signature_of(call)
    expected = Expected(
        text=f"{call}({', '.join(f'{name}={value}' for name, value in required.items())}, …)",
        truths=(signature.id,) if signature else (),
    )
    calls = [one for cell in answer.code for one in cell.calls if one.name == call]
    if not answer.code:
        yield without_code(item, answer, expected, call)
        return
    if not calls:
        yield _not_found(answer, item, call, expected)
        return
    judged = [(_problems(one, signature, required), one) for one in calls]
    problems, best = min(judged, key=lambda pair: len(pair[0]))
    shown = ", ".join(f"{name}={value}" for name, value in best.keywords.items())
    yield Finding(
        item=item,
        status=Status.REVIEW if problems else Status.CORRECT,
        found=f"{call}({shown})",
        expected=expected,
        diagnoses=problems,
        evidence=(best.evidence,),
        suggestion=Status.PARTIAL if problems else None,
        feedback=" ".join(problem.text for problem in problems) if problems else f"{call} is configured as asked.",
    )


def _not_found(answer: Answer, item: str, call: str, expected: Expected) -> Finding:
    mentioned = any(call in cell.source for cell in answer.code)
    return Finding(
        item=item,
        status=Status.REVIEW,
        expected=expected,
        suggestion=Status.PARTIAL if mentioned else Status.INCORRECT,
        feedback=f"{call} is mentioned, but no complete call of it could be read; a person looks at the code."
        if mentioned
        else f"No call of {call} was found; a person looks whether the code does it in another way.",
    )


def _problems(call: Call, signature: Signature | None, required: dict[str, str]) -> tuple[Diagnosis, ...]:
    unknown = [name for name in call.keywords if signature and name not in signature.arguments]
    invented = tuple(
        Diagnosis(id="unknown-argument", text=f"{call.name} has no argument {name} in the reference version.")
        for name in unknown
    )
    lacking = tuple(
        Diagnosis(id="not-set", text=f"{name}={value} is not set.")
        for name, value in required.items()
        if call.keywords.get(name) != value
    )
    return invented + lacking

"""Is a library's class configured as asked, with arguments that exist?"""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from grader.checks.absence import without_code
from grader.checks.check import Conclusion, check
from grader.checks.finding import Diagnosis, Expected, Finding, Status
from grader.claims.answer import Answer
from grader.claims.code import Call, CodeCell
from grader.lab.truth import GroundTruth, Signature

_CONSTANT: Final = re.compile(r"-?[\d.]+(?:e-?\d+)?|True|False|None|'[^']*'|\"[^\"]*\"")

Values = Mapping[str, tuple[str, ...]]


@check("configured-call")
def configured_call(
    answer: Answer,
    truth: GroundTruth,
    *,
    item: str,
    call: str,
    required: dict[str, str],
    values: dict[str, tuple[str, ...]] | None = None,
    directly: tuple[str, ...] = (),
) -> Iterator[Conclusion]:
    """The class is configured as asked, with arguments that exist.

    `values` are for some arguments the values that the library knows; `directly` are functions that may take what is
    required without the class.
    """
    signature = truth.signature_of(call)
    finding = Finding(
        item=item,
        status=Status.REVIEW,
        expected=Expected(
            text=f"{call}({', '.join(f'{name}={value}' for name, value in required.items())}, …)",
            truths=(signature.id,) if signature else (),
        ),
    )
    calls = [_by_name(one, signature) for cell in answer.code for one in cell.calls if one.name == call]
    if not answer.code:
        yield without_code(item, answer, finding.expected or Expected(text=""), call)
    elif not calls:
        yield _without_call(finding, answer.code, call, required, directly)
    else:
        judged = [(_problems(one, signature, required, values or {}), one) for one in calls]
        problems, best = min(judged, key=lambda pair: len(pair[0]))
        yield _concluded(finding, best, problems, answer.code)


def _concluded(finding: Finding, call: Call, problems: tuple[Diagnosis, ...], code: Sequence[CodeCell]) -> Finding:
    shown = ", ".join(f"{name}={value}" for name, value in call.keywords.items())
    finding = finding.but(found=f"{call.name}({shown})", evidence=(call.evidence,), diagnoses=problems)
    if not problems:
        return finding.but(status=Status.CORRECT, feedback=f"{call.name} is configured as asked.")
    open_gap = [gap.evidence for cell in code for gap in cell.gaps if _same_cell(call, cell)]
    not_set = [problem for problem in problems if problem.id == "not-set"]
    suggestion = Status.PARTIAL
    if not_set and not call.open:
        suggestion = Status.INCORRECT if not call.keywords or len(not_set) == len(problems) else Status.PARTIAL
    more = " A gap is left open there." if open_gap else ""
    unknown = " Some arguments come from a place that could not be followed." if call.open else ""
    return finding.but(
        evidence=(call.evidence, *open_gap[:1]),
        suggestion=None if call.open and not_set else suggestion,
        feedback=" ".join(problem.text for problem in problems) + more + unknown,
    )


def _same_cell(call: Call, cell: CodeCell) -> bool:
    return (cell.file, cell.cell) == (call.evidence.file, call.evidence.cell)


def _without_call(
    finding: Finding, code: Sequence[CodeCell], call: str, required: Mapping[str, str], directly: Sequence[str]
) -> Finding:
    for cell in code:
        for one in cell.calls:
            if one.name in directly and all(one.keywords.get(name) == value for name, value in required.items()):
                return finding.but(
                    found=f"{one.name}({', '.join(f'{name}={value}' for name, value in required.items())}, …)",
                    evidence=(one.evidence,),
                    suggestion=Status.CORRECT,
                    feedback=f"It is asked for in {one.name} itself, without a {call}; a person looks at it.",
                )
    mentioned = any(call in cell.source for cell in code)
    return finding.but(
        suggestion=Status.PARTIAL if mentioned else Status.INCORRECT,
        feedback=f"{call} is mentioned, but no complete call of it could be read; a person looks at the code."
        if mentioned
        else f"No call of {call} was found; a person looks whether the code does it in another way.",
    )


def _by_name(call: Call, signature: Signature | None) -> Call:
    """A call with the arguments that were given by place under their names."""
    if not signature or not call.arguments:
        return call
    placed = dict(zip(signature.arguments, call.arguments, strict=False))
    return call.model_copy(update={"keywords": {**placed, **call.keywords}})


def _problems(
    call: Call, signature: Signature | None, required: Mapping[str, str], values: Values
) -> tuple[Diagnosis, ...]:
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
    return invented + lacking + tuple(_wrong_values(call, values))


def _wrong_values(call: Call, values: Values) -> Iterator[Diagnosis]:
    """Values that the library does not know. One that is no constant may be any."""
    for name, accepted in values.items():
        value = call.keywords.get(name)
        if value and _CONSTANT.fullmatch(value) and value.strip("'\"") not in accepted:
            text = f"{name}={value} is no value that is known; known are {', '.join(accepted)}."
            yield Diagnosis(id="unknown-value", text=text)

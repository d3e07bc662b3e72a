"""Does the function that makes prompts put question and response into the format that was asked for?"""

import re
from collections.abc import Iterator, Sequence
from typing import Final

from grader.checks.absence import without_code
from grader.checks.check import Conclusion, check
from grader.checks.finding import Diagnosis, Expected, Finding, Status
from grader.checks.prompt_template import Form, Made, form_of, made_by
from grader.claims.answer import Answer
from grader.claims.code import CodeCell, Function
from grader.reading.evidence import Evidence

_LONGEST: Final = 200
_TEXTS: Final = {
    Form.SWAPPED: ("swapped", "Question and response stand in each other's place."),
    Form.ONE_LINE: ("one-line", "The parts of the prompt stand on one line."),
    Form.ORDER: ("order", "The parts of the prompt stand in another order."),
    Form.OTHER_NAMES: ("other-names", "The roles are called otherwise than in the format."),
    Form.NO_VALUES: ("no-values", "The prompt does not hold what the function is given."),
}


@check("prompt-format")
def prompt_format(
    answer: Answer, *, item: str, function: str, markers: tuple[str, ...], values: tuple[tuple[str, ...], ...] = ()
) -> Iterator[Conclusion]:
    """The prompt is made in the format that was asked for.

    `markers` begin the parts of the prompt, a line break included where one belongs before it. `values` are for each
    part the words by which names tell what belongs into it.
    """
    shown = "".join(f"{marker} … " for marker in markers).replace("\n", "⏎ ")
    finding = Finding(item=item, status=Status.REVIEW, expected=Expected(text=shown.strip()))
    if not answer.code:
        yield without_code(item, answer, finding.expected or Expected(text=""), *markers)
        return
    everything = [(one, cell) for cell in answer.code for one in cell.functions]
    asked = [(made_by(one, markers, values), one, cell) for one, cell in everything if one.name == function]
    others = [(made_by(one, markers, values), one, cell) for one, cell in everything if one.name != function]
    if asked:
        yield _of_asked(finding, asked, _wrong_prompts(answer.code, markers), function)
    else:
        yield _without_asked(finding, others, answer.code, markers, function)


def _of_asked(
    finding: Finding, made: Sequence[tuple[Made, Function, CodeCell]], prompts: Sequence[Evidence], function: str
) -> Finding:
    right = [one for one in made if one[0].form is Form.RIGHT]
    told, code, cell = (right or list(made))[-1]
    finding = finding.but(found=" ".join(told.text.split())[:_LONGEST] or None, evidence=(code.evidence,))
    gaps = [gap.evidence for gap in cell.gaps]
    if right and not gaps and not prompts:
        return finding.but(status=Status.CORRECT, feedback=f"{function} makes the prompt in the right format.")
    if right:
        return finding.but(
            evidence=(code.evidence, *gaps[:1], *prompts[:2]),
            suggestion=Status.PARTIAL if prompts else Status.CORRECT,
            feedback=f"{function} makes the prompt in the right format, but "
            + ("a prompt is not in it" if prompts else "a gap is left open beside it")
            + "; a person looks at the code.",
        )
    if told.form in _TEXTS:
        id_, text = _TEXTS[told.form]
        return finding.but(
            diagnoses=(Diagnosis(id=id_, text=text),),
            suggestion=Status.PARTIAL,
            feedback=f"{text} A person looks at {function}.",
        )
    if told.form is Form.UNKNOWN:
        feedback = f"{function} was found, but what it makes could not be followed; a person looks at it."
        return finding.but(suggestion=Status.CORRECT if told.has_markers else Status.PARTIAL, feedback=feedback)
    empty = code.is_empty or bool(gaps)
    return finding.but(
        evidence=(code.evidence, *gaps[:1]),
        suggestion=Status.INCORRECT if empty else Status.PARTIAL,
        feedback=f"{function} was found, but "
        + ("it is not filled in." if empty else "not with the whole format in the code."),
    )


def _without_asked(
    finding: Finding,
    others: Sequence[tuple[Made, Function, CodeCell]],
    code: Sequence[CodeCell],
    markers: Sequence[str],
    function: str,
) -> Finding:
    right = [(made, one) for made, one, _ in others if made.form is Form.RIGHT]
    if right:
        made, one = right[-1]
        return finding.but(
            found=" ".join(made.text.split())[:_LONGEST],
            evidence=(one.evidence,),
            suggestion=Status.CORRECT,
            feedback=f"{one.name} makes the prompt in the right format, but no {function} was found; a person looks.",
        )
    mentioned = any(marker.strip() in cell.source for cell in code for marker in markers)
    return finding.but(
        suggestion=Status.PARTIAL if mentioned else Status.INCORRECT,
        feedback=f"{function} was not found in the code; a person looks at it.",
    )


def _wrong_prompts(code: Sequence[CodeCell], markers: Sequence[str]) -> list[Evidence]:
    """Texts kept under the name of a prompt that begin in the format and go on otherwise, unless others are right."""
    first = re.sub(r"\W", "", markers[0]) if markers else ""
    prompts = [
        text
        for cell in code
        for text in cell.texts
        if "prompt" in text.name.lower() and re.search(rf"\b{re.escape(first)}\W{{0,3}}:", text.text, re.IGNORECASE)
    ]
    wrong = [one.evidence for one in prompts if form_of(one.text, markers, ()) not in (Form.RIGHT, Form.NO_VALUES)]
    return wrong if len(wrong) == len(prompts) else []

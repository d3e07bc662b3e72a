"""Is a library's class configured as asked, with arguments that exist?"""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from grader.checks.absence import without_code
from grader.checks.call_arguments import UNDECIDABLE, Asked, lacks, library_of, problems
from grader.checks.check import Conclusion, check
from grader.checks.finding import Diagnosis, Expected, Finding, Status
from grader.claims.answer import Answer
from grader.claims.code import Call, CodeCell
from grader.lab.truth import GroundTruth, Signature
from grader.message import joined, say
from grader.reading.evidence import Evidence

_NOT_REACHED: Final = "not-reached"
_NOT_CALLED: Final = "not-called"
_LONGEST: Final = 300
_MOST_CALLS: Final = 200
_KEPT: Final = re.compile(r"(\w{1,60}) ?= ?[\w.]{0,80}\(")


@check("configured-call")
def configured_call(
    answer: Answer,
    truth: GroundTruth,
    *,
    item: str,
    call: str,
    required: dict[str, str],
    excluded: dict[str, str] | None = None,
    values: dict[str, tuple[str, ...]] | None = None,
    directly: tuple[str, ...] = (),
) -> Iterator[Conclusion]:
    """The class is configured as asked, with arguments that exist.

    `excluded` are arguments that the library refuses beside the required ones. `values` are for some arguments the
    values that the library knows. `directly` are functions that may take what is required without the class: then a
    person decides, with the suggestion that it is right. The hand-out asks for the class, and later versions of the
    library have no such short form, but where it ran the weights were loaded as asked.
    """
    signature = truth.signature_of(call)
    asked = Asked(required=required, excluded=excluded or {}, values=values or {})
    finding = Finding(item=item, status=Status.REVIEW, expected=_expected(call, asked, signature))
    calls = [_by_name(one, signature) for cell in answer.code for one in cell.calls if one.name == call and not one.own]
    calls = calls[-_MOST_CALLS:]
    if not answer.code:
        yield without_code(item, answer, finding.expected or Expected(text=""), call)
    elif not calls:
        yield _without_call(finding, answer.code, call, asked, directly)
    else:
        names = _kept_under(calls, answer.code)
        last = {name: one for name, one in zip(names, calls, strict=True) if name and not one.dead}
        judged = [
            ((*_place(one, answer.code), *problems(one, signature, asked), *_replaced(one, name, last, asked)), one)
            for name, one in zip(names, calls, strict=True)
        ]
        against, best = min(judged, key=lambda pair: len(pair[0]))
        yield _concluded(finding, best, against, answer.code)


def _expected(call: str, asked: Asked, signature: Signature | None) -> Expected:
    source = f"{call}({', '.join(f'{name}={value}' for name, value in asked.required.items())}, …)"
    library = library_of(signature)
    text = say("{source} with arguments of {library}", source=source, library=library) if library else source
    return Expected(text=text, truths=(signature.id,) if signature else ())


def _place(call: Call, code: Sequence[CodeCell]) -> Iterator[Diagnosis]:
    """What speaks against where a call stands. A listing or script may leave out who calls its functions."""
    if call.dead:
        yield Diagnosis(id=_NOT_REACHED, text=say("The call stands where the code never comes to."))
    elif call.within and call.evidence.cell is not None and not any(call.within in cell.names for cell in code):
        text = say("The call stands in {name}, which is never called.", name=call.within)
        yield Diagnosis(id=_NOT_CALLED, text=text)


def _replaced(call: Call, name: str, last: Mapping[str, Call], asked: Asked) -> Iterator[Diagnosis]:
    """What speaks against a call when its name is given a later one's value that is not what is asked."""
    later = last.get(name)
    if later is not None and later is not call and any(lacks(later, asked)):
        text = say("{name} is made anew later, and then not as asked.", name=name.rpartition("/")[2])
        yield Diagnosis(id="made-anew", text=text)


def _kept_under(calls: Sequence[Call], code: Sequence[CodeCell]) -> list[str]:
    """For each call the file, and the name that its value is given in a notebook's statement at the left margin; else
    nothing: any other statement may not be reached, or not with the same name."""
    lines = {(cell.file, cell.cell): cell.source.split("\n") for cell in code if cell.is_notebook}
    places = [one.evidence for one in calls]
    shown = [(lines.get((place.file, place.cell)) or [""])[(place.line or 1) - 1 :][:1] for place in places]
    found = [_KEPT.match(line[0]) if line else None for line in shown]
    return [f"{place.file}/{match[1]}" if match else "" for place, match in zip(places, found, strict=True)]


def _concluded(finding: Finding, call: Call, against: tuple[Diagnosis, ...], code: Sequence[CodeCell]) -> Finding:
    shown = ", ".join(f"{name}={value}" for name, value in call.keywords.items())
    finding = finding.but(found=f"{call.name}({shown})"[:_LONGEST], evidence=(call.evidence,), diagnoses=against)
    if not against:
        return finding.but(status=Status.CORRECT, feedback=say("{call} is configured as asked.", call=call.name))
    open_gap = [gap.evidence for cell in code for gap in cell.gaps if _same_cell(call, cell)]
    more = [say("A gap is left open there.")] if open_gap else []
    unknown = [say("Some arguments come from a place that could not be followed.")] if call.open else []
    return finding.but(
        evidence=(call.evidence, *open_gap[:1]),
        suggestion=_suggestion(call, against),
        feedback=joined(" ", [*(one.text for one in against), *more, *unknown]),
    )


def _suggestion(call: Call, against: Sequence[Diagnosis]) -> Status | None:
    """What a person may decide; nothing where an argument that decides it is not known."""
    ids = [one.id for one in against]
    if UNDECIDABLE in ids or ("not-set" in ids and call.open):
        return None
    if _NOT_REACHED in ids or ("not-set" in ids and (not call.keywords or set(ids) == {"not-set"})):
        return Status.INCORRECT
    return Status.PARTIAL


def _same_cell(call: Call, cell: CodeCell) -> bool:
    return (cell.file, cell.cell) == (call.evidence.file, call.evidence.cell)


def _without_call(
    finding: Finding, code: Sequence[CodeCell], call: str, asked: Asked, directly: Sequence[str]
) -> Finding:
    for one in (one for cell in code for one in cell.calls if one.name in directly and not one.dead):
        if _takes(one, asked):
            wanted = ", ".join(f"{name}={value}" for name, value in asked.required.items())
            return finding.but(
                found=f"{one.name}({wanted}, …)",
                evidence=(one.evidence,),
                suggestion=Status.CORRECT,
                feedback=say(
                    "It is asked for in {function} itself, without a {call}; a person looks at it.",
                    function=one.name,
                    call=call,
                ),
            )
    own = next((one.evidence for cell in code for one in cell.calls if one.name == call), None)
    if own:
        return finding.but(
            evidence=(own,),
            suggestion=Status.INCORRECT,
            feedback=say("The code defines a {call} of its own; a person looks at it.", call=call),
        )
    mentioned = next((place for cell in code if (place := _mention(cell, call))), None)
    if mentioned is None:
        text = say("No call of {call} was found; a person looks whether the code does it in another way.", call=call)
        return finding.but(suggestion=Status.INCORRECT, feedback=text)
    text = say("{call} is mentioned, but no complete call of it could be read; a person looks at the code.", call=call)
    return finding.but(evidence=(mentioned,), suggestion=Status.PARTIAL, feedback=text)


def _takes(call: Call, asked: Asked) -> bool:
    """Whether a call takes what is required, by name or in a table."""
    if all(call.keywords.get(name) == value for name, value in asked.required.items()):
        return True
    pairs = [f"{name!r}: {value}" for name, value in asked.required.items()]
    return any(value.startswith("{") and all(pair in value for pair in pairs) for value in call.keywords.values())


def _mention(cell: CodeCell, call: str) -> Evidence | None:
    for number, line in enumerate(cell.source.split("\n"), start=1):
        if call in line and not line.lstrip().startswith(("from ", "import ")):
            return Evidence(file=cell.file, cell=cell.cell, line=number, quote=line.strip()[:_LONGEST])
    return None


def _by_name(call: Call, signature: Signature | None) -> Call:
    """A call with the arguments that were given by place under their names."""
    if not signature or not call.arguments:
        return call
    placed = dict(zip(signature.arguments, call.arguments, strict=False))
    return call.model_copy(update={"keywords": {**placed, **call.keywords}})

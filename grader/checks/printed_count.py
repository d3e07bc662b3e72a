"""Was the count of the model's parameters verified by code?"""

from collections.abc import Iterator, Sequence

from grader.checks.absence import absence, concluded_absent
from grader.checks.check import Conclusion, check
from grader.checks.finding import Diagnosis, Expected, Finding, Status
from grader.checks.printed import COUNTS, Printed, Typed, counting_line, counts_parameters, other_code
from grader.checks.totals import PLAUSIBLE
from grader.claims.answer import Answer
from grader.claims.code import CodeCell
from grader.claims.matter import speaks_of
from grader.claims.numerals import numerals
from grader.claims.statements import statements
from grader.lab.definition import Lab
from grader.lab.truth import Count, GroundTruth
from grader.message import joined, say, say_data

_ROUNDED_PLACES = 3


@check("printed-count")
def printed_count(
    answer: Answer,
    truth: GroundTruth,
    lab: Lab,
    *,
    item: str,
    model: str,
    stated_in: tuple[str, ...],
    training: tuple[str, ...] = (),
) -> Iterator[Conclusion]:
    """A count printed by code agrees with a convention of counting.

    `stated_in` are the questions in whose answers a count may be stated without its code; `training` are programs that
    print a count on their way, which verifies nothing.
    """
    known = truth.counts_of(model)
    finding = Finding(
        item=item,
        status=Status.REVIEW,
        expected=Expected(
            text=say(
                "one of the {number} known counts, such as {counts}",
                number=len(known),
                counts=joined(say(" or "), (say("{count:,}", count=count.total) for count in known[:2])),
            ),
            truths=tuple(count.id for count in known),
        ),
    )
    cells = [cell for cell in answer.code if not any(command.runs(training) for command in cell.commands)]
    typed = Typed(answer.code)
    numbers = [number for cell in cells for number in typed.numbers(cell)]
    totals = {count.total: count for count in known}
    found = [number for number in numbers if number.value in totals]
    if found:
        best = min(found, key=lambda one: (typed.holds(one), bool(one.cell.gaps)))
        yield _verified(finding, best, totals[best.value], typed.holds(best), answer.code)
    else:
        yield _unverified(finding, answer, lab, cells, typed, known, stated_in)


def _verified(finding: Finding, number: Printed, count: Count, typed: bool, code: Sequence[CodeCell]) -> Finding:
    line = counting_line(number.cell)
    finding = finding.but(found=str(count.total), evidence=(number.evidence, *((line,) if line else ())))
    if typed:
        return finding.but(
            suggestion=Status.INCORRECT,
            feedback=(
                say("The number that was printed stands in the code itself; a person looks at how it was found.")
                if number.value in number.cell.typed
                else say("The number that was printed comes from numbers in the code, and no model was counted.")
            ),
        )
    if number.cell.gaps:
        return finding.but(
            evidence=(number.evidence, number.cell.gaps[0].evidence),
            feedback=say("The right count was printed, but the code still has a gap; a person looks at it."),
        )
    text = say("The code printed {count:,}: {title}.", count=count.total, title=say_data(count.title))
    odd = other_code(number, code)
    if odd and not any(counts_parameters(cell) for cell in code):
        text = say("A right count stands in an output, but no code that counts was handed in; a person looks at it.")
        return finding.but(suggestion=Status.PARTIAL, feedback=text, note=odd)
    return finding.but(status=Status.CORRECT, feedback=text, note=odd)


def _unverified(
    finding: Finding,
    answer: Answer,
    lab: Lab,
    cells: list[CodeCell],
    typed: Typed,
    known: tuple[Count, ...],
    stated_in: tuple[str, ...],
) -> Finding:
    numbers = [number for cell in cells for number in typed.numbers(cell)]
    rounded = [one for one in numbers if _rounds(one, known)]
    if rounded:
        return finding.but(
            found=rounded[0].numeral.text,
            evidence=(rounded[0].evidence,),
            suggestion=Status.CORRECT,
            feedback=say("A rounded count was printed that agrees with a known one; a person looks at the code."),
        )
    reported = _reported(finding, answer, lab, known)
    if reported is not None:
        return reported
    near = [one for one in numbers if counts_parameters(one.cell) and _is_near(one, known)]
    if near:
        return _near_miss(finding, near[-1])
    stated = [c for c in answer.counts(*stated_in) if any(c.value == k.total for k in known)]
    said = tuple(claim.evidence for claim in stated[-1:])
    counts = [cell for cell in cells if _counts(cell)]
    shown = {id(cell): typed.numbers(cell) for cell in counts}
    counting = [cell for cell in counts if not (own := shown[id(cell)]) or any(_is_near(one, known) for one in own)]
    if counts and not counting:
        number = shown[id(counts[-1])][-1]
        return finding.but(
            status=Status.INCORRECT,
            found=str(number.value),
            evidence=(number.evidence,),
            feedback=say("What the code counted, {count:,}, is not this model.", count=number.value),
        )
    if counting:
        line = counting_line(counting[0])
        return finding.but(
            evidence=(*said, *((line,) if line else ())),
            suggestion=Status.PARTIAL,
            feedback=say(
                "No output of the code that was handed in shows a known count; a person looks for another one."
            ),
        )
    found = absence(answer, lab, finding.item, in_code=False)
    return concluded_absent(finding, found, say("No code that counts this model, and no output of it, was handed in."))


def _reported(finding: Finding, answer: Answer, lab: Lab, known: tuple[Count, ...]) -> Finding | None:
    """A known count that the report states beside what it was counted with."""
    question = next(one for one in lab.questions if any(own.id == finding.item for own in one.items))
    totals = {count.total: count for count in known}
    for words, status in ((tuple(COUNTS), Status.CORRECT), (question.words, Status.PARTIAL)):
        for passage in (one.passage for one in answer.written if not one.is_closing):
            for one in statements(passage):
                if not speaks_of(one.text, words):
                    continue
                for number in numerals(one.text):
                    count = totals.get(int(number.value))
                    if count is not None:
                        return finding.but(
                            status=status,
                            found=number.text,
                            evidence=(passage.evidence(one.start, one.end),),
                            feedback=say(
                                "The report states what code counted: {count:,}, {title}.",
                                count=count.total,
                                title=say_data(count.title),
                            ),
                        )
    return None


def _counts(cell: CodeCell) -> bool:
    """Whether a cell counts parameters itself, outside the functions that it defines."""
    return bool(cell.counted) or any(call.name in COUNTS and not call.within for call in cell.calls)


def _near_miss(finding: Finding, number: Printed) -> Finding:
    told = say("The code printed {count:,}, which is none of the known counts.", count=number.value)
    return finding.but(
        found=str(number.value),
        evidence=(number.evidence,),
        diagnoses=(Diagnosis(id="other-count", text=told),),
        suggestion=Status.PARTIAL,
        feedback=say(
            "The code counted {count:,}, which agrees with no way of counting this model. "
            "A person looks at what it counts.",
            count=number.value,
        ),
    )


def _is_near(number: Printed, known: tuple[Count, ...]) -> bool:
    """Whether a printed number may be meant as the count of the whole model."""
    totals = [count.total for count in known]
    return PLAUSIBLE * min(totals) <= number.value <= 2 * max(totals)


def _rounds(number: Printed, known: tuple[Count, ...]) -> bool:
    """Whether a number of at least three digits that was printed in millions is a known count rounded."""
    unit = number.numeral.resolution
    digits = len(str(int(number.numeral.value / unit))) if unit > 1 else 0
    fits = any(abs(count.total - number.numeral.value) * 2 <= unit for count in known)
    return digits >= _ROUNDED_PLACES and fits

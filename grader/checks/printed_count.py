"""Was the count of the model's parameters verified by code?"""

from collections.abc import Iterator

from grader.checks.check import Conclusion, check
from grader.checks.finding import Expected, Finding, Status
from grader.claims.answer import Answer
from grader.claims.numerals import numerals
from grader.lab.truth import Count, GroundTruth
from grader.reading.evidence import Evidence

_LONGEST_LINE = 400


@check("printed-count")
def printed_count(
    answer: Answer, truth: GroundTruth, *, item: str, model: str, stated_in: tuple[str, ...]
) -> Iterator[Conclusion]:
    """A count printed by code agrees with a convention of counting.

    `stated_in` are the questions in whose answers a count may be stated without its code.
    """
    known = truth.counts_of(model)
    expected = Expected(
        text=f"one of the {len(known)} known counts, such as " + " or ".join(f"{count.total:,}" for count in known[:2]),
        truths=tuple(count.id for count in known),
    )
    printed = _printed(answer, known)
    stated = [c for c in answer.counts(*stated_in) if any(c.value == k.total for k in known)]
    if printed:
        count, evidence = printed
        yield Finding(
            item=item,
            status=Status.CORRECT,
            found=str(count.total),
            expected=expected,
            evidence=(evidence,),
            feedback=f"The code printed {count.total:,}: {count.title}.",
        )
    elif answer.code:
        yield Finding(
            item=item,
            status=Status.REVIEW,
            expected=expected,
            evidence=tuple(claim.evidence for claim in stated[-1:]),
            suggestion=Status.PARTIAL if stated else Status.INCORRECT,
            feedback="No output of the code that was handed in shows a known count; a person looks for another one.",
        )
    else:
        yield Finding(
            item=item,
            status=Status.REVIEW if stated else Status.MISSING,
            expected=expected,
            evidence=tuple(claim.evidence for claim in stated[-1:]),
            suggestion=Status.PARTIAL if stated else None,
            feedback="The code and its output were not handed in"
            + (", but the report states a right count." if stated else "."),
        )


def _printed(answer: Answer, known: tuple[Count, ...]) -> tuple[Count, Evidence] | None:
    """The first known count in a cell's output. A count in the code itself was typed, not printed."""
    totals = {count.total: count for count in known}
    for cell in answer.code:
        for line in cell.output.splitlines():
            for numeral in numerals(line[:_LONGEST_LINE]):
                if int(numeral.value) in totals:
                    place = Evidence(file=cell.file, cell=cell.cell, quote=line.strip()[:_LONGEST_LINE])
                    return totals[int(numeral.value)], place
    return None

"""Are trainable parameters told from all parameters, by right code or by the right printed figures?"""

from collections.abc import Iterator

from grader.checks.absence import without_code
from grader.checks.check import Conclusion, check
from grader.checks.finding import Expected, Finding, Status
from grader.claims.answer import Answer
from grader.claims.numerals import numerals
from grader.lab.truth import GroundTruth
from grader.reading.evidence import Evidence

_LONGEST_LINE = 400


@check("trainable-count")
def trainable_count(answer: Answer, truth: GroundTruth, *, item: str, model: str) -> Iterator[Conclusion]:
    """Trainable parameters are counted by requires_grad, or the printed figures match."""
    totals = {count.convention: count for count in truth.counts_of(model)}
    trainable = totals.pop("trainable")
    expected = Expected(
        text=f"{trainable.total:,} trainable of " + " or ".join(f"{count.total:,}" for count in totals.values()),
        truths=(trainable.id, *(count.id for count in totals.values())),
    )
    printed = _printed(answer, trainable.total, {count.total for count in totals.values()})
    counting = [
        function.evidence
        for cell in answer.code
        for function in cell.functions
        if "requires_grad" in function.names and not function.names.isdisjoint({"numel", "num_params", "nelement"})
    ]
    if printed:
        yield Finding(
            item=item,
            status=Status.CORRECT,
            found=printed.quote,
            expected=expected,
            evidence=(printed, *counting[:1]),
            feedback="The printed figures are right.",
        )
    elif counting:
        yield Finding(
            item=item,
            status=Status.CORRECT,
            found="a function that counts by requires_grad",
            expected=expected,
            evidence=tuple(counting[:1]),
            feedback="The function tells trainable parameters by requires_grad.",
            confidence=0.9,
        )
    elif not answer.code:
        # The trainable count alone means nothing: other parts of other models have the same size.
        written = (f"{count.total:,}".replace(",", mark) for count in totals.values() for mark in (",", " ", ""))
        yield without_code(item, answer, expected, *written)
    else:
        yield Finding(
            item=item,
            status=Status.REVIEW,
            expected=expected,
            suggestion=Status.INCORRECT,
            feedback="Neither the right figures nor a function that counts by requires_grad were found; "
            "a person looks at the code.",
        )


def _printed(answer: Answer, trainable: int, totals: set[int]) -> Evidence | None:
    """An output line that holds the trainable count and one of the totals."""
    for cell in answer.code:
        for line in cell.output.splitlines():
            values = {int(numeral.value) for numeral in numerals(line[:_LONGEST_LINE])}
            if trainable in values and values & totals:
                return Evidence(file=cell.file, cell=cell.cell, quote=line.strip()[:_LONGEST_LINE])
    return None

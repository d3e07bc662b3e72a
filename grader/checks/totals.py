"""Which of the numbers in an answer is the total that the student commits to."""

from grader.claims.counts import CountClaim
from grader.lab.truth import GroundTruth


def committed_totals(claims: tuple[CountClaim, ...], truth: GroundTruth, model: str) -> list[CountClaim]:
    """The claims that may be the final total, in order: results that are no smaller than any number before them.

    Counts of the truth's other models do not belong to this question; a sum's operands are no totals.
    """
    foreign = {count.total for count in truth.counts if count.model != model}
    largest = 0
    totals = []
    for claim in claims:
        if claim.value in foreign:
            continue
        if claim.value >= largest and (claim.is_result or claim.is_total):
            totals.append(claim)
        largest = max(largest, claim.value)
    operands = {claim.value for claim in claims if not claim.is_result}
    return [claim for claim in totals if claim.value not in operands] or totals[-1:]

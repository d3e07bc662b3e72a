"""Which of the numbers in an answer is the total that the student commits to."""

from grader.claims.counts import CountClaim
from grader.lab.truth import GroundTruth

PLAUSIBLE = 0.8
"""A number below this share of a right total is a part, not a rival total."""


def own_counts(claims: tuple[CountClaim, ...], truth: GroundTruth, model: str) -> tuple[CountClaim, ...]:
    """The claims without the counts of the truth's other models, which belong to other questions."""
    own = {count.total for count in truth.counts_of(model)}
    foreign = {count.total for count in truth.counts if count.model != model} - own
    return tuple(claim for claim in claims if claim.value not in foreign)


def committed_totals(claims: tuple[CountClaim, ...], truth: GroundTruth, model: str) -> list[CountClaim]:
    """The claims that may be the final total, in order: results that are no smaller than any number before them.

    A number that the text denies is none, nor is an operand of a sum.
    """
    largest = 0
    totals = []
    for claim in own_counts(claims, truth, model):
        if claim.is_disowned:
            continue
        if claim.value >= largest and (claim.is_result or claim.is_total):
            totals.append(claim)
        largest = max(largest, claim.value)
    operands = {claim.value for claim in claims if not claim.is_result}
    return [claim for claim in totals if claim.value not in operands] or totals[-1:]


def rival(chosen: CountClaim, claims: tuple[CountClaim, ...], truth: GroundTruth, model: str) -> CountClaim | None:
    """A later number that the text calls the total as well, and that no convention of counting explains."""
    known = {count.total for count in truth.counts_of(model)}
    for claim in claims[claims.index(chosen) + 1 :]:
        calls_itself_total = claim.is_result and claim.is_total and not claim.is_disowned
        rounded = chosen.value - claim.value < (claim.rounded_to or 0)
        plausible = PLAUSIBLE * chosen.value <= claim.value < chosen.value and not rounded
        if calls_itself_total and plausible and claim.value not in known:
            return claim
    return None

"""Is the total that a student commits to a right count of the model's parameters?"""

from collections.abc import Iterator

from grader.checks.check import Conclusion, check
from grader.checks.diagnosis import additions, omissions
from grader.checks.finding import Diagnosis, Expected, Finding, Status
from grader.checks.totals import committed_totals, own_counts, rival
from grader.claims.answer import Answer
from grader.claims.counts import CountClaim
from grader.lab.definition import Lab
from grader.lab.truth import Count, GroundTruth


@check("parameter-count")
def parameter_count(
    answer: Answer,
    truth: GroundTruth,
    lab: Lab,
    *,
    item: str,
    model: str,
    accept: tuple[str, ...],
    partial: tuple[str, ...] = (),
    defensible: tuple[str, ...] = (),
) -> Iterator[Conclusion]:
    """The total number of parameters is counted by hand.

    `accept`, `partial` and `defensible` are conventions of counting: those that are right, those that earn part of
    the points, and those that rest on a defensible reading of the task, which a person decides.
    """
    accepted = [count for count in truth.counts_of(model) if count.convention in accept]
    expected = Expected(
        text=" or ".join(f"{count.total:,} ({count.title})" for count in accepted),
        truths=tuple(count.id for count in accepted),
    )
    claims = own_counts(answer.counts(lab.question_of(item)), truth, model)
    if not claims:
        yield Finding(
            item=item,
            status=Status.MISSING,
            expected=expected,
            feedback="No total number of parameters was found in the answer to this question.",
        )
        return
    totals = committed_totals(claims, truth, model)
    right = [claim for claim in claims if any(count.total == claim.value for count in accepted)]
    claim = totals[-1] if totals else (right or claims)[-1]
    other = rival(claim, claims, truth, model)
    known = next((count for count in truth.counts_of(model) if count.total == claim.value), None)
    finding = Finding(
        item=item, status=Status.REVIEW, found=str(claim.value), expected=expected, evidence=(claim.evidence,)
    )
    if not totals:
        yield _uncertain(finding, claim, right)
    elif other or (right and claim not in right):
        yield _two_totals(finding, *((claim, other) if other else (right[-1], claim)))
    elif known:
        yield _known(finding, known, accept, partial, defensible)
    else:
        yield _unknown(finding, claim, accepted, truth, model)


def _known(
    finding: Finding, known: Count, accept: tuple[str, ...], partial: tuple[str, ...], defensible: tuple[str, ...]
) -> Finding:
    """The finding for a total that a convention of counting explains."""
    total = f"{known.total:,}"
    finding = finding.but(diagnoses=(Diagnosis(id=known.convention, text=f"The count is that of {known.title}."),))
    if known.convention in accept:
        return finding.but(status=Status.CORRECT, feedback=f"{total} is right.")
    if known.convention in partial:
        words = f"{total} is right in part: it is another way of counting than the one asked for."
        return finding.but(status=Status.PARTIAL, feedback=words)
    if known.convention in defensible:
        return finding.but(suggestion=Status.CORRECT, feedback=f"{total} rests on a defensible reading.")
    return finding.but(suggestion=Status.PARTIAL, feedback=f"{total} is a way of counting that was not asked for.")


def _unknown(finding: Finding, claim: CountClaim, accepted: list[Count], truth: GroundTruth, model: str) -> Finding:
    """The finding for a total that no convention explains: rounded, not certainly meant as the total, right but for
    parts counted besides, or wrong."""
    if claim.rounded_to:
        return _rounded(finding, claim, accepted)
    if not (claim.is_total and claim.is_result) or claim.value in _part_sizes(truth, model):
        return _uncertain(finding, claim, [])
    besides = additions(claim.value, accepted, truth)
    if besides:
        return finding.but(
            suggestion=Status.PARTIAL,
            diagnoses=(Diagnosis(id="counted-besides", text=besides[0].sentence),),
            feedback="More is counted than was asked for.",
        )
    return _wrong(finding, claim, accepted, truth)


def _uncertain(finding: Finding, claim: CountClaim, right: list[CountClaim]) -> Finding:
    return finding.but(
        suggestion=Status.CORRECT if right else None,
        feedback=f"It is not certain that {claim.value:,} is meant as the total.",
    )


def _two_totals(finding: Finding, one: CountClaim, other: CountClaim) -> Finding:
    return finding.but(
        suggestion=Status.CORRECT,
        evidence=(one.evidence, other.evidence),
        feedback=f"Two totals are given, {one.value:,} and {other.value:,}; it is open which of them is the answer.",
    )


def _part_sizes(truth: GroundTruth, model: str) -> set[int]:
    """The sizes of the model's parts: a text that ends with one of them may have lost its total."""
    known = truth.model(model)
    return {size for part in known.components for size in (part.values, part.values * part.times)} if known else set()


def _rounded(finding: Finding, claim: CountClaim, accepted: list[Count]) -> Finding:
    unit = claim.rounded_to or 1
    fits = [count for count in accepted if abs(count.total - claim.value) < unit]
    names = " and ".join(f"{count.total:,}" for count in fits)
    return finding.but(
        found=claim.text,
        suggestion=Status.PARTIAL if fits else Status.INCORRECT,
        feedback=f"The total is rounded ({claim.text}). "
        + (f"It agrees with {names} as far as it goes." if fits else "It agrees with no right count."),
    )


def _wrong(finding: Finding, claim: CountClaim, accepted: list[Count], truth: GroundTruth) -> Finding:
    stories = omissions(claim.value, accepted, truth)
    single = {story.parts[0]: story for story in reversed(stories) if len(story.parts) == 1}
    told = " ".join(["What may have happened, from the number alone:", *(story.sentence for story in stories)])
    return finding.but(
        status=Status.INCORRECT,
        diagnoses=tuple(
            Diagnosis(id=f"without-{part.replace(' ', '-')}", text=story.sentence) for part, story in single.items()
        ),
        feedback=f"{claim.value:,} is the count under no known convention.",
        note=told if stories else "",
    )

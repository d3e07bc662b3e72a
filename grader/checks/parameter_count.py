"""Is the total that a student commits to a right count of the model's parameters?"""

from collections.abc import Iterator

from grader.checks.check import Conclusion, check
from grader.checks.diagnosis.stories import Story, stories
from grader.checks.diagnosis.telling import likely, told
from grader.checks.diagnosis.weighing import by_derivation
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
    near = likely(by_derivation(stories(claim.value, _bases(accepted, truth), truth), frozenset()))
    return _explained(finding, claim.value, near)


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


def _bases(accepted: list[Count], truth: GroundTruth) -> list[Count]:
    """The accepted counts, and those of the same model that count nothing that these do not."""
    counted = [{part.id for part in truth.components(one.model, one.convention)} for one in accepted]
    others = [
        count
        for count in truth.counts_of(accepted[0].model)
        if count not in accepted
        and any({part.id for part in truth.components(count.model, count.convention)} < held for held in counted)
    ]
    return [*accepted, *others]


def _explained(finding: Finding, number: int, near: tuple[Story, ...]) -> Finding:
    """A wrong total with what may have happened; one that counts more than was asked for is for a person."""
    unknown = f"{number:,} is the count under no known convention."
    if not near:
        return finding.but(status=Status.INCORRECT, feedback=unknown)
    diagnoses = {
        slip.id: Diagnosis(id=slip.id, text=_sentence(slip.sentence)) for story in near for slip in story.slips
    }
    finding = finding.but(diagnoses=tuple(diagnoses.values()), feedback=f"{unknown} {told(number, near)}")
    if all(slip.besides for slip in near[0].slips):
        return finding.but(suggestion=Status.PARTIAL)
    return finding.but(status=Status.INCORRECT)


def _sentence(text: str) -> str:
    return text[0].upper() + text[1:] + "."

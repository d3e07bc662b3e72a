"""Is the total that a student commits to a right count of the model's parameters?"""

from collections.abc import Iterator

from grader.checks.check import Conclusion, check
from grader.checks.diagnosis import omissions
from grader.checks.finding import Diagnosis, Expected, Finding, Status
from grader.checks.totals import committed_totals
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
    totals = committed_totals(answer.counts(lab.question_of(item)), truth, model)
    if not totals:
        yield Finding(
            item=item,
            status=Status.MISSING,
            expected=expected,
            feedback="No total number of parameters was found in the answer to this question.",
        )
        return
    claim = totals[-1]
    known = next((count for count in truth.counts_of(model) if count.total == claim.value), None)
    finding = Finding(
        item=item,
        status=Status.INCORRECT,
        found=str(claim.value),
        expected=expected,
        evidence=(claim.evidence,),
    )
    if known and known.convention in accept:
        yield _decided(finding, Status.CORRECT, known, f"{claim.value:,} is right.")
    elif earlier := [total for total in totals if any(count.total == total.value for count in accepted)]:
        yield finding.but(
            status=Status.REVIEW,
            suggestion=Status.CORRECT,
            evidence=(earlier[-1].evidence, claim.evidence),
            feedback=f"Two totals are given, {earlier[-1].value:,} and {claim.value:,}; it is open "
            "which of them is the answer.",
        )
    elif known and known.convention in partial:
        yield _decided(
            finding,
            Status.PARTIAL,
            known,
            f"{claim.value:,} is right in part: it is another way of counting than the one asked for.",
        )
    elif known and known.convention in defensible:
        yield _review(finding, known, f"{claim.value:,} rests on a defensible reading.")
    elif claim.rounded_to:
        yield _rounded(finding, claim, accepted)
    elif not (claim.is_total and claim.is_result) or claim.value in _part_sizes(truth, model):
        yield finding.but(
            status=Status.REVIEW,
            feedback=f"It is not certain that {claim.value:,} is meant as the total.",
        )
    else:
        yield _wrong(finding, claim, truth, model)


def _part_sizes(truth: GroundTruth, model: str) -> set[int]:
    """The sizes of the model's parts: a text that ends with one of them may have lost its total."""
    known = truth.model(model)
    return {size for part in known.components for size in (part.values, part.values * part.times)} if known else set()


def _decided(finding: Finding, status: Status, known: Count, feedback: str) -> Finding:
    diagnosis = Diagnosis(id=known.convention, text=f"The count is that of {known.title}.")
    return finding.but(status=status, diagnoses=(diagnosis,), feedback=feedback)


def _review(finding: Finding, known: Count, feedback: str) -> Finding:
    decided = _decided(finding, Status.REVIEW, known, feedback)
    return decided.but(suggestion=Status.CORRECT)


def _rounded(finding: Finding, claim: CountClaim, accepted: list[Count]) -> Finding:
    unit = claim.rounded_to or 1
    fits = [count for count in accepted if abs(count.total - claim.value) < unit]
    names = " and ".join(f"{count.total:,}" for count in fits)
    return finding.but(
        found=claim.text,
        status=Status.REVIEW,
        suggestion=Status.PARTIAL if fits else Status.INCORRECT,
        feedback=f"The total is rounded ({claim.text}). "
        + (f"It agrees with {names} as far as it goes." if fits else "It agrees with no right count."),
    )


def _wrong(finding: Finding, claim: CountClaim, truth: GroundTruth, model: str) -> Finding:
    stories = omissions(claim.value, truth, model)
    single = [story for story in stories if len(story.parts) == 1]
    return finding.but(
        diagnoses=tuple(
            Diagnosis(id=f"without-{story.parts[0].replace(' ', '-')}", text=story.sentence) for story in single
        ),
        feedback=f"{claim.value:,} is the count under no known convention. "
        + " ".join(story.sentence for story in single),
        note=" ".join(["What may have happened, from the number alone:", *(s.sentence for s in stories)])
        if stories
        else "",
    )

"""Is the total that a student commits to a right count of the model's parameters?"""

from collections.abc import Iterator, Mapping
from decimal import Decimal

from grader.checks.check import Conclusion, check
from grader.checks.derivation_values import shown_values
from grader.checks.diagnosis.stories import Story
from grader.checks.diagnosis.telling import told
from grader.checks.finding import Diagnosis, Expected, Finding, Status
from grader.checks.totals import committed_totals, own_counts, rival
from grader.checks.wrong_count import bases, contradictions, explanations, others_told
from grader.claims.answer import Answer
from grader.claims.conventions import NAMES, Stated, stated_conventions
from grader.claims.counts import CountClaim
from grader.claims.equations import Equation
from grader.lab.definition import Lab
from grader.lab.truth import Count, GroundTruth
from grader.message import joined, say, say_data


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
    slips: Mapping[str, Decimal] | None = None,
) -> Iterator[Conclusion]:
    """The total number of parameters is counted by hand.

    `accept`, `partial` and `defensible` are conventions of counting: those that are right, those that earn part of
    the points, and those that rest on a defensible reading of the task, which a person decides. `slips` gives the
    share of the points that a count keeps when slips of these ids explain it.
    """
    accepted = [count for count in truth.counts_of(model) if count.convention in accept]
    expected = Expected(
        text=joined(
            say(" or "),
            (say("{total:,} ({title})", total=count.total, title=say_data(count.title)) for count in accepted),
        ),
        truths=tuple(count.id for count in accepted),
    )
    claims = own_counts(answer.counts(lab.question_of(item)), truth, model)
    if not claims:
        yield Finding(
            item=item,
            status=Status.MISSING,
            expected=expected,
            feedback=say("No total number of parameters was found in the answer to this question."),
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
        stated = [one for passage in answer.passages(lab.question_of(item)) for one in stated_conventions(passage)]
        judged = _known(finding, known, accept, partial, defensible)
        yield _said_otherwise(judged, contradictions(known, truth, stated))
    else:
        shown = shown_values(answer, lab, lab.question_of(item))
        near = explanations(claim.value, bases(truth, model, accept), truth, shown.seen)
        errors = [equation for equation in answer.equations(lab.question_of(item)) if not equation.holds]
        unsure = not (claim.is_total and claim.is_result) or claim.value in _part_sizes(truth, model)
        if claim.rounded_to:
            yield _rounded(finding, claim, accepted)
        elif unsure:
            yield _uncertain(finding, claim, [])
        elif not near and errors:
            yield _miscalculated(finding, claim, errors)
        else:
            note = others_told(claim.value, bases(truth, model, accept), truth, near)
            yield _explained(finding.but(note=note), claim.value, near, slips or {})


def _known(
    finding: Finding, known: Count, accept: tuple[str, ...], partial: tuple[str, ...], defensible: tuple[str, ...]
) -> Finding:
    """The finding for a total that a convention of counting explains."""
    total = known.total
    explained = say("The count is that of {convention}.", convention=say_data(known.title))
    finding = finding.but(diagnoses=(Diagnosis(id=known.convention, text=explained),))
    if known.convention in accept:
        return finding.but(status=Status.CORRECT, feedback=say("{total:,} is right.", total=total))
    if known.convention in partial:
        words = say("{total:,} is right in part: it is another way of counting than the one asked for.", total=total)
        return finding.but(status=Status.PARTIAL, feedback=words)
    if known.convention in defensible:
        words = say("{total:,} rests on a defensible reading.", total=total)
        return finding.but(suggestion=Status.CORRECT, feedback=words)
    words = say("{total:,} is a way of counting that was not asked for.", total=total)
    return finding.but(suggestion=Status.PARTIAL, feedback=words)


def _said_otherwise(finding: Finding, stated: tuple[Stated, ...]) -> Finding:
    """A known count beside which the text says that it counts otherwise; the number stands, and the words are shown."""
    if not stated:
        return finding
    first = stated[0]
    kind = NAMES[first.kind]
    if first.counted:
        said = say("The text says that {kind} are counted; the number does not hold them.", kind=kind)
    else:
        said = say("The text says that {kind} are left out; the number holds them.", kind=kind)
    other = Diagnosis(id="says-otherwise", text=said)
    return finding.but(diagnoses=(*finding.diagnoses, other), evidence=(*finding.evidence, first.evidence))


def _uncertain(finding: Finding, claim: CountClaim, right: list[CountClaim]) -> Finding:
    return finding.but(
        suggestion=Status.CORRECT if right else None,
        feedback=say("It is not certain that {value:,} is meant as the total.", value=claim.value),
    )


def _two_totals(finding: Finding, one: CountClaim, other: CountClaim) -> Finding:
    return finding.but(
        suggestion=Status.CORRECT,
        evidence=(one.evidence, other.evidence),
        feedback=say(
            "Two totals are given, {one:,} and {other:,}; it is open which of them is the answer.",
            one=one.value,
            other=other.value,
        ),
    )


def _part_sizes(truth: GroundTruth, model: str) -> set[int]:
    """The sizes of the model's parts: a text that ends with one of them may have lost its total."""
    known = truth.model(model)
    return {size for part in known.components for size in (part.values, part.values * part.times)} if known else set()


def _rounded(finding: Finding, claim: CountClaim, accepted: list[Count]) -> Finding:
    unit = claim.rounded_to or 1
    fits = [count for count in accepted if abs(count.total - claim.value) < unit]
    totals = joined(say(" and "), (say("{total:,}", total=count.total) for count in fits))
    if fits:
        words = say(
            "The total is rounded ({text}). It agrees with {totals} as far as it goes.", text=claim.text, totals=totals
        )
    else:
        words = say("The total is rounded ({text}). It agrees with no right count.", text=claim.text)
    return finding.but(
        found=claim.text,
        suggestion=Status.PARTIAL if fits else Status.INCORRECT,
        feedback=words,
    )


def _miscalculated(finding: Finding, claim: CountClaim, errors: list[Equation]) -> Finding:
    """A wrong total that no slip in the parts explains, after an equation that does not hold."""
    first = errors[0]
    equation = say(
        "{left} = {right} does not hold: it is {value}.", left=first.left, right=first.right, value=first.actual
    )
    words = say(
        "{number:,} is the count under no known convention, and an equation before it does not hold.",
        number=claim.value,
    )
    return finding.but(
        evidence=(claim.evidence, first.evidence),
        suggestion=Status.PARTIAL,
        diagnoses=(Diagnosis(id="arithmetic", text=equation),),
        feedback=words,
    )


def _explained(finding: Finding, number: int, near: tuple[Story, ...], credit: Mapping[str, Decimal]) -> Finding:
    """A wrong total with what may have happened; one that counts more than was asked for is for a person."""
    unknown = say("{number:,} is the count under no known convention.", number=number)
    if not near:
        return finding.but(status=Status.INCORRECT, feedback=unknown)
    made = [slip for story in near for slip in story.slips]
    diagnoses = {slip.id: Diagnosis(id=slip.id, text=say("{clause:capital}.", clause=slip.sentence)) for slip in made}
    finding = finding.but(diagnoses=tuple(diagnoses.values()), feedback=joined(" ", (unknown, told(number, near))))
    if all(slip.besides for slip in near[0].slips):
        return finding.but(suggestion=Status.PARTIAL)
    share = min(credit.get(slip.id, Decimal(0)) for slip in made)
    if share:
        return finding.but(status=Status.PARTIAL, share=share)
    return finding.but(status=Status.INCORRECT)

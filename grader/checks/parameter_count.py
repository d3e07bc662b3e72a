"""Is the total that a student commits to a right count of the model's parameters?"""

from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal

from grader.checks.check import Conclusion, check
from grader.checks.finding import Diagnosis, Expected, Finding, Status
from grader.checks.totals import (
    PLAUSIBLE,
    Commitment,
    Part,
    commitment,
    floor,
    located,
    own_counts,
    parts_of,
    shown_values,
)
from grader.checks.wrong_count import Story, bases, explanations, others_told, stories, stories_told
from grader.claims.answer import Answer, Kind
from grader.claims.commitment import Stance
from grader.claims.counts import CountClaim
from grader.claims.equations import Equation
from grader.lab.definition import Lab
from grader.lab.truth import Count, GroundTruth
from grader.message import joined, say, say_data
from grader.reading.document import Evidence


@check("parameter-count", kinds=(Kind.WRITTEN,))
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

    Decides: the total that the text commits to: an accepted count, one that earns a part, or a wrong one, explained
    where a slip gives it.

    Leaves to people: two totals, rounded ones, those that only a program printed, and readings of the task that can
    be defended.
    """
    accepted = [count for count in truth.counts_of(model) if count.convention in accept]
    expected = Expected(
        text=joined(
            say(" or "),
            (say("{total:,} ({title})", total=count.total, title=say_data(count.title)) for count in accepted),
        ),
        truths=tuple(count.id for count in accepted),
    )
    question = lab.question_of(item)
    shown = shown_values(answer, lab, question, truth, model)
    claims = answer.counts(question, least=floor(truth, model))
    made = commitment(claims, shown, truth, model, lab)
    if made is None:
        large = _as_large_as_a_total(claims, truth, model)
        parts = located(parts_of(truth, model), shown)
        yield _without_a_total(item, answer.picture(question), parts, large, expected)
        return
    claim = made.claim
    known = next((count for count in truth.counts_of(model) if count.total == claim.value), None)
    finding = Finding(
        item=item, status=Status.REVIEW, found=str(claim.value), expected=expected, evidence=(claim.evidence,)
    )
    if not (made.stance.is_committed or _are_all_right(made, claims, accepted)):
        yield _uncommitted(finding, made, known, accept, partial)
    elif made.rival:
        yield _two_totals(finding, claim, made.rival, accepted)
    elif claim.rounded_to and not known:
        yield _rounded(finding, claim, accepted)
    elif not made.is_certain:
        yield _uncertain(finding, claim)
    elif known:
        judged = _known(finding, known, accept, partial, defensible)
        others = _right_beside(claims, claim, accepted) if judged.status is not Status.CORRECT else None
        yield _two_totals(finding, claim, others, ()) if others else judged
    else:
        found = stories(claim.value, bases(truth, model, accept), truth)
        near = explanations(found, shown.seen)
        errors = [equation for equation in answer.equations(question) if not equation.holds]
        if not near and errors:
            yield _miscalculated(finding, claim, errors)
        elif not (near or made.is_derived or all(passage.exact for passage in answer.passages(question))):
            yield _uncertain(finding, claim).changed(suggestion=Status.INCORRECT)
        else:
            note = others_told(found, near)
            yield _beside_a_print(_explained(finding.changed(note=note), claim.value, near, slips or {}), made.printed)


def _uncommitted(
    finding: Finding, made: Commitment, known: Count | None, accept: tuple[str, ...], partial: tuple[str, ...]
) -> Finding:
    """The finding for a total that the text does not commit to."""
    convention = known.convention if known else None
    likely = Status.CORRECT if convention in accept else Status.PARTIAL if convention in partial else None
    return finding.changed(
        suggestion=likely,
        diagnoses=(Diagnosis(id="uncommitted", text=made.stance.reason),),
        feedback=say(
            "{value:,} is not stated as the answer. {reason}", value=made.claim.value, reason=made.stance.reason
        ),
    )


def _are_all_right(made: Commitment, claims: Sequence[CountClaim], accepted: Sequence[Count]) -> bool:
    """Whether the text offers several totals of which each is right, so that there is nothing to choose."""
    right = {count.total for count in accepted}
    large = {claim.value for claim in claims if claim.value >= PLAUSIBLE * min(right, default=0)}
    return made.stance is Stance.ALTERNATIVE and large <= right


def _right_beside(claims: Sequence[CountClaim], claim: CountClaim, accepted: Sequence[Count]) -> CountClaim | None:
    """A right total that the text gives in the same line as another one, and not as what a program prints."""
    right = {count.total for count in accepted}
    return next(
        (
            one
            for one in claims
            if one.value in right
            and not (one.by_program or one.is_disowned or one.is_operand)
            and one.evidence.quote == claim.evidence.quote
        ),
        None,
    )


def _as_large_as_a_total(claims: Sequence[CountClaim], truth: GroundTruth, model: str) -> tuple[Evidence, ...]:
    least = PLAUSIBLE * min((count.total for count in truth.counts_of(model)), default=0)
    return tuple(claim.evidence for claim in own_counts(claims, truth, model) if claim.value >= least)


def _without_a_total(
    item: str, picture: Evidence | None, parts: tuple[Part, ...], large: tuple[Evidence, ...], expected: Expected
) -> Finding:
    """Missing, unless a picture stands where the total could be, a number is as large as one, or parts are counted
    whose sum may not have been understood."""
    finding = Finding(item=item, status=Status.REVIEW, expected=expected)
    counted = tuple(part.evidence for part in parts if part.evidence)
    if picture is not None:
        words = say("No total number of parameters was found in words; it may stand in the picture.")
        return finding.changed(evidence=(picture,), feedback=words)
    if large:
        words = say("No number is said to be the total; a person looks whether one is meant.")
        return finding.changed(evidence=large[:1], feedback=words)
    if len(counted) < len(parts):
        words = say("No total number of parameters was found in the answer to this question.")
        return finding.changed(status=Status.MISSING, feedback=words)
    words = say("The parts are counted, but no total was found; a person looks for it.")
    return finding.changed(evidence=counted, feedback=words)


def _beside_a_print(finding: Finding, printed: CountClaim | None) -> Finding:
    """The finding for a count by hand beside which another number is said to come from a program."""
    if printed is None:
        return finding
    words = say(
        "A program is said to print {printed:,}; the count by hand is what this item asks for.", printed=printed.value
    )
    return finding.changed(
        evidence=(*finding.evidence, printed.evidence),
        feedback=joined(" ", [words for words in (finding.feedback, words) if words]),
    )


def _known(
    finding: Finding, known: Count, accept: tuple[str, ...], partial: tuple[str, ...], defensible: tuple[str, ...]
) -> Finding:
    """The finding for a total that a convention of counting explains."""
    total = known.total
    explained = say("The count is that of {convention}.", convention=say_data(known.title))
    finding = finding.changed(diagnoses=(Diagnosis(id=known.convention, text=explained),))
    if known.convention in accept:
        return finding.changed(status=Status.CORRECT, feedback=say("{total:,} is right.", total=total))
    if known.convention in partial:
        words = say("{total:,} is partly right: it counts in another way than was asked.", total=total)
        return finding.changed(status=Status.PARTIAL, feedback=words)
    if known.convention in defensible:
        words = say("{total:,} rests on a defensible reading.", total=total)
        return finding.changed(suggestion=Status.CORRECT, feedback=words)
    words = say("{total:,} is a way of counting that was not asked for.", total=total)
    return finding.changed(suggestion=Status.PARTIAL, feedback=words)


def _uncertain(finding: Finding, claim: CountClaim) -> Finding:
    return finding.changed(
        feedback=say("It is not certain that {value:,} is meant as the total.", value=claim.value),
    )


def _two_totals(finding: Finding, one: CountClaim, other: CountClaim, accepted: Sequence[Count]) -> Finding:
    """The finding where two numbers may be the total: where both are right ones, it does not matter which is meant."""
    both = {one.value, other.value}
    right = {count.total for count in accepted} & both
    if right == both:
        words = say("{one:,} and {other:,} are both right totals.", one=one.value, other=other.value)
        return finding.changed(status=Status.CORRECT, evidence=(one.evidence, other.evidence), feedback=words)
    return finding.changed(
        evidence=(one.evidence, other.evidence),
        suggestion=Status.CORRECT if right else None,
        feedback=say(
            "Two totals are given, {one:,} and {other:,}; it is not clear which one is the answer.",
            one=one.value,
            other=other.value,
        ),
    )


def _rounded(finding: Finding, claim: CountClaim, accepted: list[Count]) -> Finding:
    """The finding for a rounded total, which agrees with a right one or with none."""
    unit = claim.rounded_to or 1
    fits = [count for count in accepted if abs(count.total - claim.value) < unit]
    totals = joined(say(" and "), (say("{total:,}", total=count.total) for count in fits))
    if fits:
        words = say(
            "The total is rounded ({text}). It agrees with {totals} as far as it goes.", text=claim.text, totals=totals
        )
    else:
        words = say("The total is rounded ({text}). It agrees with no right count.", text=claim.text)
    return finding.changed(
        found=claim.text,
        suggestion=Status.PARTIAL if fits else Status.INCORRECT,
        feedback=words,
    )


def _miscalculated(finding: Finding, claim: CountClaim, errors: list[Equation]) -> Finding:
    """A wrong total that no slip in the parts explains, after an equation that does not hold."""
    first = errors[0]
    equation = say(
        "{left} = {right} is wrong: the left side is {value}.", left=first.left, right=first.right, value=first.actual
    )
    words = say(
        "{number:,} is not a right total, and an equation before it is wrong.",
        number=claim.value,
    )
    doubtful = any(error.is_inferred for error in errors)
    return finding.changed(
        status=Status.REVIEW if doubtful else Status.INCORRECT,
        suggestion=Status.INCORRECT if doubtful else None,
        evidence=(claim.evidence, first.evidence),
        diagnoses=(Diagnosis(id="arithmetic", text=equation),),
        feedback=words,
    )


def _explained(finding: Finding, number: int, near: tuple[Story, ...], credit: Mapping[str, Decimal]) -> Finding:
    """A wrong total with what may have happened; one that counts more than was asked for is for a person."""
    unknown = say("{number:,} is not a right total.", number=number)
    if not near:
        return finding.changed(status=Status.INCORRECT, feedback=unknown)
    made = [slip for story in near for slip in story.slips]
    diagnoses = {slip.id: Diagnosis(id=slip.id, text=say("{clause:capital}.", clause=slip.sentence)) for slip in made}
    finding = finding.changed(
        diagnoses=tuple(diagnoses.values()), feedback=joined(" ", (unknown, stories_told(number, near)))
    )
    if all(slip.besides for slip in near[0].slips):
        return finding.changed(suggestion=Status.PARTIAL)
    share = min(credit.get(slip.id, Decimal(0)) for slip in made)
    if share:
        return finding.changed(status=Status.PARTIAL, share=share)
    return finding.changed(status=Status.INCORRECT)

"""The check `parameter-count`: the total that the text commits to is a right count of the model's parameters.

`totals.commitment` decides which number is the total. A right total is found among the truth's counts. For a wrong one,
`wrong_count` looks for slips that lead to it.
"""

from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from typing import Final

from grader.checks.check import Conclusion, check
from grader.checks.decide import with_verdict
from grader.checks.feedback import IN_PICTURE, LIKELY_MEANT, MISREAD, UNCERTAIN, Reason, say_right, say_wrong
from grader.checks.finding import Diagnosis, ExpectedAnswer, Finding, Status
from grader.checks.totals import (
    PLAUSIBLE,
    Commitment,
    Part,
    commitment,
    floor,
    locate_parts,
    own_counts,
    parts_of,
    shown_values,
    totals_apart,
)
from grader.checks.wrong_count import Story, bases, explanations, others_told, stories, stories_told
from grader.claims.answer import Answer, Kind
from grader.claims.commitment import Stance
from grader.claims.counts import CountClaim
from grader.claims.equations import Equation
from grader.lab.definition import Lab
from grader.lab.truth import Count, GroundTruth
from grader.message import join_messages, say, say_data, say_values
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
    parts_share: Decimal | None = None,
) -> Iterator[Conclusion]:
    """The total number of parameters is counted by hand.

    - `model`: the model.
    - `accept`, `partial`, `defensible`: the conventions of counting that are right, partly right, or go to review.
    - `slips`: by the id of a slip, the share of the points for a count with that slip, as in `{ no-norms = 0.5 }`.
      `grade serve class GRADED ITEM` lists the ids.
    - `parts_share`: the share of the points if all parts are right but the sum is wrong or missing.

    Decides: the total that the text commits to. If a slip leads to a wrong total, the report names the slip.

    Leaves to people: two totals, rounded totals, totals that only a program printed, and totals that can be defended.
    """
    accepted = [count for count in truth.counts_of(model) if count.convention in accept]
    right_ones = (
        say_values("{total:,} ({title})", total=count.total, title=say_data(count.title)) for count in accepted
    )
    expected = ExpectedAnswer(text=join_messages(say(" or "), right_ones), truths=tuple(count.id for count in accepted))
    finding, question = Finding(item=item, status=Status.REVIEW, expected=expected), lab.question_of(item)
    shown = shown_values(answer, lab, question, truth, model)
    claims = answer.counts(question, least=floor(truth, model))
    made = commitment(claims, shown, truth, model, lab)
    if made is None:
        least = PLAUSIBLE * min((count.total for count in truth.counts_of(model)), default=0)
        large = [claim.evidence for claim in own_counts(claims, truth, model) if claim.value >= least]
        large += totals_apart(answer, truth, model)
        parts = locate_parts(parts_of(truth, model), shown)
        yield _without_a_total(finding, answer.picture(question), large, parts, parts_share)
        return
    claim = made.claim
    known_count = next((count for count in truth.counts_of(model) if count.total == claim.value), None)
    finding = finding.with_changes(found=str(claim.value), evidence=(claim.evidence,))
    unit = claim.rounded_to or 1
    if not (made.stance.is_committed or _are_all_right(made, claims, accepted)):
        convention = known_count.convention if known_count else None
        likely = Status.CORRECT if convention in accept else Status.PARTIAL
        finding = finding.with_changes(diagnoses=(Diagnosis(id="uncommitted", text=made.stance.reason),))
        reason = Reason(made.stance.reason, is_likely=convention in accept or convention in partial)
        yield with_verdict(finding, likely, "", reason)
    elif made.rival:
        yield _two_totals(finding, claim, made.rival, accepted)
    elif claim.rounded_to and not known_count:
        fits = any(abs(count.total - claim.value) < unit for count in accepted)
        reason = Reason(
            say("It agrees with a right count to the digits given.") if fits else say("It fits no right count.")
        )
        message = say("The total is rounded ({text}).", text=claim.text)
        likely = Status.PARTIAL if fits else Status.INCORRECT
        yield with_verdict(finding.with_changes(found=claim.text), likely, message, reason)
    elif not made.is_certain:
        yield with_verdict(finding, Status.INCORRECT, "", UNCERTAIN)
    elif known_count:
        judged = _known(finding, known_count, accept, partial, defensible)
        others = _right_beside(claims, claim, accepted) if judged.status is not Status.CORRECT else None
        yield _two_totals(finding, claim, others, ()) if others else judged
    else:
        found = stories(claim.value, bases(truth, model, accept), truth)
        near = explanations(found, shown.seen)
        errors = [equation for equation in answer.equations(question) if not equation.holds]
        if not near and errors:
            yield _miscalculated(finding, claim.value, errors)
        elif not (near or made.is_derived or all(passage.exact for passage in answer.passages(question))):
            yield with_verdict(finding, Status.INCORRECT, "", LIKELY_MEANT)
        else:
            judged = _explained(finding.with_changes(note=others_told(found, near)), claim.value, near, slips or {})
            parts = locate_parts(parts_of(truth, model), shown) if not near else ()
            yield _beside_a_print(_with_right_parts(judged, parts, parts_share), made.printed)


def _are_all_right(made: Commitment, claims: Sequence[CountClaim], accepted: Sequence[Count]) -> bool:
    """Whether the text offers several totals that are all right, so that no choice is needed."""
    right = {count.total for count in accepted}
    large = {claim.value for claim in claims if claim.value >= PLAUSIBLE * min(right, default=0)}
    return made.stance is Stance.ALTERNATIVE and large <= right


def _right_beside(claims: Sequence[CountClaim], claim: CountClaim, accepted: Sequence[Count]) -> CountClaim | None:
    """Return a right total that the text gives in the same line as the wrong one, but not as a program's output, or
    None."""
    right = {count.total for count in accepted}
    same_line = (
        candidate
        for candidate in claims
        if candidate.value in right and candidate.evidence.quote == claim.evidence.quote
    )
    return next(
        (
            candidate
            for candidate in same_line
            if not (candidate.by_program or candidate.is_disowned or candidate.is_operand)
        ),
        None,
    )


_FEWEST_PARTS: Final = 2
_RIGHT_PARTS: Final = say("Each part is there with a right value, but their sum is not right.")


def _with_right_parts(judged: Finding, parts: Sequence[Part], share: Decimal | None) -> Finding:
    """Return the verdict on an unexplained wrong total. If each part is shown with a right value, only the sum is
    wrong."""
    places = tuple(dict.fromkeys(part.evidence for part in parts if part.evidence))
    if judged.status is not Status.INCORRECT or len(parts) < _FEWEST_PARTS or not all(part.evidence for part in parts):
        return judged
    message = join_messages(" ", (judged.feedback, _RIGHT_PARTS))
    if share is None:
        return judged.with_changes(feedback=message)
    return with_verdict(
        judged.with_changes(evidence=(*judged.evidence, *places[:3])), Status.PARTIAL, message, share=share
    )


def _without_a_total(
    finding: Finding,
    picture: Evidence | None,
    large: Sequence[Evidence],
    parts: Sequence[Part],
    share: Decimal | None,
) -> Finding:
    """Return the finding if no total was found.

    It is missing, unless a picture stands in its place, a number is large enough, or all parts are counted, so that
    their sum may not have been understood. `share` is the share of the points for the parts.
    """
    counted = [part.evidence for part in parts if part.evidence]
    is_counted = len(counted) == len(parts)
    if share is not None and is_counted and len(parts) >= _FEWEST_PARTS and not (picture or large):
        message = say("Each part is there with a right value, but no total was found.")
        return with_verdict(finding.with_changes(evidence=tuple(counted[:4])), Status.PARTIAL, message, share=share)
    places = [picture] if picture else large[:1] or (counted if is_counted else [])
    return with_verdict(
        finding.with_changes(evidence=tuple(places)),
        Status.MISSING,
        say("No total number of parameters was found in the answer to this question."),
        IN_PICTURE.keep_if(picture),
        UNCERTAIN.keep_if(large),
        _NOT_ADDED_UP.keep_if(is_counted),
    )


_NOT_ADDED_UP: Final = Reason(say("Each part is there with a right value, but no total was found."), is_likely=False)


def _beside_a_print(finding: Finding, printed: CountClaim | None) -> Finding:
    """Add to the finding that the text also gives another number as a program's output."""
    if printed is None:
        return finding
    words = say(
        "A program is said to print {printed:,}; the count by hand is what this item asks for.", printed=printed.value
    )
    message = join_messages(" ", [text for text in (finding.feedback, words) if text])
    return finding.with_changes(evidence=(*finding.evidence, printed.evidence), feedback=message)


def _known(
    finding: Finding, known_count: Count, accept: tuple[str, ...], partial: tuple[str, ...], defensible: tuple[str, ...]
) -> Finding:
    """Return the verdict on a total that a convention of counting explains."""
    explained = say("The count is that of {convention}.", convention=say_data(known_count.title))
    finding = finding.with_changes(diagnoses=(Diagnosis(id=known_count.convention, text=explained),))
    total, is_asked = say_values("{total:,}", total=known_count.total), known_count.convention in (*accept, *partial)
    if known_count.convention in accept:
        return with_verdict(finding, Status.CORRECT, say_right(total))
    likely = Status.CORRECT if known_count.convention in defensible and not is_asked else Status.PARTIAL
    message = say(
        "{total} is another count than was asked for: {convention}.",
        total=total,
        convention=say_data(known_count.title),
    )
    defended = Reason(
        say(
            "{total} rests on a defensible reading: {convention}.",
            total=total,
            convention=say_data(known_count.title),
        )
    )
    reason = None if is_asked else defended if likely is Status.CORRECT else Reason(message)
    return with_verdict(finding, likely, "" if reason else message, reason)


def _two_totals(finding: Finding, claim: CountClaim, other: CountClaim, accepted: Sequence[Count]) -> Finding:
    """Return the verdict if two numbers may be the total. If both are right, it does not matter which is meant."""
    both = {claim.value, other.value}
    right_ones = {count.total for count in accepted} & both
    message = say("Two totals are given, {one:,} and {other:,}.", one=claim.value, other=other.value)
    unclear = Reason(say("{told} It is not clear which one is the answer.", told=message), is_likely=bool(right_ones))
    finding = finding.with_changes(evidence=(claim.evidence, other.evidence))
    is_clear = right_ones == both
    return with_verdict(
        finding, Status.CORRECT, join_messages(" ", (message, _BOTH)) if is_clear else "", unclear.keep_if(not is_clear)
    )


_BOTH: Final = say("Both are right.")


def _miscalculated(finding: Finding, total: int, errors: Sequence[Equation]) -> Finding:
    """Return the verdict on a wrong total that no slip explains, after an equation that does not hold."""
    first = errors[0]
    equation = say(
        "{left} = {right} is wrong: the left side is {value}.", left=first.left, right=first.right, value=first.actual
    )
    return with_verdict(
        finding.with_changes(
            evidence=(*finding.evidence, first.evidence), diagnoses=(Diagnosis(id="arithmetic", text=equation),)
        ),
        Status.INCORRECT,
        join_messages(" ", (say_wrong(say_values("{total:,}", total=total)), equation)),
        MISREAD.keep_if(any(error.is_inferred for error in errors)),
    )


def _explained(finding: Finding, number: int, near: tuple[Story, ...], credit: Mapping[str, Decimal]) -> Finding:
    """Return the verdict on a wrong total with the slips that may explain it. Counts of more than was asked for go to
    review."""
    unknown = say_wrong(say_values("{total:,}", total=number))
    if not near:
        return with_verdict(finding, Status.INCORRECT, unknown)
    made = [slip for story in near for slip in story.slips]
    diagnoses = {
        slip.id: Diagnosis(id=slip.id, text=say_values("{clause:capital}.", clause=slip.sentence)) for slip in made
    }
    is_more = all(slip.besides for slip in near[0].slips)
    share = min(credit.get(slip.id, Decimal(0)) for slip in made)
    return with_verdict(
        finding.with_changes(diagnoses=tuple(diagnoses.values())),
        Status.PARTIAL if share or is_more else Status.INCORRECT,
        join_messages(" ", (unknown, stories_told(number, near))),
        _MORE.keep_if(is_more),
        share=share or None,
    )


_MORE: Final = Reason(say("More is counted than was asked for."))

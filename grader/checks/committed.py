"""Verdicts that rest on a number which the text does not assert go to review.

The text may guess the number, ask about it, attribute it to somebody else, or give it as a bound.
"""

from collections.abc import Iterator
from decimal import Decimal, InvalidOperation

from grader.checks.feedback import left_to_person
from grader.checks.finding import Diagnosis, Finding, Status
from grader.claims.answer import Answer
from grader.claims.commitment import Stance, stance
from grader.claims.numerals import numerals
from grader.frozen import memoise
from grader.lab.truth import GroundTruth
from grader.reading.document import BlockKind, Evidence

_DECIDED = (Status.CORRECT, Status.PARTIAL, Status.INCORRECT)
_OF_WORDS, _OF_VALUES = "short-answer", "parameter-values"
"""The check of answers in words, which examines assertions itself, and the check of parameter values, the only one
whose numbers are compared with values of parameters."""
_NOT_WORDS = (BlockKind.CODE, BlockKind.OUTPUT)


def as_committed(finding: Finding, check: str, answer: Answer, truth: GroundTruth) -> Finding:
    """Return a finding, or a review if the text does not assert a number that decides it."""
    if finding.status not in _DECIDED or check == _OF_WORDS:
        return finding
    known_values = _values(truth) if check == _OF_VALUES else _counts(truth)
    for places, values in _figures(finding, answer, known_values):
        stances = [candidate for place in places for candidate in _stances(place, values, answer)]
        if stances and not any(candidate.is_committed for candidate in stances):
            reason = stances[0].reason
            return finding.with_changes(
                status=Status.REVIEW,
                suggestion=finding.status,
                diagnoses=(*finding.diagnoses, Diagnosis(id="uncommitted", text=reason)),
                feedback=left_to_person(finding.feedback, reason),
            )
    return finding


def _figures(
    finding: Finding, answer: Answer, known_values: frozenset[Decimal]
) -> Iterator[tuple[tuple[Evidence, ...], frozenset[Decimal]]]:
    """Yield the numbers on which a finding rests, each with its places and possible spellings.

    They are results and `known_values`.
    """
    own_places = frozenset(finding.evidence)
    reported: set[Evidence] = set()
    for result in answer.results.seeds:
        if result.evidence in own_places:
            reported.add(result.evidence)
            yield (result.evidence,), frozenset({result.value, result.value / 100})
    for each in answer.results.summaries:
        if own_places.intersection(each.evidence):
            reported.update(each.evidence)
            for value in filter(None, (each.mean, each.std)):
                yield each.evidence, frozenset({value, value / 100})
    for place in finding.evidence:
        if place not in reported:
            yield (place,), known_values


@memoise
def _counts(truth: GroundTruth) -> frozenset[Decimal]:
    """Return the counts of a truth."""
    return frozenset(Decimal(count.total) for count in truth.counts)


@memoise
def _values(truth: GroundTruth) -> frozenset[Decimal]:
    """Return the numeric values of parameters in a truth."""
    found: set[Decimal] = set()
    for value in truth.values:
        try:
            found.add(Decimal(value.value))
        except InvalidOperation:
            continue
    return frozenset(found)


def _stances(place: Evidence, values: frozenset[Decimal], answer: Answer) -> Iterator[Stance]:
    """Yield the stance of the text towards each number at a place that is one of some values."""
    for section in (*answer.sections, *answer.noted):
        passage = section.passage
        for index, block in enumerate(passage.blocks if passage.holds(place) else ()):
            if block.kind in _NOT_WORDS or (block.page, block.line, block.box) != (place.page, place.line, place.box):
                continue
            start = passage.offset_of(index)
            for number in numerals(passage.text[start : passage.end_of(index)]):
                if not values.isdisjoint(number.readings):
                    yield stance(passage, start + number.start, start + number.end)

"""Which of the numbers in an answer is the total that the student commits to."""

from collections.abc import Iterable, Sequence
from itertools import accumulate, combinations
from typing import Final

from grader.checks.derivation_values import Shown, speaks_of_a_part
from grader.claims.counts import CountClaim
from grader.frozen import Frozen
from grader.lab.truth import GroundTruth

PLAUSIBLE: Final = 0.8
"""A number below this share of a right total is a part, not a rival total."""

LEAST: Final = 0.05
MOST: Final = 20
"""Below this share of the least known total, and above this multiple of the largest, no number is a count of the whole
model: they are sizes and parts, other models, and what a warning prints."""

_DERIVED, _NAMED, _KNOWN, _RESULT, _LARGEST = 2.0, 2.0, 1.5, 1.0, 0.5
_A_PART, _BY_PROGRAM = -2.5, -3.0
"""What speaks for and against a number as the total, in units of its weight."""

_CERTAIN: Final = 2.5
"""As much as two reasons that each may mislead, such as a word and the size."""

_MOST_BEFORE: Final = 12
_MOST_ADDENDS: Final = 5
_MOST_CANDIDATES: Final = 100
"""Of so many different numbers the last are looked at; no one counts a model by more."""

_Places = dict[int, list[CountClaim]]
"""The candidates: each number with the places where it stands, in reading order."""


class Commitment(Frozen):
    """The total of an answer. `is_certain`: the text leaves no doubt that it is meant as the total. `is_derived`: a
    calculation that is shown leads to it. `rival` is another number that may be meant as well; `printed` one that the
    text only says to come from a program."""

    claim: CountClaim
    is_certain: bool
    is_derived: bool = False
    rival: CountClaim | None = None
    printed: CountClaim | None = None


def own_counts(claims: Iterable[CountClaim], truth: GroundTruth, model: str) -> tuple[CountClaim, ...]:
    """The claims that may be counts of a model: without those of the truth's other models, which belong to other
    questions, and without numbers that no count of this model comes near."""
    own = {count.total for count in truth.counts_of(model)}
    least, most = LEAST * min(own, default=0), MOST * max(own, default=0)
    return tuple(claim for claim in _not_foreign(claims, truth, model) if least <= claim.value <= most)


def _not_foreign(claims: Iterable[CountClaim], truth: GroundTruth, model: str) -> tuple[CountClaim, ...]:
    own = {count.total for count in truth.counts_of(model)}
    foreign = {count.total for count in truth.counts if count.model != model} - own
    return tuple(
        claim for claim in claims if all(abs(total - claim.value) >= (claim.rounded_to or 1) for total in foreign)
    )


def commitment(claims: Sequence[CountClaim], shown: Shown, truth: GroundTruth, model: str) -> Commitment | None:
    """The total that an answer commits to: what its calculation leads to, what its words call the total, and what a way
    of counting explains speak for a number; that it is a part of the model speaks against it."""
    pool = _candidates(claims, shown, truth, model)
    if not pool:
        return None
    known = {count.total for count in truth.counts_of(model)}
    derived = {value for value in pool if value in shown.sums} | _added_up(claims, pool)
    by_hand = derived | {value for value, places in pool.items() if any(_is_named_by_hand(one) for one in places)}
    parts = _part_sizes(truth, model) - known
    order = {value: place for place, value in enumerate(claim.value for claim in claims)}

    def score(value: int) -> float:
        by_program = bool(by_hand - {value}) and value not in derived and _is_only_printed(pool[value])
        return (
            _weight(value, pool)
            + _DERIVED * (value in derived)
            + _KNOWN * (value in known)
            + _A_PART * (value in parts)
            + _BY_PROGRAM * by_program
        )

    best = max(pool, key=lambda value: (score(value), order[value]))
    printed = [value for value in pool if value != best and value not in derived and _is_only_printed(pool[value])]
    others = {value: places for value, places in pool.items() if value != best and value not in printed[-1:]}
    chosen = _clearest(pool[best])
    certain = score(best) >= _CERTAIN or (best in known and score(best) >= _KNOWN)
    return Commitment(
        claim=chosen,
        is_certain=certain and not (chosen.is_torn and best not in known | derived),
        is_derived=best in derived,
        rival=_rival(best, others, known, derived, order),
        printed=pool[printed[-1]][-1] if printed else None,
    )


def _candidates(claims: Sequence[CountClaim], shown: Shown, truth: GroundTruth, model: str) -> _Places:
    """The claims that may be the total: no summands of a larger one, and no rounded form of an exact one."""
    own = [claim for claim in own_counts(claims, truth, model) if not claim.is_disowned]
    own = own or [
        claim
        for claim in _not_foreign(claims, truth, model)
        if claim.is_total and claim.is_of_parameters and not claim.is_disowned
    ]
    places: _Places = {}
    for claim in own:
        if not claim.is_operand and claim.value not in shown.summands:
            places.setdefault(claim.value, []).append(claim)
    exact = [value for value, found in places.items() if not found[0].rounded_to]
    left = {
        value: found
        for value, found in places.items()
        if not found[0].rounded_to or all(abs(other - value) >= found[0].rounded_to for other in exact)
    }
    return dict(list(left.items())[-_MOST_CANDIDATES:])


def _weight(value: int, pool: _Places) -> float:
    """How much its words and its size speak for a number as the total."""
    named = any(claim.is_total for claim in pool[value])
    result = any(claim.is_result and not speaks_of_a_part(claim.evidence.quote) for claim in pool[value])
    alone = result and len(pool) == 1
    return _NAMED * named + _RESULT * (result + alone) + _LARGEST * (value == max(pool))


def _is_named_by_hand(claim: CountClaim) -> bool:
    return claim.is_total and not claim.by_program


def _is_only_printed(places: Iterable[CountClaim]) -> bool:
    return all(claim.by_program for claim in places)


def _added_up(claims: Sequence[CountClaim], pool: Iterable[int]) -> set[int]:
    """The numbers that are the sum of some that stand before them, whether or not a sign says so."""
    wanted = set(pool)
    found: set[int] = set()
    values = [claim.value for claim in claims]
    for place, value in enumerate(values):
        if value in wanted - found:
            before = values[max(0, place - 2 * _MOST_BEFORE) : place]
            smaller = list(dict.fromkeys(one for one in before if one < value))[-_MOST_BEFORE:]
            sums = (sum(some) for size in range(2, _MOST_ADDENDS + 1) for some in combinations(smaller, size))
            if value in list(accumulate(before[::-1]))[1:] or value in sums:
                found.add(value)
    return found


def _clearest(places: Sequence[CountClaim]) -> CountClaim:
    """Of the places where a number stands the last that calls it a total, else the last."""
    named = [claim for claim in places if claim.is_total]
    return (named or places)[-1]


def _rival(best: int, others: _Places, known: set[int], derived: set[int], order: dict[int, int]) -> CountClaim | None:
    """Another number that may be meant as the total: one that is known beside one that is not, or one that no way of
    counting explains and that is called the total later, is larger, or is calculated as well."""
    for value, places in others.items():
        if best not in known and value in known:
            return places[0]
        if value in known or value < PLAUSIBLE * best:
            continue
        for claim in places:
            later = claim.is_result and (order[value] > order[best] or value > best)
            if claim.is_total and (value in derived or later):
                return claim
    return None


def _part_sizes(truth: GroundTruth, model: str) -> set[int]:
    """The sizes of the model's parts and layers: a text that ends with one of them may have lost its total."""
    known = truth.model(model)
    if known is None:
        return set()
    layers = {
        sum(part.values for part in truth.components(model, count.convention) if part.times == known.layers)
        for count in truth.counts_of(model)
    }
    times = {1, known.layers}
    sizes = {size for part in known.components for size in (part.values, part.values * part.times)}
    return sizes | {layer * number for layer in layers for number in times}

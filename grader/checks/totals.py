"""Decide which number in an answer is the total that the student commits to.

`shown_values` collects the numbers that the derivation shows, and `commitment` chooses the total among them. `parts_of`
and `locate_parts` find the parts of the model in the derivation.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import accumulate, combinations, pairwise
from typing import Final

from grader.checks.slips import pieces
from grader.checks.wrong_count import SeenNumbers
from grader.claims.answer import Answer
from grader.claims.commitment import Stance
from grader.claims.counts import SMALLEST, CountClaim, counts
from grader.claims.equations import Equation
from grader.claims.formulas import formulas
from grader.claims.implied_equations import in_letters
from grader.claims.numerals import numerals
from grader.claims.passage import Passage
from grader.claims.statements import speaks_of
from grader.frozen import Frozen, memoise
from grader.lab.definition import Lab
from grader.lab.truth import Component, GroundTruth
from grader.reading.document import Evidence, Voice
from grader.reading.log import programs

PART_WORDS: Final = {
    "position embedding": r"position",
    "token-type embedding": r"(?:token|segment)[- ]type|segment",
    "token embedding": r"(?:token|word|vocab\w*|input|lexical)[- ]?embed|embedding (?:of|for) (?:the )?(?:token|word)"
    r"|vocabular|plongement|embed_tokens|jetons",
    "attention": r"attention|\bQ,? ?K|quer(?:y|ies)|\bqkv|projection|self_attn|\b(?:[qkvo]|out)_proj|\bW_?[QKVOqkvo]\b"
    r"|\bkeys?\b|\b[QKVO](?:,? (?:and )?[QKVO])+\b",
    "feed-forward": r"feed[- ]?forward|\bffn?\b|\bmlp\b|intermediate|\bfc ?[12]|perceptron|\bW_?[12]\b",
    "norms": r"norm",
    "language-model head": r"\b(?:lm|language[- ]model\w*|mlm|output)[- ]head",
    "classification head": r"classif\w+[- ](?:head|layer)|t[êe]te",
    "convolution": r"\bconv",
    "pooling": r"\bpool",
    "recurrent layer": r"\b(?:lstm|gru|rnn)\b|r[ée]curr",
    "linear layer": r"linear|lin[ée]aire|fully|\bfc ?\d?\b|dense",
    "adapter": rf"adapt|\b(?:{'|'.join(adapter.id for adapter in programs().adapters)})\b",
}
"""Usual names of the parts of a model, for parts to which the lab gives no names."""

_WORDS: Final = {part: re.compile(words, re.IGNORECASE) for part, words in PART_WORDS.items()}

Speaking = Mapping[str, Callable[[str], object]]
"""For each part of a model, a function that says whether a text mentions it."""


def speaking(lab: Lab, parts: Collection[str]) -> Speaking:
    """Return the functions that recognise parts in a text, by the lab's names or by the usual ones."""
    words_by_part = {candidate.part: candidate.words for candidate in lab.parts}
    found: dict[str, Callable[[str], object]] = {}
    for part in parts:
        if part in words_by_part:
            found[part] = partial(speaks_of, words=words_by_part[part])
        elif part in _WORDS:
            found[part] = _WORDS[part].search
    return found


def floor(truth: GroundTruth, model: str) -> int:
    """Return the smallest number that may be the size of a part. Smaller numbers are dimensions, years and the like.

    In a small model, a part may have only a hundred values.
    """
    known_model = truth.model(model)
    sizes = [part.values for part in known_model.components if part.kind in _HEAVY] if known_model else []
    return min([SMALLEST, *sizes])


def totals_apart(answer: Answer, truth: GroundTruth, model: str) -> tuple[Evidence, ...]:
    """Return the places of known totals of a model in text that belongs to no question."""
    known_totals = {count.total for count in truth.counts_of(model)}
    apart = (section.passage for section in answer.sections if not (section.questions or section.is_closing))
    found = (claim for passage in apart for claim in counts(passage, floor(truth, model)))
    return tuple(claim.evidence for claim in found if claim.value in known_totals)


def part_names(truth: GroundTruth, model: str) -> tuple[str, ...]:
    """Return the names of a model's parts."""
    known_model = truth.model(model)
    return tuple(dict.fromkeys(part.part for part in known_model.components)) if known_model else ()


class Line(Frozen):
    """A line that mentions one part of a model, and the value of its calculation."""

    part: str
    value: int


class ShownNumbers(Frozen):
    """The whole numbers in an answer, with places."""

    places: dict[int, Evidence]
    """Each number with the place where it is first written, or else the formula that results in it."""
    written: frozenset[int]
    """Numbers that are written out, and summands."""
    labelled: dict[str, frozenset[int]]
    """For each part, the numbers in lines that mention only this part."""
    lines: tuple[Line, ...] = ()
    """The values of lines that mention one part."""
    sums: frozenset[int] = frozenset()
    """The values of sums."""
    summands: frozenset[int] = frozenset()
    """The terms of sums that are less than the sum."""
    wrong: tuple[Equation, ...] = ()
    """Formulas in letters that are set equal to another number than their value."""
    printed: frozenset[int] = frozenset()
    """Numbers that only a program printed."""

    @property
    def seen(self) -> SeenNumbers:
        """The numbers without their places."""
        return SeenNumbers(frozenset(self.places), self.written, self.labelled)


def _is_printed(passage: Passage, offset: int) -> bool:
    """Whether a program printed the text at an offset."""
    return passage.block_at(offset).voice in (Voice.PRINT, Voice.FIGURES)


@memoise
def shown_values(answer: Answer, lab: Lab, question: str, truth: GroundTruth, model: str) -> ShownNumbers:
    """Return all numbers in the answers to a question about a model's parameters."""
    words, least = speaking(lab, part_names(truth, model)), floor(truth, model)
    written: dict[int, Evidence] = {}
    worked: dict[int, Evidence] = {}
    terms: set[int] = set()
    sums: set[int] = set()
    summands: set[int] = set()
    labelled: dict[str, set[int]] = defaultdict(set)
    lines: list[Line] = []
    wrong: list[Equation] = []
    parts: dict[str, str] = {}
    stated_numbers: set[int] = set()
    for passage in answer.passages(question):
        by_line: dict[int, tuple[int, int]] = {}
        covered: set[int] = set()
        for formula in formulas(passage, lab):
            results = formula.terms | {value for value in formula.values if value}
            labelled[_part_at(passage, formula.start, words, parts)] |= results
            terms |= results
            if not _is_printed(passage, formula.start):
                stated_numbers |= results | set(formula.steps)
            sums |= formula.sums
            wrong += in_letters(formula)
            summands |= {term for term in formula.terms if any(term < value for value in formula.sums)}
            for step in formula.steps:
                worked.setdefault(step, formula.evidence)
            if formula.values[-1]:
                by_line[_line(passage, formula.start)] = formula.start, formula.values[-1]
            covered.update(range(formula.start, formula.start + len(formula.text)))
        for numeral in numerals(passage.text):
            whole = [int(value) for value in numeral.readings if value == value.to_integral_value()]
            part = _part_at(passage, numeral.start, words, parts)
            if not _is_printed(passage, numeral.start):
                stated_numbers.update(whole)
            for value in whole:
                written.setdefault(value, passage.evidence(numeral.start, numeral.end))
                labelled[part].add(value)
            if whole and whole[0] >= least and numeral.start not in covered:
                by_line[_line(passage, numeral.start)] = numeral.start, whole[0]
        lines += (Line(part=_part_at(passage, start, words, parts), value=value) for start, value in by_line.values())
    part_numbers = {part: frozenset(values) for part, values in labelled.items() if part}
    return ShownNumbers(
        places=worked | written,
        written=frozenset(written) | terms,
        labelled=part_numbers,
        lines=tuple(line for line in lines if line.part),
        sums=frozenset(sums),
        summands=frozenset(summands),
        wrong=tuple(wrong),
        printed=(frozenset(written) | frozenset(worked)) - stated_numbers,
    )


def parts_named(text: str, words: Speaking) -> frozenset[str]:
    """Return the parts of a model that a text names."""
    return frozenset(part for part, speaks in words.items() if speaks(text))


def _line(passage: Passage, offset: int) -> int:
    return passage.text.rfind("\n", 0, offset)


def _part_at(passage: Passage, offset: int, words: Speaking, parts_by_line: dict[str, str]) -> str:
    """Return the only part that the line at an offset mentions, or an empty text.

    `parts_by_line` caches the results by line, because a line may contain thousands of numbers.
    """
    text = passage.block_at(offset).text
    if text not in parts_by_line:
        parts = [part for part, speaks in words.items() if speaks(text)]
        parts_by_line[text] = parts[0] if len(parts) == 1 else ""
    return parts_by_line[text]


PLAUSIBLE: Final = 0.8
"""A number below this share of a right total is a part, not a second total."""

LEAST: Final = 0.05
MOST: Final = 20
"""A number below the share `LEAST` of the smallest known total, or above `MOST` times the largest, is no count of the
whole model: it is a dimension, a part, another model, or a number in a warning."""

_DERIVED, _NAMED, _KNOWN, _RESULT, _LARGEST = 2.0, 2.0, 1.5, 1.0, 0.5
_A_PART, _BY_PROGRAM = -2.5, -3.0
"""Weights of the evidence for and against a number as the total."""

_CERTAIN: Final = 2.5
"""The weight that makes a total certain: two pieces of evidence that may each be misleading, such as a word and the
size."""

_MOST_BEFORE: Final = 12
_MOST_ADDENDS: Final = 5
_MOST_CANDIDATES: Final = 100
"""The number of candidates that are examined, from the end of the text."""

_Places = dict[int, list[CountClaim]]
"""The candidates: each number with its places, in reading order."""


class Commitment(Frozen):
    """The total of an answer."""

    claim: CountClaim
    is_certain: bool
    """Whether the text leaves no doubt that this number is the total."""
    is_derived: bool = False
    """Whether a calculation in the text results in it."""
    rival: CountClaim | None = None
    """Another number that may also be meant as the total."""
    printed: CountClaim | None = None
    """A number that the text gives only as a program's output."""
    stance: Stance = Stance.ASSERTED
    """Whether the text asserts the number, guesses it, or offers it as an alternative."""


def own_counts(claims: Iterable[CountClaim], truth: GroundTruth, model: str) -> tuple[CountClaim, ...]:
    """Return the claims that may be counts of this model.

    Counts of the truth's other models, and numbers far from every count of this model, are left out.
    """
    own_totals = {count.total for count in truth.counts_of(model)}
    least, most = LEAST * min(own_totals, default=0), MOST * max(own_totals, default=0)
    return tuple(claim for claim in _not_foreign(claims, truth, model) if least <= claim.value <= most)


def _not_foreign(claims: Iterable[CountClaim], truth: GroundTruth, model: str) -> tuple[CountClaim, ...]:
    own_totals = {count.total for count in truth.counts_of(model)}
    known_model = truth.model(model)
    for count in truth.counts_of(model) if known_model else ():
        # All layers of this model together may have as many parameters as an adapter of another model.
        layered = (
            component
            for component in truth.components(model, count.convention)
            if known_model and component.times == known_model.layers > 1
        )
        own_totals.add(sum(value.values * value.times for value in layered))
    foreign = {count.total for count in truth.counts if count.model != model} - own_totals
    return tuple(claim for claim in claims if _is_one_of(claim, own_totals) or not _is_one_of(claim, foreign))


def _is_one_of(claim: CountClaim, totals: Collection[int]) -> bool:
    """Whether a claim is one of some totals, to its digits."""
    return any(abs(total - claim.value) < (claim.rounded_to or 1) for total in totals)


def commitment(
    claims: Sequence[CountClaim], shown: ShownNumbers, truth: GroundTruth, model: str, lab: Lab
) -> Commitment | None:
    """Return the total that an answer commits to, or None if there is no candidate.

    A number that the text never asserts counts only if no number of its size is asserted.
    """
    found = _weighed(claims, shown, truth, model, lab)
    firm = {claim.value for claim in claims if claim.stance.is_committed}
    if found is None or firm.issuperset(claim.value for claim in claims):
        return found and _less_unchosen(found, claims, truth, model)
    stated = _weighed([claim for claim in claims if claim.value in firm], shown, truth, model, lab)
    if stated and stated.is_certain and stated.claim.value >= PLAUSIBLE * found.claim.value:
        return _less_unchosen(stated, claims, truth, model)
    if found.claim.value in firm:
        return found
    places = [claim for claim in claims if claim.value == found.claim.value]
    return found.model_copy(update={"stance": places[-1].stance})


def _weighed(
    claims: Sequence[CountClaim], shown: ShownNumbers, truth: GroundTruth, model: str, lab: Lab
) -> Commitment | None:
    """Return the most probable total of some claims, or None.

    A number gains weight if a calculation results in it, if words call it the total, and if a convention of counting
    explains it. It loses weight if it is the size of a part.
    """
    pool = _candidates(claims, shown, truth, model)
    if not pool:
        return None
    known_totals = {count.total for count in truth.counts_of(model)}
    words = speaking(lab, part_names(truth, model))
    derived = {value for value in pool if value in shown.sums} | _added_up(claims, pool)
    parts = _part_sizes(truth, model) - known_totals
    named = {
        value for value, places in pool.items() if any(place.is_total and not place.by_program for place in places)
    }
    by_hand = (derived | named) - parts
    called = {value for value, places in pool.items() if any(place.is_total for place in places)}
    order = {value: place for place, value in enumerate(claim.value for claim in claims)}

    def score(value: int) -> float:
        is_rivalled = any(number >= PLAUSIBLE * value for number in by_hand - {value})
        by_program = is_rivalled and value not in derived and _is_only_printed(pool[value])
        return (
            _weight(value, pool, words)
            + _DERIVED * (value in derived)
            + _KNOWN * (value in known_totals)
            + _A_PART * (value in parts)
            + _BY_PROGRAM * by_program
        )

    best = max(pool, key=lambda value: (score(value), order[value]))
    printed = [value for value in pool if value != best and value not in derived and _is_only_printed(pool[value])]
    others = {value: places for value, places in pool.items() if value != best and value not in printed[-1:]}
    # A printed number may be the total beside another number, or hide that the other number is wrong.
    beside = by_hand | {value for value in pool if value not in parts and value >= PLAUSIBLE * best}
    beside = beside - {best} if best not in derived and _is_only_printed(pool[best]) else set()
    chosen = _clearest(pool[best])
    certain = score(best) >= _CERTAIN or (best in known_totals and score(best) >= _KNOWN)
    return Commitment(
        claim=chosen,
        is_certain=certain and not (chosen.is_torn and best not in known_totals | derived),
        is_derived=best in derived,
        rival=_clearest(pool[max(beside)]) if beside else _rival(best, others, known_totals, derived, called, order),
        printed=pool[printed[-1]][-1] if printed else None,
    )


_LISTED: Final = 120
"""The largest distance, in characters, between the beginnings of two numbers in one list."""


def _less_unchosen(found: Commitment, claims: Sequence[CountClaim], truth: GroundTruth, model: str) -> Commitment:
    """Return the total as one of several alternatives if the text lists known totals without choosing one.

    The text labels none of them, calls none of them the total, and calculates none of them.
    """
    known_totals = {count.total for count in truth.counts_of(model)}
    own_claims = [claim for claim in claims if claim.value in known_totals and not claim.is_disowned]
    close = [pair for pair in pairwise(own_claims) if 0 < pair[1].start - pair[0].start <= _LISTED]
    listed = {claim.value for pair in close for claim in pair if pair[0].value != pair[1].value}
    labelled = {claim.value for claim in own_claims if not claim.is_bare}
    called = {claim.value for claim in own_claims if claim.is_total}
    is_open = found.claim.value in listed - labelled and len(listed - labelled) > 1 and not found.is_derived
    is_open = is_open and called != {found.claim.value}
    return found.model_copy(update={"stance": Stance.ALTERNATIVE}) if is_open else found


def _candidates(claims: Sequence[CountClaim], shown: ShownNumbers, truth: GroundTruth, model: str) -> _Places:
    """Return the claims that may be the total.

    Summands of a larger number, rounded forms of an exact number, and first attempts that are replaced later are left
    out.
    """
    own_claims = [claim for claim in own_counts(claims, truth, model) if not claim.is_disowned]
    kept = max((claim.value for claim in own_claims if not claim.is_withdrawn), default=0)
    own_claims = [claim for claim in own_claims if not claim.is_withdrawn or kept < PLAUSIBLE * claim.value]
    own_claims = own_claims or [
        claim
        for claim in _not_foreign(claims, truth, model)
        if claim.is_total and claim.is_of_parameters and not claim.is_disowned
    ]
    # If the student writes numbers, a printed number without a word about parameters may be anything.
    told_values = {
        candidate.value
        for candidate in own_claims
        if candidate.value not in shown.printed or candidate.is_of_parameters or candidate.is_total
    }
    known_totals = {count.total for count in truth.counts_of(model)}
    own_claims = [claim for claim in own_claims if not told_values or claim.value in known_totals | told_values]
    places: _Places = {}
    for claim in own_claims:
        if not claim.is_operand and claim.value not in shown.summands - {kept}:
            places.setdefault(claim.value, []).append(claim)
    exact = [value for value, found in places.items() if not found[0].rounded_to]
    left = {
        value: found
        for value, found in places.items()
        if not found[0].rounded_to or all(abs(other - value) >= found[0].rounded_to for other in exact)
    }
    return dict(list(left.items())[-_MOST_CANDIDATES:])


def _weight(value: int, pool: _Places, words: Speaking) -> float:
    """Return the weight of a number as the total by its words and its size."""
    named = any(claim.is_total for claim in pool[value])
    result = any(claim.is_result and not parts_named(claim.evidence.quote, words) for claim in pool[value])
    alone = result and len(pool) == 1
    return _NAMED * named + _RESULT * (result + alone) + _LARGEST * (value == max(pool))


def _is_only_printed(places: Iterable[CountClaim]) -> bool:
    return all(claim.by_program for claim in places)


def _added_up(claims: Sequence[CountClaim], pool: Iterable[int]) -> set[int]:
    """Return the numbers that are the sum of numbers before them, with or without a plus sign. Printed numbers do not
    count."""
    wanted = set(pool)
    found: set[int] = set()
    values = [claim.value for claim in claims if not claim.by_program]
    for place, value in enumerate(values):
        if value in wanted - found:
            before = values[:place]
            smaller = list(dict.fromkeys(number for number in before if number < value))[-_MOST_BEFORE:]
            sums = (sum(some) for size in range(2, _MOST_ADDENDS + 1) for some in combinations(smaller, size))
            if value in list(accumulate(before[::-1]))[1:] or value in sums:
                found.add(value)
    return found


def leads_to(total: int, shown: ShownNumbers, times: int) -> bool:
    """Whether some of the numbers in the derivation add up to a total. Those of one layer may count `times` times."""
    if total in shown.sums:
        return True
    found = (value for value in shown.places if _SMALLEST_SHOWN <= value < total)
    values = sorted(found, key=lambda value: (value in shown.printed, -value))[:_MOST_SHOWN]
    addends = sorted({value * number for value in values for number in {1, times}})
    # Any sum of at most `_MOST_PARTS` addends is the sum of two sums of half as many.
    sums = {sum(some) for size in range(_MOST_PARTS // 2 + 1) for some in combinations(addends, size)}
    return any(total - candidate in sums for candidate in sums)


_SMALLEST_SHOWN: Final = 500
_MOST_SHOWN: Final = 14
_MOST_PARTS: Final = 10
"""The most addends of a total that no sign adds up."""


def _clearest(places: Sequence[CountClaim]) -> CountClaim:
    """Return the last place that calls a number the total, or else its last place."""
    named = [claim for claim in places if claim.is_total]
    return (named or places)[-1]


def _rival(
    best: int, others: _Places, known_totals: set[int], derived: set[int], named: set[int], order: dict[int, int]
) -> CountClaim | None:
    """Return another number that may be meant as the total, or None.

    If `best` is not a known count, any known count may be meant. If `best` is neither called the total nor calculated,
    any larger number may be meant. Otherwise the number must be called the total, be calculated, later or larger, and
    be of similar size.
    """
    for value, places in others.items():
        if best not in known_totals and value in known_totals:
            return places[0]
        if value in known_totals or value < PLAUSIBLE * best:
            continue
        for claim in places:
            later = claim.is_result and (order[value] > order[best] or value > best)
            is_larger = value > best and best not in named | derived and not claim.rounded_to
            if is_larger or (claim.is_total and (value in derived or later)):
                return claim
    return None


def _part_sizes(truth: GroundTruth, model: str) -> set[int]:
    """Return the sizes of the model's parts and layers. A text that ends with one of them may have lost its total."""
    known_model = truth.model(model)
    if known_model is None:
        return set()
    sizes = {size for part in known_model.components for size in (part.values, part.values * part.times)}
    for count in truth.counts_of(model):
        parts = truth.components(model, count.convention)
        layer = sum(part.values for part in parts if part.times == known_model.layers)
        whole: Counter[tuple[str, int]] = Counter()
        for part in parts:
            whole[part.part, part.times] += part.values
        sizes |= {size for (_, number), values in whole.items() for size in (values, values * number)}
        sizes |= {layer, layer * known_model.layers}
    return sizes


def miswritten(shown: ShownNumbers, truth: GroundTruth, model: str) -> tuple[int, int] | None:
    """Return a student's number that is one digit off the size of a part or model, with that size, or None.

    Two swapped digits count as well. Return None if the right size is also written.
    """
    sizes = _part_sizes(truth, model) | {count.total for count in truth.counts_of(model)}
    written = {
        number for number in shown.written if len(str(number)) >= _FEWEST_DIGITS and number >= floor(truth, model)
    }
    return next(
        (
            (number, size)
            for number in sorted(written - sizes - shown.sums - shown.printed)
            for size in sorted(sizes - written)
            if _is_a_digit_off(str(number), str(size))
        ),
        None,
    )


def _is_a_digit_off(first: str, other: str) -> bool:
    """Whether two numbers of the same length differ in one digit or in the order of two digits."""
    apart = [pair for pair in zip(first, other, strict=False) if pair[0] != pair[1]]
    is_swapped = len(apart) == 2 and apart[0] == apart[1][::-1]
    return len(first) == len(other) and (len(apart) == 1 or is_swapped)


_FEWEST_DIGITS: Final = 5
"""Shorter numbers that differ in one digit are likely different numbers."""

_HEAVY: Final = ("weight", "embedding")


class Part(Frozen):
    """A part of the model with its sizes."""

    name: str
    sizes: frozenset[int]
    """The sizes under each convention, for one layer."""
    values: frozenset[int]
    """The values that a right derivation may show for the part."""
    units: frozenset[int]
    """The sizes of the part's single arrays."""
    layers: frozenset[int]
    """The sizes of a whole layer that contains the part."""
    evidence: Evidence | None = None
    """The place where the derivation shows the part."""


def parts_of(truth: GroundTruth, model: str) -> list[Part]:
    """Return the parts that every convention counts."""
    counted = [truth.components(model, count.convention) for count in truth.counts_of(model)]
    names = [{component.part for component in components} for components in counted]
    needed = set.intersection(*names) if names else set()
    ordered = dict.fromkeys(component.part for components in counted for component in components)
    return [_part(name, counted) for name in ordered if name in needed]


def locate_parts(parts: Iterable[Part], shown: ShownNumbers) -> tuple[Part, ...]:
    """Return the parts with the places where the derivation shows them.

    A part is shown by one of its values, by lines that add up to one, by arrays of a layer whose sum is shown, or,
    outside of layers, by the sum of two parts: `(V + P) × d`.
    """
    found = [part.model_copy(update={"evidence": _place(part, shown)}) for part in parts]
    left = [part for part in found if part.evidence is None and not part.layers]
    places = shown.places.keys() - shown.printed - {max(shown.places, default=0)}  # the largest number is the total
    for first_part, other in combinations(left, 2):
        both = sorted({value + more for value in first_part.sizes for more in other.sizes} & places)
        if both:
            place = shown.places[both[0]]
            found = [p.model_copy(update={"evidence": place}) if p in (first_part, other) else p for p in found]
    return tuple(found)


def _place(part: Part, shown: ShownNumbers) -> Evidence | None:
    """Return the place where the derivation shows a part, or None. A printed number must stand in a line about the
    part."""
    places = shown.places.keys() - (shown.printed - shown.labelled.get(part.name, frozenset()))
    values = sorted(part.values & places)
    values += list(_parts_added_up(part, shown))
    if part.units & places:
        values += sorted(part.layers & places)
    return shown.places[values[0]] if values else None


def _parts_added_up(part: Part, shown: ShownNumbers) -> Iterator[int]:
    """Yield the first of consecutive lines about a part that add up to a right value of it."""
    lines = [line.value for line in shown.lines if line.part == part.name]
    for start in range(len(lines)):
        if part.values & set(accumulate(lines[start:])):
            yield lines[start]


def _part(name: str, counted: list[tuple[Component, ...]]) -> Part:
    """Return a part with its sizes under each convention.

    A right derivation may show it for one layer or for all, alone or with its own norm.
    """
    sizes: set[int] = set()
    values: set[int] = set()
    units: set[int] = set()
    layers: set[int] = set()
    for components in counted:
        own_components = [component for component in components if component.part == name]
        times, size = own_components[0].times, sum(component.values for component in own_components)
        norms = {c.values for c in components if c.part == "norms" and c.times == times}
        single = {size, *(size + norm for norm in norms)}
        sizes.add(size)
        values |= single | {value * times for value in single}
        arrays = [piece for component in own_components for piece in pieces(component)]
        biases = {piece.once for piece in arrays if piece.kind not in _HEAVY}
        heavy = {piece.once for piece in arrays if piece.kind in _HEAVY}
        units |= heavy | {array + bias for array in heavy for bias in biases}
        if times > 1:
            layer = sum(component.values for component in components if component.times == times)
            layers |= {layer, layer * times}
    return Part(
        name=name, sizes=frozenset(sizes), values=frozenset(values), units=frozenset(units), layers=frozenset(layers)
    )

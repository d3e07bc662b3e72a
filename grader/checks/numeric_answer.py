"""The check `numeric-answer`: the number that an answer commits to is right, in any form and unit.

`_zones` finds the places where the number may stand, `_commitment` the number that the answer commits to, and `_right`
and `_not_right` judge it.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from typing import Final, NamedTuple

from grader.checks.absence import absence, concluded_absent, proves_only, told_sections
from grader.checks.check import Conclusion, check
from grader.checks.decide import WrongNumber, decided_wrong, with_verdict
from grader.checks.feedback import LIKELY_MEANT, NEAR, UNCERTAIN, Reason, say_right
from grader.checks.finding import ExpectedAnswer, Finding, Status
from grader.checks.formula_answer import FormulaText
from grader.checks.own_numbers import (
    AskedPart,
    as_choice,
    bounds_told,
    chosen_values,
    credit_carried_error,
    in_range,
    with_parts,
)
from grader.checks.subjects import places_of
from grader.checks.superlatives import Superlative, is_most, told_most
from grader.claims.answer import Answer
from grader.claims.code import shown_values
from grader.claims.commitment import stance
from grader.claims.equations import likeliest
from grader.claims.implied_equations import all_equations
from grader.claims.no_results import is_share_of_data, without_result
from grader.claims.numerals import (
    NO_UNITS,
    Firmness,
    Form,
    Quantity,
    Target,
    has_spelt_number,
    quantities,
    range_target,
    sentence_bounds,
    target,
)
from grader.claims.passage import Passage, is_within
from grader.claims.sections import Section
from grader.claims.spelt_numbers import powers_of_ten, spelt_quantities, squares
from grader.claims.statements import (
    is_doubtful,
    is_joint,
    is_operand_of,
    mention,
    number_in_front,
    quantities_of,
    respective_number,
    speaks_of,
    wrapped_end,
)
from grader.claims.tables import tables
from grader.lab.definition import Lab, Question
from grader.lab.truth import GroundTruth
from grader.language import lexicon
from grader.language.folding import fold_text
from grader.language.shapes import LONG_WORD
from grader.message import Words, say, say_values
from grader.reading.document import BlockKind, Evidence, RepairKind

NUMERIC: Final = "numeric-answer"
_MOST_TEXT: Final = 60_000
_FEW_WORDS: Final = 4
_MOST_MENTIONS: Final = 100
_OF_LETTER: Final = re.compile(r"(?<![\w(])[a-z](?:_\w)?\s*=")
"""A small letter with a value."""
_UNSURE: Final = (RepairKind.POWER, RepairKind.INDEX, RepairKind.FRACTION, RepairKind.JOINED)


class _Zone(NamedTuple):
    """A part of a passage in which the answer may stand.

    `is_named`: it begins after the number's name. `is_own`: its heading names the question, and no other question if
    the number is not named.
    """

    passage: Passage
    start: int
    end: int
    is_named: bool
    is_own: bool
    told: str = ""
    """The labels of a table's cell."""
    none: tuple[str, ...] = ()
    """Words for zero."""
    names: tuple[str, ...] = ()
    """Names of numbers that have digits themselves: `client 1`."""

    def is_in_name(self, offset: int) -> bool:
        """Whether an offset lies within one of `names`."""
        named = places_of(self.passage.text[self.start : self.end], self.names) if self.names else ()
        return is_within(offset - self.start, named)


class _Stated(NamedTuple):
    quantity: Quantity
    zone: _Zone

    @property
    def evidence(self) -> Evidence:
        return self.zone.passage.evidence(self.quantity.start, self.quantity.end)

    @property
    def is_of_symbol(self) -> bool:
        """Whether it is the value of a letter, `p = 10/16 = 0.625`, in a sentence that names the number before."""
        text, quantity = self.zone.passage.text, self.quantity
        if not self.zone.is_named:
            return False
        before = text[self.zone.start : quantity.start]
        letters = [
            match for match in _OF_LETTER.finditer(before) if not re.search(r"[^\W\d_]|[,;:]\s", before[match.end() :])
        ]
        return any(re.search(r"[^\W\d_]", before[: match.start()]) for match in letters)

    @property
    def is_of_share(self) -> bool:
        """Whether it is one of the numbers in a share such as `14 of 20`."""
        text, quantity = self.zone.passage.text, self.quantity
        share = r"\d+ <part_of> (?:<the> ?)?\d+"
        shares = lexicon.find_all(share, text, *sentence_bounds(text, quantity.start, quantity.end))
        return any(match.start() <= quantity.start < match.end() for match in shares)

    @property
    def is_bound(self) -> bool:
        """Whether it is a bound of an interval: `R² lies between 0 and 1`."""
        text, start = self.zone.passage.text, self.quantity.start
        return (
            lexicon.search(r"<between>\s+(?:\S+\s+<and>\s+)?\Z", text, max(0, start - _BEFORE_SETTING), start)
            is not None
        )

    @property
    def is_compared_with(self) -> bool:
        """Whether a number before it in its sentence is compared with it: `15 is higher than the mean of 12`."""
        text, quantity = self.zone.passage.text, self.quantity
        before = text[sentence_bounds(text, quantity.start, quantity.end)[0] : quantity.start]
        match = lexicon.search(r"<compared_with>\s+(?:[^\W\d]+\s+){0,6}\Z", before)
        return match is not None and any(map(str.isdecimal, before[: match.start()]))

    @property
    def sentence(self) -> tuple[int, int]:
        """The bounds of its sentence."""
        return sentence_bounds(self.zone.passage.text, self.quantity.start, self.quantity.end)

    @property
    def claim(self) -> str:
        """Its sentence without the reason at the end."""
        (left, right), text = self.sentence, self.zone.passage.text
        reason = lexicon.search("<because>", text, left, right)
        return text[left : reason.start() if reason else right]

    @property
    def is_in_reason(self) -> bool:
        """Whether it stands only in the reason of its sentence, without a contrast to the text before."""
        left, right = self.sentence
        reason = left + len(self.claim)
        text = self.zone.passage.text
        is_behind = reason <= self.quantity.start and any(map(str.isalnum, text[left:reason]))
        return is_behind and lexicon.search("<contrast|but_or_while|best_of_all>", text, reason, right) is None

    def is_aside(self, aims: Sequence[Target]) -> bool:
        """Whether it stands in brackets directly after a number that is not one of the right ones: `8.69 (22.65 with
        base e)`."""
        text, quantity = self.zone.passage.text, self.quantity
        left, _ = sentence_bounds(text, quantity.start, quantity.end)
        bracket = text.rfind("(", left, quantity.start)
        if bracket < 0 or ")" in text[bracket : quantity.start]:
            return False
        outside = [
            other for other in quantities_of(self.zone.passage) if left <= other.start < bracket <= other.end + 1
        ]
        return any(not any(aim.is_right(other) for aim in aims) for other in outside)

    def is_open(self, aims: Sequence[Target]) -> bool:
        """Whether it is doubtful or an aside."""
        return self.is_doubtful(aims) or self.is_aside(aims)

    def is_of(self, words: Sequence[str]) -> bool:
        """Whether some words stand in its clause, or in its row of a table."""
        if not words:
            return False
        text, quantity = self.zone.passage.text, self.quantity
        row = self.zone.passage.block_at(quantity.start)
        if row.kind is BlockKind.ROW or self.zone.told:
            prose = (cell for cell in row.cells if quantity.text in cell and re.search(r"[^\W\d_]{3}", cell))
            return mention(self.zone.told or next(prose, row.text), words, 0) is not None
        left, right = sentence_bounds(text, quantity.start, quantity.end)
        clause = r"[,;:]\s|[()]|\s<and|but_or_while>\s"
        before = list(lexicon.find_all(clause, text, left, quantity.start))
        behind = lexicon.search(clause, text, quantity.end, right)
        left, right = before[-1].end() if before else left, behind.start() if behind else right
        return mention(text, words, left, right) is not None

    def is_doubtful(self, aims: Sequence[Target] = ()) -> bool:
        """Whether its sentence leaves it open or offers another number that is not right."""
        text, quantity = self.zone.passage.text, self.quantity
        left, right = sentence_bounds(text, quantity.start, quantity.end)
        rest = [other for other in quantities_of(self.zone.passage) if quantity.end <= other.start < right]
        if rest and all(any(aim.is_right(other) for aim in aims) for other in rest):
            right = quantity.end
        is_stated = stance(self.zone.passage, quantity.start, quantity.end).is_committed
        if quantity.text[:1].isalpha():  # `no padding` denies nothing here
            text = f"{text[: quantity.start]}{'0' * (quantity.end - quantity.start)}{text[quantity.end :]}"
        return not is_stated or is_doubtful(text[left:right], quantity.start - left, quantity.end - left)


def _counts(quantity: Quantity) -> bool:
    """Whether it is a whole number of things, because a word for these follows it."""
    is_thing = len(quantity.unit) > 1 and quantity.unit.isalpha() and not lexicon.fullmatch(_NO_THING, quantity.unit)
    return quantity.resolution >= 1 and is_thing


_NO_THING: Final = "<and|or|clause_opening|but_or_while|condition|because|in|is|has|compared_with|function_word>"
"""Words that begin another part of the sentence: `the best is 0 and the worst is 0.4`."""


@check(NUMERIC, one_of=("value", "truth_id", "least|most", "among"))
def numeric_answer(
    answer: Answer,
    truth: GroundTruth,
    lab: Lab,
    findings: Sequence[Finding] = (),
    *,
    item: str,
    value: Decimal | None = None,
    truth_id: str = "",
    least: Decimal | None = None,
    most: Decimal | None = None,
    among: tuple[str, ...] = (),
    tolerance: Decimal | None = None,
    relative: Decimal = Decimal(0),
    unit: str = "",
    units: Mapping[str, Decimal] = NO_UNITS,
    unit_needed: bool = False,
    also: tuple[Decimal, ...] = (),
    forms: tuple[Form, ...] = tuple(Form),
    words: tuple[str, ...] = (),
    not_of: tuple[str, ...] = (),
    none: tuple[str, ...] = (),
    wrong: tuple[WrongNumber, ...] = (),
    parts: tuple[AskedPart, ...] = (),
    parts_share: Decimal | None = None,
    follows: str = "",
    from_: FormulaText = "",
    follow_share: Decimal | None = None,
) -> Iterator[Conclusion]:
    """The number that was asked for is right.

    - `value`: the right number. `truth_id`: instead, the id of a count or parameter value in `truth.json`.
    - `least`, `most`: instead, bounds for a measured number. Set both: with `least = 0.9` alone, 40 may mean 40 % and
      goes to review. With `most` alone, the range begins at 0.
    - `among`: instead, if students choose the number, its names in code, such as `["lr"]`. It is right if a log,
      output, or a list in code that ran shows it under one of these names. Otherwise it goes to review.
    - `tolerance`: the largest difference allowed. `relative`: the same as a share of the value. Without either, a whole
      `value` must match exactly, and a decimal one to half a unit of its last digit: 0.005 for 0.81.
    - `unit`: the unit; SI prefixes are understood. `units`: further units, each with its factor.
    - `unit_needed`: whether an answer without unit goes to review.
    - `also`: further right numbers, such as one on another scale.
    - `forms`: how the number may be written.
    - `words`: words that name the number; required if several items of a question ask for numbers. Two items with the
      same words may judge the same number.
    - `not_of`: words that name another number. A number in the same clause or table row is ignored: with `["train"]`,
      99 in `training accuracy 99 %, test accuracy 97 %`.
    - `none`: words that mean 0, such as `["no padding", "valid"]`.
    - `wrong`: known wrong numbers, with the same tolerance and unit. If several fit, the nearest one counts.
    - `parts`: the summands, each with `words` if necessary. `parts_share`: the share of the points for an answer with
      all of them and a wrong or missing sum.
    - `follows`: an earlier item. `from`: the formula that leads from its number to this one, such as `(x - 5) / 2 + 1`.
      `follow_share`: the share of the points for a number that follows from the student's own wrong number.

    Decides: the number in the text below the question's heading. If sentences or table cells there have one of `words`,
    only these count. In each, the last number counts that follows `=`, `:` or a verb (`there are 2410`), or stands
    alone. Numbers in words (`a stride of two`) and lists (`respectively 2 and 1`) are read. If the text gives no
    number, output of the question's code cells can prove a right one. Numbers in the code itself do not count. Comments
    in code count only if nothing else is written and the handout in `templates.toml` has no cell for text.

    | the number | verdict |
    | --- | --- |
    | right, even if an entry of `wrong` also fits | `correct` |
    | in `wrong`, after `=`, `:` or a verb, or alone | `incorrect`, or `partial` with a `share` |
    | another one right after one of `words` (`steps: 13`), at the end of a calculation, or alone | `incorrect` |
    | another one elsewhere | review |

    Leaves to people: different numbers in several places (`the entropy of A is 0.7; the entropy of B is 0.811`),
    doubts, negations, pictures, and numbers that are right except for rounding, sign, unit or a factor of 100.

    Example:
        value = 0.811
        tolerance = 0.002
        unit = "bits"
        words = ["entropy"]
        wrong = [{ value = 0.562, why = "This is the entropy in nats: the logarithm has the base e." }]
    """
    tried = chosen_values(answer, among)
    exact = truth.number(truth_id) if truth_id else next(iter(tried), value)
    aim = range_target(least, most, unit, units) if exact is None else target(exact, tolerance, relative, unit, units)
    expected: Words = bounds_told(least, most) if exact is None else str(exact)
    expected = say("a value that a run has") if among else expected
    finding = Finding(
        item=item,
        status=Status.REVIEW,
        expected=ExpectedAnswer(
            text=say_values("{value} {unit}", value=expected, unit=unit) if unit else expected,
            truths=(truth_id,) if truth_id else (),
        ),
    )
    asked = _Asked(words, not_of, none)
    aims = (aim, *(_as_wide(aim, other) for other in (*also, *tried[1:])))
    known_wrong = tuple(
        (wrong_value, target(wrong_value.value, tolerance, relative, unit, units)) for wrong_value in wrong
    )
    judged = _judged(finding, answer, lab, asked, aims, known_wrong, forms, unit_needed=unit_needed)
    judged = in_range(judged, aim, expected)
    if among:
        judged = as_choice(judged, are_shown=bool(tried))
    judged = credit_carried_error(judged, findings, lab, follows, from_, aim, follow_share)
    places = told_sections(answer, lab, lab.question_of(item))
    yield proves_only(with_parts(judged, places, lab, parts, parts_share), places)


class _Asked(NamedTuple):
    """The lab's words about a number: its names, names of other numbers, and words for zero."""

    words: tuple[str, ...]
    not_of: tuple[str, ...]
    none: tuple[str, ...]


def _judged(
    finding: Finding,
    answer: Answer,
    lab: Lab,
    asked: _Asked,
    aims: Sequence[Target],
    known_wrong: Sequence[tuple[WrongNumber, Target]],
    forms: Sequence[Form],
    *,
    unit_needed: bool,
) -> Finding:
    """Return the verdict on the number that an answer commits to. The first of `aims` is the required number."""
    aim, question = aims[0], lab.asking(finding.item)
    is_whole = aim.value == aim.value.to_integral_value()
    zones = _zones(answer, lab, question, finding.item, asked)
    every = [stated_value for zone in zones for stated_value in _stated(zone)]
    every = _of_size(_of_kind(every, aims, is_whole=is_whole), aims)
    places = told_sections(answer, lab, question.id)
    stated, committed = _commitment(every, places, question, asked, aim, is_whole=is_whole)
    if every and not stated:
        return with_verdict(finding.with_changes(evidence=(every[-1].evidence,)), Status.CORRECT, "", _OF_ANOTHER)
    is_own = any(stated_value.zone.is_own for stated_value in committed)
    printed = [] if is_own else _printed(answer, lab, finding.item, asked, is_whole=is_whole)
    if _are_right(printed, aim):
        return _right(finding, printed, aims, forms, unit_needed=unit_needed)
    if not stated:
        return _without_number(finding, answer, lab, zones)
    meant = _resolved(stated, committed, question, asked, aims)
    fitting = next((candidate for candidate in aims if _are_right(meant, candidate)), None)
    if fitting is not None:
        return _right(finding, meant, (fitting, *aims), forms, unit_needed=unit_needed)
    return _not_right(finding, stated, committed, aim, known_wrong, _everywhere(answer, lab, finding.item))


def _of_kind(every: list[_Stated], aims: Sequence[Target], *, is_whole: bool) -> list[_Stated]:
    """Return the numbers without those of another kind, if there are any of the kind that is asked for.

    Beside a whole number, percentages and decimals are another measure. Beside these, whole numbers above 1 are counts,
    unless the required number is at least 1.
    """
    if (is_whole and aims[0].is_range) or not (is_whole or abs(aims[0].value) < 1):
        return every
    kept = [value for value in every if _is_of_kind(value.quantity, aims, is_whole=is_whole)]
    is_of_kind = any(value.quantity.firmness is not Firmness.OPERAND for value in kept)
    return kept if is_of_kind else every


def _of_size(every: list[_Stated], aims: Sequence[Target]) -> list[_Stated]:
    """Return the numbers without much smaller and much larger ones, which count something else, if all others are
    named and right: `5 rooms` beside a price of 403,025."""
    least = abs(aims[0].value) - aims[0].margin
    if least < _LARGE:
        return every
    alike = [value for value in every if least / _FAR <= abs(value.quantity.readings[0]) <= least * _FAR]
    are_right = all(value.zone.is_named and any(aim.is_right(value.quantity) for aim in aims) for value in alike)
    return alike if alike and are_right else every


_LARGE: Final = 1000
_FAR: Final = 100


def _is_of_kind(quantity: Quantity, aims: Sequence[Target], *, is_whole: bool) -> bool:
    """Whether a number is whole, or not, as the required one, or may be right."""
    may_be = any((aim.is_right if aim.is_range else aim.may_be_right)(quantity) for aim in aims)
    is_share = not is_whole and abs(quantity.readings[0]) <= 1  # all of it or nothing
    return may_be or is_share or is_whole == (quantity.resolution >= 1 and quantity.form is not Form.PERCENT)


def _less_set_aside(stated: list[_Stated], words: Sequence[str]) -> list[_Stated]:
    """Return the numbers without values of other symbols, `0.9 with a = 0.4`, if another number stands before them.

    If the name itself stands before an equals sign, the numbers before it in the sentence say something else: `the
    values of M after 20000 games are M = 0.9`.
    """
    named = [value for value in stated if mention(_symbol_before(value), words, 0)]
    ahead = _ahead_in_sentence(stated, named)
    kept = [value for value in stated if value in named or not (_symbol_before(value) or value in ahead)]
    return kept if words and kept else stated


def _ahead_in_sentence(stated: Sequence[_Stated], named: Sequence[_Stated]) -> list[_Stated]:
    """Return the numbers that stand before a named one in its sentence."""
    places = {(value.zone.passage, value.quantity.start) for value in named}
    return [value for value in stated if any((value.zone.passage, at) in places for at in _rest_of_sentence(value))]


def _rest_of_sentence(stated_value: _Stated) -> range:
    """Return the offsets of the sentence after a number."""
    quantity = stated_value.quantity
    return range(quantity.end, sentence_bounds(stated_value.zone.passage.text, quantity.start, quantity.end)[1])


def _symbol_before(stated_value: _Stated) -> str:
    """Return the symbol or word before the equals sign before a number, or an empty text."""
    text, start = stated_value.zone.passage.text, stated_value.quantity.start
    match = re.search(r"([^\W\d][^\s,;()=<>]*)\s*=\s*\Z", text[max(0, start - _BEFORE_SETTING) : start])
    return match[1] if match else ""


def _is_of_list(stated_value: _Stated, question: Question) -> bool:
    """Whether a number stands in a list of at least three numbers of the question: `for λ = 1, 10 and 100`."""
    text, quantity = stated_value.zone.passage.text, stated_value.quantity
    left, right = sentence_bounds(text, quantity.start, quantity.end)
    numbers = [other for other in quantities_of(stated_value.zone.passage) if left <= other.start < right]
    at = next((place for place, other in enumerate(numbers) if other.start == quantity.start), 0)
    first = last = at
    while first and lexicon.fullmatch(_BETWEEN, text, numbers[first - 1].end, numbers[first].start):
        first -= 1
    while last + 1 < len(numbers) and lexicon.fullmatch(_BETWEEN, text, numbers[last].end, numbers[last + 1].start):
        last += 1
    digits = re.findall(r"\d+", text[numbers[first].start : numbers[last].end]) if numbers else []
    return len(digits) >= _FEWEST_LISTED and {*digits} <= {*re.findall(r"\d+", question.asks)}


_BETWEEN: Final = r"\s*[,;]?\s*(?:<and>\s+)?(?:[^\W\d_]+\s*=\s*)?"
_FEWEST_LISTED: Final = 3


def _commitment(
    every: Sequence[_Stated],
    places: Sequence[Section],
    question: Question,
    asked: _Asked,
    aim: Target,
    *,
    is_whole: bool,
) -> tuple[list[_Stated], list[_Stated]]:
    """Return the numbers that may be the answer, and those of them to which the answer commits.

    If no place that names the number commits to one, the whole answer counts, provided that it answers only this
    question.
    """
    stated = _meant(every, question, asked, aim, is_whole=is_whole)
    stated = _less_set_aside(stated, asked.words)
    committed = _committed(stated, is_whole=is_whole)
    if not committed and (stated or not every):
        own_zones = [zone for zone in _wholes(places, question, asked.none) if zone.is_own]
        own_numbers = [stated_value for zone in own_zones for stated_value in _stated(zone)]
        whole = _meant(own_numbers, question, asked, aim, is_whole=is_whole)
        firm = _committed(whole, is_whole=is_whole)
        if any(stated_value.quantity.firmness >= Firmness.STATED for stated_value in firm):
            stated, committed = whole, firm
    return stated, _of_parts(stated, aim) or committed


def _resolved(
    stated: Sequence[_Stated],
    committed: Sequence[_Stated],
    question: Question,
    asked: _Asked,
    aims: Sequence[Target],
) -> Sequence[_Stated]:
    """Return the right numbers to which an answer commits, even if it mentions other numbers or leaves one open.

    The committed numbers are returned if they are right and certain, or if one of them is wrong and not part of a
    reason.
    """
    aim = aims[0]
    is_settled = any(_are_right(committed, candidate) for candidate in aims) and not any(
        stated_value.is_doubtful(aims) for stated_value in committed
    )
    if is_settled or not all(
        aim.is_right(stated_value.quantity) or stated_value.is_in_reason for stated_value in committed
    ):
        return committed
    chosen = _chosen(stated, question, asked)
    return chosen if _are_right(chosen, aim) else committed


def _chosen(stated: Sequence[_Stated], question: Question, asked: _Asked) -> list[_Stated]:
    """Return the numbers to which a sentence attributes the question's superlative, before its reasons.

    If there are none, return the numbers of the only sentence with numbers if its reasons follow them.
    """
    outside = [stated_value for stated_value in stated if not stated_value.is_in_reason]
    most = _sought(question, asked)
    chosen = (
        [stated_value for stated_value in outside if is_most(_less_named_so(stated_value.claim, most.nouns), most)]
        if most
        else []
    )
    is_explained = len({stated_value.sentence for stated_value in stated}) == 1 and len(outside) < len(stated)
    return chosen or (outside if is_explained else [])


def _sought(question: Question, asked: _Asked) -> Superlative | None:
    """Return the superlative in a question, or None. It may also refer to the things that name the number."""
    nouns = frozenset(fold_text(word) for candidate in asked.words for word in LONG_WORD.findall(candidate))
    sought = told_most(_less_named_so(f"{question.title}. {question.asks}", nouns))
    return sought and sought._replace(nouns=sought.nouns | nouns)


def _less_named_so(text: str, nouns: frozenset[str]) -> str:
    """Return a text without superlatives that belong to the number's name: `the maximum depth`."""
    for match in list(lexicon.find_all("<most_of_all|least_of_all>", text)):
        behind = LONG_WORD.search(text, match.end())
        if behind and fold_text(behind.group()) in nouns:
            text = text[: match.start()] + " " * len(match.group()) + text[match.end() :]
    return text


def _are_right(some: Sequence[_Stated], aim: Target) -> bool:
    """Whether there are numbers and all of them are right."""
    return bool(some) and all(aim.is_right(stated_value.quantity) for stated_value in some)


def _meant(
    every: Sequence[_Stated], question: Question, asked: _Asked, aim: Target, *, is_whole: bool
) -> list[_Stated]:
    """Return the numbers that are not said to be another number. Of measured numbers, only results count."""
    stated = [
        example
        for example in every
        if not (example.is_of(asked.not_of) or _is_of_setting(example, asked.words) or _is_of_list(example, question))
    ]
    stated = _less_compared(stated)
    if aim.is_range:
        return _less_without_result(stated, is_whole=is_whole)
    return (_less_without_result(stated, is_whole=True) if abs(aim.value) < 1 else []) or stated


def _less_compared(stated: list[_Stated]) -> list[_Stated]:
    """Return the numbers without bounds and those that another one is compared with, if others are left."""
    stated = [value for value in stated if not value.is_bound] or stated
    return [value for value in stated if not value.is_compared_with] or stated


def _of_parts(stated: Sequence[_Stated], aim: Target) -> list[_Stated]:
    """Return the right numbers if all others are their parts: `1216: 1200 for the kernels and 16 for the biases`."""
    exact = [stated_value for stated_value in stated if aim.is_right(stated_value.quantity)]
    parts = [stated_value.quantity.readings[0] for stated_value in stated if stated_value not in exact]
    return exact if exact and len(parts) > 1 and sum(parts) == aim.value else []


_OF_ANOTHER: Final = Reason(say("Only numbers about something else were recognised."), is_likely=False)
_NO_NUMBER: Final = Reason(say("No number was recognised in the answer."), is_likely=False)
_FORM: Final = Reason(say("It is not in the form that was asked for."))
_OTHER_UNIT: Final = Reason(say("Its unit is not the one that was asked for."))
_NO_UNIT: Final = Reason(say("Its unit is missing."))


def _as_wide(aim: Target, value: Decimal) -> Target:
    """Return another right number with the same relative margin as the first."""
    return aim._replace(value=value, margin=aim.margin * abs(value / aim.value) if aim.value else aim.margin)


def _zones(answer: Answer, lab: Lab, question: Question, item: str, asked: _Asked) -> list[_Zone]:
    """Return the places where the answer may stand: those that name the number, or else the answers to its question."""
    words, not_of, none = asked
    places = told_sections(answer, lab, question.id)
    title = next(own_item.title for own_item in question.items if own_item.id == item)
    named = []
    for place in places:
        rivals = _rivals(place, lab, question.id, item, words)
        cells = _in_tables(place, words, rivals, title, question.id, not_of)
        named += cells or list(_named(place, words, rivals, question.id, none))
    named = [zone._replace(none=none) for zone in named]
    return named or list(_in_order(places, question, item)) or _wholes(places, question, none)


def _in_order(places: Sequence[Section], question: Question, item: str) -> Iterator[_Zone]:
    """Yield the zone of an item's number in a sentence that lists a question's numbers in order: `respectively 2 and
    1`."""
    asked = [candidate for candidate in question.items if candidate.check == NUMERIC]
    index = next(number for number, candidate in enumerate(asked) if candidate.id == item)
    names = [word for candidate in asked for word in candidate.options.get("words", ())]
    for section in (place for place in places if place.questions == (question.id,)):
        for match in lexicon.find_all("<in_order>", section.passage.text, section.lead):
            found = _listed_at(section.passage, match, names)
            if len(found) == len(asked) > 1:
                yield _Zone(section.passage, found[index].start, found[index].end, is_named=True, is_own=True)


def _listed_at(passage: Passage, match: re.Match[str], names: Sequence[str]) -> list[Quantity]:
    """Return the numbers of a sentence that only lists numbers, without names and calculations."""
    left, right_end = sentence_bounds(passage.text, *match.span())
    written = [quantity for quantity in quantities_of(passage) if left <= quantity.start < right_end]
    found = written or [quantity for quantity in spelt_quantities(passage.text) if left <= quantity.start < right_end]
    is_calculated = any(quantity.firmness is Firmness.OPERAND for quantity in found)
    return [] if is_calculated or mention(passage.text, names, left, right_end) else found


def _wholes(places: Sequence[Section], question: Question, none: tuple[str, ...]) -> list[_Zone]:
    """Return the answers to a question. They are `is_own` if the question asks only for this number."""
    return [
        _Zone(
            section.passage,
            section.lead,
            len(section.passage.text),
            False,
            len(question.items) == 1 and section.questions == (question.id,) and not section.is_beside_code,
            none=none,
        )
        for section in places
    ]


def _rivals(section: Section, lab: Lab, question: str, item: str, words: Sequence[str]) -> list[str]:
    """Return the names of other numbers that a section may state.

    They belong to its question and to the other questions that it answers or, without a heading, to all questions.
    """
    asked = {question, *(section.questions or (candidate.id for candidate in lab.questions))}
    others = (
        own_item
        for candidate in lab.questions
        if candidate.id in asked
        for own_item in candidate.items
        if own_item.id != item
    )
    return [
        word
        for own_item in others
        if own_item.check == NUMERIC
        for word in own_item.options.get("words", ())
        if word not in words
    ]


def _in_tables(
    section: Section, words: Sequence[str], rivals: Sequence[str], title: str, question: str, not_of: Sequence[str]
) -> list[_Zone]:
    """Return the cells of a table whose column names the number, or whose row does if the column names no other number.

    If there are several, as for training and test, those count whose other label matches the item's title.
    """
    found: list[_Zone] = []
    passage = section.passage
    for cell in (cell for table in tables(passage) for cell in table.cells) if words else ():
        is_of_column = mention(cell.column, words, 0)
        labels = (cell.column,) if is_of_column else (cell.column, cell.row)
        is_of_another = mention(f"{cell.row} {cell.column}", not_of, 0) or any(
            mention(label, rivals, 0) for label in labels
        )
        if is_of_another or not (is_of_column or mention(cell.row, words, 0)) or len(found) == _MOST_MENTIONS:
            continue
        place = cell.evidence
        for index, block in enumerate(passage.blocks):
            shown = (block.page, block.line, block.cell, " | ".join(block.cells))
            if block.kind is BlockKind.ROW and shown == (place.page, place.line, place.cell, place.quote):
                at = passage.text.find(cell.text, passage.offset_of(index))
                zone = _Zone(
                    passage, at, at + len(cell.text), True, question in section.questions, f"{cell.row} {cell.column}"
                )
                found += [zone] if at >= 0 and _stated(zone) else []
                break
    telling = [word for word in LONG_WORD.findall(title) if not mention(word, words, 0)]
    meant = [zone for zone in found if telling and speaks_of(zone.told, telling)]
    return meant if 0 < len(meant) < len(found) else found if len(found) == 1 else []


def _printed(answer: Answer, lab: Lab, item: str, asked: _Asked, *, is_whole: bool) -> list[_Stated]:
    """Return the printed numbers to which a notebook commits.

    They follow the number's name in an output, the code names them, or a sentence lists the question's numbers in
    order. If only this number is asked for, all printed numbers count.
    """
    words, found, question = asked.words, list[_Stated](), lab.asking(item)
    for section in answer.sections:
        if question.id not in section.questions:
            continue
        blocks = tuple(
            block for block in section.passage.blocks if block.kind is BlockKind.OUTPUT and block.cell is not None
        )
        passage = Passage(file=section.passage.file, exact=section.passage.exact, blocks=blocks)
        output = section.model_copy(update={"passage": passage, "lead": 0})
        named = [*_named_in_output(output, lab, item, words), *_named_in_code(answer, passage, words)]
        if not named and section.questions == (question.id,) and len(question.items) == 1:
            named = [_Zone(passage, 0, len(passage.text), is_named=False, is_own=True)]
        found += [
            stated_value for zone in named for stated_value in _stated(zone) if not stated_value.is_of(asked.not_of)
        ]
    return _committed(found, is_whole=is_whole)


def _named_in_output(output: Section, lab: Lab, item: str, words: Sequence[str]) -> list[_Zone]:
    """Return the places in an output that name a number, or list a question's numbers in order."""
    question = lab.asking(item)
    is_list = lexicon.search("<in_order>", output.passage.text) is not None
    others = _rivals(output, lab, question.id, item, words) if is_list else ()
    return list(_named(output, words, others, question.id)) or list(_in_order([output], question, item))


def _named_in_code(answer: Answer, passage: Passage, words: Sequence[str]) -> Iterator[_Zone]:
    """Yield the places of printed values that the code names by the number's words, as in `print(bp, bleu)`."""
    for cell in answer.code if words else ():
        if cell.file != passage.file:
            continue
        first = next((at for at, block in enumerate(passage.blocks) if block.cell == cell.cell), None)
        for shown in shown_values(cell.source, cell.output) if first is not None else ():
            text = cell.output[shown.start : shown.end]
            at = passage.text.find(text, passage.offset_of(first or 0))
            if mention(shown.name, [*words, *map(str.lower, words)], 0) and at >= 0:
                yield _Zone(passage, at, at + len(text), is_named=True, is_own=True)


def _named(
    section: Section, words: Sequence[str], others: Sequence[str], question: str, none: tuple[str, ...] = ()
) -> Iterator[_Zone]:
    """Yield the zones from each mention of the number's name to the next name of another number, within a sentence or
    line.

    If no number follows the name, the zone is the whole sentence, because the number may stand before its name.
    """
    text, passage = section.passage.text[:_MOST_TEXT], section.passage
    at = section.lead
    for _ in range(_MOST_MENTIONS if words else 0):
        match = mention(text, words, at)
        if match is None:
            return
        left, right = sentence_bounds(text, *match)
        right = wrapped_end(passage, match[1], right)
        rival = mention(text, others, match[1], right) if others else None
        end = min(right, rival[0]) if rival else right
        apart = _none_at(text, match, none) or number_in_front(passage, match)
        apart = respective_number(passage, (left, right), words, others) or apart
        apart = apart or _of_unit(passage, match, end, words)
        label = ""
        if apart is None and (apart := _printed_below(passage, match)):
            label, right = text[text.rfind("\n", 0, match[0]) + 1 : match[1]], apart.end
        if apart is not None:
            yield _Zone(passage, apart.start, apart.end, True, question in section.questions, label)
            at = max(right if apart.start >= match[1] else 0, match[1])
            continue
        names = tuple(name for name in (*words, *others) if any(map(str.isdecimal, name)))
        zone = _Zone(passage, match[1], end, is_named=True, is_own=question in section.questions, names=names)
        if is_operand_of(passage, left, match[0], others):
            at = match[1]
            continue
        if is_joint(passage, left, match[0], others):
            zone = zone._replace(is_named=False, is_own=False)
        if _stated(zone):
            yield zone
        elif rival is None or rival[0] >= right:
            before = zone._replace(start=max(left, at), end=right, is_named=not others)
            if _stated(before):
                yield before
        at = max(end, match[1])


def _less_without_result(every: Sequence[_Stated], *, is_whole: bool) -> list[_Stated]:
    """Return the numbers without those that are nobody's result.

    Numbers on an axis, hoped-for or missed numbers and shares of data are left out, and numbers of things (`1 epoch`),
    unless a whole number is asked for.
    """
    kept = []
    for example in every:
        passage = example.zone.passage
        others = without_result(passage.text, ((other.start, other.end) for other in quantities_of(passage)))
        is_other = is_share_of_data(passage.text, example.quantity.end) or (_counts(example.quantity) and not is_whole)
        if example.quantity.start not in others and not is_other:
            kept.append(example)
    return kept


def _none_at(text: str, named: tuple[int, int], none: tuple[str, ...]) -> Quantity | None:
    """Return the zero that is part of a name, as in `no padding`, or None."""
    found = spelt_quantities(text, none) if none else ()
    return next(
        (
            quantity
            for quantity in found
            if quantity.start <= named[0] and named[1] <= quantity.end and not quantity.readings[0]
        ),
        None,
    )


def _of_unit(passage: Passage, named: tuple[int, int], end: int, words: Sequence[str]) -> Quantity | None:
    """Return the number whose unit is the name, if no number follows or the next one counts something else: `13 days
    for 12 people`; or None."""
    behind = next((quantity for quantity in quantities_of(passage) if named[1] <= quantity.start < end), None)
    if behind and (behind.firmness is not Firmness.MENTIONED or not _counts(behind) or mention(behind.unit, words, 0)):
        return None
    if behind is None and passage.block_at(named[0]).kind is BlockKind.HEADING:  # `5 Performance` is a chapter
        return None
    return next(
        (quantity for quantity in quantities_of(passage) if re.fullmatch(" +", passage.text[quantity.end : named[0]])),
        None,
    )


def _printed_below(passage: Passage, named: tuple[int, int]) -> Quantity | None:
    """Return the number that an interpreter prints below the name of a variable or a call: `train_error`, `[1] 0.045`,
    or None."""
    text = passage.text
    start, end = text.rfind("\n", 0, named[0]) + 1, (text + "\n").find("\n", named[1])
    if not re.fullmatch(r"[>\s]*(?=\S*[_.(])[\w.$]+(?:\([^()]*\))?\s*", text[start:end]):
        return None
    match = re.compile(r"\s*(?:##\s*)?\[1\]\s+(\S+)[^\S\n]*(?:\n|\Z)").match(text, end)
    return next((value for value in quantities_of(passage) if match and value.start == match.start(1)), None)


def _stated(zone: _Zone) -> list[_Stated]:
    """Return the numbers of a zone, or those written as words, without values of hyper-parameters such as `a batch size
    of 32`."""
    text, written = zone.passage.text, _written(zone.passage)
    if not any(zone.start <= quantity.start and quantity.end <= zone.end for quantity in written):
        written = spelt_quantities(text, zone.none)
    found = [
        _Stated(quantity, zone)
        for quantity in written
        if zone.start <= quantity.start and quantity.end <= zone.end and not zone.is_in_name(quantity.start)
    ]
    own_values = [
        stated_value
        for stated_value in found
        if not lexicon.search(_OF_SETTING, text, zone.start, stated_value.quantity.start)
    ]
    return own_values or found


def _is_of_setting(stated_value: _Stated, words: Sequence[str]) -> bool:
    """Whether a number is the value of a hyper-parameter that is not asked for: `a batch of 28, the output …`."""
    text, start = stated_value.zone.passage.text, stated_value.quantity.start
    match = lexicon.search(_OF_SETTING, text, max(0, start - _BEFORE_SETTING), start)
    return bool(words) and match is not None and mention(match.group(), words, 0) is None


_BEFORE_SETTING: Final = 40


def _written(passage: Passage) -> Sequence[Quantity]:
    """Return the numbers of a passage. A power of ten (`10^-3`) and a square (`3x3`) are one number each."""
    wider = (*powers_of_ten(passage.text), *squares(passage.text))
    taken = [(quantity.start, quantity.end) for quantity in wider]
    rest = (quantity for quantity in quantities_of(passage) if not is_within(quantity.start, taken))
    return sorted((*wider, *rest), key=lambda quantity: quantity.start) if wider else quantities_of(passage)


_OF_SETTING: Final = r"<training_setting>\s?(?:<of|is>\s|[=:]\s?)?\Z"


def _committed(stated: Sequence[_Stated], *, is_whole: bool) -> list[_Stated]:
    """Return the numbers to which a text commits: the last of the firmest numbers in each place that names the number.

    A number that is only mentioned does not count beside one that is stated. Unless a whole number is asked for, a
    number with a word after it, as in `10 patients`, is only mentioned.
    """
    found = []
    zones: dict[tuple[int, int, int], list[_Stated]] = {}
    for stated_value in stated:
        if stated_value.quantity.firmness is not Firmness.OPERAND and (is_whole or not stated_value.is_of_share):
            zones.setdefault(
                (id(stated_value.zone.passage), stated_value.zone.start, stated_value.zone.end), []
            ).append(stated_value)
    for several in zones.values():
        own_values = [candidate for candidate in several if not candidate.is_of_symbol] or several
        firmness = [
            Firmness.MENTIONED if _counts(candidate.quantity) and not is_whole else candidate.quantity.firmness
            for candidate in own_values
        ]
        firmest = max(firmness)
        if firmest is Firmness.MENTIONED and len({candidate.quantity.readings for candidate in own_values}) > 1:
            continue
        found += [candidate for candidate, firm in zip(own_values, firmness, strict=True) if firm is firmest][-1:]
    if not is_whole:  # `for r = 0.5` is a setting beside `26.3 %`
        found = [value for value in found if not value.is_of_symbol] or found
    return [value for value in found if value.quantity.firmness >= Firmness.STATED] or found


def _everywhere(answer: Answer, lab: Lab, item: str) -> Iterator[Quantity]:
    """Yield all numbers in the answer to the item's question and in its output, with those of places: `the 8th layer`.

    An answer that a label within a line cuts off continues after the label.
    """
    question, ends = lab.question_of(item), None
    for section in answer.sections:
        blocks = section.passage.blocks
        is_own = question in section.questions
        if is_own or (blocks and ends == (blocks[0].file, blocks[0].page, blocks[0].line, blocks[0].cell)):
            yield from quantities_of(section.passage)
            yield from _ordinals(section.passage.text)
        last = blocks[-1] if is_own and blocks else None
        ends = (last.file, last.page, last.line, last.cell) if last else None


def _ordinals(text: str) -> Iterator[Quantity]:
    """Yield the numbers that a text writes as places in an order."""
    for match in lexicon.find_all(r"(?<![\w.,])(?P<number>\d{1,9})<ordinal_ending>", text[:_MOST_TEXT]):
        yield from quantities(match["number"])


def _without_number(finding: Finding, answer: Answer, lab: Lab, zones: Sequence[_Zone]) -> Finding:
    """Return the finding if no number was recognised."""
    question = lab.question_of(finding.item)
    filled = next((zone for zone in zones if zone.passage.text[zone.start : zone.end].strip()), None)
    if filled is None or not any(question in section.questions for section in answer.written):
        return concluded_absent(finding, absence(answer, lab, finding.item))
    place = filled.passage.beginning(filled.start, filled.end)
    return with_verdict(finding.with_changes(evidence=(place,)), Status.CORRECT, "", _NO_NUMBER)


def _right(
    finding: Finding, committed: Sequence[_Stated], aims: Sequence[Target], forms: Sequence[Form], *, unit_needed: bool
) -> Finding:
    """Return the finding for a right number. It goes to review if there is a doubt or the form is not the required one.

    The same number in another form after `or` is no doubt.
    """
    quantity, aim = committed[-1].quantity, aims[0]
    is_in_form = quantity.form in forms
    is_of_unit = not aim.unit or aim.factor(quantity) is not None or quantity.form is Form.PERCENT
    lacks_unit = not is_of_unit and not quantity.unit and unit_needed
    return with_verdict(
        finding.with_changes(found=quantity.text, evidence=tuple(each.evidence for each in committed[-2:])),
        Status.CORRECT if is_in_form and not lacks_unit else Status.PARTIAL,
        say_right(quantity.text),
        _FORM.keep_if(not is_in_form),
        _OTHER_UNIT.keep_if(quantity.unit and not is_of_unit),
        _NO_UNIT.keep_if(lacks_unit),
        UNCERTAIN.keep_if(2 * sum(each.is_open(aims) for each in committed) >= len(committed)),
        LIKELY_MEANT.keep_if(not any(each.zone.is_named or each.zone.is_own for each in committed)),
    )


def _not_right(
    finding: Finding,
    stated: Sequence[_Stated],
    committed: Sequence[_Stated],
    aim: Target,
    known_wrong: Sequence[tuple[WrongNumber, Target]],
    everywhere: Iterable[Quantity],
) -> Finding:
    """Return the finding for a wrong number. It is certain if the text commits to it and nothing in the answer may be
    right."""
    if not committed:
        near = next((stated_value for stated_value in stated if aim.may_be_right(stated_value.quantity)), stated[-1])
        return with_verdict(finding.with_changes(evidence=(near.evidence,)), Status.INCORRECT, "", UNCERTAIN)
    last = committed[-1]
    alike = [(wrong_value, other) for wrong_value, other in known_wrong if _is_listed(last, other, aim)]
    # With a wide tolerance, several known wrong numbers may fit: the nearest one is meant.
    listed, _ = min(
        alike, key=lambda each: abs(each[1].numbers(last.quantity)[0] - each[1].value), default=(None, None)
    )
    # A known wrong number may be close to the right one. Then it does not count as nearly right.
    own_values = last.quantity.readings if listed else ()
    beside = [
        stated_value
        for stated_value in stated
        if aim.may_be_right(stated_value.quantity) and stated_value.quantity.readings != own_values
    ][:1]
    is_near = bool(beside) or any(
        aim.may_be_right(quantity)
        and quantity.readings != own_values
        and (quantity.resolution < abs(aim.value) or aim.is_right(quantity))
        for quantity in everywhere
    )
    differ = len({aim.numbers(stated_value.quantity)[0] for stated_value in committed}) > 1
    places = tuple(dict.fromkeys(stated_value.evidence for stated_value in (*committed[-2:], *beside)))
    return decided_wrong(
        finding.with_changes(found=last.quantity.text, evidence=places),
        last.quantity.text,
        listed,
        NEAR.keep_if(is_near),
        LIKELY_MEANT.keep_if(differ or not _is_certain(last, stated, is_listed=listed is not None)),
    )


def _is_listed(last: _Stated, wrong: Target, aim: Target) -> bool:
    """Whether a number is a known wrong one.

    A number that rounding could make right counts as wrong only if the calculation before it gives the wrong number,
    too.
    """
    if not wrong.is_right(last.quantity) or not aim.may_be_right(last.quantity):
        return wrong.is_right(last.quantity)
    for equation in all_equations(last.zone.passage):
        if equation.holds and equation.right.strip() == last.quantity.text:
            value = likeliest(equation.left)
            worth = Decimal(value.numerator) / Decimal(value.denominator)
            if not aim.holds(worth):
                return wrong.holds(worth)
    return False


def _is_certain(last: _Stated, stated: Sequence[_Stated], *, is_listed: bool) -> bool:
    """Whether a wrong number is certainly the answer.

    It is stated without doubt directly after its name, ends a calculation, or is all that the answer contains.
    """
    zone, quantity, text = last.zone, last.quantity, last.zone.passage.text
    left, end = sentence_bounds(text, quantity.start, quantity.end)
    chain = [other for other in stated if left <= other.quantity.start < quantity.start]
    ends = any(other.quantity.firmness is Firmness.OPERAND for other in chain) and "=" in text[left : quantity.start]
    is_last = all(other.quantity.end <= quantity.end for other in stated)
    is_stated = quantity.firmness >= Firmness.STATED
    behind = text[max(left, zone.start) : end]  # the name itself may hold a number: `one layer`
    if last.is_doubtful() or zone.passage.is_inferred(quantity.start, quantity.end, *_UNSURE) or not zone.is_own:
        return False
    if zone.is_named and ends and is_last and is_stated:
        return True
    if has_spelt_number(behind) or not (is_stated or (is_listed and zone.is_named and len(stated) == 1)):
        return False
    if is_listed:
        return True
    if zone.is_named:
        between = text[zone.start : quantity.start]
        head, equals, _ = re.sub(r"\([^()]*\)", "", between).partition("=")
        return not re.search(r"[^\W\d_]", head) if equals else len(LONG_WORD.findall(between)) <= _FEW_WORDS
    rest = text[zone.start : quantity.start] + " " + text[quantity.end : zone.end]
    return ends or (len(stated) == 1 and len(LONG_WORD.findall(rest)) <= _FEW_WORDS)

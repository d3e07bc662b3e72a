"""Assign the words of a text to its numbers: experiments, splits and runs."""

import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise, permutations
from math import inf
from typing import Final, NamedTuple

from grader.claims.numerals import Numeral, text_before
from grader.claims.results.fact import is_fraction, is_share
from grader.claims.results.measures import any_of, may_be_value, the_only, told_of
from grader.claims.results.numbers import numbers_in
from grader.claims.results.vocabulary import Abbreviations, Kind, Mention, experiments_in, mentions
from grader.lab.definition import Lab
from grader.lab.experiments import Measure
from grader.language import lexicon

CHOICE: Final = re.compile(rf"\b{any_of('choice')}(?!_)", re.IGNORECASE)
"""Words about the choice of a checkpoint."""
BREAK: Final = re.compile(
    r"[,;:]\s|\.\s|\b(?:and|et|while|whereas|but|mais|tandis|against|contre|versus|vs)\b|→|->|/|\|", re.IGNORECASE
)
_CHOOSING: Final = re.compile(rf"\b(?:{any_of('choosing')}(?!_)|arg[\s_]?(?:max|min))[^.;:]{{0,48}}$", re.IGNORECASE)
_BEST_BEHIND: Final = re.compile(r"[- ](?:best|optimal|chosen|selected|optimum)\b", re.IGNORECASE)
_PICKED: Final = re.compile(
    rf"\b{any_of('picked')}(?!_)\s+(?:\w+\s+){{0,2}}(?:with|by|on|using|from|via|par|sur|avec)\s+(?:\w+\s+)?$",
    re.IGNORECASE,
)
_VALUE_BEHIND: Final = re.compile(
    r"\W{0,4}(?:set|accuracy|accuracies|acc\.?|maxim\w+|split|reviews|is|are|was|were|of|gives?|at|est|sont|de|=|:|\(|→|->|\s)*\W{0,3}$",
    re.IGNORECASE,
)


class Mark(NamedTuple):
    """A word, `text[start:end]`, that names a value of a role."""

    value: str
    start: int
    end: int


def marks_of(found: Iterable[Mention], kind: Kind) -> list[Mark]:
    """Return the mentions of experiments or of splits as marks."""
    return [Mark(mention.value, mention.start, mention.end) for mention in found if mention.kind is kind]


def align_marks(text: str, numbers: Sequence[Numeral], marks: Sequence[Mark]) -> list[str | None]:
    """Return the value that is named for each number.

    It is named before the number, or after it if the text does so throughout; or in order, if as many names as numbers
    follow each other.
    """
    if not marks or not numbers:
        return [None] * len(numbers)
    places = sorted([*((mark.start, True) for mark in marks), *((number.start, False) for number in numbers)])
    order = [is_name for _, is_name in places]
    are_apart = order in (sorted(order), sorted(order, reverse=True))
    if are_apart and len(marks) == len(numbers) and len({mark.value for mark in marks}) > 1:
        return [mark.value for mark in marks]
    behind = _names_behind(text, numbers, marks)
    take_turns = order[0] and all(first != other for first, other in pairwise(order))  # `seed 0 gave 79.3, seed 1 78.5`
    if not behind and len(numbers) > 1 and take_turns:
        return [max((mark.end, mark.value) for mark in marks if mark.end <= number.start)[1] for number in numbers]
    return [_of_number(text, number, numbers, marks, behind=behind) for number in numbers]


def _names_behind(text: str, numbers: Sequence[Numeral], marks: Sequence[Mark]) -> bool:
    """Whether a text names roles after the numbers: `79.3 on test`, `80.6 (seed 0)`.

    Brackets with another number, as in `79.6 (validation 81.0)`, do not count, nor do names and numbers that alternate
    beginning with a name.
    """
    ends = [*(mark.start for mark in marks[1:]), inf]
    followed = (
        any(mark.end <= number.start < end for number in numbers) for mark, end in zip(marks, ends, strict=True)
    )
    if len({mark.value for mark in marks}) > 1 and marks[0].end <= numbers[0].start and all(followed):
        return False
    votes = 0
    for mark in marks:
        before = max((number.end for number in numbers if number.end <= mark.start), default=None)
        after = min((number.start for number in numbers if number.start >= mark.end), default=None)
        gap = text[before : mark.start] if before is not None else ""
        is_inside = after is not None and "(" in gap and not re.search(r"[()]", text[mark.end : after])
        is_near = before is not None and not is_inside
        close_before = is_near and not BREAK.search(gap) and not re.search(r"\d", gap)
        # A colon or an arrow directly after a name introduces its number.
        lead = re.sub(r"^[^,;.]{0,30}(?::|->|→)", "", text[mark.end : after], count=1)
        close_after = after is not None and not BREAK.search(lead)
        votes += close_before - close_after
    if votes == 0:
        several = len({mark.value for mark in marks}) > len(numbers)
        return not several and all(mark.start > numbers[0].start for mark in marks)
    return votes > 0


def _of_number(
    text: str, number: Numeral, numbers: Sequence[Numeral], marks: Sequence[Mark], *, behind: bool
) -> str | None:
    opened = text.rfind("(", 0, number.start)
    if opened > text.rfind(")", 0, number.start):
        closing = text.find(")", number.end)
        inside = [mark for mark in marks if opened < mark.start and (closing < 0 or mark.end <= closing)]
        leading = [mark for mark in inside if mark.end <= number.start]
        if len(inside) > 1 and leading and not behind:  # `f({"pretrained": [79.7, 78.65], "random": [67.35, 66.15]})`
            return leading[-1].value
        if inside:
            return min(inside, key=lambda mark: abs(mark.start - number.start)).value
        right_before = [mark for mark in marks if opened - mark.end in range(3)]
        if right_before:
            return right_before[-1].value
    own_marks = [mark for mark in marks if not _in_other_brackets(text, mark, number) or behind]
    if not own_marks and len(marks) == 1 and _is_bracket_over(text[marks[0].end : numbers[0].start], marks[0]):
        own_marks = list(marks)
    before = [mark for mark in own_marks if mark.end <= number.start]
    after = [mark for mark in own_marks if mark.start >= number.end]
    if behind and after:
        return after[0].value
    if behind:
        return None if len({mark.value for mark in marks}) > 1 else before[-1].value
    # A preposition connects a name to the number directly before it: `80.1 for the pretrained model`.
    is_tied = after and _ATTACHED.fullmatch(text[number.end : after[0].start])
    if is_tied and not _leads_to_number(text, after[0], numbers):
        return after[0].value
    if before:
        return before[-1].value
    return the_only(mark.value for mark in marks) if after else None


def _is_bracket_over(between: str, mark: Mark) -> bool:
    """Whether a mark in brackets before all numbers holds for them: a name, or a run at the end of the brackets.

    For example, `only one run (seed 123): validation 67.5` or `HF (dev split, 200 reviews) 82.0, 83.5`.
    """
    return ")" in between and (not mark.value.isdigit() or re.match(r"\W*\)", between) is not None)


_ATTACHED: Final = re.compile(
    r"\s*%?\s*(?:\([^()]*\)\s*)?(?:for|with|on|in|by|from|pour|avec|sur|chez|du|de)\b[^,;.:\d]{0,24}", re.IGNORECASE
)


def _in_other_brackets(text: str, mark: Mark, number: Numeral) -> bool:
    """Whether a mark stands in brackets without the number. Such brackets belong to the number before them."""
    opened = text.rfind("(", 0, mark.start)
    if opened < 0 or text.rfind(")", 0, mark.start) > opened:
        return False
    closing = text.find(")", mark.end)
    return closing >= 0 and not opened < number.start < closing


_JOINT: Final = re.compile(
    r"\s*%?\s*(?:\([^()\d]{0,12}\))?\s*(?:,(?:\s*(?:\d{1,6}|\"[^\"]{1,30}\"|'[^']{1,30}')\s*:)?|;|/|\||-|and|et|&|\+|puis|then|,\s*(?:and|et|then|puis))\s*(?:(?:finally|enfin|also|of|de|à)\s*)?",
    re.IGNORECASE,
)


_EQUALS: Final = re.compile(r"\s*%?\s*=")
_BETWEEN: Final = re.compile(r"\b(?:between|entre)\s+$", re.IGNORECASE)


def number_lists(text: str, numbers: list[Numeral]) -> list[list[Numeral]]:
    """Return the sequences of numbers that form lists. The ends of a range, and two values with their difference, are
    no list."""
    runs: list[list[Numeral]] = [[number] for number in numbers[:1]]
    for before, after in pairwise(numbers):
        joint = text[before.end : after.start]
        is_range = _BETWEEN.search(text_before(text, before.start, 20))
        is_difference = "-" in joint and _EQUALS.match(text, after.end)
        if _JOINT.fullmatch(joint) and not is_range and not is_difference:
            runs[-1].append(after)
        else:
            runs.append([after])
    return runs


def experiments_of(text: str, numbers: Sequence[Numeral], found: Sequence[Mention], lab: Lab) -> list[str | None]:
    """Return the experiment that a sentence names for each number."""
    marks = marks_of(found, Kind.EXPERIMENT)
    if _are_listed(text, marks) and len(marks) == len(numbers):
        return align_marks(text, numbers, marks)
    # A sentence may begin with a list of names and a colon: `Tasks 3 and 4: 79.3 %, 66.5 %`.
    # The last name does not belong to the first number.
    colon = text.find(":")
    title = [mark for mark in marks if mark.end <= colon]
    if len(title) < 2 or not _are_listed(text, title) or re.search(r"\w", text[title[-1].end : colon]):
        title = []
    rest = marks[len(title) :]
    if title and len(title) == len(numbers) and len({mark.value for mark in rest}) < len(title):
        return [mark.value for mark in title]
    marks = rest if title and rest else marks
    like = {experiment.id: experiment.like for experiment in lab.experiments}
    # A word for several experiments may stand beside a word for one of them: `pretrained, with run_glue`.
    starts = [number.start for number in numbers]
    own_marks = [
        mark
        for mark in marks
        if not any(
            mark.value in like.get(other.value, ())
            and not any(min(mark.start, other.start) < start < max(mark.start, other.start) for start in starts)
            for other in marks
        )
    ]
    # The experiment in a comparison does not own the values before it: `66.5, worse than the pretrained one`.
    compared = [
        mark
        for mark in own_marks
        if mark.start > max(starts, default=0) and lexicon.search(_COMPARED, text_before(text, mark.start, 30))
    ]
    own_marks = [mark for mark in own_marks if mark not in compared] or own_marks
    if the_only(mark.value for mark in own_marks):
        of_one = _of_one(text, numbers, own_marks)
        if len({mention.value for mention in found if mention.kind is Kind.SPLIT}) > 1:
            return of_one
        above = (None, *numbers)
        return [
            None if before and _RIVAL.fullmatch(text[before.end : number.start]) else name
            for name, before, number in zip(of_one, above, numbers, strict=False)
        ]
    return align_marks(text, numbers, own_marks)


_COMPARED: Final = r"<compared_with>\s+(?:<article>\s+)?\Z"
_RIVAL: Final = re.compile(
    r"\s?%?(?:\s?(?:±|\(±?)\s?\d+[.,]\d+\s?%?\)?)?,?\s(?:against|contre|versus|vs\.?|au lieu de|instead of|face à)\s",
    re.IGNORECASE,
)
"""Words between two values, the second of which belongs to the other experiment: `pretraining helps: 79.6 against
66.6`."""


_LISTED: Final = re.compile(r"\s*(?:,|/|&|\b(?:and|et)\b|,\s*(?:and|et)\b)\s*(?:(?:the|le|la)\b\s*)?", re.IGNORECASE)


def _are_listed(text: str, marks: Sequence[Mark]) -> bool:
    """Whether several different names form a list: `T3, T4 and T5`."""
    joints = (text[mark.end : other.start] for mark, other in pairwise(marks))
    return len({mark.value for mark in marks}) == len(marks) and all(map(_LISTED.fullmatch, joints))


def _of_one(text: str, numbers: Sequence[Numeral], marks: Sequence[Mark]) -> list[str | None]:
    """Return the owners of numbers if one experiment is named.

    It owns the numbers after its name and those of the list directly before it.
    """
    first = marks[0]
    before = [number for number in numbers if number.end <= first.start]
    if not before:
        return [first.value] * len(numbers)
    gap = text[before[-1].end : first.start]
    behind = len(before) < len(numbers)
    if behind and (BREAK.search(gap) or _leads_to_number(text, first, numbers)):
        own_numbers: list[Numeral] = []
    else:
        own_numbers = number_lists(text, before)[-1] if len(before) > 1 else before
    return [first.value if number in own_numbers or number not in before else None for number in numbers]


def splits_of(text: str, numbers: Sequence[Numeral], found: Sequence[Mention]) -> list[str | None]:
    """Return the split that a sentence names for each number.

    A split that only selects, as in `test accuracy at the best validation`, has no numbers.
    """
    every = marks_of(found, Kind.SPLIT)
    if _has_each_its_own(every, numbers):
        return [mark.value for mark in every]
    marks = reported_splits(text, numbers, found)
    values = align_marks(text, numbers, marks)
    pairs = list(pairwise(zip(numbers, values, strict=True)))
    # The split before this number already belongs to the number before: `validation 81.0 -> 79.0`.
    taken = {
        number.start
        for (before, value), (number, next_value) in pairs
        if next_value == value and re.fullmatch(r"\s*%?\s*(?:->|→|=>|⇒)\s*", text[before.end : number.start])
    }
    return [None if number.start in taken else value for number, value in zip(numbers, values, strict=True)]


_BEFORE_SPLIT: Final = 300
"""The distance, in characters, within which words for choosing refer to the name of a split."""


def reported_splits(text: str, numbers: Sequence[Numeral], found: Sequence[Mention]) -> list[Mark]:
    """Return the mentions of splits on which values were measured, without those that select a checkpoint."""
    every = marks_of(found, Kind.SPLIT)
    splits = [mark for mark in every if not _is_denied(text, mark)]
    telling = []
    for previous, mark in pairwise((Mark("", 0, 0), *splits)):
        start = max(0, mark.start - _BEFORE_SPLIT)
        # Words after the split before may begin a new statement: `acc and ran it on`.
        between = text[previous.end : mark.start]
        cut = BREAK.search(between)
        is_new = cut is not None and len(between[cut.end() :].split()) >= _FEWEST_OF_NEW
        before = text[max(start, previous.end) if is_new else start : mark.start]
        is_choosing = _CHOOSING.search(before) or _BEST_BEHIND.match(text, mark.end)
        is_described = _PICKED.search(text[start : mark.start]) or (previous.value and _is_of_checkpoint(between))
        is_measured = _leads_to_number(text, mark, numbers) and not (len(splits) > 1 and is_described)
        if not is_choosing or is_measured:
            telling.append(mark)
    if telling or not splits:
        return telling
    if len({mark.value for mark in splits}) == 1 < len({mark.value for mark in every}):
        return splits  # those of the other one are denied
    return [] if CHOICE.search(text) or len(splits) > 1 else splits


def _is_denied(text: str, split: Mark) -> bool:
    """Whether the words around a split say that nothing was measured on it."""
    behind = text[split.end : split.end + _DENIAL]
    return (
        lexicon.search(_DENIED, text_before(text, split.start, _DENIAL)) is not None
        or lexicon.match(_DENIED_BEHIND, behind) is not None
    )


def _is_of_checkpoint(between: str) -> bool:
    """Whether the words between two splits make the second one describe the checkpoint on which the first one was
    measured: `test accuracy of the checkpoint that is best on valid`."""
    return CHOICE.search(between) is not None and not re.search(r"\d", between) and not BREAK.search(between)


_DENIAL: Final = 80
"""The longest denial, in characters."""
_DENIED: Final = (
    r"(?:\b(?:<verb_denial>)|n['’]t)(?!\s+<nothing_else>)(?:(?!\b<break>\b)[^.,;:()|/→\d])*\Z"
    r"|\b<negation>(?:\s(?:on|of|from|the|a|any|sur|de|du|le|la|les|des|figures?|results?|résultats?)){0,3}\s\Z"
)
"""The words before a split that was not evaluated, without a number: `I did not manage to run the test file`."""
_DENIED_BEHIND: Final = (
    r"(?:(?!\b<break>\b)[^.,;:()|/→\d])*?"
    r"(?:(?:\b<verb_denial>|n['’]t)\b(?:\s[^\W\d_]+){0,3}?\s<usable>|\b<went_wrong>)\b"
)
"""The words behind such a split: `the labels of the test file could not be read`."""


def split_of_these(text: str, found: Sequence[Mention]) -> str | None:
    """Return the split that a sentence states for the values around it: `so these are validation accuracies`; or
    None."""
    reported = reported_splits(text, (), found)
    for mark in marks_of(found, Kind.SPLIT):
        if _is_denied(text, mark):
            continue
        match = _THESE_ARE.search(text_before(text, mark.start, _LONGEST_LEAD))
        named = text[mark.start : mark.end + _LONGEST_NAME]
        is_told = match and mark in reported and (match["many"] or _ACCURACY.search(match.group() + named))
        if is_told or (match and match["listed"]):
            return mark.value
    return None


def only_split(text: str, found: Sequence[Mention]) -> str | None:
    """Return the split that a sentence calls the only one: `I only evaluated on the validation set`; or None.

    Sentences about the choice of a checkpoint do not count.
    """
    if CHOICE.search(text):
        return None
    marks = [
        mark
        for mark in reported_splits(text, (), found)
        if lexicon.search(_ONLY_BEFORE, text, max(0, mark.start - _LONGEST_LEAD), mark.start)
        or lexicon.match(r"\W+(?:\w+\W+)?<nothing_else>", text, mark.end)
    ]
    return the_only(mark.value for mark in marks)


_ONLY_BEFORE: Final = r"(?:<nothing_else>|\bn(?:e\s|['’])[^.;:,]*\bque?)\b[^.;:,\d]*\Z"
_LONGEST_LEAD: Final = 80
_LONGEST_NAME: Final = 20
"""The longest words, in characters, that belong to a split's name before and after it."""
_ACCURACY: Final = re.compile(rf"\b{any_of('accuracy')}", re.IGNORECASE)
_THESE_ARE: Final = re.compile(
    r"\b(?P<many>(?:these|those|they)(?: [a-z]+)? (?:are|were)|ce sont|il s'agit)(?: (?!not? |nor |pas )[a-z']+){0,3} $"
    r"|\b(?P<listed>the following [a-z]+|the [a-z]+ below|les [^\W\d_]+ (?:suivante?s|ci-dessous)) (?:are|were|sont)\b"
    r"(?:(?!\b(?:not?|nor|pas)\b)[^.:;]){0,50} $"
    r"|\b(?:(?:this|that|it) (?:is|was)|c['’](?:est|était)) "
    r"(?:(?:the|only|just|still|indeed|really|of|on|la|le|une?|de|sur|bien|seulement"
    rf"|{any_of('accuracy')}) |[dl]['’]){{0,5}}$",
    re.IGNORECASE,
)


_FEWEST_OF_NEW: Final = 2


def _has_each_its_own(marks: Sequence[Mark], numbers: Sequence[Numeral]) -> bool:
    """Whether different splits and as many numbers stand in pairs: `the best validation accuracy is 81.5, which gives
    79.9 on test`."""
    if len(marks) != len(numbers) or len({mark.value for mark in marks}) < 2:
        return False
    places = [
        *((mark.start, index) for index, mark in enumerate(marks)),
        *((n.start, i) for i, n in enumerate(numbers)),
    ]
    ordered = [index for _, index in sorted(places)]
    return all(first == other for first, other in zip(ordered[::2], ordered[1::2], strict=True))


def _leads_to_number(text: str, mark: Mark, numbers: Sequence[Numeral]) -> bool:
    following = [number.start for number in numbers if number.start >= mark.end]
    return bool(following) and bool(_VALUE_BEHIND.fullmatch(text[mark.end : following[0]]))


def split_in(label: str, lab: Lab) -> str | None:
    """Return the only split that a label or name mentions as measured, or None."""
    return the_only(mark.value for mark in reported_splits(label, (), mentions(label, lab)))


def split_of_size(size: int | None, lab: Lab) -> str | None:
    """Return the only split with this number of examples, or None."""
    return the_only(split for split, examples in lab.sizes.items() if examples == size)


def split_order(line: str, marks: Sequence[Mark]) -> tuple[str, str] | tuple[()]:
    """Return two splits with a slash between them, `validation / test`, or an empty tuple."""
    for mark, other in pairwise(marks):
        if (
            mark.value != other.value
            and re.search(r"[/|(\[→]|->", line[mark.end : other.start])
            and other.start - mark.end < 40
        ):
            return mark.value, other.value
    return ()


_BETWEEN_PAIR: Final = re.compile(r"\s*%?\s*(?:±\s*\d[\d.,]*\s*%?\s*)?[/|(\[;→>-]+\s*")


def pair_in(text: str, numbers: Sequence[Numeral]) -> tuple[Numeral, Numeral] | None:
    """Return the only two numbers of a text if they form a pair: `79.3 / 81.0`, `79.3 [81.0]`; or None."""
    is_pair = len(numbers) == 2 and is_fraction(numbers[0]) == is_fraction(numbers[1])
    if is_pair and _BETWEEN_PAIR.fullmatch(text[numbers[0].end : numbers[1].start]):
        return numbers[0], numbers[1]
    return None


def order_of_pairs(
    texts: Iterable[str],
    lines: Iterable[str],
    order: tuple[str, ...],
    above: tuple[str, str] | None,
    measure: Measure,
    sizes: Mapping[str, int],
) -> tuple[tuple[str, ...], bool]:
    """Return the order of splits in cells with pairs, and whether there are at least three pairs.

    The order is stated beside the cells or above, or is the only one in which all values are possible.
    """
    every = (pair_in(text, numbers_in(text, told_of(measure))) for text in texts if _TWO.search(text))
    pairs = [pair for pair in every if pair and all(may_be_value(number, measure) for number in pair)]
    are_many = len(pairs) >= _FEWEST_PAIRS
    if not order and pairs and measure.is_counted:
        stated_orders = above and (above, above[::-1])
        free = tuple(permutations(sizes, 2)) if are_many and not any(map(_TRAIN.search, lines)) else ()
        order = _possible_order(pairs, stated_orders or free, sizes)
        order = () if stated_orders and order != above else order
    return order, are_many


_TWO: Final = re.compile(r"\d\D*[/|(\[;→>-]\D*\d")
_FEWEST_PAIRS: Final = 3
_TRAIN: Final = re.compile(r"\btrain(?:ing)?(?:[- ]acc| ?/|\W*$)", re.IGNORECASE)
"""The training set, whose size is unknown."""


def _possible_order(
    pairs: Sequence[tuple[Numeral, Numeral]], orders: Iterable[tuple[str, str]], sizes: Mapping[str, int]
) -> tuple[str, ...]:
    """Return the only order of two splits in which all pairs of values are possible: on 200 examples no accuracy is
    79.3 %."""
    known_orders = [order for order in orders if set(order) <= set(sizes)]
    fitting = (
        (first, second)
        for first, second in known_orders
        if all(is_share(number, sizes[first]) and is_share(other, sizes[second]) for number, other in pairs)
    )
    return the_only(fitting) or ()


_COMPARED_WITH: Final = re.compile(
    r"(?:\b(?:than|versus|vs|below|above|beneath|against|unlike|compar\w+ (?:to|with|à|aux?|avec)"
    r"|(?:par rapport|contrairement|(?:inf|sup)[ée]rieure?s?) (?:à|aux?)|(?:en|au)[- ]dess(?:o?us) (?:de|du|des)"
    r"|(?:moins|plus|mieux|meilleure?s?|pires?|autant|aussi)\b[^.;:\d]{0,30} que)\b|\bqu['’])[^\d.;:,()]{0,40}$",
    re.IGNORECASE,
)
_OTHER_CLAUSE: Final = re.compile(r";\s[^;\d]*$")
_RELATIVE: Final = re.compile(r"\b(?:where|which|whose|that|with|où|qui|dont|avec)\b", re.IGNORECASE)
"""Words after a name that connect the following numbers to it."""
_FEWEST_WORDS: Final = 3


def spread(header: tuple[str, ...], lab: Lab, abbreviations: Abbreviations) -> tuple[str, ...]:
    """Return a row of labels whose experiments extend over several columns each, with the columns between filled in."""
    named = {index: text for index, text in enumerate(header) if the_only(experiments_in(text, lab, abbreviations))}
    places = list(named)
    step = the_only(after - before for before, after in pairwise(places))
    if step is None or step < 2 or places[-1] + step != len(header):
        return header
    lead = {index: named[place] for place in places for index in range(place + 1, place + step)}
    return tuple(
        f"{lead[index].partition(':')[0]} {text}" if index in lead else text for index, text in enumerate(header)
    )


def less_rivals(text: str, found: Sequence[Mention], figures: Sequence[tuple[int, int]]) -> list[Mention]:
    """Return the mentions of a text without an experiment that is only compared with.

    For example, `66.5, worse than pretrained` or `66.5; the pretrained weights do better`.
    """
    named = [mention for mention in found if mention.kind is Kind.EXPERIMENT]
    if not figures or the_only(mention.value for mention in named) is None:
        return list(found)
    start, first, last = named[0].start, min(figures)[0], max(end for _, end in figures)
    is_compared = _COMPARED_WITH.search(text_before(text, start, 100)) is not None
    words_behind = len(text[start:].split())
    if start >= last:
        is_rival = is_compared or (bool(_OTHER_CLAUSE.search(text[last:start])) and words_behind > _FEWEST_WORDS)
    else:
        between = text[named[-1].end : first]
        is_rival = is_compared and re.search(r"[,:]", between) is not None
        is_rival = is_rival and len(between.split()) >= _FEWEST_WORDS and not _RELATIVE.search(between)
    return [mention for mention in found if not (is_rival and mention in named)]


def subject_told(text: str, found: Sequence[Mention], figures: Sequence[tuple[int, int]], host: str, name: str) -> str:
    """Return a sentence about `host` that names only the experiment it is compared with, with the `name` of the host
    added.

    The result begins with this name and the words after the sentence's numbers. Other sentences are returned unchanged.
    """
    named = [mention.value for mention in found if mention.kind is Kind.EXPERIMENT]
    left = less_rivals(text, found, figures)
    if not named or host in named or any(mention.kind is Kind.EXPERIMENT for mention in left):
        return text
    last = max(end for _, end in figures)
    is_behind = all(mention.start >= last for mention in found if mention.kind is Kind.EXPERIMENT)
    return f"{name}: {text[last:].lstrip(' %,;:.)') if is_behind else text}"

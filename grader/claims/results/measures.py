"""The words of reports that tell what a number is, as patterns; and which numbers are sought beside
some: the values of a measure of the lab; of a share of examples also error rates, and counts of those that came out
right.
"""

import re
from bisect import bisect_right
from collections.abc import Hashable, Iterable, Iterator, Sequence
from decimal import Decimal
from functools import cache, lru_cache
from itertools import permutations
from typing import Final, NamedTuple, TypeVar

from grader.claims.numerals import Numeral, numerals
from grader.claims.passage import normalise
from grader.lab.definition import Lab
from grader.lab.experiments import ACCURACY, Measure
from grader.language import lexicon

START: Final = r"(?<![^\W_])"
"""Where a word may begin: not within another one; the parts of `test_acc` are words."""

KEY: Final = re.compile(r"(?<![\w.,:])(\d{1,6})(?=[\"']?\s?:\s?[\"']?\d*[.,]\d)")
"""A whole number before a colon and a value: the name of a run, as in `{42: 0.785, 43: 0.79}`."""


@cache
def any_of(*concepts: str, words: tuple[str, ...] = ()) -> str:
    """Return a pattern, for use without regard to case, of all words of some concepts, and of further words such as a
    lab's, the longest first."""
    return lexicon.any_word({*words, *lexicon.words(*concepts)})


_BOUND: Final = r"\d{1,3}(?:[.,]\d+)?\s?%?"
_TO: Final = r"\s?(?:[;–—-]|--|\.\.|to\b|à\b|and\b|et\b|,\s)\s?"
_LEVEL: Final = re.compile(rf"\b\d\d(?:[.,]\d)?(?=\s?%[\s-]{{0,2}}(?:t-)?{any_of('interval')})", re.IGNORECASE)
_INTERVAL: Final = re.compile(
    rf"(?:%[\s-]{{0,2}})?(?:t-)?\b{any_of('interval')}[^\d.;()\[\]]{{0,30}}(?:\d\d\s?%[^\d.;()\[\]]{{0,12}})?"
    rf"[\s(\[]{{0,3}}{_BOUND}{_TO}{_BOUND}\s?[\])]?",
    re.IGNORECASE,
)
_RANGE: Final = re.compile(
    rf"(?P<value>{_BOUND})(?P<range>\s?[(\[]\s?(?P<low>{_BOUND})\s?(?:[;–—-]|--|to\b|à\b)\s?(?P<high>{_BOUND})\s?[)\]])"
)


def less_intervals(text: str) -> str:
    """The text with blanks in place of intervals of confidence, and of a range in brackets behind a number within it:
    `79.3 % (95 % CI 77.3 to 81.3)`, `66.5 (64.0–69.0)`."""
    for pattern in (_LEVEL, _INTERVAL):
        text = pattern.sub(lambda match: " " * len(match.group()), text)
    return _RANGE.sub(_less_range, text)


def _less_range(match: re.Match[str]) -> str:
    low, value, high = (float(match[name].rstrip(" %").replace(",", ".")) for name in ("low", "value", "high"))
    return match["value"] + " " * len(match["range"]) if low < value < high else match.group()


_ERROR: Final = re.compile(
    rf"\b(?:(?<!standard )(?<!std )errors?\b(?! bars?\b)|(?<!type )erreurs?\b|{any_of('error')})", re.IGNORECASE
)
_ERROR_FIGURE: Final = re.compile(rf"(?:{_ERROR.pattern})[^.;]{{0,40}}?\d[.,]\d", re.IGNORECASE)
"""Errors with a figure: `error again, seeds 1/2/3: 33.45`."""
ERROR: Final = re.compile(rf"taux d['’]erreurs?|(?:{_ERROR.pattern})(?:[ -]rates?)?", re.IGNORECASE)
"""What is wrong, with the word that makes a rate of it."""
_ERROR_RATE: Final = re.compile(
    r"\b(?:(?:test|valid\w*|class\w+)[ -]errors?|errors?[ -]rates?|taux d['’]erreurs?|errors? (?:in|%|\(%\))"
    r"|erreurs? (?:de|en|sur) (?:test|valid\w*|class\w+))",
    re.IGNORECASE,
)
_LEAST_WRONG: Final = Decimal("0.02")
_MOST_WRONG: Final = Decimal("0.5")
"""Of two classes fewer than half are wrong."""

_WHOLE: Final = r"\d{1,3}(?:[ ,.'’]\d{3})+(?!\d)|\d{1,5}(?:\.\d+|,\d{1,2}(?!\d))?"
_AMONG: Final = r"(?:out of|of|sur|von|parmi)(?: (?:the|les))?"
_EXAMPLES: Final = r"(?:test |dev )?(?:reviews?|examples?|exemples?|critiques?|items?)\b"
_OUT_OF: Final = rf"\s?(?:/|(?:{_EXAMPLES}\s?)?(?:correct\w*|right|justes?|bien class\w+)?\s?{_AMONG})\s?"
_JOINT: Final = r"(?:, (?:and |et )?| and | et | ?; ?)"
_COUNTS: Final = re.compile(
    rf"(?<![\w.,/])(?P<counts>(?:(?:{_WHOLE}){_JOINT})*(?:{_WHOLE})){_OUT_OF}(?P<size>{_WHOLE})(?![\w%]|[.,]\d)"
)
_SIZE: Final = re.compile(rf"(?:/|\b(?:{_AMONG}|among|n ?=))\s?(?P<size>{_WHOLE})(?![\w%]|[.,]\d)")
_EXAMPLES_BEHIND: Final = re.compile(rf"\s?{_EXAMPLES}", re.IGNORECASE)
_FINEST: Final = Decimal("0.000001")


@lru_cache(maxsize=256)
def _pattern(words: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile(rf"{START}{any_of(words=tuple(map(_normal, words)))}", re.IGNORECASE)


def _normal(word: str) -> str:
    """A word as texts are read, with the star for any ending."""
    stem = word.removesuffix("*")
    return normalise(stem).text + word[len(stem) :]


Value = TypeVar("Value", bound=Hashable)


def the_only(values: Iterable[Value]) -> Value | None:
    """The value that all of some are; None where there is none, or another one as well."""
    found = {*values}
    return found.pop() if len(found) == 1 else None


def overlaps(start: int, end: int, places: Iterable[tuple[int, int]]) -> bool:
    """Whether `text[start:end]` shares characters with one of some places, each given by its start and end."""
    return any(first < end and start < other for first, other in places)


class Sought(NamedTuple):
    """The numbers that are sought: the values of a measure among the lab's `others`; `runs` are its words for
    repetitions. The other fields say what the surrounding text makes of its numbers: `sizes`: the number of examples in
    each part of the data, so that `1,612 of 2,000` is an accuracy; `size`: plain numbers are counts of right ones among
    so many; `is_error`: they count the wrong ones; `is_named`: words that stand for all numbers here name the
    measure."""

    measure: Measure = ACCURACY
    others: tuple[Measure, ...] = ()
    runs: tuple[str, ...] = ()
    sizes: tuple[int, ...] = ()
    size: int | None = None
    is_error: bool = False
    is_named: bool = False

    @property
    def words(self) -> re.Pattern[str]:
        """The words of the measure."""
        return _pattern(self.measure.words)

    @property
    def is_counted(self) -> bool:
        """Whether it is the share of examples that came out right."""
        return self.measure.is_counted

    def names(self, text: str) -> bool:
        """Whether a text names the measure."""
        return bool(self.words.search(text))

    def marks(self, text: str) -> list[tuple[str, int, int]]:
        """Return the places where a text names this or another measure of the lab, with its id, in order; of names
        within each other the longest."""
        found = [
            (other.id, *match.span())
            for other in (self.measure, *self.others)
            for match in _pattern(other.words).finditer(text)
        ]
        kept: list[tuple[str, int, int]] = []  # in order, and apart from each other
        for mark in sorted(found, key=lambda one: (one[1] - one[2], one[1])):
            at = bisect_right(kept, mark[1], key=lambda one: one[1])
            if not overlaps(mark[1], mark[2], (one[1:] for one in kept[max(at - 1, 0) : at + 1])):
                kept.insert(at, mark)
        return kept

    def beside(self, label: str) -> "Sought":
        """This as a label of counts tells it: `errors (of 2,000)`."""
        if not self.is_counted:
            return self
        size, is_error = _size_and_error(label, self.sizes, self.measure.words)
        return self._replace(size=size or self.size, is_error=self.is_error if is_error is None else is_error)

    def after(self, text: str) -> "Sought":
        """This as it is from a sentence or heading on."""
        named = self.marks(text)
        own = self._replace(is_named=named[-1][0] == self.measure.id) if named else self
        is_rate = self.is_counted and bool(_ERROR_RATE.search(text) or _ERROR_FIGURE.search(text))
        return own._replace(is_error=is_rate) if is_rate or self.names(text) else own


@lru_cache(maxsize=64)
def told_of(measure: Measure) -> Sought:
    """Return the search for the values of a measure, with nothing known from the surrounding text."""
    return Sought(measure=measure)


USUAL: Final = Sought()
"""Accuracies in percent or as fractions."""


def sought_in(lab: Lab, measure: Measure) -> Sought:
    """Return the search for a measure's values in the texts of a lab's students. A measure that is the only one need
    not be named."""
    others = tuple(candidate for candidate in lab.measured if candidate.id != measure.id)
    runs = tuple(dict.fromkeys(word for repetition in lab.repetitions for word in repetition.words))
    sizes = tuple(lab.sizes.values()) if measure.is_counted else ()
    return Sought(measure, others, runs, sizes, is_named=not others)


class Count(NamedTuple):
    """A number of examples as its share of all `size` of them, in percent."""

    share: Numeral
    size: int


@lru_cache(maxsize=2_000)
def _size_and_error(label: str, sizes: tuple[int, ...], words: tuple[str, ...]) -> tuple[int | None, bool | None]:
    """The size that a label gives, and whether it speaks of errors; None where it tells nothing."""
    is_error = bool(_ERROR.search(label))
    return size_in(label, sizes), is_error if is_error or _pattern(words).search(label) else None


@lru_cache(maxsize=16)
def _written(sizes: tuple[int, ...]) -> tuple[str, ...]:
    """The sizes as people write them."""
    marks = ("", ",", ".", " ", "'", "’")
    return tuple(dict.fromkeys(f"{size:,}".replace(",", mark) for size in sizes for mark in marks))


def _holds(text: str, sizes: tuple[int, ...]) -> bool:
    return any(candidate in text for candidate in _written(sizes))


def size_in(text: str, sizes: tuple[int, ...]) -> int | None:
    """The size of a part of the data that a text gives as what figures are counted out of: `correct, of 2,000`."""
    if not _holds(text, sizes):
        return None
    return the_only(int(size) for match in _SIZE.finditer(text) if (size := _whole(match["size"])) in sizes)


def is_count(text: str, size: int) -> bool:
    """Whether a cell holds a number that no percentage can be and that may count examples, and no words."""
    return not re.search(r"[^\W\d_]{2}", text) and any(
        100 < number.value <= size and "%" not in text for number in numerals(text)
    )


def counts_in(text: str, sought: Sought) -> list[Count]:
    """The numbers of a text that count examples: `1,612/2,000`, `1612 and 1590 of 2000`; beside such ones `14.2
    reviews`, and all plain numbers where the measure says so."""
    found = list(_counted(text, sought))
    size = sought.size or (size_in(text, sought.sizes) if found else None)
    if size is None:
        return found
    taken = [(count.share.start, count.share.end) for count in found]
    for number in numerals(text):
        named = sought.size or (number.has_decimals and _EXAMPLES_BEHIND.match(text, number.end))
        is_free = not overlaps(number.start, number.end, taken)
        if named and is_free and number.value <= size and not re.match(r"\s?%", text[number.end :]):
            found.append(_count(text, number.start, number.end, number.value, size))
    return sorted(found, key=lambda count: count.share.start)


def _counted(text: str, sought: Sought) -> Iterator[Count]:
    for match in _COUNTS.finditer(text) if _holds(text, sought.sizes) else ():
        size = _whole(match["size"])
        if size not in sought.sizes:
            continue
        own_matches = list(re.finditer(_WHOLE, match["counts"]))
        for count in own_matches:
            end = match.end() if count is own_matches[-1] else match.start() + count.end()
            if (value := _whole(count.group())) <= size and value not in sought.sizes:
                yield _count(text, match.start() + count.start(), end, value, int(size))


def _whole(written: str) -> Decimal:
    """A count, with or without marks between groups of digits."""
    return Decimal(re.sub(r"[ ,.'’](?=\d{3}(?!\d))", "", written).replace(",", "."))


def _count(text: str, start: int, end: int, count: Decimal, size: int) -> Count:
    unit = Decimal(1).scaleb(min(int(count.as_tuple().exponent), 0)) * 100 / size
    value, unit = (number.quantize(_FINEST).normalize() for number in (count * 100 / size, unit))
    is_small = value <= 1  # else it would be taken for a fraction
    share = Numeral(text=text[start:end], readings=(value,), resolution=unit, start=start, end=end, percent=is_small)
    return Count(share, size)


def sizes_of(text: str, sought: Sought) -> dict[int, int]:
    """For counts of examples that a text gives with their whole, by their offsets, how many examples there are in
    all."""
    return {count.share.start: count.size for count in _counted(text, sought)}


def as_accuracy(text: str, number: Numeral, sought: Sought) -> Numeral:
    """The accuracy that a number of a text is, where it is an error rate: what is wrong is not right."""
    if not sought.is_counted:
        return number
    whole = Decimal(1 if number.value < 1 and not number.percent else 100)
    if not _LEAST_WRONG <= number.value / whole <= _MOST_WRONG:
        return number
    named = _is_of_wrong_ones(text, number, sought)
    if not (sought.is_error if named is None else named):
        return number
    return number._replace(readings=(whole - number.value,))


def _is_of_wrong_ones(text: str, number: Numeral, sought: Sought) -> bool | None:
    """Whether the last measure named before a number, else the one right behind it, is that of errors; None where none
    is named."""
    clause = re.split(r"[.;|](?=\s)", text[: number.start])[-1]
    patterns = ((_ERROR, True), (sought.words, False))
    named = [(match.end(), is_error) for pattern, is_error in patterns for match in pattern.finditer(clause)]
    if named:
        return max(named)[1]
    return True if _ERROR.match(text[number.end :].lstrip(" %")) else None


_HUNDRED: Final = Decimal(100)
_USUAL_DEVIATION: Final = Decimal(15)
"""The largest plausible deviation of shares, in percent, where a measure names none."""


def lowest(measure: Measure) -> Decimal:
    """The least plausible value of a measure; of a share in percent."""
    return measure.range[0] if measure.range else Decimal(0 if measure.is_share else "-Infinity")


def highest(measure: Measure) -> Decimal:
    """The largest plausible value of a measure; of a share in percent."""
    return measure.range[1] if measure.range else _HUNDRED if measure.is_share else Decimal("Infinity")


def most_deviation(measure: Measure) -> Decimal:
    """Return the upper bound of a standard deviation over repetitions."""
    if measure.deviation is not None:
        return measure.deviation
    if measure.is_share:
        return _USUAL_DEVIATION
    return (measure.range[1] - measure.range[0]) / 2 if measure.range else Decimal("Infinity")


def may_be_value(number: Numeral, measure: Measure) -> bool:
    """Whether a number by its form alone may be a plausible value of a measure."""
    least = lowest(measure)
    if measure.is_share and not number.is_plain and number.value < 1:
        coarsest = _COARSEST_SLIP if number.percent else _COARSEST_FRACTION
        return number.value * 100 >= least and number.resolution <= coarsest
    return least <= number.value <= highest(measure)


_COARSEST_FRACTION: Final = Decimal("0.01")
_COARSEST_SLIP: Final = Decimal("0.001")
"""A fraction with a sign of percent behind it, `0.799 %`, is told from less than a percent by its digits."""

_BRACKETS: Final = re.compile(r"[\[{][^\[\]{}()=]{3,300}[\]}]")
_BEFORE_LIST: Final = 60


def literals(text: str, other: re.Pattern[str]) -> list[range]:
    """Return the places of lists of values in brackets, as code writes them: each value belongs to one run, whatever
    stands before, as in `mean([79.3, 78.5])`. Two alone in a sentence, or after `other` words, may be an interval."""
    found = []
    for match in _BRACKETS.finditer(text):
        members = re.split(r"[,;]", match.group()[1:-1])
        before = text[: match.start()].rstrip()
        fewest = 2 if before.endswith(("(", "=", ",")) and not other.search(before[-_BEFORE_LIST:]) else 3
        if len(members) >= fewest and all(re.search(r"\d\s*$", member) for member in members):
            found.append(range(*match.span()))
    return found


def with_last_zeros(number: Numeral, others: Sequence[Numeral]) -> Numeral:
    """A fraction of one digit, `0.8`, with as many as the others of a list in code: a program prints 0.800 so."""
    is_cut = number.resolution == _TENTH and not number.percent and all(other.value < 1 for other in (number, *others))
    return number._replace(resolution=min(other.resolution for other in (number, *others))) if is_cut else number


_TENTH: Final = Decimal("0.1")


def may_be_deviation(number: Numeral, measure: Measure) -> bool:
    """Whether a number by its form alone may be a standard deviation over repetitions."""
    return 0 <= number.value < most_deviation(measure) and number.has_decimals


def is_ratio(number: Numeral, line: str, most: int) -> bool:
    """Whether a number is the ratio of two counts in its line that are larger than any set of examples, which have
    `most`: `1572864 / 409792512 = 0.3838 %` is no accuracy."""
    counts = [numeral.value for numeral in numerals(line) if not numeral.has_decimals and numeral.value > most]
    return bool(most) and any(
        abs(factor * value / other - number.value) < number.resolution
        for value, other in permutations(dict.fromkeys(counts[:_MOST_COUNTS]), 2)
        for factor in (1, 100)
    )


_MOST_COUNTS: Final = 8

"""The search for values of a measure: words that say what a number is, and the plausible range of values.

For a share of examples, error rates and counts of right examples are also found. A `MeasureSearch` describes what is
searched for in a text."""

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
"""The beginning of a word. The parts of `test_acc` are words."""

KEY: Final = re.compile(r"(?<![\w.,:])(\d{1,6})(?=[\"']?\s?:\s?[\"']?\d*[.,]\d)")
"""A whole number before a colon and a value, which names a run: `{42: 0.785, 43: 0.79}`."""


@cache
def any_of(*concepts: str, words: tuple[str, ...] = ()) -> str:
    """Return a pattern, to be used case-insensitively, for the words of some concepts and further words, the longest
    first."""
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
    """Return the text with confidence intervals and ranges in brackets blanked out.

    For example, `79.3 % (95 % CI 77.3 to 81.3)` and `66.5 (64.0–69.0)`.
    """
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
"""An error with a number: `error again, seeds 1/2/3: 33.45`."""
ERROR: Final = re.compile(rf"taux d['’]erreurs?|(?:{_ERROR.pattern})(?:[ -]rates?)?", re.IGNORECASE)
"""Words for errors and error rates."""
_ERROR_RATE: Final = re.compile(
    r"\b(?:(?:test|valid\w*|class\w+)[ -]errors?|errors?[ -]rates?|taux d['’]erreurs?|errors? (?:in|%|\(%\))"
    r"|erreurs? (?:de|en|sur) (?:test|valid\w*|class\w+))",
    re.IGNORECASE,
)
_LEAST_WRONG: Final = Decimal("0.02")
_MOST_WRONG: Final = Decimal("0.5")
"""The largest plausible error rate. With two classes, fewer than half are wrong."""

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
    """Return a word in the normal form of texts, with its star for any ending."""
    stem = word.removesuffix("*")
    return normalise(stem).text + word[len(stem) :]


Value = TypeVar("Value", bound=Hashable)


def the_only(values: Iterable[Value]) -> Value | None:
    """Return the value that all of some values equal, or None if there are none or several."""
    found = {*values}
    return found.pop() if len(found) == 1 else None


def overlaps(start: int, end: int, places: Iterable[tuple[int, int]]) -> bool:
    """Whether `text[start:end]` overlaps with one of some places, given as (start, end)."""
    return any(first < end and start < other for first, other in places)


class MeasureSearch(NamedTuple):
    """A search for the values of a measure, with what the surrounding text says about its numbers."""

    measure: Measure = ACCURACY
    others: tuple[Measure, ...] = ()
    """The lab's other measures."""
    runs: tuple[str, ...] = ()
    """The lab's words for repetitions."""
    sizes: tuple[int, ...] = ()
    """The numbers of examples in the splits, so that `1,612 of 2,000` is an accuracy."""
    size: int | None = None
    """If set, plain numbers are counts of right examples out of this many."""
    is_error: bool = False
    """Whether the numbers count wrong examples."""
    is_named: bool = False
    """Whether words that apply to all numbers name the measure."""

    @property
    def words(self) -> re.Pattern[str]:
        """The pattern for the measure's words."""
        return _pattern(self.measure.words)

    @property
    def is_counted(self) -> bool:
        """Whether the measure is the share of right examples."""
        return self.measure.is_counted

    def names(self, text: str) -> bool:
        """Whether a text names the measure."""
        return bool(self.words.search(text))

    def marks(self, text: str) -> list[tuple[str, int, int]]:
        """Return the places where a text names a measure of the lab, as (id, start, end), in order. Of nested names,
        the longest counts."""
        found = [
            (other.id, *match.span())
            for other in (self.measure, *self.others)
            for match in _pattern(other.words).finditer(text)
        ]
        kept: list[tuple[str, int, int]] = []  # in order, and apart from each other
        for mark in sorted(found, key=lambda candidate: (candidate[1] - candidate[2], candidate[1])):
            at = bisect_right(kept, mark[1], key=lambda candidate: candidate[1])
            if not overlaps(mark[1], mark[2], (candidate[1:] for candidate in kept[max(at - 1, 0) : at + 1])):
                kept.insert(at, mark)
        return kept

    def with_label(self, label: str) -> "MeasureSearch":
        """Return this search after a label for counts, such as `errors (of 2,000)`."""
        if not self.is_counted:
            return self
        size, is_error = _size_and_error(label, self.sizes, self.measure.words)
        return self._replace(size=size or self.size, is_error=self.is_error if is_error is None else is_error)

    def with_text(self, text: str) -> "MeasureSearch":
        """Return this search after a sentence or heading."""
        named = self.marks(text)
        search = self._replace(is_named=named[-1][0] == self.measure.id) if named else self
        is_rate = self.is_counted and bool(_ERROR_RATE.search(text) or _ERROR_FIGURE.search(text))
        return search._replace(is_error=is_rate) if is_rate or self.names(text) else search


@lru_cache(maxsize=64)
def told_of(measure: Measure) -> MeasureSearch:
    """Return the search for a measure without any context."""
    return MeasureSearch(measure=measure)


USUAL: Final = MeasureSearch()
"""The search for accuracies in percent or as fractions."""


def sought_in(lab: Lab, measure: Measure) -> MeasureSearch:
    """Return the search for a measure in the texts of a lab's students. The lab's only measure need not be named."""
    others = tuple(candidate for candidate in lab.measured if candidate.id != measure.id)
    runs = tuple(dict.fromkeys(word for repetition in lab.repetitions for word in repetition.words))
    sizes = tuple(lab.sizes.values()) if measure.is_counted else ()
    return MeasureSearch(measure, others, runs, sizes, is_named=not others)


class Count(NamedTuple):
    """A number of examples as a share of `size` examples, in percent."""

    share: Numeral
    size: int


@lru_cache(maxsize=2_000)
def _size_and_error(label: str, sizes: tuple[int, ...], words: tuple[str, ...]) -> tuple[int | None, bool | None]:
    """Return the number of examples that a label gives, and whether it is about errors. None stands for unknown."""
    is_error = bool(_ERROR.search(label))
    return size_in(label, sizes), is_error if is_error or _pattern(words).search(label) else None


@lru_cache(maxsize=16)
def _written(sizes: tuple[int, ...]) -> tuple[str, ...]:
    """Return the spellings of some numbers of examples, such as `2,000` and `2 000`."""
    marks = ("", ",", ".", " ", "'", "’")
    return tuple(dict.fromkeys(f"{size:,}".replace(",", mark) for size in sizes for mark in marks))


def _holds(text: str, sizes: tuple[int, ...]) -> bool:
    return any(candidate in text for candidate in _written(sizes))


def size_in(text: str, sizes: tuple[int, ...]) -> int | None:
    """Return the number of examples that a text gives as the total, as in `correct, of 2,000`, or None."""
    if not _holds(text, sizes):
        return None
    return the_only(int(size) for match in _SIZE.finditer(text) if (size := _whole(match["size"])) in sizes)


def is_count(text: str, size: int) -> bool:
    """Whether a cell contains a number that may count examples and cannot be a percentage, and no words."""
    return not re.search(r"[^\W\d_]{2}", text) and any(
        100 < number.value <= size and "%" not in text for number in numerals(text)
    )


def counts_in(text: str, sought: MeasureSearch) -> list[Count]:
    """Return the numbers of a text that count examples: `1,612/2,000`, `1612 and 1590 of 2000`.

    Beside such counts, or if the search says so, plain numbers count as well: `14.2 reviews`.
    """
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


def _counted(text: str, sought: MeasureSearch) -> Iterator[Count]:
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
    """Return the value of a count, with or without marks between groups of digits."""
    return Decimal(re.sub(r"[ ,.'’](?=\d{3}(?!\d))", "", written).replace(",", "."))


def _count(text: str, start: int, end: int, count: Decimal, size: int) -> Count:
    unit = Decimal(1).scaleb(min(int(count.as_tuple().exponent), 0)) * 100 / size
    value, unit = (number.quantize(_FINEST).normalize() for number in (count * 100 / size, unit))
    is_small = value <= 1  # otherwise it would seem to be a fraction
    share = Numeral(text=text[start:end], readings=(value,), resolution=unit, start=start, end=end, percent=is_small)
    return Count(share, size)


def sizes_of(text: str, sought: MeasureSearch) -> dict[int, int]:
    """Return the total for each count of examples that a text gives with its total, by offset."""
    return {count.share.start: count.size for count in _counted(text, sought)}


def as_accuracy(text: str, number: Numeral, sought: MeasureSearch) -> Numeral:
    """Return the accuracy for a number that is an error rate; return any other number unchanged."""
    if not sought.is_counted:
        return number
    whole = Decimal(1 if number.value < 1 and not number.percent else 100)
    if not _LEAST_WRONG <= number.value / whole <= _MOST_WRONG:
        return number
    named = _is_of_wrong_ones(text, number, sought)
    if not (sought.is_error if named is None else named):
        return number
    return number._replace(readings=(whole - number.value,))


def _is_of_wrong_ones(text: str, number: Numeral, sought: MeasureSearch) -> bool | None:
    """Whether a number is an error rate, by the last measure named before it or the one directly after it; None if
    unknown."""
    clause = re.split(r"[.;|](?=\s)", text[: number.start])[-1]
    patterns = ((_ERROR, True), (sought.words, False))
    named = [(match.end(), is_error) for pattern, is_error in patterns for match in pattern.finditer(clause)]
    if named:
        return max(named)[1]
    return True if _ERROR.match(text[number.end :].lstrip(" %")) else None


_HUNDRED: Final = Decimal(100)
_USUAL_DEVIATION: Final = Decimal(15)
"""The largest plausible deviation of shares, in percent, unless the measure sets another one."""


def lowest(measure: Measure) -> Decimal:
    """Return the lowest plausible value of a measure. A share is in percent."""
    return measure.range[0] if measure.range else Decimal(0 if measure.is_share else "-Infinity")


def highest(measure: Measure) -> Decimal:
    """Return the highest plausible value of a measure. A share is in percent."""
    return measure.range[1] if measure.range else _HUNDRED if measure.is_share else Decimal("Infinity")


def most_deviation(measure: Measure) -> Decimal:
    """Return the upper limit of a standard deviation over runs."""
    if measure.deviation is not None:
        return measure.deviation
    if measure.is_share:
        return _USUAL_DEVIATION
    return (measure.range[1] - measure.range[0]) / 2 if measure.range else Decimal("Infinity")


def may_be_value(number: Numeral, measure: Measure) -> bool:
    """Whether a number may be a value of a measure, by its form and size alone."""
    least = lowest(measure)
    if measure.is_share and not number.is_plain and number.value < 1:
        coarsest = _COARSEST_SLIP if number.percent else _COARSEST_FRACTION
        return number.value * 100 >= least and number.resolution <= coarsest
    return least <= number.value <= highest(measure)


_COARSEST_FRACTION: Final = Decimal("0.01")
_COARSEST_SLIP: Final = Decimal("0.001")
"""The coarsest unit of a fraction with a percent sign, `0.799 %`. Percentages below one percent have fewer digits."""

_BRACKETS: Final = re.compile(r"[\[{][^\[\]{}()=]{3,300}[\]}]")
_BEFORE_LIST: Final = 60


def literals(text: str, other: re.Pattern[str]) -> list[range]:
    """Return the places of lists of values in brackets, as in code. Each value belongs to one run: `mean([79.3,
    78.5])`.

    Two values alone in a sentence, or after `other` words, may be an interval.
    """
    found = []
    for match in _BRACKETS.finditer(text):
        members = re.split(r"[,;]", match.group()[1:-1])
        before = text[: match.start()].rstrip()
        fewest = 2 if before.endswith(("(", "=", ",")) and not other.search(before[-_BEFORE_LIST:]) else 3
        if len(members) >= fewest and all(re.search(r"\d\s*$", member) for member in members):
            found.append(range(*match.span()))
    return found


def with_last_zeros(number: Numeral, others: Sequence[Numeral]) -> Numeral:
    """Return a fraction with one digit, `0.8`, with as many digits as the others of a list. Programs omit trailing
    zeros."""
    is_cut = number.resolution == _TENTH and not number.percent and all(other.value < 1 for other in (number, *others))
    return number._replace(resolution=min(other.resolution for other in (number, *others))) if is_cut else number


_TENTH: Final = Decimal("0.1")


def may_be_deviation(number: Numeral, measure: Measure) -> bool:
    """Whether a number may be a standard deviation over runs, by its form and size alone."""
    return 0 <= number.value < most_deviation(measure) and number.has_decimals


def is_ratio(number: Numeral, line: str, most: int) -> bool:
    """Whether a number is the ratio of two counts in its line above `most`: `1572864 / 409792512 = 0.3838 %`."""
    counts = [numeral.value for numeral in numerals(line) if not numeral.has_decimals and numeral.value > most]
    return bool(most) and any(
        abs(factor * value / other - number.value) < number.resolution
        for value, other in permutations(dict.fromkeys(counts[:_MOST_COUNTS]), 2)
        for factor in (1, 100)
    )


_MOST_COUNTS: Final = 8

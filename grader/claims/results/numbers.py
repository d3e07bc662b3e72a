"""Find the numbers of a text that may be values of a measure, and the statistic that the words beside them indicate.

`figures_in` is the entry point for a line or cell.
"""

import re
from collections.abc import Iterator, Sequence
from decimal import Decimal
from functools import lru_cache
from itertools import pairwise
from typing import Final, NamedTuple

from grader.claims.no_results import without_result
from grader.claims.numerals import Numeral, in_last_digits, less_divisors, readings, text_before
from grader.claims.results.fact import Statistic, is_exact, is_fraction
from grader.claims.results.measures import (
    ERROR,
    KEY,
    START,
    USUAL,
    MeasureSearch,
    any_of,
    as_accuracy,
    counts_in,
    highest,
    less_intervals,
    literals,
    lowest,
    may_be_deviation,
    may_be_value,
    most_deviation,
    overlaps,
    with_last_zeros,
)
from grader.claims.settings import is_in_setting, setting_spans
from grader.lab.experiments import Measure
from grader.language import lexicon
from grader.language.shapes import LONG_WORD

_NUMBER: Final = re.compile(
    r"(?:(?<![\w.,^_])|(?<=[\d],)(?=\.\d)"
    r"|(?<=[^\W\d_]{4})(?=\d+[.,]\d{2}))(?<!\d:)(?P<sign>[+±-]?)(?P<value>(?<!\d, )[1-9]\d, \d{1,2}(?="
    r"\s?(?:%|±|\(|$))|(?<=± )\d{1,2}, \d{1,2}"
    r"|\d{1,3}(?:[.,]\d{1,25})?|[.,]\d{1,6})(?![\w^]|[.,]\d|:\d)\s?(?P<percent>%|per ?cent\b|pct\b|pour[ -]cent\b)?"
)
_GROUPED: Final = re.compile(r"\d{1,3}(?:[ ,.']\d{3})+(?!\d)")

MEAN: Final = re.compile(rf"{START}(?:{any_of('mean')}|m(?=\s?=))|[μµ]|\b[axy][\u0304\u0305‾¯]|\b[Āāȳ]", re.IGNORECASE)
_IS_NAME: Final = r"(?!\s?=?\s?\d\b(?![.,]))"
"""A sigma before a whole number is the name of a run, and so is another word before a whole number and a value: `sd 1:
80`."""
STD: Final = re.compile(
    rf"{START}(?:{any_of('deviation')}(?!\s?\d{{1,3}}\s?[:=])|et(?=\s?[=:])|dev\.(?=\W*$)|sigma\b{_IS_NAME})|σ{_IS_NAME}",
    re.IGNORECASE,
)
OTHER: Final = re.compile(
    rf"{START}(?<!\d )(?:{any_of('other_statistic', 'interval')}|max(?:imum|imal)?\b(?=\W{{0,3}}$)|2?5%|50%|75%)",
    re.IGNORECASE,
)
_TIME: Final = (
    r"(?:(?<!this )(?<!each )(?<!every )(?<!last )(?<!first )(?<!same )(?<!of )(?<!no )time(?! (?:for|to)\b)"
    r"|(?<!de )(?<!même )temps(?! (?:de|pour)\b))(?![^\W_])"
)
"""A time as a label of a number, not in `this time` or `for lack of time`."""
_MEASURE: Final = re.compile(rf"{START}(?:{any_of('other_measure')}|{_TIME})", re.IGNORECASE)
_MEASURE_OR_ACCURACY: Final = re.compile(rf"{START}(?:{any_of('other_measure', 'accuracy')}|{_TIME})", re.IGNORECASE)
_SIGNS: Final = r"[\s=:#°._-]{0,3}$"


@lru_cache(maxsize=64)
def _reference(runs: tuple[str, ...]) -> re.Pattern[str]:
    """Return a pattern for words before a number that only counts or numbers something. `runs` are the lab's words for
    repetitions."""
    families = ("part_of_text", "product", "question", "run", "epoch", "step", "layer")
    return re.compile(rf"\b(?:{any_of(*families, words=runs)}{_SIGNS}|(?:in ?|out)\[$)", re.IGNORECASE)


@lru_cache(maxsize=64)
def _unit_behind(runs: tuple[str, ...]) -> re.Pattern[str]:
    """Return a pattern for words after a number that make it something else than a result."""
    words = any_of("counted", "unit", "run", "epoch", "step", "layer", words=runs)
    return re.compile(rf"\s?(?:{words}|×|e-\d|stds?\b(?!\s?[=:]))", re.IGNORECASE)


_NUMBERED: Final = re.compile(rf"\b{any_of('part_of_text', 'product')}{_SIGNS}", re.IGNORECASE)
_DIFFERENCE_BEHIND: Final = re.compile(
    r"\s?%?\s?(?:(?:percentage |accuracy |absolute )?p(?:oin)?ts?\b|pp\b|less\b|more\b|better\b|worse\b"
    r"|higher\b|lower\b|de (?:plus|moins|mieux)\b)",
    re.IGNORECASE,
)
_DIFFERENCE_BEFORE: Final = re.compile(
    r"\b(?:differences?|diff[ée]rences?|gaps?|[ée]carts?(?!-? ?type)|gain|deltas?|improvements?|less than"
    r"|more than|plus de|moins de)\b[^.;\d]{0,25}$|[Δ−]\s?$",
    re.IGNORECASE,
)
_HUNDRED: Final = Decimal(100)


class Figure(NamedTuple):
    """A number with its statistic. `attached`: it is the deviation of the number directly before it."""

    number: Numeral
    statistic: Statistic
    attached: bool = False


class _Found(NamedTuple):
    """A number with the sign before it. `is_count`: it was a count of right or wrong examples, and is now their
    share."""

    number: Numeral
    sign: str
    is_count: bool = False


def numbers_in(text: str, sought: MeasureSearch = USUAL) -> list[Numeral]:
    """Return all numbers of a text that fit the scale of a measure; for a share, those from 0 to 100 without a sign."""
    return [found.number for found in _found(text, sought)]


def _found(text: str, sought: MeasureSearch) -> list[_Found]:
    """Return the numbers of a text without values of settings."""
    found = _all_numbers(text, sought)
    return (
        [number for number in found if not is_in_setting(text, number.number.start)] if setting_spans(text) else found
    )


def _all_numbers(text: str, sought: MeasureSearch) -> list[_Found]:
    if not sought.measure.is_share:
        return [entry for entry in _plain(text, sought.measure) if not KEY.match(text, entry.number.start)]
    counted = [
        _Found(count.share, _sign_before(text, count.share.start), is_count=True) for count in counts_in(text, sought)
    ]
    # `0.815`, `66.725` and `66,725` are decimals; `32,000` is a whole number.
    is_decimal = re.compile(r"\d{1,2}(?:\.\d{3}|,(?!000)\d{3})").fullmatch
    grouped = [match.span() for match in _GROUPED.finditer(text) if not is_decimal(match.group())]
    grouped += [(entry.number.start, entry.number.end) for entry in counted]
    found = [*counted]
    for match in _numbers(text, sought):
        if not (overlaps(*match.span(), grouped) or KEY.match(text, match.start("value"))):
            number = _as_found(match, sought)
            found += [number] if number.number.value <= max(_HUNDRED, highest(sought.measure)) else []
    return _once(text, sorted(found, key=lambda entry: entry.number.start))


def _as_found(match: re.Match[str], sought: MeasureSearch) -> _Found:
    """Return a match of `_NUMBER` as a number with its sign."""
    value = Decimal(match["value"].replace(" ", "").replace(",", "."))
    number = Numeral(
        text=match.group().strip(),
        readings=(value,),
        resolution=Decimal(1).scaleb(min(int(value.as_tuple().exponent), 0)),
        start=match.start("value"),
        end=match.end() if match["percent"] else match.end("value"),
        percent=bool(match["percent"]),
        is_plain=bool(match["percent"]) and not sought.is_counted,
    )
    return _Found(number, match["sign"] or _sign_before(match.string, number.start))


def _numbers(text: str, sought: MeasureSearch) -> Iterator[re.Match[str]]:
    """Yield the numbers of a text, with numbers of runs separated from the number after them: `seed 10, 65 %`."""
    at = 0
    while match := _NUMBER.search(text, at):
        at = match.end()
        before = text_before(text, match.start(), _WORD_BEFORE)
        if ", " in match["value"] and _reference(sought.runs).search(before):
            at = match.start("value") + match["value"].index(", ") + 1
            continue
        yield match


_WORD_BEFORE: Final = 40
_GROUPS: Final = r"\d{1,3}(?:(?P<mark>[ ,.'’])\d{3})(?:(?P=mark)\d{3})*(?:[.,]\d+)?"
_POWER: Final = r"(?:\s?[×x]\s?10\s?\^\s?|e)(?P<power>[-+]?\d{1,2})\b"
_PLAIN_NUMBER: Final = re.compile(
    rf"(?:(?<![\w.,^_])|(?<=\d,)(?=\.\d))(?<!\d:)(?P<sign>[+±-]?)"
    rf"(?:(?P<grouped>{_GROUPS})|(?P<value>\d+(?:[.,]\d+)?|[.,]\d+))(?:{_POWER})?(?![\w^]|[.,]\d|:\d|\s?%)",
    re.IGNORECASE,
)
_SINGLE_NUMBER: Final = re.compile(_PLAIN_NUMBER.pattern.replace(f"(?P<grouped>{_GROUPS})|", ""), re.IGNORECASE)


def _plain(text: str, measure: Measure) -> Iterator[_Found]:
    """Yield the numbers of a text in plain notation, of any size, with signs, groups of digits or powers of ten.

    Of the readings of `1,234`, the first plausible one counts. Digits that are not plausible together are separate
    numbers.
    """
    position = 0
    while match := _PLAIN_NUMBER.search(text, position):
        found = _read(match, measure) if match["grouped"] else None
        if found is None and match["grouped"]:
            match = _SINGLE_NUMBER.match(text, match.start()) or match
        found = found or (_read(match, measure) if "value" in match.re.groupindex and match["value"] else None)
        position = match.end()
        if found is not None:
            sign = match["sign"] or _sign_before(text, found.start)
            if sign == "-" and lowest(measure) < 0 and not re.search(r"[\w)%]\s?$", text[: match.start()]):
                found, sign = found._replace(readings=tuple(-reading for reading in found.readings)), ""
            yield _Found(found, sign)


def _read(match: re.Match[str], measure: Measure) -> Numeral | None:
    """Return a number in its plausible reading, or None for groups of digits without one."""
    groups = match.groupdict()
    written = groups.get("grouped") or groups["value"]
    factor = Decimal(10) ** int(groups["power"] or 0)
    values = [reading * factor for reading in readings(f"0{written}" if written[0] in ".," else written)]
    plausible = [value for value in values if abs(lowest(measure)) >= value or value <= highest(measure)]
    likely = [value for value in values if lowest(measure) <= value <= highest(measure)]
    if groups.get("grouped") and not likely:
        return None
    ordered = (*likely, *(value for value in plausible or values if value not in likely))
    digit = Decimal(1).scaleb(min(int(ordered[0].as_tuple().exponent), 0))
    return Numeral(
        text=match.group().strip(),
        readings=ordered,
        resolution=digit,
        start=match.start("grouped" if groups.get("grouped") else "value"),
        end=match.end(),
        is_plain=True,
    )


def _sign_before(text: str, start: int) -> str:
    return "±" if text[:start].rstrip().endswith("±") else ""


def _once(text: str, found: Sequence[_Found]) -> list[_Found]:
    """Return the numbers of a text without repetitions of a count or its share: `1,612/2,000 (80.6 %)`."""
    result: list[_Found] = []
    for number in found:
        last = result[-1] if result else None
        if (
            last
            and last.is_count != number.is_count
            and _is_said_again(text, last.number, number.number, last.is_count)
        ):
            closing = re.match(r"\s?\)", text[number.number.end :])
            end = number.number.end + (closing.end() if closing else 0)
            result[-1] = last._replace(number=last.number._replace(end=end))
            continue
        result.append(number)
    return result


def _is_said_again(text: str, last: Numeral, number: Numeral, is_count: bool) -> bool:
    """Whether a count and a percentage or fraction directly beside it are equal."""
    count, other = (last, number) if is_count else (number, last)
    gap = text[last.end : number.start]
    is_again = is_exact(other) and _SAID_AGAIN.fullmatch(gap) and not MEAN.search(gap)
    return bool(is_again) and any(
        abs(count.value - other.value * scale) <= other.resolution * scale for scale in (1, 100)
    )


_SAID_AGAIN: Final = re.compile(r"[^\d.;]{0,30}")


def figures_in(text: str, sought: MeasureSearch = USUAL) -> list[Figure]:
    """Return the numbers of a line or cell that may be values of the measure, in order. Error rates become
    accuracies."""
    text = less_intervals(less_divisors(text))
    found = _open_numbers(text, sought)
    sums = [(match.start(), match.end()) for match in _CALCULATION.finditer(text)]
    lists = literals(text, OTHER)
    result: list[Figure] = []
    for index, numeral in enumerate(found):
        previous = found[index - 1].number if index else None
        head = text[_end(text, previous, sought) if previous else 0 : numeral.number.start]
        inside = next((start for start, end in sums if start <= numeral.number.start < end), None)
        if result and result[-1].number.start == numeral.number.start:
            continue  # this number was already read with the previous one
        if around := next((span for span in lists if numeral.number.start in span), None):
            beside = [two.number for two in found if two.number.start in around]
            number = with_last_zeros(as_accuracy(text, numeral.number, sought), beside)
            result += [Figure(number, Statistic.VALUE)] if may_be_value(number, sought.measure) else []
        elif inside is None and previous and _is_deviation(text, result, previous, numeral, head, sought.measure):
            if result[-1].statistic is Statistic.VALUE:
                result[-1] = result[-1]._replace(statistic=Statistic.MEAN)
            result.append(Figure(numeral.number, Statistic.STD, attached=True))
        elif inside is None:
            ended = next((start for start, end in sums if numeral.number.start - end in range(4)), None)
            before = head if ended is None else text[:ended]
            kind = _inherited(result, previous, head, numeral.number) or _kind(text, found, index, before, sought)
            is_rate = kind.is_rate
            number = as_accuracy(text, numeral.number, sought) if is_rate else numeral.number
            number = with_last_zeros(number, (_IN_THOUSANDTHS,)) if _PRINTED_NAME.search(head) else number
            figures = _admitted(number, kind, sought.measure)
            spread = in_last_digits(text, numeral.number) if is_rate and figures else None
            if spread:
                figures = [Figure(number, Statistic.MEAN), Figure(spread, Statistic.STD, attached=True)]
            is_mean = bool(result) and result[-1].number is previous and result[-1].statistic is Statistic.MEAN
            if kind is Statistic.STD and is_mean and len(head) < _NEAR_MEAN and not re.search(r"[.;]\s", head):
                figures = [figure._replace(attached=True) for figure in figures]  # `80.7 on average, 0.6 std`
            result += figures
        elif not re.search(r"sqrt|√|\^|\\sum|∑", text[inside : numeral.number.end + 4]):
            number = as_accuracy(text, numeral.number, sought)
            result += [Figure(number, Statistic.VALUE)] if may_be_value(number, sought.measure) else []
    return result


_NEAR_MEAN: Final = 40
_PRINTED_NAME: Final = re.compile(r"[^\W\d_]_[^\W\d_]+[\"']?\s*[=:]\s*$")  # a program's: `eval_accuracy = 0.8`
_IN_THOUSANDTHS: Final = Numeral("0.000", (Decimal("0.000"),), Decimal("0.001"), 0, 5)


def _end(text: str, number: Numeral, sought: MeasureSearch) -> int:
    """Return the end of a number, including the measure's unit after it."""
    return number.end + _own_unit(text[number.end :], sought)


def _open_numbers(text: str, sought: MeasureSearch) -> list[_Found]:
    """Return the numbers of a text that the words beside them do not make something else."""
    found: list[_Found] = []
    other: _Found | None = None
    for number in _less_others(text, sought):
        if number.is_count:
            found.append(number)
            continue
        before = text[: number.number.start]
        gap = text[other.number.end : number.number.start] if other else ""
        if _other_measure(before, sought) or _is_small_share(before, number, sought):
            other = number
        elif len(gap) in _NEXT and re.search(r"\b(?:seed|run|graine)\b", gap) and not sought.names(gap):
            other = number if number.number.has_decimals else other  # `a loss of 0.61, seed 2 of 0.65`
        elif _is_open(text, number, sought):
            found.append(number)
    return found


def _less_others(text: str, sought: MeasureSearch) -> list[_Found]:
    """Return the numbers of a text without shares of the data and nobody's results."""
    numbers = list(_found(text, sought))
    others = _shares_of_data(text) | without_result(
        text, ((number.number.start, number.number.end) for number in numbers)
    )
    return [number for number in numbers if number.number.start not in others]


_WHOLE_PERCENT: Final = re.compile(r"(?<![\w.,])(\d{1,2})\s?%")
_MOST_SHARES: Final = 4


def _shares_of_data(text: str) -> frozenset[int]:
    """Return the starts of the percentages that say how the data were divided.

    They are whole numbers that add up to 100, one of them followed by words such as `for training` or `of the data`.
    """
    found: set[int] = set()
    for left, right in pairwise([0, *(match.end() for match in re.finditer(r"[.;!?]\s", text)), len(text)]):
        own_matches = list(_WHOLE_PERCENT.finditer(text, left, right))
        is_split = 1 < len(own_matches) <= _MOST_SHARES and sum(int(match[1]) for match in own_matches) == _HUNDRED
        if is_split and any(lexicon.match(r"\s?<share_of_data>", text, match.end()) for match in own_matches):
            found |= {match.start(1) for match in own_matches}
    return frozenset(found)


_NEXT: Final = range(1, 21)
"""The largest distance, in characters, between numbers of one measure."""


def _is_small_share(before: str, number: _Found, sought: MeasureSearch) -> bool:
    """Whether a percentage below one is probably a share of something named before, such as parameters, and no
    deviation."""
    other = _other_words(sought).search(before) if number.number.percent and number.number.value < 1 else None
    return other is not None and number.sign != "±" and not STD.search(before, other.end())


_NEAR: Final = 60


def _is_set_off(text: str, number: _Found, sought: MeasureSearch) -> bool:
    """Whether a whole number is a value of a measure that is no share.

    Its unit follows, the measure is named directly before it, or the line has only numbers.
    """
    before = text_before(text, number.number.start, _NEAR)
    named = [match.end() for match in sought.words.finditer(before)]
    is_near = bool(named) and not re.search(r"\d|[.;](?=\s)", before[named[-1] :])
    return bool(
        is_near or _own_unit(text[number.number.end :], sought) or (sought.is_named and not LONG_WORD.search(text))
    )


def _own_unit(behind: str, sought: MeasureSearch) -> int:
    """Return the length of the measure's unit directly after a number, or 0."""
    match = _unit(sought.measure.unit).match(behind) if sought.measure.unit else None
    return match.end() if match else 0


@lru_cache(maxsize=64)
def _unit(unit: str) -> re.Pattern[str]:
    end = r"\w*" if len(unit) > 2 and unit.isalpha() else r"(?![^\W\d_])"
    return re.compile(rf"\s?{re.escape(unit)}{end}", re.IGNORECASE)


_PAIR_ALONE: Final = re.compile(r"[\s#>(\[]*\d{1,3}[.,]\d+[\s,;]+\d{1,2}[.,]\d+(?:\.{3}|…)?[\s)\]]*")
"""Two numbers alone on a line, as `print(mean, std)` prints them."""


_OR: Final = re.compile(r"\s*%?\s*(?:\([^()\d]{0,40}\))?,?\s*(?:or|ou|resp\w*\.?)\s+", re.IGNORECASE)
_AND: Final = re.compile(r"\s*%?\s*(?:,|,?\s(?:and|et)\s)\s*", re.IGNORECASE)


def _inherited(result: list[Figure], previous: Numeral | None, head: str, number: Numeral) -> Statistic | None:
    """Return the statistic of the number before a slash, `mean 81.3 / 79.5`, or in a list of deviations; or None.

    A second form of a deviation, `0.65 or 0.80`, is no deviation.
    """
    if previous is None or not result or result[-1].number is not previous:
        return None
    if result[-1].statistic is Statistic.STD and _OR.fullmatch(head):
        return Statistic.OTHER
    is_alike = number.value <= 10 * previous.value <= 100 * number.value  # not a fraction beside one in percent
    if result[-1].statistic is Statistic.STD and _AND.fullmatch(head) and is_alike:
        return Statistic.STD
    return result[-1].statistic if re.fullmatch(r"\s*%?\s*/\s*", head) else None


def _admitted(number: Numeral, kind: Statistic, measure: Measure) -> list[Figure]:
    """Return the number with a possible statistic, or an empty list."""
    may_deviate, may_be = may_be_deviation(number, measure), may_be_value(number, measure)
    if kind is Statistic.STD and not (may_deviate or number.percent):
        kind = Statistic.OTHER
    may_average = kind is Statistic.MEAN and _may_average(number, measure)
    if kind.is_rate and not (may_average or may_be) and may_deviate:
        kind = Statistic.OTHER
    return [Figure(number, kind)] if may_average or may_be or kind in (Statistic.STD, Statistic.OTHER) else []


def _may_average(number: Numeral, measure: Measure) -> bool:
    """Whether a number that is called an average may be one, even with few digits: `0.8`."""
    is_fraction = measure.is_share and not number.percent and lowest(measure) <= number.value * 100 < 100
    return is_fraction or may_be_value(number, measure)


def _is_open(text: str, numeral: _Found, sought: MeasureSearch) -> bool:
    """Whether the words around a number allow that it is a value of the measure or a deviation."""
    number = numeral.number
    before, behind = text_before(text, number.start, 60), text[number.end : number.end + 40]
    whole = not number.has_decimals and not number.percent
    if numeral.sign in ("+", "-") and not re.search(r"[\w)%]\s?[+-]$", before):
        return False
    if _NEGATIVE_DEVIATION.search(before):
        return False
    if whole and not sought.measure.is_share and not _is_set_off(text, numeral, sought):
        return False
    if has_unit := _own_unit(behind, sought):
        behind = behind[has_unit:]
    is_counted = not has_unit and not _begins_next(text, number) and _unit_behind(sought.runs).match(behind)
    is_run = is_counted or (_reference(sought.runs).search(before) and not _opens_list(text, number, sought))
    if _NUMBERED.search(before) or (whole and (is_run or re.search(r"\.\w+\($", before))):
        return False
    if not number.percent and not has_unit and number.has_decimals and _OTHER_UNIT.match(behind):
        return False
    is_deviation = _sign_before(text, number.start) or _STD_BEFORE.search(before) or _BEHIND_STD.match(behind)
    if _DIFFERENCE_BEHIND.match(behind) and not is_deviation:
        is_alone = re.search(r"\d\s?%?\s?\($", before) and re.match(r"\s?p(?:oin)?(?:ts?|p)\)", behind)
        # `79.7 % (std 0.6 points), then 65.2 % (1.3 points)`
        return not whole and bool(_LETTER.search(before) or (is_alone and STD.search(text, 0, number.start)))
    return not _DIFFERENCE_BEFORE.search(before) or bool(_SPREAD.search(before) and MEAN.search(before))


def _opens_list(text: str, number: Numeral, sought: MeasureSearch) -> bool:
    """Whether a number begins a list of values after a colon: `accuracy at the best epoch: 79, 80, 79`."""
    before = text_before(text, number.start, _NEAR)
    is_list = re.match(r"\s?%?\s?[,;/]\s?\d{2}", text[number.end :]) is not None
    return is_list and re.search(r":\s*$", before) is not None and sought.names(before)


def _begins_next(text: str, number: Numeral) -> bool:
    """Whether the word after a number begins the next of several entries: `seed 1 test 81 seed 2 test 80`."""
    behind = re.match(r"\s([^\W\d]+)\W{0,3}\d", text[number.end : number.end + 40])
    return behind is not None and re.search(rf"\b{behind[1]}\W{{0,3}}\d", text[: number.start]) is not None


_NEGATIVE_DEVIATION: Final = re.compile(rf"(?:{STD.pattern})[^.;]*[^\W\d_]\s-(?:[\d.,\s%-]|and|et)*$", re.IGNORECASE)
"""In a list of differences from the mean, `-0.03, -0.83 and 0.87`, none is the standard deviation."""
_LETTER: Final = re.compile(r"(?<!\w)s\s?=\s?$")
"""The symbol of a deviation, before a decimal. A whole number is that of a seed: `s=1`."""
_SPREAD: Final = re.compile(r"\b[ée]carts?\W{0,3}$", re.IGNORECASE)
"""A word for a difference or a deviation. After an average, its number is a deviation if it follows from the values."""
_OTHER_UNIT: Final = re.compile(
    r"\s?(?:s\b(?!\s?[=:]?\s?\d)|x\s?\d|min|hours?|heures?|gi?b\b|go\b|m\b|×|standard err)", re.IGNORECASE
)
_STD_BEFORE: Final = re.compile(
    rf"(?:{STD.pattern})[^\d.;]{{0,25}}(?:\d[\d.,]*\s\w+\s?[=(,≈]\D{{0,12}})?$", re.IGNORECASE
)  # words that make a deviation of a number of points


_CALCULATION: Final = re.compile(
    r"(?:(?:sqrt|√)[^=\n]*|(?:\(|frac\{)[^=\n]*[+][^=\n]*|(?<==)[^=\n]*(?:\\sum|∑)[^\n]*)=(?=\s*\d)"
)
"""A calculation up to the sign before its result: `(79.3 + 78.5 + 80.1) / 3 =`, `√(1.45 / 2) =`, `∑ (a - m)² / 2 =`."""


def is_other_measure(label: str, sought: MeasureSearch) -> bool:
    """Whether a label names another measure, or the training set."""
    marks = sought.marks(label)
    if marks:
        named = all(name != sought.measure.id for name, _, _ in marks)
    else:
        named = bool(_other_words(sought).search(label)) and not (sought.is_counted and ERROR.search(label))
    return named or bool(_TRAINING.search(label))


def _other_words(sought: MeasureSearch) -> re.Pattern[str]:
    """Return a pattern for measures that are not the lab's."""
    return _MEASURE if sought.is_counted else _MEASURE_OR_ACCURACY


_TRAINING: Final = re.compile(
    r"\btrain(?:ing)?[ -]acc\w*|^\W*(?:train|training|entra[îi]nement)(?: set| \(%\))?\W*$", re.IGNORECASE
)


def _other_measure(before: str, sought: MeasureSearch) -> bool:
    """Whether the last measure named before a number is not the lab's: `a loss of 0.61`."""
    clause = re.split(r"[.;|](?=\s)|,\s", before)[-1]
    others = [match.end() for match in _other_words(sought).finditer(clause)]
    if not others:
        return False
    own_ends = [end for _, _, end in sought.marks(clause)]
    own_ends += [match.end() for match in ERROR.finditer(clause)] if sought.is_counted else []
    return not own_ends or max(own_ends) < others[-1]


def _is_deviation(text: str, result: list[Figure], last: Numeral, numeral: _Found, head: str, measure: Measure) -> bool:
    """Whether a number is the deviation of the value before it: `a ± d`, `a (d)`, `mean a, std d`."""
    if not result or result[-1].number.start != last.start or result[-1].statistic in (Statistic.STD, Statistic.OTHER):
        return False
    number = numeral.number
    small = 0 <= number.value < most_deviation(measure)
    if numeral.sign == "±" or re.search(r"±\s*$", head):
        return small
    if result[-1].statistic is Statistic.MEAN and STD.search(head):
        behind = _BEHIND_MEAN.match(head)
        return small and not MEAN.search(head, behind.end() if behind else 0)
    if _PAIR_ALONE.fullmatch(text):
        return small and number.has_decimals
    if STD.search(head) and re.fullmatch(
        r"\s*%?\s*[(,;]?\s*(?:and|et|with|avec|for)?\s*(?:an?|une?|the)?\s*[^\d.;]{0,30}", head
    ):
        return small
    if small and not number.value.is_zero() and may_be_deviation(number, measure):
        bracket = re.fullmatch(r"\s*%?\s*\(\s*(?:(?:s|sd|std|±|\+/-)\s*=?\s*)?", head, re.IGNORECASE)
        closed = re.match(rf"\s*(?:%|points?|pts?)?\s*(?P<word>{STD.pattern})?\s*\)", text[number.end :], re.IGNORECASE)
        named = bool(closed and closed["word"] and re.fullmatch(r"[^\d.;()]{0,30}\(\s*", head))
        if closed and (bracket or named):
            return True
        announced = MEAN.search(text[: last.start]) and STD.search(text[: last.start])
        return bool(announced and re.fullmatch(r"\s*%?\s*(?:and|et|,|;|/)?\s*", head))
    return False


_BEHIND_MEAN: Final = re.compile(
    r"\s?%?\s?(?:(?:(?:of|des?|du) (?:[^\W\d_]+ ){1,8})?(?:(?:on|in) average|en moyenne)|de moyenne|average|mean\b)",
    re.IGNORECASE,
)
_OWN_NUMBER: Final = re.compile(r"(?!\s+(?:et|and)\b)[^.;,]{0,40}?\d")
"""A word such as `average` belongs to the number after it: `82.0 average accuracy 83.5`."""
_NUMBER_NEXT: Final = re.compile(r"\W{0,3}(?:of |is |de )?\d+(?:[.,]\d+)?")
_BEHIND_STD: Final = re.compile(
    r"\s?(?:%|(?:percentage )?p(?:oin)?ts?\b|pp\b)?\s?(?:de |d['’]|of |in |(?:for|as) (?:the )?|pour (?:l['’])?)?"
    rf"(?:{STD.pattern})(?!\s?(?:[=:]|of|is|de)?\s?\d)",
    re.IGNORECASE,
)


_FROM: Final = re.compile(r"\b(?:from|de)\s+$", re.IGNORECASE)
_TO: Final = re.compile(r"\s?%?\s?(?:to|à)\s\d", re.IGNORECASE)
"""A change from one value to another. The words before the first value do not say what it is."""
_NEXT_NUMBER: Final = re.compile(r"\s?(?:[,;(]|and\b|et\b)")


_ENDS: Final = re.compile(r"\s?%?\s?\.\.\s?\d")  # between the ends of a range, `[78.5 .. 80.1]`


def _kind(text: str, found: Sequence[_Found], index: int, head: str, sought: MeasureSearch) -> Statistic:
    """Return the statistic that the words between a number and the one before it name, or else the words directly after
    it."""
    number = found[index].number
    end = _end(text, number, sought)
    behind = text[end:]
    if _TO.match(behind) and _FROM.search(text_before(text, number.start, _NEAR)):
        return Statistic.VALUE
    if _SPREAD.search(head) or _ENDS.match(behind) or _ENDS.fullmatch(f"{head}0"):
        return Statistic.OTHER
    if number.has_decimals and _LETTER.search(head):
        return Statistic.STD
    following = found[index + 1].number.start - end if index + 1 < len(found) else len(behind)
    is_std_behind = bool(_BEHIND_STD.match(behind))
    if is_std_behind and (mean := _BEHIND_MEAN.match(head)) and _NEXT_NUMBER.match(head, mean.end()):
        return Statistic.STD
    means = [match.end() for match in MEAN.finditer(head)]
    stds = [match.end() for match in STD.finditer(head)]
    others = [match.end() for match in OTHER.finditer(head)]
    last = max((*means, *stds, *others), default=None)
    if last is not None and not re.search(r"[.;:](?=\s)[^.;:]*[.;:](?=\s)", head[last:]):
        before = numbers_in(text[: number.start], sought) if is_fraction(number) else []
        is_finer = any(numeral.has_decimals and not is_fraction(numeral) for numeral in before)
        if means and stds and max(means) < max(stds) and _may_average(number, sought.measure) and not is_finer:
            return Statistic.MEAN
        return Statistic.MEAN if last in means else Statistic.STD if last in stds else Statistic.OTHER
    behind_mean = _BEHIND_MEAN.match(behind)
    if behind_mean and not re.search(r"n (?:average|moyenne)", behind_mean.group()):
        own_match = _OWN_NUMBER.match(behind, behind_mean.end())
        if own_match and not STD.search(own_match.group()):
            behind_mean = None
    if (
        behind_mean
        and behind_mean.end() <= following
        and (not (then := _NUMBER_NEXT.match(behind, behind_mean.end())) or _BEHIND_STD.match(behind, then.end()))
    ):
        return Statistic.MEAN
    return Statistic.STD if is_std_behind else Statistic.VALUE


def names_statistics(texts: Sequence[str]) -> bool:
    """Whether a row contains several names of statistics and nothing else."""
    named = (MEAN.fullmatch(text) or STD.fullmatch(text) or OTHER.fullmatch(text) for text in texts)
    return len(texts) > 1 and all(named)

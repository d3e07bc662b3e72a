"""The numbers of a text that may report results, and which statistic the words beside them make them."""

import re
from collections.abc import Sequence
from decimal import Decimal
from itertools import pairwise
from typing import Final, NamedTuple

from grader.claims.numerals import Numeral
from grader.claims.results.fact import Statistic
from grader.claims.results.measures import ACCURACY, ERROR, PLAIN, START, Measure, any_of, as_accuracy, counts_in

_NUMBER: Final = re.compile(
    r"(?:(?<![\w.,^_])|(?<=[\d],)(?=\.\d)"
    r"|(?<=[^\W\d_]{4})(?=\d+[.,]\d{2}))(?<!\d:)(?P<sign>[+±-]?)(?P<value>(?<!\d, )\d{1,2}, \d{1,2}(?="
    r"\s?(?:%|±|\(|$))|(?<=± )\d{1,2}, \d{1,2}"
    r"|\d{1,3}(?:[.,]\d{1,25})?|[.,]\d{1,6})(?![\w^]|[.,]\d|:\d)\s?(?P<percent>%|percent\b|pour[ -]cent\b)?"
)
_GROUPED: Final = re.compile(r"\d{1,3}(?:[ ,.']\d{3})+(?!\d)")

MEAN: Final = re.compile(rf"{START}(?:{any_of('mean')}|m(?=\s?=))|[μµ]|x̄", re.IGNORECASE)
_IS_NAME: Final = r"(?!\s?=?\s?\d\b(?![.,]))"
"""A sigma with a whole number is the name of a run."""
STD: Final = re.compile(
    rf"{START}(?:{any_of('std')}|et(?=\s?[=:])|dev\.(?=\W*$)|sigma\b{_IS_NAME})|σ{_IS_NAME}", re.IGNORECASE
)
OTHER: Final = re.compile(
    rf"{START}(?:{any_of('other_statistic')}|max(?:imum|imal)?\b(?=\W{{0,3}}$)|2?5%|50%|75%)", re.IGNORECASE
)
_MEASURE: Final = re.compile(
    rf"{START}(?:{any_of('other_measure')}|(?:time(?! (?:for|to)\b)|temps(?! (?:de|pour)\b))(?![^\W_]))", re.IGNORECASE
)
_SIGNS: Final = r"[\s=:#°._-]{0,3}$"
_REFERENCE: Final = re.compile(
    rf"\b{any_of('part_of_text', 'product', 'question', 'run', 'epoch', 'step', 'layer')}{_SIGNS}", re.IGNORECASE
)
_NUMBERED: Final = re.compile(rf"\b{any_of('part_of_text', 'product')}{_SIGNS}", re.IGNORECASE)
_UNIT_BEHIND: Final = re.compile(
    rf"\s?(?:{any_of('counted', 'unit', 'run', 'epoch', 'step', 'layer')}|×|e-\d|stds?\b(?!\s?[=:]))", re.IGNORECASE
)
_DIFFERENCE_BEHIND: Final = re.compile(
    r"\s?%?\s?(?:(?:percentage |accuracy |absolute )?p(?:oin)?ts?\b|pp\b|less\b|more\b|better\b|worse\b"
    r"|higher\b|lower\b|de (?:plus|moins|mieux)\b)",
    re.IGNORECASE,
)
_DIFFERENCE_BEFORE: Final = re.compile(
    r"\b(?:differences?|diff[ée]rences?|gaps?|[ée]carts?(?![- ]?type)|gain|deltas?|improvements?|less than"
    r"|more than|plus de|moins de)\b[^.;\d]{0,25}$|[Δ−]\s?$",
    re.IGNORECASE,
)
LOWEST: Final = Decimal(30)
"""In percent; a classifier of two classes is not worse than this."""
_LOWEST_FRACTION: Final = Decimal("0.3")
_HIGHEST_DEVIATION: Final = Decimal(15)


class Figure(NamedTuple):
    """A number with what its own form and the words beside it make of it. `attached`: it is the deviation of the
    figure right before it."""

    number: Numeral
    statistic: Statistic
    attached: bool = False


class _Found(NamedTuple):
    """A number with the sign before it; `is_count`: it was a count of right or wrong examples, and is their share."""

    number: Numeral
    sign: str
    is_count: bool = False


def may_be_accuracy(number: Numeral) -> bool:
    """Whether a number by its form alone may be an accuracy of a classifier that is better than none."""
    if number.percent and number.value < 1:
        return number.value >= _LOWEST_FRACTION and number.resolution <= Decimal("0.001")
    if number.value < 1:
        return number.value >= _LOWEST_FRACTION and number.resolution <= Decimal("0.01")
    return LOWEST <= number.value <= 100


def may_be_deviation(number: Numeral) -> bool:
    """Whether a number by its form alone may be a standard deviation over runs."""
    return number.value < _HIGHEST_DEVIATION and number.resolution < 1


def numbers_in(text: str, measure: Measure = PLAIN) -> list[Numeral]:
    """All numbers from 0 to 100 in a text, without a sign."""
    return [found.number for found in _found(text, measure)]


def _found(text: str, measure: Measure) -> list[_Found]:
    counted = [
        _Found(one.share, _sign_before(text, one.share.start), is_count=True) for one in counts_in(text, measure)
    ]
    grouped = [match.span() for match in _GROUPED.finditer(text) if not _is_decimal(match.group())]
    grouped += [(one.number.start, one.number.end) for one in counted]
    result = []
    for match in _NUMBER.finditer(text):
        if any(start < match.end() and match.start() < end for start, end in grouped):
            continue
        written = match["value"].replace(" ", "").replace(",", ".")
        value = Decimal("0" + written if written.startswith(".") else written)
        if value > 100:
            continue
        exponent = int(value.as_tuple().exponent)
        number = Numeral(
            text=match.group().strip(),
            readings=(value,),
            resolution=Decimal(1).scaleb(min(exponent, 0)),
            start=match.start("value"),
            end=match.end() if match["percent"] else match.end("value"),
            percent=bool(match["percent"]),
        )
        result.append(_Found(number, match["sign"] or _sign_before(text, number.start)))
    if not counted:
        return result
    return _once(text, sorted([*result, *counted], key=lambda one: one.number.start))


def _sign_before(text: str, start: int) -> str:
    return "±" if text[:start].rstrip().endswith("±") else ""


def _once(text: str, found: Sequence[_Found]) -> list[_Found]:
    """The numbers of a text less those that only say a count, or what is said by one, again: `1,612/2,000 (80.6 %)`."""
    result: list[_Found] = []
    for one in found:
        last = result[-1] if result else None
        gap = text[last.number.end : one.number.start] if last else ""
        if last and last.is_count != one.is_count and _SAID_AGAIN.fullmatch(gap) and _are_one(last, one):
            closing = re.match(r"\s?\)", text[one.number.end :])
            end = one.number.end + (closing.end() if closing else 0)
            result[-1] = last._replace(number=last.number.model_copy(update={"end": end}))
            continue
        result.append(one)
    return result


def _are_one(last: _Found, one: _Found) -> bool:
    """Whether a count and a percentage or fraction beside it say the same."""
    count, other = (last.number, one.number) if last.is_count else (one.number, last.number)
    scales = (100, 1) if other.value <= 1 and not other.percent else (1,)
    exact = other.percent or other.resolution < 1
    return exact and any(abs(count.value - other.value * scale) <= other.resolution * scale for scale in scales)


_SAID_AGAIN: Final = re.compile(r"[^\d.;]{0,30}")


def _is_decimal(written: str) -> bool:
    """`0.815` and `66.725` are decimals rather than groups of thousands; so is a number with one comma below 100, but
    `32,000`."""
    return bool(re.fullmatch(r"\d{1,2}(?:\.\d{3}|,(?!000)\d{3})", written))


def figures_in(text: str, measure: Measure = PLAIN) -> list[Figure]:
    """The numbers of a sentence, a list item, a cell or a line that may report accuracies, in order; error rates as the
    accuracies that they are."""
    found = _open_numbers(text, measure)
    sums = [(match.start(), match.end()) for match in _CALCULATION.finditer(text)]
    spans = [(one.number.start, one.number.end) for one in found]
    result: list[Figure] = []
    for index, one in enumerate(found):
        previous = found[index - 1].number if index else None
        head = text[previous.end if previous else 0 : one.number.start]
        inside = next((start for start, end in sums if start <= one.number.start < end), None)
        if previous and _is_deviation(text, result, previous, one, head):
            if result[-1].statistic is Statistic.VALUE:
                result[-1] = result[-1]._replace(statistic=Statistic.MEAN)
            result.append(Figure(one.number, Statistic.STD, attached=True))
        elif inside is None:
            ended = next((start for start, end in sums if 0 <= one.number.start - end <= 3), None)
            before = head if ended is None else text[:ended]
            kind = _inherited(result, previous, head) or _kind(text, one.number, before, spans, index)
            is_rate = kind in (Statistic.VALUE, Statistic.MEAN)
            figures = _admitted(as_accuracy(text, one.number, measure) if is_rate else one.number, kind)
            if kind is Statistic.STD and _is_right_behind(result, previous, head):
                figures = [figure._replace(attached=True) for figure in figures]
            result += figures
        elif not re.search(r"sqrt|√|\^", text[inside : one.number.end + 4]):
            number = as_accuracy(text, one.number, measure)
            result += [Figure(number, Statistic.VALUE)] if may_be_accuracy(number) else []
    return result


def _open_numbers(text: str, measure: Measure) -> list[_Found]:
    """The numbers of a text that the words beside them do not make something else."""
    found: list[_Found] = []
    other: _Found | None = None
    for one in _found(text, measure):
        if one.is_count:
            found.append(one)
            continue
        if _other_measure(text[: one.number.start]):
            other = one
        elif other and _goes_on(text[other.number.end : one.number.start]):
            other = one if one.number.resolution < 1 else other
        elif _is_open(text, one):
            found.append(one)
    return found


def _is_right_behind(result: list[Figure], previous: Numeral | None, head: str) -> bool:
    """Whether an average stands right before a deviation that is named behind its number: `80.7 on average, 0.6
    std`."""
    is_mean = bool(result) and result[-1].number is previous and result[-1].statistic is Statistic.MEAN
    return is_mean and len(head) < 40 and not re.search(r"[.;]\s", head)


_PAIR_ALONE: Final = re.compile(r"[\s(\[]*\d{1,3}[.,]\d+[\s,;]+\d{1,2}[.,]\d+(?:\.{3}|…)?[\s)\]]*")
"""Two numbers alone on a line, as `print(mean, std)` writes them."""


def _inherited(result: list[Figure], previous: Numeral | None, head: str) -> Statistic | None:
    """The statistic of the number before a stroke, which is that of the number behind it, too: `mean 81.3 / 79.5`."""
    if previous is None or not result or result[-1].number is not previous:
        return None
    return result[-1].statistic if re.fullmatch(r"\s*%?\s*/\s*", head) else None


def _admitted(number: Numeral, kind: Statistic) -> list[Figure]:
    """A figure of a kind that its number can be."""
    if kind is Statistic.STD and not (may_be_deviation(number) or number.percent):
        kind = Statistic.OTHER
    is_coarse_mean = kind is Statistic.MEAN and not number.percent and _LOWEST_FRACTION <= number.value < 1
    is_rate = kind in (Statistic.VALUE, Statistic.MEAN)
    if is_rate and not (is_coarse_mean or may_be_accuracy(number)) and may_be_deviation(number):
        kind = Statistic.OTHER
    is_figure = is_coarse_mean or kind in (Statistic.STD, Statistic.OTHER) or may_be_accuracy(number)
    return [Figure(number, kind)] if is_figure else []


def _is_open(text: str, one: _Found) -> bool:
    """Whether the words around a number leave open that it is an accuracy or a deviation."""
    number = one.number
    before, behind = text[max(0, number.start - 60) : number.start], text[number.end : number.end + 40]
    whole = number.resolution == 1 and not number.percent
    if one.sign in ("+", "-") and not re.search(r"[\w)%]\s?[+-]$", before):
        return False
    if whole and (_REFERENCE.search(before) or _UNIT_BEHIND.match(behind)):
        return False
    if _NUMBERED.search(before):
        return False
    if (
        not number.percent
        and number.resolution < 1
        and re.match(r"\s?(?:s\b|min|hours?|heures?|gi?b\b|go\b|m\b|×|standard err)", behind, re.IGNORECASE)
    ):
        return False
    if _DIFFERENCE_BEHIND.match(behind) and not _STD_BEFORE.search(before):
        return False
    return not _DIFFERENCE_BEFORE.search(before)


_STD_BEFORE: Final = re.compile(
    rf"(?:{STD.pattern})[^\d.;]{{0,25}}(?:\d[\d.,]*\s\w+\s?[=(,≈]\D{{0,12}})?$", re.IGNORECASE
)
"""Words that make a deviation of a number of points."""


def _goes_on(gap: str) -> bool:
    """Whether a number is of the same other measure as the one before it: `a loss of 0.61, seed 2 of 0.65`."""
    return len(gap) <= 20 and bool(re.search(r"\b(?:seed|run|graine)\b", gap)) and not ACCURACY.search(gap)


_CALCULATION: Final = re.compile(r"(?:sqrt|√|\()[^=\n]*[+][^=\n]*=(?=\s*\d)")
"""A calculation up to the sign before its result: `(79.3 + 78.5 + 80.1) / 3 =`."""


def is_other_measure(label: str) -> bool:
    """Whether a label names another measure than accuracy, or the training set."""
    named = bool(_MEASURE.search(label)) and not (ACCURACY.search(label) or ERROR.search(label))
    return named or bool(_TRAINING.search(label))


_TRAINING: Final = re.compile(
    r"\btrain(?:ing)?[ -]acc\w*|^\W*(?:train|training|entra[îi]nement)(?: set| \(%\))?\W*$", re.IGNORECASE
)


def _other_measure(before: str) -> bool:
    """Whether the last measure that is named before a number is another one: `a loss of 0.61`."""
    clause = re.split(r"[.;|](?=\s)|,\s", before)[-1]
    others = [match.end() for match in _MEASURE.finditer(clause)]
    if not others:
        return False
    accuracies = [match.end() for pattern in (ACCURACY, ERROR) for match in pattern.finditer(clause)]
    return not accuracies or max(accuracies) < others[-1]


def _is_deviation(text: str, result: list[Figure], previous: Numeral, one: _Found, head: str) -> bool:
    """Whether a number is the deviation of the accuracy before it: `a ± d`, `a (d)`, `mean a, std d`."""
    if not result or result[-1].number is not previous or result[-1].statistic in (Statistic.STD, Statistic.OTHER):
        return False
    number = one.number
    small = number.value < _HIGHEST_DEVIATION
    if one.sign == "±" or re.search(r"±\s*$", head):
        return small
    if result[-1].statistic is Statistic.MEAN and STD.search(head):
        behind = _BEHIND_MEAN.match(head)
        return small and not MEAN.search(head, behind.end() if behind else 0)
    if _PAIR_ALONE.fullmatch(text):
        return small and number.resolution < 1
    if STD.search(head) and re.fullmatch(
        r"\s*%?\s*[(,;]?\s*(?:and|et|with|avec|for)?\s*(?:an?|une?|the)?\s*[^\d.;]{0,30}", head
    ):
        return small
    if small and not number.value.is_zero() and may_be_deviation(number):
        bracket = re.fullmatch(r"\s*%?\s*\(\s*(?:(?:s|sd|std|±|\+/-)\s*=?\s*)?", head, re.IGNORECASE)
        closed = re.match(rf"\s*(?:%|points?|pts?)?\s*(?P<word>{STD.pattern})?\s*\)", text[number.end :], re.IGNORECASE)
        named = bool(closed and closed["word"] and re.fullmatch(r"[^\d.;()]{0,30}\(\s*", head))
        if closed and (bracket or named):
            return True
        announced = MEAN.search(text[: previous.start]) and STD.search(text[: previous.start])
        return bool(announced and re.fullmatch(r"\s*%?\s*(?:and|et|,|;|/)\s*", head))
    return False


_BEHIND_MEAN: Final = re.compile(r"\s?%?\s?(?:(?:on|in) average|en moyenne|de moyenne|average|mean\b)", re.IGNORECASE)
_OWN_NUMBER: Final = re.compile(r"(?!\s+(?:et|and)\b)[^.;,]{0,40}?\d")
"""A word such as `average` that a number follows is that one's: `82.0 average accuracy 83.5`."""
_BEHIND_STD: Final = re.compile(
    rf"\s?%?\s?(?:de |of |in )?(?:{STD.pattern})(?!\s?(?:[=:]|of|is|de)?\s?\d)", re.IGNORECASE
)


def _kind(text: str, number: Numeral, head: str, spans: list[tuple[int, int]], index: int) -> Statistic:
    """The statistic that the words before a number name, back to the number before it, else those right behind it."""
    behind = text[number.end :]
    following = spans[index + 1][0] - number.end if index + 1 < len(spans) else len(behind)
    means = [match.end() for match in MEAN.finditer(head)]
    stds = [match.end() for match in STD.finditer(head)]
    others = [match.end() for match in OTHER.finditer(head)]
    last = max((*means, *stds, *others), default=None)
    if last is not None and not re.search(r"[.;:](?=\s)[^.;:]*[.;:](?=\s)", head[last:]):
        if means and stds and max(means) < max(stds) and may_be_accuracy(number):
            return Statistic.MEAN
        return Statistic.MEAN if last in means else Statistic.STD if last in stds else Statistic.OTHER
    behind_mean = _BEHIND_MEAN.match(behind)
    if behind_mean and _OWN_NUMBER.match(behind, behind_mean.end()) and "n average" not in behind_mean.group():
        behind_mean = None
    if (
        behind_mean
        and behind_mean.end() <= following
        and not re.match(r"\W{0,3}(?:of |is |de )?\d", behind[behind_mean.end() :])
    ):
        return Statistic.MEAN
    if _BEHIND_STD.match(behind):
        return Statistic.STD
    return Statistic.VALUE


_JOINT: Final = re.compile(
    r"\s*%?\s*(?:\([^()\d]{0,12}\))?\s*(?:,(?:\s*(?:\d{1,6}|\"[^\"]{1,30}\"|'[^']{1,30}')\s*:)?|;|/|\||-|and|et|&|\+|puis|then|,\s*(?:and|et|then|puis))\s*(?:(?:finally|enfin|also)\s*)?",
    re.IGNORECASE,
)


def listed(text: str, numbers: list[Numeral]) -> list[list[Numeral]]:
    """Runs of numbers with nothing between them but what joins the members of a list."""
    runs: list[list[Numeral]] = [[number] for number in numbers[:1]]
    for before, after in pairwise(numbers):
        if _JOINT.fullmatch(text[before.end : after.start]):
            runs[-1].append(after)
        else:
            runs.append([after])
    return runs


_PLAIN: Final = re.compile(r"(?<!\d)(?<!\d[.,])(?:\d{2}[.,]\d{1,2}|0[.,]\d{2,5})(?!\d)")


def unseen(text: str) -> list[re.Match[str]]:
    """Where a text holds what may be an accuracy and was not taken for a number at all, as in words run together."""
    seen = {number.value for number in numbers_in(text)}
    plain = ((match, Decimal(match.group().replace(",", "."))) for match in _PLAIN.finditer(text))
    return [match for match, value in plain if value not in seen and (value >= LOWEST or value <= 1)]

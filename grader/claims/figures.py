"""What the figures of a sentence are: accuracies of seeds, means, deviations, or something else altogether."""

import re
from collections.abc import Iterator
from itertools import pairwise

from grader.claims.accuracy import may_be_accuracy
from grader.claims.numerals import Numeral, percentages
from grader.claims.wording import ACCURACY, MEAN, OTHER_MEASURE, SEED, SEED_LIST, SEEDS, STD
from grader.frozen import Frozen

_PAIR = re.compile(r"±\s*$")
_REFERENCE = re.compile(
    r"\b(?:figures?|fig\.?|tables?|tableau|tasks?|questions?|sections?|equations?|max_epoch|lr)\W{0,3}$", re.IGNORECASE
)
_ORDINAL = re.compile(
    r"\b(?:steps?|epochs?|[ée]poques?|seeds?|graines?|batch(?: size)?|of size|updates?|checkpoint|layers?)"
    r"\W{0,3}(?:\d{1,4}(?:, ?|,? (?:and|et|&|or) ))*$",
    re.IGNORECASE,
)
_OTHER_UNIT = re.compile(
    r"\s?(?:steps?|epochs?|[ée]poques?|seeds?|graines?|updates?|points?|tokens?|examples?|samples?|reviews?|models?|runs?|times|×"
    r"|hours?|minutes?|seconds?|s\b|gb\b|e-\d)",
    re.IGNORECASE,
)
_STD_BEHIND = re.compile(rf"\s?%?\s?[(,;]\s?(?:with )?(?:an? )?(?:{STD.pattern})[^.;\d]{{0,15}}\d", re.IGNORECASE)
_MEAN_BEHIND = re.compile(rf"\s?%?\s?(?:(?:on|in) average|en moyenne|(?:{MEAN.pattern}))", re.IGNORECASE)
_DEVIATION_BEHIND = re.compile(rf"\s?%?\s?(?:{STD.pattern})", re.IGNORECASE)
_OWN_FIGURE = re.compile(r"(?:\s\w+)?\s?(?:of|is|was|:|=|est|de)\s?\d|\s?\d|(?:\s\w+){1,3}\s\d+[.,]\d", re.IGNORECASE)
_DIFFERENCE = re.compile(r"\s?%?\s?(?:percentage )?points?\b", re.IGNORECASE)


class Figures(Frozen):
    """The figures of one sentence: means, deviations, and those that are neither."""

    means: tuple[Numeral, ...]
    stds: tuple[Numeral, ...]
    others: tuple[Numeral, ...]


def accuracy_figures(text: str) -> tuple[Numeral, ...]:
    """The numbers of a sentence that may be accuracies or their deviations, in order."""
    return tuple(number for number in percentages(text) if _may_be_accuracy(text, number))


def figures(text: str) -> Figures:
    """The numbers of a sentence by what they are."""
    numbers = list(accuracy_figures(text))
    kinds = [(_statistic(text, number, numbers), number) for number in numbers]
    return Figures(
        means=tuple(number for kind, number in kinds if kind == "mean"),
        stds=tuple(number for kind, number in kinds if kind == "std"),
        others=tuple(number for kind, number in kinds if kind is None),
    )


def paired(means: tuple[Numeral, ...], stds: tuple[Numeral, ...]) -> Iterator[tuple[Numeral | None, Numeral | None]]:
    """Each mean with the first deviation behind it and before the next mean; one of each belong together anyway."""
    if len(means) == len(stds) == 1:
        yield means[0], stds[0]
        return
    rest = list(stds)
    for index, mean in enumerate(means):
        limit = means[index + 1].start if index + 1 < len(means) else None
        std = next((s for s in rest if s.start > mean.start and (limit is None or s.start < limit)), None)
        if std:
            rest.remove(std)
        yield mean, std
    yield from ((None, std) for std in rest)


def by_seed(text: str, numbers: tuple[Numeral, ...], seeds: int) -> Iterator[tuple[int, int, Numeral]]:
    """Where its seed is named, seed, and number: the seed named before a number, the only one named, or a list of one
    number for each seed."""
    listed = [number for number in numbers if may_be_accuracy(number)]
    several = SEED_LIST.search(text)
    if several:
        named_seeds = [int(seed) for seed in re.findall(r"\d+", several.group(1))]
        if len(named_seeds) == len(listed):
            yield from ((number.start, seed, number) for seed, number in zip(named_seeds, listed, strict=True))
    elif (named := list(SEED.finditer(text))) and _all_before(named, listed):
        yield from ((one.start, int(seed.group(1)), one) for seed, one in zip(named, listed, strict=True))
    elif named:
        for number in numbers:
            before = [match for match in named if match.end() <= number.start]
            if before or len(named) == 1:
                mention = before[-1] if before else named[0]
                yield mention.start(), int(mention.group(1)), number
    elif len(listed) == seeds and (SEEDS.search(text) or _is_list(text, listed)):
        yield from ((number.start, seed, number) for seed, number in enumerate(listed, start=1))


def _all_before(named: list[re.Match[str]], numbers: list[Numeral]) -> bool:
    """Whether several seeds are named first and as many numbers follow: `seed 0 / seed 1: 79.3 / 78.5`."""
    return 1 < len(named) == len(numbers) and named[-1].end() <= numbers[0].start


def _is_list(text: str, numbers: list[Numeral]) -> bool:
    """Whether numbers stand as one list in brackets: `accuracies: [79.3, 78.5, 80.1]`."""
    opened = re.search(r"[\[({]\s*$", text[: numbers[0].start])
    between = [text[one.end : other.start] for one, other in pairwise(numbers)]
    closed = re.match(r"\s*[\])}]", text[numbers[-1].end :])
    return bool(opened and closed and ACCURACY.search(text)) and all(gap.strip() in (",", ";") for gap in between)


def _may_be_accuracy(text: str, number: Numeral) -> bool:
    """Whether the words around a number leave open that it is an accuracy: it counts, numbers or names nothing else."""
    before = text[max(0, number.start - 40) : number.start]
    whole = number.resolution == 1 and not number.percent
    if whole and (_ORDINAL.search(before) or _OTHER_UNIT.match(text, number.end)):
        return False
    if _other_measure(text[: number.start]):
        return False
    return not _REFERENCE.search(before) and not _DIFFERENCE.match(text, number.end)


def _other_measure(before: str) -> bool:
    """Whether the last measure that is named before a number is another one: `a loss of 0.61`."""
    others = [match.end() for match in OTHER_MEASURE.finditer(before)]
    accuracies = [match.end() for match in ACCURACY.finditer(before)]
    return bool(others) and (not accuracies or accuracies[-1] <= others[-1])


def _statistic(text: str, number: Numeral, numbers: list[Numeral]) -> str | None:
    """`mean`, `std` or None for a number, by `±` and by the words before it, else by the word right after it."""
    if _PAIR.search(text[max(0, number.start - 12) : number.start]):
        return "std"
    if re.match(r"\s*\(?\s*±", text[number.end :]):
        return "mean"
    behind = _named_behind(text, number)
    if behind:
        return behind
    previous = max((other.end for other in numbers if other.end <= number.start), default=0)
    means = [match.end() for match in MEAN.finditer(text, previous, number.start)]
    stds = [match.end() for match in STD.finditer(text, previous, number.start)]
    if means and stds:
        announced = means[-1] < stds[-1] and _follows(text, number, numbers)
        return "mean" if previous == 0 or announced else _later(means, stds)
    if means or stds:
        return _later(means, stds)
    if previous and _pair_announced(text, number, numbers):
        return "std"
    return "mean" if _STD_BEHIND.match(text, number.end) else None


def _named_behind(text: str, number: Numeral) -> str | None:
    """What the words right behind a number call it: `79.3 % average accuracy`, `0.65 % std`, `79.3 % on average`. A
    word that a figure of its own follows belongs to that figure."""
    for kind, pattern in (("mean", _MEAN_BEHIND), ("std", _DEVIATION_BEHIND)):
        match = pattern.match(text, number.end)
        if match and not _OWN_FIGURE.match(text, match.end()):
            return kind
    return None


def _later(means: list[int], stds: list[int]) -> str:
    return "mean" if (means or [-1])[-1] > (stds or [-1])[-1] else "std"


def _follows(text: str, number: Numeral, numbers: list[Numeral]) -> bool:
    """Whether another number comes right after this one, as in `mean and deviation of 79.5 and 0.7`."""
    return any(number.end < other.start <= number.end + 12 for other in numbers)


def _pair_announced(text: str, number: Numeral, numbers: list[Numeral]) -> bool:
    """Second number of `mean and deviation of 79.5 and 0.7`: both words stand before the first number."""
    previous = max((other for other in numbers if other.end <= number.start), key=lambda other: other.end)
    head = text[max(0, previous.start - 80) : previous.start]
    joined = re.fullmatch(r"\s*%?\s*(?:and|et|,|;|/|\()\s*", text[previous.end : number.start])
    return bool(joined and MEAN.search(head) and STD.search(head))

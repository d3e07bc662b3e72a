"""Accuracies in sentences, list items and equations."""

import re
from collections.abc import Iterator

from grader.claims.accuracy import AccuracyClaims, SeedAccuracy, Summary
from grader.claims.numerals import Numeral, percentages
from grader.claims.passage import Passage
from grader.claims.statements import Statement, statements
from grader.claims.wording import (
    MEAN,
    SEED,
    SEEDS,
    STD,
    belonging,
    experiments_named,
    is_attached,
    split_of_label,
    words_pattern,
)
from grader.frozen import Frozen
from grader.lab.definition import Lab

_PAIR = re.compile(r"%?\s*\(?\s*±\s*$")
_OTHER_NUMBER = re.compile(
    r"\b(?:steps?|epochs?|[ée]poques?|seeds?|graines?|figures?|fig\.?|tables?|tableau|tasks?|questions?|batch(?: size)?"
    r"|of size|updates?|checkpoint|section|equation|max_epoch|lr|layers?)"
    r"\W{0,3}(?:\d{1,4}(?:, ?|,? (?:and|et|&|or) ))*$",
    re.IGNORECASE,
)
_OTHER_UNIT = re.compile(
    r"\s?(?:steps?|epochs?|[ée]poques?|seeds?|graines?|updates?|points?|tokens?|examples?|samples?|reviews?|models?|runs?|times|×"
    r"|hours?|minutes?|s\b|gb\b|e-\d)",
    re.IGNORECASE,
)
_DIFFERENCE = re.compile(r"\s?%?\s?(?:percentage )?points?\b", re.IGNORECASE)
_CHANCE = 30
"""A bare whole number below this, in percent, is no accuracy of a binary task."""


class _Context(Frozen):
    """What the sentences so far say about those to come."""

    experiment: str | None
    splits: tuple[str, ...]


def read(passage: Passage, own: tuple[str, ...], lab: Lab) -> AccuracyClaims:
    """Accuracies in the statements of a passage. `own` are the experiments that its heading announces."""
    all_statements = list(statements(passage))
    whole = " ".join(statement.text for statement in all_statements)
    mentioned = tuple(split.id for split in lab.splits if words_pattern(split.words).search(whole))
    context = _Context(experiment=own[0] if len(own) == 1 else None, splits=mentioned)
    claims = AccuracyClaims()
    for statement in all_statements:
        context = _led(context, statement, lab)
        claims = claims.joined(_of_statement(statement, passage, context, lab))
    return claims


def _led(context: _Context, statement: Statement, lab: Lab) -> _Context:
    """A heading, or a line that ends in a colon, says what the following lines are about."""
    if not statement.is_lead:
        return context
    named = experiments_named(statement.text, lab)
    experiment = named[0] if len(named) == 1 and not _is_like(context.experiment, lab) else context.experiment
    split = split_of_label(statement.text, lab.splits)
    return _Context(experiment=experiment, splits=(split,) if split else context.splits)


def _is_like(experiment: str | None, lab: Lab) -> bool:
    """Whether other experiments' words also describe this one, so that they do not lead away from it."""
    return any(one.id == experiment and one.like for one in lab.experiments)


def _of_statement(statement: Statement, passage: Passage, context: _Context, lab: Lab) -> AccuracyClaims:
    numbers = [number for number in percentages(statement.text) if _may_be_accuracy(statement.text, number)]
    summaries: list[Summary] = []
    rest: list[Numeral] = []
    means: list[Numeral] = []
    stds: list[Numeral] = []
    for number in numbers:
        {"mean": means, "std": stds, None: rest}[_statistic(statement.text, number, numbers)].append(number)
    for index in range(max(len(means), len(stds))):
        mean = means[index] if index < len(means) else None
        std = stds[index] if index < len(stds) else None
        summaries.append(_summary(statement, passage, context, lab, mean, std))
    given: dict[tuple[int, str | None], list[SeedAccuracy]] = {}
    for mention, seed, number in _by_seed(statement.text, rest, lab):
        if _plausible(number):
            claim = _seed(statement, passage, context, lab, seed, number)
            given.setdefault((mention, claim.split), []).append(claim)
    # A mention of a seed that seems to have two accuracies on one split, such as the row of a table that lost its
    # columns, was not understood: none of its figures is taken.
    seeds = [claims[0] for claims in given.values() if len(claims) == 1]
    return AccuracyClaims(seeds=tuple(seeds), summaries=tuple(summaries))


def _may_be_accuracy(text: str, number: Numeral) -> bool:
    before = text[max(0, number.start - 40) : number.start]
    counts_things = number.resolution == 1 and not number.percent and _OTHER_UNIT.match(text, number.end)
    return not _OTHER_NUMBER.search(before) and not counts_things and not _DIFFERENCE.match(text, number.end)


def _plausible(number: Numeral) -> bool:
    return number.percent or number.resolution < 1 or number.value >= _CHANCE


def _statistic(text: str, number: Numeral, numbers: list[Numeral]) -> str | None:
    """`mean`, `std` or None for a number, by `±` and by the words before it, else by the word right after it."""
    if _PAIR.search(text[: number.start]):
        return "std"
    if re.match(r"\s*\(?\s*±", text[number.end :]):
        return "mean"
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
    after = text[number.end : number.end + 25]
    if re.match(r"\W{0,3}(?:on average|in average|en moyenne|mean\b)", after, re.IGNORECASE):
        return "mean"
    return "std" if re.match(r"\W{0,3}(?:std\b|standard deviation)", after, re.IGNORECASE) else None


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


def _by_seed(text: str, numbers: list[Numeral], lab: Lab) -> Iterator[tuple[int, int, Numeral]]:
    """Where its seed is named, seed, and number: the seed named before a number, the only one named, or a list of one
    number for each seed."""
    named = list(SEED.finditer(text))
    if named:
        for number in numbers:
            before = [match for match in named if match.end() <= number.start]
            if before or len(named) == 1:
                mention = before[-1] if before else named[0]
                yield mention.start(), int(mention.group(1)), number
    elif SEEDS.search(text):
        listed = [number for number in numbers if _plausible(number)]
        if len(listed) == lab.seeds:
            yield from ((number.start, seed, number) for seed, number in enumerate(listed, start=1))


def _where(statement: Statement, number: Numeral, context: _Context, lab: Lab) -> tuple[str | None, str | None]:
    """Experiment and split of a number: the words that it belongs to, else what the context says."""
    split = belonging(statement.text, number.start, number.end, lab.splits)
    experiment = context.experiment
    if not _is_like(experiment, lab):
        experiment = _experiment(statement.text, number, lab, experiment)
    return experiment, split or (context.splits[0] if len(context.splits) == 1 else None)


def _experiment(text: str, number: Numeral, lab: Lab, otherwise: str | None) -> str | None:
    """The experiment of a number. Where a sentence compares several, only one named right by the number counts."""
    named = experiments_named(text, lab)
    candidates = [one for one in lab.experiments if one.id in named]
    if len(named) < 2:
        return named[0] if named else otherwise
    others = [other for other in percentages(text) if _may_be_accuracy(text, other)]
    previous = max((other.end for other in others if other.end <= number.start), default=0)
    following = min((other.start for other in others if other.start >= number.end), default=len(text))
    own = experiments_named(text[previous : number.start], lab)
    if own:
        return own[0] if len(own) == 1 else None
    behind = text[number.end : following]
    return belonging(behind, 0, 0, candidates) if is_attached(behind, candidates) else None


def _seed(
    statement: Statement, passage: Passage, context: _Context, lab: Lab, seed: int, number: Numeral
) -> SeedAccuracy:
    experiment, split = _where(statement, number, context, lab)
    place = passage.evidence(statement.start + number.start, statement.start + number.end)
    return SeedAccuracy.of(experiment, split, seed, number, place)


def _summary(
    statement: Statement, passage: Passage, context: _Context, lab: Lab, mean: Numeral | None, std: Numeral | None
) -> Summary:
    numbers = [number for number in (mean, std) if number]
    experiment, split = _where(statement, numbers[0], context, lab)
    start, end = min(number.start for number in numbers), max(number.end for number in numbers)
    place = passage.evidence(statement.start + start, statement.start + end)
    return Summary.of(experiment, split, mean, std, place)

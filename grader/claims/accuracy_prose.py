"""Accuracies in sentences, list items and equations."""

from grader.claims.accuracy import AccuracyClaims, SeedAccuracy, Summary, may_be_accuracy
from grader.claims.figures import accuracy_figures, by_seed, figures, paired
from grader.claims.moment import Moment, moment_around
from grader.claims.numerals import Numeral
from grader.claims.passage import Passage
from grader.claims.statements import Statement, statements
from grader.claims.wording import (
    CHOICE,
    CHOSEN_BY,
    SEED,
    belonging,
    experiments_named,
    is_attached,
    split_of_label,
    words_pattern,
)
from grader.frozen import Frozen
from grader.lab.definition import Experiment, Lab
from grader.reading.document import BlockKind

_SHORT = 40
_LONGEST = 1_500
"""A longer run of text, in characters, is no sentence but a log or a lost table."""


class _Context(Frozen):
    """What the sentences so far say about those to come. `seed`: the list item above names it for those below."""

    experiment: str | None
    splits: tuple[str, ...]
    seed: int | None = None


def read(passage: Passage, own: tuple[str, ...], lab: Lab) -> AccuracyClaims:
    """Accuracies in the statements of a passage. `own` are the experiments that its heading announces."""
    all_statements = list(statements(passage))
    context = _Context(experiment=own[0] if len(own) == 1 else None, splits=_mentioned(all_statements, lab))
    claims = AccuracyClaims()
    for statement in all_statements:
        context = _led(context, statement, lab).model_copy(update={"seed": _seed_above(context, statement, passage)})
        claims = claims.joined(_of_statement(statement, passage, context, lab))
    return claims


def _mentioned(all_statements: list[Statement], lab: Lab) -> tuple[str, ...]:
    """The splits that are spoken of, other than as what chooses a checkpoint."""
    return tuple(
        split.id
        for split in lab.splits
        if any(
            not CHOSEN_BY.search(statement.text[: match.start()]) or not CHOICE.search(statement.text)
            for statement in all_statements
            for match in words_pattern(split.words).finditer(statement.text)
        )
    )


def _led(context: _Context, statement: Statement, lab: Lab) -> _Context:
    """A heading, or a line that ends in a colon, says what the following lines are about."""
    if not statement.is_lead:
        return context
    named = experiments_named(statement.text, lab)
    experiment = named[0] if len(named) == 1 and not _is_like(context.experiment, lab) else context.experiment
    split = split_of_label(statement.text, lab.splits)
    return _Context(experiment=experiment, splits=(split,) if split else context.splits)


def _seed_above(context: _Context, statement: Statement, passage: Passage) -> int | None:
    """The seed of the items of a list below `- Seed 1`, up to the next seed or the end of the list."""
    named = SEED.findall(statement.text)
    if named or passage.block_at(statement.start).kind is not BlockKind.LIST_ITEM:
        alone = len(named) == 1 and len(statement.text) <= _SHORT and not accuracy_figures(statement.text)
        return int(named[0]) if alone else None
    return context.seed


def _is_like(experiment: str | None, lab: Lab) -> bool:
    """Whether other experiments' words also describe this one, so that they do not lead away from it."""
    return any(one.id == experiment and one.like for one in lab.experiments)


def _of_statement(statement: Statement, passage: Passage, context: _Context, lab: Lab) -> AccuracyClaims:
    if len(statement.text) > _LONGEST:
        return AccuracyClaims()
    found = figures(statement.text)
    summaries = [_summary(statement, passage, context, lab, mean, std) for mean, std in paired(found.means, found.stds)]
    given: dict[tuple[int, str | None], list[SeedAccuracy]] = {}
    pairs = list(by_seed(statement.text, found.others, lab.seeds))
    if not pairs and context.seed is not None:
        pairs = [(0, context.seed, number) for number in found.others]
    for mention, seed, number in pairs:
        if may_be_accuracy(number):
            claim = _seed(statement, passage, context, lab, seed, number)
            given.setdefault((mention, claim.split), []).append(claim)
    # A mention of a seed that seems to have two accuracies on one split, such as the row of a table that lost its
    # columns, was not understood: none of its figures is taken.
    seeds = [claims[0] for claims in given.values() if len(claims) == 1]
    return AccuracyClaims(seeds=tuple(seeds), summaries=tuple(summaries))


def _where(statement: Statement, numbers: list[Numeral], context: _Context, lab: Lab) -> tuple[str | None, str | None]:
    """Experiment and split of numbers that stand together: the words they belong to, else what the context says."""
    start, end = min(number.start for number in numbers), max(number.end for number in numbers)
    split = belonging(statement.text, start, end, lab.splits)
    experiment = context.experiment
    if not _is_like(experiment, lab):
        experiment = _experiment(statement.text, numbers[0], lab, experiment)
    return experiment, split or (context.splits[0] if len(context.splits) == 1 else None)


def _experiment(text: str, number: Numeral, lab: Lab, otherwise: str | None) -> str | None:
    """The experiment of a number. Where a sentence compares several, only one named right by the number counts."""
    named = experiments_named(text, lab)
    candidates = [one for one in lab.experiments if one.id in named]
    if len(named) < 2:
        return _named_or_own(text, number, candidates, otherwise)
    others = accuracy_figures(text)
    previous = max((other.end for other in others if other.end <= number.start), default=0)
    following = min((other.start for other in others if other.start >= number.end), default=len(text))
    own = experiments_named(text[previous : number.start], lab)
    if own:
        return own[0] if len(own) == 1 else None
    behind = text[number.end : following]
    return belonging(behind, 0, 0, candidates) if is_attached(behind, candidates) else None


def _named_or_own(text: str, number: Numeral, candidates: list[Experiment], own: str | None) -> str | None:
    """Where one experiment is named: it, if it is named before the number or right behind it, or nothing else is
    known; else the one that the section is about."""
    if not candidates:
        return own
    (named,) = candidates
    before = words_pattern(named.words).search(text[: number.start])
    return named.id if own is None or before or is_attached(text[number.end :], candidates) else own


def _seed(
    statement: Statement, passage: Passage, context: _Context, lab: Lab, seed: int, number: Numeral
) -> SeedAccuracy:
    experiment, split = _where(statement, [number], context, lab)
    place = passage.evidence(statement.start + number.start, statement.start + number.end)
    return SeedAccuracy.of(experiment, split, seed, number, place, _moment(statement.text, [number]))


def _moment(text: str, numbers: list[Numeral]) -> Moment:
    """When the figures that stand together were measured, as the words between them and their neighbours say it."""
    start, end = min(number.start for number in numbers), max(number.end for number in numbers)
    others = accuracy_figures(text)
    before = max((other.end for other in others if other.end <= start), default=0)
    after = min((other.start for other in others if other.start >= end), default=len(text))
    return moment_around(text, start, end, before, after)


def _summary(
    statement: Statement, passage: Passage, context: _Context, lab: Lab, mean: Numeral | None, std: Numeral | None
) -> Summary:
    numbers = [number for number in (mean, std) if number]
    experiment, split = _where(statement, numbers, context, lab)
    start, end = min(number.start for number in numbers), max(number.end for number in numbers)
    place = passage.evidence(statement.start + start, statement.start + end)
    return Summary.of(experiment, split, mean, std, place, moment=_moment(statement.text, numbers))

"""Owners of figures: the experiment that words and arithmetic leave for each series and each average."""

from collections.abc import Callable, Sequence
from decimal import Decimal
from itertools import product
from statistics import fmean
from typing import Final, NamedTuple

from grader.claims.results.fact import Fact, Nearness, Role, Statistic, in_unit
from grader.claims.results.measures import the_only
from grader.claims.results.series import Series, Settled, first_facts, is_fine, put_together
from grader.lab.definition import Lab
from grader.lab.experiments import Measure


def settled(facts: Sequence[Fact], lab: Lab, measure: Measure) -> Settled:
    """The facts about a measure put together into series and averages, each with its owner."""
    found, rest = put_together(facts, lab, measure)
    return last_ones(uncontested(found, rest), rest, lab)


def _given(
    found: Settled, role: Role, is_series: Callable[[Series], bool], is_mean: Callable[[Fact, Series | None], bool]
) -> Settled:
    """Return the settled figures, with an experiment given to some series, and to some averages."""

    def own(series: Series) -> Series:
        return series._replace(experiment=role) if is_series(series) else series

    return found._replace(
        series=tuple(map(own, found.series)),
        summaries=tuple(
            (
                mean.model_copy(update={"experiment": role}) if is_mean(mean, source) else mean,
                None if source is None else own(source),
            )
            for mean, source in found.summaries
        ),
    )


def uncontested(found: Settled, facts: Sequence[Fact]) -> Settled:
    """Return the settled figures without contested owners.

    Words that are further away give an experiment to figures too far from those of the same experiment and split that
    are nearer to its name, or come first: no experiment has both. Figures with an average take precedence over an
    account of fewer runs. Words that only hint at an experiment give it to no figures if there are others that they
    would give it to as well.
    """
    averaged = {tuple(source.values) for _, source in found.summaries if source is not None}
    whole = [one for one in found.series if one.has_runs]
    known_values = {fact.number.value for one in found.series for own_facts in one.runs.values() for fact in own_facts}
    open_ones = {
        fact.experiment.value
        for fact in facts
        if fact.is_without_run and fact.number.has_decimals
        if fact.number.value >= _LIKELY and fact.number.value not in known_values
        if not fact.experiment.is_worded and not fact.number.is_plain
    }
    for series in whole:
        if not series.experiment.is_worded and series.experiment.value in open_ones:
            found = _without_experiment(found, series)
    for series in sorted(whole, key=_rank):
        for other in whole:
            if (
                other is not series
                and other.owner == series.owner
                and series.experiment.value is not None
                and set(series.values).isdisjoint(other.values)
                and (
                    len(series.runs) >= len(other.runs)
                    or {tuple(series.values), tuple(other.values)} & averaged != {tuple(other.values)}
                )
                and _is_farther(other, series)
            ):
                found = _without_experiment(found, other)
    return found


def _rank(series: Series) -> tuple[int, int, int]:
    return -min(series.experiment.nearness, Nearness.HEADING), series.unit, series.order


def _is_farther(other: Series, series: Series) -> bool:
    """Whether the words that give an experiment to a series stand further away than those that give it to another one;
    or as far, and its figures are of another size than those of the first one."""
    if series.experiment.is_beside and not other.experiment.is_beside:
        return True
    means = fmean(series.values), fmean(other.values)
    is_plain = first_facts(series)[0].number.is_plain
    is_apart = abs(means[0] - means[1]) > (max(map(abs, means)) * _APART_SHARE if is_plain else _APART)
    return is_apart and not other.experiment.is_beside and _rank(series) < _rank(other)


_LIKELY: Final = Decimal(50)
"""In percent; few figures of this size are no accuracies."""
_APART: Final = 5
_APART_SHARE: Final = 0.25
"""Points of a percentage, and a share of other averages; those of one experiment on one split do not differ by
more."""


def _without_experiment(found: Settled, contested: Series) -> Settled:
    """Return the settled figures, with the experiment of a series and of its average left open."""

    def is_it(series: Series | None) -> bool:
        return series is not None and (series.values, series.experiment.value) == (
            contested.values,
            contested.experiment.value,
        )

    return _given(found, Role(), is_it, lambda _, source: is_it(source))


def last_ones(found: Settled, facts: Sequence[Fact], lab: Lab) -> Settled:
    """Return the settled figures, with the experiments without reported figures given to the figures without an
    experiment.

    One such experiment is given to the only such figures, several in the lab's order if the text reports all in that
    order. If these figures are all of one split, figures of another split, as in an appendix, are separate. An
    experiment that has the only figure of its kind, such as that of a single run, counts as reported.
    """
    groups = _groups(found)
    splits = {fact.split.value for group in groups if group.experiment is None for fact in group.facts}
    if the_only(splits):
        groups = [group for group in groups if any(fact.split.value in {*splits, None} for fact in group.facts)]
    named = [group.experiment for group in groups if group.experiment is not None]
    left = [candidate.id for candidate in lab.experiments if candidate.id not in named]
    untold = [group for group in groups if group.experiment is None]
    if len(untold) < len(left):
        figures = {value for group in groups for values in group.values for value in values}
        reported = {
            fact.experiment.value
            for fact in facts
            if fact.is_telling and fact.statistic is Statistic.VALUE and not fact.proof and is_fine(fact.number)
            if fact.experiment.is_beside and float(in_unit(fact.number)) not in figures
        }
        left = [text for text in left if text not in reported]
    if len(untold) != len(left):
        return found
    given = iter(left)
    order = [candidate.id for candidate in lab.experiments]
    ordered = [group.experiment or next(given) for group in groups]
    if len(left) > 1 and sorted(ordered, key=order.index) != ordered:
        return found
    for group, experiment in zip(untold, left, strict=True):
        means = {(fact.split.value, fact.number.value) for fact in group.facts if fact.statistic is Statistic.MEAN}
        has_several = len(means) > len({split for split, _ in means})
        if has_several or any(fact.among and experiment not in fact.among for fact in group.facts):
            return found
        found = _of_group(found, group, Role(value=experiment))
    return found


def _of_group(found: Settled, group: "_Group", role: Role) -> Settled:
    """Return the settled figures, with an experiment given to the figures of a group."""

    def is_series(series: Series) -> bool:
        return series.experiment.value is None and tuple(series.values) in group.values

    def is_mean(mean: Fact, _: Series | None) -> bool:
        return mean.experiment.value is None and mean.number.value in group.means

    return _given(found, role, is_series, is_mean)


class _Group(NamedTuple):
    """Figures of one experiment: their series' values and their averages, and the unit in which they begin."""

    experiment: str | None
    unit: int
    values: frozenset[tuple[float, ...]]
    means: frozenset[Decimal]
    facts: tuple[Fact, ...]


def _groups(found: Settled) -> list[_Group]:
    """The figures of each experiment that is named; and those of none, apart where they are of different values."""
    groups: list[_Group] = []
    pieces = [
        _Group(
            series.experiment.value, series.unit, frozenset({tuple(series.values)}), frozenset(), first_facts(series)
        )
        for series in found.series
    ]
    for mean, source in found.summaries:
        values = frozenset({tuple(source.values)}) if source else frozenset()
        facts = (mean, *(first_facts(source) if source else ()))
        pieces.append(_Group(mean.experiment.value, mean.unit, values, frozenset({mean.number.value}), facts))
    known = {value for piece in pieces if piece.experiment for value in piece.values}
    for piece in pieces:
        if piece.experiment is None and piece.values & known:
            continue
        if piece.experiment is None and not piece.means and all(len(values) < _FEWEST for values in piece.values):
            continue
        at = next((i for i, other in enumerate(groups) if _are_one(other, piece)), None)
        if at is None:
            groups.append(piece)
        else:
            other = groups[at]
            groups[at] = _Group(
                piece.experiment,
                min(other.unit, piece.unit),
                other.values | piece.values,
                other.means | piece.means,
                (*other.facts, *piece.facts),
            )
    return sorted(groups, key=lambda group: group.unit)


_FEWEST: Final = 2
"""Runs that make a series."""


def _are_one(one: _Group, other: _Group) -> bool:
    """Whether figures are of one experiment. Two proved series of one split are not: each has an average of its own."""
    if one.experiment is not None or other.experiment is not None:
        return one.experiment == other.experiment
    if one.values & other.values or one.means & other.means:
        return True
    proved_of = [{(fact.split.value, fact.proof) for fact in group.facts if fact.proof} for group in (one, other)]
    are_apart = any(own[0] == then[0] and own != then for own, then in product(*proved_of))
    return abs(one.unit - other.unit) <= 1 and not are_apart

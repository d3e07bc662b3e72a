"""Assign series and averages to experiments (their owners).

`settle_results` combines facts into series and averages, and then decides the experiment of each by the words around
it, by arithmetic, and by exclusion."""

from collections.abc import Callable, Sequence
from decimal import Decimal
from itertools import product
from statistics import fmean
from typing import Final, NamedTuple

from grader.claims.results.fact import Fact, Nearness, Role, Statistic, in_unit
from grader.claims.results.measures import the_only
from grader.claims.results.series import Series, SettledResults, first_facts, is_fine, put_together
from grader.lab.definition import Lab
from grader.lab.experiments import Measure


def settle_results(facts: Sequence[Fact], lab: Lab, measure: Measure) -> SettledResults:
    """Combine facts about a measure into series and averages, each with its experiment and split."""
    found, rest = put_together(facts, lab, measure)
    return last_ones(drop_doubtful_experiments(found, rest), rest, lab)


def _given(
    found: SettledResults,
    role: Role,
    is_series: Callable[[Series], bool],
    is_mean: Callable[[Fact, Series | None], bool],
) -> SettledResults:
    """Return the results with `role` as the experiment of the series and averages that the two predicates select."""

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


def drop_doubtful_experiments(found: SettledResults, facts: Sequence[Fact]) -> SettledResults:
    """Return the results without doubtful experiments.

    Two series with different values cannot both belong to one experiment and split. The series whose name is further
    away, or that comes later, loses its experiment. A series with an average has priority over a description of fewer
    runs. A mere hint at an experiment does not count if it would fit other numbers as well.
    """
    averaged = {tuple(source.values) for _, source in found.summaries if source is not None}
    whole = [candidate for candidate in found.series if candidate.has_runs]
    known_values = {
        fact.number.value for candidate in found.series for own_facts in candidate.runs.values() for fact in own_facts
    }
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
    """Whether the words that name the experiment are further from `other` than from `series`.

    At the same distance, the averages must differ clearly.
    """
    if series.experiment.is_beside and not other.experiment.is_beside:
        return True
    means = fmean(series.values), fmean(other.values)
    is_plain = first_facts(series)[0].number.is_plain
    is_apart = abs(means[0] - means[1]) > (max(map(abs, means)) * _APART_SHARE if is_plain else _APART)
    return is_apart and not other.experiment.is_beside and _rank(series) < _rank(other)


_LIKELY: Final = Decimal(50)
"""Numbers above this value, in percent, are likely accuracies."""
_APART: Final = 5
_APART_SHARE: Final = 0.25
"""Averages of one experiment on one split differ at most by `_APART` percentage points, or by this share of the largest
average if they are no shares."""


def _without_experiment(found: SettledResults, contested: Series) -> SettledResults:
    """Return the results without an experiment for a series and its average."""

    def is_it(series: Series | None) -> bool:
        return series is not None and (series.values, series.experiment.value) == (
            contested.values,
            contested.experiment.value,
        )

    return _given(found, Role(), is_it, lambda _, source: is_it(source))


def last_ones(found: SettledResults, facts: Sequence[Fact], lab: Lab) -> SettledResults:
    """Assign results without an experiment to the experiments that have no results.

    One result goes to the one remaining experiment. Several are assigned in the lab's order if the text reports all
    experiments in that order. If all these results are of one split, results of other splits are separate. An
    experiment with a single value counts as reported.
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


def _of_group(found: SettledResults, group: "_Group", role: Role) -> SettledResults:
    """Return the results with `role` as the experiment of a group."""

    def is_series(series: Series) -> bool:
        return series.experiment.value is None and tuple(series.values) in group.values

    def is_mean(mean: Fact, _: Series | None) -> bool:
        return mean.experiment.value is None and mean.number.value in group.means

    return _given(found, role, is_series, is_mean)


class _Group(NamedTuple):
    """The series and averages of one experiment, and the first unit of text in which they stand."""

    experiment: str | None
    unit: int
    values: frozenset[tuple[float, ...]]
    means: frozenset[Decimal]
    facts: tuple[Fact, ...]


def _groups(found: SettledResults) -> list[_Group]:
    """Return the results grouped by experiment. Results without an experiment are grouped by value."""
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
    known_values = {value for piece in pieces if piece.experiment for value in piece.values}
    for piece in pieces:
        if piece.experiment is None and piece.values & known_values:
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
"""The fewest runs that make a series."""


def _are_one(first: _Group, other: _Group) -> bool:
    """Whether two groups belong to one experiment.

    Two proved series of one split do not, because each has an average of its own.
    """
    if first.experiment is not None or other.experiment is not None:
        return first.experiment == other.experiment
    if first.values & other.values or first.means & other.means:
        return True
    proved_of = [{(fact.split.value, fact.proof) for fact in group.facts if fact.proof} for group in (first, other)]
    are_apart = any(proof[0] == then[0] and proof != then for proof, then in product(*proved_of))
    return abs(first.unit - other.unit) <= 1 and not are_apart

"""The roles of all reported numbers, settled together.

Words give a number its roles; the numbers themselves confirm or correct them: an average and a deviation belong to the
values from which they follow. Nothing is settled by the numbers where two readings explain them equally well.
"""

import re
from collections.abc import Iterable, Iterator, Sequence, Set
from decimal import Decimal
from itertools import pairwise, product
from math import prod
from typing import Final

from grader.claims.results.fact import (
    Fact,
    Nearness,
    Role,
    Statistic,
    as_floats,
    deviation_follows,
    follows,
    in_unit,
    is_fraction,
    is_share,
)
from grader.claims.results.measures import may_be_deviation, the_only
from grader.claims.results.proofs import (
    FINE,
    HERE_OR_NEXT,
    Series,
    Settled,
    figures_of,
    first_facts,
    is_fine,
    last_averages,
    last_ones,
    proved,
    uncontested,
)
from grader.lab.definition import Lab
from grader.lab.experiments import Measure

_MOST_RUNS: Final = 5
_MOST_CHOICES: Final = 3_000
"""Ways of choosing one epoch for each run that are tried."""


def settled(facts: Sequence[Fact], lab: Lab, measure: Measure) -> Settled:
    """The facts about a measure put together into series and averages, with the roles that words and numbers give
    them."""
    facts = proved(facts, lab, measure)
    course = _of_course(facts)
    of_course = set(course)
    facts = _counted(_run_once([fact for fact in facts if fact not in of_course] if course else facts, lab), lab)
    series = _on_grid(_joined(_series(facts), lab), lab, measure)
    series, totals = _without_totals(_other_splits(series, lab), lab)
    totals += _unlabelled_totals(facts, series)
    means = [fact for fact in facts if fact.statistic is Statistic.MEAN] + totals
    means, deviations = _with_deviations(means, [fact for fact in facts if fact.statistic is Statistic.STD])
    means = _in_order_of(series, means)
    averaged = _averaged(means, series)
    linked: list[tuple[Fact, Series | None]] = []
    for mean in means:
        index = _source_of(mean, series)
        if index is None:
            linked.append((mean, None))
            continue
        own = _chosen(mean, series[index])
        experiment = _agreed(own.experiment, mean.experiment)
        if mean.experiment.value in averaged and own.experiment.value not in averaged | {None}:
            experiment = own.experiment
        split = own.split if _is_off_grid(own, mean.split, lab, measure) else _agreed(own.split, mean.split)
        series[index] = own._replace(experiment=experiment, split=split)
        called = mean.split if _is_beside_its_own(mean, experiment, series, lab) else split
        linked.append((mean.model_copy(update={"experiment": experiment, "split": called}), series[index]))
    linked = _repeated([(_with_own_deviation(mean, source, facts, measure), source) for mean, source in linked])
    used = [mean.deviation for mean, _ in linked]
    deviations = [fact for fact in deviations if not any(fact.number is one for one in used)]
    result = Settled(tuple(series), tuple(linked), tuple(deviations), tuple(course))
    return last_ones(uncontested(last_averages(result), facts), facts, lab)


def _in_order_of(series: Sequence[Series], means: Sequence[Fact]) -> list[Fact]:
    """Averages, those of one list that no words beside them tell apart being of the experiments above in their order,
    where there are as many and each lies among its experiment's values: `the averages are 79.3 and 66.5`."""
    result = list(means)
    for at, first in enumerate(means):
        own = [place for place in range(at, len(means)) if _are_listed(first, means[place])]
        above = [one for one in series if one.unit <= first.unit and len(one.runs) > 1 and not one.is_course]
        above = [one for one in above if first.split.value in (None, one.split.value)]
        names = [one.experiment.value for one in sorted(above, key=lambda one: (one.unit, one.order))]
        is_whole = 1 < len(own) == len(set(names)) == len(names) and None not in names
        if is_whole and not (at and _are_listed(means[at - 1], first)):
            ordered = sorted(above, key=lambda one: (one.unit, one.order))
            if all(
                min(one.values) <= in_unit(means[place].number) <= max(one.values)
                for place, one in zip(own, ordered, strict=True)
            ):
                for place, one in zip(own, ordered, strict=True):
                    result[place] = means[place].model_copy(update={"experiment": one.experiment})
    return result


def _are_listed(one: Fact, other: Fact) -> bool:
    """Whether two averages of one place have the same words from afar."""
    alike = (one.unit, one.series, one.experiment, one.split) == (
        other.unit,
        other.series,
        other.experiment,
        other.split,
    )
    return alike and not one.experiment.is_beside


def _is_beside_its_own(mean: Fact, experiment: Role, series: Iterable[Series], lab: Lab) -> bool:
    """Whether all values on the split that the words name stand beside an average. Then the average keeps that split,
    even if it follows from the values of another one."""
    return any(
        one.split.value == mean.split.value is not None
        and one.experiment.value == experiment.value
        and len(one.runs) >= _number(one, lab)
        and not one.is_course
        for one in series
    )


def _repeated(linked: Sequence[tuple[Fact, Series | None]]) -> list[tuple[Fact, Series | None]]:
    """The averages with their series, those that repeat one of the same values with what that one tells: its deviation,
    and the split."""
    result = []
    for mean, source in linked:
        alike = [
            other
            for other, own in linked
            if source is not None and own is not None and figures_of(own) == figures_of(source)
            if other.experiment.value == mean.experiment.value and follows(other.number, None, source.values)
        ]
        split = the_only({other.split.value for other in alike} - {None})
        deviation = next((other.deviation for other in alike if other.deviation), None)
        told: dict[str, object] = {}
        is_alike = all(is_fraction(other.number) == is_fraction(mean.number) for other in alike)
        if mean.deviation is None and deviation is not None and is_alike:
            told["deviation"] = deviation
        if mean.split.value is None and split:
            told["split"] = next(other.split for other in alike if other.split.value == split)
        result.append((mean.model_copy(update=told), source))
    return result


def _run_once(facts: Sequence[Fact], lab: Lab) -> list[Fact]:
    """The facts, with values of experiments that are run once counted as those of the first run."""
    once = {one.id for one in lab.experiments if lab.repetition_of(one.id).number == 1}
    return [
        fact.model_copy(update={"run": 1})
        if fact.experiment.value in once and fact.statistic is Statistic.VALUE and fact.run is None
        else fact
        for fact in facts
    ]


def _averaged(means: Iterable[Fact], series: Sequence[Series]) -> Set[str | None]:
    """The experiments that have an average of their own values: a further one, of the values of another experiment, is
    not theirs, whatever stands beside it."""
    sources = ((mean, index) for mean in means if (index := _source_of(mean, series)) is not None)
    return {mean.experiment.value for mean, index in sources if series[index].experiment.value == mean.experiment.value}


def _of_course(facts: Sequence[Fact]) -> list[Fact]:
    """Figures without a run, or over all runs, that one place gives for several moments, other than chosen ones."""
    told = (Statistic.VALUE, Statistic.MEAN, Statistic.STD)
    groups: dict[tuple[object, ...], list[Fact]] = {}
    for fact in facts:
        if fact.moment.is_told and not fact.moment.is_chosen and fact.run is None and fact.statistic in told:
            groups.setdefault((fact.unit, fact.series, fact.split.value, fact.experiment.value), []).append(fact)
    return [
        fact
        for members in groups.values()
        if len({(one.moment.epoch, one.moment.step) for one in members}) > 1
        for fact in members
    ]


def _counted(facts: Sequence[Fact], lab: Lab) -> list[Fact]:
    """The facts, with values of one place that name no run counted as runs where an average right behind them follows
    from them, as three lines of one command's output, or where they stand in lines of the same words."""
    result = list(facts)
    open_ones = [
        index
        for index, fact in enumerate(facts)
        if fact.statistic is Statistic.VALUE and fact.run is None and not fact.moment.is_told
        if fact.number.has_decimals
    ]
    for mean in facts:
        if mean.statistic is not Statistic.MEAN:
            continue
        same = [index for index in open_ones if facts[index].experiment.value == mean.experiment.value]
        near = [index for index in same if mean.unit - facts[index].unit in HERE_OR_NEXT]
        most = max(_MOST_RUNS, lab.repetition_of(mean.experiment.value or "").number)
        alike = _in_same_words(mean, [index for index in same if result[index].run is None], facts, lab)
        for own in (near, alike):
            values = as_floats(facts[index].number for index in own)
            is_average = follows(mean.number, mean.deviation, values) if own is near else bool(own)
            if 1 < len(own) <= most and is_average:
                for run, index in enumerate(own, start=1):
                    result[index] = facts[index].model_copy(update={"run": run})
                break
    return result


def _in_same_words(mean: Fact, places: Sequence[int], facts: Sequence[Fact], lab: Lab) -> list[int]:
    """The places of values of the split that is reported, as many as an experiment has runs, each in a line of its own
    and all lines alike but for the number: what a command printed for one run after the other. The average follows from
    them, or the lines or the command name the experiment. None where some values of the experiment name their runs, or
    where the lines may be of several experiments."""
    name, number = mean.experiment.value, lab.repetition_of(mean.experiment.value or "").number
    own = [at for at in places if facts[at].split.value not in (None, lab.selecting) and not facts[at].among]
    if name is None or len(own) != number or number < _FEWEST_LINES:
        return []
    if any(fact.run is not None and fact.experiment.value == name for fact in facts):
        return []
    lines = [re.sub(r"\d+", "#", facts[at].evidence[0].quote) for at in own]
    are_lines = the_only(lines) is not None and len(re.findall(r"#[.,]#", lines[0])) == 1  # of one figure each
    apart = [after - before for before, after in pairwise(facts[at].unit for at in own)]
    is_named = all(facts[at].is_telling and facts[at].experiment.nearness >= Nearness.CAPTION for at in own)
    values = as_floats(facts[at].number for at in own)
    is_average = is_fine(mean.number) and follows(mean.number, mean.deviation, values)
    is_likely = min(values) <= in_unit(mean.number) <= max(values) and max(values) - min(values) <= _MOST_APART
    return own if are_lines and max(apart) <= 1 and ((is_named and is_likely) or is_average) else []


_MOST_APART: Final = 5
"""In percent; values of the epochs of one run differ by more."""
_FEWEST_LINES: Final = 3
"""Two values of one wording may be of anything."""


def _series(facts: Iterable[Fact]) -> list[Series]:
    """Values of one place and one description that differ by run, or by run and moment."""
    groups: dict[tuple[object, ...], list[tuple[int, Fact]]] = {}
    for order, fact in enumerate(facts):
        if fact.statistic is Statistic.VALUE and fact.run is not None:
            role = fact.experiment
            owner = f"{role.value or ''}|{fact.series}" if not role.is_worded else role.value
            key = (fact.proof,) if fact.proof else (fact.unit, owner, fact.split.value)
            groups.setdefault(key, []).append((order, fact))
    return [one for members in groups.values() for own in _by_split(members) for one in _one_series(own)]


def _by_split(members: Sequence[tuple[int, Fact]]) -> list[Sequence[tuple[int, Fact]]]:
    """The values of a series. Those that are given in full for one split and again for another become two series: the
    student reports them for both."""
    units: dict[int, list[tuple[int, Fact]]] = {}
    for one in members:
        units.setdefault(one[1].unit, []).append(one)
    runs = {fact.run for _, fact in members}
    told = {fact.split.value for _, fact in members} - {None}
    is_whole = all({fact.run for _, fact in own} == runs for own in units.values())
    return list(units.values()) if len(told) > 1 and is_whole else [members]


def _one_series(members: Sequence[tuple[int, Fact]]) -> Iterator[Series]:
    runs: dict[int, list[Fact]] = {}
    known: set[tuple[int, Decimal, str]] = set()
    for _, fact in members:
        assert fact.run is not None  # noqa: S101
        own = fact.run, fact.number.value, repr(fact.moment)
        if own not in known:
            runs.setdefault(fact.run, []).append(fact)
            known.add(own)
    first = members[0][1]
    nearest = max((fact.experiment for _, fact in members), key=lambda role: role.nearness)
    split = max((fact.split for _, fact in members), key=lambda role: role.nearness)
    ordered = {run: tuple(runs[run]) for run in sorted(runs)}
    yield Series(nearest, split, ordered, first.unit, members[0][0])


def _joined(series: Sequence[Series], lab: Lab) -> list[Series]:
    """Series with those that go on in the next lines: of other runs, of the same experiment and split where both are
    told, and not already whole."""
    result: list[Series] = []
    for one in sorted(series, key=lambda each: each.order):
        before = next((i for i in range(len(result) - 1, -1, -1) if _goes_on(result[i], one, lab)), None)
        if before is None:
            result.append(one)
            continue
        first = result[before]
        runs = dict(sorted({**first.runs, **one.runs}.items()))
        roles = (_agreed(first.experiment, one.experiment), _agreed(first.split, one.split))
        result[before] = Series(*roles, runs, one.unit, first.order)
    return result


def _number(one: Series, lab: Lab) -> int:
    """How many values a series is to have."""
    return lab.repetition_of(one.experiment.value or "").number


def _goes_on(first: Series, then: Series, lab: Lab) -> bool:
    whole = any(len(one.runs) >= _number(one, lab) or one.is_proved for one in (first, then))
    if whole or not set(first.runs).isdisjoint(then.runs) or set(then.values) <= set(first.values):
        return False
    if then.unit - first.unit > 3 or first.experiment.value != then.experiment.value:
        return False
    if first.split.value == then.split.value:
        return True
    return (first.split.is_from_afar or then.split.is_from_afar) and first.unit == then.unit


def _agreed(one: Role, other: Role) -> Role:
    """The role whose words stand nearer to their number."""
    return max((one, other), key=lambda role: (role.value is not None, role.nearness))


def _other_splits(series: Sequence[Series], lab: Lab) -> list[Series]:
    """Series whose split is not told, beside one of the same runs and place whose split is: they are of the
    only other one, since no run has two values on one."""
    own = {split.id for split in lab.splits}
    result = []
    for one in series:
        told = {
            other.split.value
            for other in series
            if other.unit == one.unit and other.experiment == one.experiment and list(other.runs) == list(one.runs)
        } - {None}
        if one.split.value is None and told and (rest := the_only(own - told)):
            result.append(one._replace(split=Role(value=rest, nearness=Nearness.CAPTION)))
        else:
            result.append(one)
    return result


def _on_grid(series: Sequence[Series], lab: Lab, measure: Measure) -> list[Series]:
    """Series less a split that their values cannot be of: of 200 examples no accuracy is 79.3 %."""
    return [one._replace(split=Role()) if _is_off_grid(one, one.split, lab, measure) else one for one in series]


def _is_off_grid(one: Series, split: Role, lab: Lab, measure: Measure) -> bool:
    """Whether the values of a series cannot be of a split; where a label beside them gives it, several of them can not,
    and all can be of another one."""
    size = lab.sizes.get(split.value or "")
    if size is None or not measure.is_counted:
        return False
    numbers = [fact.number for facts in one.runs.values() for fact in facts]
    off = sum(not is_share(number, size) for number in numbers)
    if not split.is_label:
        return off > 0
    return off > 1 and any(all(is_share(number, other) for number in numbers) for other in lab.sizes.values())


def _unlabelled_totals(facts: Sequence[Fact], series: Sequence[Series]) -> list[Fact]:
    """Values without a run that are the average of a series of the same place, or the only value where a table gives a
    deviation: averages that are not called so."""
    averaged = {one.experiment.value for one in facts if one.statistic is Statistic.MEAN}
    shown: dict[tuple[int, Role], list[Statistic]] = {}
    for one in facts:
        shown.setdefault((one.unit, one.experiment), []).append(one.statistic)
    return [
        fact.model_copy(update={"statistic": Statistic.MEAN})
        for fact in facts
        if fact.statistic is Statistic.VALUE and fact.run is None
        for own in [shown[fact.unit, fact.experiment]]
        if (fact.experiment.is_label and own in _ONE_OF_EACH)
        or any(_is_average_of(fact, one, is_first=fact.experiment.value not in averaged) for one in series)
    ]


_ONE_OF_EACH: Final = ([Statistic.STD, Statistic.VALUE], [Statistic.VALUE, Statistic.STD])


def _is_average_of(fact: Fact, one: Series, *, is_first: bool) -> bool:
    """Whether a value follows from the values of a series as their average: one that stands beside it and is written
    alike, or the first one of an experiment that its sentence names, so exact that it is no average by chance."""
    is_exact = is_first and fact.experiment.nearness is Nearness.SENTENCE and is_fine(fact.number)
    is_near = fact.unit - one.unit in HERE_OR_NEXT and is_fraction(fact.number) == is_fraction(
        first_facts(one)[0].number
    )
    return (
        len(one.runs) > 1
        and not one.is_course
        and fact.experiment.value == one.experiment.value
        and (is_near or (is_exact and float(in_unit(fact.number)) not in one.values))
        and follows(fact.number, None, one.values)
    )


def _with_own_deviation(mean: Fact, source: Series | None, facts: Iterable[Fact], measure: Measure) -> Fact:
    """An average with the number that is the deviation of the same values, though nothing calls it so: it stands in its
    row, line or column, or is written so exactly that it is the deviation wherever it stands near."""
    if mean.deviation is not None or source is None or source.is_course:
        return mean
    beside = (
        fact
        for fact in sorted(facts, key=lambda fact: (not _is_beside(fact, mean), abs(fact.unit - mean.unit)))
        if fact.run is None and fact.statistic is not Statistic.MEAN and _may_deviate(fact, mean, measure)
    )
    own = next((fact for fact in beside if deviation_follows(mean.number, fact.number, source.values)), None)
    if own is None:
        return mean
    evidence = tuple(dict.fromkeys((*mean.evidence, *own.evidence)))
    return mean.model_copy(update={"deviation": own.number, "evidence": evidence})


def _may_deviate(fact: Fact, mean: Fact, measure: Measure) -> bool:
    """Whether a number may be the deviation of an average that stands beside it or near it."""
    if fact.statistic is not Statistic.STD and _is_beside(fact, mean):
        return True
    if fact.unit - mean.unit not in _NEAR or fact.experiment.value not in (None, mean.experiment.value):
        return False
    if not may_be_deviation(fact.number, measure):
        return False
    if not measure.is_share:
        return is_fine(fact.number)
    return fact.number.resolution * (100 if is_fraction(mean.number) and not fact.number.percent else 1) <= FINE


_NEAR: Final = range(3)
"""How many paragraphs, lists or tables a deviation may stand behind its average."""


def _is_beside(fact: Fact, mean: Fact) -> bool:
    """Whether two figures stand in one row or line, or in one table for the same experiment and split."""
    same = (fact.unit, fact.experiment, fact.split) == (mean.unit, mean.experiment, mean.split)
    place, beside = (one.evidence[0].model_copy(update={"quote": ""}) for one in (fact, mean))
    return place == beside or (same and fact.experiment.is_label)


def _without_totals(series: list[Series], lab: Lab) -> tuple[list[Series], list[Fact]]:
    """Series less a value behind the last run that is the average of the others: it reports no run."""
    kept, totals = [], []
    for one in series:
        runs = list(one.runs)
        values = list(one.runs.values())
        if len(runs) == _number(one, lab) + 1 > 2 and not one.is_course:
            *others, last = (facts[0] for facts in values)
            if follows(last.number, None, as_floats(other.number for other in others)) and max(runs) == runs[-1]:
                totals.append(last.model_copy(update={"statistic": Statistic.MEAN, "run": None}))
                one = one._replace(runs={run: one.runs[run] for run in runs[:-1]})
        kept.append(one)
    return kept, totals


def _with_deviations(means: Sequence[Fact], stds: Sequence[Fact]) -> tuple[list[Fact], list[Fact]]:
    """Averages with the deviations that stand in other cells or sentences: of the same row, else of the same unit and
    experiment, else the next one in order."""
    rest = list(stds)
    result = []
    for mean in means:
        if mean.deviation is None:
            found = [std for by_series in (True, False) for std in rest if _belongs(std, mean, by_series=by_series)]
            own = next((std for std in found if std.evidence == mean.evidence), next(iter(found), None))
            if own:
                rest.remove(own)
                evidence = tuple(dict.fromkeys((*mean.evidence, *own.evidence)))
                mean = mean.model_copy(update={"deviation": own.number, "evidence": evidence})
        result.append(mean)
    return result, rest


def _belongs(std: Fact, mean: Fact, *, by_series: bool) -> bool:
    is_of_mean = std.unit == mean.unit and std.split.nearness < mean.split.nearness  # no label of its own
    if std.split.value is not None and mean.split.value not in (None, std.split.value) and not is_of_mean:
        return False
    if std.unit == mean.unit:
        if std.experiment.value != mean.experiment.value:
            return False
        return not by_series or std.evidence == mean.evidence or std.series == mean.series
    return not by_series and abs(std.unit - mean.unit) <= 1 and std.experiment.value == mean.experiment.value


def _source_of(mean: Fact, series: Sequence[Series]) -> int | None:
    """The index of the series that an average follows from: the one nearest by its words and its place; or the only one
    of its experiment from which it does where its deviation follows from none."""
    fitting = [index for index, one in enumerate(series) if len(one.runs) > 1 and _fits(mean, one)]
    alike = [index for index in fitting if _may_be_one(mean, series[index])]
    if not fitting and is_fine(mean.number):
        alone = mean.model_copy(update={"deviation": None})
        alike = [
            index
            for index, one in enumerate(series)
            if len(one.runs) > 1 and mean.experiment.value == one.experiment.value is not None
            if _fits(alone, one) and _may_be_one(mean, one)
        ]
        return the_only(alike)
    if not alike:
        alike = [index for index in fitting if mean.deviation is not None and _is_loose(mean, series[index])]
        return the_only(alike)
    return min(alike, key=lambda index: _distance(mean, series[index]))


def _fits(mean: Fact, one: Series) -> bool:
    if not one.is_course:
        return follows(mean.number, mean.deviation, one.values)
    return next(_choices(mean, one), None) is not None


def _choices(mean: Fact, one: Series) -> Iterator[tuple[Fact, ...]]:
    """The ways to choose one moment for each run from which an average follows."""
    if prod(map(len, one.runs.values())) > _MOST_CHOICES:
        return
    for choice in product(*one.runs.values()):
        if follows(mean.number, mean.deviation, as_floats(fact.number for fact in choice)):
            yield choice


def _may_be_one(mean: Fact, one: Series) -> bool:
    """Whether the words allow that an average is of a series."""
    experiments, splits = (mean.experiment.value, one.experiment.value), (mean.split.value, one.split.value)
    return (None in experiments or experiments[0] == experiments[1]) and (None in splits or splits[0] == splits[1])


def _is_loose(mean: Fact, one: Series) -> bool:
    """Whether one of two different roles is only said from afar, so that the numbers may correct it."""
    experiment = mean.experiment.value == one.experiment.value or (
        min(mean.experiment.nearness, one.experiment.nearness) <= Nearness.SENTENCE
    )
    split = mean.split.value == one.split.value or min(mean.split.nearness, one.split.nearness) <= Nearness.CAPTION
    return experiment and split


def _distance(mean: Fact, one: Series) -> tuple[bool, bool, int]:
    same = mean.experiment.value == one.experiment.value and mean.experiment.value is not None
    return not same, mean.split.value != one.split.value, abs(mean.unit - one.unit)


def _chosen(mean: Fact, one: Series) -> Series:
    """A course reduced to the values that an average follows from, where only one choice explains it; among several
    the one whose values are set off, or that of one moment for all runs."""
    if not one.is_course:
        return one
    choices = list(_choices(mean, one))
    marked = [choice for choice in choices if all(fact.is_marked for fact in choice)]
    best = [choice for choice in choices if _is_highest(choice, one)]
    for few in (choices, marked, best):
        if the_only(tuple(fact.number.value for fact in choice) for choice in few):
            return one._replace(runs={run: (_as_selected(fact),) for run, fact in zip(one.runs, few[0], strict=True)})
    return one


def _is_highest(choice: Sequence[Fact], one: Series) -> bool:
    return all(
        in_unit(fact.number) == max(in_unit(other.number) for other in facts)
        for fact, facts in zip(choice, one.runs.values(), strict=True)
    )


def _as_selected(fact: Fact) -> Fact:
    return fact.model_copy(update={"moment": fact.moment.model_copy(update={"is_chosen": True})})

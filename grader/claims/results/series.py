"""Combine facts into series, averages and deviations by arithmetic.

Words state what a number is; arithmetic confirms or corrects this. An average and a deviation belong to the values from
which they follow, whatever words call them. If two readings explain the numbers equally well, arithmetic decides
nothing. `put_together` is the entry point.
"""

from collections.abc import Iterable, Iterator, Sequence, Set
from decimal import Decimal
from itertools import pairwise, product
from math import prod
from typing import Final, NamedTuple

from grader.claims.numerals import Numeral
from grader.claims.results.fact import (
    Fact,
    Moment,
    Nearness,
    Role,
    Statistic,
    as_floats,
    deviation_follows,
    digit_in_unit,
    follows,
    in_unit,
    is_among,
    is_fraction,
    is_share,
)
from grader.claims.results.measures import may_be_deviation, may_be_value, the_only
from grader.lab.definition import Lab
from grader.lab.experiments import Measure

HERE_OR_NEXT: Final = (0, 1)
"""The possible distances of an average from its values, in units of text."""
_MOST_RUNS: Final = 5
_MOST_CHOICES: Final = 3_000
"""The most choices of one epoch per run that are tried."""


class Series(NamedTuple):
    """The values of several runs that belong together: one value per run, or one per run and moment."""

    experiment: Role
    split: Role
    runs: dict[int, tuple[Fact, ...]]
    unit: int
    order: int

    @property
    def owner(self) -> tuple[str | None, str | None]:
        """The experiment and the split to which the series belongs."""
        return self.experiment.value, self.split.value

    @property
    def is_course(self) -> bool:
        """Whether a run has several values, such as one per epoch."""
        return any(len(facts) > 1 for facts in self.runs.values())

    @property
    def has_runs(self) -> bool:
        """Whether it has several runs with one value each."""
        return len(self.runs) > 1 and not self.is_course

    @property
    def marks(self) -> frozenset[bool]:
        """The set of whether its values are highlighted."""
        return frozenset(fact.is_marked for facts in self.runs.values() for fact in facts)

    @property
    def is_proved(self) -> bool:
        """Whether an average and a deviation follow from exactly these values."""
        return any(fact.proof for facts in self.runs.values() for fact in facts)

    @property
    def values(self) -> list[float]:
        """The first value of each run. A share is in percent."""
        return as_floats(facts[0].number for facts in self.runs.values())


class SettledResults(NamedTuple):
    """The combined results."""

    series: tuple[Series, ...]
    summaries: tuple[tuple[Fact, Series | None], ...]
    """The averages, each with the series from which it follows."""
    deviations: tuple[Fact, ...]
    """The deviations without an average."""
    course: tuple[Fact, ...] = ()
    """The numbers over training that belong to no single run."""


def put_together(facts: Sequence[Fact], lab: Lab, measure: Measure) -> tuple[SettledResults, list[Fact]]:
    """Combine facts about a measure into series and averages.

    Also return all facts except those of courses, with the runs that were found.
    """
    facts = apply_proofs(facts, lab, measure)
    course = _of_course(facts)
    of_course = set(course)
    facts = _with_runs([fact for fact in facts if fact not in of_course], lab)
    series, totals = _less_totals(_with_splits(_joined(_series(facts), lab), lab, measure), facts, lab)
    means = [fact for fact in facts if fact.statistic is Statistic.MEAN] + totals
    means, deviations = _with_deviations(means, [fact for fact in facts if fact.statistic is Statistic.STD])
    links: list[tuple[Fact, int | None]] = []
    means = _in_order_of(series, means)
    sources = [_source_of(mean, series) for mean in means]
    # An experiment with an average of its own values has no average of another experiment's values.
    pairs = [(mean.experiment.value, at) for mean, at in zip(means, sources, strict=True) if at is not None]
    averaged = {name for name, at in pairs if series[at].experiment.value == name}
    for mean in means:
        at = _source_of(mean, series)
        if at is not None:
            own_series = _chosen(mean, series[at])
            experiment, split = _agreed(own_series.experiment, mean.experiment), own_series.split
            if mean.experiment.value in averaged and own_series.experiment.value not in averaged | {None}:
                experiment = own_series.experiment
            if not _is_off_grid(own_series, mean.split, lab, measure):
                split = _agreed(own_series.split, mean.split)
            series[at] = own_series._replace(experiment=experiment, split=split)
            # The average keeps its split if all values on that split are given as well.
            is_beside = any(
                candidate.split.value == mean.split.value is not None
                and candidate.experiment.value == experiment.value
                and len(candidate.runs) >= _number(candidate, lab)
                and not candidate.is_course
                for candidate in series
            )
            mean = mean.model_copy(update={"experiment": experiment, "split": mean.split if is_beside else split})
            mean = _with_own_deviation(mean, series[at], facts, measure)
        links.append((mean, at))
    linked = _repeated([(mean, None if at is None else series[at]) for mean, at in links])
    used = [mean.deviation for mean, _ in linked]
    deviations = [fact for fact in deviations if not any(fact.number is number for number in used)]
    return SettledResults(tuple(series), tuple(linked), tuple(deviations), tuple(course)), list(facts)


def _in_order_of(series: Sequence[Series], means: Sequence[Fact]) -> list[Fact]:
    """Return the averages, with experiments for those in a list that names none: `the averages are 79.3 and 66.5`.

    They belong to the series above in the same order, if there are as many and each average lies among its values.
    """
    result = list(means)
    for at, first in enumerate(means):
        listed_places = [place for place in range(at, len(means)) if _are_listed(first, means[place])]
        above = [candidate for candidate in series if candidate.unit <= first.unit and candidate.has_runs]
        above = [candidate for candidate in above if first.split.value in (None, candidate.split.value)]
        above.sort(key=lambda candidate: (candidate.unit, candidate.order))
        names = {candidate.experiment.value for candidate in above}
        is_whole = 1 < len(listed_places) == len(names) == len(above) and None not in names
        if not is_whole or (at and _are_listed(means[at - 1], first)):
            continue
        pairs = list(zip(listed_places, above, strict=True))
        if all(is_among(means[place].number, candidate.values) for place, candidate in pairs):
            for place, source in pairs:
                result[place] = means[place].model_copy(update={"experiment": source.experiment})
    return result


def _are_listed(fact: Fact, other: Fact) -> bool:
    """Whether two averages in one place have the same words from afar."""
    is_alike = fact.key == other.key and (fact.experiment, fact.split) == (other.experiment, other.split)
    return is_alike and not fact.experiment.is_beside


def _repeated(linked: Sequence[tuple[Fact, Series | None]]) -> list[tuple[Fact, Series | None]]:
    """Return the averages with their series. A repeated average gets the deviation and split of the first."""
    result = []
    for mean, source in linked:
        alike = [
            other
            for other, own_series in linked
            if source is not None and own_series is not None and own_series.values == source.values
            if other.experiment.value == mean.experiment.value and follows(other.number, None, source.values)
        ]
        split = the_only({other.split.value for other in alike} - {None})
        deviation = next((other.deviation for other in alike if other.deviation), None)
        is_alike = all(is_fraction(other.number) == is_fraction(mean.number) for other in alike)
        mean_update: dict[str, object] = {}
        if mean.deviation is None and deviation is not None and is_alike:
            mean_update["deviation"] = deviation
        if mean.split.value is None and split:
            mean_update["split"] = next(other.split for other in alike if other.split.value == split)
        result.append((mean.model_copy(update=mean_update), source))
    return result


def _of_course(facts: Sequence[Fact]) -> list[Fact]:
    """Return the facts of courses: numbers without a run that one place gives for several moments."""
    kinds = (Statistic.VALUE, Statistic.MEAN, Statistic.STD)
    groups: dict[tuple[object, ...], list[Fact]] = {}
    for fact in facts:
        if fact.moment.is_told and not fact.moment.is_chosen and fact.run is None and fact.statistic in kinds:
            groups.setdefault((fact.unit, fact.series, fact.split.value, fact.experiment.value), []).append(fact)
    return [
        fact
        for members in groups.values()
        if len({(member.moment.epoch, member.moment.step) for member in members}) > 1
        for fact in members
    ]


def _with_runs(facts: Sequence[Fact], lab: Lab) -> Sequence[Fact]:
    """Return the facts with runs for values that name none.

    If an experiment is run once, its value is of run 1. Otherwise values are counted if the average directly after
    them, or its deviation, follows from them.
    """
    numbers = {experiment.id: lab.repetition_of(experiment.id).number for experiment in lab.experiments}
    once = [
        fact.model_copy(update={"run": 1})
        if fact.is_without_run and numbers.get(fact.experiment.value or "") == 1
        else fact
        for fact in facts
    ]
    is_open = [fact.is_without_run and not fact.moment.is_told and fact.number.has_decimals for fact in once]
    result = list(once)
    for mean in facts:
        if mean.statistic is not Statistic.MEAN:
            continue
        name = mean.experiment.value
        same = [at for at, fact in enumerate(facts) if is_open[at] and fact.experiment.value == name]
        near = [at for at in same if mean.unit - facts[at].unit in HERE_OR_NEXT]
        number = lab.repetition_of(name or "").number
        values = as_floats(facts[at].number for at in near)
        is_average = 1 < len(near) <= max(_MOST_RUNS, number) and follows(mean.number, mean.deviation, values)
        # If the average is wrong, the deviation still shows that these are its values, unless there are others.
        others = [fact for at, fact in enumerate(facts) if at not in near and fact.statistic is Statistic.VALUE]
        is_only = not any(fact.experiment.value == name and mean.unit - fact.unit in HERE_OR_NEXT for fact in others)
        is_deviation = mean.deviation is not None and deviation_follows(mean.number, mean.deviation, values)
        deviates = 1 < len(near) == number and is_only and is_deviation
        for run, at in enumerate(near if is_average or deviates else (), start=1):
            result[at] = facts[at].model_copy(update={"run": run})
    return result


_Placed = tuple[int, int, Fact]
"""The position of a value among all facts, its run, and the fact."""


def _series(facts: Iterable[Fact]) -> list[Series]:
    """Return the series of values that have one place and description and differ by run, or by run and moment.

    If all runs are given for one split and again for another, they are two series.
    """
    groups: dict[tuple[object, ...], list[_Placed]] = {}
    for order, fact in enumerate(facts):
        if fact.statistic is Statistic.VALUE and fact.run is not None:
            role = fact.experiment
            owner = role.value if role.is_worded else f"{role.value or ''}|{fact.series}"
            key = (fact.proof,) if fact.proof else (fact.unit, owner, fact.split.value)
            groups.setdefault(key, []).append((order, fact.run, fact))
    return [_series_of(part) for members in groups.values() for part in _by_split(members)]


def _by_split(members: list[_Placed]) -> Iterable[list[_Placed]]:
    """Return the members of a series, divided by split if each split has all runs."""
    units: dict[int, list[_Placed]] = {}
    for member in members:
        units.setdefault(member[2].unit, []).append(member)
    splits = {fact.split.value for _, _, fact in members} - {None}
    is_whole = the_only(frozenset(run for _, run, _ in unit_members) for unit_members in units.values()) is not None
    return units.values() if len(splits) > 1 and is_whole else [members]


def _series_of(members: Sequence[_Placed]) -> Series:
    """Return the series of some values."""
    runs: dict[int, dict[tuple[Decimal, Moment], Fact]] = {}
    for _, run, fact in members:
        runs.setdefault(run, {}).setdefault((in_unit(fact.number), fact.moment), fact)  # `1610/2000 | 0.805`
    order, _, first = members[0]
    experiment = max((fact.experiment for _, _, fact in members), key=lambda role: role.nearness)
    split = max((fact.split for _, _, fact in members), key=lambda role: role.nearness)
    return Series(experiment, split, {run: tuple(runs[run].values()) for run in sorted(runs)}, first.unit, order)


def _joined(series: Sequence[Series], lab: Lab) -> list[Series]:
    """Return the series, each merged with its continuation in the next lines.

    A continuation has other runs of the same experiment and split, and the first series is not complete.
    """
    result: list[Series] = []
    for part in sorted(series, key=lambda each: each.order):
        before = next((i for i in range(len(result) - 1, -1, -1) if _goes_on(result[i], part, lab)), None)
        if before is None:
            result.append(part)
            continue
        first = result[before]
        runs = dict(sorted({**first.runs, **part.runs}.items()))
        roles = (_agreed(first.experiment, part.experiment), _agreed(first.split, part.split))
        result[before] = Series(*roles, runs, part.unit, first.order)
    return result


def _number(series: Series, lab: Lab) -> int:
    """Return the number of values that a series should have."""
    return lab.repetition_of(series.experiment.value or "").number


def _goes_on(first: Series, then: Series, lab: Lab) -> bool:
    whole = any(len(series.runs) >= _number(series, lab) or series.is_proved for series in (first, then))
    if whole or not set(first.runs).isdisjoint(then.runs) or set(then.values) <= set(first.values):
        return False
    if then.unit - first.unit > 3 or first.experiment.value != then.experiment.value:
        return False
    if first.split.value == then.split.value:
        return True
    return (first.split.is_from_afar or then.split.is_from_afar) and first.unit == then.unit


def _agreed(first: Role, other: Role) -> Role:
    """Return the role whose words are nearer to their number."""
    return max((first, other), key=lambda role: (role.value is not None, role.nearness))


def _with_splits(series: Sequence[Series], lab: Lab, measure: Measure) -> list[Series]:
    """Return the series with corrected splits.

    A series without a split beside one with the same runs is of the only other split. A series loses a split on which
    its values are impossible: on 200 examples no accuracy is 79.3 %.
    """
    possible = [
        candidate._replace(split=Role()) if _is_off_grid(candidate, candidate.split, lab, measure) else candidate
        for candidate in series
    ]
    result = list(possible)
    for at, current in enumerate(possible):
        other_splits = {
            other.split.value
            for other in possible
            if other.unit == current.unit
            and other.experiment == current.experiment
            and list(other.runs) == list(current.runs)
        } - {None}
        if (
            current.split.value is None
            and other_splits
            and (rest := the_only({split.id for split in lab.splits} - other_splits))
        ):
            result[at] = current._replace(split=Role(value=rest, nearness=Nearness.CAPTION))
    return result


def _is_off_grid(series: Series, split: Role, lab: Lab, measure: Measure) -> bool:
    """Whether the values of a series are impossible on a split.

    If a label beside the values states the split, several must be impossible there and all possible on another split.
    """
    size = lab.sizes.get(split.value or "")
    if size is None or not measure.is_counted:
        return False
    numbers = [fact.number for facts in series.runs.values() for fact in facts]
    off = sum(not is_share(number, size) for number in numbers)
    if not split.is_label:
        return off > 0
    return off > 1 and any(all(is_share(number, other) for number in numbers) for other in lab.sizes.values())


def _less_totals(series: Sequence[Series], facts: Sequence[Fact], lab: Lab) -> tuple[list[Series], list[Fact]]:
    """Return the series without averages in the position of a last run, and all averages that no words call so."""
    kept, totals = [], []
    for current in series:
        *others, last = current.runs
        if len(others) == _number(current, lab) > 1 and not current.is_course and last == max(current.runs):
            fact = current.runs[last][0]
            if follows(fact.number, None, current.values[:-1]):
                totals.append(fact.model_copy(update={"statistic": Statistic.MEAN, "run": None}))
                current = current._replace(runs={run: current.runs[run] for run in others})
        kept.append(current)
    return kept, [*totals, *_unlabelled_totals(facts, kept)]


def _unlabelled_totals(facts: Sequence[Fact], series: Sequence[Series]) -> Iterator[Fact]:
    """Yield values without a run that are averages although no words call them so."""
    averaged = {candidate.experiment.value for candidate in facts if candidate.statistic is Statistic.MEAN}
    shown: dict[tuple[int, Role], list[Statistic]] = {}
    for fact in facts:
        shown.setdefault((fact.unit, fact.experiment), []).append(fact.statistic)
    for fact in (candidate for candidate in facts if candidate.is_without_run):
        is_alone = fact.experiment.is_label and shown[fact.unit, fact.experiment] in _ONE_OF_EACH
        is_first = fact.experiment.value not in averaged
        if is_alone or any(_is_average_of(fact, candidate, is_first=is_first) for candidate in series):
            yield fact.model_copy(update={"statistic": Statistic.MEAN})


_ONE_OF_EACH: Final = ([Statistic.STD, Statistic.VALUE], [Statistic.VALUE, Statistic.STD])


def _is_average_of(fact: Fact, series: Series, *, is_first: bool) -> bool:
    """Whether a value is the average of a series.

    It follows from the values and stands beside them, or it is the first number of the experiment and so exact that it
    cannot be their average by chance.
    """
    is_exact = is_first and fact.experiment.nearness is Nearness.SENTENCE and is_fine(fact.number)
    is_near = fact.unit - series.unit in HERE_OR_NEXT and is_fraction(fact.number) == is_fraction(
        first_facts(series)[0].number
    )
    return (
        series.has_runs
        and fact.experiment.value == series.experiment.value
        and (is_near or (is_exact and float(in_unit(fact.number)) not in series.values))
        and follows(fact.number, None, series.values)
    )


def _with_own_deviation(mean: Fact, source: Series | None, facts: Iterable[Fact], measure: Measure) -> Fact:
    """Return an average with its deviation if the text states the deviation without calling it so.

    The number must stand in the same row, line or column, or be so exact that it cannot be the deviation by chance.
    """
    if mean.deviation is not None or source is None or source.is_course:
        return mean
    beside = (
        fact
        for fact in sorted(facts, key=lambda fact: (not _is_beside(fact, mean), abs(fact.unit - mean.unit)))
        if fact.run is None and fact.statistic is not Statistic.MEAN and _may_deviate(fact, mean, measure)
    )
    own_fact = next((fact for fact in beside if deviation_follows(mean.number, fact.number, source.values)), None)
    return mean if own_fact is None else mean.with_deviation(own_fact)


def _may_deviate(fact: Fact, mean: Fact, measure: Measure) -> bool:
    """Whether a number may be the deviation of an average near it."""
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
"""The possible distances of a deviation from its average, in paragraphs, lists or tables."""


def _is_beside(fact: Fact, mean: Fact) -> bool:
    """Whether two numbers stand in one row or line, or in one table for the same experiment and split."""
    same = (fact.unit, fact.experiment, fact.split) == (mean.unit, mean.experiment, mean.split)
    place, beside = (candidate.evidence[0].model_copy(update={"quote": ""}) for candidate in (fact, mean))
    return place == beside or (same and fact.experiment.is_label)


def _with_deviations(means: Sequence[Fact], stds: Sequence[Fact]) -> tuple[list[Fact], list[Fact]]:
    """Return the averages with deviations from other cells or sentences, and the remaining deviations.

    A deviation belongs to the average in its row, else to one in its unit with its experiment, else to the next one.
    """
    rest = list(stds)
    result = []
    for mean in means:
        if mean.deviation is None:
            found = [std for by_series in (True, False) for std in rest if _belongs(std, mean, by_series=by_series)]
            own_fact = next((std for std in found if std.evidence == mean.evidence), next(iter(found), None))
            if own_fact:
                rest.remove(own_fact)
                mean = mean.with_deviation(own_fact)
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
    """Return the index of the series from which an average follows, or None.

    Of several, the one whose words and place are nearest counts. If the stated deviation follows from no series, the
    only series of the experiment from which the average follows counts.
    """
    fitting = [index for index, candidate in enumerate(series) if len(candidate.runs) > 1 and _fits(mean, candidate)]
    alike = [index for index in fitting if _may_be_one(mean, series[index])]
    if not fitting and is_fine(mean.number):
        alone = mean.model_copy(update={"deviation": None})
        alike = [
            index
            for index, candidate in enumerate(series)
            if len(candidate.runs) > 1 and mean.experiment.value == candidate.experiment.value is not None
            if _fits(alone, candidate) and _may_be_one(mean, candidate)
        ]
        return the_only(alike)
    if not alike:
        alike = [index for index in fitting if mean.deviation is not None and _is_loose(mean, series[index])]
        return the_only(alike)

    def distance(index: int) -> tuple[bool, bool, int]:
        candidate = series[index]
        same = mean.experiment.value == candidate.experiment.value and mean.experiment.value is not None
        return not same, mean.split.value != candidate.split.value, abs(mean.unit - candidate.unit)

    return min(alike, key=distance)


def _fits(mean: Fact, series: Series) -> bool:
    if not series.is_course:
        return follows(mean.number, mean.deviation, series.values)
    return next(_choices(mean, series), None) is not None


def _choices(mean: Fact, series: Series) -> Iterator[tuple[Fact, ...]]:
    """Yield the choices of one moment per run from which an average follows."""
    if prod(map(len, series.runs.values())) > _MOST_CHOICES:
        return
    for choice in product(*series.runs.values()):
        if follows(mean.number, mean.deviation, as_floats(fact.number for fact in choice)):
            yield choice


def _may_be_one(mean: Fact, series: Series) -> bool:
    """Whether the words allow that an average belongs to a series."""
    experiments, splits = (mean.experiment.value, series.experiment.value), (mean.split.value, series.split.value)
    return (None in experiments or experiments[0] == experiments[1]) and (None in splits or splits[0] == splits[1])


def _is_loose(mean: Fact, series: Series) -> bool:
    """Whether the words that disagree stand far away, so that arithmetic may correct them."""
    experiment = mean.experiment.value == series.experiment.value or (
        min(mean.experiment.nearness, series.experiment.nearness) <= Nearness.SENTENCE
    )
    split = (
        mean.split.value == series.split.value or min(mean.split.nearness, series.split.nearness) <= Nearness.CAPTION
    )
    return experiment and split


def _chosen(mean: Fact, series: Series) -> Series:
    """Reduce a course to the values from which an average follows, if only one choice explains it.

    Among several choices, the highlighted values or the highest value of each run count.
    """
    if not series.is_course:
        return series
    choices = list(_choices(mean, series))
    marked = [choice for choice in choices if all(fact.is_marked for fact in choice)]
    highest = [max(as_floats(fact.number for fact in facts)) for facts in series.runs.values()]
    best = [choice for choice in choices if as_floats(fact.number for fact in choice) == highest]
    for few in (choices, marked, best):
        if the_only(tuple(fact.number.value for fact in choice) for choice in few):
            return series._replace(
                runs={run: (_as_selected(fact),) for run, fact in zip(series.runs, few[0], strict=True)}
            )
    return series


def _as_selected(fact: Fact) -> Fact:
    return fact.model_copy(update={"moment": fact.moment.model_copy(update={"is_chosen": True})})


class _Proof(NamedTuple):
    """Values from which an average and a deviation follow together, by their positions among all facts.

    `deviation` is None if the deviation is attached to the average.
    """

    values: tuple[int, ...]
    mean: int
    deviation: int | None

    @property
    def places(self) -> set[int]:
        """The positions of all facts in the proof."""
        return {*self.values, self.mean, *(() if self.deviation is None else (self.deviation,))}


def apply_proofs(facts: Sequence[Fact], lab: Lab, measure: Measure) -> list[Fact]:
    """Return the facts with proofs applied, whatever words call the numbers.

    A proof is a list of values, one per run, with an average and a deviation that both follow from them. This hardly
    ever happens by chance, so the values are of one experiment and one split, and each is of one run.
    """
    result: dict[int, Fact] = dict(enumerate(facts))
    proofs: list[_Proof] = []
    taken: set[int] = set()
    rows = _whole_rows(facts, lab)
    most = max((lab.repetition_of(candidate.id).number for candidate in lab.experiments), default=0)
    for proof in (candidate for runs in range(most, 1, -1) for candidate in _proofs(facts, runs, measure)):
        if len(proof.values) < most and any(facts[at].moment.is_told for at in proof.values):
            continue  # two values of a course fit too many averages
        if taken.isdisjoint(proof.places) and not any(set(proof.values) < row for row in rows):
            taken |= proof.places
            proofs.append(proof)
    figures = [tuple(in_unit(facts[place].number) for place in proof.values) for proof in proofs]
    experiments = _experiments(proofs, figures, facts)
    named_figures = [(same, experiment.value) for same, experiment in zip(figures, experiments, strict=True)]
    for proof, numbers, experiment in zip(proofs, named_figures, experiments, strict=True):
        number = next(
            at
            for at, (same, name) in enumerate(named_figures, 1)
            if same == numbers[0] and (name == numbers[1] or None in (name, numbers[1]))
        )
        mean = facts[proof.mean]
        own_facts = [facts[place] for place in proof.values]
        roles = {"experiment": experiment, "split": _nearest(fact.split for fact in own_facts), "is_telling": True}
        named = [fact.run for fact in (facts[place] for place in proofs[number - 1].values)]
        runs = named if len({*named} - {None}) == len(named) else range(1, len(named) + 1)
        for place, run in zip(proof.values, runs, strict=True):
            result[place] = facts[place].model_copy(update=roles | {"run": run, "proof": number})
        mean_update: dict[str, object] = {"statistic": Statistic.MEAN, "run": None, "is_telling": True}
        is_open = experiment.value is None and all(fact.experiment == mean.experiment for fact in own_facts)
        if mean.experiment.value != experiment.value and (is_open or mean.experiment.nearness <= experiment.nearness):
            mean_update["experiment"] = experiment
        if proof.deviation is not None:
            mean = mean.with_deviation(result.pop(proof.deviation))
        result[proof.mean] = mean.model_copy(update=mean_update)
    return _with_repeats([result[place] for place in sorted(result)])


def _whole_rows(facts: Sequence[Fact], lab: Lab) -> list[Set[int]]:
    """Return the positions of the values in each complete row, line or list.

    Its values are of one run each, and no more than were asked for. Its average is of all of them, so an average that
    follows from only some of them proves nothing.
    """
    rows: dict[tuple[object, ...], list[int]] = {}
    for place, fact in enumerate(facts):
        if fact.statistic is Statistic.VALUE and fact.run is not None and not fact.moment.is_told:
            row = (fact.unit, fact.series, fact.experiment.value, fact.split.value)
            rows.setdefault(row, []).append(place)
    return [
        set(places)
        for row, places in rows.items()
        if len({facts[place].run for place in places}) == len(places) <= lab.repetition_of(str(row[2] or "")).number
    ]


def _nearest(roles: Iterable[Role]) -> Role:
    return max(roles, key=lambda role: (role.nearness, role.value or ""))


def _experiments(proofs: Sequence[_Proof], figures: Sequence[tuple[Decimal, ...]], facts: Sequence[Fact]) -> list[Role]:
    """Return the experiment of each proof: the one that the nearest words give its values.

    If the words give several proofs the same experiment, the first value of each proof decides, or else the averages:
    `the two reached 80.1 and 73.9, then 79.2 and 73.8`.
    """
    roles = [_nearest(facts[place].experiment for place in proof.values) for proof in proofs]
    own_roles = _believed(roles, figures)
    result = list(own_roles)
    firsts = [index for index, same in enumerate(figures) if figures.index(same) == index]
    for name in {role.value for role in own_roles} - {None}:
        alike = [index for index in firsts if own_roles[index].value == name]
        for other in (
            [facts[proofs[index].values[0]].experiment for index in alike],
            [facts[proofs[index].mean].experiment for index in alike],
        ):
            if None not in {role.value for role in other} and len({role.value for role in other}) == len(alike) > 1:
                given = dict(zip((figures[index] for index in alike), other, strict=True))
                result = [given.get(same, role) for same, role in zip(figures, result, strict=True)]
                break
        else:
            if _are_of_several(alike, proofs, own_roles, facts):
                several = {figures[index] for index in alike}
                result = [Role() if same in several else role for same, role in zip(figures, result, strict=True)]
    return result


def _believed(stated_roles: Sequence[Role], figures: Sequence[tuple[Decimal, ...]]) -> list[Role]:
    """Return the experiment of each proof, by its own words or by those of other proofs with the same values.

    Two experiments may have equal values. Then nearby words are believed if the experiment that they name has no other
    values.
    """
    pairs = list(zip(stated_roles, figures, strict=True))
    alone = {(role.value, numbers) for role, numbers in pairs} - _shared(pairs)
    own_roles = []
    for role, same in pairs:
        roles = [other for other, numbers in pairs if numbers == same]
        most = _nearest([candidate for candidate in roles if (candidate.value, same) in alone] or roles)
        is_near = bool(role.value) and (role.is_beside or role.nearness is most.nearness)
        own_roles.append(role if is_near and (role.value, same) in alone else most)
    return own_roles


def _shared(pairs: Sequence[tuple[Role, tuple[Decimal, ...]]]) -> set[tuple[str | None, tuple[Decimal, ...]]]:
    """Return the experiments, with values, to which words give other values as well."""
    return {
        (role.value, numbers)
        for role, numbers in pairs
        for other, same in pairs
        if role.value == other.value and numbers != same
    }


def _are_of_several(
    alike: Sequence[int], proofs: Sequence[_Proof], own_roles: Sequence[Role], facts: Sequence[Fact]
) -> bool:
    """Whether proofs with the same experiment must be of several, because their words stand in one place on one
    split."""
    values = [facts[place] for index in alike for place in proofs[index].values]
    is_one_place = the_only((fact.unit, fact.split.value) for fact in values) is not None
    return len(alike) > 1 and is_one_place and not any(own_roles[index].is_label for index in alike)


def _with_repeats(facts: Sequence[Fact]) -> list[Fact]:
    """Return the facts with repeated values assigned to the proof whose values they repeat.

    A repetition has all values of the proof at equal distances, for example in a list in code. Its own words count,
    unless they give another proof's values the same experiment.
    """
    result = list(facts)
    proofs = {fact.proof: [other for other in facts if other.proof == fact.proof] for fact in facts if fact.proof}
    names = {number: _nearest(fact.experiment for fact in members) for number, members in proofs.items()}
    repeats = {number: list(_repeats_of(members, facts)) for number, members in proofs.items()}
    leads = {
        number: facts[some[0]].experiment
        for number, found in repeats.items()
        for some in found
        if len(_named(some, facts)) > 1
    }
    are_apart = len({role.value for role in leads.values()}) == len(leads) > 1
    for number, own_facts in proofs.items():
        others = {role.value for other, role in names.items() if other != number and role.is_worded}
        by_value = {in_unit(fact.number): fact for fact in own_facts}
        for places in repeats[number]:
            named = _named(places, facts)
            is_open = are_apart and not names[number].is_worded
            lead = leads.get(number, Role()) if is_open else names[number]
            is_other = len(named) > 1 or bool(named & others)
            if is_other or not named or not names[number].is_beside or named == {names[number].value}:
                for place in places:
                    fact = by_value[in_unit(facts[place].number)]
                    run_update = {"proof": number, "run": fact.run, "moment": fact.moment}
                    given = run_update | ({"experiment": lead} if is_other else {})
                    result[place] = facts[place].model_copy(update=given)
    return result


def _named(places: Iterable[int], facts: Sequence[Fact]) -> set[str | None]:
    """Return the experiments that words give to some values."""
    roles = (facts[place].experiment for place in places)
    return {role.value for role in roles if role.is_worded}


def _repeats_of(own_facts: Sequence[Fact], facts: Sequence[Fact]) -> Iterator[Sequence[int]]:
    """Yield the positions of values that repeat all those of a proof."""
    values = {in_unit(fact.number) for fact in own_facts}
    places: dict[int, list[int]] = {}
    for place, fact in enumerate(facts):
        is_free = not fact.proof and fact.statistic is Statistic.VALUE and not fact.moment.is_told
        if is_free and in_unit(fact.number) in values:
            places.setdefault(fact.unit, []).append(place)
    for some in _in_steps(places.values(), len(values)):
        if {in_unit(facts[place].number) for place in some} == values:
            yield some


def _in_steps(places: Iterable[Sequence[int]], length: int) -> Iterator[Sequence[int]]:
    """Yield lists of `length` neighbours at equal distances, for each unit."""
    for unit_places in places:
        for start in range(len(unit_places) - length + 1):
            some = unit_places[start : start + length]
            if len({after - before for before, after in pairwise(some)}) <= 1:
                yield some


def _proofs(facts: Sequence[Fact], runs: int, measure: Measure) -> Iterator[_Proof]:
    """Yield the proofs by position.

    First come values directly followed by their average and deviation, then averages near consecutive values or near
    the values of one column of a table.
    """

    def deviation_of(mean: int) -> tuple[int | None, Numeral | None]:
        own_number = facts[mean].deviation
        behind = mean + 1 if own_number is None and mean + 1 < len(facts) else None
        return behind, own_number if behind is None else facts[behind].number

    for mean in range(runs, len(facts)):
        behind, deviation = deviation_of(mean)
        if deviation and _is_proof(facts[mean - runs : mean], facts[mean], deviation, measure):
            yield _Proof(tuple(range(mean - runs, mean)), mean, behind)
    for mean, fact in enumerate(facts):
        behind, deviation = deviation_of(mean)
        if fact.statistic is not Statistic.MEAN or not is_fine(fact.number) or deviation is None:
            continue
        if behind and not _may_be_its_deviation(facts[behind], fact):
            continue
        near = [
            at
            for at, candidate in enumerate(facts)
            if at not in (mean, behind) and fact.unit - candidate.unit in HERE_OR_NEXT
        ]
        rows = _rows(facts, near, runs)
        found = [some for some in rows if _is_proof([facts[at] for at in some], fact, deviation, measure)]
        if the_only(tuple(facts[at].number.value for at in values) for values in found):
            yield _Proof(found[0], mean, behind)


def _may_be_its_deviation(std: Fact, mean: Fact) -> bool:
    """Whether words make a number the deviation of an average in its place, and no labels separate the two."""
    roles = ((std.split, mean.split), (std.experiment, mean.experiment))
    labelled = [pair for pair in roles if min(role.nearness for role in pair) is Nearness.LABEL]
    is_apart = any(role.value != other.value for role, other in labelled)
    return std.statistic is Statistic.STD and std.unit == mean.unit and not is_apart


def _rows(facts: Sequence[Fact], near: Sequence[int], runs: int) -> Iterator[tuple[int, ...]]:
    """Yield the positions of facts at equal distances within one unit, such as a line or a column.

    If only some values of a column are highlighted, these are yielded as well.
    """
    columns: dict[tuple[int, str, str | None], list[int]] = {}
    for at in near:
        columns.setdefault(facts[at].key, []).append(at)
    for column in columns.values():
        marked = tuple(at for at in column if facts[at].is_marked)
        if len(marked) == runs < len(column):
            yield marked
    for step in range(1, _WIDEST + 1):
        for at in range(len(near) - step * (runs - 1)):
            places = tuple(near[at : at + step * (runs - 1) + 1 : step])
            if the_only(facts[place].unit for place in places) is not None:
                yield places


def is_fine(number: Numeral) -> bool:
    """Whether a value is written so exactly that it is hardly ever an average by chance."""
    return number.resolution * _FINE_PARTS <= abs(number.value) if number.is_plain else digit_in_unit(number) <= FINE


FINE: Final = Decimal("0.011")
"""The coarsest unit of the last digit, in percent, of a value that is hardly ever an average by chance."""
_FINE_PARTS: Final = 150
_WIDEST: Final = 12
"""The largest number of columns in a table."""


def _is_proof(values: Sequence[Fact], mean: Fact, deviation: Numeral, measure: Measure) -> bool:
    """Whether values of several runs have an average and a deviation, all written with decimals."""
    numbers = [fact.number for fact in values]
    if not all(may_be_value(number, measure) for number in (*numbers, mean.number)) or not deviation.has_decimals:
        return False
    units = [fact.unit for fact in values]
    is_behind = max(units) - min(units) < len(units) and mean.unit - max(units) in HERE_OR_NEXT
    if any(fact.statistic is not Statistic.VALUE for fact in values) or not is_behind:
        return False
    splits = {fact.split.value for fact in values if fact.split.is_label}
    if the_only(number.value for number in numbers) is not None or len(splits) > 1:
        return False
    moment = the_only(fact.moment for fact in values)
    if moment and moment.is_told:
        return False  # a row of a course over epochs
    return mean.number.has_decimals and follows(mean.number, deviation, as_floats(numbers))


def first_facts(series: Series) -> tuple[Fact, ...]:
    """Return the values of a series' first run."""
    return next(iter(series.runs.values()))

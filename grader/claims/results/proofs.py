"""What the numbers of a text prove of each other: which values, averages and deviations belong together, whatever words
call them, and whose figures are, where only one experiment is left for them.
"""

from collections.abc import Iterable, Iterator, Sequence, Set
from decimal import Decimal
from itertools import pairwise, product
from statistics import fmean
from typing import Final, NamedTuple

from grader.claims.numerals import Numeral
from grader.claims.results.fact import (
    Fact,
    Nearness,
    Role,
    Statistic,
    as_floats,
    digit_in_unit,
    follows,
    in_unit,
)
from grader.claims.results.measures import may_be_value, the_only
from grader.lab.definition import Lab
from grader.lab.experiments import Measure

HERE_OR_NEXT: Final = (0, 1)
"""How many units an average may stand behind its values."""


class Series(NamedTuple):
    """Values of several runs that belong together: for each run its values, more than one where they are of several
    moments."""

    experiment: Role
    split: Role
    runs: dict[int, tuple[Fact, ...]]
    unit: int
    order: int

    @property
    def is_course(self) -> bool:
        """Whether a run has several values, one for each of several epochs."""
        return any(len(facts) > 1 for facts in self.runs.values())

    @property
    def is_proved(self) -> bool:
        """Whether an average and a deviation follow from just these values."""
        return any(fact.proof for facts in self.runs.values() for fact in facts)

    @property
    def values(self) -> list[float]:
        """One value for each run, in percent; of a course the first ones."""
        return as_floats(facts[0].number for facts in self.runs.values())


class Settled(NamedTuple):
    """What was settled: the series of values, the averages with the series that each follows from, and deviations that
    stand alone; `course`: figures over training that are of no single run."""

    series: tuple[Series, ...]
    summaries: tuple[tuple[Fact, Series | None], ...]
    deviations: tuple[Fact, ...]
    course: tuple[Fact, ...] = ()


class _Proof(NamedTuple):
    """The places among all facts of values, of the average that follows from them, and of the deviation that does;
    None where it is attached to the average."""

    values: tuple[int, ...]
    mean: int
    deviation: int | None

    @property
    def places(self) -> set[int]:
        """All places that it rests on."""
        return {*self.values, self.mean, *(() if self.deviation is None else (self.deviation,))}


def proved(facts: Sequence[Fact], lab: Lab, measure: Measure) -> list[Fact]:
    """The facts, with those that prove each other put together, whatever words call them: as many values as there are
    runs, an average and a deviation that both follow from them. That is hardly ever so by chance, so that the values
    are of one run each, of one experiment and of one split."""
    result: dict[int, Fact] = dict(enumerate(facts))
    proofs: list[_Proof] = []
    taken: set[int] = set()
    rows = _whole_rows(facts, lab)
    for proof in _proofs_of(facts, lab, measure):
        if taken.isdisjoint(proof.places) and not any(set(proof.values) < row for row in rows):
            taken |= proof.places
            proofs.append(proof)
    figures = [tuple(in_unit(facts[place].number) for place in proof.values) for proof in proofs]
    for proof, same, experiment in zip(proofs, figures, _experiments(proofs, figures, facts), strict=True):
        number = figures.index(same) + 1
        mean = facts[proof.mean]
        own = [facts[place] for place in proof.values]
        roles = {"experiment": experiment, "split": _nearest(fact.split for fact in own), "is_telling": True}
        named = [fact.run for fact in (facts[place] for place in proofs[number - 1].values)]
        runs = named if len({*named} - {None}) == len(named) else range(1, len(named) + 1)
        for place, run in zip(proof.values, runs, strict=True):
            result[place] = facts[place].model_copy(update=roles | {"run": run, "proof": number})
        told: dict[str, object] = {"statistic": Statistic.MEAN, "run": None, "is_telling": True}
        is_open = experiment.value is None and all(fact.experiment == mean.experiment for fact in own)
        if mean.experiment.value != experiment.value and (is_open or mean.experiment.nearness <= experiment.nearness):
            told["experiment"] = experiment
        if proof.deviation is not None:
            told["deviation"] = facts[proof.deviation].number
            told["evidence"] = tuple(dict.fromkeys((*mean.evidence, *facts[proof.deviation].evidence)))
            del result[proof.deviation]
        result[proof.mean] = mean.model_copy(update=told)
    return _with_repeats([result[place] for place in sorted(result)])


def _whole_rows(facts: Sequence[Fact], lab: Lab) -> list[Set[int]]:
    """Places of the values of one row, line or list that are of one run each, and no more than were asked for: their
    average is of all of them, so that a part from which it would follow by chance proves nothing."""
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
    """The experiment of each proof: what the nearest words give its values, wherever these `figures` are proved. Where
    words give several values the same one, it is that of the first of each or, if these agree, of their averages, if
    each has another one: `the two reached 80.1 and 73.9, then 79.2 and 73.8`."""
    said = [_nearest(facts[place].experiment for place in proof.values) for proof in proofs]
    own = [_nearest(role for role, other in zip(said, figures, strict=True) if other == same) for same in figures]
    result = list(own)
    firsts = [index for index, same in enumerate(figures) if figures.index(same) == index]
    for name in {role.value for role in own} - {None}:
        alike = [index for index in firsts if own[index].value == name]
        for other in (
            [facts[proofs[index].values[0]].experiment for index in alike],
            [facts[proofs[index].mean].experiment for index in alike],
        ):
            if None not in {role.value for role in other} and len({role.value for role in other}) == len(alike) > 1:
                given = dict(zip((figures[index] for index in alike), other, strict=True))
                result = [given.get(same, role) for same, role in zip(figures, result, strict=True)]
                break
        else:
            if _are_of_several(alike, proofs, own, facts):
                several = {figures[index] for index in alike}
                result = [Role() if same in several else role for same, role in zip(figures, result, strict=True)]
    return result


def _are_of_several(alike: Sequence[int], proofs: Sequence[_Proof], own: Sequence[Role], facts: Sequence[Fact]) -> bool:
    """Whether proofs to which words of one place give the same experiment must be of several: they are of one split."""
    values = [facts[place] for index in alike for place in proofs[index].values]
    is_one_place = the_only((fact.unit, fact.split.value) for fact in values) is not None
    return len(alike) > 1 and is_one_place and not any(own[index].is_label for index in alike)


def _with_repeats(facts: Sequence[Fact]) -> list[Fact]:
    """The facts, with values that repeat all those of a proof put to it, at equal distances, as in a list from which a
    program works out the average. What words say of them counts, unless they give another proof's values the same
    experiment."""
    result = list(facts)
    proofs = {fact.proof: [other for other in facts if other.proof == fact.proof] for fact in facts if fact.proof}
    names = {number: _nearest(fact.experiment for fact in own) for number, own in proofs.items()}
    repeats = {number: list(_repeats_of(own, facts)) for number, own in proofs.items()}
    leads = {
        number: facts[some[0]].experiment
        for number, found in repeats.items()
        for some in found
        if len(_named(some, facts)) > 1
    }
    are_apart = len({role.value for role in leads.values()}) == len(leads) > 1
    for number, own in proofs.items():
        others = {role.value for other, role in names.items() if other != number and role.is_worded}
        by_value = {in_unit(fact.number): fact for fact in own}
        for places in repeats[number]:
            named = _named(places, facts)
            is_open = are_apart and not names[number].is_worded
            lead = leads.get(number, Role()) if is_open else names[number]
            is_other = len(named) > 1 or bool(named & others)
            if is_other or not named or not names[number].is_beside or named == {names[number].value}:
                for place in places:
                    fact = by_value[in_unit(facts[place].number)]
                    told = {"proof": number, "run": fact.run, "moment": fact.moment}
                    given = told | ({"experiment": lead} if is_other else {})
                    result[place] = facts[place].model_copy(update=given)
    return result


def _named(places: Iterable[int], facts: Sequence[Fact]) -> set[str | None]:
    """The experiments that words give to some values."""
    roles = (facts[place].experiment for place in places)
    return {role.value for role in roles if role.is_worded}


def _repeats_of(own: Sequence[Fact], facts: Sequence[Fact]) -> Iterator[Sequence[int]]:
    """Places of values, of no proof and without a moment, that are all those of one proof."""
    values = {in_unit(fact.number) for fact in own}
    places: dict[int, list[int]] = {}
    for place, fact in enumerate(facts):
        is_free = not fact.proof and fact.statistic is Statistic.VALUE and not fact.moment.is_told
        if is_free and in_unit(fact.number) in values:
            places.setdefault(fact.unit, []).append(place)
    for some in _in_steps(places.values(), len(values)):
        if {in_unit(facts[place].number) for place in some} == values:
            yield some


def _in_steps(places: Iterable[Sequence[int]], length: int) -> Iterator[Sequence[int]]:
    """So many neighbours at equal distances of each unit's places."""
    for own in places:
        for start in range(len(own) - length + 1):
            some = own[start : start + length]
            if len({after - before for before, after in pairwise(some)}) <= 1:
                yield some


def _proofs_of(facts: Sequence[Fact], lab: Lab, measure: Measure) -> Iterator[_Proof]:
    """What is proved of as many values as some experiment has runs, or of fewer: two of a course fit anything."""
    most = max((lab.repetition_of(one.id).number for one in lab.experiments), default=0)
    found = (one for runs in range(most, 1, -1) for one in _proofs(facts, runs, measure))
    return (one for one in found if len(one.values) == most or not any(facts[at].moment.is_told for at in one.values))


def _proofs(facts: Sequence[Fact], runs: int, measure: Measure) -> Iterator[_Proof]:
    """Where values, average and deviation stand right behind each other; then where an average with its deviation
    stands near values that stand right behind each other or in one column of a table."""
    for first in range(len(facts) - runs):
        mean = first + runs
        values = tuple(range(first, mean))
        own = facts[mean].deviation
        beside = mean + 1 if own is None and mean + 1 < len(facts) else None
        deviation = own or (facts[beside].number if beside is not None else None)
        if deviation and _is_proof([facts[at] for at in values], facts[mean], deviation, measure):
            yield _Proof(values, mean, beside if own is None else None)
    for mean, fact in enumerate(facts):
        if fact.statistic is not Statistic.MEAN or not is_fine(fact.number):
            continue
        behind = mean + 1 if fact.deviation is None and mean + 1 < len(facts) else None
        if behind is not None and not _may_be_its_deviation(facts[behind], fact):
            continue
        deviation = fact.deviation or (facts[behind].number if behind is not None else None)
        near = [at for at, one in enumerate(facts) if at not in (mean, behind) and fact.unit - one.unit in HERE_OR_NEXT]
        found = [
            values
            for values in _rows(facts, near, runs)
            if deviation and _is_proof([facts[at] for at in values], fact, deviation, measure)
        ]
        if the_only(tuple(facts[at].number.value for at in values) for values in found):
            yield _Proof(found[0], mean, behind)


def _may_be_its_deviation(std: Fact, mean: Fact) -> bool:
    """Whether words make a figure the deviation of an average of its place, and no labels give the two other
    splits or experiments."""
    roles = ((std.split, mean.split), (std.experiment, mean.experiment))
    labelled = [pair for pair in roles if min(one.nearness for one in pair) is Nearness.LABEL]
    is_apart = any(one.value != other.value for one, other in labelled)
    return std.statistic is Statistic.STD and std.unit == mean.unit and not is_apart


def _rows(facts: Sequence[Fact], near: Sequence[int], runs: int) -> Iterator[tuple[int, ...]]:
    """Places of facts at equal distances within one unit: in a line, or in a column of a table; and those of the values
    of one column that are set off, where others are not."""
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
"""In percent."""
_FINE_PARTS: Final = 150
_WIDEST: Final = 12
"""Columns of a table, at most."""


def _is_proof(values: Sequence[Fact], mean: Fact, deviation: Numeral, measure: Measure) -> bool:
    """Whether values of several runs have an average and a deviation, all written with decimals."""
    numbers = [fact.number for fact in values]
    if not all(may_be_value(number, measure) for number in (*numbers, mean.number)) or not deviation.has_decimals:
        return False
    if any(fact.statistic is not Statistic.VALUE for fact in values) or not _is_behind(values, mean):
        return False
    splits = {fact.split.value for fact in values if fact.split.is_label}
    if the_only(number.value for number in numbers) is not None or len(splits) > 1:
        return False
    moment = the_only(fact.moment for fact in values)
    if moment and moment.is_told:
        return False  # a row of a course over epochs
    return mean.number.has_decimals and follows(mean.number, deviation, as_floats(numbers))


def _is_behind(values: Sequence[Fact], mean: Fact) -> bool:
    """Whether values of one place, or of neighbouring ones, have an average not far behind them."""
    units = [fact.unit for fact in values]
    return max(units) - min(units) < len(units) and mean.unit - max(units) in HERE_OR_NEXT


def uncontested(found: Settled, facts: Sequence[Fact]) -> Settled:
    """What is settled, less an experiment that words further away give to figures too far from those of the same
    experiment and split that are nearer to its name, or come first: no experiment has both. What has an average counts
    before a story of fewer runs. Words that only hint at an experiment give it to no figures where there are others
    that they would give it to as well."""
    averaged = {figures_of(source) for _, source in found.summaries if source is not None}
    whole = [one for one in found.series if len(one.runs) >= _FEWEST and not one.is_course]
    known = {fact.number.value for one in found.series for own in one.runs.values() for fact in own}
    open_ones = {
        fact.experiment.value
        for fact in facts
        if fact.statistic is Statistic.VALUE and fact.run is None and fact.number.has_decimals
        if fact.number.value >= _LIKELY and fact.number.value not in known
        if not fact.experiment.is_worded and not fact.number.is_plain
    }
    for one in whole:
        if not one.experiment.is_worded and one.experiment.value in open_ones:
            found = _without_experiment(found, one)
    for one in sorted(whole, key=_rank):
        for other in whole:
            if (
                other is not one
                and other.experiment.value == one.experiment.value is not None
                and other.split.value == one.split.value
                and set(one.values).isdisjoint(other.values)
                and (
                    len(one.runs) >= len(other.runs)
                    or {figures_of(one), figures_of(other)} & averaged != {figures_of(other)}
                )
                and _is_farther(other, one)
            ):
                found = _without_experiment(found, other)
    return found


def _rank(one: Series) -> tuple[int, int, int]:
    return -min(one.experiment.nearness, Nearness.HEADING), one.unit, one.order


def _is_farther(other: Series, one: Series) -> bool:
    """Whether the words that give an experiment to a series stand further away than those that give it to another one;
    or as far, and its figures are of another size than those of the first one."""
    if one.experiment.is_beside and not other.experiment.is_beside:
        return True
    means = fmean(one.values), fmean(other.values)
    is_plain = first_facts(one)[0].number.is_plain
    is_apart = abs(means[0] - means[1]) > (max(map(abs, means)) * _APART_SHARE if is_plain else _APART)
    return is_apart and not other.experiment.is_beside and _rank(one) < _rank(other)


_LIKELY: Final = Decimal(50)
"""In percent; few figures of this size are no accuracies."""
_APART: Final = 5
_APART_SHARE: Final = 0.25
"""Points of a percentage, and a share of other averages; those of one experiment on one split do not differ by
more."""


def _without_experiment(found: Settled, contested: Series) -> Settled:
    """What is settled, with the experiment of a series and of its average left open."""
    figures, name = figures_of(contested), contested.experiment.value

    def is_it(one: Series) -> bool:
        return figures_of(one) == figures and one.experiment.value == name

    return found._replace(
        series=tuple(one._replace(experiment=Role()) if is_it(one) else one for one in found.series),
        summaries=tuple(
            (mean.model_copy(update={"experiment": Role()}), source._replace(experiment=Role()))
            if source is not None and is_it(source)
            else (mean, source)
            for mean, source in found.summaries
        ),
    )


def last_ones(found: Settled, facts: Sequence[Fact], lab: Lab) -> Settled:
    """What is settled, with the experiments of which nothing is reported given to the figures of which the experiment
    is not told: one to the only ones, several in the lab's order where the text reports all in that order. Where these
    figures are all of one split, what is reported of another one, as in an appendix, is apart from it. Of an experiment
    that has the only figure of its kind, such as that of a single run, something is reported."""
    groups = _groups(found)
    splits = {fact.split.value for group in groups if group.experiment is None for fact in group.facts}
    if the_only(splits):
        groups = [group for group in groups if any(fact.split.value in {*splits, None} for fact in group.facts)]
    named = [group.experiment for group in groups if group.experiment is not None]
    left = [one.id for one in lab.experiments if one.id not in named]
    untold = [group for group in groups if group.experiment is None]
    if len(untold) < len(left):
        figures = {value for group in groups for values in group.values for value in values}
        reported = {
            fact.experiment.value
            for fact in facts
            if fact.is_telling and fact.statistic is Statistic.VALUE and not fact.proof and is_fine(fact.number)
            if fact.experiment.is_beside and float(in_unit(fact.number)) not in figures
        }
        left = [one for one in left if one not in reported]
    if len(untold) != len(left):
        return found
    given = iter(left)
    order = [one.id for one in lab.experiments]
    ordered = [group.experiment or next(given) for group in groups]
    if len(left) > 1 and sorted(ordered, key=order.index) != ordered:
        return found
    for group, experiment in zip(untold, left, strict=True):
        if any(fact.among and experiment not in fact.among for fact in group.facts):
            return found
        found = _given(found, group, Role(value=experiment))
    return found


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
        _Group(one.experiment.value, one.unit, frozenset({figures_of(one)}), frozenset(), first_facts(one))
        for one in found.series
    ]
    for mean, source in found.summaries:
        values = frozenset({figures_of(source)}) if source else frozenset()
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


def first_facts(one: Series) -> tuple[Fact, ...]:
    """The values of a series' first run."""
    return next(iter(one.runs.values()))


def _given(found: Settled, group: _Group, role: Role) -> Settled:
    """What is settled, with an experiment given to the figures of a group."""
    return found._replace(
        series=tuple(
            one._replace(experiment=role) if one.experiment.value is None and figures_of(one) in group.values else one
            for one in found.series
        ),
        summaries=tuple(
            (mean.model_copy(update={"experiment": role}), source)
            if mean.experiment.value is None and mean.number.value in group.means
            else (mean, source)
            for mean, source in found.summaries
        ),
    )


def last_averages(found: Settled) -> Settled:
    """What is settled, with the only experiment that has values and no average given to the only average that has no
    experiment, if it lies among these values."""
    averaged = {mean.experiment.value for mean, _ in found.summaries}
    left = [one for one in found.series if one.experiment.value not in averaged and not one.is_course]
    untold = the_only(mean.number.value for mean, _ in found.summaries if mean.experiment.value is None)
    owner = the_only(one.experiment.value for one in left if len(one.runs) > 1)
    if not owner or untold is None:
        return found
    role = Role(value=owner)
    values = [value for one in left if one.experiment.value == role.value for value in one.values]
    summaries = tuple(
        (mean.model_copy(update={"experiment": role}), source)
        if mean.experiment.value is None and min(values) <= in_unit(mean.number) <= max(values)
        else (mean, source)
        for mean, source in found.summaries
    )
    return found._replace(summaries=summaries)


def figures_of(one: Series) -> tuple[float, ...]:
    """The values of a series, by which it is known again where it is repeated."""
    return tuple(one.values)

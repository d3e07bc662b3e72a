"""The results that a submission claims: values of single runs, averages with deviations, and courses over training.

`result_claims` returns them. It reads facts (`reported.facts`), combines them by arithmetic and assigns experiments
(`owners.settle_results`), and turns the result into claims (`claims_of`). `complete_claims` adds results from notebooks
to the claims of a report.

A number that may be a result but could not be assigned is a `Loose` one. A `faint` one looks like a result only by its
form, because no words beside it say so.
"""

import re
from collections.abc import Iterable, Iterator, Sequence, Set
from decimal import Decimal
from enum import StrEnum
from functools import cache
from itertools import combinations, product
from math import prod, sqrt
from statistics import fmean, pstdev, stdev
from typing import Final

from grader.claims.numerals import Numeral
from grader.claims.results.fact import (
    UNTOLD,
    Fact,
    Moment,
    Nearness,
    Role,
    Statistic,
    digit_in_unit,
    in_unit,
    is_fraction,
    is_share,
    less_last_ones,
)
from grader.claims.results.numbers import numbers_in
from grader.claims.results.owners import settle_results
from grader.claims.results.reported import facts
from grader.claims.results.series import Series, SettledResults, is_fine
from grader.claims.sections import Section
from grader.claims.settings import is_in_setting
from grader.claims.voice import words
from grader.frozen import Frozen
from grader.lab.definition import Lab
from grader.lab.experiments import ACCURACY, Measure
from grader.reading.document import Evidence, Voice


def _scale(value: Numeral) -> Decimal:
    """Return the factor that converts a value to the stored unit: 100 for a share written as a fraction, otherwise
    1."""
    return Decimal(100) if is_fraction(value) else Decimal(1)


class Claim(Frozen):
    """The common fields of all claims. `experiment` and `split` are None if the text does not state them."""

    experiment: str | None
    split: str | None
    measure: str = ACCURACY.id


class RunResult(Claim):
    """The result of one run. A share is in percent.

    `resolution` is the unit of the last digit: 0.1 for 79.6. `moment` is the epoch or step that the text states.
    """

    seed: int
    value: Decimal
    resolution: Decimal
    evidence: Evidence
    moment: Moment = Moment()


class Summary(Claim):
    """A mean over runs and its standard deviation; either may be missing. A share is in percent."""

    mean: Decimal | None = None
    mean_resolution: Decimal = Decimal(1)
    std: Decimal | None = None
    std_resolution: Decimal = Decimal(1)
    evidence: tuple[Evidence, ...]
    moment: Moment = Moment()

    @classmethod
    def from_numbers(
        cls,
        experiment: str | None,
        split: str | None,
        mean: Numeral | None,
        std: Numeral | None,
        *evidence: Evidence,
        moment: Moment = UNTOLD,
        measure: str = ACCURACY.id,
    ) -> "Summary":
        """Return a summary of numbers as they were read.

        A mean written as a fraction becomes a percentage, and so does its deviation. A deviation beside a mean in
        percent stays as written, even if it looks like a fraction, so that a check can report the wrong unit.
        """
        scale = _scale(mean) if mean else Decimal(1)
        std_scale = Decimal(1) if std and std.percent else scale
        return cls(
            experiment=experiment,
            split=split,
            measure=measure,
            mean=mean.value * scale if mean else None,
            mean_resolution=mean.resolution * scale if mean else Decimal(1),
            std=std.value * std_scale if std else None,
            std_resolution=std.resolution * std_scale if std else Decimal(1),
            evidence=tuple(dict.fromkeys(evidence)),
            moment=moment,
        )


class SummaryStatistic(StrEnum):
    """The kind of a number in a course over training: the value of one run, or a mean or a deviation over runs."""

    VALUE = "value"
    MEAN = "mean"
    STD = "std"


class CoursePoint(Claim):
    """A number in a course over training: one of many epochs or steps. It is not the result of a run. A share is in
    percent."""

    seed: int | None
    moment: Moment
    statistic: SummaryStatistic
    value: Decimal
    resolution: Decimal
    evidence: Evidence


class Loose(Frozen):
    """A number that may be a result, although the text does not say enough to make it a claim.

    `experiment` is None if it may belong to any experiment. `is_faint`: only its form makes it look like a result.
    """

    experiment: str | None
    evidence: Evidence
    is_faint: bool = False
    measure: str = ACCURACY.id


class ResultClaims(Frozen):
    """All claims about results in a text: final results, courses over training, and loose numbers."""

    seeds: tuple[RunResult, ...] = ()
    summaries: tuple[Summary, ...] = ()
    course: tuple[CoursePoint, ...] = ()
    loose: tuple[Loose, ...] = ()

    def untold(self, measure: str, split: str | None) -> tuple[Evidence, ...]:
        """Return the places of final results, by one measure on one split, whose experiment is unknown."""
        of_seeds = (result.evidence for result in self.seeds if _key(result) == (None, measure, split))
        of_all = (
            place for summary in self.summaries if _key(summary) == (None, measure, split) for place in summary.evidence
        )
        return tuple(dict.fromkeys((*of_seeds, *of_all)))


def _key(claim: RunResult | Summary) -> tuple[str | None, str, str | None]:
    return claim.experiment, claim.measure, claim.split


def result_claims(sections: tuple[Section, ...], lab: Lab) -> ResultClaims:
    """Return all results that a text claims, for every measure of the lab."""
    if not lab.experiments:
        return ResultClaims()
    printed = _printed(sections)
    found = []
    for measure in lab.measured:
        reported = list(facts(sections, lab, measure))
        others = _of_other_data(reported, printed, measure, lab)
        found.append(claims_of([fact for fact in reported if fact not in others], lab, measure))
    claims = _together(found)
    read = {claim.value for claim in claims.seeds} | {claim.value for claim in claims.course}
    read |= {claim.mean for claim in claims.summaries if claim.mean is not None}
    open_ones = tuple(_unseen(sections, read)) if any(candidate.is_counted for candidate in lab.measured) else ()
    return _together((claims, ResultClaims(loose=open_ones)))


def _printed(sections: Iterable[Section]) -> Set[tuple[str, int | None, int | None]]:
    """Return the file, cell and line of each block that a program of the student printed."""
    return {
        (section.passage.file, block.cell, block.line)
        for section in sections
        for block in section.passage.blocks
        if block.voice in (Voice.PRINT, Voice.FIGURES)
    }


def _of_other_data(
    reported: Sequence[Fact], printed: Set[tuple[str, int | None, int | None]], measure: Measure, lab: Lab
) -> set[Fact]:
    """Return the printed values that were measured on other data than the lab's.

    An output is of other data if none of its values is possible on the lab's numbers of examples. Averages are not
    examined, because an average of possible values need not be a possible value.
    """
    outputs: dict[tuple[str, int | None], list[Fact]] = {}
    for fact in reported if measure.is_counted and lab.sizes else ():
        place = fact.evidence[0]
        is_printed = (place.file, place.cell, place.line) in printed
        if is_printed and fact.statistic is Statistic.VALUE and fact.is_telling:
            outputs.setdefault((place.file, place.cell), []).append(fact)
    return {
        fact
        for own_facts in outputs.values()
        if not any(_is_possible(candidate, lab) for candidate in own_facts)
        for fact in own_facts
    }


def _is_possible(fact: Fact, lab: Lab) -> bool:
    """Whether a value is possible on one of the lab's splits: a whole number of right answers gives it."""
    return any(is_share(fact.number, size) for split, size in lab.sizes.items() if fact.split.value in (None, split))


def _together(parts: Iterable[ResultClaims]) -> ResultClaims:
    """Merge the claims of several parts of a text."""
    names = ResultClaims.model_fields
    own_claims = list(parts)
    return ResultClaims(
        **{name: tuple(entry for part in own_claims for entry in getattr(part, name)) for name in names}
    )


def claims_of(reported: Sequence[Fact], lab: Lab, measure: Measure | None = None) -> ResultClaims:
    """Turn facts about a measure into claims. Without `measure`, the lab's usual measure counts."""
    own_measure = measure or lab.measured[0]
    reported = less_last_ones(reported)
    found = settle_results(reported, lab, own_measure)
    measure_update = {"measure": own_measure.id}
    seeds: dict[tuple[object, ...], RunResult] = {}
    for claim in (claim for headline in _headlines(found) for claim in _of_seeds(headline)):
        # The same value in two places is one claim.
        place = claim.experiment, claim.split, claim.seed, claim.value
        seeds.setdefault(place, claim.model_copy(update=measure_update))
    return ResultClaims(
        seeds=tuple(seeds.values()),
        summaries=tuple(claim.model_copy(update=measure_update) for claim in _summaries(found)),
        course=tuple(claim.model_copy(update=measure_update) for claim in _course(found)),
        loose=tuple(
            figure.model_copy(update=measure_update)
            for figure in (*_loose(reported, found, own_measure), *_crowded(found, own_measure))
        ),
    )


def _loose(reported: Iterable[Fact], found: SettledResults, measure: Measure) -> Iterator[Loose]:
    """Yield the numbers that words call values of the measure and that belong to no series, average or course."""
    settled_ones = [(fact, group.split) for group in found.series for facts in group.runs.values() for fact in facts]
    settled_ones += [(mean, mean.split) for mean, _ in found.summaries if mean.experiment.value is not None]
    settled_ones += [(fact, fact.split) for fact in found.course]
    known_figures = {(in_unit(fact.number), split.value) for fact, split in settled_ones}
    known_figures |= {(in_unit(mean.deviation), mean.split.value) for mean, _ in found.summaries if mean.deviation}
    known_figures |= {(value, None) for value, _ in known_figures}
    places = {(in_unit(fact.number), fact.evidence[0]) for fact, _ in settled_ones}
    for fact in reported:
        # If only the section states the split, an equally exact number of any split is the same result.
        is_told = not fact.split.is_from_afar or not is_fine(fact.number)
        figure = (in_unit(fact.number), fact.split.value if is_told else None)
        is_known = figure in known_figures or (figure[0], fact.evidence[0]) in places
        if is_known or not fact.statistic.is_rate:
            continue
        if fact.is_telling:
            yield Loose(experiment=fact.experiment.value, evidence=fact.evidence[0])
        elif measure.is_counted and fact.number.has_decimals and not fact.is_aside:
            near = fact.experiment.value if fact.experiment.is_worded else None
            yield Loose(experiment=near, evidence=fact.evidence[0], is_faint=True)
    for series in found.series:
        if series.experiment.value is None or _marked(series).is_course:
            yield from (
                Loose(experiment=series.experiment.value, evidence=facts[0].evidence[0])
                for facts in series.runs.values()
            )


def _crowded(found: SettledResults, measure: Measure) -> Iterator[Loose]:
    """Yield results that may belong to another experiment.

    They are the second series, or second average, of one experiment and split if its values differ from the first.
    """
    for series, other in combinations([candidate for candidate in found.series if candidate.has_runs], 2):
        same = series.owner == other.owner
        # Highlighting may have divided the runs of one column into two series.
        is_set_off = series.unit == other.unit and {series.marks, other.marks} == {
            frozenset({True}),
            frozenset({False}),
        }
        if same and set(series.values).isdisjoint(other.values) and not is_set_off:
            yield Loose(experiment=None, evidence=next(iter(other.runs.values()))[0].evidence[0])
    for (mean, _), (other_mean, source) in combinations(found.summaries, 2):
        same = mean.owner == other_mean.owner
        values = float(in_unit(mean.number)), float(in_unit(other_mean.number))
        differ = abs(values[0] - values[1]) > 1 if measure.is_share else measure.is_clear(*values)
        if same and source is None and differ:
            yield Loose(experiment=None, evidence=other_mean.evidence[0])


_LEAST_SEEN: Final = 30
"""The lowest value, in percent, that may be an accuracy."""
_PLAIN: Final = re.compile(r"(?<!\d)(?<!\d[.,])(?:\d{2}[.,]\d{1,2}|0[.,]\d{2,5})(?!\d|\s?[kKMB]\b)")


def unseen(text: str, read: Set[Decimal]) -> list[re.Match[str]]:
    """Return the matches in a text that may be accuracies and were not read as numbers at all.

    `read` are the values that were read, in percent. Words that run together can hide a number.
    """
    plain = [
        (match, value)
        for match in _PLAIN.finditer(text)
        if (value := Decimal(match.group().replace(",", "."))) >= _LEAST_SEEN or value <= 1
    ]
    seen = read | {value / 100 for value in read} | {number.value for number in numbers_in(text)} if plain else read
    return [match for match, value in plain if value not in seen and not is_in_setting(text, match.start())]


def _unseen(sections: Iterable[Section], read: Set[Decimal]) -> Iterator[Loose]:
    """Yield the possible accuracies in the student's own writing that were not read at all.

    Code and printed output are not examined.
    """
    for passage in (words(section.passage) for section in sections if not section.is_closing):
        for match in unseen(passage.text, read):
            yield Loose(experiment=None, evidence=passage.evidence(match.start(), match.end()))


def _headlines(found: SettledResults) -> list[Series]:
    """Return the series with one value per run, without repetitions.

    For one experiment and split, a series from which a stated average follows comes first, then the longest one. If two
    have an average, the one named by labels comes first, because a text may also describe an earlier attempt. A further
    series is kept only if it contradicts the first.
    """
    sources = [source for _, source in found.summaries if source is not None]
    sources.sort(key=lambda candidate: candidate.experiment.nearness is not Nearness.LABEL)
    rest = sorted(
        (candidate for candidate in found.series if candidate not in sources),
        key=lambda candidate: -len(candidate.runs),
    )
    kept: list[Series] = []
    for series in map(_marked, [*sources, *rest]):
        first = next((other for other in kept if other.owner == series.owner), None)
        if not series.is_course and (
            first is None or (_contradicts(series, first) and not _is_said_again(series, kept))
        ):
            kept.append(series)
    return kept


def _contradicts(series: Series, first: Series) -> bool:
    """Whether a series gives other values for runs of the first one."""
    return set(series.runs) <= set(first.runs) and sorted(series.values) != sorted(first.values)


def _is_said_again(series: Series, kept: Iterable[Series]) -> bool:
    """Whether a series repeats the values of another series of its experiment, if only the section states its split."""
    own_values = set(zip(series.runs, series.values, strict=True))
    alike = (other for other in kept if other.experiment.value == series.experiment.value)
    return series.split.is_from_afar and any(
        own_values <= set(zip(other.runs, other.values, strict=True)) for other in alike
    )


def _marked(series: Series) -> Series:
    """Reduce a course to its highlighted values if exactly one value per run is highlighted."""
    marked = {run: tuple(fact for fact in values if fact.is_marked) for run, values in series.runs.items()}
    return series._replace(runs=marked) if series.is_course and all(len(v) == 1 for v in marked.values()) else series


def _of_seeds(series: Series) -> Iterator[RunResult]:
    for run, (fact, *_) in series.runs.items():
        yield RunResult(
            experiment=series.experiment.value,
            split=series.split.value,
            seed=run,
            value=in_unit(fact.number),
            resolution=digit_in_unit(fact.number),
            evidence=fact.evidence[0],
            moment=fact.moment.model_copy(update={"is_chosen": fact.moment.is_told or fact.moment.is_chosen}),
        )


def _summaries(found: SettledResults) -> Iterator[Summary]:
    """Yield each stated average once, and the deviations without an average."""
    seen: set[tuple[str | None, str | None, Decimal, Decimal | None]] = set()
    for mean in sorted(_means(found), key=lambda fact: fact.deviation is None):
        stated = Summary.from_numbers(*mean.owner, mean.number, mean.deviation, *mean.evidence, moment=mean.moment)
        key = (stated.experiment, stated.split, in_unit(mean.number), stated.std)
        if key not in seen and (stated.std is not None or not any(key[:3] == entry[:3] for entry in seen)):
            seen.add(key)
            yield stated
    for std in found.deviations:
        yield Summary.from_numbers(*std.owner, None, std.number, *std.evidence)


def _means(found: SettledResults) -> Iterator[Fact]:
    """Yield the averages that belong to the experiment named beside them.

    An average that follows from the values of another experiment only repeats that experiment's average. A fraction
    beside an average in percent is an intermediate result, such as a variance.
    """
    linked: dict[Decimal, str | None] = {}
    scales: dict[tuple[str | None, str | None], set[bool]] = {}
    for mean, source in found.summaries:
        if source is not None:
            linked[in_unit(mean.number)] = mean.experiment.value
            scales.setdefault(mean.owner, set()).add(is_fraction(mean.number))
    for mean, source in found.summaries:
        is_step = is_fraction(mean.number) and scales.get(mean.owner) == {False}
        is_own = mean.deviation or linked.get(in_unit(mean.number)) in (None, mean.experiment.value)
        if source is not None or (is_own and not is_step):
            yield mean


def _course(found: SettledResults) -> Iterator[CoursePoint]:
    """Yield the points of all courses over training."""
    for series in found.series:
        if series.is_course:
            for run, values in series.runs.items():
                yield from (
                    _point(fact, series.experiment, series.split, run) for fact in values if fact.moment.is_told
                )
    for fact in found.course:
        yield _point(fact, fact.experiment, fact.split, None)
        if fact.deviation:
            std = fact.model_copy(update={"number": fact.deviation, "statistic": Statistic.STD})
            scale = Decimal(1) if fact.deviation.percent else _scale(fact.number)
            yield _point(std, fact.experiment, fact.split, None, scale)


def _point(fact: Fact, experiment: Role, split: Role, run: int | None, scale: Decimal = Decimal(1)) -> CoursePoint:
    is_std = fact.statistic is Statistic.STD
    return CoursePoint(
        experiment=experiment.value,
        split=split.value,
        seed=run,
        moment=fact.moment.model_copy(update={"is_chosen": False}),
        statistic=SummaryStatistic(fact.statistic.value),
        value=fact.number.value * scale if is_std else in_unit(fact.number),
        resolution=fact.number.resolution * scale if is_std else digit_in_unit(fact.number),
        evidence=fact.evidence[0],
    )


def mean_fits(mean: Decimal, resolution: Decimal, values: Sequence[float], rounding: float = 0.0) -> bool:
    """Whether a stated mean follows from values when it is rounded or cut at its last digit.

    `resolution` is the unit of that digit. Each value may have been rounded by up to `rounding` after the mean was
    computed.
    """
    return abs(float(mean) - fmean(values)) <= _slack(resolution, rounding, values)


def _slack(resolution: Decimal, rounding: float, values: Sequence[float]) -> float:
    """Return the largest difference that rounding, cutting or single precision explains."""
    unit = float(resolution)
    return max(unit, unit / 2 + rounding, _SINGLE * max(map(abs, values), default=0.0)) + 1e-9


_SINGLE: Final = 1e-6
"""The relative error of single precision: about ten units in the last place of a 32-bit float."""


def std_fits(std: Decimal, resolution: Decimal, values: Sequence[float], rounding: float = 0.0) -> bool:
    """Whether a stated standard deviation follows from values, in population or sample form, rounded or cut.

    Each value may have been rounded by up to `rounding` after the deviation was computed. This changes a population
    deviation by at most `rounding`, because the deviation is a norm divided by the root of the number of values.
    """
    number = len(values)
    forms = ((pstdev(values), 1.0), (stdev(values), sqrt(number / (number - 1)))) if number > 1 else ((0.0, 1.0),)
    return any(abs(float(std) - form) <= _slack(resolution, rounding * factor, values) for form, factor in forms)


def shares_fit(summary: Summary, written: Sequence[tuple[Decimal, Decimal]], size: int) -> bool:
    """Whether an average and a deviation follow from exact shares that `written` gives with too few digits.

    `written` has a value and its resolution for each run, in percent; `size` is the number of examples. For example, on
    2,000 examples 64.8 may stand for 64.75, 64.8 or 64.85.
    """
    shares = [
        [float(share) for share in _shares_of(size) if value - resolution / 2 <= share <= value + resolution]
        for value, resolution in written
    ]
    mean, std = summary.mean, summary.std
    if mean is None or std is None or prod(map(len, shares)) > _MOST_CHOICES:
        return False
    return any(
        mean_fits(mean, summary.mean_resolution, choice) and std_fits(std, summary.std_resolution, choice)
        for choice in map(list, product(*shares))
    )


_MOST_CHOICES: Final = 1_000


@cache
def _shares_of(size: int) -> tuple[Decimal, ...]:
    return tuple(Decimal(100 * count) / size for count in range(size + 1))


def complete_claims(
    own_claims: ResultClaims, shown: ResultClaims, lab: Lab, *, is_written: bool = False
) -> ResultClaims:
    """Add the results that notebooks show to the claims of a report.

    Notebooks count for an experiment if the report does not state its results, or if their results agree with the
    report: the values behind its average, more runs beside its values, or the average of its values. Other results
    become loose. With `is_written`, `shown` is text that the student wrote, and everything counts where the report is
    silent.
    """
    places = [
        (experiment.id, measure.id) for experiment in lab.experiments for measure in lab.measures_of(experiment.id)
    ]
    parts = [
        _completed(_part(own_claims, place), _part(shown, place), is_written=is_written)
        for place in dict.fromkeys(places)
    ]
    rest = _part(own_claims, None, set(places))
    if any(not (part.seeds or part.summaries) for part in parts):  # results without a name may belong to these
        known_places = {place for part in parts for claim in part.summaries for place in claim.evidence}
        known_places |= {claim.evidence for part in parts for claim in part.seeds}
        open_ones = (
            figure for figure in _as_loose(_part(shown, None, set(places))) if figure.evidence not in known_places
        )
        rest = rest.model_copy(update={"loose": tuple(dict.fromkeys((*rest.loose, *open_ones)))})
    return _together((*parts, rest))


def _part(
    claims: ResultClaims, place: tuple[str, str] | None, others: Set[tuple[str, str]] = frozenset()
) -> ResultClaims:
    """Return the claims of one experiment and measure, or, without `place`, the claims of none of the `others`."""

    def is_of(claim: Claim | Loose) -> bool:
        claim_place = claim.experiment or "", claim.measure
        return claim_place == place if place else claim_place not in others

    return ResultClaims(**{name: tuple(filter(is_of, getattr(claims, name))) for name in ResultClaims.model_fields})


def _completed(own_claims: ResultClaims, shown: ResultClaims, *, is_written: bool) -> ResultClaims:
    """Add the results that notebooks show of one experiment to the claims of the report."""
    means = [summary for summary in own_claims.summaries if summary.mean is not None]
    if not (own_claims.seeds or means or own_claims.course):
        if is_written:
            return shown.model_copy(update={"loose": (*own_claims.loose, *shown.loose)})
        if _are_open(shown):
            return own_claims.model_copy(update={"loose": (*own_claims.loose, *_as_loose(shown), *shown.loose)})
        return shown.model_copy(update={"loose": own_claims.loose})
    seeds = own_claims.seeds
    for split in dict.fromkeys(claim.split for claim in shown.seeds):
        group = tuple(claim for claim in shown.seeds if claim.split == split)
        if not _is_ambiguous(group) and _goes_on(group, seeds, means):
            beside = [claim for claim in seeds if _is_on(claim, split)]
            known_evidence = {claim.value: claim.evidence for claim in beside}
            named = split or next((claim.split for claim in (*beside, *means)), None)
            seeds = tuple(claim for claim in seeds if claim not in beside)
            seeds += tuple(
                claim.model_copy(update={"split": named, "evidence": known_evidence.get(claim.value, claim.evidence)})
                for claim in group
            )
    added = [summary for summary in shown.summaries if _adds(summary, means, seeds)]
    kept = [
        summary
        for summary in own_claims.summaries
        if summary.mean is None or not any(_is_on(new, summary.split) for new in added)
    ]
    loose = own_claims.loose if means or added or not shown.summaries else (*own_claims.loose, *_as_loose(shown))
    return own_claims.model_copy(update={"seeds": seeds, "summaries": (*kept, *added), "loose": loose})


def _is_on(claim: Claim, split: str | None) -> bool:
    """Whether a claim may be of a split, because they agree or one of them is unknown."""
    return None in (claim.split, split) or claim.split == split


def _are_open(shown: ResultClaims) -> bool:
    """Whether notebooks leave it open which results of an experiment count.

    They do if no average follows from several values, a run has two values, or a split has two averages.
    """
    means = [summary for summary in shown.summaries if summary.mean is not None]
    splits = dict.fromkeys(claim.split for claim in shown.seeds)
    groups = [[claim for claim in shown.seeds if claim.split == split] for split in splits]
    is_proved = any(
        len(group) > 1 and mean_fits(mean.mean, mean.mean_resolution, [float(claim.value) for claim in group])
        for mean in means
        if mean.mean is not None
        for group in groups
    )
    return (
        not is_proved
        or any(map(_is_ambiguous, groups))
        or any(summary.split == other.split and not _agree(summary, other) for summary, other in combinations(means, 2))
    )


def _is_ambiguous(group: Sequence[RunResult]) -> bool:
    """Whether a run has two different values at the same moment."""
    return any(
        result.seed == other.seed and result.value != other.value and not result.moment.differs(other.moment)
        for result, other in combinations(group, 2)
    )


def _agree(summary: Summary, other: Summary) -> bool:
    """Whether two averages are the same, rounded or cut to the digits of the less exact one."""
    unit = max(summary.mean_resolution, other.mean_resolution)
    return summary.mean is not None and other.mean is not None and abs(summary.mean - other.mean) <= unit


def _goes_on(group: Sequence[RunResult], seeds: Sequence[RunResult], means: Sequence[Summary]) -> bool:
    """Whether the runs in notebooks include all values of the report and more, and have the report's averages."""
    split = group[0].split
    known_values = [claim.value for claim in seeds if _is_on(claim, split)]
    stated = [(mean.mean, mean.mean_resolution) for mean in means if mean.mean is not None and _is_on(mean, split)]
    values = [float(claim.value) for claim in group]
    if len(group) <= len(known_values) or not set(known_values) <= {claim.value for claim in group}:
        return False
    return bool(known_values or stated) and all(mean_fits(mean, unit, values) for mean, unit in stated)


def _adds(shown: Summary, means: Sequence[Summary], seeds: Sequence[RunResult]) -> bool:
    """Whether an average in notebooks adds to the report: it is the average of its values, or its average with a
    deviation."""
    own_summaries = [mean for mean in means if _is_on(mean, shown.split)]
    values = [float(claim.value) for claim in seeds if _is_on(claim, shown.split)]
    if shown.mean is None or any(summary.std is not None for summary in own_summaries):
        return False
    if own_summaries:
        return shown.std is not None and all(_agree(shown, summary) for summary in own_summaries)
    return len(values) > 1 and mean_fits(shown.mean, shown.mean_resolution, values)


def _as_loose(shown: ResultClaims) -> Iterator[Loose]:
    """Yield the results of notebooks as loose numbers."""
    places: list[tuple[Claim, Evidence]] = [(claim, claim.evidence) for claim in shown.seeds]
    places += [(claim, place) for claim in shown.summaries for place in claim.evidence[:1]]
    for claim, place in places:
        yield Loose(experiment=claim.experiment, evidence=place, measure=claim.measure)

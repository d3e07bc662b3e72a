"""What a student reports of one experiment, and what the logs show of it; and which accuracies can have a stated mean
and deviation: on a set of N examples only multiples of 100/N % occur.

The test of the mean is GRIM (Brown and Heathers, "The GRIM test", 2017). With the deviation of three accuracies, few
triples remain, often one.
"""

import re
from collections.abc import Iterable, Iterator
from decimal import Decimal
from itertools import islice
from math import ceil, floor, sqrt
from statistics import fmean, pstdev, stdev
from typing import Final, NamedTuple

from grader.checks.absence import absence, concluded_absent
from grader.checks.finding import Finding
from grader.claims.accuracies import SeedAccuracy, Summary
from grader.claims.answer import Answer
from grader.claims.logged import LoggedRun
from grader.claims.results.vocabulary import experiments_in
from grader.claims.statements import statements
from grader.frozen import Frozen, remembered
from grader.lab.definition import Lab
from grader.lab.experiments import TEST, VALID
from grader.message import Message, Words, say, say_data
from grader.reading.document import Evidence

_TINY = 1e-9
_MOST_APART = 400
"""Grid steps between the least and the greatest of three accuracies, at most."""


class Stated(Frozen):
    """A mean over seeds and its standard deviation in percent, each with the unit of its last digit."""

    mean: float
    mean_unit: float
    std: float | None = None
    std_unit: float = 1.0


class _Interval(NamedTuple):
    low: float
    high: float

    def holds(self, value: float) -> bool:
        return self.low - _TINY <= value < self.high - _TINY


def _written(value: float, unit: float) -> _Interval:
    """What is written as `value` when it is rounded or cut at the last digit."""
    return _Interval(value - unit / 2, value + unit)


def is_possible_mean(stated: Stated, examples: int, seeds: int) -> bool:
    """Whether some accuracies on a set of `examples` have the mean."""
    return next(_sums(stated, examples, seeds), None) is not None


def triples(stated: Stated, examples: int) -> tuple[tuple[float, float, float], ...]:
    """All three accuracies in percent, ascending, on a set of `examples` that have the mean and the deviation, in
    population or sample form; none where no deviation is stated."""
    if stated.std is None:
        return ()
    step, std = 100 / examples, _written(stated.std, stated.std_unit)
    return tuple(
        (low * step, middle * step, high * step)
        for total in _sums(stated, examples, 3)
        for low, middle, high in _parts(total, (std.high + _TINY) / step)
        if high <= examples and any(std.holds(form * step) for form in _deviations(low, middle, high))
    )


def chance(stated: Stated, examples: int, finer: int) -> float:
    """How often three accuracies on a larger set of `finer` examples, near the stated ones, have a mean and deviation
    that are possible on the smaller set as well: the share of the means written so that are, times that of the
    deviations within a quarter of a point."""
    by_mean = min(1.0, 1.5 * max(stated.mean_unit, 100 / (3 * finer)) / (100 / (3 * examples)))
    return by_mean * (1.0 if stated.std is None else _covered(stated, examples))


def _covered(stated: Stated, examples: int) -> float:
    """The share of deviations near the stated one that accuracies with the stated mean can have."""
    assert stated.std is not None  # noqa: S101
    window = _Interval(max(0.0, stated.std - 0.25), stated.std + 0.25)
    step = 100 / examples
    forms = sorted(
        form * step
        for total in _sums(stated, examples, 3)
        for parts in _parts(total, (window.high + stated.std_unit) / step)
        for form in _deviations(*parts)
    )
    covered, reached = 0.0, window.low
    for form in forms:
        low, high = max(form - stated.std_unit, reached), min(form + stated.std_unit / 2, window.high)
        covered += max(0.0, high - low)
        reached = max(reached, high)
    return min(1.0, covered / (window.high - window.low))


def _sums(stated: Stated, examples: int, seeds: int) -> Iterator[int]:
    """How many right answers all seeds together may have."""
    mean, factor = _written(stated.mean, stated.mean_unit), seeds * examples / 100
    for total in range(max(0, ceil(mean.low * factor - _TINY)), floor(mean.high * factor) + 1):
        if mean.holds(total / factor):
            yield total


def _parts(total: int, std: float) -> Iterator[tuple[int, int, int]]:
    """Three counts, ascending, with a sum, whose deviation in population form may be as large as `std` counts."""
    widest = min(_MOST_APART, ceil(std * sqrt(6)) + 1)
    for low in range(max(0, floor(total / 3) - widest), total // 3 + 1):
        for middle in range(low, (total - low) // 2 + 1):
            high = total - low - middle
            if high - low <= widest:
                yield low, middle, high


def _deviations(low: int, middle: int, high: int) -> tuple[float, float]:
    """The standard deviation of three counts in population and in sample form. Their squared distances from the mean
    are whole thirds, so nothing is lost before the root."""
    thirds = 3 * (low * low + middle * middle + high * high) - (low + middle + high) ** 2
    return sqrt(thirds / 9), sqrt(thirds / 6)


_SPLITS: Final = {TEST: say("test"), VALID: say("validation")}


class Report(Frozen):
    """The claims about one experiment and its logged runs. `loose` are figures that may be of it, too, and references
    to what cannot be read in the text itself: with any of them nothing about the experiment is certainly absent. Nor is
    all of it with `faint` ones, which only look like results."""

    experiment: str
    seeds: tuple[SeedAccuracy, ...]
    summaries: tuple[Summary, ...]
    runs: tuple[LoggedRun, ...]
    loose: tuple[Evidence, ...] = ()
    faint: tuple[Evidence, ...] = ()

    @property
    def is_empty(self) -> bool:
        """Whether no result of the experiment was found."""
        return not (self.seeds or self.summaries or self.runs)

    @property
    def evidence(self) -> tuple[Evidence, ...]:
        """The places of all claims."""
        places = [*(claim.evidence for claim in self.seeds), *(e for s in self.summaries for e in s.evidence)]
        return tuple(dict.fromkeys(places))

    @property
    def lone_deviations(self) -> tuple[Summary, ...]:
        """Deviations that were not put together with an average."""
        return tuple(summary for summary in self.summaries if summary.mean is None)

    def of_split(self, split: str | None) -> tuple[SeedAccuracy, ...]:
        """The per-seed claims for a split, or those whose split is not said."""
        return tuple(claim for claim in self.seeds if claim.split == split)

    def series(self) -> Iterable[tuple[SeedAccuracy, ...]]:
        """The per-seed claims grouped by split, the test set first; of a seed with several the one that is not said to
        be of another moment than the selected one."""
        splits = in_order(claim.split for claim in self.seeds)
        return [_one_each(group) for split in splits if (group := self.of_split(split))]

    @property
    def preferred_summaries(self) -> tuple[Summary, ...]:
        """Means that are said to be of the test set, where there are any; else those that do not say; else all."""
        with_mean = tuple(summary for summary in self.summaries if summary.mean is not None)
        for split in (TEST, None):
            chosen = tuple(summary for summary in with_mean if summary.split == split)
            if chosen:
                return chosen
        return with_mean

    @property
    def headline(self) -> Summary | None:
        """The last of the preferred averages, one with a deviation where there is any."""
        preferred = self.preferred_summaries
        return next((one for one in reversed(preferred) if one.std is not None), preferred[-1] if preferred else None)


def _one_each(claims: tuple[SeedAccuracy, ...]) -> tuple[SeedAccuracy, ...]:
    by_seed: dict[int, list[SeedAccuracy]] = {}
    for claim in claims:
        by_seed.setdefault(claim.seed, []).append(claim)
    return tuple(next((one for one in same if not one.moment.is_end), same[0]) for same in by_seed.values())


_ELSEWHERE: Final = re.compile(
    r"\b(?:fig(?:ures?|\.)|screenshots?|captures?|pictures?|images?|plots?|graph\w*|curves?|courbes?|tensorboard|annex\w*|appendix"
    r"|attach\w*|notebooks?|spreadsheets?|see|voir|cf)\b",
    re.IGNORECASE,
)
_MOST_LOOSE: Final = 5


def in_order(splits: Iterable[str | None]) -> tuple[str | None, ...]:
    """Test, what is not said, further splits of the lab that occur, and validation: of the first that has results these
    are looked at."""
    further = (split for split in dict.fromkeys(splits) if split not in (TEST, None, VALID))
    return (TEST, None, *further, VALID)


def split_name(split: str) -> Message:
    """What a part of the data is called in sentences."""
    return _SPLITS.get(split, say_data(split))


@remembered
def report_of(experiment: str, answer: Answer, lab: Lab) -> Report:
    """Collect what a submission says about an experiment."""
    may_be = [one for one in answer.accuracies.loose if one.experiment in (None, experiment)]
    loose = [one.evidence for one in may_be if not one.is_faint]
    return Report(
        experiment=experiment,
        seeds=tuple(claim for claim in answer.accuracies.seeds if claim.experiment == experiment),
        summaries=tuple(claim for claim in answer.accuracies.summaries if claim.experiment == experiment),
        runs=tuple(run for run in answer.runs if run.experiment == experiment),
        loose=tuple(dict.fromkeys((*loose[:_MOST_LOOSE], *islice(_elsewhere(experiment, answer, lab), _MOST_LOOSE)))),
        faint=tuple(dict.fromkeys(one.evidence for one in may_be if one.is_faint)),
    )


def _elsewhere(experiment: str, answer: Answer, lab: Lab) -> Iterator[Evidence]:
    """Where a text about an experiment refers to a figure, a notebook or the like."""
    question = next(one.question for one in lab.experiments if one.id == experiment)
    for section in answer.sections:
        own = section.questions == (question,)
        for statement in () if section.is_closing else statements(section.passage):
            match = _ELSEWHERE.search(statement.text)
            if match and (own or experiment in experiments_in(statement.text, lab)):
                start = statement.start + match.start()
                yield section.passage.evidence(start, start + len(match.group()))


def concluded_without(finding: Finding, report: Report, answer: Answer, lab: Lab, text: Words) -> Finding:
    """The finding where no result of an experiment was understood: missing if none can stand anywhere in the hand-in,
    else for a person."""
    absent = absence(answer, lab, finding.item, in_code=False)
    spoken = () if report.experiment in answer.silent_on else (*report.loose, *report.faint)
    return concluded_absent(finding, absent.model_copy(update={"spoken": spoken, "is_told": True}), text)


def is_all_read(report: Report, answer: Answer, lab: Lab, item: str) -> bool:
    """Whether nothing about an experiment can have been passed over: no figure of an open role, no picture, no file
    that was not read whole."""
    absent = absence(answer, lab, item, in_code=False)
    return not (report.loose or absent.pictures or absent.unread)


def percent(value: Decimal, resolution: Decimal) -> Message:
    """An accuracy for people, with the digits that were written."""
    return say("{value} %", value=value.quantize(resolution.normalize()))


def values(claims: Iterable[SeedAccuracy]) -> list[float]:
    """The accuracies of some claims in percent."""
    return [float(claim.value) for claim in claims]


def stated(summary: Summary) -> Stated | None:
    """A summary's mean and deviation as figures; None where it has no mean."""
    if summary.mean is None:
        return None
    std = None if summary.std is None else float(summary.std)
    unit, std_unit = float(summary.mean_resolution), float(summary.std_resolution)
    return Stated(mean=float(summary.mean), mean_unit=unit, std=std, std_unit=std_unit)


def resolution_of(claims: Iterable[SeedAccuracy]) -> float:
    """The unit of the last digit of a series: `80` among values with one decimal is 80.0."""
    return min((float(claim.resolution) for claim in claims), default=1.0)


def mean_fits(mean: Decimal, resolution: Decimal, accuracies: list[float]) -> bool:
    """Whether a stated mean follows from accuracies, rounded or cut at its last digit."""
    return abs(float(mean) - fmean(accuracies)) <= float(resolution) + 1e-9


def std_fits(std: Decimal, resolution: Decimal, accuracies: list[float]) -> bool:
    """Whether a stated standard deviation follows from accuracies: population or sample form, rounded or cut."""
    forms = (pstdev(accuracies), stdev(accuracies)) if len(accuracies) > 1 else (0.0,)
    return any(abs(float(std) - form) <= float(resolution) + 1e-9 for form in forms)

"""The results and logs that a submission gives for one experiment, as the checks of results need them.

`report_of` collects them in a `Report`. `is_possible_mean` and `triples` test whether any accuracies can have a stated
mean and standard deviation. They rest on the GRIM test (Brown and Heathers, "The GRIM test", 2017): on a set of N
examples, every accuracy is a multiple of 100/N %.
"""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence, Set
from decimal import Decimal
from functools import cached_property
from itertools import chain, combinations, islice
from math import ceil, floor, sqrt
from typing import Final, NamedTuple

from pydantic import Field

from grader.checks.absence import absence, concluded_absent
from grader.checks.feedback import UNPLACED
from grader.checks.finding import Finding
from grader.claims.answer import Answer
from grader.claims.captions import experiments_below
from grader.claims.logged import LoggedRun
from grader.claims.passage import Passage
from grader.claims.results.claimed import RunResult, Summary, mean_fits, std_fits
from grader.claims.results.fact import in_unit
from grader.claims.results.measures import MeasureSearch, told_of
from grader.claims.results.numbers import numbers_in
from grader.claims.results.runs import runs_named
from grader.claims.results.vocabulary import Kind, Mention, abbreviations_in, experiments_in, mentions
from grader.claims.statements import Statement, all_statements, is_of_cell, statements
from grader.frozen import Frozen, memoise
from grader.lab.definition import Lab
from grader.lab.experiments import Measure, Repetition
from grader.lab.truth import Band, GroundTruth
from grader.language import lexicon
from grader.language.shapes import ASIDE
from grader.message import Message, Words, say, say_data, say_values
from grader.reading.document import BlockKind, Evidence

_TINY = 1e-9
_MOST_APART = 400
"""The largest tested difference between the highest and the lowest of three counts of right answers."""


class StatedMean(Frozen):
    """A mean over seeds and its standard deviation, both in percent.

    `mean_unit` and `std_unit` are the units of the last written digits: 0.1 for 79.6.
    """

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
    """Return the interval of the numbers that become `value` when they are rounded or cut at its last digit.

    `unit` is the unit of that digit. For example, 79.6 with a unit of 0.1 gives [79.55, 79.7).
    """
    return _Interval(value - unit / 2, value + unit)


def is_possible_mean(stated: StatedMean, examples: int, seeds: int) -> bool:
    """Whether the accuracies of `seeds` runs on a set of `examples` can have the stated mean."""
    return next(_sums(stated, examples, seeds), None) is not None


def triples(stated: StatedMean, examples: int) -> tuple[tuple[float, float, float], ...]:
    """Return the triples of accuracies on `examples` examples that have the stated mean and standard deviation.

    The accuracies of a triple are in percent and ascending. The deviation may be in population or in sample form.
    Without a stated deviation the result is empty.
    """
    if stated.std is None:
        return ()
    step, std = 100 / examples, _written(stated.std, stated.std_unit)
    return tuple(
        (low * step, middle * step, high * step)
        for total in _sums(stated, examples, 3)
        for low, middle, high in _parts(total, (std.high + _TINY) / step)
        if high <= examples and any(std.holds(form * step) for form in _deviations(low, middle, high))
    )


def chance(stated: StatedMean, examples: int, finer: int) -> float:
    """Return the probability that three accuracies on a larger set would seem possible on the smaller set by chance.

    The larger set has `finer` examples, the smaller one `examples`. The result is a product of two shares: the share of
    means with this many digits that are possible on the smaller set, and the share of deviations within 0.25 points of
    the stated deviation that are possible there.
    """
    by_mean = min(1.0, 1.5 * max(stated.mean_unit, 100 / (3 * finer)) / (100 / (3 * examples)))
    return by_mean * (1.0 if stated.std is None else _covered(stated, examples))


def _covered(stated: StatedMean, examples: int) -> float:
    """Return the share of the deviations within 0.25 points of the stated one that accuracies with the stated mean can
    have."""
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


def _sums(stated: StatedMean, examples: int, seeds: int) -> Iterator[int]:
    """Yield the possible numbers of right answers, added up over all seeds."""
    mean, factor = _written(stated.mean, stated.mean_unit), seeds * examples / 100
    for total in range(max(0, ceil(mean.low * factor - _TINY)), floor(mean.high * factor) + 1):
        if mean.holds(total / factor):
            yield total


def _parts(total: int, std: float) -> Iterator[tuple[int, int, int]]:
    """Yield the ascending triples of counts that add up to `total` and can have a population deviation of up to
    `std`."""
    widest = min(_MOST_APART, ceil(std * sqrt(6)))
    for low in range(max(0, total // 3 - widest), total // 3 + 1):
        for middle in range(low, (total - low) // 2 + 1):
            high = total - low - middle
            if high - low <= widest:
                yield low, middle, high


def _deviations(low: int, middle: int, high: int) -> tuple[float, float]:
    """Return the standard deviation of three counts in population form and in sample form.

    Three times the sum of squared distances from the mean is a whole number, so nothing is rounded before the root.
    """
    thirds = 3 * (low * low + middle * middle + high * high) - (low + middle + high) ** 2
    return sqrt(thirds / 9), sqrt(thirds / 6)


class Report(Frozen):
    """The claims about one experiment by one measure, and its logged runs."""

    experiment: str
    measure: Measure
    is_usual: bool = True
    """Whether `measure` is the lab's measure for a result that names none."""
    repetition: Repetition
    split: str | None
    """The split whose results the lab asks for, if it names one."""
    selecting: str | None
    """The split by which checkpoints are selected, if the lab has one."""
    titles: dict[str, str] = Field(default_factory=dict)
    """The titles of the splits and of the experiment, by id."""
    seeds: tuple[RunResult, ...]
    summaries: tuple[Summary, ...]
    runs: tuple[LoggedRun, ...]
    loose: tuple[Evidence, ...] = ()
    """Numbers that may be results of this experiment, and references to figures or notebooks that may show results.
    Nothing about the experiment is certainly absent while there are any."""
    faint: tuple[Evidence, ...] = ()
    """Numbers that look like results by their form alone."""
    of_others: tuple[Decimal, ...] = ()
    """Values of other experiments that stand beside values of this one, as in a row of a table."""
    of_rest: tuple[tuple[Summary, tuple[RunResult, ...]], ...] = ()
    """Averages over only some of the runs, each with the results that the text says it leaves out."""

    @property
    def is_empty(self) -> bool:
        """Whether no result of the experiment was found."""
        return not (self.seeds or self.summaries or self.runs)

    @property
    def number(self) -> int:
        """The number of runs that the lab requires."""
        return self.repetition.number

    def bands(self, truth: GroundTruth, split: str | None) -> tuple[Band, ...]:
        """Return the expected ranges of the experiment's average on a split."""
        return truth.bands_of(self.experiment, split or "", None if self.is_usual else self.measure.id)

    @cached_property
    def named(self) -> dict[str, Message]:
        """The names that messages use.

        The keys are `title` (the experiment), `measure`, `run` and `runs` (a repetition, singular and plural), `split`
        (the split whose results are asked for) and `selecting` (the split that selects checkpoints).
        """
        return {
            "title": say_data(self.titles.get(self.experiment, self.experiment)),
            "measure": say_data(self.measure.title),
            "run": say_data(self.repetition.title),
            "runs": say_data(self.repetition.titles),
            "split": self.split_name(self.split),
            "selecting": self.split_name(self.selecting),
        }

    def split_name(self, split: str | None) -> Message:
        """Return the title of a split for messages."""
        return say_data(self.titles.get(split or "", split or ""))

    def of_other_split(self, given: str | None, asked: str | None) -> Message:
        """Return the message that the numbers are of the split `given`, although `asked` was asked for."""
        names = {"given": self.split_name(given), "asked": self.split_name(asked)}
        return say("These figures are of {given}, but {asked} was asked for.", **names)

    def format_stated(self, value: Decimal, resolution: Decimal) -> Message:
        """Return a stated value for messages, with its unit and as many digits as were written."""
        return say_values("{value}{unit}", value=value.quantize(resolution.normalize()), unit=self.measure.behind)

    def format_computed(self, value: float) -> Message:
        """Return a computed value for messages, rounded."""
        return format_value(value, self.measure)

    @property
    def evidence(self) -> tuple[Evidence, ...]:
        """The places of all claims."""
        places = [*(claim.evidence for claim in self.seeds), *(e for s in self.summaries for e in s.evidence)]
        return tuple(dict.fromkeys(places))

    @property
    def lone_deviations(self) -> tuple[Summary, ...]:
        """The deviations that belong to no average."""
        return tuple(summary for summary in self.summaries if summary.mean is None)

    def of_split(self, split: str | None) -> tuple[RunResult, ...]:
        """Return the results of single runs on a split. `None` selects the results whose split is not stated."""
        return tuple(claim for claim in self.seeds if claim.split == split)

    def series(self) -> Iterable[tuple[RunResult, ...]]:
        """Return the results of single runs grouped by split, in the order of `in_order`.

        If a run has several values on a split, one that is not from the end of training is preferred, since that is
        the value of a selected checkpoint.
        """
        splits = self.in_order(claim.split for claim in self.seeds)
        return [_one_each(group) for split in splits if (group := self.of_split(split))]

    @property
    def preferred_summaries(self) -> tuple[Summary, ...]:
        """The averages on the split that is asked for; without any, the averages that name no split; without any, all
        averages."""
        with_mean = tuple(summary for summary in self.summaries if summary.mean is not None)
        for split in (self.split, None):
            chosen = tuple(summary for summary in with_mean if summary.split == split)
            if chosen:
                return chosen
        return with_mean

    @property
    def headline(self) -> Summary | None:
        """The last preferred average with a deviation, or else the last preferred average."""
        preferred = self.preferred_summaries
        return next(
            (summary for summary in reversed(preferred) if summary.std is not None),
            preferred[-1] if preferred else None,
        )

    def in_order(self, splits: Iterable[str | None]) -> tuple[str | None, ...]:
        """Return the splits in the order in which checks look for results.

        The order is: the split that is asked for, no stated split (`None`), other splits, and the split that selects.
        """
        further = (split for split in splits if split not in (self.split, None, self.selecting))
        return tuple(dict.fromkeys((self.split, None, *further, self.selecting)))

    @property
    def asked(self) -> tuple[RunResult, ...]:
        """The results of single runs on the split that is asked for, or else those whose split is not stated."""
        return self.of_split(self.split) or self.of_split(None)


def _one_each(claims: tuple[RunResult, ...]) -> tuple[RunResult, ...]:
    """Return one value per run, preferably one that is not from the end of training."""
    by_seed: dict[int, list[RunResult]] = {}
    for claim in claims:
        by_seed.setdefault(claim.seed, []).append(claim)
    return tuple(next((result for result in same if not result.moment.is_end), same[0]) for same in by_seed.values())


_MOST_LOOSE: Final = 5


@memoise
def report_of(
    experiment: str, answer: Answer, lab: Lab, measure: str | None = None, split: str | None = None
) -> Report:
    """Collect the claims and logs of a submission about an experiment.

    Without `measure`, the lab's usual measure counts. Without `split`, the first split whose results the lab asks for
    counts. Results on the other splits that the lab asks for are left out.
    """
    chosen_measure = lab.measure(measure, experiment)
    asked = split or next(iter(lab.reported), None)
    others = set(lab.reported) - {asked}

    def is_of(claim: RunResult | Summary) -> bool:
        return claim.experiment == experiment and claim.measure == chosen_measure.id and claim.split not in others

    summaries = tuple(filter(is_of, answer.results.summaries))
    all_results = tuple(filter(is_of, answer.results.seeds))
    several = lab.repetition_of(experiment).number > 1
    strays = {example for example in all_results if several and _is_stray(example, all_results, summaries)}
    may_be = [
        figure
        for figure in answer.results.loose
        if figure.experiment in (None, experiment) and figure.measure == chosen_measure.id
    ]
    loose = [figure.evidence for figure in may_be if not figure.is_faint]
    seeds = tuple(example for example in all_results if example not in strays)
    is_read = bool(answer.notebooks) and bool(all_results or summaries)
    elsewhere = islice(_elsewhere(experiment, answer, lab, is_read=is_read), _MOST_LOOSE)
    return Report(
        experiment=experiment,
        measure=chosen_measure,
        is_usual=chosen_measure == lab.measure(None, experiment),
        repetition=lab.repetition_of(experiment),
        split=asked,
        selecting=lab.selecting,
        titles={candidate.id: candidate.named for candidate in lab.splits}
        | {candidate.id: candidate.title for candidate in lab.experiments if candidate.id == experiment},
        seeds=seeds,
        summaries=summaries,
        runs=tuple(
            run
            for run in answer.runs
            if (run.experiment, run.measure, run.split) == (experiment, chosen_measure.id, asked)
        ),
        loose=tuple(dict.fromkeys((*loose[:_MOST_LOOSE], *elsewhere))),
        faint=tuple(
            dict.fromkeys(
                [*(figure.evidence for figure in may_be if figure.is_faint), *(stray.evidence for stray in strays)]
            )
        ),
        of_others=tuple(
            result.value
            for result in answer.results.seeds
            if result.experiment not in (None, experiment)
            and result.evidence in {claim.evidence for claim in all_results}
        ),
        of_rest=tuple(_of_rest(summaries, seeds, answer, told_of(chosen_measure), lab.repetition_of(experiment).words)),
    )


def _of_rest(
    summaries: Iterable[Summary],
    seeds: Sequence[RunResult],
    answer: Answer,
    sought: MeasureSearch,
    words: tuple[str, ...],
) -> Iterator[tuple[Summary, tuple[RunResult, ...]]]:
    """Yield the averages over only some of the runs, each with the results that are left out.

    The text must name the runs that it leaves out, or all the other runs.
    """
    splits = dict.fromkeys(claim.split for claim in seeds)
    groups = [_one_each(tuple(claim for claim in seeds if claim.split == split)) for split in splits]
    for summary in summaries:
        for group in groups:
            is_of = summary.split in (None, group[0].split) or group[0].split is None
            if len(group) <= _FEWEST_LEFT or not is_of or summary.mean is None or _is_of(summary, group):
                continue
            for number in range(1, min(len(group) - _FEWEST_LEFT, _MOST_OUT) + 1):
                for out in combinations(group, number):
                    if _is_of(summary, [result for result in group if result not in out]) and any(
                        _leaves_out(text, out, group, sought, words)
                        for text in _texts_with(summary.mean, answer, sought)
                    ):
                        yield summary, out


_FEWEST_LEFT: Final = 2
_MOST_OUT: Final = 3


def _is_of(summary: Summary, group: Sequence[RunResult]) -> bool:
    """Whether an average, and its deviation if it has one, follow from the values of `group`."""
    numbers = values(group)
    is_mean = summary.mean is not None and mean_fits(summary.mean, summary.mean_resolution, numbers)
    return is_mean and (summary.std is None or std_fits(summary.std, summary.std_resolution, numbers))


def _texts_with(figure: Decimal, answer: Answer, sought: MeasureSearch) -> Iterator[str]:
    """Yield the sentences and table rows that contain a number, and neighbouring texts that say that something is left
    out."""
    for section in answer.sections:
        rows = (block.text for block in section.passage.blocks if block.kind is BlockKind.ROW)
        texts = ["", *(statement.text for statement in statements(section.passage)), "", *rows, ""]
        for before, text, after in zip(texts, texts[1:], texts[2:], strict=False):
            if any(in_unit(number) == figure for number in numbers_in(text, sought)):
                yield text
                yield from (candidate for candidate in (before, after) if lexicon.search("<left_out>", candidate))


def _leaves_out(
    text: str, out: Sequence[RunResult], group: Sequence[RunResult], sought: MeasureSearch, words: tuple[str, ...]
) -> bool:
    """Whether a text says that the runs in `out` are left out of `group`.

    The text does so if it names exactly these runs, or exactly the others. A run's name beside its own value does not
    count. Runs are named by seed or by position. If the text leaves out a run without naming it (`without the worst
    one`), `out` must be a single run.
    """
    named: Counter[int] = Counter()
    rest = text
    while marks := runs_named(rest, words):
        named.update(int(mark.value) for mark in marks)
        rest = rest[marks[-1].end :]
    shown = {in_unit(number) for number in numbers_in(text, sought)}
    if not named:
        return len(out) == 1 and bool(lexicon.search("<left_out>", text))
    for runs in ([claim.seed for claim in group], list(range(len(group)))):
        named_flags = [named[run] > (claim.value in shown) for run, claim in zip(runs, group, strict=True)]
        of_out = {is_told for is_told, claim in zip(named_flags, group, strict=True) if claim in out}
        if set(named) <= set(runs) and len(of_out) == 1 and named_flags.count(*of_out) == len(out):
            return True
    return False


_FAR: Final = 20
"""The greatest plausible distance of a value from the average of a few values, in standard deviations."""


def _is_stray(claim: RunResult, claims: Sequence[RunResult], summaries: Sequence[Summary]) -> bool:
    """Whether a claim is the only value of the text and lies too far from every stated average to belong to it."""
    averages = [(summary.mean, summary.std) for summary in summaries if summary.mean is not None and summary.std]
    far = all(abs(claim.value - mean) > _FAR * std for mean, std in averages)
    return len(claims) == 1 and bool(averages) and far


def _elsewhere(experiment: str, answer: Answer, lab: Lab, *, is_read: bool) -> Iterator[Evidence]:
    """Yield the places where a text about an experiment refers to a picture or a notebook for its results.

    With `is_read`, references to notebooks do not count, because their results were read.
    """
    question = next(candidate.question for candidate in lab.experiments if candidate.id == experiment)
    for section in answer.sections:
        is_own = section.questions == (question,)
        for statement, found in () if section.is_closing else _references(section.passage):
            match = next((candidate for candidate in found if candidate["picture"] or not is_read), None)
            if match and (is_own or experiment in experiments_in(statement.text, lab)):
                yield section.passage.evidence(statement.start + match.start())


@memoise
def _references(passage: Passage) -> tuple[tuple[Statement, tuple[re.Match[str], ...]], ...]:
    """Return the statements of a passage that refer to something shown elsewhere, each with the matches."""
    found = (
        (statement, tuple(lexicon.find_all("(?P<picture><shown_elsewhere>)|<see>", statement.text)))
        for statement in statements(passage)
    )
    return tuple((statement, places) for statement, places in found if places)


def concluded_without(finding: Finding, report: Report, answer: Answer, lab: Lab, text: Words) -> Finding:
    """Return the finding for an experiment without any understood result.

    The status is `missing` if no part of the submission can contain a result, otherwise `review`.
    """
    absent = absence(answer, lab, finding.item, in_code=False)
    own_key = report.experiment, report.measure.id
    course = dict.fromkeys(
        point.evidence for point in answer.results.course if (point.experiment, point.measure) == own_key
    )
    spoken = (*report.loose, *report.faint, *course, *taken_for_others(report, answer, lab))
    doubt = UNPLACED.text if spoken else absent.doubt
    if any((loose.experiment, loose.measure) == own_key for loose in answer.results.loose):
        doubt = say("It was not recognised whether the quoted figures are results of single {runs}.", **report.named)
    spoken = spoken or tuple(_percentages_below(report, answer, lab))
    if report.experiment in answer.silent_on:
        spoken = ()
    return concluded_absent(
        finding, absent.model_copy(update={"spoken": spoken, "is_told": True, "doubt": doubt}), text
    )


def _percentages_below(report: Report, answer: Answer, lab: Lab) -> Iterator[Evidence]:
    """Yield the first percentage with decimals in each section under the experiment's own heading.

    Yield nothing if some result of the experiment was understood, even by another measure.
    """
    question = next(experiment.question for experiment in lab.experiments if experiment.id == report.experiment)
    understood = {claim.experiment for claim in (*answer.results.seeds, *answer.results.summaries)}
    for section in answer.sections if report.experiment not in understood else ():
        if section.questions == (question,) and (found := re.search(r"\d[.,]\d+\s?%", section.passage.text)):
            yield section.passage.evidence(found.start(), found.end())


def taken_for_others(report: Report, answer: Answer, lab: Lab) -> list[Evidence]:
    """Return the places of results that were assigned to other experiments but may belong to this one.

    They are results under this experiment's own heading, and the averages of any other experiment that has several
    different averages with deviations on the same split.
    """
    question = next(experiment.question for experiment in lab.experiments if experiment.id == report.experiment)
    headed = [section.passage for section in answer.sections if section.questions == (question,)]
    seeds, averages = _claims_of_others(question, report.measure, answer, lab)
    places = (*(result.evidence for result in seeds), *chain.from_iterable(average.evidence for average in averages))
    below = (place for place in places if any(passage.holds(place) for passage in headed))
    return [*below, *_several_averages(averages, report.split)]


def _claims_of_others(
    question: str, measure: Measure, answer: Answer, lab: Lab
) -> tuple[list[RunResult], list[Summary]]:
    """Return the results of single runs and the averages, by one measure, of the experiments of all other questions."""
    others = {experiment.id for experiment in lab.experiments if experiment.question != question}
    seeds = [result for result in answer.results.seeds if result.experiment in others and result.measure == measure.id]
    averages = [
        summary
        for summary in answer.results.summaries
        if summary.experiment in others and summary.measure == measure.id
    ]
    return seeds, averages


def _several_averages(claims: Iterable[Summary], split: str | None) -> Iterator[Evidence]:
    """Yield the places of the averages of each experiment that has several different averages with deviations on a
    split.

    Averages that round to the same value are not different.
    """
    by_experiment: dict[str | None, dict[Decimal, Summary]] = {}
    for claim in claims:
        if claim.mean is not None and claim.std is not None and claim.split in (None, split):
            by_experiment.setdefault(claim.experiment, {})[claim.mean] = claim
    for means in by_experiment.values():
        if max(means) - min(means) > max(mean.mean_resolution for mean in means.values()):
            yield from chain.from_iterable(mean.evidence for mean in means.values())


def has_others(claimed: Sequence[RunResult], report: Report) -> bool:
    """Whether a quoted text contains an unexplained number close to the claimed values.

    Return False if all required runs, or fewer than two different values, are claimed.
    """
    claimed_values = {result.value for result in claimed}
    if len(claimed_values) <= 1 or len(claimed) >= report.number:
        return False
    least, most = min(claimed_values), max(claimed_values)
    explained_values = (
        claimed_values
        | set(report.of_others)
        | {value for summary in report.summaries for value in (summary.mean, summary.std)}
    )
    quotes = dict.fromkeys(result.evidence.quote for result in claimed)
    numbers = [number.value for quote in quotes for number in numbers_in(quote, told_of(report.measure))]
    return any(2 * least - most <= number <= 2 * most - least and number not in explained_values for number in numbers)


def format_value(value: float, measure: Measure) -> Message:
    """Return a computed value for messages: a share with two decimals, any other value with four significant digits."""
    number = Decimal(f"{value:.2f}" if measure.is_share else f"{value:.4g}")
    return say_values("{value}{unit}", value=number, unit=measure.behind)


def values(claims: Iterable[RunResult]) -> list[float]:
    """Return the values of some results as floats."""
    return [float(claim.value) for claim in claims]


def stated_mean(summary: Summary) -> StatedMean | None:
    """Return the mean and the deviation of a summary, or None if it has no mean."""
    if summary.mean is None:
        return None
    std = None if summary.std is None else float(summary.std)
    unit, std_unit = float(summary.mean_resolution), float(summary.std_resolution)
    return StatedMean(mean=float(summary.mean), mean_unit=unit, std=std, std_unit=std_unit)


def resolution_of(claims: Iterable[RunResult]) -> float:
    """Return the unit of the last digit of a series. Among values with one decimal, `80` counts as 80.0."""
    return min((float(claim.resolution) for claim in claims), default=1.0)


def rounding_of(claims: Sequence[RunResult], sizes: Collection[int]) -> float:
    """Return the largest error that rounding may have caused in the values: half a unit of their last digit.

    Return 0 if all values are exact shares, in percent, of one of the `sizes` (numbers of examples).
    """
    if any(all((claim.value * size) % 100 == 0 for claim in claims) for size in sizes):
        return 0.0
    return max((float(claim.resolution) for claim in claims), default=0.0) / 2


class PlacedStatement(NamedTuple):
    """A statement with the experiments that it is about."""

    passage: Passage
    said: Statement
    found: Sequence[Mention]
    """The names of experiments, splits and the like in the statement."""
    is_own: bool
    """Whether its passage answers the experiment's question and no other."""
    about: Set[str] = frozenset()
    """The experiments that the statement names; without any, those of the table below, of the statement before, or of
    the heading."""
    is_about: bool = False
    """Whether the statement may be about the experiment in question."""
    before: "PlacedStatement | None" = None
    """The statement before it in the same paragraph."""

    @property
    def text(self) -> str:
        """The text of the statement."""
        return self.said.text

    @property
    def evidence(self) -> Evidence:
        """The place of the statement."""
        return self.passage.evidence(self.said.start, self.said.end)

    @property
    def kind(self) -> BlockKind:
        """The kind of the block in which the statement begins."""
        return self.passage.block_at(self.said.start).kind

    @property
    def named(self) -> Set[str]:
        """The experiments that the statement names."""
        return {mention.value for mention in self.found if mention.kind is Kind.EXPERIMENT}

    @property
    def splits(self) -> Set[str]:
        """The splits that the statement names."""
        return {mention.value for mention in self.found if mention.kind is Kind.SPLIT}


_NEXT: Final = 2
"""The largest distance, in characters, between two consecutive statements of a paragraph."""


def statements_about(experiment: str, passages: Iterable[tuple[Passage, bool]], lab: Lab) -> Iterator[PlacedStatement]:
    """Yield all statements of some passages, in order, each with the experiments that it is about.

    A statement is about the experiments that it names. If it names none, the table below it, the statement before it
    and then the heading tell the experiment.
    """
    listed = list(passages)
    for at, (passage, is_own) in enumerate(listed):
        abbreviations = abbreviations_in(passage.text, lab)
        under: Set[str] = frozenset()
        last: PlacedStatement | None = None
        held: Set[str] = frozenset()
        for statement in all_statements(passage):
            placed = PlacedStatement(passage, statement, mentions(statement.text, lab, abbreviations), is_own)
            if is_of_cell(passage, statement) and not placed.found:
                continue
            if placed.kind is BlockKind.HEADING:
                under, last = placed.named, None
                yield placed
                continue
            before = last if last and 0 <= statement.start - last.said.end <= _NEXT else None
            below = experiments_below(listed, at, statement.start, statement.end, lab) & {experiment}
            about = placed.named or below or (held if before else frozenset()) or (under if is_own else frozenset())
            hinted = bool(placed.named) and any(m.kind is Kind.HINT and m.value == experiment for m in placed.found)
            is_about = experiment in about or (is_own and (hinted or not about))
            last = placed._replace(about=about, is_about=is_about, before=before)
            held = _outside_brackets(placed) or below
            yield last


def _outside_brackets(statement: PlacedStatement) -> Set[str]:
    """Return the experiments that a statement names outside brackets."""
    asides = [match.span() for match in ASIDE.finditer(statement.text)]
    named = (mention for mention in statement.found if mention.kind is Kind.EXPERIMENT)
    return {m.value for m in named if not any(start < m.start < end for start, end in asides)}

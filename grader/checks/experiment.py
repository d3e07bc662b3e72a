"""The student's report of one experiment, and the logs of it; and the accuracies that can have a stated mean and
deviation: on a set of N examples only multiples of 100/N % occur.

The test of the mean is GRIM (Brown and Heathers, "The GRIM test", 2017). With the deviation of three accuracies, few
triples remain, often one.
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
from grader.checks.finding import Finding
from grader.claims.answer import Answer
from grader.claims.captions import experiments_below
from grader.claims.logged import LoggedRun
from grader.claims.passage import Passage
from grader.claims.results.claimed import RunResult, Summary, mean_fits, std_fits
from grader.claims.results.fact import in_unit
from grader.claims.results.measures import Sought, told_of
from grader.claims.results.numbers import numbers_in
from grader.claims.results.runs import runs_named
from grader.claims.results.vocabulary import Kind, Mention, abbreviations_in, experiments_in, mentions
from grader.claims.statements import Statement, all_statements, is_of_cell, statements
from grader.frozen import Frozen, remembered
from grader.lab.definition import Lab
from grader.lab.experiments import Measure, Repetition
from grader.lab.truth import Band, GroundTruth
from grader.language import lexicon
from grader.language.shapes import ASIDE
from grader.message import Message, Words, say, say_data, say_values
from grader.reading.document import BlockKind, Evidence

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
    """Return the interval of the numbers that are written as `value` when they are rounded or cut at the last digit."""
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
    """Return how often three accuracies on a larger set of `finer` examples, near the stated ones, have a mean and
    deviation that are possible on the smaller set as well: the share of the means written so that are, times that of
    the deviations within a quarter of a point."""
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
    """Yield the possible numbers of right answers of all seeds together."""
    mean, factor = _written(stated.mean, stated.mean_unit), seeds * examples / 100
    for total in range(max(0, ceil(mean.low * factor - _TINY)), floor(mean.high * factor) + 1):
        if mean.holds(total / factor):
            yield total


def _parts(total: int, std: float) -> Iterator[tuple[int, int, int]]:
    """Three counts, ascending, with a sum, whose deviation in population form may be as large as `std` counts."""
    widest = min(_MOST_APART, ceil(std * sqrt(6)))
    for low in range(max(0, total // 3 - widest), total // 3 + 1):
        for middle in range(low, (total - low) // 2 + 1):
            high = total - low - middle
            if high - low <= widest:
                yield low, middle, high


def _deviations(low: int, middle: int, high: int) -> tuple[float, float]:
    """The standard deviation of three counts in population and in sample form. Their squared distances from the mean
    are whole thirds, so nothing is lost before the root."""
    thirds = 3 * (low * low + middle * middle + high * high) - (low + middle + high) ** 2
    return sqrt(thirds / 9), sqrt(thirds / 6)


class Report(Frozen):
    """The claims about one experiment by one measure, and its logged runs. Results are asked for of `split`, and
    checkpoints are selected by `selecting`, where the lab has such splits; `titles` are the names of splits and of the
    experiment by id. `is_usual`: it is the measure where none is named. `loose` are figures that may be of it, too, and
    references to what cannot be read in the text itself: with any of them nothing about the experiment is certainly
    absent. Nor is all of it with `faint` ones, which only look like results. `of_others` are values that stand beside
    its own, as in a row of a table, and are of other experiments. `of_rest` are averages of all values but some, each
    with those that the text leaves out."""

    experiment: str
    measure: Measure
    is_usual: bool = True
    repetition: Repetition
    split: str | None
    selecting: str | None
    titles: dict[str, str] = Field(default_factory=dict)
    seeds: tuple[RunResult, ...]
    summaries: tuple[Summary, ...]
    runs: tuple[LoggedRun, ...]
    loose: tuple[Evidence, ...] = ()
    faint: tuple[Evidence, ...] = ()
    of_others: tuple[Decimal, ...] = ()
    of_rest: tuple[tuple[Summary, tuple[RunResult, ...]], ...] = ()

    @property
    def is_empty(self) -> bool:
        """Whether no result of the experiment was found."""
        return not (self.seeds or self.summaries or self.runs)

    @property
    def number(self) -> int:
        """The number of times that the experiment is to be repeated."""
        return self.repetition.number

    def bands(self, truth: GroundTruth, split: str | None) -> tuple[Band, ...]:
        """Return the bands that are known for the experiment on a split."""
        return truth.bands_of(self.experiment, split or "", None if self.is_usual else self.measure.id)

    @cached_property
    def named(self) -> dict[str, Message]:
        """For sentences: what the experiment (`title`), the `measure`, one repetition (`run`) and several (`runs`), the
        split that is asked for (`split`) and the one that selects (`selecting`) are called."""
        return {
            "title": say_data(self.titles.get(self.experiment, self.experiment)),
            "measure": say_data(self.measure.title),
            "run": say_data(self.repetition.title),
            "runs": say_data(self.repetition.titles),
            "split": self.split_name(self.split),
            "selecting": self.split_name(self.selecting),
        }

    def split_name(self, split: str | None) -> Message:
        """Return the name of a part of the data in sentences."""
        return say_data(self.titles.get(split or "", split or ""))

    def of_other_split(self, given: str | None, asked: str | None) -> Message:
        """Return the sentence that figures are of another part of the data than was asked for."""
        names = {"given": self.split_name(given), "asked": self.split_name(asked)}
        return say("These figures are of {given}, but {asked} was asked for.", **names)

    def shown(self, value: Decimal, resolution: Decimal) -> Message:
        """A value for people, with its unit and the digits that were written."""
        return say_values("{value}{unit}", value=value.quantize(resolution.normalize()), unit=self.measure.behind)

    def rounded(self, value: float) -> Message:
        """A value that was worked out, for people."""
        return rounded(value, self.measure)

    @property
    def evidence(self) -> tuple[Evidence, ...]:
        """The places of all claims."""
        places = [*(claim.evidence for claim in self.seeds), *(e for s in self.summaries for e in s.evidence)]
        return tuple(dict.fromkeys(places))

    @property
    def lone_deviations(self) -> tuple[Summary, ...]:
        """Deviations that were not put together with an average."""
        return tuple(summary for summary in self.summaries if summary.mean is None)

    def of_split(self, split: str | None) -> tuple[RunResult, ...]:
        """The per-seed claims for a split, or those whose split is not said."""
        return tuple(claim for claim in self.seeds if claim.split == split)

    def series(self) -> Iterable[tuple[RunResult, ...]]:
        """The per-seed claims grouped by split, the one that is asked for first; of a seed with several the one that is
        not said to be of another moment than the selected one."""
        splits = self.in_order(claim.split for claim in self.seeds)
        return [_one_each(group) for split in splits if (group := self.of_split(split))]

    @property
    def preferred_summaries(self) -> tuple[Summary, ...]:
        """Means that are said to be of the split that is asked for, where there are any; else those that do not say;
        else all."""
        with_mean = tuple(summary for summary in self.summaries if summary.mean is not None)
        for split in (self.split, None):
            chosen = tuple(summary for summary in with_mean if summary.split == split)
            if chosen:
                return chosen
        return with_mean

    @property
    def headline(self) -> Summary | None:
        """The last of the preferred averages, one with a deviation where there is any."""
        preferred = self.preferred_summaries
        return next(
            (summary for summary in reversed(preferred) if summary.std is not None),
            preferred[-1] if preferred else None,
        )

    def in_order(self, splits: Iterable[str | None]) -> tuple[str | None, ...]:
        """The split that is asked for, what is not said, further splits of the lab that occur, and the one that
        selects: of the first that has results these are looked at."""
        further = (split for split in splits if split not in (self.split, None, self.selecting))
        return tuple(dict.fromkeys((self.split, None, *further, self.selecting)))

    @property
    def asked(self) -> tuple[RunResult, ...]:
        """The per-seed claims for the split that is asked for, else those whose split is not said."""
        return self.of_split(self.split) or self.of_split(None)


def _one_each(claims: tuple[RunResult, ...]) -> tuple[RunResult, ...]:
    """One value for each seed, rather one that is not said to be that of the end."""
    by_seed: dict[int, list[RunResult]] = {}
    for claim in claims:
        by_seed.setdefault(claim.seed, []).append(claim)
    return tuple(next((result for result in same if not result.moment.is_end), same[0]) for same in by_seed.values())


_MOST_LOOSE: Final = 5


@remembered
def report_of(
    experiment: str, answer: Answer, lab: Lab, measure: str | None = None, split: str | None = None
) -> Report:
    """Collect what a submission says about an experiment by a measure, the usual one if none is given, on the split
    that is asked for. What is of another split of which results are asked for is left out."""
    own = lab.measure(measure, experiment)
    asked = split or next(iter(lab.reported), None)
    others = set(lab.reported) - {asked}

    def is_of(claim: RunResult | Summary) -> bool:
        return claim.experiment == experiment and claim.measure == own.id and claim.split not in others

    summaries = tuple(filter(is_of, answer.results.summaries))
    every = tuple(filter(is_of, answer.results.seeds))
    several = lab.repetition_of(experiment).number > 1
    strays = {example for example in every if several and _is_stray(example, every, summaries)}
    may_be = [
        figure
        for figure in answer.results.loose
        if figure.experiment in (None, experiment) and figure.measure == own.id
    ]
    loose = [figure.evidence for figure in may_be if not figure.is_faint]
    seeds = tuple(example for example in every if example not in strays)
    is_read = bool(answer.notebooks) and bool(every or summaries)
    elsewhere = islice(_elsewhere(experiment, answer, lab, is_read=is_read), _MOST_LOOSE)
    return Report(
        experiment=experiment,
        measure=own,
        is_usual=own == lab.measure(None, experiment),
        repetition=lab.repetition_of(experiment),
        split=asked,
        selecting=lab.selecting,
        titles={candidate.id: candidate.named for candidate in lab.splits}
        | {candidate.id: candidate.title for candidate in lab.experiments if candidate.id == experiment},
        seeds=seeds,
        summaries=summaries,
        runs=tuple(
            run for run in answer.runs if (run.experiment, run.measure, run.split) == (experiment, own.id, asked)
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
            if result.experiment not in (None, experiment) and result.evidence in {claim.evidence for claim in every}
        ),
        of_rest=tuple(_of_rest(summaries, seeds, answer, told_of(own), lab.repetition_of(experiment).words)),
    )


def _of_rest(
    summaries: Iterable[Summary], seeds: Sequence[RunResult], answer: Answer, sought: Sought, words: tuple[str, ...]
) -> Iterator[tuple[Summary, tuple[RunResult, ...]]]:
    """Averages that follow from all values but some, whose runs the text names as left out, or all the others."""
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
    """Whether an average, and its deviation where there is one, follow from some values."""
    numbers = values(group)
    is_mean = summary.mean is not None and mean_fits(summary.mean, summary.mean_resolution, numbers)
    return is_mean and (summary.std is None or std_fits(summary.std, summary.std_resolution, numbers))


def _texts_with(figure: Decimal, answer: Answer, sought: Sought) -> Iterator[str]:
    """The sentences and rows that hold a figure; and their neighbours that speak of what is left out."""
    for section in answer.sections:
        rows = (block.text for block in section.passage.blocks if block.kind is BlockKind.ROW)
        texts = ["", *(statement.text for statement in statements(section.passage)), "", *rows, ""]
        for before, text, after in zip(texts, texts[1:], texts[2:], strict=False):
            if any(in_unit(number) == figure for number in numbers_in(text, sought)):
                yield text
                yield from (candidate for candidate in (before, after) if lexicon.search("<left_out>", candidate))


def _leaves_out(
    text: str, out: Sequence[RunResult], group: Sequence[RunResult], sought: Sought, words: tuple[str, ...]
) -> bool:
    """Whether a text names some runs of a group, other than beside their values, and none of the others; or all of the
    others and none of these. Runs go by their seed or by their place. Where a text says that one is left out and names
    none (`without the worst one`), the values tell which."""
    named: Counter[int] = Counter()
    rest = text
    while marks := runs_named(rest, words):
        named.update(int(mark.value) for mark in marks)
        rest = rest[marks[-1].end :]
    shown = {in_unit(number) for number in numbers_in(text, sought)}
    if not named:
        return len(out) == 1 and bool(lexicon.search("<left_out>", text))
    for runs in ([claim.seed for claim in group], list(range(len(group)))):
        told = [named[run] > (claim.value in shown) for run, claim in zip(runs, group, strict=True)]
        of_out = {is_told for is_told, claim in zip(told, group, strict=True) if claim in out}
        if set(named) <= set(runs) and len(of_out) == 1 and told.count(*of_out) == len(out):
            return True
    return False


_FAR: Final = 20
"""So many deviations from the average of a few values none of them lies."""


def _is_stray(claim: RunResult, claims: Sequence[RunResult], summaries: Sequence[Summary]) -> bool:
    """Whether the only value shown is none of those that the stated averages are of."""
    stated = [(summary.mean, summary.std) for summary in summaries if summary.mean is not None and summary.std]
    far = all(abs(claim.value - mean) > _FAR * std for mean, std in stated)
    return len(claims) == 1 and bool(stated) and far


def _elsewhere(experiment: str, answer: Answer, lab: Lab, *, is_read: bool) -> Iterator[Evidence]:
    """Yield the places where a text about an experiment refers to a figure, a notebook or the like; with `is_read` not
    to notebooks, of which results are known."""
    question = next(candidate.question for candidate in lab.experiments if candidate.id == experiment)
    for section in answer.sections:
        own = section.questions == (question,)
        for statement, found in () if section.is_closing else _references(section.passage):
            match = next((candidate for candidate in found if candidate["picture"] or not is_read), None)
            if match and (own or experiment in experiments_in(statement.text, lab)):
                yield section.passage.evidence(statement.start + match.start())


@remembered
def _references(passage: Passage) -> tuple[tuple[Statement, tuple[re.Match[str], ...]], ...]:
    """The statements of a passage that refer to something, each with the places."""
    found = (
        (statement, tuple(lexicon.find_all("(?P<picture><shown_elsewhere>)|<see>", statement.text)))
        for statement in statements(passage)
    )
    return tuple((statement, places) for statement, places in found if places)


def concluded_without(finding: Finding, report: Report, answer: Answer, lab: Lab, text: Words) -> Finding:
    """The finding where no result of an experiment was understood: missing if none can stand anywhere in the hand-in,
    else for a person."""
    absent = absence(answer, lab, finding.item, in_code=False)
    own = report.experiment, report.measure.id
    course = dict.fromkeys(
        point.evidence for point in answer.results.course if (point.experiment, point.measure) == own
    )
    spoken = (*report.loose, *report.faint, *course, *taken_for_others(report, answer, lab))
    spoken = spoken or tuple(_percentages_below(report, answer, lab))
    if report.experiment in answer.silent_on:
        spoken = ()
    return concluded_absent(finding, absent.model_copy(update={"spoken": spoken, "is_told": True}), text)


def _percentages_below(report: Report, answer: Answer, lab: Lab) -> Iterator[Evidence]:
    """Yield a percentage with decimals under the experiment's own heading, of which nothing was understood, also not
    as a result of another measure."""
    question = next(known.question for known in lab.experiments if known.id == report.experiment)
    understood = {claim.experiment for claim in (*answer.results.seeds, *answer.results.summaries)}
    for section in answer.sections if report.experiment not in understood else ():
        if section.questions == (question,) and (found := re.search(r"\d[.,]\d+\s?%", section.passage.text)):
            yield section.passage.evidence(found.start(), found.end())


def taken_for_others(report: Report, answer: Answer, lab: Lab) -> list[Evidence]:
    """Return the places of figures that may belong to an experiment though they were taken for another's: under its own
    heading, and those of an experiment that has several averages with deviations of their own."""
    question = next(experiment.question for experiment in lab.experiments if experiment.id == report.experiment)
    headed = [section.passage for section in answer.sections if section.questions == (question,)]
    seeds, averages = _claims_of_others(question, report.measure, answer, lab)
    places = (*(result.evidence for result in seeds), *chain.from_iterable(average.evidence for average in averages))
    below = (place for place in places if any(passage.holds(place) for passage in headed))
    return [*below, *_several_averages(averages, report.split)]


def _claims_of_others(
    question: str, measure: Measure, answer: Answer, lab: Lab
) -> tuple[list[RunResult], list[Summary]]:
    """The results by a measure of the experiments of all other questions."""
    others = {experiment.id for experiment in lab.experiments if experiment.question != question}
    seeds = [result for result in answer.results.seeds if result.experiment in others and result.measure == measure.id]
    averages = [
        summary
        for summary in answer.results.summaries
        if summary.experiment in others and summary.measure == measure.id
    ]
    return seeds, averages


def _several_averages(claims: Iterable[Summary], split: str | None) -> Iterator[Evidence]:
    """The places of the averages of an experiment on a split that has several with deviations, which are not the same
    one rounded."""
    by_experiment: dict[str | None, dict[Decimal, Summary]] = {}
    for claim in claims:
        if claim.mean is not None and claim.std is not None and claim.split in (None, split):
            by_experiment.setdefault(claim.experiment, {})[claim.mean] = claim
    for means in by_experiment.values():
        if max(means) - min(means) > max(mean.mean_resolution for mean in means.values()):
            yield from chain.from_iterable(mean.evidence for mean in means.values())


def has_others(claimed: Sequence[RunResult], report: Report) -> bool:
    """Whether a number like some claimed values stands among them that is none of them, nor an average or deviation:
    one that was not understood."""
    known = {result.value for result in claimed}
    if len(known) <= 1 or len(claimed) >= report.number:
        return False
    least, most = min(known), max(known)
    told = (
        known | set(report.of_others) | {value for summary in report.summaries for value in (summary.mean, summary.std)}
    )
    quotes = dict.fromkeys(result.evidence.quote for result in claimed)
    numbers = [number.value for quote in quotes for number in numbers_in(quote, told_of(report.measure))]
    return any(2 * least - most <= number <= 2 * most - least and number not in told for number in numbers)


def rounded(value: float, measure: Measure) -> Message:
    """A value of a measure that was worked out, for people: a share with two decimals, others with four digits."""
    number = Decimal(f"{value:.2f}" if measure.is_share else f"{value:.4g}")
    return say_values("{value}{unit}", value=number, unit=measure.behind)


def values(claims: Iterable[RunResult]) -> list[float]:
    """The values of some claims."""
    return [float(claim.value) for claim in claims]


def stated(summary: Summary) -> Stated | None:
    """A summary's mean and deviation as figures; None where it has no mean."""
    if summary.mean is None:
        return None
    std = None if summary.std is None else float(summary.std)
    unit, std_unit = float(summary.mean_resolution), float(summary.std_resolution)
    return Stated(mean=float(summary.mean), mean_unit=unit, std=std, std_unit=std_unit)


def resolution_of(claims: Iterable[RunResult]) -> float:
    """The unit of the last digit of a series: `80` among values with one decimal is 80.0."""
    return min((float(claim.resolution) for claim in claims), default=1.0)


def rounding_of(claims: Sequence[RunResult], sizes: Collection[int]) -> float:
    """Return by how much values may have been rounded: half a unit of their last digit; 0 if all of them are exact
    shares in percent of one of some numbers of examples."""
    if any(all((claim.value * size) % 100 == 0 for claim in claims) for size in sizes):
        return 0.0
    return max((float(claim.resolution) for claim in claims), default=0.0) / 2


class PlacedStatement(NamedTuple):
    """A statement among the others. `about` are the experiments that it speaks of: those that it names, or else those
    of the table below, of the statement that it follows, or of the heading. `is_about`: it may speak of the one that is
    asked for. `before` is the statement that it follows, `is_own` that its passage answers no other question."""

    passage: Passage
    said: Statement
    found: Sequence[Mention]
    is_own: bool
    about: Set[str] = frozenset()
    is_about: bool = False
    before: "PlacedStatement | None" = None

    @property
    def text(self) -> str:
        """Its words."""
        return self.said.text

    @property
    def evidence(self) -> Evidence:
        """The place of the statement."""
        return self.passage.evidence(self.said.start, self.said.end)

    @property
    def kind(self) -> BlockKind:
        """The kind of the block that it begins in."""
        return self.passage.block_at(self.said.start).kind

    @property
    def named(self) -> Set[str]:
        """The experiments that it names."""
        return {mention.value for mention in self.found if mention.kind is Kind.EXPERIMENT}

    @property
    def splits(self) -> Set[str]:
        """The splits that it names."""
        return {mention.value for mention in self.found if mention.kind is Kind.SPLIT}


_NEXT: Final = 2
"""Characters between statements of which one follows the other in the same paragraph."""


def statements_about(experiment: str, passages: Iterable[tuple[Passage, bool]], lab: Lab) -> Iterator[PlacedStatement]:
    """All statements of some passages, in order, with the experiments that they are about. Those that name only others,
    or follow one that does, or stand under the heading of one, are of those."""
    listed = list(passages)
    for at, (passage, is_own) in enumerate(listed):
        abbreviations = abbreviations_in(passage.text, lab)
        under: Set[str] = frozenset()
        last: PlacedStatement | None = None
        held: Set[str] = frozenset()
        for statement in all_statements(passage):
            one = PlacedStatement(passage, statement, mentions(statement.text, lab, abbreviations), is_own)
            if is_of_cell(passage, statement) and not one.found:
                continue
            if one.kind is BlockKind.HEADING:
                under, last = one.named, None
                yield one
                continue
            before = last if last and 0 <= statement.start - last.said.end <= _NEXT else None
            below = experiments_below(listed, at, statement.start, statement.end, lab) & {experiment}
            about = one.named or below or (held if before else frozenset()) or (under if is_own else frozenset())
            hinted = bool(one.named) and any(m.kind is Kind.HINT and m.value == experiment for m in one.found)
            is_about = experiment in about or (is_own and (hinted or not about))
            last = one._replace(about=about, is_about=is_about, before=before)
            held = _outside_brackets(one) or below
            yield last


def _outside_brackets(statement: PlacedStatement) -> Set[str]:
    """The experiments that a statement names, less those that it names in brackets only."""
    asides = [match.span() for match in ASIDE.finditer(statement.text)]
    named = (mention for mention in statement.found if mention.kind is Kind.EXPERIMENT)
    return {m.value for m in named if not any(start < m.start < end for start, end in asides)}

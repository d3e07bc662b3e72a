"""The check `seed-statistics`: the stated average and standard deviation follow from the values of the single runs.

`seed_statistics` compares each stated average (a `Summary`) with each series of values and keeps the best `_Match`. One
function per case then gives the verdict: `_fitting`, `_without_std`, `_of_spread`, `_mismatch`, `_not_stated` and
`_not_recomputable`.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from decimal import Decimal
from enum import StrEnum
from itertools import combinations
from statistics import fmean, pstdev, stdev
from typing import Final

from grader.checks.check import Conclusion, check
from grader.checks.decide import with_verdict
from grader.checks.experiment import (
    Report,
    concluded_without,
    has_others,
    is_possible_mean,
    report_of,
    rounding_of,
    stated_mean,
    triples,
    values,
)
from grader.checks.feedback import NO_RESULT, SEVERAL, UNPLACED, Reason
from grader.checks.finding import Diagnosis, ExpectedAnswer, Finding, Flag, Severity, Status
from grader.checks.log_agreement import Selection, course_of, logged_series, selection_name
from grader.checks.seeds_reported import is_all_read
from grader.checks.spreads import follows, is_negative, is_of_one_run, named_spread
from grader.checks.validation_grid import FLAG, Doubt, averaged_there, validation_doubt
from grader.claims.answer import Answer
from grader.claims.numerals import surrounding_text
from grader.claims.results.claimed import RunResult, Summary, SummaryStatistic, mean_fits, shares_fit, std_fits
from grader.claims.results.fact import digit_in_unit, in_unit
from grader.claims.results.measures import may_be_deviation, told_of
from grader.claims.results.numbers import numbers_in
from grader.claims.voice import words
from grader.frozen import Frozen
from grader.lab.definition import Lab
from grader.lab.experiments import Measure
from grader.lab.truth import GroundTruth
from grader.language import lexicon
from grader.message import Message, Words, join_messages, say, say_values

_LEAST: Final = Decimal("0.05")
"""In percentage points. If accuracies vary by about one point from run to run, fewer than one in a hundred sets of
three have a smaller deviation."""
_LEAST_FRACTION: Final = Decimal("0.001")
"""The smallest usual deviation of accuracies written as fractions."""

_MOST: Final = 5.0
_TRIPLE: Final = 3


def is_unit_slip(summary: Summary, report: Report) -> bool:
    """Whether a deviation is too small to be in percent, like its average, but usual for a fraction.

    For example, `79.6 ± 0.008` instead of `79.6 ± 0.8`.
    """
    std = summary.std
    return report.measure.is_counted and std is not None and _LEAST_FRACTION <= std < _LEAST


def is_impossible(summary: Summary, report: Report, lab: Lab) -> bool:
    """Whether three accuracies cannot have the stated average and deviation, whichever split they are of.

    Return False if this cannot be computed, for example if the lab does not ask for three runs.
    """
    figures, sizes = stated_mean(summary), _sizes(summary, report, lab)
    if figures is None or figures.std is None or report.number != _TRIPLE or not sizes:
        return False
    return figures.std <= _MOST and not any(triples(figures, size) for size in sizes)


def _sizes(summary: Summary, report: Report, lab: Lab) -> list[int]:
    """Return the size, in examples, of each split that a summary may belong to.

    The list is empty if the measure is not a share of counted examples.
    """
    split_sizes = lab.sizes.items() if report.measure.is_counted else ()
    return [size for split, size in split_sizes if summary.split in (None, split)]


_SLIPS = (Decimal(100), Decimal("0.01"))
"""The factors by which a deviation is off if it is a fraction beside a percentage, or a percentage beside a
fraction."""

_APART = 5
_APART_SHARE = Decimal("0.25")
"""Averages of one experiment on one split differ at most by `_APART` percentage points, or by this share of the largest
average if the measure is not a percentage."""
_FEWEST, _MOST_RUNS = 2, 12  # the fewest values with a deviation; the most values whose subsets are all tried


class _Match(Frozen):
    """A comparison of a stated average and deviation (`summary`) with one series of values.

    `mean_fits` and `std_fits` say which of the two follow from the values. `std_unit_slip` says that the deviation
    would follow if it were multiplied or divided by 100.
    """

    summary: Summary
    values: tuple[float, ...]
    split: str | None
    mean_fits: bool
    std_fits: bool
    std_unit_slip: bool
    may_fit: bool = False
    """Whether both follow if any rounding of the values is allowed. `mean_fits` and `std_fits` allow only rounding that
    is small beside the deviation."""
    selection: Selection | None = None
    """The checkpoints that were used, if the values come from logs."""

    @property
    def rank(self) -> tuple[bool, bool, bool, bool, bool]:
        """A sort key: the better the fit, the greater the key."""
        fits = self.mean_fits and self.std_fits
        return fits, self.mean_fits and self.std_unit_slip, self.may_fit, self.mean_fits, self.std_fits


class OfFewer(StrEnum):
    """The verdict on an average and deviation of fewer runs than were asked for."""

    CORRECT = "correct"
    PARTIAL = "partial"
    REVIEW = "review"


@check("seed-statistics")
def seed_statistics(
    answer: Answer,
    truth: GroundTruth,
    lab: Lab,
    *,
    item: str,
    experiment: str,
    measure: str | None = None,
    split: str | None = None,
    require_split: str | None = None,
    of_fewer: OfFewer = OfFewer.REVIEW,
) -> Iterator[Conclusion]:
    """The average and standard deviation are stated and follow from the values of the single runs.

    - `experiment`: the experiment. If it runs only once, no deviation is required.
    - `measure`, `split`, `require_split`: what is asked for, if not the lab's usual measure and split.
    - `of_fewer`: the verdict if average and deviation follow from fewer runs than required; `correct` if another item
      grades missing runs.

    The values of the runs come from the text. If the text has fewer than two for a split, they come from the logs of
    all required runs, at any checkpoint. Values may be rounded or cut, and the deviation may divide by n or n - 1.

    | average and deviation | verdict |
    | --- | --- |
    | one run is reported: its value is the average, and the deviation is 0 | `incorrect` |
    | both follow from the values of at least two runs, but fewer than required | `of_fewer` |
    | both follow from the values | `correct` |
    | both follow, but the deviation is off by a factor of 100 | `correct`, with the flag `std-unit` |
    | the average follows; there is no deviation, or another spread that follows, such as a standard error | `partial` |
    | the text says which runs it leaves out, and both follow from the others | `correct` |
    | both follow from only some of the values, or only from coarsely rounded ones | review |
    | only one of the two follows | `partial`, with the flag `statistics-mismatch` |
    | neither follows | review |
    | both are stated without values | `correct` if results of the required runs can give these, else review |
    | only an average is stated | `partial` |
    | no average is stated | `missing` |

    Decides: as the first row that fits says. A missing average or deviation costs points only if everything was read.

    Leaves to people: averages of several experiments, answers with numbers that may be further values, and deviations
    with a minus sign.
    """
    report = report_of(experiment, answer, lab, measure, split)
    finding = Finding(item=item, status=Status.REVIEW, evidence=report.evidence)
    if report.is_empty:
        yield concluded_without(finding, report, answer, lab, NO_RESULT)
        return
    headline = report.headline
    if headline is None:
        yield _not_stated(finding, report, answer, lab)
        return
    matches = [match for summary in _finest(report.preferred_summaries) for match in _matches(summary, report, lab)]
    if not matches:
        yield from _not_recomputable(finding, headline, report, answer, lab)
        return
    best = max(matches, key=lambda match: (match.summary.std is not None, match.rank))
    if best.mean_fits and _are_of_several(report):
        yield with_verdict(finding, Status.CORRECT, "", UNPLACED)
        return
    places = (*best.summary.evidence, *(claim.evidence for claim in report.of_split(best.split)))
    finding = finding.with_changes(
        found=_stated(best.summary, report),
        expected=ExpectedAnswer(text=_computed(best.values, report)),
        evidence=tuple(dict.fromkeys(places)),
    )
    is_open = best.split != report.selecting and _may_be_of_selecting(best.values, report, lab)
    doubt = validation_doubt(report, answer, truth, lab) if is_open else None
    yield from [doubt.flag] if doubt else []
    yield from _other_units(best, report, lab) if best.std_fits else ()
    is_read = is_all_read(report, answer, lab, item) and not report.lone_deviations
    is_read = is_read and not (best.summary.std is None and _may_be_stated(best, answer, report.measure))
    if best.mean_fits and best.summary.std is None:
        yield _without_std(finding, report, is_read=is_read)
    elif best.mean_fits and (best.std_fits or best.std_unit_slip):
        # A text that says that accuracies run from 0 to 1 states the unit of its deviation, which is then not flagged.
        is_said = any(lexicon.names(section.passage.text, "unit_interval") for section in answer.sections)
        yield from [] if best.std_fits or is_said else [_unit_slip(best, report)]
        yield _fitting(finding, best, report, require_split, of_fewer, doubt=doubt, is_read=is_read)
    elif best.mean_fits and (spread := named_spread(best.summary)):
        yield _of_spread(finding, best.summary, spread, is_known=follows(best.summary, spread, best.values))
    elif best.may_fit:
        yield with_verdict(finding, Status.CORRECT, _beside(best, report), _ROUNDED)
    else:
        yield from _mismatch(finding, best, report)


_ROUNDED: Final = Reason(say("The values may have been rounded after the average and the deviation were computed."))
_STATED: Final = say("The result is stated.")
_NO_STD: Final = say("No standard deviation is stated.")


def _without_std(finding: Finding, report: Report, *, is_read: bool) -> Finding:
    """Return the verdict on an average that follows from the values but has no deviation.

    Only if everything was read is it certain that there is no deviation.
    """
    if report.number == 1:
        return with_verdict(finding, Status.CORRECT, _STATED)
    follows = say("The average follows from the {runs}.", **report.named)
    if is_read:
        finding = finding.with_changes(diagnoses=(Diagnosis(id="no-std", text=_NO_STD),))
        return with_verdict(finding, Status.PARTIAL, join_messages(" ", (follows, _NO_STD)))
    none = say("{follows} No standard deviation was found for it.", follows=follows)
    return with_verdict(finding, Status.PARTIAL, "", Reason(none, is_likely=False))


def _other_units(best: _Match, report: Report, lab: Lab) -> Iterator[Flag]:
    """Yield a flag if the same average is stated a second time with a deviation that is off by a factor of 100."""
    exact = (summary for summary in report.preferred_summaries if summary.mean_resolution < 1)  # not `about 80 %`
    all_matches = (match for summary in exact for match in _matches(summary, report, lab))
    same = (
        candidate
        for candidate in all_matches
        if candidate.values == best.values and candidate.mean_fits and not candidate.std_fits
    )
    slip = next((other_match for other_match in same if other_match.std_unit_slip), None)
    if slip is not None:
        yield _unit_slip(slip, report)


def _may_be_of_selecting(numbers: Sequence[float], report: Report, lab: Lab) -> bool:
    """Whether each value is a possible accuracy on the split that selects: a whole number of its examples."""
    size = lab.sizes.get(report.selecting or "") if report.measure.is_counted else None
    return size is None or all(abs(number * size / 100 - round(number * size / 100)) < _SAME for number in numbers)


_SAME: Final = 1e-6


def _finest(summaries: Sequence[Summary]) -> list[Summary]:
    """Return the averages, without those that only round another one and state no more than it.

    For example, `about 80 %` is left out beside `79.63 %`.
    """
    stated = [(summary, summary.mean, summary.mean_resolution) for summary in summaries if summary.mean is not None]
    return [
        average
        for average, mean, unit in stated
        if not any(
            finer < unit and abs(mean - other) <= unit / 2 and (average.std is None or full.std is not None)
            for full, other, finer in stated
        )
    ]


def _are_of_several(report: Report) -> bool:
    """Whether the averages must belong to several experiments, because they lie far apart or have values of their own.

    If some averages have a deviation, the averages without one do not count.
    """
    full = [summary for summary in report.preferred_summaries if summary.std is not None]
    means = [average.mean for average in full or report.preferred_summaries if average.mean is not None]
    most = _APART if report.measure.is_share else max(map(abs, means), default=Decimal(0)) * _APART_SHARE
    return bool(means) and (max(means) - min(means) > most or _have_values_of_their_own(report))


def _have_values_of_their_own(report: Report) -> bool:
    """Whether there are two averages with deviations and two series on one split that share no value."""
    stated = {(summary.mean, summary.std) for summary in report.preferred_summaries if summary.std is not None}
    groups = [group for group in report.series() if len(group) > 1]
    return len(stated) > 1 and any(
        first[0].split == other[0].split and set(values(first)).isdisjoint(values(other))
        for first, other in combinations(groups, 2)
    )


def _matches(summary: Summary, report: Report, lab: Lab) -> Iterator[_Match]:
    """Yield the comparisons of a summary with each series of reported values, or else with the logged values."""
    fewest = min(_FEWEST, report.number)
    series = [group for group in report.series() if len(group) >= fewest]
    for group in series:
        split = group[0].split
        if summary.split in (None, split) or split is None:
            sizes, written = _sizes(summary, report, lab), [(result.value, result.resolution) for result in group]
            rounding = rounding_of(group, sizes)
            match = _match(summary, tuple(values(group)), split or summary.split, report, rounding=rounding)
            # If the average does not follow, the values may have been written with too few digits.
            is_exact = not match.mean_fits and any(shares_fit(summary, written, size) for size in sizes)
            yield match.model_copy(update={"mean_fits": True, "std_fits": True}) if is_exact else match
            outs = [out for result, out in report.of_rest if result == summary and out[0] in group]
            rests = (tuple(values(claim for claim in group if claim not in out)) for out in outs)
            yield from (_match(summary, rest, split or summary.split, report) for rest in rests)
    if not series:
        for selection, logged in logged_series(report):
            split = report.selecting if selection is Selection.VALID else report.split
            yield _match(summary, logged, summary.split or split, report, selection)


def _match(
    summary: Summary,
    found: tuple[float, ...],
    split: str | None,
    report: Report,
    selection: Selection | None = None,
    rounding: float = 0.0,
) -> _Match:
    """Compare a summary with some values. Each value may have been rounded by up to `rounding`."""
    numbers, slips = list(found), _SLIPS if report.measure.is_share else ()
    std, resolution = summary.std, summary.std_resolution
    small = rounding if rounding <= _SMALL_ROUNDING * pstdev(numbers) else 0.0

    def fit(by: float) -> tuple[bool, bool]:
        is_mean = summary.mean is not None and mean_fits(summary.mean, summary.mean_resolution, numbers, by)
        return is_mean, std is not None and std_fits(std, resolution, numbers, by)

    of_mean, of_std = fit(small)
    return _Match(
        summary=summary,
        values=found,
        split=split,
        mean_fits=of_mean,
        std_fits=of_std,
        std_unit_slip=std is not None and any(std_fits(std * f, resolution * f, numbers) for f in slips),
        may_fit=all(fit(rounding)),
        selection=selection,
    )


_SMALL_ROUNDING: Final = 0.1  # a share of the deviation: smaller rounding errors hardly change the deviation
_EXACT: Final = Decimal("0.01")  # in percent: a number with so many digits hardly ever equals the deviation by chance


def _may_be_stated(match: _Match, answer: Answer, measure: Measure) -> bool:
    """Whether the text contains the deviation of the values as a number that no word calls a deviation."""
    numbers = list(match.values)
    texts = [section.passage.text for section in answer.sections if not section.is_closing]
    return any(
        may_be_deviation(number, measure)
        and (number.resolution * scale <= _EXACT if measure.is_share else number.resolution * 10 <= number.value)
        and std_fits(number.value * scale, number.resolution * scale, numbers)
        and not told_of(measure).names(surrounding_text(text, number.start, number.end, _BEFORE)[0])
        for text in texts
        for number in numbers_in(text, told_of(measure))
        for scale in ((1, 100) if measure.is_share else (1,))
    )


def _may_stand(series: Sequence[RunResult], answer: Answer, measure: Measure) -> bool:
    """Whether the text contains the average of the values as a number that no word calls an average.

    If the average equals the value of a run, the text must contain that number once more than the results do.
    """
    texts = [section.passage.text for section in answer.sections if not section.is_closing]
    found = [number for text in texts for number in numbers_in(text, told_of(measure)) if number.resolution < 1]
    averages = [number for number in found if mean_fits(in_unit(number), digit_in_unit(number), values(series))]
    claimed = Counter(claim.value for claim in answer.results.seeds)
    return any(count > claimed[value] for value, count in Counter(map(in_unit, averages)).items())


_BEFORE: Final = 40  # a word within so many characters before a number may call it a value of the measure


def _beside(match: _Match, report: Report) -> Message:
    """Return a message with the stated average and deviation and those computed from the values."""
    return say(
        "Stated: {stated}. The single {runs} give {computed}.",
        stated=_as_written(match.summary, report)[0],
        computed=_computed(match.values, report),
        runs=report.named["runs"],
    )


def _unit_slip(match: _Match, report: Report) -> Flag:
    text = join_messages(" ", (_beside(match, report), _units(match.summary, report)))
    return Flag(id="std-unit", severity=Severity.WARNING, message=text, evidence=match.summary.evidence)


def _fitting(
    finding: Finding,
    match: _Match,
    report: Report,
    require_split: str | None,
    of_fewer: OfFewer,
    *,
    doubt: Doubt | None,
    is_read: bool,
) -> Finding:
    """Return the verdict on an average and a deviation that both follow from the values.

    `doubt`: the reason why the values may be of the split that selects checkpoints. `is_read`: everything was read, so
    no other result can exist.
    """
    right = say("The average and standard deviation follow from the values of the single {runs}.", **report.named)
    if match.selection:
        right = say(
            "The average and standard deviation follow from the logs: they are of {values}.",
            values=selection_name(match.selection, report),
        )
    if is_negative(match.summary):
        return with_verdict(finding, Status.PARTIAL, "", _NEGATIVE)
    messages = [right] if match.std_fits else [right, _units(match.summary, report)]
    if require_split is None or (match.split in (None, require_split) and not doubt):
        is_fewer = len(match.values) < report.number and of_fewer is not OfFewer.CORRECT
        number, runs = len(match.values), report.named["runs"]
        fewer = say("They are of {number} of {all} {runs}.", number=number, all=report.number, runs=runs)
        text = join_messages(" ", [*messages, fewer] if is_fewer else messages)
        reason = Reason(text, is_likely=False).keep_if(is_fewer and of_fewer is OfFewer.REVIEW)
        return with_verdict(finding, Status.PARTIAL if is_fewer else Status.CORRECT, text, reason)
    of_split: Words = doubt.message if doubt else report.of_other_split(match.split or report.selecting, require_split)
    is_twice = bool(doubt) and len({(result.split, result.seed) for result in report.seeds}) < len(report.seeds)
    is_open = is_twice or not (is_read or doubt)
    only = (Diagnosis(id=f"{report.selecting}-only", text=of_split),)
    return with_verdict(
        finding.with_changes(diagnoses=() if is_open else only),
        Status.PARTIAL,
        join_messages(" ", (*messages, of_split)),
        SEVERAL._replace(is_likely=not is_twice).keep_if(is_open),
    )


def _of_spread(finding: Finding, summary: Summary, spread: Message, *, is_known: bool) -> Finding:
    """Return the verdict on an average that is given with another spread than the standard deviation.

    `spread` is the name of that spread. `is_known`: it follows from the values.
    """
    text = say("The average is given with {spread}, not with a standard deviation.", spread=spread)
    with_diagnosis = finding.with_changes(diagnoses=(Diagnosis(id="no-std", text=text),), evidence=summary.evidence)
    return with_verdict(with_diagnosis, Status.PARTIAL, text, Reason(text).keep_if(not is_known))


_NEGATIVE: Final = Reason(say("The standard deviation is written with a minus sign; none is negative."))


def _units(summary: Summary, report: Report) -> Message:
    """Return the sentence on a deviation written as a fraction beside a percentage or with a percent sign."""
    _, std = _as_written(summary, report)
    if std.endswith("%"):
        return say("The standard deviation {std} is a fraction with a percent sign.", std=std)
    return say("The standard deviation and the average are in different units: a fraction and a percentage.")


def _mismatch(finding: Finding, match: _Match, report: Report) -> Iterator[Conclusion]:
    """Yield the verdict if the average or the deviation does not follow from the values.

    If one of the two follows, the values were read correctly and the other one is wrong. If neither follows, the
    verdict goes to review: the values may have been misread, or the student may have made more runs and kept some.
    """
    leaves_out = _may_leave_some_out(match, report)
    message, flag = _beside(match, report), "statistics-mismatch"
    if len(match.values) > report.number and leaves_out:
        some = Reason(say("Some of the {runs} alone give both figures; the text may say which ones.", **report.named))
        yield with_verdict(finding, Status.CORRECT, message, some)
        return
    valid = report.of_split(report.selecting) if match.split == report.split else ()
    if len(valid) >= report.number and _match(match.summary, tuple(values(valid)), None, report).rank[0]:
        message, flag = averaged_there(report), FLAG
    yield Flag(id=flag, severity=Severity.WARNING, message=message, evidence=match.summary.evidence)
    if match.std_unit_slip and not match.std_fits:
        yield _unit_slip(match, report)
    fits = (
        match.mean_fits or match.std_fits or match.std_unit_slip
    )  # otherwise another number may have been mistaken for one of them
    is_open = not fits or leaves_out or any(has_others(group, report) for group in report.series())
    finding = finding.with_changes(diagnoses=(Diagnosis(id=flag, text=message),))
    reason = Reason(message, is_likely=False).keep_if(is_open)
    yield with_verdict(finding, Status.PARTIAL, message, reason)


def _may_leave_some_out(match: _Match, report: Report) -> bool:
    """Whether the average and the deviation follow from a subset of the values.

    It tries subsets of at least as many values as runs were asked for, or, if there are no more values than that, all
    values except one.
    """
    count = len(match.values)
    sizes = range(max(_FEWEST, min(report.number, count - 1)), count) if count <= _MOST_RUNS else ()
    rests = (rest for size in sizes for rest in combinations(match.values, size))
    return any(_match(match.summary, rest, None, report).rank[0] for rest in rests)


def _not_stated(finding: Finding, report: Report, answer: Answer, lab: Lab) -> Finding:
    """Return the finding for an experiment without a stated average."""
    series = next((group for group in report.series() if len(group) >= report.number), None)
    if series and report.number == 1:
        return with_verdict(finding, Status.CORRECT, _STATED)
    finding = finding.with_changes(expected=ExpectedAnswer(text=_computed(values(series), report)) if series else None)
    means = [point.evidence for point in course_of(report, answer) if point.statistic is SummaryStatistic.MEAN]
    if means:
        return with_verdict(finding.with_changes(evidence=tuple(dict.fromkeys(means))), Status.PARTIAL, "", _OF_EPOCHS)
    text = say("No average over the {runs} and no standard deviation was found.", **report.named)
    is_silent = not (report.lone_deviations or report.faint or (series and _may_stand(series, answer, report.measure)))
    if is_silent and is_all_read(report, answer, lab, finding.item):
        return with_verdict(finding, Status.MISSING, text)
    places = tuple(dict.fromkeys((*finding.evidence, *report.loose)))
    return with_verdict(finding.with_changes(evidence=places), Status.MISSING, "", Reason(text, is_likely=False))


_OF_EPOCHS: Final = Reason(say("Averages are given for single epochs, none for the selected checkpoints."))
_IMPOSSIBLE: Final = Reason(
    say("The single values are not shown, and no accuracies on these data can have these two figures.")
)


def _not_recomputable(
    finding: Finding, summary: Summary, report: Report, answer: Answer, lab: Lab
) -> Iterator[Conclusion]:
    """Yield the verdict on an average without values of single runs.

    It is correct if some values on the lab's splits can have this average and deviation.
    """
    finding = finding.with_changes(found=_stated(summary, report), evidence=summary.evidence)
    if summary.std is None and report.number == 1:
        yield with_verdict(finding, Status.CORRECT, _STATED)
    elif summary.std is None:
        is_read = is_all_read(report, answer, lab, finding.item) and not report.lone_deviations
        reason = Reason(_NO_STD, is_likely=False).keep_if(not is_read)
        note = "" if is_read else _impossible(summary, report, lab)
        yield with_verdict(finding.with_changes(note=note), Status.PARTIAL, _NO_STD, reason)
    elif is_of_one_run(summary, report) and report.number > 1:
        reason = _NOT_UNDERSTOOD.keep_if(_has_others_open(summary, report, answer, lab))
        text = say("The result of one run is reported, which has no deviation over several {runs}.", **report.named)
        yield with_verdict(finding, Status.INCORRECT, text, reason)
    elif spread := named_spread(summary):
        yield _of_spread(finding, summary, spread, is_known=False)
    else:
        yield from _unshown(finding, summary, report, answer, lab)


def _unshown(finding: Finding, summary: Summary, report: Report, answer: Answer, lab: Lab) -> Iterator[Conclusion]:
    """Yield the verdict on an average and a deviation whose values are not shown."""
    impossible = _impossible(summary, report, lab)
    is_slip, is_certain = is_unit_slip(summary, report), is_impossible(summary, report, lab)
    message = say(
        "Stated: {stated}. The values of single {runs} usually differ by more than that. The standard deviation "
        "seems to be written as a fraction, and the average in percent.",
        stated=_as_written(summary, report)[0],
        runs=report.named["runs"],
    )
    if is_slip:
        severity = Severity.WARNING if is_certain else Severity.INFO
        yield Flag(id="std-unit", severity=severity, message=message, evidence=summary.evidence)
    if is_slip and is_certain:
        yield with_verdict(finding, Status.CORRECT, message, diagnoses=(Diagnosis(id="std-unit", text=message),))
    elif impossible or is_certain:
        yield with_verdict(finding.with_changes(note=impossible), Status.PARTIAL, "", _IMPOSSIBLE)
    else:
        reason = _NOT_UNDERSTOOD.keep_if(_has_others_open(summary, report, answer, lab))
        yield with_verdict(finding, Status.CORRECT, _UNCONTRADICTED, reason)


_UNCONTRADICTED: Final = say(
    "Average and standard deviation are stated. The single values are not shown; nothing contradicts the two."
)
_NOT_UNDERSTOOD: Final = Reason(
    say("Other figures, which may be the single values, were not understood."), is_likely=False
)


_PAIR: Final = 2


def _has_others_open(summary: Summary, report: Report, answer: Answer, lab: Lab) -> bool:
    """Whether the text contains numbers without a known meaning that may be the values behind a summary."""
    passages = [words(section.passage) for section in answer.sections if not section.is_closing]
    # The names of the lab's parameters, such as `dropout`, are no measures.
    defined = {name for parameter in lab.parameters for name in parameter.names}
    named = {
        match.group().casefold()
        for passage in passages
        for match in lexicon.find_all(r"\b<other_measure>\b", passage.text)
    }
    is_other = not named <= defined and not any(told_of(report.measure).names(passage.text) for passage in passages)
    unplaced = (
        (point.statistic, point.seed, point.split) == (SummaryStatistic.VALUE, None, summary.split)
        for point in course_of(report, answer)
    )
    loose = [figure for figure in answer.results.loose if not figure.is_faint or figure.evidence in summary.evidence]
    sources = [(report.measure.id, None), (report.measure.id, report.experiment)]
    # One number beside an average may be anything. As many numbers as there are runs are likely its values.
    faint = sum(
        figure.is_faint and (figure.measure, figure.experiment) == sources[1] for figure in answer.results.loose
    )
    are_open = any((candidate.measure, candidate.experiment) in sources for candidate in loose)
    return is_other or any(unplaced) or are_open or faint >= max(report.number, _PAIR)


def _impossible(summary: Summary, report: Report, lab: Lab) -> Words:
    """Return a note for staff that no values of the required runs can have the stated average, or an empty text."""
    figures, sets = stated_mean(summary), _sizes(summary, report, lab)
    if not sets or figures is None or any(is_possible_mean(figures, size, report.number) for size in sets):
        return ""
    return say(
        "No {number} values on {sizes} examples can have this average: it is an average of something else, or it "
        "was misread.",
        number=report.number,
        sizes=join_messages(say(" or "), (say("{size:,}", size=size) for size in sets)),
    )


def _stated(summary: Summary, report: Report) -> Message:
    mean = report.format_stated(summary.mean or Decimal(0), summary.mean_resolution)
    if summary.std is None:
        return mean
    std = report.format_stated(summary.std, summary.std_resolution)
    return say_values(
        "{mean} ± {std}{unit}", mean=mean.values["value"], std=std.values["value"], unit=report.measure.behind
    )


def _as_written(summary: Summary, report: Report) -> tuple[Message, str]:
    """An average with its deviation, and the deviation alone, in the notation of the text as far as it is found."""
    found = {
        part: place.quote[number.start : number.end] + (sign.group() if sign else "")
        for place in summary.evidence
        for number in numbers_in(place.quote, told_of(report.measure))
        for sign in [re.compile(r"\s?\\?%").match(place.quote, number.end)]
        for part in (summary.mean, summary.std)
        if part is not None and part in (number.value, in_unit(number))
    }
    mean, std = (found.get(part or Decimal(-1), "").replace("\\", "") for part in (summary.mean, summary.std))
    return say_values("{mean} ± {std}", mean=mean, std=std) if mean and std else _stated(summary, report), std


def _computed(numbers: Sequence[float], report: Report) -> Message:
    if len(numbers) < _FEWEST:
        return report.format_computed(numbers[0])
    return say(
        "{mean} with a standard deviation of {population} (population form) or {sample} (sample form)",
        mean=report.format_computed(fmean(numbers)),
        population=report.format_computed(pstdev(numbers)).values["value"],
        sample=report.format_computed(stdev(numbers)).values["value"],
    )

"""Do the stated average and standard deviation follow from the seeds' accuracies? A deviation may be written as a
fraction beside averages in percent.
"""

import re
from collections.abc import Iterator, Sequence
from decimal import Decimal
from statistics import fmean, pstdev, stdev
from typing import Final

from grader.checks.check import Conclusion, check
from grader.checks.experiment import (
    Report,
    concluded_without,
    is_all_read,
    is_possible_mean,
    mean_fits,
    percent,
    report_of,
    split_name,
    stated,
    std_fits,
    triples,
    values,
)
from grader.checks.finding import Diagnosis, Expected, Finding, Flag, Severity, Status
from grader.checks.log_agreement import SELECTED, Selection, logged_series
from grader.checks.validation_grid import validation_doubt
from grader.claims.accuracies import Summary, SummaryStatistic
from grader.claims.answer import Answer
from grader.claims.results.measures import START, any_of
from grader.claims.results.numbers import may_be_deviation, numbers_in
from grader.frozen import Frozen
from grader.lab.definition import Lab
from grader.lab.experiments import TEST, VALID
from grader.lab.truth import GroundTruth
from grader.message import Message, Words, joined, say

_LEAST: Final = Decimal("0.05")
"""In percent. The deviation of three seeds is smaller less than once in a hundred times, where it is about one."""

_MOST: Final = 5.0
_TRIPLE: Final = 3
_USUAL: Final = (Decimal("0.1"), Decimal(10))


def is_unit_slip(summary: Summary) -> bool:
    """Whether a deviation is too small to be in percent as the average is, and usual when it is taken for a
    fraction."""
    std = summary.std
    return std is not None and 0 < std < _LEAST and _USUAL[0] <= std * 100 <= _USUAL[1]


def is_impossible(summary: Summary, lab: Lab) -> bool:
    """Whether no accuracies of three seeds have the stated average and deviation in percent, on any set that they may
    be of. False where that cannot be told."""
    figures = stated(summary)
    sizes = [size for split, size in lab.sizes.items() if summary.split in (None, split)]
    if figures is None or figures.std is None or lab.seeds != _TRIPLE or not sizes:
        return False
    return figures.std <= _MOST and not any(triples(figures, size) for size in sizes)


_SLIPS = (Decimal(100), Decimal("0.01"))
"""What a deviation is off by when it is a fraction beside a percentage, or the other way round."""


_APART = 5
"""Points; averages of one experiment on one split do not differ by more."""
_FEWEST = 2
"""Runs of which a deviation can be computed."""


class _Match(Frozen):
    """A summary held against one series of accuracies."""

    summary: Summary
    accuracies: tuple[float, ...]
    split: str | None
    mean_fits: bool
    std_fits: bool
    std_unit_slip: bool
    selection: Selection | None = None

    @property
    def rank(self) -> tuple[bool, bool, bool, bool]:
        """How well they fit; the greater the better."""
        return self.mean_fits and self.std_fits, self.mean_fits and self.std_unit_slip, self.mean_fits, self.std_fits


@check("seed-statistics")
def seed_statistics(
    answer: Answer, truth: GroundTruth, lab: Lab, *, item: str, experiment: str, require_split: str | None = None
) -> Iterator[Conclusion]:
    """The average and standard deviation are stated and follow from the seeds' accuracies.

    Decides: an average and a deviation that follow from the runs' accuracies, rounded or cut, in the sample or
    population form; ones that cannot.

    Leaves to people: figures without runs to compare with, and runs that differ between text and logs.
    """
    report = report_of(experiment, answer, lab)
    finding = Finding(item=item, status=Status.REVIEW, evidence=report.evidence)
    if report.is_empty:
        yield concluded_without(finding, report, answer, lab, say("No result of this experiment was found."))
        return
    headline = report.headline
    if headline is None:
        yield _not_stated(finding, report, answer, lab)
        return
    matches = [match for summary in report.preferred_summaries for match in _matches(summary, report, lab)]
    if not matches:
        yield from _not_recomputable(finding, headline, report, answer, lab)
        return
    best = max(matches, key=lambda match: match.rank)
    if best.mean_fits and _are_of_several(report.preferred_summaries):
        text = say("Several averages with values of their own stand here; which ones are of this experiment is open.")
        yield finding.changed(feedback=text)
        return
    finding = finding.changed(
        found=_stated(best.summary),
        expected=Expected(text=_computed(best.accuracies)),
        evidence=tuple(
            dict.fromkeys((*best.summary.evidence, *(claim.evidence for claim in report.of_split(best.split))))
        ),
    )
    doubt = validation_doubt(experiment, answer, truth, lab) if best.split != VALID else None
    if doubt:
        yield doubt.flag
    all_read = is_all_read(report, answer, lab, item) and not report.lone_deviations
    all_read = all_read and not (best.summary.std is None and _may_be_stated(best, answer))
    yield from _judged(finding, best, require_split, is_doubted=bool(doubt), is_all_read=all_read)


def _are_of_several(summaries: Sequence[Summary]) -> bool:
    """Whether averages lie so far apart that they must be of several experiments."""
    means = [one.mean for one in summaries if one.mean is not None]
    return bool(means) and max(means) - min(means) > _APART


def _matches(summary: Summary, report: Report, lab: Lab) -> Iterator[_Match]:
    """The summary against the seeds as reported, else as logged."""
    series = [(tuple(values(group)), group[0].split) for group in report.series() if len(group) >= _FEWEST]
    for accuracies, split in series:
        if summary.split in (None, split) or split is None:
            yield _match(summary, accuracies, split or summary.split)
    if not series:
        for selection, logged in logged_series(report, lab):
            split = VALID if selection is Selection.VALID else TEST
            yield _match(summary, logged, summary.split or split, selection)


def _match(
    summary: Summary, accuracies: tuple[float, ...], split: str | None, selection: Selection | None = None
) -> _Match:
    numbers = list(accuracies)
    std, resolution = summary.std, summary.std_resolution
    return _Match(
        summary=summary,
        accuracies=accuracies,
        split=split,
        mean_fits=summary.mean is not None and mean_fits(summary.mean, summary.mean_resolution, numbers),
        std_fits=std is not None and std_fits(std, resolution, numbers),
        std_unit_slip=std is not None and any(std_fits(std * f, resolution * f, numbers) for f in _SLIPS),
        selection=selection,
    )


_EXACT: Final = Decimal("0.01")
"""In percent. A number that is written so exactly is hardly ever the deviation by chance."""


def _may_be_stated(match: _Match, answer: Answer) -> bool:
    """Whether some number of the text is the deviation of the accuracies, though nothing calls it so."""
    numbers = list(match.accuracies)
    texts = [section.passage.text for section in answer.sections if not section.is_closing]
    return any(
        may_be_deviation(number)
        and number.resolution * scale <= _EXACT
        and std_fits(number.value * scale, number.resolution * scale, numbers)
        and not _CALLED_ACCURACY.search(text[max(0, number.start - _BEFORE) : number.start])
        for text in texts
        for number in numbers_in(text)
        for scale in (1, 100)
    )


_CALLED_ACCURACY: Final = re.compile(rf"{START}{any_of('accuracy')}", re.IGNORECASE)
_BEFORE: Final = 40
"""Characters before a number in which a word may call it an accuracy."""


def _judged(
    finding: Finding, match: _Match, require_split: str | None, *, is_doubted: bool, is_all_read: bool
) -> Iterator[Conclusion]:
    if match.mean_fits and match.summary.std is None:
        said = say("The average follows from the seeds; the standard deviation is not stated.")
        if is_all_read:
            no_std = (Diagnosis(id="no-std", text=say("The standard deviation is not stated.")),)
            yield finding.changed(status=Status.PARTIAL, diagnoses=no_std, feedback=said)
        else:
            looks = say("No standard deviation was found for it; a person looks.")
            said = say("The average follows from the seeds.")
            yield finding.changed(suggestion=Status.PARTIAL, feedback=joined(" ", (said, looks)))
    elif match.mean_fits and (match.std_fits or match.std_unit_slip):
        if not match.std_fits:
            yield _unit_slip(match)
        yield _fitting(finding, match, require_split, is_doubted=is_doubted, is_all_read=is_all_read)
    else:
        yield from _mismatch(finding, match)


def _unit_slip(match: _Match) -> Flag:
    message = say(
        "Stated: {stated}. The seeds' accuracies give {computed}.",
        stated=_stated(match.summary),
        computed=_computed(match.accuracies),
    )
    units = say("The standard deviation and the average are in different units: a fraction and a percentage.")
    text = joined(" ", (message, units))
    return Flag(id="std-unit", severity=Severity.WARNING, message=text, evidence=match.summary.evidence)


def _fitting(
    finding: Finding, match: _Match, require_split: str | None, *, is_doubted: bool, is_all_read: bool
) -> Finding:
    right = say("The average and standard deviation follow from the seeds' accuracies.")
    if match.selection:
        right = say(
            "The average and standard deviation follow from the logs: they are of {accuracies}.",
            accuracies=SELECTED[match.selection],
        )
    if not match.std_fits:
        unit = say(
            "The standard deviation is written as a fraction beside an average in percent, or the other way round."
        )
        right = joined(" ", (right, unit))
    if require_split is None or (match.split in (None, require_split) and not is_doubted):
        return finding.changed(status=Status.CORRECT, feedback=right)
    text = say(
        "These figures are from the {given} set, but the {asked} set was asked for.",
        given=split_name(match.split or VALID) if not is_doubted else split_name(VALID),
        asked=split_name(require_split or ""),
    )
    if not (is_all_read or is_doubted):
        return finding.changed(suggestion=Status.PARTIAL, feedback=joined(" ", (right, text)))
    return finding.changed(
        status=Status.PARTIAL,
        diagnoses=(Diagnosis(id=f"{VALID}-only", text=text),),
        feedback=joined(" ", (right, text)),
    )


def _mismatch(finding: Finding, match: _Match) -> Iterator[Conclusion]:
    """One of the two does not follow. The other one, which does, shows that the values were read rightly; where neither
    follows, a person looks whether they were."""
    message = say(
        "Stated: {stated}. The seeds' accuracies give {computed}.",
        stated=_stated(match.summary),
        computed=_computed(match.accuracies),
    )
    flag = "statistics-mismatch"
    told = (Diagnosis(id=flag, text=message),)
    yield Flag(id=flag, severity=Severity.WARNING, message=message, evidence=match.summary.evidence)
    if match.mean_fits or match.std_fits or match.std_unit_slip:
        yield finding.changed(status=Status.PARTIAL, diagnoses=told, feedback=message)
    else:
        yield finding.changed(suggestion=Status.INCORRECT, diagnoses=told, feedback=message)


def _not_stated(finding: Finding, report: Report, answer: Answer, lab: Lab) -> Finding:
    series = next((group for group in report.series() if len(group) >= lab.seeds), None)
    finding = finding.changed(expected=Expected(text=_computed(values(series))) if series else None)
    course = [point for point in answer.accuracies.course if point.experiment == report.experiment]
    means = tuple(dict.fromkeys(point.evidence for point in course if point.statistic is SummaryStatistic.MEAN))
    if means:
        return finding.changed(
            evidence=means,
            suggestion=Status.PARTIAL,
            feedback=say("Averages are given for single epochs, none for the selected checkpoints."),
        )
    text = say("No average over the seeds and no standard deviation was found.")
    if is_all_read(report, answer, lab, finding.item) and not report.lone_deviations:
        return finding.changed(status=Status.MISSING, feedback=text)
    looks = say("A person will look for them.")
    places = tuple(dict.fromkeys((*finding.evidence, *report.loose)))
    return finding.changed(evidence=places, feedback=joined(" ", (text, looks)))


def _not_recomputable(
    finding: Finding, summary: Summary, report: Report, answer: Answer, lab: Lab
) -> Iterator[Conclusion]:
    """An average without the seeds' values. It is right where some values on the data's splits can have it."""
    finding = finding.changed(found=_stated(summary), evidence=summary.evidence)
    if summary.std is None:
        text = say("An average is stated, no standard deviation and no single values.")
        if is_all_read(report, answer, lab, finding.item) and not report.lone_deviations:
            yield finding.changed(status=Status.PARTIAL, feedback=text)
        else:
            yield finding.changed(suggestion=Status.PARTIAL, feedback=text, note=_impossible(summary, lab))
        return
    if is_unit_slip(summary):
        message = say(
            "Stated: {stated}. The accuracies of three seeds differ by more, mostly: the standard deviation seems to "
            "be a fraction beside an average in percent.",
            stated=_stated(summary),
        )
        certain = is_impossible(summary, lab)
        severity = Severity.WARNING if certain else Severity.INFO
        yield Flag(id="std-unit", severity=severity, message=message, evidence=summary.evidence)
        if certain:
            told = (Diagnosis(id="std-unit", text=message),)
            yield finding.changed(status=Status.CORRECT, feedback=message, diagnoses=told)
            return
    if _impossible(summary, lab) or is_impossible(summary, lab):
        text = say("The single values are not shown, and no values on these sets have this average and deviation.")
        yield finding.changed(suggestion=Status.PARTIAL, feedback=text, note=_impossible(summary, lab))
        return
    text = say(
        "Average and standard deviation are stated. The single values are not shown, and nothing contradicts them."
    )
    loose = (one for one in answer.accuracies.loose if not one.is_faint)
    if any(one.experiment in (None, report.experiment) for one in loose):
        looks = say("Other figures were not understood; a person looks whether they are its values.")
        yield finding.changed(suggestion=Status.CORRECT, feedback=joined(" ", (text, looks)))
    else:
        yield finding.changed(status=Status.CORRECT, feedback=text)


def _impossible(summary: Summary, lab: Lab) -> Words:
    """For staff: that no accuracies of the lab's seeds have the stated average."""
    figures = stated(summary)
    sets = [size for split, size in lab.sizes.items() if summary.split in (None, split)]
    if figures is None or any(is_possible_mean(figures, size, lab.seeds) for size in sets):
        return ""
    return say(
        "No {seeds} accuracies on {sizes} examples have this average: it is of something else, or misread.",
        seeds=lab.seeds,
        sizes=joined(say(" or "), (say("{size:,}", size=size) for size in sets)),
    )


def _stated(summary: Summary) -> Message:
    mean = percent(summary.mean or Decimal(0), summary.mean_resolution)
    if summary.std is None:
        return mean
    return say(
        "{mean} ± {std} %", mean=mean.values["value"], std=percent(summary.std, summary.std_resolution).values["value"]
    )


def _computed(accuracies: list[float] | tuple[float, ...]) -> Message:
    return say(
        "{mean:.2f} % with a standard deviation of {population:.2f} (population form) or {sample:.2f} (sample form)",
        mean=fmean(accuracies),
        population=pstdev(accuracies),
        sample=stdev(accuracies),
    )

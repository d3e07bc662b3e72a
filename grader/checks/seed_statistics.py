"""Do the stated average and standard deviation follow from the seeds' accuracies?"""

from collections.abc import Iterator
from decimal import Decimal
from statistics import fmean, pstdev, stdev

from grader.checks.check import Conclusion, check
from grader.checks.experiment import TEST, VALID, Report, mean_fits, percent, report_of, stated, std_fits, values
from grader.checks.finding import Diagnosis, Expected, Finding, Flag, Severity, Status
from grader.checks.grim import is_possible_mean
from grader.checks.logged_statistics import SELECTED, Selection, logged_series
from grader.checks.std_unit import is_impossible, is_unit_slip
from grader.checks.validation_grid import validation_doubt
from grader.claims.accuracy import Statistic, Summary
from grader.claims.answer import Answer
from grader.frozen import Frozen
from grader.lab.definition import Lab
from grader.lab.truth import GroundTruth
from grader.message import Message, Words, joined, say, say_data

_SLIPS = (Decimal(100), Decimal("0.01"))
"""What a deviation is off by when it is a fraction beside a percentage, or the other way round."""


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
    """The average and standard deviation are stated and follow from the seeds' accuracies."""
    report = report_of(experiment, answer, lab)
    finding = Finding(item=item, status=Status.REVIEW, evidence=report.evidence)
    if report.is_empty:
        yield finding.but(status=Status.MISSING, feedback=say("Nothing was found about this experiment."))
        return
    headline = report.headline
    if headline is None:
        yield _not_stated(finding, report, answer, lab)
        return
    matches = [match for summary in report.preferred_summaries for match in _matches(summary, report, lab)]
    if not matches:
        yield from _not_recomputable(finding, headline, lab)
        return
    best = max(matches, key=lambda match: match.rank)
    finding = finding.but(
        found=_stated(best.summary),
        expected=Expected(text=_computed(best.accuracies)),
        evidence=best.summary.evidence + tuple(claim.evidence for claim in report.of_split(best.split)),
    )
    doubt = validation_doubt(experiment, answer, truth, lab) if require_split == TEST and best.split != VALID else None
    if doubt:
        yield doubt.flag
        yield finding.but(suggestion=Status.PARTIAL, feedback=doubt.message)
    else:
        yield from _judged(finding, best, report, lab, require_split)


def _matches(summary: Summary, report: Report, lab: Lab) -> Iterator[_Match]:
    """The summary against the seeds as reported, else as logged."""
    series = [(tuple(values(group)), group[0].split) for group in report.series() if len(group) >= lab.seeds]
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


def _judged(
    finding: Finding, match: _Match, report: Report, lab: Lab, require_split: str | None
) -> Iterator[Conclusion]:
    if match.mean_fits and match.summary.std is None and report.mentions_deviation:
        yield finding.but(
            suggestion=Status.PARTIAL,
            feedback=say(
                "The average follows from the seeds; the deviation that the text speaks of was not understood."
            ),
        )
    elif match.mean_fits and match.summary.std is None:
        yield finding.but(
            status=Status.PARTIAL,
            diagnoses=(Diagnosis(id="no-std", text=say("The standard deviation is not stated.")),),
            feedback=say("The average follows from the seeds; the standard deviation is not stated."),
        )
    elif match.mean_fits and match.std_fits:
        yield _fitting(finding, match, report, lab, require_split)
    else:
        yield from _mismatch(finding, match)


def _fitting(finding: Finding, match: _Match, report: Report, lab: Lab, require_split: str | None) -> Finding:
    right = say("The average and standard deviation follow from the seeds' accuracies.")
    if match.selection:
        right = say(
            "The average and standard deviation follow from the logs: they are of {accuracies}.",
            accuracies=SELECTED[match.selection],
        )
    if require_split is None or match.split == require_split:
        return finding.but(status=Status.CORRECT, feedback=right)
    if match.split is None:
        unsaid = say("The text does not say whether they are of the {split} set.", split=say_data(require_split))
        return finding.but(suggestion=Status.CORRECT, feedback=joined(" ", (right, unsaid)))
    text = say(
        "They are of the {given} set; the {asked} set was asked for.",
        given=say_data(match.split),
        asked=say_data(require_split),
    )
    if any(report.has_figure_of(split) for split in lab.splits if split.id == require_split):
        more = say("The text may give a {split} figure.", split=say_data(require_split))
        return finding.but(suggestion=Status.PARTIAL, feedback=joined(" ", (right, text, more)))
    return finding.but(
        status=Status.PARTIAL,
        diagnoses=(Diagnosis(id=f"{match.split}-only", text=text),),
        feedback=joined(" ", (right, text)),
    )


def _mismatch(finding: Finding, match: _Match) -> Iterator[Conclusion]:
    slip = match.mean_fits and match.std_unit_slip
    flag = "std-unit" if slip else "statistics-mismatch"
    message = say(
        "Stated: {stated}. The seeds' accuracies give {computed}.",
        stated=_stated(match.summary),
        computed=_computed(match.accuracies),
    )
    if slip:
        units = say("The standard deviation and the average are in different units: a fraction and a percentage.")
        message = joined(" ", (message, units))
    yield Flag(id=flag, severity=Severity.WARNING, message=message, evidence=match.summary.evidence)
    yield finding.but(
        suggestion=Status.PARTIAL,
        diagnoses=(Diagnosis(id=flag, text=message),),
        feedback=message,
    )


def _not_stated(finding: Finding, report: Report, answer: Answer, lab: Lab) -> Finding:
    series = next((group for group in report.series() if len(group) >= lab.seeds), None)
    finding = finding.but(expected=Expected(text=_computed(values(series))) if series else None)
    course = [point for point in answer.accuracies.course if point.experiment == report.experiment]
    means = tuple(dict.fromkeys(point.evidence for point in course if point.statistic is Statistic.MEAN))
    if means:
        return finding.but(
            evidence=means,
            suggestion=Status.PARTIAL,
            feedback=say("Averages are given for single epochs, none for the selected checkpoints."),
        )
    return finding.but(
        suggestion=Status.INCORRECT,
        feedback=say("No average over the seeds was found in the text; a person looks whether a figure shows it."),
    )


def _not_recomputable(finding: Finding, summary: Summary, lab: Lab) -> Iterator[Conclusion]:
    complete = summary.std is not None
    finding = finding.but(
        found=_stated(summary),
        evidence=summary.evidence,
        suggestion=Status.CORRECT if complete else Status.PARTIAL,
        feedback=say(
            "The accuracies of the single seeds were not found in the text or in logs, so the statistics could not be "
            "recomputed; a person looks at the figures."
        ),
        note=_impossible(summary, lab),
    )
    if complete and is_unit_slip(summary):
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
            finding = finding.but(suggestion=Status.PARTIAL, feedback=message, diagnoses=told)
    yield finding


def _impossible(summary: Summary, lab: Lab) -> Words:
    """For staff: that no accuracies of the lab's seeds have the stated average."""
    figures = stated(summary)
    sets = [split for split in lab.splits if summary.split in (None, split.id)]
    if figures is None or any(is_possible_mean(figures, split.examples, lab.seeds) for split in sets):
        return ""
    return say(
        "No {seeds} accuracies on {sizes} examples have this average: it is of something else, or misread.",
        seeds=lab.seeds,
        sizes=joined(say(" or "), (say("{size:,}", size=split.examples) for split in sets)),
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

"""Do the stated average and standard deviation follow from the seeds' accuracies?"""

from collections.abc import Iterator
from decimal import Decimal
from statistics import fmean, pstdev, stdev

from grader.checks.check import Conclusion, check
from grader.checks.experiment import TEST, VALID, Report, mean_fits, percent, report_of, std_fits, values
from grader.checks.finding import Diagnosis, Expected, Finding, Flag, Severity, Status
from grader.checks.validation_grid import looks_like_validation, validation_flag
from grader.claims.accuracy import Summary
from grader.claims.answer import Answer
from grader.frozen import Frozen
from grader.lab.definition import Lab


class _Match(Frozen):
    """A summary held against one series of accuracies."""

    summary: Summary
    accuracies: tuple[float, ...]
    split: str | None
    mean_fits: bool
    std_fits: bool
    std_unit_slip: bool

    @property
    def rank(self) -> tuple[bool, bool, bool]:
        """How well they fit; the greater the better."""
        return self.mean_fits and self.std_fits, self.mean_fits, self.std_fits


@check("seed-statistics")
def seed_statistics(
    answer: Answer, lab: Lab, *, item: str, experiment: str, require_split: str | None = None
) -> Iterator[Conclusion]:
    """The average and standard deviation are stated and follow from the seeds' accuracies."""
    report = report_of(experiment, answer, lab)
    finding = Finding(item=item, status=Status.REVIEW, evidence=report.evidence)
    if report.is_empty:
        yield finding.but(status=Status.MISSING, feedback="Nothing was found about this experiment.")
        return
    if not report.preferred_summaries:
        yield _not_stated(finding, report, lab)
        return
    matches = [match for summary in report.preferred_summaries for match in _matches(summary, report, lab)]
    if not matches:
        yield _not_recomputable(finding, report.preferred_summaries[-1])
        return
    best = max(matches, key=lambda match: match.rank)
    finding = finding.but(
        found=_stated(best.summary),
        expected=Expected(text=_computed(best.accuracies)),
        evidence=best.summary.evidence + tuple(claim.evidence for claim in report.of_split(best.split)),
    )
    series = report.of_split(best.split)
    if require_split == TEST and best.split != VALID and looks_like_validation(series, lab):
        flag = validation_flag(series, lab)
        yield flag
        yield finding.but(suggestion=Status.PARTIAL, feedback=flag.message)
    else:
        yield from _judged(finding, best, report, lab, require_split)


def _matches(summary: Summary, report: Report, lab: Lab) -> Iterator[_Match]:
    series = [(tuple(values(group)), group[0].split) for group in report.series() if len(group) >= lab.seeds]
    logged = [run.at_best_valid[0].value for run in report.runs if run.at_best_valid]
    if not series and len(logged) >= lab.seeds:
        series = [(tuple(logged), TEST)]
    for accuracies, split in series:
        if summary.split in (None, split) or split is None:
            yield _match(summary, accuracies, split or summary.split)


def _match(summary: Summary, accuracies: tuple[float, ...], split: str | None) -> _Match:
    numbers = list(accuracies)
    std, resolution = summary.std, summary.std_resolution
    return _Match(
        summary=summary,
        accuracies=accuracies,
        split=split,
        mean_fits=summary.mean is not None and mean_fits(summary.mean, summary.mean_resolution, numbers),
        std_fits=std is not None and std_fits(std, resolution, numbers),
        std_unit_slip=std is not None and std < 1 and std_fits(std * 100, resolution * 100, numbers),
    )


def _judged(
    finding: Finding, match: _Match, report: Report, lab: Lab, require_split: str | None
) -> Iterator[Conclusion]:
    if match.mean_fits and match.summary.std is None and report.mentions_deviation:
        yield finding.but(
            suggestion=Status.PARTIAL,
            feedback="The average follows from the seeds; the deviation that the text speaks of was not understood.",
        )
    elif match.mean_fits and match.summary.std is None:
        yield finding.but(
            status=Status.PARTIAL,
            diagnoses=(Diagnosis(id="no-std", text="The standard deviation is not stated."),),
            feedback="The average follows from the seeds; the standard deviation is not stated.",
        )
    elif match.mean_fits and match.std_fits:
        yield _fitting(finding, match, report, lab, require_split)
    else:
        yield from _mismatch(finding, match)


def _fitting(finding: Finding, match: _Match, report: Report, lab: Lab, require_split: str | None) -> Finding:
    right = "The average and standard deviation follow from the seeds' accuracies."
    if require_split is None or match.split == require_split:
        return finding.but(status=Status.CORRECT, feedback=right)
    if match.split is None:
        note = f"{right} The text does not say whether they are of the {require_split} set."
        return finding.but(suggestion=Status.CORRECT, feedback=note)
    text = f"They are of the {match.split} set; the {require_split} set was asked for."
    if any(report.has_figure_of(split) for split in lab.splits if split.id == require_split):
        return finding.but(
            suggestion=Status.PARTIAL, feedback=f"{right} {text} The text may give a {require_split} figure."
        )
    return finding.but(
        status=Status.PARTIAL,
        diagnoses=(Diagnosis(id=f"{match.split}-only", text=text),),
        feedback=f"{right} {text}",
    )


def _mismatch(finding: Finding, match: _Match) -> Iterator[Conclusion]:
    slip = match.mean_fits and match.std_unit_slip
    flag = "std-unit" if slip else "statistics-mismatch"
    message = f"Stated: {_stated(match.summary)}. The seeds' accuracies give {_computed(match.accuracies)}."
    if slip:
        message += " The standard deviation is written as a fraction beside an average in percent."
    yield Flag(id=flag, severity=Severity.WARNING, message=message, evidence=match.summary.evidence)
    yield finding.but(
        suggestion=Status.PARTIAL,
        diagnoses=(Diagnosis(id=flag, text=message),),
        feedback=message,
    )


def _not_stated(finding: Finding, report: Report, lab: Lab) -> Finding:
    series = next((group for group in report.series() if len(group) >= lab.seeds), None)
    return finding.but(
        expected=Expected(text=_computed(values(series))) if series else None,
        suggestion=Status.INCORRECT,
        feedback="No average over the seeds was found in the text; a person looks whether a figure shows it.",
    )


def _not_recomputable(finding: Finding, summary: Summary) -> Finding:
    complete = summary.std is not None
    return finding.but(
        found=_stated(summary),
        evidence=summary.evidence,
        suggestion=Status.CORRECT if complete else Status.PARTIAL,
        feedback="The accuracies of the single seeds were not found in the text or in logs, so the statistics "
        "could not be recomputed; a person looks at the figures.",
    )


def _stated(summary: Summary) -> str:
    mean = percent(summary.mean or Decimal(0), summary.mean_resolution)
    if summary.std is None:
        return mean
    return f"{mean.removesuffix(' %')} ± {percent(summary.std, summary.std_resolution)}"


def _computed(accuracies: list[float] | tuple[float, ...]) -> str:
    forms = f"{pstdev(accuracies):.2f} (population form) or {stdev(accuracies):.2f} (sample form)"
    return f"{fmean(accuracies):.2f} % with a standard deviation of {forms}"

"""Does the reported average lie where reruns and published logs put it?"""

from collections.abc import Iterator
from statistics import fmean

from grader.checks.check import Conclusion, check
from grader.checks.experiment import TEST, VALID, Report, report_of, values
from grader.checks.finding import Diagnosis, Expected, Finding, Flag, Severity, Status
from grader.checks.validation_grid import looks_like_validation, validation_flag
from grader.claims.answer import Answer
from grader.frozen import Frozen
from grader.lab.definition import Lab
from grader.lab.truth import Band, GroundTruth
from grader.reading.evidence import Evidence


class _Average(Frozen):
    """An average over the seeds in percent, the split it is of, and where it, or what it is the average of, stands."""

    value: float
    split: str | None
    evidence: tuple[Evidence, ...]


@check("accuracy-band")
def accuracy_band(
    answer: Answer, truth: GroundTruth, lab: Lab, *, item: str, experiment: str, require_split: str | None = None
) -> Iterator[Conclusion]:
    """The average lies in the expected band for its split."""
    report = report_of(experiment, answer, lab)
    average = _average(report, lab)
    if average is None:
        yield _without_average(item, report)
        return
    bands = truth.bands_of(experiment, average.split or TEST)
    finding = Finding(
        item=item,
        status=Status.REVIEW,
        found=f"{average.value:.2f} %",
        expected=Expected(text="; ".join(_shown(band) for band in bands), truths=tuple(band.id for band in bands)),
        evidence=average.evidence,
    )
    inside = next((band for band in bands if _within(average.value, band.inner)), None)
    near = next((band for band in bands if _within(average.value, band.outer)), None)
    if not bands or not (inside or near):
        yield from _outside(finding, average, bands)
    elif require_split and average.split == VALID != require_split:
        text = f"The average is of the {average.split} set; the {require_split} set was asked for."
        yield finding.but(
            status=Status.PARTIAL,
            diagnoses=(Diagnosis(id="valid-only", text=text),),
            feedback=f"The average is plausible. {text}",
        )
    elif require_split == TEST and looks_like_validation(report.of_split(average.split), lab):
        flag = validation_flag(report.of_split(average.split), lab)
        yield flag
        yield finding.but(suggestion=Status.PARTIAL, feedback=flag.message)
    else:
        where = "inside the expected band" if inside else "outside the expected band, but inside the wider one"
        yield finding.but(
            status=Status.CORRECT,
            feedback=f"The average lies {where}.",
            confidence=1.0 if inside and average.split else 0.8,
        )


def _average(report: Report, lab: Lab) -> _Average | None:
    if report.preferred_summaries:
        summary = report.preferred_summaries[-1]
        return _Average(value=float(summary.mean or 0), split=summary.split, evidence=summary.evidence)
    for group in report.series():
        if len(group) >= lab.seeds:
            places = tuple(dict.fromkeys(claim.evidence for claim in group))
            return _Average(value=fmean(values(group)), split=group[0].split, evidence=places)
    return None


def _without_average(item: str, report: Report) -> Finding:
    if report.is_empty:
        return Finding(item=item, status=Status.MISSING, feedback="Nothing was found about this experiment.")
    return Finding(
        item=item,
        status=Status.REVIEW,
        evidence=report.evidence,
        suggestion=Status.INCORRECT,
        feedback="No average was found in the text; a person looks whether a figure shows it.",
    )


def _outside(finding: Finding, average: _Average, bands: tuple[Band, ...]) -> Iterator[Conclusion]:
    message = f"The average {average.value:.2f} % lies outside every expected band; the training logs would tell why."
    if bands:
        yield Flag(id="outside-band", severity=Severity.WARNING, message=message, evidence=average.evidence)
    yield finding.but(
        suggestion=Status.INCORRECT if bands else None,
        diagnoses=(Diagnosis(id="outside-band", text=message),) if bands else (),
        feedback=message if bands else "No band is known for this average.",
    )


def _within(value: float, interval: tuple[float, float] | None) -> bool:
    return interval is not None and interval[0] <= round(value, 2) <= interval[1]


def _shown(band: Band) -> str:
    low, high = band.inner or band.outer
    schedule = f"learning rate to zero at {band.schedule} updates" if band.schedule else "any schedule"
    return f"{low:g} to {high:g} % on {band.split} ({schedule})"

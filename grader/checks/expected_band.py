"""The check `expected-band`: the reported average lies in the range that reruns and published logs show."""

from collections.abc import Iterator, Sequence
from itertools import chain
from statistics import fmean

from grader.checks.check import Conclusion, check
from grader.checks.decide import with_verdict
from grader.checks.experiment import Report, concluded_without, report_of, values
from grader.checks.feedback import NO_RESULT, Reason
from grader.checks.finding import Diagnosis, ExpectedAnswer, Finding, Flag, Severity, Status
from grader.checks.hyperparameters import is_near, wanted_of
from grader.checks.log_agreement import Selection, logged_series
from grader.checks.validation_grid import validation_doubt
from grader.claims.answer import Answer
from grader.frozen import Frozen
from grader.lab.definition import Lab
from grader.lab.truth import Band, GroundTruth
from grader.message import Message, join_messages, say, say_data, say_values
from grader.reading.document import Evidence


class _Average(Frozen):
    """An average over the runs, its split, and the places where it, or its values, are stated."""

    value: float
    split: str | None
    evidence: tuple[Evidence, ...]


@check("expected-band")
def expected_band(
    answer: Answer,
    truth: GroundTruth,
    lab: Lab,
    *,
    item: str,
    experiment: str,
    measure: str | None = None,
    split: str | None = None,
    require_split: str | None = None,
) -> Iterator[Conclusion]:
    """The average lies in the expected band for its split.

    - `experiment`: the experiment.
    - `measure`, `split`, `require_split`: what is asked for, if not the lab's usual measure and split.

    Decides: an average within the band is `correct`.

    Leaves to people: averages outside the band or of an unknown split, and experiments without a band.
    """
    report = report_of(experiment, answer, lab, measure, split)
    averages = [candidate for candidate in (_average(report),) if candidate] or _logged_averages(report)
    if not averages:
        finding = Finding(
            item=item, status=Status.REVIEW, evidence=tuple(dict.fromkeys((*report.evidence, *report.loose)))
        )
        if report.is_empty:
            yield concluded_without(finding.with_changes(evidence=()), report, answer, lab, NO_RESULT)
        else:
            few = say("No average is stated, and too few single results are shown to compute one.")
            yield with_verdict(finding, Status.MISSING, "", Reason(few, is_likely=False))
        return
    # If several epochs are equally good by validation, each may be the selected one.
    average = next((candidate for candidate in averages if _is_expected(candidate, report, truth)), averages[0])
    doubt = None if average.split == report.selecting else validation_doubt(report, answer, truth, lab)
    schedules = {run.schedule.total_updates for run in report.runs if run.schedule}
    on = report.selecting if doubt else average.split or report.split
    bands = _of_schedules(report.bands(truth, on), schedules)
    finding = Finding(
        item=item,
        status=Status.REVIEW,
        found=report.format_computed(average.value),
        expected=ExpectedAnswer(
            text=join_messages(say("; "), (_shown(band, report) for band in bands)),
            truths=tuple(band.id for band in bands),
        ),
        evidence=average.evidence,
    )
    inside = [band for band in bands if _within(average.value, band.inner, report)]
    near = [band for band in bands if _within(average.value, band.outer, report)]
    if not (inside or near):
        fitting = [
            say_data(other.title)
            for other in lab.experiments
            if other.id != experiment
            and any(
                _within(average.value, band.outer, report)
                for band in truth.bands_of(other.id, average.split or report.split or "")
            )
        ]
        yield from _outside(finding, average, bands, report, fitting)
    elif require_split and average.split == report.selecting != require_split:
        text = report.of_other_split(average.split, require_split)
        message = say("The average is plausible. {but}", but=text)
        yield with_verdict(
            finding.with_changes(diagnoses=(Diagnosis(id="valid-only", text=text),)), Status.PARTIAL, message
        )
    elif doubt and require_split == report.split:
        yield doubt.flag
        yield with_verdict(finding.with_changes(note=doubt.how_sure), Status.PARTIAL, "", Reason(doubt.message))
    else:
        if not schedules and not doubt:
            yield from _unusual(average, near, bands, wanted_of(lab, experiment).schedules, report)
        judged = _consistent(finding, average, inside, near, report, is_doubted=bool(doubt))
        yield judged.with_changes(feedback=join_messages(" ", (doubt.message, judged.feedback))) if doubt else judged


def _of_schedules(bands: tuple[Band, ...], schedules: set[int]) -> tuple[Band, ...]:
    """Return the bands of the schedules in the logs. If the logs show none, or one without a band, return all bands."""
    known_bands = tuple(band for band in bands if band.schedule is not None)
    near = [[band for band in known_bands if is_near(total, band.schedule or 0)] for total in schedules]
    if near and all(near):
        logged = [*chain.from_iterable(near)]
        return tuple(band for band in known_bands if band in logged)
    return known_bands or bands


def _unusual(
    average: _Average, fitting: list[Band], bands: tuple[Band, ...], schedules: tuple[int, ...], report: Report
) -> Iterator[Flag]:
    """Yield a remark if an average fits, but not with the lab's first schedule."""
    usual = [band for band in bands if band.schedule and schedules and is_near(band.schedule, schedules[0])]
    if usual and not any(_within(average.value, band.outer, report) for band in usual):
        message = say(
            "The average {average} lies outside {usual}; it fits {fitting}. The training logs would show which "
            "schedule was used.",
            average=report.format_computed(average.value),
            usual=_shown(usual[0], report, outer=True),
            fitting=_shown(fitting[0], report, outer=True),
        )
        yield Flag(id="outside-band", severity=Severity.INFO, message=message, evidence=average.evidence)


def _consistent(
    finding: Finding, average: _Average, inside: list[Band], near: list[Band], report: Report, *, is_doubted: bool
) -> Finding:
    """Return the verdict on an average inside a band. Few set-ups are known, so the 99 % interval counts as well."""
    band = (inside or near)[0]
    is_told = average.split is not None and not is_doubted
    return with_verdict(
        finding,
        Status.CORRECT,
        say("The average lies inside {range}.", range=_shown(band, report, outer=not inside)),
        note="" if inside else say("Outside the 95 % interval, inside the 99 % one."),
        confidence=1.0 if inside and is_told and average.split else 0.8,
    )


def _average(report: Report) -> _Average | None:
    """Return the stated average, or else the average of the first complete series, or None."""
    summary = report.headline
    if summary:
        return _Average(value=float(summary.mean or 0), split=summary.split, evidence=summary.evidence)
    for group in report.series():
        if len(group) >= report.number:
            places = tuple(dict.fromkeys(claim.evidence for claim in group))
            return _Average(value=fmean(values(group)), split=group[0].split, evidence=places)
    return None


def _logged_averages(report: Report) -> list[_Average]:
    """Return the averages of the logged values of the selected checkpoints, if the text states no result."""
    if report.seeds or any(summary.mean is not None for summary in report.summaries):
        return []
    places = tuple(point.evidence for run in report.runs for point in run.at_best[:1])
    series = [logged for selection, logged in logged_series(report) if selection is Selection.BEST]
    return [_Average(value=fmean(logged), split=report.split, evidence=places) for logged in series]


def _is_expected(average: _Average, report: Report, truth: GroundTruth) -> bool:
    bands = report.bands(truth, average.split or report.split)
    return any(_within(average.value, band.outer, report) for band in bands)


def _outside(
    finding: Finding, average: _Average, bands: tuple[Band, ...], report: Report, fitting: Sequence[Message]
) -> Iterator[Conclusion]:
    """Yield the verdict on an average outside all bands: review with a flag, because few set-ups are known. `fitting`
    are the titles of the other experiments whose bands hold it."""
    if not bands:
        reason = Reason(say("No band is known for this average."), is_likely=False)
        yield with_verdict(finding, Status.CORRECT, "", reason)
        return
    expected = join_messages(say("; "), (_shown(band, report, outer=True) for band in bands))
    message = say(
        "The average {average} lies outside the expected range: {expected}. The training logs may show why.",
        average=report.format_computed(average.value),
        expected=expected,
    )
    other = (
        say("Such an average is expected for: {experiments}.", experiments=join_messages("; ", fitting))
        if fitting
        else ""
    )
    message = join_messages(" ", filter(None, (message, other)))
    yield Flag(id="outside-band", severity=Severity.WARNING, message=message, evidence=average.evidence)
    finding = finding.with_changes(diagnoses=(Diagnosis(id="outside-band", text=message),))
    # Reports show the expected values beside the reason.
    short = say("The average {average} lies outside the expected range.", average=report.format_computed(average.value))
    outside = join_messages(" ", filter(None, (short, other)))
    yield with_verdict(finding, Status.CORRECT, "", Reason(outside, is_likely=False))


def _within(value: float, interval: tuple[float, float] | None, report: Report) -> bool:
    shown = round(value, 2) if report.measure.is_share else value
    return interval is not None and interval[0] <= shown <= interval[1]


def _shown(band: Band, report: Report, *, outer: bool = False) -> Message:
    low, high = band.outer if outer else band.inner or band.outer
    share = say("{share} % of averages", share=99 if (low, high) == band.outer else 95)
    known_message = say("if the learning rate reaches zero after {updates} updates", updates=band.schedule)
    schedule = known_message if band.schedule else say("any schedule")
    interval = say("{low:g} to {high:g}{unit}", low=low, high=high, unit=report.measure.behind)
    on = say(" on {split}", split=report.split_name(band.split))
    return say_values("{interval}{on} ({share}, {schedule})", interval=interval, on=on, share=share, schedule=schedule)

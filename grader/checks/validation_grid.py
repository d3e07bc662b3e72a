"""Detect results that were reported as test results but come from the split that selects checkpoints.

That split is small, so its accuracies lie on a coarse grid: on 200 examples, every accuracy is a multiple of 0.5 %.
`validation_doubt` first looks in the logs. Otherwise it estimates a probability from three things: how often results of
the other split would lie on the grid by chance, where the average lies, and what the other experiments show.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from itertools import combinations, groupby
from math import exp, pi, prod, sqrt
from statistics import fmean

from grader.checks.experiment import Report, chance, report_of, resolution_of, stated_mean, triples, values
from grader.checks.feedback import left_to_person
from grader.checks.finding import Diagnosis, Finding, Flag, Severity, Status
from grader.checks.log_agreement import Place, Selection, locate_results, selection_of, with_courses
from grader.claims.answer import Answer
from grader.claims.numerals import numerals
from grader.claims.passage import Passage
from grader.claims.results.claimed import RunResult, Summary, mean_fits, std_fits
from grader.claims.results.vocabulary import Kind, mentions
from grader.frozen import Frozen
from grader.lab.definition import Lab
from grader.lab.truth import Band, GroundTruth
from grader.message import Message, Words, join_messages, say, say_values
from grader.reading.document import BlockKind, Evidence

FLAG = "validation-reported-as-test"

_BEFORE, _BEFORE_IN_ONE = 0.2, 0.1
"""Prior probabilities that results are of validation: in all experiments, or in one experiment although another one's
results are not. Both are guesses, which the evidence outweighs."""

_SURE = 0.9
_CERTAIN = 0.95
_WIDTH = 2 * 2.2
"""The width of a 95 % interval from few degrees of freedom, in standard deviations."""


class Doubt(Frozen):
    """The suspicion that an experiment's results are of the split that selects checkpoints."""

    sure: float
    """The probability that the suspicion is right, from 0 to 1."""
    message: Words
    evidence: tuple[Evidence, ...]
    is_shown: bool = False
    """Whether the submission's own logs or numbers show it, so that it does not rest on a probability."""

    @property
    def how_sure(self) -> Message:
        """The message with the probability, for staff. No probability above 99 % is shown, because it rests on
        guesses."""
        sure = say("How sure: {share:.0%}.", share=self.sure)
        if self.sure >= 0.99:
            sure = say("How sure: {share:.0%} or more.", share=0.99)
        return join_messages(" ", (self.message, sure))

    @property
    def flag(self) -> Flag:
        """The flag for this suspicion."""
        return Flag(id=FLAG, severity=Severity.WARNING, message=self.message, evidence=self.evidence)


class _Trace(Frozen):
    """The evidence that the grid gives about one experiment's results."""

    ratio: float
    """The likelihood of the results on the split that selects, divided by their likelihood on the split that is asked
    for. It is 0 if they cannot be of the split that selects."""
    message: Words = ""
    evidence: tuple[Evidence, ...] = ()


def validation_doubt(report: Report, answer: Answer, truth: GroundTruth, lab: Lab) -> Doubt | None:
    """Return the suspicion that an experiment's results are of the split that selects, or None.

    Only results that the text does not assign to that split are examined. Logs are examined first, then the grid. The
    result is None if there is no reason for suspicion, or if the text also gives other results for the split that
    selects.
    """
    if report.selecting is None or report.split in (None, report.selecting):
        return None
    claimed = report.asked
    shown = report if report.runs else with_courses(report, answer)
    if shown.runs:
        complete = len(claimed) >= report.number
        by_logs = _by_logs(claimed, shown, is_logged=shown is report) if complete else _summary_by_logs(report)
        if by_logs or _is_of_test(claimed, shown):
            return by_logs
    selecting = report.of_split(report.selecting)
    if quoted := _quoted(report, answer, lab):
        return quoted
    if selecting:
        repeated = _repeated(report, lab) or _averaged(report)
        if repeated or not claimed or _are_told_apart(claimed, selecting):
            return repeated
    if not report.measure.is_counted or _are_printed(report, answer, lab) or _are_counted(report, lab):
        return None
    rounded = _roundings(answer, lab)
    reports = [
        report_of(experiment.id, answer, lab, report.measure.id, report.split)
        for experiment in lab.experiments
        if experiment.id != report.experiment and report.measure in lab.measures_of(experiment.id)
    ]
    written = min(
        (max(float(claim.resolution) for claim in candidate.asked) for candidate in reports if candidate.asked),
        default=1.0,
    )
    own_trace = _trace(report, truth, lab, rounded, written)
    if own_trace is None or not own_trace.ratio:
        return None
    others = [_trace(candidate, truth, lab, rounded) for candidate in reports]
    sure = _sure(own_trace, [other for other in others if other])
    if sure < _SURE:
        return None
    return Doubt(sure=sure, message=own_trace.message, evidence=own_trace.evidence)


def with_suspicion(finding: Finding, doubt: Doubt, *, is_told: bool) -> Finding:
    """Return the finding on results that seem to be of the split that selects.

    The finding is `incorrect` if the suspicion is shown by the submission or nearly certain, otherwise it stays for
    review. `is_told`: the text says that validation selected the checkpoint. Then a marker decides which of the two is
    wrong.
    """
    finding = finding.with_changes(
        evidence=tuple(dict.fromkeys((*finding.evidence, *doubt.evidence))),
        diagnoses=(Diagnosis(id=doubt.flag.id, text=doubt.message),),
        feedback=doubt.message,
        note=doubt.how_sure,
    )
    if doubt.is_shown:
        return finding.with_changes(status=Status.INCORRECT, confidence=1)
    if doubt.sure >= _CERTAIN and not is_told:
        certain = say(
            "Together with the figures of the other experiments, this is at least {share:.0f} % certain.",
            share=100 * _CERTAIN,
        )
        text = join_messages(" ", (doubt.message, certain))
        return finding.with_changes(status=Status.INCORRECT, confidence=doubt.sure, feedback=text)
    return finding.with_changes(suggestion=Status.INCORRECT, feedback=left_to_person(doubt.message))


def _are_printed(report: Report, answer: Answer, lab: Lab) -> bool:
    """Whether code or output that names the split that is asked for contains every result."""
    figures = {claim.value for claim in report.asked}
    printed = {
        number.value
        for section in answer.sections
        for block in section.passage.blocks
        if block.kind in (BlockKind.CODE, BlockKind.OUTPUT)
        and any(mention.value == report.split for mention in mentions(block.text, lab) if mention.kind is Kind.SPLIT)
        for number in numerals(block.text)
    }
    return bool(figures) and figures <= printed


def _are_counted(report: Report, lab: Lab) -> bool:
    """Whether each result stands beside its number of right examples on the split that is asked for.

    For example, `1590 of 2000, 79.5 %`.
    """
    size = lab.sizes.get(report.split or "", 0)
    return bool(report.asked) and all(
        any(number.value > 1 and number.value * 100 == claim.value * size for number in numerals(claim.evidence.quote))
        for claim in report.asked
    )


def _are_told_apart(claimed: Sequence[RunResult], valid: Sequence[RunResult]) -> bool:
    """Whether the split that selects has a result that differs from the claimed result of the same run."""
    values_by_seed = {
        claim.seed: {result.value for result in claimed if result.seed == claim.seed} for claim in claimed
    }
    every = set().union(*values_by_seed.values())
    return any(result.value not in values_by_seed.get(result.seed, every) for result in valid)


def _repeated(report: Report, lab: Lab) -> Doubt | None:
    """Return the suspicion that the results of every run are the same on both splits.

    The results must be possible on the split that selects.
    """
    valid, test = report.of_split(report.selecting), report.of_split(report.split)
    coarse = _step(report, report.selecting, lab)
    are_rounded = all(claim.resolution >= 1 for claim in test)  # rounded values may be equal by chance
    if len(test) < report.number or are_rounded or not _are_equal(valid, test):
        return None
    if coarse and not all(abs(value / coarse - round(value / coarse)) < 1e-6 for value in values(test)):
        return None
    return _same(report, (claim.evidence for claim in (*valid, *test)))


def _are_equal(valid: Sequence[RunResult], test: Sequence[RunResult]) -> bool:
    """Whether two lists give the same value for each run. If only one list names its runs, the lists are compared in
    order."""
    if {claim.seed for claim in valid} == {claim.seed for claim in test}:
        return {(claim.seed, claim.value) for claim in valid} == {(claim.seed, claim.value) for claim in test}
    return [claim.value for claim in valid] == [claim.value for claim in test]


def _same(report: Report, places: Iterable[Evidence]) -> Doubt:
    """Return the suspicion that the same results are given for both splits."""
    return Doubt(
        sure=0.99,
        message=say("The same figures are given for {selecting} and for {split} of all {runs}.", **report.named),
        evidence=tuple(dict.fromkeys(places)),
        is_shown=True,
    )


def _quoted(report: Report, answer: Answer, lab: Lab) -> Doubt | None:
    """Return the suspicion that the results are copied from lines of output that name only the split that selects.

    There must be one line for each run, and the lines must be consecutive.
    """
    wanted = [claim.value for claim in report.asked]
    if len(wanted) < report.number or len(set(wanted)) < _FEWEST:
        return None
    for section in answer.sections:
        for is_such, group in groupby(_lines_of(section.passage, report.selecting, lab), key=bool):
            lines = list(filter(None, group)) if is_such else []
            pairs = zip(wanted, lines, strict=False)
            if len(lines) == len(wanted) and all(value in values for value, (values, _) in pairs):
                return _same(report, (*(claim.evidence for claim in report.asked), *(place for _, place in lines)))
    return None


def _lines_of(passage: Passage, split: str | None, lab: Lab) -> Iterator[tuple[set[Decimal], Evidence] | None]:
    """Yield the numbers and the place of each block that is code or output and names only this split; None for
    others."""
    for index, block in enumerate(passage.blocks):
        named = {mention.value for mention in mentions(block.text, lab) if mention.kind is Kind.SPLIT}
        if block.kind in (BlockKind.CODE, BlockKind.OUTPUT) and named == {split}:
            start = passage.offset_of(index)
            yield {number.value for number in numerals(block.text)}, passage.evidence(start, start + len(block.text))
        else:
            yield None


def _averaged(report: Report) -> Doubt | None:
    """Return the suspicion that the only average of the split that is asked for follows from values of the split that
    selects."""
    valid = report.of_split(report.selecting)
    stated_ones = [
        summary for summary in report.summaries if summary.mean is not None and summary.split != report.selecting
    ]
    if len(valid) < max(report.number, 2) or report.of_split(report.split) or len(stated_ones) != 1:
        return None
    (own_summary,) = stated_ones
    if own_summary.split != report.split or not _follows(own_summary, values(valid)):
        return None
    return Doubt(
        sure=0.98,
        message=averaged_there(report),
        evidence=tuple(dict.fromkeys((*own_summary.evidence, *(claim.evidence for claim in valid)))),
        is_shown=True,
    )


def _follows(summary: Summary, numbers: Sequence[float]) -> bool:
    """Whether an average and its deviation follow from some values."""
    mean, std = summary.mean, summary.std
    if mean is None or std is None or len(numbers) < _FEWEST:
        return False
    return mean_fits(mean, summary.mean_resolution, numbers) and std_fits(std, summary.std_resolution, numbers)


_FEWEST = 2
"""The fewest values that have a deviation."""


def averaged_there(report: Report) -> Message:
    """Return the message that an average of the split that is asked for follows from the values of the split that
    selects."""
    return say("The average that is given for {split} is that of the values for {selecting}.", **report.named)


def _roundings(answer: Answer, lab: Lab) -> dict[str, float]:
    """Return the step to which each experiment's program rounds what it prints.

    Return no steps if some result in the submission is finer than its experiment's step.
    """
    steps = {experiment.id: experiment.rounding for experiment in lab.experiments if experiment.rounding is not None}
    is_finer = any(
        claim.experiment in steps and claim.split != lab.selecting and claim.value % steps[claim.experiment] != 0
        for claim in answer.results.seeds
    )
    return {} if is_finer else {name: float(step) for name, step in steps.items()}


def _by_logs(claimed: tuple[RunResult, ...], report: Report, is_logged: bool) -> Doubt | None:
    """Return the suspicion that all results are the best logged ones of the split that selects.

    Return None if all of them are also logged for the split that is asked for. `is_logged`: the values come from logs,
    not from the values per epoch in the text.
    """
    as_valid = locate_results([claim.model_copy(update={"split": report.selecting}) for claim in claimed], report)
    shown = [(figure.claim, figure.point) for figure in as_valid if figure.is_right and figure.point]
    if len(shown) < report.number or len(shown) < len(claimed) or _is_of_test(claimed, report):
        return None
    message = join_messages(
        say("; "),
        (
            say(
                "{run} {number}: {value} is the best {measure} on {selecting}{where}",
                number=claim.seed,
                value=report.format_stated(claim.value, claim.resolution),
                where=say_values(" ({moment})", moment=point.moment) if is_logged else "",
                **report.named,
            )
            for claim, point in shown
        ),
    )
    text = say(
        "{source}, the reported figures are of {selecting}, not of {split}: {figures}.",
        source=say("As the logs show") if is_logged else say("As the values per epoch in the text show"),
        figures=message,
        **report.named,
    )
    places = (place for claim, point in shown for place in (claim.evidence, point.evidence))
    return Doubt(sure=0.99, message=text, evidence=tuple(dict.fromkeys(places)), is_shown=True)


def _is_of_test(claimed: tuple[RunResult, ...], report: Report) -> bool:
    """Whether the log shows all results, or without them the average, for the split that is asked for."""
    if len(claimed) >= report.number:
        return all(
            figure.place in (Place.AT_BEST, Place.AT_END, Place.ELSEWHERE) for figure in locate_results(claimed, report)
        )
    selections = [selection_of(summary, report) for summary in report.preferred_summaries]
    return any(selection not in (None, Selection.VALID) for selection in selections)


def _summary_by_logs(report: Report) -> Doubt | None:
    """Return the suspicion that an average follows only from the logged values of the split that selects.

    Averages that the text assigns to that split are not examined.
    """
    for summary in report.preferred_summaries:
        if summary.split != report.selecting and selection_of(summary, report) is Selection.VALID:
            message = say(
                "As the logs show, the average {average} is of the best values on {selecting}, not on {split}.",
                average=report.format_stated(summary.mean or Decimal(0), summary.mean_resolution),
                **report.named,
            )
            places = (*summary.evidence, *(point.evidence for run in report.runs for point in run.best_selecting[:1]))
            return Doubt(sure=0.97, message=message, evidence=tuple(dict.fromkeys(places)))
    return None


def _sure(own_trace: _Trace, others: Sequence[_Trace]) -> float:
    """Return the probability that the results are of the split that selects.

    Students who confuse the splits mostly do so in all experiments. If another experiment's results cannot be of that
    split, the confusion affects only this experiment or all experiments that it can affect; both are equally likely.
    """
    possible = prod(other.ratio for other in others if other.ratio)
    alone = any(other.ratio == 0 for other in others)
    before = _BEFORE_IN_ONE if alone else _BEFORE
    together = own_trace.ratio * ((1 + possible) / 2 if alone else possible)
    odds = before / (1 - before) * together
    return odds / (1 + odds)


def _trace(
    report: Report, truth: GroundTruth, lab: Lab, rounded: Mapping[str, float], written: float = 1.0
) -> _Trace | None:
    """Return the evidence of the grid about an experiment's results, or None if there is too little of them.

    Fewer values than were asked for can only show that the results are not of the split that selects. `written` is the
    unit, in percent, to which all results of another experiment are written.
    """
    claimed = report.asked
    of_series = _of_series(claimed, report, truth, lab, rounded, written) if claimed else None
    if len(claimed) >= report.number:
        return of_series
    if any(_follows(summary, values(claimed)) for summary in report.preferred_summaries):
        return None if of_series and of_series.ratio else of_series
    for summary in report.preferred_summaries:
        if summary.split != report.selecting and summary.std is not None:
            return _of_summary(summary, report, truth, lab)
    return None


def _of_series(
    claimed: tuple[RunResult, ...],
    report: Report,
    truth: GroundTruth,
    lab: Lab,
    rounded: Mapping[str, float],
    written: float,
) -> _Trace | None:
    """Return the evidence of the grid about the values of single runs.

    The probability that a value lies on the coarse grid by chance is the ratio of the two steps, or is limited by the
    number of digits. A student who writes more digits for another experiment did not round these values, unless the
    stated average shows otherwise.
    """
    coarse, fine = _step(report, report.selecting, lab), _step(report, report.split, lab)
    unit = resolution_of(claimed)
    if not coarse or not fine or unit >= coarse:
        return None
    fine = max(fine, rounded.get(report.experiment, 0.0))
    accuracies = values(claimed)
    if all(
        mean_fits(summary.mean, summary.mean_resolution, accuracies)
        for summary in report.preferred_summaries
        if summary.mean
    ):
        unit = min(unit, written)
    if _are_exact(accuracies, fine, report):
        unit = 0.0
    if not all(abs(value / coarse - round(value / coarse)) < 1e-6 for value in accuracies):
        return _Trace(ratio=0)
    by_chance = max(fine, unit) / coarse
    if by_chance >= 1:
        return None
    # Equal values, such as those of a model that learned nothing, count once.
    once = round(by_chance ** -len(set(accuracies)))
    return _Trace(
        ratio=once * _by_band(fmean(accuracies), report, truth),
        message=say(
            "All values given for {title} are multiples of {step:g} %, as every accuracy on {selecting} is. On {split} "
            "that would happen by chance only once in {times:,} times. So the values may be of {selecting}.",
            step=coarse,
            times=once,
            **report.named,
        ),
        evidence=tuple(dict.fromkeys(claim.evidence for claim in claimed)),
    )


def _are_exact(accuracies: Sequence[float], fine: float, report: Report) -> bool:
    """Whether a stated average shows that the values were not rounded.

    It does so if it follows from the values and is so fine that rounding one value by one step would change it.
    """
    steps = (
        (float(summary.mean), float(summary.mean_resolution))
        for summary in report.preferred_summaries
        if summary.mean is not None and summary.split != report.selecting
    )
    return any(unit < fine / len(accuracies) and abs(mean - fmean(accuracies)) < unit for mean, unit in steps)


def _of_summary(summary: Summary, report: Report, truth: GroundTruth, lab: Lab) -> _Trace | None:
    """Return the evidence of the grid about an average with its deviation."""
    coarse, fine = _step(report, report.selecting, lab), _step(report, report.split, lab)
    figures = stated_mean(summary)
    if not coarse or not fine or figures is None or report.number != 3 or figures.mean_unit >= fine:
        return None
    possible = triples(figures, round(100 / coarse))
    if not possible:
        return _Trace(ratio=0)
    by_chance = chance(figures, round(100 / coarse), round(100 / fine))
    shown = join_messages(
        say(" or "), (join_messages(", ", (say_values("{value:g}", value=v) for v in three)) for three in possible[:3])
    )
    return _Trace(
        ratio=_by_band(figures.mean, report, truth) / max(by_chance, 1e-3),
        message=say(
            "On {selecting}, the values {values} % have this average and this deviation. Of the averages and "
            "deviations that are possible on {split}, only about one pair in {times} is possible on {selecting}, too. "
            "So the figures may be of {selecting}.",
            values=shown,
            times=round(1 / max(by_chance, 1e-3)),
            **report.named,
        ),
        evidence=summary.evidence,
    )


def _step(report: Report, split: str | None, lab: Lab) -> float | None:
    """Return the change in percent that one example of a split makes, or None if the measure counts no examples."""
    size = _size(report, split, lab)
    return 100 / size if size else None


def _size(report: Report, split: str | None, lab: Lab) -> int | None:
    """Return the number of examples in a split, or None if the measure counts no examples."""
    return lab.sizes.get(split or "") if report.measure.is_counted else None


def _by_band(mean: float, report: Report, truth: GroundTruth) -> float:
    """Return the likelihood of an average on the split that selects, divided by that on the split that is asked for.

    Both come from the known ranges of the averages. The ratio is limited to 0.1–20, because the ranges rest on few
    runs. Return 1 if a range is unknown.
    """
    valid, test = (_density(mean, report.bands(truth, split)) for split in (report.selecting, report.split))
    if valid is None or test is None:
        return 1.0
    return min(20.0, max(0.1, valid / max(test, 1e-12)))


def _density(mean: float, bands: Iterable[Band]) -> float | None:
    """Return the mean density of normal distributions with the bands' means and widths, or None without bands."""
    known_bands = [
        (band.mean, (band.inner[1] - band.inner[0]) / _WIDTH)
        for band in bands
        if band.mean is not None and band.inner is not None
    ]
    if not known_bands:
        return None
    return fmean(exp(-(((mean - centre) / width) ** 2) / 2) / (width * sqrt(2 * pi)) for centre, width in known_bands)


def are_several(report: Report, lab: Lab) -> bool:
    """Whether a run has two different values on the split that is asked for that cannot both be of the selected
    checkpoint.

    This happens if a draft was kept. If a full set of values of the finer grid exists, values of the coarser grid count
    as results of the split that selects.
    """
    own_results = report.of_split(report.split)
    size = _size(report, report.selecting, lab)
    fine = [result for result in own_results if size is None or result.value * size % 100 != 0]
    coarse = [result for result in own_results if result not in fine]
    if min(len(fine), len(coarse)) >= report.number and {result.seed for result in fine} == {
        result.seed for result in coarse
    }:
        own_results = tuple(fine)
    return any(
        result.seed == other.seed and result.value != other.value and not result.moment.differs(other.moment)
        for result, other in combinations(own_results, 2)
    )


def cannot_be_of_validation(report: Report, lab: Lab) -> bool:
    """Whether some result that the text does not assign to the split that is asked for is impossible on the split that
    selects."""
    size = _size(report, report.selecting, lab)
    return size is not None and any(
        claim.resolution < 1 and claim.value * size % 100 != 0 for claim in report.seeds if claim.split != report.split
    )

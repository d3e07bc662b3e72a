"""Figures given as results that look like, or are known to be, validation accuracies.

The validation set is small, so its accuracies lie on a coarse grid. How sure that makes one is worked out: from how
often test accuracies would fall there by chance, from where the average lies, and from the other experiments.
"""

from collections.abc import Iterable, Sequence
from decimal import Decimal
from math import exp, pi, prod, sqrt
from statistics import fmean

from grader.checks.experiment import (
    Report,
    chance,
    mean_fits,
    percent,
    report_of,
    resolution_of,
    stated,
    std_fits,
    triples,
    values,
)
from grader.checks.finding import Flag, Severity
from grader.checks.hyperparameters import wanted_of
from grader.checks.log_agreement import Place, Selection, located, selection_of
from grader.claims.accuracies import SeedAccuracy, Summary
from grader.claims.answer import Answer
from grader.frozen import Frozen
from grader.lab.definition import Lab
from grader.lab.experiments import TEST, VALID
from grader.lab.truth import Band, GroundTruth
from grader.message import Message, Words, joined, say
from grader.reading.document import Evidence

FLAG = "validation-reported-as-test"

_BEFORE, _BEFORE_IN_ONE = 0.2, 0.1
"""How often results are of validation, before anything is seen: in all experiments, or in this one although another
one's are not. A guess; what is seen outweighs it."""

_SURE = 0.9
_ROUNDED = 0.1
"""fairseq rounds accuracies to so much, in percent; the Trainer logs them in full."""

_WIDTH = 2 * 2.2
"""A 95 % interval from few degrees of freedom is about as many standard deviations wide."""


class Doubt(Frozen):
    """That an experiment's figures are of validation: how sure that is (0 to 1), and by what. `is_shown`: the hand-in's
    own logs or figures show it, so that it does not rest on chances."""

    sure: float
    message: Words
    evidence: tuple[Evidence, ...]
    is_shown: bool = False

    @property
    def how_sure(self) -> Message:
        """For staff; no figure above 99 %, which rests on guesses."""
        if self.sure >= 0.99:
            return say("How sure: {share:.0%} or more.", share=0.99)
        return say("How sure: {share:.0%}.", share=self.sure)

    @property
    def flag(self) -> Flag:
        """The flag for it."""
        return Flag(id=FLAG, severity=Severity.WARNING, message=self.message, evidence=self.evidence)


class _Trace(Frozen):
    """What the grid says of one experiment's figures. `ratio`: how much likelier they are for validation than for test
    accuracies; 0 where they cannot be of validation."""

    ratio: float
    message: Words = ""
    evidence: tuple[Evidence, ...] = ()


def validation_doubt(experiment: str, answer: Answer, truth: GroundTruth, lab: Lab) -> Doubt | None:
    """Whether figures that are not called validation accuracies are such: as the logs show, else as the grid does.
    None where there is no reason to doubt, or where validation accuracies are given beside them."""
    report = report_of(experiment, answer, lab)
    claimed = report.of_split(TEST) or report.of_split(None)
    if report.runs:
        complete = len(claimed) >= lab.seeds
        by_logs = _by_logs(claimed, report, lab) if complete else _summary_by_logs(report, lab)
        if by_logs or _is_of_test(claimed, report, lab):
            return by_logs
    if report.of_split(VALID):
        repeated = _repeated(report, lab) or _averaged(report, lab)
        if repeated or not claimed or _are_told_apart(claimed, report.of_split(VALID)):
            return repeated
    rounded = _ROUNDED if _may_be_rounded(answer, lab) else 0.0
    own = _trace(report, truth, lab, rounded)
    if own is None or not own.ratio:
        return None
    others = [
        _trace(report_of(one.id, answer, lab), truth, lab, rounded) for one in lab.experiments if one.id != experiment
    ]
    sure = _sure(own, [other for other in others if other])
    if sure < _SURE:
        return None
    return Doubt(sure=sure, message=own.message, evidence=own.evidence)


def _are_told_apart(claimed: Sequence[SeedAccuracy], valid: Sequence[SeedAccuracy]) -> bool:
    """Whether some validation accuracy is another figure than the one claimed of the same seed. Those that only repeat
    what is claimed show nothing beside it."""
    own = {claim.seed: {one.value for one in claimed if one.seed == claim.seed} for claim in claimed}
    every = set().union(*own.values())
    return any(one.value not in own.get(one.seed, every) for one in valid)


def _repeated(report: Report, lab: Lab) -> Doubt | None:
    """That the figures called test accuracies are those called validation accuracies, seed by seed, and possible on the
    validation set."""
    valid, test = report.of_split(VALID), report.of_split(TEST)
    coarse = _step(VALID, lab)
    pairs = [{(claim.seed, claim.value) for claim in claims} for claims in (valid, test)]
    if not coarse or len(test) < lab.seeds or pairs[0] != pairs[1]:
        return None
    if not all(abs(value / coarse - round(value / coarse)) < 1e-6 for value in values(test)):
        return None
    return Doubt(
        sure=0.99,
        message=say("The same figures are given as validation accuracies and as test accuracies of all seeds."),
        evidence=tuple(dict.fromkeys(claim.evidence for claim in (*valid, *test))),
        is_shown=True,
    )


def _averaged(report: Report, lab: Lab) -> Doubt | None:
    """That the only average, called one of test accuracies, and its deviation are those of the validation accuracies of
    all seeds."""
    valid = report.of_split(VALID)
    stated_ones = [one for one in report.summaries if one.mean is not None]
    if len(valid) < max(lab.seeds, 2) or report.of_split(TEST) or len(stated_ones) != 1:
        return None
    (own,) = stated_ones
    numbers = values(valid)
    if (
        own.split != TEST
        or own.mean is None
        or own.std is None
        or not mean_fits(own.mean, own.mean_resolution, numbers)
    ):
        return None
    if not std_fits(own.std, own.std_resolution, numbers):
        return None
    return Doubt(
        sure=0.98,
        message=say("The average called one of test accuracies is that of the validation accuracies shown."),
        evidence=tuple(dict.fromkeys((*own.evidence, *(claim.evidence for claim in valid)))),
        is_shown=True,
    )


def _may_be_rounded(answer: Answer, lab: Lab) -> bool:
    """Whether the hand-in's figures of fairseq may be rounded as fairseq prints them: none of them has a finer step."""
    rounding = {one.id for one in lab.experiments if wanted_of(lab, one.id).framework != "transformers"}
    return not any(
        claim.experiment in rounding and claim.split != VALID and claim.value * 10 % 1 != 0
        for claim in answer.accuracies.seeds
    )


def _by_logs(claimed: tuple[SeedAccuracy, ...], report: Report, lab: Lab) -> Doubt | None:
    """That all figures are the best validation accuracies in the logs, and not all are the test accuracies there."""
    as_valid = located([claim.model_copy(update={"split": VALID}) for claim in claimed], report)
    shown = [(one.claim, one.point) for one in as_valid if one.is_right and one.point]
    if len(shown) < lab.seeds or len(shown) < len(claimed) or _is_of_test(claimed, report, lab):
        return None
    said = joined(
        say("; "),
        (
            say(
                "seed {seed}: {value} is the best validation accuracy (step {step})",
                seed=claim.seed,
                value=percent(claim.value, claim.resolution),
                step=point.step,
            )
            for claim, point in shown
        ),
    )
    places = (place for claim, point in shown for place in (claim.evidence, point.evidence))
    message = say(
        "As the logs show, the reported figures are validation accuracies, not test accuracies: {figures}.",
        figures=said,
    )
    return Doubt(sure=0.99, message=message, evidence=tuple(dict.fromkeys(places)), is_shown=True)


def _is_of_test(claimed: tuple[SeedAccuracy, ...], report: Report, lab: Lab) -> bool:
    """Whether all figures, or the average where only that is given, are logged test accuracies."""
    if len(claimed) >= lab.seeds:
        return all(one.place in (Place.AT_BEST, Place.AT_END, Place.ELSEWHERE) for one in located(claimed, report))
    selections = [selection_of(summary, report, lab) for summary in report.preferred_summaries]
    return any(one not in (None, Selection.VALID) for one in selections)


def _summary_by_logs(report: Report, lab: Lab) -> Doubt | None:
    """That an average that is not called one of validation follows only from the logged validation accuracies."""
    for summary in report.preferred_summaries:
        if summary.split != VALID and selection_of(summary, report, lab) is Selection.VALID:
            message = say(
                "As the logs show, the average {average} is of the best validation accuracies, not of test accuracies.",
                average=percent(summary.mean or Decimal(0), summary.mean_resolution),
            )
            places = (*summary.evidence, *(point.evidence for run in report.runs for point in run.best_valid[:1]))
            return Doubt(sure=0.97, message=message, evidence=tuple(dict.fromkeys(places)))
    return None


def _sure(own: _Trace, others: Sequence[_Trace]) -> float:
    """How sure it is that figures are of validation. Who takes one split for the other does so in all experiments,
    mostly."""
    alone = any(other.ratio == 0 for other in others)
    before = _BEFORE_IN_ONE if alone else _BEFORE
    together = own.ratio if alone else prod((own.ratio, *(other.ratio for other in others)))
    odds = before / (1 - before) * together
    return odds / (1 + odds)


def _trace(report: Report, truth: GroundTruth, lab: Lab, rounded: float) -> _Trace | None:
    """What the grid says; None where no complete figures are there that may be of either split."""
    claimed = report.of_split(TEST) or report.of_split(None)
    if len(claimed) >= lab.seeds:
        return _of_series(claimed, report.experiment, truth, lab, rounded)
    for summary in report.preferred_summaries:
        if summary.split != VALID and summary.std is not None:
            return _of_summary(summary, report.experiment, truth, lab)
    return None


def _of_series(
    claimed: tuple[SeedAccuracy, ...], experiment: str, truth: GroundTruth, lab: Lab, rounded: float
) -> _Trace | None:
    """Each test accuracy falls on the coarser grid as often as the grids' steps, or the digits written, tell."""
    coarse, fine, unit = _step(VALID, lab), _step(TEST, lab), resolution_of(claimed)
    if not coarse or not fine or unit >= coarse:
        return None
    if wanted_of(lab, experiment).framework != "transformers":
        fine = max(fine, rounded)
    accuracies = values(claimed)
    if not all(abs(value / coarse - round(value / coarse)) < 1e-6 for value in accuracies):
        return _Trace(ratio=0)
    by_chance = max(fine, unit) / coarse
    if by_chance >= 1:
        return None
    once = round(by_chance ** -len(accuracies))
    return _Trace(
        ratio=once * _by_band(fmean(accuracies), experiment, truth),
        message=say(
            "All reported accuracies are multiples of {step:g} %, as on the validation set. On the test set this would "
            "happen once in {times:,} times. They may be validation accuracies.",
            step=coarse,
            times=once,
        ),
        evidence=tuple(dict.fromkeys(claim.evidence for claim in claimed)),
    )


def _of_summary(summary: Summary, experiment: str, truth: GroundTruth, lab: Lab) -> _Trace | None:
    coarse, fine, figures = _step(VALID, lab), _step(TEST, lab), stated(summary)
    if not coarse or not fine or figures is None or lab.seeds != 3 or figures.mean_unit >= fine:
        return None
    possible = triples(figures, round(100 / coarse))
    if not possible:
        return _Trace(ratio=0)
    by_chance = chance(figures, round(100 / coarse), round(100 / fine))
    shown = joined(say(" or "), (joined(", ", (say("{value:g}", value=v) for v in three)) for three in possible[:3]))
    return _Trace(
        ratio=_by_band(figures.mean, experiment, truth) / max(by_chance, 1e-3),
        message=say(
            "On the validation set the average and the deviation belong to {accuracies} %; of test accuracies' "
            "averages and deviations about one in {times} is possible there as well. They may be of validation "
            "accuracies.",
            accuracies=shown,
            times=round(1 / max(by_chance, 1e-3)),
        ),
        evidence=summary.evidence,
    )


def _step(split: str, lab: Lab) -> float | None:
    """The difference that one example of a split makes, in percent."""
    return 100 / lab.sizes[split] if split in lab.sizes else None


def _by_band(mean: float, experiment: str, truth: GroundTruth) -> float:
    """How much likelier an average is for validation than for test accuracies, by what is known of both; 1 where that
    is not enough. Kept within bounds, since bands rest on few runs."""
    valid, test = (_density(mean, truth.bands_of(experiment, split)) for split in (VALID, TEST))
    if valid is None or test is None:
        return 1.0
    return min(20.0, max(0.1, valid / max(test, 1e-12)))


def _density(mean: float, bands: Iterable[Band]) -> float | None:
    """The mean density over the schedules' bands, as of normal distributions."""
    known = [
        (band.mean, (band.inner[1] - band.inner[0]) / _WIDTH)
        for band in bands
        if band.mean is not None and band.inner is not None
    ]
    if not known:
        return None
    return fmean(exp(-(((mean - centre) / width) ** 2) / 2) / (width * sqrt(2 * pi)) for centre, width in known)

"""Is the checkpoint chosen by validation accuracy, and is the reported figure its test accuracy?"""

import re
from collections.abc import Iterator

from grader.checks.check import Conclusion, check
from grader.checks.experiment import TEST, VALID, Report, percent, report_of
from grader.checks.finding import Diagnosis, Expected, Finding, Flag, Severity, Status
from grader.checks.validation_grid import looks_like_validation, validation_flag
from grader.claims.accuracy import SeedAccuracy
from grader.claims.answer import Answer
from grader.claims.logged import LoggedAccuracy
from grader.claims.passage import Passage
from grader.lab.definition import Lab

_CHOSEN_BY_VALIDATION = re.compile(
    r"\b(?:best|highest|maxim\w+|top|meilleure?s?)\b[^.]{0,60}\b(?:valid\w*|dev|eval\w*)\b"
    r"|\b(?:valid\w*|dev|eval\w*)\b[^.]{0,60}\b(?:best|highest|maxim\w+|chosen|selected|choisi\w*|meilleure?s?)\b",
    re.IGNORECASE,
)

_CHOSEN_BY_TEST = re.compile(r"\b(?:best|highest|maxim\w+|meilleure?s?)\s+(?:\w+\s+)?test\b", re.IGNORECASE)


@check("checkpoint-selection")
def checkpoint_selection(answer: Answer, lab: Lab, *, item: str, experiment: str) -> Iterator[Conclusion]:
    """The checkpoint is the best by validation, and its test accuracy is reported."""
    report = report_of(experiment, answer, lab)
    claimed = report.of_split(TEST) or report.of_split(None) or report.of_split(VALID)
    finding = Finding(
        item=item,
        status=Status.REVIEW,
        found=", ".join(f"seed {claim.seed}: {percent(claim.value, claim.resolution)}" for claim in claimed) or None,
        expected=Expected(text="for each seed, the test accuracy at the epoch of the best validation accuracy"),
        evidence=report.evidence,
    )
    if report.is_empty:
        yield finding.but(status=Status.MISSING, feedback="Nothing was found about this experiment.")
        return
    logged = _logged(report, claimed)
    if claimed and len(logged) == len(claimed) >= lab.seeds:
        yield from _by_logs(finding, logged)
    elif looks_like_validation(claimed, lab):
        yield from _validation_suspected(finding, claimed, lab)
    else:
        yield _by_text(finding, report, answer.passages(*(one.question for one in lab.experiments)))


def _logged(report: Report, claimed: tuple[SeedAccuracy, ...]) -> list[tuple[SeedAccuracy, tuple[LoggedAccuracy, ...]]]:
    """Each claim with the logged test accuracies at its seed's best validation accuracy, where there is a log."""
    by_seed = {run.seed: run.at_best_valid for run in report.runs}
    return [(claim, by_seed[claim.seed]) for claim in claimed if by_seed.get(claim.seed)]


def _by_logs(finding: Finding, logged: list[tuple[SeedAccuracy, tuple[LoggedAccuracy, ...]]]) -> Iterator[Conclusion]:
    contradicted = [
        (claim, points)
        for claim, points in logged
        if all(abs(float(claim.value) - point.value) > float(claim.resolution) for point in points)
    ]
    places = tuple(points[0].evidence for _, points in logged)
    if not contradicted:
        yield finding.but(
            status=Status.CORRECT,
            evidence=finding.evidence + places,
            feedback="Each reported figure is the logged test accuracy at the best validation accuracy.",
        )
        return
    message = " ".join(
        f"Seed {claim.seed}: {percent(claim.value, claim.resolution)} is reported, the log shows "
        f"{' or '.join(f'{point.value:g} %' for point in points)} on test at the best validation accuracy."
        for claim, points in contradicted
    )
    evidence = tuple(place for claim, points in contradicted for place in (claim.evidence, points[0].evidence))
    yield Flag(id="claim-contradicts-log", severity=Severity.WARNING, message=message, evidence=evidence)
    yield finding.but(
        evidence=evidence,
        suggestion=Status.PARTIAL,
        diagnoses=(Diagnosis(id="claim-contradicts-log", text=message),),
        feedback=message,
    )


def _validation_suspected(finding: Finding, claimed: tuple[SeedAccuracy, ...], lab: Lab) -> Iterator[Conclusion]:
    flag = validation_flag(claimed, lab)
    yield flag
    yield finding.but(
        evidence=flag.evidence,
        suggestion=Status.PARTIAL,
        diagnoses=(Diagnosis(id=flag.id, text=flag.message),),
        feedback=flag.message,
    )


def _by_text(finding: Finding, report: Report, passages: tuple[Passage, ...]) -> Finding:
    text = " ".join(" ".join(passage.text.split()) for passage in passages)
    chosen = bool(_CHOSEN_BY_VALIDATION.search(text)) and not _CHOSEN_BY_TEST.search(text)
    chosen = chosen or bool(report.of_split(VALID) and report.of_split(TEST))
    tested = bool(report.of_split(TEST)) or any(summary.split == TEST for summary in report.summaries)
    if chosen and tested:
        return finding.but(
            status=Status.CORRECT,
            confidence=0.9,
            feedback="The text says that validation chose the checkpoint and gives its test accuracy.",
        )
    unsaid = "whether the figures are of the test set" if chosen else "how the checkpoint was chosen"
    return finding.but(
        suggestion=Status.CORRECT if chosen or tested else Status.PARTIAL,
        feedback=f"The text does not say {unsaid}.",
    )

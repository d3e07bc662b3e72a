"""Is the checkpoint chosen by validation accuracy, and is the reported figure its test accuracy?"""

import re
from collections.abc import Iterator, Sequence

from grader.checks.check import Conclusion, check
from grader.checks.experiment import TEST, VALID, Report, percent, report_of
from grader.checks.finding import Diagnosis, Expected, Finding, Status
from grader.checks.log_agreement import CONTRADICTS, Located, Place, contradictions, located, told
from grader.checks.logged_statistics import SELECTED, Selection, selection_of
from grader.checks.validation_grid import Doubt, validation_doubt
from grader.claims.answer import Answer
from grader.claims.passage import Passage
from grader.lab.definition import Lab
from grader.lab.truth import GroundTruth
from grader.message import joined, say

_CHOSEN_BY_VALIDATION = re.compile(
    r"\b(?:best|highest|maxim\w+|top|meilleure?s?)\b[^.]{0,60}\b(?:valid\w*|dev|eval\w*)\b"
    r"|\b(?:valid\w*|dev|eval\w*)\b[^.]{0,60}\b(?:best|highest|maxim\w+|chosen|selected|choisi\w*|meilleure?s?)\b",
    re.IGNORECASE,
)

_CHOSEN_BY_TEST = re.compile(r"\b(?:best|highest|maxim\w+|meilleure?s?)\s+(?:\w+\s+)?test\b", re.IGNORECASE)


@check("checkpoint-selection")
def checkpoint_selection(
    answer: Answer, truth: GroundTruth, lab: Lab, *, item: str, experiment: str
) -> Iterator[Conclusion]:
    """The checkpoint is the best by validation, and its test accuracy is reported."""
    report = report_of(experiment, answer, lab)
    claimed = next(iter(report.series()), ())
    finding = Finding(
        item=item,
        status=Status.REVIEW,
        found=joined(
            ", ",
            (
                say("seed {seed}: {value}", seed=claim.seed, value=percent(claim.value, claim.resolution))
                for claim in claimed
            ),
        )
        or None,
        expected=Expected(text=say("for each seed, the test accuracy at the epoch of the best validation accuracy")),
        evidence=report.evidence,
    )
    if report.is_empty:
        yield finding.but(status=Status.MISSING, feedback=say("Nothing was found about this experiment."))
        return
    found = located(claimed, report)
    doubt = validation_doubt(experiment, answer, truth, lab)
    if doubt:
        yield doubt.flag
        yield _suspected(finding, doubt)
    elif len(found) >= lab.seeds and all(one.wanted for one in found) and claimed[0].split != VALID:
        yield from _by_logs(finding, found)
    else:
        yield _by_text(finding, report, answer.passages(*(one.question for one in lab.experiments)), lab)


def _by_logs(finding: Finding, found: Sequence[Located]) -> Iterator[Conclusion]:
    wrong = [one for one in found if one.is_contradicted]
    if not wrong:
        places = tuple(one.point.evidence for one in found if one.point)
        yield finding.but(
            status=Status.CORRECT,
            evidence=finding.evidence + places,
            feedback=say("Each reported figure is the logged test accuracy at the best validation accuracy."),
        )
        return
    flags = list(contradictions(found))
    yield from flags
    message = joined(" ", (told(one) for one in wrong))
    at_end = all(one.place is Place.AT_END for one in wrong)
    yield finding.but(
        evidence=flags[0].evidence,
        suggestion=Status.PARTIAL,
        diagnoses=(Diagnosis(id="last-epoch" if at_end else CONTRADICTS, text=message),),
        feedback=message,
    )


def _suspected(finding: Finding, doubt: Doubt) -> Finding:
    return finding.but(
        evidence=doubt.evidence,
        suggestion=Status.PARTIAL,
        diagnoses=(Diagnosis(id=doubt.flag.id, text=doubt.message),),
        feedback=doubt.message,
        note=doubt.how_sure,
    )


def _by_text(finding: Finding, report: Report, passages: tuple[Passage, ...], lab: Lab) -> Finding:
    text = " ".join(" ".join(passage.text.split()) for passage in passages)
    chosen = bool(_CHOSEN_BY_VALIDATION.search(text)) and not _CHOSEN_BY_TEST.search(text)
    chosen = chosen or bool(report.of_split(VALID) and report.of_split(TEST))
    tested = bool(report.of_split(TEST)) or any(summary.split == TEST for summary in report.summaries)
    logged = next((one for summary in report.preferred_summaries if (one := selection_of(summary, report, lab))), None)
    if logged is Selection.BEST and not report.seeds:
        return finding.but(
            status=Status.CORRECT,
            evidence=finding.evidence + tuple(p.evidence for run in report.runs for p in run.at_best_valid[:1]),
            feedback=say("The average is that of the logged test accuracies at the best validation accuracy."),
        )
    if logged and not report.seeds:
        words = say("As the logs show, the average is of {accuracies}.", accuracies=SELECTED[logged])
        return finding.but(suggestion=Status.PARTIAL, feedback=words)
    if chosen and tested:
        return finding.but(
            status=Status.CORRECT,
            confidence=0.9,
            feedback=say("The text says that validation chose the checkpoint and gives its test accuracy."),
        )
    split = say("The text does not say whether the figures are of the test set.")
    return finding.but(
        suggestion=Status.CORRECT if chosen or tested else Status.PARTIAL,
        feedback=split if chosen else say("The text does not say how the checkpoint was chosen."),
    )

"""Are the results of every seed reported?"""

from collections.abc import Iterator

from grader.checks.check import Conclusion, check
from grader.checks.course_statistics import course_mismatches
from grader.checks.experiment import Report, report_of
from grader.checks.finding import Expected, Finding, Flag, Status
from grader.checks.log_agreement import Place, contradictions, located
from grader.checks.run_hyperparameters import run_mismatches
from grader.checks.table_contradiction import table_contradictions
from grader.checks.validation_grid import validation_doubt
from grader.claims.answer import Answer
from grader.lab.definition import Lab
from grader.lab.truth import GroundTruth


@check("seeds-reported")
def seeds_reported(answer: Answer, truth: GroundTruth, lab: Lab, *, item: str, experiment: str) -> Iterator[Conclusion]:
    """Every seed's result is reported."""
    report = report_of(experiment, answer, lab)
    yield from _flags(report, answer, truth, lab)
    claimed = sorted({claim.seed for claim in report.seeds})
    logged = {run.seed for run in report.runs if run.seed is not None}
    expected = Expected(text=f"{lab.seeds} seeds")
    finding = Finding(
        item=item,
        status=Status.REVIEW,
        found=f"{len(claimed)} seeds" if claimed else None,
        expected=expected,
        evidence=tuple(dict.fromkeys(claim.evidence for claim in report.seeds)),
    )
    if len(claimed) >= lab.seeds:
        yield finding.but(
            status=Status.CORRECT, feedback=f"The results of {len(claimed)} seeds are reported.{_in_logs(report)}"
        )
    elif len(logged) >= lab.seeds:
        evidence = tuple(run.test[-1].evidence if run.test else run.valid[-1].evidence for run in report.runs)
        yield finding.but(
            status=Status.CORRECT,
            found=f"{len(logged)} seeds in the training logs",
            evidence=evidence,
            feedback=f"The training logs hold {len(logged)} seeds.",
        )
    elif report.is_empty:
        yield finding.but(status=Status.MISSING, feedback="Nothing was found about this experiment.")
    else:
        yield finding.but(
            suggestion=Status.PARTIAL if report.evidence else Status.INCORRECT,
            evidence=report.evidence,
            feedback=f"The text gives the results of {len(claimed)} of {lab.seeds} seeds; "
            "a person looks whether a figure shows the others.",
        )


def _flags(report: Report, answer: Answer, truth: GroundTruth, lab: Lab) -> Iterator[Flag]:
    """What is worth a look in this experiment's figures and runs as a whole."""
    yield from table_contradictions(report, answer, lab)
    yield from course_mismatches(report.experiment, answer, lab)
    yield from run_mismatches(report.runs, report.experiment, lab)
    doubt = validation_doubt(report.experiment, answer, truth, lab)
    if doubt:
        yield doubt.flag
    for group in report.series():
        if not (doubt and group[0].evidence in doubt.evidence):
            yield from contradictions(located(group, report))


def _in_logs(report: Report) -> str:
    """How many of the figures the logs support, where there are logs."""
    found = [one for group in report.series() for one in located(group, report)]
    logged = [one for one in found if one.place not in (Place.NOWHERE, Place.NO_LOG)]
    return f" The logs hold {len(logged)} of the {len(found)} figures." if report.runs and found else ""

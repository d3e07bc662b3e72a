"""Are the results of every seed reported?"""

from collections.abc import Iterator

from grader.checks.check import Conclusion, check
from grader.checks.experiment import report_of
from grader.checks.finding import Expected, Finding, Status
from grader.claims.answer import Answer
from grader.lab.definition import Lab


@check("seeds-reported")
def seeds_reported(answer: Answer, lab: Lab, *, item: str, experiment: str) -> Iterator[Conclusion]:
    """Every seed's result is reported."""
    report = report_of(experiment, answer, lab)
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
        yield finding.but(status=Status.CORRECT, feedback=f"The results of {len(claimed)} seeds are reported.")
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

"""Are the results of every seed reported?"""

from collections.abc import Iterator
from typing import Final

from grader.checks.check import Conclusion, check
from grader.checks.command_seeds import FLAG as REPEATED
from grader.checks.course_statistics import course_mismatches
from grader.checks.experiment import Report, report_of
from grader.checks.finding import Expected, Finding, Flag, Severity, Status
from grader.checks.log_agreement import Place, contradictions, located
from grader.checks.run_hyperparameters import run_mismatches
from grader.checks.table_contradiction import table_contradictions
from grader.checks.validation_grid import validation_doubt
from grader.claims.answer import Answer
from grader.lab.definition import Lab
from grader.lab.truth import GroundTruth
from grader.message import joined, say, say_data, say_number

_WATCH: Final = "hyperparameters"
"""The watch that looks at commands and logs together, so that neither is told twice."""


@check("seeds-reported")
def seeds_reported(answer: Answer, truth: GroundTruth, lab: Lab, *, item: str, experiment: str) -> Iterator[Conclusion]:
    """Every seed's result is reported."""
    report = report_of(experiment, answer, lab)
    yield from _flags(report, answer, truth, lab)
    claimed = sorted({claim.seed for claim in report.seeds})
    logged = {run.seed for run in report.runs if run.seed is not None}
    expected = Expected(text=say_number("{number} seed", "{number} seeds", lab.seeds))
    finding = Finding(
        item=item,
        status=Status.REVIEW,
        found=say_number("{number} seed", "{number} seeds", len(claimed)) if claimed else None,
        expected=expected,
        evidence=tuple(dict.fromkeys(claim.evidence for claim in report.seeds)),
    )
    if len(claimed) >= lab.seeds:
        said = say("The results of {number} seeds are reported.", number=len(claimed))
        yield finding.but(status=Status.CORRECT, feedback=joined(" ", [said, *_in_logs(report)]))
    elif len(logged) >= lab.seeds:
        evidence = tuple(run.test[-1].evidence if run.test else run.valid[-1].evidence for run in report.runs)
        yield finding.but(
            status=Status.CORRECT,
            found=say("{number} seeds in the training logs", number=len(logged)),
            evidence=evidence,
            feedback=say("The training logs hold {number} seeds.", number=len(logged)),
        )
    elif report.is_empty:
        yield finding.but(status=Status.MISSING, feedback=say("Nothing was found about this experiment."))
    else:
        yield finding.but(
            suggestion=Status.PARTIAL if report.evidence else Status.INCORRECT,
            evidence=report.evidence,
            feedback=say(
                "The text gives the results of {number} of {asked} seeds; "
                "a person looks whether a figure shows the others.",
                number=len(claimed),
                asked=lab.seeds,
            ),
        )


def _flags(report: Report, answer: Answer, truth: GroundTruth, lab: Lab) -> Iterator[Flag]:
    """What is worth a look in this experiment's figures and runs as a whole."""
    yield from table_contradictions(report, answer, lab)
    yield from course_mismatches(report.experiment, answer, lab)
    yield from _equal_figures(report, lab)
    if not any(watch.check == _WATCH for watch in lab.watches):
        yield from run_mismatches(report.runs, report.experiment, lab)
    doubt = validation_doubt(report.experiment, answer, truth, lab)
    if doubt:
        yield doubt.flag
    for group in report.series():
        if not (doubt and group[0].evidence in doubt.evidence):
            yield from contradictions(located(group, report))


def _in_logs(report: Report) -> list[str]:
    """How many of the figures the logs support, where there are logs."""
    found = [one for group in report.series() for one in located(group, report)]
    logged = [one for one in found if one.place not in (Place.NOWHERE, Place.NO_LOG)]
    if not report.runs or not found:
        return []
    return [say("The logs hold {number} of the {all} figures.", number=len(logged), all=len(found))]


def _equal_figures(report: Report, lab: Lab) -> Iterator[Flag]:
    """A remark where every seed has the same figure: different seeds give different ones."""
    title = next((one.title for one in lab.experiments if one.id == report.experiment), report.experiment)
    for group in report.series():
        if len({claim.seed for claim in group}) >= max(lab.seeds, 2) and len({claim.value for claim in group}) == 1:
            said = say(
                "{title}: every seed has the same figure, {value}; was it run with different seeds?",
                title=say_data(title),
                value=str(group[0].value),
            )
            evidence = tuple(dict.fromkeys(claim.evidence for claim in group))
            yield Flag(id=REPEATED, severity=Severity.INFO, message=said, evidence=evidence)
            return
